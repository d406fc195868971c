/* The contest: every row of the table is considered, and the best of what was built is kept. */
#include "f2l_compile_impl.h"
#include <stdio.h>
#include <string.h>

/* The task of one row in a list: its own deadline, and its name before every phase. */
typedef struct lane {
    f2l_task task;
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

static void lane_open(lane *l, f2l_compile_job *job, size_t i)
{
    const f2l_compile_way *way = &f2l_compile_ways[i];
    *l = (lane){.outer = job->task};
    if (!job->options->all) return;
    if (job->task) l->task = *job->task;
    if (l->task.progress) {
        l->task.progress = lane_progress;
        l->task.context = l;
    }
    if (job->options->seconds_each > 0) {
        const double deadline = f2l_now() + job->options->seconds_each;
        if (l->task.deadline == 0 || deadline < l->task.deadline) l->task.deadline = deadline;
    }
    snprintf(l->name, sizeof l->name, "%zu of %zu, %s %s", i + 1, f2l_compile_ways_count, way->theorem,
             way->variant);
    job->task = &l->task;
}

static bool cancelled(const f2l_task *task)
{
    return task && task->cancel && *task->cancel;
}

/* What was asked for leaves no room for the row; the text says what would. NULL: it does. */
static const char *unasked(const f2l_compile_job *job, const f2l_compile_entry *entry,
                           const f2l_compile_way *way)
{
    const f2l_compile_options *o = job->options;
    const bool cascade = way->cascade != F2L_COMPILE_AUTO;
    if (o->target && way->target != o->target) return "another target was asked for";
    if (way->target && entry->ask && !job->unasked) return "only on request (--target)";
    if (o->naive_keys && !way->naive) return "other keys were asked for";
    if (o->cascade != F2L_COMPILE_AUTO && !way->rule && way->cascade != o->cascade)
        return cascade ? "another cascade was asked for" : "a cascade was asked for";
    if (cascade && o->gated && !way->gated) return "gates were asked for";
    /* Never fewer layers than the capped cover has, of all subsets. */
    if (way->cascade == F2L_COMPILE_ZEIGER && o->cascade != way->cascade)
        return "only on request (--cascade zeiger)";
    if (job->unasked) return NULL;
    if (way->naive && !o->naive_keys) return "only on request (--keys naive)";
    if (way->gated && !o->gated) return "only on request (--gated)";
    return NULL;
}

/* The best without bounds rounds no keys, and is a cascade only of automata that nothing else is for, by rule only
 * where there is none with tables. */
static const char *restrained(const f2l_compile_job *job, const f2l_compile_way *way)
{
    const f2l_compile_options *o = job->options;
    if (f2l_compile_has_bounds(&o->bounds) || way->target) return NULL;
    if (way->rounds) return "only within bounds or in a list, as its keys may have to be rounded";
    if (way->rule && !(job->refusal[0] && !job->best->theorem))
        return "only within bounds or in a list where a cascade has tables";
    if (way->cascade != F2L_COMPILE_AUTO && o->cascade == F2L_COMPILE_AUTO && job->permutes)
        return "only on request (--cascade), within bounds or in a list";
    return NULL;
}

/* There is a best one. */
static f2l_compile_rank rank_of_best(const f2l_compile_job *job)
{
    size_t i = 0;
    while (!job->entry[i].best) i++;
    return f2l_compile_rank_of(job->best, job->entry[i].ask, f2l_compile_ways[i].published);
}

static bool beaten(f2l_compile_entry *entry, const f2l_compile_job *job, const f2l_compile_way *way)
{
    if (job->options->all || !job->best->theorem) return false;
    const f2l_compile_rank least = f2l_compile_rank_least(&entry->figures, entry->ask, way->published);
    f2l_compile_rank best = rank_of_best(job);
    /* Without bounds: what a limit left open is no reason to take more layers. */
    if (!f2l_compile_has_bounds(&job->options->bounds)) {
        if (job->best->exact.verdict == F2L_UNKNOWN) best.criterion[0] = 0;
        if (f2l_compile_in_bf16(job->best)->closure.verdict == F2L_UNKNOWN) best.criterion[2] = 0;
    }
    if (f2l_compile_better(&least, &best)) return false;
    entry->outcome = F2L_COMPILE_BEATEN;
    f2l_compile_say_beaten(entry->reason, sizeof entry->reason, &least, &best);
    return true;
}

/* What a row says of itself when it is not built; real failures are handed on. */
static f2l_status note(f2l_compile_entry *entry, f2l_compile_job *job, const f2l_compile_way *way,
                       f2l_status status, const f2l_error *why, f2l_error *err)
{
    if (status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        if (err) *err = *why;
        return status;
    }
    entry->outcome = status == F2L_EDOMAIN ? F2L_COMPILE_INAPPLICABLE : F2L_COMPILE_STOPPED;
    snprintf(entry->reason, sizeof entry->reason, "%.255s", why->text);
    if (way->cascade != F2L_COMPILE_AUTO && !way->rule && !job->refusal[0])
        snprintf(job->refusal, sizeof job->refusal, "%.255s", why->text);
    return F2L_OK;
}

static void set_least(f2l_compile_entry *entry, const f2l_compile_job *job, const f2l_compile_way *way)
{
    entry->figures = (f2l_compile_figures){0};
    way->least(&entry->figures, job, way);
}

/* Whether the row is to be built; otherwise its outcome says why not, or the bounds speak against it and it may
 * be looked at again (`strict`). */
static f2l_status examine(bool *build, f2l_compile_entry *entry, f2l_compile_job *job,
                          const f2l_compile_way *way, bool strict, f2l_error *err)
{
    f2l_error why = {0};
    const char *no = unasked(job, entry, way);
    *build = false;
    entry->outcome = F2L_COMPILE_UNASKED;
    if (!no) {
        f2l_status status = way->applies(job, way, &why);
        if (status != F2L_OK) return note(entry, job, way, status, &why, err);
        set_least(entry, job, way);
        if (beaten(entry, job, way)) return F2L_OK;
        if (!job->options->all) no = restrained(job, way);
    }
    if (no) {
        snprintf(entry->reason, sizeof entry->reason, "%s", no);
        return F2L_OK;
    }
    entry->outcome = F2L_COMPILE_OUTSIDE;
    const f2l_compile_bounds *bounds = &job->options->bounds;
    if (strict && !f2l_compile_figures_within(entry->reason, sizeof entry->reason, &entry->figures, bounds))
        return F2L_OK;
    f2l_status status = way->prepare ? way->prepare(job, way, &why) : F2L_OK;
    if (status != F2L_OK) return note(entry, job, way, status, &why, err);
    set_least(entry, job, way);
    if (beaten(entry, job, way)) return F2L_OK;
    if (strict && !f2l_compile_figures_within(entry->reason, sizeof entry->reason, &entry->figures, bounds))
        return F2L_OK;
    *build = true;
    return F2L_OK;
}

static f2l_status build(f2l_compile_result *c, f2l_compile_job *job, const f2l_compile_way *way,
                        f2l_error *err)
{
    c->theorem = way->theorem;
    c->variant = way->variant;
    c->proof = way->proof;
    c->minimised_states = job->minimised_states;
    f2l_status status = way->build(c, job, way, err);
    if (status != F2L_OK) return status;
    memcpy(f2l_compile_is_wired(c) ? c->wired.fsa_sha256 : c->net.fsa_sha256, job->fsa_sha256,
           sizeof job->fsa_sha256);
    return F2L_OK;
}

/* Exactly, and in the formats that somebody asks about: for the order bf16, for the bounds theirs, for a list all. What
 * is only named as nearest is not ordered. */
static f2l_status verify(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->options;
    const f2l_schedule *schedule = f2l_compile_schedule(o);
    f2l_compile_format *closed;
    const double start = f2l_now();
    f2l_status status = c->proof->exact(c, job, err);
    c->exact_seconds = f2l_now() - start;
    if (status == F2L_OK && !job->nearest)
        status = f2l_compile_close(&closed, c, f2l_format_find("bf16"), f2l_schedule_find("every"), job, err);
    c->unrounded = status == F2L_OK && f2l_compile_unrounded(c);
    for (size_t i = 0; status == F2L_OK && i < F2L_MAX_FORMATS && o->bounds.exact_in[i]; i++)
        status = f2l_compile_close(&closed, c, o->bounds.exact_in[i], schedule, job, err);
    for (size_t i = 0; status == F2L_OK && i < F2L_MAX_FORMATS && o->format[i] && o->all; i++)
        status = f2l_compile_close(&closed, c, o->format[i], schedule, job, err);
    return status;
}

/* Some letter's gate is not 1; wired networks have none that is not. */
static bool has_gates(const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            for (size_t a = 0; a < net->layer[l].letters; a++)
                if (mpq_cmp_ui(net->layer[l].head[h].letter[a].gate, 1, 1) != 0) return true;
    return false;
}

static void record(f2l_compile_entry *entry, const f2l_compile_result *c, const f2l_compile_options *options)
{
    entry->outcome = F2L_COMPILE_BUILT;
    entry->theorem = c->theorem;
    entry->gated = has_gates(&c->net);
    entry->reason[0] = '\0';
    f2l_compile_measure(&entry->figures, c);
    entry->exact = c->exact.verdict;
    if (entry->exact == F2L_UNKNOWN) memcpy(entry->exact_reason, c->exact.reason, sizeof entry->exact_reason);
    entry->unrounded = c->unrounded;
    entry->formats = c->formats;
    for (size_t i = 0; i < c->formats; i++) {
        const f2l_closure *closure = &c->format[i].closure;
        f2l_compile_entry_format *f = &entry->format[i];
        f->format = c->format[i].format;
        f->schedule = c->format[i].schedule;
        f->verdict = closure->verdict;
        f->word_length = closure->verdict == F2L_REFUTED ? closure->word_length : 0;
        f->bounded = c->format[i].bounded;
        f->horizon = c->format[i].horizon;
        if (closure->verdict == F2L_UNKNOWN) memcpy(f->reason, closure->reason, sizeof f->reason);
    }
    entry->within = f2l_compile_entry_within(entry, options);
}

/* The listener hears of the best, which has for that time what the end gives it. */
static void tell(f2l_compile_job *job)
{
    const f2l_compile_listener *listener = job->options->listener;
    f2l_compile_result *best = job->best;
    f2l_compile_cover *cover = best->t4 ? &job->cover[best->t4->kind] : NULL;
    if (!listener || !listener->found || best->exact.verdict != F2L_OK) return;
    const f2l_cascade *before = best->t4 ? best->t4->diagonal.cascade : NULL;
    if (cover) {
        best->t4->cascade = cover->cascade;
        best->t4->diagonal.cascade = &best->t4->cascade;
    }
    best->entries = f2l_compile_ways_count;
    best->entry = job->entry;
    best->all = job->options->all;
    listener->found(listener->context, best);
    best->entries = 0;
    best->entry = NULL;
    if (cover) {
        f2l_cascade_init(&best->t4->cascade);
        best->t4->diagonal.cascade = before;
    }
}

/* *c takes the place of the best, and the best becomes *c. Without bounds a list shows what has to be asked for, and no
 * more. */
static void compete(f2l_compile_result *c, f2l_compile_job *job, size_t i)
{
    const f2l_compile_way *way = &f2l_compile_ways[i];
    const f2l_compile_entry *entry = &job->entry[i];
    const bool shown_only = entry->ask && !f2l_compile_has_bounds(&job->options->bounds);
    if (!entry->within || shown_only || restrained(job, way)) return;
    if (job->best->theorem) {
        const f2l_compile_rank best = rank_of_best(job);
        const f2l_compile_rank mine = f2l_compile_rank_of(c, entry->ask, way->published);
        if (!f2l_compile_better(&mine, &best)) return;
    }
    const f2l_compile_result loser = *job->best;
    *job->best = *c;
    *c = loser;
    for (size_t k = 0; k < f2l_compile_ways_count; k++) job->entry[k].best = k == i;
    tell(job);
}

static f2l_status consider_row(f2l_compile_job *job, size_t i, bool strict, f2l_error *err)
{
    const f2l_compile_way *way = &f2l_compile_ways[i];
    f2l_compile_entry *entry = &job->entry[i];
    f2l_compile_result c;
    f2l_error why = {0};
    bool wanted;
    f2l_status status = examine(&wanted, entry, job, way, strict, err);
    if (status != F2L_OK || !wanted) return status;
    f2l_compile_result_init(&c);
    status = build(&c, job, way, &why);
    if (status == F2L_OK) f2l_compile_measure(&entry->figures, &c);
    const bool lost = status == F2L_OK && beaten(entry, job, way);
    if (status == F2L_OK && !lost) status = verify(&c, job, &why);
    if (status != F2L_OK) {
        status = note(entry, job, way, status, &why, err);
    } else if (!lost) {
        record(entry, &c, job->options);
        compete(&c, job, i);
    }
    f2l_compile_drop(&c);
    return status;
}

static f2l_status consider(f2l_compile_job *job, size_t i, bool strict, f2l_error *err)
{
    const f2l_task *outer = job->task;
    const double start = f2l_now();
    lane l;
    lane_open(&l, job, i);
    job->way = &f2l_compile_ways[i];
    f2l_status status = consider_row(job, i, strict, err);
    job->way = NULL;
    job->task = outer;
    job->entry[i].seconds += f2l_now() - start;
    if (status == F2L_OK && job->options->all && cancelled(outer))
        status = f2l_fail(err, F2L_UNKNOWN, "interrupted");
    return status;
}

/* Marks what nothing dominates. Of equal entries the first stands for all. */
static void mark(f2l_compile_job *job)
{
    for (size_t i = 0; i < f2l_compile_ways_count; i++) {
        f2l_compile_entry *mine = &job->entry[i];
        mine->undominated = mine->outcome == F2L_COMPILE_BUILT && mine->exact == F2L_OK;
        for (size_t k = 0; mine->undominated && k < f2l_compile_ways_count; k++) {
            const f2l_compile_entry *other = &job->entry[k];
            if (k == i || other->outcome != F2L_COMPILE_BUILT || other->exact != F2L_OK) continue;
            if (k < i && f2l_compile_equal(other, mine)) mine->equal = k + 1;
            if (mine->equal || f2l_compile_dominates(other, mine)) mine->undominated = false;
        }
    }
}

/* Nothing was built: the last row that was stopped speaks for all, else the last that does not apply. */
static f2l_status nothing(const f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_entry *last = NULL;
    for (size_t i = 0; i < f2l_compile_ways_count; i++) {
        const f2l_compile_outcome outcome = job->entry[i].outcome;
        if (outcome == F2L_COMPILE_INAPPLICABLE || outcome == F2L_COMPILE_STOPPED)
            if (!last || last->outcome == F2L_COMPILE_INAPPLICABLE || outcome == F2L_COMPILE_STOPPED)
                last = &job->entry[i];
    }
    if (!last) return f2l_fail(err, F2L_EDOMAIN, "no construction is left by the options");
    return f2l_fail(err, last->outcome == F2L_COMPILE_STOPPED ? F2L_UNKNOWN : F2L_EDOMAIN, "%s",
                    last->reason);
}

/* In the order of the table, but what nobody asked for stands for choice within bounds only where nothing else is
 * VERIFIED there. */
static f2l_status consider_all(f2l_compile_job *job, f2l_error *err)
{
    const bool strict = f2l_compile_has_bounds(&job->options->bounds) && !job->options->all;
    f2l_status status = F2L_OK;
    job->unasked = job->options->all;
    for (size_t i = 0; status == F2L_OK && i < f2l_compile_ways_count; i++)
        status = consider(job, i, strict, err);
    if (!strict || (job->best->theorem && job->best->exact.verdict == F2L_OK)) return status;
    job->unasked = true;
    for (size_t i = 0; status == F2L_OK && i < f2l_compile_ways_count; i++)
        if (job->entry[i].ask) status = consider(job, i, strict, err);
    /* Where nothing is within the bounds, what is nearest has to be built to be known. */
    job->nearest = true;
    for (size_t i = 0; status == F2L_OK && !job->best->theorem && i < f2l_compile_ways_count; i++)
        if (job->entry[i].outcome == F2L_COMPILE_OUTSIDE) status = consider(job, i, false, err);
    return status;
}

f2l_status f2l_compile_choose(f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->options;
    bool built = false;
    f2l_status status = consider_all(job, err);
    if (status != F2L_OK) return status;
    if (o->all) mark(job);
    if (job->best->theorem) return F2L_OK;
    for (size_t i = 0; i < f2l_compile_ways_count; i++)
        built = built || job->entry[i].outcome == F2L_COMPILE_BUILT;
    if (!built) return nothing(job, err);
    status = f2l_compile_unmet(job, &job->best->unmet);
    if (status == F2L_ENOMEM) return f2l_fail_memory(err);
    if (o->all) return F2L_OK;
    if (err) *err = job->best->unmet;
    return status;
}
