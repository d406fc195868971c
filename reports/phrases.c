#include "reports/phrases.h"
#include <string.h>

void f2l_report_label(f2l_buf *out, const char *label, int width)
{
    f2l_buf_printf(out, "%-*s", width, label);
    if (strlen(label) >= (size_t)width) f2l_buf_text(out, " ");
}

void f2l_report_count(f2l_buf *out, size_t n, const char *noun)
{
    f2l_buf_printf(out, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}
