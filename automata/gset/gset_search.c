/* The search through block systems: a depth-first walk upwards from the singletons of every base,
 * and, where that does not come to its end, a few greedy climbs that give a jointly faithful family
 * quickly (T3.5). */
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <string.h>

/* Bytes the pool may hold. */
#define POOL_BYTES ((size_t)64 << 20)
/* Proper block systems at least halve the points: no chain of 32-bit points is longer. */
#define MAX_DEPTH 34
#define MAX_CLIMBS 256
/* Any fixed value: equal input gives equal output. */
#define CLIMB_SEED 20240229

void f2l_gset_search_clear(f2l_gset_search *search)
{
    f2l_gset_pool_clear(&search->pool);
    f2l_free(search->colour);
    f2l_free(search->seen);
    search->colour = NULL;
    search->seen = NULL;
    search->colour_entries = search->searched = 0;
}

static const f2l_gset_action *states_of(const f2l_gset_search *s)
{
    return &s->bases->base[0];
}

static f2l_status need_colour(f2l_gset_search *s, size_t entries, f2l_error *err)
{
    if (entries <= s->colour_entries) return F2L_OK;
    f2l_free(s->colour);
    s->colour_entries = 0;
    s->colour = f2l_calloc(entries, sizeof *s->colour);
    if (s->colour == NULL) return f2l_fail_memory(err);
    s->colour_entries = entries;
    return F2L_OK;
}

static void candidate_clear(f2l_gset_candidate *candidate)
{
    f2l_free(candidate->label);
    f2l_free(candidate->same);
    f2l_free(candidate->load);
}

static f2l_status make_candidate(f2l_gset_candidate *out, const f2l_gset_search *s, size_t base,
                                 const f2l_gset_blocks *system, const uint64_t *same,
                                 f2l_error *err)
{
    size_t words = F2L_GSET_WORDS(states_of(s)->points), points = s->bases->base[base].points;
    const f2l_gset_action *action = &system->action;
    *out = (f2l_gset_candidate){.base = base, .blocks = system->blocks};
    out->label = f2l_calloc(points, sizeof *out->label);
    out->same = f2l_calloc(words, sizeof *out->same);
    out->load = f2l_calloc(action->letters, sizeof *out->load);
    if (out->label == NULL || out->same == NULL || out->load == NULL) {
        candidate_clear(out);
        return f2l_fail_memory(err);
    }
    memcpy(out->label, system->label, points * sizeof *out->label);
    memcpy(out->same, same, words * sizeof *out->same);
    for (size_t a = 0; a < action->letters; a++) {
        size_t reflections = action->points - f2l_gset_action_cycles(action, a, s->seen);
        out->load[a] = (uint32_t)reflections;
        if (reflections > out->reflections) out->reflections = reflections;
    }
    return F2L_OK;
}

static bool is_cheaper_candidate(const f2l_gset_candidate *a, size_t points, size_t reflections)
{
    return a->blocks != points ? a->blocks < points : a->reflections < reflections;
}

/* Keeps the quotient, in the place of one that has the same set `same` and is dearer. */
static f2l_status keep_candidate(f2l_gset_search *s, size_t base, const f2l_gset_blocks *system,
                                 const uint64_t *same, f2l_error *err)
{
    size_t states = states_of(s)->points, words = F2L_GSET_WORDS(states), i = 0;
    size_t bytes = words * sizeof *same +
                   (s->bases->base[base].points + system->action.letters) * sizeof(uint32_t);
    f2l_gset_candidate new;
    f2l_status status = make_candidate(&new, s, base, system, same, err);
    if (status != F2L_OK) return status;
    if (f2l_gset_bits_count(same, states) == 1 &&
        is_cheaper_candidate(&new, s->points, s->reflections)) {
        s->points = new.blocks;
        s->reflections = new.reflections;
    }
    while (i < s->pool.count && memcmp(s->pool.item[i].same, same, words * sizeof *same) != 0) i++;
    bool known = i < s->pool.count;
    if (known && is_cheaper_candidate(&new, s->pool.item[i].blocks, s->pool.item[i].reflections)) {
        candidate_clear(&s->pool.item[i]);
        s->pool.item[i] = new;
        return F2L_OK;
    }
    bool full = s->pool.bytes + bytes > POOL_BYTES;
    if (full) s->complete = false;
    if (!known && !full) {
        if (f2l_grow((void **)&s->pool.item, &s->pool.capacity, s->pool.count,
                     sizeof *s->pool.item)) {
            s->pool.item[s->pool.count++] = new;
            s->pool.bytes += bytes;
            return F2L_OK;
        }
        status = f2l_fail_memory(err);
    }
    candidate_clear(&new);
    return status;
}

static bool good_enough(const f2l_gset_search *s)
{
    return s->points <= s->bases->least_points && s->reflections <= s->bases->least_reflections;
}

/* Looks at one quotient. *useful is false when it, and so everything coarser, separates no states.
 */
static f2l_status consider_quotient(f2l_gset_search *s, size_t base, const f2l_gset_blocks *system,
                                    uint64_t *same, bool *useful, f2l_gset_work *work,
                                    f2l_error *err)
{
    size_t states = states_of(s)->points, entries;
    *useful = true;
    if (system->blocks > s->points || (base == 0 && system->blocks == states)) return F2L_OK;
    if (!f2l_mul_size(&entries, states, system->blocks) || entries > s->entries) {
        if (system->blocks < s->skipped) s->skipped = system->blocks;
        return F2L_OK;
    }
    f2l_status status = need_colour(s, entries, err);
    if (status != F2L_OK) return status;
    if (!f2l_gset_colours(s->colour, states_of(s), s->bases->reach.start, &system->action,
                          &s->bases->some, s->regular, work)) {
        return work->status;
    }
    f2l_gset_colours_same(same, s->colour, NULL, states, system->blocks, s->bases->reach.start);
    *useful = f2l_gset_bits_count(same, states) < states;
    return *useful ? keep_candidate(s, base, system, same, err) : F2L_OK;
}

/* Walks depth first: the coarse systems, which are cheap, come before the next merge of a fine
 * one. */
static f2l_status walk_lattice(f2l_gset_search *s, size_t base, f2l_gset_lattice *lattice,
                               f2l_gset_blocks *stack, size_t *depth, uint64_t *same,
                               f2l_gset_work *work, f2l_error *err)
{
    bool useful;
    f2l_status status = f2l_gset_lattice_trivial(&stack[0], lattice, err);
    if (status != F2L_OK) return status;
    *depth = 1;
    status = consider_quotient(s, base, &stack[0], same, &useful, work, err);
    while (status == F2L_OK && *depth > 0 && !work->stopped && !good_enough(s)) {
        f2l_gset_blocks *top = &stack[*depth - 1];
        if (!useful || top->tried + 1 >= top->blocks) {
            f2l_gset_blocks_clear(top);
            (*depth)--;
            useful = true;
            continue;
        }
        status = f2l_gset_lattice_merge(&stack[*depth], lattice, top, ++top->tried, true, err);
        if (status != F2L_OK || stack[*depth].blocks == 0) continue;
        (*depth)++;
        status = consider_quotient(s, base, &stack[*depth - 1], same, &useful, work, err);
    }
    return status;
}

/* Sets order[] to the numbers 1 .. count-1 in random order. */
static void shuffle_numbers(uint32_t *order, size_t count, f2l_rng *rng)
{
    for (size_t i = 1; i < count; i++) {
        size_t j = 1 + (size_t)f2l_rng_below(rng, i);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

/* What the climbs share. */
typedef struct climber {
    f2l_gset_search *search;
    f2l_gset_lattice lattice;
    f2l_gset_work *work;
    f2l_rng rng;
    uint32_t *order;  /* [states] */
    uint64_t *common; /* the states that no quotient found tells from the start */
} climber;

/* Climbs from the singletons of the states upwards as long as `state` stays outside the start's
 * block: then the quotient tells the two apart (T3.5). Random merges lead to large blocks, because
 * most pairs of elements generate a large group. */
static f2l_status climb(f2l_gset_blocks *top, climber *c, size_t state, f2l_error *err)
{
    size_t start = c->search->bases->reach.start;
    f2l_status status = f2l_gset_lattice_trivial(top, &c->lattice, err);
    if (status == F2L_OK) shuffle_numbers(c->order, top->blocks, &c->rng);
    for (size_t i = 1; status == F2L_OK && i < top->blocks && !c->work->stopped; i++) {
        f2l_gset_blocks next;
        status = f2l_gset_lattice_merge(&next, &c->lattice, top, c->order[i], false, err);
        if (status != F2L_OK || next.blocks == 0) continue;
        if (next.label[state] == next.label[start]) {
            f2l_gset_blocks_clear(&next);
            continue;
        }
        f2l_gset_blocks_clear(top);
        *top = next;
        shuffle_numbers(c->order, top->blocks, &c->rng);
        i = 0;
    }
    return status;
}

/* Returns a state to tell from the start: one of the states not told apart so far, otherwise
 * any. */
static size_t next_target(climber *c)
{
    size_t states = states_of(c->search)->points, start = c->search->bases->reach.start;
    size_t first = (size_t)f2l_rng_below(&c->rng, states);
    for (size_t i = 0; i < states; i++) {
        size_t q = first + i < states ? first + i : first + i - states;
        if (q != start && (c->common[q / 64] >> (q % 64) & 1)) return q;
    }
    if (first != start) return first;
    return first == 0 ? 1 : first - 1;
}

static f2l_status climbs(climber *c, uint64_t *same, f2l_error *err)
{
    f2l_gset_search *s = c->search;
    size_t words = F2L_GSET_WORDS(states_of(s)->points);
    f2l_status status = F2L_OK;
    memset(c->common, 0xff, words * sizeof *c->common);
    for (size_t n = 0; n < MAX_CLIMBS && status == F2L_OK && !c->work->stopped && !good_enough(s);
         n++) {
        f2l_gset_blocks top = {0};
        bool useful;
        memset(same, 0xff, words * sizeof *same);
        status = climb(&top, c, next_target(c), err);
        if (status == F2L_OK && !c->work->stopped)
            status = consider_quotient(s, 0, &top, same, &useful, c->work, err);
        f2l_gset_blocks_clear(&top);
        for (size_t w = 0; w < words; w++) c->common[w] &= same[w];
    }
    return status;
}

static f2l_status search_base(f2l_gset_search *s, size_t base, uint64_t *same, f2l_gset_work *work,
                              f2l_error *err)
{
    f2l_gset_lattice lattice;
    f2l_gset_blocks stack[MAX_DEPTH] = {{0}};
    size_t depth = 0;
    f2l_status status =
        f2l_gset_lattice_init(&lattice, &s->bases->base[base], &s->bases->some, work, err);
    if (status == F2L_OK) status = walk_lattice(s, base, &lattice, stack, &depth, same, work, err);
    for (size_t i = 0; i < depth; i++) f2l_gset_blocks_clear(&stack[i]);
    f2l_gset_lattice_clear(&lattice);
    return status;
}

static f2l_status run_climbs(f2l_gset_search *s, uint64_t *same, f2l_gset_work *work,
                             f2l_error *err)
{
    size_t states = states_of(s)->points;
    climber c = {.search = s, .work = work};
    f2l_rng_init(&c.rng, CLIMB_SEED, 0);
    c.order = f2l_calloc(states, sizeof *c.order);
    c.common = f2l_calloc(F2L_GSET_WORDS(states), sizeof *c.common);
    f2l_status status = c.order != NULL && c.common != NULL ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = f2l_gset_lattice_init(&c.lattice, states_of(s), &s->bases->some, work, err);
    if (status == F2L_OK) status = climbs(&c, same, err);
    f2l_gset_lattice_clear(&c.lattice);
    f2l_free(c.order);
    f2l_free(c.common);
    return status;
}

f2l_status f2l_gset_search_run(f2l_gset_search *s, f2l_gset_work *work, f2l_error *err)
{
    size_t most = 0;
    for (size_t b = 0; b < s->bases->bases; b++)
        most = s->bases->base[b].points > most ? s->bases->base[b].points : most;
    uint64_t *same = f2l_calloc(F2L_GSET_WORDS(states_of(s)->points), sizeof *same);
    f2l_free(s->seen);
    s->seen = f2l_calloc(most, 1);
    const bool first = s->searched == 0;
    if (first) {
        s->complete = true;
        s->skipped = SIZE_MAX;
    }
    f2l_status status = same != NULL && s->seen != NULL ? F2L_OK : f2l_fail_memory(err);
    uint64_t reserve = work->left / 2;
    work->left -= reserve;
    /* The states last: the smaller sets bound the larger search. */
    const size_t bases = s->bases->bases;
    for (size_t i = s->searched; i < bases && status == F2L_OK && !work->stopped && !good_enough(s);
         i++)
        status = search_base(s, first ? (i + 1) % bases : i, same, work, err);
    s->searched = bases;
    if (status == F2L_OK) status = work->status;
    if (work->stopped) s->complete = false;
    work->left += reserve;
    if (status == F2L_OK && first && !s->complete && s->points > s->bases->least_points) {
        work->stopped = false;
        status = run_climbs(s, same, work, err);
        if (status == F2L_OK) status = work->status;
    }
    work->stopped = false;
    f2l_free(same);
    return status;
}
