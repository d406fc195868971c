/* Arithmetic under EB.1: what is certain is right in every order and with every last bit, beside
 * MPFR and sums of fp32; what is not certain is refused. */
#include "numeric/base/rng.h"
#include "theory/certify/stock/impl.h"
#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>

#define SEED 20261127

static const f2l_format *format_of(int i)
{
    return f2l_format_find(i ? "fp16" : "bf16");
}

/* Sets *out to a number of the format by its 16 bits; returns false for infinity and NaN. */
static bool number_of(double *out, int format, unsigned bits)
{
    const unsigned char bytes[2] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
    *out = f2l_safetensors_number(bytes, format ? F2L_SAFETENSORS_F16 : F2L_SAFETENSORS_BF16);
    return isfinite(*out);
}

/* Returns silu(x), or sigmoid(x), by MPFR. */
static double reference(double x, bool sigmoid)
{
    mpfr_t y;
    mpfr_init2(y, 200);
    mpfr_set_d(y, -x, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_d_div(y, sigmoid ? 1 : x, y, MPFR_RNDN);
    const double value = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return value;
}

/* Returns whether y + t is rounded to `to` for all errors t of at most a 25th of the last place. */
static bool rounds_to(double y, double to, const f2l_format *format)
{
    int exponent = format->emin;
    if (y != 0) (void)frexp(y, &exponent);
    if (exponent - 1 < format->emin) exponent = format->emin + 1;
    const double error = 0.04 * ldexp(1, exponent - format->precision);
    return f2l_format_round_nearest(format, y - error) == to &&
           f2l_format_round_nearest(format, y + error) == to;
}

Test(written_number, silu_and_beta_of_all_numbers)
{
    for (int f = 0; f < 2; f++)
        for (int sigmoid = 0; sigmoid < 2; sigmoid++) {
            const f2l_format *format = format_of(f);
            size_t refused = 0, all = 0;
            for (unsigned bits = 0; bits < 65536; bits++) {
                double x, y;
                if (!number_of(&x, f, bits)) continue;
                all++;
                if (sigmoid ? f2l_written_beta(&y, x, format) : f2l_written_silu(&y, x, format)) {
                    refused++;
                    continue;
                }
                if (sigmoid) y /= 2;
                if (x <= -128)
                    cr_assert_eq(y, 0);
                else
                    cr_assert(rounds_to(reference(x, sigmoid), y, format), "%s(%a) = %a",
                              sigmoid ? "sigmoid" : "silu", x, y);
            }
            cr_assert_lt(refused * 8, all, "%zu of %zu are refused", refused, all);
            cr_assert_gt(refused, 0);
        }
}

Test(written_number, values_that_exports_use)
{
    double y;
    for (int f = 0; f < 2; f++) {
        const f2l_format *format = format_of(f);
        cr_assert(!f2l_written_silu(&y, 128, format) && y == 128);
        cr_assert(!f2l_written_silu(&y, -128, format) && y == 0);
        cr_assert(!f2l_written_silu(&y, 16, format) && y == 16);
        cr_assert(!f2l_written_beta(&y, 32, format) && y == 2);
        cr_assert(!f2l_written_beta(&y, 0, format) && y == 1);
        cr_assert(!f2l_written_beta(&y, -128, format) && y == 0);
        cr_assert(!f2l_written_gated(&y, 128, 1, format) && y == 128);
        cr_assert(!f2l_written_gated(&y, -128, -1, format) && y == 0);
    }
}

/* Adds the terms in fp32, beginning at one of them. */
static float add_from(const double *term, size_t n, size_t first)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += (float)term[(first + 5 * i) % n];
    return sum;
}

Test(written_number, sums_that_fit_are_exact_in_every_order)
{
    f2l_rng rng;
    size_t fit = 0, rounded = 0;
    f2l_rng_init(&rng, SEED, 0);
    for (int round = 0; round < 20000; round++) {
        double term[7];
        f2l_written_sum sum = {0};
        const int spread = (int)f2l_rng_below(&rng, 24) + 1;
        for (size_t i = 0; i < 7; i++) {
            term[i] = ldexp((double)f2l_rng_below(&rng, 255) - 127,
                            (int)f2l_rng_below(&rng, (uint64_t)spread));
            f2l_written_add(&sum, term[i]);
        }
        bool exact = true;
        for (size_t i = 0; i < 7; i++) exact = exact && add_from(term, 7, i) == sum.value;
        fit += f2l_written_fits(&sum, 24);
        rounded += !exact;
        cr_assert(exact || !f2l_written_fits(&sum, 24));
    }
    cr_assert(fit > 1000 && rounded > 1000, "%zu fit, %zu round", fit, rounded);
    f2l_written_sum tiny = {0}, huge = {0};
    f2l_written_add(&tiny, 0x1p-127);
    f2l_written_add(&huge, 0x1p127);
    cr_assert(!f2l_written_fits(&tiny, 24) && !f2l_written_fits(&huge, 24));
}

Test(written_number, norms)
{
    const double weight[4] = {32, 32, 32, 32}, near[4] = {256, 1, -1, 0}, far[4] = {256, 255, 3, 1},
                 tiny[4] = {0x1p-70, 0, 0, 0};
    double y[4];
    for (int f = 0; f < 2; f++) {
        const f2l_format *format = format_of(f);
        /* width 64, C = 256: the stream comes back. */
        cr_assert_null(f2l_written_norm(y, near, weight, 4, 64, 3, 1e-6, format));
        for (size_t i = 0; i < 4; i++) cr_assert_eq(y[i], near[i]);
        cr_assert_not_null(f2l_written_norm(y, tiny, weight, 4, 64, 0, 1e-6, format));
        if (!f2l_written_norm(y, far, weight, 4, 4, 0, 1e-6, format))
            for (size_t i = 0; i < 4; i++) {
                const double exact =
                    far[i] * 32 / sqrt((256. * 256 + 255 * 255 + 9 + 1) / 4 + 1e-6);
                cr_assert_eq(y[i], f2l_format_round_nearest(format, exact));
            }
    }
}

Test(written_number, a_norm_near_a_middle_is_not_certain)
{
    /* 1 / sqrt(1) times a weight that bf16 has not: the middle between two values. */
    const double one[1] = {1}, middle[1] = {1 + 0x1p-8};
    double y[1];
    cr_assert_not_null(f2l_written_norm(y, one, middle, 1, 1, 0, 1e-9, format_of(0)));
    cr_assert_null(f2l_written_norm(y, one, middle, 1, 1, 0, 1e-9, format_of(1)));
}

Test(written_number, keys)
{
    const double large[4] = {16, 16, -16, 16}, small[4] = {0.125, -0.125, 0.125, 0.125},
                 two[2] = {16, 16}, zero[2] = {0, 0}, third[3] = {16, 32, 32};
    double k[4];
    bool narrow = true, wide = true;
    cr_assert_null(f2l_written_unit(k, large, 4, format_of(0), &narrow, &wide));
    cr_assert(narrow && wide && k[0] == 0.5 && k[2] == -0.5);
    cr_assert_null(f2l_written_unit(k, zero, 2, format_of(0), &narrow, &wide));
    cr_assert(narrow && wide && k[0] == 0);
    cr_assert_null(f2l_written_unit(k, small, 4, format_of(0), &narrow, &wide));
    cr_assert(narrow && !wide && k[1] == -0.5);
    cr_assert_not_null(f2l_written_unit(k, two, 2, format_of(0), &narrow, &wide));
    cr_assert_not_null(f2l_written_unit(k, third, 3, format_of(0), &narrow, &wide));
}
