/* Networks by blocks: sizes, runs beside the automaton, verdicts, joint closures, single changes,
 * and what is refused. */
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"
#include "theory/construct/blocks/blocks.h"
#include <criterion/criterion.h>
#include <signal.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SEED 20270112

typedef struct fixture {
    f2l_fsa fsa;
    f2l_cascade cascade;
    f2l_net net;
    f2l_blocks_report report;
} fixture;

static void build(fixture *f, size_t householders)
{
    f2l_error err = {0};
    f2l_cascade other;
    f2l_cascade_init(&f->cascade);
    f2l_cascade_init(&other);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_cascade_build_smaller(&f->cascade, &other, NULL, &f->fsa, 0, NULL, &err),
                 F2L_OK, "%s", err.text);
    f2l_cascade_clear(&other);
    cr_assert_eq(f2l_blocks_build(&f->net, &f->report, &f->cascade, F2L_LABEL_STATES, householders,
                                  NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_wired_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

static void open_family(fixture *f, const char *kind, uint64_t n, size_t householders)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, strcmp(kind, "symmetric") == 0, &err),
                 F2L_OK, "%s", err.text);
    build(f, householders);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_cascade_clear(&f->cascade);
    f2l_fsa_clear(&f->fsa);
}

/* Makes an automaton of n states whose first letter is an n-cycle, so that all are reached, and
 * whose other letters are random maps. */
static void random_fsa(f2l_fsa *fsa, size_t n, size_t letters, f2l_rng *rng)
{
    char text[8000];
    size_t at = (size_t)sprintf(text, "fsa 1\nstates");
    for (size_t q = 0; q < n; q++) at += (size_t)sprintf(text + at, " q%zu", q);
    at += (size_t)sprintf(text + at, "\nstart q0\nletters");
    for (size_t a = 0; a < letters; a++) at += (size_t)sprintf(text + at, " a%zu", a);
    at += (size_t)sprintf(text + at, "\n");
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < letters; a++)
            at += (size_t)sprintf(text + at, "q%zu a%zu q%zu\n", q, a,
                                  a ? (size_t)f2l_rng_below(rng, n) : (q + 1) % n);
    fsa_from_text(fsa, text);
}

static bool verified(const fixture *f, const char *format)
{
    f2l_form_verdict v;
    cr_assert_eq(f2l_form_blocks.verify(&v, &f->net, &f->fsa,
                                        format ? f2l_format_find(format) : NULL, d1_schedule(),
                                        NULL, NULL),
                 F2L_OK);
    return v.verdict == F2L_OK;
}

static size_t levels_with_factors(const fixture *f)
{
    f2l_net_size size;
    f2l_net_measure(&size, &f->net);
    return size.householders;
}

/* The families of L.10: layers, and the factors that are allowed. */
Test(blocks, families)
{
    static const struct {
        const char *kind;
        uint64_t n;
        size_t householders, layers;
    } cases[] = {{"transformations", 3, 1, 6},  {"transformations", 4, 1, 8},
                 {"transformations", 5, 1, 10}, {"transformations", 5, 2, 9},
                 {"transformations", 5, 3, 9},  {"symmetric", 4, 1, 0},
                 {"elevator", 9, 1, 0},         {"parity", 0, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, i);
        open_family(&f, cases[i].kind, cases[i].n, cases[i].householders);
        if (cases[i].layers)
            cr_expect_eq(f.report.clock_layers + 2 * f.report.levels, cases[i].layers, "%s",
                         cases[i].kind);
        cr_expect_eq(f.net.stages, f.report.clock_layers + 2 * f.report.levels);
        cr_expect(levels_with_factors(&f) <= cases[i].householders, "%s", cases[i].kind);
        cr_expect(f.report.factors <= cases[i].householders * f.report.block);
        cr_expect(verified(&f, NULL), "%s %d", cases[i].kind, (int)cases[i].n);
        cr_expect(verified(&f, "bf16") && verified(&f, "e4m3"), "%s", cases[i].kind);
        cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 3000, &rng), 0);
        done(&f);
    }
}

/* Random automata, in exact arithmetic and rounded. */
Test(blocks, random_automata)
{
    const size_t count = getenv("F2L_TEST_SHORT") ? 10 : 40;
    for (size_t i = 0; i < count; i++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 100 + i);
        random_fsa(&f.fsa, 2 + i % 5, 1 + i % 3, &rng);
        build(&f, 1 + i % 2);
        cr_expect(verified(&f, NULL) && verified(&f, "fp32"), "number %zu", i);
        cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 1000, &rng), 0, "number %zu",
                     i);
        done(&f);
    }
}

/* The joint closure is a second proof where it is small. */
Test(blocks, joint_states)
{
    static const char *const text_of_fsa[] = {
        "fsa 1\nstates p q\nstart p\nletters s\np s q\nq s p\n",
        "fsa 1\nstates p q\nstart p\nletters s r\np s q\nq s p\np r p\nq r p\n",
        "fsa 1\nstates p q t\nstart p\nletters a\np a q\nq a t\nt a q\n"};
    for (size_t i = 0; i < sizeof text_of_fsa / sizeof *text_of_fsa; i++) {
        fixture f;
        size_t found = 0;
        fsa_from_text(&f.fsa, text_of_fsa[i]);
        build(&f, 1);
        cr_expect(verified(&f, NULL));
        cr_expect_eq(d1_joint(&f.net, &f.fsa, NULL, 200000, &found), F2L_OK, "number %zu", i);
        cr_expect(found > 1);
        done(&f);
    }
}

/* No single change makes a network wrong and leaves it verified: the joint closure of a small
 * network is the judge. */
Test(blocks, single_changes)
{
    const size_t count = getenv("F2L_TEST_SHORT") ? 200 : 2000;
    size_t still = 0, refused = 0;
    for (size_t i = 0; i < count; i++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 10000 + i);
        fsa_from_text(&f.fsa, i % 2 ? "fsa 1\nstates p q\nstart p\nletters s r\np s q\nq s p\n"
                                      "p r p\nq r p\n"
                                    : "fsa 1\nstates p q t\nstart p\nletters a b\np a q\nq a t\n"
                                      "t a q\np b t\nq b t\nt b q\n");
        build(&f, 1);
        const bool differs = d1_mutate(&f.net, &rng, i / 2 % D1_MUTANT_KINDS);
        if (differs && f2l_wired_validate(&f.net, NULL) == F2L_OK) {
            const bool right = verified(&f, NULL);
            if (right) cr_assert_neq(d1_joint(&f.net, &f.fsa, NULL, 20000, NULL), F2L_REFUTED);
            if (right) cr_assert_eq(d1_run(&f.net, &f.fsa, NULL, 300, &rng), 0, "number %zu", i);
            still += right;
            refused += !right;
        }
        done(&f);
    }
    cr_expect(refused > count / 3, "%zu refused, %zu verified", refused, still);
}

/* Another automaton with the same names is refused. */
Test(blocks, another_automaton)
{
    fixture f, g;
    f2l_form_verdict v;
    open_family(&f, "transformations", 3, 1);
    open_family(&g, "transformations", 3, 1);
    g.fsa.next[0] = (g.fsa.next[0] + 1) % 3;
    cr_assert_eq(f2l_form_blocks.verify(&v, &f.net, &g.fsa, NULL, NULL, NULL, NULL), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    cr_expect(strstr(v.reason, "does not follow the automaton") != NULL, "%s", v.reason);
    done(&f);
    done(&g);
}

Test(blocks, stops_when_told)
{
    fixture f;
    f2l_form_verdict v;
    f2l_error err = {0};
    static const volatile sig_atomic_t yes = 1;
    const f2l_task cancelled = {.cancel = &yes}, poor = {.memory = 200};
    f2l_net net;
    f2l_blocks_report report;
    open_family(&f, "transformations", 4, 1);
    f2l_net_init(&net);
    cr_expect_eq(f2l_blocks_build(&net, &report, &f.cascade, F2L_LABEL_STATES, 1, &cancelled, &err),
                 F2L_UNKNOWN);
    cr_expect_eq(f2l_blocks_build(&net, &report, &f.cascade, F2L_LABEL_STATES, 1, &poor, &err),
                 F2L_UNKNOWN);
    cr_expect_eq(f2l_blocks_build(&net, &report, &f.cascade, F2L_LABEL_STATES, 0, NULL, &err),
                 F2L_EDOMAIN);
    cr_expect_eq(f2l_form_blocks.verify(&v, &f.net, &f.fsa, NULL, NULL, &cancelled, &err), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    cr_expect_eq(f2l_form_blocks.verify(&v, &f.net, &f.fsa, NULL, NULL, &poor, &err), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    f2l_net_clear(&net);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
static f2l_status everything(const f2l_fsa *fsa, const f2l_cascade *cascade)
{
    f2l_net net;
    f2l_blocks_report report;
    f2l_form_verdict v;
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_net_init(&net);
    f2l_status status = f2l_blocks_build(&net, &report, cascade, F2L_LABEL_STATES, 1, NULL, NULL);
    if (status == F2L_OK) status = f2l_form_blocks.verify(&v, &net, fsa, NULL, NULL, NULL, NULL);
    if (status == F2L_OK && v.verdict != F2L_OK) status = F2L_EFORMAT;
    if (status == F2L_OK) {
        strcpy(net.fsa_sha256, SHA);
        status = f2l_form_blocks.certify(&out, &net, &v, fsa, fsa, NULL, SHA, NULL);
    }
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
    return status;
}

Test(blocks, survives_every_failed_allocation, .timeout = 600)
{
    fixture f;
    fsa_from_text(&f.fsa, "fsa 1\nstates p q\nstart p\nletters s r\np s q\nq s p\n"
                          "p r p\nq r p\n");
    build(&f, 1);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        const f2l_status status = everything(&f.fsa, &f.cascade);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_expect(failures > 50, "%zu", failures);
    done(&f);
}
#endif
