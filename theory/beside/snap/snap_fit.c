/* Rows of a projection that have given values at the letters. */
#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/seq/pass.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/put.h"
#include <lapacke.h>

/* Squares of the distances of an input from the span of the others, relative to its own square,
 * below which weights in float no longer hold what is put into them. */
#define INDEPENDENT 1e-6

/* Computes the Cholesky factor; returns false when the inputs of the letters are dependent. */
static bool factor_letter_inputs(f2l_snap_fit *f)
{
    const size_t L = f->letters;
    const lapack_int n = (lapack_int)L;
    for (size_t i = 0; i < L * L; i++)
        f->factor[i] = f2l_dense_dot(f->x + i / L * f->width, f->x + i % L * f->width, f->width);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, f->factor, n) != 0) return false;
    for (size_t a = 0; a < L; a++) {
        const double *x = f->x + a * f->width, apart = f->factor[a * L + a];
        if (!(apart * apart > INDEPENDENT * f2l_dense_dot(x, x, f->width))) return false;
    }
    return true;
}

f2l_status f2l_snap_fit_init(f2l_snap_fit *out, const f2l_seq *model, const double *parameters,
                             f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    const size_t L = c->letters, W = c->width;
    *out = (f2l_snap_fit){.letters = L, .width = W};
    out->x = f2l_calloc(L * W, sizeof *out->x);
    out->factor = f2l_calloc(L * L, sizeof *out->factor);
    f2l_status status = out->x && out->factor ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        f2l_rmsnorm_forward_f64(out->x, parameters + model->tensor[model->embedding].offset,
                                parameters + model->tensor[model->layer[0].mixer_norm].offset, L, W,
                                c->epsilon);
        if (L > W || !factor_letter_inputs(out))
            status = f2l_fail(err, F2L_EDOMAIN,
                              "the embeddings of the letters are not independent enough to give "
                              "each letter its own keys");
    }
    if (status != F2L_OK) f2l_snap_fit_clear(out);
    return status;
}

void f2l_snap_fit_clear(f2l_snap_fit *fit)
{
    f2l_free(fit->x);
    f2l_free(fit->factor);
    *fit = (f2l_snap_fit){0};
}

double f2l_snap_fit_value(const f2l_snap_fit *fit, const double *row, size_t letter)
{
    return f2l_dense_dot(row, fit->x + letter * fit->width, fit->width);
}

void f2l_snap_fit_row(double *row, double *change, const f2l_snap_fit *fit)
{
    const size_t n = fit->letters;
    (void)LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', (lapack_int)n, 1, fit->factor, (lapack_int)n,
                         change, (lapack_int)n);
    for (size_t a = 0; a < n; a++)
        for (size_t i = 0; i < fit->width; i++) row[i] += change[a] * fit->x[a * fit->width + i];
}
