#include "models/learn/op/op_attention.h"
#include "numeric/base/mem.h"
#include "tests/support/models/op_support.h"
#include <complex.h>

typedef struct sample {
    f2l_attention_shape shape;
    size_t keys, values; /* numbers of q, of v */
    double *q, *k, *v, *weight, *out;
} sample;

static sample sample_of(f2l_attention_shape s, uint64_t seed)
{
    const size_t rows = s.batch * s.tokens * s.heads, keys = rows * s.key, values = rows * s.value;
    sample x = {s,
                keys,
                values,
                noise(keys, seed),
                noise(keys, seed + 1),
                noise(values, seed + 2),
                noise(values, seed + 3),
                filled(values, NAN)};
    for (size_t i = 0; i < keys; i++) x.q[i] *= 3, x.k[i] *= 3;
    to_float(x.q, keys), to_float(x.k, keys), to_float(x.v, values), to_float(x.weight, values);
    return x;
}

static void sample_clear(sample *x)
{
    free(x->q), free(x->k), free(x->v), free(x->weight), free(x->out);
}

static f2l_attention_in_f64 in_of(const sample *x)
{
    return (f2l_attention_in_f64){x->q, x->k, x->v};
}

static double loss(void *context)
{
    sample *x = context;
    const f2l_attention_in_f64 in = in_of(x);
    cr_assert_eq(f2l_attention_forward_f64(x->out, NULL, &in, &x->shape, NULL), F2L_OK);
    return dot(x->out, x->weight, x->values);
}

static const f2l_attention_shape shapes[] = {{1, 1, 1, 2, 1, 1}, {2, 7, 3, 4, 3, 100},
                                             {2, 9, 2, 6, 5, 4}, {1, 12, 1, 10, 17, 12},
                                             {2, 5, 2, 2, 3, 1}, {1, 20, 1, 16, 8, 7}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Returns the score of two letters `apart` letters apart: pairs of numbers are complex numbers, of
 * which the key's is turned back. */
static double score(const double *q, const double *k, size_t key, size_t apart)
{
    double complex sum = 0;
    for (size_t i = 0; i < key / 2; i++) {
        const double angle = (double)apart * pow(10000, -(double)(2 * i) / (double)key);
        sum += (q[i] + I * q[i + key / 2]) * conj(k[i] + I * k[i + key / 2]) * cexp(I * angle);
    }
    return creal(sum) / sqrt((double)key);
}

Test(op_attention, agrees_with_complex_rotations)
{
    for (size_t n = 0; n < SHAPES; n++) {
        sample x = sample_of(shapes[n], 10 * n);
        const f2l_attention_shape *s = &x.shape;
        (void)loss(&x);
        for (size_t i = 0; i < s->batch * s->tokens * s->heads; i++) {
            const size_t t = i / s->heads % s->tokens;
            long double total = 0, sum[17] = {0};
            for (size_t apart = 0; apart <= t && apart < s->window; apart++) {
                const size_t j = i - apart * s->heads;
                const long double weight =
                    expl((long double)score(x.q + i * s->key, x.k + j * s->key, s->key, apart));
                total += weight;
                for (size_t c = 0; c < s->value; c++)
                    sum[c] += weight * (long double)x.v[j * s->value + c];
            }
            for (size_t c = 0; c < s->value; c++) {
                const double want = (double)(sum[c] / total);
                near("out", &x.out[i * s->value + c], &want, 1, 1e-13);
            }
        }
        sample_clear(&x);
    }
}

Test(op_attention, gradients_by_differences_and_in_float)
{
    for (size_t n = 0; n < SHAPES; n++) {
        sample x = sample_of(shapes[n], 500 + 10 * n);
        const f2l_attention_in_f64 in = in_of(&x);
        double *dq = filled(x.keys, NAN), *dk = filled(x.keys, NAN), *dv = filled(x.values, NAN);
        const f2l_attention_grad_f64 grad = {dq, dk, dv};
        float *q = narrow(x.q, x.keys), *k = narrow(x.k, x.keys), *v = narrow(x.v, x.values),
              *g = narrow(x.weight, x.values), *out = narrow(x.v, x.values),
              *fq = narrow(x.q, x.keys), *fk = narrow(x.k, x.keys), *fv = narrow(x.v, x.values);
        const f2l_attention_in_f32 fin = {q, k, v};
        const f2l_attention_grad_f32 fgrad = {fq, fk, fv};
        (void)loss(&x);
        cr_assert_eq(f2l_attention_backward_f64(&grad, x.weight, &in, &x.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_attention_forward_f32(out, NULL, &fin, &x.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_attention_backward_f32(&fgrad, g, &fin, &x.shape, NULL), F2L_OK);
        near_float("out", out, x.out, x.values, 1e-5);
        near_float("dq", fq, dq, x.keys, 1e-5);
        near_float("dk", fk, dk, x.keys, 1e-5);
        near_float("dv", fv, dv, x.values, 1e-5);
        check_gradient("q", dq, x.q, x.keys, loss, &x);
        check_gradient("k", dk, x.k, x.keys, loss, &x);
        check_gradient("v", dv, x.v, x.values, loss, &x);
        float *all[] = {q, k, v, g, out, fq, fk, fv};
        for (size_t j = 0; j < 8; j++) free(all[j]);
        free(dq), free(dk), free(dv);
        sample_clear(&x);
    }
}

/* A word in pieces, shorter and longer than the window, gives what it gives at once, far beyond the
 * window. */
static void check_pieces(size_t window, size_t tokens)
{
    sample x = sample_of((f2l_attention_shape){1, tokens, 2, 4, 3, window}, window);
    double *out = filled(x.values, NAN), *state = filled(f2l_attention_state(&x.shape), 0);
    (void)loss(&x);
    for (size_t first = 0, length = 1; first < tokens; first += length, length = length * 2 % 19) {
        if (length > tokens - first) length = tokens - first;
        f2l_attention_shape piece = x.shape;
        piece.tokens = length;
        const f2l_attention_in_f64 in = {x.q + 8 * first, x.k + 8 * first, x.v + 6 * first};
        cr_assert_eq(f2l_attention_forward_f64(out + 6 * first, state, &in, &piece, NULL), F2L_OK);
    }
    near("out", out, x.out, x.values, 1e-12);
    free(out), free(state);
    sample_clear(&x);
}

Test(op_attention, pieces_of_a_word_give_the_same)
{
    check_pieces(1, 40);
    check_pieces(5, 60);
    check_pieces(16, 200);
    check_pieces(300, 100);
}

#ifdef F2L_MEM_FAILURES
Test(op_attention, memory_failures_are_reported)
{
    sample x = sample_of(shapes[1], 1);
    const f2l_attention_in_f64 in = in_of(&x);
    const f2l_attention_grad_f64 grad = {x.out, x.out, x.out};
    f2l_error err = {0};
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_attention_forward_f64(x.out, NULL, &in, &x.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_attention_backward_f64(&grad, x.weight, &in, &x.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    sample_clear(&x);
}
#endif
