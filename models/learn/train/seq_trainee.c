#include "models/learn/data/data_evaluate.h"
#include "models/learn/seq/seq_file.h"
#include "models/learn/train/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

#define READ_SIDE_BY_SIDE 32

void f2l_seq_trainee_init(f2l_seq_trainee *t)
{
    *t = (f2l_seq_trainee){0};
    f2l_data_batch_init(&t->batch);
}

void f2l_seq_trainee_clear(f2l_seq_trainee *t)
{
    f2l_data_batch_clear(&t->batch);
    f2l_free(t->group);
    f2l_free(t->parameter);
    f2l_seq_work_free_f32(t->work);
    f2l_free(t->reader_state);
    f2l_seq_trainee_init(t);
}

static f2l_seq_plan plan_of_trainee(const f2l_seq_trainee_options *options)
{
    const size_t longest = f2l_seq_trainee_longest(options);
    size_t positions = options->positions == 0 ? 1024 : options->positions;
    if (positions < longest) positions = longest;
    return (f2l_seq_plan){.sequences = 1, .length = positions, .training = true};
}

f2l_status f2l_seq_trainee_bytes(size_t *bytes, const f2l_seq *model,
                                 const f2l_seq_trainee_options *options, f2l_error *err)
{
    const f2l_seq_plan plan = plan_of_trainee(options);
    size_t cells, numbers;
    f2l_status status = f2l_seq_work_bytes(bytes, model, &plan, sizeof(float), err);
    if (status != F2L_OK) return status;
    /* letters, labels and masks of the batch; parameters and the states of an evaluation */
    if (!f2l_mul_size(&cells, options->batch, f2l_seq_trainee_longest(options)) ||
        !f2l_mul_size(&cells, cells, 9) ||
        !f2l_mul_size(&numbers, f2l_seq_state_count(model), READ_SIDE_BY_SIDE) ||
        !f2l_add_size(&numbers, numbers, model->parameters) ||
        !f2l_mul_size(&numbers, numbers, sizeof(float)) || !f2l_add_size(bytes, *bytes, cells) ||
        !f2l_add_size(bytes, *bytes, numbers))
        return f2l_fail(err, F2L_EDOMAIN,
                        "a batch of %zu sequences needs more memory than can be "
                        "counted",
                        options->batch);
    return F2L_OK;
}

f2l_status f2l_seq_trainee_range(f2l_data_range *range, f2l_seq_trainee_options *options,
                                 const uint64_t state[2], const f2l_data *train, f2l_error *err)
{
    const f2l_status status = f2l_data_curriculum_resume(&options->curriculum, train,
                                                         (size_t)state[0], (size_t)state[1], err);
    if (status == F2L_OK) *range = f2l_data_curriculum_range(&options->curriculum, train);
    return status;
}

void f2l_seq_trainee_report(f2l_train_batch *out, uint64_t state[2],
                            f2l_seq_trainee_options *options, const f2l_seq_score *score,
                            const f2l_data_batch *batch, const f2l_data *train)
{
    const double positions = batch->counted > 0 ? (double)batch->counted : 1;
    *out = (f2l_train_batch){.loss = score->loss / positions,
                             .length = batch->length - options->begin,
                             .supervised = score->supervised,
                             .right = score->right,
                             .sequences = score->sequences,
                             .right_ones = score->right_ones,
                             .right_last = score->right_last};
    for (size_t i = 0; i < batch->sequences; i++) out->tokens += batch->lengths[i];
    f2l_data_curriculum_report(
        &options->curriculum, train,
        score->sequences == 0 ? 0 : (double)score->right_last / (double)score->sequences);
    state[0] = options->curriculum.length;
    state[1] = options->curriculum.streak;
}

static f2l_status gradient(void *self, f2l_train_batch *out, void *gradient, uint64_t step,
                           const f2l_task *task, f2l_error *err)
{
    f2l_seq_trainee *t = self;
    f2l_seq_score score;
    f2l_data_range range;
    f2l_status status = f2l_seq_trainee_range(&range, &t->options, t->state, t->train, err);
    if (status == F2L_OK)
        status = f2l_data_batch_fill(&t->batch, t->train, range, step, 0, t->options.batch, err);
    if (status != F2L_OK) return status;
    const f2l_seq_batch batch = {t->batch.sequences, t->batch.length, t->batch.letter,
                                 t->batch.label, t->batch.mask};
    const double positions = t->batch.counted > 0 ? (double)t->batch.counted : 1;
    status = f2l_seq_gradient_f32(&score, gradient, &batch, t->parameter, 1 / positions, t->work,
                                  task, err);
    if (status == F2L_OK)
        f2l_seq_trainee_report(out, t->state, &t->options, &score, &t->batch, t->train);
    return status;
}

static f2l_status begin_reading(void *context, size_t sequences, f2l_error *err)
{
    f2l_seq_trainee *t = context;
    if (sequences > READ_SIDE_BY_SIDE)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences side by side", sequences);
    f2l_seq_state_start_f32(t->reader_state, sequences, t->parameter, t->model);
    return F2L_OK;
}

static f2l_status read_trainee_letters(void *context, uint32_t *answer, const uint32_t *letter,
                                       size_t sequences, size_t count, f2l_error *err)
{
    f2l_seq_trainee *t = context;
    const f2l_seq_batch batch = {.sequences = sequences, .length = count, .letter = letter};
    return f2l_seq_answers_f32(answer, t->reader_state, &batch, t->parameter, t->work, err);
}

static f2l_status evaluate_trainee(void *self, f2l_train_score *score, size_t scores,
                                   size_t sequences, uint64_t step, const f2l_task *task,
                                   f2l_error *err)
{
    (void)step;
    f2l_seq_trainee *t = self;
    const f2l_data_reader reader = {
        .context = t, .begin = begin_reading, .read = read_trainee_letters};
    const size_t positions = plan_of_trainee(&t->options).length;
    const size_t side_by_side = positions < READ_SIDE_BY_SIDE ? positions : READ_SIDE_BY_SIDE;
    const f2l_data_plan plan = {.sequences = sequences,
                                .side_by_side = side_by_side,
                                .chunk = positions / side_by_side,
                                .step = F2L_DATA_TEST_STEP};
    return f2l_data_evaluate(score, scores, NULL, t->test, &reader, &plan, task, err);
}

f2l_status f2l_seq_trainee_write(const char *path, const f2l_seq *model, const float *parameter,
                                 f2l_error *err)
{
    f2l_buf file;
    f2l_buf_init(&file);
    f2l_status status = f2l_seq_write_f32(&file, model, parameter, err);
    if (status == F2L_OK) status = f2l_write_file(path, file.data, file.size, err);
    f2l_buf_clear(&file);
    return status;
}

static f2l_status write_trainee_weights(void *self, const char *path, f2l_error *err)
{
    const f2l_seq_trainee *t = self;
    return f2l_seq_trainee_write(path, t->model, t->parameter, err);
}

/* Makes one group per tensor; weight decay applies only to tensors with `decays`. */
static f2l_status make_groups(f2l_seq_trainee *t, f2l_error *err)
{
    t->group = f2l_calloc(t->model->tensors, sizeof *t->group);
    if (t->group == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < t->model->tensors; i++)
        t->group[i] = (f2l_train_group){.count = t->model->tensor[i].count,
                                        .rate = 1,
                                        .weight_decay = t->model->tensor[i].decays ? 1 : 0};
    return F2L_OK;
}

static f2l_status check_data(const f2l_data *data, const f2l_seq *model, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    if (data->letters.count == c->letters && data->labels.count == c->labels) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the data have %zu letters and %zu labels, the model %zu and %zu",
                    data->letters.count, data->labels.count, c->letters, c->labels);
}

f2l_status f2l_seq_trainee_check(f2l_seq_trainee_options *options, const f2l_seq *model,
                                 const f2l_data *train, const f2l_data *test, f2l_error *err)
{
    f2l_status status = check_data(train, model, err);
    if (status == F2L_OK) status = check_data(test, model, err);
    if (status == F2L_OK && options->batch == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "a batch without sequences");
    return status == F2L_OK ? f2l_data_curriculum_begin(&options->curriculum, train, err) : status;
}

void f2l_seq_trainee_start(float *parameter, const f2l_seq *model,
                           const f2l_seq_trainee_options *options)
{
    if (options->first)
        memcpy(parameter, options->first, model->parameters * sizeof *parameter);
    else
        f2l_seq_start_f32(parameter, model, options->seed);
}

static f2l_status make_numbers(f2l_seq_trainee *t, const f2l_task *task, f2l_error *err)
{
    const f2l_seq_plan plan = plan_of_trainee(&t->options);
    size_t bytes;
    f2l_status status = f2l_seq_trainee_bytes(&bytes, t->model, &t->options, err);
    if (status == F2L_OK) status = f2l_task_memory(task, "training", bytes, err);
    if (status == F2L_OK) status = f2l_seq_work_new_f32(&t->work, t->model, &plan, NULL, err);
    if (status == F2L_OK) status = make_groups(t, err);
    if (status != F2L_OK) return status;
    t->parameter = f2l_calloc(t->model->parameters, sizeof *t->parameter);
    t->reader_state =
        f2l_calloc(READ_SIDE_BY_SIDE * f2l_seq_state_count(t->model), sizeof *t->reader_state);
    if (t->parameter == NULL || t->reader_state == NULL) return f2l_fail_memory(err);
    f2l_seq_trainee_start(t->parameter, t->model, &t->options);
    return F2L_OK;
}

f2l_status f2l_seq_trainee_build(f2l_seq_trainee *t, const f2l_seq *model, const f2l_data *train,
                                 const f2l_data *test, const f2l_seq_trainee_options *options,
                                 const f2l_task *task, f2l_error *err)
{
    t->model = model;
    t->train = train;
    t->test = test;
    t->options = *options;
    f2l_status status = f2l_seq_trainee_check(&t->options, model, train, test, err);
    if (status == F2L_OK) status = make_numbers(t, task, err);
    if (status != F2L_OK) {
        f2l_seq_trainee_clear(t);
        return status;
    }
    t->state[0] = t->options.curriculum.length;
    t->state[1] = t->options.curriculum.streak;
    t->trainee = (f2l_trainee){.self = t,
                               .number = sizeof(float),
                               .parameters = model->parameters,
                               .parameter = t->parameter,
                               .reference = options->reference,
                               .group = t->group,
                               .groups = model->tensors,
                               .chance_loss = log((double)model->config.labels),
                               .state = t->state,
                               .states = 2,
                               .gradient = gradient,
                               .evaluate = evaluate_trainee,
                               .write = write_trainee_weights};
    return F2L_OK;
}
