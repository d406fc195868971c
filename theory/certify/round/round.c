#include "theory/certify/round/round.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/float_cert.h"
#include "theory/certify/projective/projective.h"
#include "theory/certify/swaps/swaps.h"
#include <stdio.h>
#include <string.h>

#define EXACT_ROWS 1000000
#define MOST_LISTED 100000 /* joint states of a certificate whose row has a shorter proof */

void f2l_round_exact_init(f2l_round_exact *e)
{
    *e = (f2l_round_exact){.how = F2L_ROUND_BY_NOTHING};
    f2l_closure_init(&e->closure);
}

void f2l_round_exact_clear(f2l_round_exact *e)
{
    f2l_closure_clear(&e->closure);
    f2l_boxes_clear(&e->boxes);
    f2l_round_exact_init(e);
}

/* Sets out to 1 - beta u^T u / |u|^2, or to 1 - beta u^T u of a raw head. */
static void eigenvalue(mpq_t out, const f2l_head *head, const f2l_factor *factor)
{
    mpq_t beta;
    mpq_init(beta);
    mpq_set(beta, factor->beta);
    if (head->raw) {
        f2l_qvec_norm2(out, &factor->u);
        mpq_mul(beta, beta, out);
    }
    mpq_set_ui(out, 1, 1);
    mpq_sub(out, out, beta);
    mpq_clear(beta);
}

/* Returns whether the head is psd. A single factor is symmetric, so its sign is the sign of its
 * eigenvalues; a product of several factors need not be symmetric. */
static bool head_is_psd(double *least, const f2l_head *head, size_t letters)
{
    bool psd = true;
    mpq_t value;
    mpq_init(value);
    for (size_t x = 0; psd && x < letters; x++) {
        const f2l_transition *t = &head->letter[x];
        psd = t->factors <= 1;
        if (!psd || t->factors == 0) continue;
        eigenvalue(value, head, &t->factor[0]);
        psd = mpq_sgn(value) >= 0;
        if (mpq_get_d(value) < *least) *least = mpq_get_d(value);
    }
    mpq_clear(value);
    return psd;
}

static void find_positive_spectrum(f2l_round_exact *out, const f2l_net *net)
{
    out->psd = net->layers > 0;
    out->least = 1;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; out->psd && h < net->layer[l].heads; h++)
            out->psd = head_is_psd(&out->least, &net->layer[l].head[h], net->layer[l].letters);
}

static f2l_round_how how_outlined(const f2l_outlined *o)
{
    return o->rule ? F2L_ROUND_BY_FORM : F2L_ROUND_BY_LEVELS;
}

/* Where a state equals no code, asks for the nearest ones, and for boxes. */
static f2l_status seek_boxes(f2l_round_exact *out, const f2l_net *model, const f2l_fsa *fsa,
                             size_t rows, const f2l_task *task, f2l_error *err)
{
    out->unequal = out->closure.uncoded;
    return out->unequal && f2l_boxes_apply(model)
               ? f2l_boxes_close(&out->closure, &out->boxes, model, fsa, rows, task, err)
               : F2L_OK;
}

static f2l_status close_exactly(f2l_round_exact *out, const f2l_net *model, const f2l_fsa *fsa,
                                size_t max_rows, const f2l_task *task, f2l_error *err)
{
    size_t rows = max_rows ? max_rows : EXACT_ROWS;
    if (!max_rows && out->outline && out->outline->cert.rows > rows) rows = out->outline->cert.rows;
    out->how = F2L_ROUND_BY_CLOSURE;
    f2l_status status = f2l_swaps_exact(&out->closure, model, fsa, rows, task, err);
    if (status == F2L_OK) status = seek_boxes(out, model, fsa, rows, task, err);
    if (status == F2L_OK && out->outline)
        f2l_closure_explain(&out->closure, out->outline->exact.reason);
    return status;
}

/* Leaves the verdict open after a limit stopped the proof. */
static f2l_status leave_exact_open(f2l_round_exact *out, f2l_status status, const f2l_error *why,
                                   f2l_error *err)
{
    if (status != F2L_UNKNOWN) {
        if (status != F2L_OK && err) *err = *why;
        return status;
    }
    f2l_closure_clear(&out->closure);
    out->how = F2L_ROUND_BY_NOTHING;
    out->closure.verdict = F2L_UNKNOWN;
    snprintf(out->closure.reason, sizeof out->closure.reason, "%.250s", why->text);
    return F2L_OK;
}

f2l_status f2l_round_exactly(f2l_round_exact *out, const f2l_net *model, const f2l_fsa *fsa,
                             f2l_outline *outline, size_t max_rows, const f2l_task *task,
                             f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = F2L_OK;
    find_positive_spectrum(out, model);
    out->outline = outline;
    if (outline && f2l_outline_has_structure(outline) && outline->exact.verdict != F2L_OK)
        status = f2l_outline_exact(outline, 0, task, &why);
    if (status != F2L_OK) return leave_exact_open(out, status, &why, err);
    if (!outline || outline->exact.verdict != F2L_OK)
        return leave_exact_open(out, close_exactly(out, model, fsa, max_rows, task, &why), &why,
                                err);
    out->closure.verdict = F2L_OK;
    out->how = how_outlined(&outline->exact);
    return F2L_OK;
}

f2l_status f2l_round_certificate(f2l_buf *out, const f2l_round_exact *exact, const f2l_net *model,
                                 const char network_sha256[65], f2l_error *err)
{
    if (f2l_boxes_are_found(&exact->boxes) && !f2l_net_has_boxes(model))
        return f2l_fail(err, F2L_EDOMAIN, "the network lacks the boxes that prove it");
    if (exact->how != F2L_ROUND_BY_CLOSURE)
        return f2l_outline_certificate(out, exact->outline, network_sha256, err);
    return f2l_cert_write(out, model, &exact->closure, network_sha256, err);
}

void f2l_rounded_init(f2l_rounded *r)
{
    *r = (f2l_rounded){.verdict = F2L_UNKNOWN, .outlined = {.verdict = F2L_UNKNOWN}};
    f2l_unrounded_init(&r->unrounded);
    f2l_closure_init(&r->closure);
    f2l_closure_init(&r->listed);
}

void f2l_rounded_clear(f2l_rounded *r)
{
    f2l_unrounded_clear(&r->unrounded);
    f2l_closure_clear(&r->closure);
    f2l_closure_clear(&r->listed);
    f2l_free(r->bound);
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) f2l_free(r->error[k]);
    f2l_rounded_init(r);
}

/* The data of one verdict. */
typedef struct rounding {
    f2l_rounded *out;
    const f2l_net *model;
    const f2l_fsa *fsa;
    const f2l_round_exact *exact;
    const f2l_round_options *options;
    const f2l_task *task;
} rounding;

/* Uses (1). Only a network that is exactly right holds codes throughout (U1); a network that leaves
 * them exactly may still be right where the nearest code is taken. */
static void take_exact(const rounding *job)
{
    job->out->verdict = F2L_OK;
    job->out->how = F2L_ROUND_BY_EXACT;
    job->out->closure.rows = job->exact->closure.rows;
}

/* Leaves the verdict open, with the reason, when something is not defined for this network, format
 * and schedule, or a limit was reached. */
static f2l_status leave_open(f2l_rounded *out, f2l_status status, const f2l_error *why,
                             f2l_error *err)
{
    if (status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        if (status != F2L_OK && err) *err = *why;
        return status;
    }
    const bool closing_says = status == F2L_UNKNOWN && out->closure.reason[0];
    if (!closing_says && (!out->reason[0] || out->unrounded.verdict != F2L_OK))
        snprintf(out->reason, sizeof out->reason, "%.250s", why->text);
    return F2L_OK;
}

static f2l_status close_in_format(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    f2l_closure_float_options options = job->options->closure;
    f2l_error why = {0};
    options.keep = options.keep && f2l_cert_float_refuse(job->model, out->schedule, NULL) == F2L_OK;
    f2l_status status = f2l_closure_float_with(&out->closure, job->model, job->fsa, out->format,
                                               out->schedule, &options, job->task, &why);
    if (status != F2L_OK) return leave_open(out, status, &why, err);
    f2l_closure_explain(&out->closure, out->outlined.reason);
    out->verdict = out->closure.verdict;
    out->how = out->verdict == F2L_UNKNOWN ? F2L_ROUND_BY_NOTHING : F2L_ROUND_BY_CLOSURE;
    memcpy(out->reason, out->closure.reason, sizeof out->reason);
    return F2L_OK;
}

/* Takes a wrong word, which was run in the format. */
static f2l_status take_wrong_word(f2l_rounded *out, const f2l_projective *p, f2l_error *err)
{
    f2l_closure *c = &out->closure;
    f2l_free(c->word);
    c->word = NULL;
    f2l_status status = f2l_projective_word(&c->word, p, err);
    if (status != F2L_OK) return status;
    c->word_length = p->wrong;
    c->verdict = out->verdict = F2L_REFUTED;
    memcpy(c->expected, p->expected, sizeof c->expected);
    memcpy(c->got, p->got, sizeof c->got);
    out->how = F2L_ROUND_BY_POWERS;
    out->reason[0] = '\0'; /* which spoke of what is not known, and now is */
    return F2L_OK;
}

/* Adds to the reason what a closure modulo powers of two gives. A wrong word decides the verdict;
 * else it stays open: the statement is about words on which nothing under- or overflows. */
static f2l_status close_projectively(const rounding *job, f2l_error *err)
{
    char text[256], reason[sizeof job->out->reason];
    f2l_rounded *out = job->out;
    f2l_projective projective;
    f2l_projective_init(&projective);
    f2l_status status =
        f2l_projective_close(&projective, job->model, job->fsa, out->format, out->schedule,
                             job->options->closure.max_rows, job->task, err);
    if (status == F2L_OK) {
        f2l_projective_text(text, &projective);
        snprintf(reason, sizeof reason, "%.100s; %.150s", out->reason, text);
        memcpy(out->reason, reason, sizeof reason);
        if (projective.wrong > 0) status = take_wrong_word(out, &projective, err);
    }
    f2l_projective_clear(&projective);
    return status;
}

/* Uses the outline, which needs steps with one outcome. */
static f2l_status follow_outline(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    const f2l_outline *outline = job->exact->outline;
    f2l_error why = {0};
    if (!outline || f2l_schedule_draws(out->schedule, out->format)) return F2L_OK;
    f2l_status status = f2l_outline_float(&out->outlined, outline, out->format, out->schedule,
                                          job->options->closure.max_rows, job->task, &why);
    if (status != F2L_OK) return leave_open(out, status, &why, err);
    if (out->outlined.verdict != F2L_OK) return F2L_OK;
    out->verdict = F2L_OK;
    out->how = how_outlined(&out->outlined);
    return F2L_OK;
}

/* Uses the form of a network whose exact proof it is. */
static f2l_status follow_swaps(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    f2l_swaps_verdict swaps;
    f2l_status status =
        f2l_swaps_float(&swaps, job->model, out->format, out->schedule, job->task, err);
    if (status != F2L_OK) return status;
    if (swaps.verdict != F2L_OK) {
        memcpy(out->reason, swaps.reason, sizeof out->reason);
        return F2L_OK;
    }
    out->outlined = (f2l_outlined){.verdict = F2L_OK, .rule = F2L_SWAPS_FORMAT};
    out->verdict = F2L_OK;
    out->how = F2L_ROUND_BY_FORM;
    return F2L_OK;
}

static f2l_status find_horizon(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    /* A horizon bounds the distance to the exact network, so the exact network has to be right
     * (H1), on states that are its codes. */
    if (job->options->no_horizon || f2l_horizon_edges(job->model) == 0 || job->exact->unequal ||
        job->exact->closure.verdict != F2L_OK)
        return F2L_OK;
    f2l_status status =
        f2l_horizon_find(&out->horizon, &out->bound, &out->bounds, job->model, out->format,
                         out->schedule, job->options->horizon, job->task, err);
    out->bounded = status == F2L_OK;
    if (status != F2L_OK || !out->horizon.known || !out->horizon.for_ever) return status;
    out->verdict = F2L_OK; /* the bound holds for all lengths */
    return F2L_OK;
}

static f2l_status watch(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    const f2l_observe_options *o = &job->options->observe;
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) out->watched = out->watched || o->kinds[k];
    if (!out->watched) return F2L_OK;
    f2l_error why = {0};
    f2l_status status = f2l_observe(out->observed, out->error, out->errors, job->model, job->fsa,
                                    out->format, out->schedule, o, job->task, &why);
    for (size_t k = 0; status == F2L_OK && k < F2L_WORDS_KINDS; k++) {
        if (!o->kinds[k] || !out->observed[k].failed) continue;
        out->verdict = F2L_REFUTED;
        out->how = F2L_ROUND_BY_OBSERVING;
    }
    return leave_open(out, status, &why, err);
}

static f2l_status decide_rounding(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    if (job->exact->closure.swaps) {
        f2l_status status = follow_swaps(job, err);
        if (status != F2L_OK || out->verdict == F2L_OK) return status;
    }
    f2l_status status =
        f2l_unrounded_find(&out->unrounded, job->model, out->format, out->schedule, job->task, err);
    if (status != F2L_OK) return status;
    const f2l_status exact = job->exact->unequal ? F2L_REFUTED : job->exact->closure.verdict;
    const bool unrounded = out->unrounded.verdict == F2L_OK && exact != F2L_REFUTED;
    if (unrounded && exact == F2L_OK) {
        take_exact(job);
        return F2L_OK;
    }
    if (f2l_schedule_steps(out->schedule)) {
        status = follow_outline(job, err);
        if (status == F2L_OK && out->verdict != F2L_OK) status = close_in_format(job, err);
        if (status == F2L_OK && out->verdict == F2L_UNKNOWN &&
            out->schedule->store.scale != F2L_SCALE_NONE)
            status = close_projectively(job, err);
    } else {
        memcpy(out->reason, out->unrounded.reason, sizeof out->reason);
    }
    if (status == F2L_OK && out->verdict == F2L_UNKNOWN && unrounded)
        snprintf(out->reason, sizeof out->reason,
                 "nothing rounds, so what a certificate proves exactly holds here; no closure was "
                 "found");
    if (status != F2L_OK || out->verdict != F2L_UNKNOWN || unrounded) return status;
    status = find_horizon(job, err);
    return status == F2L_OK && out->verdict == F2L_UNKNOWN ? watch(job, err) : status;
}

static bool is_outlined(const f2l_rounded *r)
{
    return r->verdict == F2L_OK && (r->how == F2L_ROUND_BY_LEVELS || r->how == F2L_ROUND_BY_FORM);
}

/* Closes the joint states of a row that was proved by levels or by a form, of which in a format
 * only joint states have a claim. Where that is too much there is no certificate. */
static f2l_status list_states(const rounding *job, f2l_error *err)
{
    f2l_rounded *out = job->out;
    f2l_closure_float_options options = job->options->closure;
    f2l_error why = {0};
    if (!options.keep || !is_outlined(out) ||
        f2l_cert_float_refuse(job->model, out->schedule, NULL) != F2L_OK)
        return F2L_OK;
    if (options.max_rows == 0 || options.max_rows > MOST_LISTED) options.max_rows = MOST_LISTED;
    options.checkpoint = NULL;
    const f2l_status status = f2l_closure_float_with(
        &out->listed, job->model, job->fsa, out->format, out->schedule, &options, job->task, &why);
    if (status == F2L_OK || status == F2L_EDOMAIN) return F2L_OK;
    if (err) *err = why;
    return status;
}

f2l_status f2l_round(f2l_rounded *out, const f2l_net *model, const f2l_fsa *fsa,
                     const f2l_round_exact *exact, const f2l_format *format,
                     const f2l_schedule *schedule, const f2l_round_options *options,
                     const f2l_task *task, f2l_error *err)
{
    const double begin = f2l_now();
    const rounding job = {out, model, fsa, exact, options, task};
    f2l_error why = {0};
    f2l_rounded_clear(out);
    out->format = format;
    out->schedule = schedule;
    f2l_status status = f2l_schedule_check(schedule, format, &why);
    if (status == F2L_OK) {
        status = leave_open(out, decide_rounding(&job, &why), &why, err);
        if (status == F2L_OK) status = list_states(&job, err);
    } else {
        snprintf(out->reason, sizeof out->reason, "%.250s", why.text);
        status = F2L_OK;
    }
    out->seconds = f2l_now() - begin;
    if (status != F2L_OK) f2l_rounded_clear(out);
    return status;
}

f2l_status f2l_rounded_certificate(f2l_buf *out, const f2l_rounded *r, const f2l_net *model,
                                   const f2l_buf *exactly, const char network_sha256[65],
                                   f2l_error *err)
{
    const bool outlined = is_outlined(r),
               closed = outlined || (r->verdict == F2L_OK && r->how == F2L_ROUND_BY_CLOSURE);
    const f2l_closure *closure = outlined ? &r->listed : &r->closure;
    f2l_status status = closed ? f2l_cert_float_refuse(model, r->schedule, err)
                               : f2l_cert_net_refuse(model, r->schedule, err);
    if (status != F2L_OK) return status;
    if (closed && closure->numbers)
        return f2l_float_cert_write(out, model, closure, r->format, r->schedule, network_sha256,
                                    err);
    if (outlined)
        return f2l_fail(err, F2L_EDOMAIN,
                        "lrnn-check has no claim of levels and forms in a format, but of joint "
                        "states: %.100s",
                        closure->reason[0] ? closure->reason : "they were not kept");
    if (r->verdict == F2L_OK && r->how == F2L_ROUND_BY_EXACT &&
        (f2l_schedule_steps(r->schedule) || r->unrounded.sets > 0))
        return f2l_unrounded_write(out, exactly->data, exactly->size, &r->unrounded, r->format,
                                   r->schedule, err);
    return f2l_fail(err, F2L_EDOMAIN, "lrnn-check has no claim for this kind of proof in a format");
}

void f2l_rounded_forget(f2l_rounded *r)
{
    f2l_closure *c = &r->closure;
    f2l_closure_clear(&r->listed);
    f2l_free(c->numbers);
    f2l_free(c->state);
    f2l_free(c->next);
    c->numbers = NULL;
    c->state = c->next = NULL;
}

bool f2l_rounded_right_up_to(uint64_t *letters, const f2l_rounded *r)
{
    *letters = 0;
    if (r->verdict == F2L_OK) return true;
    if (r->how == F2L_ROUND_BY_CLOSURE)
        *letters = r->closure.word_length ? r->closure.word_length - 1 : 0;
    else if (r->bounded && r->horizon.known)
        *letters = r->horizon.letters;
    return false;
}
