/* The weights of a trained network, from the folder of a run or from a file, with the run of the
 * folder. */
#ifndef F2L_EVALUATE_WEIGHTS_H
#define F2L_EVALUATE_WEIGHTS_H

#include "cli/cli.h"
#include "models/experiment/experiment_seeds.h"

typedef struct f2l_weights_file {
    f2l_buf name; /* path of the file of weights */
    f2l_seq model;
    float *parameters;
    bool has_run; /* `run` is set, to the run of the folder */
    f2l_experiment_file run;
} f2l_weights_file;

void f2l_weights_file_init(f2l_weights_file *file);
void f2l_weights_file_clear(f2l_weights_file *file);

/* Loads the weights; returns 0, or the exit status after the message. *file must not move
 * afterwards. */
int f2l_weights_file_load(f2l_weights_file *file, f2l_cli *cli, const char *path);

#endif
