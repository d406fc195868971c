/* A shortest word on which two automata differ: breadth-first through the pairs of states that
 * words lead to. For labels that merge states both automata are minimised first; then automata that
 * agree have as many pairs as states. */
#include "automata/algebra/impl.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_PAIRS 5000000

typedef struct search {
    const f2l_fsa *side[2];
    uint32_t *letter; /* [letters] letter of the second automaton for each of the first */
    f2l_label label;
    f2l_rowset pairs;
    f2l_step *step;
    size_t step_capacity;
} search;

void f2l_difference_init(f2l_difference *difference)
{
    *difference = (f2l_difference){0};
}

void f2l_difference_clear(f2l_difference *difference)
{
    f2l_free(difference->word);
    f2l_difference_init(difference);
}

static f2l_status match_letters(search *s, f2l_error *err)
{
    const f2l_names *a = &s->side[0]->letters;
    s->letter = f2l_calloc(a->count, sizeof *s->letter);
    if (!s->letter) return f2l_fail_memory(err);
    for (size_t i = 0; i < a->count; i++) {
        const char *name = f2l_names_get(a, i);
        s->letter[i] = (uint32_t)f2l_names_find(&s->side[1]->letters, name, strlen(name));
    }
    return F2L_OK;
}

f2l_status f2l_difference_take(f2l_difference *out, const f2l_step *step, size_t at, size_t letter,
                               f2l_error *err)
{
    size_t count = letter != F2L_NO_INDEX;
    for (size_t i = at; i != 0; i = step[i].before) count++;
    out->word = f2l_calloc(count, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(err);
    out->letters = count;
    out->found = true;
    if (letter != F2L_NO_INDEX) out->word[--count] = (uint32_t)letter;
    for (size_t i = at; i != 0; i = step[i].before) out->word[--count] = step[i].letter;
    return F2L_OK;
}

/* Sets the labels of the two sides: of a pair of states, or with a letter of the transitions. */
static bool labels_differ(const char *label[2], const search *s, const uint32_t pair[2],
                          size_t letter)
{
    for (int i = 0; i < 2; i++)
        label[i] = letter == F2L_NO_INDEX ? f2l_fsa_label(s->side[i], s->label, pair[i])
                                          : f2l_fsa_edge_label(s->side[i], s->label, pair[i],
                                                               i == 0 ? letter : s->letter[letter]);
    return strcmp(label[0], label[1]) != 0;
}

/* Adds a pair unless it was met; a new pair whose labels differ ends the search. */
static f2l_status meet_pair(f2l_difference *out, search *s, const uint32_t pair[2], f2l_step how,
                            f2l_error *err)
{
    const size_t known = s->pairs.count;
    size_t index;
    f2l_status status = f2l_rowset_add(&s->pairs, pair, 2, &index, err);
    if (status != F2L_OK || index < known) return status;
    if (!f2l_grow((void **)&s->step, &s->step_capacity, index, sizeof *s->step))
        return f2l_fail_memory(err);
    s->step[index] = how;
    if (s->label == F2L_LABEL_EDGES) return F2L_OK;
    if (labels_differ(out->label, s, pair, F2L_NO_INDEX))
        return f2l_difference_take(out, s->step, index, F2L_NO_INDEX, err);
    return F2L_OK;
}

/* Follows every letter from pair `at`. */
static f2l_status follow_letters_of_pair(f2l_difference *out, search *s, size_t at, f2l_error *err)
{
    const uint32_t *row = f2l_rowset_get(&s->pairs, at, NULL);
    const uint32_t from[2] = {row[0], row[1]};
    const size_t k = s->side[0]->letters.count;
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < k && status == F2L_OK && !out->found; a++) {
        if (s->label == F2L_LABEL_EDGES && labels_differ(out->label, s, from, a))
            return f2l_difference_take(out, s->step, at, a, err);
        const uint32_t to[2] = {s->side[0]->next[from[0] * k + a],
                                s->side[1]->next[from[1] * k + s->letter[a]]};
        status = meet_pair(out, s, to, (f2l_step){at, (uint32_t)a}, err);
    }
    return status;
}

static f2l_status explore_pairs(f2l_difference *out, search *s, const f2l_task *task,
                                f2l_error *err)
{
    static const char phase[] = "comparing";
    const uint32_t start[2] = {(uint32_t)s->side[0]->start, (uint32_t)s->side[1]->start};
    f2l_status status = match_letters(s, err);
    if (status == F2L_OK) status = meet_pair(out, s, start, (f2l_step){0, 0}, err);
    for (size_t at = 0; at < s->pairs.count && status == F2L_OK && !out->found; at++) {
        if (at % 1024 == 0) status = f2l_task_poll(task, phase, (double)at, 0, err);
        if (status == F2L_OK) status = follow_letters_of_pair(out, s, at, err);
        if (status == F2L_OK && !out->found && s->pairs.count > MAX_PAIRS)
            status = f2l_fail(err, F2L_UNKNOWN, "comparing meets more than %d pairs of states",
                              MAX_PAIRS);
    }
    return status;
}

/* Returns the state of an automaton after the word. */
static size_t state_after_word(const f2l_fsa *fsa, const uint32_t *word, size_t letters,
                               const uint32_t *letter)
{
    size_t state = fsa->start;
    for (size_t i = 0; i < letters; i++)
        state = fsa->next[state * fsa->letters.count + (letter ? letter[word[i]] : word[i])];
    return state;
}

/* Lets the labels be the ones of the automata that the caller has, not of their quotients. */
static void borrow_labels(f2l_difference *out, const search *s, const f2l_fsa *a, const f2l_fsa *b)
{
    if (!out->found || s->label == F2L_LABEL_EDGES) return;
    out->label[0] = f2l_fsa_label(a, s->label, state_after_word(a, out->word, out->letters, NULL));
    out->label[1] =
        f2l_fsa_label(b, s->label, state_after_word(b, out->word, out->letters, s->letter));
}

static f2l_status compare_automata(f2l_difference *out, search *s, const f2l_fsa *a,
                                   const f2l_fsa *b, const f2l_task *task, f2l_error *err)
{
    f2l_fsa small[2];
    const f2l_fsa *const given[2] = {a, b};
    f2l_status status = F2L_OK;
    f2l_fsa_init(&small[0]);
    f2l_fsa_init(&small[1]);
    for (int i = 0; i < 2; i++) {
        uint32_t *class_of = NULL;
        s->side[i] = given[i];
        if (s->label != F2L_LABEL_ACCEPT && s->label != F2L_LABEL_OUTPUTS) continue;
        if (status == F2L_OK)
            status = f2l_fsa_minimise(&small[i], &class_of, given[i], s->label, task, err);
        s->side[i] = &small[i];
        f2l_free(class_of);
    }
    if (status == F2L_OK) status = explore_pairs(out, s, task, err);
    borrow_labels(out, s, a, b);
    s->side[0] = s->side[1] = NULL;
    f2l_fsa_clear(&small[0]);
    f2l_fsa_clear(&small[1]);
    return status;
}

f2l_status f2l_algebra_compare(f2l_difference *out, const f2l_fsa *a, const f2l_fsa *b,
                               f2l_label label, const f2l_task *task, f2l_error *err)
{
    search s = {.label = label};
    f2l_rowset_init(&s.pairs);
    f2l_status status = f2l_fsa_has_label(a, label, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(b, label, err);
    if (status == F2L_OK) status = f2l_algebra_same_letters(a, b, err);
    if (status == F2L_OK) status = compare_automata(out, &s, a, b, task, err);
    f2l_rowset_clear(&s.pairs);
    f2l_free(s.step);
    f2l_free(s.letter);
    return status;
}
