/* What the trainees of all backends do alike. */
#ifndef F2L_SEQ_TRAINEE_IMPL_H
#define F2L_SEQ_TRAINEE_IMPL_H

#include "models/train/seq_trainee.h"

/* What cannot be trained is refused; the curriculum of *options begins. */
f2l_status f2l_seq_trainee_check(f2l_seq_trainee_options *options, const f2l_seq *model,
                                 const f2l_data *train, const f2l_data *test, f2l_error *err);

/* The lengths of the next step, from what a checkpoint may have brought. */
f2l_status f2l_seq_trainee_range(f2l_data_range *range, f2l_seq_trainee_options *options,
                                 const uint64_t state[2], const f2l_data *train, f2l_error *err);

/* What a step says, and what it makes of the curriculum. */
void f2l_seq_trainee_report(f2l_train_batch *out, uint64_t state[2], f2l_seq_trainee_options *options,
                            const f2l_seq_score *score, const f2l_data_batch *batch, const f2l_data *train);

/* Writes weights.safetensors. */
f2l_status f2l_seq_trainee_write(const char *path, const f2l_seq *model, const float *parameter,
                                 f2l_error *err);

#endif
