/* Random inputs of the recurrent delta product, for the tests of its replay and the check of its
 * kernels: in double, rounded to what the kernels read, and gathered by letter where the reference
 * wants positions. No test framework. */
#ifndef TESTS_RECURRENT_SUPPORT_H
#define TESTS_RECURRENT_SUPPORT_H

#include "cuda/replay/replay_bf16.h"
#include "cuda/replay/replay_recurrent.h"
#include "numeric/base/rng.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WITH_VALUES = 1,
    WITH_GATES = 2,
    WITH_START = 4,
    WITH_BF16 = 8,
    WITH_LETTERS = 16,
    WITH_OPTIONS = 32
};

enum { IN_Q, IN_K, IN_V, IN_BETA, IN_GATE, IN_H0, IN_DOUT, INPUTS };
enum { OUT_O, OUT_DQ, OUT_DK, OUT_DV, OUT_DBETA, OUT_DGATE, OUT_DH0, OUTPUTS };

typedef struct recurrent_sample {
    f2l_delta_shape shape;
    bool bf16, dyadic;
    size_t letters; /* 0: by position */
    uint32_t *letter;
    size_t count[INPUTS], results[OUTPUTS]; /* numbers; 0: not there */
    void *number[INPUTS];                   /* bf16 or float, for the kernels */
    double *by_position[INPUTS];            /* the same numbers, for the reference */
} recurrent_sample;

bool recurrent_is_wide(int which);

bool recurrent_out_is_wide(int which);

double recurrent_uniform(f2l_rng *rng);

/* Numbers of one letter or position. */
size_t recurrent_row(const f2l_delta_shape *s, int which);

void recurrent_counts(recurrent_sample *r, unsigned options);

/* Unit keys, beta in [0, 2], gate in [0, 1], all else in [-1, 1). Dyadic: keys with four entries of
 * +-1/2 (key >= 4), beta 1 or 2, gate 1/2 or 1, all else small multiples of 1/4: nothing rounds in
 * short words. */
void recurrent_draw(double *x, size_t n, int which, const recurrent_sample *r, f2l_rng *rng);

void *recurrent_narrow(double *x, size_t n, bool bf16);

/* Draws everything; with letters, tables of `letters` rows. */
void recurrent_sample_init(recurrent_sample *r, f2l_delta_shape shape, unsigned options,
                           bool dyadic, uint64_t seed);

void recurrent_sample_clear(recurrent_sample *r);

f2l_recurrent_in recurrent_inputs(const recurrent_sample *r);

/* Results of either type; dh0 starts from 0. */
typedef struct recurrent_results {
    double *wide[OUTPUTS];
    void *narrow[OUTPUTS];
} recurrent_results;

void recurrent_results_clear(recurrent_results *x);

bool recurrent_reference(recurrent_results *x, const recurrent_sample *r);

/* Poisoned with 0xff bytes (not a number in either type), but dh0, which is 0. */
void recurrent_poisoned(recurrent_results *x, const recurrent_sample *r);

f2l_recurrent_grad recurrent_gradients(const recurrent_results *x);

f2l_status recurrent_replay(recurrent_results *x, const recurrent_sample *r, f2l_error *err);

/* |got - want| / |want|, Frobenius; NaN when anything is. */
double recurrent_error(const void *got, const double *want, size_t n, bool bf16);

#endif
