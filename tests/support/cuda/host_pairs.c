/* The operators that weigh pairs of letters on the host: models/learn/op on dense copies in
 * float. */
#include "models/learn/op/op_attention.h"
#include "models/learn/op/op_mlstm.h"
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_operators.h"
#include <math.h>

typedef struct dense {
    float *q, *k, *v, *in, *forget, *out, *dout; /* inputs, and out */
    float *dq, *dk, *dv, *din, *dforget;         /* outputs of backward */
} dense;

static size_t rows_of(const f2l_cuda_pairs_shape *s)
{
    return s->batch * s->tokens;
}

static float *take(const void *from, size_t rows, size_t width, size_t stride, f2l_cuda_type type)
{
    float *to = f2l_calloc(rows * width + 1, sizeof *to);
    for (size_t i = 0; to && from && i < rows * width; i++)
        to[i] = f2l_host_get(from, i / width * stride + i % width, type);
    return to;
}

static void give(void *to, const float *from, size_t rows, size_t width, size_t stride,
                 f2l_cuda_type type)
{
    for (size_t i = 0; to && from && i < rows * width; i++)
        f2l_host_put(to, i / width * stride + i % width, from[i], type);
}

static void clear(dense *d)
{
    float *all[] = {d->q,    d->k,  d->v,  d->in, d->forget, d->out,
                    d->dout, d->dq, d->dk, d->dv, d->din,    d->dforget};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) f2l_free(all[i]);
}

/* Gathers the inputs, with the gates' biases added. */
static dense dense_of(const f2l_cuda_pairs_in *in, const void *dout, const f2l_cuda_pairs_shape *s)
{
    const size_t rows = rows_of(s), keys = s->heads * s->key, values = s->heads * s->value;
    const size_t gates = s->mlstm ? s->heads : 0;
    dense d = {.q = take(in->q, rows, keys, s->key_stride, s->type),
               .k = take(in->k, rows, keys, s->key_stride, s->type),
               .v = take(in->v, rows, values, s->value_stride, s->type),
               .in = take(in->in, rows, gates, s->gate_stride, s->type),
               .forget = take(in->forget, rows, gates, s->gate_stride, s->type),
               .out = take(NULL, rows, values, values, s->type),
               .dout = take(dout, rows, values, values, s->type),
               .dq = take(NULL, rows, keys, keys, s->type),
               .dk = take(NULL, rows, keys, keys, s->type),
               .dv = take(NULL, rows, values, values, s->type),
               .din = take(NULL, rows, gates, gates, s->type),
               .dforget = take(NULL, rows, gates, gates, s->type)};
    for (size_t i = 0; i < rows * gates; i++) {
        d.in[i] += in->in_bias[i % s->heads];
        d.forget[i] += in->forget_bias[i % s->heads];
    }
    return d;
}

static f2l_attention_shape attention_of(const f2l_cuda_pairs_shape *s)
{
    return (f2l_attention_shape){s->batch, s->tokens, s->heads, s->key, s->value, s->window};
}
static f2l_mlstm_shape mlstm_of(const f2l_cuda_pairs_shape *s)
{
    return (f2l_mlstm_shape){s->batch, s->tokens, s->heads, s->key, s->value};
}

f2l_status f2l_host_pairs_bytes(size_t *kept, size_t *work, const f2l_cuda_pairs_shape *shape,
                                f2l_error *err)
{
    (void)shape, (void)err;
    *kept = *work = 0;
    return F2L_OK;
}

static f2l_status run_forward(dense *d, float *state, const f2l_cuda_pairs_shape *s, f2l_error *err)
{
    const f2l_attention_shape attention = attention_of(s);
    const f2l_mlstm_shape mlstm = mlstm_of(s);
    const f2l_attention_in_f32 pairs = {d->q, d->k, d->v};
    const f2l_mlstm_in_f32 gated = {d->q, d->k, d->v, d->in, d->forget};
    return s->mlstm ? f2l_mlstm_forward_f32(d->out, state, &gated, &mlstm, err)
                    : f2l_attention_forward_f32(d->out, state, &pairs, &attention, err);
}

f2l_status f2l_host_pairs_stream(void *out, float *state, void *work, const f2l_cuda_pairs_in *in,
                                 const f2l_cuda_pairs_shape *s, void *stream, f2l_error *err)
{
    const size_t values = s->heads * s->value;
    dense d = dense_of(in, NULL, s);
    const f2l_status status = run_forward(&d, state, s, err);
    (void)stream, (void)work;
    give(out, d.out, rows_of(s), values, values, s->type);
    clear(&d);
    return status;
}

/* Returns the shape of a packed word by itself. */
static f2l_cuda_pairs_shape shape_of_word(const f2l_cuda_pairs_shape *s, size_t b)
{
    f2l_cuda_pairs_shape word = *s;
    word.batch = 1;
    word.tokens = s->first[b + 1] - s->first[b];
    word.first = NULL;
    return word;
}
static f2l_cuda_pairs_in word_in(const f2l_cuda_pairs_in *in, size_t row,
                                 const f2l_cuda_pairs_shape *s)
{
    return (f2l_cuda_pairs_in){.q = f2l_host_rows_from(in->q, row, s->key_stride, s->type),
                               .k = f2l_host_rows_from(in->k, row, s->key_stride, s->type),
                               .v = f2l_host_rows_from(in->v, row, s->value_stride, s->type),
                               .in = f2l_host_rows_from(in->in, row, s->gate_stride, s->type),
                               .forget =
                                   f2l_host_rows_from(in->forget, row, s->gate_stride, s->type),
                               .in_bias = in->in_bias,
                               .forget_bias = in->forget_bias};
}

f2l_status f2l_host_pairs_forward(void *out, void *kept, const f2l_cuda_pairs_in *in,
                                  const f2l_cuda_pairs_shape *s, void *stream, f2l_error *err)
{
    (void)kept;
    f2l_status status = F2L_OK;
    if (s->first == NULL) return f2l_host_pairs_stream(out, NULL, NULL, in, s, stream, err);
    for (size_t b = 0; status == F2L_OK && b < s->batch; b++) {
        const f2l_cuda_pairs_shape shape = shape_of_word(s, b);
        const f2l_cuda_pairs_in word = word_in(in, s->first[b], s);
        status = f2l_host_pairs_stream(
            f2l_host_rows_from(out, s->first[b], s->heads * s->value, s->type), NULL, NULL, &word,
            &shape, stream, err);
    }
    return status;
}

static f2l_status weigh_back(const f2l_cuda_pairs_grad *grad, const void *dout,
                             const f2l_cuda_pairs_in *in, const f2l_cuda_pairs_shape *s,
                             f2l_error *err)
{
    const size_t rows = rows_of(s), keys = s->heads * s->key, values = s->heads * s->value;
    const f2l_attention_shape attention = attention_of(s);
    const f2l_mlstm_shape mlstm = mlstm_of(s);
    dense d = dense_of(in, dout, s);
    const f2l_attention_in_f32 pairs = {d.q, d.k, d.v};
    const f2l_attention_grad_f32 to_pairs = {d.dq, d.dk, d.dv};
    const f2l_mlstm_in_f32 gated = {d.q, d.k, d.v, d.in, d.forget};
    const f2l_mlstm_grad_f32 to_gated = {d.dq, d.dk, d.dv, d.din, d.dforget};
    const f2l_status status =
        s->mlstm ? f2l_mlstm_backward_f32(&to_gated, d.dout, &gated, &mlstm, err)
                 : f2l_attention_backward_f32(&to_pairs, d.dout, &pairs, &attention, err);
    give(grad->dq, d.dq, rows, keys, s->key_stride, s->type);
    give(grad->dk, d.dk, rows, keys, s->key_stride, s->type);
    give(grad->dv, d.dv, rows, values, s->value_stride, s->type);
    if (s->mlstm) {
        give(grad->din, d.din, rows, s->heads, s->gate_stride, s->type);
        give(grad->dforget, d.dforget, rows, s->heads, s->gate_stride, s->type);
        for (size_t i = 0; i < rows * s->heads; i++) {
            grad->din_bias[i % s->heads] += d.din[i];
            grad->dforget_bias[i % s->heads] += d.dforget[i];
        }
    }
    clear(&d);
    return status;
}

f2l_status f2l_host_pairs_backward(const f2l_cuda_pairs_grad *grad, const void *dout,
                                   const void *out, const void *kept, void *work,
                                   const f2l_cuda_pairs_in *in, const f2l_cuda_pairs_shape *s,
                                   void *stream, f2l_error *err)
{
    (void)out, (void)kept, (void)work, (void)stream;
    f2l_status status = F2L_OK;
    if (s->first == NULL) return weigh_back(grad, dout, in, s, err);
    for (size_t b = 0; status == F2L_OK && b < s->batch; b++) {
        const size_t row = s->first[b];
        const f2l_cuda_pairs_shape shape = shape_of_word(s, b);
        const f2l_cuda_pairs_in word = word_in(in, row, s);
        const f2l_cuda_pairs_grad to = {
            .dq = f2l_host_rows_from(grad->dq, row, s->key_stride, s->type),
            .dk = f2l_host_rows_from(grad->dk, row, s->key_stride, s->type),
            .dv = f2l_host_rows_from(grad->dv, row, s->value_stride, s->type),
            .din = f2l_host_rows_from(grad->din, row, s->gate_stride, s->type),
            .dforget = f2l_host_rows_from(grad->dforget, row, s->gate_stride, s->type),
            .din_bias = grad->din_bias,
            .dforget_bias = grad->dforget_bias};
        status = weigh_back(&to, f2l_host_rows_from(dout, row, s->heads * s->value, s->type), &word,
                            &shape, err);
    }
    return status;
}

static float rate_of(const void *gate, size_t i, const f2l_cuda_gate *s)
{
    return 1 / (1 + expf(-f2l_host_get(gate, i / s->width * s->stride + i % s->width, s->type)));
}

f2l_status f2l_host_gate_forward(void *y, const void *x, const void *gate, const f2l_cuda_gate *s,
                                 void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < s->rows * s->width; i++)
        f2l_host_put(y, i, f2l_host_get(x, i, s->type) * rate_of(gate, i, s), s->type);
    return F2L_OK;
}

f2l_status f2l_host_gate_backward(void *dx, void *dgate, const void *dy, const void *x,
                                  const void *gate, const f2l_cuda_gate *s, void *stream,
                                  f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < s->rows * s->width; i++) {
        const float rate = rate_of(gate, i, s), from = f2l_host_get(dy, i, s->type);
        f2l_host_put(dgate, i / s->width * s->stride + i % s->width,
                     from * f2l_host_get(x, i, s->type) * rate * (1 - rate), s->type);
        f2l_host_put(dx, i, from * rate, s->type);
    }
    return F2L_OK;
}
