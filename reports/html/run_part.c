#include "reports/html/run_part.h"
#include "numeric/base/path.h"
#include "reports/html/compile_part.h"
#include "reports/html/folder_files.h"
#include "reports/html/learned_part.h"
#include "reports/html/study_part.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define POINTS ((size_t)300) /* of a curve */

static bool is_event(const json_t *line, const char *event)
{
    return strcmp(f2l_record_text(line, "event"), event) == 0;
}

/* Returns the last line of this event, or NULL. */
static const json_t *last(const json_t *log, const char *event)
{
    for (size_t i = json_array_size(log); i-- > 0;)
        if (is_event(json_array_get(log, i), event)) return json_array_get(log, i);
    return NULL;
}

/* Adds a curve of one of the accuracies of a list of scores, where they have it. */
static bool add_accuracy(f2l_chart *chart, const char *name, bool dashed, const json_t *in,
                         const char *list, const char *member)
{
    f2l_curve *curve = f2l_chart_add(chart, name, dashed);
    for (size_t i = 0; i < f2l_record_size(in, list); i++) {
        const json_t *at = f2l_record_item(in, list, i);
        const double accuracy = f2l_record_number(at, member);
        if (!isnan(accuracy)) f2l_curve_put(curve, f2l_record_number(at, "length"), accuracy);
    }
    return curve != NULL;
}

bool f2l_chart_scores(f2l_chart *chart, const char *name, bool dashed, const json_t *in,
                      const char *list)
{
    return add_accuracy(chart, name, dashed, in, list, "sequence_accuracy");
}

/* Returns whether a score of the list has this accuracy. */
static bool has_accuracy(const json_t *in, const char *list, const char *member)
{
    for (size_t i = 0; i < f2l_record_size(in, list); i++)
        if (!isnan(f2l_record_number(f2l_record_item(in, list, i), member))) return true;
    return false;
}

void f2l_chart_kinds(f2l_chart *chart, const json_t *in, const char *list)
{
    static const char *const kind[][2] = {{"on sink-free words", "sink_free_accuracy"},
                                          {"on periodic words", "periodic_accuracy"}};
    for (size_t k = 0; k < 2; k++)
        if (has_accuracy(in, list, kind[k][1]))
            add_accuracy(chart, kind[k][0], false, in, list, kind[k][1]);
}

void f2l_run_accuracy(f2l_chart *chart, const char *name, const json_t *log)
{
    const json_t *evaluation = last(log, "evaluation");
    if (evaluation) f2l_chart_scores(chart, name, false, evaluation, "lengths");
}

/* Appends the curve of accuracies by length, with the constructed network and the best constant
 * answer. */
static f2l_status put_accuracy(f2l_page *page, const char *folder, const json_t *log,
                               f2l_error *err)
{
    f2l_chart chart;
    const json_t *evaluation = last(log, "evaluation");
    if (!evaluation) return F2L_OK;
    f2l_page_section(page, "length", "Accuracy against length");
    f2l_page_say(page, "The part of random words of each length on which every label is right. A "
                       "constructed network that is VERIFIED is right on all words of every "
                       "length; the trained network was measured.");
    f2l_page_say(page, has_accuracy(evaluation, "lengths", "periodic_accuracy")
                           ? "Random words hide failures: words that stay out of sinks and words "
                             "that repeat themselves are measured beside them, and the least "
                             "counts."
                           : "It was measured on random words alone, which hide failures.");
    f2l_chart_init_accuracy(&chart, "Sequence accuracy by length");
    chart.mark = f2l_study_horizon(folder);
    chart.mark_name = "certified up to here";
    f2l_curve *constructed = f2l_chart_add(&chart, "constructed (proved)", true);
    f2l_run_accuracy(&chart, "trained (measured)", log);
    f2l_chart_kinds(&chart, evaluation, "lengths");
    f2l_curve *constant = f2l_chart_add(&chart, "best constant answer, letters right", true);
    for (size_t i = 0; i < f2l_record_size(evaluation, "lengths"); i++) {
        const json_t *at = f2l_record_item(evaluation, "lengths", i);
        f2l_curve_put(constructed, f2l_record_number(at, "length"), 1);
        f2l_curve_put(constant, f2l_record_number(at, "length"),
                      f2l_record_number(at, "constant_accuracy"));
    }
    const f2l_status status = f2l_chart_draw(page, &chart, err);
    f2l_chart_clear(&chart);
    return status;
}

/* Adds a member of the log's steps as a curve. */
static void add_steps(f2l_chart *chart, const char *name, const json_t *log, const char *member)
{
    f2l_curve *curve = f2l_chart_add(chart, name, false);
    size_t steps = 0, at = 0;
    for (size_t i = 0; i < json_array_size(log); i++)
        steps += is_event(json_array_get(log, i), "step");
    const size_t every = steps / (POINTS + 1) + 1;
    for (size_t i = 0; i < json_array_size(log); i++) {
        const json_t *line = json_array_get(log, i);
        if (!is_event(line, "step") || at++ % every != 0) continue;
        const double y = f2l_record_number(line, member);
        if (!chart->log_y || y > 0) f2l_curve_put(curve, f2l_record_number(line, "step"), y);
    }
}

static f2l_status put_course(f2l_page *page, const json_t *log, f2l_error *err)
{
    f2l_chart loss, accuracy;
    f2l_chart_init(&loss, "Loss by step", "step", "loss");
    f2l_chart_init(&accuracy, "Accuracy on training words by step", "step", "accuracy");
    f2l_page_section(page, "course", "The course of training");
    loss.log_y = true;
    accuracy.low = -.03;
    accuracy.high = 1.06;
    add_steps(&loss, "loss", log, "loss");
    add_steps(&accuracy, "letters right", log, "accuracy");
    add_steps(&accuracy, "words all right", log, "sequence_accuracy");
    f2l_status status = f2l_chart_draw(page, &loss, err);
    if (status == F2L_OK) status = f2l_chart_draw(page, &accuracy, err);
    f2l_chart_clear(&loss);
    f2l_chart_clear(&accuracy);
    return status;
}

/* Returns the longest length up to which all words of the last evaluation were right, of all kinds
 * that were tested at any length; 0: none. */
static size_t right_up_to(const json_t *log)
{
    const json_t *evaluation = last(log, "evaluation");
    const bool kinds = has_accuracy(evaluation, "lengths", "periodic_accuracy");
    size_t most = 0;
    for (size_t i = 0; i < f2l_record_size(evaluation, "lengths"); i++) {
        const json_t *at = f2l_record_item(evaluation, "lengths", i);
        if (!(f2l_record_number(at, "sequence_accuracy") >= 1)) break;
        if (f2l_record_number(at, "sink_free_accuracy") < 1) break;
        if (kinds && !(f2l_record_number(at, "periodic_accuracy") >= 1)) break;
        most = f2l_record_count(at, "length");
    }
    return most;
}

static void put_run_head(f2l_page *page, const char *folder, const json_t *config,
                         const json_t *log)
{
    char headline[96], title[96];
    const size_t right = right_up_to(log);
    const json_t *end = last(log, "completed");
    const char *base = f2l_path_base(folder);
    snprintf(title, sizeof title, "%s", base[0] && strcmp(base, ".") != 0 ? base : "training run");
    f2l_page_title(page, "trained network", title);
    if (right > 0)
        snprintf(headline, sizeof headline, "measured: all test words right up to %zu letters",
                 right);
    else
        snprintf(headline, sizeof headline, "measured: %s",
                 last(log, "evaluation") ? "some test words are wrong" : "not evaluated yet");
    f2l_page_hero(page, "UNKNOWN", headline,
                  "This is a measurement on random words. It proves nothing about other words or "
                  "longer ones.");
    f2l_page_raw(page, "<div class=\"tiles\">\n");
    f2l_page_tile(page, "states", "%zu", f2l_record_count(config, "data.states"));
    f2l_page_tile(page, "letters", "%zu", f2l_record_count(config, "model.letters"));
    f2l_page_tile(page, "layers", "%zu", f2l_record_count(config, "model.layers"));
    f2l_page_tile(page, "heads", "%zu", f2l_record_count(config, "model.heads"));
    f2l_page_tile(page, "factors of a head (n_h)", "%zu",
                  f2l_record_count(config, "model.householders"));
    f2l_page_tile(page, "steps", "%zu",
                  f2l_record_count(end ? end : config, end ? "step" : "train.steps"));
    f2l_page_raw(page, "</div>\n");
    f2l_buf_text(&page->md, "\n");
}

/* Appends a row for each member of an object of config.json. */
static void put_members(f2l_page *page, const json_t *config, const char *name)
{
    const char *key;
    json_t *value;
    json_t *object = (json_t *)f2l_record_get(config, name);
    json_object_foreach(object, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        f2l_page_row(page);
        f2l_page_cell(page, "%s %s", name, key);
        f2l_page_cell(page, "%s", text ? text : "");
        free(text);
    }
}

static void put_run_recipe(f2l_page *page, const json_t *config)
{
    static const char *const titles[] = {"setting", "value", NULL};
    static const char *const names[] = {"data", "model", "train", "curriculum"};
    f2l_page_section(page, "recipe", "The recipe");
    f2l_page_say(page, "Seed %zu, batches of %zu words.", f2l_record_count(config, "seed"),
                 f2l_record_count(config, "batch"));
    f2l_page_fold(page, "All settings", false);
    f2l_page_table(page, "config.json", titles);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) put_members(page, config, names[i]);
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

static void put_origin(f2l_page *page, const json_t *origin)
{
    f2l_buf command;
    f2l_page_section(page, "check", "Check it yourself");
    f2l_page_say(page, "In this folder. The first command measures again on other words, the "
                       "second shows what was learned, letter by letter.");
    f2l_page_code(page, "fsa2lrnn evaluate . --lengths 64,256,1024 --seed 7\n"
                        "fsa2lrnn inspect .\n");
    f2l_page_section(page, "versions", "Versions and hashes");
    f2l_page_say(page, "fsa2lrnn %s, commit %s, on %s.", f2l_record_text(origin, "version"),
                 f2l_record_text(origin, "commit"), f2l_record_text(origin, "backend"));
    f2l_page_say(page, "SHA-256 of the automaton %s, of config.json %s.",
                 f2l_record_text(origin, "grammar_sha256"),
                 f2l_record_text(origin, "config_sha256"));
    f2l_buf_init(&command);
    for (size_t i = 0; i < f2l_record_size(origin, "command"); i++)
        f2l_buf_printf(&command, "%s%s", i ? " " : "",
                       json_string_value(f2l_record_item(origin, "command", i)));
    if (command.size > 0) f2l_page_code(page, command.data);
    if (command.failed) page->html.failed = true;
    f2l_buf_clear(&command);
}

f2l_status f2l_run_part(f2l_page *page, const char *folder, const json_t *config, f2l_error *err)
{
    json_t *log = NULL, *origin = NULL;
    f2l_names letters;
    f2l_names_init(&letters);
    f2l_status status = f2l_record_read_lines(&log, folder, "log.jsonl", err);
    if (status == F2L_OK) status = f2l_record_read(&origin, folder, "provenance.json", err);
    if (status == F2L_OK) {
        put_run_head(page, folder, config, log);
        status = f2l_folder_automaton(page, folder, &letters, err);
    }
    if (status == F2L_OK) status = put_accuracy(page, folder, log, err);
    if (status == F2L_OK) status = f2l_learned_part(page, folder, &letters, err);
    if (status == F2L_OK) status = f2l_study_part(page, folder, err);
    if (status == F2L_OK) status = put_course(page, log, err);
    if (status == F2L_OK) {
        put_run_recipe(page, config);
        put_origin(page, origin);
    }
    json_decref(log);
    json_decref(origin);
    f2l_names_clear(&letters);
    return status;
}
