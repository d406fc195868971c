/* One file that holds all that a training run needs to go on. Little-endian everywhere, so it may
 * move between machines: "f2ltrn1\n", identity (64 hexadecimal digits), then 64-bit words: bytes
 * per number, parameters, states, words, word[..], state[..], then the numbers: parameter[],
 * mean[], and square[] without their signs, which are 0: 31 (double: 63) bits of each side by side,
 * the least first, then zeros up to a whole byte; then the SHA-256 of all before it (64 digits).
 * The size is fixed by the counts. 95 bits per float parameter (191 per double) and less than a
 * kilobyte: the paper's largest model, three layers of four heads of 128, stays under 16 MiB. */
#ifndef F2L_TRAIN_CHECKPOINT_H
#define F2L_TRAIN_CHECKPOINT_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is saved: all arrays belong to the caller, also for reading. */
typedef struct f2l_train_checkpoint {
    const char *identity; /* 64 digits: what the run is about */
    size_t number, parameters, states, words;
    void *parameter, *mean, *square; /* [parameters] numbers of `number` bytes, 4 or 8; square >= 0
                                      */
    uint64_t *state;                 /* [states] */
    uint64_t *word;                  /* [words] */
} f2l_train_checkpoint;

/* No number is infinite or NaN. */
bool f2l_train_checkpoint_finite(const f2l_train_checkpoint *checkpoint);

/* Replaces the file as a whole: whatever happens, the path holds the old checkpoint or the new one.
 * F2L_EDOMAIN for a square with a sign. */
f2l_status f2l_train_checkpoint_write(const char *path, const f2l_train_checkpoint *checkpoint,
                                      f2l_error *err);

/* Fills the arrays. *found is false (and nothing changed) when there is no such file. F2L_EDOMAIN:
 * another identity or other sizes; F2L_EFORMAT: damaged, or a number that is not finite. On failure
 * the arrays are as they were. */
f2l_status f2l_train_checkpoint_read(bool *found, const char *path,
                                     const f2l_train_checkpoint *checkpoint, f2l_error *err);

#endif
