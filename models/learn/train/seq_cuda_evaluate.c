/* Evaluations on a device, and the memory of this machine that evaluations and the training
 * take. */
#include "models/learn/data/data_evaluate.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/train/seq_cuda.h"
#include "models/learn/train/seq_cuda_need.h"
#include "numeric/base/mem.h"

static f2l_status begin_device_answers(void *context, size_t sequences, f2l_error *err)
{
    return f2l_cuda_answer_begin(context, sequences, err);
}

/* Reads letters; the number of sequences is the one passed to `begin_device_answers`. */
static f2l_status read_device_answers(void *context, uint32_t *answer, const uint32_t *letter,
                                      size_t sequences, size_t count, f2l_error *err)
{
    (void)sequences;
    return f2l_cuda_answer_read(answer, context, letter, count, err);
}

/* Makes *answer, with fewer positions at once if the device has no memory for more, or cannot count
 * them. */
static f2l_status make_device_answer(f2l_cuda_answer **answer, size_t *positions, size_t rows,
                                     const f2l_cuda_step_shape *shape,
                                     const f2l_cuda_answer_kernels *kernels, f2l_cuda_type type,
                                     f2l_error *err)
{
    f2l_status status;
    *positions = F2L_SEQ_CUDA_POSITIONS;
    do {
        status = f2l_cuda_answer_new(answer, shape, type, rows, *positions, kernels, err);
        if (status == F2L_OK) break;
        *positions /= 4;
    } while ((status == F2L_ENOMEM || status == F2L_EDOMAIN) && *positions >= F2L_SEQ_CUDA_FEWEST);
    return status;
}

f2l_status f2l_seq_cuda_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                 size_t sequences, const f2l_cuda_step_shape *shape,
                                 const float *parameter, const f2l_data *data,
                                 const f2l_cuda_answer_kernels *kernels, f2l_cuda_type type,
                                 const f2l_task *task, f2l_error *err)
{
    const size_t rows = sequences < F2L_SEQ_CUDA_SIDE_BY_SIDE ? sequences > 0 ? sequences : 1
                                                              : F2L_SEQ_CUDA_SIDE_BY_SIDE;
    size_t positions;
    f2l_cuda_answer *answer;
    f2l_status status = make_device_answer(&answer, &positions, rows, shape, kernels, type, err);
    if (status != F2L_OK) return status;
    status = f2l_cuda_answer_put(answer, parameter, err);
    const f2l_data_reader reader = {
        .context = answer, .begin = begin_device_answers, .read = read_device_answers};
    const f2l_data_plan plan = {.sequences = sequences,
                                .side_by_side = rows,
                                .chunk = positions / rows,
                                .step = F2L_DATA_TEST_STEP,
                                .jobs = task ? task->jobs : 1};
    if (status == F2L_OK)
        status = f2l_data_evaluate(score, scores, wrong, data, &reader, &plan, task, err);
    f2l_cuda_answer_free(answer);
    return status;
}

f2l_status f2l_seq_cuda_bytes(size_t *bytes, const f2l_seq *model,
                              const f2l_seq_trainee_options *options, f2l_error *err)
{
    const size_t first = f2l_seq_first_state(model, 0),
                 learned = first == F2L_SEQ_NONE ? 0 : model->tensor[first].count;
    size_t batches, parameters, states;
    f2l_status status =
        f2l_data_ahead_bytes(&batches, options->batch, f2l_seq_trainee_longest(options), err);
    if (status != F2L_OK) return status;
    /* A second copy of the batch, filled up, on its way to the device; parameters of the
     * trainee, the learned states that an evaluation begins with, and parameters of a second
     * device; letters, labels, masks, answers of an evaluation, and its letters and answers on
     * their way. */
    if (!f2l_mul_size(&batches, batches, 2) ||
        !f2l_mul_size(&states, learned, model->config.layers) ||
        !f2l_mul_size(&states, states, sizeof(float) * (F2L_SEQ_CUDA_SIDE_BY_SIDE + 1)) ||
        !f2l_mul_size(&parameters, model->parameters, 2 * sizeof(float)) ||
        !f2l_add_size(bytes, parameters, states) || !f2l_add_size(bytes, *bytes, batches) ||
        !f2l_add_size(bytes, *bytes, (size_t)30 * F2L_SEQ_CUDA_POSITIONS))
        return f2l_fail(err, F2L_EDOMAIN,
                        "a batch of %zu sequences needs more memory than can be "
                        "counted",
                        options->batch);
    return F2L_OK;
}
