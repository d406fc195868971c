/* The mixer diagonal: its row, and from the projection (u, z) to the gated output, and back. */
#include "cuda/step/impl.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"

/* Returns the shape of the diagonal mixer's u = silu of the projection's first columns, or of the
 * convolution's output. Groups are only a division of the channels here, as wide as the operator
 * supports. */
static f2l_cuda_unit silu_of_channels(const f2l_cuda_step_shape *shape,
                                      const f2l_step_columns *columns, size_t rows,
                                      f2l_cuda_type type)
{
    size_t width = shape->channels < 256 ? shape->channels : 256;
    while (shape->channels % width != 0) width--;
    return (f2l_cuda_unit){.rows = rows,
                           .groups = shape->channels / width,
                           .width = width,
                           .stride = columns->taps > 0 ? columns->taps_stride : columns->stride,
                           .silu = true,
                           .x_type = type,
                           .y_type = type};
}

static f2l_cuda_select_shape select_of(const f2l_cuda_step *s)
{
    return (f2l_cuda_select_shape){.batch = s->sequences,
                                   .tokens = s->length,
                                   .channels = s->shape.channels,
                                   .states = s->shape.states,
                                   .stride = s->columns.select_stride,
                                   .gate_stride = s->columns.stride,
                                   .low = s->shape.negative ? -1 : 0,
                                   .type = s->type,
                                   .first = f2l_step_first(s),
                                   .rows = s->now ? s->now->rows : 0};
}

/* Return the maps from u to (r, B, C), and from r to dt before bias and softplus. */
static f2l_cuda_map select_map(const f2l_step_run *p)
{
    f2l_cuda_map map =
        f2l_cuda_map_of(p->rows, p->s->type, p->shape->channels, p->s->columns.select);
    map.y_stride = p->s->columns.select_stride;
    map.add_dx = true;
    return map;
}
static f2l_cuda_map step_map(const f2l_step_run *p)
{
    f2l_cuda_map map = f2l_cuda_map_of(p->rows, p->s->type, p->shape->rank, p->shape->channels);
    map.x_stride = p->s->columns.select_stride;
    return map;
}

static f2l_cuda_select_in select_inputs_of(const f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = &p->s->at.layer[l];
    return (f2l_cuda_select_in){.u = a->u,
                                .step = a->step,
                                .gate = f2l_cuda_column(a->projection, s->channels, type),
                                .write = f2l_cuda_column(a->select, s->rank, type),
                                .read = f2l_cuda_column(a->select, s->rank + s->states, type),
                                .bias = f2l_step_number(p, tensor->mixer[F2L_DIAGONAL_STEP_BIAS]),
                                .state_log =
                                    f2l_step_number(p, tensor->mixer[F2L_DIAGONAL_STATE_LOG]),
                                .skip = f2l_step_number(p, tensor->mixer[F2L_DIAGONAL_SKIP])};
}

static void forward_diagonal_step(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map select = select_map(p), step = step_map(p);
    const f2l_cuda_unit silu = silu_of_channels(p->shape, &p->s->columns, p->rows, p->s->type);
    const f2l_cuda_select_shape shape = select_of(p->s);
    const f2l_cuda_select_in in = select_inputs_of(p, l);
    LAUNCH(p, p->k->unit_forward(a->u, p->s->columns.taps > 0 ? a->taps : a->projection, &silu,
                                 p->s->stream, p->err));
    f2l_step_linear_forward(p, a->select, a->u,
                            f2l_step_matrix(p, tensor->mixer[F2L_DIAGONAL_SELECT]), &select);
    f2l_step_linear_forward(p, a->step, a->select,
                            f2l_step_matrix(p, tensor->mixer[F2L_DIAGONAL_STEP_WEIGHT]), &step);
    LAUNCH(p, p->k->select_forward(a->o_norm, a->kept, &in, &shape, p->s->stream, p->err));
}

/* Computes the first columns of the gradient at the projection from du. */
static void channels_backward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_unit silu = silu_of_channels(p->shape, &p->s->columns, p->rows, p->s->type);
    if (p->s->columns.taps == 0) {
        LAUNCH(p,
               p->k->unit_backward(a->dcolumns, a->du, a->projection, &silu, p->s->stream, p->err));
        return;
    }
    const f2l_cuda_conv_shape taps = f2l_step_taps(p->s);
    LAUNCH(p, p->k->unit_backward(a->taps, a->du, a->taps, &silu, p->s->stream, p->err));
    LAUNCH(p, p->k->conv_backward(a->dcolumns, f2l_step_gradient(p, tensor->taps), NULL, a->taps,
                                  a->projection, f2l_step_number(p, tensor->taps), p->s->at.work,
                                  &taps, p->s->stream, p->err));
}

static void backward_diagonal_step(f2l_step_run *p, size_t l, const void *dmiddle)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map select = select_map(p), step = step_map(p);
    const f2l_cuda_select_shape shape = select_of(p->s);
    const f2l_cuda_select_in in = select_inputs_of(p, l);
    const f2l_cuda_select_grad grad = {
        .du = a->du,
        .dstep = a->dstep,
        .dgate = f2l_cuda_column(a->dcolumns, s->channels, type),
        .dwrite = f2l_cuda_column(a->dselect, s->rank, type),
        .dread = f2l_cuda_column(a->dselect, s->rank + s->states, type),
        .dbias = f2l_step_gradient(p, tensor->mixer[F2L_DIAGONAL_STEP_BIAS]),
        .dstate_log = f2l_step_gradient(p, tensor->mixer[F2L_DIAGONAL_STATE_LOG]),
        .dskip = f2l_step_gradient(p, tensor->mixer[F2L_DIAGONAL_SKIP])};
    LAUNCH(p, p->k->select_backward(&grad, a->do_norm, a->kept, a->mixer_work, &in, &shape,
                                    p->s->stream, p->err));
    f2l_step_linear_backward(
        p, a->dselect, f2l_step_gradient(p, tensor->mixer[F2L_DIAGONAL_STEP_WEIGHT]), a->dstep,
        a->select, f2l_step_matrix(p, tensor->mixer[F2L_DIAGONAL_STEP_WEIGHT]), &step);
    f2l_step_linear_backward(p, a->du, f2l_step_gradient(p, tensor->mixer[F2L_DIAGONAL_SELECT]),
                             a->dselect, a->u,
                             f2l_step_matrix(p, tensor->mixer[F2L_DIAGONAL_SELECT]), &select);
    channels_backward(p, l);
    f2l_step_project_back(p, l, a->dcolumns, dmiddle);
}

static void answer_diagonal(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *layer = &s->layer[l];
    const f2l_answer_places *at = &a->at;
    const f2l_cuda_unit silu = silu_of_channels(p->shape, &p->a->columns, p->rows, p->a->type);
    const f2l_cuda_select_shape shape = {.batch = a->sequences,
                                         .tokens = p->rows / a->sequences,
                                         .channels = s->channels,
                                         .states = s->states,
                                         .stride = a->columns.select_stride,
                                         .gate_stride = a->columns.stride,
                                         .low = s->negative ? -1 : 0,
                                         .type = a->type};
    const f2l_cuda_select_in in = {
        .u = at->u,
        .step = at->step,
        .gate = f2l_cuda_column(at->projection, s->channels, a->type),
        .write = f2l_cuda_column(at->select, s->rank, a->type),
        .read = f2l_cuda_column(at->select, s->rank + s->states, a->type),
        .bias = f2l_answer_number(p, layer->mixer[F2L_DIAGONAL_STEP_BIAS]),
        .state_log = f2l_answer_number(p, layer->mixer[F2L_DIAGONAL_STATE_LOG]),
        .skip = f2l_answer_number(p, layer->mixer[F2L_DIAGONAL_SKIP])};
    f2l_cuda_map select = f2l_cuda_map_of(p->rows, p->a->type, s->channels, a->columns.select),
                 step = f2l_cuda_map_of(p->rows, p->a->type, s->rank, s->channels);
    select.y_stride = step.x_stride = a->columns.select_stride;
    LAUNCH(p, p->k->unit_forward(at->u, a->columns.taps > 0 ? at->taps : at->projection, &silu,
                                 a->stream, p->err));
    f2l_answer_linear(p, at->select, at->u, f2l_answer_matrix(p, layer->mixer[F2L_DIAGONAL_SELECT]),
                      &select);
    f2l_answer_linear(p, at->step, at->select,
                      f2l_answer_matrix(p, layer->mixer[F2L_DIAGONAL_STEP_WEIGHT]), &step);
    LAUNCH(p, a->more->select(at->o_norm, at->state + l * a->layer_states, &in, &shape, a->stream,
                              p->err));
}

static f2l_status takes_diagonal(const f2l_seq_config *c, f2l_error *err)
{
    if (c->convolution_bias)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a bias of the convolution is not computed on CUDA "
                        "devices: use --backend cpu");
    if (c->states <= F2L_CUDA_SELECT_STATES) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "channels of %zu states are not trained on CUDA devices, only up to %d: "
                    "use --backend cpu",
                    c->states, F2L_CUDA_SELECT_STATES);
}

static bool diagonal_has_sizes(const f2l_cuda_step_shape *s)
{
    return s->channels > 0 && s->states > 0 && s->rank > 0;
}

static f2l_status check_diagonal_answer(const f2l_cuda_step_shape *s, f2l_error *err)
{
    if (s->states <= F2L_CUDA_SELECT_STATES) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "channels of %zu states, but on a device there are at most %d", s->states,
                    F2L_CUDA_SELECT_STATES);
}

static void set_diagonal_columns(f2l_step_columns *c, const f2l_cuda_step_shape *s)
{
    c->all = 2 * s->channels;
    c->taps = s->convolution > 0 ? s->channels : 0;
    c->select = s->rank + 2 * s->states;
    c->mixed = c->u = s->channels;
    c->state = s->channels * s->states;
    c->parts = 1;
}

static f2l_status diagonal_bytes(size_t bytes[2], const f2l_cuda_step *step, size_t l,
                                 f2l_error *err)
{
    (void)l;
    const f2l_cuda_select_shape shape = select_of(step);
    return step->k->select_bytes(&bytes[0], &bytes[1], &shape, err);
}

static void want_diagonal_memory(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                                 const size_t bytes[2], size_t l, const f2l_step_phases *p)
{
    (void)l;
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type),
                 channels = step->shape.channels;
    const size_t begin = p->begin, output = p->output, mixed = p->mixed, end = p->end;
    f2l_step_want(w, &a->u, rows, channels * number, begin, end);
    f2l_step_want(w, &a->select, rows, c->select_stride * number, begin, end);
    f2l_step_want(w, &a->step, rows, channels * number, begin, mixed);
    f2l_step_want(w, &a->kept, 1, bytes[0], begin, mixed);
    f2l_step_want(w, &a->mixer_work, 1, bytes[1], mixed, mixed);
    f2l_step_want(w, &a->do_norm, rows, channels * number, output, mixed);
    f2l_step_want(w, &a->du, rows, channels * number, mixed, end);
    f2l_step_want(w, &a->dstep, rows, channels * number, mixed, end);
    f2l_step_want(w, &a->dselect, rows, c->select_stride * number, mixed, end);
    f2l_step_want(w, &a->dcolumns, rows, c->stride * number, mixed, end);
}

const f2l_step_mixer f2l_step_mixer_diagonal = {.mixer = &f2l_mixer_diagonal,
                                                .project = F2L_DIAGONAL_IN,
                                                .taps = F2L_DIAGONAL_TAPS,
                                                .out = F2L_DIAGONAL_OUT,
                                                .by_position = true,
                                                .packs = true,
                                                .products = 6,
                                                .takes = takes_diagonal,
                                                .has_sizes = diagonal_has_sizes,
                                                .check_answer = check_diagonal_answer,
                                                .columns = set_diagonal_columns,
                                                .bytes = diagonal_bytes,
                                                .want = want_diagonal_memory,
                                                .forward = forward_diagonal_step,
                                                .backward = backward_diagonal_step,
                                                .answer = answer_diagonal};
