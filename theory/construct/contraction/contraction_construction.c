/* R4 as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/contraction/contraction.h"
#include <stdio.h>

static f2l_status contraction_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states: see T3 and R1");
    if (job->states > F2L_CONTRACTION_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "forms are sought for at most %d states",
                        F2L_CONTRACTION_STATES);
    if (job->options->least_layers > 1)
        return f2l_fail(err, F2L_EDOMAIN, "it has one layer, and at least %zu are needed",
                        job->options->least_layers);
    return F2L_OK;
}

static void set_least_contraction(f2l_compile_figures *out, const f2l_construct_job *job)
{
    out->layers = out->householders = out->factors_per_token = out->key_dim = out->states = 1;
    out->table_entries = job->states;
}

static f2l_status build_contraction(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    snprintf(out->one_layer, sizeof out->one_layer, "letters act as contractions for a form");
    return f2l_contraction_build(&out->net, out->detail, job->subject, job->label, job->task, err);
}

static void describe_contraction(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_contraction_report *r = c->detail;
    const f2l_fact o = f2l_say_object(in, "contraction");
    f2l_say_count(o, "code_dimension", r->dimension);
    f2l_say_count(o, "extra_coordinates", r->extra);
}

static const f2l_variant variant[] = {
    {.theorem = "R4", .name = "contractions", .rounds = true, .slow = true}};

const f2l_construction f2l_construction_contraction = {
    .variant = variant,
    .variants = 1,
    .applies = contraction_applies,
    .least = set_least_contraction,
    .detail = sizeof(f2l_contraction_report),
    .build = build_contraction,
    .proof = &f2l_proof_joint,
    .title = "contractions, one layer",
    .describe = describe_contraction,
    .lines = "one code for each state, {contraction.code_dimension} coordinates"
             "{contraction.extra_coordinates? and {contraction.extra_coordinates} that factors "
             "use}\n"
             "one layer\tsuffices: {one_layer}\n"};
