/* Groups with classes, characters and fewest factors, made from cycles, for tests. */
#ifndef TESTS_REP_SUPPORT_H
#define TESTS_REP_SUPPORT_H

#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/names.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/random_permutation.h"
#include "theory/rep/cover/cover.h"
#include "theory/rep/dyadic/dyadic.h"
#include "theory/rep/householders/householders.h"
#include "theory/rep/householders/householders_certificate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rep {
    f2l_group group;
    f2l_classes classes;
    f2l_characters characters;
    f2l_error err;
} rep;

void rep_clear(rep *r);

f2l_status rep_build(rep *r, const uint32_t *image, size_t generators, size_t degree);

/* Reads generators separated by `;`; "" has none. */
f2l_status rep_read(rep *r, size_t degree, const char *cycles);

/* Returns the element with these cycles, and its class. */
uint32_t rep_element(const rep *r, const char *cycles);

uint32_t rep_class(const rep *r, const char *cycles);

/* Returns the generators as elements; to be freed. */
uint32_t *rep_letters(const rep *r);

f2l_status rep_householders(f2l_householders *h, rep *r, bool all);

/* Makes the automaton whose states are the group's elements; its letters have names of every
 * spelling: a1, "b 2", "\u001f\\3", a4, .. */
f2l_status rep_automaton(f2l_fsa *fsa, rep *r);

f2l_status rep_certificate(f2l_buf *text, rep *r, const f2l_householders *h, bool all);

/* Returns the small integer whose residue the table has for the character at class c. */
long rep_integer(const rep *r, size_t character, size_t c);

/* Checks all axioms that the table must satisfy, without the code that made it, in classes * order
 * products. Returns NULL or the name of the axiom that fails. */
const char *rep_table_fault(const rep *r);

#endif
