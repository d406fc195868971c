/* Outcomes for the tests of reports/training/outcome.h. */
#ifndef OUTCOME_SUPPORT_H
#define OUTCOME_SUPPORT_H

#include "reports/training/outcome.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Makes a history of 100 steps and 250 points with two evaluations: position accuracies a, b, c at
 * the lengths 8, 40, 256. */
void history_make(f2l_history *h, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c);

/* Adds the result of a seed: position accuracies a, b, c at the lengths 8, 40, 256. */
void add(f2l_outcome *w, uint32_t seed, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c);

void outcome_make(f2l_outcome *w, const char *preset, const char *model,
                  f2l_preset_setting setting);

void sample(f2l_outcome *w);

void outcome_text_of(f2l_buf *out, const f2l_outcome *w);

void append(f2l_outcomes *list, const f2l_outcome *w);

/* Checks whether the text contains `what`, wherever its lines are broken. */
void contains(const f2l_buf *text, const char *what, bool wanted);

#endif
