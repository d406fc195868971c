/* The shape of a step on a device, made from a sequence model (models/learn/seq/seq.h). */
#ifndef F2L_CUDA_MODEL_H
#define F2L_CUDA_MODEL_H

#include "cuda/step/cuda_step.h"
#include "models/learn/seq/seq.h"

typedef struct f2l_cuda_model {
    f2l_cuda_step_shape shape; /* borrows the two arrays below, which are owned */
    f2l_cuda_step_layer *layer;
    f2l_cuda_step_group *group;
} f2l_cuda_model;

/* Initialises *m with one group per tensor; weight decay applies only to tensors with `decays`. A
 * failed init leaves a cleared object. */
f2l_status f2l_cuda_model_init(f2l_cuda_model *m, const f2l_seq *model, f2l_error *err);
void f2l_cuda_model_clear(f2l_cuda_model *m);

#endif
