/* A sequence model on data, as something that f2l_train_run trains: float, one process, sequences
 * of a curriculum.
 *
 * Step s reads the sequences 0 .. batch - 1 of step s of the training data, of the lengths that the
 * curriculum has reached; the length and the streak of the curriculum are the trainee's state.
 * Evaluations read the test data. */
#ifndef F2L_SEQ_TRAINEE_H
#define F2L_SEQ_TRAINEE_H

#include "models/data/data_curriculum.h"
#include "models/seq/seq.h"
#include "models/train/train.h"

typedef struct f2l_seq_trainee_options {
    f2l_data_curriculum curriculum; /* not begun; start == limit: one length (or lengths up to it)
                                       from the first step on */
    size_t batch;                   /* sequences per step */
    size_t positions; /* letters that are worked on at once, at least curriculum.limit; more are
                         faster, and need more memory; 0: 1024 or the limit. Sums, and so last bits,
                         depend on it */
    uint64_t seed;    /* of the first parameters */
    /* On devices: how many (0: one), which take parts of every batch; and which one, where there is
     * one. */
    unsigned devices, device;
} f2l_seq_trainee_options;

typedef struct f2l_seq_trainee {
    f2l_trainee trainee; /* for f2l_train_run; points into this struct, which must not move */
    /* private */
    const f2l_seq *model;
    const f2l_data *train, *test;
    f2l_seq_trainee_options options;
    f2l_data_batch batch;
    f2l_train_group *group;
    float *parameter;
    uint64_t state[2];
    f2l_seq_work_f32 *work;
    float *reader_state; /* of an evaluation */
} f2l_seq_trainee;

void f2l_seq_trainee_init(f2l_seq_trainee *t);
void f2l_seq_trainee_clear(f2l_seq_trainee *t);

/* Bytes that f2l_seq_trainee_build and the batches take, without what f2l_train_bytes says. */
f2l_status f2l_seq_trainee_bytes(size_t *bytes, const f2l_seq *model,
                                 const f2l_seq_trainee_options *options, f2l_error *err);

/* *t must be initialised and empty; model, train and test (which may be the same) must outlive it.
 * F2L_EDOMAIN: letters or labels of the data are not as many as the model's, the curriculum is not
 * usable, or the batch is empty. F2L_UNKNOWN when the task's memory is too small, with the need. */
f2l_status f2l_seq_trainee_build(f2l_seq_trainee *t, const f2l_seq *model, const f2l_data *train,
                                 const f2l_data *test, const f2l_seq_trainee_options *options,
                                 const f2l_task *task, f2l_error *err);

#endif
