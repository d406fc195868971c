/* Two layers of slots: the list of first layers, the automata of theory/pages/two-layers.md, and
 * groups whose loops are idempotents. */
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/compile_support.h"
#include "theory/construct/stack/quotients.h"
#include "theory/construct/stack/stack.h"
#include "theory/obstruct/layers/layers.h"
#include <string.h>

/* Opens the automaton of a name as in docs/census: where each letter leads the states. */
static void open_census(f2l_fsa *fsa, const char *name)
{
    const size_t states = strcspn(name, " "), letters = (strlen(name) + 1) / (states + 1);
    table_init(fsa, states, letters);
    for (size_t a = 0; a < letters; a++)
        for (size_t q = 0; q < states; q++)
            fsa->next[q * letters + a] = (uint32_t)(name[a * (states + 1) + q] - '0');
}

/* --- the list --- */

/* Steps all slots of a device at once, as its components say. */
static void step_slots(uint8_t *to, const uint8_t *from, const f2l_stack_list *list,
                       const f2l_stack_device *device, size_t letter)
{
    for (size_t i = 0, first = 0; i < device->parts; i++) {
        const f2l_stack_component *c = &list->component[device->part[i]];
        bool read[F2L_STACK_SLOTS] = {false};
        for (size_t k = 0; k < c->slots; k++) {
            const size_t source = c->source[letter][k];
            to[first + k] = c->value[letter][k];
            if (source == F2L_STACK_WRITTEN) continue;
            cr_assert(source < c->slots && !read[source]);
            read[source] = true;
            to[first + k] = from[first + source];
        }
        first += c->slots;
    }
}

/* Contents of slots are vertices: equal contents where the table has equal vertices, along random
 * words. */
static void check_device(const f2l_stack_list *list, size_t at, f2l_rng *rng)
{
    const f2l_stack_device *device = &list->device[at];
    const uint32_t *next = f2l_rowset_get(&list->table, at, NULL);
    uint8_t content[F2L_STACK_VERTICES][F2L_STACK_PARTS * F2L_STACK_SLOTS] = {{0}};
    uint8_t now[F2L_STACK_PARTS * F2L_STACK_SLOTS] = {0}, to[sizeof now] = {0};
    bool seen[F2L_STACK_VERTICES] = {true};
    uint32_t vertex = 0;
    for (size_t i = 0, first = 0; i < device->parts; i++) {
        const f2l_stack_component *c = &list->component[device->part[i]];
        memcpy(now + first, c->initial, c->slots);
        first += c->slots;
    }
    memcpy(content[0], now, sizeof now);
    for (size_t t = 0; t < 100; t++) {
        const size_t a = f2l_rng_below(rng, list->letters);
        step_slots(to, now, list, device, a);
        memcpy(now, to, sizeof now);
        vertex = next[vertex * list->letters + a];
        cr_assert_lt(vertex, device->vertices);
        if (seen[vertex]) cr_assert_arr_eq(content[vertex], now, sizeof now);
        seen[vertex] = true;
        memcpy(content[vertex], now, sizeof now);
    }
}

Test(stack, list)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 45, 0);
    for (size_t letters = 1; letters <= 3; letters++) {
        f2l_stack_list list;
        f2l_error err;
        cr_assert_eq(f2l_stack_list_make(&list, letters, F2L_STACK_ALL, NULL, &err), F2L_OK, "%s",
                     err.text);
        printf("%zu letters: %zu components, %zu devices\n", letters, list.components,
               list.devices);
        cr_assert_eq(list.devices, list.table.count);
        if (letters == 2) cr_assert_geq(list.devices, 3211);
        for (size_t i = 1; i < list.devices; i++)
            cr_assert_leq(list.device[list.order[i - 1]].vertices,
                          list.device[list.order[i]].vertices);
        for (size_t i = 0; i < 500; i++)
            check_device(&list, f2l_rng_below(&rng, list.devices), &rng);
        f2l_stack_list_clear(&list);
    }
}

/* Devices at a place of the orders of two lists are the same: transitions, components and cost. */
static void check_same_place(const f2l_stack_list *one, const f2l_stack_list *other, size_t place)
{
    const f2l_stack_device *x = &one->device[one->order[place]];
    const f2l_stack_device *y = &other->device[other->order[place]];
    cr_assert_eq(memcmp(x, y, sizeof *x), 0, "place %zu", place);
    cr_assert_arr_eq(f2l_rowset_get(&one->table, one->order[place], NULL),
                     f2l_rowset_get(&other->table, other->order[place], NULL),
                     x->vertices * one->letters * sizeof(uint32_t));
}

/* A shorter list is the beginning of a longer one and lacks none of its size; the steps that making
 * them counts are those of pairs and triples, however few are tried. */
Test(stack, lists_begin_alike)
{
    static const uint64_t steps[F2L_STACK_LETTERS + 1][F2L_STACK_SIZES] = {
        {0}, {225, 0, 225}, {1208900, 0, 3626700}, {4929855, 0, 9859710}, {13347105, 0, 13347105}};
    for (size_t letters = 1; letters <= F2L_STACK_LETTERS; letters++) {
        f2l_stack_list list[F2L_STACK_SIZES];
        f2l_error err;
        for (size_t k = 0; k < F2L_STACK_SIZES; k++) {
            cr_assert_eq(f2l_stack_list_make(&list[k], letters, k, NULL, &err), F2L_OK);
            cr_assert_eq(list[k].steps, steps[letters][k], "%zu letters", letters);
        }
        const f2l_stack_list *all = &list[F2L_STACK_ALL];
        for (size_t k = 0; k < F2L_STACK_ALL; k++) {
            const size_t next = list[k].devices;
            for (size_t i = 0; i < next; i++) check_same_place(&list[k], all, i);
            cr_assert_eq(list[k].is_short, list[k].most_vertices < all->most_vertices);
            if (next < all->devices)
                cr_assert_gt(all->device[all->order[next]].vertices, list[k].most_vertices);
            f2l_stack_list_clear(&list[k]);
        }
        f2l_stack_list_clear(&list[F2L_STACK_ALL]);
    }
}

/* --- known automata --- */

/* Figures found, which are to stay as small: factors of a letter in both layers. The last four have
 * grown first layers. */
Test(stack, two_layers)
{
    static const struct {
        const char *automaton;
        size_t below, above;
    } known[] = {{"0121 1233", 4, 1},  {"0113 1232", 4, 1}, {"0122 1232", 4, 1},
                 {"0010 1232", 4, 1},  {"0032 1222", 5, 1}, {"0010 1231", 8, 1},
                 {"0020 1231", 8, 1},  {"0131 1213", 4, 1}, {"1332 2131", 5, 1},
                 {"0031 1233", 12, 1}, {"1200 1312", 7, 4}, {"1120 2033", 16, 5},
                 {"1103 1233", 9, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_fsa fsa;
        f2l_stack stack = {.vertices = 0};
        f2l_error err = {0};
        open_census(&fsa, known[i].automaton);
        cr_assert_eq(f2l_stack_find(&stack, (f2l_stack_bounds){.below = 3}, NULL, &fsa, NULL, &err),
                     F2L_OK, "%s: %s", known[i].automaton, err.text);
        printf("%s: %zu vertices, %zu and %zu factors, %zu rows\n", known[i].automaton,
               stack.vertices, stack.below.slots.factors, stack.above.slots.factors,
               stack.above.rows);
        cr_assert_leq(stack.below.slots.factors, known[i].below);
        cr_assert_leq(stack.above.slots.factors, known[i].above);
        f2l_stack_clear(&stack);
        f2l_fsa_clear(&fsa);
    }
}

Test(stack, compiled)
{
    static const char *const known[] = {"0010 1233", "0011 1232", "0031 1233",
                                        "0021 1233", "1103 1233", "0121 1231"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        set_up(&f);
        f2l_fsa_clear(&f.fsa);
        open_census(&f.fsa, known[i]);
        f.options.label = F2L_LABEL_STATES;
        f.options.bounds.layers = 2; /* without a bound, long searches are left out */
        check_theorem(&f, "LL.2");
        cr_assert_eq(f.result.net.layers, 2);
        check_words(&f, 7);
        compile_done(&f);
    }
}

/* Automata that need three layers (FK.8), and have them above a quotient of four states: other
 * constructions take four and six. */
Test(stack, three_layers)
{
    static const char *const known[] = {"23236754 45104545", "23237655 55234401"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        f2l_layers layers;
        f2l_stack stack = {.vertices = 0};
        set_up(&f);
        f2l_fsa_clear(&f.fsa);
        open_census(&f.fsa, known[i]);
        f2l_layers_init(&layers);
        cr_assert_eq(
            f2l_layers_find(&layers, &f.fsa, F2L_LABEL_STATES, &f2l_layers_little, NULL, &f.err),
            F2L_OK);
        cr_assert_eq(layers.least, 3);
        f2l_layers_clear(&layers);
        cr_assert_eq(f2l_stack_find_quotient(&stack, NULL, &f.fsa, NULL, &f.err), F2L_OK, "%s",
                     f.err.text);
        cr_assert_not_null(stack.lower);
        cr_assert_eq(stack.vertices, 4);
        f2l_stack_clear(&stack);
        f.options.label = F2L_LABEL_STATES;
        f.options.least_layers = 3;
        check_theorem(&f, "LL.2");
        cr_assert_eq(f.result.net.layers, 3);
        check_words(&f, 9);
        compile_done(&f);
    }
}

/* Quotients are what letters respect: a counter of six has two, of 2 and of 3 classes. */
Test(stack, quotients)
{
    static const uint8_t three[] = {0, 1, 2, 0, 1, 2};
    f2l_fsa fsa;
    f2l_stack_quotients quotients = {.count = 0};
    f2l_error err = {0};
    open_census(&fsa, "123450 012345");
    cr_assert_eq(f2l_stack_quotients_list(&quotients, &fsa, 8, &err), F2L_OK);
    cr_assert_eq(quotients.count, 2);
    cr_assert_eq(quotients.classes[0], 2);
    cr_assert_eq(quotients.classes[1], 3);
    cr_assert_arr_eq(quotients.class_of + 6, three, sizeof three);
    f2l_stack_quotients_clear(&quotients);
    f2l_fsa_clear(&fsa);
}

/* --- good devices --- */

/* A walk through (vertex, group element, map on the states) from a vertex, as slow as it can be. */
#define MOST_PLACES 40000
typedef struct place { /* bytes that are not used are 0 */
    uint32_t vertex;
    uint8_t points[8], map[F2L_STACK_STATES];
} place;

static void find_possible(bool *possible, const f2l_stack *stack, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    possible[fsa->start] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < stack->vertices * n; i++)
            for (size_t a = 0; a < stack->letters && possible[i]; a++) {
                const size_t to = stack->next[i / n * stack->letters + a] * n +
                                  fsa->next[i % n * stack->letters + a];
                more |= !possible[to];
                possible[to] = true;
            }
    }
}

/* Checks that loops at the vertex that the permutations take to 1 are idempotents with efe = fe. */
static void check_loops(const f2l_stack *stack, const f2l_fsa *fsa, const bool *possible, size_t v)
{
    const size_t n = fsa->states.count, degree = stack->cover.degree;
    place *p = f2l_calloc(MOST_PLACES, sizeof *p), one = {.vertex = (uint32_t)v};
    size_t count = 1, loops = 0;
    uint8_t(*loop)[F2L_STACK_STATES] = f2l_calloc(MOST_PLACES, sizeof *loop);
    for (size_t i = 0; i < degree; i++) one.points[i] = (uint8_t)i;
    for (size_t q = 0; q < n; q++) one.map[q] = possible[v * n + q] ? (uint8_t)q : 0;
    p[0] = one;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < stack->letters; a++) {
            place to = p[i];
            const size_t edge = p[i].vertex * stack->letters + a;
            size_t at = 0;
            to.vertex = stack->next[edge];
            for (size_t k = 0; k < degree; k++)
                to.points[k] = stack->cover.image[edge * degree + p[i].points[k]];
            for (size_t q = 0; q < n; q++)
                if (possible[v * n + q])
                    to.map[q] = (uint8_t)fsa->next[p[i].map[q] * stack->letters + a];
            if (to.vertex == v && memcmp(to.points, one.points, degree) == 0)
                memcpy(loop[loops++], to.map, sizeof to.map);
            while (at < count && memcmp(&p[at], &to, sizeof to) != 0) at++;
            if (at == count) p[count++] = to;
            cr_assert(count < MOST_PLACES && loops < MOST_PLACES);
        }
    for (size_t i = 0; i < loops; i++)
        for (size_t k = 0; k < loops; k++)
            for (size_t q = 0; q < n; q++)
                if (possible[v * n + q]) {
                    cr_assert_eq(loop[i][loop[i][q]], loop[i][q]);
                    cr_assert_eq(loop[i][loop[k][loop[i][q]]], loop[i][loop[k][q]]);
                }
    f2l_free(p);
    f2l_free(loop);
}

/* A first layer that no list has: a clock of four places with edges by last occurrence. */
Test(stack, grown)
{
    bool possible[F2L_STACK_VERTICES * F2L_STACK_STATES] = {false};
    f2l_fsa fsa;
    f2l_stack stack = {.vertices = 0};
    f2l_error err = {0};
    open_census(&fsa, "1103 1233");
    cr_assert_eq(f2l_stack_find_device(&stack, true, NULL, &fsa, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(stack.parts, 1);
    cr_assert_eq(stack.part[0].slots, 4);
    cr_assert_eq(stack.vertices, 9);
    find_possible(possible, &stack, &fsa);
    for (size_t v = 0; v < stack.vertices; v++) check_loops(&stack, &fsa, possible, v);
    f2l_stack_clear(&stack);
    f2l_fsa_clear(&fsa);
    open_census(&fsa, "0031 1233");
    cr_assert_eq(f2l_stack_find_device(&stack, false, NULL, &fsa, NULL, &err), F2L_OK);
    cr_assert_eq(stack.parts, 2);
    cr_assert_eq(stack.vertices, 63);
    f2l_stack_clear(&stack);
    f2l_fsa_clear(&fsa);
}

Test(stack, covers)
{
    static const char *const known[] = {"0121 1233", "1013 2032", "0031 1200", "0022 1231",
                                        "0030 1200"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool possible[F2L_STACK_VERTICES * F2L_STACK_STATES] = {false};
        f2l_fsa fsa;
        f2l_stack stack = {.vertices = 0};
        f2l_error err = {0};
        open_census(&fsa, known[i]);
        cr_assert_eq(f2l_stack_find_device(&stack, true, NULL, &fsa, NULL, &err), F2L_OK, "%s",
                     err.text);
        printf("%s: %zu vertices, order %zu\n", known[i], stack.vertices, stack.cover.order);
        cr_assert(stack.vertices > 0 && stack.cover.image, "%s", known[i]);
        find_possible(possible, &stack, &fsa);
        for (size_t v = 0; v < stack.vertices; v++) check_loops(&stack, &fsa, possible, v);
        f2l_stack_clear(&stack);
        f2l_fsa_clear(&fsa);
    }
}

/* Where the bound is three layers, no device is good: all maps of four points (FK.11), and rows of
 * the census. */
Test(stack, none)
{
    static const char *const known[] = {"0012 1023 1230", "0012 1230", "0021 1231"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_fsa fsa;
        f2l_stack stack = {.vertices = 0};
        f2l_error err = {0};
        open_census(&fsa, known[i]);
        cr_assert_eq(f2l_stack_find_device(&stack, true, NULL, &fsa, NULL, &err), F2L_OK);
        cr_assert_eq(stack.vertices, 0, "%s", known[i]);
        cr_assert_eq(f2l_stack_find(&stack, (f2l_stack_bounds){.below = 3}, NULL, &fsa, NULL, &err),
                     F2L_EDOMAIN);
        cr_assert_not_null(strstr(err.text, "no small first layer"));
        cr_assert_eq(f2l_stack_find(&stack, (f2l_stack_bounds){.least = 3}, NULL, &fsa, NULL, &err),
                     F2L_EDOMAIN); /* they have no quotient */
        f2l_stack_clear(&stack);
        f2l_fsa_clear(&fsa);
    }
}

Test(stack, limits)
{
    f2l_fsa fsa;
    f2l_stack stack = {.vertices = 0};
    f2l_error err = {0};
    f2l_effort effort = {.limit = 1000000};
    const f2l_task task = {.effort = &effort};
    const uint64_t number[] = {9};
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "elevator", number, 1, false, &err), F2L_OK);
    cr_assert_eq(f2l_stack_find(&stack, (f2l_stack_bounds){.below = 3}, NULL, &fsa, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "at most 8 states"), "%s", err.text);
    f2l_fsa_clear(&fsa);
    open_census(&fsa, "0121 1233");
    cr_assert_eq(f2l_stack_find(&stack, (f2l_stack_bounds){.below = 3}, NULL, &fsa, &task, &err),
                 F2L_UNKNOWN);
    f2l_stack_clear(&stack);
    f2l_fsa_clear(&fsa);
}
