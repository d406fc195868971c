/* Rows of a projection that have given values at the letters. */
#include "models/inspect/inspect_dense.h"
#include "models/op/op_norm.h"
#include "models/seq/pass.h"
#include "numeric/base/mem.h"
#include "theory/snap/put.h"
#include <math.h>
#include <string.h>

/* Squares of the distances of an input from the span of the others, relative to its own square,
 * below which weights in float no longer hold what is put into them. */
#define INDEPENDENT 1e-6

/* Replaces the lower triangle of a [n][n] by its Cholesky factor; false: the rows are dependent. */
static bool factor(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double whole = a[j * n + j];
        for (size_t k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
        if (!(a[j * n + j] > INDEPENDENT * whole)) return false;
        a[j * n + j] = sqrt(a[j * n + j]);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
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
        for (size_t i = 0; i < L * L; i++)
            out->factor[i] = f2l_dense_dot(out->x + i / L * W, out->x + i % L * W, W);
        if (L > W || !factor(out->factor, L))
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
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) change[i] -= fit->factor[i * n + k] * change[k];
        change[i] /= fit->factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) change[i] -= fit->factor[k * n + i] * change[k];
        change[i] /= fit->factor[i * n + i];
    }
    for (size_t a = 0; a < n; a++)
        for (size_t i = 0; i < fit->width; i++) row[i] += change[a] * fit->x[a * fit->width + i];
}
