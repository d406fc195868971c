/* The schedule chunk64: 64 letters of a word at a time, in the chunked WY form that linear RNN
 * libraries train with (theory/pages/chunk.md gives the exact order of operations, and where it is
 * that of flash-linear-attention).
 *
 * The state after a letter inside a chunk is never formed there; it is read as outputs are, by the
 * queries e_1 .. e_n. What is decoded after each letter is that reading, rounded into the format.
 * Every layer runs through a chunk before the next one does. A layer's letters have as many rows as
 * its letter with the most factors in one head; letters with fewer are padded with beta = 0. */
#ifndef F2L_CHUNK_H
#define F2L_CHUNK_H

#include "models/schedule/schedule.h"

#define F2L_CHUNK 64

typedef struct f2l_chunk f2l_chunk;

/* F2L_EDOMAIN where chunk64 is not defined: gates other than 1, biases, formats with values that
 * fp32 does not have, stochastic rounding; the text says so. Borrows the network, which was made
 * with a schedule of kind F2L_SCHEDULE_CHUNK64. */
f2l_status f2l_chunk_new(f2l_chunk **out, const f2l_float_net *net, f2l_error *err);
void f2l_chunk_free(f2l_chunk *run);

/* Back to the empty word. */
void f2l_chunk_start(f2l_chunk *run);

/* The next `count` <= 64 letters; label[count] as f2l_float_step's. After a chunk of fewer than 64
 * letters the word has ended: F2L_EDOMAIN until f2l_chunk_start. Where a layer below the last one
 * gives no symbol, the layers above are undefined from there on, and where a number before the
 * readings is not finite, everything is from the chunk's first letter on (theory/pages/chunk.md,
 * CH12): all later labels of the word are F2L_NO_SYMBOL. After a letter for which only the last
 * layer has no symbol, later ones may have labels again. */
f2l_status f2l_chunk_feed(f2l_chunk *run, uint32_t *label, const uint32_t *letter, size_t count,
                          f2l_error *err);

/* What was decoded in a layer after letter t < count of the last chunk: f2l_float_layer_size
 * numbers, NaN where it is undefined. Valid until the next call with this run. */
const double *f2l_chunk_reading(const f2l_chunk *run, size_t layer, size_t t);

#endif
