/* Drawings of graphs by Graphviz. */
#ifndef F2L_GRAPH_H
#define F2L_GRAPH_H

#include "numeric/base/text.h"

/* Appends a name as a string of the DOT language; `most` characters of it, 0: all. A label has
 * backslashes that DOT would read as escapes. */
void f2l_dot_string(f2l_buf *out, const char *name, size_t most, bool label);

/* Appends the drawing of a graph in the DOT language, as an <svg> element with this text for
 * readers who do not see it. F2L_UNKNOWN, with the reason, where it could not be drawn: `dot` is
 * not installed, or took more than a second. */
f2l_status f2l_graph_draw(f2l_buf *svg, const f2l_buf *dot, const char *alt, f2l_error *err);

/* Appends an <svg> element that a program wrote, in the form in which pages have them: without
 * prologue, comments, titles of the whole and namespaces other than SVG, its identifiers prefixed
 * by `prefix`. F2L_EFORMAT when there is none. */
f2l_status f2l_svg_adopt(f2l_buf *svg, const f2l_buf *file, const char *class, const char *alt,
                         const char *prefix, f2l_error *err);

#endif
