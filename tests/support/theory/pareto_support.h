/* Lists of networks of one automaton, for the tests of the choice among them and of the open
 * questions. */
#ifndef PARETO_SUPPORT_H
#define PARETO_SUPPORT_H

#include "tests/support/theory/compile_support.h"

#define FIGURES 6
#define COMPARED (FIGURES + 2)

/* Opens the automaton with few rows allowed, which is enough for lists. */
void open_listed(fixture *f, const char *kind, uint64_t number);

void list(fixture *f);

unsigned formats_of(const f2l_compile_entry *e);

size_t bf16_level(const f2l_compile_entry *e);

/* Returns whether a network was not asked for and has gates or other keys: such networks come after
 * all others. */
bool comes_late(const f2l_compile_entry *e);

/* Returns a negative number when a comes first in the documented order. */
int order(const f2l_compile_entry *a, const f2l_compile_entry *b);

/* Returns whether the figures are within the bounds; an entry that a limit stopped has at least
 * these figures. */
bool figures_within(const f2l_compile_entry *e, const f2l_compile_bounds *b);

/* Returns the best entry of a list that keeps the bounds, which name one format at most, or NULL.
 * Sets *open when a limit left open whether another entry keeps them. */
const f2l_compile_entry *best_within(const f2l_compile_result *listed, const f2l_compile_bounds *b,
                                     bool *open);

#endif
