/* Shared by the files of f2l_outcome.h. */
#ifndef F2L_OUTCOME_IMPL_H
#define F2L_OUTCOME_IMPL_H

#include "f2l_outcome.h"
#include <jansson.h>

#define F2L_OUTCOME_KIND "reproduce-outcome"

/* "completed", "reached", "diverged"; a run that goes on has no outcome. */
const char *f2l_outcome_end_name(f2l_train_end end);
bool f2l_outcome_end_find(f2l_train_end *end, const char *name);

/* NULL when memory is out. */
json_t *f2l_outcome_json(const f2l_outcome *outcome);

#endif
