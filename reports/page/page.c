#include "reports/page/page.h"
#include "numeric/base/visible.h"
#include "reports/page/style.h"
#include "reports/page/words.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void f2l_page_init(f2l_page *page)
{
    *page = (f2l_page){.part = 0};
    f2l_buf_init(&page->html);
    f2l_buf_init(&page->md);
    f2l_names_init(&page->drawn);
}

void f2l_page_clear(f2l_page *page)
{
    f2l_buf_clear(&page->html);
    f2l_buf_clear(&page->md);
    f2l_names_clear(&page->drawn);
}

/* --- escaping --- */

/* Appends text in one line, without hidden characters. */
static void put_visible(f2l_buf *out, const char *text)
{
    const size_t from = out->size;
    f2l_buf_visible(out, text, strlen(text), "\n\t");
    for (size_t i = from; i < out->size; i++)
        if (out->data[i] == '\n' || out->data[i] == '\t') out->data[i] = ' ';
}

static const char *html_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void f2l_html_text(f2l_buf *out, const char *text)
{
    f2l_buf clean;
    f2l_buf_init(&clean);
    put_visible(&clean, text);
    for (const char *c = clean.data ? clean.data : ""; *c; c++) {
        const char *name = html_of(*c);
        f2l_buf_bytes(out, name ? name : c, name ? strlen(name) : 1);
    }
    out->failed = out->failed || clean.failed;
    f2l_buf_clear(&clean);
}

void f2l_md_text(f2l_buf *out, const char *text)
{
    f2l_buf clean;
    f2l_buf_init(&clean);
    put_visible(&clean, text);
    for (const char *c = clean.data ? clean.data : ""; *c; c++) {
        if (strchr("|\\`*_<>[]&", *c)) f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, c, 1);
    }
    if (clean.failed) out->failed = true;
    f2l_buf_clear(&clean);
}

/* Appends the formatted text to both, between the texts before and after: where Markdown's are
 * NULL, to the HTML alone. */
static void both(f2l_page *page, const char *const html[2], const char *const md[2],
                 const char *format, va_list list)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    f2l_buf_text(&page->html, html[0]);
    f2l_html_text(&page->html, text);
    f2l_buf_text(&page->html, html[1]);
    if (!md[0]) return;
    f2l_buf_text(&page->md, md[0]);
    f2l_md_text(&page->md, text);
    f2l_buf_text(&page->md, md[1]);
}

#define BOTH(before, after, md_before, md_after) \
    do { \
        va_list list; \
        va_start(list, format); \
        both(page, (const char *const[]){before, after}, \
             (const char *const[]){md_before, md_after}, format, list); \
        va_end(list); \
    } while (0)

/* --- the page --- */

static void put_pieces(f2l_buf *out, const char *const *piece)
{
    while (*piece) f2l_buf_text(out, *piece++);
}

void f2l_page_begin(f2l_page *page, const char *title, const char *tool)
{
    f2l_buf *out = &page->html;
    f2l_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"generator\" content=\"");
    f2l_html_text(out, tool);
    f2l_buf_text(out, "\">\n<title>");
    f2l_html_text(out, title);
    f2l_buf_text(out, "</title>\n<style>\n");
    put_pieces(out, f2l_page_style);
    f2l_buf_text(out, f2l_words_style);
    f2l_buf_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

void f2l_page_end(f2l_page *page)
{
    f2l_page_close(page);
    f2l_page_link_words(page);
    f2l_buf_text(&page->html, "</main>\n<script>\n");
    put_pieces(&page->html, f2l_page_script);
    f2l_buf_text(&page->html, "</script>\n</body>\n</html>\n");
}

void f2l_page_close(f2l_page *page)
{
    if (page->in_section) f2l_buf_text(&page->html, "</section>\n");
    page->in_section = false;
}

void f2l_page_section(f2l_page *page, const char *id, const char *title)
{
    f2l_page_close(page);
    page->in_section = true;
    f2l_buf_printf(&page->html, "<section id=\"p%zu-", page->part);
    f2l_html_text(&page->html, id);
    f2l_buf_text(&page->html, "\">\n<h2>");
    f2l_html_text(&page->html, title);
    f2l_buf_text(&page->html, "</h2>\n");
    f2l_buf_text(&page->md, "\n## ");
    f2l_md_text(&page->md, title);
    f2l_buf_text(&page->md, "\n\n");
}

void f2l_page_heading(f2l_page *page, const char *format, ...)
{
    BOTH("<h3>", "</h3>\n", "### ", "\n\n");
}

void f2l_page_subheading(f2l_page *page, const char *format, ...)
{
    BOTH("<h4>", "</h4>\n", "#### ", "\n\n");
}

void f2l_page_say(f2l_page *page, const char *format, ...)
{
    BOTH("<p>", "</p>\n", "", "\n\n");
}

void f2l_page_note(f2l_page *page, const char *format, ...)
{
    BOTH("<p class=\"note\">", "</p>\n", "", "\n\n");
}

void f2l_page_about_drawing(f2l_page *page, const char *format, ...)
{
    BOTH("<p class=\"note\">", "</p>\n", NULL, NULL);
}

/* Appends the commands between fences that are longer than any run of backticks in them. */
static void put_md_code(f2l_buf *out, const char *text)
{
    size_t fence = 3, run = 0;
    for (const char *c = text; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        if (run >= fence) fence = run + 1;
    }
    for (size_t i = 0; i < fence; i++) f2l_buf_text(out, "`");
    f2l_buf_text(out, "sh\n");
    f2l_buf_visible(out, text, strlen(text), "\n");
    if (!text[0] || text[strlen(text) - 1] != '\n') f2l_buf_text(out, "\n");
    for (size_t i = 0; i < fence; i++) f2l_buf_text(out, "`");
    f2l_buf_text(out, "\n\n");
}

void f2l_page_code(f2l_page *page, const char *text)
{
    f2l_buf_text(&page->html, "<pre tabindex=\"0\"><code>");
    for (const char *line = text; *line;) {
        const size_t size = strcspn(line, "\n");
        char copy[4096];
        snprintf(copy, sizeof copy, "%.*s", (int)(size < 4000 ? size : 4000), line);
        f2l_html_text(&page->html, copy);
        f2l_buf_text(&page->html, "\n");
        line += size + (line[size] == '\n');
    }
    f2l_buf_text(&page->html, "</code></pre>\n");
    put_md_code(&page->md, text);
}

/* --- tables --- */

void f2l_page_table(f2l_page *page, const char *caption, const char *const *titles)
{
    f2l_buf_text(&page->html, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    f2l_html_text(&page->html, caption);
    f2l_buf_text(&page->html, "\">\n<table>\n<caption>");
    f2l_html_text(&page->html, caption);
    f2l_buf_text(&page->html, "</caption>\n<thead><tr>");
    f2l_buf_text(&page->md, "|");
    for (size_t i = 0; titles[i]; i++) {
        f2l_buf_text(&page->html, "<th scope=\"col\">");
        f2l_html_text(&page->html, titles[i]);
        f2l_buf_text(&page->html, "</th>");
        f2l_buf_text(&page->md, " ");
        f2l_md_text(&page->md, titles[i]);
        f2l_buf_text(&page->md, " |");
    }
    f2l_buf_text(&page->html, "</tr></thead>\n<tbody>\n");
    f2l_buf_text(&page->md, "\n|");
    for (size_t i = 0; titles[i]; i++) f2l_buf_text(&page->md, "---|");
    page->column = 0;
}

void f2l_page_row(f2l_page *page)
{
    f2l_buf_text(&page->html, page->column > 0 ? "</tr>\n<tr>" : "<tr>");
    f2l_buf_text(&page->md, "\n|");
    page->column = 0;
}

void f2l_page_cell(f2l_page *page, const char *format, ...)
{
    if (page->column++ == 0)
        BOTH("<th scope=\"row\">", "</th>", " ", " |");
    else
        BOTH("<td>", "</td>", " ", " |");
}

void f2l_page_verdict_cell(f2l_page *page, const char *verdict)
{
    page->column++;
    f2l_buf_printf(&page->html, "<td><span class=\"verdict %s\">%s ", f2l_verdict_class(verdict),
                   f2l_verdict_mark(verdict));
    f2l_html_text(&page->html, verdict);
    f2l_buf_text(&page->html, "</span></td>");
    f2l_buf_text(&page->md, " ");
    f2l_md_text(&page->md, verdict);
    f2l_buf_text(&page->md, " |");
}

void f2l_page_table_end(f2l_page *page)
{
    f2l_buf_text(&page->html, page->column > 0 ? "</tr>\n</tbody>\n</table>\n</div>\n"
                                               : "</tbody>\n</table>\n</div>\n");
    f2l_buf_text(&page->md, "\n\n");
}

void f2l_page_fold(f2l_page *page, const char *summary, bool open)
{
    f2l_buf_text(&page->html, open ? "<details open><summary>" : "<details><summary>");
    f2l_html_text(&page->html, summary);
    f2l_buf_text(&page->html, "</summary>\n");
}

void f2l_page_fold_end(f2l_page *page)
{
    f2l_buf_text(&page->html, "</details>\n");
}

void f2l_page_figure(f2l_page *page, f2l_buf *svg, const char *class, const char *caption)
{
    page->figures++;
    f2l_buf_printf(&page->html, "<figure class=\"%s\"><div class=\"scroll\" tabindex=\"0\">",
                   class);
    f2l_buf_bytes(&page->html, svg->data, svg->size);
    f2l_buf_text(&page->html, "</div>\n<figcaption>");
    f2l_html_text(&page->html, caption);
    f2l_buf_text(&page->html, "</figcaption></figure>\n");
    if (svg->failed) page->html.failed = true;
    f2l_buf_clear(svg);
}

const char *f2l_verdict_class(const char *verdict)
{
    if (strcmp(verdict, "VERIFIED") == 0) return "ok";
    return strcmp(verdict, "REFUTED") == 0 ? "bad" : "open";
}

const char *f2l_verdict_mark(const char *verdict)
{
    if (strcmp(verdict, "VERIFIED") == 0) return "\xe2\x9c\x93";
    return strcmp(verdict, "REFUTED") == 0 ? "\xe2\x9c\x97" : "?";
}

void f2l_page_raw(f2l_page *page, const char *html)
{
    f2l_buf_text(&page->html, html);
}

void f2l_page_rawf(f2l_page *page, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    f2l_buf_text(&page->html, text);
}
