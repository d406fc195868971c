/* Weights and vectors of a head in integers, where all are dyadic and small, which is the usual case; private to
 * unrounded*.c. Whatever does not fit is left to the rationals. */
#ifndef F2L_UNROUNDED_INTEGERS_IMPL_H
#define F2L_UNROUNDED_INTEGERS_IMPL_H

#include "theory/certify/unrounded/unrounded_impl.h"

#define F2L_INTEGERS_PLACES 48 /* at most, of any number on the way */
#define F2L_INTEGERS_SLACK 2   /* places that a vector may need on the way beyond those it begins with */

typedef struct f2l_integer_factor {
    int64_t beta;
    size_t keys, values;
    const uint32_t *row, *column; /* of the rational factor */
    int64_t *key, *value;         /* at places.key, places.sum */
} f2l_integer_factor;

typedef struct f2l_integer_steps {
    const f2l_steps *steps;
    int state, key, beta, value, sum, scaled, product; /* places; sum: of k^T S - v; product: of k beta r */
    size_t factors, numbers;
    size_t *first;              /* [letters] of a letter's factors */
    int64_t *pool;              /* [numbers] all keys and values */
    f2l_integer_factor *factor; /* [factors] */
} f2l_integer_steps;

/* *most becomes at least the places of all entries; more than F2L_INTEGERS_PLACES when one is not dyadic. */
void f2l_integers_most(int *most, const f2l_qvec *v);
/* x 2^places as an integer of less than 62 bits; false when it is none. */
bool f2l_integers_scale(int64_t *out, const mpq_t x, int places);

/* The places of the weights, and how many there are; no memory is taken. */
void f2l_integers_init(f2l_integer_steps *p, const f2l_steps *steps);
/* The weights themselves, for vectors of `state` places. False: not for integers, or no memory for them, which the
 * rationals will report. */
bool f2l_integers_fill(f2l_integer_steps *p, int state);
void f2l_integers_clear(f2l_integer_steps *p);

#endif
