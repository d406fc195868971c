/* The outcome of a training run, as text and JSON, from made-up outcomes: medians over the runs
 * that ended, 1.000 only for exactly 1, the text without a constructed network; and every
 * allocation that fails. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include "reports/training/train_report.h"
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { RUNS = 4, LENGTHS = 2 };
static const size_t length[LENGTHS] = {8, 16};

typedef struct outcome {
    f2l_fsa fsa;
    f2l_data data;
    f2l_experiment experiment;
    f2l_compile_result compiled;
    f2l_seq model;
    f2l_train_score score[RUNS][LENGTHS];
    f2l_experiment_seed run[RUNS];
    f2l_train_report report;
} outcome;

/* Runs 0..2 are right on 10, 20 and 999,999 of 1,000,000 sequences; run 3 diverged. */
static void set_runs(outcome *o)
{
    static const uint64_t right[RUNS] = {10, 20, 999999, 5};
    for (size_t k = 0; k < RUNS; k++) {
        for (size_t i = 0; i < LENGTHS; i++)
            o->score[k][i] = (f2l_train_score){.length = length[i],
                                               .sequences = 1000000,
                                               .right_ones = right[k],
                                               .supervised = 1000000 * length[i],
                                               .right = right[k] * length[i],
                                               .chance = 1.0 / 6};
        o->run[k].seed = (uint32_t)(7 + k);
        o->run[k].result = (f2l_train_result){.end = F2L_TRAIN_COMPLETED,
                                              .step = 100,
                                              .tokens = 12345,
                                              .loss = 0.5,
                                              .seconds = 1.25,
                                              .score = o->score[k],
                                              .scores = LENGTHS};
    }
    o->run[3].result.end = F2L_TRAIN_DIVERGED;
    o->run[3].result.loss = INFINITY;
    o->run[3].result.scores = 0;
    (void)f2l_fail(&o->run[3].why, F2L_UNKNOWN, "diverged: at step 9");
}

static void open_outcome(outcome *o)
{
    const uint64_t three = 3;
    f2l_error err;
    memset(o, 0, sizeof *o);
    f2l_fsa_init(&o->fsa);
    f2l_data_init(&o->data);
    f2l_compile_result_init(&o->compiled);
    f2l_compile_options options = {.format = {f2l_format_find("bf16")}};
    const f2l_data_options data = {.kind = F2L_DATA_AUTOMATON, .stream = F2L_DATA_TRAIN};
    cr_assert(f2l_family_build(&o->fsa, "symmetric", &three, 1, false, &err) == F2L_OK);
    cr_assert(f2l_data_build(&o->data, &data, &o->fsa, &err) == F2L_OK);
    cr_assert(f2l_experiment_default(&o->experiment, &data, &o->fsa, 100, &err) == F2L_OK);
    cr_assert(f2l_compile(&o->compiled, &o->fsa, &options, NULL, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_seq_init(&o->model, &o->experiment.model, &err) == F2L_OK);
    o->experiment.train.length = length;
    o->experiment.train.lengths = LENGTHS;
    set_runs(o);
    o->report = (f2l_train_report){.source = "s3.fsa",
                                   .experiment = &o->experiment,
                                   .data = &o->data,
                                   .parameters = o->model.parameters,
                                   .backend = "cpu",
                                   .folder = "s3.train",
                                   .constructed = &o->compiled,
                                   .why_none = "",
                                   .runs = RUNS,
                                   .run = o->run};
}

static void close_outcome(outcome *o)
{
    f2l_seq_clear(&o->model);
    f2l_compile_result_clear(&o->compiled);
    f2l_data_clear(&o->data);
    f2l_fsa_clear(&o->fsa);
}

static json_t *parse(const f2l_buf *text)
{
    json_error_t why;
    json_t *value = json_loadb(text->data, text->size, 0, &why);
    cr_assert_not_null(value, "%s", why.text);
    return value;
}

static const char *string_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "(none)";
}

Test(train_report, medians_are_over_runs_that_ended)
{
    outcome o;
    f2l_facts facts;
    open_outcome(&o);
    f2l_facts_init(&facts);
    f2l_train_describe(f2l_facts_root(&facts), &o.report);
    const f2l_fact from = f2l_facts_root(&facts), rows = f2l_get(from, "spreads");
    const f2l_fact first = f2l_get_item(rows, 0);
    const f2l_fact s = f2l_get(f2l_get_item(rows, 1), "sequence_accuracies");
    cr_assert_eq(f2l_get_count(from, "runs_ended"), 3);
    cr_assert_eq(f2l_get_count(s, "count"), 3);
    cr_assert_float_eq(f2l_get_number(s, "median"), 20e-6, 1e-15);
    cr_assert_float_eq(f2l_get_number(s, "least"), 10e-6, 1e-15);
    cr_assert_float_eq(f2l_get_number(s, "greatest"), 999999e-6, 1e-15);
    cr_assert_float_eq(f2l_get_number(first, "scaled_accuracies.greatest"),
                       (999999e-6 - 1.0 / 6) / (5.0 / 6), 1e-12);
    cr_assert_eq(f2l_facts_status(&facts, NULL), F2L_OK);
    f2l_facts_clear(&facts);
    for (size_t k = 0; k < RUNS; k++) o.run[k].why.status = F2L_UNKNOWN;
    f2l_facts_init(&facts);
    f2l_train_describe(f2l_facts_root(&facts), &o.report);
    cr_assert_eq(f2l_get_count(f2l_facts_root(&facts), "runs_ended"), 0);
    cr_assert_not(f2l_is_known(f2l_get_item(f2l_get(f2l_facts_root(&facts), "spreads"), 0),
                               "sequence_accuracies"));
    cr_assert_eq(f2l_facts_status(&facts, NULL), F2L_OK);
    f2l_facts_clear(&facts);
    close_outcome(&o);
}

Test(train_report, less_than_all_does_not_read_one)
{
    outcome o;
    f2l_buf text;
    f2l_error err;
    open_outcome(&o);
    f2l_buf_init(&text);
    cr_assert(f2l_report_as_text(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "       8        1.000       0.000   0.000    0.999"),
                       "%s", text.data);
    cr_assert_not_null(strstr(text.data, "3 of 4 runs ended"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "seed 10: 100 steps, then diverged"), "%s", text.data);
    cr_assert_not_null(strstr(text.data,
                              "in exact arithmetic (VERIFIED); bf16 every, nearest code: "
                              "VERIFIED"),
                       "%s", text.data);
    f2l_buf_clear(&text);
    o.report.run = &o.run[2];
    o.report.runs = 1;
    o.score[2][1].right_ones = o.score[2][1].sequences;
    cr_assert(f2l_report_as_text(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "       8        1.000       0.999"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "      16        1.000       1.000"), "%s", text.data);
    f2l_buf_clear(&text);
    close_outcome(&o);
}

/* Only a proof is shown as 1: an open verdict and a missing network are not. */
Test(train_report, only_a_proof_counts)
{
    outcome o;
    f2l_buf text;
    f2l_error err;
    open_outcome(&o);
    f2l_buf_init(&text);
    o.compiled.exact.verdict = F2L_UNKNOWN;
    cr_assert(f2l_report_as_text(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "       8            -       0.000"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "constructed: UNKNOWN in exact "
                                         "arithmetic"),
                       "%s", text.data);
    f2l_buf_clear(&text);
    o.report.constructed = NULL;
    o.report.why_none = "no way";
    cr_assert(f2l_report_as_json(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    json_t *value = parse(&text);
    const json_t *row = json_array_get(json_object_get(value, "spreads"), 0);
    cr_assert_str_eq(string_at(json_object_get(value, "constructed"), "reason"), "no way");
    cr_assert(json_is_null(json_object_get(row, "constructed_accuracy")));
    json_decref(value);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_text(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "constructed  none: no way"), "%s", text.data);
    cr_assert_null(strstr(text.data, "VERIFIED"), "%s", text.data);
    f2l_buf_clear(&text);
    close_outcome(&o);
}

Test(train_report, json)
{
    outcome o;
    f2l_buf text;
    f2l_error err;
    open_outcome(&o);
    f2l_buf_init(&text);
    cr_assert(f2l_report_as_json(&text, &f2l_train_report_kind, &o.report, &err) == F2L_OK);
    json_t *value = parse(&text);
    const json_t *runs = json_object_get(value, "runs"), *last = json_array_get(runs, 3);
    cr_assert_eq(json_array_size(runs), RUNS);
    cr_assert_str_eq(string_at(last, "end"), "diverged");
    cr_assert_str_eq(string_at(last, "reason"), "diverged: at step 9");
    cr_assert(json_is_null(json_object_get(last, "loss")));
    cr_assert_eq(json_array_size(json_object_get(last, "scores")), 0);
    const json_t *first = json_array_get(json_object_get(json_array_get(runs, 0), "scores"), 1);
    cr_assert_eq(json_integer_value(json_object_get(first, "right_sequences")), 10);
    cr_assert_eq(json_integer_value(json_object_get(first, "answers")), 16000000);
    json_decref(value);
    f2l_buf_clear(&text);
    f2l_experiment_need need = {.host = 4096};
    const f2l_plan_report plan = {&o.report, &need};
    cr_assert(f2l_report_as_json(&text, &f2l_plan_report_kind, &plan, &err) == F2L_OK);
    value = parse(&text);
    cr_assert_eq(json_integer_value(json_object_get(value, "bytes")), 4096);
    cr_assert(json_is_null(json_object_get(value, "device_bytes")));
    json_decref(value);
    f2l_buf_clear(&text);
    need.device = 3 << 20;
    cr_assert(f2l_report_as_json(&text, &f2l_plan_report_kind, &plan, &err) == F2L_OK);
    value = parse(&text);
    cr_assert_eq(json_integer_value(json_object_get(value, "device_bytes")), 3 << 20);
    json_decref(value);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_text(&text, &f2l_plan_report_kind, &plan, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "memory       0.0 MiB, and 3.0 MiB on the device\n"), "%s",
                       text.data);
    f2l_buf_clear(&text);
    close_outcome(&o);
}

Test(train_report, evaluation)
{
    outcome o;
    f2l_buf text;
    f2l_error err;
    open_outcome(&o);
    uint32_t word[30] = {0};
    f2l_failing failing = {.letters = 30,
                           .word = word,
                           .expected = 1,
                           .got = UINT32_MAX,
                           .all_letters = 4,
                           .powers = 42};
    const f2l_settle_report settle = {.why = {.text = "its layers are two"}};
    f2l_evaluate_report report = {.weights = "a/b/w.safetensors",
                                  .source = "s3.fsa",
                                  .data = &o.data,
                                  .model = &o.model,
                                  .sequences = 1000000,
                                  .scores = LENGTHS,
                                  .score = o.score[2],
                                  .first_wrong = 5,
                                  .failing = &failing,
                                  .settle = &settle,
                                  .seconds = 1};
    f2l_buf_init(&text);
    cr_assert(f2l_report_as_text(&text, &f2l_evaluate_report_kind, &report, &err) == F2L_OK);
    cr_assert(strstr(text.data, "w.safetensors: delta") && !strstr(text.data, "a/b"), "%s",
              text.data);
    cr_assert_not_null(strstr(text.data, "         8           0.9999    0.999999    "
                                         "0.999999"),
                       "%s", text.data);
    cr_assert_not_null(strstr(text.data, "first wrong answer after 5 letters"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "shortest: 30 letters, the shortest wrong word known: "),
                       "%s", text.data);
    cr_assert(strstr(text.data, " ..\n          expected ") && !strstr(text.data, ", got "), "%s",
              text.data);
    cr_assert_not_null(strstr(text.data, "tried: all words of up to 4 letters, 42 powers of words "
                                         "of up to 3 letters, 1000000 random words\n"),
                       "%s", text.data);
    f2l_buf_clear(&text);
    report.first_wrong = failing.letters = 0;
    cr_assert(f2l_report_as_text(&text, &f2l_evaluate_report_kind, &report, &err) == F2L_OK);
    cr_assert_not_null(strstr(text.data, "seen, not proved"), "%s", text.data);
    cr_assert_not_null(strstr(text.data, "no wrong word is known, which proves nothing"), "%s",
                       text.data);
    f2l_buf_clear(&text);
    cr_assert(f2l_report_as_json(&text, &f2l_evaluate_report_kind, &report, &err) == F2L_OK);
    json_t *value = parse(&text);
    cr_assert(json_is_null(json_object_get(value, "first_wrong")));
    json_decref(value);
    f2l_buf_clear(&text);
    close_outcome(&o);
}

#ifdef F2L_MEM_FAILURES
static f2l_status write_one(f2l_buf *out, const outcome *o, size_t which, f2l_error *err)
{
    uint32_t word[] = {0, 0};
    const f2l_failing failing = {.word = word, .letters = 2, .read = 6};
    const f2l_settle_report settle = {
        .settle = {.verdict = F2L_SETTLE_FAILS, .period = {.count = 1}, .found = 2},
        .fsa = &o->fsa,
    };
    const f2l_evaluate_report evaluation = {.weights = "w",
                                            .source = "s3",
                                            .data = &o->data,
                                            .model = &o->model,
                                            .sequences = 3,
                                            .scores = LENGTHS,
                                            .score = o->score[0],
                                            .failing = &failing,
                                            .settle = &settle};
    const f2l_experiment_need need = {.host = 1, .device = 1};
    const f2l_plan_report plan = {&o->report, &need};
    switch (which) {
    case 0:
        return f2l_report_as_text(out, &f2l_train_report_kind, &o->report, err);
    case 1:
        return f2l_report_as_json(out, &f2l_train_report_kind, &o->report, err);
    case 2:
        return f2l_report_as_text(out, &f2l_plan_report_kind, &plan, err);
    case 3:
        return f2l_report_as_json(out, &f2l_plan_report_kind, &plan, err);
    case 4:
        return f2l_report_as_text(out, &f2l_evaluate_report_kind, &evaluation, err);
    default:
        return f2l_report_as_json(out, &f2l_evaluate_report_kind, &evaluation, err);
    }
}

Test(train_report, memory_failures)
{
    outcome o;
    open_outcome(&o);
    for (size_t which = 0; which < 6; which++)
        for (int forever = 0; forever < 2; forever++) {
            f2l_status status = F2L_ENOMEM;
            size_t n = 1;
            for (; status != F2L_OK && n < 10000; n++) {
                f2l_error err = {0};
                f2l_buf text;
                f2l_buf_init(&text);
                f2l_mem_fail_after(n, forever != 0);
                status = write_one(&text, &o, which, &err);
                f2l_mem_fail_after(0, false);
                cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", which, err.text);
                f2l_buf_clear(&text);
            }
            cr_assert(n > 2 && status == F2L_OK, "%zu after %zu", which, n);
        }
    close_outcome(&o);
}
#endif
