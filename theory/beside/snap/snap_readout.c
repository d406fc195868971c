/* The read-out of weights whose transitions were replaced: kept, or refitted to what it read
 * before. */
#include "models/learn/seq/seq.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/beside/snap/put.h"
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { WORDS = 16, LENGTH = 64 }; /* words that are read at a time; their letters */

/* The batches that are compared, and those that the map is fitted to; with the width, so that there
 * are many more positions than numbers in a row of the map. */
enum { COMPARED = 2, FITTED = 4 };
static size_t fitted(size_t width)
{
    return FITTED + width / 32;
}

/* A part of the square of the inputs that is added to their matrix, so that directions without
 * numbers stay 0. */
#define RIDGE 1e-6

/* The model with the identity as its head, so that its logits are what the head reads. */
typedef struct reader {
    f2l_seq model;
    float *parameter;
    f2l_seq_work_f32 *work;
    float *output; /* [WORDS][LENGTH + 1][width] */
} reader;

static void reader_clear(reader *r)
{
    f2l_seq_work_free_f32(r->work);
    f2l_free(r->parameter);
    f2l_free(r->output);
    f2l_seq_clear(&r->model);
}

static f2l_status reader_init(reader *r, const f2l_seq *model, const double *parameters,
                              const f2l_task *task, f2l_error *err)
{
    f2l_seq_config config = model->config;
    const f2l_seq_plan plan = {WORDS, LENGTH + 1, false};
    memset(r, 0, sizeof *r);
    config.labels = config.width;
    f2l_status status = f2l_seq_init(&r->model, &config, err);
    if (status != F2L_OK) return status;
    r->parameter = f2l_calloc(r->model.parameters, sizeof *r->parameter);
    r->output = f2l_calloc((size_t)WORDS * (LENGTH + 1), config.width * sizeof *r->output);
    if (!r->parameter || !r->output) return f2l_fail_memory(err);
    for (size_t t = 0; t < model->tensors; t++) {
        const f2l_seq_tensor *from = &model->tensor[t], *to = &r->model.tensor[t];
        for (size_t i = 0; i < to->count; i++)
            r->parameter[to->offset + i] = t == model->head ? i / config.width == i % config.width
                                                            : (float)parameters[from->offset + i];
    }
    return f2l_seq_work_new_f32(&r->work, &r->model, &plan, task, err);
}

/* Words of random letters of the automaton, behind the begin letter where there is one. */
typedef struct words {
    f2l_rng rng;
    size_t letters, length;
    const f2l_data *data;
    uint32_t letter[WORDS * (LENGTH + 1)];
} words;

static void draw_random_words(words *w)
{
    w->length = LENGTH + w->data->options.begin;
    for (size_t i = 0; i < WORDS * w->length; i++)
        w->letter[i] = w->data->options.begin && i % w->length == 0
                           ? f2l_data_begin_letter(w->data)
                           : (uint32_t)f2l_rng_below(&w->rng, w->letters);
}

static f2l_status read_refit_words(reader *r, const words *w, f2l_error *err)
{
    const f2l_seq_batch batch = {.sequences = WORDS, .length = w->length, .letter = w->letter};
    return f2l_seq_logits_f32(r->output, NULL, &batch, r->parameter, r->work, err);
}

/* Returns the answer of the head [labels][width] to what it reads. */
static size_t answer_of_head(const double *head, const float *x, size_t labels, size_t width)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t l = 0; l < labels; l++) {
        double logit = 0;
        for (size_t i = 0; i < width; i++) logit += head[l * width + i] * (double)x[i];
        if (logit > most) best = l;
        most = fmax(most, logit);
    }
    return best;
}

/* What the two models and the heads need. */
typedef struct refit {
    reader before, after;
    words words;
    size_t labels, width;
    const double *head;   /* [labels][width] of both models */
    double *changed;      /* [labels][width] the head that is refitted */
    double *gram, *right; /* [width][width] sums of x x^T and x y^T: x after, y before */
    const f2l_task *task;
} refit;

static f2l_status read_both(refit *f, f2l_error *err)
{
    draw_random_words(&f->words);
    f2l_status status = read_refit_words(&f->before, &f->words, err);
    if (status == F2L_OK) status = read_refit_words(&f->after, &f->words, err);
    return status == F2L_OK ? f2l_task_poll(f->task, "snap", 0, 1, err) : status;
}

/* Sets *same to the fraction of positions where `head` answers after the change as the old head did
 * before it. */
static f2l_status compare_answers(double *same, refit *f, const double *head, f2l_error *err)
{
    size_t equal = 0, all = 0;
    f2l_status status = F2L_OK;
    for (size_t b = 0; b < COMPARED && status == F2L_OK; b++) {
        status = read_both(f, err);
        for (size_t i = 0; status == F2L_OK && i < WORDS * f->words.length; i++, all++)
            equal += answer_of_head(head, f->after.output + i * f->width, f->labels, f->width) ==
                     answer_of_head(f->head, f->before.output + i * f->width, f->labels, f->width);
    }
    *same = all > 0 ? (double)equal / (double)all : 0;
    return status;
}

static void add_position(refit *f, const float *x, const float *y)
{
    const size_t W = f->width;
    for (size_t i = 0; i < W; i++)
        for (size_t j = 0; j < W; j++) {
            f->gram[i * W + j] += (double)x[i] * (double)x[j];
            f->right[i * W + j] += (double)x[i] * (double)y[j];
        }
}

/* Fits the linear map T with x T nearest to y over random words, and sets changed to head T^T,
 * which reads x as the head reads x T. Where a number is not finite, changed is head. */
static f2l_status fit(refit *f, f2l_error *err)
{
    const size_t W = f->width;
    f2l_status status = F2L_OK;
    double trace = 0;
    for (size_t b = 0; b < fitted(W) && status == F2L_OK; b++) {
        status = read_both(f, err);
        for (size_t i = 0; status == F2L_OK && i < WORDS * f->words.length; i++)
            add_position(f, f->after.output + i * W, f->before.output + i * W);
    }
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < W; i++) trace += f->gram[i * W + i] / (double)W;
    for (size_t i = 0; i < W; i++) f->gram[i * W + i] += RIDGE * trace;
    const lapack_int n = (lapack_int)W;
    const lapack_int failed = LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, n, f->gram, n, f->right, n);
    if (failed == LAPACK_TRANSPOSE_MEMORY_ERROR) return f2l_fail_memory(err);
    if (failed) memcpy(f->changed, f->head, f->labels * W * sizeof *f->changed);
    if (failed) return F2L_OK;
    for (size_t l = 0; l < f->labels; l++)
        for (size_t i = 0; i < W; i++) {
            double sum = 0;
            for (size_t j = 0; j < W; j++) sum += f->right[i * W + j] * f->head[l * W + j];
            f->changed[l * W + i] = (double)(float)sum;
        }
    return F2L_OK;
}

/* Keeps the head where all answers to random words are the same as before; else refits it, if that
 * answers more as before. */
static f2l_status choose_readout(f2l_snap_put *out, refit *f, double *head, f2l_error *err)
{
    double same = 0;
    f2l_status status = compare_answers(&out->same, f, head, err);
    if (status != F2L_OK || out->same == 1) return status;
    status = fit(f, err);
    if (status == F2L_OK) status = compare_answers(&same, f, f->changed, err);
    if (status != F2L_OK || !(same > out->same)) return status;
    memcpy(head, f->changed, f->labels * f->width * sizeof *head);
    out->same = same;
    out->refitted = true;
    return F2L_OK;
}

f2l_status f2l_snap_refit(f2l_snap_put *out, double *parameters, const double *before,
                          const f2l_seq *model, const f2l_data *data, const f2l_task *task,
                          f2l_error *err)
{
    const size_t W = model->config.width, labels = model->config.labels,
                 at = model->tensor[model->head].offset;
    refit f = {.labels = labels, .width = W, .head = before + at, .task = task};
    f.words.data = data;
    f.words.letters = data->fsa->letters.count;
    f2l_rng_init(&f.words.rng, 1, 1);
    f.changed = f2l_calloc(labels, W * sizeof *f.changed);
    f.gram = f2l_calloc(W, W * sizeof *f.gram);
    f.right = f2l_calloc(W, W * sizeof *f.right);
    f2l_status status = f.changed && f.gram && f.right ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = reader_init(&f.before, model, before, task, err);
    if (status == F2L_OK) status = reader_init(&f.after, model, parameters, task, err);
    if (status == F2L_OK) status = choose_readout(out, &f, parameters + at, err);
    reader_clear(&f.before);
    reader_clear(&f.after);
    f2l_free(f.changed);
    f2l_free(f.gram);
    f2l_free(f.right);
    return status;
}
