/* Rows of further seeds and of several rates, and the time that all of them took. */
#include "reports/training/reproduce_report.h"
#include "tests/support/reports/outcome_support.h"
#include <criterion/criterion.h>

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
        strcpy(a.recipe, "r");
        strcpy(b.recipe, "r");
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
        /* at 40: .6 .4 .8 of the first row, 1 and 1 */
        cr_assert_eq(f2l_outcome_measure(&s, w, 1, NULL), F2L_OK);
        cr_assert(s.count == 5 && fabs(s.median - .8) < 1e-12 && fabs(s.least - .4) < 1e-12);
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
    if (what == 8) strcpy(w->recipe, "another");
    if (what == 9) w->recipe[0] = '\0';
    if (what == 10) strcpy(w->note, "a note");
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
        strcpy(a.recipe, "r");
        strcpy(b.recipe, "r");
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
        cr_assert(rates.rates == 3 && rates.best == 2, "%zu: %zu %zu", i, rates.rates, rates.best);
    }
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 3, &err), F2L_OK);
    cr_assert(rates.rates == 1 && rates.best == 3);
    /* equal medians: the mean decides */
    for (size_t k = 0; k < 3; k++)
        list.row[1].seed[k].score[1].scaled_accuracy =
            list.row[1].seed[k].score[2].scaled_accuracy = 0.9;
    cr_assert_eq(f2l_outcomes_rates(&rates, &list, 0, &err), F2L_OK);
    cr_assert_eq(rates.best, 1);
    const f2l_reproduce_report report = {.outcomes = &list};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_reproduce_report_text(&text, &report, &err), F2L_OK, "%s", err.text);
    contains(&text, "rate 0.001 (the best of 3 by the median)", true);
    contains(&text, "rate 0.0001 (of 3 the best is 0.001)", true);
    contains(&text, "2 diverged", true);
    contains(&text, "In all: 12 runs, 21 CPU seconds", true);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_reproduce_report_json(&text, &report, &err), F2L_OK, "%s", err.text);
    contains(&text, "\"rates\":3,\"best_rate\":0.001", true);
    contains(&text, "\"rates\":1,\"best_rate\":null", true);
    contains(&text, "\"unit\":\"CPU\",\"run_count\":12,\"device_seconds\":21.0", true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* GPU seconds are added up for each of two devices; rows that are not shown do not count. */
Test(outcome_merge, time_in_all)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_buf text;
    f2l_error err = {0};
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
    f2l_buf_init(&text);
    cr_assert_eq(f2l_reproduce_report_text(&text, &all, &err), F2L_OK, "%s", err.text);
    contains(&text, "3.5 GPU seconds, cuda (GPU A, 2 devices)", true);
    contains(&text, "In all: 4 runs, 7.0 GPU seconds (GPU A); 2 runs, 3.5 GPU seconds (GPU B)",
             true);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_reproduce_report_text(&text, &some, &err), F2L_OK, "%s", err.text);
    contains(&text, "In all: 2 runs, 3.5 GPU seconds (GPU A); 2 runs, 3.5 GPU seconds (GPU B)",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}
