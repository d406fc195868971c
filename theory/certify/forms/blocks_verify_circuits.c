/* The stages and gates of a blocks form (theory/pages/blocks.md, BL.1). */
#include "numeric/base/mem.h"
#include "theory/certify/forms/walk.h"

/* Wires of the ring: letter, count, act, both, slots. Wires of the applying block: letter, count,
 * portion, remainder, slots, code. */
enum { SLOTS = 4 };

static f2l_status check_blocks_ring(f2l_d1_check *c, f2l_blocks_link *link, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->ring];
    const size_t slots = 2 * c->block;
    f2l_walk pre = f2l_walk_pre(c, c->ring), post = f2l_walk_post(c, c->ring);
    if (block->inputs != 2 || block->input_size[1] != slots || block->pres != 2)
        return f2l_walk_wrong_block(c->ring, "its inputs are not letter and count", err);
    link->letters = block->input_size[0];
    const f2l_expectation act = {NULL, 1, {0}, {link->letters}, 0, 0};
    uint32_t old, product = 0, earlier = 0, portion = 0, rest = 0;
    f2l_status status = f2l_walk_expect(&pre, &act, &link->act, NULL, err);
    if (status != F2L_OK) return status;
    c->letters = link->act->values;
    const f2l_expectation pair = {f2l_walk_both,      2, {1, 2}, {slots, c->letters},
                                  slots * c->letters, 0};
    status = f2l_walk_expect(&pre, &pair, NULL, NULL, err);
    if (status == F2L_OK) status = f2l_walk_end(&pre, err);
    if (status == F2L_OK) status = f2l_walk_ring_head(c, 3, err);
    if (status == F2L_OK) status = f2l_walk_masks(&post, f2l_walk_before, SLOTS, &old, err);
    if (status == F2L_OK) status = f2l_walk_chain(&post, c, old, &product, err);
    if (status == F2L_OK) status = f2l_walk_masks(&post, f2l_walk_earlier, SLOTS, &earlier, err);
    const f2l_expectation look = {NULL, 2, {product, 1}, {c->elements, slots}, 0, 0};
    if (status == F2L_OK) status = f2l_walk_expect(&post, &look, &c->factor, &portion, err);
    if (status == F2L_OK) status = f2l_walk_expect(&post, &look, &c->rest, &rest, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    if (status != F2L_OK) return status;
    c->factors = c->factor->values;
    c->rests = c->rest->values;
    const uint32_t *out = block->output;
    bool named = block->outputs == SLOTS + slots && out[0] == 0 && out[1] == 1 &&
                 out[2] == portion && out[3] == rest;
    for (size_t j = 0; named && j < slots; j++) named = out[SLOTS + j] == earlier + j;
    return named ? F2L_OK : f2l_walk_wrong_block(c->ring, "its outputs are other wires", err);
}

/* Expected entry for (state, letter): as in the table of the first of these gates. */
static uint32_t expect_moved_state(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)x;
    return in[1] ? f2l_d1_after(c, in[0], in[1] - 1) : in[0];
}

static f2l_status check_state_gates(f2l_d1_check *c, f2l_walk *w, uint32_t *state, f2l_error *err)
{
    const size_t slots = 2 * c->block, values = c->letters + 1;
    const uint32_t code = w->first - 1;
    const f2l_expectation mean = {NULL, 2, {code, 3}, {c->codes, c->rests}, 0, 0};
    f2l_status status = f2l_walk_expect(w, &mean, &c->meaning, state, err);
    if (status != F2L_OK) return status;
    c->states = c->meaning->values;
    if (w->at == w->gates) return f2l_walk_wrong(w, "is missing", err);
    c->moves = &c->net->table[w->gate[w->at].table];
    for (uint32_t j = 0; status == F2L_OK && j < slots; j++) {
        const f2l_expectation move = {expect_moved_state,  2,         {*state, SLOTS + j},
                                      {c->states, values}, c->states, 0};
        status = f2l_walk_expect(w, &move, NULL, state, err);
    }
    return status;
}

static f2l_status check_applying_stage(f2l_d1_check *c, f2l_blocks_link *link, bool last,
                                       f2l_error *err)
{
    const size_t number = c->ring + 1, slots = 2 * c->block;
    const f2l_wired_block *block = &c->net->block[number];
    bool good = block->inputs == SLOTS + slots && block->pres == 0 && block->heads == 1 &&
                block->readouts == 1;
    good = good && block->input_size[0] == link->letters && block->input_size[1] == slots;
    good = good && block->input_size[2] == c->factors && block->input_size[3] == c->rests;
    for (size_t j = 0; good && j < slots; j++)
        good = block->input_size[SLOTS + j] == c->letters + 1;
    good = good && block->head[0].slots == 1 && block->head[0].wire[0] == 2;
    if (!good) return f2l_walk_wrong_block(number, "it is not one that applies", err);
    f2l_walk post = f2l_walk_post(c, number);
    uint32_t state = 0, symbol = 0;
    c->codes = block->readout[0].codes;
    f2l_status status = check_state_gates(c, &post, &state, err);
    const f2l_expectation next = {NULL, 2, {0, state}, {link->letters, c->states}, 0, 0};
    if (status == F2L_OK) status = f2l_walk_expect(&post, &next, &link->next, &symbol, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    if (status != F2L_OK) return status;
    link->symbols = link->next->values;
    const bool named = block->outputs == (last ? 1 : 2) && block->output[0] == symbol &&
                       (last || block->output[1] == 1);
    return named ? F2L_OK : f2l_walk_wrong_block(number, "its outputs are other wires", err);
}

/* Returns the number of clock layers: the first block with two heads or more inputs than two, or
 * with as many readouts as the ring has rows, comes after them. A ring is told by its two pre
 * gates. */
static size_t clock_of(const f2l_net *net)
{
    size_t clock = 0;
    while (clock < net->blocks && net->block[clock].pres != 2) clock++;
    return clock;
}

f2l_status f2l_blocks_check_circuits(f2l_blocks_check *c, f2l_error *err)
{
    const f2l_net *net = c->net;
    c->clock = clock_of(net);
    const size_t rest = net->blocks - c->clock;
    if (net->blocks != net->stages || c->clock == 0 || rest < 2 || rest % 2 != 0)
        return f2l_fail(err, F2L_UNKNOWN, "there are not a clock and two stages for each level");
    for (size_t l = 0; l < net->stages; l++)
        if (net->stage[l].block != l)
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu is another block", l + 1);
    const f2l_wired_block *ring = &net->block[c->clock];
    if (ring->inputs != 2 || ring->input_size[1] % 2 != 0)
        return f2l_walk_wrong_block(c->clock, "its inputs are not letter and count", err);
    c->block = ring->input_size[1] / 2;
    c->levels = rest / 2;
    c->base = (f2l_d1_check){.net = net, .fsa = c->fsa, .task = c->task, .run = c->run};
    c->base.letters = c->fsa->letters.count;
    c->base.clock = c->clock;
    c->base.block = c->block;
    c->level = f2l_calloc(c->levels, sizeof *c->level);
    c->link = f2l_calloc(c->levels, sizeof *c->link);
    if (!c->level || !c->link) return f2l_fail_memory(err);
    f2l_status status = f2l_walk_clock(&c->base, err);
    for (size_t l = 0; status == F2L_OK && l < c->levels; l++) {
        c->level[l] = c->base;
        c->level[l].ring = c->clock + 2 * l;
        status = check_blocks_ring(&c->level[l], &c->link[l], err);
        if (status == F2L_OK)
            status = check_applying_stage(&c->level[l], &c->link[l], l + 1 == c->levels, err);
    }
    return status;
}
