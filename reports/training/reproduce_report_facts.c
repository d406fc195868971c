/* The facts of the table of reproduced experiments. */
#include "numeric/base/mem.h"
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

void f2l_say_values(f2l_fact in, const char *name, const double *value, size_t count)
{
    f2l_error err;
    f2l_train_spread spread = {0};
    if (f2l_outcome_missing(count) == 0 &&
        f2l_train_spread_of(&spread, value, count, &err) != F2L_OK)
        f2l_facts_fail(in, &err);
    f2l_say_spread(in, name, &spread);
    f2l_fact list = f2l_say_list(in, "values");
    for (size_t i = 0; i < count; i++) f2l_say_number(list, NULL, value[i]);
}

/* Puts the measure at a length (outcome->lengths: the mean over lengths). */
static void say_measured(f2l_fact in, const char *name, const f2l_outcome *w, size_t at,
                         double *value)
{
    f2l_say_values(in, name, value, f2l_outcome_values(value, w, at) ? w->seeds : 0);
    f2l_say_number(in, "scaled_constant", f2l_outcome_constant(w, at));
}

/* Puts that there is no mean. */
static void say_none(f2l_fact in)
{
    f2l_say_values(in, "mean", NULL, 0);
    f2l_say_null(in, "scaled_constant");
}

static void say_lengths(f2l_fact in, const f2l_outcome *w, double *value)
{
    const f2l_outcome_seed *scored = f2l_outcome_scored(w);
    f2l_fact lengths = f2l_say_list(in, "by_length");
    for (size_t i = 0; scored != NULL && i < w->lengths; i++) {
        f2l_fact at = f2l_say_object(lengths, NULL);
        f2l_say_count(at, "length", scored->score[i].length);
        say_measured(at, "measured", w, i, value);
    }
    size_t length;
    f2l_fact every = f2l_say_list(in, "every_length");
    for (size_t i = 0; f2l_outcome_every(value, &length, w, i); i++) {
        f2l_fact at = f2l_say_object(every, NULL);
        f2l_say_count(at, "length", length);
        f2l_say_values(at, "measured", value, w->seeds);
        f2l_say_null(at, "scaled_constant");
    }
}

/* Puts the numbers of runs by their ends, and whether all have their curves. */
static void say_ends(f2l_fact in, const f2l_outcome *w)
{
    size_t diverged = 0, stopped = 0, running = 0, unscored = 0;
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_outcome_seed *s = &w->seed[i];
        diverged += s->end == F2L_TRAIN_DIVERGED;
        stopped += s->stopped;
        running += s->end == F2L_TRAIN_GOES_ON && !s->stopped;
        unscored += s->score == NULL && s->end != F2L_TRAIN_DIVERGED;
    }
    f2l_say_count(in, "runs_diverged", diverged);
    f2l_say_count(in, "runs_stopped", stopped);
    f2l_say_count(in, "runs_running", running);
    f2l_say_count(in, "runs_unevaluated", unscored);
    f2l_say_truth(in, "curves_known", f2l_outcome_has_curves(w));
}

static void say_rates(f2l_fact in, const f2l_outcomes *all, const f2l_outcome *w)
{
    f2l_error err;
    f2l_outcome_rates rates = {0};
    if (f2l_outcomes_rates(&rates, all, (size_t)(w - all->row), &err) != F2L_OK)
        f2l_facts_fail(in, &err);
    f2l_say_count(in, "rates", rates.rates);
    f2l_say_count(in, "rates_compared", rates.compared);
    f2l_say_count(in, "rate_seeds", rates.seeds);
    f2l_say_number(in, "best_rate", rates.best);
    f2l_say_truth(in, "best", rates.best == w->rate);
}

/* Puts how many seeds are missing of those that an average takes. */
static void say_missing_seeds(f2l_fact in, const f2l_reproduce_report *r, const f2l_outcome *w)
{
    const size_t missing = f2l_outcome_missing(w->seeds);
    f2l_say_count(in, "seeds_missing", missing);
    f2l_say_truth(in, "values_shown", missing == 0 || r->trained);
}

static void say_outcome(f2l_fact list, const f2l_reproduce_report *r, const f2l_outcome *w)
{
    f2l_error err;
    f2l_fact one = f2l_say_object(list, NULL);
    double *value = f2l_calloc(w->seeds + 1, sizeof *value);
    if (value == NULL) {
        f2l_facts_fail(list, (f2l_fail_memory(&err), &err));
        return;
    }
    f2l_outcome_say(f2l_say_object(one, "row"), w);
    f2l_reproduce_say_recipe(one, w);
    say_rates(one, r->outcomes, w);
    say_missing_seeds(one, r, w);
    say_ends(one, w);
    if (f2l_preset_has_mean(w->preset))
        say_measured(one, "mean", w, w->lengths, value);
    else
        say_none(one);
    say_lengths(one, w, value);
    f2l_outcome_say_sets(one, w);
    f2l_outcome_say_words(one, w);
    f2l_outcome_say_failing(one, w);
    f2l_outcome_say_differences(one, w);
    f2l_free(value);
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
            say_outcome(outcomes, r, w);
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
                     f2l_preset_is_scaled(p) ? "scaled_accuracy" : "sequence_accuracy");
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
