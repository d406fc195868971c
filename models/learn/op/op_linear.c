#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_product.h"
#include <string.h>

void f2l_linear_forward_f32(float *y, const float *x, const float *w, const float *bias,
                            size_t rows, size_t in, size_t out)
{
    for (size_t i = 0; bias && i < rows; i++) memcpy(y + i * out, bias, out * sizeof *y);
    f2l_product_f32(y, bias != NULL, &(f2l_matrix_f32){x, in, 1}, &(f2l_matrix_f32){w, 1, in}, rows,
                    out, in);
}

void f2l_linear_backward_f32(float *dx, bool add_dx, float *dw, float *dbias, const float *dy,
                             const float *x, const float *w, size_t rows, size_t in, size_t out)
{
    if (dx)
        f2l_product_f32(dx, add_dx, &(f2l_matrix_f32){dy, out, 1}, &(f2l_matrix_f32){w, in, 1},
                        rows, in, out);
    if (dw)
        f2l_product_f32(dw, true, &(f2l_matrix_f32){dy, 1, out}, &(f2l_matrix_f32){x, in, 1}, out,
                        in, rows);
    for (size_t i = 0; dbias && i < rows; i++)
        for (size_t j = 0; j < out; j++) dbias[j] += dy[i * out + j];
}
