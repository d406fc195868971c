/* The table of outcomes beside the published numbers. */
#include "numeric/base/mem.h"
#include "reports/training/published.h"
#include "tests/support/reports/outcome_support.h"
#include <jansson.h>

/* Runs without an end: a run that goes on or was killed, one that was stopped, and one that was
 * killed before its first evaluation; the table counts all of them. */
Test(reproduce_report, runs_without_an_end)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_history h;
    f2l_train_spread s;
    f2l_buf text;
    f2l_outcomes_init(&list);
    sample(&w);
    cr_assert(f2l_outcome_ended(&w));
    history_make(&h, F2L_TRAIN_GOES_ON, 10, 5, 5);
    cr_assert_eq(f2l_outcome_add(&w, 10, &h, 1, false, NULL), F2L_OK);
    h.step = 50;
    cr_assert_eq(f2l_outcome_add(&w, 11, &h, 1, true, NULL), F2L_OK);
    f2l_free(h.look[0].score);
    f2l_free(h.look[1].score);
    h.looks = 0;
    cr_assert_eq(f2l_outcome_add(&w, 12, &h, 1, true, NULL), F2L_OK);
    f2l_history_clear(&h);
    cr_assert(!f2l_outcome_ended(&w));
    append(&list, &w);
    f2l_outcome_clear(&w);
    const f2l_outcome *there = &list.row[0];
    cr_assert(there->seed[4].end == F2L_TRAIN_GOES_ON && !there->seed[4].stopped);
    cr_assert(there->seed[5].end == F2L_TRAIN_GOES_ON && there->seed[5].stopped);
    cr_assert(there->seed[6].score == NULL && there->seed[6].stopped);
    /* .8 0 .4 .6, and 0 three times */
    cr_assert_eq(f2l_outcome_measure(&s, there, 1, NULL), F2L_OK);
    cr_assert(s.count == 7 && s.median == 0);
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text, "7 seeds (4, 5, 6, 7, 10, 11, 12)", true);
    contains(&text, "1 diverged (counted as 0)", true);
    contains(&text,
             "3 not at their end (seed 10 running at step 100, seed 11 stopped at step 50, seed 12 "
             "stopped at step 50 without an evaluation: 0; the last evaluation counts)",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* With an evaluation at every length the table shows the lengths of the preset, and JSON has all.
 */
Test(reproduce_report, every_length)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_history h;
    f2l_buf text;
    f2l_train_accuracies score[513];
    for (size_t i = 0; i < 513; i++)
        score[i] = (f2l_train_accuracies){.length = i < 512 ? i + 1 : 1024,
                                          .sequences = 512,
                                          .sequence_accuracy = i < 300 ? 1 : 0.25};
    f2l_outcomes_init(&list);
    f2l_history_init(&h);
    h.end = F2L_TRAIN_COMPLETED;
    cr_assert_eq(f2l_history_add_look(&h, 9, score, 513, NULL), F2L_OK);
    outcome_make(&w, "s3", "nh2", F2L_PRESET_PAPER);
    for (uint32_t seed = 1; seed <= F2L_OUTCOME_LEAST_SEEDS; seed++)
        cr_assert_eq(f2l_outcome_add(&w, seed, &h, 1, false, NULL), F2L_OK);
    append(&list, &w);
    cr_assert(list.row[0].lengths == 10 && list.row[0].seed[0].everys == 513);
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text, "256: 1.000, 330: 0.250, 500: 0.250, 512: 0.250, 1024: 0.250", true);
    contains(&text, "301: ", false);
    f2l_buf_clear(&text);
    reproduce_json_of(&text, &report);
    contains(&text, "{\"length\":301,\"measured\":{\"median\":0.25,", true);
    f2l_buf_clear(&text);
    f2l_history_clear(&h);
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

/* Appends a longer run of three seeds, all right, by a recipe that the setting does not have. */
static void append_earlier_recipe(f2l_outcomes *list, const char *preset)
{
    f2l_outcome w;
    outcome_make(&w, preset, "nh2", F2L_PRESET_BEST);
    w.steps = 2 * w.full_steps;
    for (uint32_t k = 1; k <= 3; k++) add(&w, k, F2L_TRAIN_COMPLETED, 1, 10, 10);
    append(list, &w);
    f2l_outcome_clear(&w);
}

/* The average is of accuracies, not scaled; it takes the present recipe of a task, or its longest
 * run that has three seeds, and a run that diverged counts as guessing. */
Test(reproduce_report, averages)
{
    f2l_outcomes list;
    f2l_buf text;
    f2l_outcomes_init(&list);
    for (size_t i = 0; i < F2L_PUBLISHED_SUITE; i++) {
        f2l_outcome w;
        outcome_make(&w, f2l_published_suite[i], "nh2", F2L_PRESET_BEST);
        /* accuracy 9/10 over both lengths in 40..256, with chance 1/2 in the sample's scores */
        for (uint32_t k = 1; k <= 3; k++) add(&w, k, F2L_TRAIN_COMPLETED, 1, 9, 9);
        if (i == 1) take_recipe(&w, 0);
        append(&list, &w);
        f2l_outcome_clear(&w);
        if (i == 1) append_earlier_recipe(&list, f2l_published_suite[i]);
        if (i != 3) continue;
        /* parity: a longer run of two seeds, which is not taken */
        outcome_make(&w, "parity", "nh2", F2L_PRESET_BEST);
        w.steps = 2 * w.full_steps;
        add(&w, 1, F2L_TRAIN_COMPLETED, 1, 10, 10);
        add(&w, 2, F2L_TRAIN_COMPLETED, 1, 10, 10);
        append(&list, &w);
        f2l_outcome_clear(&w);
        /* parity: a longer run of four seeds, two of which diverged: (1 + 1/2) / 2 */
        outcome_make(&w, "parity", "nh2", F2L_PRESET_BEST);
        w.steps = w.full_steps;
        for (uint32_t k = 1; k <= 4; k++)
            add(&w, k, k % 2 ? F2L_TRAIN_COMPLETED : F2L_TRAIN_DIVERGED, 1, 10, 10);
        append(&list, &w);
        f2l_outcome_clear(&w);
    }
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_json_of(&text, &report);
    json_t *root = json_loadb(text.data, text.size, 0, NULL),
           *averages = json_object_get(root, "averages");
    cr_assert_eq(json_array_size(averages), 1);
    json_t *one = json_array_get(averages, 0), *tasks = json_object_get(one, "tasks");
    cr_assert_str_eq(json_string_value(json_object_get(one, "model")), "nh2");
    /* scaled 0.8 everywhere: 1/5 + 4/5 0.8 of 5 labels, 1/2 + 1/2 0.8 of 2 */
    static const double expected[] = {0.84, 0.9, 0.84, 0.75};
    for (size_t i = 0; i < 4; i++)
        cr_assert_float_eq(json_real_value(json_object_get(json_array_get(tasks, i), "accuracy")),
                           expected[i], 1e-12);
    cr_assert_float_eq(json_real_value(json_object_get(one, "accuracy")),
                       (0.84 + 0.9 + 0.84 + 0.75) / 4, 1e-12);
    json_decref(root);
    f2l_buf_clear(&text);
    reproduce_text_of(&text, &report);
    contains(&text, "nh2, best setting: 0.833 (cycle-navigation 0.840, 3 runs, 100 steps", true);
    contains(&text, "parity 0.750, 4 runs, 1000 steps)", true);
    contains(&text, "PD-SSM 0.988", true);
    f2l_buf_clear(&text);
    /* without one of the four tasks there is no average */
    list.row[0].setting = F2L_PRESET_PAPER;
    reproduce_text_of(&text, &report);
    contains(&text, "PD-SSM 0.988", false);
    f2l_buf_clear(&text);
    /* nor with two seeds in one */
    list.row[0].setting = F2L_PRESET_BEST;
    list.row[0].seeds = 2;
    reproduce_text_of(&text, &report);
    contains(&text, "PD-SSM 0.988", false);
    f2l_buf_clear(&text);
    list.row[0].seeds = 3;
    f2l_outcomes_clear(&list);
}

/* Checks what is shown of a row of `seeds` seeds, all with 0.8 and 0.6 at 40 and 256 letters: from
 * three on the average; of fewer none, but how many are missing, and the values after training. */
static void check_few_seeds(uint32_t seeds)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_buf text;
    char missing[64], fact[64];
    const bool enough = seeds >= 3;
    f2l_outcomes_init(&list);
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    for (uint32_t k = 1; k <= seeds; k++) add(&w, k, F2L_TRAIN_COMPLETED, 10, 9, 8);
    append(&list, &w);
    f2l_outcome_clear(&w);
    snprintf(missing, sizeof missing, "no average: %d of 3 seeds missing", 3 - (int)seeds);
    snprintf(fact, sizeof fact, "\"seeds_missing\":%d,", enough ? 0 : 3 - (int)seeds);
    for (int trained = 0; trained < 2; trained++) {
        const f2l_reproduce_report report = {.outcomes = &list, .trained = trained};
        reproduce_text_of(&text, &report);
        contains(&text, missing, !enough);
        contains(&text, "0.700", enough || trained);
        contains(&text, "256: 0.600", enough || trained);
        contains(&text, "the best constant answer: 0.200", enough || trained);
        contains(&text, ": median (every seed", enough);
        f2l_buf_clear(&text);
        reproduce_json_of(&text, &report);
        contains(&text, fact, true);
        contains(&text, "\"mean\":null", !enough);
        contains(&text, "\"length\":40,\"measured\":null", !enough);
        f2l_buf_clear(&text);
    }
    f2l_outcomes_clear(&list);
}

Test(reproduce_report, no_figure_of_fewer_than_three_seeds)
{
    for (uint32_t seeds = 1; seeds <= 4; seeds++) check_few_seeds(seeds);
}

/* Every model in every setting has an outcome of its recipe, or a command. */
Test(reproduce_report, not_run)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_buf text;
    f2l_outcomes_init(&list);
    sample(&w);
    take_recipe(&w, 0);
    append(&list, &w);
    w.setting = F2L_PRESET_RELEASED;
    append(&list, &w);
    drop_recipe(&w);
    append(&list, &w);
    f2l_outcome_clear(&w);
    f2l_reproduce_report report = {.outcomes = &list, .not_run = true};
    reproduce_text_of(&text, &report);
    size_t wanted = 0;
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            const f2l_preset_model *m;
            if (f2l_preset_check(p, setting, NULL) != F2L_OK || p->kind == F2L_DATA_WORDS) continue;
            for (size_t i = 0; (m = f2l_preset_model_at(p, setting, i)) != NULL; i++, wanted++) {
                char line[160];
                snprintf(line, sizeof line,
                         "not run: fsa2lrnn reproduce %s --setting %s --model %s --backend cuda",
                         p->name, f2l_preset_setting_name((size_t)s), m->name);
                contains(&text, line,
                         strcmp(p->name, "parity") != 0 || setting != F2L_PRESET_PAPER ||
                             strcmp(m->name, "delta-signed") != 0);
            }
        }
    char line[80];
    snprintf(line, sizeof line, "%zu of %zu models in their settings have no outcome", wanted - 1,
             wanted);
    contains(&text, line, true);
    f2l_buf_clear(&text);
    report.only = f2l_preset_find("parity");
    reproduce_text_of(&text, &report);
    contains(&text, "not run: fsa2lrnn reproduce parity --setting released", true);
    contains(&text, "a seed; 2 outcomes of another recipe", true);
    contains(&text, "not run: fsa2lrnn reproduce s3", false);
    f2l_buf_clear(&text);
    report.not_run = false;
    reproduce_text_of(&text, &report);
    contains(&text, "not run", false);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* The accuracies on test sets, and the network beside them, are kept and shown. */
Test(reproduce_report, sets_of_words)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_buf text, again;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    sample(&w);
    strcpy(w.constructed, "T4, 2 layers");
    for (size_t i = 0; i < w.seeds; i++) {
        if (w.seed[i].end == F2L_TRAIN_DIVERGED) continue;
        w.seed[i].sets = 1;
        w.seed[i].set[0] = (f2l_outcome_set){"long-random", 1000, 0.5 + 0.1 * (double)i};
    }
    outcome_text_of(&text, &w);
    cr_assert_eq(f2l_outcomes_parse(&list, text.data, text.size, &err), F2L_OK, "%s", err.text);
    outcome_text_of(&again, &list.row[0]);
    cr_assert_str_eq(text.data, again.data);
    f2l_buf_clear(&text);
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text, "constructed T4, 2 layers", true);
    contains(&text, "test words right, long-random: 0.600 (0.500, 0.000", true);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

Test(reproduce_report, table)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    sample(&w);
    take_recipe(&w, 0);
    outcome_text_of(&text, &w);
    cr_assert_eq(f2l_outcomes_parse(&list, text.data, text.size, &err), F2L_OK, "%s", err.text);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
    const f2l_reproduce_report some = {.outcomes = &list},
                               all = {.all = true, .outcomes = &list, .not_run = true};
    reproduce_text_of(&text, &some);
    contains(&text, "parity: ", true);
    contains(&text, "s3: ", false);
    contains(&text, "1.000 best of 3, 0.999 +- 0.006 median of 3", true);
    contains(&text,
             "0.450 (0.700, 0.000, 0.200, 0.700); 8: 1.000 (1.000, 0.000, 1.000, 1.000), 40: 0.500",
             true);
    contains(&text, "the best constant answer: 0.200; 8: 0.200, 40: 0.200, 256: 0.200", true);
    contains(&text, "paper setting, shortened to 0.1: 100 of 1000 steps", true);
    contains(&text, "1 diverged", true);
    contains(&text, "lengths 1 to 40", true);
    contains(&text, "diagonal-signed", false);
    contains(&text, "sLSTM", true);
    for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t size = strcspn(line, "\n");
        cr_assert(size == 0 || line[size - 1] != ' ');
        cr_assert(strncmp(line, "    ", 4) != 0 || size <= 100, "%.*s", (int)size, line);
    }
    f2l_buf_clear(&text);
    reproduce_text_of(&text, &all);
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++) contains(&text, p->text, true);
    f2l_buf_clear(&text);
    reproduce_json_of(&text, &all);
    json_t *root = json_loadb(text.data, text.size, 0, NULL),
           *presets = json_object_get(root, "presets");
    size_t known = 0;
    while (f2l_presets[known].name != NULL) known++;
    cr_assert_eq(json_array_size(presets), known);
    json_t *model = json_array_get(json_object_get(json_array_get(presets, 0), "models"), 0);
    json_t *outcome = json_array_get(json_object_get(model, "outcomes"), 0);
    cr_assert(fabs(json_real_value(json_object_get(json_object_get(outcome, "mean"), "median")) -
                   0.45) < 1e-12);
    cr_assert_eq(json_array_size(json_object_get(outcome, "by_length")), 3);
    cr_assert_eq(json_array_size(json_object_get(model, "published")), 3);
    /* of all models in their settings one has an outcome */
    cr_assert_eq(json_integer_value(json_object_get(root, "wanted_runs")),
                 1 + (json_int_t)json_array_size(json_object_get(root, "not_run")));
    cr_assert_eq(json_array_size(json_object_get(root, "averages")), 0);
    json_decref(root);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

#ifdef F2L_MEM_FAILURES
/* One preset, since the test's time grows with the square of the table. */
Test(reproduce_report, out_of_memory)
{
    f2l_outcome w;
    f2l_buf text, more;
    bool complete = false;
    sample(&w);
    take_recipe(&w, 0);
    outcome_text_of(&text, &w);
    for (size_t i = 0; i < w.seeds; i++) w.seed[i].seed += 100;
    outcome_text_of(&more, &w);
    for (size_t n = 1; !complete; n++) {
        f2l_outcomes list;
        f2l_buf table;
        f2l_outcomes_init(&list);
        f2l_buf_init(&table);
        const f2l_reproduce_report report = {
            .only = w.preset, .all = true, .outcomes = &list, .not_run = true};
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_outcomes_parse(&list, text.data, text.size, NULL);
        if (status == F2L_OK) status = f2l_outcomes_parse(&list, more.data, more.size, NULL);
        if (status == F2L_OK) status = f2l_outcomes_merge(&list, NULL);
        if (status == F2L_OK)
            status = f2l_report_as_text(&table, &f2l_reproduce_report_kind, &report, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %d", n, status);
        complete = status == F2L_OK;
        f2l_buf_clear(&table);
        f2l_outcomes_clear(&list);
    }
    f2l_buf_clear(&text);
    f2l_buf_clear(&more);
    f2l_outcome_clear(&w);
}
#endif
