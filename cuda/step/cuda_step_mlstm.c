/* The mixer mlstm: its row, and from the projection (q, k, v, in, forget, output gate) to the gated
 * output, and back. */
#include "cuda/step/impl.h"
#include "models/learn/op/op_mlstm.h"
#include "models/learn/seq/mlstm/seq_mlstm.h"

/* The first columns of the parts of the projection. */
typedef struct parts {
    size_t k, v, in, forget, gate;
} parts;

static parts parts_of(const f2l_cuda_step_shape *s)
{
    const size_t keys = s->heads * s->key, in = 2 * keys + s->heads * s->value;
    return (parts){keys, 2 * keys, in, in + s->heads, in + 2 * s->heads};
}

/* What a step and an evaluation have alike: sizes, and the places of the inputs. */
typedef struct source {
    const f2l_cuda_step_shape *shape;
    const f2l_step_columns *columns;
    f2l_cuda_type type;
    size_t sequences, length, rows;
    const uint32_t *first;           /* of a step: f2l_step_first */
    void *projection, *taps, *q, *k; /* q, k: after the convolution and SiLU */
    const float *in_bias, *forget_bias;
} source;

static bool convolves(const source *from)
{
    return from->columns->taps > 0;
}

static f2l_cuda_pairs_shape pairs_of(const source *from)
{
    const f2l_cuda_step_shape *s = from->shape;
    return (f2l_cuda_pairs_shape){.mlstm = true,
                                  .batch = from->sequences,
                                  .tokens = from->length,
                                  .heads = s->heads,
                                  .key = s->key,
                                  .value = s->value,
                                  .key_stride =
                                      convolves(from) ? s->heads * s->key : from->columns->stride,
                                  .value_stride = from->columns->stride,
                                  .gate_stride = from->columns->stride,
                                  .type = from->type,
                                  .first = from->first};
}

static void *column(const source *from, size_t column)
{
    return f2l_cuda_column(from->projection, column, from->type);
}

static f2l_cuda_pairs_in mlstm_inputs_of(const source *from)
{
    const parts at = parts_of(from->shape);
    return (f2l_cuda_pairs_in){.q = convolves(from) ? from->q : from->projection,
                               .k = convolves(from) ? from->k : column(from, at.k),
                               .v = column(from, at.v),
                               .in = column(from, at.in),
                               .forget = column(from, at.forget),
                               .in_bias = from->in_bias,
                               .forget_bias = from->forget_bias};
}

/* Returns the shape of SiLU after the convolution, of queries and of keys. */
static f2l_cuda_unit silu_of(const source *from)
{
    return (f2l_cuda_unit){.rows = from->rows,
                           .groups = from->shape->heads,
                           .width = from->shape->key,
                           .stride = from->columns->taps_stride,
                           .silu = true,
                           .x_type = from->type,
                           .y_type = from->type};
}

static f2l_cuda_norm norm_of(const source *from)
{
    return f2l_cuda_norm_of(from->shape, from->rows * from->shape->heads, from->shape->value, 1,
                            from->type);
}

static f2l_cuda_gate gate_of(const source *from)
{
    return (f2l_cuda_gate){.rows = from->rows,
                           .width = from->columns->mixed,
                           .stride = from->columns->stride,
                           .type = from->type};
}

static source step_source(const f2l_step_run *p, size_t l)
{
    const f2l_step_layer *a = &p->s->at.layer[l];
    const size_t *tensor = p->shape->layer[l].mixer;
    return (source){.shape = p->shape,
                    .columns = &p->s->columns,
                    .type = p->s->type,
                    .sequences = p->s->sequences,
                    .length = p->s->length,
                    .rows = p->rows,
                    .first = f2l_step_first(p->s),
                    .projection = a->projection,
                    .taps = a->taps,
                    .q = a->q,
                    .k = a->k,
                    .in_bias = f2l_step_number(p, tensor[F2L_MLSTM_IN_BIAS]),
                    .forget_bias = f2l_step_number(p, tensor[F2L_MLSTM_FORGET_BIAS])};
}

static void forward_mlstm_step(f2l_step_run *p, size_t l)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const source from = step_source(p, l);
    const f2l_cuda_pairs_shape shape = pairs_of(&from);
    const f2l_cuda_pairs_in in = mlstm_inputs_of(&from);
    const f2l_cuda_unit silu = silu_of(&from);
    const f2l_cuda_norm norm = norm_of(&from);
    const f2l_cuda_gate gate = gate_of(&from);
    const parts at = parts_of(p->shape);
    void *stream = p->s->stream;
    if (convolves(&from)) {
        LAUNCH(p, p->k->unit_forward(a->q, a->taps, &silu, stream, p->err));
        LAUNCH(p, p->k->unit_forward(a->k, f2l_cuda_column(a->taps, at.k, from.type), &silu, stream,
                                     p->err));
    }
    LAUNCH(p, p->k->pairs_forward(a->o, a->kept, &in, &shape, stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(
                  a->u, NULL, a->o, NULL, NULL,
                  f2l_step_number(p, p->shape->layer[l].mixer[F2L_MLSTM_OUTPUT_NORM]), &norm,
                  stream, p->err));
    LAUNCH(p, p->k->gate_forward(a->o_norm, a->u, column(&from, at.gate), &gate, stream, p->err));
}

/* Computes d_o and the output gates' part of dcolumns. */
static void output_backward(f2l_step_run *p, size_t l, const source *from)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const size_t weight = p->shape->layer[l].mixer[F2L_MLSTM_OUTPUT_NORM],
                 at = parts_of(p->shape).gate;
    const f2l_cuda_norm norm = norm_of(from);
    const f2l_cuda_gate gate = gate_of(from);
    LAUNCH(p, p->k->gate_backward(a->du, f2l_cuda_column(a->dcolumns, at, from->type), a->do_norm,
                                  a->u, column(from, at), &gate, p->s->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_backward(a->d_o, f2l_step_gradient(p, weight), a->du, a->o, NULL,
                                     f2l_step_number(p, weight), p->s->at.work, &norm, p->s->stream,
                                     p->err));
}

/* Computes the first columns of the gradient at the projection from dq and dk. */
static void taps_backward(f2l_step_run *p, size_t l, const source *from)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const size_t tensor = p->shape->layer[l].taps;
    const f2l_cuda_unit silu = silu_of(from);
    const f2l_cuda_conv_shape taps = f2l_step_taps(p->s);
    void *k = f2l_cuda_column(a->taps, parts_of(p->shape).k, from->type);
    LAUNCH(p, p->k->unit_backward(a->taps, a->dq, a->taps, &silu, p->s->stream, p->err));
    LAUNCH(p, p->k->unit_backward(k, a->dk, k, &silu, p->s->stream, p->err));
    LAUNCH(p, p->k->conv_backward(a->dcolumns, f2l_step_gradient(p, tensor), NULL, a->taps,
                                  a->projection, f2l_step_number(p, tensor), p->s->at.work, &taps,
                                  p->s->stream, p->err));
}

static void backward_mlstm_step(f2l_step_run *p, size_t l, const void *dmiddle)
{
    const size_t *tensor = p->shape->layer[l].mixer;
    f2l_step_layer *a = &p->s->at.layer[l];
    const source from = step_source(p, l);
    const f2l_cuda_pairs_shape shape = pairs_of(&from);
    const f2l_cuda_pairs_in in = mlstm_inputs_of(&from);
    const parts at = parts_of(p->shape);
    const f2l_cuda_type type = from.type;
    const f2l_cuda_pairs_grad grad = {
        .dq = convolves(&from) ? a->dq : a->dcolumns,
        .dk = convolves(&from) ? a->dk : f2l_cuda_column(a->dcolumns, at.k, type),
        .dv = f2l_cuda_column(a->dcolumns, at.v, type),
        .din = f2l_cuda_column(a->dcolumns, at.in, type),
        .dforget = f2l_cuda_column(a->dcolumns, at.forget, type),
        .din_bias = f2l_step_gradient(p, tensor[F2L_MLSTM_IN_BIAS]),
        .dforget_bias = f2l_step_gradient(p, tensor[F2L_MLSTM_FORGET_BIAS])};
    output_backward(p, l, &from);
    LAUNCH(p, p->k->pairs_backward(&grad, a->d_o, a->o, a->kept, a->mixer_work, &in, &shape,
                                   p->s->stream, p->err));
    if (convolves(&from)) taps_backward(p, l, &from);
    f2l_step_project_back(p, l, a->dcolumns, dmiddle);
}

static void answer_mlstm(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_answer_places *to = &a->at;
    const size_t *tensor = p->shape->layer[l].mixer;
    const source from = {.shape = p->shape,
                         .columns = &a->columns,
                         .type = a->type,
                         .sequences = a->sequences,
                         .length = p->rows / a->sequences,
                         .rows = p->rows,
                         .projection = to->projection,
                         .taps = to->taps,
                         .q = to->q,
                         .k = to->k,
                         .in_bias = f2l_answer_number(p, tensor[F2L_MLSTM_IN_BIAS]),
                         .forget_bias = f2l_answer_number(p, tensor[F2L_MLSTM_FORGET_BIAS])};
    const f2l_cuda_pairs_shape shape = pairs_of(&from);
    const f2l_cuda_pairs_in in = mlstm_inputs_of(&from);
    const f2l_cuda_unit silu = silu_of(&from);
    const f2l_cuda_norm norm = norm_of(&from);
    const f2l_cuda_gate gate = gate_of(&from);
    const parts at = parts_of(p->shape);
    if (convolves(&from)) {
        LAUNCH(p, p->k->unit_forward(to->q, to->taps, &silu, a->stream, p->err));
        LAUNCH(p, p->k->unit_forward(to->k, f2l_cuda_column(to->taps, at.k, from.type), &silu,
                                     a->stream, p->err));
    }
    LAUNCH(p, a->more->pairs(to->o, to->state + l * a->layer_states, to->work, &in, &shape,
                             a->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(to->u, NULL, to->o, NULL, NULL,
                                    f2l_answer_number(p, tensor[F2L_MLSTM_OUTPUT_NORM]), &norm,
                                    a->stream, p->err));
    LAUNCH(p,
           p->k->gate_forward(to->o_norm, to->u, column(&from, at.gate), &gate, a->stream, p->err));
}

static f2l_status takes_mlstm(const f2l_seq_config *c, f2l_error *err)
{
    return f2l_step_check_heads(c->key_dim, c->value_dim, F2L_CUDA_PAIRS_DIM, err);
}

static bool mlstm_has_sizes(const f2l_cuda_step_shape *s)
{
    return s->heads > 0 && s->key > 0 && s->value > 0;
}

static f2l_status check_mlstm_answer(const f2l_cuda_step_shape *s, f2l_error *err)
{
    return f2l_step_check_heads(s->key, s->value, F2L_CUDA_PAIRS_DIM, err);
}

static void set_mlstm_columns(f2l_step_columns *c, const f2l_cuda_step_shape *s)
{
    const f2l_mlstm_shape shape = {.heads = s->heads, .key = s->key, .value = s->value};
    const size_t keys = s->heads * s->key;
    c->q = c->k = s->convolution > 0 ? keys : 0;
    c->taps = s->convolution > 0 ? 2 * keys : 0;
    c->mixed = c->o = c->u = s->heads * s->value;
    c->all = parts_of(s).gate + c->mixed;
    c->state = f2l_mlstm_state(&shape);
    c->parts = s->heads;
}

static f2l_status mlstm_bytes(size_t bytes[2], const f2l_cuda_step *step, size_t l, f2l_error *err)
{
    const source from = {.shape = &step->shape,
                         .columns = &step->columns,
                         .type = step->type,
                         .sequences = step->sequences,
                         .length = step->length};
    const f2l_cuda_pairs_shape shape = pairs_of(&from);
    (void)l;
    return step->k->pairs_bytes(&bytes[0], &bytes[1], &shape, err);
}

static void want_mlstm_memory(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                              const size_t bytes[2], size_t l, const f2l_step_phases *p)
{
    (void)l;
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type);
    const size_t begin = p->begin, output = p->output, mixed = p->mixed, end = p->end;
    f2l_step_want(w, &a->q, rows, c->q * number, begin, mixed);
    f2l_step_want(w, &a->k, rows, c->k * number, begin, mixed);
    f2l_step_want(w, &a->kept, 1, bytes[0], begin, mixed);
    f2l_step_want(w, &a->o, rows, c->o * number, begin, mixed);
    f2l_step_want(w, &a->u, rows, c->u * number, begin, mixed);
    f2l_step_want(w, &a->do_norm, rows, c->mixed * number, output, mixed);
    f2l_step_want(w, &a->mixer_work, 1, bytes[1], mixed, mixed);
    f2l_step_want(w, &a->du, rows, c->u * number, mixed, mixed);
    f2l_step_want(w, &a->d_o, rows, c->o * number, mixed, mixed);
    f2l_step_want(w, &a->dq, rows, c->q * number, mixed, end);
    f2l_step_want(w, &a->dk, rows, c->k * number, mixed, end);
    f2l_step_want(w, &a->dcolumns, rows, c->stride * number, mixed, end);
}

const f2l_step_mixer f2l_step_mixer_mlstm = {.mixer = &f2l_mixer_mlstm,
                                             .project = F2L_MLSTM_QUERY,
                                             .taps = F2L_MLSTM_QUERY_TAPS,
                                             .out = F2L_MLSTM_OUT,
                                             .by_position = true,
                                             .packs = true,
                                             .takes = takes_mlstm,
                                             .has_sizes = mlstm_has_sizes,
                                             .check_answer = check_mlstm_answer,
                                             .columns = set_mlstm_columns,
                                             .bytes = mlstm_bytes,
                                             .want = want_mlstm_memory,
                                             .forward = forward_mlstm_step,
                                             .backward = backward_mlstm_step,
                                             .answer = answer_mlstm};
