/* What the searches for a shortest word share; private to this folder. */
#ifndef F2L_AUTOMATA_ALGEBRA_IMPL_H
#define F2L_AUTOMATA_ALGEBRA_IMPL_H

#include "automata/algebra/algebra.h"

/* How a place of a breadth-first search, which begins at place 0, was first reached. */
typedef struct f2l_step {
    size_t before;
    uint32_t letter;
} f2l_step;

/* Sets the word of *out to the one that leads to place `at`, followed by a letter unless it is
 * F2L_NO_INDEX. */
f2l_status f2l_difference_take(f2l_difference *out, const f2l_step *step, size_t at, size_t letter,
                               f2l_error *err);

#endif
