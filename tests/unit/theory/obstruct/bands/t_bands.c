/* The search for idempotents e, f with efe != fe beside a list of all maps that words make. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
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
        random_trimmed(&fsa, 3 + seed % 3, 1 + seed / 6 % 3, seed);
        f2l_band_init(&by_maps);
        f2l_band_init(&by_search);
        f2l_fork_init(&fork);
        const f2l_band_table table = {fsa.next, fsa.states.count, fsa.letters.count};
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
        random_trimmed(&fsa, 5, 2, seed);
        const f2l_band_table table = {fsa.next, fsa.states.count, fsa.letters.count};
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
