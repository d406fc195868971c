/* The fast operations agree with MPFR's in every format and rounding. */
#include "numeric/format/choices.h"
#include "tests/support/numeric/format_support.h"
#include <criterion/criterion.h>
#include <stdio.h>

static const char *const modes[] = {"nearest", "zero", "up", "down", "stochastic"};
enum { MODES = 5, FUSED = F2L_DIV + 1 };

static double operate(const f2l_format *f, int operation, bool fast, const double x[3])
{
    if (operation == FUSED)
        return fast ? f2l_format_fma(f, x[0], x[1], x[2])
                    : f2l_format_fma_mpfr(f, x[0], x[1], x[2]);
    return fast ? f2l_format_op(f, (f2l_operation)operation, x[0], x[1])
                : f2l_format_op_mpfr(f, (f2l_operation)operation, x[0], x[1]);
}

static void same(const f2l_format *f, int operation, const double x[3], double fast, double exact)
{
    if (bits_of(fast) == bits_of(exact)) return;
    cr_assert_fail("%s to %s, operation %d on %a, %a, %a: fast %a, MPFR %a", f->name,
                   modes[f->rounding], operation, x[0], x[1], x[2], fast, exact);
}

/* Finds all outcomes, in the order of the bits, and returns their number. */
static size_t outcomes(f2l_format *f, f2l_choices *c, int operation, bool fast, const double x[3],
                       double out[2])
{
    size_t n = 0;
    f->choices = c;
    f2l_choices_restart(c);
    do {
        cr_assert_lt(n, 2);
        out[n++] = operate(f, operation, fast, x);
        cr_assert_leq(c->at, 1);
    } while (f2l_choices_next(c));
    f->choices = NULL;
    return n;
}

static void compare_stochastic(f2l_format *f, f2l_choices *c, int operation, const double x[3])
{
    double fast[2], exact[2];
    const size_t n = outcomes(f, c, operation, true, x, fast);
    cr_assert_eq(n, outcomes(f, c, operation, false, x, exact), "%s, operation %d on %a, %a, %a",
                 f->name, operation, x[0], x[1], x[2]);
    for (size_t i = 0; i < n; i++) same(f, operation, x, fast[i], exact[i]);
    if (n == 2) cr_assert_neq(bits_of(fast[0]), bits_of(fast[1]));
}

static void compare(f2l_format *f, f2l_choices *c, int operation, const double x[3])
{
    if (f->rounding == F2L_ROUND_STOCHASTIC)
        compare_stochastic(f, c, operation, x);
    else
        same(f, operation, x, operate(f, operation, true, x), operate(f, operation, false, x));
}

/* Returns a third operand for a * b + c: any value, or one that makes the sum cancel, or one that
 * hardly changes it. */
static double random_third(const f2l_format *f, f2l_rng *r, double a, double b)
{
    const double product = f2l_format_op(f, F2L_MUL, a, b);
    const uint32_t kind = f2l_rng_u32(r) % 4;
    if (kind == 0) return random_value(f, r, 0);
    if (kind == 1 && isfinite(product)) return -product;
    return random_value(f, r, product);
}

static void compare_mode(f2l_format f, f2l_rounding rounding, uint64_t stream, size_t stride,
                         size_t count)
{
    static f2l_choices choices; /* too large for the stack of a test under valgrind */
    double corner[CORNERS];
    f2l_rng r;
    corner_values(&f, corner);
    f2l_rng_init(&r, 2718, 8 * stream + rounding); /* the seed */
    for (int operation = F2L_ADD; operation <= FUSED; operation++) {
        for (size_t i = 0; i < CORNERS * CORNERS; i += stride) {
            const double x[3] = {corner[i / CORNERS], corner[i % CORNERS],
                                 corner[f2l_rng_u32(&r) % CORNERS]};
            f.rounding = rounding;
            compare(&f, &choices, operation, x);
        }
        for (size_t i = 0; i < count; i++) {
            f.rounding = F2L_ROUND_NEAREST_EVEN; /* rounds the operands */
            const double a = random_value(&f, &r, 0);
            const double b =
                i % 16 == 0 ? corner[f2l_rng_u32(&r) % CORNERS] : random_value(&f, &r, a);
            const double x[3] = {a, b, operation == FUSED ? random_third(&f, &r, a, b) : 0};
            f.rounding = rounding;
            compare(&f, &choices, operation, x);
        }
    }
}

static void compare_format(const f2l_format *f, uint64_t stream, size_t count)
{
    const size_t stride = repetitions(200) < 200 ? 31
                          : count < 10000        ? 5
                                                 : 1; /* every n-th pair of corners */
    for (int rounding = 0; rounding < MODES; rounding++)
        compare_mode(*f, (f2l_rounding)rounding, stream, stride, repetitions(count));
}

Test(format_ops, bf16)
{
    compare_format(&f2l_formats[0], 0, 30000);
}

Test(format_ops, fp16)
{
    compare_format(&f2l_formats[1], 1, 30000);
}

Test(format_ops, fp32)
{
    compare_format(&f2l_formats[2], 2, 30000);
}

Test(format_ops, fp64)
{
    compare_format(&f2l_formats[3], 3, 30000);
}

Test(format_ops, tf32)
{
    compare_format(&f2l_formats[4], 4, 30000);
}

Test(format_ops, e4m3_and_e5m2)
{
    compare_format(&f2l_formats[5], 5, 20000);
    compare_format(&f2l_formats[6], 6, 20000);
}

Test(format_ops, strange_formats_of_few_bits)
{
    for (uint64_t i = 0; i < STRANGE; i++)
        if (strange[i].precision <= 26) compare_format(&strange[i], 10 + i, 6000);
}

Test(format_ops, strange_formats_of_many_bits)
{
    for (uint64_t i = 0; i < STRANGE; i++)
        if (strange[i].precision > 26) compare_format(&strange[i], 10 + i, 6000);
}

/* Checks c plus a product that is half of c's last place except for a fraction 2^(2 - 2p): double
 * may round the sum to the middle. */
static void check_beside_middles(f2l_format f, f2l_rng *r)
{
    static f2l_choices choices;
    const double unit = ldexp(1, 1 - f.precision);
    for (size_t i = 0; i < repetitions(3000); i++) {
        f.rounding = F2L_ROUND_NEAREST_EVEN;
        double c = random_value(&f, r, 0);
        if (i % 2)
            c = ldexp((double)(f2l_rng_u64(r) >> 11) * 0x1p-53, f.emin + (int)f2l_rng_below(r, 4));
        c = f2l_format_round(&f, c);
        if (!isfinite(c) || c == 0) continue;
        const int exponent = (ilogb(c) < f.emin ? f.emin : ilogb(c)) - f.precision,
                  half = exponent / 2;
        const double a = ldexp(1 + unit, half),
                     b = ldexp(f2l_rng_u32(r) % 2 ? 1 - unit : unit - 1, exponent - half);
        if (f2l_format_round(&f, a) != a || f2l_format_round(&f, b) != b) continue;
        const double x[3] = {a, b, c};
        for (int rounding = 0; rounding < MODES; rounding++) {
            f.rounding = (f2l_rounding)rounding;
            compare(&f, &choices, FUSED, x);
        }
    }
}

Test(format_ops, fused_sums_beside_middles)
{
    f2l_rng r;
    f2l_rng_init(&r, 31, 41); /* the seed */
    for (const f2l_format *f = f2l_formats; f->name; f++) check_beside_middles(*f, &r);
    for (size_t i = 0; i < STRANGE; i++) check_beside_middles(strange[i], &r);
}

/* Every overflow rule is tested in every format, because a user may ask for formats outside the
 * table. */
Test(format_ops, other_overflows)
{
    for (uint64_t i = 0; i < 7 + STRANGE; i++)
        for (int overflow = 0; overflow < 3; overflow++) {
            f2l_format f = i < 7 ? f2l_formats[i] : strange[i - 7];
            if (f.overflow == (f2l_overflow)overflow) continue;
            f.overflow = (f2l_overflow)overflow;
            for (int rounding = 0; rounding < MODES; rounding++)
                compare_mode(f, (f2l_rounding)rounding, 40 + 3 * i + (uint64_t)overflow, 19,
                             repetitions(300));
        }
}

/* binary32 and binary64 operations of this machine equal the formats' operations. */
Test(format_ops, floats_are_fp32)
{
    const f2l_format *f = f2l_format_find("fp32");
    f2l_rng r;
    f2l_rng_init(&r, 32, 1); /* the seed */
    for (size_t i = 0; i < repetitions(300000); i++) {
        const double a = random_value(f, &r, 0), b = random_value(f, &r, a),
                     c = random_value(f, &r, a);
        const float x = (float)a, y = (float)b, z = (float)c;
        const float expected[] = {x + y, x - y, x * y, x / y, fmaf(x, y, z)};
        const double operand[3] = {a, b, c};
        for (int operation = 0; operation <= FUSED; operation++) {
            const double e = isnan(expected[operation]) ? NAN : (double)expected[operation] + 0.0;
            same(f, operation, operand, operate(f, operation, true, operand), e);
        }
    }
}
