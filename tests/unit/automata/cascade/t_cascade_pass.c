#include "automata/cascade/impl.h"
#include "tests/support/automata/cascade_cases.h"
#include "tests/support/automata/cascade_support.h"

Test(cascade_pass, every_chain_works_whatever_idle_levels_hold)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 9, 0); /* the seed */
    for (int round = 0; round < 300; round++) {
        f2l_cascade c;
        table_random(&fsa, 2 + f2l_rng_below(&rng, 7), 1 + f2l_rng_below(&rng, 3), &rng);
        build(&c, &fsa, (f2l_cascade_kind)(round % 3));
        cr_assert_eq(stale_disagreements(&c, &rng), 0, "round %d", round);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* Changes one thing in the family; the covers' sets stay sets of the family. */
static void mutate(f2l_cascade *c, f2l_rng *rng)
{
    uint32_t x = (uint32_t)f2l_rng_below(rng, c->sets.count);
    while (c->sets.size[x] < 2 || c->cover_count[x] == 0) x = (x + 1) % (uint32_t)c->sets.count;
    uint32_t *cover = c->cover + c->cover_at[x];
    size_t m = c->cover_count[x], i = f2l_rng_below(rng, m), j = f2l_rng_below(rng, m);
    uint32_t held = cover[i];
    switch (f2l_rng_below(rng, 4)) {
    case 0:
        cover[i] = cover[j];
        cover[j] = held;
        break;
    case 1:
        cover[i] = (uint32_t)f2l_rng_below(rng, c->sets.count);
        break;
    case 2:
        c->cover_count[x]--;
        break;
    default:
        c->lambda[x] = 1 + (uint32_t)f2l_rng_below(rng, c->levels);
    }
}

/* The pass is a proof: everything that it accepts is right, also after a change of the data without
 * its knowledge. */
Test(cascade_pass, the_pass_accepts_only_what_is_right)
{
    f2l_fsa fsa;
    f2l_rng rng;
    size_t refused = 0, accepted = 0;
    f2l_rng_init(&rng, 10, 0); /* the seed */
    for (int round = 0; round < 3000; round++) {
        f2l_cascade c;
        f2l_error err = {0};
        table_random(&fsa, 3 + f2l_rng_below(&rng, 4), 2, &rng);
        build(&c, &fsa, (f2l_cascade_kind)(round % 3));
        if (c.levels) {
            mutate(&c, &rng);
            f2l_cascade_table_clear(&c);
            f2l_status status = f2l_cascade_table(&c, NULL, &err);
            cr_assert(status == F2L_OK || status == F2L_REFUTED);
            if (status == F2L_OK)
                cr_assert_eq(stale_disagreements(&c, &rng), 0, "round %d", round);
            else
                cr_assert_neq(err.text[0], '\0');
            accepted += status == F2L_OK;
            refused += status != F2L_OK;
        }
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_gt(refused, 1000, "%zu refused, %zu accepted", refused, accepted);
    cr_assert_gt(accepted, 100, "%zu refused, %zu accepted", refused, accepted);
}
