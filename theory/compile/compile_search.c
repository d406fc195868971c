/* The search: every row of the table is considered, cheap rows first, under a budget of counted
 * steps. Rows with slow tables come after all others, the one with the most promising lower bounds
 * first. A row that cannot be better than the best is not built. A row whose share of the steps did
 * not suffice is tried again with the steps that are left. */
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

/* The task of one row: its name before every phase, its share of the steps, and in a list its own
 * deadline. */
typedef struct lane {
    f2l_task task;
    f2l_effort effort;
    const f2l_task *outer;
    char name[64];
} lane;

static void lane_progress(void *context, const char *phase, double done, double total)
{
    const lane *l = context;
    char text[128];
    snprintf(text, sizeof text, "%s: %.60s", l->name, phase);
    l->outer->progress(l->outer->context, text, done, total);
}

static void lane_open(lane *l, f2l_compile_job *job, size_t i, uint64_t steps)
{
    const f2l_variant *variant = job->row[i].variant;
    const char *space = variant->name[0] ? " " : "";
    *l = (lane){.outer = job->base.task, .effort.limit = steps};
    if (job->base.task) l->task = *job->base.task;
    l->task.effort = &l->effort;
    if (l->task.progress) {
        l->task.progress = lane_progress;
        l->task.context = l;
    }
    if (job->base.options->all && job->base.options->seconds_each > 0) {
        const double deadline = f2l_now() + job->base.options->seconds_each;
        if (l->task.deadline == 0 || deadline < l->task.deadline) l->task.deadline = deadline;
    }
    if (job->base.options->all)
        snprintf(l->name, sizeof l->name, "%zu of %zu, %s%s%s", i + 1, job->rows, variant->theorem,
                 space, variant->name);
    else
        snprintf(l->name, sizeof l->name, "%s%s%s", variant->theorem, space, variant->name);
    job->base.task = &l->task;
}

/* Returns whether a signal, the deadline or the memory forbids new work. */
static bool is_over(f2l_compile_job *job)
{
    static const f2l_compile_end end[] = {[F2L_STOP_NONE] = F2L_COMPILE_COMPLETE,
                                          [F2L_STOP_SIGNAL] = F2L_COMPILE_INTERRUPTED,
                                          [F2L_STOP_MEMORY] = F2L_COMPILE_MEMORY,
                                          [F2L_STOP_TIME] = F2L_COMPILE_TIME};
    if (job->search.end == F2L_COMPILE_COMPLETE)
        job->search.end = end[f2l_task_stop(job->base.task)];
    return job->search.end != F2L_COMPILE_COMPLETE;
}

/* --- shares of the steps --- */

static uint64_t effort_left(const f2l_compile_job *job)
{
    const f2l_compile_search *s = &job->search;
    return s->effort > s->steps ? s->effort - s->steps : 0;
}

/* Returns whether no other row is to be tried after row i. */
static bool is_last(const f2l_compile_job *job, size_t i)
{
    for (size_t k = 0; k < job->rows; k++) {
        const f2l_compile_row_state state = job->row[k].state;
        if (k != i && (state == F2L_COMPILE_ROW_NEW || state == F2L_COMPILE_ROW_OPEN ||
                       state == F2L_COMPILE_ROW_SHORT))
            return false;
    }
    return true;
}

/* Sets *steps to the steps that row i may use now, 0: any number. Returns false if no steps are
 * left. */
static bool share_effort(uint64_t *steps, const f2l_compile_job *job, size_t i)
{
    const uint64_t effort = job->search.effort;
    *steps = 0;
    if (!effort) return true;
    if (job->base.options->all)
        *steps = effort > job->entry[i].steps ? effort - job->entry[i].steps : 0;
    else
        *steps = job->retry || is_last(job, i) ? effort_left(job)
                                               : effort_left(job) - effort_left(job) / 4;
    return *steps > 0;
}

/* --- one row --- */

void f2l_compile_not_tried(f2l_compile_entry *entry, const char *why)
{
    entry->outcome = F2L_COMPILE_STOPPED;
    snprintf(entry->reason, sizeof entry->reason, "not tried: %s", why);
}

static void leave_row_out(f2l_compile_job *job, size_t i)
{
    static const char *const why[] = {[F2L_COMPILE_COMPLETE] = "the effort was spent before",
                                      [F2L_COMPILE_EFFORT] = "the effort was spent before",
                                      [F2L_COMPILE_TIME] = "the time limit was reached before",
                                      [F2L_COMPILE_MEMORY] = "the memory limit was reached before",
                                      [F2L_COMPILE_INTERRUPTED] = "interrupted before"};
    job->row[i].state = F2L_COMPILE_ROW_SHORT;
    f2l_compile_not_tried(&job->entry[i], why[job->search.end]);
}

typedef f2l_status step_of_row(bool *open, f2l_compile_job *job, size_t i, f2l_error *err);

/* Runs one step of row i with the row's share of the steps; the row's state tells afterwards
 * whether the share was too small, or more steps may give a better network. */
static f2l_status under_share(f2l_compile_job *job, size_t i, step_of_row *step, f2l_error *err)
{
    const f2l_task *outer = job->base.task;
    const double start = f2l_now();
    uint64_t steps;
    bool open = false;
    lane l;
    if (!share_effort(&steps, job, i)) {
        leave_row_out(job, i);
        return F2L_OK;
    }
    if (steps > job->row[i].given) job->row[i].given = steps;
    lane_open(&l, job, i, steps);
    job->base.variant = job->row[i].variant;
    job->base.hurried = false;
    f2l_status status = step(&open, job, i, err);
    job->base.variant = NULL;
    job->base.task = outer;
    job->entry[i].seconds += f2l_now() - start;
    job->entry[i].steps += l.effort.spent;
    job->search.steps += l.effort.spent;
    const bool refused = l.effort.refused || job->base.hurried;
    job->row[i].state = refused ? F2L_COMPILE_ROW_SHORT
                        : open  ? F2L_COMPILE_ROW_OPEN
                                : F2L_COMPILE_ROW_DONE;
    if (job->row[i].state == F2L_COMPILE_ROW_OPEN)
        f2l_compile_not_tried(&job->entry[i], "the search was cut off before");
    return status;
}

static f2l_status try_row(bool *open, f2l_compile_job *job, size_t i, f2l_error *err)
{
    *open = false;
    return f2l_compile_try(job, i, err);
}

static void tell_listed(const f2l_compile_job *job, size_t i)
{
    const f2l_compile_listener *listener = job->base.options->listener;
    if (job->base.options->all && listener && listener->listed &&
        job->row[i].state != F2L_COMPILE_ROW_OPEN)
        listener->listed(listener->context, &job->entry[i]);
}

/* Does the work of row i; with `wait` only up to its tables, if it has some and other rows come
 * first. */
static f2l_status consider_row(f2l_compile_job *job, size_t i, bool wait, f2l_error *err)
{
    f2l_status status = under_share(job, i, f2l_compile_examine, err);
    if (status != F2L_OK || job->row[i].state != F2L_COMPILE_ROW_OPEN || wait) return status;
    return under_share(job, i, try_row, err);
}

/* --- the order --- */

/* Returns the row in that state whose lower bounds rank first, or the count of rows when there is
 * none. */
static size_t most_promising(const f2l_compile_job *job, f2l_compile_row_state state)
{
    size_t found = job->rows;
    f2l_compile_rank best = {{0}};
    for (size_t i = 0; i < job->rows; i++) {
        const f2l_compile_entry *entry = &job->entry[i];
        if (job->row[i].state != state) continue;
        f2l_compile_rank least =
            f2l_compile_rank_least(&entry->figures, entry->ask, job->row[i].variant->published);
        /* What only saves layers comes after other rows of as many layers. */
        for (size_t k = F2L_BY_FACTORS; job->row[i].variant->layers && k < F2L_COMPILE_CRITERIA;
             k++)
            least.criterion[k] = SIZE_MAX;
        if (found < job->rows && !f2l_compile_better(&least, &best)) continue;
        found = i;
        best = least;
    }
    return found;
}

/* Returns whether more steps may turn row i into a network. The best network is closed in all
 * formats at the end in any case. */
static bool gains(const f2l_compile_job *job, size_t i)
{
    return effort_left(job) > job->row[i].given &&
           !(job->entry[i].best && f2l_compile_verified(job));
}

/* Tries each row whose share did not suffice once more with all steps that are left, if those are
 * more than it had. */
static f2l_status try_again(f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t i;
    job->retry = true;
    while (status == F2L_OK && effort_left(job) > 0 && !is_over(job) &&
           (i = most_promising(job, F2L_COMPILE_ROW_SHORT)) < job->rows) {
        if (gains(job, i)) {
            job->base.variant = job->row[i].variant;
            if (job->row[i].by->again) job->row[i].by->again(&job->base);
            status = consider_row(job, i, false, err);
        }
        if (job->row[i].state == F2L_COMPILE_ROW_SHORT)
            job->row[i].state = F2L_COMPILE_ROW_GIVEN_UP;
    }
    job->retry = false;
    return status;
}

/* Returns whether rows with tables wait for all others: not in a list, and not if the options ask
 * for a cascade. */
static bool tables_wait(const f2l_compile_job *job)
{
    return !job->base.options->all && !f2l_compile_asks_cascade(job->base.options);
}

/* Returns whether row i comes after those that do not wait. */
static bool waits(const f2l_compile_job *job, size_t i)
{
    return tables_wait(job)             ? job->row[i].by->complete != NULL
           : job->base.options->figures ? job->row[i].variant->slow
                                        : false;
}

static size_t row_at(const f2l_compile_job *job, size_t k)
{
    size_t at = 0;
    for (int wait = 0; wait < 2; wait++)
        for (size_t i = 0; i < job->rows; i++)
            if (waits(job, i) == wait && at++ == k) return i;
    return k;
}

static f2l_status in_order(f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t i;
    for (size_t k = 0; status == F2L_OK && k < job->rows; k++) {
        i = row_at(job, k);
        if (job->row[i].state != F2L_COMPILE_ROW_NEW) continue;
        if (is_over(job))
            leave_row_out(job, i);
        else
            status = consider_row(job, i, job->row[i].by->complete && tables_wait(job), err);
        if (status == F2L_OK) tell_listed(job, i);
    }
    while (status == F2L_OK && (i = most_promising(job, F2L_COMPILE_ROW_OPEN)) < job->rows) {
        if (is_over(job))
            leave_row_out(job, i);
        else
            status = under_share(job, i, try_row, err);
    }
    if (status == F2L_OK && job->search.effort && !job->base.options->all)
        status = try_again(job, err);
    return status;
}

static bool any(const f2l_compile_job *job, f2l_compile_row_state state)
{
    for (size_t i = 0; i < job->rows; i++)
        if (job->row[i].state == state) return true;
    return false;
}

/* Searches again with four times as many steps while nothing is VERIFIED that more steps may
 * verify, unless the user gave the limit. */
static f2l_status renew(f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && job->base.options->renew && !job->base.options->all &&
           !f2l_compile_verified(job) && job->search.effort && any(job, F2L_COMPILE_ROW_GIVEN_UP) &&
           !is_over(job)) {
        job->search.effort =
            job->search.effort < UINT64_MAX / 4 ? 4 * job->search.effort : UINT64_MAX;
        for (size_t i = 0; i < job->rows; i++)
            if (job->row[i].state == F2L_COMPILE_ROW_GIVEN_UP)
                job->row[i].state = F2L_COMPILE_ROW_SHORT;
        status = try_again(job, err);
    }
    return status;
}

static f2l_status pass(f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = in_order(job, err);
    return status == F2L_OK ? renew(job, err) : status;
}

/* Considers all rows. Rows that need an option compete within bounds only if nothing else is
 * VERIFIED there. */
static f2l_status consider_all(f2l_compile_job *job, f2l_error *err)
{
    job->strict = f2l_compile_has_bounds(&job->base.options->bounds) && !job->base.options->all;
    job->unasked = job->base.options->all;
    /* Entries of rows that need an option get that reason now, so that an interrupted search is not
     * given as their reason. */
    for (size_t i = 0; i < job->rows; i++) f2l_compile_is_asked(job, i);
    f2l_status status = pass(job, err);
    if (status != F2L_OK || !job->strict || f2l_compile_verified(job)) return status;
    job->unasked = true;
    for (size_t i = 0; i < job->rows; i++)
        if (job->entry[i].ask) job->row[i].state = F2L_COMPILE_ROW_NEW;
    status = pass(job, err);
    if (status != F2L_OK || job->best->theorem) return status;
    /* Nothing is within the bounds: rows beyond the bounds are built, so that the nearest can be
     * named. */
    job->nearest = true;
    job->strict = false;
    for (size_t i = 0; i < job->rows; i++)
        if (job->entry[i].outcome == F2L_COMPILE_OUTSIDE) job->row[i].state = F2L_COMPILE_ROW_NEW;
    return pass(job, err);
}

/* --- the end --- */

/* Marks the entries that no other dominates. Of equal entries only the first is marked. */
static void mark_undominated(f2l_compile_job *job)
{
    for (size_t i = 0; i < job->rows; i++) {
        f2l_compile_entry *mine = &job->entry[i];
        mine->undominated = mine->outcome == F2L_COMPILE_BUILT && mine->exact == F2L_OK;
        for (size_t k = 0; mine->undominated && k < job->rows; k++) {
            const f2l_compile_entry *other = &job->entry[k];
            if (k == i || other->outcome != F2L_COMPILE_BUILT || other->exact != F2L_OK) continue;
            if (k < i && f2l_compile_equal(other, mine)) mine->equal = k + 1;
            if (mine->equal || f2l_compile_dominates(other, mine)) mine->undominated = false;
        }
    }
}

/* Returns how much the entry of a row that was not built tells: a row that was begun and stopped
 * more than one that was not tried, and that one more than a row that does not apply, as every
 * stopped row leaves it open whether there is a network. 0: it tells nothing. */
static int telling(const f2l_compile_entry *entry)
{
    if (entry->outcome == F2L_COMPILE_INAPPLICABLE) return 1;
    if (entry->outcome != F2L_COMPILE_STOPPED) return 0;
    return strncmp(entry->reason, "not tried", 9) == 0 ? 2 : 3;
}

/* Returns the error when nothing was built: the reason of the last of the rows that tell most. */
static f2l_status fail_with_nothing_built(const f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_entry *last = NULL;
    for (size_t i = 0; i < job->rows; i++) {
        const int mine = telling(&job->entry[i]);
        if (mine > 0 && (!last || mine >= telling(last))) last = &job->entry[i];
    }
    if (!last) return f2l_fail(err, F2L_EDOMAIN, "no construction is left by the options");
    return f2l_fail(err, last->outcome == F2L_COMPILE_STOPPED ? F2L_UNKNOWN : F2L_EDOMAIN, "%s",
                    last->reason);
}

/* Returns an error when the work was told to end and nothing is known of the network: its files
 * would help nobody. */
static f2l_status check_end(const f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_end end = job->search.end;
    if (job->base.options->all || end == F2L_COMPILE_COMPLETE || end == F2L_COMPILE_EFFORT ||
        job->best->exact.verdict != F2L_UNKNOWN)
        return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "no network is VERIFIED so far: %.200s",
                    job->best->exact.reason);
}

f2l_status f2l_compile_choose(f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->base.options;
    bool built = false;
    f2l_status status = consider_all(job, err);
    if (status != F2L_OK) return status;
    if (!is_over(job) && (any(job, F2L_COMPILE_ROW_SHORT) || any(job, F2L_COMPILE_ROW_GIVEN_UP)))
        job->search.end = F2L_COMPILE_EFFORT;
    if (o->all) mark_undominated(job);
    if (job->best->theorem) return check_end(job, err);
    for (size_t i = 0; i < job->rows; i++)
        built = built || job->entry[i].outcome == F2L_COMPILE_BUILT;
    if (o->all && job->search.end != F2L_COMPILE_COMPLETE && job->search.end != F2L_COMPILE_EFFORT)
        return F2L_OK;
    if (!built) return fail_with_nothing_built(job, err);
    status = f2l_compile_unmet(job, &job->best->unmet);
    if (status == F2L_ENOMEM) return f2l_fail_memory(err);
    if (o->all) return F2L_OK;
    if (err) *err = job->best->unmet;
    return status;
}
