/* Checks of representations that use no code of the module, and automata from images. */
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

/* Checks that letters permute the points, that the points of an orbit are adjacent, and that the
 * code carried along all words is a function of the state that tells states apart. */
void check_carries(const f2l_gset *g, const f2l_fsa *fsa);

void smallest(f2l_gset *g, const f2l_fsa *fsa, uint64_t work);

/* Makes the deterministic automaton of the images image[a * n + q]. */
void open_table(f2l_fsa *fsa, const uint32_t *image, size_t n, size_t letters);

#endif
