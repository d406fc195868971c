/* `claim d1` of lrnn-check-wired beside f2l_form_d1: networks of the compiler, the same networks
 * changed in one place, and certificates changed in one line. */
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"
/* Included last, because its names are short. */
#include "tests/support/check/form_files.h"

#define SEED 20261207

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
    f2l_d1_report report;
    f2l_form_verdict verdict;
    size_t classes; /* number of states that the start reaches */
} fixture;

static void build(fixture *f, size_t householders)
{
    f2l_error err = {0};
    f2l_gset_init(&f->set);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_d1_build(&f->net, &f->report, &f->fsa, F2L_LABEL_STATES, &f->set, householders,
                              NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_form_d1.verify(&f->verdict, &f->net, &f->fsa, NULL, NULL, NULL, &err), F2L_OK,
                 "%s", err.text);
    cr_assert_eq(f->verdict.verdict, F2L_OK, "%s", f->verdict.reason);
    f->classes = f->fsa.states.count;
}

static void open_family(fixture *f, const char *kind, uint64_t n, bool generators,
                        size_t householders)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s",
                 err.text);
    build(f, householders);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

static void write_files(files *out, fixture *f, const f2l_buf *listed)
{
    formed of = {&f2l_form_d1, "d1", &f->fsa, &f->net, &f->verdict, ""};
    snprintf(of.figures, sizeof of.figures, "block %zu elements %zu classes %zu", f->verdict.block,
             f->verdict.elements, f->classes);
    write_formed(out, &of, listed);
}

static int checked_fixture(fixture *f)
{
    files of;
    write_files(&of, f, NULL);
    const int status = checked(&of);
    clear_files(&of);
    return status;
}

Test(check_d1, what_the_compiler_builds)
{
    static const struct {
        const char *kind;
        uint64_t n;
        bool generators;
        size_t householders;
    } cases[] = {
        {"symmetric", 3, false, 1},   {"symmetric", 3, true, 2},  {"symmetric", 4, false, 1},
        {"symmetric", 4, true, 3},    {"symmetric", 5, false, 1}, {"symmetric", 5, false, 2},
        {"symmetric", 5, true, 1},    {"dihedral", 4, true, 1},   {"quaternion", 0, false, 2},
        {"cyclic", 2, false, 1},      {"cyclic", 60, false, 1},   {"cyclic", 60, false, 2},
        {"alternating", 5, false, 2}, {"symmetric", 7, true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        open_family(&f, cases[i].kind, cases[i].n, cases[i].generators, cases[i].householders);
        cr_expect_eq(checked_fixture(&f), VERIFIED, "%s %d", cases[i].kind, (int)cases[i].n);
        f.verdict.elements++;
        cr_expect_eq(checked_fixture(&f), NOT_VERIFIED, "%s %d", cases[i].kind, (int)cases[i].n);
        done(&f);
    }
}

/* Points, and states that the start does not reach. */
Test(check_d1, points)
{
    static const char *const text_of_fsa[] = {
        "fsa 1\npoints 5\ntrack points 1\npermute a (1 2 3)(4 5)\npermute b (1 2)\n",
        "fsa 1\n"
        "points 9\n"
        "track points 1\n"
        "permute a (1 2 3 4 5 6 7 8 9)\n"
        "permute b (1 2)\n"
        "permute c (1 2)\n",
        "fsa 1\npoints 3\ntrack points 3\npermute a (1 2)\n",
    };
    static const size_t classes[] = {3, 9, 1};
    for (size_t i = 0; i < sizeof text_of_fsa / sizeof *text_of_fsa; i++)
        for (size_t householders = 1; householders <= 3; householders++) {
            fixture f;
            fsa_from_text(&f.fsa, text_of_fsa[i]);
            build(&f, householders);
            f.classes = classes[i];
            cr_expect_eq(checked_fixture(&f), VERIFIED, "%s", text_of_fsa[i]);
            done(&f);
        }
}

/* Both must agree on changed networks, some of which still have the meaning that the certificate
 * claims. */
Test(check_d1, changed_networks)
{
    static const struct {
        const char *kind;
        uint64_t n;
        size_t householders;
    } bases[] = {{"symmetric", 3, 1},
                 {"symmetric", 3, 2},
                 {"symmetric", 4, 1},
                 {"dihedral", 4, 1},
                 {"cyclic", 2, 1}};
    const size_t count = getenv("F2L_TEST_SHORT") ? 210 : 1500;
    size_t verified = 0, refused = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t base = i % 5, kind = i / 5 % (D1_MUTANT_KINDS + 1);
        fixture f;
        f2l_form_verdict changed;
        f2l_rng rng;
        files base_files, of;
        f2l_rng_init(&rng, SEED, i);
        open_family(&f, bases[base].kind, bases[base].n, bases[base].n > 2,
                    bases[base].householders);
        write_files(&base_files, &f, NULL);
        bool differs = true;
        if (kind == D1_MUTANT_KINDS)
            d1_mutate_without_meaning(&f.net, &rng);
        else
            differs = d1_mutate(&f.net, &rng, kind);
        if (differs && f2l_wired_validate(&f.net, NULL) == F2L_OK) {
            cr_assert_eq(f2l_form_d1.verify(&changed, &f.net, &f.fsa, NULL, NULL, NULL, NULL),
                         F2L_OK);
            const bool right = changed.verdict == F2L_OK;
            write_files(&of, &f, right ? NULL : &base_files.cert);
            cr_assert_eq(checked(&of), right ? VERIFIED : NOT_VERIFIED, "number %zu, kind %zu: %s",
                         i, kind, right ? "verified by the library" : changed.reason);
            verified += right;
            refused += !right;
            clear_files(&of);
        }
        clear_files(&base_files);
        done(&f);
    }
    cr_expect(verified > count / 50 && refused > count / 3, "%zu verified, %zu refused", verified,
              refused);
}

/* Changes are refused in each line that spares the checker a search. */
Test(check_d1, changed_lines)
{
    for (size_t householders = 1; householders <= 2; householders++) {
        fixture f;
        files of;
        open_family(&f, "symmetric", 3, true, householders);
        write_files(&of, &f, NULL);
        const size_t refused = refuse_changes(text_in(&of.fsa), text_in(&of.net), of.cert.data,
                                              "\nletters ", "\nend ");
        cr_expect(refused > 500, "%zu refused", refused);
        clear_files(&of);
        done(&f);
    }
}

/* Sets of products that are closed too, but larger than the sets of words, are refused. */
Test(check_d1, more_than_words_lead_to)
{
    static const struct {
        const char *kind;
        uint64_t n;
        bool generators;
        const char *was, *now;
    } cases[] = {{"symmetric", 3, true, "words 1 elements ", "words 1 elements 1 "},
                 {"cyclic", 2, false, "words 0 elements 1\n", "words 0 elements 1 2\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        files of;
        open_family(&f, cases[i].kind, cases[i].n, cases[i].generators, 2);
        write_files(&of, &f, NULL);
        cr_assert_eq(checked(&of), VERIFIED);
        changing c = {.fsa = text_in(&of.fsa), .network = text_in(&of.net), .cert = of.cert.data};
        c.first = strstr(c.cert, cases[i].was);
        c.end = c.first;
        cr_assert(c.first && !strstr(c.cert, cases[i].now));
        refuse_change(&c, c.first, c.first + strlen(cases[i].was), cases[i].now);
        clear_files(&of);
        done(&f);
    }
}
