/* Definite automata in one layer: a shift register of the last k letters (theory/pages/definite.md,
 * K).
 *
 * Slot i holds the i-th letter from the end, as the number of its class, in two equal rows; a
 * letter exchanges neighbouring slots from the oldest on and then writes itself into slot 1: k + 1
 * factors with dyadic unit keys. For k = 1 it only writes: one row, one factor. */
#ifndef F2L_REGISTER_H
#define F2L_REGISTER_H

#include "automata/fsa/definite.h"
#include "models/net/net.h"

typedef struct f2l_register_report {
    size_t k;              /* slots */
    size_t letter_classes; /* of letters that act equally on all states */
    bool empty; /* slots are empty at first; else they hold a word that leads to the start */
} f2l_register_report;

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` is trimmed
 * (and minimised when the labels are outputs or accept) and `definite` is what f2l_definite_find
 * said of it; F2L_EDOMAIN when it is not definite, F2L_UNKNOWN when the register's contents are
 * more than 1,000,000 or have more than 8,000,000 numbers: they are all words of k letter classes,
 * and the shorter ones when slots are empty at first. Labels are those of the codes by first
 * appearance. fsa_sha256 of the network is left empty: the caller sets it. */
f2l_status f2l_register_build(f2l_net *out, f2l_register_report *report, const f2l_fsa *fsa,
                              f2l_label label, const f2l_definite *definite, const f2l_task *task,
                              f2l_error *err);

#endif
