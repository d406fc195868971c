/* The delta product on the CPU: against the operator of the trainer, and every option's gradients
 * against finite differences. */
#include "include/fsa2lrnn_kernels.h"
#include "models/learn/op/op_delta.h"
#include "tests/support/models/op_support.h"

enum { Q, K, V, BETA, G, INITIAL, OUT, FINAL, ARRAYS };

typedef struct sample {
    fsa2lrnn_delta_product p;
    size_t n[ARRAYS];
    double *x[ARRAYS], *weight[2]; /* weights of OUT and FINAL in the loss */
} sample;

static fsa2lrnn_delta_product shape(int64_t batch, int64_t tokens, int64_t heads, int64_t key_heads,
                                    int64_t factors, int64_t key, int64_t value)
{
    return (fsa2lrnn_delta_product){.size = sizeof(fsa2lrnn_delta_product),
                                    .device = FSA2LRNN_KERNELS_CPU,
                                    .type = FSA2LRNN_KERNELS_F64,
                                    .beta_type = FSA2LRNN_KERNELS_F64,
                                    .state_type = FSA2LRNN_KERNELS_F64,
                                    .batch = batch,
                                    .tokens = tokens,
                                    .heads = heads,
                                    .key_heads = key_heads,
                                    .factors = factors,
                                    .key = key,
                                    .value = value};
}

static void sample_init(sample *s, const fsa2lrnn_delta_product *p, uint64_t seed)
{
    const size_t tokens = p->batch * p->tokens, heads = p->heads, rows = tokens * p->factors,
                 key_heads = p->key_heads ? p->key_heads : p->heads,
                 sequences = p->cu_seqlens ? p->sequences : p->batch;
    *s = (sample){.p = *p};
    s->n[Q] = tokens * key_heads * p->key;
    s->n[K] = rows * key_heads * p->key;
    s->n[V] = rows * heads * p->value;
    s->n[BETA] = rows * heads;
    s->n[G] = p->gate == FSA2LRNN_KERNELS_NO_GATE    ? 0
              : p->gate == FSA2LRNN_KERNELS_GATE_KEY ? tokens * heads * p->key
                                                     : tokens * heads;
    s->n[INITIAL] = s->n[FINAL] = sequences * heads * p->key * p->value;
    s->n[OUT] = tokens * heads * p->value;
    for (int i = 0; i < ARRAYS; i++) s->x[i] = noise(s->n[i] + 1, seed + i);
    for (size_t i = 0; i < s->n[K]; i++) s->x[K][i] *= 0.7;
    for (size_t i = 0; i < s->n[G]; i++) s->x[G][i] = -fabs(s->x[G][i]);
    s->weight[0] = noise(s->n[OUT] + 1, seed + 20);
    s->weight[1] = noise(s->n[FINAL] + 1, seed + 21);
}

static void sample_clear(sample *s)
{
    for (int i = 0; i < ARRAYS; i++) free(s->x[i]);
    free(s->weight[0]), free(s->weight[1]);
}

static fsa2lrnn_kernels_array rows_of(double *data, int64_t rows, int64_t heads, int64_t width)
{
    return (fsa2lrnn_kernels_array){data, {rows * heads * width, heads * width, width}};
}

static fsa2lrnn_delta_product_in inputs(const sample *s)
{
    const fsa2lrnn_delta_product *p = &s->p;
    const int64_t heads = p->key_heads ? p->key_heads : p->heads, rows = p->tokens * p->factors;
    fsa2lrnn_delta_product_in in = {.size = sizeof in, .initial = s->x[INITIAL]};
    in.q = rows_of(s->x[Q], p->tokens, heads, p->key);
    in.k = rows_of(s->x[K], rows, heads, p->key);
    in.v = rows_of(s->x[V], rows, p->heads, p->value);
    in.beta = rows_of(s->x[BETA], rows, p->heads, 1);
    if (s->n[G])
        in.g = rows_of(s->x[G], p->tokens, p->heads,
                       p->gate == FSA2LRNN_KERNELS_GATE_KEY ? p->key : 1);
    return in;
}

static void run_forward(sample *s)
{
    fsa2lrnn_kernels_error err = {0};
    const fsa2lrnn_delta_product_in in = inputs(s);
    const fsa2lrnn_delta_product_out out = {
        sizeof out, rows_of(s->x[OUT], s->p.tokens, s->p.heads, s->p.value), s->x[FINAL]};
    cr_assert_eq(fsa2lrnn_delta_product_forward(&out, NULL, NULL, &in, &s->p, NULL, &err), 0, "%s",
                 err.text);
}

static double loss(void *context)
{
    sample *s = context;
    run_forward(s);
    return dot(s->x[OUT], s->weight[0], s->n[OUT]) + dot(s->x[FINAL], s->weight[1], s->n[FINAL]);
}

/* Computes the gradients of the loss into d[Q .. INITIAL], which the caller frees. */
static void run_backward(double *d[ARRAYS], const sample *s)
{
    fsa2lrnn_kernels_error err = {0};
    const fsa2lrnn_delta_product *p = &s->p;
    const fsa2lrnn_delta_product_in in = inputs(s);
    const int64_t rows = p->tokens * p->factors;
    for (int i = 0; i < ARRAYS; i++) d[i] = filled(s->n[i] + 1, NAN);
    fsa2lrnn_delta_product_grad grad = {.size = sizeof grad,
                                        .dout =
                                            rows_of(s->weight[0], p->tokens, p->heads, p->value),
                                        .dfinal = s->weight[1],
                                        .dinitial = d[INITIAL]};
    grad.dq = in.q, grad.dk = in.k, grad.dg = in.g, grad.dq.data = d[Q], grad.dk.data = d[K];
    grad.dv = rows_of(d[V], rows, p->heads, p->value);
    grad.dbeta = rows_of(d[BETA], rows, p->heads, 1);
    if (s->n[G]) grad.dg.data = d[G];
    cr_assert_eq(fsa2lrnn_delta_product_backward(&grad, NULL, NULL, &in, p, NULL, &err), 0, "%s",
                 err.text);
}

static void check_all_gradients(const fsa2lrnn_delta_product *p, uint64_t seed)
{
    static const char *const names[] = {"q", "k", "v", "beta", "g", "initial"};
    sample s;
    double *d[ARRAYS];
    sample_init(&s, p, seed);
    run_backward(d, &s);
    for (int i = Q; i <= INITIAL; i++)
        if (s.n[i]) check_gradient(names[i], d[i], s.x[i], s.n[i], loss, &s);
    for (int i = 0; i < ARRAYS; i++) free(d[i]);
    sample_clear(&s);
}

Test(delta_host, gradients_are_finite_differences)
{
    for (int i = 0; i < 12; i++) {
        fsa2lrnn_delta_product p = shape(1 + i % 2, 1 + i % 5, 4, 1 << i % 3, 1 + i % 3, 3, 2);
        p.gate = i % 3, p.beta = i / 2 % 3, p.norm = i / 3 % 3, p.norm_eps = i < 6 ? 0.3f : 1e-6f;
        p.state_order = i % 2, p.scale = i % 4 ? 0 : 0.75f;
        check_all_gradients(&p, 100 * (uint64_t)i);
    }
}

Test(delta_host, norms_shorter_than_eps)
{
    fsa2lrnn_delta_product p = shape(2, 3, 1, 1, 2, 2, 2);
    p.norm = FSA2LRNN_KERNELS_NORM_MAX, p.norm_eps = 3;
    check_all_gradients(&p, 7);
}

static const int64_t ends[] = {0, 3, 3, 4, 9, 9};

Test(delta_host, packed_sequences)
{
    const int32_t narrow_ends[] = {0, 3, 3, 4, 9, 9};
    for (int bits = 32; bits <= 64; bits += 32) {
        fsa2lrnn_delta_product p = shape(1, 9, 2, 1, 2, 2, 3);
        p.cu_seqlens = bits == 64 ? (const void *)ends : narrow_ends;
        p.index_bits = bits, p.sequences = 5, p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
        check_all_gradients(&p, 50 + (uint64_t)bits);
    }
}

/* A packed sequence is its own call, whatever lies beside it. */
Test(delta_host, packed_is_alone)
{
    sample all;
    fsa2lrnn_delta_product p = shape(1, 9, 2, 2, 2, 3, 3);
    p.cu_seqlens = ends, p.index_bits = 64, p.sequences = 5, p.norm = FSA2LRNN_KERNELS_NORM_ADD;
    sample_init(&all, &p, 9);
    run_forward(&all);
    for (int i = 0; i < 5; i++) {
        sample one = all;
        one.p.cu_seqlens = NULL, one.p.tokens = ends[i + 1] - ends[i];
        const size_t state = 2 * 3 * 3, row = 2 * 3;
        double *out = filled((size_t)one.p.tokens * row + 1, NAN), *final = filled(state, NAN);
        one.x[Q] += (size_t)ends[i] * row, one.x[K] += (size_t)ends[i] * 2 * row;
        one.x[V] += (size_t)ends[i] * 2 * row, one.x[BETA] += (size_t)ends[i] * 2 * 2;
        one.x[INITIAL] += (size_t)i * state, one.x[OUT] = out, one.x[FINAL] = final;
        run_forward(&one);
        same_bits("out", out, all.x[OUT] + (size_t)ends[i] * row,
                  (size_t)one.p.tokens * row * sizeof *out);
        same_bits("final", final, all.x[FINAL] + (size_t)i * state, state * sizeof *out);
        free(out), free(final);
    }
    sample_clear(&all);
}

Test(delta_host, agrees_with_the_operator_of_the_trainer)
{
    for (int i = 0; i < 4; i++) {
        fsa2lrnn_delta_product p = shape(1, 70, 3, 3, 1 + i, 5, 4);
        sample s;
        double *d[ARRAYS];
        p.gate = i % 2, p.scale = 1;
        sample_init(&s, &p, 1000 + (uint64_t)i);
        run_forward(&s), run_backward(d, &s);
        double *out = filled(s.n[OUT], NAN), *gate = filled(s.n[G] + 1, 0),
               *e[6] = {filled(s.n[Q], NAN),    filled(s.n[K], NAN),     filled(s.n[V], NAN),
                        filled(s.n[BETA], NAN), filled(s.n[G] + 1, NAN), filled(s.n[INITIAL], 0)};
        for (size_t j = 0; j < s.n[G]; j++) gate[j] = exp(s.x[G][j]);
        const f2l_delta_shape old = {1, 70, 3, (size_t)p.factors, 5, 4};
        const f2l_delta_in_f64 in = {s.x[Q],      s.x[K], s.x[V], s.x[BETA], p.gate ? gate : NULL,
                                     s.x[INITIAL]};
        cr_assert_eq(f2l_delta_forward_f64(out, NULL, &in, &old, NULL), F2L_OK);
        near("out", s.x[OUT], out, s.n[OUT], 1e-10);
        memset(s.weight[1], 0, s.n[FINAL] * sizeof *s.weight[1]);
        for (int j = 0; j < ARRAYS; j++) free(d[j]);
        run_backward(d, &s);
        const f2l_delta_grad_f64 grad = {e[0], e[1], e[2], e[3], p.gate ? e[4] : NULL, e[5]};
        cr_assert_eq(f2l_delta_backward_f64(&grad, s.weight[0], &in, &old, NULL), F2L_OK);
        for (size_t j = 0; j < s.n[G]; j++) e[4][j] *= gate[j];
        for (int j = 0; j < 6; j++) near("gradient", d[j], e[j], s.n[j], 1e-9);
        for (int j = 0; j < ARRAYS; j++) free(d[j]);
        for (int j = 0; j < 6; j++) free(e[j]);
        free(out), free(gate);
        sample_clear(&s);
    }
}

/* A sequence in pieces gives the bits of the whole: states between tokens are fp32. */
Test(delta_host, prefix_and_rest)
{
    enum { T = 11, D = 4 };
    float *q = (float[T * D]){0}, k[T * D], v[T * D], beta[T], out[2][T * D], state[2][D * D];
    double *x = noise(4 * T * D, 3);
    for (int i = 0; i < T * D; i++)
        q[i] = (float)x[i], k[i] = (float)x[T * D + i] / 2, v[i] = (float)x[2 * T * D + i];
    for (int i = 0; i < T; i++) beta[i] = (float)x[3 * T * D + i] + 1;
    fsa2lrnn_delta_product p = shape(1, T, 1, 1, 1, D, D);
    p.type = p.beta_type = p.state_type = FSA2LRNN_KERNELS_F32;
    const int pieces[2][2] = {{T, 0}, {4, T - 4}};
    for (int i = 0; i < 2; i++)
        for (int j = 0, t = 0; j < 2; t += pieces[i][j++]) {
            const fsa2lrnn_delta_product_in in = {.size = sizeof in,
                                                  .q = {q + t * D, {0, D, D}},
                                                  .k = {k + t * D, {0, D, D}},
                                                  .v = {v + t * D, {0, D, D}},
                                                  .beta = {beta + t, {0, 1, 1}},
                                                  .initial = j ? state[i] : NULL};
            const fsa2lrnn_delta_product_out to = {
                sizeof to, {out[i] + t * D, {0, D, D}}, state[i]};
            p.tokens = pieces[i][j];
            cr_assert_eq(fsa2lrnn_delta_product_forward(&to, NULL, NULL, &in, &p, NULL, NULL), 0);
        }
    same_bits("out", out[0], out[1], sizeof out[0]);
    same_bits("state", state[0], state[1], sizeof state[0]);
    free(x);
}

/* A pool of states: a step reads and writes its own, padding reads and writes none. */
Test(delta_host, pool_of_states)
{
    const int64_t where[] = {2, -1, 0};
    sample s;
    fsa2lrnn_delta_product p = shape(3, 1, 1, 1, 2, 2, 2);
    sample_init(&s, &p, 77);
    double pool[4 * 4], before[4 * 4];
    for (int i = 0; i < 16; i++) pool[i] = before[i] = i;
    memcpy(s.x[INITIAL], before + 8, 4 * sizeof *before);
    memcpy(s.x[INITIAL] + 8, before, 4 * sizeof *before);
    run_forward(&s);
    double out[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const fsa2lrnn_delta_product_in in = inputs(&s);
    const fsa2lrnn_delta_product_out to = {sizeof to, {out, {2, 2, 2}}, NULL};
    s.p.state_indices = where, s.p.states = 4, s.p.index_bits = 64;
    cr_assert_eq(fsa2lrnn_delta_product_step(&to, pool, &in, &s.p, NULL, NULL), 0);
    memset(s.x[OUT] + 2, 0, 2 * sizeof *out);
    same_bits("out", out, s.x[OUT], sizeof out);
    same_bits("state 2", pool + 8, s.x[FINAL], 4 * sizeof *pool);
    same_bits("state 0", pool, s.x[FINAL] + 8, 4 * sizeof *pool);
    same_bits("state 1", pool + 4, before + 4, 4 * sizeof *pool);
    same_bits("state 3", pool + 12, before + 12, 4 * sizeof *pool);
    sample_clear(&s);
}
