/* The part of Graphviz DOT that automata are written in: a flat directed graph with attributes. Private to
 * dot*.c and automata/import/import_dot.c. */
#ifndef F2L_DOT_IMPL_H
#define F2L_DOT_IMPL_H

#include "numeric/base/names.h"
#include "numeric/base/status.h"
#include <stdbool.h>

#define F2L_DOT_NONE UINT32_MAX

/* Values are indices into f2l_dot.text; F2L_DOT_NONE: not given. */
typedef struct f2l_dot_attributes {
    uint32_t label, shape, peripheries;
    bool label_is_html;
} f2l_dot_attributes;

typedef struct f2l_dot_node {
    uint32_t name; /* index into text */
    f2l_dot_attributes attributes;
    size_t line, column; /* where it was first seen */
} f2l_dot_node;

typedef struct f2l_dot_edge {
    uint32_t from, to; /* nodes */
    f2l_dot_attributes attributes;
    size_t line, column;
} f2l_dot_edge;

typedef struct f2l_dot {
    f2l_names text; /* every identifier and string of the file; escapes other than \" are kept as written */
    uint32_t name;  /* of the graph */
    f2l_dot_node *node;
    size_t nodes, node_capacity;
    f2l_dot_edge *edge;
    size_t edges, edge_capacity;
    uint32_t *node_of; /* [text] node with that name, F2L_DOT_NONE */
    size_t node_of_size;
} f2l_dot;

void f2l_dot_init(f2l_dot *dot);
void f2l_dot_clear(f2l_dot *dot);

/* Reads one digraph. Undirected graphs, subgraphs and ports are refused, as nothing writes automata with
 * them. */
f2l_status f2l_dot_read(f2l_dot *dot, const char *bytes, size_t size, f2l_error *err);

typedef enum f2l_dot_kind {
    F2L_DOT_ID,     /* identifier or numeral */
    F2L_DOT_STRING, /* "..", pieces joined by + */
    F2L_DOT_HTML,   /* <..> */
    F2L_DOT_ARROW,
    F2L_DOT_LINE, /* -- */
    F2L_DOT_PUNCTUATION,
    F2L_DOT_END
} f2l_dot_kind;

typedef struct f2l_dot_token {
    f2l_dot_kind kind;
    char punctuation; /* one of { } [ ] = ; , : */
    uint32_t text;    /* identifiers and strings */
    size_t line, column;
} f2l_dot_token;

typedef struct f2l_dot_lexer {
    const char *bytes;
    size_t size, at, line, line_start;
    f2l_names *text;
} f2l_dot_lexer;

/* The next token; comments (slash-star, slash-slash, and lines that begin with #) are skipped. */
f2l_status f2l_dot_next(f2l_dot_lexer *lexer, f2l_dot_token *token, f2l_error *err);

#endif
