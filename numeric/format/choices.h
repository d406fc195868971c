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
    size_t at, count; /* bits taken so far in this run; of this run when it is over */
    bool overflow;    /* a run wanted more than F2L_MAX_CHOICES_TAKEN: nothing can be concluded */
    unsigned char bit[F2L_MAX_CHOICES_TAKEN];
} f2l_choices;

/* All bits 0. */
void f2l_choices_restart(f2l_choices *c);
/* The next bit of this run; 0 when there are too many. */
bool f2l_choices_take(f2l_choices *c);
/* After a run: prepares the next one; false when all have been seen, or after an overflow. */
bool f2l_choices_next(f2l_choices *c);

#endif
