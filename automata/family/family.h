/* The named automata of `fsa2lrnn new KIND ...`. */
#ifndef F2L_FAMILY_H
#define F2L_FAMILY_H

#include "automata/fsa/fsa.h"

typedef struct f2l_family {
    const char *name;      /* "symmetric" */
    const char *arguments; /* "N [--generators]" */
    const char *summary;   /* one line for --help */
    size_t min_numbers, max_numbers;
} f2l_family;

/* The table of kinds, NULL-name terminated; --help, man page and completion are made from it. */
extern const f2l_family f2l_families[];

/* Builds the automaton `kind` with numeric arguments into *out (initialised empty). `generators`: a
 * few generating letters instead of all elements (for groups). Errors: F2L_EDOMAIN for an unknown
 * kind (the text lists them), wrong argument count, or a value out of range (the text gives the
 * range). */
f2l_status f2l_family_build(f2l_fsa *out, const char *kind, const uint64_t *number, size_t numbers,
                            bool generators, f2l_error *err);

/* Builds the direct product over the union of the alphabets: both automata read the same word; a
 * letter unknown to one automaton leaves its state unchanged. States are named (p,q) and trimmed; a
 * state accepts when both accept (has_accept is set when both automata have it). */
f2l_status f2l_family_product(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err);

#endif
