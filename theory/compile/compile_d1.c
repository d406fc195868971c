/* D1: permutation automata with few factors per token, in three or four layers. */
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"
#include <string.h>

/* Returns F2L_EDOMAIN also when a block would be one token: with as many factors as any permutation
 * needs D1 does the same as T3 in one layer. */
f2l_status f2l_compile_d1_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err)
{
    f2l_status status = f2l_compile_represent(job, err);
    if (status != F2L_OK) return status;
    const size_t most = job->set.points - job->set.orbits;
    if (way->number < most) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "one layer takes at most n_h = %zu", most);
}

/* Sets lower bounds: a clock of one layer takes two factors, and the ring and the head that applies
 * are one layer each. */
void f2l_compile_d1_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way)
{
    (void)job;
    out->layers = way->number == 1 ? 4 : 3;
    out->householders = way->number == 1 ? 1 : 2;
    out->factors_per_token = out->layers;
    out->states = out->key_dim = out->layers;
}

f2l_status f2l_compile_d1_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err)
{
    f2l_compile_d1 *d1 = f2l_calloc(1, sizeof *d1);
    if (!d1) return f2l_fail_memory(err);
    out->d1 = d1;
    d1->fsa = job->subject;
    if (job->subject != job->fsa) out->quotient = job->quotient;
    return f2l_d1_build(&out->wired, &d1->report, job->subject, job->options->label, &job->set,
                        way->number, job->task, err);
}

static f2l_status exact(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    static const f2l_compile_rule rule = {"theory/pages/d1.md", "D1.8", "D1.10"};
    f2l_compile_d1 *d1 = c->d1;
    f2l_status status = f2l_local_check_classes(job->fsa, d1->fsa, f2l_compile_classes(c),
                                                job->options->label, err);
    if (status == F2L_OK) status = f2l_d1_verify(&d1->exact, &c->wired, d1->fsa, job->task, err);
    if (status != F2L_OK) return status;
    if (d1->exact.verdict == F2L_OK) {
        c->rule = &rule;
        c->exact.verdict = F2L_OK;
        return F2L_OK;
    }
    return f2l_compile_wired_exact(c, d1->exact.reason, job, err);
}

static f2l_status format(f2l_compile_format *out, const f2l_compile_result *c,
                         const f2l_compile_job *job, f2l_error *err)
{
    f2l_d1_verdict verdict = {0};
    f2l_status status = f2l_d1_verify_float(&verdict, &c->wired, c->d1->fsa, out->format,
                                            out->schedule, job->task, err);
    if (status != F2L_OK) return status;
    out->by_rule = verdict.verdict == F2L_OK;
    if (out->by_rule) {
        out->closure.verdict = F2L_OK;
        return F2L_OK;
    }
    return f2l_compile_wired_format(out, c, verdict.reason, job, err);
}

static f2l_status certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                              const char network_sha256[65], f2l_error *err)
{
    const f2l_compile_d1 *d1 = c->d1;
    if (!c->rule) return f2l_wired_cert_exact(out, &c->wired, &c->exact, network_sha256, err);
    return f2l_d1_cert_write(out, &c->wired, &d1->exact, d1->fsa, fsa, f2l_compile_classes(c),
                             network_sha256, err);
}

const f2l_compile_proof f2l_compile_proof_d1 = {exact, format, certificate};
