#include "tests/support/theory/pareto_support.h"

void open_listed(fixture *f, const char *kind, uint64_t number)
{
    open_family(f, kind, number, false);
    f->options.float_rows = 500;
}

void list(fixture *f)
{
    f->options.all = true;
    cr_assert_eq(compile(f, NULL), F2L_OK, "%s", f->err.text);
    f->options.all = false;
}

unsigned formats_of(const f2l_compile_entry *e)
{
    unsigned mask = 0;
    for (size_t i = 0; i < e->formats; i++)
        if (e->format[i].verdict == F2L_OK) mask |= 1u << (e->format[i].format - f2l_formats);
    return mask;
}

size_t bf16_level(const f2l_compile_entry *e)
{
    return !(formats_of(e) & 1u) ? 2 : e->unrounded ? 0 : 1;
}

bool comes_late(const f2l_compile_entry *e)
{
    return e->ask && strcmp(e->ask, "--target one-reflection") != 0 &&
           strcmp(e->ask, "--target diagonal-positive") != 0;
}

int order(const f2l_compile_entry *a, const f2l_compile_entry *b)
{
    const size_t x[] = {
        a->exact != F2L_OK,           comes_late(a),     bf16_level(a),           a->figures.layers,
        a->figures.factors_per_token, a->figures.states, a->figures.table_entries};
    const size_t y[] = {
        b->exact != F2L_OK,           comes_late(b),     bf16_level(b),           b->figures.layers,
        b->figures.factors_per_token, b->figures.states, b->figures.table_entries};
    for (size_t i = 0; i < 7; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

bool figures_within(const f2l_compile_entry *e, const f2l_compile_bounds *b)
{
    return !(b->layers && e->figures.layers > b->layers) &&
           !(b->householders && e->figures.householders > b->householders) &&
           !(b->key_dim && e->figures.key_dim > b->key_dim);
}

const f2l_compile_entry *best_within(const f2l_compile_result *listed, const f2l_compile_bounds *b,
                                     bool *open)
{
    const f2l_compile_entry *best = NULL;
    *open = false;
    for (size_t k = 0; k < listed->entries; k++) {
        const f2l_compile_entry *e = &listed->entry[k];
        f2l_status verdict = e->outcome == F2L_COMPILE_BUILT     ? F2L_OK
                             : e->outcome == F2L_COMPILE_STOPPED ? F2L_UNKNOWN
                                                                 : F2L_EDOMAIN;
        if (!figures_within(e, b)) continue;
        for (size_t j = 0; verdict == F2L_OK && b->exact_in[0] && j < e->formats; j++)
            if (e->format[j].format == b->exact_in[0]) verdict = e->format[j].verdict;
        *open = *open || verdict == F2L_UNKNOWN;
        if (verdict == F2L_OK && (!best || order(e, best) < 0)) best = e;
    }
    return best;
}
