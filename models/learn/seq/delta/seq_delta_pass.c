#include "models/learn/op/op_delta.h"
#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_point.h"
#include "models/learn/seq/delta/seq_delta.h"

static f2l_delta_shape delta_shape_of(const f2l_seq_pass_f32 *pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_delta_shape){pass->batch,     pass->tokens, c->heads,
                             c->householders, c->key_dim,   c->value_dim};
}

/* Computes beta and gate. */
static void forward_delta_rates(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    const size_t betas = c->householders * c->heads;
    const float *x = f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM);
    float *in = f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_BETA_IN);
    f2l_linear_forward_f32(in, x, f2l_seq_param_f32(pass, t[F2L_DELTA_BETA]), NULL, pass->rows,
                           c->width, betas);
    const float range = c->negative ? 2 : 1, slope = (float)c->slope;
    float *beta = f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_BETA);
    if (c->clamped_betas)
        f2l_clamp_forward_f32(beta, in, 0, range, slope, pass->rows * betas);
    else
        f2l_sigmoid_forward_f32(beta, in, 0, range, slope, pass->rows * betas);
    if (!c->forget_gate) return;
    in = f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_GATE_IN);
    f2l_linear_forward_f32(in, x, f2l_seq_param_f32(pass, t[F2L_DELTA_STEP]), NULL, pass->rows,
                           c->width, c->heads);
    f2l_decay_forward_f32(f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_GATE), in,
                          f2l_seq_param_f32(pass, t[F2L_DELTA_GATE_LOG]),
                          f2l_seq_param_f32(pass, t[F2L_DELTA_GATE_BIAS]), 0, 1,
                          pass->rows * c->heads, c->heads);
}

/* Adds the gradients of beta and gate to the gradient at SLOT_NORM. */
static void backward_delta_rates(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    const size_t betas = c->householders * c->heads;
    const float *x = f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM);
    float *dx = f2l_seq_dat_f32(pass, F2L_SLOT_NORM),
          *din = f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_BETA_IN);
    const float range = c->negative ? 2 : 1, slope = (float)c->slope,
                *dbeta = f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_BETA);
    if (c->clamped_betas)
        f2l_clamp_backward_f32(din, dbeta, 0, range, slope, pass->rows * betas);
    else
        f2l_sigmoid_backward_f32(din, dbeta, f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_BETA_IN), 0,
                                 range, slope, pass->rows * betas);
    f2l_linear_backward_f32(dx, true, f2l_seq_dparam_f32(pass, t[F2L_DELTA_BETA]), NULL, din, x,
                            f2l_seq_param_f32(pass, t[F2L_DELTA_BETA]), pass->rows, c->width,
                            betas);
    if (!c->forget_gate) return;
    din = f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_GATE_IN);
    f2l_decay_backward_f32(din, f2l_seq_dparam_f32(pass, t[F2L_DELTA_GATE_LOG]),
                           f2l_seq_dparam_f32(pass, t[F2L_DELTA_GATE_BIAS]),
                           f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_GATE),
                           f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_GATE_IN),
                           f2l_seq_param_f32(pass, t[F2L_DELTA_GATE_LOG]),
                           f2l_seq_param_f32(pass, t[F2L_DELTA_GATE_BIAS]), 0, 1,
                           pass->rows * c->heads, c->heads);
    f2l_linear_backward_f32(dx, true, f2l_seq_dparam_f32(pass, t[F2L_DELTA_STEP]), NULL, din, x,
                            f2l_seq_param_f32(pass, t[F2L_DELTA_STEP]), pass->rows, c->width,
                            c->heads);
}

/* Returns the inputs of the operator. */
static f2l_delta_in_f32 delta_inputs(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    f2l_seq_stream stream[F2L_DELTA_STREAMS];
    f2l_seq_delta_streams(stream, pass->model, layer);
    return (f2l_delta_in_f32){
        .q = f2l_seq_stream_last_f32(pass, layer, &stream[0], false),
        .k = f2l_seq_stream_last_f32(pass, layer, &stream[1], false),
        .v = c->additive ? f2l_seq_stream_last_f32(pass, layer, &stream[2], false) : NULL,
        .beta = f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_BETA),
        .gate = c->forget_gate ? f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_GATE) : NULL,
        .h0 = f2l_seq_param_f32(pass, pass->model->layer[layer].mixer[F2L_DELTA_START])};
}

static f2l_seq_output delta_output_of(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const size_t *t = pass->model->layer[layer].mixer;
    return (f2l_seq_output){.norm = t[F2L_DELTA_OUTPUT_NORM],
                            .gate = t[F2L_DELTA_OUTPUT_GATE],
                            .out = t[F2L_DELTA_OUT],
                            .first = F2L_DELTA_SLOT_O};
}

static f2l_status forward_delta(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_delta_shape shape = delta_shape_of(pass);
    const f2l_seq_output output = delta_output_of(pass, layer);
    f2l_seq_stream stream[F2L_DELTA_STREAMS];
    float *state = f2l_seq_kept_f32(pass, layer, 0),
          *o = f2l_seq_at_f32(pass, layer, F2L_DELTA_SLOT_O);
    f2l_seq_delta_streams(stream, pass->model, layer);
    forward_delta_rates(pass, layer);
    for (size_t s = 0; s < (c->additive ? 3 : 2); s++)
        (void)f2l_seq_stream_forward_f32(pass, layer, &stream[s]);
    const f2l_delta_in_f32 in = delta_inputs(pass, layer);
    const f2l_status status = f2l_delta_forward_f32(o, state, &in, &shape, pass->err);
    if (status == F2L_OK) f2l_seq_output_forward_f32(out, pass, layer, &output);
    return status;
}

static f2l_status backward_delta(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_delta_shape shape = delta_shape_of(pass);
    f2l_seq_stream stream[F2L_DELTA_STREAMS];
    f2l_seq_delta_streams(stream, pass->model, layer);
    const f2l_seq_output output = delta_output_of(pass, layer);
    f2l_seq_output_backward_f32(dout, pass, layer, &output);
    const f2l_delta_in_f32 in = delta_inputs(pass, layer);
    const f2l_delta_grad_f32 grad = {
        .dq = f2l_seq_stream_last_f32(pass, layer, &stream[0], true),
        .dk = f2l_seq_stream_last_f32(pass, layer, &stream[1], true),
        .dv = c->additive ? f2l_seq_stream_last_f32(pass, layer, &stream[2], true) : NULL,
        .dbeta = f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_BETA),
        .dgate = c->forget_gate ? f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_GATE) : NULL,
        .dh0 = f2l_seq_dparam_f32(pass, pass->model->layer[layer].mixer[F2L_DELTA_START])};
    const f2l_status status = f2l_delta_backward_f32(&grad, f2l_seq_dat_f32(pass, F2L_DELTA_SLOT_O),
                                                     &in, &shape, pass->err);
    if (status != F2L_OK) return status;
    for (size_t s = 0; s < (c->additive ? 3 : 2); s++)
        f2l_seq_stream_backward_f32(pass, layer, &stream[s], s > 0);
    f2l_seq_output_gate_backward_f32(pass, layer, &output);
    backward_delta_rates(pass, layer);
    return F2L_OK;
}

const f2l_mixer_pass_f32 f2l_seq_delta_pass_f32 = {forward_delta, backward_delta};
