/* The schedule of a pass. */
#include "cuda/step/impl.h"

/* Launches the next product. The products of a pass come in one order; the first pass plans
 * them. */
static void launch_product(f2l_step_run *p, void *c, const void *a, const void *b,
                           const f2l_cuda_product_shape *shape)
{
    f2l_cuda_step *s = p->s;
    if (p->status != F2L_OK) return;
    f2l_cuda_product **product = &s->now->product[s->next++];
    if (*product == NULL)
        p->status = p->k->product_new(product, s->blas, shape, a, b, c, s->work_bytes, 0, p->err);
    LAUNCH(p, p->k->product_run(c, a, b, *product, s->at.work, s->stream, p->err));
}

void f2l_step_linear_forward(f2l_step_run *p, void *y, const void *x, const void *w,
                             const f2l_cuda_map *l)
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
    launch_product(p, y, x, w, &shape);
}

void f2l_step_linear_backward(f2l_step_run *p, void *dx, float *dw, const void *dy, const void *x,
                              const void *w, const f2l_cuda_map *l)
{
    const f2l_cuda_product_shape to_x = {.m = l->rows,
                                         .n = l->in,
                                         .k = l->out,
                                         .lda = l->y_stride,
                                         .ldb = l->in,
                                         .ldc = l->x_stride,
                                         .add = l->add_dx,
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
    launch_product(p, dx, dy, w, &to_x);
    launch_product(p, dw, dy, x, &to_w);
}

/* --- layers --- */

/* Computes sum = out + the residual stream before layer l (or in it), and norm = the norm of sum,
 * the next input. */
static void add_and_norm(f2l_step_run *p, void *norm, void *sum, const void *residual,
                         const uint32_t *letter, size_t weight)
{
    const f2l_cuda_norm shape = f2l_cuda_norm_of(p->shape, p->rows, p->shape->width, 1, p->s->type);
    LAUNCH(p, p->k->rmsnorm_forward(norm, sum, p->s->at.out, residual, letter,
                                    f2l_step_number(p, weight), &shape, p->s->stream, p->err));
}

static void mlp_forward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map in =
                           f2l_cuda_map_of(p->rows, p->s->type, p->shape->width, 2 * p->shape->mlp),
                       down = f2l_cuda_map_of(p->rows, p->s->type, p->shape->mlp, p->shape->width);
    f2l_step_linear_forward(p, a->gate_up, a->mlp_norm, f2l_step_matrix(p, tensor->mlp_in), &in);
    LAUNCH(p, p->k->swiglu_forward(a->product, a->gate_up, p->rows, p->shape->mlp, p->s->type,
                                   p->s->stream, p->err));
    f2l_step_linear_forward(p, p->s->at.out, a->product, f2l_step_matrix(p, tensor->mlp_down),
                            &down);
}

static void layer_forward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l], *next = a + 1;
    const f2l_cuda_map out = f2l_cuda_map_of(p->rows, p->s->type, p->s->columns.mixed, s->width);
    const void *residual = l == 0 ? f2l_step_matrix(p, s->embedding) : a->x;
    const uint32_t *letter = l == 0 ? p->s->at.letter : NULL;
    const size_t next_norm = l + 1 < s->layers ? s->layer[l + 1].mixer_norm : s->norm;
    f2l_step_project(p, l);
    s->mixer->forward(p, l);
    f2l_step_linear_forward(p, p->s->at.out, a->o_norm, f2l_step_matrix(p, tensor->out), &out);
    if (s->mlp == 0) {
        add_and_norm(p, next->norm, next->x, residual, letter, next_norm);
        return;
    }
    add_and_norm(p, a->mlp_norm, a->middle, residual, letter, tensor->mlp_norm);
    mlp_forward(p, l);
    add_and_norm(p, next->norm, next->x, a->middle, NULL, next_norm);
}

/* Computes dmiddle from dx, the gradient at the layer's output. */
static void mlp_backward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    f2l_step_buffers *at = &p->s->at;
    const f2l_cuda_map in =
                           f2l_cuda_map_of(p->rows, p->s->type, p->shape->width, 2 * p->shape->mlp),
                       down = f2l_cuda_map_of(p->rows, p->s->type, p->shape->mlp, p->shape->width);
    const f2l_cuda_norm norm = f2l_cuda_norm_of(p->shape, p->rows, p->shape->width, 1, p->s->type);
    f2l_step_linear_backward(p, a->dproduct, f2l_step_gradient(p, tensor->mlp_down), at->dx,
                             a->product, f2l_step_matrix(p, tensor->mlp_down), &down);
    LAUNCH(p, p->k->swiglu_backward(a->gate_up, a->dproduct, a->gate_up, p->rows, p->shape->mlp,
                                    p->s->type, p->s->stream, p->err));
    f2l_step_linear_backward(p, a->dmlp_norm, f2l_step_gradient(p, tensor->mlp_in), a->gate_up,
                             a->mlp_norm, f2l_step_matrix(p, tensor->mlp_in), &in);
    LAUNCH(p,
           p->k->rmsnorm_backward(at->dmiddle, f2l_step_gradient(p, tensor->mlp_norm), a->dmlp_norm,
                                  a->middle, at->dx, f2l_step_number(p, tensor->mlp_norm), at->work,
                                  &norm, p->s->stream, p->err));
}

/* Replaces dx by the gradient at the layer's input; in layer 0 the result is the embedding's
 * gradient. */
static void layer_backward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map out = f2l_cuda_map_of(p->rows, p->s->type, p->s->columns.mixed, s->width);
    if (s->mlp > 0) mlp_backward(p, l);
    const void *dmiddle = s->mlp > 0 ? p->s->at.dmiddle : p->s->at.dx;
    f2l_step_linear_backward(p, a->do_norm, f2l_step_gradient(p, tensor->out), dmiddle, a->o_norm,
                             f2l_step_matrix(p, tensor->out), &out);
    s->mixer->backward(p, l, dmiddle);
}

/* Computes logits and loss, and dx at the output of the last layer. */
static void head_both(f2l_step_run *p)
{
    const f2l_cuda_step_shape *s = p->shape;
    f2l_step_buffers *at = &p->s->at;
    f2l_step_layer *end = &at->layer[s->layers];
    const size_t labels = f2l_step_padded(s->labels);
    f2l_cuda_map map = f2l_cuda_map_of(p->rows, p->s->type, s->width, s->labels);
    map.y_stride = labels;
    map.y_type = F2L_CUDA_F32;
    const f2l_cuda_loss_shape loss = {.sequences = p->s->sequences,
                                      .length = p->s->length,
                                      .classes = s->labels,
                                      .logits_stride = labels,
                                      .dlogits_stride = labels,
                                      .type = p->s->type,
                                      .first = f2l_step_first(p->s),
                                      .rows = p->rows};
    const f2l_cuda_norm norm = f2l_cuda_norm_of(p->shape, p->rows, s->width, 1, p->s->type);
    f2l_step_linear_forward(p, at->logits, end->norm, f2l_step_matrix(p, s->head), &map);
    LAUNCH(p, p->k->loss(p->s->score, at->right, at->dlogits, at->logits, at->label, at->mask,
                         p->s->weight, at->work, &loss, p->s->stream, p->err));
    f2l_step_linear_backward(p, at->dhead, f2l_step_gradient(p, s->head), at->dlogits, end->norm,
                             f2l_step_matrix(p, s->head), &map);
    LAUNCH(p, p->k->rmsnorm_backward(at->dx, f2l_step_gradient(p, s->norm), at->dhead, end->x, NULL,
                                     f2l_step_number(p, s->norm), at->work, &norm, p->s->stream,
                                     p->err));
}

f2l_status f2l_step_pass(f2l_cuda_step *step, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &step->shape;
    f2l_step_run p = {.s = step, .shape = s, .k = step->k, .rows = step->now->rows, .err = err};
    step->next = 0;
    LAUNCH(&p, p.k->fill(step->gradient, 0, s->parameters * sizeof(float), step->stream, err));
    LAUNCH(&p, p.k->letters_index(step->at.index, step->at.letter, p.rows, s->letters, step->stream,
                                  err));
    for (size_t l = 0; l < s->layers; l++) layer_forward(&p, l);
    head_both(&p);
    for (size_t l = s->layers; l-- > 0;) layer_backward(&p, l);
    return p.status;
}
