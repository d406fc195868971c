/* Which orbits together separate all conflicts, with few factors: a greedy choice, then a search
 * that leaves out what cannot become better. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"
#include <stdlib.h>
#include <string.h>

#define MASK_WORDS (F2L_ORBITS_CONFLICTS / 64)
#define MOST_NODES 20000
#define MOST_DEPTH 4
#define MOST_EDGES 128 /* whose factors are added up one by one */

/* An orbit that is the lightest of those with its mask. */
typedef struct candidate {
    uint32_t orbit, weight;
    uint32_t separated; /* number of conflicts */
} candidate;

typedef struct choice {
    f2l_orbits_pool *pool;
    size_t words, edges; /* of masks; edges that are counted one by one, 0: too many */
    candidate *candidate;
    uint64_t *mask;    /* [candidates][words], once they are sorted */
    uint16_t *factors; /* [candidates][edges] at edges that are met, where `counted` */
    bool *counted;
    size_t count, capacity, nodes, most;
    uint32_t best[F2L_ORBITS_CHOSEN], stack[F2L_ORBITS_CHOSEN];
    uint16_t sum[F2L_ORBITS_CHOSEN + 1][MOST_EDGES]; /* of the factors of the stack, by its depth */
    size_t best_count, best_factors;
} choice;

/* Returns the mask of a candidate while they are listed. */
static const uint64_t *mask_of(const choice *c, size_t i)
{
    return c->pool->mask + (size_t)c->candidate[i].orbit * MASK_WORDS;
}

static uint64_t hash_mask(const void *rows, size_t row)
{
    const choice *c = rows;
    return f2l_hash_bytes(F2L_HASH, mask_of(c, row), c->words * sizeof(uint64_t));
}

static bool mask_equals(const void *rows, size_t row, const void *key)
{
    const choice *c = rows;
    return memcmp(mask_of(c, row), key, c->words * sizeof(uint64_t)) == 0;
}

static int compare_candidates(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    if (a->separated != b->separated) return a->separated > b->separated ? -1 : 1;
    return a->orbit < b->orbit ? -1 : 1;
}

static bool is_empty(const uint64_t *mask, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= mask[w];
    return any == 0;
}

/* Returns whether all that is left is in the mask. */
static bool separates_all(const uint64_t *mask, const uint64_t *left, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= left[w] & ~mask[w];
    return any == 0;
}

static uint32_t count_separated(const uint64_t *mask, size_t words)
{
    uint32_t count = 0;
    for (size_t w = 0; w < words; w++) count += (uint32_t)__builtin_popcountll(mask[w]);
    return count;
}

/* Returns the order of orbits with equal masks: factors, then places, then the first. */
static bool is_lighter(const f2l_orbits_pool *pool, const f2l_orbits_orbit *a,
                       const f2l_orbits_orbit *b)
{
    if (a->weight != b->weight) return a->weight < b->weight;
    return pool->set[a->set].places < pool->set[b->set].places;
}

/* Lists for every mask the lightest orbit. */
static f2l_status list_candidates(choice *c, f2l_index *index, f2l_error *err)
{
    const f2l_orbits_pool *pool = c->pool;
    for (size_t i = 0; i < pool->orbits; i++) {
        const uint64_t *mask = pool->mask + i * MASK_WORDS;
        if (is_empty(mask, c->words)) continue;
        const uint64_t hash = f2l_hash_bytes(F2L_HASH, mask, c->words * sizeof *mask);
        if (!f2l_grow((void **)&c->candidate, &c->capacity, c->count, sizeof *c->candidate) ||
            !f2l_index_grow(index, hash_mask, c))
            return f2l_fail_memory(err);
        const size_t at = f2l_index_find_or_add(index, hash, mask_equals, c, mask);
        if (at < c->count &&
            !is_lighter(pool, &pool->orbit[i], &pool->orbit[c->candidate[at].orbit]))
            continue;
        c->candidate[at].orbit = (uint32_t)i;
        c->candidate[at].weight = pool->orbit[i].weight;
        if (at < c->count) continue;
        c->candidate[at].separated = count_separated(mask, c->words);
        c->count++;
    }
    return F2L_OK;
}

/* Sorts the candidates, and keeps their masks side by side. */
static f2l_status sort_candidates(choice *c, f2l_error *err)
{
    qsort(c->candidate, c->count, sizeof *c->candidate, compare_candidates);
    c->mask = f2l_calloc(c->count * c->words, sizeof *c->mask);
    c->factors = f2l_calloc(c->count * c->edges + 1, sizeof *c->factors);
    c->counted = f2l_calloc(c->count, sizeof *c->counted);
    if (!c->mask || !c->factors || !c->counted) return f2l_fail_memory(err);
    for (size_t i = 0; i < c->count; i++)
        memcpy(c->mask + i * c->words, mask_of(c, i), c->words * sizeof *c->mask);
    return F2L_OK;
}

/* Returns the factors of a candidate, which are counted when they are first asked for. */
static const uint16_t *factors_of(choice *c, size_t i)
{
    const f2l_orbits_pool *pool = c->pool;
    const f2l_orbits_orbit *orbit = &pool->orbit[c->candidate[i].orbit];
    uint16_t *factors = c->factors + i * c->edges;
    for (size_t e = 0; !c->counted[i] && e < c->edges; e++)
        factors[e] = pool->edge_met[e] ? (uint16_t)f2l_orbits_cost(pool, orbit, e) : 0;
    c->counted[i] = true;
    return factors;
}

/* Puts a candidate on the stack; returns the most factors of an edge. */
static size_t push_candidate(choice *c, size_t depth, size_t i)
{
    uint16_t most = 0;
    size_t weights = 0;
    c->stack[depth] = (uint32_t)i;
    for (size_t k = 0; c->edges == 0 && k <= depth; k++)
        weights += c->candidate[c->stack[k]].weight;
    if (c->edges == 0) return weights;
    const uint16_t *factors = factors_of(c, i), *before = c->sum[depth];
    uint16_t *sum = c->sum[depth + 1];
    for (size_t e = 0; e < c->edges; e++) {
        sum[e] = (uint16_t)(before[e] + factors[e]);
        most = sum[e] > most ? sum[e] : most;
    }
    return most;
}

/* Keeps the stack where its factors are fewer. */
static void prefer_stack(choice *c, size_t count, size_t factors)
{
    if (factors >= c->best_factors) return;
    memcpy(c->best, c->stack, count * sizeof *c->stack);
    c->best_count = count;
    c->best_factors = factors;
}

/* Takes the orbit that separates most for its factors, again and again. */
static void choose_greedily(choice *c)
{
    uint64_t left[MASK_WORDS] = {0};
    size_t count = 0, factors = 0;
    for (size_t k = 0; k < c->pool->conflicts; k++) left[k / 64] |= (uint64_t)1 << (k % 64);
    while (!is_empty(left, c->words)) {
        size_t best = 0;
        uint64_t gain = 0, cost = 1;
        if (count == F2L_ORBITS_CHOSEN) return;
        for (size_t i = 0; i < c->count; i++) {
            const uint64_t *mask = c->mask + i * c->words;
            uint64_t more = 0;
            if (c->candidate[i].separated * cost <= gain * (c->candidate[i].weight + 2)) continue;
            for (size_t w = 0; w < c->words; w++)
                more += (uint64_t)__builtin_popcountll(mask[w] & left[w]);
            if (more * cost <= gain * (c->candidate[i].weight + 2)) continue;
            best = i;
            gain = more;
            cost = c->candidate[i].weight + 2;
        }
        if (gain == 0) return;
        for (size_t w = 0; w < c->words; w++) left[w] &= ~c->mask[best * c->words + w];
        factors = push_candidate(c, count++, best);
    }
    prefer_stack(c, count, factors);
}

/* Returns the number of the first conflict that is left; no fewer orbits separate the others. */
static size_t first_left(const uint64_t *left)
{
    size_t w = 0;
    while (left[w] == 0) w++;
    return w * 64 + (size_t)__builtin_ctzll(left[w]);
}

/* Tries all candidates for the first conflict that is left. `left` has no more than c->words. */
static void choose_deeper(choice *c, const uint64_t *left, size_t depth)
{
    const size_t k = first_left(left);
    const bool is_last = depth + 1 == c->most;
    for (size_t i = 0; i < c->count && c->nodes < MOST_NODES; i++) {
        const uint64_t *mask = c->mask + i * c->words;
        uint64_t rest[MASK_WORDS] = {0};
        if (!(mask[k / 64] >> (k % 64) & 1)) continue;
        if (c->candidate[i].weight >= c->best_factors) break;
        c->nodes++;
        if (is_last && !separates_all(mask, left, c->words)) continue;
        const size_t factors = push_candidate(c, depth, i);
        if (factors >= c->best_factors) continue;
        for (size_t w = 0; w < c->words; w++) rest[w] = left[w] & ~mask[w];
        if (is_empty(rest, c->words))
            prefer_stack(c, depth + 1, factors);
        else
            choose_deeper(c, rest, depth + 1);
    }
}

static void choose_best(choice *c)
{
    uint64_t left[MASK_WORDS] = {0};
    for (size_t k = 0; k < c->pool->conflicts; k++) left[k / 64] |= (uint64_t)1 << (k % 64);
    choose_greedily(c);
    for (c->most = 1; c->most <= MOST_DEPTH; c->most++) {
        c->nodes = 0;
        choose_deeper(c, left, 0);
    }
}

f2l_status f2l_orbits_choose(uint32_t *chosen, size_t *count, f2l_orbits_pool *pool, size_t below,
                             f2l_error *err)
{
    const size_t edges = pool->graph->vertices * pool->graph->letters;
    choice c = {.pool = pool,
                .words = (pool->conflicts + 63) / 64,
                .edges = edges <= MOST_EDGES ? edges : 0,
                .best_factors = below};
    f2l_index index = {0};
    f2l_status status = f2l_meter_spend(&pool->meter, 4 * pool->orbits * c.words, 0, 0, err);
    if (status == F2L_OK) status = list_candidates(&c, &index, err);
    if (status == F2L_OK && c.count > 0) status = sort_candidates(&c, err);
    if (status == F2L_OK && c.count > 0) {
        choose_best(&c);
        for (size_t k = 0; k < c.best_count; k++) chosen[k] = c.candidate[c.best[k]].orbit;
        status =
            f2l_meter_spend(&pool->meter, 4 * c.count * c.words * (8 + c.nodes / 16), 0, 0, err);
    }
    *count = c.best_count;
    f2l_index_clear(&index);
    f2l_free(c.candidate);
    f2l_free(c.mask);
    f2l_free(c.factors);
    f2l_free(c.counted);
    return status;
}
