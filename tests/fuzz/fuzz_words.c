/* Words of other programs. The first byte is the format, '0' for the first; the rest is its files,
 * with a line "---" between them. Words that are read have letters and labels in range, and read
 * the same with the names that were collected; a fault has a place inside the text, and leaves
 * nothing behind.
 *
 * After a first byte 'T' comes an archive of tokens. What is opened has sequences that follow each
 * other without a gap and places of documents in ascending order, and reads the same in pieces of
 * any size. */
#include "models/learn/data/token_text.h"
#include "models/learn/words/word_file.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };

static void require(bool holds)
{
    if (!holds) abort();
}

static void look_at(const f2l_word_list *words)
{
    require(words->count > 0 && words->shortest > 0 && words->longest >= words->shortest);
    for (size_t i = 0; i < words->count; i++) {
        size_t labels = 0;
        for (size_t t = 0; t < f2l_word_list_length(words, i); t++) {
            uint32_t label;
            const bool there = f2l_word_list_label_at(&label, words, i, t);
            require(f2l_word_list_letter_at(words, i, t) < words->letters.count);
            require(!there || label < words->labels.count);
            labels += there;
        }
        require(labels > 0 && (!words->every || labels == f2l_word_list_length(words, i)));
    }
}

static void same(const f2l_word_list *a, const f2l_word_list *b)
{
    require(a->count == b->count && a->left_out == b->left_out);
    for (size_t i = 0; i < a->count; i++) {
        require(f2l_word_list_length(a, i) == f2l_word_list_length(b, i));
        for (size_t t = 0; t < f2l_word_list_length(a, i); t++) {
            uint32_t x, y;
            const bool there = f2l_word_list_label_at(&x, a, i, t);
            require(f2l_word_list_letter_at(a, i, t) == f2l_word_list_letter_at(b, i, t));
            require(there == f2l_word_list_label_at(&y, b, i, t) && x == y);
        }
    }
}

static void look_at_tokens(const f2l_tokens *t)
{
    require(t->count > 0 && t->sequences > 0 && t->start[0] == 0);
    require(t->start[t->sequences] == t->count);
    for (size_t i = 0; i < t->sequences; i++) require(t->start[i] < t->start[i + 1]);
    for (size_t i = 0; i < t->documents; i++) {
        require(t->document[i] < t->count);
        require(i == 0 || t->document[i - 1] < t->document[i]);
    }
}

/* Reads the first tokens of a sequence at once, and one by one. */
static void read_twice(const f2l_tokens *t, size_t sequence)
{
    const size_t length = t->start[sequence + 1] - t->start[sequence];
    const size_t count = length < MOST ? length : MOST;
    const f2l_tokens_bounds bounds = {1000, 1000, false};
    uint32_t letter[MOST], label[MOST], one, answer;
    uint8_t mask[MOST], counts;
    f2l_error err = {0};
    if (f2l_tokens_read(letter, label, mask, t, bounds, sequence, 0, count, &err) != F2L_OK) {
        require(err.text[0] != '\0');
        return;
    }
    for (size_t i = 0; i < count; i++) {
        require(letter[i] < bounds.letters && (!mask[i] || label[i] < bounds.labels));
        require(f2l_tokens_read(&one, &answer, &counts, t, bounds, sequence, i, 1, &err) == F2L_OK);
        require(one == letter[i] && answer == label[i] && counts == mask[i]);
    }
}

static void try_tokens(const uint8_t *data, size_t size)
{
    f2l_tokens t;
    f2l_error err = {0};
    f2l_tokens_init(&t);
    const f2l_status status = f2l_tokens_take(&t, data, size, &err);
    require(status == F2L_OK || status == F2L_EFORMAT);
    require(status == F2L_OK || err.text[0] != '\0');
    if (status == F2L_OK) {
        look_at_tokens(&t);
        read_twice(&t, 0);
        read_twice(&t, t.sequences - 1);
    }
    f2l_tokens_clear(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t formats = 0;
    f2l_word_list words, again;
    f2l_error err = {0};
    f2l_word_file_options options = {.letters = NULL};
    while (f2l_word_file_format(formats)) formats++;
    if (size > 0 && data[0] == 'T') {
        try_tokens(data + 1, size - 1);
        return 0;
    }
    if (size == 0 || data[0] < '0' || data[0] >= '0' + formats) return 0;
    const size_t format = data[0] - (size_t)'0';
    const char *text = (const char *)data + 1;
    f2l_word_list_init(&words);
    f2l_word_list_init(&again);
    const f2l_status status = f2l_word_file_parse(&words, format, text, size - 1, &options, &err);
    require(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    require(status == F2L_OK || (words.count == 0 && err.text[0] != '\0' && err.line <= size + 1));
    if (status == F2L_OK) {
        look_at(&words);
        options.letters = &words.letters;
        options.labels = &words.labels;
        require(f2l_word_file_parse(&again, format, text, size - 1, &options, &err) == F2L_OK);
        same(&words, &again);
    }
    f2l_word_list_clear(&words);
    f2l_word_list_clear(&again);
    return 0;
}
