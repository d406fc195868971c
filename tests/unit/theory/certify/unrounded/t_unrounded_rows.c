/* Rows of the cross product of a schedule's fields in rationals: where nothing is said to round, a
 * run in the format equals the exact run, and where a step differs from the exact one, it is not
 * said. */
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_rows.h"
#include "tests/support/theory/horizon_support.h"
#include "tests/support/theory/unrounded_support.h"

#define SEED 2312

static void read_row(f2l_schedule *schedule, char name[F2L_SCHEDULE_NAME], f2l_format *format,
                     char format_name[F2L_FORMAT_NAME], const drawn_row *row)
{
    cr_assert_eq(f2l_schedule_parse(schedule, name, row->schedule, NULL), F2L_OK);
    cr_assert_eq(f2l_format_parse(format, format_name, row->format, NULL), F2L_OK);
}

Test(unrounded_rows, random_weights)
{
    drawn_rows rows;
    f2l_rng rng;
    tally t = {0};
    f2l_rng_init(&rng, SEED, 1);
    draw_rows(&rows, SEED);
    for (size_t i = 0; i < rows.count; i++) {
        char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
        f2l_schedule schedule;
        f2l_format format;
        read_row(&schedule, name, &format, format_name, &rows.row[i]);
        /* The states of these networks are no codes: a scale of several rows is for codes. */
        if (schedule.store.scale &&
            (schedule.store.block >= F2L_BLOCK_TILE || schedule.store.second))
            continue;
        for (size_t k = 0; k < 300; k++) {
            f2l_net model;
            if (random_raw_head(&model, &rng))
                tally_steps(&t, &model, &format, &schedule, "network", k);
            f2l_net_clear(&model);
        }
    }
    cr_log_info("%zu sure, %zu unsure, %zu of these rounded", t.sure, t.unsure, t.differ);
    cr_assert_gt(t.sure, 1000);
    cr_assert_gt(t.differ, 1000);
    drawn_rows_clear(&rows);
}

/* Finds what rounds where the second letter has this gate, and no letter has another one or a bias.
 */
static void find_with_gate(f2l_unrounded *u, f2l_net *net, unsigned halves,
                           const f2l_format *format, const f2l_schedule *schedule)
{
    f2l_transition *letter = net->layer[0].head[0].letter;
    for (size_t a = 0; a < 2; a++) {
        mpq_set_ui(letter[a].gate, 1, 1);
        f2l_qvec_clear(&letter[a].bias);
    }
    mpq_div_2exp(letter[1].gate, letter[1].gate, halves);
    f2l_unrounded_init(u);
    find_unrounded(u, net, format, schedule);
}

/* Letters without gates are looked at in integers, and all letters in rationals where one has a
 * gate: what is found of the other letter is the same, to the word. */
Test(unrounded_rows, integers_find_what_rationals_find)
{
    drawn_rows rows;
    f2l_rng rng;
    size_t sure = 0, unsure = 0;
    f2l_rng_init(&rng, SEED, 2);
    draw_rows(&rows, SEED + 2);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t k = 0; k < 6; k++) {
            char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
            f2l_schedule schedule;
            f2l_format format;
            f2l_unrounded integers, rationals;
            f2l_net net;
            read_row(&schedule, name, &format, format_name, &rows.row[i]);
            if (schedule.store.ring || schedule.prefill == F2L_PREFILL_CHUNK ||
                !f2l_schedule_steps(&schedule))
                break; /* a ring is for gates of 1, and chunks have bounds of all letters together
                        */
            if (random_raw_head(&net, &rng)) {
                find_with_gate(&integers, &net, 0, &format, &schedule);
                find_with_gate(&rationals, &net, 1, &format, &schedule);
                if (!strstr(integers.reason, "letter y") && !strstr(rationals.reason, "letter y")) {
                    cr_assert_eq(integers.verdict, rationals.verdict, "%s in %s: %s, %s", name,
                                 format_name, integers.reason, rationals.reason);
                    cr_assert_str_eq(integers.reason, rationals.reason);
                    ++*(integers.verdict == F2L_OK ? &sure : &unsure);
                }
                f2l_unrounded_clear(&integers);
                f2l_unrounded_clear(&rationals);
            }
            f2l_net_clear(&net);
        }
    cr_log_info("%zu sure, %zu unsure", sure, unsure);
    cr_assert_gt(sure, 100);
    cr_assert_gt(unsure, 500);
    drawn_rows_clear(&rows);
}

Test(unrounded_rows, permutations)
{
    static const char *const text[] = {
        "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n",
        "points 5\ntrack points 1\npermute a (1 2 3 4 5)\npermute b (1 2)\n"};
    drawn_rows rows;
    size_t sure = 0, differ = 0;
    draw_rows(&rows, SEED + 1);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t k = 0; k < 4; k++) {
            char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
            f2l_schedule schedule;
            f2l_format format;
            f2l_unrounded u;
            horizon_sample s;
            f2l_net model;
            read_row(&schedule, name, &format, format_name, &rows.row[i]);
            horizon_permutations(&s, text[k / 2], k % 2 == 1);
            f2l_net_init(&model);
            model = s.net; /* lent */
            f2l_unrounded_init(&u);
            find_unrounded(&u, &model, &format, &schedule);
            const size_t wrong = run_differs(&s.net, &format, &schedule, SEED, 100);
            cr_assert(u.verdict != F2L_OK || wrong == 0, "%s in %s: %zu", name, format_name, wrong);
            sure += u.verdict == F2L_OK;
            differ += wrong > 0;
            f2l_unrounded_clear(&u);
            horizon_sample_clear(&s);
        }
    cr_log_info("%zu sure, %zu rounded", sure, differ);
    cr_assert_gt(sure, rows.count / 2);
    cr_assert_gt(differ, rows.count / 2);
    drawn_rows_clear(&rows);
}

/* Finds what rounds in parity on the states size and -size. */
static f2l_status verdict_on_size(const char *size, const char *schedule_text)
{
    char name[F2L_SCHEDULE_NAME], number[32], opposite[32];
    f2l_schedule schedule;
    f2l_unrounded u;
    f2l_net net;
    (void)snprintf(number, sizeof number, "1.1:%s\n", size);
    (void)snprintf(opposite, sizeof opposite, "1.1:-%s\n", size);
    char *start = sample_edited(SAMPLE_PARITY, "1.1:1\n", number);
    char *after = strstr(start, "code 1 1 ");
    char *codes = sample_edited(after, "1.1:1\n", number);
    char *both = sample_edited(codes, "1.1:-1\n", opposite);
    *after = '\0';
    char *text = malloc(strlen(start) + strlen(both) + 1);
    (void)sprintf(text, "%s%s", start, both);
    f2l_net_init(&net);
    sample_read(&net, text);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, schedule_text, NULL), F2L_OK);
    f2l_unrounded_init(&u);
    find_unrounded(&u, &net, f2l_format_find("bf16"), &schedule);
    const f2l_status verdict = u.verdict;
    f2l_unrounded_clear(&u);
    f2l_net_clear(&net);
    free(start);
    free(codes);
    free(both);
    free(text);
    return verdict;
}

/* 15 is scaled to 126.99999 by amax, which comes back from 127, but a store that draws may take 126
 * (U4a). 1 is scaled to 127, and nothing is drawn. */
Test(unrounded_rows, a_store_that_draws_needs_numbers_of_the_format)
{
    cr_assert_eq(verdict_on_size("15", "serving,state=int8,scale=amax"), F2L_OK);
    cr_assert_neq(verdict_on_size("15", "serving,state=int8:stochastic,scale=amax"), F2L_OK);
    cr_assert_neq(verdict_on_size("15", "serving,state=int8:stochastic,scale=amax,block=head"),
                  F2L_OK);
    cr_assert_eq(verdict_on_size("15", "serving,state=int8:stochastic,scale=pow2"), F2L_OK);
    cr_assert_eq(verdict_on_size("1", "serving,state=int8:stochastic,scale=amax"), F2L_OK);
}

/* The second schedule needs few steps where the first one has made those that all have. */
Test(unrounded_rows, schedules_share_their_steps)
{
    static const char *const text =
        "points 5\ntrack points 1\npermute a (1 2 3 4 5)\npermute b (1 2)\n";
    static const char *const schedule[] = {"every", "recurrent,state=bf16",
                                           "recurrent,read=unstored"};
    uint64_t spent[2][3];
    horizon_sample s;
    horizon_permutations(&s, text, false);
    for (int shares = 0; shares < 2; shares++) {
        f2l_unrounded_shared *shared = shares ? f2l_unrounded_share(&s.net) : NULL;
        for (size_t i = 0; i < 3; i++) {
            char name[F2L_SCHEDULE_NAME];
            f2l_schedule row;
            f2l_unrounded u;
            f2l_effort effort = {0};
            const f2l_task task = {.effort = &effort};
            cr_assert_eq(f2l_schedule_parse(&row, name, schedule[i], NULL), F2L_OK);
            f2l_unrounded_init(&u);
            cr_assert_eq(f2l_unrounded_find_shared(&u, &s.net, shared, f2l_format_find("bf16"),
                                                   &row, &task, NULL),
                         F2L_OK);
            cr_assert_eq(u.verdict, F2L_OK, "%s: %s", name, u.reason);
            spent[shares][i] = effort.spent;
            f2l_unrounded_clear(&u);
        }
        f2l_unrounded_shared_clear(shared);
    }
    cr_assert_eq(spent[1][0], spent[0][0]);
    for (size_t i = 1; i < 3; i++)
        cr_assert_lt(spent[1][i], spent[0][i], "%llu, %llu", (unsigned long long)spent[1][i],
                     (unsigned long long)spent[0][i]);
    horizon_sample_clear(&s);
}
