/* Several sweeps that share processors give the same results as each sweep alone. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "models/learn/experiment/experiment_grid.h"
#include "tests/support/train/experiment_support.h"
#include <ftw.h>

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Three cells of 2, 1 and 2 seeds: two rates, and another model that is evaluated three times. */
enum { CELLS = 3, RUNS = 5 };
static const size_t seeds_of[CELLS] = {2, 1, 2};
static const size_t other_lengths[] = {3, 6, 20};

typedef struct grid_case {
    experiment_case base;
    f2l_experiment experiment[CELLS];
    char name[CELLS][16], folder[CELLS][160];
    train_place place;
    f2l_experiment_cell cell[CELLS];
    /* what the callbacks were told */
    size_t told, ended[CELLS], at_end, wrong;
    volatile sig_atomic_t flag;
    size_t stop_cell; /* CELLS: do not stop */
} grid_case;

static void cells_make(grid_case *g, f2l_experiment_begin begin)
{
    for (size_t c = 0; c < CELLS; c++) {
        struct stat about;
        const bool there = stat(g->folder[c], &about) == 0;
        f2l_experiment_seeds_clear(&g->cell[c].seeds);
        g->cell[c] = (f2l_experiment_cell){.name = g->name[c],
                                           .experiment = &g->experiment[c],
                                           .count = seeds_of[c],
                                           .folder = g->folder[c],
                                           .begin = there ? begin : F2L_BEGIN_NEW};
        g->ended[c] = 0;
    }
    g->told = g->at_end = g->wrong = 0;
    g->flag = 0;
    g->stop_cell = CELLS;
}

static void grid_open(grid_case *g, uint64_t steps)
{
    memset(g, 0, sizeof *g);
    experiment_open(&g->base, steps);
    train_place_open(&g->place);
    for (size_t c = 0; c < CELLS; c++) {
        g->experiment[c] = g->base.experiment;
        g->experiment[c].seed = 1 + 10 * (uint32_t)c;
        snprintf(g->name[c], sizeof g->name[c], "cell %zu", c);
        snprintf(g->folder[c], sizeof g->folder[c], "%s/%zu", g->place.folder, c);
    }
    g->experiment[1].train.rate = 3e-2;
    g->experiment[2].model.householders = 2;
    g->experiment[2].train.length = other_lengths;
    g->experiment[2].train.lengths = 3;
    cells_make(g, F2L_BEGIN_NEW);
}

static void grid_close(grid_case *g)
{
    for (size_t c = 0; c < CELLS; c++) f2l_experiment_seeds_clear(&g->cell[c].seeds);
    cr_assert_eq(nftw(g->place.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
    experiment_close(&g->base);
}

static void hear(void *context, size_t cell, size_t index, const f2l_train_progress *progress)
{
    grid_case *g = context;
    g->told++;
    g->wrong += cell >= CELLS || index >= seeds_of[cell] ||
                progress->steps != g->experiment[cell].train.steps || g->ended[cell] > 0;
    if (cell == g->stop_cell && progress->step >= 2) g->flag = SIGTERM;
}

static f2l_status end(void *context, size_t cell, f2l_error *err)
{
    grid_case *g = context;
    char path[200];
    snprintf(path, sizeof path, "%s/seeds.json", g->folder[cell]);
    g->ended[cell]++;
    g->wrong +=
        access(path, F_OK) != 0 || g->cell[cell].seeds.length[0].accuracy.count != seeds_of[cell];
    g->at_end++;
    return g->at_end == 100 ? f2l_fail(err, F2L_EIO, "full") : F2L_OK;
}

static f2l_status run(grid_case *g, unsigned jobs, f2l_error *err)
{
    const f2l_experiment_grid grid = {.progress = hear, .ended = end, .context = g};
    const f2l_task task = {.jobs = jobs, .cancel = &g->flag};
    return f2l_experiment_grid_run(g->cell, CELLS, &grid, &task, err);
}

static void weights(f2l_buf *out, const char *folder, uint32_t seed)
{
    char path[220];
    f2l_error err = {0};
    f2l_buf_init(out);
    snprintf(path, sizeof path, "%s/seed-%u/weights.safetensors", folder, (unsigned)seed);
    cr_assert_eq(f2l_read_file(out, path, 0, &err), F2L_OK, "%s", err.text);
}

/* Compares the results with f2l_experiment_run of every seed by itself. */
static void compare_with_alone(const grid_case *g)
{
    for (size_t c = 0; c < CELLS; c++) {
        const f2l_experiment_seeds *seeds = &g->cell[c].seeds;
        cr_assert(seeds->count == seeds_of[c] && seeds->lengths == g->experiment[c].train.lengths);
        for (uint32_t k = 0; k < seeds_of[c]; k++) {
            train_place p;
            f2l_buf alone, here;
            f2l_experiment e = g->experiment[c];
            f2l_train_result result;
            e.seed += k;
            train_place_open(&p);
            f2l_train_result_init(&result);
            cr_assert_eq(f2l_experiment_run(&result, &e, F2L_BACKEND_CPU, p.run, F2L_BEGIN_NEW,
                                            NULL, NULL, NULL, NULL),
                         F2L_OK);
            train_read(&alone, &p, "weights.safetensors");
            weights(&here, g->folder[c], e.seed);
            cr_assert(experiment_same(&alone, &here), "cell %zu, seed %u", c, (unsigned)k);
            const f2l_experiment_seed *seed = &seeds->seed[k];
            cr_assert(seed->seed == e.seed && seed->why.status == F2L_OK && seed->share > 0 &&
                      seed->device[0] == '\0' && seed->result.scores == result.scores);
            for (size_t i = 0; i < result.scores; i++)
                cr_assert(seed->result.score[i].length == result.score[i].length &&
                          seed->result.score[i].right == result.score[i].right);
            f2l_train_result_clear(&result);
            f2l_buf_clear(&alone);
            f2l_buf_clear(&here);
            train_place_close(&p);
        }
    }
}

Test(experiment_grid, cells_do_not_depend_on_each_other)
{
    for (unsigned jobs = 1; jobs < 8; jobs += 2) {
        grid_case g;
        f2l_error err = {0};
        grid_open(&g, 7);
        cr_assert(run(&g, jobs, &err) == F2L_OK, "%s", err.text);
        cr_assert(g.wrong == 0 && g.told > 0 && g.at_end == CELLS, "%zu %zu %zu", g.wrong, g.told,
                  g.at_end);
        for (size_t c = 0; c < CELLS; c++) {
            size_t count = 0;
            cr_assert_eq(g.ended[c], 1);
            cr_assert(f2l_experiment_seeds_count(&count, g.folder[c], &err) == F2L_OK &&
                      count == seeds_of[c]);
        }
        compare_with_alone(&g);
        grid_close(&g);
    }
}

/* A grid that is interrupted in every cell is resumed. */
Test(experiment_grid, resume)
{
    for (unsigned turn = 0; turn < 2 * CELLS; turn += experiment_short() ? 3 : 1) {
        grid_case g;
        f2l_error err = {0};
        grid_open(&g, 40);
        g.stop_cell = turn / 2;
        const unsigned jobs = turn % 2 ? 2 : 1;
        const f2l_status status = run(&g, jobs, &err);
        cr_assert(status == F2L_UNKNOWN || (jobs == 2 && status == F2L_OK), "%s", err.text);
        if (status == F2L_UNKNOWN) {
            cr_assert(strstr(err.text, "cell ") && strstr(err.text, ", seed ") &&
                          strstr(err.text, "interrupted"),
                      "%s", err.text);
            for (size_t c = 0; c < CELLS; c++) { /* a cell has no folder before its first run */
                struct stat about;
                if (jobs == 1) cr_assert_eq(stat(g.folder[c], &about) == 0, c <= g.stop_cell);
                if (jobs == 1) cr_assert_eq(g.ended[c], c < g.stop_cell);
            }
        }
        cells_make(&g, F2L_BEGIN_RESUME);
        cr_assert(run(&g, 2, &err) == F2L_OK, "%s", err.text);
        cr_assert(g.wrong == 0 && g.at_end == CELLS);
        compare_with_alone(&g);
        grid_close(&g);
    }
}

/* A call that only evaluates runs that have ended tells no share: it did not train them. */
Test(experiment_grid, a_share_is_of_who_trained)
{
    for (unsigned jobs = 1; jobs < 3; jobs++) {
        grid_case g;
        f2l_error err = {0};
        grid_open(&g, 3);
        cr_assert(run(&g, jobs, &err) == F2L_OK, "%s", err.text);
        for (size_t c = 0; c < CELLS; c++)
            for (size_t k = 0; k < seeds_of[c]; k++) {
                const f2l_experiment_seed *seed = &g.cell[c].seeds.seed[k];
                cr_assert(!seed->result.repeated && seed->share != 1);
            }
        cells_make(&g, F2L_BEGIN_RESUME);
        cr_assert(run(&g, jobs, &err) == F2L_OK, "%s", err.text);
        for (size_t c = 0; c < CELLS; c++)
            for (size_t k = 0; k < seeds_of[c]; k++) {
                const f2l_experiment_seed *seed = &g.cell[c].seeds.seed[k];
                cr_assert(seed->result.repeated && seed->share == 1);
            }
        grid_close(&g);
    }
}

/* A cell that cannot begin stops the grid; runs that began before are complete. */
Test(experiment_grid, refuses)
{
    grid_case g;
    f2l_error err = {0};
    for (unsigned jobs = 1; jobs < 3; jobs++) {
        grid_open(&g, 3);
        char inside[200];
        cr_assert_eq(mkdir(g.folder[2], 0777), 0);
        snprintf(inside, sizeof inside, "%s/mine", g.folder[2]);
        cr_assert_eq(f2l_write_file(inside, "!", 1, NULL), F2L_OK);
        cr_assert_eq(run(&g, jobs, &err), F2L_EEXIST, "%s", err.text);
        cr_assert(g.ended[0] == 1 && g.ended[1] == 1 && g.ended[2] == 0);
        cr_assert_eq(access(inside, F_OK), 0);
        grid_close(&g);
        /* the caller's function refuses */
        grid_open(&g, 3);
        g.at_end = 98;
        cr_assert_eq(run(&g, jobs, &err), F2L_EIO, "%s", err.text);
        cr_assert_str_eq(err.text, "full");
        grid_close(&g);
    }
    grid_open(&g, 3);
    g.cell[1].count = 0;
    cr_assert_eq(run(&g, 2, &err), F2L_EDOMAIN);
    for (size_t c = 0; c < CELLS; c++) cr_assert_neq(access(g.folder[c], F_OK), 0);
    cells_make(&g, F2L_BEGIN_NEW);
    const f2l_experiment_grid tpu = {.backend = F2L_BACKENDS, .devices = 3, .per_device = 2};
    cr_assert_eq(f2l_experiment_grid_run(g.cell, CELLS, &tpu, NULL, &err), F2L_EDOMAIN);
    for (size_t c = 0; c < CELLS; c++) cr_assert_neq(access(g.folder[c], F_OK), 0);
    grid_close(&g);
}

/* Without folders, one cell diverges among others that do not. */
Test(experiment_grid, divergence)
{
    for (unsigned jobs = 1; jobs < 4; jobs += 2) {
        grid_case g;
        f2l_error err = {0};
        grid_open(&g, 30);
        for (size_t c = 0; c < CELLS; c++) g.cell[c].folder = NULL;
        g.experiment[1].train.rate = 1e3;
        g.experiment[1].train.weight_decay = 0;
        g.experiment[1].train.divergence = 1.0001;
        const f2l_experiment_grid grid = {.progress = hear, .context = &g};
        const f2l_task task = {.jobs = jobs};
        const f2l_status status = f2l_experiment_grid_run(g.cell, CELLS, &grid, &task, &err);
        cr_assert_eq(status, F2L_UNKNOWN, "%d %s", status, err.text);
        cr_assert(strstr(err.text, "cell 1, seed 11: diverged") != NULL, "%s", err.text);
        cr_assert_eq(g.cell[1].seeds.seed[0].result.end, F2L_TRAIN_DIVERGED);
        for (size_t c = 0; c < CELLS; c += 2)
            for (size_t k = 0; k < seeds_of[c]; k++)
                cr_assert_eq(g.cell[c].seeds.seed[k].result.end, F2L_TRAIN_COMPLETED);
        cr_assert(g.cell[0].seeds.length[0].accuracy.count == 2 &&
                  g.cell[1].seeds.length[0].accuracy.count == 0);
        cr_assert_eq(train_entries(g.place.folder, "", false), 0);
        grid_close(&g);
    }
}

#ifdef F2L_MEM_FAILURES
Test(experiment_grid, memory_failures, .timeout = 300)
{
    size_t n = 1;
    f2l_status status = F2L_ENOMEM;
    for (; status != F2L_OK; n += n < 40 && !experiment_short() ? 1 : 97) {
        grid_case g;
        f2l_error err = {0};
        grid_open(&g, 1);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = run(&g, n % 3 == 0 ? 2 : 1, &err);
        f2l_mem_fail_after(0, false);
        /* a run in a separate process may fail although this process goes well */
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %d %s", n, status,
                  err.text);
        cells_make(&g, F2L_BEGIN_RESUME);
        cr_assert(run(&g, 1, &err) == F2L_OK, "allocation %zu: %s", n, err.text);
        if (n % 5 == 0) compare_with_alone(&g);
        grid_close(&g);
    }
    cr_assert_gt(n, 100);
}
#endif
