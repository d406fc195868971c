/* Tables of natural numbers that count words exactly: every number has the same number of limbs of
 * GMP, so that a table is one block of memory. Uniform numbers below a count choose words. */
#ifndef F2L_COUNTS_H
#define F2L_COUNTS_H

#include "numeric/base/rng.h"
#include "numeric/base/task.h"
#include <gmp.h>
#include <stdbool.h>

typedef struct f2l_counts {
    size_t columns, limbs;
    mp_limb_t *limb; /* [rows][columns][limbs]; owned */
} f2l_counts;

/* Makes room for rows x columns numbers below `most`^exponent, times a factor below 2^64, all 0.
 * F2L_UNKNOWN: the task's memory is less. */
f2l_status f2l_counts_init(f2l_counts *out, size_t rows, size_t columns, size_t most,
                           size_t exponent, const f2l_task *task, f2l_error *err);
void f2l_counts_clear(f2l_counts *counts);

/* Returns the number at a place of the table. */
static inline mp_limb_t *f2l_counts_at(const f2l_counts *c, size_t row, size_t column)
{
    return c->limb + (row * c->columns + column) * c->limbs;
}

/* Returns whether the number is at least `least`. */
bool f2l_counts_reach(const f2l_counts *c, const mp_limb_t *number, uint64_t least);

/* Adds a number to another one. */
static inline void f2l_counts_add(const f2l_counts *c, mp_limb_t *to, const mp_limb_t *number)
{
    (void)mpn_add_n(to, to, number, (mp_size_t)c->limbs);
}

/* Subtracts a number from another one that is not less. */
static inline void f2l_counts_subtract(const f2l_counts *c, mp_limb_t *from,
                                       const mp_limb_t *number)
{
    (void)mpn_sub_n(from, from, number, (mp_size_t)c->limbs);
}

/* Sets out[limbs] to a uniform number below a number that is not 0. */
void f2l_counts_below(const f2l_counts *c, mp_limb_t *out, const mp_limb_t *number, f2l_rng *rng);

/* Returns whether `rest` is below the number; otherwise the number is subtracted from it. So a rest
 * that was uniform below a sum of numbers chooses one of them by its part of the sum, and what is
 * left is uniform below that number. */
bool f2l_counts_choose(const f2l_counts *c, mp_limb_t *rest, const mp_limb_t *number);

#endif
