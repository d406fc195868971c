#include "numeric/ball/ball.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <float.h>

Test(ball, sums_and_products_go_up)
{
    f2l_rng r;
    f2l_rng_init(&r, 1, 0);
    for (int i = 0; i < 10000; i++) {
        const double a = ldexp((double)f2l_rng_below(&r, 1 << 30), (int)f2l_rng_below(&r, 40) - 60);
        const double b = ldexp((double)f2l_rng_below(&r, 1 << 30), (int)f2l_rng_below(&r, 40) - 60);
        cr_assert((long double)f2l_add_up(a, b) >= (long double)a + b);
        cr_assert((long double)f2l_mul_up(a, b) >= (long double)a * b);
        cr_assert(f2l_add_up(a, b) <= (a + b) * (1 + 0x1p-51) &&
                  f2l_mul_up(a, b) <= a * b * (1 + 0x1p-51));
    }
    cr_assert(f2l_add_up(0, 0.1) == 0.1 && f2l_mul_up(1, 0.1) == 0.1 &&
              f2l_mul_up(0, INFINITY) == 0);
    cr_assert(f2l_mul_up(0x1p-1000, 0x1p-1000) > 0);
}

Test(ball, the_next_double)
{
    static const double ends[] = {
        0,        0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1022, 1 - 0x1p-53, 1,
        0x1p1023, DBL_MAX,   0x1.ffffffffffffep+1023, INFINITY};
    f2l_rng r;
    f2l_rng_init(&r, 2, 0);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        cr_assert(f2l_next_up(ends[i]) == nextafter(ends[i], INFINITY), "%a", ends[i]);
    cr_assert(isnan(f2l_next_up(NAN)));
    for (int i = 0; i < 10000; i++) {
        const double x =
            ldexp((double)f2l_rng_below(&r, 1 << 30), (int)f2l_rng_below(&r, 2000) - 1074);
        cr_assert(f2l_next_up(x) == nextafter(x, INFINITY), "%a", x);
    }
}

Test(ball, grids)
{
    cr_assert_eq(f2l_ball_grid(12), 2);
    cr_assert_eq(f2l_ball_grid(-0.75), -2);
    cr_assert_eq(f2l_ball_grid(0x1p-1074), -1074);
    cr_assert_eq(f2l_ball_grid(0), F2L_BALL_GRID);
    cr_assert_eq(f2l_ball_significant(12), 2);
    cr_assert_eq(f2l_ball_significant(-1), 1);
    cr_assert_eq(f2l_ball_significant(0), 0);
    cr_assert_eq(f2l_ball_significant(0x1.8p-1073), 2);
}

Test(ball, ends)
{
    arb_t x;
    mpq_t q;
    arb_init(x);
    mpq_init(q);
    mpq_set_si(q, -1, 3);
    f2l_ball_set_q(x, q);
    cr_assert(f2l_ball_above(x) >= 1.0 / 3 && f2l_ball_below(x) <= 1.0 / 3);
    cr_assert(f2l_ball_above(x) - f2l_ball_below(x) <= 0x1p-53);
    f2l_ball_widen(x, 0.25);
    cr_assert(f2l_ball_above(x) >= 7.0 / 12 && f2l_ball_above(x) < 0.5834);
    cr_assert(f2l_ball_below(x) <= 1.0 / 12 && f2l_ball_below(x) > 0.0833);
    f2l_ball_widen(x, 1);
    cr_assert_eq(f2l_ball_below(x), 0);
    f2l_ball_widen(x, INFINITY);
    cr_assert_eq(f2l_ball_above(x), INFINITY);
    cr_assert_eq(f2l_ball_below(x), 0);
    arb_clear(x);
    mpq_clear(q);
}

static const f2l_rounding modes[] = {F2L_ROUND_NEAREST_EVEN, F2L_ROUND_TOWARD_ZERO, F2L_ROUND_UP,
                                     F2L_ROUND_DOWN};

/* Checks all multiples of a power of two between two ends, in small formats: the bound holds, and
 * where the numbers lie much closer together than the format's it is at most four times too
 * large. */
static void check_rounding(f2l_format format, f2l_rng *r)
{
    const long low = (long)f2l_rng_below(r, 1200), high = low + (long)f2l_rng_below(r, 500);
    const int shift = (int)f2l_rng_below(r, 3), step = 1 << f2l_rng_below(r, 4);
    double most = 0;
    long first = (low + step - 1) / step * step;
    for (long m = first; m <= high; m += step) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const double y = sign * ldexp((double)m, -8 - shift);
            const double rounded = f2l_format_op_mpfr(&format, F2L_ADD, y, 0);
            cr_assert(isfinite(rounded) || fabs(y) > format.largest);
            if (fabs(y) > format.largest) return;
            most = fmax(most, fabs(rounded - y));
        }
    }
    const double a = ldexp((double)low, -8 - shift), b = ldexp((double)high, -8 - shift);
    const long grid = f2l_ball_grid(step) - 8 - shift;
    const double bound = f2l_ball_rounding(&format, a, b, grid, F2L_BALL_ANY);
    cr_assert_geq(bound, most, "%g .. %g, grid %ld, mode %d: bound %g, error %g", a, b, grid,
                  (int)format.rounding, bound, most);
    if (format.subnormals && bound >= 8 * ldexp(1, (int)grid) && b - a >= 4 * bound)
        cr_assert_leq(bound, 4 * most);
    const int bits = (int)f2l_rng_below(r, 9);
    double few = 0;
    for (long m = low; m <= high; m++) {
        const double y = ldexp((double)m, -8 - shift);
        if (f2l_ball_significant(y) > bits || f2l_ball_grid(y) < grid) continue;
        few = fmax(few, fabs(f2l_format_op_mpfr(&format, F2L_ADD, y, 0) - y));
    }
    cr_assert_geq(f2l_ball_rounding(&format, a, b, grid, bits), few, "%d bits", bits);
}

Test(ball, rounding_errors)
{
    f2l_rng r;
    f2l_rng_init(&r, 2, 0);
    for (int i = 0; i < 4000; i++) {
        const int p = 2 + (int)f2l_rng_below(&r, 6), emin = -4 + (int)f2l_rng_below(&r, 4);
        const f2l_format format = {.name = "test",
                                   .precision = p,
                                   .emin = emin,
                                   .emax = 2,
                                   .largest = (2 - ldexp(1, 1 - p)) * 4,
                                   .subnormals = f2l_rng_below(&r, 2) == 0,
                                   .rounding = modes[f2l_rng_below(&r, 4)]};
        check_rounding(format, &r);
    }
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("e4m3"), 0, 449, 0, 5), INFINITY);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("e4m3"), 0, INFINITY, 0, 5), INFINITY);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 0, -500, 500), 0);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 1, -500, 500), 0x1p-9);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 1.01, -500, 500), 0x1p-8);
    /* Numbers of few bits lose only what underflows, multiples of the spacing nothing. */
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 1, -133, 8), 0);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 1, -134, 8), 0x1p-133);
    cr_assert_eq(f2l_ball_rounding(f2l_format_find("bf16"), 0, 1, -8, 500), 0);
    f2l_format stochastic = *f2l_format_find("bf16");
    stochastic.rounding = F2L_ROUND_STOCHASTIC;
    cr_assert_eq(f2l_ball_rounding(&stochastic, 0, 1.01, -500, 500), 0x1p-7);
}

Test(ball, spacings)
{
    const f2l_format *fp16 = f2l_format_find("fp16");
    cr_assert_eq(f2l_ball_spacing(fp16, 1), -10);
    cr_assert_eq(f2l_ball_spacing(fp16, 1.99), -10);
    cr_assert_eq(f2l_ball_spacing(fp16, 0), -24);
    cr_assert_eq(f2l_ball_spacing(fp16, 0x1p-20), -24);
}

/* The bound exceeds |A x| for random x, and hardly exceeds the best x after power iteration. */
Test(ball, operator_norms)
{
    f2l_rng r;
    f2l_rng_init(&r, 3, 0);
    for (int round = 0; round < 60; round++) {
        enum { MOST = 5 };
        const slong n = 1 + (slong)f2l_rng_below(&r, MOST);
        double a[MOST * MOST], x[MOST], y[MOST], norm = 0;
        arb_ptr m = _arb_vec_init(n * n);
        for (slong i = 0; i < n * n; i++) {
            a[i] = ((double)f2l_rng_below(&r, 2001) - 1000) / 256;
            arb_set_d(m + i, a[i]);
        }
        for (slong i = 0; i < n; i++) x[i] = 1 + (double)i;
        for (int k = 0; k < 3000; k++) {
            double length = 0;
            for (slong i = 0; i < n; i++) length += x[i] * x[i];
            if (length == 0) break;
            norm = 0;
            for (slong i = 0; i < n; i++) {
                y[i] = 0;
                for (slong j = 0; j < n; j++) y[i] += a[i * n + j] * x[j] / sqrt(length);
                norm += y[i] * y[i];
            }
            norm = sqrt(norm);
            for (slong j = 0; j < n; j++) {
                x[j] = 0;
                for (slong i = 0; i < n; i++) x[j] += a[i * n + j] * y[i];
            }
        }
        const double bound = f2l_ball_operator_norm(m, n, INFINITY);
        cr_assert(bound >= norm * (1 - 1e-12) && bound <= norm * (1 + 1e-6), "%d: %.17g, %.17g",
                  round, bound, norm);
        cr_assert_eq(f2l_ball_operator_norm(m, n, bound / 2), bound / 2);
        _arb_vec_clear(m, n * n);
    }
    arb_ptr zero = _arb_vec_init(4);
    cr_assert_eq(f2l_ball_operator_norm(zero, 2, 1), 0);
    arb_set_ui(zero, 1);
    arb_set_si(zero + 3, -1);
    const double one = f2l_ball_operator_norm(zero, 2, INFINITY);
    cr_assert(one >= 1 && one < 1 + 1e-14);
    _arb_vec_clear(zero, 4);
}
