/* One file with everything that a training run needs to go on. Little-endian everywhere, so it may
 * move between machines:
 *
 *     "f2ltrn1\n", identity (64 hexadecimal digits), then 64-bit words: bytes per number,
 *     parameters, states, words, word[..], state[..], then the numbers: parameter[], mean[], and
 *     square[] without their signs, which are 0: 31 (double: 63) bits of each side by side, the
 *     least first, then zeros up to a whole byte; then the SHA-256 of everything before (64 digits)
 *
 * The size is fixed by the counts. 95 bits per float parameter (191 per double) and less than a
 * kilobyte: the paper's largest model, three layers of four heads of 128, stays under 16 MiB. */
#ifndef F2L_TRAIN_CHECKPOINT_H
#define F2L_TRAIN_CHECKPOINT_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contents of a checkpoint. All arrays are owned by the caller, also for reading. */
typedef struct f2l_train_checkpoint {
    const char *identity; /* 64 digits that identify the run */
    size_t number, parameters, states, words;
    void *parameter, *mean, *square; /* [parameters] of `number` bytes, 4 or 8; square >= 0 */
    uint64_t *state;                 /* [states] */
    uint64_t *word;                  /* [words] */
} f2l_train_checkpoint;

/* Returns whether all numbers are finite. */
bool f2l_train_checkpoint_finite(const f2l_train_checkpoint *checkpoint);

/* Replaces the file as a whole: in all cases the path holds the old checkpoint or the new one.
 * F2L_EDOMAIN for a square with a sign. */
f2l_status f2l_train_checkpoint_write(const char *path, const f2l_train_checkpoint *checkpoint,
                                      f2l_error *err);

/* Fills the arrays. If the file is missing, *found is false and nothing changes. F2L_EDOMAIN:
 * another identity or other sizes; F2L_EFORMAT: damaged, or a number that is not finite. On failure
 * the arrays are unchanged. */
f2l_status f2l_train_checkpoint_read(bool *found, const char *path,
                                     const f2l_train_checkpoint *checkpoint, f2l_error *err);

#endif
