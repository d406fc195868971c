/* The inside of a chunked run; private to models. Names are the names of theory/pages/chunk.md. */
#ifndef F2L_MODELS_SCHEDULE_IMPL_H
#define F2L_MODELS_SCHEDULE_IMPL_H

#include "models/network/schedule/chunk.h"
#include "models/network/schedule/float_net.h"

#define F2L_CHUNK_BLOCK 16 /* size of the diagonal blocks that are inverted by substitution */
#define F2L_NO_FACTOR SIZE_MAX

/* Sums in fp32, each product and sum rounded once together (CH6). There are two sets of functions
 * with equal results bit for bit: one for every machine, and one for machines with fused operations
 * on vectors. */
typedef struct f2l_chunk_sums {
    /* out[i] <- a b[i] + out[i] */
    void (*add)(float *out, float a, const float *b, size_t count);
    /* out[i] <- a b + out[i] */
    void (*spread)(float *out, float a, float b, size_t count);
    /* out <- out + left right, 16 x 16 with rows 64 floats apart, in increasing order of the
     * contracted index; zeros of left are skipped */
    void (*multiply)(float *out, const float *left, const float *right);
} f2l_chunk_sums;

/* Returns the fast set if there is one and `fast`, else the other. */
const f2l_chunk_sums *f2l_chunk_sums_of(bool fast);

/* Rows of a chunk. fp32 numbers are native floats: binary32 arithmetic rounds to nearest even. */
typedef struct f2l_chunk_rows {
    size_t n, d, factors; /* n and d of the head; factors of a letter, with padding */
    size_t rows;          /* rows of all letters of the chunk */
    size_t *factor;       /* [rows] number in the head, F2L_NO_FACTOR: a row of padding */
    size_t *entry_first;  /* [rows + 1] into x, k */
    uint32_t *x;          /* coordinates where the key is not zero */
    float *k;
    float *v_new; /* [rows][d] in the format */
    float *read;  /* [n][d][64] sums of the readings, by letter */
    const f2l_chunk_sums *sums;
    bool lost; /* whether a number was not finite (CH12) */
    /* the 64 rows of the WY form */
    float *transposed;              /* [n][64] keys */
    float A[F2L_CHUNK * F2L_CHUNK]; /* fp32 */
    float T[F2L_CHUNK * F2L_CHUNK]; /* fp32, and then in the format */
    float *kb, *w;                  /* [64][n] in the format */
    float *vb, *u;                  /* [64][d] in the format */
    float *state;                   /* [n][d] h in the format */
    float *row;                     /* [max(n, d, 64)] sums of one row */
} f2l_chunk_rows;

typedef struct f2l_chunk_layer {
    size_t factors, size;
    float *h;        /* [size] fp32 state after the last whole chunk, head by head */
    double *reading; /* [64][size] */
} f2l_chunk_layer;

struct f2l_chunk {
    const f2l_float_net *net;
    f2l_chunk_layer *layer; /* [layers of net] */
    f2l_chunk_rows rows;    /* scratch, large enough for every head */
    bool ended;             /* whether the word has ended */
    bool lost;              /* whether all later letters have no label */
};

/* Returns a b + c rounded once. The product of two floats is exact in binary64; if the sum in
 * binary64 is no midpoint between two floats, rounding it again gives the float nearest to the
 * exact sum (theory/pages/chunk.md, CH6). */
static inline float f2l_chunk_fma(float a, float b, float c)
{
    const double sum = (double)a * (double)b + (double)c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if ((bits & 0x1fffffff) == 0x10000000 || (fabs(sum) < 0x1p-125 && sum != 0))
        return fmaf(a, b, c);
    return (float)sum;
}

/* Returns x rounded into the format and sets rows->lost if x or the result is not finite. x is a
 * float, or the exact product of two floats. */
static inline float f2l_chunk_store(f2l_chunk_rows *rows, const f2l_format *format, double x)
{
    const float y = (float)f2l_format_round(format, x);
    if (!isfinite(x) || !isfinite(y)) rows->lost = true;
    return y;
}

/* Computes rows->T from A of `count` rows (CH7, CH8), in the format. */
void f2l_chunk_invert(f2l_chunk_rows *rows, size_t count, const f2l_format *format);

/* Runs a head through `count` letters: steps h and writes the readings, [count] of `stride` numbers
 * each. */
void f2l_chunk_head(f2l_chunk_rows *rows, const f2l_float_head *head, const f2l_format *format,
                    size_t factors, const uint32_t *letter, size_t count, float *h, double *reading,
                    size_t stride);

#endif
