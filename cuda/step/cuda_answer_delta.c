/* The mixer delta of an evaluation, letter by letter, with its states carried on. */
#include "cuda/step/impl.h"
#include "models/learn/seq/delta/seq_delta.h"
#include <math.h>

/* The inputs of the mixer: beta and gate come from the projection, q, k, v from its first columns
 * or from the convolution's output. */
typedef struct inputs {
    size_t rows;
    f2l_cuda_type type; /* of both */
    void *projection, *columns;
    size_t columns_stride;
    void *q, *k, *v;
    float *beta, *gate;
} inputs;

static void make_streams(f2l_answer_pass *p, const inputs *in)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_step_columns *c = &p->a->columns;
    void *stream = p->a->stream;
    f2l_cuda_unit keys = {.rows = in->rows,
                          .groups = s->heads,
                          .width = s->key,
                          .stride = in->columns_stride,
                          .silu = s->silu_keys,
                          .unit = s->normalise_keys,
                          .epsilon = (float)s->epsilon,
                          .x_type = in->type,
                          .y_type = p->a->type};
    f2l_cuda_unit values = keys;
    const void *k = f2l_cuda_column(in->columns, c->q, in->type),
               *v = f2l_cuda_column(in->columns, c->q + c->k, in->type);
    LAUNCH(p, p->k->unit_forward(in->q, in->columns, &keys, stream, p->err));
    keys.groups = values.groups = s->householders * s->heads;
    LAUNCH(p, p->k->unit_forward(in->k, k, &keys, stream, p->err));
    values.width = s->value;
    values.silu = true;
    values.unit = false;
    if (c->v > 0) LAUNCH(p, p->k->unit_forward(in->v, v, &values, stream, p->err));
}

static void make_inputs(f2l_answer_pass *p, const inputs *in, const f2l_cuda_step_layer *layer)
{
    const f2l_step_columns *c = &p->a->columns;
    const f2l_cuda_range beta = {.rows = in->rows,
                                 .width = c->beta,
                                 .stride = c->stride,
                                 .high = (float)p->shape->range,
                                 .slope = (float)p->shape->slope,
                                 .type = in->type};
    f2l_cuda_range gate = beta;
    const size_t at = c->q + c->k + c->v;
    make_streams(p, in);
    LAUNCH(p, p->k->sigmoid_forward(in->beta, f2l_cuda_column(in->projection, at, in->type), &beta,
                                    p->a->stream, p->err));
    gate.width = c->gate;
    gate.high = 1;
    if (c->gate > 0)
        LAUNCH(p, p->k->decay_forward(in->gate,
                                      f2l_cuda_column(in->projection, at + c->beta, in->type),
                                      f2l_answer_number(p, layer->mixer[F2L_DELTA_GATE_LOG]),
                                      f2l_answer_number(p, layer->mixer[F2L_DELTA_GATE_BIAS]),
                                      &gate, p->a->stream, p->err));
}

void f2l_answer_delta_tables(f2l_answer_pass *p)
{
    const f2l_answer_places *at = &p->a->at;
    const inputs in = {.rows = p->shape->letters,
                       .type = F2L_CUDA_F32,
                       .projection = at->letter_projection,
                       .columns = at->letter_projection,
                       .columns_stride = p->a->columns.stride,
                       .q = at->letter_q,
                       .k = at->letter_k,
                       .v = at->letter_v,
                       .beta = at->letter_beta,
                       .gate = at->letter_gate};
    make_inputs(p, &in, &p->shape->layer[0]);
}

static void inputs_by_position(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_answer_places *at = &a->at;
    const bool convolved = a->columns.taps > 0;
    const inputs in = {.rows = p->rows,
                       .type = a->type,
                       .projection = at->projection,
                       .columns = convolved ? at->taps : at->projection,
                       .columns_stride = convolved ? a->columns.taps_stride : a->columns.stride,
                       .q = at->q,
                       .k = at->k,
                       .v = at->v,
                       .beta = at->beta,
                       .gate = at->gate};
    make_inputs(p, &in, &p->shape->layer[l]);
}

void f2l_answer_delta(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_answer_places *at = &a->at;
    const bool bf16 = a->type == F2L_CUDA_BF16, tables = l == 0 && !f2l_step_laid_out(s, 0);
    const f2l_delta_shape shape = {
        a->sequences, p->rows / a->sequences, s->heads, s->householders, s->key, s->value};
    const f2l_recurrent_in by_letter = {.bf16 = bf16,
                                        .q = at->letter_q,
                                        .k = at->letter_k,
                                        .v = at->letter_v,
                                        .beta = at->letter_beta,
                                        .gate = at->letter_gate,
                                        .letter = at->letter},
                           by_position = {.bf16 = bf16,
                                          .q = at->q,
                                          .k = at->k,
                                          .v = at->v,
                                          .beta = at->beta,
                                          .gate = at->gate};
    /* The reference scales o by key^-1/2; here the norm does. */
    const f2l_cuda_norm of_o =
        f2l_cuda_norm_of(p->shape, p->rows * s->heads, s->value, 1 / sqrt((double)s->key), a->type);
    if (!tables) inputs_by_position(p, l);
    LAUNCH(p, a->more->recurrent(at->o, at->state + l * a->layer_states, NULL,
                                 tables ? &by_letter : &by_position, &shape, a->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(at->o_norm, NULL, at->o, NULL, NULL,
                                    f2l_answer_number(p, s->layer[l].mixer[F2L_DELTA_OUTPUT_NORM]),
                                    &of_o, a->stream, p->err));
}
