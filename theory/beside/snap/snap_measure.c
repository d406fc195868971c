/* How far the weights that were put back are from the exact transitions. */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include "theory/beside/snap/intertwiner.h"
#include "theory/beside/snap/put.h"
#include <math.h>
#include <string.h>

static double change_of(const double *parameters, const double *before, size_t count)
{
    double changed = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        const double change = parameters[i] - before[i];
        changed += change * change;
        whole += change == 0 ? 0 : before[i] * before[i];
    }
    return whole > 0 ? sqrt(changed / whole) : 0;
}

/* Measures betas and matrices of a part; work has room for K K + K d numbers. */
static void measure_matrices(f2l_snap_put *out, double *work, const f2l_snap_part *part,
                             const f2l_snap *snap, const f2l_inspect *x)
{
    const f2l_irrep_float *rho = &snap->irrep[part->irrep].value;
    const size_t K = snap->key_dim, d = rho->dimension, N = x->householders;
    for (size_t a = 0; a < snap->letters; a++) {
        memset(work, 0, K * K * sizeof *work);
        for (size_t i = 0; i < K; i++) work[i * K + i] = 1;
        f2l_inspect_apply(work, x, part->head, a, K);
        out->largest =
            fmax(out->largest, f2l_intertwiner_distance(NULL, work + K * K, work, part->basis,
                                                        rho->letter + a * d * d, K, d));
        for (size_t n = 0; n < N; n++) {
            const double beta = x->head[part->head].beta[a * N + n];
            out->beta = fmax(out->beta, fmin(fabs(beta), fabs(2 - beta)));
        }
    }
}

/* Measures how the centre of a part drifts, on a copy of it. */
static f2l_status measure_drift(f2l_snap_put *out, const f2l_snap_part *part, const f2l_snap *snap,
                                const f2l_snap_input *in, f2l_error *err)
{
    const size_t d = snap->irrep[part->irrep].value.dimension;
    f2l_snap_part copy = *part;
    copy.start = f2l_calloc(d, sizeof *copy.start);
    copy.centre = f2l_calloc(d * snap->value_dim, sizeof *copy.centre);
    f2l_status status = copy.start && copy.centre ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_snap_find_start(&copy, snap, in, err);
    if (status == F2L_OK) out->drift = fmax(out->drift, copy.drift);
    f2l_free(copy.start);
    f2l_free(copy.centre);
    return status;
}

f2l_status f2l_snap_put_measure(f2l_snap_put *out, const double *parameters, const double *before,
                                const f2l_snap *snap, const f2l_seq *model, const f2l_data *data,
                                const f2l_task *task, f2l_error *err)
{
    const size_t K = snap->key_dim;
    f2l_inspect x;
    f2l_seq_letters letters;
    f2l_inspect_init(&x);
    f2l_seq_letters_init(&letters);
    out->change = change_of(parameters, before, model->parameters);
    double *work = f2l_calloc(2 * K * K, sizeof *work);
    f2l_status status = work ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_inspect_build(&x, model, parameters, NULL, task, err);
    if (status == F2L_OK && model->config.additive)
        status =
            f2l_seq_letters_build(&letters, model, parameters, F2L_SEQ_LETTER_ARRAYS, task, err);
    const f2l_snap_input in = {&x,  model, parameters, data, letters.array[F2L_DELTA_LETTER_VALUE],
                               task};
    for (size_t p = 0; status == F2L_OK && p < snap->parts; p++) {
        measure_matrices(out, work, &snap->part[p], snap, &x);
        if (in.value != NULL) status = measure_drift(out, &snap->part[p], snap, &in, err);
    }
    f2l_free(work);
    f2l_seq_letters_clear(&letters);
    f2l_inspect_clear(&x);
    return status;
}
