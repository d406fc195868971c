#include "automata/import/dot/dot.h"
#include "numeric/base/text.h"
#include <string.h>

static void skip_to_line_end(f2l_dot_lexer *x)
{
    while (!f2l_cursor_ended(&x->cursor) && x->cursor.bytes[x->cursor.at] != '\n') x->cursor.at++;
}

static f2l_status skip_dot_comment(f2l_dot_lexer *x, f2l_error *err)
{
    size_t line = x->cursor.line, column = f2l_cursor_column(&x->cursor);
    x->cursor.at += 2;
    while (!f2l_cursor_ended(&x->cursor) && !f2l_cursor_at(&x->cursor, "*/"))
        f2l_cursor_advance(&x->cursor);
    if (f2l_cursor_ended(&x->cursor))
        return f2l_fail_at(err, line, column, "comment without its end */");
    x->cursor.at += 2;
    return F2L_OK;
}

static f2l_status skip_blank(f2l_dot_lexer *x, f2l_error *err)
{
    while (!f2l_cursor_ended(&x->cursor)) {
        char c = x->cursor.bytes[x->cursor.at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            f2l_cursor_advance(&x->cursor);
        } else if (f2l_cursor_at(&x->cursor, "//") ||
                   (c == '#' && x->cursor.at == x->cursor.line_start)) {
            skip_to_line_end(x);
        } else if (f2l_cursor_at(&x->cursor, "/*")) {
            f2l_status status = skip_dot_comment(x, err);
            if (status != F2L_OK) return status;
        } else {
            break;
        }
    }
    return F2L_OK;
}

static bool is_decimal_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_dot_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static f2l_status intern_dot_text(f2l_dot_lexer *x, const char *text, size_t size,
                                  f2l_dot_token *token, f2l_error *err)
{
    size_t index;
    f2l_status status = f2l_names_add(x->text, text, size, &index, err);
    if (status == F2L_OK) token->text = (uint32_t)index;
    return status;
}

static f2l_status lex_dot_identifier(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    size_t from = x->cursor.at;
    while (!f2l_cursor_ended(&x->cursor) && (is_dot_name_byte(x->cursor.bytes[x->cursor.at]) ||
                                             is_decimal_digit(x->cursor.bytes[x->cursor.at])))
        x->cursor.at++;
    token->kind = F2L_DOT_ID;
    return intern_dot_text(x, x->cursor.bytes + from, x->cursor.at - from, token, err);
}

/* -1, .5, 7.5, 12: in DOT a numeral is an identifier. */
static f2l_status lex_dot_numeral(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    size_t from = x->cursor.at, digits = 0;
    if (x->cursor.bytes[x->cursor.at] == '-') x->cursor.at++;
    for (bool dot = false; !f2l_cursor_ended(&x->cursor); x->cursor.at++) {
        if (is_decimal_digit(x->cursor.bytes[x->cursor.at]))
            digits++;
        else if (x->cursor.bytes[x->cursor.at] == '.' && !dot)
            dot = true;
        else
            break;
    }
    if (digits == 0 ||
        (!f2l_cursor_ended(&x->cursor) && is_dot_name_byte(x->cursor.bytes[x->cursor.at])))
        return f2l_fail_at(err, token->line, token->column,
                           "expected a number; quote names that begin like one");
    token->kind = F2L_DOT_ID;
    return intern_dot_text(x, x->cursor.bytes + from, x->cursor.at - from, token, err);
}

/* Appends one quoted piece. Only \" and a line end after \ mean something at this level. */
static f2l_status quoted_piece(f2l_dot_lexer *x, f2l_buf *text, f2l_error *err)
{
    size_t line = x->cursor.line, column = f2l_cursor_column(&x->cursor);
    x->cursor.at++;
    while (!f2l_cursor_ended(&x->cursor) && x->cursor.bytes[x->cursor.at] != '"') {
        if (f2l_cursor_at(&x->cursor, "\\\"")) {
            x->cursor.at++;
        } else if (f2l_cursor_at(&x->cursor, "\\\\")) {
            f2l_buf_bytes(text, "\\", 1);
            x->cursor.at++;
        } else if (f2l_cursor_at(&x->cursor, "\\\n")) {
            x->cursor.at++;
            f2l_cursor_advance(&x->cursor);
            continue;
        }
        f2l_buf_bytes(text, x->cursor.bytes + x->cursor.at, 1);
        f2l_cursor_advance(&x->cursor);
    }
    if (f2l_cursor_ended(&x->cursor))
        return f2l_fail_at(err, line, column, "string without its closing quote");
    x->cursor.at++;
    return F2L_OK;
}

static f2l_status lex_dot_quoted(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = quoted_piece(x, &text, err);
    while (status == F2L_OK) {
        f2l_dot_lexer before = *x;
        status = skip_blank(x, err);
        if (status == F2L_OK && !f2l_cursor_ended(&x->cursor) &&
            x->cursor.bytes[x->cursor.at] == '+') {
            x->cursor.at++;
            status = skip_blank(x, err);
            if (status == F2L_OK &&
                (f2l_cursor_ended(&x->cursor) || x->cursor.bytes[x->cursor.at] != '"'))
                status = f2l_fail_at(err, x->cursor.line, f2l_cursor_column(&x->cursor),
                                     "expected a quoted string after +");
            if (status == F2L_OK) status = quoted_piece(x, &text, err);
        } else {
            *x = before;
            break;
        }
    }
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    token->kind = F2L_DOT_STRING;
    if (status == F2L_OK && text.size > 0 && text.data[0] == F2L_DOT_HTML_MARK)
        status = f2l_fail_at(err, token->line, token->column, "a control character in a string");
    if (status == F2L_OK)
        status = intern_dot_text(x, text.size > 0 ? text.data : "", text.size, token, err);
    f2l_buf_clear(&text);
    return status;
}

/* Reads <..>; its text has F2L_DOT_HTML_MARK before it. */
static f2l_status lex_dot_html(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    static const char mark = F2L_DOT_HTML_MARK;
    size_t from = x->cursor.at, depth = 0;
    do {
        depth += x->cursor.bytes[x->cursor.at] == '<';
        depth -= x->cursor.bytes[x->cursor.at] == '>';
        f2l_cursor_advance(&x->cursor);
    } while (depth > 0 && !f2l_cursor_ended(&x->cursor));
    if (depth > 0)
        return f2l_fail_at(err, token->line, token->column, "HTML string without its closing >");
    token->kind = F2L_DOT_HTML;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_bytes(&text, &mark, 1);
    f2l_buf_bytes(&text, x->cursor.bytes + from, x->cursor.at - from);
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = intern_dot_text(x, text.data, text.size, token, err);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_dot_next(f2l_dot_lexer *x, f2l_dot_token *token, f2l_error *err)
{
    f2l_status status = skip_blank(x, err);
    if (status != F2L_OK) return status;
    *token = (f2l_dot_token){.kind = F2L_DOT_END,
                             .text = F2L_DOT_NONE,
                             .line = x->cursor.line,
                             .column = f2l_cursor_column(&x->cursor)};
    if (f2l_cursor_ended(&x->cursor)) return F2L_OK;
    char c = x->cursor.bytes[x->cursor.at];
    if (f2l_cursor_at(&x->cursor, "->") || f2l_cursor_at(&x->cursor, "--")) {
        token->kind = x->cursor.bytes[x->cursor.at + 1] == '>' ? F2L_DOT_ARROW : F2L_DOT_LINE;
        x->cursor.at += 2;
        return F2L_OK;
    }
    if (is_dot_name_byte(c)) return lex_dot_identifier(x, token, err);
    if (is_decimal_digit(c) || c == '-' || c == '.') return lex_dot_numeral(x, token, err);
    if (c == '"') return lex_dot_quoted(x, token, err);
    if (c == '<') return lex_dot_html(x, token, err);
    if (strchr("{}[]=;,:", c) == NULL)
        return f2l_fail_at(err, token->line, token->column,
                           "unexpected character in a DOT file; quote it");
    token->kind = F2L_DOT_PUNCTUATION;
    token->punctuation = c;
    x->cursor.at++;
    return F2L_OK;
}
