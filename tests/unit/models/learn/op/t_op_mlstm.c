#include "models/learn/op/op_mlstm.h"
#include "numeric/base/mem.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    f2l_mlstm_shape shape;
    size_t keys, values, gates; /* numbers of q, of v, of in */
    double *q, *k, *v, *in, *forget, *weight, *out;
} sample;

/* `size` is the size of keys and gates: with small ones the divisor is its lower bound for most
 * letters, with large ones for few. */
static sample sample_of(f2l_mlstm_shape s, double size, uint64_t seed)
{
    const size_t gates = s.batch * s.tokens * s.heads, keys = gates * s.key,
                 values = gates * s.value;
    sample x = {s,
                keys,
                values,
                gates,
                noise(keys, seed),
                noise(keys, seed + 1),
                noise(values, seed + 2),
                noise(gates, seed + 3),
                noise(gates, seed + 4),
                noise(values, seed + 5),
                filled(values, NAN)};
    for (size_t i = 0; i < keys; i++) x.q[i] *= size, x.k[i] *= size;
    for (size_t i = 0; i < gates; i++) x.in[i] *= size, x.forget[i] = 2 + size * x.forget[i];
    to_float(x.q, keys), to_float(x.k, keys), to_float(x.v, values), to_float(x.weight, values);
    to_float(x.in, gates), to_float(x.forget, gates);
    return x;
}

static void sample_clear(sample *x)
{
    free(x->q), free(x->k), free(x->v), free(x->in), free(x->forget), free(x->weight), free(x->out);
}

static f2l_mlstm_in_f64 in_of(const sample *x)
{
    return (f2l_mlstm_in_f64){x->q, x->k, x->v, x->in, x->forget};
}

static double loss(void *context)
{
    sample *x = context;
    const f2l_mlstm_in_f64 in = in_of(x);
    cr_assert_eq(f2l_mlstm_forward_f64(x->out, NULL, &in, &x->shape, NULL), F2L_OK);
    return dot(x->out, x->weight, x->values);
}

static const f2l_mlstm_shape shapes[] = {
    {1, 1, 1, 1, 1}, {2, 7, 3, 4, 3}, {1, 12, 1, 9, 17}, {2, 15, 2, 3, 5}};
static const double sizes[] = {0.5, 1, 1.5};
enum { SHAPES = sizeof shapes / sizeof *shapes, SIZES = sizeof sizes / sizeof *sizes };

/* Computes o of a head by the formulas of the paper, without the division by e^m, in extended
 * precision; returns how many divisors are above 1. */
static size_t check_head(const sample *x, size_t b, size_t h)
{
    const f2l_mlstm_shape *s = &x->shape;
    long double C[9][17] = {{0}}, n[9] = {0};
    size_t above = 0;
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t at = (b * s->tokens + t) * s->heads + h;
        const long double in = expl((long double)x->in[at]),
                          forget = 1 / (1 + expl(-(long double)x->forget[at]));
        long double size = 0, sum[17] = {0};
        for (size_t i = 0; i < s->key; i++) {
            const long double key = (long double)x->k[at * s->key + i],
                              query =
                                  (long double)x->q[at * s->key + i] / sqrtl((long double)s->key);
            n[i] = forget * n[i] + in * key;
            size += n[i] * query;
            for (size_t j = 0; j < s->value; j++) {
                C[i][j] = forget * C[i][j] + in * key * (long double)x->v[at * s->value + j];
                sum[j] += C[i][j] * query;
            }
        }
        above += fabsl(size) > 1;
        for (size_t j = 0; j < s->value; j++) {
            const double want = (double)(sum[j] / fmaxl(fabsl(size), 1));
            near("out", &x->out[at * s->value + j], &want, 1, 1e-12);
        }
    }
    return above;
}

Test(op_mlstm, agrees_with_the_paper)
{
    size_t above = 0, letters = 0;
    for (size_t n = 0; n < SHAPES * SIZES; n++) {
        sample x = sample_of(shapes[n % SHAPES], sizes[n / SHAPES], 10 * n);
        (void)loss(&x);
        for (size_t b = 0; b < x.shape.batch; b++)
            for (size_t h = 0; h < x.shape.heads; h++) above += check_head(&x, b, h);
        letters += x.gates;
        sample_clear(&x);
    }
    cr_assert(above > letters / 8 && above < letters - letters / 8, "%zu of %zu", above, letters);
}

Test(op_mlstm, gradients_by_differences_and_in_float)
{
    for (size_t n = 0; n < SHAPES * SIZES; n++) {
        sample x = sample_of(shapes[n % SHAPES], sizes[n / SHAPES], 500 + 10 * n);
        const f2l_mlstm_in_f64 in = in_of(&x);
        double *d[] = {filled(x.keys, NAN), filled(x.keys, NAN), filled(x.values, NAN),
                       filled(x.gates, NAN), filled(x.gates, NAN)},
               *p[] = {x.q, x.k, x.v, x.in, x.forget};
        static const char *const name[] = {"q", "k", "v", "in", "forget"};
        const size_t count[] = {x.keys, x.keys, x.values, x.gates, x.gates};
        const f2l_mlstm_grad_f64 grad = {d[0], d[1], d[2], d[3], d[4]};
        float *f[5], *fd[5], *g = narrow(x.weight, x.values), *out = narrow(x.v, x.values);
        for (size_t i = 0; i < 5; i++)
            f[i] = narrow(p[i], count[i]), fd[i] = narrow(p[i], count[i]);
        const f2l_mlstm_in_f32 fin = {f[0], f[1], f[2], f[3], f[4]};
        const f2l_mlstm_grad_f32 fgrad = {fd[0], fd[1], fd[2], fd[3], fd[4]};
        (void)loss(&x);
        cr_assert_eq(f2l_mlstm_backward_f64(&grad, x.weight, &in, &x.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_mlstm_forward_f32(out, NULL, &fin, &x.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_mlstm_backward_f32(&fgrad, g, &fin, &x.shape, NULL), F2L_OK);
        near_float("out", out, x.out, x.values, 2e-5);
        for (size_t i = 0; i < 5; i++) {
            near_float(name[i], fd[i], d[i], count[i], 5e-5);
            check_gradient(name[i], d[i], p[i], count[i], loss, &x);
            free(f[i]), free(fd[i]), free(d[i]);
        }
        free(g), free(out);
        sample_clear(&x);
    }
}

Test(op_mlstm, pieces_of_a_word_give_the_same_bits)
{
    sample x = sample_of((f2l_mlstm_shape){1, 30, 2, 4, 3}, 1, 8);
    double *out = filled(x.values, NAN), *state = filled(f2l_mlstm_state(&x.shape), 0);
    (void)loss(&x);
    for (size_t first = 0, length = 0; first < 30; first += length, length = (length + 1) % 5) {
        if (length > 30 - first) length = 30 - first;
        const f2l_mlstm_shape piece = {1, length, 2, 4, 3};
        const f2l_mlstm_in_f64 in = {x.q + 8 * first, x.k + 8 * first, x.v + 6 * first,
                                     x.in + 2 * first, x.forget + 2 * first};
        cr_assert_eq(f2l_mlstm_forward_f64(out + 6 * first, state, &in, &piece, NULL), F2L_OK);
    }
    same_bits("out", out, x.out, x.values * sizeof *out);
    free(out), free(state);
    sample_clear(&x);
}

/* Gates beyond the range of exp, and queries of 0, give numbers. */
Test(op_mlstm, extreme_gates_stay_finite)
{
    sample x = sample_of((f2l_mlstm_shape){1, 40, 1, 4, 3}, 1, 9);
    for (size_t t = 0; t < 40; t++) {
        x.in[t] = t % 7 == 0 ? 300 : t % 7 == 1 ? -300 : x.in[t];
        x.forget[t] = t % 5 == 0 ? 200 : t % 5 == 1 ? -200 : x.forget[t];
        if (t % 3 == 0) memset(x.q + 4 * t, 0, 4 * sizeof *x.q);
    }
    float *q = narrow(x.q, x.keys), *k = narrow(x.k, x.keys), *v = narrow(x.v, x.values),
          *in = narrow(x.in, x.gates), *forget = narrow(x.forget, x.gates),
          *out = narrow(x.v, x.values), *g = narrow(x.weight, x.values), *dq = narrow(x.q, x.keys),
          *dk = narrow(x.q, x.keys), *dv = narrow(x.v, x.values), *di = narrow(x.in, x.gates),
          *df = narrow(x.in, x.gates);
    const f2l_mlstm_in_f32 fin = {q, k, v, in, forget};
    const f2l_mlstm_grad_f32 grad = {dq, dk, dv, di, df};
    cr_assert_eq(f2l_mlstm_forward_f32(out, NULL, &fin, &x.shape, NULL), F2L_OK);
    cr_assert_eq(f2l_mlstm_backward_f32(&grad, g, &fin, &x.shape, NULL), F2L_OK);
    for (size_t i = 0; i < x.values; i++) cr_assert(isfinite(out[i]) && isfinite(dv[i]));
    for (size_t i = 0; i < x.keys; i++) cr_assert(isfinite(dq[i]) && isfinite(dk[i]));
    for (size_t i = 0; i < x.gates; i++) cr_assert(isfinite(di[i]) && isfinite(df[i]));
    float *all[] = {q, k, v, in, forget, out, g, dq, dk, dv, di, df};
    for (size_t j = 0; j < sizeof all / sizeof *all; j++) free(all[j]);
    sample_clear(&x);
}

#ifdef F2L_MEM_FAILURES
Test(op_mlstm, memory_failures_are_reported)
{
    sample x = sample_of(shapes[1], 1, 1);
    const f2l_mlstm_in_f64 in = in_of(&x);
    const f2l_mlstm_grad_f64 grad = {x.out, x.out, x.out, x.out, x.out};
    f2l_error err = {0};
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_mlstm_forward_f64(x.out, NULL, &in, &x.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_mlstm_backward_f64(&grad, x.weight, &in, &x.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    sample_clear(&x);
}
#endif
