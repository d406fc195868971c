/* The acting group's elements as words, and the subgroup that may fix H_0. Statements: O.1, O.3 of
 * theory/pages/r1.md. */
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <string.h>

/* Limit on the products of elements that the search for a large stabiliser computes. */
#define WORK 20000000

void f2l_r1_tree_clear(f2l_r1_tree *tree)
{
    f2l_free(tree->queue);
    f2l_free(tree->parent);
    f2l_free(tree->letter);
    f2l_free(tree->state);
    *tree = (f2l_r1_tree){0};
}

f2l_status f2l_r1_tree_init(f2l_r1_tree *tree, const f2l_r1_tables *t, const f2l_r1 *r1,
                            f2l_error *err)
{
    const f2l_group *g = &t->group;
    const f2l_fsa *fsa = r1->fsa;
    *tree = (f2l_r1_tree){.queue = f2l_calloc(g->order, sizeof *tree->queue),
                          .parent = f2l_calloc(g->order, sizeof *tree->parent),
                          .letter = f2l_calloc(g->order, sizeof *tree->letter),
                          .state = f2l_calloc(g->order, sizeof *tree->state)};
    if (!tree->queue || !tree->parent || !tree->letter || !tree->state) {
        f2l_r1_tree_clear(tree);
        return f2l_fail_memory(err);
    }
    size_t count = 1;
    memset(tree->parent, 0xff, g->order * sizeof *tree->parent);
    tree->parent[0] = 0;
    tree->state[0] = (uint32_t)r1->reach.start;
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = tree->queue[i],
                       *next = fsa->next + r1->reach.state[tree->state[x]] * fsa->letters.count;
        for (size_t s = 0; s < g->needed; s++) {
            const uint32_t y = f2l_group_multiply(g, x, t->letter[g->need[s]]);
            if (tree->parent[y] != UINT32_MAX) continue;
            tree->parent[y] = x;
            tree->letter[y] = g->need[s];
            tree->state[y] = r1->reach.position[next[g->need[s]]];
            tree->queue[count++] = y;
        }
    }
    return F2L_OK;
}

typedef struct subgroup {
    uint32_t *member; /* [count], room for the start's stabiliser */
    size_t count;
} subgroup;

typedef struct search {
    const f2l_r1_plan *plan;
    const f2l_group *group;
    size_t start, most; /* the start's position; the order of its stabiliser */
    uint32_t *fixing;   /* [most] the start's stabiliser */
    uint8_t *seen;      /* [order] scratch */
    uint64_t *target;   /* [modules] scratch */
    subgroup now, next, best;
    size_t work;
} search;

/* Returns the sum of the traces of a x over the members a, in one head. */
static uint64_t trace_sum(search *s, const subgroup *h, const f2l_r1_module *m, uint32_t x)
{
    const f2l_r1_tables *t = s->plan->tables;
    uint64_t sum = 0;
    for (size_t i = 0; i < h->count; i++)
        sum += m->trace[t->classes.class_of[f2l_group_multiply(s->group, h->member[i], x)]];
    s->work += h->count;
    return sum % t->characters.prime;
}

/* Returns whether x fixes everything that the members fix (O.3). */
static bool fixes(search *s, const subgroup *h, uint32_t x)
{
    bool same = true;
    for (size_t i = 0; i < s->plan->modules && same; i++)
        same = trace_sum(s, h, &s->plan->module[i], x) == s->target[i];
    return same;
}

/* Adds all elements that fix everything that the members fix; returns false when one of them moves
 * the start. */
static bool close_up(search *s, subgroup *h)
{
    for (size_t i = 0; i < s->plan->modules; i++)
        s->target[i] = trace_sum(s, h, &s->plan->module[i], 0);
    memset(s->seen, 0, s->group->order);
    for (uint32_t x = 0; x < s->group->order; x++) {
        if (s->seen[x]) continue;
        const bool fixed = fixes(s, h, x);
        if (fixed && s->plan->tree.state[x] != s->start) return false;
        for (size_t i = 0; i < h->count; i++)
            s->seen[f2l_group_multiply(s->group, h->member[i], x)] = fixed ? 2 : 1;
        s->work += h->count;
    }
    h->count = 0;
    for (uint32_t x = 0; x < s->group->order; x++)
        if (s->seen[x] == 2) h->member[h->count++] = x;
    return true;
}

/* Adds the elements h y to *out unless they are there. */
static void add_coset(search *s, subgroup *out, const subgroup *h, uint32_t y)
{
    if (s->seen[y]) return;
    for (size_t i = 0; i < h->count; i++) {
        const uint32_t z = f2l_group_multiply(s->group, h->member[i], y);
        s->seen[z] = 1;
        out->member[out->count++] = z;
    }
    s->work += h->count;
}

/* Sets *out to the group that h and x generate: cosets of h, closed under products with x and with
 * h. */
static void generate_with(search *s, subgroup *out, const subgroup *h, uint32_t x)
{
    memset(s->seen, 0, s->group->order);
    out->count = 0;
    add_coset(s, out, h, 0);
    for (size_t first = 0; first < out->count; first += h->count) {
        const uint32_t y = out->member[first];
        add_coset(s, out, h, f2l_group_multiply(s->group, y, x));
        for (size_t i = 0; i < h->count; i++)
            add_coset(s, out, h, f2l_group_multiply(s->group, y, h->member[i]));
        s->work += h->count;
    }
}

static void take_subgroup(subgroup *to, const subgroup *from)
{
    memcpy(to->member, from->member, from->count * sizeof *from->member);
    to->count = from->count;
}

static bool is_member(const subgroup *h, uint32_t x)
{
    bool found = false;
    for (size_t i = 0; i < h->count && !found; i++) found = h->member[i] == x;
    return found;
}

/* Repeatedly adds the element of the start's stabiliser that enlarges the subgroup most. */
static f2l_status grow_subgroup(search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    do {
        take_subgroup(&s->now, &s->best);
        for (size_t i = 0; i < s->most && s->work < WORK && status == F2L_OK; i++) {
            if (is_member(&s->now, s->fixing[i])) continue;
            status = f2l_task_spend(s->plan->task, "the stabiliser of the start", 40 * s->now.count,
                                    err);
            if (status != F2L_OK) break;
            generate_with(s, &s->next, &s->now, s->fixing[i]);
            if (close_up(s, &s->next) && s->next.count > s->best.count)
                take_subgroup(&s->best, &s->next);
            status = f2l_task_poll(s->plan->task, "the stabiliser of the start", (double)i,
                                   (double)s->most, err);
        }
    } while (s->best.count > s->now.count && s->work < WORK && status == F2L_OK);
    return status;
}

static f2l_status search_init(search *s, const f2l_r1_plan *plan, f2l_error *err)
{
    const size_t order = plan->tables->group.order;
    *s = (search){.plan = plan, .group = &plan->tables->group, .start = plan->r1->reach.start};
    for (size_t x = 0; x < order; x++) s->most += plan->tree.state[x] == s->start;
    s->fixing = f2l_calloc(s->most, sizeof *s->fixing);
    s->seen = f2l_calloc(order, 1);
    s->target = f2l_calloc(plan->modules, sizeof *s->target);
    s->now.member = f2l_calloc(s->most, sizeof *s->now.member);
    s->next.member = f2l_calloc(s->most, sizeof *s->next.member);
    s->best.member = f2l_calloc(s->most, sizeof *s->best.member);
    if (!s->fixing || !s->seen || !s->target || !s->now.member || !s->next.member ||
        !s->best.member)
        return f2l_fail_memory(err);
    size_t count = 0;
    for (uint32_t x = 0; x < order; x++)
        if (plan->tree.state[x] == s->start) s->fixing[count++] = x;
    return F2L_OK;
}

f2l_status f2l_r1_stabiliser(uint32_t *member, size_t *members, const f2l_r1_plan *plan,
                             f2l_error *err)
{
    search s;
    f2l_status status = search_init(&s, plan, err);
    if (status == F2L_OK) {
        take_subgroup(&s.next, &(subgroup){.member = s.fixing, .count = s.most});
        s.best.count = 1; /* the identity */
        if (close_up(&s, &s.next))
            take_subgroup(&s.best, &s.next);
        else
            status = grow_subgroup(&s, err);
    }
    if (status == F2L_OK) {
        memcpy(member, s.best.member, s.best.count * sizeof *member);
        *members = s.best.count;
    }
    f2l_free(s.fixing);
    f2l_free(s.seen);
    f2l_free(s.target);
    f2l_free(s.now.member);
    f2l_free(s.next.member);
    f2l_free(s.best.member);
    return status;
}
