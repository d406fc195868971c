/* The schedules a second time, slowly: models/network/schedule/schedule.h implemented line by line
 * on dense vectors, every operation on rationals and rounded by the definition of a format. For
 * tests. */
#ifndef TESTS_SCHEDULE_REFERENCE_H
#define TESTS_SCHEDULE_REFERENCE_H

#include "models/network/net/net.h"
#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include "numeric/format/choices.h"
#include "numeric/format/format.h"
#include <criterion/criterion.h>
#include <mpfr.h>
#include <stdlib.h>

typedef struct reference {
    const f2l_format *format;
    f2l_format fp32, weights; /* the format of weights: to nearest */
    f2l_format state, residual, operands, output;
    f2l_schedule schedule;
    const unsigned char *bit; /* bits of stochastic rounding, used up in order */
    size_t bits;
    double second; /* the factor of all scales of a store */
} reference;

/* Returns whether a and b are the same number; a state has one NaN and one zero, +0. */
bool reference_same(double a, double b);

reference reference_of(const f2l_format *format, const f2l_schedule *schedule);

/* Returns whether to round away from zero, given the part that is cut off (compared to one half)
 * and whether the last digit kept is odd. */
bool reference_away(reference *r, const f2l_format *f, bool positive, int half, bool odd);

/* Returns beta as the schedule has it. */
double reference_beta(reference *r, const mpq_t beta);

double reference_overflow(const f2l_format *f, bool positive);

/* Sets out to |x| / 2^scale. */
void reference_scale(mpq_t out, const mpq_t x, long scale);

double reference_round(reference *r, const f2l_format *f, const mpq_t x);

/* Returns a b + c, rounded once; a sum has b = 1, a product c = 0. */
double reference_fma(reference *r, const f2l_format *f, double a, double b, double c);

/* Returns x / |u| rounded, or x; |u| is exact where it is rational, because the quotient may then
 * lie half way, and else has 400 bits. */
double reference_weight(reference *r, const f2l_head *head, const mpq_t x, const f2l_qvec *u);

/* Normalises the key k[n] as the libraries do; k[i] is x_i before. */
void reference_normalise(reference *r, double *k, size_t n);

void reference_key(reference *r, double *k, const f2l_head *head, const f2l_factor *factor);

/* Does one column of a factor in the order of the schedule, with a gate that comes with it, or 1;
 * operations round into f. Returns the number by which the key is multiplied in the update. */
double reference_column(reference *r, const f2l_format *f, size_t n, const double *k, double v,
                        double beta, double gate, double *S, size_t d);

/* Does S <- f(A S + B), where A and B come from multiplying matrices. */
void reference_cast(reference *r, const f2l_head *head, const f2l_transition *letter, double *S);

/* Does a letter without the store. */
void reference_letter(reference *r, const f2l_head *head, size_t x, double *S);

/* Stores the state [n][d], with the residuals [n][d]. */
void reference_store(reference *r, size_t n, size_t d, double *S, double *residual);

#endif
