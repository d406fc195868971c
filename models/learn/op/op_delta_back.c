/* Backward of the delta product. With D the gradient at S, e = v - S^T k and S' = S + beta k e^T:
 *
 *     r = D'^T k;  dv = beta r;  dbeta = r . e;  dk = beta (D' e - S r);  D = D' - beta k r^T;
 *
 * at a token first D += q do^T, dq = S do, and last dgate = <D, S>, D = gate D. S is computed
 * again: a checkpoint every `segment` tokens, then every S of a segment. Both tables are least when
 * segment is near sqrt(tokens / (householders + 1)). */
#include "models/learn/op/op_delta_strip.h"
#include "numeric/base/mem.h"

/* Returns the number of tokens between two checkpoints. */
static size_t segment_of(const f2l_delta_shape *s)
{
    const size_t per_token = s->householders + 1;
    size_t segment = 1;
    while (segment < s->tokens && segment * segment * per_token < s->tokens) segment++;
    return segment;
}

static size_t segments_of(const f2l_delta_shape *s)
{
    return s->tokens / segment_of(s) + 1;
}

/* Computes the numbers in the work table of one strip: checkpoints, states of a segment, e, D, one
 * row of the key. */
static bool work_numbers(size_t *numbers, const f2l_delta_shape *s)
{
    size_t rows, more, slots;
    if (!f2l_add_size(&slots, s->householders, 1) || !f2l_mul_size(&slots, slots, segment_of(s)))
        return false;
    if (!f2l_add_size(&rows, slots, 2) || !f2l_add_size(&rows, rows, segments_of(s))) return false;
    if (!f2l_mul_size(&rows, rows, s->key) || !f2l_add_size(&rows, rows, slots)) return false;
    if (!f2l_mul_size(&rows, rows, STRIP) || !f2l_add_size(&more, rows, s->key)) return false;
    *numbers = more;
    return true;
}

size_t f2l_delta_work_f32(const f2l_delta_shape *shape)
{
    size_t numbers, bytes;
    const bool fits = work_numbers(&numbers, shape) && f2l_mul_size(&bytes, numbers, sizeof(float));
    return fits ? bytes : SIZE_MAX;
}

typedef struct delta_work {
    float *table;      /* all arrays below */
    float *checkpoint; /* [segments][key][STRIP], S before the segment */
    float *S;          /* [segment (N + 1) + 1][key][STRIP] at most: see states_of_token */
    float *e; /* [segment (N + 1)][STRIP] at most, each at the place of the state before its factor
               */
    float *D; /* [key][STRIP] */
    float *unwanted; /* [key] */
    const f2l_delta_shape *s;
    const f2l_delta_in_f32 *in;
    const f2l_delta_grad_f32 *grad;
} delta_work;

static bool delta_work_init(delta_work *w, const f2l_delta_shape *s)
{
    size_t numbers;
    if (!work_numbers(&numbers, s)) return false;
    w->table = f2l_calloc(numbers, sizeof *w->table);
    if (!w->table) return false;
    const size_t slots = segment_of(s) * (s->householders + 1), matrix = s->key * STRIP;
    w->checkpoint = w->table;
    w->S = w->checkpoint + segments_of(s) * matrix;
    w->e = w->S + (slots + 1) * matrix;
    w->D = w->e + slots * STRIP;
    w->unwanted = w->D + matrix;
    return true;
}

/* Returns the number of states that a token has in a segment: before the gate, if there is one, and
 * before each factor. */
static size_t states_of_token(const delta_work *w)
{
    return w->s->householders + (w->in->gate ? 1 : 0);
}

/* Replaces w->S[0] by the state after tokens first .. last - 1. */
F2L_CLONES
static void pass_delta_tokens(delta_work *w, const f2l_delta_place *at, size_t first, size_t last)
{
    for (size_t t = first; t < last; t++) step_token(w->S, w->e, w->in, w->s, at, t);
}

/* Computes the states of tokens first .. last - 1 from w->S[0]. Behind them is S at the end. */
F2L_CLONES
static void replay_delta_tokens(delta_work *w, const f2l_delta_place *at, size_t first, size_t last)
{
    const f2l_delta_shape *s = w->s;
    const size_t K = s->key, matrix = K * STRIP;
    float *S = w->S, *e = w->e, v[STRIP];
    for (size_t t = first; t < last; t++) {
        if (w->in->gate) {
            apply_gate(S + matrix, S, w->in->gate[token_row(s, at, t)], K);
            S += matrix;
            e += STRIP;
        }
        for (size_t n = 0; n < s->householders; n++, S += matrix, e += STRIP) {
            const size_t factor = factor_row(s, at, t, n);
            take(v, w->in->v ? w->in->v + factor * s->value + at->from : NULL, at->width);
            apply_factor(S + matrix, e, S, w->in->k + factor * K, v, w->in->beta[factor], K);
        }
    }
}

F2L_INLINE float strip_sum(const float *x)
{
    float y[STRIP / 4];
    to_quarter(y, (const half *)x, (const half *)x + 1);
    return quarter_sum(y);
}

/* Computes dk += beta (D e - S r). */
F2L_INLINE void gradient_of_key(float *dk, const float *D, const float *S, const float *e,
                                const float *r, float beta, size_t K)
{
    const half *d = (const half *)D, *s = (const half *)S;
    const half e0 = ((const half *)e)[0], e1 = ((const half *)e)[1];
    const half r0 = ((const half *)r)[0], r1 = ((const half *)r)[1];
    float y[4][STRIP / 4];
    for (size_t i = 0; i < K; i++) {
        const half low = d[2 * i] * e0 - s[2 * i] * r0,
                   high = d[2 * i + 1] * e1 - s[2 * i + 1] * r1;
        to_quarter(y[i % 4], &low, &high);
        if (i % 4 == 3) add_four_sums(dk + i - 3, y, beta);
    }
    for (size_t i = K - K % 4; i < K; i++) dk[i] += beta * quarter_sum(y[i % 4]);
}

F2L_CLONES
static void back_delta_factor(delta_work *w, const f2l_delta_place *at, const float *S,
                              const float *e, size_t factor)
{
    const size_t K = w->s->key;
    const float *k = w->in->k + factor * K, beta = w->in->beta[factor];
    float *dk = w->grad->dk ? w->grad->dk + factor * K : w->unwanted;
    float r[STRIP], x[STRIP];
    transposed_times(r, w->D, k, K);
    if (w->grad->dbeta) {
        for (size_t l = 0; l < STRIP; l++) x[l] = r[l] * e[l];
        w->grad->dbeta[factor] += strip_sum(x);
    }
    if (w->grad->dv)
        for (size_t l = 0; l < at->width; l++)
            w->grad->dv[factor * w->s->value + at->from + l] = beta * r[l];
    gradient_of_key(dk, w->D, S, e, r, beta, K);
    for (size_t l = 0; l < STRIP; l++) r[l] *= -beta;
    add_outer(w->D, w->D, k, r, K);
}

/* Computes backward of o = S^T q at a token, S being the state after the token. */
F2L_CLONES
static void back_delta_output(delta_work *w, const f2l_delta_place *at, const float *S,
                              const float *dout, size_t token)
{
    const size_t K = w->s->key;
    const float *q = w->in->q + token * K;
    float *dq = w->grad->dq ? w->grad->dq + token * K : w->unwanted;
    float g[STRIP];
    take(g, dout + token * w->s->value + at->from, at->width);
    add_times(dq, S, g, K);
    add_outer(w->D, w->D, q, g, K);
}

F2L_CLONES
static void back_delta_gate(delta_work *w, const float *S, size_t token)
{
    float x[STRIP] = {0};
    for (size_t i = 0; i < w->s->key * STRIP; i += STRIP)
        for (size_t l = 0; l < STRIP; l++) x[l] += w->D[i + l] * S[i + l];
    if (w->grad->dgate) w->grad->dgate[token] += strip_sum(x);
    apply_gate(w->D, w->D, w->in->gate[token], w->s->key);
}

static void back_segment(delta_work *w, const f2l_delta_place *at, const float *dout, size_t first,
                         size_t last)
{
    const size_t N = w->s->householders, states = states_of_token(w), matrix = w->s->key * STRIP;
    for (size_t t = last; t-- > first;) {
        const float *S = w->S + (t - first) * states * matrix,
                    *e = w->e + (t - first) * states * STRIP;
        const size_t token = token_row(w->s, at, t), gates = states - N;
        back_delta_output(w, at, S + states * matrix, dout, token);
        for (size_t n = N; n-- > 0;)
            back_delta_factor(w, at, S + (gates + n) * matrix, e + (gates + n) * STRIP,
                              factor_row(w->s, at, t, n));
        if (w->in->gate) back_delta_gate(w, S, token);
    }
}

static void back_delta_strip(delta_work *w, const f2l_delta_place *at, const float *dout)
{
    const f2l_delta_shape *s = w->s;
    const size_t c = segment_of(s), matrix = s->key * STRIP, head = at->head * s->key * s->value;
    take_matrix(w->S, w->in->h0 ? w->in->h0 + head : NULL, s, at);
    for (size_t first = 0; first < s->tokens; first += c) {
        const size_t last = s->tokens - first < c ? s->tokens : first + c;
        memcpy(w->checkpoint + first / c * matrix, w->S, matrix * sizeof *w->S);
        if (last < s->tokens)
            pass_delta_tokens(w, at, first, last);
        else
            replay_delta_tokens(w, at, first, last);
    }
    memset(w->D, 0, matrix * sizeof *w->D);
    for (size_t first = (s->tokens - 1) / c * c;; first -= c) {
        const size_t last = s->tokens - first < c ? s->tokens : first + c;
        memcpy(w->S, w->checkpoint + first / c * matrix, matrix * sizeof *w->S);
        if (last < s->tokens) replay_delta_tokens(w, at, first, last);
        back_segment(w, at, dout, first, last);
        if (!first) break;
    }
    for (size_t i = 0; w->grad->dh0 && i < s->key; i++)
        for (size_t l = 0; l < at->width; l++)
            w->grad->dh0[head + i * s->value + at->from + l] += w->D[i * STRIP + l];
}

/* Clears the gradients to which the strips add. */
static void clear_gradients(const f2l_delta_grad_f32 *g, const f2l_delta_shape *s)
{
    const size_t tokens = s->batch * s->tokens * s->heads, factors = tokens * s->householders;
    if (g->dq) memset(g->dq, 0, tokens * s->key * sizeof *g->dq);
    if (g->dk) memset(g->dk, 0, factors * s->key * sizeof *g->dk);
    if (g->dbeta) memset(g->dbeta, 0, factors * sizeof *g->dbeta);
    if (g->dgate) memset(g->dgate, 0, tokens * sizeof *g->dgate);
}

f2l_status f2l_delta_backward_f32(const f2l_delta_grad_f32 *grad, const float *dout,
                                  const f2l_delta_in_f32 *in, const f2l_delta_shape *s,
                                  f2l_error *err)
{
    delta_work w = {.s = s, .in = in, .grad = grad};
    clear_gradients(grad, s);
    if (!s->tokens) return F2L_OK;
    if (!delta_work_init(&w, s)) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t from = 0; from < s->value; from += STRIP) {
                const f2l_delta_place at = strip_at(s, b, h, from);
                back_delta_strip(&w, &at, dout);
            }
    f2l_free(w.table);
    return F2L_OK;
}
