/* Fewest factors when every key is an exactly dyadic unit vector (R1.11 - R1.14 of
 * theory/pages/rep.md).
 *
 * The minimum of theory/rep/householders/householders.h allows any real keys, also u with u/|u|
 * irrational. Rounding-free recurrences in binary formats need unit keys with coordinates m/2^s.
 * What is proved is a range:
 *  - `lower`: the transitions are then rational, so that representations come in whole rational
 *    pieces; and a product of two such reflections has order 1, 2 or 3 (or none).
 *  - `upper`: attained by the heads listed, which permute m points and change signs. With doubled
 *    coordinates (R3.3) (w_i - w_j)/2 and (w_i + w_j)/2 are dyadic unit keys, and a signed
 *    permutation with an even number of changes is a product of rank(P - I) such reflections. Where
 *    the number can be odd, one further point carries the product of the signs, so that it is even
 * in all; a single point needs no doubling: its key is (1). */
#ifndef F2L_DYADIC_H
#define F2L_DYADIC_H

#include "automata/group/group.h"
#include "theory/rep/householders/householders.h"

typedef struct f2l_dyadic_head {
    size_t points;  /* including the point for the product of the signs, if any */
    int32_t *image; /* [generators of the group][points] point p goes to point |v| - 1 and is
                       negated where v < 0 */
} f2l_dyadic_head;

typedef struct f2l_dyadic {
    size_t lower, upper; /* bounds on the factors for the letters of f2l_householders_build */
    size_t heads;
    f2l_dyadic_head *head; /* jointly faithful heads; no letter takes more than `upper` factors in
                              any of them */
    bool complete;         /* the search for heads did not stop at its work limit */
} f2l_dyadic;

void f2l_dyadic_init(f2l_dyadic *d);
void f2l_dyadic_clear(f2l_dyadic *d);

/* Computes the bounds. `work`: most products of elements that the search for heads computes (0:
 * 2*10^7); it ends as soon as upper == lower. Returns F2L_UNKNOWN only when the task says stop. */
f2l_status f2l_dyadic_build(f2l_dyadic *out, const f2l_group *group, const f2l_classes *classes,
                            const f2l_characters *t, const f2l_householders *h, size_t work,
                            const f2l_task *task, f2l_error *err);

/* Returns the factors that a head takes for a signed permutation of its points: for a single point
 * 1 where it is negated, otherwise rank(P - I). */
size_t f2l_dyadic_factors(const int32_t *image, size_t points);

#endif
