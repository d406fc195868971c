/* The wiring of the published proof and the repaired one, on the same random cascades. */
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/random_permutation.h"
#include "tests/support/theory/t4_support.h"
#include "theory/certify/closure/closure.h"

/* Three components; the action of each on a letter depends on the coordinates below it. Some letter
 * takes the lowest one away from its start. */
typedef struct product {
    size_t m[3], letters;
    bool resets[3][2 * 16];
    uint32_t image[3][2 * 16][4]; /* [component][letter * prefixes + prefix][coordinate]; equal for
                                     resets */
    f2l_fsa fsa;
    f2l_cascade cascade;
} product;

static size_t prefixes(const product *p, size_t component)
{
    size_t count = 1;
    for (size_t i = 0; i < component; i++) count *= p->m[i];
    return count;
}

static void random_component(product *p, size_t component, f2l_rng *rng)
{
    const size_t m = p->m[component], contexts = p->letters * prefixes(p, component);
    for (size_t x = 0; x < contexts; x++) {
        uint32_t *image = p->image[component][x], target = (uint32_t)f2l_rng_below(rng, m);
        p->resets[component][x] = f2l_rng_below(rng, 2);
        if (!p->resets[component][x]) random_permutation(image, m, rng);
        for (size_t i = 0; p->resets[component][x] && i < m; i++) image[i] = target;
    }
}

/* Returns the coordinates of a state below a component as one number. */
static size_t prefix_of(const product *p, size_t state, size_t component)
{
    for (size_t i = 3; i > component; i--) state /= p->m[i - 1];
    return state;
}

static void product_automaton(product *p)
{
    const size_t n = prefixes(p, 3);
    table_init(&p->fsa, n, p->letters);
    for (size_t s = 0; s < n; s++) {
        for (size_t a = 0; a < p->letters; a++) {
            size_t to = 0;
            for (size_t i = 0; i < 3; i++) {
                size_t below = prefix_of(p, s, i), old = prefix_of(p, s, i + 1) % p->m[i];
                to = to * p->m[i] + p->image[i][a * prefixes(p, i) + below][old];
            }
            p->fsa.next[s * p->letters + a] = (uint32_t)to;
        }
    }
}

/* Returns the first stage of prefixes of length i. Stages are all states, then the states with a
 * given prefix, for longer and longer prefixes. */
static uint32_t first_stage(const product *p, size_t i)
{
    uint32_t stage = 0;
    for (size_t k = 0; k < i; k++) stage += (uint32_t)prefixes(p, k);
    return stage;
}

static void product_stages(product *p)
{
    f2l_cascade *c = &p->cascade;
    const size_t n = prefixes(p, 3), stages = first_stage(p, 4);
    cr_assert_leq(n, 64);
    f2l_subsets_init(&c->sets, n);
    c->lambda = f2l_calloc(stages, sizeof *c->lambda);
    c->cover_count = f2l_calloc(stages, sizeof *c->cover_count);
    c->cover_at = f2l_calloc(stages, sizeof *c->cover_at);
    c->cover = f2l_calloc(stages, sizeof *c->cover);
    for (size_t i = 0; i <= 3; i++) {
        for (size_t prefix = 0; prefix < prefixes(p, i); prefix++) {
            uint64_t set = 0;
            uint32_t id;
            for (size_t s = 0; s < n; s++)
                if (prefix_of(p, s, i) == prefix) f2l_set_put(&set, s);
            cr_assert(f2l_subsets_add(&c->sets, &set, &id, NULL) == F2L_OK &&
                      id == first_stage(p, i) + prefix);
            c->lambda[id] = (uint32_t)i + 1;
            if (i == 3) continue;
            c->cover_count[id] = (uint32_t)p->m[i];
            c->cover_at[id] = id == 0 ? 0 : c->cover_at[id - 1] + c->cover_count[id - 1];
            for (size_t j = 0; j < p->m[i]; j++)
                c->cover[c->cover_at[id] + j] =
                    first_stage(p, i + 1) + (uint32_t)(prefix * p->m[i] + j);
        }
    }
}

/* Makes component i level i + 1 of the cascade; the context of letter a and prefix f has the number
 * a * prefixes + f. */
static void product_level(product *p, size_t i)
{
    f2l_level *level = &p->cascade.level[i];
    const size_t m = p->m[i], before = prefixes(p, i), after = before * m;
    level->width = m;
    level->contexts = p->letters * before;
    level->context = f2l_calloc(level->contexts, sizeof *level->context);
    level->image = f2l_calloc(level->contexts * m, sizeof *level->image);
    level->next = f2l_calloc(level->contexts * m, sizeof *level->next);
    for (size_t x = 0; x < level->contexts; x++) {
        size_t a = x / before, prefix = x % before,
               to = prefix_of(p, p->fsa.next[prefix * (prefixes(p, 3) / before) * p->letters + a],
                              i);
        f2l_context *context = &level->context[x];
        *context =
            (f2l_context){.letter = (uint32_t)a,
                          .from = first_stage(p, i) + (uint32_t)prefix,
                          .to = first_stage(p, i) + (uint32_t)to,
                          .action = p->resets[i][x] ? F2L_ACTION_RESET : F2L_ACTION_PERMUTATION,
                          .target = p->image[i][x][0],
                          .permutation = x * m,
                          .next = x * m};
        bool moves = false;
        for (uint32_t j = 0; j < m; j++) {
            level->image[x * m + j] = p->image[i][x][j];
            level->next[x * m + j] = (uint32_t)(a * after + prefix * m + j);
            moves = moves || p->image[i][x][j] != j;
        }
        if (!p->resets[i][x] && moves) level->permutations++;
    }
}

static void random_product(product *p, f2l_rng *rng)
{
    *p = (product){.letters = 2};
    for (size_t i = 0; i < 3; i++) p->m[i] = f2l_rng_below(rng, 3) + 2;
    do {
        random_component(p, 0, rng);
    } while (p->image[0][0][0] == 0 && p->image[0][1][0] == 0); /* else old equals new */
    for (size_t i = 1; i < 3; i++) random_component(p, i, rng);
    product_automaton(p);
    f2l_cascade_init(&p->cascade);
    p->cascade.fsa = &p->fsa;
    p->cascade.levels = 3;
    product_stages(p);
    p->cascade.level = f2l_calloc(3, sizeof *p->cascade.level);
    for (size_t i = 0; i < 3; i++) product_level(p, i);
}

/* Wires every layer to hand on its state after its update: the next layer takes the new coordinate
 * for the old. */
static void wire_literally(f2l_net *net, const product *p)
{
    for (size_t i = 0; i < 3; i++) {
        f2l_layer *layer = &net->layer[i];
        const size_t values = p->m[i], letters = layer->letters, before = prefixes(p, i);
        uint32_t *reads = calloc(letters, sizeof *reads), *cur = calloc(layer->codes, sizeof *cur);
        for (size_t c = 0; c < layer->codes; c++) cur[c] = layer->part[c * layer->parts];
        cr_assert(f2l_layer_set_parts(layer, 1, &values, reads, NULL) == F2L_OK);
        memcpy(layer->part, cur, layer->codes * sizeof *cur);
        free(reads);
        free(cur);
        for (size_t x = 0; x < letters; x++) {
            for (size_t now = 0; now < values; now++) {
                size_t a = x / before, prefix = x % before * values + now;
                if (i < 2) {
                    layer->symbol[x * values + now] = (uint32_t)(a * before * values + prefix);
                    continue;
                }
                const char *name = f2l_names_get(&p->fsa.states, prefix);
                size_t label = f2l_names_find(&net->labels, name, strlen(name));
                if (label != F2L_NO_INDEX) layer->symbol[x * values + now] = (uint32_t)label;
            }
        }
    }
}

static f2l_status closure_verdict(const f2l_net *net, const f2l_fsa *fsa)
{
    f2l_closure closure;
    f2l_error err = {0};
    f2l_closure_init(&closure);
    cr_assert(f2l_closure_exact(&closure, net, fsa, 0, NULL, &err) == F2L_OK, "%s", err.text);
    f2l_status verdict = closure.verdict;
    f2l_closure_clear(&closure);
    return verdict;
}

/* Checks words and all joint states of the repaired network, with or without gates. */
static void check_repaired(f2l_net *net, f2l_t4_report *report, const product *p, bool gated,
                           f2l_rng *rng)
{
    f2l_error err = {0};
    runner r;
    cr_assert(f2l_t4_build(net, report, &p->cascade, &p->fsa, F2L_LABEL_STATES, gated, NULL,
                           &err) == F2L_OK,
              "%s", err.text);
    runner_init(&r, net, &p->fsa);
    t4_run_word(&r, rng, 100);
    runner_clear(&r);
    cr_assert(closure_verdict(net, &p->fsa) == F2L_OK);
}

/* In the published proof a layer passes on its state after its update; an upper component of the
 * cascade needs the state before it. On the same random cascades the published wiring fails, and
 * the repaired one, with registers or delays, does not. */
Test(t4_wiring, literal_wiring_fails_where_the_repaired_one_passes)
{
    const size_t cascades = 300;
    size_t refuted = 0, registers = 0, delays = 0;
    f2l_rng rng, words;
    f2l_rng_init(&rng, 405, 0); /* seed 405 */
    f2l_rng_init(&words, 405, 1);
    for (size_t i = 0; i < cascades; i++) {
        product p;
        f2l_net net;
        f2l_t4_report report = {0};
        f2l_error err = {0};
        random_product(&p, &rng);
        f2l_net_init(&net);
        check_repaired(&net, &report, &p, true, &words);
        delays += report.delays;
        check_repaired(&net, &report, &p, false, &rng);
        registers += report.registers;
        wire_literally(&net, &p);
        cr_assert(f2l_net_validate(&net, &err) == F2L_OK, "%s", err.text);
        f2l_status verdict = closure_verdict(&net, &p.fsa);
        cr_assert(verdict == F2L_OK || verdict == F2L_REFUTED);
        refuted += verdict == F2L_REFUTED;
        f2l_t4_report_clear(&report);
        f2l_net_clear(&net);
        f2l_cascade_clear(&p.cascade);
        f2l_fsa_clear(&p.fsa);
    }
    cr_assert(refuted == cascades && registers > cascades && delays > 100,
              "refuted %zu of %zu, %zu registers, %zu delays", refuted, cascades, registers,
              delays);
}
