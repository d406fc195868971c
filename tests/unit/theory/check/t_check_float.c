/* lrnn-check's arithmetic in number formats, in integers, compared with MPFR through the library
 * and with known facts of formats. */
#include "numeric/format/format.h" /* first: its parameters have names of types below */

#include "numeric/base/rng.h"
#include "tests/support/check/check_support.h"
#include <criterion/criterion.h>

static const char bf16[] =
    "format precision 8 emin -126 emax 127 largest 255p120 subnormals yes overflow infinity "
    "round nearest";

static void read_one_real(text *t)
{
    read_real(t, "");
}

static void read_one_format(text *t)
{
    read_format(t);
}

static void read_bf16_schedule(text *t)
{
    text f = text_of(bf16);
    read_schedule(t, read_format(&f));
}

static void read_fp64_schedule(text *t)
{
    text f = text_of(
        "format precision 53 emin -1022 emax 1023 largest 9007199254740991p971 subnormals yes "
        "overflow infinity round nearest");
    read_schedule(t, read_format(&f));
}

#define CHUNK "schedule chunk64"
#define KEYS(decode, norm) ",decode=" decode ",norm=" norm ",norm-in=fp32,squares=halves"

static void statuses(void (*read)(text *), const char *const *bytes, size_t count, int status)
{
    for (size_t i = 0; i < count; i++)
        cr_assert(status_of(read, bytes[i]) == status, "`%s`", bytes[i]);
}
#define ALL_HAVE(read, list, status) statuses(read, list, sizeof(list) / sizeof *(list), status)

Test(check_float, binary_numbers)
{
    static const char *const good[] = {
        "0", "1", "-3", "255p120", "-207p-6", "9007199254740991p971", "1p-1074"};
    static const char *const bad[] = {"",     "-0",  "2",      "1p0", "1p-0", "01",
                                      "+1",   "-",   "p1",     "1p",  "1p+1", "3p01",
                                      "6p-1", "0p1", "1 p",    "1e5", "1/2",  "9007199254740993",
                                      "1.5",  "-02", "1p99999"};
    ALL_HAVE(read_one_real, good, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_one_real, bad[i]) != 0, "`%s`", bad[i]);
}

Test(check_float, formats)
{
    static const char *const good[] = {
        bf16,
        "format precision 4 emin -6 emax 8 largest 7p6 subnormals yes overflow nan round up",
        "format precision 2 emin 0 emax 0 largest 1 subnormals no overflow saturate round down",
        "format precision 11 emin -14 emax 15 largest 2047p5 subnormals yes overflow infinity "
        "round stochastic",
    };
    static const char *const bad[] = {
        "format precision 1 emin 0 emax 1 largest 1p1 subnormals yes overflow infinity round "
        "nearest",
        "format precision 54 emin 0 emax 1 largest 1p1 subnormals yes overflow infinity round "
        "nearest",
        "format precision 4 emin 9 emax 8 largest 7p6 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax 8 largest 7p7 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax 8 largest 7p5 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax 8 largest 31p4 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax 8 largest -7p6 subnormals yes overflow nan round up",
        "format precision 4 emin -06 emax 8 largest 7p6 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax -0 largest 7p6 subnormals yes overflow nan round up",
        "format precision 4 emin -6 emax 8 largest 7p6 subnormals maybe overflow nan round up",
        "format precision 4 emin -6 emax 8 largest 7p6 subnormals yes overflow inf round up",
        "format precision 4 emin -6 emax 8 largest 7p6 subnormals yes overflow nan round even",
        "format bf16",
    };
    static const char *const schedules[] = {"schedule every",
                                            "schedule fma",
                                            "schedule cast",
                                            "schedule acc32",
                                            "schedule recurrent eps 1p-20 raw 1p4",
                                            "schedule chunk64 eps 0 raw 1",
                                            CHUNK KEYS("linear", "rms") " eps 0 raw 1",
                                            CHUNK KEYS("nearest", "reciprocal")};
    static const char *const bad_schedules[] = {"schedule",
                                                CHUNK KEYS("nearest", "rms"),
                                                CHUNK KEYS("nearest", "none") " eps 0 raw 1",
                                                CHUNK KEYS("farthest", "max") " eps 0 raw 1",
                                                CHUNK KEYS("linear", "max") ",eps=0",
                                                CHUNK ",decode=nearest eps 0 raw 1",
                                                CHUNK ",norm=max,decode=nearest eps 0 raw 1",
                                                CHUNK ", eps 0 raw 1",
                                                "schedule recurrent" KEYS("linear", "reciprocal"),
                                                "schedule other",
                                                "schedule every eps 1p-20",
                                                "schedule every eps -1p-20 raw 1",
                                                "schedule every eps 0 raw 0",
                                                "schedule every eps 0 raw -1",
                                                "schedule every raw 1 eps 0"};
    ALL_HAVE(read_one_format, good, 0);
    ALL_HAVE(read_one_format, bad, NOT_VERIFIED);
    ALL_HAVE(read_bf16_schedule, schedules, 0);
    for (size_t i = 0; i < sizeof bad_schedules / sizeof *bad_schedules; i++)
        cr_assert(status_of(read_bf16_schedule, bad_schedules[i]) != 0, "`%s`", bad_schedules[i]);
    statuses(read_fp64_schedule, schedules, 3, 0);
    statuses(read_fp64_schedule, schedules + 3, 5, NOT_VERIFIED);
}

static real real_of_double(double x)
{
    int e;
    if (!isfinite(x)) return not_finite;
    const double m = frexp(x, &e);
    return real_of(m < 0, (uint64_t)(fabs(m) * 0x1p53), e - 53);
}

static format format_of(const f2l_format *f)
{
    return (format){f->precision,
                    f->emin,
                    f->emax,
                    (rounding)f->rounding,
                    f->subnormals,
                    f->overflow == F2L_OVERFLOW_SATURATE,
                    real_of_double(f->largest)};
}

/* Known numbers x are rounded to y, and `lost` is set exactly if y differs from x. */
Test(check_float, known_roundings)
{
    static const struct {
        int p, emin, emax;
        double largest;
        bool subnormals, saturate;
        rounding round;
        double x, y;
    } cases[] = {
        {8, -126, 127, 0, true, false, NEAREST, 257, 256},
        {8, -126, 127, 0, true, false, NEAREST, 259, 260},
        {8, -126, 127, 0, true, false, NEAREST, 257.0001, 258},
        {8, -126, 127, 0, true, false, NEAREST, 511, 512},
        {8, -126, 127, 0, true, false, TOWARD_ZERO, -511, -510},
        {8, -126, 127, 0, true, false, UP, 256.0001, 258},
        {8, -126, 127, 0, true, false, UP, -257.9, -256},
        {8, -126, 127, 0, true, false, DOWN, -256.0001, -258},
        {8, -126, 127, 0, true, false, DOWN, 257.9, 256},
        {11, -14, 15, 0, true, false, NEAREST, 65519, 65504},
        {11, -14, 15, 0, true, false, NEAREST, 65520, INFINITY},
        {11, -14, 15, 0, true, true, NEAREST, -65520, -65504},
        {11, -14, 15, 0, true, false, TOWARD_ZERO, 1e9, 65504},
        {11, -14, 15, 0, true, false, UP, -1e9, -65504},
        {11, -14, 15, 0, true, false, UP, 65505, INFINITY},
        {11, -14, 15, 0, true, false, DOWN, 1e9, 65504},
        {11, -14, 15, 0, true, false, NEAREST, 0x1p-25, 0},
        {11, -14, 15, 0, true, false, NEAREST, 0x1.0001p-25, 0x1p-24},
        {11, -14, 15, 0, true, false, NEAREST, 0x1.8p-24, 0x1p-23},
        {11, -14, 15, 0, true, false, NEAREST, 0x1.4p-23, 0x1p-23},
        {11, -14, 15, 0, true, false, NEAREST, 0x1p-200, 0},
        {11, -14, 15, 0, true, false, UP, 0x1p-200, 0x1p-24},
        {11, -14, 15, 0, true, false, DOWN, 0x1p-200, 0},
        {11, -14, 15, 0, true, false, DOWN, -0x1p-200, -0x1p-24},
        {11, -14, 15, 0, true, false, NEAREST, 0x1.ff4p-15, 0x1.ffp-15}, /* 1022.5 units, 1023.5 */
        {11, -14, 15, 0, true, false, NEAREST, 0x1.ffcp-15, 0x1p-14},
        {11, -14, 15, 0, false, false, NEAREST, 0x1.ffcp-15, 0},
        {11, -14, 15, 0, false, false, NEAREST, 0x1.fffp-15, 0x1p-14},
        {11, -14, 15, 0, false, false, UP, 0x1p-20, 0},
        {4, -6, 8, 448, true, false, NEAREST, 464, 448},
        {4, -6, 8, 448, true, false, NEAREST, 465, NAN},
        {4, -6, 8, 448, true, true, NEAREST, 465, 448},
        {4, -6, 8, 448, true, false, TOWARD_ZERO, 500, 448},
        {4, -6, 8, 448, true, false, UP, 449, NAN},
        {4, -6, 8, 448, true, false, NEAREST, 0x1p-10, 0},
        {4, -6, 8, 448, true, false, NEAREST, 0x1p-9, 0x1p-9},
        {24, -126, 127, 0, true, false, NEAREST, 0x1.fffffefffffffp127, 0x1.fffffep127},
        {24, -126, 127, 0, true, false, NEAREST, 0x1.ffffffp127, INFINITY},
        {24, -126, 127, 0, true, false, NEAREST, 16777217, 16777216},
        {53, -1022, 1023, 0, true, false, NEAREST, 0x1p-1074, 0x1p-1074},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        format f = {cases[i].p,
                    cases[i].emin,
                    cases[i].emax,
                    cases[i].round,
                    cases[i].subnormals,
                    cases[i].saturate,
                    real_of_double(cases[i].largest)};
        if (cases[i].largest == 0)
            f.largest = real_of(false, ((uint64_t)1 << f.p) - 1, f.emax - f.p + 1);
        const real x = real_of_double(cases[i].x), y = real_of_double(cases[i].y);
        lost = false;
        cr_assert(same_real(times(&f, x, one), y), "case %zu: %a", i, cases[i].x);
        cr_assert(lost == !same_real(x, y), "case %zu", i);
        cr_assert(same_real(plus(&f, x, (real){0, 0}), y) &&
                  same_real(fused(&f, (real){0, 0}, x, x), y));
        mpq_t *q = zeros(1);
        set_real(*q, x);
        cr_assert(same_real(weight(&f, *q, NULL), y), "case %zu", i);
    }
}

static const char *const names[] = {"bf16",
                                    "fp16",
                                    "fp32",
                                    "fp64",
                                    "tf32",
                                    "e4m3",
                                    "e5m2",
                                    "e4m3,overflow=saturate",
                                    "p=3,emin=-2,emax=3",
                                    "p=7,emin=-9,emax=9,subnormals=no",
                                    "p=23,emin=-60,emax=60",
                                    "p=2,emin=-1,emax=2,overflow=saturate"};

/* Returns a value of the format, often with an exponent near the exponent of `near`, or near an
 * end. */
static double random_value(const f2l_format *f, f2l_rng *rng, double near)
{
    const int range = f->emax - f->emin + f->precision;
    int e = f->emin - f->precision + (int)f2l_rng_below(rng, (uint64_t)range + 1);
    if (near != 0 && isfinite(near) && f2l_rng_below(rng, 4) > 0)
        e = ilogb(near) + (int)f2l_rng_below(rng, 7) - 3;
    double x = ldexp(1 + (double)f2l_rng_below(rng, UINT64_C(1) << 52) * 0x1p-52, e);
    if (f2l_rng_below(rng, 4) == 0) x = ldexp((double)f2l_rng_below(rng, 8), e);
    x = f2l_format_op_mpfr(f, F2L_ADD, f2l_format_round(&f2l_formats[3], x), 0);
    if (!isfinite(x)) x = f->largest;
    return f2l_rng_below(rng, 2) ? x : -x;
}

/* Operations and weights agree with MPFR, in 12 formats and 4 rounding modes. */
Test(check_float, operations_against_mpfr)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 11, 0); /* seed 11 */
    mpq_t *q = zeros(2);
    for (size_t k = 0; k < 4 * sizeof names / sizeof *names; k++) {
        f2l_format f;
        char name_of[F2L_FORMAT_NAME];
        f2l_error err;
        cr_assert(f2l_format_parse(&f, name_of, names[k / 4], &err) == F2L_OK, "%s", names[k / 4]);
        f.rounding = (f2l_rounding)(k % 4);
        f2l_format nearest = f;
        nearest.rounding = F2L_ROUND_NEAREST_EVEN;
        const format mine = format_of(&f), weights_mine = format_of(&nearest);
        for (size_t i = 0; i < 3000; i++) {
            const double a = random_value(&nearest, &rng, 0), b = random_value(&nearest, &rng, a);
            const double c = random_value(&nearest, &rng, a * b);
            const real x = real_of_double(a), y = real_of_double(b), z = real_of_double(c);
            cr_assert(is_in(&mine, x), "%s: %a", names[k / 4], a);
            cr_assert(
                same_real(plus(&mine, x, y), real_of_double(f2l_format_op_mpfr(&f, F2L_ADD, a, b))),
                "%s %zu: %a + %a", names[k / 4], k % 4, a, b);
            cr_assert(same_real(times(&mine, x, y),
                                real_of_double(f2l_format_op_mpfr(&f, F2L_MUL, a, b))),
                      "%s %zu: %a * %a", names[k / 4], k % 4, a, b);
            cr_assert(
                same_real(fused(&mine, x, y, z), real_of_double(f2l_format_fma_mpfr(&f, a, b, c))),
                "%s %zu: %a * %a + %a", names[k / 4], k % 4, a, b, c);
            mpq_set_si(q[0], (long)f2l_rng_below(&rng, 2000001) - 1000000,
                       1 + f2l_rng_below(&rng, 1000));
            mpq_set_si(q[1], 1 + (long)f2l_rng_below(&rng, 200), 1 + f2l_rng_below(&rng, 40));
            mpq_canonicalize(q[0]);
            mpq_canonicalize(q[1]);
            if (mpq_sgn(q[0]) == 0) continue;
            cr_assert(same_real(weight(&weights_mine, q[0], NULL),
                                real_of_double(f2l_format_round_q(&f, q[0]))) ||
                          k % 4 > 0,
                      "%s", names[k / 4]);
            const double root = f2l_format_round_over_sqrt(&nearest, q[0], q[1]);
            cr_assert(same_real(weight(&weights_mine, q[0], q[1]), real_of_double(root)), "%s",
                      names[k / 4]);
        }
    }
}

/* Returns x rounded by the definition: the largest multiple of the last unit that is not above |x|,
 * or the next one. */
static real rounded_slowly(const format *f, mpq_srcptr x)
{
    if (mpq_sgn(x) == 0) return (real){0, 0};
    mpq_t *q = zeros(4);
    mpz_t whole;
    mpz_init(whole);
    const bool negative = mpq_sgn(x) < 0;
    mpq_abs(q[0], x);
    /* too small at first */
    long e = (long)mpz_sizeinbase(mpq_numref(x), 2) - (long)mpz_sizeinbase(mpq_denref(x), 2) - 2;
    if (f->subnormals && e < f->emin) e = f->emin;
    for (;; e++) { /* ends with 2^e <= |x| < 2^(e + 1), or with the least e */
        set_real(q[1], (real){1, (int)e + 1});
        if (mpq_cmp(q[0], q[1]) < 0) break;
    }
    set_real(q[1], (real){1, (int)e - f->p + 1});
    mpq_div(q[2], q[0], q[1]);
    mpz_fdiv_q(whole, mpq_numref(q[2]), mpq_denref(q[2]));
    mpq_set_z(q[3], whole);
    mpq_sub(q[2], q[2], q[3]); /* the part of a unit that remains */
    const int half = mpq_cmp_ui(q[2], 1, 2);
    const bool up = f->round == NEAREST ? half > 0 || (half == 0 && mpz_odd_p(whole))
                                        : mpq_sgn(q[2]) > 0 && f->round == (negative ? DOWN : UP);
    mpz_add_ui(whole, whole, up);
    mpq_set_z(q[3], whole);
    mpq_mul(q[3], q[3], q[1]);
    set_real(q[1], (real){1, f->emin});
    set_real(q[2], f->largest);
    const real found = real_of(negative, mpz_get_ui(whole), (int)e - f->p + 1);
    const bool flushed = !f->subnormals && mpq_cmp(q[3], q[1])<0, large = mpq_cmp(q[3], q[2])> 0;
    const bool inwards = f->round == TOWARD_ZERO || f->round == (negative ? UP : DOWN);
    const real most = negative ? minus(f->largest) : f->largest;
    for (size_t i = 0; i < 4; i++) mpq_clear(q[i]);
    mpz_clear(whole);
    return flushed ? (real){0, 0} : !large ? found : inwards || f->saturate ? most : not_finite;
}

/* Checks that x, whose exact value is in q, was rounded to the definition's number `found`, and
 * that `lost` is set if this is not x. */
static void need_rounded(const format *f, mpq_srcptr q, real found, const char *what)
{
    const real right = rounded_slowly(f, q);
    mpq_t back;
    mpq_init(back);
    if (right.e != NOT_FINITE) set_real(back, right);
    const bool exact = right.e != NOT_FINITE && mpq_equal(back, q);
    mpq_clear(back);
    if (same_real(found, right) && lost == !exact) return;
    gmp_printf("%s of %Qd: %ldp%d, not %ldp%d\n", what, q, (long)found.m, found.e, (long)right.m,
               right.e);
    cr_assert(false, "p %d emin %d emax %d largest %ldp%d subnormals %d saturate %d round %d", f->p,
              f->emin, f->emax, (long)f->largest.m, f->largest.e, f->subnormals, f->saturate,
              (int)f->round);
}

/* Checks all operations on three numbers. */
static void need_operations(const format *f, real a, real b, real c)
{
    mpq_t *q = zeros(3);
    set_real(q[0], a);
    set_real(q[1], b);
    set_real(q[2], c);
    lost = false;
    const real sum = plus(f, a, c);
    mpq_add(q[0], q[0], q[2]);
    need_rounded(f, q[0], sum, "plus");
    mpq_sub(q[0], q[0], q[2]);
    lost = false;
    const real product = times(f, a, b);
    mpq_mul(q[0], q[0], q[1]);
    need_rounded(f, q[0], product, "times");
    lost = false;
    const real both = fused(f, a, b, c);
    mpq_add(q[0], q[0], q[2]);
    need_rounded(f, q[0], both, "fused");
    lost = false;
    need_rounded(f, q[0], sum_of(f, (real[]){a, c}, (real[]){b, one}, 2), "sum_of");
    for (size_t i = 0; i < 3; i++) mpq_clear(q[i]);
}

/* All formats of 2 and 3 bits with few exponents, of every kind, agree with the definition on
 * quarters up to 3 and larger numbers, in all operations. */
Test(check_float, tiny_formats_by_definition)
{
    enum { NUMBERS = 29 };
    real x[NUMBERS];
    size_t kinds = 0;
    for (int i = 0; i < NUMBERS; i++) /* multiples of 1/4 up to 3, and two beyond */
        x[i] = real_of(i % 2, (uint64_t)(i + 1) / 2, i < 25 ? -2 : 3);
    for (int kind = 0; kind < 2 * 4 * 2 * 2 * 3; kind++) {
        const int p = 2 + kind % 2, round = kind / 2 % 4, tall = kind / 32;
        format f = {p, -1, -1 + tall, (rounding)round, kind / 8 % 2, kind / 16 % 2, {0, 0}};
        for (uint64_t m = (uint64_t)1 << (p - 1); m < (uint64_t)1 << p; m++, kinds++) {
            f.largest = real_of(false, m, f.emax - p + 1);
            for (size_t i = 0; i < NUMBERS; i++)
                for (size_t j = kinds % 3; j < NUMBERS; j += 3)
                    for (size_t k = kinds % 9; k < NUMBERS; k += 9)
                        need_operations(&f, x[i], x[j], x[k]);
        }
    }
    cr_assert(kinds == 288, "%zu", kinds);
}

/* Returns +-m 2^e with up to 53 bits, which are often all ones, or a one, zeros and a bit; e is
 * near `near`. */
static real random_real(f2l_rng *rng, int near)
{
    const int bits = 1 + (int)f2l_rng_below(rng, 53);
    uint64_t m = f2l_rng_below(rng, UINT64_C(1) << bits);
    if (f2l_rng_below(rng, 3) == 0) m = (UINT64_C(1) << bits) - 1 - f2l_rng_below(rng, 3) % (m + 1);
    if (f2l_rng_below(rng, 4) == 0) m = (UINT64_C(1) << (bits - 1)) + f2l_rng_below(rng, 2);
    return real_of(f2l_rng_below(rng, 2), m & ((UINT64_C(1) << 53) - 1),
                   near + (int)f2l_rng_below(rng, 140) - 70);
}

Test(check_float, large_formats_by_definition)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 14, 0); /* seed 14 */
    static const int size[][3] = {{8, -126, 127}, {24, -126, 127}, {53, -1022, 1023}, {53, -40, 40},
                                  {40, -8, 9},    {11, -14, 15},   {4, -6, 8},        {2, -60, 60}};
    for (size_t i = 0; i < 24000; i++) {
        const int *of = size[i % 8];
        format f = {of[0], of[1], of[2], (rounding)(i / 8 % 4), i / 32 % 2, i / 64 % 2, {1, of[2]}};
        if (i / 128 % 2) f.largest = real_of(false, (UINT64_C(1) << f.p) - 1, f.emax - f.p + 1);
        const real a = random_real(&rng, 0), b = random_real(&rng, 0);
        const real c = random_real(&rng, f2l_rng_below(&rng, 2) ? a.e + b.e : 0);
        need_operations(&f, a, b, f2l_rng_below(&rng, 8) ? c : minus(a));
    }
}

/* Sums of many terms, with near and far exponents and with cancellation, are rounded once; results
 * that are not finite stay so. */
Test(check_float, sums)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 12, 0); /* seed 12 */
    mpq_t *q = zeros(3);
    for (size_t i = 0; i < 20000; i++) {
        const format f = {i % 5 ? 8 : 53, -126,       127,     (rounding)(i % 4),
                          i % 3,          i % 7 == 0, {1, 127}};
        real a[6], b[6];
        const size_t count = f2l_rng_below(&rng, 7);
        const int spread = i % 3 == 0 ? 400 : 20;
        mpq_set_ui(q[0], 0, 1);
        for (size_t k = 0; k < count; k++) {
            a[k] = real_of(f2l_rng_below(&rng, 2), f2l_rng_below(&rng, UINT64_C(1) << (1 + i % 53)),
                           (int)f2l_rng_below(&rng, (uint64_t)spread) - spread / 2);
            b[k] = random_real(&rng, 0);
            if (k > 0 && f2l_rng_below(&rng, 3) == 0) a[k] = minus(a[k - 1]), b[k] = b[k - 1];
            set_real(q[1], a[k]);
            set_real(q[2], b[k]);
            mpq_mul(q[1], q[1], q[2]);
            mpq_add(q[0], q[0], q[1]);
        }
        lost = false;
        need_rounded(&f, q[0], sum_of(&f, a, b, count), "sum_of");
        if (count == 0) continue;
        a[f2l_rng_below(&rng, count)] = not_finite;
        cr_assert(same_real(sum_of(&f, a, b, count), not_finite) &&
                  same_real(sum_of(&f, b, a, count), not_finite));
    }
}

/* Sets x to a problem with a network of one head of two rows and these codes, in a schedule of
 * fp64, ready to decode. */
static void read_decoded(problem *x, const char *codes)
{
    char bytes[600];
    snprintf(bytes, sizeof bytes,
             "lrnn 2\n"
             "fsa 0\n"
             "field Q\n"
             "label states\n"
             "letters 1\n"
             "letter x\n"
             "labels 2\n"
             "symbol a\n"
             "symbol b\n"
             "start 1\n"
             "layers 1\n"
             "layer 1 letters 1 heads 1 codes 4 symbols 2 decode state\n"
             "head 1 key 2 value 1\n"
             "initial\n"
             "on 1 gate 1 factors 0\n"
             "%send\n",
             codes);
    text t = text_of(bytes), fsa = text_of("fsa 1\nletters x\nstates a b\nstart a\na x b\nb x a\n");
    machine *m = x->own = grab(1, sizeof *m);
    read_automaton(&x->a, &fsa);
    read_network(&x->net, &t, &x->a, "0", &every_grammar);
    mpq_clears(sums[0], sums[1], NULL); /* no factor is applied, and the next network makes them */
    x->state = zeros(2);
    m->in = grab(2, sizeof *m->in);
    m->scaled = grab(2, sizeof *m->scaled);
    m->found = grab(4, sizeof *m->found);
    m->decoder = grab(1, sizeof *m->decoder);
    make_decoder(m->decoder, x->net.block);
}

/* States near codes, at middles and far away: the decoder in integers agrees with the decoder in
 * rationals, or finds nothing. */
Test(check_float, nearest_codes)
{
    static const struct {
        const char *codes;
        uint32_t scale;
    } layer[] = {
        {"code 1 1 1.1:1\ncode 2 2 2.1:1\ncode 3 1 1.1:-1 2.1:1\ncode 4 2\n", 1},
        {"code 1 1 1.1:1/3\ncode 2 2 2.1:2/5\ncode 3 1 1.1:-1 2.1:1\ncode 4 2\n", 15},
        {"code 1 1 1.1:2147483647\n"
         "code 2 2 1.1:-2147483647 2.1:2147483647\n"
         "code 3 1 2.1:1\n"
         "code 4 2\n",
         1},
        {"code 1 1 1.1:1/2147483647\ncode 2 2 2.1:1\ncode 3 1 1.1:-1\ncode 4 2\n", 2147483647},
        {"code 1 1 1.1:1/2147483648\ncode 2 2 2.1:1\ncode 3 1 1.1:-1\ncode 4 2\n", 0},
        {"code 1 1 1.1:2147483648\ncode 2 2 2.1:1\ncode 3 1 1.1:-1\ncode 4 2\n", 0}};
    f2l_rng rng;
    f2l_rng_init(&rng, 13, 0); /* seed 13 */
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        problem x = {0};
        read_decoded(&x, layer[i].codes);
        machine *m = x.own;
        const block *y = x.net.block;
        cr_assert(m->decoder->scale == layer[i].scale, "layer %zu", i);
        size_t ties = 0, seen = 0;
        for (size_t k = 0; k < 8000; k++) {
            uint32_t slow[4], fast[4];
            for (size_t j = 0; j < 2; j++) {
                const int e = (int)f2l_rng_below(&rng, k % 2 ? 3 : 40),
                          far = k % 5 == 0 ? (int)f2l_rng_below(&rng, 70) : 0;
                const int64_t at =
                    (int64_t)f2l_rng_below(&rng, (uint64_t)3 << e) - ((int64_t)3 << e) / 2;
                m->in[j] = real_of(at < 0, (uint64_t)(at < 0 ? -at : at), far - e);
            }
            const size_t found = nearest_codes(&x, y, slow),
                         on_grid = nearest_on_grid(m, y, m->decoder, fast);
            cr_assert(found > 0 && (on_grid == 0 || on_grid == found), "layer %zu, state %zu", i,
                      k);
            cr_assert(memcmp(slow, fast, on_grid * sizeof *fast) == 0, "layer %zu, state %zu", i,
                      k);
            seen += on_grid > 0;
            ties += found > 1;
        }
        cr_assert((seen > 4000) == (layer[i].scale > 0) && (ties > 0 || i > 1),
                  "layer %zu: %zu, %zu ties", i, seen, ties);
    }
}

/* Two codes at the same distance give a symbol if they have the same one, however often the state
 * is decoded. */
Test(check_float, ties_of_codes)
{
    static const char *const codes[] = {"code 1 1 1.1:1\n"
                                        "code 2 2 1.1:-1\n"
                                        "code 3 1 2.1:9\n"
                                        "code 4 2 2.1:8\n",
                                        "code 1 1 1.1:1\n"
                                        "code 2 1 1.1:-1\n"
                                        "code 3 1 2.1:9\n"
                                        "code 4 2 2.1:8\n",
                                        "code 1 - 1.1:1\n"
                                        "code 2 1 1.1:-1\n"
                                        "code 3 1 2.1:9\n"
                                        "code 4 2 2.1:8\n"};
    static const uint32_t tied[] = {UNSET, 0, UNSET}, alone[] = {0, 0, UNSET};
    for (size_t i = 0; i < 3; i++)
        for (int fast = 0; fast < 2; fast++) {
            problem x = {0};
            uint32_t known[2] = {0, 0};
            read_decoded(&x, codes[i]);
            machine *m = x.own;
            if (!fast) m->decoder->scale = 0;
            for (size_t k = 0; k < 3; k++) {
                m->in[0] = (real){0, 0};
                cr_assert(nearest_symbol(&x, 0, 0, &known[0]) == tied[i], "codes %zu", i);
                m->in[0] = (real){1, -20};
                cr_assert(nearest_symbol(&x, 0, 0, &known[1]) == alone[i], "codes %zu", i);
            }
        }
}

Test(check_float, raw_heads_and_biases)
{
    static const char good[] = "lrnn 2\n"
                               "fsa 0\n"
                               "field Q\n"
                               "label states\n"
                               "letters 1\n"
                               "letter x\n"
                               "labels 2\n"
                               "symbol a\n"
                               "symbol b\n"
                               "start 1\n"
                               "layers 1\n"
                               "layer 1 letters 1 heads 2 codes 1 symbols 2 decode state\n"
                               "head 1 key 2 value 2\n"
                               "raw\n"
                               "initial 1.1:1\n"
                               "on 1 gate 1 factors 1 bias 1.2:-1/3 2.1:5\n"
                               "factor 8 u 1:1/2 c 2:3\n"
                               "head 2 key 1 value 1\n"
                               "initial\n"
                               "on 1 gate 1/2 factors 1 bias 1.1:7\n"
                               "factor 2 u 1:9\n"
                               "code 1 1 1.1:1 ;\n"
                               "end\n";
    static const char *const change[][2] = {
        {"factor 8", "factor 9"},
        {"factor 8", "factor -1"},
        {"u 1:1/2", "u 1:1/2 2:1/8"},
        {"u 1:1/2", "u"},
        {"factor 2 u", "factor 3 u"},
        {"raw\n", "raw\nraw\n"},
        {"raw\n", "raw \n"},
        {"raw\n", "raw\nform 1.1:2 2.2:1\n"},
        {"raw\n", "raw\nfield -2 0 1 interval 1 2\n"},
        {"raw\n", "form 1.1:2 2.2:1\nraw\n"},
        {"raw\ninitial 1.1:1\non 1 gate 1 factors 1 bias",
         "form 1.1:2 2.2:1\ninitial 1.1:1\non 1 gate 1 factors 1 bias"},
        {"raw\ninitial 1.1:1\n", "initial 1.1:1\nraw\n"},
        {" bias 1.2:-1/3 2.1:5", " bias"},
        {" bias 1.2:-1/3 2.1:5", " bias 1.2:0"},
        {" bias 1.2:-1/3 2.1:5", " bias 2.1:5 1.2:-1/3"},
        {" bias 1.2:-1/3 2.1:5", " bias 1.3:1"},
        {" bias 1.2:-1/3 2.1:5", " bias 3.1:1"},
        {" bias 1.2:-1/3 2.1:5", " bias 1.2:-1/3 "},
    };
    refuses_each(good, change, sizeof change / sizeof *change);
}

/* All outcomes of a store of two numbers that draw, and one that does not, and the largest one. */
Test(check_float, choices)
{
    choices c = {.at = 0};
    const engine_row row = {.draws = true, .store = {2, -10, 1, NEAREST, true, false, {3, 0}}};
    engine_row drawn = row;
    drawn.drawn = &c;
    size_t steps = 0, higher = 0;
    do {
        real S[3] = {{5, -2}, {3, -1}, {-9, -3}}, old[3]; /* between 1 and 3/2, 3/2, and so on */
        store_row(&drawn, S, 3, 1, false, old, NULL);
        cr_assert(same_real(S[1], (real){3, -1}));
        cr_assert(same_real(S[0], c.higher[0] ? (real){3, -1} : one));
        cr_assert(same_real(S[2], c.higher[1] ? (real){-3, -1} : minus(one)));
        steps++;
        higher += c.higher[0] + (size_t)c.higher[1];
    } while (next_choices(&c));
    cr_assert(steps == 4 && higher == 4);
    real start[1] = {{5, -2}}, room[1];
    store_row(&row, start, 1, 1, true, room, NULL); /* to nearest, a tie to even */
    cr_assert(same_real(start[0], one));
    lost = false;
    store_row(&row, start, 1, 1, false, room, NULL);
    cr_assert(!lost);
    start[0] = (real){5, -2};
    store_row(&row, start, 1, 1, false, room, NULL);
    cr_assert(lost);
}

/* A raw head with a bias does S - 1/2 u (u^T S - c^T) + b. */
Test(check_float, raw_step)
{
    text t = text_of("on 1 gate 1 factors 1 bias 2.1:1/4\nfactor 1/2 u 1:1 2:-1 c 1:6\n");
    head h = {.n = 2, .d = 1, .entries = 2, .raw = true};
    network net = {0};
    mpq_t *state = zeros(2);
    struct slot s = {0};
    read_slot(&s, &t, &h, 1, &net);
    cr_assert(left(&t) == 0 && net.has_bias);
    mpq_set_si(state[0], 3, 1);
    mpq_set_si(state[1], 5, 1);
    move(&h, state, &s.on[0]); /* u^T S - c = -8 */
    cr_assert(mpq_cmp_si(state[0], 7, 1) == 0 && mpq_cmp_si(state[1], 5, 4) == 0);
}
