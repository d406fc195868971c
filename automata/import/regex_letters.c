/* The letters of regular expressions: characters, names, classes and escapes. */
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include <string.h>

typedef f2l_regex_parser parser;

/* A character of the expression. */
typedef struct character {
    const char *text;
    size_t size;
    uint32_t code;
} character;

/* A set of letters. */
typedef struct letter_set {
    bool has[F2L_REGEX_MAX_LETTERS];
} letter_set;

unsigned char f2l_regex_byte(size_t index)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return index < 62 ? (unsigned char)plain[index] : (unsigned char)(0x80 + (index - 62));
}

f2l_status f2l_regex_fail(const parser *p, size_t at, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, p->source.line, p->source.column + at, "regular expression: %s", text);
}

bool f2l_regex_more(const parser *p)
{
    return p->at < p->source.size;
}

bool f2l_regex_looking_at(const parser *p, char c)
{
    return f2l_regex_more(p) && p->source.text[p->at] == c;
}

static bool is_regex_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void f2l_regex_skip_blank(parser *p)
{
    while (p->source.tokens && f2l_regex_more(p) && is_regex_blank(p->source.text[p->at])) p->at++;
}

/* Takes the next character; the text is known to be UTF-8. */
static character take_regex_character(parser *p)
{
    character c = {p->source.text + p->at, 1, (unsigned char)p->source.text[p->at]};
    if (c.code >= 0xc0) {
        c.size = c.code >= 0xf0 ? 4 : c.code >= 0xe0 ? 3 : 2;
        c.code &= 0xffu >> (c.size + 1);
        for (size_t i = 1; i < c.size; i++)
            c.code = c.code << 6 | ((unsigned char)c.text[i] & 0x3fu);
    }
    p->at += c.size;
    return c;
}

/* Sets *index to the letter of that spelling, or to F2L_NO_INDEX when a given alphabet lacks it. */
static f2l_status find_letter(parser *p, const char *text, size_t size, size_t at, size_t *index,
                              f2l_error *err)
{
    *index = f2l_names_find(p->letters, text, size);
    if (*index != F2L_NO_INDEX || p->source.fixed) return F2L_OK;
    if (p->letters->count == F2L_REGEX_MAX_LETTERS)
        return f2l_regex_fail(p, at, "more than 190 different letters", err);
    return f2l_names_add(p->letters, text, size, index, err);
}

/* Sets *index to the letter of that spelling, which a given alphabet has to have. */
static f2l_status known_letter(parser *p, const char *text, size_t size, size_t at, size_t *index,
                               f2l_error *err)
{
    f2l_status status = find_letter(p, text, size, at, index, err);
    if (status != F2L_OK || *index != F2L_NO_INDEX) return status;
    return f2l_regex_fail(p, at,
                          p->source.tokens ? "a letter outside the alphabet"
                                           : "a character outside the alphabet",
                          err);
}

static f2l_status needs_alphabet(const parser *p, size_t at, const char *what, f2l_error *err)
{
    return f2l_fail_at(err, p->source.line, p->source.column + at,
                       "regular expression: %s needs the alphabet (%s)", what,
                       p->source.in_rules ? "a line `alphabet`" : "--alphabet LETTERS");
}

static void put_regex_letter(parser *p, size_t index)
{
    unsigned char byte = f2l_regex_byte(index);
    f2l_buf_bytes(p->out, &byte, 1);
}

static size_t put_regex_set(parser *p, const letter_set *set)
{
    size_t members = 0;
    f2l_buf_text(p->out, "[");
    for (size_t i = 0; i < p->letters->count; i++)
        if (set->has[i]) {
            put_regex_letter(p, i);
            members++;
        }
    if (members == 0) f2l_buf_bytes(p->out, (const char[]){F2L_REGEX_NEVER}, 1);
    f2l_buf_text(p->out, "]");
    return members;
}

/* Adds the characters from..to; characters that a given alphabet lacks are passed over. */
static f2l_status add_range(parser *p, letter_set *set, uint32_t from, uint32_t to, size_t at,
                            f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf name;
    f2l_buf_init(&name);
    for (uint32_t code = from; code <= to && status == F2L_OK; code++) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        size_t index = F2L_NO_INDEX;
        name.size = 0;
        f2l_buf_utf8(&name, code);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = find_letter(p, name.data, name.size, at, &index, err);
        if (status == F2L_OK && index != F2L_NO_INDEX) set->has[index] = true;
    }
    f2l_buf_clear(&name);
    return status;
}

/* The ASCII members of POSIX's classes, as pairs of range ends. */
static const char *class_ranges(const char *name, size_t size)
{
    static const char *const table[][2] = {
        {"digit", "09"},      {"lower", "az"},       {"upper", "AZ"},
        {"alpha", "azAZ"},    {"alnum", "azAZ09"},   {"blank", "  \t\t"},
        {"xdigit", "09AFaf"}, {"punct", "!/:@[`{~"}, {"space", "  \t\r"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i][0]) == size && memcmp(table[i][0], name, size) == 0) return table[i][1];
    return NULL;
}

/* Reads "[:name:]" inside brackets. */
static f2l_status named_class(parser *p, letter_set *set, f2l_error *err)
{
    const char *text = p->source.text;
    size_t at = p->at, name = p->at + 2;
    p->at = name;
    while (f2l_regex_more(p) && text[p->at] >= 'a' && text[p->at] <= 'z') p->at++;
    const char *ranges = class_ranges(text + name, p->at - name);
    if (ranges == NULL || p->at + 1 >= p->source.size || memcmp(text + p->at, ":]", 2) != 0)
        return f2l_regex_fail(
            p, at, "expected [:alnum:], alpha, blank, digit, lower, punct, space, upper or xdigit",
            err);
    p->at += 2;
    f2l_status status = F2L_OK;
    for (; *ranges != '\0' && status == F2L_OK; ranges += 2)
        status = add_range(p, set, (unsigned char)ranges[0], (unsigned char)ranges[1], at, err);
    return status;
}

/* Takes a character inside brackets. A backslash, which POSIX takes as a letter and others as an
 * escape, must be there twice. */
static f2l_status take_bracket_character(parser *p, character *out, f2l_error *err)
{
    *out = take_regex_character(p);
    if (*out->text != '\\') return F2L_OK;
    if (!f2l_regex_looking_at(p, '\\'))
        return f2l_regex_fail(p, p->at - 1,
                              "\\ in brackets is a letter of POSIX and an escape elsewhere; write "
                              "\\\\ for the letter, no \\ before another letter, [:digit:] for a "
                              "class, ] first and - last",
                              err);
    p->at++;
    return F2L_OK;
}

/* Reads a character or a range of them inside brackets. */
static f2l_status class_item(parser *p, letter_set *set, f2l_error *err)
{
    size_t at = p->at;
    if (f2l_regex_looking_at(p, '[') && at + 1 < p->source.size) {
        char kind = p->source.text[at + 1];
        if (kind == ':') return named_class(p, set, err);
        if (kind == '.' || kind == '=')
            return f2l_regex_fail(p, at, "collating elements [. .] and [= =] are not read", err);
    }
    character from, to;
    f2l_status status = take_bracket_character(p, &from, err);
    if (status != F2L_OK) return status;
    if (f2l_regex_looking_at(p, '-') && p->at + 1 < p->source.size &&
        p->source.text[p->at + 1] != ']') {
        p->at++;
        status = take_bracket_character(p, &to, err);
        if (status != F2L_OK) return status;
        if (to.code < from.code)
            return f2l_regex_fail(p, at, "a range whose end comes before its beginning", err);
        return add_range(p, set, from.code, to.code, at, err);
    }
    size_t index;
    status = known_letter(p, from.text, from.size, at, &index, err);
    if (status == F2L_OK) set->has[index] = true;
    return status;
}

static f2l_status check_escape(const parser *p, size_t at, f2l_error *err)
{
    if (at + 1 >= p->source.size) return f2l_regex_fail(p, at, "\\ at the end", err);
    if (strchr(".[]()*+?{}|^$\\/-\"'#,:;<>=!@%&~`_", p->source.text[at + 1]) != NULL) return F2L_OK;
    return f2l_regex_fail(
        p, at, "\\ must be followed by a punctuation mark, which it makes a letter", err);
}

static bool ends_name(char c)
{
    return is_regex_blank(c) || strchr(".[]()*+?{}|^$", c) != NULL;
}

/* Reads the name of a letter, which ends before a blank or an operator. */
static f2l_status read_letter_name(parser *p, size_t *index, f2l_error *err)
{
    const size_t at = p->at;
    f2l_status status = F2L_OK;
    f2l_buf name;
    f2l_buf_init(&name);
    while (status == F2L_OK && f2l_regex_more(p) && !ends_name(p->source.text[p->at])) {
        if (p->source.text[p->at] == '\\') {
            status = check_escape(p, p->at, err);
            if (status == F2L_OK) p->at++;
        }
        if (status == F2L_OK) f2l_buf_bytes(&name, p->source.text + p->at++, 1);
    }
    if (status == F2L_OK) status = f2l_buf_status(&name, err);
    if (status == F2L_OK && name.size == 0)
        status = f2l_regex_fail(p, at, "expected the name of a letter", err);
    if (status == F2L_OK) status = known_letter(p, name.data, name.size, at, index, err);
    f2l_buf_clear(&name);
    return status;
}

static f2l_status name_item(parser *p, letter_set *set, f2l_error *err)
{
    size_t index;
    f2l_status status = read_letter_name(p, &index, err);
    if (status == F2L_OK) set->has[index] = true;
    f2l_regex_skip_blank(p);
    return status;
}

f2l_status f2l_regex_bracket(parser *p, size_t *size, f2l_error *err)
{
    size_t start = p->at++;
    letter_set set = {{false}};
    bool negated = f2l_regex_looking_at(p, '^');
    if (negated && !p->source.fixed) return needs_alphabet(p, start, "[^..]", err);
    p->at += negated;
    f2l_regex_skip_blank(p);
    f2l_status status = F2L_OK;
    for (bool first = true; status == F2L_OK && (first || !f2l_regex_looking_at(p, ']'));
         first = false) {
        if (!f2l_regex_more(p)) return f2l_regex_fail(p, start, "[ without its ]", err);
        status = p->source.tokens ? name_item(p, &set, err) : class_item(p, &set, err);
    }
    if (status != F2L_OK) return status;
    p->at++;
    for (size_t i = 0; i < p->letters->count; i++) set.has[i] ^= negated;
    *size = put_regex_set(p, &set);
    return F2L_OK;
}

f2l_status f2l_regex_any(parser *p, size_t *size, f2l_error *err)
{
    if (!p->source.fixed) return needs_alphabet(p, p->at, ".", err);
    letter_set all = {{false}};
    for (size_t i = 0; i < p->letters->count; i++) all.has[i] = true;
    p->at++;
    *size = put_regex_set(p, &all);
    return F2L_OK;
}

/* Refuses names of the empty word outside brackets, unless the alphabet has them. */
static f2l_status check_epsilon(const parser *p, size_t index, size_t at, f2l_error *err)
{
    const char *name = f2l_names_get(p->letters, index);
    if (p->source.fixed || !f2l_letter_may_be_epsilon(name, strlen(name))) return F2L_OK;
    return f2l_fail_at(err, p->source.line, p->source.column + at,
                       "regular expression: `%s` may be a letter or the empty word: () is the "
                       "empty word, and [%s] the letter",
                       name, name);
}

f2l_status f2l_regex_letter(parser *p, f2l_error *err)
{
    const size_t at = p->at;
    size_t index = 0;
    f2l_status status = F2L_OK;
    if (p->source.tokens) {
        status = read_letter_name(p, &index, err);
    } else {
        const bool escaped = f2l_regex_looking_at(p, '\\');
        if (escaped) status = check_escape(p, at, err);
        if (status != F2L_OK) return status;
        p->at += escaped;
        const character c = take_regex_character(p);
        status = known_letter(p, c.text, c.size, at, &index, err);
    }
    if (status == F2L_OK) status = check_epsilon(p, index, at, err);
    if (status == F2L_OK) put_regex_letter(p, index);
    return status;
}
