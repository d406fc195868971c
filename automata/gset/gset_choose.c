/* Choosing quotients that are jointly faithful: their sets of states that look like the start meet
 * in the start alone (T3.4). Cost: points, then the sum of the worst reflections. */
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* Intersections the exact search may hold, and words they may take. */
#define MAX_NODES 4096
#define MAX_WORDS ((size_t)1 << 23)

void f2l_gset_pool_clear(f2l_gset_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        f2l_free(pool->item[i].label);
        f2l_free(pool->item[i].same);
        f2l_free(pool->item[i].load);
    }
    f2l_free(pool->item);
    *pool = (f2l_gset_pool){0};
}

void f2l_gset_choice_clear(f2l_gset_choice *choice)
{
    f2l_free(choice->item);
    *choice = (f2l_gset_choice){0};
}

static bool is_cheaper_choice(size_t points1, size_t reflections1, size_t points2,
                              size_t reflections2)
{
    return points1 != points2 ? points1 < points2 : reflections1 < reflections2;
}

/* An intersection of sets, the cheapest way to it known, and how it was reached. */
typedef struct node {
    size_t points, reflections, item, parent;
    bool done;
} node;

typedef struct choosing {
    const f2l_gset_pool *pool;
    size_t words, states, letters;
    f2l_gset_work *work;
    const f2l_gset_choice *best; /* to be beaten */
    node *nodes;
    uint64_t *set;  /* [room + 1][words]; the last is scratch */
    uint32_t *load; /* [room + 1][letters] reflections of every letter, likewise */
    size_t count, room;
    size_t goal; /* the node of the start alone, SIZE_MAX until found */
} choosing;

/* Records that node `parent` and a candidate lead to the scratch set; false when there is no room
 * for it. Ways no cheaper than the best known choice are forgotten. */
static bool record_choice(choosing *c, size_t parent, size_t item)
{
    const uint64_t *set = c->set + c->room * c->words;
    const f2l_gset_candidate *candidate = &c->pool->item[item];
    uint32_t *load = c->load + c->room * c->letters;
    const uint32_t *old = c->load + parent * c->letters;
    size_t points = c->nodes[parent].points + candidate->blocks, reflections = 0, i = 0;
    for (size_t a = 0; a < c->letters; a++) {
        load[a] = old[a] + candidate->load[a];
        if (load[a] > reflections) reflections = load[a];
    }
    if (!is_cheaper_choice(points, reflections, c->best->points, c->best->reflections)) return true;
    while (i < c->count && memcmp(c->set + i * c->words, set, c->words * sizeof *set) != 0) i++;
    if (i == c->room) return false;
    if (i == c->count) {
        memcpy(c->set + i * c->words, set, c->words * sizeof *set);
        c->count++;
        if (f2l_gset_bits_count(set, c->states) == 1) c->goal = i;
    } else if (!is_cheaper_choice(points, reflections, c->nodes[i].points,
                                  c->nodes[i].reflections)) {
        return true;
    }
    memcpy(c->load + i * c->letters, load, c->letters * sizeof *load);
    c->nodes[i] =
        (node){.points = points, .reflections = reflections, .item = item, .parent = parent};
    return true;
}

/* Sets the scratch set to the intersection of node i with a candidate; returns false when that is
 * node i itself. */
static bool meet_candidate(const choosing *c, size_t i, const f2l_gset_candidate *candidate)
{
    uint64_t *out = c->set + c->room * c->words;
    const uint64_t *set = c->set + i * c->words;
    uint64_t lost = 0;
    for (size_t w = 0; w < c->words; w++) {
        out[w] = set[w] & candidate->same[w];
        lost |= set[w] & ~candidate->same[w];
    }
    return lost != 0;
}

/* Finds the cheapest paths from all states to the start alone (Dijkstra). Returns false when it
 * stopped early. */
static bool expand_all(choosing *c)
{
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < c->count; i++) {
            if (c->nodes[i].done) continue;
            if (best == SIZE_MAX ||
                is_cheaper_choice(c->nodes[i].points, c->nodes[i].reflections,
                                  c->nodes[best].points, c->nodes[best].reflections)) {
                best = i;
            }
        }
        if (best == SIZE_MAX || best == c->goal) return true;
        c->nodes[best].done = true;
        if (!f2l_gset_work_spend(c->work, c->count + c->pool->count * (2 * c->words + c->letters)))
            return false;
        for (size_t k = 0; k < c->pool->count; k++) {
            if (meet_candidate(c, best, &c->pool->item[k]) && !record_choice(c, best, k))
                return false;
        }
    }
}

/* Chooses greedily where the exact search is too long: from all states on, always the candidate
 * with the best bits per point. */
static void choose_greedily(choosing *c)
{
    size_t at = 0;
    c->count = 1;
    c->goal = SIZE_MAX;
    while (c->goal == SIZE_MAX && c->count < c->room) {
        size_t best = SIZE_MAX;
        double best_gain = 0;
        double mine = log2((double)f2l_gset_bits_count(c->set + at * c->words, c->states));
        for (size_t k = 0; k < c->pool->count; k++) {
            if (!meet_candidate(c, at, &c->pool->item[k])) continue;
            double left = log2((double)f2l_gset_bits_count(c->set + c->room * c->words, c->states));
            double gain = (mine - left) / (double)c->pool->item[k].blocks;
            if (gain <= best_gain) continue;
            best_gain = gain;
            best = k;
        }
        if (best == SIZE_MAX) return;
        meet_candidate(c, at, &c->pool->item[best]);
        size_t before = c->count;
        record_choice(c, at, best);
        if (c->count == before) return;
        at = before;
    }
}

/* Takes the path to the goal as the choice if it is cheaper. */
static f2l_status take_goal_path(f2l_gset_choice *best, const choosing *c, f2l_error *err)
{
    if (c->goal == SIZE_MAX) return F2L_OK;
    const node *goal = &c->nodes[c->goal];
    if (!is_cheaper_choice(goal->points, goal->reflections, best->points, best->reflections))
        return F2L_OK;
    f2l_gset_choice out = {.points = goal->points, .reflections = goal->reflections};
    for (size_t i = c->goal; i != 0; i = c->nodes[i].parent) out.count++;
    out.item = f2l_calloc(out.count, sizeof *out.item);
    if (out.item == NULL) return f2l_fail_memory(err);
    size_t at = out.count;
    for (size_t i = c->goal; i != 0; i = c->nodes[i].parent) out.item[--at] = c->nodes[i].item;
    f2l_gset_choice_clear(best);
    *best = out;
    return F2L_OK;
}

f2l_status f2l_gset_pool_choose(f2l_gset_choice *best, bool *complete, const f2l_gset_pool *pool,
                                size_t states, size_t letters, f2l_gset_work *work, f2l_error *err)
{
    choosing c = {
        .pool = pool, .words = F2L_GSET_WORDS(states), .states = states, .letters = letters};
    c.work = work;
    c.best = best;
    c.goal = SIZE_MAX;
    c.room = MAX_WORDS / (c.words + letters) < MAX_NODES ? MAX_WORDS / (c.words + letters) + 1
                                                         : MAX_NODES;
    c.nodes = f2l_calloc(c.room, sizeof *c.nodes);
    c.set = f2l_calloc(c.room + 1, c.words * sizeof *c.set);
    c.load = f2l_calloc(c.room + 1, letters * sizeof *c.load);
    f2l_status status =
        c.nodes != NULL && c.set != NULL && c.load != NULL ? F2L_OK : f2l_fail_memory(err);
    *complete = false;
    if (status == F2L_OK) {
        for (size_t q = 0; q < states; q++) c.set[q / 64] |= UINT64_C(1) << (q % 64);
        c.count = 1;
        *complete = expand_all(&c);
        status = work->status;
        if (status == F2L_OK && !*complete) choose_greedily(&c);
        if (status == F2L_OK) status = take_goal_path(best, &c, err);
    }
    f2l_free(c.nodes);
    f2l_free(c.set);
    f2l_free(c.load);
    return status;
}
