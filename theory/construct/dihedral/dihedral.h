/* Cyclic and dihedral groups in two layers with one reflection per token (T5 = [U], Theorem 6, and
 * D2 = [D]; proofs in theory/pages/dihedral.md).
 *
 * The first layer is one sign, the parity p of the number of rotations among the tokens so far. The
 * second layer holds F^p g h, where g is the group element of the word, h a vector of the plane
 * that no reflection of the group fixes, and F one of these reflections; then every token acts as a
 * single reflection of the group. The field is K = Q(2 cos(2 pi / m)), with the form [[2, 2 cos],
 * [2 cos, 2]] of two neighbouring vectors of an m-gon. m = 1, 2, 3 have exactly dyadic unit keys, m
 * = 4, 6 rational vectors. */
#ifndef F2L_DIHEDRAL_H
#define F2L_DIHEDRAL_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"
#include "numeric/base/task.h"

typedef struct f2l_dihedral_report {
    /* true: D2, the group D_m of order 2 m (m >= 2); false: T5, the group Z_m */
    bool dihedral;
    size_t m;
    size_t degree;      /* degree of K */
    size_t reflections; /* number of different reflections that occur */
    size_t codes;       /* of the second layer: 2 m */
    bool dyadic; /* unit keys, initial states and codes are dyadic: always for m <= 3; for m = 4 it
                    depends on the letters */
} f2l_dihedral_report;

/* Finds out whether the letters of a permutation automaton generate Z_m, or D_m of order 2 m
 * (*dihedral); *m is 0 when they generate neither, or when the automaton has too many states. */
f2l_status f2l_dihedral_find(size_t *m, bool *dihedral, const f2l_fsa *fsa, const f2l_task *task,
                             f2l_error *err);

/* Builds the network for labels of kind `label` into *out (initialised; replaced). The letters of
 * `fsa` must permute the states that the start reaches (after minimising when the labels are
 * outputs or accept). Labels are numbered by the first reached state that has them. fsa_sha256 is
 * left empty: the caller sets it.
 *
 * Returns F2L_EDOMAIN if a letter merges states (the text names them), there are no labels of the
 * kind asked for, or the transition group is neither cyclic nor dihedral; F2L_UNKNOWN if K has a
 * degree above F2L_FIELD_MAX_DEGREE (m with more than 128 units, so every m up to 130 has a
 * network), there are too many states, or the task says stop. */
f2l_status f2l_dihedral_build(f2l_net *out, f2l_dihedral_report *report, const f2l_fsa *fsa,
                              f2l_label label, const f2l_task *task, f2l_error *err);

#endif
