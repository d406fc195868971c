#include "models/learn/train/adamw.h"
#include "models/learn/train/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/json/members.h"
#include <math.h>
#include <string.h>

void f2l_train_result_init(f2l_train_result *result)
{
    *result = (f2l_train_result){0};
}

void f2l_train_result_clear(f2l_train_result *result)
{
    f2l_free(result->score);
    f2l_train_result_init(result);
}

const char *f2l_train_end_name(f2l_train_end end)
{
    static const char *const name[] = {"interrupted", "completed", "reached", "diverged"};
    return name[end];
}

/* Computes the identity of the checkpoint: the options are part of it whether or not the caller's
 * config.json names them. */
static f2l_status set_identity(f2l_train_job *job, f2l_error *err)
{
    f2l_buf text;
    if (!job->dir) return F2L_OK;
    f2l_buf_init(&text);
    f2l_buf_text(&text, job->dir->identity);
    f2l_members_write(&text, &f2l_train_options_members, job->options);
    const f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, job->identity);
    f2l_buf_clear(&text);
    return status;
}

/* Counts gradient, mean and square, and the image of the checkpoint. */
f2l_status f2l_train_bytes(size_t *bytes, size_t parameters, size_t number, f2l_error *err)
{
    if (f2l_mul_size(bytes, parameters, 6 * number) && f2l_add_size(bytes, *bytes, 1024))
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a run with %zu parameters does not fit into memory",
                    parameters);
}

static f2l_status check_trainee(const f2l_trainee *t, const f2l_train_options *o, f2l_error *err)
{
    size_t sum = 0;
    bool fits = true;
    if ((t->number != 4 && t->number != 8) || t->parameters == 0)
        return f2l_fail(err, F2L_EDOMAIN, "a trainee needs parameters of 4 or 8 bytes");
    if (!isfinite(t->chance_loss) || t->chance_loss < 0)
        return f2l_fail(err, F2L_EDOMAIN, "the loss by chance must be at least 0");
    if (t->engine ? !t->engine->advance || !t->engine->put || !t->engine->get : !t->gradient)
        return f2l_fail(err, F2L_EDOMAIN, "a trainee needs a way to make a step");
    if (o->lengths > 0 && !t->evaluate)
        return f2l_fail(err, F2L_EDOMAIN, "this trainee cannot be evaluated");
    for (size_t i = 0; i < t->groups; i++) {
        const f2l_train_group *g = &t->group[i];
        fits = fits && f2l_add_size(&sum, sum, g->count) && isfinite(g->rate) && g->rate >= 0 &&
               isfinite(g->weight_decay) && g->weight_decay >= 0;
    }
    if (t->groups > 0 && (!fits || sum != t->parameters))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the groups of parameters do not add up, or a factor is "
                        "negative");
    return F2L_OK;
}

static f2l_status diverged(f2l_train_job *job, const char *what, double value, f2l_error *err)
{
    job->end = F2L_TRAIN_DIVERGED;
    return f2l_fail(err, F2L_UNKNOWN, "diverged: at step %llu %s is %g",
                    (unsigned long long)job->step + 1, what, value);
}

static double running_mean(const f2l_train_job *job)
{
    return job->step == 0 ? job->batch.loss : 0.98 * job->loss + 0.02 * job->batch.loss;
}

static f2l_status check_loss(f2l_train_job *job, f2l_error *err)
{
    const double loss = job->batch.loss, chance = job->trainee->chance_loss,
                 mean = running_mean(job);
    const double first = job->step == 0 ? loss : job->first_loss,
                 base = first > chance ? first : chance;
    if (!isfinite(loss)) return diverged(job, "the loss", loss, err);
    if (!isfinite(job->norm)) return diverged(job, "the length of the gradient", job->norm, err);
    if (job->options->divergence > 0 && base > 0 && mean > job->options->divergence * base)
        return diverged(job, "the running mean of the loss", mean, err);
    return F2L_OK;
}

static void *part(void *array, size_t first, size_t number)
{
    return (char *)array + first * number;
}

static void update_group(const f2l_train_job *job, size_t first, const f2l_train_group *g,
                         double scale)
{
    const f2l_trainee *t = job->trainee;
    const f2l_train_options *o = job->options;
    const f2l_adamw step = {.rate = job->rate * g->rate,
                            .decay = o->weight_decay * g->weight_decay,
                            .beta1 = o->beta1,
                            .beta2 = o->beta2,
                            .epsilon = o->epsilon,
                            .scale = scale,
                            .time = job->step + 1};
    void *p = part(t->parameter, first, t->number), *m = part(job->mean, first, t->number);
    void *v = part(job->square, first, t->number), *d = part(job->gradient, first, t->number);
    if (t->number == 4)
        f2l_adamw_update_f32(p, m, v, d, g->count, &step);
    else
        f2l_adamw_update_f64(p, m, v, d, g->count, &step);
}

static void update_parameters(f2l_train_job *job)
{
    const f2l_trainee *t = job->trainee;
    const f2l_train_group all = {.count = t->parameters, .rate = 1, .weight_decay = 1};
    const double clip = job->options->clip;
    const double scale = clip > 0 && job->norm > clip ? clip / job->norm : 1;
    size_t first = 0;
    if (t->groups == 0) update_group(job, 0, &all, scale);
    for (size_t i = 0; i < t->groups; first += t->group[i].count, i++)
        update_group(job, first, &t->group[i], scale);
}

static void count_batch(f2l_train_job *job)
{
    const f2l_train_batch *b = &job->batch;
    f2l_train_window *w = &job->window;
    w->loss += b->loss;
    w->batches++;
    w->tokens += b->tokens;
    w->supervised += b->supervised;
    w->right += b->right;
    w->sequences += b->sequences;
    w->right_ones += b->right_ones;
    w->right_last += b->right_last;
    job->tokens += b->tokens;
}

/* Computes gradient and update by the engine. */
static f2l_status compute_elsewhere(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    const f2l_train_options *o = job->options;
    const f2l_train_pace pace = {.rate = f2l_train_rate(o, job->step),
                                 .weight_decay = o->weight_decay,
                                 .beta1 = o->beta1,
                                 .beta2 = o->beta2,
                                 .epsilon = o->epsilon,
                                 .clip = o->clip,
                                 .time = job->step + 1};
    job->batch = (f2l_train_batch){0};
    f2l_status status =
        t->engine->advance(t->self, &job->batch, &job->norm, &pace, job->step, job->task, err);
    if (status == F2L_OK) status = check_loss(job, err);
    if (status == F2L_OK) job->rate = pace.rate;
    return status;
}

static f2l_status compute_here(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    memset(job->gradient, 0, t->parameters * t->number);
    job->batch = (f2l_train_batch){0};
    f2l_status status = t->gradient(t->self, &job->batch, job->gradient, job->step, job->task, err);
    if (status != F2L_OK) return status;
    job->norm = sqrt(t->number == 4 ? f2l_adamw_squares_f32(job->gradient, t->parameters)
                                    : f2l_adamw_squares_f64(job->gradient, t->parameters));
    status = check_loss(job, err);
    if (status != F2L_OK) return status;
    job->rate = f2l_train_rate(job->options, job->step);
    update_parameters(job);
    return F2L_OK;
}

static f2l_status make_step(f2l_train_job *job, f2l_error *err)
{
    const double from = f2l_now();
    f2l_status status = job->trainee->engine ? compute_elsewhere(job, err) : compute_here(job, err);
    if (status != F2L_OK) return status;
    if (job->step == 0) job->first_loss = job->batch.loss;
    job->loss = running_mean(job);
    job->step++;
    count_batch(job);
    if (job->step % job->options->log_every == 0 || job->step == job->options->steps)
        status = f2l_train_log_step(job, err);
    const double seconds = f2l_now() - from;
    if (seconds > job->longest_step) job->longest_step = seconds;
    f2l_train_tell(job);
    return status;
}

static bool evaluation_is_due(const f2l_train_job *job)
{
    const f2l_train_options *o = job->options;
    if (o->lengths > 0 && job->step == 0 && job->trainee->reference) return !job->scored;
    if (o->lengths == 0 || job->step == job->evaluated) return false;
    return job->step == o->steps || (o->evaluate_every > 0 && job->step % o->evaluate_every == 0);
}

static f2l_status score(f2l_train_job *job, f2l_error *err)
{
    const f2l_train_options *o = job->options;
    const f2l_trainee *t = job->trainee;
    job->scored = false;
    for (size_t i = 0; i < o->lengths; i++)
        job->score[i] = (f2l_train_score){.length = o->length[i]};
    f2l_status status =
        t->evaluate(t->self, job->score, o->lengths, o->sequences, job->step, job->task, err);
    job->scored = status == F2L_OK;
    return status;
}

static f2l_status evaluate_job(f2l_train_job *job, f2l_error *err)
{
    const f2l_train_options *o = job->options;
    const double from = f2l_now();
    f2l_status status = score(job, err);
    const double seconds = f2l_now() - from;
    if (status == F2L_OK) status = f2l_train_log_evaluation(job, seconds, err);
    if (status != F2L_OK) return status;
    job->evaluated = job->step;
    if (seconds > job->longest_evaluation) job->longest_evaluation = seconds;
    f2l_train_tell(job);
    if (o->target > 0 && f2l_train_sequence_accuracy(&job->score[o->lengths - 1]) >= o->target)
        job->end = F2L_TRAIN_REACHED;
    return F2L_OK;
}

/* Saves before work that may take `ahead` seconds, if otherwise more than the agreed time could be
 * lost. */
static f2l_status save_if_due(f2l_train_job *job, double ahead, f2l_error *err)
{
    if (!job->dir || job->step == job->saved_step) return F2L_OK;
    if (f2l_now() + ahead - job->saved_at < job->options->checkpoint_seconds) return F2L_OK;
    return f2l_train_save(job, err);
}

/* Ends the run after its last step. A checkpoint has no scores: a run that is taken up behind its
 * last evaluation is evaluated once more. */
static f2l_status complete_training(f2l_train_job *job, f2l_error *err)
{
    const f2l_status status = job->options->lengths > 0 && !job->scored ? score(job, err) : F2L_OK;
    if (status == F2L_OK) job->end = F2L_TRAIN_COMPLETED;
    return status;
}

static f2l_status train_steps(f2l_train_job *job, f2l_error *err)
{
    const uint64_t steps = job->options->steps;
    while (job->end == F2L_TRAIN_GOES_ON) {
        f2l_status status =
            f2l_task_poll(job->task, "training", (double)job->step, (double)steps, err);
        const bool look = evaluation_is_due(job);
        if (status == F2L_OK)
            status = save_if_due(job, look ? job->longest_evaluation : job->longest_step, err);
        if (status == F2L_OK && look)
            status = evaluate_job(job, err);
        else if (status == F2L_OK && job->step == steps)
            status = complete_training(job, err);
        else if (status == F2L_OK)
            status = make_step(job, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Writes the last checkpoint, then the weights: a process that ends in between leaves a run that
 * has ended, and `repeat` writes its weights. */
static f2l_status finish_training(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    if (!job->dir) return f2l_train_fetch(job, err);
    const uint64_t log_bytes = job->dir->log_bytes;
    f2l_status status = f2l_train_log_end(job, NULL, err);
    if (status == F2L_OK) status = f2l_train_save(job, err);
    if (status != F2L_OK) {
        (void)f2l_train_dir_cut(job->dir, log_bytes, NULL); /* the run has not ended */
        if (job->end != F2L_TRAIN_DIVERGED) job->end = F2L_TRAIN_GOES_ON;
        return status;
    }
    return t->write ? t->write(t->self, job->dir->weights, err) : F2L_OK;
}

/* Repeats the end of a run that ended before: evaluates it once more, if that is wanted, and writes
 * the weights again in case they were lost. */
static f2l_status repeat(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    const bool wanted = job->options->lengths > 0 && !(job->watch && job->watch->evaluated);
    f2l_status status = wanted ? score(job, err) : F2L_OK;
    if (status == F2L_OK && t->write) status = t->write(t->self, job->dir->weights, err);
    return status;
}

/* Stops the run for the reason *why: saves the state that it reached, and logs the end. */
static f2l_status stop_training(f2l_train_job *job, const f2l_error *why, f2l_error *err)
{
    f2l_error failure = {0};
    if (!job->dir) {
        if (job->end != F2L_TRAIN_DIVERGED)
            (void)f2l_train_fetch(job, NULL); /* as far as they are available */
        return f2l_fail(err, why->status, "%s; nothing is saved", why->text);
    }
    if (job->end == F2L_TRAIN_DIVERGED) {
        (void)f2l_train_log_end(job, why->text, NULL); /* the reason is returned in any case */
    } else if (why->status == F2L_UNKNOWN && job->step != job->saved_step) {
        /* The run was interrupted between two steps. After any other failure the log may lack a
         * line of the step. */
        const f2l_status status = f2l_train_save(job, &failure);
        if (status != F2L_OK)
            return f2l_fail(err, status, "%s; not saved: %s; %s is as it was", why->text,
                            failure.text, job->dir->checkpoint);
    }
    if (job->saved_step == 0)
        return f2l_fail(err, why->status, "%s; there is no checkpoint yet", why->text);
    return f2l_fail(err, why->status, "%s; %s holds step %llu", why->text, job->dir->checkpoint,
                    (unsigned long long)job->saved_step);
}

static f2l_status take_up(f2l_train_job *job, bool *ended, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    bool found = false;
    f2l_status status = job->dir ? f2l_train_load(&found, job, err) : F2L_OK;
    if (status == F2L_OK && t->engine) {
        status = t->engine->put(t->self, t->parameter, job->mean, job->square, err);
        job->held = status == F2L_OK;
    }
    if (status != F2L_OK) return status;
    *ended = job->end != F2L_TRAIN_GOES_ON;
    job->began = job->saved_at = job->line_at = f2l_now();
    job->began_step = job->saved_step = job->step;
    job->began_tokens = job->tokens;
    return job->dir && !found ? f2l_train_dir_cut(job->dir, 0, err) : F2L_OK;
}

static f2l_status allocate_training(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    size_t bytes;
    f2l_status status = f2l_train_bytes(&bytes, t->parameters, t->number, err);
    if (status == F2L_OK) status = f2l_task_memory(job->task, "training", bytes, err);
    if (status != F2L_OK) return status;
    job->gradient = f2l_calloc(t->engine ? 0 : t->parameters, t->number);
    job->mean = f2l_calloc(t->parameters, t->number);
    job->square = f2l_calloc(t->parameters, t->number);
    job->score = f2l_calloc(job->options->lengths, sizeof *job->score);
    return job->gradient && job->mean && job->square && job->score ? F2L_OK : f2l_fail_memory(err);
}

/* Moves the scores into the result. */
static void report_result(f2l_train_result *result, f2l_train_job *job, bool repeated)
{
    f2l_train_result_clear(result);
    *result = (f2l_train_result){.end = job->end,
                                 .step = job->step,
                                 .tokens = job->tokens,
                                 .loss = job->loss,
                                 .seconds = job->began > 0 ? f2l_train_seconds(job) : 0,
                                 .repeated = repeated};
    if (!job->scored) return;
    result->score = job->score;
    result->scores = job->options->lengths;
    job->score = NULL;
}

f2l_status f2l_train_run(f2l_train_result *result, const f2l_trainee *trainee,
                         const f2l_train_options *options, f2l_train_dir *dir,
                         const f2l_train_watch *watch, const f2l_task *task, f2l_error *err)
{
    f2l_train_job job = {
        .trainee = trainee, .options = options, .dir = dir, .watch = watch, .task = task};
    f2l_error why = {0};
    bool ended = false;
    f2l_status status = f2l_train_options_check(options, err);
    if (status == F2L_OK) status = check_trainee(trainee, options, err);
    if (status == F2L_OK) status = set_identity(&job, err);
    if (status == F2L_OK) status = allocate_training(&job, err);
    if (status == F2L_OK) status = take_up(&job, &ended, err);
    if (status == F2L_OK && ended) {
        status = repeat(&job, err);
    } else if (status == F2L_OK) {
        status = f2l_train_log_start(&job, &why);
        if (status == F2L_OK) status = train_steps(&job, &why);
        if (status == F2L_OK) status = finish_training(&job, &why);
        if (status != F2L_OK) status = stop_training(&job, &why, err);
    }
    report_result(result, &job, ended);
    f2l_free(job.gradient);
    f2l_free(job.mean);
    f2l_free(job.square);
    f2l_free(job.score);
    return status;
}
