/* How a state is stored: what becomes of its numbers between the end of one letter and the begin of
 * the next one (after each N-th letter with `letters=N`; models/network/schedule/schedule.h).
 *
 * Let F be the state's format, f(x) the number x rounded into F (to nearest even, or as `draw` says
 * with `stochastic`), Q the largest number of F, or `most`, and g rounding into fp32 to nearest
 * even. A number x becomes
 *
 *     scale=none      f(x), in the way of overflow that F has.
 *     scale=amax      a = max |x| over the block, e = g(Q / a), c = g(1 / e): g(f(g(x e)) c).
 *     scale=amax:G    with h rounding into G to nearest even, c = h(g(a / Q)), e = g(1 / c), in the
 *                     same way; NaN where c is not finite. G = fp32: h changes nothing, but c is
 *                     rounded once and e twice, which is not amax. G = ue8m0: h is the least power
 *                     of two that is at least g(a / Q), from 2^-127 on, and NaN above 2^127.
 *     scale=pow2      the same with e = 2^k and c = 2^-k for the largest k <= 126 with a 2^k <= Q,
 *                     but k >= -126.
 *     scale=mx        the same for the k, within the same bounds, that takes the leading bit of a
 *                     to the leading bit of the largest number of F.
 *     scale=static:X  c = X, e = g(1 / c).
 *
 *     second=head      with the largest number G of that format h and the largest number A of the
 *                      head's state, t = g(g(Q G) / A), at most the largest number of fp32 (1 for
 *                      zeros), c = g(h(g(a g(t g(1 / Q)))) g(1 / t)), where h saturates, and
 *                      e = g(1 / c), at most the largest number of fp32: nvfp4 with G = e4m3, F =
 *                      e2m1 and block=group:16.
 *
 * quotient=two has e = g(Q / a) and c = h(g(a / Q)), quotient=divide c = h(g(a / Q)) and g(x / c)
 * in the place of g(x e); without G h changes nothing. With a scale, f saturates, at -Q - 1 below
 * with clamp=full where F is an integer, and not with clamp=none; a block of zeros stays, as does
 * one where e is infinite or c is 0, which becomes zeros; a block with an infinity or NaN becomes
 * NaN, and so does a number for which g(x e) or g(x / c) is infinite, whatever the clamp. The block
 * is a row, which is the n numbers S_ij of one value coordinate j, `block_size` numbers of it, or
 * `block_size` rows, the whole head, or all heads of a layer.
 *
 * Drawn numbers (theory/pages/engines.md, EN.1, EN.2). Let x be between the neighbours N and M of
 * F, N nearer to zero; let s be the discarded bits of x in fp32: |x| = |N| + D u, |M| = |N| + 2^s u
 * for the last place u of x.
 *
 *     draw=any        N or M.
 *     draw=top:B      M if D + r 2^(s - B) >= 2^s for the B random bits r; else N.
 *     draw=bottom:B   M if D + r >= 2^s; else N.
 *     draw=floor:B    floor(g(x + r 2^-B)), clamped; a number of F may change, too.
 *
 * Each number has bits of its own; with pair=reversed the numbers S_ij and S_(i+1)j, i even, have
 * the same ones, the second number with the last bit first: groups are then even, so that no pair
 * is in two. A last row i, i even, is alone.
 *
 *     residual=load        with y what x became above, and h rounding into the residual's format to
 *                          nearest even, x becomes g(y + h(g(x - y))).
 *     residual=feedback    with r the head's residuals, zeros at first, x' = g(x + r) is stored in
 *                          the place of x, and r becomes h(g(x' - y)). They belong to the state.
 *
 * With a residual's scale the numbers h(..) of a block are scaled as numbers of a state are by
 * amax, with quotient=inverse, or by pow2, with the largest number of the residual's format.
 *
 * Where rounding draws, the numbers of a block draw in their order in S, one row block after the
 * other. Initial states are stored in the same way, to nearest even and without residuals. */
#ifndef F2L_STORE_H
#define F2L_STORE_H

#include "models/network/schedule/schedule.h"

/* Returns the format of this name, or NULL: one of f2l_formats but fp64; e2m1; or int4, int8,
 * int16, the integers of at most that many bits, sign included, without the least one. The last
 * four saturate. */
const f2l_format *f2l_store_format(const char *name);
/* Returns whether it is one of the integers. */
bool f2l_store_is_integer(const char *name);
/* The scale format that is no f2l_format: powers of two. */
extern const char f2l_store_ue8m0[];

typedef struct f2l_store {
    const f2l_schedule_store *how;
    f2l_format format, residual, scale;
    bool integer; /* the format is one */
} f2l_store;

/* Makes the store of a schedule for `format`, which is borrowed with its choices. */
void f2l_store_init(f2l_store *out, const f2l_schedule *schedule, const f2l_format *format);

/* Returns the numbers that a state of `size` numbers needs beside itself: residuals. */
size_t f2l_store_memory(const f2l_schedule_store *how, size_t size);

/* Stores the state [n][d], in place: a head, or with F2L_BLOCK_TENSOR all heads of a layer in any
 * shape. `residual`, [n][d], is used where f2l_store_memory is not 0. */
void f2l_store_state(const f2l_store *store, double *state, double *residual, size_t n, size_t d);

/* Returns whether the store may draw: by `stochastic`, or with a format that does. */
static inline bool f2l_store_draws(const f2l_store *store)
{
    return store->how->stochastic || store->format.rounding == F2L_ROUND_STOCHASTIC;
}

/* Returns whether every store of the state, the first one to nearest and the later ones with every
 * outcome, leaves it as it is: residuals are then 0. A number's outcome depends on its block's
 * scale and on its own bits, so that the lower and the higher outcome of all numbers say all.
 * scratch: [n][d]. */
bool f2l_store_keeps(const f2l_store *store, const double *state, double *scratch, size_t n,
                     size_t d);

/* Stores an initial state. */
void f2l_store_start(const f2l_store *store, double *state, size_t n, size_t d);

/* Numbers that a store may draw (models/network/schedule/store_draw.c): x becomes low if the random
 * bits r < 2^bits are less than `least`, else high. */
typedef struct f2l_drawn {
    double low, high;
    uint32_t least;
    unsigned bits;
} f2l_drawn;

/* Returns what a number of fp32 may become; to_zero and away round into the format. */
f2l_drawn f2l_draw_number(const f2l_store *store, double x);
/* Returns the largest number of the store's format on that side that is not cut off. */
double f2l_store_bound(const f2l_store *store, bool negative);
/* Return whether the second of two numbers that share their bits, both drawn from `bits`, may
 * become low, or high, where the first one became high or not. */
bool f2l_pair_may_be_low(const f2l_drawn *first, bool first_high, const f2l_drawn *second);
bool f2l_pair_may_be_high(const f2l_drawn *first, bool first_high, const f2l_drawn *second);

#endif
