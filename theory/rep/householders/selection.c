#include "theory/rep/householders/selection.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

#define POLL 4096

/* Weight first, number of items second. */
#define COST(weight) (((uint64_t)(weight) << 20) + 1)
#define INFINITE (UINT64_MAX / 2)

typedef struct search {
    const f2l_selection_problem *problem;
    f2l_selection *best;
    uint64_t best_cost;
    uint32_t *order; /* items by weight */
    uint32_t *times; /* [targets] chosen items that hit it */
    uint8_t *barred; /* [items] were tried at an earlier branch */
    uint8_t *hit;    /* [targets] scratch */
    size_t *open;    /* [parts] targets not hit */
    uint32_t *item;  /* [targets] chosen */
    uint8_t *lifts;  /* [targets + 1][letters] */
    size_t depth, visited, nodes;
    const f2l_task *task;
    f2l_error *err;
    f2l_status status;
} search;

void f2l_selection_clear(f2l_selection *s)
{
    f2l_free(s->item);
    f2l_free(s->lifts);
    memset(s, 0, sizeof *s);
}

static const uint8_t *hits_of(const search *s, size_t item)
{
    return s->problem->hits + item * s->problem->targets;
}

/* Returns the cost of hitting the open targets of one part, taking every item, the cheapest first,
 * that hits an open target: by R1.9 (a matroid) no items do it for less. *taken (room for all
 * targets) may be NULL. */
static uint64_t greedy(const search *s, size_t part, uint32_t *taken, size_t *count)
{
    const f2l_selection_problem *p = s->problem;
    uint64_t cost = 0;
    size_t open = s->open[part];
    for (size_t t = 0; t < p->targets; t++) s->hit[t] = s->times[t] > 0 || p->part[t] != part;
    for (size_t i = 0; i < p->items && open > 0; i++) {
        const uint8_t *hits = hits_of(s, s->order[i]);
        size_t now = 0;
        for (size_t t = 0; t < p->targets; t++) now += hits[t] && !s->hit[t];
        if (now == 0) continue;
        for (size_t t = 0; t < p->targets; t++) s->hit[t] |= hits[t];
        open -= now;
        cost += COST(p->weight[s->order[i]]);
        if (taken) taken[(*count)++] = s->order[i];
    }
    return open > 0 ? INFINITE : cost;
}

static uint64_t bound(const search *s)
{
    uint64_t most = 0;
    for (size_t i = 0; i < s->problem->parts; i++) {
        const uint64_t cost = s->open[i] > 0 ? greedy(s, i, NULL, NULL) : 0;
        if (cost > most) most = cost;
    }
    return most;
}

static void mark_hits(search *s, size_t item, int by)
{
    const uint8_t *hits = hits_of(s, item);
    for (size_t t = 0; t < s->problem->targets; t++) {
        if (!hits[t]) continue;
        const bool was = s->times[t] > 0;
        s->times[t] = (uint32_t)((int)s->times[t] + by);
        const bool is = s->times[t] > 0;
        if (was && !is) s->open[s->problem->part[t]]++;
        if (!was && is) s->open[s->problem->part[t]]--;
    }
}

static bool item_fits(const search *s, size_t item)
{
    if (s->barred[item]) return false;
    const size_t letters = s->problem->letters;
    for (size_t l = 0; l < letters; l++)
        if (!(s->lifts[s->depth * letters + l] & s->problem->allowed[item * letters + l]))
            return false;
    return true;
}

/* Returns the target that the fewest items can still hit; `targets` when all are hit. */
static size_t hardest(const search *s)
{
    const size_t targets = s->problem->targets;
    size_t best = targets, fewest = SIZE_MAX;
    for (size_t t = 0; t < targets && fewest > 0; t++) {
        if (s->times[t]) continue;
        size_t count = 0;
        for (size_t i = 0; i < s->problem->items && count < fewest; i++)
            count += s->problem->hits[i * targets + t] && item_fits(s, i);
        if (count < fewest) {
            fewest = count;
            best = t;
        }
    }
    return best;
}

static void keep_selection(search *s, uint64_t cost)
{
    s->best_cost = cost;
    s->best->found = true;
    s->best->count = s->depth;
    s->best->weight = (size_t)(cost >> 20);
    memcpy(s->best->item, s->item, s->depth * sizeof *s->item);
    const size_t letters = s->problem->letters;
    if (letters > 0) memcpy(s->best->lifts, s->lifts + s->depth * letters, letters);
}

static bool search_stopped(search *s)
{
    if (s->status != F2L_OK || s->visited >= s->nodes) return true;
    if (++s->visited % POLL == 0)
        s->status =
            f2l_task_poll(s->task, "faithful sets", (double)s->visited, (double)s->nodes, s->err);
    return s->status != F2L_OK;
}

static void visit(search *s, uint64_t cost);

/* Branches: every completion hits target t by some item; items tried before need not be tried
 * again. */
static void branch(search *s, size_t t, uint64_t cost)
{
    const size_t letters = s->problem->letters;
    size_t tried = 0;
    for (; tried < s->problem->items; tried++) {
        const uint32_t item = s->order[tried];
        if (!hits_of(s, item)[t] || !item_fits(s, item)) continue;
        if (cost + COST(s->problem->weight[item]) >= s->best_cost)
            break; /* the others weigh no less */
        for (size_t l = 0; l < letters; l++)
            s->lifts[(s->depth + 1) * letters + l] =
                s->lifts[s->depth * letters + l] & s->problem->allowed[item * letters + l];
        s->item[s->depth++] = item;
        mark_hits(s, item, 1);
        visit(s, cost + COST(s->problem->weight[item]));
        mark_hits(s, item, -1);
        s->depth--;
        s->barred[item] = (uint8_t)(s->depth + 1);
        if (s->status != F2L_OK || s->visited >= s->nodes) break;
    }
    for (size_t i = 0; i < s->problem->items; i++)
        if (s->barred[i] == s->depth + 1) s->barred[i] = 0;
}

static void visit(search *s, uint64_t cost)
{
    if (search_stopped(s) || cost + bound(s) >= s->best_cost) return;
    const size_t t = hardest(s);
    if (t == s->problem->targets)
        keep_selection(s, cost);
    else if (s->depth < UINT8_MAX - 1)
        branch(s, t, cost);
    else
        s->visited = s->nodes; /* no group with 2^32 elements gets here */
}

typedef struct weighed {
    size_t weight;
    uint32_t item;
} weighed;

static int compare_weights(const void *left, const void *right)
{
    const weighed *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static f2l_status sort_items(search *s)
{
    const size_t n = s->problem->items;
    weighed *list = f2l_calloc(n, sizeof *list);
    if (!list) return f2l_fail_memory(s->err);
    for (size_t i = 0; i < n; i++) list[i] = (weighed){s->problem->weight[i], (uint32_t)i};
    qsort(list, n, sizeof *list, compare_weights);
    for (size_t i = 0; i < n; i++) s->order[i] = list[i].item;
    f2l_free(list);
    return F2L_OK;
}

/* Starts with the greedy choice part after part, which is the best if there is only one part. */
static void start_greedily(search *s)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < s->problem->parts && cost < INFINITE; i++) {
        const size_t from = s->depth;
        cost += greedy(s, i, s->item, &s->depth);
        for (size_t k = from; k < s->depth; k++) mark_hits(s, s->item[k], 1);
    }
    if (cost < INFINITE) keep_selection(s, cost);
    while (s->depth > 0) mark_hits(s, s->item[--s->depth], -1);
}

static f2l_status prepare_selection(search *s)
{
    const f2l_selection_problem *p = s->problem;
    s->order = f2l_calloc(p->items, sizeof *s->order);
    s->times = f2l_calloc(p->targets, sizeof *s->times);
    s->barred = f2l_calloc(p->items, sizeof *s->barred);
    s->hit = f2l_calloc(p->targets, sizeof *s->hit);
    s->open = f2l_calloc(p->parts, sizeof *s->open);
    s->item = f2l_calloc(p->targets, sizeof *s->item);
    s->lifts = f2l_calloc(p->targets + 1, p->letters);
    s->best->item = f2l_calloc(p->targets, sizeof *s->best->item);
    s->best->lifts = p->letters > 0 ? f2l_calloc(p->letters, 1) : NULL;
    if (!s->order || !s->times || !s->barred || !s->hit || !s->open || !s->item || !s->lifts ||
        !s->best->item || (p->letters > 0 && !s->best->lifts))
        return f2l_fail_memory(s->err);
    memset(s->lifts, 0xff, p->letters);
    for (size_t t = 0; t < p->targets; t++) s->open[p->part[t]]++;
    return sort_items(s);
}

static int compare_items(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

f2l_status f2l_selection_build(f2l_selection *out, const f2l_selection_problem *problem,
                               size_t nodes, const f2l_task *task, f2l_error *err)
{
    memset(out, 0, sizeof *out);
    search s = {.problem = problem,
                .best = out,
                .best_cost = INFINITE,
                .nodes = nodes,
                .task = task,
                .err = err};
    s.status = prepare_selection(&s);
    if (s.status == F2L_OK && problem->letters == 0) start_greedily(&s);
    if (s.status == F2L_OK) visit(&s, 0);
    out->exhausted = s.visited < s.nodes;
    f2l_free(s.order);
    f2l_free(s.times);
    f2l_free(s.barred);
    f2l_free(s.hit);
    f2l_free(s.open);
    f2l_free(s.item);
    f2l_free(s.lifts);
    if (s.status == F2L_OK)
        qsort(out->item, out->count, sizeof *out->item, compare_items);
    else
        f2l_selection_clear(out);
    return s.status;
}
