/* The report of `starts`: runs of one recipe from a constructed network, from its weights with
 * noise, and from random weights. */
#ifndef F2L_STARTS_REPORT_H
#define F2L_STARTS_REPORT_H

#include "models/learn/experiment/experiment_history.h"
#include "reports/training/train_report.h"

#define F2L_STARTS_RIGHT 0.99 /* of the sequences: the accuracy that counts as right */

typedef enum f2l_start_kind {
    F2L_START_EXACT,
    F2L_START_PERTURBED,
    F2L_START_RANDOM
} f2l_start_kind;

/* One run. */
typedef struct f2l_start_run {
    f2l_start_kind kind;
    double logit; /* of the betas; NAN: random */
    double noise; /* of perturbed starts, relative to the root mean square of each tensor; else 0 */
    uint32_t seed;
    f2l_history history; /* owned */
} f2l_start_run;

/* All pointers are borrowed. */
typedef struct f2l_starts_report {
    f2l_train_report train; /* source, experiment, constructed, ..; no runs */
    size_t length; /* letters of the longest words in training, at which runs are evaluated */
    const f2l_start_run *run; /* [runs] */
    size_t runs;
    const char *figure; /* NULL: none was drawn */
} f2l_starts_report;

/* Returns "exact", "perturbed" or "random". */
const char *f2l_start_name(f2l_start_kind kind);

/* Appends "exact, logit 16", "noise 0.1, logit 4" or "random". */
void f2l_start_title(f2l_buf *out, const f2l_start_run *run);

/* Returns the first of the runs that differ from this run in their seeds only. */
size_t f2l_starts_first(const f2l_starts_report *report, size_t run);

/* Sets *steps to the steps before the first evaluation that is right; false when there is none. */
bool f2l_start_steps_to_right(uint64_t *steps, const f2l_start_run *run);

/* Sets *steps to the steps before the evaluation from which on all are right; false when the last
 * one is not. */
bool f2l_start_steps_to_steady(uint64_t *steps, const f2l_start_run *run);

/* Returns "stays" (every evaluation is right), "returns" (some is not, the last one is), or
 * "leaves" (the last one is not); for a random start "learns" or "does not learn". */
const char *f2l_start_stability(const f2l_start_run *run);

extern const f2l_report_kind f2l_starts_report_kind;

#endif
