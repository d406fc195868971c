/* The order of a sum by halves, for arithmetics that go through its terms one after the other.
 *
 * With T(r, h) the sum of p_i over i = r mod h, halving a vector of N = 2^b numbers computes
 * T(r, h) = T(r, 2h) + T(r + h, 2h) up to T(0, 1), and adding a zero changes nothing. Sorted by the
 * b bits of their indices read backwards, the coordinates of every T(r, h) are consecutive; so a
 * stack computes the sums. */
#ifndef F2L_HALVES_H
#define F2L_HALVES_H

#include <stddef.h>
#include <stdint.h>

/* Sets order[count] to the places in index[count] of the terms in their order, and sums[count] to
 * the number of sums of two that are complete after each term. The indices differ and are below n.
 * scratch: [count]. */
void f2l_halves_order(uint32_t *order, unsigned char *sums, const uint32_t *index, size_t count,
                      size_t n, uint64_t *scratch);

#endif
