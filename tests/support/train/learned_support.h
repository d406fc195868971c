/* Trained networks in tests of theory/beside: ones that were trained, and exact ones. */
#ifndef TESTS_LEARNED_SUPPORT_H
#define TESTS_LEARNED_SUPPORT_H

#include "models/doors/checkpoint/checkpoint.h"
#include "models/learn/experiment/experiment.h"
#include "tests/support/train/data_support.h"
#include "tests/support/train/inspect_support.h"
#include "theory/beside/compare/sample.h"
#include "theory/beside/horizon/limit.h"

typedef struct learned_case {
    f2l_checkpoint trained; /* of a file; otherwise only model and parameters are set */
    f2l_experiment_file run;
    f2l_fsa fsa;
    f2l_data data;
    f2l_learned_reader reader;
    f2l_learned_sample sample;
    f2l_error err;
} learned_case;

/* Reads tests/data/learned-s3, without reader and sample. */
void learned_s3(learned_case *c);

/* Makes exact permutation matrices of S_n, with all elements as letters; head h has the points as
 * its keys and starts with start[h][n][columns]. Its read-out is 0, so that it gives label 0
 * always. */
void learned_symmetric(learned_case *c, size_t points, size_t heads, size_t columns,
                       const double *start);

/* Makes reader and sample. */
void learned_read(learned_case *c);
void learned_clear(learned_case *c);

/* Makes a network of two layers with a convolution, a begin letter and two letters for each of the
 * automaton's. */
void learned_two_layers(learned_case *c);

/* A run of the trainer, with its weights as doubles. */
typedef struct trained_run {
    f2l_experiment_file file;
    f2l_seq model;
    float *stored;
    double *parameters; /* [model.parameters] */
    f2l_error err;
} trained_run;

/* Reads config.json, automaton.fsa and weights.safetensors of the folder. */
void trained_run_open(trained_run *run, const char *folder);
void trained_run_clear(trained_run *run);

/* Applies a word to the states [heads][key][value]. */
void limit_walk(const f2l_learned_net *net, double *state, const f2l_settle_word *word);
/* Sets the states after a word. */
void limit_state_after(double *state, const f2l_learned_net *net, const f2l_settle_word *word);
/* Computes o [heads][value] after the letter that led to the states. */
void limit_read_states(double *o, const f2l_learned_net *net, const double *state, size_t letter);

#endif
