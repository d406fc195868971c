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
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct column {
    const char *text;
    size_t size, at; /* at: 1-based column in the line */
} column;

typedef struct att {
    f2l_nfa *nfa;
    const f2l_read_as *as; /* NULL: not given */
    bool numeric, has_table;
    f2l_names number, symbol; /* the symbol table: the symbol of number[i] is symbol[symbol_of[i]]
                               */
    size_t zero;              /* the symbol of number 0 */
    uint32_t *symbol_of;
    size_t symbol_capacity;
    uint32_t *final; /* states with a final line; flags can be set only once all states are known */
    size_t finals, final_capacity;
    size_t first; /* source of the first line */
    size_t line;
    column column[6];
    size_t columns;
} att;

static bool is_digits(const column *c)
{
    for (size_t i = 0; i < c->size; i++)
        if (c->text[i] < '0' || c->text[i] > '9') return false;
    return c->size > 0;
}

static bool is_column_text(const column *c, const char *text)
{
    return c->size == strlen(text) && memcmp(c->text, text, c->size) == 0;
}

static bool same_text(const column *a, const column *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static f2l_att_weight weigh(const column *c)
{
    return f2l_att_weigh(c->text, c->size);
}

/* Splits a line without its end; columns between tabs may be empty. Returns false when it has more
 * than six columns. */
static bool split_att_line(att *a, const char *line, size_t size)
{
    const bool tabs = memchr(line, '\t', size) != NULL;
    a->columns = 0;
    for (size_t at = 0; at < size || (tabs && at == size); at++) {
        const size_t from = at;
        while (at < size && line[at] != '\t' && (tabs || line[at] != ' ')) at++;
        if (!tabs && at == from) continue;
        if (a->columns == 6) return false;
        a->column[a->columns++] = (column){line + from, at - from, from + 1};
    }
    bool empty = true;
    for (size_t i = 0; i < a->columns; i++) empty &= a->column[i].size == 0;
    if (empty) a->columns = 0;
    return true;
}

static f2l_status fail_in_att_column(const att *a, size_t i, const char *text, f2l_error *err)
{
    const column *c = &a->column[i];
    char shown[F2L_SHOWN];
    return f2l_fail_at(err, a->line, c->at, "`%s` %s", f2l_shown(shown, c->text, c->size), text);
}

static column without_leading_zeros(column c)
{
    while (c.size > 1 && c.text[0] == '0') {
        c.text++;
        c.size--;
    }
    return c;
}

/* Reads a line "symbol number" of the symbol table. */
static f2l_status table_line(att *a, f2l_error *err)
{
    if (a->columns == 3 && a->column[2].size == 0) a->columns--;
    if (a->columns != 2 || a->column[0].size == 0 || !is_digits(&a->column[1]))
        return f2l_fail_at(err, a->line, 1, "symbol table: expected a symbol and its number");
    column number = without_leading_zeros(a->column[1]);
    size_t entries = a->number.count, key, symbol;
    f2l_status status = f2l_names_add(&a->number, number.text, number.size, &key, err);
    if (status != F2L_OK) return status;
    if (key != entries)
        return f2l_fail_at(err, a->line, a->column[1].at,
                           "symbol table: number %.*s stands for two symbols",
                           number.size > 20 ? 20 : (int)number.size, number.text);
    status = f2l_names_add(&a->symbol, a->column[0].text, a->column[0].size, &symbol, err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&a->symbol_of, &a->symbol_capacity, entries, sizeof *a->symbol_of))
        return f2l_fail_memory(err);
    a->symbol_of[entries] = (uint32_t)symbol;
    if (is_column_text(&number, "0")) a->zero = symbol;
    return F2L_OK;
}

/* Calls `each` for every line that is not blank. */
static f2l_status for_lines(att *a, const char *bytes, size_t size,
                            f2l_status (*each)(att *, f2l_error *), f2l_error *err)
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

/* A label after the symbol table and the escapes were applied. */
typedef struct label {
    bool epsilon;
    const char *text;
    size_t size;
} label;

/* Decides about a number that is a letter; what OpenFst calls 0 is noted. */
static void decide_number(const att *a, size_t i, label *out)
{
    static const char *const none[] = {NULL};
    out->epsilon = f2l_read_as_epsilon(a->as, out->text, out->size, none);
    if (!out->epsilon && !(a->as && a->as->names_epsilon) && is_column_text(&a->column[i], "0"))
        f2l_notes_add(&a->nfa->notes,
                      "was read as a letter, as --numeric says; it is OpenFst's empty word, which "
                      "--read-as epsilon=0 makes it",
                      out->text, out->size, a->line, a->column[i].at);
}

static f2l_status numeric_label(const att *a, size_t i, label *out, f2l_error *err)
{
    if (a->has_table) {
        column number = without_leading_zeros(a->column[i]);
        size_t key = f2l_names_find(&a->number, number.text, number.size);
        out->epsilon = is_column_text(&number, "0");
        if (out->epsilon) return F2L_OK;
        if (key == F2L_NO_INDEX)
            return fail_in_att_column(a, i, "is not a number of the symbol table", err);
        out->text = f2l_names_get(&a->symbol, a->symbol_of[key]);
        out->size = strlen(out->text);
        return F2L_OK;
    }
    if (a->numeric) {
        decide_number(a, i, out);
        return F2L_OK;
    }
    return fail_in_att_column(
        a, i,
        "is a numeric label: give its symbol table (--symbols FILE), or take numbers as "
        "letter names (--numeric)",
        err);
}

/* Replaces an escape: HFST and foma write some labels as words between @ signs. */
static f2l_status special_label(const att *a, size_t i, label *out, f2l_error *err)
{
    const column *c = &a->column[i];
    static const char *const escape[][2] = {
        {"@_SPACE_@", " "}, {"@_TAB_@", "\t"}, {"@_COLON_@", ":"}};
    for (size_t k = 0; k < sizeof escape / sizeof *escape; k++)
        if (is_column_text(c, escape[k][0])) {
            *out = (label){false, escape[k][1], 1};
            return F2L_OK;
        }
    if (is_column_text(c, "@_IDENTITY_SYMBOL_@")) return F2L_OK;
    if (is_column_text(c, "@_UNKNOWN_SYMBOL_@"))
        return fail_in_att_column(
            a, i,
            "is a pair of different letters outside the file's alphabet: transducers are "
            "refused",
            err);
    if (c->size >= 4 && strchr("PNRDCUE", c->text[1]) != NULL && c->text[2] == '.' &&
        c->text[c->size - 1] == '@')
        return fail_in_att_column(
            a, i, "is a flag diacritic; eliminate flags before writing the file", err);
    return F2L_OK;
}

/* Decides about a text that the symbol table, where there is one, does not have. */
static f2l_status resolve_text(const att *a, size_t i, label *out, f2l_error *err)
{
    static const char *const own[] = {"@0@", "<eps>", "<epsilon>", "@_EPSILON_SYMBOL_@", NULL};
    const column *c = &a->column[i];
    const bool letters = a->as && a->as->labels == F2L_LABELS_LETTERS;
    f2l_status status =
        f2l_import_epsilon(&out->epsilon, a->as, c->text, c->size, own, a->line, c->at, err);
    if (status != F2L_OK || out->epsilon) return status;
    if (c->text[0] == '@') return special_label(a, i, out, err);
    if (a->has_table) return fail_in_att_column(a, i, "is not a symbol of the symbol table", err);
    const column digits = {c->text + 1, c->size - 1, 0};
    if (c->text[0] == '-' && is_digits(&digits) && !letters)
        return fail_in_att_column(
            a, i,
            is_column_text(c, "-1")
                ? "is no letter of OpenFst; k2 writes it where a word ends: --read-as epsilon=-1 "
                  "reads it so"
                : "is a mark of a program, no letter of OpenFst; --read-as labels=letters makes it "
                  "a letter",
            err);
    if (!letters && c->size > 1 && (c->text[0] == ' ' || c->text[c->size - 1] == ' '))
        return fail_in_att_column(
            a, i, "has a blank at an end; --read-as labels=letters makes it a letter", err);
    return F2L_OK;
}

/* Decides what a label is. */
static f2l_status resolve(const att *a, size_t i, label *out, f2l_error *err)
{
    const column *c = &a->column[i];
    *out = (label){.text = c->text, .size = c->size};
    if (is_digits(c)) return numeric_label(a, i, out, err);
    const size_t symbol =
        a->has_table ? f2l_names_find(&a->symbol, c->text, c->size) : F2L_NO_INDEX;
    if (symbol == F2L_NO_INDEX) return resolve_text(a, i, out, err);
    out->epsilon = symbol == a->zero;
    return F2L_OK;
}

/* Reads a weight; *there tells whether the arc is there or the state is final. */
static f2l_status take_weight(const att *a, size_t i, bool *there, f2l_error *err)
{
    const f2l_att_weight w = weigh(&a->column[i]);
    *there = w == F2L_ATT_IS_THERE;
    if (w == F2L_ATT_NO_WEIGHT)
        return fail_in_att_column(a, i, "is not a number; expected a weight here", err);
    if (w == F2L_ATT_WEIGHTED)
        return fail_in_att_column(a, i, "is a weight other than 0: weighted automata are refused",
                                  err);
    return F2L_OK;
}

/* Decides what column 4 of an arc is: an output label, or the weight of an arc that has no output.
 * A number is a weight, unless it repeats a numeric label that the caller declared to be one (table
 * or --numeric). */
static f2l_status check_column_4(const att *a, const label *input, bool *there, f2l_error *err)
{
    const bool repeats = same_text(&a->column[2], &a->column[3]);
    if (a->columns == 4 && !(repeats && (a->has_table || a->numeric)) &&
        weigh(&a->column[3]) != F2L_ATT_NO_WEIGHT)
        return take_weight(a, 3, there, err);
    label output;
    f2l_status status = resolve(a, 3, &output, err);
    if (status != F2L_OK) return status;
    bool same = input->epsilon == output.epsilon &&
                (input->epsilon || (input->size == output.size &&
                                    memcmp(input->text, output.text, input->size) == 0));
    return same ? F2L_OK
                : fail_in_att_column(
                      a, 3, "is an output that differs from the input: transducers are refused",
                      err);
}

/* Returns whether the label looks as if it were for several letters: a set, or what programs call
 * the letters that have no other arc. */
static bool means_several(const label *l)
{
    static const char *const name[] = {"<rho>", "<phi>", "<sigma>", "<other>", "<any>"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strlen(name[i]) == l->size && memcmp(name[i], l->text, l->size) == 0) return true;
    return f2l_letter_set_is(l->text, l->size);
}

/* Adds the edge of an arc, or edges for the letters of a set where the user says that there are
 * any. */
static f2l_status add_arc_edges(att *a, size_t from, const label *l, size_t to, bool there,
                                f2l_error *err)
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
static f2l_status check_empty_label(const att *a, f2l_error *err)
{
    if (a->columns != 3 || a->column[2].size > 0 || (a->as && a->as->names_epsilon)) return F2L_OK;
    return f2l_fail_at(err, a->line, a->column[2].at,
                       "an empty label: expected a letter, or @0@ for the empty word; --read-as "
                       "epsilon= makes empty labels the empty word");
}

static f2l_status add_arc(att *a, f2l_error *err)
{
    size_t from, to;
    bool there = true;
    label input;
    f2l_status status = check_empty_label(a, err);
    if (status == F2L_OK) status = resolve(a, 2, &input, err);
    if (status == F2L_OK && a->columns >= 4) status = check_column_4(a, &input, &there, err);
    if (status == F2L_OK && a->columns == 5) status = take_weight(a, 4, &there, err);
    if (status == F2L_OK)
        status = f2l_nfa_state(a->nfa, a->column[0].text, a->column[0].size, &from, err);
    if (status == F2L_OK)
        status = f2l_nfa_state(a->nfa, a->column[1].text, a->column[1].size, &to, err);
    if (status == F2L_OK) status = add_arc_edges(a, from, &input, to, there, err);
    if (status == F2L_OK && a->first == F2L_NO_INDEX) a->first = from;
    return status;
}

static f2l_status add_final(att *a, f2l_error *err)
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
static f2l_status check_columns(const att *a, f2l_error *err)
{
    for (size_t i = 0; i < a->columns; i++) {
        const column *c = &a->column[i];
        if (a->columns > 2 && (i == 2 || i == 3)) continue;
        if (c->size == 0)
            return f2l_fail_at(err, a->line, c->at, "expected %s, not an empty column",
                               i == 0 || a->columns > 2 ? "a state" : "a weight");
        if (c->text[0] == ' ' || c->text[c->size - 1] == ' ')
            return fail_in_att_column(a, i, "has a blank at an end, beside a tab", err);
    }
    return F2L_OK;
}

static f2l_status att_line(att *a, f2l_error *err)
{
    if (is_column_text(&a->column[0], "--"))
        return fail_in_att_column(a, 0, "separates several machines: pass them one file at a time",
                                  err);
    /* A tab at the end of a final state or behind all columns of an arc says nothing. */
    if ((a->columns == 2 || a->columns > 4) && a->column[a->columns - 1].size == 0) a->columns--;
    if (a->columns > 5) return f2l_fail_at(err, a->line, a->column[5].at, "more than 5 columns");
    const f2l_status status = check_columns(a, err);
    if (status != F2L_OK) return status;
    return a->columns <= 2 ? add_final(a, err) : add_arc(a, err);
}

static f2l_status read_att(att *a, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status != F2L_OK) return status;
    if (options != NULL && options->symbols != NULL) {
        status = f2l_import_check_text(options->symbols, options->symbols_size, err);
        if (status == F2L_OK)
            status = for_lines(a, options->symbols, options->symbols_size, table_line, err);
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
    a->nfa->has_accept = a->nfa->partial = true;
    for (size_t i = 0; i < a->finals; i++) a->nfa->accept[a->final[i]] = 1;
    f2l_import_source(a->nfa, "AT&T");
    return F2L_OK;
}

f2l_status f2l_import_att(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    att a = {.nfa = out, .first = F2L_NO_INDEX, .zero = F2L_NO_INDEX};
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
