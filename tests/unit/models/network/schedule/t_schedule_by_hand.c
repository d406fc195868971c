/* Each setting of a row, computed by hand on a net of two states: the number that is stored, or
 * read, with the setting and without it. What `decode` does is no number but a label
 * (t_schedule_decode.c). */
#include "models/network/schedule/schedule.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The key, the initial state, and letter 2 of the net; its letter 1 does nothing. */
#define NET(n, initial, gate, factors) \
    "head 1 key " n " value 1\ninitial" initial "\non 1 gate 1 factors 0\non 2 gate " gate \
    " factors " factors "\n"
/* Letter 2 adds the numbers to a state of 0. */
#define ADDS(n, numbers) NET(n, "", "1", "0 bias " numbers)
#define ONE NET("1", " 1.1:1", "1", "1\nfactor 1 u 1:1")
#define TWO NET("2", " 1.1:1", "1", "1\nfactor 1 u 1:1 2:2")
#define BETA(beta) NET("1", " 1.1:1", "1", "1\nfactor " beta " u 1:1")
#define LONGER "1\nfactor 1 u 1:4096 2:1 3:1 4:1 5:1 6:1 7:1 8:1"

typedef struct hand {
    const char *setting, *row, *of, *net;
    size_t at;         /* the number that is compared */
    bool read;         /* it is the one that is read, not the one that is stored */
    const char *drawn; /* bits for each letter 2 that comes, with commas between; NULL: one letter,
                          nothing is drawn */
    double without, with;
} hand;

static const hand hands[] = {
    /* Products 2^24, 1, 1, -2^24: by halves 2^24 + 1 and 1 - 2^24 leave 1; from the left 0. The key
     * is 1/2 in each coordinate, and 2 becomes 2 - 1/2, or stays. */
    {"sum=left", "recurrent", "bf16",
     NET("4", " 1.1:33554432 2.1:2 3.1:2 4.1:-33554432", "1", "1\nfactor 1 u 1:1 2:1 3:1 4:1"), 1,
     false, NULL, 1.5, 2},
    /* The key is 7/16, S 7/4: the product 49/64 becomes 3/4, that with the key 21/64, which is a
     * tie and becomes 5/16: 23/16 becomes 3/2. Fused, 91/64 becomes 11/8. */
    {"fuse=update", "every", "e4m3", NET("2", " 1.1:7/4", "1", "1\nfactor 1 u 1:1 2:2"), 0, false,
     NULL, 1.5, 1.375},
    /* The key (7/16, 7/8), S (5/4, 0), the gate 3/4: t_schedule_times.c has the steps. */
    {"gate=late", "every", "e4m3", NET("2", " 1.1:5/4", "3/4", "1\nfactor 1 u 1:1 2:2"), 1, false,
     NULL, -0.34375, -0.375},
    /* 7/16 5/4 = 35/64 becomes 9/16, times 7/8 63/128, a tie that becomes 1/2. In fp32 it stays
     * 35/64, times 7/8 245/512, stored as 15/32. */
    {"work=fp32", "every", "e4m3", NET("2", " 1.1:5/4", "1", "1\nfactor 1 u 1:1 2:2"), 1, false,
     NULL, -0.5, -0.46875},
    /* The key (229/512, 229/256) is (7/16, 7/8) in e4m3. */
    {"operands=e4m3", "recurrent", "bf16", TWO, 1, false, NULL, -229.0 / 512 * 229 / 256,
     -7.0 / 16 * 7 / 8},
    {"state=int8", "recurrent", "bf16", ADDS("1", "1.1:5/4"), 0, false, NULL, 1.25, 1},
    /* 3/2 is stored as 2, and 7/2 as 4; where it waits 3 is stored. */
    {"letters=2", "recurrent,state=int8", "bf16", ADDS("1", "1.1:3/2"), 0, false, NULL, 2, 1.5},
    {"letters=2", "recurrent,state=int8", "bf16", ADDS("1", "1.1:3/2"), 0, false, ",", 4, 3},
    /* 2 becomes 3/2 and then 9/8; stored in between, 3/2 is 2 again. */
    {"stores=factor", "recurrent,state=int8", "bf16",
     NET("1", " 1.1:2", "1", "2\nfactor 1/4 u 1:1\nfactor 1/4 u 1:1"), 0, false, NULL, 1, 2},
    /* 2/3 is 171/256, and (85/256)^2 is stored as 113/1024. In e4m3 the ring has 11/16 of it. */
    {"ring=e4m3", "serving,letters=2", "bf16", BETA("2/3"), 0, false, ",", 113.0 / 1024, 0x1.a8p-4},
    /* Twice rounded, 127/11 and its inverse lose the last place of 11. */
    {"scale=amax", "recurrent,state=int8", "bf16", ADDS("1", "1.1:11"), 0, false, NULL, 11,
     11 - 0x1p-20},
    {"quotient=two", "recurrent,state=int8,scale=amax", "bf16", ADDS("1", "1.1:11"), 0, false, NULL,
     11 - 0x1p-20, 11},
    /* 1 is 7/3 units of 3/7, so two; with 4 as the largest number 4/3 units of 3/4, so one. */
    {"most=4", "recurrent,state=int4,scale=amax", "bf16", ADDS("2", "1.1:3 2.1:1"), 1, false, NULL,
     (double)(6.0F / 7), 0.75},
    {"clamp=full", "recurrent,state=int8,scale=static:1", "bf16", ADDS("1", "1.1:-128"), 0, false,
     NULL, -127, -128},
    /* Beside 127 the unit is 1; alone 5/4 has its own. */
    {"block=group:1", "recurrent,state=int8,scale=amax,quotient=two", "bf16",
     ADDS("2", "1.1:127 2.1:5/4"), 1, false, NULL, 1, 1.25},
    /* 1/60 in e4m3 is 9/512. With the scale of 6 at 448 it is 7.5 of 448 in place of 7.47. */
    {"second=head", "recurrent,state=e2m1,scale=amax:e4m3,block=group:1", "fp32",
     ADDS("2", "1.1:6 2.1:1/10"), 1, false, NULL, 6 * 9 / 512.0,
     (double)(6 * (7.5F * (1 / 448.0F)))},
    /* Either neighbour of 5/4 may be drawn; one bit at the top does not reach 2. */
    {"draw=top:1", "recurrent,state=int8:stochastic", "bf16", ADDS("1", "1.1:5/4"), 0, false, "1",
     2, 1},
    /* The first goes up and the second does not; with shared bits the first has 11, which are 11 in
     * reverse, so that the second goes up, too. */
    {"pair=reversed", "recurrent,state=int8:stochastic,draw=top:2", "bf16",
     ADDS("2", "1.1:5/4 2.1:5/4"), 1, false, "10", 1, 2},
    {"residual=load:fp16", "recurrent,state=int8", "bf16", ADDS("1", "1.1:5/4"), 0, false, NULL, 1,
     1.25},
    /* The error 17/128 is 1/8 in e4m3, and stays where it is taken to 448. */
    {"residual-scale=amax", "recurrent,state=int8,residual=load:e4m3", "bf16",
     ADDS("1", "1.1:145/128"), 0, false, NULL, 1.125, 145.0 / 128},
    {"read=stored", "serving,state=int8", "bf16", ADDS("1", "1.1:5/4"), 0, true, NULL, 1.25, 1},
    {"output=e4m3", "serving", "bf16", ADDS("1", "1.1:17/16"), 0, true, NULL, 17.0 / 16, 1},
    /* 1/sqrt 5 is 229/512 in bf16; in fp32 its square is nearer to 1/5. */
    {"keys=format", "recurrent,eps=0", "bf16", TWO, 0, false, NULL, 0x1.99999ap-1,
     1 - 229.0 / 512 * 229 / 512},
    /* ln 3, the logit of 3/2, is 141/128 in bf16, and 2 sigmoid(141/128) is above 3/2. */
    {"beta=logit", "recurrent", "bf16", BETA("3/2"), 0, false, NULL, -0.5, -0x1.0090e8p-1},
    {"decay=fp32", "recurrent", "bf16", NET("1", " 1.1:1", "2/3", "0"), 0, false, NULL, 171.0 / 256,
     (double)(2 / 3.0F)},
    /* beta = 1/3 is 171/512 in bf16: 341/512 is no number of e4m3. The prompt stores nothing, and
     * ends with the second letter. */
    {"prefill=unstored", "recurrent,state=e4m3", "bf16", BETA("1/3"), 0, false, "0", 0.6875,
     341.0 / 512},
    {"handover=e4m3", "recurrent,state=fp16,prefill=unstored", "bf16", BETA("1/3"), 0, false, "0,1",
     0x1.c64p-2, 0x1.d5p-2},
    /* 1/sqrt(1 + 1), whose square is 1/2, and 1/(1 + 1). */
    {"norm=outside", "recurrent,eps=1", "bf16", ONE, 0, false, NULL, 0.5, 0.75},
    {"norm-in=format", "recurrent,eps=0", "bf16", TWO, 0, false, NULL, 0x1.99999ap-1,
     1 - 229.0 / 512 * 229 / 512},
    /* Squares 2^24 and seven ones: one after the other the ones are lost; by halves the sum is
     * 2^24 + 6, whose root is a place above 4096, and each coordinate loses 2^-23 of itself. */
    {"squares=halves", "recurrent,eps=0,raw=4096", "bf16", NET("8", " 1.1:1", "1", LONGER), 1,
     false, NULL, -0x1p-12, -0x1.fffff8p-13},
    {"eps=3", "recurrent", "bf16", ONE, 0, false, NULL, 0, 0.75}, /* 1/sqrt(1 + 3) */
    {"raw=3", "recurrent,eps=1,norm=outside", "bf16", ONE, 0, false, NULL, 0.75, 7.0 / 16},
};
#define HANDS (sizeof hands / sizeof *hands)

static const char *const replaced = "head 1 key 1 value 1\ninitial 1.1:1\non 1 gate 1 factors 0\n"
                                    "on 2 gate 1 factors 1\nfactor 2 u 1:1\n";

/* Returns the number after the letters. */
static double number_of(const hand *h, const char *row)
{
    static f2l_choices choices;
    char name[F2L_SCHEDULE_NAME], *text = sample_edited(SAMPLE_PARITY, replaced, h->net);
    f2l_schedule schedule;
    f2l_float_net *rounded;
    f2l_net net;
    f2l_error err = {0};
    uint32_t label;
    double unstored[8] = {0}, found = 0;
    f2l_format format = *f2l_format_find(h->of);
    format.choices = h->drawn ? &choices : NULL;
    sample_read(&net, text);
    free(text);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row, &err), F2L_OK, "%s: %s", row, err.text);
    cr_assert_eq(f2l_float_net_new(&rounded, &net, &format, &schedule, &err), F2L_OK, "%s: %s", row,
                 err.text);
    double *joint = calloc(f2l_float_size(rounded), sizeof *joint);
    f2l_float_start(rounded, joint);
    for (const char *bits = h->drawn ? h->drawn : "", *next; bits; bits = next) {
        next = strchr(bits, ',');
        f2l_choices_restart(&choices);
        for (; *bits && *bits != ','; bits++) choices.bit[choices.count++] = *bits == '1';
        if (h->read)
            found = f2l_float_step_layer(rounded, 0, 1, joint, unstored)[h->at];
        else
            cr_assert_eq(f2l_float_step(rounded, joint, 1, &label, &err), F2L_OK);
        if (next) next++;
    }
    if (!h->read) found = joint[h->at];
    free(joint);
    f2l_float_net_free(rounded);
    f2l_net_clear(&net);
    return found;
}

Test(schedule_by_hand, every_setting_on_a_net_of_two_states)
{
    for (size_t i = 0; i < HANDS; i++) {
        char row[F2L_SCHEDULE_NAME];
        const double without = number_of(&hands[i], hands[i].row);
        snprintf(row, sizeof row, "%s,%s", hands[i].row, hands[i].setting);
        const double with = number_of(&hands[i], row);
        cr_expect_eq(without, hands[i].without, "%s: %a, not %a", hands[i].row, without,
                     hands[i].without);
        cr_expect_eq(with, hands[i].with, "%s: %a, not %a", row, with, hands[i].with);
    }
}

/* A new setting has to be computed here, too. */
Test(schedule_by_hand, no_setting_is_left_out)
{
    for (size_t k = 0; f2l_schedule_setting(k); k++) {
        const char *const name = f2l_schedule_setting(k);
        const size_t size = strlen(name);
        bool found = strcmp(name, "decode") == 0;
        for (size_t i = 0; i < HANDS && !found; i++)
            found = strncmp(hands[i].setting, name, size) == 0 && hands[i].setting[size] == '=';
        cr_expect(found, "%s", name);
    }
}
