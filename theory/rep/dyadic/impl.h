/* The parts of the dyadic bounds; private to this folder. */
#ifndef F2L_THEORY_REP_DYADIC_IMPL_H
#define F2L_THEORY_REP_DYADIC_IMPL_H

#include "theory/rep/characters/members.h"
#include "theory/rep/dyadic/dyadic.h"

/* A subgroup H and a multiplicative sign for each of its members: the representation induced from
 * the sign permutes and negates the cosets of H. */
typedef struct f2l_signed_subgroup {
    size_t factors, points; /* factors and points of its head */
    size_t generators;
    uint32_t generator[F2L_MEMBERS_GENERATORS]; /* generators of H */
    uint64_t negative;                          /* bit s: generator s has sign -1 */
} f2l_signed_subgroup;

/* Sets least[t] to the cheapest subgroup found under which target t of h->socle is not trivial.
 * Ends when all of them take at most `enough` factors. */
f2l_status f2l_dyadic_search(f2l_signed_subgroup *least, bool *complete, const f2l_group *group,
                             const f2l_classes *classes, const f2l_householders *h, size_t enough,
                             size_t work, const f2l_task *task, f2l_error *err);

/* Builds the head of the action on cosets (R1.13). */
f2l_status f2l_dyadic_head_build(f2l_dyadic_head *out, const f2l_group *group,
                                 const f2l_signed_subgroup *from, f2l_error *err);

/* Computes the lower bound (R1.12). */
f2l_status f2l_dyadic_lower(size_t *lower, const f2l_classes *classes, const f2l_characters *t,
                            const f2l_householders *h, f2l_error *err);

/* Computes how often each generator occurs, modulo 2, in one word for each member: bits of
 * parity[position]. A choice of signs for the generators (bit s of `negative`: s has -1) is
 * multiplicative when it is orthogonal to the differences between any two words for one member;
 * sign[0 .. signs-1] is a basis of these choices. */
void f2l_members_parities(uint64_t *parity, uint64_t sign[F2L_MEMBERS_GENERATORS], size_t *signs,
                          const f2l_members *h);

/* Returns -1 or 1. */
static inline int f2l_sign_of(uint64_t parity, uint64_t negative)
{
    uint64_t x = parity & negative;
    for (int shift = 32; shift > 0; shift /= 2) x ^= x >> shift;
    return x & 1 ? -1 : 1;
}

#endif
