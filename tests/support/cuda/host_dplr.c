/* The recurrence with a gate for each key, and its gates, on the host: the operators of
 * models/learn/op on arrays that are widened before and rounded after. Backward computes everything
 * anew. */
#include "models/learn/op/op_dplr.h"
#include "models/learn/op/op_rates.h"
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_operators.h"
#include <string.h>

/* Arrays of floats that are freed together. */
typedef struct copies {
    float *of[8];
    size_t count;
    bool failed;
} copies;

/* Returns n floats: the numbers of `from`, or room for them when it is NULL. */
static float *copy(copies *c, const void *from, size_t n, f2l_cuda_type type)
{
    float *to = f2l_calloc(n + 1, sizeof *to);
    if (to == NULL) {
        c->failed = true;
        return NULL;
    }
    for (size_t i = 0; from != NULL && i < n; i++) to[i] = f2l_host_get(from, i, type);
    c->of[c->count++] = to;
    return to;
}

/* Writes n numbers; from NULL, when there was no memory: none. */
static void give(void *to, const float *from, size_t n, f2l_cuda_type type)
{
    for (size_t i = 0; from != NULL && i < n; i++) f2l_host_put(to, i, from[i], type);
}

static f2l_status finish(copies *c, f2l_status status, f2l_error *err)
{
    for (size_t i = 0; i < c->count; i++) f2l_free(c->of[i]);
    return c->failed ? f2l_fail_memory(err) : status;
}

f2l_status f2l_host_dplr_bytes(size_t *kept, size_t *work, const f2l_cuda_dplr_shape *s,
                               f2l_error *err)
{
    *kept = *work = sizeof(float);
    if (s->key <= F2L_CUDA_DPLR_DIM && s->value <= F2L_CUDA_DPLR_DIM) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "heads of %zu x %zu are too large", s->key, s->value);
}

static f2l_dplr_shape shape_of(const f2l_cuda_dplr_shape *s)
{
    return (f2l_dplr_shape){s->batch, s->tokens, s->heads, s->key, s->value};
}

static f2l_dplr_in_f32 inputs_of(copies *c, const f2l_cuda_dplr_in *in,
                                 const f2l_cuda_dplr_shape *s)
{
    const size_t rows = s->batch * s->tokens * s->heads;
    return (f2l_dplr_in_f32){.q = copy(c, in->q, rows * s->key, s->type),
                             .k = copy(c, in->k, rows * s->key, s->type),
                             .v = copy(c, in->v, rows * s->value, s->type),
                             .w = in->w,
                             .a = s->ranked ? in->a : NULL,
                             .b = s->ranked ? in->b : NULL};
}

static f2l_status recur(void *out, float *state, const f2l_cuda_dplr_in *in,
                        const f2l_cuda_dplr_shape *s, f2l_error *err)
{
    copies c = {.count = 0};
    const f2l_dplr_shape shape = shape_of(s);
    const size_t values = s->batch * s->tokens * s->heads * s->value;
    const f2l_dplr_in_f32 x = inputs_of(&c, in, s);
    float *o = copy(&c, NULL, values, s->type);
    f2l_status status = F2L_OK;
    if (!c.failed) status = f2l_dplr_forward_f32(o, state, &x, &shape, err);
    if (!c.failed && status == F2L_OK) give(out, o, values, s->type);
    return finish(&c, status, err);
}

/* Returns the shape of a packed word by itself. */
static f2l_cuda_dplr_shape shape_of_word(const f2l_cuda_dplr_shape *s, size_t b)
{
    f2l_cuda_dplr_shape word = *s;
    word.batch = 1;
    word.tokens = s->first[b + 1] - s->first[b];
    word.first = NULL;
    return word;
}
static f2l_cuda_dplr_in word_in(const f2l_cuda_dplr_in *in, size_t row,
                                const f2l_cuda_dplr_shape *s)
{
    const size_t keys = s->heads * s->key;
    return (f2l_cuda_dplr_in){.q = f2l_host_rows_from(in->q, row, keys, s->type),
                              .k = f2l_host_rows_from(in->k, row, keys, s->type),
                              .v = f2l_host_rows_from(in->v, row, s->heads * s->value, s->type),
                              .w = f2l_host_rows_from(in->w, row, keys, F2L_CUDA_F32),
                              .a = f2l_host_rows_from(in->a, row, keys, F2L_CUDA_F32),
                              .b = f2l_host_rows_from(in->b, row, keys, F2L_CUDA_F32)};
}

f2l_status f2l_host_dplr_forward(void *out, float *state, void *kept, const f2l_cuda_dplr_in *in,
                                 const f2l_cuda_dplr_shape *s, void *stream, f2l_error *err)
{
    (void)kept, (void)stream;
    f2l_status status = F2L_OK;
    if (s->first == NULL) return recur(out, state, in, s, err);
    if (state) return f2l_fail(err, F2L_EDOMAIN, "packed words have no states on the host");
    for (size_t b = 0; status == F2L_OK && b < s->batch; b++) {
        const f2l_cuda_dplr_shape shape = shape_of_word(s, b);
        const f2l_cuda_dplr_in word = word_in(in, s->first[b], s);
        status = recur(f2l_host_rows_from(out, s->first[b], s->heads * s->value, s->type), NULL,
                       &word, &shape, err);
    }
    return status;
}

static f2l_status recur_back(const f2l_cuda_dplr_grad *grad, const void *dout,
                             const f2l_cuda_dplr_in *in, const f2l_cuda_dplr_shape *s,
                             f2l_error *err)
{
    copies c = {.count = 0};
    const f2l_dplr_shape shape = shape_of(s);
    const size_t rows = s->batch * s->tokens * s->heads, keys = rows * s->key,
                 values = rows * s->value;
    const f2l_dplr_in_f32 x = inputs_of(&c, in, s);
    const float *from = copy(&c, dout, values, s->type);
    const f2l_dplr_grad_f32 g = {.dq = copy(&c, NULL, keys, s->type),
                                 .dk = copy(&c, NULL, keys, s->type),
                                 .dv = copy(&c, NULL, values, s->type),
                                 .dw = grad->dw,
                                 .da = grad->da,
                                 .db = grad->db};
    f2l_status status = F2L_OK;
    if (!c.failed) status = f2l_dplr_backward_f32(&g, from, &x, &shape, err);
    if (!c.failed && status == F2L_OK) {
        give(grad->dq, g.dq, keys, s->type);
        give(grad->dk, g.dk, keys, s->type);
        give(grad->dv, g.dv, values, s->type);
    }
    return finish(&c, status, err);
}

f2l_status f2l_host_dplr_backward(const f2l_cuda_dplr_grad *grad, const void *dout,
                                  const void *kept, void *work, const f2l_cuda_dplr_in *in,
                                  const f2l_cuda_dplr_shape *s, void *stream, f2l_error *err)
{
    (void)kept, (void)work, (void)stream;
    const size_t keys = s->heads * s->key, values = s->heads * s->value;
    f2l_status status = F2L_OK;
    if (s->first == NULL) return recur_back(grad, dout, in, s, err);
    for (size_t b = 0; status == F2L_OK && b < s->batch; b++) {
        const size_t row = s->first[b];
        const f2l_cuda_dplr_shape shape = shape_of_word(s, b);
        const f2l_cuda_dplr_in word = word_in(in, row, s);
        const f2l_cuda_dplr_grad to = {.dq = f2l_host_rows_from(grad->dq, row, keys, s->type),
                                       .dk = f2l_host_rows_from(grad->dk, row, keys, s->type),
                                       .dv = f2l_host_rows_from(grad->dv, row, values, s->type),
                                       .dw = f2l_host_rows_from(grad->dw, row, keys, F2L_CUDA_F32),
                                       .da = f2l_host_rows_from(grad->da, row, keys, F2L_CUDA_F32),
                                       .db = f2l_host_rows_from(grad->db, row, keys, F2L_CUDA_F32)};
        status =
            recur_back(&to, f2l_host_rows_from(dout, row, values, s->type), &word, &shape, err);
    }
    return status;
}

/* --- gates --- */

size_t f2l_host_rates_work(const f2l_cuda_rates_shape *shape)
{
    (void)shape;
    return 0;
}

static f2l_rates_shape rates_of(const f2l_cuda_rates_shape *s)
{
    return (f2l_rates_shape){s->rows,    s->heads,    s->key,
                             s->removal, s->negative, (double)s->epsilon};
}

static f2l_rates_in_f32 rates_in(copies *c, const f2l_cuda_rates_in *in,
                                 const f2l_cuda_rates_shape *s)
{
    const size_t count = s->rows * s->heads * s->key;
    return (f2l_rates_in_f32){.x = copy(c, in->x, count, s->type),
                              .k = s->removal ? copy(c, in->k, count, s->type) : NULL,
                              .y = s->removal ? copy(c, in->y, count, s->type) : NULL,
                              .gate_bias = in->gate_bias,
                              .rate_bias = in->rate_bias,
                              .removal = in->removal,
                              .replacement = in->replacement};
}

f2l_status f2l_host_rates_forward(const f2l_cuda_rates_out *out, const f2l_cuda_rates_in *in,
                                  const f2l_cuda_rates_shape *s, void *stream, f2l_error *err)
{
    (void)stream;
    copies c = {.count = 0};
    const f2l_rates_shape shape = rates_of(s);
    const size_t count = s->rows * s->heads * s->key;
    const f2l_rates_in_f32 x = rates_in(&c, in, s);
    const f2l_rates_out_f32 to = {out->w, out->a, out->b, copy(&c, NULL, count, s->type)};
    if (!c.failed) {
        f2l_rates_forward_f32(&to, &x, &shape);
        if (s->removal) give(out->key, to.key, count, s->type);
    }
    return finish(&c, F2L_OK, err);
}

f2l_status f2l_host_rates_backward(const f2l_cuda_rates_grad *grad, void *work,
                                   const f2l_cuda_rates_in *in, const f2l_cuda_rates_shape *s,
                                   void *stream, f2l_error *err)
{
    (void)work, (void)stream;
    copies c = {.count = 0};
    const f2l_rates_shape shape = rates_of(s);
    const size_t count = s->rows * s->heads * s->key;
    const f2l_rates_in_f32 x = rates_in(&c, in, s);
    const f2l_rates_grad_f32 g = {.dw = grad->dw,
                                  .da = grad->da,
                                  .db = grad->db,
                                  .dkey = copy(&c, s->removal ? grad->dkey : NULL, count, s->type),
                                  .dx = copy(&c, NULL, count, s->type),
                                  .dk = copy(&c, NULL, count, s->type),
                                  .dy = copy(&c, NULL, count, s->type),
                                  .dgate_bias = grad->dgate_bias,
                                  .drate_bias = grad->drate_bias,
                                  .dremoval = grad->dremoval,
                                  .dreplacement = grad->dreplacement};
    if (!c.failed) {
        f2l_rates_backward_f32(&g, &x, &shape);
        give(grad->dx, g.dx, count, s->type);
        if (s->removal) {
            give(grad->dk, g.dk, count, s->type);
            give(grad->dy, g.dy, count, s->type);
        }
    }
    return finish(&c, F2L_OK, err);
}
