/* How a level is held: its form, and how it keeps the old coordinate where a reset loses it.
 * Statements: theory/pages/t4.md. */
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"

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

static f2l_t4_form choose_form(const f2l_t4_plan *plan)
{
    size_t n;
    if (plan->m == 2) return plan->saves ? F2L_T4_REGISTER_SCALAR : F2L_T4_SCALAR;
    if (plan->level->permutations == 0) return plan->saves ? F2L_T4_REGISTER_WRITE : F2L_T4_WRITE;
    if (plan->saves) return F2L_T4_REGISTER_FULL;
    return f2l_keys_dimension(F2L_KEYS_ROOTS, plan->m, &n) ? F2L_T4_ROOTS : F2L_T4_DOUBLED;
}

static void set_dimensions(f2l_t4_plan *plan)
{
    plan->n = plan->d = 1;
    switch (plan->form) {
    case F2L_T4_SCALAR:
        break;
    case F2L_T4_WRITE:
        plan->d = plan->m;
        break;
    case F2L_T4_ROOTS:
        f2l_keys_dimension(F2L_KEYS_ROOTS, plan->m, &plan->n);
        break;
    case F2L_T4_DOUBLED:
        plan->n = 2 * plan->m;
        break;
    case F2L_T4_REGISTER_SCALAR:
        plan->n = 4;
        break;
    case F2L_T4_REGISTER_WRITE:
        plan->n = 4;
        plan->d = plan->m;
        break;
    case F2L_T4_REGISTER_FULL:
        plan->n = 4 * plan->m;
        break;
    }
}

/* Sets the weights of the points, divided by the common divisor of all their coordinates. */
static f2l_status set_weights(f2l_t4_plan *plan, f2l_error *err)
{
    plan->weight = f2l_calloc(plan->m * plan->n, sizeof *plan->weight);
    if (plan->weight == NULL) return f2l_fail_memory(err);
    long divisor = 0;
    for (size_t i = 0; i < plan->m; i++)
        f2l_keys_weight(plan->weight + i * plan->n, F2L_KEYS_ROOTS, plan->m, i);
    for (size_t i = 0; i < plan->m * plan->n; i++) divisor = f2l_keys_gcd(divisor, plan->weight[i]);
    for (size_t i = 0; i < plan->m * plan->n; i++) plan->weight[i] /= divisor;
    return F2L_OK;
}

/* Returns the most factors per token. A delay reflects the side where a coordinate is lost, and its
 * upper layer writes once. */
static size_t most_factors(const f2l_t4_plan *plan)
{
    size_t most = 0;
    for (size_t i = 0; i < plan->level->contexts; i++) {
        const f2l_context *x = &plan->level->context[i];
        const size_t factors = f2l_t4_factors(plan, x) + (plan->delays && f2l_t4_loses(plan, x));
        if (factors > most) most = factors;
    }
    return most + plan->delays;
}

/* Chooses the form (saves, delays, gated are set). Among gated forms fewer factors count for more
 * than fewer numbers: a reset of a root system writes every coordinate that is not zero, a reset of
 * doubled coordinates two. */
static f2l_status settle(f2l_t4_plan *plan, f2l_error *err)
{
    plan->form = choose_form(plan);
    set_dimensions(plan);
    if (plan->form != F2L_T4_ROOTS) return F2L_OK;
    f2l_status status = set_weights(plan, err);
    if (status != F2L_OK || !plan->gated) return status;
    f2l_t4_plan doubled = *plan;
    doubled.form = F2L_T4_DOUBLED;
    if (most_factors(&doubled) >= most_factors(plan)) return F2L_OK;
    f2l_free(plan->weight);
    *plan = doubled;
    plan->weight = NULL;
    set_dimensions(plan);
    return F2L_OK;
}

/* Chooses how to keep the old coordinate: a register or, only with gates and below another level, a
 * delay. */
static f2l_status choose_way(f2l_t4_plan *plan, bool gated, f2l_error *err)
{
    f2l_t4_plan other = *plan;
    plan->saves = true;
    f2l_status status = settle(plan, err);
    if (status != F2L_OK || !gated || plan->l == plan->cascade->levels) return status;
    other.delays = other.gated = true;
    status = settle(&other, err);
    if (status != F2L_OK) return status;
    other.register_factors = plan->register_factors = most_factors(plan);
    other.delay_factors = plan->delay_factors = most_factors(&other);
    if (plan->delay_factors < plan->register_factors) {
        const f2l_t4_plan loser = *plan;
        *plan = other;
        other = loser;
    }
    f2l_t4_plan_clear(&other);
    return F2L_OK;
}

f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool edges,
                            bool gated, const f2l_task *task, f2l_error *err)
{
    const f2l_level *level = &cascade->level[l - 1];
    *plan = (f2l_t4_plan){.cascade = cascade,
                          .level = level,
                          .l = l,
                          .edges = edges,
                          .task = task,
                          .m = level->width};
    f2l_status status;
    if (old_is_needed(plan)) {
        status = choose_way(plan, gated, err);
    } else {
        plan->gated = gated;
        status = settle(plan, err);
    }
    plan->second = plan->saves ? plan->m : plan->delays ? 2 : 1;
    if (status == F2L_OK && plan->n > F2L_MAX_STATE / plan->d)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu: a state of %zu x %zu numbers is too large", l,
                        plan->n, plan->d);
    return status;
}

void f2l_t4_plan_clear(f2l_t4_plan *plan)
{
    f2l_free(plan->weight);
    f2l_free(plan->number);
    f2l_free(plan->state);
    *plan = (f2l_t4_plan){0};
}

static void raise_to(size_t *most, size_t value)
{
    if (value > *most) *most = value;
}

/* Adds the level's figures. A delay's side and slots take one factor, and the slots two rows. */
static void add_level(f2l_t4_figures *out, const f2l_t4_plan *plan)
{
    out->layers += 1 + plan->delays;
    raise_to(&out->key_dim, plan->delays && plan->n < 2 ? 2 : plan->n);
    raise_to(&out->householders, plan->delays);
    for (size_t i = 0; i < plan->level->contexts; i++)
        raise_to(&out->householders, f2l_t4_factors(plan, &plan->level->context[i]));
}

f2l_status f2l_t4_measure_plan(f2l_t4_figures *out, const f2l_cascade *cascade, bool gated,
                               const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = (f2l_t4_figures){0};
    for (size_t l = 1; status == F2L_OK && l <= cascade->levels; l++) {
        f2l_t4_plan plan;
        status = f2l_t4_plan_init(&plan, cascade, l, false, gated, task, err);
        if (status == F2L_OK) add_level(out, &plan);
        f2l_t4_plan_clear(&plan);
    }
    return status;
}
