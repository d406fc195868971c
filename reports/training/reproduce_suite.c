/* The average accuracy over the four regular tasks, of models that have an outcome in each. */
#include "reports/phrases.h"
#include "reports/training/impl.h"

#include "numeric/facts/layout.h"
#include <string.h>

#define WIDTH 100
#define INDENT 15

/* An outcome, and whether its recipe is the one that its setting has now. */
typedef struct candidate {
    const f2l_outcome *outcome;
    bool present;
} candidate;

/* Returns whether one outcome represents a model rather than another: the present recipe before
 * others, then more steps, then more seeds, so that no choice is by the accuracy. */
static bool comes_before(const candidate *one, const candidate *other)
{
    if (other->outcome == NULL) return true;
    if (one->present != other->present) return one->present;
    const f2l_outcome *v = one->outcome, *w = other->outcome;
    return v->steps > w->steps || (v->steps == w->steps && v->seeds > w->seeds);
}

/* Sets *found to the outcome that represents a model of the name in a setting, of equals to the
 * first. NULL: there is none of which no seed is missing. */
static f2l_status find_representative(const f2l_outcome **found, const f2l_outcomes *list,
                                      const f2l_preset *preset, f2l_preset_setting setting,
                                      const char *model, f2l_error *err)
{
    candidate best = {0};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < list->rows && status == F2L_OK; i++) {
        candidate one = {.outcome = &list->row[i]};
        const f2l_outcome *w = one.outcome;
        if (w->preset != preset || w->setting != setting || f2l_outcome_missing(w->seeds) ||
            strcmp(w->model->name, model) != 0)
            continue;
        status = f2l_reproduce_is_present(&one.present, w, err);
        if (status == F2L_OK && comes_before(&one, &best)) best = one;
    }
    *found = best.outcome;
    return status;
}

/* Computes the accuracy of guessing in the test words of an outcome. */
static f2l_status guessing(double *chance, const f2l_outcome *w, f2l_error *err)
{
    const f2l_preset_choice choice = {
        .setting = w->setting, .model = w->model, .scale = 1, .seed = 1};
    f2l_preset_run run;
    f2l_data data;
    f2l_preset_run_init(&run);
    f2l_data_init(&data);
    f2l_status status = f2l_preset_build(&run, w->preset, &choice, err);
    if (status == F2L_OK) status = f2l_experiment_data(&data, &run.experiment, F2L_DATA_TEST, err);
    if (status == F2L_OK) *chance = f2l_data_chance(&data);
    f2l_data_clear(&data);
    f2l_preset_run_clear(&run);
    return status;
}

/* Computes the mean over the seeds of the accuracy over lengths 40 to 256. The scaled
 * accuracy has the mean over lengths, and the accuracy is a linear function of it. A seed without
 * scores diverged, or was not evaluated yet, and counts as guessing. */
static f2l_status accuracy_of(double *accuracy, const f2l_outcome *w, f2l_error *err)
{
    double chance = 0, sum = 0;
    const f2l_status status = guessing(&chance, w, err);
    for (size_t i = 0; i < w->seeds && status == F2L_OK; i++) {
        double scaled = 0;
        if (w->seed[i].score != NULL) (void)f2l_outcome_mean(&scaled, w, &w->seed[i], false);
        sum += chance + (1 - chance) * scaled;
    }
    *accuracy = sum / (double)w->seeds;
    return status;
}

/* Puts the row of a model whose outcomes in the tasks are part[F2L_PUBLISHED_SUITE]. */
static void say_row(f2l_fact list, const f2l_outcome *const *part)
{
    double sum = 0;
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_text(one, "model", part[0]->model->name);
    f2l_say_text(one, "setting", f2l_preset_setting_name(part[0]->setting));
    f2l_fact tasks = f2l_say_list(one, "tasks");
    for (size_t i = 0; i < F2L_PUBLISHED_SUITE; i++) {
        f2l_error err;
        double accuracy = 0;
        if (accuracy_of(&accuracy, part[i], &err) != F2L_OK) f2l_facts_fail(list, &err);
        f2l_fact task = f2l_say_object(tasks, NULL);
        f2l_say_text(task, "preset", part[i]->preset->name);
        f2l_say_number(task, "accuracy", accuracy);
        f2l_say_count(task, "run_count", part[i]->seeds);
        f2l_say_count(task, "steps", part[i]->steps);
        sum += accuracy;
    }
    f2l_say_number(one, "accuracy", sum / F2L_PUBLISHED_SUITE);
}

/* Puts the row of a model of the first task in a setting, if all tasks have outcomes of it. */
static void say_if_complete(f2l_fact list, const f2l_outcomes *outcomes, const char *model,
                            f2l_preset_setting setting)
{
    const f2l_outcome *part[F2L_PUBLISHED_SUITE];
    f2l_error err = {0};
    for (size_t i = 0; i < F2L_PUBLISHED_SUITE; i++) {
        const f2l_preset *preset = f2l_preset_find(f2l_published_suite[i]);
        if (find_representative(&part[i], outcomes, preset, setting, model, &err) != F2L_OK) {
            f2l_facts_fail(list, &err);
            return;
        }
        if (part[i] == NULL) return;
    }
    say_row(list, part);
}

void f2l_reproduce_say_suite(f2l_fact in, const f2l_reproduce_report *report)
{
    const f2l_preset *first = f2l_preset_find(f2l_published_suite[0]);
    f2l_fact list = f2l_say_list(in, "averages");
    for (int s = 0; s < F2L_PRESET_SETTINGS && report->only == NULL; s++)
        for (size_t i = 0; i < F2L_PRESET_MODELS && first->model[i].name; i++)
            say_if_complete(list, report->outcomes, first->model[i].name, (f2l_preset_setting)s);
    const bool shown = report->only == NULL && (report->all || f2l_get_size(list, "") > 0);
    f2l_fact published = f2l_say_list(in, "published_averages");
    for (const f2l_published_average *p = f2l_published_averages; shown && p->model != NULL; p++) {
        f2l_fact one = f2l_say_object(published, NULL);
        f2l_say_text(one, "model", p->model);
        f2l_say_number(one, "accuracy", p->value);
        f2l_say_text(one, "source", p->source);
    }
}

/* Appends "    LABEL TEXT" with the text broken into lines, and clears the text. */
static void put_suite_line(f2l_buf *out, const char *label, f2l_buf *text)
{
    f2l_buf_printf(out, "  %-*s", INDENT - 2, label);
    if (text->failed) out->failed = true;
    f2l_report_wrap(out, text->size ? text->data : "", INDENT, INDENT, WIDTH);
    f2l_buf_clear(text);
}

void f2l_reproduce_lay_suite(f2l_buf *out, f2l_fact from)
{
    const f2l_fact averages = f2l_get(from, "averages"), all = f2l_get(from, "published_averages");
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_get_size(all, "") == 0) return;
    f2l_buf_text(out, "\nAverage of ");
    for (size_t i = 0; i < F2L_PUBLISHED_SUITE; i++)
        f2l_buf_printf(out, "%s%s", i ? ", " : "", f2l_published_suite[i]);
    f2l_buf_text(out, ": accuracy over lengths 40 to 256,\nnot scaled, mean of the seeds\n");
    f2l_layout_items(&line, all, 0, f2l_get_size(all, ""), "{model} {accuracy%.3f}", ", ");
    f2l_layout(&line, f2l_get_item(all, 0), " ({source})");
    put_suite_line(out, "published", &line);
    for (size_t i = 0; i < f2l_get_size(averages, ""); i++) {
        const f2l_fact one = f2l_get_item(averages, i), tasks = f2l_get(one, "tasks");
        f2l_layout(&line, one, "{model}, {setting} setting: {accuracy%.3f} (");
        f2l_layout_items(&line, tasks, 0, f2l_get_size(tasks, ""),
                         "{preset} {accuracy%.3f}, {run_count run}, {steps step}", "; ");
        f2l_buf_text(&line, ")");
        put_suite_line(out, "here", &line);
    }
    if (f2l_get_size(averages, "") > 0) return;
    f2l_buf_printf(&line,
                   "no model has outcomes of %zu seeds and more in each of these tasks in one "
                   "setting",
                   F2L_OUTCOME_LEAST_SEEDS);
    put_suite_line(out, "here", &line);
}
