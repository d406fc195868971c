/* A level on several heads: congruences of the level's machine that together separate its
 * coordinates, one head for each (theory/pages/t4.md, T4.13). */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"
#include <stdio.h>
#include <string.h>

/* Limits of what is examined: coordinates of a level, coordinates where several orders are tried,
 * coordinates times acts. */
#define WIDEST 1024
#define MOST_REORDERED 64
#define MOST_IMAGES ((size_t)1 << 22)
#define FEWEST 4 /* with two or three coordinates two heads are never better: T4.13 */

/* --- what the contexts do --- */

/* Writes the image of every coordinate; a permutation of a smaller cover leaves the others
 * unchanged. */
static void write_act(uint32_t *row, const f2l_t4_plan *plan, const f2l_context *x)
{
    const size_t points = plan->cascade->cover_count[x->from];
    for (uint32_t i = 0; i < plan->m; i++)
        row[i] = i < points ? plan->level->image[x->permutation + i] : i;
}

static bool is_too_much(const f2l_t4_plan *plan)
{
    return plan->acts.count > MOST_IMAGES / plan->m;
}

/* Finds the acts, or the first ones where there are too many. */
static f2l_status find_acts(f2l_t4_plan *plan, f2l_error *err)
{
    const size_t contexts = plan->level->contexts;
    f2l_meter meter = {.task = plan->task, .phase = "acts of a level"};
    f2l_status status =
        f2l_task_table(plan->task, "acts of a level", contexts * sizeof *plan->act_of, err);
    if (status != F2L_OK) return status;
    uint32_t *row = f2l_calloc(plan->m, sizeof *row);
    plan->act_of = f2l_calloc(contexts, sizeof *plan->act_of);
    if (row == NULL || plan->act_of == NULL) status = f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < contexts && !is_too_much(plan); i++) {
        const f2l_context *x = &plan->level->context[i];
        size_t act;
        status = f2l_meter_spend(&meter, 1, (double)i, (double)contexts, err);
        if (status != F2L_OK || x->action != F2L_ACTION_PERMUTATION) continue;
        status = f2l_meter_spend(&meter, 5 + plan->m, (double)i, (double)contexts, err);
        if (status != F2L_OK) break;
        write_act(row, plan, x);
        status = f2l_rowset_add(&plan->acts, row, plan->m, &act, err);
        plan->act_of[i] = (uint32_t)act;
    }
    f2l_free(row);
    return status;
}

/* Returns the number of coordinate i in an order of the coordinates: the search for congruences
 * prefers to merge those that come first, and other orders give other families. */
static size_t place_in_order(size_t i, size_t order, size_t m)
{
    return order == 0 ? i : order == 1 ? m - 1 - i : (i + m / 2) % m;
}

/* Makes an automaton whose states are the coordinates, in an order, and whose letters are the acts.
 * Resets respect every equivalence, and are left out. */
static f2l_status make_act_machine(f2l_fsa *out, const f2l_t4_plan *plan, size_t order,
                                   f2l_error *err)
{
    const size_t acts = plan->acts.count, m = plan->m;
    char name[32];
    size_t index;
    f2l_status status = f2l_task_spend(plan->task, "acts of a level", 100 * (acts + m), err);
    for (size_t i = 0; status == F2L_OK && i < m + acts; i++) {
        const int size = snprintf(name, sizeof name, "%zu", i);
        status =
            f2l_names_add(i < m ? &out->states : &out->letters, name, (size_t)size, &index, err);
    }
    if (status == F2L_OK)
        status = f2l_task_table(plan->task, "acts of a level", acts * m * sizeof *out->next, err);
    if (status != F2L_OK) return status;
    out->next = f2l_calloc(acts * m, sizeof *out->next);
    if (out->next == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < acts; a++) {
        const uint32_t *row = f2l_rowset_get(&plan->acts, a, NULL);
        for (size_t i = 0; i < m; i++)
            out->next[place_in_order(i, order, m) * acts + a] =
                (uint32_t)place_in_order(row[i], order, m);
    }
    return F2L_OK;
}

/* Finds a family of congruences, with the classes of the coordinates as the plan numbers them. A
 * search that a limit ends finds none. */
static f2l_status find_family(f2l_subdirect *out, const f2l_t4_plan *plan, size_t order,
                              f2l_error *err)
{
    const size_t m = plan->m;
    f2l_fsa machine;
    f2l_error why;
    f2l_fsa_init(&machine);
    uint32_t *row = f2l_calloc(m, sizeof *row);
    f2l_status status = row ? make_act_machine(&machine, plan, order, err) : f2l_fail_memory(err);
    if (status == F2L_OK) {
        status = f2l_subdirect_find(out, &machine, plan->task, &why);
        status = status == F2L_ENOMEM ? f2l_fail_memory(err) : F2L_OK;
    }
    if (out->parts > F2L_T4_HEADS) f2l_subdirect_clear(out);
    for (size_t k = 0; status == F2L_OK && k < out->parts; k++) {
        memcpy(row, out->class_of[k], m * sizeof *row);
        for (size_t i = 0; i < m; i++) out->class_of[k][i] = row[place_in_order(i, order, m)];
    }
    f2l_free(row);
    f2l_fsa_clear(&machine);
    return status;
}

void f2l_t4_families_clear(f2l_t4_families *families)
{
    for (size_t i = 0; i < families->count; i++) f2l_subdirect_clear(&families->family[i]);
    families->count = 0;
}

f2l_status f2l_t4_find_families(f2l_t4_families *out, f2l_t4_plan *plan, f2l_error *err)
{
    const size_t orders = plan->m > MOST_REORDERED ? 1 : F2L_T4_FAMILIES;
    out->count = 0;
    if (plan->level->permutations == 0 || plan->m < FEWEST || plan->m > WIDEST) return F2L_OK;
    f2l_status status = find_acts(plan, err);
    while (status == F2L_OK && out->count < orders && !is_too_much(plan)) {
        f2l_subdirect *family = &out->family[out->count];
        f2l_subdirect_init(family);
        status = find_family(family, plan, out->count, err);
        if (family->parts == 0) break;
        out->count++;
    }
    if (out->count > 0) return status;
    f2l_rowset_clear(&plan->acts);
    f2l_free(plan->act_of);
    plan->act_of = NULL;
    return status;
}

/* --- heads for congruences --- */

/* Sets the image of every class in every act; the classes are numbered by their first coordinates,
 * and the acts respect them. */
static f2l_status add_images(f2l_t4_head *head, const f2l_t4_plan *plan, f2l_error *err)
{
    const size_t acts = plan->acts.count;
    f2l_status status =
        f2l_task_table(plan->task, "heads of a level", acts * head->m * sizeof *head->image, err);
    if (status != F2L_OK) return status;
    head->image = f2l_calloc(acts * head->m, sizeof *head->image);
    if (head->image == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < acts; a++) {
        const uint32_t *row = f2l_rowset_get(&plan->acts, a, NULL);
        uint32_t *image = head->image + a * head->m;
        for (size_t i = 0; i < plan->m; i++) image[head->class_of[i]] = head->class_of[row[i]];
        for (size_t c = 0; c < head->m; c++) head->permuted = head->permuted || image[c] != c;
    }
    return F2L_OK;
}

/* Makes the head for the congruence that is finer than both: a class for every pair of classes
 * that occurs. */
static f2l_status make_head(f2l_t4_head *out, const f2l_t4_plan *plan, const uint32_t *first,
                            const uint32_t *second, f2l_error *err)
{
    const size_t m = plan->m;
    const uint64_t steps = f2l_steps_of(m, m) + f2l_steps_of(plan->acts.count + 2, 4 * m);
    f2l_status status = f2l_task_spend(plan->task, "heads of a level", steps, err);
    *out = (f2l_t4_head){0};
    if (status != F2L_OK) return status;
    out->class_of = f2l_calloc(m, sizeof *out->class_of);
    if (out->class_of == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < m; i++) {
        size_t j = 0;
        while (first[j] != first[i] || second[j] != second[i]) j++;
        out->class_of[i] = j < i ? out->class_of[j] : (uint32_t)out->m++;
    }
    status = add_images(out, plan, err);
    return status == F2L_OK ? f2l_t4_settle(out, plan, err) : status;
}

/* Returns whether `a` comes before `b` in the order in which networks are compared. */
static bool is_less(const f2l_t4_cost *a, const f2l_t4_cost *b)
{
    if (a->factors != b->factors) return a->factors < b->factors;
    if (a->numbers != b->numbers) return a->numbers < b->numbers;
    if (a->householders != b->householders) return a->householders < b->householders;
    return a->key_dim < b->key_dim;
}

/* Returns whether no figure on which the caller can set a bound is larger in `a` than in `b`. */
static bool is_within(const f2l_t4_cost *a, const f2l_t4_cost *b)
{
    return a->householders <= b->householders && a->key_dim <= b->key_dim;
}

/* Weighs the plan with other heads. */
static f2l_status weigh_plan(f2l_t4_cost *out, const f2l_t4_plan *plan, f2l_t4_head *head,
                             size_t heads, f2l_error *err)
{
    f2l_t4_plan with = *plan;
    const uint64_t each = f2l_steps_of(2 * heads, plan->m);
    with.head = head;
    with.heads = heads;
    f2l_status status = f2l_task_spend(plan->task, "heads of a level",
                                       f2l_steps_of(plan->acts.count + 2 * plan->m, each), err);
    if (status == F2L_OK) *out = f2l_t4_weigh(&with);
    return status;
}

static void head_clear(f2l_t4_head *head)
{
    f2l_free(head->weight);
    f2l_free(head->class_of);
    f2l_free(head->image);
    *head = (f2l_t4_head){0};
}

/* Some heads, and what they cost; the last place of the array is free. */
typedef struct heads {
    f2l_t4_head *head;
    size_t count;
    f2l_t4_cost cost;
} heads;

/* Tries one head in the place of heads i < j; *better becomes it where that costs less than
 * *least, which becomes that cost, and else is unchanged. */
static f2l_status try_join(f2l_t4_head *better, f2l_t4_cost *least, const heads *all, size_t i,
                           size_t j, const f2l_t4_cost *whole, const f2l_t4_plan *plan,
                           f2l_error *err)
{
    f2l_t4_head joined;
    f2l_t4_head trial[F2L_T4_HEADS];
    f2l_t4_cost cost;
    f2l_status status = make_head(&joined, plan, all->head[i].class_of, all->head[j].class_of, err);
    memcpy(trial, all->head, all->count * sizeof *trial);
    trial[i] = joined;
    trial[j] = trial[all->count - 1];
    if (status == F2L_OK) status = weigh_plan(&cost, plan, trial, all->count - 1, err);
    if (status == F2L_OK && is_less(&cost, least) && is_within(&cost, whole)) {
        head_clear(better);
        *better = joined;
        *least = cost;
    } else {
        head_clear(&joined);
    }
    return status;
}

/* Joins the two heads for which that costs least; *joined: there were two for which it costs less
 * than before. */
static f2l_status join_two(bool *joined, heads *all, const f2l_t4_cost *whole,
                           const f2l_t4_plan *plan, f2l_error *err)
{
    f2l_t4_head better = {0};
    size_t first = 0, second = 0;
    f2l_t4_cost least = all->cost;
    f2l_status status = F2L_OK;
    for (size_t j = 1; j < all->count; j++)
        for (size_t i = 0; status == F2L_OK && i < j; i++) {
            const f2l_t4_cost before = least;
            status = try_join(&better, &least, all, i, j, whole, plan, err);
            if (!is_less(&least, &before)) continue;
            first = i;
            second = j;
        }
    *joined = better.class_of != NULL;
    if (!*joined) return status;
    head_clear(&all->head[first]);
    head_clear(&all->head[second]);
    all->head[first] = better;
    all->head[second] = all->head[--all->count];
    all->head[all->count] = (f2l_t4_head){0};
    all->cost = least;
    return status;
}

/* Makes a head for each congruence of the family, and joins heads while that costs less. */
static f2l_status make_heads(heads *out, const f2l_subdirect *family, const f2l_t4_cost *whole,
                             const f2l_t4_plan *plan, f2l_error *err)
{
    bool joined = true;
    f2l_status status = F2L_OK;
    *out = (heads){.head = f2l_calloc(family->parts, sizeof *out->head)};
    if (out->head == NULL) return f2l_fail_memory(err);
    for (; status == F2L_OK && out->count < family->parts; out->count++) {
        const uint32_t *class_of = family->class_of[out->count];
        status = make_head(&out->head[out->count], plan, class_of, class_of, err);
    }
    if (status == F2L_OK) status = weigh_plan(&out->cost, plan, out->head, out->count, err);
    while (status == F2L_OK && joined) status = join_two(&joined, out, whole, plan, err);
    return status;
}

f2l_status f2l_t4_split(f2l_t4_plan *plan, const f2l_t4_families *families, f2l_error *err)
{
    f2l_t4_cost whole = {0};
    heads best = {.head = plan->head, .count = plan->heads};
    if (families->count == 0) return F2L_OK;
    f2l_status status = weigh_plan(&whole, plan, plan->head, plan->heads, err);
    best.cost = whole;
    for (size_t i = 0; status == F2L_OK && i < families->count; i++) {
        heads other;
        status = make_heads(&other, &families->family[i], &whole, plan, err);
        if (status == F2L_OK && other.count > 1 && is_less(&other.cost, &best.cost) &&
            is_within(&other.cost, &whole)) {
            const heads worse = best;
            best = other;
            other = worse;
        }
        f2l_t4_heads_clear(other.head, other.count);
    }
    plan->head = best.head;
    plan->heads = best.count;
    return status;
}
