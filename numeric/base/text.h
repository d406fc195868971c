/* Text in and out: a growing buffer, whole-file reading, and writing that leaves no partial file
 * behind (write to a temporary name beside the target, fsync, rename). */
#ifndef F2L_TEXT_H
#define F2L_TEXT_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing byte string. Appending never fails at the call: the first failure is remembered in
 * `failed` and checked once at the end (f2l_buf_status), which keeps writers readable. `data` is
 * NUL-terminated when size > 0. */
typedef struct f2l_buf {
    char *data;
    size_t size, capacity;
    bool failed;
} f2l_buf;

void f2l_buf_init(f2l_buf *b);
void f2l_buf_clear(f2l_buf *b);

/* Makes room for n more bytes at once, so that what is appended later moves nothing. */
void f2l_buf_reserve(f2l_buf *b, size_t n);
/* Append n bytes, a NUL-terminated text, a decimal number, and formatted text. */
void f2l_buf_bytes(f2l_buf *b, const void *bytes, size_t n);
void f2l_buf_text(f2l_buf *b, const char *text);
void f2l_buf_size(f2l_buf *b, size_t value); /* decimal; the fast path of the large writers */
void f2l_buf_printf(f2l_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a name as `.fsa`, network and certificate files spell it: bare when it is non-empty, has
 * no blank, control character or one of `# " ( )` and is not a word of the grammar; otherwise
 * quoted as in JSON (escapes \" \\ \n \t \r \b \f, other control characters as \u00xx in lower
 * case). The strict readers accept no other spelling. */
void f2l_buf_name(f2l_buf *b, const char *name);

/* Returns whether a name is non-empty and has no blank, control character or one of `# " ( )`. */
bool f2l_name_is_plain(const char *name);

/* Returns F2L_ENOMEM when an append failed, else F2L_OK. */
f2l_status f2l_buf_status(const f2l_buf *b, f2l_error *err);

/* Reads a whole file ("-": standard input) into *out (initialised by the caller). Refuses files
 * over `limit` bytes (0: none) with F2L_EFORMAT, directories and unreadable files with F2L_EIO. */
f2l_status f2l_read_file(f2l_buf *out, const char *path, size_t limit, f2l_error *err);

/* Writes path.f2l-tmp-XXXXXX, flushes it to disk and renames it to `path`. On failure the temporary
 * file is removed; of a process that is killed it stays (numeric/base/unfinished.h). */
f2l_status f2l_write_file(const char *path, const void *bytes, size_t n, f2l_error *err);

/* Returns the number of bytes of the first character of valid UTF-8. */
static inline size_t f2l_utf8_first_size(const char *text)
{
    const unsigned char byte = (unsigned char)*text;
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* Sets *point to the first character of valid UTF-8; returns its number of bytes. */
static inline size_t f2l_utf8_first(uint32_t *point, const char *text)
{
    const size_t size = f2l_utf8_first_size(text);
    *point = (unsigned char)*text;
    if (size > 1) *point &= 0x7fu >> size;
    for (size_t i = 1; i < size; i++) *point = *point << 6 | ((unsigned char)text[i] & 0x3fu);
    return size;
}

/* Returns whether a text in UTF-8 is one character. */
bool f2l_utf8_is_character(const char *text);

/* Returns whether text[0..size) is one of a list that ends with NULL. */
bool f2l_text_is_any(const char *text, size_t size, const char *const *among);

/* Sets the time now, "2026-11-29T17:40:00Z"; "" where the system cannot tell it. */
void f2l_time_text(char text[24]);

/* Compares two texts by their bytes, for qsort: a and b point to pointers to them. */
int f2l_text_compare(const void *a, const void *b);

/* True when the n bytes are well-formed UTF-8 (no surrogates, no overlong forms); else *at is the
 * first bad byte. */
bool f2l_utf8_valid(const char *bytes, size_t n, size_t *at);

/* Appends the code point, encoded in UTF-8. */
void f2l_buf_utf8(f2l_buf *b, uint32_t code_point);

#endif
