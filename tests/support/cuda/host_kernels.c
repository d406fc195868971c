#include "tests/support/cuda/host_kernels.h"
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_operators.h"
#include <math.h>
#include <string.h>

/* A stream that is not NULL, because NULL means that there is no stream yet. */
static char no_stream;

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

/* --- letters: the index is the letters themselves --- */

static size_t host_letters_bytes(size_t rows, size_t letters)
{
    (void)letters;
    return rows * sizeof(uint32_t);
}

static f2l_status host_letters_index(void *index, const uint32_t *letter, size_t rows,
                                     size_t letters, void *stream, f2l_error *err)
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

static f2l_status host_letters_sum(float *sum, size_t sum_stride, bool add, const void *x,
                                   size_t x_stride, size_t width, f2l_cuda_type type,
                                   const void *index, void *work, size_t rows, size_t letters,
                                   void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    const uint32_t *letter = index;
    for (size_t l = 0; l < letters && !add; l++)
        memset(sum + l * sum_stride, 0, width * sizeof *sum);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++)
            sum[letter[r] * sum_stride + c] += f2l_host_get(x, r * x_stride + c, type);
    return F2L_OK;
}

/* --- loss --- */

static size_t host_loss_work(const f2l_cuda_loss_shape *shape)
{
    (void)shape;
    return 0;
}

/* Computes one supervised row; returns true when it is right. */
static bool loss_row(double *loss, void *dlogits, const float *logits, uint32_t label, float weight,
                     size_t at, const f2l_cuda_loss_shape *s)
{
    size_t best = 0;
    double total = 0;
    for (size_t c = 1; c < s->classes; c++)
        if (logits[c] > logits[best]) best = c;
    for (size_t c = 0; c < s->classes; c++) total += (double)expf(logits[c] - logits[best]);
    /* cppcheck-suppress invalidFunctionArg; the best of at least one class adds 1 to total */
    *loss += log(total) + (double)(logits[best] - logits[label]);
    for (size_t c = 0; c < s->classes; c++)
        f2l_host_put(
            dlogits, at + c,
            weight * (expf(logits[c] - logits[best]) / (float)total - (c == label ? 1.0F : 0.0F)),
            s->type);
    return best == label;
}

static f2l_status host_loss(f2l_cuda_score *score, uint8_t *right, void *dlogits,
                            const float *logits, const uint32_t *label, const uint8_t *mask,
                            const float *weight, void *work, const f2l_cuda_loss_shape *s,
                            void *stream, f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    *score = (f2l_cuda_score){0};
    for (size_t q = 0; q < s->sequences; q++) {
        bool any = false, all = true, last = false;
        const f2l_host_rows word = f2l_host_word(s->first, q, s->length);
        for (size_t r = word.first; r < word.first + word.count; r++) {
            const size_t at = r * s->dlogits_stride;
            for (size_t c = 0; c < s->dlogits_stride; c++)
                f2l_host_put(dlogits, at + c, 0, s->type);
            right[r] = 0;
            if (mask && !mask[r]) continue;
            last = loss_row(&score->loss, dlogits, logits + r * s->logits_stride, label[r], *weight,
                            at, s);
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

/* --- AdamW, as models/learn/train/adamw.inc computes it --- */

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
    report->scale =
        (float)(step->clip > 0 && report->norm > step->clip ? step->clip / report->norm : 1);
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
                                   const f2l_cuda_product_shape *shape, const void *a,
                                   const void *b, const void *c, size_t work_bytes, unsigned choice,
                                   f2l_error *err)
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

static f2l_status host_product_run(void *c, const void *a, const void *b,
                                   const f2l_cuda_product *product, void *work, void *stream,
                                   f2l_error *err)
{
    (void)work, (void)stream, (void)err;
    const f2l_cuda_product_shape *s = &product->shape;
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++) {
            double sum = s->add ? (double)f2l_host_get(c, i * s->ldc + j, s->out) : 0;
            for (size_t l = 0; l < s->k; l++)
                sum += (double)f2l_host_get(a, s->transpose_a ? l * s->lda + i : i * s->lda + l,
                                            s->in) *
                       (double)f2l_host_get(b, s->transpose_b ? j * s->ldb + l : l * s->ldb + j,
                                            s->in);
            f2l_host_put(c, i * s->ldc + j, (float)sum, s->out);
        }
    return F2L_OK;
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
                                                .cast = f2l_host_cast,
                                                .swiglu_forward = f2l_host_swiglu_forward,
                                                .swiglu_backward = f2l_host_swiglu_backward,
                                                .sigmoid_forward = f2l_host_sigmoid_forward,
                                                .sigmoid_backward = f2l_host_sigmoid_backward,
                                                .decay_work = f2l_host_decay_work,
                                                .decay_forward = f2l_host_decay_forward,
                                                .decay_backward = f2l_host_decay_backward,
                                                .rmsnorm_forward = f2l_host_rmsnorm_forward,
                                                .rmsnorm_work = f2l_host_rmsnorm_work,
                                                .rmsnorm_backward = f2l_host_rmsnorm_backward,
                                                .unit_forward = f2l_host_unit_forward,
                                                .unit_backward = f2l_host_unit_backward,
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
                                                .mixer_bytes = f2l_host_mixer_bytes,
                                                .mixer_forward = f2l_host_mixer_forward,
                                                .mixer_backward = f2l_host_mixer_backward,
                                                .embed_forward = f2l_host_embed_forward,
                                                .conv_work = f2l_host_conv_work,
                                                .conv_forward = f2l_host_conv_forward,
                                                .conv_backward = f2l_host_conv_backward,
                                                .select_bytes = f2l_host_select_bytes,
                                                .select_forward = f2l_host_select_forward,
                                                .select_backward = f2l_host_select_backward,
                                                .rates_work = f2l_host_rates_work,
                                                .rates_forward = f2l_host_rates_forward,
                                                .rates_backward = f2l_host_rates_backward,
                                                .dplr_bytes = f2l_host_dplr_bytes,
                                                .dplr_forward = f2l_host_dplr_forward,
                                                .dplr_backward = f2l_host_dplr_backward,
                                                .pairs_bytes = f2l_host_pairs_bytes,
                                                .pairs_forward = f2l_host_pairs_forward,
                                                .pairs_backward = f2l_host_pairs_backward,
                                                .gate_forward = f2l_host_gate_forward,
                                                .gate_backward = f2l_host_gate_backward};
