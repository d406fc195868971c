/* Which numbers of the state the heads compare, so that the bits tell apart what the decoder does.
 */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct coordinate {
    size_t head, row, column;
} coordinate;

typedef struct placed {
    uint64_t place; /* the cell, then the kind */
    size_t code;
} placed;

typedef struct chooser {
    const f2l_layer *layer;
    uint32_t *kind; /* [codes] codes of a kind are decoded alike, whatever the letter */
    uint32_t *cell; /* [codes] codes of a cell agree in all bits so far */
    coordinate *at; /* [coordinates] numbers that differ between codes */
    size_t coordinates;
    uint32_t *rank; /* [coordinates][codes] of the code's number among the numbers there */
    placed *order;  /* [codes] by cell, then by kind */
} chooser;

const mpq_t *f2l_block_entry(const f2l_qvec *v, size_t index)
{
    size_t low = 0, high = v->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (v->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->count && v->index[low] == index ? (const mpq_t *)&v->value[low] : NULL;
}

static const mpq_t *number_of_code(const f2l_layer *layer, coordinate at, size_t code)
{
    return f2l_block_entry(&layer->code[code * layer->heads + at.head],
                           at.row * layer->head[at.head].d + at.column);
}

static int compare_numbers(const mpq_t *a, const mpq_t *b)
{
    if (a && b) return mpq_cmp(*a, *b);
    return a ? mpq_sgn(*a) : b ? -mpq_sgn(*b) : 0;
}

bool f2l_block_is_on(const f2l_layer *layer, const f2l_block_bit *bit, size_t code)
{
    const coordinate at = {bit->head, bit->row, bit->column};
    return compare_numbers(number_of_code(layer, at, code), (const mpq_t *)&bit->threshold) > 0;
}

/* --- kinds of letters and codes --- */

static uint64_t mix_symbol(uint64_t hash, uint32_t symbol)
{
    return (hash ^ symbol) * UINT64_C(0x100000001b3);
}

/* Numbers things of which `alike` says whether two are alike: *of[i] is the number of thing i.
 * Things that are alike have equal hashes. */
static f2l_status number_kinds(uint32_t *of, size_t *kinds, size_t things, const uint64_t *hash,
                               bool (*alike)(const void *context, size_t a, size_t b),
                               const void *context, f2l_error *err)
{
    size_t *first = f2l_calloc(things, sizeof *first);
    *kinds = 0;
    if (!first) return f2l_fail_memory(err);
    for (size_t i = 0; i < things; i++) {
        size_t k = 0;
        while (k < *kinds && (hash[first[k]] != hash[i] || !alike(context, first[k], i))) k++;
        if (k == *kinds) first[(*kinds)++] = i;
        of[i] = (uint32_t)k;
    }
    f2l_free(first);
    return F2L_OK;
}

static bool letters_alike(const void *context, size_t a, size_t b)
{
    const f2l_layer *layer = context;
    for (size_t c = 0; c < layer->codes; c++)
        if (f2l_layer_symbol(layer, a, c) != f2l_layer_symbol(layer, b, c)) return false;
    return true;
}

static bool codes_alike(const void *context, size_t a, size_t b)
{
    const f2l_layer *layer = context;
    for (size_t x = 0; x < layer->letters; x++)
        if (f2l_layer_symbol(layer, x, a) != f2l_layer_symbol(layer, x, b)) return false;
    return true;
}

static bool reads_by_letter(const f2l_layer *layer)
{
    return layer->by_letter || layer->parts > 0;
}

static f2l_status find_letter_groups(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err)
{
    out->group = f2l_calloc(layer->letters, sizeof *out->group);
    if (!out->group) return f2l_fail_memory(err);
    out->groups = 1;
    if (!reads_by_letter(layer)) return F2L_OK;
    uint64_t *hash = f2l_calloc(layer->letters, sizeof *hash);
    if (!hash) return f2l_fail_memory(err);
    for (size_t x = 0; x < layer->letters; x++)
        for (size_t c = 0; c < layer->codes; c++)
            hash[x] = mix_symbol(hash[x], f2l_layer_symbol(layer, x, c));
    const f2l_status status =
        number_kinds(out->group, &out->groups, layer->letters, hash, letters_alike, layer, err);
    f2l_free(hash);
    return status;
}

static f2l_status find_kinds(chooser *c, f2l_error *err)
{
    const f2l_layer *layer = c->layer;
    const size_t letters = reads_by_letter(layer) ? layer->letters : 1;
    size_t kinds;
    uint64_t *hash = f2l_calloc(layer->codes, sizeof *hash);
    if (!hash) return f2l_fail_memory(err);
    for (size_t i = 0; i < layer->codes; i++)
        for (size_t x = 0; x < letters; x++)
            hash[i] = mix_symbol(hash[i], f2l_layer_symbol(layer, x, i));
    const f2l_status status =
        number_kinds(c->kind, &kinds, layer->codes, hash, codes_alike, layer, err);
    f2l_free(hash);
    return status;
}

/* --- candidates --- */

typedef struct ranked {
    const mpq_t *number;
    size_t code;
} ranked;

static int compare_ranked_numbers(const void *a, const void *b)
{
    return compare_numbers(((const ranked *)a)->number, ((const ranked *)b)->number);
}

/* Ranks the codes by their number at the coordinate, and keeps the coordinate if there are two. */
static void rank_codes(chooser *c, coordinate at, ranked *room)
{
    const size_t codes = c->layer->codes;
    uint32_t *rank = &c->rank[c->coordinates * codes], r = 0;
    for (size_t i = 0; i < codes; i++) room[i] = (ranked){number_of_code(c->layer, at, i), i};
    qsort(room, codes, sizeof *room, compare_ranked_numbers);
    for (size_t i = 0; i < codes; i++) {
        if (i > 0 && compare_numbers(room[i - 1].number, room[i].number) != 0) r++;
        rank[room[i].code] = r;
    }
    if (r > 0) c->at[c->coordinates++] = at;
}

static f2l_status rank_all(chooser *c, f2l_error *err)
{
    const f2l_layer *layer = c->layer;
    size_t all = 0, numbers;
    for (size_t h = 0; h < layer->heads; h++) all += layer->head[h].n * layer->head[h].d;
    if (!f2l_mul_size(&numbers, all, layer->codes) || numbers > F2L_BLOCK_TABLE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu codes of %zu numbers are more than the %zu that are searched",
                        layer->codes, all, F2L_BLOCK_TABLE);
    c->at = f2l_calloc(all, sizeof *c->at);
    c->rank = f2l_calloc(numbers, sizeof *c->rank);
    ranked *room = f2l_calloc(layer->codes, sizeof *room);
    const f2l_status status = c->at && c->rank && room ? F2L_OK : f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < layer->heads; h++)
        for (size_t row = 0; row < layer->head[h].n; row++)
            for (size_t column = 0; column < layer->head[h].d; column++)
                rank_codes(c, (coordinate){h, row, column}, room);
    f2l_free(room);
    return status;
}

/* --- the choice --- */

static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static uint32_t cell_of(const placed *p)
{
    return (uint32_t)(p->place >> 32);
}

static void sort_codes_by_cell(chooser *c)
{
    for (size_t i = 0; i < c->layer->codes; i++)
        c->order[i] = (placed){(uint64_t)c->cell[i] << 32 | c->kind[i], i};
    qsort(c->order, c->layer->codes, sizeof *c->order, by_place);
}

/* Returns whether some cell has codes of two kinds. */
static bool is_open(const chooser *c)
{
    for (size_t i = 1; i < c->layer->codes; i++)
        if (cell_of(&c->order[i]) == cell_of(&c->order[i - 1]) &&
            c->order[i].place != c->order[i - 1].place)
            return true;
    return false;
}

/* Returns the number of pairs of codes in one cell, of two kinds, that the comparison separates. */
static uint64_t count_separated_pairs(const chooser *c, const uint32_t *rank, uint32_t threshold)
{
    const size_t codes = c->layer->codes;
    uint64_t pairs = 0, cell[2] = {0, 0}, kind[2] = {0, 0};
    for (size_t i = 0; i < codes; i++) {
        const bool on = rank[c->order[i].code] > threshold;
        const bool last = i + 1 == codes;
        cell[on]++;
        kind[on]++;
        if (!last && c->order[i].place == c->order[i + 1].place) continue;
        pairs -= kind[0] * kind[1];
        kind[0] = kind[1] = 0;
        if (!last && cell_of(&c->order[i]) == cell_of(&c->order[i + 1])) continue;
        pairs += cell[0] * cell[1];
        cell[0] = cell[1] = 0;
    }
    return pairs;
}

typedef struct choice {
    size_t coordinate;
    uint32_t threshold; /* a rank */
    uint64_t pairs;
} choice;

static choice best_choice(const chooser *c)
{
    choice best = {0, 0, 0};
    for (size_t k = 0; k < c->coordinates; k++) {
        const uint32_t *rank = &c->rank[k * c->layer->codes];
        uint32_t most = 0;
        for (size_t i = 0; i < c->layer->codes; i++) most = rank[i] > most ? rank[i] : most;
        for (uint32_t t = 0; t < most; t++) {
            const uint64_t pairs = count_separated_pairs(c, rank, t);
            if (pairs > best.pairs) best = (choice){k, t, pairs};
        }
    }
    return best;
}

/* Sets the threshold to the middle between the numbers of two neighbouring ranks. */
static void set_threshold(mpq_t out, const chooser *c, choice best)
{
    const uint32_t *rank = &c->rank[best.coordinate * c->layer->codes];
    size_t below = 0, above = 0;
    for (size_t i = 0; i < c->layer->codes; i++) {
        if (rank[i] == best.threshold) below = i;
        if (rank[i] == best.threshold + 1) above = i;
    }
    const mpq_t *a = number_of_code(c->layer, c->at[best.coordinate], below),
                *b = number_of_code(c->layer, c->at[best.coordinate], above);
    mpq_set_ui(out, 0, 1);
    if (a) mpq_add(out, out, *a);
    if (b) mpq_add(out, out, *b);
    mpq_div_2exp(out, out, 1);
}

/* Splits the cells by the comparison. */
static void split_cells(chooser *c, choice best)
{
    const uint32_t *rank = &c->rank[best.coordinate * c->layer->codes];
    uint32_t cells = 0;
    for (size_t i = 0; i < c->layer->codes; i++)
        c->cell[i] = 2 * c->cell[i] + (rank[i] > best.threshold);
    for (size_t i = 0; i < c->layer->codes; i++)
        c->order[i] = (placed){(uint64_t)c->cell[i] << 32, i};
    qsort(c->order, c->layer->codes, sizeof *c->order, by_place);
    for (size_t i = 0; i < c->layer->codes; i++) {
        if (i > 0 && c->order[i].place != c->order[i - 1].place) cells++;
        c->cell[c->order[i].code] = cells;
    }
    sort_codes_by_cell(c);
}

static f2l_status add_bit(f2l_block_layer *out, size_t *capacity, const chooser *c, choice best,
                          f2l_error *err)
{
    if (!f2l_grow((void **)&out->bit, capacity, out->bits, sizeof *out->bit))
        return f2l_fail_memory(err);
    const coordinate at = c->at[best.coordinate];
    f2l_block_bit *bit = &out->bit[out->bits++];
    *bit = (f2l_block_bit){.head = at.head, .row = at.row, .column = at.column};
    mpq_init(bit->threshold);
    set_threshold(bit->threshold, c, best);
    return F2L_OK;
}

/* Takes, again and again, the comparison that separates most pairs. */
static f2l_status choose_comparisons(f2l_block_layer *out, chooser *c, f2l_error *err)
{
    size_t capacity = 0;
    f2l_status status = F2L_OK;
    sort_codes_by_cell(c);
    while (status == F2L_OK && is_open(c)) {
        const choice best = best_choice(c);
        if (best.pairs == 0)
            return f2l_fail(err, F2L_EDOMAIN, "two codes with different symbols are equal");
        status = add_bit(out, &capacity, c, best, err);
        split_cells(c, best);
    }
    return status;
}

f2l_status f2l_blocks_choose_bits(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err)
{
    chooser c = {.layer = layer};
    size_t table;
    if (!f2l_mul_size(&table, layer->letters, layer->codes) || table > F2L_BLOCK_TABLE)
        return f2l_fail(err, F2L_EDOMAIN, "%zu letters and %zu codes are more than are searched",
                        layer->letters, layer->codes);
    c.kind = f2l_calloc(layer->codes, sizeof *c.kind);
    c.cell = f2l_calloc(layer->codes, sizeof *c.cell);
    c.order = f2l_calloc(layer->codes, sizeof *c.order);
    f2l_status status = c.kind && c.cell && c.order ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = find_letter_groups(out, layer, err);
    if (status == F2L_OK) status = find_kinds(&c, err);
    if (status == F2L_OK) status = rank_all(&c, err);
    if (status == F2L_OK) status = choose_comparisons(out, &c, err);
    f2l_free(c.kind);
    f2l_free(c.cell);
    f2l_free(c.order);
    f2l_free(c.at);
    f2l_free(c.rank);
    return status;
}

void f2l_block_layer_clear(f2l_block_layer *layer)
{
    for (size_t b = 0; b < layer->bits; b++) mpq_clear(layer->bit[b].threshold);
    f2l_free(layer->bit);
    f2l_free(layer->group);
    f2l_free(layer->unit);
    f2l_free(layer->term);
    *layer = (f2l_block_layer){0};
}
