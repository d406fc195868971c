/* Shorter drawings: Graphviz writes in every element what the style of pages says once. */
#include "reports/page/graph.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An attribute in a tag: name="value". */
typedef struct attribute {
    const char *name, *value;
    size_t name_size, size;
} attribute;

static bool is_one_of(const char *text, size_t size, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == size && strncmp(*list, text, size) == 0) return true;
    return false;
}

/* Returns whether the attribute is a name that Graphviz gave, such as id="f0_edge3": nothing refers
 * to it. */
static bool is_own_name(const attribute *a)
{
    const char *end = a->value + a->size;
    if (strncmp(a->name, "id=", 3) != 0) return false;
    for (const char *c = a->value; c + 5 < end; c++)
        if (strncmp(c, "_edge", 5) == 0 || strncmp(c, "_node", 5) == 0) return true;
    return false;
}

/* Returns whether the style of pages, or nothing, replaces the attribute; `styled`: in a node or an
 * edge. */
static bool is_styled(const attribute *a, bool styled)
{
    static const char *const text[] = {"font-family", NULL}, *const anchor[] = {"text-anchor",
                                                                                NULL};
    static const char *const paint[] = {"fill", "stroke", NULL};
    static const char *const middle[] = {"middle", NULL}, *const plain[] = {"none", "black", NULL};
    if (is_one_of(a->name, a->name_size, text)) return true;
    if (is_one_of(a->name, a->name_size, anchor)) return is_one_of(a->value, a->size, middle);
    if (is_own_name(a)) return true;
    return styled && is_one_of(a->name, a->name_size, paint) && is_one_of(a->value, a->size, plain);
}

/* Appends a number with one decimal: a tenth of a point is seen by nobody. Returns its end. */
static const char *put_short_number(f2l_buf *out, const char *number)
{
    char text[32], *end;
    const double value = strtod(number, &end);
    snprintf(text, sizeof text, "%.1f", value);
    size_t size = strlen(text);
    if (size > 2 && strcmp(text + size - 2, ".0") == 0) text[size - 2] = '\0';
    f2l_buf_text(out, strcmp(text, "-0") == 0 ? "0" : text);
    return end;
}

/* Appends a number of tenths, behind a blank where it would run into the one before. */
static void put_tenths(f2l_buf *out, long tenths)
{
    const char last = out->size ? out->data[out->size - 1] : ' ';
    const long size = labs(tenths);
    if (tenths < 0)
        f2l_buf_text(out, "-");
    else if (last >= '0' && last <= '9')
        f2l_buf_text(out, " ");
    if (size >= 10 || size == 0) f2l_buf_printf(out, "%ld", size / 10);
    if (size % 10) f2l_buf_printf(out, ".%ld", size % 10);
}

/* Appends a path of moves, lines and curves, whose places are said from the end of the piece
 * before; returns false, with nothing appended, where the path has anything else. */
static bool put_path(f2l_buf *out, const attribute *a)
{
    const char *end = a->value + a->size;
    long from[2] = {0, 0}, to[2] = {0, 0};
    size_t points = 0, piece = 1;
    for (const char *c = a->value; c < end; c++)
        if (!strchr("MLC0123456789.,- ", *c)) return false;
    for (const char *c = a->value; c < end;) {
        char *next;
        if (*c == 'M' || *c == 'L' || *c == 'C') {
            f2l_buf_text(out, *c == 'M' ? "m" : *c == 'L' ? "l" : "c");
            piece = *c++ == 'C' ? 3 : 1;
            points = 0;
        }
        for (size_t i = 0; i < 2; i++) {
            to[i] = lround(10 * strtod(c, &next));
            if (next == c) return true; /* no path that a browser draws further */
            c = next + strspn(next, ", ");
            put_tenths(out, to[i] - from[i]);
        }
        if (++points % piece == 0) memcpy(from, to, sizeof from);
    }
    return true;
}

/* Returns the bytes of a polygon's places, without the last one where it is the first. */
static size_t polygon_size(const attribute *a)
{
    const char *first = memchr(a->value, ' ', a->size);
    const size_t size = first ? (size_t)(first - a->value) : a->size;
    if (a->size < 2 * size + 2 || a->value[a->size - size - 1] != ' ') return a->size;
    return memcmp(a->value, a->value + a->size - size, size) == 0 ? a->size - size - 1 : a->size;
}

/* Appends a value of places, such as points="1.25,-2.5 3,4". */
static void put_places(f2l_buf *out, const attribute *a)
{
    for (const char *c = a->value; c < a->value + a->size;) {
        const bool begins = (*c >= '0' && *c <= '9') || *c == '-';
        if (begins)
            c = put_short_number(out, c);
        else
            f2l_buf_bytes(out, c++, 1);
    }
}

static void put_value(f2l_buf *out, const attribute *a)
{
    static const char *const places[] = {"d",  "points", "x",  "y",         "cx",
                                         "cy", "rx",     "ry", "font-size", NULL};
    static const char hyphen[] = "&#45;";
    attribute open = *a;
    if (strncmp(a->name, "d=", 2) == 0 && put_path(out, a)) return;
    if (strncmp(a->name, "points=", 7) == 0) open.size = polygon_size(a);
    if (is_one_of(a->name, a->name_size, places)) {
        put_places(out, &open);
        return;
    }
    for (const char *c = a->value; c < a->value + a->size;) {
        const bool met = strncmp(c, hyphen, sizeof hyphen - 1) == 0;
        f2l_buf_bytes(out, met ? "-" : c, 1);
        c += met ? sizeof hyphen - 1 : 1;
    }
}

/* Reads the attribute at c; returns its end, NULL: there is none. */
static const char *read_attribute(attribute *out, const char *c)
{
    const char *equals = c + strcspn(c, "=<> ");
    if (equals == c || equals[0] != '=' || equals[1] != '"') return NULL;
    const char *close = strchr(equals + 2, '"');
    if (!close) return NULL;
    *out = (attribute){c, equals + 2, (size_t)(equals - c), (size_t)(close - equals - 2)};
    return close + 1;
}

/* Appends the tag at c, without the attributes that the style replaces; returns its end. */
static const char *put_short_tag(f2l_buf *out, bool *styled, const char *c)
{
    static const char *const kinds[] = {"edge", "node"};
    attribute a;
    const bool group = strncmp(c, "<g ", 3) == 0;
    if (group) *styled = false;
    while (*c && *c != '>') {
        const char *end = *c == ' ' ? read_attribute(&a, c + 1) : NULL;
        if (!end) {
            f2l_buf_bytes(out, c++, 1);
            continue;
        }
        for (size_t i = 0; group && i < sizeof kinds / sizeof *kinds; i++)
            *styled = *styled || (a.name_size == 5 && strncmp(a.name, "class", 5) == 0 &&
                                  strncmp(a.value, kinds[i], 4) == 0);
        if (!is_styled(&a, *styled)) {
            f2l_buf_bytes(out, c, a.name_size + 3);
            put_value(out, &a);
            f2l_buf_text(out, "\"");
        }
        c = end;
    }
    return c;
}

void f2l_graph_shorten(f2l_buf *out, const char *svg)
{
    bool styled = false;
    const char *root = strstr(svg, "<svg"), *tag = root ? strchr(root, '>') : NULL;
    f2l_buf_bytes(out, svg, tag ? (size_t)(tag - svg) : 0);
    for (const char *c = tag ? tag : svg; *c;) {
        const bool element = c[0] == '<' && c[1] >= 'a' && c[1] <= 'z';
        if (element) {
            c = put_short_tag(out, &styled, c);
            continue;
        }
        const char *comment = strncmp(c, "<!--", 4) == 0 ? strstr(c, "-->") : NULL;
        if (comment) {
            c = comment + 3;
            continue;
        }
        const bool again = c[0] == '\n' && out->size && out->data[out->size - 1] == '\n';
        if (!again) f2l_buf_bytes(out, c, 1);
        c++;
    }
}
