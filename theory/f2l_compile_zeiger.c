/* The Zeiger form, for automata whose families of subsets pass their limit: it needs no table of subsets, and so
 * no limit of theirs stops it. */
#include "f2l_compile_impl.h"
#include "f2l_mem.h"
#include "f2l_wired_closure.h"
#include "f2l_zeiger.h"
#include <stdio.h>

/* A joint closure is here for the words that refute a network: those are short. */
#define JOINT_ROWS 50000

void f2l_compile_zeiger_free(f2l_compile_zeiger *z)
{
    if (!z) return;
    f2l_fsa_clear(&z->quotient);
    f2l_free(z->classes);
    f2l_free(z);
}

f2l_status f2l_compile_zeiger_build(f2l_compile_zeiger **out, f2l_wired *net, const f2l_fsa *fsa,
                                    f2l_fsa *quotient, uint32_t **classes, const char *reason,
                                    const f2l_compile_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_compile_zeiger *z = f2l_calloc(1, sizeof *z);
    if (!z) return f2l_fail_memory(err);
    snprintf(z->reason, sizeof z->reason, "%.255s", reason);
    z->quotient = *quotient;
    z->classes = *classes;
    f2l_fsa_init(quotient);
    *classes = NULL;
    z->fsa = z->quotient.states.count ? &z->quotient : fsa;
    f2l_status status = f2l_zeiger_build(net, z->fsa, options->label, task, err);
    if (status == F2L_OK)
        *out = z;
    else
        f2l_compile_zeiger_free(z);
    return status;
}

/* Only a network that is not as the theorem says gets here. */
static void explain(f2l_closure *joint, const f2l_zeiger_verdict *rule)
{
    if (joint->verdict != F2L_UNKNOWN) return;
    snprintf(joint->reason, sizeof joint->reason, "%.200s", rule->reason);
}

f2l_status f2l_compile_zeiger_exact(f2l_compile_zeiger *z, f2l_closure *exact, const f2l_wired *net,
                                    const f2l_fsa *fsa, const f2l_compile_options *options,
                                    const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_local_check_classes(fsa, z->fsa, z->classes, options->label, err);
    if (status == F2L_OK) status = f2l_zeiger_verify(&z->exact, net, z->fsa, task, err);
    if (status != F2L_OK) return status;
    exact->verdict = F2L_OK;
    if (z->exact.verdict == F2L_OK) return F2L_OK;
    status = f2l_wired_closure_exact(exact, net, fsa, JOINT_ROWS, task, err);
    explain(exact, &z->exact);
    return status;
}

f2l_status f2l_compile_zeiger_format(f2l_compile_format *out, const f2l_compile_zeiger *z,
                                     const f2l_wired *net, const f2l_fsa *fsa, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_zeiger_verdict rule = {0};
    f2l_status status = f2l_zeiger_verify_float(&rule, net, z->fsa, out->format, out->schedule, task, err);
    if (status != F2L_OK) return status;
    out->by_rule = rule.verdict == F2L_OK;
    if (out->by_rule) {
        out->closure.verdict = F2L_OK;
        return F2L_OK;
    }
    status =
        f2l_wired_closure_float(&out->closure, net, fsa, out->format, out->schedule, JOINT_ROWS, task, err);
    explain(&out->closure, &rule);
    return status;
}
