/* Maps that words make, states possible at vertices, and rows of bytes. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

/* --- rows of bytes --- */

static uint64_t hash_row(const void *rows, size_t row)
{
    const f2l_orbits_rows *r = rows;
    return f2l_hash_bytes(F2L_HASH, r->byte + row * r->width, r->width);
}

static bool row_equals(const void *rows, size_t row, const void *key)
{
    const f2l_orbits_rows *r = rows;
    return memcmp(r->byte + row * r->width, key, r->width) == 0;
}

f2l_status f2l_orbits_rows_add(size_t *number, f2l_orbits_rows *rows, const void *row,
                               f2l_error *err)
{
    if (!f2l_grow((void **)&rows->byte, &rows->capacity, rows->count,
                  rows->width ? rows->width : 1) ||
        !f2l_index_grow(&rows->index, hash_row, rows))
        return f2l_fail_memory(err);
    const uint64_t hash = f2l_hash_bytes(F2L_HASH, row, rows->width);
    *number = f2l_index_find_or_add(&rows->index, hash, row_equals, rows, row);
    if (*number < rows->count) return F2L_OK;
    memcpy(rows->byte + rows->count++ * rows->width, row, rows->width);
    return F2L_OK;
}

void f2l_orbits_rows_clear(f2l_orbits_rows *rows)
{
    f2l_free(rows->byte);
    f2l_index_clear(&rows->index);
    *rows = (f2l_orbits_rows){.width = rows->width};
}

/* --- maps --- */

void f2l_orbits_maps_clear(f2l_orbits_maps *maps)
{
    f2l_free(maps->image);
    f2l_free(maps->times);
    *maps = (f2l_orbits_maps){0};
}

/* Adds the products of map m with all letters. */
static f2l_status multiply_map(f2l_orbits_maps *out, f2l_orbits_rows *rows, size_t m,
                               const f2l_orbits_graph *graph, f2l_meter *meter, f2l_error *err)
{
    uint8_t product[F2L_ORBITS_MAX_STATES] = {0};
    const size_t n = graph->states, letters = graph->letters;
    f2l_status status =
        f2l_meter_spend(meter, 2 * letters * (n + 10), (double)m, (double)rows->count, err);
    for (size_t a = 0; status == F2L_OK && a < letters; a++) {
        size_t number = 0;
        for (size_t q = 0; q < n; q++)
            product[q] = (uint8_t)graph->next[rows->byte[m * n + q] * letters + a];
        status = f2l_orbits_rows_add(&number, rows, product, err);
        out->times[m * letters + a] = (uint32_t)number;
    }
    if (status == F2L_OK && rows->count > F2L_ORBITS_MAX_MAPS)
        status = f2l_fail(err, F2L_EDOMAIN, "words make more than %zu maps of the states",
                          F2L_ORBITS_MAX_MAPS);
    return status;
}

f2l_status f2l_orbits_maps_list(f2l_orbits_maps *out, const f2l_orbits_graph *graph,
                                const f2l_task *task, f2l_error *err)
{
    uint8_t one[F2L_ORBITS_MAX_STATES] = {0};
    size_t number, capacity = 0;
    f2l_orbits_rows rows = {.width = graph->states};
    f2l_meter meter = {.task = task, .phase = "maps of the states"};
    if (graph->states > F2L_ORBITS_MAX_STATES)
        return f2l_fail(err, F2L_EDOMAIN, "maps of more than %d states are not listed",
                        F2L_ORBITS_MAX_STATES);
    *out = (f2l_orbits_maps){.states = graph->states, .letters = graph->letters};
    for (size_t q = 0; q < graph->states; q++) one[q] = (uint8_t)q;
    f2l_status status = f2l_orbits_rows_add(&number, &rows, one, err);
    for (size_t m = 0; status == F2L_OK && m < rows.count; m++) {
        if (!f2l_grow((void **)&out->times, &capacity, m, graph->letters * sizeof *out->times))
            status = f2l_fail_memory(err);
        if (status == F2L_OK) status = multiply_map(out, &rows, m, graph, &meter, err);
    }
    out->count = rows.count;
    out->image = rows.byte;
    rows.byte = NULL;
    f2l_orbits_rows_clear(&rows);
    if (status != F2L_OK) f2l_orbits_maps_clear(out);
    return status;
}

/* --- states possible at vertices --- */

void f2l_orbits_reach_clear(f2l_orbits_reach *reach)
{
    f2l_free(reach->possible);
    f2l_free(reach->states);
    f2l_free(reach->pair);
    *reach = (f2l_orbits_reach){0};
}

static void reach_pair(f2l_orbits_reach *out, size_t vertex, size_t state, size_t before, size_t a)
{
    if (f2l_orbits_possible(out, vertex, state)) return;
    out->possible[vertex * out->words + state / 64] |= (uint64_t)1 << (state % 64);
    out->states[vertex]++;
    out->pair[out->pairs++] =
        (f2l_orbits_pair){(uint32_t)vertex, (uint32_t)state, (uint32_t)before, (uint32_t)a};
}

f2l_status f2l_orbits_reach_find(f2l_orbits_reach *out, const f2l_orbits_graph *graph,
                                 const f2l_task *task, f2l_error *err)
{
    const size_t pairs = graph->vertices * graph->states;
    *out = (f2l_orbits_reach){.words = (graph->states + 63) / 64};
    if (graph->vertices * graph->letters > F2L_ORBITS_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "slots are not searched for more than %zu edges",
                        F2L_ORBITS_MAX_EDGES);
    f2l_status status = f2l_task_table(task, "states at vertices", pairs * sizeof *out->pair, err);
    if (status != F2L_OK) return status;
    out->possible = f2l_calloc(graph->vertices * out->words, sizeof *out->possible);
    out->states = f2l_calloc(graph->vertices, sizeof *out->states);
    out->pair = f2l_calloc(pairs, sizeof *out->pair);
    if (!out->possible || !out->states || !out->pair) {
        f2l_orbits_reach_clear(out);
        return f2l_fail_memory(err);
    }
    reach_pair(out, graph->start, graph->start_state, 0, 0);
    for (size_t i = 0; i < out->pairs; i++)
        for (size_t a = 0; a < graph->letters; a++)
            reach_pair(out, graph->below[out->pair[i].vertex * graph->letters + a],
                       graph->next[out->pair[i].state * graph->letters + a], i, a);
    return F2L_OK;
}
