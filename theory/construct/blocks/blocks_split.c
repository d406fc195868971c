/* The products of a block in portions, and the states of the applying head
 * (theory/pages/blocks.md, BL.4). */
#include "numeric/base/mem.h"
#include "theory/construct/blocks/impl.h"
#include <assert.h>
#include <string.h>

static bool is_constant(const uint32_t *map)
{
    return map[0] == map[1];
}

/* Writes the operations of an element; those that are missing are none. */
static void list_operations(f2l_blocks_level *v, const uint32_t *map)
{
    const size_t room = v->block * v->householders;
    size_t count = 0;
    memset(v->operation, 0, room * sizeof *v->operation);
    if (is_constant(map)) {
        const size_t steps = f2l_blocks_erases(v);
        for (; count < steps; count++) v->operation[count] = f2l_blocks_erase(v, count, map[0]);
        return;
    }
    for (size_t p = 0; p < v->m; p++) {
        size_t least = p;
        for (size_t q = map[p]; q != p; q = map[q])
            if (q < least) least = q;
        if (least < p) continue;
        for (size_t q = map[p]; q != p; q = map[q])
            v->operation[count++] = f2l_blocks_swap(v, p, q);
    }
}

/* Sets v->map to the map of the operations from `from` on, which are swaps; of a constant map, to
 * the map itself. */
static void map_rest(f2l_blocks_level *v, const uint32_t *map, size_t from)
{
    const size_t room = v->block * v->householders;
    assert(v->m > 0);
    for (size_t p = 0; p < v->m; p++) v->map[p] = is_constant(map) ? map[p] : (uint32_t)p;
    for (size_t i = from; i < room && !is_constant(map) && v->operation[i]; i++) {
        const size_t a = (v->operation[i] - 1) / v->m, b = (v->operation[i] - 1) % v->m;
        for (size_t p = 0; p < v->m; p++)
            v->map[p] = v->map[p] == a ? (uint32_t)b : v->map[p] == b ? (uint32_t)a : v->map[p];
    }
}

static f2l_status add_block_state(f2l_blocks_level *v, size_t *code, f2l_error *err)
{
    const size_t numbers = v->n * v->d;
    for (size_t i = 0; i < numbers; i++) v->row[i] = (uint32_t)(v->state[i] + F2L_BLOCKS_OFFSET);
    return f2l_rowset_add(&v->code, v->row, numbers, code, err);
}

/* Follows the operations, which are listed, from every point. Adds the states, or with `meaning`
 * sets what they mean. */
static f2l_status follow_operations(f2l_blocks_level *v, size_t e, bool meaning, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t p = 0; p < v->m; p++) {
        f2l_blocks_put_point(v, p);
        for (size_t tau = 0; status == F2L_OK && tau < v->block; tau++) {
            size_t code;
            for (size_t i = 0; i < v->householders; i++)
                f2l_blocks_apply(v, v->operation[tau * v->householders + i]);
            status = add_block_state(v, &code, err);
            if (status == F2L_OK && meaning)
                v->meaning[code * v->rest.count + v->rest_of[e * v->block + tau]] =
                    f2l_rowset_get(&v->element, e, NULL)[p];
        }
    }
    return status;
}

/* Cuts an element into portions. */
static f2l_status cut_element(f2l_blocks_level *v, size_t e, f2l_error *err)
{
    const uint32_t *map = f2l_rowset_get(&v->element, e, NULL);
    const size_t h = v->householders;
    f2l_status status = F2L_OK;
    for (size_t tau = 0; status == F2L_OK && tau < v->block; tau++) {
        size_t factor, rest = 0;
        status = f2l_rowset_add(&v->factor, v->operation + tau * h, h, &factor, err);
        map_rest(v, map, (tau + 1) * h);
        if (status == F2L_OK) status = f2l_rowset_add(&v->rest, v->map, v->m, &rest, err);
        v->factor_of[e * v->block + tau] = (uint32_t)factor;
        v->rest_of[e * v->block + tau] = (uint32_t)rest;
    }
    return status;
}

/* Goes through the products of a block and the identity, which comes first. */
static f2l_status each_product(f2l_blocks_level *v, bool meaning, f2l_error *err)
{
    f2l_meter meter = {.task = v->task, .phase = "states of a level"};
    const size_t steps = v->m * v->block * (2 + v->n * v->d);
    f2l_status status = F2L_OK;
    for (size_t e = 0; status == F2L_OK && e < v->element.count; e++) {
        if (e && !v->whole[e]) continue;
        status = f2l_meter_spend(&meter, steps, (double)e, (double)v->element.count, err);
        list_operations(v, f2l_rowset_get(&v->element, e, NULL));
        if (status == F2L_OK && !meaning) status = cut_element(v, e, err);
        if (status == F2L_OK) status = follow_operations(v, e, meaning, err);
        if (v->code.count > F2L_BLOCKS_ENTRIES / (v->n * v->d))
            return f2l_fail(err, F2L_UNKNOWN, "the head of level %zu has too many states", v->l);
    }
    return status;
}

static f2l_status room_for_splitting(f2l_blocks_level *v, f2l_error *err)
{
    const size_t numbers = v->n * v->d, elements = v->element.count;
    if (elements > F2L_BLOCKS_ENTRIES / v->block)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu has too many portions", v->l);
    v->operation = f2l_calloc(v->block * v->householders, sizeof *v->operation);
    v->state = f2l_calloc(numbers, sizeof *v->state);
    v->row = f2l_calloc(numbers, sizeof *v->row);
    v->factor_of = f2l_calloc(elements, v->block * sizeof *v->factor_of);
    v->rest_of = f2l_calloc(elements, v->block * sizeof *v->rest_of);
    return v->operation && v->state && v->row && v->factor_of && v->rest_of ? F2L_OK
                                                                            : f2l_fail_memory(err);
}

f2l_status f2l_blocks_split(f2l_blocks_level *v, size_t householders, f2l_error *err)
{
    size_t code;
    v->householders = householders;
    f2l_status status = room_for_splitting(v, err);
    for (size_t p = 0; status == F2L_OK && p < v->m; p++) {
        f2l_blocks_put_point(v, p);
        status = add_block_state(v, &code, err);
    }
    if (status == F2L_OK) status = each_product(v, false, err);
    if (status != F2L_OK) return status;
    if (v->rest.count > F2L_BLOCKS_ENTRIES / v->code.count)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu has too many states and remainders", v->l);
    status = f2l_task_table(v->task, "the meanings of a level's states",
                            v->code.count * v->rest.count * sizeof *v->meaning, err);
    if (status != F2L_OK) return status;
    v->meaning = f2l_calloc(v->code.count, v->rest.count * sizeof *v->meaning);
    return v->meaning ? each_product(v, true, err) : f2l_fail_memory(err);
}
