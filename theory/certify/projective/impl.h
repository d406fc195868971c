/* Between the files of this folder. */
#ifndef F2L_THEORY_CERTIFY_PROJECTIVE_IMPL_H
#define F2L_THEORY_CERTIFY_PROJECTIVE_IMPL_H

#include "theory/certify/projective/projective.h"

/* The largest number of a scaled state lies in 2^(F2L_PROJECTIVE_TOP - 1) .. 2^F2L_PROJECTIVE_TOP,
 * and all numbers of a step in multiples of 2^-F2L_PROJECTIVE_ROOM below 2^F2L_PROJECTIVE_ROOM: so
 * no quotient of a scale, of at most 2^16, leaves the exponents of fp32. */
#define F2L_PROJECTIVE_TOP 40
#define F2L_PROJECTIVE_ROOM 84

typedef struct f2l_scaled_run {
    const f2l_net *model;
    const f2l_float_net *net;
    f2l_float_span span;
    size_t size; /* numbers of the layer */
} f2l_scaled_run;

/* Sets a scaled state to the initial one; at: a f2l_scaled_run. */
void f2l_scaled_start(const void *at, double *joint);
/* Steps a scaled state in place, and sets *gain to the power of two that it was divided by then.
 * F2L_UNKNOWN where numbers are too far apart for EN.10. */
f2l_status f2l_scaled_step(const f2l_scaled_run *run, double *state, size_t letter, uint32_t *label,
                           int *gain, f2l_error *err);

/* Returns the place in p->word of letter i of the word that goes around the cycle. */
size_t f2l_projective_place(const f2l_projective *p, size_t i);

/* Finds whether sizes stay bounded, from the table of the closure, and a word if they do not. */
f2l_status f2l_projective_gains(f2l_projective *out, const f2l_scaled_run *run,
                                const f2l_closure *table, const f2l_task *task, f2l_error *err);

#endif
