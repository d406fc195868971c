#include "automata/cascade/subsets.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Compares 2,000 random sets, some repeated, with a list that is searched from the start. */
static void against_a_list(size_t states, uint64_t seed)
{
    f2l_rng rng;
    f2l_subsets s;
    enum { SETS = 2000 };
    size_t words = (states + 63) / 64, known = 0;
    f2l_rng_init(&rng, seed, 0);
    f2l_subsets_init(&s, states);
    cr_assert_eq(s.words, words);
    uint64_t *list = calloc(SETS * words, sizeof *list), *set = calloc(words, sizeof *set);
    for (size_t i = 0; i < SETS; i++) {
        memset(set, 0, words * sizeof *set);
        size_t members = f2l_rng_below(&rng, 4);
        for (size_t m = 0; m < members; m++) f2l_set_put(set, f2l_rng_below(&rng, states));
        size_t at = 0;
        while (at < known && memcmp(list + at * words, set, words * sizeof *set)) at++;
        cr_assert_eq(f2l_subsets_find(&s, set), at < known ? (uint32_t)at : F2L_NO_SET, "seed %lu",
                     seed);
        uint32_t id;
        cr_assert_eq(f2l_subsets_add(&s, set, &id, NULL), F2L_OK);
        cr_assert_eq(id, at);
        if (at == known) memcpy(list + words * known++, set, words * sizeof *set);
        size_t size = 0, last = 0;
        F2L_SET_EACH(q, f2l_subsets_get(&s, id), words)
        {
            cr_assert(size == 0 || q > last);
            cr_assert(f2l_set_has(set, q));
            last = q;
            size++;
        }
        cr_assert_eq(s.size[id], size);
    }
    cr_assert_eq(s.count, known);
    cr_assert_gt(f2l_subsets_bytes(&s), known * words * 8);
    free(list);
    free(set);
    f2l_subsets_clear(&s);
    f2l_subsets_clear(&s);
}

Test(subsets, agree_with_a_list)
{
    static const size_t states[] = {1, 5, 63, 64, 65, 128, 200, 1000};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) against_a_list(states[i], 100 + i);
}

Test(subsets, inclusion_and_equality_look_at_every_word)
{
    uint64_t a[3] = {1, 0, 4}, b[3] = {3, 8, 4}, c[3] = {1, 0, 5};
    cr_assert(f2l_set_inside(a, b, 3));
    cr_assert_not(f2l_set_inside(b, a, 3));
    cr_assert_not(f2l_set_inside(c, b, 3));
    cr_assert(f2l_set_inside(c, b, 2));
    cr_assert(f2l_set_equal(a, a, 3));
    cr_assert_not(f2l_set_equal(a, c, 3));
    cr_assert(f2l_set_equal(a, c, 2));
}

Test(subsets, memory_failures_keep_what_was_there)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1; n < 12; n++) {
        f2l_subsets s;
        f2l_mem_fail_after(n, true);
        f2l_status status = F2L_OK;
        f2l_subsets_init(&s, 20);
        size_t added = 0;
        for (uint64_t set = 1; status == F2L_OK && set < 300; set++) {
            uint32_t id;
            status = f2l_subsets_add(&s, &set, &id, NULL);
            added += status == F2L_OK;
        }
        f2l_mem_fail_after(0, false);
        cr_assert_eq(status, n < 11 ? F2L_ENOMEM : status, "allocation %zu", n);
        for (uint64_t set = 1; set <= added; set++)
            cr_assert_eq(f2l_subsets_find(&s, &set), set - 1);
        f2l_subsets_clear(&s);
    }
#endif
}
