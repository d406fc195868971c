/* Finding the words: while two inputs have the same words of the set as subwords but different
 * labels, a word that tells them apart is added. */
#include "automata/fsa/rowset.h"
#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "theory/construct/subwords/impl.h"
#include <string.h>

/* What words lead to, breadth-first: a content and a state of the automaton. */
typedef struct walk {
    f2l_rowset met; /* content, as two numbers, and state */
    f2l_rowset content;
    uint32_t *row;  /* [content.count] the first row with this content */
    uint32_t *from; /* [met.count] the row before, and the letter: 2 numbers */
    size_t row_room, from_room;
    bool conflict; /* rows `one` and `two` have equal contents but different labels */
    size_t one, two;
} walk;

typedef struct finder {
    const f2l_fsa *fsa;
    f2l_subwords *out;
    f2l_meter meter;
    walk walk;
    uint64_t *ending; /* [letters] the words of the set with this last letter */
} finder;

static void clear_walk(walk *w)
{
    f2l_rowset_clear(&w->met);
    f2l_rowset_clear(&w->content);
    f2l_free(w->row);
    f2l_free(w->from);
    *w = (walk){0};
    f2l_rowset_init(&w->met);
    f2l_rowset_init(&w->content);
}

void f2l_subwords_clear(f2l_subwords *subwords)
{
    f2l_free(subwords->held);
    f2l_free(subwords->label);
    f2l_free(subwords->label_of);
    *subwords = (f2l_subwords){0};
}

static bool holds_word(uint64_t held, uint32_t word)
{
    return word == F2L_SUBWORDS_NONE || (held >> word & 1);
}

/* Sets f->ending. */
static void list_endings(finder *f)
{
    const f2l_subwords *s = f->out;
    memset(f->ending, 0, f->fsa->letters.count * sizeof *f->ending);
    for (size_t w = 0; w < s->words; w++) f->ending[s->word[w].letter] |= (uint64_t)1 << w;
}

/* Returns the content after a letter, with which the words `ending` end. */
static uint64_t read_letter(const f2l_subwords *s, uint64_t held, uint64_t ending)
{
    uint64_t after = held;
    for (uint64_t rest = ending & ~held; rest; rest &= rest - 1) {
        const size_t w = (size_t)__builtin_ctzll(rest);
        if (holds_word(held, s->word[w].parent)) after |= (uint64_t)1 << w;
    }
    return after;
}

/* --- what inputs lead to --- */

/* Adds a row. *full: it is new, and there are too many contents. */
static f2l_status add_met(bool *full, finder *f, uint64_t held, uint32_t state, size_t from,
                          uint32_t letter, f2l_error *err)
{
    walk *w = &f->walk;
    const uint32_t row[] = {(uint32_t)held, (uint32_t)(held >> 32), state};
    const size_t rows = w->met.count, contents = w->content.count;
    size_t at, content;
    f2l_status status = f2l_rowset_add(&w->met, row, 3, &at, err);
    if (status != F2L_OK || at < rows) return status;
    if (!f2l_grow((void **)&w->from, &w->from_room, rows, 2 * sizeof *w->from))
        return f2l_fail_memory(err);
    w->from[2 * at] = (uint32_t)from;
    w->from[2 * at + 1] = letter;
    status = f2l_rowset_add(&w->content, row, 2, &content, err);
    if (status != F2L_OK) return status;
    *full = *full || w->content.count > F2L_SUBWORDS_CONTENTS;
    if (content == contents) {
        if (!f2l_grow((void **)&w->row, &w->row_room, contents, sizeof *w->row))
            return f2l_fail_memory(err);
        w->row[content] = (uint32_t)at;
        return F2L_OK;
    }
    const uint32_t first = f2l_rowset_get(&w->met, w->row[content], NULL)[2];
    if (w->conflict || f->out->label_of[first] == f->out->label_of[state]) return F2L_OK;
    w->conflict = true;
    w->one = w->row[content];
    w->two = at;
    return F2L_OK;
}

/* Walks until two inputs contradict the set of words, or no input does. */
static f2l_status walk_inputs(finder *f, f2l_error *err)
{
    const size_t k = f->fsa->letters.count;
    walk *w = &f->walk;
    bool full = false;
    clear_walk(w);
    list_endings(f);
    f2l_status status = add_met(&full, f, 0, (uint32_t)f->fsa->start, 0, 0, err);
    for (size_t at = 0; status == F2L_OK && at < w->met.count && !w->conflict; at++) {
        const uint32_t *row = f2l_rowset_get(&w->met, at, NULL);
        const uint64_t held = row[0] | (uint64_t)row[1] << 32;
        const uint32_t state = row[2], *next = &f->fsa->next[state * k];
        status = f2l_meter_spend(&f->meter, k * (40 + 2 * f->out->words), (double)at,
                                 (double)w->met.count, err);
        for (uint32_t a = 0; status == F2L_OK && a < k; a++) {
            const uint64_t after = read_letter(f->out, held, f->ending[a]);
            if (after != held || next[a] != state)
                status = add_met(&full, f, after, next[a], at, a, err);
        }
        if (status == F2L_OK && full)
            return f2l_fail(err, F2L_EDOMAIN, "subwords have more than %d contents",
                            F2L_SUBWORDS_CONTENTS);
    }
    return status;
}

/* --- words that tell two inputs apart --- */

typedef struct input {
    uint32_t *letter;
    size_t length;
} input;

/* Sets *out to the word that leads to the row. */
static f2l_status spell_row(input *out, const walk *w, size_t row, f2l_error *err)
{
    size_t length = 0;
    for (size_t at = row; at > 0; at = w->from[2 * at]) length++;
    out->letter = f2l_calloc(length + 1, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    out->length = length;
    for (size_t at = row; at > 0; at = w->from[2 * at]) out->letter[--length] = w->from[2 * at + 1];
    return F2L_OK;
}

/* Returns the label after the word without its letter number `left_out`. */
static uint32_t label_after(const finder *f, const input *word, size_t left_out)
{
    size_t state = f->fsa->start;
    for (size_t i = 0; i < word->length; i++)
        if (i != left_out) state = f->fsa->next[state * f->fsa->letters.count + word->letter[i]];
    return f->out->label_of[state];
}

static void leave_letter_out(input *word, size_t i)
{
    word->length--;
    memmove(word->letter + i, word->letter + i + 1, (word->length - i) * sizeof *word->letter);
}

/* Leaves letters out while the label stays. */
static void shorten_input(const finder *f, input *word)
{
    const uint32_t label = label_after(f, word, word->length);
    for (size_t before = word->length + 1; word->length < before;) {
        before = word->length;
        for (size_t i = 0; i < word->length;)
            if (label_after(f, word, i) == label)
                leave_letter_out(word, i);
            else
                i++;
    }
}

static bool is_subword(const input *word, const input *of)
{
    size_t at = 0;
    for (size_t i = 0; i < of->length && at < word->length; i++)
        at += of->letter[i] == word->letter[at];
    return at == word->length;
}

/* Leaves letters out while the word is no subword of the other one. */
static void shorten_apart(input *word, const input *other)
{
    for (size_t i = 0; i < word->length;) {
        const uint32_t letter = word->letter[i];
        leave_letter_out(word, i);
        if (!is_subword(word, other)) continue;
        memmove(word->letter + i + 1, word->letter + i, (word->length - i) * sizeof *word->letter);
        word->letter[i++] = letter;
        word->length++;
    }
}

/* Adds a word and its prefixes. */
static f2l_status add_subword(f2l_subwords *s, const input *word, f2l_error *err)
{
    uint32_t parent = F2L_SUBWORDS_NONE;
    for (uint32_t i = 0; i < word->length; i++) {
        uint32_t at = 0;
        while (at < s->words &&
               (s->word[at].parent != parent || s->word[at].letter != word->letter[i]))
            at++;
        if (at == s->words) {
            if (s->words == F2L_SUBWORDS_MOST)
                return f2l_fail(err, F2L_EDOMAIN, "more than %d subwords decide",
                                F2L_SUBWORDS_MOST);
            s->word[s->words++] =
                (f2l_subword){.parent = parent, .letter = word->letter[i], .length = i + 1};
        }
        parent = at;
    }
    return F2L_OK;
}

/* Returns a word that is a subword of one input and not of the other; NULL: there is none. */
static const input *choose_word(input whole[2], const input less[2])
{
    if (!is_subword(&less[1], &whole[0])) return &less[1];
    if (!is_subword(&less[0], &whole[1])) return &less[0];
    const size_t longer = whole[1].length >= whole[0].length;
    if (is_subword(&whole[longer], &whole[1 - longer])) return NULL;
    shorten_apart(&whole[longer], &whole[1 - longer]);
    return &whole[longer];
}

/* Adds a word that is a subword of one of the two inputs: one that no letter can be taken from
 * without another label, as far as there is one. */
static f2l_status tell_apart(finder *f, f2l_error *err)
{
    input whole[2] = {{0}}, less[2] = {{0}};
    const size_t row[] = {f->walk.one, f->walk.two};
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < 2; i++) {
        status = spell_row(&whole[i], &f->walk, row[i], err);
        if (status == F2L_OK) status = spell_row(&less[i], &f->walk, row[i], err);
        if (status == F2L_OK) shorten_input(f, &less[i]);
    }
    const input *found = status == F2L_OK ? choose_word(whole, less) : NULL;
    if (status == F2L_OK)
        status = found ? add_subword(f->out, found, err)
                       : f2l_fail(err, F2L_EDOMAIN, "no subwords decide the label");
    for (size_t i = 0; i < 2; i++) {
        f2l_free(whole[i].letter);
        f2l_free(less[i].letter);
    }
    return status;
}

/* --- fewer words --- */

/* Takes word w out, which no other word has as its parent. */
static void drop_subword(f2l_subwords *s, size_t w)
{
    s->words--;
    memmove(&s->word[w], &s->word[w + 1], (s->words - w) * sizeof *s->word);
    for (size_t i = 0; i < s->words; i++)
        if (s->word[i].parent != F2L_SUBWORDS_NONE && s->word[i].parent > w) s->word[i].parent--;
}

/* Puts shorter words first; words of equal length keep their order, so that parents stay first. */
static void sort_subwords(f2l_subwords *s)
{
    f2l_subword old[F2L_SUBWORDS_MOST];
    uint32_t place[F2L_SUBWORDS_MOST];
    memcpy(old, s->word, sizeof old);
    uint32_t count = 0;
    for (uint32_t length = 1; count < s->words; length++)
        for (size_t w = 0; w < s->words; w++)
            if (old[w].length == length) {
                place[w] = count;
                s->word[count++] = old[w];
            }
    for (size_t w = 0; w < s->words; w++) {
        f2l_subword *own = &s->word[w];
        if (own->parent == F2L_SUBWORDS_NONE) continue;
        own->parent = place[own->parent];
        s->word[own->parent].read = true;
        if (s->word[own->parent].letter == own->letter) s->word[own->parent].twice = true;
    }
}

static bool has_longer(const f2l_subwords *s, size_t w)
{
    for (size_t i = 0; i < s->words; i++)
        if (s->word[i].parent == w) return true;
    return false;
}

/* Leaves out the words that the others can do without. */
static f2l_status drop_subwords(finder *f, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t w = f->out->words; status == F2L_OK && w-- > 0;) {
        if (has_longer(f->out, w)) continue;
        const f2l_subwords all = *f->out;
        drop_subword(f->out, w);
        status = walk_inputs(f, err);
        if (f->walk.conflict) {
            f->out->words = all.words;
            memcpy(f->out->word, all.word, sizeof all.word);
        }
    }
    return status;
}

/* --- all --- */

static f2l_status number_labels(f2l_subwords *out, const f2l_fsa *fsa, f2l_label label,
                                f2l_error *err)
{
    f2l_names names;
    f2l_names_init(&names);
    out->label_of = f2l_calloc(fsa->states.count, sizeof *out->label_of);
    f2l_status status = out->label_of ? F2L_OK : f2l_fail_memory(err);
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&names, text, strlen(text), &index, err);
        out->label_of[q] = (uint32_t)index;
    }
    f2l_names_clear(&names);
    return status;
}

/* Fails unless no input leads back to a state that it has left. */
static f2l_status check_no_return(finder *f, f2l_error *err)
{
    f2l_scc scc;
    const f2l_fsa *fsa = f->fsa;
    const f2l_graph graph = f2l_graph_of_table(fsa->next, fsa->states.count, fsa->letters.count);
    f2l_status status = f2l_scc_build(&scc, &graph, &f->meter, err);
    if (status != F2L_OK) return status;
    if (scc.count < fsa->states.count)
        status = f2l_fail(err, F2L_EDOMAIN, "a word leads back to a state that it has left");
    f2l_scc_clear(&scc);
    return status;
}

static f2l_status keep_contents(finder *f, f2l_error *err)
{
    f2l_subwords *out = f->out;
    const walk *w = &f->walk;
    out->contents = w->content.count;
    out->held = f2l_calloc(out->contents, sizeof *out->held);
    out->label = f2l_calloc(out->contents, sizeof *out->label);
    if (!out->held || !out->label) return f2l_fail_memory(err);
    for (size_t i = 0; i < out->contents; i++) {
        const uint32_t *row = f2l_rowset_get(&w->met, w->row[i], NULL);
        out->held[i] = row[0] | (uint64_t)row[1] << 32;
        out->label[i] = out->label_of[row[2]];
    }
    return F2L_OK;
}

static f2l_status find_subwords(finder *f, f2l_error *err)
{
    f2l_status status = check_no_return(f, err);
    if (status == F2L_OK) status = walk_inputs(f, err);
    while (status == F2L_OK && f->walk.conflict) {
        status = tell_apart(f, err);
        if (status == F2L_OK) status = walk_inputs(f, err);
    }
    if (status == F2L_OK && f->out->words == 0)
        return f2l_fail(err, F2L_EDOMAIN, "all states have one label");
    if (status == F2L_OK) status = drop_subwords(f, err);
    if (status != F2L_OK) return status;
    sort_subwords(f->out);
    status = walk_inputs(f, err);
    return status == F2L_OK ? keep_contents(f, err) : status;
}

f2l_status f2l_subwords_find(f2l_subwords *out, const f2l_fsa *fsa, f2l_label label,
                             const f2l_task *task, f2l_error *err)
{
    finder f = {.fsa = fsa, .out = out, .meter = {.task = task, .phase = "subwords"}};
    f2l_subwords_clear(out);
    f2l_rowset_init(&f.walk.met);
    f2l_rowset_init(&f.walk.content);
    f2l_status status = number_labels(out, fsa, label, err);
    f.ending = f2l_calloc(fsa->letters.count, sizeof *f.ending);
    if (status == F2L_OK && !f.ending) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = find_subwords(&f, err);
    f2l_free(f.ending);
    clear_walk(&f.walk);
    return status;
}
