/* The three products of a linear map of 64 to 64 numbers, 1,024 rows at a time, as a step of parity
 * has them: ours, or OpenBLAS's with the kernels that it takes on this processor. */
#include "models/learn/op/op_linear.h"
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024, WIDTH = 64, TIMES = 2000 };

static float x[ROWS * WIDTH], y[ROWS * WIDTH], dx[ROWS * WIDTH], w[WIDTH * WIDTH],
    dw[WIDTH * WIDTH];

static void ours(void)
{
    f2l_linear_forward_f32(y, x, w, NULL, ROWS, WIDTH, WIDTH);
    f2l_linear_backward_f32(dx, false, dw, NULL, y, x, w, ROWS, WIDTH, WIDTH);
}

static void theirs(void)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, ROWS, WIDTH, WIDTH, 1, x, WIDTH, w, WIDTH,
                0, y, WIDTH);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ROWS, WIDTH, WIDTH, 1, y, WIDTH, w,
                WIDTH, 0, dx, WIDTH);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, WIDTH, WIDTH, ROWS, 1, y, WIDTH, x, WIDTH,
                1, dw, WIDTH);
}

int main(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "ours") && strcmp(argv[1], "openblas"))) {
        fputs("usage: bench_products ours|openblas\n", stderr);
        return 64;
    }
    for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = (float)(i % 13) / 13 - 0.5F;
    for (size_t i = 0; i < WIDTH * WIDTH; i++) w[i] = (float)(i % 11) / 11 - 0.5F;
    void (*const step)(void) = strcmp(argv[1], "ours") ? theirs : ours;
    for (int i = 0; i < TIMES; i++) step();
    printf("%g\n", (double)dw[1]);
    return 0;
}
