/* What distances refute, against chains, against forms that are found, and against codes on a line
 * that are there by construction. */
#include "numeric/base/rng.h"
#include "theory/obstruct/separation/impl.h"
#include <criterion/criterion.h>
#include <string.h>

#define MOST 8

static bool refuted(const f2l_maps *maps)
{
    f2l_error err = {0};
    f2l_watch watch;
    bool out;
    f2l_watch_start(&watch, NULL, "test", &err);
    cr_assert_eq(f2l_distances_refute(&out, maps, &watch, &err), F2L_OK, "%s", err.text);
    return out;
}

static f2l_separation_verdict verdict_of(const f2l_maps *maps)
{
    f2l_separation s;
    f2l_error err = {0};
    cr_assert_eq(f2l_separation_build(&s, maps, NULL, &err), F2L_OK, "%s", err.text);
    const f2l_separation_verdict verdict = s.verdict;
    f2l_separation_clear(&s);
    return verdict;
}

/* Checks that what is refuted has a chain, which total maps are given; and that the same maps, as
 * partial ones, have a form exactly when they have one. Returns whether they are refuted. */
static bool check(f2l_maps maps)
{
    uint8_t all[MOST * MOST];
    const f2l_separation_verdict verdict = verdict_of(&maps);
    const bool out = refuted(&maps);
    cr_assert(!out || verdict == F2L_SEPARATION_INFEASIBLE);
    memset(all, 1, sizeof all);
    maps.domain = all;
    cr_assert_eq(refuted(&maps), out);
    cr_assert_eq(verdict_of(&maps) == F2L_SEPARATION_FEASIBLE, verdict == F2L_SEPARATION_FEASIBLE);
    return out;
}

/* 264 of the maps have no form. */
Test(separation_distances, all_pairs_of_maps_of_three_states)
{
    size_t count = 0;
    for (uint32_t x = 0; x < 729; x++) {
        uint32_t next[6], rest = x;
        for (size_t i = 0; i < 6; i++, rest /= 3) next[i] = rest % 3;
        count += check((f2l_maps){.states = 3, .letters = 2, .next = next});
    }
    cr_assert_eq(count, 264, "%zu", count);
}

Test(separation_distances, random_maps)
{
    f2l_rng rng;
    size_t count = 0;
    f2l_rng_init(&rng, 3, 0);
    for (size_t trial = 0; trial < 40; trial++) {
        uint32_t next[5 * 2];
        const size_t states = 4 + trial % 2;
        for (size_t i = 0; i < 2 * states; i++) next[i] = (uint32_t)f2l_rng_below(&rng, states);
        count += check((f2l_maps){.states = states, .letters = 2, .next = next});
    }
    cr_assert_gt(count, 20, "%zu", count);
}

/* All permutations of three states, and c, which merges two of them, or is not defined for one of
 * the two. */
Test(separation_distances, domains)
{
    const uint32_t next[] = {1, 1, 0, 2, 0, 0, 0, 2, 2};
    uint8_t domain[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, apart[9] = {0};
    f2l_maps maps = {.states = 3, .letters = 3, .next = next, .domain = domain};
    cr_assert(refuted(&maps));
    domain[6] = 0; /* c at 0 */
    cr_assert(!refuted(&maps));
    cr_assert_eq(verdict_of(&maps), F2L_SEPARATION_FEASIBLE);
    domain[6] = 1;
    maps.apart = apart;
    cr_assert(!refuted(&maps), "no states need different codes");
    apart[2] = apart[6] = 1; /* states 0 and 2 do, which c does not merge */
    cr_assert(refuted(&maps));
}

/* Lets letter w lead codes x to slope * x + shift, on states where there is such a code; state 0 is
 * one of them. */
static void choose_letter(uint32_t *next, uint8_t *domain, size_t letters, const int *code,
                          size_t states, f2l_rng *rng)
{
    const int slope = (int)f2l_rng_below(rng, 3) - 1;
    const int shift = code[f2l_rng_below(rng, states)] - slope * code[0];
    for (size_t q = 0; q < states; q++) {
        const uint32_t first = (uint32_t)f2l_rng_below(rng, states);
        next[q * letters] = first;
        for (size_t i = 0; i < states && !domain[q]; i++) {
            const uint32_t to = (first + (uint32_t)i) % (uint32_t)states;
            domain[q] = code[to] == slope * code[q] + shift;
            if (domain[q]) next[q * letters] = to;
        }
    }
}

/* Codes on a line, and letters that reflect, shift or join them: the square of the distance is a
 * form. */
Test(separation_distances, codes_on_a_line)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    for (size_t trial = 0; trial < 2000; trial++) {
        const size_t states = 3 + trial % 6, letters = 2 + trial % 3;
        uint32_t next[MOST * 4];
        int code[MOST];
        uint8_t domain[4 * MOST] = {0}, apart[MOST * MOST];
        for (size_t q = 0; q < states; q++) code[q] = (int)f2l_rng_below(&rng, 6);
        for (size_t w = 0; w < letters; w++)
            choose_letter(next + w, domain + w * states, letters, code, states, &rng);
        for (size_t i = 0; i < states * states; i++)
            apart[i] = code[i / states] != code[i % states];
        const f2l_maps maps = {
            .states = states, .letters = letters, .next = next, .domain = domain, .apart = apart};
        cr_assert(!refuted(&maps), "trial %zu", trial);
    }
}

/* Above the limit nothing is said. */
Test(separation_distances, many_states)
{
    uint32_t next[25 * 2];
    for (uint32_t q = 0; q < 25; q++) {
        next[2 * q] = (q + 1) % 25;
        next[2 * q + 1] = q == 0 ? 1 : q;
    }
    f2l_maps maps = {.states = 25, .letters = 2, .next = next};
    cr_assert(!refuted(&maps));
    maps.states = 24;
    for (uint32_t q = 0; q < 24; q++) next[2 * q] = (q + 1) % 24;
    cr_assert(refuted(&maps));
}
