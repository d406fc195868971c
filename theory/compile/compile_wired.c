/* Wired networks that no rule proves. */
#include "theory/certify/forms/wired_closure.h"
#include "theory/compile/impl.h"
#include <stdio.h>

/* Limit on the joint closure, which finds refuting words; those are short. */
#define JOINT_ROWS 50000

static void explain(f2l_closure *joint, const char *reason)
{
    if (joint->verdict == F2L_UNKNOWN)
        snprintf(joint->reason, sizeof joint->reason, "%.200s", reason);
}

f2l_status f2l_compile_wired_exact(f2l_compile_result *c, const char *reason,
                                   const f2l_compile_job *job, f2l_error *err)
{
    f2l_status status =
        f2l_wired_closure_exact(&c->exact, &c->wired, job->fsa, JOINT_ROWS, job->task, err);
    explain(&c->exact, reason);
    return status;
}

f2l_status f2l_compile_wired_format(f2l_compile_format *out, const f2l_compile_result *c,
                                    const char *reason, const f2l_compile_job *job, f2l_error *err)
{
    f2l_status status = f2l_wired_closure_float(&out->closure, &c->wired, job->fsa, out->format,
                                                out->schedule, JOINT_ROWS, job->task, err);
    explain(&out->closure, reason);
    return status;
}

const uint32_t *f2l_compile_classes(const f2l_compile_result *c)
{
    return c->quotient ? c->quotient->classes : NULL;
}
