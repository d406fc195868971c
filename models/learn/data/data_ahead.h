/* Batches made by several threads and in advance: while a device works on one step, the batch of
 * the next step is made. The contents of a batch do not depend on this
 * (models/learn/data/data.h). */
#ifndef F2L_DATA_AHEAD_H
#define F2L_DATA_AHEAD_H

#include "models/learn/data/data.h"

typedef struct f2l_data_ahead f2l_data_ahead;

/* Creates *out for the sequences first .. first + sequences - 1 of steps of the data, which must
 * outlive *out. `threads` counts the threads that work on a batch, with the calling thread; 0
 * counts as 1. If fewer can be started, a batch takes longer. *out is NULL after a failure. */
f2l_status f2l_data_ahead_new(f2l_data_ahead **out, const f2l_data *data, size_t first,
                              size_t sequences, unsigned threads, f2l_error *err);
void f2l_data_ahead_free(f2l_data_ahead *ahead);

/* Makes the batch of this step with these lengths; the calling thread helps, and returns when the
 * batch is complete. The batch that was taken last stays as it is. A failure is reported by
 * f2l_data_ahead_take. */
void f2l_data_ahead_make(f2l_data_ahead *ahead, f2l_data_range range, uint64_t step);

/* Sets *batch to the batch of the step with these lengths, and makes it now if the last batch made
 * is another one. *batch is borrowed and stays as it is until the next take. Fails as
 * f2l_data_batch_fill does. */
f2l_status f2l_data_ahead_take(const f2l_data_batch **batch, f2l_data_ahead *ahead,
                               f2l_data_range range, uint64_t step, f2l_error *err);

/* Computes the bytes of two batches of `sequences` sequences of up to `longest` letters.
 * F2L_EDOMAIN when the number does not fit size_t. */
f2l_status f2l_data_ahead_bytes(size_t *bytes, size_t sequences, size_t longest, f2l_error *err);

#endif
