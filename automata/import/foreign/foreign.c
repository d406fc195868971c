#include "automata/import/foreign/foreign.h"
#include "automata/import/foreign/impl.h"
#include "automata/import/text/import_text.h"
#include <stdio.h>
#include <string.h>

/* A format shows within this many bytes. */
#define MOST_BYTES 65536

static bool begins_at(const char *bytes, size_t size, size_t at, const char *text)
{
    const size_t n = strlen(text);
    return size - at >= n && memcmp(bytes + at, text, n) == 0;
}

static bool has_text(const char *bytes, size_t size, const char *text)
{
    for (size_t at = 0; at < size; at++)
        if (begins_at(bytes, size, at, text)) return true;
    return false;
}

static bool has_line(const char *bytes, size_t size, const char *text)
{
    for (size_t at = 0; at < size; at++) {
        while (at < size && (bytes[at] == ' ' || bytes[at] == '\t')) at++;
        if (begins_at(bytes, size, at, text)) return true;
        while (at < size && bytes[at] != '\n') at++;
    }
    return false;
}

/* Returns the place behind the blanks and the lines of comments at the beginning. */
static size_t skip_head(const char *bytes, size_t size)
{
    static const char *const comment[] = {"#", "//", "--", "%%", "(*", ";", "!", NULL};
    size_t at = begins_at(bytes, size, 0, "\xef\xbb\xbf") ? 3 : 0;
    while (at < size) {
        size_t i = 0;
        while (at < size && bytes[at] != '\0' && strchr(" \t\r\n", bytes[at])) at++;
        while (comment[i] && !begins_at(bytes, size, at, comment[i])) i++;
        if (begins_at(bytes, size, at, "/*")) {
            while (at < size && !begins_at(bytes, size, at, "*/")) at++;
            at += at < size ? 2 : 0;
        } else if (comment[i]) {
            while (at < size && bytes[at] != '\n') at++;
        } else {
            break;
        }
    }
    return at;
}

static bool has_mark(const char *mark, const char *bytes, size_t size)
{
    const char *text = mark + 1;
    const f2l_word root = *mark == '<' ? f2l_xml_root(bytes, size) : (f2l_word){0};
    switch (*mark) {
    case '^':
        return begins_at(bytes, size, skip_head(bytes, size), text);
    case '|':
        return has_line(bytes, size, text);
    case '=':
        return begins_at(bytes, size, 0, text);
    case '<':
        return f2l_word_is(&root, text);
    default:
        return has_text(bytes, size, text);
    }
}

static bool looks_like(const f2l_foreign *format, const char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof format->mark / sizeof *format->mark; i++)
        if (format->mark[i] && !has_mark(format->mark[i], bytes, size)) return false;
    return !format->is || format->is(bytes, size);
}

void f2l_foreign_name(f2l_error *err, const char *bytes, size_t size)
{
    if (!err) return;
    const size_t looked_at = size < MOST_BYTES ? size : MOST_BYTES;
    for (size_t i = 0; i < f2l_foreign_count; i++) {
        const f2l_foreign *format = &f2l_foreign_table[i];
        if (!looks_like(format, bytes, looked_at)) continue;
        const f2l_error said = *err;
        (void)f2l_fail(err, said.status, "this looks like %s, which is not read: %s (%s)",
                       format->name, format->advice, said.text);
        err->line = said.line;
        err->column = said.column;
        return;
    }
}
