/* The tuples of wires and the local states that come up in each stage.
 *
 * Below a stage is a machine that gives its inputs; a breadth-first search goes through the pairs
 * of a state of this machine and a local state of the stage. The pairs are the states of the
 * machine below the next stage. Where there are too many, the machine is forgotten: then the search
 * takes all inputs in every order, which finds all that comes up, and perhaps more. */
#include "models/network/layered/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MOST_PAIRS ((size_t)1 << 18) /* of a state of the machine and a local state */
#define MOST_STEPS ((size_t)1 << 22) /* of all pairs by all letters of the machine */
#define MOST_LOCAL ((size_t)1 << 16) /* local states of a stage */
#define MOST_WIRES ((size_t)1 << 25) /* wires of all tuples of outputs of a stage */

/* A deterministic machine: by a letter from a state to next[state][letter], with an output. */
typedef struct machine {
    size_t states, letters;
    uint32_t *next, *output; /* [states][letters] */
} machine;

typedef struct walker {
    f2l_walk *walk;
    f2l_stage_walk *at; /* the stage that is walked through */
    size_t stage;
    machine below;
    f2l_wire_tuples pair; /* of a state of the machine and a local state */
    machine above;        /* its states are the pairs */
    size_t capacity[2];
    f2l_meter meter;
    size_t *joint; /* of one step */
    uint32_t *codes, *output;
} walker;

static void clear_machine(machine *m)
{
    f2l_free(m->next);
    f2l_free(m->output);
    *m = (machine){0};
}

/* Makes the machine of one state that gives each of `outputs` outputs by a letter. */
static f2l_status make_free_machine(machine *m, size_t outputs, f2l_error *err)
{
    clear_machine(m);
    *m = (machine){.states = 1, .letters = outputs};
    m->next = f2l_calloc(outputs, sizeof *m->next);
    m->output = f2l_calloc(outputs, sizeof *m->output);
    if (!m->next || !m->output) return f2l_fail_memory(err);
    for (size_t x = 0; x < outputs; x++) m->output[x] = (uint32_t)x;
    return F2L_OK;
}

static const f2l_wired_block *block_at(const walker *w)
{
    return &w->walk->net->block[w->walk->net->stage[w->stage].block];
}

/* Counts a step of the stage, which runs all of its gates. */
static f2l_status spend_stage_step(walker *w, f2l_error *err)
{
    const f2l_wired_block *block = block_at(w);
    return f2l_meter_spend(&w->meter, block->pres + block->readouts + block->posts + block->outputs,
                           0, 0, err);
}

/* Sets *step to what the stage does in local state `local` by tuple `input`, from the table or
 * anew. */
static f2l_status step_locally(f2l_stage_step *step, walker *w, uint32_t input, uint32_t local,
                               f2l_error *err)
{
    f2l_stage_walk *at = w->at;
    const uint32_t key[2] = {input, local};
    const size_t known = at->place.count, room = at->place.capacity;
    uint32_t place;
    f2l_status status = f2l_wire_tuples_add(&place, &at->place, key, err);
    if (status != F2L_OK) return status;
    if (at->place.capacity > room) {
        f2l_stage_step *more = f2l_realloc(at->step, at->place.capacity, sizeof *more);
        if (!more) return f2l_fail_memory(err);
        at->step = more;
    }
    if (place == known) {
        f2l_stage_step *new = &at->step[place];
        const uint32_t *codes = f2l_wire_tuples_at(&at->local, local);
        for (size_t r = 0; r < at->local.length; r++) w->joint[r] = codes[r];
        status = spend_stage_step(w, err);
        if (status != F2L_OK) return status;
        status = f2l_exact_step_stage(w->walk->run, w->joint, w->output, w->stage,
                                      f2l_wire_tuples_at(&at->input, input), w->joint, err);
        for (size_t r = 0; r < at->local.length; r++) w->codes[r] = (uint32_t)w->joint[r];
        if (status == F2L_OK) status = f2l_wire_tuples_add(&new->to, &at->local, w->codes, err);
        if (status == F2L_OK)
            status = f2l_wire_tuples_add(&new->output, &at->output, w->output, err);
    }
    *step = at->step[place];
    return status;
}

/* Adds the successors of pair number i. */
static f2l_status step_pair(walker *w, size_t i, f2l_error *err)
{
    const machine *below = &w->below;
    f2l_status status = F2L_OK;
    for (size_t x = 0; x < below->letters && status == F2L_OK; x++) {
        const uint32_t *pair = f2l_wire_tuples_at(&w->pair, i);
        const size_t at = (size_t)pair[0] * below->letters + x, to = i * below->letters + x;
        f2l_stage_step step;
        status = step_locally(&step, w, below->output[at], pair[1], err);
        const uint32_t next[2] = {below->next[at], step.to};
        if (status != F2L_OK) break;
        if (!f2l_grow((void **)&w->above.next, &w->capacity[0], to, sizeof *w->above.next) ||
            !f2l_grow((void **)&w->above.output, &w->capacity[1], to, sizeof *w->above.output))
            return f2l_fail_memory(err);
        status = f2l_wire_tuples_add(&w->above.next[to], &w->pair, next, err);
        w->above.output[to] = step.output;
    }
    return status;
}

static f2l_status begin_search(walker *w, f2l_error *err)
{
    const uint32_t start[2] = {0, 0};
    uint32_t number;
    f2l_wire_tuples_clear(&w->pair);
    clear_machine(&w->above);
    w->capacity[0] = w->capacity[1] = 0;
    w->pair.length = 2;
    return f2l_wire_tuples_add(&number, &w->pair, start, err);
}

/* Returns whether the tables are within their limits. */
static bool fits(const walker *w)
{
    const f2l_stage_walk *at = w->at;
    return w->pair.count <= MOST_PAIRS && w->pair.count <= MOST_STEPS / w->below.letters &&
           at->local.count <= MOST_LOCAL &&
           at->output.count <= MOST_WIRES / (at->output.length > 0 ? at->output.length : 1);
}

/* Searches all pairs; *whole is false where there are too many. */
static f2l_status search_pairs(walker *w, bool *whole, f2l_error *err)
{
    f2l_status status = begin_search(w, err);
    w->meter = (f2l_meter){.task = w->walk->task, .phase = "layers of a wired network"};
    *whole = true;
    for (size_t i = 0; i < w->pair.count && status == F2L_OK && *whole; i++) {
        status = f2l_meter_spend(&w->meter, 20 * w->below.letters, (double)i, (double)w->pair.count,
                                 err);
        if (status == F2L_OK) status = step_pair(w, i, err);
        *whole = fits(w);
    }
    w->above.states = w->pair.count;
    w->above.letters = w->below.letters;
    return status;
}

/* Walks through one stage, with the machine below it, or else with all of its inputs. */
static f2l_status walk_stage(walker *w, f2l_error *err)
{
    bool whole, free = w->below.states == 1;
    f2l_status status = search_pairs(w, &whole, err);
    if (status == F2L_OK && !whole && !free && w->at->local.count <= MOST_LOCAL) {
        status = make_free_machine(&w->below, w->at->input.count, err);
        if (status == F2L_OK) status = search_pairs(w, &whole, err);
    }
    if (status == F2L_OK && !whole)
        return f2l_fail(err, F2L_EDOMAIN,
                        "as a layer, stage %zu has a letter for each of %zu tuples of wires and at "
                        "least %zu local states, which are too many",
                        w->stage + 1, w->at->input.count, w->at->local.count);
    clear_machine(&w->below);
    w->below = w->above;
    w->above = (machine){0};
    return status;
}

/* Lets layer `into` give what the stage without heads makes of its outputs; frees the stage. */
static f2l_status fold_circuit(f2l_walk *walk, f2l_stage_walk *circuit, f2l_error *err)
{
    uint32_t *gives = f2l_calloc(circuit->input.count, sizeof *gives);
    if (!gives) return f2l_fail_memory(err);
    for (size_t p = 0; p < circuit->place.count; p++)
        gives[*f2l_wire_tuples_at(&circuit->place, p)] = circuit->step[p].output;
    if (walk->layers == 0) {
        for (size_t x = 0; x < walk->letters; x++) walk->first[x] = gives[walk->first[x]];
    } else {
        f2l_stage_walk *into = &walk->layer[walk->layers - 1];
        for (size_t p = 0; p < into->place.count; p++)
            into->step[p].output = gives[into->step[p].output];
        const f2l_wire_tuples swap = into->output;
        into->output = circuit->output;
        circuit->output = swap;
    }
    f2l_free(gives);
    return F2L_OK;
}

static void clear_stage_walk(f2l_stage_walk *at)
{
    f2l_wire_tuples_clear(&at->input);
    f2l_wire_tuples_clear(&at->local);
    f2l_wire_tuples_clear(&at->output);
    f2l_wire_tuples_clear(&at->place);
    f2l_free(at->step);
    *at = (f2l_stage_walk){0};
}

/* Copies the tuples that the stage below gives, in their order. */
static f2l_status copy_inputs(f2l_wire_tuples *out, const f2l_wire_tuples *from, f2l_error *err)
{
    f2l_status status = F2L_OK;
    uint32_t number;
    out->length = from->length;
    for (size_t i = 0; i < from->count && status == F2L_OK; i++)
        status = f2l_wire_tuples_add(&number, out, f2l_wire_tuples_at(from, i), err);
    return status;
}

/* Walks through the stage; it becomes a layer, or part of the layer below. */
static f2l_status pass_through(walker *w, f2l_wire_tuples *wires, const size_t *initial,
                               f2l_error *err)
{
    const f2l_wired_block *block = block_at(w);
    uint32_t number;
    f2l_stage_walk made = {.stage = w->stage};
    made.local.length = block->readouts;
    made.output.length = block->outputs;
    made.place.length = 2;
    w->at = &made;
    f2l_status status = copy_inputs(&made.input, wires, err);
    for (size_t r = 0; r < block->readouts; r++) w->codes[r] = (uint32_t)initial[r];
    if (status == F2L_OK) status = f2l_wire_tuples_add(&number, &made.local, w->codes, err);
    if (status == F2L_OK) status = walk_stage(w, err);
    w->at = NULL;
    f2l_wire_tuples_clear(wires);
    if (status == F2L_OK) status = copy_inputs(wires, &made.output, err);
    if (status == F2L_OK && block->heads > 0) {
        w->walk->layer[w->walk->layers++] = made;
        return F2L_OK;
    }
    if (status == F2L_OK) status = fold_circuit(w->walk, &made, err);
    clear_stage_walk(&made);
    return status;
}

/* Sets the tuples of the first wire, one for each letter. */
static f2l_status begin_walk(walker *w, f2l_wire_tuples *wires, f2l_error *err)
{
    f2l_walk *walk = w->walk;
    walk->letters = walk->net->block[walk->net->stage[0].block].input_size[0];
    walk->first = f2l_calloc(walk->letters, sizeof *walk->first);
    walk->layer = f2l_calloc(walk->net->stages, sizeof *walk->layer);
    if (!walk->first || !walk->layer) return f2l_fail_memory(err);
    wires->length = 1;
    f2l_status status = make_free_machine(&w->below, walk->letters, err);
    for (uint32_t x = 0; x < walk->letters && status == F2L_OK; x++)
        status = f2l_wire_tuples_add(&walk->first[x], wires, &x, err);
    return status;
}

static f2l_status allocate_step(walker *w, f2l_error *err)
{
    const f2l_net *net = w->walk->net;
    size_t readouts = 1, outputs = 1;
    for (size_t b = 0; b < net->blocks; b++) {
        if (net->block[b].readouts > readouts) readouts = net->block[b].readouts;
        if (net->block[b].outputs > outputs) outputs = net->block[b].outputs;
    }
    w->joint = f2l_calloc(readouts, sizeof *w->joint);
    w->codes = f2l_calloc(readouts, sizeof *w->codes);
    w->output = f2l_calloc(outputs, sizeof *w->output);
    return w->joint && w->codes && w->output ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_walk_stages(f2l_walk *walk, const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    walker w = {.walk = walk};
    f2l_wire_tuples wires = {0};
    size_t at = 0;
    size_t *initial = NULL;
    walk->net = net;
    walk->task = task;
    f2l_status status = f2l_exact_new(&walk->run, net, err);
    if (status == F2L_OK) {
        initial = f2l_calloc(f2l_net_joint(net), sizeof *initial);
        status = initial ? f2l_exact_start(walk->run, initial, err) : f2l_fail_memory(err);
    }
    if (status == F2L_OK) status = allocate_step(&w, err);
    if (status == F2L_OK) status = begin_walk(&w, &wires, err);
    for (; w.stage < net->stages && status == F2L_OK; w.stage++) {
        status = pass_through(&w, &wires, initial + at, err);
        at += block_at(&w)->readouts;
    }
    f2l_wire_tuples_clear(&wires);
    f2l_wire_tuples_clear(&w.pair);
    clear_machine(&w.below);
    clear_machine(&w.above);
    f2l_free(w.joint);
    f2l_free(w.codes);
    f2l_free(w.output);
    f2l_free(initial);
    return status;
}

void f2l_walk_clear(f2l_walk *walk)
{
    for (size_t l = 0; walk->layer && l < walk->layers; l++) clear_stage_walk(&walk->layer[l]);
    f2l_free(walk->layer);
    f2l_free(walk->first);
    f2l_exact_free(walk->run);
    *walk = (f2l_walk){0};
}
