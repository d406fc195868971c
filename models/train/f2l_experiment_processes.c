/* The runs of a sweep, one after the other or at once.
 *
 * At once means processes, not threads: an OpenBLAS that is built without threads (Debian's libopenblas-serial) gives two
 * threads the same buffer, and then wrong products. A child says what it does in memory that it shares with its parent, one slot per
 * seed; the parent alone looks at the caller's task and tells the caller's watch. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "f2l_experiment_seeds_impl.h"
#include "f2l_mem.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* What a run has said. `told` is odd while the child writes. */
typedef struct slot {
    atomic_uint told;
    f2l_train_progress progress;
    size_t scores;
    bool done; /* the result is complete */
    f2l_train_result result;
    f2l_error why;
    f2l_train_score score[]; /* [lengths] of the progress, [lengths] of the result */
} slot;

typedef struct child {
    pid_t process; /* 0: none */
    unsigned seen; /* value of `told` that has been passed on */
} child;

typedef struct pool {
    f2l_experiment_seeds *seeds;
    const f2l_experiment_sweep *sweep;
    volatile sig_atomic_t *cancel; /* shared */
    char *slots;
    size_t slot_bytes, bytes;
    child *child; /* [seeds] */
    size_t next, running, ended;
    bool stop;
} pool;

static slot *slot_of(const pool *p, size_t index)
{
    return (slot *)(void *)(p->slots + index * p->slot_bytes);
}

/* --- one run, in whichever process --- */

/* A folder that is there is one of a run: it appears under its name when it is complete (f2l_train_dir_create). */
static f2l_status run_seed(f2l_experiment_seed *seed, const f2l_experiment_sweep *sweep,
                           const f2l_train_watch *watch, const f2l_task *task, f2l_error *err)
{
    struct stat about;
    f2l_buf folder;
    f2l_experiment e = *sweep->experiment;
    e.seed = seed->seed;
    if (e.devices > 1) { /* one for each run, in turn */
        e.device = (seed->seed - sweep->experiment->seed) % e.devices;
        e.devices = 1;
    }
    f2l_buf_init(&folder);
    if (sweep->folder) f2l_buf_printf(&folder, "%s/seed-%lu", sweep->folder, (unsigned long)seed->seed);
    f2l_status status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) {
        const bool there = sweep->folder && stat(folder.data, &about) == 0;
        status =
            f2l_experiment_run(&seed->result, &e, sweep->backend, folder.data,
                               there ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW, sweep->provenance, watch, task, err);
    }
    f2l_buf_clear(&folder);
    return status;
}

/* A seed that diverges is a result; after anything else no further one is begun. */
static bool goes_on(const f2l_experiment_seed *seed)
{
    return seed->why.status == F2L_OK || seed->result.end == F2L_TRAIN_DIVERGED;
}

/* --- one after the other --- */

typedef struct listener {
    const f2l_experiment_seeds_watch *watch;
    size_t index;
    uint32_t seed;
} listener;

static void pass_on(void *context, const f2l_train_progress *progress)
{
    const listener *t = context;
    t->watch->progress(t->watch->context, t->index, t->seed, progress);
}

static void run_here(f2l_experiment_seeds *seeds, const f2l_experiment_sweep *sweep)
{
    bool stop = false;
    for (size_t k = 0; k < seeds->count && !stop; k++) {
        f2l_experiment_seed *seed = &seeds->seed[k];
        listener t = {sweep->watch, k, seed->seed};
        const f2l_train_watch watch = {.progress = pass_on, .context = &t};
        const bool tells = sweep->watch && sweep->watch->progress;
        f2l_error err = {0};
        f2l_status status = f2l_task_poll(sweep->task, "seeds", (double)k, (double)seeds->count, &err);
        if (status == F2L_OK) status = run_seed(seed, sweep, tells ? &watch : NULL, sweep->task, &err);
        err.status = status;
        seed->why = err;
        stop = !goes_on(seed);
    }
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

/* Nobody waits for a run whose parent is gone, and it keeps its folder locked: it ends like an interrupted one. */
static void look_after(void *context, const char *phase, double done, double total)
{
    const speaker *s = context;
    (void)phase;
    (void)done;
    (void)total;
    if (getppid() != s->parent) *s->cancel = SIGTERM;
}

/* Returns to nobody: what the parent had open or registered is not the child's to end. */
static _Noreturn void be_child(const pool *p, size_t index, pid_t parent)
{
    const size_t lengths = p->seeds->lengths;
    slot *mine = slot_of(p, index);
    speaker s = {mine, lengths, parent, p->cancel};
    f2l_task task = p->sweep->task ? *p->sweep->task : (f2l_task){0};
    const f2l_train_watch watch = {.progress = speak, .context = &s};
    f2l_experiment_seed *seed = &p->seeds->seed[index];
    f2l_error err = {0};
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* as soon as that: a checkpoint survives it */
#endif
    if (getppid() != parent) _exit(0); /* it was gone before that */
    task.cancel = p->cancel;
    task.jobs = 1;
    task.progress = look_after;
    task.context = &s;
    err.status = run_seed(seed, p->sweep, &watch, &task, &err);
    mine->why = err;
    mine->result = seed->result;
    if (mine->result.scores > lengths) mine->result.scores = lengths;
    if (mine->result.scores > 0)
        memcpy(mine->score + lengths, seed->result.score, mine->result.scores * sizeof *mine->score);
    mine->done = true;
    _exit(0);
}

/* --- in the parent --- */

static f2l_status open_pool(pool *p, f2l_error *err)
{
    const size_t scores = 2 * p->seeds->lengths;
    size_t bytes;
    p->child = f2l_calloc(p->seeds->count, sizeof *p->child);
    if (!p->child || !f2l_mul_size(&bytes, scores, sizeof(f2l_train_score)) ||
        !f2l_add_size(&bytes, bytes, offsetof(slot, score) + _Alignof(max_align_t)))
        return f2l_fail_memory(err);
    p->slot_bytes = bytes / _Alignof(max_align_t) * _Alignof(max_align_t);
    if (!f2l_mul_size(&bytes, p->slot_bytes, p->seeds->count) ||
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
}

static void begin_next(pool *p)
{
    const pid_t parent = getpid();
    const size_t index = p->next;
    const pid_t process = fork();
    if (process == 0) be_child(p, index, parent);
    if (process > 0) {
        p->child[index].process = process;
        p->next++;
        p->running++;
    } else if (p->running == 0) { /* no process is to be had, and none will end */
        (void)f2l_fail(&p->seeds->seed[index].why, F2L_UNKNOWN, "no process can be started: %s",
                       f2l_reason_of(errno).text);
        p->stop = true;
    }
}

/* The last thing that the run said, unless it is saying something just now. */
static void listen(pool *p, size_t index)
{
    const f2l_experiment_seeds_watch *watch = p->sweep->watch;
    slot *s = slot_of(p, index);
    const unsigned told = atomic_load(&s->told);
    if (!watch || !watch->progress || told % 2 || told == p->child[index].seen) return;
    f2l_train_progress progress = s->progress;
    f2l_train_score *score = f2l_calloc(p->seeds->lengths, sizeof *score);
    if (score == NULL) return; /* of a line on the terminal */
    progress.scores = s->scores <= p->seeds->lengths ? s->scores : 0;
    if (progress.scores > 0) memcpy(score, s->score, progress.scores * sizeof *score);
    progress.score = score;
    if (atomic_load(&s->told) == told) {
        p->child[index].seen = told;
        watch->progress(watch->context, index, p->seeds->seed[index].seed, &progress);
    }
    f2l_free(score);
}

static void take_result(f2l_experiment_seed *seed, const slot *s, size_t lengths)
{
    seed->why = s->why;
    seed->result = s->result;
    seed->result.score = NULL;
    if (s->result.scores == 0) return;
    seed->result.score = f2l_calloc(s->result.scores, sizeof *seed->result.score);
    if (seed->result.score) {
        memcpy(seed->result.score, s->score + lengths, s->result.scores * sizeof *seed->result.score);
    } else {
        seed->result.scores = 0;
        (void)f2l_fail_memory(&seed->why);
    }
}

static void collect(pool *p, size_t index)
{
    int how = 0;
    f2l_experiment_seed *seed = &p->seeds->seed[index];
    const slot *s = slot_of(p, index);
    const pid_t process = p->child[index].process, ended = waitpid(process, &how, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return;
    listen(p, index);
    if (s->done)
        take_result(seed, s, p->seeds->lengths);
    else if (ended == process && WIFSIGNALED(how))
        (void)f2l_fail(&seed->why, F2L_UNKNOWN, "its process was ended by signal %d", WTERMSIG(how));
    else
        (void)f2l_fail(&seed->why, F2L_UNKNOWN, "its process ended without a result");
    p->child[index].process = 0;
    p->running--;
    p->ended++;
    if (!goes_on(seed)) p->stop = true;
}

/* Children see the deadline themselves, and an interruption through the shared flag. */
static void run_apart(pool *p, size_t jobs)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    while (p->running > 0 || (!p->stop && p->next < p->seeds->count)) {
        f2l_error err = {0};
        const f2l_status status =
            f2l_task_poll(p->sweep->task, "seeds", (double)p->ended, (double)p->seeds->count, &err);
        if (status != F2L_OK) {
            *p->cancel = SIGTERM;
            if (!p->stop && p->next < p->seeds->count) p->seeds->seed[p->next].why = err;
            p->stop = true;
        }
        for (size_t i = p->running; i < jobs && !p->stop && p->next < p->seeds->count; i++) begin_next(p);
        for (size_t k = 0; k < p->next; k++)
            if (p->child[k].process > 0) {
                listen(p, k);
                collect(p, k);
            }
        if (p->running > 0) (void)nanosleep(&pause, NULL);
    }
}

f2l_status f2l_experiment_sweep_run(f2l_experiment_seeds *seeds, const f2l_experiment_sweep *sweep,
                                    size_t jobs, f2l_error *err)
{
    pool p = {.seeds = seeds, .sweep = sweep};
    if (jobs < 2 || sweep->backend != F2L_BACKEND_CPU) { /* a device does not pass a fork */
        run_here(seeds, sweep);
        return F2L_OK;
    }
    const f2l_status status = open_pool(&p, err);
    if (status == F2L_OK) run_apart(&p, jobs);
    close_pool(&p);
    return status;
}
