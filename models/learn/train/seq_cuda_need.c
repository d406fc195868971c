#include "models/learn/train/seq_cuda_need.h"
#include "cuda/step/cuda_need.h"
#include "models/learn/train/cuda_model.h"
#include "models/learn/train/seq_cuda.h"
#include "numeric/base/mem.h"

static f2l_status evaluation(size_t *bytes, const f2l_cuda_step_shape *shape, size_t sequences,
                             const f2l_cuda_answer_kernels *kernels, f2l_error *err)
{
    const size_t rows =
        sequences < F2L_SEQ_CUDA_SIDE_BY_SIDE ? sequences : F2L_SEQ_CUDA_SIDE_BY_SIDE;
    size_t positions = F2L_SEQ_CUDA_POSITIONS;
    f2l_status status;
    *bytes = 0;
    if (sequences == 0) return F2L_OK;
    do {
        status = f2l_cuda_answer_need(bytes, shape, F2L_CUDA_F32, rows, positions, kernels, err);
        positions /= 4;
    } while (status == F2L_EDOMAIN && positions >= F2L_SEQ_CUDA_FEWEST);
    return status;
}

f2l_status f2l_seq_cuda_need(size_t *bytes, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, size_t evaluated,
                             f2l_cuda_type type, const f2l_cuda_answer_kernels *kernels,
                             f2l_error *err)
{
    const size_t devices = options->devices > 1 ? options->devices : 1,
                 sequences = options->batch / devices + (options->batch % devices > 0);
    const size_t received = devices > 1 ? (model->parameters + 8 * devices) * sizeof(float) : 0;
    f2l_cuda_model map;
    size_t beside;
    f2l_status status = f2l_seq_cuda_takes(&model->config, err);
    if (status == F2L_OK) status = f2l_cuda_model_init(&map, model, err);
    if (status != F2L_OK) return status;
    status = f2l_cuda_step_need(bytes, &map.shape, type, sequences,
                                f2l_seq_trainee_longest(options), kernels->step, err);
    if (status == F2L_OK) status = evaluation(&beside, &map.shape, evaluated, kernels, err);
    if (status == F2L_OK &&
        (!f2l_add_size(bytes, *bytes, beside) || !f2l_add_size(bytes, *bytes, received)))
        status = f2l_fail(err, F2L_EDOMAIN, "the run needs more device memory than can be counted");
    f2l_cuda_model_clear(&map);
    return status;
}
