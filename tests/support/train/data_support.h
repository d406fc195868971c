/* Training data in tests: automata of families, chi-square bounds, and building that must
 * succeed. */
#ifndef TESTS_DATA_SUPPORT_H
#define TESTS_DATA_SUPPORT_H

#include "automata/family/family.h"
#include "models/learn/data/data.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

void data_family(f2l_fsa *out, const char *kind, uint64_t n, bool generators);

void data_build(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa);

void data_fill(f2l_data_batch *batch, const f2l_data *data, size_t shortest, size_t longest,
               uint64_t step, size_t first, size_t sequences);

/* Checks that the counts follow the probabilities: chi-square below its 0.999 quantile (Wilson and
 * Hilferty's approximation). Cells of probability 0 must be empty. All seeds are fixed, so that the
 * outcome never changes. */
void data_follows(const size_t *count, const double *probability, size_t cells, const char *what);

#endif
