#include "theory/obstruct/classify/cycle_word.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/map_search.h"
#include <string.h>

#define MAPS ((size_t)1 << 21)
#define BYTES ((size_t)256 << 20)
#define NONE UINT32_MAX

void f2l_cycle_word_init(f2l_cycle_word *word)
{
    memset(word, 0, sizeof *word);
}

void f2l_cycle_word_clear(f2l_cycle_word *word)
{
    f2l_free(word->letter);
    f2l_free(word->state);
    f2l_cycle_word_init(word);
}

f2l_status f2l_cycle_word_copy(f2l_cycle_word *out, const f2l_cycle_word *word, f2l_error *err)
{
    *out = *word;
    out->letter = f2l_calloc(word->length + 1, sizeof *out->letter);
    out->state = f2l_calloc(word->period + 1, sizeof *out->state);
    if (!out->letter || !out->state) {
        f2l_cycle_word_clear(out);
        return f2l_fail_memory(err);
    }
    if (word->length) memcpy(out->letter, word->letter, word->length * sizeof *out->letter);
    if (word->period) memcpy(out->state, word->state, word->period * sizeof *out->state);
    return F2L_OK;
}

void f2l_cycle_words_init(f2l_cycle_words *words)
{
    memset(words, 0, sizeof *words);
}

void f2l_cycle_words_clear(f2l_cycle_words *words)
{
    f2l_cycle_word_clear(&words->any);
    f2l_cycle_word_clear(&words->odd);
    f2l_cycle_words_init(words);
}

bool f2l_cycle_word_holds(const f2l_fsa *fsa, const f2l_cycle_word *word)
{
    const size_t letters = fsa->letters.count;
    bool holds = word->length > 0 && word->period > 1;
    for (size_t i = 0; holds && i < word->period; i++) {
        size_t at = word->state[i];
        for (size_t j = 0; j < word->length; j++) at = fsa->next[at * letters + word->letter[j]];
        holds = at == word->state[(i + 1) % word->period];
        /* If two were equal, following w from them to the end would bring one of them back to the
         * first too early. */
        holds = holds && (i == 0 || word->state[i] != word->state[0]);
    }
    return holds;
}

/* The words found so far, and scratch to find the cycles of a map. */
typedef struct sought {
    f2l_cycle_words *out;
    bool want_odd, whole;
    uint32_t *place;       /* [states] index in the domain, or NONE */
    uint32_t *walk, *step; /* [points] */
} sought;

/* Records the word of the newest map with its cycle through domain point `from`, from its least
 * state. */
static f2l_status record_cycle_word(f2l_cycle_word *out, const sought *c, const f2l_map_search *s,
                                    uint32_t from, size_t period, f2l_error *err)
{
    const size_t index = s->count - 1;
    size_t length = f2l_map_search_length(s, index);
    uint32_t least = from;
    for (uint32_t i = c->place[s->image[from]]; i != from; i = c->place[s->image[i]])
        if (s->domain[i] < s->domain[least]) least = i;
    out->letter = f2l_calloc(length, sizeof *out->letter);
    out->state = f2l_calloc(period, sizeof *out->state);
    if (!out->letter || !out->state) {
        f2l_cycle_word_clear(out);
        return f2l_fail_memory(err);
    }
    out->length = length;
    out->period = period;
    out->shortest = c->whole;
    for (size_t i = index; i; i = s->parent[i]) out->letter[--length] = s->last[i];
    for (size_t i = 0; i < period; i++, least = c->place[s->image[least]])
        out->state[i] = s->domain[least];
    return F2L_OK;
}

/* Searches the map in s->image for cycles. */
static f2l_status inspect(void *user, const f2l_map_search *s, f2l_error *err)
{
    const sought *c = user;
    f2l_status status = F2L_OK;
    memset(c->walk, 0, s->points * sizeof *c->walk);
    for (uint32_t i = 0; status == F2L_OK && i < s->points; i++) {
        uint32_t j = i, count = 0;
        while (j != NONE && !c->walk[j]) {
            c->walk[j] = i + 1;
            c->step[j] = count++;
            j = c->place[s->image[j]];
        }
        if (j == NONE || c->walk[j] != i + 1) continue;
        const size_t period = count - c->step[j];
        if (period > 1 && !c->out->any.length)
            status = record_cycle_word(&c->out->any, c, s, j, period, err);
        if (status == F2L_OK && (period & (period - 1)) && c->want_odd && !c->out->odd.length)
            status = record_cycle_word(&c->out->odd, c, s, j, period, err);
    }
    return status;
}

/* Returns whether the words are found; the first words of each kind are the shortest. */
static bool cycle_words_found(const void *user, size_t length)
{
    const sought *c = user;
    (void)length;
    return c->out->any.length && (!c->want_odd || c->out->odd.length);
}

static f2l_status explore_cycle_maps(sought *c, f2l_map_search *s, const f2l_task *task,
                                     f2l_error *err)
{
    const size_t n = s->fsa->states.count;
    f2l_status status = F2L_OK;
    c->place = f2l_calloc(n, sizeof *c->place);
    c->walk = f2l_calloc(s->points, sizeof *c->walk);
    c->step = f2l_calloc(s->points, sizeof *c->step);
    if (c->place && c->walk && c->step) {
        for (size_t q = 0; q < n; q++) c->place[q] = NONE;
        for (size_t i = 0; i < s->points; i++) c->place[s->domain[i]] = (uint32_t)i;
        status = f2l_map_search_run(s, &(f2l_map_test){c, inspect, cycle_words_found}, task, err);
        c->out->maps = s->count;
        c->out->complete = s->closed && c->whole && !cycle_words_found(c, 0);
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(c->place);
    f2l_free(c->walk);
    f2l_free(c->step);
    return status;
}

static size_t most_cycle_maps(const f2l_fsa *fsa, size_t points, const f2l_cycle_limits *limits,
                              const f2l_task *task)
{
    const size_t maps = limits && limits->maps ? limits->maps : MAPS,
                 bytes = limits && limits->bytes ? limits->bytes : BYTES,
                 room = f2l_map_search_room(fsa, points, bytes, task);
    return maps < room ? maps : room;
}

f2l_status f2l_cycle_words_find(f2l_cycle_words *out, const f2l_fsa *fsa, const uint32_t *domain,
                                size_t points, bool want_odd, const f2l_cycle_limits *limits,
                                const f2l_task *task, f2l_error *err)
{
    sought c = {.out = out, .want_odd = want_odd, .whole = domain == NULL};
    f2l_map_search s;
    f2l_cycle_words_init(out);
    if (c.whole) points = fsa->states.count;
    if (points <= 1) {
        out->complete = c.whole;
        return F2L_OK;
    }
    f2l_status status = f2l_map_search_init(&s, fsa, domain, points,
                                            most_cycle_maps(fsa, points, limits, task), err);
    if (status == F2L_OK) status = explore_cycle_maps(&c, &s, task, err);
    f2l_map_search_clear(&s);
    if (status != F2L_OK) f2l_cycle_words_clear(out);
    return status;
}
