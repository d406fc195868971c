/* Training runs that survive interruptions: AdamW steps on anything that has parameters and
 * computes a gradient, with a log, evaluations by length, and checkpoints from which a run goes on,
 * bit for bit, as if it had never been interrupted.
 *
 * The result of a run is a function of the options, the trainee and its numbers: the trainee gets
 * only the step number, data come from counters (numeric/base/rng.h). Times appear only under
 * `timing` in the log. */
#ifndef F2L_TRAIN_H
#define F2L_TRAIN_H

#include "models/learn/data/train_score.h"
#include "models/learn/train/train_dir.h"
#include "models/learn/train/train_options.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stddef.h>
#include <stdint.h>

/* Results of a trainee on the batch of one step. */
typedef struct f2l_train_batch {
    double loss;                    /* mean over the supervised positions */
    uint64_t tokens;                /* letters read */
    size_t length;                  /* of the longest sequence */
    uint64_t supervised, right;     /* positions */
    uint64_t sequences, right_ones; /* sequences; sequences right at every supervised position */
    uint64_t right_last;            /* sequences right at the last supervised position */
} f2l_train_batch;

/* Consecutive parameters with equal factors. */
typedef struct f2l_train_group {
    size_t count;
    double rate, weight_decay; /* factors of the options' values */
} f2l_train_group;

/* The coefficients of an AdamW update (models/learn/train/adamw.h): `rate` and `weight_decay` are
 * multiplied by the factors of each group; the gradient is scaled to the length `clip` if it is
 * longer (0: no limit). */
typedef struct f2l_train_pace {
    double rate, weight_decay, beta1, beta2, epsilon, clip;
    uint64_t time; /* 1 for the first update */
} f2l_train_pace;

/* The functions of a trainee whose numbers are on a device, which makes the updates too, instead of
 * in this process's memory. Between `put` and `get` the trainee's `parameter` is out of date;
 * f2l_train_run gets the numbers before it writes a checkpoint or weights, and when it returns. */
typedef struct f2l_train_engine {
    const char *backend, *device; /* for the log */
    /* Computes the gradient as `gradient` of f2l_trainee does, without returning it, then makes the
     * update. *norm is the length of the gradient before clipping; if *norm is not finite no number
     * changes. F2L_UNKNOWN when the task stops it: the step is then as if it had not begun. */
    f2l_status (*advance)(void *self, f2l_train_batch *batch, double *norm,
                          const f2l_train_pace *pace, uint64_t step, const f2l_task *task,
                          f2l_error *err);
    /* Copy all numbers to the device and back: [parameters] each, of `number` bytes. */
    f2l_status (*put)(void *self, const void *parameter, const void *mean, const void *square,
                      f2l_error *err);
    f2l_status (*get)(void *self, void *parameter, void *mean, void *square, f2l_error *err);
} f2l_train_engine;

/* A trainee. All members are owned by the caller and must outlive the run; `self` is passed to
 * every function. */
typedef struct f2l_trainee {
    void *self;
    size_t number;     /* bytes of a parameter: 4 (float) or 8 (double) */
    size_t parameters; /* >= 1 */
    void *parameter;   /* [parameters] float or double; first values before, trained values after */
    const void *reference; /* [parameters] of the same type, from which evaluations tell the
                            * distance (`parameter` must then be up to date); the run is evaluated
                            * before its first step too. NULL: none */
    const f2l_train_group *group;
    size_t groups; /* 0: one group with factors 1; otherwise the counts add up to `parameters` */
    double chance_loss; /* loss of blind guessing, such as log(labels); 0: not known */
    uint64_t *state;    /* [states] further numbers that go from step to step, such as the length
                         * that a curriculum has */
    size_t states; /* reached; part of every checkpoint. Only `gradient` (`advance`) writes it, and
                    * only on success */
    const f2l_train_engine *engine; /* NULL: the numbers are in this memory, and f2l_train_run makes
                                     * the updates */

    /* Adds the gradient of the mean loss of step `step` = 0, 1, ... to gradient[parameters], which
     * is all zero before; fills *batch. F2L_UNKNOWN when the task stops it: the step is then as if
     * it had not begun. With an engine `gradient` is not called and may be NULL. */
    f2l_status (*gradient)(void *self, f2l_train_batch *batch, void *gradient, uint64_t step,
                           const f2l_task *task, f2l_error *err);
    /* Adds to score[scores], whose lengths are set and counts zero (see f2l_train_tally); sets
     * chance. Must not change anything of the trainee that a later step could observe. `step` steps
     * have been made; the sequences do not depend on it. May be NULL if options.lengths is 0. */
    f2l_status (*evaluate)(void *self, f2l_train_score *score, size_t scores, size_t sequences,
                           uint64_t step, const f2l_task *task, f2l_error *err);
    /* Writes the trained weights to the path. NULL: no weights are written. */
    f2l_status (*write)(void *self, const char *path, f2l_error *err);
} f2l_trainee;

typedef enum f2l_train_end {
    F2L_TRAIN_GOES_ON,   /* interrupted, or an error */
    F2L_TRAIN_COMPLETED, /* all steps made */
    F2L_TRAIN_REACHED,   /* options.target reached */
    F2L_TRAIN_DIVERGED /* a number is not finite, or the loss has grown beyond options.divergence */
} f2l_train_end;

/* Returns "interrupted", "completed", "reached", "diverged". */
const char *f2l_train_end_name(f2l_train_end end);

/* The progress of a run. */
typedef struct f2l_train_progress {
    uint64_t step, steps;         /* steps made, steps wanted */
    double loss;                  /* running mean */
    double accuracy;              /* accuracy at the positions of the last batch */
    size_t length;                /* length of the last batch */
    double tokens_per_second;     /* since this process took up the run */
    double seconds_left;          /* estimate from the pace so far; -1: unknown */
    const f2l_train_score *score; /* of the last evaluation */
    size_t scores;                /* 0: none yet */
    uint64_t evaluated;           /* steps made before that evaluation */
} f2l_train_progress;

/* Appends "step 1200 of 20000, 34500 tokens/s, loss 0.0123, accuracy 0.998 at length 48, sequences
 * right 64: 1.000 128: 0.912, 12 min left". */
void f2l_train_progress_text(f2l_buf *out, const f2l_train_progress *progress);

/* A callback after every step and every evaluation; the receiver must throttle. */
typedef struct f2l_train_watch {
    void (*progress)(void *context, const f2l_train_progress *progress);
    void *context;
    bool evaluated; /* a run that has ended is not evaluated again; its result has no scores */
} f2l_train_watch;

typedef struct f2l_train_result {
    f2l_train_end end;
    uint64_t step;   /* steps made */
    uint64_t tokens; /* letters read in them */
    double loss;     /* running mean: after step s of loss x, 0.98 mean + 0.02 x */
    double seconds;  /* seconds in all processes that took part, up to their last checkpoints */
    bool repeated;   /* the run had ended before: this process only evaluated it */
    f2l_train_score *score; /* [scores] of the last evaluation */
    size_t scores;
} f2l_train_result;

void f2l_train_result_init(f2l_train_result *result);
void f2l_train_result_clear(f2l_train_result *result);

/* Computes the bytes that a run takes besides the trainee's; F2L_EDOMAIN when they do not fit
 * size_t. */
f2l_status f2l_train_bytes(size_t *bytes, size_t parameters, size_t number, f2l_error *err);

/* Runs, or goes on from dir's checkpoint if dir has one. `dir` NULL: nothing is written or read.
 * - F2L_OK: end is COMPLETED or REACHED; dir holds the final checkpoint and the weights. A run that
 *   had ended before is evaluated once more and changes no file but the weights.
 * - F2L_UNKNOWN: interrupted or out of time: the run is saved, and the text names the place; or
 *   DIVERGED: the text names the step, the last checkpoint stays, the parameters are the ones
 *   before that step (with an engine: the ones of the last `get`); or the task's memory is too
 *   small (before the start, with the need).
 * - F2L_EIO: a file could not be written, for example because the disk is full: the last checkpoint
 *   stays as it was.
 * - F2L_EDOMAIN: options or trainee are not usable, or the checkpoint belongs to something else.
 * - F2L_EFORMAT: the checkpoint is damaged.
 * *result (initialised) is filled in all cases as far as the run came. */
f2l_status f2l_train_run(f2l_train_result *result, const f2l_trainee *trainee,
                         const f2l_train_options *options, f2l_train_dir *dir,
                         const f2l_train_watch *watch, const f2l_task *task, f2l_error *err);

#endif
