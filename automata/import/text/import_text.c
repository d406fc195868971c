#include "automata/import/text/import_text.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/letter.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <stdio.h>
#include <string.h>

void f2l_import_position(const char *bytes, size_t at, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < at; i++) {
        *column += 1;
        if (bytes[i] == '\n') {
            *line += 1;
            *column = 1;
        }
    }
}

f2l_status f2l_import_check_not_binary(const char *bytes, size_t size, f2l_error *err)
{
    if (size == 0) return f2l_fail(err, F2L_EFORMAT, "the file is empty; expected an automaton");
    const char *nul = memchr(bytes, 0, size);
    if (nul == NULL) return F2L_OK;
    size_t line, column;
    f2l_import_position(bytes, (size_t)(nul - bytes), &line, &column);
    return f2l_fail_at(err, line, column, "binary data (a zero byte); expected text");
}

f2l_status f2l_import_check_text(const char *bytes, size_t size, f2l_error *err)
{
    f2l_status status = f2l_import_check_not_binary(bytes, size, err);
    size_t at, line, column;
    if (status != F2L_OK || f2l_utf8_valid(bytes, size, &at)) return status;
    f2l_import_position(bytes, at, &line, &column);
    return f2l_fail_at(err, line, column, "not UTF-8 text (byte 0x%02x)",
                       (unsigned)(unsigned char)bytes[at]);
}

void f2l_import_source(f2l_nfa *nfa, const char *syntax)
{
    snprintf(nfa->source, sizeof nfa->source, "%s", syntax);
}

f2l_status f2l_import_output(f2l_nfa *nfa, size_t state, const char *text, size_t size,
                             f2l_error *err)
{
    if (nfa->output == NULL) {
        nfa->output = f2l_calloc(nfa->states.count, sizeof *nfa->output);
        if (nfa->output == NULL) return f2l_fail_memory(err);
        for (size_t i = 0; i < nfa->states.count; i++) nfa->output[i] = UINT32_MAX;
    }
    size_t index;
    f2l_status status = f2l_names_add(&nfa->outputs, text, size, &index, err);
    if (status == F2L_OK) nfa->output[state] = (uint32_t)index;
    return status;
}

bool f2l_import_find_quoted(const char *bytes, size_t size, const char *name, size_t name_size,
                            size_t *line, size_t *column)
{
    size_t found = 0, place = 0;
    *line = *column = 0;
    for (size_t at = 0; at + name_size + 2 <= size && found < 2; at++) {
        const char *quote = memchr(bytes + at, '"', size - name_size - 1 - at);
        if (quote == NULL) break;
        at = (size_t)(quote - bytes);
        if (quote[name_size + 1] != '"' || memcmp(quote + 1, name, name_size) != 0) continue;
        place = at;
        found++;
    }
    if (found == 1) f2l_import_position(bytes, place, line, column);
    return found == 1;
}

f2l_line f2l_line_start(const char *bytes, size_t size)
{
    const size_t start = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (f2l_line){.text = bytes, .bytes = bytes, .all = size, .next = start};
}

bool f2l_line_next(f2l_line *line)
{
    if (line->next >= line->all) return false;
    line->text = line->bytes + line->next;
    const char *end = memchr(line->text, '\n', line->all - line->next);
    line->size = end == NULL ? line->all - line->next : (size_t)(end - line->text);
    line->next += line->size + (end != NULL);
    if (line->size > 0 && line->text[line->size - 1] == '\r') line->size--;
    line->number++;
    return true;
}

size_t f2l_line_words(f2l_word *word, size_t most, const f2l_line *line, char comment)
{
    const char *at = line->text, *const end = line->text + line->size;
    size_t count = 0;
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at == end || (comment != 0 && *at == comment)) return count;
        if (count == most) return most + 1;
        const char *from = at;
        while (at < end && *at != ' ' && *at != '\t') at++;
        word[count++] = (f2l_word){from, (size_t)(at - from), (size_t)(from - line->text) + 1};
    }
}

bool f2l_word_is(const f2l_word *word, const char *text)
{
    return word->size == strlen(text) && memcmp(word->text, text, word->size) == 0;
}

bool f2l_word_number(size_t *out, const f2l_word *word)
{
    size_t value = 0;
    for (size_t i = 0; i < word->size; i++) {
        if (word->text[i] < '0' || word->text[i] > '9') return false;
        value = 10 * value + (size_t)(word->text[i] - '0');
        if (value > 1000000000) return false;
    }
    *out = value;
    return word->size > 0;
}

/* Returns the place behind the first `text` from `at` on; NULL when there is none. */
static const char *skip_past(const char *at, const char *end, const char *text)
{
    const size_t n = strlen(text);
    for (; (size_t)(end - at) >= n; at++)
        if (memcmp(at, text, n) == 0) return at + n;
    return NULL;
}

static bool is_xml_name_byte(char c)
{
    return c != '\0' && !strchr(" \t\r\n/><", c);
}

f2l_word f2l_xml_root(const char *bytes, size_t size)
{
    const char *at = bytes, *const end = bytes + size;
    while (at && at < end) {
        const size_t left = (size_t)(end - at);
        if (*at != '<') {
            at++;
        } else if (left > 4 && memcmp(at, "<!--", 4) == 0) {
            at = skip_past(at, end, "-->");
        } else if (left > 1 && (at[1] == '?' || at[1] == '!')) {
            at = skip_past(at, end, ">");
        } else {
            const char *name = ++at;
            for (; at < end && is_xml_name_byte(*at); at++)
                if (*at == ':') name = at + 1;
            return (f2l_word){name, (size_t)(at - name), 0};
        }
    }
    return (f2l_word){bytes, 0, 0};
}

void f2l_note_epsilon_name(f2l_nfa *nfa, const f2l_read_as *as, const char *label, size_t size,
                           size_t line, size_t column)
{
    if ((as && as->names_epsilon) || !f2l_letter_may_be_epsilon(label, size)) return;
    f2l_notes_add(&nfa->notes, "was taken for a letter (--read-as epsilon=NAME: the empty word)",
                  label, size, line, column);
}

void f2l_word_refuse(const f2l_line *line, const f2l_word *word, const char *text, f2l_error *err)
{
    char shown[F2L_SHOWN];
    (void)f2l_fail_at(err, line->number, word->column, "`%s` %s",
                      f2l_shown(shown, word->text, word->size), text);
}
