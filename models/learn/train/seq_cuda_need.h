/* Device memory that training takes, computed before any device is used (f2l_seq_cuda_bytes
 * computes the memory of this machine). */
#ifndef F2L_SEQ_CUDA_NEED_H
#define F2L_SEQ_CUDA_NEED_H

#include "cuda/step/cuda_answer.h"
#include "models/learn/train/seq_trainee.h"

/* Sizes of evaluations. Many sequences run side by side, because each is read letter by letter;
 * positions come in long pieces, because each piece waits for the device; pieces shrink down to the
 * fewest positions if memory is short. */
enum {
    F2L_SEQ_CUDA_SIDE_BY_SIDE = 512,
    F2L_SEQ_CUDA_POSITIONS = 1 << 16,
    F2L_SEQ_CUDA_FEWEST = 1 << 10
};

/* Computes the bytes on the device with the largest need: a step with the longest batch, or with
 * the device's part of it if there are several devices; the gradients of the other devices; and
 * evaluations of `evaluated` sequences (0: none), which are float and take place beside the step.
 * Evaluations make do with less memory if the device has less, a step does not. The memory of the
 * driver and the libraries, some 0.5 GB, is not counted. F2L_EDOMAIN: a model that devices do not
 * support (f2l_seq_cuda_takes), or a number that does not fit size_t. No device is used. */
f2l_status f2l_seq_cuda_need(size_t *bytes, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, size_t evaluated,
                             f2l_cuda_type type, const f2l_cuda_answer_kernels *kernels,
                             f2l_error *err);

#endif
