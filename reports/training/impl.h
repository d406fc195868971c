/* Functions that the files of reports/training share; private to this folder. */
#ifndef F2L_REPORTS_TRAINING_IMPL_H
#define F2L_REPORTS_TRAINING_IMPL_H

#include "numeric/json/members.h"
#include "reports/training/outcome.h"
#include "reports/training/published.h"
#include "reports/training/reproduce_report.h"
#include "reports/training/train_report_parts.h"

#include <jansson.h>
#include <string.h>

/* Shared by the files of reports/training/outcome.h. */

/* The members of a struct that are lists in JSON. */
typedef struct f2l_columns {
    f2l_members members;
    size_t size; /* of the struct, in bytes */
} f2l_columns;

extern const f2l_columns f2l_every_columns, f2l_look_columns, f2l_curve_columns;

void f2l_columns_say(f2l_fact in, const char *name, const f2l_columns *columns, const void *array,
                     size_t rows);
/* Allocates *array, and fills its `rows` elements; F2L_EFORMAT names the member `name`. */
f2l_status f2l_columns_read(void **array, size_t *rows, const f2l_columns *columns,
                            const json_t *object, const char *name, f2l_error *err);

/* Checks the hashes of the recipes of the rows from number `from` on, which were read from `text`:
 * a row with a configuration has the hash of it, one without has none, or one that an earlier
 * version is known to have written. F2L_EFORMAT, with the place in the text: another hash. */
f2l_status f2l_outcomes_check_recipes(const f2l_outcomes *list, size_t from, const char *text,
                                      size_t size, f2l_error *err);

/* Puts the content of an outcome file. */
void f2l_outcome_say(f2l_fact in, const f2l_outcome *outcome);

/* Puts the shortest failing word that is known of each seed; and appends it as one line. */
void f2l_outcome_say_failing(f2l_fact in, const f2l_outcome *outcome);
void f2l_outcome_lay_failing(f2l_buf *out, f2l_fact outcome);

/* Puts the least accuracy over the kinds of words, at the greatest length at which all were tested,
 * null where only random words were; and appends it as one line. */
void f2l_outcome_say_words(f2l_fact in, const f2l_outcome *outcome);
void f2l_outcome_lay_words(f2l_buf *out, f2l_fact outcome);

/* Puts the accuracies on the sets of words that all seeds have; and appends them as one line. */
void f2l_outcome_say_sets(f2l_fact in, const f2l_outcome *outcome);
void f2l_outcome_lay_sets(f2l_buf *out, f2l_fact outcome);

/* Puts the list of members in which the configuration differs from the published one; of a row
 * without a configuration, among the members that are known. */
void f2l_outcome_say_differences(f2l_fact in, const f2l_outcome *outcome);

/* Sets value[seeds] to the sequence accuracies of the seeds at the length number `at` of those that
 * are in no table, 0 for a seed without scores, and *length to the length; false past the last. */
bool f2l_outcome_every(double *value, size_t *length, const f2l_outcome *outcome, size_t at);

/* Puts a spread of measures; null for a spread of none. */
void f2l_say_spread(f2l_fact in, const char *name, const f2l_train_spread *spread);

/* Puts the spread of the seeds' values, and the values in the order of the seeds; null where seeds
 * are missing (f2l_outcome_missing). */
void f2l_say_values(f2l_fact in, const char *name, const double *value, size_t count);
/* Appends "0.700 (0.700, 0.200, 0.900)": the median, and the values of several seeds unless all are
 * equal; the values alone where seeds are missing. */
void f2l_reproduce_lay_measured(f2l_buf *out, f2l_fact spread, f2l_fact values);

/* The facts of a run, of its part that is known before the first step, and of an evaluation. */
f2l_report_describe f2l_train_describe, f2l_evaluate_describe, f2l_reproduce_describe;
void f2l_train_say_head(f2l_fact out, const f2l_train_report *report);

/* Shortens the list to the first `rows` rows. */
void f2l_outcomes_cut(f2l_outcomes *list, size_t rows);

/* Computes the mean of the published measure by the trapezoid rule over the evaluated lengths from
 * 40 to 256, or over all; false when there is no such length. */
bool f2l_outcome_mean(double *mean, const f2l_outcome *outcome, const f2l_outcome_seed *seed,
                      bool all);

/* Parts of the table of reproduced experiments: the averages over the four regular tasks, the runs
 * without an outcome, whether an outcome has the recipe that its setting has now (null: not known),
 * and the network that is constructed for a model (null: none). */
void f2l_reproduce_say_suite(f2l_fact in, const f2l_reproduce_report *report);
void f2l_reproduce_lay_suite(f2l_buf *out, f2l_fact from);
void f2l_reproduce_say_missing(f2l_fact in, const f2l_reproduce_report *report);
void f2l_reproduce_lay_missing(f2l_buf *out, f2l_fact from);
void f2l_reproduce_say_recipe(f2l_fact in, const f2l_outcome *outcome);
/* Sets *present: does the outcome have the recipe that its model has in its setting now? */
f2l_status f2l_reproduce_is_present(bool *present, const f2l_outcome *outcome, f2l_error *err);
void f2l_reproduce_say_constructed(f2l_fact in, const f2l_preset *preset,
                                   const f2l_preset_model *model);

/* The selection of the rows of reports/training/reproduce_report.h. */

/* Returns the next outcome of the model (NULL: any) of the preset from *at on, or NULL, and moves
 * *at past it. */
static inline const f2l_outcome *f2l_reproduce_next(size_t *at, const f2l_reproduce_report *report,
                                                    const f2l_preset *preset,
                                                    const f2l_preset_model *model)
{
    while (*at < report->outcomes->rows) {
        const f2l_outcome *w = &report->outcomes->row[(*at)++];
        if (w->preset == preset && (model == NULL || w->model == model)) return w;
    }
    return NULL;
}

static inline bool f2l_reproduce_has(const f2l_reproduce_report *report, const f2l_preset *preset,
                                     const f2l_preset_model *model)
{
    size_t at = 0;
    return f2l_reproduce_next(&at, report, preset, model) != NULL;
}

static inline bool f2l_reproduce_shown(const f2l_reproduce_report *report, const f2l_preset *preset)
{
    if (report->only != NULL && report->only != preset) return false;
    return report->all || f2l_reproduce_has(report, preset, NULL);
}

/* Returns the next published row of the network `model` from `p` on, or NULL. */
static inline const f2l_published *
f2l_reproduce_published(const f2l_published *p, const f2l_preset *preset, const char *model)
{
    for (; p->preset != NULL; p++)
        if (strcmp(p->preset, preset->name) == 0 && strcmp(p->model, model) == 0) return p;
    return NULL;
}

/* Returns the next published row, from `p` on, that is the first row of a network that is not a
 * model of the preset; or NULL. */
static inline const f2l_published *f2l_reproduce_other(const f2l_published *p,
                                                       const f2l_preset *preset)
{
    for (; p->preset != NULL; p++)
        if (strcmp(p->preset, preset->name) == 0 &&
            f2l_preset_model_find(preset, p->model) == NULL &&
            f2l_reproduce_published(f2l_published_numbers, preset, p->model) == p)
            return p;
    return NULL;
}

static inline bool f2l_reproduce_on_gpu(const f2l_outcome *w)
{
    return strcmp(w->backend, "cpu") != 0;
}

/* Returns whether the row is shown and ran on the same device as `with` (NULL: any). */
static inline bool f2l_reproduce_counts(const f2l_reproduce_report *report, const f2l_outcome *w,
                                        const f2l_outcome *with)
{
    if (report->only != NULL && w->preset != report->only) return false;
    return with == NULL || (f2l_reproduce_on_gpu(w) == f2l_reproduce_on_gpu(with) &&
                            strcmp(w->device, with->device) == 0);
}

/* Returns the next row from *at on whose device no earlier row has, or NULL; sets *runs and
 * *seconds to the runs on the device and their device seconds. */
static inline const f2l_outcome *f2l_reproduce_next_total(size_t *at, size_t *runs, double *seconds,
                                                          const f2l_reproduce_report *report)
{
    const f2l_outcomes *list = report->outcomes;
    for (; *at < list->rows; (*at)++) {
        const f2l_outcome *w = &list->row[*at];
        bool new = f2l_reproduce_counts(report, w, NULL);
        *runs = 0;
        *seconds = 0;
        for (size_t i = 0; i < list->rows && new; i++) {
            if (!f2l_reproduce_counts(report, &list->row[i], w)) continue;
            if (i < *at) new = false;
            *runs += list->row[i].seeds;
            *seconds += f2l_outcome_device_seconds(&list->row[i]);
        }
        if (!new) continue;
        (*at)++;
        return w;
    }
    return NULL;
}

static inline bool f2l_reproduce_uses(const f2l_reproduce_report *report, const f2l_preset *preset,
                                      f2l_preset_setting setting)
{
    size_t at = 0;
    for (const f2l_outcome *w; (w = f2l_reproduce_next(&at, report, preset, NULL)) != NULL;)
        if (w->setting == setting) return true;
    return false;
}

#endif
