#define _XOPEN_SOURCE 700 /* realpath */
#include "models/learn/words/word_language.h"
#include "automata/import/import.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <stdlib.h>
#include <string.h>

#define PREFIX "mlregtest"
#define SEED 1
#define MOST_BYTES ((size_t)1 << 30) /* of the automaton's file */

static const struct {
    const char *name;
    size_t words;
} sizes[] = {{"", 1000}, {"-mid", 10000}, {"-large", 100000}};

/* Returns whether the text from *at on begins with `name`, and moves *at behind it. */
static bool skip_name(const char **at, const char *end, const char *name)
{
    const size_t size = strlen(name);
    if ((size_t)(end - *at) < size || memcmp(*at, name, size) != 0) return false;
    *at += size;
    return true;
}

bool f2l_word_language_parse(f2l_word_language *out, const char *source)
{
    const char *end = strchr(source, ':'), *at = source;
    if (end == NULL || !skip_name(&at, end, PREFIX)) return false;
    *out = (f2l_word_language){.path = end + 1, .set = F2L_SET_TRAIN};
    for (size_t i = sizeof sizes / sizeof *sizes; i-- > 1 && out->size == 0;)
        if (skip_name(&at, end, sizes[i].name)) out->size = i;
    if (at == end) return true;
    if (*at++ != '-') return false;
    for (size_t i = 0; i < F2L_SETS; i++)
        if (strlen(f2l_word_set_name(i)) == (size_t)(end - at) &&
            memcmp(f2l_word_set_name(i), at, (size_t)(end - at)) == 0) {
            out->set = (f2l_word_set)i;
            return true;
        }
    return false;
}

void f2l_word_language_put(f2l_buf *out, const f2l_word_language *language, f2l_word_set set)
{
    const bool named = set != F2L_SET_TRAIN;
    f2l_buf_printf(out, PREFIX "%s%s%s:%s", sizes[language->size].name, named ? "-" : "",
                   named ? f2l_word_set_name(set) : "", language->path);
}

f2l_status f2l_word_language_open(f2l_fsa *out, const f2l_word_language *language,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_buf bytes;
    f2l_nfa nfa;
    f2l_total_report report;
    f2l_buf_init(&bytes);
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_read_file(&bytes, language->path, MOST_BYTES, err);
    if (status == F2L_OK)
        status = f2l_import(&nfa, bytes.data ? bytes.data : "", bytes.size, NULL, task, err);
    const f2l_total_options total = {.sink = nfa.partial};
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &total, task, err);
    f2l_nfa_clear(&nfa);
    f2l_buf_clear(&bytes);
    return status;
}

/* Names the source of the words, with the whole path. */
static f2l_status name_source(f2l_word_list *words, const f2l_word_language *language,
                              f2l_error *err)
{
    f2l_word_language named = *language;
    f2l_buf text;
    char *whole = realpath(language->path, NULL);
    if (whole != NULL) named.path = whole;
    f2l_buf_init(&text);
    f2l_word_language_put(&text, &named, language->set);
    free(whole);
    words->source = text.data;
    return f2l_buf_status(&text, err);
}

/* Appends a word of `from` by its names, and checks its label by the options' automaton. */
static f2l_status copy_word(f2l_word_list *out, const f2l_word_list *from, size_t word,
                            const f2l_word_file_options *o, f2l_error *err)
{
    const size_t length = f2l_word_list_length(from, word);
    size_t state = o->fsa != NULL ? o->fsa->start : 0, index;
    uint32_t given = 0;
    f2l_status status = F2L_OK;
    for (size_t at = 0; at < length && status == F2L_OK; at++) {
        const char *name = f2l_names_get(&from->letters, f2l_word_list_letter_at(from, word, at));
        status = f2l_word_list_number_letter(&index, out, name, strlen(name), err);
        if (status == F2L_OK) status = f2l_word_list_letter(out, index, err);
        if (status == F2L_OK && o->fsa != NULL)
            state = o->fsa->next[state * o->fsa->letters.count + index];
    }
    (void)f2l_word_list_label_at(&given, from, word, length - 1);
    const char *label = f2l_names_get(&from->labels, given);
    if (status == F2L_OK)
        status = f2l_word_list_number_label(&index, out, label, strlen(label), err);
    if (status == F2L_OK && o->fsa != NULL &&
        strcmp(f2l_fsa_label(o->fsa, o->label, state), label) != 0)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "this language %ss a word of %zu letters, and the automaton at hand does "
                          "not",
                          label, length);
    if (status == F2L_OK) status = f2l_word_list_label(out, length - 1, index, err);
    return status == F2L_OK ? f2l_word_list_end(out, err) : status;
}

/* Sets *out to the words with the names that the options give, in their order. */
static f2l_status rename_words(f2l_word_list *out, const f2l_word_list *from,
                               const f2l_word_file_options *o, f2l_error *err)
{
    f2l_status status =
        f2l_word_list_use_letters(out, o->letters ? o->letters : &from->letters, err);
    if (status == F2L_OK)
        status = f2l_word_list_use_labels(out, o->labels ? o->labels : &from->labels, err);
    for (size_t i = 0; i < from->count && status == F2L_OK; i++)
        status = copy_word(out, from, i, o, err);
    memcpy(out->sha256, from->sha256, sizeof out->sha256);
    return status == F2L_OK ? f2l_word_list_finish(out, err) : status;
}

f2l_status f2l_word_language_read(f2l_word_list *out, const f2l_word_language *language,
                                  const f2l_word_file_options *options, f2l_error *err)
{
    f2l_fsa fsa;
    f2l_word_list set[F2L_SETS];
    f2l_fsa_init(&fsa);
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_init(&set[i]);
    f2l_status status = f2l_word_language_open(&fsa, language, options->task, err);
    if (status == F2L_OK)
        status =
            f2l_word_sets_draw(set, &fsa, sizes[language->size].words, SEED, options->task, err);
    if (status == F2L_OK) status = rename_words(out, &set[language->set], options, err);
    if (status == F2L_OK) status = name_source(out, language, err);
    if (status != F2L_OK) f2l_word_list_clear(out);
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_clear(&set[i]);
    f2l_fsa_clear(&fsa);
    return status;
}
