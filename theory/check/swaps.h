/* claim swaps, of lrnn-check-swaps. */
#ifndef CHECK_SWAPS_H
#define CHECK_SWAPS_H

#include "theory/check/claim.h"

/* Checks the lines of claim swaps, which read_rows has read. */
void check_swaps(problem *x, text *t);

#endif
