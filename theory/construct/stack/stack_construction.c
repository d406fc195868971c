/* LL.2 as a construction: two layers of slots. */
#include "theory/construct/construction.h"
#include "theory/construct/stack/stack.h"

typedef struct found {
    bool known;
    f2l_stack stack;
} found;

typedef struct detail {
    size_t vertices, slots_below, slots_above, points, order;
} detail;

static void clear_found_stack(void *data)
{
    f2l_stack_clear(&((found *)data)->stack);
}

static const f2l_shared_kind kind = {sizeof(found), clear_found_stack};

static f2l_status stack_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states, so T3 applies");
    if (job->options->least_layers > 2)
        return f2l_fail(err, F2L_EDOMAIN, "it has two layers, and at least %zu are needed",
                        job->options->least_layers);
    if (job->states < 3) return f2l_fail(err, F2L_EDOMAIN, "one layer is enough for two states");
    return f2l_construct_states_only(job, err);
}

static void set_least_stack(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = 2,
                                 .householders = 1,
                                 .factors_per_token = 2,
                                 .key_dim = 1,
                                 .states = 2,
                                 .table_entries = 2};
    if (!f || !f->known) return;
    const f2l_slots *below = &f->stack.below.slots, *above = &f->stack.above.slots;
    out->householders = below->factors > above->factors ? below->factors : above->factors;
    out->factors_per_token = below->factors + above->factors;
    const size_t rows[2] = {below->row[below->slots], above->row[above->slots]};
    out->key_dim = rows[0] > rows[1] ? rows[0] : rows[1];
    out->states = rows[0] + rows[1];
}

static f2l_status complete_stack(f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    if (f->known) return F2L_OK;
    f2l_stack_clear(&f->stack);
    f2l_effort effort;
    f2l_error over;
    const f2l_task task = f2l_construct_begin_share(&effort, job);
    const bool few = !f2l_construct_is_sought(job);
    f2l_status status =
        f2l_stack_find(&f->stack, few, job->options->first_layers, job->subject, &task, err);
    f->known = status == F2L_OK;
    if (f2l_construct_end_share(job, &effort, "two layers", &over) != F2L_OK)
        return f2l_fail(err, F2L_UNKNOWN, "%s", over.text);
    if (!effort.refused) return status;
    if (f->stack.vertices > 0)
        return f2l_fail(err, F2L_UNKNOWN,
                        "two layers are enough (LL.2), but no slots were found so far");
    return f2l_fail(err, F2L_EDOMAIN, "no first layer was found within its share of the steps");
}

static f2l_status build_stack_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const found *f = f2l_construct_shared(job, &kind);
    *(detail *)out->detail =
        (detail){f->stack.vertices, f->stack.below.slots.slots, f->stack.above.slots.slots,
                 f->stack.above.degree, f->stack.above.order};
    return f2l_stack_build(&out->net, &f->stack, job->subject, job->label, job->task, err);
}

static void describe_stack(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "stack");
    f2l_say_count(o, "device_states", d->vertices);
    f2l_say_count(o, "slots_below", d->slots_below);
    f2l_say_count(o, "slots_above", d->slots_above);
    f2l_say_count(o, "cover_points", d->points);
    f2l_say_count(o, "cover_order", d->order);
}

static const f2l_variant variant[] = {{.theorem = "LL.2", .name = "slots", .layers = true}};

const f2l_construction f2l_construction_stack = {
    .variant = variant,
    .variants = 1,
    .applies = stack_applies,
    .least = set_least_stack,
    .complete = complete_stack,
    .detail = sizeof(detail),
    .build = build_stack_row,
    .proof = &f2l_proof_joint,
    .title = "slots on a cover, two layers",
    .describe = describe_stack,
    .lines = "layer 1 is a device of {stack.device_states state}, in {stack.slots_below slot}\n"
             "layer 2 moves {stack.slots_above slot} by permutations of {stack.cover_points "
             "point}, a group of order {stack.cover_order}, and writes them\n"};
