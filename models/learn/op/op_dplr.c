/* Both directions. With D the gradient at the new S', u = S^T b and r = D^T a:
 *
 *     dq = S' do, D += q do^T;  dk = D v, dv = D^T k;  da = D u, db = S r, dw_i = <D_i, S_i>;
 *     D <- diag(w) D + b r^T.
 *
 * A gate near 0 cannot be undone, so S is computed again: a checkpoint every `segment` tokens, then
 * every S of a segment. */
#include "models/learn/op/op_dplr.h"
#include "models/learn/op/op_delta_strip.h"
#include "numeric/base/mem.h"

/* Returns a shape with the same rows and strips. */
static f2l_delta_shape strips_of(const f2l_dplr_shape *s)
{
    return (f2l_delta_shape){s->batch, s->tokens, s->heads, 1, s->key, s->value};
}

/* Computes to = diag(w) S; `to` may be S. */
F2L_INLINE void scale_state_rows(float *to, const float *S, const float *w, size_t K)
{
    for (size_t i = 0; i < K; i++)
        for (size_t l = 0; l < STRIP; l++) to[i * STRIP + l] = w[i] * S[i * STRIP + l];
}

/* Computes the state after a token, to, from S; `to` may be S. */
F2L_INLINE void advance_dplr_state(float *to, const float *S, const f2l_dplr_in_f32 *in,
                                   size_t token, const f2l_delta_place *at, const f2l_dplr_shape *s)
{
    const size_t K = s->key;
    float u[STRIP] = {0}, v[STRIP];
    if (in->a) transposed_times(u, S, in->b + token * K, K);
    scale_state_rows(to, S, in->w + token * K, K);
    if (in->a) add_outer(to, to, in->a + token * K, u, K);
    take(v, in->v + token * s->value + at->from, at->width);
    add_outer(to, to, in->k + token * K, v, K);
}

F2L_CLONES
static void forward_strip(float *out, float *S, const f2l_dplr_in_f32 *in, const f2l_dplr_shape *s,
                          const f2l_delta_shape *rows, const f2l_delta_place *at)
{
    float o[STRIP];
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t token = token_row(rows, at, t);
        advance_dplr_state(S, S, in, token, at, s);
        transposed_times(o, S, in->q + token * s->key, s->key);
        memcpy(out + token * s->value + at->from, o, at->width * sizeof *o);
    }
}

f2l_status f2l_dplr_forward_f32(float *out, float *state, const f2l_dplr_in_f32 *in,
                                const f2l_dplr_shape *s, f2l_error *err)
{
    const f2l_delta_shape rows = strips_of(s);
    float *S = f2l_calloc(s->key, STRIP * sizeof *S);
    if (!S) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t from = 0; from < s->value; from += STRIP) {
                const f2l_delta_place at = strip_at(&rows, b, h, from);
                float *mine = state ? state + (b * s->heads + h) * s->key * s->value : NULL;
                take_matrix(S, mine, &rows, &at);
                forward_strip(out, S, in, s, &rows, &at);
                for (size_t i = 0; mine && i < s->key; i++)
                    memcpy(mine + i * s->value + from, S + i * STRIP, at.width * sizeof *S);
            }
    f2l_free(S);
    return F2L_OK;
}

/* --- backward --- */

typedef struct dplr_work {
    float *table;      /* all arrays below */
    float *checkpoint; /* [segments][key][STRIP], S before the segment */
    float *S;       /* [segment + 1][key][STRIP], S before each token of a segment, and after it */
    float *D;       /* [key][STRIP] */
    size_t segment; /* tokens between two checkpoints */
    f2l_delta_shape rows;
    const f2l_dplr_shape *s;
    const f2l_dplr_in_f32 *in;
    const f2l_dplr_grad_f32 *grad;
} dplr_work;

static bool dplr_work_init(dplr_work *w, const f2l_dplr_shape *s)
{
    size_t matrix, rows, segments;
    w->segment = 1;
    while (w->segment < s->tokens && w->segment * w->segment < s->tokens) w->segment++;
    segments = s->tokens / w->segment + 1;
    if (!f2l_mul_size(&matrix, s->key, STRIP) || !f2l_add_size(&rows, segments, w->segment + 2) ||
        !f2l_mul_size(&rows, rows, matrix))
        return false;
    w->table = f2l_calloc(rows, sizeof *w->table);
    if (!w->table) return false;
    w->checkpoint = w->table;
    w->S = w->checkpoint + segments * matrix;
    w->D = w->S + (w->segment + 1) * matrix;
    return true;
}

/* Computes the states of tokens first .. last - 1 from w->S[0]. */
F2L_CLONES
static void replay(dplr_work *w, const f2l_delta_place *at, size_t first, size_t last)
{
    const size_t matrix = w->s->key * STRIP;
    float *S = w->S;
    for (size_t t = first; t < last; t++, S += matrix)
        advance_dplr_state(S + matrix, S, w->in, token_row(&w->rows, at, t), at, w->s);
}

/* Steps D back over a token, from the states S before and `after` it. */
F2L_CLONES
static void back_dplr_token(dplr_work *w, const f2l_delta_place *at, const float *S,
                            const float *after, const float *dout, size_t token)
{
    const size_t K = w->s->key, V = w->s->value, key = token * K, value = token * V + at->from;
    const f2l_dplr_in_f32 *in = w->in;
    const f2l_dplr_grad_f32 *g = w->grad;
    float *D = w->D, x[STRIP], r[STRIP] = {0};
    take(x, dout + value, at->width);
    add_times(g->dq + key, after, x, K);
    add_outer(D, D, in->q + key, x, K);
    take(x, in->v + value, at->width);
    add_times(g->dk + key, D, x, K);
    transposed_times(x, D, in->k + key, K);
    memcpy(g->dv + value, x, at->width * sizeof *x);
    for (size_t i = 0; i < K; i++) {
        float sum = 0;
        for (size_t l = 0; l < STRIP; l++) x[l] = D[i * STRIP + l] * S[i * STRIP + l];
        for (size_t l = 0; l < STRIP; l++) sum += x[l];
        g->dw[key + i] += sum;
    }
    if (in->a) {
        transposed_times(x, S, in->b + key, K);
        transposed_times(r, D, in->a + key, K);
        add_times(g->da + key, D, x, K);
        add_times(g->db + key, S, r, K);
    }
    scale_state_rows(D, D, in->w + key, K);
    if (in->a) add_outer(D, D, in->b + key, r, K);
}

static void back_strip(dplr_work *w, const f2l_delta_place *at, const float *dout)
{
    const size_t tokens = w->s->tokens, c = w->segment, matrix = w->s->key * STRIP;
    memset(w->S, 0, matrix * sizeof *w->S);
    for (size_t first = 0; first < tokens; first += c) {
        const size_t last = tokens - first < c ? tokens : first + c;
        memcpy(w->checkpoint + first / c * matrix, w->S, matrix * sizeof *w->S);
        replay(w, at, first, last);
        if (last < tokens) memcpy(w->S, w->S + (last - first) * matrix, matrix * sizeof *w->S);
    }
    memset(w->D, 0, matrix * sizeof *w->D);
    for (size_t first = (tokens - 1) / c * c;; first -= c) {
        const size_t last = tokens - first < c ? tokens : first + c;
        memcpy(w->S, w->checkpoint + first / c * matrix, matrix * sizeof *w->S);
        if (last < tokens) replay(w, at, first, last);
        for (size_t t = last; t-- > first;) {
            const float *S = w->S + (t - first) * matrix;
            back_dplr_token(w, at, S, S + matrix, dout, token_row(&w->rows, at, t));
        }
        if (!first) break;
    }
}

f2l_status f2l_dplr_backward_f32(const f2l_dplr_grad_f32 *grad, const float *dout,
                                 const f2l_dplr_in_f32 *in, const f2l_dplr_shape *s, f2l_error *err)
{
    const size_t keys = s->batch * s->tokens * s->heads * s->key;
    dplr_work w = {.rows = strips_of(s), .s = s, .in = in, .grad = grad};
    float *sums[] = {grad->dq, grad->dk, grad->dw, grad->da, grad->db}; /* the strips add to them */
    for (size_t i = 0; i < (in->a ? 5 : 3) && keys; i++) memset(sums[i], 0, keys * sizeof **sums);
    if (!keys) return F2L_OK;
    if (!dplr_work_init(&w, s)) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t from = 0; from < s->value; from += STRIP) {
                const f2l_delta_place at = strip_at(&w.rows, b, h, from);
                back_strip(&w, &at, dout);
            }
    f2l_free(w.table);
    return F2L_OK;
}
