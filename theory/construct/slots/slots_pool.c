/* The pool of functions, and the closure of families (theory/pages/definite.md, K.6, K.7). */
#include "numeric/base/mem.h"
#include "theory/construct/slots/impl.h"
#include <string.h>

#define MOST_FUNCTIONS 4096 /* of more states; a power of 2 */

f2l_status f2l_slots_pool_init(f2l_slots_pool *pool, const f2l_fsa *fsa, const f2l_task *task,
                               f2l_error *err)
{
    const size_t n = fsa->states.count, letters = fsa->letters.count;
    const size_t functions =
        n <= F2L_SLOTS_ALL_STATES ? (size_t)1 << (n - 1) : (size_t)MOST_FUNCTIONS;
    const size_t cells = F2L_SLOTS_MAX_CELLS / (letters ? letters : 1);
    const size_t limit = cells < functions ? cells : functions;
    *pool = (f2l_slots_pool){.fsa = fsa, .limit = limit, .buckets = 2 * functions};
    f2l_status status =
        f2l_task_table(task, "functions of slots",
                       limit * (sizeof *pool->function + (letters + 1) * sizeof *pool->pulled) +
                           pool->buckets * sizeof *pool->bucket,
                       err);
    if (status != F2L_OK) return status;
    pool->function = f2l_calloc(limit, sizeof *pool->function);
    pool->pulled = f2l_calloc(limit * letters, sizeof *pool->pulled);
    pool->mark = f2l_calloc(limit, sizeof *pool->mark);
    pool->bucket = f2l_calloc(pool->buckets, sizeof *pool->bucket);
    if (pool->function && pool->pulled && pool->mark && pool->bucket) return F2L_OK;
    f2l_slots_pool_clear(pool);
    return f2l_fail_memory(err);
}

void f2l_slots_pool_clear(f2l_slots_pool *pool)
{
    f2l_free(pool->function);
    f2l_free(pool->pulled);
    f2l_free(pool->mark);
    f2l_free(pool->bucket);
    *pool = (f2l_slots_pool){0};
}

/* Complements *f unless it is 0 at the start; returns whether it did. */
static bool complement_unless_zero(f2l_slots_function *f, const f2l_fsa *fsa)
{
    const bool one = f2l_slots_at(f, fsa->start);
    for (size_t q = 0; one && q < fsa->states.count; q++)
        f->word[q / 64] ^= (uint64_t)1 << (q % 64);
    return one;
}

static size_t hash_function(const f2l_slots_function *f)
{
    uint64_t h = 0;
    for (size_t i = 0; i < F2L_SLOTS_MAX_STATES / 64; i++) {
        h = (h ^ f->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h;
}

uint32_t f2l_slots_add(f2l_slots_pool *pool, const f2l_slots_function *f)
{
    static const f2l_slots_function zero;
    const size_t letters = pool->fsa->letters.count;
    f2l_slots_function g = *f;
    const bool flip = complement_unless_zero(&g, pool->fsa);
    if (memcmp(&g, &zero, sizeof g) == 0) return flip ? F2L_SLOTS_ONE : F2L_SLOTS_ZERO;
    size_t at = hash_function(&g) & (pool->buckets - 1);
    for (; pool->bucket[at]; at = (at + 1) & (pool->buckets - 1)) {
        const uint32_t found = pool->bucket[at] - 1;
        if (memcmp(&pool->function[found], &g, sizeof g) == 0) return 2 * found + flip;
    }
    if (pool->count == pool->limit) return F2L_SLOTS_UNSEEN;
    const uint32_t number = (uint32_t)pool->count++;
    pool->function[number] = g;
    for (size_t a = 0; a < letters; a++) pool->pulled[number * letters + a] = F2L_SLOTS_UNSEEN;
    pool->bucket[at] = number + 1;
    return 2 * number + flip;
}

uint32_t f2l_slots_pull(f2l_slots_pool *pool, size_t f, size_t a)
{
    const size_t letters = pool->fsa->letters.count;
    uint32_t *pulled = &pool->pulled[f * letters + a];
    if (*pulled != F2L_SLOTS_UNSEEN) return *pulled;
    f2l_slots_function g = {{0}};
    for (size_t q = 0; q < pool->fsa->states.count; q++)
        if (f2l_slots_at(&pool->function[f], pool->fsa->next[q * letters + a]))
            g.word[q / 64] |= (uint64_t)1 << (q % 64);
    return *pulled = f2l_slots_add(pool, &g);
}

/* Adds the functions to which letters pull back the functions of the family. */
static bool add_pulled(f2l_slots_family *family, f2l_slots_pool *pool, uint64_t *steps)
{
    const size_t letters = pool->fsa->letters.count;
    for (size_t i = 0; i < family->count; i++) {
        *steps += letters * 10;
        for (size_t a = 0; a < letters; a++) {
            const uint32_t g = f2l_slots_pull(pool, family->function[i], a);
            if (g == F2L_SLOTS_UNSEEN) return false;
            if (g >= F2L_SLOTS_ONE || pool->mark[g / 2]) continue;
            if (family->count == F2L_SLOTS_MAX) return false;
            family->function[family->count++] = g / 2;
            pool->mark[g / 2] = (uint32_t)family->count;
        }
    }
    return true;
}

/* Raises numbers of copies until no function is read more often than it has copies. */
static bool count_copies(f2l_slots_family *family, f2l_slots_pool *pool, uint64_t *steps)
{
    const size_t letters = pool->fsa->letters.count;
    for (size_t i = 0; i < family->count; i++) family->copies[i] = 1;
    for (bool raised = true; raised;) {
        raised = false;
        for (size_t a = 0; a < letters; a++) {
            uint32_t reads[F2L_SLOTS_MAX] = {0};
            *steps += 20 + 3 * family->count;
            for (size_t i = 0; i < family->count; i++) {
                const uint32_t g = f2l_slots_pull(pool, family->function[i], a);
                if (g < F2L_SLOTS_ONE) reads[pool->mark[g / 2] - 1] += family->copies[i];
            }
            family->slots = 0;
            for (size_t i = 0; i < family->count; i++) {
                if (reads[i] > family->copies[i]) {
                    family->copies[i] = reads[i];
                    raised = true;
                }
                family->slots += family->copies[i];
            }
            if (family->slots > F2L_SLOTS_MAX) return false;
        }
    }
    return true;
}

/* Returns whether letters lead from function `from` of the family to function `f` or to `g`. */
static bool leads_back(const f2l_slots_family *family, f2l_slots_pool *pool, uint32_t from,
                       uint32_t f, uint32_t g)
{
    uint32_t queue[F2L_SLOTS_MAX] = {from};
    bool seen[F2L_SLOTS_MAX] = {false};
    size_t count = 1;
    seen[from] = true;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < pool->fsa->letters.count; a++) {
            const uint32_t to = f2l_slots_pull(pool, family->function[queue[i]], a);
            if (to >= F2L_SLOTS_ONE || seen[pool->mark[to / 2] - 1]) continue;
            seen[pool->mark[to / 2] - 1] = true;
            queue[count++] = pool->mark[to / 2] - 1;
        }
    return seen[f] || seen[g];
}

/* Returns whether no numbers of copies are enough (K.7). */
static bool is_impossible(const f2l_slots_family *family, f2l_slots_pool *pool, uint64_t *steps)
{
    for (size_t a = 0; a < pool->fsa->letters.count; a++) {
        uint32_t reader[F2L_SLOTS_MAX] = {0};
        for (uint32_t i = 0; i < family->count; i++) {
            const uint32_t g = f2l_slots_pull(pool, family->function[i], a);
            if (g >= F2L_SLOTS_ONE) continue;
            const uint32_t read = pool->mark[g / 2] - 1;
            if (reader[read]) {
                *steps += 3 * family->count * pool->fsa->letters.count;
                if (leads_back(family, pool, read, reader[read] - 1, i)) return true;
            }
            reader[read] = i + 1;
        }
    }
    return false;
}

f2l_slots_outcome f2l_slots_close(f2l_slots_family *family, f2l_slots_pool *pool, uint64_t *steps)
{
    f2l_slots_outcome outcome = F2L_SLOTS_LIMITED;
    for (size_t i = 0; i < family->count; i++) pool->mark[family->function[i]] = (uint32_t)(i + 1);
    family->slots = 0;
    if (add_pulled(family, pool, steps))
        outcome = is_impossible(family, pool, steps)  ? F2L_SLOTS_IMPOSSIBLE
                  : count_copies(family, pool, steps) ? F2L_SLOTS_CLOSED
                                                      : F2L_SLOTS_LIMITED;
    for (size_t i = 0; i < family->count; i++) pool->mark[family->function[i]] = 0;
    return outcome;
}
