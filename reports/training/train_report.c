#include "reports/training/train_report.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/compile/report_parts.h"
#include "reports/training/train_report_parts.h"
#include <string.h>

const char *f2l_train_end_name(f2l_train_end end)
{
    static const char *const name[] = {"interrupted", "completed", "reached", "diverged"};
    return name[end];
}

bool f2l_train_is_proved(const f2l_train_report *r)
{
    return r->constructed && r->constructed->theorem && r->constructed->exact.verdict == F2L_OK;
}

bool f2l_train_has_ended(const f2l_train_report *r, size_t run)
{
    const f2l_experiment_seed *x = &r->run[run];
    return x->why.status == F2L_OK && x->result.end != F2L_TRAIN_GOES_ON &&
           x->result.scores == r->experiment->train.lengths;
}

static double measured(const f2l_train_score *score, f2l_train_measure measure)
{
    switch (measure) {
    case F2L_MEASURE_SEQUENCE:
        return f2l_train_sequence_accuracy(score);
    case F2L_MEASURE_SCALED:
        return f2l_train_scaled_accuracy(score);
    case F2L_MEASURE_ACCURACY:
        break;
    }
    return f2l_train_accuracy(score);
}

f2l_status f2l_train_report_spread(f2l_train_spread *out, const f2l_train_report *r, size_t i,
                                   f2l_train_measure measure, f2l_error *err)
{
    size_t count = 0;
    f2l_status status = F2L_OK;
    double *value = f2l_calloc(r->runs, sizeof *value);
    *out = (f2l_train_spread){0};
    if (!value) return f2l_fail_memory(err);
    for (size_t k = 0; k < r->runs; k++)
        if (f2l_train_has_ended(r, k))
            value[count++] = measured(&r->run[k].result.score[i], measure);
    if (count > 0) status = f2l_train_spread_of(out, value, count, err);
    f2l_free(value);
    return status;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void delta_text(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, ", %zu head%s of %zu x %zu, n_h = %zu", c->heads, plural(c->heads),
                   c->key_dim, c->value_dim, c->householders);
    f2l_buf_printf(out, ", eigenvalues in [%s, 1]%s%s%s", c->negative ? "-1" : "0",
                   c->additive ? ", values" : ", B = 0", c->learned_start ? ", learned H_0" : "",
                   c->forget_gate ? ", forget gate" : "");
    f2l_buf_printf(out, "%s%s, slope %g", c->silu_keys ? ", SiLU" : "",
                   c->normalise_keys ? "" : ", keys of any length", c->slope);
}

void f2l_train_model_text(f2l_buf *out, const f2l_seq_config *c)
{
    const bool delta = c->mixer == F2L_SEQ_DELTA;
    f2l_buf_printf(out, "%s, %zu layer%s of width %zu", delta ? "delta" : "diagonal", c->layers,
                   plural(c->layers), c->width);
    if (delta)
        delta_text(out, c);
    else
        f2l_buf_printf(out, ", %zu channels of %zu states, eigenvalues in [%s, 1]", c->channels,
                       c->states, c->negative ? "-1" : "0");
    if (c->convolution) f2l_buf_printf(out, ", convolution of %zu", c->convolution);
    if (c->mlp)
        f2l_buf_printf(out, ", MLP of %zu", c->mlp);
    else
        f2l_buf_text(out, ", no MLP");
}

void f2l_train_experiment_text(f2l_buf *out, const f2l_experiment *experiment)
{
    const f2l_data_curriculum *c = &experiment->curriculum;
    f2l_train_model_text(out, &experiment->model);
    f2l_buf_text(out, "; words of ");
    if (c->start < c->limit) f2l_buf_printf(out, "%zu to ", c->start);
    f2l_buf_printf(out, "%zu letters%s", c->limit, c->shorter_too ? ", with all shorter ones" : "");
}

void f2l_train_data_text(f2l_buf *out, const f2l_data *data)
{
    size_t undrawn = 0;
    if (data->fsa) f2l_buf_printf(out, "%zu states, ", data->fsa->states.count);
    f2l_buf_printf(out, "%zu letter%s, %zu label%s", data->letters.count,
                   plural(data->letters.count), data->labels.count, plural(data->labels.count));
    for (size_t a = 0; data->fsa && a < data->fsa->letters.count; a++)
        undrawn += !f2l_data_draws(data, a);
    if (undrawn) f2l_buf_printf(out, "; %zu of the letters never come", undrawn);
    if (data->options.tokens > 1)
        f2l_buf_printf(out, "; %zu letters a transition", data->options.tokens);
    if (data->options.when == F2L_DATA_LAST) f2l_buf_text(out, "; the last answer counts");
}

static void write_head(f2l_buf *out, const f2l_train_report *r)
{
    f2l_buf_printf(out, "data         %s: ", r->source);
    f2l_train_data_text(out, r->data);
    f2l_buf_text(out, "\ntrained      ");
    f2l_train_model_text(out, &r->experiment->model);
    f2l_buf_printf(out, "; %zu parameters\n", r->parameters);
}

static void write_constructed(f2l_buf *out, const f2l_train_report *r)
{
    const f2l_compile_result *c = r->constructed;
    f2l_buf_text(out, "constructed  ");
    if (!c || !c->theorem) {
        f2l_buf_printf(out, "none: %s\n", r->why_none);
        return;
    }
    f2l_compile_figures size;
    f2l_compile_measure(&size, c);
    f2l_buf_printf(out, "%s%s%s, %zu layer%s, n_h = %zu, key dimension %zu\n", c->theorem,
                   c->variant && *c->variant ? " " : "", c->variant ? c->variant : "", size.layers,
                   plural(size.layers), size.householders, size.key_dim);
}

/* Appends the meaning of 1.000 in the column of the constructed network. */
static void write_scope(f2l_buf *out, const f2l_train_report *r)
{
    const f2l_compile_result *c = r->constructed;
    if (!c || !c->theorem) return;
    if (f2l_train_is_proved(r))
        f2l_buf_text(out, "constructed: right for all words of all lengths in exact arithmetic "
                          "(VERIFIED)");
    else
        f2l_buf_printf(out, "constructed: %s in exact arithmetic",
                       f2l_report_verdict(c->exact.verdict));
    for (size_t i = 0; i < c->formats; i++)
        f2l_buf_printf(out, "; %s %s: %s", c->format[i].format->name, c->format[i].schedule->name,
                       f2l_report_verdict(c->format[i].closure.verdict));
    f2l_buf_text(out, "\n");
}

static const char *ended_how(const f2l_train_result *result)
{
    switch (result->end) {
    case F2L_TRAIN_COMPLETED:
        return "";
    case F2L_TRAIN_REACHED:
        return ", when the target was reached";
    case F2L_TRAIN_DIVERGED:
        return ", then diverged";
    case F2L_TRAIN_GOES_ON:
        break;
    }
    return ", not at its end";
}

static void write_run(f2l_buf *out, const f2l_train_report *r, size_t k)
{
    const f2l_train_result *x = &r->run[k].result;
    f2l_buf_printf(
        out, "run          seed %lu: %llu steps%s; %llu letters, loss %.3g, %.*f s on %s\n",
        (unsigned long)r->run[k].seed, (unsigned long long)x->step, ended_how(x),
        (unsigned long long)x->tokens, x->loss, x->seconds < 10 ? 1 : 0, x->seconds, r->backend);
}

/* Returns the fraction to print; a fraction just below 1 becomes 1 - unit, so that it does not
 * print as 1. */
static double shown(double fraction, double unit)
{
    return fraction < 1 && fraction > 1 - unit ? 1 - unit : fraction;
}

static void write_cells(f2l_buf *out, const f2l_train_spread *spread, size_t runs)
{
    const double unit = 1e-3;
    f2l_buf_printf(out, "  %10.3f", shown(spread->median, unit));
    if (runs > 1)
        f2l_buf_printf(out, " %7.3f %8.3f", shown(spread->least, unit),
                       shown(spread->greatest, unit));
}

static f2l_status write_table(f2l_buf *out, const f2l_train_report *r, f2l_error *err)
{
    const f2l_train_options *o = &r->experiment->train;
    const bool many = r->runs > 1;
    size_t ended = 0;
    f2l_train_spread sequence, scaled;
    for (size_t k = 0; k < r->runs; k++) ended += f2l_train_has_ended(r, k);
    if (o->lengths == 0 || ended == 0) return F2L_OK;
    if (many)
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
    for (size_t i = 0; i < o->lengths; i++) {
        f2l_status status = f2l_train_report_spread(&sequence, r, i, F2L_MEASURE_SEQUENCE, err);
        if (status == F2L_OK)
            status = f2l_train_report_spread(&scaled, r, i, F2L_MEASURE_SCALED, err);
        if (status != F2L_OK) return status;
        f2l_buf_printf(out, "%8zu  %11s", o->length[i], f2l_train_is_proved(r) ? "1.000" : "-");
        write_cells(out, &sequence, r->runs);
        write_cells(out, &scaled, r->runs);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_printf(out, "trained: seen on %zu random sequences for each length, not proved",
                   o->sequences);
    if (many) f2l_buf_printf(out, "; %zu of %zu runs ended", ended, r->runs);
    f2l_buf_text(out, "\n");
    return F2L_OK;
}

f2l_status f2l_train_report_text(f2l_buf *out, const f2l_train_report *r, f2l_error *err)
{
    write_head(out, r);
    write_constructed(out, r);
    for (size_t k = 0; k < r->runs; k++) write_run(out, r, k);
    if (r->folder)
        f2l_buf_printf(out, "files        %s%s\n", r->folder, r->fla ? ", and fla in it" : "");
    f2l_status status = write_table(out, r, err);
    if (status != F2L_OK) return status;
    write_scope(out, r);
    return f2l_buf_status(out, err);
}

f2l_status f2l_train_plan_text(f2l_buf *out, const f2l_train_report *r,
                               const f2l_experiment_need *need, f2l_error *err)
{
    const f2l_experiment *e = r->experiment;
    f2l_buf config;
    f2l_buf_init(&config);
    f2l_status status = f2l_experiment_write(&config, e, err);
    if (status == F2L_OK) status = f2l_buf_status(&config, err);
    if (status == F2L_OK) {
        write_head(out, r);
        write_constructed(out, r);
        f2l_buf_printf(out, "steps        %llu of %zu sequences, lengths from %zu to %zu\n",
                       (unsigned long long)e->train.steps, e->batch, e->curriculum.start,
                       e->curriculum.limit);
        f2l_buf_text(out, "memory       ");
        f2l_experiment_need_text(out, need, e->devices);
        f2l_buf_text(out, "\n\n");
        f2l_buf_bytes(out, config.data, config.size);
        status = f2l_buf_status(out, err);
    }
    f2l_buf_clear(&config);
    return status;
}

f2l_status f2l_evaluate_report_text(f2l_buf *out, const f2l_evaluate_report *r, f2l_error *err)
{
    f2l_buf_printf(out, "network      %s: ", f2l_path_base(r->weights));
    f2l_train_model_text(out, &r->model->config);
    f2l_buf_printf(out, "; %zu parameters\ndata         %s: ", r->model->parameters, r->source);
    f2l_train_data_text(out, r->data);
    f2l_buf_printf(out,
                   "; %zu sequence%s\n"
                   "\n"
                   "%10s  %15s  %10s  %10s\n",
                   r->sequences, plural(r->sequences), "length", "sequences right", "accuracy",
                   "scaled");
    for (size_t i = 0; i < r->scores; i++) {
        const f2l_train_score *s = &r->score[i];
        f2l_buf_printf(out, "%10zu  %15.4f  %10.6f  %10.6f\n", s->length,
                       shown(f2l_train_sequence_accuracy(s), 1e-4),
                       shown(f2l_train_accuracy(s), 1e-6),
                       shown(f2l_train_scaled_accuracy(s), 1e-6));
    }
    if (r->first_wrong)
        f2l_buf_printf(out, "first wrong answer after %zu letter%s\n", r->first_wrong,
                       plural(r->first_wrong));
    else
        f2l_buf_text(out, "no wrong answer in these sequences: seen, not proved\n");
    return f2l_buf_status(out, err);
}
