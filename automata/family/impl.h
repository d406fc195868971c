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

/* A permutation group by generators, which have names. */
typedef struct f2l_family_group {
    size_t points, generators;
    uint32_t *image; /* [generators][points] */
    f2l_names names;
} f2l_family_group;

/* Makes a group whose generators are all the identity and have no names yet. It and the makers
 * below leave *g to be cleared after a failure, too. */
f2l_status f2l_family_group_init(f2l_family_group *g, size_t points, size_t generators,
                                 f2l_error *err);
void f2l_family_group_clear(f2l_family_group *g);

/* Builds the word problem of the group, with its generators or all its elements as letters. */
f2l_status f2l_family_group_automaton(f2l_fsa *out, const f2l_family_group *g, bool generators,
                                      f2l_error *err);

/* A maker of the group that belongs to the number: its order, points or corners. */
typedef f2l_status f2l_family_group_maker(f2l_family_group *g, size_t n, f2l_error *err);
f2l_family_group_maker f2l_family_cyclic_group, f2l_family_symmetric_group,
    f2l_family_alternating_group, f2l_family_dihedral_group, f2l_family_quaternion_group;

/* automata/family/family_groups.c */
f2l_family_builder f2l_family_cyclic, f2l_family_symmetric, f2l_family_alternating,
    f2l_family_dihedral, f2l_family_quaternion, f2l_family_swaps;

/* automata/family/family_languages.c */
f2l_family_builder f2l_family_parity, f2l_family_definite, f2l_family_dyck, f2l_family_tomita,
    f2l_family_even_pairs, f2l_family_repeat_01, f2l_family_first, f2l_family_shuffle_dyck,
    f2l_family_flipflop_language;

/* Operators of arithmetic modulo m, in the order of their letters. */
enum { F2L_FAMILY_PLUS, F2L_FAMILY_MINUS, F2L_FAMILY_TIMES, F2L_FAMILY_OPERATORS };

/* Returns a op b modulo m; a, b < m. */
static inline size_t f2l_family_modulo(size_t m, size_t a, size_t op, size_t b)
{
    return op == F2L_FAMILY_PLUS    ? (a + b) % m
           : op == F2L_FAMILY_MINUS ? (a + m - b) % m
                                    : a * b % m;
}

/* automata/family/family_equations.c */
f2l_family_builder f2l_family_cycle_language, f2l_family_modarith_language;

/* automata/family/family_modarith.c */
f2l_family_builder f2l_family_modarith, f2l_family_modarith_prec;

/* automata/family/family_machines.c */
f2l_family_builder f2l_family_flipflop, f2l_family_counter, f2l_family_elevator, f2l_family_random,
    f2l_family_transformations, f2l_family_cycle_navigation, f2l_family_order_preserving;

#endif
