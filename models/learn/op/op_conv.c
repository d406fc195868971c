#include "models/learn/op/op_conv.h"

/* Keeps the inputs of the last taps - 1 tokens, of which the first may still be in `past`. Moves
 * upwards, oldest first: a row is read before it is written. */
static void keep_past_inputs(float *past, const float *x, size_t tokens, size_t width, size_t kept)
{
    for (size_t j = 0; j < kept; j++) {
        const size_t at = tokens + j; /* counted from the first row kept before */
        const float *row = at < kept ? past + at * width : x + (at - kept) * width;
        for (size_t d = 0; d < width; d++) past[j * width + d] = row[d];
    }
}

void f2l_conv_forward_f32(float *y, float *past, const float *x, const float *w, const float *bias,
                          const f2l_conv_shape *shape)
{
    const size_t T = shape->tokens, D = shape->width, kept = shape->taps - 1;
    for (size_t b = 0; b < shape->batch; b++, x += T * D, y += T * D) {
        for (size_t t = 0; t < T; t++) {
            for (size_t d = 0; d < D; d++) y[t * D + d] = bias ? bias[d] : 0;
            for (size_t j = 0; j <= kept; j++) {
                if (t + j < kept && !past) continue;
                const float *row = t + j < kept ? past + (t + j) * D : x + (t + j - kept) * D;
                for (size_t d = 0; d < D; d++) y[t * D + d] += w[d * (kept + 1) + j] * row[d];
            }
        }
        if (!past) continue;
        keep_past_inputs(past, x, T, D, kept);
        past += kept * D;
    }
}

static void conv_gradient_of_x(float *dx, const float *dy, const float *w, size_t T, size_t D,
                               size_t kept)
{
    for (size_t t = 0; t < T; t++) {
        for (size_t d = 0; d < D; d++) dx[t * D + d] = 0;
        for (size_t j = 0; j <= kept && t + kept - j < T + kept; j++) {
            const size_t to = t + kept - j; /* y at `to` read x at t through tap j */
            if (to >= T) continue;
            for (size_t d = 0; d < D; d++) dx[t * D + d] += w[d * (kept + 1) + j] * dy[to * D + d];
        }
    }
}

void f2l_conv_backward_f32(float *dx, float *dw, float *dbias, const float *dy, const float *x,
                           const float *w, const f2l_conv_shape *shape)
{
    const size_t T = shape->tokens, D = shape->width, kept = shape->taps - 1;
    for (size_t b = 0; b < shape->batch; b++, x += T * D, dy += T * D) {
        if (dx) conv_gradient_of_x(dx + b * T * D, dy, w, T, D, kept);
        for (size_t t = 0; t < T; t++) {
            for (size_t d = 0; dbias && d < D; d++) dbias[d] += dy[t * D + d];
            for (size_t j = t < kept ? kept - t : 0; dw && j <= kept; j++)
                for (size_t d = 0; d < D; d++)
                    dw[d * (kept + 1) + j] += dy[t * D + d] * x[(t + j - kept) * D + d];
        }
    }
}
