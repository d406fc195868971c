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
