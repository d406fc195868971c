#include "kernels/delta_row.h"
#include "kernels/base/kernels_number.h"
#include <math.h>
#include <string.h>

int64_t f2l_delta_at(const fsa2lrnn_kernels_array *array, const f2l_delta_head *h, int64_t row,
                     int64_t head)
{
    return h->batch * array->stride[0] + row * array->stride[1] + head * array->stride[2];
}

void f2l_delta_read_key(f2l_delta_key *key, const fsa2lrnn_kernels_array *array,
                        const f2l_delta_head *h, int64_t row, const fsa2lrnn_delta_product *p)
{
    f2l_kernels_load(key->x, array->data, f2l_delta_at(array, h, row, h->key_head), p->key,
                     p->type);
    key->factor = 1, key->fixed = true;
    if (p->norm == FSA2LRNN_KERNELS_NO_NORM) return;
    double squares = 0;
    for (int64_t i = 0; i < p->key; i++) squares += key->x[i] * key->x[i];
    const double eps = (double)p->norm_eps, length = sqrt(squares);
    key->fixed = p->norm == FSA2LRNN_KERNELS_NORM_MAX && length < eps;
    key->factor = p->norm == FSA2LRNN_KERNELS_NORM_ADD ? 1 / sqrt(squares + eps)
                  : key->fixed                         ? 1 / eps
                                                       : 1 / length;
    for (int64_t i = 0; i < p->key; i++) key->x[i] *= key->factor;
}

void f2l_delta_norm_backward(double *d, const f2l_delta_key *key, const fsa2lrnn_delta_product *p)
{
    double along = 0;
    for (int64_t i = 0; i < p->key && !key->fixed; i++) along += d[i] * key->x[i];
    for (int64_t i = 0; i < p->key; i++) d[i] = key->factor * (d[i] - along * key->x[i]);
}

void f2l_delta_read_factor(f2l_delta_factor *f, const fsa2lrnn_delta_product_in *in,
                           const f2l_delta_head *h, int64_t row, const fsa2lrnn_delta_product *p)
{
    double beta;
    const int64_t at = h->batch * in->beta.stride[0] + row * in->beta.stride[1] + h->head;
    f2l_delta_read_key(&f->k, &in->k, h, row, p);
    memset(f->v, 0, sizeof f->v);
    if (in->v.data)
        f2l_kernels_load(f->v, in->v.data, f2l_delta_at(&in->v, h, row, h->head), p->value,
                         p->type);
    f2l_kernels_load(&beta, in->beta.data, at, 1, p->beta_type);
    f->beta = beta, f->slope = 1;
    if (p->beta == FSA2LRNN_KERNELS_BETA) return;
    const double most = p->beta == FSA2LRNN_KERNELS_BETA_SIGMOID ? 1 : 2, s = 1 / (1 + exp(-beta));
    f->beta = most * s, f->slope = most * s / (1 + exp(beta));
}

bool f2l_delta_read_gate(double *decay, const fsa2lrnn_delta_product_in *in,
                         const f2l_delta_head *h, int64_t t, const fsa2lrnn_delta_product *p)
{
    if (p->gate == FSA2LRNN_KERNELS_NO_GATE) return false;
    if (p->gate == FSA2LRNN_KERNELS_GATE_KEY) {
        f2l_kernels_load(decay, in->g.data, f2l_delta_at(&in->g, h, h->first + t, h->head), p->key,
                         p->beta_type);
        for (int64_t i = 0; i < p->key; i++) decay[i] = exp(decay[i]);
        return true;
    }
    double g;
    const int64_t at = h->batch * in->g.stride[0] + (h->first + t) * in->g.stride[1] + h->head;
    f2l_kernels_load(&g, in->g.data, at, 1, p->beta_type);
    g = exp(g);
    for (int64_t i = 0; i < p->key; i++) decay[i] = g;
    return true;
}

void f2l_delta_decay(double *S, const double *decay, const fsa2lrnn_delta_product *p)
{
    for (int64_t i = 0; i < p->key; i++)
        for (int64_t j = 0; j < p->value; j++) S[i * p->value + j] *= decay[i];
}

void f2l_delta_times(double *y, const double *S, const double *x, const fsa2lrnn_delta_product *p)
{
    for (int64_t j = 0; j < p->value; j++) y[j] = 0;
    for (int64_t i = 0; i < p->key; i++)
        for (int64_t j = 0; j < p->value; j++) y[j] += S[i * p->value + j] * x[i];
}

void f2l_delta_apply(double *S, double *u, const f2l_delta_factor *f,
                     const fsa2lrnn_delta_product *p)
{
    f2l_delta_times(u, S, f->k.x, p);
    for (int64_t j = 0; j < p->value; j++) u[j] = f->v[j] - u[j];
    for (int64_t i = 0; i < p->key; i++) {
        const double b = f->beta * f->k.x[i];
        for (int64_t j = 0; j < p->value; j++) S[i * p->value + j] += b * u[j];
    }
}

void f2l_delta_round(double *S, const fsa2lrnn_delta_product *p)
{
    for (int64_t i = 0; i < p->key * p->value && p->type != FSA2LRNN_KERNELS_F64; i++)
        S[i] = (double)(float)S[i];
}

static int64_t state_at(int64_t state, int64_t head, const fsa2lrnn_delta_product *p)
{
    return (state * p->heads + head) * p->key * p->value;
}

void f2l_delta_take_state(double *S, const void *states, int64_t state, int64_t head, int type,
                          const fsa2lrnn_delta_product *p)
{
    const int64_t at = state_at(state, head, p), K = p->key, V = p->value;
    if (!states || state < 0) {
        memset(S, 0, (size_t)(K * V) * sizeof *S);
    } else if (p->state_order == FSA2LRNN_KERNELS_STATE_KV) {
        f2l_kernels_load(S, states, at, K * V, type);
    } else {
        for (int64_t i = 0; i < K; i++)
            for (int64_t j = 0; j < V; j++)
                f2l_kernels_load(S + i * V + j, states, at + j * K + i, 1, type);
    }
}

void f2l_delta_put_state(void *states, const double *S, int64_t state, int64_t head,
                         const fsa2lrnn_delta_product *p)
{
    const int64_t at = state_at(state, head, p), K = p->key, V = p->value;
    if (!states || state < 0) return;
    if (p->state_order == FSA2LRNN_KERNELS_STATE_KV) {
        f2l_kernels_store(states, at, S, K * V, p->state_type);
        return;
    }
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < V; j++)
            f2l_kernels_store(states, at + j * K + i, S + i * V + j, 1, p->state_type);
}
