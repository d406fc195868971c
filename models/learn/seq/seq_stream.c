#include "models/learn/op/op_conv.h"
#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/op/op_point.h"
#include "models/learn/seq/impl.h"

static f2l_conv_shape taps_of(const f2l_seq_pass_f32 *pass, const f2l_seq_stream *stream)
{
    return (f2l_conv_shape){pass->batch, pass->tokens, stream->width,
                            pass->model->config.convolution};
}

/* Returns the offset of the projection's rows in the parameters. */
static size_t weight_offset(const f2l_seq_pass_f32 *pass, const f2l_seq_stream *stream)
{
    return pass->model->tensor[stream->weight].offset + stream->row * pass->model->config.width;
}

static float key_epsilon(const f2l_seq_config *c)
{
    return (float)(c->key_epsilon > 0 ? c->key_epsilon : c->epsilon);
}

float *f2l_seq_stream_last_f32(const f2l_seq_pass_f32 *pass, size_t layer,
                               const f2l_seq_stream *stream, bool gradient)
{
    size_t slot = stream->first;
    if (stream->convolution != F2L_SEQ_NONE) slot = stream->first + 1;
    if (stream->silu) slot = stream->first + 2;
    if (stream->unit > 0) slot = stream->first + 3;
    return gradient ? f2l_seq_dat_f32(pass, slot) : f2l_seq_at_f32(pass, layer, slot);
}

float *f2l_seq_stream_forward_f32(const f2l_seq_pass_f32 *pass, size_t layer,
                                  const f2l_seq_stream *stream)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t count = pass->rows * stream->width;
    float *x = f2l_seq_at_f32(pass, layer, stream->first);
    f2l_linear_forward_f32(x, f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM),
                           pass->parameters + weight_offset(pass, stream), NULL, pass->rows,
                           c->width, stream->width);
    if (stream->convolution != F2L_SEQ_NONE) {
        const f2l_conv_shape shape = taps_of(pass, stream);
        float *y = f2l_seq_at_f32(pass, layer, stream->first + 1);
        f2l_conv_forward_f32(y, f2l_seq_kept_f32(pass, layer, stream->past), x,
                             f2l_seq_param_f32(pass, stream->convolution),
                             f2l_seq_param_f32(pass, stream->bias), &shape);
        x = y;
    }
    if (stream->silu) {
        float *y = f2l_seq_at_f32(pass, layer, stream->first + 2);
        f2l_silu_forward_f32(y, x, count);
        x = y;
    }
    if (stream->unit > 0) {
        float *y = f2l_seq_at_f32(pass, layer, stream->first + 3);
        if (stream->ternary)
            f2l_ternary_forward_f32(y, x, count / stream->unit, stream->unit);
        else if (c->exact_keys)
            f2l_unit_forward_f32(y, x, count / stream->unit, stream->unit);
        else
            f2l_l2norm_forward_f32(y, x, count / stream->unit, stream->unit, key_epsilon(c));
        x = y;
    }
    return x;
}

/* Computes the gradient of the slot `active`, which was scaled to length 1. */
static void unit_backward(const f2l_seq_pass_f32 *pass, size_t layer, const f2l_seq_stream *stream,
                          size_t active)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t rows = pass->rows * stream->width / stream->unit;
    float *dx = f2l_seq_dat_f32(pass, active);
    const float *dy = f2l_seq_dat_f32(pass, stream->first + 3),
                *x = f2l_seq_at_f32(pass, layer, active);
    if (c->exact_keys)
        f2l_unit_backward_f32(dx, dy, x, rows, stream->unit);
    else
        f2l_l2norm_backward_f32(dx, dy, x, rows, stream->unit, key_epsilon(c));
    if (stream->ternary && c->key_pull > 0)
        f2l_swap_backward_f32(dx, x, rows, stream->unit, (float)c->key_pull * pass->weight);
}

void f2l_seq_stream_backward_f32(const f2l_seq_pass_f32 *pass, size_t layer,
                                 const f2l_seq_stream *stream, bool add)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t count = pass->rows * stream->width;
    const bool taps = stream->convolution != F2L_SEQ_NONE;
    const size_t projected = stream->first;
    const size_t convolved = taps ? stream->first + 1 : projected;
    const size_t active = stream->silu ? stream->first + 2 : convolved;
    if (stream->unit > 0) unit_backward(pass, layer, stream, active);
    if (stream->silu)
        f2l_silu_backward_f32(f2l_seq_dat_f32(pass, convolved), f2l_seq_dat_f32(pass, active),
                              f2l_seq_at_f32(pass, layer, convolved), count);
    if (taps) {
        const f2l_conv_shape shape = taps_of(pass, stream);
        f2l_conv_backward_f32(
            f2l_seq_dat_f32(pass, projected), f2l_seq_dparam_f32(pass, stream->convolution),
            f2l_seq_dparam_f32(pass, stream->bias), f2l_seq_dat_f32(pass, convolved),
            f2l_seq_at_f32(pass, layer, projected), f2l_seq_param_f32(pass, stream->convolution),
            &shape);
    }
    const size_t weight = weight_offset(pass, stream);
    f2l_linear_backward_f32(f2l_seq_dat_f32(pass, F2L_SLOT_NORM), add, pass->gradient + weight,
                            NULL, f2l_seq_dat_f32(pass, projected),
                            f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM), pass->parameters + weight,
                            pass->rows, c->width, stream->width);
}
