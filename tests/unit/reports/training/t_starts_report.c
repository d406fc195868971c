#include "numeric/base/mem.h"
#include "reports/training/starts_figure.h"
#include "reports/training/starts_report.h"
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fills a run with evaluations every ten steps; `accuracy` ends with a number below 0. */
static void fill(f2l_start_run *run, f2l_start_kind kind, double logit, double noise, uint32_t seed,
                 const double *accuracy)
{
    *run = (f2l_start_run){.kind = kind, .logit = logit, .noise = noise, .seed = seed};
    f2l_history_init(&run->history);
    for (size_t i = 0; accuracy[i] >= 0; i++) {
        const f2l_train_accuracies score = {.length = 64, .sequence_accuracy = accuracy[i]};
        const f2l_history_point point = {.step = 10 * i, .loss = 1.0 / (double)(i + 1)};
        cr_assert_eq(f2l_history_add_look(&run->history, 10 * i, &score, 1, NULL), F2L_OK);
        run->history.look[i].distance = 0.1 * (double)i;
        if (i > 0) cr_assert_eq(f2l_history_add_point(&run->history, &point, NULL), F2L_OK);
    }
    run->history.end = F2L_TRAIN_COMPLETED;
}

static const double stays[] = {1, .995, 1, -1}, returns[] = {.2, .99, .5, 1, -1},
                    leaves[] = {1, 1, .9, -1}, never[] = {0, .5, .7, -1},
                    learns[] = {0, .3, .6, .9, .98, .985, .99, 1, -1};

Test(starts_report, what_a_run_does)
{
    static const struct {
        f2l_start_kind kind;
        const double *accuracy;
        const char *does;
        bool right;
        uint64_t steps;
        bool steady;
        uint64_t from;
    } row[] = {{F2L_START_EXACT, stays, "stays", true, 0, true, 0},
               {F2L_START_PERTURBED, returns, "returns", true, 10, true, 30},
               {F2L_START_PERTURBED, leaves, "leaves", true, 0, false, 0},
               {F2L_START_PERTURBED, never, "leaves", false, 0, false, 0},
               {F2L_START_RANDOM, never, "does not learn", false, 0, false, 0},
               {F2L_START_RANDOM, learns, "learns", true, 60, true, 60}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        f2l_start_run run;
        uint64_t steps = 0;
        fill(&run, row[i].kind, 16, 0.1, 1, row[i].accuracy);
        cr_assert_str_eq(f2l_start_stability(&run), row[i].does);
        cr_assert_eq(f2l_start_steps_to_right(&steps, &run), row[i].right);
        if (row[i].right) cr_assert_eq(steps, row[i].steps, "row %zu", i);
        cr_assert_eq(f2l_start_steps_to_steady(&steps, &run), row[i].steady);
        if (row[i].steady) cr_assert_eq(steps, row[i].from, "row %zu", i);
        run.history.end = F2L_TRAIN_DIVERGED;
        cr_assert_str_eq(f2l_start_stability(&run),
                         row[i].kind == F2L_START_RANDOM ? "does not learn" : "leaves");
        f2l_history_clear(&run.history);
    }
}

/* A report of an exact, two perturbed and two random runs. */
typedef struct whole {
    f2l_fsa fsa;
    f2l_experiment experiment;
    f2l_start_run run[5];
    f2l_starts_report report;
} whole;

static void open_whole(whole *w)
{
    const f2l_data_options data = {.kind = F2L_DATA_BRACKETS, .when = F2L_DATA_LAST, .modulus = 5};
    cr_assert_eq(f2l_experiment_default(&w->experiment, &data, NULL, 70, NULL), F2L_OK);
    fill(&w->run[0], F2L_START_EXACT, 16, 0, 1, stays);
    fill(&w->run[1], F2L_START_PERTURBED, 16, 0.1, 1, returns);
    fill(&w->run[2], F2L_START_RANDOM, (double)NAN, 0, 1, learns);
    fill(&w->run[3], F2L_START_PERTURBED, 16, 0.1, 2, returns);
    fill(&w->run[4], F2L_START_RANDOM, (double)NAN, 0, 2, learns);
    w->report = (f2l_starts_report){.train = {.source = "g.fsa",
                                              .experiment = &w->experiment,
                                              .parameters = 7,
                                              .backend = "cpu",
                                              .why_none = "none",
                                              .folder = "g.starts"},
                                    .length = 64,
                                    .run = w->run,
                                    .runs = 5};
}

static void close_whole(whole *w)
{
    for (size_t i = 0; i < 5; i++) f2l_history_clear(&w->run[i].history);
}

Test(starts_report, starts_over_their_seeds)
{
    whole w;
    f2l_buf text;
    f2l_error err = {0};
    f2l_buf_init(&text);
    open_whole(&w);
    cr_assert_eq(f2l_starts_first(&w.report, 3), 1);
    cr_assert_eq(f2l_starts_first(&w.report, 4), 2);
    cr_assert(f2l_report_as_json(&text, &f2l_starts_report_kind, &w.report, &err) == F2L_OK, "%s",
              err.text);
    json_t *root = json_loadb(text.data, text.size, 0, NULL);
    const json_t *kinds = json_object_get(root, "start_kinds"), *two = json_array_get(kinds, 1);
    cr_assert_eq(json_array_size(kinds), 3);
    cr_assert_str_eq(json_string_value(json_object_get(two, "start_title")), "noise 0.1, logit 16");
    cr_assert_float_eq(json_number_value(json_object_get(two, "gain")), 6, 1e-9);
    cr_assert(json_is_null(json_object_get(json_array_get(kinds, 0), "gain")));
    const json_t *run = json_array_get(json_object_get(root, "starts"), 1),
                 *curve = json_object_get(run, "curve");
    cr_assert_eq(json_array_size(curve), 4);
    cr_assert(json_is_null(json_object_get(json_array_get(curve, 0), "loss")));
    cr_assert_float_eq(json_number_value(json_object_get(json_array_get(curve, 1), "loss")), 0.5,
                       1e-9);
    json_decref(root);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_text(&text, &f2l_starts_report_kind, &w.report, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(strstr(text.data, "gnuplot was not found") && strstr(text.data, "returns 2"), "%s",
              text.data);
    f2l_buf_clear(&text);
    close_whole(&w);
}

/* Without gnuplot no figure is possible; with it the file is SVG. */
Test(starts_report, figure)
{
    whole w;
    f2l_buf text;
    f2l_error err = {0};
    char folder[] = "/tmp/starts-figure-XXXXXX", path[64];
    f2l_buf_init(&text);
    open_whole(&w);
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.svg", folder);
    if (f2l_starts_figure_possible()) {
        cr_assert(f2l_starts_figure(path, &w.report, &err) == F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_read_file(&text, path, 0, NULL), F2L_OK);
        cr_assert(strstr(text.data, "<svg") && strstr(text.data, "noise 0.1, logit 16"));
        f2l_buf_clear(&text);
        cr_assert_eq(remove(path), 0);
        (void)snprintf(path, sizeof path, "%s/a.svg.gnuplot", folder);
        cr_assert_eq(remove(path), 0);
    }
    cr_assert_eq(setenv("PATH", folder, 1), 0);
    cr_assert(!f2l_starts_figure_possible());
    const f2l_status status = f2l_starts_figure("/nowhere/a.svg", &w.report, &err);
    cr_assert(status == F2L_EEXIST, "%s: %s", f2l_status_name(status), err.text);
    cr_assert_eq(rmdir(folder), 0);
    close_whole(&w);
}
