/* The 8-bit step of hipfire, written again from what its kernel does (docs/engines.md), beside our
 * row: sums in 32 lanes, a late gate, scales of two roundings, floor of a sum with bits of a linear
 * congruential generator, a clamp to -128; and the same with a power of two and 17 bits. */
#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include "models/network/wired/network_text.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define HD 128
#define LANES 32

#define NEAREST \
    "recurrent,sum=lanes:32,fuse=both,gate=late,state=int8,scale=amax,quotient=two,clamp=full"
#define STOCHASTIC \
    "recurrent,state=int8:stochastic,scale=amax,quotient=two,clamp=full,draw=floor:24"

/* S5 on two letters: the first layer of its network, with two of the 120 codes. */
static const char network[] =
    "lrnn 2\nfsa 2be054c3f6f3f48267547f17cae911b6a37c1fe3010d6fcf489001f5a897b0e0\nfield Q\n"
    "label states\nletters 2\nletter a\nletter b\nlabels 2\nsymbol x\nsymbol y\nstart 1\nlayers 1\n"
    "layer 1 letters 2 heads 1 codes 2 symbols 2 decode state\nhead 1 key 6 value 1\n"
    "initial 1.1:-1 2.1:-3 3.1:-1 4.1:1 5.1:-2 6.1:-2\non 1 gate 1 factors 1\nfactor 2 u 1:1\n"
    "on 2 gate 1 factors 4\nfactor 2 u 1:1\nfactor 2 u 1:1/2 2:1/2 3:1/2 4:1/2\n"
    "factor 2 u 1:1/2 2:1/2 3:1/2 4:-1/2\nfactor 2 u 1:1/2 2:1/2 5:1/2 6:1/2\n"
    "code 1 1 1.1:-1 2.1:-3 3.1:-1 4.1:1 5.1:-2 6.1:-2\n"
    "code 2 2 1.1:1 2.1:-3 3.1:-1 4.1:1 5.1:-2 6.1:-2\nend\n";
static const float start[6] = {-1, -3, -1, 1, -2, -2};
static const float key[4][6] = {
    {1}, {0.5F, 0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F, -0.5F}, {0.5F, 0.5F, 0, 0, 0.5F, 0.5F}};

typedef enum way { TO_NEAREST, DRAWN, PATCHED } way;

/* --- hipfire --- */

/* Sums over a warp: each lane its coordinates, then by shuffles of 16, 8, .. 1. */
static float sum_over_lanes(const float *s, const float *k)
{
    float lane[LANES];
    for (int t = 0; t < LANES; t++) {
        lane[t] = s[t] * k[t];
        for (int i = t + LANES; i < HD; i += LANES) lane[t] = fmaf(s[i], k[i], lane[t]);
    }
    for (int o = LANES / 2; o > 0; o /= 2)
        for (int t = 0; t < o; t++) lane[t] += lane[t + o];
    return lane[0];
}

static void do_factor(float *s, const float *k, float beta)
{
    const float delta = (0 - sum_over_lanes(s, k)) * beta;
    for (int i = 0; i < HD; i++) s[i] = fmaf(k[i], delta, s[i]);
}

/* The generator's seed of a lane, for head 0. */
static uint32_t seed_of(uint32_t row, uint32_t lane, uint32_t frame)
{
    return row * 1013904223U + lane * 214013U + frame * 2531011U;
}

static float largest_of(const float *s)
{
    float most = 0;
    for (int i = 0; i < HD; i++) most = fmaxf(most, fabsf(s[i]));
    return most;
}

/* Quantises the row and reads it again. */
static void store_row(float *s, uint32_t frame, way how)
{
    const float most = largest_of(s);
    const int k = most > 0 ? (int)ceil(log2((double)most / 127)) : 0;
    const float inverse = how == PATCHED ? ldexpf(1, -k) : 127.0F / most;
    const float scale = how == PATCHED ? ldexpf(1, k) : most / 127.0F;
    for (uint32_t t = 0; most > 0 && t < LANES; t++) {
        uint32_t rng = seed_of(0, t, frame);
        for (uint32_t i = t; i < HD; i += LANES) {
            rng = rng * 1664525U + 1013904223U;
            const float noise =
                how == PATCHED ? (float)(rng >> 15) * 0x1p-17F : (float)(rng >> 8) * 0x1p-24F;
            const float x = s[i] * inverse;
            const float q = how == TO_NEAREST ? rintf(x) : floorf(x + noise);
            s[i] = fminf(fmaxf(q, -128), 127) * scale;
        }
    }
}

/* --- a word --- */

static void begin_row(float *s)
{
    memset(s, 0, HD * sizeof *s);
    memcpy(s, start, sizeof start);
}

static void step_row(float *s, uint32_t *frame, unsigned letter, way how, bool stored)
{
    for (int f = 0; f < (letter == 0 ? 1 : 4); f++) {
        float k[HD] = {0};
        memcpy(k, key[f], sizeof key[f]);
        do_factor(s, k, 2);
    }
    if (stored) store_row(s, ++*frame, how);
}

static unsigned next_letter(uint32_t *random)
{
    *random = *random * 1664525U + 1013904223U;
    return *random >> 31;
}

/* Returns the largest distance of a number from the exact one over the word. */
static float drift(way how, size_t letters)
{
    float s[HD], exact[HD], most = 0;
    uint32_t random = 48, frame = 0, none = 0;
    begin_row(s);
    begin_row(exact);
    for (size_t t = 0; t < letters; t++) {
        const unsigned letter = next_letter(&random);
        step_row(s, &frame, letter, how, true);
        step_row(exact, &none, letter, how, false);
        for (int i = 0; i < HD; i++) most = fmaxf(most, fabsf(s[i] - exact[i]));
    }
    return most;
}

Test(hipfire, the_patched_line_keeps_an_exact_state_and_the_released_one_does_not)
{
    cr_assert(drift(DRAWN, 281) > 0.25F, "%g", (double)drift(DRAWN, 281));
    cr_assert(drift(TO_NEAREST, 20000) > 0.25F, "%g", (double)drift(TO_NEAREST, 20000));
    cr_assert_eq(drift(PATCHED, 200000), 0);
}

Test(hipfire, seventeen_bits_move_no_integer_and_twenty_four_do)
{
    for (int x = -127; x <= 127; x++) {
        /* The sum grows with r, so that the largest r says all. */
        cr_assert_eq(floorf((float)x + (float)((1U << 17) - 1) * 0x1p-17F), (float)x);
        const float last = (float)((1U << 24) - 1) * 0x1p-24F;
        cr_assert_eq(floorf((float)x + last) != (float)x, x >= 1 || x <= -2, "%d", x);
    }
}

/* --- beside our row --- */

Test(hipfire, our_row_has_the_same_numbers_to_nearest)
{
    f2l_net net;
    f2l_error err = {0};
    f2l_schedule schedule;
    char name[F2L_SCHEDULE_NAME];
    f2l_float_net *row;
    f2l_net_init(&net);
    cr_assert_eq(f2l_network_read(&net, network, strlen(network), &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, NEAREST, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_float_net_new(&row, &net, f2l_format_find("bf16"), &schedule, &err), F2L_OK,
                 "%s", err.text);
    double state[6];
    float s[HD];
    uint32_t random = 7, frame = 0;
    cr_assert_eq(f2l_float_size(row), 6);
    f2l_float_start(row, state);
    begin_row(s);
    store_row(s, 0, TO_NEAREST); /* initial states are stored, too */
    for (size_t t = 0; t < 5000; t++) {
        const unsigned letter = next_letter(&random);
        double unstored[6];
        (void)f2l_float_step_layer(row, 0, letter, state, unstored);
        step_row(s, &frame, letter, TO_NEAREST, true);
        for (int i = 0; i < 6; i++)
            cr_assert_eq((float)state[i], s[i], "letter %zu, number %d: %a, hipfire %a", t, i,
                         state[i], (double)s[i]);
    }
    f2l_float_net_free(row);
    f2l_net_clear(&net);
}

Test(hipfire, our_draw_is_the_floor_of_the_same_sum)
{
    f2l_schedule schedule;
    f2l_store store;
    f2l_error err = {0};
    char name[F2L_SCHEDULE_NAME];
    uint32_t rng = 1;
    cr_assert_eq(f2l_schedule_parse(&schedule, name, STOCHASTIC, &err), F2L_OK, "%s", err.text);
    f2l_store_init(&store, &schedule, f2l_format_find("bf16"));
    for (size_t i = 0; i < 200000; i++) {
        rng = rng * 1664525U + 1013904223U;
        const float x = i % 3 == 0 ? (float)((int)(rng >> 24) - 128)
                                   : ((float)(rng >> 8) * 0x1p-24F - 0.5F) * 255;
        rng = rng * 1664525U + 1013904223U;
        const float q = fminf(fmaxf(floorf(x + (float)(rng >> 8) * 0x1p-24F), -128), 127);
        const f2l_drawn drawn = f2l_draw_number(&store, (double)x);
        cr_assert_eq((double)q, rng >> 8 < drawn.least ? drawn.low : drawn.high, "%a, %u",
                     (double)x, rng >> 8);
        cr_assert_eq(drawn.bits, 24);
    }
}
