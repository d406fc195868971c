#include "tests/support/models/dense.h"

void dense_init(dense *m, size_t rows, size_t columns)
{
    *m = (dense){.rows = rows, .columns = columns, .at = calloc(rows * columns, sizeof(mpq_t))};
    for (size_t i = 0; i < rows * columns; i++) mpq_init(m->at[i]);
}

void dense_clear(dense *m)
{
    for (size_t i = 0; i < m->rows * m->columns; i++) mpq_clear(m->at[i]);
    free(m->at);
}

void dense_load(dense *m, const f2l_qvec *v)
{
    for (size_t i = 0; i < m->rows * m->columns; i++) mpq_set_ui(m->at[i], 0, 1);
    for (size_t e = 0; e < v->count; e++) mpq_set(m->at[v->index[e]], v->value[e]);
}

bool dense_equals(const dense *m, const f2l_qvec *v)
{
    size_t e = 0;
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        const bool stored = e < v->count && v->index[e] == i;
        if (stored ? !mpq_equal(m->at[i], v->value[e]) : mpq_sgn(m->at[i]) != 0) return false;
        e += stored;
    }
    return true;
}

void dense_multiply(dense *out, const dense *a, const dense *s)
{
    mpq_t t;
    mpq_init(t);
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t j = 0; j < s->columns; j++) {
            mpq_t *sum = &out->at[i * s->columns + j];
            mpq_set_ui(*sum, 0, 1);
            for (size_t k = 0; k < a->columns; k++) {
                mpq_mul(t, a->at[i * a->columns + k], s->at[k * s->columns + j]);
                mpq_add(*sum, *sum, t);
            }
        }
    }
    mpq_clear(t);
}
