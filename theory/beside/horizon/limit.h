/* The map of a period and the limit of its powers, head by head; private to this folder. */
#ifndef F2L_LEARNED_LIMIT_H
#define F2L_LEARNED_LIMIT_H

#include "theory/beside/horizon/impl.h"
#include "theory/beside/horizon/learned_settle.h"

enum { F2L_LIMIT_POWERS = 32 }; /* T < 2^32 */

/* A head after the period u: A_u P_u = map, x, and what the checker's numbers may be off by. */
typedef struct f2l_limit_head {
    double *map, *onto, *fixed; /* [key][key] A_u P_u and P_u, [key][value] x */
    double *power;              /* [F2L_LIMIT_POWERS][key][key] map^(2^i); filled on demand */
    double map_off, onto_off, fixed_off, power_off[F2L_LIMIT_POWERS], power_size[F2L_LIMIT_POWERS];
    double *query, *shift; /* [key] (I - P_u) q, [value] x^T q: what the answer reads of S_z */
    bool full, sized;      /* P_u = I; power_off and power_size are set */
} f2l_limit_head;

/* All heads; `fits`: keys are independent or span the space, and the fixed points are found. */
typedef struct f2l_limit {
    const f2l_learned_net *net;
    f2l_settle_word period;
    bool fits, full;
    size_t powers;        /* that are filled */
    f2l_limit_head *head; /* [heads] */
    double *memory;
} f2l_limit;

/* Writes an orthonormal basis of the span of the keys of the period's letters in one head; returns
 * their number: key_dim where there are at least as many keys. Sets *least to the least part of a
 * key that the others do not span. */
size_t f2l_limit_basis(double *q, double *least, const f2l_learned_net *net,
                       const f2l_settle_word *period, size_t head);
/* Returns whether `count` keys span the space or are not nearly dependent. */
bool f2l_limit_spans(size_t count, size_t key, double least);
/* Returns how many times |(I - A_u P_u)^-1| may be `inverse` for the fixed point to be found. */
double f2l_limit_room(const f2l_learned_net *net, const f2l_settle_word *period, size_t head,
                      size_t count, double least, double inverse);
/* Computes to <- m^-1, m [n][n]; overwrites m. */
void f2l_limit_invert(double *to, double *m, size_t n);
/* Computes to [n][columns] <- a b, another array, for a [n][n]. */
void f2l_limit_multiply(double *to, const double *a, const double *b, size_t n, size_t columns);

/* Allocates *out for the network, which must stay. */
f2l_status f2l_limit_init(f2l_limit *out, const f2l_learned_net *net, f2l_error *err);
void f2l_limit_clear(f2l_limit *x);
/* Sets the limit of another period. */
void f2l_limit_set(f2l_limit *x, const f2l_settle_word *period);
/* Returns about how much a period shortens the distance from the limit in the end: the largest
 * spectral radius of the heads' maps. */
double f2l_limit_rate(f2l_limit *x);
/* Computes o [heads][value] at the limit, after the last letter of u, of a word with the states S_z
 * [heads][key][value]. */
void f2l_limit_read(double *o, const f2l_limit *x, const double *state);
/* Computes the states at the limit, of one head or of all. */
void f2l_limit_state(double *to, const f2l_limit *x, const double *state, size_t head);
void f2l_limit_states(double *to, const f2l_limit *x, const double *state);
/* Computes o after z u^t w, with the radii of AL.5 for all t >= after; off [heads]: what S_z is off
 * by. */
void f2l_limit_ball(double *o, double *radius, f2l_limit *x, const double *state, const double *off,
                    size_t after, const f2l_settle_word *suffix);

#endif
