/* Outcomes are recorded; where all runs have ended, with what their weights say. */
#include "cli/reproduce/reproduce_outcome.h"

#define WRITTEN_EVERY 3.0 /* seconds between two outcomes that are written between searches */

/* Tests the weights of a seed, and searches for a short failing word as far as that adds to what is
 * known of them. Words are drawn by the run's own seed, so that it has the same outcome alone and
 * among others. Sets *searched where a search was made. */
static f2l_status look_into_seed(f2l_outcome_seed *s, bool *searched, const f2l_reproduce_job *j,
                                 size_t cell, const f2l_preset_run *run, f2l_error *err)
{
    f2l_buf folder;
    f2l_experiment own = run->experiment;
    own.seed = s->seed;
    *searched = false;
    if (!s->weights[0]) return F2L_OK;
    f2l_buf_init(&folder);
    f2l_status status = f2l_reproduce_seed_folder(&folder, j, cell, s->seed, err);
    if (status == F2L_OK) status = f2l_reproduce_test(s, j, &own, folder.data, err);
    if (status == F2L_OK && !f2l_reproduce_is_searched(&s->failing, j)) {
        status = f2l_reproduce_search(&s->failing, j, &own, folder.data, err);
        *searched = status == F2L_OK;
    }
    f2l_buf_clear(&folder);
    return status;
}

/* Says in which seed the look, which began at `since`, was cut short, what is kept of the others,
 * and where time ended it, that as much time would end it again. */
static void tell_cut(f2l_error *err, const f2l_outcome *w, size_t at, double since,
                     const f2l_reproduce_job *j)
{
    size_t kept = at;
    f2l_error said;
    char had[112] = "";
    if (err == NULL) return;
    if (f2l_task_stop(&j->cli->task) == F2L_STOP_TIME)
        snprintf(had, sizeof had,
                 ": it was not done after %.1f s, and a --time-limit that leaves it no more ends "
                 "it again",
                 f2l_now() - since);
    for (size_t i = at + 1; i < w->seeds; i++)
        kept += w->seed[i].failing.searched && f2l_reproduce_is_searched(&w->seed[i].failing, j);
    (void)f2l_fail(&said, F2L_UNKNOWN,
                   "%.150s (seed %lu); what was found of %zu of %zu seeds is kept, and the search "
                   "of this one begins anew%s",
                   err->text, (unsigned long)w->seed[at].seed, kept, w->seeds, had);
    *err = said;
}

/* Looks into each seed. The outcome is written within seconds after a search that took longer, so
 * that a process that is killed in the search of a later seed loses no more. */
static f2l_status look_into_seeds(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                                  const f2l_preset_run *run, f2l_error *err)
{
    double written = f2l_now();
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < w->seeds && status == F2L_OK; i++) {
        bool searched;
        const double since = f2l_now();
        status = look_into_seed(&w->seed[i], &searched, j, cell, run, err);
        if (status == F2L_UNKNOWN) tell_cut(err, w, i, since, j);
        if (status != F2L_OK || !searched || f2l_now() < written + WRITTEN_EVERY) continue;
        status = f2l_reproduce_outcome_write(w, j, cell, err);
        written = f2l_now();
    }
    return status;
}

f2l_status f2l_reproduce_record(const f2l_reproduce_job *j, size_t cell, const f2l_preset_run *run,
                                const f2l_experiment_seeds *seeds, const f2l_outcome *before,
                                f2l_reproduce_stage stage, f2l_error *err)
{
    f2l_outcome w;
    f2l_outcome_init(&w);
    f2l_status status = f2l_reproduce_outcome_make(&w, j, cell, run, seeds, before,
                                                   stage == F2L_REPRODUCE_STOPPED, err);
    const bool made = status == F2L_OK && w.seeds > 0;
    if (made && stage == F2L_REPRODUCE_ENDED) status = look_into_seeds(&w, j, cell, run, err);
    if (made) {
        const f2l_status wrote =
            f2l_reproduce_outcome_write(&w, j, cell, status == F2L_OK ? err : NULL);
        if (status == F2L_OK) status = wrote;
    }
    f2l_outcome_clear(&w);
    return status;
}
