#include "models/learn/op/op_embed.h"
#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_loss.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/op/op_point.h"
#include "models/learn/seq/impl.h"
#include "models/learn/seq/seq_letters.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

static f2l_status check_seq_batch(const f2l_seq_batch *batch, const f2l_seq *model, bool labels,
                                  f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    for (size_t i = 0; i < batch->sequences * batch->length; i++) {
        if (batch->letter[i] >= c->letters)
            return f2l_fail(err, F2L_EDOMAIN, "letter %u of a batch is none of the model's %zu",
                            batch->letter[i], c->letters);
        if (labels && (batch->mask == NULL || batch->mask[i] != 0) && batch->label[i] >= c->labels)
            return f2l_fail(err, F2L_EDOMAIN, "label %u of a batch is none of the model's %zu",
                            batch->label[i], c->labels);
    }
    return F2L_OK;
}

/* Adds the marks right[B][T] of supervised, right answers to the sequences' counts. */
static void count_sequences(f2l_seq_score *score, const uint8_t *right, const f2l_seq_batch *batch)
{
    for (size_t b = 0; b < batch->sequences; b++) {
        bool any = false, all = true, last = false;
        for (size_t i = b * batch->length; i < (b + 1) * batch->length; i++) {
            if (batch->mask != NULL && batch->mask[i] == 0) continue;
            any = true;
            last = right[i] != 0;
            all = all && last;
        }
        score->sequences += any;
        score->right_ones += any && all;
        score->right_last += last;
    }
}

struct f2l_seq_work_f32 {
    const f2l_seq *model;
    f2l_seq_plan plan;
    f2l_seq_places places;
    float *data;
    uint8_t *right;           /* [sequences][length] */
    uint32_t *letter, *label; /* [sequences][length], of the part that is read for a gradient */
    uint8_t *mask;            /* likewise */
    const f2l_seq_watch_f32 *watch;
};

/* Makes the arrays of a part; only gradients need them. */
static bool make_part(f2l_seq_work_f32 *w)
{
    const size_t positions = w->plan.sequences * w->plan.length;
    if (!w->plan.training) return true;
    w->letter = f2l_calloc(positions, sizeof *w->letter);
    w->label = f2l_calloc(positions, sizeof *w->label);
    w->mask = f2l_calloc(positions, sizeof *w->mask);
    return w->letter != NULL && w->label != NULL && w->mask != NULL;
}

f2l_status f2l_seq_work_new_f32(f2l_seq_work_f32 **work, const f2l_seq *model,
                                const f2l_seq_plan *plan, const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    *work = NULL;
    f2l_status status = f2l_seq_work_bytes(&bytes, model, plan, sizeof(float), err);
    if (status == F2L_OK) status = f2l_task_memory(task, "activations", bytes, err);
    if (status != F2L_OK) return status;
    f2l_seq_work_f32 *w = f2l_calloc(1, sizeof *w);
    if (w == NULL) return f2l_fail_memory(err);
    w->model = model;
    w->plan = *plan;
    (void)f2l_seq_place(&w->places, model, plan);
    w->data = f2l_calloc(w->places.total, sizeof(float));
    w->right = f2l_calloc(plan->sequences, plan->length);
    if (w->data == NULL || w->right == NULL || !make_part(w)) {
        f2l_seq_work_free_f32(w);
        return f2l_fail(err, F2L_ENOMEM, "out of memory: the activations need %zu bytes", bytes);
    }
    *work = w;
    return F2L_OK;
}

void f2l_seq_work_free_f32(f2l_seq_work_f32 *work)
{
    if (work == NULL) return;
    f2l_free(work->data);
    f2l_free(work->right);
    f2l_free(work->letter);
    f2l_free(work->label);
    f2l_free(work->mask);
    f2l_free(work);
}

void f2l_seq_work_watch_f32(f2l_seq_work_f32 *work, const f2l_seq_watch_f32 *watch)
{
    work->watch = watch;
}

/* Computes y = x + down(silu(gate n) * (up n)), n = norm(x). */
static void forward_mlp(float *y, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const float *x = f2l_seq_at_f32(pass, layer, F2L_SLOT_MIDDLE);
    if (c->mlp == 0) {
        memcpy(y, x, pass->rows * c->width * sizeof(float));
        return;
    }
    float *norm = f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_NORM),
          *gate = f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_GATE),
          *up = f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_UP),
          *product = f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_PRODUCT);
    f2l_rmsnorm_forward_f32(norm, x, f2l_seq_param_f32(pass, t->mlp_norm), pass->rows, c->width,
                            (float)c->epsilon);
    f2l_linear_forward_f32(gate, norm, f2l_seq_param_f32(pass, t->mlp_gate), NULL, pass->rows,
                           c->width, c->mlp);
    f2l_linear_forward_f32(up, norm, f2l_seq_param_f32(pass, t->mlp_up), NULL, pass->rows, c->width,
                           c->mlp);
    f2l_swiglu_forward_f32(product, gate, up, pass->rows * c->mlp);
    f2l_linear_forward_f32(y, product, f2l_seq_param_f32(pass, t->mlp_down), NULL, pass->rows,
                           c->mlp, c->width);
    f2l_add_f32(y, x, pass->rows * c->width);
}

/* Computes backward of the MLP: reads dy and writes the gradient of x into the gradient slot of
 * MIDDLE. */
static void backward_mlp(const float *dy, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const size_t count = pass->rows * c->width;
    float *dx = f2l_seq_dat_f32(pass, F2L_SLOT_MIDDLE);
    if (c->mlp == 0) {
        memcpy(dx, dy, count * sizeof(float));
        return;
    }
    const float *norm = f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_NORM);
    float *dnorm = f2l_seq_dat_f32(pass, F2L_SLOT_MLP_NORM),
          *dgate = f2l_seq_dat_f32(pass, F2L_SLOT_MLP_GATE),
          *dup = f2l_seq_dat_f32(pass, F2L_SLOT_MLP_UP),
          *dproduct = f2l_seq_dat_f32(pass, F2L_SLOT_MLP_PRODUCT);
    f2l_linear_backward_f32(dproduct, false, f2l_seq_dparam_f32(pass, t->mlp_down), NULL, dy,
                            f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_PRODUCT),
                            f2l_seq_param_f32(pass, t->mlp_down), pass->rows, c->mlp, c->width);
    f2l_swiglu_backward_f32(dgate, dup, dproduct, f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_GATE),
                            f2l_seq_at_f32(pass, layer, F2L_SLOT_MLP_UP), pass->rows * c->mlp);
    f2l_linear_backward_f32(dnorm, false, f2l_seq_dparam_f32(pass, t->mlp_gate), NULL, dgate, norm,
                            f2l_seq_param_f32(pass, t->mlp_gate), pass->rows, c->width, c->mlp);
    f2l_linear_backward_f32(dnorm, true, f2l_seq_dparam_f32(pass, t->mlp_up), NULL, dup, norm,
                            f2l_seq_param_f32(pass, t->mlp_up), pass->rows, c->width, c->mlp);
    f2l_rmsnorm_backward_f32(dx, f2l_seq_dparam_f32(pass, t->mlp_norm), dnorm,
                             f2l_seq_at_f32(pass, layer, F2L_SLOT_MIDDLE),
                             f2l_seq_param_f32(pass, t->mlp_norm), pass->rows, c->width,
                             (float)c->epsilon);
    f2l_add_f32(dx, dy, count);
}

static f2l_status forward_layer(float *y, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const float *x = f2l_seq_at_f32(pass, layer, F2L_SLOT_X);
    float *middle = f2l_seq_at_f32(pass, layer, F2L_SLOT_MIDDLE);
    f2l_rmsnorm_forward_f32(f2l_seq_at_f32(pass, layer, F2L_SLOT_NORM), x,
                            f2l_seq_param_f32(pass, pass->model->layer[layer].mixer_norm),
                            pass->rows, c->width, (float)c->epsilon);
    f2l_status status = c->mixer->pass_f32->forward(middle, pass, layer);
    if (status == F2L_OK && pass->watch)
        status = pass->watch->layer(pass->watch->context, pass, layer);
    if (status != F2L_OK) return status;
    f2l_add_f32(middle, x, pass->rows * c->width);
    forward_mlp(y, pass, layer);
    return F2L_OK;
}

/* Replaces dy by the gradient at the layer's input. */
static f2l_status backward_layer(float *dy, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t norm = pass->model->layer[layer].mixer_norm;
    const float *dmiddle = f2l_seq_dat_f32(pass, F2L_SLOT_MIDDLE);
    backward_mlp(dy, pass, layer);
    f2l_status status = c->mixer->pass_f32->backward(dmiddle, pass, layer);
    if (status != F2L_OK) return status;
    f2l_rmsnorm_backward_f32(dy, f2l_seq_dparam_f32(pass, norm),
                             f2l_seq_dat_f32(pass, F2L_SLOT_NORM),
                             f2l_seq_at_f32(pass, layer, F2L_SLOT_X), f2l_seq_param_f32(pass, norm),
                             pass->rows, c->width, (float)c->epsilon);
    f2l_add_f32(dy, dmiddle, pass->rows * c->width);
    return F2L_OK;
}

static f2l_status forward_model(float *logits, const f2l_seq_pass_f32 *pass, const uint32_t *letter)
{
    const f2l_seq_config *c = &pass->model->config;
    float *out = pass->data + pass->places->out, *norm = pass->data + pass->places->norm;
    f2l_status status = f2l_embed_forward_f32(f2l_seq_at_f32(pass, 0, F2L_SLOT_X),
                                              f2l_seq_param_f32(pass, pass->model->embedding),
                                              letter, pass->rows, c->letters, c->width, pass->err);
    for (size_t l = 0; status == F2L_OK && l < c->layers; l++)
        status = forward_layer(l + 1 < c->layers ? f2l_seq_at_f32(pass, l + 1, F2L_SLOT_X) : out,
                               pass, l);
    if (status != F2L_OK) return status;
    f2l_rmsnorm_forward_f32(norm, out, f2l_seq_param_f32(pass, pass->model->norm), pass->rows,
                            c->width, (float)c->epsilon);
    f2l_linear_forward_f32(logits, norm, f2l_seq_param_f32(pass, pass->model->head), NULL,
                           pass->rows, c->width, c->labels);
    return F2L_OK;
}

static f2l_status backward_model(const f2l_seq_pass_f32 *pass, const uint32_t *letter)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_places *places = pass->places;
    float *dx = pass->data + places->out_gradient, *dnorm = pass->data + places->norm_gradient;
    f2l_linear_backward_f32(dnorm, false, f2l_seq_dparam_f32(pass, pass->model->head), NULL,
                            pass->data + places->logits_gradient, pass->data + places->norm,
                            f2l_seq_param_f32(pass, pass->model->head), pass->rows, c->width,
                            c->labels);
    f2l_rmsnorm_backward_f32(dx, f2l_seq_dparam_f32(pass, pass->model->norm), dnorm,
                             pass->data + places->out, f2l_seq_param_f32(pass, pass->model->norm),
                             pass->rows, c->width, (float)c->epsilon);
    f2l_status status = F2L_OK;
    for (size_t l = c->layers; status == F2L_OK && l-- > 0;) status = backward_layer(dx, pass, l);
    if (status != F2L_OK) return status;
    return f2l_embed_backward_f32(f2l_seq_dparam_f32(pass, pass->model->embedding), dx, letter,
                                  pass->rows, c->letters, c->width, pass->err);
}

/* A gradient that is added up part by part. */
typedef struct gradient_sum {
    f2l_seq_score *score;
    float *gradient;
    const f2l_seq_batch *batch; /* the whole */
    const float *parameters;
    double weight;
    f2l_seq_work_f32 *work;
    const f2l_task *task;
    size_t done; /* sequences */
    f2l_error *err;
} gradient_sum;

static f2l_status add_part(gradient_sum *g, const f2l_seq_batch *part)
{
    f2l_seq_work_f32 *work = g->work;
    const size_t labels = work->model->config.labels;
    const f2l_seq_pass_f32 pass = {.model = work->model,
                                   .places = &work->places,
                                   .data = work->data,
                                   .parameters = g->parameters,
                                   .gradient = g->gradient,
                                   .weight = (float)g->weight,
                                   .batch = part->sequences,
                                   .tokens = part->length,
                                   .rows = part->sequences * part->length,
                                   .err = g->err};
    float *logits = work->data + work->places.logits;
    f2l_loss_sum sum;
    f2l_status status = forward_model(logits, &pass, part->letter);
    if (status == F2L_OK)
        status = f2l_loss_forward_f32(&sum, work->right, logits, part->label, part->mask, pass.rows,
                                      labels, g->err);
    if (status == F2L_OK)
        status =
            f2l_loss_backward_f32(work->data + work->places.logits_gradient, logits, part->label,
                                  part->mask, pass.weight, pass.rows, labels, g->err);
    if (status == F2L_OK) status = backward_model(&pass, part->letter);
    if (status != F2L_OK) return status;
    g->score->loss += sum.loss;
    g->score->supervised += sum.count;
    g->score->right += sum.right;
    count_sequences(g->score, work->right, part);
    return F2L_OK;
}

/* Returns the number of letters up to the last supervised one. What is behind them changes neither
 * the loss nor a gradient, because no mixer looks ahead. */
static size_t supervised_letters(const f2l_seq_batch *batch, size_t sequence)
{
    const size_t first = sequence * batch->length;
    size_t length = batch->length;
    while (batch->mask != NULL && length > 0 && batch->mask[first + length - 1] == 0) length--;
    return length;
}

/* Returns the largest number of supervised letters that is below `below`, or 0. */
static size_t most_letters_below(const f2l_seq_batch *batch, size_t below)
{
    size_t most = 0;
    for (size_t b = 0; b < batch->sequences; b++) {
        const size_t length = supervised_letters(batch, b);
        if (length < below && length > most) most = length;
    }
    return most;
}

/* Copies the first `length` letters of the next `most` sequences from *next on, which have more
 * than `least` supervised letters, and at most `length`; returns how many there were. */
static size_t take_part(f2l_seq_work_f32 *work, const f2l_seq_batch *batch, size_t *next,
                        size_t least, size_t length, size_t most)
{
    size_t taken = 0;
    for (; *next < batch->sequences && taken < most; (*next)++) {
        const size_t own = supervised_letters(batch, *next), from = *next * batch->length;
        if (own <= least || own > length) continue;
        const size_t to = taken++ * length;
        memcpy(work->letter + to, batch->letter + from, length * sizeof *work->letter);
        memcpy(work->label + to, batch->label + from, length * sizeof *work->label);
        if (batch->mask == NULL)
            memset(work->mask + to, 1, length);
        else
            memcpy(work->mask + to, batch->mask + from, length);
    }
    return taken;
}

/* Adds the sequences with more than `least` supervised letters, and at most `length`. */
static f2l_status add_sequences(gradient_sum *g, size_t least, size_t length)
{
    f2l_seq_work_f32 *work = g->work;
    const size_t most = work->plan.sequences * work->plan.length / length;
    f2l_seq_batch part = {
        .length = length, .letter = work->letter, .label = work->label, .mask = work->mask};
    f2l_status status = F2L_OK;
    for (size_t next = 0; status == F2L_OK; g->done += part.sequences) {
        part.sequences = take_part(work, g->batch, &next, least, length, most);
        if (part.sequences == 0) break;
        if (g->done > 0)
            status = f2l_task_poll(g->task, "gradient", (double)g->done,
                                   (double)g->batch->sequences, g->err);
        if (status == F2L_OK) status = add_part(g, &part);
    }
    return status;
}

f2l_status f2l_seq_gradient_f32(f2l_seq_score *score, float *gradient, const f2l_seq_batch *batch,
                                const float *parameters, double weight, f2l_seq_work_f32 *work,
                                const f2l_task *task, f2l_error *err)
{
    const size_t positions = work->plan.sequences * work->plan.length;
    gradient_sum g = {.score = score,
                      .gradient = gradient,
                      .batch = batch,
                      .parameters = parameters,
                      .weight = weight,
                      .work = work,
                      .task = task,
                      .err = err};
    *score = (f2l_seq_score){0};
    if (!work->plan.training || batch->length > positions)
        return f2l_fail(err, F2L_EDOMAIN, "a gradient over %zu letters, but the plan is for %zu%s",
                        batch->length, positions,
                        work->plan.training ? "" : " and not for training");
    f2l_status status = check_seq_batch(batch, work->model, true, err);
    size_t length = most_letters_below(batch, SIZE_MAX);
    while (status == F2L_OK && length > 0) {
        const size_t least = length * 3 / 4; /* so at most a quarter of a part is filled up */
        status = add_sequences(&g, least, length);
        length = most_letters_below(batch, least + 1);
    }
    return status;
}

void f2l_seq_state_start_f32(float *state, size_t sequences, const float *parameters,
                             const f2l_seq *model)
{
    const size_t layers = model->config.layers, per_layer = f2l_seq_state_count(model) / layers;
    memset(state, 0, sequences * layers * per_layer * sizeof(float));
    for (size_t l = 0; l < layers; l++) {
        const size_t first = f2l_seq_first_state(model, l);
        if (first == F2L_SEQ_NONE) return;
        const f2l_seq_tensor *tensor = &model->tensor[first];
        for (size_t b = 0; b < sequences; b++)
            memcpy(state + l * per_layer * sequences + b * tensor->count,
                   parameters + tensor->offset, tensor->count * sizeof(float));
    }
}

f2l_status f2l_seq_logits_f32(float *logits, float *state, const f2l_seq_batch *batch,
                              const float *parameters, f2l_seq_work_f32 *work, f2l_error *err)
{
    if (batch->length > 0 &&
        batch->sequences > work->plan.sequences * work->plan.length / batch->length)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu sequences of %zu letters, but the plan is for %zu of %zu",
                        batch->sequences, batch->length, work->plan.sequences, work->plan.length);
    f2l_status status = check_seq_batch(batch, work->model, false, err);
    if (status != F2L_OK) return status;
    const f2l_seq_pass_f32 pass = {.model = work->model,
                                   .places = &work->places,
                                   .data = work->data,
                                   .parameters = parameters,
                                   .state = state,
                                   .batch = batch->sequences,
                                   .tokens = batch->length,
                                   .rows = batch->sequences * batch->length,
                                   .watch = work->watch,
                                   .err = err};
    return forward_model(logits, &pass, batch->letter);
}

f2l_status f2l_seq_answers_f32(uint32_t *answer, float *state, const f2l_seq_batch *batch,
                               const float *parameters, f2l_seq_work_f32 *work, f2l_error *err)
{
    const size_t labels = work->model->config.labels, rows = batch->sequences * batch->length;
    const float *logits = work->data + work->places.logits;
    f2l_status status =
        f2l_seq_logits_f32(work->data + work->places.logits, state, batch, parameters, work, err);
    for (size_t r = 0; status == F2L_OK && r < rows; r++) {
        const float *row = logits + r * labels;
        bool number = true;
        answer[r] = 0;
        for (uint32_t i = 0; i < labels; i++) {
            number = number && !isnan(row[i]);
            if (row[i] > row[answer[r]]) answer[r] = i;
        }
        if (!number) answer[r] = UINT32_MAX;
    }
    return status;
}

const float *f2l_seq_layer_array_f32(size_t *width, const f2l_seq_work_f32 *work, size_t layer,
                                     size_t array)
{
    const f2l_seq_config *c = &work->model->config;
    size_t slot[F2L_SEQ_LETTER_ARRAYS];
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) slot[i] = F2L_SLOTS;
    if (c->mixer->letters != NULL) c->mixer->letters(slot, c);
    *width = slot[array] == F2L_SLOTS ? 0 : work->places.width[slot[array]];
    if (*width == 0) return NULL;
    return work->data + layer * work->places.layer + work->places.slot[slot[array]];
}
