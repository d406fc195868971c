#include "models/net/code_index.h"
#include "numeric/base/mem.h"

size_t f2l_code_slots(size_t count)
{
    size_t slots = 4;
    while (slots / 2 < count) slots *= 2;
    return slots;
}

static uint64_t state_hash(const f2l_qvec *state, size_t heads)
{
    uint64_t hash = 0;
    for (size_t h = 0; h < heads; h++) {
        hash = (hash ^ f2l_qvec_hash(&state[h])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool same_state(const f2l_qvec *a, const f2l_qvec *b, size_t heads)
{
    for (size_t h = 0; h < heads; h++) {
        if (f2l_qvec_compare(&a[h], &b[h]) != 0) return false;
    }
    return true;
}

/* Returns the slot that holds the state's code, or the empty slot where the code belongs. */
static size_t find_slot(const f2l_code_index *index, const f2l_qvec *state)
{
    size_t heads = index->layer->heads, mask = index->slots - 1;
    size_t at = (size_t)state_hash(state, heads) & mask;
    while (index->slot[at] != 0) {
        size_t code = index->slot[at] - 1;
        if (same_state(&index->layer->code[code * heads], state, heads)) break;
        at = (at + 1) & mask;
    }
    return at;
}

f2l_status f2l_code_index_build(f2l_code_index *out, const f2l_layer *layer, f2l_error *err)
{
    *out = (f2l_code_index){.layer = layer, .first = F2L_NO_INDEX, .second = F2L_NO_INDEX};
    out->slots = f2l_code_slots(layer->codes);
    out->slot = f2l_calloc(out->slots, sizeof *out->slot);
    if (out->slot == NULL) {
        f2l_code_index_clear(out);
        return f2l_fail_memory(err);
    }
    for (size_t code = 0; code < layer->codes; code++) {
        size_t at = find_slot(out, &layer->code[code * layer->heads]);
        if (out->slot[at] == 0) {
            out->slot[at] = (uint32_t)code + 1;
        } else if (out->second == F2L_NO_INDEX) {
            out->first = out->slot[at] - 1;
            out->second = code;
        }
    }
    return F2L_OK;
}

void f2l_code_index_clear(f2l_code_index *index)
{
    f2l_free(index->slot);
    *index = (f2l_code_index){.first = F2L_NO_INDEX, .second = F2L_NO_INDEX};
}

size_t f2l_code_index_find(const f2l_code_index *index, const f2l_qvec *state)
{
    size_t at = find_slot(index, state);
    return index->slot[at] == 0 ? F2L_NO_INDEX : index->slot[at] - 1;
}
