#include "models/learn/op/op_embed.h"
#include "models/learn/op/op_linear.h"
#include "tests/support/models/op_support.h"

typedef struct sample {
    size_t rows, in, out;
    double *x, *w, *bias, *weight, *y;
} sample;

static sample sample_of(size_t rows, size_t in, size_t out, uint64_t seed)
{
    return (sample){rows,
                    in,
                    out,
                    noise(rows * in, seed),
                    noise(out * in, seed + 1),
                    noise(out, seed + 2),
                    noise(rows * out, seed + 3),
                    filled(rows * out, NAN)};
}

static void sample_clear(sample *s)
{
    double *all[] = {s->x, s->w, s->bias, s->weight, s->y};
    for (size_t i = 0; i < 5; i++) free(all[i]);
}

static double loss(void *context)
{
    sample *s = context;
    f2l_linear_forward_f64(s->y, s->x, s->w, s->bias, s->rows, s->in, s->out);
    return dot(s->y, s->weight, s->rows * s->out);
}

static const size_t sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {17, 4, 33},
                                  {2, 0, 3}, {0, 3, 2}, {4, 3, 0}};
enum { SIZES = sizeof sizes / sizeof *sizes };

Test(op_linear, agrees_with_three_loops)
{
    for (size_t i = 0; i < SIZES; i++) {
        sample s = sample_of(sizes[i][0], sizes[i][1], sizes[i][2], 10 * i);
        for (int with_bias = 0; with_bias < 2; with_bias++) {
            double *want = filled(s.rows * s.out, NAN);
            for (size_t r = 0; r < s.rows; r++)
                for (size_t o = 0; o < s.out; o++)
                    want[r * s.out + o] =
                        dot(s.x + r * s.in, s.w + o * s.in, s.in) + (with_bias ? s.bias[o] : 0);
            f2l_linear_forward_f64(s.y, s.x, s.w, with_bias ? s.bias : NULL, s.rows, s.in, s.out);
            near("y", s.y, want, s.rows * s.out, 1e-13);
            free(want);
        }
        sample_clear(&s);
    }
}

Test(op_linear, gradients_by_differences)
{
    for (size_t i = 0; i < SIZES; i++) {
        sample s = sample_of(sizes[i][0], sizes[i][1], sizes[i][2], 100 + 10 * i);
        const size_t nx = s.rows * s.in, nw = s.in * s.out;
        double *dx = filled(nx, NAN), *more = filled(nx, 5), *dw = filled(nw, 3),
               *db = filled(s.out, 4);
        f2l_linear_backward_f64(dx, false, dw, db, s.weight, s.x, s.w, s.rows, s.in, s.out);
        f2l_linear_backward_f64(more, true, NULL, NULL, s.weight, NULL, s.w, s.rows, s.in, s.out);
        for (size_t j = 0; j < nx; j++) more[j] -= 5;
        for (size_t j = 0; j < nw; j++) dw[j] -= 3;
        for (size_t j = 0; j < s.out; j++) db[j] -= 4;
        check_gradient("x", dx, s.x, nx, loss, &s);
        check_gradient("w", dw, s.w, nw, loss, &s);
        check_gradient("bias", db, s.bias, s.out, loss, &s);
        near("dx added", more, dx, nx, 1e-13);
        free(dx), free(more), free(dw), free(db);
        sample_clear(&s);
    }
}

Test(op_linear, float_follows_double_and_repeats_itself)
{
    sample s = sample_of(70, 129, 65, 7);
    const size_t nx = s.rows * s.in, nw = s.in * s.out, ny = s.rows * s.out;
    to_float(s.x, nx), to_float(s.w, nw), to_float(s.bias, s.out), to_float(s.weight, ny);
    float *x = narrow(s.x, nx), *w = narrow(s.w, nw), *bias = narrow(s.bias, s.out),
          *g = narrow(s.weight, ny);
    float *y[2], *dx[2], *dw[2], *db[2];
    for (int i = 0; i < 2; i++) {
        y[i] = calloc(ny, sizeof(float)), dx[i] = calloc(nx, sizeof(float));
        dw[i] = calloc(nw, sizeof(float)), db[i] = calloc(s.out, sizeof(float));
        f2l_linear_forward_f32(y[i], x, w, bias, s.rows, s.in, s.out);
        f2l_linear_backward_f32(dx[i], false, dw[i], db[i], g, x, w, s.rows, s.in, s.out);
    }
    same_bits("y", y[0], y[1], ny * sizeof(float));
    same_bits("dx", dx[0], dx[1], nx * sizeof(float));
    same_bits("dw", dw[0], dw[1], nw * sizeof(float));
    double *ex = filled(nx, 0), *ew = filled(nw, 0), *eb = filled(s.out, 0);
    (void)loss(&s);
    f2l_linear_backward_f64(ex, false, ew, eb, s.weight, s.x, s.w, s.rows, s.in, s.out);
    near_float("y", y[0], s.y, ny, 1e-5);
    near_float("dx", dx[0], ex, nx, 1e-5);
    near_float("dw", dw[0], ew, nw, 1e-5);
    near_float("db", db[0], eb, s.out, 1e-5);
    for (int i = 0; i < 2; i++) free(y[i]), free(dx[i]), free(dw[i]), free(db[i]);
    free(x), free(w), free(bias), free(g), free(ex), free(ew), free(eb);
    sample_clear(&s);
}

Test(op_embed, rows_come_and_gradients_go_back)
{
    const uint32_t id[5] = {2, 0, 2, 3, 2};
    double *table = noise(4 * 3, 1), *dy = noise(5 * 3, 2), y[15], dtable[12];
    cr_assert_eq(f2l_embed_forward_f64(y, table, id, 5, 4, 3, NULL), F2L_OK);
    for (size_t i = 0; i < 12; i++) dtable[i] = 7;
    cr_assert_eq(f2l_embed_backward_f64(dtable, dy, id, 5, 4, 3, NULL), F2L_OK);
    /* The same by the one-hot matrix: y = P table, dtable = P^T dy. */
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < 5; i++) cr_assert_eq(y[3 * i + j], table[3 * id[i] + j]);
        for (size_t a = 0; a < 4; a++) {
            double want = 7;
            for (size_t i = 0; i < 5; i++) want += (id[i] == a) * dy[3 * i + j];
            near("dtable", &dtable[3 * a + j], &want, 1, 1e-15);
        }
    }
    float ftable[12], fy[15], fd[12] = {0}, fdy[15];
    for (size_t i = 0; i < 12; i++) ftable[i] = (float)table[i];
    for (size_t i = 0; i < 15; i++) fdy[i] = (float)dy[i];
    cr_assert_eq(f2l_embed_forward_f32(fy, ftable, id, 5, 4, 3, NULL), F2L_OK);
    cr_assert_eq(f2l_embed_backward_f32(fd, fdy, id, 5, 4, 3, NULL), F2L_OK);
    near_float("y", fy, y, 15, 1e-7);
    for (size_t i = 0; i < 12; i++) dtable[i] -= 7;
    near_float("dtable", fd, dtable, 12, 1e-6);
    free(table), free(dy);
}

Test(op_embed, an_unknown_letter_is_refused_and_nothing_written)
{
    const uint32_t id[3] = {0, 1, 4};
    double table[12] = {0}, y[9], dtable[12] = {0}, ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    y[0] = 5;
    f2l_error err = {0};
    cr_assert_eq(f2l_embed_forward_f64(y, table, id, 3, 4, 3, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "letter 4 at row 2"), "%s", err.text);
    cr_assert_eq(f2l_embed_backward_f64(dtable, ones, id, 3, 4, 3, &err), F2L_EDOMAIN);
    cr_assert_eq(y[0], 5);
    for (size_t i = 0; i < 12; i++) cr_assert_eq(dtable[i], 0);
}
