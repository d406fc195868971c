/* Definite automata in one layer: a shift register of the last k letters (theory/pages/definite.md,
 * K).
 *
 * Slot i holds the i-th letter from the end, as the number of its class, in two equal rows; a
 * letter exchanges neighbouring slots from the oldest on and then writes itself into slot 1: k + 1
 * factors with dyadic unit keys. For k = 1 it only writes: one row, one factor. */
#ifndef F2L_REGISTER_H
#define F2L_REGISTER_H

#include "automata/fsa/definite.h"
#include "models/network/net/net.h"

typedef struct f2l_register_report {
    size_t k;              /* slots */
    size_t letter_classes; /* classes of letters that act equally on all states */
    bool empty; /* slots are empty at first; otherwise they hold a word that leads to the start */
} f2l_register_report;

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` must be
 * trimmed (and minimised when the labels are outputs or accept), and `definite` is the result of
 * f2l_definite_find for it. Returns F2L_EDOMAIN when `fsa` is not definite, F2L_UNKNOWN when the
 * register has more than 1,000,000 contents or they have more than 8,000,000 numbers: the contents
 * are all words of k letter classes, and also the shorter words when slots are empty at first.
 * Labels are the labels of the codes by first appearance. fsa_sha256 of the network is left empty:
 * the caller sets it. */
f2l_status f2l_register_build(f2l_net *out, f2l_register_report *report, const f2l_fsa *fsa,
                              f2l_label label, const f2l_definite *definite, const f2l_task *task,
                              f2l_error *err);

#endif
