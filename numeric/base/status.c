#include "numeric/base/status.h"
#include "numeric/base/visible.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *f2l_status_name(f2l_status status)
{
    switch (status) {
    case F2L_OK:
        return "OK";
    case F2L_REFUTED:
        return "REFUTED";
    case F2L_UNKNOWN:
        return "UNKNOWN";
    case F2L_EDOMAIN:
        return "EDOMAIN";
    case F2L_EFORMAT:
        return "EFORMAT";
    case F2L_EIO:
        return "EIO";
    case F2L_EEXIST:
        return "EEXIST";
    case F2L_ENOMEM:
        return "ENOMEM";
    }
    return "?";
}

/* Replaces hidden characters (numeric/base/visible.h) by question marks, and ends the text: texts
 * quote bytes of input files and file names, and end up on terminals and in JSON. */
static void make_printable(char *text, size_t size)
{
    size_t to = 0;
    for (size_t i = 0, character; i < size; i += character) {
        bool hidden;
        character = f2l_visible_next(&hidden, text + i, size - i);
        if (hidden)
            text[to++] = '?';
        else
            for (size_t k = 0; k < character; k++) text[to++] = text[i + k];
    }
    text[to] = '\0';
}

/* Returns the number of bytes of `text` that remain when an unfinished UTF-8 sequence at its end is
 * dropped. */
static size_t whole_characters(const char *text, size_t size)
{
    size_t lead = size;
    while (lead > 0 && size - lead < 4 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80) lead--;
    if (lead == 0) return size;
    unsigned char c = (unsigned char)text[lead - 1];
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return lead - 1 + length > size ? lead - 1 : size;
}

static void fill_error(f2l_error *err, f2l_status status, size_t line, size_t column,
                       const char *format, va_list args)
{
    char text[sizeof err->text]; /* apart from err->text, which may be one of the arguments */
    int n = vsnprintf(text, sizeof text, format, args);
    size_t size = n < 0 ? 0 : (size_t)n;
    if (size >= sizeof text) size = whole_characters(text, sizeof text - 1);
    make_printable(text, size);
    err->status = status;
    err->line = line;
    err->column = column;
    memcpy(err->text, text, strlen(text) + 1);
}

f2l_status f2l_fail(f2l_error *err, f2l_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    fill_error(err, status, 0, 0, format, args);
    va_end(args);
    return status;
}

f2l_status f2l_fail_at(f2l_error *err, size_t line, size_t column, const char *format, ...)
{
    if (!err) return F2L_EFORMAT;
    va_list args;
    va_start(args, format);
    fill_error(err, F2L_EFORMAT, line, column, format, args);
    va_end(args);
    return F2L_EFORMAT;
}

f2l_reason f2l_reason_of(int error_number)
{
    f2l_reason r;
    if (strerror_r(error_number, r.text, sizeof r.text) != 0) strcpy(r.text, "unknown error");
    return r;
}
