/* The convolution in double, a number at a time. */
#include "kernels/base/kernels_number.h"
#include "kernels/scan.h"

static double conv_number(const void *from, int64_t at, int type)
{
    double x;
    f2l_kernels_load(&x, from, at, 1, type);
    return x;
}

static int type_of_weights(const fsa2lrnn_causal_conv1d *p)
{
    return p->type == FSA2LRNN_KERNELS_F64 ? FSA2LRNN_KERNELS_F64 : FSA2LRNN_KERNELS_F32;
}

/* Returns x at token t of a channel, which is in the past where t is negative. */
static double conv_input(const fsa2lrnn_causal_conv1d_in *in, const fsa2lrnn_causal_conv1d *p,
                         int64_t b, int64_t t, int64_t c)
{
    const int64_t kept = p->taps - 1;
    if (t >= 0) return conv_number(in->x, (b * p->tokens + t) * p->x_row + c, p->type);
    return in->past ? conv_number(in->past, (b * kept + kept + t) * p->width + c, p->type) : 0;
}

void f2l_kernels_host_conv_forward(void *y, void *new_past, const fsa2lrnn_causal_conv1d_in *in,
                                   const fsa2lrnn_causal_conv1d *p)
{
    const int64_t kept = p->taps - 1;
    for (int64_t i = 0; i < p->batch * p->width; i++) {
        const int64_t b = i / p->width, c = i % p->width;
        for (int64_t t = 0; t < p->tokens; t++) {
            double sum = in->bias ? conv_number(in->bias, c, type_of_weights(p)) : 0;
            for (int64_t j = 0; j < p->taps; j++)
                sum += conv_number(in->weight, c * p->taps + j, type_of_weights(p)) *
                       conv_input(in, p, b, t - kept + j, c);
            f2l_kernels_store(y, (b * p->tokens + t) * p->y_row + c, &sum, 1, p->type);
        }
        for (int64_t j = 0; new_past && j < kept; j++) {
            const double x = conv_input(in, p, b, p->tokens - kept + j, c);
            f2l_kernels_store(new_past, (b * kept + j) * p->width + c, &x, 1, p->type);
        }
    }
}

/* Adds the gradients of a channel's parameters. */
static void weights_back(const fsa2lrnn_causal_conv1d_grad *grad,
                         const fsa2lrnn_causal_conv1d_in *in, const fsa2lrnn_causal_conv1d *p,
                         int64_t c)
{
    const int type = type_of_weights(p);
    double d[65] = {0}; /* of every tap, and of the bias */
    for (int64_t row = 0; row < p->batch * p->tokens; row++) {
        const int64_t b = row / p->tokens, t = row % p->tokens;
        const double dy = conv_number(grad->dy, row * p->y_row + c, p->type);
        for (int64_t j = 0; j < p->taps; j++)
            d[j] += dy * conv_input(in, p, b, t - p->taps + 1 + j, c);
        d[64] += dy;
    }
    for (int64_t j = 0; grad->dweight && j < p->taps; j++) {
        d[j] += conv_number(grad->dweight, c * p->taps + j, type);
        f2l_kernels_store(grad->dweight, c * p->taps + j, &d[j], 1, type);
    }
    if (!grad->dbias) return;
    d[64] += conv_number(grad->dbias, c, type);
    f2l_kernels_store(grad->dbias, c, &d[64], 1, type);
}

void f2l_kernels_host_conv_backward(const fsa2lrnn_causal_conv1d_grad *grad,
                                    const fsa2lrnn_causal_conv1d_in *in,
                                    const fsa2lrnn_causal_conv1d *p)
{
    for (int64_t c = 0; c < p->width; c++) weights_back(grad, in, p, c);
    for (int64_t i = 0; grad->dx && i < p->batch * p->tokens * p->width; i++) {
        const int64_t c = i % p->width, row = i / p->width, t = row % p->tokens;
        double sum = 0;
        for (int64_t j = 0; j < p->taps && t + j < p->tokens; j++)
            sum += conv_number(in->weight, c * p->taps + p->taps - 1 - j, type_of_weights(p)) *
                   conv_number(grad->dy, (row + j) * p->y_row + c, p->type);
        f2l_kernels_store(grad->dx, row * p->x_row + c, &sum, 1, p->type);
    }
}
