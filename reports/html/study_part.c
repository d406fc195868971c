#include "reports/html/study_part.h"
#include "numeric/base/path.h"
#include "reports/html/compare_part.h"
#include "reports/page/chart.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double f2l_study_horizon(const char *folder)
{
    json_t *record;
    f2l_error err;
    if (f2l_record_read(&record, folder, "horizon.json", &err) != F2L_OK) return (double)NAN;
    const double letters = f2l_record_number(record, "certified_length");
    json_decref(record);
    return letters;
}

void f2l_page_members(f2l_page *page, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_object(value) || json_is_array(value)) continue;
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        f2l_page_row(page);
        f2l_page_cell(page, "%s", key);
        f2l_page_cell(page, "%s",
                      json_is_string(value) ? json_string_value(value)
                      : text                ? text
                                            : "");
        free(text);
    }
}

void f2l_page_record(f2l_page *page, const json_t *record, const char *title)
{
    static const char *const titles[] = {"fact", "value", NULL};
    f2l_page_table(page, title, titles);
    f2l_page_members(page, record);
    f2l_page_table_end(page);
}

/* --- snap.json --- */

/* Tells the parts of the heads' states that move as representations of the group. */
static void put_parts(f2l_page *page, const json_t *record)
{
    static const char *const titles[] = {"head",          "dimension", "defect", "largest distance",
                                         "of the letter", NULL};
    const size_t parts = f2l_record_size(record, "learned_parts");
    if (parts == 0) return;
    f2l_page_table(page, "Learned parts, and how far their letters are from the exact ones",
                   titles);
    for (size_t i = 0; i < parts; i++) {
        const json_t *part = f2l_record_item(record, "learned_parts", i);
        f2l_page_row(page);
        f2l_page_cell(page, "%zu", f2l_record_count(part, "in_head"));
        f2l_page_cell(page, "%zu", f2l_record_count(part, "dimension"));
        f2l_page_cell(page, "%.3g", f2l_record_number(part, "defect"));
        f2l_page_cell(page, "%.3g", f2l_record_number(part, "largest_distance"));
        f2l_page_cell(page, "%s", f2l_record_text(part, "farthest_letter"));
    }
    f2l_page_table_end(page);
}

/* --- starts.json --- */

/* Returns the list of starts, of the report of a command or of a record of such reports. */
static const json_t *list_of(const json_t *record)
{
    return f2l_record_get(record, "starts")
               ? f2l_record_get(record, "starts")
               : f2l_record_get(f2l_record_item(record, "runs", 0), "report.starts");
}

static void name_run(char *name, size_t room, const json_t *run)
{
    const double logit = f2l_record_number(run, "logit"), noise = f2l_record_number(run, "noise");
    int n = snprintf(name, room, "%s", f2l_record_text(run, "start"));
    if (isfinite(logit) && n > 0 && (size_t)n < room)
        n += snprintf(name + n, room - (size_t)n, ", logit %g", logit);
    if (noise > 0 && n > 0 && (size_t)n < room)
        snprintf(name + n, room - (size_t)n, ", noise %g", noise);
}

/* Adds the curve of the first run of each kind. */
static void add_run(f2l_chart *chart, const json_t *run, const char *member)
{
    char name[64];
    name_run(name, sizeof name, run);
    for (size_t i = 0; i < chart->curves; i++)
        if (strcmp(chart->curve[i].name, name) == 0) return;
    f2l_curve *curve = f2l_chart_add(chart, name, false);
    for (size_t i = 0; i < f2l_record_size(run, "curve"); i++) {
        const json_t *at = f2l_record_item(run, "curve", i);
        f2l_curve_put(curve, f2l_record_number(at, "step"), f2l_record_number(at, member));
    }
}

static f2l_status put_curves(f2l_page *page, const json_t *runs, const char *member,
                             const char *title, const char *y, f2l_error *err)
{
    f2l_chart chart;
    f2l_chart_init(&chart, title, "step", y);
    for (size_t r = 0; r < json_array_size(runs); r++)
        add_run(&chart, json_array_get(runs, r), member);
    const f2l_status status = f2l_chart_draw(page, &chart, err);
    f2l_chart_clear(&chart);
    return status;
}

static void put_run(f2l_page *page, const json_t *run)
{
    char name[64];
    const double steps = f2l_record_number(run, "steps_to_99");
    name_run(name, sizeof name, run);
    f2l_page_row(page);
    f2l_page_cell(page, "%s", name);
    f2l_page_cell(page, "%zu", f2l_record_count(run, "seed"));
    if (isfinite(steps))
        f2l_page_cell(page, "%.0f", steps);
    else
        f2l_page_cell(page, "not reached");
    f2l_page_cell(page, "%s", f2l_record_text(run, "stability"));
}

static f2l_status put_starts(f2l_page *page, const json_t *record, f2l_error *err)
{
    static const char *const titles[] = {"start", "seed", "steps to 99 %", "then", NULL};
    const json_t *runs = list_of(record);
    f2l_page_section(page, "starts", "From different starts");
    f2l_page_say(page, "Training from the constructed weights, from perturbed ones, and from "
                       "random ones.");
    f2l_page_about_drawing(page, "Drawn is the first seed of each.");
    f2l_status status = put_curves(page, runs, "sequence_accuracy", "Words all right, by step",
                                   "words all right", err);
    if (status == F2L_OK)
        status = put_curves(page, runs, "start_distance", "Distance from the constructed weights",
                            "distance", err);
    f2l_page_fold(page, "All runs", json_array_size(runs) <= 12);
    f2l_page_table(page, "Runs", titles);
    for (size_t r = 0; r < json_array_size(runs); r++) put_run(page, json_array_get(runs, r));
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
    return status;
}

bool f2l_has_study(const char *folder)
{
    static const char *const name[] = {"compare.json", "horizon.json", "settle.json", "roots.json",
                                       "forever.json", "snap.json",    "starts.json"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (f2l_path_has(folder, name[i])) return true;
    return false;
}

f2l_status f2l_study_part(f2l_page *page, const char *folder, f2l_error *err)
{
    static const struct {
        const char *file, *id, *title, *about;
    } part[] = {
        {"horizon.json", "horizon", "Certified horizon",
         "Every word of at most this many letters is answered rightly: this is proved from the "
         "weights, in the scope that is named."},
        {"settle.json", "settle", "At all lengths",
         "Where words z u^t lead the network: a wrong limit proves that it is wrong from some "
         "length on, in the scope that is named; none proves nothing of other words."},
        {"roots.json", "roots", "Roots of unity",
         "Whether a word acts as a cycle of states that no root of unity turns with: then there is "
         "no margin for ever. That nothing is refuted proves nothing."},
        {"forever.json", "forever", "Right for ever",
         "Whether every word of every length is answered rightly: where it is proved, it is proved "
         "from the weights, in the scope that is named."},
        {"snap.json", "snap", "The nearest proved network",
         "A network next to the learned one that is proved for all lengths, or why there is "
         "none."}};
    json_t *record = NULL;
    f2l_status status = f2l_record_read(&record, folder, "compare.json", err);
    if (record) status = f2l_compare_part(page, record, err);
    json_decref(record);
    for (size_t i = 0; i < sizeof part / sizeof *part && status == F2L_OK; i++) {
        status = f2l_record_read(&record, folder, part[i].file, err);
        if (record) {
            f2l_page_section(page, part[i].id, part[i].title);
            f2l_page_say(page, "%s", part[i].about);
            f2l_page_record(page, record, part[i].title);
        }
        if (record && strcmp(part[i].id, "snap") == 0) put_parts(page, record);
        json_decref(record);
    }
    if (status == F2L_OK)
        status = f2l_record_read(&record, folder, "starts.json", err);
    else
        record = NULL;
    if (record) status = put_starts(page, record, err);
    json_decref(record);
    return status;
}
