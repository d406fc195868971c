#include "tests/support/theory/d1_cases.h"

void d1_build(fixture *f, f2l_label label, size_t householders)
{
    f2l_error err = {0};
    f2l_gset_init(&f->set);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_d1_build(&f->net, &f->report, &f->fsa, label, &f->set, householders, NULL, &err),
        F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_wired_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

void d1_open_family(fixture *f, const char *kind, uint64_t n, bool generators, size_t householders)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s",
                 err.text);
    d1_build(f, F2L_LABEL_STATES, householders);
}

void d1_open_text(fixture *f, const char *text, f2l_label label, size_t householders)
{
    fsa_from_text(&f->fsa, text);
    d1_build(f, label, householders);
}

void d1_done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

void check_verified(const fixture *f, const char *what)
{
    char reason[256];
    cr_assert(d1_verified(&f->net, &f->fsa, 4, reason), "%s: %s", what, reason);
}
