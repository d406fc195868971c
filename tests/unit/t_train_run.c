/* Training runs on a small trainee: what they compute, what they say, and that going on equals never having stopped. */
#include "f2l_mem.h"
#include "train_support.h"
#include <jansson.h>
#include <sys/resource.h>

static const char config[] = "{\"model\":\"logistic\"}\n";

/* A whole run; the folder may be NULL. */
static f2l_status run(f2l_train_result *result, logistic *l, const f2l_train_options *o, f2l_train_dir *dir,
                      const f2l_task *task, f2l_error *err)
{
    f2l_train_result_init(result);
    return f2l_train_run(result, &l->trainee, o, dir, NULL, task, err);
}

/* The loop that a run is, written plainly for double. */
static void by_hand(double p[LOGISTIC_PARAMETERS], const f2l_train_options *o, uint64_t seed, uint64_t steps)
{
    logistic l;
    double m[LOGISTIC_PARAMETERS] = {0}, v[LOGISTIC_PARAMETERS] = {0};
    logistic_init(&l, 8, seed);
    for (uint64_t s = 0; s < steps; s++) {
        double g[LOGISTIC_PARAMETERS] = {0}, length = 0;
        f2l_train_batch batch = {0};
        cr_assert_eq(logistic_gradient(&l, &batch, g, s, NULL, NULL), F2L_OK);
        for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++) length += g[i] * g[i];
        length = sqrt(length);
        for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++) {
            const bool bias = i == LOGISTIC_FEATURES;
            const double d = length > o->clip ? g[i] * o->clip / length : g[i];
            const double rate = f2l_train_rate(o, s) * (bias ? 2 : 1);
            if (!bias) l.parameter.f64[i] *= 1 - rate * o->weight_decay;
            m[i] = o->beta1 * m[i] + (1 - o->beta1) * d;
            v[i] = o->beta2 * v[i] + (1 - o->beta2) * d * d;
            const double t = (double)(s + 1);
            l.parameter.f64[i] -=
                rate * (m[i] / (1 - pow(o->beta1, t))) / (sqrt(v[i] / (1 - pow(o->beta2, t))) + o->epsilon);
        }
    }
    memcpy(p, l.parameter.f64, sizeof l.parameter.f64);
}

Test(train_run, is_adamw_with_a_schedule_and_clipping)
{
    logistic l;
    f2l_train_result result;
    f2l_train_options o = logistic_options(120);
    double p[LOGISTIC_PARAMETERS];
    o.clip = 0.1; /* acts in the first steps */
    logistic_init(&l, 8, 5);
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, NULL), F2L_OK);
    by_hand(p, &o, 5, 120);
    for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++) cr_assert_float_eq(l.parameter.f64[i], p[i], 1e-11);
    cr_assert_eq(result.end, F2L_TRAIN_COMPLETED);
    cr_assert_eq(result.step, 120);
    cr_assert_eq(result.scores, 3);
    cr_assert_eq(l.evaluations, 3, "after 50, 100 and 120 steps");
    cr_assert_gt(f2l_train_accuracy(&result.score[0]), 0.8);
    f2l_train_result_clear(&result);
    f2l_train_result_clear(&result);
}

Test(train_run, learns_in_both_precisions_and_equally_often)
{
    for (size_t number = 4; number <= 8; number += 4) {
        logistic a, b;
        f2l_train_result result;
        const f2l_train_options o = logistic_options(1500);
        logistic_init(&a, number, 3);
        logistic_init(&b, number, 3);
        cr_assert_eq(run(&result, &a, &o, NULL, NULL, NULL), F2L_OK);
        cr_assert_gt(f2l_train_accuracy(&result.score[2]), 0.93);
        cr_assert_lt(result.loss, 0.3);
        cr_assert_eq(a.state[0], LOGISTIC_FEATURES, "the curriculum has ended");
        f2l_train_result_clear(&result);
        cr_assert_eq(run(&result, &b, &o, NULL, NULL, NULL), F2L_OK);
        cr_assert_arr_eq(&a.parameter, &b.parameter, sizeof a.parameter);
        f2l_train_result_clear(&result);
    }
}

/* What an uninterrupted run leaves: weights, log, result. */
typedef struct reference {
    f2l_buf weights, log;
    f2l_train_result result;
} reference;

static void reference_open(reference *r, const f2l_train_options *o, size_t number)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_error err = {0};
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, number, 9);
    cr_assert_eq(run(&r->result, &l, o, &dir, NULL, &err), F2L_OK, "%s", err.text);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(train_entries(p.run, "", false), 5);
    train_read(&r->weights, &p, "weights.safetensors");
    train_log(&r->log, &p);
    train_place_close(&p);
}

static void reference_check(const reference *r, const train_place *p, const f2l_train_result *result)
{
    f2l_buf weights, log;
    train_read(&weights, p, "weights.safetensors");
    train_log(&log, p);
    cr_assert_eq(weights.size, r->weights.size);
    cr_assert_arr_eq(weights.data, r->weights.data, weights.size);
    cr_assert_str_eq(log.data, r->log.data);
    cr_assert_eq(result->end, r->result.end);
    cr_assert_eq(result->step, r->result.step);
    cr_assert_eq(result->tokens, r->result.tokens);
    cr_assert_eq(result->loss, r->result.loss);
    cr_assert_eq(result->scores, r->result.scores);
    cr_assert_arr_eq(result->score, r->result.score, result->scores * sizeof *result->score);
    f2l_buf_clear(&weights);
    f2l_buf_clear(&log);
}

static void reference_close(reference *r)
{
    f2l_buf_clear(&r->weights);
    f2l_buf_clear(&r->log);
    f2l_train_result_clear(&r->result);
}

/* Every process stops at the next of these points, until the run has ended. */
static void stop_and_go(size_t number, uint64_t every, bool in_evaluation)
{
    reference r;
    train_place p;
    const f2l_train_options o = logistic_options(160);
    f2l_train_result result;
    f2l_status status = F2L_UNKNOWN;
    size_t processes = 0;
    reference_open(&r, &o, number);
    train_place_open(&p);
    for (uint64_t at = every; status != F2L_OK; at += every, processes++) {
        volatile sig_atomic_t flag = 0;
        const f2l_task task = {.cancel = &flag};
        f2l_train_dir dir;
        logistic l;
        f2l_error err = {0};
        logistic_init(&l, number, 9);
        for (size_t i = 0; i < LOGISTIC_PARAMETERS && processes > 0; i++) /* all comes from the checkpoint */
            logistic_add(&l, &l.parameter, i, 1);
        l.flag = &flag;
        l.flag_at = at;
        l.flag_in_evaluation = in_evaluation;
        if (processes == 0)
            train_dir_make(&dir, &p, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        status = run(&result, &l, &o, &dir, &task, &err);
        if (status != F2L_OK) {
            char text[40];
            snprintf(text, sizeof text, "holds step %d", (int)at);
            cr_assert_eq(status, F2L_UNKNOWN);
            cr_assert_not_null(strstr(err.text, "interrupted"), "%s", err.text);
            cr_assert_not_null(strstr(err.text, text), "%s", err.text);
            cr_assert_eq(result.end, F2L_TRAIN_GOES_ON);
            cr_assert_eq(result.step, at);
            f2l_train_result_clear(&result);
        }
        f2l_train_dir_clear(&dir);
        cr_assert_lt(processes, 200);
    }
    cr_assert_gt(processes, 3);
    reference_check(&r, &p, &result);
    f2l_train_result_clear(&result);
    train_place_close(&p);
    reference_close(&r);
}

Test(train_run, going_on_equals_never_having_stopped)
{
    stop_and_go(4, 1, false);
    stop_and_go(4, 13, false);
    stop_and_go(8, 50, false);
    stop_and_go(8, 33, false);
    stop_and_go(4, 50, true);
}

Test(train_run, a_run_that_has_ended_stays_as_it_is)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result first, second;
    f2l_buf before, after;
    const f2l_train_options o = logistic_options(60);
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, 4, 1);
    cr_assert_eq(run(&first, &l, &o, &dir, NULL, NULL), F2L_OK);
    f2l_train_dir_clear(&dir);
    train_read(&before, &p, "log.jsonl");
    cr_assert_eq(train_entries(p.run, "weights", true), 1);
    logistic_init(&l, 4, 1);
    cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, NULL), F2L_OK);
    cr_assert_eq(run(&second, &l, &o, &dir, NULL, NULL), F2L_OK);
    cr_assert_eq(l.gradients, 0);
    cr_assert_eq(l.writes, 1);
    cr_assert_eq(second.end, F2L_TRAIN_COMPLETED);
    cr_assert_eq(second.loss, first.loss);
    cr_assert_arr_eq(second.score, first.score, first.scores * sizeof *first.score);
    train_read(&after, &p, "log.jsonl");
    cr_assert_str_eq(before.data, after.data);
    f2l_buf_clear(&before);
    f2l_buf_clear(&after);
    f2l_train_dir_clear(&dir);
    f2l_train_result_clear(&first);
    f2l_train_result_clear(&second);
    train_place_close(&p);
}

Test(train_run, stops_at_its_target)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result result;
    f2l_train_options o = logistic_options(100000);
    o.target = 0.9;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, 4, 1);
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, NULL), F2L_OK);
    cr_assert_eq(result.end, F2L_TRAIN_REACHED);
    cr_assert_lt(result.step, 5000);
    cr_assert_eq(result.step % 50, 0);
    cr_assert_geq(f2l_train_sequence_accuracy(&result.score[2]), 0.9);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}

/* Numbers that are not finite, or a loss that grows: the checkpoint stays and the text says the step. */
static void diverge(void (*spoil)(logistic *, f2l_train_options *), const char *expected, uint64_t saved)
{
    train_place p;
    f2l_train_dir dir;
    logistic l, back;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_buf log;
    volatile sig_atomic_t flag = 0;
    const f2l_task task = {.cancel = &flag};
    f2l_train_options o = logistic_options(400);
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, 4, 2);
    l.flag = &flag;
    l.flag_at = saved;
    spoil(&l, &o);
    cr_assert_eq(run(&result, &l, &o, &dir, &task, &err), F2L_UNKNOWN);
    f2l_train_result_clear(&result);
    flag = 0;
    l.flag = NULL;
    cr_assert_eq(run(&result, &l, &o, &dir, &task, &err), F2L_UNKNOWN);
    cr_assert_eq(result.end, F2L_TRAIN_DIVERGED);
    cr_assert_not_null(strstr(err.text, expected), "%s", err.text);
    cr_assert_not_null(strstr(err.text, "checkpoint holds step"), "%s", err.text);
    train_read(&log, &p, "log.jsonl");
    cr_assert_not_null(strstr(log.data, "{\"event\":\"diverged\""), "%s", log.data);
    f2l_buf_clear(&log);
    f2l_train_result_clear(&result);
    /* The last good state is there, and finite. */
    logistic_init(&back, 4, 2);
    flag = SIGTERM;
    cr_assert_eq(run(&result, &back, &o, &dir, &task, &err), F2L_UNKNOWN);
    cr_assert_eq(result.step, saved);
    for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++) cr_assert(isfinite(logistic_get(&back, i)));
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}

static void bad_loss(logistic *l, f2l_train_options *o)
{
    (void)o;
    l->bad_step = 77;
}

static void bad_gradient(logistic *l, f2l_train_options *o)
{
    (void)o;
    l->bad_gradient = 78;
}

static void large_rate(logistic *l, f2l_train_options *o)
{
    (void)l;
    o->rate = 3000;
    o->weight_decay = 0;
    o->warmup = 100;
    o->divergence = 2;
}

static void large_rate_and_no_chance(logistic *l, f2l_train_options *o)
{
    large_rate(l, o);
    l->trainee.chance_loss = 0; /* the first loss is the measure, also after going on */
}

Test(train_run, divergence)
{
    diverge(bad_loss, "at step 77 the loss is nan", 40);
    diverge(bad_gradient, "at step 78 the length of the gradient is inf", 40);
    diverge(large_rate, "the running mean of the loss is", 1);
    diverge(large_rate_and_no_chance, "the running mean of the loss is", 1);
}

Test(train_run, parameters_that_are_not_finite_are_never_saved)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_train_options o = logistic_options(400);
    o.checkpoint_seconds = 0;
    o.steps = 1;
    o.warmup = o.decay_from = 0;
    o.evaluate_every = 0;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, 4, 2);
    o.rate = 3e38; /* one step beyond the floats */
    o.weight_decay = 0;
    l.group[1].rate = 1e9;
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_UNKNOWN);
    cr_assert_eq(result.end, F2L_TRAIN_DIVERGED);
    cr_assert_not_null(strstr(err.text, "not finite after step 1"), "%s", err.text);
    cr_assert_not_null(strstr(err.text, "there is no checkpoint yet"), "%s", err.text);
    cr_assert_eq(train_entries(p.run, "checkpoint", false), 0);
    cr_assert_eq(train_entries(p.run, "weights", false), 0);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}

/* Counts how often the checkpoint is another file than at the last look. */
typedef struct saves {
    const char *path;
    struct stat last;
    size_t changes, looks;
} saves;

static void look(void *context, const f2l_train_progress *progress)
{
    saves *s = context;
    struct stat now;
    s->looks++;
    cr_assert_leq(progress->step, progress->steps);
    if (stat(s->path, &now) != 0) return;
    if (now.st_ino != s->last.st_ino || now.st_mtim.tv_nsec != s->last.st_mtim.tv_nsec) s->changes++;
    s->last = now;
}

Test(train_run, checkpoints_come_in_time)
{
    static const struct {
        double seconds;
        size_t least, most;
    } kind[] = {{0, 39, 39}, {1000, 0, 0}, {0.03, 2, 39}};
    for (size_t i = 0; i < 3; i++) {
        train_place p;
        f2l_train_dir dir;
        logistic l;
        f2l_train_result result;
        f2l_train_options o = logistic_options(40);
        o.checkpoint_seconds = kind[i].seconds;
        o.evaluate_every = 0;
        train_place_open(&p);
        train_dir_make(&dir, &p, config);
        saves s = {.path = dir.checkpoint};
        const f2l_train_watch watch = {look, &s};
        logistic_init(&l, 4, 2);
        l.pause = 5000000;
        f2l_train_result_init(&result);
        cr_assert_eq(f2l_train_run(&result, &l.trainee, &o, &dir, &watch, NULL, NULL), F2L_OK);
        cr_assert_eq(s.looks, 41, "40 steps and an evaluation");
        /* The one before the evaluation counts when saving is always due. */
        const size_t final = kind[i].seconds == 0;
        cr_assert(s.changes >= kind[i].least + final && s.changes <= kind[i].most + final, "%zu", s.changes);
        f2l_train_result_clear(&result);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
}

/* All lines are whole and each is a JSON object with an event and a step; only a run that has ended says so. */
static void check_lines(const train_place *p, bool ended)
{
    f2l_buf log;
    train_read(&log, p, "log.jsonl");
    cr_assert_eq(log.data && strstr(log.data, "\"completed\"") != NULL, ended);
    for (char *line = log.data, *stop; line && *line; line = stop + 1) {
        stop = strchr(line, '\n');
        cr_assert_not_null(stop, "a line without an end: %s", line);
        *stop = '\0';
        json_t *value = json_loads(line, 0, NULL);
        cr_assert(json_is_object(value), "%s", line);
        cr_assert(json_is_string(json_object_get(value, "event")), "%s", line);
        cr_assert(json_is_integer(json_object_get(value, "step")), "%s", line);
        json_decref(value);
    }
    f2l_buf_clear(&log);
}

Test(train_run, a_disk_that_fills_costs_no_checkpoint)
{
    reference r;
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result result;
    f2l_train_options o = logistic_options(160);
    struct rlimit limit;
    size_t failures = 0;
    reference_open(&r, &o, 4);
    o.checkpoint_seconds = 0;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN); /* as the program does */
    const rlim_t whole = limit.rlim_cur;
    for (rlim_t bytes = 0;; bytes += 101) {
        f2l_error err = {0};
        logistic_init(&l, 4, 9);
        cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        limit.rlim_cur = bytes;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const f2l_status status = run(&result, &l, &o, &dir, NULL, &err);
        limit.rlim_cur = whole;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        f2l_train_dir_clear(&dir);
        check_lines(&p, status == F2L_OK);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_EIO, "%s", err.text);
        cr_assert_eq(result.end, F2L_TRAIN_GOES_ON);
        cr_assert(strstr(err.text, "holds step") || strstr(err.text, "no checkpoint yet"), "%s", err.text);
        cr_assert_eq(train_entries(p.run, "checkpoint.tmp", false), 0);
        f2l_train_result_clear(&result);
        failures++;
    }
    cr_assert_gt(failures, 10);
    reference_check(&r, &p, &result);
    f2l_train_result_clear(&result);
    train_place_close(&p);
    reference_close(&r);
}

Test(train_run, what_cannot_be_run_is_refused)
{
    logistic l;
    f2l_train_result result;
    f2l_train_options o = logistic_options(10);
    f2l_error err = {0};
    size_t bytes;
    logistic_init(&l, 4, 1);
    o.rate = 0;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    o = logistic_options(10);
    l.trainee.number = 2;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    l.group[0].count--;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    l.group[0].count = SIZE_MAX;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    l.group[1].rate = NAN;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    l.trainee.chance_loss = -1;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    l.trainee.evaluate = NULL;
    cr_assert_eq(run(&result, &l, &o, NULL, NULL, &err), F2L_EDOMAIN);
    logistic_init(&l, 4, 1);
    const f2l_task task = {.memory = 1000};
    cr_assert_eq(run(&result, &l, &o, NULL, &task, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "memory limit reached"), "%s", err.text);
    cr_assert_eq(l.gradients, 0);
    cr_assert_eq(f2l_train_bytes(&bytes, 100, 4, NULL), F2L_OK);
    cr_assert_eq(bytes, 3424);
    cr_assert_eq(f2l_train_bytes(&bytes, SIZE_MAX / 8, 8, NULL), F2L_EDOMAIN);
    const f2l_task late = {.deadline = 1e-9};
    cr_assert_eq(run(&result, &l, &o, NULL, &late, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "time limit reached"), "%s", err.text);
    cr_assert_not_null(strstr(err.text, "nothing is saved"), "%s", err.text);
}

Test(train_run, a_checkpoint_of_another_model_or_run_is_refused)
{
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_train_options o = logistic_options(20);
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    logistic_init(&l, 4, 1);
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, NULL), F2L_OK);
    f2l_train_result_clear(&result);
    logistic_init(&l, 8, 1);
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "other sizes"), "%s", err.text);
    logistic_init(&l, 4, 1);
    dir.identity[0] ^= 1;
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "another configuration"), "%s", err.text);
    dir.identity[0] ^= 1;
    o.steps = o.warmup = o.decay_from = 10;
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "another configuration"), "%s", err.text);
    o = logistic_options(20);
    o.weight_decay = 0.02;
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_EDOMAIN,
                 "options count without a word in the config");
    o = logistic_options(20);
    o.checkpoint_seconds = 5;
    cr_assert_eq(run(&result, &l, &o, &dir, NULL, &err), F2L_OK, "%s", err.text);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}

Test(train_run, progress_as_text)
{
    const f2l_train_score score[] = {{.length = 64, .sequences = 4, .right_ones = 4},
                                     {.length = 128, .sequences = 4, .right_ones = 3}};
    f2l_train_progress progress = {.step = 12,
                                   .steps = 200,
                                   .loss = 0.01234,
                                   .accuracy = 0.9985,
                                   .length = 48,
                                   .tokens_per_second = 34500,
                                   .seconds_left = 754,
                                   .score = score,
                                   .scores = 2};
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_train_progress_text(&b, &progress);
    cr_assert_str_eq(b.data,
                     "step 12 of 200, 34500 tokens/s, loss 0.01234, accuracy 0.999 at length 48, sequences "
                     "right 64: 1.000 128: 0.750, 13 min left");
    f2l_buf_clear(&b);
    progress.scores = 0;
    progress.seconds_left = -1;
    f2l_train_progress_text(&b, &progress);
    cr_assert_str_eq(b.data, "step 12 of 200, 34500 tokens/s, loss 0.01234, accuracy 0.999 at length 48");
    f2l_buf_clear(&b);
}

#ifdef F2L_MEM_FAILURES
Test(train_run, running_out_of_memory_loses_nothing)
{
    reference r;
    train_place p;
    f2l_train_dir dir;
    logistic l;
    f2l_train_result result;
    f2l_train_options o = logistic_options(60);
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    reference_open(&r, &o, 4);
    o.checkpoint_seconds = 0;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    for (; status != F2L_OK; n++) {
        logistic_init(&l, 4, 9);
        f2l_mem_fail_after(n, true);
        status = run(&result, &l, &o, &dir, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        check_lines(&p, status == F2L_OK);
        if (status != F2L_OK) f2l_train_result_clear(&result);
    }
    cr_assert_gt(n, 30);
    reference_check(&r, &p, &result);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
    reference_close(&r);
}

/* Every single failure of a fresh run, the ones at its end included: the log does not say more than the checkpoint. */
Test(train_run, a_run_that_could_not_be_saved_has_not_ended)
{
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; status != F2L_OK; n++) {
        train_place p;
        f2l_train_dir dir;
        logistic l;
        f2l_train_result result;
        const f2l_train_options o = logistic_options(8);
        train_place_open(&p);
        train_dir_make(&dir, &p, config);
        logistic_init(&l, 4, 9);
        f2l_mem_fail_after(n, true);
        status = run(&result, &l, &o, &dir, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        if (train_entries(p.run, "checkpoint", false) == 0 || status == F2L_OK)
            check_lines(&p, status == F2L_OK);
        cr_assert_eq(result.end, l.writes > 0 ? F2L_TRAIN_COMPLETED : F2L_TRAIN_GOES_ON);
        f2l_train_result_clear(&result);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
    cr_assert_gt(n, 20);
}
#endif
