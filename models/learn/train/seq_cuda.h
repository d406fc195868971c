/* A trainee of f2l_train_run: a sequence model on data, with its numbers on a device. It equals the
 * trainee of models/learn/train/seq_trainee.h up to the rounding of sums, and of activations in
 * bf16. Data, curriculum, checkpoints and weights are the same, so that a run may go on on the
 * other backend.
 *
 * A step is launched, then the batch of the next one is made while the device works; if the
 * curriculum has grown the batch is made again. The whole batch is on the device at once:
 * options.positions does not count. Evaluations are in float, with the parameters as they are
 * saved, whatever the activations of the training are.
 *
 * On several devices each has all numbers and takes a part of the sequences; the gradients are
 * added up in the order of the devices (cuda/device/cuda_group.h), and all make the same update.
 * The sums, and so last bits, depend on the number of devices. A run must stay in the thread that
 * built its trainee, because that thread uses the devices. */
#ifndef F2L_SEQ_CUDA_H
#define F2L_SEQ_CUDA_H

#include "cuda/device/cuda_group.h"
#include "cuda/step/cuda_answer.h"
#include "models/learn/data/data_ahead.h"
#include "models/learn/data/data_evaluate.h"
#include "models/learn/train/cuda_model.h"
#include "models/learn/train/seq_trainee.h"

typedef struct f2l_seq_cuda_options {
    const f2l_cuda_answer_kernels *kernels; /* of the device, or of the host in tests; borrowed */
    f2l_cuda_type type;                     /* of activations in training */
    unsigned threads;                       /* threads that make batches; 0 counts as 1 */
    const f2l_cuda_group_kernels *group;    /* of several devices; NULL: the one device of the
                                             * thread */
    size_t devices;               /* with a group: number of devices; each takes a part of every
                                   * batch */
    bool packed;                  /* f2l_cuda_step_batch.lengths are given */
    const char *backend, *device; /* for the log; borrowed */
} f2l_seq_cuda_options;

typedef struct f2l_seq_cuda {
    f2l_trainee trainee; /* for f2l_train_run; points into this struct, which must not move */
    /* private */
    f2l_train_engine engine;
    const f2l_seq *model;
    const f2l_data *train, *test;
    f2l_seq_trainee_options options;
    f2l_seq_cuda_options device;
    f2l_cuda_model map;    /* places of the tensors on the device: offsets in the same vector of
                            * parameters */
    f2l_cuda_group *group; /* NULL: one device */
    size_t devices;
    bool lost;            /* a step of several devices failed: nothing more is asked of them */
    f2l_cuda_step **step; /* [devices] */
    f2l_data_ahead *ahead;
    float *parameter, *other; /* other: parameters of a second device, if there are several */
    uint64_t state[2];
} f2l_seq_cuda;

/* Returns F2L_OK, or F2L_EDOMAIN with the reason why devices do not train the model: heads of more
 * than F2L_RECURRENT_DIM numbers, channels of more than F2L_CUDA_SELECT_STATES states. */
f2l_status f2l_seq_cuda_takes(const f2l_seq_config *config, f2l_error *err);

void f2l_seq_cuda_init(f2l_seq_cuda *t);
void f2l_seq_cuda_clear(f2l_seq_cuda *t);

/* Computes the bytes of this machine's memory that f2l_seq_cuda_build, the batches and an
 * evaluation take, without the bytes of f2l_train_bytes. */
f2l_status f2l_seq_cuda_bytes(size_t *bytes, const f2l_seq *model,
                              const f2l_seq_trainee_options *options, f2l_error *err);

/* Builds *t as f2l_seq_trainee_build does; F2L_EDOMAIN also for models that devices do not
 * support (f2l_seq_cuda_takes). The device memory for a batch is allocated by the first step of
 * its length. */
f2l_status f2l_seq_cuda_build(f2l_seq_cuda *t, const f2l_seq *model, const f2l_data *train,
                              const f2l_data *test, const f2l_seq_trainee_options *options,
                              const f2l_seq_cuda_options *device, const f2l_task *task,
                              f2l_error *err);

/* Evaluates weights (float) on a device, in numbers of `type`, by f2l_data_evaluate. */
f2l_status f2l_seq_cuda_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                 size_t sequences, const f2l_cuda_step_shape *shape,
                                 const float *parameter, const f2l_data *data,
                                 const f2l_cuda_answer_kernels *kernels, f2l_cuda_type type,
                                 const f2l_task *task, f2l_error *err);

#endif
