/* The closure by moving codes. */
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/certify/closure/closure_machine.h"
#include "theory/certify/swaps/impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a state that was moved: its new index, and its number in the old state. */
typedef struct moved {
    uint32_t to, entry;
} moved;

typedef struct swaps_run {
    const f2l_swaps *swaps;
    f2l_index codes; /* by the hash of hash_of */
    const f2l_qvec *state;
    moved *entry; /* [most entries] of `state`, sorted by `to` */
} swaps_run;

static uint64_t hash_entry(uint64_t hash, uint32_t index, const mpq_t value)
{
    return f2l_hash(f2l_hash(hash, index), f2l_rational_hash(value));
}

static uint64_t hash_of_layer_code(const void *layer_at, size_t code)
{
    const f2l_layer *layer = layer_at;
    const f2l_qvec *v = &layer->code[code];
    uint64_t hash = F2L_HASH;
    for (size_t i = 0; i < v->count; i++) hash = hash_entry(hash, v->index[i], v->value[i]);
    return hash;
}

static bool is_moved(const void *layer_at, size_t code, const void *run_at)
{
    const f2l_layer *layer = layer_at;
    const swaps_run *run = run_at;
    const f2l_qvec *v = &layer->code[code];
    bool same = v->count == run->state->count;
    for (size_t i = 0; same && i < v->count; i++)
        same = v->index[i] == run->entry[i].to &&
               mpq_equal(v->value[i], run->state->value[run->entry[i].entry]);
    return same;
}

static int by_index(const void *a, const void *b)
{
    const moved *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* Returns the code that the state becomes when `image` moves its rows, NULL for no move;
 * F2L_NO_INDEX: it is none. */
static size_t find_moved(swaps_run *run, const f2l_qvec *state, const uint32_t *image)
{
    const size_t d = run->swaps->d;
    uint64_t hash = F2L_HASH;
    run->state = state;
    for (size_t i = 0; i < state->count; i++) {
        const uint32_t at = state->index[i];
        const size_t to = image ? image[at / d] * d + at % d : at;
        run->entry[i] = (moved){(uint32_t)to, (uint32_t)i};
    }
    if (state->count > 1) qsort(run->entry, state->count, sizeof *run->entry, by_index);
    for (size_t i = 0; i < state->count; i++)
        hash = hash_entry(hash, run->entry[i].to, state->value[run->entry[i].entry]);
    return f2l_index_find(&run->codes, hash, is_moved, run->swaps->layer, run);
}

static f2l_status swaps_start(void *context, uint32_t *joint, f2l_error *err)
{
    swaps_run *run = context;
    const size_t code = find_moved(run, &run->swaps->layer->head[0].initial, NULL);
    if (code == F2L_NO_INDEX)
        return f2l_fail(err, F2L_EDOMAIN, "the initial state of layer 1 has no code");
    *joint = (uint32_t)code;
    return F2L_OK;
}

static f2l_status swaps_step(void *context, uint32_t *joint, size_t letter, size_t *label,
                             f2l_error *err)
{
    swaps_run *run = context;
    const f2l_swaps *s = run->swaps;
    const size_t code = find_moved(run, &s->layer->code[*joint], s->image + letter * s->n);
    if (code == F2L_NO_INDEX) return f2l_fail(err, F2L_EDOMAIN, "a state of layer 1 has no code");
    *label = f2l_layer_symbol(s->layer, letter, code);
    if (*label == F2L_NO_SYMBOL) return f2l_fail(err, F2L_EDOMAIN, "a code has no symbol");
    *joint = (uint32_t)code;
    return F2L_OK;
}

/* Makes the index of codes and room for moved entries. */
static f2l_status prepare_swaps_run(swaps_run *run, size_t *most, const f2l_task *task,
                                    f2l_error *err)
{
    const f2l_layer *layer = run->swaps->layer;
    const size_t slots = f2l_index_slots(layer->codes) * sizeof(uint32_t);
    f2l_status status = f2l_task_table(task, "finding codes", slots, err);
    if (status == F2L_OK)
        status = f2l_task_spend(task, "finding codes", f2l_codes_weigh(layer, 10, 10), err);
    if (status != F2L_OK) return status;
    *most = layer->head[0].initial.count;
    for (size_t c = 0; c < layer->codes; c++)
        if (layer->code[c].count > *most) *most = layer->code[c].count;
    run->entry = f2l_calloc(*most ? *most : 1, sizeof *run->entry);
    if (!run->entry || !f2l_index_reserve(&run->codes, layer->codes, hash_of_layer_code, layer))
        return f2l_fail_memory(err);
    for (size_t c = 0; c < layer->codes; c++)
        f2l_index_add(&run->codes, hash_of_layer_code(layer, c));
    return F2L_OK;
}

static f2l_status close_points(f2l_closure *out, const f2l_swaps *swaps, const f2l_net *net,
                               const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                               f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    swaps_run run = {.swaps = swaps};
    size_t most;
    f2l_error why = {0};
    f2l_status status = prepare_swaps_run(&run, &most, task, &why);
    if (status == F2L_OK) {
        const f2l_codes_machine machine = {.run = &run,
                                           .codes = 1,
                                           .width = sizeof *out->joint,
                                           .start = swaps_start,
                                           .step = swaps_step,
                                           .steps = 10 + 20 * most};
        status = f2l_codes_close(out, &machine, &face, fsa, max_rows, task, &why);
    } else if (status == F2L_UNKNOWN) {
        status = f2l_search_unknown(out, 0, &why);
    }
    if (status != F2L_OK && err) *err = why;
    f2l_index_clear(&run.codes);
    f2l_free(run.entry);
    return status;
}

f2l_status f2l_swaps_close(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                           size_t max_rows, const f2l_task *task, f2l_error *err)
{
    f2l_swaps swaps = {0};
    f2l_error why = {0};
    f2l_closure_clear(out);
    f2l_status status = f2l_net_validate_within(net, task, &why);
    if (status == F2L_OK) status = f2l_swaps_find(&swaps, net, task, &why);
    if (status == F2L_OK) status = f2l_swaps_compose(&swaps, task, &why);
    if (status == F2L_OK)
        status = close_points(out, &swaps, net, fsa, max_rows, task, &why);
    else if (status == F2L_UNKNOWN)
        status = f2l_search_unknown(out, 0, &why);
    if (status == F2L_OK) out->swaps = out->verdict == F2L_OK;
    if (status != F2L_OK && err) *err = why;
    f2l_swaps_clear(&swaps);
    return status;
}

f2l_status f2l_swaps_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                           size_t max_rows, const f2l_task *task, f2l_error *err)
{
    char reason[sizeof out->reason] = "";
    if (f2l_swaps_pays(net)) {
        f2l_status status = f2l_swaps_close(out, net, fsa, max_rows, task, err);
        if (status != F2L_OK || out->verdict != F2L_UNKNOWN) return status;
        snprintf(reason, sizeof reason, "%.120s", out->reason);
    }
    f2l_status status = f2l_closure_exact(out, net, fsa, max_rows, task, err);
    if (status == F2L_OK) f2l_closure_explain(out, reason);
    return status;
}
