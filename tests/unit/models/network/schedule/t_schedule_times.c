/* When a state is stored, what is kept beside it, gates, and betas, by hand on nets of two states.
 */
#include "models/network/schedule/schedule.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"
#include <criterion/criterion.h>

static f2l_choices choices;

/* Steps the network by letter 2 as often as there are numbers, and compares the first number that
 * is stored, or number `at`. bits: what is drawn, a digit for each letter; NULL: nothing. */
static void steps(const char *from, const char *to, const char *row, const char *of, size_t at,
                  const char *bits, const double *expected, size_t count)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    f2l_float_net *rounded;
    f2l_net net;
    f2l_error err = {0};
    f2l_format format = *f2l_format_find(of);
    char *text = sample_edited(SAMPLE_PARITY, from, to);
    f2l_net_init(&net);
    sample_read(&net, text);
    free(text);
    format.choices = bits ? &choices : NULL;
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row, &err), F2L_OK, "%s: %s", row, err.text);
    cr_assert_eq(f2l_float_net_new(&rounded, &net, &format, &schedule, &err), F2L_OK, "%s: %s", row,
                 err.text);
    double *joint = calloc(f2l_float_size(rounded), sizeof *joint);
    f2l_float_start(rounded, joint);
    for (size_t t = 0; t < count; t++) {
        uint32_t label;
        f2l_choices_restart(&choices);
        choices.count = 1;
        choices.bit[0] = bits && bits[t] == '1';
        cr_assert_eq(f2l_float_step(rounded, joint, 1, &label, &err), F2L_OK);
        cr_assert_eq(joint[at], expected[t], "%s, letter %zu: %a, not %a", row, t, joint[at],
                     expected[t]);
    }
    free(joint);
    f2l_float_net_free(rounded);
    f2l_net_clear(&net);
}

#define STEPS(from, to, row, of, at, bits, ...) \
    steps(from, to, row, of, at, bits, (const double[]){__VA_ARGS__}, \
          sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* The key (1, 2)/sqrt 5 is (7/16, 7/8) in e4m3, S is (5/4, 0), the gate 3/4, beta 1.
 *   early: 3/4 5/4 = 15/16; 7/16 15/16 = 0.410 becomes 13/32; 7/8 13/32 = 0.355 becomes 11/32
 *   late: 7/16 5/4 = 35/64 becomes 9/16; 3/4 9/16 = 27/64 becomes 14/32; 7/8 7/16 becomes 3/8
 *   folded: 3/4 7/16 = 21/64 becomes 10/32; 5/16 5/4 = 25/64 becomes 3/8; 7/8 3/8 becomes 5/16 */
Test(schedule_times, a_gate_in_three_places)
{
    const char *const from = "head 1 key 1 value 1\ninitial 1.1:1\non 1 gate 1 factors 0\n"
                             "on 2 gate 1 factors 1\nfactor 2 u 1:1\n",
                      *const to = "head 1 key 2 value 1\ninitial 1.1:5/4\non 1 gate 1 factors 0\n"
                                  "on 2 gate 3/4 factors 1\nfactor 1 u 1:1 2:2\n";
    STEPS(from, to, "every", "e4m3", 1, NULL, -0.34375);
    STEPS(from, to, "every,gate=late", "e4m3", 1, NULL, -0.375);
    STEPS(from, to, "every,gate=folded", "e4m3", 1, NULL, -0.3125);
}

/* 2 becomes 3/2 and then 9/8 by two factors of beta 1/4. Stored as an integer in between, 3/2 is 2
 * again, and again after the second factor. */
Test(schedule_times, stores_between_factors)
{
    const char *const from = "initial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\n"
                             "factor 2 u 1:1\n",
                      *const to = "initial 1.1:2\non 1 gate 1 factors 0\non 2 gate 1 factors 2\n"
                                  "factor 1/4 u 1:1\nfactor 1/4 u 1:1\n";
    STEPS(from, to, "recurrent,state=int8", "bf16", 0, NULL, 1);
    STEPS(from, to, "recurrent,state=int8,stores=factor", "bf16", 0, NULL, 2);
}

/* beta = 2/3 is 171/256 in bf16. After the first letter a ring in e4m3 has -11/16, one in fp32
 * -171/256, as it is. The second letter begins with 1 less that, and its result is stored, in
 * bf16. The first number is the stored one, which waits. */
Test(schedule_times, a_ring_keeps_rounded_updates)
{
    const char *const beta = "factor 2 u 1:1", *const to = "factor 2/3 u 1:1";
    STEPS(beta, to, "serving,letters=2,ring=e4m3", "bf16", 0, NULL, 1, 0x1.a8p-4);
    STEPS(beta, to, "serving,letters=2,ring=fp32", "bf16", 0, NULL, 1, 0x1.c4p-4);
    STEPS(beta, to, "serving,letters=2,ring=e4m3", "bf16", 1, NULL, -0.6875, 0);
}

/* A ring's updates would have to be multiplied by gates again at each letter. */
Test(schedule_times, rings_are_for_gates_of_1)
{
    static const struct {
        const char *to, *why;
    } cases[] = {{"on 2 gate 1/2 factors 1", "letter 2 has the gate 0.5: a ring is for gates of 1"},
                 {"on 2 gate 1 factors 1 bias 1.1:1",
                  "letter 2 has a bias: a ring is for letters without one"}};
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    const char *const row = "serving,letters=2,ring=format,read=unstored";
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row, NULL), F2L_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_float_net *rounded;
        f2l_net net;
        f2l_error err = {0};
        char *text = sample_edited(SAMPLE_PARITY, "on 2 gate 1 factors 1", cases[i].to);
        f2l_net_init(&net);
        sample_read(&net, text);
        free(text);
        cr_assert_eq(f2l_float_net_new(&rounded, &net, f2l_format_find("bf16"), &schedule, &err),
                     F2L_EDOMAIN);
        cr_assert_str_eq(err.text, cases[i].why);
        f2l_net_clear(&net);
    }
}

/* ln 3, the logit of 3/2, is 141/128 in bf16, and 2 sigmoid(141/128) is 1.5011..; in bf16 that is
 * 3/2 again. */
Test(schedule_times, a_beta_by_its_logit)
{
    const char *const beta = "factor 2 u 1:1", *const to = "factor 3/2 u 1:1";
    STEPS(beta, to, "recurrent,beta=fp32", "bf16", 0, NULL, -0.5);
    STEPS(beta, to, "recurrent,beta=logit-format", "bf16", 0, NULL, -0.5);
    STEPS(beta, to, "recurrent,beta=logit", "bf16", 0, NULL, -0x1.0090e8p-1);
    STEPS(beta, beta, "recurrent,beta=logit", "bf16", 0, NULL, -1, 1);
}

/* beta = 1/3 is 171/512 in bf16. The prompt of one letter ends with 341/512 = 0.666, which e4m3
 * has not, and fp16 has. Without a prompt the first letter is stored. */
Test(schedule_times, a_prompt_is_handed_over)
{
    const char *const beta = "factor 2 u 1:1", *const to = "factor 1/3 u 1:1";
    STEPS(beta, to, "recurrent,state=e4m3", "bf16", 0, NULL, 0.6875, 0.46875);
    STEPS(beta, to, "recurrent,state=e4m3,prefill=unstored", "bf16", 0, "00", 0x1.55p-1,
          0x1.c639p-2);
    STEPS(beta, to, "recurrent,state=fp16,prefill=unstored,handover=e4m3", "bf16", 0, "01",
          0x1.55p-1, 0x1.d5p-2);
    STEPS(beta, to, "recurrent,state=fp16,prefill=unstored", "bf16", 0, "01", 0x1.55p-1,
          0x1.c64p-2);
}
