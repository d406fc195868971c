/* The numbers that the first layer of a sequence model computes for each letter.
 *
 * The input of the first layer is the embedding of the letter alone, so that betas, gates and,
 * without a short convolution, keys and decays are functions of the letter: a model of one layer
 * without values has no other recurrence than this finite list. With a convolution of k > 1 taps
 * keys and decays depend on the last k letters; they are given for a letter that follows k - 1
 * copies of itself. The numbers come from the model's pass (models/learn/seq/seq.h) in double. */
#ifndef F2L_SEQ_LETTERS_H
#define F2L_SEQ_LETTERS_H

#include "models/learn/seq/seq.h"

enum { F2L_SEQ_LETTER_ARRAYS = 4 }; /* an upper bound */

typedef struct f2l_seq_letters {
    size_t repeats; /* times that each letter was read: 1, or the taps of the convolution */
    size_t width[F2L_SEQ_LETTER_ARRAYS];  /* numbers for each letter; 0: there is no such array */
    double *array[F2L_SEQ_LETTER_ARRAYS]; /* [letters][width], by the names that the mixer gives */
} f2l_seq_letters;

void f2l_seq_letters_init(f2l_seq_letters *out);
void f2l_seq_letters_clear(f2l_seq_letters *out);

/* Builds the first `arrays` arrays of *out, which is initialised empty, and empty again after a
 * failure, from parameters[model->parameters]. F2L_UNKNOWN: the task stopped it, or its memory is
 * too small; F2L_EDOMAIN: a result is not finite. */
f2l_status f2l_seq_letters_build(f2l_seq_letters *out, const f2l_seq *model,
                                 const double *parameters, size_t arrays, const f2l_task *task,
                                 f2l_error *err);

#endif
