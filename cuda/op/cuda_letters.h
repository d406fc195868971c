/* Sums over the rows of each letter, and rows by letter. The index sorts the rows of a batch by
 * letter (by a stable counting sort; one index per batch serves every sum); a sum then takes the
 * rows of a letter in pieces of F2L_CUDA_LETTER_ROWS in their order in the batch, and the pieces in
 * a fixed order: memory is read once, whatever the letters are.
 * CPU reference: f2l_embed_forward, f2l_embed_backward in models/learn/op/op_embed.c. */
#ifndef F2L_CUDA_LETTERS_H
#define F2L_CUDA_LETTERS_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_LETTER_ROWS 64
/* Most letters of an index: a block's counters are in shared memory. */
#define F2L_CUDA_LETTERS_MAX 8192

/* Returns the bytes of an index of `rows` rows. */
size_t f2l_cuda_letters_bytes(size_t rows, size_t letters);
/* Makes the index of letter [rows] < letters. F2L_EDOMAIN: more than F2L_CUDA_LETTERS_MAX letters,
 * or 2^31 rows. */
f2l_status f2l_cuda_letters_index(void *index, const uint32_t *letter, size_t rows, size_t letters,
                                  void *stream, f2l_error *err);

/* Sets (or adds to, with `add`) columns 0 .. width - 1 of sum [letters][sum_stride]: for each
 * letter the sum of its rows of x [rows][x_stride], columns 0 .. width - 1, in float. */
size_t f2l_cuda_letters_work(size_t rows, size_t letters, size_t width);
f2l_status f2l_cuda_letters_sum(float *sum, size_t sum_stride, bool add, const void *x,
                                size_t x_stride, size_t width, f2l_cuda_type type,
                                const void *index, void *work, size_t rows, size_t letters,
                                void *stream, f2l_error *err);

/* Computes y [rows][width] = table [letters][width] at letter [rows]. (The gradient is a sum by
 * letter.) */
f2l_status f2l_cuda_embed_forward(void *y, const void *table, const uint32_t *letter, size_t rows,
                                  size_t width, f2l_cuda_type type, void *stream, f2l_error *err);

#endif
