/* The pool of orbits: what edges may write, and which conflicts an orbit separates. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_WORDS 6561 /* writes by letter, for all of which there is an orbit */
#define MOST_PAIRS 4000 /* orbits of a set that write at two edges */
#define RANDOM_ORBITS 1500
#define RANDOM_PLACES 12
#define MOST_WRITES ((size_t)1 << 25) /* bytes */
#define MASK_WORDS (F2L_ORBITS_CONFLICTS / 64)

void f2l_orbits_pool_clear(f2l_orbits_pool *pool)
{
    f2l_free(pool->set);
    f2l_free(pool->orbit);
    f2l_free(pool->write);
    f2l_free(pool->mask);
    *pool = (f2l_orbits_pool){0};
}

/* --- factors --- */

/* Returns the exchanges of the permutation `to` where places with a constant are written: a slot
 * that reads another takes one, and a cycle of them one less. */
static size_t count_exchanges(const uint8_t *to, const uint8_t *write, size_t places)
{
    bool done[F2L_ORBITS_PLACES] = {false};
    size_t exchanges = 0;
    for (size_t first = 0; first < places; first++) {
        bool whole = true;
        size_t reads = 0, i = first;
        if (done[first]) continue;
        do {
            done[i] = true;
            if (write[i] == F2L_ORBITS_KEEP)
                reads++;
            else
                whole = false;
            i = to[i];
        } while (i != first);
        exchanges += whole ? reads - 1 : reads;
    }
    return exchanges;
}

size_t f2l_orbits_cost(const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit, size_t edge)
{
    const f2l_orbits_set *set = &pool->set[orbit->set];
    const uint8_t *write = f2l_orbits_writes(pool, orbit, edge);
    size_t cost = count_exchanges(set->to[pool->group->of_edge[edge]], write, set->places);
    for (size_t i = 0; i < set->places; i++) cost += write[i] != F2L_ORBITS_KEEP;
    return cost;
}

static uint32_t weigh_orbit(const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit)
{
    const size_t edges = pool->graph->vertices * pool->graph->letters;
    size_t most = 0;
    for (size_t e = 0; e < edges; e++) {
        const size_t cost = pool->edge_met[e] ? f2l_orbits_cost(pool, orbit, e) : 0;
        if (cost > most) most = cost;
    }
    return (uint32_t)most;
}

/* --- adding --- */

static size_t rows_of(const f2l_orbits_pool *pool, bool by_letter)
{
    return pool->graph->letters * (by_letter ? 1 : pool->graph->vertices);
}

/* Returns the writes of a new orbit, which is not counted yet: all keep. NULL: there is no room, or
 * with *status no memory. */
static uint8_t *begin_orbit(f2l_orbits_pool *pool, size_t set, bool by_letter, uint8_t initial,
                            f2l_status *status, f2l_error *err)
{
    const size_t bytes = rows_of(pool, by_letter) * pool->set[set].places;
    if (pool->writes + bytes > MOST_WRITES) return NULL;
    if (pool->writes + bytes > pool->write_capacity) {
        const size_t capacity = 2 * (pool->writes + bytes);
        uint8_t *write = f2l_realloc(pool->write, capacity, 1);
        if (write) pool->write = write;
        if (write) pool->write_capacity = capacity;
        if (!write) *status = f2l_fail_memory(err);
    }
    if (*status == F2L_OK &&
        !f2l_grow((void **)&pool->orbit, &pool->capacity, pool->orbits, sizeof *pool->orbit))
        *status = f2l_fail_memory(err);
    if (*status != F2L_OK) return NULL;
    pool->orbit[pool->orbits] = (f2l_orbits_orbit){
        .set = (uint16_t)set, .initial = initial, .by_letter = by_letter, .at = pool->writes};
    memset(pool->write + pool->writes, F2L_ORBITS_KEEP, bytes);
    return pool->write + pool->writes;
}

static void end_orbit(f2l_orbits_pool *pool)
{
    f2l_orbits_orbit *orbit = &pool->orbit[pool->orbits++];
    pool->writes += rows_of(pool, orbit->by_letter) * pool->set[orbit->set].places;
    orbit->weight = weigh_orbit(pool, orbit);
}

/* Adds the set with one slot that holds 1, which nothing writes. */
static f2l_status add_pure(f2l_orbits_pool *pool, size_t set, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (pool->set[set].places > 1 && begin_orbit(pool, set, true, 1, &status, err)) end_orbit(pool);
    return status;
}

/* Adds an orbit for each way in which letters write. The first write is 0 or, as contents may be
 * complemented, it is 0 as well; contents that begin with 0 need a 1. */
static f2l_status add_by_letter(f2l_orbits_pool *pool, size_t set, size_t ways, f2l_error *err)
{
    const size_t bytes = rows_of(pool, true) * pool->set[set].places;
    f2l_status status = F2L_OK;
    for (size_t way = 1; status == F2L_OK && way < ways; way++) {
        for (uint8_t initial = 0; initial <= F2L_ORBITS_HALF; initial += F2L_ORBITS_HALF) {
            uint8_t *write = begin_orbit(pool, set, true, initial, &status, err), first = 2;
            bool one = false;
            if (!write) return status;
            for (size_t i = 0, rest = way; i < bytes; i++, rest /= 3) {
                write[i] = (uint8_t)((rest + 2) % 3);
                if (first == 2) first = write[i];
                one = one || write[i] == 1;
            }
            if (initial == 0 ? one : first == 0) end_orbit(pool);
        }
        status = f2l_meter_spend(&pool->meter, 20 * bytes, 0, 0, err);
    }
    return status;
}

/* Adds orbits in which one edge writes 1 at one place. */
static f2l_status add_singles(f2l_orbits_pool *pool, size_t set, f2l_error *err)
{
    const size_t places = pool->set[set].places;
    f2l_status status = F2L_OK;
    for (size_t e = 0; e < rows_of(pool, false); e++)
        for (size_t i = 0; pool->edge_met[e] && i < (pool->set[set].regular ? 1 : places); i++) {
            uint8_t *write = begin_orbit(pool, set, false, 0, &status, err);
            if (!write) return status;
            write[e * places + i] = 1;
            end_orbit(pool);
        }
    return f2l_meter_spend(&pool->meter, 100 * rows_of(pool, false) * places, 0, 0, err);
}

/* Adds orbits in which an edge writes 0 at a place and an edge 1 at a place (OL.8). */
static f2l_status add_pairs(f2l_orbits_pool *pool, size_t set, f2l_error *err)
{
    const size_t places = pool->set[set].places, rows = rows_of(pool, false) * places;
    f2l_status status = F2L_OK;
    size_t left = MOST_PAIRS;
    for (size_t x = 0; x < rows; x++) {
        if (!pool->edge_met[x / places] || (pool->set[set].regular && x % places > 0)) continue;
        for (size_t y = 0; y < rows && left > 0; y++) {
            if (y == x || !pool->edge_met[y / places] || (!pool->set[set].regular && y < x))
                continue;
            uint8_t *write = begin_orbit(pool, set, false, F2L_ORBITS_HALF, &status, err);
            if (!write) return status;
            write[x] = 0;
            write[y] = 1;
            end_orbit(pool);
            left--;
        }
    }
    return f2l_meter_spend(&pool->meter, (MOST_PAIRS - left) * rows, 0, 0, err);
}

/* Adds orbits whose edges write at random: by letter, or each edge for itself. */
static f2l_status add_random(f2l_orbits_pool *pool, size_t set, f2l_rng *rng, f2l_error *err)
{
    const size_t places = pool->set[set].places, letters = pool->graph->letters;
    f2l_status status = F2L_OK;
    for (size_t t = 0; t < RANDOM_ORBITS; t++) {
        const bool by_letter = pool->graph->vertices == 1 || f2l_rng_below(rng, 3) == 0;
        const uint8_t initial = f2l_rng_below(rng, 4) == 0 ? 0 : F2L_ORBITS_HALF;
        const uint64_t often = 20 + f2l_rng_below(rng, 100); /* in 256, for 0 and for 1 */
        uint8_t *write = begin_orbit(pool, set, by_letter, initial, &status, err);
        if (!write) return status;
        const size_t rows = rows_of(pool, by_letter);
        for (size_t i = 0; i < rows * places; i++) {
            const uint64_t x = f2l_rng_below(rng, 256);
            write[i] = x < often ? 0 : x < 2 * often ? 1 : F2L_ORBITS_KEEP;
        }
        end_orbit(pool);
        status = f2l_meter_spend(&pool->meter, 10 * (rows + letters) * places, 0, 0, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Returns 3^n, or SIZE_MAX where that is more than MOST_WORDS. */
static size_t count_ways(size_t n)
{
    size_t ways = 1;
    while (n-- > 0 && ways <= MOST_WORDS) ways *= 3;
    return ways <= MOST_WORDS ? ways : SIZE_MAX;
}

static f2l_status fill_set(f2l_orbits_pool *pool, size_t set, f2l_rng *rng, f2l_error *err)
{
    const size_t places = pool->set[set].places;
    const size_t ways = count_ways(places * pool->graph->letters);
    f2l_status status = add_pure(pool, set, err);
    if (status == F2L_OK && ways != SIZE_MAX) status = add_by_letter(pool, set, ways, err);
    if (status == F2L_OK && (ways == SIZE_MAX || pool->graph->vertices > 1))
        status = add_singles(pool, set, err);
    if (status == F2L_OK && (ways == SIZE_MAX || pool->graph->vertices > 1))
        status = add_pairs(pool, set, err);
    if (status == F2L_OK && (ways == SIZE_MAX || pool->graph->vertices > 1) &&
        places <= RANDOM_PLACES)
        status = add_random(pool, set, rng, err);
    return status;
}

f2l_status f2l_orbits_pool_fill(f2l_orbits_pool *pool, f2l_error *err)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 1, pool->group->order);
    f2l_status status = f2l_orbits_sets_list(&pool->set, &pool->sets, pool->group, err);
    for (size_t i = 0; status == F2L_OK && i < pool->sets; i++)
        status = fill_set(pool, i, &rng, err);
    if (status != F2L_OK) return status;
    pool->mask = f2l_calloc(pool->orbits, MASK_WORDS * sizeof *pool->mask);
    return pool->mask ? F2L_OK : f2l_fail_memory(err);
}

/* --- conflicts --- */

/* Where the contents of the places of a set come from, step by step from the end of a word. */
typedef struct trace {
    size_t letters;
    uint32_t *cell[2]; /* [letters][places] of the writes of an orbit: by edge, and by letter */
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

/* Returns what place `place` of the orbit holds after the word: goes back to the last write. */
static uint8_t trace_place(const trace *t, const f2l_orbits_pool *pool,
                           const f2l_orbits_orbit *orbit, size_t place)
{
    const size_t places = pool->set[orbit->set].places;
    const uint32_t *cell = t->cell[orbit->by_letter] + place;
    const uint8_t *write = pool->write + orbit->at;
    for (size_t k = 0; k < t->letters; k++, cell += places)
        if (write[*cell] != F2L_ORBITS_KEEP) return write[*cell];
    return orbit->initial == 1 ? t->first[place] == 0 : orbit->initial;
}

static bool is_separated(const trace *t, const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit)
{
    for (size_t i = 0; i < pool->set[orbit->set].places; i++)
        if (trace_place(&t[0], pool, orbit, i) != trace_place(&t[1], pool, orbit, i)) return true;
    return false;
}

f2l_status f2l_orbits_pool_separate(bool *any, f2l_orbits_pool *pool,
                                    const f2l_orbits_conflict *conflict, f2l_error *err)
{
    const size_t k = pool->conflicts, letters = conflict->letters[0] + conflict->letters[1];
    f2l_status status = F2L_OK;
    *any = false;
    if (k == F2L_ORBITS_CONFLICTS)
        return f2l_fail(err, F2L_UNKNOWN, "no slots were found that tell %d pairs of words apart",
                        F2L_ORBITS_CONFLICTS);
    trace t[2] = {{.letters = 0}};
    for (int w = 0; w < 2; w++)
        if (!open_trace(&t[w], conflict->letters[w])) status = f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < pool->orbits; i++) {
        const f2l_orbits_set *set = &pool->set[pool->orbit[i].set];
        for (int w = 0; w < 2 && (i == 0 || pool->orbit[i - 1].set != pool->orbit[i].set); w++)
            trace_set(&t[w], pool, set, conflict->word[w]);
        status = f2l_meter_spend(&pool->meter, set->places + letters / 4 + 1, (double)i,
                                 (double)pool->orbits, err);
        if (!is_separated(t, pool, &pool->orbit[i])) continue;
        pool->mask[i * MASK_WORDS + k / 64] |= (uint64_t)1 << (k % 64);
        *any = true;
    }
    pool->conflicts++;
    for (int w = 0; w < 2; w++) close_trace(&t[w]);
    return status;
}
