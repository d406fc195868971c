#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include "kernels/delta_row.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Steps all tokens of a head from S and writes their outputs; S is then the last state. */
static void forward_head(const fsa2lrnn_kernels_array *out, double *S,
                         const fsa2lrnn_delta_product_in *in, const f2l_delta_head *h,
                         int64_t tokens, const fsa2lrnn_delta_product *p)
{
    double row[F2L_DELTA_MOST];
    f2l_delta_factor f;
    f2l_delta_key q;
    for (int64_t t = 0; t < tokens; t++) {
        if (f2l_delta_read_gate(row, in, h, t, p)) f2l_delta_decay(S, row, p);
        for (int64_t j = 0; j < p->factors; j++) {
            f2l_delta_read_factor(&f, in, h, (h->first + t) * p->factors + j, p);
            f2l_delta_apply(S, row, &f, p);
        }
        f2l_delta_round(S, p);
        f2l_delta_read_key(&q, &in->q, h, h->first + t, p);
        f2l_delta_times(row, S, q.x, p);
        for (int64_t j = 0; j < p->value; j++) row[j] *= (double)p->scale;
        f2l_kernels_store(out->data, f2l_delta_at(out, h, h->first + t, h->head), row, p->value,
                          p->type);
    }
}

static void write_zeros(const fsa2lrnn_kernels_array *out, const f2l_delta_head *h, int64_t tokens,
                        const fsa2lrnn_delta_product *p)
{
    const double zeros[F2L_DELTA_MOST] = {0};
    for (int64_t t = 0; t < tokens; t++)
        f2l_kernels_store(out->data, f2l_delta_at(out, h, h->first + t, h->head), zeros, p->value,
                          p->type);
}

int f2l_kernels_host_delta_forward(const fsa2lrnn_delta_product_out *out,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    double *S = f2l_calloc((size_t)(p->key * p->value), sizeof *S);
    if (!S) return f2l_kernels_fail(err, FSA2LRNN_KERNELS_ENOMEM, "out of memory");
    for (int64_t i = 0; i < p->sequences; i++) {
        const f2l_kernels_sequence at = f2l_kernels_sequence_at(p, i);
        for (int64_t head = 0; head < p->heads; head++) {
            const f2l_delta_head h = {at.batch, at.first, head, head / (p->heads / p->key_heads)};
            if (at.state < 0) {
                write_zeros(&out->out, &h, at.count, p);
                continue;
            }
            f2l_delta_take_state(S, in->initial, at.state, head, p->state_type, p);
            forward_head(&out->out, S, in, &h, at.count, p);
            f2l_delta_put_state(out->final, S, at.state, head, p);
        }
    }
    f2l_free(S);
    return FSA2LRNN_KERNELS_OK;
}
