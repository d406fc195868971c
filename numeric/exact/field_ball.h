/* Enclosures of numbers of a field by Arb. */
#ifndef F2L_FIELD_BALL_H
#define F2L_FIELD_BALL_H

#include "numeric/exact/arb_headers.h"
#include "numeric/exact/field.h"

/* Sets out to a ball that contains a, with a radius of about 2^-bits times the size of the
 * coefficients of a; exact zero for a = 0. */
void f2l_field_enclose(arb_t out, const f2l_number *a, size_t bits, const f2l_field *k);

#endif
