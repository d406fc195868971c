#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/theory/local_cases.h"
#include "tests/support/theory/local_support.h"
#include <stdio.h>

/* Wires the network as published: a layer passes on its state after the update, also for the old
 * stage. */
static size_t wire_literally(local_fixture *f)
{
    const f2l_cascade *c = &f->cascade;
    size_t changed = 0;
    for (size_t l = 0; l + 1 < f->net.layers; l++) {
        f2l_layer *layer = &f->net.layer[l];
        for (size_t i = 0; i < layer->letters; i++) {
            const f2l_context *x = &c->level[l].context[i];
            const bool reads = c->lambda[x->from] == l + 1, writes = c->lambda[x->to] == l + 1;
            if (!reads) continue;
            layer->reads[i] = 0; /* the current coordinate: as many values as the saved one */
            for (uint32_t v = 0; v < layer->part_values[0]; v++) {
                if (v >= c->cover_count[x->from] || (writes && v >= c->cover_count[x->to]))
                    continue;
                const uint32_t from = child(c, x->from, l + 1, v), to = child(c, x->to, l + 1, v);
                uint32_t symbol = local_context(&c->level[l + 1], x->letter, from, to);
                /* A pair of wrong stages without a letter of the next layer gets any letter with
                 * the same input letter. */
                for (uint32_t k = 0; symbol == F2L_NO_SYMBOL; k++)
                    if (c->level[l + 1].context[k].letter == x->letter) symbol = k;
                uint32_t *entry = &layer->symbol[layer->symbol_at[i] + v];
                changed += *entry != symbol;
                *entry = symbol;
            }
        }
    }
    return changed;
}

/* Checks that every letter takes every code of a layer to a code, which is the condition of a
 * closure of single layers. */
static void check_layers_alone(const f2l_net *net)
{
    f2l_exact *run;
    f2l_qvec state;
    f2l_qvec_init(&state);
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t code = 0; code < layer->codes; code++)
            for (size_t x = 0; x < layer->letters; x++) {
                cr_assert_eq(f2l_exact_step_head(run, &state, l, 0, x, &layer->code[code], NULL),
                             F2L_OK);
                cr_assert_neq(f2l_exact_find_code(run, l, &state), F2L_NO_INDEX);
            }
    }
    f2l_qvec_clear(&state);
    f2l_exact_free(run);
}

/* Returns the number of letters of a random word after which the label is wrong or missing. */
static size_t wrong_letters(const local_fixture *f, size_t length)
{
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    size_t *joint = f2l_calloc(f->net.layers, sizeof *joint), state = f->fsa.start, wrong = 0;
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t t = 0; t < length; t++) {
        const size_t a = (size_t)f2l_rng_below(&rng, f->fsa.letters.count);
        size_t label;
        state = f->fsa.next[state * f->fsa.letters.count + a];
        const bool said = f2l_exact_step(run, joint, a, &label, NULL, NULL) == F2L_OK;
        wrong += !said || strcmp(f2l_names_get(&f->net.labels, label),
                                 f2l_fsa_label(&f->fsa, f->net.label, state));
    }
    f2l_free(joint);
    f2l_exact_free(run);
    return wrong;
}

Test(local_refuse, literal_wiring_is_refused)
{
    for (uint64_t n = 3; n <= 4; n++) {
        local_fixture f;
        local_family(&f.fsa, "transformations", 1, n, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
        cr_assert_eq(wrong_letters(&f, 2000), 0);
        check_layers_alone(&f.net);
        cr_assert_gt(wire_literally(&f), 0);
        cr_assert_eq(f2l_net_validate(&f.net, &f.err), F2L_OK, "%s", f.err.text);
        const size_t wrong = wrong_letters(&f, 2000);
        printf("T_%d, wired literally: wrong after %zu of 2000 letters\n", (int)n, wrong);
        cr_assert_gt(wrong, 500);
        check_layers_alone(&f.net);
        cr_assert_eq(joint_verdict(&f), F2L_REFUTED);
        cr_assert_eq(local_exact(&f), F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.local.reason, "hands on"), "%s", f.local.reason);
        cr_assert_null(f.local.level);
        cr_assert_eq(local_in(&f, "bf16"), F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        local_clear(&f);
    }
}

static void check_refused(local_fixture *f, const char *why)
{
    cr_assert_eq(local_exact(f), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f->local.verdict, F2L_UNKNOWN, "%s", why);
    cr_assert_not_null(strstr(f->local.reason, why), "%s, not: %s", why, f->local.reason);
}

/* Any change of a symbol of either decoder, whether a context or a label, is refused. */
Test(local_refuse, every_symbol_counts)
{
    local_fixture f;
    open_t3(&f);
    size_t used = 0;
    for (size_t l = 0; l < 2; l++) {
        f2l_layer *layer = &f.net.layer[l];
        for (size_t k = 0; k < layer->symbol_at[layer->letters]; k++) {
            const uint32_t right = layer->symbol[k];
            if (right == F2L_NO_SYMBOL) continue;
            for (uint32_t wrong = 0; wrong < layer->symbols; wrong++) {
                if (wrong == right) continue;
                layer->symbol[k] = wrong;
                cr_assert_eq(local_exact(&f), F2L_OK);
                cr_assert_neq(f.local.verdict, F2L_OK, "layer %zu, symbol %zu: %u for %u", l + 1, k,
                              wrong, right);
                used++;
            }
            layer->symbol[k] = F2L_NO_SYMBOL;
            check_refused(&f, "no symbol");
            layer->symbol[k] = right;
        }
    }
    printf("%zu wrong symbols\n", used);
    cr_assert_gt(used, 50);
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK);
    local_clear(&f);
}

Test(local_refuse, what_must_fit)
{
    local_fixture f;
    open_t3(&f);
    f.net.start = (f.net.start + 1) % f.net.labels.count;
    check_refused(&f, "empty word");
    f.net.start = (f.net.start + f.net.labels.count - 1) % f.net.labels.count;
    const size_t start = f.fsa.start;
    f.fsa.start = (start + 1) % 3;
    check_refused(&f, "do not name the start");
    f.fsa.start = start;
    /* A coordinate that the code does not have. */
    f2l_layer *layer = &f.net.layer[0];
    const uint32_t part = layer->part[0];
    layer->part[0] = (part + 1) % 3;
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    layer->part[0] = part;
    /* A wrong cover. */
    uint32_t *cover = &f.cascade.cover[f.cascade.cover_at[0]];
    const uint32_t first = cover[0];
    cover[0] = cover[1];
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    cover[0] = first;
    /* A wrong transition. */
    f.fsa.next[0] = (f.fsa.next[0] + 1) % 3;
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    f.fsa.next[0] = (f.fsa.next[0] + 2) % 3;
    /* A weight that leads to a wrong state. */
    for (size_t x = 0; x < layer->letters; x++) {
        f2l_transition *t = &layer->head[0].letter[x];
        if (t->factors == 0) continue;
        mpq_t beta;
        mpq_init(beta);
        mpq_set(beta, t->factor[0].beta);
        mpq_set_si(t->factor[0].beta, 3, 2);
        check_refused(&f, "no code");
        mpq_set(t->factor[0].beta, beta);
        mpq_clear(beta);
    }
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK, "%s", f.local.reason);
    local_clear(&f);
}

Test(local_refuse, other_shapes)
{
    static const size_t wrong[][2] = {{0, 2}, {2, 0}, {2, 1}, {1, 2}, {SIZE_MAX, 3}};
    local_fixture f, g;
    open_t3(&f);
    local_family(&g.fsa, "transformations", 1, 4, 0, 0);
    local_build(&g, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(f2l_local_exact(&f.local, &f.net, &g.cascade, g.report.layers,
                                 (f2l_local_reading){0}, &f.fsa, 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.local.reason, "2 layers, which does not fit 3 levels"), "%s",
                       f.local.reason);
    cr_assert_eq(f2l_local_exact(&f.local, &f.net, &f.cascade, f.report.layers,
                                 (f2l_local_reading){0}, &g.fsa, 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(f2l_local_exact(&f.local, &f.net, &f.cascade, wrong[i], (f2l_local_reading){0},
                                     &f.fsa, 0, NULL, &f.err),
                     F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.local.reason, "does not fit 2 levels"), "%s", f.local.reason);
    }
    f.net.layer[1].parts = 0;
    check_refused(&f, "no part decoder");
    f.net.layer[1].parts = 1;
    local_clear(&f);
    local_clear(&g);
}

Test(local_refuse, limits_give_no_verdict)
{
    volatile sig_atomic_t flag = SIGTERM;
    const f2l_task cancelled = {.cancel = &flag}, poor = {.memory = 500};
    local_fixture f;
    open_t3(&f);
    cr_assert_eq(local_exact(&f), F2L_OK);
    const size_t pairs = f.local.pairs;
    for (size_t limit = 1; limit <= pairs; limit++) {
        cr_assert_eq(local_exact_within(&f, limit, NULL), F2L_OK);
        cr_assert_eq(f.local.verdict, limit < pairs ? F2L_UNKNOWN : F2L_OK);
        if (limit < pairs)
            cr_assert_not_null(strstr(f.local.reason, "pairs reached"), "%s", f.local.reason);
        cr_assert_leq(f.local.pairs, limit);
    }
    cr_assert_eq(local_exact_within(&f, 0, &cancelled), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_eq(local_exact_within(&f, 0, &poor), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.local.reason, "memory"), "%s", f.local.reason);
    local_clear(&f);
}

/* The number of pairs grows with the stages, not with the chains, of which T_7 has 5,040. */
Test(local_refuse, more_chains_than_anyone_closes_over)
{
    local_fixture f;
    local_family(&f.fsa, "transformations", 1, 7, 0, 0);
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK, "%s", f.local.reason);
    printf("T_7: %zu pairs on %zu levels\n", f.local.pairs, f.local.levels);
    check_formats(&f);
    local_clear(&f);
}
