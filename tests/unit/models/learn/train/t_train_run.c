/* Training runs on a small trainee: results and messages, and that a resumed run equals one that
 * never stopped. */
#include "tests/support/train/train_run_support.h"
#include "tests/support/train/train_support.h"

/* Does a run's loop, written plainly for double. */
static void by_hand(double p[LOGISTIC_PARAMETERS], const f2l_train_options *o, uint64_t seed,
                    uint64_t steps)
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
            l.parameter.f64[i] -= rate * (m[i] / (1 - pow(o->beta1, t))) /
                                  (sqrt(v[i] / (1 - pow(o->beta2, t))) + o->epsilon);
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
    for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++)
        cr_assert_float_eq(l.parameter.f64[i], p[i], 1e-11);
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

/* Runs processes each of which stops at the next of these points, until the run has ended. */
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
        for (size_t i = 0; i < LOGISTIC_PARAMETERS && processes > 0; i++) /* all is loaded */
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

static void stop_when_evaluated(void *context, const f2l_train_progress *progress)
{
    volatile sig_atomic_t *flag = context;
    if (progress->evaluated == progress->steps) *flag = SIGTERM;
}

/* A run that is interrupted between its last evaluation and its end has its scores when it is taken
 * up, though no step and no line of the log is left. */
Test(train_run, an_end_after_the_last_evaluation_has_scores)
{
    reference r;
    train_place p;
    f2l_train_dir dir;
    f2l_train_result result;
    f2l_error err = {0};
    const f2l_train_options o = logistic_options(160);
    reference_open(&r, &o, 4);
    train_place_open(&p);
    for (int taken_up = 0; taken_up < 2; taken_up++) {
        volatile sig_atomic_t flag = 0;
        const f2l_task task = {.cancel = &flag};
        const f2l_train_watch watch = {.progress = stop_when_evaluated, .context = (void *)&flag};
        logistic l;
        f2l_train_result_init(&result);
        logistic_init(&l, 4, 9);
        if (!taken_up)
            train_dir_make(&dir, &p, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        const f2l_status status =
            f2l_train_run(&result, &l.trainee, &o, &dir, taken_up ? NULL : &watch, &task, &err);
        cr_assert_eq(status, taken_up ? F2L_OK : F2L_UNKNOWN, "%s", err.text);
        cr_assert_eq(result.step, 160);
        f2l_train_dir_clear(&dir);
        if (!taken_up) f2l_train_result_clear(&result);
    }
    cr_assert_eq(result.scores, 3);
    reference_check(&r, &p, &result);
    f2l_train_result_clear(&result);
    train_place_close(&p);
    reference_close(&r);
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

/* The number of looks at a checkpoint, and of the looks that found a different file. */
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
    if (now.st_ino != s->last.st_ino || now.st_mtim.tv_nsec != s->last.st_mtim.tv_nsec)
        s->changes++;
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
        const f2l_train_watch watch = {.progress = look, .context = &s};
        logistic_init(&l, 4, 2);
        l.pause = 5000000;
        f2l_train_result_init(&result);
        cr_assert_eq(f2l_train_run(&result, &l.trainee, &o, &dir, &watch, NULL, NULL), F2L_OK);
        cr_assert_eq(s.looks, 41, "40 steps and an evaluation");
        /* When saving is always due, the save before the evaluation counts too. */
        const size_t final = kind[i].seconds == 0;
        cr_assert(s.changes >= kind[i].least + final && s.changes <= kind[i].most + final, "%zu",
                  s.changes);
        f2l_train_result_clear(&result);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
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
                     "step 12 of 200, 34500 tokens/s, loss 0.01234, accuracy 0.999 at length 48, "
                     "sequences right 64: 1.000 128: 0.750, 13 min left");
    f2l_buf_clear(&b);
    progress.scores = 0;
    progress.seconds_left = -1;
    f2l_train_progress_text(&b, &progress);
    cr_assert_str_eq(b.data, "step 12 of 200, 34500 tokens/s, loss 0.01234, accuracy 0.999 at "
                             "length 48");
    f2l_buf_clear(&b);
}
