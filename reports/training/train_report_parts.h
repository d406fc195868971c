/* Functions that the text and the JSON of a training run share. */
#ifndef F2L_TRAIN_REPORT_IMPL_H
#define F2L_TRAIN_REPORT_IMPL_H

#include "reports/training/train_report.h"

typedef enum f2l_train_measure {
    F2L_MEASURE_SEQUENCE, /* fraction of sequences with all answers right */
    F2L_MEASURE_SCALED,   /* (accuracy - chance) / (1 - chance) */
    F2L_MEASURE_ACCURACY  /* fraction of right answers */
} f2l_train_measure;

/* Returns whether the run reached its end and was evaluated there: only such runs count. */
bool f2l_train_has_ended(const f2l_train_report *r, size_t run);

/* Computes the spread of the measure at the i-th evaluation length over the runs that ended; count
 * 0: no run ended. */
f2l_status f2l_train_report_spread(f2l_train_spread *out, const f2l_train_report *r, size_t i,
                                   f2l_train_measure measure, f2l_error *err);

/* Returns "completed", "reached", "diverged" or "interrupted". */
const char *f2l_train_end_name(f2l_train_end end);

/* Returns true when the constructed network is proved right at every length in exact arithmetic. */
bool f2l_train_is_proved(const f2l_train_report *r);

/* Appends the model: "delta, 1 layer of width 128, 4 heads of 32 x 32, n_h = 4, eigenvalues in [-1,
 * 1], B = 0, learned H_0, slope 4". */
void f2l_train_model_text(f2l_buf *out, const f2l_seq_config *config);

/* Appends the data: "120 states, 120 letters", and any special choice of letters and answers. */
void f2l_train_data_text(f2l_buf *out, const f2l_data *data);

#endif
