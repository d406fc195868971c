#include "tests/support/theory/d1_cases.h"
#include "tests/support/theory/d1_support.h"
#include "theory/construct/t3/t3.h"
#include <math.h>

/* Returns the number of entries by D1.9, from the figures that the report names. */
static size_t entries_of(const fixture *f)
{
    const size_t k = f->fsa.letters.count, slots = 2 * f->report.block, g = f->report.elements;
    f2l_reach reach;
    cr_assert_eq(f2l_reach_init(&reach, &f->fsa, NULL), F2L_OK);
    const size_t states = reach.states;
    f2l_reach_clear(&reach);
    size_t counts = 0;
    for (size_t l = 0; l < f->report.clock_layers; l++) counts += f->net.block[l + 1].input_size[1];
    return 1 + counts + slots * k + (slots + 2) * slots * (k + 1) + (g + 1) * (k + 1) +
           2 * slots * g + f->report.codes * f->report.rests + states * (k + 1) + states;
}

static void check_size(const fixture *f, const char *what)
{
    const f2l_d1_report *r = &f->report;
    f2l_net_size size;
    f2l_net_measure(&size, &f->net);
    cr_assert_eq(size.layers, r->clock_layers + 2, "%s", what);
    cr_assert_eq(size.layers, r->layers, "%s", what);
    cr_assert_eq(size.householders, r->householders, "%s", what);
    cr_assert_eq(size.gates, 8 * r->block + r->clock_layers + 6, "%s", what);
    cr_assert_eq(size.table_entries, entries_of(f), "%s", what);
    cr_assert_eq(size.value_dim, f->fsa.letters.count, "%s", what);
}

/* The expected result for each automaton: [n_h][layers, householders, block]. */
typedef struct expected {
    const char *kind;
    uint64_t n;
    bool generators;
    size_t householders, layers, used, block;
} expected;

static const expected cases[] = {
    {"symmetric", 3, false, 1, 4, 1, 2},   {"symmetric", 3, true, 1, 4, 1, 2},
    {"symmetric", 3, false, 2, 3, 2, 1},   {"symmetric", 4, false, 1, 4, 1, 3},
    {"symmetric", 4, true, 1, 4, 1, 2},    {"symmetric", 4, false, 2, 3, 2, 3},
    {"symmetric", 4, true, 2, 3, 2, 3},    {"symmetric", 5, false, 1, 4, 1, 6},
    {"symmetric", 5, true, 1, 4, 1, 6},    {"symmetric", 5, false, 2, 3, 2, 3},
    {"symmetric", 5, false, 3, 3, 3, 2},   {"symmetric", 5, false, 4, 3, 4, 1},
    {"alternating", 5, false, 1, 4, 1, 6}, {"alternating", 5, false, 2, 3, 2, 3},
    {"dihedral", 4, false, 1, 4, 1, 3},    {"dihedral", 4, true, 1, 4, 1, 2},
    {"quaternion", 0, false, 1, 4, 1, 6},  {"quaternion", 0, false, 2, 3, 2, 3},
    {"cyclic", 6, false, 1, 4, 1, 3},      {"cyclic", 2, false, 1, 3, 1, 1},
    {"cyclic", 60, false, 1, 5, 1, 9},     {"cyclic", 60, false, 2, 4, 2, 5},
    {"cyclic", 60, false, 3, 3, 3, 3},     {"symmetric", 7, true, 1, 4, 1, 6},
};

Test(d1, groups, .timeout = 600)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const expected *e = &cases[i];
        fixture f;
        f2l_rng rng;
        char what[64];
        snprintf(what, sizeof what, "%s %d%s, n_h = %zu", e->kind, (int)e->n,
                 e->generators ? " by generators" : "", e->householders);
        d1_open_family(&f, e->kind, e->n, e->generators, e->householders);
        cr_expect_eq(f.report.layers, e->layers, "%s: %zu layers", what, f.report.layers);
        cr_expect_eq(f.report.householders, e->used, "%s: %zu factors", what,
                     f.report.householders);
        cr_expect_eq(f.report.block, e->block, "%s: blocks of %zu", what, f.report.block);
        check_size(&f, what);
        check_verified(&f, what);
        f2l_rng_init(&rng, SEED, i);
        cr_expect_eq(d1_run(&f.net, &f.fsa, NULL, 1000, &rng), 0, "%s", what);
        for (size_t j = 0; j < F2L_USUAL_FORMATS; j++)
            cr_expect_eq(d1_run(&f.net, &f.fsa, &f2l_formats[j], 1000, &rng), 0, "%s, %s", what,
                         f2l_formats[j].name);
        d1_done(&f);
    }
}

/* The most points that one more clock layer serves, and one point more (D1.5). A cycle of a
 * prime number of points needs all transpositions that they allow, in blocks of any length. */
Test(d1, towers, .timeout = 600)
{
    static const struct {
        size_t points, householders, layers, block;
    } tower[] = {{3, 1, 4, 2},   {7, 1, 4, 6},   {11, 1, 5, 10}, {13, 1, 5, 12}, {31, 1, 5, 30},
                 {61, 1, 5, 60}, {7, 2, 3, 3},   {11, 2, 4, 5},  {41, 2, 4, 20}, {19, 3, 3, 6},
                 {23, 3, 4, 8},  {41, 4, 3, 10}, {43, 4, 4, 12}};
    for (size_t i = 0; i < sizeof tower / sizeof *tower; i++) {
        fixture f;
        uint32_t image[64];
        f2l_rng rng;
        char what[64];
        const size_t n = tower[i].points;
        snprintf(what, sizeof what, "%zu points, n_h = %zu", n, tower[i].householders);
        for (uint32_t p = 0; p < n; p++) image[p] = (p + 1) % (uint32_t)n;
        d1_group(&f.fsa, image, 1, n, 0);
        d1_build(&f, F2L_LABEL_STATES, tower[i].householders);
        cr_expect_eq(f.report.layers, tower[i].layers, "%s: %zu layers", what, f.report.layers);
        cr_expect_eq(f.report.block, tower[i].block, "%s: blocks of %zu", what, f.report.block);
        cr_expect_eq(f.report.transpositions, n - 1, "%s", what);
        cr_expect_leq(f.report.householders, tower[i].householders, "%s", what);
        check_verified(&f, what);
        f2l_rng_init(&rng, SEED, i);
        cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 500, &rng), 0, "%s", what);
        d1_done(&f);
    }
}

/* The figures are the ones in the texts of D1.9 and D1.2. */
Test(d1, figures_of_the_page)
{
    fixture f;
    f2l_net_size size;
    d1_open_family(&f, "symmetric", 5, false, 1);
    f2l_net_measure(&size, &f.net);
    cr_expect_eq(size.table_entries, 61984);
    cr_expect_eq(f.report.rests, 67);
    cr_expect(fabs(f.report.joint / 1e28 - 1.28) < 0.01);
    d1_done(&f);
    d1_open_family(&f, "symmetric", 5, false, 2);
    f2l_net_measure(&size, &f.net);
    cr_expect_eq(size.table_entries, 40016);
    cr_expect_eq(f.report.rests, 23);
    d1_done(&f);
    d1_open_family(&f, "symmetric", 7, true, 1);
    cr_expect_eq(f.report.elements, 53);
    cr_expect_eq(f.set.points, 7);
    d1_done(&f);
}

/* Checks D1.4: where a block begins, the last layer holds the code that T3 has for the state one
 * block earlier. */
static void check_rows(const fixture *f, const char *what)
{
    const size_t k = f->fsa.letters.count, joint_size = f2l_net_joint(&f->net);
    const f2l_wired_readout *readout = &f->net.block[f->net.blocks - 1].readout[0];
    f2l_net one;
    f2l_t3_report report;
    f2l_exact *run;
    size_t *joint = calloc(joint_size, sizeof *joint);
    size_t before = f->fsa.start, state = f->fsa.start, label;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 77);
    f2l_net_init(&one);
    cr_assert_eq(
        f2l_t3_build(&one, &report, &f->fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f->set, NULL, NULL),
        F2L_OK);
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t t = 0; t < 40 * f->report.block; t++) {
        if (t % f->report.block == 0) {
            cr_assert_eq(
                f2l_qvec_compare(&readout->code[joint[joint_size - 1]], &one.layer[0].code[before]),
                0, "%s, token %zu", what, t + 1);
            before = state;
        }
        const size_t a = f2l_rng_below(&rng, k);
        state = f->fsa.next[state * k + a];
        cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
    }
    f2l_exact_free(run);
    f2l_net_clear(&one);
    free(joint);
}

Test(d1, last_layer_is_a_block_behind)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        d1_open_family(&f, cases[i].kind, cases[i].n, cases[i].generators, cases[i].householders);
        check_rows(&f, cases[i].kind);
        d1_done(&f);
    }
}

/* D1.6: after a token the ring holds the last 2 B letters, and the clock counts. */
Test(d1, ring_and_clock)
{
    fixture f;
    f2l_exact *run;
    f2l_rng rng;
    size_t label, word[100];
    d1_open_family(&f, "symmetric", 5, false, 1);
    const size_t slots = 2 * f.report.block, joint_size = f2l_net_joint(&f.net);
    size_t *joint = calloc(joint_size, sizeof *joint);
    const size_t *ring = joint + joint_size - 1 - slots;
    f2l_rng_init(&rng, SEED, 5);
    cr_assert_eq(f2l_exact_new(&run, &f.net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t t = 0; t < 100; t++) {
        word[t] = f2l_rng_below(&rng, 120);
        cr_assert_eq(f2l_exact_step(run, joint, word[t], &label, NULL, NULL), F2L_OK);
        for (size_t back = 0; back < slots; back++)
            cr_assert_eq(ring[(t + slots - back) % slots], back > t ? 0 : 1 + word[t - back]);
        cr_assert_eq(joint[0], (t + 1) % 2);
    }
    f2l_exact_free(run);
    free(joint);
    d1_done(&f);
}

/* The template's verdict agrees with the joint closure, exactly and in bf16, and the rows are
 * within D1.9's bound. */
Test(d1, joint_closures, .timeout = 600)
{
    static const expected small[] = {
        {"symmetric", 3, true, 1, 0, 0, 0},  {"symmetric", 3, false, 1, 0, 0, 0},
        {"symmetric", 3, true, 2, 0, 0, 0},  {"symmetric", 3, false, 2, 0, 0, 0},
        {"symmetric", 4, true, 1, 0, 0, 0},  {"symmetric", 4, true, 2, 0, 0, 0},
        {"symmetric", 4, false, 3, 0, 0, 0}, {"dihedral", 4, true, 1, 0, 0, 0},
        {"cyclic", 2, false, 1, 0, 0, 0},    {"cyclic", 3, false, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        fixture f;
        size_t exact, rounded;
        d1_open_family(&f, small[i].kind, small[i].n, small[i].generators, small[i].householders);
        check_verified(&f, small[i].kind);
        cr_assert_leq(f.report.joint, 40000);
        cr_assert_eq(d1_joint(&f.net, &f.fsa, NULL, 0, &exact), F2L_OK);
        cr_assert_eq(d1_joint(&f.net, &f.fsa, f2l_format_find("bf16"), 0, &rounded), F2L_OK);
        cr_assert_eq(exact, rounded);
        if (i == 0) cr_assert_eq(exact, 399);
        cr_assert_leq((double)exact, f.report.joint, "%zu of %.0f", exact, f.report.joint);
        d1_done(&f);
    }
}

/* Tracked points, some of them unreachable; letters that do the same; one letter; one state; points
 * without a way back. */
Test(d1, other_automata)
{
    static const char *const text[] = {
        "fsa 1\npoints 5\ntrack points 1\npermute a (1 2 3)(4 5)\npermute b (1 2)\n",
        "fsa 1\npoints 7\ntrack points 3\npermute a (1 2 3 4 5 6 7)\npermute b (1 2)\n",
        "fsa 1\n"
        "points 9\n"
        "track points 1\n"
        "permute a (1 2 3 4 5 6 7 8 9)\n"
        "permute b (1 2)\n"
        "permute c (1 2)\n",
        "fsa 1\npoints 13\ntrack elements\npermute a (1 2 3 4 5 6 7 8 9 10 11 12 13)\n",
        "fsa 1\npoints 3\ntrack points 3\npermute a (1 2)\n",
        "fsa 1\npoints 2\ntrack elements\npermute a ()\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (size_t householders = 1; householders <= 3; householders++) {
            fixture f;
            f2l_rng rng;
            d1_open_text(&f, text[i], F2L_LABEL_STATES, householders);
            cr_expect_leq(f.report.householders, householders);
            check_size(&f, text[i]);
            check_verified(&f, text[i]);
            f2l_rng_init(&rng, SEED, i);
            cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 1000, &rng), 0, "%s",
                         text[i]);
            d1_done(&f);
        }
}

/* Codes above 128 take more value columns (T3.8). */
Test(d1, many_colours)
{
    fixture f;
    f2l_rng rng;
    uint32_t image[200];
    for (uint32_t p = 0; p < 200; p++) image[p] = p < 131 ? (p + 1) % 131 : p;
    d1_group(&f.fsa, image, 1, 131, 131);
    d1_build(&f, F2L_LABEL_STATES, 60);
    for (uint32_t p = 0; p < 131; p++)
        f.set.code[p] = p + 1; /* all different, where one is enough */
    f.set.colours = 132;
    cr_assert_eq(f2l_d1_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, &f.set, 60, NULL, NULL),
                 F2L_OK);
    cr_expect_eq(f.net.block[f.net.blocks - 1].head[0].head.d, 2);
    check_verified(&f, "two columns");
    f2l_rng_init(&rng, SEED, 9);
    cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 1000, &rng), 0);
    d1_done(&f);
}
