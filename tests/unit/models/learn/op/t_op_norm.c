#include "models/learn/op/op_norm.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    size_t rows, width;
    double *x, *gain, *weight, *y, eps; /* gain NULL: none */
    bool l2;
} sample;

static sample sample_of(size_t rows, size_t width, bool l2, bool gain, uint64_t seed)
{
    return (sample){rows,
                    width,
                    noise(rows * width, seed),
                    gain ? noise(width, seed + 1) : NULL,
                    noise(rows * width, seed + 2),
                    filled(rows * width, NAN),
                    0.01,
                    l2};
}

static void sample_clear(sample *s)
{
    free(s->x), free(s->gain), free(s->weight), free(s->y);
}

static double loss(void *context)
{
    sample *s = context;
    if (s->l2)
        f2l_l2norm_forward_f64(s->y, s->x, s->rows, s->width, s->eps);
    else
        f2l_rmsnorm_forward_f64(s->y, s->x, s->gain, s->rows, s->width, s->eps);
    return dot(s->y, s->weight, s->rows * s->width);
}

static void back(double *dx, double *dgain, const sample *s)
{
    if (s->l2)
        f2l_l2norm_backward_f64(dx, s->weight, s->x, s->rows, s->width, s->eps);
    else
        f2l_rmsnorm_backward_f64(dx, dgain, s->weight, s->x, s->gain, s->rows, s->width, s->eps);
}

static const size_t widths[] = {1, 2, 7, 8, 9, 37};

Test(op_norm, forward_agrees_with_the_formula)
{
    for (size_t i = 0; i < 18; i++) {
        sample s = sample_of(3, widths[i / 3], i % 3 == 2, i % 3 == 1, i);
        double *want = filled(3 * s.width, 0);
        for (size_t r = 0; r < 3; r++) {
            double square = 0;
            for (size_t j = 0; j < s.width; j++) square += pow(s.x[r * s.width + j], 2);
            if (!s.l2) square /= (double)s.width;
            for (size_t j = 0; j < s.width; j++)
                want[r * s.width + j] =
                    s.x[r * s.width + j] / sqrt(square + s.eps) * (s.gain ? s.gain[j] : 1);
        }
        (void)loss(&s);
        near("y", s.y, want, 3 * s.width, 1e-14);
        free(want);
        sample_clear(&s);
    }
}

Test(op_norm, gradients_by_differences)
{
    for (size_t i = 0; i < 18; i++) {
        sample s = sample_of(3, widths[i / 3], i % 3 == 2, i % 3 == 1, 50 + i);
        const size_t n = 3 * s.width;
        double *dx = filled(n, NAN), *dgain = filled(s.width, 2), *in_place = filled(n, 0);
        back(dx, dgain, &s);
        for (size_t j = 0; j < s.width; j++) dgain[j] -= 2;
        check_gradient("x", dx, s.x, n, loss, &s);
        if (s.gain) check_gradient("gain", dgain, s.gain, s.width, loss, &s);
        /* dx may be dy, and the gradient of the gain may be left out */
        memcpy(in_place, s.weight, n * sizeof(double));
        if (s.l2)
            f2l_l2norm_backward_f64(in_place, in_place, s.x, 3, s.width, s.eps);
        else
            f2l_rmsnorm_backward_f64(in_place, NULL, in_place, s.x, s.gain, 3, s.width, s.eps);
        same_bits("in place", in_place, dx, n * sizeof(double));
        (void)loss(&s); /* y may be x */
        memcpy(in_place, s.x, n * sizeof(double));
        if (s.l2)
            f2l_l2norm_forward_f64(in_place, in_place, 3, s.width, s.eps);
        else
            f2l_rmsnorm_forward_f64(in_place, in_place, s.gain, 3, s.width, s.eps);
        same_bits("y in place", in_place, s.y, n * sizeof(double));
        free(dx), free(dgain), free(in_place);
        sample_clear(&s);
    }
}

Test(op_norm, float_follows_double)
{
    for (int l2 = 0; l2 < 2; l2++) {
        sample s = sample_of(20, 131, l2, !l2, 9);
        const size_t n = s.rows * s.width;
        to_float(s.x, n), to_float(s.weight, n);
        if (s.gain) to_float(s.gain, s.width);
        double *dx = filled(n, 0), *dgain = filled(s.width, 0);
        (void)loss(&s);
        back(dx, dgain, &s);
        float *x = narrow(s.x, n), *gain = narrow(s.gain, s.width), *dy = narrow(s.weight, n),
              *y = narrow(s.x, n), *fx = narrow(s.x, n), *fgain = calloc(s.width, sizeof(float));
        if (l2) {
            f2l_l2norm_forward_f32(y, x, s.rows, s.width, 0.01F);
            f2l_l2norm_backward_f32(fx, dy, x, s.rows, s.width, 0.01F);
        } else {
            f2l_rmsnorm_forward_f32(y, x, gain, s.rows, s.width, 0.01F);
            f2l_rmsnorm_backward_f32(fx, fgain, dy, x, gain, s.rows, s.width, 0.01F);
            near_float("dgain", fgain, dgain, s.width, 1e-5);
        }
        near_float("y", y, s.y, n, 1e-6);
        near_float("dx", fx, dx, n, 1e-6);
        free(x), free(gain), free(dy), free(y), free(fx), free(fgain), free(dx), free(dgain);
        sample_clear(&s);
    }
}

Test(op_norm, a_zero_row_stays_zero)
{
    double x[4] = {0}, y[4] = {1, 1, 1, 1}, dy[4] = {1, 2, 3, 4}, dx[4];
    f2l_l2norm_forward_f64(y, x, 1, 4, 1e-6);
    f2l_l2norm_backward_f64(dx, dy, x, 1, 4, 1e-6);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(y[i], 0);
        cr_assert_float_eq(dx[i], dy[i] * 1e3, 1e-9);
    }
}

/* --- length 1, exactly --- */

static double unit_loss(void *context)
{
    sample *s = context;
    f2l_unit_forward_f64(s->y, s->x, s->rows, s->width);
    return dot(s->y, s->weight, s->rows * s->width);
}

Test(op_norm, unit_rows_and_their_gradients)
{
    for (size_t i = 0; i < 6; i++) {
        sample s = sample_of(3, widths[i], true, false, 300 + i);
        const size_t n = 3 * s.width;
        double *dx = filled(n, NAN), *in_place = filled(n, 0);
        (void)unit_loss(&s);
        for (size_t r = 0; r < 3; r++) {
            double square = 0, length = 0;
            for (size_t j = 0; j < s.width; j++) square += pow(s.y[r * s.width + j], 2);
            for (size_t j = 0; j < s.width; j++) length += pow(s.x[r * s.width + j], 2);
            cr_assert_float_eq(square, 1, 1e-14);
            for (size_t j = r * s.width; j < (r + 1) * s.width; j++)
                cr_assert_float_eq(s.y[j], s.x[j] / sqrt(length), 1e-14);
        }
        f2l_unit_backward_f64(dx, s.weight, s.x, 3, s.width);
        check_gradient("x", dx, s.x, n, unit_loss, &s);
        memcpy(in_place, s.weight, n * sizeof(double));
        f2l_unit_backward_f64(in_place, in_place, s.x, 3, s.width);
        same_bits("in place", in_place, dx, n * sizeof(double));
        (void)unit_loss(&s);
        memcpy(in_place, s.x, n * sizeof(double));
        f2l_unit_forward_f64(in_place, in_place, 3, s.width);
        same_bits("y in place", in_place, s.y, n * sizeof(double));
        free(dx), free(in_place);
        sample_clear(&s);
    }
}

/* A row of one number is its sign, whatever its size; with an epsilon, or by the reciprocal of the
 * length (49 / 49), it would not be. No square overflows or is lost. */
Test(op_norm, one_number_is_1_or_minus_1)
{
    const float x[] = {49, -49, 1e-30F, -1e-42F, 3e38F, 7e-4F, 0};
    float y[7], dx[7];
    const float dy[7] = {1, 1, 1, 1, 1, 1, 1};
    f2l_unit_forward_f32(y, x, 7, 1);
    f2l_unit_backward_f32(dx, dy, x, 7, 1);
    for (size_t i = 0; i < 7; i++) {
        cr_assert(y[i] == (float)((x[i] > 0) - (x[i] < 0)), "%g: %g", (double)x[i], (double)y[i]);
        cr_assert(dx[i] == 0);
    }
    const float far[3] = {3e38F, -3e38F, 3e38F}, near_zero[3] = {1e-44F, 1e-44F, 0};
    f2l_unit_forward_f32(y, far, 1, 3);
    f2l_unit_forward_f32(y + 3, near_zero, 1, 3);
    for (size_t i = 0; i < 3; i++) cr_assert_float_eq(fabsf(y[i]), 0.57735F, 1e-5);
    cr_assert_float_eq(y[3], 0.70711F, 1e-5);
}

Test(op_norm, unit_float_follows_double)
{
    sample s = sample_of(20, 37, true, false, 11);
    const size_t n = s.rows * s.width;
    to_float(s.x, n), to_float(s.weight, n);
    double *dx = filled(n, 0);
    (void)unit_loss(&s);
    f2l_unit_backward_f64(dx, s.weight, s.x, s.rows, s.width);
    float *x = narrow(s.x, n), *dy = narrow(s.weight, n), *y = narrow(s.x, n), *fx = narrow(s.x, n);
    f2l_unit_forward_f32(y, x, s.rows, s.width);
    f2l_unit_backward_f32(fx, dy, x, s.rows, s.width);
    near_float("y", y, s.y, n, 1e-6);
    near_float("dx", fx, dx, n, 1e-6);
    free(x), free(dy), free(y), free(fx), free(dx);
    sample_clear(&s);
}

Test(op_norm, ternary_rows)
{
    const double x[] = {1, -0.4, 0.5, 0, 0, 0, -3, -2, 1, 1e-300, 0, 0}, two = sqrt(0.5),
                 want[] = {two, 0, two, 0, 0, 0, -two, -two, 0, 1, 0, 0};
    double y[12];
    float narrow_x[12], narrow_y[12];
    f2l_ternary_forward_f64(y, x, 4, 3);
    near("y", y, want, 12, 1e-15);
    for (size_t i = 0; i < 12; i++) narrow_x[i] = (float)x[i];
    narrow_x[9] = 1e-45F; /* the least number above 0 */
    f2l_ternary_forward_f32(narrow_y, narrow_x, 4, 3);
    near_float("y", narrow_y, want, 12, 1e-6);
    f2l_ternary_forward_f32(narrow_x, narrow_x, 4, 3);
    cr_assert(memcmp(narrow_x, narrow_y, sizeof narrow_x) == 0, "y may be x");
    const float strange[3] = {1, NAN, 1};
    f2l_ternary_forward_f32(narrow_y, strange, 1, 3);
    cr_assert(isnan(narrow_y[1]), "what is no number does not become 0");
}

/* A pull of 2: to (1.5, -1.5, 0), (2, 2, 0) with the first of equal sizes, (0, 1, 1), and nowhere
 * from 0. Steps against it reach two entries of one size. */
Test(op_norm, rows_that_are_pulled_to_swaps)
{
    const double x[] = {2, -1, 0.5, 2, 2, 2, 0, 1, 1, 0, 0, 0},
                 want[] = {4 / 9., 4 / 9., 4 / 9., 0, 0, 1, 0, 0, 0, 0, 0, 0};
    double dx[12] = {0}, moved[3] = {0.3, -0.7, 0.6};
    float narrow_x[12], narrow_dx[12] = {0};
    f2l_swap_backward_f64(dx, x, 4, 3, 2);
    near("dx", dx, want, 12, 1e-15);
    for (size_t i = 0; i < 12; i++) narrow_x[i] = (float)x[i];
    f2l_swap_backward_f32(narrow_dx, narrow_x, 4, 3, 2);
    near_float("dx", narrow_dx, want, 12, 1e-6);
    f2l_swap_backward_f64(dx, x, 4, 3, 2);
    cr_assert(fabs(dx[0] - 2 * want[0]) < 1e-15, "dx is added to");
    for (size_t step = 0; step < 200; step++) {
        double by[3] = {0};
        f2l_swap_backward_f64(by, moved, 1, 3, 1);
        for (size_t j = 0; j < 3; j++) moved[j] -= by[j] / 20;
    }
    const double swap[3] = {0, -0.65, 0.65};
    near("swap", moved, swap, 3, 1e-6);
}
