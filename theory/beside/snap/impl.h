/* The parts of f2l_snap_build; private to this folder. */
#ifndef F2L_THEORY_SNAP_IMPL_H
#define F2L_THEORY_SNAP_IMPL_H

#include "models/learn/seq/seq_letters.h"
#include "theory/beside/snap/snap.h"

/* What the parts of the search read. */
typedef struct f2l_snap_input {
    const f2l_inspect *inspect;
    const f2l_seq *model;
    const double *parameters;
    const f2l_data *data;
    const double *value; /* [letters][N][heads][V] values; NULL without values */
    const f2l_task *task;
} f2l_snap_input;

/* Which representations a list has. */
typedef enum f2l_snap_wanted {
    F2L_SNAP_EXPRESSED, /* not trivial, and n_h factors can express it */
    F2L_SNAP_UP_TO_SIGN /* of dimension 2 or more, and n_h factors can express for every
                           letter the matrix or its negative */
} f2l_snap_wanted;

/* Lists the representations of the group with their matrices. */
f2l_status f2l_snap_list_irreps(f2l_snap_irrep **irrep, size_t *irreps, const f2l_r1 *r1,
                                f2l_snap_wanted wanted, const f2l_snap_input *in, f2l_error *err);
void f2l_snap_free_irreps(f2l_snap_irrep *irrep, size_t irreps);

/* Returns the number of factors that the letter's matrix takes, or its negative. */
size_t f2l_snap_factors_of(const f2l_r1 *r1, size_t irrep, size_t letter, bool minus);

/* The matrices of one head. */
typedef struct f2l_snap_head {
    size_t head, K, letters;
    double *letter; /* [letters][K][K] A(a) */
    double *square; /* [K][K] scratch */
} f2l_snap_head;

/* *out is to be cleared also after a failure. */
f2l_status f2l_snap_head_init(f2l_snap_head *out, const f2l_snap_input *in, size_t head,
                              f2l_error *err);
void f2l_snap_head_clear(f2l_snap_head *h);

/* Eigenvalues [n], largest first, and eigenvectors [n][n], a row each. */
typedef struct f2l_snap_spectrum {
    size_t n;
    double *value, *vector;
} f2l_snap_spectrum;

/* Fills *out for the mean over `count` matrices a [K][K] and rho [d][d] of |a X - X rho|_F^2
 * (theory/beside/snap/intertwiner.h), n = K d; square [K][K] is scratch. *out is to be cleared also
 * after a failure. */
f2l_status f2l_snap_spectrum_build(f2l_snap_spectrum *out, double *square, const double *a,
                                   const double *rho, size_t count, size_t K, size_t d,
                                   const f2l_task *task, f2l_error *err);
void f2l_snap_spectrum_clear(f2l_snap_spectrum *s);

/* Finds the representations and parts of the group out->r1, and whether these determine its
 * element. */
f2l_status f2l_snap_find(f2l_snap *out, const f2l_snap_input *in, f2l_error *err);

/* Finds the parts of one head, and appends them. */
f2l_status f2l_snap_find_parts(f2l_snap *out, const f2l_snap_input *in, size_t head,
                               f2l_error *err);

/* The representation that a part of a head is nearest to up to signs of the letters. */
typedef struct f2l_snap_near_miss {
    size_t character, head; /* of the transition group; from 0 on */
    double defect;          /* INFINITY: none was found */
    size_t factors, letter; /* the most that a letter's matrix takes with its sign; this letter */
    bool limit;             /* a group with signs was too large to be listed */
} f2l_snap_near_miss;

/* Where the parts do not determine the element: looks for parts that move as a representation up to
 * signs of the letters, and replaces *out by what is found for the group with these signs, if that
 * determines its element. Else *out stays as it is, and *miss says what came nearest. */
f2l_status f2l_snap_find_cover(f2l_snap *out, f2l_snap_near_miss *miss, const f2l_snap_input *in,
                               f2l_error *err);

/* Fills start, share, centre and drift of a part. */
f2l_status f2l_snap_find_start(f2l_snap_part *part, const f2l_snap *snap, const f2l_snap_input *in,
                               f2l_error *err);

/* Sets to [K][V] the bias B(letter) of a head: what the letter writes on a state that is 0; and the
 * state of the head before the first letter of a word that counts. */
void f2l_snap_bias(double *to, const f2l_snap_input *in, size_t head, size_t letter);
f2l_status f2l_snap_first_state(double *to, const f2l_snap_input *in, size_t head, f2l_error *err);

#endif
