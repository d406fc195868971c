/* Automata in Graphviz's language, as programs and people draw them. The parts:
 * dot_lex.c, dot_parse.c and dot_attributes.c read the graph; dot_states.c finds the states, the
 * start and the accepting ones; dot_outputs.c finds Moore outputs; dot_labels.c lists the labels of
 * edges, each once, and chooses a reading for them; dot_pairs.c, dot_bits.c, dot_guards.c,
 * dot_ranges.c and dot_sets.c are the readings. docs/formats.md has the rules. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/dot/dot.h"
#include "automata/import/import.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* Adds the transitions of the edge, and notes what its label was taken for. */
static f2l_status add_transitions(f2l_dot_reader *r, const f2l_dot_edge *edge, f2l_error *err)
{
    const f2l_dot_label *label = &r->labels.item[r->labels.of_text[edge->label]];
    f2l_nfa *nfa = r->nfa;
    if (label->note) {
        const char *text = f2l_dot_text(&r->dot, label->text);
        text += *text == F2L_DOT_HTML_MARK;
        f2l_notes_add(&nfa->notes, label->note, text, strlen(text), edge->line, edge->column);
        if (label->also)
            f2l_notes_add(&nfa->notes, label->also, text, strlen(text), edge->line, edge->column);
    }
    if (nfa->edges + label->parts > F2L_IMPORT_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "more than %zu transitions", F2L_IMPORT_MAX_EDGES);
    for (size_t i = 0; i < label->parts; i++) {
        const f2l_dot_part *part = &r->labels.part[label->part + i];
        const size_t letter = part->letter;
        f2l_status status =
            f2l_nfa_add_edge(nfa, r->state[edge->from], letter, r->state[edge->to], err);
        if (status != F2L_OK) return status;
        nfa->edge[nfa->edges - 1].output = part->output;
        if (label->guessed)
            status = f2l_set_edges_keep(&r->set_edges, nfa, edge->line, edge->column, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

static int by_ends(const void *x, const void *y)
{
    const f2l_dot_edge *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Refuses a strict graph with two edges from one node to another and different labels: Graphviz
 * keeps the last, and a person means both. */
static f2l_status check_strict(const f2l_dot_reader *r, f2l_error *err)
{
    const f2l_dot *dot = &r->dot;
    f2l_status status = F2L_OK;
    if (!dot->strict || dot->edges < 2) return F2L_OK;
    f2l_dot_edge *sorted = f2l_calloc(dot->edges, sizeof *sorted);
    if (!sorted) return f2l_fail_memory(err);
    memcpy(sorted, dot->edge, dot->edges * sizeof *sorted);
    qsort(sorted, dot->edges, sizeof *sorted, by_ends);
    for (size_t e = 1; e < dot->edges && status == F2L_OK; e++) {
        const f2l_dot_edge *a = &sorted[e - 1], *b = &sorted[e];
        if (a->from == b->from && a->to == b->to && a->label != b->label)
            status = f2l_fail_at(err, b->line, b->column,
                                 "a second edge between the same nodes, which Graphviz merges with "
                                 "the first in a strict graph: delete the word strict");
    }
    f2l_free(sorted);
    return status;
}

static f2l_status build_from_dot(f2l_dot_reader *r, f2l_error *err)
{
    f2l_status status = check_strict(r, err);
    if (status == F2L_OK && r->dot.nodes == 0)
        status = f2l_fail(err, F2L_EFORMAT, "the graph has no nodes; expected states");
    if (status == F2L_OK) status = f2l_dot_find_markers(r, err);
    if (status == F2L_OK) status = f2l_dot_list_labels(r, err);
    if (status == F2L_OK) status = f2l_dot_add_states(r, err);
    if (status == F2L_OK) status = f2l_dot_check_numbers(r, err);
    if (status == F2L_OK) status = f2l_dot_split_labels(r, err);
    if (status == F2L_OK) status = f2l_dot_add_outputs(r, err);
    if (status == F2L_OK) status = f2l_dot_read_labels(r, err);
    for (size_t e = 0; e < r->dot.edges && status == F2L_OK; e++)
        if (!r->is_marker[r->dot.edge[e].from]) status = add_transitions(r, &r->dot.edge[e], err);
    if (status == F2L_OK) status = f2l_set_edges_check(&r->set_edges, r->nfa, err);
    f2l_import_source(r->nfa, "DOT");
    return status;
}

/* Builds with the reading that the caller asks for, else the file in its attribute read_as. */
static f2l_status build_as_asked(f2l_dot_reader *r, const f2l_read_as *as, f2l_error *err)
{
    f2l_read_as own = {0};
    f2l_error why = {0};
    f2l_status status = F2L_OK;
    if (!as && r->dot.read_as != F2L_DOT_NONE) {
        status = f2l_read_as_parse(&own, f2l_dot_text(&r->dot, r->dot.read_as), &why);
        if (status == F2L_ENOMEM) return f2l_fail_memory(err);
        if (status != F2L_OK)
            return f2l_fail_at(err, r->dot.read_as_line, r->dot.read_as_column, "read_as: %s",
                               why.text);
    }
    r->as = as ? as : &own;
    status = build_from_dot(r, err);
    r->as = NULL;
    f2l_read_as_clear(&own);
    return status;
}

static void clear_dot_reader(f2l_dot_reader *r)
{
    f2l_dot_clear(&r->dot);
    f2l_free(r->labels.item);
    f2l_free(r->labels.of_text);
    f2l_free(r->labels.line);
    f2l_free(r->labels.part);
    f2l_buf_clear(&r->labels.shown);
    f2l_names_clear(&r->alone);
    f2l_set_edges_clear(&r->set_edges);
    f2l_free(r->is_marker);
    f2l_free(r->state);
}

f2l_status f2l_import_dot(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    f2l_dot_reader r = {.nfa = out, .finite = options && options->finite};
    f2l_dot_init(&r.dot, &out->notes);
    f2l_names_init(&r.alone);
    f2l_buf_init(&r.labels.shown);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK) status = f2l_dot_read(&r.dot, bytes, size, err);
    if (status == F2L_OK) status = build_as_asked(&r, options ? options->as : NULL, err);
    clear_dot_reader(&r);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
