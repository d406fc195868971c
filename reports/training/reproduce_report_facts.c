/* The facts of the table of reproduced experiments. */
#include "reports/training/impl.h"
#include <math.h>

static void say_published(f2l_fact in, const f2l_preset *preset, const char *model)
{
    f2l_fact list = f2l_say_list(in, "published");
    for (const f2l_published *p = f2l_published_numbers;
         (p = f2l_reproduce_published(p, preset, model)) != NULL; p++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_known(one, "length", p->length > 0, p->length);
        f2l_say_number(one, "value", p->value);
        f2l_say_number(one, "deviation", p->deviation > 0 ? p->deviation : NAN);
        f2l_say_text(one, "what", p->what);
        f2l_say_text(one, "source", p->source);
        f2l_say_truth(one, "paper", p->paper);
    }
}

/* Puts the spread of the measure at a length (outcome->lengths: the mean over lengths). */
static void say_measured(f2l_fact in, const char *name, const f2l_outcome *w, size_t at)
{
    f2l_error err;
    f2l_train_spread spread = {0};
    const f2l_status status = f2l_outcome_measure(&spread, w, at, &err);
    if (status != F2L_OK && status != F2L_EDOMAIN) f2l_facts_fail(in, &err);
    if (status != F2L_OK) spread.count = 0;
    f2l_say_spread(in, name, &spread);
}

static void say_outcome(f2l_fact list, const f2l_outcomes *all, const f2l_outcome *w)
{
    f2l_error err;
    f2l_outcome_rates rates = {0};
    const f2l_outcome_seed *scored = f2l_outcome_scored(w);
    if (f2l_outcomes_rates(&rates, all, (size_t)(w - all->row), &err) != F2L_OK)
        f2l_facts_fail(list, &err);
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_outcome_say(f2l_say_object(one, "row"), w);
    f2l_say_count(one, "rates", rates.rates);
    f2l_say_number(one, "best_rate", rates.rates > 1 ? all->row[rates.best].rate : NAN);
    f2l_say_truth(one, "best", &all->row[rates.best] == w);
    if (w->preset->when == F2L_DATA_LAST)
        say_measured(one, "mean", w, w->lengths);
    else
        f2l_say_null(one, "mean");
    f2l_fact lengths = f2l_say_list(one, "by_length");
    for (size_t i = 0; scored != NULL && i < w->lengths; i++) {
        f2l_fact at = f2l_say_object(lengths, NULL);
        f2l_say_count(at, "length", scored->score[i].length);
        say_measured(at, "measured", w, i);
    }
}

static void say_models(f2l_fact in, const f2l_reproduce_report *r, const f2l_preset *preset)
{
    f2l_fact list = f2l_say_list(in, "models");
    for (size_t i = 0; i < F2L_PRESET_MODELS && preset->model[i].name; i++) {
        const f2l_preset_model *m = &preset->model[i];
        size_t at = 0;
        if (!r->all && !f2l_reproduce_has(r, preset, m)) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "model", m->name);
        f2l_say_text(one, "text", m->text);
        say_published(one, preset, m->name);
        f2l_reproduce_say_constructed(one, preset, m);
        f2l_fact outcomes = f2l_say_list(one, "outcomes");
        for (const f2l_outcome *w; (w = f2l_reproduce_next(&at, r, preset, m)) != NULL;)
            say_outcome(outcomes, r->outcomes, w);
    }
}

static void say_others(f2l_fact in, const f2l_preset *preset)
{
    f2l_fact list = f2l_say_list(in, "other_models");
    for (const f2l_published *p = f2l_published_numbers;
         (p = f2l_reproduce_other(p, preset)) != NULL; p++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "model", p->model);
        say_published(one, preset, p->model);
    }
}

static void say_remarks(f2l_fact in, const f2l_reproduce_report *r, const f2l_preset *preset)
{
    f2l_fact list = f2l_say_list(in, "remarks");
    for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
        const f2l_preset_setting setting = (f2l_preset_setting)s;
        if (!f2l_reproduce_uses(r, preset, setting)) continue;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "setting", f2l_preset_setting_name((size_t)s));
        f2l_say_text(one, "remark", f2l_preset_remark(preset, setting));
    }
}

void f2l_reproduce_describe(f2l_fact out, const void *report)
{
    const f2l_reproduce_report *r = report;
    size_t at = 0, runs;
    double seconds;
    f2l_fact presets = f2l_say_list(out, "presets");
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++) {
        if (!f2l_reproduce_shown(r, p)) continue;
        f2l_fact one = f2l_say_object(presets, NULL);
        f2l_say_text(one, "preset", p->name);
        f2l_say_text(one, "text", p->text);
        f2l_say_text(one, "source", p->source);
        f2l_say_text(one, "measure",
                     p->when == F2L_DATA_LAST ? "scaled_accuracy" : "sequence_accuracy");
        say_models(one, r, p);
        say_others(one, p);
        say_remarks(one, r, p);
    }
    f2l_reproduce_say_suite(out, r);
    f2l_reproduce_say_missing(out, r);
    f2l_fact times = f2l_say_list(out, "time");
    for (const f2l_outcome *w; (w = f2l_reproduce_next_total(&at, &runs, &seconds, r)) != NULL;) {
        f2l_fact one = f2l_say_object(times, NULL);
        f2l_say_text(one, "device", w->device);
        f2l_say_text(one, "unit", f2l_reproduce_on_gpu(w) ? "GPU" : "CPU");
        f2l_say_count(one, "run_count", runs);
        f2l_say_number(one, "device_seconds", seconds);
    }
    f2l_fact left = f2l_say_list(out, "left");
    for (size_t i = 0; i < json_array_size(r->left); i++)
        f2l_say_json(left, NULL, json_deep_copy(json_array_get(r->left, i)));
}

f2l_status f2l_reproduce_report_json(f2l_buf *out, const f2l_reproduce_report *report,
                                     f2l_error *err)
{
    const f2l_facts_style style = {.digits = 17};
    return f2l_report_as_json(out, "reproduce", f2l_reproduce_describe, report, style, err);
}
