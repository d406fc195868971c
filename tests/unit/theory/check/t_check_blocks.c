/* `claim blocks` of lrnn-check-wired beside f2l_form_blocks: networks of the compiler, the same
 * networks changed in one place, and certificates changed in one line. */
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"
#include "theory/construct/blocks/blocks.h"
/* Included last, because its names are short. */
#include "tests/support/check/form_files.h"

#define SEED 20270113

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_blocks_report report;
    f2l_form_verdict verdict;
} fixture;

static void build(fixture *f, size_t householders)
{
    f2l_error err = {0};
    f2l_cascade cascade, other;
    f2l_cascade_init(&cascade);
    f2l_cascade_init(&other);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_cascade_build_smaller(&cascade, &other, NULL, &f->fsa, 0, NULL, &err), F2L_OK,
                 "%s", err.text);
    cr_assert_eq(
        f2l_blocks_build(&f->net, &f->report, &cascade, F2L_LABEL_STATES, householders, NULL, &err),
        F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_form_blocks.verify(&f->verdict, &f->net, &f->fsa, NULL, NULL, NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(f->verdict.verdict, F2L_OK, "%s", f->verdict.reason);
    f2l_cascade_clear(&cascade);
    f2l_cascade_clear(&other);
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
    f2l_fsa_clear(&f->fsa);
}

static void write_files(files *out, fixture *f, const f2l_buf *listed)
{
    formed of = {&f2l_form_blocks, "blocks", &f->fsa, &f->net, &f->verdict, ""};
    snprintf(of.figures, sizeof of.figures, "block %zu levels %zu classes %zu", f->verdict.block,
             f->report.levels, f->fsa.states.count);
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

Test(check_blocks, what_the_compiler_builds)
{
    static const struct {
        const char *kind;
        uint64_t n;
        size_t householders;
    } cases[] = {{"transformations", 2, 1}, {"transformations", 3, 1}, {"transformations", 4, 1},
                 {"transformations", 5, 1}, {"transformations", 5, 2}, {"symmetric", 4, 1},
                 {"elevator", 6, 1},        {"parity", 0, 1},          {"counter", 5, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        open_family(&f, cases[i].kind, cases[i].n, cases[i].householders);
        cr_expect_eq(checked_fixture(&f), VERIFIED, "%s %d", cases[i].kind, (int)cases[i].n);
        f.verdict.block++;
        cr_expect_eq(checked_fixture(&f), NOT_VERIFIED, "%s %d", cases[i].kind, (int)cases[i].n);
        done(&f);
    }
}

/* Both must agree on changed networks, some of which still have the meaning that the certificate
 * claims. */
Test(check_blocks, changed_networks)
{
    const size_t count = getenv("F2L_TEST_SHORT") ? 210 : 1500;
    size_t verified = 0, refused = 0;
    for (size_t i = 0; i < count; i++) {
        fixture f;
        f2l_form_verdict changed;
        f2l_rng rng;
        files base_files, of;
        f2l_rng_init(&rng, SEED, i);
        open_family(&f, "transformations", 2 + i % 2, 1 + i / 2 % 2);
        write_files(&base_files, &f, NULL);
        const bool differs = d1_mutate(&f.net, &rng, i / 4 % D1_MUTANT_KINDS);
        if (differs && f2l_wired_validate(&f.net, NULL) == F2L_OK) {
            cr_assert_eq(f2l_form_blocks.verify(&changed, &f.net, &f.fsa, NULL, NULL, NULL, NULL),
                         F2L_OK);
            const bool right = changed.verdict == F2L_OK;
            write_files(&of, &f, right ? NULL : &base_files.cert);
            cr_assert_eq(checked(&of), right ? VERIFIED : NOT_VERIFIED, "number %zu: %s", i,
                         right ? "verified by the library" : changed.reason);
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
Test(check_blocks, changed_lines)
{
    fixture f;
    files of;
    open_family(&f, "transformations", 3, 1);
    write_files(&of, &f, NULL);
    const size_t refused =
        refuse_changes(text_in(&of.fsa), text_in(&of.net), of.cert.data, "\nletters ", "\nend ");
    cr_expect(refused > 500, "%zu refused", refused);
    clear_files(&of);
    done(&f);
}
