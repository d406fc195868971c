/* The parts of f2l_snap_build; private to this folder. */
#ifndef F2L_THEORY_SNAP_IMPL_H
#define F2L_THEORY_SNAP_IMPL_H

#include "models/seq/seq_letters.h"
#include "theory/snap/snap.h"

/* What the parts of the search read. */
typedef struct f2l_snap_input {
    const f2l_inspect *inspect;
    const f2l_seq *model;
    const double *parameters;
    const f2l_data *data;
    const double *value; /* [letters][N][heads][V] values; NULL without values */
    const f2l_task *task;
} f2l_snap_input;

/* Finds the representations that n_h factors can express, with their matrices. */
f2l_status f2l_snap_find_irreps(f2l_snap *out, const f2l_snap_input *in, f2l_error *err);

/* Finds the parts of one head, and appends them. */
f2l_status f2l_snap_find_parts(f2l_snap *out, const f2l_snap_input *in, size_t head,
                               f2l_error *err);

/* Fills start, share, centre and drift of a part. */
f2l_status f2l_snap_find_start(f2l_snap_part *part, const f2l_snap *snap, const f2l_snap_input *in,
                               f2l_error *err);

/* Sets to [K][V] the bias B(letter) of a head: what the letter writes on a state that is 0; and the
 * state of the head before the first letter of a word that counts. */
void f2l_snap_bias(double *to, const f2l_snap_input *in, size_t head, size_t letter);
void f2l_snap_first_state(double *to, const f2l_snap_input *in, size_t head);

#endif
