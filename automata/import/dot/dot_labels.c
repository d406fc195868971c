/* The labels of edges: each once, as it is shown, and split into inputs and outputs; and which of
 * the readings of labels holds for a file. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/dot/dot.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

f2l_status f2l_dot_fail_label(const f2l_dot_reader *r, const f2l_dot_label *label, const char *why,
                              f2l_error *err)
{
    char shown[F2L_SHOWN];
    const f2l_dot_edge *edge = &r->dot.edge[label->edge];
    const char *text = f2l_dot_text(&r->dot, label->text);
    text += *text == F2L_DOT_HTML_MARK;
    return f2l_fail_at(err, edge->line, edge->column, "label `%s` %s",
                       f2l_shown(shown, text, strlen(text)), why);
}

f2l_status f2l_dot_refuse_label(const f2l_dot_reader *r, const f2l_dot_label *label,
                                const char *why, f2l_error *err)
{
    char text[256];
    snprintf(text, sizeof text, "%s; --read-as labels=letters takes labels as they are written",
             why);
    return f2l_dot_fail_label(r, label, text, err);
}

bool f2l_dot_is_epsilon(const f2l_dot_reader *r, const char *text, size_t size)
{
    static const char *const own[] = {NULL};
    return r->as->names_epsilon ? f2l_read_as_epsilon(r->as, text, size, own)
                                : f2l_letter_may_be_epsilon(text, size);
}

const char *f2l_dot_show_label(const f2l_dot_reader *r, f2l_buf *out, const char *text)
{
    if (r->as->labels != F2L_LABELS_LETTERS && r->as->labels != F2L_LABELS_PAIRS)
        return f2l_dot_show(out, text);
    f2l_dot_write_out(out, text);
    return NULL;
}

/* Appends what the label shows, or what is written, with a zero byte. */
static f2l_status show_label(f2l_dot_reader *r, f2l_dot_label *label, f2l_error *err)
{
    f2l_buf *shown = &r->labels.shown;
    const char *text = f2l_dot_text(&r->dot, label->text), *why = NULL;
    if (shown->size > UINT32_MAX) return f2l_fail_memory(err);
    label->shown = (uint32_t)shown->size;
    if (f2l_dot_is_epsilon(r, text, strlen(text)))
        f2l_dot_write_out(shown, text);
    else
        why = f2l_dot_show_label(r, shown, text);
    f2l_buf_bytes(shown, "", 1);
    return why ? f2l_dot_refuse_label(r, label, why, err) : f2l_buf_status(shown, err);
}

static f2l_status add_label(f2l_dot_reader *r, size_t edge, f2l_error *err)
{
    f2l_dot_labels *l = &r->labels;
    if (!f2l_grow((void **)&l->item, &l->capacity, l->count, sizeof *l->item))
        return f2l_fail_memory(err);
    const uint32_t text = r->dot.edge[edge].label;
    l->item[l->count] = (f2l_dot_label){.text = text, .edge = (uint32_t)edge};
    l->of_text[text] = (uint32_t)l->count;
    return show_label(r, &l->item[l->count++], err);
}

static f2l_status fail_without_label(const f2l_dot_reader *r, const f2l_dot_edge *edge,
                                     f2l_error *err)
{
    bool any = false;
    for (size_t e = 0; e < r->dot.edges; e++) any |= *f2l_dot_text(&r->dot, r->dot.edge[e].label);
    return f2l_fail_at(err, edge->line, edge->column,
                       any ? "the edge has no label; expected [label=\"LETTER\"]"
                           : "no edge of the graph has a label; expected [label=\"LETTER\"]");
}

f2l_status f2l_dot_list_labels(f2l_dot_reader *r, f2l_error *err)
{
    f2l_dot_labels *l = &r->labels;
    f2l_status status = F2L_OK;
    l->of_text = f2l_calloc(r->dot.text.count, sizeof *l->of_text);
    if (!l->of_text) return f2l_fail_memory(err);
    for (size_t i = 0; i < r->dot.text.count; i++) l->of_text[i] = F2L_DOT_NONE;
    f2l_buf_bytes(&l->shown, "", 1);
    for (size_t e = 0; e < r->dot.edges && status == F2L_OK; e++) {
        const f2l_dot_edge *edge = &r->dot.edge[e];
        if (r->is_marker[edge->from]) continue;
        if (*f2l_dot_text(&r->dot, edge->label) == '\0') return fail_without_label(r, edge, err);
        if (l->of_text[edge->label] == F2L_DOT_NONE) status = add_label(r, e, err);
    }
    return status;
}

f2l_status f2l_dot_add_part(f2l_dot_reader *r, f2l_dot_label *label, size_t letter, size_t output,
                            f2l_error *err)
{
    f2l_dot_labels *l = &r->labels;
    if (l->parts >= F2L_IMPORT_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "labels of more than %zu letters", F2L_IMPORT_MAX_EDGES);
    if (!f2l_grow((void **)&l->part, &l->part_capacity, l->parts, sizeof *l->part))
        return f2l_fail_memory(err);
    if (label->parts++ == 0) label->part = (uint32_t)l->parts;
    l->part[l->parts++] = (f2l_dot_part){(uint32_t)letter, (uint32_t)output};
    return F2L_OK;
}

f2l_status f2l_dot_add_letter(f2l_dot_reader *r, f2l_dot_label *label, const char *name,
                              size_t size, size_t output, f2l_error *err)
{
    size_t letter;
    const f2l_status status = f2l_nfa_letter(r->nfa, name, size, &letter, err);
    return status == F2L_OK ? f2l_dot_add_part(r, label, letter, output, err) : status;
}

f2l_status f2l_dot_add_epsilon(f2l_dot_reader *r, f2l_dot_label *label, size_t output,
                               f2l_error *err)
{
    if (!r->as->names_epsilon) label->note = F2L_DOT_READ_EMPTY;
    return f2l_dot_add_part(r, label, F2L_EPSILON, output, err);
}

f2l_status f2l_dot_line_output(f2l_dot_reader *r, const f2l_dot_line *line, size_t *output,
                               f2l_error *err)
{
    *output = UINT32_MAX;
    if (line->output == 0) return F2L_OK;
    const char *text = f2l_dot_shown(r, line->output);
    return f2l_names_add(&r->nfa->edge_outputs, text, strlen(text), output, err);
}

/* Gives labels their parts: every input is a letter, or a name of the empty word. */
static f2l_status read_written_letters(f2l_dot_reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        f2l_dot_label *label = &r->labels.item[i];
        for (size_t k = 0; k < label->lines && status == F2L_OK; k++) {
            const f2l_dot_line *line = &r->labels.line[label->line + k];
            const char *text = f2l_dot_shown(r, line->input);
            size_t output;
            status = f2l_dot_line_output(r, line, &output, err);
            if (status != F2L_OK) break;
            status = f2l_dot_is_epsilon(r, text, strlen(text))
                         ? f2l_dot_add_epsilon(r, label, output, err)
                         : f2l_dot_add_letter(r, label, text, strlen(text), output, err);
        }
    }
    return status;
}

/* Reads the labels of MONA's drawings, and of LTLf2DFA's, which put formulas into them. */
static f2l_status read_mona_labels(f2l_dot_reader *r, f2l_error *err)
{
    bool all;
    f2l_status status = f2l_dot_read_bits(r, &all, err);
    if (status != F2L_OK || all) return status;
    return f2l_dot_read_guards(r,
                               "is neither a table with one row of 0, 1 or X for each variable, "
                               "nor a formula",
                               &all, err);
}

/* Reads labels by the first of the readings that holds for all of them. */
static f2l_status read_labels_by_rules(f2l_dot_reader *r, f2l_error *err)
{
    bool all = false;
    if (strcmp(f2l_dot_text(&r->dot, r->dot.name), "MONA_DFA") == 0)
        return read_mona_labels(r, err);
    f2l_status status = f2l_dot_doubt_bits(r, err);
    if (status == F2L_OK) status = f2l_dot_doubt_cubes(r, err);
    if (status == F2L_OK) status = f2l_dot_read_ranges(r, &all, err);
    if (status == F2L_OK && !all) status = f2l_dot_read_fst(r, &all, err);
    if (status == F2L_OK && !all) status = f2l_dot_read_guards(r, NULL, &all, err);
    return status == F2L_OK && !all ? f2l_dot_read_sets(r, err) : status;
}

f2l_status f2l_dot_read_labels(f2l_dot_reader *r, f2l_error *err)
{
    bool all;
    switch (r->as->labels) {
    case F2L_LABELS_LETTERS:
    case F2L_LABELS_PAIRS:
        return read_written_letters(r, err);
    case F2L_LABELS_GUARDS:
        return f2l_dot_read_guards(r, "is no formula over propositions", &all, err);
    case F2L_LABELS_SETS:
        return f2l_dot_read_sets(r, err);
    case F2L_LABELS_DEFAULT:
        break;
    }
    return read_labels_by_rules(r, err);
}
