#include "numeric/base/mem.h"
#include "numeric/base/unfinished.h"
#include "tests/support/train/train_run_support.h"
#include "tests/support/train/train_support.h"
#include <jansson.h>
#include <sys/resource.h>

/* Checks that numbers that are not finite, or a loss that grows, end the run: the checkpoint stays
 * and the text names the step. */
static void diverge(void (*spoil)(logistic *, f2l_train_options *), const char *expected,
                    uint64_t saved)
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
    /* The last good state exists, and is finite. */
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
    l->trainee.chance_loss = 0; /* the first loss is the measure, also in a resumed run */
}

Test(train_failures, divergence)
{
    diverge(bad_loss, "at step 77 the loss is nan", 40);
    diverge(bad_gradient, "at step 78 the length of the gradient is inf", 40);
    diverge(large_rate, "the running mean of the loss is", 1);
    diverge(large_rate_and_no_chance, "the running mean of the loss is", 1);
}

Test(train_failures, parameters_that_are_not_finite_are_never_saved)
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
    o.rate = 3e38; /* one step beyond the range of floats */
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

/* Checks that all lines are whole and each is a JSON object with an event and a step; only a run
 * that has ended has an end event. */
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

Test(train_failures, a_disk_that_fills_costs_no_checkpoint)
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
        cr_assert(strstr(err.text, "holds step") || strstr(err.text, "no checkpoint yet"), "%s",
                  err.text);
        cr_assert_eq(train_entries(p.run, "checkpoint" F2L_UNFINISHED_MARK, false), 0);
        f2l_train_result_clear(&result);
        failures++;
    }
    cr_assert_gt(failures, 10);
    reference_check(&r, &p, &result);
    f2l_train_result_clear(&result);
    train_place_close(&p);
    reference_close(&r);
}

Test(train_failures, what_cannot_be_run_is_refused)
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

Test(train_failures, a_checkpoint_of_another_model_or_run_is_refused)
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

#ifdef F2L_MEM_FAILURES
Test(train_failures, running_out_of_memory_loses_nothing)
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

/* After every single failure of a fresh run, also at its end, the log is never ahead of the
 * checkpoint. */
Test(train_failures, a_run_that_could_not_be_saved_has_not_ended)
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
