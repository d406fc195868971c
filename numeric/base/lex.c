#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include <stdint.h>
#include <string.h>

/* The kinds of bytes for the lexer; bytes from 0x80 on are ordinary once the line is known to be
 * UTF-8. */
typedef enum byte_class { ORDINARY = 0, BLANK, CONTROL, HASH, QUOTE, OPEN, CLOSE } byte_class;

static const unsigned char class_of[256] = {
    [0x00] = CONTROL, [0x01] = CONTROL, [0x02] = CONTROL, [0x03] = CONTROL, [0x04] = CONTROL,
    [0x05] = CONTROL, [0x06] = CONTROL, [0x07] = CONTROL, [0x08] = CONTROL, ['\t'] = BLANK,
    [0x0a] = CONTROL, [0x0b] = CONTROL, [0x0c] = CONTROL, [0x0d] = CONTROL, [0x0e] = CONTROL,
    [0x0f] = CONTROL, [0x10] = CONTROL, [0x11] = CONTROL, [0x12] = CONTROL, [0x13] = CONTROL,
    [0x14] = CONTROL, [0x15] = CONTROL, [0x16] = CONTROL, [0x17] = CONTROL, [0x18] = CONTROL,
    [0x19] = CONTROL, [0x1a] = CONTROL, [0x1b] = CONTROL, [0x1c] = CONTROL, [0x1d] = CONTROL,
    [0x1e] = CONTROL, [0x1f] = CONTROL, [' '] = BLANK,    ['#'] = HASH,     ['"'] = QUOTE,
    ['('] = OPEN,     [')'] = CLOSE,    [0x7f] = CONTROL};

/* A line without its end, and the place reached in it. */
typedef struct line_reader {
    f2l_lex *lex;
    const char *text;
    size_t size, at;
} line_reader;

void f2l_lex_init(f2l_lex *lex, const char *bytes, size_t size)
{
    *lex = (f2l_lex){.bytes = bytes, .size = size};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) lex->at = 3;
}

void f2l_lex_clear(f2l_lex *lex)
{
    f2l_free(lex->token);
    f2l_buf_clear(&lex->unescaped);
    *lex = (f2l_lex){0};
}

static byte_class class_at(const line_reader *r, size_t at)
{
    return (byte_class)class_of[(unsigned char)r->text[at]];
}

static f2l_status fail_here(const line_reader *r, size_t at, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, r->lex->line, at + 1, "%s", text);
}

/* Refuses what is wrong in any place, comments included. */
static f2l_status check_line(const line_reader *r, f2l_error *err)
{
    const char *nul = memchr(r->text, '\0', r->size);
    size_t nul_at = nul ? (size_t)(nul - r->text) : r->size, bad;
    if (!f2l_utf8_valid(r->text, nul_at, &bad))
        return fail_here(r, bad, "not UTF-8 text: is this a binary file?", err);
    const char *cr = memchr(r->text, '\r', nul_at);
    if (cr)
        return fail_here(r, (size_t)(cr - r->text), "carriage return that does not end a line",
                         err);
    if (nul) return fail_here(r, nul_at, "NUL byte: is this a binary file?", err);
    return F2L_OK;
}

static f2l_status push_token(f2l_lex *lex, f2l_token token, f2l_error *err)
{
    if (!f2l_grow((void **)&lex->token, &lex->capacity, lex->count, sizeof token))
        return f2l_fail_memory(err);
    lex->token[lex->count++] = token;
    return F2L_OK;
}

static f2l_status fail_control(const line_reader *r, size_t at, f2l_error *err)
{
    return f2l_fail_at(err, r->lex->line, at + 1,
                       "control character U+%04X; in a quoted name write \\u%04x",
                       (unsigned)(unsigned char)r->text[at], (unsigned)(unsigned char)r->text[at]);
}

static f2l_status read_bare(line_reader *r, f2l_error *err)
{
    size_t from = r->at;
    byte_class c = ORDINARY;
    while (r->at < r->size && (c = class_at(r, r->at)) == ORDINARY) r->at++;
    if (r->at < r->size) {
        if (c == CONTROL) return fail_control(r, r->at, err);
        if (c == QUOTE) return fail_here(r, r->at, "'\"' inside a name: quote the whole name", err);
        if (c == OPEN || c == CLOSE)
            return fail_here(r, r->at, "parenthesis inside a name: quote the name", err);
    }
    return push_token(r->lex, (f2l_token){F2L_TOKEN_BARE, r->text + from, r->at - from, from + 1},
                      err);
}

/* Reads from '(' to ')'; another cycle may follow without a blank. */
static f2l_status read_cycle(line_reader *r, f2l_error *err)
{
    size_t from = r->at++;
    byte_class c = HASH;
    while (r->at < r->size && ((c = class_at(r, r->at)) == ORDINARY || c == BLANK)) r->at++;
    if (r->at == r->size || c == HASH)
        return fail_here(r, from, "'(' without its ')' on the same line", err);
    if (c == CONTROL) return fail_control(r, r->at, err);
    if (c != CLOSE) return fail_here(r, r->at, "expected a point or ')' in a cycle", err);
    r->at++;
    if (r->at < r->size && ((c = class_at(r, r->at)) == ORDINARY || c == QUOTE || c == CLOSE))
        return fail_here(r, r->at, "expected a blank or '(' after a cycle", err);
    return push_token(r->lex, (f2l_token){F2L_TOKEN_CYCLE, r->text + from, r->at - from, from + 1},
                      err);
}

/* Reads four hexadecimal digits at r->at; returns false, with r->at unchanged, where they are
 * not. */
static bool read_hex(line_reader *r, uint32_t *out)
{
    if (r->size - r->at < 4) return false;
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = r->text[r->at + i];
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A') + 10;
        else
            return false;
        value = value << 4 | digit;
    }
    r->at += 4;
    *out = value;
    return true;
}

/* Reads what follows "\u"; `from` is the place of the backslash. */
static f2l_status read_code_point(line_reader *r, size_t from, f2l_error *err)
{
    uint32_t high, low;
    if (!read_hex(r, &high))
        return fail_here(r, from, "expected four hexadecimal digits after \\u", err);
    if (high == 0) return fail_here(r, from, "\\u0000 is not allowed in a name", err);
    if (high >= 0xdc00 && high < 0xe000) return fail_here(r, from, "lone surrogate", err);
    if (high >= 0xd800 && high < 0xdc00) {
        if (r->size - r->at < 2 || memcmp(r->text + r->at, "\\u", 2) != 0)
            return fail_here(r, from, "lone surrogate", err);
        r->at += 2;
        if (!read_hex(r, &low))
            return fail_here(r, r->at - 2, "expected four hexadecimal digits after \\u", err);
        if (low < 0xdc00 || low >= 0xe000) return fail_here(r, from, "lone surrogate", err);
        high = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
    }
    f2l_buf_utf8(&r->lex->unescaped, high);
    return F2L_OK;
}

static f2l_status read_lex_escape(line_reader *r, f2l_error *err)
{
    static const char escape[] = "\"\\/ntrbf", plain[] = "\"\\/\n\t\r\b\f";
    size_t from = r->at++;
    if (r->at == r->size) return fail_here(r, from, "'\\' at the end of the line", err);
    char c = r->text[r->at++];
    if (c == 'u') return read_code_point(r, from, err);
    const char *at = strchr(escape, c);
    if (!at)
        return fail_here(
            r, from, "unknown escape (JSON knows \\\" \\\\ \\/ \\n \\t \\r \\b \\f \\uXXXX)", err);
    f2l_buf_bytes(&r->lex->unescaped, &plain[at - escape], 1);
    return F2L_OK;
}

static f2l_status read_quoted(line_reader *r, f2l_error *err)
{
    f2l_buf *out = &r->lex->unescaped;
    size_t from = r->at++, before = out->size;
    for (;;) {
        size_t run = r->at;
        while (r->at < r->size && r->text[r->at] != '"' && r->text[r->at] != '\\' &&
               (unsigned char)r->text[r->at] >= ' ')
            r->at++;
        f2l_buf_bytes(out, r->text + run, r->at - run);
        if (r->at == r->size)
            return fail_here(r, from, "'\"' without its closing '\"' on the same line", err);
        if (r->text[r->at] == '"') break;
        if (r->text[r->at] != '\\') return fail_control(r, r->at, err);
        f2l_status status = read_lex_escape(r, err);
        if (status != F2L_OK) return status;
    }
    r->at++;
    if (r->at < r->size && class_at(r, r->at) != BLANK && class_at(r, r->at) != HASH)
        return fail_here(r, r->at, "expected a blank after a quoted name", err);
    f2l_status status = f2l_buf_status(out, err);
    if (status != F2L_OK) return status;
    return push_token(r->lex, (f2l_token){F2L_TOKEN_QUOTED, "", out->size - before, from + 1}, err);
}

static f2l_status read_tokens(line_reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && r->at < r->size) {
        switch (class_at(r, r->at)) {
        case BLANK:
            r->at++;
            break;
        case HASH:
            return F2L_OK;
        case ORDINARY:
            status = read_bare(r, err);
            break;
        case QUOTE:
            status = read_quoted(r, err);
            break;
        case OPEN:
            status = read_cycle(r, err);
            break;
        case CLOSE:
            status = fail_here(r, r->at, "')' without '('", err);
            break;
        case CONTROL:
            status = fail_control(r, r->at, err);
            break;
        }
    }
    return status;
}

/* Sets the addresses of quoted tokens when the line is complete: they lie one after the other in
 * `unescaped`, which moves while a line is read. */
static void place_quoted(f2l_lex *lex)
{
    const char *next = lex->unescaped.data;
    if (lex->unescaped.size == 0) return;
    for (size_t i = 0; i < lex->count; i++) {
        if (lex->token[i].kind != F2L_TOKEN_QUOTED) continue;
        lex->token[i].text = next;
        next += lex->token[i].size;
    }
}

/* Cuts the next line off the input; its LF or CR LF does not belong to it. */
static line_reader next_line(f2l_lex *lex)
{
    const char *text = lex->bytes + lex->at;
    size_t left = lex->size - lex->at;
    const char *end = memchr(text, '\n', left);
    size_t size = end ? (size_t)(end - text) : left;
    lex->at += end ? size + 1 : size;
    lex->line++;
    if (end && size > 0 && text[size - 1] == '\r') size--;
    return (line_reader){lex, text, size, 0};
}

f2l_status f2l_lex_line(f2l_lex *lex, bool *more, f2l_error *err)
{
    *more = false;
    do {
        lex->count = 0;
        lex->unescaped.size = 0;
        if (lex->at >= lex->size) return F2L_OK;
        line_reader r = next_line(lex);
        f2l_status status = check_line(&r, err);
        if (status == F2L_OK) status = read_tokens(&r, err);
        if (status != F2L_OK) {
            lex->count = 0;
            return status;
        }
    } while (lex->count == 0);
    place_quoted(lex);
    *more = true;
    return F2L_OK;
}

bool f2l_token_is(const f2l_token *token, const char *word)
{
    size_t size = strlen(word);
    return token->kind == F2L_TOKEN_BARE && token->size == size &&
           memcmp(token->text, word, size) == 0;
}

f2l_status f2l_token_size(const f2l_lex *lex, const f2l_token *token, size_t max, const char *what,
                          size_t *out, f2l_error *err)
{
    size_t value = 0;
    bool number = token->kind == F2L_TOKEN_BARE && token->size > 0 &&
                  (token->size == 1 || token->text[0] != '0');
    for (size_t i = 0; number && i < token->size; i++)
        number = token->text[i] >= '0' && token->text[i] <= '9';
    if (!number)
        return f2l_fail_at(err, lex->line, token->column,
                           "expected %s (a whole number), found '%.*s'", what,
                           token->size < 40 ? (int)token->size : 40, token->text);
    for (size_t i = 0; i < token->size; i++) {
        size_t digit = (size_t)(token->text[i] - '0');
        if (digit > max || value > (max - digit) / 10)
            return f2l_fail_at(err, lex->line, token->column, "%s is larger than %zu", what, max);
        value = value * 10 + digit;
    }
    *out = value;
    return F2L_OK;
}
