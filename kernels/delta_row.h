/* What the delta product of the CPU reads and does at one token of one head. */
#ifndef F2L_KERNELS_DELTA_ROW_H
#define F2L_KERNELS_DELTA_ROW_H

#include "kernels/delta.h"
#include <stdbool.h>

#define F2L_DELTA_MOST 256 /* key and value */

/* Where a head is: token t of its sequence is row first + t of batch entry `batch`. */
typedef struct f2l_delta_head {
    int64_t batch, first, head, key_head;
} f2l_delta_head;

/* A row of queries or keys under its norm: x = raw times factor. */
typedef struct f2l_delta_key {
    double x[F2L_DELTA_MOST], factor;
    bool fixed; /* factor does not depend on the row */
} f2l_delta_key;

typedef struct f2l_delta_factor {
    f2l_delta_key k;
    double v[F2L_DELTA_MOST];
    double beta, slope; /* slope: d beta / d (what beta is computed from) */
} f2l_delta_factor;

/* Returns the place of a row of a head, counted in numbers. */
int64_t f2l_delta_at(const fsa2lrnn_kernels_array *array, const f2l_delta_head *h, int64_t row,
                     int64_t head);
/* Reads row `row` of the head's keys, or queries, with the norm. */
void f2l_delta_read_key(f2l_delta_key *key, const fsa2lrnn_kernels_array *array,
                        const f2l_delta_head *h, int64_t row, const fsa2lrnn_delta_product *p);
/* Replaces the gradient d[key] with respect to key->x by the one with respect to the row. */
void f2l_delta_norm_backward(double *d, const f2l_delta_key *key, const fsa2lrnn_delta_product *p);
void f2l_delta_read_factor(f2l_delta_factor *f, const fsa2lrnn_delta_product_in *in,
                           const f2l_delta_head *h, int64_t row, const fsa2lrnn_delta_product *p);
/* Reads exp(g) of token t to decay[key]; returns whether there is a gate. */
bool f2l_delta_read_gate(double *decay, const fsa2lrnn_delta_product_in *in,
                         const f2l_delta_head *h, int64_t t, const fsa2lrnn_delta_product *p);

/* Multiplies row i of S by decay[i]. */
void f2l_delta_decay(double *S, const double *decay, const fsa2lrnn_delta_product *p);
/* Computes u = v - S^T k and S += beta k u^T. */
void f2l_delta_apply(double *S, double *u, const f2l_delta_factor *f,
                     const fsa2lrnn_delta_product *p);
/* Computes y[value] = S^T x. */
void f2l_delta_times(double *y, const double *S, const double *x, const fsa2lrnn_delta_product *p);
/* Rounds a state, or its gradient, as it is between two tokens. */
void f2l_delta_round(double *S, const fsa2lrnn_delta_product *p);
/* Read and write a state [key][value] of the caller's order and type; NULL: zeros, nothing. */
void f2l_delta_take_state(double *S, const void *states, int64_t state, int64_t head, int type,
                          const fsa2lrnn_delta_product *p);
void f2l_delta_put_state(void *states, const double *S, int64_t state, int64_t head,
                         const fsa2lrnn_delta_product *p);

#endif
