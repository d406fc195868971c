/* The passes of models/learn/seq/seq.h for double, which models/learn/double.sed makes of the
 * sources for float: for `inspect`, `evaluate --tokens` and tests. */
#ifndef F2L_SEQ_F64_H
#define F2L_SEQ_F64_H

#include "models/learn/seq/seq.h"

struct f2l_seq_watch_f64;
typedef struct f2l_seq_work_f64 f2l_seq_work_f64;

f2l_status f2l_seq_work_new_f64(f2l_seq_work_f64 **work, const f2l_seq *model,
                                const f2l_seq_plan *plan, const f2l_task *task, f2l_error *err);

void f2l_seq_work_free_f64(f2l_seq_work_f64 *work);

void f2l_seq_work_watch_f64(f2l_seq_work_f64 *work, const struct f2l_seq_watch_f64 *watch);

f2l_status f2l_seq_gradient_f64(f2l_seq_score *score, double *gradient, const f2l_seq_batch *batch,
                                const double *parameters, double weight, f2l_seq_work_f64 *work,
                                const f2l_task *task, f2l_error *err);

void f2l_seq_state_start_f64(double *state, size_t sequences, const double *parameters,
                             const f2l_seq *model);

f2l_status f2l_seq_logits_f64(double *logits, double *state, const f2l_seq_batch *batch,
                              const double *parameters, f2l_seq_work_f64 *work, f2l_error *err);

f2l_status f2l_seq_answers_f64(uint32_t *answer, double *state, const f2l_seq_batch *batch,
                               const double *parameters, f2l_seq_work_f64 *work, f2l_error *err);

const double *f2l_seq_layer_array_f64(size_t *width, const f2l_seq_work_f64 *work, size_t layer,
                                      size_t array);

#endif
