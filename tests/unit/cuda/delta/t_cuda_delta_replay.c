/* The schedule of the tensor-core delta product (tests/support/cuda/replay_delta.h) against the
 * reference in double. */
#include "numeric/base/mem.h"
#include "tests/support/cuda/replay_delta.h"
#include "tests/support/models/op_support.h"

enum { ADDITIVE = 1, STARTED = 2, LETTERS = 4, EXACT = 8 };

typedef struct sample {
    f2l_delta_shape shape;
    unsigned options;
    size_t tokens, factors, tables, nh; /* rows of q and of k: positions, letters or 0 */
    uint16_t *q, *k, *v, *dout;         /* as given to the replay */
    float *beta, *h0;
    uint32_t *letter;
    double *wide[7]; /* q, k, v, beta, h0 at positions, dout, out */
} sample;

/* Returns n random bf16 numbers; with `unit`, rows have length 1 before they are rounded. */
static uint16_t *draw(size_t n, size_t row, bool unit, uint64_t seed)
{
    double *x = noise(n, seed);
    uint16_t *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; unit && i < n; i += row) {
        const double norm = sqrt(dot(x + i, x + i, row));
        for (size_t j = 0; j < row; j++) x[i + j] /= norm;
    }
    for (size_t i = 0; i < n; i++) out[i] = f2l_replay_round((float)x[i]);
    free(x);
    return out;
}

/* Returns rows at positions as doubles: row i is row of[i] of the table. */
static double *widened(const uint16_t *x, const size_t *of, size_t rows, size_t row)
{
    double *out = filled(rows * row, 0);
    for (size_t i = 0; x && i < rows; i++)
        for (size_t j = 0; j < row; j++)
            out[i * row + j] = (double)f2l_replay_widen(x[of[i] * row + j]);
    return out;
}

/* Sets keys to e_i - e_j with beta = 1, so that states of few digits are swapped; every sixth
 * factor does nothing, another projects. */
static void make_exact(sample *s)
{
    const size_t D = s->shape.key, rows = s->options & LETTERS
                                              ? s->tables * s->shape.householders * s->shape.heads
                                              : s->factors;
    memset(s->k, 0, rows * D * sizeof *s->k);
    for (size_t r = 0; r < rows; r++) {
        const size_t i = (r * 7 + r / 5) % D, j = (i + 1 + r % (D - 1)) % D;
        s->k[r * D + i] = f2l_replay_round(1);
        if (r % 6 < 4) s->k[r * D + j] = f2l_replay_round(-1);
        s->beta[r] = r % 6 < 4 ? 1 : r % 6 == 4 ? 0 : 2;
    }
    for (size_t i = 0; i < s->nh; i++) s->h0[i] = (float)(i * 5 % 7) - 3;
    for (size_t i = 0; s->v && i < rows * D; i++) s->v[i] = 0;
}

static void position_rows(const sample *s, size_t *token, size_t *factor)
{
    const size_t H = s->shape.heads, N = s->shape.householders;
    for (size_t i = 0; i < s->tokens; i++) {
        const size_t at = s->letter ? s->letter[i / H] : i / H;
        token[i] = at * H + i % H;
        for (size_t n = 0; n < N; n++)
            factor[(i / H * N + n) * H + i % H] = (at * N + n) * H + i % H;
    }
}

static void sample_init(sample *s, f2l_delta_shape shape, unsigned options, uint64_t seed)
{
    const size_t D = shape.key, H = shape.heads, N = shape.householders;
    *s = (sample){.shape = shape, .options = options, .tokens = shape.batch * shape.tokens * H};
    s->factors = s->tokens * N;
    s->tables = options & LETTERS ? 7 : 0;
    s->nh = options & STARTED ? H * D * D : 0;
    const size_t nq = s->tables ? s->tables * H : s->tokens, nk = nq * N;
    s->q = draw(nq * D, D, false, seed);
    s->k = draw(nk * D, D, true, seed + 1);
    s->v = options & ADDITIVE ? draw(nk * D, D, false, seed + 2) : NULL;
    double *beta = noise(nk, seed + 3), *h0 = noise(s->nh, seed + 4),
           *letter = noise(s->tokens, seed + 5);
    for (size_t i = 0; i < nk; i++) beta[i] = i % 11 == 3 ? 0 : beta[i] + 1;
    s->beta = narrow(beta, nk);
    s->h0 = s->nh ? narrow(h0, s->nh) : NULL;
    s->letter = s->tables ? calloc(s->tokens + 1, sizeof *s->letter) : NULL;
    for (size_t i = 0; s->letter && i < s->tokens; i++)
        s->letter[i] = (uint32_t)((letter[i] + 1) * 3.5);
    free(beta), free(h0), free(letter);
    s->dout = draw(s->tokens * D, D, false, seed + 6);
    if (options & EXACT) make_exact(s);
    size_t *token = calloc(s->tokens + s->factors + 1, sizeof *token), *factor = token + s->tokens;
    position_rows(s, token, factor);
    s->wide[0] = widened(s->q, token, s->tokens, D);
    s->wide[1] = widened(s->k, factor, s->factors, D);
    s->wide[2] = s->v ? widened(s->v, factor, s->factors, D) : NULL;
    s->wide[3] = filled(s->factors, 0);
    for (size_t i = 0; i < s->factors; i++) s->wide[3][i] = (double)s->beta[factor[i]];
    s->wide[4] = s->nh ? filled(s->nh, 0) : NULL;
    for (size_t i = 0; i < s->nh; i++) s->wide[4][i] = (double)s->h0[i];
    for (size_t i = 0; i < s->tokens; i++) token[i] = i;
    s->wide[5] = widened(s->dout, token, s->tokens, D);
    s->wide[6] = filled(s->tokens * D, NAN);
    free(token);
}

static void sample_clear(sample *s)
{
    free(s->q), free(s->k), free(s->v), free(s->dout), free(s->beta), free(s->h0), free(s->letter);
    for (size_t i = 0; i < 7; i++) free(s->wide[i]);
}

static f2l_delta_mma_in given(const sample *s)
{
    return (f2l_delta_mma_in){s->q, s->k, s->v, s->beta, s->h0, s->letter, NULL};
}

static f2l_delta_in_f64 reference(const sample *s)
{
    return (f2l_delta_in_f64){s->wide[0], s->wide[1], s->wide[2], s->wide[3], NULL, s->wide[4]};
}

static double error_of(const double *got, const double *want, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (got[i] - want[i]) * (got[i] - want[i]);
        size += want[i] * want[i];
    }
    return size > 0 ? sqrt(difference / size) : difference > 0 ? INFINITY : sqrt(difference);
}

static double error_bf16(const uint16_t *got, const double *want, size_t n)
{
    double *wide = filled(n, 0);
    for (size_t i = 0; i < n; i++) wide[i] = (double)f2l_replay_widen(got[i]);
    const double error = error_of(wide, want, n);
    free(wide);
    return error;
}

static double error_f32(const float *got, const double *want, size_t n)
{
    double *wide = filled(n, 0);
    for (size_t i = 0; i < n; i++) wide[i] = (double)got[i];
    const double error = error_of(wide, want, n);
    free(wide);
    return error;
}

typedef struct result {
    uint16_t *out, *kept, *dq, *dk, *dv;
    float *state, *dbeta, *dh0;
} result;

static uint16_t *poisoned(size_t n)
{
    uint16_t *x = malloc((n + 1) * sizeof *x);
    memset(x, 0xff, (n + 1) * sizeof *x);
    return x;
}

static void run(result *r, const sample *s)
{
    const size_t D = s->shape.key, states = s->shape.batch * s->shape.heads * D * D;
    *r = (result){poisoned(s->tokens * D),           poisoned(s->factors * D),
                  poisoned(s->tokens * D),           poisoned(s->factors * D),
                  poisoned(s->factors * D),          calloc(states + 1, sizeof(float)),
                  (float *)poisoned(2 * s->factors), calloc(s->nh + 1, sizeof(float))};
    const f2l_delta_mma_in in = given(s);
    f2l_error err;
    cr_assert_eq(f2l_replay_delta_forward(r->out, r->state, r->kept, false, &in, &s->shape, &err),
                 F2L_OK);
    const f2l_delta_mma_grad grad = {r->dq, r->dk, s->v ? r->dv : NULL, r->dbeta,
                                     s->nh ? r->dh0 : NULL};
    for (size_t i = 0; i < s->nh; i++) r->dh0[i] = 1; /* the gradient is added to this */
    cr_assert_eq(f2l_replay_delta_backward(&grad, s->dout, r->kept, r->state, &in, &s->shape, &err),
                 F2L_OK);
    for (size_t i = 0; i < s->nh; i++) r->dh0[i] -= 1;
}

static void result_clear(result *r)
{
    free(r->out), free(r->kept), free(r->dq), free(r->dk), free(r->dv), free(r->state),
        free(r->dbeta), free(r->dh0);
}

static void below(const char *what, double error, double bound, const sample *s)
{
    const f2l_delta_shape *p = &s->shape;
    cr_log_info("%s: relative error %.5f\n", what, error);
    cr_assert(error <= bound,
              "%s: relative error %.5f > %.5f at (%zu, %zu, %zu, %zu) n %zu "
              "options %u",
              what, error, bound, p->batch, p->tokens, p->heads, p->key, p->householders,
              s->options);
}

static void compare(const result *r, const sample *s, double outputs, double gradients)
{
    const size_t nq = s->tokens * s->shape.key, nk = s->factors * s->shape.key;
    double *d[] = {filled(nq, 0), filled(nk, 0), filled(nk, 0), filled(s->factors, 0),
                   filled(s->nh, 0)};
    const f2l_delta_in_f64 in = reference(s);
    const f2l_delta_grad_f64 grad = {d[0], d[1], s->v ? d[2] : NULL,
                                     d[3], NULL, s->nh ? d[4] : NULL};
    cr_assert_eq(f2l_delta_forward_f64(s->wide[6], NULL, &in, &s->shape, NULL), F2L_OK);
    cr_assert_eq(f2l_delta_backward_f64(&grad, s->wide[5], &in, &s->shape, NULL), F2L_OK);
    below("o", error_bf16(r->out, s->wide[6], nq), outputs, s);
    below("dq", error_bf16(r->dq, d[0], nq), gradients, s);
    below("dk", error_bf16(r->dk, d[1], nk), gradients, s);
    if (s->v) below("dv", error_bf16(r->dv, d[2], nk), gradients, s);
    below("dbeta", error_f32(r->dbeta, d[3], s->factors), gradients, s);
    if (s->nh) below("dh0", error_f32(r->dh0, d[4], s->nh), gradients, s);
    for (size_t i = 0; i < 5; i++) free(d[i]);
}

static void check(f2l_delta_shape shape, unsigned options, double outputs, double gradients,
                  uint64_t seed)
{
    sample s;
    result r;
    sample_init(&s, shape, options, seed);
    run(&r, &s);
    compare(&r, &s, outputs, gradients);
    result_clear(&r);
    sample_clear(&s);
}

/* All numbers of factors and odd lengths stay within the kernels' bounds: 0.9 % for o and 1 % for
 * gradients. */
Test(cuda_delta_replay, every_number_of_factors_and_odd_lengths)
{
    for (size_t n = 1; n <= 8; n++)
        for (unsigned options = 0; options < 8; options++)
            if (options & (ADDITIVE | STARTED))
                check((f2l_delta_shape){2, 3 + 5 * n, 2, n, 32, 32}, options, 0.009,
                      options & LETTERS ? 0.02 : 0.01, /* keys repeat within a chunk */
                      100 * n + options);
}

Test(cuda_delta_replay, wider_heads)
{
    check((f2l_delta_shape){1, 37, 2, 4, 64, 64}, ADDITIVE | STARTED, 0.009, 0.01, 1);
    check((f2l_delta_shape){2, 23, 1, 1, 64, 64}, ADDITIVE, 0.009, 0.01, 2);
    check((f2l_delta_shape){1, 19, 1, 3, 128, 128}, ADDITIVE | STARTED, 0.009, 0.01, 3);
    check((f2l_delta_shape){1, 9, 1, 2, 128, 128}, STARTED | LETTERS, 0.009, 0.01, 4);
}

Test(cuda_delta_replay, long_words_and_tiny_ones)
{
    check((f2l_delta_shape){1, 128, 2, 4, 32, 32}, ADDITIVE, 0.009, 0.01, 5);
    check((f2l_delta_shape){1, 300, 1, 4, 32, 32}, ADDITIVE | STARTED, 0.009, 0.01, 6);
    check((f2l_delta_shape){70, 1, 1, 4, 32, 32}, ADDITIVE | STARTED, 0.009, 0.01, 7);
    check((f2l_delta_shape){3, 2, 1, 1, 32, 32}, STARTED, 0.009, 0.01, 8);
    check((f2l_delta_shape){2, 0, 2, 4, 32, 32}, STARTED, 0, 0, 9);
    check((f2l_delta_shape){0, 4, 2, 4, 32, 32}, STARTED, 0, 0, 10);
}

/* Permutations and projections of states with few digits lose nothing, over any number of
 * chunks. */
Test(cuda_delta_replay, exact_keys_are_exact)
{
    for (size_t n = 1; n <= 8; n++)
        for (size_t D = 32; D <= 64; D *= 2) {
            sample s;
            sample_init(&s, (f2l_delta_shape){1, 90, 2, n, D, D},
                        STARTED | EXACT | (n & 1 ? ADDITIVE : 0) | (n & 2 ? LETTERS : 0), n);
            for (size_t i = 0; i < s.tokens; i++)
                for (size_t j = 0; j < D; j++) s.wide[0][i * D + j] = 0;
            const size_t rows = s.tables ? s.tables * 2 : s.tokens;
            memset(s.q, 0, rows * D * sizeof *s.q);
            for (size_t i = 0; i < rows; i++) s.q[i * D + i % D] = f2l_replay_round(1);
            for (size_t i = 0; i < s.tokens; i++)
                s.wide[0][i * D + (s.letter ? s.letter[i / 2] * 2 + i % 2 : i) % D] = 1;
            result r;
            run(&r, &s);
            compare(&r, &s, 0, 0.03); /* roundings of dS add up, since no factor shrinks it */
            result_clear(&r);
            sample_clear(&s);
        }
}

/* A word in two pieces gives the bits of the whole word when the cut is between chunks. */
Test(cuda_delta_replay, a_word_in_pieces)
{
    sample s;
    sample_init(&s, (f2l_delta_shape){1, 24, 2, 4, 32, 32}, ADDITIVE | STARTED, 11);
    result r;
    run(&r, &s);
    const size_t D = 32, cut = 8, H = 2, N = 4;
    float *state = calloc(H * D * D, sizeof *state);
    uint16_t *out = poisoned(s.tokens * D);
    f2l_delta_shape first = s.shape, rest = s.shape;
    first.tokens = cut, rest.tokens -= cut;
    const f2l_delta_mma_in in = given(&s);
    const f2l_delta_mma_in later = {in.q + cut * H * D,
                                    in.k + cut * N * H * D,
                                    in.v + cut * N * H * D,
                                    in.beta + cut * N * H,
                                    in.h0,
                                    NULL,
                                    NULL};
    cr_assert_eq(f2l_replay_delta_forward(out, state, NULL, false, &in, &first, NULL), F2L_OK);
    cr_assert_eq(
        f2l_replay_delta_forward(out + cut * H * D, state, NULL, true, &later, &rest, NULL),
        F2L_OK);
    same_bits("out", out, r.out, s.tokens * D * sizeof *out);
    free(state), free(out);
    result_clear(&r);
    sample_clear(&s);
}

Test(cuda_delta_replay, refuses)
{
    const f2l_delta_mma_in in = {0};
    const f2l_delta_mma_grad grad = {0};
    const f2l_delta_shape bad[] = {
        {1, 1, 1, 0, 32, 32}, {1, 1, 1, 9, 32, 32}, {1, 1, 1, 1, 48, 48}, {1, 1, 1, 1, 32, 64}};
    for (size_t i = 0; i < 4; i++) {
        f2l_error err;
        cr_assert_eq(f2l_replay_delta_forward(NULL, NULL, NULL, false, &in, &bad[i], &err),
                     F2L_EDOMAIN);
        cr_assert_eq(f2l_replay_delta_backward(&grad, NULL, NULL, NULL, &in, &bad[i], &err),
                     F2L_EDOMAIN);
    }
#ifdef F2L_MEM_FAILURES
    f2l_error err;
    const f2l_delta_shape good = {0, 1, 1, 1, 32, 32};
    f2l_mem_fail_after(1, true);
    cr_assert_eq(f2l_replay_delta_forward(NULL, NULL, NULL, false, &in, &good, &err), F2L_ENOMEM);
    cr_assert_eq(f2l_replay_delta_backward(&grad, NULL, NULL, NULL, &in, &good, &err), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
#endif
}

Test(cuda_delta_replay, bf16_rounds_to_even)
{
    cr_assert_eq(f2l_replay_round(1.00390625f), 0x3f80); /* half way down to even */
    cr_assert_eq(f2l_replay_round(1.01171875f), 0x3f82); /* half way up to even */
    cr_assert_eq(f2l_replay_round(1.0039064f), 0x3f81);
    cr_assert_eq(f2l_replay_round(INFINITY), 0x7f80);
    cr_assert(isnan(f2l_replay_widen(f2l_replay_round(NAN))));
    for (uint32_t x = 0; x < 0x7f80; x++)
        cr_assert_eq(f2l_replay_round(f2l_replay_widen((uint16_t)x)), x);
}
