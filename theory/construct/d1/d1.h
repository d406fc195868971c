/* D1: permutation automata with few Householder factors per token, in a few more layers ([D],
 * Theorem 3; theory/pages/d1.md).
 *
 * Tokens are cut into blocks of B. While a block is read into one half of a ring, the other half
 * holds the block before; the product of that block is applied to the points of a permutation
 * representation in B portions of at most n_h transpositions each. Look-ups correct for the
 * portions that are not applied yet. The layers are C clock layers, which count tokens modulo 2 B,
 * the ring, and the layer that applies. C is 1 if n_h >= 2 and B = n_h (n_h + 1) / 2 suffices, and
 * 2 if n_h = 1 and B = 6 suffices; one layer more serves 937 points. All keys and states are
 * dyadic. */
#ifndef F2L_D1_H
#define F2L_D1_H

#include "automata/gset/gset.h"
#include "models/network/net/wired.h"
#include "numeric/base/task.h"

typedef struct f2l_d1_report {
    size_t layers, clock_layers;
    size_t block;          /* B */
    size_t points;         /* of the representation */
    size_t transpositions; /* the most that a product of B letters needs; at most n_h B */
    size_t householders; /* the most factors of a head, including the heads of the clock and of the
                            ring */
    size_t elements;     /* products of at most B letters, which the ring's circuit holds */
    size_t products;     /* products of exactly B letters, and the empty one */
    /* portions that occur; products still to come */
    size_t factors, rests;
    size_t pairs;   /* states of the applying head at the end of a block */
    size_t codes;   /* states of the applying head at any time */
    bool crowded;   /* F2L_UNKNOWN: the products of a block are too many; f2l_d1_build_points may do
                     */
    bool by_points; /* f2l_d1_build_points made the network */
    double joint;   /* upper bound on the joint states (D1.9) */
    char representation[160]; /* f2l_gset.origin */
    char keys[160];           /* key systems used, by orbit */
} f2l_d1_report;

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` must be a
 * permutation automaton on the states its start reaches (after minimising when the labels are
 * outputs or accept); only these states are numbered. `set` is a result of f2l_gset_smallest for
 * `fsa`; householders: n_h >= 1. Labels are numbered by the first state that has them. fsa_sha256
 * is left empty: the caller sets it. Returns F2L_EDOMAIN if a letter merges states (the text names
 * them), there are no labels of the kind asked for, or n_h = 0; F2L_UNKNOWN if tables, products or
 * states have more than 2^25 numbers, no clock exists for blocks of the needed length, or the
 * task's limits stop the work. */
f2l_status f2l_d1_build(f2l_net *out, f2l_d1_report *report, const f2l_fsa *fsa, f2l_label label,
                        const f2l_gset *set, size_t householders, const f2l_task *task,
                        f2l_error *err);

/* Does the same with circuits that hold the product of a block point by point (D1.12), which need
 * no list of products. F2L_UNKNOWN also when the last head has too many states. Of the report the
 * fields elements, products, factors, rests, pairs and joint stay 0. */
f2l_status f2l_d1_build_points(f2l_net *out, f2l_d1_report *report, const f2l_fsa *fsa,
                               f2l_label label, const f2l_gset *set, size_t householders,
                               const f2l_task *task, f2l_error *err);

#endif
