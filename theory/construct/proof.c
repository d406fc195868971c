/* The two ways to verify a network that most constructions share. */
#include "theory/certify/cert/cert.h"
#include "theory/certify/local/local.h"
#include "theory/construct/construction.h"
#include <stdio.h>

#define LISTED_ROWS 100000
/* Limit on the joint closure of a wired network, which finds refuting words; those are short. */
#define WIRED_ROWS 50000

size_t f2l_construct_float_rows(const f2l_construct_job *job)
{
    const f2l_compile_options *o = job->options;
    const bool seldom = job->variant && (job->variant->naive || job->variant->rounds);
    return o->all && seldom && !o->float_rows ? LISTED_ROWS : o->float_rows;
}

/* --- joint closure --- */

static f2l_status joint_exact(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err)
{
    return f2l_swaps_exact(&c->exact, &c->net, job->fsa, job->options->exact_rows, job->task, err);
}

f2l_status f2l_construct_swaps(f2l_compile_format *out, f2l_swaps_verdict *swaps,
                               const f2l_net *net, const f2l_compile_result *c,
                               const f2l_construct_job *job, f2l_error *err)
{
    *swaps = (f2l_swaps_verdict){.verdict = F2L_UNKNOWN};
    if (c->exact.verdict != F2L_OK || !c->exact.swaps) return F2L_OK;
    f2l_status status = f2l_swaps_float(swaps, net, out->format, out->schedule, job->task, err);
    out->by_rule = status == F2L_OK && swaps->verdict == F2L_OK;
    if (out->by_rule) out->closure.verdict = F2L_OK;
    return status;
}

static f2l_status joint_format(f2l_compile_format *out, const f2l_net *net,
                               const f2l_compile_result *c, const f2l_construct_job *job,
                               f2l_error *err)
{
    f2l_swaps_verdict swaps;
    f2l_status status = f2l_construct_swaps(out, &swaps, net, c, job, err);
    if (status != F2L_OK || out->by_rule) return status;
    status = f2l_closure_float(&out->closure, net, job->fsa, out->format, out->schedule,
                               f2l_construct_float_rows(job), job->task, err);
    if (status == F2L_OK) f2l_closure_explain(&out->closure, swaps.reason);
    return status;
}

static f2l_status joint_certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                                    const char network_sha256[65], f2l_error *err)
{
    (void)fsa;
    return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
}

const f2l_construction_proof f2l_proof_joint = {joint_exact, joint_format, joint_certificate};

/* --- forms --- */

/* Gives the reason of the form where the joint closure proved nothing either. */
static void explain(f2l_closure *joint, const f2l_form_verdict *formed)
{
    if (joint->verdict == F2L_UNKNOWN)
        snprintf(joint->reason, sizeof joint->reason, "%.200s", formed->reason);
}

/* Returns whether the network was built from a Moore machine. */
static bool is_moore(const f2l_compile_result *c)
{
    return c->quotient && c->subject == &c->quotient->moore;
}

static const f2l_form *proof_form_of(const f2l_compile_result *c)
{
    return c->by->form_of ? c->by->form_of(c) : c->by->form;
}

/* Verifies the form. A network of a Moore machine has no certificate of its form, which would map
 * the states of automaton.fsa to the form's. */
static f2l_status verify_form(f2l_form_verdict *out, const f2l_compile_result *c,
                              const f2l_construct_job *job, const f2l_format *format,
                              const f2l_schedule *schedule, f2l_error *err)
{
    if (!is_moore(c))
        return proof_form_of(c)->verify(out, &c->net, c->subject, format, schedule, job->task, err);
    out->verdict = F2L_UNKNOWN;
    snprintf(out->reason, sizeof out->reason, "a Moore machine has no certificate by form");
    return F2L_OK;
}

static f2l_status form_exact(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err)
{
    const f2l_form *form = proof_form_of(c);
    f2l_status status = F2L_OK;
    if (!is_moore(c))
        status = f2l_local_check_classes(job->fsa, c->subject, f2l_compile_classes(c),
                                         job->options->label, err);
    if (status == F2L_OK) status = verify_form(&c->formed, c, job, NULL, NULL, err);
    if (status != F2L_OK) return status;
    if (c->formed.verdict == F2L_OK) {
        c->rule = form;
        c->exact.verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_exact(&c->exact, &c->net, job->fsa, WIRED_ROWS, job->task, err);
    explain(&c->exact, &c->formed);
    return status;
}

static f2l_status form_format(f2l_compile_format *out, const f2l_net *net,
                              const f2l_compile_result *c, const f2l_construct_job *job,
                              f2l_error *err)
{
    f2l_form_verdict formed = {.verdict = F2L_UNKNOWN};
    (void)net;
    f2l_status status = verify_form(&formed, c, job, out->format, out->schedule, err);
    if (status != F2L_OK) return status;
    out->by_rule = formed.verdict == F2L_OK;
    if (out->by_rule) {
        out->closure.verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_float(&out->closure, &c->net, job->fsa, out->format, out->schedule,
                               WIRED_ROWS, job->task, err);
    explain(&out->closure, &formed);
    return status;
}

static f2l_status form_certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                                   const char network_sha256[65], f2l_error *err)
{
    if (!c->rule) return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
    return c->rule->certify(out, &c->net, &c->formed, c->subject, fsa, f2l_compile_classes(c),
                            network_sha256, err);
}

const f2l_construction_proof f2l_proof_form = {form_exact, form_format, form_certificate};
