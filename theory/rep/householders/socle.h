/* Minimal normal subgroups, found from the kernels of the irreducible representations. */
#ifndef F2L_SOCLE_IMPL_H
#define F2L_SOCLE_IMPL_H

#include "theory/rep/householders/householders.h"

/* Builds the socle from h->rank. Returns F2L_UNKNOWN when the task says stop. */
f2l_status f2l_socle_build(f2l_socle *out, const f2l_householders *h, const f2l_classes *classes,
                           const f2l_task *task, f2l_error *err);
void f2l_socle_clear(f2l_socle *s);

/* Sets leader[c] to the first class that generates, up to conjugation, the same cyclic subgroups as
 * class c; ranks and kernels of both are the same (R1.6). */
void f2l_rational_leaders(uint32_t *leader, const f2l_classes *classes);

#endif
