/* Dense matrices of rationals, for tests that recompute what sparse code does. */
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include "numeric/exact/qvec.h"
#include <stdlib.h>

/* A dense matrix of rationals, row-major. */
typedef struct dense {
    size_t rows, columns;
    mpq_t *at;
} dense;

void dense_init(dense *m, size_t rows, size_t columns);

void dense_clear(dense *m);

void dense_load(dense *m, const f2l_qvec *v);

bool dense_equals(const dense *m, const f2l_qvec *v);

/* out = a s. */
void dense_multiply(dense *out, const dense *a, const dense *s);

#endif
