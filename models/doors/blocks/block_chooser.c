/* The comparisons that tell codes of different kinds apart: again and again the one that separates
 * most pairs. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <stdlib.h>

typedef struct f2l_block_place {
    uint64_t place; /* the cell, then the kind */
    size_t code;
} placed;

f2l_status f2l_block_chooser_init(f2l_block_chooser *c, size_t codes, f2l_error *err)
{
    *c = (f2l_block_chooser){.codes = codes};
    c->kind = f2l_calloc(codes, sizeof *c->kind);
    c->cell = f2l_calloc(codes, sizeof *c->cell);
    c->order = f2l_calloc(codes, sizeof *c->order);
    return c->kind && c->cell && c->order ? F2L_OK : f2l_fail_memory(err);
}

void f2l_block_chooser_clear(f2l_block_chooser *c)
{
    f2l_free(c->kind);
    f2l_free(c->cell);
    f2l_free(c->order);
}

static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static uint32_t cell_of(const placed *p)
{
    return (uint32_t)(p->place >> 32);
}

static void sort_codes_by_cell(f2l_block_chooser *c)
{
    for (size_t i = 0; i < c->codes; i++)
        c->order[i] = (placed){(uint64_t)c->cell[i] << 32 | c->kind[i], i};
    qsort(c->order, c->codes, sizeof *c->order, by_place);
}

void f2l_block_chooser_start(f2l_block_chooser *c)
{
    for (size_t i = 0; i < c->codes; i++) c->cell[i] = 0;
    sort_codes_by_cell(c);
}

bool f2l_block_chooser_open(const f2l_block_chooser *c)
{
    for (size_t i = 1; i < c->codes; i++)
        if (cell_of(&c->order[i]) == cell_of(&c->order[i - 1]) &&
            c->order[i].place != c->order[i - 1].place)
            return true;
    return false;
}

/* Returns the number of pairs of codes in one cell, of two kinds, that the comparison separates. */
static uint64_t count_separated_pairs(const f2l_block_chooser *c, const uint32_t *rank,
                                      uint32_t threshold)
{
    uint64_t pairs = 0, cell[2] = {0, 0}, kind[2] = {0, 0};
    for (size_t i = 0; i < c->codes; i++) {
        const bool on = rank[c->order[i].code] > threshold;
        const bool last = i + 1 == c->codes;
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

f2l_block_choice f2l_block_chooser_best(const f2l_block_chooser *c)
{
    f2l_block_choice best = {0, 0, 0};
    for (size_t k = 0; k < c->functions; k++) {
        const uint32_t *rank = &c->rank[k * c->codes];
        uint32_t most = 0;
        for (size_t i = 0; i < c->codes; i++) most = rank[i] > most ? rank[i] : most;
        for (uint32_t t = 0; t < most; t++) {
            const uint64_t pairs = count_separated_pairs(c, rank, t);
            if (pairs > best.pairs) best = (f2l_block_choice){k, t, pairs};
        }
    }
    return best;
}

void f2l_block_chooser_split(f2l_block_chooser *c, f2l_block_choice choice)
{
    const uint32_t *rank = &c->rank[choice.function * c->codes];
    uint32_t cells = 0;
    for (size_t i = 0; i < c->codes; i++) {
        const uint64_t cell = 2 * c->cell[i] + (rank[i] > choice.threshold);
        c->order[i] = (placed){cell << 32, i};
    }
    qsort(c->order, c->codes, sizeof *c->order, by_place);
    for (size_t i = 0; i < c->codes; i++) {
        if (i > 0 && c->order[i].place != c->order[i - 1].place) cells++;
        c->cell[c->order[i].code] = cells;
    }
    sort_codes_by_cell(c);
}

/* --- what must be told apart --- */

static uint64_t code_decoder_hash(const f2l_layer *layer, size_t code)
{
    uint64_t hash = 0;
    for (size_t x = 0; x < layer->letters; x++)
        hash = (hash ^ f2l_layer_symbol(layer, x, code)) * UINT64_C(0x100000001b3);
    return hash;
}

static bool codes_alike(const f2l_layer *layer, size_t a, size_t b)
{
    for (size_t x = 0; x < layer->letters; x++)
        if (f2l_layer_symbol(layer, x, a) != f2l_layer_symbol(layer, x, b)) return false;
    return true;
}

f2l_status f2l_block_chooser_decoded(f2l_block_chooser *c, const f2l_layer *layer, f2l_error *err)
{
    uint64_t *hash = f2l_calloc(c->codes, sizeof *hash);
    size_t *first = f2l_calloc(c->codes, sizeof *first), kinds = 0;
    if (hash && first)
        for (size_t i = 0; i < c->codes; i++) {
            size_t k = 0;
            hash[i] = code_decoder_hash(layer, i);
            while (k < kinds && (hash[first[k]] != hash[i] || !codes_alike(layer, first[k], i)))
                k++;
            if (k == kinds) first[kinds++] = i;
            c->kind[i] = (uint32_t)k;
        }
    const f2l_status status = hash && first ? F2L_OK : f2l_fail_memory(err);
    f2l_free(hash);
    f2l_free(first);
    return status;
}
