/* Pointwise operators and norms. */
#include "tests/support/cuda/host_operators.h"
#include <math.h>

f2l_status f2l_host_cast(void *to, f2l_cuda_type to_type, const void *from, f2l_cuda_type from_type,
                         size_t n, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < n; i++) f2l_host_put(to, i, f2l_host_get(from, i, from_type), to_type);
    return F2L_OK;
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

f2l_status f2l_host_swiglu_forward(void *y, const void *gate_up, size_t rows, size_t width,
                                   f2l_cuda_type type, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) {
            const float a = f2l_host_get(gate_up, 2 * r * width + c, type),
                        b = f2l_host_get(gate_up, (2 * r + 1) * width + c, type);
            f2l_host_put(y, r * width + c, a * sigmoid(a) * b, type);
        }
    return F2L_OK;
}

f2l_status f2l_host_swiglu_backward(void *dgate_up, const void *dy, const void *gate_up,
                                    size_t rows, size_t width, f2l_cuda_type type, void *stream,
                                    f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) {
            const size_t at = 2 * r * width + c;
            const float a = f2l_host_get(gate_up, at, type),
                        b = f2l_host_get(gate_up, at + width, type),
                        g = f2l_host_get(dy, r * width + c, type);
            const float s = sigmoid(a);
            f2l_host_put(dgate_up, at, g * b * (s + a * s * (1 - s)), type);
            f2l_host_put(dgate_up, at + width, g * a * s, type);
        }
    return F2L_OK;
}

f2l_status f2l_host_sigmoid_forward(float *y, const void *x, const f2l_cuda_range *r, void *stream,
                                    f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const float z = f2l_host_get(x, i / r->width * r->stride + i % r->width, r->type);
        y[i] = r->low + (r->high - r->low) * sigmoid(r->slope * z);
    }
    return F2L_OK;
}

f2l_status f2l_host_sigmoid_backward(void *dx, const float *dy, const void *x,
                                     const f2l_cuda_range *r, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t at = i / r->width * r->stride + i % r->width;
        const float s = sigmoid(r->slope * f2l_host_get(x, at, r->type));
        f2l_host_put(dx, at, dy[i] * (r->high - r->low) * r->slope * s * (1 - s), r->type);
    }
    return F2L_OK;
}

size_t f2l_host_decay_work(const f2l_cuda_range *range)
{
    (void)range;
    return 0;
}

f2l_status f2l_host_decay_forward(float *y, const void *x, const float *rate, const float *bias,
                                  const f2l_cuda_range *r, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t c = i % r->width;
        const float z = f2l_host_get(x, i / r->width * r->stride + c, r->type) + bias[c];
        y[i] = r->low +
               (r->high - r->low) * expf(-expf(rate[c]) * (fmaxf(z, 0) + log1pf(expf(-fabsf(z)))));
    }
    return F2L_OK;
}

f2l_status f2l_host_decay_backward(void *dx, float *drate, float *dbias, const float *dy,
                                   const void *x, const float *rate, const float *bias, void *work,
                                   const f2l_cuda_range *r, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t c = i % r->width, at = i / r->width * r->stride + c;
        const float z = f2l_host_get(x, at, r->type) + bias[c], speed = expf(rate[c]);
        const float amount = speed * (fmaxf(z, 0) + log1pf(expf(-fabsf(z))));
        const float to_amount = -dy[i] * (r->high - r->low) * expf(-amount),
                    to_z = to_amount * speed * sigmoid(z);
        if (drate) drate[c] += to_amount * amount;
        if (dbias) dbias[c] += to_z;
        f2l_host_put(dx, at, to_z, r->type);
    }
    return F2L_OK;
}

size_t f2l_host_rmsnorm_work(const f2l_cuda_norm *norm)
{
    (void)norm;
    return 0;
}

f2l_status f2l_host_rmsnorm_forward(void *y, void *sum, const void *x, const void *residual,
                                    const uint32_t *letter, const float *weight,
                                    const f2l_cuda_norm *n, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < n->rows; r++) {
        const size_t at = r * n->width, from = (letter ? letter[r] : r) * n->width;
        double squares = 0;
        for (size_t c = 0; sum && c < n->width; c++)
            f2l_host_put(sum, at + c,
                         f2l_host_get(x, at + c, n->type) +
                             f2l_host_get(residual, from + c, n->type),
                         n->type);
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * f2l_host_get(sum ? sum : x, at + c, n->type);
            squares += (double)z * (double)z;
        }
        const float root = 1 / sqrtf((float)(squares / (double)n->width) + n->epsilon);
        for (size_t c = 0; c < n->width; c++)
            f2l_host_put(y, at + c,
                         n->scale * f2l_host_get(sum ? sum : x, at + c, n->type) * root *
                             (weight ? weight[c] : 1),
                         n->type);
    }
    return F2L_OK;
}

f2l_status f2l_host_rmsnorm_backward(void *dx, float *dweight, const void *dy, const void *x,
                                     const void *residual, const float *weight, void *work,
                                     const f2l_cuda_norm *n, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    for (size_t r = 0; r < n->rows; r++) {
        const size_t at = r * n->width;
        double squares = 0, along = 0;
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * f2l_host_get(x, at + c, n->type),
                        g = f2l_host_get(dy, at + c, n->type) * (weight ? weight[c] : 1);
            squares += (double)z * (double)z;
            along += (double)g * (double)z;
        }
        const float width = (float)n->width, root = 1 / sqrtf((float)squares / width + n->epsilon);
        const float part = (float)along / width * root * root;
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * f2l_host_get(x, at + c, n->type),
                        g = f2l_host_get(dy, at + c, n->type);
            if (dweight) dweight[c] += g * z * root;
            f2l_host_put(dx, at + c,
                         n->scale * root * (g * (weight ? weight[c] : 1) - z * part) +
                             (residual ? f2l_host_get(residual, at + c, n->type) : 0),
                         n->type);
        }
    }
    return F2L_OK;
}

/* Returns u of one number, and sets *slope to its derivative. */
static float active(float *slope, float x, bool silu)
{
    const float s = sigmoid(x);
    *slope = silu ? s + x * s * (1 - s) : 1;
    return silu ? x * s : x;
}

static f2l_status host_unit(void *y, const void *dy, const void *x, const f2l_cuda_unit *u,
                            bool back)
{
    for (size_t g = 0; g < u->rows * u->groups; g++) {
        const size_t place = g / u->groups * u->stride + g % u->groups * u->width,
                     at = g * u->width;
        double squares = 0, along = 0;
        float slope, root = 1;
        for (size_t i = 0; i < u->width; i++) {
            const float a = active(&slope, f2l_host_get(x, place + i, u->x_type), u->silu);
            squares += (double)a * (double)a;
            if (back) along += (double)a * (double)f2l_host_get(dy, at + i, u->x_type);
        }
        if (u->unit) root = 1 / sqrtf((float)squares + u->epsilon);
        const float part = u->unit ? (float)along * root * root : 0;
        for (size_t i = 0; i < u->width; i++) {
            const float a = active(&slope, f2l_host_get(x, place + i, u->x_type), u->silu);
            if (back)
                f2l_host_put(y, place + i,
                             root * (f2l_host_get(dy, at + i, u->x_type) - a * part) * slope,
                             u->x_type);
            else
                f2l_host_put(y, at + i, a * root, u->y_type);
        }
    }
    return F2L_OK;
}

f2l_status f2l_host_unit_forward(void *y, const void *x, const f2l_cuda_unit *shape, void *stream,
                                 f2l_error *err)
{
    (void)stream, (void)err;
    return host_unit(y, NULL, x, shape, false);
}

f2l_status f2l_host_unit_backward(void *dx, const void *dy, const void *x,
                                  const f2l_cuda_unit *shape, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    return host_unit(dx, dy, x, shape, true);
}
