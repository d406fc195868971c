/* A tile of c, ROWS rows of two vectors, is kept in registers while a panel of b goes by, which was
 * copied so that its rows follow each other. What is read of a are single numbers, not copied. */
#include "models/learn/op/op_product.h"
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
    ROWS = 6,
    VECTOR = 64, /* bytes of the widest vector */
    DEPTH = 256, /* rows of a panel: it stays in the first cache */
    PANEL = 2 * VECTOR / sizeof(float) * DEPTH
};

static size_t least_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where a tile goes. */
typedef struct tile {
    float *c;
    size_t stride; /* between its rows */
    bool add;
} tile;

#define ADD_PRODUCTS(r, SUM) \
    low##r = SUM(a##r[at], low, low##r); \
    high##r = SUM(a##r[at], high, high##r);
#define PUT_ROW(r) \
    to = (vector *)(t->c + (r)*t->stride); \
    if (t->add) low##r += to[0], high##r += to[1]; \
    to[0] = low##r; \
    to[1] = high##r;

/* Computes the tile of rows a + row[r], whose elements are `step` apart, and of a panel. SUM(x, b,
 * sum) is x b + sum. */
#define DEFINE_TILE(name, bytes, target, SUM) \
    target static void name(const tile *t, const float *a, const size_t *row, size_t step, \
                            const float *panel, size_t depth) \
    { \
        typedef float vector \
            __attribute__((vector_size(bytes), aligned(sizeof(float)), may_alias)); \
        const float *a0 = a + row[0], *a1 = a + row[1], *a2 = a + row[2], *a3 = a + row[3], \
                    *a4 = a + row[4], *a5 = a + row[5]; \
        vector low0 = {0}, low1 = {0}, low2 = {0}, low3 = {0}, low4 = {0}, low5 = {0}, \
               high0 = {0}, high1 = {0}, high2 = {0}, high3 = {0}, high4 = {0}, high5 = {0}, *to; \
        const vector *b = (const vector *)panel; \
        for (size_t p = 0, at = 0; p < depth; p++, at += step, b += 2) { \
            const vector low = b[0], high = b[1]; \
            ADD_PRODUCTS(0, SUM) \
            ADD_PRODUCTS(1, SUM) \
            ADD_PRODUCTS(2, SUM) \
            ADD_PRODUCTS(3, SUM) \
            ADD_PRODUCTS(4, SUM) \
            ADD_PRODUCTS(5, SUM) \
        } \
        PUT_ROW(0) PUT_ROW(1) PUT_ROW(2) PUT_ROW(3) PUT_ROW(4) PUT_ROW(5) \
    }

typedef void make_tile(const tile *t, const float *a, const size_t *row, size_t step,
                       const float *panel, size_t depth);

#define TWICE_ROUNDED(x, b, sum) ((x) * (b) + (sum))
DEFINE_TILE(plain_tile, 16, , TWICE_ROUNDED)
#ifdef __x86_64__
#define ONCE_ROUNDED_256(x, b, sum) _mm256_fmadd_ps(_mm256_set1_ps(x), b, sum)
#define ONCE_ROUNDED_512(x, b, sum) _mm512_fmadd_ps(_mm512_set1_ps(x), b, sum)
DEFINE_TILE(avx2_tile, 32, __attribute__((target("avx2,fma"))), ONCE_ROUNDED_256)
DEFINE_TILE(avx512_tile, 64, __attribute__((target("avx512f"))), ONCE_ROUNDED_512)
#endif

/* Returns the function for this processor, and in *columns the width of its tile. */
static make_tile *tile_maker(size_t *columns)
{
    size_t bytes = 16;
    make_tile *make = plain_tile;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        bytes = 64;
        make = avx512_tile;
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        bytes = 32;
        make = avx2_tile;
    }
#endif
    *columns = 2 * bytes / sizeof(float);
    return make;
}

/* Copies rows 0 .. depth - 1 of columns 0 .. width - 1, filled up with zeros to `columns`. */
static void fill_panel(float *panel, const f2l_matrix_f32 *b, size_t depth, size_t width,
                       size_t columns)
{
    if (b->column == 1)
        for (size_t p = 0; p < depth; p++)
            memcpy(panel + p * columns, b->at + p * b->row, width * sizeof *panel);
    else
        for (size_t j = 0; j < width; j++)
            for (size_t p = 0; p < depth; p++)
                panel[p * columns + j] = b->at[p * b->row + j * b->column];
    for (size_t p = 0; p < depth; p++)
        for (size_t j = width; j < columns; j++) panel[p * columns + j] = 0;
}

/* Computes c [m][width] for one panel, whose first row belongs to the first column of a. */
static void multiply_panel(const tile *c, const f2l_matrix_f32 *a, const float *panel, size_t m,
                           size_t width, size_t depth)
{
    size_t columns, row[ROWS];
    float edge[ROWS * 2 * VECTOR / sizeof(float)] = {0};
    make_tile *make = tile_maker(&columns);
    for (size_t i = 0; i < m; i += ROWS) {
        const size_t rows = least_size(m - i, ROWS);
        tile t = {c->c + i * c->stride, c->stride, c->add};
        const bool whole = rows == ROWS && width == columns;
        if (!whole) t = (tile){edge, columns, false};
        for (size_t r = 0; r < ROWS; r++) row[r] = least_size(r, rows - 1) * a->row;
        make(&t, a->at + i * a->row, row, a->column, panel, depth);
        for (size_t r = 0; !whole && r < rows; r++)
            for (size_t j = 0; j < width; j++) {
                float *to = c->c + (i + r) * c->stride + j;
                *to = c->add ? *to + edge[r * columns + j] : edge[r * columns + j];
            }
    }
}

void f2l_product_f32(float *c, bool add, const f2l_matrix_f32 *a, const f2l_matrix_f32 *b, size_t m,
                     size_t n, size_t k)
{
    size_t columns;
    float panel[PANEL];
    (void)tile_maker(&columns);
    for (size_t i = 0; k == 0 && !add && i < m * n; i++) c[i] = 0;
    for (size_t p = 0; p < k; p += DEPTH)
        for (size_t j = 0; j < n; j += columns) {
            const size_t depth = least_size(k - p, DEPTH), width = least_size(n - j, columns);
            const f2l_matrix_f32 left = {a->at + p * a->column, a->row, a->column},
                                 right = {b->at + p * b->row + j * b->column, b->row, b->column};
            const tile to = {c + j, n, add || p > 0};
            fill_panel(panel, &right, depth, width, columns);
            multiply_panel(&to, &left, panel, m, width, depth);
        }
}
