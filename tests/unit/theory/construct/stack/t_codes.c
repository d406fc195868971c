/* Codes of bits above a device: they follow all words, one bit is enough for two possible states
 * (LL.4), and there are none above a device that is not good (LL.1). */
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/compile_support.h"
#include "theory/construct/stack/codes.h"
#include "theory/construct/stack/stack.h"
#include <string.h>

#define STATES 5
#define WORDS 40
#define LETTERS_OF_WORD 60

static void open_graph(f2l_orbits_graph *graph, const f2l_fsa *fsa)
{
    *graph = (f2l_orbits_graph){.letters = fsa->letters.count,
                                .vertices = 1,
                                .states = fsa->states.count,
                                .start_state = fsa->start,
                                .next = fsa->next,
                                .targets = fsa->states.count,
                                .target = fsa->next};
}

/* Steps the contents as the layer's factors do: the slots are numbers here. */
static void step_numbers(double *now, const f2l_slots *slots, size_t edge)
{
    double to[F2L_STACK_CODE_BITS];
    const uint32_t *source = slots->source + edge * slots->slots;
    const uint8_t *flip = slots->flip + edge * slots->slots;
    bool read[F2L_STACK_CODE_BITS] = {false};
    for (size_t i = 0; i < slots->slots; i++) {
        to[i] = flip[i];
        if (source[i] == F2L_SLOTS_WRITTEN) continue;
        cr_assert(source[i] < slots->slots && !read[source[i]]);
        read[source[i]] = true;
        to[i] = flip[i] ? 1 - now[source[i]] : now[source[i]];
    }
    memcpy(now, to, slots->slots * sizeof *now);
}

/* Returns the number of the contents. */
static size_t find_contents(const f2l_slots *slots, const double *now)
{
    for (size_t c = 0; c < slots->states; c++) {
        bool same = true;
        for (size_t i = 0; i < slots->slots; i++)
            same = same && now[i] == slots->value[c * slots->slots + i];
        if (same) return c;
    }
    cr_assert(false, "contents that the layer does not have");
    return 0;
}

/* Follows random words: edge and contents tell the state. */
static void check_codes(const f2l_orbits *codes, const f2l_orbits_graph *g, f2l_rng *rng)
{
    for (size_t w = 0; w < WORDS; w++) {
        double now[F2L_STACK_CODE_BITS];
        size_t vertex = g->start, state = g->start_state;
        for (size_t i = 0; i < codes->slots.slots; i++) now[i] = codes->slots.value[i];
        for (size_t t = 0; t < LETTERS_OF_WORD; t++) {
            const size_t a = f2l_rng_below(rng, g->letters), edge = vertex * g->letters + a;
            step_numbers(now, &codes->slots, edge);
            vertex = g->below[edge];
            state = g->next[state * g->letters + a];
            const size_t at = edge * codes->slots.states + find_contents(&codes->slots, now);
            cr_assert_eq(codes->tells[at], state);
        }
    }
}

/* Returns the most states that are possible at a vertex of the graph. */
static size_t most_possible(const f2l_orbits_graph *g)
{
    bool possible[F2L_STACK_VERTICES][STATES] = {{false}};
    size_t most = 0;
    possible[g->start][g->start_state] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < g->vertices * g->states; i++)
            for (size_t a = 0; a < g->letters && possible[i / g->states][i % g->states]; a++) {
                bool *to = &possible[g->below[i / g->states * g->letters + a]]
                                    [g->next[i % g->states * g->letters + a]];
                more |= !*to;
                *to = true;
            }
    }
    for (size_t v = 0; v < g->vertices; v++) {
        size_t count = 0;
        for (size_t q = 0; q < g->states; q++) count += possible[v][q];
        if (count > most) most = count;
    }
    return most;
}

/* What was seen over all pairs of an automaton and a device. */
typedef struct tally {
    size_t codes, single, several, none, bad;
} tally;

static void try_pair(tally *t, f2l_orbits_graph *g, const f2l_orbits_maps *maps, f2l_rng *rng)
{
    f2l_orbits codes = {.rows = 0};
    f2l_error err = {0};
    bool good = false;
    const f2l_status status = f2l_stack_codes_find(&codes, g, NULL, &err);
    cr_assert(status == F2L_OK || status == F2L_EDOMAIN, "%s", err.text);
    cr_assert_eq(f2l_orbits_is_good(&good, NULL, g, maps, NULL, &err), F2L_OK);
    t->bad += !good;
    if (status == F2L_OK) {
        cr_assert(good, "codes show that one more layer is enough");
        check_codes(&codes, g, rng);
        t->codes++;
        t->several += codes.slots.slots > 1;
    } else {
        cr_assert_not_null(strstr(err.text, "no codes"));
        cr_assert_null(codes.slots.source);
        t->none++;
    }
    if (most_possible(g) <= 2) {
        cr_assert(status == F2L_OK && codes.slots.slots == 1 && codes.slots.factors <= 1);
        t->single++;
    }
    f2l_orbits_clear(&codes);
}

Test(codes, random)
{
    f2l_stack_list list;
    f2l_error err = {0};
    f2l_rng rng;
    tally t = {.codes = 0};
    f2l_rng_init(&rng, 45, 3);
    cr_assert_eq(f2l_stack_list_make(&list, 2, F2L_STACK_FEW, NULL, &err), F2L_OK, "%s", err.text);
    for (size_t i = 0; i < 60; i++) {
        f2l_fsa fsa;
        f2l_orbits_graph graph;
        f2l_orbits_maps maps = {.count = 0};
        table_init(&fsa, 3 + i % (STATES - 2), 2);
        for (size_t k = 0; k < 2 * fsa.states.count; k++)
            fsa.next[k] = (uint32_t)f2l_rng_below(&rng, fsa.states.count);
        open_graph(&graph, &fsa);
        cr_assert_eq(f2l_orbits_maps_list(&maps, &graph, NULL, &err), F2L_OK);
        for (size_t k = 0; k < 40; k++) {
            const uint32_t at = (uint32_t)f2l_rng_below(&rng, list.devices);
            graph.vertices = list.device[at].vertices;
            graph.below = f2l_rowset_get(&list.table, at, NULL);
            try_pair(&t, &graph, &maps, &rng);
        }
        f2l_orbits_maps_clear(&maps);
        f2l_fsa_clear(&fsa);
    }
    f2l_stack_list_clear(&list);
    printf("%zu with codes, %zu of them of several bits, %zu of two states, %zu without, %zu not "
           "good\n",
           t.codes, t.several, t.single, t.none, t.bad);
    cr_assert(t.several > 20 && t.single > 20 && t.bad > 20 && t.none > t.bad);
}
