/* A training run under a command: memory said before, progress and ETA, interruption, and what
 * became of the folder. `train` and `reproduce` share it. */
#ifndef F2L_TRAIN_RUN_H
#define F2L_TRAIN_RUN_H

#include "cli/cli.h"
#include "models/experiment/experiment_seeds.h"

/* Who runs: for provenance.json. */
typedef struct f2l_train_identity {
    const char **argument; /* [arguments] the command, as it was given */
    size_t arguments;
    char date[32], grammar_sha256[65];
} f2l_train_identity;

/* Keeps the command before its arguments are parsed; `name` is that of the command. False when
 * memory is out. */
bool f2l_train_identity_init(f2l_train_identity *identity, const char *name, int argc, char **argv);
void f2l_train_identity_clear(f2l_train_identity *identity);

/* Sets the date and the hash of the experiment's automaton (if it has one), and fills the
 * provenance. */
f2l_status f2l_train_identity_make(f2l_train_provenance *out, f2l_train_identity *identity,
                                   const f2l_experiment *experiment, f2l_error *err);

/* What one run takes. */
typedef struct f2l_train_start {
    f2l_backend backend;
    const char *folder; /* NULL: nothing is written */
    f2l_experiment_begin begin;
    const f2l_train_provenance *provenance;
    const char *title;  /* before the progress: "mamba: "; NULL: nothing */
    const char *resume; /* the command that goes on with it, for the message after an interruption
                         */
} f2l_train_start;

/* Refuses a run that needs more than --memory, or than the machine has left where no limit was
 * given: 0, or the exit status after a message that says the need. */
int f2l_train_check_memory(f2l_cli *cli, const f2l_experiment *experiment, f2l_backend backend);
/* Bytes that this machine has left; 0: not known. */
size_t f2l_train_memory_available(void);

/* Trains. 0, or the exit status after a message that says where the run stands. */
int f2l_train_run_one(f2l_train_result *result, f2l_cli *cli, const f2l_experiment *experiment,
                      const f2l_train_start *start);

/* Trains with `count` seeds, as many at once as there are processors and memory. *seeds is filled
 * as far as the runs came (f2l_experiment_seeds_run). */
int f2l_train_run_seeds(f2l_experiment_seeds *seeds, f2l_cli *cli, const f2l_experiment *experiment,
                        size_t count, const f2l_train_start *start);

/* From now on an interruption leaves the time to write a checkpoint; the next one does not. */
void f2l_train_keep(f2l_cli *cli);

/* "1.2 GiB", "340 MiB", "12 KiB" */
void f2l_train_bytes_text(f2l_buf *out, size_t bytes);

#endif
