/* Tokens of our line-based text files (`.fsa`, network, certificate): a line is a sequence of
 * tokens separated by blanks and tabs; `#` outside quotes starts a comment; a token that begins
 * with `"` is a JSON string; a token that begins with `(` runs to its `)` (cycle notation). CR
 * before LF is accepted. NUL bytes and bad UTF-8 are errors. */
#ifndef F2L_LEX_H
#define F2L_LEX_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum f2l_token_kind { F2L_TOKEN_BARE, F2L_TOKEN_QUOTED, F2L_TOKEN_CYCLE } f2l_token_kind;

typedef struct f2l_token {
    f2l_token_kind kind;
    const char *text; /* valid until the next f2l_lex_line; unescaped; NOT NUL-terminated; a cycle
                         has its ( ) */
    size_t size;
    size_t column; /* 1-based byte column */
} f2l_token;

typedef struct f2l_lex {
    const char *bytes;
    size_t size, at;
    size_t line; /* number of the line last returned */
    f2l_token *token;
    size_t count, capacity;
    f2l_buf unescaped; /* storage of quoted tokens of this line */
} f2l_lex;

/* Starts reading `bytes` (borrowed until f2l_lex_clear). A UTF-8 byte-order mark at the start is
 * skipped. */
void f2l_lex_init(f2l_lex *lex, const char *bytes, size_t size);
void f2l_lex_clear(f2l_lex *lex);

/* Reads the next line that has at least one token into lex->token[0..count). *more is false at the
 * end of input. */
f2l_status f2l_lex_line(f2l_lex *lex, bool *more, f2l_error *err);

/* True when the token is bare and equals `word`. */
bool f2l_token_is(const f2l_token *token, const char *word);

/* Parses a bare decimal without sign or leading zeros; error (with position and `what`) when it is
 * not one or exceeds `max`. */
f2l_status f2l_token_size(const f2l_lex *lex, const f2l_token *token, size_t max, const char *what,
                          size_t *out, f2l_error *err);

#endif
