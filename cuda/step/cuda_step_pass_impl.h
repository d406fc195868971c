/* A pass as its parts see it; private to cuda_step_*.c. Failures are remembered in the pass and every later launch is left
 * out, so that the schedule reads as what it is. */
#ifndef F2L_CUDA_STEP_PASS_IMPL_H
#define F2L_CUDA_STEP_PASS_IMPL_H

#include "cuda/step/cuda_step_impl.h"

typedef struct f2l_step_run {
    f2l_cuda_step *s;
    const f2l_cuda_step_shape *shape;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} f2l_step_run;

/* Parameters as norms and the letters' products take them, their gradients, and as products of activations take them. */
static inline const float *f2l_step_number(const f2l_step_run *p, size_t offset)
{
    return p->s->parameter + offset;
}
static inline float *f2l_step_gradient(const f2l_step_run *p, size_t offset)
{
    return p->s->gradient + offset;
}
static inline const void *f2l_step_matrix(const f2l_step_run *p, size_t offset)
{
    return p->s->shadow ? (const void *)(p->s->shadow + offset) : (const void *)(p->s->parameter + offset);
}

void f2l_step_linear_forward(f2l_step_run *p, void *y, const void *x, const void *w, const f2l_cuda_map *l);
void f2l_step_linear_backward(f2l_step_run *p, void *dx, float *dw, const void *dy, const void *x,
                              const void *w, const f2l_cuda_map *l);

/* The first columns of the projection through the convolution, by position. */
static inline f2l_cuda_conv_shape f2l_step_taps(const f2l_cuda_step *s)
{
    return (f2l_cuda_conv_shape){.batch = s->sequences,
                                 .tokens = s->length,
                                 .width = s->columns.taps,
                                 .taps = s->shape.convolution,
                                 .type = s->type,
                                 .x_stride = s->columns.stride,
                                 .y_stride = s->columns.taps_stride};
}

static inline f2l_cuda_select_shape f2l_step_select(const f2l_cuda_step *s)
{
    return (f2l_cuda_select_shape){.batch = s->sequences,
                                   .tokens = s->length,
                                   .channels = s->shape.channels,
                                   .states = s->shape.states,
                                   .stride = s->columns.select_stride,
                                   .gate_stride = s->columns.stride,
                                   .low = s->shape.negative ? -1 : 0,
                                   .type = s->type};
}

/* From the layer's norm to its projection, and to the convolution's output if there is one. */
void f2l_step_project(f2l_step_run *p, size_t l);
/* From the gradient at the projection by position, and dmiddle, to dx; of layer 0, which has its projection laid out then, to
 * the embedding's gradient. */
void f2l_step_project_back(f2l_step_run *p, size_t l, const void *dcolumns, const void *dmiddle);
/* The same from the gradient at the projection by letter. */
void f2l_step_letters_back(f2l_step_run *p, const void *dmiddle);
void f2l_step_sum_by_letter(f2l_step_run *p, float *sum, size_t stride, bool add, const void *x,
                            size_t x_stride, size_t width, f2l_cuda_type type);

/* The mixers: to o_norm, what the output projection reads; back from do_norm and dmiddle to dx. */
void f2l_step_delta_forward(f2l_step_run *p, size_t l);
void f2l_step_delta_backward(f2l_step_run *p, size_t l, const void *dmiddle);
void f2l_step_diagonal_forward(f2l_step_run *p, size_t l);
void f2l_step_diagonal_backward(f2l_step_run *p, size_t l, const void *dmiddle);

#endif
