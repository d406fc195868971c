/* Declarations shared by the files of models/learn/train; private to this folder. */
#ifndef F2L_MODELS_TRAIN_IMPL_H
#define F2L_MODELS_TRAIN_IMPL_H

#include "models/learn/train/seq_trainee.h"
#include "models/learn/train/train.h"
#include "models/learn/train/train_checkpoint.h"

/* A running job, shared by the files of models/learn/train/train.h. */

/* Counts since the last line of the log. */
typedef struct f2l_train_window {
    double loss; /* sum over the batches */
    uint64_t batches, tokens, supervised, right, sequences, right_ones, right_last;
} f2l_train_window;

typedef struct f2l_train_job {
    const f2l_trainee *trainee;
    const f2l_train_options *options;
    f2l_train_dir *dir; /* NULL: none */
    char identity[65];  /* of the checkpoint: SHA-256 of the folder's identity and the options */
    const f2l_train_watch *watch;
    const f2l_task *task;
    void *gradient, *mean, *square; /* [parameters], owned */
    f2l_train_score *score;         /* [options->lengths] */
    bool scored, held;              /* held: the engine has the current numbers */

    /* in the checkpoint */
    uint64_t step, tokens; /* steps made, letters read */
    uint64_t evaluated;    /* step after which the last evaluation was made */
    f2l_train_end end;
    double first_loss, loss; /* the running mean */
    double seconds_before;   /* seconds spent until the checkpoint from which the run was resumed */
    f2l_train_window window;

    /* of this process */
    f2l_train_batch batch;                                             /* of the last step */
    double rate, norm;                                                 /* of the last step */
    double began, saved_at, line_at, longest_step, longest_evaluation; /* f2l_now(), seconds */
    uint64_t began_step, began_tokens, saved_step;
} f2l_train_job;

double f2l_train_seconds(const f2l_train_job *job); /* Returns the seconds spent on the run by
                                                     * now. */

/* Append lines to the log; they do nothing without a folder. */
f2l_status f2l_train_log_start(const f2l_train_job *job, f2l_error *err);
f2l_status f2l_train_log_step(f2l_train_job *job, f2l_error *err); /* also empties the window */
f2l_status f2l_train_log_evaluation(const f2l_train_job *job, double seconds, f2l_error *err);
f2l_status f2l_train_log_end(const f2l_train_job *job, const char *why, f2l_error *err);
void f2l_train_tell(const f2l_train_job *job);

/* Save the job as a checkpoint, and load it. Both need a folder. When a number is not finite,
 * f2l_train_save fails with F2L_UNKNOWN and end DIVERGED, and leaves the file. */
f2l_status f2l_train_save(f2l_train_job *job, f2l_error *err);
/* Fetches the numbers from the engine. */
f2l_status f2l_train_fetch(f2l_train_job *job, f2l_error *err);
f2l_status f2l_train_load(bool *found, f2l_train_job *job, f2l_error *err);

/* Functions shared by the trainees of all backends. */

/* Refuses arguments that cannot be trained, and begins the curriculum of *options. */
f2l_status f2l_seq_trainee_check(f2l_seq_trainee_options *options, const f2l_seq *model,
                                 const f2l_data *train, const f2l_data *test, f2l_error *err);

/* Fills parameter[model->parameters] with the first parameters. */
void f2l_seq_trainee_start(float *parameter, const f2l_seq *model,
                           const f2l_seq_trainee_options *options);

/* Sets *range to the lengths of the next step, from the state, which a checkpoint may have
 * restored. */
f2l_status f2l_seq_trainee_range(f2l_data_range *range, f2l_seq_trainee_options *options,
                                 const uint64_t state[2], const f2l_data *train, f2l_error *err);

/* Fills *out from the score of a step, and updates the curriculum and its state. */
void f2l_seq_trainee_report(f2l_train_batch *out, uint64_t state[2],
                            f2l_seq_trainee_options *options, const f2l_seq_score *score,
                            const f2l_data_batch *batch, const f2l_data *train);

/* Writes weights.safetensors. */
f2l_status f2l_seq_trainee_write(const char *path, const f2l_seq *model, const float *parameter,
                                 f2l_error *err);

#endif
