/* Runs of the trainer on a small model, for its tests. */
#ifndef TRAIN_RUN_SUPPORT_H
#define TRAIN_RUN_SUPPORT_H

#include "tests/support/train/train_support.h"

static const char config[] = "{\"model\":\"logistic\"}\n";

/* Does a whole run; the folder may be NULL. */
f2l_status run(f2l_train_result *result, logistic *l, const f2l_train_options *o,
               f2l_train_dir *dir, const f2l_task *task, f2l_error *err);

/* The results of an uninterrupted run: weights, log, result. */
typedef struct reference {
    f2l_buf weights, log;
    f2l_train_result result;
} reference;

void reference_open(reference *r, const f2l_train_options *o, size_t number);

void reference_check(const reference *r, const train_place *p, const f2l_train_result *result);

void reference_close(reference *r);

#endif
