/* The pivots are found modulo a prime, and the solution by lifting it from another one: elimination
 * in integers would carry all columns along, whose entries become long. */
#include "theory/obstruct/separation/equations.h"
#include <flint/nmod_mat.h>

#define PRIME UINT64_C(1152921504606846883) /* the largest one below 2^60 */

/* Lists the columns of pivots of m from left to right, at[rank], and then the others, from the
 * left as well; returns the rank. m is destroyed. */
static slong list_pivots(slong *at, nmod_mat_t m)
{
    const slong columns = nmod_mat_ncols(m), rank = nmod_mat_rref(m);
    slong count = 0;
    for (slong j = 0; j < columns; j++) {
        if (count < rank && nmod_mat_entry(m, count, j) != 0)
            at[count++] = j;
        else
            at[rank + j - count] = j;
    }
    return rank;
}

void f2l_equations_init(f2l_equations *out, const fmpq_mat_t m)
{
    const slong rows = fmpq_mat_nrows(m), columns = fmpq_mat_ncols(m);
    nmod_mat_t residue, transposed;
    *out = (f2l_equations){.rank = 0};
    fmpz_mat_init(out->row, rows, columns);
    out->equation = flint_malloc((size_t)(rows + 1) * sizeof *out->equation);
    out->pivot = flint_malloc((size_t)(columns + 1) * sizeof *out->pivot);
    fmpq_mat_get_fmpz_mat_rowwise(out->row, NULL, m);
    nmod_mat_init(residue, rows, columns, PRIME);
    nmod_mat_init(transposed, columns, rows, PRIME);
    fmpz_mat_get_nmod_mat(residue, out->row);
    nmod_mat_transpose(transposed, residue);
    out->rank = list_pivots(out->pivot, residue);
    list_pivots(out->equation, transposed);
    out->chosen = out->pivot + out->rank;
    nmod_mat_clear(residue);
    nmod_mat_clear(transposed);
}

void f2l_equations_clear(f2l_equations *equations)
{
    fmpz_mat_clear(equations->row);
    flint_free(equations->equation);
    flint_free(equations->pivot);
}

/* Sets right to what the pivots have to sum to in each row. */
static void fill_right(fmpz_mat_t right, const f2l_equations *q, const fmpz *value)
{
    const slong chosen = fmpz_mat_ncols(q->row) - q->rank;
    for (slong i = 0; i < q->rank; i++)
        for (slong j = 0; j < chosen; j++)
            fmpz_submul(fmpz_mat_entry(right, i, 0),
                        fmpz_mat_entry(q->row, q->equation[i], q->chosen[j]), &value[j]);
}

/* Returns whether x satisfies all equations, also those that a prime may have hidden. */
static bool satisfies_all(const f2l_equations *q, const fmpq *x)
{
    const slong rows = fmpz_mat_nrows(q->row), columns = fmpz_mat_ncols(q->row);
    fmpq_mat_t fractions;
    fmpz_mat_t number, sum; /* x times a common denominator */
    fmpz_t common;
    fmpq_mat_init(fractions, columns, 1);
    fmpz_mat_init(number, columns, 1);
    fmpz_mat_init(sum, rows, 1);
    fmpz_init(common);
    for (slong j = 0; j < columns; j++) fmpq_set(fmpq_mat_entry(fractions, j, 0), &x[j]);
    fmpq_mat_get_fmpz_mat_matwise(number, common, fractions);
    fmpz_mat_mul(sum, q->row, number);
    const bool all = fmpz_mat_is_zero(sum);
    fmpq_mat_clear(fractions);
    fmpz_mat_clear(number);
    fmpz_mat_clear(sum);
    fmpz_clear(common);
    return all;
}

bool f2l_equations_solve(fmpq *x, const f2l_equations *equations, const fmpz *value,
                         f2l_watch *watch)
{
    const f2l_equations *q = equations;
    const slong columns = fmpz_mat_ncols(q->row), rank = q->rank;
    const uint64_t steps = (uint64_t)rank * (uint64_t)(columns + rank * rank);
    if (!f2l_watch_goes_on(watch, steps)) return false;
    fmpz_mat_t square, right;
    fmpq_mat_t solution;
    fmpz_mat_init(square, rank, rank);
    fmpz_mat_init(right, rank, 1);
    fmpq_mat_init(solution, rank, 1);
    for (slong i = 0; i < rank; i++)
        for (slong j = 0; j < rank; j++)
            fmpz_set(fmpz_mat_entry(square, i, j),
                     fmpz_mat_entry(q->row, q->equation[i], q->pivot[j]));
    fill_right(right, q, value);
    bool solved = rank == 0 || fmpq_mat_solve_fmpz_mat_dixon(solution, square, right);
    for (slong j = 0; j < columns - rank; j++) fmpq_set_fmpz(&x[q->chosen[j]], &value[j]);
    for (slong i = 0; i < rank; i++) fmpq_set(&x[q->pivot[i]], fmpq_mat_entry(solution, i, 0));
    if (rank < fmpz_mat_nrows(q->row)) solved = solved && satisfies_all(q, x);
    fmpz_mat_clear(square);
    fmpz_mat_clear(right);
    fmpq_mat_clear(solution);
    return solved && f2l_watch_goes_on(watch, 1);
}
