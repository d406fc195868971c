#include "models/learn/op/op_conv.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    f2l_conv_shape shape;
    size_t n, nw;
    double *x, *w, *bias, *weight, *y;
} sample;

static sample sample_of(f2l_conv_shape shape, uint64_t seed)
{
    const size_t n = shape.batch * shape.tokens * shape.width, nw = shape.width * shape.taps;
    sample s = {shape,
                n,
                nw,
                noise(n, seed),
                noise(nw, seed + 1),
                noise(shape.width, seed + 2),
                noise(n, seed + 3),
                filled(n, NAN)};
    to_float(s.x, n), to_float(s.w, nw), to_float(s.bias, shape.width), to_float(s.weight, n);
    return s;
}

static void sample_clear(sample *s)
{
    free(s->x), free(s->w), free(s->bias), free(s->weight), free(s->y);
}

static double loss(void *context)
{
    sample *s = context;
    f2l_conv_forward_f64(s->y, NULL, s->x, s->w, s->bias, &s->shape);
    return dot(s->y, s->weight, s->n);
}

static const f2l_conv_shape shapes[] = {{1, 1, 1, 1}, {2, 5, 3, 4}, {2, 2, 3, 4},
                                        {1, 9, 2, 1}, {3, 4, 5, 2}, {1, 0, 2, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Computes a convolution as a polynomial product: y = x * reversed taps, cut to the first `tokens`
 * coefficients. */
static void product(double *y, const sample *s)
{
    const size_t T = s->shape.tokens, D = s->shape.width, W = s->shape.taps;
    for (size_t i = 0; i < s->n; i++) y[i] = s->bias[i % D];
    for (size_t b = 0; b < s->shape.batch; b++)
        for (size_t d = 0; d < D; d++)
            for (size_t t = 0; t < T; t++)
                for (size_t lag = 0; lag < W && t + lag < T; lag++)
                    y[(b * T + t + lag) * D + d] +=
                        s->x[(b * T + t) * D + d] * s->w[d * W + W - 1 - lag];
}

Test(op_conv, agrees_with_a_product_of_polynomials)
{
    for (size_t i = 0; i < SHAPES; i++) {
        sample s = sample_of(shapes[i], 10 * i);
        double *want = filled(s.n, 0);
        product(want, &s);
        (void)loss(&s);
        near("y", s.y, want, s.n, 1e-14);
        for (size_t j = 0; j < s.n; j++) want[j] -= s.bias[j % s.shape.width];
        f2l_conv_forward_f64(s.y, NULL, s.x, s.w, NULL, &s.shape);
        near("y without bias", s.y, want, s.n, 1e-14);
        free(want);
        sample_clear(&s);
    }
}

Test(op_conv, gradients_by_differences_and_in_float)
{
    for (size_t i = 0; i < SHAPES; i++) {
        sample s = sample_of(shapes[i], 100 + 10 * i);
        const size_t D = s.shape.width;
        double *dx = filled(s.n, NAN), *dw = filled(s.nw, 2), *db = filled(D, 2);
        f2l_conv_backward_f64(dx, dw, db, s.weight, s.x, s.w, &s.shape);
        f2l_conv_backward_f64(NULL, NULL, NULL, s.weight, s.x, s.w, &s.shape);
        float *x = narrow(s.x, s.n), *w = narrow(s.w, s.nw), *bias = narrow(s.bias, D),
              *g = narrow(s.weight, s.n), *y = narrow(s.x, s.n), *fx = narrow(s.x, s.n),
              *fw = narrow(dw, s.nw), *fb = narrow(db, D);
        for (size_t j = 0; j < s.nw; j++) fw[j] = 2;
        for (size_t j = 0; j < D; j++) fb[j] = 2;
        (void)loss(&s);
        f2l_conv_forward_f32(y, NULL, x, w, bias, &s.shape);
        f2l_conv_backward_f32(fx, fw, fb, g, x, w, &s.shape);
        near_float("y", y, s.y, s.n, 1e-6);
        near_float("dx", fx, dx, s.n, 1e-6);
        near_float("dw", fw, dw, s.nw, 1e-5);
        near_float("dbias", fb, db, D, 1e-5);
        for (size_t j = 0; j < s.nw; j++) dw[j] -= 2;
        for (size_t j = 0; j < D; j++) db[j] -= 2;
        check_gradient("x", dx, s.x, s.n, loss, &s);
        check_gradient("w", dw, s.w, s.nw, loss, &s);
        check_gradient("bias", db, s.bias, D, loss, &s);
        float *all[] = {x, w, bias, g, y, fx, fw, fb};
        for (size_t j = 0; j < 8; j++) free(all[j]);
        free(dx), free(dw), free(db);
        sample_clear(&s);
    }
}

Test(op_conv, pieces_of_a_word_give_the_same_bits)
{
    for (size_t taps = 1; taps < 6; taps++) {
        sample s = sample_of((f2l_conv_shape){1, 20, 3, taps}, taps);
        double *past = filled((taps - 1) * 3, 0), *y = filled(s.n, NAN);
        (void)loss(&s);
        for (size_t first = 0, length = 1; first < 20; first += length, length = length % 4 + 1) {
            if (length > 20 - first) length = 20 - first;
            const f2l_conv_shape piece = {1, length, 3, taps};
            f2l_conv_forward_f64(y + 3 * first, past, s.x + 3 * first, s.w, s.bias, &piece);
        }
        near("y", y, s.y, s.n, 0);
        free(past), free(y);
        sample_clear(&s);
    }
}

Test(op_conv, every_sequence_has_its_own_past)
{
    sample s = sample_of((f2l_conv_shape){2, 3, 2, 3}, 3);
    double past[8] = {1, 2, 3, 4, 5, 6, 7, 8}, alone[4] = {5, 6, 7, 8}, y[6];
    f2l_conv_forward_f64(s.y, past, s.x, s.w, s.bias, &s.shape);
    const f2l_conv_shape one = {1, 3, 2, 3};
    f2l_conv_forward_f64(y, alone, s.x + 6, s.w, s.bias, &one);
    same_bits("y", y, s.y + 6, sizeof y);
    same_bits("past", alone, past + 4, sizeof alone);
    same_bits("past is the last inputs", past, s.x + 2, 4 * sizeof(double));
    sample_clear(&s);
}
