#include "automata/fsa/perm.h"
#include "models/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/horizon/horizon.h"
#include "theory/certify/unrounded/unrounded.h"
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

#define OTHER_STEPS ((size_t)1 << 22) /* about a second for all formats, chunk64 apart */
#define OTHER_CHUNK_STEPS ((size_t)1 << 18)
#define HORIZON_EDGES 256 /* about 0.1 s for a format */
#define LISTED_ROWS 100000

static void quotient_free(f2l_compile_quotient *quotient)
{
    if (!quotient) return;
    f2l_fsa_clear(&quotient->fsa);
    f2l_free(quotient->classes);
    f2l_free(quotient);
}

void f2l_compile_result_init(f2l_compile_result *r)
{
    *r = (f2l_compile_result){0};
    f2l_net_init(&r->net);
    f2l_wired_init(&r->wired);
    f2l_closure_init(&r->exact);
}

void f2l_compile_result_clear(f2l_compile_result *r)
{
    f2l_net_clear(&r->net);
    f2l_wired_clear(&r->wired);
    f2l_compile_t4_free(r->t4);
    f2l_free(r->zeiger);
    f2l_free(r->d1);
    if (r->r1) f2l_r1_report_clear(r->r1);
    f2l_free(r->r1);
    f2l_closure_clear(&r->exact);
    for (size_t i = 0; i < r->formats; i++) f2l_closure_clear(&r->format[i].closure);
    quotient_free(r->quotient);
    f2l_free(r->entry);
    f2l_compile_result_init(r);
}

void f2l_compile_drop(f2l_compile_result *c)
{
    c->quotient = NULL;
    f2l_compile_result_clear(c);
}

const f2l_schedule *f2l_compile_schedule(const f2l_compile_options *options)
{
    return options->schedule ? options->schedule : f2l_schedule_find("every");
}

size_t f2l_compile_float_rows(const f2l_compile_job *job)
{
    const f2l_compile_options *o = job->options;
    const bool seldom = job->way && (job->way->naive || job->way->rounds);
    return o->all && seldom && !o->float_rows ? LISTED_ROWS : o->float_rows;
}

/* Returns the number of pairs of a code and a letter over all layers: the edges that a horizon
 * visits. */
static size_t edges(const f2l_net *net)
{
    size_t count = 0;
    for (size_t l = 0; l < net->layers; l++) count += net->layer[l].codes * net->layer[l].letters;
    return count;
}

/* Sets how far a verdict without a closure reaches. For larger networks this is left to the command
 * `round`. */
static f2l_status bound_format(f2l_compile_format *format, const f2l_compile_result *c,
                               const f2l_compile_job *job, f2l_error *err)
{
    f2l_horizon horizon;
    if (format->closure.verdict != F2L_UNKNOWN || c->exact.verdict != F2L_OK ||
        f2l_compile_is_wired(c) || edges(&c->net) > HORIZON_EDGES)
        return F2L_OK;
    f2l_status status = f2l_horizon_find(&horizon, NULL, NULL, &c->net, format->format,
                                         format->schedule, 0, job->task, err);
    if (status != F2L_OK) return status == F2L_UNKNOWN ? F2L_OK : status; /* stopped: no horizon */
    format->bounded = horizon.known;
    format->horizon = horizon.letters;
    if (horizon.known && horizon.for_ever) format->closure.verdict = F2L_OK;
    return F2L_OK;
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
    f2l_status status = c->proof->format(*out, c, job, err);
    if (status == F2L_OK) status = bound_format(*out, c, job, err);
    (*out)->seconds = f2l_now() - start;
    return status;
}

/* --- the joint closure --- */

static f2l_status joint_exact(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    return f2l_closure_exact(&c->exact, &c->net, job->fsa, job->options->exact_rows, job->task,
                             err);
}

static f2l_status joint_format(f2l_compile_format *out, const f2l_compile_result *c,
                               const f2l_compile_job *job, f2l_error *err)
{
    const f2l_net *net = &c->net;
    f2l_net view;
    f2l_net_init(&view);
    f2l_status status = F2L_OK;
    /* Formats hold the rounded view of heads over fields. */
    if (!f2l_net_is_plain(net)) {
        status = f2l_net_orthonormal(&view, net, 0, err);
        net = &view;
    }
    if (status == F2L_OK)
        status = f2l_closure_float(&out->closure, net, job->fsa, out->format, out->schedule,
                                   f2l_compile_float_rows(job), job->task, err);
    f2l_net_clear(&view);
    return status;
}

static f2l_status joint_certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                                    const char network_sha256[65], f2l_error *err)
{
    (void)fsa;
    return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
}

const f2l_compile_proof f2l_compile_proof_joint = {joint_exact, joint_format, joint_certificate};

/* --- the automaton that is built --- */

/* Removes the states of the quotient that cannot be reached: a group form keeps unreachable points,
 * and so does its quotient. */
static f2l_status trim_quotient(f2l_compile_quotient *quotient, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_reach reach;
    size_t dropped;
    f2l_status status = f2l_reach_init(&reach, &quotient->fsa, err);
    if (status != F2L_OK) return status;
    for (size_t q = 0; q < fsa->states.count; q++)
        quotient->classes[q] = reach.position[quotient->classes[q]];
    f2l_reach_clear(&reach);
    return f2l_fsa_trim(&quotient->fsa, &dropped, err);
}

static f2l_status minimise(f2l_compile_job *job, f2l_error *err)
{
    f2l_compile_quotient *quotient = f2l_calloc(1, sizeof *quotient);
    if (!quotient) return f2l_fail_memory(err);
    f2l_fsa_init(&quotient->fsa);
    f2l_status status = f2l_fsa_minimise(&quotient->fsa, &quotient->classes, job->fsa,
                                         job->options->label, job->task, err);
    if (status == F2L_OK) status = trim_quotient(quotient, job->fsa, err);
    if (status == F2L_OK)
        job->quotient = quotient;
    else
        quotient_free(quotient);
    return status;
}

/* Sets job->subject. Only states with equal labels may be merged, so with labels `states` there is
 * nothing to minimise. A quotient that merges nothing is used only by cascades, because the
 * caller's automaton may have its permutations of points. */
static f2l_status choose_subject(f2l_compile_job *job, f2l_error *err)
{
    job->subject = job->fsa;
    if (job->options->label == F2L_LABEL_STATES) return F2L_OK;
    f2l_status status = minimise(job, err);
    if (status != F2L_OK) return status;
    job->minimised_states = job->quotient->fsa.states.count;
    if (job->minimised_states < job->fsa->states.count) job->subject = &job->quotient->fsa;
    return F2L_OK;
}

/* Sets *out to the part of a group form that the start reaches. */
f2l_status f2l_compile_reachable(const f2l_fsa **out, f2l_compile_job *job, f2l_error *err)
{
    if (!job->quotient && job->fsa->track != F2L_TRACK_STATES) {
        f2l_status status = minimise(job, err);
        if (status != F2L_OK) return status;
    }
    *out = job->quotient ? &job->quotient->fsa : job->fsa;
    return F2L_OK;
}

/* Sets image[i] to the position of the image of the i-th reached state among the reached states. */
static void letter_image(uint32_t *image, const f2l_fsa *fsa, const f2l_reach *reach, size_t letter)
{
    for (size_t i = 0; i < reach->states; i++)
        image[i] = reach->position[fsa->next[reach->state[i] * fsa->letters.count + letter]];
}

/* Returns whether all images are equal. */
static bool is_reset(const uint32_t *image, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (image[i] != image[0]) return false;
    return true;
}

/* Finds out what the letters do to the reached states; image[states] is scratch. Stops at a letter
 * that neither permutes nor resets, because then nobody uses state_reflections. */
static void look_at_letters(f2l_compile_job *job, const f2l_reach *reach, uint32_t *image)
{
    job->flat = true;
    for (size_t a = 0; a < job->subject->letters.count && job->flat; a++) {
        letter_image(image, job->subject, reach, a);
        if (f2l_perm_is_permutation(image, reach->states)) {
            const size_t reflections = reach->states - f2l_perm_cycles(image, reach->states);
            if (reflections > job->state_reflections) job->state_reflections = reflections;
        } else {
            job->flat = is_reset(image, reach->states);
        }
    }
}

static f2l_status look(f2l_compile_job *job, f2l_error *err)
{
    f2l_merge merge;
    f2l_reach reach;
    f2l_error why = {0};
    job->permutes = f2l_fsa_is_permutation(job->subject, &merge);
    if (!job->permutes) {
        f2l_status status = f2l_merge_fail(job->subject, &merge, &why);
        if (status != F2L_EDOMAIN) return f2l_fail(err, status, "%s", why.text);
        snprintf(job->merges, sizeof job->merges, "%.255s", why.text);
    }
    f2l_status status = f2l_reach_init(&reach, job->subject, err);
    if (status != F2L_OK) return status;
    job->states = reach.states;
    uint32_t *image = f2l_calloc(reach.states, sizeof *image);
    if (image) look_at_letters(job, &reach, image);
    f2l_reach_clear(&reach);
    if (!image) return f2l_fail_memory(err);
    f2l_free(image);
    return F2L_OK;
}

/* --- the work --- */

/* Returns the option that the row needs; NULL: it needs none, or the option is set. Within bounds a
 * target class without gates needs none. */
static const char *request_of(const f2l_compile_way *way, const f2l_compile_options *o)
{
    static const char *const target_option[] = {[F2L_COMPILE_DIAGONAL] = "--target diagonal",
                                                [F2L_COMPILE_COMPLEX] = "--target complex",
                                                [F2L_COMPILE_POSITIVE] =
                                                    "--target diagonal-positive",
                                                [F2L_COMPILE_ONE] = "--target one-reflection"};
    const bool gates = way->target == F2L_COMPILE_DIAGONAL || way->target == F2L_COMPILE_COMPLEX;
    if (way->naive && !o->naive_keys) return "--keys naive";
    if (way->gated && !o->gated) return "--gated";
    if (!way->target || o->target) return NULL;
    return !gates && f2l_compile_has_bounds(&o->bounds) ? NULL : target_option[way->target];
}

static f2l_status begin(f2l_compile_job *job, f2l_error *err)
{
    const f2l_compile_options *o = job->options;
    f2l_status status = f2l_fsa_check_label(job->fsa, o->label, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(job->fsa, job->fsa_sha256, err);
    if (status == F2L_OK) status = choose_subject(job, err);
    if (status == F2L_OK) status = look(job, err);
    if (status != F2L_OK) return status;
    if (o->naive_keys && (!job->permutes || o->cascade != F2L_COMPILE_AUTO))
        return f2l_fail(err, F2L_EDOMAIN, "%s%scascades have no naive keys", job->merges,
                        job->merges[0] ? "; " : "");
    job->entry = f2l_calloc(f2l_compile_ways_count, sizeof *job->entry);
    job->state = f2l_calloc(f2l_compile_ways_count, sizeof *job->state);
    job->given = f2l_calloc(f2l_compile_ways_count, sizeof *job->given);
    if (!job->entry || !job->state || !job->given) return f2l_fail_memory(err);
    for (size_t i = 0; i < f2l_compile_ways_count; i++) {
        job->entry[i].theorem = f2l_compile_ways[i].theorem;
        job->entry[i].variant = f2l_compile_ways[i].variant;
        job->entry[i].ask = request_of(&f2l_compile_ways[i], o);
        f2l_compile_not_tried(&job->entry[i], "the search was cut off before");
    }
    return F2L_OK;
}

/* Closes in exactly the formats that the options ask for, in their order. Each closure gets its
 * share of the steps that are left. */
static f2l_status close_in_formats(f2l_compile_result *out, f2l_compile_job *job,
                                   f2l_effort *effort, f2l_error *err)
{
    const f2l_compile_options *o = job->options;
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

/* Fills *out for one format and schedule; `steps` limits the analysis (f2l_unrounded_steps). */
static f2l_status find_other(f2l_compile_result *out, const f2l_format *format,
                             const f2l_schedule *schedule, size_t steps, const f2l_compile_job *job,
                             f2l_error *err)
{
    const f2l_model model = {.net = out->net, .wired = out->wired}; /* borrowed */
    f2l_compile_other *other = &out->other[out->others++];
    f2l_unrounded unrounded;
    *other = (f2l_compile_other){format, schedule, F2L_UNKNOWN, ""};
    if (steps > (schedule->step_head ? OTHER_STEPS : OTHER_CHUNK_STEPS)) {
        snprintf(other->reason, sizeof other->reason, "not looked at for a network of this size");
        return F2L_OK;
    }
    f2l_unrounded_init(&unrounded);
    f2l_status status = f2l_unrounded_find(&unrounded, &model, format, schedule, job->task, err);
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
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats && status == F2L_OK; f++)
            status = find_other(out, f2l_format_find(formats[f]), f2l_schedule_find(schedules[s]),
                                steps, job, err);
    out->other_seconds = f2l_now() - start;
    return status;
}

/* Sets why one layer suffices, for the constructions for which K.5 gives the reason. */
void f2l_compile_explain(f2l_compile_result *out)
{
    char *text = out->one_layer;
    if (strcmp(out->theorem, "T3") == 0 || out->r1)
        snprintf(text, sizeof out->one_layer, "permutation automaton");
    else if (out->registers.k)
        snprintf(text, sizeof out->one_layer, "k-definite, k = %zu", out->registers.k);
    else if (out->t4 && !out->t4->diagonal_class && out->t4->size.levels <= 1)
        snprintf(text, sizeof out->one_layer, "permutation-reset");
}

/* Moves what the result borrowed, and the list, from the job to the result. */
static void hand_over(f2l_compile_result *out, f2l_compile_job *job)
{
    out->all = job->options->all;
    out->entries = f2l_compile_ways_count;
    out->entry = job->entry;
    out->search = job->search;
    job->entry = NULL;
    if (!out->theorem) return;
    if (out->zeiger) memcpy(out->zeiger->reason, job->refusal, sizeof out->zeiger->reason);
    if (out->quotient) job->quotient = NULL;
    f2l_compile_explain(out);
}

static double proof_seconds(const f2l_compile_result *out)
{
    double seconds = out->exact_seconds + out->other_seconds;
    for (size_t i = 0; i < out->formats; i++) seconds += out->format[i].seconds;
    return seconds;
}

static void finish(f2l_compile_job *job)
{
    f2l_compile_covers_clear(job);
    f2l_gset_clear(&job->set);
    if (job->r1_tried) f2l_r1_clear(&job->r1);
    f2l_definite_clear(&job->definite);
    quotient_free(job->quotient);
    f2l_free(job->entry);
    f2l_free(job->state);
    f2l_free(job->given);
}

/* Adds what only the final best needs: the formats, other schedules, and the groups of its
 * levels. */
static f2l_status complete(f2l_compile_result *out, f2l_compile_job *job, f2l_error *err)
{
    const f2l_task *outer = job->task;
    f2l_effort effort = {.limit = job->search.effort / 2};
    f2l_task task = outer ? *outer : (f2l_task){0};
    task.effort = &effort;
    job->task = &task;
    f2l_status status = close_in_formats(out, job, &effort, err);
    effort.limit = job->search.effort / 2;
    effort.refused = false;
    if (status == F2L_OK && job->options->other_schedules) status = find_others(out, job, err);
    if (status == F2L_OK && out->t4) status = f2l_compile_t4_keep(out, job, err);
    job->task = outer;
    return status;
}

f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa,
                       const f2l_compile_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_compile_job job = {.fsa = fsa,
                           .options = options,
                           .task = task,
                           .best = out,
                           .search = {.effort = options->effort, .first = SIZE_MAX},
                           .start = f2l_now()};
    f2l_compile_result_clear(out);
    f2l_gset_init(&job.set);
    f2l_definite_init(&job.definite);
    f2l_status status = begin(&job, err);
    if (status == F2L_OK) status = f2l_compile_choose(&job, err);
    if (status == F2L_OK && out->theorem) status = complete(out, &job, err);
    if (status == F2L_OK)
        hand_over(out, &job);
    else
        f2l_compile_drop(out);
    out->construct_seconds = f2l_now() - job.start - proof_seconds(out);
    finish(&job);
    return status;
}

f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result,
                                   const f2l_fsa *fsa, const char network_sha256[65],
                                   f2l_error *err)
{
    return result->proof->certificate(out, result, fsa, network_sha256, err);
}
