/* What a letter does to a head over Q without a form, as an affine map, and what it makes of boxes
 * (R8.8 of theory/pages/decay.md). */
#ifndef F2L_AFFINE_H
#define F2L_AFFINE_H

#include "models/network/exact/run_exact.h"

/* S <- A S + B for a state S of n rows and d columns. */
typedef struct f2l_affine {
    size_t n, d;
    f2l_qvec a; /* index = column * n + row */
    f2l_qvec b; /* index = row * d + column */
} f2l_affine;

/* Sets *out (zeroed or cleared before) to the map of a letter of a head of the run's network, by
 * n + 1 steps. */
f2l_status f2l_affine_find(f2l_affine *out, f2l_exact *run, size_t layer, size_t head,
                           size_t letter, f2l_error *err);
void f2l_affine_clear(f2l_affine *map); /* a zeroed map is allowed */

/* Sets low and high to the ends of the least box around the image of the box with the given ends;
 * all of them are dense, [n * d]. */
void f2l_affine_image(mpq_t *low, mpq_t *high, const f2l_affine *map, mpq_t *from_low,
                      mpq_t *from_high);
/* Does the same with vectors: sets low and high (initialised, replaced). */
f2l_status f2l_affine_enclose(f2l_qvec *low, f2l_qvec *high, const f2l_affine *map,
                              const f2l_qvec *from_low, const f2l_qvec *from_high, f2l_error *err);

#endif
