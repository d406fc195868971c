/* The small parts of lrnn-check: hashes, sets, numbers, names and cycles, compared with the
 * library's where both have one. */
#include "automata/fsa/fsa.h"
#include "automata/fsa/perm.h"
#include "numeric/base/rng.h"
#include "numeric/base/sha256.h"
#include "tests/support/check/check_support.h"

Test(check_text, sha256)
{
    static const struct {
        const char *bytes, *hex;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char found[65], hex[65], bytes[300];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sha256_hex(found, known[i].bytes, strlen(known[i].bytes));
        cr_assert(strcmp(found, known[i].hex) == 0);
    }
    for (size_t n = 0; n < sizeof bytes; n++) {
        bytes[n] = (char)(7 * n);
        sha256_hex(found, bytes, n);
        f2l_sha256_hex(bytes, n, hex);
        cr_assert(strcmp(found, hex) == 0, "%zu bytes", n);
    }
}

Test(check_text, set)
{
    static char strings[3000][8];
    set s = {0};
    for (size_t i = 0; i < 3000; i++) {
        const name x = {strings[i], (size_t)sprintf(strings[i], "%zu", i * i % 9973)};
        size_t before = 0;
        while (before < i && strcmp(strings[before], strings[i]) != 0) before++;
        cr_assert((find(&s, x) == NONE) == (before == i));
        cr_assert(add(&s, x) == (before == i));
        cr_assert(same_name(s.item[find(&s, x)], x));
    }
    cr_assert(find(&s, (name){"none", 4}) == NONE);
}

/* Known values of SipHash-1-3: with the key 0, 1 .. 15, and hash() of Python 3.11, whose key is 0
 * with PYTHONHASHSEED=0. */
Test(check_text, hashes_of_sets)
{
    key_sets("07060504030201000f0e0d0c0b0a0908");
    cr_assert_eq(hash_of((name){"", 0}), 0xabac0158050fc4dcu);
    key_sets("00000000000000000000000000000000");
    cr_assert_eq(hash_of((name){"abc", 3}), 0xc03bc3a0042630f2u);
    cr_assert_eq(hash_of((name){"abcdefgh", 8}), 0x3f7b849c0b8e35eau);
    cr_assert_eq(hash_of((name){"abcdefghijk", 11}), 0x14215fc65e2c3bd4u);
}

enum { COLLIDING = 2000 };

/* Returns names of six letters that fall into 16 of 4,096 slots, as a text with a blank before
 * each; of a hash function without a key everybody can make such names. */
static char *colliding_names(void)
{
    char *names = malloc(7 * COLLIDING + 1);
    cr_assert(names);
    names[0] = '\0';
    for (unsigned i = 0, found = 0; found < COLLIDING; i++) {
        char word[8];
        snprintf(word, sizeof word, " %06x", i);
        if ((hash_of((name){word + 1, 6}) & 4095) < 16) strcpy(names + 7 * found++, word);
    }
    return names;
}

static size_t steps_of(const char *names)
{
    set s = {0};
    const size_t before = rest.steps;
    for (size_t i = 0; i < COLLIDING; i++) add(&s, (name){names + 7 * i + 1, 6});
    return before - rest.steps;
}

/* Slots in the way cost steps; another key makes names ordinary. */
Test(check_text, names_that_collide)
{
    char *names = colliding_names();
    cr_assert_gt(steps_of(names), COLLIDING * COLLIDING / 4);
    key_sets("00000000000000000000000000000001");
    const size_t steps = steps_of(names);
    cr_assert(steps >= COLLIDING && steps < 8 * COLLIDING, "%zu steps", steps);
    free(names);
}

/* A checker's key comes from its files, so that it takes few steps for names that collide without
 * one. What follows the automaton is refused. */
Test(check_text, names_that_collide_in_a_file)
{
    char *names = colliding_names(), *fsa = malloc(30 * COLLIDING), *at = fsa, verdict[100];
    cr_assert(fsa);
    at += sprintf(at, "fsa 1\nletters x\nstates%s\nstart 000001\n", names);
    for (size_t i = 0; i < COLLIDING; i++)
        at += sprintf(at, "%.6s x %.6s\n", names + 7 * i + 1, names + 7 * i + 1);
    memcpy(strstr(fsa, "start ") + 6, names + 1, 6);
    text automaton_text = text_of(fsa);
    automaton a = {0};
    rest = (budget){20 * COLLIDING, SIZE_MAX};
    const triple files = {fsa, "field Q\n", "claim exact\n"};
    cr_assert_eq(verdict_of(files, verdict, sizeof verdict), NOT_VERIFIED, "%s", verdict);
    key_sets("00000000000000000000000000000000");
    rest = (budget){SIZE_MAX, SIZE_MAX};
    read_automaton(&a, &automaton_text);
    cr_assert_gt(SIZE_MAX - rest.steps, COLLIDING * COLLIDING / 2);
    free(names);
    free(fsa);
}

/* Names are compared at a cost, so that long labels on many transitions count. */
Test(check_text, long_names)
{
    enum { SIZE = 64000 };
    char *long_name = malloc(SIZE), *other = malloc(SIZE);
    memset(long_name, 'a', SIZE);
    memset(other, 'a', SIZE);
    rest = (budget){SIZE_MAX, SIZE_MAX};
    for (int i = 0; i < 100; i++)
        cr_assert(same_name((name){long_name, SIZE}, (name){other, SIZE}));
    cr_assert_geq(SIZE_MAX - rest.steps, 100 * SIZE / 64);
    free(long_name);
    free(other);
}

static void read_rational(text *t)
{
    rational(t, "", *zeros(1), 0);
}

static void read_beta(text *t)
{
    rational(t, "factor ", *zeros(1), 2);
}

Test(check_text, rationals)
{
    static const char *const good[] = {"0", "-3", "5/2", "-1/3",
                                       "123456789012345678901234567890/1000000007"};
    static const char *const bad[] = {"",      "-0",  "+1",   "01",  "2/4", "5/1",
                                      "0/3",   "1/0", "1/-2", "--1", "1/",  "/2",
                                      "1/2/3", " 1",  "1.5",  "a",   "-",   "1/02"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(status_of(read_rational, good[i]) == 0, "`%s`", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_rational, bad[i]) != 0, "`%s`", bad[i]);
    cr_assert(status_of(read_beta, "factor 2") == 0);
    cr_assert(status_of(read_beta, "factor 0") == 0);
    cr_assert(status_of(read_beta, "factor -1/9") == NOT_VERIFIED);
    cr_assert(status_of(read_beta, "factor 2000000001/1000000000") == NOT_VERIFIED);
}

static void read_index(text *t)
{
    number(t, "on ", 1, 12);
}

static void read_matrix(text *t)
{
    read_vector(t, 2, 3, 1);
}

Test(check_text, numbers_and_vectors)
{
    static const char *const bad[] = {"on 0",  "on 13", "on 01",
                                      "on -1", "on",    "on  1",
                                      "on a",  " on 1", "on 99999999999999999999999"};
    static const char *const wrong[] = {
        " 1.1:0",  " 1.1:1 1.1:1", " 2.1:1 1.1:1", " 3.1:1",   " 1.4:1",  " 0.1:1",  " 1:1",
        "  1.1:1", " 1.1",         " 1.1:1:1",     " 1.1:2/4", " 1.01:1", " 1.1: 1", " 1.1:1 "};
    cr_assert(status_of(read_index, "on 1") == 0 && status_of(read_index, "on 12") == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_index, bad[i]) == NOT_VERIFIED, "`%s`", bad[i]);
    cr_assert(status_of(read_matrix, "") == 0);
    cr_assert(status_of(read_matrix, " 1.1:1 1.3:-1/2 2.1:7") == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert(status_of(read_matrix, wrong[i]) != 0, "`%s`", wrong[i]);
}

static void read_one_name(text *t)
{
    read_name(t, "");
}

/* Names are compared as spelled, so that one name must have one spelling, the compiler's; nothing
 * else is a name. */
Test(check_text, names_have_one_spelling)
{
    static const char *const bad[] = {
        "",
        "\"a\"",
        "eps",
        "accept",
        "\"a b",
        "\"a\\q b\"",
        "a\tb",
        "\"\tb c\"",
        "\"a\\/ \"",
        "a#",
        "\"\x7f a\"",
        "(1)",
        "\"a\nb\"",
        "\"\\",
        "a\"b",
        /* a second spelling of a byte, or of a name */
        "\"\\u000a\"",
        "\"\\u0009\"",
        "\"\\u000d\"",
        "\"\\u0008\"",
        "\"\\u000c\"",
        "\"\\u001A\"",
        "\"\\u001F\"",
        "\"\\U001a\"",
        "\"\\u0041 \"",
        "\"\\u0020\"",
        "\"\\u007F\"",
        "\"\\u0022\"",
        "\"\\u005c \"",
        "\"a\\\\b\"",
        /* no escape, or a part of one */
        "\"\\u0000\"",
        "\"\\u000Z\"",
        "\"\\u000 \"",
        "\"\\u001\"",
        "\"\\u00\"",
        "\"\\u",
        "\"\\u0080\"",
        "\"\\u0101\"",
        "\"\\u00e9 \"",
        "\"\\v\"",
        "\"\\0\"",
        "\"\\'\"",
        /* no UTF-8: a lone byte, too long, too short, a surrogate, too large */
        "\x80",
        "\xbf",
        "a\xe9",
        "\xc0\x80",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xe0\x80\xaf",
        "\xe0\x9f\xbf",
        "\xf0\x80\x80\xaf",
        "\xf0\x8f\xbf\xbf",
        "\xc3",
        "\xc3 ",
        "\xe2\x82",
        "\xf0\x9f\x98",
        "\"\xc3\"",
        "\"\xe2\x82 \"",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80",
        "\xff",
    };
    static const char *const good[] = {
        "\"\\n\"",
        "\"\\t\\r\\b\\f\"",
        "\"\\u001a\"",
        "\"\\u0001\\u001f\"",
        "\"\\u007f\"",
        "a\\b",
        "\\u000a",
        "\"a \\\\b\"",
        "\"\\\"\"",
        "\"\"",
        "\"eps\"",
        "\"permute\"",
        "\xc3\xa9",
        "\xe0\xa0\x80",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf",
        "\"\xe2\x82\xac 1\"",
        "\xc2\x80",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_one_name, bad[i]) != 0, "`%s`", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(status_of(read_one_name, good[i]) == 0, "`%s`", good[i]);
}

/* Names in the compiler's spelling are read back. */
Test(check_text, names_as_the_compiler_spells_them)
{
    static const char *const piece[] = {
        "a",    "b",    " ",    "#",        "\"",           "(", ")", "\\", "\n", "\t",
        "\x01", "\x1f", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "z"};
    static const char *const fixed[] = {"",        "eps", "states", "accept", "a",
                                        "(1 2 3)", "\"",  "\\",     "#"};
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0); /* seed 5 */
    for (size_t i = 0; i < 2000; i++) {
        char plain[40] = {0};
        for (size_t k = 0, n = f2l_rng_below(&rng, 7); k < n; k++)
            strcat(plain, piece[f2l_rng_below(&rng, sizeof piece / sizeof *piece)]);
        const char *given = i < sizeof fixed / sizeof *fixed ? fixed[i] : plain;
        f2l_buf spelled;
        f2l_buf_init(&spelled);
        f2l_buf_name(&spelled, given);
        text t = text_of(spelled.data);
        const name x = read_name(&t, "");
        cr_assert(x.size == spelled.size && memcmp(x.bytes, spelled.data, x.size) == 0, "`%s`",
                  spelled.data);
        f2l_buf_clear(&spelled);
    }
}

static void read_five_points(text *t)
{
    read_cycles(t, 5);
}

Test(check_text, cycles)
{
    static const char *const bad[] = {
        "",        "(1)",      "(2 1)", "(1 2)(1 3)", "(1 2)(2 3)", "(1 2 2)",     "(3 4)(1 2)",
        "(1 2",    "(1 6)",    "(0 1)", "( 1 2)",     "(1,2)",      "(1 2) (3 4)", "()(1 2)",
        "(1 2)()", "(1 2 3 2)"};
    for (size_t i = 1; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_five_points, bad[i]) != 0, "`%s`", bad[i]);
    f2l_rng rng;
    f2l_rng_init(&rng, 6, 0); /* seed 6 */
    for (size_t i = 0; i < 500; i++) {
        const size_t n = 1 + f2l_rng_below(&rng, 12);
        uint32_t image[12];
        bool done[12];
        for (uint32_t p = 0; p < n; p++) {
            const size_t other = f2l_rng_below(&rng, p + 1);
            image[p] = image[other];
            image[other] = p;
        }
        f2l_buf written;
        f2l_buf_init(&written);
        f2l_perm_write(&written, image, n);
        text t = text_of(written.data);
        cr_assert(memcmp(read_cycles(&t, n), image, n * sizeof *image) == 0 && left(&t) == 0);
        const name quoted = cycle_name(image, n, done);
        cr_assert(quoted.size == written.size + 2 &&
                  memcmp(quoted.bytes + 1, written.data, written.size) == 0);
        f2l_buf_clear(&written);
    }
}

/* The checker and the compiler number group elements alike. */
Test(check_text, elements_are_numbered_as_by_the_compiler)
{
    static const uint32_t images[] = {1, 2, 3, 4, 0, 5, 1, 0, 2, 3, 5, 4};
    f2l_fsa fsa;
    f2l_buf written;
    f2l_error err;
    size_t index;
    f2l_fsa_init(&fsa);
    f2l_buf_init(&written);
    fsa.track = F2L_TRACK_ELEMENTS;
    fsa.points = 6;
    cr_assert(f2l_names_add(&fsa.letters, "a b", 3, &index, &err) == F2L_OK);
    cr_assert(f2l_names_add(&fsa.letters, "c", 1, &index, &err) == F2L_OK);
    fsa.perm = malloc(sizeof images);
    memcpy(fsa.perm, images, sizeof images);
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 1000, NULL, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_fsa_write(&written, &fsa, &err) == F2L_OK);
    text t = text_of(written.data);
    automaton a = {0};
    read_automaton(&a, &t);
    cr_assert(a.states.count == fsa.states.count && a.states.count > 100);
    for (size_t s = 0; s < a.states.count; s++) {
        const name x = a.states.item[s];
        cr_assert(x.size == strlen(f2l_names_get(&fsa.states, s)) + 2);
        cr_assert(memcmp(x.bytes + 1, f2l_names_get(&fsa.states, s), x.size - 2) == 0);
    }
    cr_assert(memcmp(a.next, fsa.next, a.states.count * 2 * sizeof *a.next) == 0);
    f2l_fsa_clear(&fsa);
    f2l_buf_clear(&written);
}
