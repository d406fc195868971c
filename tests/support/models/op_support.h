/* Numbers from a seed, gradients by central differences, and float against double, for the tests of
 * operators. */
#ifndef TESTS_OP_SUPPORT_H
#define TESTS_OP_SUPPORT_H

#include "models/learn/op/op.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns n numbers, uniform in [-1, 1). */
double *noise(size_t n, uint64_t seed);

double *filled(size_t n, double value);

float *narrow(const double *x, size_t n);

/* Rounds x to float, so that both types start from equal numbers. */
void to_float(double *x, size_t n);

double dot(const double *a, const double *b, size_t n);

void near(const char *what, const double *got, const double *want, size_t n, double tolerance);

void near_float(const char *what, const float *got, const double *want, size_t n, double tolerance);

void same_bits(const char *what, const void *a, const void *b, size_t bytes);

/* Checks dx against (loss(x + h) - loss(x - h)) / 2h for every coordinate of x, which loss(context)
 * reads. */
void check_gradient(const char *what, const double *dx, double *x, size_t n,
                    double (*loss)(void *context), void *context);

#endif
