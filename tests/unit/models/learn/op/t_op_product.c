#include "models/learn/op/op_product.h"
#include "tests/support/models/op_support.h"

enum { DEPTH = 256 }; /* of a sum that begins at 0, as op_product.h has it */

static bool rounds_once(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* Returns element (i, j) of a matrix of `of` columns, which is stored as its transpose if `turned`,
 * of `rows` rows. */
static double element(const double *x, bool turned, size_t i, size_t j, size_t rows, size_t of)
{
    return turned ? x[j * rows + i] : x[i * of + j];
}

typedef struct product_case {
    size_t m, n, k;
    bool add, turn_a, turn_b;
    double *a, *b, *c;
} product_case;

static void float_agrees(const product_case *x)
{
    const size_t count = x->m * x->n;
    float *a = narrow(x->a, x->m * x->k), *b = narrow(x->b, x->k * x->n), *c = narrow(x->c, count),
          *want = narrow(x->c, count);
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) {
            float total = x->add ? want[i * x->n + j] : 0;
            for (size_t p = 0; p < x->k;) {
                float sum = 0;
                const size_t end = p + DEPTH < x->k ? p + DEPTH : x->k;
                for (; p < end; p++) {
                    const float left = (float)element(x->a, x->turn_a, i, p, x->m, x->k),
                                right = (float)element(x->b, x->turn_b, p, j, x->k, x->n);
                    sum = rounds_once() ? fmaf(left, right, sum) : left * right + sum;
                }
                total += sum;
            }
            want[i * x->n + j] = total;
        }
    f2l_product_f32(c, x->add, &(f2l_matrix_f32){a, x->turn_a ? 1 : x->k, x->turn_a ? x->m : 1},
                    &(f2l_matrix_f32){b, x->turn_b ? 1 : x->n, x->turn_b ? x->k : 1}, x->m, x->n,
                    x->k);
    same_bits("c", c, want, count * sizeof *c);
    free(a), free(b), free(c), free(want);
}

static void double_agrees(const product_case *x)
{
    double *want = filled(x->m * x->n, 0);
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) {
            want[i * x->n + j] = x->add ? x->c[i * x->n + j] : 0;
            for (size_t p = 0; p < x->k; p++)
                want[i * x->n + j] += element(x->a, x->turn_a, i, p, x->m, x->k) *
                                      element(x->b, x->turn_b, p, j, x->k, x->n);
        }
    f2l_product_f64(
        x->c, x->add, &(f2l_matrix_f64){x->a, x->turn_a ? 1 : x->k, x->turn_a ? x->m : 1},
        &(f2l_matrix_f64){x->b, x->turn_b ? 1 : x->n, x->turn_b ? x->k : 1}, x->m, x->n, x->k);
    near("c", x->c, want, x->m * x->n, 1e-12);
    free(want);
}

/* Floats have the bits that the header names, whatever the sizes and the order in memory; where c
 * is written, what was there before does not matter, also if it was no number. */
Test(op_product, sums_have_one_order)
{
    static const size_t sizes[][3] = {{1, 1, 1},   {6, 32, 64}, {7, 33, 5},    {5, 31, 255},
                                      {13, 2, 64}, {2, 64, 2},  {12, 48, 513}, {3, 4, 0},
                                      {0, 3, 4},   {4, 0, 3},   {64, 64, 256}, {1, 65, 257}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned kind = 0; kind < 8; kind++) {
            const size_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
            product_case x = {m,
                              n,
                              k,
                              kind & 1,
                              kind & 2,
                              kind & 4,
                              noise(m * k, 3 * s),
                              noise(k * n, 3 * s + 1),
                              kind & 1 ? noise(m * n, 3 * s + 2) : filled(m * n, NAN)};
            float_agrees(&x);
            double_agrees(&x);
            free(x.a), free(x.b), free(x.c);
        }
}

/* A number that is none spoils its row and column, and nothing else: tiles are filled up. */
Test(op_product, what_is_no_number_stays_where_it_is)
{
    enum { M = 8, N = 35, K = 3 };
    double *a = noise(M * K, 1), *b = noise(K * N, 2), *c = filled(M * N, 0);
    a[7 * K] = NAN;
    b[N + 34] = INFINITY;
    f2l_product_f64(c, false, &(f2l_matrix_f64){a, K, 1}, &(f2l_matrix_f64){b, N, 1}, M, N, K);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            cr_assert_eq(isfinite(c[i * N + j]) != 0, i != 7 && j != 34, "%zu %zu", i, j);
    free(a), free(b), free(c);
}
