/* The choices of stochastic rounding in one computation, so that all its outcomes can be walked
 * through: every rounding of a number between two values takes a bit, 0 for the neighbour nearer to
 * zero and 1 for the other (which may be what overflow gives). The computation is run again and
 * again, each time with the next sequence of bits, until there is none; its course may depend on
 * the bits it took so far, and on nothing else:
 *
 *     f2l_choices_restart(c);
 *     do { compute } while (f2l_choices_next(c));
 *
 * Not to be shared by threads. */
#ifndef F2L_CHOICES_H
#define F2L_CHOICES_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stdint.h>

#define F2L_MAX_CHOICES_TAKEN 4096

typedef struct f2l_choices {
    size_t at, count; /* at: bits taken so far in this run; count: all bits of this run once it is
                         over */
    bool overflow; /* true when a run took more than F2L_MAX_CHOICES_TAKEN bits: then nothing can be
                      concluded */
    unsigned char bit[F2L_MAX_CHOICES_TAKEN];
} f2l_choices;

/* Sets all bits to 0 and starts the first run. */
void f2l_choices_restart(f2l_choices *c);
/* Returns the next bit of this run; 0 when the run took too many bits. */
bool f2l_choices_take(f2l_choices *c);
/* Prepares the next run after a run; returns false when there is no further sequence of bits, or
 * after an overflow. */
bool f2l_choices_next(f2l_choices *c);

#endif
