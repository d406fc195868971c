/* Rows of further seeds and of several rates, and the time that all of them took. */
#include "tests/support/reports/outcome_support.h"
#include <criterion/criterion.h>
#include <jansson.h>

/* Seeds 4, 5, 6, 7 and 1, 2 give one row of six, in either order. */
Test(outcome_merge, further_seeds)
{
    for (int turn = 0; turn < 2; turn++) {
        f2l_outcome a, b, other;
        f2l_outcomes list;
        f2l_train_spread s;
        f2l_error err = {0};
        sample(&a);
        outcome_make(&b, "parity", "delta-signed", F2L_PRESET_PAPER);
        add(&b, 2, F2L_TRAIN_COMPLETED, 10, 10, 10);
        add(&b, 1, F2L_TRAIN_COMPLETED, 10, 10, 9);
        outcome_make(&other, "parity", "delta-positive", F2L_PRESET_PAPER);
        add(&other, 1, F2L_TRAIN_COMPLETED, 5, 5, 5);
        take_recipe(&a, 0);
        take_recipe(&b, 0);
        strcpy(b.commit, "c1");
        strcpy(b.date, "2026-02-03");
        b.devices = 4;
        f2l_outcomes_init(&list);
        append(&list, turn ? &b : &a);
        append(&list, &other);
        append(&list, turn ? &a : &b);
        cr_assert_eq(f2l_outcomes_merge(&list, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(list.rows, 2);
        const f2l_outcome *w = &list.row[0];
        static const uint32_t order[] = {1, 2, 4, 5, 6, 7};
        cr_assert(w->seeds == 6 && w->devices == 4 && list.row[1].model == other.model);
        for (size_t i = 0; i < 6; i++) cr_assert_eq(w->seed[i].seed, order[i]);
        cr_assert_str_eq(w->commit, turn ? "c1, c0ffee" : "c0ffee, c1");
        cr_assert_str_eq(w->date, "2026-01-01 to 2026-02-03");
        /* at 40: .8 0 .4 .6 of the first row, 1 and 1 */
        cr_assert_eq(f2l_outcome_measure(&s, w, 1, NULL), F2L_OK);
        cr_assert(s.count == 6 && fabs(s.median - .7) < 1e-12 && s.least == 0);
        cr_assert(fabs(f2l_outcome_seconds(w) - 21) < 1e-12 &&
                  fabs(f2l_outcome_device_seconds(w) - 10.5) < 1e-12);
        f2l_outcomes_clear(&list);
        f2l_outcome_clear(&a);
        f2l_outcome_clear(&b);
        f2l_outcome_clear(&other);
    }
}

/* The number of differences that keep rows apart. */
enum { APART = 14 };
static void change(f2l_outcome *w, int what)
{
    if (what == 0) w->setting = F2L_PRESET_BEST;
    if (what == 1) w->scale = 0.2;
    if (what == 2) w->full_steps = 2000;
    if (what == 3) w->steps = 101;
    if (what == 4) w->batch = 65;
    if (what == 5) w->rate = 2e-3;
    if (what == 6) strcpy(w->backend, "cuda");
    if (what == 7) strcpy(w->device, "another machine");
    if (what == 8) take_recipe(w, 3);
    if (what == 9) drop_recipe(w);
    if (what == 10) w->device[0] = 'x';
    if (what == 11) w->seed[0].seed = 5;
    if (what == 12) w->seed[0].score[2].length = 255;
    if (what == 13) w->seed[0].score[2].sequences = 11;
}

Test(outcome_merge, what_is_not_merged)
{
    for (int what = -1; what < APART; what++) {
        f2l_outcome a, b;
        f2l_outcomes list;
        sample(&a);
        outcome_make(&b, "parity", "delta-signed", F2L_PRESET_PAPER);
        add(&b, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
        take_recipe(&a, 0);
        take_recipe(&b, 0);
        change(&b, what);
        f2l_outcomes_init(&list);
        append(&list, &a);
        append(&list, &b);
        cr_assert_eq(f2l_outcomes_merge(&list, NULL), F2L_OK);
        cr_assert_eq(list.rows, what < 0 ? 1 : 2, "change %d", what);
        f2l_outcomes_clear(&list);
        f2l_outcome_clear(&a);
        f2l_outcome_clear(&b);
    }
    /* where no recipe is known the commit is used instead */
    for (int same = 0; same < 2; same++) {
        f2l_outcome a, b;
        f2l_outcomes list;
        sample(&a);
        outcome_make(&b, "parity", "delta-signed", F2L_PRESET_PAPER);
        add(&b, 1, F2L_TRAIN_DIVERGED, 0, 0, 0);
        if (!same) strcpy(b.commit, "c1");
        f2l_outcomes_init(&list);
        append(&list, &b);
        append(&list, &a);
        cr_assert_eq(f2l_outcomes_merge(&list, NULL), F2L_OK);
        cr_assert_eq(list.rows, same ? 1 : 2);
        cr_assert(!same || (list.row[0].seeds == 5 && list.row[0].lengths == 3));
        f2l_outcomes_clear(&list);
        f2l_outcome_clear(&a);
        f2l_outcome_clear(&b);
    }
}

/* Medians of the mean over 40 and 256 are compared, where a seed that diverged counts as 0: .7 ..
 * at 1e-3, 0 at 1e-2, .9 at 1e-4. */
Test(outcome_merge, best_rate)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_outcome_rates rates;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    w.rate = 1e-2;
    add(&w, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
    add(&w, 2, F2L_TRAIN_DIVERGED, 0, 0, 0);
    add(&w, 3, F2L_TRAIN_DIVERGED, 0, 0, 0);
    append(&list, &w);
    f2l_outcome_clear(&w);
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    w.rate = 1e-3;
    for (uint32_t k = 1; k < 4; k++) add(&w, k, F2L_TRAIN_COMPLETED, 10, 8, 9);
    append(&list, &w);
    w.rate = 1e-4;
    for (size_t k = 0; k < 2; k++)
        w.seed[k].score[1].scaled_accuracy = w.seed[k].score[2].scaled_accuracy = 0.9;
    w.seed[2].score[1].scaled_accuracy = w.seed[2].score[2].scaled_accuracy = 0;
    append(&list, &w);
    w.batch = 65; /* another experiment */
    append(&list, &w);
    f2l_outcome_clear(&w);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(f2l_outcomes_rates(&rates, &list, i, &err), F2L_OK);
        cr_assert(rates.rates == 3 && rates.compared == 3 && rates.seeds == 3 && rates.best == 1e-4,
                  "%zu: %zu %g", i, rates.rates, rates.best);
    }
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 3, &err), F2L_OK);
    cr_assert(rates.rates == 1 && isnan(rates.best));
    /* equal medians: the mean decides */
    for (size_t k = 0; k < 3; k++)
        list.row[1].seed[k].score[1].scaled_accuracy =
            list.row[1].seed[k].score[2].scaled_accuracy = 0.9;
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 0, &err), F2L_OK);
    cr_assert_eq(rates.best, 1e-3);
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text, "rate 0.001 (the best of 3 by the median of 3 seeds)", true);
    contains(&text, "rate 0.0001 (of 3 with 3 seeds each the best is 0.001)", true);
    contains(&text, "2 diverged (counted as 0)", true);
    contains(&text, "In all: 12 runs, 21 CPU seconds", true);
    f2l_buf_clear(&text);
    reproduce_json_of(&text, &report);
    contains(&text, "\"rates\":3,\"rates_compared\":3,\"rate_seeds\":3,\"best_rate\":0.001", true);
    contains(&text, "\"rates\":1,\"rates_compared\":1,\"rate_seeds\":3,\"best_rate\":null", true);
    contains(&text, "\"unit\":\"CPU\",\"run_count\":12,\"device_seconds\":21.0", true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* Appends a row of one seed whose value is right / 10. */
static void append_seed(f2l_outcomes *list, double rate, uint32_t seed, uint64_t right,
                        const char *commit)
{
    f2l_outcome w;
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    w.rate = rate;
    strcpy(w.commit, commit);
    add(&w, seed, F2L_TRAIN_COMPLETED, right, right, right);
    append(list, &w);
    f2l_outcome_clear(&w);
}

/* Rows of other commits are one candidate: a rate of which one row has one good seed is not the
 * best for that; and a rate with fewer seeds is not compared. */
Test(outcome_merge, rows_of_one_rate_are_one_candidate)
{
    f2l_outcomes list;
    f2l_outcome_rates rates;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    append_seed(&list, 2e-3, 1, 10, "a");
    append_seed(&list, 2e-3, 2, 6, "b");
    append_seed(&list, 2e-3, 3, 5, "c");
    append_seed(&list, 2e-3, 1, 10, "d"); /* a seed counts once */
    append_seed(&list, 4e-3, 1, 9, "a");
    append_seed(&list, 4e-3, 2, 9, "a");
    append_seed(&list, 1e-2, 1, 10, "a");
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 0, &err), F2L_OK);
    cr_assert(rates.rates == 3 && rates.compared == 1 && rates.seeds == 3 && isnan(rates.best));
    append_seed(&list, 4e-3, 3, 9, "b");
    for (size_t i = 0; i < list.rows; i++) {
        cr_assert_eq(f2l_outcomes_rates(&rates, &list, i, &err), F2L_OK);
        cr_assert(rates.rates == 3 && rates.compared == 2 && rates.seeds == 3 &&
                  rates.best == 4e-3);
    }
    /* another configuration is another experiment */
    list.row[0].config = json_pack("{s:{s:f},s:i}", "train", "rate", 2e-3, "batch", 64);
    list.row[4].config = json_pack("{s:{s:f},s:i}", "train", "rate", 4e-3, "batch", 64);
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 0, &err), F2L_OK);
    cr_assert_eq(rates.rates, 3);
    json_decref(list.row[4].config);
    list.row[4].config = json_pack("{s:{s:f},s:i}", "train", "rate", 4e-3, "batch", 65);
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 0, &err), F2L_OK);
    cr_assert(rates.rates == 3 && rates.compared == 1 && rates.seeds == 3);
    f2l_outcomes_clear(&list);
}

/* The difference of a configuration from the one of the paper's preset, which the program builds.
 */
Test(outcome_merge, what_differs_from_the_published_run)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_preset_run run;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    outcome_make(&w, "s3", "nh2", F2L_PRESET_BEST);
    add(&w, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
    strcpy(w.trained, "delta, B = 0, learned H_0, slope 1; words of 4 to 64 letters");
    append(&list, &w); /* without a configuration */
    for (int changed = 0; changed < 2; changed++) {
        const f2l_preset_choice choice = {
            .setting = F2L_PRESET_PAPER, .model = w.model, .scale = 1};
        f2l_preset_run_init(&run);
        f2l_buf_init(&text);
        cr_assert_eq(f2l_preset_build(&run, w.preset, &choice, &err), F2L_OK, "%s", err.text);
        if (changed) run.experiment.curriculum.start = 7;
        if (changed) run.experiment.model.learned_start = true;
        if (changed) run.experiment.seed = 9; /* no difference */
        cr_assert_eq(f2l_experiment_write(&text, &run.experiment, &err), F2L_OK, "%s", err.text);
        take_config(&w, &text);
        w.setting = F2L_PRESET_PAPER;
        append(&list, &w);
        f2l_buf_clear(&text);
        f2l_preset_run_clear(&run);
    }
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text,
             "its configuration is not recorded; of what is known, it differs from the paper "
             "setting (its value in brackets): model.additive false (true), model.learned_start "
             "true (false), ",
             true);
    contains(&text, "curriculum.start 4 (128), curriculum.limit 64 (128), batch 64 (2048)", true);
    contains(&text, "does not differ from the paper setting", true);
    contains(&text,
             "letters differs from the paper setting (its value in brackets): "
             "model.learned_start true (false), curriculum.start 7 (128) ",
             true);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
    f2l_outcomes_clear(&list);
}

/* GPU seconds are added up for each of two devices; rows that are not shown do not count. */
Test(outcome_merge, time_in_all)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_buf text;
    f2l_outcomes_init(&list);
    for (int i = 0; i < 3; i++) {
        outcome_make(&w, i < 2 ? "parity" : "s3", i < 2 ? "delta-signed" : "nh2", F2L_PRESET_PAPER);
        strcpy(w.backend, "cuda");
        strcpy(w.device, i == 1 ? "GPU B" : "GPU A");
        w.devices = 2;
        add(&w, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
        add(&w, 2, F2L_TRAIN_COMPLETED, 10, 10, 10);
        append(&list, &w);
        f2l_outcome_clear(&w);
    }
    const f2l_reproduce_report all = {.outcomes = &list},
                               some = {.only = f2l_preset_find("parity"), .outcomes = &list};
    reproduce_text_of(&text, &all);
    contains(&text, "3.5 GPU seconds, cuda (GPU A, 2 devices)", true);
    contains(&text, "In all: 4 runs, 7.0 GPU seconds (GPU A); 2 runs, 3.5 GPU seconds (GPU B)",
             true);
    f2l_buf_clear(&text);
    reproduce_text_of(&text, &some);
    contains(&text, "In all: 2 runs, 3.5 GPU seconds (GPU A); 2 runs, 3.5 GPU seconds (GPU B)",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}
