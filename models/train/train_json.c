#include "models/train/train_json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void f2l_train_json_number(f2l_buf *out, double value)
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
static void escaped(f2l_buf *out, const char *text, size_t size)
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

void f2l_train_json_string(f2l_buf *out, const char *text)
{
    size_t left = strlen(text), at;
    f2l_buf_text(out, "\"");
    while (!f2l_utf8_valid(text, left, &at)) {
        escaped(out, text, at);
        f2l_buf_utf8(out, 0xfffd);
        text += at + 1;
        left -= at + 1;
    }
    escaped(out, text, left);
    f2l_buf_text(out, "\"");
}
