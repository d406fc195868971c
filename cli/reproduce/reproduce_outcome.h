/* The outcomes of `reproduce`: a file for each cell, and what the weights of runs that have ended
 * say. */
#ifndef F2L_REPRODUCE_OUTCOME_H
#define F2L_REPRODUCE_OUTCOME_H

#include "cli/reproduce/reproduce_job.h"

/* --- the file (cli/reproduce/reproduce_outcome.c) --- */

#define F2L_REPRODUCE_COMMIT 40 /* bytes of the name of a commit, its NUL included */

/* Sets the commit of the program that began the runs of a cell's folder; "" when it is this
 * program's, or not known. */
void f2l_reproduce_begun_by(char commit[F2L_REPRODUCE_COMMIT], const char *folder);

/* Reads the outcome of a cell into the empty list, where the folder has one. */
f2l_status f2l_reproduce_outcome_read(f2l_outcomes *list, const f2l_reproduce_job *job, size_t cell,
                                      f2l_error *err);

/* Makes the outcome of a cell from the logs of its seeds, as far as they have come; *out is empty,
 * and has no seeds when none has begun. `before` is as of f2l_reproduce_record; stopped: seeds that
 * have not ended do not go on. */
f2l_status f2l_reproduce_outcome_make(f2l_outcome *out, const f2l_reproduce_job *job, size_t cell,
                                      const f2l_preset_run *run, const f2l_experiment_seeds *seeds,
                                      const f2l_outcome *before, bool stopped, f2l_error *err);

/* Writes the file of an outcome. */
f2l_status f2l_reproduce_outcome_write(const f2l_outcome *outcome, const f2l_reproduce_job *job,
                                       size_t cell, f2l_error *err);

/* --- what weights say (cli/reproduce/reproduce_search.c, reproduce_language.c) --- */

/* Returns whether a search with the job's budget is not wanted, or adds nothing to what was found
 * before. */
bool f2l_reproduce_is_searched(const f2l_outcome_failing *found, const f2l_reproduce_job *job);

/* Searches for a short failing word of the network whose weights are in the folder of its run, and
 * joins what is found to what was known of the same weights. F2L_UNKNOWN: time, memory or a signal
 * cut the search short, which is none then, and *known is unchanged: budgets are to be equal. A
 * search for which tables do not fit into the memory is recorded as far as it came. */
f2l_status f2l_reproduce_search(f2l_outcome_failing *known, const f2l_reproduce_job *job,
                                const f2l_experiment *experiment, const char *folder,
                                f2l_error *err);

/* Sets the accuracies on the test sets of the network whose weights are in the folder of its run;
 * nothing where the words are not drawn from a language. */
f2l_status f2l_reproduce_test(f2l_outcome_seed *out, const f2l_reproduce_job *job,
                              const f2l_experiment *experiment, const char *folder, f2l_error *err);

/* --- both (cli/reproduce/reproduce_record.c) --- */

/* How far the runs of a cell have come. */
typedef enum f2l_reproduce_stage {
    F2L_REPRODUCE_GOES_ON,
    F2L_REPRODUCE_STOPPED, /* seeds that have not ended were stopped, and do not go on */
    F2L_REPRODUCE_ENDED    /* all have ended: a short failing word of each is searched */
} f2l_reproduce_stage;

/* Writes the outcome of a cell from the logs of its seeds, as far as they have come; nothing when
 * no seed has begun. Where a search of runs that have ended is cut short (F2L_UNKNOWN), what was
 * found of the other seeds is written all the same. `before` is the outcome that the folder had
 * when this process took it up, which knows with what the seeds were trained until then; NULL:
 * there was none. */
f2l_status f2l_reproduce_record(const f2l_reproduce_job *job, size_t cell,
                                const f2l_preset_run *run, const f2l_experiment_seeds *seeds,
                                const f2l_outcome *before, f2l_reproduce_stage stage,
                                f2l_error *err);

#endif
