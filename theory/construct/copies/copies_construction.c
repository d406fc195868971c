/* M.2 as a construction. Its networks have infinitely many exact states, so lower bounds about
 * finitely many states do not hold for them. */
#include "theory/construct/construction.h"
#include "theory/construct/copies/copies.h"
#include <stdio.h>

typedef struct found {
    bool known;
    f2l_copies copies;
} found;

typedef struct detail {
    size_t chains, slots, levels;
    unsigned inverse;
} detail;

static void clear_found(void *data)
{
    f2l_copies_clear(&((found *)data)->copies);
}

static const f2l_shared_kind kind = {sizeof(found), clear_found};

static f2l_status copies_apply(f2l_construct_job *job, f2l_error *err)
{
    if (job->states < 2) return f2l_fail(err, F2L_EDOMAIN, "it has one state");
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states, so T3 applies");
    return F2L_OK;
}

static void set_least_copies(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = 1,
                                 .householders = 1,
                                 .factors_per_token = 1,
                                 .key_dim = 1,
                                 .states = 1,
                                 .table_entries = 1};
    if (!f || !f->known) return;
    out->householders = out->factors_per_token = f->copies.factors;
    out->key_dim = out->states = f->copies.slots;
    out->table_entries = f->copies.codes;
}

static f2l_status prepare_copies(f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    if (f->known) return F2L_OK;
    f2l_status status = f2l_copies_find(&f->copies, job->subject, job->label, job->task, err);
    f->known = status == F2L_OK;
    return status;
}

static f2l_status build_copies_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const f2l_copies *c = &((const found *)f2l_construct_shared(job, &kind))->copies;
    *(detail *)out->detail = (detail){c->chains, c->slots, c->levels, c->inverse};
    return f2l_copies_build(&out->net, c, job->subject, job->label, job->task, err);
}

static void describe_copies(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "copies");
    f2l_say_count(o, "chain_count", d->chains);
    f2l_say_count(o, "slot_count", d->slots);
    f2l_say_count(o, "copy_depth", d->levels - 1);
    f2l_say_count(o, "copy_scale", d->inverse);
}

static const f2l_variant variant[] = {
    {.theorem = "M.2", .name = "copies", .rounds = true, .infinite = true}};

const f2l_construction f2l_construction_copies = {
    .variant = variant,
    .variants = 1,
    .applies = copies_apply,
    .least = set_least_copies,
    .prepare = prepare_copies,
    .detail = sizeof(detail),
    .build = build_copies_row,
    .proof = &f2l_proof_joint,
    .title = "chains of copies, one layer",
    .describe = describe_copies,
    .lines = "{copies.chain_count chain} of {copies.slot_count slot}, copied up to "
             "{copies.copy_depth time/times}, each copy scaled by 1/{copies.copy_scale}\n"
             "one layer\tin exact real arithmetic, with infinitely many states: each is within 1/4 "
             "of its slots' bits, proved by boxes; bounds for finitely many states do not apply\n"};
