/* Sequence models whose keys and betas are chosen: one layer, no values, and letter a has the
 * embedding e_a, so that column a of every projection is the projection of that letter. */
#ifndef TESTS_INSPECT_SUPPORT_H
#define TESTS_INSPECT_SUPPORT_H

#include "models/learn/inspect/inspect_relations.h"
#include "tests/support/train/seq_support.h"
#include <stdio.h>

double *inspect_tensor(seq_case *s, const char *name);

seq_case inspect_case(size_t letters, size_t heads, size_t factors, size_t key, size_t value);

/* Sets one key and beta; beta is 2 sigmoid of a projection, so that 0 and 2 are reached up to
 * 1e-21. */
void inspect_set(seq_case *s, size_t letter, size_t head, size_t factor, const double *key,
                 double beta);

void inspect_start(seq_case *s, size_t head, const double *start);

void inspect_build(f2l_inspect *x, const seq_case *s, const unsigned char *used);

/* Sets a letter to the matrix of a permutation of `points` points as the right action has it: A e_p
 * = e_image(p), from reflections in (e_i - e_j) / sqrt(2), one for each transposition of its
 * cycles; the rest are factors of beta 0. */
void inspect_set_permutation(seq_case *s, size_t letter, size_t head, const uint32_t *image);

#endif
