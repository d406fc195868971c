/* Whether one more layer can follow a device, beside a list of all maps that loops make. */
#include "tests/support/automata/fsa_text.h"
#include "theory/construct/orbits/orbits.h"
#include "theory/obstruct/bands/bands.h"
#include <criterion/criterion.h>
#include <string.h>

#define STATES 4
#define MOST_BELOW 3
#define MOST_ARROWS (MOST_BELOW * 256)

/* An automaton, and a machine that reads the same letters; possible[y][q]: some word leads to
 * both. */
typedef struct pair {
    f2l_fsa fsa, below;
    bool possible[MOST_BELOW][STATES];
} pair;

static void mark_possible(pair *p, size_t y, size_t q)
{
    if (p->possible[y][q]) return;
    p->possible[y][q] = true;
    for (size_t a = 0; a < 2; a++)
        mark_possible(p, p->below.next[y * 2 + a], p->fsa.next[q * 2 + a]);
}

/* An arrow: where a word leads from a state of the machine below, and its map. */
typedef struct arrow {
    size_t to;
    uint8_t map[STATES];
} arrow;

static size_t list_arrows(arrow *out, const pair *p, size_t y)
{
    const size_t n = p->fsa.states.count;
    arrow from = {.to = y};
    size_t count = 0;
    for (size_t q = 0; q < n; q++) from.map[q] = (uint8_t)q;
    for (size_t i = 0; i <= count; from = out[i++])
        for (size_t a = 0; a < 2; a++) {
            arrow to = {.to = p->below.next[from.to * 2 + a]};
            size_t known = 0;
            for (size_t q = 0; q < n; q++) to.map[q] = (uint8_t)p->fsa.next[from.map[q] * 2 + a];
            while (known < count && memcmp(&out[known], &to, sizeof to) != 0) known++;
            if (known == count) out[count++] = to;
            cr_assert_lt(count, MOST_ARROWS);
        }
    return count;
}

static bool acts_as_idempotent(const pair *p, size_t y, const arrow *e)
{
    if (e->to != y) return false;
    for (size_t q = 0; q < p->fsa.states.count; q++)
        if (p->possible[y][q] && e->map[e->map[q]] != e->map[q]) return false;
    return true;
}

/* Returns whether efe = fe for the idempotents of the loops at y. */
static bool loops_are_band(const pair *p, size_t y)
{
    static arrow list[MOST_ARROWS];
    memset(list, 0, sizeof list);
    const size_t count = list_arrows(list, p, y);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && acts_as_idempotent(p, y, &list[i]); j++) {
            const uint8_t *e = list[i].map, *f = list[j].map;
            if (!acts_as_idempotent(p, y, &list[j])) continue;
            for (size_t q = 0; q < p->fsa.states.count; q++)
                if (p->possible[y][q] && e[f[e[q]]] != e[f[q]]) return false;
        }
    return true;
}

static f2l_orbits_graph graph_of(const pair *p)
{
    return (f2l_orbits_graph){.letters = 2,
                              .vertices = p->below.states.count,
                              .start = p->below.start,
                              .below = p->below.next,
                              .states = p->fsa.states.count,
                              .start_state = p->fsa.start,
                              .next = p->fsa.next,
                              .targets = p->fsa.states.count,
                              .target = p->fsa.next};
}

static bool is_good(const pair *p)
{
    const f2l_orbits_graph graph = graph_of(p);
    f2l_orbits_maps maps = {0};
    f2l_orbits_witness witness = {0};
    f2l_error err = {0};
    bool good;
    cr_assert_eq(f2l_orbits_maps_list(&maps, &graph, NULL, &err), F2L_OK);
    cr_assert_eq(f2l_orbits_is_good(&good, &witness, &graph, &maps, NULL, &err), F2L_OK);
    cr_assert(good || p->possible[witness.vertex][witness.state]);
    f2l_orbits_witness_clear(&witness);
    f2l_orbits_maps_clear(&maps);
    return good;
}

Test(good, all_loops)
{
    size_t good = 0, bad = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        pair p = {0};
        random_trimmed(&p.fsa, STATES, 2, seed);
        random_trimmed(&p.below, 2 + seed % 2, 2, 1000 + seed);
        mark_possible(&p, p.below.start, p.fsa.start);
        bool expected = true;
        for (size_t y = 0; y < p.below.states.count; y++) expected &= loops_are_band(&p, y);
        cr_assert_eq(is_good(&p), expected, "seed %u", (unsigned)seed);
        good += expected;
        bad += !expected;
        f2l_fsa_clear(&p.fsa);
        f2l_fsa_clear(&p.below);
    }
    cr_assert(good > 50 && bad > 50, "%zu %zu", good, bad);
}

/* With one state below it is the search for bands. */
Test(good, nothing_below)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        pair p = {0};
        f2l_band band;
        f2l_error err = {0};
        random_trimmed(&p.fsa, STATES, 2, seed);
        random_trimmed(&p.below, 1, 2, seed);
        mark_possible(&p, 0, p.fsa.start);
        f2l_band_init(&band);
        const f2l_band_table table = {p.fsa.next, p.fsa.states.count, 2};
        cr_assert_eq(f2l_band_search(&band, &table, NULL, &err), F2L_OK);
        cr_assert(band.decided);
        cr_assert_eq(is_good(&p), !band.found, "seed %u", (unsigned)seed);
        f2l_band_clear(&band);
        f2l_fsa_clear(&p.fsa);
        f2l_fsa_clear(&p.below);
    }
}
