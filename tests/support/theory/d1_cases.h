/* D1 networks of families and texts, for the tests of the construction, its closures and
 * certificates. */
#ifndef D1_CASES_H
#define D1_CASES_H

#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SEED 20261201

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_wired net;
    f2l_d1_report report;
} fixture;

static inline void build(fixture *f, f2l_label label, size_t householders)
{
    f2l_error err = {0};
    f2l_gset_init(&f->set);
    f2l_wired_init(&f->net);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_d1_build(&f->net, &f->report, &f->fsa, label, &f->set, householders, NULL, &err),
        F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_wired_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

static inline void open_family(fixture *f, const char *kind, uint64_t n, bool generators,
                               size_t householders)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s",
                 err.text);
    build(f, F2L_LABEL_STATES, householders);
}

static inline void open_text(fixture *f, const char *text, f2l_label label, size_t householders)
{
    fsa_from_text(&f->fsa, text);
    build(f, label, householders);
}

static inline void done(fixture *f)
{
    f2l_wired_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

static inline void check_verified(const fixture *f, const char *what)
{
    char reason[256];
    cr_assert(d1_verified(&f->net, &f->fsa, 4, reason), "%s: %s", what, reason);
}

#endif
