/* The pool of orbits: what edges may write. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_WORDS 6561 /* writes by letter, for all of which there is an orbit */
#define MOST_PAIRS 4000 /* orbits of a set that write at two edges */
#define RANDOM_ORBITS 1500
#define RANDOM_PLACES 12
#define MOST_WRITES ((size_t)1 << 25) /* bytes */

void f2l_orbits_pool_clear(f2l_orbits_pool *pool)
{
    f2l_orbits_planes_clear(pool);
    f2l_free(pool->set);
    f2l_free(pool->orbit);
    f2l_free(pool->write);
    f2l_free(pool->mask);
    *pool = (f2l_orbits_pool){0};
}

/* --- factors --- */

/* A slot that reads another takes an exchange, but one of a cycle that nothing is written into, and
 * a slot that is written takes a write: all slots, less one for each such cycle. */
size_t f2l_orbits_cost(const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit, size_t edge)
{
    const f2l_orbits_set *set = &pool->set[orbit->set];
    const uint8_t *write = f2l_orbits_writes(pool, orbit, edge);
    const uint8_t generator = pool->group->of_edge[edge], *ring = set->ring[generator];
    uint32_t written = 0;
    for (size_t i = 0; i < set->places; i++)
        written |= (uint32_t)(write[i] != F2L_ORBITS_KEEP) << ring[i];
    return set->places - set->rings[generator] +
           (written ? (size_t)__builtin_popcount(written) : 0);
}

/* Returns the most factors of an edge. Where writes are by letter, edges of a letter with the same
 * generator are alike. */
static uint32_t weigh_orbit(const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit)
{
    const size_t letters = pool->graph->letters, edges = pool->graph->vertices * letters;
    const uint8_t *met = pool->edge_met, *generator = pool->group->of_edge;
    size_t most = 0;
    for (size_t e = 0; e < edges; e++) {
        if (!met[e]) continue;
        if (orbit->by_letter && e >= letters && met[e - letters] &&
            generator[e] == generator[e - letters])
            continue;
        const size_t cost = f2l_orbits_cost(pool, orbit, e);
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

/* Counts the new orbit, and returns it. */
static f2l_orbits_orbit *count_orbit(f2l_orbits_pool *pool)
{
    f2l_orbits_orbit *orbit = &pool->orbit[pool->orbits++];
    pool->writes += rows_of(pool, orbit->by_letter) * pool->set[orbit->set].places;
    return orbit;
}

static void end_orbit(f2l_orbits_pool *pool)
{
    f2l_orbits_orbit *orbit = count_orbit(pool);
    orbit->weight = weigh_orbit(pool, orbit);
}

/* Returns the most exchanges of an edge, which is the weight of an orbit of the set that nothing
 * writes. */
static uint32_t count_exchanges(const f2l_orbits_pool *pool, size_t set)
{
    const f2l_orbits_set *s = &pool->set[set];
    size_t most = 0;
    for (size_t e = 0; e < rows_of(pool, false); e++) {
        const size_t moved = s->places - s->rings[pool->group->of_edge[e]];
        if (pool->edge_met[e] && moved > most) most = moved;
    }
    return (uint32_t)most;
}

/* Ends an orbit by edge in which two edges write, or one; `exchanges` is the weight without. */
static void end_orbit_of(f2l_orbits_pool *pool, uint32_t exchanges, size_t x, size_t y)
{
    f2l_orbits_orbit *orbit = count_orbit(pool);
    const size_t cost[] = {f2l_orbits_cost(pool, orbit, x), f2l_orbits_cost(pool, orbit, y)};
    orbit->weight = exchanges;
    for (int i = 0; i < 2; i++)
        if (cost[i] > orbit->weight) orbit->weight = (uint32_t)cost[i];
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
    const uint32_t exchanges = count_exchanges(pool, set);
    f2l_status status = F2L_OK;
    for (size_t e = 0; e < rows_of(pool, false); e++)
        for (size_t i = 0; pool->edge_met[e] && i < (pool->set[set].regular ? 1 : places); i++) {
            uint8_t *write = begin_orbit(pool, set, false, 0, &status, err);
            if (!write) return status;
            write[e * places + i] = 1;
            end_orbit_of(pool, exchanges, e, e);
        }
    return f2l_meter_spend(&pool->meter, 100 * rows_of(pool, false) * places, 0, 0, err);
}

/* Adds orbits in which an edge writes 0 at a place and an edge 1 at a place (OL.8). */
static f2l_status add_pairs(f2l_orbits_pool *pool, size_t set, f2l_error *err)
{
    const size_t places = pool->set[set].places, rows = rows_of(pool, false) * places;
    const uint32_t exchanges = count_exchanges(pool, set);
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
            end_orbit_of(pool, exchanges, x / places, y / places);
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
    return status == F2L_OK ? f2l_orbits_planes_make(pool, err) : status;
}
