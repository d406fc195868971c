#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_mlstm.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/op/op_point.h"
#include "models/learn/seq/mlstm/seq_mlstm.h"

static f2l_mlstm_shape mlstm_shape_of(const f2l_seq_pass_f32 *pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_mlstm_shape){pass->batch, pass->tokens, c->heads, c->key_dim, c->value_dim};
}

enum { STREAMS = 4 };

/* Sets the streams from SLOT_NORM to queries, keys, values and the output gate. */
static void set_mlstm_streams(f2l_seq_stream stream[STREAMS], const f2l_seq_pass_f32 *pass,
                              size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_mlstm_shape shape = mlstm_shape_of(pass);
    const size_t *t = pass->model->layer[layer].mixer, keys = c->heads * c->key_dim;
    stream[0] = (f2l_seq_stream){.weight = t[F2L_MLSTM_QUERY],
                                 .convolution = t[F2L_MLSTM_QUERY_TAPS],
                                 .bias = F2L_SEQ_NONE,
                                 .width = keys,
                                 .silu = c->convolution > 0,
                                 .first = F2L_MLSTM_SLOT_Q,
                                 .past = f2l_mlstm_state(&shape)};
    stream[1] = stream[0];
    stream[1].weight = t[F2L_MLSTM_KEY];
    stream[1].convolution = t[F2L_MLSTM_KEY_TAPS];
    stream[1].first = F2L_MLSTM_SLOT_K;
    stream[1].past += c->convolution > 0 ? (c->convolution - 1) * keys : 0;
    stream[2] = (f2l_seq_stream){.weight = t[F2L_MLSTM_VALUE],
                                 .convolution = F2L_SEQ_NONE,
                                 .bias = F2L_SEQ_NONE,
                                 .width = c->heads * c->value_dim,
                                 .first = F2L_MLSTM_SLOT_V};
    stream[3] = stream[2];
    stream[3].weight = t[F2L_MLSTM_OUTPUT_GATE];
    stream[3].first = F2L_MLSTM_SLOT_OUTPUT_GATE;
}

static f2l_mlstm_in_f32 mlstm_inputs(const f2l_seq_pass_f32 *pass, size_t layer,
                                     const f2l_seq_stream *stream)
{
    return (f2l_mlstm_in_f32){f2l_seq_stream_last_f32(pass, layer, &stream[0], false),
                              f2l_seq_stream_last_f32(pass, layer, &stream[1], false),
                              f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_V),
                              f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_IN),
                              f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_FORGET)};
}

static const size_t gate_slot[] = {F2L_MLSTM_SLOT_IN, F2L_MLSTM_SLOT_FORGET},
                    gate_weight[] = {F2L_MLSTM_IN, F2L_MLSTM_FORGET},
                    gate_bias[] = {F2L_MLSTM_IN_BIAS, F2L_MLSTM_FORGET_BIAS};

/* Compute the gates before their exponential and sigmoid, and add their gradients to the gradient
 * at SLOT_NORM. */
static void gates_forward(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    for (size_t i = 0; i < 2; i++)
        f2l_linear_forward_f32(
            f2l_seq_at_f32(pass, layer, gate_slot[i]), f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM),
            f2l_seq_param_f32(pass, t[gate_weight[i]]), f2l_seq_param_f32(pass, t[gate_bias[i]]),
            pass->rows, c->width, c->heads);
}
static void gates_backward(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    for (size_t i = 0; i < 2; i++)
        f2l_linear_backward_f32(
            f2l_seq_dat_f32(pass, F2L_SLOT_NORM), true, f2l_seq_dparam_f32(pass, t[gate_weight[i]]),
            f2l_seq_dparam_f32(pass, t[gate_bias[i]]), f2l_seq_dat_f32(pass, gate_slot[i]),
            f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM), f2l_seq_param_f32(pass, t[gate_weight[i]]),
            pass->rows, c->width, c->heads);
}

/* Computes out from o and the output gate. */
static void output_forward(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer, values = c->heads * c->value_dim;
    float *normed = f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O_NORM),
          *rate = f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_OUTPUT_RATE),
          *gated = f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O_GATED);
    f2l_rmsnorm_forward_f32(normed, f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O),
                            f2l_seq_param_f32(pass, t[F2L_MLSTM_OUTPUT_NORM]),
                            pass->rows * c->heads, c->value_dim, (float)c->epsilon);
    f2l_sigmoid_forward_f32(rate, f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_OUTPUT_GATE), 0, 1, 1,
                            pass->rows * values);
    f2l_multiply_forward_f32(gated, normed, rate, pass->rows * values);
    f2l_linear_forward_f32(out, gated, f2l_seq_param_f32(pass, t[F2L_MLSTM_OUT]), NULL, pass->rows,
                           values, c->width);
}

/* Computes the gradients at o and at the output gate. */
static void backward_mlstm_output(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer, values = c->heads * c->value_dim;
    float *dgated = f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_O_GATED),
          *dnormed = f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_O_NORM),
          *drate = f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_OUTPUT_RATE);
    f2l_linear_backward_f32(dgated, false, f2l_seq_dparam_f32(pass, t[F2L_MLSTM_OUT]), NULL, dout,
                            f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O_GATED),
                            f2l_seq_param_f32(pass, t[F2L_MLSTM_OUT]), pass->rows, values,
                            c->width);
    f2l_multiply_backward_f32(
        dnormed, drate, dgated, f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O_NORM),
        f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_OUTPUT_RATE), pass->rows * values);
    f2l_sigmoid_backward_f32(f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_OUTPUT_GATE), drate,
                             f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_OUTPUT_GATE), 0, 1, 1,
                             pass->rows * values);
    f2l_rmsnorm_backward_f32(f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_O),
                             f2l_seq_dparam_f32(pass, t[F2L_MLSTM_OUTPUT_NORM]), dnormed,
                             f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O),
                             f2l_seq_param_f32(pass, t[F2L_MLSTM_OUTPUT_NORM]),
                             pass->rows * c->heads, c->value_dim, (float)c->epsilon);
}

static f2l_status forward_mlstm(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_mlstm_shape shape = mlstm_shape_of(pass);
    f2l_seq_stream stream[STREAMS];
    set_mlstm_streams(stream, pass, layer);
    gates_forward(pass, layer);
    for (size_t i = 0; i < STREAMS; i++) (void)f2l_seq_stream_forward_f32(pass, layer, &stream[i]);
    const f2l_mlstm_in_f32 in = mlstm_inputs(pass, layer, stream);
    const f2l_status status =
        f2l_mlstm_forward_f32(f2l_seq_at_f32(pass, layer, F2L_MLSTM_SLOT_O),
                              f2l_seq_kept_f32(pass, layer, 0), &in, &shape, pass->err);
    if (status == F2L_OK) output_forward(out, pass, layer);
    return status;
}

static f2l_status backward_mlstm(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_mlstm_shape shape = mlstm_shape_of(pass);
    f2l_seq_stream stream[STREAMS];
    set_mlstm_streams(stream, pass, layer);
    backward_mlstm_output(dout, pass, layer);
    const f2l_mlstm_in_f32 in = mlstm_inputs(pass, layer, stream);
    const f2l_mlstm_grad_f32 grad = {f2l_seq_stream_last_f32(pass, layer, &stream[0], true),
                                     f2l_seq_stream_last_f32(pass, layer, &stream[1], true),
                                     f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_V),
                                     f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_IN),
                                     f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_FORGET)};
    const f2l_status status = f2l_mlstm_backward_f32(&grad, f2l_seq_dat_f32(pass, F2L_MLSTM_SLOT_O),
                                                     &in, &shape, pass->err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < STREAMS; i++)
        f2l_seq_stream_backward_f32(pass, layer, &stream[i], i > 0);
    gates_backward(pass, layer);
    return F2L_OK;
}

const f2l_mixer_pass_f32 f2l_seq_mlstm_pass_f32 = {forward_mlstm, backward_mlstm};
