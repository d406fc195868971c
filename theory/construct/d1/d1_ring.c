/* The ring: the letters of the last two blocks, and the circuit that reads them
 * (theory/pages/d1.md, D1.6). Wires: 0 is the letter, 1 the count, 2 both; then come the 2 B slots
 * of the ring. */
#include "theory/construct/d1/d1_ring.h"
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"

enum { COUNT = 1, PAIR = 2, SLOTS = 3 };

/* Table entry for (count, letter). */
static uint32_t pair_count_and_letter(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    return in[0] * (uint32_t)d->letters + in[1];
}

uint32_t f2l_d1_before(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    return x / d->block != in[0] / d->block ? in[1] : 0;
}

uint32_t f2l_d1_present(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    return x / d->block == in[0] / d->block && x <= in[0] ? in[1] : 0;
}

/* Table entry for (product so far, letter); only products of words of the block are used. */
static uint32_t multiply_ring_product(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    if (in[1] == 0) return in[0];
    const uint32_t to = d->words.next[in[0] * d->letters + in[1] - 1];
    return to == F2L_D1_NONE ? 0 : to;
}

/* Table entry for (letter). */
static uint32_t letter(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const uint32_t with[] = {0, in[0]};
    return multiply_ring_product(d, x, with);
}

/* Table entry for (product, count). */
static uint32_t factor(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    return d->parts.factor_of[in[0] * d->block + in[1] % d->block];
}

static uint32_t rest(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    return d->parts.rest_of[in[0] * d->block + in[1] % d->block];
}

f2l_d1_writer f2l_d1_write_posts(f2l_d1 *d, f2l_wired_block *block)
{
    return (f2l_d1_writer){d, block, (uint32_t)f2l_wired_first_post(block), 0};
}

f2l_status f2l_d1_put(f2l_d1_writer *w, const f2l_d1_rule *rule, const uint32_t *in, f2l_error *err)
{
    w->wire++;
    return f2l_d1_gate(w->d, &w->block->post[w->post++], rule, in, err);
}

f2l_status f2l_d1_put_again(f2l_d1_writer *w, size_t table, const uint32_t *in, f2l_error *err)
{
    w->wire++;
    return f2l_wired_gate_set(&w->block->post[w->post++], table, w->d->net->table[table].inputs, in,
                              err);
}

f2l_status f2l_d1_put_masks(f2l_d1_writer *w, bool old, uint32_t *first, f2l_error *err)
{
    const size_t slots = 2 * w->d->block, values = w->d->letters + 1;
    f2l_status status = F2L_OK;
    *first = w->wire;
    for (size_t j = 0; status == F2L_OK && j < slots; j++) {
        const f2l_d1_rule rule = {
            old ? f2l_d1_before : f2l_d1_present, 2, {slots, values}, values, j};
        const uint32_t in[] = {COUNT, (uint32_t)(SLOTS + j)};
        status = old && j % w->d->block ? f2l_d1_put_again(w, w->d->tables - 1, in, err)
                                        : f2l_d1_put(w, &rule, in, err);
    }
    return status;
}

/* Writes the product of the block before, whose letters are on the wires from `old` on. */
static f2l_status put_last_product(f2l_d1_writer *w, uint32_t old, f2l_error *err)
{
    const size_t slots = 2 * w->d->block, values = w->d->letters + 1, g = w->d->words.element.count;
    const f2l_d1_rule first = {letter, 1, {values}, g, 0},
                      more = {multiply_ring_product, 2, {g, values}, g, 0};
    f2l_status status = f2l_d1_put(w, &first, &old, err);
    for (size_t j = 1; status == F2L_OK && j < slots; j++) {
        const uint32_t in[] = {w->wire - 1, old + (uint32_t)j};
        status =
            j > 1 ? f2l_d1_put_again(w, w->d->tables - 1, in, err) : f2l_d1_put(w, &more, in, err);
    }
    return status;
}

static f2l_status put_d1_ring_posts(f2l_d1_writer *w, f2l_error *err)
{
    const f2l_d1 *d = w->d;
    const size_t slots = 2 * d->block, g = d->words.element.count;
    uint32_t old = 0, now = 0, *output = w->block->output;
    f2l_status status = f2l_d1_put_masks(w, true, &old, err);
    if (status == F2L_OK) status = put_last_product(w, old, err);
    const uint32_t in[] = {w->wire - 1, COUNT};
    if (status == F2L_OK) status = f2l_d1_put_masks(w, false, &now, err);
    const f2l_d1_rule portion = {factor, 2, {g, slots}, d->parts.factor.count, 0};
    const f2l_d1_rule to_come = {rest, 2, {g, slots}, d->parts.rest.count, 0};
    if (status == F2L_OK) status = f2l_d1_put(w, &portion, in, err);
    if (status == F2L_OK) status = f2l_d1_put(w, &to_come, in, err);
    output[0] = now + (uint32_t)slots;
    output[1] = output[0] + 1;
    for (size_t j = 0; j < slots; j++) output[2 + j] = now + (uint32_t)j;
    return status;
}

/* Writes the factor that sets row `count` to the unit vector of the letter, whatever the row
 * held. */
static f2l_status put_write(f2l_transition *transition, size_t count, size_t letter_number,
                            f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(transition, 1, err);
    if (status != F2L_OK) return status;
    mpq_set_ui(transition->factor[0].beta, 1, 1);
    status = f2l_qvec_push_si(&transition->factor[0].u, (uint32_t)count, 1, 1, err);
    return status == F2L_OK
               ? f2l_qvec_push_si(&transition->factor[0].c, (uint32_t)letter_number, 1, 1, err)
               : status;
}

f2l_status f2l_d1_ring_put(f2l_wired_block *block, size_t slots, size_t letters, uint32_t wire,
                           const f2l_task *task, f2l_error *err)
{
    const size_t size = slots * letters;
    f2l_status status = f2l_wired_head_set(&block->head[0], slots, letters, 1, &wire, &size, err);
    for (size_t v = 0; status == F2L_OK && v < size; v++)
        status = put_write(&block->head[0].head.letter[v], v / letters, v % letters, err);
    for (size_t j = 0; status == F2L_OK && j < slots; j++) {
        f2l_wired_readout *readout = &block->readout[j];
        status = f2l_wired_readout_set(readout, 0, j, 1, letters + 1, err);
        for (size_t a = 0; status == F2L_OK && a < letters; a++)
            status = f2l_qvec_push_si(&readout->code[1 + a], (uint32_t)a, 1, 1, err);
        if (status == F2L_OK)
            status = f2l_task_spend(task, "building the ring", letters * 2 * F2L_ENTRY_STEPS, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "building the ring", (double)j, (double)slots, err);
    }
    return status;
}

f2l_status f2l_d1_put_ring_head(f2l_d1 *d, size_t posts, size_t outputs, f2l_error *err)
{
    f2l_wired_block *block = &d->net->block[d->clock.layers];
    const size_t slots = 2 * d->block, size[] = {d->letters, slots};
    const f2l_d1_rule pair = {pair_count_and_letter, 2, {slots, d->letters}, slots * d->letters, 0};
    const uint32_t in[] = {COUNT, 0};
    f2l_status status = f2l_wired_block_set_inputs(block, 2, size, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, 1, 1, slots, posts, outputs, err);
    if (status == F2L_OK) status = f2l_d1_gate(d, &block->pre[0], &pair, in, err);
    if (status == F2L_OK)
        status = f2l_task_table(d->task, "the factors of the ring",
                                slots * d->letters * F2L_D1_WRITE_BYTES, err);
    return status == F2L_OK ? f2l_d1_ring_put(block, slots, d->letters, PAIR, d->task, err)
                            : status;
}

f2l_status f2l_d1_put_ring(f2l_d1 *d, f2l_error *err)
{
    const size_t slots = 2 * d->block;
    f2l_status status = f2l_d1_put_ring_head(d, 3 * slots + 2, 2 + slots, err);
    if (status != F2L_OK) return status;
    f2l_d1_writer w = f2l_d1_write_posts(d, &d->net->block[d->clock.layers]);
    return put_d1_ring_posts(&w, err);
}
