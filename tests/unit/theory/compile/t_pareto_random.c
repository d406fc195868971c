/* Bounds on random automata: compiling within them succeeds exactly when the list has a row that
 * keeps them, and where a limit was met, no message claims that there is none. */
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/pareto_support.h"
#include "theory/construct/stack/stack.h"
#include <stdio.h>

#define SEED 20261122
#define AUTOMATA 40
#define FEWER_AUTOMATA 12 /* unless all are asked for (F2L_TEST_WHOLE) */
#define MOST_STATES 5

static f2l_stack_lists first_layers;

typedef struct totals {
    size_t met, unmet, open, asked;
} totals;

static const f2l_compile_bounds bounds[] = {{.householders = 1},
                                            {.layers = 3, .householders = 2},
                                            {.householders = 1, .exact_in = {&f2l_formats[0]}},
                                            {.layers = 1},
                                            {.householders = 2},
                                            {.layers = 2},
                                            {.key_dim = 3},
                                            {.householders = 1, .key_dim = 4}};
#define BOUNDS (sizeof bounds / sizeof *bounds)
#define LISTED_BOUNDS 2 /* the first, with which the list is compared, too */
#define FEWER_BOUNDS 4

/* Opens a random automaton; every third one permutes its states. */
static void open_random(fixture *f, size_t number)
{
    char text[1024], *at = text;
    uint32_t image[MOST_STATES];
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, number);
    const size_t n = 2 + f2l_rng_below(&rng, MOST_STATES - 1);
    at += sprintf(at, "start 0\n");
    for (char letter = 'a'; letter < 'c'; letter++) {
        for (size_t q = 0; q < n; q++)
            image[q] = (uint32_t)(number % 3 ? f2l_rng_below(&rng, n) : q);
        for (size_t i = n; number % 3 == 0 && i > 1; i--) {
            const size_t j = f2l_rng_below(&rng, i);
            const uint32_t kept = image[i - 1];
            image[i - 1] = image[j];
            image[j] = kept;
        }
        for (size_t q = 0; q < n; q++) at += sprintf(at, "%zu %c %u\n", q, letter, image[q]);
    }
    open_text(f, text);
}

/* Checks that compiling within one choice of bounds agrees with the list. */
static void check_bounds(fixture *f, const f2l_compile_result *listed, const f2l_compile_bounds *b,
                         const char *name, totals *t)
{
    bool open;
    const f2l_compile_entry *best = best_within(listed, b, &open), *taken = NULL;
    f->options.bounds = *b;
    const f2l_status status = compile(f, NULL);
    for (size_t k = 0; k < f->result.entries; k++)
        if (f->result.entry[k].best) taken = &f->result.entry[k];
    cr_assert_eq(status,
                 best   ? F2L_OK
                 : open ? F2L_UNKNOWN
                        : F2L_EDOMAIN,
                 "%s, bounds %zu: %s", name, (size_t)(b - bounds), f->err.text);
    cr_assert_eq(taken != NULL, best != NULL);
    if (best) {
        cr_assert(taken->within && taken->exact == F2L_OK && figures_within(taken, b));
        cr_assert_eq(order(taken, best), 0, "%s, bounds %zu: %s %s, not %s %s", name,
                     (size_t)(b - bounds), taken->theorem, taken->variant, best->theorem,
                     best->variant);
        t->asked += best->ask != NULL;
    }
    t->met += best != NULL;
    t->unmet += !best && !open;
    t->open += !best && open;
}

/* Checks that the list within the same bounds ends as compiling does. */
static void check_list(fixture *f, const f2l_compile_bounds *b, const char *name)
{
    f->options.bounds = *b;
    const f2l_status status = compile(f, NULL);
    f2l_error err = f->err;
    const char *theorem = f->result.theorem, *variant = f->result.variant;
    list(f);
    cr_assert_eq(f->result.unmet.status, status, "%s, bounds %zu: %s", name, (size_t)(b - bounds),
                 err.text);
    if (status == F2L_OK)
        cr_assert(strcmp(f->result.theorem, theorem) == 0 &&
                      strcmp(f->result.variant, variant) == 0,
                  "%s: %s", name, f->result.variant);
    else
        cr_assert_str_eq(f->result.unmet.text, err.text);
}

/* Checks all bounds; `sets` limits the family of a cascade, 0 leaves it free. */
static void check_all(fixture *f, const char *name, size_t sets, totals *t)
{
    f->options.first_layers = &first_layers;
    fixture listed = *f;
    listed.options.max_sets = f->options.max_sets = sets;
    listed.options.float_rows = f->options.float_rows = 500;
    f2l_compile_result_init(&listed.result);
    list(&listed);
    const size_t count = brute_force_is_whole() ? BOUNDS : FEWER_BOUNDS;
    for (size_t i = 0; i < count; i++) check_bounds(f, &listed.result, &bounds[i], name, t);
    for (size_t i = 0; i < LISTED_BOUNDS; i++) check_list(f, &bounds[i], name);
    f2l_compile_result_clear(&listed.result);
    compile_done(f);
}

Test(pareto_random, bounds_are_kept_exactly_when_the_list_has_a_row, .timeout = 300)
{
    totals t = {0}, limited = {0};
    const size_t count = brute_force_is_whole() ? AUTOMATA : FEWER_AUTOMATA;
    for (size_t i = 0; i < count; i++) {
        fixture f;
        char name[64];
        sprintf(name, "seed %d, number %zu", SEED, i);
        open_random(&f, i);
        check_all(&f, name, 0, &t);
        open_random(&f, i);
        check_all(&f, name, 2, &limited);
    }
    f2l_stack_lists_clear(&first_layers);
    printf("%zu bounds kept, %zu by what has to be asked for, %zu not, %zu open\n", t.met, t.asked,
           t.unmet, t.open);
    printf("with a limit: %zu kept, %zu not, %zu open\n", limited.met, limited.unmet, limited.open);
    const size_t least = count / 2; /* of each kind */
    cr_assert(t.met > 100 * count / AUTOMATA && t.asked > least && t.unmet > least &&
              limited.open > least);
}

Test(pareto_random, families, .timeout = 300)
{
    static const struct {
        const char *kind;
        uint64_t number;
    } family[] = {{"parity", 0},    {"flipflop", 0},         {"symmetric", 3},
                  {"symmetric", 4}, {"transformations", 3},  {"transformations", 4},
                  {"cyclic", 5},    {"dihedral", 4},         {"quaternion", 0},
                  {"definite", 2},  {"order-preserving", 3}, {"tomita", 5},
                  {"tomita", 7},    {"modarith", 3},         {"alternating", 5}};
    totals t = {0};
    /* The last two take most of the time. */
    const size_t count = sizeof family / sizeof *family - (brute_force_is_whole() ? 0 : 2);
    for (size_t i = 0; i < count; i++) {
        fixture f;
        open_family(&f, family[i].kind, family[i].number, false);
        check_all(&f, family[i].kind, 0, &t);
    }
    f2l_stack_lists_clear(&first_layers);
    printf("families: %zu bounds kept, %zu by what has to be asked for, %zu not, %zu open\n", t.met,
           t.asked, t.unmet, t.open);
    cr_assert(t.met > 20 && t.asked > 0 && t.unmet > 3);
}
