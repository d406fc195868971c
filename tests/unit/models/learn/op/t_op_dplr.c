#include "models/learn/op/op_dplr.h"
#include "numeric/base/mem.h"
#include "tests/support/models/op_support.h"

enum { INPUTS = 6 }; /* q, k, w, a, b, v */

typedef struct sample {
    f2l_dplr_shape shape;
    bool ranked; /* whether there is a rank-one term */
    size_t keys, values;
    double *in[INPUTS], *weight, *out;
} sample;

static size_t count_of(const sample *s, size_t input)
{
    return input == 5 ? s->values : s->keys;
}

static f2l_dplr_in_f64 inputs(const sample *s)
{
    return (f2l_dplr_in_f64){.q = s->in[0],
                             .k = s->in[1],
                             .w = s->in[2],
                             .a = s->ranked ? s->in[3] : NULL,
                             .b = s->ranked ? s->in[4] : NULL,
                             .v = s->in[5]};
}

/* The numbers are floats, so that both types start from equal ones; gates are in [0, 1). */
static sample sample_of(f2l_dplr_shape shape, bool ranked, uint64_t seed)
{
    const size_t tokens = shape.batch * shape.tokens * shape.heads;
    sample s = {.shape = shape,
                .ranked = ranked,
                .keys = tokens * shape.key,
                .values = tokens * shape.value};
    for (size_t i = 0; i < INPUTS; i++) s.in[i] = noise(count_of(&s, i), seed + i);
    s.weight = noise(s.values, seed + INPUTS);
    for (size_t i = 0; i < s.keys; i++) {
        s.in[2][i] = fabs(s.in[2][i]);
        s.in[3][i] /= sqrt((double)shape.key); /* nothing grows */
        s.in[4][i] /= sqrt((double)shape.key);
    }
    for (size_t i = 0; i < INPUTS; i++) to_float(s.in[i], count_of(&s, i));
    to_float(s.weight, s.values);
    s.out = filled(s.values, NAN);
    return s;
}

static void sample_clear(sample *s)
{
    for (size_t i = 0; i < INPUTS; i++) free(s->in[i]);
    free(s->weight);
    free(s->out);
}

static double loss(void *context)
{
    sample *s = context;
    const f2l_dplr_in_f64 in = inputs(s);
    cr_assert_eq(f2l_dplr_forward_f64(s->out, NULL, &in, &s->shape, NULL), F2L_OK);
    return dot(s->out, s->weight, s->values);
}

/* Computes one head of one sequence by products of whole matrices, diag(w) + a b^T written out. */
static void slow_head(double *out, const sample *s, size_t b, size_t h)
{
    const size_t K = s->shape.key, V = s->shape.value;
    long double *S = calloc(K * V, sizeof *S), *next = calloc(K * V, sizeof *next);
    for (size_t t = 0; t < s->shape.tokens; t++) {
        const size_t token = (b * s->shape.tokens + t) * s->shape.heads + h;
        const double *q = s->in[0] + token * K, *k = s->in[1] + token * K,
                     *w = s->in[2] + token * K, *a = s->in[3] + token * K,
                     *read = s->in[4] + token * K, *v = s->in[5] + token * V;
        for (size_t i = 0; i < K; i++)
            for (size_t c = 0; c < V; c++) {
                long double sum = (long double)k[i] * v[c];
                for (size_t j = 0; j < K; j++)
                    sum += ((i == j ? (long double)w[i] : 0) +
                            (s->ranked ? (long double)a[i] * read[j] : 0)) *
                           S[j * V + c];
                next[i * V + c] = sum;
            }
        memcpy(S, next, K * V * sizeof *S);
        for (size_t c = 0; c < V; c++) {
            long double sum = 0;
            for (size_t i = 0; i < K; i++) sum += S[i * V + c] * q[i];
            out[token * V + c] = (double)sum;
        }
    }
    free(S);
    free(next);
}

static const f2l_dplr_shape shapes[] = {{1, 1, 1, 1, 1},  {2, 5, 2, 3, 4},  {1, 9, 1, 4, 16},
                                        {2, 7, 3, 5, 17}, {1, 13, 2, 8, 5}, {1, 26, 1, 2, 33}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

Test(op_dplr, agrees_with_whole_matrices)
{
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        sample s = sample_of(shapes[i / 2], i % 2, 100 * i);
        double *want = filled(s.values, NAN);
        for (size_t b = 0; b < s.shape.batch; b++)
            for (size_t h = 0; h < s.shape.heads; h++) slow_head(want, &s, b, h);
        (void)loss(&s);
        near("out", s.out, want, s.values, 1e-12);
        free(want);
        sample_clear(&s);
    }
}

typedef struct gradients {
    double *of[INPUTS];
} gradients;

static gradients backward(const sample *s)
{
    gradients g;
    for (size_t i = 0; i < INPUTS; i++) g.of[i] = filled(count_of(s, i), NAN);
    const f2l_dplr_in_f64 in = inputs(s);
    const f2l_dplr_grad_f64 grad = {.dq = g.of[0],
                                    .dk = g.of[1],
                                    .dw = g.of[2],
                                    .da = s->ranked ? g.of[3] : NULL,
                                    .db = s->ranked ? g.of[4] : NULL,
                                    .dv = g.of[5]};
    cr_assert_eq(f2l_dplr_backward_f64(&grad, s->weight, &in, &s->shape, NULL), F2L_OK);
    return g;
}

static void gradients_clear(gradients *g)
{
    for (size_t i = 0; i < INPUTS; i++) free(g->of[i]);
}

static bool has(const sample *s, size_t input)
{
    return s->ranked || (input != 3 && input != 4);
}

Test(op_dplr, gradients_by_differences, .timeout = 600)
{
    static const char *const name[] = {"q", "k", "w", "a", "b", "v"};
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        sample s = sample_of(shapes[i / 2], i % 2, 900 + 100 * i);
        gradients g = backward(&s);
        for (size_t n = 0; n < INPUTS; n++)
            if (has(&s, n)) check_gradient(name[n], g.of[n], s.in[n], count_of(&s, n), loss, &s);
        gradients_clear(&g);
        sample_clear(&s);
    }
}

Test(op_dplr, float_follows_double)
{
    for (size_t ranked = 0; ranked < 2; ranked++) {
        sample s = sample_of((f2l_dplr_shape){2, 50, 2, 20, 24}, ranked, ranked);
        float *x[INPUTS], *d[INPUTS], *w = narrow(s.weight, s.values),
                                      *out = narrow(s.out, s.values);
        (void)loss(&s);
        gradients g = backward(&s);
        for (size_t i = 0; i < INPUTS; i++)
            x[i] = narrow(s.in[i], count_of(&s, i)), d[i] = narrow(s.in[i], count_of(&s, i));
        const f2l_dplr_in_f32 in = {.q = x[0],
                                    .k = x[1],
                                    .w = x[2],
                                    .a = ranked ? x[3] : NULL,
                                    .b = ranked ? x[4] : NULL,
                                    .v = x[5]};
        const f2l_dplr_grad_f32 grad = {.dq = d[0],
                                        .dk = d[1],
                                        .dw = d[2],
                                        .da = ranked ? d[3] : NULL,
                                        .db = ranked ? d[4] : NULL,
                                        .dv = d[5]};
        cr_assert_eq(f2l_dplr_forward_f32(out, NULL, &in, &s.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_dplr_backward_f32(&grad, w, &in, &s.shape, NULL), F2L_OK);
        near_float("out", out, s.out, s.values, 1e-5);
        for (size_t i = 0; i < INPUTS; i++)
            if (has(&s, i)) near_float("gradient", d[i], g.of[i], count_of(&s, i), 1e-4);
        for (size_t i = 0; i < INPUTS; i++) free(x[i]), free(d[i]);
        free(w);
        free(out);
        gradients_clear(&g);
        sample_clear(&s);
    }
}

Test(op_dplr, pieces_of_a_word_give_the_same_bits)
{
    for (size_t ranked = 0; ranked < 2; ranked++) {
        sample s = sample_of((f2l_dplr_shape){1, 23, 2, 5, 19}, ranked, 42);
        const f2l_dplr_shape *p = &s.shape;
        (void)loss(&s);
        double *state = calloc(p->heads * p->key * p->value, sizeof *state),
               *out = filled(s.values, NAN);
        for (size_t first = 0, length = 1; first < p->tokens;
             first += length, length = length % 5 + 1) {
            if (length > p->tokens - first) length = p->tokens - first;
            const size_t row = first * p->heads, key = row * p->key;
            const f2l_dplr_in_f64 in = {.q = s.in[0] + key,
                                        .k = s.in[1] + key,
                                        .w = s.in[2] + key,
                                        .a = ranked ? s.in[3] + key : NULL,
                                        .b = ranked ? s.in[4] + key : NULL,
                                        .v = s.in[5] + row * p->value};
            const f2l_dplr_shape piece = {1, length, p->heads, p->key, p->value};
            cr_assert_eq(f2l_dplr_forward_f64(out + row * p->value, state, &in, &piece, NULL),
                         F2L_OK);
        }
        same_bits("out", out, s.out, s.values * sizeof *out);
        free(state);
        free(out);
        sample_clear(&s);
    }
}

/* w = 1, a = -2 b of length 1 is a reflection; with dyadic entries nothing is rounded, however long
 * the word is. The state is written by the first token only. */
Test(op_dplr, a_dyadic_reflection_is_exact)
{
    enum { TOKENS = 1000 };
    static float q[4 * TOKENS], k[4 * TOKENS], v[TOKENS], w[4 * TOKENS], a[4 * TOKENS],
        b[4 * TOKENS], out[TOKENS];
    k[0] = v[0] = 1;
    for (size_t t = 0; t < TOKENS; t++) {
        q[4 * t + 1] = 1;
        for (size_t i = 0; i < 4; i++) {
            w[4 * t + i] = 1;
            b[4 * t + i] = i % 2 ? -0.5F : 0.5F;
            a[4 * t + i] = -2 * b[4 * t + i];
        }
    }
    const f2l_dplr_in_f32 in = {q, k, v, w, a, b};
    const f2l_dplr_shape shape = {1, TOKENS, 1, 4, 1};
    cr_assert_eq(f2l_dplr_forward_f32(out, NULL, &in, &shape, NULL), F2L_OK);
    for (size_t t = 0; t < TOKENS; t++) /* e_1, then e_1 - b, and back */
        cr_assert_eq(out[t], t % 2 ? 0.5F : 0);
}

#ifdef F2L_MEM_FAILURES
Test(op_dplr, memory_failures_are_reported)
{
    sample s = sample_of((f2l_dplr_shape){1, 4, 1, 3, 2}, true, 5);
    const f2l_dplr_in_f64 in = inputs(&s);
    gradients g = backward(&s);
    const f2l_dplr_grad_f64 grad = {g.of[0], g.of[1], g.of[5], g.of[2], g.of[3], g.of[4]};
    f2l_error err = {0};
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_dplr_forward_f64(s.out, NULL, &in, &s.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_dplr_backward_f64(&grad, s.weight, &in, &s.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_dplr_backward_f64(&grad, s.weight, &in, &s.shape, &err), F2L_OK);
    gradients_clear(&g);
    sample_clear(&s);
}
#endif
