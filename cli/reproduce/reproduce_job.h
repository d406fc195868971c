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

/* Builds the experiment of a cell; *run is initialised here. */
f2l_status f2l_reproduce_build(f2l_preset_run *run, const f2l_reproduce_job *job, size_t cell,
                               f2l_error *err);

/* Append the folder of a cell, DIR/MODEL or DIR/MODEL-rate-R, and the path of its outcome. */
f2l_status f2l_reproduce_folder(f2l_buf *path, const f2l_reproduce_job *job, size_t cell,
                                f2l_error *err);
f2l_status f2l_reproduce_outcome(f2l_buf *path, const f2l_reproduce_job *job, size_t cell,
                                 f2l_error *err);

#define F2L_REPRODUCE_COMMIT 40 /* bytes of the name of a commit, its NUL included */

/* Sets the commit of the program that began the runs of a cell's folder; "" when it is this
 * program's, or not known. */
void f2l_reproduce_begun_by(char commit[F2L_REPRODUCE_COMMIT], const char *folder);

/* How far the runs of a cell have come. */
typedef enum f2l_reproduce_stage {
    F2L_REPRODUCE_GOES_ON,
    F2L_REPRODUCE_STOPPED, /* seeds that have not ended were stopped, and do not go on */
    F2L_REPRODUCE_ENDED    /* all have ended: a short failing word of each is searched */
} f2l_reproduce_stage;

/* Writes the outcome of a cell from the logs of its seeds, as far as they have come; nothing when
 * no seed has begun. */
f2l_status f2l_reproduce_write(const f2l_reproduce_job *job, size_t cell, const f2l_preset_run *run,
                               const f2l_experiment_seeds *seeds, f2l_reproduce_stage stage,
                               f2l_error *err);

/* Searches for a short failing word of the network whose weights are in the folder of its run. A
 * search that is cut short by a limit is none: budgets are to be equal. */
f2l_status f2l_reproduce_search(f2l_outcome_failing *out, const f2l_reproduce_job *job,
                                const f2l_experiment *experiment, const char *folder,
                                f2l_error *err);

/* Where the words of the request are drawn from a language: draws its test sets, and constructs its
 * network. */
f2l_status f2l_reproduce_language_open(f2l_reproduce_job *job, f2l_error *err);

/* Sets the accuracies on the test sets of the network whose weights are in the folder of its run;
 * nothing where the words are not drawn from a language. */
f2l_status f2l_reproduce_test(f2l_outcome_seed *out, const f2l_reproduce_job *job,
                              const f2l_experiment *experiment, const char *folder, f2l_error *err);

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
