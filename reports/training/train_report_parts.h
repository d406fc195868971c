/* What text and JSON of a training run have in common. */
#ifndef F2L_TRAIN_REPORT_IMPL_H
#define F2L_TRAIN_REPORT_IMPL_H

#include "reports/training/train_report.h"

typedef enum f2l_train_measure {
    F2L_MEASURE_SEQUENCE, /* sequences that are right at every answer */
    F2L_MEASURE_SCALED,   /* (accuracy - chance) / (1 - chance) */
    F2L_MEASURE_ACCURACY  /* answers that are right */
} f2l_train_measure;

/* Whether the run reached its end and was evaluated there: only such runs count. */
bool f2l_train_has_ended(const f2l_train_report *r, size_t run);

/* Of the i-th evaluation length, over the runs that ended; count 0: none did. */
f2l_status f2l_train_report_spread(f2l_train_spread *out, const f2l_train_report *r, size_t i,
                                   f2l_train_measure measure, f2l_error *err);

/* "completed", "reached", "diverged", "interrupted" */
const char *f2l_train_end_name(f2l_train_end end);

/* The network is right at every length, exactly: by proof. */
bool f2l_train_is_proved(const f2l_train_report *r);

/* "delta, 1 layer of width 128, 4 heads of 32 x 32, n_h = 4, eigenvalues in [-1, 1], B = 0, learned
 * H_0, slope 4" */
void f2l_train_model_text(f2l_buf *out, const f2l_seq_config *config);

/* "120 states, 120 letters" and what is special about the letters and answers. */
void f2l_train_data_text(f2l_buf *out, const f2l_data *data);

#endif
