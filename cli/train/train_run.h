/* A training run under a command: the check of memory, progress and ETA, interruption, and messages
 * on the folder. Shared by `train` and `reproduce`. */
#ifndef F2L_TRAIN_RUN_H
#define F2L_TRAIN_RUN_H

#include "cli/cli.h"
#include "models/learn/experiment/experiment_grid.h"

/* The identity of a run, for provenance.json. */
typedef struct f2l_train_identity {
    char date[24], grammar_sha256[65];
} f2l_train_identity;

/* Sets the date and the hash of the experiment's automaton (if it has one), and fills the
 * provenance. */
f2l_status f2l_train_identity_make(f2l_train_provenance *out, f2l_train_identity *identity,
                                   const f2l_cli *cli, const f2l_experiment *experiment,
                                   f2l_error *err);

/* The settings of one run; all pointers are borrowed. */
typedef struct f2l_train_start {
    f2l_backend backend;
    const char *folder; /* NULL: nothing is written */
    f2l_experiment_begin begin;
    const f2l_train_provenance *provenance;
    const char *title;  /* text before the progress, "mamba: "; NULL: none */
    const char *resume; /* the command that resumes the run, for messages on interruptions */
    const char *opened; /* the file that the folder has once it is open; NULL: config.json */
} f2l_train_start;

/* Refuses a run that needs more than --memory, or than the machine has left where no limit was
 * given. Returns 0, or the exit status after a message that gives the need. */
int f2l_train_check_memory(f2l_cli *cli, const f2l_experiment *experiment, f2l_backend backend);
/* Returns the number of bytes that this machine has left; 0: not known. */
size_t f2l_train_memory_available(void);

/* Trains one network; returns 0, or the exit status after a message on the progress of the run. */
int f2l_train_run_one(f2l_train_result *result, f2l_cli *cli, const f2l_experiment *experiment,
                      const f2l_train_start *start);

/* Trains with `count` seeds, as many at once as there are processors and memory. *seeds holds the
 * runs as far as they came (f2l_experiment_seeds_run). Returns 0, or the exit status after the
 * message. */
int f2l_train_run_seeds(f2l_experiment_seeds *seeds, f2l_cli *cli, const f2l_experiment *experiment,
                        size_t count, const f2l_train_start *start);

/* The same for several cells (models/learn/experiment/experiment_grid.h), whose seeds are all begun
 * from the cells; start->folder is the folder above theirs. */
int f2l_train_run_cells(f2l_experiment_cell *cell, size_t cells, f2l_cli *cli,
                        const f2l_train_start *start);

/* Gives the work the time to write a checkpoint after the first interruption; a second one ends it
 * at once. */
void f2l_train_keep(f2l_cli *cli);

/* Appends the size: "1.2 GiB", "340 MiB", "12 KiB". */
void f2l_train_bytes_text(f2l_buf *out, size_t bytes);

#endif
