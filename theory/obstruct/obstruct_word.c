#include "numeric/base/mem.h"
#include "theory/obstruct/classify/map_search.h"
#include "theory/obstruct/obstruct.h"
#include <string.h>

#define MAPS 50000
#define IMAGES ((size_t)1 << 26) /* limit on the images in all maps */

void f2l_witness_init(f2l_witness *w)
{
    *w = (f2l_witness){0};
}

void f2l_witness_clear(f2l_witness *w)
{
    f2l_free(w->letter);
    f2l_witness_init(w);
}

/* Sets label_of[states]: equal numbers for equal labels. */
static f2l_status number_state_labels(uint32_t **out, const f2l_fsa *fsa, f2l_label label,
                                      f2l_error *err)
{
    f2l_names names;
    f2l_status status = F2L_OK;
    f2l_names_init(&names);
    *out = f2l_calloc(fsa->states.count, sizeof **out);
    if (!*out) return f2l_fail_memory(err);
    for (size_t q = 0; q < fsa->states.count && status == F2L_OK; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&names, text, strlen(text), &index, err);
        (*out)[q] = (uint32_t)index;
    }
    f2l_names_clear(&names);
    return status;
}

static size_t next_of(const f2l_fsa *fsa, size_t state, size_t letter)
{
    return fsa->next[state * fsa->letters.count + letter];
}

static size_t state_after_letters(const f2l_fsa *fsa, size_t state, const size_t *letters,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) state = next_of(fsa, state, letters[i]);
    return state;
}

/* Returns the least p that divides n with x[i] = x[i + p] for all i, cyclically. */
static size_t least_period(const uint32_t *x, size_t n)
{
    for (size_t p = 1; p < n; p++) {
        if (n % p != 0) continue;
        size_t i = p;
        while (i < n && x[i] == x[i - p]) i++;
        if (i == n) return p;
    }
    return n;
}

/* Finds the labels along the cycle that starts in `state`, which must be on it. */
static f2l_status find_period(f2l_witness *w, const f2l_fsa *fsa, const uint32_t *label,
                              size_t state, f2l_error *err)
{
    const size_t *word = w->letter + w->prefix;
    size_t count, at = 0;
    uint32_t *along = NULL;
    if (f2l_mul_size(&count, w->words, w->length)) along = f2l_calloc(count, sizeof *along);
    if (!along) return f2l_fail_memory(err);
    for (size_t i = 0; i < w->words; i++)
        for (size_t j = 0; j < w->length; j++) {
            state = next_of(fsa, state, word[j]);
            along[at++] = label[state];
        }
    w->period = least_period(along, count);
    f2l_free(along);
    return F2L_OK;
}

static f2l_status follow_witness(f2l_witness *w, const f2l_fsa *fsa, const uint32_t *label,
                                 f2l_error *err)
{
    const size_t *word = w->letter + w->prefix;
    uint32_t *seen = f2l_calloc(fsa->states.count, sizeof *seen); /* number of words, from 1 on */
    if (!seen) return f2l_fail_memory(err);
    size_t state = state_after_letters(fsa, fsa->start, w->letter, w->prefix);
    uint32_t words = 1;
    for (; seen[state] == 0; words++) {
        seen[state] = words;
        state = state_after_letters(fsa, state, word, w->length);
    }
    w->words = words - seen[state];
    w->from = w->prefix + (uint64_t)(seen[state] - 1) * w->length;
    f2l_free(seen);
    return find_period(w, fsa, label, state, err);
}

f2l_status f2l_witness_set(f2l_witness *out, const f2l_fsa *fsa, f2l_label label,
                           const size_t *letters, size_t prefix, size_t length, f2l_error *err)
{
    uint32_t *labels = NULL;
    f2l_witness w = {.prefix = prefix, .length = length};
    w.letter = f2l_calloc(prefix + length, sizeof *w.letter);
    if (!w.letter) return f2l_fail_memory(err);
    memcpy(w.letter, letters, (prefix + length) * sizeof *letters);
    f2l_status status = number_state_labels(&labels, fsa, label, err);
    if (status == F2L_OK) status = follow_witness(&w, fsa, labels, err);
    f2l_free(labels);
    f2l_witness_clear(out);
    if (status == F2L_OK)
        *out = w;
    else
        f2l_witness_clear(&w);
    return status;
}

/* The states that the start leads to, and the best word so far. */
typedef struct sought {
    f2l_witness *out;
    const f2l_fsa *fsa;
    f2l_label kind;
    uint32_t *label;             /* [states] */
    uint32_t *order, *from, *by; /* [states] reachable states breadth-first; the state from which
                                    each was reached, and the letter */
    size_t reachable;
} sought;

static void sought_clear(sought *c)
{
    f2l_free(c->label);
    f2l_free(c->order);
    f2l_free(c->from);
    f2l_free(c->by);
}

static void reach(sought *c)
{
    const size_t letters = c->fsa->letters.count;
    memset(c->from, 0xff, c->fsa->states.count * sizeof *c->from);
    c->order[c->reachable++] = (uint32_t)c->fsa->start;
    c->from[c->fsa->start] = (uint32_t)c->fsa->start;
    for (size_t i = 0; i < c->reachable; i++)
        for (size_t a = 0; a < letters; a++) {
            const size_t to = next_of(c->fsa, c->order[i], a);
            if (c->from[to] != UINT32_MAX) continue;
            c->from[to] = c->order[i];
            c->by[to] = (uint32_t)a;
            c->order[c->reachable++] = (uint32_t)to;
        }
}

static f2l_status sought_init(sought *c, f2l_error *err)
{
    const size_t states = c->fsa->states.count;
    f2l_status status = number_state_labels(&c->label, c->fsa, c->kind, err);
    if (status != F2L_OK) return status;
    c->order = f2l_calloc(states, sizeof *c->order);
    c->from = f2l_calloc(states, sizeof *c->from);
    c->by = f2l_calloc(states, sizeof *c->by);
    if (!c->order || !c->from || !c->by) return f2l_fail_memory(err);
    reach(c);
    return F2L_OK;
}

/* Returns whether the map has a cycle with two labels to which the state leads. */
static bool map_turns_labels(const uint32_t *map, const sought *c, size_t state)
{
    for (size_t i = 0; i < c->fsa->states.count; i++) state = map[state];
    bool two = false;
    for (size_t q = map[state]; q != state; q = map[q]) two = two || c->label[q] != c->label[state];
    return two;
}

/* Writes the word of the newest map, after the shortest word to the state. */
static f2l_status spell_witness(f2l_witness *out, const sought *c, const f2l_map_search *s,
                                size_t state, f2l_error *err)
{
    const size_t length = f2l_map_search_length(s, s->count - 1);
    size_t prefix = 0;
    for (size_t q = state; q != c->fsa->start; q = c->from[q]) prefix++;
    size_t *letters = f2l_calloc(prefix + length, sizeof *letters);
    if (!letters) return f2l_fail_memory(err);
    size_t at = prefix + length;
    for (size_t m = s->count - 1; m; m = s->parent[m]) letters[--at] = s->last[m];
    for (size_t q = state; at > 0; q = c->from[q]) letters[--at] = c->by[q];
    f2l_status status = f2l_witness_set(out, c->fsa, c->kind, letters, prefix, length, err);
    f2l_free(letters);
    return status;
}

static bool is_power_of_two(uint64_t x)
{
    return (x & (x - 1)) == 0;
}

/* Takes the newest map's word if it is better than the word so far: with an odd factor, or the
 * first. */
static f2l_status consider_map_word(void *user, const f2l_map_search *s, f2l_error *err)
{
    const sought *c = user;
    f2l_witness *out = c->out;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < c->reachable && status == F2L_OK; i++) {
        if (!map_turns_labels(s->image, c, c->order[i])) continue;
        if (out->length > 0 && !is_power_of_two(out->period)) return F2L_OK;
        f2l_witness w;
        f2l_witness_init(&w);
        status = spell_witness(&w, c, s, c->order[i], err);
        if (status != F2L_OK) break;
        if (out->length == 0 || !is_power_of_two(w.period)) {
            f2l_witness_clear(out);
            *out = w;
        } else {
            f2l_witness_clear(&w);
        }
        if (c->reachable > 64) break; /* one state of a large automaton is enough */
    }
    return status;
}

/* Returns whether to stop: other words of the length of the first one may be better, longer ones
 * not. */
static bool witness_found(const void *user, size_t length)
{
    const f2l_witness *out = ((const sought *)user)->out;
    return out->length > 0 && out->length < length;
}

static f2l_status search_witness(sought *c, size_t maps, const f2l_task *task, f2l_error *err)
{
    f2l_map_search s;
    f2l_status status = f2l_map_search_init(&s, c->fsa, NULL, 0, maps + 1, err); /* plus the empty
                                                                                    word's */
    if (status != F2L_OK) return status;
    status =
        f2l_map_search_run(&s, &(f2l_map_test){c, consider_map_word, witness_found}, task, err);
    /* A limit that was reached after a word was found changes nothing. */
    if (status == F2L_OK && s.full && c->out->length == 0)
        status = f2l_fail(err, F2L_UNKNOWN, "%zu maps of the states, and none is a cycle", maps);
    f2l_map_search_clear(&s);
    return status;
}

/* Returns the limit on the maps: large automata get fewer, but always the maps of the letters. */
static size_t most_maps(const f2l_fsa *fsa, size_t maps, const f2l_task *task)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    const size_t room = f2l_map_search_room(fsa, states, SIZE_MAX, task);
    if (maps == 0) maps = MAPS;
    if (maps > IMAGES / states) maps = IMAGES / states > letters ? IMAGES / states : letters + 1;
    return maps < room ? maps : room;
}

f2l_status f2l_witness_find(f2l_witness *out, const f2l_fsa *fsa, f2l_label label, size_t maps,
                            const f2l_task *task, f2l_error *err)
{
    sought c = {.out = out, .fsa = fsa, .kind = label};
    f2l_witness_clear(out);
    f2l_status status = sought_init(&c, err);
    if (status == F2L_OK) status = search_witness(&c, most_maps(fsa, maps, task), task, err);
    sought_clear(&c);
    if (status != F2L_OK) f2l_witness_clear(out);
    return status;
}
