/* Levels of two layers: where a delay is chosen, and with forced delays on every level except the
 * last, compared with the automaton and by both closures. */
#include "numeric/base/mem.h"
#include "tests/support/theory/local_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/t4/t4_level.h"
#include <stdio.h>

static f2l_status joint_verdict(const local_fixture *f, size_t max_rows)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &f->net, &f->fsa, max_rows, NULL, NULL), F2L_OK);
    const f2l_status verdict = closure.verdict;
    f2l_closure_clear(&closure);
    return verdict;
}

/* Checks words, the local closure exactly and in every format, and the joint one where it is small
 * enough. */
static void check(local_fixture *f, const char *name, bool jointly, uint64_t seed)
{
    runner r;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_net_validate(&f->net, &f->err), F2L_OK, "%s: %s", name, f->err.text);
    runner_init(&r, &f->net, &f->fsa);
    t4_run_word(&r, &rng, 1000);
    for (int word = 0; word < 20; word++) t4_run_word(&r, &rng, 12);
    runner_clear(&r);
    cr_assert_eq(local_exact(f), F2L_OK, "%s: %s", name, f->err.text);
    cr_assert_eq(f->local.verdict, F2L_OK, "%s: %s", name, f->local.reason);
    const size_t pairs = f->local.pairs;
    for (size_t i = 0; i < 4; i++) {
        static const char *const format[] = {"bf16", "fp16", "fp32", "fp64"};
        cr_assert_eq(local_in(f, format[i]), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s in %s: %s", name, format[i], f->local.reason);
        cr_assert_eq(f->local.pairs, pairs);
    }
    if (jointly) cr_assert_eq(joint_verdict(f, 300000), F2L_OK, "%s", name);
}

/* Changes the plan of a level of one head to a delay, although this takes more factors. */
static void delay_by_force(f2l_t4_plan *plan)
{
    if (plan->delays) return;
    f2l_t4_head *head = &plan->head[0];
    const bool scalar = head->form == F2L_T4_SCALAR || head->form == F2L_T4_REGISTER_SCALAR;
    const bool write = head->form == F2L_T4_WRITE || head->form == F2L_T4_REGISTER_WRITE;
    plan->saves = false;
    plan->delays = plan->gated = true;
    plan->second = 2;
    if (head->form == F2L_T4_ROOTS) return;
    head->form = scalar ? F2L_T4_SCALAR : write ? F2L_T4_WRITE : F2L_T4_DOUBLED;
    head->n = scalar || write ? 1 : 2 * plan->m;
    head->d = write ? plan->m : 1;
}

/* Builds f->net again, with two layers for every level except the last. */
static void rebuild(local_fixture *f)
{
    const f2l_cascade *c = &f->cascade;
    f2l_net net;
    size_t old = 0;
    uint32_t *coordinate = f2l_calloc(c->levels, sizeof *coordinate);
    f2l_cascade_encode(c, f->fsa.start, coordinate);
    f2l_net_init(&net);
    net.label = f->net.label;
    net.start = f->net.start;
    cr_assert_eq(f2l_names_copy(&net.letters, &f->net.letters, NULL), F2L_OK);
    cr_assert_eq(f2l_names_copy(&net.labels, &f->net.labels, NULL), F2L_OK);
    cr_assert_eq(f2l_net_set_layers(&net, 2 * c->levels - 1, NULL), F2L_OK);
    for (size_t l = 0; l + 1 < c->levels; l++) {
        f2l_t4_plan plan;
        cr_assert_eq(f2l_t4_plan_init(&plan, c, l + 1, false, true, true, NULL, &f->err), F2L_OK);
        delay_by_force(&plan);
        cr_assert_eq(f2l_t4_close(&plan, coordinate[l], &f->err), F2L_OK);
        cr_assert_eq(f2l_t4_delay_build(&net.layer[2 * l], &plan, coordinate[l],
                                        c->level[l + 1].contexts, &f->err),
                     F2L_OK, "%s", f->err.text);
        f2l_t4_plan_clear(&plan);
        old += f->report.layers[l];
        f->report.layers[l] = 2;
    }
    net.layer[2 * c->levels - 2] = f->net.layer[old];
    f->net.layer[old] = (f2l_layer){0};
    memcpy(net.fsa_sha256, f->net.fsa_sha256, sizeof net.fsa_sha256);
    f2l_net_clear(&f->net);
    f->net = net;
    f2l_free(coordinate);
}

/* Counts the letters of upper layers that erase the slots, and those that read one. */
static void count_letters(const local_fixture *f, size_t *erase, size_t *look)
{
    for (size_t l = 1; l < f->net.layers; l += 2) {
        const f2l_layer *upper = &f->net.layer[l];
        for (size_t x = 0; x < upper->letters; x++) {
            *erase += upper->head[0].letter[x].factors == 0;
            *look += upper->reads[x] < 2;
        }
    }
}

static void force(const f2l_fsa *fsa, const char *name, f2l_cascade_kind kind, bool jointly,
                  size_t *erase, size_t *look)
{
    local_fixture f;
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_fsa_write(&text, fsa, NULL), F2L_OK);
    fsa_from_text(&f.fsa, text.data);
    f2l_buf_clear(&text);
    local_build(&f, kind, F2L_LABEL_STATES, true);
    if (f.cascade.levels > 1) {
        rebuild(&f);
        check(&f, name, jointly, 11);
        count_letters(&f, erase, look);
    }
    local_clear(&f);
}

Test(t4_delay, families_by_force)
{
    static const struct {
        const char *kind;
        size_t numbers;
        uint64_t a, b;
        bool jointly;
    } family[] = {{"transformations", 1, 3, 0, true},
                  {"transformations", 1, 4, 0, true},
                  {"transformations", 1, 6, 0, false},
                  {"elevator", 1, 4, 0, true},
                  {"elevator", 1, 8, 0, false},
                  {"dyck", 2, 1, 3, true},
                  {"dyck", 2, 2, 2, false},
                  {"definite", 1, 3, 0, true},
                  {"tomita", 1, 7, 0, true},
                  {"modarith-prec", 1, 3, 0, false}};
    size_t erase = 0, look = 0;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        f2l_fsa fsa;
        local_family(&fsa, family[i].kind, family[i].numbers, family[i].a, family[i].b, 0);
        force(&fsa, family[i].kind, F2L_CASCADE_HOLONOMY, family[i].jointly, &erase, &look);
        force(&fsa, family[i].kind, F2L_CASCADE_CAPPED, family[i].jointly, &erase, &look);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(erase > 0 && look > 0);
}

Test(t4_delay, random_automata_by_force)
{
    static const f2l_cascade_kind kinds[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED,
                                             F2L_CASCADE_ZEIGER};
    size_t erase = 0, look = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        f2l_fsa fsa;
        size_t dropped;
        char name[32];
        snprintf(name, sizeof name, "seed %d", (int)seed);
        local_family(&fsa, "random", 3, 2 + seed % 5, 1 + seed % 3, seed);
        cr_assert_eq(f2l_fsa_trim(&fsa, &dropped, NULL), F2L_OK);
        force(&fsa, name, kinds[seed % 3], fsa.states.count < 5, &erase, &look);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(erase > 10 && look > 1000, "%zu erase, %zu look", erase, look);
}

/* T4.9's example, with a third letter that turns the lower coordinate: the state is (lower, upper),
 * and a letter r_i sets the lower coordinate and passes on the old one. */
static const char but_one_text[] = "start 1_1\n"
                                   "1_1 r1 1_1\n"
                                   "2_1 r1 1_2\n"
                                   "3_1 r1 1_3\n"
                                   "1_2 r1 1_1\n"
                                   "2_2 r1 1_2\n"
                                   "3_2 r1 1_3\n"
                                   "1_3 r1 1_1\n"
                                   "2_3 r1 1_2\n"
                                   "3_3 r1 1_3\n"
                                   "1_1 r2 2_1\n"
                                   "2_1 r2 2_2\n"
                                   "3_1 r2 2_3\n"
                                   "1_2 r2 2_1\n"
                                   "2_2 r2 2_2\n"
                                   "3_2 r2 2_3\n"
                                   "1_3 r2 2_1\n"
                                   "2_3 r2 2_2\n"
                                   "3_3 r2 2_3\n"
                                   "1_1 t 2_1\n"
                                   "2_1 t 3_1\n"
                                   "3_1 t 1_1\n"
                                   "1_2 t 2_2\n"
                                   "2_2 t 3_2\n"
                                   "3_2 t 1_2\n"
                                   "1_3 t 2_3\n"
                                   "2_3 t 3_3\n"
                                   "3_3 t 1_3\n";

Test(t4_delay, last_letter_but_one)
{
    for (f2l_cascade_kind kind = F2L_CASCADE_HOLONOMY; kind <= F2L_CASCADE_CAPPED; kind++) {
        local_fixture f;
        size_t erase = 0, look = 0;
        fsa_from_text(&f.fsa, but_one_text);
        local_build(&f, kind, F2L_LABEL_STATES, true);
        printf("%s: %zu levels, %zu delays\n", f2l_cascade_kind_name(kind), f.report.levels,
               f.report.delays);
        check(&f, "last letter but one", true, 3);
        force(&f.fsa, "last letter but one", kind, true, &erase, &look);
        local_clear(&f);
    }
}

/* For all maps of n states, level l has m = n - l + 1 coordinates, S_m, and a reset that must be
 * remembered except on the last level. A register takes 2m factors (2m + 1 for odd m, 3 for m = 2).
 * A delay takes the factors of the cycle of all coordinates and a write, or the two factors of the
 * reset, with the side's reflection and a write. */
Test(t4_delay, chosen_where_it_takes_fewer_factors)
{
    for (uint64_t n = 3; n <= 7; n++) {
        local_fixture f;
        f2l_net_size size;
        size_t total = 0;
        local_family(&f.fsa, "transformations", 1, n, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, true);
        cr_assert_eq(f.report.levels, n - 1);
        for (size_t l = 0; l < n - 1; l++) {
            const f2l_t4_level *level = &f.report.level[l];
            const size_t m = n - l, by_register = m == 2 ? 3 : 2 * m + m % 2;
            const bool last = l + 2 == n;
            cr_assert_eq(level->width, m);
            cr_assert_eq(level->delays, !last && m > 2);
            cr_assert_eq(level->register_factors, last ? 0 : by_register);
            if (!last) cr_assert_eq(level->delay_factors, m > 4 ? m : m > 2 ? 4 : 3);
            total += level->factors;
        }
        f2l_net_measure(&size, &f.net);
        cr_assert_eq(size.factors_per_token, total);
        cr_assert_eq(f.net.layers, 2 * (n - 1) - 1);
        check(&f, "transformations", n < 5, n);
        local_clear(&f);
    }
}

static const char *const without_permutations[] = {"elevator", "definite", "tomita"};

Test(t4_delay, not_chosen_where_a_register_is_as_cheap)
{
    for (size_t i = 0; i < 3; i++) {
        local_fixture f;
        local_family(&f.fsa, without_permutations[i], 1, i == 2 ? 7 : 4, 0, 0);
        local_build(&f, F2L_CASCADE_CAPPED, F2L_LABEL_STATES, true);
        cr_assert_eq(f.report.delays, 0);
        cr_assert_gt(f.report.registers, 0);
        for (size_t l = 0; l < f.report.levels; l++) {
            const f2l_t4_level *level = &f.report.level[l];
            cr_assert_eq(level->saves, level->register_factors > 0);
            if (level->saves) cr_assert(level->register_factors == 3 && level->delay_factors == 3);
        }
        cr_assert_eq(f.net.layers, f.report.levels);
        check(&f, without_permutations[i], true, 5);
        local_clear(&f);
    }
}

/* Without gates there is no delay to choose. */
Test(t4_delay, only_among_gates)
{
    local_fixture f;
    local_family(&f.fsa, "transformations", 1, 4, 0, 0);
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert(f.report.delays == 0 && f.report.registers == 2 && f.net.layers == 3);
    cr_assert(f.report.level[0].register_factors == 0 && f.report.level[0].delay_factors == 0);
    local_clear(&f);
}

/* Every symbol of every decoder is changed to every other one: every network that the local closure
 * accepts is right. */
Test(t4_delay, every_symbol_counts)
{
    local_fixture f;
    size_t refused = 0, accepted = 0;
    local_family(&f.fsa, "transformations", 1, 3, 0, 0);
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, true);
    cr_assert_eq(f.net.layers, 3);
    for (size_t l = 0; l < 3; l++) {
        f2l_layer *layer = &f.net.layer[l];
        for (size_t k = 0; k < layer->symbol_at[layer->letters]; k++) {
            const uint32_t right = layer->symbol[k];
            if (right == F2L_NO_SYMBOL) continue;
            for (uint32_t wrong = 0; wrong < layer->symbols; wrong++) {
                if (wrong == right) continue;
                layer->symbol[k] = wrong;
                cr_assert_eq(local_exact(&f), F2L_OK);
                if (f.local.verdict == F2L_OK) {
                    cr_assert_eq(joint_verdict(&f, 0), F2L_OK, "layer %zu, symbol %zu: %u", l + 1,
                                 k, wrong);
                    accepted++;
                } else {
                    refused++;
                }
            }
            layer->symbol[k] = right;
        }
    }
    printf("%zu refused, %zu accepted, which are right\n", refused, accepted);
    cr_assert(refused > 300 && accepted < refused / 10);
    local_clear(&f);
}

/* In turn the side does not change where a coordinate is lost, the side is the other one at first,
 * the coordinate is not written, and the coordinate is another one at first. */
Test(t4_delay, wrong_weights_are_refused)
{
    for (int change = 0; change < 4; change++) {
        local_fixture f;
        local_family(&f.fsa, "transformations", 1, 4, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, true);
        f2l_head *side = &f.net.layer[0].head[1], *slots = &f.net.layer[1].head[0];
        if (change == 0) {
            size_t x = 0;
            while (side->letter[x].factors == 0) x++;
            mpq_set_ui(side->letter[x].factor[0].beta, 0, 1);
        }
        if (change == 1) mpq_set_si(side->initial.value[0], -1, 1);
        if (change == 2) mpq_set_ui(slots->letter[0].factor[0].beta, 0, 1);
        if (change == 3) slots->initial.index[0] = (slots->initial.index[0] + 1) % 4;
        cr_assert_eq(f2l_net_validate(&f.net, &f.err), F2L_OK, "%s", f.err.text);
        cr_assert_eq(local_exact(&f), F2L_OK);
        cr_assert_neq(f.local.verdict, F2L_OK, "change %d", change);
        /* The first merge treats the wrong initial coordinate like the right one. */
        cr_assert_eq(joint_verdict(&f, 0), change == 3 ? F2L_OK : F2L_REFUTED, "change %d", change);
        local_clear(&f);
    }
}

#ifdef F2L_MEM_FAILURES
Test(t4_delay, survives_every_failed_allocation)
{
    local_fixture f;
    size_t failures = 0;
    local_family(&f.fsa, "transformations", 1, 4, 0, 0);
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, true);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = f2l_t4_build(&f.net, &f.report, &f.cascade, &f.fsa, F2L_LABEL_STATES,
                                         true, NULL, &f.err);
        if (status == F2L_OK) status = local_exact(&f);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        failures += status == F2L_ENOMEM;
        cr_assert(status == F2L_OK || !f.local.level);
    }
    cr_assert(f.local.verdict == F2L_OK && failures > 300, "%zu", failures);
    local_clear(&f);
}
#endif
