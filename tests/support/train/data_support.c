#include "tests/support/train/data_support.h"

void data_family(f2l_fsa *out, const char *kind, uint64_t n, bool generators)
{
    f2l_error err = {0};
    f2l_fsa_init(out);
    cr_assert(f2l_family_build(out, kind, &n, strcmp(kind, "parity") != 0, generators, &err) ==
                  F2L_OK,
              "%s", err.text);
}

void data_build(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa)
{
    f2l_error err = {0};
    f2l_data_init(out);
    cr_assert(f2l_data_build(out, options, fsa, &err) == F2L_OK, "%s", err.text);
}

void data_fill(f2l_data_batch *batch, const f2l_data *data, size_t shortest, size_t longest,
               uint64_t step, size_t first, size_t sequences)
{
    f2l_error err = {0};
    cr_assert(f2l_data_batch_fill(batch, data, (f2l_data_range){shortest, longest}, step, first,
                                  sequences, &err) == F2L_OK,
              "%s", err.text);
}

void data_follows(const size_t *count, const double *probability, size_t cells, const char *what)
{
    double total = 0, chi2 = 0, freedom = -1;
    for (size_t i = 0; i < cells; i++) total += (double)count[i];
    for (size_t i = 0; i < cells; i++) {
        const double expected = total * (probability ? probability[i] : 1.0 / (double)cells);
        if (expected == 0) {
            cr_assert(count[i] == 0, "%s: cell %zu cannot come", what, i);
            continue;
        }
        chi2 += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
        freedom++;
    }
    const double a = 2 / (9 * freedom), bound = freedom * pow(1 - a + 3.0902 * sqrt(a), 3);
    cr_assert(chi2 < bound, "%s: chi-square %.1f of %.0f degrees of freedom, bound %.1f", what,
              chi2, freedom, bound);
}
