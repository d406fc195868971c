/* Scores by length: the tally against counting everything at once. */
#include "models/learn/data/train_score.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 40, LETTERS = 60 };

typedef struct table {
    uint32_t answer[SEQUENCES][LETTERS], label[SEQUENCES][LETTERS];
    unsigned char mask[SEQUENCES][LETTERS];
} table;

static void fill(table *t, uint64_t seed, uint64_t wrong, uint64_t open)
{
    f2l_rng r;
    f2l_rng_init(&r, seed, 0);
    for (size_t i = 0; i < SEQUENCES; i++)
        for (size_t k = 0; k < LETTERS; k++) {
            t->label[i][k] = (uint32_t)f2l_rng_below(&r, 5);
            t->answer[i][k] = t->label[i][k] + (f2l_rng_below(&r, 100) < wrong);
            t->mask[i][k] = f2l_rng_below(&r, 100) < open;
        }
}

static f2l_train_score by_hand(const table *t, size_t length, bool masked)
{
    f2l_train_score s = {.length = length};
    for (size_t i = 0; i < SEQUENCES; i++) {
        size_t seen = 0, right = 0;
        for (size_t k = 0; k < length; k++) {
            seen += !masked || t->mask[i][k];
            right += (!masked || t->mask[i][k]) && t->answer[i][k] == t->label[i][k];
        }
        s.supervised += seen;
        s.right += right;
        s.sequences += seen > 0;
        s.right_ones += seen > 0 && right == seen;
    }
    return s;
}

/* Copies columns from .. from + letters of [SEQUENCES][LETTERS]. */
static void cut(uint32_t *out, uint32_t in[SEQUENCES][LETTERS], size_t from, size_t letters)
{
    for (size_t i = 0; i < SEQUENCES; i++)
        memcpy(out + i * letters, in[i] + from, letters * sizeof *out);
}

static void check(table *t, bool masked, uint64_t seed)
{
    static uint32_t answer[SEQUENCES * LETTERS], label[SEQUENCES * LETTERS];
    static unsigned char mask[SEQUENCES * LETTERS];
    static const size_t length[] = {1, 7, 8, 31, 60, 61};
    f2l_train_score score[6] = {{0}};
    f2l_train_tally tally;
    f2l_rng r;
    f2l_rng_init(&r, seed, 1);
    for (size_t i = 0; i < 6; i++) score[i].length = length[i];
    cr_assert_eq(f2l_train_tally_init(&tally, score, 6, SEQUENCES, NULL), F2L_OK);
    for (size_t at = 0; at < LETTERS;) {
        size_t n = (size_t)f2l_rng_below(&r, 20);
        if (n > LETTERS - at) n = LETTERS - at;
        cut(answer, t->answer, at, n);
        cut(label, t->label, at, n);
        for (size_t i = 0; i < SEQUENCES; i++) memcpy(mask + i * n, t->mask[i] + at, n);
        f2l_train_tally_add(&tally, answer, label, masked ? mask : NULL, n);
        at += n;
    }
    for (size_t i = 0; i < 5; i++) {
        const f2l_train_score s = by_hand(t, length[i], masked);
        cr_assert_eq(score[i].supervised, s.supervised);
        cr_assert_eq(score[i].right, s.right);
        cr_assert_eq(score[i].sequences, s.sequences);
        cr_assert_eq(score[i].right_ones, s.right_ones);
    }
    cr_assert_eq(score[5].supervised, 0, "61 letters never came");
    f2l_train_tally_clear(&tally);
    f2l_train_tally_clear(&tally);
}

Test(train_score, pieces_of_any_size_count_as_the_whole)
{
    static table t;
    for (uint64_t seed = 0; seed < 50; seed++) {
        fill(&t, seed, seed % 7, seed % 3 == 0 ? 2 : 40);
        check(&t, true, seed);
        check(&t, false, seed);
    }
}

Test(train_score, letters_beyond_the_last_length_are_ignored_and_tallies_add_up)
{
    f2l_train_score score[1] = {{.length = 2}};
    f2l_train_tally tally;
    const uint32_t answer[] = {1, 2, 3, 1, 2, 9}, label[] = {1, 2, 9, 1, 1, 9};
    for (uint64_t i = 1; i <= 3; i++) {
        cr_assert_eq(f2l_train_tally_init(&tally, score, 1, 2, NULL), F2L_OK);
        f2l_train_tally_add(&tally, answer, label, NULL, 3);
        f2l_train_tally_add(&tally, answer, label, NULL, 3);
        f2l_train_tally_clear(&tally);
        cr_assert_eq(score->sequences, 2 * i);
        cr_assert_eq(score->right_ones, i);
        cr_assert_eq(score->supervised, 4 * i);
        cr_assert_eq(score->right, 3 * i);
    }
    const f2l_train_score bad[] = {{.length = 2}, {.length = 2}};
    f2l_train_score copy[2];
    memcpy(copy, bad, sizeof copy);
    cr_assert_eq(f2l_train_tally_init(&tally, copy, 2, 2, NULL), F2L_EDOMAIN);
    copy[0].length = 0;
    cr_assert_eq(f2l_train_tally_init(&tally, copy, 2, 2, NULL), F2L_EDOMAIN);
}

Test(train_score, accuracies)
{
    f2l_train_score s = {.length = 9,
                         .sequences = 10,
                         .right_ones = 4,
                         .supervised = 100,
                         .right = 60,
                         .constant = 25,
                         .chance = 0.2};
    f2l_buf b;
    f2l_buf_init(&b);
    cr_assert_float_eq(f2l_train_accuracy(&s), 0.6, 1e-15);
    cr_assert_float_eq(f2l_train_sequence_accuracy(&s), 0.4, 1e-15);
    cr_assert_float_eq(f2l_train_scaled_accuracy(&s), 0.5, 1e-15);
    cr_assert_float_eq(f2l_train_constant_accuracy(&s), 0.25, 1e-15);
    f2l_train_score_json(&b, &s);
    cr_assert_str_eq(b.data, "{\"length\":9,\"sequences\":10,\"sequence_accuracy\":0.4,"
                             "\"accuracy\":0.6,\"scaled_accuracy\":0.5,"
                             "\"constant_accuracy\":0.25,\"scaled_constant\":0.0625}");
    f2l_buf_clear(&b);
    s.right = 10;
    cr_assert_float_eq(f2l_train_scaled_accuracy(&s), -0.125, 1e-15);
    s = (f2l_train_score){.chance = 0.5};
    cr_assert_eq(f2l_train_accuracy(&s), 0);
    cr_assert_eq(f2l_train_sequence_accuracy(&s), 0);
    cr_assert_eq(f2l_train_scaled_accuracy(&s), 0);
}

Test(train_score, spreads)
{
    const double value[] = {3, 1, 2, 10};
    f2l_train_spread s;
    cr_assert_eq(f2l_train_spread_of(&s, value, 3, NULL), F2L_OK);
    cr_assert_eq(s.median, 2);
    cr_assert_eq(s.least, 1);
    cr_assert_eq(s.greatest, 3);
    cr_assert_float_eq(s.deviation, 1, 1e-15);
    cr_assert_eq(f2l_train_spread_of(&s, value, 4, NULL), F2L_OK);
    cr_assert_eq(s.median, 2.5);
    cr_assert_float_eq(s.deviation, sqrt(50.0 / 3), 1e-14); /* mean 4: 1 + 9 + 4 + 36 */
    cr_assert_eq(f2l_train_spread_of(&s, value, 1, NULL), F2L_OK);
    cr_assert_eq(s.median, 3);
    cr_assert_eq(s.deviation, 0);
    cr_assert_eq(f2l_train_spread_of(&s, value, 0, NULL), F2L_EDOMAIN);
}

#ifdef F2L_MEM_FAILURES
Test(train_score, memory)
{
    f2l_train_score score[1] = {{.length = 2}};
    f2l_train_tally tally;
    f2l_train_spread spread;
    const double value = 1;
    f2l_mem_fail_after(1, true);
    cr_assert_eq(f2l_train_tally_init(&tally, score, 1, 2, NULL), F2L_ENOMEM);
    cr_assert_null(tally.so_far);
    cr_assert_eq(f2l_train_spread_of(&spread, &value, 1, NULL), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
}
#endif
