/* Functions that the reports on training share. */
#ifndef F2L_TRAIN_REPORT_IMPL_H
#define F2L_TRAIN_REPORT_IMPL_H

#include "reports/model/shared_facts.h"
#include "reports/training/train_report.h"

/* Appends the model: "delta, 1 layer of width 128, 4 heads of 32 x 32, n_h = 4, eigenvalues in [-1,
 * 1], B = 0, learned H_0, slope 4". */
void f2l_train_model_text(f2l_buf *out, const f2l_seq_config *config);

/* Puts `model_config`, `model_text` and `parameters`. */
void f2l_say_model(f2l_fact in, const f2l_seq *model);

/* Puts `data_text`: "120 states, 120 letters", and any special choice of letters and answers; null
 * for no data. */
void f2l_say_data(f2l_fact in, const f2l_data *data);

/* Puts the list `name` of scores by length. */
void f2l_say_scores(f2l_fact in, const char *name, const f2l_train_score *score, size_t n);

/* Puts `headline`: at the greatest length at which all kinds of words were tested the kind with the
 * least sequence accuracy, and that accuracy; null where only random words were. */
void f2l_say_headline(f2l_fact in, const f2l_train_score *score, size_t n);

/* Appends the table of the kinds of words, of the lengths at which they were tested, and the
 * headline; nothing where only random words were. `rows` are the spreads over the runs; with `runs`
 * 0 the scores of an evaluation. */
void f2l_lay_words(f2l_buf *out, f2l_fact rows, size_t runs);

/* Puts `config`, the content of config.json. */
void f2l_say_config(f2l_fact in, const f2l_experiment *experiment);

#endif
