#include "theory/construct/product/wired_proof.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/forms/product.h"
#include <stdio.h>

/* Limit on the joint closure of a wired product, which finds refuting words; those are short. */
#define WIRED_ROWS 50000

/* Returns the division of a wired product; it has no parts in a product of layers. */
static const f2l_division *division_of(const f2l_compile_result *c)
{
    return &((const f2l_product_detail *)c->detail)->division;
}

f2l_status f2l_product_track(f2l_division *division, const f2l_construct_job *job, f2l_error *err)
{
    const size_t states = job->fsa->states.count;
    if (job->subject == job->fsa) return F2L_OK;
    for (size_t i = 0; i < division->parts; i++) {
        f2l_division_part *part = &division->part[i];
        uint32_t *class_of = f2l_calloc(states, sizeof *class_of);
        if (!class_of) return f2l_fail_memory(err);
        for (size_t q = 0; q < states; q++) {
            const uint32_t at = job->quotient->classes[q];
            class_of[q] = at == UINT32_MAX ? UINT32_MAX : part->class_of[at];
        }
        f2l_free(part->class_of);
        part->class_of = class_of;
    }
    return F2L_OK;
}

/* --- figures --- */

/* Sets the most factors of a token in layer `layer` (from 1), in all heads and in one. */
static void count_factors(size_t *all, size_t *most, const f2l_compile_result *c, size_t layer)
{
    const f2l_division *d = division_of(c);
    const f2l_net *net = &c->net;
    size_t s = 0, head = 0;
    *all = *most = 0;
    for (size_t found = 0; found < layer; s++) found += net->stage[s].heads > 0;
    s--;
    for (size_t i = 0; i < d->parts; i++) {
        const f2l_share *share = &d->share[net->stage[s].block * d->parts + i];
        for (size_t h = 0; h < share->heads; h++, head++) {
            const bool rule = d->part[i].claim == F2L_CERT_ZEIGER;
            const size_t factors =
                rule ? f2l_zeiger_factors(d->part[i].classes, s - d->part[i].first)
                     : f2l_wired_head_factors(&net->block[net->stage[s].block].head[head]);
            *all += factors;
            if (factors > *most) *most = factors;
        }
    }
}

size_t f2l_product_factors(const f2l_compile_result *c, size_t layer)
{
    size_t all, most;
    count_factors(&all, &most, c, layer);
    return all;
}

size_t f2l_product_householders(const f2l_compile_result *c, size_t layer)
{
    size_t all, most;
    count_factors(&all, &most, c, layer);
    return most;
}

/* --- the proof --- */

static f2l_status exact(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err)
{
    if (division_of(c)->parts == 0) return f2l_proof_joint.exact(c, job, err);
    f2l_status status = f2l_product_verify(&c->formed, &c->net, division_of(c), job->fsa, false,
                                           NULL, NULL, job->task, err);
    if (status != F2L_OK) return status;
    if (c->formed.verdict == F2L_OK) {
        c->rule = &f2l_form_product;
        c->exact.verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_exact(&c->exact, &c->net, job->fsa, WIRED_ROWS, job->task, err);
    if (status == F2L_OK) f2l_closure_explain(&c->exact, c->formed.reason);
    return status;
}

static f2l_status format(f2l_compile_format *out, const f2l_net *net, const f2l_compile_result *c,
                         const f2l_construct_job *job, f2l_error *err)
{
    f2l_form_verdict formed;
    if (division_of(c)->parts == 0) return f2l_proof_joint.format(out, net, c, job, err);
    f2l_status status =
        f2l_product_verify(&formed, &c->net, division_of(c), job->fsa, c->rule != NULL, out->format,
                           out->schedule, job->task, err);
    if (status != F2L_OK) return status;
    out->by_rule = formed.verdict == F2L_OK;
    if (out->by_rule) {
        out->closure.verdict = F2L_OK;
        return F2L_OK;
    }
    status = f2l_closure_float(&out->closure, &c->net, job->fsa, out->format, out->schedule,
                               WIRED_ROWS, job->task, err);
    if (status == F2L_OK) f2l_closure_explain(&out->closure, formed.reason);
    return status;
}

static f2l_status certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                              const char network_sha256[65], f2l_error *err)
{
    if (division_of(c)->parts == 0)
        return f2l_proof_joint.certificate(out, c, fsa, network_sha256, err);
    if (!c->rule) return f2l_cert_write(out, &c->net, &c->exact, network_sha256, err);
    return f2l_product_certify(out, &c->net, division_of(c), fsa, network_sha256, NULL, err);
}

const f2l_construction_proof f2l_proof_product = {exact, format, certificate};
