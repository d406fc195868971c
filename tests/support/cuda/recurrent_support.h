/* Random inputs of the recurrent delta product, for the tests of its replay and the check of its
 * kernels: in double, rounded to the types that the kernels read, and gathered by letter where the
 * reference needs positions. It uses no test framework. */
#ifndef TESTS_RECURRENT_SUPPORT_H
#define TESTS_RECURRENT_SUPPORT_H

#include "numeric/base/rng.h"
#include "tests/support/cuda/replay_bf16.h"
#include "tests/support/cuda/replay_recurrent.h"
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
    size_t letters; /* rows of the tables by letter; 0: inputs are by position */
    uint32_t *letter;
    size_t count[INPUTS], results[OUTPUTS]; /* number of values of each; 0: absent */
    void *number[INPUTS];                   /* bf16 or float, for the kernels */
    double *by_position[INPUTS];            /* the same numbers, for the reference */
} recurrent_sample;

bool recurrent_is_wide(int which);

bool recurrent_out_is_wide(int which);

double recurrent_uniform(f2l_rng *rng);

/* Returns the number of values of one letter or position. */
size_t recurrent_row(const f2l_delta_shape *s, int which);

void recurrent_counts(recurrent_sample *r, unsigned options);

/* Fills x with unit keys, beta in [0, 2], gate in [0, 1], all else in [-1, 1). In dyadic samples
 * keys have four entries +-1/2 (key >= 4), beta is 1 or 2, gate is 1/2 or 1 and all else is a small
 * multiple of 1/4: nothing is rounded in short words. */
void recurrent_draw(double *x, size_t n, int which, const recurrent_sample *r, f2l_rng *rng);

void *recurrent_narrow(double *x, size_t n, bool bf16);

/* Draws all inputs; with letters, tables of `letters` rows. */
void recurrent_sample_init(recurrent_sample *r, f2l_delta_shape shape, unsigned options,
                           bool dyadic, uint64_t seed);

void recurrent_sample_clear(recurrent_sample *r);

f2l_recurrent_in recurrent_inputs(const recurrent_sample *r);

/* Results in bf16 or float; dh0 starts from 0. */
typedef struct recurrent_results {
    double *wide[OUTPUTS];
    void *narrow[OUTPUTS];
} recurrent_results;

void recurrent_results_clear(recurrent_results *x);

bool recurrent_reference(recurrent_results *x, const recurrent_sample *r);

/* Fills the results with 0xff bytes (NaN in either type), except for dh0, which becomes 0. */
void recurrent_poisoned(recurrent_results *x, const recurrent_sample *r);

f2l_recurrent_grad recurrent_gradients(const recurrent_results *x);

f2l_status recurrent_replay(recurrent_results *x, const recurrent_sample *r, f2l_error *err);

/* Returns |got - want| / |want| in the Frobenius norm; NaN when a number is NaN. */
double recurrent_error(const void *got, const double *want, size_t n, bool bf16);

#endif
