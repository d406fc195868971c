#include "automata/fsa/perm.h"
#include "models/learn/seq/mixer.h"
#include "reports/networks/inspect_characters.h"
#include "reports/networks/inspect_report.h"
#include "tests/support/train/data_support.h"
#include "tests/support/train/inspect_support.h"

#define SEED 51

/* A group with all its elements as letters (or generators), and one head of exact permutation
 * matrices with n - 1 factors. */
typedef struct exact_case {
    f2l_fsa fsa;
    f2l_data data;
    seq_case s;
    f2l_inspect x;
    f2l_inspect_relations r;
} exact_case;

static void exact_init(exact_case *e, uint64_t points, bool generators, size_t heads)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    double start[256] = {0};
    data_family(&e->fsa, "symmetric", points, generators);
    data_build(&e->data, &options, &e->fsa);
    e->s = inspect_case(e->fsa.letters.count, heads, points - 1, points, points);
    for (size_t i = 0; i < points; i++) start[i * points + i] = 1;
    for (size_t h = 0; h < heads; h++) {
        for (size_t a = 0; a < e->fsa.letters.count; a++)
            inspect_set_permutation(&e->s, a, h, e->fsa.perm + a * points);
        inspect_start(&e->s, h, start);
    }
    f2l_inspect_init(&e->x);
    f2l_inspect_relations_init(&e->r);
}

static void exact_run(exact_case *e, const unsigned char *used)
{
    f2l_error err = {0};
    f2l_inspect_clear(&e->x);
    f2l_inspect_relations_clear(&e->r);
    inspect_build(&e->x, &e->s, used);
    cr_assert(f2l_inspect_relations_build(&e->r, &e->x, &e->s.model, e->s.parameter, &e->data,
                                          F2L_INSPECT_THRESHOLD, NULL, &err) == F2L_OK,
              "%s", err.text);
}

static void exact_clear(exact_case *e)
{
    f2l_inspect_relations_clear(&e->r);
    f2l_inspect_clear(&e->x);
    seq_case_free(&e->s);
    f2l_data_clear(&e->data);
    f2l_fsa_clear(&e->fsa);
}

/* The test helper's matrices are permutation matrices as documented, and their eigenvalues are the
 * roots of unity of the cycles. */
Test(inspect_relations, permutation_matrices)
{
    exact_case e;
    exact_init(&e, 4, false, 1);
    exact_run(&e, NULL);
    for (size_t a = 0; a < e.x.letters; a++) {
        const uint32_t *image = e.fsa.perm + a * 4;
        double m[16] = {0};
        size_t fixed = 0;
        for (size_t i = 0; i < 4; i++) m[i * 4 + i] = 1;
        f2l_inspect_apply(m, &e.x, 0, a, 4);
        for (size_t p = 0; p < 4; p++)
            for (size_t q = 0; q < 4; q++)
                cr_assert(fabs(m[q * 4 + p] - (q == image[p])) < 1e-14, "letter %zu", a);
        for (size_t p = 0; p < 4; p++) fixed += image[p] == p;
        double trace = (double)(4 - e.x.reduced);
        for (size_t i = 0; i < e.x.reduced; i++) {
            const double re = e.x.head[0].re[a * e.x.reduced + i],
                         im = e.x.head[0].im[a * e.x.reduced + i];
            trace += re;
            cr_assert(fabs(hypot(re, im) - 1) < 1e-13);
            const double turns = 12 * atan2(im, re) / (2 * acos(-1)); /* cycles of 1 to 4 points */
            cr_assert(fabs(turns - round(turns)) < 1e-12);
        }
        cr_assert(fabs(trace - (double)fixed) < 1e-13);
    }
    exact_clear(&e);
}

/* Checks that the permutation action, trivial + (n - 1), is found to move the irreducible part of
 * character fixed points - 1. */
static void check_exact(const exact_case *e, size_t points, const char *what)
{
    f2l_inspect_characters c;
    f2l_error err = {0};
    f2l_inspect_characters_init(&c);
    cr_assert(e->r.why_none == NULL, "%s: %s", what, e->r.why_none);
    cr_assert(f2l_inspect_characters_build(&c, &e->r, NULL, &err) == F2L_OK, "%s", err.text);
    const size_t classes = c.classes.classes;
    for (size_t h = 0; h < e->r.heads; h++) {
        const f2l_inspect_action *a = &e->r.action[h];
        cr_assert(a->span == points && a->moving == points - 1, "%s: %zu, %zu", what, a->span,
                  a->moving);
        cr_assert(a->leaves < 1e-7 && a->worst < 1e-13 && a->median <= a->worst, "%s: %g %g", what,
                  a->leaves, a->worst);
        for (size_t g = 0; g < e->r.group.order; g++) {
            size_t fixed = 0;
            for (uint32_t p = 0; p < points; p++) fixed += e->r.group.element[g * points + p] == p;
            cr_assert(fabs(a->trace[g] - ((double)fixed - 1)) < 1e-12, "%s", what);
        }
        size_t present = 0;
        for (size_t i = 0; i < classes; i++) {
            const double m = c.multiplicity[h * classes + i];
            cr_assert(fabs(m - round(m)) < 1e-12 && fabs(c.deviation[h * classes + i]) < 1e-12);
            if (round(m) == 1) {
                present++;
                cr_assert(c.table.degree[i] == points - 1);
            }
        }
        cr_assert(present == 1, "%s", what);
    }
    f2l_inspect_characters_clear(&c);
}

Test(inspect_relations, an_exact_action_has_its_character)
{
    for (uint64_t points = 3; points <= 4; points++)
        for (int generators = 0; generators < 2; generators++) {
            exact_case e;
            exact_init(&e, points, generators == 1, 2);
            exact_run(&e, NULL);
            check_exact(&e, (size_t)points, generators ? "generators" : "elements");
            if (!generators)
                cr_assert(e.r.pairs == e.x.letters * e.x.letters && e.r.pairs_there == e.r.pairs);
            exact_clear(&e);
        }
}

/* Three letters of S4 make words whose reversals are in other classes, so that the order of letters
 * matters for the traces. */
Test(inspect_relations, words_of_few_letters)
{
    exact_case e;
    f2l_rng rng;
    size_t whole = 0;
    f2l_rng_init(&rng, SEED, 1);
    exact_init(&e, 4, false, 1);
    for (size_t number = 0; number < 40; number++) {
        unsigned char used[24] = {0};
        for (size_t i = 0; i < 3; i++) used[f2l_rng_below(&rng, 24)] = 1;
        exact_run(&e, used);
        if (e.r.group.order != 24) continue;
        check_exact(&e, 4, "three letters");
        whole++;
    }
    cr_assert(whole > 10, "%zu", whole);
    exact_clear(&e);
}

/* All 130 symmetries of a polygon act on its plane: they have more pairs than are examined. */
Test(inspect_relations, many_letters)
{
    enum { M = 65, N = 2 * M };
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    const double start[2] = {0.3, 1};
    exact_case e;
    f2l_inspect_characters c;
    data_family(&e.fsa, "dihedral", M, false);
    data_build(&e.data, &options, &e.fsa);
    cr_assert(e.fsa.letters.count == N && e.fsa.perm != NULL && e.fsa.points == M);
    e.s = inspect_case(N, 1, 2, 2, 1);
    for (size_t a = 0; a < N; a++) {
        const uint32_t *image = e.fsa.perm + a * M;
        const bool turns = image[1] == (image[0] + 1) % M;
        const double t = acos(-1) * image[0] / (double)M, one[2] = {1, 0},
                     two[2] = {turns ? cos(t) : -sin(t), turns ? sin(t) : cos(t)};
        inspect_set(&e.s, a, 0, 0, one, turns ? 2 : 0);
        inspect_set(&e.s, a, 0, 1, two, 2);
    }
    inspect_start(&e.s, 0, start);
    f2l_inspect_init(&e.x);
    f2l_inspect_relations_init(&e.r);
    exact_run(&e, NULL);
    cr_assert(e.r.pairs_there == N * N && e.r.pairs == F2L_INSPECT_MAX_PAIRS &&
              e.r.action[0].moving == 2);
    cr_assert(e.r.action[0].worst < 1e-12, "%g", e.r.action[0].worst);
    f2l_inspect_characters_init(&c);
    cr_assert(f2l_inspect_characters_build(&c, &e.r, NULL, NULL) == F2L_OK);
    double sum = 0;
    for (size_t i = 0; i < c.classes.classes; i++) {
        const double m = c.multiplicity[i];
        cr_assert(fabs(m - round(m)) < 1e-11 && (round(m) == 0 || c.table.degree[i] == 2));
        sum += m;
    }
    cr_assert(fabs(sum - 1) < 1e-11);
    const double wrong[2] = {1, 0};
    inspect_set(&e.s, 77, 0, 0, wrong, 2);
    inspect_set(&e.s, 77, 0, 1, wrong, 1);
    exact_run(&e, NULL);
    cr_assert(e.r.action[0].worst > 0.1 && e.r.action[0].median < 1e-12);
    f2l_inspect_characters_clear(&c);
    exact_clear(&e);
}

/* Letters that never occurred may be anything; the letters in use generate the group. */
Test(inspect_relations, letters_out_of_use_do_not_count)
{
    exact_case e;
    unsigned char used[24];
    const double wrong[4] = {1, 2, 3, 4};
    exact_init(&e, 4, false, 1);
    for (size_t a = 0; a < 24; a++) {
        used[a] = f2l_perm_cycles(e.fsa.perm + a * 4, 4) == 3;
        if (!used[a]) inspect_set(&e.s, a, 0, 0, wrong, 1.3);
    }
    exact_run(&e, used);
    check_exact(&e, 4, "swaps");
    cr_assert(e.r.pairs == 0 && e.r.element[0] == UINT32_MAX);
    used[0] = 1; /* the identity, wrong: swap, swap = identity fails */
    exact_run(&e, used);
    cr_assert(e.r.pairs == 6 + 12 + 1 && e.r.action[0].worst > 0.1);
    exact_clear(&e);
}

/* An error in one beta of the second head is found in this head only, and its place is reported. */
Test(inspect_relations, errors_are_seen)
{
    exact_case e;
    const double key[3] = {1, -1, 0};
    exact_init(&e, 3, false, 2);
    size_t swap = 0;
    while (strcmp(f2l_names_get(&e.data.letters, swap), "(1 2)") != 0) swap++;
    inspect_set(&e.s, swap, 1, 0, key, 1.9);
    exact_run(&e, NULL);
    const f2l_inspect_action *good = &e.r.action[0], *bad = &e.r.action[1];
    cr_assert(good->worst < 1e-13 && bad->worst > 0.05 && bad->worst < 0.3, "%g", bad->worst);
    cr_assert(bad->first == swap || bad->second == swap ||
              e.r.element[bad->first] != e.r.element[bad->second]);
    /* w = u = (1 2): A^2 differs from A(()) = 1 in one of two dimensions, by 1 - 0.9^2; Q turns
     * nothing. */
    cr_assert(fabs(bad->worst - 0.19 / sqrt(2)) < 0.02, "%g", bad->worst);
    /* Exchanged letters: this is not a homomorphism at all. */
    for (size_t a = 0; a < 6; a++)
        inspect_set_permutation(&e.s, a, 1, e.fsa.perm + (a + 1) % 6 * 3);
    exact_run(&e, NULL);
    cr_assert(e.r.action[0].worst < 1e-13 && e.r.action[1].median > 0.5);
    exact_clear(&e);
}

/* A start that nothing moves, and a start only a part of which moves, with directions below the
 * threshold. */
Test(inspect_relations, only_what_moves)
{
    exact_case e;
    const double fixed[9] = {1, 0, 0, 1, 0, 0, 1, 0, 0}, tilted[9] = {1, 1e-3, 0, 1, 0, 0, 1, 0, 0};
    exact_init(&e, 3, false, 2);
    inspect_start(&e.s, 0, fixed);
    inspect_start(&e.s, 1, tilted);
    exact_run(&e, NULL);
    cr_assert(e.r.action[0].moving == 0 && e.r.action[0].span == 1 && e.r.action[0].worst == 0);
    cr_assert(e.r.action[1].moving == 2 && e.r.action[1].span == 1, "%zu %zu", e.r.action[1].moving,
              e.r.action[1].span);
    exact_clear(&e);
}

Test(inspect_relations, left_out_with_a_reason)
{
    f2l_error err;
    exact_case e;
    exact_init(&e, 3, false, 1);
    exact_run(&e, NULL);
    f2l_seq other = e.s.model;
    f2l_data spread = e.data;
    spread.options.tokens = 4;
    f2l_data edges = e.data;
    f2l_fsa plain = e.fsa;
    uint32_t all_to_first[36] = {0};
    plain.perm = NULL;
    plain.next = all_to_first;
    edges.fsa = &plain;
    for (size_t what = 0; what < 8; what++) {
        static const char *const reason[] = {
            "not known",  "does not permute", "several letters", "more than one layer",
            "has values", "has values",       "convolution",     "diagonal"};
        const f2l_data *data = what == 0   ? NULL
                               : what == 1 ? &edges
                               : what == 2 ? &spread
                                           : &e.data;
        other.config = e.s.model.config;
        if (what == 3) other.config.layers = 2;
        if (what == 4) other.config.additive = true;
        if (what == 5) other.config.learned_start = false;
        if (what == 6) other.config.convolution = 4;
        if (what == 7) other.config.mixer = &f2l_mixer_diagonal;
        f2l_inspect_relations_clear(&e.r);
        cr_assert(f2l_inspect_relations_build(&e.r, &e.x, &other, e.s.parameter, data, 0.05, NULL,
                                              &err) == F2L_OK);
        cr_assert(e.r.why_none != NULL && strstr(e.r.why_none, reason[what]) != NULL, "%zu: %s",
                  what, e.r.why_none);
    }
    f2l_inspect_relations_clear(&e.r);
    const volatile sig_atomic_t stop = 2;
    const f2l_task task = {.cancel = &stop};
    cr_assert(f2l_inspect_relations_build(&e.r, &e.x, &e.s.model, e.s.parameter, &e.data, 0.05,
                                          &task, &err) == F2L_UNKNOWN);
    cr_assert(e.r.action == NULL && e.r.element == NULL);
    exact_clear(&e);
}

/* Z5 by its states has two complex characters, which are conjugates; the group need not be in group
 * form. */
Test(inspect_relations, letters_that_permute_states)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    const double start[2] = {0.3, 1};
    exact_case e;
    f2l_inspect_characters c;
    data_family(&e.fsa, "cyclic", 5, false);
    data_build(&e.data, &options, &e.fsa);
    cr_assert(e.fsa.letters.count == 5 && e.fsa.perm == NULL);
    e.s = inspect_case(5, 1, 2, 2, 1);
    for (size_t a = 0; a < 5; a++) {
        const double t = acos(-1) * (double)e.fsa.next[a] / 5, one[2] = {1, 0},
                     two[2] = {cos(t), sin(t)};
        inspect_set(&e.s, a, 0, 0, one, 2);
        inspect_set(&e.s, a, 0, 1, two, 2);
    }
    inspect_start(&e.s, 0, start);
    f2l_inspect_init(&e.x);
    f2l_inspect_relations_init(&e.r);
    exact_run(&e, NULL);
    cr_assert(e.r.why_none == NULL && e.r.group.order == 5 && e.r.pairs == 25 &&
              e.r.action[0].worst < 1e-13);
    f2l_inspect_characters_init(&c);
    cr_assert(f2l_inspect_characters_build(&c, &e.r, NULL, NULL) == F2L_OK);
    size_t present = 0;
    for (size_t i = 0; i < 5; i++) {
        const double m = c.multiplicity[i];
        cr_assert(fabs(m - round(m)) < 1e-12 &&
                  fabs(m - c.multiplicity[c.table.conjugate[i]]) < 1e-12);
        present += round(m) == 1;
    }
    cr_assert(present == 2 && fabs(c.multiplicity[0]) < 1e-12);
    f2l_inspect_characters_clear(&c);
    exact_clear(&e);
}

static f2l_inspect_report report_of(const exact_case *e, const f2l_inspect_characters *c,
                                    const char *weights)
{
    return (f2l_inspect_report){.weights = weights,
                                .source = "automaton.fsa",
                                .data = &e->data,
                                .model = &e->s.model,
                                .inspect = &e->x,
                                .relations = &e->r,
                                .characters = c,
                                .rows = 2};
}

Test(inspect_relations, reports_are_complete)
{
    exact_case e;
    f2l_inspect_characters c;
    f2l_buf text;
    exact_init(&e, 3, false, 1);
    exact_run(&e, NULL);
    f2l_inspect_characters_init(&c);
    f2l_buf_init(&text);
    cr_assert(f2l_inspect_characters_build(&c, &e.r, NULL, NULL) == F2L_OK);
    const f2l_inspect_report report = report_of(&e, &c, "a/b/w");
    cr_assert(f2l_report_as_text(&text, &f2l_inspect_report_kind, &report, NULL) == F2L_OK);
    static const char *const part[] = {
        "network      w: ", "both betas are near 2 for 2 of 6 letters", ".. and 4 more letters",
        "2 of 3 dimensions move; letters lead out of them by up to 0.000",
        "character is 1.000 chi3;"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        cr_assert(strstr(text.data, part[i]) != NULL, "%s lacks %s", text.data, part[i]);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_json(&text, &f2l_inspect_report_kind, &report, NULL) == F2L_OK);
    cr_assert(strncmp(text.data, "{\"schema\":2,\"report\":\"inspect\",\"weights_file\":\"w\"",
                      49) == 0 &&
              text.data[text.size - 1] == '\n');
    f2l_buf_clear(&text);
    f2l_inspect_characters_clear(&c);
    exact_clear(&e);
}

/* A table for which there is no memory, or no relations, is no failure; a signal is. */
Test(inspect_relations, no_characters)
{
    exact_case e;
    f2l_inspect_characters c;
    f2l_error err;
    f2l_buf text;
    const volatile sig_atomic_t stop = 2;
    const f2l_task small = {.memory = 1}, stopped = {.cancel = &stop, .memory = 1};
    exact_init(&e, 3, false, 1);
    exact_run(&e, NULL);
    f2l_inspect_characters_init(&c);
    f2l_buf_init(&text);
    cr_assert(f2l_inspect_characters_build(&c, &e.r, &stopped, &err) == F2L_UNKNOWN);
    cr_assert(strstr(err.text, "interrupted") != NULL && !c.why_none[0], "%s", err.text);
    cr_assert(f2l_inspect_characters_build(&c, &e.r, &small, NULL) == F2L_OK);
    cr_assert(strstr(c.why_none, "memory limit") != NULL && c.re == NULL, "%s", c.why_none);
    const f2l_inspect_report report = report_of(&e, &c, "w");
    cr_assert(f2l_report_as_text(&text, &f2l_inspect_report_kind, &report, NULL) == F2L_OK);
    cr_assert(strstr(text.data, "not looked at: memory limit reached") != NULL, "%s", text.data);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_json(&text, &f2l_inspect_report_kind, &report, NULL) == F2L_OK);
    cr_assert(strstr(text.data, "\"characters\":null") != NULL, "%s", text.data);
    f2l_inspect_characters_clear(&c);
    e.r.why_none = "no run";
    cr_assert(f2l_inspect_characters_build(&c, &e.r, NULL, NULL) == F2L_OK);
    cr_assert_str_eq(c.why_none, "no run");
    e.r.why_none = NULL;
    f2l_buf_clear(&text);
    f2l_inspect_characters_clear(&c);
    exact_clear(&e);
}

#ifdef F2L_MEM_FAILURES
Test(inspect_relations, memory_failures_leave_nothing)
{
    exact_case e;
    f2l_inspect_characters c;
    size_t failures = 0;
    exact_init(&e, 3, false, 1);
    inspect_build(&e.x, &e.s, NULL);
    f2l_inspect_characters_init(&c);
    for (size_t n = 1; n < 1000; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_inspect_relations_build(&e.r, &e.x, &e.s.model, e.s.parameter,
                                                        &e.data, 0.05, NULL, NULL);
        if (status == F2L_OK && e.r.why_none == NULL)
            status = f2l_inspect_characters_build(&c, &e.r, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%d", status);
        if (status == F2L_OK) break;
        cr_assert(c.re == NULL && c.trace == NULL);
        f2l_inspect_relations_clear(&e.r);
        failures++;
    }
    cr_assert(failures > 20 && failures < 999 && c.multiplicity != NULL);
    f2l_inspect_characters_clear(&c);
    exact_clear(&e);
}
#endif
