/* Lists of constructions, dominance, and bounds: each row of a list is also the result of compiling
 * within its bounds. */
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/pareto_support.h"
#include "theory/compile/compile.h"
#include <stdio.h>

/* --- dominance, computed again from its definition --- */

static void vector_of(size_t out[COMPARED], const f2l_compile_entry *e)
{
    const f2l_compile_figures *g = &e->figures;
    const size_t values[COMPARED] = {g->layers, g->householders,  g->key_dim, g->factors_per_token,
                                     g->states, g->table_entries, e->gated,   !e->unrounded};
    memcpy(out, values, sizeof values);
}

/* Returns 1 when a dominates b, 0 when they are equal, -1 otherwise. */
static int compare(const f2l_compile_entry *a, const f2l_compile_entry *b)
{
    size_t x[COMPARED], y[COMPARED];
    bool better = formats_of(a) != formats_of(b);
    vector_of(x, a);
    vector_of(y, b);
    if ((formats_of(a) & formats_of(b)) != formats_of(b)) return -1;
    for (size_t i = 0; i < COMPARED; i++) {
        if (x[i] > y[i]) return -1;
        better = better || x[i] < y[i];
    }
    return better;
}

static bool counts(const f2l_compile_entry *e)
{
    return e->outcome == F2L_COMPILE_BUILT && e->exact == F2L_OK;
}

static void check_marks(const f2l_compile_result *r)
{
    size_t undominated = 0;
    for (size_t i = 0; i < r->entries; i++) {
        const f2l_compile_entry *e = &r->entry[i];
        bool expected = counts(e);
        size_t equal = 0;
        for (size_t k = 0; k < r->entries && counts(e); k++) {
            if (k == i || !counts(&r->entry[k])) continue;
            const int c = compare(&r->entry[k], e);
            cr_assert_eq(f2l_compile_dominates(&r->entry[k], e), c == 1);
            if (c == 0 && k < i && !equal) equal = k + 1;
            if (c == 1 || (c == 0 && k < i)) expected = false;
        }
        cr_assert_eq(e->undominated, expected, "%s %s", e->theorem, e->variant);
        cr_assert(!e->equal || compare(&r->entry[e->equal - 1], e) == 0);
        cr_assert(!equal || e->equal || !e->undominated);
        undominated += e->undominated;
    }
    cr_assert_gt(undominated, 0);
}

static const struct {
    const char *kind;
    uint64_t number;
} families[] = {{"parity", 0},          {"symmetric", 3}, {"quaternion", 0},
                {"cyclic", 5},          {"dihedral", 4},  {"definite", 2},
                {"transformations", 3}, {"tomita", 7},    {"flipflop", 0}};

#define FAMILIES (sizeof families / sizeof *families)

Test(pareto, bf16_is_the_first_format)
{
    cr_assert_str_eq(f2l_formats[0].name, "bf16");
}

Test(pareto, marks_follow_from_the_figures)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        fixture f;
        open_listed(&f, families[i].kind, families[i].number);
        list(&f);
        check_marks(&f.result);
        compile_done(&f);
    }
}

/* The figures of the best entry are the network's, and compiling without a list gives the same
 * figures. */
Test(pareto, the_best_of_a_list_is_the_main_jobs)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        fixture f, g;
        f2l_buf a, b;
        size_t best = 0;
        f2l_buf_init(&a);
        f2l_buf_init(&b);
        open_listed(&f, families[i].kind, families[i].number);
        open_listed(&g, families[i].kind, families[i].number);
        list(&f);
        cr_assert_eq(compile(&g, NULL), F2L_OK);
        for (size_t k = 0; k < f.result.entries; k++) {
            const f2l_compile_entry *e = &f.result.entry[k];
            f2l_compile_figures figures;
            if (!e->best) continue;
            best++;
            f2l_compile_measure(&figures, &f.result);
            cr_assert_eq(memcmp(&figures, &e->figures, sizeof figures), 0);
            cr_assert_str_eq(e->theorem, f.result.theorem);
            cr_assert_str_eq(e->variant, f.result.variant);
        }
        cr_assert_eq(best, 1);
        cr_assert_str_eq(f.result.theorem, g.result.theorem);
        cr_assert_eq(f2l_net_write(&a, &f.result.net, &f.err), F2L_OK);
        cr_assert_eq(f2l_net_write(&b, &g.result.net, &g.err), F2L_OK);
        cr_assert_str_eq(a.data, b.data);
        cr_assert_eq(f.result.formats, g.result.formats);
        f2l_buf_clear(&a);
        f2l_buf_clear(&b);
        compile_done(&f);
        compile_done(&g);
    }
}

/* With and without the option: constructions that the main job leaves out are no better than the
 * ones it uses, except those that it leaves to bounds and lists. */
Test(pareto, what_is_left_out_is_no_better)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        fixture f, g;
        size_t left_out = 0;
        open_listed(&f, families[i].kind, families[i].number);
        open_listed(&g, families[i].kind, families[i].number);
        list(&f);
        cr_assert_eq(compile(&g, NULL), F2L_OK);
        for (size_t k = 0; k < g.result.entries; k++) {
            const f2l_compile_entry *e = &g.result.entry[k], *built = &f.result.entry[k];
            if (e->outcome != F2L_COMPILE_BEATEN || built->outcome != F2L_COMPILE_BUILT) continue;
            const size_t least[] = {
                e->figures.layers, e->figures.householders,      e->figures.key_dim,
                e->figures.states, e->figures.factors_per_token, e->figures.table_entries};
            const size_t figure[] = {built->figures.layers,
                                     built->figures.householders,
                                     built->figures.key_dim,
                                     built->figures.states,
                                     built->figures.factors_per_token,
                                     built->figures.table_entries};
            for (size_t j = 0; j < 6; j++)
                cr_assert_leq(least[j], figure[j], "%s %s of %s: figure %zu", e->theorem,
                              e->variant, families[i].kind, j);
            for (size_t b = 0; b < f.result.entries; b++)
                if (f.result.entry[b].best) cr_assert_leq(order(&f.result.entry[b], built), 0);
            left_out++;
        }
        cr_assert_gt(left_out, 0);
        compile_done(&f);
        compile_done(&g);
    }
}

/* For every combination of bounds on layers, factors, key dimension and format, the result is the
 * best entry of the list that keeps the bounds, and an error where no entry does. */
Test(pareto, bounds_pick_from_the_list)
{
    const size_t step = brute_force_is_short() ? 5 : 1;
    size_t met = 0, unmet = 0, open = 0;
    for (size_t i = 0; i < 4; i++) {
        static const char *const kind[] = {"symmetric", "cyclic", "transformations", "definite"};
        static const uint64_t number[] = {3, 5, 3, 2};
        fixture f, g;
        open_listed(&f, kind[i], number[i]);
        open_listed(&g, kind[i], number[i]);
        list(&f);
        for (size_t turn = 0; turn < 4 * 4 * 3 * 3; turn += step) {
            static const size_t layers[] = {0, 1, 2, 4}, factors[] = {0, 1, 2, 3},
                                keys[] = {0, 2, 4};
            const f2l_format *const format[] = {NULL, &f2l_formats[0], &f2l_formats[2]};
            f2l_compile_bounds *b = &g.options.bounds;
            *b = (f2l_compile_bounds){
                layers[turn % 4], factors[turn / 4 % 4], keys[turn / 16 % 3], {format[turn / 48]}};
            if (turn == 0) continue;
            bool undecided;
            const f2l_compile_entry *best = best_within(&f.result, b, &undecided);
            const f2l_status status = compile(&g, NULL);
            if (best) {
                cr_assert_eq(status, F2L_OK, "%s turn %zu: %s", kind[i], turn, g.err.text);
                const f2l_compile_entry *e = NULL;
                for (size_t k = 0; k < g.result.entries; k++)
                    if (g.result.entry[k].best) e = &g.result.entry[k];
                cr_assert_not_null(e);
                cr_assert_eq(order(e, best), 0, "%s turn %zu: %s %s, not %s %s", kind[i], turn,
                             e->theorem, e->variant, best->theorem, best->variant);
                met++;
            } else {
                cr_assert_eq(status, undecided ? F2L_UNKNOWN : F2L_EDOMAIN, "%s turn %zu: %s",
                             kind[i], turn, g.err.text);
                cr_assert_null(g.result.theorem);
                cr_assert_eq(g.result.entries, 0);
                unmet += !undecided;
                open += undecided;
            }
        }
        compile_done(&f);
        compile_done(&g);
    }
    printf("%zu bounds kept, %zu not, %zu open\n", met, unmet, open);
    cr_assert(step * met > 100 && step * unmet > 50 && open > 0);
}
