/* Which nodes are states, and which of them start and accept. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/dot/dot.h"
#include "numeric/base/mem.h"
#include <string.h>

/* What the edges say about a node. */
enum { HAS_IN = 1, HAS_OUT = 2, HAS_LABEL = 4, HAS_WORD = 8 };

/* Returns whether text[0..size) is one of the words, but for case. */
static bool is_one_of(const char *text, size_t size, const char *const *words)
{
    for (; *words; words++) {
        size_t i = 0;
        while (i < size && (text[i] | (text[i] >= 'A' && text[i] <= 'Z' ? 0x20 : 0)) == (*words)[i])
            i++;
        if (i == size && !(*words)[i]) return true;
    }
    return false;
}

/* Returns the label of the edge without blanks, and the brackets of HTML, around it. */
static const char *edge_text(const f2l_dot_reader *r, const f2l_dot_edge *edge, size_t *size)
{
    const char *text = f2l_dot_text(&r->dot, edge->label);
    *size = strlen(text);
    if (*text == F2L_DOT_HTML_MARK) {
        text += 2;
        *size -= 3;
    }
    return f2l_dot_trim(text, size);
}

/* Returns whether the text is what is written at an arrow to a start state. */
static bool is_start_word(const char *text, size_t size)
{
    static const char *const words[] = {"start", "init", "initial", "begin", "in", "entry", NULL};
    return is_one_of(text, size, words);
}

static bool is_start_name(const char *name)
{
    static const char *const names[] = {"start", "init", "initial", "begin",
                                        "entry", "",     " ",       NULL};
    return strncmp(name, "__start", 7) == 0 || is_one_of(name, strlen(name), names);
}

/* Returns whether the node looks like a mark: it shows no name, or no shape. */
static bool looks_like_mark(const f2l_dot_reader *r, const f2l_dot_node *node)
{
    const uint32_t shapes = F2L_DOT_INVISIBLE | F2L_DOT_POINT | F2L_DOT_SHAPELESS;
    const char *name = f2l_dot_text(&r->dot, node->name);
    return (node->attributes.flags & shapes) || strncmp(name, "__start", 7) == 0 ||
           name[strspn(name, " ")] == '\0';
}

static bool is_state_by_attributes(const f2l_dot_node *node)
{
    return node->attributes.flags &
           (F2L_DOT_START | F2L_DOT_ACCEPT | F2L_DOT_DOUBLE | F2L_DOT_RINGS);
}

/* Returns whether the node marks the start, by what it looks like and what its edges say. */
static bool is_start_mark(const f2l_dot_reader *r, const f2l_dot_node *node, unsigned edges)
{
    const uint32_t flags = node->attributes.flags;
    const char *name = f2l_dot_text(&r->dot, node->name);
    const bool looks = looks_like_mark(r, node);
    if ((edges & HAS_IN) || (flags & F2L_DOT_START)) return false;
    if (!(edges & HAS_OUT)) return looks && !is_state_by_attributes(node);
    if ((edges & HAS_LABEL) && !(edges & HAS_WORD)) /* an invisible node is no state */
        return !is_state_by_attributes(node) &&
               ((flags & F2L_DOT_INVISIBLE) || strncmp(name, "__start", 7) == 0);
    return looks || (flags & F2L_DOT_BLACK) || is_start_name(name);
}

/* Returns what the edges say about each node; NULL: memory is out. */
static uint8_t *list_node_edges(const f2l_dot_reader *r)
{
    const f2l_dot *dot = &r->dot;
    uint8_t *edges = f2l_calloc(dot->nodes, 1);
    for (size_t e = 0; e < dot->edges && edges; e++) {
        const f2l_dot_edge *edge = &dot->edge[e];
        size_t size;
        const char *label = edge_text(r, edge, &size);
        uint8_t *from = &edges[edge->from];
        /* HAS_WORD: all labels are words for a start, or not of the arrow alone. */
        const bool own = !edge->shared || !looks_like_mark(r, &dot->node[edge->from]);
        if (size > 0 && !is_start_word(label, size) && own)
            *from = (uint8_t)((*from | HAS_LABEL) & ~HAS_WORD);
        else if (size > 0 && !(*from & HAS_LABEL))
            *from |= HAS_LABEL | HAS_WORD;
        *from |= HAS_OUT;
        edges[edge->to] |= HAS_IN;
    }
    return edges;
}

/* Takes a node without labels on its edges and without edges to it as a mark, where the start is
 * marked in no other way: such a node can be no state. */
static void find_plain_marks(f2l_dot_reader *r, const uint8_t *edges)
{
    const f2l_dot *dot = &r->dot;
    bool labels = false;
    for (size_t i = 0; i < dot->nodes; i++) {
        if (r->is_marker[i] && (edges[i] & HAS_OUT)) return;
        labels |= (edges[i] & HAS_LABEL) != 0;
    }
    for (size_t i = 0; i < dot->nodes && labels; i++) {
        const f2l_dot_node *node = &dot->node[i];
        const char *name = f2l_dot_text(dot, node->name);
        if ((edges[i] & (HAS_IN | HAS_OUT | HAS_LABEL)) != HAS_OUT || is_state_by_attributes(node))
            continue;
        r->is_marker[i] = 1;
        f2l_notes_add(r->dot.notes,
                      "was taken as the tail of an arrow to the start, not as a state", name,
                      strlen(name), node->line, node->column);
    }
}

/* Notes the labels of arrows to the start that are no words for one, or whose tail could be a
 * state. */
static void note_arrow_labels(const f2l_dot_reader *r)
{
    for (size_t e = 0; e < r->dot.edges; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        if (!r->is_marker[edge->from]) continue;
        size_t size;
        const char *label = edge_text(r, edge, &size);
        if (size > 0 &&
            (!is_start_word(label, size) || !looks_like_mark(r, &r->dot.node[edge->from])))
            f2l_notes_add(r->dot.notes, "is at an arrow to the start: it was ignored", label, size,
                          edge->line, edge->column);
    }
}

f2l_status f2l_dot_find_markers(f2l_dot_reader *r, f2l_error *err)
{
    const f2l_dot *dot = &r->dot;
    r->is_marker = f2l_calloc(dot->nodes, 1);
    r->state = f2l_calloc(dot->nodes, sizeof *r->state);
    uint8_t *edges = list_node_edges(r);
    if (edges && r->is_marker && r->state) {
        for (size_t i = 0; i < dot->nodes; i++)
            r->is_marker[i] = is_start_mark(r, &dot->node[i], edges[i]);
        find_plain_marks(r, edges);
        note_arrow_labels(r);
    }
    f2l_free(edges);
    return edges && r->is_marker && r->state ? F2L_OK : f2l_fail_memory(err);
}

/* Returns the first node of which the flag says that it is the start, where no other node has the
 * flag; else NULL. */
static const f2l_dot_node *only_node_with(const f2l_dot_reader *r, uint32_t flag)
{
    const f2l_dot_node *only = NULL;
    for (size_t i = 0; i < r->dot.nodes; i++) {
        const f2l_dot_node *node = &r->dot.node[i];
        if (r->is_marker[i] || !(node->attributes.flags & flag)) continue;
        if (only) return NULL;
        only = node;
    }
    return only;
}

/* Starts at the states that arrows lead to. Returns whether there are arrows. */
static bool start_at_arrows(f2l_dot_reader *r)
{
    bool found = false;
    for (size_t e = 0; e < r->dot.edges; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        if (!r->is_marker[edge->from]) continue;
        r->nfa->is_start[r->state[edge->to]] = 1;
        found = true;
    }
    return found;
}

/* Starts at the states whose attributes say so, which arrows must not contradict. */
static f2l_status start_at_attributes(f2l_dot_reader *r, bool *found, f2l_error *err)
{
    const bool arrows = *found;
    for (size_t i = 0; i < r->dot.nodes; i++) {
        const f2l_dot_node *node = &r->dot.node[i];
        if (r->is_marker[i] || !(node->attributes.flags & F2L_DOT_START)) continue;
        if (arrows && !r->nfa->is_start[r->state[i]])
            return f2l_fail_at(err, node->line, node->column,
                               "an attribute says that this state is a start, and an arrow leads "
                               "to another");
        r->nfa->is_start[r->state[i]] = 1;
        *found = true;
    }
    return F2L_OK;
}

/* Starts at the one bold node of OpenFst's drawings, or the one green one of automata-lib's. */
static bool start_at_looks(f2l_dot_reader *r)
{
    const f2l_dot_node *node = only_node_with(r, F2L_DOT_BOLD);
    if (!node) node = only_node_with(r, F2L_DOT_GREEN);
    if (!node) return false;
    const char *name = f2l_dot_text(&r->dot, node->name);
    if ((node->attributes.flags & F2L_DOT_BOLD) &&
        strcmp(f2l_dot_text(&r->dot, r->dot.name), "FST") != 0)
        f2l_notes_add(r->dot.notes, "was taken as the start, since it is the only bold node", name,
                      strlen(name), node->line, node->column);
    r->nfa->is_start[r->state[node - r->dot.node]] = 1;
    return true;
}

static void note_several_starts(const f2l_dot_reader *r)
{
    size_t starts = 0;
    for (size_t s = 0; s < r->nfa->states.count; s++) starts += r->nfa->is_start[s];
    for (size_t i = 0; i < r->dot.nodes && starts > 1; i++) {
        const f2l_dot_node *node = &r->dot.node[i];
        const char *name = f2l_dot_text(&r->dot, node->name);
        if (!r->is_marker[i] && r->nfa->is_start[r->state[i]])
            f2l_notes_add(r->dot.notes, "is one of several start states: a word may begin at each",
                          name, strlen(name), node->line, node->column);
    }
}

/* Fails, with the place of a node that may be the start or the tail of an arrow to it. */
static f2l_status refuse_without_start(const f2l_dot_reader *r, f2l_error *err)
{
    for (size_t e = 0; e < r->dot.edges; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        const f2l_dot_node *node = &r->dot.node[edge->from];
        const char *name = f2l_dot_text(&r->dot, node->name);
        size_t size;
        (void)edge_text(r, edge, &size);
        if (edge->shared && size > 0 && *name != '\0' && is_start_name(name))
            return f2l_fail_at(err, node->line, node->column,
                               "`%.40s` may be the start state, or the tail of an arrow to it that "
                               "got its label from a chain or from edge [..]; write initial=1 at "
                               "the start state, or shape=point at `%.40s`",
                               name, name);
    }
    return f2l_fail(err, F2L_EFORMAT,
                    "no start state; expected an edge without label from a node that only marks "
                    "it, such as __start0 -> s0, or the attribute initial=1 of a state");
}

static f2l_status mark_starts(f2l_dot_reader *r, f2l_error *err)
{
    bool found = start_at_arrows(r);
    const f2l_status status = start_at_attributes(r, &found, err);
    if (status != F2L_OK) return status;
    if (!found && !start_at_looks(r)) return refuse_without_start(r, err);
    note_several_starts(r);
    return F2L_OK;
}

/* Returns whether the text has one of the words in it. */
static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words)) return true;
    return false;
}

/* Looks at the acceptance of infinite words that Spot writes below a drawing: "[all]", "[Buchi]".
 * Sets *every to whether every state accepts. */
static f2l_status check_acceptance(const f2l_dot_reader *r, bool *every, f2l_error *err)
{
    static const char *const buchi[] = {"[B\xc3\xbc"
                                        "chi]",
                                        "[Buchi]", NULL},
                             *const other[] = {"chi",   "Inf(",    "Fin(",   "arity",
                                               "Rabin", "Streett", "Muller", NULL};
    f2l_buf shown;
    f2l_buf_init(&shown);
    *every = false;
    f2l_dot_show(&shown, f2l_dot_text(&r->dot, r->dot.graph.label));
    f2l_buf_bytes(&shown, "", 1);
    f2l_status status = f2l_buf_status(&shown, err);
    size_t size = status == F2L_OK ? strlen(shown.data) : 0;
    if (size) shown.data[f2l_dot_trim(shown.data, &size) + size - shown.data] = '\0';
    const char *last = size ? strrchr(shown.data, '[') : NULL;
    if (last && (last == shown.data || last[-1] == '\n') && last[strlen(last) - 1] == ']') {
        *every = strcmp(last, "[all]") == 0;
        if (*every)
            f2l_notes_add(r->dot.notes, "below the drawing says that every state accepts", last,
                          strlen(last), 0, 0);
        else if (has_word(last, buchi) ? !r->finite : has_word(last, other))
            status = f2l_fail(err, F2L_EFORMAT,
                              "`%s` below the drawing is about infinite words; only [all] is read, "
                              "and [B\xc3\xbc"
                              "chi] with --finite-words",
                              last);
    }
    f2l_buf_clear(&shown);
    return status;
}

static f2l_status mark_accepting(f2l_dot_reader *r, f2l_error *err)
{
    bool every;
    const f2l_status status = check_acceptance(r, &every, err);
    for (size_t i = 0; i < r->dot.nodes && status == F2L_OK; i++) {
        const uint32_t flags = r->dot.node[i].attributes.flags;
        if (r->is_marker[i]) continue;
        if (!every && !(flags & (F2L_DOT_DOUBLE | F2L_DOT_RINGS | F2L_DOT_ACCEPT))) continue;
        r->nfa->accept[r->state[i]] = 1;
        r->nfa->has_accept = true;
    }
    /* MONA marks every state as accepting or not; in other files a drawing without double circles
     * gives no accepting states. */
    r->nfa->has_accept |= strcmp(f2l_dot_text(&r->dot, r->dot.name), "MONA_DFA") == 0;
    return status;
}

f2l_status f2l_dot_add_states(f2l_dot_reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->dot.nodes && status == F2L_OK; i++) {
        size_t index = F2L_DOT_NONE;
        const char *name = f2l_dot_text(&r->dot, r->dot.node[i].name);
        name += *name == F2L_DOT_HTML_MARK;
        if (!r->is_marker[i]) status = f2l_nfa_state(r->nfa, name, strlen(name), &index, err);
        r->state[i] = (uint32_t)index;
    }
    if (status == F2L_OK) status = f2l_nfa_close_states(r->nfa, err);
    if (status == F2L_OK) status = mark_starts(r, err);
    return status == F2L_OK ? mark_accepting(r, err) : status;
}
