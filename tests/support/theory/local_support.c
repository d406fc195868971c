#include "tests/support/theory/local_support.h"

void local_build(local_fixture *f, f2l_cascade_kind kind, f2l_label label, bool gated)
{
    f->err = (f2l_error){0};
    f->report = (f2l_t4_report){0};
    f2l_net_init(&f->net);
    f2l_local_init(&f->local);
    cr_assert_eq(f2l_cascade_build(&f->cascade, &f->fsa, kind, 0, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
    cr_assert_eq(
        f2l_t4_build(&f->net, &f->report, &f->cascade, &f->fsa, label, gated, NULL, &f->err),
        F2L_OK, "%s", f->err.text);
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, f->net.fsa_sha256, &f->err), F2L_OK);
}

void local_family(f2l_fsa *fsa, const char *kind, size_t numbers, uint64_t a, uint64_t b,
                  uint64_t c)
{
    const uint64_t number[] = {a, b, c};
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, number, numbers, false, &err), F2L_OK, "%s", err.text);
}

f2l_status local_exact_within(local_fixture *f, size_t max_pairs, const f2l_task *task)
{
    return f2l_local_exact(&f->local, &f->net, &f->cascade, f->report.layers,
                           (f2l_local_reading){0}, &f->fsa, max_pairs, task, &f->err);
}

f2l_status local_exact(local_fixture *f)
{
    return local_exact_within(f, 0, NULL);
}

f2l_status local_in(local_fixture *f, const char *format)
{
    return f2l_local_float(&f->local, &f->net, &f->cascade, f->report.layers,
                           (f2l_local_reading){0}, &f->fsa, f2l_format_find(format),
                           f2l_schedule_find("every"), 0, NULL, &f->err);
}

void local_clear(local_fixture *f)
{
    f2l_local_clear(&f->local);
    f2l_net_clear(&f->net);
    f2l_t4_report_clear(&f->report);
    f2l_cascade_clear(&f->cascade);
    f2l_fsa_clear(&f->fsa);
}

uint32_t local_context(const f2l_level *level, uint32_t letter, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context *x = &level->context[i];
        if (x->letter == letter && x->from == from && x->to == to) return (uint32_t)i;
    }
    return F2L_NO_SYMBOL;
}
