/* What a block has to know of a letter: the read-outs that it asks for (view), what it does in the
 * heads (act) and how it is decoded (group). */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"

typedef struct letters {
    const f2l_layer *layer;
    const uint32_t *view;
} letters;

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

/* Numbers letters of which `alike` says whether two are alike: (*of)[x] is the number of letter x,
 * (*first)[i] a letter with number i. Letters that are alike have equal hashes. */
static f2l_status number_alike(uint32_t **of, size_t *kinds, uint32_t **first, const letters *l,
                               const uint64_t *hash,
                               bool (*alike)(const letters *l, size_t a, size_t b), f2l_error *err)
{
    const size_t count = l->layer->letters;
    *of = f2l_calloc(count, sizeof **of);
    *first = f2l_calloc(count, sizeof **first);
    *kinds = 0;
    if (!*of || !*first) return f2l_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < *kinds && (hash[(*first)[k]] != hash[i] || !alike(l, (*first)[k], i))) k++;
        if (k == *kinds) (*first)[(*kinds)++] = (uint32_t)i;
        (*of)[i] = (uint32_t)k;
    }
    return F2L_OK;
}

static bool decoded_alike(const letters *l, size_t a, size_t b)
{
    if (l->view[a] != l->view[b]) return false;
    for (size_t c = 0; c < l->layer->codes; c++)
        if (f2l_layer_symbol(l->layer, a, c) != f2l_layer_symbol(l->layer, b, c)) return false;
    return true;
}

static bool acts_alike(const letters *l, size_t a, size_t b)
{
    if (l->view[a] != l->view[b]) return false;
    for (size_t h = 0; h < l->layer->heads; h++)
        if (!f2l_transition_equal(&l->layer->head[h].letter[a], &l->layer->head[h].letter[b]))
            return false;
    return true;
}

static uint64_t decoder_hash(const letters *l, size_t letter)
{
    uint64_t hash = mix_number(0, l->view[letter]);
    for (size_t c = 0; c < l->layer->codes; c++)
        hash = mix_number(hash, f2l_layer_symbol(l->layer, letter, c));
    return hash;
}

static uint64_t act_hash(const letters *l, size_t letter)
{
    uint64_t hash = mix_number(0, l->view[letter]);
    for (size_t h = 0; h < l->layer->heads; h++) {
        const f2l_transition *t = &l->layer->head[h].letter[letter];
        hash = mix_number(hash, t->factors);
        for (size_t f = 0; f < t->factors; f++) {
            hash = mix_number(hash, f2l_qvec_hash(&t->factor[f].u));
            hash = mix_number(hash, f2l_qvec_hash(&t->factor[f].c));
        }
    }
    return hash;
}

f2l_status f2l_blocks_choose_letters(f2l_block_layer *out, const f2l_layer *layer, bool views,
                                     f2l_error *err)
{
    size_t table;
    if (!f2l_mul_size(&table, layer->letters, layer->codes) || table > F2L_BLOCK_TABLE)
        return f2l_fail(err, F2L_EDOMAIN, "%zu letters and %zu codes are more than are searched",
                        layer->letters, layer->codes);
    uint64_t *hash = f2l_calloc(layer->letters, sizeof *hash);
    out->view = f2l_calloc(layer->letters, sizeof *out->view);
    out->views = views && layer->parts > 0 ? layer->parts : 1;
    const letters l = {layer, out->view};
    f2l_status status = hash && out->view ? F2L_OK : f2l_fail_memory(err);
    for (size_t x = 0; status == F2L_OK && x < layer->letters; x++) {
        if (out->views > 1) out->view[x] = layer->reads[x];
        hash[x] = decoder_hash(&l, x);
    }
    if (status == F2L_OK)
        status =
            number_alike(&out->group, &out->groups, &out->of_group, &l, hash, decoded_alike, err);
    for (size_t x = 0; status == F2L_OK && x < layer->letters; x++) hash[x] = act_hash(&l, x);
    if (status == F2L_OK)
        status = number_alike(&out->act, &out->acts, &out->of_act, &l, hash, acts_alike, err);
    out->group_has_act = true;
    for (size_t x = 0; status == F2L_OK && x < layer->letters; x++)
        out->group_has_act =
            out->group_has_act && out->act[x] == out->act[out->of_group[out->group[x]]];
    f2l_free(hash);
    return status;
}
