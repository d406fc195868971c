/* Tokens of any bytes: they lie in order inside their lines, errors have a position, and tokens
 * that are written read back the same. */
#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) abort();
}

static void write_token(f2l_buf *out, const f2l_token *token)
{
    if (token->kind == F2L_TOKEN_QUOTED) {
        char *name = f2l_strndup(token->text, token->size);
        require(name && strlen(name) == token->size);
        f2l_buf_name(out, name);
        f2l_free(name);
    } else {
        f2l_buf_bytes(out, token->text, token->size);
    }
}

static bool same_text(const f2l_token *a, const f2l_token *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0 &&
           (a->kind == F2L_TOKEN_CYCLE) == (b->kind == F2L_TOKEN_CYCLE);
}

static void check_again(const f2l_lex *lex)
{
    f2l_buf line;
    f2l_lex again;
    f2l_error err;
    bool more;
    f2l_buf_init(&line);
    for (size_t i = 0; i < lex->count; i++) {
        if (i > 0) f2l_buf_text(&line, " ");
        write_token(&line, &lex->token[i]);
    }
    require(f2l_buf_status(&line, NULL) == F2L_OK);
    f2l_lex_init(&again, line.data, line.size);
    /* A byte-order mark that is a whole name would be skipped at the start of a text. */
    if (memcmp(line.data, "\xef\xbb\xbf", line.size < 3 ? line.size : 3) != 0) {
        require(f2l_lex_line(&again, &more, &err) == F2L_OK && more && again.count == lex->count);
        for (size_t i = 0; i < lex->count; i++) require(same_text(&again.token[i], &lex->token[i]));
    }
    f2l_lex_clear(&again);
    f2l_buf_clear(&line);
}

static void check_line(const f2l_lex *lex, size_t size)
{
    size_t column = 0, value;
    require(lex->count > 0 && lex->line > 0);
    for (size_t i = 0; i < lex->count; i++) {
        const f2l_token *token = &lex->token[i];
        size_t bad;
        require(token->column > column && token->column <= size);
        require(f2l_utf8_valid(token->text, token->size, &bad));
        require(token->kind == F2L_TOKEN_QUOTED || token->size > 0);
        if (f2l_token_size(lex, token, 1000, "a size", &value, NULL) == F2L_OK)
            require(value <= 1000);
        column = token->column;
    }
    check_again(lex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_lex lex;
    f2l_error err = {0};
    bool more = true;
    f2l_status status = F2L_OK;
    f2l_lex_init(&lex, (const char *)data, size);
    while (status == F2L_OK && more) {
        size_t before = lex.line;
        status = f2l_lex_line(&lex, &more, &err);
        if (status == F2L_OK && more) {
            require(lex.line > before);
            check_line(&lex, size);
        }
    }
    require(status == F2L_OK ||
            (status == F2L_EFORMAT && err.line > 0 && err.column > 0 && err.text[0]));
    f2l_lex_clear(&lex);
    return 0;
}
