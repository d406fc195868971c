/* The table of reproduced experiments as JSON. */
#include "reports/compile/report_json.h"
#include "reports/training/impl.h"
#include <math.h>

#define SCHEMA 1

static json_t *published_row(const f2l_published *p)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "length", p->length ? f2l_json_number(p->length) : json_null()) &&
               f2l_json_put(o, "value", isnan(p->value) ? json_null() : json_real(p->value)) &&
               f2l_json_put(o, "deviation",
                            p->deviation > 0 ? json_real(p->deviation) : json_null()) &&
               f2l_json_put(o, "what", f2l_json_text(p->what)) &&
               f2l_json_put(o, "source", f2l_json_text(p->source)) &&
               f2l_json_put(o, "paper", json_boolean(p->paper)));
}

static json_t *published(const f2l_preset *preset, const char *model)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (const f2l_published *p = f2l_published_numbers;
         complete && (p = f2l_reproduce_published(p, preset, model)) != NULL; p++)
        complete = f2l_json_append(a, published_row(p));
    return f2l_json_finish(a, complete);
}

static bool put_spread(json_t *o, const f2l_train_spread *s)
{
    return f2l_json_put(o, "median", json_real(s->median)) &&
           f2l_json_put(o, "least", json_real(s->least)) &&
           f2l_json_put(o, "greatest", json_real(s->greatest));
}

static json_t *mean(const f2l_outcome *w)
{
    f2l_train_spread spread;
    if (w->preset->when != F2L_DATA_LAST) return json_null();
    const f2l_status status = f2l_outcome_measure(&spread, w, w->lengths, NULL);
    if (status == F2L_EDOMAIN) return json_null();
    json_t *o = json_object();
    return f2l_json_finish(o, status == F2L_OK && put_spread(o, &spread));
}

static json_t *by_length(const f2l_outcome *w)
{
    const f2l_outcome_seed *scored = f2l_outcome_scored(w);
    json_t *a = json_array();
    bool complete = a != NULL;
    for (size_t i = 0; complete && scored != NULL && i < w->lengths; i++) {
        f2l_train_spread spread;
        complete = f2l_outcome_measure(&spread, w, i, NULL) == F2L_OK;
        if (!complete) break;
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(
                   o, f2l_json_put(o, "length", f2l_json_number(scored->score[i].length)) &&
                          put_spread(o, &spread)));
    }
    return f2l_json_finish(a, complete);
}

static json_t *outcome_json(const f2l_outcomes *list, const f2l_outcome *w)
{
    f2l_outcome_rates rates;
    json_t *o = json_object();
    if (f2l_outcomes_rates(&rates, list, (size_t)(w - list->row), NULL) != F2L_OK)
        return f2l_json_finish(o, false);
    return f2l_json_finish(
        o,
        f2l_json_put(o, "row", f2l_outcome_json(w)) &&
            f2l_json_put(o, "rates", f2l_json_number(rates.rates)) &&
            f2l_json_put(o, "best_rate",
                         rates.rates > 1 ? json_real(list->row[rates.best].rate) : json_null()) &&
            f2l_json_put(o, "mean", mean(w)) && f2l_json_put(o, "by_length", by_length(w)));
}

static json_t *outcomes(const f2l_reproduce_report *report, const f2l_preset *preset,
                        const f2l_preset_model *model)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    size_t at = 0;
    for (const f2l_outcome *w;
         complete && (w = f2l_reproduce_next(&at, report, preset, model)) != NULL;)
        complete = f2l_json_append(a, outcome_json(report->outcomes, w));
    return f2l_json_finish(a, complete);
}

static json_t *models(const f2l_reproduce_report *report, const f2l_preset *preset)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (size_t i = 0; complete && i < F2L_PRESET_MODELS && preset->model[i].name; i++) {
        const f2l_preset_model *m = &preset->model[i];
        if (!report->all && !f2l_reproduce_has(report, preset, m)) continue;
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(o, f2l_json_put(o, "model", f2l_json_text(m->name)) &&
                                      f2l_json_put(o, "text", f2l_json_text(m->text)) &&
                                      f2l_json_put(o, "published", published(preset, m->name)) &&
                                      f2l_json_put(o, "outcomes", outcomes(report, preset, m))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *others(const f2l_preset *preset)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (const f2l_published *p = f2l_published_numbers;
         complete && (p = f2l_reproduce_other(p, preset)) != NULL; p++) {
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(o, f2l_json_put(o, "model", f2l_json_text(p->model)) &&
                                      f2l_json_put(o, "published", published(preset, p->model))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *remarks(const f2l_reproduce_report *report, const f2l_preset *preset)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (int s = 0; complete && s < F2L_PRESET_SETTINGS; s++) {
        const f2l_preset_setting setting = (f2l_preset_setting)s;
        if (!f2l_reproduce_uses(report, preset, setting)) continue;
        json_t *o = json_object();
        complete = f2l_json_append(
            a,
            f2l_json_finish(
                o,
                f2l_json_put(o, "setting", f2l_json_text(f2l_preset_setting_name((size_t)s))) &&
                    f2l_json_put(o, "remark", f2l_json_text(f2l_preset_remark(preset, setting)))));
    }
    return f2l_json_finish(a, complete);
}

static json_t *preset_json(const f2l_reproduce_report *report, const f2l_preset *preset)
{
    const bool last = preset->when == F2L_DATA_LAST;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "preset", f2l_json_text(preset->name)) &&
               f2l_json_put(o, "text", f2l_json_text(preset->text)) &&
               f2l_json_put(o, "source", f2l_json_text(preset->source)) &&
               f2l_json_put(o, "measure",
                            f2l_json_text(last ? "scaled_accuracy" : "sequence_accuracy")) &&
               f2l_json_put(o, "models", models(report, preset)) &&
               f2l_json_put(o, "others", others(preset)) &&
               f2l_json_put(o, "remarks", remarks(report, preset)));
}

static json_t *presets(const f2l_reproduce_report *report)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    for (const f2l_preset *p = f2l_presets; complete && p->name != NULL; p++)
        if (f2l_reproduce_shown(report, p)) complete = f2l_json_append(a, preset_json(report, p));
    return f2l_json_finish(a, complete);
}

static json_t *times(const f2l_reproduce_report *report)
{
    json_t *a = json_array();
    bool complete = a != NULL;
    size_t at = 0, runs;
    double seconds;
    for (const f2l_outcome *w;
         complete && (w = f2l_reproduce_next_total(&at, &runs, &seconds, report)) != NULL;) {
        json_t *o = json_object();
        complete = f2l_json_append(
            a, f2l_json_finish(
                   o, f2l_json_put(o, "device", f2l_json_text(w->device)) &&
                          f2l_json_put(o, "unit",
                                       f2l_json_text(f2l_reproduce_on_gpu(w) ? "GPU" : "CPU")) &&
                          f2l_json_put(o, "runs", f2l_json_number(runs)) &&
                          f2l_json_put(o, "device_seconds", json_real(seconds))));
    }
    return f2l_json_finish(a, complete);
}

f2l_status f2l_reproduce_report_json(f2l_buf *out, const f2l_reproduce_report *report,
                                     f2l_error *err)
{
    json_t *o = json_object();
    o = f2l_json_finish(o, f2l_json_put(o, "schema", f2l_json_number(SCHEMA)) &&
                               f2l_json_put(o, "presets", presets(report)) &&
                               f2l_json_put(o, "time", times(report)));
    return f2l_json_write(out, o, JSON_COMPACT, err);
}
