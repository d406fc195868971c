/* The search for idempotents e, f with efe != fe beside a list of all maps that words make. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/bands/bands.h"
#include <criterion/criterion.h>
#include <string.h>

#define MOST_STATES 6
#define MOST_MAPS 50000

typedef struct maps {
    size_t n, count;
    uint8_t (*map)[MOST_STATES];
} maps;

static void add_map(maps *m, const uint8_t *map)
{
    for (size_t i = 0; i < m->count; i++)
        if (memcmp(m->map[i], map, m->n) == 0) return;
    cr_assert_lt(m->count, MOST_MAPS);
    memcpy(m->map[m->count++], map, m->n);
}

static bool is_idempotent(const uint8_t *e, size_t n)
{
    for (size_t q = 0; q < n; q++)
        if (e[e[q]] != e[q]) return false;
    return true;
}

/* Returns whether efe = fe for all idempotents of the automaton's semigroup, in which all states
 * differ. */
static bool is_band(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    maps m = {.n = n, .map = f2l_calloc(MOST_MAPS, sizeof *m.map)};
    uint8_t map[MOST_STATES];
    bool band = true;
    for (size_t a = 0; a < k; a++) {
        for (size_t q = 0; q < n; q++) map[q] = (uint8_t)fsa->next[q * k + a];
        add_map(&m, map);
    }
    for (size_t i = 0; i < m.count; i++)
        for (size_t a = 0; a < k; a++) {
            for (size_t q = 0; q < n; q++) map[q] = (uint8_t)fsa->next[m.map[i][q] * k + a];
            add_map(&m, map);
        }
    for (size_t i = 0; i < m.count && band; i++)
        for (size_t j = 0; j < m.count && band && is_idempotent(m.map[i], n); j++)
            for (size_t q = 0; q < n && is_idempotent(m.map[j], n); q++) {
                const uint8_t *e = m.map[i], *f = m.map[j];
                band &= e[f[e[q]]] == e[f[q]];
            }
    f2l_free(m.map);
    return band;
}

static void random_automaton(f2l_fsa *fsa, uint64_t states, uint64_t letters, uint64_t seed)
{
    const uint64_t number[] = {states, letters, seed};
    size_t dropped;
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, "random", number, 3, false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, &err), F2L_OK);
}

/* Asserts that the words do as the pattern says, in an automaton whose states all differ. */
static void must_be_pattern(const f2l_band *b, const f2l_fsa *fsa, uint64_t seed)
{
    const size_t *x = b->state;
    const size_t u[][2] = {{x[0], x[1]}, {x[1], x[1]}, {x[2], x[3]},
                           {x[3], x[3]}, {x[4], x[5]}, {x[5], x[5]}};
    const size_t v[][2] = {{x[1], x[2]}, {x[2], x[2]}, {x[0], x[4]}, {x[4], x[4]}};
    for (int i = 0; i < 6; i++)
        cr_assert_eq(f2l_word_lead(fsa, u[i][0], &b->u), u[i][1], "u %d seed %u", i,
                     (unsigned)seed);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(f2l_word_lead(fsa, v[i][0], &b->v), v[i][1], "v %d seed %u", i,
                     (unsigned)seed);
    cr_assert_neq(x[3], x[5]);
}

Test(bands, all_maps)
{
    size_t bands = 0, forkless = 0, none = 0;
    for (uint64_t seed = 1; seed <= 800; seed++) {
        f2l_error err = {0};
        f2l_fsa fsa;
        f2l_band by_maps, by_search;
        f2l_fork fork;
        random_automaton(&fsa, 3 + seed % 3, 1 + seed / 6 % 3, seed);
        f2l_band_init(&by_maps);
        f2l_band_init(&by_search);
        f2l_fork_init(&fork);
        const f2l_band_table table = {fsa.next, NULL, fsa.states.count, fsa.letters.count};
        cr_assert_eq(f2l_band_find(&by_maps, &fsa, F2L_LABEL_STATES, NULL, NULL, &err), F2L_OK);
        cr_assert_eq(f2l_band_search(&by_search, &table, NULL, &err), F2L_OK);
        cr_assert_eq(f2l_fork_find(&fork, &fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK);
        cr_assert(by_maps.decided && by_search.decided);
        const bool band = is_band(&fsa);
        cr_assert_eq(by_maps.found, !band, "seed %u", (unsigned)seed);
        cr_assert_eq(by_search.found, !band, "seed %u", (unsigned)seed);
        cr_assert(!fork.found || !band);
        if (!band) {
            must_be_pattern(&by_maps, &fsa, seed);
            must_be_pattern(&by_search, &fsa, seed);
            cr_assert_eq(f2l_word_lead(&fsa, fsa.start, &by_maps.reach), by_maps.state[0]);
        }
        bands += !band;
        forkless += !band && !fork.found;
        none += band;
        f2l_band_clear(&by_maps);
        f2l_band_clear(&by_search);
        f2l_fork_clear(&fork);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(bands > 100 && none > 100 && forkless > 10, "%zu %zu %zu", bands, none, forkless);
}

/* --- parts: the joint states of layers below --- */

#define MOST_BELOW 3

/* A product of an automaton and a machine of fewer states that reads the same letters, as far as
 * words reach it. */
typedef struct product {
    uint32_t next[MOST_BELOW * MOST_STATES * 3], part[MOST_BELOW * MOST_STATES];
    size_t count, k;
    uint32_t number[MOST_BELOW * MOST_STATES]; /* of pair y n + q, plus 1 */
    uint32_t pair[MOST_BELOW * MOST_STATES];
} product;

static uint32_t add_pair(product *p, const f2l_fsa *fsa, size_t y, size_t q)
{
    const uint32_t pair = (uint32_t)(y * fsa->states.count + q);
    if (p->number[pair] == 0) {
        p->part[p->count] = (uint32_t)y;
        p->pair[p->count++] = pair;
        p->number[pair] = (uint32_t)p->count;
    }
    return p->number[pair] - 1;
}

static void make_product(product *p, const f2l_fsa *below, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    *p = (product){.k = k};
    add_pair(p, fsa, below->start, fsa->start);
    for (size_t i = 0; i < p->count; i++)
        for (size_t a = 0; a < k; a++)
            p->next[i * k + a] = add_pair(p, fsa, below->next[p->pair[i] / n * k + a],
                                          fsa->next[p->pair[i] % n * k + a]);
}

/* Returns whether efe = fe for all idempotents that words from y to y make of the states of part y.
 */
static bool loops_are_band(const product *p, uint32_t y)
{
    const size_t n = p->count;
    uint8_t(*map)[MOST_BELOW * MOST_STATES] = f2l_calloc(MOST_MAPS, sizeof *map), next[32];
    size_t count = 1;
    bool band = true;
    for (size_t q = 0; q < n; q++) map[0][q] = p->part[q] == y ? (uint8_t)q : UINT8_MAX;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < p->k; a++) {
            bool known = false;
            for (size_t q = 0; q < n; q++)
                next[q] =
                    map[i][q] == UINT8_MAX ? UINT8_MAX : (uint8_t)p->next[map[i][q] * p->k + a];
            for (size_t j = 0; j < count && !known; j++) known = memcmp(map[j], next, n) == 0;
            cr_assert_lt(count, MOST_MAPS);
            if (!known) memcpy(map[count++], next, n);
        }
    for (size_t i = 0; i < count && band; i++)
        for (size_t j = 0; j < count && band; j++) {
            const uint8_t *m[] = {map[i], map[j]};
            bool both = true;
            for (int side = 0; side < 2; side++)
                for (size_t q = 0; q < n && both; q++)
                    if (map[0][q] != UINT8_MAX)
                        both &= p->part[m[side][q]] == y && m[side][m[side][q]] == m[side][q];
            for (size_t q = 0; q < n && both; q++)
                if (map[0][q] != UINT8_MAX) band &= m[0][m[1][m[0][q]]] == m[0][m[1][q]];
        }
    f2l_free(map);
    return band;
}

Test(bands, parts)
{
    size_t bands = 0, none = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        f2l_error err = {0};
        f2l_fsa fsa, below;
        f2l_band band;
        product p;
        random_automaton(&fsa, 4, 2, seed);
        random_automaton(&below, 2 + seed % 2, 2, 1000 + seed);
        make_product(&p, &below, &fsa);
        f2l_band_init(&band);
        const f2l_band_table table = {p.next, p.part, p.count, p.k};
        cr_assert_eq(f2l_band_search(&band, &table, NULL, &err), F2L_OK);
        bool expected = true;
        for (uint32_t y = 0; y < below.states.count; y++) expected &= loops_are_band(&p, y);
        cr_assert(band.decided);
        cr_assert_eq(band.found, !expected, "seed %u", (unsigned)seed);
        for (int i = 1; i < F2L_BAND_STATES && band.found; i++)
            cr_assert_eq(p.part[band.state[i]], p.part[band.state[0]]);
        bands += band.found;
        none += !band.found;
        f2l_band_clear(&band);
        f2l_fsa_clear(&fsa);
        f2l_fsa_clear(&below);
    }
    cr_assert(bands > 50 && none > 50, "%zu %zu", bands, none);
}

/* A limit leaves it open and says so, and failing memory leaves nothing behind. */
Test(bands, limits)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_band band;
    f2l_effort effort = {.limit = 1000000};
    const f2l_task task = {.effort = &effort};
    const uint64_t number[] = {60};
    f2l_band_init(&band);
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "elevator", number, 1, false, &err), F2L_OK);
    cr_assert_eq(f2l_band_find(&band, &fsa, F2L_LABEL_STATES, NULL, &task, &err), F2L_OK);
    cr_assert(!band.found && !band.decided && band.reason[0] != '\0');
    f2l_fsa_clear(&fsa);
#ifdef F2L_MEM_FAILURES
    for (uint64_t seed = 1; seed <= 4; seed++) {
        random_automaton(&fsa, 5, 2, seed);
        const f2l_band_table table = {fsa.next, NULL, fsa.states.count, fsa.letters.count};
        for (size_t n = 1, done = 0; done < 2; n++) {
            f2l_mem_fail_after(n, true);
            const f2l_status find = f2l_band_find(&band, &fsa, F2L_LABEL_STATES, NULL, NULL, &err);
            f2l_mem_fail_after(n, true);
            f2l_band_clear(&band);
            const f2l_status search = f2l_band_search(&band, &table, NULL, &err);
            f2l_mem_fail_after(0, false);
            f2l_band_clear(&band);
            cr_assert(find == F2L_OK || find == F2L_ENOMEM, "%zu", n);
            cr_assert(search == F2L_OK || search == F2L_ENOMEM, "%zu", n);
            done = (find == F2L_OK) + (search == F2L_OK);
        }
        f2l_fsa_clear(&fsa);
    }
#endif
    f2l_band_clear(&band);
}
