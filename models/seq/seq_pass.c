#ifndef REAL
#include "models/op/op_embed.h"
#include "models/op/op_linear.h"
#include "models/op/op_loss.h"
#include "models/op/op_norm.h"
#include "models/op/op_point.h"
#include "models/seq/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

f2l_status f2l_seq_work_bytes(size_t *bytes, const f2l_seq *model, const f2l_seq_plan *plan,
                              size_t number, f2l_error *err)
{
    f2l_seq_places places;
    size_t rows_bytes; /* bytes of the marks of right answers, and of the struct */
    if (plan->sequences == 0 || plan->length == 0)
        return f2l_fail(err, F2L_EDOMAIN, "a plan without sequences or letters");
    if (!f2l_seq_place(&places, model, plan) || !f2l_mul_size(bytes, places.total, number) ||
        !f2l_mul_size(&rows_bytes, plan->sequences, plan->length) ||
        !f2l_add_size(&rows_bytes, rows_bytes, sizeof(f2l_seq_places) + 64) ||
        !f2l_add_size(bytes, *bytes, rows_bytes))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu sequences of %zu letters need more memory than can "
                        "be counted",
                        plan->sequences, plan->length);
    return F2L_OK;
}

static f2l_status check_batch(const f2l_seq_batch *batch, const f2l_seq *model, bool labels,
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

/* Returns sequences first .. first + count - 1 of a batch. */
static f2l_seq_batch part_of(const f2l_seq_batch *batch, size_t first, size_t count)
{
    const size_t at = first * batch->length;
    return (f2l_seq_batch){.sequences = count,
                           .length = batch->length,
                           .letter = batch->letter + at,
                           .label = batch->label == NULL ? NULL : batch->label + at,
                           .mask = batch->mask == NULL ? NULL : batch->mask + at};
}

#define F2L_OP_SELF "models/seq/seq_pass.c"
#include "models/op/op_twice.h"
#else

struct OP(f2l_seq_work) {
    const f2l_seq *model;
    f2l_seq_plan plan;
    f2l_seq_places places;
    REAL *data;
    uint8_t *right; /* [sequences][length] */
};

f2l_status OP(f2l_seq_work_new)(OP(f2l_seq_work) * *work, const f2l_seq *model,
                                const f2l_seq_plan *plan, const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    *work = NULL;
    f2l_status status = f2l_seq_work_bytes(&bytes, model, plan, sizeof(REAL), err);
    if (status == F2L_OK) status = f2l_task_memory(task, "activations", bytes, err);
    if (status != F2L_OK) return status;
    OP(f2l_seq_work) *w = f2l_calloc(1, sizeof *w);
    if (w == NULL) return f2l_fail_memory(err);
    w->model = model;
    w->plan = *plan;
    (void)f2l_seq_place(&w->places, model, plan);
    w->data = f2l_calloc(w->places.total, sizeof(REAL));
    w->right = f2l_calloc(plan->sequences, plan->length);
    if (w->data == NULL || w->right == NULL) {
        OP(f2l_seq_work_free)(w);
        return f2l_fail(err, F2L_ENOMEM, "out of memory: the activations need %zu bytes", bytes);
    }
    status = f2l_linear_ready(err);
    if (status != F2L_OK)
        OP(f2l_seq_work_free)(w);
    else
        *work = w;
    return status;
}

void OP(f2l_seq_work_free)(OP(f2l_seq_work) * work)
{
    if (work == NULL) return;
    f2l_free(work->data);
    f2l_free(work->right);
    f2l_free(work);
}

/* Computes y = x + down(silu(gate n) * (up n)), n = norm(x). */
static f2l_status OP(mlp_forward)(REAL *y, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const REAL *x = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MIDDLE);
    if (c->mlp == 0) {
        memcpy(y, x, pass->rows * c->width * sizeof(REAL));
        return F2L_OK;
    }
    REAL *norm = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_NORM),
         *gate = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_GATE),
         *up = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_UP),
         *product = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_PRODUCT);
    OP(f2l_rmsnorm_forward)
    (norm, x, OP(f2l_seq_param)(pass, t->mlp_norm), pass->rows, c->width, (REAL)c->epsilon);
    f2l_status status = OP(f2l_linear_forward)(gate, norm, OP(f2l_seq_param)(pass, t->mlp_gate),
                                               NULL, pass->rows, c->width, c->mlp, pass->err);
    if (status == F2L_OK)
        status = OP(f2l_linear_forward)(up, norm, OP(f2l_seq_param)(pass, t->mlp_up), NULL,
                                        pass->rows, c->width, c->mlp, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_swiglu_forward)(product, gate, up, pass->rows * c->mlp);
    status = OP(f2l_linear_forward)(y, product, OP(f2l_seq_param)(pass, t->mlp_down), NULL,
                                    pass->rows, c->mlp, c->width, pass->err);
    if (status == F2L_OK) OP(f2l_add)(y, x, pass->rows * c->width);
    return status;
}

/* Computes backward of the MLP: reads dy and writes the gradient of x into the gradient slot of
 * MIDDLE. */
static f2l_status OP(mlp_backward)(const REAL *dy, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const size_t count = pass->rows * c->width;
    REAL *dx = OP(f2l_seq_dat)(pass, F2L_SLOT_MIDDLE);
    if (c->mlp == 0) {
        memcpy(dx, dy, count * sizeof(REAL));
        return F2L_OK;
    }
    const REAL *norm = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_NORM);
    REAL *dnorm = OP(f2l_seq_dat)(pass, F2L_SLOT_MLP_NORM),
         *dgate = OP(f2l_seq_dat)(pass, F2L_SLOT_MLP_GATE),
         *dup = OP(f2l_seq_dat)(pass, F2L_SLOT_MLP_UP),
         *dproduct = OP(f2l_seq_dat)(pass, F2L_SLOT_MLP_PRODUCT);
    f2l_status status = OP(f2l_linear_backward)(
        dproduct, false, OP(f2l_seq_dparam)(pass, t->mlp_down), NULL, dy,
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_PRODUCT), OP(f2l_seq_param)(pass, t->mlp_down),
        pass->rows, c->mlp, c->width, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_swiglu_backward)
    (dgate, dup, dproduct, OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_GATE),
     OP(f2l_seq_at)(pass, layer, F2L_SLOT_MLP_UP), pass->rows * c->mlp);
    status = OP(f2l_linear_backward)(dnorm, false, OP(f2l_seq_dparam)(pass, t->mlp_gate), NULL,
                                     dgate, norm, OP(f2l_seq_param)(pass, t->mlp_gate), pass->rows,
                                     c->width, c->mlp, pass->err);
    if (status == F2L_OK)
        status = OP(f2l_linear_backward)(dnorm, true, OP(f2l_seq_dparam)(pass, t->mlp_up), NULL,
                                         dup, norm, OP(f2l_seq_param)(pass, t->mlp_up), pass->rows,
                                         c->width, c->mlp, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_rmsnorm_backward)
    (dx, OP(f2l_seq_dparam)(pass, t->mlp_norm), dnorm, OP(f2l_seq_at)(pass, layer, F2L_SLOT_MIDDLE),
     OP(f2l_seq_param)(pass, t->mlp_norm), pass->rows, c->width, (REAL)c->epsilon);
    OP(f2l_add)(dx, dy, count);
    return F2L_OK;
}

static f2l_status OP(layer_forward)(REAL *y, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const REAL *x = OP(f2l_seq_at)(pass, layer, F2L_SLOT_X);
    REAL *middle = OP(f2l_seq_at)(pass, layer, F2L_SLOT_MIDDLE);
    OP(f2l_rmsnorm_forward)
    (OP(f2l_seq_at)(pass, layer, F2L_SLOT_NORM), x,
     OP(f2l_seq_param)(pass, pass->model->layer[layer].mixer_norm), pass->rows, c->width,
     (REAL)c->epsilon);
    f2l_status status = c->mixer == F2L_SEQ_DELTA
                            ? OP(f2l_seq_delta_forward)(middle, pass, layer)
                            : OP(f2l_seq_diagonal_forward)(middle, pass, layer);
    if (status != F2L_OK) return status;
    OP(f2l_add)(middle, x, pass->rows * c->width);
    return OP(mlp_forward)(y, pass, layer);
}

/* Replaces dy by the gradient at the layer's input. */
static f2l_status OP(layer_backward)(REAL *dy, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t norm = pass->model->layer[layer].mixer_norm;
    const REAL *dmiddle = OP(f2l_seq_dat)(pass, F2L_SLOT_MIDDLE);
    f2l_status status = OP(mlp_backward)(dy, pass, layer);
    if (status == F2L_OK)
        status = c->mixer == F2L_SEQ_DELTA ? OP(f2l_seq_delta_backward)(dmiddle, pass, layer)
                                           : OP(f2l_seq_diagonal_backward)(dmiddle, pass, layer);
    if (status != F2L_OK) return status;
    OP(f2l_rmsnorm_backward)
    (dy, OP(f2l_seq_dparam)(pass, norm), OP(f2l_seq_dat)(pass, F2L_SLOT_NORM),
     OP(f2l_seq_at)(pass, layer, F2L_SLOT_X), OP(f2l_seq_param)(pass, norm), pass->rows, c->width,
     (REAL)c->epsilon);
    OP(f2l_add)(dy, dmiddle, pass->rows * c->width);
    return F2L_OK;
}

static f2l_status OP(forward)(REAL *logits, const OP(f2l_seq_pass) * pass, const uint32_t *letter)
{
    const f2l_seq_config *c = &pass->model->config;
    REAL *out = pass->data + pass->places->out, *norm = pass->data + pass->places->norm;
    f2l_status status = OP(f2l_embed_forward)(OP(f2l_seq_at)(pass, 0, F2L_SLOT_X),
                                              OP(f2l_seq_param)(pass, pass->model->embedding),
                                              letter, pass->rows, c->letters, c->width, pass->err);
    for (size_t l = 0; status == F2L_OK && l < c->layers; l++)
        status = OP(layer_forward)(
            l + 1 < c->layers ? OP(f2l_seq_at)(pass, l + 1, F2L_SLOT_X) : out, pass, l);
    if (status != F2L_OK) return status;
    OP(f2l_rmsnorm_forward)
    (norm, out, OP(f2l_seq_param)(pass, pass->model->norm), pass->rows, c->width, (REAL)c->epsilon);
    return OP(f2l_linear_forward)(logits, norm, OP(f2l_seq_param)(pass, pass->model->head), NULL,
                                  pass->rows, c->width, c->labels, pass->err);
}

static f2l_status OP(backward)(const OP(f2l_seq_pass) * pass, const uint32_t *letter)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_places *places = pass->places;
    REAL *dx = pass->data + places->out_gradient, *dnorm = pass->data + places->norm_gradient;
    f2l_status status = OP(f2l_linear_backward)(
        dnorm, false, OP(f2l_seq_dparam)(pass, pass->model->head), NULL,
        pass->data + places->logits_gradient, pass->data + places->norm,
        OP(f2l_seq_param)(pass, pass->model->head), pass->rows, c->width, c->labels, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_rmsnorm_backward)
    (dx, OP(f2l_seq_dparam)(pass, pass->model->norm), dnorm, pass->data + places->out,
     OP(f2l_seq_param)(pass, pass->model->norm), pass->rows, c->width, (REAL)c->epsilon);
    for (size_t l = c->layers; status == F2L_OK && l-- > 0;)
        status = OP(layer_backward)(dx, pass, l);
    if (status != F2L_OK) return status;
    return OP(f2l_embed_backward)(OP(f2l_seq_dparam)(pass, pass->model->embedding), dx, letter,
                                  pass->rows, c->letters, c->width, pass->err);
}

/* Computes the gradient of one part of a batch. */
static f2l_status OP(part_gradient)(f2l_seq_score *score, const OP(f2l_seq_pass) * pass,
                                    const f2l_seq_batch *part, double weight, uint8_t *right)
{
    const size_t labels = pass->model->config.labels;
    REAL *logits = pass->data + pass->places->logits;
    f2l_loss_sum sum;
    f2l_status status = OP(forward)(logits, pass, part->letter);
    if (status == F2L_OK)
        status = OP(f2l_loss_forward)(&sum, right, logits, part->label, part->mask, pass->rows,
                                      labels, pass->err);
    if (status == F2L_OK)
        status =
            OP(f2l_loss_backward)(pass->data + pass->places->logits_gradient, logits, part->label,
                                  part->mask, (REAL)weight, pass->rows, labels, pass->err);
    if (status == F2L_OK) status = OP(backward)(pass, part->letter);
    if (status != F2L_OK) return status;
    score->loss += sum.loss;
    score->supervised += sum.count;
    score->right += sum.right;
    count_sequences(score, right, part);
    return F2L_OK;
}

f2l_status OP(f2l_seq_gradient)(f2l_seq_score *score, REAL *gradient, const f2l_seq_batch *batch,
                                const REAL *parameters, double weight, OP(f2l_seq_work) * work,
                                const f2l_task *task, f2l_error *err)
{
    const size_t positions = work->plan.sequences * work->plan.length;
    *score = (f2l_seq_score){0};
    if (!work->plan.training || batch->length > positions)
        return f2l_fail(err, F2L_EDOMAIN, "a gradient over %zu letters, but the plan is for %zu%s",
                        batch->length, positions,
                        work->plan.training ? "" : " and not for training");
    f2l_status status = check_batch(batch, work->model, true, err);
    if (batch->length == 0) return status;
    const size_t most = positions / batch->length;
    for (size_t first = 0; status == F2L_OK && first < batch->sequences; first += most) {
        const size_t left = batch->sequences - first;
        const f2l_seq_batch part = part_of(batch, first, left < most ? left : most);
        const OP(f2l_seq_pass) pass = {.model = work->model,
                                       .places = &work->places,
                                       .data = work->data,
                                       .parameters = parameters,
                                       .gradient = gradient,
                                       .batch = part.sequences,
                                       .tokens = part.length,
                                       .rows = part.sequences * part.length,
                                       .err = err};
        status = OP(part_gradient)(score, &pass, &part, weight, work->right);
        if (status == F2L_OK && left > most)
            status = f2l_task_poll(task, "gradient", (double)(first + most),
                                   (double)batch->sequences, err);
    }
    return status;
}

void OP(f2l_seq_state_start)(REAL *state, size_t sequences, const REAL *parameters,
                             const f2l_seq *model)
{
    const f2l_seq_config *c = &model->config;
    const size_t per_layer = f2l_seq_state_count(model) / c->layers;
    const size_t recurrence = f2l_seq_memory_of(c).recurrence;
    memset(state, 0, sequences * c->layers * per_layer * sizeof(REAL));
    if (c->mixer != F2L_SEQ_DELTA || !c->learned_start) return;
    for (size_t l = 0; l < c->layers; l++)
        for (size_t b = 0; b < sequences; b++)
            memcpy(state + l * per_layer * sequences + b * recurrence,
                   parameters + model->tensor[model->layer[l].start].offset,
                   recurrence * sizeof(REAL));
}

f2l_status OP(f2l_seq_logits)(REAL *logits, REAL *state, const f2l_seq_batch *batch,
                              const REAL *parameters, OP(f2l_seq_work) * work, f2l_error *err)
{
    if (batch->length > 0 &&
        batch->sequences > work->plan.sequences * work->plan.length / batch->length)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu sequences of %zu letters, but the plan is for %zu of %zu",
                        batch->sequences, batch->length, work->plan.sequences, work->plan.length);
    f2l_status status = check_batch(batch, work->model, false, err);
    if (status != F2L_OK) return status;
    const OP(f2l_seq_pass) pass = {.model = work->model,
                                   .places = &work->places,
                                   .data = work->data,
                                   .parameters = parameters,
                                   .state = state,
                                   .batch = batch->sequences,
                                   .tokens = batch->length,
                                   .rows = batch->sequences * batch->length,
                                   .err = err};
    return OP(forward)(logits, &pass, batch->letter);
}

f2l_status OP(f2l_seq_answers)(uint32_t *answer, REAL *state, const f2l_seq_batch *batch,
                               const REAL *parameters, OP(f2l_seq_work) * work, f2l_error *err)
{
    const size_t labels = work->model->config.labels, rows = batch->sequences * batch->length;
    const REAL *logits = work->data + work->places.logits;
    f2l_status status =
        OP(f2l_seq_logits)(work->data + work->places.logits, state, batch, parameters, work, err);
    for (size_t r = 0; status == F2L_OK && r < rows; r++) {
        const REAL *row = logits + r * labels;
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

#endif
