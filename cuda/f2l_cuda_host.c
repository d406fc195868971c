#include "f2l_cuda_host.h"
#include "f2l_mem.h"
#include "f2l_replay_bf16.h"
#include <math.h>
#include <string.h>

/* No stream, but not NULL either, which would mean that there is none yet. */
static char no_stream;

static float get(const void *from, size_t i, f2l_cuda_type type)
{
    return f2l_replay_get(from, i, type == F2L_CUDA_BF16);
}
static void put(void *to, size_t i, float x, f2l_cuda_type type)
{
    f2l_replay_put(to, i, x, type == F2L_CUDA_BF16);
}
static float rounded(float x, f2l_cuda_type type)
{
    return type == F2L_CUDA_BF16 ? f2l_replay_widen(f2l_replay_round(x)) : x;
}

/* --- memory --- */

static f2l_status host_alloc(void **out, size_t bytes, f2l_error *err)
{
    *out = f2l_calloc(bytes, 1);
    if (*out == NULL) return f2l_fail_memory(err);
    memset(*out, 0xff, bytes);
    return F2L_OK;
}
static void host_free(void *memory)
{
    f2l_free(memory);
}
static f2l_status host_copy(void *to, const void *from, size_t bytes, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    memcpy(to, from, bytes);
    return F2L_OK;
}
static f2l_status host_fill(void *to, int byte, size_t bytes, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    memset(to, byte, bytes);
    return F2L_OK;
}
static f2l_status host_stream_new(void **stream, f2l_error *err)
{
    (void)err;
    *stream = &no_stream;
    return F2L_OK;
}
static void host_nothing(void *thing)
{
    (void)thing;
}
static f2l_status host_wait(void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    return F2L_OK;
}

/* --- pointwise --- */

static f2l_status host_cast(void *to, f2l_cuda_type to_type, const void *from, f2l_cuda_type from_type,
                            size_t n, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < n; i++) put(to, i, get(from, i, from_type), to_type);
    return F2L_OK;
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

static f2l_status host_swiglu_forward(void *y, const void *gate_up, size_t rows, size_t width,
                                      f2l_cuda_type type, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) {
            const float a = get(gate_up, 2 * r * width + c, type),
                        b = get(gate_up, (2 * r + 1) * width + c, type);
            put(y, r * width + c, a * sigmoid(a) * b, type);
        }
    return F2L_OK;
}

static f2l_status host_swiglu_backward(void *dgate_up, const void *dy, const void *gate_up, size_t rows,
                                       size_t width, f2l_cuda_type type, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) {
            const size_t at = 2 * r * width + c;
            const float a = get(gate_up, at, type), b = get(gate_up, at + width, type),
                        g = get(dy, r * width + c, type);
            const float s = sigmoid(a);
            put(dgate_up, at, g * b * (s + a * s * (1 - s)), type);
            put(dgate_up, at + width, g * a * s, type);
        }
    return F2L_OK;
}

static f2l_status host_sigmoid_forward(float *y, const void *x, const f2l_cuda_range *r, void *stream,
                                       f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const float z = get(x, i / r->width * r->stride + i % r->width, r->type);
        y[i] = r->low + (r->high - r->low) * sigmoid(r->slope * z);
    }
    return F2L_OK;
}

static f2l_status host_sigmoid_backward(void *dx, const float *dy, const void *x, const f2l_cuda_range *r,
                                        void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t at = i / r->width * r->stride + i % r->width;
        const float s = sigmoid(r->slope * get(x, at, r->type));
        put(dx, at, dy[i] * (r->high - r->low) * r->slope * s * (1 - s), r->type);
    }
    return F2L_OK;
}

static size_t host_decay_work(const f2l_cuda_range *range)
{
    (void)range;
    return 0;
}

static f2l_status host_decay_forward(float *y, const void *x, const float *rate, const float *bias,
                                     const f2l_cuda_range *r, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t c = i % r->width;
        const float z = get(x, i / r->width * r->stride + c, r->type) + bias[c];
        y[i] = r->low + (r->high - r->low) * expf(-expf(rate[c]) * (fmaxf(z, 0) + log1pf(expf(-fabsf(z)))));
    }
    return F2L_OK;
}

static f2l_status host_decay_backward(void *dx, float *drate, float *dbias, const float *dy, const void *x,
                                      const float *rate, const float *bias, void *work,
                                      const f2l_cuda_range *r, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    for (size_t i = 0; i < r->rows * r->width; i++) {
        const size_t c = i % r->width, at = i / r->width * r->stride + c;
        const float z = get(x, at, r->type) + bias[c], speed = expf(rate[c]);
        const float amount = speed * (fmaxf(z, 0) + log1pf(expf(-fabsf(z))));
        const float to_amount = -dy[i] * (r->high - r->low) * expf(-amount),
                    to_z = to_amount * speed * sigmoid(z);
        if (drate) drate[c] += to_amount * amount;
        if (dbias) dbias[c] += to_z;
        put(dx, at, to_z, r->type);
    }
    return F2L_OK;
}

/* --- norms --- */

static size_t host_rmsnorm_work(const f2l_cuda_norm *norm)
{
    (void)norm;
    return 0;
}

static f2l_status host_rmsnorm_forward(void *y, void *sum, const void *x, const void *residual,
                                       const uint32_t *letter, const float *weight, const f2l_cuda_norm *n,
                                       void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < n->rows; r++) {
        const size_t at = r * n->width, from = (letter ? letter[r] : r) * n->width;
        double squares = 0;
        for (size_t c = 0; sum && c < n->width; c++)
            put(sum, at + c, get(x, at + c, n->type) + get(residual, from + c, n->type), n->type);
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * get(sum ? sum : x, at + c, n->type);
            squares += (double)z * (double)z;
        }
        const float root = 1 / sqrtf((float)(squares / (double)n->width) + n->epsilon);
        for (size_t c = 0; c < n->width; c++)
            put(y, at + c, n->scale * get(sum ? sum : x, at + c, n->type) * root * (weight ? weight[c] : 1),
                n->type);
    }
    return F2L_OK;
}

static f2l_status host_rmsnorm_backward(void *dx, float *dweight, const void *dy, const void *x,
                                        const void *residual, const float *weight, void *work,
                                        const f2l_cuda_norm *n, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    for (size_t r = 0; r < n->rows; r++) {
        const size_t at = r * n->width;
        double squares = 0, along = 0;
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * get(x, at + c, n->type),
                        g = get(dy, at + c, n->type) * (weight ? weight[c] : 1);
            squares += (double)z * (double)z;
            along += (double)g * (double)z;
        }
        const float width = (float)n->width, root = 1 / sqrtf((float)squares / width + n->epsilon);
        const float part = (float)along / width * root * root;
        for (size_t c = 0; c < n->width; c++) {
            const float z = n->scale * get(x, at + c, n->type), g = get(dy, at + c, n->type);
            if (dweight) dweight[c] += g * z * root;
            put(dx, at + c,
                n->scale * root * (g * (weight ? weight[c] : 1) - z * part) +
                    (residual ? get(residual, at + c, n->type) : 0),
                n->type);
        }
    }
    return F2L_OK;
}

/* u of one number, and its derivative. */
static float active(float *slope, float x, bool silu)
{
    const float s = sigmoid(x);
    *slope = silu ? s + x * s * (1 - s) : 1;
    return silu ? x * s : x;
}

static f2l_status host_unit(void *y, const void *dy, const void *x, const f2l_cuda_unit *u, bool back)
{
    for (size_t g = 0; g < u->rows * u->groups; g++) {
        const size_t place = g / u->groups * u->stride + g % u->groups * u->width, at = g * u->width;
        double squares = 0, along = 0;
        float slope, root = 1;
        for (size_t i = 0; i < u->width; i++) {
            const float a = active(&slope, get(x, place + i, u->x_type), u->silu);
            squares += (double)a * (double)a;
            if (back) along += (double)a * (double)get(dy, at + i, u->x_type);
        }
        if (u->unit) root = 1 / sqrtf((float)squares + u->epsilon);
        const float part = u->unit ? (float)along * root * root : 0;
        for (size_t i = 0; i < u->width; i++) {
            const float a = active(&slope, get(x, place + i, u->x_type), u->silu);
            if (back)
                put(y, place + i, root * (get(dy, at + i, u->x_type) - a * part) * slope, u->x_type);
            else
                put(y, at + i, a * root, u->y_type);
        }
    }
    return F2L_OK;
}

static f2l_status host_unit_forward(void *y, const void *x, const f2l_cuda_unit *shape, void *stream,
                                    f2l_error *err)
{
    (void)stream, (void)err;
    return host_unit(y, NULL, x, shape, false);
}

static f2l_status host_unit_backward(void *dx, const void *dy, const void *x, const f2l_cuda_unit *shape,
                                     void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    return host_unit(dx, dy, x, shape, true);
}

/* --- letters: the index is the letters themselves --- */

static size_t host_letters_bytes(size_t rows, size_t letters)
{
    (void)letters;
    return rows * sizeof(uint32_t);
}

static f2l_status host_letters_index(void *index, const uint32_t *letter, size_t rows, size_t letters,
                                     void *stream, f2l_error *err)
{
    (void)letters, (void)stream, (void)err;
    memcpy(index, letter, rows * sizeof *letter);
    return F2L_OK;
}

static size_t host_letters_work(size_t rows, size_t letters, size_t width)
{
    (void)rows, (void)letters, (void)width;
    return 0;
}

static f2l_status host_letters_sum(float *sum, size_t sum_stride, bool add, const void *x, size_t x_stride,
                                   size_t width, f2l_cuda_type type, const void *index, void *work,
                                   size_t rows, size_t letters, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    const uint32_t *letter = index;
    for (size_t l = 0; l < letters && !add; l++) memset(sum + l * sum_stride, 0, width * sizeof *sum);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) sum[letter[r] * sum_stride + c] += get(x, r * x_stride + c, type);
    return F2L_OK;
}

/* --- loss --- */

static size_t host_loss_work(const f2l_cuda_loss_shape *shape)
{
    (void)shape;
    return 0;
}

/* One supervised row; true when it is right. */
static bool loss_row(double *loss, void *dlogits, const float *logits, uint32_t label, float weight,
                     size_t at, const f2l_cuda_loss_shape *s)
{
    size_t best = 0;
    double total = 0;
    for (size_t c = 1; c < s->classes; c++)
        if (logits[c] > logits[best]) best = c;
    for (size_t c = 0; c < s->classes; c++) total += (double)expf(logits[c] - logits[best]);
    *loss += log(total) + (double)(logits[best] - logits[label]);
    for (size_t c = 0; c < s->classes; c++)
        put(dlogits, at + c,
            weight * (expf(logits[c] - logits[best]) / (float)total - (c == label ? 1.0F : 0.0F)), s->type);
    return best == label;
}

static f2l_status host_loss(f2l_cuda_score *score, uint8_t *right, void *dlogits, const float *logits,
                            const uint32_t *label, const uint8_t *mask, const float *weight, void *work,
                            const f2l_cuda_loss_shape *s, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    *score = (f2l_cuda_score){0};
    for (size_t q = 0; q < s->sequences; q++) {
        bool any = false, all = true, last = false;
        for (size_t r = q * s->length; r < (q + 1) * s->length; r++) {
            const size_t at = r * s->dlogits_stride;
            for (size_t c = 0; c < s->dlogits_stride; c++) put(dlogits, at + c, 0, s->type);
            right[r] = 0;
            if (mask && !mask[r]) continue;
            last = loss_row(&score->loss, dlogits, logits + r * s->logits_stride, label[r], *weight, at, s);
            right[r] = last;
            any = true;
            all = all && last;
            score->supervised++;
            score->right += last;
        }
        score->sequences += any;
        score->right_ones += any && all;
        score->right_last += last;
    }
    return F2L_OK;
}

/* --- AdamW, as f2l_adamw.inc computes it --- */

static size_t host_adamw_work(size_t count)
{
    (void)count;
    return 0;
}

static f2l_status host_adamw(float *parameter, float *mean, float *square, uint16_t *shadow,
                             f2l_cuda_adamw_report *report, const float *gradient, size_t count,
                             const f2l_cuda_adamw_step *step, const f2l_cuda_adamw_group *group,
                             size_t groups, void *work, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)gradient[i] * (double)gradient[i];
    *report = (f2l_cuda_adamw_report){.norm = sqrt(sum)};
    report->moved = isfinite(report->norm);
    report->scale = (float)(step->clip > 0 && report->norm > step->clip ? step->clip / report->norm : 1);
    for (size_t i = 0, at = 0; i < count && report->moved; i++) {
        while (at + 1 < groups && group[at + 1].first <= i) at++;
        const float g = report->scale * gradient[i];
        mean[i] = step->beta1 * mean[i] + step->mean_step * g;
        square[i] = step->beta2 * square[i] + step->square_step * g * g;
        parameter[i] = group[at].keep * parameter[i] -
                       group[at].size * mean[i] / (sqrtf(square[i]) / step->root + step->epsilon);
        if (shadow) shadow[i] = f2l_replay_round(parameter[i]);
    }
    return F2L_OK;
}

/* --- products --- */

struct f2l_cuda_blas {
    char nothing;
};
struct f2l_cuda_product {
    f2l_cuda_product_shape shape;
};

static f2l_status host_blas_new(f2l_cuda_blas **out, f2l_error *err)
{
    *out = f2l_calloc(1, sizeof **out);
    return *out == NULL ? f2l_fail_memory(err) : F2L_OK;
}
static void host_blas_free(f2l_cuda_blas *blas)
{
    f2l_free(blas);
}
static f2l_status host_product_new(f2l_cuda_product **out, f2l_cuda_blas *blas,
                                   const f2l_cuda_product_shape *shape, const void *a, const void *b,
                                   const void *c, size_t work_bytes, unsigned choice, f2l_error *err)
{
    (void)blas, (void)a, (void)b, (void)c, (void)work_bytes, (void)choice;
    *out = f2l_calloc(1, sizeof **out);
    if (*out == NULL) return f2l_fail_memory(err);
    (*out)->shape = *shape;
    return F2L_OK;
}
static void host_product_free(f2l_cuda_product *product)
{
    f2l_free(product);
}

static f2l_status host_product_run(void *c, const void *a, const void *b, const f2l_cuda_product *product,
                                   void *work, void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    const f2l_cuda_product_shape *s = &product->shape;
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++) {
            double sum = s->add ? (double)get(c, i * s->ldc + j, s->out) : 0;
            for (size_t l = 0; l < s->k; l++)
                sum += (double)get(a, s->transpose_a ? l * s->lda + i : i * s->lda + l, s->in) *
                       (double)get(b, s->transpose_b ? j * s->ldb + l : l * s->ldb + j, s->in);
            put(c, i * s->ldc + j, (float)sum, s->out);
        }
    return F2L_OK;
}

/* --- the mixer: the reference, on rows that are laid out by position first --- */

typedef struct laid_out {
    float *q, *k, *v, *beta, *gate; /* inputs by position */
    float *dq, *dk, *dv, *o;        /* what is rounded afterwards; o: output, or its gradient */
} laid_out;

static void free_laid_out(laid_out *x)
{
    float *const each[] = {x->q, x->k, x->v, x->beta, x->gate, x->dq, x->dk, x->dv, x->o};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) f2l_free(each[i]);
}

/* Rows of `width` numbers, by position; NULL for NULL, and for no memory, which sets *failed. */
static float *by_position(const void *from, size_t width, f2l_cuda_type type, const f2l_cuda_mixer_in *in,
                          bool *failed)
{
    const size_t rows = in->shape.batch * in->shape.tokens;
    if (from == NULL) return NULL;
    float *out = f2l_calloc(rows * width + 1, sizeof *out);
    if (out == NULL) *failed = true;
    for (size_t r = 0; r < rows && out != NULL; r++)
        for (size_t c = 0; c < width; c++)
            out[r * width + c] = get(from, (in->letter ? in->letter[r] : r) * width + c, type);
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
    const size_t rows = s->batch * s->tokens, keys = s->heads * s->key, values = s->heads * s->value,
                 n = s->householders;
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

static f2l_status host_mixer_bytes(size_t *kept, size_t *work, const f2l_cuda_mixer_in *in, f2l_error *err)
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
    for (size_t i = 0; i < n && to != NULL; i++) put(to, i, from[i], type);
}

static f2l_status host_mixer_forward(void *out, void *kept, void *work, const f2l_cuda_mixer_in *in,
                                     void *stream, f2l_error *err)
{
    (void)kept, (void)work, (void)stream;
    const f2l_delta_shape *s = &in->shape;
    laid_out x;
    if (!lay_out(&x, in)) return f2l_fail_memory(err);
    const f2l_delta_in_f32 inputs = reference_in(&x, in);
    const f2l_status status = f2l_delta_forward_f32(x.o, NULL, &inputs, s, err);
    if (status == F2L_OK) store(out, x.o, s->batch * s->tokens * s->heads * s->value, in->type);
    free_laid_out(&x);
    return status;
}

static f2l_status host_mixer_backward(const f2l_cuda_mixer_grad *grad, const void *dout, void *kept,
                                      void *work, const f2l_cuda_mixer_in *in, void *stream, f2l_error *err)
{
    (void)kept, (void)work, (void)stream;
    const f2l_delta_shape *s = &in->shape;
    const size_t rows = s->batch * s->tokens, keys = s->heads * s->key, values = s->heads * s->value,
                 n = s->householders;
    laid_out x;
    if (!lay_out(&x, in)) return f2l_fail_memory(err);
    for (size_t i = 0; i < rows * values; i++) x.o[i] = rounded(get(dout, i, in->type), in->type);
    const f2l_delta_in_f32 inputs = reference_in(&x, in);
    const f2l_delta_grad_f32 to = {x.dq, x.dk, in->v ? x.dv : NULL, grad->dbeta, grad->dgate, grad->dh0};
    const f2l_status status = f2l_delta_backward_f32(&to, x.o, &inputs, s, err);
    if (status == F2L_OK) {
        store(grad->dq, x.dq, rows * keys, in->type);
        store(grad->dk, x.dk, rows * n * keys, in->type);
        store(grad->dv, x.dv, rows * n * values, in->type);
    }
    free_laid_out(&x);
    return status;
}

const f2l_cuda_kernels f2l_cuda_kernels_host = {.alloc = host_alloc,
                                                .free = host_free,
                                                .alloc_host = host_alloc,
                                                .free_host = host_free,
                                                .to_device = host_copy,
                                                .to_host = host_copy,
                                                .fill = host_fill,
                                                .stream_new = host_stream_new,
                                                .stream_free = host_nothing,
                                                .wait = host_wait,
                                                .graph_free = host_nothing,
                                                .cast = host_cast,
                                                .swiglu_forward = host_swiglu_forward,
                                                .swiglu_backward = host_swiglu_backward,
                                                .sigmoid_forward = host_sigmoid_forward,
                                                .sigmoid_backward = host_sigmoid_backward,
                                                .decay_work = host_decay_work,
                                                .decay_forward = host_decay_forward,
                                                .decay_backward = host_decay_backward,
                                                .rmsnorm_forward = host_rmsnorm_forward,
                                                .rmsnorm_work = host_rmsnorm_work,
                                                .rmsnorm_backward = host_rmsnorm_backward,
                                                .unit_forward = host_unit_forward,
                                                .unit_backward = host_unit_backward,
                                                .letters_bytes = host_letters_bytes,
                                                .letters_index = host_letters_index,
                                                .letters_work = host_letters_work,
                                                .letters_sum = host_letters_sum,
                                                .loss_work = host_loss_work,
                                                .loss = host_loss,
                                                .adamw_work = host_adamw_work,
                                                .adamw = host_adamw,
                                                .blas_new = host_blas_new,
                                                .blas_free = host_blas_free,
                                                .product_new = host_product_new,
                                                .product_free = host_product_free,
                                                .product_run = host_product_run,
                                                .mixer_bytes = host_mixer_bytes,
                                                .mixer_forward = host_mixer_forward,
                                                .mixer_backward = host_mixer_backward};
