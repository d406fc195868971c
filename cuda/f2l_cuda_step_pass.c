/* The schedule of a pass. Failures are remembered in the pass and every later launch is left out, so that the schedule reads as
 * what it is. */
#include "f2l_cuda_step_impl.h"
#include <math.h>

typedef struct pass {
    f2l_cuda_step *s;
    const f2l_cuda_step_shape *shape;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} pass;

#define LAUNCH(p, call)                                                                                      \
    do {                                                                                                     \
        if ((p)->status == F2L_OK) (p)->status = (call);                                                     \
    } while (0)

/* Parameters as norms and the letters' products take them, their gradients, and as products of activations take them. */
static const float *number(const pass *p, size_t offset)
{
    return p->s->parameter + offset;
}
static float *gradient(const pass *p, size_t offset)
{
    return p->s->gradient + offset;
}
static const void *matrix(const pass *p, size_t offset)
{
    return p->s->shadow ? (const void *)(p->s->shadow + offset) : (const void *)(p->s->parameter + offset);
}

/* The products of a pass come in one order; the first pass plans them. */
static void multiply(pass *p, void *c, const void *a, const void *b, const f2l_cuda_product_shape *shape)
{
    f2l_cuda_step *s = p->s;
    if (p->status != F2L_OK) return;
    f2l_cuda_product **product = &s->product[s->next++];
    if (*product == NULL)
        p->status = p->k->product_new(product, s->blas, shape, a, b, c, s->work_bytes, 0, p->err);
    LAUNCH(p, p->k->product_run(c, a, b, *product, s->at.work, s->stream, p->err));
}

/* A linear map of `rows` rows: x [in], y [out] with rows x_stride and y_stride apart; w [out][in]. */
typedef struct linear {
    size_t rows, in, out, x_stride, y_stride;
    f2l_cuda_type type, y_type;
} linear;

static void linear_forward(pass *p, void *y, const void *x, const void *w, const linear *l)
{
    const f2l_cuda_product_shape shape = {.m = l->rows,
                                          .n = l->out,
                                          .k = l->in,
                                          .lda = l->x_stride,
                                          .ldb = l->in,
                                          .ldc = l->y_stride,
                                          .transpose_b = true,
                                          .in = l->type,
                                          .out = l->y_type};
    multiply(p, y, x, w, &shape);
}

static void linear_backward(pass *p, void *dx, float *dw, const void *dy, const void *x, const void *w,
                            const linear *l)
{
    const f2l_cuda_product_shape to_x = {.m = l->rows,
                                         .n = l->in,
                                         .k = l->out,
                                         .lda = l->y_stride,
                                         .ldb = l->in,
                                         .ldc = l->x_stride,
                                         .in = l->type,
                                         .out = l->type};
    const f2l_cuda_product_shape to_w = {.m = l->out,
                                         .n = l->in,
                                         .k = l->rows,
                                         .lda = l->y_stride,
                                         .ldb = l->x_stride,
                                         .ldc = l->in,
                                         .transpose_a = true,
                                         .add = true,
                                         .in = l->type,
                                         .out = F2L_CUDA_F32};
    multiply(p, dx, dy, w, &to_x);
    multiply(p, dw, dy, x, &to_w);
}

/* --- the mixer's inputs, by letter in layer 0, by position in others --- */

typedef struct inputs {
    f2l_step_layer *a;
    const f2l_cuda_step_layer *tensor;
    size_t rows;
    f2l_cuda_type type; /* of norm and projection */
} inputs;

static inputs inputs_of(const pass *p, size_t l)
{
    return (inputs){.a = &p->s->at.layer[l],
                    .tensor = &p->shape->layer[l],
                    .rows = l == 0 ? p->shape->letters : p->rows,
                    .type = l == 0 ? F2L_CUDA_F32 : p->s->type};
}

static linear projection_of(const pass *p, const inputs *in)
{
    const f2l_step_columns *c = &p->s->columns;
    return (linear){.rows = in->rows,
                    .in = p->shape->width,
                    .out = c->all,
                    .x_stride = p->shape->width,
                    .y_stride = c->stride,
                    .type = in->type,
                    .y_type = in->type};
}

static f2l_cuda_norm norm_of(const pass *p, size_t rows, size_t width, double scale, f2l_cuda_type type)
{
    return (f2l_cuda_norm){.rows = rows,
                           .width = width,
                           .epsilon = (float)p->shape->epsilon,
                           .scale = (float)scale,
                           .type = type};
}

/* Columns of the projection from `column` on. */
static void *column(const inputs *in, void *projection, size_t column)
{
    return (char *)projection + column * f2l_cuda_bytes(in->type);
}

static f2l_cuda_unit unit_of(const pass *p, const inputs *in, bool value)
{
    const f2l_cuda_step_shape *s = p->shape;
    return (f2l_cuda_unit){.rows = in->rows,
                           .groups = s->heads,
                           .width = value ? s->value : s->key,
                           .stride = p->s->columns.stride,
                           .silu = value || s->silu_keys,
                           .unit = !value && s->normalise_keys,
                           .epsilon = (float)s->epsilon,
                           .x_type = in->type,
                           .y_type = p->s->type};
}

static f2l_cuda_range range_of(const pass *p, const inputs *in, bool gate)
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

static void inputs_forward(pass *p, size_t l)
{
    const inputs in = inputs_of(p, l);
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = in.a;
    void *stream = p->s->stream;
    if (l == 0) {
        const f2l_cuda_norm norm = norm_of(p, in.rows, p->shape->width, 1, F2L_CUDA_F32);
        LAUNCH(p, p->k->rmsnorm_forward(a->norm, NULL, number(p, p->shape->embedding), NULL, NULL,
                                        number(p, in.tensor->mixer_norm), &norm, stream, p->err));
    }
    const linear map = projection_of(p, &in);
    const void *w = l == 0 ? (const void *)number(p, in.tensor->project) : matrix(p, in.tensor->project);
    linear_forward(p, a->projection, a->norm, w, &map);
    f2l_cuda_unit keys = unit_of(p, &in, false), values = unit_of(p, &in, true);
    const f2l_cuda_range beta = range_of(p, &in, false), gate = range_of(p, &in, true);
    size_t at = 0;
    LAUNCH(p, p->k->unit_forward(a->q, column(&in, a->projection, at), &keys, stream, p->err));
    keys.groups = values.groups = p->shape->householders * p->shape->heads;
    at += c->q;
    LAUNCH(p, p->k->unit_forward(a->k, column(&in, a->projection, at), &keys, stream, p->err));
    at += c->k;
    if (c->v > 0)
        LAUNCH(p, p->k->unit_forward(a->v, column(&in, a->projection, at), &values, stream, p->err));
    at += c->v;
    LAUNCH(p, p->k->sigmoid_forward(a->beta, column(&in, a->projection, at), &beta, stream, p->err));
    at += c->beta;
    if (c->gate > 0)
        LAUNCH(p, p->k->decay_forward(a->gate, column(&in, a->projection, at), number(p, in.tensor->gate_log),
                                      number(p, in.tensor->gate_bias), &gate, stream, p->err));
}

/* Where the gradients of q, .., gate stand when they go back through the projection. */
typedef struct input_gradients {
    const void *q, *k, *v;
    const float *beta, *gate;
    void *projection; /* written; by position this is the projection itself, which is not needed any more */
} input_gradients;

static void inputs_backward(pass *p, const inputs *in, const input_gradients *d)
{
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = in->a;
    void *stream = p->s->stream;
    f2l_cuda_unit keys = unit_of(p, in, false), values = unit_of(p, in, true);
    const f2l_cuda_range beta = range_of(p, in, false), gate = range_of(p, in, true);
    size_t at = 0;
    LAUNCH(p, p->k->unit_backward(column(in, d->projection, at), d->q, column(in, a->projection, at), &keys,
                                  stream, p->err));
    keys.groups = values.groups = p->shape->householders * p->shape->heads;
    at += c->q;
    LAUNCH(p, p->k->unit_backward(column(in, d->projection, at), d->k, column(in, a->projection, at), &keys,
                                  stream, p->err));
    at += c->k;
    if (c->v > 0)
        LAUNCH(p, p->k->unit_backward(column(in, d->projection, at), d->v, column(in, a->projection, at),
                                      &values, stream, p->err));
    at += c->v;
    LAUNCH(p, p->k->sigmoid_backward(column(in, d->projection, at), d->beta, column(in, a->projection, at),
                                     &beta, stream, p->err));
    at += c->beta;
    if (c->gate > 0)
        LAUNCH(p,
               p->k->decay_backward(column(in, d->projection, at), gradient(p, in->tensor->gate_log),
                                    gradient(p, in->tensor->gate_bias), d->gate,
                                    column(in, a->projection, at), number(p, in->tensor->gate_log),
                                    number(p, in->tensor->gate_bias), p->s->at.work, &gate, stream, p->err));
}

/* From the gradients of q, .. at the positions of layer l > 0, and dmiddle, to dx. */
static void positions_backward(pass *p, size_t l, void *dx, const void *dmiddle)
{
    const inputs in = inputs_of(p, l);
    f2l_step_layer *a = in.a;
    const input_gradients d = {a->dq, a->dk, a->dv, a->dbeta, a->dgate, a->projection};
    const linear map = projection_of(p, &in);
    const f2l_cuda_norm norm = norm_of(p, p->rows, p->shape->width, 1, p->s->type);
    inputs_backward(p, &in, &d);
    linear_backward(p, a->dnorm, gradient(p, in.tensor->project), a->projection, a->norm,
                    matrix(p, in.tensor->project), &map);
    LAUNCH(p, p->k->rmsnorm_backward(dx, gradient(p, in.tensor->mixer_norm), a->dnorm, a->x, dmiddle,
                                     number(p, in.tensor->mixer_norm), p->s->at.work, &norm, p->s->stream,
                                     p->err));
}

static void sum_by_letter(pass *p, float *sum, bool add, const void *x, size_t width, f2l_cuda_type type)
{
    f2l_cuda_step *s = p->s;
    if (width > 0)
        LAUNCH(p, p->k->letters_sum(sum, width, add, x, width, width, type, s->at.index, s->at.work, p->rows,
                                    p->shape->letters, s->stream, p->err));
}

/* The same for layer 0, where everything before the mixer is a function of the letter: to the embedding's gradient. */
static void letters_backward(pass *p, const void *dmiddle)
{
    const inputs in = inputs_of(p, 0);
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = in.a;
    float *dembedding = gradient(p, p->shape->embedding);
    const input_gradients d = {a->sum_q, a->sum_k, a->sum_v, a->sum_beta, a->sum_gate, a->dprojection};
    const linear map = projection_of(p, &in);
    const f2l_cuda_norm norm = norm_of(p, in.rows, p->shape->width, 1, F2L_CUDA_F32);
    sum_by_letter(p, a->sum_q, false, a->dq, c->q, type);
    sum_by_letter(p, a->sum_k, false, a->dk, c->k, type);
    sum_by_letter(p, a->sum_v, false, a->dv, c->v, type);
    sum_by_letter(p, a->sum_beta, false, a->dbeta, c->beta, F2L_CUDA_F32);
    sum_by_letter(p, a->sum_gate, false, a->dgate, c->gate, F2L_CUDA_F32);
    sum_by_letter(p, dembedding, true, dmiddle, p->shape->width, type);
    inputs_backward(p, &in, &d);
    linear_backward(p, a->letter_dnorm, gradient(p, in.tensor->project), a->dprojection, a->norm,
                    number(p, in.tensor->project), &map);
    LAUNCH(p, p->k->rmsnorm_backward(dembedding, gradient(p, in.tensor->mixer_norm), a->letter_dnorm,
                                     number(p, p->shape->embedding), dembedding,
                                     number(p, in.tensor->mixer_norm), p->s->at.work, &norm, p->s->stream,
                                     p->err));
}

/* --- layers --- */

static f2l_cuda_mixer_in mixer_of(const pass *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_step_layer *a = &p->s->at.layer[l];
    const size_t start = s->layer[l].start;
    return (f2l_cuda_mixer_in){
        .shape = {p->s->sequences, p->s->length, s->heads, s->householders, s->key, s->value},
        .type = p->s->type,
        .q = a->q,
        .k = a->k,
        .v = a->v,
        .beta = a->beta,
        .gate = a->gate,
        .h0 = start == F2L_CUDA_NONE ? NULL : number(p, start),
        .letter = l == 0 ? p->s->at.letter : NULL};
}

/* The reference scales o by key^-1/2; here the norm does. */
static f2l_cuda_norm norm_of_o(const pass *p)
{
    return norm_of(p, p->rows * p->shape->heads, p->shape->value, 1 / sqrt((double)p->shape->key),
                   p->s->type);
}

static linear map_of(const pass *p, size_t in, size_t out)
{
    return (linear){p->rows, in, out, in, out, p->s->type, p->s->type};
}

/* sum = out + the residual stream before layer l (or in it), norm = its norm: what comes next. */
static void add_and_norm(pass *p, void *norm, void *sum, const void *residual, const uint32_t *letter,
                         size_t weight)
{
    const f2l_cuda_norm shape = norm_of(p, p->rows, p->shape->width, 1, p->s->type);
    LAUNCH(p, p->k->rmsnorm_forward(norm, sum, p->s->at.out, residual, letter, number(p, weight), &shape,
                                    p->s->stream, p->err));
}

static void mlp_forward(pass *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const linear in = map_of(p, p->shape->width, 2 * p->shape->mlp),
                 down = map_of(p, p->shape->mlp, p->shape->width);
    linear_forward(p, a->gate_up, a->mlp_norm, matrix(p, tensor->mlp_in), &in);
    LAUNCH(p, p->k->swiglu_forward(a->product, a->gate_up, p->rows, p->shape->mlp, p->s->type, p->s->stream,
                                   p->err));
    linear_forward(p, p->s->at.out, a->product, matrix(p, tensor->mlp_down), &down);
}

static void layer_forward(pass *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l], *next = a + 1;
    const f2l_cuda_mixer_in mixer = mixer_of(p, l);
    const f2l_cuda_norm of_o = norm_of_o(p);
    const linear out = map_of(p, s->heads * s->value, s->width);
    const void *residual = l == 0 ? matrix(p, s->embedding) : a->x;
    const uint32_t *letter = l == 0 ? p->s->at.letter : NULL;
    const size_t next_norm = l + 1 < s->layers ? s->layer[l + 1].mixer_norm : s->norm;
    inputs_forward(p, l);
    LAUNCH(p, p->k->mixer_forward(a->o, a->kept, a->mixer_work, &mixer, p->s->stream, p->err));
    LAUNCH(p, p->k->rmsnorm_forward(a->o_norm, NULL, a->o, NULL, NULL, number(p, tensor->output_norm), &of_o,
                                    p->s->stream, p->err));
    linear_forward(p, p->s->at.out, a->o_norm, matrix(p, tensor->out), &out);
    if (s->mlp == 0) {
        add_and_norm(p, next->norm, next->x, residual, letter, next_norm);
        return;
    }
    add_and_norm(p, a->mlp_norm, a->middle, residual, letter, tensor->mlp_norm);
    mlp_forward(p, l);
    add_and_norm(p, next->norm, next->x, a->middle, NULL, next_norm);
}

/* From dx, the gradient at the layer's output, to dmiddle. */
static void mlp_backward(pass *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    f2l_step_buffers *at = &p->s->at;
    const linear in = map_of(p, p->shape->width, 2 * p->shape->mlp),
                 down = map_of(p, p->shape->mlp, p->shape->width);
    const f2l_cuda_norm norm = norm_of(p, p->rows, p->shape->width, 1, p->s->type);
    linear_backward(p, a->dproduct, gradient(p, tensor->mlp_down), at->dx, a->product,
                    matrix(p, tensor->mlp_down), &down);
    LAUNCH(p, p->k->swiglu_backward(a->gate_up, a->dproduct, a->gate_up, p->rows, p->shape->mlp, p->s->type,
                                    p->s->stream, p->err));
    linear_backward(p, a->dmlp_norm, gradient(p, tensor->mlp_in), a->gate_up, a->mlp_norm,
                    matrix(p, tensor->mlp_in), &in);
    LAUNCH(p,
           p->k->rmsnorm_backward(at->dmiddle, gradient(p, tensor->mlp_norm), a->dmlp_norm, a->middle, at->dx,
                                  number(p, tensor->mlp_norm), at->work, &norm, p->s->stream, p->err));
}

/* dx becomes the gradient at the layer's input; of layer 0 the embedding's gradient is what comes out. */
static void layer_backward(pass *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_mixer_in mixer = mixer_of(p, l);
    const f2l_cuda_norm of_o = norm_of_o(p);
    const linear out = map_of(p, s->heads * s->value, s->width);
    if (s->mlp > 0) mlp_backward(p, l);
    const void *dmiddle = s->mlp > 0 ? p->s->at.dmiddle : p->s->at.dx;
    linear_backward(p, a->do_norm, gradient(p, tensor->out), dmiddle, a->o_norm, matrix(p, tensor->out),
                    &out);
    LAUNCH(p, p->k->rmsnorm_backward(a->d_o, gradient(p, tensor->output_norm), a->do_norm, a->o, NULL,
                                     number(p, tensor->output_norm), p->s->at.work, &of_o, p->s->stream,
                                     p->err));
    const f2l_cuda_mixer_grad grad = {.dq = a->dq,
                                      .dk = a->dk,
                                      .dv = a->dv,
                                      .dbeta = a->dbeta,
                                      .dgate = a->dgate,
                                      .dh0 = mixer.h0 ? gradient(p, tensor->start) : NULL};
    LAUNCH(p, p->k->mixer_backward(&grad, a->d_o, a->kept, a->mixer_work, &mixer, p->s->stream, p->err));
    if (l > 0)
        positions_backward(p, l, p->s->at.dx, dmiddle);
    else
        letters_backward(p, dmiddle);
}

/* Logits, loss, and back to dx at the output of the last layer. */
static void head_both(pass *p)
{
    const f2l_cuda_step_shape *s = p->shape;
    f2l_step_buffers *at = &p->s->at;
    f2l_step_layer *end = &at->layer[s->layers];
    const size_t labels = f2l_step_padded(s->labels);
    linear map = {p->rows, s->width, s->labels, s->width, labels, p->s->type, F2L_CUDA_F32};
    const f2l_cuda_loss_shape loss = {.sequences = p->s->sequences,
                                      .length = p->s->length,
                                      .classes = s->labels,
                                      .logits_stride = labels,
                                      .dlogits_stride = labels,
                                      .type = p->s->type};
    const f2l_cuda_norm norm = norm_of(p, p->rows, s->width, 1, p->s->type);
    linear_forward(p, at->logits, end->norm, matrix(p, s->head), &map);
    LAUNCH(p, p->k->loss(p->s->score, at->right, at->dlogits, at->logits, at->label, at->mask, p->s->weight,
                         at->work, &loss, p->s->stream, p->err));
    linear_backward(p, at->dhead, gradient(p, s->head), at->dlogits, end->norm, matrix(p, s->head), &map);
    LAUNCH(p, p->k->rmsnorm_backward(at->dx, gradient(p, s->norm), at->dhead, end->x, NULL,
                                     number(p, s->norm), at->work, &norm, p->s->stream, p->err));
}

f2l_status f2l_step_pass(f2l_cuda_step *step, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &step->shape;
    pass p = {.s = step, .shape = s, .k = step->k, .rows = step->sequences * step->length, .err = err};
    step->next = 0;
    LAUNCH(&p, p.k->fill(step->gradient, 0, s->parameters * sizeof(float), step->stream, err));
    LAUNCH(&p, p.k->letters_index(step->at.index, step->at.letter, p.rows, s->letters, step->stream, err));
    for (size_t l = 0; l < s->layers; l++) layer_forward(&p, l);
    head_both(&p);
    for (size_t l = s->layers; l-- > 0;) layer_backward(&p, l);
    return p.status;
}
