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

/* Builds the cascade (wreath) product: `a` reads the word, and with every letter x `b` reads the
 * letter named (p,x), where p is the state of `a` before x; where `b` has no such letter it reads
 * x, and where it has not that one either it stays where it is. It has the letters of `a` and
 * all x that letters of `b` name. States are named (p,q) and trimmed; `b` gives acceptance and
 * outputs. F2L_EDOMAIN: a letter of `b` looks like a pair and names no state of `a`, or can be
 * read in two ways. */
f2l_status f2l_family_cascade(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err);

/* Appends `mark` to the name of every letter. F2L_EDOMAIN, and *fsa is as before: a name is one of
 * `taken` then. */
f2l_status f2l_family_mark_letters(f2l_fsa *fsa, const char *mark, const f2l_names *taken,
                                   f2l_error *err);

/* Builds the word problem of the direct product of groups S, A (on 1..9 points), Z, D (1..1000)
 * and Q8, named like "S3" and "Z4". Its permutations act on the points of the factors side by side.
 * The letters are all elements, at most 2,000, or with `generators` the generators of each factor,
 * at most 1,000,000 elements, followed by the number of the factor: a1, b1, a2. Errors: F2L_EDOMAIN
 * for fewer than two groups, an unknown group, or too many elements. */
f2l_status f2l_family_direct(f2l_fsa *out, const char *const *name, size_t groups, bool generators,
                             f2l_error *err);

#endif
