/* Further operators of layers on the host: rows by letter, the short convolution, the selective
 * diagonal recurrence, as specified in their headers. */
#include "tests/support/cuda/host_operators.h"
#include <math.h>

f2l_status f2l_host_embed_forward(void *y, const void *table, const uint32_t *letter, size_t rows,
                                  size_t width, f2l_cuda_type type, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++)
            f2l_host_put(y, r * width + c, f2l_host_get(table, letter[r] * width + c, type), type);
    return F2L_OK;
}

/* --- convolution --- */

size_t f2l_host_conv_work(const f2l_cuda_conv_shape *shape)
{
    (void)shape;
    return 0;
}

typedef struct strides {
    size_t x, y;
} strides;

static strides strides_of(const f2l_cuda_conv_shape *s)
{
    return (strides){s->x_stride ? s->x_stride : s->width, s->y_stride ? s->y_stride : s->width};
}

/* Returns x of the channel `later` tokens before token t of word b; the past, or 0, precedes the
 * word. */
static float before(const void *past, const void *x, size_t b, size_t t, size_t later, size_t d,
                    size_t stride, const f2l_cuda_conv_shape *s)
{
    const size_t kept = s->taps - 1;
    if (later <= t)
        return f2l_host_get(
            x, (f2l_host_word(s->first, b, s->tokens).first + t - later) * stride + d, s->type);
    return past ? f2l_host_get(past, (b * kept + kept + t - later) * s->width + d, s->type) : 0;
}

static void convolve_word(void *y, const void *past, const void *x, const float *w, size_t b,
                          const f2l_cuda_conv_shape *s)
{
    const strides row = strides_of(s);
    const f2l_host_rows word = f2l_host_word(s->first, b, s->tokens);
    for (size_t t = 0; t < word.count; t++)
        for (size_t d = 0; d < s->width; d++) {
            float sum = 0;
            for (size_t later = 0; later < s->taps; later++)
                sum += w[(d + 1) * s->taps - 1 - later] * before(past, x, b, t, later, d, row.x, s);
            f2l_host_put(y, (word.first + t) * row.y + d, sum, s->type);
        }
}

/* Models have no bias. */
f2l_status f2l_host_conv_forward(void *y, void *new_past, const void *past, const void *x,
                                 const float *w, const float *bias, const f2l_cuda_conv_shape *s,
                                 void *stream, f2l_error *err)
{
    const size_t kept = s->taps - 1;
    (void)stream;
    if (bias) return f2l_fail(err, F2L_EDOMAIN, "no bias on the host");
    if (s->first && (past || new_past))
        return f2l_fail(err, F2L_EDOMAIN, "packed words have no past");
    for (size_t b = 0; b < s->batch; b++) convolve_word(y, past, x, w, b, s);
    for (size_t i = 0; new_past && s->tokens > 0 && i < s->batch * kept * s->width; i++) {
        const size_t d = i % s->width, b = i / s->width / kept,
                     age = kept - 1 - i / s->width % kept;
        f2l_host_put(new_past, i, before(past, x, b, s->tokens - 1, age, d, strides_of(s).x, s),
                     s->type);
    }
    return F2L_OK;
}

/* Adds to dw the gradients of the taps in one word. */
static void taps_of_word(float *dw, const void *dy, const void *x, size_t b,
                         const f2l_cuda_conv_shape *s)
{
    const strides row = strides_of(s);
    const f2l_host_rows word = f2l_host_word(s->first, b, s->tokens);
    for (size_t t = 0; t < word.count; t++)
        for (size_t d = 0; d < s->width; d++)
            for (size_t later = 0; later < s->taps && later <= t; later++)
                dw[(d + 1) * s->taps - 1 - later] +=
                    f2l_host_get(dy, (word.first + t) * row.y + d, s->type) *
                    f2l_host_get(x, (word.first + t - later) * row.x + d, s->type);
}

static void convolve_word_back(void *dx, const void *dy, const float *w, size_t b,
                               const f2l_cuda_conv_shape *s)
{
    const strides row = strides_of(s);
    const f2l_host_rows word = f2l_host_word(s->first, b, s->tokens);
    for (size_t t = 0; t < word.count; t++)
        for (size_t d = 0; d < s->width; d++) {
            float sum = 0;
            for (size_t later = 0; later < s->taps && t + later < word.count; later++)
                sum += w[(d + 1) * s->taps - 1 - later] *
                       f2l_host_get(dy, (word.first + t + later) * row.y + d, s->type);
            f2l_host_put(dx, (word.first + t) * row.x + d, sum, s->type);
        }
}

f2l_status f2l_host_conv_backward(void *dx, float *dw, float *dbias, const void *dy, const void *x,
                                  const float *w, void *work, const f2l_cuda_conv_shape *s,
                                  void *stream, f2l_error *err)
{
    (void)work, (void)stream;
    if (dbias) return f2l_fail(err, F2L_EDOMAIN, "no bias on the host");
    for (size_t b = 0; b < s->batch; b++)
        taps_of_word(dw, dy, x, b, s); /* before dx, which may be
                                        * x */
    for (size_t b = 0; b < s->batch; b++) convolve_word_back(dx, dy, w, b, s);
    return F2L_OK;
}

/* --- the selective recurrence: h of every token is kept, [batch][channels][tokens][states] --- */

f2l_status f2l_host_select_bytes(size_t *kept, size_t *work, const f2l_cuda_select_shape *s,
                                 f2l_error *err)
{
    (void)err;
    *kept = s->batch * s->channels * s->tokens * s->states * sizeof(float);
    *work = s->batch * s->tokens * 2 * s->states * sizeof(float);
    return F2L_OK;
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* The places of a channel's data at a token. */
typedef struct token {
    size_t at, gate_at, row; /* row: of B and C */
    float u, pre, dt, gate;
} token;

static token token_of(const f2l_cuda_select_in *in, const f2l_cuda_select_shape *s, size_t b,
                      size_t c, size_t t)
{
    const size_t row = f2l_host_word(s->first, b, s->tokens).first + t;
    token k = {
        .at = row * s->channels + c, .gate_at = row * s->gate_stride + c, .row = row * s->stride};
    k.u = f2l_host_get(in->u, k.at, s->type);
    k.gate = f2l_host_get(in->gate, k.gate_at, s->type);
    k.pre = f2l_host_get(in->step, k.at, s->type) + in->bias[c];
    k.dt = fmaxf(k.pre, 0) + log1pf(expf(-fabsf(k.pre)));
    return k;
}

static float decay(const f2l_cuda_select_shape *s, float dt, float log_rate)
{
    return s->low + (1 - s->low) * expf(-dt * expf(log_rate));
}

/* Steps one channel by one token, and updates h [states]. */
static void token_forward(void *out, float *h, const token *k, size_t c,
                          const f2l_cuda_select_in *in, const f2l_cuda_select_shape *s)
{
    float y = in->skip[c] * k->u;
    for (size_t n = 0; n < s->states; n++) {
        h[n] = decay(s, k->dt, in->state_log[c * s->states + n]) * h[n] +
               k->dt * k->u * f2l_host_get(in->write, k->row + n, s->type);
        y += h[n] * f2l_host_get(in->read, k->row + n, s->type);
    }
    f2l_host_put(out, k->at, y * k->gate * sigmoid(k->gate), s->type);
}

f2l_status f2l_host_select_forward(void *out, void *kept, const f2l_cuda_select_in *in,
                                   const f2l_cuda_select_shape *s, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t word = 0; word < s->batch * s->channels; word++)
        for (size_t t = 0; t < f2l_host_word(s->first, word / s->channels, s->tokens).count; t++) {
            float *h = (float *)kept + (word * s->tokens + t) * s->states;
            const token k = token_of(in, s, word / s->channels, word % s->channels, t);
            for (size_t n = 0; n < s->states; n++) h[n] = t == 0 ? 0 : h[n - s->states];
            token_forward(out, h, &k, word % s->channels, in, s);
        }
    return F2L_OK;
}

f2l_status f2l_host_select_stream(void *out, float *state, const f2l_cuda_select_in *in,
                                  const f2l_cuda_select_shape *s, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t word = 0; word < s->batch * s->channels; word++)
        for (size_t t = 0; t < s->tokens; t++) {
            float *h = state + word * s->states;
            const token k = token_of(in, s, word / s->channels, word % s->channels, t);
            token_forward(out, h, &k, word % s->channels, in, s);
        }
    return F2L_OK;
}

/* Computes backward of one token of one channel; g [states] is the gradient from the next token,
 * and afterwards the gradient from this one; sums [2][states] are the sums of dB and dC. */
static void token_backward(const f2l_cuda_select_grad *grad, float *g, float *sums, float from,
                           const float *h, const token *k, size_t c, bool first,
                           const f2l_cuda_select_in *in, const f2l_cuda_select_shape *s)
{
    const float z = sigmoid(k->gate), dy = from * k->gate * z;
    float y = in->skip[c] * k->u, dstep = 0, din = 0;
    for (size_t n = 0; n < s->states; n++) {
        const float read = f2l_host_get(in->read, k->row + n, s->type),
                    before = first ? 0 : h[n - s->states];
        const float log_rate = in->state_log[c * s->states + n], a = decay(s, k->dt, log_rate),
                    dh = dy * read + g[n], fall = dh * before * (s->low - a) * expf(log_rate);
        y += read * h[n];
        sums[n] += dh * k->dt * k->u;
        sums[s->states + n] += dy * h[n];
        dstep += fall;
        din += dh * f2l_host_get(in->write, k->row + n, s->type);
        grad->dstate_log[c * s->states + n] += fall * k->dt;
        g[n] = a * dh;
    }
    dstep = (dstep + din * k->u) * sigmoid(k->pre);
    grad->dbias[c] += dstep;
    grad->dskip[c] += dy * k->u;
    f2l_host_put(grad->du, k->at, dy * in->skip[c] + din * k->dt, s->type);
    f2l_host_put(grad->dstep, k->at, dstep, s->type);
    f2l_host_put(grad->dgate, k->gate_at, from * y * (z + k->gate * z * (1 - z)), s->type);
}

f2l_status f2l_host_select_backward(const f2l_cuda_select_grad *grad, const void *dout,
                                    const void *kept, void *work, const f2l_cuda_select_in *in,
                                    const f2l_cuda_select_shape *s, void *stream, f2l_error *err)
{
    const float *h = kept;
    float g[F2L_CUDA_SELECT_STATES], *sums = work;
    (void)stream;
    if (s->states > F2L_CUDA_SELECT_STATES) return f2l_fail(err, F2L_EDOMAIN, "too many states");
    for (size_t i = 0; i < s->batch * s->tokens * 2 * s->states; i++) sums[i] = 0;
    for (size_t word = 0; word < s->batch * s->channels; word++) {
        const size_t b = word / s->channels, c = word % s->channels;
        for (size_t n = 0; n < s->states; n++) g[n] = 0;
        const f2l_host_rows rows = f2l_host_word(s->first, b, s->tokens);
        for (size_t t = rows.count; t-- > 0;) {
            const token k = token_of(in, s, b, c, t);
            token_backward(grad, g, sums + (rows.first + t) * 2 * s->states,
                           f2l_host_get(dout, k.at, s->type),
                           h + (word * s->tokens + t) * s->states, &k, c, t == 0, in, s);
        }
    }
    for (size_t r = 0; r < (s->first ? s->rows : s->batch * s->tokens); r++)
        for (size_t n = 0; n < s->states; n++) {
            f2l_host_put(grad->dwrite, r * s->stride + n, sums[2 * r * s->states + n], s->type);
            f2l_host_put(grad->dread, r * s->stride + n, sums[(2 * r + 1) * s->states + n],
                         s->type);
        }
    return F2L_OK;
}
