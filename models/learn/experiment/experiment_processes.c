/* Running a grid in several processes.
 *
 * Processes are used, not threads, so that a run that crashes or is killed leaves the others alone.
 * A child reports in memory that it shares with its parent, one slot per run; only the parent looks
 * at the caller's task and calls the caller's watch. The children begin the devices: after one
 * process has begun a device, the processes that it forks cannot use that device. */
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The report of a run. `told` is odd while the child writes. */
typedef struct slot {
    atomic_uint told;
    f2l_train_progress progress;
    size_t scores;
    bool done; /* whether the result is complete */
    f2l_train_result result;
    char device[sizeof((f2l_experiment_seed *)0)->device];
    f2l_error why;
    f2l_train_score score[]; /* [lengths] of the progress, [lengths] of the result */
} slot;

typedef struct child {
    pid_t process; /* 0: none */
    unsigned seen; /* value of `told` that has been passed on */
    unsigned device;
    double seconds, parts; /* running time, and the sum of its parts of the device */
} child;

typedef struct pool {
    f2l_experiment_grid_work *work;
    volatile sig_atomic_t *cancel; /* shared */
    char *slots;
    size_t slot_bytes, bytes, lengths; /* lengths: the most of any run */
    child *child;                      /* [runs] */
    unsigned *on;                      /* [devices] number of children on each */
    size_t next, running, ended;
    double now;
} pool;

static slot *slot_of_run(const pool *p, size_t run)
{
    return (slot *)(void *)(p->slots + run * p->slot_bytes);
}

static size_t lengths_of(const pool *p, size_t run)
{
    return p->work->cell[p->work->run[run].cell].seeds.lengths;
}

/* --- in a child --- */

typedef struct speaker {
    slot *slot;
    size_t lengths;
    pid_t parent;
    volatile sig_atomic_t *cancel;
} speaker;

static void speak(void *context, const f2l_train_progress *progress)
{
    const speaker *s = context;
    const size_t scores = progress->scores < s->lengths ? progress->scores : s->lengths;
    atomic_fetch_add(&s->slot->told, 1);
    s->slot->progress = *progress;
    s->slot->scores = scores;
    if (scores > 0) memcpy(s->slot->score, progress->score, scores * sizeof *progress->score);
    atomic_fetch_add(&s->slot->told, 1);
}

/* Stops a run whose parent is gone, because the run keeps its folder locked: it ends like an
 * interrupted run. */
static void look_after(void *context, const char *phase, double done, double total)
{
    const speaker *s = context;
    (void)phase;
    (void)done;
    (void)total;
    if (getppid() != s->parent) *s->cancel = SIGTERM;
}

/* Does the run and exits without returning, so that nothing that the parent has open or registered
 * is ended here. */
static _Noreturn void be_child(const pool *p, size_t run, pid_t parent)
{
    const size_t lengths = lengths_of(p, run);
    slot *mine = slot_of_run(p, run);
    speaker s = {mine, lengths, parent, p->cancel};
    f2l_task task = p->work->task ? *p->work->task : (f2l_task){0};
    const f2l_train_watch watch = {.progress = speak, .context = &s};
    f2l_experiment_seed *seed = f2l_experiment_grid_seed(p->work, run);
    f2l_error err = {0};
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* at once: a checkpoint survives it */
#endif
    if (getppid() != parent) _exit(0); /* the parent had ended before */
    task.cancel = p->cancel;
    task.jobs /= (unsigned)p->work->at_once; /* threads that make batches for a device; on the CPU
                                              * jobs is 1 */
    if (task.jobs == 0 || p->work->grid->backend == F2L_BACKEND_CPU) task.jobs = 1;
    task.progress = look_after;
    task.context = &s;
    err.status = f2l_experiment_grid_do(p->work, run, p->child[run].device, &watch, &task, &err);
    mine->why = err;
    mine->result = seed->result;
    memcpy(mine->device, seed->device, sizeof mine->device);
    if (mine->result.scores > lengths) mine->result.scores = lengths;
    if (mine->result.scores > 0)
        memcpy(mine->score + lengths, seed->result.score,
               mine->result.scores * sizeof *mine->score);
    mine->done = true;
    _exit(0);
}

/* --- in the parent --- */

static f2l_status open_pool(pool *p, f2l_error *err)
{
    const f2l_experiment_grid_work *work = p->work;
    size_t bytes;
    for (size_t c = 0; c < work->cells; c++)
        if (work->cell[c].seeds.lengths > p->lengths) p->lengths = work->cell[c].seeds.lengths;
    p->child = f2l_calloc(work->runs, sizeof *p->child);
    p->on = f2l_calloc(work->devices, sizeof *p->on);
    if (!p->child || !p->on || !f2l_mul_size(&bytes, 2 * p->lengths, sizeof(f2l_train_score)) ||
        !f2l_add_size(&bytes, bytes, offsetof(slot, score) + _Alignof(max_align_t)))
        return f2l_fail_memory(err);
    p->slot_bytes = bytes / _Alignof(max_align_t) * _Alignof(max_align_t);
    if (!f2l_mul_size(&bytes, p->slot_bytes, work->runs) ||
        !f2l_add_size(&p->bytes, bytes, _Alignof(max_align_t)))
        return f2l_fail_memory(err);
    void *shared = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return f2l_fail_memory(err);
    p->cancel = shared;
    p->slots = (char *)shared + _Alignof(max_align_t);
    return F2L_OK;
}

static void close_pool(pool *p)
{
    if (p->slots) (void)munmap(p->slots - _Alignof(max_align_t), p->bytes);
    f2l_free(p->child);
    f2l_free(p->on);
}

/* Returns the first device among those with the fewest runs. */
static unsigned free_device(const pool *p)
{
    unsigned best = 0;
    for (unsigned d = 1; d < p->work->devices; d++)
        if (p->on[d] < p->on[best]) best = d;
    return best;
}

static void begin_next(pool *p)
{
    const pid_t parent = getpid();
    const size_t run = p->next;
    const unsigned device = free_device(p);
    if (!f2l_experiment_grid_open(p->work, run)) return;
    p->child[run].device = device;
    const pid_t process = fork();
    if (process == 0) be_child(p, run, parent);
    if (process > 0) {
        p->child[run].process = process;
        p->on[device]++;
        p->next++;
        p->running++;
    } else if (p->running == 0) { /* no process can be started, and none will end */
        (void)f2l_fail(&f2l_experiment_grid_seed(p->work, run)->why, F2L_UNKNOWN,
                       "no process can be started: %s", f2l_reason_of(errno).text);
        p->work->stop = true;
    }
}

/* Passes on the last report of the run, unless the run is writing one. */
static void listen(pool *p, size_t run)
{
    const f2l_experiment_grid *grid = p->work->grid;
    const f2l_experiment_grid_run_at at = p->work->run[run];
    const size_t lengths = lengths_of(p, run);
    slot *s = slot_of_run(p, run);
    const unsigned told = atomic_load(&s->told);
    if (!grid->progress || told % 2 || told == p->child[run].seen) return;
    f2l_train_progress progress = s->progress;
    f2l_train_score *score = f2l_calloc(lengths, sizeof *score);
    if (score == NULL) return; /* of a line on the terminal */
    progress.scores = s->scores <= lengths ? s->scores : 0;
    if (progress.scores > 0) memcpy(score, s->score, progress.scores * sizeof *score);
    progress.score = score;
    if (atomic_load(&s->told) == told) {
        p->child[run].seen = told;
        grid->progress(grid->context, at.cell, at.index, &progress);
    }
    f2l_free(score);
}

static void take_result(f2l_experiment_seed *seed, const slot *s, size_t lengths)
{
    seed->why = s->why;
    seed->result = s->result;
    seed->result.score = NULL;
    memcpy(seed->device, s->device, sizeof seed->device);
    if (s->result.scores == 0) return;
    seed->result.score = f2l_calloc(s->result.scores, sizeof *seed->result.score);
    if (seed->result.score) {
        memcpy(seed->result.score, s->score + lengths,
               s->result.scores * sizeof *seed->result.score);
    } else {
        seed->result.scores = 0;
        (void)f2l_fail_memory(&seed->why);
    }
}

/* Returns the part of its device that a run that ended had, or the processors that it used. */
static double share_of_run(const pool *p, const child *c, const struct rusage *usage)
{
    const double used = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                        1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
    return (p->work->grid->backend == F2L_BACKEND_CPU ? used : c->parts) / c->seconds;
}

/* Adds the time since the last call to the running runs, each with its part of its device. */
static void count_time(pool *p)
{
    const double now = f2l_now(), passed = now - p->now;
    p->now = now;
    for (size_t r = 0; r < p->next; r++)
        if (p->child[r].process > 0) {
            p->child[r].seconds += passed;
            p->child[r].parts += passed / p->on[p->child[r].device];
        }
}

static void collect_run(pool *p, size_t run)
{
    int how = 0;
    struct rusage usage;
    f2l_experiment_seed *seed = f2l_experiment_grid_seed(p->work, run);
    child *c = &p->child[run];
    const slot *s = slot_of_run(p, run);
    const pid_t process = c->process, ended = wait4(process, &how, WNOHANG, &usage);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return;
    count_time(p);
    listen(p, run);
    if (s->done)
        take_result(seed, s, lengths_of(p, run));
    else if (ended == process && WIFSIGNALED(how))
        (void)f2l_fail(&seed->why, F2L_UNKNOWN, "its process was ended by signal %d",
                       WTERMSIG(how));
    else
        (void)f2l_fail(&seed->why, F2L_UNKNOWN, "its process ended without a result");
    if (ended == process && c->seconds > 0 && !seed->result.repeated)
        seed->share = share_of_run(p, c, &usage);
    c->process = 0;
    p->on[c->device]--;
    p->running--;
    p->ended++;
    f2l_experiment_grid_done(p->work, run);
}

/* Waits for the children. They observe the deadline themselves, and an interruption through the
 * shared flag. */
static void run_apart(pool *p)
{
    f2l_experiment_grid_work *work = p->work;
    const struct timespec pause = {.tv_nsec = 20000000};
    p->now = f2l_now();
    while (p->running > 0 || (!work->stop && p->next < work->runs)) {
        f2l_error err = {0};
        const f2l_status status =
            f2l_task_poll(work->task, "seeds", (double)p->ended, (double)work->runs, &err);
        count_time(p);
        if (status != F2L_OK) {
            *p->cancel = SIGTERM;
            if (!work->stop && p->next < work->runs)
                f2l_experiment_grid_seed(work, p->next)->why = err;
            work->stop = true;
        }
        for (size_t i = p->running; i < work->at_once && !work->stop && p->next < work->runs; i++)
            begin_next(p);
        for (size_t r = 0; r < p->next; r++)
            if (p->child[r].process > 0) {
                listen(p, r);
                collect_run(p, r);
            }
        if (p->running > 0) (void)nanosleep(&pause, NULL);
    }
}

/* Begins the devices in a child, as the children of the runs will. */
bool f2l_experiment_grid_forks(const f2l_experiment_grid_work *work)
{
    int how = 0;
    char name[8];
    const f2l_backend backend = work->grid->backend;
    if (backend == F2L_BACKEND_CPU) return true;
    const pid_t process = fork();
    if (process == 0) _exit(f2l_backend_device(name, sizeof name, backend, NULL) == F2L_OK ? 0 : 1);
    while (process > 0 && waitpid(process, &how, 0) < 0)
        if (errno != EINTR) return false;
    return process > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

f2l_status f2l_experiment_grid_apart(f2l_experiment_grid_work *work, f2l_error *err)
{
    pool p = {.work = work};
    const f2l_status status = open_pool(&p, err);
    if (status == F2L_OK) run_apart(&p);
    close_pool(&p);
    return status;
}
