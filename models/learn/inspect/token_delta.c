/* The numbers of a layer with the mixer delta: models/learn/inspect/token_heads.h. */
#include "models/learn/inspect/impl.h"
#include "models/learn/inspect/token_impl.h"
#include "models/learn/seq/delta/seq_delta.h"
#include <math.h>
#include <string.h>

/* One head of a layer, and its numbers of the piece. */
typedef struct layer_head {
    f2l_token_head *sums;
    double *state, *last_key;
    const double *beta, *key, *gate, *value; /* [tokens][..] of all heads; gate and value may be
                                                NULL */
    size_t H, N, K, V, head;
} layer_head;

static const double *array_of(const token_reader *r, size_t array)
{
    const size_t slot = r->slot[array];
    if (slot == F2L_SLOTS || r->pass->places->width[slot] == 0) return NULL;
    return f2l_seq_at_f64(r->pass, r->layer, slot);
}

static layer_head open_head(const token_reader *r, size_t head)
{
    const f2l_seq_config *c = &r->model->config;
    const size_t at = r->layer * c->heads + head;
    return (layer_head){.sums = &r->out->head[at],
                        .state = r->state + at * c->key_dim * c->value_dim,
                        .last_key = r->last_key + at * c->key_dim,
                        .beta = array_of(r, F2L_DELTA_LETTER_BETA),
                        .key = array_of(r, F2L_DELTA_LETTER_KEY),
                        .gate = c->forget_gate ? array_of(r, F2L_DELTA_LETTER_GATE) : NULL,
                        .value = array_of(r, F2L_DELTA_LETTER_VALUE),
                        .H = c->heads,
                        .N = c->householders,
                        .K = c->key_dim,
                        .V = c->value_dim,
                        .head = head};
}

static double beta_of(const layer_head *h, size_t token, size_t factor)
{
    return h->beta[(token * h->N + factor) * h->H + h->head];
}

static const double *key_of(const layer_head *h, size_t token, size_t factor)
{
    return h->key + ((token * h->N + factor) * h->H + h->head) * h->K;
}

static double gate_of(const layer_head *h, size_t token)
{
    return h->gate ? h->gate[token * h->H + h->head] : 1;
}

/* Adds the betas and angles of a token, and keeps its last key. */
static void add_factors(layer_head *h, double *unit, size_t token, bool first)
{
    f2l_token_head *s = h->sums;
    for (size_t n = 0; n < h->N; n++) {
        const double *key = key_of(h, token, n);
        const double square = f2l_dense_dot(key, key, h->K), beta = beta_of(h, token, n) * square;
        for (size_t i = 0; i < h->K; i++) unit[i] = square > 0 ? key[i] / sqrt(square) : 0;
        f2l_token_spread_add(&s->betas, beta);
        s->beta_low += beta < 0.1;
        s->beta_above_1 += beta > 1;
        s->beta_above_19 += beta > 1.9;
        const double angle =
            first && n == 0 ? (double)NAN : f2l_inspect_line_angle(h->last_key, unit, h->K);
        if (!isnan(angle)) f2l_token_spread_add(n == 0 ? &s->across : &s->within, angle);
        memcpy(h->last_key, unit, h->K * sizeof *unit);
    }
    if (h->gate) f2l_token_spread_add(&s->gates, gate_of(h, token));
}

/* Writes the coordinates of the keys [m][K] in an orthonormal basis of a space of M = min(m, K)
 * dimensions that has them all, [m][M]. */
static f2l_status find_coordinates(double *out, double *keys, size_t m, size_t K, f2l_error *err)
{
    if (m > K) { /* the space is all, and the basis the unit vectors */
        memcpy(out, keys, m * K * sizeof *keys);
        return F2L_OK;
    }
    /* LAPACK's columns are these rows: the triangle's column n are the coordinates of key n */
    const f2l_status status = f2l_dense_triangle(keys, K, m, err);
    for (size_t n = 0; n < m; n++)
        for (size_t i = 0; i < m; i++) out[n * m + i] = i <= n ? keys[n * K + i] : 0;
    return status;
}

/* Adds the eigenvalues of the product of the matrices of `tokens` tokens from `first` on, in the
 * space of their keys; all others are the gate. */
static f2l_status add_eigenvalues(f2l_token_eigen *sums, const layer_head *h, token_reader *r,
                                  size_t first, size_t tokens, f2l_error *err)
{
    double a[F2L_DENSE_MOST * F2L_DENSE_MOST], re[F2L_DENSE_MOST], im[F2L_DENSE_MOST];
    const size_t m = tokens * h->N, K = h->K, M = m < K ? m : K;
    double gate = 1;
    for (size_t t = 0; t < tokens; t++) {
        gate *= gate_of(h, first + t);
        for (size_t n = 0; n < h->N; n++) {
            r->beta[t * h->N + n] = beta_of(h, first + t, n);
            memcpy(r->keys + (t * h->N + n) * K, key_of(h, first + t, n), K * sizeof *r->keys);
        }
    }
    f2l_status status = find_coordinates(r->coordinates, r->keys, m, K, err);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) a[i * M + j] = i == j ? gate : 0;
    for (size_t n = 0; n < m; n++) {
        const double *c = r->coordinates + n * M;
        for (size_t j = 0; j < M; j++) {
            double part = 0;
            for (size_t i = 0; i < M; i++) part += c[i] * a[i * M + j];
            for (size_t i = 0; i < M; i++) a[i * M + j] -= r->beta[n] * c[i] * part;
        }
    }
    if (status == F2L_OK) status = f2l_dense_eigenvalues(re, im, a, M, err);
    for (size_t i = 0; i < M && status == F2L_OK; i++) f2l_token_eigen_add(sums, re[i], im[i]);
    sums->matrices++;
    return status;
}

/* Computes S <- gate S, then S <- S - beta_n k_n (k_n^T S - v_n^T) for every factor. part [V] is
 * scratch. */
static void step_state(const layer_head *h, double *part, size_t token)
{
    const double gate = gate_of(h, token);
    for (size_t i = 0; i < h->K * h->V; i++) h->state[i] *= gate;
    for (size_t n = 0; n < h->N; n++) {
        const double *key = key_of(h, token, n), beta = beta_of(h, token, n);
        const double *value =
            h->value ? h->value + ((token * h->N + n) * h->H + h->head) * h->V : NULL;
        for (size_t j = 0; j < h->V; j++) part[j] = value ? -value[j] : 0;
        for (size_t i = 0; i < h->K; i++)
            for (size_t j = 0; j < h->V; j++) part[j] += key[i] * h->state[i * h->V + j];
        for (size_t i = 0; i < h->K; i++)
            for (size_t j = 0; j < h->V; j++) h->state[i * h->V + j] -= beta * key[i] * part[j];
    }
}

/* Puts the state before the first token of a sequence. */
static void begin_state(const token_reader *r, layer_head *h)
{
    const size_t count = h->K * h->V;
    const size_t tensor = f2l_seq_first_state(r->model, r->layer);
    if (tensor == F2L_SEQ_NONE)
        memset(h->state, 0, count * sizeof *h->state);
    else
        memcpy(h->state, r->parameters + r->model->tensor[tensor].offset + h->head * count,
               count * sizeof *h->state);
}

static f2l_status look_at_head(token_reader *r, size_t head, f2l_error *err)
{
    layer_head h = open_head(r, head);
    const size_t tokens = r->watch.piece.count, from = r->watch.piece.from, document = r->document;
    f2l_status status = F2L_OK;
    if (from == 0) begin_state(r, &h);
    for (size_t t = 0; t < tokens && status == F2L_OK; t++) {
        add_factors(&h, r->scratch, t, from + t == 0);
        status = add_eigenvalues(&h.sums->one, &h, r, t, 1, err);
        if (status == F2L_OK && t % F2L_TOKEN_PRODUCT == F2L_TOKEN_PRODUCT - 1)
            status = add_eigenvalues(&h.sums->five, &h, r, t + 1 - F2L_TOKEN_PRODUCT,
                                     F2L_TOKEN_PRODUCT, err);
        step_state(&h, r->scratch, t);
        if (status == F2L_OK) status = f2l_token_look_at_state(r, h.sums, h.state, t, err);
    }
    r->document = document; /* the next head looks at the same tokens */
    return status;
}

f2l_status f2l_token_look_at_delta(token_reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t head = 0; head < r->model->config.heads && status == F2L_OK; head++)
        status = look_at_head(r, head, err);
    return status;
}
