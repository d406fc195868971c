#include "reports/training/train_report.h"
#include "models/learn/seq/mixer.h"
#include "numeric/facts/layout.h"
#include "reports/training/failing_report.h"
#include "reports/training/impl.h"
#include "reports/training/train_report_parts.h"

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void f2l_train_model_text(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, "%s, %zu layer%s of width %zu", c->mixer->option, c->layers,
                   plural(c->layers), c->width);
    c->mixer->describe(out, c);
    if (c->convolution) f2l_buf_printf(out, ", convolution of %zu", c->convolution);
    if (c->mlp)
        f2l_buf_printf(out, ", MLP of %zu", c->mlp);
    else
        f2l_buf_text(out, ", no MLP");
    if (c->initializer_range > 0) f2l_buf_printf(out, ", first weights %g", c->initializer_range);
}

void f2l_train_experiment_text(f2l_buf *out, const f2l_experiment *experiment)
{
    const f2l_data_curriculum *c = &experiment->curriculum;
    f2l_train_model_text(out, &experiment->model);
    f2l_buf_text(out, "; words of ");
    if (c->start < c->limit) f2l_buf_printf(out, "%zu to ", c->start);
    f2l_buf_printf(out, "%zu letters%s", c->limit, c->shorter_too ? ", with all shorter ones" : "");
    if (experiment->data.begin) f2l_buf_text(out, " after a begin letter");
}

/* --- layouts --- */

static void lay_train_head(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from,
               "data         {source}: {data_text}\n"
               "trained      {model_text}; {parameters} parameters\n"
               "constructed  ");
    f2l_layout(out, f2l_get(from, "constructed"),
               "{reason?none: {reason}|{theorem}{variant? {variant}}, {layers layer}, n_h = "
               "{householders}, key dimension {key_dim}}\n");
}

/* Appends the meaning of 1.000 in the column of the constructed network. */
static void lay_scope(f2l_buf *out, f2l_fact constructed)
{
    if (!f2l_is_known(constructed, "theorem")) return;
    f2l_layout(out, constructed,
               "constructed: {exact.verdict=VERIFIED?right for all words of all lengths in exact "
               "arithmetic (VERIFIED)|{exact.verdict} in exact arithmetic}"
               "{formats*; {format} {schedule}, nearest code: {verdict}|}\n");
}

static void lay_runs(f2l_buf *out, f2l_fact from)
{
    const f2l_fact runs = f2l_get(from, "runs"), times = f2l_get(from, "timing.runs_seconds");
    for (size_t k = 0; k < f2l_get_size(runs, ""); k++) {
        const double seconds = f2l_get_number(f2l_get_item(times, k), "");
        f2l_layout(out, f2l_get_item(runs, k),
                   "run          seed {seed}: {steps} steps{end=completed?|{end=reached?, when the "
                   "target was reached|{end=diverged?, then diverged|, not at its end}}}; "
                   "{letters} letters, loss {loss%.3g}, ");
        f2l_buf_printf(out, "%.*f s on %s\n", seconds < 10 ? 1 : 0, seconds,
                       f2l_get_text(from, "backend"));
    }
}

/* Returns the fraction to print; a fraction just below 1 becomes 1 - unit, so that it does not
 * print as 1. */
static double shown(double fraction, double unit)
{
    return fraction < 1 && fraction > 1 - unit ? 1 - unit : fraction;
}

static void lay_cells(f2l_buf *out, f2l_fact spread, bool many)
{
    const double unit = 1e-3;
    f2l_buf_printf(out, "  %10.3f", shown(f2l_get_number(spread, "median"), unit));
    if (many)
        f2l_buf_printf(out, " %7.3f %8.3f", shown(f2l_get_number(spread, "least"), unit),
                       shown(f2l_get_number(spread, "greatest"), unit));
}

static void lay_table(f2l_buf *out, f2l_fact from)
{
    const f2l_fact rows = f2l_get(from, "spreads");
    const size_t runs = f2l_get_size(from, "runs"), ended = f2l_get_count(from, "runs_ended");
    if (!f2l_get_size(rows, "") || !ended) return;
    if (runs > 1)
        f2l_buf_printf(out,
                       "\n"
                       "%8s  %11s  %27s  %27s\n"
                       "%8s  %11s  %10s %7s %8s  %10s %7s %8s\n",
                       "", "", "sequences right", "scaled accuracy", "length", "constructed",
                       "median", "least", "greatest", "median", "least", "greatest");
    else
        f2l_buf_printf(out,
                       "\n"
                       "%8s  %11s  %10s  %10s\n"
                       "%8s  %11s  %10s  %10s\n",
                       "", "constructed", "trained", "trained", "length", "sequences", "sequences",
                       "scaled");
    for (size_t i = 0; i < f2l_get_size(rows, ""); i++) {
        const f2l_fact row = f2l_get_item(rows, i);
        f2l_layout(out, row, "{length%8s}  {constructed_accuracy?      1.000|          -}");
        lay_cells(out, f2l_get(row, "sequence_accuracies"), runs > 1);
        lay_cells(out, f2l_get(row, "scaled_accuracies"), runs > 1);
        f2l_buf_text(out, "\n");
    }
    f2l_layout(out, from,
               f2l_is_known(from, "word_list")
                   ? "trained: seen on the test words, at most {sequences} of a length, not proved"
                   : "trained: seen on {sequences} random sequences for each length, not proved");
    if (runs > 1) f2l_buf_printf(out, "; %zu of %zu runs ended", ended, runs);
    f2l_buf_text(out, "\n");
    f2l_lay_words(out, rows, runs);
}

/* 15 digits, because configurations are to be repeated. */
#define STYLE \
    { \
        .indent = true, .digits = 15 \
    }

static void lay_run(f2l_buf *out, f2l_fact from)
{
    lay_train_head(out, from);
    lay_runs(out, from);
    f2l_layout(out, from, "{folder?files        {folder}{fla?, and fla in it}\n}");
    lay_table(out, from);
    lay_scope(out, f2l_get(from, "constructed"));
}

const f2l_report_kind f2l_train_report_kind = {
    .name = "train", .describe = f2l_train_describe, .lay = lay_run, .style = STYLE};

static void describe_plan(f2l_fact out, const void *report)
{
    const f2l_plan_report *p = report;
    f2l_train_say_head(out, p->run);
    f2l_say_count(out, "bytes", p->need->host);
    f2l_say_known(out, "device_bytes", p->need->device > 0, p->need->device);
}

static void lay_plan(f2l_buf *out, f2l_fact from, const void *report)
{
    f2l_error err = {.status = F2L_OK};
    const f2l_plan_report *p = report;
    const f2l_experiment *experiment = p->run->experiment;
    lay_train_head(out, from);
    f2l_layout(out, from,
               "steps        {config.train.steps} of {config.batch} sequences, lengths from "
               "{config.curriculum.start} to {config.curriculum.limit}\n"
               "memory       ");
    f2l_experiment_need_text(out, p->need, experiment->devices);
    f2l_buf_text(out, "\n\n");
    if (f2l_experiment_write(out, experiment, &err) != F2L_OK) f2l_facts_fail(from, &err);
}

const f2l_report_kind f2l_plan_report_kind = {
    .name = "train-plan", .describe = describe_plan, .lay_beside = lay_plan, .style = STYLE};

static void lay_evaluation(f2l_buf *out, f2l_fact from)
{
    const f2l_fact scores = f2l_get(from, "scores");
    f2l_layout(out, from,
               "network      {weights_file}: {model_text}; {parameters} parameters\n"
               "data         {source}: {data_text}; {sequences sequence}\n\n");
    f2l_buf_printf(out, "%10s  %15s  %10s  %10s  %10s\n", "length", "sequences right", "accuracy",
                   "scaled", "constant");
    for (size_t i = 0; i < f2l_get_size(scores, ""); i++) {
        const f2l_fact s = f2l_get_item(scores, i);
        f2l_layout(out, s, "{length%10s}  ");
        f2l_buf_printf(out, "%15.4f  %10.6f  %10.6f  %10.6f\n",
                       shown(f2l_get_number(s, "sequence_accuracy"), 1e-4),
                       shown(f2l_get_number(s, "accuracy"), 1e-6),
                       shown(f2l_get_number(s, "scaled_accuracy"), 1e-6),
                       f2l_get_number(s, "constant_accuracy"));
    }
    f2l_buf_text(out, "constant: accuracy of the best answer that is always the same\n");
    f2l_lay_words(out, scores, 0);
    f2l_layout(out, from,
               "{first_wrong?first wrong answer after {first_wrong letter}, in words of any kind|"
               "no wrong answer in these sequences: seen, not proved}\n");
    f2l_lay_failing(out, from, "shortest: ");
    f2l_lay_settle(out, from, 13);
}

const f2l_report_kind f2l_evaluate_report_kind = {
    .name = "evaluate", .describe = f2l_evaluate_describe, .lay = lay_evaluation, .style = STYLE};
