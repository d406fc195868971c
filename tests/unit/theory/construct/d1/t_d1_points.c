#include "tests/support/theory/d1_cases.h"
#include "tests/support/theory/d1_support.h"

/* Replaces the network by the one that holds products point by point. */
static void to_points(fixture *f, size_t householders, const char *what)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_d1_build_points(&f->net, &f->report, &f->fsa, F2L_LABEL_STATES, &f->set,
                                     householders, NULL, &err),
                 F2L_OK, "%s: %s", what, err.text);
}

static f2l_form_verdict verdict_of(const fixture *f, const f2l_format *format)
{
    f2l_form_verdict v;
    f2l_error err = {0};
    cr_assert_eq(f2l_form_points.verify(&v, &f->net, &f->fsa, format, d1_schedule(), NULL, &err),
                 F2L_OK, "%s", err.text);
    return v;
}

static void check_points(const fixture *f, const char *what, uint64_t seed)
{
    f2l_rng rng;
    f2l_form_verdict v = verdict_of(f, NULL);
    cr_expect_eq(v.verdict, F2L_OK, "%s: %s", what, v.reason);
    v = verdict_of(f, f2l_format_find("bf16"));
    cr_expect_eq(v.verdict, F2L_OK, "%s in bf16: %s", what, v.reason);
    f2l_rng_init(&rng, SEED, seed);
    cr_expect_eq(d1_run(&f->net, &f->fsa, f2l_format_find("bf16"), 1000, &rng), 0, "%s", what);
}

/* Groups with one mark and with several, of one orbit and of several. */
Test(d1_points, groups, .timeout = 600)
{
    static const struct {
        const char *kind;
        uint64_t n;
        size_t householders, layers, block;
    } cases[] = {{"symmetric", 3, 1, 4, 2}, {"symmetric", 4, 1, 4, 3}, {"symmetric", 4, 2, 3, 3},
                 {"symmetric", 5, 1, 4, 6}, {"symmetric", 5, 3, 3, 2}, {"alternating", 5, 2, 3, 3},
                 {"cyclic", 12, 1, 4, 6},   {"dihedral", 5, 1, 4, 6},  {"quaternion", 0, 2, 4, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        char what[64];
        snprintf(what, sizeof what, "%s %d, n_h = %zu", cases[i].kind, (int)cases[i].n,
                 cases[i].householders);
        d1_open_family(&f, cases[i].kind, cases[i].n, true, cases[i].householders);
        to_points(&f, cases[i].householders, what);
        cr_expect_eq(f.report.layers, cases[i].layers, "%s: %zu", what, f.report.layers);
        cr_expect_eq(f.report.block, cases[i].block, "%s: %zu", what, f.report.block);
        cr_expect_eq(f.report.householders, cases[i].householders, "%s: %zu", what,
                     f.report.householders);
        check_points(&f, what, i);
        d1_done(&f);
    }
}

/* A changed network that is still verified is right on all joint states. */
Test(d1_points, mutants, .timeout = 600)
{
    size_t refused = 0, kept = 0, found;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 12);
    for (size_t i = 0; i < 400; i++) {
        fixture f;
        d1_open_family(&f, "symmetric", 3, true, 1);
        to_points(&f, 1 + i % 2, "mutant");
        const bool changed = d1_mutate(&f.net, &rng, i % D1_MUTANT_KINDS);
        if (changed && f2l_wired_validate(&f.net, NULL) == F2L_OK) {
            const f2l_form_verdict v = verdict_of(&f, NULL);
            refused += v.verdict != F2L_OK;
            kept += v.verdict == F2L_OK;
            if (v.verdict == F2L_OK)
                cr_expect_eq(d1_joint(&f.net, &f.fsa, NULL, 0, &found), F2L_OK, "mutant %zu", i);
        }
        d1_done(&f);
    }
    cr_expect_gt(refused, 50);
    cr_expect_gt(refused + kept, 200);
}

/* The form of D1.8 is none of D1.12, and conversely. */
Test(d1_points, other_form)
{
    fixture f;
    f2l_form_verdict v;
    d1_open_family(&f, "symmetric", 4, true, 1);
    cr_expect_eq(verdict_of(&f, NULL).verdict, F2L_UNKNOWN);
    to_points(&f, 1, "S_4");
    cr_assert_eq(f2l_form_d1.verify(&v, &f.net, &f.fsa, NULL, NULL, NULL, NULL), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    d1_done(&f);
}
