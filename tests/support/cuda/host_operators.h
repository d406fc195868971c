/* The host's operators, by source file; private to host_*.c. */
#ifndef TESTS_HOST_OPERATORS_H
#define TESTS_HOST_OPERATORS_H

#include "cuda/op/cuda_stream.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/cuda/replay_bf16.h"

static inline float f2l_host_get(const void *from, size_t i, f2l_cuda_type type)
{
    return f2l_replay_get(from, i, type == F2L_CUDA_BF16);
}
static inline void f2l_host_put(void *to, size_t i, float x, f2l_cuda_type type)
{
    f2l_replay_put(to, i, x, type == F2L_CUDA_BF16);
}

/* The rows of a word: `tokens` of them, or, packed, from `first` on. */
typedef struct f2l_host_rows {
    size_t first, count;
} f2l_host_rows;
static inline f2l_host_rows f2l_host_word(const uint32_t *first, size_t word, size_t tokens)
{
    return first ? (f2l_host_rows){first[word], first[word + 1] - first[word]}
                 : (f2l_host_rows){word * tokens, tokens};
}

/* Returns rows from `row` on of an array of rows of `width` numbers; NULL for NULL. */
static inline void *f2l_host_rows_from(const void *array, size_t row, size_t width,
                                       f2l_cuda_type type)
{
    return array ? (char *)(uintptr_t)array + row * width * f2l_cuda_bytes(type) : NULL;
}

/* Declares an operator with the type of the device's operator. */
#define F2L_HOST(name) extern __typeof__(f2l_cuda_##name) f2l_host_##name
/* tests/support/cuda/host_point.c */
F2L_HOST(cast);
F2L_HOST(swiglu_forward);
F2L_HOST(swiglu_backward);
F2L_HOST(sigmoid_forward);
F2L_HOST(sigmoid_backward);
F2L_HOST(decay_work);
F2L_HOST(decay_forward);
F2L_HOST(decay_backward);
F2L_HOST(rmsnorm_work);
F2L_HOST(rmsnorm_forward);
F2L_HOST(rmsnorm_backward);
F2L_HOST(unit_forward);
F2L_HOST(unit_backward);
/* tests/support/cuda/host_delta.c */
F2L_HOST(mixer_bytes);
F2L_HOST(mixer_forward);
F2L_HOST(mixer_backward);
/* tests/support/cuda/host_diagonal.c */
F2L_HOST(embed_forward);
F2L_HOST(conv_work);
F2L_HOST(conv_forward);
F2L_HOST(conv_backward);
F2L_HOST(select_bytes);
F2L_HOST(select_forward);
F2L_HOST(select_stream);
F2L_HOST(select_backward);
/* tests/support/cuda/host_dplr.c */
F2L_HOST(rates_work);
F2L_HOST(rates_forward);
F2L_HOST(rates_backward);
F2L_HOST(dplr_bytes);
F2L_HOST(dplr_forward);
F2L_HOST(dplr_backward);
/* tests/support/cuda/host_pairs.c */
F2L_HOST(pairs_bytes);
F2L_HOST(pairs_forward);
F2L_HOST(pairs_backward);
F2L_HOST(pairs_stream);
F2L_HOST(gate_forward);
F2L_HOST(gate_backward);
#undef F2L_HOST

#endif
