#include "tests/support/theory/diagonal_support.h"

void diagonal_open(diagonal_fixture *f)
{
    size_t dropped;
    f->err = (f2l_error){0};
    f->report = (f2l_t4_report){0};
    f2l_net_init(&f->net);
    f2l_diagonal_init(&f->how);
    f2l_local_init(&f->local);
    cr_assert_eq(f2l_fsa_trim(&f->fsa, &dropped, &f->err), F2L_OK);
    cr_assert_eq(f2l_cascade_build(&f->cascade, &f->fsa, F2L_CASCADE_HOLONOMY, 0, NULL, &f->err),
                 F2L_OK, "%s", f->err.text);
    cr_assert_eq(f2l_components_find(&f->groups, &f->cascade, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
}

void diagonal_family(diagonal_fixture *f, const char *kind, size_t numbers, uint64_t a, uint64_t b)
{
    const uint64_t number[] = {a, b};
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, number, numbers, false, &err), F2L_OK, "%s",
                 err.text);
    diagonal_open(f);
}

f2l_status diagonal_build(diagonal_fixture *f, f2l_diagonal_target target)
{
    return f2l_diagonal_build(&f->net, &f->how, &f->report, &f->cascade, &f->groups, &f->fsa,
                              F2L_LABEL_STATES, target, NULL, &f->err);
}

void diagonal_close(diagonal_fixture *f)
{
    const f2l_local_reading reading = {f2l_diagonal_coordinate, &f->how, NULL};
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, f->net.fsa_sha256, &f->err), F2L_OK);
    cr_assert_eq(f2l_net_validate(&f->net, &f->err), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f2l_local_exact(&f->local, &f->net, &f->cascade, f->report.layers, reading,
                                 &f->fsa, 0, NULL, &f->err),
                 F2L_OK, "%s", f->err.text);
}

void diagonal_clear(diagonal_fixture *f)
{
    f2l_local_clear(&f->local);
    f2l_net_clear(&f->net);
    f2l_diagonal_clear(&f->how);
    f2l_t4_report_clear(&f->report);
    f2l_components_clear(&f->groups);
    f2l_cascade_clear(&f->cascade);
    f2l_fsa_clear(&f->fsa);
}
