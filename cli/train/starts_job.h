/* The command `starts` in two files: its options and its result (cli/train/cmd_starts.c), and the
 * starts with their folders (cli/train/starts_cells.c). */
#ifndef F2L_STARTS_JOB_H
#define F2L_STARTS_JOB_H

#include "cli/train/train_job.h"
#include "models/learn/experiment/experiment_grid.h"
#include "reports/training/starts_report.h"

#define F2L_STARTS_NUMBERS 8            /* most numbers in --noise and in --logit */
#define F2L_STARTS_FILE "automaton.fsa" /* the file that the folder has once it is open */

/* What a cell of the grid borrows. */
typedef struct f2l_start_parts {
    f2l_first_weights weights; /* empty: random */
    f2l_experiment experiment;
    f2l_buf folder, title;
} f2l_start_parts;

typedef struct f2l_starts_job {
    f2l_train_cli train;
    double noise[F2L_STARTS_NUMBERS], logit[F2L_STARTS_NUMBERS];
    size_t noises, logits, seeds;
    bool go_on;
    size_t starts;
    f2l_start_run *run;        /* [starts] */
    f2l_start_parts *part;     /* [starts] */
    f2l_experiment_cell *cell; /* [starts] */
    f2l_train_provenance provenance;
} f2l_starts_job;

/* Make the starts of a planned job, and free them. Returns 0, or the exit status after the
 * message. */
int f2l_starts_make(f2l_starts_job *s);
void f2l_starts_clear(f2l_starts_job *s);

/* Makes the folder with the automaton, or takes it up with --continue; each start's folder compares
 * its own settings. */
f2l_status f2l_starts_open(const f2l_starts_job *s, f2l_error *err);

#endif
