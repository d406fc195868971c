#ifndef REAL
#include "models/op/op_delta.h"
#include "models/op/op_linear.h"
#include "models/op/op_norm.h"
#include "models/op/op_point.h"
#include "models/seq/impl.h"
#include <math.h>
#define F2L_OP_SELF "models/seq/seq_delta.c"
#include "models/op/op_twice.h"
#else

static f2l_delta_shape OP(shape_of)(const OP(f2l_seq_pass) * pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_delta_shape){pass->batch,     pass->tokens, c->heads,
                             c->householders, c->key_dim,   c->value_dim};
}

/* Computes beta and gate. */
static f2l_status OP(rates_forward)(const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const size_t betas = c->householders * c->heads;
    const REAL *x = OP(f2l_seq_at)(pass, layer, F2L_SLOT_NORM);
    REAL *in = OP(f2l_seq_at)(pass, layer, F2L_SLOT_BETA_IN);
    f2l_status status = OP(f2l_linear_forward)(in, x, OP(f2l_seq_param)(pass, t->beta), NULL,
                                               pass->rows, c->width, betas, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_sigmoid_forward)
    (OP(f2l_seq_at)(pass, layer, F2L_SLOT_BETA), in, 0, c->negative ? 2 : 1, (REAL)c->slope,
     pass->rows * betas);
    if (!c->forget_gate) return F2L_OK;
    in = OP(f2l_seq_at)(pass, layer, F2L_SLOT_GATE_IN);
    status = OP(f2l_linear_forward)(in, x, OP(f2l_seq_param)(pass, t->step), NULL, pass->rows,
                                    c->width, c->heads, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_decay_forward)
    (OP(f2l_seq_at)(pass, layer, F2L_SLOT_GATE), in, OP(f2l_seq_param)(pass, t->gate_log),
     OP(f2l_seq_param)(pass, t->gate_bias), 0, 1, pass->rows * c->heads, c->heads);
    return F2L_OK;
}

/* Adds the gradients of beta and gate to the gradient at SLOT_NORM. */
static f2l_status OP(rates_backward)(const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const size_t betas = c->householders * c->heads;
    const REAL *x = OP(f2l_seq_at)(pass, layer, F2L_SLOT_NORM);
    REAL *dx = OP(f2l_seq_dat)(pass, F2L_SLOT_NORM), *din = OP(f2l_seq_dat)(pass, F2L_SLOT_BETA_IN);
    OP(f2l_sigmoid_backward)
    (din, OP(f2l_seq_dat)(pass, F2L_SLOT_BETA), OP(f2l_seq_at)(pass, layer, F2L_SLOT_BETA_IN), 0,
     c->negative ? 2 : 1, (REAL)c->slope, pass->rows * betas);
    f2l_status status = OP(f2l_linear_backward)(dx, true, OP(f2l_seq_dparam)(pass, t->beta), NULL,
                                                din, x, OP(f2l_seq_param)(pass, t->beta),
                                                pass->rows, c->width, betas, pass->err);
    if (status != F2L_OK || !c->forget_gate) return status;
    din = OP(f2l_seq_dat)(pass, F2L_SLOT_GATE_IN);
    OP(f2l_decay_backward)
    (din, OP(f2l_seq_dparam)(pass, t->gate_log), OP(f2l_seq_dparam)(pass, t->gate_bias),
     OP(f2l_seq_dat)(pass, F2L_SLOT_GATE), OP(f2l_seq_at)(pass, layer, F2L_SLOT_GATE_IN),
     OP(f2l_seq_param)(pass, t->gate_log), OP(f2l_seq_param)(pass, t->gate_bias), 0, 1,
     pass->rows * c->heads, c->heads);
    return OP(f2l_linear_backward)(dx, true, OP(f2l_seq_dparam)(pass, t->step), NULL, din, x,
                                   OP(f2l_seq_param)(pass, t->step), pass->rows, c->width, c->heads,
                                   pass->err);
}

static void OP(scale)(REAL *y, const REAL *x, const OP(f2l_seq_pass) * pass)
{
    const f2l_seq_config *c = &pass->model->config;
    const REAL factor = (REAL)(1 / sqrt((double)c->key_dim));
    const size_t count = pass->rows * c->heads * c->value_dim;
    for (size_t i = 0; i < count; i++) y[i] = factor * x[i];
}

/* Returns the inputs of the operator. */
static OP(f2l_delta_in) OP(inputs)(const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_stream q = f2l_seq_query_stream(pass->model, layer),
                         k = f2l_seq_key_stream(pass->model, layer),
                         v = f2l_seq_value_stream(pass->model, layer);
    return (OP(f2l_delta_in)){
        .q = OP(f2l_seq_stream_last)(pass, layer, &q, false),
        .k = OP(f2l_seq_stream_last)(pass, layer, &k, false),
        .v = c->additive ? OP(f2l_seq_stream_last)(pass, layer, &v, false) : NULL,
        .beta = OP(f2l_seq_at)(pass, layer, F2L_SLOT_BETA),
        .gate = c->forget_gate ? OP(f2l_seq_at)(pass, layer, F2L_SLOT_GATE) : NULL,
        .h0 = OP(f2l_seq_param)(pass, pass->model->layer[layer].start)};
}

f2l_status OP(f2l_seq_delta_forward)(REAL *out, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const f2l_delta_shape shape = OP(shape_of)(pass);
    const f2l_seq_stream stream[] = {f2l_seq_query_stream(pass->model, layer),
                                     f2l_seq_key_stream(pass->model, layer),
                                     f2l_seq_value_stream(pass->model, layer)};
    REAL *last, *state = OP(f2l_seq_kept)(pass, layer, 0),
                *o = OP(f2l_seq_at)(pass, layer, F2L_SLOT_O),
                *scaled = OP(f2l_seq_at)(pass, layer, F2L_SLOT_O_SCALED),
                *normed = OP(f2l_seq_at)(pass, layer, F2L_SLOT_O_NORM);
    f2l_status status = OP(rates_forward)(pass, layer);
    for (size_t s = 0; status == F2L_OK && s < (c->additive ? 3 : 2); s++)
        status = OP(f2l_seq_stream_forward)(&last, pass, layer, &stream[s]);
    if (status != F2L_OK) return status;
    const OP(f2l_delta_in) in = OP(inputs)(pass, layer);
    status = OP(f2l_delta_forward)(o, state, &in, &shape, pass->err);
    if (status != F2L_OK) return status;
    OP(scale)(scaled, o, pass);
    OP(f2l_rmsnorm_forward)
    (normed, scaled, OP(f2l_seq_param)(pass, t->output_norm), pass->rows * c->heads, c->value_dim,
     (REAL)c->epsilon);
    return OP(f2l_linear_forward)(out, normed, OP(f2l_seq_param)(pass, t->out), NULL, pass->rows,
                                  c->heads * c->value_dim, c->width, pass->err);
}

/* Computes the gradient at o, in SLOT_O, from the gradient at the output. */
static f2l_status OP(output_backward)(const REAL *dout, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    REAL *dnormed = OP(f2l_seq_dat)(pass, F2L_SLOT_O_NORM),
         *dscaled = OP(f2l_seq_dat)(pass, F2L_SLOT_O_SCALED);
    f2l_status status = OP(f2l_linear_backward)(
        dnormed, false, OP(f2l_seq_dparam)(pass, t->out), NULL, dout,
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_O_NORM), OP(f2l_seq_param)(pass, t->out), pass->rows,
        c->heads * c->value_dim, c->width, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_rmsnorm_backward)
    (dscaled, OP(f2l_seq_dparam)(pass, t->output_norm), dnormed,
     OP(f2l_seq_at)(pass, layer, F2L_SLOT_O_SCALED), OP(f2l_seq_param)(pass, t->output_norm),
     pass->rows * c->heads, c->value_dim, (REAL)c->epsilon);
    OP(scale)(OP(f2l_seq_dat)(pass, F2L_SLOT_O), dscaled, pass);
    return F2L_OK;
}

f2l_status OP(f2l_seq_delta_backward)(const REAL *dout, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_delta_shape shape = OP(shape_of)(pass);
    const f2l_seq_stream stream[] = {f2l_seq_query_stream(pass->model, layer),
                                     f2l_seq_key_stream(pass->model, layer),
                                     f2l_seq_value_stream(pass->model, layer)};
    f2l_status status = OP(output_backward)(dout, pass, layer);
    if (status != F2L_OK) return status;
    const OP(f2l_delta_in) in = OP(inputs)(pass, layer);
    const OP(f2l_delta_grad)
        grad = {.dq = OP(f2l_seq_stream_last)(pass, layer, &stream[0], true),
                .dk = OP(f2l_seq_stream_last)(pass, layer, &stream[1], true),
                .dv = c->additive ? OP(f2l_seq_stream_last)(pass, layer, &stream[2], true) : NULL,
                .dbeta = OP(f2l_seq_dat)(pass, F2L_SLOT_BETA),
                .dgate = c->forget_gate ? OP(f2l_seq_dat)(pass, F2L_SLOT_GATE) : NULL,
                .dh0 = OP(f2l_seq_dparam)(pass, pass->model->layer[layer].start)};
    status =
        OP(f2l_delta_backward)(&grad, OP(f2l_seq_dat)(pass, F2L_SLOT_O), &in, &shape, pass->err);
    for (size_t s = 0; status == F2L_OK && s < (c->additive ? 3 : 2); s++)
        status = OP(f2l_seq_stream_backward)(pass, layer, &stream[s], s > 0);
    return status == F2L_OK ? OP(rates_backward)(pass, layer) : status;
}

#endif
