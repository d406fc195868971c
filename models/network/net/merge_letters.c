#include "models/network/net/merge_letters.h"
#include "models/network/net/head.h"
#include "models/network/net/same_letters.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_merged_letters_clear(f2l_merged_letters *merged)
{
    for (size_t l = 0; merged->of && l < merged->layers; l++) f2l_free(merged->of[l]);
    f2l_free(merged->of);
    *merged = (f2l_merged_letters){0};
}

/* The letters of a layer; first[class] is the first letter of a class. */
typedef struct alphabet {
    const f2l_layer *layer;
    const f2l_same_letters *same;
    const uint32_t *first;
} alphabet;

static size_t row_bytes(const f2l_layer *layer, size_t letter)
{
    return (layer->symbol_at[letter + 1] - layer->symbol_at[letter]) * sizeof *layer->symbol;
}

static uint64_t letter_hash(const alphabet *l, size_t letter)
{
    const f2l_layer *layer = l->layer;
    const uint64_t begin = f2l_hash(f2l_hash(F2L_HASH, l->same->of[letter]), layer->reads[letter]);
    return f2l_hash_bytes(begin, layer->symbol + layer->symbol_at[letter],
                          row_bytes(layer, letter));
}

static uint64_t hash_of_letter_class(const void *of, size_t class)
{
    const alphabet *l = of;
    return letter_hash(l, l->first[class]);
}

static bool is_same_read_letter(const void *of, size_t class, const void *letter)
{
    const alphabet *l = of;
    const f2l_layer *layer = l->layer;
    const size_t a = l->first[class], b = *(const size_t *)letter;
    return l->same->of[a] == l->same->of[b] && layer->reads[a] == layer->reads[b] &&
           memcmp(layer->symbol + layer->symbol_at[a], layer->symbol + layer->symbol_at[b],
                  row_bytes(layer, a)) == 0;
}

/* Finds the classes: of[letters], and first[*count]. Letters that read the same part have rows of
 * the same length. */
static f2l_status find_merge_classes(uint32_t *of, uint32_t *first, size_t *count,
                                     const f2l_layer *layer, f2l_error *err)
{
    f2l_same_letters same = {0};
    f2l_index index = {0};
    const alphabet l = {layer, &same, first};
    f2l_status status =
        f2l_same_letters_find(&same, layer->head, layer->heads, layer->letters, err);
    if (status != F2L_OK) return status;
    *count = 0;
    if (f2l_index_reserve(&index, layer->letters, hash_of_letter_class, &l)) {
        for (size_t a = 0; a < layer->letters; a++) {
            const size_t class =
                f2l_index_find_or_add(&index, letter_hash(&l, a), is_same_read_letter, &l, &a);
            if (class == *count) first[(*count)++] = (uint32_t)a;
            of[a] = (uint32_t) class;
        }
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_index_clear(&index);
    f2l_same_letters_clear(&same);
    return status;
}

/* Keeps the first letter of every class. */
static void keep_first(f2l_layer *layer, const uint32_t *of, const uint32_t *first, size_t count)
{
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_transition *letter = layer->head[h].letter;
        for (size_t a = 0; a < layer->letters; a++) {
            const size_t class = of[a];
            if (first[class] != a)
                f2l_transition_clear(&letter[a]);
            else if (class != a)
                letter[class] = letter[a];
        }
    }
    for (size_t class = 0, at = 0; class < count; class ++) {
        const size_t a = first[class], bytes = row_bytes(layer, a);
        memmove(layer->symbol + at, layer->symbol + layer->symbol_at[a], bytes);
        layer->reads[class] = layer->reads[a];
        layer->symbol_at[class] = at;
        at += bytes / sizeof *layer->symbol;
        if (class + 1 == count) layer->symbol_at[count] = at;
    }
    layer->letters = count;
}

static void rename_symbols(f2l_layer *below, const uint32_t *of, size_t count)
{
    for (size_t i = 0; i < below->symbol_at[below->letters]; i++)
        if (below->symbol[i] != F2L_NO_SYMBOL) below->symbol[i] = of[below->symbol[i]];
    below->symbols = count;
}

/* Merges the letters of a layer, which the layer below gives. */
static f2l_status merge_layer(uint32_t **out, f2l_layer *layer, f2l_layer *below, f2l_error *err)
{
    size_t count;
    uint32_t *of = f2l_calloc(layer->letters, sizeof *of),
             *first = f2l_calloc(layer->letters, sizeof *first);
    f2l_status status =
        of && first ? find_merge_classes(of, first, &count, layer, err) : f2l_fail_memory(err);
    if (status == F2L_OK && count < layer->letters) {
        keep_first(layer, of, first, count);
        rename_symbols(below, of, count);
        *out = of;
        of = NULL;
    }
    f2l_free(of);
    f2l_free(first);
    return status;
}

f2l_status f2l_net_merge_letters(f2l_net *net, f2l_merged_letters *out, const f2l_task *task,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->layers = net->layers;
    out->of = f2l_calloc(net->layers, sizeof *out->of);
    if (!out->of) status = f2l_fail_memory(err);
    for (size_t l = net->layers; status == F2L_OK && l-- > 1;) {
        f2l_layer *layer = &net->layer[l], *below = &net->layer[l - 1];
        if (layer->parts == 0 || below->parts == 0) continue;
        const size_t symbols = layer->symbol_at[layer->letters];
        status = f2l_task_spend(task, "merging letters",
                                f2l_same_letters_steps(layer) + 20 * layer->letters + symbols, err);
        if (status == F2L_OK) status = merge_layer(&out->of[l], layer, below, err);
    }
    if (status != F2L_OK) f2l_merged_letters_clear(out);
    return status;
}
