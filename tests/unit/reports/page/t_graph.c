#include "reports/page/graph.h"
#include <criterion/criterion.h>
#include <string.h>

static void check_label(const char *name, size_t width, const char *expected)
{
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_dot_label(&out, name, width);
    cr_assert_str_eq(out.data, expected);
    f2l_buf_clear(&out);
}

Test(graph, labels)
{
    check_label("a\"b", 3, "\"a\\\"b\"");
    check_label("\\n", 9, "\"\\\\n\"");
    check_label("x\\", 9, "\"x\\\\\"");
    check_label("", 9, "\"\"");
    check_label("ab", 2, "\"ab\"");
    check_label("\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\"\xc3\xa4\xc3\xb6\xc3\xbc\"");
}

/* Two lines, of characters and not of bytes, broken behind a blank or another separator, if that is
 * not near the beginning. */
Test(graph, labels_of_two_lines)
{
    check_label("abcd", 2, "\"ab\\ncd\"");
    check_label("abcde", 2, "\"ab\\ncd\xe2\x80\xa6\"");
    check_label("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 2, "\"\xc3\xa4\xc3\xb6\\n\xc3\xbc\xc3\x9f\"");
    check_label("send_request", 8, "\"send_\\nrequest\"");
    check_label("ab_c, d_e", 8, "\"ab_c, \\nd_e\"");
    check_label("a_bcdefgh", 6, "\"a_bcde\\nfgh\"");
    check_label("a\\\\b", 2, "\"a\\\\\\n\\\\b\"");
}

static const char file[] =
    "<?xml version='1.0'?>\n<!DOCTYPE svg>\n<svg width=\"12pt\" height=\"8pt\" viewBox=\"0 0 12 8\""
    " xmlns:xlink=\"x\">\n<!-- who -->\n<desc>made by</desc><defs><circle id='p'/></defs>"
    "<title>t</title><use xlink:href='#p'/><g clip-path=\"url(#p)\" fill=\"#123456\"/></svg>\n";

static void put_test_title(f2l_buf *out, size_t from, size_t to, bool edge, const void *context)
{
    f2l_buf_printf(out, "%s %zu %zu %d", (const char *)context, from, to, edge);
}

static const f2l_graph_titles titles = {.put = put_test_title, .context = "T", .nodes = 13};

static void check_adopted(const char *text, const char *prefix, const f2l_graph_titles *said,
                          const char *expected)
{
    f2l_error err;
    f2l_buf from, svg;
    f2l_buf_init(&from);
    f2l_buf_init(&svg);
    f2l_buf_text(&from, text);
    cr_assert_eq(f2l_svg_adopt(&svg, &from, "k", "a<b", prefix, said, &err), F2L_OK);
    cr_assert_not_null(strstr(svg.data, expected), "%s in %s", expected, svg.data);
    f2l_buf_clear(&from);
    f2l_buf_clear(&svg);
}

Test(graph, drawings_are_adopted)
{
    f2l_error err;
    f2l_buf from, svg;
    f2l_buf_init(&from);
    f2l_buf_init(&svg);
    check_adopted(file, "f7-", NULL,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"k\" role=\"img\" "
                  "aria-label=\"a&lt;b\" width=\"12\" height=\"8\" viewBox=\"0 0 12 8\">\n\n<defs>"
                  "<circle id='f7-p'/></defs><title>t</title><use href='#f7-p'/><g "
                  "clip-path=\"url(#f7-p)\" fill=\"#123456\"/></svg>\n");
    cr_assert_eq(f2l_svg_adopt(&svg, &from, "k", "a", "", NULL, &err), F2L_EFORMAT);
}

/* A node and an edge say what is given, and whatever else Graphviz calls by a name says nothing. */
Test(graph, titles)
{
    check_adopted("<svg><title>%3</title><g><title>n4</title></g></svg>", "", &titles,
                  "<g><title>T 4 4 0</title></g>");
    check_adopted("<svg><title>n12&#45;&gt;n7</title></svg>", "", &titles,
                  "><title>T 12 7 1</title></svg>");
    check_adopted("<svg><title>begin&#45;&gt;n7</title><a/></svg>", "", &titles, "><a/></svg>");
    check_adopted("<svg><title>n13</title><a/></svg>", "", &titles, "><a/></svg>");
    check_adopted("<svg><title>n1&#45;&gt;n13</title><a/></svg>", "", &titles, "><a/></svg>");
    check_adopted("<svg><title>n1</svg>", "", &titles, "<title>n1</svg>");
}

/* The smallest text keeps 9 pixels. */
Test(graph, texts_are_not_shrunk_too_far)
{
    check_adopted("<svg width=\"100pt\"><text font-size=\"12.00\"/><text font-size=\"10\"/></svg>",
                  "", NULL, "style=\"min-width:92px\"");
    check_adopted("<svg width=\"100pt\"><text font-size=\"6\"/></svg>", "", NULL,
                  "style=\"min-width:100px\"");
}

Test(graph, shorter_drawings)
{
    static const char drawn[] =
        "<svg width=\"1.25pt\">\n<!-- a -->\n<g id=\"e\" class=\"edge p0&#45;l1\">\n"
        "<title>0.25</title>\n"
        "<path fill=\"none\" stroke=\"black\" "
        "d=\"M1.25,-0.01C3.00,4 5.55,-6 1.25,-0.11L1.25,-0.01\"/>\n"
        "<text text-anchor=\"middle\" x=\"7.06\" font-family=\"F\" font-size=\"11.00\">2.5</text>\n"
        "</g><g id=\"f0_node1\" class=\"c\">"
        "<polygon fill=\"none\" points=\"1,2.34 3,4 1,2.34\"/></g>"
        "<g><polygon points=\"1,2\"/><polygon points=\"1,2 11,2\"/><path d=\"M1,2A3\"/>"
        "<path d=\"M1\"/></g></svg>";
    static const char shown[] =
        "<svg width=\"1.25pt\">\n<g id=\"e\" class=\"edge p0-l1\">\n<title>0.25</title>\n"
        "<path d=\"m1.3 0c1.7 4 4.3-6 0-.1l0 .1\"/>\n<text x=\"7.1\" font-size=\"11\">2.5</text>\n"
        "</g><g class=\"c\"><polygon fill=\"none\" points=\"1,2.3 3,4\"/></g>"
        "<g><polygon points=\"1,2\"/><polygon points=\"1,2 11,2\"/><path d=\"M1,2A3\"/>"
        "<path d=\"m1\"/></g></svg>";
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_graph_shorten(&out, drawn);
    cr_assert_str_eq(out.data, shown);
    f2l_buf_clear(&out);
}
