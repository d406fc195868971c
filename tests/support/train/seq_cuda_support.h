/* A task, models of several kinds for it, and both ways of training them: on the CPU, and with the
 * host's operators in place of a device's. */
#ifndef TESTS_SEQ_CUDA_SUPPORT_H
#define TESTS_SEQ_CUDA_SUPPORT_H

#include "automata/family/family.h"
#include "models/learn/train/seq_cuda.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/seq_support.h"
#include "tests/support/train/train_support.h"

/* The task of S_3 by its elements. */
typedef struct task_case {
    f2l_fsa fsa;
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
    f2l_seq_cuda_options device;
} task_case;

/* The number of kinds of model: first delta mixers without convolutions, then two with, then the
 * diagonal mixer with and without, gla, rwkv7, attention, and mLSTM without and with. */
enum { KINDS = 13 };

void delta_kind(f2l_seq_config *c, size_t kind);

f2l_seq_config config_of(size_t kind);

void task_init(task_case *c, size_t kind);

void task_clear(task_case *c);

void build_here(f2l_seq_trainee *t, const task_case *c);

void build_there(f2l_seq_cuda *t, const task_case *c);

f2l_train_options options_of(uint64_t steps);

double distance(const float *x, const float *y, size_t n);

/* The losses of a run that is left to itself. */
typedef struct course {
    double loss[101];
    size_t steps;
} course;

void note(void *context, const f2l_train_progress *progress);

void follow(course *c, f2l_train_result *result, const f2l_trainee *trainee, uint64_t steps);
void follow_with(course *c, f2l_train_result *result, const f2l_trainee *trainee,
                 const f2l_train_options *options);

#endif
