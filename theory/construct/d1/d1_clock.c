/* The layers that count tokens (theory/pages/d1.md, D1.5). The scalar of period 2 starts at -1 and
 * changes its sign whenever the count so far restarts. The vector of period 3 is one of the three
 * weights of the dyadic key system of three points: two factors move it in a circle; with one
 * factor the transpositions (1 2) and (2 3) alternate, which has period 6. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"

#define WEIGHT_DIM 4 /* of the key system of three points */

static bool has_sign(const f2l_d1_clock *clock, size_t layer)
{
    return !(clock->lone && layer == clock->triple);
}

size_t f2l_d1_period(const f2l_d1_clock *clock, size_t layer)
{
    size_t period = 1;
    for (size_t j = 1; j <= layer; j++)
        period *= (has_sign(clock, j) ? 2 : 1) * (j == clock->triple ? 3 : 1);
    return period;
}

/* Returns the sign after token number `count` + 1: 0 for +1. */
static uint32_t sign_at(const f2l_d1_clock *clock, size_t layer, size_t count)
{
    return (uint32_t)(count / f2l_d1_period(clock, layer - 1) % 2);
}

/* Returns the weight after token number `count` + 1. */
static uint32_t weight_at(const f2l_d1_clock *clock, size_t count)
{
    static const uint32_t turns[] = {1, 2, 2, 1, 0, 0};
    return clock->triple == 1 ? (uint32_t)(count % 3) : turns[count % 6];
}

/* Returns the count for the inputs of the last gate of layer x; 0 when there is none. */
static uint32_t count_of(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const size_t before = f2l_d1_period(&d->clock, x - 1), period = f2l_d1_period(&d->clock, x);
    for (size_t count = 0; count < period; count++) {
        const uint32_t *at = in;
        bool same = x == 1 || *at++ == count % before;
        if (has_sign(&d->clock, x)) same = same && *at++ == sign_at(&d->clock, x, count);
        if (x == d->clock.triple) same = same && *at == weight_at(&d->clock, count);
        if (same) return (uint32_t)count;
    }
    return 0;
}

static uint32_t nothing(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)d, (void)x, (void)in;
    return 0;
}

static f2l_status push_weight(f2l_qvec *out, size_t weight, f2l_error *err)
{
    long twice[WEIGHT_DIM];
    f2l_status status = F2L_OK;
    f2l_keys_weight(twice, F2L_KEYS_ROOTS, 3, weight);
    for (uint32_t c = 0; status == F2L_OK && c < WEIGHT_DIM; c++)
        status = f2l_qvec_push_si(out, c, twice[c], 1, err);
    return status;
}

static f2l_status set_swap(f2l_factor *factor, size_t i, size_t j, f2l_error *err)
{
    mpq_set_ui(factor->beta, 2, 1);
    return f2l_keys_transposition(&factor->u, F2L_KEYS_ROOTS, 3, i, j, 0, err);
}

/* Writes the head of the sign, which reads the count so far from `wire` of `size` values. */
static f2l_status put_sign(f2l_wired_block *block, size_t h, uint32_t wire, size_t size,
                           f2l_error *err)
{
    f2l_wired_head *head = &block->head[h];
    f2l_status status = f2l_wired_head_set(head, 1, 1, 1, &wire, &size, err);
    if (status == F2L_OK) status = f2l_transition_set_factors(&head->head.letter[0], 1, err);
    if (status != F2L_OK) return status;
    f2l_factor *factor = &head->head.letter[0].factor[0];
    mpq_set_ui(factor->beta, 2, 1);
    status = f2l_qvec_push_si(&factor->u, 0, 1, 1, err);
    if (status == F2L_OK) status = f2l_wired_readout_set(&block->readout[h], h, 0, 1, 2, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(&block->readout[h].code[0], 0, 1, 1, err);
    return status == F2L_OK ? f2l_qvec_push_si(&block->readout[h].code[1], 0, -1, 1, err) : status;
}

static f2l_status put_weight(const f2l_d1 *d, f2l_wired_block *block, size_t h, uint32_t wire,
                             size_t size, f2l_error *err)
{
    const size_t factors = d->clock.triple == 1 ? 2 : 1;
    f2l_wired_head *head = &block->head[h];
    f2l_status status = f2l_wired_head_set(head, WEIGHT_DIM, 1, 1, &wire, &size, err);
    for (size_t v = 0; status == F2L_OK && v < size; v++) {
        f2l_transition *letter = &head->head.letter[v];
        status = f2l_transition_set_factors(letter, factors, err);
        if (status == F2L_OK) status = set_swap(&letter->factor[0], v, v + 1, err);
        if (status == F2L_OK && factors == 2) status = set_swap(&letter->factor[1], 0, 2, err);
    }
    if (status == F2L_OK)
        status = f2l_wired_readout_set(&block->readout[h], h, 0, WEIGHT_DIM, 3, err);
    for (size_t i = 0; status == F2L_OK && i < 3; i++)
        status = push_weight(&block->readout[h].code[i], i, err);
    return status;
}

/* Writes the gate behind the heads: its wires start at `first`, and `heads` readouts are among
 * them. */
static f2l_status put_count(f2l_d1 *d, f2l_wired_block *block, size_t layer, f2l_error *err)
{
    f2l_d1_rule rule = {.value = count_of, .values = f2l_d1_period(&d->clock, layer), .x = layer};
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(block);
    uint32_t wire[3];
    if (layer > 1) {
        wire[rule.inputs] = 1;
        rule.size[rule.inputs++] = f2l_d1_period(&d->clock, layer - 1);
    }
    for (size_t h = 0; h < block->heads; h++) {
        wire[rule.inputs] = readout + (uint32_t)h;
        rule.size[rule.inputs++] = block->readout[h].codes;
    }
    block->output[0] = 0;
    block->output[1] = (uint32_t)f2l_wired_first_post(block);
    return f2l_d1_gate(d, &block->post[0], &rule, wire, err);
}

f2l_status f2l_d1_put_clock(f2l_d1 *d, size_t layer, f2l_error *err)
{
    f2l_wired_block *block = &d->net->block[layer - 1];
    const size_t before = f2l_d1_period(&d->clock, layer - 1), inputs = layer > 1 ? 2 : 1;
    const size_t size[] = {d->letters, before};
    const bool sign = has_sign(&d->clock, layer), weight = layer == d->clock.triple;
    const size_t heads = (size_t)sign + weight;
    const f2l_d1_rule constant = {.value = nothing, .values = 1};
    f2l_status status = f2l_wired_block_set_inputs(block, inputs, size, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, layer == 1, heads, heads, 1, 2, err);
    if (status == F2L_OK && layer == 1)
        status = f2l_d1_gate(d, &block->pre[0], &constant, NULL, err);
    if (status == F2L_OK && sign) status = put_sign(block, 0, 1, before, err);
    if (status == F2L_OK && weight) status = put_weight(d, block, heads - 1, 1, before, err);
    return status == F2L_OK ? put_count(d, block, layer, err) : status;
}

/* Sets the initial states to the states after the last token of a period. */
f2l_status f2l_d1_start_clock(f2l_d1 *d, size_t layer, f2l_error *err)
{
    f2l_wired_stage *stage = &d->net->stage[layer - 1];
    const size_t last = f2l_d1_period(&d->clock, layer) - 1;
    f2l_status status = F2L_OK;
    if (has_sign(&d->clock, layer)) status = f2l_qvec_push_si(&stage->initial[0], 0, -1, 1, err);
    if (status == F2L_OK && layer == d->clock.triple)
        status = push_weight(&stage->initial[stage->heads - 1], weight_at(&d->clock, last), err);
    return status;
}
