/* The numbers of a SwiGLU block: EB.6. */
#include "models/doors/blocks/impl.h"

/* What the gate of a unit is where the unit is on. Where it is off the gate is at most -GATE, which
 * SiLU takes to 0. */
#define GATE 128.0

/* Sets the channel that the unit takes out; returns whether there is one. */
static bool taken_channel(size_t *channel, const f2l_blocks *b, size_t layer, size_t unit)
{
    const f2l_block_layer *from = &b->layer[layer];
    const size_t first = from->units + f2l_block_has_start(b, layer);
    const size_t acts = f2l_block_taken_acts(from);
    if (unit < first || unit >= first + acts + f2l_block_taken_bits(b, layer)) return false;
    unit -= first;
    *channel = unit < acts ? b->symbols + unit : b->bits + unit - acts;
    return true;
}

/* Returns whether bit number `bit` of the stream is negated where the letters of the group are
 * read. */
static bool is_negated(const f2l_block_layer *layer, size_t bit, size_t group)
{
    size_t h = 0;
    while (bit >= layer->head[h].bit + layer->head[h].columns) h++;
    return layer->head[h].read[layer->view[layer->of_group[group]]].negated;
}

/* A leaf's gate is GATE times 1 where the unit is on: 2 for a letter, and 1 for each digit of its
 * group and each bit, less their sum, plus 1. No letter takes 2 away, and so does each other digit
 * or bit. */
static void put_leaf_gate(f2l_block_matrix *m, const f2l_blocks *b, size_t layer, size_t u)
{
    const f2l_block_layer *from = &b->layer[layer];
    const f2l_block_unit *unit = &from->unit[u];
    const size_t digits = f2l_block_digits(from);
    f2l_block_matrix_put(m, u, b->letter, 2 * GATE);
    for (size_t j = 0; j < digits; j++)
        f2l_block_matrix_put(m, u, b->digits + j, GATE * f2l_block_digit(from, unit->group, j));
    for (size_t i = 0; i < unit->bits; i++) {
        const int32_t term = from->term[unit->first + i];
        const size_t bit = (size_t)(term < 0 ? -term : term) - 1;
        const bool on = (term > 0) != is_negated(from, bit, unit->group);
        f2l_block_matrix_put(m, u, b->bits + bit, on ? GATE : -GATE);
    }
    f2l_block_matrix_put(m, u, 0, -GATE * (double)(unit->bits + digits + 1) / b->constant);
}

void f2l_block_put_gate(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_block_layer *from = &b->layer[layer];
    size_t channel;
    for (size_t u = 0; u < from->units; u++) put_leaf_gate(m, b, layer, u);
    if (f2l_block_has_start(b, layer)) {
        f2l_block_matrix_put(m, from->units, f2l_block_write_channel(b, b->writes - 1), 2 * GATE);
        f2l_block_matrix_put(m, from->units, 0, -GATE / b->constant);
    }
    for (size_t u = 0; u < m->rows; u++)
        if (taken_channel(&channel, b, layer, u)) f2l_block_matrix_put(m, u, 0, GATE / b->constant);
}

/* A unit that takes a channel out is GATE times what the channel holds. */
void f2l_block_put_up(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    size_t channel;
    for (size_t u = 0; u < m->rows; u++)
        if (taken_channel(&channel, b, layer, u))
            f2l_block_matrix_put(m, u, channel, 1);
        else
            f2l_block_matrix_put(m, u, 0, 1 / b->constant);
}

/* Puts what the unit of a leaf adds to the stream: the next letter's act or the label, less the act
 * if the unit knows it, and the change from the group's digits to the digits of the next letter. */
static void put_leaf_down(f2l_block_matrix *m, const f2l_blocks *b, size_t layer, size_t u)
{
    const f2l_block_layer *from = &b->layer[layer];
    const f2l_block_layer *next = layer + 1 < b->net->layers ? from + 1 : NULL;
    const uint32_t symbol = from->unit[u].symbol, added = next ? next->act[symbol] : symbol;
    const uint32_t taken = from->act[from->of_group[from->unit[u].group]];
    if (from->group_has_act) f2l_block_matrix_put(m, b->symbols + taken, u, -1 / GATE);
    f2l_block_matrix_put(m, b->symbols + added, u,
                         from->group_has_act && added == taken ? 0 : 1 / GATE);
    for (size_t j = 0; j < b->bits - b->digits; j++) {
        const int after = next ? f2l_block_digit(next, next->group[symbol], j) : 0;
        const int change = after - f2l_block_digit(from, from->unit[u].group, j);
        f2l_block_matrix_put(m, b->digits + j, u, change / GATE);
    }
}

void f2l_block_put_down(f2l_block_matrix *m, const f2l_blocks *b, size_t layer)
{
    const f2l_block_layer *from = &b->layer[layer];
    size_t channel;
    for (size_t u = 0; u < from->units; u++) put_leaf_down(m, b, layer, u);
    if (f2l_block_has_start(b, layer))
        f2l_block_matrix_put(m, b->symbols + b->net->start, from->units, 1 / GATE);
    for (size_t u = 0; u < m->columns; u++)
        if (taken_channel(&channel, b, layer, u)) f2l_block_matrix_put(m, channel, u, -1 / GATE);
}
