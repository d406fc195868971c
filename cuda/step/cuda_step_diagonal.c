/* The diagonal mixer of a pass: from the projection (u, z) to the gated output, and back. */
#include "cuda/step/impl.h"

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

static f2l_cuda_select_in in_of(const f2l_step_run *p, size_t l)
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
                                .bias = f2l_step_number(p, tensor->step_bias),
                                .state_log = f2l_step_number(p, tensor->state_log),
                                .skip = f2l_step_number(p, tensor->skip)};
}

void f2l_step_diagonal_forward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map select = select_map(p), step = step_map(p);
    const f2l_cuda_unit silu = f2l_step_silu_of(p->shape, &p->s->columns, p->rows, p->s->type);
    const f2l_cuda_select_shape shape = f2l_step_select(p->s);
    const f2l_cuda_select_in in = in_of(p, l);
    LAUNCH(p, p->k->unit_forward(a->u, p->s->columns.taps > 0 ? a->taps : a->projection, &silu,
                                 p->s->stream, p->err));
    f2l_step_linear_forward(p, a->select, a->u, f2l_step_matrix(p, tensor->select), &select);
    f2l_step_linear_forward(p, a->step, a->select, f2l_step_matrix(p, tensor->step_weight), &step);
    LAUNCH(p, p->k->select_forward(a->o_norm, a->kept, &in, &shape, p->s->stream, p->err));
}

/* Computes the first columns of the gradient at the projection from du. */
static void channels_backward(f2l_step_run *p, size_t l)
{
    const f2l_cuda_step_layer *tensor = &p->shape->layer[l];
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_unit silu = f2l_step_silu_of(p->shape, &p->s->columns, p->rows, p->s->type);
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

void f2l_step_diagonal_backward(f2l_step_run *p, size_t l, const void *dmiddle)
{
    const f2l_cuda_step_shape *s = p->shape;
    const f2l_cuda_step_layer *tensor = &s->layer[l];
    const f2l_cuda_type type = p->s->type;
    f2l_step_layer *a = &p->s->at.layer[l];
    const f2l_cuda_map select = select_map(p), step = step_map(p);
    const f2l_cuda_select_shape shape = f2l_step_select(p->s);
    const f2l_cuda_select_in in = in_of(p, l);
    const f2l_cuda_select_grad grad = {.du = a->du,
                                       .dstep = a->dstep,
                                       .dgate = f2l_cuda_column(a->dcolumns, s->channels, type),
                                       .dwrite = f2l_cuda_column(a->dselect, s->rank, type),
                                       .dread =
                                           f2l_cuda_column(a->dselect, s->rank + s->states, type),
                                       .dbias = f2l_step_gradient(p, tensor->step_bias),
                                       .dstate_log = f2l_step_gradient(p, tensor->state_log),
                                       .dskip = f2l_step_gradient(p, tensor->skip)};
    LAUNCH(p, p->k->select_backward(&grad, a->do_norm, a->kept, a->mixer_work, &in, &shape,
                                    p->s->stream, p->err));
    f2l_step_linear_backward(p, a->dselect, f2l_step_gradient(p, tensor->step_weight), a->dstep,
                             a->select, f2l_step_matrix(p, tensor->step_weight), &step);
    f2l_step_linear_backward(p, a->du, f2l_step_gradient(p, tensor->select), a->dselect, a->u,
                             f2l_step_matrix(p, tensor->select), &select);
    channels_backward(p, l);
    f2l_step_project_back(p, l, a->dcolumns, dmiddle);
}
