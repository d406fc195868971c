/* Associative recall of several pairs: models/learn/data/data.h has the task. */
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two permutations of a sequence: which keys the pairs have, and where they come again. */
enum { KEYS, PLACES };

static f2l_status add_numbered(f2l_names *names, char kind, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    char name[24];
    size_t index;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const int size = snprintf(name, sizeof name, "%c%zu", kind, i);
        status = f2l_names_add(names, name, (size_t)size, &index, err);
    }
    return status;
}

f2l_status f2l_data_build_recall(f2l_data *out, const f2l_data_options *options, f2l_error *err)
{
    if (options->keys < 1 || options->keys > F2L_DATA_MOST_KEYS)
        return f2l_fail(err, F2L_EDOMAIN, "the keys must be 1..%d, not %zu", F2L_DATA_MOST_KEYS,
                        options->keys);
    if (options->pairs < 1 || options->pairs > options->keys)
        return f2l_fail(err, F2L_EDOMAIN, "the pairs must be 1..%zu, as many as there are keys, "
                        "not %zu", options->keys, options->pairs);
    if (options->when == F2L_DATA_LAST)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the answers of recall count where a key comes again, not after the last "
                        "letter");
    out->least = 3 * options->pairs;
    out->stride = 1;
    f2l_status status = add_numbered(&out->letters, 'k', options->keys, err);
    if (status == F2L_OK) status = add_numbered(&out->letters, 'v', options->keys, err);
    return status == F2L_OK ? add_numbered(&out->labels, 'v', options->keys, err) : status;
}

/* Returns the number `index` of a permutation of 0 .. n - 1. Its blocks are at positions that no
 * letter has. */
static uint32_t permuted(const f2l_data_stream *s, uint32_t which, uint32_t n, uint32_t index)
{
    const f2l_data_shuffle blocks = {.counter = {F2L_DATA_RECALL_END + (which << 19), s->sequence,
                                                 (uint32_t)s->step, (uint32_t)(s->step >> 32)},
                                     .shift = 16};
    return f2l_data_shuffled(s->data, &blocks, n, index);
}

f2l_status f2l_data_start_recall(f2l_data_stream *s, f2l_error *err)
{
    const f2l_data_options *o = &s->data->options;
    const uint32_t pairs = (uint32_t)o->pairs, keys = (uint32_t)o->keys;
    if (s->pair_room < pairs) {
        f2l_data_pair *more = f2l_realloc(s->pair, pairs, sizeof *more);
        if (more == NULL) return f2l_fail_memory(err);
        s->pair = more;
        s->pair_room = pairs;
    }
    for (uint32_t i = 0; i < pairs; i++) {
        const uint64_t x = f2l_data_block(s->data, s->step, s->sequence, 2 * i + 1).x;
        s->pair[i] = (f2l_data_pair){
            .key = permuted(s, KEYS, keys, i),
            .value = f2l_data_below(x, keys),
            .place = 2 * pairs + permuted(s, PLACES, s->length - 2 * pairs, i)};
    }
    return F2L_OK;
}

static int compare_places(const void *a, const void *b)
{
    const uint32_t x = ((const f2l_data_pair *)a)->place, y = ((const f2l_data_pair *)b)->place;
    return (x > y) - (x < y);
}

void f2l_data_next_recall(f2l_data_stream *s, f2l_data_item *item, uint64_t x)
{
    const f2l_data_options *o = &s->data->options;
    const uint32_t pairs = (uint32_t)o->pairs, keys = (uint32_t)o->keys, at = s->position;
    *item = (f2l_data_item){.letter = f2l_data_below(x, 2 * keys)};
    if (at < 2 * pairs) {
        const f2l_data_pair *pair = &s->pair[at / 2];
        item->letter = at % 2 == 0 ? pair->key : keys + pair->value;
        return;
    }
    if (at == 2 * pairs) qsort(s->pair, pairs, sizeof *s->pair, compare_places);
    if (s->asked == pairs || s->pair[s->asked].place != at) return;
    const f2l_data_pair *pair = &s->pair[s->asked++];
    *item = (f2l_data_item){.letter = pair->key, .label = pair->value, .counts = true};
}
