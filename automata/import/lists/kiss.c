/* The .kiss2 files of FSM benchmarks (MCNC, SIS, ABC), Mealy machines:
 *
 *     .i INPUTS  .o OUTPUTS  [.p ROWS]  [.s STATES]  [.r RESET]     one on a line
 *     CUBE STATE NEXT BITS
 *     [.e]
 *
 * A cube has one of 0, 1 and - for each input, and a row is about every input that it matches, so
 * cubes are divided into letters that do not overlap. The start is the reset state, else the first
 * row's. What leaves outputs or states open (-, *, ANY) is refused: a network has one answer. */
#include "automata/import/lists/impl.h"
#include "automata/import/lists/lists.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct kiss {
    f2l_nfa *nfa;
    f2l_line line;
    bool has_inputs, has_outputs, has_rows, has_states, has_reset, ended;
    size_t inputs, outputs, rows, states; /* as the header says */
    size_t reset, reset_line;             /* a state, and where it is named */
    f2l_names cubes;                      /* while rows are read, an edge's letter is a cube */
    f2l_cube_letters letters;
} kiss;

static f2l_status read_kiss_number(kiss *k, const f2l_word *word, size_t words, bool *has,
                                   size_t *value, f2l_error *err)
{
    if (*has) return f2l_word_fail(&k->line, word, "is there twice", err);
    *has = true;
    if (words != 2 || !f2l_word_number(value, &word[1]))
        return f2l_word_fail(&k->line, word, "expects one number", err);
    return F2L_OK;
}

static f2l_status add_kiss_state(kiss *k, const f2l_word *word, size_t *state, f2l_error *err)
{
    if (f2l_word_is(word, "*") || f2l_word_is(word, "-") || f2l_word_is(word, "ANY"))
        return f2l_word_fail(&k->line, word,
                             "is any state: write a row for each state that is meant", err);
    return f2l_nfa_state(k->nfa, word->text, word->size, state, err);
}

static f2l_status read_reset(kiss *k, const f2l_word *word, size_t words, f2l_error *err)
{
    if (k->has_reset) return f2l_word_fail(&k->line, word, "is there twice", err);
    if (words != 2) return f2l_word_fail(&k->line, word, "expects the name of one state", err);
    k->has_reset = true;
    k->reset_line = k->line.number;
    return add_kiss_state(k, &word[1], &k->reset, err);
}

/* Reads a line that begins with a dot. */
static f2l_status read_directive(kiss *k, const f2l_word *word, size_t words, f2l_error *err)
{
    if (f2l_word_is(word, ".i"))
        return read_kiss_number(k, word, words, &k->has_inputs, &k->inputs, err);
    if (f2l_word_is(word, ".o"))
        return read_kiss_number(k, word, words, &k->has_outputs, &k->outputs, err);
    if (f2l_word_is(word, ".p"))
        return read_kiss_number(k, word, words, &k->has_rows, &k->rows, err);
    if (f2l_word_is(word, ".s"))
        return read_kiss_number(k, word, words, &k->has_states, &k->states, err);
    if (f2l_word_is(word, ".r")) return read_reset(k, word, words, err);
    /* Names of the inputs and of the outputs. */
    if (f2l_word_is(word, ".ilb") || f2l_word_is(word, ".ob")) return F2L_OK;
    if (f2l_word_is(word, ".start_kiss")) return F2L_OK;
    if (f2l_word_is(word, ".e") || f2l_word_is(word, ".end") || f2l_word_is(word, ".end_kiss")) {
        k->ended = true;
        return F2L_OK;
    }
    return f2l_word_fail(&k->line, word,
                         "is not read; expected .i, .o, .p, .s, .r, .ilb, .ob or .e", err);
}

/* Returns whether the word has `bits` characters, each of which is in `among`. */
static bool is_bits(const f2l_word *word, size_t bits, const char *among)
{
    for (size_t i = 0; i < word->size; i++)
        if (!strchr(among, word->text[i])) return false;
    return word->size == bits;
}

static f2l_status check_row(kiss *k, const f2l_word *word, size_t words, f2l_error *err)
{
    const size_t expected = k->outputs == 0 ? 3 : 4;
    if (!k->has_inputs || !k->has_outputs)
        return f2l_word_fail(&k->line, word, "comes before the lines .i and .o", err);
    if (k->inputs == 0 || k->inputs > F2L_MAX_CUBE)
        return f2l_fail_at(err, k->line.number, 1, "expected .i 1 to .i %d, not .i %zu",
                           F2L_MAX_CUBE, k->inputs);
    if (words != expected)
        return f2l_fail_at(err, k->line.number, 1, "expected %zu columns, INPUTS STATE NEXT%s",
                           expected, expected == 4 ? " OUTPUTS" : "");
    if (!is_bits(&word[0], k->inputs, "01-"))
        return f2l_word_fail(&k->line, &word[0], "is no input of .i characters 0, 1 and -", err);
    if (k->outputs == 0 || is_bits(&word[3], k->outputs, "01")) return F2L_OK;
    return f2l_word_fail(&k->line, &word[3],
                         is_bits(&word[3], k->outputs, "01-")
                             ? "leaves an output open: write 0 or 1 for -"
                             : "is no output of .o characters 0 and 1",
                         err);
}

static f2l_status read_kiss_row(kiss *k, const f2l_word *word, size_t words, f2l_error *err)
{
    size_t cube, from, to, output;
    f2l_status status = check_row(k, word, words, err);
    if (status == F2L_OK) status = f2l_names_add(&k->cubes, word[0].text, word[0].size, &cube, err);
    if (status == F2L_OK) status = add_kiss_state(k, &word[1], &from, err);
    if (status == F2L_OK) status = add_kiss_state(k, &word[2], &to, err);
    if (status == F2L_OK) status = f2l_nfa_add_edge(k->nfa, from, cube, to, err);
    if (status != F2L_OK) return status;
    if (k->nfa->edges == 1 && !k->has_reset) k->reset = from;
    if (k->outputs == 0) return F2L_OK;
    status = f2l_names_add(&k->nfa->edge_outputs, word[3].text, word[3].size, &output, err);
    k->nfa->edge[k->nfa->edges - 1].output = (uint32_t)output;
    return status;
}

/* Returns whether an edge begins or ends at the state. */
static bool is_in_rows(const f2l_nfa *nfa, size_t state)
{
    size_t e = 0;
    while (e < nfa->edges && nfa->edge[e].from != state && nfa->edge[e].to != state) e++;
    return e < nfa->edges;
}

static f2l_status check_kiss_counts(const kiss *k, f2l_error *err)
{
    if (k->nfa->edges == 0)
        return f2l_fail(err, F2L_EFORMAT, "no rows; expected INPUTS STATE NEXT OUTPUTS");
    if (k->has_reset && !is_in_rows(k->nfa, k->reset))
        return f2l_fail_at(err, k->reset_line, 1, "`%.40s` is the reset state, and no row has it",
                           f2l_names_get(&k->nfa->states, k->reset));
    if (k->has_rows && k->rows != k->nfa->edges)
        return f2l_fail(err, F2L_EFORMAT, "there are %zu rows, and .p says %zu", k->nfa->edges,
                        k->rows);
    if (k->has_states && k->states != k->nfa->states.count)
        return f2l_fail(err, F2L_EFORMAT, "there are %zu states, and .s says %zu",
                        k->nfa->states.count, k->states);
    return F2L_OK;
}

/* Returns the line of row `row`, counted from 0, of the same text. */
static size_t line_of_row(const kiss *k, size_t row)
{
    f2l_line line = f2l_line_start(k->line.bytes, k->line.all);
    f2l_word word[1];
    while (f2l_line_next(&line))
        if (f2l_line_words(word, 1, &line, '#') > 0 && word->text[0] != '.' && row-- == 0) break;
    return line.number;
}

/* The edges of each state, as lists, and the edge by which the state in hand takes a letter. */
typedef struct choices {
    uint32_t *last, *before; /* [states], [edges]; UINT32_MAX: none */
    uint32_t *taken;         /* [letters] */
} choices;

/* Returns an edge that contradicts an earlier one by the same letter, which goes to *other;
 * UINT32_MAX when there is none. */
static uint32_t find_contradiction(choices *c, const f2l_nfa *nfa, uint32_t *other)
{
    memset(c->last, 0xFF, nfa->states.count * sizeof *c->last);
    memset(c->taken, 0xFF, nfa->letters.count * sizeof *c->taken);
    for (size_t e = 0; e < nfa->edges; e++) {
        c->before[e] = c->last[nfa->edge[e].from];
        c->last[nfa->edge[e].from] = (uint32_t)e;
    }
    for (size_t s = 0; s < nfa->states.count; s++)
        for (uint32_t e = c->last[s]; e != UINT32_MAX; e = c->before[e]) {
            const f2l_edge *edge = &nfa->edge[e];
            const uint32_t later = c->taken[edge->letter];
            c->taken[edge->letter] = e;
            if (later == UINT32_MAX || nfa->edge[later].from != s) continue;
            if (nfa->edge[later].to == edge->to && nfa->edge[later].output == edge->output)
                continue;
            *other = e;
            return later;
        }
    return UINT32_MAX;
}

/* Returns the row of an edge, of which the text has `cube_of_row` in order. */
static size_t row_of_edge(const kiss *k, const uint32_t *cube_of_row, size_t edge)
{
    size_t row = 0;
    for (size_t at = 0;; row++) {
        at += k->letters.first[cube_of_row[row] + 1] - k->letters.first[cube_of_row[row]];
        if (edge < at) return row;
    }
}

static f2l_status check_choices(kiss *k, const uint32_t *cube_of_row, f2l_error *err)
{
    const f2l_nfa *nfa = k->nfa;
    choices c = {f2l_calloc(nfa->states.count, sizeof *c.last),
                 f2l_calloc(nfa->edges, sizeof *c.before),
                 f2l_calloc(nfa->letters.count, sizeof *c.taken)};
    uint32_t other = 0;
    f2l_status status = c.last && c.before && c.taken ? F2L_OK : f2l_fail_memory(err);
    const uint32_t edge = status == F2L_OK ? find_contradiction(&c, nfa, &other) : UINT32_MAX;
    if (edge != UINT32_MAX)
        status =
            f2l_fail_at(err, line_of_row(k, row_of_edge(k, cube_of_row, edge)), 1,
                        "this row contradicts line %zu: both are about input %s in the same state",
                        line_of_row(k, row_of_edge(k, cube_of_row, other)),
                        f2l_names_get(&nfa->letters, nfa->edge[edge].letter));
    f2l_free(c.last);
    f2l_free(c.before);
    f2l_free(c.taken);
    return status;
}

/* Makes the letters of the cubes, once all rows are there. */
static f2l_status build_from_kiss(kiss *k, f2l_error *err)
{
    f2l_nfa *nfa = k->nfa;
    uint32_t *cube_of_row = f2l_calloc(nfa->edges, sizeof *cube_of_row);
    f2l_status status = cube_of_row ? F2L_OK : f2l_fail_memory(err);
    for (size_t r = 0; r < nfa->edges && cube_of_row; r++) cube_of_row[r] = nfa->edge[r].letter;
    if (status == F2L_OK) status = f2l_cube_letters_find(&k->letters, &k->cubes, k->inputs, err);
    if (status == F2L_OK) status = f2l_names_copy(&nfa->letters, &k->letters.names, err);
    if (status == F2L_OK) status = f2l_divide_edges(nfa, &k->letters, err);
    if (status == F2L_OK) status = check_choices(k, cube_of_row, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) nfa->is_start[k->reset] = 1;
    f2l_free(cube_of_row);
    return status;
}

static f2l_status read_kiss(kiss *k, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_word word[4];
    while (status == F2L_OK && f2l_line_next(&k->line)) {
        const size_t words = f2l_line_words(word, 4, &k->line, '#');
        if (words == 0) continue;
        if (k->ended)
            status = f2l_word_fail(&k->line, word, "is behind the end, .e", err);
        else if (word[0].text[0] == '.')
            status = read_directive(k, word, words, err);
        else
            status = read_kiss_row(k, word, words, err);
    }
    if (status == F2L_OK) status = check_kiss_counts(k, err);
    if (status == F2L_OK) status = build_from_kiss(k, err);
    f2l_import_source(k->nfa, "KISS2");
    return status;
}

f2l_status f2l_import_kiss(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    kiss k = {.nfa = out, .line = f2l_line_start(bytes, size)};
    f2l_names_init(&k.cubes);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(options ? options->as : NULL, 1u << F2L_LABELS_PAIRS, false,
                                   ".kiss2 files", err);
    if (status == F2L_OK) status = read_kiss(&k, err);
    f2l_names_clear(&k.cubes);
    f2l_cube_letters_clear(&k.letters);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
