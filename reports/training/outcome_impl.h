/* Shared by the files of reports/training/outcome.h. */
#ifndef F2L_OUTCOME_IMPL_H
#define F2L_OUTCOME_IMPL_H

#include "reports/training/outcome.h"
#include <jansson.h>

#define F2L_OUTCOME_KIND "reproduce-outcome"

/* "completed", "reached", "diverged"; a run that goes on has no outcome. */
const char *f2l_outcome_end_name(f2l_train_end end);
bool f2l_outcome_end_find(f2l_train_end *end, const char *name);

/* NULL when memory is out. */
json_t *f2l_outcome_json(const f2l_outcome *outcome);

/* Leaves the first `rows`. */
void f2l_outcomes_cut(f2l_outcomes *list, size_t rows);

/* The published measure of a score; its mean over the lengths from 40 to 256, or over all: false when there is no such length. */
double f2l_outcome_value(const f2l_outcome *outcome, const f2l_outcome_score *score);
bool f2l_outcome_mean(double *mean, const f2l_outcome *outcome, const f2l_outcome_seed *seed, bool all);

#endif
