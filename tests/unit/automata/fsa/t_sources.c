/* The lists of sources, beside all pairs of states. */
#include "automata/fsa/sources.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include <criterion/criterion.h>

static bool leads(const f2l_fsa *fsa, size_t x, size_t y)
{
    bool any = false;
    for (size_t a = 0; a < fsa->letters.count; a++)
        any = any || fsa->next[x * fsa->letters.count + a] == y;
    return any;
}

Test(sources, agree_with_all_pairs)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        f2l_fsa fsa;
        f2l_rng rng;
        f2l_sources s;
        size_t nodes = 0, empty = 0;
        f2l_rng_init(&rng, 20261126, seed);
        table_random(&fsa, 1 + seed % 9, 1 + seed % 4, &rng);
        cr_assert_eq(f2l_sources_init(&s, &fsa, NULL), F2L_OK);
        for (size_t y = 0; y < fsa.states.count; y++) {
            uint32_t node = s.first[y];
            empty += node == F2L_NO_SOURCE;
            for (size_t x = 0; x < fsa.states.count; x++) {
                if (!leads(&fsa, x, y)) continue;
                cr_assert(node != F2L_NO_SOURCE && s.from[node] == x, "%zu %zu", x, y);
                node = s.link[node];
                nodes++;
            }
            cr_assert_eq(node, F2L_NO_SOURCE);
        }
        cr_assert(s.nodes == nodes && s.empty == empty);
        f2l_sources_clear(&s);
        cr_assert(!s.first && !s.link && !s.from);
        f2l_fsa_clear(&fsa);
    }
}

Test(sources, memory_failures)
{
#ifdef F2L_MEM_FAILURES
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 1, 1);
    table_random(&fsa, 5, 2, &rng);
    for (size_t n = 1; n <= 4; n++) {
        f2l_sources s;
        f2l_mem_fail_after(n, true);
        const f2l_status status = f2l_sources_init(&s, &fsa, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert_eq(status, n < 4 ? F2L_ENOMEM : F2L_OK);
        cr_assert(n == 4 || !s.first);
        f2l_sources_clear(&s);
    }
    f2l_fsa_clear(&fsa);
#else
    cr_skip_test("needs a flavour with allocation failures");
#endif
}
