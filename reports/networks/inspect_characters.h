/* Which irreducible representations the learned action of a group contains, by its characters.
 *
 * The traces of models/learn/inspect/inspect_relations.h, averaged over each conjugacy class, are a
 * class function t; an exact action has the multiplicity (1/|G|) sum_g t(g) chi(g^-1) of each
 * irreducible character chi, a natural number. (A(g) multiplies words in the opposite order; as
 * traces are real, that exchanges chi and its conjugate, which have equal multiplicities.) For a
 * learned action the same sum is a real number. The learned action is near a representation when
 * the sums are near natural numbers and the traces within each class near each other. */
#ifndef F2L_INSPECT_CHARACTERS_H
#define F2L_INSPECT_CHARACTERS_H

#include "models/learn/inspect/inspect_relations.h"
#include "theory/rep/characters/characters.h"

typedef struct f2l_inspect_characters {
    char why_none[512]; /* why there is no table; empty: there is one */
    f2l_classes classes;
    f2l_characters table;
    double *re, *im; /* [characters][classes] real and imaginary parts of the values */
    size_t heads;
    double *trace;     /* [heads][classes] mean trace over the class */
    double *deviation; /* [heads][classes] largest distance of a trace of the class from the mean */
    double *multiplicity; /* [heads][characters] multiplicity of the character */
} f2l_inspect_characters;

void f2l_inspect_characters_init(f2l_inspect_characters *out);
void f2l_inspect_characters_clear(f2l_inspect_characters *out);

/* Computes the characters of a learned action. *out is initialised empty, and cleared on failure.
 * Where there are no relations, or a limit of f2l_classes_build or f2l_characters_build ends the
 * search, the status is F2L_OK and why_none is set. F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_inspect_characters_build(f2l_inspect_characters *out,
                                        const f2l_inspect_relations *relations,
                                        const f2l_task *task, f2l_error *err);

#endif
