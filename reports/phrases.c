#include "reports/phrases.h"
#include <string.h>

void f2l_report_label(f2l_buf *out, const char *label, int width)
{
    f2l_buf_printf(out, "%-*s", width, label);
    if (strlen(label) >= (size_t)width) f2l_buf_text(out, " ");
}

void f2l_report_wrap(f2l_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    for (bool first = true; *text; first = false) {
        const size_t word = strcspn(text, " ");
        if (!first && at + 1 + word > width) {
            f2l_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            f2l_buf_text(out, " ");
            at++;
        }
        f2l_buf_bytes(out, text, word);
        at += word;
        text += word;
        while (*text == ' ') text++;
    }
    f2l_buf_text(out, "\n");
}

void f2l_report_line(f2l_buf *out, const char *label, f2l_buf *line, size_t indent, size_t width)
{
    f2l_report_label(out, label, (int)indent);
    if (line->failed) out->failed = true;
    if (line->data) f2l_report_wrap(out, line->data, indent, indent, width);
    f2l_buf_clear(line);
}

void f2l_report_template(f2l_buf *out, const char *label, f2l_fact from, const char *text,
                         size_t indent, size_t width)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_layout(&line, from, text);
    f2l_report_line(out, label, &line, indent, width);
}

void f2l_report_csv_field(f2l_buf *out, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) f2l_buf_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"') f2l_buf_text(out, "\"");
        f2l_buf_bytes(out, text, 1);
    }
    if (quoted) f2l_buf_text(out, "\"");
}
