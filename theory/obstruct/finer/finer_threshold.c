/* Locally threshold testable automata, by the equation of FC.14 of theory/pages/finer.md in a list
 * of the maps that words make. */
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/map_search.h"
#include "theory/obstruct/finer/impl.h"
#include <string.h>

#define MOST_MAPS ((size_t)4096)
#define MOST_STEPS ((size_t)40000000)

/* The maps that words make, and one idempotent of each class of those that are alike. */
typedef struct threshold {
    const finer_search *s;
    f2l_map_search maps; /* map 0 is the identity */
    size_t n;            /* states */
    uint32_t identity;   /* a letter that keeps every state; the number of letters: none */
    uint32_t *image;     /* [maps.count][n] */
    size_t kept;
    size_t *idempotent; /* [kept] a map */
    size_t *rank;       /* [kept] how many states it fixes */
    uint32_t *fixed;    /* [kept][n] these states */
    uint32_t *place;    /* [kept][n] the place of a state among them */
    size_t steps;       /* that are left */
} threshold;

/* What the maps do on the states that one idempotent fixes, followed by another idempotent: the
 * places of the images, rows that differ. */
typedef struct arrows {
    size_t size, count, capacity;
    uint32_t *row; /* [count][size] */
    size_t *map;   /* [count] a map that does it */
    size_t maps_room;
    f2l_index index;
} arrows;

static void clear_arrows(arrows *a)
{
    f2l_free(a->row);
    f2l_free(a->map);
    f2l_index_clear(&a->index);
    *a = (arrows){0};
}

static uint64_t hash_arrow(const arrows *a, const uint32_t *row)
{
    return f2l_hash_bytes(F2L_HASH, (const unsigned char *)row, a->size * sizeof *row);
}

static uint64_t hash_of_arrow(const void *list, size_t at)
{
    const arrows *a = list;
    return hash_arrow(a, a->row + at * a->size);
}

static bool is_arrow(const void *list, size_t at, const void *row)
{
    const arrows *a = list;
    return memcmp(a->row + at * a->size, row, a->size * sizeof *a->row) == 0;
}

/* Takes steps; returns false where none are left. */
static bool spend(threshold *t, size_t steps)
{
    t->steps -= steps < t->steps ? steps : t->steps;
    return t->steps > 0;
}

/* Sets the row to what map m does between two idempotents. */
static void set_arrow(uint32_t *row, const threshold *t, size_t from, size_t to, size_t m)
{
    const uint32_t *map = t->image + m * t->n, *end = t->image + t->idempotent[to] * t->n;
    for (size_t i = 0; i < t->rank[from]; i++)
        row[i] = t->place[to * t->n + end[map[t->fixed[from * t->n + i]]]];
}

static f2l_status list_arrows(arrows *out, threshold *t, size_t from, size_t to, f2l_error *err)
{
    const size_t size = t->rank[from];
    *out = (arrows){.size = size};
    for (size_t m = 0; m < t->maps.count && spend(t, size); m++) {
        if (!f2l_grow((void **)&out->row, &out->capacity, out->count, size * sizeof *out->row) ||
            !f2l_grow((void **)&out->map, &out->maps_room, out->count, sizeof *out->map) ||
            !f2l_index_grow(&out->index, hash_of_arrow, out))
            return f2l_fail_memory(err);
        uint32_t *row = out->row + out->count * size;
        set_arrow(row, t, from, to, m);
        const uint64_t key = hash_arrow(out, row);
        if (f2l_index_find(&out->index, key, is_arrow, out, row) != F2L_NO_INDEX) continue;
        f2l_index_add(&out->index, key);
        out->map[out->count++] = m;
    }
    return F2L_OK;
}

/* --- the maps and their idempotents --- */

static f2l_status meet_map(void *user, const f2l_map_search *s, f2l_error *err)
{
    (void)user;
    (void)s;
    (void)err;
    return F2L_OK;
}

static bool never_enough(const void *user, size_t length)
{
    (void)user;
    (void)length;
    return false;
}

static f2l_status list_maps(threshold *t, f2l_error *err)
{
    const f2l_fsa *part = &t->s->part;
    const f2l_map_test test = {NULL, meet_map, never_enough};
    f2l_status status = f2l_map_search_init(&t->maps, part, NULL, 0, MOST_MAPS, err);
    if (status == F2L_OK) status = f2l_map_search_run(&t->maps, &test, t->s->meter.task, err);
    if (status != F2L_OK) return status;
    const size_t count = t->maps.count, n = t->n, k = part->letters.count;
    t->image = f2l_calloc(count * n, sizeof *t->image);
    t->idempotent = f2l_calloc(count, sizeof *t->idempotent);
    t->rank = f2l_calloc(count, sizeof *t->rank);
    if (!t->image || !t->idempotent || !t->rank) return f2l_fail_memory(err);
    for (size_t q = 0; q < n; q++) t->image[q] = (uint32_t)q;
    for (size_t m = 1; m < count; m++)
        for (size_t q = 0; q < n; q++)
            t->image[m * n + q] =
                part->next[t->image[t->maps.parent[m] * n + q] * k + t->maps.last[m]];
    for (t->identity = 0; t->identity < k; t->identity++) {
        size_t q = 0;
        while (q < n && part->next[q * k + t->identity] == q) q++;
        if (q == n) break;
    }
    return F2L_OK;
}

static bool is_idempotent(const uint32_t *map, size_t n)
{
    for (size_t q = 0; q < n; q++)
        if (map[map[q]] != map[q]) return false;
    return true;
}

/* Adds the map as a kept idempotent, which the caller may take back. */
static f2l_status keep_idempotent(threshold *t, size_t m, f2l_error *err)
{
    const size_t n = t->n, at = t->kept;
    uint32_t *fixed = f2l_realloc(t->fixed, (at + 1) * n, sizeof *fixed);
    if (fixed) t->fixed = fixed;
    uint32_t *place = f2l_realloc(t->place, (at + 1) * n, sizeof *place);
    if (place) t->place = place;
    if (!fixed || !place) return f2l_fail_memory(err);
    t->idempotent[at] = m;
    t->rank[at] = 0;
    for (size_t q = 0; q < n; q++) {
        place[at * n + q] = (uint32_t)t->rank[at];
        if (t->image[m * n + q] == q) fixed[at * n + t->rank[at]++] = (uint32_t)q;
    }
    t->kept++;
    return F2L_OK;
}

/* Returns whether some map takes the states that one idempotent fixes onto the states of the other.
 */
static bool leads_onto(threshold *t, size_t from, size_t to, uint32_t *row, uint8_t *met)
{
    const size_t rank = t->rank[from];
    for (size_t m = 0; m < t->maps.count && spend(t, 2 * rank); m++) {
        size_t i = 0;
        set_arrow(row, t, from, to, m);
        memset(met, 0, rank);
        while (i < rank && !met[row[i]]) met[row[i++]] = 1;
        if (i == rank) return true;
    }
    return false;
}

/* Keeps one idempotent of each class: two are alike when maps lead from each onto the other. */
static f2l_status find_idempotents(threshold *t, f2l_error *err)
{
    uint32_t *row = f2l_calloc(t->n, sizeof *row);
    uint8_t *met = f2l_calloc(t->n, 1);
    f2l_status status = row && met ? F2L_OK : f2l_fail_memory(err);
    const size_t first = t->identity < t->s->part.letters.count ? 0 : 1;
    for (size_t m = first; m < t->maps.count && status == F2L_OK && spend(t, t->n); m++) {
        if (!is_idempotent(t->image + m * t->n, t->n)) continue;
        const size_t at = t->kept;
        bool alike = false;
        status = keep_idempotent(t, m, err);
        for (size_t i = 0; i < at && status == F2L_OK && !alike; i++)
            alike = t->rank[i] == t->rank[at] && leads_onto(t, at, i, row, met) &&
                    leads_onto(t, i, at, row, met);
        if (alike) t->kept = at;
    }
    f2l_free(row);
    f2l_free(met);
    return status;
}

/* --- the equation --- */

/* Maps x and z from idempotent e to f, and y back, with e x f y e z f != e z f y e x f: it differs
 * at a state. */
typedef struct unequal {
    bool found;
    size_t e, f, x, y, z, state;
} unequal;

/* Tries one way back with all pairs of ways there. */
static void try_back(unequal *out, threshold *t, const arrows *there, const uint32_t *y)
{
    const size_t size = there->size;
    for (size_t a = 0; a < there->count && !out->found; a++) {
        if (!spend(t, a * size + 1)) return;
        const uint32_t *x = there->row + a * size;
        for (size_t b = 0; b < a && !out->found; b++) {
            const uint32_t *z = there->row + b * size;
            for (size_t i = 0; i < size && !out->found; i++) {
                out->found = z[y[x[i]]] != x[y[z[i]]];
                out->state = i;
            }
            out->x = there->map[a];
            out->z = there->map[b];
        }
    }
}

static f2l_status try_idempotents(unequal *out, threshold *t, size_t e, size_t f, f2l_error *err)
{
    arrows there = {0}, back = {0};
    f2l_meter meter = t->s->meter;
    f2l_status status = f2l_meter_spend(&meter, 1, 0, 0, err);
    if (status == F2L_OK) status = list_arrows(&there, t, e, f, err);
    if (status == F2L_OK) status = list_arrows(&back, t, f, e, err);
    for (size_t i = 0; i < back.count && status == F2L_OK && !out->found; i++) {
        try_back(out, t, &there, back.row + i * back.size);
        out->y = back.map[i];
    }
    if (out->found) {
        out->e = e;
        out->f = f;
        out->state = t->fixed[e * t->n + out->state];
    }
    clear_arrows(&there);
    clear_arrows(&back);
    return status;
}

/* Appends the word of a map, empty for the identity, over the letters of the whole automaton. */
static f2l_status append_map(f2l_word *out, const threshold *t, size_t map, f2l_error *err)
{
    size_t length = f2l_map_search_length(&t->maps, map);
    if (length == 0) return F2L_OK;
    out->letter = f2l_calloc(length, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    out->length = length;
    for (size_t m = map; m; m = t->maps.parent[m])
        out->letter[--length] = t->s->letter[t->maps.last[m]];
    return F2L_OK;
}

static f2l_status append_idempotent(f2l_word *out, const threshold *t, size_t kept, f2l_error *err)
{
    if (t->idempotent[kept]) return append_map(out, t, t->idempotent[kept], err);
    return f2l_finer_append(out, &(f2l_word){.letter = &t->s->letter[t->identity], .length = 1},
                            err);
}

static f2l_status show(f2l_finer_witness *w, const threshold *t, const unequal *found,
                       f2l_error *err)
{
    const finer_search *s = t->s;
    w->first = "u w^n x v^n y w^n z v^n";
    w->second = "u w^n z v^n y w^n x v^n";
    f2l_status status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, found->state, err);
    if (status == F2L_OK) status = append_idempotent(&w->word[F2L_FINER_W], t, found->e, err);
    if (status == F2L_OK) status = append_idempotent(&w->word[F2L_FINER_V], t, found->f, err);
    if (status == F2L_OK) status = append_map(&w->word[F2L_FINER_X], t, found->x, err);
    if (status == F2L_OK) status = append_map(&w->word[F2L_FINER_Y], t, found->y, err);
    if (status == F2L_OK) status = append_map(&w->word[F2L_FINER_Z], t, found->z, err);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

static void clear_threshold(threshold *t)
{
    f2l_map_search_clear(&t->maps);
    f2l_free(t->image);
    f2l_free(t->idempotent);
    f2l_free(t->rank);
    f2l_free(t->fixed);
    f2l_free(t->place);
}

f2l_status f2l_finer_threshold(f2l_finer_row *row, const finer_search *s, f2l_error *err)
{
    threshold t = {.s = s, .n = s->part.states.count, .steps = MOST_STEPS};
    unequal found = {0};
    f2l_status status = list_maps(&t, err);
    if (status == F2L_OK) status = find_idempotents(&t, err);
    for (size_t i = 0; i < t.kept * t.kept && status == F2L_OK && !found.found && t.steps; i++)
        status = try_idempotents(&found, &t, i / t.kept, i % t.kept, err);
    if (status == F2L_OK && found.found) {
        row->member = F2L_TERNARY_NO;
        status = show(&row->witness, &t, &found, err);
    } else if (status == F2L_OK && !t.maps.full && t.steps) {
        row->member = F2L_TERNARY_YES;
    } else if (status == F2L_OK) {
        status = f2l_fail(err, F2L_UNKNOWN, "%s for locally threshold testable",
                          t.maps.full ? "words make more maps than are listed"
                                      : "the limit of steps is reached");
    }
    clear_threshold(&t);
    return status;
}
