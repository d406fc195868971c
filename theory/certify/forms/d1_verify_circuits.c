/* The gates of a D1 form (theory/pages/d1.md, D1.8 (a)-(c)), checked entry by entry where their
 * values have a meaning. Wires and values count from 0 here. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/walk.h"

#define POLL_ENTRIES ((size_t)1 << 20)

f2l_walk f2l_walk_pre(const f2l_d1_check *c, size_t number)
{
    const f2l_wired_block *block = &c->net->block[number];
    return (f2l_walk){c, number, block->pre, block->pres, 0, (uint32_t)block->inputs};
}

f2l_walk f2l_walk_post(const f2l_d1_check *c, size_t number)
{
    const f2l_wired_block *block = &c->net->block[number];
    return (f2l_walk){
        c, number, block->post, block->posts, 0, (uint32_t)f2l_wired_first_post(block)};
}

f2l_status f2l_walk_wrong(const f2l_walk *w, const char *what, f2l_error *err)
{
    const char *side = w->gate == w->c->net->block[w->number].pre ? "pre" : "post";
    return f2l_fail(err, F2L_UNKNOWN, "block %zu: %s gate %zu %s", w->number + 1, side, w->at + 1,
                    what);
}

static f2l_status compare_with_expected(const f2l_walk *w, const f2l_expectation *e,
                                        const f2l_wired_table *table, f2l_error *err)
{
    uint32_t in[4] = {0};
    f2l_status status = f2l_task_spend(w->c->task, "checking tables", 4 + table->entries / 2, err);
    for (size_t entry = 0; status == F2L_OK && entry < table->entries; entry++) {
        if (table->value[entry] != e->value(w->c, e->x, in))
            return f2l_walk_wrong(w, "has a wrong entry", err);
        for (size_t i = e->inputs; i-- > 0;) {
            if (++in[i] < e->size[i]) break;
            in[i] = 0;
        }
        if (entry % POLL_ENTRIES == 0)
            status = f2l_task_poll(w->c->task, "checking tables", (double)entry,
                                   (double)table->entries, err);
    }
    return status;
}

f2l_status f2l_walk_expect(f2l_walk *w, const f2l_expectation *e, const f2l_wired_table **table,
                           uint32_t *wire, f2l_error *err)
{
    if (w->at == w->gates) return f2l_walk_wrong(w, "is missing", err);
    const f2l_wired_gate *gate = &w->gate[w->at];
    const f2l_wired_table *have = &w->c->net->table[gate->table];
    bool same = have->inputs == e->inputs && (e->values == 0 || have->values == e->values);
    for (size_t i = 0; same && i < e->inputs; i++)
        same = gate->wire[i] == e->wire[i] && have->size[i] == e->size[i];
    if (!same) return f2l_walk_wrong(w, "reads other wires or has other values", err);
    f2l_status status = e->value ? compare_with_expected(w, e, have, err) : F2L_OK;
    if (table) *table = have;
    if (wire) *wire = w->first + (uint32_t)w->at;
    w->at++;
    return status;
}

f2l_status f2l_walk_end(const f2l_walk *w, f2l_error *err)
{
    return w->at == w->gates ? F2L_OK : f2l_walk_wrong(w, "is one too many", err);
}

f2l_status f2l_walk_wrong_block(size_t number, const char *what, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN, "block %zu: %s", number + 1, what);
}

/* The clock (a): only the shape is checked here; running it shows whether it counts. */

static bool heads_read(const f2l_wired_block *block, uint32_t wire)
{
    bool good = block->heads > 0 && block->heads <= 2 && block->readouts == block->heads;
    for (size_t h = 0; good && h < block->heads; h++)
        good = block->head[h].slots == 1 && block->head[h].wire[0] == wire &&
               block->readout[h].head == h;
    return good;
}

static f2l_status check_count_gates(const f2l_d1_check *c, size_t b, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[b];
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(block);
    f2l_walk pre = f2l_walk_pre(c, b), post = f2l_walk_post(c, b);
    const f2l_expectation constant = {.value = NULL};
    f2l_expectation count = {.value = NULL};
    uint32_t wire = 0;
    if (block->inputs != (b ? 2 : 1) || block->input_size[0] != c->letters || !heads_read(block, 1))
        return f2l_walk_wrong_block(b, "it is no clock", err);
    f2l_status status = b ? F2L_OK : f2l_walk_expect(&pre, &constant, NULL, NULL, err);
    if (status == F2L_OK) status = f2l_walk_end(&pre, err);
    if (b) {
        count.wire[count.inputs] = 1;
        count.size[count.inputs++] = block->input_size[1];
    }
    for (uint32_t h = 0; h < block->heads; h++) {
        count.wire[count.inputs] = readout + h;
        count.size[count.inputs++] = block->readout[h].codes;
    }
    if (status == F2L_OK) status = f2l_walk_expect(&post, &count, NULL, &wire, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    const bool named = block->outputs == 2 && block->output[0] == 0 && block->output[1] == wire;
    return status == F2L_OK && !named ? f2l_walk_wrong_block(b, "its outputs are other wires", err)
                                      : status;
}

f2l_status f2l_walk_clock(const f2l_d1_check *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t b = 0; status == F2L_OK && b < c->clock; b++) status = check_count_gates(c, b, err);
    return status;
}

/* The ring (b). Wires: letter, count, both, then the slots. */

uint32_t f2l_walk_both(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)x;
    return (uint32_t)(in[0] * c->letters + in[1]);
}

uint32_t f2l_walk_before(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    const bool first_half = x < c->block, filling_first = in[0] < c->block;
    return first_half == filling_first ? 0 : in[1];
}

uint32_t f2l_walk_present(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    const size_t from = in[0] < c->block ? 0 : c->block;
    return from <= x && x <= in[0] ? in[1] : 0;
}

uint32_t f2l_walk_earlier(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    return x == in[0] ? 0 : f2l_walk_present(c, x, in);
}

/* Expected entry for (element, letter): as in the table of the second gate of the chain; the first
 * gate has the element 0. */
static uint32_t as_multiplied(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    const size_t values = c->letters + 1;
    return x ? c->multiply->value[in[0] * values + in[1]] : c->multiply->value[in[0]];
}

f2l_status f2l_walk_ring_head(const f2l_d1_check *c, uint32_t wire, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->ring];
    const size_t slots = 2 * c->block;
    if (block->heads != 1 || block->readouts != slots)
        return f2l_walk_wrong_block(c->ring, "it has not one head with a readout for every row",
                                    err);
    const f2l_wired_head *head = &block->head[0];
    if (head->head.n != slots || head->head.d != c->letters || head->slots != 1 ||
        head->wire[0] != wire)
        return f2l_walk_wrong_block(c->ring, "its head is no ring", err);
    for (size_t r = 0; r < slots; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        bool good = readout->row == r && readout->rows == 1 && readout->codes == c->letters + 1 &&
                    readout->code[0].count == 0;
        for (size_t a = 0; good && a < c->letters; a++) {
            const f2l_qvec *code = &readout->code[1 + a];
            good = code->count == 1 && code->index[0] == a && mpq_cmp_ui(code->value[0], 1, 1) == 0;
        }
        if (!good) return f2l_walk_wrong_block(c->ring, "a readout does not read a letter", err);
    }
    return F2L_OK;
}

f2l_status f2l_walk_masks(f2l_walk *w, f2l_walk_value *value, uint32_t slot, uint32_t *first,
                          f2l_error *err)
{
    const f2l_d1_check *c = w->c;
    const size_t slots = 2 * c->block, values = c->letters + 1;
    f2l_status status = F2L_OK;
    *first = w->first + (uint32_t)w->at;
    for (uint32_t j = 0; status == F2L_OK && j < slots; j++) {
        const f2l_expectation e = {value, 2, {1, slot + j}, {slots, values}, values, j};
        status = f2l_walk_expect(w, &e, NULL, NULL, err);
    }
    return status;
}

f2l_status f2l_walk_chain(f2l_walk *w, f2l_d1_check *c, uint32_t old, uint32_t *product,
                          f2l_error *err)
{
    const size_t slots = 2 * c->block, values = c->letters + 1;
    if (w->at + 1 >= w->gates) return f2l_walk_wrong(w, "is missing", err);
    c->multiply = &c->net->table[w->gate[w->at + 1].table];
    c->elements = c->multiply->values;
    if (c->multiply->inputs != 2 || c->multiply->size[0] != c->elements ||
        c->multiply->size[1] != values)
        return f2l_walk_wrong(w, "is followed by one that does not multiply", err);
    f2l_status status = F2L_OK;
    for (uint32_t j = 0; status == F2L_OK && j < slots; j++) {
        const f2l_expectation first = {as_multiplied, 1, {old}, {values}, c->elements, 0};
        const f2l_expectation more = {as_multiplied,         2,           {*product, old + j},
                                      {c->elements, values}, c->elements, 1};
        status = f2l_walk_expect(w, j ? &more : &first, NULL, product, err);
    }
    return status;
}

f2l_status f2l_d1_check_ring_frame(f2l_d1_check *c, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->ring];
    const size_t slots = 2 * c->block;
    f2l_walk pre = f2l_walk_pre(c, c->ring);
    const f2l_expectation pair = {f2l_walk_both,      2, {1, 0}, {slots, c->letters},
                                  slots * c->letters, 0};
    if (block->inputs != 2 || block->input_size[0] != c->letters || block->input_size[1] != slots)
        return f2l_walk_wrong_block(c->ring, "its inputs are not letter and count", err);
    f2l_status status = f2l_walk_expect(&pre, &pair, NULL, NULL, err);
    if (status == F2L_OK) status = f2l_walk_end(&pre, err);
    return status == F2L_OK ? f2l_walk_ring_head(c, 2, err) : status;
}

static f2l_status check_ring_block(f2l_d1_check *c, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[c->ring];
    const size_t slots = 2 * c->block;
    f2l_walk post = f2l_walk_post(c, c->ring);
    uint32_t old, product = 0, present = 0, portion = 0, rest = 0;
    f2l_status status = f2l_d1_check_ring_frame(c, err);
    if (status == F2L_OK) status = f2l_walk_masks(&post, f2l_walk_before, 3, &old, err);
    if (status == F2L_OK) status = f2l_walk_chain(&post, c, old, &product, err);
    if (status == F2L_OK) status = f2l_walk_masks(&post, f2l_walk_present, 3, &present, err);
    const f2l_expectation look = {NULL, 2, {product, 1}, {c->elements, slots}, 0, 0};
    if (status == F2L_OK) status = f2l_walk_expect(&post, &look, &c->factor, &portion, err);
    if (status == F2L_OK) status = f2l_walk_expect(&post, &look, &c->rest, &rest, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    if (status != F2L_OK) return status;
    c->factors = c->factor->values;
    c->rests = c->rest->values;
    bool named =
        block->outputs == 2 + slots && block->output[0] == portion && block->output[1] == rest;
    for (size_t j = 0; named && j < slots; j++) named = block->output[2 + j] == present + j;
    return named ? F2L_OK : f2l_walk_wrong_block(c->ring, "its outputs are other wires", err);
}

/* The applying block (c). Wires: portion, product still to come, the letters of the present block,
 * the readout. */

/* Expected entry for (state, letter). */
static uint32_t state_after(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)x;
    if (in[1] == 0) return in[0];
    const size_t state = c->reach.state[in[0]];
    return c->reach.position[c->fsa->next[state * c->letters + (in[1] - 1)]];
}

/* Expected entry for (state). */
static uint32_t expect_state_label(const f2l_d1_check *c, size_t x, const uint32_t *in)
{
    (void)x;
    return c->label[c->reach.state[in[0]]];
}

static f2l_status check_applying_posts(f2l_d1_check *c, f2l_error *err)
{
    const size_t number = c->ring + 1, slots = 2 * c->block, values = c->letters + 1;
    const f2l_wired_block *block = &c->net->block[number];
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(block);
    f2l_walk post = f2l_walk_post(c, number);
    uint32_t state = 0, label = 0;
    c->codes = block->readout[0].codes;
    const f2l_expectation mean = {NULL, 2, {readout, 1}, {c->codes, c->rests}, c->states, 0};
    f2l_status status = f2l_walk_expect(&post, &mean, &c->meaning, &state, err);
    for (uint32_t j = 0; status == F2L_OK && j < slots; j++) {
        const f2l_expectation move = {state_after,         2,         {state, 2 + j},
                                      {c->states, values}, c->states, 0};
        status = f2l_walk_expect(&post, &move, NULL, &state, err);
    }
    const f2l_expectation name = {expect_state_label,   1, {state}, {c->states},
                                  c->net->labels.count, 0};
    if (status == F2L_OK) status = f2l_walk_expect(&post, &name, NULL, &label, err);
    if (status == F2L_OK) status = f2l_walk_end(&post, err);
    if (status == F2L_OK && (block->outputs != 1 || block->output[0] != label))
        status = f2l_walk_wrong_block(number, "its output is another wire", err);
    return status;
}

static f2l_status check_d1_applying_block(f2l_d1_check *c, f2l_error *err)
{
    const size_t number = c->ring + 1, slots = 2 * c->block;
    const f2l_wired_block *block = &c->net->block[number];
    bool good =
        block->inputs == 2 + slots && block->pres == 0 && block->heads == 1 && block->readouts == 1;
    good = good && block->input_size[0] == c->factors && block->input_size[1] == c->rests;
    for (size_t j = 0; good && j < slots; j++) good = block->input_size[2 + j] == c->letters + 1;
    good = good && block->head[0].slots == 1 && block->head[0].wire[0] == 0;
    return good ? check_applying_posts(c, err)
                : f2l_walk_wrong_block(number, "it is not the one that applies", err);
}

f2l_status f2l_d1_check_stages(f2l_d1_check *c, f2l_error *err)
{
    const f2l_net *net = c->net;
    if (net->stages < 3 || net->blocks != net->stages)
        return f2l_fail(err, F2L_UNKNOWN,
                        "there are not three stages, each with a block of its own");
    for (size_t l = 0; l < net->stages; l++)
        if (net->stage[l].block != l)
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu is another block", l + 1);
    c->clock = c->ring = net->stages - 2;
    const f2l_wired_block *ring = &net->block[c->ring];
    if (ring->inputs != 2 || ring->input_size[1] % 2 != 0)
        return f2l_walk_wrong_block(c->ring, "its inputs are not letter and count", err);
    c->block = ring->input_size[1] / 2;
    return f2l_walk_clock(c, err);
}

f2l_status f2l_d1_check_circuits(f2l_d1_check *c, f2l_error *err)
{
    f2l_status status = f2l_d1_check_stages(c, err);
    if (status == F2L_OK) status = check_ring_block(c, err);
    return status == F2L_OK ? check_d1_applying_block(c, err) : status;
}
