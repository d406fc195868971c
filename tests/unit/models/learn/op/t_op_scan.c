#include "models/learn/op/op_scan.h"
#include "numeric/base/mem.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    f2l_scan_shape shape;
    size_t n;
    double *a, *b, *h0, *weight, *h; /* h0 NULL: 0 */
} sample;

static sample sample_of(f2l_scan_shape shape, bool started, uint64_t seed)
{
    const size_t n = shape.batch * shape.tokens * shape.width;
    sample s = {shape,
                n,
                noise(n, seed),
                noise(n, seed + 1),
                started ? noise(shape.width, seed + 2) : NULL,
                noise(n, seed + 3),
                filled(n, NAN)};
    to_float(s.a, n), to_float(s.b, n), to_float(s.weight, n);
    if (started) to_float(s.h0, shape.width);
    return s;
}

static void sample_clear(sample *s)
{
    free(s->a), free(s->b), free(s->h0), free(s->weight), free(s->h);
}

static double loss(void *context)
{
    sample *s = context;
    f2l_scan_forward_f64(s->h, NULL, s->a, s->b, s->h0, &s->shape);
    return dot(s->h, s->weight, s->n);
}

static const f2l_scan_shape shapes[] = {{1, 1, 1}, {2, 7, 3}, {3, 12, 5}, {2, 0, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Returns h_t unrolled: the sum over s of a_t .. a_(s+1) b_s, plus a_t .. a_1 h0. */
static double unrolled(const sample *s, size_t seq, size_t t, size_t d)
{
    const size_t T = s->shape.tokens, D = s->shape.width;
    double sum = 0;
    for (size_t from = 0; from <= t; from++) {
        double term = s->b[(seq * T + from) * D + d];
        for (size_t u = from + 1; u <= t; u++) term *= s->a[(seq * T + u) * D + d];
        sum += term;
    }
    double start = s->h0 ? s->h0[d] : 0;
    for (size_t u = 0; u <= t; u++) start *= s->a[(seq * T + u) * D + d];
    return sum + start;
}

Test(op_scan, agrees_with_the_unrolled_sum)
{
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        sample s = sample_of(shapes[i / 2], i % 2, i);
        (void)loss(&s);
        for (size_t j = 0; j < s.n; j++) {
            const size_t T = s.shape.tokens, D = s.shape.width;
            const double want = unrolled(&s, j / D / T, j / D % T, j % D);
            near("h", &s.h[j], &want, 1, 1e-13);
        }
        f2l_scan_forward_f64(s.b, NULL, s.a, s.b, s.h0, &s.shape);
        same_bits("h in place of b", s.b, s.h, s.n * sizeof(double));
        sample_clear(&s);
    }
}

Test(op_scan, gradients_by_differences_and_in_float)
{
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        sample s = sample_of(shapes[i / 2], i % 2, 100 + i);
        const size_t D = s.shape.width;
        double *da = filled(s.n, NAN), *db = filled(s.n, NAN), *dh0 = filled(D, 3),
               *alone = filled(s.n, NAN);
        (void)loss(&s);
        cr_assert_eq(f2l_scan_backward_f64(da, db, dh0, s.weight, s.h, s.a, s.h0, &s.shape, NULL),
                     F2L_OK);
        memcpy(alone, s.weight, s.n * sizeof *alone);
        cr_assert_eq(
            f2l_scan_backward_f64(NULL, alone, NULL, alone, s.h, s.a, s.h0, &s.shape, NULL),
            F2L_OK);
        same_bits("db in place of dh", alone, db, s.n * sizeof *alone);
        float *a = narrow(s.a, s.n), *b = narrow(s.b, s.n), *h0 = narrow(s.h0, D),
              *g = narrow(s.weight, s.n), *h = narrow(s.h, s.n), *fa = narrow(s.h, s.n),
              *fb = narrow(s.h, s.n), *fh = calloc(D, sizeof *fh);
        f2l_scan_forward_f32(h, NULL, a, b, h0, &s.shape);
        cr_assert_eq(f2l_scan_backward_f32(fa, fb, fh, g, h, a, h0, &s.shape, NULL), F2L_OK);
        for (size_t j = 0; j < D; j++) dh0[j] -= 3;
        near_float("h", h, s.h, s.n, 1e-5);
        near_float("da", fa, da, s.n, 1e-5);
        near_float("db", fb, db, s.n, 1e-5);
        near_float("dh0", fh, dh0, D, 1e-5);
        check_gradient("a", da, s.a, s.n, loss, &s);
        check_gradient("b", db, s.b, s.n, loss, &s);
        if (s.h0) check_gradient("h0", dh0, s.h0, D, loss, &s);
        float *all[] = {a, b, h0, g, h, fa, fb, fh};
        for (size_t j = 0; j < 8; j++) free(all[j]);
        free(da), free(db), free(dh0), free(alone);
        sample_clear(&s);
    }
}

Test(op_scan, pieces_of_a_word_give_the_same_bits)
{
    sample s = sample_of((f2l_scan_shape){1, 30, 4}, true, 8);
    double *h = filled(s.n, NAN), state[4];
    memcpy(state, s.h0, sizeof state);
    (void)loss(&s);
    for (size_t first = 0, length = 0; first < 30; first += length, length = (length + 1) % 5) {
        if (length > 30 - first) length = 30 - first;
        const f2l_scan_shape piece = {1, length, 4};
        f2l_scan_forward_f64(h + 4 * first, state, s.a + 4 * first, s.b + 4 * first, NULL, &piece);
    }
    same_bits("h", h, s.h, s.n * sizeof *h);
    same_bits("state", state, s.h + 29 * 4, sizeof state);
    free(h);
    sample_clear(&s);
}

#ifdef F2L_MEM_FAILURES
Test(op_scan, memory_failures_are_reported)
{
    sample s = sample_of(shapes[1], true, 1);
    f2l_error err = {0};
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_scan_backward_f64(NULL, NULL, NULL, s.weight, s.h, s.a, s.h0, &s.shape, &err),
                 F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    sample_clear(&s);
}
#endif
