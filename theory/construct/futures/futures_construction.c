/* EF as a construction: the quotient by equal futures as a Mealy machine, which is compiled in
 * place of the automaton. */
#include "automata/fsa/futures.h"
#include "numeric/base/mem.h"
#include "theory/construct/construction.h"
#include <stdio.h>
#include <string.h>

/* The share of the steps that is kept for what comes after. */
#define KEPT_SHARE 4

typedef struct detail {
    size_t states, classes;
    char by[64]; /* the construction that made the network: "T4 holonomy" */
} detail;

static f2l_status futures_apply(f2l_construct_job *job, f2l_error *err)
{
    f2l_futures futures;
    if (job->options->label == F2L_LABEL_EDGES)
        return f2l_fail(err, F2L_EDOMAIN, "outputs of transitions tell all states apart");
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "no two states have equal futures: letters permute them");
    if (job->states < job->subject->states.count)
        return f2l_fail(err, F2L_EDOMAIN, "some states are not reached");
    f2l_status status = f2l_futures_find(&futures, job->subject, job->label, err);
    if (status != F2L_OK) return status;
    if (futures.classes == job->states)
        status = f2l_fail(err, F2L_EDOMAIN, "no two states have equal futures");
    f2l_futures_clear(&futures);
    return status;
}

static void set_least_futures(f2l_compile_figures *out, const f2l_construct_job *job)
{
    (void)job;
    *out = (f2l_compile_figures){
        .layers = 1, .householders = 1, .key_dim = 1, .states = 1, .factors_per_token = 1};
}

/* Adds the name of each class, its transitions, and as their outputs the labels of the automaton.
 */
static f2l_status add_classes(f2l_fsa *out, const f2l_futures *futures, const f2l_fsa *of,
                              f2l_label label, f2l_error *err)
{
    const size_t letters = of->letters.count;
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t c = 0; status == F2L_OK && c < futures->classes; c++) {
        const char *name = f2l_names_get(&of->states, futures->first[c]);
        status = f2l_names_add(&out->states, name, strlen(name), &index, err);
    }
    for (size_t i = 0; status == F2L_OK && i < futures->classes * letters; i++) {
        const size_t from = futures->first[i / letters];
        const char *text = f2l_fsa_label(of, label, of->next[from * letters + i % letters]);
        out->next[i] = futures->next[i];
        status = f2l_names_add(&out->edge_outputs, text, strlen(text), &index, err);
        out->edge_output[i] = (uint32_t)index;
    }
    return status;
}

/* Builds the Mealy machine of EF.1 into *out (initialised empty). */
static f2l_status build_mealy(f2l_fsa *out, const f2l_fsa *of, f2l_label label, f2l_error *err)
{
    f2l_futures futures;
    f2l_status status = f2l_futures_find(&futures, of, label, err);
    if (status != F2L_OK) return status;
    const size_t cells = futures.classes * of->letters.count;
    out->next = f2l_calloc(cells, sizeof *out->next);
    out->edge_output = f2l_calloc(cells, sizeof *out->edge_output);
    out->accept = f2l_calloc(futures.classes, sizeof *out->accept);
    out->start = futures.class_of[of->start];
    if (!out->next || !out->edge_output || !out->accept) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &of->letters, err);
    if (status == F2L_OK) status = add_classes(out, &futures, of, label, err);
    f2l_futures_clear(&futures);
    return status;
}

static f2l_compile_options options_for_mealy(const f2l_construct_job *job)
{
    const f2l_effort *effort = job->task ? job->task->effort : NULL;
    const uint64_t left = effort && effort->limit ? effort->limit - effort->spent : 0;
    f2l_compile_options o = *job->options;
    o.label = F2L_LABEL_EDGES;
    o.merge_letters = o.other_schedules = o.all = o.figures = o.renew = false;
    o.bounds = (f2l_compile_bounds){0};
    o.format[0] = NULL;
    o.seconds_each = 0;
    o.listener = NULL;
    o.effort = left - left / KEPT_SHARE;
    return o;
}

/* Makes of a network for outputs of transitions one for labels of states: the empty word gets one.
 */
static f2l_status label_start(f2l_net *net, const f2l_construct_job *job, f2l_error *err)
{
    const char *text = f2l_fsa_label(job->subject, job->label, job->subject->start);
    f2l_status status = f2l_names_add(&net->labels, text, strlen(text), &net->start, err);
    net->label = job->label;
    net->layer[net->layers - 1].symbols = net->labels.count;
    return status;
}

/* Takes over the network, if it has layers. */
static f2l_status take_network(f2l_compile_result *out, f2l_compile_result *inner,
                               const f2l_construct_job *job, f2l_error *err)
{
    detail *d = out->detail;
    if (!inner->theorem || inner->exact.verdict != F2L_OK ||
        f2l_net_check_layers(&inner->net, NULL) != F2L_OK)
        return f2l_fail(err, F2L_UNKNOWN, "the quotient has no network in layers so far");
    snprintf(d->by, sizeof d->by, "%s%s%s", inner->theorem, inner->variant[0] ? " " : "",
             inner->variant);
    memcpy(out->one_layer, inner->one_layer, sizeof out->one_layer);
    const f2l_net empty = out->net;
    out->net = inner->net;
    inner->net = empty;
    return label_start(&out->net, job, err);
}

static f2l_status build_futures_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    f2l_fsa mealy;
    f2l_compile_result inner;
    f2l_error why = {0};
    const f2l_compile_options options = options_for_mealy(job);
    f2l_fsa_init(&mealy);
    f2l_compile_result_init(&inner);
    f2l_status status = build_mealy(&mealy, job->subject, job->label, err);
    if (status == F2L_OK) {
        *(detail *)out->detail = (detail){job->states, mealy.states.count, ""};
        status = job->compile(&inner, &mealy, &options, job->task, &why);
        if (status != F2L_OK) f2l_fail(err, status, "%s", why.text);
    }
    job->hurried = status == F2L_UNKNOWN || inner.search.end == F2L_COMPILE_EFFORT;
    if (status == F2L_OK) status = f2l_task_spend(job->task, "quotient", inner.search.steps, err);
    if (status == F2L_OK) status = take_network(out, &inner, job, err);
    f2l_compile_result_clear(&inner);
    f2l_fsa_clear(&mealy);
    return status;
}

static void describe_futures(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "futures");
    f2l_say_count(o, "states", d->states);
    f2l_say_count(o, "future_classes", d->classes);
    f2l_say_text(o, "built_by", d->by);
}

static const f2l_variant variant[] = {{.theorem = "EF", .name = "equal futures", .layers = true}};

/* --- the proof --- */

/* A joint closure of a network with many layers may be long and in vain, so that it gets a share of
 * the steps only. Without a proof in exact arithmetic formats are left open. */
static f2l_status futures_exact(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err)
{
    f2l_effort effort;
    f2l_construct_job own = *job;
    const f2l_task task = f2l_construct_begin_share(&effort, job);
    own.task = &task;
    f2l_status status = f2l_proof_joint.exact(c, &own, err);
    f2l_construct_end_share(job, &effort, "closure", NULL); /* the verdict says what ran out */
    return status;
}

static f2l_status futures_format(f2l_compile_format *out, const f2l_net *net,
                                 const f2l_compile_result *c, const f2l_construct_job *job,
                                 f2l_error *err)
{
    if (c->exact.verdict == F2L_OK) return f2l_proof_joint.format(out, net, c, job, err);
    out->closure.verdict = F2L_UNKNOWN;
    snprintf(out->closure.reason, sizeof out->closure.reason, "exactly it is not VERIFIED either");
    return F2L_OK;
}

static f2l_status futures_certificate(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                                      const char network_sha256[65], f2l_error *err)
{
    return f2l_proof_joint.certificate(out, c, fsa, network_sha256, err);
}

static const f2l_construction_proof futures_proof = {futures_exact, futures_format,
                                                     futures_certificate};

const f2l_construction f2l_construction_futures = {
    .variant = variant,
    .variants = 1,
    .applies = futures_apply,
    .least = set_least_futures,
    .detail = sizeof(detail),
    .build = build_futures_row,
    .proof = &futures_proof,
    .title = "quotient by equal futures, then {futures.built_by}",
    .describe = describe_futures,
    .lines = "{futures.states} states in {futures.future_classes class/classes} of equal futures, "
             "which share codes: the decoder reads the letter, too\n"};
