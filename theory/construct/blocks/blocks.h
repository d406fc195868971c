/* L.10: any automaton with few Householder factors for each letter and no gates
 * (theory/pages/blocks.md).
 *
 * Layers of a clock count tokens modulo 2B. Every level of a cascade of permutations and resets has
 * two layers: a ring, which holds the level's letters of the last two blocks of B tokens, and a
 * layer that applies the product of the block before in B portions of at most n_h factors. Look-ups
 * behind it give the level's coordinate before the present letter, which together with the level's
 * letter tells the letter of the next level. */
#ifndef F2L_BLOCKS_H
#define F2L_BLOCKS_H

#include "automata/cascade/cascade.h"
#include "models/network/net/wired.h"
#include "numeric/base/task.h"

typedef struct f2l_blocks_report {
    size_t levels;                /* of the cascade */
    size_t clock_layers;          /* the network has clock_layers + 2 levels layers */
    size_t block;                 /* B */
    size_t factors;               /* the most that the product of a block needs; at most n_h B */
    size_t width;                 /* points of the widest level */
    size_t acts, elements, codes; /* the most of a level: ways in which its letters act, products
                                     of at most a block, states of the applying head */
} f2l_blocks_report;

/* Builds the network for labels of states of kind `label` into *out (initialised; replaced). The
 * cascade must have its tables and a level, and householders >= 1. fsa_sha256 is left empty: the
 * caller sets it. F2L_UNKNOWN when tables or products exceed 2^25 numbers or the task's limits stop
 * the work. */
f2l_status f2l_blocks_build(f2l_net *out, f2l_blocks_report *report, const f2l_cascade *cascade,
                            f2l_label label, size_t householders, const f2l_task *task,
                            f2l_error *err);

#endif
