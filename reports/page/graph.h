/* Drawings of graphs by Graphviz. */
#ifndef F2L_GRAPH_H
#define F2L_GRAPH_H

#include "numeric/base/text.h"
#include <stdbool.h>

/* Appends a name as a label of the DOT language, in two lines where it has more characters than
 * `width`; what is longer is cut, with an ellipsis. */
void f2l_dot_label(f2l_buf *out, const char *name, size_t width);

/* Append the head of a directed graph whose nodes are n0, n1, .., and an arrow from nowhere to the
 * node with which everything starts. */
void f2l_graph_head(f2l_buf *dot, size_t figure);
void f2l_graph_start(f2l_buf *dot, size_t node);

/* What is said where a node is pointed at (from == to, not `edge`), or an edge. `put` appends it,
 * escaped for HTML. */
typedef struct f2l_graph_titles {
    void (*put)(f2l_buf *out, size_t from, size_t to, bool edge, const void *context);
    const void *context;
    size_t nodes;
} f2l_graph_titles;

/* Appends the drawing of a graph in the DOT language, as an <svg> element with this text for
 * readers who do not see it. F2L_UNKNOWN, with the reason, where it could not be drawn: `dot` is
 * not installed, or took more than five seconds. */
f2l_status f2l_graph_draw(f2l_buf *svg, const f2l_buf *dot, const f2l_graph_titles *titles,
                          const char *alt, f2l_error *err);

/* Appends an <svg> element that a program wrote, in the form in which pages have them: without
 * prologue, comments and namespaces other than SVG, its identifiers prefixed by `prefix`, and never
 * shown so small that a text in it has less than 9 pixels. With `titles` (NULL: kept as they are)
 * its titles are replaced. F2L_EFORMAT when there is none. */
f2l_status f2l_svg_adopt(f2l_buf *svg, const f2l_buf *file, const char *class, const char *alt,
                         const char *prefix, const f2l_graph_titles *titles, f2l_error *err);

/* Appends a drawing of Graphviz without what the style of pages says of all nodes, edges and texts,
 * and with places to a tenth of a point. */
void f2l_graph_shorten(f2l_buf *out, const char *svg);

#endif
