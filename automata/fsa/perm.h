/* Permutations of {0, .., n-1} as image arrays; right action: point p goes to image[p]. Files
 * number points from 1. */
#ifndef F2L_PERM_H
#define F2L_PERM_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* Returns true when image[n] is a permutation. */
bool f2l_perm_is_permutation(const uint32_t *image, size_t n);
/* Returns the number of cycles, including fixed points; n - cycles is the least number of
 * transpositions whose product is the permutation (and rank(P - I)). */
size_t f2l_perm_cycles(const uint32_t *image, size_t n);
/* Returns the number of points that are moved. */
size_t f2l_perm_displaced(const uint32_t *image, size_t n);

/* Sets power[p], p = 0 .. n, to the largest power of p that divides the order of the permutation
 * where p is a prime, else to 1; seen[n] is scratch. */
void f2l_perm_prime_powers(uint32_t *power, uint8_t *seen, const uint32_t *image, size_t n);

/* Appends cycle notation, 1-based: "()" for the identity, else every cycle of length > 1 from its
 * least point, cycles in the order of their least points: "(1 2 3)(4 5)". */
void f2l_perm_write(f2l_buf *out, const uint32_t *image, size_t n);

/* Parses one or more adjacent cycles "(1 2 3)(4 5)" or "()" (blanks or commas between points) into
 * image[n], starting from the identity. F2L_EFORMAT at `line`, `column` + offset: points out
 * of 1..n, a point twice, junk. */
f2l_status f2l_perm_read(uint32_t *image, size_t n, const char *text, size_t size, size_t line,
                         size_t column, f2l_error *err);

#endif
