#include "reports/page/graph.h"
#include "numeric/base/visible.h"
#include "reports/page/child.h"
#include "reports/page/page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 1.0
#define MOST_BYTES ((size_t)1 << 20)

void f2l_dot_string(f2l_buf *out, const char *name, size_t most, bool label)
{
    size_t characters = 0;
    f2l_buf shown;
    f2l_buf_init(&shown);
    f2l_buf_visible(&shown, name, strlen(name), "");
    name = shown.data ? shown.data : "";
    f2l_buf_text(out, "\"");
    for (const char *c = name; *c; c++) {
        if (((unsigned char)*c & 0xc0) != 0x80 && most > 0 && characters++ == most) {
            f2l_buf_text(out, "\xe2\x80\xa6");
            break;
        }
        if (*c == '"' || (*c == '\\' && label)) f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, c, 1);
    }
    /* A string of DOT cannot end with a single backslash. */
    if (!label && name[0] && name[strlen(name) - 1] == '\\') f2l_buf_text(out, " ");
    f2l_buf_text(out, "\"");
    out->failed = out->failed || shown.failed;
    f2l_buf_clear(&shown);
}

/* Copies the number of the attribute, such as width="123pt", out of the element's tag. */
static double svg_attribute(const char *tag, const char *end, const char *name)
{
    const size_t size = strlen(name);
    for (const char *c = tag; c + size + 3 < end; c++)
        if (c[0] == ' ' && strncmp(c + 1, name, size) == 0 && c[size + 1] == '=')
            return strtod(c + size + 3, NULL);
    return 0;
}

/* Appends the element's tag. Graphviz and gnuplot name their size in points or pixels; pages use
 * pixels. */
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

f2l_status f2l_svg_adopt(f2l_buf *svg, const f2l_buf *file, const char *class, const char *alt,
                         const char *prefix, f2l_error *err)
{
    const char *begin = file->data ? strstr(file->data, "<svg") : NULL;
    const char *tag = begin ? strchr(begin, '>') : NULL;
    if (!tag) return f2l_fail(err, F2L_EFORMAT, "the drawing is no SVG");
    put_svg_tag(svg, begin, tag, class, alt);
    const char *end = file->data + file->size;
    for (const char *c = tag + 1; c < end;) {
        const char *behind = skipped(c, end);
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

f2l_status f2l_graph_draw(f2l_buf *svg, const f2l_buf *dot, const char *alt, f2l_error *err)
{
    static const char *const argv[] = {"dot", "-Tsvg", NULL};
    f2l_buf file;
    f2l_buf_init(&file);
    f2l_status status = f2l_buf_status(dot, err);
    if (status == F2L_OK) status = f2l_child_run(&file, argv, dot, SECONDS, MOST_BYTES, err);
    if (status == F2L_OK) status = f2l_svg_adopt(svg, &file, "graph", alt, "", err);
    f2l_buf_clear(&file);
    return status;
}
