/* The output of a run: lines of its log, and the line on a terminal. */
#include "models/learn/train/impl.h"
#include "numeric/json/json.h"
#include <math.h>

double f2l_train_seconds(const f2l_train_job *job)
{
    return job->seconds_before + (f2l_now() - job->began);
}

static double ratio_or_zero(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void begin_log_line(f2l_buf *line, const char *event, uint64_t step)
{
    f2l_buf_init(line);
    f2l_buf_printf(line, "{\"event\":\"%s\",\"step\":%llu", event, (unsigned long long)step);
}

static void add_log_member(f2l_buf *line, const char *name, double value)
{
    f2l_buf_printf(line, ",\"%s\":", name);
    f2l_json_number(line, value);
}

/* Ends the line, writes it to the log and frees it. */
static f2l_status end(f2l_buf *line, const f2l_train_job *job, f2l_error *err)
{
    f2l_buf_text(line, "}");
    const f2l_status status = f2l_train_dir_line(job->dir, line, err);
    f2l_buf_clear(line);
    return status;
}

f2l_status f2l_train_log_start(const f2l_train_job *job, f2l_error *err)
{
    f2l_buf line;
    if (!job->dir) return F2L_OK;
    begin_log_line(&line, job->step == 0 ? "start" : "resume", job->step);
    f2l_buf_printf(&line, ",\"steps\":%llu,\"parameters\":%zu,\"bits\":%zu",
                   (unsigned long long)job->options->steps, job->trainee->parameters,
                   8 * job->trainee->number);
    if (job->trainee->engine) {
        f2l_buf_text(&line, ",\"backend\":");
        f2l_json_text(&line, job->trainee->engine->backend);
        f2l_buf_text(&line, ",\"device\":");
        f2l_json_text(&line, job->trainee->engine->device);
    }
    return end(&line, job, err);
}

f2l_status f2l_train_log_step(f2l_train_job *job, f2l_error *err)
{
    f2l_buf line;
    const f2l_train_window w = job->window;
    const double now = f2l_now(), since = now - job->line_at;
    job->window = (f2l_train_window){0};
    job->line_at = now;
    if (!job->dir) return F2L_OK;
    begin_log_line(&line, "step", job->step);
    add_log_member(&line, "loss", ratio_or_zero(w.loss, (double)w.batches));
    add_log_member(&line, "accuracy", ratio_or_zero((double)w.right, (double)w.supervised));
    add_log_member(&line, "sequence_accuracy",
                   ratio_or_zero((double)w.right_ones, (double)w.sequences));
    add_log_member(&line, "last_accuracy",
                   ratio_or_zero((double)w.right_last, (double)w.sequences));
    f2l_buf_printf(&line, ",\"length\":%zu", job->batch.length);
    add_log_member(&line, "rate", job->rate);
    add_log_member(&line, "gradient", job->norm);
    f2l_buf_printf(&line, ",\"tokens\":%llu", (unsigned long long)job->tokens);
    f2l_buf_printf(&line,
                   ",\"timing\":{\"seconds\":%.3f,"
                   "\"tokens_per_second\":%.0f}",
                   f2l_train_seconds(job), ratio_or_zero((double)w.tokens, since));
    return end(&line, job, err);
}

static double parameter_at(const void *numbers, size_t bytes, size_t i)
{
    return bytes == 4 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

/* Returns |parameter - reference| / |reference|, of all parameters as one vector. */
static double distance_from_start(const f2l_trainee *t)
{
    double difference = 0, length = 0;
    for (size_t i = 0; i < t->parameters; i++) {
        const double r = parameter_at(t->reference, t->number, i),
                     d = parameter_at(t->parameter, t->number, i) - r;
        difference += d * d;
        length += r * r;
    }
    return length > 0 ? sqrt(difference / length) : 0;
}

f2l_status f2l_train_log_evaluation(const f2l_train_job *job, double seconds, f2l_error *err)
{
    f2l_buf line;
    if (!job->dir) return F2L_OK;
    begin_log_line(&line, "evaluation", job->step);
    f2l_buf_text(&line, ",\"lengths\":[");
    for (size_t i = 0; i < job->options->lengths; i++) {
        if (i) f2l_buf_text(&line, ",");
        f2l_train_score_json(&line, &job->score[i]);
    }
    f2l_buf_text(&line, "]");
    if (job->trainee->reference)
        add_log_member(&line, "distance", distance_from_start(job->trainee));
    f2l_buf_printf(&line,
                   ",\"timing\":{\"seconds\":%.3f,"
                   "\"evaluation\":%.3f}",
                   f2l_train_seconds(job), seconds);
    return end(&line, job, err);
}

f2l_status f2l_train_log_end(const f2l_train_job *job, const char *why, f2l_error *err)
{
    f2l_buf line;
    if (!job->dir) return F2L_OK;
    begin_log_line(&line, f2l_train_end_name(job->end), job->step);
    add_log_member(&line, "loss", job->loss);
    if (why) {
        f2l_buf_text(&line, ",\"why\":");
        f2l_json_text(&line, why);
    }
    f2l_buf_printf(&line, ",\"tokens\":%llu,\"timing\":{\"seconds\":%.3f}",
                   (unsigned long long)job->tokens, f2l_train_seconds(job));
    return end(&line, job, err);
}

void f2l_train_tell(const f2l_train_job *job)
{
    if (!job->watch || !job->watch->progress) return;
    const double seconds = f2l_now() - job->began;
    const double pace = ratio_or_zero(seconds, (double)(job->step - job->began_step));
    const f2l_train_progress progress = {
        .step = job->step,
        .steps = job->options->steps,
        .loss = job->loss,
        .accuracy = ratio_or_zero((double)job->batch.right, (double)job->batch.supervised),
        .length = job->batch.length,
        .tokens_per_second = ratio_or_zero((double)(job->tokens - job->began_tokens), seconds),
        .seconds_left = pace > 0 ? pace * (double)(job->options->steps - job->step) : -1,
        .score = job->score,
        .scores = job->scored ? job->options->lengths : 0,
        .evaluated = job->evaluated};
    job->watch->progress(job->watch->context, &progress);
}

static void write_duration(f2l_buf *out, double seconds)
{
    if (seconds < 60)
        f2l_buf_printf(out, "%.0f s", seconds);
    else if (seconds < 3600)
        f2l_buf_printf(out, "%.0f min", seconds / 60);
    else
        f2l_buf_printf(out, "%.1f h", seconds / 3600);
}

void f2l_train_progress_text(f2l_buf *out, const f2l_train_progress *progress)
{
    const f2l_train_progress *p = progress;
    f2l_buf_printf(out, "step %llu of %llu, %.0f tokens/s, loss %.4g, accuracy %.3f at length %zu",
                   (unsigned long long)p->step, (unsigned long long)p->steps, p->tokens_per_second,
                   p->loss, p->accuracy, p->length);
    const char *title = ", sequences right";
    for (size_t i = 0; i < p->scores; i++) {
        /* of more than 12 lengths every part of a sixth, and the last */
        if (p->scores > 12 && (i + 1) * 6 / p->scores == i * 6 / p->scores) continue;
        f2l_buf_printf(out, "%s %zu: %.3f", title, p->score[i].length,
                       f2l_train_sequence_accuracy(&p->score[i]));
        title = "";
    }
    if (p->seconds_left < 0) return;
    f2l_buf_text(out, ", ");
    write_duration(out, p->seconds_left);
    f2l_buf_text(out, " left");
}
