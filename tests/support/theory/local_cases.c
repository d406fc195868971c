#include "tests/support/theory/local_cases.h"

uint32_t child(const f2l_cascade *c, uint32_t set, size_t level, uint32_t coordinate)
{
    if (c->lambda[set] != level) return set;
    cr_assert_lt(coordinate, c->cover_count[set]);
    return c->cover[c->cover_at[set] + coordinate];
}

void check_formats(local_fixture *f)
{
    static const char *const format[] = {"bf16", "fp16", "fp32", "fp64"};
    const size_t pairs = f->local.pairs;
    for (size_t i = 0; i < (f->report.delays ? 4 : 2); i++) {
        cr_assert_eq(local_in(f, format[i]), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s: %s", format[i], f->local.reason);
        /* Keys and writes are dyadic, so that nothing is ever rounded. */
        cr_assert_eq(f->local.pairs, pairs);
        cr_assert_null(f->local.level);
    }
}

f2l_status joint_verdict(const local_fixture *f)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &f->net, &f->fsa, 300000, NULL, NULL), F2L_OK);
    const f2l_status verdict = closure.verdict;
    f2l_closure_clear(&closure);
    return verdict;
}

void open_t3(local_fixture *f)
{
    local_family(&f->fsa, "transformations", 1, 3, 0, 0);
    local_build(f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(f->net.layers, 2);
}
