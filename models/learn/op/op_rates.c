#include "models/learn/op/op_rates.h"
#include <math.h>

/* exp(-1/2), so that the gate of RWKV-7 is at least exp(-exp(-1/2)) = 0.545. */
static const float most_decay = (float)0.60653065971263342360;

/* sigmoid(x), its derivative, and the 16th root of the gate of gated linear attention. */
static float rate_sigmoid(float x)
{
    const float e = expf(-fabsf(x)), part = 1 / (1 + e);
    return x >= 0 ? part : e * part;
}

static float sigmoid_slope(float x)
{
    const float e = expf(-fabsf(x)), part = 1 / (1 + e);
    return e * part * part;
}

static float sigmoid_root16(float x)
{
    return expf(-(fmaxf(-x, 0) + log1pf(expf(-fabsf(x)))) / 16);
}

/* The numbers of one coordinate, before the division by the length. */
typedef struct rate {
    float x, y, w, share, most, eta; /* share = sigmoid(y), eta = most * share */
    float z;                         /* k * removal */
} rate;

static rate find_rate_at(const f2l_rates_in_f32 *in, size_t i, size_t c, bool negative)
{
    rate r = {.x = in->x[i] + in->gate_bias[c], .y = in->y[i] + in->rate_bias[c]};
    r.w = expf(-most_decay * rate_sigmoid(r.x));
    r.share = rate_sigmoid(r.y);
    r.most = negative ? 1 + r.w : 1;
    r.eta = r.most * r.share;
    r.z = in->k[i] * in->removal[c];
    return r;
}

/* Returns 1 / the length of k * removal of the head whose first number is `at`. */
static float over_length(const f2l_rates_in_f32 *in, size_t at, size_t first,
                         const f2l_rates_shape *s)
{
    float sum = 0;
    for (size_t i = 0; i < s->key; i++) {
        const float z = in->k[at + i] * in->removal[first + i];
        sum += z * z;
    }
    return 1 / sqrtf(sum + (float)s->epsilon);
}

static void head_forward(const f2l_rates_out_f32 *out, const f2l_rates_in_f32 *in, size_t at,
                         size_t first, const f2l_rates_shape *s)
{
    const float scale = over_length(in, at, first, s);
    for (size_t i = at, c = first; i < at + s->key; i++, c++) {
        const rate r = find_rate_at(in, i, c, s->negative);
        out->w[i] = r.w;
        out->b[i] = r.z * scale;
        out->a[i] = -r.eta * out->b[i];
        out->key[i] = in->k[i] * (1 + (r.eta - 1) * in->replacement[c]);
    }
}

static void head_backward(const f2l_rates_grad_f32 *g, const f2l_rates_in_f32 *in, size_t at,
                          size_t first, const f2l_rates_shape *s)
{
    const float scale = over_length(in, at, first, s);
    float along = 0; /* b . gradient of b */
    for (size_t i = at, c = first; i < at + s->key; i++, c++) {
        const rate r = find_rate_at(in, i, c, s->negative);
        along += r.z * scale * (g->db[i] - r.eta * g->da[i]);
    }
    for (size_t i = at, c = first; i < at + s->key; i++, c++) {
        const rate r = find_rate_at(in, i, c, s->negative);
        const float b = r.z * scale, dkey = g->dkey[i], k = in->k[i];
        const float dz = (g->db[i] - r.eta * g->da[i] - b * along) * scale,
                    deta = dkey * k * in->replacement[c] - g->da[i] * b,
                    dw = g->dw[i] + (s->negative ? deta * r.share : 0);
        const float dx = -dw * r.w * most_decay * sigmoid_slope(r.x),
                    dy = deta * r.most * sigmoid_slope(r.y);
        g->dk[i] = dkey * (1 + (r.eta - 1) * in->replacement[c]) + dz * in->removal[c];
        g->dx[i] = dx;
        g->dy[i] = dy;
        g->dgate_bias[c] += dx;
        g->drate_bias[c] += dy;
        g->dremoval[c] += dz * k;
        g->dreplacement[c] += dkey * k * (r.eta - 1);
    }
}

void f2l_rates_forward_f32(const f2l_rates_out_f32 *out, const f2l_rates_in_f32 *in,
                           const f2l_rates_shape *s)
{
    const size_t keys = s->heads * s->key, count = s->rows * keys;
    const float low = s->negative ? -1 : 0;
    for (size_t i = 0; !s->removal && i < count; i++)
        out->w[i] = low + (1 - low) * sigmoid_root16(in->x[i] + in->gate_bias[i % keys]);
    for (size_t at = 0; s->removal && at < count; at += s->key)
        head_forward(out, in, at, at % keys, s);
}

void f2l_rates_backward_f32(const f2l_rates_grad_f32 *g, const f2l_rates_in_f32 *in,
                            const f2l_rates_shape *s)
{
    const size_t keys = s->heads * s->key, count = s->rows * keys;
    const float low = s->negative ? -1 : 0;
    for (size_t i = 0; !s->removal && i < count; i++) {
        const float x = in->x[i] + in->gate_bias[i % keys],
                    dx = g->dw[i] * (1 - low) * sigmoid_root16(x) * rate_sigmoid(-x) / 16;
        g->dx[i] = dx;
        g->dgate_bias[i % keys] += dx;
    }
    for (size_t at = 0; s->removal && at < count; at += s->key)
        head_backward(g, in, at, at % keys, s);
}
