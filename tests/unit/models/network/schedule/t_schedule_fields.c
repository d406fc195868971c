/* Fields of rows, computed by hand: stores of a few numbers, and steps of a head with two states.
 */
#include "models/network/schedule/float_net.h"
#include "models/network/schedule/sum_plan.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"
#include <criterion/criterion.h>
#include <math.h>

static f2l_choices choices;

static f2l_store store_of(f2l_schedule *schedule, f2l_format *format, const char *settings)
{
    static char name[F2L_SCHEDULE_NAME];
    char text[F2L_SCHEDULE_NAME];
    f2l_error err = {0};
    f2l_store store;
    snprintf(text, sizeof text, "recurrent,%s", settings);
    cr_assert_eq(f2l_schedule_parse(schedule, name, text, &err), F2L_OK, "%s: %s", text, err.text);
    *format = *f2l_format_find("bf16");
    format->choices = &choices;
    cr_assert_eq(f2l_schedule_check(schedule, format, &err), F2L_OK, "%s", err.text);
    f2l_store_init(&store, schedule, format);
    return store;
}

/* Stores x[n][d], drawing the words of `bits`, and compares. */
static void stores(const char *settings, const char *bits, size_t n, size_t d, const double *x,
                   const double *expected)
{
    f2l_schedule schedule;
    f2l_format format;
    const f2l_store store = store_of(&schedule, &format, settings);
    double state[16], residual[16] = {0};
    memcpy(state, x, n * d * sizeof *x);
    f2l_choices_restart(&choices);
    for (; bits[choices.count]; choices.count++)
        choices.bit[choices.count] = bits[choices.count] == '1';
    f2l_store_state(&store, state, residual, n, d);
    for (size_t i = 0; i < n * d; i++)
        cr_assert_eq(state[i], expected[i], "%s: number %zu is %a, not %a", settings, i, state[i],
                     expected[i]);
    cr_assert_eq(choices.at, strlen(bits), "%s: %zu bits", settings, choices.at);
}

#define STORES(settings, bits, n, d, x, ...) \
    stores(settings, bits, n, d, (const double[])x, (const double[])__VA_ARGS__)
#define ROW(...) \
    { \
        __VA_ARGS__ \
    }

Test(schedule_fields, scales_of_a_block)
{
    /* A factor 1/4 for all: 1.1 becomes 4, and 1000 is cut off at 127. */
    STORES("state=int8,scale=static:0.25", "", 2, 1, ROW(1.1, 1000), {1, 31.75});
    /* e4m3 does not saturate with clamp=none. */
    STORES("state=e4m3,scale=static:1", "", 1, 1, ROW(1000), {448});
    /* The leading bit of 3 goes to the bit of 4 in e2m1: 3.75 is 7.5, and cut off at 6. */
    STORES("state=e2m1,scale=mx", "", 2, 1, ROW(3.75, 1), {3, 1});
    /* 3.75/6 rounded up to a power of two is 1. */
    STORES("state=e2m1,scale=amax:ue8m0", "", 2, 1, ROW(3.75, 1), {4, 1});
    STORES("state=e2m1,scale=amax:ue8m0", "", 2, 1, ROW(3, 1), {3, 1});
    /* 7/6 in e4m3 is 1.125: 7/1.125 is more than 6. */
    STORES("state=e2m1,scale=amax:e4m3", "", 2, 1, ROW(7, 0), {6.75, 0});
    /* The largest number becomes 4: 3 is in units of 3/4. */
    STORES("state=int4,scale=amax,most=4", "", 2, 1, ROW(3, 1), {3, 0.75});
    STORES("state=int4,scale=amax,most=4,quotient=divide", "", 2, 1, ROW(3, 1), {3, 0.75});
}

Test(schedule_fields, two_roundings_and_one)
{
    /* 127/11 and its inverse are rounded: 127 times that inverse is the number below 11. */
    STORES("state=int8,scale=amax", "", 1, 1, ROW(11), {0x1.5fffffffffffffp+3 - 0x1p-20});
    STORES("state=int8,scale=amax,quotient=two", "", 1, 1, ROW(11), {11});
    STORES("state=int8,scale=amax,quotient=divide", "", 1, 1, ROW(11), {11});
}

/* A network of two states, 11 and -11, whose letter 1 changes the sign. 11/127 is rounded once in
 * amax:fp32, and 127 times it comes back as 11; amax rounds 127/11 and then its inverse. */
Test(schedule_fields, a_scale_in_fp32_is_not_amax)
{
    static const struct {
        const char *row;
        double stored;
    } rows[] = {{"recurrent,state=int8,scale=amax", 0x1.5fffffffffffffp+3 - 0x1p-20},
                {"recurrent,state=int8,scale=amax:fp32", 11}};
    for (size_t i = 0; i < 2; i++) {
        char name[F2L_SCHEDULE_NAME];
        f2l_schedule schedule;
        f2l_float_net *rounded;
        f2l_net net;
        uint32_t label;
        double state;
        sample_read(&net, SAMPLE_PARITY);
        mpq_set_si(net.layer[0].head[0].initial.value[0], 11, 1);
        for (size_t c = 0; c < 2; c++) mpq_set_si(net.layer[0].code[c].value[0], c ? -11 : 11, 1);
        cr_assert_eq(f2l_schedule_parse(&schedule, name, rows[i].row, NULL), F2L_OK);
        cr_assert_str_eq(name, rows[i].row);
        cr_assert_eq(f2l_float_net_new(&rounded, &net, f2l_format_find("bf16"), &schedule, NULL),
                     F2L_OK);
        f2l_float_start(rounded, &state);
        cr_assert_eq(state, rows[i].stored, "%s: %a", name, state);
        cr_assert_eq(f2l_float_step(rounded, &state, 1, &label, NULL), F2L_OK);
        cr_assert(label == 1 && (state == -11) == (i == 1), "%s: %a", name, state);
        f2l_float_net_free(rounded);
        f2l_net_clear(&net);
    }
}

Test(schedule_fields, blocks_of_a_state)
{
    /* With a scale of its own each number stays; with a neighbour 127 times as large 1.4 does not.
     */
    const char *const group = "state=int8,scale=amax,quotient=two,block=group:2";
    STORES(group, "", 4, 1, ROW(127, 1.25, 0, 1), {127, 1, 0, 1});
    STORES("state=int8,scale=amax,quotient=two,block=group:1", "", 2, 1, ROW(127, 1.25),
           {127, 1.25});
    STORES("state=int8,scale=amax,quotient=two", "", 1, 2, ROW(127, 1.25), {127, 1.25});
    STORES("state=int8,scale=amax,quotient=two,block=tile:2", "", 1, 3, ROW(127, 1.25, 1.25),
           {127, 1, 1.25});
    STORES("state=int8,scale=amax,quotient=two,block=head", "", 1, 3, ROW(127, 1.25, 1.25),
           {127, 1, 1});
}

Test(schedule_fields, random_bits)
{
    /* 1.25 has a quarter of a unit above 1: two bits at the top reach 2, one bit does not, and bits
     * at the bottom of fp32 do not. */
    STORES("state=int8:stochastic,draw=top:2", "1", 1, 1, ROW(1.25), {2});
    STORES("state=int8:stochastic,draw=top:1", "", 1, 1, ROW(1.25), {1});
    STORES("state=int8:stochastic,draw=bottom:20", "", 1, 1, ROW(1.25), {1});
    STORES("state=int8:stochastic,draw=bottom:24", "1", 1, 1, ROW(-1.25), {-2});
    STORES("state=int8:stochastic,draw=top:2", "0", 1, 1, ROW(-1.25), {-1});
    /* A floor goes down: -1.25 becomes -2 or -1, and an integer may move with 24 bits. */
    STORES("state=int8:stochastic,draw=floor:2", "0", 1, 1, ROW(-1.25), {-2});
    STORES("state=int8:stochastic,draw=floor:2", "", 1, 1, ROW(100), {100});
    STORES("state=int8:stochastic,draw=floor:24", "1", 1, 1, ROW(100), {101});
    STORES("state=int8:stochastic,draw=floor:2,clamp=full", "0", 1, 1, ROW(-127.5), {-128});
    STORES("state=int8:stochastic,draw=floor:2", "", 1, 1, ROW(-127.5), {-127});
    /* 1.25 needs the bits 11 to become 2, which are 11 in reverse: so both do, or none. */
    STORES("state=int8:stochastic,draw=top:2,pair=reversed", "1", 2, 1, ROW(1.25, 1.25), {2, 2});
    STORES("state=int8:stochastic,draw=top:2,pair=reversed", "0", 2, 1, ROW(1.25, 1.25), {1, 1});
    /* 1.5 needs 10 or 11, 01 and 11 in reverse: 1.25 may follow it or not. */
    STORES("state=int8:stochastic,draw=top:2,pair=reversed", "10", 2, 1, ROW(1.5, 1.25), {2, 1});
}

/* The rows 0 and 1, and 2 and 3, are pairs, in all blocks; a last row is alone. */
Test(schedule_fields, pairs_begin_in_even_rows)
{
    static const char *const blocks[] = {"row", "group:2", "group:4"};
    for (size_t b = 0; b < 3; b++) {
        char row[F2L_SCHEDULE_NAME];
        snprintf(row, sizeof row,
                 "state=int8:stochastic,scale=static:1,draw=top:2,pair=reversed,block=%s",
                 blocks[b]);
        STORES(row, "10", 4, 1, ROW(1.25, 1.25, 1.25, 1.25), {2, 2, 1, 1});
    }
    const char *const group = "state=int8:stochastic,scale=static:1,draw=top:2,pair=reversed,"
                              "block=group:2";
    STORES(group, "1001", 3, 2, ROW(1.25, 1.25, 1.25, 1.25, 1.25, 1.25), {2, 1, 2, 1, 1, 2});
    STORES("state=int8:stochastic,draw=top:2,pair=reversed", "1001", 3, 2,
           ROW(1.25, 1.25, 1.25, 1.25, 1.25, 1.25), {2, 1, 2, 1, 1, 2});
}

/* 1 / 2^-128 is infinite in fp32, as 2^126 / 2^-126 is: the numbers are lost, and not cut off. */
Test(schedule_fields, a_scaled_number_that_is_infinite_is_lost)
{
    static const struct {
        const char *settings;
        double x;
        bool lost;
    } rows[] = {{"state=fp32,scale=amax,quotient=divide", 1, true},
                {"state=fp32,scale=amax:ue8m0", 2, true},
                {"state=bf16,scale=static:1.1754943508222875e-38", 0x1p2, true},
                {"state=int8,scale=static:1.1754943508222875e-38", -0x1p2, true},
                {"state=int8,scale=static:1.1754943508222875e-38", 0x1p1, false},
                {"state=int8,scale=static:1.1754943508222875e-38,quotient=divide", 4, true},
                {"state=fp32,scale=amax", 1, false},
                {"state=e5m2,scale=amax,quotient=divide", 0x1p-149, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f2l_schedule schedule;
        f2l_format format;
        const f2l_store store = store_of(&schedule, &format, rows[i].settings);
        double state = rows[i].x, scratch;
        f2l_store_state(&store, &state, NULL, 1, 1);
        cr_assert_eq(isnan(state), rows[i].lost, "%s: %a", rows[i].settings, state);
        cr_assert(!rows[i].lost || !f2l_store_keeps(&store, &rows[i].x, &scratch, 1, 1));
    }
}

Test(schedule_fields, a_residual_with_a_scale)
{
    /* The errors 0.25 and -0.125 are 7 and -3.5, which is -4, in units of 1/28. */
    STORES("state=int8,residual=load:int4,residual-scale=amax", "", 2, 1, ROW(1.25, 1.875),
           {(double)(1 + 7 * (1 / 28.0F)), (double)(2 - 4 * (1 / 28.0F))});
    STORES("state=int8,residual=load:int4,residual-scale=pow2", "", 2, 1, ROW(1.25, 1.875),
           {1.25, 1.875});
}

static float sum_in(const char *order, const float *x, size_t count)
{
    char text[128], name[F2L_SCHEDULE_NAME];
    f2l_schedule s;
    uint32_t place[16], index[16];
    unsigned char sums[16];
    uint64_t scratch[16];
    float reg[F2L_STEP_REGISTERS] = {0};
    size_t top = 0;
    snprintf(text, sizeof text, "every,sum=%s", order);
    cr_assert_eq(f2l_schedule_parse(&s, name, text, NULL), F2L_OK, "%s", text);
    for (size_t i = 0; i < count; i++) index[i] = (uint32_t)i;
    f2l_sum_plan(place, sums, index, count, count, &s.order, scratch);
    for (size_t i = 0; i < count; i++) {
        reg[top++] = x[place[i]];
        for (unsigned k = sums[i] & F2L_SUM_COUNT; k > 0; k--, top--)
            reg[top - 2] = reg[top - 2] + reg[top - 1];
    }
    cr_assert_eq(top, 1);
    return reg[0];
}

/* A small number is lost beside 2^24, and not if it meets another one first. */
Test(schedule_fields, orders_of_sums)
{
    const float big = 0x1p24F;
    const float first[4] = {big, 1, 1, -big}, pairs[4] = {1, 1, big, -big};
    cr_assert_eq(sum_in("left", first, 4), 0);   /* ((big + 1) + 1) - big */
    cr_assert_eq(sum_in("halves", first, 4), 1); /* (big + 1) + (1 - big): 1 is kept below big */
    cr_assert_eq(sum_in("butterfly", pairs, 4), 2);
    cr_assert_eq(sum_in("blocks:2", pairs, 4), 2);
    cr_assert_eq(sum_in("left", pairs, 4), 2);
    cr_assert_eq(sum_in("halves", (const float[]){1, big, 1, -big}, 4), 2);
    cr_assert_eq(sum_in("lanes:2", (const float[]){1, big, 1, -big}, 4), 2);
    cr_assert_eq(sum_in("blocks:4:2", (const float[]){1, big, 1, -big}, 4), 2);
    cr_assert_eq(sum_in("blocks:4", (const float[]){1, big, 1, -big}, 4), 0);
}

/* What f2l_store_keeps says is so in every store, also with a format that rounds to zero or draws:
 * numbers just below one of the format do not stay there, though to nearest they would. */
Test(schedule_fields, what_is_kept_stays)
{
    static const char *const rows[] = {
        "acc32,scale=amax", "acc32,scale=amax:tf32,quotient=divide",
        "acc32,state=int8:stochastic,scale=amax,draw=top:16",
        "acc32,state=int8:stochastic,scale=pow2,draw=floor:24",
        "acc32,state=int8:stochastic,scale=amax,quotient=two,draw=floor:16,pair=reversed"};
    static const char *const formats[] = {"e4m3", "e4m3,round=zero", "e4m3,round=stochastic"};
    size_t kept[3] = {0}, moved = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t f = 0; f < 3; f++)
            for (int a = 1; a < 128; a++) {
                char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
                f2l_schedule schedule;
                f2l_format format;
                f2l_store store;
                const double given[2] = {a, -a};
                double state[2], scratch[2];
                cr_assert_eq(f2l_schedule_parse(&schedule, name, rows[r], NULL), F2L_OK);
                cr_assert_eq(f2l_format_parse(&format, format_name, formats[f], NULL), F2L_OK);
                format.choices = &choices;
                f2l_store_init(&store, &schedule, &format);
                const bool keeps = f2l_store_keeps(&store, given, scratch, 2, 1);
                if (r == 0) kept[f] += keeps;
                f2l_choices_restart(&choices);
                do {
                    memcpy(state, given, sizeof state);
                    f2l_store_state(&store, state, NULL, 2, 1);
                    const bool same = state[0] == given[0] && state[1] == given[1];
                    cr_assert(same || !keeps, "%s in %s: %d", rows[r], formats[f], a);
                    moved += !same;
                } while (f2l_choices_next(&choices));
            }
    cr_assert(kept[0] > kept[1] && kept[0] > kept[2] && kept[1] > 10, "%zu %zu %zu", kept[0],
              kept[1], kept[2]);
    cr_assert_gt(moved, 100);
}

/* With one scale for each number 0.1 is 6 units of 0.1/6 in e4m3, 9/512. A second scale takes the
 * largest scale to 448: then it is 7.5/448. */
Test(schedule_fields, a_second_scale)
{
    STORES("state=e2m1,scale=amax:e4m3,block=group:1", "", 2, 1, ROW(6, 0.1F), {6, 6 * 9 / 512.0});
    STORES("state=e2m1,scale=amax:e4m3,block=group:1,second=head", "", 2, 1, ROW(6, 0.1F),
           {(double)(6 * (448 * (1 / 448.0F))), (double)(6 * (7.5F * (1 / 448.0F)))});
}

/* With feedback the numbers that are stored are sums with the last errors, and the largest of all
 * scales is of these sums, too. */
Test(schedule_fields, feedback_stores_sums)
{
    static const char *const rows[] = {"state=int8,scale=amax",
                                       "state=e2m1,scale=amax:e4m3,block=group:1,second=head",
                                       "state=int8,scale=pow2,block=head"};
    const double x[] = {0.1F, 6, 0.25}, error[] = {0.01F, 5.5, -0.125};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        f2l_schedule schedule;
        f2l_format format;
        char row[100];
        snprintf(row, sizeof row, "%s,residual=feedback", rows[r]);
        const f2l_store store = store_of(&schedule, &format, row);
        double state[3], residual[3], sum[3], none[3] = {0};
        for (size_t i = 0; i < 3; i++) {
            state[i] = x[i];
            residual[i] = error[i];
            sum[i] = (double)((float)x[i] + (float)error[i]);
        }
        f2l_store_state(&store, state, residual, 3, 1);
        f2l_store_state(&store, sum, none, 3, 1);
        for (size_t i = 0; i < 3; i++)
            cr_assert(state[i] == sum[i] && residual[i] == none[i], "%s: %zu", rows[r], i);
    }
}
