/* The .aut files of CADP and mCRL2:
 *
 *     des (START, TRANSITIONS, STATES)
 *     (FROM, LABEL, TO)
 *
 * A label goes from the first comma to the last one; quotation marks around it are no part of it.
 * `i` (CADP) and `tau` (mCRL2) are internal actions. A file that is read by another program may
 * mean them as letters, so only --read-as epsilon=i makes them the empty word, and a note says
 * so. */
#include "automata/import/lists/lists.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/text.h"
#include <string.h>

typedef struct aut {
    f2l_nfa *nfa;
    const f2l_read_as *as;
    f2l_line line;
    size_t start, transitions, states; /* as the header says */
    f2l_buf label;                     /* one with escapes, without them */
} aut;

static const char expected_header[] =
    "expected `des (START, TRANSITIONS, STATES)` with numbers of up to 1000000000";
static const char expected_edge[] = "expected a transition, (FROM, LABEL, TO)";

static f2l_word trim_word(const f2l_line *line, const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t')) from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return (f2l_word){from, (size_t)(end - from), (size_t)(from - line->text) + 1};
}

/* Splits "(first, middle, last)" at its first and its last comma; returns whether the text is of
 * this form. */
static bool split_triple(f2l_word out[3], const f2l_line *line, const char *from)
{
    const f2l_word all = trim_word(line, from, line->text + line->size);
    if (all.size < 2 || all.text[0] != '(' || all.text[all.size - 1] != ')') return false;
    const char *end = all.text + all.size - 1, *last = end;
    const char *first = memchr(all.text, ',', all.size);
    while (first && last > first && *last != ',') last--;
    if (!first || last == first) return false;
    out[0] = trim_word(line, all.text + 1, first);
    out[1] = trim_word(line, first + 1, last);
    out[2] = trim_word(line, last + 1, end);
    return true;
}

static bool next_filled_line(aut *a)
{
    f2l_word word[1];
    while (f2l_line_next(&a->line))
        if (f2l_line_words(word, 1, &a->line, 0) > 0) return true;
    return false;
}

static f2l_status read_aut_header(aut *a, f2l_error *err)
{
    f2l_word part[3];
    if (!next_filled_line(a)) return f2l_fail(err, F2L_EFORMAT, "%s", expected_header);
    f2l_word line = trim_word(&a->line, a->line.text, a->line.text + a->line.size);
    if (line.size < 3 || memcmp(line.text, "des", 3) != 0 ||
        !split_triple(part, &a->line, line.text + 3) || !f2l_word_number(&a->start, &part[0]) ||
        !f2l_word_number(&a->transitions, &part[1]) || !f2l_word_number(&a->states, &part[2]))
        return f2l_fail_at(err, a->line.number, line.column, "%s", expected_header);
    if (a->start >= a->states)
        return f2l_word_fail(&a->line, &part[0], "is no state: there are fewer", err);
    return F2L_OK;
}

static f2l_status add_aut_state(aut *a, const f2l_word *word, size_t *state, f2l_error *err)
{
    size_t number;
    if (!f2l_word_number(&number, word)) return f2l_word_fail(&a->line, word, "is no number", err);
    if (number >= a->states)
        return f2l_word_fail(&a->line, word, "is beyond the number of states in the header", err);
    const char *text = word->text;
    size_t size = word->size;
    for (; size > 1 && *text == '0'; size--) text++;
    return f2l_nfa_state(a->nfa, text, size, state, err);
}

/* Takes the quotation marks off a label, and the backslashes before marks and backslashes. */
static f2l_status unquote_label(aut *a, f2l_word *label, f2l_error *err)
{
    if (label->size == 0 || label->text[0] != '"') return F2L_OK;
    if (label->size < 2 || label->text[label->size - 1] != '"')
        return f2l_word_fail(&a->line, label, "has no closing quotation mark", err);
    label->text++;
    label->size -= 2;
    if (!memchr(label->text, '\\', label->size)) return F2L_OK;
    a->label.size = 0;
    for (size_t i = 0; i < label->size; i++) {
        const char c = label->text[i];
        const char next = i + 1 < label->size ? label->text[i + 1] : '\0';
        if (c == '\\' && (next == '"' || next == '\\')) i++;
        f2l_buf_bytes(&a->label, label->text + i, 1);
    }
    label->text = a->label.data;
    label->size = a->label.size;
    return f2l_buf_status(&a->label, err);
}

static bool begins_with(const f2l_word *word, const char *text)
{
    const size_t n = strlen(text);
    return word->size >= n && memcmp(word->text, text, n) == 0;
}

/* Returns F2L_EFORMAT for the labels of CADP's Markov chains. */
static f2l_status check_not_stochastic(const aut *a, const f2l_word *label, f2l_error *err)
{
    bool stochastic = begins_with(label, "prob ") || begins_with(label, "rate ");
    for (size_t i = 0; i < label->size && !stochastic; i++) {
        const f2l_word rest = {label->text + i, label->size - i, 0};
        if (label->text[i] != ';') continue;
        stochastic = begins_with(&rest, "; prob ") || begins_with(&rest, "; rate ");
    }
    return stochastic
               ? f2l_word_fail(&a->line, label,
                               "is a probability or a rate: stochastic systems are refused", err)
               : F2L_OK;
}

/* Sets *letter to the letter of the label, or to F2L_EPSILON. */
static f2l_status read_aut_label(aut *a, f2l_word label, size_t *letter, f2l_error *err)
{
    static const char *const own[] = {NULL};
    f2l_status status = unquote_label(a, &label, err);
    if (status == F2L_OK && label.size == 0)
        status = f2l_fail_at(err, a->line.number, label.column, "an empty label");
    if (status == F2L_OK) status = check_not_stochastic(a, &label, err);
    if (status != F2L_OK) return status;
    *letter = F2L_EPSILON;
    if (f2l_read_as_epsilon(a->as, label.text, label.size, own)) return F2L_OK;
    const char *note = NULL;
    if (f2l_word_is(&label, "i"))
        note = "was taken for a letter (--read-as epsilon=i: the empty word, CADP's internal "
               "action)";
    if (f2l_word_is(&label, "tau"))
        note = "was taken for a letter (--read-as epsilon=tau: the empty word, the internal "
               "action)";
    if (f2l_word_is(&label, "\xcf\x84"))
        note = "was taken for a letter (--read-as epsilon=\xcf\x84: the empty word, the internal "
               "action)";
    if (note && !(a->as && a->as->names_epsilon))
        f2l_notes_add(&a->nfa->notes, note, label.text, label.size, a->line.number, label.column);
    f2l_note_epsilon_name(a->nfa, a->as, label.text, label.size, a->line.number, label.column);
    return f2l_nfa_letter(a->nfa, label.text, label.size, letter, err);
}

static f2l_status read_aut_edge(aut *a, f2l_error *err)
{
    f2l_word part[3];
    size_t from, to, letter;
    if (!split_triple(part, &a->line, a->line.text))
        return f2l_fail_at(err, a->line.number, 1, "%s", expected_edge);
    if (a->nfa->edges == a->transitions)
        return f2l_fail_at(err, a->line.number, 1,
                           "more than the %zu transitions that the header announces",
                           a->transitions);
    f2l_status status = add_aut_state(a, &part[0], &from, err);
    if (status == F2L_OK) status = add_aut_state(a, &part[2], &to, err);
    if (status == F2L_OK) status = read_aut_label(a, part[1], &letter, err);
    return status == F2L_OK ? f2l_nfa_add_edge(a->nfa, from, letter, to, err) : status;
}

static f2l_status read_aut(aut *a, f2l_error *err)
{
    size_t state;
    f2l_status status = read_aut_header(a, err);
    if (status != F2L_OK) return status;
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_size(&name, a->start);
    status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = f2l_nfa_state(a->nfa, name.data, name.size, &state, err);
    f2l_buf_clear(&name);
    while (status == F2L_OK && next_filled_line(a)) status = read_aut_edge(a, err);
    if (status == F2L_OK && a->nfa->edges < a->transitions)
        status = f2l_fail_at(err, a->line.number, 0,
                             "the file ends after %zu of the %zu transitions that its header "
                             "announces",
                             a->nfa->edges, a->transitions);
    if (status == F2L_OK) status = f2l_nfa_close_states(a->nfa, err);
    if (status == F2L_OK) a->nfa->is_start[0] = 1;
    f2l_import_source(a->nfa, "aut");
    return status;
}

f2l_status f2l_import_aut(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err)
{
    aut a = {.nfa = out, .as = options ? options->as : NULL, .line = f2l_line_start(bytes, size)};
    f2l_buf_init(&a.label);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(a.as, 1u << F2L_LABELS_LETTERS, true, ".aut files", err);
    if (status == F2L_OK) status = read_aut(&a, err);
    f2l_buf_clear(&a.label);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
