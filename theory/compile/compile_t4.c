/* Cascades with tables, also in diagonal layers: by holonomy, the capped cover or Zeiger's cover,
 * with and without gates. */
#include "models/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert.h"
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

/* Limit on the joint closure, which serves small networks and finds refuting words, which are
 * short. */
#define JOINT_ROWS 50000
/* Limit for rounded rotations, which seldom close (theory/certify/horizon/horizon.h). */
#define ROUNDED_ROWS 20000

void f2l_compile_t4_free(f2l_compile_t4 *t4)
{
    if (!t4) return;
    f2l_local_clear(&t4->local);
    f2l_components_clear(&t4->components);
    f2l_t4_report_clear(&t4->report);
    f2l_diagonal_clear(&t4->diagonal);
    if (!t4->borrows) f2l_cascade_clear(&t4->cascade);
    f2l_free(t4);
}

void f2l_compile_covers_clear(f2l_compile_job *job)
{
    for (size_t k = 0; k < sizeof job->cover / sizeof *job->cover; k++)
        if (job->cover[k].tried) f2l_cascade_clear(&job->cover[k].cascade);
}

void f2l_compile_cover_again(f2l_compile_job *job, const f2l_compile_way *way)
{
    f2l_compile_cover *cover = &job->cover[f2l_compile_cover_kind(way)];
    if (cover->status != F2L_OK) *cover = (f2l_compile_cover){0};
}

f2l_cascade_kind f2l_compile_cover_kind(const f2l_compile_way *way)
{
    /* Diagonal targets use holonomy. */
    static const f2l_cascade_kind kind[] = {[F2L_COMPILE_AUTO] = F2L_CASCADE_HOLONOMY,
                                            [F2L_COMPILE_HOLONOMY] = F2L_CASCADE_HOLONOMY,
                                            [F2L_COMPILE_CAPPED] = F2L_CASCADE_CAPPED,
                                            [F2L_COMPILE_ZEIGER] = F2L_CASCADE_ZEIGER};
    return kind[way->cascade];
}

f2l_status f2l_compile_family_of(f2l_compile_cover **out, f2l_compile_job *job,
                                 f2l_cascade_kind kind, f2l_error *err)
{
    f2l_compile_cover *cover = &job->cover[kind];
    const f2l_fsa *subject;
    *out = cover;
    if (!cover->tried) {
        f2l_cascade_init(&cover->cascade);
        cover->tried = true;
        cover->status = f2l_compile_reachable(&subject, job, &cover->why);
        if (cover->status == F2L_OK)
            cover->status = f2l_cascade_family(&cover->cascade, subject, kind,
                                               job->options->max_sets, job->task, &cover->why);
        if (cover->status == F2L_OK) cover->size.levels = cover->cascade.levels;
    }
    return cover->status == F2L_OK ? F2L_OK : f2l_fail(err, cover->status, "%s", cover->why.text);
}

f2l_status f2l_compile_cover_of(f2l_compile_cover **out, f2l_compile_job *job,
                                f2l_cascade_kind kind, f2l_error *err)
{
    f2l_status status = f2l_compile_family_of(out, job, kind, err);
    f2l_compile_cover *cover = *out;
    if (status != F2L_OK || cover->tables) return status;
    cover->status = f2l_cascade_tables(&cover->cascade, job->task, &cover->why);
    cover->tables = cover->status == F2L_OK;
    if (cover->tables) f2l_cascade_measure(&cover->size, &cover->cascade);
    return cover->tables ? F2L_OK : f2l_fail(err, cover->status, "%s", cover->why.text);
}

f2l_status f2l_compile_t4_prepare(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    f2l_compile_cover *cover;
    return f2l_compile_family_of(&cover, job, f2l_compile_cover_kind(way), err);
}

f2l_status f2l_compile_t4_complete(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    f2l_compile_cover *cover;
    size_t resets = 0;
    f2l_status status = f2l_compile_cover_of(&cover, job, f2l_compile_cover_kind(way), err);
    if (status != F2L_OK || !way->gated || job->options->gated) return status;
    for (size_t l = 0; l < cover->cascade.levels; l++) resets += cover->cascade.level[l].resets;
    return resets ? F2L_OK
                  : f2l_fail(err, F2L_EDOMAIN,
                             "no level is reset, so that gates would change "
                             "nothing");
}

/* Sets lower bounds: one level if and only if every letter permutes or resets (K.5); the level's
 * permutations are then the permutations of the states. */
void f2l_compile_t4_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way)
{
    const f2l_compile_cover *cover = &job->cover[f2l_compile_cover_kind(way)];
    out->layers = job->flat ? 1 : 2;
    if (cover->tried && cover->status == F2L_OK && cover->size.levels > out->layers)
        out->layers = cover->size.levels;
    if (job->flat) out->factors_per_token = out->householders = job->state_reflections;
    out->states = out->key_dim = 1;
}

f2l_status f2l_compile_t4_new(f2l_compile_result *out, f2l_compile_job *job,
                              const f2l_compile_cover *cover, f2l_error *err)
{
    f2l_compile_t4 *t4 = f2l_calloc(1, sizeof *t4);
    if (!t4) return f2l_fail_memory(err);
    t4->cascade = cover->cascade;
    t4->borrows = true;
    f2l_components_init(&t4->components);
    f2l_local_init(&t4->local);
    t4->kind = cover->cascade.kind;
    t4->size = cover->size;
    out->t4 = t4;
    out->quotient = job->quotient;
    return F2L_OK;
}

f2l_status f2l_compile_t4_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err)
{
    const f2l_compile_cover *cover = &job->cover[f2l_compile_cover_kind(way)];
    f2l_status status = f2l_compile_t4_new(out, job, cover, err);
    if (status != F2L_OK) return status;
    return f2l_t4_build(&out->net, &out->t4->report, &cover->cascade, cover->cascade.fsa,
                        job->options->label, way->gated, job->task, err);
}

/* Sets other_size and other_reason from the cover that was not chosen. */
static void compare_covers(f2l_compile_t4 *t4, const f2l_compile_job *job)
{
    t4->contested = job->options->cascade == F2L_COMPILE_AUTO && !t4->diagonal_class;
    if (!t4->contested) return;
    t4->other = t4->kind == F2L_CASCADE_HOLONOMY ? F2L_CASCADE_CAPPED : F2L_CASCADE_HOLONOMY;
    const f2l_compile_cover *other = &job->cover[t4->other];
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

/* Keeps the cascade and finds its groups. The groups are only reported, so reaching a limit just
 * leaves them out. */
f2l_status f2l_compile_t4_keep(f2l_compile_result *c, f2l_compile_job *job, f2l_error *err)
{
    f2l_compile_t4 *t4 = c->t4;
    f2l_compile_cover *cover = &job->cover[t4->kind];
    f2l_status status = f2l_components_find(&t4->components, &cover->cascade, job->task, err);
    if (status != F2L_OK && status != F2L_UNKNOWN) return status;
    compare_covers(t4, job);
    t4->borrows = false;
    t4->diagonal.cascade = &t4->cascade;
    f2l_cascade_init(&cover->cascade);
    return F2L_OK;
}

static size_t joint_rows(size_t limit)
{
    return limit && limit < JOINT_ROWS ? limit : JOINT_ROWS;
}

/* Adds to an undecided joint closure why the local closure proved nothing. */
static void explain(f2l_closure *joint, const f2l_local *local)
{
    char reason[sizeof joint->reason];
    if (joint->verdict != F2L_UNKNOWN || !local->reason[0]) return;
    snprintf(reason, sizeof reason, "%.120s; %.120s", local->reason, joint->reason);
    memcpy(joint->reason, reason, sizeof reason);
}

/* Returns how coordinates are read: with cells, from all codes of a level. */
static f2l_local_reading reading_of(const f2l_compile_t4 *t4)
{
    const f2l_local_reading parts = {NULL, NULL}, cells = {f2l_diagonal_coordinate, &t4->diagonal};
    return t4->diagonal.levels > 0 ? cells : parts;
}

/* Makes the local closure and, if it proves nothing, a joint closure of limited size, which may
 * prove or refute. */
static f2l_status exact(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    f2l_compile_t4 *t4 = c->t4;
    const f2l_cascade *cascade = &job->cover[t4->kind].cascade;
    const size_t limit = job->options->exact_rows;
    f2l_status status = f2l_local_check_classes(job->fsa, cascade->fsa, f2l_compile_classes(c),
                                                job->options->label, err);
    /* With one state there is no level to close over. */
    if (status == F2L_OK && cascade->levels > 0)
        status = f2l_local_exact_reading(&t4->local, &c->net, cascade, t4->report.layers,
                                         reading_of(t4), cascade->fsa, limit, job->task, err);
    if (status != F2L_OK) return status;
    if (t4->local.verdict == F2L_OK) {
        c->exact.verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_exact(&c->exact, &c->net, job->fsa, joint_rows(limit), job->task, err);
    explain(&c->exact, &t4->local);
    return status;
}

static f2l_status close_format(f2l_compile_format *out, const f2l_net *net,
                               const f2l_compile_result *c, const f2l_compile_job *job,
                               f2l_error *err)
{
    const f2l_cascade *cascade = &job->cover[c->t4->kind].cascade;
    const bool rounds = !f2l_net_is_plain(&c->net) && !job->options->float_rows;
    const size_t limit = rounds ? ROUNDED_ROWS : f2l_compile_float_rows(job);
    f2l_local local;
    f2l_local_init(&local);
    f2l_status status = F2L_OK;
    if (cascade->levels > 0)
        status = f2l_local_float_reading(&local, net, cascade, c->t4->report.layers,
                                         reading_of(c->t4), cascade->fsa, out->format,
                                         out->schedule, limit, job->task, err);
    if (status == F2L_OK && local.verdict == F2L_OK) {
        out->closure.verdict = F2L_OK;
        out->pairs = local.pairs;
    } else if (status == F2L_OK) {
        status = f2l_closure_float(&out->closure, net, job->fsa, out->format, out->schedule,
                                   joint_rows(limit), job->task, err);
        explain(&out->closure, &local);
    }
    f2l_local_clear(&local);
    return status;
}

/* Closes *out in a format. Formats use the rounded view of heads over fields. */
static f2l_status format(f2l_compile_format *out, const f2l_compile_result *c,
                         const f2l_compile_job *job, f2l_error *err)
{
    f2l_net view;
    if (f2l_net_is_plain(&c->net)) return close_format(out, &c->net, c, job, err);
    f2l_net_init(&view);
    f2l_status status = f2l_net_orthonormal(&view, &c->net, 0, err);
    if (status == F2L_OK) status = close_format(out, &view, c, job, err);
    f2l_net_clear(&view);
    return status;
}

static f2l_status certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                              const char network_sha256[65], f2l_error *err)
{
    const f2l_compile_t4 *t4 = c->t4;
    if (t4->local.verdict != F2L_OK)
        return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
    return f2l_cascade_cert_write(out, &c->net, &t4->cascade, &t4->local, fsa,
                                  f2l_compile_classes(c), network_sha256, err);
}

const f2l_compile_proof f2l_compile_proof_t4 = {exact, format, certificate};
