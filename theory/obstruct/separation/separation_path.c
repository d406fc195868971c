/* The central path in doubles (SP.5): Newton's method on -t/mu - sum of log det(block - t). Nothing
 * is claimed of its numbers, which are rounded and then checked exactly. */
#include "numeric/base/clones.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include <math.h>
#include <string.h>

#define NEWTON 60 /* most steps for one mu */

static double *entry_of(const f2l_path *p, size_t variable, size_t block)
{
    return p->basis + (variable * p->blocks + block) * p->most * p->most;
}

/* Counts `times` passes over a block of every kind, and returns whether to go on. */
static bool path_goes_on(const f2l_path *p, size_t times)
{
    return f2l_watch_goes_on(p->watch, (uint64_t)times * p->blocks * p->most * p->most);
}

/* Returns whether the row of the variable's block is not 0; most rows are. */
static bool moves_row(const f2l_path *p, size_t variable, size_t block, size_t row)
{
    return p->moved[(variable * p->blocks + block) * p->most + row];
}

static void fill_path_basis(f2l_path *p, const f2l_face *face)
{
    for (size_t k = 0; k < p->variables; k++)
        for (size_t b = 0; b < p->blocks; b++) {
            const size_t *at = face->free + b * face->m;
            const double *from = face->number + (k * face->blocks + b) * face->m * face->m;
            double *to = entry_of(p, k, b);
            for (size_t i = 0; i < p->rows[b]; i++) {
                for (size_t j = 0; j < p->rows[b]; j++)
                    to[i * p->most + j] = from[at[i] * face->m + at[j]];
                p->trace[k] += to[i * p->most + i];
                for (size_t j = 0; j < p->rows[b]; j++)
                    if (to[i * p->most + j] != 0) p->moved[(k * p->blocks + b) * p->most + i] = 1;
            }
        }
}

/* Adds factor * from to numbers that lie elsewhere. Each sum has the order of a plain loop, so that
 * its rounding does not depend on how many are made at once. */
F2L_INLINE void add_multiple(double *restrict to, const double *restrict from, double factor,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += factor * from[i];
}

/* Sets slack to the blocks at x, less t. */
F2L_CLONES static void set_slack(f2l_path *p, double *slack, const double *x, double t)
{
    const size_t cells = p->most * p->most;
    memset(slack, 0, p->blocks * cells * sizeof *slack);
    for (size_t b = 0; b < p->blocks; b++) {
        double *to = slack + b * cells;
        for (size_t k = 0; k < p->variables; k++)
            for (size_t i = 0; i < p->rows[b]; i++)
                if (moves_row(p, k, b, i))
                    add_multiple(to + i * p->most, entry_of(p, k, b) + i * p->most, x[k],
                                 p->rows[b]);
        for (size_t i = 0; i < p->rows[b]; i++) to[i * p->most + i] -= t;
    }
}

/* Replaces a symmetric matrix, whose lower triangle is given, by its Cholesky factor L and, above
 * the diagonal, L^T: its rows are made at once, each entry by the same sum as one at a time. False:
 * it is not positive definite. */
F2L_CLONES static bool cholesky(double *a, size_t n, size_t width)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) a[j * width + i] = a[i * width + j];
    for (size_t j = 0; j < n; j++) {
        double *row = a + j * width + j;
        for (size_t k = 0; k < j; k++)
            add_multiple(row, a + k * width + j, -a[k * width + j], n - j);
        if (!(row[0] > 0)) return false;
        row[0] = sqrt(row[0]);
        for (size_t i = 1; i < n - j; i++) row[i] /= row[0];
        for (size_t i = j + 1; i < n; i++) a[i * width + j] = a[j * width + i];
    }
    return true;
}

/* Solves L L^T x = x for vectors x, of which there are `count`: x[n][count]. */
F2L_INLINE void solve_cholesky(const double *factor, double *x, size_t n, size_t width,
                               size_t count)
{
    for (size_t i = 0; i < n; i++) {
        double *to = x + i * count;
        for (size_t k = 0; k < i; k++)
            add_multiple(to, x + k * count, -factor[i * width + k], count);
        for (size_t c = 0; c < count; c++) to[c] /= factor[i * width + i];
    }
    for (size_t i = n; i-- > 0;) {
        double *to = x + i * count;
        for (size_t k = i + 1; k < n; k++)
            add_multiple(to, x + k * count, -factor[k * width + i], count);
        for (size_t c = 0; c < count; c++) to[c] /= factor[i * width + i];
    }
}

/* Returns whether all blocks of slack are positive definite; factors them. */
static bool blocks_are_definite(const f2l_path *p, double *slack)
{
    for (size_t b = 0; b < p->blocks; b++)
        if (!cholesky(slack + b * p->most * p->most, p->rows[b], p->most)) return false;
    return true;
}

F2L_CLONES static void invert_blocks(f2l_path *p)
{
    const size_t w = p->most, cells = w * w;
    double *x = p->scratch; /* its columns are the rows of the inverse */
    for (size_t b = 0; b < p->blocks; b++) {
        const size_t n = p->rows[b];
        memset(x, 0, n * n * sizeof *x);
        for (size_t i = 0; i < n; i++) x[i * n + i] = 1;
        solve_cholesky(p->slack + b * cells, x, n, w, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) p->inverse[b * cells + i * w + j] = x[j * n + i];
    }
}

/* Lists the rows that are not 0 of the derivative of block b of the slack by variable v, after
 * their number. The trace fixes the variable `pivot`, whose place t takes. */
static void list_slope_rows(f2l_path *p, size_t v, size_t b)
{
    const double ratio = p->trace[v] / p->trace[p->pivot];
    uint32_t *row = p->slope + (v * p->blocks + b) * (p->most + 1);
    for (size_t k = 0; k < p->rows[b]; k++)
        if (v == p->pivot || moves_row(p, v, b, k) || (ratio != 0 && moves_row(p, p->pivot, b, k)))
            row[++row[0]] = (uint32_t)k;
}

/* Sets slope[count][count] to the rows and columns of the derivative that are not 0. */
F2L_INLINE void set_slope(double *slope, const f2l_path *p, size_t v, size_t b, const uint32_t *row,
                          size_t count)
{
    const double ratio = p->trace[v] / p->trace[p->pivot];
    const double *own = entry_of(p, v, b), *other = entry_of(p, p->pivot, b);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < count; j++) {
            const size_t at = row[k] * p->most + row[j];
            slope[k * count + j] = v == p->pivot ? -(double)(k == j) : own[at] - ratio * other[at];
        }
}

/* Sets product[..][v] to inverse * slope, for block b. Its columns are 0 where a column of the
 * slope is, and so they stay. */
F2L_CLONES static void set_products(f2l_path *p, size_t b)
{
    const size_t w = p->most, n = p->variables, cells = w * w;
    double *slope = p->scratch, *out = p->scratch + cells; /* two blocks, or more */
    for (size_t v = 0; v < n; v++) {
        const uint32_t *row = p->slope + (v * p->blocks + b) * (w + 1);
        const size_t count = *row++;
        set_slope(slope, p, v, b, row, count);
        for (size_t i = 0; i < p->rows[b]; i++) {
            const double *inverse = p->inverse + b * cells + i * w;
            double *to = p->product + (b * cells + i * w) * n + v;
            memset(out, 0, count * sizeof *out);
            for (size_t k = 0; k < count; k++)
                add_multiple(out, slope + k * count, inverse[row[k]], count);
            for (size_t j = 0; j < count; j++) to[row[j] * n] = out[j];
        }
    }
}

/* Adds what block b has of the derivatives. Columns of products that are 0, as most are, are left
 * out of the sums. */
F2L_CLONES static void add_derivatives(f2l_path *p, size_t b)
{
    const size_t w = p->most, n = p->variables;
    for (size_t v = 0; v < n; v++) {
        double *sums = p->hessian + v * n; /* of the variables u <= v */
        const uint32_t *row = p->slope + (v * p->blocks + b) * (w + 1);
        const size_t count = *row++;
        for (size_t i = 0; i < p->rows[b]; i++) {
            const double *own = p->product + (b * w + i) * w * n + v;
            p->gradient[v] -= own[i * n];
            for (size_t k = 0; k < count; k++)
                if (own[row[k] * n] != 0)
                    add_multiple(sums, p->product + ((b * w + row[k]) * w + i) * n, own[row[k] * n],
                                 v + 1);
        }
    }
}

/* Sets the derivatives, block after block: the products of one fit into the cache. */
static void set_derivatives(f2l_path *p)
{
    const size_t n = p->variables;
    memset(p->hessian, 0, n * n * sizeof *p->hessian);
    for (size_t v = 0; v < n; v++) p->gradient[v] = v == p->pivot ? -1 / p->mu : 0;
    for (size_t b = 0; b < p->blocks && path_goes_on(p, n * (p->most + n / 2) / p->blocks); b++) {
        set_products(p, b);
        add_derivatives(p, b);
    }
}

/* Moves along the direction as far as the blocks stay positive definite. */
static bool move_along_path(f2l_path *p, double length)
{
    const double dt = p->direction[p->pivot];
    memcpy(p->step, p->direction, p->variables * sizeof *p->step);
    p->step[p->pivot] = 0;
    for (size_t v = 0; v < p->variables; v++)
        if (v != p->pivot) p->step[p->pivot] -= p->trace[v] / p->trace[p->pivot] * p->direction[v];
    for (int halves = 0; halves < 40; halves++, length /= 2) {
        for (size_t v = 0; v < p->variables; v++) p->trial[v] = p->x[v] + length * p->step[v];
        set_slack(p, p->scratch, p->trial, p->t + length * dt);
        if (!blocks_are_definite(p, p->scratch)) continue;
        memcpy(p->x, p->trial, p->variables * sizeof *p->x);
        p->t += length * dt;
        return true;
    }
    return false;
}

bool f2l_path_follow(f2l_path *p, double mu)
{
    p->mu = mu;
    for (int n = 0; n < NEWTON; n++) {
        set_slack(p, p->slack, p->x, p->t);
        if (!blocks_are_definite(p, p->slack)) return false;
        invert_blocks(p);
        set_derivatives(p);
        if (!path_goes_on(p, 1) || !cholesky(p->hessian, p->variables, p->variables)) return false;
        for (size_t v = 0; v < p->variables; v++) p->direction[v] = -p->gradient[v];
        solve_cholesky(p->hessian, p->direction, p->variables, p->variables, 1);
        double square = 0;
        for (size_t v = 0; v < p->variables; v++) square -= p->gradient[v] * p->direction[v];
        if (!(square < 1e12)) return false;
        if (square < 1e-6) return true;
        const double decrement = sqrt(square);
        if (!move_along_path(p, decrement < 0.25 ? 1 : 1 / (1 + decrement))) return false;
    }
    return false;
}

/* Starts at the form of least norm whose blocks have the average eigenvalue 1. */
static void start_path(f2l_path *p, size_t rows)
{
    double square = 0;
    p->pivot = 0;
    for (size_t v = 0; v < p->variables; v++) {
        square += p->trace[v] * p->trace[v];
        if (fabs(p->trace[v]) > fabs(p->trace[p->pivot])) p->pivot = v;
    }
    for (size_t v = 0; v < p->variables; v++) p->x[v] = p->trace[v] * (double)rows / square;
    for (size_t v = 0; v < p->variables; v++)
        for (size_t b = 0; b < p->blocks; b++) list_slope_rows(p, v, b);
    for (p->t = -1;; p->t *= 2) {
        set_slack(p, p->slack, p->x, p->t);
        if (blocks_are_definite(p, p->slack)) break;
    }
    p->t = 2 * p->t; /* not at the border */
}

/* The sum of these matrices' products with the blocks is 0 for every form of the face: the dual
 * matrices, less what the condition on the trace adds. */
void f2l_path_dual(double *out, const f2l_path *p)
{
    size_t rows = 0;
    for (size_t b = 0; b < p->blocks; b++) rows += p->rows[b];
    for (size_t b = 0; b < p->blocks; b++)
        for (size_t i = 0; i < p->most; i++)
            for (size_t j = 0; j < p->most; j++) {
                const size_t at = (b * p->most + i) * p->most + j;
                out[at] = p->mu * p->inverse[at];
                if (i == j && i < p->rows[b]) out[at] -= p->mu + p->t / (double)rows;
            }
}

static bool allocate_path(f2l_path *p)
{
    const size_t span = p->blocks * p->most * p->most, v = p->variables;
    p->basis = f2l_calloc(v * span, sizeof *p->basis);
    p->product = f2l_calloc(v * span, sizeof *p->product);
    p->hessian = f2l_calloc(v * v, sizeof *p->hessian);
    p->inverse = f2l_calloc(4 * span, sizeof *p->inverse);
    p->x = f2l_calloc(6 * v, sizeof *p->x);
    p->moved = f2l_calloc(v * p->blocks * p->most + 1, 1);
    p->slope = f2l_calloc(v * p->blocks * (p->most + 1), sizeof *p->slope);
    if (!p->moved || !p->slope || !p->basis || !p->product || !p->hessian || !p->inverse || !p->x)
        return false;
    p->slack = p->inverse + span;
    p->scratch = p->slack + span; /* has room for two blocks where there is one */
    p->trial = p->x + v;
    p->gradient = p->trial + v;
    p->direction = p->gradient + v;
    p->step = p->direction + v;
    p->trace = p->step + v;
    return true;
}

f2l_status f2l_path_init(f2l_path *p, const f2l_face *face, f2l_error *err)
{
    size_t rows = 0;
    bool traces = false;
    *p = (f2l_path){.variables = face->forms,
                    .blocks = face->blocks,
                    .rows = face->frees,
                    .watch = face->watch};
    for (size_t b = 0; b < p->blocks; b++) {
        rows += p->rows[b];
        if (p->rows[b] > p->most) p->most = p->rows[b];
    }
    const size_t v = p->variables, span = p->blocks * p->most * p->most;
    const f2l_status status =
        f2l_task_memory(&p->watch->task, p->watch->meter.phase,
                        (2 * v * span + v * v + 4 * span + 6 * v) * sizeof(double), err);
    if (status != F2L_OK) return status;
    if (!allocate_path(p)) {
        f2l_path_clear(p);
        return f2l_fail_memory(err);
    }
    fill_path_basis(p, face);
    for (size_t i = 0; i < v; i++) traces = traces || p->trace[i] != 0;
    if (!traces) {
        f2l_path_clear(p);
        return f2l_fail(err, F2L_EDOMAIN, "all forms have trace 0");
    }
    start_path(p, rows);
    return F2L_OK;
}

void f2l_path_clear(f2l_path *p)
{
    f2l_free(p->moved);
    f2l_free(p->slope);
    f2l_free(p->basis);
    f2l_free(p->product);
    f2l_free(p->hessian);
    f2l_free(p->inverse);
    f2l_free(p->x);
    *p = (f2l_path){0};
}
