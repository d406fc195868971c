/* The table of reproduced experiments as text. */
#include "numeric/facts/layout.h"
#include "reports/phrases.h"
#include "reports/training/impl.h"
#include <math.h>

#define WIDTH 100
#define INDENT 17

/* Appends "    published    TEXT", and clears the text; the label only before the first line of its
 * kind. */
static void put_entry(f2l_buf *out, const char *label, f2l_buf *text)
{
    f2l_buf_printf(out, "    %-*s", INDENT - 4, label);
    if (text->failed) out->failed = true;
    f2l_report_wrap(out, text->size ? text->data : "", INDENT, INDENT, WIDTH);
    f2l_buf_clear(text);
}

/* Appends the published numbers; consecutive numbers of one source share a line. */
static void lay_published(f2l_buf *out, f2l_fact published)
{
    const size_t n = f2l_get_size(published, "");
    for (size_t i = 0, first = 0; i < n; first = i) {
        const f2l_fact head = f2l_get_item(published, first);
        const char *source = f2l_get_text(head, "source");
        f2l_buf line;
        f2l_buf_init(&line);
        for (; i < n && f2l_is(f2l_get_item(published, i), "source", source); i++) {
            const f2l_fact p = f2l_get_item(published, i);
            if (i > first) f2l_buf_text(&line, ", ");
            f2l_layout(&line, p, "{length?{length}: }");
            if (f2l_is_known(p, "value"))
                f2l_layout(&line, p, "{value%.3f}{deviation? +- {deviation%.3f}}{what? {what}}");
            else
                f2l_layout(&line, p, "{deviation? +- {deviation%.3f}}{what}");
        }
        f2l_layout(&line, head, " ({source})");
        put_entry(out, f2l_get_truth(head, "paper") ? "published" : "earlier", &line);
    }
}

void f2l_reproduce_lay_measured(f2l_buf *out, f2l_fact spread, f2l_fact values)
{
    const size_t n = f2l_get_size(values, "");
    const bool median = f2l_is_known(spread, "");
    if (median) f2l_layout(out, spread, "{median%.3f}");
    if (median && f2l_get_number(spread, "least") == f2l_get_number(spread, "greatest")) return;
    if (median) f2l_buf_text(out, " (");
    for (size_t i = 0; i < n; i++)
        f2l_buf_printf(out, "%s%.3f", i ? ", " : "", f2l_get_number(f2l_get_item(values, i), ""));
    if (median) f2l_buf_text(out, ")");
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

static void put_device_seconds(f2l_buf *out, double seconds, const char *unit)
{
    f2l_buf_printf(out, seconds < 10 ? "%.1f %s seconds" : "%.0f %s seconds", seconds, unit);
}

/* Appends ", batch 64, rate 0.001 (the best of 4 by the median of 3 seeds)". */
static void lay_rate(f2l_buf *out, f2l_fact outcome)
{
    f2l_layout(out, outcome, ", batch {row.batch}, rate {row.rate}");
    if (f2l_get_count(outcome, "rates") < 2) return;
    f2l_layout(out, outcome,
               "{best_rate?{best? (the best of {rates_compared} by the median of {rate_seeds "
               "seed})| (of {rates_compared} with {rate_seeds seed} each the best is "
               "{best_rate})}| (of {rates}; none is called the best, since their numbers of seeds "
               "differ)}");
}

/* Appends "55 s a seed, 165 GPU seconds, cuda (NVIDIA H200, 2 devices)"; the name of a CPU device
 * contains the number of processors. */
static void lay_time(f2l_buf *out, f2l_fact row)
{
    const bool gpu = !f2l_is(row, "backend", "cpu");
    const size_t seeds = f2l_get_size(row, "seeds");
    put_seconds(out, f2l_get_number(row, "timing.seconds") / (double)seeds);
    f2l_buf_text(out, seeds == 1 ? ", " : " a seed, ");
    put_device_seconds(out, f2l_get_number(row, "timing.device_seconds"), gpu ? "GPU" : "CPU");
    f2l_layout(out, row, ", {backend} ({device}{backend=cpu?|, {devices device}})");
}

/* Appends what became of the runs that did not end well, and how they count. */
static void lay_ends(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact seeds = f2l_get(outcome, "row.seeds");
    const size_t running = f2l_get_count(outcome, "runs_running"),
                 stopped = f2l_get_count(outcome, "runs_stopped");
    if (f2l_get_count(outcome, "runs_diverged"))
        f2l_layout(out, outcome, "{runs_diverged} diverged (counted as 0), ");
    if (running + stopped == 0) return;
    f2l_buf_printf(out, "%zu not at %s end (", running + stopped,
                   running + stopped == 1 ? "its" : "their");
    for (size_t i = 0, n = 0; i < f2l_get_size(seeds, ""); i++) {
        const f2l_fact seed = f2l_get_item(seeds, i);
        if (!f2l_is(seed, "end", "running") && !f2l_is(seed, "end", "stopped")) continue;
        f2l_buf_text(out, n++ ? ", " : "");
        f2l_layout(out, seed, "seed {seed} {end} at step {steps}");
        if (!f2l_get_size(seed, "lengths")) f2l_buf_text(out, " without an evaluation: 0");
    }
    f2l_buf_text(out, "; the last evaluation counts), ");
}

/* Appends the terms of the numbers: setting, scale, steps, seeds, rate and time. */
static void lay_terms(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact row = f2l_get(outcome, "row"), seeds = f2l_get(row, "seeds");
    f2l_layout(out, row, "{setting} setting, ");
    if (f2l_get_count(row, "steps") == f2l_get_count(row, "full_steps"))
        f2l_layout(out, row, "all {steps} steps");
    else
        f2l_layout(out, row,
                   f2l_get_number(row, "scale") < 1
                       ? "shortened to {scale}: {steps} of {full_steps} steps"
                       : "lengthened to {scale}: {steps} of {full_steps} steps");
    lay_rate(out, outcome);
    if (f2l_get_size(seeds, "") == 1)
        f2l_layout(out, f2l_get_item(seeds, 0), ", 1 seed ({seed}), ");
    else {
        f2l_buf_printf(out, ", %zu seeds (", f2l_get_size(seeds, ""));
        for (size_t i = 0; i < f2l_get_size(seeds, ""); i++)
            f2l_layout(out, f2l_get_item(seeds, i), i ? ", {seed}" : "{seed}");
        f2l_layout(out, outcome, "){seeds_missing?|: median (every seed, unless all agree)}, ");
    }
    lay_ends(out, outcome);
    lay_time(out, row);
    f2l_layout(out, row, ", {timing.date}, commit {commit}");
    if (f2l_has(row, "trained")) f2l_layout(out, row, "; {trained}");
    if (f2l_has(row, "note")) f2l_layout(out, row, "; {note}");
    if (f2l_is_known(outcome, "present_recipe") &&
        f2l_get_count(row, "steps") == f2l_get_count(row, "full_steps"))
        f2l_layout(out, outcome, "{present_recipe?|; not the recipe that the setting has now}");
    f2l_layout(out, outcome, "{curves_known?|; " F2L_OUTCOME_NO_CURVES "}");
}

/* Appends the best constant answer beside scaled accuracies. */
static void lay_constant(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact lengths = f2l_get(outcome, "by_length");
    if (f2l_get_size(outcome, "values") == 0) return;
    if (!f2l_is_known(outcome, "scaled_constant")) {
        f2l_buf_text(out, "the best constant answer was not recorded");
        return;
    }
    f2l_layout(out, outcome, "the best constant answer: {scaled_constant%.3f}; ");
    for (size_t i = 0; i < f2l_get_size(lengths, ""); i++) {
        if (i) f2l_buf_text(out, ", ");
        f2l_layout(out, f2l_get_item(lengths, i), "{length}: {scaled_constant%.3f}");
    }
}

/* Appends in what the runs differ from the published one. */
static void lay_differences(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact list = f2l_get(outcome, "differences");
    const size_t n = f2l_get_size(list, "");
    if (!f2l_is_known(outcome, "compared_setting")) {
        f2l_buf_text(out, "the paper has no such network");
        return;
    }
    f2l_layout(out, outcome,
               "{config_known?|its configuration is not recorded; of what is known, it }");
    f2l_layout(out, outcome,
               n > 0 ? "differs from the {compared_setting} setting (its value in brackets): "
                     : "does not differ from the {compared_setting} setting");
    for (size_t i = 0; i < n; i++) {
        if (i) f2l_buf_text(out, ", ");
        f2l_layout(out, f2l_get_item(list, i),
                   "{member} {here?{here}|none} ({published_value?{published_value}|none})");
    }
}

/* Appends the published measure: its mean over the lengths, if it has one, and by length. */
static void lay_values(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact lengths = f2l_get(outcome, "by_length"), values = f2l_get(outcome, "values");
    if (f2l_get_size(values, "")) {
        f2l_reproduce_lay_measured(out, f2l_get(outcome, "mean"), values);
        f2l_buf_text(out, "; ");
    }
    for (size_t i = 0; i < f2l_get_size(lengths, ""); i++) {
        const f2l_fact at = f2l_get_item(lengths, i);
        if (i) f2l_buf_text(out, ", ");
        f2l_layout(out, at, "{length}: ");
        f2l_reproduce_lay_measured(out, f2l_get(at, "measured"), f2l_get(at, "values"));
    }
}

/* Puts the figures of an outcome; where seeds are missing, how many. */
static void lay_figures(f2l_buf *out, f2l_fact outcome)
{
    const size_t missing = f2l_get_count(outcome, "seeds_missing");
    const bool shown = f2l_get_truth(outcome, "values_shown");
    f2l_buf line;
    f2l_buf_init(&line);
    if (!f2l_get_size(outcome, "by_length"))
        f2l_buf_text(&line,
                     f2l_get_count(outcome, "runs_unevaluated") ? "no evaluation yet" : "diverged");
    if (shown) lay_values(&line, outcome);
    if (missing)
        f2l_buf_printf(&line, "%sno average: %zu of %zu seeds missing", line.size ? "; " : "",
                       missing, F2L_OUTCOME_LEAST_SEEDS);
    put_entry(out, "here", &line);
    if (!shown) return;
    f2l_outcome_lay_sets(&line, outcome);
    if (line.size) put_entry(out, "", &line);
    lay_constant(&line, outcome);
    if (line.size) put_entry(out, "", &line);
    f2l_outcome_lay_words(&line, outcome);
    put_entry(out, "", &line);
}

static void lay_outcome(f2l_buf *out, f2l_fact outcome)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_has(f2l_get(outcome, "row"), "constructed")) {
        f2l_layout(&line, outcome, "{row.constructed}");
        put_entry(out, "constructed", &line);
    }
    lay_figures(out, outcome);
    f2l_outcome_lay_failing(&line, outcome);
    put_entry(out, "", &line);
    lay_terms(&line, outcome);
    put_entry(out, "", &line);
    lay_differences(&line, outcome);
    put_entry(out, "", &line);
}

static void lay_constructed(f2l_buf *out, f2l_fact model)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_layout(
        &line, f2l_get(model, "constructed_network"),
        "{theorem}, {layers layer} with n_h = {householders} joined by look-ups, VERIFIED for "
        "all words exactly, and in {verified} with every operation rounded ({command})");
    put_entry(out, "constructed", &line);
}

static void lay_model(f2l_buf *out, f2l_fact model)
{
    const f2l_fact outcomes = f2l_get(model, "outcomes");
    f2l_layout(out, model, "\n  {model}: {text}\n");
    lay_published(out, f2l_get(model, "published"));
    if (f2l_is_known(model, "constructed_network")) lay_constructed(out, model);
    f2l_layout(out, model, "{outcomes?|    here         -\n}");
    for (size_t i = 0; i < f2l_get_size(outcomes, ""); i++)
        lay_outcome(out, f2l_get_item(outcomes, i));
}

static void lay_preset(f2l_buf *out, f2l_fact preset)
{
    const f2l_fact models = f2l_get(preset, "models"), others = f2l_get(preset, "other_models");
    const f2l_fact remarks = f2l_get(preset, "remarks");
    f2l_layout(
        out, preset,
        "{preset}: {text} ({source})\n"
        "  {measure=scaled_accuracy?scaled accuracy, (accuracy - chance) / (1 - chance): "
        "mean over lengths 40 to 256 by the trapezoid rule; by length|sequence accuracy by length: "
        "sequences all of whose answers are right}\n");
    for (size_t i = 0; i < f2l_get_size(models, ""); i++) lay_model(out, f2l_get_item(models, i));
    for (size_t i = 0; i < f2l_get_size(others, ""); i++) {
        f2l_layout(out, f2l_get_item(others, i), "\n  {model}\n");
        lay_published(out, f2l_get(f2l_get_item(others, i), "published"));
    }
    for (size_t i = 0; i < f2l_get_size(remarks, ""); i++) {
        const f2l_fact one = f2l_get_item(remarks, i);
        const char *remark = f2l_get_text(one, "remark");
        if (remark[0] == '\0') continue;
        f2l_layout(out, one, "\n  Remark on the setting {setting}: ");
        f2l_report_wrap(out, remark,
                        strlen("  Remark on the setting : ") + strlen(f2l_get_text(one, "setting")),
                        2, WIDTH);
    }
}

/* Appends the runs of the plans that have no outcome, each with the command that makes it. */
static void lay_left(f2l_buf *out, f2l_fact left)
{
    const size_t runs = f2l_get_size(left, "");
    if (runs) f2l_layout(out, left, out->size ? "\nLeft of the plan:\n" : "Left of the plan:\n");
    for (size_t i = 0; i < runs; i++)
        f2l_layout(out, f2l_get_item(left, i),
                   "  {preset}, {setting} setting, {model}, rate {rate}, seed "
                   "{seed}{begun?, begun}\n    {command}\n");
}

static void lay_reproduce(f2l_buf *out, f2l_fact from)
{
    const f2l_fact presets = f2l_get(from, "presets"), times = f2l_get(from, "time");
    const size_t devices = f2l_get_size(times, "");
    for (size_t i = 0; i < f2l_get_size(presets, ""); i++) {
        if (out->size) f2l_buf_text(out, "\n");
        lay_preset(out, f2l_get_item(presets, i));
    }
    f2l_reproduce_lay_suite(out, from);
    for (size_t i = 0; i < devices; i++) {
        const f2l_fact one = f2l_get_item(times, i);
        f2l_buf_text(out, i ? "; " : "\nIn all: ");
        f2l_layout(out, one, "{run_count run}, ");
        put_device_seconds(out, f2l_get_number(one, "device_seconds"), f2l_get_text(one, "unit"));
        f2l_layout(out, one, " ({device})");
    }
    if (devices) f2l_buf_text(out, "\n");
    f2l_reproduce_lay_missing(out, from);
    lay_left(out, f2l_get(from, "left"));
}

const f2l_report_kind f2l_reproduce_report_kind = {.name = "reproduce",
                                                   .describe = f2l_reproduce_describe,
                                                   .lay = lay_reproduce,
                                                   .style = {.digits = 17}};
