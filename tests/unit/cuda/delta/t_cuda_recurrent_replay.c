#include "numeric/base/mem.h"
#include "tests/support/cuda/recurrent_support.h"
#include <criterion/criterion.h>
#include <stdio.h>

static const f2l_delta_shape shapes[] = {
    {1, 1, 1, 1, 1, 1},    {2, 5, 2, 1, 3, 4},      {1, 19, 1, 2, 16, 16}, {2, 33, 3, 3, 32, 32},
    {1, 40, 1, 4, 32, 33}, {1, 17, 2, 1, 48, 20},   {1, 18, 1, 8, 64, 48}, {1, 9, 1, 5, 100, 24},
    {1, 16, 1, 2, 128, 9}, {35, 2, 1, 2, 8, 8},     {1, 3, 1, 7, 17, 128}, {0, 4, 2, 1, 4, 4},
    {1, 0, 2, 1, 4, 4},    {1, 37, 1, 6, 128, 128}, {2, 32, 1, 4, 4, 40},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *const name[OUTPUTS] = {"out", "dq", "dk", "dv", "dbeta", "dgate", "dh0"};

static void compare(const recurrent_sample *r, const recurrent_results *got,
                    const recurrent_results *want, double narrow, double wide, const char *what)
{
    for (int i = 0; i < OUTPUTS; i++) {
        if (!r->results[i]) continue;
        const bool bf16 = r->bf16 && !recurrent_out_is_wide(i);
        const double error = recurrent_error(got->narrow[i], want->wide[i], r->results[i], bf16);
        cr_assert(error <= (bf16 ? narrow : wide), "%s of %s: error %.3g", name[i], what, error);
    }
}

/* Both get the same numbers, so that the error in bf16 is the rounding of the result, at most 2^-8.
 * In single precision the gradients of beta and gate are sums that cancel. */
Test(cuda_recurrent_replay, agrees_with_the_reference, .timeout = 300)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (unsigned options = 0; options < WITH_OPTIONS; options++) {
            if (shapes[i].key * shapes[i].value > 4096 && options % 3) continue; /* saves time */
            recurrent_sample r;
            recurrent_results got, want;
            char what[64];
            snprintf(what, sizeof what, "shape %zu with options %u", i, options);
            recurrent_sample_init(&r, shapes[i], options, false, 31 * i + options);
            cr_assert(recurrent_reference(&want, &r));
            cr_assert_eq(recurrent_replay(&got, &r, NULL), F2L_OK);
            compare(&r, &got, &want, 0.004, 2e-5, what);
            recurrent_results_clear(&got), recurrent_results_clear(&want);
            recurrent_sample_clear(&r);
        }
}

/* Reflections and projections with few bits round nothing, whatever the blocking. */
Test(cuda_recurrent_replay, dyadic_words_are_exact)
{
    const f2l_delta_shape short_words[] = {
        {2, 2, 2, 2, 32, 32}, {1, 3, 1, 1, 16, 20}, {1, 1, 2, 4, 64, 64}, {2, 2, 1, 2, 128, 33}};
    for (size_t i = 0; i < 4; i++)
        for (unsigned options = 0; options < WITH_OPTIONS; options++) {
            if (options & WITH_BF16) continue; /* bf16 has too few bits for the results */
            recurrent_sample r;
            recurrent_results got, want;
            recurrent_sample_init(&r, short_words[i], options, true, 77 * i + options);
            cr_assert(recurrent_reference(&want, &r));
            cr_assert_eq(recurrent_replay(&got, &r, NULL), F2L_OK);
            compare(&r, &got, &want, 0, 0, "a dyadic word");
            recurrent_results_clear(&got), recurrent_results_clear(&want);
            recurrent_sample_clear(&r);
        }
}

/* Reflections in a few directions with entries +-1/2 permute a finite set of states: a thousand
 * letters are as exact as one, in bf16 too. */
Test(cuda_recurrent_replay, a_long_word_of_reflections_is_exact)
{
    const f2l_delta_shape shape = {1, 1000, 1, 2, 4, 4};
    recurrent_sample r;
    recurrent_results got;
    recurrent_sample_init(&r, shape, WITH_START | WITH_BF16 | WITH_LETTERS, true, 5);
    for (size_t i = 0; i < r.count[IN_BETA]; i++) ((float *)r.number[IN_BETA])[i] = 2;
    for (size_t i = 0; i < 16; i++) ((float *)r.number[IN_H0])[i] = i % 5 == 0;
    for (size_t i = 0; i < r.count[IN_Q]; i++) ((uint16_t *)r.number[IN_Q])[i] = i % 4 ? 0 : 0x3f80;
    double S[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    cr_assert_eq(recurrent_replay(&got, &r, NULL), F2L_OK);
    for (size_t t = 0; t < shape.tokens; t++) {
        for (size_t n = 0; n < 2; n++) {
            double w[4] = {0}, k[4];
            for (size_t i = 0; i < 4; i++)
                k[i] = (double)f2l_replay_get(r.number[IN_K], (r.letter[t] * 2 + n) * 4 + i, true);
            for (size_t i = 0; i < 16; i++) w[i % 4] += S[i / 4][i % 4] * k[i / 4];
            for (size_t i = 0; i < 16; i++) S[i / 4][i % 4] -= 2 * k[i / 4] * w[i % 4];
        }
        for (size_t c = 0; c < 4; c++)
            cr_assert_eq((double)f2l_replay_get(got.narrow[OUT_O], 4 * t + c, true), S[0][c]);
    }
    recurrent_results_clear(&got);
    recurrent_sample_clear(&r);
}

/* Returns the inputs of length letters from token `first` on, in the one sequence of r. */
static f2l_recurrent_in piece_of(const recurrent_sample *r, size_t first)
{
    f2l_recurrent_in in = recurrent_inputs(r);
    const size_t number = r->bf16 ? 2 : 4;
    if (in.letter) {
        in.letter += first;
        return in;
    }
    in.q = (const char *)in.q + first * recurrent_row(&r->shape, IN_Q) * number;
    in.k = (const char *)in.k + first * recurrent_row(&r->shape, IN_K) * number;
    if (in.v) in.v = (const char *)in.v + first * recurrent_row(&r->shape, IN_V) * number;
    in.beta += first * recurrent_row(&r->shape, IN_BETA);
    if (in.gate) in.gate += first * recurrent_row(&r->shape, IN_GATE);
    return in;
}

Test(cuda_recurrent_replay, pieces_of_a_word_give_the_same_bits)
{
    for (unsigned options = 0; options < WITH_OPTIONS; options++) {
        const f2l_delta_shape shape = {1, 41, 2, 3, 20, 36};
        recurrent_sample r;
        recurrent_results whole;
        recurrent_sample_init(&r, shape, options | WITH_START, false, options);
        cr_assert_eq(recurrent_replay(&whole, &r, NULL), F2L_OK);
        const size_t number = r.bf16 ? 2 : 4, row = 2 * 36 * number;
        char *out = malloc(41 * row);
        float *state = malloc(r.count[IN_H0] * sizeof *state);
        memcpy(state, r.number[IN_H0], r.count[IN_H0] * sizeof *state);
        for (size_t first = 0, length = 0; first < 41; first += length, length = (length + 1) % 7) {
            if (length > 41 - first) length = 41 - first;
            const f2l_recurrent_in in = piece_of(&r, first);
            f2l_delta_shape piece = shape;
            piece.tokens = length;
            cr_assert_eq(
                f2l_replay_recurrent_forward(out + first * row, state, NULL, &in, &piece, NULL),
                F2L_OK);
        }
        cr_assert_eq(memcmp(out, whole.narrow[OUT_O], 41 * row), 0, "options %u", options);
        free(out), free(state);
        recurrent_results_clear(&whole);
        recurrent_sample_clear(&r);
    }
}

/* A gradient that is not wanted is not computed, and no other result changes. */
Test(cuda_recurrent_replay, gradients_do_not_depend_on_each_other)
{
    const f2l_delta_shape shape = {2, 20, 2, 2, 24, 40};
    recurrent_sample r;
    recurrent_results all, one;
    recurrent_sample_init(&r, shape, WITH_VALUES | WITH_GATES | WITH_START, false, 9);
    cr_assert_eq(recurrent_replay(&all, &r, NULL), F2L_OK);
    const f2l_recurrent_in in = recurrent_inputs(&r);
    float *kept = malloc(f2l_replay_recurrent_kept(&shape) * sizeof *kept);
    cr_assert_eq(f2l_replay_recurrent_forward(all.narrow[OUT_O], NULL, kept, &in, &shape, NULL),
                 F2L_OK);
    for (int i = OUT_DQ; i < OUTPUTS; i++) {
        recurrent_poisoned(&one, &r);
        f2l_recurrent_grad grad = {0};
        void *wanted[] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
        wanted[i] = one.narrow[i];
        grad.dq = wanted[OUT_DQ], grad.dk = wanted[OUT_DK], grad.dv = wanted[OUT_DV];
        grad.dbeta = wanted[OUT_DBETA], grad.dgate = wanted[OUT_DGATE], grad.dh0 = wanted[OUT_DH0];
        cr_assert_eq(
            f2l_replay_recurrent_backward(&grad, r.number[IN_DOUT], kept, &in, &shape, NULL),
            F2L_OK);
        cr_assert_eq(memcmp(one.narrow[i], all.narrow[i], r.results[i] * 4), 0, "%s", name[i]);
        recurrent_results_clear(&one);
    }
    free(kept);
    recurrent_results_clear(&all);
    recurrent_sample_clear(&r);
}

Test(cuda_recurrent_replay, the_plan_covers_every_shape_within_bounds)
{
    for (size_t key = 0; key <= 130; key++)
        for (size_t value = 0; value <= 130; value += value < 20 ? 1 : 11)
            for (size_t n = 0; n <= 9; n++) {
                f2l_recurrent_plan plan;
                const f2l_delta_shape s = {1, 50, 1, n, key, value};
                const bool taken =
                    n >= 1 && n <= 8 && key >= 1 && key <= 128 && value >= 1 && value <= 128;
                cr_assert_eq(f2l_recurrent_plan_of(&plan, &s, false, NULL),
                             taken ? F2L_OK : F2L_EDOMAIN);
                if (!taken) continue;
                bool seen[128] = {false};
                cr_assert(plan.key >= key && plan.value >= value &&
                          plan.segment % plan.anchor == 0);
                cr_assert(plan.anchor * n <= 8 && plan.segments * plan.segment >= 50);
                for (size_t g = 0; g < plan.row_lanes; g++)
                    for (size_t i = 0; i < plan.rows; i++) {
                        const size_t row = f2l_recurrent_row(&plan, g, i);
                        cr_assert(row < plan.key && !seen[row]);
                        seen[row] = true;
                    }
            }
}

/* The kernels are compiled for these plans: tile<KEY> of cuda/delta/cuda_recurrent.cuh. A block of
 * threads may have 1024. */
Test(cuda_recurrent_replay, the_plan_has_the_numbers_of_the_kernels_tiles)
{
    const size_t tile[][4] = {{16, 4, 4, 8}, {32, 4, 8, 8}, {64, 8, 8, 4}, {128, 16, 8, 2}};
    for (size_t key = 1, i = 0; key <= 128; i += key++ == tile[i][0])
        for (size_t value = 1; value <= 128; value++) {
            f2l_recurrent_plan plan;
            const f2l_delta_shape s = {1, 50, 1, 1, key, value};
            cr_assert_eq(f2l_recurrent_plan_of(&plan, &s, false, NULL), F2L_OK);
            cr_assert_eq(plan.key, tile[i][0]);
            cr_assert_eq(plan.row_lanes, tile[i][1], "key %zu: %zu lanes", key, plan.row_lanes);
            cr_assert_eq(plan.rows, tile[i][2]);
            cr_assert_eq(plan.column_lanes, tile[i][3]);
            cr_assert_eq(plan.width, 4 * tile[i][3]);
            cr_assert_eq(plan.warps, (value + plan.width - 1) / plan.width);
            cr_assert_leq(32 * plan.warps, 1024);
        }
}

Test(cuda_recurrent_replay, bf16_rounds_to_nearest_even)
{
    const float in[] = {1,       1.00390625F, 1.01171875F, 1.00390637F, -3.0e38F,
                        3.4e38F, 0,           -0.0F,       1e-40F};
    const uint16_t want[] = {0x3f80, 0x3f80, 0x3f82, 0x3f81, 0xff62, 0x7f80, 0, 0x8000, 0x0001};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        cr_assert_eq(f2l_replay_round(in[i]), want[i], "%zu: %04x", i, f2l_replay_round(in[i]));
    cr_assert(isnan(f2l_replay_widen(f2l_replay_round(NAN))));
}

#ifdef F2L_MEM_FAILURES
Test(cuda_recurrent_replay, memory_failures_are_reported)
{
    recurrent_sample r;
    recurrent_results x;
    recurrent_sample_init(&r, (f2l_delta_shape){1, 4, 1, 2, 3, 2}, WITH_VALUES, false, 1);
    for (size_t i = 1; i <= 2; i++) {
        f2l_error err = {0};
        f2l_mem_fail_after(i, false);
        cr_assert_eq(recurrent_replay(&x, &r, &err), F2L_ENOMEM);
        f2l_mem_fail_after(0, false);
        recurrent_results_clear(&x);
    }
    recurrent_sample_clear(&r);
}
#endif
