/* The Zeiger form, for automata whose families of subsets exceed their limit: it needs no table of
 * subsets, so that limit does not stop it. */
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"
#include "theory/construct/zeiger/zeiger.h"
#include <string.h>

f2l_status f2l_compile_zeiger_applies(f2l_compile_job *job, const f2l_compile_way *way,
                                      f2l_error *err)
{
    (void)way;
    if (job->states >= 2) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a cascade by rule is for two states or more");
}

/* Sets the factors that Z.7 gives. */
static void set_factors(f2l_compile_figures *out, size_t n)
{
    out->householders = f2l_zeiger_factors(n, 1);
    out->factors_per_token = 0;
    for (size_t level = 1; level < n; level++)
        out->factors_per_token += f2l_zeiger_factors(n, level);
}

void f2l_compile_zeiger_least(f2l_compile_figures *out, const f2l_compile_job *job,
                              const f2l_compile_way *way)
{
    (void)way;
    out->layers = job->states - 1;
    out->key_dim = 4 * job->states;
    set_factors(out, job->states);
    out->states = out->layers * out->key_dim;
}

/* Sets the factors of *out to the factors of Z.7; the network's slots can hold more than any token
 * takes. */
void f2l_compile_zeiger_measure(f2l_compile_figures *out, const f2l_compile_zeiger *zeiger)
{
    set_factors(out, zeiger->fsa->states.count);
}

f2l_status f2l_compile_zeiger_build(f2l_compile_result *out, f2l_compile_job *job,
                                    const f2l_compile_way *way, f2l_error *err)
{
    (void)way;
    f2l_compile_zeiger *z = f2l_calloc(1, sizeof *z);
    if (!z) return f2l_fail_memory(err);
    out->zeiger = z;
    f2l_status status = f2l_compile_reachable(&z->fsa, job, err);
    out->quotient = job->quotient;
    return status == F2L_OK
               ? f2l_zeiger_build(&out->wired, z->fsa, job->options->label, job->task, err)
               : status;
}

static f2l_status exact(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err)
{
    static const f2l_compile_rule rule = {"theory/pages/zeiger.md", "Z.6", "Z.8"};
    f2l_compile_zeiger *z = c->zeiger;
    f2l_status status =
        f2l_local_check_classes(job->fsa, z->fsa, f2l_compile_classes(c), job->options->label, err);
    if (status == F2L_OK) status = f2l_zeiger_verify(&z->exact, &c->wired, z->fsa, job->task, err);
    if (status != F2L_OK) return status;
    if (z->exact.verdict == F2L_OK) {
        c->rule = &rule;
        c->exact.verdict = F2L_OK;
        return F2L_OK;
    }
    return f2l_compile_wired_exact(c, z->exact.reason, job, err);
}

static f2l_status format(f2l_compile_format *out, const f2l_compile_result *c,
                         const f2l_compile_job *job, f2l_error *err)
{
    f2l_zeiger_verdict verdict = {0};
    f2l_status status = f2l_zeiger_verify_float(&verdict, &c->wired, c->zeiger->fsa, out->format,
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
    const f2l_compile_zeiger *z = c->zeiger;
    if (!c->rule) return f2l_wired_cert_exact(out, &c->wired, &c->exact, network_sha256, err);
    return f2l_wired_cert_zeiger(out, &c->wired, &z->exact, z->fsa, fsa, f2l_compile_classes(c),
                                 network_sha256, err);
}

const f2l_compile_proof f2l_compile_proof_zeiger = {exact, format, certificate};
