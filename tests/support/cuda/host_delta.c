/* The delta mixer on the host: the reference, on rows that are first laid out by position. */
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_operators.h"

static float rounded(float x, f2l_cuda_type type)
{
    return type == F2L_CUDA_BF16 ? f2l_replay_widen(f2l_replay_round(x)) : x;
}

typedef struct laid_out {
    float *q, *k, *v, *beta, *gate; /* inputs by position */
    float *dq, *dk, *dv, *o;        /* numbers that are rounded afterwards; o: output, or its
                                     * gradient */
} laid_out;

static void free_laid_out(laid_out *x)
{
    float *const each[] = {x->q, x->k, x->v, x->beta, x->gate, x->dq, x->dk, x->dv, x->o};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) f2l_free(each[i]);
}

/* Returns rows of `width` numbers by position; NULL for NULL, and for no memory, which sets
 * *failed. */
static float *by_position(const void *from, size_t width, f2l_cuda_type type,
                          const f2l_cuda_mixer_in *in, bool *failed)
{
    const size_t rows = in->shape.batch * in->shape.tokens;
    if (from == NULL) return NULL;
    float *out = f2l_calloc(rows * width + 1, sizeof *out);
    if (out == NULL) *failed = true;
    for (size_t r = 0; r < rows && out != NULL; r++)
        for (size_t c = 0; c < width; c++)
            out[r * width + c] =
                f2l_host_get(from, (in->letter ? in->letter[r] : r) * width + c, type);
    return out;
}

static float *empty(size_t rows, size_t width, bool *failed)
{
    float *out = f2l_calloc(rows * width + 1, sizeof *out);
    if (out == NULL) *failed = true;
    return out;
}

static bool lay_out(laid_out *x, const f2l_cuda_mixer_in *in)
{
    const f2l_delta_shape *s = &in->shape;
    const size_t rows = s->batch * s->tokens, keys = s->heads * s->key,
                 values = s->heads * s->value, n = s->householders;
    bool failed = false;
    *x = (laid_out){.q = by_position(in->q, keys, in->type, in, &failed),
                    .k = by_position(in->k, n * keys, in->type, in, &failed),
                    .v = by_position(in->v, n * values, in->type, in, &failed),
                    .beta = by_position(in->beta, n * s->heads, F2L_CUDA_F32, in, &failed),
                    .gate = by_position(in->gate, s->heads, F2L_CUDA_F32, in, &failed),
                    .dq = empty(rows, keys, &failed),
                    .dk = empty(rows, n * keys, &failed),
                    .dv = empty(rows, n * values, &failed),
                    .o = empty(rows, values, &failed)};
    if (failed) free_laid_out(x);
    return !failed;
}

f2l_status f2l_host_mixer_bytes(size_t *kept, size_t *work, const f2l_cuda_mixer_in *in,
                                f2l_error *err)
{
    (void)in, (void)err;
    *kept = *work = 0;
    return F2L_OK;
}

static f2l_delta_in_f32 reference_in(const laid_out *x, const f2l_cuda_mixer_in *in)
{
    return (f2l_delta_in_f32){x->q, x->k, x->v, x->beta, x->gate, in->h0};
}

static void store(void *to, const float *from, size_t n, f2l_cuda_type type)
{
    for (size_t i = 0; i < n && to != NULL; i++) f2l_host_put(to, i, from[i], type);
}

/* Returns the inputs of a packed word by itself. */
static f2l_cuda_mixer_in word_of(const f2l_cuda_mixer_in *in, size_t b)
{
    const f2l_delta_shape *s = &in->shape;
    const f2l_host_rows rows = f2l_host_word(in->first, b, s->tokens);
    const size_t keys = s->heads * s->key, values = s->heads * s->value, n = s->householders;
    f2l_cuda_mixer_in word = *in;
    word.shape.batch = 1;
    word.shape.tokens = rows.count;
    word.q = f2l_host_rows_from(in->q, rows.first, keys, in->type);
    word.k = f2l_host_rows_from(in->k, rows.first, n * keys, in->type);
    word.v = f2l_host_rows_from(in->v, rows.first, n * values, in->type);
    word.beta = f2l_host_rows_from(in->beta, rows.first, n * s->heads, F2L_CUDA_F32);
    word.gate = f2l_host_rows_from(in->gate, rows.first, s->heads, F2L_CUDA_F32);
    word.first = NULL;
    return word;
}

static f2l_status mix_forward(void *out, const f2l_cuda_mixer_in *in, f2l_error *err)
{
    const f2l_delta_shape *s = &in->shape;
    laid_out x;
    if (!lay_out(&x, in)) return f2l_fail_memory(err);
    const f2l_delta_in_f32 inputs = reference_in(&x, in);
    const f2l_status status = f2l_delta_forward_f32(x.o, NULL, &inputs, s, err);
    if (status == F2L_OK) store(out, x.o, s->batch * s->tokens * s->heads * s->value, in->type);
    free_laid_out(&x);
    return status;
}

f2l_status f2l_host_mixer_forward(void *out, void *kept, void *work, const f2l_cuda_mixer_in *in,
                                  void *stream, f2l_error *err)
{
    (void)kept, (void)work, (void)stream;
    f2l_status status = F2L_OK;
    if (in->first == NULL) return mix_forward(out, in, err);
    for (size_t b = 0; status == F2L_OK && b < in->shape.batch; b++) {
        const f2l_cuda_mixer_in word = word_of(in, b);
        status = mix_forward(
            f2l_host_rows_from(out, in->first[b], in->shape.heads * in->shape.value, in->type),
            &word, err);
    }
    return status;
}

static f2l_status mix_backward(const f2l_cuda_mixer_grad *grad, const void *dout,
                               const f2l_cuda_mixer_in *in, f2l_error *err)
{
    const f2l_delta_shape *s = &in->shape;
    const size_t rows = s->batch * s->tokens, keys = s->heads * s->key,
                 values = s->heads * s->value, n = s->householders;
    laid_out x;
    if (!lay_out(&x, in)) return f2l_fail_memory(err);
    for (size_t i = 0; i < rows * values; i++)
        x.o[i] = rounded(f2l_host_get(dout, i, in->type), in->type);
    const f2l_delta_in_f32 inputs = reference_in(&x, in);
    const f2l_delta_grad_f32 to = {x.dq,        x.dk,        in->v ? x.dv : NULL,
                                   grad->dbeta, grad->dgate, grad->dh0};
    const f2l_status status = f2l_delta_backward_f32(&to, x.o, &inputs, s, err);
    if (status == F2L_OK) {
        store(grad->dq, x.dq, rows * keys, in->type);
        store(grad->dk, x.dk, rows * n * keys, in->type);
        store(grad->dv, x.dv, rows * n * values, in->type);
    }
    free_laid_out(&x);
    return status;
}

f2l_status f2l_host_mixer_backward(const f2l_cuda_mixer_grad *grad, const void *dout, void *kept,
                                   void *work, const f2l_cuda_mixer_in *in, void *stream,
                                   f2l_error *err)
{
    (void)kept, (void)work, (void)stream;
    const f2l_delta_shape *s = &in->shape;
    const size_t keys = s->heads * s->key, values = s->heads * s->value, n = s->householders;
    f2l_status status = F2L_OK;
    if (in->first == NULL) return mix_backward(grad, dout, in, err);
    for (size_t b = 0; status == F2L_OK && b < s->batch; b++) {
        const size_t row = in->first[b];
        const f2l_cuda_mixer_in word = word_of(in, b);
        const f2l_cuda_mixer_grad to = {
            .dq = f2l_host_rows_from(grad->dq, row, keys, in->type),
            .dk = f2l_host_rows_from(grad->dk, row, n * keys, in->type),
            .dv = f2l_host_rows_from(grad->dv, row, n * values, in->type),
            .dbeta = f2l_host_rows_from(grad->dbeta, row, n * s->heads, F2L_CUDA_F32),
            .dgate = f2l_host_rows_from(grad->dgate, row, s->heads, F2L_CUDA_F32),
            .dh0 = grad->dh0};
        status = mix_backward(&to, f2l_host_rows_from(dout, row, values, in->type), &word, err);
    }
    return status;
}
