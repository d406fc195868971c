/* Which guesses of a step are surely wrong: the equations are solved in doubles before they are
 * solved exactly, which takes a thousand times as long. */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include <math.h>

/* Rows are scaled to a greatest entry of 1. What is left of a column is 0 below NOTHING; between
 * that and ENOUGH the rank is not known from doubles. */
#define NOTHING 1e-12
#define ENOUGH 1e-8
/* A pivot so far below 0, relative to the greatest entry, is negative whatever the doubles lost. */
#define NEGATIVE 1e-5
/* One so near to 0 is none of a right guess, whose pivots are not far below its least eigenvalue:
 * that was found to be at least 1e-6 (f2l_guess). */
#define ZERO 1e-10

void f2l_sieve_clear(f2l_sieve *s)
{
    f2l_free(s->row);
    f2l_free(s->pivot);
    f2l_free(s->entry);
    *s = (f2l_sieve){0};
}

static void scale_sieve_rows(f2l_sieve *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        double *row = s->row + i * s->columns, greatest = 0;
        for (size_t j = 0; j < s->columns; j++)
            if (fabs(row[j]) > greatest) greatest = fabs(row[j]);
        for (size_t j = 0; greatest > 0 && j < s->columns; j++) row[j] /= greatest;
    }
}

/* Moves the row with the greatest entry in the column to the place after the pivots; returns that
 * entry's size. */
static double choose_row(f2l_sieve *s, size_t column)
{
    const size_t n = s->columns;
    size_t best = s->rank;
    for (size_t i = s->rank; i < s->rows; i++)
        if (fabs(s->row[i * n + column]) > fabs(s->row[best * n + column])) best = i;
    if (best == s->rows) return 0;
    for (size_t j = 0; best != s->rank && j < n; j++) {
        const double kept = s->row[s->rank * n + j];
        s->row[s->rank * n + j] = s->row[best * n + j];
        s->row[best * n + j] = kept;
    }
    return fabs(s->row[s->rank * n + column]);
}

/* Makes the chosen row 1 in the column, and the others 0. */
static void reduce_sieve_column(f2l_sieve *s, size_t column)
{
    const size_t n = s->columns;
    double *own = s->row + s->rank * n;
    const double scale = own[column];
    for (size_t j = column; j < n; j++) own[j] /= scale;
    for (size_t i = 0; i < s->rows; i++) {
        const double ratio = s->row[i * n + column];
        if (i == s->rank || ratio == 0) continue;
        for (size_t j = column; j < n; j++) s->row[i * n + j] -= ratio * own[j];
        s->row[i * n + column] = 0;
    }
    s->pivot[column] = ++s->rank;
}

f2l_status f2l_sieve_init(f2l_sieve *s, size_t rows, size_t columns, f2l_error *err)
{
    *s = (f2l_sieve){.rows = rows, .columns = columns, .sure = true};
    s->row = f2l_calloc(rows * columns + 1, sizeof *s->row);
    s->pivot = f2l_calloc(columns + 1, sizeof *s->pivot);
    s->entry = f2l_calloc(columns + 1, sizeof *s->entry);
    if (s->row && s->pivot && s->entry) return F2L_OK;
    f2l_sieve_clear(s);
    return f2l_fail_memory(err);
}

void f2l_sieve_reduce(f2l_sieve *s)
{
    scale_sieve_rows(s);
    for (size_t column = 0; s->sure && column < s->columns; column++) {
        const double size = choose_row(s, column);
        s->sure = size <= NOTHING || size >= ENOUGH;
        if (size >= ENOUGH) reduce_sieve_column(s, column);
    }
}

/* Returns whether the symmetric matrix with the entries i <= j is not positive definite, as far as
 * doubles tell.
 * part[n][n]: scratch. */
static bool is_refuted(double *part, const double *entry, size_t n)
{
    double greatest = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++, entry++) {
            part[i * n + j] = part[j * n + i] = *entry;
            if (fabs(*entry) > greatest) greatest = fabs(*entry);
        }
    for (size_t i = 0; i < n; i++) {
        const double pivot = part[i * n + i];
        if (pivot < -NEGATIVE * greatest || fabs(pivot) <= ZERO * greatest) return true;
        if (!(pivot > NEGATIVE * greatest)) return false;
        for (size_t j = i + 1; j < n; j++)
            for (size_t k = i + 1; k < n; k++)
                part[j * n + k] -= part[j * n + i] * part[i * n + k] / pivot;
    }
    return false;
}

bool f2l_sieve_refutes(f2l_sieve *s, const double *guess, int bits, const size_t *rows,
                       size_t blocks, double *scratch)
{
    const double *entry = s->entry;
    if (!s->sure) return false;
    for (size_t j = 0; j < s->columns; j++)
        s->entry[j] = s->pivot[j] ? 0 : ldexp(round(ldexp(guess[j], bits)), -bits);
    for (size_t j = 0; j < s->columns; j++) {
        if (!s->pivot[j]) continue;
        const double *row = s->row + (s->pivot[j] - 1) * s->columns;
        double sum = 0;
        for (size_t i = j + 1; i < s->columns; i++)
            if (!s->pivot[i]) sum += row[i] * s->entry[i];
        s->entry[j] = -sum;
    }
    for (size_t b = 0; b < blocks; b++) {
        if (is_refuted(scratch, entry, rows[b])) return true;
        entry += rows[b] * (rows[b] + 1) / 2;
    }
    return false;
}
