#include "models/learn/data/word_list.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS (UINT32_MAX - 1)

/* --- numbers of as many bytes as they need --- */

static uint32_t cell(const f2l_cells *c, size_t i)
{
    switch (c->width) {
    case 1:
        return ((const uint8_t *)c->data)[i];
    case 2:
        return ((const uint16_t *)c->data)[i];
    default:
        return ((const uint32_t *)c->data)[i];
    }
}

static void set_cell(f2l_cells *c, size_t i, uint32_t value)
{
    switch (c->width) {
    case 1:
        ((uint8_t *)c->data)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)c->data)[i] = (uint16_t)value;
        break;
    default:
        ((uint32_t *)c->data)[i] = value;
        break;
    }
}

/* Makes the cells wide enough for the value. */
static bool widen_cells(f2l_cells *c, uint32_t value)
{
    const unsigned width = value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : 4;
    if (width <= c->width) return true;
    f2l_cells wide = {.count = c->count, .room = c->room, .width = width};
    wide.data = f2l_calloc(c->room, width);
    if (wide.data == NULL) return false;
    for (size_t i = 0; i < c->count; i++) set_cell(&wide, i, cell(c, i));
    f2l_free(c->data);
    *c = wide;
    return true;
}

static bool append_cell(f2l_cells *c, uint32_t value)
{
    if (!widen_cells(c, value) || !f2l_grow(&c->data, &c->room, c->count, c->width)) return false;
    set_cell(c, c->count++, value);
    return true;
}

/* Gives back the room that is not used. */
static void trim_cells(f2l_cells *c)
{
    void *less = c->count > 0 ? f2l_realloc(c->data, c->count, c->width) : NULL;
    if (less == NULL) return;
    c->data = less;
    c->room = c->count;
}

/* --- building --- */

void f2l_word_list_init(f2l_word_list *words)
{
    *words = (f2l_word_list){.own_letters = true, .own_labels = true};
    f2l_names_init(&words->letters);
    f2l_names_init(&words->labels);
}

void f2l_word_list_clear(f2l_word_list *words)
{
    f2l_names_clear(&words->letters);
    f2l_names_clear(&words->labels);
    f2l_free(words->source);
    f2l_free(words->start);
    f2l_free(words->mark);
    f2l_free(words->letter.data);
    f2l_free(words->label.data);
    f2l_word_list_init(words);
}

f2l_status f2l_word_list_use_letters(f2l_word_list *words, const f2l_names *names, f2l_error *err)
{
    words->own_letters = false;
    return f2l_names_copy(&words->letters, names, err);
}

f2l_status f2l_word_list_use_labels(f2l_word_list *words, const f2l_names *names, f2l_error *err)
{
    words->own_labels = false;
    return f2l_names_copy(&words->labels, names, err);
}

static f2l_status number_word_name(size_t *index, f2l_names *names, bool own, const char *what,
                                   const char *name, size_t size, f2l_error *err)
{
    *index = f2l_names_find(names, name, size);
    if (*index != F2L_NO_INDEX) return F2L_OK;
    if (own) return f2l_names_add(names, name, size, index, err);
    return f2l_fail(err, F2L_EDOMAIN, "'%.*s' is none of the %zu %s", (int)(size > 80 ? 80 : size),
                    name, names->count, what);
}

static size_t open_start(const f2l_word_list *words)
{
    return words->count > 0 ? words->start[words->count] : 0;
}

size_t f2l_word_list_open(const f2l_word_list *words)
{
    return words->letter.count - open_start(words);
}

uint32_t f2l_word_list_open_letter(const f2l_word_list *words, size_t at)
{
    return cell(&words->letter, open_start(words) + at);
}

f2l_status f2l_word_list_number_letter(size_t *index, f2l_word_list *words, const char *name,
                                       size_t size, f2l_error *err)
{
    return number_word_name(index, &words->letters, words->own_letters, "letters", name, size, err);
}

f2l_status f2l_word_list_number_label(size_t *index, f2l_word_list *words, const char *name,
                                      size_t size, f2l_error *err)
{
    return number_word_name(index, &words->labels, words->own_labels, "labels", name, size, err);
}

f2l_status f2l_word_list_letter(f2l_word_list *words, size_t letter, f2l_error *err)
{
    return append_cell(&words->letter, (uint32_t)letter) && append_cell(&words->label, 0)
               ? F2L_OK
               : f2l_fail_memory(err);
}

f2l_status f2l_word_list_label(f2l_word_list *words, size_t at, size_t label, f2l_error *err)
{
    if (!widen_cells(&words->label, (uint32_t)label + 1)) return f2l_fail_memory(err);
    set_cell(&words->label, open_start(words) + at, (uint32_t)label + 1);
    return F2L_OK;
}

void f2l_word_list_drop(f2l_word_list *words)
{
    words->letter.count = words->label.count = open_start(words);
    words->left_out++;
}

f2l_status f2l_word_list_end(f2l_word_list *words, f2l_error *err)
{
    if (f2l_word_list_open(words) == 0) {
        words->left_out++;
        return F2L_OK;
    }
    if (words->count == MOST_WORDS)
        return f2l_fail(err, F2L_EDOMAIN, "there are more than %zu words", (size_t)MOST_WORDS);
    if (!f2l_grow((void **)&words->start, &words->start_room, words->count + 1,
                  sizeof *words->start))
        return f2l_fail_memory(err);
    words->start[0] = 0;
    words->start[++words->count] = words->letter.count;
    return F2L_OK;
}

/* --- the order of names --- */

static bool is_decimal(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '\0' && (digits == 1 || text[0] != '0');
}

/* Without leading zeros, a number with more digits is greater. */
static int compare_decimals(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const size_t m = strlen(x), n = strlen(y);
    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

/* Puts the names into order and sets now[old number] to the new one. */
static f2l_status sort_word_names(uint32_t *now, f2l_names *names, f2l_error *err)
{
    f2l_names sorted;
    size_t index;
    bool decimal = true;
    const char **text = f2l_calloc(names->count, sizeof *text);
    if (text == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < names->count; i++) {
        text[i] = f2l_names_get(names, i);
        decimal = decimal && is_decimal(text[i]);
    }
    qsort(text, names->count, sizeof *text, decimal ? compare_decimals : f2l_text_compare);
    f2l_names_init(&sorted);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < names->count && status == F2L_OK; i++)
        status = f2l_names_add(&sorted, text[i], strlen(text[i]), &index, err);
    for (size_t i = 0; i < names->count && status == F2L_OK; i++)
        now[f2l_names_find(names, text[i], strlen(text[i]))] = (uint32_t)i;
    f2l_free(text);
    if (status == F2L_OK) {
        f2l_names_clear(names);
        *names = sorted;
    } else {
        f2l_names_clear(&sorted);
    }
    return status;
}

/* Sorts the names and renumbers the cells, whose numbers are `base` more than the names'. */
static f2l_status renumber(f2l_cells *cells, f2l_names *names, uint32_t base, f2l_error *err)
{
    uint32_t *now = f2l_calloc(names->count + 1, sizeof *now);
    if (now == NULL) return f2l_fail_memory(err);
    const f2l_status status = sort_word_names(now, names, err);
    for (size_t i = 0; i < cells->count && status == F2L_OK; i++) {
        const uint32_t old = cell(cells, i);
        if (old >= base) set_cell(cells, i, now[old - base] + base);
    }
    f2l_free(now);
    return status;
}

static f2l_status mark_words(f2l_word_list *words, f2l_error *err)
{
    words->mark = f2l_calloc(words->count, sizeof *words->mark);
    if (words->mark == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < words->count; i++) {
        uint64_t mark = words->start[i + 1] - words->start[i];
        for (size_t at = words->start[i]; at < words->start[i + 1]; at++)
            mark = f2l_hash_spread(mark + F2L_HASH_STRIDE * (cell(&words->letter, at) + 1));
        words->mark[i] = mark;
    }
    return F2L_OK;
}

/* Sets what is known of all words; false: a word has no label. */
static bool look_at_all_words(f2l_word_list *words)
{
    words->every = words->last_only = true;
    words->shortest = SIZE_MAX;
    for (size_t i = 0; i < words->count; i++) {
        const size_t from = words->start[i], to = words->start[i + 1], length = to - from;
        size_t labels = 0;
        for (size_t at = from; at < to; at++) labels += cell(&words->label, at) != 0;
        if (labels == 0) return false;
        if (labels < length) words->every = false;
        if (labels > 1 || cell(&words->label, to - 1) == 0) words->last_only = false;
        if (length > words->longest) words->longest = length;
        if (length < words->shortest) words->shortest = length;
    }
    if (words->longest == 1) words->last_only = false;
    return true;
}

f2l_status f2l_word_list_finish(f2l_word_list *words, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (words->count == 0)
        return f2l_fail(err, F2L_EDOMAIN, "there are no words%s",
                        words->left_out > 0 ? " with letters" : "");
    trim_cells(&words->letter);
    trim_cells(&words->label);
    if (!look_at_all_words(words)) return f2l_fail(err, F2L_EDOMAIN, "a word has no label");
    if (words->own_letters) status = renumber(&words->letter, &words->letters, 0, err);
    if (status == F2L_OK && words->own_labels)
        status = renumber(&words->label, &words->labels, 1, err);
    return status == F2L_OK ? mark_words(words, err) : status;
}

/* --- reading --- */

size_t f2l_word_list_length(const f2l_word_list *words, size_t word)
{
    return words->start[word + 1] - words->start[word];
}

uint32_t f2l_word_list_letter_at(const f2l_word_list *words, size_t word, size_t at)
{
    return cell(&words->letter, words->start[word] + at);
}

bool f2l_word_list_label_at(uint32_t *label, const f2l_word_list *words, size_t word, size_t at)
{
    const uint32_t value = cell(&words->label, words->start[word] + at);
    *label = value > 0 ? value - 1 : 0;
    return value > 0;
}

bool f2l_word_list_held_out(const f2l_word_list *words, size_t word, double fraction)
{
    return (double)(words->mark[word] >> 11) < fraction * 0x1p53;
}

static int compare_marks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

f2l_status f2l_word_list_common(size_t *common, const f2l_word_list *test,
                                const f2l_word_list *train, f2l_error *err)
{
    uint64_t *sorted = f2l_calloc(train->count, sizeof *sorted);
    if (sorted == NULL) return f2l_fail_memory(err);
    memcpy(sorted, train->mark, train->count * sizeof *sorted);
    qsort(sorted, train->count, sizeof *sorted, compare_marks);
    *common = 0;
    for (size_t i = 0; i < test->count; i++)
        *common +=
            bsearch(&test->mark[i], sorted, train->count, sizeof *sorted, compare_marks) != NULL;
    f2l_free(sorted);
    return F2L_OK;
}

size_t f2l_word_list_bytes(const f2l_word_list *words)
{
    return words->letter.room * words->letter.width + words->label.room * words->label.width +
           words->start_room * sizeof *words->start + words->count * sizeof *words->mark;
}
