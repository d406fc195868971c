/* From the embedding or the residual stream to the projection, and back; by letter in layer 0. */
#include "cuda/step/impl.h"

static f2l_cuda_map projection_of(const f2l_step_run *p, size_t l)
{
    const f2l_step_columns *c = &p->s->columns;
    const f2l_cuda_type type = l == 0 ? F2L_CUDA_F32 : p->s->type;
    return (f2l_cuda_map){.rows = l == 0 ? p->shape->letters : p->rows,
                          .in = p->shape->width,
                          .out = c->all,
                          .x_stride = p->shape->width,
                          .y_stride = c->stride,
                          .type = type,
                          .y_type = type};
}

/* Sets projection to the table at every position's letter, rounded to the step's type. */
static void lay_projection_out(f2l_step_run *p, f2l_step_layer *a)
{
    f2l_cuda_step *s = p->s;
    const size_t stride = s->columns.stride;
    const void *table = a->table;
    if (s->type == F2L_CUDA_BF16) {
        LAUNCH(p, p->k->cast(a->narrow, F2L_CUDA_BF16, a->table, F2L_CUDA_F32,
                             p->shape->letters * stride, s->stream, p->err));
        table = a->narrow;
    }
    LAUNCH(p, p->k->embed_forward(a->projection, table, s->at.letter, p->rows, stride, s->type,
                                  s->stream, p->err));
}

void f2l_step_project(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map map = projection_of(p, l);
    const bool laid_out = f2l_step_laid_out(p->shape, l);
    if (l == 0) {
        const f2l_cuda_norm norm =
            f2l_cuda_norm_of(p->shape, map.rows, p->shape->width, 1, F2L_CUDA_F32);
        LAUNCH(p, p->k->rmsnorm_forward(a->norm, NULL, f2l_step_number(p, p->shape->embedding),
                                        NULL, NULL, f2l_step_number(p, tensor->mixer_norm), &norm,
                                        p->s->stream, p->err));
    }
    const void *w = l == 0 ? (const void *)f2l_step_number(p, tensor->project)
                           : f2l_step_matrix(p, tensor->project);
    f2l_step_linear_forward(p, laid_out ? a->table : a->projection, a->norm, w, &map);
    if (laid_out) lay_projection_out(p, a);
    if (p->s->columns.taps == 0) return;
    const f2l_cuda_conv_shape taps = f2l_step_taps(p->s);
    LAUNCH(p,
           p->k->conv_forward(a->taps, NULL, NULL, a->projection, f2l_step_number(p, tensor->taps),
                              NULL, &taps, p->s->stream, p->err));
}

void f2l_step_sum_by_letter(f2l_step_run *p, float *sum, size_t stride, bool add, const void *x,
                            size_t x_stride, size_t width, f2l_cuda_type type)
{
    f2l_cuda_step *s = p->s;
    if (width > 0)
        LAUNCH(p, p->k->letters_sum(sum, stride, add, x, x_stride, width, type, s->at.index,
                                    s->at.work, p->rows, p->shape->letters, s->stream, p->err));
}

void f2l_step_letters_back(f2l_step_run *p, const void *dmiddle)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[0];
    const size_t width = p->shape->width;
    f2l_step_layer *a = &p->s->at.layer[0];
    float *dembedding = f2l_step_gradient(p, p->shape->embedding);
    const f2l_cuda_map map = projection_of(p, 0);
    const f2l_cuda_norm norm = f2l_cuda_norm_of(p->shape, map.rows, width, 1, F2L_CUDA_F32);
    f2l_step_sum_by_letter(p, dembedding, width, true, dmiddle, width, width, p->s->type);
    f2l_step_linear_backward(p, a->letter_dnorm, f2l_step_gradient(p, tensor->project),
                             a->dprojection, a->norm, f2l_step_number(p, tensor->project), &map);
    LAUNCH(p, p->k->rmsnorm_backward(dembedding, f2l_step_gradient(p, tensor->mixer_norm),
                                     a->letter_dnorm, f2l_step_number(p, p->shape->embedding),
                                     dembedding, f2l_step_number(p, tensor->mixer_norm),
                                     p->s->at.work, &norm, p->s->stream, p->err));
}

void f2l_step_project_back(f2l_step_run *p, size_t l, const void *dcolumns, const void *dmiddle)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    const f2l_step_columns *c = &p->s->columns;
    f2l_step_layer *a = &p->s->at.layer[l];
    if (l == 0) {
        f2l_step_sum_by_letter(p, a->dprojection, c->stride, false, dcolumns, c->stride, c->all,
                               p->s->type);
        f2l_step_letters_back(p, dmiddle);
        return;
    }
    const f2l_cuda_map map = projection_of(p, l);
    const f2l_cuda_norm norm = f2l_cuda_norm_of(p->shape, p->rows, p->shape->width, 1, p->s->type);
    f2l_step_linear_backward(p, a->dnorm, f2l_step_gradient(p, tensor->project), dcolumns, a->norm,
                             f2l_step_matrix(p, tensor->project), &map);
    LAUNCH(p,
           p->k->rmsnorm_backward(p->s->at.dx, f2l_step_gradient(p, tensor->mixer_norm), a->dnorm,
                                  a->x, dmiddle, f2l_step_number(p, tensor->mixer_norm),
                                  p->s->at.work, &norm, p->s->stream, p->err));
}
