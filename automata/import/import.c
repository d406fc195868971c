#include "automata/import/import.h"
#include "automata/import/impl.h"
#include "automata/import/labels.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* A piece of the input. */
typedef struct span {
    const char *text;
    size_t size;
} span;

static bool is_space_byte(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool all_digits(span s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.text[i] < '0' || s.text[i] > '9') return false;
    return s.size > 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(span s, const char *word, bool fold)
{
    if (strlen(word) != s.size) return false;
    for (size_t i = 0; i < s.size; i++)
        if ((fold ? lower(s.text[i]) : s.text[i]) != word[i]) return false;
    return true;
}

static size_t skip_line(const char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] != '\n') at++;
    return at;
}

/* Returns whether only blanks are left of the line. */
static bool ends_line(const char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] != '\n' && is_space_byte(bytes[at])) at++;
    return at == size || bytes[at] == '\n';
}

/* Returns the offset of the first byte that is neither blank nor part of a comment of any of the
 * syntaxes. */
static size_t first_meaningful(const char *bytes, size_t size)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size) {
        if (is_space_byte(bytes[at])) {
            at++;
        } else if (bytes[at] == '#' ||
                   (at + 1 < size && bytes[at] == '/' && bytes[at + 1] == '/')) {
            at = skip_line(bytes, size, at);
        } else if (at + 1 < size && bytes[at] == '/' && bytes[at + 1] == '*') {
            at += 2;
            while (at < size && !(bytes[at] == '/' && bytes[at - 1] == '*')) at++;
            at += at < size;
        } else {
            break;
        }
    }
    return at;
}

/* Splits the line that starts at `at` into at most `most` columns, at tabs or at any blanks.
 * Returns their number, or most + 1 when there are more. */
static size_t split_line(span *column, size_t most, const char *bytes, size_t size, size_t at)
{
    size_t end = skip_line(bytes, size, at), count = 0;
    bool tabs = memchr(bytes + at, '\t', end - at) != NULL;
    while (at < end) {
        if (tabs ? bytes[at] == '\t' : is_space_byte(bytes[at])) {
            at++;
            continue;
        }
        size_t from = at;
        while (at < end && bytes[at] != '\t' && bytes[at] != '\r' &&
               (tabs || !is_space_byte(bytes[at])))
            at++;
        if (at == from)
            at++;
        else if (count++ < most)
            column[count - 1] = (span){bytes + from, at - from};
        else
            return most + 1;
    }
    return count;
}

static bool is_fsa_keyword(span word)
{
    static const char *const keyword[] = {"fsa",    "letters", "states", "start",  "accept",
                                          "output", "points",  "track",  "permute"};
    for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++)
        if (same_word(word, keyword[i], false)) return true;
    return false;
}

static bool is_dot_keyword(span word)
{
    return same_word(word, "digraph", true) || same_word(word, "graph", true) ||
           same_word(word, "strict", true);
}

static bool contains_word(const char *bytes, size_t size, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= size; at++) {
        const char *hit = memchr(bytes + at, word[0], size - n - at + 1);
        if (hit == NULL) return false;
        at = (size_t)(hit - bytes);
        if (memcmp(hit, word, n) == 0) return true;
    }
    return false;
}

/* Returns whether numbers are where AT&T text has them: state, state weight, source target label
 * .. */
static bool looks_like_att(const span *column, size_t columns)
{
    if (columns == 0 || columns > 5 || !all_digits(column[0])) return false;
    if (columns == 1) return true;
    if (columns > 2) return all_digits(column[1]);
    char c = column[1].text[0];
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' ||
           same_word(column[1], "inf", true) || same_word(column[1], "infinity", true);
}

static bool looks_like_gap(const char *bytes, size_t size, size_t at)
{
    static const char *const mark[] = {"Transformation", "Group(",  "Group (",
                                       "Semigroup(",     "Monoid(", ":="};
    if (bytes[at] == '(' || bytes[at] == '[') return true;
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (contains_word(bytes + at, size - at, mark[i])) return true;
    return false;
}

f2l_syntax f2l_syntax_recognise(const char *bytes, size_t size)
{
    size_t at = first_meaningful(bytes, size);
    if (at == size) return F2L_SYNTAX_FSA;
    if (bytes[at] == '<' && at + 1 < size &&
        (is_letter(bytes[at + 1]) || bytes[at + 1] == '?' || bytes[at + 1] == '!'))
        return F2L_SYNTAX_JFLAP;
    if (bytes[at] == '{') return F2L_SYNTAX_JSON;
    span word = {bytes + at, 0};
    while (at + word.size < size && is_letter(word.text[word.size])) word.size++;
    if (is_dot_keyword(word)) return F2L_SYNTAX_DOT;
    if (same_word(word, "rules", false) && ends_line(bytes, size, at + word.size))
        return F2L_SYNTAX_RULES;
    if (same_word(word, "HOA", false) && at + 3 < size && bytes[at + 3] == ':')
        return F2L_SYNTAX_HOA;
    while (at + word.size < size && !is_space_byte(word.text[word.size])) word.size++;
    /* An `.fsa` file needs a start or points line before its edges, so that it begins with a
     * keyword. */
    if (is_fsa_keyword(word)) return F2L_SYNTAX_FSA;
    span column[5];
    size_t columns = split_line(column, 5, bytes, size, at);
    if (looks_like_att(column, columns)) return F2L_SYNTAX_ATT;
    if (looks_like_gap(bytes, size, at)) return F2L_SYNTAX_GAP;
    bool tabs = memchr(bytes + at, '\t', skip_line(bytes, size, at) - at) != NULL;
    return tabs && columns >= 1 && columns <= 5 ? F2L_SYNTAX_ATT : F2L_SYNTAX_FSA;
}

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

/* Returns F2L_EFORMAT for empty and binary input. */
static f2l_status check_not_binary(const char *bytes, size_t size, f2l_error *err)
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
    f2l_status status = check_not_binary(bytes, size, err);
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

f2l_status f2l_import(f2l_nfa *out, const char *bytes, size_t size,
                      const f2l_import_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_status status = check_not_binary(bytes, size, err);
    if (status != F2L_OK) return status;
    size_t max_states = options == NULL ? 0 : options->max_states;
    const f2l_syntax syntax = f2l_syntax_recognise(bytes, size);
    status = f2l_import_check_read_as(options ? options->as : NULL, syntax, err);
    if (status != F2L_OK) return status;
    switch (syntax) {
    case F2L_SYNTAX_ATT:
        return f2l_import_att(out, bytes, size, options, err);
    case F2L_SYNTAX_JFLAP:
        return f2l_import_jflap(out, bytes, size, options, err);
    case F2L_SYNTAX_GAP:
        return f2l_import_gap_bounded(out, bytes, size, max_states, task, err);
    case F2L_SYNTAX_DOT:
        return f2l_import_dot(out, bytes, size, options, err);
    case F2L_SYNTAX_JSON:
        return f2l_import_json(out, bytes, size, options, err);
    case F2L_SYNTAX_HOA:
        return f2l_import_hoa(out, bytes, size, options, err);
    case F2L_SYNTAX_RULES:
        return f2l_import_rules(out, bytes, size, err);
    case F2L_SYNTAX_FSA:
        break;
    }
    return f2l_fsa_read(out, bytes, size, max_states, task, err);
}
