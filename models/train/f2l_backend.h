/* What the arithmetic of a training run is done on. Everything that depends on the choice stands in f2l_backend.c. */
#ifndef F2L_BACKEND_H
#define F2L_BACKEND_H

#include "f2l_seq_trainee.h"

typedef enum f2l_backend { F2L_BACKEND_CPU, F2L_BACKEND_CUDA, F2L_BACKENDS } f2l_backend;

/* "cpu", "cuda"; NULL past the last. */
const char *f2l_backend_name(size_t backend);
/* F2L_OK, or F2L_EDOMAIN with the reason: built without it, no device, driver too old. */
f2l_status f2l_backend_check(f2l_backend backend, f2l_error *err);

/* Bytes of this machine's memory that f2l_backend_build takes. F2L_EDOMAIN when that is no size_t. */
f2l_status f2l_backend_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, f2l_error *err);

/* A trainee of some backend. */
typedef struct f2l_backend_trainee {
    const f2l_trainee *trainee; /* NULL: none */
    /* private */
    void *self;
    void (*destroy)(void *self);
} f2l_backend_trainee;

/* *out is empty after a failure; what is passed must outlive it (f2l_seq_trainee_build). */
f2l_status f2l_backend_build(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task, f2l_error *err);
void f2l_backend_clear(f2l_backend_trainee *trainee);

#endif
