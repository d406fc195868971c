/* The order of a sum of products, one for each coordinate that is not 0, as a plan for a stack of
 * sums: products come in the plan's order, and after each of them the sums that are then complete
 * are done. Coordinates that are left out have the product 0, which changes no sum.
 *
 *     left       one after the other
 *     halves     p_i <- p_i + p_{i+h}, i < h, for h = N/2, N/4 .. 1, N the least power of two that
 *                is at least the dimension
 *     butterfly  the same for neighbours first: p_i <- p_i + p_{i+h}, i a multiple of 2h, for h =
 * 1, 2 .. N/2 lanes:W    lane l has the coordinates l, l + W, l + 2W ..; the sums of the lanes by
 * halves blocks:M   lane l has the coordinates lM .. lM + M - 1; the sums of the lanes by halves
 *
 * In a lane, the coordinate at place t is in chain t mod C of C chains; a chain is summed from left
 * to right, and then the chains of the lane are, in their order. */
#ifndef F2L_SUM_PLAN_H
#define F2L_SUM_PLAN_H

#include "models/network/schedule/schedule.h"

/* A plan's byte for a product: the number of sums that are complete after it, and whether the first
 * of these is the sum with its chain. */
#define F2L_SUM_JOINS 0x80u
#define F2L_SUM_COUNT 0x7fu

/* Sets order[count] to the places of `index` in the order of the products, and sums[count] to the
 * plan's bytes. index[count] increases, below n; scratch has `count` numbers. */
void f2l_sum_plan(uint32_t *order, unsigned char *sums, const uint32_t *index, size_t count,
                  size_t n, const f2l_schedule_order *how, uint64_t *scratch);

#endif
