/* Lexers: a line `rules`, and then regular expressions with names, one on a line, the first that
 * matches the word read being its output.
 *
 *     rules
 *     alphabet [a-z0-9.]
 *     if = if
 *     name = [a-z][a-z0-9]*
 *
 * `tokens` before the alphabet says that letters are names. Comments take lines of their own,
 * since # may be a letter. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* A line without the blanks around it. */
typedef struct line {
    const char *text;
    size_t size, number, column; /* column: of the first byte that is no blank */
} line;

typedef struct reader {
    const char *bytes;
    size_t size, at, number; /* of the last line */
    f2l_regex_rule *rule;
    size_t rules, capacity;
    f2l_names letters;
    bool tokens, has_alphabet;
} reader;

static bool is_rule_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes the next line that is neither empty nor a comment; returns false at the end. */
static bool next_rule_line(reader *r, line *out)
{
    while (r->at < r->size) {
        const char *from = r->bytes + r->at, *end = memchr(from, '\n', r->size - r->at);
        size_t size = end != NULL ? (size_t)(end - from) : r->size - r->at, first = 0;
        r->at += size + (end != NULL);
        r->number++;
        while (size > 0 && is_rule_blank(from[size - 1])) size--;
        while (first < size && is_rule_blank(from[first])) first++;
        if (first == size || from[first] == '#') continue;
        *out = (line){from + first, size - first, r->number, first + 1};
        return true;
    }
    return false;
}

/* Returns the length of the word at the beginning of the line. */
static size_t word_size(const line *l)
{
    size_t n = 0;
    while (n < l->size && !is_rule_blank(l->text[n]) && l->text[n] != '=') n++;
    return n;
}

static size_t skip_blanks(const line *l, size_t at)
{
    while (at < l->size && is_rule_blank(l->text[at])) at++;
    return at;
}

static f2l_status fail_in_rule(const line *l, size_t at, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, l->number, l->column + at, "%s", text);
}

/* Parses the expression from byte `at` of the line to its end. */
static f2l_status read_expression(reader *r, f2l_buf *normal, const line *l, size_t at, bool fixed,
                                  f2l_error *err)
{
    const f2l_regex_source source = {.text = l->text + at,
                                     .size = l->size - at,
                                     .line = l->number,
                                     .column = l->column + at,
                                     .tokens = r->tokens,
                                     .fixed = fixed,
                                     .in_rules = true};
    if (at == l->size) return fail_in_rule(l, at, "expected a regular expression", err);
    return f2l_regex_parse(normal, &r->letters, &source, err);
}

/* The letters that an expression mentions become the alphabet. */
static f2l_status read_alphabet(reader *r, const line *l, size_t at, f2l_error *err)
{
    f2l_buf ignored;
    f2l_buf_init(&ignored);
    f2l_status status = read_expression(r, &ignored, l, at, false, err);
    f2l_buf_clear(&ignored);
    if (status == F2L_OK && r->letters.count == 0)
        return fail_in_rule(l, at, "the alphabet has no letter", err);
    r->has_alphabet = true;
    return status;
}

static f2l_status read_regex_rule(reader *r, const line *l, size_t name_size, size_t at,
                                  f2l_error *err)
{
    if (name_size == 0) return fail_in_rule(l, 0, "expected the name of a rule before =", err);
    if (name_size == strlen(F2L_REGEX_NO_RULE) &&
        memcmp(l->text, F2L_REGEX_NO_RULE, name_size) == 0)
        return fail_in_rule(l, 0, "`" F2L_REGEX_NO_RULE "` is the output where no rule matches",
                            err);
    if (!f2l_grow((void **)&r->rule, &r->capacity, r->rules, sizeof *r->rule))
        return f2l_fail_memory(err);
    f2l_regex_rule *rule = &r->rule[r->rules++];
    *rule = (f2l_regex_rule){.name = l->text, .name_size = name_size};
    f2l_buf_init(&rule->normal);
    return read_expression(r, &rule->normal, l, at, r->has_alphabet, err);
}

/* Reads `tokens`, `alphabet EXPRESSION` or NAME = EXPRESSION. */
static f2l_status read_rules_line(reader *r, const line *l, f2l_error *err)
{
    const size_t n = word_size(l), at = skip_blanks(l, n);
    if (at < l->size && l->text[at] == '=')
        return read_regex_rule(r, l, n, skip_blanks(l, at + 1), err);
    const bool tokens = n == 6 && memcmp(l->text, "tokens", n) == 0;
    if (!tokens && (n != 8 || memcmp(l->text, "alphabet", n) != 0)) {
        char shown[F2L_SHOWN];
        return f2l_fail_at(err, l->number, l->column + at,
                           "expected = and an expression after the name `%s` of a rule",
                           f2l_shown(shown, l->text, n));
    }
    if (r->rules > 0 || r->has_alphabet || (tokens && r->tokens))
        return fail_in_rule(
            l, 0, "expected `tokens`, then `alphabet`, then rules; each of the two once", err);
    if (!tokens) return read_alphabet(r, l, at, err);
    r->tokens = true;
    return at < l->size ? fail_in_rule(l, at, "expected the end of the line after `tokens`", err)
                        : F2L_OK;
}

static f2l_status read_rules_lines(reader *r, f2l_error *err)
{
    line l;
    if (!next_rule_line(r, &l) || l.size != 5 || memcmp(l.text, "rules", 5) != 0)
        return f2l_fail_at(err, r->number > 0 ? r->number : 1, 0, "expected a line `rules`");
    f2l_status status = F2L_OK;
    while (status == F2L_OK && next_rule_line(r, &l)) status = read_rules_line(r, &l, err);
    if (status == F2L_OK && r->rules == 0)
        return f2l_fail_at(err, r->number, 0, "expected a rule, NAME = EXPRESSION");
    if (status == F2L_OK && r->letters.count == 0)
        return f2l_fail_at(err, r->number, 0, "no rule mentions a letter");
    return status;
}

f2l_status f2l_import_rules(f2l_nfa *out, const char *bytes, size_t size, f2l_error *err)
{
    const size_t start = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    reader r = {.bytes = bytes + start, .size = size - start};
    f2l_names_init(&r.letters);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK) status = read_rules_lines(&r, err);
    if (status == F2L_OK) status = f2l_regex_compile(out, r.rule, r.rules, &r.letters, err);
    f2l_import_source(out, "rules");
    for (size_t i = 0; i < r.rules; i++) f2l_buf_clear(&r.rule[i].normal);
    f2l_free(r.rule);
    f2l_names_clear(&r.letters);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
