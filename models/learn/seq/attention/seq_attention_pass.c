#include "models/learn/op/op_attention.h"
#include "models/learn/op/op_linear.h"
#include "models/learn/seq/attention/seq_attention.h"

static f2l_attention_shape shape_of(const f2l_seq_pass_f32 *pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_attention_shape){pass->batch, pass->tokens, c->heads,
                                 c->key_dim,  c->value_dim, f2l_seq_window(c)};
}

enum { STREAMS = 3 };

/* Sets the projections from SLOT_NORM to queries, keys and values. */
static void streams_of(f2l_seq_stream stream[STREAMS], const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    for (size_t i = 0; i < STREAMS; i++)
        stream[i] = (f2l_seq_stream){.weight = model->layer[layer].mixer[F2L_ATTENTION_QUERY + i],
                                     .convolution = F2L_SEQ_NONE,
                                     .bias = F2L_SEQ_NONE,
                                     .width = c->heads * (i < 2 ? c->key_dim : c->value_dim),
                                     .first = F2L_ATTENTION_SLOT_Q + i};
}

static f2l_attention_in_f32 attention_inputs(const f2l_seq_pass_f32 *pass, size_t layer)
{
    return (f2l_attention_in_f32){f2l_seq_at_f32(pass, layer, F2L_ATTENTION_SLOT_Q),
                                  f2l_seq_at_f32(pass, layer, F2L_ATTENTION_SLOT_K),
                                  f2l_seq_at_f32(pass, layer, F2L_ATTENTION_SLOT_V)};
}

static f2l_status forward_attention(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_attention_shape shape = shape_of(pass);
    const f2l_attention_in_f32 in = attention_inputs(pass, layer);
    const size_t weight = pass->model->layer[layer].mixer[F2L_ATTENTION_OUT];
    float *o = f2l_seq_at_f32(pass, layer, F2L_ATTENTION_SLOT_O);
    f2l_seq_stream stream[STREAMS];
    streams_of(stream, pass->model, layer);
    for (size_t i = 0; i < STREAMS; i++) (void)f2l_seq_stream_forward_f32(pass, layer, &stream[i]);
    const f2l_status status =
        f2l_attention_forward_f32(o, f2l_seq_kept_f32(pass, layer, 0), &in, &shape, pass->err);
    if (status == F2L_OK)
        f2l_linear_forward_f32(out, o, f2l_seq_param_f32(pass, weight), NULL, pass->rows,
                               c->heads * c->value_dim, c->width);
    return status;
}

static f2l_status backward_attention(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_attention_shape shape = shape_of(pass);
    const f2l_attention_in_f32 in = attention_inputs(pass, layer);
    const f2l_attention_grad_f32 grad = {f2l_seq_dat_f32(pass, F2L_ATTENTION_SLOT_Q),
                                         f2l_seq_dat_f32(pass, F2L_ATTENTION_SLOT_K),
                                         f2l_seq_dat_f32(pass, F2L_ATTENTION_SLOT_V)};
    const size_t weight = pass->model->layer[layer].mixer[F2L_ATTENTION_OUT];
    float *d_o = f2l_seq_dat_f32(pass, F2L_ATTENTION_SLOT_O);
    f2l_seq_stream stream[STREAMS];
    streams_of(stream, pass->model, layer);
    f2l_linear_backward_f32(d_o, false, f2l_seq_dparam_f32(pass, weight), NULL, dout,
                            f2l_seq_at_f32(pass, layer, F2L_ATTENTION_SLOT_O),
                            f2l_seq_param_f32(pass, weight), pass->rows, c->heads * c->value_dim,
                            c->width);
    const f2l_status status = f2l_attention_backward_f32(&grad, d_o, &in, &shape, pass->err);
    for (size_t i = 0; status == F2L_OK && i < STREAMS; i++)
        f2l_seq_stream_backward_f32(pass, layer, &stream[i], i > 0);
    return status;
}

const f2l_mixer_pass_f32 f2l_seq_attention_pass_f32 = {forward_attention, backward_attention};
