/* The least family of tied sets that FK.6 gives. Single elements are in it without being listed,
 * and of the larger sets only maximal ones are worked with, since all rules are monotone. */
#include "numeric/base/mem.h"
#include "theory/obstruct/tied/impl.h"
#include <string.h>

#define PHASE "tied sets"

typedef struct work {
    f2l_ties *ties;
    const f2l_maps *maps;
    size_t most;
    uint64_t *single[2];                      /* sets of one element */
    uint64_t *power, *times, *scratch, *made; /* scratch: 2 sets */
    f2l_meter meter;
} work;

static bool is_inside(const uint64_t *a, const uint64_t *b, size_t words)
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
static f2l_status keep(work *w, f2l_tied_rule rule, uint32_t first, uint32_t second, f2l_error *err)
{
    f2l_ties *t = w->ties;
    const size_t words = w->maps->words;
    f2l_status status = f2l_meter_spend(&w->meter, 20 + t->count * words, (double)t->count, 0, err);
    if (status != F2L_OK || f2l_bits_count(w->made, words) < 2) return status;
    for (size_t i = 0; i < t->count; i++)
        if (t->made[i].maximal && is_inside(w->made, f2l_ties_set(t, i), words)) return F2L_OK;
    if (t->count >= w->most)
        return f2l_fail(err, F2L_UNKNOWN, "there are more than %zu tied sets", w->most);
    for (size_t i = 0; i < t->count; i++)
        if (is_inside(f2l_ties_set(t, i), w->made, words)) t->made[i].maximal = false;
    if (!f2l_grow((void **)&t->made, &t->capacity, t->count, sizeof *t->made) ||
        !f2l_grow((void **)&t->set, &t->set_capacity, t->count, words * sizeof *t->set))
        return f2l_fail_memory(err);
    memcpy(t->set + t->count * words, w->made, words * sizeof *t->set);
    t->made[t->count++] = (f2l_made){rule, {first, second}, true};
    return F2L_OK;
}

static f2l_status multiply(work *w, uint32_t first, uint32_t second, f2l_error *err)
{
    const uint64_t *a = set_of(w, first, 0), *b = set_of(w, second, 1);
    const size_t words = w->maps->words;
    f2l_bits_multiply(w->made, w->maps, a, b);
    f2l_status status =
        f2l_meter_spend(&w->meter, f2l_bits_count(a, words) * f2l_bits_count(b, words), 0, 0, err);
    return status == F2L_OK ? keep(w, F2L_TIED_PRODUCT, first, second, err) : status;
}

/* Applies the fork rule with P = w->power, the idempotent power of the second set. */
static f2l_status fork(work *w, uint32_t first, uint32_t second, f2l_error *err)
{
    const size_t words = w->maps->words;
    f2l_bits_multiply(w->times, w->maps, set_of(w, first, 0), w->power);
    f2l_bits_power(w->made, w->maps, w->times, w->scratch);
    f2l_bits_multiply(w->times, w->maps, w->power, w->made);
    for (size_t i = 0; i < words; i++) w->made[i] |= w->times[i];
    const size_t size = f2l_bits_count(w->made, words);
    f2l_status status = f2l_meter_spend(&w->meter, 20 + 4 * size * size, 0, 0, err);
    return status == F2L_OK ? keep(w, F2L_TIED_FORK, first, second, err) : status;
}

static void find_power(work *w, uint32_t second)
{
    f2l_bits_power(w->power, w->maps, set_of(w, second, 1), w->scratch);
}

/* Applies the fork rule to single elements: it is enough to take idempotents e and f with f e = f,
 * as (x e)^N is such an f. */
static f2l_status fork_elements(work *w, f2l_error *err)
{
    const f2l_maps *m = w->maps;
    f2l_status status = F2L_OK;
    for (uint32_t e = 0; e < m->count && status == F2L_OK; e++) {
        if (m->product[e * m->count + e] != e) continue;
        find_power(w, F2L_SINGLE + e);
        for (uint32_t f = 0; f < m->count && status == F2L_OK; f++)
            if (m->product[f * m->count + f] == f && m->product[f * m->count + e] == f &&
                m->product[e * m->count + f] != f)
                status = fork(w, F2L_SINGLE + f, F2L_SINGLE + e, err);
    }
    return status;
}

/* Applies all rules to set `i` and the single elements. */
static f2l_status with_elements(work *w, uint32_t i, f2l_error *err)
{
    const f2l_maps *m = w->maps;
    f2l_status status = F2L_OK;
    for (uint32_t x = 0; x < m->count && status == F2L_OK; x++) {
        status = multiply(w, F2L_SINGLE + x, i, err);
        if (status == F2L_OK) status = multiply(w, i, F2L_SINGLE + x, err);
        if (status != F2L_OK || m->product[x * m->count + x] != x) continue;
        find_power(w, F2L_SINGLE + x);
        status = fork(w, i, F2L_SINGLE + x, err);
    }
    if (status == F2L_OK) find_power(w, i);
    for (uint32_t x = 0; x < m->count && status == F2L_OK; x++)
        status = fork(w, F2L_SINGLE + x, i, err);
    return status;
}

static f2l_status with_set(work *w, uint32_t i, uint32_t j, f2l_error *err)
{
    f2l_status status = multiply(w, i, j, err);
    if (status == F2L_OK) status = multiply(w, j, i, err);
    if (status != F2L_OK) return status;
    find_power(w, j);
    status = fork(w, i, j, err);
    if (status != F2L_OK || i == j) return status;
    find_power(w, i);
    return fork(w, j, i, err);
}

static f2l_status close_family(work *w, f2l_error *err)
{
    f2l_ties *t = w->ties;
    f2l_status status = fork_elements(w, err);
    for (uint32_t i = 0; i < t->count && status == F2L_OK; i++) {
        if (!t->made[i].maximal) continue;
        status = with_elements(w, i, err);
        for (uint32_t j = 0; j <= i && status == F2L_OK && t->made[i].maximal; j++)
            if (t->made[j].maximal) status = with_set(w, i, j, err);
    }
    return status;
}

f2l_status f2l_ties_find(f2l_ties *out, const f2l_maps *maps, size_t most, const f2l_task *task,
                         f2l_error *err)
{
    *out = (f2l_ties){.maps = maps};
    work w = {.ties = out, .maps = maps, .most = most, .meter = {.task = task, .phase = PHASE}};
    uint64_t *room = f2l_calloc(7 * maps->words, sizeof *room);
    if (!room) return f2l_fail_memory(err);
    w.single[0] = room;
    w.single[1] = room + maps->words;
    w.power = room + 2 * maps->words;
    w.times = room + 3 * maps->words;
    w.made = room + 4 * maps->words;
    w.scratch = room + 5 * maps->words;
    f2l_status status = close_family(&w, err);
    out->complete = status == F2L_OK;
    f2l_free(room);
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

void f2l_ties_clear(f2l_ties *ties)
{
    f2l_free(ties->made);
    f2l_free(ties->set);
    *ties = (f2l_ties){0};
}
