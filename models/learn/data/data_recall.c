/* Associative recall of several pairs: models/learn/data/data.h has the task. */
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

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
        return f2l_fail(err, F2L_EDOMAIN,
                        "the pairs must be 1..%zu, as many as there are keys, "
                        "not %zu",
                        options->keys, options->pairs);
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

/* Returns the number x of those that are not among the places [have], which ascend, and puts it
 * there; *at is where. */
static uint32_t take_new(size_t *at, f2l_data_pair *sorted, size_t have, uint32_t x)
{
    size_t below = 0;
    while (below < have && sorted[below].place <= x) {
        below++;
        x++;
    }
    memmove(sorted + below + 1, sorted + below, (have - below) * sizeof *sorted);
    sorted[below].place = x;
    *at = below;
    return x;
}

f2l_status f2l_data_start_recall(f2l_data_stream *s, f2l_error *err)
{
    const f2l_data_options *o = &s->data->options;
    const uint32_t pairs = (uint32_t)o->pairs, keys = (uint32_t)o->keys;
    const uint32_t rest = s->length - 2 * pairs;
    size_t at;
    if (s->pair_room < 2 * o->pairs) {
        f2l_data_pair *more = f2l_realloc(s->pair, 2 * o->pairs, sizeof *more);
        if (more == NULL) return f2l_fail_memory(err);
        s->pair = more;
        s->pair_room = 2 * o->pairs;
    }
    f2l_data_pair *first = s->pair, *sorted = s->pair + pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        const f2l_data_draw draw = f2l_data_block(s->data, s->step, s->sequence, 2 * i);
        const uint64_t x = f2l_data_block(s->data, s->step, s->sequence, 2 * i + 1).x;
        first[i] =
            (f2l_data_pair){.key = take_new(&at, sorted, i, f2l_data_below(draw.x, keys - i)),
                            .value = f2l_data_below(x, keys),
                            .place = f2l_data_below(draw.y, rest - i)};
    }
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t place = take_new(&at, sorted, i, first[i].place);
        sorted[at] = (f2l_data_pair){first[i].key, first[i].value, place};
    }
    return F2L_OK;
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
    const f2l_data_pair *pair = s->pair + pairs + s->asked;
    if (s->asked == pairs || pair->place != at - 2 * pairs) return;
    s->asked++;
    *item = (f2l_data_item){.letter = pair->key, .label = pair->value, .counts = true};
}
