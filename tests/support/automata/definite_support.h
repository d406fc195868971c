/* Definite automata: k by pairs of states, and the networks compiled from them. */
#ifndef DEFINITE_SUPPORT_H
#define DEFINITE_SUPPORT_H

#include "automata/fsa/definite.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/compile/compile.h"
#include "theory/construct/register/register.h"
#include <stdio.h>

/* Makes the automaton with states 0 .. n-1, start 0, letters 0 .. k-1 and the given table. */
void make(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next, const uint8_t *accept);

void make_trimmed(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next,
                  const uint8_t *accept);

/* Returns 1 plus the length of the longest path from {p, q} in the graph of pairs, SIZE_MAX when a
 * path closes. depth[] has 0 where this is unknown yet and 1 for a pair on the path. */
size_t depth_of_pair(const f2l_fsa *fsa, size_t *depth, size_t p, size_t q);

size_t k_of_pairs(const f2l_fsa *fsa);

size_t find(const f2l_fsa *fsa);

bool permutes_or_resets(const f2l_fsa *fsa);

typedef struct compiled {
    f2l_compile_options options;
    f2l_compile_result result;
    f2l_error err;
} compiled;

void compiled_init(compiled *c, f2l_label label);

void definite_compile(compiled *c, const f2l_fsa *fsa);

/* Checks that the certificate is by the joint closure and that the network has one layer. */
void check_certificate(compiled *c, const f2l_fsa *fsa);

/* Returns the report of a network by K; NULL for other networks. */
const f2l_register_report *registers_of(const f2l_compile_result *r);

/* Checks which of the three reasons the result names, and that its network agrees. */
void check_reason(const f2l_compile_result *r, size_t k, bool permutation, bool permutation_reset);

#endif
