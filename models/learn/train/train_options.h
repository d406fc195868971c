/* The options of a training run: the optimiser, the schedule of its rate, evaluations, and when to
 * stop. */
#ifndef F2L_TRAIN_OPTIONS_H
#define F2L_TRAIN_OPTIONS_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct f2l_members;

typedef enum f2l_train_decay {
    F2L_TRAIN_CONSTANT,
    F2L_TRAIN_COSINE,
    F2L_TRAIN_LINEAR,
    F2L_TRAIN_DECAYS
} f2l_train_decay;

typedef struct f2l_train_options {
    uint64_t steps; /* >= 1 */
    /* AdamW (models/learn/train/adamw.h) */
    double rate, beta1, beta2, epsilon, weight_decay;
    double clip; /* greatest length of the gradient (2-norm over all parameters); 0: no limit */
    /* Schedule: f2l_train_rate */
    uint64_t warmup, decay_from;
    f2l_train_decay decay;
    double last_rate;
    /* log and evaluations */
    uint64_t log_every;      /* steps per line of the log, >= 1 */
    uint64_t evaluate_every; /* steps; 0: only at the end */
    const size_t *length;    /* [lengths], ascending, letters; borrowed */
    size_t lengths;          /* 0: no evaluation */
    size_t sequences;        /* sequences per evaluation, >= 1 */
    /* when to stop */
    double target; /* stop once the sequence accuracy at the last length is at least this value; 0:
                    * never */
    double divergence; /* stop when the running mean of the loss exceeds this multiple of the loss
                        * of blind guessing (f2l_trainee.chance_loss, or the first loss if it is
                        * larger); 0: never, otherwise > 1 */
    /* checkpoints; the only option that does not change the result */
    double checkpoint_seconds; /* longest time between two checkpoints, >= 0 */
} f2l_train_options;

/* Returns the recipe (docs/training.md, Recipe and options) for `steps` steps: AdamW (.9,
 * .95), epsilon 1e-8, weight decay 0.01, rate 1e-3, 200 steps of warm-up (a tenth of a shorter
 * run), constant, from half of the steps on linear to 0; clip 1; a line every 100 steps, no
 * evaluation, divergence at 10, a checkpoint every minute. */
f2l_train_options f2l_train_options_default(uint64_t steps);

/* Fails with F2L_EDOMAIN and the first fault. */
f2l_status f2l_train_options_check(const f2l_train_options *options, f2l_error *err);

/* Returns the rate of step s = 0 .. steps - 1, which is
 *   rate (s + 1) / warmup   while s < warmup, then
 *   rate                    while s < decay_from (or with F2L_TRAIN_CONSTANT), then,
 * with x = (s - d) / (steps - d), d = max(warmup, decay_from),
 *   last_rate + (rate - last_rate) (1 - x)               F2L_TRAIN_LINEAR
 *   last_rate + (rate - last_rate) (1 + cos(pi x)) / 2   F2L_TRAIN_COSINE */
double f2l_train_rate(const f2l_train_options *options, uint64_t step);

/* Returns "constant", "cosine", "linear", NULL past the last. */
const char *f2l_train_decay_name(size_t decay);

/* All options except checkpoint_seconds. */
extern const struct f2l_members f2l_train_options_members;

#endif
