/* T4 as a construction: cascades by holonomy, the capped cover or Zeiger's cover, with and without
 * gates. */
#include "theory/construct/t4/t4_construction.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert.h"
#include <stdio.h>
#include <string.h>

/* Limit on the joint closure, which serves small networks and finds refuting words, which are
 * short. */
#define JOINT_ROWS 50000
/* Limit for rounded rotations, which seldom close (theory/certify/horizon/horizon.h). */
#define ROUNDED_ROWS 20000

/* A cascade that the rows with and without gates share. */
typedef struct cover {
    bool tried, tables; /* tried: the family is known, with its number of levels; tables: the tables
                           are, too */
    f2l_status status;  /* of the attempt to make it */
    f2l_error why;
    f2l_cascade cascade;
    f2l_cascade_size size; /* without tables only the levels are set */
} cover;

#define KINDS 3
typedef struct shared {
    cover cover[KINDS];
    /* looked: the next ones are known; flat: every letter permutes or resets the states; in that
     * case: lower bounds on the factors of a token, on all heads and on one */
    bool looked, flat;
    size_t factors, householders;
} shared;

static void clear_shared_covers(void *data)
{
    shared *s = data;
    for (size_t k = 0; k < KINDS; k++)
        if (s->cover[k].tried) f2l_cascade_clear(&s->cover[k].cascade);
}

static const f2l_shared_kind kind = {sizeof(shared), clear_shared_covers};

/* Returns the kind of cascade of the variant; diagonal targets use holonomy. */
static f2l_cascade_kind kind_of(const f2l_construct_job *job)
{
    static const f2l_cascade_kind kinds[] = {[F2L_COMPILE_AUTO] = F2L_CASCADE_HOLONOMY,
                                             [F2L_COMPILE_HOLONOMY] = F2L_CASCADE_HOLONOMY,
                                             [F2L_COMPILE_CAPPED] = F2L_CASCADE_CAPPED,
                                             [F2L_COMPILE_ZEIGER] = F2L_CASCADE_ZEIGER};
    return kinds[job->variant->cascade];
}

/* Returns the variant's cover; NULL: no row has asked for a cover yet. */
static cover *cover_of(const f2l_construct_job *job)
{
    shared *s = f2l_construct_shared(job, &kind);
    return s ? &s->cover[kind_of(job)] : NULL;
}

void f2l_t4_again(f2l_construct_job *job)
{
    cover *c = cover_of(job);
    if (c && c->status != F2L_OK) *c = (cover){0};
}

/* The covers that compete for the smaller cascade. */
static const f2l_cascade_kind competing[] = {F2L_CASCADE_CAPPED, F2L_CASCADE_HOLONOMY};

void f2l_t4_again_smaller(f2l_construct_job *job)
{
    shared *s = f2l_construct_shared(job, &kind);
    for (size_t i = 0; s && i < 2; i++)
        if (s->cover[competing[i]].status != F2L_OK) s->cover[competing[i]] = (cover){0};
}

static f2l_status why(const cover *c, f2l_error *err)
{
    return c->status == F2L_OK ? F2L_OK : f2l_fail(err, c->status, "%s", c->why.text);
}

/* Makes the family of a cascade, which gives the number of levels, once for all rows that share
 * it. */
static f2l_status make_family(cover **out, f2l_construct_job *job, f2l_cascade_kind of,
                              f2l_error *err)
{
    shared *s = f2l_construct_share(job, &kind, err);
    const f2l_fsa *subject;
    if (!s) return F2L_ENOMEM;
    cover *c = *out = &s->cover[of];
    if (c->tried) return why(c, err);
    f2l_cascade_init(&c->cascade);
    c->tried = true;
    c->status = f2l_construct_reachable(&subject, job, &c->why);
    if (c->status == F2L_OK)
        c->status = f2l_cascade_family(&c->cascade, subject, of, job->options->max_sets, job->task,
                                       &c->why);
    if (c->status == F2L_OK) c->size.levels = c->cascade.levels;
    return why(c, err);
}

f2l_status f2l_t4_prepare(f2l_construct_job *job, f2l_error *err)
{
    cover *c;
    return make_family(&c, job, kind_of(job), err);
}

static f2l_status make_tables(cover *c, const f2l_construct_job *job, f2l_error *err)
{
    if (c->tables) return F2L_OK;
    c->status = f2l_cascade_tables(&c->cascade, job->task, &c->why);
    c->tables = c->status == F2L_OK;
    if (c->tables) f2l_cascade_measure(&c->size, &c->cascade);
    return why(c, err);
}

f2l_status f2l_t4_complete(f2l_construct_job *job, f2l_error *err)
{
    size_t resets = 0;
    cover *c;
    f2l_status status = make_family(&c, job, kind_of(job), err);
    if (status == F2L_OK) status = make_tables(c, job, err);
    if (status != F2L_OK || !job->variant->gated || job->options->gated) return status;
    for (size_t l = 0; l < c->cascade.levels; l++) resets += c->cascade.level[l].resets;
    return resets ? F2L_OK
                  : f2l_fail(err, F2L_EDOMAIN,
                             "no level is reset, so that gates would change nothing");
}

f2l_status f2l_t4_smaller(const f2l_cascade **out, f2l_construct_job *job, f2l_error *err)
{
    const cover *best = NULL;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < 2 && (status == F2L_OK || status == F2L_UNKNOWN); i++) {
        cover *c;
        status = make_family(&c, job, competing[i], err);
        if (status == F2L_OK) status = make_tables(c, job, err);
        /* A cancelled task is no limit of the family. */
        if (status == F2L_UNKNOWN) {
            const f2l_status stopped = f2l_task_poll(job->task, "cascade", 0, 0, err);
            if (stopped != F2L_OK) return stopped;
        }
        if (status == F2L_OK && (!best || f2l_cascade_compare(&c->size, &best->size) <= 0))
            best = c;
    }
    if (!best || (status != F2L_OK && status != F2L_UNKNOWN)) return status;
    *out = &best->cascade;
    return F2L_OK;
}

void f2l_t4_least(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const cover *c = cover_of(job);
    const bool known = c && c->tried && c->status == F2L_OK && c->size.levels > 1;
    out->layers = known ? c->size.levels : 1;
    out->states = out->key_dim = 1;
}

/* --- the row --- */

/* Returns whether all images are equal. */
static bool is_reset(const uint32_t *image, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (image[i] != image[0]) return false;
    return true;
}

/* Scratch for what a letter does: image[states], seen[states], power[states + 1]. */
typedef struct look {
    uint32_t *image, *power;
    uint8_t *seen;
} look;

/* Raises the bounds for a permutation (T4.13): if q is the largest power of a prime that divides
 * its order, some head has a cycle whose length q divides, and all heads together take at least the
 * sum of all q - 1. */
static void raise_bounds(shared *s, const look *of, size_t n)
{
    size_t sum = 0;
    f2l_perm_prime_powers(of->power, of->seen, of->image, n);
    for (size_t p = 2; p <= n; p++) {
        const size_t factors = of->power[p] - 1;
        if (factors > s->householders) s->householders = factors;
        sum += factors;
    }
    if (sum > s->factors) s->factors = sum;
}

/* Finds out what the letters do to the reached states. Stops at a letter that neither permutes nor
 * resets, because then nobody uses the bounds. */
static void look_at_letters(shared *s, const f2l_fsa *fsa, const f2l_reach *reach, const look *of)
{
    const size_t n = reach->states;
    s->looked = s->flat = true;
    for (size_t a = 0; a < fsa->letters.count && s->flat; a++) {
        for (size_t i = 0; i < n; i++)
            of->image[i] = reach->position[fsa->next[reach->state[i] * fsa->letters.count + a]];
        if (f2l_perm_is_permutation(of->image, n))
            raise_bounds(s, of, n);
        else
            s->flat = is_reset(of->image, n);
    }
}

/* Returns the automaton that tells whether there is one level: cascades give outputs of transitions
 * without a Moore machine. */
static const f2l_fsa *subject_of(const f2l_construct_job *job)
{
    return job->options->label == F2L_LABEL_EDGES ? &job->quotient->fsa : job->subject;
}

/* Applies to all automata, except that one state has no level whose decoder could give outputs of
 * transitions. */
static f2l_status t4_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->options->label == F2L_LABEL_EDGES && subject_of(job)->states.count == 1)
        return f2l_fail(err, F2L_EDOMAIN, "a cascade of one state has no level");
    shared *s = f2l_construct_share(job, &kind, err);
    f2l_reach reach;
    if (!s) return F2L_ENOMEM;
    if (s->looked) return F2L_OK;
    const f2l_fsa *subject = subject_of(job);
    f2l_status status = f2l_reach_init(&reach, subject, err);
    if (status != F2L_OK) return status;
    const look of = {f2l_calloc(reach.states, sizeof *of.image),
                     f2l_calloc(reach.states + 1, sizeof *of.power),
                     f2l_calloc(reach.states, sizeof *of.seen)};
    if (of.image && of.power && of.seen) look_at_letters(s, subject, &reach, &of);
    f2l_reach_clear(&reach);
    f2l_free(of.image);
    f2l_free(of.power);
    f2l_free(of.seen);
    return s->looked ? F2L_OK : f2l_fail_memory(err);
}

/* Sets lower bounds: one level if and only if every letter permutes or resets (K.5); the level's
 * permutations are then the permutations of the states. */
static void set_least_t4(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const shared *s = f2l_construct_shared(job, &kind);
    f2l_t4_least(out, job);
    if (s->flat) {
        out->factors_per_token = s->factors;
        out->householders = s->householders;
    } else if (out->layers < 2) {
        out->layers = 2;
    }
}

f2l_t4_detail *f2l_t4_begin(f2l_compile_result *out, f2l_construct_job *job)
{
    const cover *c = cover_of(job);
    f2l_t4_detail *t4 = out->detail;
    t4->cascade = c->cascade;
    t4->size = c->size;
    f2l_components_init(&t4->components);
    f2l_local_init(&t4->local);
    f2l_construct_track(out, job, t4->cascade.fsa);
    return t4;
}

f2l_status f2l_t4_merge(f2l_compile_result *out, const f2l_construct_job *job, f2l_error *err)
{
    f2l_t4_detail *t4 = out->detail;
    const size_t levels = t4->cascade.levels;
    f2l_status status = f2l_net_merge_letters(&out->net, &t4->merged, job->task, err);
    if (status != F2L_OK) return status;
    t4->letter = f2l_calloc(levels, sizeof *t4->letter);
    if (!t4->letter) return f2l_fail_memory(err);
    for (size_t l = 0, at = 0; l < levels; at += t4->report.layers[l++])
        t4->letter[l] = t4->merged.of[at];
    t4->reading.letter = t4->letter;
    return F2L_OK;
}

static f2l_status build_t4_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    f2l_t4_detail *t4 = f2l_t4_begin(out, job);
    if (t4->size.levels <= 1) snprintf(out->one_layer, sizeof out->one_layer, "permutation-reset");
    f2l_status status = f2l_t4_build(&out->net, &t4->report, &t4->cascade, out->subject,
                                     job->options->label, job->variant->gated, job->task, err);
    return status == F2L_OK ? f2l_t4_merge(out, job, err) : status;
}

/* Sets other_size and other_reason from the cover that was not chosen. */
static void compare_covers(f2l_t4_detail *t4, const f2l_construct_job *job, const shared *s)
{
    t4->contested = job->options->cascade == F2L_COMPILE_AUTO && !t4->matrices;
    if (!t4->contested) return;
    t4->other =
        t4->cascade.kind == F2L_CASCADE_HOLONOMY ? F2L_CASCADE_CAPPED : F2L_CASCADE_HOLONOMY;
    const cover *other = &s->cover[t4->other];
    if (other->tables && other->status == F2L_OK)
        t4->other_size = other->size;
    else if (other->tried && other->status != F2L_OK)
        snprintf(t4->other_reason, sizeof t4->other_reason, "%.255s", other->why.text);
    else if (other->tried)
        snprintf(t4->other_reason, sizeof t4->other_reason, "not built: at least %zu levels",
                 other->size.levels);
    else
        snprintf(t4->other_reason, sizeof t4->other_reason, "not built, as it cannot be better");
}

/* Moves the cascade from the job to the winner and finds its groups. The groups are only reported,
 * so reaching a limit just leaves them out. */
f2l_status f2l_t4_keep(f2l_compile_result *c, f2l_construct_job *job, f2l_error *err)
{
    f2l_t4_detail *t4 = c->detail;
    shared *s = f2l_construct_shared(job, &kind);
    f2l_status status = f2l_components_find(&t4->components, &t4->cascade, job->task, err);
    if (status != F2L_OK && status != F2L_UNKNOWN) return status;
    compare_covers(t4, job, s);
    t4->owns = true;
    f2l_cascade_init(&s->cover[t4->cascade.kind].cascade);
    return F2L_OK;
}

void f2l_t4_clear(void *detail)
{
    f2l_t4_detail *t4 = detail;
    f2l_local_clear(&t4->local);
    f2l_components_clear(&t4->components);
    f2l_t4_report_clear(&t4->report);
    f2l_merged_letters_clear(&t4->merged);
    f2l_free(t4->letter);
    if (t4->owns) f2l_cascade_clear(&t4->cascade);
}

f2l_t4_detail *f2l_t4_detail_of(const f2l_compile_result *c)
{
    return c->by && c->by->proof == &f2l_proof_cascade ? c->detail : NULL;
}

/* --- proof --- */

static size_t joint_rows(size_t limit)
{
    return limit && limit < JOINT_ROWS ? limit : JOINT_ROWS;
}

/* Closes the only level of a large network by moving its codes, where it has the form. */
static f2l_status by_swaps(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err)
{
    if (!f2l_swaps_pays(&c->net)) return F2L_OK;
    f2l_status status =
        f2l_swaps_close(&c->exact, &c->net, job->fsa, job->options->exact_rows, job->task, err);
    if (status == F2L_OK && c->exact.verdict != F2L_OK) f2l_closure_clear(&c->exact);
    return status;
}

/* Makes the local closure and, if it proves nothing, a joint closure of limited size, which may
 * prove or refute. */
static f2l_status verify_t4_exactly(f2l_compile_result *c, const f2l_construct_job *job,
                                    f2l_error *err)
{
    f2l_t4_detail *t4 = c->detail;
    const size_t limit = job->options->exact_rows;
    f2l_status status = f2l_local_check_classes(job->fsa, c->subject, f2l_compile_classes(c),
                                                job->options->label, err);
    if (status == F2L_OK) status = by_swaps(c, job, err);
    if (status == F2L_OK && c->exact.verdict == F2L_OK) return F2L_OK;
    /* With one state there is no level to close over. */
    if (status == F2L_OK && t4->cascade.levels > 0)
        status = f2l_local_exact(&t4->local, &c->net, &t4->cascade, t4->report.layers, t4->reading,
                                 c->subject, limit, job->task, err);
    if (status != F2L_OK) return status;
    if (t4->local.verdict == F2L_OK) {
        c->exact.verdict = F2L_OK;
        c->pairs = t4->local.pairs;
        return F2L_OK;
    }
    status = f2l_closure_exact(&c->exact, &c->net, job->fsa, joint_rows(limit), job->task, err);
    f2l_closure_explain(&c->exact, t4->local.reason);
    return status;
}

static f2l_status verify_t4_format(f2l_compile_format *out, const f2l_net *net,
                                   const f2l_compile_result *c, const f2l_construct_job *job,
                                   f2l_error *err)
{
    const f2l_t4_detail *t4 = c->detail;
    const bool rounds = net != &c->net && !job->options->float_rows;
    const size_t limit = rounds ? ROUNDED_ROWS : f2l_construct_float_rows(job);
    f2l_swaps_verdict swaps;
    f2l_local local;
    f2l_local_init(&local);
    f2l_status status = f2l_construct_swaps(out, &swaps, net, c, job, err);
    if (status != F2L_OK || out->by_rule) return status;
    if (t4->cascade.levels > 0)
        status = f2l_local_float(&local, net, &t4->cascade, t4->report.layers, t4->reading,
                                 c->subject, out->format, out->schedule, limit, job->task, err);
    if (status == F2L_OK && local.verdict == F2L_OK) {
        out->closure.verdict = F2L_OK;
        out->pairs = local.pairs;
    } else if (status == F2L_OK) {
        status = f2l_closure_float(&out->closure, net, job->fsa, out->format, out->schedule,
                                   joint_rows(limit), job->task, err);
        f2l_closure_explain(&out->closure, local.reason);
    }
    f2l_local_clear(&local);
    return status;
}

static f2l_status write_t4_certificate(f2l_buf *out, const f2l_compile_result *c,
                                       const f2l_fsa *fsa, const char network_sha256[65],
                                       f2l_error *err)
{
    const f2l_t4_detail *t4 = c->detail;
    if (t4->local.verdict != F2L_OK)
        return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
    return f2l_cascade_cert_write(out, &c->net, &t4->cascade, &t4->local, &t4->reading, fsa,
                                  f2l_compile_classes(c), network_sha256, err);
}

const f2l_construction_proof f2l_proof_cascade = {verify_t4_exactly, verify_t4_format,
                                                  write_t4_certificate};

/* --- the rows --- */

static const f2l_variant variant[] = {
    {"T4", "holonomy", .cascade = F2L_COMPILE_HOLONOMY, .published = true},
    {"T4", "capped cover", .cascade = F2L_COMPILE_CAPPED, .published = true},
    {"T4", "Zeiger cover", .cascade = F2L_COMPILE_ZEIGER, .published = true},
    {"T4", "holonomy, gated", .cascade = F2L_COMPILE_HOLONOMY, .gated = true, .published = true},
    {"T4", "capped cover, gated", .cascade = F2L_COMPILE_CAPPED, .gated = true, .published = true},
    {"T4", "Zeiger cover, gated", .cascade = F2L_COMPILE_ZEIGER, .gated = true, .published = true}};

const f2l_construction f2l_construction_t4 = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = t4_applies,
    .least = set_least_t4,
    .prepare = f2l_t4_prepare,
    .complete = f2l_t4_complete,
    .again = f2l_t4_again,
    .detail = sizeof(f2l_t4_detail),
    .build = build_t4_row,
    .keep = f2l_t4_keep,
    .by_quotient = true,
    .proof = &f2l_proof_cascade,
    .title = "cascade, one layer per level{cascade.delays?, two with a delay}",
    .describe = f2l_t4_describe,
    .tell = f2l_t4_tell,
    .lines = "repair\t{cascade.repair}\n"
             "{one_layer?one layer\tsuffices: the automaton is {one_layer}\n}",
    .clear = f2l_t4_clear};
