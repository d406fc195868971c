/* The mixers gla and rwkv7: their rows, and from the projection (q, k, v, and the short vectors of
 * gate and rate) to the norm of o, and back. */
#include "cuda/step/impl.h"
#include "models/learn/seq/dplr/seq_dplr.h"
#include <math.h>

static bool removes(const f2l_cuda_step_shape *s)
{
    return s->mixer->mixer == &f2l_mixer_rwkv7;
}

/* Returns the first column of the projection behind q, k, v, or behind the gate's short vector. */
static size_t low_column(const f2l_step_columns *c, bool rate)
{
    return c->q + c->k + c->v + (rate ? c->low : 0);
}

/* Returns the copy of q and k, or of v, from the projection or the convolution's output. */
static f2l_cuda_unit unit_of(const f2l_cuda_step_shape *s, const f2l_step_columns *c, size_t rows,
                             bool value, f2l_cuda_type type)
{
    return (f2l_cuda_unit){.rows = rows,
                           .groups = s->heads,
                           .width = value ? s->value : s->key,
                           .stride = c->taps > 0 ? c->taps_stride : c->stride,
                           .silu = c->taps > 0,
                           .x_type = type,
                           .y_type = type};
}

/* Returns tanh(x) = 2 sigmoid(2 x) - 1 of the gate's short vector. */
static f2l_cuda_range tanh_of(const f2l_step_columns *c, size_t rows, f2l_cuda_type type)
{
    return (f2l_cuda_range){.rows = rows,
                            .width = c->low,
                            .stride = c->stride,
                            .low = -1,
                            .high = 1,
                            .slope = 2,
                            .type = type};
}

/* Returns the map from a short vector, in the projection or alone, to the keys of all heads. */
static f2l_cuda_map low_map(const f2l_step_columns *c, size_t rows, bool alone, f2l_cuda_type type)
{
    f2l_cuda_map map = f2l_cuda_map_of(rows, type, c->low, c->q);
    if (!alone) map.x_stride = c->stride;
    return map;
}

static f2l_cuda_rates_shape dplr_rates_shape(const f2l_cuda_step_shape *s, size_t rows,
                                             f2l_cuda_type type)
{
    return (f2l_cuda_rates_shape){.rows = rows,
                                  .heads = s->heads,
                                  .key = s->key,
                                  .removal = removes(s),
                                  .negative = s->negative,
                                  .epsilon = (float)s->epsilon,
                                  .type = type};
}

/* Returns the norm of o, scaled: the reference scales o by key^-1/2; here the norm does. */
static f2l_cuda_norm norm_of_o(const f2l_cuda_step_shape *s, size_t rows, f2l_cuda_type type)
{
    return f2l_cuda_norm_of(s, rows * s->heads, s->value, 1 / sqrt((double)s->key), type);
}

/* --- training --- */

static f2l_cuda_dplr_shape dplr_step_shape(const f2l_cuda_step *step)
{
    const f2l_cuda_step_shape *s = &step->shape;
    return (f2l_cuda_dplr_shape){.batch = step->sequences,
                                 .tokens = step->length,
                                 .heads = s->heads,
                                 .key = s->key,
                                 .value = s->value,
                                 .ranked = removes(s),
                                 .type = step->type,
                                 .first = f2l_step_first(step)};
}

static f2l_cuda_dplr_in dplr_inputs_of(const f2l_step_run *p, size_t l)
{
    const f2l_step_layer *a = &p->s->at.layer[l];
    return (f2l_cuda_dplr_in){.q = a->q,
                              .k = removes(p->shape) ? a->write : a->k,
                              .v = a->v,
                              .w = a->w,
                              .a = a->a,
                              .b = a->b};
}

static f2l_cuda_rates_in rates_in(const f2l_step_run *p, size_t l)
{
    const size_t *tensor = p->shape->layer[l].mixer;
    const f2l_step_layer *a = &p->s->at.layer[l];
    f2l_cuda_rates_in in = {.x = a->gate_in,
                            .gate_bias = f2l_step_number(p, tensor[F2L_DPLR_GATE_BIAS])};
    if (!removes(p->shape)) return in;
    in.k = a->k;
    in.y = a->rate_in;
    in.rate_bias = f2l_step_number(p, tensor[F2L_DPLR_RATE_BIAS]);
    in.removal = f2l_step_number(p, tensor[F2L_DPLR_REMOVAL]);
    in.replacement = f2l_step_number(p, tensor[F2L_DPLR_REPLACEMENT]);
    return in;
}

/* Computes q, k, v, which are columns of `from`. */
static void streams_forward(f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = &p->s->at.layer[l];
    void *from = c->taps > 0 ? a->taps : a->projection;
    const f2l_cuda_unit keys = unit_of(p->shape, c, p->rows, false, type),
                        values = unit_of(p->shape, c, p->rows, true, type);
    LAUNCH(p, p->k->unit_forward(a->q, from, &keys, p->s->stream, p->err));
    LAUNCH(p, p->k->unit_forward(a->k, f2l_cuda_column(from, c->q, type), &keys, p->s->stream,
                                 p->err));
    LAUNCH(p, p->k->unit_forward(a->v, f2l_cuda_column(from, c->q + c->k, type), &values,
                                 p->s->stream, p->err));
}

/* Computes w, and with removal a, b and the key that is written. */
static void forward_dplr_step_rates(f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    const size_t *tensor = p->shape->layer[l].mixer;
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_rates_shape shape = dplr_rates_shape(p->shape, p->rows, type);
    const f2l_cuda_rates_in in = rates_in(p, l);
    const f2l_cuda_rates_out out = {a->w, a->a, a->b, a->write};
    const f2l_cuda_map gate = low_map(c, p->rows, shape.removal, type),
                       rate = low_map(c, p->rows, false, type);
    const void *low = f2l_cuda_column(a->projection, low_column(c, false), type);
    if (shape.removal) {
        const f2l_cuda_range range = tanh_of(c, p->rows, type);
        LAUNCH(p, p->k->sigmoid_forward(a->low_wide, low, &range, p->s->stream, p->err));
        low = a->low_wide;
        if (type == F2L_CUDA_BF16) {
            LAUNCH(p, p->k->cast(a->low, type, a->low_wide, F2L_CUDA_F32, p->rows * c->low,
                                 p->s->stream, p->err));
            low = a->low;
        }
        f2l_step_linear_forward(p, a->rate_in,
                                f2l_cuda_column(a->projection, low_column(c, true), type),
                                f2l_step_matrix(p, tensor[F2L_DPLR_RATE]), &rate);
    }
    f2l_step_linear_forward(p, a->gate_in, low, f2l_step_matrix(p, tensor[F2L_DPLR_GATE]), &gate);
    LAUNCH(p, p->k->rates_forward(&out, &in, &shape, p->s->stream, p->err));
}

static void forward_dplr_step(f2l_step_run *p, size_t l)
{
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_dplr_shape shape = dplr_step_shape(p->s);
    const f2l_cuda_norm norm = norm_of_o(p->shape, p->rows, p->s->type);
    streams_forward(p, l);
    forward_dplr_step_rates(p, l);
    const f2l_cuda_dplr_in in = dplr_inputs_of(p, l);
    LAUNCH(p, p->k->dplr_forward(a->o, NULL, a->kept, &in, &shape, p->s->stream, p->err));
    LAUNCH(p,
           p->k->rmsnorm_forward(a->o_norm, NULL, a->o, NULL, NULL,
                                 f2l_step_number(p, p->shape->layer[l].mixer[F2L_DPLR_OUTPUT_NORM]),
                                 &norm, p->s->stream, p->err));
}

/* Computes the first columns of the gradient at the projection from dq, dk, dv. */
static void streams_backward(f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = &p->s->at.layer[l];
    void *x = c->taps > 0 ? a->taps : a->projection, *dx = c->taps > 0 ? a->taps : a->dcolumns;
    const f2l_cuda_unit keys = unit_of(p->shape, c, p->rows, false, type),
                        values = unit_of(p->shape, c, p->rows, true, type);
    LAUNCH(p, p->k->unit_backward(dx, a->dq, x, &keys, p->s->stream, p->err));
    LAUNCH(p, p->k->unit_backward(f2l_cuda_column(dx, c->q, type), a->dk,
                                  f2l_cuda_column(x, c->q, type), &keys, p->s->stream, p->err));
    LAUNCH(p, p->k->unit_backward(f2l_cuda_column(dx, c->q + c->k, type), a->dv,
                                  f2l_cuda_column(x, c->q + c->k, type), &values, p->s->stream,
                                  p->err));
    if (c->taps == 0) return;
    const f2l_cuda_conv_shape taps = f2l_step_taps(p->s);
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    LAUNCH(p, p->k->conv_backward(a->dcolumns, f2l_step_gradient(p, tensor->taps), NULL, a->taps,
                                  a->projection, f2l_step_number(p, tensor->taps), p->s->at.work,
                                  &taps, p->s->stream, p->err));
}

/* Computes the gradient at the gate's short vector from the gradient at its tanh, in dlow. */
static void tanh_backward(f2l_step_run *p, f2l_step_layer *a)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    const f2l_cuda_range range = tanh_of(c, p->rows, type);
    const float *from = a->dlow_wide;
    if (type == F2L_CUDA_BF16)
        LAUNCH(p, p->k->cast(a->dlow_wide, F2L_CUDA_F32, a->dlow, type, p->rows * c->low,
                             p->s->stream, p->err));
    LAUNCH(p, p->k->sigmoid_backward(f2l_cuda_column(a->dcolumns, low_column(c, false), type), from,
                                     f2l_cuda_column(a->projection, low_column(c, false), type),
                                     &range, p->s->stream, p->err));
}

/* Computes the last columns of the gradient at the projection, and with removal dk, from the
 * gradients at w, a, b and the written key; gate_in and rate_in become their gradients. */
static void backward_dplr_step_rates(f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    const size_t *tensor = p->shape->layer[l].mixer;
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_rates_shape shape = dplr_rates_shape(p->shape, p->rows, type);
    const f2l_cuda_rates_in in = rates_in(p, l);
    f2l_cuda_rates_grad grad = {.dw = a->dw,
                                .dx = a->gate_in,
                                .dgate_bias = f2l_step_gradient(p, tensor[F2L_DPLR_GATE_BIAS])};
    const f2l_cuda_map gate = low_map(c, p->rows, shape.removal, type),
                       rate = low_map(c, p->rows, false, type);
    const bool bf16 = type == F2L_CUDA_BF16;
    const void *low = f2l_cuda_column(a->projection, low_column(c, false), type);
    void *dlow = f2l_cuda_column(a->dcolumns, low_column(c, false), type);
    if (shape.removal) {
        grad.da = a->da, grad.db = a->db, grad.dkey = a->dwrite;
        grad.dk = a->dk, grad.dy = a->rate_in;
        grad.drate_bias = f2l_step_gradient(p, tensor[F2L_DPLR_RATE_BIAS]);
        grad.dremoval = f2l_step_gradient(p, tensor[F2L_DPLR_REMOVAL]);
        grad.dreplacement = f2l_step_gradient(p, tensor[F2L_DPLR_REPLACEMENT]);
        low = bf16 ? a->low : a->low_wide;
        dlow = bf16 ? a->dlow : a->dlow_wide;
    }
    LAUNCH(p, p->k->rates_backward(&grad, p->s->at.work, &in, &shape, p->s->stream, p->err));
    if (shape.removal)
        f2l_step_linear_backward(p, f2l_cuda_column(a->dcolumns, low_column(c, true), type),
                                 f2l_step_gradient(p, tensor[F2L_DPLR_RATE]), a->rate_in,
                                 f2l_cuda_column(a->projection, low_column(c, true), type),
                                 f2l_step_matrix(p, tensor[F2L_DPLR_RATE]), &rate);
    f2l_step_linear_backward(p, dlow, f2l_step_gradient(p, tensor[F2L_DPLR_GATE]), a->gate_in, low,
                             f2l_step_matrix(p, tensor[F2L_DPLR_GATE]), &gate);
    if (shape.removal) tanh_backward(p, a);
}

static void backward_dplr_step(f2l_step_run *p, size_t l, const void *dmiddle)
{
    const size_t norm_weight = p->shape->layer[l].mixer[F2L_DPLR_OUTPUT_NORM];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_dplr_shape shape = dplr_step_shape(p->s);
    const f2l_cuda_dplr_in in = dplr_inputs_of(p, l);
    const f2l_cuda_norm norm = norm_of_o(p->shape, p->rows, p->s->type);
    const f2l_cuda_dplr_grad grad = {.dq = a->dq,
                                     .dk = shape.ranked ? a->dwrite : a->dk,
                                     .dv = a->dv,
                                     .dw = a->dw,
                                     .da = a->da,
                                     .db = a->db};
    LAUNCH(p, p->k->rmsnorm_backward(a->d_o, f2l_step_gradient(p, norm_weight), a->do_norm, a->o,
                                     NULL, f2l_step_number(p, norm_weight), p->s->at.work, &norm,
                                     p->s->stream, p->err));
    LAUNCH(p, p->k->dplr_backward(&grad, a->d_o, a->kept, a->mixer_work, &in, &shape, p->s->stream,
                                  p->err));
    backward_dplr_step_rates(p, l);
    streams_backward(p, l);
    f2l_step_project_back(p, l, a->dcolumns, dmiddle);
}

/* --- evaluation --- */

static void answer_streams(f2l_answer_pass *p)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_step_columns *c = &a->columns;
    const f2l_answer_places *at = &a->at;
    void *from = c->taps > 0 ? at->taps : at->projection;
    const f2l_cuda_unit keys = unit_of(p->shape, c, p->rows, false, a->type),
                        values = unit_of(p->shape, c, p->rows, true, a->type);
    LAUNCH(p, p->k->unit_forward(at->q, from, &keys, a->stream, p->err));
    LAUNCH(p, p->k->unit_forward(at->k, f2l_cuda_column(from, c->q, a->type), &keys, a->stream,
                                 p->err));
    LAUNCH(p, p->k->unit_forward(at->v, f2l_cuda_column(from, c->q + c->k, a->type), &values,
                                 a->stream, p->err));
}

static void answer_rates(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_step_columns *c = &a->columns;
    const f2l_answer_places *at = &a->at;
    const size_t *tensor = p->shape->layer[l].mixer;
    const f2l_cuda_rates_shape shape = dplr_rates_shape(p->shape, p->rows, a->type);
    const f2l_cuda_rates_out out = {at->w, at->a, at->b, at->write};
    const f2l_cuda_map gate = low_map(c, p->rows, shape.removal, a->type),
                       rate = low_map(c, p->rows, false, a->type);
    f2l_cuda_rates_in in = {.x = at->gate_in,
                            .gate_bias = f2l_answer_number(p, tensor[F2L_DPLR_GATE_BIAS])};
    const void *low = f2l_cuda_column(at->projection, low_column(c, false), a->type);
    if (shape.removal) {
        const f2l_cuda_range range = tanh_of(c, p->rows, a->type);
        in.k = at->k;
        in.y = at->rate_in;
        in.rate_bias = f2l_answer_number(p, tensor[F2L_DPLR_RATE_BIAS]);
        in.removal = f2l_answer_number(p, tensor[F2L_DPLR_REMOVAL]);
        in.replacement = f2l_answer_number(p, tensor[F2L_DPLR_REPLACEMENT]);
        LAUNCH(p, p->k->sigmoid_forward(at->low_wide, low, &range, a->stream, p->err));
        low = at->low_wide;
        if (a->type == F2L_CUDA_BF16) {
            LAUNCH(p, p->k->cast(at->low, a->type, at->low_wide, F2L_CUDA_F32, p->rows * c->low,
                                 a->stream, p->err));
            low = at->low;
        }
        f2l_answer_linear(p, at->rate_in,
                          f2l_cuda_column(at->projection, low_column(c, true), a->type),
                          f2l_answer_matrix(p, tensor[F2L_DPLR_RATE]), &rate);
    }
    f2l_answer_linear(p, at->gate_in, low, f2l_answer_matrix(p, tensor[F2L_DPLR_GATE]), &gate);
    LAUNCH(p, p->k->rates_forward(&out, &in, &shape, a->stream, p->err));
}

static void answer_dplr(f2l_answer_pass *p, size_t l)
{
    const f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_answer_places *at = &a->at;
    const bool ranked = removes(s);
    const f2l_cuda_dplr_shape shape = {.batch = a->sequences,
                                       .tokens = p->rows / a->sequences,
                                       .heads = s->heads,
                                       .key = s->key,
                                       .value = s->value,
                                       .ranked = ranked,
                                       .type = a->type};
    const f2l_cuda_dplr_in in = {at->q, ranked ? at->write : at->k, at->v, at->w, at->a, at->b};
    const f2l_cuda_norm norm = norm_of_o(s, p->rows, a->type);
    answer_streams(p);
    answer_rates(p, l);
    LAUNCH(p, p->k->dplr_forward(at->o, at->state + l * a->layer_states, NULL, &in, &shape,
                                 a->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(at->o_norm, NULL, at->o, NULL, NULL,
                                    f2l_answer_number(p, s->layer[l].mixer[F2L_DPLR_OUTPUT_NORM]),
                                    &norm, a->stream, p->err));
}

/* --- rows --- */

static f2l_status takes_dplr(const f2l_seq_config *c, f2l_error *err)
{
    return f2l_step_takes_heads(c, F2L_CUDA_DPLR_DIM, err);
}

static bool dplr_has_sizes(const f2l_cuda_step_shape *s)
{
    return s->heads > 0 && s->key > 0 && s->value > 0 && s->rank > 0;
}

static void set_dplr_columns(f2l_step_columns *c, const f2l_cuda_step_shape *s)
{
    c->q = c->k = c->gates = s->heads * s->key;
    c->v = c->mixed = c->o = s->heads * s->value;
    c->low = s->rank;
    c->removals = removes(s) ? c->gates : 0;
    c->all = c->q + c->k + c->v + c->low * (removes(s) ? 2 : 1);
    c->taps = s->convolution > 0 ? c->q + c->k + c->v : 0;
    c->state = s->heads * s->key * s->value;
    c->parts = s->heads;
}

static f2l_status dplr_step_bytes(size_t bytes[2], const f2l_cuda_step *step, size_t l,
                                  f2l_error *err)
{
    (void)l;
    const f2l_cuda_dplr_shape shape = dplr_step_shape(step);
    return step->k->dplr_bytes(&bytes[0], &bytes[1], &shape, err);
}

static void want_dplr_memory(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                             const size_t bytes[2], size_t l, const f2l_step_phases *p)
{
    (void)l;
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, number = f2l_cuda_bytes(step->type),
                 wide = sizeof(float), keys = c->gates, removed = c->removals;
    const size_t tanhs = removed > 0 ? c->low : 0,
                 narrow = step->type == F2L_CUDA_BF16 ? number : 0;
    const size_t begin = p->begin, output = p->output, mixed = p->mixed, end = p->end;
    f2l_step_want(w, &a->q, rows, keys * number, begin, mixed);
    f2l_step_want(w, &a->k, rows, keys * number, begin, end);
    f2l_step_want(w, &a->v, rows, c->v * number, begin, mixed);
    f2l_step_want(w, &a->low_wide, rows, tanhs * wide, begin, end);
    f2l_step_want(w, &a->low, rows, tanhs * narrow, begin, end);
    f2l_step_want(w, &a->gate_in, rows, keys * number, begin, end);
    f2l_step_want(w, &a->rate_in, rows, removed * number, begin, end);
    f2l_step_want(w, &a->w, rows, keys * wide, begin, mixed);
    f2l_step_want(w, &a->a, rows, removed * wide, begin, mixed);
    f2l_step_want(w, &a->b, rows, removed * wide, begin, mixed);
    f2l_step_want(w, &a->write, rows, removed * number, begin, mixed);
    f2l_step_want(w, &a->kept, 1, bytes[0], begin, mixed);
    f2l_step_want(w, &a->mixer_work, 1, bytes[1], mixed, mixed);
    f2l_step_want(w, &a->o, rows, c->o * number, begin, output);
    f2l_step_want(w, &a->do_norm, rows, c->o * number, output, output);
    f2l_step_want(w, &a->d_o, rows, c->o * number, output, mixed);
    f2l_step_want(w, &a->dq, rows, keys * number, mixed, end);
    f2l_step_want(w, &a->dk, rows, keys * number, mixed, end);
    f2l_step_want(w, &a->dv, rows, c->v * number, mixed, end);
    f2l_step_want(w, &a->dw, rows, keys * wide, mixed, end);
    f2l_step_want(w, &a->da, rows, removed * wide, mixed, end);
    f2l_step_want(w, &a->db, rows, removed * wide, mixed, end);
    f2l_step_want(w, &a->dwrite, rows, removed * number, mixed, end);
    f2l_step_want(w, &a->dlow_wide, rows, tanhs * wide, end, end);
    f2l_step_want(w, &a->dlow, rows, tanhs * narrow, end, end);
    f2l_step_want(w, &a->dcolumns, rows, c->stride * number, end, end);
}

#define COMMON \
    .project = F2L_DPLR_QUERY, .taps = F2L_DPLR_QUERY_TAPS, .out = F2L_DPLR_OUT, \
    .by_position = true, .packs = true, .takes = takes_dplr, .has_sizes = dplr_has_sizes, \
    .columns = set_dplr_columns, .bytes = dplr_step_bytes, .want = want_dplr_memory, \
    .forward = forward_dplr_step, .backward = backward_dplr_step, .answer = answer_dplr
const f2l_step_mixer f2l_step_mixer_gla = {.mixer = &f2l_mixer_gla, .products = 3, COMMON};
const f2l_step_mixer f2l_step_mixer_rwkv7 = {.mixer = &f2l_mixer_rwkv7, .products = 6, COMMON};
