/* The chains that a search chooses from. */
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include "theory/construct/copies/impl.h"
#include <string.h>

#define ALL_SETS 10        /* up to this number of states all functions of the state are tried */
#define MOST_FUNCTIONS 512 /* chains of functions of the state */
#define MOST_KINDS ((size_t)1 << 13) /* ways in which letters may act on a slot */
#define MOST_FREE 4                  /* classes of states whose values a way leaves open */
#define MOST_PATHS 20000             /* sets on all paths */

void f2l_copy_chain_clear(f2l_copy_chain *chain)
{
    f2l_free(chain->write);
    f2l_free(chain->copy);
    *chain = (f2l_copy_chain){0};
}

void f2l_copies_pool_clear(f2l_copies_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) f2l_copy_chain_clear(&pool->chain[i]);
    f2l_free(pool->chain);
    f2l_free(pool->hash);
    pool->chain = NULL;
    pool->hash = NULL;
    pool->count = pool->room = pool->hash_room = 0;
}

/* Returns the states that the letter leads into the set. */
static uint64_t pull_set(const f2l_fsa *fsa, uint64_t set, size_t letter)
{
    uint64_t out = 0;
    for (size_t q = 0; q < fsa->states.count; q++)
        out |= (set >> fsa->next[q * fsa->letters.count + letter] & 1) << q;
    return out;
}

static uint64_t all_states(const f2l_fsa *fsa)
{
    return fsa->states.count == 64 ? UINT64_MAX : ((uint64_t)1 << fsa->states.count) - 1;
}

static f2l_status begin_chain(f2l_copy_chain *out, const f2l_fsa *fsa, size_t levels,
                              f2l_error *err)
{
    *out = (f2l_copy_chain){.levels = levels,
                            .write = f2l_calloc(fsa->letters.count, sizeof *out->write),
                            .copy = f2l_calloc(fsa->letters.count, sizeof *out->copy)};
    if (out->write && out->copy) return F2L_OK;
    f2l_copy_chain_clear(out);
    return f2l_fail_memory(err);
}

static bool same_chain(const f2l_copy_chain *a, const f2l_copy_chain *b, size_t letters)
{
    return a->levels == b->levels && a->start == b->start &&
           memcmp(a->write, b->write, letters * sizeof *a->write) == 0 &&
           memcmp(a->copy, b->copy, letters * sizeof *a->copy) == 0;
}

/* Adds the chain, which the pool then owns, unless it is there or its contents never change. */
static f2l_status add_chain(f2l_copies_pool *pool, f2l_copy_chain *chain, f2l_error *err)
{
    const size_t letters = pool->fsa->letters.count;
    uint64_t hash = f2l_hash(f2l_hash(F2L_HASH, chain->levels), chain->start);
    hash = f2l_hash_bytes(hash, chain->write, letters * sizeof *chain->write);
    hash = f2l_hash_bytes(hash, chain->copy, letters * sizeof *chain->copy);
    bool old = pool->count == F2L_COPIES_POOL, moves = false;
    pool->cut = pool->cut || old;
    for (size_t a = 0; a < letters; a++) {
        const size_t factors =
            (size_t)__builtin_popcountll(chain->copy[a]) + (chain->write[a] != F2L_COPIES_KEPT);
        if (factors > chain->factors) chain->factors = factors;
        moves = moves || f2l_copy_step(chain, chain->start, a) != chain->start;
    }
    for (size_t i = 0; !old && i < pool->count; i++)
        old = pool->hash[i] == hash && same_chain(&pool->chain[i], chain, letters);
    if (old || !moves) {
        f2l_copy_chain_clear(chain);
        return F2L_OK;
    }
    if (!f2l_grow((void **)&pool->chain, &pool->room, pool->count, sizeof *pool->chain) ||
        !f2l_grow((void **)&pool->hash, &pool->hash_room, pool->count, sizeof *pool->hash)) {
        f2l_copy_chain_clear(chain);
        return f2l_fail_memory(err);
    }
    pool->hash[pool->count] = hash;
    pool->chain[pool->count++] = *chain;
    return F2L_OK;
}

/* --- slots that hold functions of the state --- */

/* Adds the chain whose slot j holds whether the state is in set[j]: letters write the first, keep
 * the others or copy them from the ones before. */
static f2l_status add_functions(f2l_copies_pool *pool, const uint64_t *set, size_t levels,
                                f2l_error *err)
{
    const f2l_fsa *fsa = pool->fsa;
    f2l_copy_chain chain;
    f2l_status status = begin_chain(&chain, fsa, levels, err);
    if (status != F2L_OK) return status;
    for (size_t j = 0; j < levels; j++) chain.start |= (set[j] >> fsa->start & 1) << j;
    for (size_t a = 0; a < fsa->letters.count; a++) {
        const uint64_t pulled = pull_set(fsa, set[0], a);
        chain.write[a] = pulled == set[0] ? F2L_COPIES_KEPT : pulled != 0;
        for (size_t j = 1; j < levels; j++)
            if (pull_set(fsa, set[j], a) != set[j]) chain.copy[a] |= (uint64_t)1 << j;
    }
    return add_chain(pool, &chain, err);
}

/* The chains of functions that were found, each by its sets; the first has none. */
typedef struct functions {
    uint64_t set[MOST_FUNCTIONS][F2L_COPIES_MAX_LEVELS];
    size_t levels[MOST_FUNCTIONS], count;
} functions;

/* Classes of states that are in a set together or not at all, and what is known of them. */
typedef struct classes {
    uint8_t of[F2L_COPIES_MAX_STATES], value[F2L_COPIES_MAX_STATES];
    bool wrong;
} classes;

enum { OPEN = 2 };

static void join_states(classes *c, const f2l_fsa *fsa, size_t p, size_t q)
{
    const uint8_t from = c->of[p], to = c->of[q];
    if (from == to) return;
    for (size_t i = 0; i < fsa->states.count; i++)
        if (c->of[i] == from) c->of[i] = to;
    if (c->value[from] == OPEN) return;
    c->wrong = c->wrong || (c->value[to] != OPEN && c->value[to] != c->value[from]);
    c->value[to] = c->value[from];
}

static void set_state(classes *c, size_t q, uint8_t value)
{
    uint8_t *now = &c->value[c->of[q]];
    c->wrong = c->wrong || (*now != OPEN && *now != value);
    *now = value;
}

/* Finds what is known of a set that letters keep, or pull back to none or all of the states, or in
 * a chain to the set `before`; digit a of `kinds`, in the base 3 or 2, tells which. */
static classes find_classes(const f2l_fsa *fsa, size_t kinds, const uint64_t *before)
{
    const size_t letters = fsa->letters.count, base = before ? 2 : 3;
    classes c = {.wrong = false};
    for (size_t q = 0; q < fsa->states.count; q++) {
        c.of[q] = (uint8_t)q;
        c.value[q] = OPEN;
    }
    for (size_t a = 0; a < letters && !c.wrong; a++, kinds /= base)
        for (size_t q = 0; q < fsa->states.count; q++) {
            const size_t to = fsa->next[q * letters + a];
            if (kinds % base == 0)
                join_states(&c, fsa, q, to);
            else
                set_state(&c, to, (uint8_t)(before ? *before >> q & 1 : kinds % base == 2));
        }
    return c;
}

/* Adds a chain of functions for each set that the classes allow, after chain i. */
static f2l_status add_sets(f2l_copies_pool *pool, functions *f, size_t i, const classes *c,
                           f2l_error *err)
{
    const size_t states = pool->fsa->states.count;
    uint8_t open[MOST_FREE];
    size_t count = 0;
    for (size_t q = 0; q < states; q++) {
        if (c->of[q] != q || c->value[q] != OPEN) continue;
        if (count == MOST_FREE) return F2L_OK;
        open[count++] = (uint8_t)q;
    }
    f2l_status status = F2L_OK;
    for (size_t choice = 0; status == F2L_OK && choice < (size_t)1 << count; choice++) {
        uint64_t set = 0;
        for (size_t q = 0; q < states; q++) {
            uint8_t value = c->value[c->of[q]];
            for (size_t k = 0; value == OPEN && k < count; k++)
                if (open[k] == c->of[q]) value = choice >> k & 1;
            set |= (uint64_t)(value & 1) << q;
        }
        if (set == 0 || set == all_states(pool->fsa) || f->count == MOST_FUNCTIONS) continue;
        memcpy(f->set[f->count], f->set[i], sizeof f->set[i]);
        f->set[f->count][f->levels[i]] = set;
        f->levels[f->count] = f->levels[i] + 1;
        status = add_functions(pool, f->set[f->count], f->levels[f->count], err);
        f->count++;
    }
    return status;
}

f2l_status f2l_copies_pool_functions(f2l_copies_pool *pool, f2l_error *err)
{
    const f2l_fsa *fsa = pool->fsa;
    const uint64_t steps = fsa->letters.count * fsa->states.count / 2 + 4;
    functions *f = f2l_calloc(1, sizeof *f);
    f2l_status status = f ? F2L_OK : f2l_fail_memory(err);
    if (f) f->count = 1;
    for (size_t i = 0; status == F2L_OK && i < f->count; i++) {
        const uint64_t *before = i > 0 ? &f->set[i][f->levels[i] - 1] : NULL;
        size_t ways = 1;
        for (size_t a = 0; a < fsa->letters.count && ways <= MOST_KINDS; a++)
            ways *= before ? 2 : 3;
        if (ways > MOST_KINDS || f->levels[i] == F2L_COPIES_MAX_LEVELS) continue;
        for (size_t kinds = 1; status == F2L_OK && kinds < ways; kinds++) {
            status = f2l_meter_spend(&pool->meter, steps, (double)i, (double)f->count, err);
            const classes c = find_classes(fsa, kinds, before);
            if (status == F2L_OK && !c.wrong) status = add_sets(pool, f, i, &c, err);
        }
    }
    f2l_free(f);
    return status;
}

/* --- the chains of M.2 --- */

typedef struct path {
    uint64_t set[F2L_COPIES_MAX_LEVELS]; /* set[0] is a state; letters pull each to the next */
    size_t length, met;
} path;

/* Adds the chain that brings the mark of step `mark` to the end of the path: steps are numbered
 * from 1, the first one that a word takes; 0 marks that no letter came before it. */
static f2l_status add_mark(f2l_copies_pool *pool, const path *p, size_t mark, f2l_error *err)
{
    const f2l_fsa *fsa = pool->fsa;
    const size_t steps = p->length - 1;
    f2l_copy_chain chain;
    f2l_status status = begin_chain(&chain, fsa, 1 + steps - mark, err);
    if (status != F2L_OK) return status;
    chain.start = mark == 0;
    for (size_t a = 0; a < fsa->letters.count; a++) {
        const uint64_t set = p->set[steps - mark], pulled = pull_set(fsa, set, a);
        const bool marks = mark > 0 && pulled == p->set[steps - mark + 1];
        chain.write[a] = pulled == set ? F2L_COPIES_KEPT : marks;
        for (size_t j = mark + 1; j <= steps; j++)
            if (pull_set(fsa, p->set[steps - j], a) == p->set[steps - j + 1])
                chain.copy[a] |= (uint64_t)1 << (j - mark);
    }
    return add_chain(pool, &chain, err);
}

static f2l_status follow_path(f2l_copies_pool *pool, path *p, f2l_error *err);

/* Follows the path through one set more. */
static f2l_status lengthen_path(f2l_copies_pool *pool, path *p, uint64_t set, f2l_error *err)
{
    for (size_t i = 0; i < p->length; i++)
        if (p->set[i] == set)
            return f2l_fail(err, F2L_EDOMAIN,
                            "its transition semigroup is not L-trivial: letters lead from a set of "
                            "states back to it");
    if (p->length == F2L_COPIES_MAX_LEVELS || p->met >= MOST_PATHS) {
        pool->cut = true;
        return F2L_OK;
    }
    p->set[p->length++] = set;
    const f2l_status status = follow_path(pool, p, err);
    p->length--;
    return status;
}

/* Adds the chains of a path that may begin here, and follows it; NOLINTNEXTLINE(misc-no-recursion)
 */
static f2l_status follow_path(f2l_copies_pool *pool, path *p, f2l_error *err)
{
    const f2l_fsa *fsa = pool->fsa;
    const uint64_t set = p->set[p->length - 1];
    p->met++;
    f2l_status status = f2l_meter_spend(
        &pool->meter, (p->length + 1) * fsa->letters.count * (4 + fsa->states.count / 4),
        (double)p->met, MOST_PATHS, err);
    for (size_t mark = set == all_states(fsa); status == F2L_OK && mark < p->length; mark++)
        if (set >> fsa->start & 1) status = add_mark(pool, p, mark, err);
    for (size_t a = 0; status == F2L_OK && a < fsa->letters.count; a++) {
        const uint64_t pulled = pull_set(fsa, set, a);
        bool seen = pulled == set || pulled == 0;
        for (size_t b = 0; !seen && b < a; b++) seen = pull_set(fsa, set, b) == pulled;
        if (!seen) status = lengthen_path(pool, p, pulled, err);
    }
    return status;
}

f2l_status f2l_copies_pool_marks(f2l_copies_pool *pool, f2l_error *err)
{
    path p = {.met = 0};
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < pool->fsa->states.count; q++) {
        p.set[0] = (uint64_t)1 << q;
        p.length = 1;
        status = follow_path(pool, &p, err);
    }
    return status;
}
