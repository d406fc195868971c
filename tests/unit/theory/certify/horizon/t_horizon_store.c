/* Stores with scales: what they do to random blocks is within the bounds of H10, and the bounds are
 * not much more than that. */
#include "numeric/format/choices.h"
#include "tests/support/models/schedule_rows.h"
#include "tests/support/theory/horizon_support.h"
#include "theory/certify/horizon/impl.h"

#define SEED 1048
#define N 5
#define D 3
#define STORES 4000

/* A row, and how much of the bound the worst number of its stores takes at least. */
typedef struct scaled_row {
    const char *settings;
    double tight;
} scaled_row;

static const scaled_row rows[] = {
    {"state=int8,scale=amax", 0.99},
    {"state=int8,scale=amax,quotient=two,clamp=full,block=head", 0.99},
    {"state=int8,scale=amax,quotient=divide,block=tile:2", 0.99},
    {"state=int8,scale=amax,most=100,block=group:2", 0.99},
    {"state=int8,scale=amax:bf16", 0.45},
    {"state=int8,scale=amax:bf16,quotient=two", 0.3},
    {"state=int8,scale=amax:bf16,quotient=divide", 0.45},
    {"state=int8,scale=amax:ue8m0", 0.4},
    {"state=int8,scale=amax:ue8m0,quotient=two", 0.1},
    {"state=int4,scale=amax:tf32", 0.9},
    {"state=int8,scale=pow2", 0.9},
    {"state=int8,scale=mx", 0.3},
    {"state=int8,scale=static:0.013", 0.9},
    {"state=int16,scale=amax", 0.9},
    {"state=e4m3,scale=amax", 0.8},
    {"state=e4m3,scale=amax,most=240,quotient=divide,block=tile:2", 0.8},
    {"state=e4m3,scale=mx,block=head", 0.35},
    {"state=e5m2,scale=pow2", 0.8},
    {"state=e2m1,scale=amax:ue8m0,block=group:2", 0.3},
    {"state=fp16,scale=amax", 0.8},
    {"state=int8:stochastic,scale=amax", 0.9},
    {"state=int8:stochastic,scale=amax,draw=floor:5,quotient=two,clamp=full", 0.8},
    {"state=int16:stochastic,scale=amax,draw=floor:20", 0.9},
    {"state=e4m3:stochastic,scale=amax,draw=top:3", 0.7},
};

/* Draws numbers of sizes from 2^-70 to 2^20, in most blocks near each other, some of them 0. */
static void draw_state(double *state, f2l_rng *rng)
{
    const int most =
        f2l_rng_below(rng, 8) == 0 ? (int)f2l_rng_below(rng, 90) - 70 : (int)f2l_rng_below(rng, 4);
    for (size_t i = 0; i < N * D; i++) {
        const double x = (double)f2l_rng_below(rng, 1 << 24) * 0x1p-24 - 0.5;
        const int less = f2l_rng_below(rng, 4) == 0 ? (int)f2l_rng_below(rng, 20) : 0;
        state[i] = f2l_rng_below(rng, 9) == 0 ? 0 : (double)(float)ldexp(x, most - less);
    }
}

static void draw_choices(f2l_choices *choices, f2l_rng *rng)
{
    f2l_choices_restart(choices);
    choices->count = N * D;
    for (size_t i = 0; i < N * D; i++) choices->bit[i] = f2l_rng_below(rng, 2) == 1;
}

static void check_row(const scaled_row *row, f2l_rng *rng)
{
    char text[F2L_SCHEDULE_NAME], name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    f2l_store store = {0};
    f2l_choices choices;
    double most = 0;
    snprintf(text, sizeof text, "serving,%s", row->settings);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, text, NULL), F2L_OK, "%s", text);
    cr_assert_null(f2l_horizon_lacks_store(&schedule));
    f2l_format bf16 = *f2l_format_find("bf16");
    bf16.choices = &choices;
    f2l_store_init(&store, &schedule, &bf16);
    for (size_t k = 0; k < STORES; k++) {
        double state[N * D], before[N * D], bound[N * D];
        draw_state(state, rng);
        draw_choices(&choices, rng);
        for (size_t i = 0; i < N * D; i++) bound[i] = fabs(before[i] = state[i]);
        f2l_scaled_errors(&store, bound, N, D);
        f2l_store_state(&store, state, NULL, N, D);
        for (size_t i = 0; i < N * D; i++) {
            const double off = fabs(state[i] - before[i]);
            cr_assert(off <= bound[i], "%s: %a becomes %a, bound %a", text, before[i], state[i],
                      bound[i]);
            if (bound[i] > 0x1p-40 && off / bound[i] > most) most = off / bound[i];
        }
    }
    cr_assert(most >= row->tight, "%s: %g of the bound", text, most);
}

Test(horizon_store, bounds_hold_and_are_near)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i], &rng);
}

/* Sizes that only bound the numbers give no less. */
Test(horizon_store, blocks_without_a_bound)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    f2l_store store = {0};
    cr_assert_eq(f2l_schedule_parse(&schedule, name, "serving,state=int8,scale=amax", NULL),
                 F2L_OK);
    f2l_store_init(&store, &schedule, f2l_format_find("bf16"));
    double zero[2] = {0, 0}, large[2] = {0, 0x1p61}, lost[2] = {1, INFINITY};
    f2l_scaled_errors(&store, zero, 2, 1);
    cr_assert(zero[0] == 0 && zero[1] == 0);
    f2l_scaled_errors(&store, large, 2, 1);
    cr_assert(isinf(large[0]) && isinf(large[1]));
    f2l_scaled_errors(&store, lost, 2, 1);
    cr_assert(isinf(lost[0]) && isinf(lost[1]));
}

Test(horizon_store, what_has_no_statement)
{
    static const char *const unknown[] = {"state=e4m3,scale=amax,clamp=none",
                                          "state=int8,scale=amax,block=tensor",
                                          "state=int8,scale=amax:e4m3",
                                          "state=int8,scale=amax:fp16",
                                          "state=bf16,scale=amax",
                                          "state=int8,scale=static:1e-30",
                                          "state=int8:stochastic,draw=floor:5"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char text[F2L_SCHEDULE_NAME], name[F2L_SCHEDULE_NAME];
        f2l_schedule schedule;
        snprintf(text, sizeof text, "serving,%s", unknown[i]);
        cr_assert_eq(f2l_schedule_parse(&schedule, name, text, NULL), F2L_OK, "%s", text);
        cr_assert_not_null(f2l_horizon_lacks_store(&schedule), "%s", text);
    }
}
