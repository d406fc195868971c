/* AT&T text, the dialects of OpenFst and foma (and HFST's escapes).
 *
 *     arc    source target label [label-or-weight [weight]]
 *     final  state [weight]
 *
 * Columns are separated by tabs when the line has one (so that foma's blank is a label), else by
 * blanks. The start is the source of line 1. Only unweighted acceptors are automata in our sense:
 * weights other than 0 and outputs that differ from their inputs are refused; the weight Infinity
 * says that a state is not final or an arc is not there. An empty label is the empty word. A
 * label is one letter as it is written, also `[0-9]`. foma's identity symbol, any one letter that
 * the file does not name, is a letter with its own name, @_IDENTITY_SYMBOL_@. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/letter.h"
#include "automata/import/att.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

static bool same_text(const f2l_att_column *a, const f2l_att_column *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Splits a line without its end; columns between tabs may be empty. Returns false when it has more
 * than six columns. */
static bool split_att_line(f2l_att *a, const char *line, size_t size)
{
    const bool tabs = memchr(line, '\t', size) != NULL;
    a->columns = 0;
    for (size_t at = 0; at < size || (tabs && at == size); at++) {
        const size_t from = at;
        while (at < size && line[at] != '\t' && (tabs || line[at] != ' ')) at++;
        if (!tabs && at == from) continue;
        if (a->columns == 6) return false;
        a->column[a->columns++] = (f2l_att_column){line + from, at - from, from + 1};
    }
    bool empty = true;
    for (size_t i = 0; i < a->columns; i++) empty &= a->column[i].size == 0;
    if (empty) a->columns = 0;
    return true;
}

/* Calls `each` for every line that is not blank. */
static f2l_status for_lines(f2l_att *a, const char *bytes, size_t size,
                            f2l_status (*each)(f2l_att *, f2l_error *), f2l_error *err)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    f2l_status status = F2L_OK;
    for (a->line = 1; at < size && status == F2L_OK; a->line++) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t stop = end == NULL ? size : (size_t)(end - bytes), length = stop - at;
        if (length > 0 && bytes[at + length - 1] == '\r') length--;
        if (!split_att_line(a, bytes + at, length))
            return f2l_fail_at(err, a->line, 1,
                               "expected 1 to 5 columns, source, target, label, output and "
                               "weight, with tabs or blanks between them");
        if (a->columns > 0) status = each(a, err);
        at = stop + 1;
    }
    return status;
}

/* Reads a weight; *there tells whether the arc is there or the state is final. */
static f2l_status take_weight(const f2l_att *a, size_t i, bool *there, f2l_error *err)
{
    const f2l_att_weight w = f2l_att_weigh(&a->column[i]);
    *there = w == F2L_ATT_IS_THERE;
    if (w == F2L_ATT_NO_WEIGHT)
        return f2l_att_fail(a, i, "is not a number; expected a weight here", err);
    if (w == F2L_ATT_WEIGHTED)
        return f2l_att_fail(a, i, "is a weight other than 0: weighted automata are refused", err);
    return F2L_OK;
}

/* Decides what column 4 of an arc is: an output label, or the weight of an arc that has no output.
 * A number is a weight, unless it repeats a numeric label that the caller declared to be one (table
 * or --numeric). */
static f2l_status check_column_4(const f2l_att *a, const f2l_att_label *input, bool *there,
                                 f2l_error *err)
{
    const bool repeats = same_text(&a->column[2], &a->column[3]);
    if (a->columns == 4 && !(repeats && (a->has_table || a->numeric)) &&
        f2l_att_weigh(&a->column[3]) != F2L_ATT_NO_WEIGHT)
        return take_weight(a, 3, there, err);
    f2l_att_label output;
    f2l_status status = f2l_att_resolve(a, 3, &output, err);
    if (status != F2L_OK) return status;
    bool same = input->epsilon == output.epsilon &&
                (input->epsilon || (input->size == output.size &&
                                    memcmp(input->text, output.text, input->size) == 0));
    return same
               ? F2L_OK
               : f2l_att_fail(
                     a, 3,
                     "is an output that differs from the input: transducers are refused; --read-as "
                     "labels=pairs makes it a Mealy machine",
                     err);
}

/* Returns whether the label looks as if it were for several letters: a set, or what programs call
 * the letters that have no other arc. */
static bool means_several(const f2l_att_label *l)
{
    static const char *const name[] = {"<rho>", "<phi>", "<sigma>", "<other>", "<any>"};
    for (size_t i = 0; l->text[0] == '<' && i < sizeof name / sizeof *name; i++)
        if (strlen(name[i]) == l->size && memcmp(name[i], l->text, l->size) == 0) return true;
    return f2l_letter_set_is(l->text, l->size);
}

/* Adds the edge of an arc, or edges for the letters of a set where the user says that there are
 * any. */
static f2l_status add_arc_edges(f2l_att *a, size_t from, const f2l_att_label *l, size_t to,
                                bool there, f2l_error *err)
{
    const size_t at = a->column[2].at;
    size_t letter = F2L_EPSILON;
    f2l_names set;
    f2l_names_init(&set);
    f2l_status status = F2L_OK;
    if (!l->epsilon && a->as && a->as->labels == F2L_LABELS_SETS)
        status = f2l_import_set(&set, l->text, l->size, a->line, at, err);
    else if (!l->epsilon && !(a->as && a->as->labels) && means_several(l))
        f2l_notes_add(&a->nfa->notes, "was read as one letter", l->text, l->size, a->line, at);
    else if (!l->epsilon)
        f2l_import_note_letter(a->nfa, a->as, l->text, l->size, a->line, at);
    if (status == F2L_OK && set.count == 0 && !l->epsilon)
        status = f2l_nfa_letter(a->nfa, l->text, l->size, &letter, err);
    if (!there)
        f2l_notes_add(&a->nfa->notes, "has the weight infinity: the arc was left out", l->text,
                      l->size, a->line, at);
    else if (status == F2L_OK && set.count > 0)
        status = f2l_import_add_set(a->nfa, from, &set, to, l->text, l->size, a->line, at, err);
    else if (status == F2L_OK)
        status = f2l_nfa_add_edge(a->nfa, from, letter, to, err);
    f2l_names_clear(&set);
    return status;
}

/* Refuses a line that may be an arc with an empty label, or a final state whose line ends in a
 * tab. */
static f2l_status check_empty_label(const f2l_att *a, f2l_error *err)
{
    if (a->columns != 3 || a->column[2].size > 0 || (a->as && a->as->names_epsilon)) return F2L_OK;
    return f2l_fail_at(err, a->line, a->column[2].at,
                       "an empty label: expected a letter, or @0@ for the empty word; --read-as "
                       "epsilon= makes empty labels the empty word");
}

/* Reads the output of an arc of a Mealy machine, which the user says that the file is. */
static f2l_status take_output(f2l_att *a, const f2l_att_label *input, size_t *index, f2l_error *err)
{
    f2l_att_label output;
    if (a->columns < 4)
        return f2l_fail_at(err, a->line, a->column[2].at,
                           "expected an output after the letter, as --read-as labels=pairs says");
    if (input->epsilon)
        return f2l_att_fail(a, 2, "is the empty word; a Mealy machine reads a letter", err);
    const f2l_status status = f2l_att_resolve(a, 3, &output, err);
    if (status != F2L_OK) return status;
    return f2l_names_add(&a->nfa->edge_outputs, output.epsilon ? "" : output.text,
                         output.epsilon ? 0 : output.size, index, err);
}

static f2l_status add_arc(f2l_att *a, f2l_error *err)
{
    const bool pairs = a->as && a->as->labels == F2L_LABELS_PAIRS;
    const size_t first = a->nfa->edges;
    size_t from, to, output = 0;
    bool there = true;
    f2l_att_label input;
    f2l_status status = check_empty_label(a, err);
    if (status == F2L_OK) status = f2l_att_resolve(a, 2, &input, err);
    if (status == F2L_OK && pairs)
        status = take_output(a, &input, &output, err);
    else if (status == F2L_OK && a->columns >= 4)
        status = check_column_4(a, &input, &there, err);
    if (status == F2L_OK && a->columns == 5) status = take_weight(a, 4, &there, err);
    if (status == F2L_OK)
        status = f2l_nfa_state(a->nfa, a->column[0].text, a->column[0].size, &from, err);
    if (status == F2L_OK)
        status = f2l_nfa_state(a->nfa, a->column[1].text, a->column[1].size, &to, err);
    if (status == F2L_OK) status = add_arc_edges(a, from, &input, to, there, err);
    for (size_t e = first; e < a->nfa->edges && pairs; e++)
        a->nfa->edge[e].output = (uint32_t)output;
    if (status == F2L_OK && a->first == F2L_NO_INDEX) a->first = from;
    return status;
}

static f2l_status add_final(f2l_att *a, f2l_error *err)
{
    size_t state;
    bool final = true;
    f2l_status status = a->columns == 2 ? take_weight(a, 1, &final, err) : F2L_OK;
    if (status == F2L_OK)
        status = f2l_nfa_state(a->nfa, a->column[0].text, a->column[0].size, &state, err);
    if (status != F2L_OK) return status;
    if (a->first == F2L_NO_INDEX) a->first = state;
    if (!final) return F2L_OK;
    if (!f2l_grow((void **)&a->final, &a->final_capacity, a->finals, sizeof *a->final))
        return f2l_fail_memory(err);
    a->final[a->finals++] = (uint32_t)state;
    return F2L_OK;
}

/* Refuses states and weights that are empty or have blanks at an end. */
static f2l_status check_columns(const f2l_att *a, f2l_error *err)
{
    for (size_t i = 0; i < a->columns; i++) {
        const f2l_att_column *c = &a->column[i];
        if (a->columns > 2 && (i == 2 || i == 3)) continue;
        if (c->size == 0)
            return f2l_fail_at(err, a->line, c->at, "expected %s, not an empty column",
                               i == 0 || a->columns > 2 ? "a state" : "a weight");
        if (c->text[0] == ' ' || c->text[c->size - 1] == ' ')
            return f2l_att_fail(a, i, "has a blank at an end, beside a tab", err);
    }
    return F2L_OK;
}

static f2l_status att_line(f2l_att *a, f2l_error *err)
{
    if (a->column[0].size > 0 && a->column[0].text[0] == '#')
        return f2l_att_fail(a, 0, "is no state; AT&T text has no comments", err);
    if (f2l_att_column_is(&a->column[0], "--"))
        return f2l_att_fail(a, 0, "separates several machines: pass them one file at a time", err);
    /* A tab at the end of a final state or behind all columns of an arc says nothing. */
    if ((a->columns == 2 || a->columns > 4) && a->column[a->columns - 1].size == 0) a->columns--;
    if (a->columns > 5) return f2l_fail_at(err, a->line, a->column[5].at, "more than 5 columns");
    const f2l_status status = check_columns(a, err);
    if (status != F2L_OK) return status;
    return a->columns <= 2 ? add_final(a, err) : add_arc(a, err);
}

static f2l_status read_att(f2l_att *a, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status != F2L_OK) return status;
    if (options != NULL && options->symbols != NULL) {
        status = f2l_import_check_text(options->symbols, options->symbols_size, err);
        if (status == F2L_OK)
            status = for_lines(a, options->symbols, options->symbols_size, f2l_att_table_line, err);
        a->has_table = true;
    }
    a->numeric = options != NULL && options->numeric;
    a->as = options != NULL ? options->as : NULL;
    if (status == F2L_OK) status = for_lines(a, bytes, size, att_line, err);
    if (status == F2L_OK && a->first == F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EFORMAT, "no line with a state; expected AT&T text");
    if (status == F2L_OK) status = f2l_nfa_close_states(a->nfa, err);
    if (status != F2L_OK) return status;
    a->nfa->is_start[a->first] = 1;
    a->nfa->has_accept = a->nfa->edge_outputs.count == 0 || a->finals > 0;
    a->nfa->partial = true;
    for (size_t i = 0; i < a->finals; i++) a->nfa->accept[a->final[i]] = 1;
    f2l_import_source(a->nfa, "AT&T");
    return F2L_OK;
}

f2l_status f2l_import_att(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    f2l_att a = {.nfa = out, .first = F2L_NO_INDEX, .zero = F2L_NO_INDEX};
    f2l_names_init(&a.number);
    f2l_names_init(&a.symbol);
    f2l_status status = read_att(&a, bytes, size, options, err);
    f2l_names_clear(&a.number);
    f2l_names_clear(&a.symbol);
    f2l_free(a.symbol_of);
    f2l_free(a.final);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
