/* Lower bounds on the layers: known values, and forks against semigroups by brute force. */
#include "automata/census/census.h"
#include "automata/family/family.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/small_maps.h"
#include "theory/obstruct/layers/layers.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void find(f2l_layers *out, const f2l_fsa *fsa, f2l_label label)
{
    f2l_error err = {0};
    f2l_layers_init(out);
    cr_assert_eq(f2l_layers_find(out, fsa, label, NULL, NULL, &err), F2L_OK, "%s", err.text);
}

/* Follows the words of a fork. */
static void check_fork(const f2l_fork *fork, const f2l_fsa *fsa, const char *what)
{
    const size_t s = fork->s, p = fork->p, q = fork->q;
    cr_assert(s != p && s != q && p != q, "%s", what);
    cr_assert_eq(f2l_word_lead(fsa, fsa->start, &fork->reach), s, "%s", what);
    cr_assert_eq(f2l_word_lead(fsa, s, &fork->u), p, "%s", what);
    cr_assert_eq(f2l_word_lead(fsa, s, &fork->v), q, "%s", what);
    const f2l_word *const fixing[] = {&fork->u, &fork->v, &fork->still};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(f2l_word_lead(fsa, p, fixing[i]), p, "%s", what);
        cr_assert_eq(f2l_word_lead(fsa, q, fixing[i]), q, "%s", what);
    }
    cr_assert_eq(f2l_word_lead(fsa, s, &fork->still), s, "%s", what);
}

static void check_arcs(const f2l_arcs *arcs, const f2l_fsa *fsa, const char *what)
{
    for (size_t i = 0; i < arcs->arcs; i++)
        for (size_t c = 0; c < arcs->states; c++) {
            const f2l_arc *arc = &arcs->arc[i];
            cr_assert_eq(f2l_word_lead(fsa, arcs->state[c], &arc->word),
                         arcs->state[c == arc->from ? arc->to : c], "%s", what);
        }
}

/* Checks that the bounds agree: a fork is there iff tied sets give two layers or more and the
 * semigroup has two idempotents of one image, and arcs never give more than tied sets; bounds for
 * finitely many states are no smaller. Returns whether such a bound is the best one. */
static bool agree(const f2l_fsa *fsa, const char *what)
{
    static small_maps maps;
    f2l_layers layers;
    find(&layers, fsa, F2L_LABEL_STATES);
    cr_assert_eq(layers.fork.unsearched, 0, "%s", what);
    if (layers.fork.found) check_fork(&layers.fork, fsa, what);
    check_arcs(&layers.arcs, fsa, what);
    if (small_maps_list(&maps, fsa))
        cr_assert_eq(layers.fork.found, small_maps_collide(&maps), "%s", what);
    if (layers.tied.complete) {
        cr_assert_eq(layers.fork.found, layers.tied.layers >= 2, "%s: %zu layers", what,
                     layers.tied.layers);
        cr_assert_leq(layers.arcs.layers, layers.tied.layers, "%s", what);
    }
    cr_assert_leq(layers.least, fsa->states.count > 2 ? fsa->states.count - 1 : 1, "%s", what);
    cr_assert(layers.band.decided);
    cr_assert_eq(layers.band.found, layers.least >= 2, "%s", what);
    cr_assert(layers.finite ? layers.least > layers.margin : layers.least == layers.margin, "%s",
              what);
    if (layers.tied_band.complete)
        cr_assert_geq(layers.tied_band.layers, layers.tied.layers, "%s", what);
    const bool finite = layers.finite;
    f2l_layers_clear(&layers);
    return finite;
}

Test(layers, all_automata_of_three_states)
{
    f2l_error err;
    f2l_census census;
    size_t automata = 0, finite = 0;
    cr_assert_eq(f2l_census_begin(&census, 3, 2, &err), F2L_OK);
    while (f2l_census_next(&census)) {
        f2l_fsa fsa;
        f2l_buf name;
        f2l_buf_init(&name);
        f2l_fsa_init(&fsa);
        f2l_census_name(&name, &census);
        cr_assert_eq(f2l_census_automaton(&fsa, &census, &err), F2L_OK);
        finite += agree(&fsa, name.data);
        f2l_fsa_clear(&fsa);
        f2l_buf_clear(&name);
        automata++;
    }
    cr_assert_gt(automata, 100);
    cr_assert_eq(finite, 8);
}

static void build(f2l_fsa *fsa, const char *kind, size_t count, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t number[] = {a, b, c};
    size_t dropped;
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, number, count, false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, &err), F2L_OK);
}

Test(layers, random_automata)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        f2l_fsa fsa;
        char what[40];
        build(&fsa, "random", 3, 4 + seed % 2, 2 + seed / 2 % 2, seed);
        snprintf(what, sizeof what, "seed %u", (unsigned)seed);
        agree(&fsa, what);
        f2l_fsa_clear(&fsa);
    }
}

/* What is known by theorems: all maps and all order-preserving maps of n points need n - 1 layers
 * (FK.11); counters and elevators have one layer (K.6); permutations have one (T3). */
Test(layers, families)
{
    static const struct {
        const char *kind;
        size_t numbers;
        uint64_t a, b;
        size_t tied, arcs;
        size_t elements; /* 0: not compared */
    } table[] = {{"transformations", 1, 2, 0, 1, 0, 4},   {"transformations", 1, 3, 0, 2, 2, 27},
                 {"transformations", 1, 4, 0, 3, 3, 256}, {"order-preserving", 1, 3, 0, 2, 2, 9},
                 {"order-preserving", 1, 4, 0, 3, 3, 34}, {"order-preserving", 1, 5, 0, 4, 4, 125},
                 {"elevator", 1, 4, 0, 1, 0, 0},          {"elevator", 1, 6, 0, 1, 0, 0},
                 {"counter", 1, 5, 0, 1, 0, 0},           {"definite", 1, 3, 0, 1, 0, 0},
                 {"symmetric", 1, 3, 0, 1, 0, 6},         {"dyck", 2, 1, 3, 1, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_layers layers;
        build(&fsa, table[i].kind, table[i].numbers, table[i].a, table[i].b, 0);
        find(&layers, &fsa, F2L_LABEL_STATES);
        cr_assert_eq(layers.tied.layers, table[i].tied, "%s %u: %zu", table[i].kind,
                     (unsigned)table[i].a, layers.tied.layers);
        cr_assert(layers.tied.complete);
        cr_assert_eq(layers.arcs.layers, table[i].arcs, "%s %u: %zu", table[i].kind,
                     (unsigned)table[i].a, layers.arcs.layers);
        if (table[i].elements) cr_assert_eq(layers.tied.elements, table[i].elements);
        cr_assert_eq(layers.least, table[i].tied);
        cr_assert_eq(layers.fork.found, table[i].tied > 1);
        f2l_layers_clear(&layers);
        f2l_fsa_clear(&fsa);
    }
}

/* Sets letter x to lead state q to the state that images[x] has at place q. */
static void build_by_letters(f2l_fsa *fsa, size_t letters, const char *const *images)
{
    const size_t states = strlen(images[0]);
    const uint64_t number[] = {states, letters, 1};
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, "random", number, 3, false, &err), F2L_OK, "%s", err.text);
    for (size_t i = 0; i < states * letters; i++)
        fsa->next[i] = (uint32_t)(images[i % letters][i / letters] - '0');
}

/* Bounds that hold for finitely many states only: two bits of which one is copied, three of the 48
 * automata of four states and two letters that need three layers, and one that has one layer. */
Test(layers, finitely_many_states)
{
    static const struct {
        size_t letters;
        const char *images[3], *by;
        size_t margin, least;
    } table[] = {{3, {"0033", "0101", "2323"}, "OL.3", 1, 2},
                 {2, {"0032", "1213"}, "OL.4", 2, 3},
                 {2, {"0212", "1033"}, "OL.4", 2, 3},
                 {2, {"0232", "1003"}, "OL.4", 2, 3},
                 {2, {"1033", "1222"}, "", 1, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_layers layers;
        build_by_letters(&fsa, table[i].letters, table[i].images);
        find(&layers, &fsa, F2L_LABEL_STATES);
        cr_assert_eq(layers.margin, table[i].margin, "%zu", i);
        cr_assert_eq(layers.least, table[i].least, "%zu", i);
        cr_assert_str_eq(layers.by, table[i].by);
        cr_assert_eq(layers.finite, table[i].by[0] != '\0');
        cr_assert_eq(f2l_layers_one_suffices(&layers), table[i].least == 1);
        cr_assert(table[i].least < 3 || layers.tied_band.finite);
        f2l_layers_clear(&layers);
        f2l_fsa_clear(&fsa);
    }
}

/* The first letter is remembered: a fork, but not one for layers with windows. */
Test(layers, first_letter)
{
    f2l_fsa fsa;
    f2l_layers layers;
    fsa_from_text(&fsa,
                  "letters a b\nstates s p q\nstart s\ns a p\ns b q\np a p\np b p\nq a q\nq b q\n");
    find(&layers, &fsa, F2L_LABEL_STATES);
    cr_assert(layers.fork.found);
    cr_assert_eq(layers.fork.still.length, 0);
    cr_assert_eq(layers.least, 2);
    cr_assert_not(layers.windows);
    f2l_layers_clear(&layers);
    f2l_fsa_clear(&fsa);
}

/* Labels decide which states are told apart: with one label for p and q nothing is left of the
 * fork. */
Test(layers, labels_that_merge_the_fork)
{
    f2l_fsa fsa;
    f2l_layers layers;
    fsa_from_text(&fsa,
                  "letters a b\nstates s p q\nstart s\naccept p q\ns a p\ns b q\np a p\np b p\nq a "
                  "q\nq b q\n");
    find(&layers, &fsa, F2L_LABEL_ACCEPT);
    cr_assert_not(layers.fork.found);
    cr_assert_eq(layers.fork.states, 2);
    cr_assert_eq(layers.least, 0, "the last letter tells the label");
    f2l_layers_clear(&layers);
    find(&layers, &fsa, F2L_LABEL_STATES);
    cr_assert(layers.fork.found);
    f2l_layers_clear(&layers);
    f2l_fsa_clear(&fsa);
}

/* A limit leaves pairs open and says so. */
Test(layers, limits_are_told)
{
    f2l_error err;
    f2l_fsa fsa;
    f2l_fork fork;
    f2l_effort effort = {.limit = 300000};
    const f2l_task task = {.effort = &effort};
    f2l_fork_init(&fork);
    build(&fsa, "elevator", 1, 60, 0, 0);
    cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, &task, &err), F2L_OK);
    cr_assert_not(fork.found);
    cr_assert_gt(fork.unsearched, 0);
    cr_assert_neq(fork.reason[0], '\0');
    cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK);
    cr_assert_eq(fork.unsearched, 0);
    f2l_fork_clear(&fork);
    f2l_fsa_clear(&fsa);
}
