/* Boxes around codes: every number of the state has separate intervals, so a box is found number by
 * number. */
#include "models/network/net/box.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

void f2l_box_index_clear(f2l_box_index *index)
{
    f2l_free(index->cell);
    f2l_free(index->count);
    f2l_free(index->place);
    f2l_index_clear(&index->index);
    if (index->ready) mpq_clear(index->zero);
    *index = (f2l_box_index){0};
}

static uint64_t hash_box_places(const f2l_box_index *index, const uint32_t *place)
{
    return f2l_hash_bytes(F2L_HASH, place, index->numbers * sizeof *place);
}

static uint64_t hash_of_box(const void *boxes, size_t code)
{
    const f2l_box_index *index = boxes;
    return hash_box_places(index, index->place + code * index->numbers);
}

static bool is_place(const void *boxes, size_t code, const void *place)
{
    const f2l_box_index *index = boxes;
    const uint32_t *row = index->place + code * index->numbers;
    return memcmp(row, place, index->numbers * sizeof *row) == 0;
}

static f2l_status allocate_box_index(f2l_box_index *index, f2l_error *err)
{
    const f2l_layer *layer = index->layer;
    size_t cells, places;
    if (!f2l_mul_size(&cells, index->numbers, layer->codes) ||
        !f2l_mul_size(&places, index->numbers, layer->codes + 1))
        return f2l_fail_memory(err);
    index->cell = f2l_calloc(cells, sizeof *index->cell);
    index->count = f2l_calloc(index->numbers, sizeof *index->count);
    index->place = f2l_calloc(places, sizeof *index->place);
    const bool made = index->cell && index->count && index->place &&
                      f2l_index_reserve(&index->index, layer->codes, hash_of_box, index);
    return made ? F2L_OK : f2l_fail_memory(err);
}

/* Returns number `number` of a sparse vector; *at is the position of the entry before. */
static mpq_srcptr next_box_entry(const f2l_box_index *index, const f2l_qvec *v, size_t *at,
                                 size_t number)
{
    if (*at < v->count && v->index[*at] == number) return v->value[(*at)++];
    return index->zero;
}

/* Fills the cells of one code for one head, whose numbers begin with `first`. */
static void fill_box_cells(f2l_box_index *index, size_t code, size_t h, size_t first)
{
    const f2l_layer *layer = index->layer;
    const size_t i = code * layer->heads + h, count = layer->head[h].n * layer->head[h].d;
    size_t at = 0, low = 0, high = 0;
    for (size_t k = 0; k < count; k++)
        index->cell[(first + k) * layer->codes + code] =
            (f2l_box_cell){next_box_entry(index, &layer->code[i], &at, k),
                           next_box_entry(index, &layer->low[i], &low, k),
                           next_box_entry(index, &layer->high[i], &high, k), (uint32_t)code};
}

static int by_number(const void *a, const void *b)
{
    const f2l_box_cell *x = a, *y = b;
    return mpq_cmp(x->number, y->number);
}

/* Returns whether the interval reaches the middle between the two numbers, from the side of a. */
static bool meets_middle(mpq_t t, mpq_t u, const f2l_box_cell *a, const f2l_box_cell *b)
{
    mpq_add(t, a->number, b->number);
    mpq_add(u, a->high, a->high);
    if (mpq_cmp(u, t) >= 0) return true;
    mpq_add(u, b->low, b->low);
    return mpq_cmp(u, t) <= 0;
}

/* Returns the fault of two cells of a number, the second of which follows the first; NULL: no
 * fault. */
static const char *pair_fault(const f2l_box_cell *a, const f2l_box_cell *b)
{
    if (mpq_equal(a->number, b->number))
        return mpq_equal(a->low, b->low) && mpq_equal(a->high, b->high)
                   ? NULL
                   : "codes with the same number there have different intervals";
    mpq_t t, u;
    mpq_inits(t, u, (mpq_ptr)NULL);
    const bool meets = meets_middle(t, u, a, b);
    mpq_clears(t, u, (mpq_ptr)NULL);
    return meets ? "an interval reaches the middle between two codes" : NULL;
}

/* Sorts the cells of number k, checks them and keeps one for each number. Returns a fault or
 * NULL. */
static const char *settle_box_number(f2l_box_index *index, size_t k, size_t *code)
{
    f2l_box_cell *cell = index->cell + k * index->layer->codes;
    size_t kept = 0;
    qsort(cell, index->layer->codes, sizeof *cell, by_number);
    for (size_t i = 0; i < index->layer->codes; i++) {
        *code = cell[i].code;
        if (mpq_cmp(cell[i].low, cell[i].number) > 0 || mpq_cmp(cell[i].number, cell[i].high) > 0)
            return "a code lies outside its box";
        const char *fault = i > 0 ? pair_fault(&cell[kept - 1], &cell[i]) : NULL;
        if (fault) return fault;
        if (i == 0 || !mpq_equal(cell[kept - 1].number, cell[i].number)) cell[kept++] = cell[i];
        index->place[cell[i].code * index->numbers + k] = (uint32_t)kept - 1;
    }
    index->count[k] = kept;
    return NULL;
}

static f2l_status settle_all(f2l_box_index *index, size_t *code, f2l_error *err)
{
    const f2l_layer *layer = index->layer;
    size_t first = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t d = layer->head[h].d, count = layer->head[h].n * d;
        for (size_t i = 0; i < layer->codes; i++) fill_box_cells(index, i, h, first);
        for (size_t k = 0; k < count; k++) {
            const char *fault = settle_box_number(index, first + k, code);
            if (fault)
                return f2l_fail(err, F2L_EDOMAIN, "code %zu, head %zu, number %zu.%zu: %s",
                                *code + 1, h + 1, k / d + 1, k % d + 1, fault);
        }
        first += count;
    }
    return F2L_OK;
}

f2l_status f2l_box_index_build(f2l_box_index *out, size_t *code, const f2l_layer *layer,
                               f2l_error *err)
{
    size_t at = 0;
    *out = (f2l_box_index){.layer = layer, .ready = true};
    mpq_init(out->zero);
    for (size_t h = 0; h < layer->heads; h++) out->numbers += layer->head[h].n * layer->head[h].d;
    f2l_status status = allocate_box_index(out, err);
    if (status == F2L_OK) status = settle_all(out, &at, err);
    for (size_t i = 0; status == F2L_OK && i < layer->codes; i++)
        f2l_index_add(&out->index, hash_of_box(out, i));
    if (status != F2L_OK) f2l_box_index_clear(out);
    if (code) *code = at;
    return status;
}

/* Returns the cell of number k whose interval holds the value, F2L_NO_INDEX when there is none. */
static size_t find_cell(const f2l_box_index *index, size_t k, mpq_srcptr value)
{
    const f2l_box_cell *cell = index->cell + k * index->layer->codes;
    size_t low = 0, high = index->count[k];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mpq_cmp(cell[middle].high, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->count[k] && mpq_cmp(cell[low].low, value) <= 0 ? low : F2L_NO_INDEX;
}

size_t f2l_box_index_find(const f2l_box_index *index, const f2l_qvec *state)
{
    const f2l_layer *layer = index->layer;
    uint32_t *place = index->place + layer->codes * index->numbers;
    size_t first = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t count = layer->head[h].n * layer->head[h].d;
        for (size_t k = 0, at = 0; k < count; k++) {
            const size_t found =
                find_cell(index, first + k, next_box_entry(index, &state[h], &at, k));
            if (found == F2L_NO_INDEX) return F2L_NO_INDEX;
            place[first + k] = (uint32_t)found;
        }
        first += count;
    }
    return f2l_index_find(&index->index, hash_box_places(index, place), is_place, index, place);
}
