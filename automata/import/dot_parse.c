#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct parser {
    f2l_dot *dot;
    f2l_dot_lexer lexer;
    f2l_dot_token token; /* the one to be consumed next */
    f2l_dot_attributes node_default, edge_default;
} parser;

static const f2l_dot_attributes no_attributes = {F2L_DOT_NONE, F2L_DOT_NONE, F2L_DOT_NONE, false};

void f2l_dot_init(f2l_dot *dot)
{
    memset(dot, 0, sizeof *dot);
    f2l_names_init(&dot->text);
    dot->name = F2L_DOT_NONE;
}

void f2l_dot_clear(f2l_dot *dot)
{
    f2l_names_clear(&dot->text);
    f2l_free(dot->node);
    f2l_free(dot->edge);
    f2l_free(dot->node_of);
    f2l_dot_init(dot);
}

static f2l_status next_dot_token(parser *p, f2l_error *err)
{
    return f2l_dot_next(&p->lexer, &p->token, err);
}

static bool at_dot_mark(const parser *p, char punctuation)
{
    return p->token.kind == F2L_DOT_PUNCTUATION && p->token.punctuation == punctuation;
}

/* Returns whether the token is the keyword; keywords are case-insensitive and never quoted. */
static bool at_keyword(const parser *p, const char *word)
{
    if (p->token.kind != F2L_DOT_ID) return false;
    const char *text = f2l_names_get(&p->dot->text, p->token.text);
    size_t i = 0;
    for (; text[i] != '\0' && word[i] != '\0'; i++) {
        char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != word[i]) return false;
    }
    return text[i] == '\0' && word[i] == '\0';
}

static bool at_id(const parser *p)
{
    return p->token.kind == F2L_DOT_ID || p->token.kind == F2L_DOT_STRING ||
           p->token.kind == F2L_DOT_HTML;
}

static f2l_status expected(const parser *p, const char *what, f2l_error *err)
{
    return f2l_fail_at(err, p->token.line, p->token.column, "expected %s", what);
}

static f2l_status expect_dot_mark(parser *p, char punctuation, f2l_error *err)
{
    char what[] = {'"', punctuation, '"', '\0'};
    return at_dot_mark(p, punctuation) ? next_dot_token(p, err) : expected(p, what, err);
}

static void set_attribute(f2l_dot_attributes *a, const char *name, const f2l_dot_token *value)
{
    if (strcmp(name, "label") == 0) {
        a->label = value->text;
        a->label_is_html = value->kind == F2L_DOT_HTML;
    }
    if (strcmp(name, "shape") == 0) a->shape = value->text;
    if (strcmp(name, "peripheries") == 0) a->peripheries = value->text;
}

/* Reads NAME or NAME = VALUE, with an optional separator. */
static f2l_status read_dot_attribute(parser *p, f2l_dot_attributes *a, f2l_error *err)
{
    if (!at_id(p)) return expected(p, "an attribute such as label=\"a\", or \"]\"", err);
    uint32_t name = p->token.text;
    f2l_status status = next_dot_token(p, err);
    if (status == F2L_OK && at_dot_mark(p, '=')) {
        status = next_dot_token(p, err);
        if (status == F2L_OK && !at_id(p)) return expected(p, "the value of an attribute", err);
        if (status == F2L_OK) set_attribute(a, f2l_names_get(&p->dot->text, name), &p->token);
        if (status == F2L_OK) status = next_dot_token(p, err);
    }
    if (status == F2L_OK && (at_dot_mark(p, ';') || at_dot_mark(p, ',')))
        status = next_dot_token(p, err);
    return status;
}

/* Reads any number of lists [..]. */
static f2l_status attributes(parser *p, f2l_dot_attributes *a, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && at_dot_mark(p, '[')) {
        status = next_dot_token(p, err);
        while (status == F2L_OK && !at_dot_mark(p, ']')) status = read_dot_attribute(p, a, err);
        if (status == F2L_OK) status = next_dot_token(p, err);
    }
    return status;
}

static f2l_status grow_node_of(f2l_dot *dot, f2l_error *err)
{
    if (dot->node_of_size >= dot->text.count) return F2L_OK;
    size_t size = 2 * dot->text.count;
    uint32_t *grown = f2l_realloc(dot->node_of, size, sizeof *grown);
    if (grown == NULL) return f2l_fail_memory(err);
    for (size_t i = dot->node_of_size; i < size; i++) grown[i] = F2L_DOT_NONE;
    dot->node_of = grown;
    dot->node_of_size = size;
    return F2L_OK;
}

/* Finds or adds the node with the name in the token; a new node takes the current defaults. */
static f2l_status find_node(parser *p, const f2l_dot_token *name, uint32_t *node, f2l_error *err)
{
    f2l_dot *dot = p->dot;
    f2l_status status = grow_node_of(dot, err);
    if (status != F2L_OK) return status;
    if (dot->node_of[name->text] == F2L_DOT_NONE) {
        if (!f2l_grow((void **)&dot->node, &dot->node_capacity, dot->nodes, sizeof *dot->node))
            return f2l_fail_memory(err);
        dot->node[dot->nodes] =
            (f2l_dot_node){name->text, p->node_default, name->line, name->column};
        dot->node_of[name->text] = (uint32_t)dot->nodes++;
    }
    *node = dot->node_of[name->text];
    return F2L_OK;
}

/* Reads -> NODE -> NODE .. [attributes] after the first node. */
static f2l_status read_dot_edges(parser *p, uint32_t from, f2l_error *err)
{
    f2l_dot *dot = p->dot;
    size_t first = dot->edges;
    f2l_status status = F2L_OK;
    while (status == F2L_OK && p->token.kind == F2L_DOT_ARROW) {
        size_t line = p->token.line, column = p->token.column;
        uint32_t to;
        status = next_dot_token(p, err);
        if (status == F2L_OK && !at_id(p))
            return expected(p, "a node after ->; subgraphs are not read", err);
        if (status == F2L_OK) status = find_node(p, &p->token, &to, err);
        if (status == F2L_OK) status = next_dot_token(p, err);
        if (status != F2L_OK) return status;
        if (!f2l_grow((void **)&dot->edge, &dot->edge_capacity, dot->edges, sizeof *dot->edge))
            return f2l_fail_memory(err);
        dot->edge[dot->edges++] = (f2l_dot_edge){from, to, p->edge_default, line, column};
        from = to;
    }
    f2l_dot_attributes own = p->edge_default;
    if (status == F2L_OK) status = attributes(p, &own, err);
    for (size_t i = first; i < dot->edges; i++) dot->edge[i].attributes = own;
    return status;
}

static f2l_status node_or_edges(parser *p, f2l_error *err)
{
    f2l_dot_token name = p->token;
    f2l_status status = next_dot_token(p, err);
    if (status != F2L_OK) return status;
    if (at_dot_mark(p, '=')) {
        /* An attribute of the graph itself: nothing in it concerns the automaton. */
        status = next_dot_token(p, err);
        if (status == F2L_OK && !at_id(p)) return expected(p, "the value of an attribute", err);
        return status == F2L_OK ? next_dot_token(p, err) : status;
    }
    if (at_dot_mark(p, ':')) return expected(p, "an edge or attributes; ports are not read", err);
    uint32_t node = 0;
    status = find_node(p, &name, &node, err);
    if (status != F2L_OK) return status;
    if (p->token.kind == F2L_DOT_LINE)
        return expected(p, "\"->\"; undirected edges are no transitions", err);
    if (p->token.kind == F2L_DOT_ARROW) return read_dot_edges(p, node, err);
    return attributes(p, &p->dot->node[node].attributes, err);
}

static f2l_status defaults(parser *p, f2l_dot_attributes *a, f2l_error *err)
{
    f2l_status status = next_dot_token(p, err);
    if (status == F2L_OK && !at_dot_mark(p, '[')) return expected(p, "\"[\"", err);
    return status == F2L_OK ? attributes(p, a, err) : status;
}

static f2l_status statement(parser *p, f2l_error *err)
{
    f2l_dot_attributes ignored = no_attributes;
    if (at_dot_mark(p, ';')) return next_dot_token(p, err);
    if (at_keyword(p, "node")) return defaults(p, &p->node_default, err);
    if (at_keyword(p, "edge")) return defaults(p, &p->edge_default, err);
    if (at_keyword(p, "graph")) return defaults(p, &ignored, err);
    if (at_dot_mark(p, '{') || at_keyword(p, "subgraph"))
        return expected(p, "a node or an edge; subgraphs are not read", err);
    if (!at_id(p)) return expected(p, "a node, an edge or \"}\"", err);
    return node_or_edges(p, err);
}

static f2l_status graph(parser *p, f2l_error *err)
{
    f2l_status status = next_dot_token(p, err);
    if (status == F2L_OK && at_keyword(p, "strict")) status = next_dot_token(p, err);
    if (status != F2L_OK) return status;
    if (at_keyword(p, "graph"))
        return expected(p, "digraph; an undirected graph is no automaton", err);
    if (!at_keyword(p, "digraph")) return expected(p, "digraph", err);
    status = next_dot_token(p, err);
    if (status == F2L_OK && at_id(p)) {
        p->dot->name = p->token.text;
        status = next_dot_token(p, err);
    }
    if (status == F2L_OK) status = expect_dot_mark(p, '{', err);
    while (status == F2L_OK && !at_dot_mark(p, '}')) status = statement(p, err);
    if (status == F2L_OK) status = next_dot_token(p, err);
    if (status == F2L_OK && p->token.kind != F2L_DOT_END)
        return expected(p, "the end of the file", err);
    return status;
}

f2l_status f2l_dot_read(f2l_dot *dot, const char *bytes, size_t size, f2l_error *err)
{
    parser p = {.dot = dot,
                .lexer = {f2l_cursor_start(bytes, size), &dot->text},
                .node_default = no_attributes,
                .edge_default = no_attributes};
    f2l_status status = graph(&p, err);
    if (status != F2L_OK) f2l_dot_clear(dot);
    return status;
}
