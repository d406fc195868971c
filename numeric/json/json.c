#include "numeric/json/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *f2l_json_load(f2l_status *status, const char *text, size_t size, const char *what,
                      f2l_error *err)
{
    json_error_t why;
    json_t *value = json_loadb(text ? text : "", size, JSON_REJECT_DUPLICATES, &why);
    *status = F2L_OK;
    if (value == NULL && (why.text[0] == '\0' || json_error_code(&why) == json_error_out_of_memory))
        *status = f2l_fail_memory(err);
    else if (value == NULL)
        *status = f2l_fail_at(err, why.line > 0 ? (size_t)why.line : 1,
                              why.column > 0 ? (size_t)why.column : 1, "%s is no JSON: %s", what,
                              why.text);
    return value;
}

void f2l_json_number(f2l_buf *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        f2l_buf_text(out, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    f2l_buf_text(out, text);
}

/* Appends well-formed UTF-8 without NUL, escaped. */
static void put_escaped(f2l_buf *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            f2l_buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            f2l_buf_printf(out, "\\u%04x", c);
        else
            f2l_buf_bytes(out, text + i, 1);
    }
}

void f2l_json_text(f2l_buf *out, const char *text)
{
    size_t left = strlen(text), at;
    f2l_buf_text(out, "\"");
    while (!f2l_utf8_valid(text, left, &at)) {
        put_escaped(out, text, at);
        f2l_buf_utf8(out, 0xfffd);
        text += at + 1;
        left -= at + 1;
    }
    put_escaped(out, text, left);
    f2l_buf_text(out, "\"");
}
