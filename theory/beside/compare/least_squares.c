#include "theory/beside/compare/least_squares.h"
#include "numeric/base/mem.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* The numbers of a fit. Rows are minus the mean of the rows that it is fitted to. */
typedef struct fit {
    size_t fitted, rows, from, to; /* columns of x and y */
    double *x;                     /* [rows][from] */
    double *y;                     /* [rows][to] */
    double *map;                   /* [most of fitted and from][to] the solution */
    double *singular;              /* [least of fitted and from] */
    double *error;                 /* [rows][to] y minus its image */
} fit;

static void fit_clear(fit *f)
{
    f2l_free(f->x);
    f2l_free(f->y);
    f2l_free(f->map);
    f2l_free(f->singular);
    f2l_free(f->error);
}

/* Numbers that differ from the mean by less than this part of it are the mean. */
#define ROUNDING 1e-12

/* Copies columns minus their means over the first `fitted` rows. */
static void centre_columns(double *out, f2l_columns from, size_t fitted, size_t rows)
{
    for (size_t k = 0; k < from.count; k++) {
        double mean = 0;
        for (size_t i = 0; i < fitted; i++) mean += from.at[i * from.stride + k] / (double)fitted;
        for (size_t i = 0; i < rows; i++) {
            const double d = from.at[i * from.stride + k] - mean;
            out[i * from.count + k] = fabs(d) <= ROUNDING * fabs(mean) ? 0 : d;
        }
    }
}

static f2l_status allocate_fit(fit *f, f2l_error *err)
{
    const size_t height = f->fitted > f->from ? f->fitted : f->from;
    f->x = f2l_calloc(f->rows, f->from * sizeof *f->x);
    f->y = f2l_calloc(f->rows, f->to * sizeof *f->y);
    f->map = f2l_calloc(height, f->to * sizeof *f->map);
    f->singular = f2l_calloc(height, sizeof *f->singular);
    f->error = f2l_calloc(f->rows, f->to * sizeof *f->error);
    return f->x && f->y && f->map && f->singular && f->error ? F2L_OK : f2l_fail_memory(err);
}

/* Solves by a singular value decomposition (LAPACK's dgelsd). */
static f2l_status solve_fit(fit *f, size_t *rank, double threshold, f2l_error *err)
{
    lapack_int used = 0;
    double *copy = f2l_calloc(f->fitted, f->from * sizeof *copy);
    if (copy == NULL) return f2l_fail_memory(err);
    memcpy(copy, f->x, f->fitted * f->from * sizeof *copy);
    memcpy(f->map, f->y, f->fitted * f->to * sizeof *copy);
    const lapack_int failed = LAPACKE_dgelsd(
        LAPACK_ROW_MAJOR, (lapack_int)f->fitted, (lapack_int)f->from, (lapack_int)f->to, copy,
        (lapack_int)f->from, f->map, (lapack_int)f->to, f->singular, threshold, &used);
    f2l_free(copy);
    *rank = (size_t)used;
    if (failed == LAPACK_WORK_MEMORY_ERROR || failed == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return f2l_fail_memory(err);
    return failed == 0 ? F2L_OK
                       : f2l_fail(err, F2L_EDOMAIN,
                                  "the least squares of the states are not found: a number is not "
                                  "finite");
}

/* Returns the relative error of columns first .. first + count - 1 in the rows begin .. end - 1. */
static double relative(const fit *f, size_t first, size_t count, size_t begin, size_t end)
{
    double missed = 0, all = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t k = first; k < first + count; k++) {
            const double error = f->error[i * f->to + k], value = f->y[i * f->to + k];
            missed += error * error;
            all += value * value;
        }
    return all > 0 ? sqrt(missed / all) : NAN;
}

f2l_status f2l_least_squares(f2l_state_map *map, size_t *rank, f2l_columns x, f2l_columns y,
                             const f2l_learned_part *part, size_t parts, size_t fitted, size_t rows,
                             double threshold, f2l_error *err)
{
    fit f = {.fitted = fitted, .rows = rows, .from = x.count, .to = y.count};
    f2l_status status = allocate_fit(&f, err);
    if (status == F2L_OK) {
        centre_columns(f.x, x, fitted, rows);
        centre_columns(f.y, y, fitted, rows);
        status = solve_fit(&f, rank, threshold, err);
    }
    if (status == F2L_OK) {
        memcpy(f.error, f.y, rows * f.to * sizeof *f.error);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)f.to, (int)f.from,
                    -1, f.x, (int)f.from, f.map, (int)f.to, 1, f.error, (int)f.to);
    }
    for (size_t p = 0; status == F2L_OK && p < parts; p++)
        map[p] = (f2l_state_map){relative(&f, part[p].first, part[p].count, 0, fitted),
                                 relative(&f, part[p].first, part[p].count, fitted, rows)};
    fit_clear(&f);
    return status;
}
