#include "automata/cascade/cascade_group.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include <criterion/criterion.h>

enum { MOST = 3125, POINTS = 5 };

/* The transition monoid of at most 5 states, listed: row i is the map of element i. */
typedef struct monoid {
    size_t n, count;
    uint8_t map[MOST][POINTS];
} monoid;

static void list_monoid(monoid *m, const f2l_fsa *fsa)
{
    size_t n = fsa->states.count, k = fsa->letters.count;
    uint8_t *seen = calloc(MOST, 1); /* by the map read as a number to the base n */
    m->n = n;
    m->count = 1;
    for (size_t q = 0; q < n; q++) m->map[0][q] = (uint8_t)q;
    for (size_t head = 0; head < m->count; head++)
        for (size_t a = 0; a < k; a++) {
            uint8_t map[POINTS];
            size_t code = 0;
            for (size_t q = 0; q < n; q++) {
                map[q] = (uint8_t)fsa->next[m->map[head][q] * k + a];
                code = code * n + map[q];
            }
            bool identity = true;
            for (size_t q = 0; q < n; q++) identity = identity && map[q] == q;
            if (identity || seen[code]) continue;
            seen[code] = 1;
            memcpy(m->map[m->count++], map, n);
        }
    free(seen);
}

/* Returns whether every element x has x^t = x^(t+1) for some t: then all points on cycles of the
 * map x are fixed. */
static bool is_aperiodic(const monoid *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t q = 0; q < m->n; q++) {
            size_t at = q;
            for (size_t t = 0; t < m->n; t++) at = m->map[i][at];
            if (m->map[i][at] != at) return false;
        }
    return true;
}

/* Returns the number of different permutations of the cover of set x by the elements with
 * Xm = X. */
static size_t permutations_of(const monoid *m, const f2l_cascade *c, uint32_t x)
{
    uint8_t(*row)[POINTS * 2] = calloc(MOST, sizeof *row);
    size_t count = 0, degree = c->cover_count[x];
    cr_assert_leq(degree, POINTS * 2);
    for (size_t i = 0; i < m->count; i++) {
        uint64_t image = 0, whole = f2l_subsets_get(&c->sets, x)[0];
        uint8_t pi[POINTS * 2] = {0};
        for (size_t q = 0; q < m->n; q++)
            if (whole >> q & 1) image |= UINT64_C(1) << m->map[i][q];
        if (image != whole) continue;
        for (size_t t = 0; t < degree; t++) {
            uint64_t part = f2l_subsets_get(&c->sets, c->cover[c->cover_at[x] + t])[0], to = 0;
            for (size_t q = 0; q < m->n; q++)
                if (part >> q & 1) to |= UINT64_C(1) << m->map[i][q];
            size_t u = 0;
            while (u < degree && f2l_subsets_get(&c->sets, c->cover[c->cover_at[x] + u])[0] != to)
                u++;
            cr_assert_lt(u, degree, "an element that keeps the set permutes its maximal subsets");
            pi[t] = (uint8_t)u;
        }
        size_t at = 0;
        while (at < count && memcmp(row[at], pi, degree)) at++;
        if (at == count) memcpy(row[count++], pi, degree);
    }
    free(row);
    return count;
}

/* Holonomy groups and aperiodicity of random automata with up to 5 states agree with the listed
 * monoid. */
Test(cascade_groups, agree_with_the_listed_monoid)
{
    f2l_fsa fsa;
    f2l_rng rng;
    size_t aperiodic = 0, nontrivial = 0;
    monoid *m = calloc(1, sizeof *m);
    f2l_rng_init(&rng, 77, 0); /* the seed */
    for (int round = 0; round < 400; round++) {
        f2l_cascade c;
        f2l_components g;
        table_random(&fsa, 2 + f2l_rng_below(&rng, 4), 1 + f2l_rng_below(&rng, 2), &rng);
        list_monoid(m, &fsa);
        cr_assert_eq(f2l_cascade_build(&c, &fsa, F2L_CASCADE_HOLONOMY, 0, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_components_find(&g, &c, NULL, NULL), F2L_OK);
        cr_assert_eq(g.trivial, is_aperiodic(m), "round %d", round);
        cr_assert(g.complete);
        aperiodic += g.trivial;
        for (size_t i = 0; i < g.count; i++) {
            size_t order = permutations_of(m, &c, g.component[i].representative);
            cr_assert_eq(strtoull(g.component[i].order, NULL, 10), order, "round %d", round);
            nontrivial += order > 1;
        }
        f2l_components_clear(&g);
        f2l_components_clear(&g);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(aperiodic > 50 && nontrivial > 50, "%zu aperiodic, %zu groups", aperiodic,
              nontrivial);
    free(m);
}

/* Trivial groups of the other two kinds imply that the automaton is aperiodic; the converse fails
 * for some automata. */
Test(cascade_groups, one_half_holds_for_every_kind)
{
    f2l_fsa fsa;
    f2l_rng rng;
    size_t trivial = 0, hurt = 0;
    monoid *m = calloc(1, sizeof *m);
    f2l_rng_init(&rng, 78, 0); /* the seed */
    for (int round = 0; round < 600; round++) {
        f2l_cascade c;
        f2l_components g;
        table_random(&fsa, 2 + f2l_rng_below(&rng, 4), 1 + f2l_rng_below(&rng, 2), &rng);
        list_monoid(m, &fsa);
        f2l_cascade_kind kind = round % 2 ? F2L_CASCADE_CAPPED : F2L_CASCADE_ZEIGER;
        cr_assert_eq(f2l_cascade_build(&c, &fsa, kind, 0, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_components_find(&g, &c, NULL, NULL), F2L_OK);
        if (g.trivial) cr_assert(is_aperiodic(m), "round %d", round);
        trivial += g.trivial;
        hurt += !g.trivial && is_aperiodic(m);
        f2l_components_clear(&g);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(trivial > 20 && hurt > 0,
              "%zu trivial, %zu with groups though "
              "aperiodic",
              trivial, hurt);
    free(m);
}

/* Checks that contexts add up to the levels' contexts, and that no generator is the identity and
 * all are permutations. */
static void consistent(const f2l_cascade *c, const f2l_components *g)
{
    size_t members = 0;
    for (size_t l = 1; l <= c->levels; l++) {
        size_t permutations = 0, identities = 0, resets = 0;
        for (size_t i = 0; i < g->count; i++) {
            const f2l_component *k = &g->component[i];
            if (i) cr_assert_geq(k->level, g->component[i - 1].level);
            if (k->level != l) continue;
            permutations += k->permutations;
            identities += k->identities;
            resets += k->resets;
            members += k->members;
            cr_assert_eq(c->class_of[k->representative], k->class_id);
            cr_assert_leq(k->degree, c->level[l - 1].width);
            for (size_t s = 0; s < k->generators; s++) {
                cr_assert(f2l_perm_is_permutation(k->generator + s * k->degree, k->degree));
                cr_assert_gt(f2l_perm_displaced(k->generator + s * k->degree, k->degree), 0);
            }
        }
        cr_assert_eq(permutations, c->level[l - 1].permutations);
        cr_assert_eq(identities, c->level[l - 1].identities);
        cr_assert_eq(resets, c->level[l - 1].resets);
    }
    size_t levelled = 0;
    for (size_t x = 0; x < c->sets.count; x++)
        levelled += c->lambda[x] != 0 && c->lambda[x] <= c->levels;
    cr_assert_eq(members, levelled);
}

Test(cascade_groups, full_transformation_monoids_have_all_symmetric_groups)
{
    for (size_t n = 2; n <= 9; n++)
        for (int kind = 0; kind < 3; kind++) {
            f2l_fsa fsa;
            f2l_cascade c;
            f2l_components g;
            table_init(&fsa, n, 3);
            for (size_t q = 0; q < n; q++) {
                table_set(&fsa, q, 0, (q + 1) % n);
                table_set(&fsa, q, 1, q < 2 ? 1 - q : q);
                table_set(&fsa, q, 2, q < 2 ? 0 : q);
            }
            cr_assert_eq(f2l_cascade_build(&c, &fsa, (f2l_cascade_kind)kind, 0, NULL, NULL),
                         F2L_OK);
            cr_assert_eq(f2l_components_find(&g, &c, NULL, NULL), F2L_OK);
            cr_assert_eq(g.count, n - 1);
            for (size_t l = 0; l + 1 < n; l++) {
                char name[16];
                snprintf(name, sizeof name, n - l == 2 ? "Z_2" : "S_%zu", n - l);
                cr_assert_str_eq(g.component[l].name, name);
                cr_assert_eq(g.component[l].degree, n - l);
            }
            consistent(&c, &g);
            f2l_components_clear(&g);
            f2l_cascade_clear(&c);
            f2l_fsa_clear(&fsa);
        }
}

Test(cascade_groups, counts_are_consistent)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 79, 0); /* the seed */
    for (int round = 0; round < 150; round++) {
        f2l_cascade c;
        f2l_components g;
        table_random(&fsa, 1 + f2l_rng_below(&rng, 9), 1 + f2l_rng_below(&rng, 3), &rng);
        cr_assert_eq(f2l_cascade_build(&c, &fsa, (f2l_cascade_kind)(round % 3), 0, NULL, NULL),
                     F2L_OK);
        cr_assert_eq(f2l_components_find(&g, &c, NULL, NULL), F2L_OK);
        consistent(&c, &g);
        f2l_components_clear(&g);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

static void cycle(f2l_fsa *fsa, size_t n)
{
    table_init(fsa, n, 2);
    for (size_t q = 0; q < n; q++) {
        table_set(fsa, q, 0, (q + 1) % n);
        table_set(fsa, q, 1, (n - q) % n);
    }
}

Test(cascade_groups, failures_and_limits)
{
    f2l_fsa fsa;
    f2l_cascade c;
    f2l_components g;
    f2l_error err = {0};
    cycle(&fsa, 40);
    cr_assert_eq(f2l_cascade_build(&c, &fsa, F2L_CASCADE_HOLONOMY, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_components_find(&g, &c, NULL, NULL), F2L_OK);
    cr_assert_eq(g.count, 1);
    cr_assert_str_eq(g.component[0].name, "D_40");
    f2l_components_clear(&g);
    /* Too little memory for the order of a group is not a failure: the group is then unknown. */
    f2l_task small = {.memory = 1000};
    cr_assert_eq(f2l_components_find(&g, &c, &small, &err), F2L_OK);
    cr_assert_str_eq(g.component[0].name, "not computed");
    cr_assert_null(g.component[0].order);
    cr_assert_not(g.complete);
    cr_assert_not(g.trivial);
    f2l_components_clear(&g);
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop};
    cr_assert_eq(f2l_components_find(&g, &c, &cancelled, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"));
    cr_assert_null(g.component);
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        f2l_mem_fail_after(n, true);
        f2l_status status = f2l_components_find(&g, &c, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_components_clear(&g);
        if (status == F2L_OK) {
            cr_assert_gt(n, 10);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
#endif
    f2l_cascade_clear(&c);
    f2l_fsa_clear(&fsa);
}
