/* Letters and labels of the word that is being read, and the automaton that checks them. */
#include "models/learn/words/impl.h"
#include "numeric/base/hash.h"
#include <string.h>

typedef f2l_status number_name(size_t *index, f2l_word_list *words, const char *name, size_t size,
                               f2l_error *err);

/* Sets *index to the number of the name, which is mostly in the cache. */
static f2l_status look_up_cached_name(size_t *index, f2l_word_reader *r, f2l_word_file_cache *cache,
                                      number_name *number, f2l_word_file_span name, f2l_error *err)
{
    f2l_error why = {0};
    uint64_t key = 0;
    if (name.size < sizeof key) {
        memcpy(&key, name.text, name.size);
        key = key << 8 | name.size;
    }
    const size_t slot = (size_t)(f2l_hash(0, key) >> 40) % F2L_WORD_FILE_CACHE;
    if (key > 0 && cache->key[slot] == key) {
        *index = cache->index[slot];
        return F2L_OK;
    }
    const f2l_status status = number(index, r->words, name.text, name.size, &why);
    if (status == F2L_EDOMAIN) return f2l_fail_at(err, name.line, name.column, "%s", why.text);
    if (status != F2L_OK) return f2l_fail(err, status, "%s", why.text);
    if (key > 0) {
        cache->key[slot] = key;
        cache->index[slot] = (uint32_t)*index;
    }
    return F2L_OK;
}

f2l_status f2l_word_reader_letter(f2l_word_reader *r, f2l_word_file_span name, f2l_error *err)
{
    size_t index = 0;
    const f2l_status status =
        look_up_cached_name(&index, r, &r->letter, f2l_word_list_number_letter, name, err);
    return status == F2L_OK ? f2l_word_list_letter(r->words, index, err) : status;
}

/* Lets the automaton read up to letter `at`, and compares its label after that letter. */
static f2l_status check_word_label(f2l_word_reader *r, size_t at, f2l_word_file_span name,
                                   f2l_error *err)
{
    const f2l_fsa *fsa = r->o->fsa;
    const size_t letters = fsa->letters.count;
    for (; r->at < at; r->at++)
        r->state = fsa->next[r->state * letters + f2l_word_list_open_letter(r->words, r->at)];
    const char *wanted =
        f2l_fsa_edge_label(fsa, r->o->label, r->state, f2l_word_list_open_letter(r->words, at));
    if (strlen(wanted) == name.size && memcmp(wanted, name.text, name.size) == 0) return F2L_OK;
    return f2l_fail_at(err, name.line, name.column,
                       "the label '%.*s' is not the automaton's, which gives '%.80s' after the "
                       "%zu letters so far",
                       (int)(name.size > 80 ? 80 : name.size), name.text, wanted, at + 1);
}

f2l_status f2l_word_reader_label(f2l_word_reader *r, size_t at, f2l_word_file_span name,
                                 f2l_error *err)
{
    size_t index = 0;
    f2l_status status =
        look_up_cached_name(&index, r, &r->label, f2l_word_list_number_label, name, err);
    if (status == F2L_OK && r->o->fsa) status = check_word_label(r, at, name, err);
    return status == F2L_OK ? f2l_word_list_label(r->words, at, index, err) : status;
}

static bool is_word_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool f2l_word_file_part(f2l_word_file_span *part, f2l_word_file_span *rest)
{
    size_t from = 0;
    while (from < rest->size && is_word_blank(rest->text[from])) from++;
    size_t until = from;
    while (until < rest->size && !is_word_blank(rest->text[until])) until++;
    *part = (f2l_word_file_span){rest->text + from, until - from, rest->line, rest->column + from};
    rest->text += until;
    rest->size -= until;
    rest->column += until;
    return part->size > 0;
}

f2l_status f2l_word_reader_letters(f2l_word_reader *r, f2l_word_file_span text, f2l_error *err)
{
    f2l_word_file_span part;
    f2l_status status = F2L_OK;
    while (status == F2L_OK && f2l_word_file_part(&part, &text))
        status = f2l_word_reader_letter(r, part, err);
    return status;
}

static size_t count_parts(f2l_word_file_span text)
{
    f2l_word_file_span part;
    size_t parts = 0;
    while (f2l_word_file_part(&part, &text)) parts++;
    return parts;
}

f2l_status f2l_word_reader_labels(f2l_word_reader *r, f2l_word_file_span text, f2l_error *err)
{
    f2l_word_file_span part;
    const size_t letters = f2l_word_list_open(r->words), labels = count_parts(text);
    f2l_status status = F2L_OK;
    if (letters == 0 && labels <= 1) return F2L_OK;
    if (labels != letters && labels != 1)
        return f2l_fail_at(err, text.line, text.column,
                           "%zu labels for %zu letters: a word has one for each letter, or one "
                           "after the last",
                           labels, letters);
    for (size_t at = letters - labels; status == F2L_OK && f2l_word_file_part(&part, &text); at++)
        status = f2l_word_reader_label(r, at, part, err);
    return status;
}

static void close_word(f2l_word_reader *r)
{
    r->at = 0;
    r->state = r->o->fsa ? r->o->fsa->start : 0;
}

f2l_status f2l_word_reader_end(f2l_word_reader *r, f2l_error *err)
{
    f2l_status status = f2l_word_list_end(r->words, err);
    close_word(r);
    if (status == F2L_OK && r->words->count % 4096 == 0)
        status = f2l_task_memory(r->o->task, "reading words", f2l_word_list_bytes(r->words), err);
    return status;
}

void f2l_word_reader_drop(f2l_word_reader *r)
{
    f2l_word_list_drop(r->words);
    close_word(r);
}
