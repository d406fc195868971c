/* The runs of presets that have no outcome, each with its command, and networks that are
 * constructed where learning was tried. */
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include <math.h>

static bool was_run(const f2l_outcomes *list, const f2l_preset *preset, f2l_preset_setting setting,
                    const f2l_preset_model *model)
{
    for (size_t i = 0; i < list->rows; i++) {
        const f2l_outcome *w = &list->row[i];
        if (w->preset == preset && w->setting == setting && w->model == model) return true;
    }
    return false;
}

/* Returns about how long a seed takes on a device; NAN where there is no such recipe. */
static double expect_seconds(const f2l_preset *preset, f2l_preset_setting setting,
                             const f2l_preset_model *model)
{
    const f2l_preset_choice choice = {.setting = setting, .model = model, .scale = 1, .seed = 1};
    f2l_error err;
    f2l_preset_run run;
    f2l_preset_run_init(&run);
    const double seconds = f2l_preset_build(&run, preset, &choice, &err) == F2L_OK
                               ? f2l_experiment_seconds(&run.experiment, F2L_BACKEND_CUDA)
                               : (double)NAN;
    f2l_preset_run_clear(&run);
    return seconds;
}

static void say_missing_run(f2l_fact list, const f2l_preset *preset, f2l_preset_setting setting,
                            const f2l_preset_model *model)
{
    const char *name = f2l_preset_setting_name(setting);
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_buf command;
    f2l_buf_init(&command);
    f2l_buf_printf(&command, "fsa2lrnn reproduce %s --setting %s --model %s --backend cuda",
                   preset->name, name, model->name);
    f2l_say_text(one, "preset", preset->name);
    f2l_say_text(one, "setting", name);
    f2l_say_text(one, "model", model->name);
    f2l_say_buf(one, "command", &command);
    f2l_say_number(one, "expected_seconds", expect_seconds(preset, setting, model));
}

void f2l_reproduce_say_missing(f2l_fact in, const f2l_reproduce_report *report)
{
    size_t runs = 0;
    f2l_fact list = f2l_say_list(in, "not_run");
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            const f2l_preset_model *m;
            if (!report->not_run || p->kind == F2L_DATA_WORDS ||
                (report->only != NULL && report->only != p) ||
                f2l_preset_check(p, setting, NULL) != F2L_OK)
                continue;
            for (size_t i = 0; (m = f2l_preset_model_at(p, setting, i)) != NULL; i++, runs++)
                if (!was_run(report->outcomes, p, setting, m)) say_missing_run(list, p, setting, m);
        }
    f2l_say_count(in, "wanted_runs", runs);
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
        f2l_buf_text(out, " a seed\n");
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
