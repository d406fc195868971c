#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_DEPTH 100
#define MAX_TEXT 4096
#define NO_LIMIT SIZE_MAX

typedef struct parser {
    const char *text;
    size_t size, at, depth;
    bool fixed; /* the alphabet is given */
    f2l_names *letters;
    f2l_buf *out;
} parser;

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

static f2l_status fail(size_t at, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, 1, at + 1, "regular expression: %s", text);
}

static bool more(const parser *p)
{
    return p->at < p->size;
}

static bool looking_at(const parser *p, char c)
{
    return more(p) && p->text[p->at] == c;
}

/* Takes the next character; the text is known to be UTF-8. */
static character take(parser *p)
{
    character c = {p->text + p->at, 1, (unsigned char)p->text[p->at]};
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
    if (*index != F2L_NO_INDEX || p->fixed) return F2L_OK;
    if (p->letters->count == F2L_REGEX_MAX_LETTERS)
        return fail(at, "more than 190 different characters", err);
    return f2l_names_add(p->letters, text, size, index, err);
}

static void put(parser *p, const char *text)
{
    f2l_buf_text(p->out, text);
}

static void put_letter(parser *p, size_t index)
{
    unsigned char byte = f2l_regex_byte(index);
    f2l_buf_bytes(p->out, &byte, 1);
}

static f2l_status put_literal(parser *p, size_t at, character c, f2l_error *err)
{
    size_t index;
    f2l_status status = find_letter(p, c.text, c.size, at, &index, err);
    if (status == F2L_OK && index == F2L_NO_INDEX)
        return fail(at, "a character outside the alphabet", err);
    if (status == F2L_OK) put_letter(p, index);
    return status;
}

static size_t put_set(parser *p, const letter_set *set)
{
    size_t members = 0;
    put(p, "[");
    for (size_t i = 0; i < p->letters->count; i++)
        if (set->has[i]) {
            put_letter(p, i);
            members++;
        }
    if (members == 0) f2l_buf_bytes(p->out, (const char[]){F2L_REGEX_NEVER}, 1);
    put(p, "]");
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
    size_t at = p->at, name = p->at + 2;
    p->at = name;
    while (more(p) && p->text[p->at] >= 'a' && p->text[p->at] <= 'z') p->at++;
    const char *ranges = class_ranges(p->text + name, p->at - name);
    if (ranges == NULL || p->at + 1 >= p->size || memcmp(p->text + p->at, ":]", 2) != 0)
        return fail(at,
                    "expected [:alnum:], alpha, blank, digit, lower, punct, space, upper or xdigit",
                    err);
    p->at += 2;
    f2l_status status = F2L_OK;
    for (; *ranges != '\0' && status == F2L_OK; ranges += 2)
        status = add_range(p, set, (unsigned char)ranges[0], (unsigned char)ranges[1], at, err);
    return status;
}

/* Reads a character or a range of them inside brackets. */
static f2l_status class_item(parser *p, letter_set *set, f2l_error *err)
{
    size_t at = p->at;
    if (looking_at(p, '[') && at + 1 < p->size) {
        char kind = p->text[at + 1];
        if (kind == ':') return named_class(p, set, err);
        if (kind == '.' || kind == '=')
            return fail(at, "collating elements [. .] and [= =] are not read", err);
    }
    character from = take(p);
    if (looking_at(p, '-') && p->at + 1 < p->size && p->text[p->at + 1] != ']') {
        p->at++;
        character to = take(p);
        if (to.code < from.code)
            return fail(at,
                        "a range whose end comes before its "
                        "beginning",
                        err);
        return add_range(p, set, from.code, to.code, at, err);
    }
    size_t index;
    f2l_status status = find_letter(p, from.text, from.size, at, &index, err);
    if (status == F2L_OK && index == F2L_NO_INDEX)
        return fail(at, "a character outside the alphabet", err);
    if (status == F2L_OK) set->has[index] = true;
    return status;
}

/* Reads "[..]", in which a backslash is a character like others. Sets *size to the number of
 * members. */
static f2l_status bracket(parser *p, size_t *size, f2l_error *err)
{
    size_t start = p->at++;
    letter_set set = {{false}};
    bool negated = looking_at(p, '^');
    if (negated && !p->fixed)
        return fail(start,
                    "[^..] needs the alphabet (--alphabet "
                    "LETTERS)",
                    err);
    p->at += negated;
    f2l_status status = F2L_OK;
    for (bool first = true; status == F2L_OK && (first || !looking_at(p, ']')); first = false) {
        if (!more(p)) return fail(start, "[ without its ]", err);
        status = class_item(p, &set, err);
    }
    if (status != F2L_OK) return status;
    p->at++;
    for (size_t i = 0; i < p->letters->count; i++) set.has[i] ^= negated;
    *size = put_set(p, &set);
    return F2L_OK;
}

static f2l_status any_letter(parser *p, size_t *size, f2l_error *err)
{
    if (!p->fixed) return fail(p->at, ". needs the alphabet (--alphabet LETTERS)", err);
    letter_set all = {{false}};
    for (size_t i = 0; i < p->letters->count; i++) all.has[i] = true;
    p->at++;
    *size = put_set(p, &all);
    return F2L_OK;
}

static f2l_status escaped(parser *p, f2l_error *err)
{
    size_t at = p->at++;
    if (!more(p)) return fail(at, "\\ at the end", err);
    if (strchr(".[]()*+?{}|^$\\/-\"'#,:;<>=!@%&~`_", p->text[p->at]) == NULL)
        return fail(at, "\\ must be followed by a punctuation mark, which it makes a letter", err);
    return put_literal(p, at, take(p), err);
}

static f2l_status alternation(parser *p, size_t *size, f2l_error *err);

static f2l_status group(parser *p, size_t *size, f2l_error *err)
{
    size_t start = p->at++;
    if (p->depth == MAX_DEPTH) return fail(start, "parentheses nested too deeply", err);
    p->depth++;
    put(p, "(");
    f2l_status status = alternation(p, size, err);
    if (status == F2L_OK && !looking_at(p, ')')) return fail(start, "( without its )", err);
    put(p, ")");
    p->at++;
    p->depth--;
    return status;
}

/* Reads an atom, and sets *size to its number of letters. */
static f2l_status atom(parser *p, size_t *size, f2l_error *err)
{
    *size = 1;
    switch (p->text[p->at]) {
    case '(':
        return group(p, size, err);
    case '[':
        return bracket(p, size, err);
    case '.':
        return any_letter(p, size, err);
    case '\\':
        return escaped(p, err);
    case '*':
    case '+':
    case '?':
    case '{':
        return fail(p->at, "nothing to repeat; write \\ before an operator to make it a letter",
                    err);
    case '^':
    case '$':
        return fail(p->at,
                    "whole words are matched, so that anchors are not needed; \\ makes it a letter",
                    err);
    default:
        break;
    }
    size_t at = p->at;
    return put_literal(p, at, take(p), err);
}

static f2l_status read_count(parser *p, size_t *count, f2l_error *err)
{
    size_t at = p->at;
    *count = 0;
    while (more(p) && p->text[p->at] >= '0' && p->text[p->at] <= '9' &&
           *count <= F2L_REGEX_MAX_SIZE)
        *count = 10 * *count + (size_t)(p->text[p->at++] - '0');
    if (p->at == at) return fail(at, "expected {COUNT}, {COUNT,} or {COUNT,COUNT}", err);
    return *count <= F2L_REGEX_MAX_SIZE ? F2L_OK : fail(at, "a count beyond 2000", err);
}

/* Reads "{m}", "{m,}" or "{m,n}"; *most is NO_LIMIT for the second. */
static f2l_status braces(parser *p, size_t *least, size_t *most, f2l_error *err)
{
    size_t start = p->at++;
    f2l_status status = read_count(p, least, err);
    *most = *least;
    if (status == F2L_OK && looking_at(p, ',')) {
        p->at++;
        *most = NO_LIMIT;
        if (!looking_at(p, '}')) status = read_count(p, most, err);
    }
    if (status != F2L_OK) return status;
    if (!looking_at(p, '}')) return fail(start, "expected {COUNT}, {COUNT,} or {COUNT,COUNT}", err);
    if (*most < *least) return fail(start, "a repetition whose limits are in the wrong order", err);
    p->at++;
    return F2L_OK;
}

/* Puts parentheses around what was written since `from`: libfa reads a second operator as a
 * letter. */
static void wrap(parser *p, size_t from)
{
    put(p, "()");
    if (p->out->failed) return;
    char *data = p->out->data;
    memmove(data + from + 1, data + from, p->out->size - from - 2);
    data[from] = '(';
    data[p->out->size - 1] = ')';
}

static f2l_status check_size(size_t at, size_t size, f2l_error *err)
{
    if (size <= F2L_REGEX_MAX_SIZE) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN,
                    "regular expression: more than %d letters up to column %zu, repetitions "
                    "written out",
                    F2L_REGEX_MAX_SIZE, at + 1);
}

/* Writes "{m,n}" behind what was written since `from`, which has *size letters. */
static f2l_status repeat(parser *p, size_t from, size_t *size, f2l_error *err)
{
    size_t least, most;
    wrap(p, from);
    f2l_status status = braces(p, &least, &most, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(p->out, "{%zu,", least);
    if (most != NO_LIMIT) f2l_buf_size(p->out, most);
    put(p, "}");
    size_t copies = most == NO_LIMIT ? least + 1 : most;
    *size = copies > 1 ? *size * copies : *size;
    return check_size(p->at, *size, err);
}

/* Reads an atom with any number of operators behind it. Several among * + ? become one: libfa
 * copies what + repeats, so that a row of them would take exponential time. */
static f2l_status piece(parser *p, size_t *size, f2l_error *err)
{
    size_t from = p->out->size;
    f2l_status status = atom(p, size, err);
    char last = '\0';
    while (status == F2L_OK && more(p) && strchr("*+?{", p->text[p->at]) != NULL) {
        if (p->text[p->at] == '{') {
            last = '\0';
            status = repeat(p, from, size, err);
            continue;
        }
        char sign = p->text[p->at++];
        if (last != '\0') {
            p->out->size--;
            sign = sign == last ? last : '*';
        } else {
            wrap(p, from);
        }
        /* e+ is e followed by e*. */
        if (sign == '+' && last == '\0') *size *= 2;
        f2l_buf_bytes(p->out, &sign, 1);
        last = sign;
        status = check_size(p->at, *size, err);
    }
    return status;
}

/* Reads branches separated by |, up to ) or the end. An empty branch is the empty word. */
static f2l_status alternation(parser *p, size_t *size, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t total = 1;
    while (status == F2L_OK && more(p) && !looking_at(p, ')')) {
        size_t one = 0;
        if (looking_at(p, '|')) {
            p->at++;
            put(p, "|");
            continue;
        }
        status = piece(p, &one, err);
        total += one;
        if (status == F2L_OK) status = check_size(p->at, total, err);
    }
    *size = total;
    return status;
}

f2l_status f2l_regex_parse(f2l_buf *out, f2l_names *letters, const char *regex, f2l_error *err)
{
    parser p = {regex, strlen(regex), 0, 0, letters->count > 0, letters, out};
    size_t at, size;
    if (!f2l_utf8_valid(regex, p.size, &at)) return fail(at, "not UTF-8", err);
    if (p.size > MAX_TEXT) return fail(MAX_TEXT, "longer than 4096 bytes", err);
    f2l_status status = alternation(&p, &size, err);
    if (status == F2L_OK && p.at < p.size) return fail(p.at, ") without its (", err);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
