/* The numbered local states of a layer (theory/certify/local/impl.h). */
#include "numeric/base/mem.h"
#include "theory/certify/local/impl.h"

#define MOST_STEPS ((size_t)1 << 20)

/* Returns the room for a step of every class from every code, up to MOST_STEPS. */
static size_t room_for_steps(const f2l_layer *layer, const f2l_same_letters *same, bool again)
{
    size_t steps = 16;
    if (!same || (!again && same->count == same->letters)) return 0;
    while (steps < MOST_STEPS && steps / layer->codes < same->count) steps *= 2;
    return steps;
}

f2l_status f2l_local_states_init(f2l_local_states *out, const f2l_local_machine *machine,
                                 const f2l_net *net, size_t layer, bool again, f2l_error *err)
{
    size_t width;
    out->machine = machine;
    out->layer = layer;
    out->cost = f2l_exact_layer_steps(&net->layer[layer]);
    f2l_status status = machine->enter(machine->context, layer, &width, &out->same, err);
    if (status != F2L_OK) return status;
    f2l_pairs_init(&out->found, width, F2L_PAIRS_LIMIT);
    out->steps = room_for_steps(&net->layer[layer], out->same, again);
    out->step = f2l_calloc(out->steps, sizeof *out->step);
    out->state = f2l_calloc(width, 1);
    return out->step && out->state ? F2L_OK : f2l_fail_memory(err);
}

void f2l_local_states_clear(f2l_local_states *states)
{
    f2l_pairs_clear(&states->found);
    f2l_free(states->code);
    f2l_free(states->step);
    f2l_free(states->state);
    *states = (f2l_local_states){0};
}

size_t f2l_local_states_bytes(const f2l_local_states *states)
{
    return f2l_pairs_bytes(&states->found) + states->codes * sizeof *states->code +
           states->steps * sizeof *states->step;
}

/* Sets *id to the number of the state in states->state. */
static f2l_status number_state(f2l_local_states *states, size_t code, size_t *id,
                               const f2l_task *task, const char *phase, f2l_error *err)
{
    const size_t count = states->found.count;
    *id = F2L_NO_INDEX;
    if (code == F2L_NO_INDEX) return F2L_OK;
    if (!f2l_grow((void **)&states->code, &states->codes, count, sizeof *states->code))
        return f2l_fail_memory(err);
    f2l_status status = f2l_pairs_add(&states->found, states->state, id, task, phase, err);
    if (status == F2L_OK && *id == count) states->code[count] = (uint32_t)code;
    return status;
}

f2l_status f2l_local_states_start(f2l_local_states *states, size_t *id, const f2l_task *task,
                                  const char *phase, f2l_error *err)
{
    const f2l_local_machine *machine = states->machine;
    size_t code;
    f2l_status status = machine->start(machine->context, states->layer, states->state, &code, err);
    return status == F2L_OK ? number_state(states, code, id, task, phase, err) : status;
}

f2l_status f2l_local_states_step(f2l_local_states *states, size_t letter, uint32_t from, size_t *id,
                                 const f2l_task *task, const char *phase, f2l_error *err)
{
    const f2l_local_machine *machine = states->machine;
    const unsigned char *old = f2l_pairs_get(&states->found, from);
    size_t code;
    f2l_status status = f2l_task_spend(task, phase, states->cost, err);
    if (status == F2L_OK)
        status =
            machine->step(machine->context, states->layer, letter, old, states->state, &code, err);
    if (status == F2L_OK) status = number_state(states, code, id, task, phase, err);
    if (status == F2L_OK && *id != F2L_NO_INDEX && states->steps > 0)
        *f2l_local_states_slot(states, letter, from) =
            (f2l_local_step){from, states->same->of[letter] + 1, (uint32_t)*id};
    return status;
}
