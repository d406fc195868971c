#include "models/learn/op/op_delta.h"
#include "numeric/base/mem.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    f2l_delta_shape shape;
    bool additive, gated, started;
    size_t nq, nk, nv, nb, ng, nh, no; /* counts of q, k, v, beta, gate, h0, out */
    double *q, *k, *v, *beta, *gate, *h0, *weight;
    double *out;
} sample;

static f2l_delta_in_f64 inputs(const sample *s)
{
    return (f2l_delta_in_f64){s->q, s->k, s->v, s->beta, s->gate, s->h0};
}

static void sample_init(sample *s, f2l_delta_shape shape, unsigned options, uint64_t seed)
{
    const size_t tokens = shape.batch * shape.tokens * shape.heads,
                 factors = tokens * shape.householders;
    *s = (sample){
        .shape = shape, .additive = options & 1, .gated = options & 2, .started = options & 4};
    s->nq = tokens * shape.key, s->nk = factors * shape.key, s->nb = factors,
    s->no = tokens * shape.value;
    s->nv = s->additive ? factors * shape.value : 0;
    s->ng = s->gated ? tokens : 0;
    s->nh = s->started ? shape.heads * shape.key * shape.value : 0;
    s->q = noise(s->nq, seed);
    s->k = noise(s->nk, seed + 1);
    for (size_t i = 0; i < factors; i++) { /* |k| = 1, beta in [0, 2]: nothing grows */
        const double norm = sqrt(dot(s->k + i * shape.key, s->k + i * shape.key, shape.key));
        for (size_t j = 0; j < shape.key; j++) s->k[i * shape.key + j] /= norm;
    }
    s->v = s->additive ? noise(s->nv, seed + 2) : NULL;
    s->beta = noise(s->nb, seed + 3);
    for (size_t i = 0; i < s->nb; i++) s->beta[i] += 1;
    s->gate = s->gated ? noise(s->ng, seed + 4) : NULL;
    for (size_t i = 0; i < s->ng; i++) s->gate[i] = (s->gate[i] + 1) / 2;
    s->h0 = s->started ? noise(s->nh, seed + 5) : NULL;
    s->weight = noise(s->no, seed + 6);
    s->out = filled(s->no, NAN);
    double *all[] = {s->q, s->k, s->v, s->beta, s->gate, s->h0, s->weight};
    const size_t count[] = {s->nq, s->nk, s->nv, s->nb, s->ng, s->nh, s->no};
    for (size_t i = 0; i < 7; i++)
        if (all[i]) to_float(all[i], count[i]);
}

static void sample_clear(sample *s)
{
    double *all[] = {s->q, s->k, s->v, s->beta, s->gate, s->h0, s->weight, s->out};
    for (size_t i = 0; i < 8; i++) free(all[i]);
}

static double loss(void *context)
{
    sample *s = context;
    const f2l_delta_in_f64 in = inputs(s);
    cr_assert_eq(f2l_delta_forward_f64(s->out, NULL, &in, &s->shape, NULL), F2L_OK);
    return dot(s->out, s->weight, s->no);
}

/* Does one head of one sequence by whole matrices: S <- A S + beta k v^T with A = gate (I - beta k
 * k^T) written out. */
static void slow_head(double *out, const sample *s, size_t b, size_t h)
{
    const f2l_delta_shape *p = &s->shape;
    const size_t K = p->key, V = p->value;
    long double *S = calloc(K * V + 1, sizeof *S), *next = calloc(K * V + 1, sizeof *next);
    for (size_t i = 0; s->h0 && i < K * V; i++) S[i] = s->h0[h * K * V + i];
    for (size_t t = 0; t < p->tokens; t++) {
        const size_t token = (b * p->tokens + t) * p->heads + h;
        for (size_t i = 0; s->gate && i < K * V; i++) S[i] *= s->gate[token];
        for (size_t n = 0; n < p->householders; n++) {
            const size_t f = ((b * p->tokens + t) * p->householders + n) * p->heads + h;
            const double *k = s->k + f * K, beta = s->beta[f];
            for (size_t i = 0; i < K; i++)
                for (size_t c = 0; c < V; c++) {
                    long double sum = s->v ? (long double)beta * k[i] * s->v[f * V + c] : 0;
                    for (size_t j = 0; j < K; j++)
                        sum += ((i == j ? 1 : 0) - (long double)beta * k[i] * k[j]) * S[j * V + c];
                    next[i * V + c] = sum;
                }
            memcpy(S, next, K * V * sizeof *S);
        }
        for (size_t c = 0; c < V; c++) {
            long double sum = 0;
            for (size_t i = 0; i < K; i++) sum += S[i * V + c] * s->q[token * K + i];
            out[token * V + c] = (double)sum;
        }
    }
    free(S);
    free(next);
}

static const f2l_delta_shape shapes[] = {
    {1, 1, 1, 1, 1, 1},  {2, 5, 2, 1, 3, 4},   {1, 9, 1, 2, 4, 16}, {2, 7, 3, 3, 5, 17},
    {1, 13, 2, 4, 8, 5}, {1, 40, 1, 1, 2, 33}, {3, 3, 1, 8, 6, 2},  {1, 4, 1, 0, 3, 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

Test(op_delta, agrees_with_whole_matrices)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (unsigned options = 0; options < 8; options++) {
            sample s;
            sample_init(&s, shapes[i], options, 100 * i + options);
            double *want = filled(s.no, NAN);
            for (size_t b = 0; b < s.shape.batch; b++)
                for (size_t h = 0; h < s.shape.heads; h++) slow_head(want, &s, b, h);
            (void)loss(&s);
            near("out", s.out, want, s.no, 1e-12);
            free(want);
            sample_clear(&s);
        }
}

typedef struct gradients {
    double *dq, *dk, *dv, *dbeta, *dgate, *dh0;
} gradients;

/* Computes the gradients; dh0 starts from 3, the others from NaN. */
static gradients backward(const sample *s)
{
    gradients g = {filled(s->nq, NAN), filled(s->nk, NAN), filled(s->nv, NAN),
                   filled(s->nb, NAN), filled(s->ng, NAN), filled(s->nh, 3)};
    const f2l_delta_in_f64 in = inputs(s);
    const f2l_delta_grad_f64 grad = {
        g.dq, g.dk, s->v ? g.dv : NULL, g.dbeta, s->gate ? g.dgate : NULL, s->h0 ? g.dh0 : NULL};
    cr_assert_eq(f2l_delta_backward_f64(&grad, s->weight, &in, &s->shape, NULL), F2L_OK);
    return g;
}

static void gradients_clear(gradients *g)
{
    double *all[] = {g->dq, g->dk, g->dv, g->dbeta, g->dgate, g->dh0};
    for (size_t i = 0; i < 6; i++) free(all[i]);
}

Test(op_delta, gradients_by_differences, .timeout = 600)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (unsigned options = 0; options < 8; options++) {
            sample s;
            sample_init(&s, shapes[i], options, 900 + 100 * i + options);
            gradients g = backward(&s);
            for (size_t j = 0; j < s.nh; j++) g.dh0[j] -= 3;
            check_gradient("q", g.dq, s.q, s.nq, loss, &s);
            check_gradient("k", g.dk, s.k, s.nk, loss, &s);
            check_gradient("v", g.dv, s.v, s.nv, loss, &s);
            check_gradient("beta", g.dbeta, s.beta, s.nb, loss, &s);
            check_gradient("gate", g.dgate, s.gate, s.ng, loss, &s);
            check_gradient("h0", g.dh0, s.h0, s.nh, loss, &s);
            gradients_clear(&g);
            sample_clear(&s);
        }
}

Test(op_delta, float_follows_double)
{
    for (unsigned options = 0; options < 8; options++) {
        sample s;
        sample_init(&s, (f2l_delta_shape){2, 50, 2, 3, 20, 24}, options, options);
        (void)loss(&s);
        gradients g = backward(&s);
        float *q = narrow(s.q, s.nq), *k = narrow(s.k, s.nk), *v = narrow(s.v, s.nv),
              *beta = narrow(s.beta, s.nb), *gate = narrow(s.gate, s.ng), *h0 = narrow(s.h0, s.nh),
              *w = narrow(s.weight, s.no);
        float *out = narrow(s.out, s.no);
        float *dq = narrow(s.q, s.nq), *dk = narrow(s.k, s.nk), *dv = narrow(s.v, s.nv),
              *db = narrow(s.beta, s.nb), *dg = narrow(s.gate, s.ng), *dh = narrow(s.h0, s.nh);
        for (size_t i = 0; i < s.nh; i++) dh[i] = 3;
        const f2l_delta_in_f32 in = {q, k, v, beta, gate, h0};
        const f2l_delta_grad_f32 grad = {dq, dk, dv, db, dg, dh};
        cr_assert_eq(f2l_delta_forward_f32(out, NULL, &in, &s.shape, NULL), F2L_OK);
        cr_assert_eq(f2l_delta_backward_f32(&grad, w, &in, &s.shape, NULL), F2L_OK);
        near_float("out", out, s.out, s.no, 1e-5);
        near_float("dq", dq, g.dq, s.nq, 1e-4);
        near_float("dk", dk, g.dk, s.nk, 1e-4);
        near_float("dv", dv, g.dv, s.nv, 1e-4);
        near_float("dbeta", db, g.dbeta, s.nb, 1e-4);
        near_float("dgate", dg, g.dgate, s.ng, 1e-4);
        near_float("dh0", dh, g.dh0, s.nh, 1e-4);
        float *all[] = {q, k, v, beta, gate, h0, w, out, dq, dk, dv, db, dg, dh};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
        gradients_clear(&g);
        sample_clear(&s);
    }
}

Test(op_delta, a_gradient_that_is_not_wanted_changes_no_other)
{
    for (unsigned left_out = 0; left_out < 6; left_out++) {
        sample s;
        sample_init(&s, (f2l_delta_shape){2, 6, 2, 2, 4, 18}, 7, left_out);
        gradients whole = backward(&s), part = {filled(s.nq, 1), filled(s.nk, 1), filled(s.nv, 1),
                                                filled(s.nb, 1), filled(s.ng, 1), filled(s.nh, 3)};
        double *w[] = {whole.dq, whole.dk, whole.dv, whole.dbeta, whole.dgate, whole.dh0};
        double *p[] = {part.dq, part.dk, part.dv, part.dbeta, part.dgate, part.dh0};
        const size_t count[] = {s.nq, s.nk, s.nv, s.nb, s.ng, s.nh};
        double *wanted[6];
        for (size_t i = 0; i < 6; i++) wanted[i] = i == left_out ? NULL : p[i];
        const f2l_delta_in_f64 in = inputs(&s);
        const f2l_delta_grad_f64 grad = {wanted[0], wanted[1], wanted[2],
                                         wanted[3], wanted[4], wanted[5]};
        cr_assert_eq(f2l_delta_backward_f64(&grad, s.weight, &in, &s.shape, NULL), F2L_OK);
        for (size_t i = 0; i < 6; i++)
            if (i != left_out) same_bits("gradient", w[i], p[i], count[i] * sizeof(double));
        gradients_clear(&whole);
        gradients_clear(&part);
        sample_clear(&s);
    }
}

Test(op_delta, pieces_of_a_word_give_the_same_bits)
{
    sample s;
    sample_init(&s, (f2l_delta_shape){1, 23, 2, 2, 5, 19}, 7, 42);
    const f2l_delta_shape *p = &s.shape;
    (void)loss(&s);
    const size_t matrices = p->heads * p->key * p->value;
    double *state = malloc(matrices * sizeof *state), *out = filled(s.no, NAN);
    memcpy(state, s.h0, matrices * sizeof *state);
    for (size_t first = 0, length = 1; first < p->tokens;
         first += length, length = length % 5 + 1) {
        if (length > p->tokens - first) length = p->tokens - first;
        const size_t row = first * p->heads;
        const f2l_delta_in_f64 in = {s.q + row * p->key,
                                     s.k + row * p->householders * p->key,
                                     s.v + row * p->householders * p->value,
                                     s.beta + row * p->householders,
                                     s.gate + row,
                                     NULL};
        const f2l_delta_shape piece = {1, length, p->heads, p->householders, p->key, p->value};
        cr_assert_eq(f2l_delta_forward_f64(out + row * p->value, state, &in, &piece, NULL), F2L_OK);
    }
    same_bits("out", out, s.out, s.no * sizeof *out);
    free(state);
    free(out);
    sample_clear(&s);
}

Test(op_delta, sequences_alone_give_the_same_bits)
{
    sample s;
    sample_init(&s, (f2l_delta_shape){4, 11, 2, 3, 6, 20}, 7, 77);
    (void)loss(&s);
    gradients g = backward(&s);
    sample one = s;
    one.shape.batch = 1;
    one.nq /= 4, one.nk /= 4, one.nv /= 4, one.nb /= 4, one.ng /= 4, one.no /= 4;
    one.out = filled(one.no, NAN);
    for (size_t b = 0; b < 4; b++) {
        (void)loss(&one);
        gradients h = backward(&one);
        same_bits("out", one.out, s.out + b * one.no, one.no * sizeof(double));
        same_bits("dq", h.dq, g.dq + b * one.nq, one.nq * sizeof(double));
        same_bits("dk", h.dk, g.dk + b * one.nk, one.nk * sizeof(double));
        same_bits("dv", h.dv, g.dv + b * one.nv, one.nv * sizeof(double));
        same_bits("dbeta", h.dbeta, g.dbeta + b * one.nb, one.nb * sizeof(double));
        same_bits("dgate", h.dgate, g.dgate + b * one.ng, one.ng * sizeof(double));
        gradients_clear(&h);
        one.q += one.nq, one.k += one.nk, one.v += one.nv, one.beta += one.nb, one.gate += one.ng;
        one.weight += one.no;
    }
    free(one.out);
    gradients_clear(&g);
    sample_clear(&s);
}

/* Keys (+-1/2)^4 and beta = 2 give a reflection of dyadic entries, so that nothing is rounded,
 * however long the word is. */
Test(op_delta, a_dyadic_reflection_is_exact)
{
    const f2l_delta_shape shape = {1, 1000, 1, 1, 4, 4};
    float q[4000] = {0}, k[4000], beta[1000], out[4000], h0[16] = {0};
    for (size_t i = 0; i < 4; i++) h0[5 * i] = 1;
    /* e_1 - 2 k (k . e_1) = e_1 - k, and back */
    for (size_t t = 0; t < 1000; t++) {
        q[4 * t] = 1;
        beta[t] = 2;
        for (size_t i = 0; i < 4; i++) k[4 * t + i] = i % 2 ? -0.5F : 0.5F;
    }
    const f2l_delta_in_f32 in = {q, k, NULL, beta, NULL, h0};
    cr_assert_eq(f2l_delta_forward_f32(out, NULL, &in, &shape, NULL), F2L_OK);
    const float odd[4] = {0.5F, 0.5F, -0.5F, 0.5F}, even[4] = {1, 0, 0, 0};
    for (size_t t = 0; t < 1000; t++)
        same_bits("out", out + 4 * t, t % 2 ? even : odd, sizeof even);
}

Test(op_delta, work_is_what_it_says_and_overflow_is_seen)
{
    const f2l_delta_shape usual = {256, 128, 4, 4, 32, 32}, all = {1, 10, 1, SIZE_MAX, 4, 1},
                          wide = {1, 100, 1, 1, SIZE_MAX / 64, 1};
    cr_assert_lt(f2l_delta_work_f32(&usual), 256 << 10);
    cr_assert_eq(f2l_delta_work_f32(&all), SIZE_MAX);
    cr_assert_eq(f2l_delta_work_f32(&wide), SIZE_MAX);
}

#ifdef F2L_MEM_FAILURES
Test(op_delta, memory_failures_are_reported)
{
    sample s;
    sample_init(&s, (f2l_delta_shape){1, 4, 1, 2, 3, 2}, 7, 5);
    const f2l_delta_in_f64 in = inputs(&s);
    gradients g = backward(&s);
    const f2l_delta_grad_f64 grad = {g.dq, g.dk, g.dv, g.dbeta, g.dgate, g.dh0};
    f2l_error err = {0};
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_delta_forward_f64(s.out, NULL, &in, &s.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_delta_backward_f64(&grad, s.weight, &in, &s.shape, &err), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_delta_backward_f64(&grad, s.weight, &in, &s.shape, &err), F2L_OK);
    gradients_clear(&g);
    sample_clear(&s);
}
#endif
