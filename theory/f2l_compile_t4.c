#include "f2l_compile_impl.h"
#include "f2l_mem.h"
#include <stdio.h>
#include <string.h>

/* A joint closure is here for small networks and for words that refute one: those are short. */
#define JOINT_ROWS 50000

void f2l_compile_t4_free(f2l_compile_t4 *t4)
{
    if (!t4) return;
    f2l_local_clear(&t4->local);
    f2l_components_clear(&t4->components);
    f2l_t4_report_clear(&t4->report);
    f2l_cascade_clear(&t4->cascade);
    f2l_fsa_clear(&t4->quotient);
    f2l_free(t4->classes);
    f2l_free(t4);
}

static f2l_status smaller_cascade(f2l_compile_t4 *t4, const f2l_fsa *fsa, const f2l_compile_options *options,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_cascade other;
    f2l_error reason = {0};
    t4->contested = true;
    f2l_status status =
        f2l_cascade_build_smaller(&t4->cascade, &other, &reason, fsa, options->max_sets, task, err);
    if (status != F2L_OK) return status;
    t4->other = t4->cascade.kind == F2L_CASCADE_HOLONOMY ? F2L_CASCADE_CAPPED : F2L_CASCADE_HOLONOMY;
    if (other.fsa)
        f2l_cascade_measure(&t4->other_size, &other);
    else
        snprintf(t4->other_reason, sizeof t4->other_reason, "%.255s", reason.text);
    f2l_cascade_clear(&other);
    return F2L_OK;
}

static f2l_status build_cascade(f2l_compile_t4 *t4, const f2l_fsa *fsa, const f2l_compile_options *options,
                                const f2l_task *task, f2l_error *err)
{
    static const f2l_cascade_kind kind[] = {[F2L_COMPILE_HOLONOMY] = F2L_CASCADE_HOLONOMY,
                                            [F2L_COMPILE_CAPPED] = F2L_CASCADE_CAPPED,
                                            [F2L_COMPILE_ZEIGER] = F2L_CASCADE_ZEIGER};
    f2l_status status =
        options->cascade == F2L_COMPILE_AUTO
            ? smaller_cascade(t4, fsa, options, task, err)
            : f2l_cascade_build(&t4->cascade, fsa, kind[options->cascade], options->max_sets, task, err);
    if (status == F2L_OK) f2l_cascade_measure(&t4->size, &t4->cascade);
    return status;
}

/* Only the report shows the groups, so that no limit may stop them from being left out. */
static f2l_status find_groups(f2l_compile_t4 *t4, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_components_find(&t4->components, &t4->cascade, task, err);
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

/* The quotient is the caller's again: another construction may take it. */
static void give_back(f2l_compile_t4 *t4, f2l_fsa *quotient, uint32_t **classes)
{
    *quotient = t4->quotient;
    *classes = t4->classes;
    f2l_fsa_init(&t4->quotient);
    t4->classes = NULL;
    f2l_compile_t4_free(t4);
}

f2l_status f2l_compile_t4_build(f2l_compile_t4 **out, f2l_net *net, const f2l_fsa *fsa, f2l_fsa *quotient,
                                uint32_t **classes, const f2l_compile_options *options, const f2l_task *task,
                                f2l_error *err)
{
    f2l_compile_t4 *t4 = f2l_calloc(1, sizeof *t4);
    if (!t4) return f2l_fail_memory(err);
    f2l_cascade_init(&t4->cascade);
    f2l_components_init(&t4->components);
    f2l_local_init(&t4->local);
    t4->quotient = *quotient;
    t4->classes = *classes;
    f2l_fsa_init(quotient);
    *classes = NULL;
    const f2l_fsa *subject = t4->quotient.states.count ? &t4->quotient : fsa;
    f2l_status status = build_cascade(t4, subject, options, task, err);
    if (status == F2L_OK)
        status =
            f2l_t4_build(net, &t4->report, &t4->cascade, subject, options->label, options->gated, task, err);
    if (status == F2L_OK) status = find_groups(t4, task, err);
    if (status == F2L_OK)
        *out = t4;
    else
        give_back(t4, quotient, classes);
    return status;
}

static size_t joint_rows(size_t limit)
{
    return limit && limit < JOINT_ROWS ? limit : JOINT_ROWS;
}

/* Says of an undecided joint closure also why the local one proved nothing. */
static void explain(f2l_closure *joint, const f2l_local *local)
{
    char reason[sizeof joint->reason];
    if (joint->verdict != F2L_UNKNOWN || !local->reason[0]) return;
    snprintf(reason, sizeof reason, "%.120s; %.120s", local->reason, joint->reason);
    memcpy(joint->reason, reason, sizeof reason);
}

f2l_status f2l_compile_t4_exact(f2l_compile_t4 *t4, f2l_closure *exact, const f2l_net *net,
                                const f2l_fsa *fsa, const f2l_compile_options *options, const f2l_task *task,
                                f2l_error *err)
{
    f2l_status status = f2l_local_check_classes(fsa, t4->cascade.fsa, t4->classes, options->label, err);
    /* One state: there is no level to close over. */
    if (status == F2L_OK && t4->cascade.levels > 0)
        status = f2l_local_exact(&t4->local, net, &t4->cascade, t4->report.layers, t4->cascade.fsa,
                                 options->exact_rows, task, err);
    if (status != F2L_OK) return status;
    if (t4->local.verdict == F2L_OK) {
        exact->verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_exact(exact, net, fsa, joint_rows(options->exact_rows), task, err);
    explain(exact, &t4->local);
    return status;
}

f2l_status f2l_compile_t4_format(f2l_compile_format *out, const f2l_compile_t4 *t4, const f2l_net *net,
                                 const f2l_fsa *fsa, const f2l_compile_options *options, const f2l_task *task,
                                 f2l_error *err)
{
    f2l_local local;
    f2l_local_init(&local);
    f2l_status status = F2L_OK;
    if (t4->cascade.levels > 0)
        status = f2l_local_float(&local, net, &t4->cascade, t4->report.layers, t4->cascade.fsa, out->format,
                                 out->schedule, options->float_rows, task, err);
    if (status == F2L_OK && local.verdict == F2L_OK) {
        out->closure.verdict = F2L_OK;
        out->pairs = local.pairs;
    } else if (status == F2L_OK) {
        status = f2l_closure_float(&out->closure, net, fsa, out->format, out->schedule,
                                   joint_rows(options->float_rows), task, err);
        explain(&out->closure, &local);
    }
    f2l_local_clear(&local);
    return status;
}
