/* Declarations shared by the files forever*.c of theory/beside/horizon; private to this folder. */
#ifndef F2L_FOREVER_IMPL_H
#define F2L_FOREVER_IMPL_H

#include "theory/beside/horizon/impl.h"
#include "theory/beside/horizon/learned_forever.h"

#define F2L_FOREVER_UNIT 0x1p-40
#define F2L_FOREVER_SIZE 4000 /* of states, below the checker's limit */

/* y is near a d_i + b d_j, with a, b >= 0. */
typedef struct f2l_forever_cone {
    size_t i, j;
    double a, b;
} f2l_forever_cone;

typedef struct f2l_forever_job {
    f2l_learned_forever *out;
    f2l_learned_net *net;
    const f2l_seq *model;
    const double *parameters;
    const f2l_fsa *fsa;
    bool begin;
    double until; /* f2l_now() */
    const f2l_task *task;
    f2l_error *err;
    double *a, *b;  /* [letters][heads] [key][key], [key][value] */
    double *shift;  /* [letters][heads] lengths of the values in B, or more */
    double *start;  /* [heads][key][value] before the first letter */
    double *size;   /* [states][heads] of the states of a set */
    double *most;   /* [heads] */
    double *weight; /* [heads][value] lengths of the columns of M */
    double *memory; /* of all these */
} f2l_forever_job;

f2l_forever_cone f2l_forever_find_cone(const f2l_forever_job *j, size_t h, const double *y);
/* Returns what a set's states have in y^T S, at most, for one column, whose numbers n has. */
double f2l_forever_highest(const f2l_forever_cone *c, const double *n);
/* Computes A^T y. */
void f2l_forever_pull(double *to, const f2l_forever_job *j, size_t w, size_t h, const double *y);
/* Returns number v of B^T y. */
double f2l_forever_shift(const f2l_forever_job *j, size_t w, size_t h, const double *y, size_t v);
/* Returns more than the checker adds for a letter's errors where states have this size. */
double f2l_forever_room(const f2l_forever_job *j, size_t w, size_t h, double size);
double *f2l_forever_set(const f2l_forever_job *j, size_t q, size_t h, size_t v);

/* Sets directions and sets, or out->end. */
f2l_status f2l_forever_find_sets(f2l_forever_job *j);
/* Sets the tree, or out->end. */
f2l_status f2l_forever_find_tree(f2l_forever_job *j);

/* Of a network with clamped betas and exact keys: sets out->followed, joint and denominator, or
 * out->end. */
f2l_status f2l_forever_find_finite(f2l_forever_job *j);
/* Appends the certificate's lines behind the claim. */
void f2l_forever_write_finite(f2l_buf *out, const f2l_learned_forever *p);

#endif
