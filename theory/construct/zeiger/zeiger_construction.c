/* Z as a construction, for automata whose families of subsets exceed their limit: it needs no table
 * of subsets, so that limit does not stop it. */
#include "theory/construct/construction.h"
#include "theory/construct/zeiger/zeiger.h"
#include <string.h>

typedef struct detail {
    char reason[256]; /* why there is no cascade with tables; empty when unknown */
} detail;

static f2l_status zeiger_applies(f2l_construct_job *job, f2l_error *err)
{
    if (f2l_construct_cascade_states(job) >= 2) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a cascade by rule is for two states or more");
}

static void set_least_zeiger(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const size_t n = f2l_construct_cascade_states(job);
    out->layers = n - 1;
    out->key_dim = 4 * n;
    out->householders = f2l_zeiger_factors(n, 1);
    for (size_t level = 1; level < n; level++)
        out->factors_per_token += f2l_zeiger_factors(n, level);
    out->states = out->layers * out->key_dim;
}

static f2l_status build_zeiger_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const f2l_fsa *fsa;
    f2l_status status = f2l_construct_reachable(&fsa, job, err);
    if (status != F2L_OK) return status;
    f2l_construct_track(out, job, fsa);
    return f2l_zeiger_build(&out->net, fsa, job->options->label, job->task, err);
}

static f2l_status keep_refusal(f2l_compile_result *c, f2l_construct_job *job, f2l_error *err)
{
    (void)err;
    memcpy(((detail *)c->detail)->reason, job->refusal, sizeof job->refusal);
    return F2L_OK;
}

static size_t factors(const f2l_compile_result *c, size_t layer)
{
    return f2l_zeiger_factors(c->subject->states.count, layer);
}

static void describe_zeiger(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "level_rule");
    f2l_say_count(o, "states", c->subject->states.count);
    f2l_construct_say_circuits(o, c);
    f2l_say_reason(o, "no_tables_because", d->reason);
}

static const f2l_variant variant[] = {{"Z", "cascade by rule", .rule = true}};

const f2l_construction f2l_construction_zeiger = {
    .variant = variant,
    .variants = 1,
    .applies = zeiger_applies,
    .least = set_least_zeiger,
    .detail = sizeof(detail),
    .build = build_zeiger_row,
    .keep = keep_refusal,
    .by_quotient = true,
    .proof = &f2l_proof_form,
    .form = &f2l_form_zeiger,
    .factors = factors,
    .title = "cascade by rule, one layer per level",
    .describe = describe_zeiger,
    .lines =
        "each level forgets one of {level_rule.states} states; sets of states travel as bits "
        "through {level_rule.gates look-up} a token ({level_rule.table_entries} table entries)\n"
        "{level_rule.no_tables_because?no cascade with tables: {level_rule.no_tables_because}\n}"};
