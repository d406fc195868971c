/* The least family of tied sets that FK.6 gives. Single elements are in it without being listed,
 * and of the larger sets only maximal ones are worked with, since all rules are monotone: an
 * element in a larger set need not be worked with alone. The largest set comes next, because it
 * makes many others unnecessary before they are combined with each other. */
#include "numeric/base/mem.h"
#include "theory/obstruct/tied/impl.h"
#include <assert.h>
#include <string.h>

#define PHASE "tied sets"

typedef struct work {
    f2l_ties *ties;
    const f2l_maps *maps;
    size_t most;
    uint64_t *single[2]; /* sets of one element */
    uint64_t *powers;    /* [ties->count][words] idempotent powers of the sets
                            that are done */
    size_t powers_room;
    bool bands;                       /* the band rule in place of the fork rule */
    uint64_t *power[2];               /* of single elements and new sets */
    uint64_t *times, *scratch, *made; /* scratch: 2 sets */
    uint64_t *covered, *joined; /* the elements of all sets, and those that were combined alone */
    f2l_meter meter;
} work;

static bool bits_are_inside(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & ~b[i]) return false;
    return true;
}

/* Returns the set of a parent; single elements go to w->single[which]. */
static const uint64_t *set_of(work *w, uint32_t parent, int which)
{
    if (parent < F2L_SINGLE) return f2l_ties_set(w->ties, parent);
    memset(w->single[which], 0, w->maps->words * sizeof **w->single);
    f2l_bits_add(w->single[which], parent - F2L_SINGLE);
    return w->single[which];
}

/* Adds w->made, unless it is a single element or inside another set. */
static f2l_status keep_made_set(work *w, f2l_tied_rule rule, uint32_t first, uint32_t second,
                                f2l_error *err)
{
    f2l_ties *t = w->ties;
    const size_t words = w->maps->words;
    const size_t size = f2l_bits_count(w->made, words);
    f2l_status status = f2l_meter_spend(&w->meter, 20 + t->count * words, (double)t->count, 0, err);
    if (status != F2L_OK || size < 2) return status;
    for (size_t i = 0; i < t->count; i++)
        if (t->made[i].maximal && bits_are_inside(w->made, f2l_ties_set(t, i), words))
            return F2L_OK;
    if (t->count >= w->most)
        return f2l_fail(err, F2L_UNKNOWN, "there are more than %zu tied sets", w->most);
    for (size_t i = 0; i < t->count; i++)
        if (bits_are_inside(f2l_ties_set(t, i), w->made, words)) t->made[i].maximal = false;
    if (!f2l_grow((void **)&t->made, &t->capacity, t->count, sizeof *t->made) ||
        !f2l_grow((void **)&t->set, &t->set_capacity, t->count, words * sizeof *t->set) ||
        !f2l_grow((void **)&w->powers, &w->powers_room, t->count, words * sizeof *w->powers))
        return f2l_fail_memory(err);
    memcpy(t->set + t->count * words, w->made, words * sizeof *t->set);
    for (size_t i = 0; i < words; i++) w->covered[i] |= w->made[i];
    t->made[t->count++] =
        (f2l_made){.rule = rule, .parent = {first, second}, .size = size, .maximal = true};
    return F2L_OK;
}

static f2l_status multiply_sets(work *w, uint32_t first, uint32_t second, f2l_error *err)
{
    const uint64_t *a = set_of(w, first, 0), *b = set_of(w, second, 1);
    const size_t words = w->maps->words;
    f2l_bits_multiply(w->made, w->maps, a, b);
    f2l_status status =
        f2l_meter_spend(&w->meter, f2l_bits_count(a, words) * f2l_bits_count(b, words), 0, 0, err);
    return status == F2L_OK ? keep_made_set(w, F2L_TIED_PRODUCT, first, second, err) : status;
}

/* Keeps w->made, which has elements of F and of P F, with the number of steps that took. */
static f2l_status keep_union(work *w, f2l_tied_rule rule, uint32_t first, uint32_t second,
                             f2l_error *err)
{
    const size_t size = f2l_bits_count(w->made, w->maps->words);
    f2l_status status = f2l_meter_spend(&w->meter, 20 + 4 * size * size, 0, 0, err);
    return status == F2L_OK ? keep_made_set(w, rule, first, second, err) : status;
}

static void add_times(work *w)
{
    for (size_t i = 0; i < w->maps->words; i++) w->made[i] |= w->times[i];
}

/* Applies the fork rule with P = power, the idempotent power of the second set. */
static f2l_status apply_fork(work *w, uint32_t first, uint32_t second, const uint64_t *power,
                             f2l_error *err)
{
    f2l_bits_multiply(w->times, w->maps, set_of(w, first, 0), power);
    f2l_bits_power(w->made, w->maps, w->times, w->scratch);
    f2l_bits_multiply(w->times, w->maps, power, w->made);
    add_times(w);
    return keep_union(w, F2L_TIED_FORK, first, second, err);
}

/* Applies the band rule to idempotent powers E of the first set and F of the second one. */
static f2l_status apply_band(work *w, uint32_t first, const uint64_t *e, uint32_t second,
                             const uint64_t *f, f2l_error *err)
{
    f2l_bits_multiply(w->made, w->maps, f, e);
    f2l_bits_multiply(w->times, w->maps, e, w->made);
    add_times(w);
    return keep_union(w, F2L_TIED_BAND, first, second, err);
}

static bool is_idempotent(const f2l_maps *m, uint32_t x)
{
    return m->product[x * m->count + x] == x;
}

/* Returns the set {e} of an idempotent, which is its own power; `which` is 0 or 1. */
static const uint64_t *power_of_element(work *w, int which, uint32_t e)
{
    memset(w->power[which], 0, w->maps->words * sizeof **w->power);
    f2l_bits_add(w->power[which], e);
    return w->power[which];
}

/* Applies the fork rule, or the band rule, to the single elements f and e. For forks it is enough
 * to take idempotents with f e = f, as F = (x e)^N is such an f. */
static f2l_status combine_elements(work *w, uint32_t f, uint32_t e, f2l_error *err)
{
    const f2l_maps *m = w->maps;
    const uint32_t fe = m->product[f * m->count + e];
    if (!is_idempotent(m, f) || !is_idempotent(m, e)) return F2L_OK;
    if (w->bands)
        return m->product[e * m->count + fe] == fe
                   ? F2L_OK
                   : apply_band(w, F2L_SINGLE + e, power_of_element(w, 0, e), F2L_SINGLE + f,
                                power_of_element(w, 1, f), err);
    if (fe != f || m->product[e * m->count + f] == f) return F2L_OK;
    return apply_fork(w, F2L_SINGLE + f, F2L_SINGLE + e, power_of_element(w, 0, e), err);
}

/* Applies the fork rule to set `i`, which is done, and the single element x, in both orders. */
static f2l_status fork_with_element(work *w, uint32_t i, uint32_t x, f2l_error *err)
{
    f2l_status status = apply_fork(w, F2L_SINGLE + x, i, w->powers + i * w->maps->words, err);
    if (status == F2L_OK && is_idempotent(w->maps, x))
        status = apply_fork(w, i, F2L_SINGLE + x, power_of_element(w, 0, x), err);
    return status;
}

static f2l_status band_with_element(work *w, uint32_t i, uint32_t x, f2l_error *err)
{
    const uint64_t *power = w->powers + i * w->maps->words;
    if (!is_idempotent(w->maps, x)) return F2L_OK;
    const uint64_t *e = power_of_element(w, 0, x);
    f2l_status status = apply_band(w, F2L_SINGLE + x, e, i, power, err);
    return status == F2L_OK
               ? apply_band(w, i, w->powers + i * w->maps->words, F2L_SINGLE + x, e, err)
               : status;
}

/* Applies all rules to set `i`, which is done, and the single element x. */
static f2l_status with_element(work *w, uint32_t i, uint32_t x, f2l_error *err)
{
    f2l_status status = multiply_sets(w, F2L_SINGLE + x, i, err);
    if (status == F2L_OK) status = multiply_sets(w, i, F2L_SINGLE + x, err);
    if (status != F2L_OK) return status;
    return w->bands ? band_with_element(w, i, x, err) : fork_with_element(w, i, x, err);
}

/* Applies the fork rule or the band rule to set `i` and then set j, which are done. */
static f2l_status combine_powers(work *w, uint32_t i, uint32_t j, f2l_error *err)
{
    const size_t words = w->maps->words;
    return w->bands ? apply_band(w, i, w->powers + i * words, j, w->powers + j * words, err)
                    : apply_fork(w, i, j, w->powers + j * words, err);
}

/* Applies all rules to two sets that are done. */
static f2l_status with_set(work *w, uint32_t i, uint32_t j, f2l_error *err)
{
    f2l_status status = multiply_sets(w, i, j, err);
    if (status == F2L_OK && i != j) status = multiply_sets(w, j, i, err);
    if (status == F2L_OK) status = combine_powers(w, i, j, err);
    if (status == F2L_OK && i != j) status = combine_powers(w, j, i, err);
    return status;
}

/* Sets *next to the largest maximal set that was not combined yet; returns false when there is
 * none. */
static bool next_set(uint32_t *next, const f2l_ties *t)
{
    size_t size = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->made[i].maximal && !t->made[i].done && t->made[i].size > size) {
            *next = i;
            size = t->made[i].size;
        }
    return size > 0;
}

/* Combines set `i` with what was combined before, while it is maximal. */
static f2l_status combine_set(work *w, uint32_t i, f2l_error *err)
{
    f2l_ties *t = w->ties;
    f2l_status status = F2L_OK;
    t->made[i].done = true;
    assert(w->powers); /* it has room for each set */
    f2l_bits_power(w->power[0], w->maps, f2l_ties_set(t, i), w->scratch);
    memcpy(w->powers + i * w->maps->words, w->power[0], w->maps->words * sizeof **w->power);
    for (uint32_t j = 0; j < t->count && status == F2L_OK && t->made[i].maximal; j++)
        if (t->made[j].maximal && t->made[j].done) status = with_set(w, i, j, err);
    for (uint32_t x = 0; x < w->maps->count && status == F2L_OK && t->made[i].maximal; x++)
        if (f2l_bits_have(w->joined, x) && !f2l_bits_have(w->covered, x))
            status = with_element(w, i, x, err);
    return status;
}

/* Combines element x, which is in no set, with what was combined before. */
static f2l_status join_element(work *w, uint32_t x, f2l_error *err)
{
    f2l_ties *t = w->ties;
    f2l_status status = F2L_OK;
    f2l_bits_add(w->joined, x);
    for (uint32_t y = 0; y < w->maps->count && status == F2L_OK; y++) {
        if (!f2l_bits_have(w->joined, y) || f2l_bits_have(w->covered, y)) continue;
        status = combine_elements(w, x, y, err);
        if (status == F2L_OK) status = combine_elements(w, y, x, err);
    }
    for (uint32_t i = 0; i < t->count && status == F2L_OK; i++)
        if (t->made[i].maximal && t->made[i].done) status = with_element(w, i, x, err);
    return status;
}

static f2l_status close_family(work *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    uint32_t i = 0;
    for (uint32_t x = 0; x < w->maps->count && status == F2L_OK; x++) {
        if (!f2l_bits_have(w->covered, x)) status = join_element(w, x, err);
        while (status == F2L_OK && next_set(&i, w->ties)) status = combine_set(w, i, err);
    }
    return status;
}

f2l_status f2l_ties_find(f2l_ties *out, const f2l_maps *maps, bool bands, size_t most,
                         const f2l_task *task, f2l_error *err)
{
    *out = (f2l_ties){.maps = maps};
    work w = {.ties = out,
              .maps = maps,
              .most = most,
              .bands = bands,
              .meter = {.task = task, .phase = PHASE}};
    uint64_t *room = f2l_calloc(10 * maps->words, sizeof *room), *next = room;
    if (!room) return f2l_fail_memory(err);
    uint64_t **const place[] = {&w.single[0], &w.single[1], &w.power[0], &w.power[1], &w.times,
                                &w.made,      &w.covered,   &w.joined,   &w.scratch};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++, next += maps->words) *place[i] = next;
    f2l_status status = close_family(&w, err);
    out->complete = status == F2L_OK;
    f2l_free(room);
    f2l_free(w.powers);
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

void f2l_ties_clear(f2l_ties *ties)
{
    f2l_free(ties->made);
    f2l_free(ties->set);
    *ties = (f2l_ties){0};
}
