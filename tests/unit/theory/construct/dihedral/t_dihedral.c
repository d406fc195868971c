/* T5 and D2: closed tables, words added up by hand, the angles of the reflections, and refusals. */
#include "automata/family/family.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/head_field.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/dihedral/dihedral.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_dihedral_report report;
} fixture;

static void build(fixture *f, f2l_label label)
{
    f2l_error err = {0};
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_dihedral_build(&f->net, &f->report, &f->fsa, label, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_net_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

static void open_family(fixture *f, const char *kind, uint64_t n, bool generators)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, 1, generators, &err), F2L_OK, "%s", err.text);
    build(f, F2L_LABEL_STATES);
}

static void open_text(fixture *f, const char *text, f2l_label label)
{
    fsa_from_text(&f->fsa, text);
    build(f, label);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static size_t close_exactly(fixture *f, f2l_status verdict)
{
    f2l_closure closure;
    f2l_error err = {0};
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &f->net, &f->fsa, 0, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(closure.verdict, verdict, "%s: %s", f2l_status_name(closure.verdict),
                 closure.reason);
    const size_t rows = closure.rows;
    f2l_closure_clear(&closure);
    return rows;
}

static size_t degree_of(size_t m)
{
    size_t units = 0;
    for (size_t i = 1; i <= m; i++) {
        size_t a = i, b = m;
        while (b) {
            const size_t r = a % b;
            a = b, b = r;
        }
        units += a == 1;
    }
    return units < 2 ? 1 : units / 2;
}

/* Checks that a token has at most one factor in the first layer and exactly one in the second, and
 * that the field is the page's. */
static void expect_shape(const fixture *f, bool dihedral, size_t m)
{
    f2l_net_size size;
    const f2l_layer *second = &f->net.layer[1];
    f2l_net_measure(&size, &f->net);
    cr_assert(size.layers == 2 && size.heads == 1 && size.householders == 1 && size.value_dim == 1);
    cr_assert(f->report.dihedral == dihedral && f->report.m == m && f->report.codes == 2 * m);
    cr_assert_eq(f->report.degree, degree_of(m), "m = %zu: degree %zu", m, f->report.degree);
    cr_assert_eq(f2l_head_degree(&second->head[0]), f->report.degree);
    cr_assert(m == 4 || f->report.dyadic == (m < 4));
    cr_assert(f->report.reflections <= m && second->codes == 2 * m);
    cr_assert(second->letters <= (dihedral ? 2 : 1) * f->report.reflections);
    for (size_t x = 0; x < second->letters; x++) {
        const f2l_transition *letter = &second->head[0].letter[x];
        cr_assert(letter->factors == 1 && mpq_cmp_ui(letter->factor[0].beta, 2, 1) == 0 &&
                  letter->factor[0].c.count == 0 && mpq_cmp_ui(letter->gate, 1, 1) == 0);
    }
}

Test(dihedral, sums_modulo_m_close)
{
    for (size_t m = 1; m <= 60; m++) {
        for (int generators = m > 24 && m % 6 != 0 && m != 59; generators < 2; generators++) {
            fixture f;
            open_family(&f, "cyclic", m, generators == 1);
            expect_shape(&f, false, m);
            for (size_t a = 0; a < f.fsa.letters.count; a++)
                cr_assert_eq(f.net.layer[0].head[0].letter[a].factors, 1);
            const size_t rows = close_exactly(&f, F2L_OK);
            cr_assert(rows <= 2 * m);
            if (!generators) cr_assert(rows == 2 * m && f.report.reflections == m);
            done(&f);
        }
    }
}

Test(dihedral, symmetries_of_polygons_close)
{
    for (size_t m = 2; m <= 60; m++) {
        for (int generators = m > 16 && m != 36 && m != 47 && m != 60; generators < 2;
             generators++) {
            fixture f;
            open_family(&f, "dihedral", m, generators == 1);
            expect_shape(&f, true, m);
            const size_t rows = close_exactly(&f, F2L_OK);
            cr_assert(rows <= 4 * m && (generators || rows == 4 * m), "%zu rows for m = %zu", rows,
                      m);
            done(&f);
        }
    }
}

static size_t number_of(const char *text)
{
    return (size_t)strtoul(text, NULL, 10);
}

/* Letters and labels of the family are the addends and the sums themselves. */
Test(dihedral, words_are_added_up)
{
    static const size_t moduli[] = {1, 2, 3, 4, 5, 12, 31, 60};
    f2l_rng rng;
    f2l_rng_init(&rng, 111, 0);
    for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++) {
        const size_t m = moduli[i];
        fixture f;
        f2l_exact *run;
        size_t joint[2], label, sum = 0;
        open_family(&f, "cyclic", m, false);
        cr_assert_eq(f2l_exact_new(&run, &f.net, NULL), F2L_OK);
        cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
        for (size_t t = 0; t < 3000; t++) {
            const size_t a = f2l_rng_below(&rng, m);
            sum = (sum + number_of(f2l_names_get(&f.net.letters, a))) % m;
            cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
            cr_assert_eq(number_of(f2l_names_get(&f.net.labels, label)), sum, "seed 111, m = %zu",
                         m);
        }
        f2l_exact_free(run);
        done(&f);
    }
}

Test(dihedral, random_words)
{
    static const char *const kinds[] = {"cyclic", "dihedral"};
    f2l_rng rng;
    f2l_rng_init(&rng, 112, 0);
    for (size_t i = 0; i < 40; i++) {
        fixture f;
        f2l_exact *run;
        size_t joint[2], label, state;
        open_family(&f, kinds[i % 2], f2l_rng_below(&rng, 40) + 2, f2l_rng_below(&rng, 2) == 1);
        state = f.fsa.start;
        cr_assert_eq(f2l_exact_new(&run, &f.net, NULL), F2L_OK);
        cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
        cr_assert_str_eq(f2l_names_get(&f.net.labels, f.net.start),
                         f2l_names_get(&f.fsa.states, state));
        for (size_t t = 0; t < 500; t++) {
            const size_t a = f2l_rng_below(&rng, f.fsa.letters.count);
            state = f.fsa.next[state * f.fsa.letters.count + a];
            cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
            cr_assert_str_eq(f2l_names_get(&f.net.labels, label),
                             f2l_names_get(&f.fsa.states, state));
        }
        f2l_exact_free(run);
        done(&f);
    }
}

static double dot(const f2l_qvec *u, const f2l_qvec *v)
{
    double sum = 0, uu = 0, vv = 0;
    for (size_t i = 0; i < u->count; i++) uu += mpq_get_d(u->value[i]) * mpq_get_d(u->value[i]);
    for (size_t i = 0; i < v->count; i++) vv += mpq_get_d(v->value[i]) * mpq_get_d(v->value[i]);
    for (size_t i = 0, j = 0; i < u->count && j < v->count;) {
        if (u->index[i] == v->index[j])
            sum += mpq_get_d(u->value[i++]) * mpq_get_d(v->value[j++]);
        else if (u->index[i] < v->index[j])
            i++;
        else
            j++;
    }
    return sum / sqrt(uu * vv);
}

/* Two tokens, a and then b, are the reflections (a, 1) and (b, 0), so a turn by 2 pi (a + b) / m,
 * whose trace 2 cos equals 4 cos^2 - 2 of the angle between the keys. */
Test(dihedral, two_tokens_turn_by_their_sum)
{
    for (size_t m = 2; m <= 13; m++) {
        fixture f;
        f2l_net view;
        open_family(&f, "cyclic", m, false);
        f2l_net_init(&view);
        cr_assert_eq(f2l_net_orthonormal(&view, &f.net, 0, NULL), F2L_OK);
        for (size_t a = 0; a < m; a++) {
            for (size_t b = 0; b < m; b++) {
                const uint32_t x = f2l_layer_symbol(&f.net.layer[0], a, 1);
                const uint32_t y = f2l_layer_symbol(&f.net.layer[0], b, 0);
                const f2l_transition *letter = view.layer[1].head[0].letter;
                const double c = dot(&letter[x].factor[0].u, &letter[y].factor[0].u);
                const size_t sum = number_of(f2l_names_get(&f.net.letters, a)) +
                                   number_of(f2l_names_get(&f.net.letters, b));
                const double trace = 2 * cos(2 * acos(-1) * (double)sum / (double)m);
                cr_assert(fabs(4 * c * c - 2 - trace) < 1e-12, "m = %zu: %zu, %zu", m, a, b);
            }
        }
        f2l_net_clear(&view);
        done(&f);
    }
}

/* m <= 3: nothing is rounded in the usual formats. */
Test(dihedral, small_groups_are_exact_in_every_format)
{
    for (uint64_t m = 1; m <= 3; m++) {
        for (int dihedral = 0; dihedral < 2; dihedral++) {
            fixture f;
            f2l_closure closure;
            f2l_closure_init(&closure);
            open_family(&f, dihedral ? "dihedral" : "cyclic", m, false);
            cr_assert(f2l_net_is_plain(&f.net));
            const size_t rows = close_exactly(&f, F2L_OK);
            for (const f2l_format *format = f2l_formats; format < f2l_formats + F2L_USUAL_FORMATS;
                 format++) {
                cr_assert_eq(f2l_closure_float(&closure, &f.net, &f.fsa, format,
                                               f2l_schedule_find("every"), 0, NULL, NULL),
                             F2L_OK);
                cr_assert(closure.verdict == F2L_OK && closure.rows == rows);
            }
            f2l_closure_clear(&closure);
            done(&f);
        }
    }
}

/* The table of T5.4 for one letter, the addend 1; 0 rows: refuted. */
Test(dihedral, rounded_counters)
{
    static const char *const formats[] = {"bf16", "fp16", "fp32", "fp64"};
    static const size_t rows[][4] = {{4, 4, 4, 4},
                                     {1230, 154, 54, 1074},
                                     {24, 54, 14, 10},
                                     {0, 76, 2046, 2604},
                                     {10, 8, 10, 16}};
    for (size_t m = 4; m <= 8; m++) {
        fixture f;
        f2l_closure closure;
        f2l_closure_init(&closure);
        open_family(&f, "cyclic", m, true);
        cr_assert_eq(f.report.dyadic, m == 4); /* the keys of one letter are orthogonal there */
        for (size_t i = 0; i < 4; i++) {
            cr_assert_eq(f2l_closure_float(&closure, &f.net, &f.fsa, f2l_format_find(formats[i]),
                                           f2l_schedule_find("every"), 0, NULL, NULL),
                         F2L_OK);
            const size_t expected = rows[m - 4][i];
            cr_assert_eq(closure.verdict, expected ? F2L_OK : F2L_REFUTED);
            cr_assert_eq(expected ? closure.rows : closure.word_length, expected ? expected : 160,
                         "m = %zu, %s: %zu", m, formats[i], closure.rows);
        }
        f2l_closure_clear(&closure);
        done(&f);
    }
}

static void expect_text(const char *text, f2l_label label, bool dihedral, size_t m)
{
    fixture f;
    open_text(&f, text, label);
    expect_shape(&f, dihedral, m);
    close_exactly(&f, F2L_OK);
    done(&f);
}

Test(dihedral, groups_are_recognised_from_any_letters)
{
    /* Z_6 from letters of order 2 and 3; also with the identity and with a letter twice. */
    expect_text("points 5\n"
                "track elements\n"
                "permute a (1 2)\n"
                "permute b (3 4 5)\n",
                F2L_LABEL_STATES, false, 6);
    expect_text("points 5\n"
                "track elements\n"
                "permute e ()\n"
                "permute a (1 2)(3 4 5)\n"
                "permute b (1 2)(3 4 5)\n",
                F2L_LABEL_STATES, false, 6);
    /* D_6 = S_3 x Z_2 and D_5 from two reflections, D_4 on the corners of a square, the
     * four-group. */
    expect_text("points 6\ntrack elements\npermute a (1 2)(3 6)(4 5)\npermute b (2 6)(3 5)\n",
                F2L_LABEL_STATES, true, 6);
    expect_text("points 5\n"
                "track elements\n"
                "permute a (2 5)(3 4)\n"
                "permute b (1 2)(3 5)\n",
                F2L_LABEL_STATES, true, 5);
    expect_text("points 4\n"
                "track points 2\n"
                "permute r (1 2 3 4)\n"
                "permute s (1 3)\n",
                F2L_LABEL_STATES, true, 4);
    expect_text("points 7\ntrack points 1\npermute r (1 2 3 4 5 6 7)\npermute s (2 7)(3 6)(4 5)\n",
                F2L_LABEL_STATES, true, 7);
    expect_text("points 4\n"
                "track elements\n"
                "permute a (1 2)\n"
                "permute b (3 4)\n",
                F2L_LABEL_STATES, true, 2);
    expect_text("points 4\n"
                "track points 1\n"
                "permute a (1 2)(3 4)\n"
                "permute b (1 3)(2 4)\n"
                "permute c ()\n",
                F2L_LABEL_STATES, true, 2);
    /* Points that the start does not reach. */
    expect_text("points 9\n"
                "track points 1\n"
                "permute a (1 2 3 4 5)(6 7)\n",
                F2L_LABEL_STATES, false, 5);
    /* Labels of more than one state. */
    expect_text("start a\naccept a c\na x b\nb x c\nc x d\nd x a\na y c\nb y d\nc y a\nd y b\n",
                F2L_LABEL_ACCEPT, false, 4);
    expect_text("start a\n"
                "output a one\n"
                "output b two\n"
                "output c two\n"
                "a x b\n"
                "b x c\n"
                "c x a\n"
                "a y a\n"
                "b y c\n"
                "c y b\n",
                F2L_LABEL_OUTPUTS, true, 3);
    /* only the identity as a letter */
    expect_text("start a\na x a\n", F2L_LABEL_STATES, false, 1);
}

static void refuse(const char *text, f2l_label label, const char *words)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_dihedral_report report;
    f2l_error err = {0};
    fsa_from_text(&fsa, text);
    f2l_net_init(&net);
    cr_assert_eq(f2l_dihedral_build(&net, &report, &fsa, label, NULL, &err), F2L_EDOMAIN, "%s",
                 text);
    cr_assert(strstr(err.text, words) != NULL, "%s", err.text);
    cr_assert(net.layers == 0 && net.letters.count == 0);
    f2l_fsa_clear(&fsa);
}

Test(dihedral, other_groups_are_refused)
{
    static const char neither[] = "neither cyclic nor dihedral";
    refuse("points 4\n"
           "track points 1\n"
           "permute a (1 2)\n"
           "permute b (1 2 3 4)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 4\n"
           "track elements\n"
           "permute a (1 2 3)\n"
           "permute b (1 2)(3 4)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 6\n"
           "track elements\n"
           "permute a (1 2)\n"
           "permute b (3 4 5 6)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 6\n"
           "track elements\n"
           "permute a (1 2)\n"
           "permute b (3 4)\n"
           "permute c (5 6)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 6\n"
           "track elements\n"
           "permute a (1 2 3)\n"
           "permute b (4 5 6)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 8\ntrack elements\npermute i (1 2 3 4)(5 6 7 8)\npermute j (1 5 3 7)(2 8 4 6)\n",
           F2L_LABEL_STATES, neither); /* Q_8 */
    refuse("points 7\n"
           "track elements\n"
           "permute a (1 2 3)\n"
           "permute b (1 2)(4 5 6 7)\n",
           F2L_LABEL_STATES, neither); /* dicyclic of order 12 */
    refuse("points 8\ntrack points 1\npermute a (1 2 3 4 5 6 7 8)\npermute b (2 4)(3 7)(6 8)\n",
           F2L_LABEL_STATES, neither); /* semidihedral of order 16 */
    refuse("points 9\ntrack points 1\npermute a (1 2 3 4 5 6 7 8 9)\npermute b (2 5 8)(3 9 6)\n",
           F2L_LABEL_STATES, neither);
    refuse("points 6\n"
           "track points 1\n"
           "permute a (1 2 3 4 5 6)\n"
           "permute b (1 2)\n",
           F2L_LABEL_STATES, neither);
    refuse("start a\na x b\nb x b\n", F2L_LABEL_STATES, "x");
    refuse("start a\na x b\nb x a\n", F2L_LABEL_OUTPUTS, "output");
}

/* Checks that Z_m is refused as too large, not as impossible, since the theorem has a network. */
static void refuse_cyclic(uint64_t m, const char *words)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_dihedral_report report;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    f2l_net_init(&net);
    cr_assert_eq(f2l_family_build(&fsa, "cyclic", &m, 1, true, &err), F2L_OK);
    cr_assert_eq(f2l_dihedral_build(&net, &report, &fsa, F2L_LABEL_STATES, NULL, &err),
                 F2L_UNKNOWN);
    cr_assert(strstr(err.text, words) != NULL, "%s", err.text);
    f2l_fsa_clear(&fsa);
}

Test(dihedral, fields_that_are_too_large_are_refused)
{
    fixture f;
    refuse_cyclic(131, "too large"); /* 130 units */
    refuse_cyclic(512, "too large");
    refuse_cyclic(1021, "too many");
    open_family(&f, "cyclic", 510, true); /* 128 units */
    expect_shape(&f, false, 510);
    close_exactly(&f, F2L_OK);
    done(&f);
}

Test(dihedral, a_wrong_network_is_refuted)
{
    fixture f;
    open_family(&f, "dihedral", 5, true);
    f2l_layer *second = &f.net.layer[1];
    const uint32_t kept = second->symbol[0];
    second->symbol[0] = second->symbol[1];
    close_exactly(&f, F2L_REFUTED);
    second->symbol[0] = kept;
    close_exactly(&f, F2L_OK);
    f.net.layer[0].symbol[0] = 3 - f.net.layer[0].symbol[0];
    close_exactly(&f, F2L_REFUTED);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
static void fail_everywhere(const char *text)
{
    f2l_fsa fsa;
    size_t failures = 0;
    fsa_from_text(&fsa, text);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_net net;
        f2l_dihedral_report report;
        f2l_net_init(&net);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = f2l_dihedral_build(&net, &report, &fsa, F2L_LABEL_STATES, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && net.layers == 0),
                  "allocation %zu: %s", n, f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
        f2l_net_clear(&net);
    }
    cr_assert(failures > 100, "%zu", failures);
    f2l_fsa_clear(&fsa);
}

Test(dihedral, survives_every_failed_allocation)
{
    fail_everywhere("points 5\ntrack elements\npermute a (1 2 3 4 5)\n");
    fail_everywhere("points 5\ntrack elements\npermute a (2 5)(3 4)\npermute b (1 2)(3 5)\n");
    fail_everywhere("points 3\ntrack points 1\npermute a (1 2 3)\npermute b (1 2)\n");
}
#endif
