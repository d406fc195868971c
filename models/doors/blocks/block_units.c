/* The units of a SwiGLU block: for every group of letters a decision tree over the bits. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct grower {
    f2l_block_layer *out;
    const f2l_layer *layer;
    size_t letter; /* one of the group */
    uint32_t group;
    bool *on;         /* [views][bits][codes] */
    const bool *seen; /* [bits][codes] of the letter's view */
    uint32_t *code;   /* [codes] the codes of a node of the tree are neighbours */
    uint32_t *room;   /* [codes] */
    int32_t *path;    /* [bits] the bits above the node, as in f2l_block_layer.term */
    size_t *count[2]; /* [symbols] of codes at the node with the symbol, by the bit */
} grower;

static uint32_t symbol_of(const grower *g, uint32_t code)
{
    return f2l_layer_symbol(g->layer, g->letter, code);
}

/* Adds the unit of a leaf. */
static f2l_status add_unit(grower *g, uint32_t symbol, size_t depth, f2l_error *err)
{
    f2l_block_layer *out = g->out;
    if (!f2l_grow((void **)&out->unit, &out->unit_capacity, out->units, sizeof *out->unit))
        return f2l_fail_memory(err);
    out->unit[out->units++] =
        (f2l_block_unit){.group = g->group, .symbol = symbol, .first = out->terms, .bits = depth};
    for (size_t i = 0; i < depth; i++) {
        if (!f2l_grow((void **)&out->term, &out->term_capacity, out->terms, sizeof *out->term))
            return f2l_fail_memory(err);
        out->term[out->terms++] = g->path[i];
    }
    return F2L_OK;
}

/* Returns the number of pairs of codes with different symbols that the bit separates. */
static uint64_t separated(grower *g, size_t bit, size_t first, size_t codes)
{
    const bool *on = &g->seen[bit * g->layer->codes];
    uint64_t all[2] = {0, 0}, same = 0;
    for (size_t i = first; i < first + codes; i++) {
        const uint32_t symbol = symbol_of(g, g->code[i]);
        const bool side = on[g->code[i]];
        all[side]++;
        same += g->count[!side][symbol];
        g->count[side][symbol]++;
    }
    for (size_t i = first; i < first + codes; i++) {
        const uint32_t symbol = symbol_of(g, g->code[i]);
        g->count[0][symbol] = g->count[1][symbol] = 0;
    }
    return all[0] * all[1] - same;
}

/* Returns whether all codes of the node have one symbol. */
static bool is_leaf(const grower *g, size_t first, size_t codes)
{
    for (size_t i = first + 1; i < first + codes; i++)
        if (symbol_of(g, g->code[i]) != symbol_of(g, g->code[first])) return false;
    return true;
}

/* Moves the codes whose bit is off before those whose bit is on; returns how many are off. */
static size_t part_codes_by_bit(grower *g, size_t bit, size_t first, size_t codes)
{
    const bool *on = &g->seen[bit * g->layer->codes];
    size_t off = 0, kept = 0;
    for (size_t i = first; i < first + codes; i++) {
        if (on[g->code[i]])
            g->room[kept++] = g->code[i];
        else
            g->code[first + off++] = g->code[i];
    }
    memcpy(&g->code[first + off], g->room, kept * sizeof *g->room);
    return off;
}

/* Grows the node of these codes. Its depth is at most the number of bits: a bit that separates
 * nothing is never taken. */
static f2l_status grow_node(grower *g, size_t first, size_t codes, size_t depth, f2l_error *err)
{
    if (codes == 0) return F2L_OK;
    if (is_leaf(g, first, codes)) return add_unit(g, symbol_of(g, g->code[first]), depth, err);
    size_t best = 0;
    uint64_t most = 0;
    for (size_t b = 0; b < g->out->bits; b++) {
        const uint64_t pairs = separated(g, b, first, codes);
        if (pairs > most) best = b, most = pairs;
    }
    if (most == 0)
        return f2l_fail(err, F2L_EDOMAIN, "the bits do not tell apart what a letter decodes");
    const size_t off = part_codes_by_bit(g, best, first, codes);
    g->path[depth] = -(int32_t)(best + 1);
    f2l_status status = grow_node(g, first, off, depth + 1, err);
    g->path[depth] = (int32_t)(best + 1);
    if (status == F2L_OK) status = grow_node(g, first + off, codes - off, depth + 1, err);
    return status;
}

/* Grows the tree of the codes for which the letters of a group have a symbol. For the others no
 * unit has to be on. */
static f2l_status grow_group(grower *g, uint32_t group, f2l_error *err)
{
    size_t codes = 0;
    g->group = group;
    g->letter = g->out->of_group[group];
    g->seen = &g->on[g->out->view[g->letter] * g->out->bits * g->layer->codes];
    for (size_t c = 0; c < g->layer->codes; c++)
        if (symbol_of(g, (uint32_t)c) != F2L_NO_SYMBOL) g->code[codes++] = (uint32_t)c;
    return grow_node(g, 0, codes, 0, err);
}

static void read_bits(grower *g)
{
    const size_t codes = g->layer->codes, bits = g->out->bits;
    for (size_t v = 0; v < g->out->views; v++)
        for (size_t h = 0; h < g->out->heads; h++)
            for (size_t j = 0; j < g->out->head[h].columns; j++) {
                const f2l_block_head *head = &g->out->head[h];
                for (size_t c = 0; c < codes; c++)
                    g->on[(v * bits + head->bit + j) * codes + c] =
                        f2l_block_is_on(g->layer, head, v, j, c);
            }
}

f2l_status f2l_blocks_choose_units(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err)
{
    grower g = {.out = out, .layer = layer};
    size_t table;
    if (!f2l_mul_size(&table, out->bits, layer->codes) || !f2l_mul_size(&table, table, out->views))
        return f2l_fail_memory(err);
    g.on = f2l_calloc(table, sizeof *g.on);
    g.code = f2l_calloc(layer->codes, sizeof *g.code);
    g.room = f2l_calloc(layer->codes, sizeof *g.room);
    g.path = f2l_calloc(out->bits + 1, sizeof *g.path);
    g.count[0] = f2l_calloc(layer->symbols, sizeof **g.count);
    g.count[1] = f2l_calloc(layer->symbols, sizeof **g.count);
    f2l_status status = F2L_OK;
    if (!g.on || !g.code || !g.room || !g.path || !g.count[0] || !g.count[1])
        status = f2l_fail_memory(err);
    else
        read_bits(&g);
    for (uint32_t group = 0; status == F2L_OK && group < out->groups; group++)
        status = grow_group(&g, group, err);
    f2l_free(g.on);
    f2l_free(g.code);
    f2l_free(g.room);
    f2l_free(g.path);
    f2l_free(g.count[0]);
    f2l_free(g.count[1]);
    return status;
}
