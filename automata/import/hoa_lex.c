#include "automata/import/impl.h"
#include <string.h>

#define MAX_INT ((size_t)0x7fffffff)

/* Skips a comment, which may hold comments. */
static f2l_status skip_comment(f2l_cursor *x, f2l_error *err)
{
    size_t line = x->line, column = f2l_cursor_column(x), depth = 0;
    do {
        if (f2l_cursor_ended(x))
            return f2l_fail_at(err, line, column, "comment without its end */");
        if (f2l_cursor_at(x, "/*")) {
            depth++;
            x->at += 2;
        } else if (f2l_cursor_at(x, "*/")) {
            depth--;
            x->at += 2;
        } else {
            f2l_cursor_advance(x);
        }
    } while (depth > 0);
    return F2L_OK;
}

static f2l_status skip_hoa_blank(f2l_cursor *x, f2l_error *err)
{
    while (!f2l_cursor_ended(x)) {
        char c = x->bytes[x->at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            f2l_cursor_advance(x);
        } else if (f2l_cursor_at(x, "/*")) {
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

static bool is_first_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Dots are there because Spot has them in names of headers. */
static bool is_name_byte(char c)
{
    return is_first_byte(c) || is_digit(c) || c == '-' || c == '.';
}

static void skip_name(f2l_cursor *x)
{
    while (!f2l_cursor_ended(x) && is_name_byte(x->bytes[x->at])) x->at++;
}

static f2l_status integer(f2l_cursor *x, f2l_hoa_token *token, f2l_error *err)
{
    size_t from = x->at;
    while (!f2l_cursor_ended(x) && is_digit(x->bytes[x->at]) && token->number <= MAX_INT)
        token->number = 10 * token->number + (size_t)(x->bytes[x->at++] - '0');
    if (token->number > MAX_INT)
        return f2l_fail_at(err, token->line, token->column, "a number of 2^31 or more");
    if (x->at - from > 1 && x->bytes[from] == '0')
        return f2l_fail_at(err, token->line, token->column, "a number with a 0 before it");
    token->kind = F2L_HOA_INT;
    return F2L_OK;
}

/* Sets the token to the text between the quotes, with its escapes. */
static f2l_status string(f2l_cursor *x, f2l_hoa_token *token, f2l_error *err)
{
    x->at++;
    token->kind = F2L_HOA_STRING;
    token->text = x->bytes + x->at;
    while (!f2l_cursor_ended(x) && x->bytes[x->at] != '"') {
        if (x->bytes[x->at] == '\\' && x->size - x->at > 1) x->at++;
        f2l_cursor_advance(x);
    }
    if (f2l_cursor_ended(x))
        return f2l_fail_at(err, token->line, token->column, "string without its closing quote");
    token->size = (size_t)(x->bytes + x->at - token->text);
    x->at++;
    return F2L_OK;
}

/* Reads --BODY--, --END-- or --ABORT--. */
static f2l_status marker(f2l_cursor *x, f2l_hoa_token *token, f2l_error *err)
{
    if (f2l_cursor_at(x, "--BODY--")) {
        token->kind = F2L_HOA_BODY;
        x->at += 8;
        return F2L_OK;
    }
    if (f2l_cursor_at(x, "--END--")) {
        token->kind = F2L_HOA_END;
        x->at += 7;
        return F2L_OK;
    }
    return f2l_fail_at(err, token->line, token->column,
                       f2l_cursor_at(x, "--ABORT--")
                           ? "--ABORT--: the program that wrote this automaton gave it up"
                           : "expected --BODY--, --END-- or --ABORT--");
}

static void lex_hoa_identifier(f2l_cursor *x, f2l_hoa_token *token)
{
    token->text = x->bytes + x->at;
    skip_name(x);
    token->size = (size_t)(x->bytes + x->at - token->text);
    token->kind = F2L_HOA_NAME;
    if (!f2l_cursor_ended(x) && x->bytes[x->at] == ':') {
        token->kind = F2L_HOA_HEADER;
        x->at++;
    } else if (token->size == 1 && (*token->text == 't' || *token->text == 'f')) {
        token->kind = F2L_HOA_BOOLEAN;
    }
}

static f2l_status alias(f2l_cursor *x, f2l_hoa_token *token, f2l_error *err)
{
    x->at++;
    token->kind = F2L_HOA_ALIAS;
    token->text = x->bytes + x->at;
    skip_name(x);
    token->size = (size_t)(x->bytes + x->at - token->text);
    if (token->size > 0) return F2L_OK;
    return f2l_fail_at(err, token->line, token->column, "expected a name after @");
}

f2l_status f2l_hoa_next(f2l_cursor *x, f2l_hoa_token *token, f2l_error *err)
{
    f2l_status status = skip_hoa_blank(x, err);
    if (status != F2L_OK) return status;
    *token = (f2l_hoa_token){
        .kind = F2L_HOA_END_OF_FILE, .line = x->line, .column = f2l_cursor_column(x)};
    if (f2l_cursor_ended(x)) return F2L_OK;
    char c = x->bytes[x->at];
    if (is_digit(c)) return integer(x, token, err);
    if (c == '"') return string(x, token, err);
    if (c == '-') return marker(x, token, err);
    if (c == '@') return alias(x, token, err);
    if (is_first_byte(c)) {
        lex_hoa_identifier(x, token);
        return F2L_OK;
    }
    if (strchr("!&|()[]{}", c) == NULL)
        return f2l_fail_at(err, token->line, token->column, "unexpected character in an HOA file");
    token->kind = F2L_HOA_PUNCTUATION;
    token->punctuation = c;
    x->at++;
    return F2L_OK;
}
