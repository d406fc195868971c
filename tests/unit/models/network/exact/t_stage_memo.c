/* What is remembered of a stage's table is what was kept, also where rows take each other's place
 * and where the values after take the place of those before. */
#include "models/network/exact/stage_memo.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>

#define SLOTS 2
#define READOUTS 3

/* A function that has no two equal values by chance. */
static void compute(size_t *after, const size_t *letter, const size_t *before)
{
    const size_t key = letter[0] + 7 * letter[1] + 49 * before[0] + 343 * before[1];
    for (size_t r = 0; r < READOUTS; r++) after[r] = 5 * key + before[2] + r;
}

/* Asks `rounds` times for numbers below `most`; returns how often the memo knew. */
static size_t ask(size_t most, int rounds, size_t *filled)
{
    f2l_stage_memo memo;
    f2l_rng rng;
    size_t known = 0;
    f2l_rng_init(&rng, 3, most);
    f2l_stage_memo_init(&memo, SLOTS, READOUTS);
    for (int i = 0; i < rounds; i++) {
        size_t letter[SLOTS], values[READOUTS], wanted[READOUTS];
        for (size_t j = 0; j < SLOTS; j++) letter[j] = f2l_rng_below(&rng, 7);
        for (size_t r = 0; r < READOUTS; r++) values[r] = f2l_rng_below(&rng, most);
        compute(wanted, letter, values);
        const bool knew = f2l_stage_memo_find(&memo, values, letter, values);
        if (!knew) {
            compute(values, letter, values);
            f2l_stage_memo_keep(&memo, values);
        }
        known += knew;
        for (size_t r = 0; r < READOUTS; r++) cr_assert_eq(values[r], wanted[r], "round %d", i);
    }
    *filled = memo.rows;
    f2l_stage_memo_clear(&memo);
    return known;
}

Test(stage_memo, knows_what_was_kept)
{
    size_t rows;
    cr_assert_gt(ask(2, 20000, &rows), 16000, "few values are nearly always known");
    cr_assert_gt(rows, 0);
    cr_assert_lt(ask(1000, 20000, &rows), 2000, "many values are not");
    cr_assert_leq(rows * (1 + SLOTS + 2 * READOUTS) * sizeof(size_t), (size_t)1 << 18);
}

Test(stage_memo, begins_late)
{
    size_t rows;
    cr_assert_eq(ask(1, 100, &rows), 0);
    cr_assert_eq(rows, 0, "a short run takes no memory");
}

/* A computation that failed leaves nothing behind. */
Test(stage_memo, forgets_what_was_not_kept)
{
    f2l_stage_memo memo;
    size_t letter[] = {1, 2}, value[] = {3, 4, 5};
    f2l_stage_memo_init(&memo, SLOTS, READOUTS);
    for (int i = 0; i < 1000; i++)
        cr_assert_not(f2l_stage_memo_find(&memo, value, letter, value), "round %d", i);
    f2l_stage_memo_clear(&memo);
}
