/* Code shared by forward and backward of the delta product and of models/learn/op/op_dplr.h. The
 * columns of S do not mix, so all work on strips of STRIP columns: a strip of S [key][STRIP] stays
 * in the cache, every inner loop has a constant length that the compiler turns into vectors, and
 * sums over the key have one fixed order. The last strip is filled up with zeros. */
#ifndef F2L_OP_DELTA_STRIP_H
#define F2L_OP_DELTA_STRIP_H

#include "models/learn/op/op_delta.h"
#include "numeric/base/clones.h"
#include <string.h>

enum { STRIP = 16, HALF = STRIP / 2 };

/* The place of the numbers of one (sequence, head), and the strip. */
typedef struct f2l_delta_place {
    size_t sequence, head;
    size_t from, width; /* the strip: columns from .. from + width - 1 */
} f2l_delta_place;

static inline size_t token_row(const f2l_delta_shape *s, const f2l_delta_place *at, size_t t)
{
    return (at->sequence * s->tokens + t) * s->heads + at->head;
}

static inline size_t factor_row(const f2l_delta_shape *s, const f2l_delta_place *at, size_t t,
                                size_t n)
{
    return ((at->sequence * s->tokens + t) * s->householders + n) * s->heads + at->head;
}

static inline f2l_delta_place strip_at(const f2l_delta_shape *s, size_t sequence, size_t head,
                                       size_t from)
{
    const size_t left = s->value - from;
    return (f2l_delta_place){sequence, head, from, left < STRIP ? left : STRIP};
}

/* Sets to [STRIP] to row[0 .. width - 1], then zeros; row NULL: zeros. */
F2L_INLINE void take(float *restrict to, const float *restrict row, size_t width)
{
    for (size_t l = 0; l < STRIP; l++) to[l] = row && l < width ? row[l] : 0;
}

/* Sets to [key][STRIP] from columns of S [key][value]; S NULL: zeros. */
static inline void take_matrix(float *to, const float *S, const f2l_delta_shape *s,
                               const f2l_delta_place *at)
{
    for (size_t i = 0; i < s->key; i++)
        take(to + i * STRIP, S ? S + i * s->value + at->from : NULL, at->width);
}

/* Half a row of a strip: for floats, one vector of AVX2. (Types wider than the processor's vectors
 * make poor code.) */
typedef float half
    __attribute__((vector_size(HALF * sizeof(float)), aligned(sizeof(float)), may_alias));

/* Computes w [STRIP] = S^T k. The even and the odd rows are summed apart, so more chains of
 * additions run at once. */
F2L_INLINE void transposed_times(float *w, const float *S, const float *k, size_t K)
{
    const half *row = (const half *)S;
    half even[2] = {{0}, {0}}, odd[2] = {{0}, {0}};
    size_t i = 0;
    for (; i + 2 <= K; i += 2) {
        even[0] += k[i] * row[2 * i];
        even[1] += k[i] * row[2 * i + 1];
        odd[0] += k[i + 1] * row[2 * i + 2];
        odd[1] += k[i + 1] * row[2 * i + 3];
    }
    if (i < K) {
        even[0] += k[i] * row[2 * i];
        even[1] += k[i] * row[2 * i + 1];
    }
    ((half *)w)[0] = even[0] + odd[0];
    ((half *)w)[1] = even[1] + odd[1];
}

/* Computes to = S + k step^T; `to` may be S. */
F2L_INLINE void add_outer(float *to, const float *S, const float *k, const float *step, size_t K)
{
    const half low = ((const half *)step)[0], high = ((const half *)step)[1];
    for (size_t i = 0; i < K; i++) {
        ((half *)to)[2 * i] = ((const half *)S)[2 * i] + k[i] * low;
        ((half *)to)[2 * i + 1] = ((const half *)S)[2 * i + 1] + k[i] * high;
    }
}

/* Applies one factor: e [STRIP] = v - S^T k, to = S + k (beta e)^T; `to` may be S. */
F2L_INLINE void apply_factor(float *to, float *e, const float *S, const float *k, const float *v,
                             float beta, size_t K)
{
    float w[STRIP];
    transposed_times(w, S, k, K);
    for (size_t l = 0; l < STRIP; l++) e[l] = v[l] - w[l];
    for (size_t l = 0; l < STRIP; l++) w[l] = beta * e[l];
    add_outer(to, S, k, w, K);
}

/* Computes to = gate S; `to` may be S. */
F2L_INLINE void apply_gate(float *to, const float *S, float gate, size_t K)
{
    for (size_t i = 0; i < K * STRIP; i++) to[i] = gate * S[i];
}

/* Replaces S by the state after token t; e [STRIP] is written over. */
F2L_INLINE void step_token(float *S, float *e, const f2l_delta_in_f32 *in, const f2l_delta_shape *s,
                           const f2l_delta_place *at, size_t t)
{
    float v[STRIP];
    if (in->gate) apply_gate(S, S, in->gate[token_row(s, at, t)], s->key);
    for (size_t n = 0; n < s->householders; n++) {
        const size_t factor = factor_row(s, at, t, n);
        take(v, in->v ? in->v + factor * s->value + at->from : NULL, at->width);
        apply_factor(S, e, S, in->k + factor * s->key, v, in->beta[factor], s->key);
    }
}

typedef float quarter
    __attribute__((vector_size(STRIP / 4 * sizeof(float)), aligned(sizeof(float)), may_alias));

/* Computes to [4] from 16 numbers, given as two halves, added by halves to 8 and to 4. */
F2L_INLINE void to_quarter(float *to, const half *low, const half *high)
{
    float y[HALF];
    *(half *)y = *low + *high;
    *(quarter *)to = ((const quarter *)y)[0] + ((const quarter *)y)[1];
}

/* Returns the sum of four numbers in the order of halves. */
F2L_INLINE float quarter_sum(const float *y)
{
    return (y[0] + y[2]) + (y[1] + y[3]);
}

/* Adds to sum [4] scale times the sums of the four rows of y, in the order of quarter_sum. */
F2L_INLINE void add_four_sums(float *sum, float y[4][STRIP / 4], float scale)
{
    const quarter low = {y[0][0] + y[0][2], y[1][0] + y[1][2], y[2][0] + y[2][2],
                         y[3][0] + y[3][2]};
    const quarter high = {y[0][1] + y[0][3], y[1][1] + y[1][3], y[2][1] + y[2][3],
                          y[3][1] + y[3][3]};
    *(quarter *)sum += scale * (low + high);
}

/* Computes y += S x, x [STRIP]. */
F2L_INLINE void add_times(float *y, const float *S, const float *x, size_t K)
{
    const half *s = (const half *)S, x0 = ((const half *)x)[0], x1 = ((const half *)x)[1];
    float z[4][STRIP / 4];
    for (size_t i = 0; i < K; i++) {
        const half low = s[2 * i] * x0, high = s[2 * i + 1] * x1;
        to_quarter(z[i % 4], &low, &high);
        if (i % 4 == 3) add_four_sums(y + i - 3, z, 1);
    }
    for (size_t i = K - K % 4; i < K; i++) y[i] += quarter_sum(z[i % 4]);
}

#endif
