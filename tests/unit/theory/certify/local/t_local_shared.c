/* Letters that act alike share their steps. In a second network no two letters are the same,
 * because each has one more factor with beta 0 and a separate key, so that its walk makes every
 * step separately: it must find the same pairs in the same order, fail at the same edge for the
 * same reason, and stop at the same limit. */
#include "models/network/net/same_letters.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/local_support.h"
#include "theory/certify/unrounded/unrounded.h"
#include <stdio.h>
#include <string.h>

static void tell_apart(f2l_transition *t, size_t letter)
{
    f2l_factor *factor = f2l_realloc(t->factor, t->factors + 1, sizeof *factor);
    cr_assert_not_null(factor);
    t->factor = factor;
    factor += t->factors++;
    mpq_init(factor->beta);
    f2l_qvec_init(&factor->u);
    f2l_qvec_init(&factor->c);
    cr_assert_eq(f2l_qvec_push_si(&factor->u, 0, (long)letter + 1, 1, NULL), F2L_OK);
}

static size_t classes_of(const f2l_layer *layer)
{
    f2l_same_letters same = {0};
    cr_assert_eq(f2l_same_letters_find(&same, layer->head, layer->heads, layer->letters, NULL),
                 F2L_OK);
    const size_t count = same.count;
    f2l_same_letters_clear(&same);
    return count;
}

/* Changes f->net to the network without shared letters. */
static void tell_all_apart(local_fixture *f)
{
    for (size_t l = 0; l < f->net.layers; l++) {
        f2l_layer *layer = &f->net.layer[l];
        for (size_t h = 0; h < layer->heads; h++)
            for (size_t x = 0; x < layer->letters; x++) tell_apart(&layer->head[h].letter[x], x);
        cr_assert_eq(classes_of(layer), layer->letters);
    }
}

static size_t shared_letters(const f2l_net *net)
{
    size_t shared = 0;
    for (size_t l = 0; l < net->layers; l++)
        shared += net->layer[l].letters - classes_of(&net->layer[l]);
    return shared;
}

static void check_same(const f2l_local *a, const f2l_local *b)
{
    cr_assert_eq(a->verdict, b->verdict, "%s, or %s", a->reason, b->reason);
    cr_assert_str_eq(a->reason, b->reason);
    cr_assert(a->pairs == b->pairs && a->levels == b->levels && !a->level == !b->level);
    for (size_t l = 0; a->level && l < a->levels; l++) {
        const f2l_local_level *x = &a->level[l], *y = &b->level[l];
        const size_t pairs = x->pairs;
        cr_assert(a->start[l] == b->start[l] && pairs == y->pairs && x->layers == y->layers);
        cr_assert_arr_eq(x->set, y->set, pairs * sizeof *x->set);
        cr_assert_arr_eq(x->code, y->code, pairs * x->layers * sizeof *x->code);
        cr_assert_arr_eq(x->next_at, y->next_at, (pairs + 1) * sizeof *x->next_at);
        cr_assert_arr_eq(x->next, y->next, x->next_at[pairs] * sizeof *x->next);
    }
}

static f2l_local exact_of(local_fixture *f, size_t max_pairs)
{
    f2l_local local;
    cr_assert_eq(local_exact_within(f, max_pairs, NULL), F2L_OK, "%s", f->err.text);
    local = f->local;
    f2l_local_init(&f->local);
    return local;
}

static f2l_local float_of(local_fixture *f, const char *format, const char *schedule)
{
    f2l_local local;
    cr_assert_eq(f2l_local_float(&f->local, &f->net, &f->cascade, f->report.layers,
                                 (f2l_local_reading){0}, &f->fsa, f2l_format_find(format),
                                 f2l_schedule_find(schedule), 0, NULL, &f->err),
                 F2L_OK, "%s", f->err.text);
    local = f->local;
    f2l_local_init(&f->local);
    return local;
}

/* Compares the walks exactly, with and without room for all pairs, and in formats; returns the
 * shared network's pairs. */
static size_t check_walks(local_fixture *f, local_fixture *plain)
{
    static const char *const in[][2] = {{"bf16", "every"}, {"fp32", "fma"},       {"fp16", "acc32"},
                                        {"e4m3", "every"}, {"bf16", "recurrent"}, {"fp64", "cast"}};
    size_t pairs = 0;
    for (size_t limit = 0; limit < 2; limit++) {
        f2l_local a = exact_of(f, limit ? pairs - 1 : 0),
                  b = exact_of(plain, limit ? pairs - 1 : 0);
        check_same(&a, &b);
        if (!limit) pairs = a.pairs;
        if (limit && pairs > 1) cr_assert_eq(a.verdict, F2L_UNKNOWN);
        f2l_local_clear(&a);
        f2l_local_clear(&b);
        if (pairs < 2) break;
    }
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        f2l_local a = float_of(f, in[i][0], in[i][1]), b = float_of(plain, in[i][0], in[i][1]);
        check_same(&a, &b);
        f2l_local_clear(&a);
        f2l_local_clear(&b);
    }
    return pairs;
}

typedef struct figures {
    size_t shared, pairs, accept, verified, failed;
} figures;

static void open_both(local_fixture *f, local_fixture *plain, const f2l_buf *text,
                      f2l_cascade_kind kind, f2l_label label, bool gated)
{
    fsa_from_text(&f->fsa, text->data);
    fsa_from_text(&plain->fsa, text->data);
    local_build(f, kind, label, gated);
    local_build(plain, kind, label, gated);
}

static void check_all(const f2l_fsa *fsa, figures *sum)
{
    static const f2l_cascade_kind kinds[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED,
                                             F2L_CASCADE_ZEIGER};
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_fsa_write(&text, fsa, NULL), F2L_OK);
    const bool accepts = strstr(text.data, "\naccept ") != NULL;
    for (size_t k = 0; k < 6; k++) {
        const f2l_label label = accepts && k % 2 ? F2L_LABEL_ACCEPT : F2L_LABEL_STATES;
        local_fixture f, plain;
        if (kinds[k / 2] == F2L_CASCADE_ZEIGER && fsa->states.count > 6) continue;
        open_both(&f, &plain, &text, kinds[k / 2], label, k % 2 == 1);
        sum->accept += label == F2L_LABEL_ACCEPT;
        sum->shared += shared_letters(&f.net);
        tell_all_apart(&plain);
        sum->pairs += check_walks(&f, &plain);
        local_clear(&f);
        local_clear(&plain);
    }
    f2l_buf_clear(&text);
}

Test(local_shared, every_edge_stepped_gives_the_same)
{
    figures sum = {0};
    for (uint64_t seed = 1; seed <= (brute_force_is_short() ? 4 : 8); seed++) {
        f2l_fsa fsa;
        size_t dropped;
        local_family(&fsa, "random", 3, 3 + seed % 4, 2 + seed % 3, seed);
        cr_assert_eq(f2l_fsa_trim(&fsa, &dropped, NULL), F2L_OK);
        if (fsa.states.count > 1) check_all(&fsa, &sum);
        f2l_fsa_clear(&fsa);
    }
    static const struct {
        const char *kind;
        size_t numbers;
        uint64_t a, b;
    } family[] = {{"transformations", 1, 4, 0},
                  {"elevator", 1, 5, 0},
                  {"dyck", 2, 1, 4},
                  {"cyclic", 1, 6, 0}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        f2l_fsa fsa;
        local_family(&fsa, family[i].kind, family[i].numbers, family[i].a, family[i].b, 0);
        check_all(&fsa, &sum);
        f2l_fsa_clear(&fsa);
    }
    printf("%zu pairs, %zu letters that another one stands for\n", sum.pairs, sum.shared);
    cr_assert(sum.pairs > 1000 && sum.shared > 1000 && sum.accept > 0);
}

/* Sets the last factor's beta to 0, so that the letter leaves its class; returns false when it has
 * no factor. */
static bool lose_factor(f2l_transition *t)
{
    if (t->factors == 0) return false;
    mpq_set_ui(t->factor[t->factors - 1].beta, 0, 1);
    return true;
}

static void change_a_letter(local_fixture *f, local_fixture *plain, f2l_rng *rng, figures *sum)
{
    const size_t l = (size_t)f2l_rng_below(rng, f->net.layers);
    const size_t x = (size_t)f2l_rng_below(rng, f->net.layer[l].letters);
    if (!lose_factor(&f->net.layer[l].head[0].letter[x])) return;
    lose_factor(&plain->net.layer[l].head[0].letter[x]);
    tell_all_apart(plain);
    f2l_local a = exact_of(f, 0), b = exact_of(plain, 0);
    check_same(&a, &b);
    sum->failed += a.verdict != F2L_OK;
    sum->verified += a.verdict == F2L_OK;
    f2l_local_clear(&a);
    f2l_local_clear(&b);
    a = float_of(f, "bf16", "every");
    b = float_of(plain, "bf16", "every");
    check_same(&a, &b);
    f2l_local_clear(&a);
    f2l_local_clear(&b);
}

Test(local_shared, a_wrong_letter_fails_at_the_same_edge)
{
    const size_t share = brute_force_is_short() ? 4 : 1;
    figures sum = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, 19, 0);
    for (size_t trial = 0; trial < 40 / share; trial++) {
        local_fixture f, plain;
        local_family(&f.fsa, "transformations", 1, 4, 0, 0);
        local_family(&plain.fsa, "transformations", 1, 4, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, trial % 2 == 1);
        local_build(&plain, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, trial % 2 == 1);
        change_a_letter(&f, &plain, &rng, &sum);
        local_clear(&f);
        local_clear(&plain);
    }
    printf("%zu networks with a wrong letter refused, %zu not\n", sum.failed, sum.verified);
    cr_assert_gt(sum.failed, 10 / share);
}

static uint64_t analysed_steps(const f2l_net *net)
{
    uint64_t steps;
    cr_assert_eq(f2l_unrounded_steps(&steps, net, NULL), F2L_OK);
    return steps;
}

static void check_reasons(const local_fixture *f, const local_fixture *plain, const char *schedule)
{
    f2l_unrounded u[2];
    for (size_t i = 0; i < 2; i++) {
        const f2l_net model = i ? plain->net : f->net;
        f2l_unrounded_init(&u[i]);
        cr_assert_eq(f2l_unrounded_find(&u[i], &model, f2l_format_find("bf16"),
                                        f2l_schedule_find(schedule), NULL, NULL),
                     F2L_OK);
    }
    cr_assert_eq(u[0].verdict, u[1].verdict);
    cr_assert_str_eq(u[0].reason, u[1].reason);
    f2l_unrounded_clear(&u[0]);
    f2l_unrounded_clear(&u[1]);
}

/* The error names the first letter with a number outside the format, though letters of its class
 * come before it. */
Test(local_shared, what_rounds_is_the_same_letter)
{
    static const char *const schedules[] = {"every", "acc32", "recurrent", "chunk64"};
    f2l_rng rng;
    f2l_rng_init(&rng, 23, 0);
    for (size_t trial = 0; trial < 12; trial++) {
        local_fixture f, plain;
        local_family(&f.fsa, "transformations", 1, 4, 0, 0);
        local_family(&plain.fsa, "transformations", 1, 4, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
        local_build(&plain, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
        const size_t l = trial % f.net.layers, letters = f.net.layer[l].letters;
        size_t x = (size_t)f2l_rng_below(&rng, letters);
        while (f.net.layer[l].head[0].letter[x].factors == 0) x = (x + 1) % letters;
        for (size_t i = 0; trial > 0 && i < 2; i++)
            mpq_set_ui((i ? &plain : &f)->net.layer[l].head[0].letter[x].factor[0].beta, 1, 3);
        tell_all_apart(&plain);
        cr_assert_lt(analysed_steps(&f.net), analysed_steps(&plain.net));
        for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++)
            check_reasons(&f, &plain, schedules[k]);
        local_clear(&f);
        local_clear(&plain);
    }
}
