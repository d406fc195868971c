/* Formats from text: accepted texts, their spelling, and refused texts with positions. */
#include "tests/support/numeric/format_support.h"
#include <criterion/criterion.h>
#include <stdio.h>

static void check_same(const f2l_format *a, const f2l_format *b, const char *text)
{
    cr_assert(f2l_format_same_values(a, b), "%s", text);
    cr_assert_eq(a->overflow, b->overflow, "%s", text);
    cr_assert_eq(a->rounding, b->rounding, "%s", text);
}

static f2l_format parse(char name[F2L_FORMAT_NAME], const char *text)
{
    f2l_format f;
    f2l_error err = {0};
    cr_assert_eq(f2l_format_parse(&f, name, text, &err), F2L_OK, "%s: %s", text, err.text);
    cr_assert_eq(f.name, name);
    cr_assert_null(f.choices);
    return f;
}

/* Checks that a spelled format reads back as the same format, and is spelled the same again. */
static void check_spelling(const char *text, const char *expected)
{
    char name[F2L_FORMAT_NAME], again[F2L_FORMAT_NAME];
    const f2l_format f = parse(name, text), g = parse(again, name);
    if (expected) cr_assert_str_eq(name, expected);
    cr_assert_str_eq(again, name);
    check_same(&f, &g, text);
}

Test(format_parse, names_are_the_formats_of_the_table)
{
    for (const f2l_format *entry = f2l_formats; entry->name; entry++) {
        char name[F2L_FORMAT_NAME];
        const f2l_format f = parse(name, entry->name);
        check_same(&f, entry, entry->name);
        cr_assert_str_eq(name, entry->name);
    }
}

Test(format_parse, spellings)
{
    static const char *const known[][2] = {
        {"e4m3,overflow=saturate", "e4m3,overflow=saturate"},
        {"e4m3,overflow=nan", "e4m3"},
        {"bf16,round=nearest,subnormals=yes", "bf16"},
        {"bf16,round=stochastic,overflow=saturate", "bf16,overflow=saturate,round=stochastic"},
        {"p=8,emin=-126,emax=127", "bf16"},
        {"emax=127,p=8,round=up,emin=-126", "bf16,round=up"},
        {"p=53,emin=-1022,emax=1023", "fp64"},
        {"p=11,emin=-126,emax=127,subnormals=no", "tf32,subnormals=no"},
        {"p=5,emin=-6,emax=7,round=zero", "p=5,emin=-6,emax=7,round=zero"},
        {"p=5,emin=-6,emax=7,largest=248", "p=5,emin=-6,emax=7"},
        {"p=4,emin=-6,emax=8", "e4m3,largest=480,overflow=infinity"},
        {"p=4,emin=-6,emax=8,largest=448,overflow=nan", "e4m3"},
        {"p=4,emin=-6,emax=8,largest=0x1.cp+8,overflow=nan", "e4m3"},
        {"p=4,emin=-6,emax=8,largest=4.48e2,overflow=nan", "e4m3"},
        {"e4m3,largest=256", "e4m3,largest=256"},
        {"p=3,emin=0,emax=0,largest=1.5", "p=3,emin=0,emax=0,largest=1.5"},
        {"p=3,emin=0,emax=0,largest=1", "p=3,emin=0,emax=0,largest=1"},
        {"fp64,largest=0x1p1023,overflow=nan,subnormals=no,round=down",
         "fp64,largest=0x1p+1023,overflow=nan,subnormals=no,round=down"},
        {"p=53,emin=-1022,emax=-1000,largest=0x1.8000000000001p-1000,overflow=saturate,"
         "subnormals=no,round=stochastic",
         "p=53,emin=-1022,emax=-1000,largest=0x1.8000000000001p-1000,overflow=saturate,"
         "subnormals=no,round=stochastic"},
        {"p=2,emin=-1021,emax=1023", "p=2,emin=-1021,emax=1023"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        check_spelling(known[i][0], known[i][1]);
}

Test(format_parse, what_is_read)
{
    char name[F2L_FORMAT_NAME];
    const f2l_format f = parse(name, "p=5,emin=-6,emax=7,overflow=saturate,round=down,"
                                     "subnormals=no");
    cr_assert_eq(f.precision, 5);
    cr_assert_eq(f.emin, -6);
    cr_assert_eq(f.emax, 7);
    cr_assert_eq(f.largest, 248);
    cr_assert_not(f.subnormals);
    cr_assert_eq(f.overflow, F2L_OVERFLOW_SATURATE);
    cr_assert_eq(f.rounding, F2L_ROUND_DOWN);
    const f2l_format g = parse(name, "e5m2,largest=40960,round=zero");
    cr_assert_eq(g.largest, 40960);
    cr_assert_eq(g.rounding, F2L_ROUND_TOWARD_ZERO);
    cr_assert(g.subnormals);
}

/* Random formats: two texts with the settings in another order have one spelling, and different
 * formats have different ones. */
Test(format_parse, random_formats)
{
    f2l_rng r;
    f2l_rng_init(&r, 77, 7); /* the seed */
    static const char *const overflow[] = {"infinity", "nan", "saturate"};
    static const char *const round[] = {"nearest", "zero", "up", "down", "stochastic"};
    char last[F2L_FORMAT_NAME] = "";
    f2l_format before = {0};
    for (size_t i = 0; i < repetitions(20000); i++) {
        const int p = 2 + (int)f2l_rng_below(&r, i % 2 ? 3 : 52);
        const int low = p == 53 ? -1022 : -1021;
        const int emin = i % 2 ? (int)f2l_rng_below(&r, 3)
                               : low + (int)f2l_rng_below(&r, (uint64_t)(1024 - low));
        const int emax = emin + (int)f2l_rng_below(&r, i % 2 ? 2 : (uint64_t)(1024 - emin));
        const uint64_t top = UINT64_C(1) << (p - 1);
        const double largest = ldexp((double)(top + f2l_rng_below(&r, top)), emax - p + 1);
        const int o = (int)f2l_rng_below(&r, 3), m = (int)f2l_rng_below(&r, 5),
                  s = (int)f2l_rng_below(&r, 2);
        char one[200], two[200], name[F2L_FORMAT_NAME], other[F2L_FORMAT_NAME];
        (void)snprintf(one, sizeof one,
                       "p=%d,emin=%d,emax=%d,largest=%a,overflow=%s,subnormals=%s,"
                       "round=%s",
                       p, emin, emax, largest, overflow[o], s ? "yes" : "no", round[m]);
        (void)snprintf(two, sizeof two,
                       "round=%s,largest=%a,emax=%d,subnormals=%s,overflow=%s,"
                       "emin=%d,p=%d",
                       round[m], largest, emax, s ? "yes" : "no", overflow[o], emin, p);
        const f2l_format f = parse(name, one), g = parse(other, two);
        cr_assert_str_eq(name, other);
        check_same(&f, &g, one);
        cr_assert_eq(f.largest, largest);
        check_spelling(name, name);
        const bool equal = f2l_format_same_values(&f, &before) && f.overflow == before.overflow &&
                           f.rounding == before.rounding;
        cr_assert_eq(strcmp(name, last) == 0, equal, "%s and %s", name, last);
        before = f;
        (void)snprintf(last, sizeof last, "%s", name);
    }
}

Test(format_parse, refusals_say_where)
{
    static const struct {
        const char *text;
        size_t column;
        const char *says;
    } bad[] = {{"", 1, "a format is expected"},
               {"fp8", 1, "no format of that name (bf16, fp16, "},
               {"BF16", 1, "no format of that name"},
               {"bf16 ", 1, "no format of that name"},
               {"bf16,", 6, "key=value"},
               {"bf16,,round=up", 6, "key=value"},
               {"bf16,fp16", 6, "key=value"},
               {",bf16", 1, "a format is expected"},
               {"bf16,p=8", 6, "a format with a name"},
               {"bf16,emin=-126", 6, "a format with a name"},
               {"bf16,rounding=up", 6, "no such setting"},
               {"bf16,=up", 6, "no such setting"},
               {"bf16,round=up,round=up", 15, "twice"},
               {"bf16,round=upwards", 12, "one of nearest, zero, up, down, stochastic"},
               {"bf16,round=", 12, "round is one of"},
               {"bf16,overflow=inf", 15, "one of infinity, nan, saturate"},
               {"bf16,subnormals=1", 17, "one of no, yes"},
               {"round=up", 9, "p, emin and emax are needed"},
               {"p=8,emin=-3", 12, "p, emin and emax are needed"},
               {"p=1,emin=-3,emax=3", 3, "p is an integer from 2 to 53"},
               {"p=54,emin=-3,emax=3", 3, "from 2 to 53"},
               {"p=08,emin=-3,emax=3", 3, "from 2 to 53"},
               {"p=,emin=-3,emax=3", 3, "from 2 to 53"},
               {"p=+8,emin=-3,emax=3", 3, "from 2 to 53"},
               {"p=8x,emin=-3,emax=3", 3, "from 2 to 53"},
               {"p=8,emin=-1022,emax=3", 10, "from -1021 to 1023"},
               {"p=53,emin=-1023,emax=3", 11, "from -1022 to 1023"},
               {"p=8,emin=-0,emax=3", 10, "emin is an integer"},
               {"p=8,emin=-,emax=3", 10, "emin is an integer"},
               {"p=8,emin=-3,emax=-4", 18, "from -3 to 1023"},
               {"p=8,emin=-3,emax=1024", 18, "to 1023"},
               {"p=8,emin=-3,emax=99999999999", 18, "to 1023"},
               {"e4m3,largest=449", 14, "too many bits"},
               {"e4m3,largest=512", 14, "not in the binade"},
               {"e4m3,largest=255", 14, "not in the binade"},
               {"e4m3,largest=496", 14, "not in the binade"},
               {"e4m3,largest=-448", 14, "decimal or hexadecimal"},
               {"e4m3,largest=", 14, "decimal or hexadecimal"},
               {"e4m3,largest=nan", 14, "decimal or hexadecimal"},
               {"e4m3,largest=0x", 14, "decimal or hexadecimal"},
               {"e4m3,largest=448.", 0, NULL}, /* the way C writes it */
               {"e4m3,largest=448x", 14, "decimal or hexadecimal"},
               {"e4m3,largest=4f0", 14, "decimal or hexadecimal"},
               {"e4m3,largest=1e999999999", 14, "decimal or hexadecimal"},
               {"p=53,emin=-9,emax=-4,largest=0.1", 30, "and exact"},
               {"e4m3,largest=448.00000000000000000000000000000000000001", 14, "and exact"},
               {"e4m3,largest=448.0000000000000000000000000000000000000000000001", 14,
                "decimal or hexadecimal"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_format f = {.precision = 99};
        f2l_error err = {0};
        char name[F2L_FORMAT_NAME] = "untouched";
        const f2l_status status = f2l_format_parse(&f, name, bad[i].text, &err);
        if (!bad[i].says) {
            cr_assert_eq(status, F2L_OK, "%s", bad[i].text);
            continue;
        }
        cr_assert_eq(status, F2L_EFORMAT, "%s", bad[i].text);
        cr_assert_eq(err.column, bad[i].column, "%s: column %zu", bad[i].text, err.column);
        cr_assert_not_null(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
        cr_assert_eq(f.precision, 99);
        cr_assert_str_eq(name, "untouched");
        cr_assert_eq(f2l_format_parse(&f, name, bad[i].text, NULL), F2L_EFORMAT);
    }
}
