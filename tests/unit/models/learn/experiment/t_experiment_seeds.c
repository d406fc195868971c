#define _XOPEN_SOURCE 700 /* nftw */
#include "models/learn/experiment/experiment_seeds.h"
#include "numeric/base/lock.h"
#include "tests/support/train/experiment_support.h"
#include <fcntl.h>
#include <ftw.h>
#include <sys/wait.h>

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    return remove(path);
}

static void place_remove(const train_place *p)
{
    cr_assert_eq(nftw(p->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Sets out to the text of a sweep's file; times are cut off the lines of a log. */
static void sweep_file(f2l_buf *out, const train_place *p, uint32_t seed, const char *name)
{
    train_place inner = {.folder = ""};
    if (snprintf(inner.run, sizeof inner.run, "%s/seed-%u", p->run, (unsigned)seed) < 0)
        cr_assert_fail();
    if (strcmp(name, "log.jsonl") == 0)
        train_log(out, &inner);
    else
        train_read(out, &inner, name);
}

enum { SEEDS = 5 };

typedef struct outcome {
    f2l_buf summary, config, weights[SEEDS], log[SEEDS];
} outcome;

static void outcome_read(outcome *o, const train_place *p, uint32_t first)
{
    train_read(&o->summary, p, "seeds.json");
    train_read(&o->config, p, "config.json");
    for (uint32_t k = 0; k < SEEDS; k++) {
        sweep_file(&o->weights[k], p, first + k, "weights.safetensors");
        sweep_file(&o->log[k], p, first + k, "log.jsonl");
    }
}

static void outcome_clear(outcome *o)
{
    f2l_buf_clear(&o->summary);
    f2l_buf_clear(&o->config);
    for (size_t k = 0; k < SEEDS; k++) {
        f2l_buf_clear(&o->weights[k]);
        f2l_buf_clear(&o->log[k]);
    }
}

static void outcome_equal(const outcome *a, const outcome *b)
{
    cr_assert(experiment_same(&a->summary, &b->summary), "%s\n%s", a->summary.data,
              b->summary.data);
    cr_assert(experiment_same(&a->config, &b->config));
    for (size_t k = 0; k < SEEDS; k++) {
        cr_assert(experiment_same(&a->weights[k], &b->weights[k]), "the weights of seed %zu differ",
                  k);
        cr_assert(experiment_same(&a->log[k], &b->log[k]), "%s\n%s", a->log[k].data,
                  b->log[k].data);
    }
}

static f2l_status sweep(f2l_experiment_seeds *seeds, const train_place *p, const f2l_experiment *e,
                        f2l_experiment_begin begin, const f2l_experiment_seeds_watch *watch,
                        const f2l_task *task, f2l_error *err)
{
    f2l_experiment_seeds_init(seeds);
    return f2l_experiment_seeds_run(seeds, e, SEEDS, F2L_BACKEND_CPU, p->run, begin, NULL, watch,
                                    task, err);
}

static void whole_sweep(outcome *o, const f2l_experiment *e, unsigned jobs)
{
    train_place p;
    f2l_error err = {0};
    f2l_experiment_seeds seeds;
    const f2l_task task = {.jobs = jobs};
    train_place_open(&p);
    cr_assert(sweep(&seeds, &p, e, F2L_BEGIN_NEW, NULL, &task, &err) == F2L_OK, "%s", err.text);
    outcome_read(o, &p, e->seed);
    f2l_experiment_seeds_clear(&seeds);
    place_remove(&p);
}

/* Each seed gives the run that it gives alone, however many seeds run at once. */
Test(experiment_seeds, do_not_depend_on_each_other)
{
    experiment_case c;
    outcome one, three;
    experiment_outcome alone;
    experiment_open(&c, 9);
    c.experiment.seed = 11;
    whole_sweep(&one, &c.experiment, 1);
    whole_sweep(&three, &c.experiment, 3);
    outcome_equal(&one, &three);
    for (uint32_t k = 0; k < SEEDS; k++) {
        train_place p;
        f2l_experiment e = c.experiment;
        e.seed += k;
        train_place_open(&p);
        cr_assert_eq(experiment_run(&p, &e, F2L_BEGIN_NEW, NULL, NULL, NULL, NULL), F2L_OK);
        experiment_outcome_read(&alone, &p);
        cr_assert(experiment_same(&alone.weights, &one.weights[k]));
        cr_assert(experiment_same(&alone.log, &one.log[k]));
        experiment_outcome_clear(&alone);
        train_place_close(&p);
    }
    cr_assert(!experiment_same(&one.weights[0], &one.weights[1]));
    outcome_clear(&one);
    outcome_clear(&three);
    experiment_close(&c);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The spread equals the one computed by hand, and so does its text. */
Test(experiment_seeds, spread)
{
    experiment_case c;
    train_place p;
    f2l_experiment_seeds seeds;
    f2l_error err = {0};
    f2l_buf text, file;
    experiment_open(&c, 9);
    train_place_open(&p);
    cr_assert(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(seeds.count == SEEDS && seeds.lengths == 2);
    for (size_t i = 0; i < 2; i++) {
        double value[SEEDS], scaled[SEEDS];
        for (size_t k = 0; k < SEEDS; k++) {
            const f2l_train_score *s = &seeds.seed[k].result.score[i];
            value[k] = (double)s->right / (double)s->supervised;
            scaled[k] = (value[k] - 1.0 / 6) / (5.0 / 6);
        }
        qsort(value, SEEDS, sizeof *value, by_size);
        qsort(scaled, SEEDS, sizeof *scaled, by_size);
        const f2l_experiment_length *at = &seeds.length[i];
        cr_assert(at->length == experiment_length[i] && at->accuracy.count == SEEDS);
        cr_assert(at->accuracy.median == value[2] && at->accuracy.least == value[0] &&
                  at->accuracy.greatest == value[4]);
        cr_assert(fabs(at->scaled_accuracy.median - scaled[2]) < 1e-12 &&
                  at->scaled_accuracy.count == SEEDS);
        cr_assert(at->sequence_accuracy.count == SEEDS && at->sequence_accuracy.median <= value[2]);
    }
    f2l_buf_init(&text);
    f2l_experiment_seeds_json(&text, &seeds);
    f2l_buf_text(&text, "\n");
    train_read(&file, &p, "seeds.json");
    cr_assert(experiment_same(&text, &file));
    cr_assert(strstr(text.data, "{\"seed\":1,\"end\":\"completed\",\"step\":9,") &&
              strstr(text.data, "{\"length\":6,\"seeds\":5,"));
    f2l_buf_clear(&text);
    f2l_buf_clear(&file);
    f2l_experiment_seeds_clear(&seeds);
    f2l_experiment_seeds_clear(&seeds);
    place_remove(&p);
    experiment_close(&c);
}

typedef struct breaker {
    volatile sig_atomic_t flag;
    size_t index;
    uint64_t step;
    size_t told, wrong;
} breaker;

static void at_step(void *context, size_t index, uint32_t seed, const f2l_train_progress *progress)
{
    breaker *b = context;
    b->told++;
    b->wrong += seed != 1 + index;
    if (index == b->index && progress->step >= b->step) b->flag = SIGTERM;
}

/* A sweep that is interrupted in each seed is resumed. */
Test(experiment_seeds, resume)
{
    experiment_case c;
    outcome whole, resumed;
    size_t interrupted = 0;
    experiment_open(&c, experiment_short() ? 12 : 50);
    whole_sweep(&whole, &c.experiment, 1);
    for (size_t i = 0; i < 2 * SEEDS; i += experiment_short() ? 5 : 1) {
        train_place p;
        f2l_error err = {0};
        f2l_experiment_seeds seeds;
        size_t count = 0;
        breaker b = {.index = i / 2, .step = 1 + 2 * (i / 2)};
        const f2l_experiment_seeds_watch watch = {.progress = at_step, .context = &b};
        const f2l_task task = {.cancel = &b.flag, .jobs = i % 2 ? 2 : 1}, calm = {.jobs = 2};
        train_place_open(&p);
        const f2l_status status =
            sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, &watch, &task, &err);
        cr_assert(status == F2L_UNKNOWN || (task.jobs == 2 && status == F2L_OK), "%s", err.text);
        if (status == F2L_UNKNOWN)
            cr_assert(strstr(err.text, "seed ") && strstr(err.text, "interrupted"), "%s", err.text);
        interrupted += status == F2L_UNKNOWN;
        cr_assert(b.told > 0 && b.wrong == 0);
        if (task.jobs == 1) {
            const f2l_experiment_seed *broken = &seeds.seed[b.index];
            cr_assert(broken->result.step == b.step && broken->why.status == F2L_UNKNOWN);
            for (size_t k = 0; k < SEEDS; k++)
                cr_assert_eq(seeds.seed[k].why.status, k < b.index ? F2L_OK : F2L_UNKNOWN);
            cr_assert_eq(seeds.length[0].accuracy.count, b.index);
        }
        f2l_experiment_seeds_clear(&seeds);
        cr_assert(f2l_experiment_seeds_count(&count, p.run, &err) == F2L_OK && count == SEEDS);
        cr_assert(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_RESUME, NULL, &calm, &err) == F2L_OK,
                  "%s", err.text);
        outcome_read(&resumed, &p, 1);
        outcome_equal(&whole, &resumed);
        outcome_clear(&resumed);
        f2l_experiment_seeds_clear(&seeds);
        place_remove(&p);
    }
    cr_log_info("%zu interrupted", interrupted);
    /* runs in separate processes may have ended before */
    cr_assert_geq(interrupted, experiment_short() ? 1 : SEEDS);
    outcome_clear(&whole);
    experiment_close(&c);
}

/* Half-made folders of killed processes are gone after a resume. */
Test(experiment_seeds, leftovers)
{
    experiment_case c;
    train_place p;
    f2l_experiment_seeds seeds;
    f2l_error err = {0};
    char path[200];
    experiment_open(&c, 2);
    train_place_open(&p);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err), F2L_OK);
    f2l_experiment_seeds_clear(&seeds);
    snprintf(path, sizeof path, "%s/seed-3.f2l-tmp-abcdef", p.run);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/seed-3.f2l-tmp-abcdef/log.jsonl", p.run);
    cr_assert_eq(f2l_write_file(path, "", 0, NULL), F2L_OK);
    snprintf(path, sizeof path, "%s/seed-3.f2l-tmp-abcdef/config.json.f2l-tmp-123456", p.run);
    cr_assert_eq(f2l_write_file(path, "{", 1, NULL), F2L_OK);
    snprintf(path, sizeof path, "%s/seed-3.f2l-tmp-fedcba", p.run);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/seeds.json.f2l-tmp-abcdef", p.run);
    cr_assert_eq(f2l_write_file(path, "{", 1, NULL), F2L_OK);
    snprintf(path, sizeof path, "%s/seed-notes", p.run);
    cr_assert_eq(f2l_write_file(path, "!", 1, NULL), F2L_OK);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, &err), F2L_OK);
    cr_assert_eq(train_entries(p.run, "seed-", false), SEEDS + 1);
    cr_assert_eq(train_entries(p.run, "seeds.json", false), 1);
    f2l_experiment_seeds_clear(&seeds);
    place_remove(&p);
    experiment_close(&c);
}

/* A folder that a process is making stays, whoever that process belongs to. */
Test(experiment_seeds, folders_in_the_making)
{
    experiment_case c;
    train_place p;
    f2l_experiment_seeds seeds;
    f2l_error err = {0};
    char folder[200], log[220];
    int ready[2];
    experiment_open(&c, 2);
    train_place_open(&p);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err), F2L_OK);
    f2l_experiment_seeds_clear(&seeds);
    snprintf(folder, sizeof folder, "%s/seed-3.f2l-tmp-abcdef", p.run);
    snprintf(log, sizeof log, "%s/log.jsonl", folder);
    cr_assert_eq(mkdir(folder, 0777), 0);
    cr_assert_eq(f2l_write_file(log, "", 0, NULL), F2L_OK);
    cr_assert_eq(pipe(ready), 0);
    const pid_t maker = fork();
    if (maker == 0) {
        const bool locked = f2l_lock_file(open(log, O_WRONLY));
        (void)!write(ready[1], locked ? "l" : "-", 1);
        for (;;) pause();
    }
    char said = 0;
    cr_assert(read(ready[0], &said, 1) == 1 && said == 'l');
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, &err), F2L_OK);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_eq(access(log, F_OK), 0);
    cr_assert(kill(maker, SIGKILL) == 0 && waitpid(maker, NULL, 0) == maker);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, &err), F2L_OK);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_neq(access(folder, F_OK), 0);
    place_remove(&p);
    experiment_close(&c);
}

static pid_t start(const train_place *p, const f2l_experiment *e, f2l_experiment_begin begin)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child > 0) return child;
    f2l_experiment_seeds seeds;
    const f2l_task task = {.jobs = 2};
    _exit(sweep(&seeds, p, e, begin, NULL, &task, NULL) == F2L_OK ? 0 : 1);
}

/* A sweep that is killed at twenty moments can always be resumed, and ends as if nothing had
 * happened. */
Test(experiment_seeds, survives_kill, .timeout = 300)
{
    experiment_case c;
    outcome whole, resumed;
    train_place p;
    f2l_experiment_seeds seeds;
    f2l_error err = {0};
    struct stat about;
    size_t kills = 0;
    experiment_open(&c, 60);
    c.experiment.train.checkpoint_seconds = 0.003;
    whole_sweep(&whole, &c.experiment, 2);
    train_place_open(&p);
    for (unsigned i = 0; i < (experiment_short() ? 3 : 20); i++) {
        int status;
        const f2l_experiment_begin begin =
            stat(p.run, &about) == 0 ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW;
        const pid_t child = start(&p, &c.experiment, begin);
        nanosleep(&(struct timespec){.tv_nsec = 700000L * (long)(1 + i * i % 23)}, NULL);
        cr_assert_eq(kill(child, SIGKILL), 0);
        cr_assert_eq(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status) != 0;
        cr_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    }
    cr_log_info("%zu killed", kills);
    const bool begun = stat(p.run, &about) == 0;
    cr_assert(sweep(&seeds, &p, &c.experiment, begun ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW, NULL, NULL,
                    &err) == F2L_OK,
              "%s", err.text);
    outcome_read(&resumed, &p, 1);
    outcome_equal(&whole, &resumed);
    cr_assert_eq(train_entries(p.run, "seed-", false), SEEDS, "something half made is left");
    outcome_clear(&resumed);
    outcome_clear(&whole);
    f2l_experiment_seeds_clear(&seeds);
    place_remove(&p);
    experiment_close(&c);
}

Test(experiment_seeds, refuses)
{
    experiment_case c;
    train_place p, single;
    f2l_error err = {0};
    f2l_experiment_seeds seeds;
    size_t count, jobs;
    f2l_experiment_need need;
    experiment_open(&c, 2);
    train_place_open(&p);
    train_place_open(&single);
    f2l_experiment_seeds_init(&seeds);
    cr_assert_eq(f2l_experiment_seeds_run(&seeds, &c.experiment, 0, F2L_BACKEND_CPU, p.run,
                                          F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    f2l_experiment_seeds_clear(&seeds);
    c.experiment.seed = UINT32_MAX - 2;
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "2^32"), "%s", err.text);
    f2l_experiment_seeds_clear(&seeds);
    c.experiment.seed = 1;
    /* the memory need */
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CPU, NULL), F2L_OK);
    const f2l_task tight = {.memory = need.host - 1, .jobs = 4},
                   room = {.memory = 3 * need.host, .jobs = 4};
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, &tight, &err), F2L_UNKNOWN);
    cr_assert(strstr(err.text, "needs"), "%s", err.text);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_eq(train_entries(p.folder, "", false), 0);
    cr_assert(f2l_experiment_seeds_jobs(&jobs, &c.experiment, F2L_BACKEND_CPU, SEEDS, &room,
                                        &err) == F2L_OK &&
              jobs == 3);
    cr_assert(f2l_experiment_seeds_jobs(&jobs, &c.experiment, F2L_BACKEND_CPU, 2, &room, &err) ==
                  F2L_OK &&
              jobs == 2);
    cr_assert(f2l_experiment_seeds_jobs(&jobs, &c.experiment, F2L_BACKEND_CPU, 2, NULL, &err) ==
                  F2L_OK &&
              jobs == 1);
    /* a single run and a sweep cannot resume each other */
    cr_assert_eq(experiment_run(&single, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                 F2L_OK);
    cr_assert(f2l_experiment_seeds_count(&count, single.run, &err) == F2L_OK && count == 0);
    cr_assert_eq(sweep(&seeds, &single, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, &err),
                 F2L_EDOMAIN);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err), F2L_OK);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "several seeds"), "%s", err.text);
    cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err), F2L_EEXIST);
    f2l_experiment_seeds_clear(&seeds);
    /* other settings */
    f2l_experiment other = c.experiment;
    other.batch++;
    cr_assert_eq(sweep(&seeds, &p, &other, F2L_BEGIN_RESUME, NULL, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "batch is 6 there, 7 here"), "%s", err.text);
    f2l_experiment_seeds_clear(&seeds);
    cr_assert_eq(f2l_experiment_seeds_run(&seeds, &c.experiment, SEEDS + 1, F2L_BACKEND_CPU, p.run,
                                          F2L_BEGIN_RESUME, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "5 seeds there, 6 here"), "%s", err.text);
    f2l_experiment_seeds_clear(&seeds);
    char path[120];
    snprintf(path, sizeof path, "%s/sweep.json", p.run);
    cr_assert_eq(f2l_write_file(path, "{\"schema\":1}\n", 13, NULL), F2L_OK);
    cr_assert_eq(f2l_experiment_seeds_count(&count, p.run, &err), F2L_EFORMAT);
    place_remove(&p);
    place_remove(&single);
    experiment_close(&c);
}

/* The greatest rise of the running mean of each seed's loss above the reference loss of
 * divergence. */
typedef struct rise {
    double base[SEEDS], factor[SEEDS];
} rise;

static void note_rise(void *context, size_t index, uint32_t seed,
                      const f2l_train_progress *progress)
{
    rise *r = context;
    (void)seed;
    if (progress->step == 1) r->base[index] = fmax(progress->loss, log(6));
    r->factor[index] = fmax(r->factor[index], progress->loss / r->base[index]);
}

/* A seed that diverges is reported and does not stop the others: the bound is set so that three of
 * five diverge. */
Test(experiment_seeds, divergence)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    f2l_experiment_seeds seeds;
    f2l_buf text;
    rise r = {{0}, {0}};
    double sorted[SEEDS];
    const f2l_experiment_seeds_watch watch = {.progress = note_rise, .context = &r};
    experiment_open(&c, 30);
    c.experiment.train.rate = 1;
    c.experiment.train.weight_decay = 0;
    c.experiment.train.divergence = 0;
    train_place_open(&p);
    cr_assert(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, &watch, NULL, &err) == F2L_OK, "%s",
              err.text);
    f2l_experiment_seeds_clear(&seeds);
    place_remove(&p);
    memcpy(sorted, r.factor, sizeof sorted);
    qsort(sorted, SEEDS, sizeof *sorted, by_size);
    c.experiment.train.divergence = (sorted[1] + sorted[2]) / 2;
    cr_assert(sorted[1] > 1 && sorted[2] > sorted[1] * 1.0001, "%g %g", sorted[1], sorted[2]);
    for (unsigned jobs = 1; jobs < 3; jobs++) {
        const f2l_task task = {.jobs = jobs};
        train_place_open(&p);
        cr_assert_eq(sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, &task, &err),
                     F2L_UNKNOWN);
        cr_assert(strstr(err.text, "seed ") && strstr(err.text, "diverged"), "%s", err.text);
        for (size_t k = 0; k < SEEDS; k++)
            cr_assert_eq(seeds.seed[k].result.end, r.factor[k] > c.experiment.train.divergence
                                                       ? F2L_TRAIN_DIVERGED
                                                       : F2L_TRAIN_COMPLETED);
        cr_assert_eq(seeds.length[0].accuracy.count, 2);
        train_read(&text, &p, "seeds.json");
        cr_assert(strstr(text.data, "\"end\":\"diverged\"") &&
                  strstr(text.data, "\"why\":\"diverged: at step"));
        f2l_buf_clear(&text);
        f2l_experiment_seeds_clear(&seeds);
        place_remove(&p);
    }
    experiment_close(&c);
}

#ifdef F2L_MEM_FAILURES
Test(experiment_seeds, memory_failures, .timeout = 300)
{
    experiment_case c;
    outcome whole, resumed;
    size_t n = 1;
    f2l_status status = F2L_ENOMEM;
    f2l_experiment_seeds seeds;
    experiment_open(&c, 1);
    c.experiment.model.width = c.experiment.model.mlp = 3;
    whole_sweep(&whole, &c.experiment, 1);
    for (; status != F2L_OK; n += n < 30 && !experiment_short() ? 1 : 97) {
        train_place p;
        f2l_error err = {0};
        train_place_open(&p);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = sweep(&seeds, &p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, &err);
        f2l_mem_fail_after(0, false);
        f2l_experiment_seeds_clear(&seeds);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n, err.text);
        const bool begun = train_entries(p.folder, "run", false) > 0;
        cr_assert(sweep(&seeds, &p, &c.experiment, begun ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW, NULL,
                        NULL, &err) == F2L_OK,
                  "allocation %zu: %s", n, err.text);
        outcome_read(&resumed, &p, 1);
        outcome_equal(&whole, &resumed);
        outcome_clear(&resumed);
        f2l_experiment_seeds_clear(&seeds);
        place_remove(&p);
    }
    cr_assert_gt(n, 100);
    outcome_clear(&whole);
    experiment_close(&c);
}
#endif
