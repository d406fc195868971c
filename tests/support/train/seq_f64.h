/* What only tests have of models/learn/seq/seq.h for double: first weights. */
#ifndef TESTS_SEQ_F64_H
#define TESTS_SEQ_F64_H

#include "models/learn/seq/seq_f64.h"

void f2l_seq_start_f64(double *parameters, const f2l_seq *model, uint64_t seed);
void f2l_seq_perturb_f64(double *parameters, const f2l_seq *model, double noise, uint64_t seed);

#endif
