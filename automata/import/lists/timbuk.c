/* Automata of trees as Timbuk writes them, where the trees are words: one symbol has no argument,
 * and every other has one.
 *
 *     Ops a:1 b:1 x:0
 *     Automaton NAME
 *     States p q
 *     Final States q
 *     Transitions
 *     x -> p
 *     a(p) -> q
 *
 * The word `a b` is the tree b(a(x)): it is read from the leaf, whose states are the starts. %
 * begins a comment. */
#include "automata/import/lists/lists.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct timbuk {
    f2l_nfa *nfa;
    const f2l_read_as *as;
    f2l_line line;
    size_t at;      /* in the line */
    f2l_names leaf; /* the symbols without an argument */
    uint32_t *starts, *finals;
    size_t start_count, start_capacity, final_count, final_capacity;
} timbuk;

/* Reads the next word, of this line or of one behind it; an empty one at the end of the text. */
static f2l_word next_timbuk_word(timbuk *t)
{
    for (;;) {
        const char *text = t->line.text;
        while (t->at < t->line.size && strchr(" \t", text[t->at])) t->at++;
        if (t->at < t->line.size && text[t->at] != '%') break;
        t->at = 0;
        if (!f2l_line_next(&t->line)) {
            t->line.size = 0;
            return (f2l_word){0};
        }
    }
    const size_t from = t->at;
    while (t->at < t->line.size && !strchr(" \t", t->line.text[t->at])) t->at++;
    return (f2l_word){t->line.text + from, t->at - from, from + 1};
}

static f2l_status timbuk_fail(const timbuk *t, const f2l_word *word, const char *text,
                              f2l_error *err)
{
    if (word->size == 0)
        return f2l_fail(err, F2L_EFORMAT, "the file ends too early; a word %s", text);
    return f2l_word_fail(&t->line, word, text, err);
}

/* Returns the word without what is behind its last colon. */
static f2l_word before_colon(const f2l_word *word)
{
    f2l_word name = *word;
    while (name.size > 0 && name.text[name.size - 1] != ':') name.size--;
    if (name.size == 0) return *word;
    name.size--;
    return name;
}

/* Reads the symbols up to the word `Automaton`, and the name behind it. */
static f2l_status read_symbols(timbuk *t, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_word word = next_timbuk_word(t);
    if (!f2l_word_is(&word, "Ops")) return timbuk_fail(t, &word, "is not Ops", err);
    for (word = next_timbuk_word(t); status == F2L_OK && !f2l_word_is(&word, "Automaton");
         word = next_timbuk_word(t)) {
        const f2l_word name = before_colon(&word);
        const char count = word.size > 0 ? word.text[word.size - 1] : ' ';
        size_t index;
        if (name.size == 0 || name.size + 2 != word.size || (count != '0' && count != '1'))
            return timbuk_fail(t, &word, "is no symbol with one argument or none, NAME:1 or NAME:0",
                               err);
        if (f2l_names_find(&t->leaf, name.text, name.size) != F2L_NO_INDEX ||
            f2l_names_find(&t->nfa->letters, name.text, name.size) != F2L_NO_INDEX)
            return timbuk_fail(t, &word, "is there twice", err);
        if (count == '1')
            f2l_note_epsilon_name(t->nfa, t->as, name.text, name.size, t->line.number, word.column);
        status = count == '0' ? f2l_names_add(&t->leaf, name.text, name.size, &index, err)
                              : f2l_nfa_letter(t->nfa, name.text, name.size, &index, err);
    }
    if (status != F2L_OK) return status;
    if (t->leaf.count != 1)
        return timbuk_fail(t, &word, "comes behind symbols of which not one alone has no argument",
                           err);
    word = next_timbuk_word(t);
    return word.size > 0 ? F2L_OK : timbuk_fail(t, &word, "is the automaton's name", err);
}

/* Reads the states up to `Final`. */
static f2l_status read_timbuk_states(timbuk *t, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_word word = next_timbuk_word(t);
    if (!f2l_word_is(&word, "States")) return timbuk_fail(t, &word, "is not States", err);
    for (word = next_timbuk_word(t); status == F2L_OK && !f2l_word_is(&word, "Final");
         word = next_timbuk_word(t)) {
        const f2l_word name = before_colon(&word);
        size_t index;
        if (name.size == 0) return timbuk_fail(t, &word, "is no state, nor Final States", err);
        status = f2l_nfa_state(t->nfa, name.text, name.size, &index, err);
    }
    return status;
}

/* Appends the state of this name to the list. */
static f2l_status list_state(timbuk *t, const f2l_word *name, uint32_t **list, size_t *count,
                             size_t *capacity, f2l_error *err)
{
    const size_t state = f2l_names_find(&t->nfa->states, name->text, name->size);
    if (state == F2L_NO_INDEX) return timbuk_fail(t, name, "is no state of States", err);
    if (!f2l_grow((void **)list, capacity, *count, sizeof **list)) return f2l_fail_memory(err);
    (*list)[(*count)++] = (uint32_t)state;
    return F2L_OK;
}

/* Reads the accepting states up to `Transitions`. */
static f2l_status read_finals(timbuk *t, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_word word = next_timbuk_word(t);
    if (!f2l_word_is(&word, "States"))
        return timbuk_fail(t, &word, "is not States, behind Final", err);
    for (word = next_timbuk_word(t); status == F2L_OK && !f2l_word_is(&word, "Transitions");
         word = next_timbuk_word(t)) {
        const f2l_word name = before_colon(&word);
        if (name.size == 0) return timbuk_fail(t, &word, "is no state, nor Transitions", err);
        status = list_state(t, &name, &t->finals, &t->final_count, &t->final_capacity, err);
    }
    return status;
}

/* Adds the transition whose left side is this word. */
static f2l_status add_rule(timbuk *t, const f2l_word *left, const f2l_word *right, f2l_error *err)
{
    const char *open = memchr(left->text, '(', left->size);
    f2l_word symbol = *left, state = *left;
    symbol.size = open ? (size_t)(open - left->text) : left->size;
    state.text += symbol.size + 1;
    state.column += symbol.size + 1;
    state.size = open && left->text[left->size - 1] == ')' ? left->size - symbol.size - 2 : 0;
    if (open && left->text[left->size - 1] != ')')
        return timbuk_fail(t, left, "is not SYMBOL(STATE)", err);
    if (state.size == 0) {
        if (f2l_names_find(&t->leaf, symbol.text, symbol.size) == F2L_NO_INDEX)
            return timbuk_fail(t, left, "is not the symbol without an argument", err);
        return list_state(t, right, &t->starts, &t->start_count, &t->start_capacity, err);
    }
    const size_t letter = f2l_names_find(&t->nfa->letters, symbol.text, symbol.size);
    const size_t from = f2l_names_find(&t->nfa->states, state.text, state.size);
    const size_t to = f2l_names_find(&t->nfa->states, right->text, right->size);
    if (letter == F2L_NO_INDEX)
        return timbuk_fail(t, &symbol, "is no symbol of Ops with one argument", err);
    if (from == F2L_NO_INDEX) return timbuk_fail(t, &state, "is no state of States", err);
    if (to == F2L_NO_INDEX) return timbuk_fail(t, right, "is no state of States", err);
    return f2l_nfa_add_edge(t->nfa, from, letter, to, err);
}

static f2l_status read_rules(timbuk *t, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (f2l_word left = next_timbuk_word(t); left.size > 0 && status == F2L_OK;
         left = next_timbuk_word(t)) {
        const size_t line = t->line.number;
        const f2l_word arrow = next_timbuk_word(t);
        const f2l_word right = f2l_word_is(&arrow, "->") ? next_timbuk_word(t) : (f2l_word){0};
        if (right.size == 0 || t->line.number != line)
            return f2l_fail_at(err, line, left.column,
                               "expected a transition, SYMBOL(STATE) -> STATE");
        status = add_rule(t, &left, &right, err);
    }
    return status;
}

static f2l_status read_timbuk(timbuk *t, f2l_error *err)
{
    f2l_status status = read_symbols(t, err);
    if (status == F2L_OK) status = read_timbuk_states(t, err);
    if (status == F2L_OK) status = read_finals(t, err);
    if (status == F2L_OK) status = read_rules(t, err);
    if (status == F2L_OK && t->start_count == 0)
        status = f2l_fail(err, F2L_EFORMAT, "no start state; expected a line %s -> STATE",
                          f2l_names_get(&t->leaf, 0));
    if (status == F2L_OK) status = f2l_nfa_close_states(t->nfa, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < t->start_count; i++) t->nfa->is_start[t->starts[i]] = 1;
    for (size_t i = 0; i < t->final_count; i++) t->nfa->accept[t->finals[i]] = 1;
    t->nfa->has_accept = t->nfa->partial = true;
    f2l_import_source(t->nfa, "Timbuk");
    return F2L_OK;
}

f2l_status f2l_import_timbuk(f2l_nfa *out, const char *bytes, size_t size,
                             const f2l_import_options *options, f2l_error *err)
{
    timbuk t = {
        .nfa = out, .as = options ? options->as : NULL, .line = f2l_line_start(bytes, size)};
    f2l_names_init(&t.leaf);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(t.as, 1u << F2L_LABELS_LETTERS, false, "Timbuk files", err);
    if (status == F2L_OK) status = read_timbuk(&t, err);
    f2l_names_clear(&t.leaf);
    f2l_free(t.starts);
    f2l_free(t.finals);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
