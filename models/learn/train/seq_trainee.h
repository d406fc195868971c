/* A trainee of f2l_train_run: a sequence model on data, in float, in one process, with sequences of
 * a curriculum.
 *
 * Step s reads the sequences 0 .. batch - 1 of step s of the training data, of the lengths that the
 * curriculum has reached; the length and the streak of the curriculum are the trainee's state.
 * Evaluations read the test data. */
#ifndef F2L_SEQ_TRAINEE_H
#define F2L_SEQ_TRAINEE_H

#include "models/learn/data/data_curriculum.h"
#include "models/learn/seq/seq.h"
#include "models/learn/train/train.h"

typedef struct f2l_seq_trainee_options {
    f2l_data_curriculum curriculum; /* not begun; start == limit: one length (or lengths up to it)
                                       from the first step on */
    size_t batch;                   /* sequences per step */
    bool begin;                     /* whether the data have a begin letter */
    size_t positions;   /* letters in one pass, at least the longest sequence; more are faster and
                         * need more memory; 0: 1024, or the longest sequence. Sums, and so last
                         * bits, depend on it */
    uint64_t seed;      /* of the first parameters */
    const float *first; /* the first parameters; NULL: drawn from the seed; borrowed */
    const float *reference; /* as in f2l_trainee; borrowed */
    /* On devices: their number (0: one), each taking a part of every batch; and the number of the
     * device, if there is one. */
    unsigned devices, device;
    double step_limit; /* seconds after which a step of several devices is given up; 0: the usual */
} f2l_seq_trainee_options;

/* Returns the letters that are read of the longest sequence. */
static inline size_t f2l_seq_trainee_longest(const f2l_seq_trainee_options *options)
{
    return options->curriculum.limit + options->begin;
}

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
    float *reader_state; /* state of an evaluation */
} f2l_seq_trainee;

void f2l_seq_trainee_init(f2l_seq_trainee *t);
void f2l_seq_trainee_clear(f2l_seq_trainee *t);

/* Computes the bytes that f2l_seq_trainee_build and the batches take, without the bytes of
 * f2l_train_bytes. */
f2l_status f2l_seq_trainee_bytes(size_t *bytes, const f2l_seq *model,
                                 const f2l_seq_trainee_options *options, f2l_error *err);

/* Builds *t, which must be initialised and empty; model, train and test (which may be the same) are
 * borrowed and must outlive *t. F2L_EDOMAIN: the data and the model differ in the number of letters
 * or labels, the curriculum is not usable, or the batch is empty. F2L_UNKNOWN, with the need, when
 * the task's memory is too small. */
f2l_status f2l_seq_trainee_build(f2l_seq_trainee *t, const f2l_seq *model, const f2l_data *train,
                                 const f2l_data *test, const f2l_seq_trainee_options *options,
                                 const f2l_task *task, f2l_error *err);

#endif
