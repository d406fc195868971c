#include "tests/support/numeric/format_support.h"
#include <criterion/criterion.h>

Test(format, the_table_has_the_ieee_parameters)
{
    static const struct {
        const char *name;
        double largest, normal, least; /* the last two are the least positive ones */
    } known[] = {{"bf16", 0x1.fep127, 0x1p-126, 0x1p-133},
                 {"fp16", 65504, 0x1p-14, 0x1p-24},
                 {"fp32", 0x1.fffffep127, 0x1p-126, 0x1p-149},
                 {"fp64", 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074},
                 {"tf32", 0x1.ffcp127, 0x1p-126, 0x1p-136},
                 {"e4m3", 448, 0x1p-6, 0x1p-9},
                 {"e5m2", 57344, 0x1p-14, 0x1p-16}};
    const size_t count = sizeof known / sizeof *known;
    for (size_t i = 0; i < count; i++) {
        const f2l_format *f = f2l_format_find(known[i].name);
        cr_assert_eq(f, &f2l_formats[i]);
        cr_assert_eq(f2l_format_round(f, known[i].largest), known[i].largest);
        const double twice = f2l_format_op(f, F2L_ADD, known[i].largest, known[i].largest);
        cr_assert_eq(bits_of(twice), bits_of(f->overflow == F2L_OVERFLOW_NAN ? NAN : INFINITY));
        cr_assert_eq(f2l_format_round(f, known[i].normal), known[i].normal);
        cr_assert_eq(f2l_format_round(f, known[i].least), known[i].least);
        cr_assert_eq(f2l_format_op(f, F2L_DIV, known[i].least, 2), 0);
    }
    cr_assert_null(f2l_formats[count].name);
    cr_assert_null(f2l_format_find("fp8"));
    cr_assert_null(f2l_format_find(""));
}

/* Checks that every value rounds to itself; that between neighbours the middle goes to the even one
 * and its surroundings to the nearer one; and that half a step beyond the largest is infinite. */
static void check_all_neighbours(const f2l_format *f)
{
    uint64_t count = count_values(f);
    for (uint64_t n = 0; n < count; n++) {
        double low = nth_value(f, n),
               high = n + 1 < count ? nth_value(f, n + 1) : ldexp(1, f->emax + 1);
        double up = n + 1 < count ? high : INFINITY, middle = low + (high - low) / 2;
        for (double sign = -1; sign <= 1; sign += 2) {
            cr_assert_eq(f2l_format_round(f, sign * low), sign * low);
            cr_assert_eq(f2l_format_round(f, sign * middle), sign * (n % 2 ? up : low));
            cr_assert_eq(f2l_format_round(f, sign * nextafter(middle, 0)), sign * low);
            cr_assert_eq(f2l_format_round(f, sign * nextafter(middle, INFINITY)), sign * up);
            cr_assert_eq(f2l_format_round(f, sign * nextafter(high, 0)), sign * up);
        }
    }
}

Test(format, every_bf16_and_its_middles)
{
    check_all_neighbours(&f2l_formats[0]);
}

Test(format, every_fp16_and_its_middles)
{
    check_all_neighbours(&f2l_formats[1]);
    check_all_neighbours(&strange[TWO_BITS]);
}

Test(format, fp32_is_the_cast)
{
    f2l_rng r;
    f2l_rng_init(&r, 1, 32); /* the seed */
    for (size_t i = 0; i < repetitions(1000000); i++) {
        uint64_t bits = f2l_rng_u64(&r);
        double x;
        if (i % 2)
            bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (1023 - 160 + f2l_rng_below(&r, 300)) << 52;
        if (i % 8 == 1) bits &= ~UINT64_C(0) << 28; /* exact middles and values are frequent */
        memcpy(&x, &bits, sizeof x);
        double expected = isnan(x) ? NAN : (double)(float)x + 0.0;
        cr_assert_eq(bits_of(f2l_format_round(&f2l_formats[2], x)), bits_of(expected), "%a", x);
    }
}

Test(format, zero_and_nan_are_one_each)
{
    for (const f2l_format *f = f2l_formats; f->name; f++) {
        cr_assert_eq(bits_of(f2l_format_round(f, -0.0)), 0);
        cr_assert_eq(bits_of(f2l_format_round(f, -0x1p-1074)),
                     f->precision == 53 ? bits_of(-0x1p-1074) : 0);
        cr_assert_eq(bits_of(f2l_format_op(f, F2L_MUL, -1, 0)), 0);
        cr_assert_eq(bits_of(f2l_format_op(f, F2L_ADD, -0.0, -0.0)), 0);
        cr_assert_eq(bits_of(f2l_format_op(f, F2L_DIV, 0, 0)), bits_of(NAN));
        cr_assert_eq(bits_of(f2l_format_op(f, F2L_SUB, INFINITY, INFINITY)), bits_of(NAN));
        cr_assert_eq(bits_of(f2l_format_round(f, -NAN)), bits_of(NAN));
        const double infinite = f2l_format_op(f, F2L_DIV, -1, 0);
        cr_assert_eq(bits_of(infinite), bits_of(f->overflow == F2L_OVERFLOW_NAN ? NAN : -INFINITY));
    }
}

Test(format, flush_and_no_infinities)
{
    const f2l_format *flush = &strange[FLUSH], *finite = &strange[FINITE];
    cr_assert_eq(f2l_format_round(flush, 0x1p-126), 0x1p-126);
    cr_assert_eq(bits_of(f2l_format_round(flush, -0x1.fcp-127)), 0);
    cr_assert_eq(f2l_format_round(flush, -0x1.ffp-127), -0x1p-126);
    cr_assert_eq(f2l_format_round(flush, 0x1.fefffffffffffp-127), 0);
    cr_assert_eq(f2l_format_round(finite, 480), 480);
    cr_assert_eq(f2l_format_round(finite, 495.9), 480);
    cr_assert(isnan(f2l_format_round(finite, 496)));
    cr_assert(isnan(f2l_format_round(finite, -INFINITY)));
    cr_assert(isnan(f2l_format_op(finite, F2L_DIV, 1, 0)));
    cr_assert_eq(f2l_format_round(&strange[SHORT_64], -0x1.8000000000001p1023), -0x1.8p1023);
    cr_assert(isnan(f2l_format_round(&strange[HALF_53], 0x1p51)));
    cr_assert_eq(f2l_format_round(&strange[CUT], 0x1.008p20), 0x1p20); /* a tie */
    cr_assert_eq(f2l_format_round(&strange[CUT], 0x1.0080000000001p20), INFINITY);
}

/* Checks that rounding a double equals rounding the rational of the same value. */
static void compare_roundings(const f2l_format *f, f2l_rng *r, size_t n)
{
    mpq_t q;
    mpq_init(q);
    for (size_t i = 0; i < n; i++) {
        int low = f->emin - f->precision - 3 < -1074 ? -1074 : f->emin - f->precision - 3;
        int high = f->emax + 2 > 1023 ? 1023 : f->emax + 2;
        int exponent = low + (int)f2l_rng_below(r, (uint64_t)(high - low + 1));
        double x =
            ldexp(1 + (double)(f2l_rng_u64(r) >> (12 + f2l_rng_below(r, 52))) * 0x1p-52, exponent);
        if (f2l_rng_below(r, 2)) x = -x;
        mpq_set_d(q, x);
        double rounded = f2l_format_round(f, x);
        cr_assert_eq(bits_of(rounded), bits_of(f2l_format_round_q(f, q)), "%s: %a", f->name, x);
        cr_assert_eq(f2l_format_holds(f, q), rounded == x, "%s: %a", f->name, x);
    }
    mpq_clear(q);
}

Test(format, doubles_and_rationals_round_alike)
{
    f2l_rng r;
    f2l_rng_init(&r, 16, 18); /* the seed */
    for (const f2l_format *f = f2l_formats; f->name; f++)
        compare_roundings(f, &r, repetitions(20000));
    for (int i = 0; i < STRANGE; i++) compare_roundings(&strange[i], &r, repetitions(20000));
}

Test(format, rationals_that_are_no_doubles)
{
    const f2l_format *bf16 = &f2l_formats[0];
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, 1, 3);
    cr_assert_eq(f2l_format_round_q(bf16, q), 0x1.56p-2);
    cr_assert_not(f2l_format_holds(bf16, q));
    /* 1 + 2^-8 is a middle, and anything above it, however little, rounds up: two roundings would
     * not. */
    mpq_set_ui(q, 257, 256);
    cr_assert_eq(f2l_format_round_q(bf16, q), 1);
    mpz_mul_2exp(mpq_numref(q), mpq_numref(q), 500);
    mpz_mul_2exp(mpq_denref(q), mpq_denref(q), 500);
    mpz_add_ui(mpq_numref(q), mpq_numref(q), 1);
    mpq_canonicalize(q);
    cr_assert_eq(f2l_format_round_q(bf16, q), 0x1.02p0);
    mpq_set_ui(q, 1, 1);
    mpq_div_2exp(q, q, 134);
    cr_assert_eq(f2l_format_round_q(bf16, q), 0);
    mpq_set_ui(q, 3, 1);
    mpq_div_2exp(q, q, 135);
    cr_assert_eq(f2l_format_round_q(bf16, q), 0x1p-133);
    mpq_set_si(q, -1, 1);
    mpq_mul_2exp(q, q, 5000);
    cr_assert_eq(f2l_format_round_q(bf16, q), -INFINITY);
    cr_assert(isnan(f2l_format_round_q(&strange[FINITE], q)));
    mpq_clear(q);
}

/* Returns whether rounding leaves x as it is, so that x is a value. */
static bool stays(const f2l_format *f, const mpq_t x)
{
    const double rounded = f2l_format_round_q(f, x);
    mpq_t back;
    mpq_init(back);
    if (isfinite(rounded)) mpq_set_d(back, rounded);
    const bool same = isfinite(rounded) && mpq_equal(back, x) != 0;
    mpq_clear(back);
    return same;
}

/* Draws a number with up to two bits more than a value, near an end of the range, near 1 or near
 * the last place, often next to a power of two; sometimes divided by 3. */
static void random_rational(mpq_t x, const f2l_format *f, f2l_rng *r)
{
    const int places[] = {f->emin - f->precision, f->emin, 0, f->emax};
    const int bits = 1 + (int)f2l_rng_below(r, (uint64_t)f->precision + 2);
    const int lead = places[f2l_rng_below(r, 4)] - 4 + (int)f2l_rng_below(r, 8);
    mpz_set_ui(mpq_numref(x), 1);
    mpz_mul_2exp(mpq_numref(x), mpq_numref(x), (mp_bitcnt_t)(bits - 1));
    if (f2l_rng_below(r, 3) == 0)
        mpz_sub_ui(mpq_numref(x), mpq_numref(x), 1 + (unsigned long)f2l_rng_below(r, 2));
    else
        mpz_add_ui(mpq_numref(x), mpq_numref(x), (unsigned long)(f2l_rng_u64(r) >> (64 - bits)));
    mpz_set_ui(mpq_denref(x), f2l_rng_below(r, 9) == 0 ? 3 : 1);
    mpq_canonicalize(x);
    if (lead < bits - 1)
        mpq_div_2exp(x, x, (mp_bitcnt_t)(bits - 1 - lead));
    else
        mpq_mul_2exp(x, x, (mp_bitcnt_t)(lead - bits + 1));
    if (f2l_rng_below(r, 2)) mpq_neg(x, x);
}

/* Compares the two tests for values; every eighth number is the largest value, and some are next to
 * it. */
static void compare_values(const f2l_format *f, f2l_rng *r, size_t n)
{
    mpq_t x, largest;
    mpq_inits(x, largest, (mpq_ptr)NULL);
    mpq_set_d(largest, f->largest);
    size_t held = 0;
    for (size_t i = 0; i < n; i++) {
        random_rational(x, f, r);
        if (f2l_rng_below(r, 8) == 0) mpq_set(x, largest);
        if (f2l_rng_below(r, 16) == 0) mpq_add(x, x, largest);
        const bool value = stays(f, x);
        cr_assert_eq(f2l_format_holds(f, x), value, "%s: %g, number %zu", f->name, mpq_get_d(x), i);
        held += value;
    }
    cr_assert(n < 500 || (held > n / 8 && held < n - n / 8), "%s: %zu of %zu", f->name, held, n);
    mpq_clears(x, largest, (mpq_ptr)NULL);
}

Test(format, values)
{
    f2l_rng r;
    f2l_rng_init(&r, 16, 19); /* the seed */
    for (const f2l_format *f = f2l_formats; f->name; f++) compare_values(f, &r, repetitions(20000));
    for (int i = 0; i < STRANGE; i++) compare_values(&strange[i], &r, repetitions(20000));
    for (int i = 0; i < 200; i++) {
        f2l_format f = {"random",
                        2 + (int)f2l_rng_below(&r, 9),
                        -(int)f2l_rng_below(&r, 9),
                        (int)f2l_rng_below(&r, 7),
                        0,
                        f2l_rng_below(&r, 2),
                        F2L_OVERFLOW_SATURATE,
                        TO_NEAREST};
        f.largest = ldexp(1 + (double)f2l_rng_below(&r, UINT64_C(1) << (f.precision - 1)) *
                                  ldexp(1, 1 - f.precision),
                          f.emax);
        compare_values(&f, &r, repetitions(1000));
    }
}

/* Returns -1, 0 or 1 as 2^e m is below, equal to or above |x| / sqrt(n2), decided in rationals: 4^e
 * m^2 n2 against x^2. */
static int compare_with_root(const mpz_t m, int e, const mpq_t x, const mpq_t n2)
{
    mpq_t left, right;
    mpq_inits(left, right, (mpq_ptr)NULL);
    mpq_set_z(left, m);
    mpq_mul(left, left, left);
    mpq_mul(left, left, n2);
    if (e < 0)
        mpq_div_2exp(left, left, (mp_bitcnt_t)(-2 * e));
    else
        mpq_mul_2exp(left, left, (mp_bitcnt_t)(2 * e));
    mpq_mul(right, x, x);
    int order = mpq_cmp(left, right);
    mpq_clears(left, right, (mpq_ptr)NULL);
    return (order > 0) - (order < 0);
}

/* Checks that |result| is the nearest value to |x| / sqrt(n2): the exact number lies between the
 * middles to both neighbours, or on a middle when the result is even. For overflow the next value
 * after the largest one is used. */
static void check_root(const f2l_format *f, double result, const mpq_t x, const mpq_t n2)
{
    double r = fabs(result);
    const bool beyond = !isfinite(result);
    int field = f->precision - 1;
    if (beyond) cr_assert_eq(isnan(result) != 0, f->overflow == F2L_OVERFLOW_NAN);
    if (mpq_sgn(x) != 0 && result != 0 && !isnan(result)) cr_assert_eq(result < 0, mpq_sgn(x) < 0);
    int exponent = beyond ? f->emax : r == 0 || ilogb(r) < f->emin ? f->emin : ilogb(r);
    mpz_t m;
    mpz_init_set_d(m, ldexp(beyond ? f->largest : r, field - exponent));
    if (beyond) mpz_add_ui(m, m, 1);
    bool even = mpz_even_p(m) != 0;
    bool lowest = exponent > f->emin && mpz_cmp_d(m, ldexp(1, field)) == 0;
    mpz_mul_2exp(m, m, 2); /* quarters, as the step below a power of 2 is a half */
    if (r != 0) {
        mpz_sub_ui(m, m, lowest ? 1 : 2);
        int order = compare_with_root(m, exponent - field - 2, x, n2);
        cr_assert(order < 0 || (order == 0 && even), "%s: %a is too large", f->name, result);
        mpz_add_ui(m, m, lowest ? 1 : 2);
    }
    if (!beyond) {
        mpz_add_ui(m, m, 2);
        int order = compare_with_root(m, exponent - field - 2, x, n2);
        cr_assert(order > 0 || (order == 0 && even), "%s: %a is too small", f->name, result);
    }
    mpz_clear(m);
}

static void check_roots(const f2l_format *f, f2l_rng *r, size_t n)
{
    mpq_t x, n2;
    mpq_inits(x, n2, (mpq_ptr)NULL);
    for (size_t i = 0; i < n; i++) {
        mpq_set_si(x, (long)f2l_rng_below(r, 2001) - 1000, 1 + f2l_rng_below(r, 50));
        mpq_canonicalize(x);
        mpq_set_ui(n2, 1 + f2l_rng_below(r, 60), 1 + f2l_rng_below(r, 9));
        mpq_canonicalize(n2);
        if (i % 4 == 1)
            mpq_div_2exp(x, x, (mp_bitcnt_t)(f->precision - f->emin) + f2l_rng_below(r, 12) - 6);
        if (i % 4 == 2) mpq_mul_2exp(x, x, (mp_bitcnt_t)f->emax - 5 + f2l_rng_below(r, 4));
        check_root(f, f2l_format_round_over_sqrt(f, x, n2), x, n2);
    }
    mpq_clears(x, n2, (mpq_ptr)NULL);
}

Test(format, quotients_by_roots_are_nearest)
{
    f2l_rng r;
    f2l_rng_init(&r, 2, 71); /* the seed */
    for (const f2l_format *f = f2l_formats; f->name; f++) check_roots(f, &r, repetitions(20000));
}

Test(format, known_quotients_by_roots)
{
    mpq_t x, n2;
    mpq_inits(x, n2, (mpq_ptr)NULL);
    mpq_set_si(x, -3, 2);
    mpq_set_ui(n2, 9, 4);
    cr_assert_eq(f2l_format_round_over_sqrt(&f2l_formats[0], x, n2), -1);
    mpq_set_si(x, 0, 1);
    mpq_set_ui(n2, 2, 1);
    cr_assert_eq(bits_of(f2l_format_round_over_sqrt(&f2l_formats[0], x, n2)), 0);
    mpq_set_si(x, 1, 1);
    cr_assert_eq(f2l_format_round_over_sqrt(&f2l_formats[3], x, n2), 0x1.6a09e667f3bcdp-1);
    cr_assert_eq(f2l_format_round_over_sqrt(&f2l_formats[0], x, n2), 0x1.6ap-1);
    cr_assert(isnan(f2l_format_round_over_sqrt(&strange[FINITE], x, n2)) == 0);
    mpq_set_si(x, 1000, 1);
    cr_assert(isnan(f2l_format_round_over_sqrt(&strange[FINITE], x, n2)));
    /* (257/256)^2 + 2^-600 under the root is just above the middle 257/256. */
    mpq_set_ui(x, 257 * 257, 65536);
    mpq_canonicalize(x);
    mpq_set_ui(n2, 1, 1);
    mpq_div_2exp(n2, n2, 600);
    mpq_add(n2, n2, x);
    mpq_set(x, n2); /* y / sqrt(y) = sqrt(y) */
    cr_assert_eq(f2l_format_round_over_sqrt(&f2l_formats[0], x, n2), 0x1.02p0);
    mpq_clears(x, n2, (mpq_ptr)NULL);
}

/* MPFR's exponent range belongs to the caller. */
Test(format, the_exponent_range_is_given_back)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_ui(x, 2, 3);
    for (int i = 0; i < 2; i++) {
        f2l_format_op_mpfr(&f2l_formats[1], F2L_DIV, 1, 3);
        f2l_format_round_over_sqrt(&f2l_formats[1], x, x);
        f2l_format_round_q(&f2l_formats[1], x);
        cr_assert_eq(f2l_format_op_mpfr(&f2l_formats[3], F2L_MUL, 0x1p-1000, 0x1p-74), 0x1p-1074);
    }
    mpq_clear(x);
}
