/* The table of reproduced experiments as text. */
#include "reports/training/impl.h"
#include <math.h>

#define WIDTH 100

/* Appends text broken at single blanks: the first line begins where the buffer's line ends (at
 * column `at`), all others after the indent. */
static void put_wrapped(f2l_buf *out, size_t indent, size_t at, const char *text)
{
    bool first = true;
    while (*text != '\0') {
        const size_t word = strcspn(text, " ");
        if (!first && at + 1 + word > WIDTH) {
            f2l_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            f2l_buf_text(out, " ");
            at++;
        }
        f2l_buf_bytes(out, text, word);
        at += word;
        text += word + (text[word] == ' ');
        first = false;
    }
    f2l_buf_text(out, "\n");
}

#define INDENT 17

/* Appends "    published    TEXT"; the label only before the first line of its kind. */
static f2l_status put_entry(f2l_buf *out, const char *label, const f2l_buf *text, f2l_error *err)
{
    const f2l_status status = f2l_buf_status(text, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "    %-*s", INDENT - 4, label);
    put_wrapped(out, INDENT, INDENT, text->data);
    return F2L_OK;
}

static void put_number(f2l_buf *out, const f2l_published *p)
{
    if (p->length > 0) f2l_buf_printf(out, "%zu: ", p->length);
    if (!isnan(p->value)) f2l_buf_printf(out, "%.3f", p->value);
    if (p->deviation > 0) f2l_buf_printf(out, " +- %.3f", p->deviation);
    if (p->what[0] != '\0') f2l_buf_printf(out, "%s%s", isnan(p->value) ? "" : " ", p->what);
}

/* Appends the published numbers; consecutive numbers of one source share a line. */
static f2l_status put_published(f2l_buf *out, const f2l_preset *preset, const char *model,
                                f2l_error *err)
{
    const f2l_published *p = f2l_reproduce_published(f2l_published_numbers, preset, model);
    f2l_status status = F2L_OK;
    while (p != NULL && status == F2L_OK) {
        const f2l_published *first = p;
        f2l_buf line;
        f2l_buf_init(&line);
        for (; p != NULL && strcmp(p->source, first->source) == 0;
             p = f2l_reproduce_published(p + 1, preset, model)) {
            if (p != first) f2l_buf_text(&line, ", ");
            put_number(&line, p);
        }
        f2l_buf_printf(&line, " (%s)", first->source);
        status = put_entry(out, first->paper ? "published" : "earlier", &line, err);
        f2l_buf_clear(&line);
    }
    return status;
}

static void put_spread(f2l_buf *out, const f2l_train_spread *s)
{
    f2l_buf_printf(out, "%.3f", s->median);
    if (s->count > 1) f2l_buf_printf(out, " (%.3f to %.3f)", s->least, s->greatest);
}

static size_t diverged(const f2l_outcome *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->seeds; i++) count += w->seed[i].score == NULL;
    return count;
}

static void put_seconds(f2l_buf *out, double seconds)
{
    if (seconds < 120)
        f2l_buf_printf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        f2l_buf_printf(out, "%.0f min", seconds / 60);
    else
        f2l_buf_printf(out, "%.1f h", seconds / 3600);
}

static void put_device_seconds(f2l_buf *out, double seconds, bool gpu)
{
    f2l_buf_printf(out, seconds < 10 ? "%.1f %s seconds" : "%.0f %s seconds", seconds,
                   gpu ? "GPU" : "CPU");
}

/* Appends ", batch 64, rate 0.001 (the best of 4 by the median)". */
static void put_rate(f2l_buf *out, const f2l_outcome *w, const f2l_outcome_rates *rates,
                     const f2l_outcomes *list)
{
    f2l_buf_printf(out, ", batch %zu, rate %g", w->batch, w->rate);
    if (rates->rates < 2) return;
    if (&list->row[rates->best] == w)
        f2l_buf_printf(out, " (the best of %zu by the median)", rates->rates);
    else
        f2l_buf_printf(out, " (of %zu the best is %g)", rates->rates, list->row[rates->best].rate);
}

/* Appends "55 s a seed, 165 GPU seconds, cuda (NVIDIA H200, 2 devices)"; the name of a CPU device
 * contains the number of processors. */
static void put_time(f2l_buf *out, const f2l_outcome *w)
{
    put_seconds(out, f2l_outcome_seconds(w) / (double)w->seeds);
    f2l_buf_text(out, w->seeds == 1 ? ", " : " a seed, ");
    put_device_seconds(out, f2l_outcome_device_seconds(w), f2l_reproduce_on_gpu(w));
    f2l_buf_printf(out, ", %s (%s", w->backend, w->device);
    if (f2l_reproduce_on_gpu(w))
        f2l_buf_printf(out, ", %zu device%s", w->devices, w->devices == 1 ? "" : "s");
    f2l_buf_text(out, ")");
}

/* Appends the terms of the numbers: setting, scale, steps, seeds, rate and time. */
static void put_terms(f2l_buf *out, const f2l_outcome *w, const f2l_outcome_rates *rates,
                      const f2l_outcomes *list)
{
    f2l_buf_printf(out, "%s setting, ", f2l_preset_setting_name(w->setting));
    if (w->steps == w->full_steps)
        f2l_buf_printf(out, "all %llu steps", (unsigned long long)w->steps);
    else
        f2l_buf_printf(out, "%s to %g: %llu of %llu steps",
                       w->scale < 1 ? "shortened" : "lengthened", w->scale,
                       (unsigned long long)w->steps, (unsigned long long)w->full_steps);
    put_rate(out, w, rates, list);
    f2l_buf_printf(out,
                   w->seeds == 1 ? ", 1 seed, "
                                 : ", %zu seeds, median (least to "
                                   "greatest), ",
                   w->seeds);
    if (diverged(w) > 0) f2l_buf_printf(out, "%zu diverged, ", diverged(w));
    put_time(out, w);
    f2l_buf_printf(out, ", %s, commit %s", w->date, w->commit);
    if (w->trained[0] != '\0') f2l_buf_printf(out, "; %s", w->trained);
    if (w->note[0] != '\0') f2l_buf_printf(out, "; %s", w->note);
}

static f2l_status put_scores(f2l_buf *line, const f2l_outcome *w, f2l_error *err)
{
    const f2l_outcome_seed *scored = f2l_outcome_scored(w);
    f2l_train_spread spread;
    if (scored == NULL) {
        f2l_buf_text(line, "diverged");
        return F2L_OK;
    }
    if (w->preset->when == F2L_DATA_LAST &&
        f2l_outcome_measure(&spread, w, w->lengths, NULL) == F2L_OK) {
        put_spread(line, &spread);
        f2l_buf_text(line, "; ");
    }
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < w->lengths && status == F2L_OK; i++) {
        status = f2l_outcome_measure(&spread, w, i, err);
        if (status != F2L_OK) break;
        f2l_buf_printf(line, "%s%zu: ", i ? ", " : "", scored->score[i].length);
        put_spread(line, &spread);
    }
    return status;
}

static f2l_status put_outcome(f2l_buf *out, const f2l_outcome *w, const f2l_outcomes *list,
                              f2l_error *err)
{
    f2l_buf line;
    f2l_outcome_rates rates;
    f2l_status status = f2l_outcomes_rates(&rates, list, (size_t)(w - list->row), err);
    f2l_buf_init(&line);
    if (status == F2L_OK) status = put_scores(&line, w, err);
    if (status == F2L_OK) status = put_entry(out, "here", &line, err);
    line.size = 0;
    if (status == F2L_OK) put_terms(&line, w, &rates, list);
    if (status == F2L_OK) status = put_entry(out, "", &line, err);
    f2l_buf_clear(&line);
    return status;
}

static f2l_status put_model(f2l_buf *out, const f2l_reproduce_report *report,
                            const f2l_preset *preset, const f2l_preset_model *model, f2l_error *err)
{
    size_t at = 0;
    f2l_buf_printf(out, "\n  %s: %s\n", model->name, model->text);
    f2l_status status = put_published(out, preset, model->name, err);
    if (status == F2L_OK && !f2l_reproduce_has(report, preset, model))
        f2l_buf_printf(out, "    %-*s-\n", INDENT - 4, "here");
    for (const f2l_outcome *w;
         status == F2L_OK && (w = f2l_reproduce_next(&at, report, preset, model)) != NULL;)
        status = put_outcome(out, w, report->outcomes, err);
    return status;
}

static f2l_status put_preset(f2l_buf *out, const f2l_reproduce_report *report,
                             const f2l_preset *preset, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf_printf(
        out,
        "%s%s: %s (%s)\n"
        "  %s\n",
        out->size ? "\n" : "", preset->name, preset->text, preset->source,
        preset->when == F2L_DATA_LAST
            ? "scaled accuracy, (accuracy - chance) / (1 - chance): mean over lengths 40 to 256; "
              "by length"
            : "sequence accuracy by length: sequences all of whose answers are right");
    for (size_t i = 0; i < F2L_PRESET_MODELS && preset->model[i].name && status == F2L_OK; i++)
        if (report->all || f2l_reproduce_has(report, preset, &preset->model[i]))
            status = put_model(out, report, preset, &preset->model[i], err);
    for (const f2l_published *p = f2l_published_numbers;
         status == F2L_OK && (p = f2l_reproduce_other(p, preset)) != NULL; p++) {
        f2l_buf_printf(out, "\n  %s\n", p->model);
        status = put_published(out, preset, p->model, err);
    }
    for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
        const char *remark = f2l_preset_remark(preset, (f2l_preset_setting)s);
        if (remark[0] == '\0' || !f2l_reproduce_uses(report, preset, (f2l_preset_setting)s))
            continue;
        const char *name = f2l_preset_setting_name((size_t)s);
        f2l_buf_printf(out, "\n  Remark on the setting %s: ", name);
        put_wrapped(out, 2, strlen("  Remark on the setting : ") + strlen(name), remark);
    }
    return status;
}

/* Appends the time that all rows that are shown have taken. */
static void put_total(f2l_buf *out, const f2l_reproduce_report *report)
{
    size_t at = 0, runs;
    double seconds;
    bool first = true;
    for (const f2l_outcome *w;
         (w = f2l_reproduce_next_total(&at, &runs, &seconds, report)) != NULL;) {
        f2l_buf_text(out, first ? "\nIn all: " : "; ");
        f2l_buf_printf(out, "%zu run%s, ", runs, runs == 1 ? "" : "s");
        put_device_seconds(out, seconds, f2l_reproduce_on_gpu(w));
        f2l_buf_printf(out, " (%s)", w->device);
        first = false;
    }
    if (!first) f2l_buf_text(out, "\n");
}

f2l_status f2l_reproduce_report_text(f2l_buf *out, const f2l_reproduce_report *report,
                                     f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (const f2l_preset *p = f2l_presets; p->name != NULL && status == F2L_OK; p++)
        if (f2l_reproduce_shown(report, p)) status = put_preset(out, report, p, err);
    put_total(out, report);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
