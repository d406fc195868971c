/* Graphs in Graphviz's language: nodes, edges and their attributes, with subgraphs, as groups of
 * nodes and as the scope of defaults. */
#include "automata/import/dot/dot.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_DEPTH 100

typedef struct parser {
    f2l_dot *dot;
    f2l_dot_lexer lexer;
    f2l_dot_token token; /* the one to be consumed next */
    f2l_dot_attributes node_default, edge_default;
    size_t depth; /* open subgraphs */
    /* Nodes in the order of their occurrences, of the statement in hand and of open subgraphs. */
    uint32_t *occurrence;
    size_t occurrences, occurrence_capacity;
    uint32_t *seen; /* [nodes] the last group that holds it */
    size_t seen_size;
    uint32_t group; /* number of groups so far */
} parser;

/* Nodes at an end of an edge: parser.occurrence[first..end), each once. */
typedef struct group {
    size_t first, end;
} group;

static const f2l_dot_attributes no_attributes = {F2L_DOT_NONE, 0, 0};

void f2l_dot_init(f2l_dot *dot, f2l_notes *notes)
{
    memset(dot, 0, sizeof *dot);
    f2l_names_init(&dot->text);
    dot->name = dot->read_as = dot->ornament = F2L_DOT_NONE;
    dot->graph = no_attributes;
    dot->notes = notes;
}

void f2l_dot_clear(f2l_dot *dot)
{
    f2l_names_clear(&dot->text);
    f2l_free(dot->node);
    f2l_free(dot->edge);
    f2l_free(dot->node_of);
    f2l_dot_init(dot, dot->notes);
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

/* Reads the value behind the = and applies it; `graph` says that the attribute is a graph's. */
static f2l_status read_dot_value(parser *p, f2l_dot_attributes *a, const f2l_dot_token *name,
                                 bool graph, f2l_error *err)
{
    f2l_dot *dot = p->dot;
    f2l_status status = next_dot_token(p, err);
    if (status != F2L_OK) return status;
    if (!at_id(p)) return expected(p, "the value of an attribute", err);
    const char *key = f2l_dot_text(dot, name->text);
    if (!graph) {
        status = f2l_dot_attribute(dot, a, name, &p->token, err);
    } else if (p->depth == 0 && strcmp(key, "label") == 0) {
        dot->graph.label = p->token.text;
    } else if (p->depth == 0 && strcmp(key, "read_as") == 0) {
        dot->read_as = p->token.text;
        dot->read_as_line = p->token.line;
        dot->read_as_column = p->token.column;
    }
    return status == F2L_OK ? next_dot_token(p, err) : status;
}

/* Reads any number of lists [NAME = VALUE, NAME; ..]. */
static f2l_status read_dot_attributes(parser *p, f2l_dot_attributes *a, bool graph, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && at_dot_mark(p, '[')) {
        status = next_dot_token(p, err);
        while (status == F2L_OK && !at_dot_mark(p, ']')) {
            if (!at_id(p)) return expected(p, "an attribute such as label=\"a\", or \"]\"", err);
            const f2l_dot_token name = p->token;
            status = next_dot_token(p, err);
            if (status == F2L_OK && at_dot_mark(p, '='))
                status = read_dot_value(p, a, &name, graph, err);
            if (status == F2L_OK && (at_dot_mark(p, ';') || at_dot_mark(p, ',')))
                status = next_dot_token(p, err);
        }
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

static uint32_t narrow_place(size_t value)
{
    return value < INT32_MAX ? (uint32_t)value : INT32_MAX;
}

/* Finds or adds the node with the name in the token, which occurs here; a new node takes the
 * current defaults. */
static f2l_status find_node(parser *p, const f2l_dot_token *name, uint32_t *node, f2l_error *err)
{
    f2l_dot *dot = p->dot;
    f2l_status status = grow_node_of(dot, err);
    if (status != F2L_OK) return status;
    if (dot->node_of[name->text] == F2L_DOT_NONE) {
        if (!f2l_grow((void **)&dot->node, &dot->node_capacity, dot->nodes, sizeof *dot->node))
            return f2l_fail_memory(err);
        dot->node[dot->nodes] = (f2l_dot_node){name->text, narrow_place(name->line),
                                               narrow_place(name->column), p->node_default};
        dot->node_of[name->text] = (uint32_t)dot->nodes++;
    }
    *node = dot->node_of[name->text];
    if (!f2l_grow((void **)&p->occurrence, &p->occurrence_capacity, p->occurrences,
                  sizeof *p->occurrence))
        return f2l_fail_memory(err);
    p->occurrence[p->occurrences++] = *node;
    return F2L_OK;
}

/* Drops repeated nodes from the group, whose nodes are the last occurrences. */
static f2l_status drop_repeated_nodes(parser *p, group *g, f2l_error *err)
{
    if (g->end - g->first < 2) return F2L_OK;
    if (p->seen_size < p->dot->nodes) {
        const size_t size = p->dot->node_capacity;
        uint32_t *grown = f2l_realloc(p->seen, size, sizeof *grown);
        if (grown == NULL) return f2l_fail_memory(err);
        memset(grown + p->seen_size, 0, (size - p->seen_size) * sizeof *grown);
        p->seen = grown;
        p->seen_size = size;
    }
    p->group++;
    size_t kept = g->first;
    for (size_t i = g->first; i < g->end; i++) {
        const uint32_t node = p->occurrence[i];
        if (p->seen[node] == p->group) continue;
        p->seen[node] = p->group;
        p->occurrence[kept++] = node;
    }
    p->occurrences = g->end = kept;
    return F2L_OK;
}

static f2l_status read_dot_statement(parser *p, f2l_error *err);

/* Reads [subgraph [NAME]] { .. }, at the end of an edge or alone. */
static f2l_status read_subgraph(parser *p, group *out, f2l_error *err)
{
    const f2l_dot_attributes node = p->node_default, edge = p->edge_default;
    const f2l_dot_token start = p->token;
    f2l_status status = F2L_OK;
    out->first = p->occurrences;
    if (at_keyword(p, "subgraph")) {
        status = next_dot_token(p, err);
        if (status == F2L_OK && at_id(p)) status = next_dot_token(p, err);
    }
    if (status == F2L_OK) status = expect_dot_mark(p, '{', err);
    if (status != F2L_OK) return status;
    if (p->depth++ == MAX_DEPTH)
        return f2l_fail_at(err, start.line, start.column, "subgraphs nested too deeply");
    while (status == F2L_OK && !at_dot_mark(p, '}')) status = read_dot_statement(p, err);
    if (status == F2L_OK) status = next_dot_token(p, err);
    p->depth--;
    p->node_default = node;
    p->edge_default = edge;
    out->end = p->occurrences;
    return status == F2L_OK ? drop_repeated_nodes(p, out, err) : status;
}

/* Skips :PORT and :PORT:COMPASS, which say where an edge ends in the drawing. */
static f2l_status skip_dot_port(parser *p, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (int i = 0; i < 2 && status == F2L_OK && at_dot_mark(p, ':'); i++) {
        status = next_dot_token(p, err);
        if (status == F2L_OK && !at_id(p)) return expected(p, "the name of a port", err);
        if (status == F2L_OK) status = next_dot_token(p, err);
    }
    return status;
}

static bool at_subgraph(const parser *p)
{
    return at_dot_mark(p, '{') || at_keyword(p, "subgraph");
}

/* Takes the node whose name was the token before, with its port, and more nodes behind commas. */
static f2l_status take_dot_nodes(parser *p, const f2l_dot_token *name, group *out, f2l_error *err)
{
    f2l_dot_token token = *name;
    f2l_status status = F2L_OK;
    out->first = p->occurrences;
    for (;;) {
        uint32_t node;
        status = find_node(p, &token, &node, err);
        if (status == F2L_OK) status = skip_dot_port(p, err);
        if (status != F2L_OK || !at_dot_mark(p, ',')) break;
        status = next_dot_token(p, err);
        if (status == F2L_OK && !at_id(p)) return expected(p, "a node after the comma", err);
        token = p->token;
        if (status == F2L_OK) status = next_dot_token(p, err);
        if (status != F2L_OK) break;
    }
    out->end = p->occurrences;
    return status == F2L_OK ? drop_repeated_nodes(p, out, err) : status;
}

/* Reads nodes with their ports, or a subgraph. */
static f2l_status read_dot_end(parser *p, group *out, f2l_error *err)
{
    if (at_subgraph(p)) return read_subgraph(p, out, err);
    const f2l_dot_token name = p->token;
    if (!at_id(p)) return expected(p, "a node after ->", err);
    const f2l_status status = next_dot_token(p, err);
    return status == F2L_OK ? take_dot_nodes(p, &name, out, err) : status;
}

/* Adds an edge from every node of one group to every node of the other. */
static f2l_status add_dot_edges(parser *p, group from, group to, const f2l_dot_token *arrow,
                                f2l_error *err)
{
    f2l_dot *dot = p->dot;
    for (size_t i = from.first; i < from.end; i++)
        for (size_t j = to.first; j < to.end; j++) {
            if (dot->edges >= F2L_IMPORT_MAX_EDGES)
                return f2l_fail(err, F2L_UNKNOWN, "more than %zu edges", F2L_IMPORT_MAX_EDGES);
            if (!f2l_grow((void **)&dot->edge, &dot->edge_capacity, dot->edges, sizeof *dot->edge))
                return f2l_fail_memory(err);
            dot->edge[dot->edges++] = (f2l_dot_edge){p->occurrence[i],
                                                     p->occurrence[j],
                                                     F2L_DOT_NONE,
                                                     narrow_place(arrow->line),
                                                     narrow_place(arrow->column) & INT32_MAX,
                                                     0};
        }
    return F2L_OK;
}

/* Notes that a dashed edge is a transition like the others; an arrow to the start has no label. */
static void note_dashed_edge(f2l_dot *dot, uint32_t label, const f2l_dot_token *place)
{
    const char *text = label != F2L_DOT_NONE ? f2l_dot_text(dot, label) : "";
    if (text[0] == '\0') return;
    f2l_notes_add(dot->notes,
                  "is at a dashed edge: edges are transitions, however they are drawn (a modal "
                  "system draws its may-edges so)",
                  text, strlen(text), place->line, place->column);
}

/* Reads -> END -> END .. [attributes] after the first end. Invisible edges only place nodes: they
 * are dropped. */
static f2l_status read_dot_edges(parser *p, group from, f2l_error *err)
{
    f2l_dot *dot = p->dot;
    const size_t first = dot->edges;
    const f2l_dot_token place = p->token;
    f2l_status status = F2L_OK;
    size_t arrows = 0;
    for (; status == F2L_OK && p->token.kind == F2L_DOT_ARROW; arrows++) {
        const f2l_dot_token arrow = p->token;
        group to = {0, 0};
        status = next_dot_token(p, err);
        if (status == F2L_OK) status = read_dot_end(p, &to, err);
        if (status == F2L_OK) status = add_dot_edges(p, from, to, &arrow, err);
        from = to;
    }
    f2l_dot_attributes own = p->edge_default;
    own.label = F2L_DOT_NONE;
    if (status == F2L_OK) status = read_dot_attributes(p, &own, false, err);
    if (status != F2L_OK) return status;
    const bool shared = arrows > 1 || own.label == F2L_DOT_NONE;
    if (own.label == F2L_DOT_NONE) own.label = p->edge_default.label;
    if (own.flags & F2L_DOT_INVISIBLE) dot->edges = first;
    for (size_t i = first; i < dot->edges; i++) {
        dot->edge[i].label = own.label;
        dot->edge[i].shared = shared;
    }
    if (dot->edges > first && (own.flags & F2L_DOT_DASHED))
        note_dashed_edge(dot, own.label, &place);
    if (dot->edges == first || !(own.flags & F2L_DOT_BACKWARDS)) return F2L_OK;
    return f2l_fail_at(err, place.line, place.column,
                       "the attribute dir draws another arrow than the edge's: delete it, or turn "
                       "the edge round");
}

/* Reads the attributes of the nodes. */
static f2l_status read_node_attributes(parser *p, group nodes, f2l_error *err)
{
    f2l_dot_attributes own = no_attributes;
    const f2l_status status = read_dot_attributes(p, &own, false, err);
    for (size_t i = nodes.first; i < nodes.end; i++) {
        f2l_dot_attributes *a = &p->dot->node[p->occurrence[i]].attributes;
        if (own.label != F2L_DOT_NONE) a->label = own.label;
        a->flags = (a->flags & ~own.given) | own.flags;
    }
    return status;
}

/* Reads what is behind the nodes that begin a statement: edges, or the nodes' attributes. */
static f2l_status read_behind_nodes(parser *p, group first, bool is_node, f2l_error *err)
{
    if (p->token.kind == F2L_DOT_LINE)
        return expected(p, "\"->\"; undirected edges are no transitions", err);
    if (p->token.kind == F2L_DOT_ARROW) return read_dot_edges(p, first, err);
    return is_node ? read_node_attributes(p, first, err) : F2L_OK;
}

/* Reads a statement that begins with a name or a subgraph. */
static f2l_status read_named_statement(parser *p, f2l_error *err)
{
    f2l_dot_attributes ignored = no_attributes;
    const bool is_node = !at_subgraph(p);
    const size_t before = p->occurrences;
    const f2l_dot_token name = p->token;
    group first = {0, 0};
    f2l_status status = is_node ? next_dot_token(p, err) : read_subgraph(p, &first, err);
    if (status != F2L_OK) return status;
    if (is_node && at_dot_mark(p, '=')) return read_dot_value(p, &ignored, &name, true, err);
    if (is_node) status = take_dot_nodes(p, &name, &first, err);
    if (status == F2L_OK) status = read_behind_nodes(p, first, is_node, err);
    if (p->depth == 0) p->occurrences = before;
    return status;
}

/* Reads the defaults behind `node`, `edge` or `graph`. */
static f2l_status read_dot_defaults(parser *p, f2l_dot_attributes *a, bool graph, f2l_error *err)
{
    f2l_status status = next_dot_token(p, err);
    if (status == F2L_OK && !at_dot_mark(p, '[')) return expected(p, "\"[\"", err);
    return status == F2L_OK ? read_dot_attributes(p, a, graph, err) : status;
}

static f2l_status read_dot_statement(parser *p, f2l_error *err)
{
    f2l_dot_attributes graph = no_attributes;
    if (at_dot_mark(p, ';')) return next_dot_token(p, err);
    if (at_keyword(p, "node")) return read_dot_defaults(p, &p->node_default, false, err);
    if (at_keyword(p, "edge")) return read_dot_defaults(p, &p->edge_default, false, err);
    if (at_keyword(p, "graph")) return read_dot_defaults(p, &graph, true, err);
    if (!at_id(p) && !at_subgraph(p)) return expected(p, "a node, an edge or \"}\"", err);
    return read_named_statement(p, err);
}

static f2l_status read_dot_graph(parser *p, f2l_error *err)
{
    f2l_status status = next_dot_token(p, err);
    p->dot->strict = status == F2L_OK && at_keyword(p, "strict");
    if (p->dot->strict) status = next_dot_token(p, err);
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
    while (status == F2L_OK && !at_dot_mark(p, '}')) status = read_dot_statement(p, err);
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
    f2l_status status = read_dot_graph(&p, err);
    f2l_free(p.occurrence);
    f2l_free(p.seen);
    f2l_names_seal(&dot->text);
    f2l_free(dot->node_of);
    dot->node_of = NULL;
    dot->node_of_size = 0;
    if (status != F2L_OK) f2l_dot_clear(dot);
    return status;
}
