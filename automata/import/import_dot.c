/* Automata as AALpy and MONA draw them.
 *
 * States are the nodes; the start is where an edge without label leads to from a node that only
 * marks it (AALpy's
 * `__start0`, MONA's `init`, or any node of shape none, plaintext or point without incoming edges).
 * Double circles accept. AALpy's Moore machines carry "name|output" as node label. MONA labels an
 * edge with a table of assignments to its variables, one row per variable and one column per
 * assignment, X for either value: every assignment is a letter, named by its bits. A label that is
 * the Greek letter epsilon reads nothing. Mealy machines have labels "input/output" (AALpy) or
 * "input / output" (LearnLib), on all edges. A label in brackets stands for its characters, and one
 * such as `a,b` or `0 | 2` for its parts where these are labels of their own elsewhere. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_VARIABLES 10

typedef struct reader {
    f2l_nfa *nfa;
    const f2l_read_as *as; /* NULL: not given */
    f2l_dot dot;
    uint8_t *is_marker; /* [nodes] */
    uint32_t *state;    /* [nodes] state of the automaton, F2L_DOT_NONE for markers */
    bool bits;          /* MONA's labels */
    size_t variables;
    bool mealy;       /* labels are input/output */
    f2l_names labels; /* of the edges, without outputs */
    f2l_set_edges set_edges;
} reader;

static const char *text_of(const reader *r, uint32_t index)
{
    return index == F2L_DOT_NONE ? "" : f2l_names_get(&r->dot.text, index);
}

static bool unlabelled(const reader *r, const f2l_dot_edge *edge)
{
    return text_of(r, edge->attributes.label)[0] == '\0';
}

static bool looks_like_marker(const reader *r, const f2l_dot_node *node)
{
    const char *name = text_of(r, node->name), *shape = text_of(r, node->attributes.shape);
    return strncmp(name, "__start", 7) == 0 || strcmp(name, "init") == 0 ||
           strcmp(shape, "none") == 0 || strcmp(shape, "plaintext") == 0 ||
           strcmp(shape, "point") == 0;
}

/* Finds the markers, nodes without incoming edges and without labels on their outgoing ones. */
static f2l_status find_markers(reader *r, f2l_error *err)
{
    const f2l_dot *dot = &r->dot;
    r->is_marker = f2l_calloc(dot->nodes, 1);
    r->state = f2l_calloc(dot->nodes, sizeof *r->state);
    if (r->is_marker == NULL || r->state == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < dot->nodes; i++) r->is_marker[i] = looks_like_marker(r, &dot->node[i]);
    for (size_t e = 0; e < dot->edges; e++) {
        r->is_marker[dot->edge[e].to] = 0;
        if (!unlabelled(r, &dot->edge[e])) r->is_marker[dot->edge[e].from] = 0;
    }
    return F2L_OK;
}

static f2l_status add_dot_states(reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->dot.nodes && status == F2L_OK; i++) {
        size_t index = F2L_DOT_NONE;
        const char *name = text_of(r, r->dot.node[i].name);
        if (!r->is_marker[i]) status = f2l_nfa_state(r->nfa, name, strlen(name), &index, err);
        r->state[i] = (uint32_t)index;
    }
    return status == F2L_OK ? f2l_nfa_close_states(r->nfa, err) : status;
}

static f2l_status mark_starts(reader *r, f2l_error *err)
{
    bool found = false;
    for (size_t e = 0; e < r->dot.edges; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        if (!r->is_marker[edge->from]) continue;
        r->nfa->is_start[r->state[edge->to]] = 1;
        found = true;
    }
    if (found) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "no start state; expected an edge such as __start0 -> s0 or init -> 0");
}

static void mark_accepting(reader *r)
{
    for (size_t i = 0; i < r->dot.nodes; i++) {
        const f2l_dot_attributes *a = &r->dot.node[i].attributes;
        bool accepts = strcmp(text_of(r, a->shape), "doublecircle") == 0 ||
                       strcmp(text_of(r, a->peripheries), "2") == 0;
        if (r->is_marker[i] || !accepts) continue;
        r->nfa->accept[r->state[i]] = 1;
        r->nfa->has_accept = true;
    }
    /* MONA marks every state as accepting or not; in other files a drawing without double circles
     * gives no accepting states. */
    r->nfa->has_accept |= r->bits;
}

/* Returns the text without the blanks around it. */
static const char *trim_blanks(const char *text, size_t *size)
{
    while (*size > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        *size -= 1;
    }
    while (*size > 0 && (text[*size - 1] == ' ' || text[*size - 1] == '\t')) *size -= 1;
    return text;
}

/* Returns the output in a label "name|output" or "{name|output}", or NULL when the label has
 * another form. */
static const char *moore_output(const reader *r, const f2l_dot_node *node, size_t *size)
{
    const char *label = text_of(r, node->attributes.label), *name = text_of(r, node->name);
    if (node->attributes.label_is_html || strcmp(label, name) == 0) return NULL;
    size_t whole = strlen(label);
    label = trim_blanks(label, &whole);
    if (whole >= 2 && label[0] == '{' && label[whole - 1] == '}') {
        label++;
        whole -= 2;
    }
    const char *bar = memchr(label, '|', whole);
    if (bar == NULL) return NULL;
    *size = whole - (size_t)(bar + 1 - label);
    return memchr(bar + 1, '|', *size) == NULL ? trim_blanks(bar + 1, size) : NULL;
}

static f2l_status set_outputs(reader *r, f2l_error *err)
{
    const f2l_dot_node *without = NULL;
    bool found = false;
    for (size_t i = 0; i < r->dot.nodes; i++) {
        size_t size;
        if (r->is_marker[i]) continue;
        const char *output = moore_output(r, &r->dot.node[i], &size);
        if (output == NULL) {
            without = &r->dot.node[i];
            continue;
        }
        found = true;
        f2l_status status = f2l_import_output(r->nfa, r->state[i], output, size, err);
        if (status != F2L_OK) return status;
    }
    if (!found || without == NULL) return F2L_OK;
    char shown[F2L_SHOWN];
    const char *name = text_of(r, without->name);
    return f2l_fail_at(err, without->line, without->column,
                       "state `%s` has no output, but others have; expected label=\"NAME|OUTPUT\"",
                       f2l_shown(shown, name, strlen(name)));
}

/* A position among the cells of a MONA label: rows end with a newline or \n, cells with blanks or
 * commas. */
typedef struct table {
    const char *text;
    size_t rows, columns; /* columns of the row in hand */
} table;

/* Returns the next cell; '\n' at the end of a row, 0 at the end of the table, '?' for anything
 * else. */
static char next_cell(table *t)
{
    while (*t->text == ' ' || *t->text == ',' || *t->text == '\r') t->text++;
    if (*t->text == '\0') return '\0';
    if (t->text[0] == '\n' || (t->text[0] == '\\' && t->text[1] == 'n')) {
        t->text += *t->text == '\n' ? 1 : 2;
        return '\n';
    }
    char cell = *t->text++;
    bool alone = *t->text == '\0' || strchr(" ,\r\n\\", *t->text) != NULL;
    return alone && (cell == '0' || cell == '1' || cell == 'X') ? cell : '?';
}

/* Counts rows and columns of a table of bits and appends its cells to `cells` row by row (NULL: not
 * wanted); returns false when the label is no such table. */
static bool read_bit_table(const char *label, f2l_buf *cells, size_t *rows, size_t *columns)
{
    table t = {label, 1, 0};
    for (*columns = 0;;) {
        char cell = next_cell(&t);
        if (cell == '?') return false;
        if (cell != '\n' && cell != '\0') {
            if (cells != NULL) f2l_buf_bytes(cells, &cell, 1);
            t.columns++;
            continue;
        }
        if (t.columns == 0 || (*columns != 0 && t.columns != *columns)) return false;
        *columns = t.columns;
        *rows = t.rows++;
        t.columns = 0;
        if (cell == '\0') return true;
    }
}

static bool started_by_init(const reader *r)
{
    for (size_t i = 0; i < r->dot.nodes; i++)
        if (r->is_marker[i] && strcmp(text_of(r, r->dot.node[i].name), "init") == 0) return true;
    return false;
}

/* Detects tables of bits: MONA's files are called MONA_DFA and must hold them; others with an
 * `init` node may. */
static f2l_status detect_bits(reader *r, f2l_error *err)
{
    bool mona = strcmp(text_of(r, r->dot.name), "MONA_DFA") == 0;
    if (!mona && !started_by_init(r)) return F2L_OK;
    for (size_t e = 0; e < r->dot.edges; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        size_t rows, columns;
        if (r->is_marker[edge->from]) continue;
        bool is_table = read_bit_table(text_of(r, edge->attributes.label), NULL, &rows, &columns);
        if (is_table && r->variables == 0) r->variables = rows;
        if (is_table && rows == r->variables) continue;
        if (!mona) return F2L_OK;
        return f2l_fail_at(err, edge->line, edge->column,
                           "expected a label with one row of 0, 1 or X for each variable");
    }
    r->bits = r->variables > 0;
    if (r->variables <= MAX_VARIABLES) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN,
                    "%zu variables stand for 2^%zu letters; at most %d variables are read",
                    r->variables, r->variables, MAX_VARIABLES);
}

/* Adds all assignments in binary order, so that the numbering of letters does not depend on the
 * first edge. */
static f2l_status add_bit_letters(reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t word = 0; word >> r->variables == 0 && status == F2L_OK; word++) {
        char name[MAX_VARIABLES];
        size_t index;
        for (size_t i = 0; i < r->variables; i++)
            name[i] = (word >> (r->variables - 1 - i)) & 1 ? '1' : '0';
        status = f2l_nfa_letter(r->nfa, name, r->variables, &index, err);
    }
    return status;
}

/* Adds an edge for every assignment that fits column `j` of the table. */
static f2l_status add_column(reader *r, const f2l_dot_edge *edge, const char *cells, size_t columns,
                             size_t j, f2l_error *err)
{
    size_t ones = 0, either = 0;
    for (size_t i = 0; i < r->variables; i++) {
        char cell = cells[i * columns + j];
        ones = 2 * ones + (cell == '1');
        either = 2 * either + (cell == 'X');
    }
    /* Every subset of the mask `either`, from the empty one up. */
    for (size_t subset = 0;; subset = (subset - either) & either) {
        f2l_status status =
            f2l_nfa_add_edge(r->nfa, r->state[edge->from], ones | subset, r->state[edge->to], err);
        if (status != F2L_OK || subset == either) return status;
    }
}

static f2l_status add_bit_edges(reader *r, const f2l_dot_edge *edge, f2l_error *err)
{
    f2l_buf cells;
    f2l_buf_init(&cells);
    size_t rows, columns = 0;
    /* detect_bits has seen that it is a table. */
    read_bit_table(text_of(r, edge->attributes.label), &cells, &rows, &columns);
    f2l_status status = f2l_buf_status(&cells, err);
    for (size_t j = 0; j < columns && status == F2L_OK; j++) {
        status = add_column(r, edge, cells.data, columns, j, err);
        if (status == F2L_OK && r->nfa->edges > F2L_IMPORT_MAX_EDGES)
            status = f2l_fail(err, F2L_UNKNOWN, "more than %zu transitions", F2L_IMPORT_MAX_EDGES);
    }
    f2l_buf_clear(&cells);
    return status;
}

/* The parts of an edge's label, without the blanks around them; borrowed from the reader. */
typedef struct edge_label {
    f2l_buf input;      /* owned; the whole label where there is no output */
    const char *output; /* NULL: none */
    size_t size;        /* of the output */
} edge_label;

/* Returns the slash between input and output: the one with blanks around it, else the only one; or
 * NULL. */
static const char *find_slash(const char *label)
{
    const char *spaced = strstr(label, " / "), *slash = strchr(label, '/');
    if (spaced) return strstr(spaced + 1, " / ") ? NULL : spaced + 1;
    return slash && slash != label && slash[1] && !strchr(slash + 1, '/') ? slash : NULL;
}

/* Takes the label of an edge apart. */
static f2l_status split_label(edge_label *out, const reader *r, const f2l_dot_edge *edge,
                              f2l_error *err)
{
    const char *label = text_of(r, edge->attributes.label), *slash = find_slash(label);
    size_t size = slash ? (size_t)(slash - label) : strlen(label);
    *out = (edge_label){.output = NULL};
    f2l_buf_init(&out->input);
    if (slash) {
        label = trim_blanks(label, &size);
        out->size = strlen(slash + 1);
        out->output = trim_blanks(slash + 1, &out->size);
    }
    f2l_buf_bytes(&out->input, label, size);
    return f2l_buf_status(&out->input, err);
}

/* Refuses labels that are no letters, and labels "input : probability", as AALpy writes stochastic
 * machines. */
static f2l_status check_plain_label(const f2l_dot_edge *edge, const char *label, f2l_error *err)
{
    if (edge->attributes.label_is_html)
        return f2l_fail_at(err, edge->line, edge->column,
                           "expected a plain label, not an HTML one");
    char shown[F2L_SHOWN];
    f2l_shown(shown, label, strlen(label));
    const char *colon = strrchr(label, ':');
    if (colon != NULL && colon != label && strspn(colon + 1, " .0123456789") == strlen(colon + 1) &&
        strpbrk(colon + 1, "0123456789") != NULL)
        return f2l_fail_at(err, edge->line, edge->column,
                           "label `%s` carries a probability: stochastic machines are refused",
                           shown);
    return F2L_OK;
}

/* Lists the letters that a label stands for; none: it is one letter. */
static f2l_status read_dot_letter_set(const reader *r, f2l_names *set, const f2l_dot_edge *edge,
                                      const char *label, f2l_error *err)
{
    const size_t size = strlen(label);
    f2l_error why = {0};
    if (f2l_letter_set_is(label, size)) {
        const f2l_status status = f2l_letter_set_read(set, label, size, &why);
        if (status == F2L_EFORMAT)
            return f2l_fail_at(err, edge->line, edge->column, "%s", why.text);
        return status == F2L_OK ? F2L_OK : f2l_fail_memory(err);
    }
    const f2l_status status = f2l_letter_list_read(set, label, size, err);
    for (size_t i = 0; i < set->count; i++) {
        const char *part = f2l_names_get(set, i);
        if (f2l_names_find(&r->labels, part, strlen(part)) == F2L_NO_INDEX) f2l_names_clear(set);
    }
    return status;
}

static f2l_status add_letter_edge(reader *r, const f2l_dot_edge *edge, const char *label,
                                  f2l_error *err)
{
    static const char *const own[] = {"\xce\xb5", NULL};
    size_t letter = F2L_EPSILON;
    f2l_status status = F2L_OK;
    if (!f2l_read_as_epsilon(r->as, label, strlen(label), own))
        status = f2l_nfa_letter(r->nfa, label, strlen(label), &letter, err);
    if (status == F2L_OK)
        status = f2l_nfa_add_edge(r->nfa, r->state[edge->from], letter, r->state[edge->to], err);
    return status;
}

/* Adds the edges for the letter or the letters that the label names. */
static f2l_status add_dot_letters(reader *r, const f2l_dot_edge *edge, const char *label,
                                  f2l_error *err)
{
    f2l_status status = check_plain_label(edge, label, err);
    if (status != F2L_OK) return status;
    if (label[0] == '\0')
        return f2l_fail_at(err, edge->line, edge->column,
                           "the edge has no label; expected [label=\"LETTER\"]");
    f2l_names set;
    f2l_names_init(&set);
    status = read_dot_letter_set(r, &set, edge, label, err);
    if (status == F2L_OK)
        status = set.count == 0 ? add_letter_edge(r, edge, label, err)
                                : f2l_set_edges_add(&r->set_edges, r->nfa, r->state[edge->from],
                                                    &set, r->state[edge->to], label, strlen(label),
                                                    edge->line, edge->column, err);
    f2l_names_clear(&set);
    return status;
}

/* Gives the edges from number `first` on their output. */
static f2l_status set_edge_output(reader *r, const f2l_dot_edge *edge, const edge_label *label,
                                  size_t first, f2l_error *err)
{
    size_t index;
    if (!label->output || label->size == 0)
        return f2l_fail_at(err, edge->line, edge->column,
                           "the edge has no output, but others have; expected "
                           "[label=\"INPUT/OUTPUT\"], with one slash or blanks around it");
    const f2l_status status =
        f2l_names_add(&r->nfa->edge_outputs, label->output, label->size, &index, err);
    for (size_t e = first; e < r->nfa->edges && status == F2L_OK; e++)
        r->nfa->edge[e].output = (uint32_t)index;
    return status;
}

static f2l_status add_plain_edge(reader *r, const f2l_dot_edge *edge, f2l_error *err)
{
    edge_label label;
    const size_t first = r->nfa->edges;
    f2l_status status = split_label(&label, r, edge, err);
    const char *input = label.input.data ? label.input.data : "";
    if (status == F2L_OK) status = add_dot_letters(r, edge, input, err);
    if (status == F2L_OK && r->mealy) status = set_edge_output(r, edge, &label, first, err);
    f2l_buf_clear(&label.input);
    return status;
}

/* Adds the names to r->labels. */
static f2l_status add_labels(reader *r, const f2l_names *names, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; i < names->count && status == F2L_OK; i++) {
        const char *name = f2l_names_get(names, i);
        status = f2l_names_add(&r->labels, name, strlen(name), &index, err);
    }
    return status;
}

/* Lists the label of an edge, or its characters where it is in brackets. */
static f2l_status list_label(reader *r, const f2l_dot_edge *edge, const f2l_buf *label,
                             f2l_error *err)
{
    f2l_names set;
    f2l_status status = F2L_OK;
    size_t index;
    f2l_names_init(&set);
    if (f2l_letter_set_is(label->data, label->size)) {
        status = read_dot_letter_set(r, &set, edge, label->data, err);
        if (status == F2L_OK) status = add_labels(r, &set, err);
    } else if (label->size > 0) {
        status = f2l_names_add(&r->labels, label->data, label->size, &index, err);
    }
    f2l_names_clear(&set);
    return status;
}

/* Lists the labels of all edges, and finds out whether they have outputs. */
static f2l_status list_edge_labels(reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t e = 0; e < r->dot.edges && status == F2L_OK; e++) {
        edge_label label;
        status = split_label(&label, r, &r->dot.edge[e], err);
        r->mealy |= label.output != NULL;
        if (status == F2L_OK) status = list_label(r, &r->dot.edge[e], &label.input, err);
        f2l_buf_clear(&label.input);
    }
    return status;
}

static f2l_status build_from_dot(reader *r, f2l_error *err)
{
    f2l_status status = find_markers(r, err);
    if (status == F2L_OK) status = list_edge_labels(r, err);
    if (status == F2L_OK) status = detect_bits(r, err);
    if (status == F2L_OK) status = add_dot_states(r, err);
    if (status == F2L_OK) status = mark_starts(r, err);
    if (status == F2L_OK) status = set_outputs(r, err);
    if (status == F2L_OK && r->bits) status = add_bit_letters(r, err);
    if (status != F2L_OK) return status;
    mark_accepting(r);
    for (size_t e = 0; e < r->dot.edges && status == F2L_OK; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        if (r->is_marker[edge->from]) continue;
        status = r->bits ? add_bit_edges(r, edge, err) : add_plain_edge(r, edge, err);
    }
    if (status == F2L_OK) status = f2l_set_edges_check(&r->set_edges, r->nfa, err);
    f2l_import_source(r->nfa, "DOT");
    return status;
}

f2l_status f2l_import_dot(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    reader r = {.nfa = out, .as = options ? options->as : NULL};
    f2l_dot_init(&r.dot);
    f2l_names_init(&r.labels);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK) status = f2l_dot_read(&r.dot, bytes, size, err);
    if (status == F2L_OK) status = build_from_dot(&r, err);
    f2l_dot_clear(&r.dot);
    f2l_names_clear(&r.labels);
    f2l_set_edges_clear(&r.set_edges);
    f2l_free(r.is_marker);
    f2l_free(r.state);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
