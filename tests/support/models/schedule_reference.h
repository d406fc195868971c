/* The schedules once more, slowly: models/schedule/schedule.h read line by line, on dense vectors,
 * every operation on rationals and rounded by the definition of a format. For tests. */
#ifndef TESTS_SCHEDULE_REFERENCE_H
#define TESTS_SCHEDULE_REFERENCE_H

#include "models/net/net.h"
#include "models/schedule/schedule.h"
#include "numeric/format/choices.h"
#include "numeric/format/format.h"
#include <criterion/criterion.h>
#include <mpfr.h>
#include <stdlib.h>

typedef struct reference {
    const f2l_format *format;
    f2l_format fp32, weights; /* the format of weights: to nearest */
    f2l_schedule schedule;
    const unsigned char *bit; /* of stochastic rounding, as they are used up */
    size_t bits;
} reference;

/* The state has one NaN and one zero, +0. */
bool reference_same(double a, double b);

reference reference_of(const f2l_format *format, const f2l_schedule *schedule);

/* Away from zero, given what is cut off (compared to one half) and whether the last digit kept is
 * odd. */
bool reference_away(reference *r, const f2l_format *f, bool positive, int half, bool odd);

double reference_overflow(const f2l_format *f, bool positive);

/* |x| / 2^scale. */
void reference_scale(mpq_t out, const mpq_t x, long scale);

double reference_round(reference *r, const f2l_format *f, const mpq_t x);

/* a b + c, or with b = 1 a + c, .. */
double reference_fma(reference *r, const f2l_format *f, double a, double b, double c);

/* x / |u|, or x; |u| exactly where it is rational, as then the quotient may lie on a middle, else
 * from 400 bits. */
double reference_weight(reference *r, const f2l_head *head, const mpq_t x, const f2l_qvec *u);

/* k_i as the libraries normalise: x_i in k[i] before. */
void reference_normalise(reference *r, double *k, size_t n);

void reference_key(reference *r, double *k, const f2l_head *head, const f2l_factor *factor);

/* One column of every (operations in f), fma and acc32. */
void reference_column(reference *r, const f2l_format *f, size_t n, const double *k, double v,
                      double beta, double *S, size_t d);

void reference_recurrent_column(reference *r, size_t n, const double *k, double v, double beta,
                                double *S, size_t d);

/* S <- f(A S + B): A and B by multiplying matrices. */
void reference_cast(reference *r, const f2l_head *head, const f2l_transition *letter, double *S);

/* A letter without the rounding at the end of acc32. */
void reference_letter(reference *r, const f2l_head *head, size_t x, double *S);

void reference_end(reference *r, const f2l_head *head, double *S);

#endif
