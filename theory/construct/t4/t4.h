/* T4: any automaton, by a cascade of permutations and resets, one or two layers per level
 * (theory/pages/t4.md).
 *
 * The letters of a level's first layer are the contexts (a, X, Y) of the level, and its last
 * layer's decoder gives the context of the next level, which depends on the old coordinate as well
 * as on the new one. After a permutation or an idle context the old coordinate can be computed; a
 * reset loses it. So a level that must hand an old coordinate past a reset keeps it, in one of two
 * ways. The published proof lacks this step (it hands on the new coordinates only). The top level
 * need not keep the old coordinate, and neither need a level whose resets come from stages that do
 * not read it.
 *
 * Register: beside its coordinate the layer holds a saved one; the reset first exchanges the two,
 * then writes. It takes about 2m factors where there are permutations, and no gate can be 0, as
 * gate 0 erases both.
 *
 * Delay: two layers. The first holds the coordinate and a side: a second head of one number, 1 or
 * -1, that a reset which loses the old coordinate reflects. Its letters for the second layer
 * contain the context, the new coordinate and the side. The second layer has two slots; the slot of
 * the side receives the new coordinate by one write. So a reset that loses the old coordinate
 * leaves it in the other slot. An idle context erases the slots.
 *
 * Contexts that leave a level's stages reset it where a losing reset does (T4.15): what it would
 * hold there is never read.
 *
 * Several heads: where congruences of what the contexts do together separate the coordinates, the
 * coordinate is a tuple of classes, and the layer may have a head for each class (T4.13). */
#ifndef F2L_T4_H
#define F2L_T4_H

#include "automata/cascade/cascade.h"
#include "models/network/net/net.h"
#include "numeric/base/task.h"

/* The ways to hold a level of m coordinates. n: key dimension, d: value dimension. */
typedef enum f2l_t4_form {
    F2L_T4_SCALAR,          /* m = 2: +1 and -1; n = d = 1 */
    F2L_T4_WRITE,           /* nothing is permuted: one row, one-hot; n = 1, d = m */
    F2L_T4_ROOTS,           /* m <= 9: weights of a dyadic root system; d = 1 */
    F2L_T4_DOUBLED,         /* every coordinate twice; n = 2m, d = 1 */
    F2L_T4_REGISTER_SCALAR, /* m = 2, current and saved coordinate, each twice; n = 4, d = 1 */
    F2L_T4_REGISTER_WRITE,  /* nothing is permuted: both as one-hot rows; n = 4, d = m */
    F2L_T4_REGISTER_FULL    /* both as columns; n = 4m, d = 1 */
} f2l_t4_form;

/* Returns "scalar", "write", "roots", "doubled", "register scalar", "register write" or "register
 * full". */
const char *f2l_t4_form_name(f2l_t4_form form);

/* The most heads that hold the coordinate of a level. */
#define F2L_T4_HEADS 16

/* How a head holds its points, which are coordinates or classes of them. */
typedef struct f2l_t4_held {
    f2l_t4_form form;
    size_t points, n, d;
} f2l_t4_held;

typedef struct f2l_t4_level {
    /* Heads of the first layer that hold the coordinate: one, or one for each of several
     * congruences (T4.13); 0: the level has no form. */
    size_t heads;
    f2l_t4_held form[F2L_T4_HEADS]; /* [heads] */
    bool saves;                     /* has a register */
    bool delays;                    /* has a delay: two layers instead of one */
    bool cells;                     /* held in cells, one layer or several before the delay's layer
                                       (theory/construct/diagonal/diagonal.h); no form then */
    bool joined;                    /* several levels in one, held by f2l_t4_last; no form then */
    bool decays; /* keeps the old coordinate as a second digit (theory/construct/decay/decay.h); no
                    form then */
    size_t width, contexts;
    size_t codes;        /* of the first layer */
    size_t householders; /* the most factors of a letter on one head */
    size_t factors;      /* factors per token: the most of a letter over all heads, summed over the
                            level's layers */
    /* Factors per token of the register and of the delay; 0 where the old coordinate is not needed,
     * and when gated is false: then the level has a register. */
    size_t register_factors, delay_factors;
} f2l_t4_level;

typedef struct f2l_t4_report {
    size_t levels;    /* of the cascade */
    size_t registers; /* levels with a register */
    size_t delays;    /* levels with a delay */
    size_t splits;    /* levels whose coordinate is on several heads (T4.13) */
    size_t contexts;  /* contexts of all levels */
    bool gated;
    f2l_t4_level *level; /* [levels] */
    size_t *layers;      /* [levels] number of layers of the network for a level */
} f2l_t4_report;

/* Frees the levels; all fields become zero. A report that is all zero needs no clearing. */
void f2l_t4_report_clear(f2l_t4_report *report);

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` is the
 * automaton that the cascade was built on: trimmed, and minimised when the labels are outputs,
 * accept or edges. Every layer has a part decoder: part 1 of a level's first layer is the current
 * coordinate; part 2 is the saved one (register), or coordinate and side (delay). The codes of a
 * layer are the local states that its letters reach from the initial one, in any order. `gated`:
 * resets on levels without a register set the gate to 0 and write the non-zero coordinates, and a
 * level that must keep the old coordinate uses register or delay, whichever has fewer factors per
 * token (the register when they are equal). An automaton of one state becomes one layer that does
 * nothing; with labels `edges` it is F2L_EDOMAIN. Labels are the labels of reached states by first
 * appearance. fsa_sha256 of the network is left empty: the caller sets it. *report (all zero at
 * first) is to be cleared by the caller on success. */
f2l_status f2l_t4_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                        const f2l_fsa *fsa, f2l_label label, bool gated, const f2l_task *task,
                        f2l_error *err);

/* How the last level of a joined cascade is held. */
typedef struct f2l_t4_last {
    /* Builds the layer for the contexts of the last level, whose codes have the place of the state
     * as their only part; not its decoder. */
    f2l_status (*build)(f2l_layer *layer, const void *context, f2l_error *err);
    const void *context;
} f2l_t4_last;

/* Builds the network of a joined cascade: as f2l_t4_build, but the last level is `last`'s. Labels
 * `edges` are refused. */
f2l_status f2l_t4_build_joined(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                               const f2l_t4_last *last, const f2l_fsa *fsa, f2l_label label,
                               bool gated, const f2l_task *task, f2l_error *err);

/* Figures of the network that f2l_t4_build makes of a cascade. */
typedef struct f2l_t4_figures {
    size_t layers, householders, key_dim;
} f2l_t4_figures;

/* Sets *out without building the network. Returns F2L_EDOMAIN when a level is too large for a
 * network. */
f2l_status f2l_t4_measure_plan(f2l_t4_figures *out, const f2l_cascade *cascade, bool gated,
                               const f2l_task *task, f2l_error *err);

#endif
