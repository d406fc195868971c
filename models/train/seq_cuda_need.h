/* What training on devices takes of their memory, said before anything is there (f2l_seq_cuda_bytes
 * says what it takes of this machine's). */
#ifndef F2L_SEQ_CUDA_NEED_H
#define F2L_SEQ_CUDA_NEED_H

#include "cuda/step/cuda_answer.h"
#include "models/train/seq_trainee.h"

/* How evaluations are made: many sequences side by side, for each is read letter by letter; and
 * positions in long pieces, for each waits for the device, down to the fewest where it has no
 * memory for more. */
enum {
    F2L_SEQ_CUDA_SIDE_BY_SIDE = 512,
    F2L_SEQ_CUDA_POSITIONS = 1 << 16,
    F2L_SEQ_CUDA_FEWEST = 1 << 10
};

/* Bytes on the device that has most to hold: a step with the longest batch, or with its part of it
 * on several devices; the others' gradients; and evaluations of so many sequences (0: there are
 * none), which are float and take place beside it. They make do with less where the device has
 * less, the step does not. Without what the driver and the libraries keep, some 0.5 GB.
 * F2L_EDOMAIN: what devices do not take (f2l_seq_cuda_takes), or no size_t. No device is asked. */
f2l_status f2l_seq_cuda_need(size_t *bytes, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, size_t evaluated,
                             f2l_cuda_type type, const f2l_cuda_answer_kernels *kernels,
                             f2l_error *err);

#endif
