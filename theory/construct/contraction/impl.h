/* Private to theory/construct/contraction. */
#ifndef F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H
#define F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H

#include "theory/construct/contraction/head.h"
#include "theory/obstruct/separation/elimination.h"

/* Makes the space of a form on the vectors e_i - e_last: its quotient by the form's kernel. Returns
 * the watch's status after a stop. */
f2l_status f2l_code_space_init(f2l_code_space *out, const f2l_maps *maps, const fmpq_mat_t form,
                               f2l_watch *watch, f2l_error *err);
void f2l_code_space_clear(f2l_code_space *space);

/* Sets step, centre and shift of a letter of partial maps (R4.7). Step, centre and shift are 0 at
 * first. What it sets has no meaning after a stop of the watch. */
void f2l_code_space_extend(f2l_code_space *space, const f2l_maps *maps, size_t letter,
                           f2l_watch *watch);

/* Returns whether all entries are 0. */
static inline bool f2l_contraction_is_zero(const fmpq *x, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!fmpq_is_zero(x + i)) return false;
    return true;
}

/* Finds factors whose product is the letter's step on the space, and 0 on extra coordinates that
 * it uses (R4.4), then two reflections along its shift, if it has one. May add extra coordinates.
 * Returns the watch's status after a stop. */
f2l_status f2l_contraction_factorise(f2l_contraction_factors *out, f2l_code_space *space,
                                     size_t letter, f2l_watch *watch, f2l_error *err);
void f2l_contraction_factors_clear(f2l_contraction_factors *factors);

#endif
