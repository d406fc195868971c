#include "numeric/base/path.h"
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include "reports/training/train_report.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <string.h>

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Returns a number, or null for infinities, which JSON lacks. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Writes more digits than f2l_report_dump, because configurations are to be repeated. */
static f2l_status dump(f2l_buf *out, json_t *o, f2l_error *err)
{
    return f2l_json_write(out, o, JSON_INDENT(2) | JSON_REAL_PRECISION(15), err);
}

/* Returns the object of config.json. */
static json_t *config(const f2l_experiment *experiment, f2l_error *err)
{
    f2l_buf text;
    json_t *value = NULL;
    f2l_buf_init(&text);
    f2l_status status = f2l_experiment_write(&text, experiment, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) {
        value = json_loadb(text.data, text.size, 0, NULL);
        if (!value) (void)f2l_fail_memory(err);
    }
    f2l_buf_clear(&text);
    return value;
}

static json_t *formats(const f2l_compile_result *c)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->formats; i++)
        complete =
            f2l_json_append(a, json_pack("{s:s, s:s, s:s}", "format", c->format[i].format->name,
                                         "schedule", c->format[i].schedule->name, "verdict",
                                         f2l_report_verdict(c->format[i].closure.verdict)));
    return f2l_json_finish(a, complete);
}

/* Returns the constructed network. The exact verdict is about all words; a format's verdict is
 * about all words under its schedule. */
static json_t *constructed(const f2l_train_report *r)
{
    const f2l_compile_result *c = r->constructed;
    if (!c || !c->theorem) return json_pack("{s:n, s:s}", "theorem", "reason", r->why_none);
    f2l_compile_figures size;
    f2l_compile_measure(&size, c);
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "theorem", f2l_json_text(c->theorem)) &&
               f2l_json_put(o, "variant", f2l_json_text(c->variant ? c->variant : "")) &&
               f2l_json_put(o, "layers", f2l_json_number(size.layers)) &&
               f2l_json_put(o, "householders", f2l_json_number(size.householders)) &&
               f2l_json_put(o, "key_dim", f2l_json_number(size.key_dim)) &&
               f2l_json_put(o, "exact", f2l_json_text(f2l_report_verdict(c->exact.verdict))) &&
               f2l_json_put(o, "formats", formats(c)));
}

/* Returns a score. The counts are exact; accuracies are rounded where they are printed. */
static json_t *score(const f2l_train_score *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "length", (json_int_t)s->length,
                     "sequences", (json_int_t)s->sequences, "right_sequences",
                     (json_int_t)s->right_ones, "answers", (json_int_t)s->supervised,
                     "right_answers", (json_int_t)s->right, "sequence_accuracy",
                     f2l_train_sequence_accuracy(s), "accuracy", f2l_train_accuracy(s),
                     "scaled_accuracy", f2l_train_scaled_accuracy(s));
}

static json_t *scores(const f2l_train_score *s, size_t n)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < n; i++) complete = f2l_json_append(a, score(&s[i]));
    return f2l_json_finish(a, complete);
}

static json_t *run(const f2l_train_report *r, size_t k)
{
    const f2l_train_result *x = &r->run[k].result;
    const f2l_error *why = &r->run[k].why;
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "seed", count(r->run[k].seed)) &&
               f2l_json_put(o, "end", f2l_json_text(f2l_train_end_name(x->end))) &&
               f2l_json_put(o, "why",
                            why->status == F2L_OK ? json_null() : f2l_json_text(why->text)) &&
               f2l_json_put(o, "steps", count(x->step)) &&
               f2l_json_put(o, "letters", count(x->tokens)) &&
               f2l_json_put(o, "loss", real(x->loss)) &&
               f2l_json_put(o, "lengths", scores(x->score, x->scores)));
}

static json_t *runs(const f2l_train_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t k = 0; complete && k < r->runs; k++) complete = f2l_json_append(a, run(r, k));
    return f2l_json_finish(a, complete);
}

static json_t *spread(const f2l_train_report *r, size_t i, f2l_train_measure measure)
{
    f2l_train_spread s;
    if (f2l_train_report_spread(&s, r, i, measure, NULL) != F2L_OK) return NULL;
    if (s.count == 0) return json_null();
    return json_pack("{s:f, s:f, s:f, s:f}", "median", s.median, "least", s.least, "greatest",
                     s.greatest, "deviation", s.deviation);
}

static json_t *row(const f2l_train_report *r, size_t i)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o,
        f2l_json_put(o, "length", f2l_json_number(r->experiment->train.length[i])) &&
            f2l_json_put(o, "constructed", f2l_train_is_proved(r) ? json_real(1) : json_null()) &&
            f2l_json_put(o, "sequence_accuracy", spread(r, i, F2L_MEASURE_SEQUENCE)) &&
            f2l_json_put(o, "accuracy", spread(r, i, F2L_MEASURE_ACCURACY)) &&
            f2l_json_put(o, "scaled_accuracy", spread(r, i, F2L_MEASURE_SCALED)));
}

static json_t *rows(const f2l_train_report *r)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < r->experiment->train.lengths; i++)
        complete = f2l_json_append(a, row(r, i));
    return f2l_json_finish(a, complete);
}

static json_t *timing(const f2l_train_report *r)
{
    json_t *o = json_object(), *a = json_array();
    bool complete = true;
    for (size_t k = 0; complete && k < r->runs; k++)
        complete = f2l_json_append(a, json_real(r->run[k].result.seconds));
    return f2l_json_finish(o, f2l_json_put(o, "seconds", f2l_json_finish(a, complete)));
}

static json_t *optional_text(const char *text)
{
    return text ? f2l_json_text(text) : json_null();
}

/* Returns what is known before the first step. Takes the configuration in any case. */
static json_t *head(const f2l_train_report *r, json_t *configuration)
{
    json_t *o = json_object();
    const bool begun = f2l_json_put(o, "schema", json_integer(1)) &&
                       f2l_json_put(o, "source", f2l_json_text(r->source)) &&
                       f2l_json_put(o, "backend", f2l_json_text(r->backend)) &&
                       f2l_json_put(o, "parameters", f2l_json_number(r->parameters));
    const bool taken = f2l_json_put(o, "config", configuration);
    return f2l_json_finish(o, begun && taken && f2l_json_put(o, "constructed", constructed(r)));
}

f2l_status f2l_train_report_json(f2l_buf *out, const f2l_train_report *r, f2l_error *err)
{
    json_t *configuration = config(r->experiment, err);
    if (!configuration) return err ? err->status : F2L_ENOMEM;
    json_t *o = head(r, configuration);
    const bool complete = o && f2l_json_put(o, "folder", optional_text(r->folder)) &&
                          f2l_json_put(o, "runs", runs(r)) && f2l_json_put(o, "lengths", rows(r)) &&
                          f2l_json_put(o, "timing", timing(r));
    return dump(out, f2l_json_finish(o, complete), err);
}

f2l_status f2l_train_plan_json(f2l_buf *out, const f2l_train_report *r,
                               const f2l_experiment_need *need, f2l_error *err)
{
    json_t *configuration = config(r->experiment, err);
    if (!configuration) return err ? err->status : F2L_ENOMEM;
    json_t *o = head(r, configuration);
    const bool complete =
        o && f2l_json_put(o, "bytes", f2l_json_number(need->host)) &&
        f2l_json_put(o, "device_bytes",
                     need->device > 0 ? f2l_json_number(need->device) : json_null());
    return dump(out, f2l_json_finish(o, complete), err);
}

static json_t *model(const f2l_seq *m)
{
    f2l_buf text;
    json_t *value = NULL;
    f2l_buf_init(&text);
    if (f2l_seq_config_write(&text, &m->config, NULL) == F2L_OK && !text.failed)
        value = json_loadb(text.data, text.size, 0, NULL);
    f2l_buf_clear(&text);
    return value;
}

f2l_status f2l_evaluate_report_json(f2l_buf *out, const f2l_evaluate_report *r, f2l_error *err)
{
    json_t *o = json_object();
    const bool complete =
        f2l_json_put(o, "schema", json_integer(1)) &&
        f2l_json_put(o, "weights", f2l_json_text(f2l_path_base(r->weights))) &&
        f2l_json_put(o, "source", f2l_json_text(r->source)) &&
        f2l_json_put(o, "model", model(r->model)) &&
        f2l_json_put(o, "parameters", f2l_json_number(r->model->parameters)) &&
        f2l_json_put(o, "sequences", f2l_json_number(r->sequences)) &&
        f2l_json_put(o, "lengths", scores(r->score, r->scores)) &&
        f2l_json_put(o, "first_wrong",
                     r->first_wrong ? f2l_json_number(r->first_wrong) : json_null()) &&
        f2l_json_put(o, "timing", json_pack("{s:f}", "seconds", r->seconds));
    return dump(out, f2l_json_finish(o, complete), err);
}
