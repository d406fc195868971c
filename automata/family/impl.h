/* The builders behind f2l_family_build, one file per kind of automaton. Their arguments have been
 * checked. */
#ifndef F2L_AUTOMATA_FAMILY_IMPL_H
#define F2L_AUTOMATA_FAMILY_IMPL_H

#include "automata/family/family.h"

/* Adds the names of `count` letters or states. */
f2l_status f2l_family_names(f2l_names *names, const char *const *text, size_t count,
                            f2l_error *err);

/* Adds the names "0", .., or "1", .. up to `last`. */
f2l_status f2l_family_numbers(f2l_names *names, size_t first, size_t last, f2l_error *err);

/* Allocates next and accept (zeroed), once letters and states are named. */
f2l_status f2l_family_tables(f2l_fsa *fsa, f2l_error *err);

/* Sets the transition of the state under the letter. */
void f2l_family_edge(f2l_fsa *fsa, size_t state, size_t letter, size_t target);

/* A builder; `n` holds the numeric arguments. */
typedef f2l_status f2l_family_builder(f2l_fsa *out, const uint64_t *n, bool generators,
                                      f2l_error *err);

/* automata/family/family_groups.c */
f2l_family_builder f2l_family_cyclic, f2l_family_symmetric, f2l_family_alternating,
    f2l_family_dihedral, f2l_family_quaternion, f2l_family_swaps;

/* automata/family/family_languages.c */
f2l_family_builder f2l_family_parity, f2l_family_definite, f2l_family_dyck, f2l_family_tomita,
    f2l_family_even_pairs, f2l_family_shuffle_dyck, f2l_family_flipflop_language;

/* automata/family/family_modarith.c */
f2l_family_builder f2l_family_modarith, f2l_family_modarith_prec;

/* automata/family/family_machines.c */
f2l_family_builder f2l_family_flipflop, f2l_family_counter, f2l_family_elevator, f2l_family_random,
    f2l_family_transformations, f2l_family_cycle_navigation;

#endif
