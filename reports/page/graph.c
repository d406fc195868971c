#include "reports/page/graph.h"
#include "numeric/base/visible.h"
#include "reports/page/child.h"
#include "reports/page/page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 5.0
#define MOST_BYTES ((size_t)1 << 20)
#define LEAST_TEXT 9.2 /* pixels of the smallest text: 9 after rounding */

/* --- the DOT language --- */

/* Returns the place behind the first `count` characters of the text. */
static size_t skip_characters(const char *text, size_t count)
{
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && count-- == 0) break;
    return at;
}

/* Returns where a line of at most `width` characters ends: behind its last blank, or else its last
 * other separator, if that is in its second half. */
static size_t find_line_end(const char *text, size_t width)
{
    static const char *const separators[] = {" ", ",_-.:/|"};
    const size_t most = skip_characters(text, width), least = skip_characters(text, width / 2);
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        for (size_t at = most; at > least; at--)
            if (strchr(separators[i], text[at - 1])) return at;
    return most;
}

/* Appends bytes of a label, in which DOT reads backslashes and quotes. */
static void put_label_bytes(f2l_buf *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, text + i, 1);
    }
}

void f2l_dot_label(f2l_buf *out, const char *name, size_t width)
{
    f2l_buf shown;
    f2l_buf_init(&shown);
    f2l_buf_visible(&shown, name, strlen(name), "");
    name = shown.data ? shown.data : "";
    f2l_buf_text(out, "\"");
    if (name[skip_characters(name, width)]) {
        const size_t end = find_line_end(name, width);
        put_label_bytes(out, name, end);
        f2l_buf_text(out, "\\n");
        name += end;
    }
    const size_t size = skip_characters(name, width);
    put_label_bytes(out, name, size);
    f2l_buf_text(out, name[size] ? "\xe2\x80\xa6\"" : "\"");
    out->failed = out->failed || shown.failed;
    f2l_buf_clear(&shown);
}

void f2l_graph_head(f2l_buf *dot, size_t figure)
{
    f2l_buf_printf(dot,
                   "digraph {\nid=\"f%zu\"; bgcolor=\"transparent\"; rankdir=LR; nodesep=0.3; "
                   "ranksep=0.5;\n"
                   "node [fontname=\"DejaVu Sans\", fontsize=12];\n"
                   "edge [fontname=\"DejaVu Sans\", fontsize=11, arrowsize=0.7];\n",
                   figure);
}

void f2l_graph_start(f2l_buf *dot, size_t node)
{
    f2l_buf_printf(dot,
                   "begin [shape=point, style=\"\", width=0.07, height=0.07, class=\"begin\"];\n"
                   "begin -> n%zu [class=\"begin\", len=0.6];\n",
                   node);
}

/* --- the drawing --- */

/* Copies the number of the attribute, such as width="123pt", out of the element's tag. */
static double svg_attribute(const char *tag, const char *end, const char *name)
{
    const size_t size = strlen(name);
    for (const char *c = tag; c + size + 3 < end; c++)
        if (c[0] == ' ' && strncmp(c + 1, name, size) == 0 && c[size + 1] == '=')
            return strtod(c + size + 3, NULL);
    return 0;
}

/* Returns the size of the smallest text of the drawing; 0: it has none. */
static double smallest_text(const char *svg)
{
    static const char name[] = "font-size=";
    double least = 0;
    for (const char *c = strstr(svg, name); c; c = strstr(c + 1, name)) {
        const double size = strtod(c + sizeof name, NULL);
        if (size > 0 && (least == 0 || size < least)) least = size;
    }
    return least;
}

/* Appends the element's tag. Graphviz and gnuplot name their size in points or pixels; pages use
 * pixels. A drawing may shrink until its smallest text has LEAST_TEXT pixels. */
static void put_svg_tag(f2l_buf *svg, const char *tag, const char *end, const char *class,
                        const char *alt)
{
    const char *box = strstr(tag, "viewBox=");
    const double width = svg_attribute(tag, end, "width"),
                 height = svg_attribute(tag, end, "height");
    f2l_buf_printf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\"",
                   class);
    f2l_buf_text(svg, " aria-label=\"");
    f2l_html_text(svg, alt);
    f2l_buf_printf(svg, "\" width=\"%.0f\" height=\"%.0f\" ", width, height);
    const double text = smallest_text(end);
    if (text > 0)
        f2l_buf_printf(svg, "style=\"min-width:%.0fpx\" ",
                       ceil(width * fmin(1, LEAST_TEXT / text)));
    if (box && box < end) {
        const char *close = strchr(box + 9, box[8]);
        if (close) f2l_buf_bytes(svg, box, (size_t)(close + 1 - box));
    }
    f2l_buf_text(svg, ">");
}

/* Returns the text behind a quote that begins an identifier or a reference to one; NULL: it begins
 * none. */
static const char *find_svg_identifier(const char *c, const char *begin)
{
    if (c - begin < 5) return NULL;
    if ((c[0] == '"' || c[0] == '\'') && strncmp(c - 4, " id=", 4) == 0) return c + 1;
    if (c[0] == '#' && (c[-1] == '"' || c[-1] == '\'' || c[-1] == '(') && c[1] != ' ' &&
        strncmp(c - 6, "href=", 5) == 0)
        return c + 1;
    if (c[0] == '#' && c[-1] == '(') return c + 1;
    return NULL;
}

/* Returns where to go on when the text at c is left out: a comment, a description, or the prefix of
 * a namespace. */
static const char *skipped(const char *c, const char *end)
{
    static const struct {
        const char *from, *to;
    } part[] = {{"<!--", "-->"}, {"<desc>", "</desc>"}, {"xlink:", ""}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const size_t size = strlen(part[i].from);
        if ((size_t)(end - c) <= size || strncmp(c, part[i].from, size) != 0) continue;
        if (!part[i].to[0]) return strncmp(c + size, "href", 4) == 0 ? c + size : NULL;
        const char *to = strstr(c, part[i].to);
        return to ? to + strlen(part[i].to) : NULL;
    }
    return NULL;
}

/* Returns where the title at c ends, NULL: there is none at c. Appends what `titles` says in its
 * place: Graphviz calls a node by its name, n4, and an edge n4->n7. */
static const char *replace_title(f2l_buf *svg, const char *c, const f2l_graph_titles *titles)
{
    static const char open[] = "<title>", close[] = "</title>", arrow[] = "&#45;&gt;n";
    size_t from, to;
    char *rest;
    if (strncmp(c, open, sizeof open - 1) != 0) return NULL;
    const char *end = strstr(c, close), *name = c + sizeof open - 1;
    if (!end) return NULL;
    if (name[0] != 'n') return end + sizeof close - 1;
    from = to = strtoul(name + 1, &rest, 10);
    const bool edge = strncmp(rest, arrow, sizeof arrow - 1) == 0;
    if (edge) to = strtoul(rest + sizeof arrow - 1, NULL, 10);
    if (from >= titles->nodes || to >= titles->nodes) return end + sizeof close - 1;
    f2l_buf_text(svg, open);
    titles->put(svg, from, to, edge, titles->context);
    f2l_buf_text(svg, close);
    return end + sizeof close - 1;
}

f2l_status f2l_svg_adopt(f2l_buf *svg, const f2l_buf *file, const char *class, const char *alt,
                         const char *prefix, const f2l_graph_titles *titles, f2l_error *err)
{
    const char *begin = file->data ? strstr(file->data, "<svg") : NULL;
    const char *tag = begin ? strchr(begin, '>') : NULL;
    if (!tag) return f2l_fail(err, F2L_EFORMAT, "the drawing is no SVG");
    put_svg_tag(svg, begin, tag, class, alt);
    const char *end = file->data + file->size;
    for (const char *c = tag + 1; c < end;) {
        const char *behind = skipped(c, end);
        if (!behind && titles) behind = replace_title(svg, c, titles);
        if (behind) {
            c = behind;
            continue;
        }
        f2l_buf_bytes(svg, c, 1);
        if (find_svg_identifier(c, begin)) f2l_buf_text(svg, prefix);
        c++;
    }
    return f2l_buf_status(svg, err);
}

f2l_status f2l_graph_draw(f2l_buf *svg, const f2l_buf *dot, const f2l_graph_titles *titles,
                          const char *alt, f2l_error *err)
{
    static const char *const argv[] = {"dot", "-Tsvg", NULL};
    f2l_buf file, less;
    f2l_buf_init(&file);
    f2l_buf_init(&less);
    f2l_status status = f2l_buf_status(dot, err);
    if (status == F2L_OK) status = f2l_child_run(&file, argv, dot, SECONDS, MOST_BYTES, err);
    if (status == F2L_OK && file.data) f2l_graph_shorten(&less, file.data);
    if (status == F2L_OK) status = f2l_buf_status(&less, err);
    if (status == F2L_OK) status = f2l_svg_adopt(svg, &less, "graph", alt, "", titles, err);
    f2l_buf_clear(&less);
    f2l_buf_clear(&file);
    return status;
}
