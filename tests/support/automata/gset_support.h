/* Representations in tests: what they must satisfy, checked without the code of the module, and
 * automata from images. */
#ifndef TESTS_GSET_SUPPORT_H
#define TESTS_GSET_SUPPORT_H

#include "automata/fsa/perm.h"
#include "automata/gset/gset.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/random_permutation.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters permute its points, points of
 * an orbit lie together, and the code spread along all words is a function of the state that tells
 * states apart. */
void check_carries(const f2l_gset *g, const f2l_fsa *fsa);

void smallest(f2l_gset *g, const f2l_fsa *fsa, uint64_t work);

/* A deterministic table from images: image[a * n + q]. */
void open_table(f2l_fsa *fsa, const uint32_t *image, size_t n, size_t letters);

#endif
