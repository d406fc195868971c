/* T4: any automaton, by a cascade of permutations and resets, one layer per level (theory/t4.md).
 *
 * The letters of layer l are the contexts (a, X, Y) of level l, and its decoder gives the context of level
 * l+1, which depends on the old coordinate of level l as well as on the new one. A permutation and an idle
 * context give the old coordinate back; a reset loses it. So a level that must hand an old coordinate past a
 * reset keeps a register beside its coordinate: the reset first exchanges the two, then writes. This is what
 * the published proof lacks (it hands on the new coordinates only). The top level needs no register, nor does
 * a level whose resets come from stages that do not read it. */
#ifndef F2L_T4_H
#define F2L_T4_H

#include "f2l_cascade.h"
#include "f2l_net.h"
#include "f2l_task.h"

/* How a level of m coordinates is held. n: key dimension, d: value dimension. */
typedef enum f2l_t4_form {
    F2L_T4_SCALAR,          /* m = 2: +1 and -1; n = d = 1 */
    F2L_T4_WRITE,           /* nothing is permuted: one row, one-hot; n = 1, d = m */
    F2L_T4_ROOTS,           /* m <= 9: weights of a dyadic root system; d = 1 */
    F2L_T4_DOUBLED,         /* every coordinate twice; n = 2m, d = 1 */
    F2L_T4_REGISTER_SCALAR, /* m = 2, current and saved coordinate, each twice; n = 4, d = 1 */
    F2L_T4_REGISTER_WRITE,  /* nothing is permuted: the same as one-hot rows; n = 4, d = m */
    F2L_T4_REGISTER_FULL    /* the same as columns; n = 4m, d = 1 */
} f2l_t4_form;

/* "scalar", "write", "roots", "doubled", "register scalar", "register write", "register full". */
const char *f2l_t4_form_name(f2l_t4_form form);

typedef struct f2l_t4_level {
    f2l_t4_form form;
    bool saves; /* has a register */
    size_t width, contexts, codes, n, d;
    size_t householders; /* most factors of a context */
} f2l_t4_level;

typedef struct f2l_t4_report {
    size_t levels;    /* of the cascade */
    size_t registers; /* levels with a register */
    size_t contexts;  /* of all levels */
    bool gated;
    f2l_t4_level *level; /* [levels] */
} f2l_t4_report;

/* Frees the levels; all fields become zero. A report that is all zero needs no clearing. */
void f2l_t4_report_clear(f2l_t4_report *report);

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` is the automaton
 * that the cascade was built on: trimmed, and minimised when the labels are outputs or accept. Every layer
 * has a part decoder: part 1 is the current coordinate, part 2 on levels with a register the saved one. The
 * codes of a layer are the local states that its letters reach from the initial one, in whatever order they
 * come. `gated`: resets on levels without a register set the gate to 0 and write what is not zero. An
 * automaton of one state becomes one layer that does nothing. Labels are those of reached states by first
 * appearance. fsa_sha256 of the network is left empty: the caller sets it. *report (all zero at first) is to
 * be cleared by the caller on success. */
f2l_status f2l_t4_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade, const f2l_fsa *fsa,
                        f2l_label label, bool gated, const f2l_task *task, f2l_error *err);

#endif
