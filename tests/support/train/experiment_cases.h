/* Experiments on S_3 and on expressions, written and parsed again. */
#ifndef EXPERIMENT_CASES_H
#define EXPERIMENT_CASES_H

#include "tests/support/train/experiment_support.h"

static const double other_weight[] = {1, 2, 3, 4, 5, 0.1};

f2l_status parse(f2l_experiment_file *file, const f2l_buf *config, const f2l_fsa *fsa,
                 f2l_error *err);

/* Makes an experiment on S_3, or on expressions without brackets. */
void base(experiment_case *c, bool expressions);

#endif
