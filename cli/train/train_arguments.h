/* The options of `train`: their table, and their effect on the recipe. */
#ifndef F2L_TRAIN_ARGUMENTS_H
#define F2L_TRAIN_ARGUMENTS_H

#include "cli/train/train_source.h"
#include "models/learn/experiment/experiment.h"

#define F2L_TRAIN_STEPS 2000 /* default of --steps */

/* Numbers are F2L_NOT_GIVEN, reals -1 and choices F2L_NO_CHOICE where the option was not given. */
typedef struct f2l_train_arguments {
    f2l_source_arguments source;
    /* the run */
    const char *out, *resume;
    bool dry_run, no_network, no_report;
    uint64_t seed, seeds, gpus, effort;
    size_t backend, layout;
    double checkpoint_seconds, step_limit;
    /* the model */
    size_t mixer, eigenvalues;
    uint64_t householders, heads, head_dim, layers, width, mlp, convolution, channels, states,
        window;
    double slope, key_pull;
    const char *init, *first; /* --init, --first-weights */
    bool additive, no_additive, learned_start, no_learned_start, forget_gate, no_forget_gate, silu;
    bool clamped_betas, exact_keys, ternary_keys, lasting;
    /* the optimiser */
    uint64_t steps, batch, warmup, decay_from, positions;
    double rate, last_rate, weight_decay, clip, beta2, epsilon;
    size_t decay;
    /* lengths, evaluations and log */
    uint64_t from, to, patience, sequences, evaluate_every, log_every;
    double threshold, target, live, periodic;
    bool shorter_too;
    const char *lengths;
} f2l_train_arguments;

#define F2L_RECIPE_TITLE "Options for the model and the recipe"

/* The table of `train` alone, and the table of its model and recipe, which `starts` includes. */
extern const f2l_option f2l_train_table[], f2l_recipe_table[];

void f2l_train_arguments_init(f2l_train_arguments *o);

/* Return a backend (f2l_backend_name), and a layout, "ours" or "fla" (index 1). */
const char *f2l_choice_backend(size_t index);
const char *f2l_choice_layout(size_t index);

/* Sets *range to the value of f2l_seq_config.initializer_range for "pytorch", "fla" or a number in
 * (0, 10]; returns false for any other text. */
bool f2l_train_first_weights(double *range, const char *text);

/* Applies --lasting, where it is given, to *experiment, whose other options are applied after it.
 * `key_dim` is the key dimension of the constructed network; 0: there is none. */
void f2l_train_arguments_lasting(f2l_experiment *experiment, const f2l_train_arguments *o,
                                 size_t key_dim);

/* Applies the options of the model to *config; sizes that were not given follow from the width, and
 * the width from heads and head dimension. */
void f2l_train_arguments_model(f2l_seq_config *config, const f2l_train_arguments *o);

/* Applies the other options, except data and evaluation lengths, to *experiment. */
void f2l_train_arguments_run(f2l_experiment *experiment, const f2l_train_arguments *o);

#endif
