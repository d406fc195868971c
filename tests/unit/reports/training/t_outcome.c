/* What an outcome takes of its seeds, and what is measured of them. */
#include "numeric/base/mem.h"
#include "tests/support/reports/outcome_support.h"

/* With sequence accuracy a/10, accuracy a/10 and chance 1/2, the scaled accuracy is 2 a/10 - 1. */
Test(outcome, measures)
{
    f2l_outcome w;
    f2l_train_spread s;
    sample(&w);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 1, NULL), F2L_OK);
    /* .8, 0 for the seed that diverged, .4, .6 */
    cr_assert(s.count == 4 && fabs(s.median - 0.5) < 1e-12 && s.least == 0 &&
              fabs(s.greatest - 0.8) < 1e-12);
    /* over 40 and 256, not 8: (.8 + .6) / 2, 0, (.4 + 0) / 2, (.6 + .8) / 2 */
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert(fabs(s.median - 0.45) < 1e-12 && s.least == 0 && fabs(s.greatest - 0.7) < 1e-12);
    cr_assert_float_eq(f2l_outcome_constant(&w, 3), 0.2, 1e-12);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 4, NULL), F2L_EDOMAIN);
    w.preset = f2l_preset_find("s3");
    cr_assert_eq(f2l_outcome_measure(&s, &w, 1, NULL), F2L_OK);
    cr_assert(fabs(s.median - 0.75) < 1e-12); /* .9, 0, .7, .8 */
    cr_assert(isnan(f2l_outcome_constant(&w, 1)));
    f2l_outcome_clear(&w);
    outcome_make(&w, "s3", "nh2", F2L_PRESET_BEST);
    add(&w, 1, F2L_TRAIN_DIVERGED, 0, 0, 0);
    cr_assert(f2l_outcome_scored(&w) == NULL);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 0, NULL), F2L_EDOMAIN);
    f2l_outcome_clear(&w);
}

/* The lengths 40, 94 and 256 stand for the lengths around them: the middle one has half the weight
 * of all, the first a quarter of 108. */
Test(outcome, the_mean_is_by_the_trapezoid_rule)
{
    f2l_outcome w;
    f2l_train_spread s;
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    add(&w, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
    w.seed[0].score[0] = (f2l_train_accuracies){.length = 40, .scaled_accuracy = 1};
    w.seed[0].score[1] = (f2l_train_accuracies){.length = 94, .scaled_accuracy = 0.5};
    w.seed[0].score[2] = (f2l_train_accuracies){.length = 256, .scaled_accuracy = 0};
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert_float_eq(s.median, (54 * 0.75 + 162 * 0.25) / 216, 1e-12);
    w.seed[0].score[2].length = 300; /* outside */
    w.seed[0].score[1].length = 295;
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert_float_eq(s.median, 1, 1e-12);
    f2l_outcome_clear(&w);
}

Test(outcome, seeds_that_do_not_fit)
{
    f2l_outcome w;
    f2l_history h;
    sample(&w);
    history_make(&h, F2L_TRAIN_COMPLETED, 1, 2, 3);
    h.look[1].score[2].length = 255;
    cr_assert_eq(f2l_outcome_add(&w, 9, &h, 1, false, NULL), F2L_EDOMAIN);
    h.look[1].scores = 2;
    cr_assert_eq(f2l_outcome_add(&w, 9, &h, 1, false, NULL), F2L_EDOMAIN);
    cr_assert_eq(w.seeds, 4);
    f2l_history_clear(&h);
    f2l_outcome_clear(&w);
}

/* Devices are kept each once and whole: one whose name begins like another's is another one. */
Test(outcome, devices)
{
    f2l_outcome w;
    char name[64];
    f2l_outcome_init(&w);
    f2l_outcome_add_devices(&w, "");
    cr_assert_str_empty(w.device);
    f2l_outcome_add_devices(&w, "NVIDIA L4");
    f2l_outcome_add_devices(&w, "NVIDIA L40S; NVIDIA L4");
    f2l_outcome_add_devices(&w, "L40S");
    cr_assert_str_eq(w.device, "NVIDIA L4; NVIDIA L40S; L40S");
    f2l_outcome_clear(&w);
    f2l_outcome_init(&w);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "device number %d of a long list of devices", 100 + i);
        f2l_outcome_add_devices(&w, name);
    }
    const size_t size = strlen(w.device);
    cr_assert(size > 400 && strcmp(w.device + size - 24, " list of devices; others") == 0, "%s",
              w.device);
    const f2l_outcome before = w; /* a list that is full stays as it is */
    f2l_outcome_add_devices(&w, before.device);
    cr_assert_str_eq(w.device, before.device);
    f2l_outcome_clear(&w);
}

/* What a process that goes on keeps of what was recorded before. */
Test(outcome, shares_of_before)
{
    const f2l_outcome_seed old = {.seconds = 30, .share = 4}, none = {.seconds = 0, .share = 4};
    cr_assert_eq(f2l_outcome_share(NULL, 10, 0.5), 0.5);
    cr_assert_eq(f2l_outcome_share(&none, 10, 0.5), 0.5);
    cr_assert_eq(f2l_outcome_share(&old, 30, 0.5), 4);
    cr_assert_eq(f2l_outcome_share(&old, 20, 0.5), 4); /* it went on from an earlier checkpoint */
    cr_assert_eq(f2l_outcome_share(&old, 60, 2), 3);
    cr_assert_float_eq(f2l_outcome_share(&old, 40, 0), 3, 1e-12);

    f2l_outcome w;
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_BEST);
    for (uint32_t i = 0; i < 3; i++) add(&w, 2 * i + 1, F2L_TRAIN_COMPLETED, 10, 7, 6);
    cr_assert_eq(f2l_outcome_seed_of(&w, 5), &w.seed[2]);
    cr_assert(!f2l_outcome_seed_of(&w, 2) && !f2l_outcome_seed_of(NULL, 1));
    f2l_outcome_clear(&w);
}
