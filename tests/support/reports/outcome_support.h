/* Outcomes and their reports, for the tests of reports/training. */
#ifndef OUTCOME_SUPPORT_H
#define OUTCOME_SUPPORT_H

#include "reports/training/reproduce_report.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Makes a history of 100 steps and 250 points with two evaluations: position accuracies a, b, c at
 * the lengths 8, 40, 256. */
void history_make(f2l_history *h, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c);

/* Adds the result of a seed: position accuracies a, b, c at the lengths 8, 40, 256. */
void add(f2l_outcome *w, uint32_t seed, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c);

/* Makes an outcome without seeds, of 100 of 1,000 steps. */
void outcome_make(f2l_outcome *w, const char *preset, const char *model,
                  f2l_preset_setting setting);

/* Gives the row the configuration of a config.json, and the hash of its bytes. */
void take_config(f2l_outcome *w, const f2l_buf *text);

/* Gives the row the recipe that its model has in its setting, with a batch that is larger by
 * `more`; and takes away the recipe of a row. */
void take_recipe(f2l_outcome *w, size_t more);
void drop_recipe(f2l_outcome *w);

/* Makes an outcome of four seeds, of which the second diverged and the third was searched. */
void sample(f2l_outcome *w);

/* Sets *out, which is initialised here, to the outcome as its file has it. */
void outcome_text_of(f2l_buf *out, const f2l_outcome *w);

/* Appends the outcome to the list, by way of its file. */
void append(f2l_outcomes *list, const f2l_outcome *w);

/* Set *out, which is initialised here, to the report as text, and as JSON. */
void reproduce_text_of(f2l_buf *out, const f2l_reproduce_report *report);
void reproduce_json_of(f2l_buf *out, const f2l_reproduce_report *report);

/* Checks whether the text contains `what`, wherever its lines are broken. */
void contains(const f2l_buf *text, const char *what, bool wanted);

#endif
