/* Permutations of equal probability. */
#ifndef TESTS_RANDOM_PERMUTATION_H
#define TESTS_RANDOM_PERMUTATION_H

#include "numeric/base/rng.h"
#include <stddef.h>

/* Fills image[0..n) with 0 .. n-1 in random order. */
void random_permutation(uint32_t *image, size_t n, f2l_rng *rng);

#endif
