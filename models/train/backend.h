/* What the arithmetic of a training run is done on. Everything that depends on the choice stands in
 * models/train/backend.c.
 *
 * The backend is no part of what a run is: config.json and checkpoints do not name it, so that a
 * run may go on on another one. The log and provenance.json say which it was.
 *
 *   cpu        float, OpenBLAS on one thread
 *   cuda       one device; activations and matrices in products bf16; states, parameters, gradients
 * and sums float cuda-float the same with all numbers float: equals the CPU up to the order of
 * sums, and slower */
#ifndef F2L_BACKEND_H
#define F2L_BACKEND_H

#include "models/train/seq_trainee.h"

typedef enum f2l_backend {
    F2L_BACKEND_CPU,
    F2L_BACKEND_CUDA,
    F2L_BACKEND_CUDA_FLOAT,
    F2L_BACKENDS
} f2l_backend;

/* "cpu", "cuda", "cuda-float"; NULL past the last. */
const char *f2l_backend_name(size_t backend);
/* F2L_OK, or F2L_EDOMAIN with the reason: built without it, no driver, driver too old. Starts
 * nothing, so that the process may still be forked. */
f2l_status f2l_backend_check(f2l_backend backend, f2l_error *err);
/* The same, and the device is there and new enough: what a backend other than the CPU runs on, as
 * "NVIDIA H200"; of the CPU "". */
f2l_status f2l_backend_device(char *name, size_t size, f2l_backend backend, f2l_error *err);

/* Bytes of this machine's memory that f2l_backend_build takes. F2L_EDOMAIN when that is no size_t.
 */
f2l_status f2l_backend_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, f2l_error *err);

/* Bytes of device memory that a run takes on the device that has most to hold (f2l_seq_cuda_need,
 * which see), with evaluations of `evaluated` sequences (0: none); 0 for the CPU. F2L_EDOMAIN also
 * as f2l_backend_check. */
f2l_status f2l_backend_device_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                                    const f2l_seq_trainee_options *options, size_t evaluated,
                                    f2l_error *err);

/* A trainee of some backend. */
typedef struct f2l_backend_trainee {
    const f2l_trainee *trainee; /* NULL: none */
    /* private */
    void *self;
    void (*destroy)(void *self);
} f2l_backend_trainee;

/* *out is empty after a failure; what is passed must outlive it (f2l_seq_trainee_build).
 * F2L_EDOMAIN also for models that the backend does not have (f2l_seq_cuda_takes). */
f2l_status f2l_backend_build(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task,
                             f2l_error *err);
void f2l_backend_clear(f2l_backend_trainee *trainee);

/* Evaluates weights (float) on a device, a backend other than the CPU, in float: as
 * f2l_experiment_evaluate, which see. F2L_EDOMAIN also as f2l_backend_check, and for models that
 * the device does not have. */
f2l_status f2l_backend_evaluate(f2l_train_score *score, size_t scores, size_t *first_wrong,
                                size_t sequences, f2l_backend backend, const f2l_seq *model,
                                const float *parameters, const f2l_data *data, const f2l_task *task,
                                f2l_error *err);

#endif
