/* How a level is held: its form, and how it keeps the old coordinate where a reset loses it.
 * Statements: theory/pages/t4.md. */
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"
#include <string.h>

const char *f2l_t4_form_name(f2l_t4_form form)
{
    static const char *const name[] = {"scalar",       "write",           "roots",
                                       "doubled",      "register scalar", "register write",
                                       "register full"};
    return name[form];
}

/* Returns whether the next level, or the label, needs an old coordinate that a reset loses. */
static bool old_is_needed(const f2l_t4_plan *plan)
{
    if (plan->l == plan->cascade->levels && !plan->edges) return false;
    for (size_t i = 0; i < plan->level->contexts; i++) {
        if (f2l_t4_loses(plan, &plan->level->context[i])) return true;
    }
    return false;
}

static f2l_t4_form choose_form(const f2l_t4_head *head, bool saves)
{
    size_t n;
    if (head->m == 2) return saves ? F2L_T4_REGISTER_SCALAR : F2L_T4_SCALAR;
    if (!head->permuted) return saves ? F2L_T4_REGISTER_WRITE : F2L_T4_WRITE;
    if (saves) return F2L_T4_REGISTER_FULL;
    return f2l_keys_dimension(F2L_KEYS_ROOTS, head->m, &n) ? F2L_T4_ROOTS : F2L_T4_DOUBLED;
}

static void set_dimensions(f2l_t4_head *head)
{
    head->n = head->d = 1;
    switch (head->form) {
    case F2L_T4_SCALAR:
        break;
    case F2L_T4_WRITE:
        head->d = head->m;
        break;
    case F2L_T4_ROOTS:
        f2l_keys_dimension(F2L_KEYS_ROOTS, head->m, &head->n);
        break;
    case F2L_T4_DOUBLED:
        head->n = 2 * head->m;
        break;
    case F2L_T4_REGISTER_SCALAR:
        head->n = 4;
        break;
    case F2L_T4_REGISTER_WRITE:
        head->n = 4;
        head->d = head->m;
        break;
    case F2L_T4_REGISTER_FULL:
        head->n = 4 * head->m;
        break;
    }
}

/* Sets the weights of the points, divided by the common divisor of all their coordinates. */
static f2l_status set_weights(f2l_t4_head *head, f2l_error *err)
{
    head->weight = f2l_calloc(head->m * head->n, sizeof *head->weight);
    if (head->weight == NULL) return f2l_fail_memory(err);
    long divisor = 0;
    for (size_t i = 0; i < head->m; i++)
        f2l_keys_weight(head->weight + i * head->n, F2L_KEYS_ROOTS, head->m, i);
    for (size_t i = 0; i < head->m * head->n; i++) divisor = f2l_keys_gcd(divisor, head->weight[i]);
    for (size_t i = 0; i < head->m * head->n; i++) head->weight[i] /= divisor;
    return F2L_OK;
}

static void raise_to(size_t *most, size_t value)
{
    if (value > *most) *most = value;
}

static void weigh_reset(f2l_t4_cost *cost, const f2l_t4_plan *plan, uint32_t target, bool loses)
{
    size_t sum = plan->delays && loses, most = 0;
    for (size_t h = 0; h < plan->heads; h++) {
        const size_t factors =
            f2l_t4_reset_factors(plan, &plan->head[h], target, plan->saves && loses);
        raise_to(&most, factors);
        sum += factors;
    }
    raise_to(&cost->factors, sum);
    raise_to(&cost->householders, most);
}

/* Weighs a permutation of all heads: number `act`, or the permutation of context x where there are
 * no acts. */
static void weigh_permutation(f2l_t4_cost *cost, const f2l_t4_plan *plan, size_t act,
                              const f2l_context *x)
{
    size_t sum = 0, most = 0;
    for (size_t h = 0; h < plan->heads; h++) {
        const f2l_t4_head *head = &plan->head[h];
        const uint32_t *image = head->class_of ? head->image + act * head->m
                                : x            ? plan->level->image + x->permutation
                                               : f2l_rowset_get(&plan->acts, act, NULL);
        const size_t factors = f2l_t4_permutation_factors(
            head, image, x ? plan->cascade->cover_count[x->from] : head->m);
        raise_to(&most, factors);
        sum += factors;
    }
    raise_to(&cost->factors, sum);
    raise_to(&cost->householders, most);
}

f2l_t4_cost f2l_t4_weigh(const f2l_t4_plan *plan)
{
    f2l_t4_cost cost = {0};
    for (uint32_t i = 0; i < plan->m; i++) {
        if (plan->resets[i] & F2L_T4_KEEPS) weigh_reset(&cost, plan, i, false);
        if (plan->resets[i] & F2L_T4_LOSES) weigh_reset(&cost, plan, i, true);
    }
    for (size_t i = 0; i < plan->acts.count; i++) weigh_permutation(&cost, plan, i, NULL);
    for (size_t i = 0; plan->acts.count == 0 && i < plan->level->contexts; i++) {
        const f2l_context *x = &plan->level->context[i];
        if (x->action == F2L_ACTION_PERMUTATION) weigh_permutation(&cost, plan, 0, x);
    }
    for (size_t h = 0; h < plan->heads; h++) {
        cost.numbers += plan->head[h].n * plan->head[h].d;
        raise_to(&cost.key_dim, plan->head[h].n);
    }
    if (plan->delays) { /* the upper layer: one factor, two rows */
        cost.factors++;
        raise_to(&cost.householders, 1);
        raise_to(&cost.key_dim, 2);
    }
    return cost;
}

static size_t most_factors(const f2l_t4_plan *plan, f2l_t4_head *head)
{
    f2l_t4_plan alone = *plan;
    alone.heads = 1;
    alone.head = head;
    return f2l_t4_weigh(&alone).factors;
}

/* Among gated forms fewer factors count for more than fewer numbers: a reset of a root system
 * writes every coordinate that is not zero, a reset of doubled coordinates two. */
f2l_status f2l_t4_settle(f2l_t4_head *head, const f2l_t4_plan *plan, f2l_error *err)
{
    head->form = choose_form(head, plan->saves);
    set_dimensions(head);
    if (head->form != F2L_T4_ROOTS) return F2L_OK;
    f2l_status status = set_weights(head, err);
    if (status != F2L_OK || !plan->gated) return status;
    f2l_t4_head doubled = *head;
    doubled.form = F2L_T4_DOUBLED;
    if (most_factors(plan, &doubled) >= most_factors(plan, head)) return F2L_OK;
    f2l_free(head->weight);
    *head = doubled;
    head->weight = NULL;
    set_dimensions(head);
    return F2L_OK;
}

void f2l_t4_heads_clear(f2l_t4_head *head, size_t heads)
{
    for (size_t h = 0; head != NULL && h < heads; h++) {
        f2l_free(head[h].weight);
        f2l_free(head[h].class_of);
        f2l_free(head[h].image);
    }
    f2l_free(head);
}

/* Makes one head for the coordinate (saves, delays, gated are set). */
static f2l_status settle_one_head(f2l_t4_plan *plan, f2l_error *err)
{
    plan->head = f2l_calloc(1, sizeof *plan->head);
    if (plan->head == NULL) return f2l_fail_memory(err);
    plan->heads = 1;
    plan->head->m = plan->m;
    plan->head->permuted = plan->level->permutations > 0;
    return f2l_t4_settle(plan->head, plan, err);
}

/* Chooses how to keep the old coordinate: a register or, only with gates and below another level, a
 * delay. A level that has a register on one head has one on several: a delay is a layer more. */
static f2l_status choose_way(f2l_t4_plan *plan, const f2l_t4_families *families, bool gated,
                             f2l_error *err)
{
    f2l_t4_plan other = *plan;
    plan->saves = true;
    f2l_status status = settle_one_head(plan, err);
    if (status != F2L_OK) return status;
    if (!gated || plan->l == plan->cascade->levels) return f2l_t4_split(plan, families, err);
    other.delays = other.gated = true;
    status = settle_one_head(&other, err);
    bool delays = status == F2L_OK && f2l_t4_weigh(&other).factors < f2l_t4_weigh(plan).factors;
    if (status == F2L_OK) status = f2l_t4_split(plan, families, err);
    if (status == F2L_OK) status = f2l_t4_split(&other, families, err);
    if (status == F2L_OK) {
        other.register_factors = plan->register_factors = f2l_t4_weigh(plan).factors;
        other.delay_factors = plan->delay_factors = f2l_t4_weigh(&other).factors;
        delays = delays && plan->delay_factors < plan->register_factors;
    }
    if (status == F2L_OK && delays) {
        const f2l_t4_plan loser = *plan;
        *plan = other;
        other = loser;
    }
    f2l_t4_heads_clear(other.head, other.heads);
    return status;
}

/* Notes which coordinates the contexts reset to. */
static f2l_status find_resets(f2l_t4_plan *plan, f2l_error *err)
{
    plan->resets = f2l_calloc(plan->m, sizeof *plan->resets);
    if (plan->resets == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < plan->level->contexts; i++) {
        const f2l_context *x = &plan->level->context[i];
        if (x->action != F2L_ACTION_RESET) continue;
        const uint8_t how = f2l_t4_loses(plan, x) ? F2L_T4_LOSES : F2L_T4_KEEPS;
        plan->resets[x->target] |= how;
    }
    return F2L_OK;
}

/* Returns a context that resets the level, and may do the same where the level is left: it loses
 * the old coordinate, which is kept then, or the coordinate is not needed. NULL where there is
 * none. */
static const f2l_context *forgetting_reset(const f2l_t4_plan *plan)
{
    const bool top = plan->l == plan->cascade->levels && !plan->edges;
    for (size_t i = 0; i < plan->level->contexts; i++) {
        const f2l_context *x = &plan->level->context[i];
        if (x->action == F2L_ACTION_RESET && (top || f2l_t4_loses(plan, x))) return x;
    }
    return NULL;
}

/* Lets the contexts that leave the level reset it, too, where one like that does (T4.15): what
 * the level holds then is never read, and would multiply the local states. */
static f2l_status forget_when_left(f2l_t4_plan *plan, f2l_error *err)
{
    const f2l_level *level = plan->level;
    const f2l_context *reset = forgetting_reset(plan);
    const size_t bytes = level->contexts * sizeof *level->context;
    if (reset == NULL) return F2L_OK;
    f2l_status status = f2l_task_table(plan->task, "the contexts of a level", bytes, err);
    if (status != F2L_OK) return status;
    plan->own = f2l_calloc(1, sizeof *plan->own);
    f2l_context *context = f2l_calloc(level->contexts, sizeof *context);
    if (plan->own == NULL || context == NULL) {
        f2l_free(context);
        return f2l_fail_memory(err);
    }
    memcpy(context, level->context, bytes);
    *plan->own = *level;
    plan->own->context = context;
    for (size_t i = 0; i < level->contexts; i++) {
        f2l_context *x = &context[i];
        if (x->action != F2L_ACTION_IDLE || !f2l_t4_reads(plan, x)) continue;
        x->action = F2L_ACTION_RESET;
        x->target = reset->target;
        plan->own->resets++;
    }
    plan->level = plan->own;
    return F2L_OK;
}

f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool edges,
                            bool gated, bool whole, const f2l_task *task, f2l_error *err)
{
    const f2l_level *level = &cascade->level[l - 1];
    f2l_t4_families families = {0};
    *plan = (f2l_t4_plan){.cascade = cascade,
                          .level = level,
                          .l = l,
                          .edges = edges,
                          .task = task,
                          .m = level->width};
    f2l_rowset_init(&plan->acts);
    f2l_status status = forget_when_left(plan, err);
    if (status == F2L_OK) status = find_resets(plan, err);
    if (status == F2L_OK && !whole) status = f2l_t4_find_families(&families, plan, err);
    if (status == F2L_OK && old_is_needed(plan)) {
        status = choose_way(plan, &families, gated, err);
    } else if (status == F2L_OK) {
        plan->gated = gated;
        status = settle_one_head(plan, err);
        if (status == F2L_OK) status = f2l_t4_split(plan, &families, err);
    }
    f2l_t4_families_clear(&families);
    plan->second = plan->saves ? plan->m : plan->delays ? 2 : 1;
    for (size_t h = 0; status == F2L_OK && h < plan->heads; h++)
        if (plan->head[h].n > F2L_MAX_STATE / plan->head[h].d)
            return f2l_fail(err, F2L_UNKNOWN,
                            "level %zu: a state of %zu x %zu numbers is too large", l,
                            plan->head[h].n, plan->head[h].d);
    return status;
}

void f2l_t4_plan_clear(f2l_t4_plan *plan)
{
    f2l_t4_heads_clear(plan->head, plan->heads);
    f2l_rowset_clear(&plan->acts);
    f2l_free(plan->act_of);
    f2l_free(plan->resets);
    if (plan->own != NULL) f2l_free(plan->own->context);
    f2l_free(plan->own);
    f2l_free(plan->number);
    f2l_free(plan->state);
    *plan = (f2l_t4_plan){0};
}

/* Adds the level's figures. */
static void add_level(f2l_t4_figures *out, const f2l_t4_plan *plan)
{
    const f2l_t4_cost cost = f2l_t4_weigh(plan);
    out->layers += 1 + plan->delays;
    raise_to(&out->key_dim, cost.key_dim);
    raise_to(&out->householders, cost.householders);
}

f2l_status f2l_t4_measure_plan(f2l_t4_figures *out, const f2l_cascade *cascade, bool gated,
                               const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = (f2l_t4_figures){0};
    for (size_t l = 1; status == F2L_OK && l <= cascade->levels; l++) {
        f2l_t4_plan plan;
        status = f2l_t4_plan_init(&plan, cascade, l, false, gated, false, task, err);
        if (status == F2L_OK) add_level(out, &plan);
        f2l_t4_plan_clear(&plan);
    }
    return status;
}
