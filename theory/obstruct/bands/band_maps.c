/* Idempotents from a list of the maps that words make: shorter words first, so that a pattern of
 * short words is soon found in a large semigroup, too. */
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/bands/impl.h"
#include "theory/obstruct/classify/map_search.h"
#include <stdio.h>
#include <string.h>

#define PHASE "idempotents"
#define BYTES ((size_t)64 << 20) /* of the maps */
#define MOST_LETTERS 100000      /* of a power of a word */
#define MOST_TUPLES 200000       /* of a search for a shorter word */

/* Marks of states without a power. */
#define NOT_MET UINT32_MAX
#define ON_PATH (UINT32_MAX - 1)

typedef struct lister {
    f2l_band *out;
    const f2l_fsa *fsa;
    f2l_rowset idempotent; /* rows [n] */
    uint32_t *map_of;      /* [idempotents] number of a map of which it is a power */
    size_t capacity;
    uint32_t *power;       /* [n] the idempotent power of a map */
    uint32_t *path, *back; /* [n] scratch; back: the state before, on a cycle */
    size_t e, f;           /* the idempotents of the pattern, if found */
    f2l_meter meter;
} lister;

/* Sets the powers of the first states of l->path, `met` of them, of which the last one leads to
 * state `to`, on the path or with a known power. */
static void set_powers_of_path(lister *l, const uint32_t *image, size_t met, uint32_t to)
{
    size_t cycle = met; /* the place in the path where a new cycle begins */
    if (l->power[to] == ON_PATH)
        while (l->path[--cycle] != to) {
        }
    for (size_t i = cycle; i < met; i++) {
        l->power[l->path[i]] = l->path[i];
        l->back[image[l->path[i]]] = l->path[i];
    }
    /* One step back on the way to the cycle is one step back on the cycle. */
    for (size_t i = cycle; i-- > 0;) l->power[l->path[i]] = l->back[l->power[image[l->path[i]]]];
}

/* Sets l->power to the idempotent power of the map. */
static void set_idempotent_power(lister *l, const uint32_t *image)
{
    const size_t n = l->fsa->states.count;
    for (size_t x = 0; x < n; x++) l->power[x] = NOT_MET;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t at = x;
        size_t met = 0;
        for (; l->power[at] == NOT_MET; at = image[at]) {
            l->power[at] = ON_PATH;
            l->path[met++] = at;
        }
        set_powers_of_path(l, image, met, at);
    }
}

/* Returns whether s efe != s fe for some s, which is set. */
static bool find_violation(size_t *s, const uint32_t *e, const uint32_t *f, size_t n)
{
    for (size_t x = 0; x < n; x++)
        if (e[f[e[x]]] != e[f[x]]) {
            *s = x;
            return true;
        }
    return false;
}

static void set_pattern_states(f2l_band *out, size_t s, const uint32_t *e, const uint32_t *f)
{
    const size_t state[F2L_BAND_STATES] = {s, e[s], f[e[s]], e[f[e[s]]], f[s], e[f[s]]};
    memcpy(out->state, state, sizeof state);
    out->found = true;
}

/* Compares the last idempotent with those before it. */
static f2l_status compare_last_idempotent(lister *l, f2l_error *err)
{
    const size_t n = l->fsa->states.count, last = l->idempotent.count - 1;
    const uint32_t *e = f2l_rowset_get(&l->idempotent, last, NULL);
    size_t s;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < last && status == F2L_OK; i++) {
        const uint32_t *f = f2l_rowset_get(&l->idempotent, i, NULL);
        status = f2l_meter_spend(&l->meter, 2 + n / 4, 0, 0, err);
        if (status != F2L_OK) break;
        const bool first = find_violation(&s, e, f, n);
        if (!first && !find_violation(&s, f, e, n)) continue;
        l->e = first ? last : i;
        l->f = first ? i : last;
        set_pattern_states(l->out, s, first ? e : f, first ? f : e);
        break;
    }
    return status;
}

static f2l_status meet_map(void *user, const f2l_map_search *maps, f2l_error *err)
{
    lister *l = user;
    size_t number = 0;
    const size_t before = l->idempotent.count, n = l->fsa->states.count;
    if (l->out->found || maps->count < 2) return F2L_OK; /* map 0: the empty word */
    set_idempotent_power(l, maps->image);
    f2l_status status = f2l_meter_spend(&l->meter, 2 * n, (double)maps->count, 0, err);
    if (status == F2L_OK) status = f2l_rowset_add(&l->idempotent, l->power, n, &number, err);
    if (status != F2L_OK || number < before) return status;
    if (!f2l_grow((void **)&l->map_of, &l->capacity, number, sizeof *l->map_of))
        return f2l_fail_memory(err);
    l->map_of[number] = (uint32_t)maps->count - 1;
    return compare_last_idempotent(l, err);
}

static bool has_pattern(const void *user, size_t length)
{
    (void)length;
    return ((const lister *)user)->out->found;
}

/* --- the words --- */

/* Repeats the word of a map until it leads the tuple `from` to `to`; false, without a word, where
 * that takes too many letters. */
static f2l_status repeat_word(f2l_word *out, bool *done, const lister *l,
                              const f2l_map_search *maps, size_t map, const uint32_t *from,
                              const uint32_t *to, size_t size, f2l_error *err)
{
    const size_t length = f2l_map_search_length(maps, map); /* 1 or more: map 0 is no element */
    uint32_t at[F2L_BAND_STATES];
    size_t times = 0;
    f2l_word once = {.letter = f2l_calloc(length, sizeof *once.letter), .length = length};
    if (!once.letter) return f2l_fail_memory(err);
    for (size_t i = length, m = map; i-- > 0; m = maps->parent[m]) once.letter[i] = maps->last[m];
    memcpy(at, from, size * sizeof *at);
    do {
        for (size_t i = 0; i < size; i++) at[i] = (uint32_t)f2l_word_lead(l->fsa, at[i], &once);
        times++;
    } while (memcmp(at, to, size * sizeof *at) != 0 && times * length <= MOST_LETTERS);
    *done = memcmp(at, to, size * sizeof *at) == 0;
    if (*done) out->letter = f2l_calloc(times, length * sizeof *out->letter);
    if (out->letter) {
        out->length = times * length;
        for (size_t i = 0; i < times; i++)
            memcpy(out->letter + i * length, once.letter, length * sizeof *once.letter);
    }
    f2l_word_clear(&once);
    return *done && !out->letter ? f2l_fail_memory(err) : F2L_OK;
}

/* Sets *out to a shortest word from one tuple to the other, or where that takes too long to a power
 * of the map's word. */
static f2l_status find_pattern_word(f2l_word *out, bool *done, const lister *l,
                                    const f2l_map_search *maps, size_t map, const uint32_t *from,
                                    const uint32_t *to, size_t size, const f2l_task *task,
                                    f2l_error *err)
{
    f2l_tuples way = {
        .fsa = l->fsa, .size = size, .most = MOST_TUPLES, .ends = f2l_tuples_at_target};
    memcpy(way.target, to, size * sizeof *to);
    f2l_error left = {0};
    const f2l_status status = f2l_tuples_find(out, done, &way, from, task, &left);
    if (status == F2L_OK && *done) return F2L_OK;
    return status == F2L_OK || status == F2L_UNKNOWN
               ? repeat_word(out, done, l, maps, map, from, to, size, err)
               : status;
}

static f2l_status find_pattern_words(lister *l, const f2l_map_search *maps, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_band *out = l->out;
    uint32_t x[F2L_BAND_STATES];
    bool done;
    for (int i = 0; i < F2L_BAND_STATES; i++) x[i] = (uint32_t)out->state[i];
    const uint32_t s = x[F2L_BAND_S], p = x[F2L_BAND_P], r = x[F2L_BAND_R], q = x[F2L_BAND_Q];
    const uint32_t t = x[F2L_BAND_T], other = x[F2L_BAND_OTHER];
    const uint32_t to_u[] = {p, p, t, t, other, other}, from_v[] = {p, r, s, q};
    const uint32_t to_v[] = {r, r, q, q};
    f2l_status status =
        find_pattern_word(&out->u, &done, l, maps, l->map_of[l->e], x, to_u, 6, task, err);
    if (status == F2L_OK && done)
        status =
            find_pattern_word(&out->v, &done, l, maps, l->map_of[l->f], from_v, to_v, 4, task, err);
    if (status == F2L_OK && !done) {
        out->found = false;
        status = f2l_fail(err, F2L_UNKNOWN, "the words of a pattern have more than %d letters",
                          MOST_LETTERS);
    }
    return status;
}

f2l_status f2l_band_list_maps(f2l_band *out, const f2l_fsa *minimal, const f2l_task *task,
                              f2l_error *err)
{
    const size_t n = minimal->states.count;
    lister l = {.out = out, .fsa = minimal, .meter = {.task = task, .phase = PHASE}};
    f2l_map_search maps;
    f2l_rowset_init(&l.idempotent);
    l.power = f2l_calloc(n, sizeof *l.power);
    l.path = f2l_calloc(n, sizeof *l.path);
    l.back = f2l_calloc(n, sizeof *l.back);
    const f2l_map_test test = {&l, meet_map, has_pattern};
    const size_t most = f2l_map_search_room(minimal, n, BYTES, task);
    f2l_status status = f2l_map_search_init(&maps, minimal, NULL, n, most, err);
    if (status == F2L_OK && (!l.power || !l.path || !l.back)) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_map_search_run(&maps, &test, task, err);
    if (status == F2L_OK && out->found) status = find_pattern_words(&l, &maps, task, err);
    if (status == F2L_OK && !out->found && !maps.closed)
        status = f2l_fail(err, F2L_UNKNOWN, "only %zu of the maps that words make were listed",
                          maps.count);
    out->decided = status == F2L_OK;
    f2l_map_search_clear(&maps);
    f2l_rowset_clear(&l.idempotent);
    f2l_free(l.map_of);
    f2l_free(l.power);
    f2l_free(l.path);
    f2l_free(l.back);
    return status;
}
