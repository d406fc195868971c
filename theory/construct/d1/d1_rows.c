/* The states of the applying head and the automaton states that they mean (theory/pages/d1.md,
 * D1.4): the rows that the products of blocks lead to, portion by portion. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"
#include <string.h>

#define FIRST_ROOM 64

void f2l_d1_rows_clear(f2l_d1_rows *rows)
{
    f2l_rowset_clear(&rows->row);
    f2l_free(rows->edge);
    f2l_free(rows->state);
    f2l_free(rows->meant);
    f2l_free(rows->queue);
    *rows = (f2l_d1_rows){0};
}

/* Enlarges an array of [room][width]; the new part is F2L_D1_NONE. */
static bool grow_array(uint32_t **array, size_t capacity, size_t room, size_t width)
{
    uint32_t *grown = f2l_realloc(*array, room, width * sizeof *grown);
    if (!grown) return false;
    *array = grown;
    for (size_t i = capacity * width; i < room * width; i++) grown[i] = F2L_D1_NONE;
    return true;
}

/* Adds d->product to the rows unless it is there; *index is its number. */
static f2l_status add_product_row(f2l_d1 *d, size_t *index, f2l_error *err)
{
    f2l_d1_rows *r = &d->rows;
    const size_t factors = d->parts.factor.count, rests = d->parts.rest.count;
    const size_t room = r->capacity ? 2 * r->capacity : FIRST_ROOM, width = factors + rests + 2;
    f2l_status status = f2l_rowset_add(&r->row, d->product, d->points, index, err);
    if (status != F2L_OK || r->row.count <= r->capacity) return status;
    if (r->row.count > F2L_D1_ENTRIES / (width + d->points))
        return f2l_fail(err, F2L_UNKNOWN,
                        "the last layer has too many states: over %zu, for %zu "
                        "remainders",
                        r->capacity, rests);
    status = f2l_task_table(d->task, "the states of the last layer",
                            room * width * sizeof *r->edge + f2l_rowset_bytes(&r->row), err);
    if (status != F2L_OK) return status;
    if (!grow_array(&r->edge, r->capacity, room, factors) ||
        !grow_array(&r->state, r->capacity, room, rests) ||
        !grow_array(&r->meant, r->capacity, room, 1) ||
        !grow_array(&r->queue, r->capacity, room, 1))
        return f2l_fail_memory(err);
    r->capacity = room;
    return F2L_OK;
}

/* Moves *row by a portion. */
static f2l_status move_product_row(f2l_d1 *d, uint32_t *row, uint32_t factor, f2l_error *err)
{
    f2l_d1_rows *r = &d->rows;
    const size_t at = *row * d->parts.factor.count + factor;
    if (r->edge[at] == F2L_D1_NONE) {
        const uint32_t *code = f2l_rowset_get(&r->row, *row, NULL);
        const uint32_t *image = f2l_rowset_get(&d->parts.factor, factor, NULL);
        size_t to;
        for (size_t p = 0; p < d->points; p++) d->product[image[p]] = code[p];
        f2l_status status = add_product_row(d, &to, err);
        if (status != F2L_OK) return status;
        r->edge[at] = (uint32_t)to;
    }
    *row = r->edge[at];
    return F2L_OK;
}

static f2l_status mean(uint32_t *slot, uint32_t state, f2l_error *err)
{
    if (*slot != F2L_D1_NONE && *slot != state)
        return f2l_fail(err, F2L_EDOMAIN, "the representation does not tell the states apart");
    *slot = state;
    return F2L_OK;
}

/* Returns the state, as a position in reach, after the word that element `e` came from. */
static uint32_t act(const f2l_d1 *d, uint32_t state, uint32_t e)
{
    const f2l_d1_words *w = &d->words;
    if (e == 0) return state;
    const uint32_t before = d->reach.state[act(d, state, w->from[e])];
    return d->reach.position[d->fsa->next[before * d->letters + w->letter[e]]];
}

/* Follows a block that starts in the pair of row and state and applies element `e`. */
static f2l_status run_block(f2l_d1 *d, uint32_t row, uint32_t state, uint32_t e, f2l_error *err)
{
    f2l_d1_rows *r = &d->rows;
    const uint32_t target = act(d, state, e);
    f2l_status status = F2L_OK;
    for (size_t tau = 0; status == F2L_OK && tau < d->block; tau++) {
        const size_t at = e * d->block + tau;
        status = move_product_row(d, &row, d->parts.factor_of[at], err);
        if (status == F2L_OK)
            status = mean(&r->state[row * d->parts.rest.count + d->parts.rest_of[at]], target, err);
    }
    if (status != F2L_OK) return status;
    if (r->meant[row] == F2L_D1_NONE) r->queue[r->pairs++] = row;
    return mean(&r->meant[row], target, err);
}

f2l_status f2l_d1_close(f2l_d1 *d, f2l_error *err)
{
    f2l_d1_rows *r = &d->rows;
    size_t start;
    memcpy(d->product, d->set->code, d->points * sizeof *d->product);
    f2l_status status = add_product_row(d, &start, err);
    if (status != F2L_OK) return status;
    r->meant[start] = (uint32_t)d->reach.start;
    r->queue[r->pairs++] = (uint32_t)start;
    f2l_meter meter = {.task = d->task, .phase = "states of the last layer"};
    for (size_t i = 0; status == F2L_OK && i < r->pairs; i++) {
        status = f2l_meter_spend(&meter, 2 * f2l_d1_products(d) * (d->block + 1), (double)i,
                                 (double)r->pairs, err);
        const uint32_t row = r->queue[i], state = r->meant[row];
        for (size_t j = 0; status == F2L_OK && j < f2l_d1_products(d); j++)
            status = run_block(d, row, state, f2l_d1_product(d, j), err);
    }
    return status;
}
