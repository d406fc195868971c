/* Fewest Householder factors of a group (R1 of theory/pages/rep.md).
 *
 * Given a group and the subset of its elements that are letters: over all one-layer constructions
 * with any number of heads whose transition matrices are orthogonal and generate the group itself,
 * the least possible maximum, over heads and letters, of factors per letter is
 *
 *  minimum = least k such that the real irreducible representations rho with rank(rho(w) - I) <= k
 *  for every letter w have no common kernel but the identity.
 *
 * Larger groups that map onto this one may need fewer: theory/rep/cover/cover.h. Keys that are
 * exact in binary: theory/rep/dyadic/dyadic.h. */
#ifndef F2L_HOUSEHOLDERS_H
#define F2L_HOUSEHOLDERS_H

#include "automata/group/classes.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "theory/rep/characters/characters.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A real irrep: chi, chi + conjugate, or 2 chi for Frobenius-Schur indicator 1, 0, -1. */
typedef struct f2l_real_irrep {
    uint32_t character; /* number of chi; of two conjugate characters the first */
    size_t dimension;   /* real dimension: the degree, or twice the degree */
    size_t most;        /* largest rank(rho(w) - I) of a letter w: most reflections of a letter
                         */
} f2l_real_irrep;

/* The minimal normal subgroups: a representation is faithful when none is in its kernel (R1.8). The
 * targets of one part are all subgroups of order `prime` of a central elementary abelian group; a
 * part with prime 0 has a single target. */
typedef struct f2l_socle {
    size_t targets, parts;
    uint32_t *target; /* [targets] a class that generates the subgroup as a normal subgroup */
    uint32_t *part;   /* [targets] */
    uint32_t *prime;  /* [parts] */
} f2l_socle;

typedef struct f2l_householders {
    size_t irreps, classes;
    f2l_real_irrep *irrep; /* [irreps] in the order of their characters */
    uint32_t *rank;        /* [irreps][classes] rank(rho(g) - I); 0: the class is in the kernel */
    uint8_t *letter;       /* [classes] 1 where a letter lies */
    f2l_socle socle;
    size_t minimum; /* the least number of factors n_h; 0 for the trivial group */
    /* The class that proves the lower bound: all irreps with most < minimum are trivial on it, and
     * it is not the identity's class. 0 for the trivial group. */
    uint32_t hidden;
    size_t heads, dimension; /* a jointly faithful set with most <= minimum; its total dimension
                              */
    uint32_t *head;          /* [heads] irreps */
    bool least; /* proved: no such set has a smaller sum, or as large a sum and fewer heads
                 */
} f2l_householders;

void f2l_householders_init(f2l_householders *h);
void f2l_householders_clear(f2l_householders *h);

/* Computes the minimum. `letter`: numbers of elements that together generate the group (not
 * checked: classes do not determine this); NULL: all elements are letters. `nodes`: most partial
 * choices in the search for the least dimension (0: about 10^9 elementary steps). Returns
 * F2L_UNKNOWN when the task says stop or the tables would exceed its memory. */
f2l_status f2l_householders_build(f2l_householders *out, const f2l_classes *classes,
                                  const f2l_characters *t, const uint32_t *letter, size_t letters,
                                  size_t nodes, const f2l_task *task, f2l_error *err);

/* Returns rank(rho(g) - I) for g in a class. */
static inline size_t f2l_householders_rank(const f2l_householders *h, size_t irrep,
                                           size_t class_number)
{
    return h->rank[irrep * h->classes + class_number];
}

#endif
