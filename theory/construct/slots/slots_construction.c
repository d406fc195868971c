/* K.6 as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/slots/slots.h"
#include <stdio.h>

typedef struct found {
    bool known;
    f2l_slots slots;
} found;

typedef struct detail {
    size_t slots, functions;
} detail;

static void clear_slots_detail(void *data)
{
    f2l_slots_clear(&((found *)data)->slots);
}

static const f2l_shared_kind kind = {sizeof(found), clear_slots_detail};

static f2l_status slots_apply(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states, so T3 applies");
    if (job->states < 2) return f2l_fail(err, F2L_EDOMAIN, "it has one state");
    return F2L_OK;
}

static void set_least_slots(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = 1,
                                 .householders = 1,
                                 .factors_per_token = 1,
                                 .key_dim = 1,
                                 .states = 1,
                                 .table_entries = job->states};
    if (!f || !f->known) return;
    out->householders = out->factors_per_token = f->slots.factors;
    out->key_dim = out->states = f->slots.row[f->slots.slots];
}

static f2l_status prepare_slots(f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    if (f->known) return F2L_OK;
    f2l_status status = f2l_slots_find(&f->slots, job->subject, job->task, err);
    f->known = status == F2L_OK;
    return status;
}

static f2l_status build_slots_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const found *f = f2l_construct_shared(job, &kind);
    detail *d = out->detail;
    *d = (detail){f->slots.slots, f->slots.functions};
    snprintf(out->one_layer, sizeof out->one_layer, "told apart by %zu slot%s", d->slots,
             d->slots == 1 ? "" : "s");
    return f2l_slots_build(&out->net, &f->slots, job->subject, job->label, job->task, err);
}

static void describe_slots(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "slots");
    f2l_say_count(o, "slot_count", d->slots);
    f2l_say_count(o, "slot_functions", d->functions);
}

static const f2l_variant variant[] = {{.theorem = "K.6", .name = "slots"}};

const f2l_construction f2l_construction_slots = {
    .variant = variant,
    .variants = 1,
    .applies = slots_apply,
    .least = set_least_slots,
    .prepare = prepare_slots,
    .detail = sizeof(detail),
    .build = build_slots_row,
    .proof = &f2l_proof_joint,
    .title = "slots of 0 and 1, one layer",
    .describe = describe_slots,
    .lines = "letters move {slots.slot_count slot} or write them; they hold {slots.slot_functions "
             "function/functions} of the state\n"
             "one layer\tsuffices: the states are {one_layer}\n"};
