#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include "kernels/delta_row.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* One call, and its memory for one key head of one sequence: states before every `step` tokens and
 * before each token of such a piece, states after the gate and after each factor of a token, the
 * gradient D of the state, and the sums of dq [tokens][key] and dk [tokens][factors][key]. */
typedef struct delta_back {
    const fsa2lrnn_delta_product_grad *grad;
    const fsa2lrnn_delta_product_in *in;
    const fsa2lrnn_delta_product *p;
    size_t size; /* of a state */
    int64_t step;
    double *marks, *piece, *inner, *D, *dq, *dk;
    f2l_delta_factor factor[8];
} delta_back;

/* Steps one token; states after the gate and after each factor go to inner, where it is given. */
static void step_token(double *S, double *inner, delta_back *w, const f2l_delta_head *h, int64_t t)
{
    const fsa2lrnn_delta_product *p = w->p;
    double row[F2L_DELTA_MOST];
    if (f2l_delta_read_gate(row, w->in, h, t, p)) f2l_delta_decay(S, row, p);
    for (int64_t j = 0; j < p->factors; j++) {
        if (inner) memcpy(inner + (size_t)j * w->size, S, w->size * sizeof *S);
        f2l_delta_read_factor(&w->factor[j], w->in, h, (h->first + t) * p->factors + j, p);
        f2l_delta_apply(S, row, &w->factor[j], p);
    }
    f2l_delta_round(S, p);
    if (inner) memcpy(inner + (size_t)p->factors * w->size, S, w->size * sizeof *S);
}

/* Adds what o_t = scale S^T q gives: to D and to dq. */
static void read_out_back(delta_back *w, const f2l_delta_head *h, int64_t t)
{
    const fsa2lrnn_delta_product *p = w->p;
    const fsa2lrnn_kernels_array *dout = &w->grad->dout;
    const double *S = w->inner + (size_t)p->factors * w->size;
    double d[F2L_DELTA_MOST];
    f2l_delta_key q;
    f2l_kernels_load(d, dout->data, f2l_delta_at(dout, h, h->first + t, h->head), p->value,
                     p->type);
    f2l_delta_read_key(&q, &w->in->q, h, h->first + t, p);
    for (int64_t i = 0; i < p->key; i++) {
        double sum = 0;
        for (int64_t j = 0; j < p->value; j++) {
            sum += S[i * p->value + j] * d[j];
            w->D[i * p->value + j] += (double)p->scale * q.x[i] * d[j];
        }
        w->dq[t * p->key + i] += (double)p->scale * sum;
    }
}

/* Goes back through S1 = S + beta k u^T with u = v - S^T k: writes dv and dbeta, adds to dk. */
static void factor_back(delta_back *w, const f2l_delta_head *h, int64_t row, int64_t j, double *dk)
{
    const fsa2lrnn_delta_product *p = w->p;
    const f2l_delta_factor *f = &w->factor[j];
    const double *S = w->inner + (size_t)j * w->size;
    double u[F2L_DELTA_MOST], du[F2L_DELTA_MOST], dbeta = 0;
    f2l_delta_times(u, S, f->k.x, p);
    f2l_delta_times(du, w->D, f->k.x, p);
    for (int64_t m = 0; m < p->value; m++) {
        u[m] = f->v[m] - u[m];
        dbeta += du[m] * u[m];
        du[m] *= f->beta;
    }
    for (int64_t i = 0; i < p->key; i++) {
        double sum = 0;
        for (int64_t m = 0; m < p->value; m++) {
            const int64_t at = i * p->value + m;
            sum += f->beta * w->D[at] * u[m] - S[at] * du[m];
            w->D[at] -= f->k.x[i] * du[m];
        }
        dk[i] += sum;
    }
    const fsa2lrnn_kernels_array *dv = &w->grad->dv, *db = &w->grad->dbeta;
    dbeta *= f->slope;
    if (dv->data)
        f2l_kernels_store(dv->data, f2l_delta_at(dv, h, row, h->head), du, p->value, p->type);
    if (db->data)
        f2l_kernels_store(db->data, h->batch * db->stride[0] + row * db->stride[1] + h->head,
                          &dbeta, 1, p->beta_type);
}

/* Goes back through S1 = Diag(exp(g)) S. */
static void gate_back(delta_back *w, const f2l_delta_head *h, int64_t t)
{
    const fsa2lrnn_delta_product *p = w->p;
    const fsa2lrnn_kernels_array *to = &w->grad->dg;
    double decay[F2L_DELTA_MOST], dg[F2L_DELTA_MOST], sum = 0;
    if (!f2l_delta_read_gate(decay, w->in, h, t, p)) return;
    for (int64_t i = 0; i < p->key; i++) {
        dg[i] = 0;
        for (int64_t j = 0; j < p->value; j++)
            dg[i] += w->D[i * p->value + j] * w->inner[i * p->value + j];
        sum += dg[i];
    }
    f2l_delta_decay(w->D, decay, p);
    if (!to->data) return;
    if (p->gate == FSA2LRNN_KERNELS_GATE_KEY)
        f2l_kernels_store(to->data, f2l_delta_at(to, h, h->first + t, h->head), dg, p->key,
                          p->beta_type);
    else
        f2l_kernels_store(to->data,
                          h->batch * to->stride[0] + (h->first + t) * to->stride[1] + h->head, &sum,
                          1, p->beta_type);
}

/* Goes back through one token whose state before it is S, which is used up. */
static void token_back(double *S, delta_back *w, const f2l_delta_head *h, int64_t t)
{
    const fsa2lrnn_delta_product *p = w->p;
    step_token(S, w->inner, w, h, t);
    read_out_back(w, h, t);
    for (int64_t j = p->factors - 1; j >= 0; j--)
        factor_back(w, h, (h->first + t) * p->factors + j, j,
                    w->dk + (t * p->factors + j) * p->key);
    gate_back(w, h, t);
    f2l_delta_round(w->D, p);
}

/* Goes back through a head: first forward with marks, then piece by piece. */
static void head_back(delta_back *w, const f2l_delta_head *h, const f2l_kernels_sequence *at)
{
    const fsa2lrnn_delta_product *p = w->p;
    const size_t bytes = w->size * sizeof *w->D;
    const int dfinal_type =
        p->type == FSA2LRNN_KERNELS_F64 ? FSA2LRNN_KERNELS_F64 : FSA2LRNN_KERNELS_F32;
    double *S = w->piece;
    f2l_delta_take_state(S, w->in->initial, at->state, h->head, p->state_type, p);
    for (int64_t t = 0; t < at->count; t++) {
        if (t % w->step == 0) memcpy(w->marks + (size_t)(t / w->step) * w->size, S, bytes);
        step_token(S, NULL, w, h, t);
    }
    f2l_delta_take_state(w->D, w->grad->dfinal, at->state, h->head, dfinal_type, p);
    for (int64_t from = (at->count - 1) / w->step * w->step; from >= 0 && at->count;
         from -= w->step) {
        const int64_t last = (from + w->step < at->count ? from + w->step : at->count) - 1;
        memcpy(w->piece, w->marks + (size_t)(from / w->step) * w->size, bytes);
        for (int64_t t = from; t < last; t++) {
            double *next = w->piece + (size_t)(t + 1 - from) * w->size;
            memcpy(next, next - w->size, bytes);
            step_token(next, NULL, w, h, t);
        }
        for (int64_t t = last; t >= from; t--)
            token_back(w->piece + (size_t)(t - from) * w->size, w, h, t);
    }
    f2l_delta_put_state(w->grad->dinitial, w->D, at->state, h->head, p);
}

/* Writes the sums of dq, or of dk, of a key head. */
static void put_keys(const fsa2lrnn_kernels_array *to, double *d,
                     const fsa2lrnn_kernels_array *from, const f2l_delta_head *h, int64_t first,
                     int64_t rows, const fsa2lrnn_delta_product *p)
{
    f2l_delta_key key;
    for (int64_t r = 0; r < rows && to->data; r++) {
        f2l_delta_read_key(&key, from, h, first + r, p);
        f2l_delta_norm_backward(d + r * p->key, &key, p);
        f2l_kernels_store(to->data, f2l_delta_at(to, h, first + r, h->key_head), d + r * p->key,
                          p->key, p->type);
    }
}

static void sequence_back(delta_back *w, const f2l_kernels_sequence *at)
{
    const fsa2lrnn_delta_product *p = w->p;
    const int64_t group = p->heads / p->key_heads;
    w->step = (int64_t)ceil(sqrt((double)at->count));
    if (w->step < 1) w->step = 1;
    for (int64_t c = 0; c < p->key_heads; c++) {
        f2l_delta_head h = {at->batch, at->first, c * group, c};
        memset(w->dq, 0, (size_t)(at->count * p->key) * sizeof *w->dq);
        memset(w->dk, 0, (size_t)(at->count * p->factors * p->key) * sizeof *w->dk);
        for (; h.head < (c + 1) * group; h.head++) head_back(w, &h, at);
        put_keys(&w->grad->dq, w->dq, &w->in->q, &h, at->first, at->count, p);
        put_keys(&w->grad->dk, w->dk, &w->in->k, &h, at->first * p->factors, at->count * p->factors,
                 p);
    }
}

int f2l_kernels_host_delta_backward(const fsa2lrnn_delta_product_grad *grad,
                                    const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const size_t size = (size_t)(p->key * p->value), row = (size_t)p->key * sizeof(double),
                 pieces = (size_t)ceil(sqrt((double)p->tokens)) + 1;
    delta_back w = {.grad = grad, .in = in, .p = p, .size = size};
    w.marks = f2l_calloc(pieces * size, sizeof *w.marks);
    w.piece = f2l_calloc(pieces * size, sizeof *w.piece);
    w.inner = f2l_calloc((size_t)(p->factors + 1) * size, sizeof *w.inner);
    w.D = f2l_calloc(size, sizeof *w.D);
    w.dq = f2l_calloc((size_t)p->tokens, row);
    w.dk = f2l_calloc((size_t)(p->tokens * p->factors), row);
    const bool ready = w.marks && w.piece && w.inner && w.D && w.dq && w.dk;
    for (int64_t i = 0; ready && i < p->sequences; i++) {
        const f2l_kernels_sequence at = f2l_kernels_sequence_at(p, i);
        sequence_back(&w, &at);
    }
    f2l_free(w.marks), f2l_free(w.piece), f2l_free(w.inner);
    f2l_free(w.D), f2l_free(w.dq), f2l_free(w.dk);
    return ready ? FSA2LRNN_KERNELS_OK
                 : f2l_kernels_fail(err, FSA2LRNN_KERNELS_ENOMEM, "out of memory");
}
