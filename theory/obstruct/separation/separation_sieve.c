/* Which guesses of a step are surely wrong: the equations are solved in floating point before they
 * are solved exactly, which takes a thousand times as long. */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include "theory/obstruct/separation/wide.h"
#include <math.h>

/* Rows are scaled to a greatest entry of about 1. What is left of a column is 0 below NOTHING;
 * between that and ENOUGH the rank is not known. */
#define NOTHING 1e-20
#define ENOUGH 1e-15
/* A pivot so far below 0, relative to the greatest entry, is negative whatever was lost. */
#define NEGATIVE 1e-5
/* One so near to 0 is none of a right guess, whose pivots are not far below its least eigenvalue:
 * that was found to be at least 1e-6 (f2l_guess). */
#define ZERO 1e-10

void f2l_sieve_clear(f2l_sieve *s)
{
    f2l_free(s->row);
    f2l_free(s->low);
    f2l_free(s->pivot);
    f2l_free(s->entry);
    *s = (f2l_sieve){0};
}

static void scale_sieve_rows(f2l_sieve *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        double *row = s->row + i * s->columns, *low = s->low + i * s->columns, greatest = 0;
        for (size_t j = 0; j < s->columns; j++)
            if (fabs(row[j]) > greatest) greatest = fabs(row[j]);
        const double scale = greatest > 0 ? ldexp(1, -ilogb(greatest)) : 1;
        for (size_t j = 0; j < s->columns; j++) {
            row[j] *= scale;
            low[j] *= scale;
        }
    }
}

static void swap_numbers(double *x, double *y, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        const double kept = x[j];
        x[j] = y[j];
        y[j] = kept;
    }
}

/* Moves the row with the greatest entry in the column to the place after the pivots; returns that
 * entry's size. */
static double choose_row(f2l_sieve *s, size_t column)
{
    const size_t n = s->columns, to = s->rank * n;
    size_t best = s->rank;
    for (size_t i = s->rank; i < s->rows; i++)
        if (fabs(s->row[i * n + column]) > fabs(s->row[best * n + column])) best = i;
    if (best == s->rows) return 0;
    if (best != s->rank) {
        swap_numbers(s->row + to, s->row + best * n, n);
        swap_numbers(s->low + to, s->low + best * n, n);
    }
    return fabs(s->row[to + column]);
}

/* Makes the chosen row 1 in the column, and the others 0. */
WIDE_CLONES static void reduce_sieve_column(f2l_sieve *s, size_t column)
{
    const size_t n = s->columns, at = s->rank * n + column, count = n - column;
    double *own = s->row + at, *own_low = s->low + at;
    const f2l_wide scale = {*own, *own_low};
    for (size_t j = 0; j < count; j++) {
        const f2l_wide x = f2l_wide_quotient((f2l_wide){own[j], own_low[j]}, scale);
        own[j] = x.high;
        own_low[j] = x.low;
    }
    for (size_t i = 0; i < s->rows; i++) {
        double *row = s->row + i * n + column, *low = s->low + i * n + column;
        if (i == s->rank || *row == 0) continue;
        f2l_wide_add_multiple(row, low, own, own_low, (f2l_wide){-*row, -*low}, count);
        *row = *low = 0;
    }
    s->pivot[column] = ++s->rank;
}

f2l_status f2l_sieve_init(f2l_sieve *s, size_t rows, size_t columns, f2l_error *err)
{
    *s = (f2l_sieve){.rows = rows, .columns = columns, .sure = true};
    s->row = f2l_calloc(rows * columns + 1, sizeof *s->row);
    s->low = f2l_calloc(rows * columns + 1, sizeof *s->low);
    s->pivot = f2l_calloc(columns + 1, sizeof *s->pivot);
    s->entry = f2l_calloc(columns + 1, sizeof *s->entry);
    if (s->row && s->low && s->pivot && s->entry) return F2L_OK;
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
 * the numbers tell.
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

/* Sets the entries at the pivots to the solution for those that are free. */
WIDE_CLONES static void solve_pivots(f2l_sieve *s)
{
    for (size_t j = 0; j < s->columns; j++) {
        if (!s->pivot[j]) continue;
        const size_t at = (s->pivot[j] - 1) * s->columns;
        f2l_wide sum = {0, 0};
        for (size_t i = j + 1; i < s->columns; i++)
            if (!s->pivot[i] && s->row[at + i] != 0)
                sum = f2l_wide_add_product(sum, (f2l_wide){s->row[at + i], s->low[at + i]},
                                           (f2l_wide){s->entry[i], 0});
        s->entry[j] = -sum.high;
    }
}

bool f2l_sieve_refutes(f2l_sieve *s, const double *guess, int bits, const size_t *rows,
                       size_t blocks, double *scratch)
{
    const double *entry = s->entry;
    if (!s->sure) return false;
    for (size_t j = 0; j < s->columns; j++)
        s->entry[j] = s->pivot[j] ? 0 : ldexp(round(ldexp(guess[j], bits)), -bits);
    solve_pivots(s);
    for (size_t b = 0; b < blocks; b++) {
        if (is_refuted(scratch, entry, rows[b])) return true;
        entry += rows[b] * (rows[b] + 1) / 2;
    }
    return false;
}
