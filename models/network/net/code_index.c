#include "models/network/net/code_index.h"

static uint64_t state_hash(const f2l_qvec *state, size_t heads)
{
    uint64_t hash = F2L_HASH;
    for (size_t h = 0; h < heads; h++) hash = f2l_hash(hash, f2l_qvec_hash(&state[h]));
    return hash;
}

static uint64_t hash_of_code(const void *layer_at, size_t code)
{
    const f2l_layer *layer = layer_at;
    return state_hash(&layer->code[code * layer->heads], layer->heads);
}

static bool is_state(const void *layer_at, size_t code, const void *state)
{
    const f2l_layer *layer = layer_at;
    const f2l_qvec *a = &layer->code[code * layer->heads], *b = state;
    for (size_t h = 0; h < layer->heads; h++) {
        if (f2l_qvec_compare(&a[h], &b[h]) != 0) return false;
    }
    return true;
}

f2l_status f2l_code_index_build(f2l_code_index *out, const f2l_layer *layer, f2l_error *err)
{
    *out = (f2l_code_index){.layer = layer, .first = F2L_NO_INDEX, .second = F2L_NO_INDEX};
    if (!f2l_index_reserve(&out->index, layer->codes, hash_of_code, layer))
        return f2l_fail_memory(err);
    for (size_t code = 0; code < layer->codes; code++) {
        const f2l_qvec *state = &layer->code[code * layer->heads];
        const uint64_t key = state_hash(state, layer->heads);
        const size_t same = f2l_index_find(&out->index, key, is_state, layer, state);
        if (same != F2L_NO_INDEX && out->second == F2L_NO_INDEX) {
            out->first = same;
            out->second = code;
        }
        f2l_index_add(&out->index, key);
    }
    return F2L_OK;
}

void f2l_code_index_clear(f2l_code_index *index)
{
    f2l_index_clear(&index->index);
    *index = (f2l_code_index){.first = F2L_NO_INDEX, .second = F2L_NO_INDEX};
}

size_t f2l_code_index_find(const f2l_code_index *index, const f2l_qvec *state)
{
    const f2l_layer *layer = index->layer;
    return f2l_index_find(&index->index, state_hash(state, layer->heads), is_state, layer, state);
}
