#include "theory/obstruct/separation/elimination.h"
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>
#include <string.h>

void f2l_watch_start(f2l_watch *watch, const f2l_task *task, const char *phase, f2l_error *err)
{
    *watch = (f2l_watch){.task = task ? *task : (f2l_task){0}, .err = err};
    watch->task.effort = NULL;
    watch->meter = (f2l_meter){.task = &watch->task, .phase = phase};
}

bool f2l_watch_goes_on(f2l_watch *watch, uint64_t steps)
{
    if (!watch) return true;
    if (watch->status == F2L_OK)
        watch->status = f2l_meter_spend(&watch->meter, steps, 0, 0, watch->err);
    return watch->status == F2L_OK;
}

/* Elimination in rows of integers without a common divisor. */
typedef struct elimination {
    fmpz_mat_t m;
    fmpz_t own, other, divisor;
    f2l_watch *watch;
} elimination;

/* Divides the row by the greatest common divisor of its entries. */
static void make_row_primitive(elimination *e, slong row)
{
    const slong columns = fmpz_mat_ncols(e->m);
    _fmpz_vec_content(e->divisor, fmpz_mat_entry(e->m, row, 0), columns);
    if (fmpz_is_zero(e->divisor) || fmpz_is_one(e->divisor)) return;
    _fmpz_vec_scalar_divexact_fmpz(fmpz_mat_entry(e->m, row, 0), fmpz_mat_entry(e->m, row, 0),
                                   columns, e->divisor);
}

/* Subtracts a multiple of the pivot's row from another one, whose entry at the column becomes 0.
 * Returns whether to go on. */
static bool cancel(elimination *e, slong row, slong pivot, slong column)
{
    const slong columns = fmpz_mat_ncols(e->m);
    fmpz *to = fmpz_mat_entry(e->m, row, 0), *from = fmpz_mat_entry(e->m, pivot, 0);
    if (fmpz_is_zero(&to[column])) return true;
    fmpz_gcd(e->divisor, &to[column], &from[column]);
    fmpz_divexact(e->own, &from[column], e->divisor);
    fmpz_divexact(e->other, &to[column], e->divisor);
    for (slong j = 0; j < columns; j++) {
        if (!fmpz_is_zero(&to[j]) && !fmpz_is_one(e->own)) fmpz_mul(&to[j], &to[j], e->own);
        if (!fmpz_is_zero(&from[j])) fmpz_submul(&to[j], &from[j], e->other);
    }
    make_row_primitive(e, row);
    const slong bits = fmpz_bits(e->own) + fmpz_bits(e->other);
    return f2l_watch_goes_on(e->watch, (uint64_t)columns * (4 + (uint64_t)bits / 8));
}

/* Moves the row from `row` on with the shortest entry at the column that is not 0 to `row`; returns
 * whether there is one. */
static bool choose_pivot(elimination *e, slong row, slong column)
{
    slong best = -1;
    for (slong i = row; i < fmpz_mat_nrows(e->m); i++) {
        const fmpz *entry = fmpz_mat_entry(e->m, i, column);
        if (fmpz_is_zero(entry)) continue;
        if (best < 0 || fmpz_bits(entry) < fmpz_bits(fmpz_mat_entry(e->m, best, column))) best = i;
    }
    if (best >= 0) fmpz_mat_swap_rows(e->m, NULL, best, row);
    return best >= 0;
}

/* Returns the rank, and the pivots' columns; false in *on after a stop. */
static slong eliminate_rows(elimination *e, slong *pivot, bool *on)
{
    const slong rows = fmpz_mat_nrows(e->m), columns = fmpz_mat_ncols(e->m);
    slong rank = 0;
    *on = true;
    for (slong j = 0; *on && j < columns && rank < rows; j++) {
        if (!choose_pivot(e, rank, j)) continue;
        for (slong i = rank + 1; *on && i < rows; i++) *on = cancel(e, i, rank, j);
        pivot[rank++] = j;
    }
    for (slong r = rank; *on && r-- > 0;)
        for (slong i = 0; *on && i < r; i++) *on = cancel(e, i, r, pivot[r]);
    return rank;
}

slong f2l_reduce_rows(fmpq_mat_t m, f2l_watch *watch)
{
    const slong rows = fmpq_mat_nrows(m), columns = fmpq_mat_ncols(m);
    elimination e = {.watch = watch};
    bool on;
    if (rows == 0 || columns == 0) return 0;
    slong *pivot = flint_malloc((size_t)(rows + 1) * sizeof *pivot);
    fmpz_mat_init(e.m, rows, columns);
    fmpz_init(e.own);
    fmpz_init(e.other);
    fmpz_init(e.divisor);
    fmpq_mat_get_fmpz_mat_rowwise(e.m, NULL, m);
    for (slong i = 0; i < rows; i++) make_row_primitive(&e, i);
    const slong rank = eliminate_rows(&e, pivot, &on);
    fmpq_mat_zero(m);
    for (slong i = 0; on && i < rank; i++)
        for (slong j = pivot[i]; j < columns; j++)
            if (!fmpz_is_zero(fmpz_mat_entry(e.m, i, j)))
                fmpq_set_fmpz_frac(fmpq_mat_entry(m, i, j), fmpz_mat_entry(e.m, i, j),
                                   fmpz_mat_entry(e.m, i, pivot[i]));
    fmpz_mat_clear(e.m);
    fmpz_clear(e.own);
    fmpz_clear(e.other);
    fmpz_clear(e.divisor);
    flint_free(pivot);
    return on ? rank : 0;
}

void f2l_null_space(fmpq_mat_t basis, const fmpq_mat_t m, f2l_watch *watch)
{
    const slong columns = fmpq_mat_ncols(m);
    fmpq_mat_t r;
    fmpq_mat_init_set(r, m);
    const slong rank = f2l_reduce_rows(r, watch);
    slong *row_of = flint_calloc((size_t)(columns + 1), sizeof *row_of); /* 1 + row of a pivot */
    for (slong i = 0, j = 0; i < rank; i++) {
        while (fmpq_is_zero(fmpq_mat_entry(r, i, j))) j++;
        row_of[j] = i + 1;
    }
    const bool on = f2l_watch_goes_on(watch, (uint64_t)columns * (uint64_t)columns);
    fmpq_mat_clear(basis);
    fmpq_mat_init(basis, on ? columns - rank : 0, columns);
    for (slong j = 0, row = 0; on && j < columns; j++) {
        if (row_of[j]) continue;
        for (slong i = 0; i < columns; i++)
            if (row_of[i])
                fmpq_neg(fmpq_mat_entry(basis, row, i), fmpq_mat_entry(r, row_of[i] - 1, j));
        fmpq_one(fmpq_mat_entry(basis, row, j));
        row++;
    }
    flint_free(row_of);
    fmpq_mat_clear(r);
}
