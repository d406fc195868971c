/* Runs in processes that are killed at random moments. */
#include "numeric/base/unfinished.h"
#include "tests/support/train/train_support.h"
#include <sys/mman.h>
#include <sys/wait.h>

enum { STEPS = 800 };

static const char config[] = "{}\n";

/* Memory shared by the processes: the time at which each step was made. */
typedef struct board {
    volatile double made[STEPS + 1];
    volatile uint64_t step;
} board;

static board *board_open(void)
{
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    cr_assert_eq(ftruncate(fileno(file), sizeof(board)), 0);
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    cr_assert_neq(b, MAP_FAILED);
    fclose(file);
    return b;
}

static void note(void *context, const f2l_train_progress *progress)
{
    board *b = context;
    b->step = progress->step;
    b->made[progress->step] = f2l_now();
}

static volatile sig_atomic_t caught;

static void handle(int number)
{
    caught = number;
}

static f2l_train_options kill_options(double seconds)
{
    f2l_train_options o = logistic_options(STEPS);
    o.checkpoint_seconds = seconds;
    return o;
}

/* Resumes the run in this process; returns 0 when it ended, 2 when it was stopped, 1 for anything
 * else. */
static int work(const train_place *p, board *b, double seconds, long pause)
{
    f2l_train_dir dir;
    f2l_train_result result;
    logistic l;
    f2l_error err = {0};
    const f2l_train_options o = kill_options(seconds);
    const f2l_task task = {.cancel = &caught};
    const f2l_train_watch watch = {.progress = note, .context = b};
    logistic_init(&l, 4, 21);
    l.pause = pause;
    f2l_train_result_init(&result);
    f2l_status status = f2l_train_dir_open(&dir, p->run, config, &err);
    if (status == F2L_OK)
        status = f2l_train_run(&result, &l.trainee, &o, &dir, &watch, &task, &err);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    if (status != F2L_OK) fprintf(stderr, "%s\n", err.text);
    return status == F2L_OK ? 0 : status == F2L_UNKNOWN ? 2 : 1;
}

static void wait_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)}, NULL);
}

/* Starts a child that works until the signal comes after `seconds`; returns its wait status. */
static int work_until(const train_place *p, board *b, double seconds, int number, double after)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        struct sigaction action = {.sa_handler = handle};
        sigaction(SIGTERM, &action, NULL); /* without SA_RESTART, as in the program */
        _exit(work(p, b, seconds, 1000000));
    }
    cr_assert_gt(child, 0);
    wait_for(after);
    cr_assert_eq(kill(child, number), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

/* Returns the step in the checkpoint, taken from the message of a stopped run; 0 without a
 * checkpoint. */
static uint64_t saved_step(const train_place *p)
{
    f2l_train_dir dir;
    f2l_train_result result;
    logistic l;
    f2l_error err = {0};
    const f2l_train_options o = kill_options(1000);
    volatile sig_atomic_t stop = SIGTERM;
    const f2l_task task = {.cancel = &stop};
    logistic_init(&l, 4, 21);
    f2l_train_result_init(&result);
    cr_assert_eq(f2l_train_dir_open(&dir, p->run, config, &err), F2L_OK, "%s", err.text);
    const f2l_status status = f2l_train_run(&result, &l.trainee, &o, &dir, NULL, &task, &err);
    cr_assert(status == F2L_OK || status == F2L_UNKNOWN, "%s", err.text);
    const uint64_t step = result.step;
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    return step;
}

static void read_all(f2l_buf file[2], const train_place *p)
{
    train_read(&file[0], p, "weights.safetensors");
    train_log(&file[1], p);
}

static void expect_uninterrupted(const train_place *p, board *b)
{
    train_place other;
    f2l_train_dir dir;
    f2l_buf mine[2], theirs[2];
    train_place_open(&other);
    train_dir_make(&dir, &other, config);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(work(&other, b, 1000, 0), 0);
    read_all(mine, p);
    read_all(theirs, &other);
    cr_assert_eq(mine[0].size, theirs[0].size);
    cr_assert_arr_eq(mine[0].data, theirs[0].data, mine[0].size);
    cr_assert_str_eq(mine[1].data, theirs[1].data);
    for (size_t i = 0; i < 2; i++) {
        f2l_buf_clear(&mine[i]);
        f2l_buf_clear(&theirs[i]);
    }
    train_place_close(&other);
}

/* kill -9 at twenty random moments: every checkpoint is whole, little is lost, and the result
 * equals a quiet run's. */
Test(train_kill, nothing_but_the_time_since_the_last_checkpoint_is_lost)
{
    static const double interval = 0.02, slack = 1; /* s; the machine may be busy */
    train_place p;
    f2l_train_dir dir;
    board *b = board_open();
    f2l_rng r;
    uint64_t before = 0;
    size_t killed = 0;
    f2l_rng_init(&r, 7, 0);
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    f2l_train_dir_clear(&dir);
    for (size_t i = 0; i < 20; i++) {
        const double after = 0.002 + 0.05 * (double)f2l_rng_below(&r, 1000) / 1000;
        b->step = 0;
        const int status = work_until(&p, b, interval, SIGKILL, after);
        const double now = f2l_now();
        killed += WIFSIGNALED(status);
        const uint64_t reached = b->step, saved = saved_step(&p);
        cr_assert_geq(saved, before, "a checkpoint went back");
        if (reached > saved) cr_assert_lt(now - b->made[saved + 1], interval + slack);
        before = saved;
    }
    printf("%zu of 20 killed, the last at step %zu\n", killed, (size_t)before);
    cr_assert_gt(killed, 10);
    cr_assert_gt(before, 20);
    cr_assert_eq(work(&p, b, 1000, 0), 0);
    cr_assert_eq(train_entries(p.run, "checkpoint" F2L_UNFINISHED_MARK, false), 0);
    cr_assert_eq(train_entries(p.run, "weights.safetensors" F2L_UNFINISHED_MARK, false), 0);
    expect_uninterrupted(&p, b);
    train_place_close(&p);
}

Test(train_kill, sigterm_saves_the_step_it_reached)
{
    train_place p;
    f2l_train_dir dir;
    board *b = board_open();
    size_t stopped = 0;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    f2l_train_dir_clear(&dir);
    for (size_t i = 0; i < 8; i++) {
        const int status = work_until(&p, b, 1000, SIGTERM, 0.03 + 0.01 * (double)i);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
            stopped++;
            cr_assert_eq(saved_step(&p), b->step);
        } else { /* its handler was not yet installed */
            cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%d", status);
        }
    }
    cr_assert_gt(stopped, 3);
    cr_assert_gt(b->step, 20);
    cr_assert_eq(work(&p, b, 1000, 0), 0);
    expect_uninterrupted(&p, b);
    train_place_close(&p);
}
