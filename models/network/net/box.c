/* Boxes around codes. Where the intervals of each number end before the middles between the codes'
 * numbers, a box is found number by number; elsewhere codes are compared pair by pair, and boxes
 * are tried one after the other. */
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
    if (index->ready) mpq_clears(index->zero, index->twice, index->sum, index->most, (mpq_ptr)NULL);
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

/* Returns the sign of a value less the middle of two numbers. */
static int from_middle(f2l_box_index *index, mpq_srcptr value, mpq_srcptr a, mpq_srcptr b)
{
    mpq_add(index->twice, value, value);
    mpq_add(index->sum, a, b);
    return mpq_cmp(index->twice, index->sum);
}

/* Returns whether the intervals of a number, whose cells are sorted, end before the middles between
 * different numbers of codes. */
static bool end_before_middles(f2l_box_index *index, const f2l_box_cell *cell)
{
    const f2l_box_cell *below = NULL, *above = NULL;
    const size_t codes = index->layer->codes;
    for (size_t i = 0; i < codes; i++) {
        const f2l_box_cell *up = cell + i, *down = cell + codes - 1 - i;
        if (i > 0 && !mpq_equal(up[-1].number, up->number)) below = up - 1;
        if (i > 0 && !mpq_equal(down[1].number, down->number)) above = down + 1;
        if (below && from_middle(index, up->low, below->number, up->number) <= 0) return false;
        if (above && from_middle(index, down->high, above->number, down->number) >= 0) return false;
    }
    return true;
}

/* Sorts the cells of number k, checks them and keeps one for each number. Returns a fault or
 * NULL. */
static const char *settle_box_number(f2l_box_index *index, size_t k, size_t *code)
{
    const size_t codes = index->layer->codes;
    f2l_box_cell *cell = index->cell + k * codes;
    size_t kept = 0;
    qsort(cell, codes, sizeof *cell, by_number);
    for (size_t i = 0; i < codes; i++) {
        *code = cell[i].code;
        if (mpq_cmp(cell[i].low, cell[i].number) > 0 || mpq_cmp(cell[i].number, cell[i].high) > 0)
            return "a code lies outside its box";
    }
    index->grid = index->grid && end_before_middles(index, cell);
    for (size_t i = 0; i < codes; i++) {
        if (i == 0 || !mpq_equal(cell[kept - 1].number, cell[i].number)) cell[kept++] = cell[i];
        index->place[cell[i].code * index->numbers + k] = (uint32_t)kept - 1;
    }
    index->count[k] = kept;
    return NULL;
}

/* Returns whether code i is nearer than code j in its whole box: the greatest |S - i|^2 - |S - j|^2
 * there, the sum of (j - i) (2 S - i - j) over all numbers, is negative. */
static bool is_nearer(f2l_box_index *index, size_t i, size_t j)
{
    const f2l_layer *layer = index->layer;
    mpq_set_ui(index->most, 0, 1);
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t mine = i * layer->heads + h, other = j * layer->heads + h;
        size_t at[4] = {0};
        for (size_t k = 0; k < layer->head[h].n * layer->head[h].d; k++) {
            mpq_srcptr a = next_box_entry(index, &layer->code[mine], &at[0], k),
                       b = next_box_entry(index, &layer->code[other], &at[1], k),
                       low = next_box_entry(index, &layer->low[mine], &at[2], k),
                       high = next_box_entry(index, &layer->high[mine], &at[3], k);
            (void)from_middle(index, mpq_cmp(b, a) > 0 ? high : low, a, b);
            mpq_sub(index->twice, index->twice, index->sum);
            mpq_sub(index->sum, b, a);
            mpq_mul(index->sum, index->sum, index->twice);
            mpq_add(index->most, index->most, index->sum);
        }
    }
    return mpq_sgn(index->most) < 0;
}

/* Checks pair by pair that codes are nearest in their boxes. */
static f2l_status compare_codes(f2l_box_index *index, size_t *code, f2l_error *err)
{
    const size_t codes = index->layer->codes;
    if (index->numbers > F2L_BOX_PAIRS || codes * index->numbers > F2L_BOX_PAIRS / (codes + 1))
        return f2l_fail(err, F2L_EDOMAIN,
                        "an interval reaches the middle between two codes, and %zu codes are too "
                        "many to be compared pair by pair",
                        codes);
    for (*code = 0; *code < codes; ++*code)
        for (size_t j = 0; j < codes; j++)
            if (j != *code && !is_nearer(index, *code, j))
                return f2l_fail(err, F2L_EDOMAIN,
                                "box %zu reaches the middle between code %zu and code %zu",
                                *code + 1, *code + 1, j + 1);
    return F2L_OK;
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
    return index->grid ? F2L_OK : compare_codes(index, code, err);
}

f2l_status f2l_box_index_build(f2l_box_index *out, size_t *code, const f2l_layer *layer,
                               f2l_error *err)
{
    size_t at = 0;
    *out = (f2l_box_index){
        .layer = layer, .ready = true, .grid = true, .numbers = f2l_layer_numbers(layer)};
    mpq_inits(out->zero, out->twice, out->sum, out->most, (mpq_ptr)NULL);
    f2l_status status = allocate_box_index(out, err);
    if (status == F2L_OK) status = settle_all(out, &at, err);
    for (size_t i = 0; status == F2L_OK && i < layer->codes; i++)
        f2l_index_add(&out->index, hash_of_box(out, i));
    if (status != F2L_OK) f2l_box_index_clear(out);
    if (code) *code = at;
    return status;
}

/* Returns the cell of number k whose number is nearest to the value. */
static size_t find_cell(f2l_box_index *index, size_t k, mpq_srcptr value)
{
    const f2l_box_cell *cell = index->cell + k * index->layer->codes;
    size_t low = 0, high = index->count[k] - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (from_middle(index, value, cell[middle].number, cell[middle + 1].number) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the only code whose box may hold the state, where numbers keep the boxes apart. */
static size_t find_candidate(f2l_box_index *index, const f2l_qvec *state)
{
    const f2l_layer *layer = index->layer;
    uint32_t *place = index->place + layer->codes * index->numbers;
    size_t first = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t count = layer->head[h].n * layer->head[h].d;
        for (size_t k = 0, at = 0; k < count; k++)
            place[first + k] =
                (uint32_t)find_cell(index, first + k, next_box_entry(index, &state[h], &at, k));
        first += count;
    }
    return f2l_index_find(&index->index, hash_box_places(index, place), is_place, index, place);
}

static bool is_in_box(const f2l_box_index *index, size_t code, const f2l_qvec *state)
{
    const f2l_layer *layer = index->layer;
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t i = code * layer->heads + h;
        size_t at = 0, low = 0, high = 0;
        for (size_t k = 0; k < layer->head[h].n * layer->head[h].d; k++) {
            mpq_srcptr value = next_box_entry(index, &state[h], &at, k);
            if (mpq_cmp(value, next_box_entry(index, &layer->low[i], &low, k)) < 0 ||
                mpq_cmp(value, next_box_entry(index, &layer->high[i], &high, k)) > 0)
                return false;
        }
    }
    return true;
}

size_t f2l_box_index_find(f2l_box_index *index, const f2l_qvec *state)
{
    size_t code = index->grid ? find_candidate(index, state) : 0;
    const size_t end = index->grid ? code + 1 : index->layer->codes;
    if (code == F2L_NO_INDEX) return code;
    while (code < end && !is_in_box(index, code, state)) code++;
    return code < end ? code : F2L_NO_INDEX;
}
