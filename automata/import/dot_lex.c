#include "automata/import/impl.h"
#include "numeric/base/text.h"
#include <string.h>

static size_t here(const f2l_dot_lexer *x)
{
    return x->at - x->line_start + 1;
}

static bool at_end(const f2l_dot_lexer *x)
{
    return x->at >= x->size;
}

static bool looking_at(const f2l_dot_lexer *x, const char *two)
{
    return x->at + 1 < x->size && x->bytes[x->at] == two[0] && x->bytes[x->at + 1] == two[1];
}

static void advance(f2l_dot_lexer *x)
{
    if (x->bytes[x->at++] == '\n') {
        x->line++;
        x->line_start = x->at;
    }
}

static void skip_to_line_end(f2l_dot_lexer *x)
{
    while (!at_end(x) && x->bytes[x->at] != '\n') x->at++;
}

static f2l_status skip_comment(f2l_dot_lexer *x, f2l_error *err)
{
    size_t line = x->line, column = here(x);
    x->at += 2;
    while (!at_end(x) && !looking_at(x, "*/")) advance(x);
    if (at_end(x)) return f2l_fail_at(err, line, column, "comment without its end */");
    x->at += 2;
    return F2L_OK;
}

static f2l_status skip_blank(f2l_dot_lexer *x, f2l_error *err)
{
    while (!at_end(x)) {
        char c = x->bytes[x->at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            advance(x);
        } else if (looking_at(x, "//") || (c == '#' && x->at == x->line_start)) {
            skip_to_line_end(x);
        } else if (looking_at(x, "/*")) {
            f2l_status status = skip_comment(x, err);
            if (status != F2L_OK) return status;
        } else {
            break;
        }
    }
    return F2L_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static f2l_status intern(f2l_dot_lexer *x, const char *text, size_t size, f2l_dot_token *token,
                         f2l_error *err)
{
    size_t index;
    f2l_status status = f2l_names_add(x->text, text, size, &index, err);
    if (status == F2L_OK) token->text = (uint32_t)index;
    return status;
}

static f2l_status identifier(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    size_t from = x->at;
    while (!at_end(x) && (is_name_byte(x->bytes[x->at]) || is_digit(x->bytes[x->at]))) x->at++;
    token->kind = F2L_DOT_ID;
    return intern(x, x->bytes + from, x->at - from, token, err);
}

/* -1, .5, 7.5, 12: in DOT a numeral is an identifier. */
static f2l_status numeral(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    size_t from = x->at, digits = 0;
    if (x->bytes[x->at] == '-') x->at++;
    for (bool dot = false; !at_end(x); x->at++) {
        if (is_digit(x->bytes[x->at]))
            digits++;
        else if (x->bytes[x->at] == '.' && !dot)
            dot = true;
        else
            break;
    }
    if (digits == 0 || (!at_end(x) && is_name_byte(x->bytes[x->at])))
        return f2l_fail_at(err, token->line, token->column,
                           "expected a number; quote names that begin like one");
    token->kind = F2L_DOT_ID;
    return intern(x, x->bytes + from, x->at - from, token, err);
}

/* Appends one quoted piece. Only \" and a line end after \ mean something at this level. */
static f2l_status quoted_piece(f2l_dot_lexer *x, f2l_buf *text, f2l_error *err)
{
    size_t line = x->line, column = here(x);
    x->at++;
    while (!at_end(x) && x->bytes[x->at] != '"') {
        if (looking_at(x, "\\\"")) {
            x->at++;
        } else if (looking_at(x, "\\\\")) {
            f2l_buf_bytes(text, "\\", 1);
            x->at++;
        } else if (looking_at(x, "\\\n")) {
            x->at++;
            advance(x);
            continue;
        }
        f2l_buf_bytes(text, x->bytes + x->at, 1);
        advance(x);
    }
    if (at_end(x)) return f2l_fail_at(err, line, column, "string without its closing quote");
    x->at++;
    return F2L_OK;
}

static f2l_status quoted(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = quoted_piece(x, &text, err);
    while (status == F2L_OK) {
        f2l_dot_lexer before = *x;
        status = skip_blank(x, err);
        if (status == F2L_OK && !at_end(x) && x->bytes[x->at] == '+') {
            x->at++;
            status = skip_blank(x, err);
            if (status == F2L_OK && (at_end(x) || x->bytes[x->at] != '"'))
                status = f2l_fail_at(err, x->line, here(x), "expected a quoted string after +");
            if (status == F2L_OK) status = quoted_piece(x, &text, err);
        } else {
            *x = before;
            break;
        }
    }
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    token->kind = F2L_DOT_STRING;
    if (status == F2L_OK) status = intern(x, text.size > 0 ? text.data : "", text.size, token, err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status html(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    size_t from = x->at, depth = 0;
    do {
        depth += x->bytes[x->at] == '<';
        depth -= x->bytes[x->at] == '>';
        advance(x);
    } while (depth > 0 && !at_end(x));
    if (depth > 0)
        return f2l_fail_at(err, token->line, token->column, "HTML string without its closing >");
    token->kind = F2L_DOT_HTML;
    return intern(x, x->bytes + from, x->at - from, token, err);
}

f2l_status f2l_dot_next(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    f2l_status status = skip_blank(x, err);
    if (status != F2L_OK) return status;
    *token = (f2l_dot_token){
        .kind = F2L_DOT_END, .text = F2L_DOT_NONE, .line = x->line, .column = here(x)};
    if (at_end(x)) return F2L_OK;
    char c = x->bytes[x->at];
    if (looking_at(x, "->") || looking_at(x, "--")) {
        token->kind = x->bytes[x->at + 1] == '>' ? F2L_DOT_ARROW : F2L_DOT_LINE;
        x->at += 2;
        return F2L_OK;
    }
    if (is_name_byte(c)) return identifier(x, token, err);
    if (is_digit(c) || c == '-' || c == '.') return numeral(x, token, err);
    if (c == '"') return quoted(x, token, err);
    if (c == '<') return html(x, token, err);
    if (strchr("{}[]=;,:", c) == NULL)
        return f2l_fail_at(err, token->line, token->column,
                           "unexpected character in a DOT file; "
                           "quote it");
    token->kind = F2L_DOT_PUNCTUATION;
    token->punctuation = c;
    x->at++;
    return F2L_OK;
}
