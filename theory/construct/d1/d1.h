/* D1: permutation automata with few Householder factors a token, in a few more layers ([D], Theorem
 * 3; theory/pages/d1.md).
 *
 * Tokens are cut into blocks of B. While a block is read into one half of a ring, the product of
 * the block before, which the other half holds, is applied to the points of a permutation
 * representation in B portions of at most n_h transpositions each; what is not applied yet is
 * corrected by look-ups. Layers: C clock layers, which count tokens modulo 2 B, the ring, and the
 * one that applies. C is 1 for n_h >= 2 while B = 3 will do, and 2 for n_h = 1 while B = 6 will do;
 * each further clock layer doubles B. All keys and states are dyadic. */
#ifndef F2L_D1_H
#define F2L_D1_H

#include "automata/gset/gset.h"
#include "models/wired/wired.h"
#include "numeric/base/task.h"

typedef struct f2l_d1_report {
    size_t layers, clock_layers;
    size_t block;          /* B */
    size_t points;         /* of the representation */
    size_t transpositions; /* most that a product of B letters needs; at most n_h B */
    size_t householders;   /* most factors of a head: those of the clock and the ring count, too */
    size_t elements;       /* products of letters that the ring's circuit knows: those of at most B
                              letters */
    size_t products;       /* of exactly B letters, and the empty one */
    size_t factors, rests; /* portions that occur, and products of those still to come */
    size_t pairs;          /* what the applying head can hold at the end of a block.. */
    size_t codes;          /* .. and at any time */
    double joint;          /* joint states are at most so many (D1.9) */
    char representation[160]; /* f2l_gset.origin */
    char keys[160];           /* key systems used, by orbit */
} f2l_d1_report;

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` is a
 * permutation automaton on the states its start reaches (after minimising when the labels are
 * outputs or accept); states are numbered without those that it does not reach. `set` is one of
 * f2l_gset_smallest for `fsa`; householders: n_h >= 1. Labels are numbered by the first state that
 * has them. fsa_sha256 is left empty: the caller sets it. F2L_EDOMAIN: a letter merges states (the
 * text names them), no labels of the kind asked for, or n_h = 0; F2L_UNKNOWN: tables, products or
 * states of more than 2^25 numbers, no clock for so long blocks, or the task says stop or its
 * memory does not suffice. */
f2l_status f2l_d1_build(f2l_wired *out, f2l_d1_report *report, const f2l_fsa *fsa, f2l_label label,
                        const f2l_gset *set, size_t householders, const f2l_task *task,
                        f2l_error *err);

#endif
