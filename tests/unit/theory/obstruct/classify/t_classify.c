#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "reports/automata/classify_report.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/fsa_text.h"
#include <criterion/criterion.h>
#include <jansson.h>

static void family(f2l_fsa *fsa, const char *kind, uint64_t a, uint64_t b, size_t count,
                   bool generators)
{
    const uint64_t number[] = {a, b};
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, number, count, generators, &err), F2L_OK, "%s",
                 err.text);
}

static void classify(f2l_classify *c, const f2l_fsa *fsa, const f2l_classify_options *options)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_classify_build(c, fsa, options, NULL, &err), F2L_OK, "%s", err.text);
}

/* Checks the answers "yyy" to: aperiodic, 2-groups only, solvable; u is unknown. */
static void expect(const char *what, const f2l_classify *c, const char *answers)
{
    static const char letter[] = "nyu";
    const char got[] = {letter[c->aperiodic], letter[c->two_groups], letter[c->solvable], 0};
    cr_assert_str_eq(got, answers, "%s: %s", what, got);
    cr_assert_eq(f2l_classify_open(c), strchr(answers, 'u') != NULL, "%s", what);
    cr_assert_eq(c->any.length > 0, answers[0] == 'n', "%s", what);
    if (!strchr(answers, 'u')) cr_assert_eq(c->odd.length > 0, answers[1] == 'n', "%s", what);
    if (c->any.length) cr_assert(f2l_cycle_word_holds(c->fsa, &c->any), "%s", what);
    if (c->odd.length) {
        cr_assert(f2l_cycle_word_holds(c->fsa, &c->odd), "%s", what);
        cr_assert(c->odd.period & (c->odd.period - 1), "%s", what);
    }
}

Test(classify, families)
{
    static const struct {
        const char *kind;
        uint64_t a, b;
        size_t count;
        bool generators;
        const char *answers;
    } table[] = {{"parity", 0, 0, 0, false, "nyy"},
                 {"flipflop", 0, 0, 0, false, "yyy"},
                 {"cyclic", 2, 0, 1, false, "nyy"},
                 {"cyclic", 3, 0, 1, false, "nny"},
                 {"cyclic", 4, 0, 1, false, "nyy"},
                 {"cyclic", 6, 0, 1, true, "nny"},
                 {"cyclic", 8, 0, 1, false, "nyy"},
                 {"symmetric", 3, 0, 1, false, "nny"},
                 {"symmetric", 4, 0, 1, true, "nny"},
                 {"symmetric", 5, 0, 1, true, "nnn"},
                 {"symmetric", 6, 0, 1, true, "nnn"},
                 {"alternating", 4, 0, 1, true, "nny"},
                 {"alternating", 5, 0, 1, false, "nnn"},
                 {"dihedral", 4, 0, 1, true, "nyy"},
                 {"dihedral", 5, 0, 1, false, "nny"},
                 {"quaternion", 0, 0, 0, false, "nyy"},
                 {"dyck", 1, 4, 2, false, "yyy"},
                 {"dyck", 2, 3, 2, false, "yyy"},
                 {"counter", 7, 0, 1, false, "yyy"},
                 {"elevator", 9, 0, 1, false, "yyy"},
                 {"definite", 4, 0, 1, false, "yyy"},
                 {"modarith", 3, 0, 1, false, "nny"},
                 {"modarith", 5, 0, 1, false, "nny"},
                 {"modarith-prec", 4, 0, 1, false, "nyy"},
                 {"transformations", 3, 0, 1, false, "nny"},
                 {"transformations", 4, 0, 1, false, "nny"},
                 {"transformations", 5, 0, 1, false, "nnn"},
                 {"tomita", 1, 0, 1, false, "yyy"},
                 {"tomita", 2, 0, 1, false, "yyy"},
                 {"tomita", 3, 0, 1, false, "nyy"},
                 {"tomita", 4, 0, 1, false, "yyy"},
                 {"tomita", 5, 0, 1, false, "nyy"},
                 {"tomita", 6, 0, 1, false, "nny"},
                 {"tomita", 7, 0, 1, false, "yyy"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_classify c;
        family(&fsa, table[i].kind, table[i].a, table[i].b, table[i].count, table[i].generators);
        classify(&c, &fsa, NULL);
        expect(table[i].kind, &c, table[i].answers);
        cr_assert(c.groups_known);
        f2l_classify_clear(&c);
        f2l_classify_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* The rows follow from the answers, and no row with `cannot` contradicts an answer. The letters are
 * those of the verdicts: can, cannot, published, unless, open. */
Test(classify, rows)
{
    static const char letter[] = {
        [F2L_LADDER_CAN] = 'c',    [F2L_LADDER_PUBLISHED] = 'p', [F2L_LADDER_CANNOT] = 'n',
        [F2L_LADDER_UNLESS] = 'u', [F2L_LADDER_OPEN] = 'o',      [F2L_LADDER_UNKNOWN] = '?'};
    static const struct {
        const char *kind;
        uint64_t a;
        size_t count;
        const char *verdicts;
    } table[] = {{"flipflop", 0, 0, "ccccccccccccccccccccccccccccccccccp"},
                 {"cyclic", 4, 1, "nccncncncncncnccccccccnncnncoccpppp"},
                 {"cyclic", 3, 1, "nncncncncncncncccccnccnncnncoccpppp"},
                 {"modarith", 3, 1, "nncncncncncccccccccnccnocnccoccppcp"},
                 {"alternating", 5, 1, "nnnncncncncncncccccnccnncnncoccuoou"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_classify c;
        family(&fsa, table[i].kind, table[i].a, 0, table[i].count, false);
        classify(&c, &fsa, NULL);
        for (size_t k = 0; k < F2L_LADDER_CLASSES; k++) {
            const f2l_ladder_row *row = &c.row[k];
            cr_assert_eq(letter[row->verdict], table[i].verdicts[k], "%s, %s: %s", table[i].kind,
                         row->name, f2l_ladder_verdict_name(row->verdict));
            cr_assert(row->statement[0] && row->scope[0], "%s", row->name);
            cr_assert_eq(row->construction[0] != 0, row->verdict == F2L_LADDER_CAN, "%s",
                         row->name);
            cr_assert_eq(row->witness || row->odd || row->pair,
                         row->verdict == F2L_LADDER_CANNOT || row->verdict == F2L_LADDER_UNLESS,
                         "%s", row->name);
            if (row->pair) cr_assert_eq(f2l_word_pair_check(c.fsa, &c.pair, NULL), F2L_OK);
            if (row->witness) cr_assert_gt(c.any.length, 0);
            if (row->odd) cr_assert_gt(c.odd.length, 0);
        }
        f2l_classify_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* Every class has a paper, a range, a claim and a scope, and a name of its own. */
Test(classify, models)
{
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_ladder_model *m = &f2l_ladder_models[i];
        cr_assert(m->id && m->name && m->models && m->paper[0] && m->range[0]);
        cr_assert(m->claim[0] && m->scope[0]);
        cr_assert(m->year > 2016 && m->year < 2100);
        for (size_t k = 0; k < i; k++) cr_assert_str_neq(m->id, f2l_ladder_models[k].id);
    }
}

/* Makes the automaton of GD.5 with n letters in the place of eight: letter i leads (i, s) to (i +
 * 1, s), the last one to (0, -s), and all else to a state that nothing leaves. */
static void make_circle(f2l_fsa *fsa, uint32_t n)
{
    const uint32_t dead = 2 * n;
    table_init(fsa, dead + 1, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t q = 0; q <= dead; q++)
            table_set(fsa, q, i, q == dead || q % n != i ? dead : (q + 1) % dead);
}

/* GDN-2 with b in [0,1], and RWKV-7: a letter that acts as a cycle excludes the automaton, and
 * words do not, for which GDN-2 needs infinitely many states. */
Test(classify, letters_decide_and_words_do_not)
{
    f2l_fsa fsa;
    f2l_classify c;
    const f2l_ladder_row *row = &c.row[F2L_LADDER_GDN2], *rwkv7 = &c.row[F2L_LADDER_RWKV7];
    for (uint32_t n = 1; n <= 4; n++) {
        make_circle(&fsa, n);
        classify(&c, &fsa, NULL);
        cr_assert_eq(c.any.length, n);
        cr_assert_eq(row->verdict, n == 1 ? F2L_LADDER_CANNOT : F2L_LADDER_CAN);
        cr_assert_eq(rwkv7->verdict, row->verdict);
        cr_assert_eq(row->witness, n == 1);
        cr_assert_str_eq(row->statement, n == 1 ? "GD.7" : "RL.17");
        cr_assert_str_eq(rwkv7->statement, n == 1 ? "L.18" : "RL.17");
        cr_assert_not_null(strstr(row->scope, "(L.16"));
        cr_assert_not_null(strstr(row->remark, n == 1 ? "1.156 (GD.3)" : "(GD.10)"));
        if (n > 1) cr_assert_eq(row->layers, 3);
        f2l_classify_clear(&c);
        f2l_fsa_clear(&fsa);
    }
    family(&fsa, "definite", 2, 0, 1, false);
    classify(&c, &fsa, NULL);
    cr_assert_not_null(strstr(row->remark, "cannot (GD.2)"));
    cr_assert_str_eq(c.row[F2L_LADDER_DELTAPRODUCT_POSITIVE].remark, "");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

static void factors(const char *kind, uint64_t a, const char *name, const char *order,
                    const char *expected)
{
    f2l_fsa fsa;
    f2l_classify c;
    family(&fsa, kind, a, 0, a != 0, strcmp(kind, "transformations") != 0);
    classify(&c, &fsa, NULL);
    cr_assert_geq(c.groups, 1);
    cr_assert_str_eq(c.group[0].name, name);
    cr_assert_str_eq(c.group[0].order, order);
    cr_assert_str_eq(c.group[0].factors, expected);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

Test(classify, composition_factors)
{
    factors("symmetric", 4, "S_4", "24", "Z_2 (x3), Z_3");
    factors("symmetric", 5, "S_5", "120", "Z_2, A_5");
    factors("alternating", 6, "A_6", "360", "A_6");
    factors("cyclic", 60, "Z_60", "60", "Z_2 (x2), Z_3, Z_5");
    factors("quaternion", 0, "Q_8", "8", "Z_2 (x3)");
    factors("transformations", 9, "S_9", "362880", "Z_2, A_9");
    factors("dihedral", 15, "D_15", "30", "Z_2, Z_3, Z_5");
}

/* PSL(2,7) on 7 points is not a giant: its structure is found by listing. */
Test(classify, simple_group)
{
    f2l_fsa fsa;
    f2l_classify c;
    fsa_from_text(&fsa, "points 7\n"
                        "track points 1\n"
                        "permute a (1 2 3 4 5 6 7)\n"
                        "permute b (2 3)(4 7)\n");
    classify(&c, &fsa, NULL);
    expect("PSL(2,7)", &c, "nnn");
    cr_assert_str_eq(c.group[0].order, "168");
    cr_assert_str_eq(c.group[0].factors, "PSL(2,7)");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* Unreachable points do not count. */
Test(classify, unreachable_points)
{
    f2l_fsa fsa;
    f2l_classify c;
    fsa_from_text(&fsa, "points 5\ntrack points 1\npermute a (1 2)(3 4 5)\n");
    classify(&c, &fsa, NULL);
    expect("two of five points", &c, "nyy");
    cr_assert_eq(c.fsa->states.count, 2);
    cr_assert_str_eq(c.group[0].name, "Z_2");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "points 5\ntrack elements\npermute a (1 2)(3 4 5)\n");
    classify(&c, &fsa, NULL);
    expect("elements", &c, "nny");
    cr_assert_str_eq(c.group[0].name, "Z_6");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* The quotient by the labels may need less. */
Test(classify, labels)
{
    f2l_fsa fsa;
    f2l_classify c;
    family(&fsa, "cyclic", 6, 0, 1, false);
    memset(fsa.accept, 0, 6);
    fsa.has_accept = true;
    for (size_t q = 0; q < 6; q += 2) fsa.accept[q] = 1;
    classify(&c, &fsa, &(f2l_classify_options){.label = F2L_LABEL_ACCEPT});
    expect("even numbers", &c, "nyy");
    cr_assert_eq(c.fsa->states.count, 2);
    f2l_classify_clear(&c);
    f2l_error err = {0};
    cr_assert_eq(f2l_classify_build(&c, &fsa, &(f2l_classify_options){.label = F2L_LABEL_OUTPUTS},
                                    NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(err.text[0]);
    f2l_fsa_clear(&fsa);
}

/* L.5: the letter before the last, and a flip-flop. */
Test(classify, finitely_many_exact_states)
{
    f2l_fsa fsa;
    f2l_classify c;
    family(&fsa, "definite", 2, 0, 1, false);
    classify(&c, &fsa, NULL);
    cr_assert(!c.idempotent && !c.hold_or_reset && c.definite && c.k == 2);
    const size_t k = fsa.letters.count, once = fsa.next[c.state * k + c.letter];
    cr_assert_neq(fsa.next[once * k + c.letter], once, "the letter and state that are named");
    cr_assert_not_null(strstr(c.row[F2L_LADDER_DIAGONAL_POSITIVE].remark, "cannot (L.5)"));
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
    family(&fsa, "flipflop", 0, 0, 0, false);
    classify(&c, &fsa, NULL);
    cr_assert(c.idempotent && c.hold_or_reset);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* Beyond the limit of sets only questions are answered that permuting letters and words decide. */
Test(classify, beyond_the_limit)
{
    f2l_fsa fsa;
    f2l_classify c;
    const f2l_classify_options few = {.max_sets = 4};
    family(&fsa, "transformations", 6, 0, 1, false);
    classify(&c, &fsa, &few);
    expect("T_6", &c, "nnn");
    cr_assert(!c.groups_known && c.groups == 1 && c.group[0].level == 0);
    cr_assert_not_null(strstr(c.reason, "limit of 4"));
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
    family(&fsa, "dyck", 2, 2, 2, false);
    classify(&c, &fsa, &few);
    expect("dyck", &c, "uuu");
    cr_assert_eq(c.row[F2L_LADDER_DIAGONAL_POSITIVE].verdict, F2L_LADDER_UNKNOWN);
    cr_assert_eq(c.row[F2L_LADDER_DELTANET].verdict, F2L_LADDER_CAN);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
    family(&fsa, "modarith", 3, 0, 1, false);
    classify(&c, &fsa, &few);
    expect("modarith", &c, "nnu");
    cr_assert_eq(c.row[F2L_LADDER_DIAGONAL_REAL].verdict, F2L_LADDER_CANNOT);
    cr_assert_eq(c.row[F2L_LADDER_DIAGONAL_COMPLEX].verdict, F2L_LADDER_UNKNOWN);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* With hardly any maps allowed in the search, sets with a group, pairs and triples give words that
 * are short, but not shortest. */
Test(classify, words_beyond_the_limit)
{
    f2l_fsa fsa;
    f2l_classify c;
    family(&fsa, "modarith", 3, 0, 1, false);
    classify(&c, &fsa, &(f2l_classify_options){.cycles = {.maps = 3}});
    expect("modarith, three maps", &c, "nny");
    cr_assert(!c.any.shortest && !c.odd.shortest);
    f2l_classify_clear(&c);
    classify(&c, &fsa, &(f2l_classify_options){.max_sets = 4, .cycles = {.maps = 3}});
    expect("modarith, three maps, no sets", &c, "nnu");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

Test(classify, fewest_factors)
{
    f2l_fsa fsa;
    f2l_classify c;
    family(&fsa, "alternating", 5, 0, 1, false);
    classify(&c, &fsa, NULL);
    cr_assert_eq(c.householders, 2);
    cr_assert_eq(c.row[F2L_LADDER_DELTAPRODUCT].householders, 2);
    cr_assert_eq(c.row[F2L_LADDER_DELTAPRODUCT].layers, 1);
    cr_assert_eq(c.row[F2L_LADDER_DELTANET].layers, 4);
    cr_assert_str_eq(c.row[F2L_LADDER_DELTANET].statement, "L.10");
    f2l_classify_clear(&c);
    classify(&c, &fsa, &(f2l_classify_options){.max_order = 59});
    cr_assert_eq(c.householders, 0);
    cr_assert_str_eq(c.row[F2L_LADDER_DELTAPRODUCT].statement, "T3");
    cr_assert_eq(c.row[F2L_LADDER_DELTAPRODUCT].householders, 4);
    cr_assert_eq(c.row[F2L_LADDER_DELTAPRODUCT].dimension, 5);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* T5, D2, R1 and T3 give the layers and statement of the row for one reflection a letter. */
Test(classify, one_reflection)
{
    static const struct {
        const char *text, *statement;
        size_t layers, dimension;
    } table[] = {
        {"points 5\ntrack points 1\npermute a (1 2 3 4 5)\n", "T5", 2, 2},
        {"points 3\ntrack points 1\npermute a (1 2 3)\n", "T5", 2, 4},
        {"points 5\ntrack elements\npermute a (1 2 3 4 5)\npermute b (2 5)(3 4)\n", "D2", 2, 2},
        {"points 5\ntrack elements\npermute b (2 5)(3 4)\npermute a (1 2)(3 5)\n", "R1", 1, 2},
        {"points 4\ntrack elements\npermute a (1 2 3 4)\npermute b (1 2)\n", "L.10", 4, 0},
        {"points 7\n"
         "track elements\n"
         "permute a (1 2)\n"
         "permute b (2 3)\n"
         "permute c (3 4)\n"
         "permute d (4 5)\n"
         "permute e (5 6)\n"
         "permute f (6 7)\n",
         "T3", 1, 7}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_classify c;
        fsa_from_text(&fsa, table[i].text);
        classify(&c, &fsa, NULL);
        const f2l_ladder_row *row = &c.row[F2L_LADDER_DELTANET];
        cr_assert_str_eq(row->statement, table[i].statement, "%s: %s", table[i].text,
                         row->statement);
        cr_assert_eq(row->layers, table[i].layers, "%s", table[i].text);
        cr_assert_eq(row->householders, 1);
        cr_assert_eq(row->dimension, table[i].dimension, "%s: %zu", table[i].text, row->dimension);
        f2l_classify_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* The figures of a row equal the figures of the network that T4 builds from the cascade. */
Test(classify, cascade_figures)
{
    static const struct {
        const char *kind;
        uint64_t a, b;
        size_t count;
    } table[] = {{"modarith", 3, 0, 1},        {"transformations", 3, 0, 1},
                 {"transformations", 5, 0, 1}, {"dyck", 2, 3, 2},
                 {"tomita", 7, 0, 1},          {"counter", 5, 0, 1},
                 {"modarith-prec", 3, 0, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t gated = 0; gated < 2; gated++) {
            f2l_fsa fsa;
            f2l_cascade cascade;
            f2l_t4_figures figures;
            f2l_t4_report report = {0};
            f2l_net net;
            f2l_net_size size;
            f2l_classify c;
            f2l_cascade_init(&cascade);
            f2l_net_init(&net);
            family(&fsa, table[i].kind, table[i].a, table[i].b, table[i].count, false);
            classify(&c, &fsa, NULL);
            cr_assert_eq(f2l_cascade_build(&cascade, &fsa, F2L_CASCADE_HOLONOMY, 0, NULL, NULL),
                         F2L_OK);
            cr_assert_eq(
                f2l_t4_build(&net, &report, &cascade, &fsa, F2L_LABEL_STATES, gated, NULL, NULL),
                F2L_OK);
            f2l_net_measure(&size, &net);
            figures = gated ? c.gated : c.cascade;
            cr_assert_eq(figures.layers, size.layers, "%s", table[i].kind);
            cr_assert_eq(figures.householders, size.householders, "%s", table[i].kind);
            cr_assert_eq(figures.key_dim, size.key_dim, "%s", table[i].kind);
            const f2l_ladder_row *row = &c.row[gated ? F2L_LADDER_GATED : F2L_LADDER_DELTAPRODUCT];
            if (strcmp(row->statement, gated ? "D4" : "T4") == 0) {
                cr_assert_eq(row->layers, size.layers);
                cr_assert_eq(row->householders, size.householders);
                cr_assert_eq(row->dimension, size.key_dim);
            }
            f2l_t4_report_clear(&report);
            f2l_net_clear(&net);
            f2l_cascade_clear(&cascade);
            f2l_classify_clear(&c);
            f2l_fsa_clear(&fsa);
        }
}

/* L.6' gives the derived length for complex diagonal layers, and elementary abelian steps for real
 * ones; 0: the row is not `can`. */
Test(classify, layers_at_least)
{
    static const struct {
        const char *kind;
        uint64_t a;
        size_t count, real, complex;
    } table[] = {
        {"cyclic", 4, 1, 2, 1},          {"cyclic", 8, 1, 3, 1},      {"cyclic", 60, 1, 0, 1},
        {"dihedral", 4, 1, 2, 2},        {"quaternion", 0, 0, 2, 2},  {"symmetric", 3, 1, 0, 2},
        {"symmetric", 4, 1, 0, 3},       {"alternating", 4, 1, 0, 2}, {"alternating", 5, 1, 0, 0},
        {"transformations", 4, 1, 0, 3}, {"flipflop", 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_classify c;
        family(&fsa, table[i].kind, table[i].a, 0, table[i].count, false);
        classify(&c, &fsa, NULL);
        cr_assert_eq(c.row[F2L_LADDER_DIAGONAL_REAL].layers_at_least, table[i].real, "%s %zu",
                     table[i].kind, (size_t)table[i].a);
        cr_assert_eq(c.row[F2L_LADDER_DIAGONAL_COMPLEX].layers_at_least, table[i].complex, "%s %zu",
                     table[i].kind, (size_t)table[i].a);
        f2l_classify_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* If sets pass the limit, the bound is |Q| - 1 levels, and two words if the permuting letters have
 * no series. */
Test(classify, layers_beyond_the_limit)
{
    f2l_fsa fsa;
    f2l_classify c;
    const f2l_classify_options few = {.max_sets = 4};
    family(&fsa, "transformations", 7, 0, 1, false);
    classify(&c, &fsa, &few);
    cr_assert_eq(c.levels, 0);
    cr_assert_eq(c.row[F2L_LADDER_DELTAPRODUCT].layers, 6);
    cr_assert_eq(c.row[F2L_LADDER_GATED].layers, 11);
    cr_assert_eq(c.row[F2L_LADDER_DELTANET].layers, 14);
    cr_assert_str_eq(c.pair.group, "S_7");
    cr_assert_null(c.pair.state);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

/* Only the letter a permutes all six states; the group acts on five of them. */
Test(classify, two_words_on_a_set)
{
    f2l_fsa fsa;
    f2l_classify c;
    fsa_from_text(&fsa, "start 1\n"
                        "1 a 2\n"
                        "2 a 3\n"
                        "3 a 4\n"
                        "4 a 5\n"
                        "5 a 1\n"
                        "1 b 2\n"
                        "2 b 1\n"
                        "3 b 3\n"
                        "4 b 4\n"
                        "5 b 5\n"
                        "6 a 6\n"
                        "6 b 1\n"
                        "1 c 1\n"
                        "2 c 6\n"
                        "3 c 3\n"
                        "4 c 4\n"
                        "5 c 5\n"
                        "6 c 6\n");
    classify(&c, &fsa, NULL);
    expect("S_5 on a set", &c, "nnn");
    cr_assert_eq(c.pair.states, 5);
    cr_assert_not_null(c.pair.state);
    cr_assert_str_eq(c.pair.group, "S_5");
    cr_assert_eq(f2l_word_pair_check(c.fsa, &c.pair, NULL), F2L_OK);
    c.pair.state[0] = c.pair.state[1];
    cr_assert_eq(f2l_word_pair_check(c.fsa, &c.pair, NULL), F2L_EDOMAIN, "a state twice");
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

Test(classify, one_state)
{
    f2l_fsa fsa;
    f2l_classify c;
    table_init(&fsa, 1, 1);
    classify(&c, &fsa, NULL);
    expect("one state", &c, "yyy");
    cr_assert_eq(c.row[F2L_LADDER_DELTANET].layers, 1);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

Test(classify, reports)
{
    f2l_fsa fsa;
    f2l_classify c;
    f2l_buf text;
    f2l_error err = {0};
    family(&fsa, "modarith", 3, 0, 1, false);
    classify(&c, &fsa, NULL);
    f2l_classify_built built[F2L_LADDER_CLASSES] = {0};
    built[F2L_LADDER_DELTANET] = (f2l_classify_built){
        .tried = true, .status = F2L_EDOMAIN, .reason = "none \"here\",\nor there"};
    const f2l_classify_report report = {
        .grammar = "some/modarith.fsa", .classify = &c, .states = fsa.states.count, .built = built};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_classify_report_kind, &report, &err), F2L_OK);
    cr_assert_not_null(strstr(text.data, "modarith.fsa: 11 states"));
    cr_assert_null(strstr(text.data, "some/"));
    cr_assert_not_null(strstr(text.data, "1 + (2 letters, the shortest) takes begin -> 1+ -> 2+ -> "
                                         "begin"));
    cr_assert_not_null(strstr(text.data, "no: none \"here\""));
    size_t column = 0;
    for (size_t i = 0; i < text.size; i++) {
        column = text.data[i] == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 100, "%.*s", 120, text.data + i + 1 - column);
    }
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_classify_csv_kind, &report, &err), F2L_OK);
    cr_assert_not_null(strstr(text.data, ",\"none \"\"here\"\",\\u000aor there\",\n"), "%s",
                       text.data);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_classify_report_kind, &report, &err), F2L_OK);
    json_t *o = json_loads(text.data, 0, NULL);
    cr_assert_eq(json_array_size(json_object_get(o, "classes")), F2L_LADDER_CLASSES);
    cr_assert(json_is_true(json_object_get(o, "solvable")));
    cr_assert_eq(json_array_size(json_object_get(json_object_get(o, "odd_cycle_word"), "cycle")),
                 3);
    json_decref(o);
    f2l_buf_clear(&text);
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
}

static void fail_every_allocation(const f2l_fsa *fsa)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        f2l_classify c;
        f2l_mem_fail_after(n, true);
        const f2l_status status = f2l_classify_build(&c, fsa, NULL, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_classify_clear(&c);
        if (status == F2L_OK) {
            cr_assert_gt(n, 50);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
#else
    (void)fsa;
#endif
}

static void agrees(f2l_ternary limited, f2l_ternary truth)
{
    cr_assert(limited == truth || limited == F2L_TERNARY_UNKNOWN);
}

/* With any effort every statement is true. */
Test(classify, effort)
{
    static const struct {
        const char *family;
        uint64_t number, more;
        size_t count;
    } all[] = {{"transformations", 5, 0, 1},
               {"dyck", 2, 3, 2},
               {"dihedral", 6, 0, 1},
               {"definite", 3, 0, 1},
               {"symmetric", 5, 0, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        f2l_fsa fsa;
        f2l_classify whole, part;
        f2l_error err = {0};
        family(&fsa, all[i].family, all[i].number, all[i].more, all[i].count, false);
        cr_assert_eq(f2l_classify_build(&whole, &fsa, NULL, NULL, &err), F2L_OK, "%s", err.text);
        for (uint64_t limit = 1; limit < 100000000; limit *= 3) {
            f2l_effort effort = {.limit = limit};
            const f2l_task task = {.effort = &effort};
            cr_assert_eq(f2l_classify_build(&part, &fsa, NULL, &task, &err), F2L_OK, "%s",
                         err.text);
            cr_assert_not(part.stopped);
            agrees(part.aperiodic, whole.aperiodic);
            agrees(part.two_groups, whole.two_groups);
            agrees(part.solvable, whole.solvable);
            for (size_t r = 0; r < F2L_LADDER_CLASSES; r++)
                cr_assert(part.row[r].verdict == whole.row[r].verdict ||
                          part.row[r].verdict == F2L_LADDER_UNKNOWN);
            f2l_classify_clear(&part);
        }
        f2l_classify_clear(&whole);
        f2l_fsa_clear(&fsa);
    }
}

Test(classify, stopped)
{
    f2l_fsa fsa;
    f2l_classify c;
    f2l_error err = {0};
    const volatile sig_atomic_t stop = 2;
    const f2l_task cancelled = {.cancel = &stop};
    family(&fsa, "transformations", 4, 0, 1, false);
    cr_assert_eq(f2l_classify_build(&c, &fsa, NULL, &cancelled, &err), F2L_OK, "%s", err.text);
    cr_assert(c.stopped && f2l_classify_open(&c) && !c.groups_known);
    cr_assert_not_null(strstr(c.reason, "interrupted"), "%s", c.reason);
    cr_assert_neq(c.aperiodic, F2L_TERNARY_YES);
    f2l_classify_clear(&c);
    fail_every_allocation(&fsa);
    f2l_fsa_clear(&fsa);
    family(&fsa, "transformations", 5, 0, 1, false);
    fail_every_allocation(&fsa);
    f2l_fsa_clear(&fsa);
    family(&fsa, "dihedral", 5, 0, 1, false);
    fail_every_allocation(&fsa);
    f2l_fsa_clear(&fsa);
}

/* Text, JSON and CSV with a network report that memory was out, or are complete. */
Test(classify, reports_without_memory)
{
#ifdef F2L_MEM_FAILURES
    const f2l_report_kind *const form[] = {&f2l_classify_report_kind, &f2l_classify_report_kind,
                                           &f2l_classify_csv_kind};
    f2l_classify_built built[F2L_LADDER_CLASSES] = {0};
    f2l_classify_built *one = &built[F2L_LADDER_DELTANET];
    f2l_classify c;
    f2l_fsa fsa;
    family(&fsa, "cyclic", 2, 0, 1, false);
    classify(&c, &fsa, NULL);
    one->tried = true;
    one->request.bounds.householders = 1;
    one->network = (f2l_compile_entry){.theorem = "T3", .variant = "a, b", .formats = 1};
    one->network.format[0].format = f2l_format_find("bf16");
    const f2l_classify_report report = {
        .grammar = "z2.fsa", .classify = &c, .states = 2, .built = built};
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        f2l_status status = F2L_ENOMEM;
        for (size_t n = 1; status == F2L_ENOMEM; n++) {
            f2l_buf text;
            f2l_buf_init(&text);
            f2l_mem_fail_after(n, n % 2 == 0);
            status = f2l_report_write(&text, form[k], &report, k == 1, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status != F2L_OK || (n > 2 && strstr(text.data, "a, b")), "%zu", n);
            f2l_buf_clear(&text);
        }
        cr_assert_eq(status, F2L_OK);
    }
    f2l_classify_clear(&c);
    f2l_fsa_clear(&fsa);
#endif
}
