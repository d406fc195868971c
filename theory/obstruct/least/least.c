#include "theory/obstruct/least/least.h"
#include "automata/fsa/futures.h"
#include "numeric/base/mem.h"
#include <string.h>

#define STEPS ((uint64_t)2000000) /* for the words of one length, if longer than a letter */
#define LONGEST ((size_t)12)
#define STEPS_PER_STATE 8 /* of a map: following a letter, peeling, walking the cycles */

void f2l_least_init(f2l_least *least)
{
    memset(least, 0, sizeof *least);
}

void f2l_least_clear(f2l_least *least)
{
    for (size_t i = 0; i < F2L_LEAST_KINDS; i++) f2l_free(least->word[i].letter);
    f2l_least_init(least);
}

/* Returns the least rank that the period alone forces: eigenvalues other than 1 (LD.1). */
static size_t rank_of_period(size_t period)
{
    return period > 2 ? 2 : period - 1;
}

/* Returns the bound that a word of the length proves (LD.2, LD.3). */
static size_t bound_of_word(f2l_least_kind kind, size_t index, size_t period, size_t length)
{
    const size_t turn = rank_of_period(period), sum = index + turn,
                 most = index > turn ? index : turn;
    if (kind == F2L_LEAST_DIMENSION) return sum;
    return ((kind == F2L_LEAST_ONE ? sum : most) + length - 1) / length;
}

/* The action of one word; the index 1 is not of a hidden state. */
typedef struct action {
    size_t state, index, on_cycle, period;
} action;

typedef struct search {
    const f2l_fsa *fsa;
    f2l_least *out;
    size_t states, letters;
    uint32_t *map;    /* [LONGEST + 1][states] images under the prefixes of the word */
    uint32_t *degree; /* [states] of a map: arrows that end here; 0 once the state is removed */
    uint32_t *depth;  /* [states] steps to the cycle */
    uint32_t *order;  /* [states] states off the cycles, a state before its image */
    f2l_futures futures;
    uint8_t *entered; /* [letters][states] whether the letter leads to the state */
    uint8_t *turns;   /* [classes of futures] whether some state is on a cycle */
    uint32_t word[LONGEST];
    f2l_meter meter;
    f2l_error *err;
} search;

/* Lists the states off the cycles of the map in s->order, and returns their number. The states on
 * cycles keep the degree 1. */
static size_t peel_to_cycles(search *s, const uint32_t *map)
{
    size_t listed = 0;
    memset(s->degree, 0, s->states * sizeof *s->degree);
    for (size_t q = 0; q < s->states; q++) s->degree[map[q]]++;
    for (uint32_t q = 0; q < s->states; q++)
        if (s->degree[q] == 0) s->order[listed++] = q;
    for (size_t i = 0; i < listed; i++) {
        const uint32_t to = map[s->order[i]];
        if (--s->degree[to] == 0) s->order[listed++] = to;
    }
    return listed;
}

/* Returns whether the state, which the word leads to a cycle, is hidden (LD.0): it has the future
 * of a state on the cycle, and the word's last letter leads to the one of them only. */
static bool is_hidden(const search *s, uint32_t q, uint32_t last)
{
    return s->turns[s->futures.class_of[q]] && !s->entered[last * s->states + q];
}

/* Measures a word with the map and the last letter. */
static action measure_word(search *s, const uint32_t *map, uint32_t last)
{
    action a = {.period = 1};
    size_t left = peel_to_cycles(s, map);
    memset(s->depth, 0, s->states * sizeof *s->depth);
    memset(s->turns, 0, s->states);
    for (size_t q = 0; q < s->states; q++)
        if (s->degree[q] > 0) s->turns[s->futures.class_of[q]] = 1;
    while (left-- > 0) {
        const uint32_t q = s->order[left];
        s->depth[q] = s->depth[map[q]] + 1;
        if (s->depth[q] <= a.index || (s->depth[q] == 1 && is_hidden(s, q, last))) continue;
        a.index = s->depth[q];
        a.state = q;
    }
    for (size_t q = 0; q < s->states; q++) {
        size_t period = 0;
        for (uint32_t at = (uint32_t)q; s->degree[at] > 0; at = map[at], period++)
            s->degree[at] = 0;
        if (period > a.period || (period == 1 && a.period == 1)) a.period = period, a.on_cycle = q;
    }
    return a;
}

static f2l_status keep_bounding_word(search *s, const action *a, size_t length)
{
    for (size_t i = 0; i < F2L_LEAST_KINDS; i++) {
        f2l_least_word *best = &s->out->word[i];
        const size_t bound = bound_of_word((f2l_least_kind)i, a->index, a->period, length);
        if (bound <= best->bound) continue;
        uint32_t *letter = f2l_realloc(best->letter, length, sizeof *letter);
        if (!letter) return f2l_fail_memory(s->err);
        memcpy(letter, s->word, length * sizeof *letter);
        *best = (f2l_least_word){.bound = bound,
                                 .letter = letter,
                                 .length = length,
                                 .state = a->state,
                                 .index = a->index,
                                 .on_cycle = a->on_cycle,
                                 .period = a->period};
    }
    return F2L_OK;
}

/* Sets the map of the prefix with depth + 1 letters. */
static void follow_prefix(search *s, size_t depth)
{
    const uint32_t *from = s->map + depth * s->states;
    uint32_t *to = s->map + (depth + 1) * s->states;
    for (size_t q = 0; q < s->states; q++)
        to[q] = s->fsa->next[from[q] * s->letters + s->word[depth]];
}

/* Tries all words of the length. */
static f2l_status try_words(search *s, size_t length)
{
    f2l_status status = F2L_OK;
    memset(s->word, 0, sizeof s->word);
    for (size_t depth = 0; status == F2L_OK;) {
        while (depth < length) follow_prefix(s, depth++);
        const action a = measure_word(s, s->map + length * s->states, s->word[length - 1]);
        status = keep_bounding_word(s, &a, length);
        if (status == F2L_OK)
            status = f2l_meter_spend(&s->meter, STEPS_PER_STATE * s->states, 0, 0, s->err);
        while (depth > 0 && ++s->word[depth - 1] == s->letters) s->word[--depth] = 0;
        if (depth == 0) break;
        depth--;
    }
    return status;
}

static f2l_status search_words_by_length(search *s)
{
    uint64_t steps = STEPS_PER_STATE * s->states;
    f2l_status status = F2L_OK;
    for (size_t length = 1; status == F2L_OK && length <= LONGEST; length++) {
        steps = f2l_steps_of(steps, s->letters);
        if (length > 1 && steps > STEPS) break;
        status = try_words(s, length);
        if (status == F2L_OK) s->out->longest = length;
    }
    return status;
}

static f2l_status allocate_least_search(search *s, f2l_label label, f2l_error *err)
{
    const size_t n = s->states, k = s->letters;
    s->map = f2l_calloc(LONGEST + 1, n * sizeof *s->map);
    s->degree = f2l_calloc(n, sizeof *s->degree);
    s->depth = f2l_calloc(n, sizeof *s->depth);
    s->order = f2l_calloc(n, sizeof *s->order);
    s->turns = f2l_calloc(n, 1);
    s->entered = f2l_calloc(n, k);
    if (!s->map || !s->degree || !s->depth || !s->order || !s->turns || !s->entered)
        return f2l_fail_memory(err);
    for (uint32_t q = 0; q < n; q++) s->map[q] = q;
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < k; a++) s->entered[a * n + s->fsa->next[q * k + a]] = 1;
    return f2l_futures_find(&s->futures, s->fsa, label, err);
}

f2l_status f2l_least_build(f2l_least *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err)
{
    search s = {.fsa = fsa,
                .out = out,
                .states = fsa->states.count,
                .letters = fsa->letters.count,
                .err = err};
    f2l_task polled = task ? *task : (f2l_task){0};
    polled.effort = NULL; /* little work, which leaves the effort to the searches */
    s.meter = (f2l_meter){.task = &polled, .phase = "least factors"};
    f2l_least_init(out);
    f2l_status status = allocate_least_search(&s, label, err);
    if (status == F2L_OK && s.letters > 0) status = search_words_by_length(&s);
    f2l_free(s.map);
    f2l_free(s.degree);
    f2l_free(s.depth);
    f2l_free(s.order);
    f2l_free(s.turns);
    f2l_free(s.entered);
    f2l_futures_clear(&s.futures);
    if (status != F2L_OK) f2l_least_clear(out);
    return status;
}

static size_t state_after_least_word(const f2l_fsa *fsa, size_t state, const f2l_least_word *word)
{
    for (size_t i = 0; i < word->length; i++)
        state = fsa->next[state * fsa->letters.count + word->letter[i]];
    return state;
}

/* Returns the number of words w after which the state is met again; 0 if it is not on a cycle. */
static size_t period_of(const f2l_fsa *fsa, size_t state, const f2l_least_word *word)
{
    size_t at = state_after_least_word(fsa, state, word), period = 1;
    for (; at != state && period <= fsa->states.count; period++)
        at = state_after_least_word(fsa, at, word);
    return at == state ? period : 0;
}

/* Returns whether the letters lead p and q to the same states, and, with labels of transitions,
 * with the same outputs. */
static bool have_equal_futures(const f2l_fsa *fsa, f2l_label label, size_t p, size_t q)
{
    const size_t k = fsa->letters.count;
    return p == q || (label != F2L_LABEL_EDGES &&
                      memcmp(fsa->next + p * k, fsa->next + q * k, k * sizeof *fsa->next) == 0);
}

/* Returns whether a state with the index 1 is hidden, by the definition LD.0. */
static bool hides(const f2l_fsa *fsa, f2l_label label, const f2l_least_word *word)
{
    const size_t k = fsa->letters.count, first = state_after_least_word(fsa, word->state, word);
    size_t turn = first;
    for (size_t r = 0; r < fsa->states.count; r++)
        if (fsa->next[r * k + word->letter[word->length - 1]] == word->state) return false;
    while (state_after_least_word(fsa, turn, word) != first)
        turn = state_after_least_word(fsa, turn, word);
    return have_equal_futures(fsa, label, word->state, turn);
}

bool f2l_least_holds(const f2l_fsa *fsa, f2l_label label, f2l_least_kind kind,
                     const f2l_least_word *word)
{
    if (word->length == 0) return word->bound == 0;
    for (size_t i = 0; i < word->length; i++)
        if (word->letter[i] >= fsa->letters.count) return false;
    if (word->state >= fsa->states.count || word->on_cycle >= fsa->states.count) return false;
    if (word->period == 0 || period_of(fsa, word->on_cycle, word) != word->period) return false;
    size_t at = word->state, before = at;
    if (word->index > fsa->states.count) return false;
    for (size_t i = 0; i < word->index; i++)
        before = at, at = state_after_least_word(fsa, at, word);
    if (word->index > 0 && period_of(fsa, before, word) > 0) return false;
    if (word->index > 0 && period_of(fsa, at, word) == 0) return false;
    if (word->index == 1 && hides(fsa, label, word)) return false;
    return word->bound <= bound_of_word(kind, word->index, word->period, word->length);
}
