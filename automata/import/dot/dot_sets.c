/* Labels by the general rules: a letter, a name of the empty word, or several letters as a list, a
 * set in brackets or a range. docs/formats.md has the rules. */
#include "automata/import/dot/dot.h"
#include "numeric/base/text.h"
#include <string.h>

#define SEPARATORS ",|\n"
#define OTHER_SEPARATORS " ;+"

/* A part of a label: text[0..size), without blanks around it. */
typedef struct piece {
    const char *text;
    size_t size;
} piece;

/* A label that is read. */
typedef struct target {
    f2l_dot_reader *r;
    f2l_dot_label *label;
    size_t output;
} target;

static bool asks_for_sets(const f2l_dot_reader *r)
{
    return r->as->labels == F2L_LABELS_SETS;
}

static f2l_status add_set(target *t, const f2l_names *set, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (!asks_for_sets(t->r)) t->label->note = F2L_NOTE_SET;
    for (size_t i = 0; i < set->count && status == F2L_OK; i++) {
        const char *name = f2l_names_get(set, i);
        status = f2l_dot_add_letter(t->r, t->label, name, strlen(name), t->output, err);
    }
    return status;
}

/* Adds the letters of a set in brackets, text[0..size). */
static f2l_status add_bracket_set(target *t, const char *text, size_t size, f2l_error *err)
{
    f2l_names set;
    f2l_error why = {0};
    f2l_names_init(&set);
    f2l_status status = f2l_letter_set_read(&set, text, size, &why);
    if (status == F2L_EFORMAT) {
        const f2l_dot_edge *edge = &t->r->dot.edge[t->label->edge];
        status = f2l_fail_at(err, edge->line, edge->column, "%s", why.text);
    } else if (status == F2L_OK) {
        status = add_set(t, &set, err);
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_names_clear(&set);
    return status;
}

/* Reads [..] as a set of characters. */
static f2l_status read_brackets(target *t, piece p, f2l_error *err)
{
    if (p.text[1] == '^')
        return f2l_dot_refuse_label(t->r, t->label,
                                    "has a set that says which letters are not in it: write those "
                                    "that are",
                                    err);
    if (!asks_for_sets(t->r) && p.size == 2 + f2l_utf8_first_size(p.text + 1))
        return f2l_dot_refuse_label(t->r, t->label,
                                    "is a set of one letter, or a letter with brackets: --read-as "
                                    "labels=sets says that it is a set",
                                    err);
    return add_bracket_set(t, p.text, p.size, err);
}

static bool is_digit_byte(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit_byte(c) ||
           (unsigned char)c >= 0x80;
}

size_t f2l_dot_range_sign(const char *text, size_t size)
{
    static const char *const sign[] = {"-", "..", "\xe2\x80\x93", NULL};
    size_t before = 0;
    while (before < size && text[before] == ' ') before++;
    for (size_t i = 0; sign[i]; i++) {
        size_t end = before + strlen(sign[i]);
        if (end > size || memcmp(text + before, sign[i], end - before) != 0) continue;
        while (end < size && text[end] == ' ') end++;
        return end;
    }
    return 0;
}

/* Rewrites ranges such as a-c, a..c and a-zA-Z as a set in brackets. Returns whether all of the
 * piece is ranges of single letters or digits. */
static bool rewrite_ranges(f2l_buf *out, piece p)
{
    size_t at = 0;
    f2l_buf_text(out, "[");
    while (at < p.size) {
        const size_t first = f2l_utf8_first_size(p.text + at);
        const size_t sign =
            at + first < p.size ? f2l_dot_range_sign(p.text + at + first, p.size - at - first) : 0;
        const char *last = p.text + at + first + sign;
        if (sign == 0 || last >= p.text + p.size || !is_alnum_byte(p.text[at]) ||
            !is_alnum_byte(*last))
            return false;
        f2l_buf_bytes(out, p.text + at, first);
        f2l_buf_text(out, "-");
        f2l_buf_bytes(out, last, f2l_utf8_first_size(last));
        at += first + sign + f2l_utf8_first_size(last);
    }
    f2l_buf_text(out, "]");
    return true;
}

/* Adds the letter, after a look whether it is one. */
static f2l_status read_letter(target *t, piece p, f2l_error *err)
{
    const char *doubt = f2l_dot_doubt(t->r, p.text, p.size);
    if (doubt) return f2l_dot_refuse_label(t->r, t->label, doubt, err);
    const char *note = f2l_dot_letter_note(t->r, p.text, p.size);
    if (note && !t->label->note) t->label->note = note;
    return f2l_dot_add_letter(t->r, t->label, p.text, p.size, t->output, err);
}

/* Reads an element of a list, or a label that is no list. */
static f2l_status read_element(target *t, piece p, f2l_error *err)
{
    if (f2l_dot_is_epsilon(t->r, p.text, p.size))
        return f2l_dot_add_epsilon(t->r, t->label, t->output, err);
    if (p.size > 2 && p.text[0] == '[' && p.text[p.size - 1] == ']' &&
        !f2l_dot_is_bracketed_list(p.text, p.size))
        return read_brackets(t, p, err);
    f2l_buf set;
    f2l_buf_init(&set);
    const bool ranges = p.size > 2 && rewrite_ranges(&set, p);
    f2l_status status = f2l_buf_status(&set, err);
    if (status == F2L_OK)
        status = ranges ? add_bracket_set(t, set.data, set.size, err) : read_letter(t, p, err);
    f2l_buf_clear(&set);
    return status;
}

/* Returns whether brackets and quotation marks of the text close. */
static bool is_balanced(const char *text, size_t size)
{
    int depth = 0;
    size_t quotes = 0, marks = 0;
    for (size_t i = 0; i < size && depth >= 0; i++) {
        if (strchr("([{", text[i])) depth++;
        if (strchr(")]}", text[i])) depth--;
        quotes += text[i] == '"';
        marks += text[i] == '\'';
    }
    return depth == 0 && quotes % 2 == 0 && marks % 2 == 0;
}

/* Returns the end of the list's element that begins at text[at]. */
static size_t element_end(const char *text, size_t size, size_t at, const char *separators,
                          bool nested)
{
    int depth = 0;
    char quote = '\0';
    for (; at < size; at++) {
        const char c = text[at];
        if (nested && quote) {
            if (c == quote) quote = '\0';
            continue;
        }
        if (nested && strchr("\"'", c)) quote = c;
        if (nested) depth += strchr("([{", c) ? 1 : strchr(")]}", c) ? -1 : 0;
        if (depth == 0 && strchr(separators, c)) break;
    }
    return at;
}

/* A list, taken apart. */
typedef struct list {
    size_t elements, empty;
    bool repeated, commas; /* an element is twice; all separators are commas */
} list;

/* Calls read_element for every element, where `t` is given; else it only counts them. */
static f2l_status take_list_apart(list *out, target *t, piece p, const char *separators,
                                  f2l_error *err)
{
    *out = (list){.elements = 1, .empty = p.size == 0, .commas = true};
    if (!t && strcspn(p.text, SEPARATORS) >= p.size) return F2L_OK;
    const bool nested = is_balanced(p.text, p.size);
    f2l_names seen;
    f2l_status status = F2L_OK;
    f2l_names_init(&seen);
    *out = (list){.commas = true};
    for (size_t at = 0; at <= p.size && status == F2L_OK; at++) {
        const size_t end = element_end(p.text, p.size, at, separators, nested);
        piece element = {NULL, end - at};
        element.text = f2l_dot_trim(p.text + at, &element.size);
        const size_t before = seen.count;
        size_t index;
        out->commas &= end == p.size || p.text[end] == ',';
        out->elements++;
        out->empty += element.size == 0;
        status = f2l_names_add(&seen, element.text, element.size, &index, err);
        out->repeated |= seen.count == before;
        if (t && status == F2L_OK) status = read_element(t, element, err);
        at = end;
    }
    f2l_names_clear(&seen);
    return status;
}

/* Returns whether the label is a list by another sign, such as `a b`, `a;b` or `a+b`, of letters
 * that are labels of their own. */
static bool is_other_list(const f2l_dot_reader *r, piece p)
{
    size_t parts = 0, known = 0;
    if (strcspn(p.text, OTHER_SEPARATORS) >= p.size) return false;
    const bool nested = is_balanced(p.text, p.size);
    for (size_t at = 0; at <= p.size; at++) {
        const size_t end = element_end(p.text, p.size, at, OTHER_SEPARATORS, nested);
        size_t size = end - at;
        const char *text = f2l_dot_trim(p.text + at, &size);
        parts += size > 0;
        known += size > 0 && f2l_names_find(&r->alone, text, size) != F2L_NO_INDEX;
        at = end;
    }
    return parts > 1 && known == parts;
}

/* Reads a label that has the separators of a list. */
static f2l_status read_list(target *t, piece p, const list *l, f2l_error *err)
{
    list again;
    if (p.size == strspn(p.text, ",| ")) /* a letter of commas or bars */
        return f2l_dot_add_letter(t->r, t->label, p.text, p.size, t->output, err);
    if (l->empty || (l->repeated && !l->commas) || (l->repeated && asks_for_sets(t->r)))
        return f2l_dot_refuse_label(t->r, t->label,
                                    l->empty ? "is a list with an empty element, or a letter"
                                             : "is a list with an element twice, or a letter",
                                    err);
    t->label->note = asks_for_sets(t->r) ? NULL : F2L_NOTE_SET;
    t->label->guessed = t->r->all_lists && l->commas;
    const f2l_status status = take_list_apart(&again, t, p, SEPARATORS, err);
    if (t->label->note && strcmp(t->label->note, F2L_DOT_READ_EMPTY) == 0) {
        t->label->note = F2L_NOTE_SET;
        t->label->also = "has the empty word in its list";
    }
    return status;
}

/* Reads a whole input. */
static f2l_status read_input(target *t, const char *input, f2l_error *err)
{
    list l;
    piece p = {NULL, strlen(input)};
    p.text = f2l_dot_trim(input, &p.size);
    if (p.size == 0)
        return f2l_dot_refuse_label(t->r, t->label, "is blank: a letter, or the empty word", err);
    const bool html = *f2l_dot_text(&t->r->dot, t->label->text) == F2L_DOT_HTML_MARK;
    if (p.size < strlen(input) && !html && !strchr(input, '\n'))
        t->label->note = "was read without the blanks around it";
    f2l_status status = take_list_apart(&l, NULL, p, SEPARATORS, err);
    if (status != F2L_OK) return status;
    if (l.elements > 1 && t->r->pairs && t->r->all_lists)
        return f2l_dot_refuse_label(t->r, t->label,
                                    "has two inputs and an output, as all labels: it may be of a "
                                    "pushdown automaton; --read-as labels=pairs takes both as one",
                                    err);
    if (l.elements > 1 && t->r->tuples && l.commas) {
        t->label->note = "was read as one letter, with its commas";
        return f2l_dot_add_letter(t->r, t->label, p.text, p.size, t->output, err);
    }
    if (l.elements > 1) return read_list(t, p, &l, err);
    if (asks_for_sets(t->r) && f2l_dot_is_bracketed_list(p.text, p.size)) {
        p = (piece){p.text + 1, p.size - 2};
        status = take_list_apart(&l, NULL, p, SEPARATORS, err);
        if (status == F2L_OK && l.elements > 1) return read_list(t, p, &l, err);
    }
    if (status == F2L_OK && asks_for_sets(t->r)) return read_element(t, p, err);
    if (status == F2L_OK && is_other_list(t->r, p))
        return f2l_dot_refuse_label(t->r, t->label,
                                    "looks like a list of letters: write commas between them", err);
    return status == F2L_OK ? read_element(t, p, err) : status;
}

/* Finds out whether commas are parts of letters: all inputs have the same number of them, and an
 * element is twice, as in 0,0. Refuses files where they are in some inputs only. Where all inputs
 * have the same number of commas and no element is twice, lists must not contradict each other. */
static f2l_status find_tuples(f2l_dot_reader *r, f2l_error *err)
{
    size_t length = 0;
    bool same = true;
    const f2l_dot_label *repeated = NULL;
    f2l_status status = F2L_OK;
    if (asks_for_sets(r)) return F2L_OK;
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++)
        for (size_t k = 0; k < r->labels.item[i].lines && status == F2L_OK; k++) {
            const f2l_dot_label *label = &r->labels.item[i];
            const char *input = f2l_dot_shown(r, r->labels.line[label->line + k].input);
            list l;
            status = take_list_apart(&l, NULL, (piece){input, strlen(input)}, SEPARATORS, err);
            if (length == 0) length = l.elements;
            same &= l.commas && l.elements == length && !l.empty;
            if (l.commas && l.elements > 1 && l.repeated && !l.empty && !repeated) repeated = label;
        }
    r->all_lists = same && length > 1;
    r->tuples = repeated && same;
    if (status != F2L_OK || !repeated || same) return status;
    return f2l_dot_refuse_label(r, repeated, "is a list with an element twice, or a letter", err);
}

/* Lists in r->alone the inputs whose words or lists other inputs may be: all, or only letters of
 * one byte where no input has the sign of another list. */
static f2l_status list_inputs(f2l_dot_reader *r, f2l_error *err)
{
    bool signs = false;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->labels.lines && !signs; i++)
        signs = strpbrk(f2l_dot_shown(r, r->labels.line[i].input), OTHER_SEPARATORS) != NULL;
    for (size_t i = 0; i < r->labels.lines && status == F2L_OK; i++) {
        const char *input = f2l_dot_shown(r, r->labels.line[i].input);
        if (!signs && input[0] && input[1]) continue;
        size_t size = strlen(input), index;
        const char *text = f2l_dot_trim(input, &size);
        status = f2l_names_add(&r->alone, text, size, &index, err);
    }
    return status;
}

f2l_status f2l_dot_read_sets(f2l_dot_reader *r, f2l_error *err)
{
    f2l_status status = list_inputs(r, err);
    if (status == F2L_OK) status = find_tuples(r, err);
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        target t = {r, &r->labels.item[i], UINT32_MAX};
        for (size_t k = 0; k < t.label->lines && status == F2L_OK; k++) {
            const f2l_dot_line *line = &r->labels.line[t.label->line + k];
            status = f2l_dot_line_output(r, line, &t.output, err);
            if (status == F2L_OK) status = read_input(&t, f2l_dot_shown(r, line->input), err);
        }
    }
    return status;
}
