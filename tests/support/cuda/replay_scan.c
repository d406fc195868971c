#include "tests/support/cuda/replay_scan.h"
#include "numeric/base/mem.h"
#include "tests/support/cuda/replay_bf16.h"
#include <math.h>

/* One channel of one sequence: index of token t is first + t * width. */
typedef struct channel {
    size_t first, width, tokens, chunk, chunks;
    bool bf16;
} channel;

static channel channel_of(const f2l_scan_shape *s, size_t sequence, size_t d, bool bf16)
{
    return (channel){sequence * s->tokens * s->width + d,
                     s->width,
                     s->tokens,
                     f2l_scan_chunk(s),
                     f2l_scan_chunks(s),
                     bf16};
}

static float at(const void *x, const channel *c, size_t t)
{
    return f2l_replay_get(x, c->first + t * c->width, c->bf16);
}

static size_t end_of(const channel *c, size_t chunk)
{
    const size_t end = (chunk + 1) * c->chunk;
    return end < c->tokens ? end : c->tokens;
}

/* Computes start[chunks]: h before every chunk. */
static void starts(float *start, const void *a, const void *b, float h, const channel *c)
{
    start[0] = h;
    for (size_t j = 0; j + 1 < c->chunks; j++) {
        float product = 1, last = 0;
        for (size_t t = j * c->chunk; t < end_of(c, j); t++) {
            product *= at(a, c, t);
            last = fmaf(at(a, c, t), last, at(b, c, t));
        }
        start[j + 1] = fmaf(product, start[j], last);
    }
}

static float forward_channel(void *h, const void *a, const void *b, float begin, float *start,
                             const channel *c)
{
    float x = begin;
    starts(start, a, b, begin, c);
    for (size_t j = 0; j < c->chunks; j++) {
        x = start[j];
        for (size_t t = j * c->chunk; t < end_of(c, j); t++) {
            x = fmaf(at(a, c, t), x, at(b, c, t));
            f2l_replay_put(h, c->first + t * c->width, x, c->bf16);
        }
    }
    return x;
}

f2l_status f2l_replay_scan_forward(void *h, float *state, const void *a, const void *b,
                                   const float *h0, bool bf16, const f2l_scan_shape *s,
                                   f2l_error *err)
{
    if (!s->tokens) return F2L_OK;
    float *start = f2l_calloc(f2l_scan_chunks(s), sizeof *start);
    if (!start) return f2l_fail_memory(err);
    for (size_t i = 0; i < s->batch; i++)
        for (size_t d = 0; d < s->width; d++) {
            const channel c = channel_of(s, i, d, bf16);
            const float begin = state ? state[i * s->width + d] : h0 ? h0[d] : 0;
            const float end = forward_channel(h, a, b, begin, start, &c);
            if (state) state[i * s->width + d] = end;
        }
    f2l_free(start);
    return F2L_OK;
}

/* Computes end[chunks]: the gradient from later tokens at the last h of every chunk. */
static void ends(float *end, const void *a, const void *dh, const channel *c)
{
    end[c->chunks - 1] = 0;
    for (size_t j = c->chunks; j-- > 1;) {
        float product = 1, g = 0;
        for (size_t t = end_of(c, j); t-- > j * c->chunk;) {
            product *= at(a, c, t);
            g = at(a, c, t) * (g + at(dh, c, t));
        }
        end[j - 1] = fmaf(product, end[j], g);
    }
}

/* Computes the gradients of one channel and returns the gradient at the start. */
static float backward_channel(void *da, void *db, const void *dh, const void *h, const void *a,
                              float begin, float *end, const channel *c)
{
    float g = 0;
    ends(end, a, dh, c);
    for (size_t j = c->chunks; j-- > 0;) {
        g = end[j];
        for (size_t t = end_of(c, j); t-- > j * c->chunk;) {
            const float all = g + at(dh, c, t);
            if (da)
                f2l_replay_put(da, c->first + t * c->width, all * (t ? at(h, c, t - 1) : begin),
                               c->bf16);
            if (db) f2l_replay_put(db, c->first + t * c->width, all, c->bf16);
            g = all * at(a, c, t);
        }
    }
    return g;
}

static void add_start(float *dh0, const float *g, const f2l_scan_shape *s)
{
    for (size_t d = 0; d < s->width; d++) {
        float sum = 0;
        for (size_t from = 0; from < s->batch; from += F2L_SCAN_GROUP) {
            float group = 0;
            for (size_t i = from; i < s->batch && i < from + F2L_SCAN_GROUP; i++)
                group += g[i * s->width + d];
            sum += group;
        }
        dh0[d] += sum;
    }
}

f2l_status f2l_replay_scan_backward(void *da, void *db, float *dh0, const void *dh, const void *h,
                                    const void *a, const float *h0, bool bf16,
                                    const f2l_scan_shape *s, f2l_error *err)
{
    size_t numbers;
    if (!s->tokens) return F2L_OK;
    if (!f2l_mul_size(&numbers, s->batch, s->width) ||
        !f2l_add_size(&numbers, numbers, f2l_scan_chunks(s)))
        return f2l_fail_memory(err);
    float *end = f2l_calloc(numbers, sizeof *end);
    if (!end) return f2l_fail_memory(err);
    float *g = end + f2l_scan_chunks(s);
    for (size_t i = 0; i < s->batch; i++)
        for (size_t d = 0; d < s->width; d++) {
            const channel c = channel_of(s, i, d, bf16);
            g[i * s->width + d] = backward_channel(da, db, dh, h, a, h0 ? h0[d] : 0, end, &c);
        }
    if (dh0) add_start(dh0, g, s);
    f2l_free(end);
    return F2L_OK;
}
