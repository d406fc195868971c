/* Lists of networks of one automaton, for the tests of what is chosen and of what is left open. */
#ifndef PARETO_SUPPORT_H
#define PARETO_SUPPORT_H

#include "tests/support/theory/compile_support.h"

#define FIGURES 6
#define COMPARED (FIGURES + 2)

/* Few rows are enough for lists. */
void open_listed(fixture *f, const char *kind, uint64_t number);

void list(fixture *f);

unsigned formats_of(const f2l_compile_entry *e);

size_t bf16_level(const f2l_compile_entry *e);

/* Not asked for, and with gates or other keys: such networks come after all others. */
bool comes_late(const f2l_compile_entry *e);

/* The documented order: negative when a comes first. */
int order(const f2l_compile_entry *a, const f2l_compile_entry *b);

/* The figures, which an entry that a limit stopped does not undercut, are within the bounds. */
bool figures_within(const f2l_compile_entry *e, const f2l_compile_bounds *b);

/* The best entry of a list that keeps the bounds, which name one format at most; NULL: none. *open:
 * a limit left open whether one more does. */
const f2l_compile_entry *best_within(const f2l_compile_result *listed, const f2l_compile_bounds *b,
                                     bool *open);

#endif
