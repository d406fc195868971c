/* X as a construction. */
#include "automata/fsa/subdirect.h"
#include "numeric/base/mem.h"
#include "theory/construct/construction.h"
#include "theory/construct/product/product.h"
#include "theory/construct/product/wired_part.h"
#include "theory/construct/product/wired_proof.h"
#include <stdio.h>

/* Most steps for all parts together when they are first tried, and their share of the steps that
 * are left then. */
#define FIRST_STEPS (50 * F2L_STEPS)
#define FIRST_SHARE 4
/* The share of the steps that is kept for the product when the parts are compiled. */
#define KEPT_SHARE 8

/* The network of a quotient. */
typedef struct part {
    f2l_fsa fsa;
    f2l_compile_result built;
    f2l_compile_figures size;
    f2l_wired_part wired; /* in a wired product */
} part;

/* The factors of the subject, and their networks. */
typedef struct factors {
    bool known;    /* the factors are found */
    bool tried;    /* to compile the parts */
    bool complete; /* the parts are compiled */
    bool wired;    /* the product is a wired network, and the parts have theirs */
    bool hurried;  /* more steps may give a part a better network */
    f2l_subdirect subdirect;
    part *part; /* [parts] */
    size_t parts;
} factors;

static void clear_factor_parts(factors *f)
{
    for (size_t i = 0; i < f->parts; i++) {
        f2l_compile_result_clear(&f->part[i].built);
        f2l_wired_part_clear(&f->part[i].wired);
        f2l_fsa_clear(&f->part[i].fsa);
    }
    f2l_free(f->part);
    f->part = NULL;
    f->parts = 0;
    f->complete = f->wired = f->hurried = false;
}

static void clear_shared_factors(void *data)
{
    clear_factor_parts(data);
    f2l_subdirect_clear(&((factors *)data)->subdirect);
}

static const f2l_shared_kind kind = {sizeof(factors), clear_shared_factors};

/* A permutation automaton needs no product: T3 and R1 have the parts in one layer anyway. */
static f2l_status product_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "a permutation automaton has one layer without it");
    if (job->options->label == F2L_LABEL_EDGES) return f2l_construct_states_only(job, err);
    return job->states == job->subject->states.count
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "some states are not reached");
}

static size_t more(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Heads are side by side: their figures are maxima, and state numbers a sum. The letters of a layer
 * of tables need not be what takes most factors in all its heads at once. */
static void set_least_product(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const factors *f = f2l_construct_shared(job, &kind);
    out->layers = 1;
    for (size_t i = 0; f && f->complete && i < f->parts; i++) {
        const f2l_compile_figures *size = f->wired ? &f->part[i].wired.size : &f->part[i].size;
        out->layers = more(out->layers, size->layers);
        out->householders = more(out->householders, size->householders);
        out->key_dim = more(out->key_dim, size->key_dim);
        out->value_dim = more(out->value_dim, size->value_dim);
        out->factors_per_token = f->wired ? out->factors_per_token + size->factors_per_token
                                          : more(out->factors_per_token, size->factors_per_token);
        out->states += size->states;
    }
}

/* Returns the options for a part, whose labels are its states. Bounds are left out, so that within
 * bounds the product is the one of the list. */
static f2l_compile_options options_of(const factors *f, const f2l_construct_job *job)
{
    f2l_compile_options o = *job->options;
    o.merge_letters = false; /* the parts are put together by the letters of the whole */
    o.label = F2L_LABEL_STATES;
    o.format[0] = NULL;
    o.bounds = (f2l_compile_bounds){0};
    o.other_schedules = o.all = o.figures = o.renew = false;
    o.seconds_each = 0;
    o.listener = NULL;
    /* The product is as deep as its deepest part. */
    for (size_t i = 0; i < f->parts; i++)
        if (f->part[i].size.layers > o.enough_layers) o.enough_layers = f->part[i].size.layers;
    return o;
}

/* Compiles the quotient by congruence i in at most `steps` steps, 0: any number. Where they do not
 * suffice the part has no network yet, and will be a cascade by rule (wire_parts). */
static f2l_status compile_part(factors *f, f2l_construct_job *job, size_t i, uint64_t steps,
                               f2l_error *err)
{
    part *p = &f->part[i];
    f2l_compile_options o = options_of(f, job);
    f2l_error why = {0};
    o.effort = steps;
    f2l_status status = f2l_fsa_quotient(&p->fsa, job->subject, f->subdirect.class_of[i],
                                         f->subdirect.classes[i], false, false, job->task, err);
    if (status != F2L_OK) return status;
    status = job->compile(&p->built, &p->fsa, &o, job->task, &why);
    f->hurried = f->hurried || status == F2L_UNKNOWN || p->built.search.end == F2L_COMPILE_EFFORT;
    if (status == F2L_OK && p->built.exact.verdict != F2L_OK) status = F2L_UNKNOWN;
    if (status == F2L_UNKNOWN && !f2l_task_stop(job->task)) {
        f2l_compile_result_clear(&p->built);
        f->wired = true;
        return f2l_task_spend(job->task, "parts", steps, err);
    }
    if (status == F2L_OK) status = f2l_task_spend(job->task, "parts", p->built.search.steps, err);
    if (status != F2L_OK && why.text[0] && err) *err = why;
    if (status != F2L_OK) return status;
    f2l_compile_measure(&p->size, &p->built);
    f->wired = f->wired || p->built.net.layers == 0;
    return F2L_OK;
}

/* Gives the parts wired networks. */
static f2l_status wire_parts(factors *f, const f2l_construct_job *job, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < f->parts; i++)
        status = f2l_wired_part_make(&f->part[i].wired, &f->part[i].built, &f->part[i].fsa,
                                     job->task, err);
    f->wired = status == F2L_OK;
    return status;
}

/* Returns the largest part that was not compiled yet: it is likely to be the deepest. */
static size_t next_part(const factors *f)
{
    size_t most = f->parts;
    for (size_t i = 0; i < f->parts; i++)
        if (f->part[i].fsa.states.count == 0 &&
            (most == f->parts || f->subdirect.classes[i] > f->subdirect.classes[most]))
            most = i;
    return most;
}

/* Compiles all parts. The steps that are left are shared by the parts; at first there are few, so
 * that a search comes soon to rows that need no parts. */
static f2l_status compile_parts(factors *f, f2l_construct_job *job, f2l_error *err)
{
    f2l_effort *effort = job->task ? job->task->effort : NULL;
    const bool few = effort && effort->limit && !job->options->all && !f->tried;
    f2l_status status = F2L_OK;
    f->tried = true;
    f->part = f2l_calloc(f->subdirect.parts, sizeof *f->part);
    if (!f->part) return f2l_fail_memory(err);
    f->parts = f->subdirect.parts;
    for (size_t i = 0; i < f->parts; i++) {
        f2l_fsa_init(&f->part[i].fsa);
        f2l_compile_result_init(&f->part[i].built);
    }
    for (size_t done = 0; status == F2L_OK && done < f->parts; done++) {
        const size_t i = next_part(f);
        uint64_t steps = effort && effort->limit ? effort->limit - effort->spent : 0;
        if (few && steps > FIRST_SHARE * FIRST_STEPS) steps = FIRST_SHARE * FIRST_STEPS;
        steps = few ? steps / FIRST_SHARE : steps - steps / KEPT_SHARE;
        status = compile_part(f, job, i, steps / (f->parts - done) + (steps > 0), err);
    }
    if (status == F2L_OK && f->wired) status = wire_parts(f, job, err);
    f->complete = status == F2L_OK;
    if (status == F2L_UNKNOWN && few) effort->refused = true; /* more steps may suffice */
    if (status != F2L_OK) clear_factor_parts(f);
    return status;
}

static f2l_status prepare_factors(f2l_construct_job *job, f2l_error *err)
{
    factors *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    f2l_status status =
        f->known ? F2L_OK : f2l_subdirect_find(&f->subdirect, job->subject, job->task, err);
    f->known = status == F2L_OK;
    return status == F2L_OK && !f->complete ? compile_parts(f, job, err) : status;
}

/* Parts that had few steps are compiled anew. */
static void again(f2l_construct_job *job)
{
    factors *f = f2l_construct_shared(job, &kind);
    if (f && f->hurried) clear_factor_parts(f);
}

/* --- the network --- */

static void clear_detail(void *data)
{
    f2l_product_detail *d = data;
    f2l_free(d->part);
    f2l_division_clear(&d->division);
}

static f2l_status build_layers(f2l_compile_result *out, const factors *f,
                               const f2l_construct_job *job, f2l_error *err)
{
    const f2l_net **net = f2l_calloc(f->parts, sizeof(f2l_net *));
    if (!net) return f2l_fail_memory(err);
    for (size_t i = 0; i < f->parts; i++) net[i] = &f->part[i].built.net;
    f2l_status status =
        f2l_product_build(&out->net, job->subject, job->label, net, f->parts, job->task, err);
    f2l_free(net);
    return status;
}

static f2l_status build_wired(f2l_compile_result *out, const factors *f,
                              const f2l_construct_job *job, f2l_error *err)
{
    f2l_product_detail *d = out->detail;
    f2l_wired_factor *factor = f2l_calloc(f->parts, sizeof *factor);
    if (!factor) return f2l_fail_memory(err);
    for (size_t i = 0; i < f->parts; i++) {
        const f2l_wired_part *wired = &f->part[i].wired;
        factor[i] = (f2l_wired_factor){wired->net, wired->letter_of, f->subdirect.class_of[i],
                                       wired->claim};
    }
    f2l_status status = f2l_wired_product_build(&out->net, &d->division, job->subject, job->label,
                                                factor, f->parts, job->task, err);
    f2l_free(factor);
    return status == F2L_OK ? f2l_product_track(&d->division, job, err) : status;
}

/* Parts that the product itself builds by Z are named like networks of this row. */
extern const f2l_construction f2l_construction_zeiger;

static f2l_status tell_parts(f2l_product_detail *d, const factors *f, f2l_error *err)
{
    d->part = f2l_calloc(f->parts, sizeof *d->part);
    if (!d->part) return f2l_fail_memory(err);
    for (d->parts = 0; d->parts < f->parts; d->parts++) {
        const part *p = &f->part[d->parts];
        d->part[d->parts] = (f2l_product_told){p->fsa.states.count, p->size.layers,
                                               p->built.theorem, p->built.variant};
        if (!f->wired) continue;
        d->part[d->parts].layers = p->wired.size.layers;
        if (p->wired.claim != F2L_CERT_ZEIGER) continue;
        d->part[d->parts].theorem = f2l_construction_zeiger.variant->theorem;
        d->part[d->parts].variant = f2l_construction_zeiger.variant->name;
    }
    return F2L_OK;
}

/* Builds the product of layers where the parts have layers and it is within its limits, else the
 * wired one. */
static f2l_status build_product_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    factors *f = f2l_construct_shared(job, &kind);
    f2l_status status = f->wired ? F2L_UNKNOWN : build_layers(out, f, job, err);
    const bool refused = status == F2L_UNKNOWN || status == F2L_EDOMAIN;
    const bool by_wires = refused && !f2l_task_stop(job->task);
    if (by_wires) f2l_net_clear(&out->net);
    if (by_wires) status = f->wired ? F2L_OK : wire_parts(f, job, err);
    if (by_wires && status == F2L_OK) status = build_wired(out, f, job, err);
    job->hurried = by_wires && status == F2L_OK && f->hurried;
    if (status == F2L_OK) status = tell_parts(out->detail, f, err);
    if (status == F2L_OK && out->net.layers == 1)
        snprintf(out->one_layer, sizeof out->one_layer, "a part of a product of %zu automata",
                 f->parts);
    return status;
}

static void describe_product_parts(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_product_detail *d = c->detail;
    const f2l_fact list = f2l_say_list(in, "parts");
    for (size_t i = 0; i < d->parts; i++) {
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "states", d->part[i].states);
        f2l_say_count(one, "layers", d->part[i].layers);
        f2l_say_text(one, "theorem", d->part[i].theorem);
        f2l_say_text(one, "variant", d->part[i].variant);
    }
}

static const f2l_variant variant[] = {{.theorem = "X", .name = "product"}};

const f2l_construction f2l_construction_product = {
    .variant = variant,
    .variants = 1,
    .applies = product_applies,
    .least = set_least_product,
    .prepare = prepare_factors,
    .again = again,
    .detail = sizeof(f2l_product_detail),
    .build = build_product_row,
    .proof = &f2l_proof_product,
    .factors = f2l_product_factors,
    .householders = f2l_product_householders,
    .title = "product, heads side by side",
    .describe = describe_product_parts,
    .lines = "{parts*{states state}: {theorem}{variant? {variant}}, {layers layer}|; }\n",
    .clear = clear_detail};
