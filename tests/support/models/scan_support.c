#include "tests/support/models/scan_support.h"

void scan_sample_init(scan_sample *s, f2l_scan_shape shape, bool bf16, bool started, uint64_t seed)
{
    *s = (scan_sample){shape, bf16, started, shape.batch * shape.tokens * shape.width, {0}, {0}};
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int i = 0; i < SCAN_INPUTS; i++) {
        const size_t n = i == SCAN_H0 ? shape.width : s->n;
        if (i == SCAN_H0 && !started) continue;
        s->number[i] = malloc((n + 1) * sizeof(float));
        s->wide[i] = malloc((n + 1) * sizeof(double));
        for (size_t j = 0; j < n; j++) {
            const double x = ldexp((double)(f2l_rng_u64(&rng) >> 11), -52) - 1;
            const bool narrow = bf16 && i != SCAN_H0;
            f2l_replay_put(s->number[i], j, (float)x, narrow);
            s->wide[i][j] = (double)f2l_replay_get(s->number[i], j, narrow);
        }
    }
}

void scan_sample_clear(scan_sample *s)
{
    for (int i = 0; i < SCAN_INPUTS; i++) free(s->number[i]), free(s->wide[i]);
}

size_t scan_count(const scan_sample *s, int which)
{
    return which == SCAN_DH0 ? s->shape.width : s->n;
}

size_t scan_bytes(const scan_sample *s, int which)
{
    return scan_count(s, which) * (s->bf16 && which != SCAN_DH0 ? 2 : 4);
}

f2l_status scan_both(scan_results *x, const scan_sample *s, f2l_error *err)
{
    *x = (scan_results){{0}, {0}};
    for (int i = 0; i < SCAN_OUTPUTS; i++) {
        x->wide[i] = calloc(scan_count(s, i) + 1, sizeof(double));
        x->number[i] = calloc(scan_count(s, i) + 1, sizeof(float));
    }
    f2l_status status =
        f2l_replay_scan_forward(x->number[SCAN_H], NULL, s->number[SCAN_A], s->number[SCAN_B],
                                s->number[SCAN_H0], s->bf16, &s->shape, err);
    if (status != F2L_OK) return status;
    status = f2l_replay_scan_backward(x->number[SCAN_DA], x->number[SCAN_DB], x->number[SCAN_DH0],
                                      s->number[SCAN_DH], x->number[SCAN_H], s->number[SCAN_A],
                                      s->number[SCAN_H0], s->bf16, &s->shape, err);
    if (status != F2L_OK) return status;
    f2l_scan_forward_f64(x->wide[SCAN_H], NULL, s->wide[SCAN_A], s->wide[SCAN_B], s->wide[SCAN_H0],
                         &s->shape);
    return f2l_scan_backward_f64(x->wide[SCAN_DA], x->wide[SCAN_DB], x->wide[SCAN_DH0],
                                 s->wide[SCAN_DH], x->wide[SCAN_H], s->wide[SCAN_A],
                                 s->wide[SCAN_H0], &s->shape, err);
}

void scan_results_clear(scan_results *x)
{
    for (int i = 0; i < SCAN_OUTPUTS; i++) free(x->wide[i]), free(x->number[i]);
}

double scan_error(const scan_results *x, const scan_sample *s, int which)
{
    double wrong = 0, all = 0;
    for (size_t i = 0; i < scan_count(s, which); i++) {
        const double want = x->wide[which][i],
                     d = (double)f2l_replay_get(x->number[which], i, s->bf16 && which != SCAN_DH0) -
                         want;
        wrong += d * d, all += want * want;
    }
    return wrong == 0 ? 0 : sqrt(wrong / all);
}

double scan_allowed(const scan_sample *s, int which)
{
    return !s->bf16 || which == SCAN_DH0 ? 1e-6 : which == SCAN_DA ? 0.008 : 0.004;
}
