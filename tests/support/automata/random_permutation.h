/* Permutations drawn alike. */
#ifndef TESTS_RANDOM_PERMUTATION_H
#define TESTS_RANDOM_PERMUTATION_H

#include "numeric/base/rng.h"
#include <stddef.h>

/* image[0..n) in random order. */
void random_permutation(uint32_t *image, size_t n, f2l_rng *rng);

#endif
