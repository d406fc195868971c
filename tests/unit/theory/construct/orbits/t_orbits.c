/* Slots on a cover: the automata of theory/pages/one-layer.md, devices below, words that refute,
 * and networks by the compiler. */
#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"
#include "theory/construct/orbits/orbits.h"
#include <stdio.h>

#define MOST_STATES 32
#define STEPS ((uint64_t)400 * F2L_STEPS)

/* An automaton as in the census: "010 121" says for each letter where it leads each state. */
typedef struct table {
    size_t letters, states;
    uint32_t next[MOST_STATES * 4], below[4], target[MOST_STATES * 4];
    f2l_orbits_graph graph; /* of one vertex, to tell the states */
} table;

static void open_table(table *t, const char *text)
{
    *t = (table){.states = strcspn(text, " ")};
    t->letters = (strlen(text) + 1) / (t->states + 1);
    for (size_t q = 0; q < t->states; q++)
        for (size_t a = 0; a < t->letters; a++)
            t->next[q * t->letters + a] = (uint32_t)(text[a * (t->states + 1) + q] - '0');
    t->graph = (f2l_orbits_graph){.letters = t->letters,
                                  .vertices = 1,
                                  .below = t->below,
                                  .states = t->states,
                                  .next = t->next,
                                  .targets = t->states,
                                  .target = t->next};
}

static void open_automaton(fixture *f, const char *text)
{
    table t;
    char lines[2048];
    size_t at = (size_t)snprintf(lines, sizeof lines, "start q0\n");
    open_table(&t, text);
    for (size_t i = 0; i < t.states * t.letters; i++)
        at += (size_t)snprintf(lines + at, sizeof lines - at, "q%zu %c q%u\n", i / t.letters,
                               (char)('a' + i % t.letters), t.next[i]);
    open_text(f, lines);
}

/* Follows random words: the contents, moved and written edge by edge, tell the target. */
static void check_contents(const f2l_orbits *o, const f2l_orbits_graph *g)
{
    const f2l_slots *s = &o->slots;
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    for (int word = 0; word < 50; word++) {
        uint8_t now[F2L_SLOTS_MAX], next[F2L_SLOTS_MAX] = {0};
        size_t vertex = g->start, state = g->start_state, content;
        memcpy(now, s->value, s->slots);
        for (int t = 0; t < 40; t++) {
            const size_t a = f2l_rng_below(&rng, g->letters), edge = vertex * g->letters + a;
            bool read[F2L_SLOTS_MAX] = {false};
            for (size_t i = 0; i < s->slots; i++) {
                const uint32_t from = s->source[edge * s->slots + i];
                next[i] = s->flip[edge * s->slots + i];
                if (from == F2L_SLOTS_WRITTEN) continue;
                cr_assert_not(read[from]);
                read[from] = true;
                next[i] = now[from];
            }
            memcpy(now, next, s->slots);
            for (content = 0; content < s->states; content++)
                if (memcmp(s->value + content * s->slots, now, s->slots) == 0) break;
            cr_assert_lt(content, s->states);
            cr_assert_eq(o->tells[edge * s->states + content], g->target[state * g->letters + a]);
            vertex = g->below[edge];
            state = g->next[state * g->letters + a];
        }
    }
}

static f2l_status find_orbits(f2l_orbits *out, const f2l_orbits_graph *graph, uint64_t steps,
                              f2l_error *err)
{
    f2l_orbits_maps maps = {0};
    *out = (f2l_orbits){0};
    f2l_status status = f2l_orbits_maps_list(&maps, graph, NULL, err);
    if (status == F2L_OK) status = f2l_orbits_find(out, graph, &maps, steps, NULL, err);
    f2l_orbits_maps_clear(&maps);
    return status;
}

/* --- the automata of the page --- */

/* Slots, factors of K.8 and joint states found, which are to stay as few. */
Test(orbits, one_layer)
{
    static const struct {
        const char *automaton;
        size_t slots, factors, rows, order;
    } known[] = {{"010 121", 2, 1, 3, 2},    {"022 100", 2, 1, 3, 2},   {"100 200", 2, 1, 3, 2},
                 {"021 100", 4, 3, 5, 4},    {"101 210", 6, 3, 10, 4},  {"102 221", 6, 3, 10, 4},
                 {"0222 1033", 4, 2, 11, 2}, {"1033 1222", 4, 4, 11, 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        table t;
        f2l_orbits o;
        open_automaton(&f, known[i].automaton);
        check_theorem(&f, "OL");
        cr_assert_eq(f.result.net.layers, 1);
        cr_assert(f.result.unrounded);
        open_table(&t, known[i].automaton);
        cr_assert_eq(find_orbits(&o, &t.graph, STEPS, &f.err), F2L_OK, "%s", f.err.text);
        printf("%s: %zu slots, %zu factors, %zu rows, order %zu\n", known[i].automaton,
               o.slots.slots, o.slots.factors, f.result.exact.rows, o.order);
        check_contents(&o, &t.graph);
        cr_assert_leq(o.slots.slots, known[i].slots);
        cr_assert_leq(o.slots.factors, known[i].factors);
        cr_assert_leq(f.result.exact.rows, known[i].rows);
        cr_assert_eq(o.order, known[i].order);
        f2l_orbits_clear(&o);
        compile_done(&f);
    }
}

static size_t follow_word(const table *t, size_t state, const uint32_t *word, size_t letters)
{
    for (size_t i = 0; i < letters; i++) state = t->next[state * t->letters + word[i]];
    return state;
}

/* Words u, w act as idempotents on all states, and efe differs from fe at the state. */
static void check_witness(const table *t, const f2l_orbits_witness *x)
{
    for (size_t q = 0; q < t->states; q++) {
        const size_t e = follow_word(t, q, x->u, x->u_letters);
        const size_t f = follow_word(t, q, x->w, x->w_letters);
        cr_assert_eq(follow_word(t, e, x->u, x->u_letters), e);
        cr_assert_eq(follow_word(t, f, x->w, x->w_letters), f);
    }
    const size_t fe =
        follow_word(t, follow_word(t, x->state, x->w, x->w_letters), x->u, x->u_letters);
    size_t efe = follow_word(t, x->state, x->u, x->u_letters);
    efe = follow_word(t, follow_word(t, efe, x->w, x->w_letters), x->u, x->u_letters);
    cr_assert_neq(efe, fe);
    cr_assert_eq(follow_word(t, 0, x->to, x->to_letters), x->state);
    cr_assert(x->u_letters > 0 && x->w_letters > 0);
}

/* The eight automata of three states, the copy automaton, and generators of all maps of three
 * points and of the order-preserving ones. */
Test(orbits, no_layer)
{
    static const char *const known[] = {
        "002 121", "011 121", "022 101",        "022 112",     "100 121",        "101 200",
        "100 212", "101 221", "0033 0101 2323", "120 102 002", "112 002 022 011"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        table t;
        bool good = true;
        f2l_orbits o;
        f2l_orbits_maps maps = {0};
        f2l_orbits_witness witness = {0};
        f2l_error err = {0};
        open_table(&t, known[i]);
        cr_assert_eq(f2l_orbits_maps_list(&maps, &t.graph, NULL, &err), F2L_OK);
        cr_assert_eq(f2l_orbits_is_good(&good, &witness, &t.graph, &maps, NULL, &err), F2L_OK);
        cr_assert_not(good, "%s", known[i]);
        check_witness(&t, &witness);
        cr_assert_eq(find_orbits(&o, &t.graph, STEPS / 20, &err), F2L_UNKNOWN, "%s", known[i]);
        f2l_orbits_witness_clear(&witness);
        f2l_orbits_maps_clear(&maps);
    }
}

/* K.6 has no more factors for these, and the search is left out. */
Test(orbits, as_before)
{
    static const struct {
        const char *family, *theorem;
        uint64_t number;
        size_t factors;
    } known[] = {{"elevator", "K.6", 4, 4},
                 {"elevator", "K.6", 6, 6},
                 {"counter", "K.6", 4, 5},
                 {"definite", "K", 3, 4},
                 {"flipflop", "K.6", 0, 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        f2l_compile_figures figures;
        open_family(&f, known[i].family, known[i].number, false);
        check_theorem(&f, known[i].theorem);
        f2l_compile_measure(&figures, &f.result);
        printf("%s: %s, %zu factors\n", known[i].family, f.result.theorem,
               figures.factors_per_token);
        cr_assert_eq(figures.layers, 1);
        cr_assert_leq(figures.factors_per_token, known[i].factors);
        compile_done(&f);
    }
}

/* --- random automata --- */

/* Sets *t to what random slots of a cover do: the contents that words lead to. Returns false where
 * these are too many, or few. */
static bool make_random(table *t, f2l_rng *rng, size_t letters)
{
    const size_t places = 2 + f2l_rng_below(rng, 3);
    uint8_t to[4][4], write[4][4], content[MOST_STATES][4] = {{0}};
    *t = (table){.letters = letters, .states = 1};
    for (size_t a = 0; a < letters; a++)
        for (size_t i = 0; i < places; i++) {
            const size_t k = f2l_rng_below(rng, i + 1);
            to[a][i] = to[a][k];
            to[a][k] = (uint8_t)i;
            const uint64_t x = f2l_rng_below(rng, 10);
            write[a][i] = x < 2 ? (uint8_t)x : 2;
        }
    content[0][0] = 1;
    for (size_t q = 0; q < t->states; q++)
        for (size_t a = 0; a < letters; a++) {
            uint8_t next[4] = {0};
            size_t at = 0;
            for (size_t i = 0; i < places; i++)
                next[to[a][i]] = write[a][i] == 2 ? content[q][i] : write[a][i];
            while (at < t->states && memcmp(content[at], next, 4) != 0) at++;
            if (at == MOST_STATES) return false;
            if (at == t->states) memcpy(content[t->states++], next, 4);
            t->next[q * letters + a] = (uint32_t)at;
        }
    t->graph = (f2l_orbits_graph){.letters = letters,
                                  .vertices = 1,
                                  .below = t->below,
                                  .states = t->states,
                                  .next = t->next,
                                  .targets = t->states,
                                  .target = t->next};
    return t->states > 2;
}

/* Automata of slots are good, and their slots are found again. */
Test(orbits, random)
{
    f2l_rng rng;
    size_t found = 0;
    f2l_rng_init(&rng, 45, 0);
    for (size_t i = 0; i < 40; i++) {
        table t;
        f2l_orbits o;
        f2l_error err = {0};
        if (!make_random(&t, &rng, 2)) continue;
        const f2l_status status = find_orbits(&o, &t.graph, STEPS / 10, &err);
        cr_assert(status == F2L_OK || status == F2L_UNKNOWN, "%s", err.text);
        if (status == F2L_OK) check_contents(&o, &t.graph);
        found += status == F2L_OK;
        f2l_orbits_clear(&o);
    }
    printf("%zu found\n", found);
    cr_assert_geq(found, 20);
}

/* --- devices below --- */

/* The device of the last letter, and automata that need it (layers-2, section 6). */
Test(orbits, last_letter_below)
{
    static const char *const known[] = {"0010 1232", "0032 1222"};
    static const uint32_t below[] = {1, 2, 1, 2, 1, 2};
    for (size_t i = 0; i < 2; i++) {
        table t;
        f2l_orbits o;
        f2l_error err = {0};
        open_table(&t, known[i]);
        cr_assert_eq(find_orbits(&o, &t.graph, STEPS / 20, &err), F2L_UNKNOWN);
        t.graph.vertices = 3;
        t.graph.below = below;
        cr_assert_eq(find_orbits(&o, &t.graph, STEPS, &err), F2L_OK, "%s", err.text);
        check_contents(&o, &t.graph);
        f2l_orbits_clear(&o);
    }
}

/* A flip-flop as the first of two layers tells what it held before only with a register. */
Test(orbits, registers)
{
    static const uint32_t next[] = {0, 1, 0, 0, 1, 1}, edge[] = {0, 1, 2, 3, 4, 5};
    static const uint32_t below[] = {0, 0, 0}, source[] = {F2L_SLOTS_WRITTEN, F2L_SLOTS_WRITTEN, 0};
    const f2l_orbits_graph graph = {.letters = 3,
                                    .vertices = 1,
                                    .below = below,
                                    .states = 2,
                                    .next = next,
                                    .targets = 6,
                                    .target = edge};
    f2l_error err = {0};
    for (size_t with = 0; with < 2; with++) {
        f2l_orbits o = {.slots = {.letters = 3, .slots = 1}};
        uint8_t *initial = f2l_calloc(1, 1);
        o.slots.source = f2l_calloc(3, sizeof *o.slots.source);
        o.slots.flip = f2l_calloc(3, 1);
        memcpy(o.slots.source, source, sizeof source);
        o.slots.flip[1] = 1;
        if (with) cr_assert_eq(f2l_orbits_add_registers(&o, &initial, &err), F2L_OK);
        cr_assert_eq(f2l_orbits_close(&o, &graph, initial, 100, NULL, &err),
                     with ? F2L_OK : F2L_EDOMAIN);
        if (with) check_contents(&o, &graph);
        f2l_free(initial);
        f2l_orbits_clear(&o);
    }
}

/* --- the compiler --- */

/* The states q0 and q1 have equal futures, and no letter leads to both: they share a code. */
Test(orbits, equal_futures)
{
    table t;
    f2l_orbits o;
    f2l_error err = {0};
    open_table(&t, "112 222");
    cr_assert_eq(find_orbits(&o, &t.graph, STEPS, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(o.slots.states, 2);
    check_contents(&o, &t.graph);
    f2l_orbits_clear(&o);
}

Test(orbits, labels)
{
    static const f2l_label label[] = {F2L_LABEL_ACCEPT, F2L_LABEL_OUTPUTS};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        open_text(&f, "start p\naccept q\noutput p x\noutput q y\noutput r x\n"
                      "p a p\np b q\nq a r\nq b p\nr a r\nr b p\n");
        f.options.label = label[i];
        cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
        printf("%s %s\n", f.result.theorem, f2l_label_name(label[i]));
        cr_assert_eq(f.result.exact.verdict, F2L_OK);
        check_words(&f, 2);
        compile_done(&f);
    }
}

/* With naive keys an exchange or a write takes one factor; a format may round them. */
Test(orbits, naive_keys)
{
    fixture f;
    open_automaton(&f, "101 210");
    f.options.all = true;
    f.options.effort = 60 * F2L_STEPS;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    const f2l_compile_entry *dyadic = NULL, *naive = NULL;
    for (size_t i = 0; i < f.result.entries; i++) {
        const f2l_compile_entry *e = &f.result.entry[i];
        if (strcmp(e->theorem, "OL") == 0)
            *(strcmp(e->variant, "naive keys") ? &dyadic : &naive) = e;
    }
    cr_assert(dyadic->best && naive->exact == F2L_OK && !naive->unrounded);
    cr_assert_eq(naive->figures.key_dim, 6);
    cr_assert_eq(dyadic->figures.key_dim, 12);
    cr_assert_leq(naive->figures.householders, dyadic->figures.householders);
    compile_done(&f);
}

/* --- limits --- */

Test(orbits, limits)
{
    table t;
    f2l_orbits o;
    f2l_error err = {0};
    open_table(&t, "021 100");
    cr_assert_eq(find_orbits(&o, &t.graph, 1000, &err), F2L_UNKNOWN);
    cr_assert(o.tells == NULL && o.slots.value == NULL);
    printf("%s\n", err.text);
    f2l_effort effort = {.limit = 20000};
    const f2l_task task = {.effort = &effort};
    f2l_orbits_maps maps = {0};
    cr_assert_eq(f2l_orbits_maps_list(&maps, &t.graph, NULL, &err), F2L_OK);
    cr_assert_gt(maps.count, 5);
    cr_assert_eq(f2l_orbits_find(&o, &t.graph, &maps, STEPS, &task, &err), F2L_UNKNOWN);
    cr_assert(effort.refused && effort.spent <= effort.limit);
    f2l_orbits_maps_clear(&maps);
    t.graph.states = F2L_ORBITS_MAX_STATES + 1;
    cr_assert_eq(f2l_orbits_maps_list(&maps, &t.graph, NULL, &err), F2L_EDOMAIN);
}

#ifdef F2L_MEM_FAILURES
Test(orbits, no_memory)
{
    table t;
    f2l_status status = F2L_ENOMEM;
    open_table(&t, "010 121");
    for (size_t n = 1; status == F2L_ENOMEM; n += n < 300 ? 1 : 97) {
        f2l_orbits o;
        f2l_error err = {0};
        f2l_mem_fail_after(n, n % 2 == 0);
        status = find_orbits(&o, &t.graph, STEPS, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        f2l_orbits_clear(&o);
    }
    cr_assert_eq(status, F2L_OK);
}
#endif
