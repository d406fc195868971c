/* The layers that count tokens (theory/pages/d1.md, D1.5). A head of r points holds one of the
 * weights of their dyadic key system. While the count below runs through its period, the head takes
 * the transpositions of a cycle of r points, in order and a few at each token, so that it has moved
 * one step on the cycle when that count restarts. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"
#include <assert.h>

f2l_key_kind f2l_d1_keys(size_t m)
{
    size_t roots, doubled;
    if (m == 1) return F2L_KEYS_NAIVE;
    if (!f2l_keys_dimension(F2L_KEYS_ROOTS, m, &roots)) return F2L_KEYS_DOUBLED;
    return f2l_keys_dimension(F2L_KEYS_DOUBLED, m, &doubled) && doubled < roots ? F2L_KEYS_DOUBLED
                                                                                : F2L_KEYS_ROOTS;
}

static size_t heads_of(const f2l_d1_clock *clock, size_t layer)
{
    return clock->points[layer - 1][1] ? 2 : 1;
}

/* Returns the number of steps of the cycles until all heads of the layer are where they began. */
static size_t steps_of(const f2l_d1_clock *clock, size_t layer)
{
    const size_t *r = clock->points[layer - 1];
    return r[1] ? r[0] / (size_t)f2l_keys_gcd((long)r[0], (long)r[1]) * r[1] : r[0];
}

size_t f2l_d1_period(const f2l_d1_clock *clock, size_t layer)
{
    size_t period = 1;
    for (size_t j = 1; j <= layer; j++) period *= steps_of(clock, j);
    return period;
}

/* Returns the number of transpositions that a head of r points has taken in this turn of the count
 * below, whose period is `before`, after the token of count c. The cycle has r - 1, (v v+1) for v =
 * 0, 1, .. */
static size_t transpositions_taken(size_t r, size_t before, size_t c)
{
    const size_t each = (r - 1 + before - 1) / before, made = (c + 1) * each;
    return made < r - 1 ? made : r - 1;
}

/* Returns the step of its cycle at which the head of r points is when its weight is `weight`
 * after the token of count c: step m is the point r - m at the start of a turn. */
static size_t step_at(size_t r, size_t before, size_t c, size_t weight)
{
    for (size_t v = transpositions_taken(r, before, c); v-- > 0;)
        weight = weight == v ? v + 1 : weight == v + 1 ? v : weight;
    return (r - weight) % r;
}

/* Returns the count for the inputs of the last gate of layer x; 0 when there is none. */
static uint32_t count_of_layer(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const size_t before = f2l_d1_period(&d->clock, x - 1), heads = heads_of(&d->clock, x);
    const size_t *r = d->clock.points[x - 1], c = x == 1 ? 0 : *in++;
    size_t step[2] = {0};
    for (size_t h = 0; h < heads; h++) step[h] = step_at(r[h], before, c, in[h]);
    for (size_t m = 0; m < steps_of(&d->clock, x); m++)
        if (m % r[0] == step[0] && (heads == 1 || m % r[1] == step[1]))
            return (uint32_t)(m * before + c);
    return 0;
}

static uint32_t give_no_count(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)d, (void)x, (void)in;
    return 0;
}

/* Appends weight number `weight` of r points, doubled and divided by the divisor that all of these
 * weights have. */
static f2l_status push_weight(f2l_qvec *out, size_t r, size_t weight, f2l_error *err)
{
    size_t n = 1;
    long divisor = 0;
    f2l_keys_dimension(f2l_d1_keys(r), r, &n);
    long *twice = f2l_calloc(n, sizeof *twice);
    if (!twice) return f2l_fail_memory(err);
    for (size_t i = 0; i < r; i++) {
        f2l_keys_weight(twice, f2l_d1_keys(r), r, i);
        for (size_t c = 0; c < n; c++) divisor = f2l_keys_gcd(divisor, twice[c]);
    }
    assert(divisor != 0); /* the weights of two points or more are not all 0 */
    f2l_keys_weight(twice, f2l_d1_keys(r), r, weight);
    f2l_status status = F2L_OK;
    for (size_t c = 0; status == F2L_OK && c < n; c++)
        status = f2l_qvec_push_si(out, (uint32_t)c, twice[c] / divisor, 1, err);
    f2l_free(twice);
    return status;
}

/* Writes the factors of the head of r points for the count c. */
static f2l_status put_turn(f2l_transition *out, size_t r, size_t before, size_t c, f2l_error *err)
{
    const size_t from = c ? transpositions_taken(r, before, c - 1) : 0,
                 to = transpositions_taken(r, before, c);
    f2l_status status = f2l_transition_set_factors(out, to - from, err);
    for (size_t v = from; status == F2L_OK && v < to; v++) {
        f2l_factor *factor = &out->factor[v - from];
        mpq_set_ui(factor->beta, 2, 1);
        status = f2l_keys_transposition(&factor->u, f2l_d1_keys(r), r, v, v + 1, 0, err);
    }
    return status;
}

/* Writes head h, which has r points and reads the count below, of `size` values, from wire 1. */
static f2l_status put_clock_head(f2l_wired_block *block, size_t h, size_t r, size_t size,
                                 f2l_error *err)
{
    const uint32_t wire = 1;
    size_t n = 1;
    f2l_wired_head *head = &block->head[h];
    f2l_keys_dimension(f2l_d1_keys(r), r, &n);
    f2l_status status = f2l_wired_head_set(head, n, 1, 1, &wire, &size, err);
    for (size_t c = 0; status == F2L_OK && c < size; c++)
        status = put_turn(&head->head.letter[c], r, size, c, err);
    if (status == F2L_OK) status = f2l_wired_readout_set(&block->readout[h], h, 0, n, r, err);
    for (size_t i = 0; status == F2L_OK && i < r; i++)
        status = push_weight(&block->readout[h].code[i], r, i, err);
    return status;
}

/* Writes the gate behind the heads. */
static f2l_status put_count(f2l_d1 *d, f2l_wired_block *block, size_t layer, f2l_error *err)
{
    f2l_d1_rule rule = {
        .value = count_of_layer, .values = f2l_d1_period(&d->clock, layer), .x = layer};
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
    const size_t size[] = {d->letters, before}, heads = heads_of(&d->clock, layer);
    const f2l_d1_rule constant = {.value = give_no_count, .values = 1};
    f2l_status status = f2l_wired_block_set_inputs(block, inputs, size, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, layer == 1, heads, heads, 1, 2, err);
    if (status == F2L_OK && layer == 1)
        status = f2l_d1_gate(d, &block->pre[0], &constant, NULL, err);
    for (size_t h = 0; status == F2L_OK && h < heads; h++)
        status = put_clock_head(block, h, d->clock.points[layer - 1][h], before, err);
    return status == F2L_OK ? put_count(d, block, layer, err) : status;
}

/* All heads begin at their first weight, and come back to it at the end of a period. */
f2l_status f2l_d1_start_clock(f2l_d1 *d, size_t layer, f2l_error *err)
{
    f2l_wired_stage *stage = &d->net->stage[layer - 1];
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK && h < stage->heads; h++)
        status = push_weight(&stage->initial[h], d->clock.points[layer - 1][h], 0, err);
    return status;
}
