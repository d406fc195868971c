/* The local states of a level: all states that its letters, in any order, reach from the initial
 * one. Only coordinates are considered; that the vectors follow them is proved by the
 * certificate. */
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"

/* Moves of one coordinate. A permutation of a smaller cover leaves the other coordinates
 * unchanged. */
typedef struct moves {
    uint8_t *goes;          /* [m][m] some letter that does not reset takes i to j */
    uint8_t *keeps, *saves; /* [m] some reset to r leaves the register and the side unchanged, or
                               saves the old coordinate */
} moves;

static void moves_clear(moves *v)
{
    f2l_free(v->goes);
    f2l_free(v->keeps);
    f2l_free(v->saves);
}

static f2l_status find_level_moves(moves *v, const f2l_t4_plan *plan, f2l_error *err)
{
    const size_t m = plan->m;
    size_t entries;
    if (!f2l_mul_size(&entries, m, m)) return f2l_fail_memory(err);
    f2l_meter meter = {.task = plan->task, .phase = "codes of a level"};
    f2l_status status = f2l_task_memory(plan->task, "the codes of a level", entries, err);
    if (status == F2L_OK) status = f2l_meter_spend(&meter, entries, 0, 0, err);
    if (status != F2L_OK) return status;
    v->goes = f2l_calloc(entries, 1);
    v->keeps = f2l_calloc(m, 1);
    v->saves = f2l_calloc(m, 1);
    if (v->goes == NULL || v->keeps == NULL || v->saves == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < plan->level->contexts; i++) {
        const f2l_context *x = &plan->level->context[i];
        status =
            f2l_meter_spend(&meter, 1 + (x->action == F2L_ACTION_RESET ? 0 : m / 4), 0, 0, err);
        if (x->action == F2L_ACTION_RESET) {
            if ((plan->saves || plan->delays) && f2l_t4_loses(plan, x))
                v->saves[x->target] = 1;
            else
                v->keeps[x->target] = 1;
        }
        if (x->action == F2L_ACTION_RESET) continue;
        const size_t moved =
            x->action == F2L_ACTION_PERMUTATION ? plan->cascade->cover_count[x->from] : 0;
        for (uint32_t j = 0; j < m; j++)
            v->goes[j * m + (j < moved ? f2l_t4_moved(plan, x, j) : j)] = 1;
    }
    return status;
}

/* Makes room in number[] and state[] for all possible local states. */
static f2l_status make_state_room(f2l_t4_plan *plan, f2l_error *err)
{
    size_t all;
    if (!f2l_mul_size(&all, plan->m, plan->second) || all >= UINT32_MAX)
        return f2l_fail(err, F2L_UNKNOWN,
                        "level %zu: %zu coordinates with a %s have too many states", plan->l,
                        plan->m, plan->saves ? "register" : "side");
    f2l_status status =
        f2l_task_table(plan->task, "the codes of a level", all * 2 * sizeof *plan->state, err);
    if (status != F2L_OK) return status;
    plan->number = f2l_calloc(all, sizeof *plan->number);
    plan->state = f2l_calloc(all, sizeof *plan->state);
    return plan->number != NULL && plan->state != NULL ? F2L_OK : f2l_fail_memory(err);
}

static void meet_level_state(f2l_t4_plan *plan, size_t cur, size_t other)
{
    size_t state = cur * plan->second + other;
    if (plan->number[state] != 0) return;
    plan->state[plan->codes++] = (uint32_t)state;
    plan->number[state] = (uint32_t)plan->codes;
}

/* Adds the states that are reached, breadth-first, from the states found so far. */
static f2l_status spread_level_states(f2l_t4_plan *plan, const moves *v, f2l_error *err)
{
    const size_t m = plan->m;
    f2l_meter meter = {.task = plan->task, .phase = "codes of a level"};
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
        status = f2l_meter_spend(&meter, 1 + m / 4, (double)i, (double)plan->codes, err);
        const size_t cur = plan->state[i] / plan->second, other = plan->state[i] % plan->second;
        for (size_t j = 0; j < m; j++) {
            if (v->goes[cur * m + j] || v->keeps[j]) meet_level_state(plan, j, other);
            if (v->saves[j]) meet_level_state(plan, j, plan->delays ? 1 - other : cur);
        }
    }
    return status;
}

f2l_status f2l_t4_close(f2l_t4_plan *plan, uint32_t start, f2l_error *err)
{
    moves v = {0};
    f2l_status status = make_state_room(plan, err);
    if (status == F2L_OK) status = find_level_moves(&v, plan, err);
    if (status == F2L_OK && v.goes != NULL) {
        meet_level_state(plan, start, 0);
        status = spread_level_states(plan, &v, err);
    }
    moves_clear(&v);
    return status;
}
