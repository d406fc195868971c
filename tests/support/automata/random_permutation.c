#include "tests/support/automata/random_permutation.h"

void random_permutation(uint32_t *image, size_t n, f2l_rng *rng)
{
    for (size_t i = 0; i < n; i++) image[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)f2l_rng_below(rng, i);
        const uint32_t held = image[i - 1];
        image[i - 1] = image[j];
        image[j] = held;
    }
}
