/* Small permutation groups for the tests of listed groups: reading, random generators, listing by
 * hand. */
#ifndef F2L_TEST_GROUP_SUPPORT_H
#define F2L_TEST_GROUP_SUPPORT_H

#include "automata/fsa/perm.h"
#include "automata/group/group.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/random_permutation.h"
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads cycles separated by ; into image[at most `most`][degree]; returns the number of
 * permutations. */
size_t read_generators(uint32_t *image, size_t most, size_t degree, const char *text);

void read_group(f2l_group *g, size_t degree, const char *text);

/* Draws permutations; on average every second one is the square of the one before, so that small
 * groups occur. */
void random_generators(uint32_t *image, size_t count, size_t n, f2l_rng *rng);

/* A growing list of distinct permutations, hashed. */
typedef struct perm_list {
    uint32_t *image, *next, *bucket; /* bucket and next: position plus 1 */
    size_t degree, count, limit;
} perm_list;

/* Adds x unless the list has it; returns false when the list is full. */
bool perm_list_add(perm_list *list, const uint32_t *x);

/* Lists the group into image[limit][n] by multiplying until nothing is new; returns the order, 0
 * when it is above `limit`. */
size_t close_list(uint32_t *image, size_t limit, const uint32_t *generator, size_t generators,
                  size_t n);

#endif
