/* Limits within the spans of keys (theory/pages/all-lengths.md, AL.2). */
#include "theory/beside/horizon/limit_span.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* A key's part off the others that reads are right with, and the size of (I - M)^-1. */
#define FINE_PART 0x1p-14
#define FINE_INVERSE 1e7
/* f2l_limit_room, so that no rounding decides. */
#define SURELY_FITS 2
/* |M^2| of |M| = 1, for squares that are right to many digits. */
#define LEAST_SQUARE 1e-9
/* |M^1024| where its squares are 0 in doubles, where they are normal, and how far its logarithm is
 * below 0, so that a thousandth is more than roundings. */
#define SURELY_ZERO 1e-165
#define SURELY_NORMAL 1e-150
#define SURELY_BELOW 1e-5
enum { MOST = F2L_LEARNED_MAX_DIM, POWER = 10 };

f2l_status f2l_span_init(f2l_span *out, const f2l_learned_net *net, f2l_error *err)
{
    const size_t H = net->c->heads, K = net->c->key_dim, V = net->c->value_dim;
    const size_t each = 2 * K * K + K * V;
    *out = (f2l_span){.net = net, .values = net->letter.array[F2L_DELTA_LETTER_VALUE] != NULL};
    out->head = f2l_calloc(H, sizeof *out->head);
    out->memory = f2l_calloc(H * each, sizeof *out->memory);
    if (!out->head || !out->memory) return f2l_fail_memory(err);
    for (size_t h = 0; h < H; h++) {
        f2l_span_head *d = &out->head[h];
        d->basis = out->memory + h * each;
        d->map = d->basis + K * K;
        d->fixed = d->map + K * K;
    }
    return F2L_OK;
}

void f2l_span_clear(f2l_span *x)
{
    f2l_free(x->head);
    f2l_free(x->memory);
    *x = (f2l_span){0};
}

/* Sets M. */
static void set_map(const f2l_span *x, f2l_span_head *d, const f2l_settle_word *u, size_t head)
{
    const size_t K = x->net->c->key_dim, r = d->count;
    double columns[MOST * MOST] = {0};
    for (size_t i = 0; i < K * r; i++) columns[i] = d->basis[i % r * K + i / r];
    for (size_t i = 0; i < u->count; i++)
        f2l_learned_apply(columns, columns, x->net, u->letter[i], head, r, false);
    memset(d->map, 0, r * r * sizeof *d->map);
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < r; j++)
                d->map[i * r + j] += d->basis[i * K + l] * columns[l * r + j];
}

/* Sets x = Q^T (I - M)^-1 Q f_u(0). */
static void set_fixed(const f2l_span *x, f2l_span_head *d, const f2l_settle_word *u, size_t head,
                      const double *inverse)
{
    const size_t K = x->net->c->key_dim, V = x->net->c->value_dim, r = d->count;
    double shift[MOST * MOST] = {0}, in[MOST * MOST] = {0}, out[MOST * MOST] = {0};
    for (size_t i = 0; i < u->count; i++)
        f2l_learned_apply(shift, shift, x->net, u->letter[i], head, V, true);
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < V; j++) in[i * V + j] += d->basis[i * K + l] * shift[l * V + j];
    for (size_t i = 0; i < r; i++)
        for (size_t l = 0; l < r; l++)
            for (size_t j = 0; j < V; j++) out[i * V + j] += inverse[i * r + l] * in[l * V + j];
    memset(d->fixed, 0, K * V * sizeof *d->fixed);
    for (size_t l = 0; l < r; l++)
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < V; j++)
                d->fixed[i * V + j] += d->basis[l * K + i] * out[l * V + j];
}

/* Sets a head whose basis is there, with the least part of a key in it. */
static f2l_span_kind set_head(f2l_span *x, const f2l_settle_word *u, size_t head, double least)
{
    const size_t K = x->net->c->key_dim;
    f2l_span_head *d = &x->head[head];
    const size_t r = d->count;
    double inverse[MOST * MOST], m[MOST * MOST];
    for (size_t i = 0; r == K && i < K * K; i++) d->basis[i] = i % (K + 1) == 0;
    set_map(x, d, u, head);
    for (size_t i = 0; i < r * r; i++) m[i] = (i % (r + 1) == 0) - d->map[i];
    f2l_limit_invert(inverse, m, r);
    const double size = fmax(1, f2l_learned_length(inverse, r * r));
    const bool fits = f2l_limit_room(x->net, u, head, r, least, size) > SURELY_FITS;
    const bool fine = (r == K || least > FINE_PART) && (!x->values || size < FINE_INVERSE);
    if (!fits || !fine) return F2L_SPAN_ROUGH;
    if (x->values) set_fixed(x, d, u, head, inverse);
    return F2L_SPAN_FINE;
}

void f2l_span_set(f2l_span *x, const f2l_settle_word *period)
{
    const size_t H = x->net->c->heads, K = x->net->c->key_dim;
    double least[F2L_LEARNED_MAX_HEADS];
    x->full = true;
    x->kind = F2L_SPAN_DEPENDENT;
    for (size_t h = 0; h < H; h++) {
        f2l_span_head *d = &x->head[h];
        d->count = f2l_limit_basis(d->basis, &least[h], x->net, period, h);
        if (!f2l_limit_spans(d->count, K, least[h])) return;
        x->full = x->full && d->count == K;
    }
    x->kind = x->full ? F2L_SPAN_ROUGH : F2L_SPAN_FINE;
    for (size_t h = 0; h < H && x->kind == F2L_SPAN_FINE; h++)
        x->kind = set_head(x, period, h, least[h]);
}

void f2l_span_read(double *query, double *shift, const f2l_span *x, const double *q)
{
    const size_t K = x->net->c->key_dim, V = x->net->c->value_dim;
    for (size_t h = 0; h < x->net->c->heads; h++, q += K, query += K, shift += V) {
        const f2l_span_head *d = &x->head[h];
        memcpy(query, q, K * sizeof *q);
        for (size_t i = 0; i < d->count; i++) {
            const double part = f2l_learned_dot(d->basis + i * K, q, K);
            for (size_t l = 0; l < K; l++) query[l] -= part * d->basis[i * K + l];
        }
        memset(shift, 0, V * sizeof *shift);
        for (size_t l = 0; x->values && l < K; l++)
            for (size_t j = 0; j < V; j++) shift[j] += q[l] * d->fixed[l * V + j];
    }
}

/* Returns the logarithm of |M^1024|, as f2l_learned_norm has it; NAN where roundings may decide it.
 */
static double log_of_power(const f2l_span_head *d)
{
    const size_t r = d->count;
    double m[MOST * MOST], next[MOST * MOST], log_size = 0;
    if (r == 0) return -INFINITY;
    memcpy(m, d->map, r * r * sizeof *m);
    for (size_t i = 0; i <= POWER; i++) {
        const double size = f2l_learned_length(m, r * r);
        if (!(size > (i == 0 ? 0 : LEAST_SQUARE))) return NAN;
        log_size = 2 * log_size * (i > 0) + log(size);
        for (size_t j = 0; j < r * r; j++) m[j] /= size;
        if (i == POWER) break;
        f2l_limit_multiply(next, m, m, r, r);
        memcpy(m, next, r * r * sizeof *m);
    }
    return log_size + log(f2l_learned_norm(m, r, r, 10));
}

double f2l_span_rate(const f2l_span *x)
{
    double most = -INFINITY;
    for (size_t h = 0; h < x->net->c->heads; h++) {
        const double one = log_of_power(&x->head[h]);
        if (isnan(one)) return NAN;
        most = fmax(most, one);
    }
    if (most < log(SURELY_ZERO)) return 0;
    return most > log(SURELY_NORMAL) && most < -SURELY_BELOW ? exp(most / (1 << POWER)) : NAN;
}
