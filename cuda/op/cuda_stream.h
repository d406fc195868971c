/* The selective diagonal recurrence (cuda/op/cuda_select.h) for words in pieces: forward only, with
 * h carried on.
 * CPU reference: forward_diagonal in models/learn/seq/diagonal/seq_diagonal_pass.c. */
#ifndef F2L_CUDA_STREAM_H
#define F2L_CUDA_STREAM_H

#include "cuda/op/cuda_select.h"

/* Computes forward as f2l_cuda_select_forward does, but h before the first token is `state`, float
 * [batch][channels][states], which is replaced by h after the last token. Pieces of any lengths
 * give the bits of the whole word. F2L_EDOMAIN: more than F2L_CUDA_SELECT_STATES states, or sizes
 * that cannot be counted. */
f2l_status f2l_cuda_select_stream(void *out, float *state, const f2l_cuda_select_in *in,
                                  const f2l_cuda_select_shape *shape, void *stream, f2l_error *err);

#endif
