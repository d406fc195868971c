/* The answers of a sequence model after every letter, on a device: forward only, in consecutive
 * pieces of any length, with the states of the recurrences and the last letters of the convolutions
 * kept in between. Memory does not depend on the length of the words.
 *
 * The formulas are a training step's (cuda/step/cuda_step.h); the mixers go letter by letter
 * (cuda/delta/cuda_recurrent.h, cuda/op/cuda_stream.h), with the same bits in pieces as in one run.
 * Products of matrices are planned for the number of positions that are read at once, and may be
 * added up in another order for another number. */
#ifndef F2L_CUDA_ANSWER_H
#define F2L_CUDA_ANSWER_H

#include "cuda/delta/cuda_recurrent.h"
#include "cuda/op/cuda_stream.h"
#include "cuda/step/cuda_step.h"

/* The operators: the operators of a step, and further ones. */
typedef struct f2l_cuda_answer_kernels {
    const f2l_cuda_kernels *step;
    __typeof__(f2l_cuda_recurrent_forward) *recurrent;
    __typeof__(f2l_cuda_select_stream) *select;
    __typeof__(f2l_cuda_pairs_stream) *pairs;
    __typeof__(f2l_cuda_answers) *answers;
} f2l_cuda_answer_kernels;

extern const f2l_cuda_answer_kernels f2l_cuda_answer_device; /* defined in the build with kernels */

typedef struct f2l_cuda_answer f2l_cuda_answer;

/* Creates *out for up to `sequences` sequences side by side, of which up to `positions` letters in
 * total are read at once; the shape's arrays are borrowed. *out is NULL after a failure:
 * F2L_ENOMEM, F2L_EDOMAIN for sizes that the operators do not support: fewer positions may help,
 * but more than F2L_CUDA_CONV_TAPS taps or F2L_CUDA_SELECT_STATES states are never supported. */
f2l_status f2l_cuda_answer_new(f2l_cuda_answer **out, const f2l_cuda_step_shape *shape,
                               f2l_cuda_type type, size_t sequences, size_t positions,
                               const f2l_cuda_answer_kernels *kernels, f2l_error *err);
void f2l_cuda_answer_free(f2l_cuda_answer *answer);

/* Sets the parameters, [shape->parameters] on the host; before the first begin. */
f2l_status f2l_cuda_answer_put(f2l_cuda_answer *answer, const float *parameter, f2l_error *err);
/* Begins `sequences` sequences (>= 1). */
f2l_status f2l_cuda_answer_begin(f2l_cuda_answer *answer, size_t sequences, f2l_error *err);
/* Reads the next `count` letters of the sequences: letter [sequences][count] < letters (checked),
 * answers to out [sequences][count], UINT32_MAX where a logit is not a number. Waits.
 * sequences * count <= positions. After a failure of the device (not F2L_EDOMAIN) the sequences
 * must begin anew. */
f2l_status f2l_cuda_answer_read(uint32_t *out, f2l_cuda_answer *answer, const uint32_t *letter,
                                size_t count, f2l_error *err);

/* Returns the bytes of device memory in use. */
size_t f2l_cuda_answer_bytes(const f2l_cuda_answer *answer);

#endif
