/* The search: groups of few points, one after the other; for each a choice of orbits that separates
 * more and more pairs of words, until it separates all. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_ROWS 20000
#define CONFLICTS_AT_ONCE 8
#define GROUP_SHARE 4                         /* of the steps that are left, for one group */
#define MOST_AFTER ((uint64_t)25 * F2L_STEPS) /* steps of a group after slots were found */

/* A share of the steps of a task. */
typedef struct share {
    f2l_task task;
    f2l_effort effort;
} share;

static void open_share(share *s, const f2l_task *of, uint64_t steps)
{
    *s = (share){.effort.limit = steps > 0 ? steps : 1};
    if (of) s->task = *of;
    s->task.effort = &s->effort;
}

typedef struct finder {
    const f2l_orbits_graph *graph;
    f2l_orbits_loops loops;
    f2l_orbits_reach reach;
    uint8_t *edge_met; /* [edges] */
    const f2l_task *task;
    f2l_orbits best;       /* slots.slots 0 and no contents: none */
    f2l_orbits_pool *pool; /* of the group under work */
    bool separable;
} finder;

void f2l_orbits_clear(f2l_orbits *orbits)
{
    f2l_slots_clear(&orbits->slots);
    f2l_free(orbits->tells);
    *orbits = (f2l_orbits){0};
}

/* --- one group --- */

/* Writes what the edges of a chosen orbit do, whose first slot is `first`. */
static void wire_orbit(f2l_orbits *out, uint8_t *initial, const f2l_orbits_pool *pool,
                       const f2l_orbits_orbit *orbit, size_t first)
{
    const f2l_orbits_set *set = &pool->set[orbit->set];
    for (size_t i = 0; i < set->places; i++)
        initial[first + i] = orbit->initial == 1 ? i == 0 : orbit->initial;
    for (size_t e = 0; e < out->slots.letters; e++) {
        const uint8_t *write = f2l_orbits_writes(pool, orbit, e);
        const uint8_t *to = set->to[pool->group->of_edge[e]];
        uint32_t *source = out->slots.source + e * out->slots.slots + first;
        uint8_t *flip = out->slots.flip + e * out->slots.slots + first;
        for (size_t i = 0; i < set->places; i++) {
            const size_t at = pool->edge_met[e] ? to[i] : i;
            const bool keep = !pool->edge_met[e] || write[i] == F2L_ORBITS_KEEP;
            source[at] = keep ? (uint32_t)(first + i) : F2L_SLOTS_WRITTEN;
            flip[at] = keep ? 0 : write[i];
        }
    }
}

f2l_status f2l_orbits_wire(f2l_orbits *out, uint8_t **initial, const f2l_orbits_pool *pool,
                           const uint32_t *chosen, size_t count, f2l_error *err)
{
    f2l_slots *slots = &out->slots;
    slots->letters = pool->graph->vertices * pool->graph->letters;
    for (size_t k = 0; k < count; k++) slots->slots += pool->set[pool->orbit[chosen[k]].set].places;
    if (slots->slots > F2L_SLOTS_MAX)
        return f2l_fail(err, F2L_UNKNOWN, "more than %d slots", F2L_SLOTS_MAX);
    slots->source = f2l_calloc(slots->letters * slots->slots, sizeof *slots->source);
    slots->flip = f2l_calloc(slots->letters * slots->slots, sizeof *slots->flip);
    *initial = f2l_calloc(slots->slots, 1);
    if (!slots->source || !slots->flip || !*initial) return f2l_fail_memory(err);
    for (size_t k = 0, first = 0; k < count; k++) {
        wire_orbit(out, *initial, pool, &pool->orbit[chosen[k]], first);
        first += pool->set[pool->orbit[chosen[k]].set].places;
    }
    out->degree = pool->group->degree;
    out->order = pool->group->order;
    return F2L_OK;
}

static f2l_status add_conflict(void *context, const f2l_orbits_conflict *conflict, f2l_error *err)
{
    finder *f = context;
    bool any;
    f2l_status status = f2l_orbits_pool_separate(&any, f->pool, conflict, err);
    f->separable = f->separable && any;
    return status;
}

/* Returns the number of factors that is to be undercut. */
static size_t bound_of(const finder *f)
{
    return f->best.tells ? f->best.slots.factors : SIZE_MAX;
}

static void prefer_orbits(finder *f, f2l_orbits *found)
{
    const f2l_slots *a = &found->slots, *b = &f->best.slots;
    if (f->best.tells && (a->factors > b->factors ||
                          (a->factors == b->factors && a->row[a->slots] >= b->row[b->slots]))) {
        f2l_orbits_clear(found);
        return;
    }
    f2l_orbits_clear(&f->best);
    f->best = *found;
    *found = (f2l_orbits){0};
}

/* Closes the chosen orbits. *more: they left words that they do not tell apart. */
static f2l_status try_choice(bool *more, finder *f, const uint32_t *chosen, size_t count,
                             const f2l_task *task, f2l_error *err)
{
    f2l_orbits found = {0};
    uint8_t *initial = NULL;
    f2l_orbits_report report = {add_conflict, f, CONFLICTS_AT_ONCE, 0};
    f2l_status status = f2l_orbits_wire(&found, &initial, f->pool, chosen, count, err);
    if (status == F2L_OK)
        status = f2l_orbits_close_with(&found, f->graph, initial, MOST_ROWS, &report, task, err);
    *more = report.found > 0;
    f2l_free(initial);
    if (status == F2L_OK && !*more) prefer_orbits(f, &found);
    f2l_orbits_clear(&found);
    return status;
}

static f2l_status refine_choice(finder *f, const f2l_task *task, f2l_error *err)
{
    uint32_t chosen[F2L_ORBITS_CHOSEN];
    size_t count = 0;
    bool more = true;
    f2l_status status = f2l_orbits_pool_fill(f->pool, err);
    f->separable = true;
    while (status == F2L_OK && more) {
        status = try_choice(&more, f, chosen, count, task, err);
        if (status != F2L_OK || !more || !f->separable) break;
        status = f2l_orbits_choose(chosen, &count, f->pool, bound_of(f), err);
        if (count == 0) break;
    }
    return status;
}

/* Tries a group with a share of the steps. What a limit leaves open there is left open. */
static f2l_status try_group(bool *done, void *context, const f2l_orbits_group *group,
                            f2l_error *err)
{
    finder *f = context;
    const f2l_effort *effort = f->task->effort;
    f2l_error why = {0};
    share s;
    const uint64_t left = effort->limit - effort->spent;
    const uint64_t part = f->graph->signs ? left : left / GROUP_SHARE;
    open_share(&s, f->task, f->best.tells && part > MOST_AFTER ? MOST_AFTER : part);
    f2l_orbits_pool pool = {.graph = f->graph,
                            .group = group,
                            .edge_met = f->edge_met,
                            .meter = {.task = &s.task, .phase = "orbits of slots"}};
    f->pool = &pool;
    f2l_status status = refine_choice(f, &s.task, &why);
    f2l_orbits_pool_clear(&pool);
    *done = f->best.tells != NULL;
    if (status != F2L_OK && (status != F2L_UNKNOWN || f2l_task_stop(f->task) != F2L_STOP_NONE))
        return f2l_fail(err, status, "%s", why.text);
    return f2l_task_spend(f->task, "orbits of slots", s.effort.spent, err);
}

/* --- all groups --- */

static f2l_status open_finder(finder *f, f2l_error *err)
{
    const f2l_orbits_graph *g = f->graph;
    f2l_status status = f2l_orbits_reach_find(&f->reach, g, f->task, err);
    if (status != F2L_OK) return status;
    f->edge_met = f2l_calloc(g->vertices * g->letters, 1);
    if (!f->edge_met) return f2l_fail_memory(err);
    for (size_t e = 0; e < g->vertices * g->letters; e++)
        f->edge_met[e] = f->reach.states[e / g->letters] > 0;
    return F2L_OK;
}

static f2l_status open_loops(finder *f, const f2l_orbits_maps *maps, f2l_error *err)
{
    const f2l_orbits_graph *g = f->graph;
    const size_t cells = g->vertices * F2L_ORBITS_ORDER * maps->count;
    const size_t most = (size_t)1 << 24, limit = cells < most ? cells : most;
    f2l_status status = f2l_task_table(f->task, "loops", 5 * limit, err);
    if (status != F2L_OK) return status;
    f->loops = (f2l_orbits_loops){.graph = g,
                                  .maps = maps,
                                  .reach = &f->reach,
                                  .meter = {.task = f->task, .phase = "groups"},
                                  .limit = limit};
    f->loops.met = f2l_calloc(limit / 64 + 1, sizeof *f->loops.met);
    f->loops.queue = f2l_calloc(limit + 1, sizeof *f->loops.queue);
    return f->loops.met && f->loops.queue ? F2L_OK : f2l_fail_memory(err);
}

static void close_finder(finder *f)
{
    f2l_orbits_reach_clear(&f->reach);
    f2l_free(f->loops.met);
    f2l_free(f->loops.queue);
    f2l_free(f->edge_met);
    f2l_orbits_clear(&f->best);
}

/* Moves the best slots to *out where some were found. */
static f2l_status take_best(f2l_orbits *out, finder *f, f2l_status status, const f2l_error *why,
                            f2l_error *err)
{
    const bool found = f->best.tells != NULL;
    if (status == F2L_UNKNOWN && found && f2l_task_stop(f->task) == F2L_STOP_NONE) status = F2L_OK;
    if (status != F2L_OK) return f2l_fail(err, status, "%s", why->text);
    if (!found)
        return f2l_fail(err, F2L_UNKNOWN,
                        "no slots were found for permutations of at most %d points",
                        F2L_ORBITS_POINTS);
    *out = f->best;
    f->best = (f2l_orbits){0};
    return F2L_OK;
}

static f2l_status search_orbits(f2l_orbits *out, const f2l_orbits_graph *graph,
                                const f2l_orbits_maps *maps, const f2l_task *task, f2l_error *err)
{
    finder f = {.graph = graph, .task = task};
    f2l_error why = {0};
    f2l_status status = open_finder(&f, &why);
    if (status == F2L_OK) status = open_loops(&f, maps, &why);
    if (status == F2L_OK) status = f2l_orbits_groups_search(&f.loops, try_group, &f, &why);
    status = take_best(out, &f, status, &why, err);
    close_finder(&f);
    return status;
}

/* Opens a share of at most `steps` steps of the task, and closes it. */
static void begin_share(share *s, uint64_t steps, const f2l_task *task)
{
    const f2l_effort *outer = task ? task->effort : NULL;
    const uint64_t left = outer && outer->limit ? outer->limit - outer->spent : UINT64_MAX;
    open_share(s, task, steps < left ? steps : left);
}

static void end_share(const share *s, uint64_t steps, const f2l_task *task)
{
    f2l_effort *outer = task ? task->effort : NULL;
    if (!outer) return;
    if (s->effort.limit < steps && s->effort.refused) outer->refused = true;
    outer->spent += s->effort.spent;
}

f2l_status f2l_orbits_find(f2l_orbits *out, const f2l_orbits_graph *graph,
                           const f2l_orbits_maps *maps, uint64_t steps, const f2l_task *task,
                           f2l_error *err)
{
    share s;
    begin_share(&s, steps, task);
    f2l_status status = search_orbits(out, graph, maps, &s.task, err);
    end_share(&s, steps, task);
    return status;
}

/* --- groups alone --- */

void f2l_orbits_cover_clear(f2l_orbits_cover *cover)
{
    f2l_free(cover->image);
    *cover = (f2l_orbits_cover){0};
}

typedef struct cover_seeker {
    f2l_orbits_cover *out;
    size_t edges;
} cover_seeker;

static f2l_status keep_cover(bool *done, void *context, const f2l_orbits_group *group,
                             f2l_error *err)
{
    const cover_seeker *s = context;
    uint8_t *image = f2l_calloc(s->edges, group->degree);
    if (!image) return f2l_fail_memory(err);
    for (size_t e = 0; e < s->edges; e++)
        memcpy(image + e * group->degree, group->generator[group->of_edge[e]], group->degree);
    *s->out = (f2l_orbits_cover){group->degree, group->order, image};
    *done = true;
    return F2L_OK;
}

f2l_status f2l_orbits_cover_find(f2l_orbits_cover *out, const f2l_orbits_graph *graph,
                                 const f2l_orbits_maps *maps, uint64_t steps, const f2l_task *task,
                                 f2l_error *err)
{
    share s;
    begin_share(&s, steps, task);
    finder f = {.graph = graph, .task = &s.task};
    cover_seeker seeker = {out, graph->vertices * graph->letters};
    f2l_status status = open_finder(&f, err);
    if (status == F2L_OK) status = open_loops(&f, maps, err);
    if (status == F2L_OK) status = f2l_orbits_groups_search(&f.loops, keep_cover, &seeker, err);
    if (status == F2L_OK && !out->image)
        status = f2l_fail(err, F2L_UNKNOWN, "no group was found whose loops are idempotents");
    close_finder(&f);
    end_share(&s, steps, task);
    return status;
}
