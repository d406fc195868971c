/* Effort: the work that phases count is the same in every run and for every number of threads; a
 * limit stops them at once with a text that names them, and a limit that is not exceeded changes
 * nothing. */
#include "automata/cascade/cascade_group.h"
#include "automata/family/family.h"
#include "automata/fsa/definite.h"
#include "automata/gset/gset.h"
#include "numeric/base/mem.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/form.h"
#include "theory/certify/local/local.h"
#include "theory/construct/t4/t4.h"
#include "theory/construct/zeiger/zeiger.h"
#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

/* An elevator with the results of earlier phases, and a permutation automaton for the phases that
 * need one. */
typedef struct subject {
    f2l_fsa fsa, permutations;
    f2l_cascade cascade;
    f2l_t4_report report;
    f2l_net net;
    f2l_net wired;
} subject;

static void build_family(f2l_fsa *fsa, const char *kind, uint64_t number)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_family_build(fsa, kind, &number, 1, false, &err), F2L_OK, "%s", err.text);
}

static void subject_init(subject *s)
{
    f2l_error err = {0};
    *s = (subject){0};
    build_family(&s->fsa, "elevator", 7);
    build_family(&s->permutations, "symmetric", 5);
    f2l_net_init(&s->net);
    f2l_net_init(&s->wired);
    cr_assert_eq(f2l_cascade_build(&s->cascade, &s->fsa, F2L_CASCADE_HOLONOMY, 0, NULL, &err),
                 F2L_OK);
    cr_assert_eq(f2l_t4_build(&s->net, &s->report, &s->cascade, &s->fsa, F2L_LABEL_STATES, false,
                              NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_zeiger_build(&s->wired, &s->fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK, "%s",
                 err.text);
}

static void subject_clear(subject *s)
{
    f2l_cascade_clear(&s->cascade);
    f2l_t4_report_clear(&s->report);
    f2l_net_clear(&s->net);
    f2l_net_clear(&s->wired);
    f2l_fsa_clear(&s->fsa);
    f2l_fsa_clear(&s->permutations);
}

/* Returns a verdict that was not reached as a status, with its reason. */
static f2l_status verdict_of(f2l_status status, f2l_status verdict, const char *reason,
                             f2l_error *err)
{
    if (status != F2L_OK || verdict == F2L_OK) return status;
    return f2l_fail(err, verdict, "%.200s", reason);
}

static f2l_status run_cascade(const subject *s, f2l_cascade_kind kind, const f2l_task *task,
                              f2l_error *err)
{
    f2l_cascade c;
    const f2l_status status = f2l_cascade_family(&c, &s->fsa, kind, 0, task, err);
    f2l_cascade_clear(&c);
    return status;
}

static f2l_status run_holonomy(const subject *s, const f2l_task *task, f2l_error *err)
{
    return run_cascade(s, F2L_CASCADE_HOLONOMY, task, err);
}

static f2l_status run_capped(const subject *s, const f2l_task *task, f2l_error *err)
{
    return run_cascade(s, F2L_CASCADE_CAPPED, task, err);
}

static f2l_status run_subsets(const subject *s, const f2l_task *task, f2l_error *err)
{
    return run_cascade(s, F2L_CASCADE_ZEIGER, task, err);
}

static f2l_status run_tables(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_cascade c;
    f2l_status status = f2l_cascade_family(&c, &s->fsa, F2L_CASCADE_HOLONOMY, 0, NULL, err);
    if (status == F2L_OK) status = f2l_cascade_tables(&c, task, err);
    f2l_cascade_clear(&c);
    return status;
}

static f2l_status run_groups(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_components groups;
    const f2l_status status = f2l_components_find(&groups, &s->cascade, task, err);
    f2l_components_clear(&groups);
    return status;
}

static f2l_status run_t4(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_net net;
    f2l_t4_report report = {0};
    f2l_net_init(&net);
    const f2l_status status =
        f2l_t4_build(&net, &report, &s->cascade, &s->fsa, F2L_LABEL_STATES, false, task, err);
    f2l_net_clear(&net);
    f2l_t4_report_clear(&report);
    return status;
}

static f2l_status run_rule(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_net net;
    f2l_net_init(&net);
    const f2l_status status = f2l_zeiger_build(&net, &s->fsa, F2L_LABEL_STATES, task, err);
    f2l_net_clear(&net);
    return status;
}

static f2l_status run_rule_verdict(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_form_verdict v;
    const f2l_status status = f2l_form_zeiger.verify(&v, &s->wired, &s->fsa, NULL, NULL, task, err);
    return verdict_of(status, v.verdict, v.reason, err);
}

static f2l_status run_rule_format(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_form_verdict v;
    const f2l_status status = f2l_form_zeiger.verify(
        &v, &s->wired, &s->fsa, f2l_format_find("bf16"), f2l_schedule_find("every"), task, err);
    return verdict_of(status, v.verdict, v.reason, err);
}

static f2l_status run_local(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_local out = {0};
    f2l_status status = f2l_local_exact(&out, &s->net, &s->cascade, s->report.layers,
                                        (f2l_local_reading){0}, &s->fsa, 0, task, err);
    status = verdict_of(status, out.verdict, out.reason, err);
    f2l_local_clear(&out);
    return status;
}

static f2l_status run_local_format(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_local out = {0};
    f2l_status status =
        f2l_local_float(&out, &s->net, &s->cascade, s->report.layers, (f2l_local_reading){0},
                        &s->fsa, f2l_format_find("bf16"), f2l_schedule_find("every"), 0, task, err);
    status = verdict_of(status, out.verdict, out.reason, err);
    f2l_local_clear(&out);
    return status;
}

static f2l_status run_closure(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_closure out;
    f2l_closure_init(&out);
    f2l_status status = f2l_closure_exact(&out, &s->net, &s->fsa, 0, task, err);
    status = verdict_of(status, out.verdict, out.reason, err);
    f2l_closure_clear(&out);
    return status;
}

static f2l_status close_with(const subject *s, size_t jobs, const f2l_task *task, f2l_error *err)
{
    const f2l_closure_float_options options = {.jobs = jobs, .keep = true};
    f2l_closure out;
    f2l_closure_init(&out);
    f2l_status status = f2l_closure_float_with(&out, &s->net, &s->fsa, f2l_format_find("bf16"),
                                               f2l_schedule_find("every"), &options, task, err);
    status = verdict_of(status, out.verdict, out.reason, err);
    f2l_closure_clear(&out);
    return status;
}

static f2l_status run_closure_format(const subject *s, const f2l_task *task, f2l_error *err)
{
    return close_with(s, 1, task, err);
}

static f2l_status run_definite(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_definite d;
    f2l_definite_init(&d);
    const f2l_status status = f2l_definite_find(&d, &s->permutations, 0, task, err);
    f2l_definite_clear(&d);
    return status;
}

static f2l_status run_minimise(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_fsa out;
    uint32_t *classes;
    f2l_fsa_init(&out);
    const f2l_status status =
        f2l_fsa_minimise(&out, &classes, &s->permutations, F2L_LABEL_STATES, task, err);
    f2l_fsa_clear(&out);
    f2l_free(classes);
    return status;
}

static f2l_status run_representation(const subject *s, const f2l_task *task, f2l_error *err)
{
    f2l_gset set;
    f2l_gset_init(&set);
    const f2l_status status = f2l_gset_smallest(&set, &s->permutations, 0, task, err);
    f2l_gset_clear(&set);
    return status;
}

typedef struct phase {
    const char *says; /* phases in which it stops at 1/7 and at 2/3 of its work */
    const char *says_later;
    f2l_status (*run)(const subject *s, const f2l_task *task, f2l_error *err);
} phase;

static const phase phases[] = {
    {"images", "covers", run_holonomy},
    {"sets", "edge permutations", run_capped},
    {"subsets", "subsets", run_subsets},
    {"stage pairs", "stage pairs", run_tables},
    {"groups", "group", run_groups},
    {"factors", "level", run_t4},
    {"wiring", "wiring", run_rule},
    {"circuits", "circuits", run_rule_verdict},
    {"circuits", "rounding", run_rule_format},
    {"checking", "checking", run_local},
    {"network", "checking", run_local_format},
    {"closing", "closing", run_closure},
    {"closing", "closing", run_closure_format},
    {"letters that act alike", "definiteness", run_definite},
    {"minimising", "minimising", run_minimise},
    {"representations", "representations", run_representation},
};

static uint64_t count(const subject *s, const phase *p)
{
    f2l_effort effort = {0};
    const f2l_task task = {.effort = &effort};
    f2l_error err = {0};
    cr_assert_eq(p->run(s, &task, &err), F2L_OK, "%s: %s", p->says, err.text);
    return effort.spent;
}

Test(effort, is_the_same_in_every_run)
{
    subject s;
    subject_init(&s);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        const uint64_t steps = count(&s, &phases[i]);
        cr_assert_gt(steps, 500, "%s", phases[i].says);
        cr_assert_eq(count(&s, &phases[i]), steps, "%s", phases[i].says);
    }
    subject_clear(&s);
}

Test(effort, a_limit_that_is_not_passed_changes_nothing)
{
    subject s;
    subject_init(&s);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        f2l_effort effort = {.limit = count(&s, &phases[i])};
        const f2l_task task = {.effort = &effort};
        f2l_error err = {0};
        cr_assert_eq(phases[i].run(&s, &task, &err), F2L_OK, "%s: %s", phases[i].says, err.text);
        cr_assert_eq(effort.spent, effort.limit, "%s", phases[i].says);
    }
    subject_clear(&s);
}

static void stop_at(const subject *s, const phase *p, uint64_t limit, const char *says)
{
    f2l_effort effort = {.limit = limit};
    const f2l_task task = {.effort = &effort};
    f2l_error err = {0};
    cr_assert_eq(p->run(s, &task, &err), F2L_UNKNOWN, "%s", p->says);
    cr_assert_not_null(strstr(err.text, "million steps of effort do not "
                                        "suffice"),
                       "%s: %s", p->says, err.text);
    cr_expect_not_null(strstr(err.text, says), "%s: %s", says, err.text);
    cr_assert(effort.refused, "%s", p->says);
    cr_assert_leq(effort.spent, limit, "%s", p->says); /* work beyond the limit is neither counted
                                                          nor done */
}

Test(effort, a_limit_stops_every_phase_with_its_name)
{
    subject s;
    subject_init(&s);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        const uint64_t steps = count(&s, &phases[i]);
        stop_at(&s, &phases[i], steps / 7, phases[i].says);
        stop_at(&s, &phases[i], steps - steps / 3, phases[i].says_later);
    }
    subject_clear(&s);
}

Test(effort, of_a_closure_does_not_depend_on_threads)
{
    subject s;
    subject_init(&s);
    const uint64_t steps = count(&s, &(phase){"closing", "closing", run_closure_format});
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        f2l_effort all = {0}, some = {.limit = steps - steps / 3};
        f2l_error err = {0};
        cr_assert_eq(close_with(&s, jobs, &(f2l_task){.effort = &all}, &err), F2L_OK);
        cr_assert_eq(all.spent, steps, "%zu jobs", jobs);
        cr_assert_eq(close_with(&s, jobs, &(f2l_task){.effort = &some}, &err), F2L_UNKNOWN);
        static uint64_t stopped;
        if (jobs == 1) stopped = some.spent;
        cr_assert_eq(some.spent, stopped, "%zu jobs", jobs);
    }
    subject_clear(&s);
}

static long peak_kib(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Tables are charged before they are made: the gates of 2,000 states and as many letters, of some
 * GiB, are never allocated. */
Test(effort, comes_before_memory)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_effort effort = {.limit = 10000000};
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    build_family(&fsa, "cyclic", 2000);
    f2l_net_init(&net);
    const long before = peak_kib();
    cr_assert_eq(
        f2l_zeiger_build(&net, &fsa, F2L_LABEL_STATES, &(f2l_task){.effort = &effort}, &err),
        F2L_UNKNOWN);
    cr_assert_lt(peak_kib() - before, 50000);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}
