#include "models/network/schedule/impl.h"

#define B F2L_CHUNK_BLOCK
#define STRIDE F2L_CHUNK /* floats from one row to the next in all arrays here */

/* CH7: inverts the diagonal block of rows and columns from `at`; rows from `count` on do not
 * exist. */
static void substitute(const float *A, float *T, size_t at, size_t count)
{
    for (size_t i = at; i < at + B; i++)
        for (size_t c = at; c < at + B; c++)
            T[i * STRIDE + c] = c < i && i < count ? -A[i * STRIDE + c] : 0;
    for (size_t i = at + 2; i < at + B && i < count; i++) {
        float sum[B] = {0};
        for (size_t l = at + 1; l < i; l++) {
            const float a = -A[i * STRIDE + l];
            if (a == 0) continue;
            for (size_t c = at; c < l; c++) sum[c - at] += a * T[l * STRIDE + c];
        }
        for (size_t c = at; c < i; c++) T[i * STRIDE + c] += sum[c - at];
    }
    for (size_t i = at; i < at + B; i++) T[i * STRIDE + i] = 1;
}

/* CH8: computes block (I, J) of T, I > J, once the blocks above it in its column and the diagonal
 * blocks are computed. */
static void merge_inverse_block(const f2l_chunk_sums *sums, const float *A, float *T, size_t I,
                                size_t J)
{
    float X[B * STRIDE] = {0}, Y[B * STRIDE] = {0};
    const float *own = &T[I * B * STRIDE + I * B], *row = &A[I * B * STRIDE], *column = &T[J * B];
    if (I == J + 1) {
        sums->multiply(X, own, &row[J * B]);
        sums->multiply(Y, X, &column[J * B * STRIDE]);
    } else {
        for (size_t M = J; M < I; M++) sums->multiply(X, &row[M * B], &column[M * B * STRIDE]);
        sums->multiply(Y, own, X);
    }
    for (size_t i = 0; i < B; i++)
        for (size_t c = 0; c < B; c++) T[(I * B + i) * STRIDE + J * B + c] = -Y[i * STRIDE + c];
}

void f2l_chunk_invert(f2l_chunk_rows *rows, size_t count, const f2l_format *format)
{
    const size_t blocks = (count + B - 1) / B;
    for (size_t b = 0; b < blocks; b++) substitute(rows->A, rows->T, b * B, count);
    for (size_t apart = 1; apart < blocks; apart++)
        for (size_t J = 0; J + apart < blocks; J++)
            merge_inverse_block(rows->sums, rows->A, rows->T, J + apart, J);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c <= i; c++) {
            float *entry = &rows->T[i * STRIDE + c];
            *entry = f2l_chunk_store(rows, format, (double)*entry);
        }
}
