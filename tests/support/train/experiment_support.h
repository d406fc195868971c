/* Small experiments for tests, and the folders that they leave. */
#ifndef EXPERIMENT_SUPPORT_H
#define EXPERIMENT_SUPPORT_H

#include "automata/family/family.h"
#include "models/learn/experiment/experiment.h"
#include "numeric/base/mem.h"
#include "tests/support/train/train_support.h"

static const size_t experiment_length[] = {6, 20};

/* Returns whether the tests run under valgrind (tests/valgrind.py): they then do fewer repetitions
 * and do not judge memory. */
bool experiment_short(void);

/* A named automaton, its data, and a model so small that a step takes a millisecond. */
typedef struct experiment_case {
    f2l_fsa fsa;
    f2l_experiment experiment;
} experiment_case;

void experiment_shrink(f2l_experiment *e);

/* Opens the case of S_3 by all its elements. */
void experiment_open(experiment_case *c, uint64_t steps);

void experiment_close(experiment_case *c);

/* Sets the model to kind `number` of those that are trained; returns false after the last. */
bool experiment_model(f2l_experiment *e, size_t number);

void experiment_text(f2l_buf *out, const f2l_experiment *e);

/* Runs in the place's folder; `step` gets the step at which the result ends. */
f2l_status experiment_run(const train_place *p, const f2l_experiment *e, f2l_experiment_begin begin,
                          const f2l_train_watch *watch, const f2l_task *task, uint64_t *step,
                          f2l_error *err);

/* The parts in which two runs must agree: the weights, and the log without times. */
typedef struct experiment_outcome {
    f2l_buf weights, log, config, automaton;
} experiment_outcome;

void experiment_outcome_read(experiment_outcome *o, const train_place *p);

void experiment_outcome_clear(experiment_outcome *o);

bool experiment_same(const f2l_buf *a, const f2l_buf *b);

void experiment_outcome_equal(const experiment_outcome *a, const experiment_outcome *b);

#endif
