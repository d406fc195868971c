#include "models/learn/op/op_rates.h"
#include "tests/support/models/op_support.h"

enum { INPUTS = 7, ROWS = 3, HEADS = 2, KEY = 4, KEYS = HEADS * KEY, COUNT = ROWS * KEYS };

/* x, k, y, and the four parameters; the weights of w, a, b, key in the loss. */
typedef struct sample {
    f2l_rates_shape shape;
    double *in[INPUTS], *weight[4], *out[4];
} sample;

static size_t count_of(size_t input)
{
    return input < 3 ? COUNT : KEYS;
}

static f2l_rates_in_f64 inputs(const sample *s)
{
    double *const *x = s->in;
    return (f2l_rates_in_f64){x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
}

static sample sample_of(bool removal, bool negative, uint64_t seed)
{
    sample s = {.shape = {ROWS, HEADS, KEY, removal, negative, 1e-3}};
    for (size_t i = 0; i < INPUTS; i++) {
        s.in[i] = noise(count_of(i), seed + i);
        for (size_t j = 0; j < count_of(i) && i < 5; j++) s.in[i][j] *= 3;
        to_float(s.in[i], count_of(i));
    }
    for (size_t i = 0; i < 4; i++) {
        s.weight[i] = noise(COUNT, seed + INPUTS + i);
        s.out[i] = filled(COUNT, NAN);
        to_float(s.weight[i], COUNT);
    }
    return s;
}

static void sample_clear(sample *s)
{
    for (size_t i = 0; i < INPUTS; i++) free(s->in[i]);
    for (size_t i = 0; i < 4; i++) free(s->weight[i]), free(s->out[i]);
}

static double loss(void *context)
{
    sample *s = context;
    const f2l_rates_in_f64 in = inputs(s);
    const f2l_rates_out_f64 out = {s->out[0], s->out[1], s->out[2], s->out[3]};
    double sum = 0;
    f2l_rates_forward_f64(&out, &in, &s->shape);
    for (size_t i = 0; i < (s->shape.removal ? 4 : 1); i++)
        sum += dot(s->out[i], s->weight[i], COUNT);
    return sum;
}

static void backward(double *d[INPUTS], const sample *s)
{
    const f2l_rates_in_f64 in = inputs(s);
    const f2l_rates_grad_f64 g = {s->weight[0], s->weight[1], s->weight[2], s->weight[3],
                                  d[0],         d[1],         d[2],         d[3],
                                  d[4],         d[5],         d[6]};
    for (size_t i = 0; i < INPUTS; i++) d[i][0] = NAN;
    for (size_t i = 3; i < INPUTS; i++)
        for (size_t j = 0; j < KEYS; j++) d[i][j] = 0;
    f2l_rates_backward_f64(&g, &in, &s->shape);
}

Test(op_rates, gradients_by_differences)
{
    static const char *const name[] = {"x",         "k",       "y",          "gate bias",
                                       "rate bias", "removal", "replacement"};
    for (size_t n = 0; n < 4; n++) {
        sample s = sample_of(n / 2, n % 2, 10 * n);
        double *d[INPUTS];
        for (size_t i = 0; i < INPUTS; i++) d[i] = filled(count_of(i), 0);
        backward(d, &s);
        for (size_t i = 0; i < INPUTS; i++)
            if (s.shape.removal || i == 0 || i == 3)
                check_gradient(name[i], d[i], s.in[i], count_of(i), loss, &s);
        for (size_t i = 0; i < INPUTS; i++) free(d[i]);
        sample_clear(&s);
    }
}

Test(op_rates, float_follows_double)
{
    for (size_t n = 0; n < 4; n++) {
        sample s = sample_of(n / 2, n % 2, 50 + n);
        float *x[INPUTS], *out[4];
        (void)loss(&s);
        for (size_t i = 0; i < INPUTS; i++) x[i] = narrow(s.in[i], count_of(i));
        for (size_t i = 0; i < 4; i++) out[i] = narrow(s.weight[i], COUNT);
        const f2l_rates_in_f32 in = {x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
        const f2l_rates_out_f32 to = {out[0], out[1], out[2], out[3]};
        f2l_rates_forward_f32(&to, &in, &s.shape);
        for (size_t i = 0; i < (s.shape.removal ? 4 : 1); i++)
            near_float("output", out[i], s.out[i], COUNT, 1e-5);
        for (size_t i = 0; i < INPUTS; i++) free(x[i]);
        for (size_t i = 0; i < 4; i++) free(out[i]);
        sample_clear(&s);
    }
}

/* The gate of gated linear attention by its formula, and the ranges of the others. */
Test(op_rates, the_gate_is_a_root_and_removal_has_a_direction)
{
    for (size_t n = 0; n < 4; n++) {
        sample s = sample_of(n / 2, n % 2, 70 + n);
        const f2l_rates_shape *p = &s.shape;
        (void)loss(&s);
        for (size_t i = 0; i < COUNT; i++) {
            const double x = s.in[0][i] + s.in[3][i % KEYS], w = s.out[0][i],
                         p16 = pow(1 / (1 + exp(-x)), 1. / 16);
            if (!p->removal)
                cr_assert(fabs(w - (p->negative ? 2 * p16 - 1 : p16)) < 1e-14);
            else
                cr_assert(w > 0.545 && w < 1 && fabs(w - exp(-exp(-0.5) / (1 + exp(-x)))) < 1e-14);
        }
        for (size_t at = 0; p->removal && at < COUNT; at += KEY)
            for (size_t i = at; i < at + KEY; i++) {
                const double b = s.out[2][i], eta = -s.out[1][i] / b, k = s.in[1][i];
                cr_assert(fabs(b) < 1 && b * k * s.in[5][i % KEYS] > 0);
                cr_assert(eta > 0 && eta < 1 + (p->negative ? s.out[0][i] : 0));
                cr_assert(fabs(s.out[3][i] - k * (1 + (eta - 1) * s.in[6][i % KEYS])) < 1e-12);
            }
        sample_clear(&s);
    }
}

/* The quadratic forms of diag(w) - u u^T + I and I - diag(w) + u u^T, which is similar to the
 * transition, are not negative; with y large and `negative` the least eigenvalue is near -1. */
Test(op_rates, eigenvalues_are_in_the_range)
{
    sample s = sample_of(true, true, 90);
    for (size_t i = 0; i < COUNT; i++) s.in[0][i] = -30, s.in[2][i] = 30; /* w = 1, eta = 2 */
    s.shape.epsilon = 0;
    (void)loss(&s);
    for (size_t at = 0; at < COUNT; at += KEY) {
        double form = 0;
        for (size_t i = at; i < at + KEY; i++)
            for (size_t j = at; j < at + KEY; j++)
                form += s.out[2][i] * ((i == j ? s.out[0][i] : 0) + s.out[1][i] * s.out[2][j]) *
                        s.out[2][j];
        cr_assert(fabs(form + 1) < 1e-10, "%g", form);
    }
    for (size_t trial = 0; trial < 50; trial++) {
        sample r = sample_of(true, trial % 2, 1000 + 20 * trial);
        double *x = noise(COUNT, trial);
        (void)loss(&r);
        for (size_t at = 0; at < COUNT; at += KEY) {
            double form = 0, size = 0, along = 0;
            for (size_t i = at; i < at + KEY; i++) {
                const double u = r.out[2][i] * sqrt(-r.out[1][i] / r.out[2][i]);
                form += r.out[0][i] * x[i] * x[i];
                size += x[i] * x[i];
                along += u * x[i];
            }
            form -= along * along;
            cr_assert(form < size && form > -(trial % 2 ? 1 : 0.4548) * size);
        }
        free(x);
        sample_clear(&r);
    }
    sample_clear(&s);
}
