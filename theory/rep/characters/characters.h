/* The complex character table of an enumerated group, modulo a prime (R1.1 - R1.5 of
 * theory/pages/rep.md).
 *
 * Method: Dixon, "High speed computation of group characters", Numer. Math. 10 (1967), with
 * Schneider's way to compute few entries of few class matrices (J. Symbolic Comput. 9, 1990).
 * Linear characters come from the abelianisation, so abelian groups need no linear algebra.
 *
 * Values are residues: fix the ring homomorphism Z[zeta_e] -> Z/p that sends zeta_e = exp(2 pi i /
 * e) to `root`; value[] holds the images of the character values. An integer of absolute value
 * below p/2 (degrees, indicators, multiplicities of eigenvalues) is determined by its residue; a
 * character value is not, and f2l_characters_eigenvalues computes it. */
#ifndef F2L_CHARACTERS_H
#define F2L_CHARACTERS_H

#include "automata/group/classes.h"
#include "automata/group/group.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_characters {
    size_t characters, classes, exponent; /* characters == classes; exponent of the group */
    uint64_t prime, root; /* prime = 1 mod exponent, prime > 2 sqrt(order), prime < 2^32; root has
                             order `exponent` */
    uint64_t *value;      /* [characters][classes] residues, 0 .. prime-1 */
    size_t *degree;       /* [characters], increasing; character 0 is the trivial one */
    int8_t *indicator;    /* [characters] Frobenius-Schur: 1 real, 0 complex, -1 quaternionic */
    uint32_t *conjugate;  /* [characters] number of the complex conjugate character */
} f2l_characters;

void f2l_characters_init(f2l_characters *t);
void f2l_characters_clear(f2l_characters *t);

/* Computes all irreducible characters of the group with the given classes. Returns F2L_UNKNOWN when
 * the table would have more than 2^26 entries, no suitable prime is below 2^32, or the task says
 * stop. On failure *out is cleared. */
f2l_status f2l_characters_build(f2l_characters *out, const f2l_group *group,
                                const f2l_classes *classes, const f2l_task *task, f2l_error *err);

/* Sets multiplicity[j], j = 0 .. exponent-1, to the multiplicity of the eigenvalue exp(2 pi i j /
 * exponent) of an element of the class in a representation with this character; the multiplicities
 * add up to the degree, and the exact character value is sum_j multiplicity[j] zeta_e^j. */
f2l_status f2l_characters_eigenvalues(size_t *multiplicity, const f2l_characters *t,
                                      const f2l_classes *classes, size_t character,
                                      size_t class_number, f2l_error *err);

/* Sets *re + i *im to the value of a character, as doubles; multiplicity[exponent] is scratch. */
f2l_status f2l_characters_number(double *re, double *im, size_t *multiplicity,
                                 const f2l_characters *t, const f2l_classes *classes,
                                 size_t character, size_t class_number, f2l_error *err);

/* Returns the multiplicity of the eigenvalue 1 alone: the dimension of the space fixed by an
 * element of the class. */
size_t f2l_characters_fixed(const f2l_characters *t, const f2l_classes *classes, size_t character,
                            size_t class_number);

#endif
