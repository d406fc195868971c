/* The .mata files of libmata, type @NFA-explicit, which older files call @NFA, with %Alphabet in
 * place of %Alphabet-enum, and type @NFA-bits, which has a formula over bits in place of a letter:
 *
 *     @NFA-explicit
 *     %KEY [NAME ..]            Alphabet-auto, Alphabet-enum, States-enum, Initial, Final, Epsilon
 *     STATE LETTER STATE
 *
 * A backslash at its end joins a line with the next one, # begins a comment, and a name in
 * quotation marks may have blanks in it. States and letters that are enumerated are all that there
 * are. Formulas of states, intervals and the other types of automata are refused. */
#include "automata/import/lists/impl.h"
#include "automata/import/lists/lists.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct index_list {
    uint32_t *item;
    size_t count, capacity;
} index_list;

typedef struct mata {
    f2l_nfa *nfa;
    const f2l_read_as *as;
    f2l_line line;
    f2l_word *word; /* of the line in hand, with those joined to it */
    size_t words, word_capacity;
    bool has_type, has_start, states_fixed, letters_fixed;
    bool bits; /* letters of edges are numbers of formulas while the file is read */
    f2l_bit_formulas formulas;
    index_list starts, finals;
    f2l_names epsilon; /* as the file says */
} mata;

/* Reads a word in quotation marks, from behind the first one; returns the place behind the last
 * one, or NULL when there is none or a backslash is in between. */
static const char *read_quoted(f2l_word *out, const char *at, const char *end, const f2l_line *line)
{
    const char *close = memchr(at, '"', (size_t)(end - at));
    if (!close || memchr(at, '\\', (size_t)(close - at))) return NULL;
    *out = (f2l_word){at, (size_t)(close - at), (size_t)(at - line->text) + 1};
    return close + 1;
}

/* Appends the words of the line; *joined is whether it ends in a backslash. */
static f2l_status split_mata_line(mata *m, bool *joined, f2l_error *err)
{
    const char *at = m->line.text, *end = at + m->line.size;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    *joined = end > at && end[-1] == '\\';
    if (*joined) end--;
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at == end || *at == '#') return F2L_OK;
        if (!f2l_grow((void **)&m->word, &m->word_capacity, m->words, sizeof *m->word))
            return f2l_fail_memory(err);
        f2l_word *word = &m->word[m->words++];
        const char *from = at;
        if (*at == '"') {
            at = read_quoted(word, at + 1, end, &m->line);
            if (!at)
                return f2l_fail_at(err, m->line.number, (size_t)(from - m->line.text) + 1,
                                   "expected a closing quotation mark, without a backslash before "
                                   "it");
            continue;
        }
        while (at < end && *at != ' ' && *at != '\t' && *at != '#') at++;
        *word = (f2l_word){from, (size_t)(at - from), (size_t)(from - m->line.text) + 1};
    }
}

/* Reads the words of the next line that has some; m->words is 0 at the end of the text. */
static f2l_status next_mata_words(mata *m, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool joined = false;
    m->words = 0;
    while (status == F2L_OK && (m->words == 0 || joined) && f2l_line_next(&m->line))
        status = split_mata_line(m, &joined, err);
    return status;
}

static f2l_status read_type(mata *m, f2l_error *err)
{
    const f2l_word *type = &m->word[0];
    if (m->has_type)
        return f2l_word_fail(&m->line, type, "begins a second automaton: pass one at a time", err);
    m->has_type = true;
    if (m->words == 1 && (f2l_word_is(type, "@NFA-explicit") || f2l_word_is(type, "@NFA")))
        return F2L_OK;
    m->bits = m->words == 1 && f2l_word_is(type, "@NFA-bits");
    if (m->bits) return F2L_OK;
    return f2l_word_fail(&m->line, type,
                         "is not read: intervals and alternation have to be written as "
                         "@NFA-explicit",
                         err);
}

static f2l_status refuse_formula(const mata *m, const f2l_word *word, f2l_error *err)
{
    return f2l_word_fail(&m->line, word, "is part of a formula; expected names of states", err);
}

static bool is_quoted(const f2l_word *word)
{
    return word->column > 1 && word->text[-1] == '"';
}

static f2l_status add_mata_state(mata *m, const f2l_word *word, size_t *state, f2l_error *err)
{
    if (m->states_fixed) {
        *state = f2l_names_find(&m->nfa->states, word->text, word->size);
        return *state != F2L_NO_INDEX
                   ? F2L_OK
                   : f2l_word_fail(&m->line, word, "is no state of %States-enum", err);
    }
    return f2l_nfa_state(m->nfa, word->text, word->size, state, err);
}

static f2l_status list_state(mata *m, index_list *list, const f2l_word *word, f2l_error *err)
{
    size_t state;
    f2l_status status = add_mata_state(m, word, &state, err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&list->item, &list->capacity, list->count, sizeof *list->item))
        return f2l_fail_memory(err);
    list->item[list->count++] = (uint32_t)state;
    return F2L_OK;
}

/* Returns whether the word, without quotation marks, has what libmata takes for a part of a formula
 * of states other than a bar. */
static bool is_formula(const f2l_word *word)
{
    for (size_t i = 0; i < word->size; i++)
        if (strchr("!&()", word->text[i])) return true;
    return f2l_word_is(word, "true") || f2l_word_is(word, "false") || word->text[0] == '\\';
}

/* Adds the states that the key lists; bars may separate them, with blanks or without. */
static f2l_status list_states(mata *m, index_list *list, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 1; i < m->words && status == F2L_OK; i++) {
        const f2l_word *word = &m->word[i];
        if (is_quoted(word)) {
            status = list_state(m, list, word, err);
            continue;
        }
        if (is_formula(word)) return refuse_formula(m, word, err);
        for (size_t from = 0, to; from < word->size && status == F2L_OK; from = to + 1) {
            to = from;
            while (to < word->size && word->text[to] != '|') to++;
            const f2l_word state = {word->text + from, to - from, word->column + from};
            if (to > from) status = list_state(m, list, &state, err);
        }
    }
    return status;
}

static f2l_status list_names(mata *m, f2l_names *out, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 1; i < m->words && status == F2L_OK; i++)
        status = f2l_names_add(out, m->word[i].text, m->word[i].size, &index, err);
    return status;
}

static f2l_status enumerate(mata *m, f2l_names *out, bool *fixed, f2l_error *err)
{
    if (m->nfa->edges > 0 || out->count > 0)
        return f2l_word_fail(&m->line, &m->word[0], "comes behind names that it should list", err);
    *fixed = true;
    return list_names(m, out, err);
}

static f2l_status read_key(mata *m, f2l_error *err)
{
    const f2l_word *key = &m->word[0];
    if (f2l_word_is(key, "%Initial")) {
        m->has_start = true;
        return list_states(m, &m->starts, err);
    }
    if (f2l_word_is(key, "%Final")) return list_states(m, &m->finals, err);
    if (f2l_word_is(key, "%States-enum"))
        return enumerate(m, &m->nfa->states, &m->states_fixed, err);
    if (m->bits && (f2l_word_is(key, "%Alphabet-enum") || f2l_word_is(key, "%Alphabet") ||
                    f2l_word_is(key, "%Epsilon")))
        return f2l_word_fail(&m->line, key, "is not read with formulas over bits", err);
    if (f2l_word_is(key, "%Alphabet-enum") || f2l_word_is(key, "%Alphabet"))
        return enumerate(m, &m->nfa->letters, &m->letters_fixed, err);
    if (f2l_word_is(key, "%Epsilon") && m->nfa->edges == 0) return list_names(m, &m->epsilon, err);
    if (f2l_word_is(key, "%Alphabet-auto") || f2l_word_is(key, "%States-auto") ||
        f2l_word_is(key, "%Alphabet-marked") || f2l_word_is(key, "%States-marked"))
        return F2L_OK;
    return f2l_word_fail(&m->line, key,
                         "is not read here; expected %Initial, %Final, %Alphabet-auto, "
                         "%Alphabet-enum, %States-auto, %States-enum, or %Epsilon before the "
                         "transitions",
                         err);
}

/* Sets *letter to the letter of the word, or to F2L_EPSILON. */
static f2l_status read_mata_letter(mata *m, const f2l_word *word, size_t *letter, f2l_error *err)
{
    static const char *const none[] = {NULL};
    const bool by_file = !(m->as && m->as->names_epsilon) &&
                         f2l_names_find(&m->epsilon, word->text, word->size) != F2L_NO_INDEX;
    *letter = F2L_EPSILON;
    if (by_file || f2l_read_as_epsilon(m->as, word->text, word->size, none)) return F2L_OK;
    if (!is_quoted(word) && word->size > 1 &&
        (word->text[0] == '[' || word->text[0] == '(' || word->text[0] == '!'))
        return f2l_word_fail(&m->line, word,
                             "is an interval or a formula; expected a letter, in quotation marks "
                             "where it is one",
                             err);
    if (m->letters_fixed) {
        *letter = f2l_names_find(&m->nfa->letters, word->text, word->size);
        return *letter != F2L_NO_INDEX
                   ? F2L_OK
                   : f2l_word_fail(&m->line, word, "is no letter of %Alphabet-enum", err);
    }
    f2l_note_epsilon_name(m->nfa, m->as, word->text, word->size, m->line.number, word->column);
    return f2l_nfa_letter(m->nfa, word->text, word->size, letter, err);
}

static f2l_status read_mata_edge(mata *m, f2l_error *err)
{
    size_t from, to, letter;
    if (m->bits ? m->words < 3 : m->words != 3)
        return f2l_fail_at(err, m->line.number, 1, "expected a transition, STATE %s STATE",
                           m->bits ? "FORMULA" : "LETTER");
    f2l_status status = add_mata_state(m, &m->word[0], &from, err);
    if (status == F2L_OK) status = add_mata_state(m, &m->word[m->words - 1], &to, err);
    if (status == F2L_OK)
        status = m->bits ? f2l_bit_formula(&m->formulas, &letter, &m->line, &m->word[1],
                                           m->words - 2, err)
                         : read_mata_letter(m, &m->word[1], &letter, err);
    return status == F2L_OK ? f2l_nfa_add_edge(m->nfa, from, letter, to, err) : status;
}

static f2l_status read_mata(mata *m, f2l_error *err)
{
    f2l_status status = next_mata_words(m, err);
    while (status == F2L_OK && m->words > 0) {
        const char first = is_quoted(&m->word[0]) ? '\0' : m->word[0].text[0];
        if (first == '@')
            status = read_type(m, err);
        else if (!m->has_type)
            status = f2l_word_fail(&m->line, &m->word[0], "comes before @NFA-explicit", err);
        else
            status = first == '%' ? read_key(m, err) : read_mata_edge(m, err);
        if (status == F2L_OK) status = next_mata_words(m, err);
    }
    if (status == F2L_OK && !m->has_start)
        status = f2l_fail(err, F2L_EFORMAT, "no start state; expected a line %%Initial STATE ..");
    if (status == F2L_OK && m->bits) status = f2l_bit_letters(m->nfa, &m->formulas, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(m->nfa, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < m->starts.count; i++) m->nfa->is_start[m->starts.item[i]] = 1;
    for (size_t i = 0; i < m->finals.count; i++) m->nfa->accept[m->finals.item[i]] = 1;
    m->nfa->has_accept = m->nfa->partial = true;
    f2l_import_source(m->nfa, "mata");
    return F2L_OK;
}

f2l_status f2l_import_mata(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    mata m = {.nfa = out, .as = options ? options->as : NULL, .line = f2l_line_start(bytes, size)};
    f2l_names_init(&m.epsilon);
    f2l_bit_formulas_init(&m.formulas);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(m.as, 1u << F2L_LABELS_LETTERS, true, ".mata files", err);
    if (status == F2L_OK) status = read_mata(&m, err);
    f2l_names_clear(&m.epsilon);
    f2l_bit_formulas_clear(&m.formulas);
    f2l_free(m.word);
    f2l_free(m.starts.item);
    f2l_free(m.finals.item);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
