#include "models/learn/op/op_scan.h"
#include "numeric/base/mem.h"

void f2l_scan_forward_f32(float *h, float *state, const float *a, const float *b, const float *h0,
                          const f2l_scan_shape *shape)
{
    const size_t T = shape->tokens, D = shape->width;
    for (size_t s = 0; s < shape->batch; s++, a += T * D, b += T * D, h += T * D) {
        const float *before = state ? state + s * D : h0;
        for (size_t t = 0; t < T; t++) {
            for (size_t d = 0; d < D; d++)
                h[t * D + d] = (before ? a[t * D + d] * before[d] : 0) + b[t * D + d];
            before = h + t * D;
        }
        for (size_t d = 0; state && T && d < D; d++) state[s * D + d] = before[d];
    }
}

/* Computes backward of one sequence; g is the gradient at h_t from later tokens. */
static void scan_back(float *da, float *db, float *g, const float *dh, const float *h,
                      const float *a, const float *h0, size_t T, size_t D)
{
    for (size_t t = T; t-- > 0;) {
        const float *before = t ? h + (t - 1) * D : h0;
        for (size_t d = 0; d < D; d++) {
            const float all = g[d] + dh[t * D + d];
            if (da) da[t * D + d] = before ? all * before[d] : 0;
            if (db) db[t * D + d] = all;
            g[d] = all * a[t * D + d];
        }
    }
}

f2l_status f2l_scan_backward_f32(float *da, float *db, float *dh0, const float *dh, const float *h,
                                 const float *a, const float *h0, const f2l_scan_shape *shape,
                                 f2l_error *err)
{
    const size_t T = shape->tokens, D = shape->width;
    float *g = f2l_calloc(D, sizeof *g);
    if (!g) return f2l_fail_memory(err);
    for (size_t s = 0; s < shape->batch; s++) {
        const size_t at = s * T * D;
        for (size_t d = 0; d < D; d++) g[d] = 0;
        scan_back(da ? da + at : NULL, db ? db + at : NULL, g, dh + at, h + at, a + at, h0, T, D);
        for (size_t d = 0; dh0 && d < D; d++) dh0[d] += g[d];
    }
    f2l_free(g);
    return F2L_OK;
}
