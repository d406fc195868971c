/* Orbits of sets of points, as further actions in which representations are sought. A group that
 * acts on few things often acts on the states through pairs or triples of them; a thing is then a
 * set of states: a state is a pair of points, and a point is the set of the pairs that have it.
 *
 * The sets are unions of classes of the coarsest equitable partition in which two points are
 * alone in their classes (T3.5). Any set would do: its orbit is an action, and the colouring
 * decides what it is worth. */
#include "automata/fsa/rowset.h"
#include "automata/gset/impl.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MOST_POINTS 2048 /* of an action whose sets are tried: their colours take 16 MiB */
#define MOST_COLOURS 16
#define MOST_CLASSES 20
#define MOST_PICKED 4 /* classes of a union */
#define MOST_FOUND 6  /* orbits that are kept of an action */

/* The search through the sets of one action. */
typedef struct set_search {
    f2l_gset_action on; /* borrowed */
    const f2l_gset_letters *all;
    f2l_gset_work *work;
    size_t most; /* orbits must have fewer sets */
    size_t words;
    uint32_t *colour; /* [points][points] orbits of pairs */
    uint64_t *signature;
    uint32_t *class_of; /* [points] */
    size_t classes;
    uint32_t *set;   /* [words] bits */
    uint32_t *moved; /* [words] */
    uint32_t *image; /* [letters][most] of the orbit at hand */
    f2l_rowset met;  /* sets that were tried */
    f2l_rowset orbit;
    f2l_gset_action found[MOST_FOUND];
    size_t count;
} set_search;

static void set_search_clear(set_search *s)
{
    f2l_free(s->colour);
    f2l_free(s->signature);
    f2l_free(s->class_of);
    f2l_free(s->set);
    f2l_free(s->moved);
    f2l_free(s->image);
    f2l_rowset_clear(&s->met);
    f2l_rowset_clear(&s->orbit);
    for (size_t i = 0; i < s->count; i++) f2l_gset_action_clear(&s->found[i]);
}

/* Allocates everything and colours the pairs. *few: there are few enough colours to go on. */
static f2l_status set_search_init(set_search *s, bool *few, f2l_error *err)
{
    const size_t n = s->on.points;
    size_t colours = 0;
    f2l_rowset_init(&s->met);
    f2l_rowset_init(&s->orbit);
    s->words = (n + 31) / 32;
    s->colour = f2l_calloc(n * n, sizeof *s->colour);
    s->signature = f2l_calloc(n, sizeof *s->signature);
    s->class_of = f2l_calloc(n, sizeof *s->class_of);
    s->set = f2l_calloc(s->words, sizeof *s->set);
    s->moved = f2l_calloc(s->words, sizeof *s->moved);
    s->image = f2l_calloc(s->on.letters * s->most, sizeof *s->image);
    if (!s->colour || !s->signature || !s->class_of || !s->set || !s->moved || !s->image)
        return f2l_fail_memory(err);
    *few = f2l_gset_colours(s->colour, &s->on, 0, &s->on, s->all, false, s->work);
    for (size_t p = 0; *few && p < n; p++) colours += s->colour[p] == p; /* the least of a colour */
    *few = *few && colours <= MOST_COLOURS;
    return s->work->status;
}

/* Numbers the classes of points with equal signatures by their first points; returns false when
 * they are too many. */
static bool number_signatures(set_search *s)
{
    uint64_t signature[MOST_CLASSES];
    s->classes = 0;
    for (size_t p = 0; p < s->on.points; p++) {
        size_t k = 0;
        while (k < s->classes && signature[k] != s->signature[p]) k++;
        if (k == MOST_CLASSES) return false;
        if (k == s->classes) signature[s->classes++] = s->signature[p];
        s->class_of[p] = (uint32_t)k;
    }
    return true;
}

/* Refines the classes until points of a class have equal numbers of neighbours of each colour in
 * each class; returns false when they become too many, or the work ran out. */
static bool refine_signatures(set_search *s, size_t x, size_t y)
{
    const size_t n = s->on.points;
    size_t before = 0;
    for (size_t p = 0; p < n; p++)
        s->signature[p] =
            f2l_hash_spread((uint64_t)s->colour[x * n + p] * n + s->colour[y * n + p]);
    while (number_signatures(s) && s->classes > before) {
        before = s->classes;
        if (!f2l_gset_work_spend(s->work, n * n)) return false;
        for (size_t p = 0; p < n; p++) {
            uint64_t sum = s->class_of[p];
            for (size_t q = 0; q < n; q++)
                sum += f2l_hash_spread(((uint64_t)s->colour[p * n + q] << 32) + s->class_of[q] + 1);
            s->signature[p] = f2l_hash_spread(sum);
        }
    }
    return s->classes == before;
}

/* Sets s->moved to the image of the set under the letter. */
static void move_set(set_search *s, const uint32_t *set, size_t letter)
{
    const uint32_t *image = s->on.image + letter * s->on.points;
    memset(s->moved, 0, s->words * sizeof *s->moved);
    for (size_t w = 0; w < s->words; w++)
        for (uint32_t bits = set[w]; bits != 0; bits &= bits - 1) {
            const uint32_t to = image[w * 32 + (size_t)__builtin_ctz(bits)];
            s->moved[to / 32] |= UINT32_C(1) << to % 32;
        }
}

/* Lists the orbit of s->set, which has `size` points; *closed: it has fewer than s->most sets, and
 * s->image the action on them. */
static f2l_status list_orbit(set_search *s, size_t size, bool *closed, f2l_error *err)
{
    size_t to;
    *closed = false;
    f2l_rowset_clear(&s->orbit);
    f2l_status status = f2l_rowset_add(&s->orbit, s->set, s->words, &to, err);
    for (size_t i = 0; status == F2L_OK && i < s->orbit.count; i++) {
        if (!f2l_gset_work_spend(s->work, s->on.letters * (size + s->words)))
            return s->work->status;
        for (size_t a = 0; a < s->on.letters && status == F2L_OK; a++) {
            move_set(s, f2l_rowset_get(&s->orbit, i, NULL), a);
            status = f2l_rowset_add(&s->orbit, s->moved, s->words, &to, err);
            if (s->orbit.count >= s->most) return status;
            s->image[a * s->most + i] = (uint32_t)to;
        }
    }
    *closed = status == F2L_OK;
    return status;
}

/* Keeps the orbit at hand unless it acts as one that is kept, or there are enough smaller ones. */
static f2l_status keep_orbit(set_search *s, f2l_error *err)
{
    const size_t points = s->orbit.count;
    f2l_gset_action new;
    size_t largest = 0;
    f2l_status status = f2l_gset_action_init(&new, s->on.letters, points, err);
    if (status != F2L_OK) return status;
    for (size_t a = 0; a < new.letters; a++)
        memcpy(new.image + a *points, s->image + a * s->most, points * sizeof *new.image);
    bool wanted = points > 1;
    for (size_t i = 0; i < s->count; i++) {
        const f2l_gset_action *old = &s->found[i];
        if (old->points == points &&
            memcmp(old->image, new.image, new.letters *points * sizeof *new.image) == 0)
            wanted = false;
        if (old->points > s->found[largest].points) largest = i;
    }
    if (wanted && s->count < MOST_FOUND) {
        s->found[s->count++] = new;
        return F2L_OK;
    }
    if (wanted && s->found[largest].points > points) {
        const f2l_gset_action old = s->found[largest];
        s->found[largest] = new;
        new = old;
    }
    f2l_gset_action_clear(&new);
    return F2L_OK;
}

/* Tries the union of the classes in `picked`, bits. */
static f2l_status try_union(set_search *s, uint32_t picked, f2l_error *err)
{
    const size_t n = s->on.points, tried = s->met.count;
    size_t size = 0, number;
    bool closed;
    memset(s->set, 0, s->words * sizeof *s->set);
    for (size_t p = 0; p < n; p++) {
        if (!(picked >> s->class_of[p] & 1)) continue;
        s->set[p / 32] |= UINT32_C(1) << p % 32;
        size++;
    }
    if (size < 2 || size > n / 2) return F2L_OK; /* the complement has the same orbit */
    f2l_status status = f2l_rowset_add(&s->met, s->set, s->words, &number, err);
    if (status != F2L_OK || number < tried) return status;
    status = list_orbit(s, size, &closed, err);
    return status == F2L_OK && closed ? keep_orbit(s, err) : status;
}

/* Tries the unions for the classes that x and y fix. */
static f2l_status try_fixed_pair(set_search *s, size_t x, size_t y, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (!refine_signatures(s, x, y)) return s->work->status;
    for (uint32_t picked = 1; picked < UINT32_C(1) << s->classes && status == F2L_OK; picked++) {
        if (__builtin_popcount(picked) > MOST_PICKED) continue;
        if (!f2l_gset_work_spend(s->work, s->on.points)) return s->work->status;
        status = try_union(s, picked, err);
    }
    return status;
}

static f2l_status try_pairs(set_search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t y = 0; status == F2L_OK && !s->work->stopped && y < s->on.points; y++)
        if (s->colour[y] == y) status = try_fixed_pair(s, 0, y, err);
    return status;
}

/* Moves the orbits that were found to the bases. */
static f2l_status add_bases(f2l_gset_bases *bases, set_search *s, f2l_error *err)
{
    f2l_gset_action *base = f2l_realloc(bases->base, bases->bases + s->count, sizeof *bases->base);
    if (!base) return f2l_fail_memory(err);
    bases->base = base;
    for (size_t i = 0; i < s->count; i++) base[bases->bases++] = s->found[i];
    s->count = 0;
    return F2L_OK;
}

static f2l_status search_sets(f2l_gset_bases *bases, size_t b, size_t most, f2l_gset_work *work,
                              f2l_error *err)
{
    bool few = false;
    set_search s = {.on = bases->base[b], .all = &bases->all, .work = work};
    s.most = s.on.points < most ? s.on.points : most;
    if (s.on.points > MOST_POINTS || s.most < 3 ||
        !f2l_gset_work_spend(work, s.on.points * s.on.points))
        return work->status;
    f2l_status status = set_search_init(&s, &few, err);
    if (status == F2L_OK && few) status = try_pairs(&s, err);
    if (status == F2L_OK && s.count > 0) status = add_bases(bases, &s, err);
    set_search_clear(&s);
    return status;
}

f2l_status f2l_gset_bases_add_sets(f2l_gset_bases *bases, size_t most, f2l_gset_work *work,
                                   f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t b = 0; b < bases->bases && b < F2L_GSET_BASES && status == F2L_OK && !work->stopped;
         b++)
        status = search_sets(bases, b, most, work, err);
    return status == F2L_OK ? work->status : status;
}
