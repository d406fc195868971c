/* Which conflicts an orbit separates: what all orbits of a set hold after two words. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MASK_WORDS (F2L_ORBITS_CONFLICTS / 64)

/* --- planes --- */

void f2l_orbits_planes_clear(f2l_orbits_pool *pool)
{
    for (size_t i = 0; pool->plane && i < 2 * pool->sets; i++) {
        f2l_free(pool->plane[i].orbit);
        f2l_free(pool->plane[i].write[0]);
    }
    f2l_free(pool->plane);
    pool->plane = NULL;
}

static void set_bit(uint64_t *row, size_t i)
{
    row[i / 64] |= (uint64_t)1 << (i % 64);
}

static size_t count_cells(const f2l_orbits_pool *pool, size_t set, bool by_letter)
{
    return pool->graph->letters * (by_letter ? 1 : pool->graph->vertices) * pool->set[set].places;
}

static f2l_status open_plane(f2l_orbits_plane *plane, size_t cells, f2l_error *err)
{
    const size_t size = cells * (plane->words = (plane->count + 63) / 64);
    if (plane->count == 0) return F2L_OK;
    plane->orbit = f2l_calloc(plane->count, sizeof *plane->orbit);
    plane->write[0] = f2l_calloc(2 * size + 2 * plane->words, sizeof *plane->write[0]);
    if (!plane->orbit || !plane->write[0]) return f2l_fail_memory(err);
    plane->write[1] = plane->write[0] + size;
    plane->half = plane->write[1] + size;
    plane->one = plane->half + plane->words;
    plane->count = 0;
    return F2L_OK;
}

static void add_to_plane(f2l_orbits_plane *plane, const f2l_orbits_pool *pool, size_t orbit,
                         size_t cells)
{
    const f2l_orbits_orbit *o = &pool->orbit[orbit];
    const uint8_t *write = pool->write + o->at;
    const size_t column = plane->count++;
    plane->orbit[column] = (uint32_t)orbit;
    for (size_t c = 0; c < cells; c++)
        if (write[c] != F2L_ORBITS_KEEP) set_bit(plane->write[write[c]] + c * plane->words, column);
    if (o->initial == F2L_ORBITS_HALF) set_bit(plane->half, column);
    if (o->initial == 1) set_bit(plane->one, column);
}

f2l_status f2l_orbits_planes_make(f2l_orbits_pool *pool, f2l_error *err)
{
    f2l_status status = F2L_OK;
    pool->mask = f2l_calloc(pool->orbits, MASK_WORDS * sizeof *pool->mask);
    pool->plane = f2l_calloc(2 * pool->sets, sizeof *pool->plane);
    if (!pool->mask || !pool->plane) return f2l_fail_memory(err);
    for (size_t i = 0; i < pool->orbits; i++)
        pool->plane[2 * pool->orbit[i].set + pool->orbit[i].by_letter].count++;
    for (size_t i = 0; i < 2 * pool->sets && status == F2L_OK; i++)
        status = open_plane(&pool->plane[i], count_cells(pool, i / 2, i % 2), err);
    for (size_t i = 0; i < pool->orbits && status == F2L_OK; i++) {
        const f2l_orbits_orbit *o = &pool->orbit[i];
        add_to_plane(&pool->plane[2 * o->set + o->by_letter], pool, i,
                     count_cells(pool, o->set, o->by_letter));
    }
    return status;
}

/* --- conflicts --- */

/* Where the contents of the places of a set come from, step by step from the end of a word. */
typedef struct trace {
    size_t letters;
    uint32_t *cell[2]; /* [letters][places] cells of the planes by edge, and by letter */
    uint8_t first[F2L_ORBITS_PLACES]; /* the place before the word */
} trace;

static bool open_trace(trace *t, size_t letters)
{
    t->letters = letters;
    for (int i = 0; i < 2; i++)
        t->cell[i] = f2l_calloc(letters * F2L_ORBITS_PLACES, sizeof **t->cell);
    return t->cell[0] && t->cell[1];
}

static void close_trace(trace *t)
{
    f2l_free(t->cell[0]);
    f2l_free(t->cell[1]);
}

static void trace_set(trace *t, const f2l_orbits_pool *pool, const f2l_orbits_set *set,
                      const uint32_t *word)
{
    for (size_t i = 0; i < set->places; i++) {
        size_t place = i;
        for (size_t k = 0; k < t->letters; k++) {
            const size_t edge = word[t->letters - 1 - k], at = k * set->places + i;
            place = set->from[pool->group->of_edge[edge]][place];
            t->cell[0][at] = (uint32_t)(edge * set->places + place);
            t->cell[1][at] = (uint32_t)(edge % pool->graph->letters * set->places + place);
        }
        t->first[i] = (uint8_t)place;
    }
}

/* What 64 orbits hold at a place: 1, F2L_ORBITS_HALF, or 0 where neither bit is set. */
typedef struct held {
    uint64_t one, half;
} held;

/* Returns what place `place` of the orbits of word x of the plane's rows holds after the word: goes
 * back until each was written. */
static held trace_place(const trace *t, const f2l_orbits_plane *plane, size_t x,
                        const uint32_t *cell, size_t places, size_t place)
{
    uint64_t open = UINT64_MAX, one = 0;
    for (size_t k = 0; k < t->letters && open; k++) {
        const size_t at = cell[k * places + place] * plane->words + x;
        one |= open & plane->write[1][at];
        open &= ~(plane->write[0][at] | plane->write[1][at]);
    }
    if (t->first[place] == 0) one |= open & plane->one[x];
    return (held){one, open & plane->half[x]};
}

/* Sets conflict k in the masks of the orbits of the plane that separate it; returns whether one
 * does. */
static bool separate_in_plane(f2l_orbits_pool *pool, size_t number, const trace t[2], size_t k)
{
    const f2l_orbits_plane *plane = &pool->plane[number];
    const size_t places = pool->set[number / 2].places, kind = number % 2;
    bool any = false;
    for (size_t x = 0; x < plane->words; x++) {
        uint64_t apart = 0;
        for (size_t i = 0; i < places; i++) {
            const held a = trace_place(&t[0], plane, x, t[0].cell[kind], places, i);
            const held b = trace_place(&t[1], plane, x, t[1].cell[kind], places, i);
            apart |= (a.one ^ b.one) | (a.half ^ b.half);
        }
        if (x + 1 == plane->words && plane->count % 64 > 0)
            apart &= ((uint64_t)1 << plane->count % 64) - 1;
        any = any || apart;
        for (; apart; apart &= apart - 1) {
            const uint32_t orbit = plane->orbit[x * 64 + (size_t)__builtin_ctzll(apart)];
            set_bit(pool->mask + orbit * MASK_WORDS, k);
        }
    }
    return any;
}

/* Spends the steps of all orbits. */
static f2l_status spend_on_orbits(f2l_orbits_pool *pool, size_t letters, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < pool->orbits && status == F2L_OK; i++)
        status =
            f2l_meter_spend(&pool->meter, pool->set[pool->orbit[i].set].places + letters / 4 + 1,
                            (double)i, (double)pool->orbits, err);
    return status;
}

f2l_status f2l_orbits_pool_separate(bool *any, f2l_orbits_pool *pool,
                                    const f2l_orbits_conflict *conflict, f2l_error *err)
{
    const size_t k = pool->conflicts, letters = conflict->letters[0] + conflict->letters[1];
    *any = false;
    if (k == F2L_ORBITS_CONFLICTS)
        return f2l_fail(err, F2L_UNKNOWN, "no slots were found that tell %d pairs of words apart",
                        F2L_ORBITS_CONFLICTS);
    f2l_status status = spend_on_orbits(pool, letters, err);
    trace t[2] = {{.letters = 0}};
    for (int w = 0; w < 2; w++)
        if (!open_trace(&t[w], conflict->letters[w])) status = f2l_fail_memory(err);
    for (size_t s = 0; status == F2L_OK && s < pool->sets; s++) {
        for (int w = 0; w < 2; w++) trace_set(&t[w], pool, &pool->set[s], conflict->word[w]);
        for (size_t kind = 0; kind < 2; kind++)
            if (separate_in_plane(pool, 2 * s + kind, t, k)) *any = true;
    }
    pool->conflicts++;
    for (int w = 0; w < 2; w++) close_trace(&t[w]);
    return status;
}
