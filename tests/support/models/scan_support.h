/* Random inputs of the diagonal scan, for the tests of its replay and the check of its kernels. It
 * uses no test framework. */
#ifndef TESTS_SCAN_SUPPORT_H
#define TESTS_SCAN_SUPPORT_H

#include "numeric/base/rng.h"
#include "tests/support/cuda/replay_bf16.h"
#include "tests/support/cuda/replay_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN_A, SCAN_B, SCAN_DH, SCAN_H0, SCAN_INPUTS };
enum { SCAN_H, SCAN_DA, SCAN_DB, SCAN_DH0, SCAN_OUTPUTS };

typedef struct scan_sample {
    f2l_scan_shape shape;
    bool bf16, started;
    size_t n;                  /* batch * tokens * width */
    void *number[SCAN_INPUTS]; /* bf16 or float; h0 float or NULL */
    double *wide[SCAN_INPUTS]; /* the same numbers */
} scan_sample;

void scan_sample_init(scan_sample *s, f2l_scan_shape shape, bool bf16, bool started, uint64_t seed);

void scan_sample_clear(scan_sample *s);

typedef struct scan_results {
    double *wide[SCAN_OUTPUTS];
    void *number[SCAN_OUTPUTS];
} scan_results;

size_t scan_count(const scan_sample *s, int which);

size_t scan_bytes(const scan_sample *s, int which);

/* Computes the replay and the reference, whose gradients are taken at the replay's h because
 * kernels are given that h. */
f2l_status scan_both(scan_results *x, const scan_sample *s, f2l_error *err);

void scan_results_clear(scan_results *x);

/* Returns |got - want| / |want| in the Frobenius norm. */
double scan_error(const scan_results *x, const scan_sample *s, int which);

/* Returns the greatest allowed error; da in bf16 is made of a rounded h. */
double scan_allowed(const scan_sample *s, int which);

#endif
