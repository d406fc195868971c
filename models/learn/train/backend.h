/* The backend that computes a training run. All code that depends on the choice is in
 * models/learn/train/backend.c.
 *
 * The backend is not part of the identity of a run: config.json and checkpoints do not name it, so
 * a run may go on on another backend. The log and provenance.json name the backend.
 *
 * - cpu: float, OpenBLAS on one thread
 * - cuda: one device; activations and matrices in products bf16; states, parameters, gradients and
 *   sums float
 * - cuda-packed: the same without the rows behind the ends of words that are shorter than the
 *   longest of a batch, for models that f2l_cuda_step_packs; others are trained as by cuda
 * - cuda-float: as cuda with all numbers float: equal to the CPU up to the order of sums, and
 *   slower */
#ifndef F2L_BACKEND_H
#define F2L_BACKEND_H

#include "models/learn/data/data_evaluate.h"
#include "models/learn/train/seq_trainee.h"

typedef enum f2l_backend {
    F2L_BACKEND_CPU,
    F2L_BACKEND_CUDA,
    F2L_BACKEND_CUDA_FLOAT,
    F2L_BACKEND_CUDA_PACKED,
    F2L_BACKENDS
} f2l_backend;

/* Returns "cpu", "cuda", "cuda-float", "cuda-packed"; NULL past the last. */
const char *f2l_backend_name(size_t backend);
/* Returns F2L_OK, or F2L_EDOMAIN with the reason: built without it, no driver, driver too old.
 * Starts nothing, so that the process may still be forked. */
f2l_status f2l_backend_check(f2l_backend backend, f2l_error *err);
/* Checks the same, and that the device is there and new enough. name becomes the device of a
 * backend other than the CPU, such as "NVIDIA H200"; "" for the CPU. */
f2l_status f2l_backend_device(char *name, size_t size, f2l_backend backend, f2l_error *err);

/* Computes the bytes of this machine's memory that f2l_backend_build takes. F2L_EDOMAIN when they
 * do not fit size_t. */
f2l_status f2l_backend_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, f2l_error *err);

/* Computes the bytes of device memory that a run takes on the device with the largest need (see
 * f2l_seq_cuda_need), with evaluations of `evaluated` sequences (0: none); 0 for the CPU.
 * F2L_EDOMAIN also as f2l_backend_check. */
f2l_status f2l_backend_device_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                                    const f2l_seq_trainee_options *options, size_t evaluated,
                                    f2l_error *err);

/* A trainee of some backend, owned. */
typedef struct f2l_backend_trainee {
    const f2l_trainee *trainee; /* NULL: none */
    /* private */
    void *self;
    void (*destroy)(void *self);
} f2l_backend_trainee;

/* Builds *out, empty after a failure; the arguments must outlive *out (f2l_seq_trainee_build).
 * F2L_EDOMAIN also for models that the backend does not support (f2l_seq_cuda_takes). */
f2l_status f2l_backend_build(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task,
                             f2l_error *err);
void f2l_backend_clear(f2l_backend_trainee *trainee);

/* Evaluates weights (float) on a device, a backend other than the CPU, in float, as
 * f2l_experiment_evaluate does. F2L_EDOMAIN also as f2l_backend_check, and for models that the
 * device does not support. */
f2l_status f2l_backend_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                size_t sequences, f2l_backend backend, const f2l_seq *model,
                                const float *parameters, const f2l_data *data, const f2l_task *task,
                                f2l_error *err);

#endif
