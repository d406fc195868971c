#include "reports/page/graph.h"
#include <criterion/criterion.h>
#include <string.h>

static void check_string(const char *name, size_t most, bool label, const char *expected)
{
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_dot_string(&out, name, most, label);
    cr_assert_str_eq(out.data, expected);
    f2l_buf_clear(&out);
}

Test(graph, strings)
{
    check_string("a\"b", 0, false, "\"a\\\"b\"");
    check_string("\\n", 0, true, "\"\\\\n\"");
    check_string("\\n", 0, false, "\"\\n\"");
    check_string("x\\", 0, false, "\"x\\ \"");
    check_string("\xc3\xa4\xc3\xb6\xc3\xbc", 2, true, "\"\xc3\xa4\xc3\xb6\xe2\x80\xa6\"");
    check_string("ab", 2, true, "\"ab\"");
}

static const char file[] =
    "<?xml version='1.0'?>\n<!DOCTYPE svg>\n<svg width=\"12pt\" height=\"8pt\" viewBox=\"0 0 12 8\""
    " xmlns:xlink=\"x\">\n<!-- who -->\n<desc>made by</desc><defs><circle id='p'/></defs>"
    "<use xlink:href='#p'/><g clip-path=\"url(#p)\" fill=\"#123456\"/></svg>\n";

Test(graph, drawings_are_adopted)
{
    f2l_error err;
    f2l_buf from, svg;
    f2l_buf_init(&from);
    f2l_buf_init(&svg);
    f2l_buf_text(&from, file);
    cr_assert_eq(f2l_svg_adopt(&svg, &from, "k", "a<b", "f7-", &err), F2L_OK);
    cr_assert_str_eq(
        svg.data, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"k\" role=\"img\" "
                  "aria-label=\"a&lt;b\" width=\"12\" height=\"8\" viewBox=\"0 0 12 8\">\n\n<defs>"
                  "<circle id='f7-p'/></defs><use href='#f7-p'/><g clip-path=\"url(#f7-p)\" "
                  "fill=\"#123456\"/></svg>\n");
    f2l_buf_clear(&from);
    f2l_buf_clear(&svg);
    cr_assert_eq(f2l_svg_adopt(&svg, &from, "k", "a", "", &err), F2L_EFORMAT);
}
