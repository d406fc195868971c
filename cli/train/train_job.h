/* The command `train` in three files: options (cli/train/train_arguments.c), the plan
 * (cli/train/train_plan.c), and the run with its report (cli/train/cmd_train.c). */
#ifndef F2L_TRAIN_JOB_H
#define F2L_TRAIN_JOB_H

#include "cli/train/train_arguments.h"
#include "cli/train/train_run.h"
#include "reports/training/train_report.h"
#include "theory/compile/compile.h"

typedef struct f2l_train_cli {
    f2l_cli cli;
    f2l_train_arguments o;
    f2l_train_identity identity;
    f2l_train_source source;
    f2l_experiment_file file; /* contents of the folder, for --resume */
    f2l_first_weights first;  /* of --first-weights */
    f2l_experiment experiment;
    bool from_network; /* `starts`: the class must hold the constructed network */
    f2l_backend backend;
    f2l_seq model;
    f2l_compile_result compiled;
    char why_none[512]; /* the reason when there is no constructed network */
    bool cut; /* the time or the memory ended the search for the constructed network: only a dry run
                 continues */
    size_t *length;
    f2l_buf folder, resume; /* the folder, and the command that resumes it */
    const char *name;       /* the user's file or folder as messages name it */
    /* results */
    size_t seeds; /* 0: one run, not a sweep of several */
    f2l_experiment_seed one;
    f2l_experiment_seeds many;
} f2l_train_cli;

/* Make a job empty, which is an f2l_train_cli or begins with one, and free what it has. */
void f2l_train_cli_init(void *job);
void f2l_train_cli_clear(void *job);
/* Returns what the job knows before the first step; the pointers are the job's. */
f2l_train_report f2l_train_cli_report(const f2l_train_cli *j);

/* Checks the usage, and then whether the options fit together; returns 0, or the exit status after
 * the message. */
int f2l_train_check_usage(f2l_train_cli *j);
/* Prepares the data and the constructed network, and then the experiment, which is checked; returns
 * 0, or the exit status after the message. */
int f2l_train_plan(f2l_train_cli *j);

#endif
