/* How a state is stored: what becomes of its numbers between the end of one letter and the begin of
 * the next one (after each N-th letter with `letters=N`; models/network/schedule/schedule.h).
 *
 * Let F be the state's format, f(x) the number x rounded into F (to nearest even, or to either
 * neighbour with `stochastic`), Q the largest number of F, and g rounding into fp32 to nearest
 * even. A number x becomes
 *
 *     scale=none    f(x), in the way of overflow that F has.
 *     scale=amax    a = max |x| over the block, e = g(Q / a), c = g(1 / e): g(f(g(x e)) c).
 *     scale=amax:G  with h rounding into G to nearest even, c = h(g(a / Q)), e = g(1 / c), in the
 *                   same way; NaN where c is not finite.
 *     scale=pow2    the same with e = 2^k and c = 2^-k for the largest k <= 126 with a 2^k <= Q,
 *                   but k >= -126.
 *
 * With a scale, f saturates; a block of zeros stays, as does one where e is infinite, which becomes
 * zeros; a block with an infinity or NaN becomes NaN. The block is a row, which is the n numbers
 * S_ij of one value coordinate j, or the whole head.
 *
 *     residual=load        with y what x became above, and h rounding into the residual's format to
 *                          nearest even, x becomes g(y + h(g(x - y))).
 *     residual=feedback    with r the head's residuals, zeros at first, x' = g(x + r) is stored in
 *                          the place of x, and r becomes h(g(x' - y)). They belong to the state.
 *
 * Where rounding draws, the numbers of a block draw in their order in S, one row block after the
 * other. Initial states are stored in the same way, to nearest even and without residuals. */
#ifndef F2L_STORE_H
#define F2L_STORE_H

#include "models/network/schedule/schedule.h"

/* Returns the format of this name, or NULL: one of f2l_formats but fp64, or int4, int8, int16, the
 * integers of at most that many bits, sign included, without the least one; these saturate. */
const f2l_format *f2l_store_format(const char *name);
/* Returns whether it is one of the integers. */
bool f2l_store_is_integer(const char *name);

typedef struct f2l_store {
    const f2l_schedule_store *how;
    f2l_format format, residual, scale;
} f2l_store;

/* Makes the store of a schedule for `format`, which is borrowed with its choices. */
void f2l_store_init(f2l_store *out, const f2l_schedule *schedule, const f2l_format *format);

/* Returns the numbers that a state of `size` numbers needs beside itself: residuals. */
size_t f2l_store_memory(const f2l_schedule_store *how, size_t size);

/* Stores the state [n][d], in place. `residual`, [n][d], is used with F2L_RESIDUAL_FEEDBACK only.
 */
void f2l_store_state(const f2l_store *store, double *state, double *residual, size_t n, size_t d);

/* Stores a state without residuals in one rounding of the state's format. A store that draws, and
 * that leaves a state as it is to nearest, up and down, always leaves it as it is. */
void f2l_store_rounding(const f2l_store *store, f2l_rounding rounding, double *state, size_t n,
                        size_t d);

/* Roundings in which a state must be left as it is to be so in every store: the first of them, or
 * all for a store that draws. */
static const f2l_rounding f2l_store_roundings[] = {F2L_ROUND_NEAREST_EVEN, F2L_ROUND_UP,
                                                   F2L_ROUND_DOWN};
static inline size_t f2l_store_roundings_count(const f2l_store *store)
{
    return store->how->stochastic ? 3 : 1;
}

/* Stores an initial state. */
void f2l_store_start(const f2l_store *store, double *state, size_t n, size_t d);

#endif
