/* The matrices of a head, and what they nearly intertwine. */
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include "theory/beside/snap/intertwiner.h"
#include <string.h>

f2l_status f2l_snap_head_init(f2l_snap_head *out, const f2l_snap_input *in, size_t head,
                              f2l_error *err)
{
    const size_t K = in->inspect->key_dim, letters = in->data->fsa->letters.count;
    size_t bytes;
    *out = (f2l_snap_head){.head = head, .K = K, .letters = letters};
    if (!f2l_mul_size(&bytes, letters, K * K * sizeof(double))) bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(in->task, "snap", bytes, err);
    if (status != F2L_OK) return status;
    out->letter = f2l_calloc(letters, K * K * sizeof *out->letter);
    out->square = f2l_calloc(K * K, sizeof *out->square);
    if (!out->letter || !out->square) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) {
        double *to = out->letter + a * K * K;
        for (size_t i = 0; i < K; i++) to[i * K + i] = 1;
        f2l_inspect_apply(to, in->inspect, head, a, K);
    }
    return F2L_OK;
}

void f2l_snap_head_clear(f2l_snap_head *h)
{
    f2l_free(h->letter);
    f2l_free(h->square);
    *h = (f2l_snap_head){0};
}

static void fill_square(double *square, const double *a, size_t K)
{
    memset(square, 0, K * K * sizeof *square);
    for (size_t l = 0; l < K; l++)
        for (size_t i = 0; i < K; i++)
            for (size_t k = 0; k < K; k++) square[i * K + k] += a[l * K + i] * a[l * K + k];
}

f2l_status f2l_snap_spectrum_build(f2l_snap_spectrum *out, double *square, const double *a,
                                   const double *rho, size_t count, size_t K, size_t d,
                                   const f2l_task *task, f2l_error *err)
{
    const size_t n = K * d;
    size_t bytes;
    *out = (f2l_snap_spectrum){.n = n};
    if (!f2l_mul_size(&bytes, n, 3 * n * sizeof(double))) bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(task, "snap", bytes, err);
    if (status != F2L_OK) return status;
    double *form = f2l_calloc(n * n, sizeof *form);
    out->value = f2l_calloc(n, sizeof *out->value);
    out->vector = f2l_calloc(n * n, sizeof *out->vector);
    status = form && out->value && out->vector ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        fill_square(square, a + i * K * K, K);
        f2l_intertwiner_add(form, a + i * K * K, square, rho + i * d * d, K, d);
    }
    for (size_t i = 0; status == F2L_OK && i < n * n; i++) form[i] /= (double)count;
    if (status == F2L_OK)
        status = f2l_dense_singular_values(out->value, out->vector, form, n, n, err);
    f2l_free(form);
    return status;
}

void f2l_snap_spectrum_clear(f2l_snap_spectrum *s)
{
    f2l_free(s->value);
    f2l_free(s->vector);
    *s = (f2l_snap_spectrum){0};
}
