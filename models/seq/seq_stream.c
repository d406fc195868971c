#ifndef REAL
#include "models/op/op_conv.h"
#include "models/op/op_linear.h"
#include "models/op/op_norm.h"
#include "models/op/op_point.h"
#include "models/seq/impl.h"
#define F2L_OP_SELF "models/seq/seq_stream.c"
#include "models/op/op_twice.h"
#else

static f2l_conv_shape OP(taps_of)(const OP(f2l_seq_pass) * pass, const f2l_seq_stream *stream)
{
    return (f2l_conv_shape){pass->batch, pass->tokens, stream->width,
                            pass->model->config.convolution};
}

/* Returns the offset of the projection's rows in the parameters. */
static size_t OP(weight_offset)(const OP(f2l_seq_pass) * pass, const f2l_seq_stream *stream)
{
    return pass->model->tensor[stream->weight].offset + stream->row * pass->model->config.width;
}

REAL *OP(f2l_seq_stream_last)(const OP(f2l_seq_pass) * pass, size_t layer,
                              const f2l_seq_stream *stream, bool gradient)
{
    f2l_seq_slot slot = stream->first;
    if (stream->convolution != F2L_SEQ_NONE) slot = stream->first + 1;
    if (stream->silu) slot = stream->first + 2;
    if (stream->unit > 0) slot = stream->first + 3;
    return gradient ? OP(f2l_seq_dat)(pass, slot) : OP(f2l_seq_at)(pass, layer, slot);
}

f2l_status OP(f2l_seq_stream_forward)(REAL **out, const OP(f2l_seq_pass) * pass, size_t layer,
                                      const f2l_seq_stream *stream)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t count = pass->rows * stream->width;
    REAL *x = OP(f2l_seq_at)(pass, layer, stream->first);
    f2l_status status =
        OP(f2l_linear_forward)(x, OP(f2l_seq_at)(pass, layer, F2L_SLOT_NORM),
                               pass->parameters + OP(weight_offset)(pass, stream), NULL, pass->rows,
                               c->width, stream->width, pass->err);
    if (status != F2L_OK) return status;
    if (stream->convolution != F2L_SEQ_NONE) {
        const f2l_conv_shape shape = OP(taps_of)(pass, stream);
        REAL *y = OP(f2l_seq_at)(pass, layer, stream->first + 1);
        OP(f2l_conv_forward)
        (y, OP(f2l_seq_kept)(pass, layer, stream->past), x,
         OP(f2l_seq_param)(pass, stream->convolution), NULL, &shape);
        x = y;
    }
    if (stream->silu) {
        REAL *y = OP(f2l_seq_at)(pass, layer, stream->first + 2);
        OP(f2l_silu_forward)(y, x, count);
        x = y;
    }
    if (stream->unit > 0) {
        REAL *y = OP(f2l_seq_at)(pass, layer, stream->first + 3);
        OP(f2l_l2norm_forward)(y, x, count / stream->unit, stream->unit, (REAL)c->epsilon);
        x = y;
    }
    *out = x;
    return F2L_OK;
}

f2l_status OP(f2l_seq_stream_backward)(const OP(f2l_seq_pass) * pass, size_t layer,
                                       const f2l_seq_stream *stream, bool add)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t count = pass->rows * stream->width;
    const bool taps = stream->convolution != F2L_SEQ_NONE;
    const f2l_seq_slot projected = stream->first;
    const f2l_seq_slot convolved = taps ? stream->first + 1 : projected;
    const f2l_seq_slot active = stream->silu ? stream->first + 2 : convolved;
    if (stream->unit > 0) OP(f2l_l2norm_backward)
    (OP(f2l_seq_dat)(pass, active), OP(f2l_seq_dat)(pass, stream->first + 3),
     OP(f2l_seq_at)(pass, layer, active), count / stream->unit, stream->unit, (REAL)c->epsilon);
    if (stream->silu) OP(f2l_silu_backward)
    (OP(f2l_seq_dat)(pass, convolved), OP(f2l_seq_dat)(pass, active),
     OP(f2l_seq_at)(pass, layer, convolved), count);
    if (taps) {
        const f2l_conv_shape shape = OP(taps_of)(pass, stream);
        OP(f2l_conv_backward)
        (OP(f2l_seq_dat)(pass, projected), OP(f2l_seq_dparam)(pass, stream->convolution), NULL,
         OP(f2l_seq_dat)(pass, convolved), OP(f2l_seq_at)(pass, layer, projected),
         OP(f2l_seq_param)(pass, stream->convolution), &shape);
    }
    const size_t weight = OP(weight_offset)(pass, stream);
    return OP(f2l_linear_backward)(
        OP(f2l_seq_dat)(pass, F2L_SLOT_NORM), add, pass->gradient + weight, NULL,
        OP(f2l_seq_dat)(pass, projected), OP(f2l_seq_at)(pass, layer, F2L_SLOT_NORM),
        pass->parameters + weight, pass->rows, c->width, stream->width, pass->err);
}

#endif
