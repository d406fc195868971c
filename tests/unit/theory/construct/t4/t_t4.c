/* Cascades as networks: every family and random automata, through every decomposition, with one
 * head for the coordinate of every level. The expected form of a level is computed here from the
 * cascade. */
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/keys/keys.h"
#include "theory/construct/t4/t4_level.h"

static void trim(f2l_fsa *fsa)
{
    size_t dropped;
    cr_assert(f2l_fsa_trim(fsa, &dropped, NULL) == F2L_OK);
}

static void random_automaton(f2l_fsa *fsa, f2l_rng *rng, size_t n, size_t k)
{
    table_random(fsa, n, k, rng);
    if (f2l_rng_below(rng, 2)) /* one letter permutes, so that there are groups */
        for (size_t q = 0; q < n; q++) fsa->next[q * k] = (uint32_t)((q + 1) % n);
    trim(fsa);
}

/* Families: "name n k", then for every letter the images of the states. */
#define SMALL_FAMILIES \
    "T3 3 3  2 3 1  2 1 3  1 1 3\n" \
    "T4 4 3  2 3 4 1  2 1 3 4  1 1 3 4\n" \
    "T5 5 3  2 3 4 5 1  2 1 3 4 5  1 1 3 4 5\n" \
    "OP3 3 4  2 2 3  1 1 3  1 3 3  1 2 2\n" \
    "OP4 4 6  2 2 3 4  1 1 3 4  1 3 3 4  1 2 2 4  1 2 4 4  1 2 3 3\n" \
    "SIM4 5 3  2 3 4 1 5  2 1 3 4 5  5 2 3 4 5\n" \
    "CYCRESET5 5 2  2 3 4 5 1  1 1 1 1 1\n" \
    "A5 5 2  2 3 4 5 1  2 3 1 4 5\n" \
    "Z11 11 1  2 3 4 5 6 7 8 9 10 11 1\n" \
    "CYCRESET11 11 2  2 3 4 5 6 7 8 9 10 11 1  4 4 4 4 4 4 4 4 4 4 4\n" \
    "ELEV5 5 2  2 3 4 5 5  1 1 2 3 4\n" \
    "DYCK1_4 6 2  2 3 4 5 6 6  6 1 2 3 4 6\n" \
    "DYCK2_1 4 4  2 4 4 4  3 4 4 4  4 1 4 4  4 4 1 4\n" \
    "DYCK2_2 8 4  2 5 7 4 4 4 4 4  3 6 8 4 4 4 4 4  4 1 4 4 2 4 3 4  4 4 1 4 4 2 4 3\n" \
    "TOMITA1 2 2  2 2  1 2\n" \
    "TOMITA3 5 2  1 3 4 3 5  2 1 5 2 5\n" \
    "TOMITA5 4 2  2 1 4 3  3 4 1 2\n" \
    "TOMITA7 5 2  1 3 3 5 5  2 2 4 4 5\n" \
    "DEEP4 4 4  1 1 1 4  1 1 1 3  2 2 3 2  2 1 2 2\n" \
    "BECKS 6 6  1 2 3 1 1 1  4 4 4 5 4 6  4 4 4 5 6 4  4 4 4 4 5 5  4 4 4 1 2 3  2 3 1 4 4 4\n" \
    "HEYBUG 8 3  2 2 4 4 6 6 8 8  1 2 3 5 5 6 7 5  1 2 3 4 3 4 3 4\n" \
    "ALIFEX 5 2  2 2 3 3 3  3 3 3 5 4\n" \
    "P2HNT 5 3  2 1 4 5 3  1 2 2 2 2  3 3 3 4 5\n" \
    "RESETS3 3 3  1 1 1  2 2 2  1 2 3\n" \
    "ONE 1 2  1  1\n"

static bool is_saving(const f2l_cascade *c, size_t l, const f2l_context *x)
{
    return x->action == F2L_ACTION_RESET && c->lambda[x->from] == l && l < c->levels;
}

/* Returns context i of level l with what the network does there: one that leaves the level resets
 * it, as the first one does that loses an old coordinate, or on the last level any reset (T4.15).
 */
static f2l_context context_at(const f2l_cascade *c, size_t l, size_t i)
{
    const f2l_level *level = &c->level[l - 1];
    f2l_context x = level->context[i];
    if (c->lambda[x.from] != l || x.action != F2L_ACTION_IDLE) return x;
    for (size_t k = 0; k < level->contexts; k++) {
        const f2l_context *other = &level->context[k];
        if (other->action != F2L_ACTION_RESET || (l < c->levels && !is_saving(c, l, other)))
            continue;
        x.action = F2L_ACTION_RESET;
        x.target = other->target;
        break;
    }
    return x;
}

static size_t transpositions(const f2l_cascade *c, size_t l, const f2l_context *x)
{
    uint32_t image[64];
    size_t m = c->cover_count[x->from], swaps = 0;
    cr_assert(m <= 64);
    for (size_t i = 0; i < m; i++) image[i] = c->level[l - 1].image[x->permutation + i];
    for (uint32_t i = 0; i < m; i++)
        while (image[i] != i) {
            uint32_t j = image[i];
            image[i] = image[j];
            image[j] = j;
            swaps++;
        }
    return swaps;
}

typedef struct expected {
    bool saves, delays, gated, permutes, roots;
    size_t n, d;
    size_t register_factors, delay_factors;
} expected;

/* Returns the number of non-zero coordinates of point i's weight in a root system. */
static size_t root_entries(size_t m, size_t i)
{
    long weight[8];
    size_t n, entries = 0;
    cr_assert(f2l_keys_dimension(F2L_KEYS_ROOTS, m, &n) && n <= 8);
    f2l_keys_weight(weight, F2L_KEYS_ROOTS, m, i);
    for (size_t k = 0; k < n; k++) entries += weight[k] != 0;
    return entries;
}

static size_t root_dimension(size_t m)
{
    static const size_t dimension[] = {0, 0, 1, 4, 4, 6, 6, 7, 7, 8};
    return dimension[m];
}

static size_t expect_factors(const f2l_cascade *c, size_t l, const f2l_context *x,
                             const expected *e)
{
    const size_t m = c->level[l - 1].width, even = m + m % 2;
    if (x->action == F2L_ACTION_PERMUTATION)
        return transpositions(c, l, x) * (e->saves && m == 2 ? 2 : 1);
    if (x->action == F2L_ACTION_IDLE) return 0;
    if (m == 2 || !e->permutes) return !e->saves ? 1 : is_saving(c, l, x) ? 3 : 2;
    if (e->saves) return is_saving(c, l, x) ? m + even : even;
    if (!e->roots) return e->gated ? 2 : even;
    return e->gated ? root_entries(m, x->target) : root_dimension(m);
}

/* Returns the most factors per token: with a delay one more where an old coordinate is lost, and
 * one for the upper layer. */
static size_t expect_most(const f2l_cascade *c, size_t l, const expected *e)
{
    size_t most = 0;
    for (size_t i = 0; i < c->level[l - 1].contexts; i++) {
        const f2l_context x = context_at(c, l, i);
        const size_t factors = expect_factors(c, l, &x, e) + (e->delays && is_saving(c, l, &x));
        if (factors > most) most = factors;
    }
    return most + e->delays;
}

/* Returns the expected figures of a level without a register. */
static expected expect_plain(const f2l_cascade *c, size_t l, bool gated, bool delays, bool permutes)
{
    const size_t m = c->level[l - 1].width;
    expected e = {.gated = gated, .delays = delays, .permutes = permutes, .roots = true};
    if (m > 2 && permutes) {
        expected doubled = e;
        doubled.roots = false;
        e.roots = m <= 9 && !(gated && expect_most(c, l, &doubled) < expect_most(c, l, &e));
    }
    e.n = m == 2 || !permutes ? 1 : e.roots ? root_dimension(m) : 2 * m;
    e.d = m > 2 && !permutes ? m : 1;
    return e;
}

static expected expect_level(const f2l_cascade *c, size_t l, bool gated)
{
    const f2l_level *level = &c->level[l - 1];
    const size_t m = level->width;
    bool needed = false, permutes = false;
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context *x = &level->context[i];
        if (is_saving(c, l, x)) needed = true;
        if (x->action == F2L_ACTION_PERMUTATION && transpositions(c, l, x) > 0) permutes = true;
    }
    expected e = expect_plain(c, l, gated, needed, permutes);
    if (!needed) return e;
    expected saving = {
        .saves = true, .permutes = permutes, .n = m > 2 && permutes ? 4 * m : 4, .d = e.d};
    if (!gated) return saving;
    e.register_factors = saving.register_factors = expect_most(c, l, &saving);
    e.delay_factors = saving.delay_factors = expect_most(c, l, &e);
    return e.delay_factors < e.register_factors ? e : saving;
}

/* Checks that keys are unit vectors with coordinates in halves, and values likewise after division
 * by |u| (T4.12). */
static void check_factor(const f2l_factor *factor)
{
    mpq_t norm2;
    mpq_init(norm2);
    f2l_qvec_norm2(norm2, &factor->u);
    bool four = mpq_cmp_ui(norm2, 4, 1) == 0;
    cr_assert(four || mpq_cmp_ui(norm2, 1, 1) == 0);
    for (size_t i = 0; i < factor->u.count; i++)
        cr_assert(mpz_cmp_ui(mpq_denref(factor->u.value[i]), four ? 1 : 2) <= 0);
    for (size_t i = 0; i < factor->c.count; i++)
        cr_assert(mpz_cmp_ui(mpq_denref(factor->c.value[i]), 1) == 0);
    cr_assert(mpq_cmp_ui(factor->beta, 1, 1) == 0 ||
              (mpq_cmp_ui(factor->beta, 2, 1) == 0 && factor->c.count == 0));
    mpq_clear(norm2);
}

/* Checks a side that is turned by exactly the resets that lose a coordinate, and one write or gate
 * 0 for every letter of the upper layer. */
static void check_delay(const f2l_layer *lower, const f2l_layer *upper, const f2l_cascade *c,
                        size_t l)
{
    const f2l_head *side = &lower->head[1], *slots = &upper->head[0];
    const size_t m = c->level[l - 1].width;
    cr_assert(side->n == 1 && side->d == 1 && side->initial.count == 1 &&
              lower->part_values[1] == 2 * m);
    cr_assert(lower->codes <= 2 * m && lower->symbols == upper->letters);
    for (size_t x = 0; x < lower->letters; x++) {
        const f2l_transition *t = &side->letter[x];
        const f2l_context context = context_at(c, l, x);
        cr_assert(t->factors == is_saving(c, l, &context) && lower->reads[x] == 1);
        cr_assert(mpq_cmp_ui(t->gate, 1, 1) == 0);
        cr_assert(t->factors == 0 || mpq_cmp_ui(t->factor[0].beta, 2, 1) == 0);
    }
    cr_assert(upper->heads == 1 && slots->n == 2 && slots->d == m && slots->initial.count == 1);
    cr_assert(upper->parts == 3 && upper->part_values[0] == m + 1 &&
              upper->part_values[1] == m + 1 && upper->part_values[2] == 1 &&
              upper->codes <= (m + 1) * (m + 1));
    for (size_t x = 0; x < upper->letters; x++) {
        const f2l_transition *t = &slots->letter[x];
        cr_assert_eq(mpq_cmp_ui(t->gate, t->factors, 1), 0);
        if (t->factors == 0) {
            cr_assert_eq(upper->reads[x], 2);
            continue;
        }
        check_factor(&t->factor[0]);
        cr_assert(t->factors == 1 && t->factor[0].u.count == 1 && t->factor[0].c.count == 1);
        cr_assert(upper->reads[x] == 2 || upper->reads[x] == 1 - t->factor[0].u.index[0]);
    }
}

/* Returns how many layers the level has. */
static size_t check_level(const f2l_layer *layer, const f2l_t4_report *report, const f2l_cascade *c,
                          size_t l)
{
    const f2l_level *level = &c->level[l - 1];
    const f2l_t4_level *told = &report->level[l - 1];
    expected e = expect_level(c, l, report->gated);
    cr_assert(layer->heads == (e.delays ? 2 : 1) && layer->letters == level->contexts &&
              !layer->by_letter);
    cr_assert(layer->head[0].n == e.n && layer->head[0].d == e.d,
              "level %zu of width %zu: %zu x %zu", l, level->width, layer->head[0].n,
              layer->head[0].d);
    cr_assert(layer->parts == (e.saves || e.delays ? 2 : 1) &&
              layer->part_values[0] == level->width);
    cr_assert(layer->codes <= level->width * (e.saves ? level->width : e.delays ? 2 : 1));
    size_t most = 0;
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context x = context_at(c, l, i);
        const f2l_transition *t = &layer->head[0].letter[i];
        bool gate0 = report->gated && x.action == F2L_ACTION_RESET && !e.saves;
        cr_assert(mpq_cmp_ui(t->gate, gate0 ? 0 : 1, 1) == 0);
        cr_assert_eq(t->factors, expect_factors(c, l, &x, &e), "level %zu, context %zu: %zu", l, i,
                     t->factors);
        if (!e.delays) cr_assert_eq(layer->reads[i], is_saving(c, l, &x) ? 1u : 0u);
        for (size_t f = 0; f < t->factors; f++) check_factor(&t->factor[f]);
        if (t->factors > most) most = t->factors;
    }
    if (e.delays) check_delay(layer, layer + 1, c, l);
    cr_assert(told->saves == e.saves && told->delays == e.delays && told->width == level->width &&
              told->contexts == level->contexts);
    const f2l_t4_held *held = &told->form[0];
    cr_assert(told->heads == 1 && held->points == level->width && held->n == e.n &&
              held->d == e.d && told->codes == layer->codes);
    cr_assert(told->register_factors == e.register_factors &&
              told->delay_factors == e.delay_factors);
    cr_assert(told->householders == most && told->factors == expect_most(c, l, &e));
    cr_assert((strncmp(f2l_t4_form_name(held->form), "register", 8) == 0) == e.saves);
    cr_assert_eq(report->layers[l - 1], e.delays ? 2 : 1);
    return e.delays ? 2 : 1;
}

static void check_closure(const f2l_net *net, const f2l_fsa *fsa, size_t max_rows, bool must_close)
{
    f2l_closure closure;
    f2l_error err = {0};
    f2l_closure_init(&closure);
    cr_assert(f2l_closure_exact(&closure, net, fsa, max_rows, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(closure.verdict == F2L_OK || (closure.verdict == F2L_UNKNOWN && !must_close), "%s",
              f2l_status_name(closure.verdict));
    f2l_closure_clear(&closure);
}

static size_t counted; /* levels with a delay */

static void check_cascade(const f2l_fsa *fsa, const f2l_cascade *c, bool gated, f2l_rng *rng,
                          size_t length)
{
    f2l_net net;
    f2l_t4_report report = {0};
    f2l_error err = {0};
    f2l_net_init(&net);
    cr_assert(f2l_t4_build_whole(&net, &report, c, fsa, F2L_LABEL_STATES, gated, NULL, &err) ==
                  F2L_OK,
              "%s", err.text);
    cr_assert(f2l_net_validate(&net, &err) == F2L_OK, "%s", err.text);
    cr_assert(report.levels == c->levels && report.gated == gated);
    size_t registers = 0, delays = 0, contexts = 0, layers = 0;
    for (size_t l = 1; l <= c->levels; l++) {
        cr_assert_lt(layers, net.layers);
        layers += check_level(&net.layer[layers], &report, c, l);
        registers += report.level[l - 1].saves;
        delays += report.level[l - 1].delays;
        contexts += report.level[l - 1].contexts;
    }
    cr_assert(net.layers == (c->levels > 0 ? layers : 1) &&
              net.layers <= 2 * c->levels + (c->levels == 0));
    cr_assert(report.registers == registers && report.delays == delays &&
              report.contexts == contexts);
    counted += delays;
    runner r;
    runner_init(&r, &net, fsa);
    for (size_t i = 0; i < 4; i++) t4_run_word(&r, rng, i == 0 ? length : 30);
    runner_clear(&r);
    bool small = fsa->states.count <= 4;
    check_closure(&net, fsa, small ? 0 : 3000, small);
    f2l_t4_report_clear(&report);
    f2l_net_clear(&net);
}

/* Checks every decomposition; automata with more than `most_for_zeiger` states have too many
 * subsets for Zeiger's. */
static void check_automaton(const f2l_fsa *fsa, size_t most_for_zeiger, f2l_rng *rng, size_t length)
{
    const f2l_cascade_kind kinds[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED, F2L_CASCADE_ZEIGER};
    const size_t n = fsa->states.count;
    for (size_t i = 0; i < 3; i++) {
        f2l_cascade c;
        f2l_error err = {0};
        if (kinds[i] == F2L_CASCADE_ZEIGER && n > most_for_zeiger) continue;
        cr_assert(f2l_cascade_build(&c, fsa, kinds[i], 0, NULL, &err) == F2L_OK, "%s", err.text);
        if (kinds[i] == F2L_CASCADE_CAPPED) cr_assert(c.levels <= (n > 2 ? n - 1 : 1));
        if (kinds[i] == F2L_CASCADE_ZEIGER) cr_assert(c.levels == n - 1);
        check_cascade(fsa, &c, false, rng, length);
        check_cascade(fsa, &c, true, rng, length);
        f2l_cascade_clear(&c);
    }
}

static size_t check_families(FILE *in, size_t most_for_zeiger, uint64_t seed, size_t length)
{
    char name[64];
    f2l_fsa fsa;
    f2l_rng rng;
    size_t families = 0;
    cr_assert(in != NULL);
    f2l_rng_init(&rng, seed, 0);
    for (; table_read(&fsa, name, in); families++) {
        trim(&fsa);
        check_automaton(&fsa, most_for_zeiger, &rng, length);
        f2l_fsa_clear(&fsa);
    }
    fclose(in);
    return families;
}

Test(t4, small_families)
{
    char text[] = SMALL_FAMILIES;
    cr_assert_eq(check_families(fmemopen(text, sizeof text - 1, "r"), 6, 401, 200), 25);
    cr_assert_gt(counted, 10, "%zu delays", counted);
}

/* All families of the golden file, on which the decompositions are measured. */
Test(t4, golden_families)
{
    cr_assert_geq(check_families(fopen("tests/golden/cascade-families.txt", "r"), 5, 402, 60), 57);
    cr_assert_gt(counted, 30, "%zu delays", counted);
}

Test(t4, random_automata)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 403, 0); /* seed 403 */
    for (size_t i = 0; i < 300; i++) {
        f2l_fsa fsa;
        random_automaton(&fsa, &rng, f2l_rng_below(&rng, 7) + 2, f2l_rng_below(&rng, 3) + 1);
        check_automaton(&fsa, 5, &rng, i % 30 == 0 ? 1000 : 50);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_gt(counted, 100, "%zu delays", counted);
}

Test(t4, labels_of_other_kinds)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 404, 0);
    for (size_t i = 0; i < 60; i++) {
        f2l_fsa fsa, small;
        f2l_cascade c;
        f2l_net net;
        f2l_t4_report report = {0};
        f2l_error err = {0};
        uint32_t *classes;
        runner r;
        random_automaton(&fsa, &rng, f2l_rng_below(&rng, 6) + 1, 2);
        fsa.has_accept = true;
        for (size_t q = 0; q < fsa.states.count; q++)
            fsa.accept[q] = (uint8_t)f2l_rng_below(&rng, 2);
        f2l_fsa_init(&small);
        cr_assert(f2l_fsa_minimise(&small, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL) == F2L_OK);
        cr_assert(f2l_cascade_build(&c, &small, F2L_CASCADE_CAPPED, 0, NULL, NULL) == F2L_OK);
        f2l_net_init(&net);
        cr_assert(f2l_t4_build(&net, &report, &c, &small, F2L_LABEL_ACCEPT, i % 2, NULL, &err) ==
                      F2L_OK,
                  "%s", err.text);
        cr_assert(net.labels.count <= 2 && net.label == F2L_LABEL_ACCEPT);
        runner_init(&r, &net, &fsa); /* of the automaton before minimising */
        t4_run_word(&r, &rng, 100);
        runner_clear(&r);
        check_closure(&net, &fsa, 3000, false);
        cr_assert(f2l_t4_build(&net, &report, &c, &small, F2L_LABEL_OUTPUTS, false, NULL, &err) ==
                  F2L_EDOMAIN);
        cr_assert(net.layers == 0 && report.level == NULL && report.levels == 0);
        f2l_free(classes);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&small);
        f2l_fsa_clear(&fsa);
    }
}

Test(t4, one_state)
{
    f2l_fsa fsa;
    f2l_cascade c;
    f2l_net net;
    f2l_t4_report report = {0};
    table_init(&fsa, 1, 3);
    cr_assert(f2l_cascade_build(&c, &fsa, F2L_CASCADE_CAPPED, 0, NULL, NULL) == F2L_OK &&
              c.levels == 0);
    f2l_net_init(&net);
    cr_assert(f2l_t4_build(&net, &report, &c, &fsa, F2L_LABEL_STATES, true, NULL, NULL) == F2L_OK);
    cr_assert(net.layers == 1 && net.layer[0].parts == 1 && net.layer[0].codes == 1 &&
              net.layer[0].head[0].n == 1);
    cr_assert(net.layer[0].head[0].initial.count == 1 &&
              net.layer[0].head[0].letter[2].factors == 0);
    check_closure(&net, &fsa, 0, true);
    f2l_t4_report_clear(&report);
    f2l_net_clear(&net);
    f2l_cascade_clear(&c);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(t4, survives_every_failed_allocation)
{
    f2l_fsa fsa;
    f2l_cascade c;
    f2l_rng rng;
    f2l_rng_init(&rng, 406, 0);
    table_random(&fsa, 6, 3, &rng);
    trim(&fsa);
    cr_assert(f2l_cascade_build(&c, &fsa, F2L_CASCADE_CAPPED, 0, NULL, NULL) == F2L_OK);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_net net;
        f2l_t4_report report = {0};
        f2l_error err = {0};
        f2l_net_init(&net);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status =
            f2l_t4_build(&net, &report, &c, &fsa, F2L_LABEL_STATES, n % 3 == 0, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) {
            failures++;
            cr_assert(net.layers == 0 && report.level == NULL);
        }
        f2l_t4_report_clear(&report);
        f2l_net_clear(&net);
    }
    cr_assert(failures > 100);
    f2l_cascade_clear(&c);
    f2l_fsa_clear(&fsa);
}
#endif
