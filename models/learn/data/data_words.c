/* Words of a list as data: which word a sequence is, in an order that is shuffled anew in every
 * epoch, and possible lengths. */
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define ROUNDS 4

/* The words of a part by length, and the lengths that there are. */
struct f2l_data_part {
    const f2l_word_list *words; /* borrowed */
    bool cut;                   /* words may be cut, because every letter has a label */
    size_t count;
    uint32_t *word; /* [count] ascending by length, then by number */
    size_t lengths;
    size_t *length; /* [lengths] ascending */
    size_t *first;  /* [lengths + 1] place in `word` of the first of this length */
};

void f2l_data_part_free(f2l_data_part *part)
{
    if (part == NULL) return;
    f2l_free(part->word);
    f2l_free(part->length);
    f2l_free(part->first);
    f2l_free(part);
}

static bool belongs(const f2l_data_options *o, const f2l_word_list *words, size_t word)
{
    if (o->test || o->held_out == 0) return true;
    return f2l_word_list_held_out(words, word, o->held_out) == (o->stream == F2L_DATA_TEST);
}

/* Sorts the words of the part by counting how many there are of each length. */
static f2l_status sort_words(f2l_data_part *part, const f2l_data_options *o, f2l_error *err)
{
    const f2l_word_list *words = part->words;
    size_t *at = f2l_calloc(words->longest + 2, sizeof *at);
    if (at == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < words->count; i++)
        if (belongs(o, words, i)) at[f2l_word_list_length(words, i) + 1]++;
    for (size_t l = 1; l <= words->longest + 1; l++) part->lengths += at[l] > 0;
    part->length = f2l_calloc(part->lengths, sizeof *part->length);
    part->first = f2l_calloc(part->lengths + 1, sizeof *part->first);
    part->word = f2l_calloc(words->count, sizeof *part->word);
    if (!part->length || !part->first || !part->word) {
        f2l_free(at);
        return f2l_fail_memory(err);
    }
    for (size_t l = 0, k = 0; l <= words->longest; l++) {
        if (at[l + 1] > 0) {
            part->length[k] = l;
            part->first[k++] = at[l];
        }
        at[l + 1] += at[l];
    }
    for (size_t i = 0; i < words->count; i++)
        if (belongs(o, words, i)) part->word[at[f2l_word_list_length(words, i)]++] = (uint32_t)i;
    part->count = part->first[part->lengths] = at[words->longest];
    f2l_free(at);
    return F2L_OK;
}

/* Refuses words without a label after their last letter, where only that one counts. */
static f2l_status check_last(const f2l_word_list *words, f2l_error *err)
{
    uint32_t label;
    for (size_t i = 0; i < words->count; i++)
        if (!f2l_word_list_label_at(&label, words, i, f2l_word_list_length(words, i) - 1))
            return f2l_fail(err, F2L_EDOMAIN,
                            "word %zu has no label after its last letter, whose answer is to count",
                            i + 1);
    return F2L_OK;
}

static f2l_status build_part(f2l_data *out, const f2l_word_list *words, f2l_error *err)
{
    const f2l_data_options *o = &out->options;
    f2l_data_part *part = out->part = f2l_calloc(1, sizeof *part);
    if (part == NULL) return f2l_fail_memory(err);
    part->words = words;
    part->cut = o->when == F2L_DATA_EVERY && words->every;
    f2l_status status = o->when == F2L_DATA_LAST ? check_last(words, err) : F2L_OK;
    if (status == F2L_OK) status = sort_words(part, o, err);
    if (status == F2L_OK && part->count == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "no words are %s: of %zu words %g are to be held out",
                          o->stream == F2L_DATA_TEST ? "held out for tests" : "left for training",
                          words->count, o->held_out);
    return status;
}

f2l_status f2l_data_build_words(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa,
                                f2l_error *err)
{
    const f2l_word_list *words = options->words, *test = options->test;
    if (words == NULL) return f2l_fail(err, F2L_EDOMAIN, "no words are given");
    if (!(options->held_out >= 0 && options->held_out < 1))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the part of the words that is held out must be at least 0 and below 1");
    if (test && (!f2l_names_equal(&test->letters, &words->letters) ||
                 !f2l_names_equal(&test->labels, &words->labels)))
        return f2l_fail(err, F2L_EDOMAIN, "the test words have other letters or labels");
    if (words->longest >= F2L_DATA_HEADER || (test && test->longest >= F2L_DATA_HEADER))
        return f2l_fail(err, F2L_EDOMAIN, "a word is longer than 2^32 - 2 letters");
    out->fsa = fsa;
    f2l_status status = f2l_names_copy(&out->letters, &words->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->labels, &words->labels, err);
    if (status == F2L_OK)
        status = build_part(out, test && options->stream == F2L_DATA_TEST ? test : words, err);
    if (status != F2L_OK) return status;
    out->least = out->part->cut ? 1 : out->part->length[0];
    out->stride = 1;
    return F2L_OK;
}

/* Returns the place among the lengths of the least one that is at least `length`. */
static size_t place_of_length(const f2l_data_part *part, size_t length)
{
    size_t low = 0, high = part->lengths;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (part->length[middle] < length)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t f2l_data_words_fit(const f2l_data_part *part, size_t length)
{
    const size_t longest = part->length[part->lengths - 1];
    if (length >= longest) return longest;
    if (part->cut) return length;
    const size_t place = place_of_length(part, length + 1);
    return place > 0 ? part->length[place - 1] : 0;
}

size_t f2l_data_words_after(const f2l_data_part *part, size_t length)
{
    if (part->cut) return length + 1;
    const size_t place = place_of_length(part, length + 1);
    return part->length[place < part->lengths ? place : part->lengths - 1];
}

/* --- which word --- */

/* A permutation of 0 .. n - 1 that depends on the epoch: a Feistel network of four rounds on the
 * least even number of bits that is enough, walked until the result is below n (Black, Rogaway
 * 2002). */
static uint32_t shuffled(const f2l_data *data, uint64_t epoch, uint32_t n, uint32_t index)
{
    const uint32_t key[2] = {data->options.seed, data->options.stream};
    unsigned half = 1;
    while (half < 16 && UINT64_C(1) << 2 * half < n) half++;
    const uint32_t mask = (UINT32_C(1) << half) - 1;
    do {
        uint32_t left = index >> half, right = index & mask;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const uint32_t counter[4] = {right, round, (uint32_t)epoch, (uint32_t)(epoch >> 32)};
            uint32_t b[4];
            f2l_philox(b, counter, key);
            const uint32_t mixed = left ^ (b[0] & mask);
            left = right;
            right = mixed;
        }
        index = left << half | right;
    } while (index >= n);
    return index;
}

/* Sets the places *from .. *until - 1 of words that the range allows; false: there are none. */
static bool places(size_t *from, size_t *until, const f2l_data_part *part, f2l_data_range range)
{
    *from = part->first[place_of_length(part, range.shortest)];
    *until = part->cut || range.longest == SIZE_MAX
                 ? part->count
                 : part->first[place_of_length(part, range.longest + 1)];
    return *from < *until && range.longest > 0;
}

bool f2l_data_pick(f2l_data_picked *out, const f2l_data *data, f2l_data_range range, uint64_t step,
                   uint32_t sequence)
{
    size_t from, until;
    const f2l_data_part *part = data->part;
    if (!places(&from, &until, part, range)) return false;
    const uint64_t n = until - from, b = data->options.batch;
    /* step * b + sequence is epoch * n + index, without going through the product */
    const uint64_t turn = (step % n) * (b % n) % n + sequence % n;
    const uint64_t epoch = step / n * b + (step % n * b + sequence) / n;
    const uint32_t place = shuffled(data, epoch, (uint32_t)n, (uint32_t)(turn % n));
    out->word = part->word[from + place];
    out->length = f2l_word_list_length(part->words, out->word);
    if (out->length > range.longest) out->length = range.longest;
    return true;
}

/* --- parts of an evaluation --- */

bool f2l_data_words_cut(const f2l_data *data)
{
    return data->part->cut;
}

size_t f2l_data_words_group(f2l_data_range *group, const f2l_data *data, size_t length, size_t next)
{
    const f2l_data_part *part = data->part;
    const size_t from = place_of_length(part, length),
                 until = next ? place_of_length(part, next) : part->lengths;
    *group = (f2l_data_range){length, next ? next - 1 : SIZE_MAX};
    return part->first[until] - part->first[from];
}

void f2l_data_words_start(f2l_data_stream *s, const f2l_data *data, f2l_data_range group,
                          uint32_t sequence, size_t length)
{
    const f2l_data_part *part = data->part;
    const size_t from = part->first[place_of_length(part, group.shortest)];
    const size_t until = group.longest == SIZE_MAX
                             ? part->count
                             : part->first[place_of_length(part, group.longest + 1)];
    const uint32_t place = shuffled(data, 0, (uint32_t)(until - from), sequence);
    s->word = part->word[from + place];
    s->length = (uint32_t)length;
}

void f2l_data_next_word(f2l_data_stream *s, f2l_data_item *item)
{
    const f2l_data_part *part = s->data->part;
    const bool last = s->position + 1 == s->length;
    item->letter = f2l_word_list_letter_at(part->words, s->word, s->position);
    item->counts = f2l_word_list_label_at(&item->label, part->words, s->word, s->position) &&
                   (last || s->data->options.when == F2L_DATA_EVERY);
}

/* --- figures --- */

size_t f2l_data_words_count(const f2l_data *data)
{
    return data->part == NULL ? 0 : data->part->count;
}
