/* Small trainees for tests of training runs: a logistic model on data from counters, with a
 * curriculum as its state. */
#ifndef TRAIN_SUPPORT_H
#define TRAIN_SUPPORT_H

#include "models/learn/train/train.h"
#include "numeric/base/rng.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOGISTIC_FEATURES = 9, LOGISTIC_PARAMETERS = LOGISTIC_FEATURES + 1, LOGISTIC_BATCH = 24 };

typedef struct logistic {
    f2l_trainee trainee;
    f2l_train_group group[2];
    union {
        float f32[LOGISTIC_PARAMETERS];
        double f64[LOGISTIC_PARAMETERS];
    } parameter;
    uint64_t state[2]; /* features in use so far (a curriculum), steps */
    uint64_t seed;
    long pause;                  /* nanoseconds per step */
    uint64_t bad_step;           /* the step whose loss is NaN, 1-based; 0: none */
    uint64_t bad_gradient;       /* the same for an infinite gradient */
    volatile sig_atomic_t *flag; /* set by the gradient of step flag_at or by the evaluation after
                                    it */
    uint64_t flag_at;
    bool flag_in_evaluation;
    size_t gradients, evaluations, writes;
} logistic;

double logistic_get(const logistic *l, size_t i);

void logistic_add(const logistic *l, void *array, size_t i, double x);

/* Draws one sample: features in [-1, 1); returns the label, which is the sign of a fixed
 * combination of the first `used`. */
int logistic_sample(const logistic *l, double x[LOGISTIC_FEATURES], uint64_t stream, uint64_t row,
                    size_t used);

double logistic_output(const logistic *l, const double x[LOGISTIC_FEATURES]);

f2l_status logistic_gradient(void *self, f2l_train_batch *batch, void *gradient, uint64_t step,
                             const f2l_task *task, f2l_error *err);

f2l_status logistic_evaluate(void *self, f2l_train_score *score, size_t scores, size_t sequences,
                             uint64_t step, const f2l_task *task, f2l_error *err);

f2l_status logistic_write(void *self, const char *path, f2l_error *err);

void logistic_init(logistic *l, size_t number, uint64_t seed);

static const size_t logistic_length[] = {2, 5, LOGISTIC_FEATURES};

f2l_train_options logistic_options(uint64_t steps);

/* A place for runs, removed with all that it holds (two levels). */
typedef struct train_place {
    char folder[64], run[80];
} train_place;

void train_place_open(train_place *p);

/* Returns the number of entries whose names start with `prefix`, and removes them when asked. */
size_t train_entries(const char *folder, const char *prefix, bool removed);

void train_run_remove(const train_place *p);

void train_place_close(const train_place *p);

void train_read(f2l_buf *out, const train_place *p, const char *name);

/* Sets out to the log without the parts that may differ between equal runs: `timing`, and the lines
 * that say where a run was resumed. */
void train_log(f2l_buf *out, const train_place *p);

void train_dir_make(f2l_train_dir *dir, const train_place *p, const char *config);

#endif
