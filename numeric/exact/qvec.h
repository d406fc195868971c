/* Sparse vectors of rationals (GMP), the coordinates of keys, values and states.
 *
 * Every rational has one spelling, such as "0", "-3", "5/2": lowest terms, a denominator only if >
 * 1, no sign but '-', no leading zeros. */
#ifndef F2L_QVEC_H
#define F2L_QVEC_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct f2l_qvec {
    size_t count;    /* number of stored entries, all nonzero */
    uint32_t *index; /* strictly increasing, 0-based */
    mpq_t *value;    /* canonical */
    size_t capacity;
} f2l_qvec;

void f2l_qvec_init(f2l_qvec *v);
void f2l_qvec_clear(f2l_qvec *v);
/* Append an entry; index must exceed the last index; zero values are skipped. */
f2l_status f2l_qvec_push(f2l_qvec *v, uint32_t index, const mpq_t value, f2l_error *err);
f2l_status f2l_qvec_push_si(f2l_qvec *v, uint32_t index, long numerator, unsigned long denominator,
                            f2l_error *err);
f2l_status f2l_qvec_copy(f2l_qvec *out, const f2l_qvec *v, f2l_error *err);
/* Compares by entries (index, then value); returns 0 if and only if a = b. */
int f2l_qvec_compare(const f2l_qvec *a, const f2l_qvec *b);
uint64_t f2l_qvec_hash(const f2l_qvec *v);
uint64_t f2l_rational_hash(const mpq_t value);
/* Sets out to the sum of the squares of the values. */
void f2l_qvec_norm2(mpq_t out, const f2l_qvec *v);

void f2l_buf_rational(f2l_buf *out, const mpq_t value);
/* Parses exactly the spelling above; returns false otherwise. Numerator and denominator have at
 * most 4,096 digits. */
bool f2l_rational_read(mpq_t out, const char *text, size_t size);

#endif
