/* Rounded weights of keys like (e_i - e_j)/sqrt 2, by way of many bits. */
#ifndef TESTS_NAIVE_WEIGHT_H
#define TESTS_NAIVE_WEIGHT_H

#include "numeric/exact/qvec.h"
#include "numeric/format/format.h"
#include <math.h>
#include <mpfr.h>

/* Returns x / |u|, rounded to nearest in the format from 400 bits; no value of these tests is
 * subnormal. */
double naive_weight(const mpq_t x, const f2l_qvec *u, const f2l_format *format);

#endif
