#include "reports/page/page.h"
#include <criterion/criterion.h>
#include <string.h>

static bool has(const f2l_buf *text, const char *part)
{
    return strstr(text->data ? text->data : "", part) != NULL;
}

Test(page, texts_are_escaped)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_page_say(&p, "a<b>&\"c\" | *x* `y` \x01");
    f2l_page_heading(&p, "%s", "\xc3\x28");
    cr_assert(has(&p.html, "<p>a&lt;b&gt;&amp;&quot;c&quot; | *x* `y` \\u0001</p>"));
    cr_assert(has(&p.html, "<h3>\\xc3(</h3>"));
    cr_assert(has(&p.md, "a\\<b\\>\\&\"c\" \\| \\*x\\* \\`y\\` \\\\u0001"), "%s", p.md.data);
    cr_assert(has(&p.md, "### \\\\xc3("));
    f2l_page_clear(&p);
}

Test(page, hidden_characters_are_shown)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_page_say(&p, "a\xe2\x80\xae"
                     "b\nc\td\xc2\x9b");
    cr_assert(has(&p.html, "<p>a\\u202eb c d\\u009b</p>"), "%s", p.html.data);
    cr_assert(has(&p.md, "a\\\\u202eb c d\\\\u009b"), "%s", p.md.data);
    f2l_page_clear(&p);
}

Test(page, commands_cannot_end_their_fence)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_page_code(&p, "fsa2lrnn a");
    cr_assert(has(&p.md, "```sh\nfsa2lrnn a\n```\n"));
    f2l_page_code(&p, "fsa2lrnn a\n````\n\x1b\n");
    cr_assert(has(&p.md, "`````sh\nfsa2lrnn a\n````\n\\u001b\n`````\n"), "%s", p.md.data);
    f2l_page_clear(&p);
}

Test(page, sections_close)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_page_begin(&p, "t", "fsa2lrnn");
    f2l_page_section(&p, "a", "A");
    p.part = 2;
    f2l_page_section(&p, "b", "B");
    f2l_page_end(&p);
    size_t open = 0, closed = 0;
    for (const char *c = p.html.data; (c = strstr(c, "<section ")); c++) open++;
    for (const char *c = p.html.data; (c = strstr(c, "</section>")); c++) closed++;
    cr_assert(open == 2 && closed == 2);
    cr_assert(has(&p.html, "id=\"p0-a\"") && has(&p.html, "id=\"p2-b\""));
    cr_assert_str_eq(p.html.data + p.html.size - 8, "</html>\n");
    f2l_page_clear(&p);
}

Test(page, tables)
{
    f2l_page p;
    f2l_page_init(&p);
    f2l_page_table(&p, "c", (const char *const[]){"x", "y", NULL});
    for (int i = 0; i < 2; i++) {
        f2l_page_row(&p);
        f2l_page_cell(&p, "%d", i);
        f2l_page_verdict_cell(&p, i ? "REFUTED" : "VERIFIED");
    }
    f2l_page_table_end(&p);
    cr_assert(has(&p.html, "<tr><th scope=\"row\">0</th><td><span class=\"verdict ok\">"));
    cr_assert(has(&p.html, "</tr>\n<tr><th scope=\"row\">1</th><td><span class=\"verdict bad\">"));
    cr_assert_str_eq(p.md.data, "| x | y |\n|---|---|\n| 0 | VERIFIED |\n| 1 | REFUTED |\n\n");
    f2l_page_clear(&p);
}

Test(page, verdicts)
{
    cr_assert_str_eq(f2l_verdict_class("VERIFIED"), "ok");
    cr_assert_str_eq(f2l_verdict_class("REFUTED"), "bad");
    cr_assert_str_eq(f2l_verdict_class("UNKNOWN"), "open");
    cr_assert_str_eq(f2l_verdict_mark("x"), "?");
}

Test(page, markdown_has_no_drawings)
{
    f2l_page p;
    f2l_buf svg;
    f2l_page_init(&p);
    f2l_buf_init(&svg);
    f2l_buf_text(&svg, "<svg/>");
    f2l_page_figure(&p, &svg, "wide", "A caption.");
    f2l_page_about_drawing(&p, "%d are drawn <b>", 3);
    cr_assert(has(&p.html, "<svg/>") && has(&p.html, "A caption."));
    cr_assert(has(&p.html, "<p class=\"note\">3 are drawn &lt;b&gt;</p>"));
    cr_assert_eq(p.md.size, 0);
    f2l_page_clear(&p);
}
