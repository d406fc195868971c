#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/op/op_point.h"
#include "models/learn/seq/impl.h"

enum { SCALED = 1, NORM, GATE, GATED }; /* slots behind the slot of o */

static size_t output_values(const f2l_seq_pass_f32 *pass)
{
    return pass->model->config.heads * pass->model->config.value_dim;
}

static void scale_output(float *y, const float *x, const f2l_seq_pass_f32 *pass)
{
    const float factor = (float)(1 / sqrt((double)pass->model->config.key_dim));
    const size_t count = pass->rows * output_values(pass);
    for (size_t i = 0; i < count; i++) y[i] = factor * x[i];
}

/* Returns the slot of the input of the output projection. */
static size_t last_slot(const f2l_seq_output *output)
{
    return output->first + (output->gate == F2L_SEQ_NONE ? NORM : GATED);
}

/* Computes the output gate and its product with the norm of o. */
static void forward_output_gate(const f2l_seq_pass_f32 *pass, size_t layer,
                                const f2l_seq_output *output)
{
    const size_t values = output_values(pass);
    float *gate = f2l_seq_at_f32(pass, layer, output->first + GATE);
    f2l_linear_forward_f32(gate, f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM),
                           f2l_seq_param_f32(pass, output->gate), NULL, pass->rows,
                           pass->model->config.width, values);
    f2l_swiglu_forward_f32(f2l_seq_at_f32(pass, layer, output->first + GATED), gate,
                           f2l_seq_at_f32(pass, layer, output->first + NORM), pass->rows * values);
}

void f2l_seq_output_forward_f32(float *out, const f2l_seq_pass_f32 *pass, size_t layer,
                                const f2l_seq_output *output)
{
    const f2l_seq_config *c = &pass->model->config;
    float *scaled = f2l_seq_at_f32(pass, layer, output->first + SCALED);
    scale_output(scaled, f2l_seq_at_f32(pass, layer, output->first), pass);
    f2l_rmsnorm_forward_f32(f2l_seq_at_f32(pass, layer, output->first + NORM), scaled,
                            f2l_seq_param_f32(pass, output->norm), pass->rows * c->heads,
                            c->value_dim, (float)c->epsilon);
    if (output->gate != F2L_SEQ_NONE) forward_output_gate(pass, layer, output);
    f2l_linear_forward_f32(out, f2l_seq_at_f32(pass, layer, last_slot(output)),
                           f2l_seq_param_f32(pass, output->out), NULL, pass->rows,
                           output_values(pass), c->width);
}

void f2l_seq_output_backward_f32(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer,
                                 const f2l_seq_output *output)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t values = output_values(pass);
    float *dnormed = f2l_seq_dat_f32(pass, output->first + NORM),
          *dscaled = f2l_seq_dat_f32(pass, output->first + SCALED);
    f2l_linear_backward_f32(f2l_seq_dat_f32(pass, last_slot(output)), false,
                            f2l_seq_dparam_f32(pass, output->out), NULL, dout,
                            f2l_seq_at_f32(pass, layer, last_slot(output)),
                            f2l_seq_param_f32(pass, output->out), pass->rows, values, c->width);
    if (output->gate != F2L_SEQ_NONE)
        f2l_swiglu_backward_f32(f2l_seq_dat_f32(pass, output->first + GATE), dnormed,
                                f2l_seq_dat_f32(pass, output->first + GATED),
                                f2l_seq_at_f32(pass, layer, output->first + GATE),
                                f2l_seq_at_f32(pass, layer, output->first + NORM),
                                pass->rows * values);
    f2l_rmsnorm_backward_f32(dscaled, f2l_seq_dparam_f32(pass, output->norm), dnormed,
                             f2l_seq_at_f32(pass, layer, output->first + SCALED),
                             f2l_seq_param_f32(pass, output->norm), pass->rows * c->heads,
                             c->value_dim, (float)c->epsilon);
    scale_output(f2l_seq_dat_f32(pass, output->first), dscaled, pass);
}

void f2l_seq_output_gate_backward_f32(const f2l_seq_pass_f32 *pass, size_t layer,
                                      const f2l_seq_output *output)
{
    if (output->gate == F2L_SEQ_NONE) return;
    f2l_linear_backward_f32(
        f2l_seq_dat_f32(pass, F2L_SLOT_NORM), true, f2l_seq_dparam_f32(pass, output->gate), NULL,
        f2l_seq_dat_f32(pass, output->first + GATE), f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM),
        f2l_seq_param_f32(pass, output->gate), pass->rows, pass->model->config.width,
        output_values(pass));
}
