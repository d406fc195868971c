#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_DEPTH 100
#define MAX_TEXT 4096
#define NO_LIMIT SIZE_MAX

typedef f2l_regex_parser parser;

static void put_regex_text(parser *p, const char *text)
{
    f2l_buf_text(p->out, text);
}

static f2l_status alternation(parser *p, size_t *size, f2l_error *err);

/* Skips ?: behind a parenthesis, which marks a group that other programs do not capture; refuses
 * their other marks. */
static f2l_status skip_group_mark(parser *p, f2l_error *err)
{
    const char *text = p->source.text + p->at;
    const size_t size = p->source.size - p->at;
    if (size < 2 || text[0] != '?') return F2L_OK;
    if (text[1] == ':') {
        p->at += 2;
        return F2L_OK;
    }
    const bool looks = text[1] == '=' || text[1] == '!' || text[1] == '>' ||
                       (size > 2 && text[1] == '<' && (text[2] == '=' || text[2] == '!'));
    return f2l_regex_fail(p, p->at - 1,
                          looks ? "(?=..), (?!..), (?<..) and (?>..) look around, which is not "
                                  "read; write the words that are meant"
                                : "names of groups and flags (?..) are not read; (..) and (?:..) "
                                  "are groups",
                          err);
}

static f2l_status group(parser *p, size_t *size, f2l_error *err)
{
    size_t start = p->at++;
    f2l_status marked = skip_group_mark(p, err);
    if (marked != F2L_OK) return marked;
    if (p->depth == MAX_DEPTH)
        return f2l_regex_fail(p, start, "parentheses nested too deeply", err);
    p->depth++;
    put_regex_text(p, "(");
    f2l_status status = alternation(p, size, err);
    if (status == F2L_OK && !f2l_regex_looking_at(p, ')'))
        return f2l_regex_fail(p, start, "( without its )", err);
    put_regex_text(p, ")");
    p->at++;
    p->depth--;
    return status;
}

/* Reads an atom, and sets *size to its number of letters. */
static f2l_status atom(parser *p, size_t *size, f2l_error *err)
{
    *size = 1;
    switch (p->source.text[p->at]) {
    case '(':
        return group(p, size, err);
    case '[':
        return f2l_regex_bracket(p, size, err);
    case '.':
        return f2l_regex_any(p, size, err);
    case '*':
    case '+':
    case '?':
    case '{':
        return f2l_regex_fail(
            p, p->at, "nothing to repeat; write \\ before an operator to make it a letter", err);
    case '^':
    case '$':
        return f2l_regex_fail(
            p, p->at,
            "whole words are matched, so that anchors are not needed; \\ makes it a letter", err);
    default:
        break;
    }
    return f2l_regex_letter(p, err);
}

static f2l_status read_count(parser *p, size_t *count, f2l_error *err)
{
    size_t at = p->at;
    *count = 0;
    while (f2l_regex_more(p) && p->source.text[p->at] >= '0' && p->source.text[p->at] <= '9' &&
           *count <= F2L_REGEX_MAX_SIZE)
        *count = 10 * *count + (size_t)(p->source.text[p->at++] - '0');
    if (p->at == at)
        return f2l_regex_fail(p, at, "expected {COUNT}, {COUNT,} or {COUNT,COUNT}", err);
    return *count <= F2L_REGEX_MAX_SIZE ? F2L_OK
                                        : f2l_regex_fail(p, at, "a count beyond 2000", err);
}

/* Reads "{m}", "{m,}" or "{m,n}"; *most is NO_LIMIT for the second. */
static f2l_status braces(parser *p, size_t *least, size_t *most, f2l_error *err)
{
    size_t start = p->at++;
    f2l_status status = read_count(p, least, err);
    *most = *least;
    if (status == F2L_OK && f2l_regex_looking_at(p, ',')) {
        p->at++;
        *most = NO_LIMIT;
        if (!f2l_regex_looking_at(p, '}')) status = read_count(p, most, err);
    }
    if (status != F2L_OK) return status;
    if (!f2l_regex_looking_at(p, '}'))
        return f2l_regex_fail(p, start, "expected {COUNT}, {COUNT,} or {COUNT,COUNT}", err);
    if (*most < *least)
        return f2l_regex_fail(p, start, "a repetition whose limits are in the wrong order", err);
    p->at++;
    return F2L_OK;
}

/* Puts parentheses around what was written since `from`: libfa reads a second operator as a
 * letter. */
static void wrap_in_parentheses(parser *p, size_t from)
{
    put_regex_text(p, "()");
    if (p->out->failed) return;
    char *data = p->out->data;
    memmove(data + from + 1, data + from, p->out->size - from - 2);
    data[from] = '(';
    data[p->out->size - 1] = ')';
}

static f2l_status check_size(const parser *p, size_t size, f2l_error *err)
{
    if (size <= F2L_REGEX_MAX_SIZE) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN,
                    "regular expression: more than %d letters up to column %zu, repetitions "
                    "written out",
                    F2L_REGEX_MAX_SIZE, p->source.column + p->at);
}

/* Writes "{m,n}" behind what was written since `from`, which has *size letters. */
static f2l_status put_repetition(parser *p, size_t from, size_t *size, f2l_error *err)
{
    size_t least, most;
    wrap_in_parentheses(p, from);
    f2l_status status = braces(p, &least, &most, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(p->out, "{%zu,", least);
    if (most != NO_LIMIT) f2l_buf_size(p->out, most);
    put_regex_text(p, "}");
    size_t copies = most == NO_LIMIT ? least + 1 : most;
    *size = copies > 1 ? *size * copies : *size;
    return check_size(p, *size, err);
}

static bool at_repetition(parser *p)
{
    f2l_regex_skip_blank(p);
    return f2l_regex_more(p) && strchr("*+?{", p->source.text[p->at]) != NULL;
}

/* Refuses a second sign that other programs read as a lazy or a possessive repetition where the
 * words differ: x+? is x+ there, and the empty word or more here; x*+ leaves no x for what
 * follows. */
static f2l_status check_second_sign(const parser *p, char last, bool repeated, f2l_error *err)
{
    const char sign = p->source.text[p->at];
    const bool braces = last == '\0' && repeated;
    if (sign == '?' ? last != '+' && !braces : sign != '+' || (last == '\0' && !braces))
        return F2L_OK;
    return f2l_regex_fail(p, p->at,
                          "a second sign, which other programs read as lazy or possessive; write "
                          "parentheses, (x+)?, or leave it out",
                          err);
}

/* Reads an atom with any number of operators behind it. Several among * + ? become one: libfa
 * copies what + repeats, so that a row of them would take exponential time. */
static f2l_status piece(parser *p, size_t *size, f2l_error *err)
{
    size_t from = p->out->size;
    f2l_status status = atom(p, size, err);
    char last = '\0';
    bool repeated = false;
    while (status == F2L_OK && at_repetition(p)) {
        if (p->source.text[p->at] == '{') {
            last = '\0';
            repeated = true;
            status = put_repetition(p, from, size, err);
            continue;
        }
        status = check_second_sign(p, last, repeated, err);
        if (status != F2L_OK) return status;
        char sign = p->source.text[p->at++];
        if (last != '\0') {
            p->out->size--;
            sign = sign == last ? last : '*';
        } else {
            wrap_in_parentheses(p, from);
        }
        /* e+ is e followed by e*. */
        if (sign == '+' && last == '\0') *size *= 2;
        f2l_buf_bytes(p->out, &sign, 1);
        last = sign;
        status = check_size(p, *size, err);
    }
    return status;
}

static bool at_branch(parser *p)
{
    f2l_regex_skip_blank(p);
    return f2l_regex_more(p) && !f2l_regex_looking_at(p, ')');
}

/* Reads branches separated by |, up to ) or the end. An empty branch is the empty word. */
static f2l_status alternation(parser *p, size_t *size, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t total = 1;
    while (status == F2L_OK && at_branch(p)) {
        size_t one = 0;
        if (f2l_regex_looking_at(p, '|')) {
            p->at++;
            put_regex_text(p, "|");
            continue;
        }
        status = piece(p, &one, err);
        total += one;
        if (status == F2L_OK) status = check_size(p, total, err);
    }
    *size = total;
    return status;
}

f2l_status f2l_regex_parse(f2l_buf *out, f2l_names *letters, const f2l_regex_source *source,
                           f2l_error *err)
{
    parser p = {*source, 0, 0, letters, out};
    size_t at, size;
    if (!f2l_utf8_valid(source->text, source->size, &at))
        return f2l_regex_fail(&p, at, "not UTF-8", err);
    if (source->size > MAX_TEXT) return f2l_regex_fail(&p, MAX_TEXT, "longer than 4096 bytes", err);
    f2l_status status = alternation(&p, &size, err);
    if (status == F2L_OK && f2l_regex_more(&p))
        return f2l_regex_fail(&p, p.at, ") without its (", err);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
