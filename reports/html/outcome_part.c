#include "reports/html/outcome_part.h"
#include "numeric/base/path.h"
#include "reports/html/compile_part.h"
#include "reports/html/run_part.h"
#include "reports/page/chart.h"
#include "reports/training/outcome.h"
#include "reports/training/published.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS ((size_t)8) /* lengths of a table */

/* Returns the place in `seeds` of the seed with the best accuracy at the last length; -1: no seed
 * was evaluated, or there are too few for a figure. */
static int best_seed(const json_t *row)
{
    int best = -1;
    double most = -1;
    if (f2l_outcome_missing(f2l_record_size(row, "seeds"))) return -1;
    for (size_t s = 0; s < f2l_record_size(row, "seeds"); s++) {
        const json_t *seed = f2l_record_item(row, "seeds", s);
        const size_t lengths = f2l_record_size(seed, "lengths");
        double sum = 0;
        for (size_t i = 0; i < lengths; i++) {
            const double a =
                f2l_record_number(f2l_record_item(seed, "lengths", i), "sequence_accuracy");
            sum += a >= 0 ? a : 0;
        }
        if (lengths > 0 && sum > most) {
            best = (int)s;
            most = sum;
        }
    }
    return best;
}

static double accuracy_at(const json_t *seed, size_t length)
{
    for (size_t i = 0; i < f2l_record_size(seed, "lengths"); i++) {
        const json_t *at = f2l_record_item(seed, "lengths", i);
        if (f2l_record_count(at, "length") == length)
            return f2l_record_number(at, "sequence_accuracy");
    }
    return (double)NAN;
}

/* Writes the name of a row: of its file, without what all names have, or of its model. */
static void name_row(char *name, size_t room, const json_t *row)
{
    const char *file = f2l_record_text(row, "file"), *preset = f2l_record_text(row, "preset");
    const size_t size = strlen(file), skip = 8 + strlen(preset) + 1;
    if (size > skip + 5 && strncmp(file + 8, preset, strlen(preset)) == 0)
        snprintf(name, room, "%.*s", (int)(size - 5 - skip), file + skip);
    else
        snprintf(name, room, "%s %s", f2l_record_text(row, "setting"),
                 f2l_record_text(row, "model"));
}

static bool is_of(const json_t *row, const char *preset)
{
    return strcmp(f2l_record_text(row, "preset"), preset) == 0;
}

/* Sets length[] to lengths of the evaluated seeds of a preset, spread over all of them. */
static size_t choose_lengths(size_t length[COLUMNS], const json_t *rows, const char *preset)
{
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        const int best = is_of(row, preset) ? best_seed(row) : -1;
        if (best < 0) continue;
        const json_t *seed = f2l_record_item(row, "seeds", (size_t)best);
        const size_t all = f2l_record_size(seed, "lengths"), n = all < COLUMNS ? all : COLUMNS;
        for (size_t i = 0; i < n; i++)
            length[i] = f2l_record_count(
                f2l_record_item(seed, "lengths", n < 2 ? 0 : i * (all - 1) / (n - 1)), "length");
        return n;
    }
    return 0;
}

/* Puts what the table of `reproduce` says of a row's shortest failing words and curves. */
static void put_known(f2l_page *page, const json_t *row)
{
    f2l_error err;
    f2l_outcomes list;
    f2l_buf text;
    f2l_outcomes_init(&list);
    f2l_buf_init(&text);
    json_t *own = json_copy((json_t *)row); /* which has no "file" */
    json_object_del(own, "file");
    char *bytes = json_dumps(own, 0);
    const bool read =
        bytes && f2l_outcomes_parse(&list, bytes, strlen(bytes), &err) == F2L_OK && list.rows == 1;
    if (read && f2l_outcome_failing_text(&text, &list.row[0], &err) == F2L_OK && text.size > 0)
        f2l_page_cell(page, "%s", text.data);
    else
        f2l_page_cell(page, "not known: %s", read ? "no seed" : "the row is not readable");
    f2l_page_cell(page, "%s",
                  read && f2l_outcome_has_curves(&list.row[0]) ? "with curves"
                                                               : F2L_OUTCOME_NO_CURVES);
    free(bytes);
    json_decref(own);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

static void put_outcome_row(f2l_page *page, const json_t *row, const size_t *length, size_t lengths)
{
    char name[96];
    const int best = best_seed(row);
    const json_t *seed = best < 0 ? NULL : f2l_record_item(row, "seeds", (size_t)best);
    name_row(name, sizeof name, row);
    f2l_page_row(page);
    f2l_page_cell(page, "%s", name);
    const size_t seeds = f2l_record_size(row, "seeds"), missing = f2l_outcome_missing(seeds);
    if (missing)
        f2l_page_cell(page, "%zu; no figure: %zu of %zu missing", seeds, missing,
                      F2L_OUTCOME_LEAST_SEEDS);
    else
        f2l_page_cell(page, "%zu", seeds);
    f2l_page_cell(page, "%zu", f2l_record_count(row, "steps"));
    for (size_t i = 0; i < lengths; i++) {
        const double a = accuracy_at(seed, length[i]);
        if (isfinite(a))
            f2l_page_cell(page, "%.3f", a);
        else
            f2l_page_cell(page, " ");
    }
    put_known(page, row);
}

static void put_rows(f2l_page *page, const json_t *rows, const char *preset)
{
    size_t length[COLUMNS];
    char number[COLUMNS][24];
    const char *titles[COLUMNS + 6] = {"run", "seeds", "steps"};
    const size_t lengths = choose_lengths(length, rows, preset);
    for (size_t i = 0; i < lengths; i++) {
        snprintf(number[i], sizeof number[i], "%zu letters", length[i]);
        titles[i + 3] = number[i];
    }
    titles[lengths + 3] = F2L_OUTCOME_FAILING;
    titles[lengths + 4] = "curves";
    f2l_page_table(page, "Words all right by length, of the best seed", titles);
    for (size_t r = 0; r < json_array_size(rows); r++)
        if (is_of(json_array_get(rows, r), preset))
            put_outcome_row(page, json_array_get(rows, r), length, lengths);
    f2l_page_table_end(page);
}

/* Appends the published numbers of the preset. */
static void put_published(f2l_page *page, const char *preset)
{
    static const char *const titles[] = {"network", "letters", "value", "what", "source", NULL};
    bool any = false;
    for (const f2l_published *p = f2l_published_numbers; p->preset; p++) {
        if (strcmp(p->preset, preset) != 0) continue;
        if (!any) {
            f2l_page_fold(page, "Published numbers", false);
            f2l_page_table(page, "Published numbers and earlier ones of this project", titles);
        }
        any = true;
        f2l_page_row(page);
        f2l_page_cell(page, "%s", p->model);
        if (p->length)
            f2l_page_cell(page, "%zu", p->length);
        else
            f2l_page_cell(page, " ");
        if (isnan(p->value))
            f2l_page_cell(page, " ");
        else
            f2l_page_cell(page, "%.3f", p->value);
        f2l_page_cell(page, "%s", p->what);
        f2l_page_cell(page, "%s", p->source);
    }
    if (!any) return;
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

/* Adds the published values of the preset that name a length, a curve for each network. */
static void add_published(f2l_chart *chart, const char *preset)
{
    char name[64];
    for (const f2l_published *p = f2l_published_numbers; p->preset; p++) {
        if (strcmp(p->preset, preset) != 0 || p->length == 0 || isnan(p->value)) continue;
        snprintf(name, sizeof name, "%.40s, %s", p->model, p->paper ? "published" : "earlier");
        f2l_curve *curve = NULL;
        for (size_t i = 0; i < chart->curves && !curve; i++)
            if (strcmp(chart->curve[i].name, name) == 0) curve = &chart->curve[i];
        if (!curve) curve = f2l_chart_add(chart, name, true);
        f2l_curve_put(curve, (double)p->length, p->value);
    }
}

static void add_outcome_curves(f2l_chart *chart, const json_t *rows, const char *preset,
                               size_t *left)
{
    char name[96];
    *left = 0;
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        const int best = is_of(row, preset) ? best_seed(row) : -1;
        if (best < 0) continue;
        const json_t *seed = f2l_record_item(row, "seeds", (size_t)best);
        name_row(name, sizeof name, row);
        *left += !f2l_chart_scores(chart, name, false, seed, "lengths");
    }
}

static f2l_status put_preset(f2l_page *page, const json_t *rows, const char *preset, f2l_error *err)
{
    f2l_chart chart;
    size_t left;
    f2l_page_section(page, preset, preset);
    f2l_chart_init_accuracy(&chart, "Accuracy by length, of the best seed");
    add_published(&chart, preset);
    add_outcome_curves(&chart, rows, preset, &left);
    const f2l_status status = f2l_chart_draw(page, &chart, err);
    if (left > 0)
        f2l_page_about_drawing(page, "%zu more runs are in the table, but not drawn.", left);
    f2l_chart_clear(&chart);
    put_rows(page, rows, preset);
    put_published(page, preset);
    return status;
}

/* Returns the preset of a row; NULL where an earlier row has the same. */
static const char *new_preset(const json_t *rows, size_t r)
{
    const char *preset = f2l_record_text(json_array_get(rows, r), "preset");
    for (size_t k = 0; k < r; k++)
        if (is_of(json_array_get(rows, k), preset)) return NULL;
    return preset[0] ? preset : NULL;
}

static void put_index(f2l_page *page, const json_t *rows)
{
    f2l_page_raw(page, "<nav aria-label=\"presets\">\n");
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const char *preset = new_preset(rows, r);
        if (!preset) continue;
        f2l_page_rawf(page, "<a href=\"#p%zu-", page->part);
        f2l_html_text(&page->html, preset);
        f2l_page_raw(page, "\">");
        f2l_html_text(&page->html, preset);
        f2l_page_raw(page, "</a>\n");
    }
    f2l_page_raw(page, "</nav>\n");
}

static void put_outcome_origin(f2l_page *page, const json_t *rows)
{
    static const char *const titles[] = {"run", "version", "commit", "device", "recipe", NULL};
    char name[96];
    f2l_page_section(page, "check", "Check it yourself");
    f2l_page_code(page, "fsa2lrnn reproduce --table .\n");
    f2l_page_section(page, "versions", "Versions and hashes");
    f2l_page_fold(page, "Where each run was made", json_array_size(rows) <= 12);
    f2l_page_table(page, "Runs", titles);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        name_row(name, sizeof name, row);
        f2l_page_row(page);
        f2l_page_cell(page, "%s %s", f2l_record_text(row, "preset"), name);
        f2l_page_cell(page, "%s", f2l_record_text(row, "version"));
        f2l_page_cell(page, "%s", f2l_record_text(row, "commit"));
        f2l_page_cell(page, "%s", f2l_record_text(row, "device"));
        f2l_page_cell(page, "%.12s", f2l_record_text(row, "recipe"));
    }
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

f2l_status f2l_outcome_part(f2l_page *page, const char *folder, const json_t *rows, f2l_error *err)
{
    f2l_status status = F2L_OK;
    char headline[96];
    const char *base = f2l_path_base(folder);
    f2l_page_title(page, "reproduced experiments",
                   base[0] && strcmp(base, ".") != 0 ? base : "outcomes");
    snprintf(headline, sizeof headline, "measured: %zu outcomes", json_array_size(rows));
    f2l_page_hero(page, "UNKNOWN", headline,
                  "Training runs beside the published numbers. These are measurements on random "
                  "words; they prove nothing about other words or longer ones.");
    put_index(page, rows);
    for (size_t r = 0; r < json_array_size(rows) && status == F2L_OK; r++) {
        const char *preset = new_preset(rows, r);
        if (preset) status = put_preset(page, rows, preset, err);
    }
    put_outcome_origin(page, rows);
    return status;
}
