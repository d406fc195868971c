/* The mixer attention: its row, and from the projection (q, k, v) to its output, and back. */
#include "cuda/step/impl.h"
#include "models/learn/op/op_attention.h"
#include "models/learn/seq/attention/seq_attention.h"

static f2l_cuda_pairs_shape attention_pairs_shape(const f2l_cuda_step_shape *s,
                                                  const f2l_step_columns *columns, size_t sequences,
                                                  size_t length, f2l_cuda_type type)
{
    return (f2l_cuda_pairs_shape){.batch = sequences,
                                  .tokens = length,
                                  .heads = s->heads,
                                  .key = s->key,
                                  .value = s->value,
                                  .window = s->window,
                                  .key_stride = columns->stride,
                                  .value_stride = columns->stride,
                                  .type = type};
}
static f2l_cuda_pairs_shape attention_pairs_of(const f2l_cuda_step *s)
{
    f2l_cuda_pairs_shape shape =
        attention_pairs_shape(&s->shape, &s->columns, s->sequences, s->length, s->type);
    shape.first = f2l_step_first(s);
    return shape;
}

static f2l_cuda_pairs_in in_of(void *projection, const f2l_cuda_step_shape *s, f2l_cuda_type type)
{
    return (f2l_cuda_pairs_in){.q = projection,
                               .k = f2l_cuda_column(projection, s->heads * s->key, type),
                               .v = f2l_cuda_column(projection, 2 * s->heads * s->key, type)};
}

static void forward_attention_step(f2l_step_run *p, size_t l)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_pairs_shape shape = attention_pairs_of(p->s);
    const f2l_cuda_pairs_in in = in_of(a->projection, p->shape, p->s->type);
    LAUNCH(p, p->k->pairs_forward(a->o_norm, a->kept, &in, &shape, p->s->stream, p->err));
}

static void backward_attention_step(f2l_step_run *p, size_t l, const void *dmiddle)
{
    const f2l_cuda_step_shape *s = p->shape;
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_pairs_shape shape = attention_pairs_of(p->s);
    const f2l_cuda_pairs_in in = in_of(a->projection, s, p->s->type);
    const f2l_cuda_pairs_grad grad = {
        .dq = a->dcolumns,
        .dk = f2l_cuda_column(a->dcolumns, s->heads * s->key, p->s->type),
        .dv = f2l_cuda_column(a->dcolumns, 2 * s->heads * s->key, p->s->type)};
    LAUNCH(p, p->k->pairs_backward(&grad, a->do_norm, a->o_norm, a->kept, a->mixer_work, &in,
                                   &shape, p->s->stream, p->err));
    f2l_step_project_back(p, l, a->dcolumns, dmiddle);
}

static void answer_attention(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_cuda_pairs_shape shape =
        attention_pairs_shape(p->shape, &a->columns, a->sequences, p->rows / a->sequences, a->type);
    const f2l_cuda_pairs_in in = in_of(a->at.projection, p->shape, a->type);
    LAUNCH(p, a->more->pairs(a->at.o_norm, a->at.state + l * a->layer_states, a->at.work, &in,
                             &shape, a->stream, p->err));
}

static f2l_status check_attention_sizes(size_t key, size_t value, size_t window, f2l_error *err)
{
    const f2l_status status = f2l_step_check_heads(key, value, F2L_CUDA_PAIRS_DIM, err);
    if (status == F2L_OK && window > F2L_CUDA_PAIRS_WINDOW)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a window of %zu letters is not supported on CUDA devices, only up to %d: "
                        "use --backend cpu",
                        window, F2L_CUDA_PAIRS_WINDOW);
    return status;
}

static f2l_status takes_attention(const f2l_seq_config *c, f2l_error *err)
{
    return check_attention_sizes(c->key_dim, c->value_dim, f2l_seq_window(c), err);
}

static bool attention_has_sizes(const f2l_cuda_step_shape *s)
{
    return s->heads > 0 && s->key > 0 && s->value > 0 && s->window > 0;
}

static f2l_status check_answer(const f2l_cuda_step_shape *s, f2l_error *err)
{
    return check_attention_sizes(s->key, s->value, s->window, err);
}

static void set_attention_columns(f2l_step_columns *c, const f2l_cuda_step_shape *s)
{
    const f2l_attention_shape shape = {
        .heads = s->heads, .key = s->key, .value = s->value, .window = s->window};
    c->all = s->heads * (2 * s->key + s->value);
    c->mixed = s->heads * s->value;
    c->state = f2l_attention_state(&shape);
    c->parts = s->heads;
}

static f2l_status attention_bytes(size_t bytes[2], const f2l_cuda_step *step, size_t l,
                                  f2l_error *err)
{
    const f2l_cuda_pairs_shape shape = attention_pairs_of(step);
    (void)l;
    return step->k->pairs_bytes(&bytes[0], &bytes[1], &shape, err);
}

static void want_attention_memory(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                                  const size_t bytes[2], size_t l, const f2l_step_phases *p)
{
    (void)l;
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type);
    f2l_step_want(w, &a->kept, 1, bytes[0], p->begin, p->mixed);
    f2l_step_want(w, &a->mixer_work, 1, bytes[1], p->mixed, p->mixed);
    f2l_step_want(w, &a->do_norm, rows, c->mixed * number, p->output, p->mixed);
    f2l_step_want(w, &a->dcolumns, rows, c->stride * number, p->mixed, p->end);
}

const f2l_step_mixer f2l_step_mixer_attention = {.mixer = &f2l_mixer_attention,
                                                 .project = F2L_ATTENTION_QUERY,
                                                 .taps = F2L_ATTENTION_TAPS,
                                                 .out = F2L_ATTENTION_OUT,
                                                 .by_position = true,
                                                 .packs = true,
                                                 .keeps_out = true,
                                                 .takes = takes_attention,
                                                 .has_sizes = attention_has_sizes,
                                                 .check_answer = check_answer,
                                                 .columns = set_attention_columns,
                                                 .bytes = attention_bytes,
                                                 .want = want_attention_memory,
                                                 .forward = forward_attention_step,
                                                 .backward = backward_attention_step,
                                                 .answer = answer_attention};
