/* Networks of R1: named groups with all elements as letters against the values of
 * theory/pages/rep.md, rotations up to 60, and random permutation automata in all variants, each
 * closed exactly; the variants' figures are compared with each other and with T3's. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/automata/random_permutation.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/r1/r1.h"
#include "theory/construct/t3/t3.h"
#include <flint/flint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20261205u
#define MOST_POINTS 7
#define COVERED 60 /* largest order searched for covers */

typedef struct totals {
    size_t passed, failed, covers, ranges;
} totals;

static void check(totals *t, bool good, const char *what, const char *why)
{
    if (good) {
        t->passed++;
    } else {
        t->failed++;
        printf("FAILED: %s: %s\n", what, why);
    }
}

static bool closes(const f2l_net *net, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_closure c;
    f2l_closure_init(&c);
    const bool good = f2l_net_validate(net, err) == F2L_OK &&
                      f2l_closure_exact(&c, net, fsa, 0, NULL, err) == F2L_OK &&
                      c.verdict == F2L_OK && c.rows == net->layer[0].codes;
    if (!good && c.verdict != F2L_OK)
        snprintf(err->text, sizeof err->text, "expected %s, got %s", c.expected, c.got);
    f2l_closure_clear(&c);
    return good;
}

/* Returns the number of factors of a variant's network; SIZE_MAX when it has none that closes. */
static size_t factors_of(f2l_r1_report *report, const f2l_r1 *r1, f2l_r1_variant variant,
                         f2l_status *status, f2l_error *err)
{
    f2l_net net;
    size_t factors = SIZE_MAX;
    f2l_net_init(&net);
    *status = f2l_r1_build(&net, report, r1, F2L_LABEL_STATES, variant, NULL, NULL, err);
    if (*status == F2L_OK && closes(&net, r1->fsa, err)) factors = report->householders;
    f2l_net_clear(&net);
    return factors;
}

static size_t factors_of_t3(const f2l_fsa *fsa)
{
    f2l_gset set;
    f2l_net net;
    f2l_t3_report report = {0};
    f2l_gset_init(&set);
    f2l_net_init(&net);
    if (f2l_gset_smallest(&set, fsa, 0, NULL, NULL) == F2L_OK)
        f2l_t3_build(&net, &report, fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &set, NULL, NULL);
    f2l_net_clear(&net);
    f2l_gset_clear(&set);
    return report.householders;
}

/* Compares with T3, whose transitions are dyadic and generate a group that maps onto the transition
 * group and may be larger. */
static void compare(totals *t, const f2l_fsa *fsa, const f2l_r1 *r1, const char *what)
{
    f2l_r1_report report;
    f2l_status status;
    f2l_error err = {0};
    f2l_r1_report_init(&report);
    const size_t group = factors_of(&report, r1, F2L_R1_GROUP, &status, &err);
    check(t, status == F2L_OK && group == r1->tables.householders.minimum && report.minimal, what,
          err.text);
    const size_t dyadic = factors_of(&report, r1, F2L_R1_DYADIC, &status, &err);
    check(t, status == F2L_OK && dyadic != SIZE_MAX && dyadic >= group && dyadic >= report.lower,
          what, err.text);
    t->ranges += !report.minimal;
    if (r1->tables.group.order <= COVERED) {
        const size_t cover = factors_of(&report, r1, F2L_R1_COVER, &status, &err);
        t->covers += status == F2L_OK;
        check(t,
              status == F2L_OK ? cover < group && cover >= report.lower
                               : status == F2L_EDOMAIN || !report.complete,
              what, err.text);
        check(t, report.lower <= factors_of_t3(fsa), what,
              "T3 has fewer factors than any cover "
              "can have");
    }
    f2l_r1_report_clear(&report);
}

/* Draws permutations in which points p and p + n / 2 are opposite: covers often help such groups of
 * signed permutations. */
static void random_signed(uint32_t *image, size_t n, f2l_rng *rng)
{
    random_permutation(image, n / 2, rng);
    for (size_t p = 0; p < n / 2; p++) {
        image[p] += f2l_rng_below(rng, 2) ? (uint32_t)(n / 2) : 0;
        image[p + n / 2] = (image[p] + (uint32_t)(n / 2)) % (uint32_t)n;
    }
}

static bool random_automaton(f2l_fsa *fsa, f2l_rng *rng, bool elements, bool has_signs)
{
    const size_t n = has_signs ? 8 : 2 + f2l_rng_below(rng, MOST_POINTS - 1);
    const size_t letters = 1 + f2l_rng_below(rng, 3);
    char name[2] = "a";
    size_t index;
    f2l_fsa_init(fsa);
    fsa->points = n;
    fsa->track = elements ? F2L_TRACK_ELEMENTS : F2L_TRACK_POINTS;
    fsa->perm = f2l_calloc(letters * n, sizeof *fsa->perm);
    for (size_t a = 0; a < letters; a++, name[0]++) {
        uint32_t *image = fsa->perm + a * n;
        if (has_signs)
            random_signed(image, n, rng);
        else
            random_permutation(image, n, rng);
        f2l_names_add(&fsa->letters, name, 1, &index, NULL);
    }
    return f2l_fsa_from_permutations(fsa, f2l_rng_below(rng, n), 0, NULL, NULL) == F2L_OK;
}

static void random_ones(totals *t)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    const size_t rounds = brute_force_share(300);
    for (size_t i = 0; i < rounds; i++) {
        f2l_fsa fsa;
        f2l_r1 r1;
        char what[40];
        f2l_error err = {0};
        snprintf(what, sizeof what, "automaton %zu", i);
        bool good = random_automaton(&fsa, &rng, i % 2 == 0, i % 5 < 2);
        good = good && f2l_r1_analyse(&r1, &fsa, 0, NULL, &err) == F2L_OK;
        check(t, good, what, err.text);
        if (good) {
            compare(t, &fsa, &r1, what);
            f2l_r1_clear(&r1);
        }
        f2l_fsa_clear(&fsa);
    }
}

typedef struct named {
    const char *kind;
    uint64_t n;
    size_t householders;
} named;

static void one(totals *t, const char *kind, uint64_t n, size_t householders)
{
    f2l_fsa fsa;
    f2l_r1 r1;
    f2l_r1_report report;
    f2l_status status = F2L_OK;
    f2l_error err = {0};
    char what[60];
    f2l_fsa_init(&fsa);
    f2l_r1_report_init(&report);
    snprintf(what, sizeof what, "%s %d", kind, (int)n);
    bool good = f2l_family_build(&fsa, kind, &n, 1, false, &err) == F2L_OK;
    if (good && f2l_r1_analyse(&r1, &fsa, 0, NULL, &err) == F2L_OK) {
        good = factors_of(&report, &r1, F2L_R1_GROUP, &status, &err) == householders &&
               report.minimal && report.complete;
        f2l_r1_clear(&r1);
    }
    check(t, good, what, err.text);
    f2l_r1_report_clear(&report);
    f2l_fsa_clear(&fsa);
}

int main(void)
{
    static const named all[] = {{"symmetric", 2, 1},   {"symmetric", 3, 2},   {"symmetric", 4, 2},
                                {"symmetric", 5, 4},   {"alternating", 4, 2}, {"alternating", 5, 2},
                                {"alternating", 6, 4}, {"symmetric", 6, 4}};
    /* the last one has 518,400 edges */
    const size_t groups = sizeof all / sizeof *all - brute_force_is_short();
    totals t = {0};
    for (size_t i = 0; i < groups; i++) one(&t, all[i].kind, all[i].n, all[i].householders);
    const double start = f2l_now();
    for (uint64_t m = 2; m <= 60; m++) one(&t, "cyclic", m, m == 2 ? 1 : 2);
    printf("rotations up to 60: %.2f s\n", f2l_now() - start);
    for (uint64_t m = 3; m <= 20; m++) one(&t, "dihedral", m, 2);
    random_ones(&t);
    printf("seed %u: %zu covers with fewer factors, %zu ranges with dyadic keys\n", SEED, t.covers,
           t.ranges);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    flint_cleanup();
    return t.failed ? 1 : 0;
}
