/* A training run: the folder of `train`. */
#ifndef F2L_RUN_PART_H
#define F2L_RUN_PART_H

#include "reports/html/record.h"
#include "reports/page/chart.h"

/* Appends the part of the folder, whose config.json is `config`. */
f2l_status f2l_run_part(f2l_page *page, const char *folder, const json_t *config, f2l_error *err);

/* Adds a list of scores, by its name in a record, as a curve of sequence accuracies by length.
 * Returns false when there are too many curves. */
bool f2l_chart_scores(f2l_chart *chart, const char *name, bool dashed, const json_t *in,
                      const char *list);

/* Adds the accuracies on sink-free and on periodic words in the same way, where there are any. */
void f2l_chart_kinds(f2l_chart *chart, const json_t *in, const char *list);

/* Adds the sequence accuracies of the last evaluation of a log as a curve; does nothing when there
 * is none. */
void f2l_run_accuracy(f2l_chart *chart, const char *name, const json_t *log);

#endif
