/* A sequence model letter by letter, straight from the formulas of models/learn/seq/seq.h, with
 * tensors found by name: transitions are formed as matrices, and convolutions read the inputs that
 * were kept. */
#ifndef TESTS_SEQ_REFERENCE_H
#define TESTS_SEQ_REFERENCE_H

#include "tests/support/train/seq_support.h"
#include <stdio.h>

#define REF_SIZE 32 /* most numbers of a vector */
#define REF_LETTERS 32

/* The state of one layer in one sequence. */
typedef struct ref_layer {
    double state[8][REF_SIZE][REF_SIZE];   /* by head; diagonal: [0], channel by state */
    double seen[3][REF_LETTERS][REF_SIZE]; /* projections before the convolution: q, k, v; or u */
} ref_layer;

typedef struct ref {
    const seq_case *s;
    ref_layer layer[2];
    size_t t;
} ref;

const double *ref_tensor(const ref *r, size_t layer, const char *name);

void ref_map(double *y, const double *w, const double *x, size_t out, size_t in);

void ref_rms(double *y, const double *x, const double *w, size_t n, double epsilon);

double ref_sigmoid(double x);

/* Convolves x with the inputs before it, and keeps x. */
void ref_taps(double *x, ref *r, size_t layer, size_t stream, const double *w, size_t n);

/* Sets y to one of q (0), k (1), v (2). */
void ref_stream(double *y, ref *r, size_t layer, size_t stream, const double *x);

/* Does S <- (1 - beta k k^T) S + beta k v^T by the matrix of the factor. */
void ref_factor(double state[REF_SIZE][REF_SIZE], const double *k, const double *v, double beta,
                size_t keys, size_t values);

void ref_delta(double *y, ref *r, size_t l, const double *x);

void ref_diagonal(double *y, ref *r, size_t l, const double *x);

/* Sets the logits to the model's answer after the next letter. */
void ref_read(double *logits, ref *r, uint32_t letter);

#endif
