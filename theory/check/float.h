/* claim float, claim refuted (float.c). */
#ifndef CHECK_FLOAT_H
#define CHECK_FLOAT_H

#include "theory/check/claim.h"

void read_float_terms(problem *x, text *t);
void read_float_rows(problem *x, text *t);
void check_float_rows(problem *x, text *t);
void read_refuted(problem *x, text *t);
void check_refuted(problem *x, text *t);

#endif
