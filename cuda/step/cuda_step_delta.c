/* The delta mixer of a pass: from the projection to o and its norm, and back. Its inputs are by
 * letter in layer 0 if there is no convolution, and by position in other layers. */
#include "cuda/step/impl.h"
#include "models/learn/seq/delta/seq_delta.h"
#include <math.h>

typedef struct inputs {
    f2l_step_layer *a;
    const f2l_cuda_step_layer *tensor;
    bool by_letter;
    size_t rows;
    f2l_cuda_type type; /* of the projection */
    void *stream;       /* source of q, k, v: the projection's first columns, or the convolution's
                         * output */
    size_t stride;      /* stride of `stream` */
} inputs;

static inputs inputs_of(const f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = &p->s->at.layer[l];
    const bool by_letter = l == 0 && !f2l_step_laid_out(p->shape, l);
    return (inputs){.a = a,
                    .tensor = &p->shape->layer[l],
                    .by_letter = by_letter,
                    .rows = by_letter ? p->shape->letters : p->rows,
                    .type = by_letter ? F2L_CUDA_F32 : p->s->type,
                    .stream = c->taps > 0 ? a->taps : a->projection,
                    .stride = c->taps > 0 ? c->taps_stride : c->stride};
}

static f2l_cuda_unit unit_of_stream(const f2l_step_run *p, const inputs *in, bool value)
{
    const f2l_cuda_step_shape *s = p->shape;
    return (f2l_cuda_unit){.rows = in->rows,
                           .groups = s->heads,
                           .width = value ? s->value : s->key,
                           .stride = in->stride,
                           .silu = value || s->silu_keys,
                           .unit = !value && s->normalise_keys,
                           .epsilon = (float)s->epsilon,
                           .x_type = in->type,
                           .y_type = p->s->type};
}

static f2l_cuda_range range_of(const f2l_step_run *p, const inputs *in, bool gate)
{
    const f2l_cuda_step_shape *s = p->shape;
    return (f2l_cuda_range){.rows = in->rows,
                            .width = gate ? s->heads : s->householders * s->heads,
                            .stride = p->s->columns.stride,
                            .low = 0,
                            .high = gate ? 1 : (float)s->range,
                            .slope = (float)s->slope,
                            .type = in->type};
}

static void inputs_forward(f2l_step_run *p, const inputs *in)
{
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = in->a;
    void *stream = p->s->stream;
    f2l_cuda_unit keys = unit_of_stream(p, in, false), values = unit_of_stream(p, in, true);
    const f2l_cuda_range beta = range_of(p, in, false), gate = range_of(p, in, true);
    size_t at = 0;
    LAUNCH(p, p->k->unit_forward(a->q, f2l_cuda_column(in->stream, at, in->type), &keys, stream,
                                 p->err));
    keys.groups = values.groups = p->shape->householders * p->shape->heads;
    at += c->q;
    LAUNCH(p, p->k->unit_forward(a->k, f2l_cuda_column(in->stream, at, in->type), &keys, stream,
                                 p->err));
    at += c->k;
    if (c->v > 0)
        LAUNCH(p, p->k->unit_forward(a->v, f2l_cuda_column(in->stream, at, in->type), &values,
                                     stream, p->err));
    at += c->v;
    LAUNCH(p, p->k->sigmoid_forward(a->beta, f2l_cuda_column(a->projection, at, in->type), &beta,
                                    stream, p->err));
    at += c->beta;
    if (c->gate > 0)
        LAUNCH(p, p->k->decay_forward(a->gate, f2l_cuda_column(a->projection, at, in->type),
                                      f2l_step_number(p, in->tensor->mixer[F2L_DELTA_GATE_LOG]),
                                      f2l_step_number(p, in->tensor->mixer[F2L_DELTA_GATE_BIAS]),
                                      &gate, stream, p->err));
}

/* The places of the gradients of q, .., gate when they go back through the projection. */
typedef struct input_gradients {
    const void *q, *k, *v;
    const float *beta, *gate;
    void *projection; /* written; by position this is the projection, which is no longer needed */
} input_gradients;

/* Computes the gradients of q, k, v back to `to`, which is in->stream by position. */
static void backward_delta_streams(f2l_step_run *p, const inputs *in, void *to,
                                   const input_gradients *d)
{
    const f2l_step_columns *c = &p->s->columns;
    void *stream = p->s->stream;
    f2l_cuda_unit keys = unit_of_stream(p, in, false), values = unit_of_stream(p, in, true);
    size_t at = 0;
    LAUNCH(p,
           p->k->unit_backward(f2l_cuda_column(to, at, in->type), d->q,
                               f2l_cuda_column(in->stream, at, in->type), &keys, stream, p->err));
    keys.groups = values.groups = p->shape->householders * p->shape->heads;
    at += c->q;
    LAUNCH(p,
           p->k->unit_backward(f2l_cuda_column(to, at, in->type), d->k,
                               f2l_cuda_column(in->stream, at, in->type), &keys, stream, p->err));
    at += c->k;
    if (c->v > 0)
        LAUNCH(p, p->k->unit_backward(f2l_cuda_column(to, at, in->type), d->v,
                                      f2l_cuda_column(in->stream, at, in->type), &values, stream,
                                      p->err));
}

static void inputs_backward(f2l_step_run *p, const inputs *in, const input_gradients *d)
{
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = in->a;
    void *stream = p->s->stream;
    const f2l_cuda_range beta = range_of(p, in, false), gate = range_of(p, in, true);
    size_t at = c->q + c->k + c->v;
    backward_delta_streams(p, in, c->taps > 0 ? a->taps : d->projection, d);
    if (c->taps > 0) {
        const f2l_cuda_conv_shape taps = f2l_step_taps(p->s);
        LAUNCH(p, p->k->conv_backward(d->projection, f2l_step_gradient(p, in->tensor->taps), NULL,
                                      a->taps, a->projection, f2l_step_number(p, in->tensor->taps),
                                      p->s->at.work, &taps, stream, p->err));
    }
    LAUNCH(p, p->k->sigmoid_backward(f2l_cuda_column(d->projection, at, in->type), d->beta,
                                     f2l_cuda_column(a->projection, at, in->type), &beta, stream,
                                     p->err));
    at += c->beta;
    if (c->gate > 0)
        LAUNCH(p, p->k->decay_backward(f2l_cuda_column(d->projection, at, in->type),
                                       f2l_step_gradient(p, in->tensor->mixer[F2L_DELTA_GATE_LOG]),
                                       f2l_step_gradient(p, in->tensor->mixer[F2L_DELTA_GATE_BIAS]),
                                       d->gate, f2l_cuda_column(a->projection, at, in->type),
                                       f2l_step_number(p, in->tensor->mixer[F2L_DELTA_GATE_LOG]),
                                       f2l_step_number(p, in->tensor->mixer[F2L_DELTA_GATE_BIAS]),
                                       p->s->at.work, &gate, stream, p->err));
}

/* Computes backward in layer 0 without a convolution, where everything before the mixer is a
 * function of the letter. */
static void by_letter_backward(f2l_step_run *p, const inputs *in, const void *dmiddle)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = in->a;
    const input_gradients d = {a->sum_q,    a->sum_k,    a->sum_v,
                               a->sum_beta, a->sum_gate, a->dprojection};
    f2l_step_sum_by_letter(p, a->sum_q, c->q, false, a->dq, c->q, c->q, type);
    f2l_step_sum_by_letter(p, a->sum_k, c->k, false, a->dk, c->k, c->k, type);
    f2l_step_sum_by_letter(p, a->sum_v, c->v, false, a->dv, c->v, c->v, type);
    f2l_step_sum_by_letter(p, a->sum_beta, c->beta, false, a->dbeta, c->beta, c->beta,
                           F2L_CUDA_F32);
    f2l_step_sum_by_letter(p, a->sum_gate, c->gate, false, a->dgate, c->gate, c->gate,
                           F2L_CUDA_F32);
    inputs_backward(p, in, &d);
    f2l_step_letters_back(p, dmiddle);
}

static f2l_cuda_mixer_in mixer_of(const f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_step_layer *a = &p->s->at.layer[l];
    const size_t start = s->layer[l].mixer[F2L_DELTA_START];
    return (f2l_cuda_mixer_in){
        .shape = {p->s->sequences, p->s->length, s->heads, s->householders, s->key, s->value},
        .type = p->s->type,
        .q = a->q,
        .k = a->k,
        .v = a->v,
        .beta = a->beta,
        .gate = a->gate,
        .h0 = start == F2L_CUDA_NONE ? NULL : f2l_step_number(p, start),
        .letter = l == 0 && !f2l_step_laid_out(s, l) ? p->s->at.letter : NULL,
        .first = f2l_step_first(p->s)};
}

/* Returns the norm of o, scaled: the reference scales o by key^-1/2; here the norm does. */
static f2l_cuda_norm norm_of_delta_output(const f2l_step_run *p)
{
    return f2l_cuda_norm_of(p->shape, p->rows * p->shape->heads, p->shape->value,
                            1 / sqrt((double)p->shape->key), p->s->type);
}

void f2l_step_delta_forward(f2l_step_run *p, size_t l)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const inputs in = inputs_of(p, l);
    const f2l_cuda_mixer_in mixer = mixer_of(p, l);
    const f2l_cuda_norm of_o = norm_of_delta_output(p);
    inputs_forward(p, &in);
    LAUNCH(p, p->k->mixer_forward(a->o, a->kept, a->mixer_work, &mixer, p->s->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(a->o_norm, NULL, a->o, NULL, NULL,
                                    f2l_step_number(p, in.tensor->mixer[F2L_DELTA_OUTPUT_NORM]),
                                    &of_o, p->s->stream, p->err));
}

void f2l_step_delta_backward(f2l_step_run *p, size_t l, const void *dmiddle)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const inputs in = inputs_of(p, l);
    const f2l_cuda_mixer_in mixer = mixer_of(p, l);
    const f2l_cuda_norm of_o = norm_of_delta_output(p);
    const f2l_cuda_mixer_grad grad = {
        .dq = a->dq,
        .dk = a->dk,
        .dv = a->dv,
        .dbeta = a->dbeta,
        .dgate = a->dgate,
        .dh0 = mixer.h0 ? f2l_step_gradient(p, in.tensor->mixer[F2L_DELTA_START]) : NULL};
    LAUNCH(p, p->k->rmsnorm_backward(
                  a->d_o, f2l_step_gradient(p, in.tensor->mixer[F2L_DELTA_OUTPUT_NORM]), a->do_norm,
                  a->o, NULL, f2l_step_number(p, in.tensor->mixer[F2L_DELTA_OUTPUT_NORM]),
                  p->s->at.work, &of_o, p->s->stream, p->err));
    LAUNCH(p, p->k->mixer_backward(&grad, a->d_o, a->kept, a->mixer_work, &mixer, p->s->stream,
                                   p->err));
    if (in.by_letter) {
        by_letter_backward(p, &in, dmiddle);
        return;
    }
    const input_gradients d = {a->dq, a->dk, a->dv, a->dbeta, a->dgate, a->projection};
    inputs_backward(p, &in, &d);
    f2l_step_project_back(p, l, a->projection, dmiddle);
}
