/* The work behind `reproduce`: models x rates x seeds in a folder. A cell is a model with a rate;
 * the cells of a model are consecutive. */
#ifndef F2L_REPRODUCE_JOB_H
#define F2L_REPRODUCE_JOB_H

#include "cli/reproduce/reproduce_folder.h"
#include "cli/train/train_run.h"
#include "reports/training/outcome.h"

#define F2L_REPRODUCE_SETS 4 /* test sets of a language */

typedef struct f2l_reproduce_job {
    f2l_cli *cli;
    f2l_reproduce_request request;
    f2l_train_identity identity;
    double checkpoint_seconds; /* below 0: not given */
    const char *folder;
    f2l_word_list words, test;             /* of the request; empty: none */
    f2l_word_list set[F2L_REPRODUCE_SETS]; /* of words of one language; empty: other data */
    char constructed[160]; /* the network that is constructed for the language; "": none */
    f2l_reproduce_begin begin;
    const char *recipe; /* the only recipe to train, as f2l_preset_recipe_hash has it; NULL: any */
    uint64_t search;    /* letters that may be read in the search for a short failing word of each
                         * run, F2L_FAILING_USUAL perhaps (theory/beside/compare/failing.h) */
    unsigned gpus;      /* devices over which the runs are spread; 0: not given */
} f2l_reproduce_job;

/* Trains the cells without an outcome, writes outcomes into the folder and appends all of them to
 * the list. Returns 0, or the exit status after the message. */
int f2l_reproduce_job_run(f2l_reproduce_job *job, f2l_outcomes *list);

/* Prints the planned runs, with parameters, memory and steps. */
int f2l_reproduce_job_plan(f2l_reproduce_job *job);

/* Prints one line of JSON for each run, model x rate x seed, with the command that makes it
 * (cli/reproduce/reproduce_runs.c). */
int f2l_reproduce_job_list(f2l_reproduce_job *job);

/* --- between the files of the job --- */

/* Returns the number of cells. */
size_t f2l_reproduce_cells(const f2l_reproduce_job *job);

/* Returns the model of a cell. */
const f2l_preset_model *f2l_reproduce_model(const f2l_reproduce_job *job, size_t cell);

/* Builds the experiment of a cell; *run is initialised here. */
f2l_status f2l_reproduce_build(f2l_preset_run *run, const f2l_reproduce_job *job, size_t cell,
                               f2l_error *err);

/* Appends the folder of a cell, DIR/MODEL or DIR/MODEL-rate-R. */
f2l_status f2l_reproduce_folder(f2l_buf *path, const f2l_reproduce_job *job, size_t cell,
                                f2l_error *err);

/* Appends the folder of a seed of the cell, in which its run leaves its log and its weights. */
f2l_status f2l_reproduce_seed_folder(f2l_buf *folder, const f2l_reproduce_job *job, size_t cell,
                                     uint32_t seed, f2l_error *err);

/* Appends the path of the outcome of a cell. */
f2l_status f2l_reproduce_outcome_path(f2l_buf *path, const f2l_reproduce_job *job, size_t cell,
                                      f2l_error *err);

/* Where the words of the request are drawn from a language: draws its test sets, and constructs its
 * network. */
f2l_status f2l_reproduce_language_open(f2l_reproduce_job *job, f2l_error *err);

/* Trains `cells` cells, given by their numbers, and writes the outcome of each at every evaluation.
 * Returns 0, or the exit status after the message. */
int f2l_reproduce_train(f2l_reproduce_job *job, const size_t *cell, size_t cells);

/* --- the languages of a folder (cli/reproduce/reproduce_languages.c) --- */

typedef struct f2l_reproduce_languages {
    char **path; /* [count] owned, in the order of their names */
    size_t count, room;
} f2l_reproduce_languages;

/* Lists the files of the folder, without those that are hidden and without its folders; *out is all
 * zero. F2L_EDOMAIN: there are none. */
f2l_status f2l_reproduce_languages_list(f2l_reproduce_languages *out, const char *folder,
                                        f2l_error *err);
void f2l_reproduce_languages_clear(f2l_reproduce_languages *languages);

/* Makes the folder OUT, if it is not there, and sets *path (owned by the caller) to the folder of
 * the language in it, OUT/NAME without its ending. */
f2l_status f2l_reproduce_languages_out(char **path, const char *out, const char *language,
                                       f2l_error *err);

#endif
