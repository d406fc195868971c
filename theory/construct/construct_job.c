/* What the rows of a job share. */
#include "automata/algebra/moore.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/construction.h"
#include <stdio.h>

f2l_status f2l_construct_represent(f2l_construct_job *job, f2l_error *err)
{
    if (!job->permutes) return f2l_fail(err, F2L_EDOMAIN, "%s", job->merges);
    if (job->has_set) return F2L_OK;
    f2l_status status = f2l_gset_smallest(&job->set, job->subject, 0, job->task, err);
    if (status != F2L_OK) return status;
    for (size_t a = 0; a < job->set.letters; a++) {
        const size_t cycles =
            f2l_perm_cycles(job->set.image + a * job->set.points, job->set.points);
        const size_t reflections = job->set.points - cycles;
        if (reflections > job->set_reflections) job->set_reflections = reflections;
    }
    job->has_set = true;
    return F2L_OK;
}

/* --- the quotient --- */

/* Makes the Moore machine of the quotient, or says why there is none: other constructions do
 * without it. */
static f2l_status make_moore(f2l_compile_quotient *quotient, const f2l_construct_job *job,
                             f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = f2l_moore_build(&quotient->moore, &quotient->fsa, job->task, &why);
    if (status == F2L_UNKNOWN) {
        snprintf(quotient->no_moore, sizeof quotient->no_moore, "%.255s", why.text);
        return F2L_OK;
    }
    return status == F2L_OK ? F2L_OK : f2l_fail(err, status, "%s", why.text);
}

f2l_status f2l_construct_minimise(f2l_construct_job *job, f2l_error *err)
{
    f2l_compile_quotient *quotient = f2l_calloc(1, sizeof *quotient);
    if (!quotient) return f2l_fail_memory(err);
    f2l_fsa_init(&quotient->fsa);
    f2l_fsa_init(&quotient->moore);
    f2l_status status = f2l_fsa_minimal(&quotient->fsa, &quotient->classes, job->fsa,
                                        job->options->label, job->task, err);
    if (status == F2L_OK && job->options->label == F2L_LABEL_EDGES)
        status = make_moore(quotient, job, err);
    if (status == F2L_OK)
        job->quotient = quotient;
    else
        f2l_compile_quotient_free(quotient);
    return status;
}

f2l_status f2l_construct_reachable(const f2l_fsa **out, f2l_construct_job *job, f2l_error *err)
{
    if (!job->quotient && job->fsa->track != F2L_TRACK_STATES) {
        f2l_status status = f2l_construct_minimise(job, err);
        if (status != F2L_OK) return status;
    }
    *out = job->quotient ? &job->quotient->fsa : job->fsa;
    return F2L_OK;
}

size_t f2l_construct_cascade_states(const f2l_construct_job *job)
{
    return job->options->label == F2L_LABEL_EDGES ? job->quotient->fsa.states.count : job->states;
}

f2l_status f2l_construct_states_only(f2l_construct_job *job, f2l_error *err)
{
    if (job->options->label != F2L_LABEL_EDGES) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "it gives labels of states, not outputs of transitions");
}

void f2l_construct_track(f2l_compile_result *out, f2l_construct_job *job, const f2l_fsa *subject)
{
    out->subject = subject;
    if (subject != job->fsa) out->quotient = job->quotient;
}

/* --- shared data --- */

struct f2l_shared {
    const f2l_shared_kind *kind;
    void *data;
    f2l_shared *next;
};

void *f2l_construct_shared(const f2l_construct_job *job, const f2l_shared_kind *kind)
{
    for (const f2l_shared *s = job->shared; s; s = s->next)
        if (s->kind == kind) return s->data;
    return NULL;
}

void *f2l_construct_share(f2l_construct_job *job, const f2l_shared_kind *kind, f2l_error *err)
{
    void *found = f2l_construct_shared(job, kind);
    if (found) return found;
    f2l_shared *s = f2l_calloc(1, sizeof *s);
    void *data = f2l_calloc(1, kind->size);
    if (!s || !data) {
        f2l_free(s);
        f2l_free(data);
        f2l_fail_memory(err);
        return NULL;
    }
    *s = (f2l_shared){kind, data, job->shared};
    job->shared = s;
    return data;
}

void f2l_construct_job_clear(f2l_construct_job *job)
{
    while (job->shared) {
        f2l_shared *s = job->shared;
        job->shared = s->next;
        s->kind->clear(s->data);
        f2l_free(s->data);
        f2l_free(s);
    }
    f2l_gset_clear(&job->set);
    f2l_compile_quotient_free(job->quotient);
}

/* --- shares of the steps --- */

#define SHARE 50
#define LEAST_STEPS ((uint64_t)25 * F2L_STEPS)

bool f2l_construct_is_sought(const f2l_construct_job *job)
{
    return job->options->all || job->options->bounds.layers;
}

f2l_task f2l_construct_begin_share(f2l_effort *effort, const f2l_construct_job *job)
{
    const f2l_effort *all = job->task ? job->task->effort : NULL;
    const uint64_t left = all && all->limit ? all->limit - all->spent : UINT64_MAX;
    const bool sought = f2l_construct_is_sought(job);
    uint64_t most = all && all->limit ? left / SHARE : 0;
    if (most < LEAST_STEPS) most = LEAST_STEPS;
    if (sought) most = UINT64_MAX;
    f2l_task own = job->task ? *job->task : (f2l_task){.jobs = 1};
    /* One step more than is left, so that the job's effort refuses it, too. */
    *effort = (f2l_effort){.limit = left < most ? left + 1 : sought ? 0 : most};
    own.effort = effort;
    return own;
}

f2l_status f2l_construct_end_share(const f2l_construct_job *job, const f2l_effort *effort,
                                   const char *phase, f2l_error *err)
{
    f2l_effort *all = job->task ? job->task->effort : NULL;
    if (!all) return F2L_OK;
    const uint64_t left = all->limit ? all->limit - all->spent : UINT64_MAX;
    const bool over = effort->refused && effort->limit && left < effort->limit;
    return f2l_task_spend(job->task, phase, over ? effort->limit : effort->spent, err);
}
