/* Evaluation of weights on words of any length. */
#include "models/learn/data/data_evaluate.h"
#include "models/learn/experiment/experiment.h"
#include "numeric/base/mem.h"

enum { SIDE_BY_SIDE = 32, CHUNK = 64 };

typedef struct run {
    const f2l_seq *model;
    const float *parameters;
    f2l_seq_work_f32 *work;
    float *state;
} run;

static f2l_status begin_run_rows(void *context, size_t sequences, f2l_error *err)
{
    (void)err;
    const run *r = context;
    f2l_seq_state_start_f32(r->state, sequences, r->parameters, r->model);
    return F2L_OK;
}

static f2l_status read_run_letters(void *context, uint32_t *answer, const uint32_t *letter,
                                   size_t sequences, size_t count, f2l_error *err)
{
    const run *r = context;
    const f2l_seq_batch batch = {.sequences = sequences, .length = count, .letter = letter};
    return f2l_seq_answers_f32(answer, r->state, &batch, r->parameters, r->work, err);
}

static f2l_status make_room_for_rows(run *r, size_t rows, const f2l_task *task, f2l_error *err)
{
    const f2l_seq_plan plan = {.sequences = rows, .length = CHUNK};
    size_t bytes, state;
    f2l_status status = f2l_seq_work_bytes(&bytes, r->model, &plan, sizeof(float), err);
    if (status != F2L_OK) return status;
    if (!f2l_mul_size(&state, f2l_seq_state_count(r->model), rows) ||
        !f2l_mul_size(&state, state, sizeof(float)) || !f2l_add_size(&bytes, bytes, state))
        return f2l_fail(err, F2L_EDOMAIN, "the evaluation needs more memory than can be counted");
    status = f2l_task_memory(task, "evaluation", bytes, err);
    if (status == F2L_OK) status = f2l_seq_work_new_f32(&r->work, r->model, &plan, NULL, err);
    if (status != F2L_OK) return status;
    r->state = f2l_calloc(rows * f2l_seq_state_count(r->model), sizeof *r->state);
    return r->state ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_experiment_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                   size_t sequences, f2l_backend backend, const f2l_seq *model,
                                   const float *parameters, const f2l_data *data,
                                   const f2l_task *task, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    if (data->letters.count != c->letters || data->labels.count != c->labels)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the data have %zu letters and %zu labels, the model %zu "
                        "and %zu",
                        data->letters.count, data->labels.count, c->letters, c->labels);
    if (backend != F2L_BACKEND_CPU)
        return f2l_backend_evaluate(score, scores, wrong, sequences, backend, model, parameters,
                                    data, task, err);
    const size_t rows = sequences < SIDE_BY_SIDE ? sequences > 0 ? sequences : 1 : SIDE_BY_SIDE;
    const f2l_data_plan plan = {
        .sequences = sequences, .side_by_side = rows, .chunk = CHUNK, .step = F2L_DATA_TEST_STEP};
    run r = {.model = model, .parameters = parameters};
    const f2l_data_reader reader = {
        .context = &r, .begin = begin_run_rows, .read = read_run_letters};
    f2l_status status = make_room_for_rows(&r, rows, task, err);
    if (status == F2L_OK)
        status = f2l_data_evaluate(score, scores, wrong, data, &reader, &plan, task, err);
    f2l_seq_work_free_f32(r.work);
    f2l_free(r.state);
    return status;
}
