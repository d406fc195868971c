#include "automata/fsa/perm.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/horizon/horizon.h"
#include "theory/certify/swaps/swaps.h"
#include "theory/certify/unrounded/unrounded.h"
#include "theory/compile/constructions.h"
#include "theory/compile/engines_held.h"
#include "theory/compile/impl.h"
#include "theory/construct/stack/devices.h"
#include <stdio.h>
#include <string.h>

#define OTHER_STEPS ((size_t)1 << 22) /* about a second for all formats, chunk64 apart */
#define OTHER_CHUNK_STEPS ((size_t)1 << 18)
#define HORIZON_EDGES 256 /* about 0.1 s for a format */

#define ADDRESS(name) &f2l_construction_##name,

void f2l_compile_drop(f2l_compile_result *c)
{
    c->quotient = NULL;
    c->letters = NULL;
    f2l_compile_result_clear(c);
}

const f2l_schedule *f2l_compile_schedule(const f2l_compile_options *options)
{
    return options->schedule ? options->schedule : f2l_schedule_find("every");
}

/* Sets how far a verdict without a closure reaches. For larger networks this is left to the command
 * `round`. */
static f2l_status bound_format(f2l_compile_format *format, const f2l_compile_result *c,
                               const f2l_compile_job *job, f2l_error *err)
{
    const size_t edges = f2l_horizon_edges(&c->net);
    f2l_horizon horizon;
    if (format->closure.verdict != F2L_UNKNOWN || c->exact.verdict != F2L_OK || edges == 0 ||
        edges > HORIZON_EDGES)
        return F2L_OK;
    f2l_status status = f2l_horizon_find(&horizon, NULL, NULL, &c->net, format->format,
                                         format->schedule, 0, job->base.task, err);
    if (status != F2L_OK) return status == F2L_UNKNOWN ? F2L_OK : status; /* stopped: no horizon */
    format->bounded = horizon.known;
    format->horizon = horizon.letters;
    if (horizon.known && horizon.for_ever) format->closure.verdict = F2L_OK;
    return F2L_OK;
}

/* Verifies in a format. Formats hold the rounded view of heads over fields. */
static f2l_status format_view(f2l_compile_format *out, const f2l_compile_result *c,
                              const f2l_compile_job *job, f2l_error *err)
{
    f2l_net view;
    if (f2l_net_is_plain(&c->net)) return c->by->proof->format(out, &c->net, c, &job->base, err);
    f2l_net_init(&view);
    f2l_status status = f2l_net_orthonormal(&view, &c->net, 0, err);
    if (status == F2L_OK) status = c->by->proof->format(out, &view, c, &job->base, err);
    f2l_net_clear(&view);
    return status;
}

f2l_status f2l_compile_close(f2l_compile_format **out, f2l_compile_result *c,
                             const f2l_format *format, const f2l_schedule *schedule,
                             const f2l_compile_job *job, f2l_error *err)
{
    for (size_t i = 0; i < c->formats; i++) {
        *out = &c->format[i];
        if (c->format[i].format == format && c->format[i].schedule == schedule) return F2L_OK;
    }
    *out = &c->format[c->formats++];
    **out = (f2l_compile_format){.format = format, .schedule = schedule};
    f2l_closure_init(&(*out)->closure);
    const double start = f2l_now();
    f2l_status status = format_view(*out, c, job, err);
    if (status == F2L_OK) status = bound_format(*out, c, job, err);
    (*out)->seconds = f2l_now() - start;
    return status;
}

/* --- the automaton that is built --- */

/* Sets the subject. Only states with equal labels may be merged, so with labels `states`
 * there is nothing to minimise. A quotient that merges nothing is used only by cascades, because
 * the caller's automaton may have its permutations of points. With labels `edges` the subject is
 * the Moore machine, whose outputs are the labels; cascades take the quotient itself. */
static f2l_status choose_subject(f2l_compile_job *job, f2l_error *err)
{
    job->base.subject = job->base.fsa;
    job->base.label = job->base.options->label;
    if (job->base.options->label == F2L_LABEL_STATES) return F2L_OK;
    f2l_status status = f2l_construct_minimise(&job->base, err);
    if (status != F2L_OK) return status;
    job->minimised_states = job->base.quotient->fsa.states.count;
    if (job->minimised_states < job->base.fsa->states.count)
        job->base.subject = &job->base.quotient->fsa;
    if (job->base.options->label == F2L_LABEL_EDGES) {
        const bool none = job->base.quotient->no_moore[0];
        job->base.subject = none ? &job->base.quotient->fsa : &job->base.quotient->moore;
        job->base.label = F2L_LABEL_OUTPUTS;
    }
    return F2L_OK;
}

static f2l_status look_at_subject(f2l_compile_job *job, f2l_error *err)
{
    f2l_merge merge;
    f2l_reach reach;
    f2l_error why = {0};
    job->base.permutes = f2l_fsa_is_permutation(job->base.subject, &merge);
    if (!job->base.permutes) {
        f2l_status status = f2l_merge_fail(job->base.subject, &merge, &why);
        if (status != F2L_EDOMAIN) return f2l_fail(err, status, "%s", why.text);
        snprintf(job->base.merges, sizeof job->base.merges, "%.255s", why.text);
    }
    f2l_status status = f2l_reach_init(&reach, job->base.subject, err);
    if (status != F2L_OK) return status;
    job->base.states = reach.states;
    f2l_reach_clear(&reach);
    return F2L_OK;
}

/* --- the work --- */

const char *f2l_compile_target_option(f2l_compile_target target)
{
    static const char *const option[] = {[F2L_COMPILE_ANY] = NULL,
                                         [F2L_COMPILE_DIAGONAL] = "--target diagonal",
                                         [F2L_COMPILE_COMPLEX] = "--target complex",
                                         [F2L_COMPILE_POSITIVE] = "--target diagonal-positive",
                                         [F2L_COMPILE_ONE] = "--target one-reflection"};
    return option[target];
}

/* Returns the option that the row needs; NULL: it needs none, or the option is set. Within bounds a
 * target class without gates needs none. */
static const char *request_of(const f2l_variant *variant, const f2l_compile_options *o)
{
    const bool gates =
        variant->target == F2L_COMPILE_DIAGONAL || variant->target == F2L_COMPILE_COMPLEX;
    if (variant->naive && !o->naive_keys) return "--keys naive";
    if (variant->gated && !o->gated) return "--gated";
    if (!variant->target || o->target) return NULL;
    return !gates && f2l_compile_has_bounds(&o->bounds)
               ? NULL
               : f2l_compile_target_option(variant->target);
}

static const f2l_construction *const table[] = {F2L_CONSTRUCTIONS(ADDRESS) NULL};

/* Sets the rows and their entries. */
static void fill_rows(f2l_compile_job *job)
{
    size_t i = 0;
    for (const f2l_construction *const *by = table; *by; by++)
        for (size_t v = 0; v < (*by)->variants; v++, i++) {
            const f2l_variant *variant = &(*by)->variant[v];
            job->row[i] = (f2l_compile_row){.by = *by, .variant = variant};
            job->entry[i].row = variant;
            job->entry[i].theorem = variant->theorem;
            job->entry[i].variant = variant->name;
            job->entry[i].ask = request_of(variant, job->base.options);
            f2l_compile_not_tried(&job->entry[i], "the search was cut off before");
        }
}

/* Looks at the subject and makes the rows. */
static f2l_status list_rows(f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->base.options;
    f2l_status status = look_at_subject(job, err);
    if (status != F2L_OK) return status;
    if (o->naive_keys && (!job->base.permutes || o->cascade != F2L_COMPILE_AUTO))
        return f2l_fail(err, F2L_EDOMAIN, "%s%scascades have no naive keys", job->base.merges,
                        job->base.merges[0] ? "; " : "");
    for (const f2l_construction *const *by = table; *by; by++) job->rows += (*by)->variants;
    job->row = f2l_calloc(job->rows, sizeof *job->row);
    job->entry = f2l_calloc(job->rows, sizeof *job->entry);
    if (!job->row || !job->entry) return f2l_fail_memory(err);
    fill_rows(job);
    return F2L_OK;
}

static f2l_status begin_compile(f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = choose_subject(job, err);
    return status == F2L_OK ? list_rows(job, err) : status;
}

/* Closes in exactly the formats that the options ask for, in their order. Each closure gets its
 * share of the steps that are left. */
static f2l_status close_in_formats(f2l_compile_result *out, f2l_compile_job *job,
                                   f2l_effort *effort, f2l_error *err)
{
    const f2l_compile_options *o = job->base.options;
    const f2l_schedule *schedule = f2l_compile_schedule(o);
    const uint64_t all = effort->limit;
    size_t kept = 0, wanted = 0;
    while (wanted < F2L_MAX_FORMATS && o->format[wanted]) wanted++;
    for (size_t i = 0; i < wanted; i++) {
        f2l_compile_format *closed;
        *effort = (f2l_effort){
            .limit = all ? effort->spent + (all - effort->spent) / (wanted - i) + 1 : 0,
            .spent = effort->spent};
        f2l_status status = f2l_compile_close(&closed, out, o->format[i], schedule, job, err);
        if (status != F2L_OK) return status;
        if (closed < &out->format[kept]) continue; /* the format was named twice */
        const f2l_compile_format moved = *closed;
        *closed = out->format[kept];
        out->format[kept++] = moved;
    }
    while (out->formats > kept) f2l_closure_clear(&out->format[--out->formats].closure);
    return F2L_OK;
}

/* Fills *out by the form of a network whose exact proof it is. */
static f2l_status find_swaps(f2l_compile_other *out, const f2l_net *net, const f2l_compile_job *job,
                             f2l_error *err)
{
    f2l_swaps_verdict swaps;
    f2l_status status =
        f2l_swaps_float(&swaps, net, out->format, out->schedule, job->base.task, err);
    if (status == F2L_OK && swaps.verdict == F2L_OK) {
        out->verdict = F2L_OK;
        out->statement = F2L_SWAPS_FORMAT;
    }
    return status;
}

/* Fills *out for one format and schedule; `steps` limits the analysis (f2l_unrounded_steps). */
static f2l_status find_other(f2l_compile_result *out, const f2l_format *format,
                             const f2l_schedule *schedule, size_t steps,
                             f2l_unrounded_shared *shared, const f2l_compile_job *job,
                             f2l_error *err)
{
    f2l_compile_other *other = &out->other[out->others++];
    f2l_unrounded unrounded;
    *other = (f2l_compile_other){format, schedule, F2L_UNKNOWN, NULL, ""};
    if (out->exact.verdict == F2L_OK && out->exact.swaps && f2l_schedule_steps(schedule)) {
        f2l_status status = find_swaps(other, &out->net, job, err);
        if (status != F2L_OK || other->verdict == F2L_OK) return status;
    }
    if (steps > (f2l_schedule_steps(schedule) ? OTHER_STEPS : OTHER_CHUNK_STEPS)) {
        snprintf(other->reason, sizeof other->reason, "not looked at for a network of this size");
        return F2L_OK;
    }
    f2l_unrounded_init(&unrounded);
    f2l_status status = f2l_unrounded_find_shared(&unrounded, &out->net, shared, format, schedule,
                                                  job->base.task, err);
    if (status == F2L_OK && unrounded.verdict != F2L_OK)
        memcpy(other->reason, unrounded.reason, sizeof other->reason);
    else if (status == F2L_OK && out->exact.verdict != F2L_OK)
        snprintf(other->reason, sizeof other->reason,
                 "nothing rounds, but exactly it is not VERIFIED either");
    else if (status == F2L_OK)
        other->verdict = F2L_OK;
    f2l_unrounded_clear(&unrounded);
    return status;
}

/* Fills out->other: the formats and schedules of hardware in which the options do not ask for a
 * closure. */
static f2l_status find_others(f2l_compile_result *out, const f2l_compile_job *job, f2l_error *err)
{
    static const char *const formats[] = {"bf16", "fp16", "fp32", "e4m3"};
    static const char *const schedules[] = {"acc32", "recurrent", "chunk64"};
    const double start = f2l_now();
    size_t steps;
    f2l_status status = f2l_unrounded_steps(&steps, &out->net, err);
    f2l_unrounded_shared *shared = f2l_unrounded_share(&out->net);
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats && status == F2L_OK; f++)
            status = find_other(out, f2l_format_find(formats[f]), f2l_schedule_find(schedules[s]),
                                steps, shared, job, err);
    if (status == F2L_OK && out->exact.verdict == F2L_OK)
        status = f2l_engines_held(out->engines, &out->net, shared, job->base.task, err);
    f2l_unrounded_shared_clear(shared);
    out->other_seconds = f2l_now() - start;
    return status;
}

/* Moves what the result borrowed, and the list, from the job to the result. */
static void hand_over_result(f2l_compile_result *out, f2l_compile_job *job)
{
    out->all = job->base.options->all;
    out->entries = job->rows;
    out->entry = job->entry;
    out->search = job->search;
    job->entry = NULL;
    if (out->quotient) job->base.quotient = NULL;
}

static double proof_seconds(const f2l_compile_result *out)
{
    double seconds = out->exact_seconds + out->other_seconds;
    for (size_t i = 0; i < out->formats; i++) seconds += out->format[i].seconds;
    return seconds;
}

static void finish_compile_job(f2l_compile_job *job)
{
    f2l_construct_job_clear(&job->base);
    f2l_free(job->entry);
    f2l_free(job->row);
}

/* Adds what only the final best needs: the formats, other schedules, and the groups of its
 * levels. */
static f2l_status complete_result(f2l_compile_result *out, f2l_compile_job *job, f2l_error *err)
{
    const f2l_task *outer = job->base.task;
    f2l_effort effort = {.limit = job->search.effort / 2};
    f2l_task task = outer ? *outer : (f2l_task){0};
    task.effort = &effort;
    job->base.task = &task;
    f2l_status status = close_in_formats(out, job, &effort, err);
    effort.limit = job->search.effort / 2;
    effort.refused = false;
    if (status == F2L_OK && job->base.options->other_schedules) status = find_others(out, job, err);
    if (status == F2L_OK && out->by->keep) status = out->by->keep(out, &job->base, err);
    job->base.task = outer;
    return status;
}

/* Exchanges what the two searches worked on, so that `job` is the one whose network is the best. */
static void exchange_compile_jobs(f2l_compile_job *job, f2l_compile_job *other)
{
    const f2l_construct_job base = job->base;
    f2l_compile_entry *const entry = job->entry;
    job->base = other->base;
    job->entry = other->entry;
    other->base = base;
    other->entry = entry;
}

/* Searches once more, with the caller's states in the place of their quotient by the labels. They
 * are more, but may fit together better; a network that tells states apart tells their labels, so
 * that labels do not make a network worse than states do. It has the steps that are left. */
static f2l_status choose_unmerged(f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_result *best = job->best;
    f2l_compile_job whole = {
        .base = job->base, .best = job->best, .search = job->search, .start = job->start};
    if (job->base.subject == job->base.fsa || job->base.options->all ||
        job->base.options->label == F2L_LABEL_EDGES || job->search.end != F2L_COMPILE_COMPLETE ||
        !f2l_compile_verified(job))
        return F2L_OK;
    whole.base.subject = whole.base.fsa;
    whole.base.quotient = NULL;
    whole.base.shared = NULL;
    whole.base.has_set = false;
    whole.base.refusal[0] = whole.base.merges[0] = '\0';
    f2l_gset_init(&whole.base.set);
    whole.letters = job->letters;
    memcpy(whole.fsa_sha256, job->fsa_sha256, sizeof whole.fsa_sha256);
    f2l_status status = list_rows(&whole, err);
    if (status == F2L_OK) {
        for (size_t i = 0; i < job->rows; i++) whole.entry[i].best = job->entry[i].best;
        status = f2l_compile_choose(&whole, err);
    }
    job->search.steps = whole.search.steps;
    job->search.end = whole.search.end;
    if (best->minimised_states == 0) exchange_compile_jobs(job, &whole);
    finish_compile_job(&whole);
    return status;
}

/* Returns F2L_EDOMAIN unless the schedule is for all formats that the options ask for. */
static f2l_status check_formats(const f2l_compile_options *options, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < F2L_MAX_FORMATS && options->format[i]; i++)
        status = f2l_schedule_check(f2l_compile_schedule(options), options->format[i], err);
    return status;
}

/* Compiles the automaton of the job into *job->best. */
static f2l_status compile_subject(f2l_compile_job *job, f2l_error *err)
{
    f2l_compile_result *out = job->best;
    f2l_gset_init(&job->base.set);
    f2l_status status = begin_compile(job, err);
    if (status == F2L_OK) status = f2l_compile_choose(job, err);
    if (status == F2L_OK) status = choose_unmerged(job, err);
    if (status == F2L_OK && out->theorem) status = complete_result(out, job, err);
    if (status == F2L_OK)
        hand_over_result(out, job);
    else
        f2l_compile_drop(out);
    out->construct_seconds = f2l_now() - job->start - proof_seconds(out);
    finish_compile_job(job);
    return status;
}

static f2l_status compile_within(f2l_compile_result *out, const f2l_fsa *fsa,
                                 const f2l_compile_options *options, const f2l_task *task,
                                 f2l_error *err)
{
    f2l_compile_letters *letters = NULL;
    f2l_compile_job job = {
        .base = {.fsa = fsa, .options = options, .task = task, .compile = f2l_compile},
        .best = out,
        .search = {.effort = options->effort, .first = SIZE_MAX},
        .start = f2l_now()};
    f2l_compile_result_clear(out);
    f2l_status status = check_formats(options, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(fsa, options->label, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(fsa, job.fsa_sha256, err);
    if (status == F2L_OK && options->merge_letters)
        status = f2l_compile_merge_letters(&letters, fsa, task, err);
    if (letters) job.base.fsa = &letters->fsa;
    job.letters = letters;
    if (status == F2L_OK) status = compile_subject(&job, err);
    if (status != F2L_OK) f2l_compile_letters_free(letters);
    if (status == F2L_OK) out->letters = letters;
    return status;
}

/* The small first layers are listed once for the whole search and its parts. */
f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa,
                       const f2l_compile_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_stack_lists own = {.list = {{{.letters = 0}}}};
    f2l_compile_options keeping = *options;
    if (!keeping.first_layers) keeping.first_layers = &own;
    const f2l_status status = compile_within(out, fsa, &keeping, task, err);
    f2l_stack_lists_clear(&own);
    return status;
}
