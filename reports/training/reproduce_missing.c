/* The runs of presets whose present recipe has no outcome, each with its command, and networks that
 * are constructed where learning was tried. */
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include <string.h>

/* A model in a setting, as it is trained now. */
typedef struct wanted_run {
    const f2l_preset *preset;
    f2l_preset_setting setting;
    const f2l_preset_model *model;
    char recipe[65];
    double seconds; /* about how long a seed takes on a device */
    size_t others;  /* outcomes of other recipes */
} wanted_run;

/* Sets the recipe and the seconds of the run. */
static f2l_status describe_run(wanted_run *w, f2l_error *err)
{
    const f2l_preset_choice choice = {
        .setting = w->setting, .model = w->model, .scale = 1, .seed = 1};
    f2l_preset_run run;
    f2l_preset_run_init(&run);
    f2l_status status = f2l_preset_build(&run, w->preset, &choice, err);
    if (status == F2L_OK) status = f2l_preset_recipe_hash(w->recipe, &run, err);
    if (status == F2L_OK) w->seconds = f2l_experiment_seconds(&run.experiment, F2L_BACKEND_CUDA);
    f2l_preset_run_clear(&run);
    return status;
}

f2l_status f2l_reproduce_is_present(bool *present, const f2l_outcome *outcome, f2l_error *err)
{
    wanted_run w = {
        .preset = outcome->preset, .setting = outcome->setting, .model = outcome->model};
    const f2l_status status = describe_run(&w, err);
    *present = status == F2L_OK && strcmp(w.recipe, outcome->recipe) == 0;
    return status == F2L_EDOMAIN ? F2L_OK : status; /* the model has left the setting */
}

void f2l_reproduce_say_recipe(f2l_fact in, const f2l_outcome *outcome)
{
    f2l_error err = {0};
    bool present = false;
    if (outcome->recipe[0] == '\0' || outcome->preset->kind == F2L_DATA_WORDS)
        f2l_say_null(in, "present_recipe");
    else if (f2l_reproduce_is_present(&present, outcome, &err) == F2L_OK)
        f2l_say_truth(in, "present_recipe", present);
    else
        f2l_facts_fail(in, &err);
}

/* Returns whether an outcome has the recipe of the run, and counts the outcomes of others: of fewer
 * steps, another rate or an earlier version of the preset. */
static bool find_recipe(wanted_run *w, const f2l_outcomes *list)
{
    bool found = false;
    for (size_t i = 0; i < list->rows; i++) {
        const f2l_outcome *row = &list->row[i];
        if (row->preset != w->preset || row->setting != w->setting || row->model != w->model)
            continue;
        if (strcmp(row->recipe, w->recipe) == 0)
            found = true;
        else
            w->others++;
    }
    return found;
}

static void say_missing_run(f2l_fact list, const wanted_run *w)
{
    const char *setting = f2l_preset_setting_name(w->setting);
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_buf command;
    f2l_buf_init(&command);
    f2l_buf_printf(&command, "fsa2lrnn reproduce %s --setting %s --model %s --backend cuda",
                   w->preset->name, setting, w->model->name);
    f2l_say_text(one, "preset", w->preset->name);
    f2l_say_text(one, "setting", setting);
    f2l_say_text(one, "model", w->model->name);
    f2l_say_buf(one, "command", &command);
    f2l_say_number(one, "expected_seconds", w->seconds);
    f2l_say_count(one, "other_recipes", w->others);
}

/* Says which models of the setting have no outcome, and adds to *runs how many models it has. */
static f2l_status say_missing_of_setting(f2l_fact list, size_t *runs, const f2l_outcomes *outcomes,
                                         const f2l_preset *preset, f2l_preset_setting setting,
                                         f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK; i++) {
        wanted_run w = {
            .preset = preset, .setting = setting, .model = f2l_preset_model_at(preset, setting, i)};
        if (w.model == NULL) break;
        ++*runs;
        status = describe_run(&w, err);
        if (status == F2L_OK && !find_recipe(&w, outcomes)) say_missing_run(list, &w);
    }
    return status;
}

void f2l_reproduce_say_missing(f2l_fact in, const f2l_reproduce_report *report)
{
    f2l_error err;
    size_t runs = 0;
    f2l_status status = F2L_OK;
    f2l_fact list = f2l_say_list(in, "not_run");
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS && status == F2L_OK; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            if (report->not_run && p->kind != F2L_DATA_WORDS &&
                (report->only == NULL || report->only == p) &&
                f2l_preset_check(p, setting, NULL) == F2L_OK)
                status = say_missing_of_setting(list, &runs, report->outcomes, p, setting, &err);
        }
    f2l_say_count(in, "wanted_runs", runs);
    if (status != F2L_OK) f2l_facts_fail(in, &err);
}

void f2l_reproduce_lay_missing(f2l_buf *out, f2l_fact from)
{
    const f2l_fact list = f2l_get(from, "not_run");
    const size_t size = f2l_get_size(list, "");
    if (size == 0) return;
    f2l_buf_printf(out, "\n%zu of ", size);
    f2l_layout(out, from, "{wanted_runs model} in {wanted_runs=1?its|their} settings");
    f2l_buf_printf(out, " %s no outcome here, by recorded rates of H100s and H200s ",
                   size == 1 ? "has" : "have");
    double all = 0;
    for (size_t i = 0; i < size; i++)
        all += f2l_get_number(f2l_get_item(list, i), "expected_seconds");
    f2l_experiment_seconds_text(out, all);
    f2l_buf_text(out, " a seed in all:\n");
    for (size_t i = 0; i < size; i++) {
        const f2l_fact one = f2l_get_item(list, i);
        f2l_layout(out, one, "  not run: {command}  # ");
        f2l_experiment_seconds_text(out, f2l_get_number(one, "expected_seconds"));
        f2l_buf_text(out, " a seed");
        f2l_layout(out, one, "{other_recipes?; {other_recipes outcome} of another recipe}\n");
    }
}

/* --- constructed networks --- */

static const f2l_constructed *constructed_for(const f2l_preset *preset,
                                              const f2l_preset_model *model)
{
    const f2l_constructed *c = f2l_constructed_networks;
    while (c->preset != NULL &&
           (strcmp(c->preset, preset->name) != 0 || strcmp(c->model, model->name) != 0))
        c++;
    return c->preset != NULL ? c : NULL;
}

void f2l_reproduce_say_constructed(f2l_fact in, const f2l_preset *preset,
                                   const f2l_preset_model *model)
{
    const f2l_constructed *c = constructed_for(preset, model);
    if (c == NULL) {
        f2l_say_null(in, "constructed_network");
        return;
    }
    f2l_fact one = f2l_say_object(in, "constructed_network");
    f2l_buf command;
    f2l_buf_init(&command);
    f2l_buf_printf(&command,
                   "fsa2lrnn new %s %llu > %s.fsa && fsa2lrnn compile %s.fsa --householders %zu",
                   preset->family, (unsigned long long)preset->number, preset->name, preset->name,
                   c->householders);
    f2l_say_text(one, "theorem", c->theorem);
    f2l_say_count(one, "layers", c->layers);
    f2l_say_count(one, "householders", c->householders);
    f2l_say_text(one, "verified", c->verified);
    f2l_say_buf(one, "command", &command);
}
