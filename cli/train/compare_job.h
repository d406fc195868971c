/* The work of `compare`: what it reads, what it computes, and the report on it. */
#ifndef F2L_COMPARE_JOB_H
#define F2L_COMPARE_JOB_H

#include "cli/input/network_file.h"
#include "cli/train/evaluate_weights.h"
#include "cli/train/train_source.h"
#include "reports/networks/compare_report.h"
#include "theory/compile/compile.h"

typedef struct f2l_compare_arguments {
    const char *grammar, *with, *out, *lengths;
    uint64_t letters, sequences, word_length, search;
    double threshold;
    bool no_network, no_report;
    f2l_input_options input;
    f2l_word_options words;
} f2l_compare_arguments;

typedef struct f2l_compare_job {
    f2l_cli cli;
    f2l_compare_arguments o;
    f2l_weights_file weights;
    f2l_train_source source; /* the automaton of --grammar, or in the folder of `import` */
    f2l_buf beside;
    f2l_data data; /* on the test stream */
    double *parameters;
    unsigned char *used;
    f2l_inspect inspect;
    f2l_inspect_relations relations;
    f2l_inspect_characters characters;
    f2l_network_file file; /* of --with */
    f2l_compile_result compiled;
    f2l_net compiled_model; /* borrows from `compiled` */
    const f2l_net *net;     /* the constructed network; NULL: there is none */
    char no_network[512], no_constructed_heads[512], no_maps[512];
    f2l_constructed constructed;
    f2l_inspect constructed_inspect;
    f2l_learned_reader reader;
    f2l_learned_sample sample;
    bool sampled;
    f2l_extract extract;
    f2l_state_maps maps;
    bool mapped;
    f2l_inspect_spread *layer_betas; /* of a network of several layers */
    f2l_learned_irreps irreps, constructed_irreps;
    size_t *length, lengths;
    f2l_train_score *score, *constructed_score;
    f2l_data_wrong wrong, constructed_wrong;
    f2l_failing failing;
    f2l_settle_report settle;
} f2l_compare_job;

/* Open the trained network with its data, and the constructed network. Return 0, or the exit status
 * after the message. */
int f2l_compare_open_learned(f2l_compare_job *job);
int f2l_compare_open_constructed(f2l_compare_job *job);

/* Computes everything. What these networks do not have is no failure: the job says why. */
f2l_status f2l_compare_analyse(f2l_compare_job *job, f2l_error *err);

#endif
