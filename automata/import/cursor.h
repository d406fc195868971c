/* A place in a text, from which lexers read byte by byte; inline, since it is most of their time.
 */
#ifndef F2L_AUTOMATA_IMPORT_CURSOR_H
#define F2L_AUTOMATA_IMPORT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A copy reads on from the same place. */
typedef struct f2l_cursor {
    const char *bytes;
    size_t size, at, line, line_start;
} f2l_cursor;

/* Returns the first place, behind a byte-order mark. */
static inline f2l_cursor f2l_cursor_start(const char *bytes, size_t size)
{
    const size_t start = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (f2l_cursor){bytes, size, start, 1, start};
}

static inline bool f2l_cursor_ended(const f2l_cursor *c)
{
    return c->at == c->size;
}

/* Returns whether the text comes next. */
static inline bool f2l_cursor_at(const f2l_cursor *c, const char *text)
{
    const size_t n = strlen(text);
    return c->size - c->at >= n && memcmp(c->bytes + c->at, text, n) == 0;
}

/* Returns the column, 1-based, in bytes. */
static inline size_t f2l_cursor_column(const f2l_cursor *c)
{
    return c->at - c->line_start + 1;
}

/* Takes a byte, which may end the line. */
static inline void f2l_cursor_advance(f2l_cursor *c)
{
    if (c->bytes[c->at++] == '\n') {
        c->line++;
        c->line_start = c->at;
    }
}

#endif
