/* Letters of inner layers that act alike become one: the network gives the same labels, the closure
 * finds the same pairs, and contexts that read other letters prove nothing. */
#include "models/network/exact/run_exact.h"
#include "models/network/net/merge_letters.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/local_support.h"

typedef struct merged {
    local_fixture f;
    f2l_net before;
    f2l_merged_letters letters;
    uint32_t **letter; /* [levels] of the reading */
} merged;

static void add_levels(merged *m)
{
    const size_t levels = m->f.cascade.levels;
    m->letter = f2l_calloc(levels, sizeof *m->letter);
    cr_assert_not_null(m->letter);
    for (size_t l = 0, at = 0; l < levels; at += m->f.report.layers[l++])
        m->letter[l] = m->letters.of[at];
}

/* Builds the network of m->f.fsa twice and merges the letters of one. */
static void build(merged *m, f2l_cascade_kind kind, f2l_label label, bool gated)
{
    f2l_t4_report report = {0};
    m->letters = (f2l_merged_letters){0};
    local_build(&m->f, kind, label, gated);
    f2l_net_init(&m->before);
    cr_assert_eq(
        f2l_t4_build(&m->before, &report, &m->f.cascade, &m->f.fsa, label, gated, NULL, &m->f.err),
        F2L_OK);
    f2l_t4_report_clear(&report);
    cr_assert_eq(f2l_net_merge_letters(&m->f.net, &m->letters, NULL, &m->f.err), F2L_OK);
    cr_assert_eq(f2l_net_validate(&m->f.net, &m->f.err), F2L_OK, "%s", m->f.err.text);
    add_levels(m);
}

static void done(merged *m)
{
    f2l_free(m->letter);
    f2l_merged_letters_clear(&m->letters);
    f2l_net_clear(&m->before);
    local_clear(&m->f);
}

static f2l_status close_exact(merged *m)
{
    const f2l_local_reading reading = {NULL, NULL, m->letter};
    const f2l_status status =
        f2l_local_exact(&m->f.local, &m->f.net, &m->f.cascade, m->f.report.layers, reading,
                        &m->f.fsa, 0, NULL, &m->f.err);
    return status == F2L_OK ? m->f.local.verdict : status;
}

static size_t letters_of(const f2l_net *net)
{
    size_t letters = 0;
    for (size_t l = 0; l < net->layers; l++) letters += net->layer[l].letters;
    return letters;
}

/* Checks that both networks give the same label after every letter of a random word. */
static void check_words(const merged *m, f2l_rng *rng)
{
    f2l_exact *run[2];
    size_t joint[2][64];
    const f2l_net *net[2] = {&m->before, &m->f.net};
    cr_assert_lt(m->before.layers, 64);
    for (size_t i = 0; i < 2; i++)
        cr_assert(f2l_exact_new(&run[i], net[i], NULL) == F2L_OK &&
                  f2l_exact_start(run[i], joint[i], NULL) == F2L_OK);
    for (size_t t = 0; t < 300; t++) {
        const size_t letter = f2l_rng_below(rng, m->f.fsa.letters.count);
        size_t label[2];
        for (size_t i = 0; i < 2; i++)
            cr_assert_eq(f2l_exact_step(run[i], joint[i], letter, &label[i], NULL, NULL), F2L_OK);
        cr_assert_eq(label[0], label[1]);
        cr_assert_arr_eq(joint[0], joint[1], net[0]->layers * sizeof *joint[0]);
    }
    for (size_t i = 0; i < 2; i++) f2l_exact_free(run[i]);
}

/* Checks that nothing is left to merge. */
static void check_apart(merged *m)
{
    f2l_merged_letters again = {0};
    const size_t letters = letters_of(&m->f.net);
    cr_assert_eq(f2l_net_merge_letters(&m->f.net, &again, NULL, NULL), F2L_OK);
    for (size_t l = 0; l < again.layers; l++) cr_assert_null(again.of[l]);
    cr_assert_eq(letters_of(&m->f.net), letters);
    f2l_merged_letters_clear(&again);
}

Test(local_merged, same_labels_and_pairs)
{
    size_t before = 0, after = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        merged m;
        f2l_rng rng;
        f2l_rng_init(&rng, 20261126, seed);
        table_random(&m.f.fsa, 3 + seed % 5, 2 + seed % 2, &rng);
        build(&m, seed % 2 ? F2L_CASCADE_HOLONOMY : F2L_CASCADE_CAPPED, F2L_LABEL_STATES,
              seed % 3 == 0);
        const f2l_net now = m.f.net;
        m.f.net = m.before;
        cr_assert_eq(local_exact(&m.f), F2L_OK);
        m.f.net = now;
        const size_t pairs = m.f.local.pairs;
        cr_assert(m.f.local.verdict == F2L_OK && close_exact(&m) == F2L_OK, "%s", m.f.local.reason);
        cr_assert_eq(m.f.local.pairs, pairs);
        check_words(&m, &rng);
        check_apart(&m);
        before += letters_of(&m.before);
        after += letters_of(&m.f.net);
        done(&m);
    }
    cr_log_info("%zu letters, merged %zu", before, after);
    cr_assert_lt(10 * after, 9 * before);
}

/* A context that reads another letter, or one that is none: the closure proves nothing. */
Test(local_merged, other_letters_prove_nothing)
{
    size_t wrong = 0;
    merged m;
    local_family(&m.f.fsa, "transformations", 1, 4, 0, 0);
    build(&m, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(close_exact(&m), F2L_OK, "%s", m.f.local.reason);
    for (size_t l = 1; l < m.f.cascade.levels; l++) {
        cr_assert_not_null(m.letter[l]);
        for (size_t x = 0; x < m.f.cascade.level[l].contexts; x++) {
            const uint32_t right = m.letter[l][x];
            m.letter[l][x] = right ? right - 1 : 1;
            cr_assert_eq(close_exact(&m), F2L_UNKNOWN, "level %zu, context %zu", l, x);
            wrong++;
            m.letter[l][x] = right;
        }
        m.letter[l][0] += 1000000;
        cr_assert_eq(close_exact(&m), F2L_UNKNOWN);
        m.letter[l][0] -= 1000000;
    }
    cr_assert_gt(wrong, 20);
    cr_assert_eq(close_exact(&m), F2L_OK);
    done(&m);
}

Test(local_merged, memory_failures)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        local_fixture f;
        f2l_merged_letters letters = {0};
        local_family(&f.fsa, "transformations", 1, 3, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
        f2l_mem_fail_after(n, true);
        const f2l_status status = f2l_net_merge_letters(&f.net, &letters, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert_eq(f2l_net_validate(&f.net, &f.err), F2L_OK, "%s", f.err.text);
        f2l_merged_letters_clear(&letters);
        local_clear(&f);
        if (status == F2L_OK) {
            cr_assert_gt(n, 4);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM);
    }
#else
    cr_skip_test("needs a flavour with allocation failures");
#endif
}
