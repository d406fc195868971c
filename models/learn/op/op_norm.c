#include "models/learn/op/op_norm.h"
#include "numeric/base/clones.h"
#include <math.h>

enum { PARTS = 8 }; /* partial sums of a row: their order is fixed, and vectors can hold them */

/* Returns the sum of a_j b_j c_j; c NULL: 1. */
F2L_INLINE float sum3(const float *a, const float *b, const float *c, size_t n)
{
    float part[PARTS] = {0};
    size_t j = 0;
    if (c)
        for (; j + PARTS <= n; j += PARTS)
            for (size_t l = 0; l < PARTS; l++) part[l] += a[j + l] * b[j + l] * c[j + l];
    else
        for (; j + PARTS <= n; j += PARTS)
            for (size_t l = 0; l < PARTS; l++) part[l] += a[j + l] * b[j + l];
    for (; j < n; j++) part[0] += c ? a[j] * b[j] * c[j] : a[j] * b[j];
    for (size_t half = PARTS / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) part[l] += part[l + half];
    return part[0];
}

F2L_CLONES
void f2l_rmsnorm_forward_f32(float *y, const float *x, const float *weight, size_t rows,
                             size_t width, float eps)
{
    for (size_t i = 0; i < rows; i++, x += width, y += width) {
        const float scale = 1 / sqrtf(sum3(x, x, NULL, width) / (float)width + eps);
        for (size_t j = 0; j < width; j++) y[j] = x[j] * scale;
        for (size_t j = 0; weight && j < width; j++) y[j] *= weight[j];
    }
}

/* With s = (mean(x^2) + eps)^(-1/2) and g = weight dy: dx = s g - x s^3 mean(g x). */
F2L_CLONES
void f2l_rmsnorm_backward_f32(float *dx, float *dweight, const float *dy, const float *x,
                              const float *weight, size_t rows, size_t width, float eps)
{
    for (size_t i = 0; i < rows; i++, x += width, dy += width, dx += width) {
        const float scale = 1 / sqrtf(sum3(x, x, NULL, width) / (float)width + eps);
        const float along = sum3(dy, x, weight, width) / (float)width * scale * scale;
        for (size_t j = 0; dweight && j < width; j++) dweight[j] += dy[j] * x[j] * scale;
        for (size_t j = 0; j < width; j++)
            dx[j] = scale * (dy[j] * (weight ? weight[j] : 1) - x[j] * along);
    }
}

F2L_CLONES
void f2l_l2norm_forward_f32(float *y, const float *x, size_t rows, size_t width, float eps)
{
    for (size_t i = 0; i < rows; i++, x += width, y += width) {
        const float scale = 1 / sqrtf(sum3(x, x, NULL, width) + eps);
        for (size_t j = 0; j < width; j++) y[j] = x[j] * scale;
    }
}

/* With s = (sum(x^2) + eps)^(-1/2): dx = s dy - x s^3 sum(dy x). */
F2L_CLONES
void f2l_l2norm_backward_f32(float *dx, const float *dy, const float *x, size_t rows, size_t width,
                             float eps)
{
    for (size_t i = 0; i < rows; i++, x += width, dy += width, dx += width) {
        const float scale = 1 / sqrtf(sum3(x, x, NULL, width) + eps);
        const float along = sum3(dy, x, NULL, width) * scale * scale;
        for (size_t j = 0; j < width; j++) dx[j] = scale * (dy[j] - x[j] * along);
    }
}

/* Returns the largest size of an entry. */
F2L_INLINE float largest(const float *x, size_t n)
{
    float most = 0;
    for (size_t j = 0; j < n; j++) most = fmaxf(most, fabsf(x[j]));
    return most;
}

void f2l_unit_forward_f32(float *y, const float *x, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows; i++, x += width, y += width) {
        const float most = largest(x, width);
        for (size_t j = 0; j < width; j++) y[j] = most > 0 ? x[j] / most : x[j];
        const float length = sqrtf(sum3(y, y, NULL, width));
        for (size_t j = 0; most > 0 && j < width; j++) y[j] /= length;
    }
}

/* With z = x / most, most the largest size: dx = (dy - z sum(dy z) / |z|^2) / |z| / most. */
void f2l_unit_backward_f32(float *dx, const float *dy, const float *x, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows; i++, x += width, dy += width, dx += width) {
        const float most = largest(x, width);
        float squares = 0, along = 0;
        for (size_t j = 0; most > 0 && j < width; j++) {
            const float part = x[j] / most;
            squares += part * part;
            along += dy[j] * part;
        }
        const float length = sqrtf(squares);
        for (size_t j = 0; j < width; j++)
            dx[j] = most > 0 ? (dy[j] - x[j] / most * (along / squares)) / length / most : 0;
    }
}

void f2l_ternary_forward_f32(float *y, const float *x, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows; i++, x += width, y += width) {
        const float most = largest(x, width);
        size_t count = 0;
        for (size_t j = 0; j < width; j++) count += 2 * fabsf(x[j]) >= most;
        const float size = 1 / sqrtf((float)count);
        for (size_t j = 0; j < width; j++) {
            const float part = 2 * fabsf(x[j]) >= most ? copysignf(size, x[j]) : x[j] - x[j];
            y[j] = most > 0 ? part : x[j]; /* 0, or no number at all */
        }
    }
}

/* Returns the index of the first entry of the largest size; `but` does not count. */
F2L_INLINE size_t find_largest(const float *x, size_t n, size_t but)
{
    size_t found = but == 0 ? 1 : 0;
    for (size_t j = found + 1; j < n; j++)
        if (j != but && fabsf(x[j]) > fabsf(x[found])) found = j;
    return found;
}

void f2l_swap_backward_f32(float *dx, const float *x, size_t rows, size_t width, float pull)
{
    for (size_t i = 0; i < rows; i++, x += width, dx += width) {
        const size_t a = find_largest(x, width, width), b = find_largest(x, width, a);
        const float size = (fabsf(x[a]) + fabsf(x[b])) / 2;
        for (size_t j = 0; size > 0 && j < width; j++) {
            const float to = j == a || j == b ? copysignf(size, x[j]) : 0;
            dx[j] += pull * ((x[j] - to) / size) / size;
        }
    }
}
