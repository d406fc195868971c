/* LL.2 and LL.4 as a construction: two layers of slots, or three. */
#include "theory/construct/construction.h"
#include "theory/construct/stack/stack.h"

typedef struct found {
    bool known;
    f2l_stack stack;
} found;

typedef struct detail {
    size_t vertices, slots_below, slots_above, points, order;
    size_t quotient; /* states of the quotient below the third layer */
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
    if (job->options->least_layers > 3)
        return f2l_fail(err, F2L_EDOMAIN, "it has two layers or three, and at least %zu are needed",
                        job->options->least_layers);
    if (job->states < 3) return f2l_fail(err, F2L_EDOMAIN, "one layer is enough for two states");
    return f2l_construct_states_only(job, err);
}

static void set_least_stack(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = job->options->least_layers > 2 ? 3 : 2,
                                 .householders = 1,
                                 .factors_per_token = 2,
                                 .key_dim = 1,
                                 .states = 2,
                                 .table_entries = 2};
    if (!f || !f->known) return;
    const f2l_stack *stack = &f->stack, *two = stack->lower ? stack->lower : stack;
    const f2l_slots *layer[] = {&two->below.slots, &two->above.slots, &stack->above.slots};
    out->layers = stack->lower ? 3 : 2;
    out->householders = out->factors_per_token = out->key_dim = out->states = 0;
    for (size_t l = 0; l < out->layers; l++) {
        const size_t rows = layer[l]->row[layer[l]->slots], factors = layer[l]->factors;
        if (factors > out->householders) out->householders = factors;
        if (rows > out->key_dim) out->key_dim = rows;
        out->factors_per_token += factors;
        out->states += rows;
    }
}

/* Returns whether a search that finds nothing leaves it open whether two layers are enough: a short
 * one, of an automaton of which a long one may find more. */
static bool is_left_open(const f2l_construct_job *job)
{
    const f2l_compile_bounds *b = &job->options->bounds;
    const bool bounded = b->layers || b->householders || b->key_dim || b->exact_in[0];
    const f2l_fsa *fsa = job->subject;
    return !f2l_construct_is_sought(job) && !bounded && job->options->least_layers <= 2 &&
           fsa->states.count <= F2L_STACK_STATES && fsa->letters.count <= F2L_STACK_LETTERS;
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
    const f2l_stack_bounds bounds = {.least = job->options->least_layers,
                                     .below = job->below,
                                     .few = !f2l_construct_is_sought(job)};
    f2l_status status =
        f2l_stack_find(&f->stack, bounds, job->options->first_layers, job->subject, &task, err);
    f->known = status == F2L_OK;
    if (f2l_construct_end_share(job, &effort, "two layers", &over) != F2L_OK)
        return f2l_fail(err, F2L_UNKNOWN, "%s", over.text);
    if (!f->known && effort.refused)
        status = f->stack.vertices > 0
                     ? f2l_fail(err, F2L_UNKNOWN,
                                "two layers are enough (LL.2), but no slots were found so far")
                     : f2l_fail(err, F2L_EDOMAIN,
                                "no first layer was found within its share of the steps");
    if (status == F2L_EDOMAIN && is_left_open(job)) status = err->status = F2L_UNKNOWN;
    return status;
}

static f2l_status build_stack_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const found *f = f2l_construct_shared(job, &kind);
    const f2l_stack *stack = &f->stack, *two = stack->lower ? stack->lower : stack;
    *(detail *)out->detail = (detail){.vertices = two->vertices,
                                      .slots_below = two->below.slots.slots,
                                      .slots_above = two->above.slots.slots,
                                      .points = two->above.degree,
                                      .order = two->above.order,
                                      .quotient = stack->lower ? stack->vertices : 0};
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
    f2l_say_known(o, "quotient_states", d->quotient > 0, d->quotient);
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
    .title = "slots on a cover, {stack.quotient_states?three|two} layers",
    .describe = describe_stack,
    .lines = "layer 1 is a device of {stack.device_states state}, in {stack.slots_below slot}\n"
             "layer 2 {stack.cover_points=0?holds codes of {stack.slots_above bit} for the states "
             "that are possible at each of these|moves {stack.slots_above slot} by permutations of "
             "{stack.cover_points point}, a group of order {stack.cover_order}, and writes them}\n"
             "{stack.quotient_states?layers 1 and 2 track a quotient of {stack.quotient_states "
             "state}, and layer 3 the states above it\n}"};
