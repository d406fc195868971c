/* The schedule chunk64: 64 letters of a word at a time, in the chunked WY form that linear RNN
 * libraries train with (theory/pages/chunk.md gives the exact order of operations, and where it
 * equals the order of flash-linear-attention).
 *
 * The state after a letter inside a chunk is never formed there; the state is read like an output,
 * by the queries e_1 .. e_n. After each letter this reading, rounded into the format, is decoded.
 * Every layer runs through a chunk before the next one does. A layer's letters have as many rows as
 * its letter with the most factors in one head; letters with fewer are padded with beta = 0. */
#ifndef F2L_CHUNK_H
#define F2L_CHUNK_H

#include "models/network/schedule/schedule.h"

#define F2L_CHUNK 64

typedef struct f2l_chunk f2l_chunk;

/* Creates a run. F2L_EDOMAIN where chunk64 is not defined: gates other than 1, biases, formats with
 * values that fp32 does not have, stochastic rounding; the text names the reason. Borrows the
 * network, which was made with a schedule of kind F2L_SCHEDULE_CHUNK64. */
f2l_status f2l_chunk_new(f2l_chunk **out, const f2l_float_net *net, f2l_error *err);
void f2l_chunk_free(f2l_chunk *run);

/* Returns the run to the empty word. */
void f2l_chunk_start(f2l_chunk *run);

/* Feeds the next `count` <= 64 letters; label[count] as in f2l_float_step. After a chunk of fewer
 * than 64 letters the word has ended: F2L_EDOMAIN until f2l_chunk_start. If a layer below the last
 * one gives no symbol, the layers above are undefined from that letter on, and if a number before
 * the readings is not finite, everything is undefined from the chunk's first letter on
 * (theory/pages/chunk.md, CH12): all later labels of the word are F2L_NO_SYMBOL. After a letter for
 * which only the last layer has no symbol, later letters may have labels again. */
f2l_status f2l_chunk_feed(f2l_chunk *run, uint32_t *label, const uint32_t *letter, size_t count,
                          f2l_error *err);

/* Returns the numbers decoded in a layer after letter t < count of the last chunk:
 * f2l_float_layer_size numbers, NaN where undefined. Borrowed, valid until the next call with this
 * run. */
const double *f2l_chunk_reading(const f2l_chunk *run, size_t layer, size_t t);

#endif
