/* The two blocks of a level (theory/pages/blocks.md, BL.1). Wires of the ring: 0 is the level's
 * letter, 1 the count, 2 the act of the letter, 3 count and act; then come the 2B slots. Wires of
 * the applying block: letter, count, portion, remainder, 2B letters, the code of the head. */
#include "numeric/base/mem.h"
#include "theory/construct/blocks/impl.h"
#include "theory/construct/d1/d1_ring.h"

enum { LETTER, COUNT, ACT, PAIR, SLOTS };
enum { PORTION = 2, REST, EARLIER };

/* Returns an entry of a table; `x` is the rule's parameter beside its inputs. */
typedef uint32_t value_of(const f2l_blocks_level *v, size_t x, const uint32_t *in);

typedef struct rule {
    value_of *value;
    size_t inputs, size[2], values, x;
} rule;

static uint32_t block_act_of(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return v->act_of[in[0]];
}

static uint32_t pair_of(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return in[0] * (uint32_t)v->act.count + in[1];
}

/* Table entries for (count, slot x): the letter if it belongs to the block before, or to the tokens
 * of the present block before the present one. */
static uint32_t before(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    return x / v->block != in[0] / v->block ? in[1] : 0;
}

static uint32_t earlier(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    return x / v->block == in[0] / v->block && x < in[0] ? in[1] : 0;
}

/* Table entry for (product so far, letter); only products of words of the block are used. */
static uint32_t multiply_block_product(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    if (in[1] == 0) return in[0];
    const uint32_t to = v->next[in[0] * v->act.count + in[1] - 1];
    return to == F2L_BLOCKS_NONE ? 0 : to;
}

static uint32_t multiply_first(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    const uint32_t with[] = {0, in[0]};
    return multiply_block_product(v, x, with);
}

/* Table entries for (product, count). */
static uint32_t portion_of(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return v->factor_of[in[0] * v->block + in[1] % v->block];
}

static uint32_t rest_of(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return v->rest_of[in[0] * v->block + in[1] % v->block];
}

/* Table entry for (code, remainder). */
static uint32_t meaning_of(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return v->meaning[in[0] * v->rest.count + in[1]];
}

/* Table entry for (point, letter). */
static uint32_t move_block_point(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    (void)x;
    return in[1] == 0 ? in[0] : f2l_rowset_get(&v->act, in[1] - 1, NULL)[in[0]];
}

/* Returns the first state of a set. */
static size_t first_state(const f2l_cascade *c, uint32_t set)
{
    const uint64_t *word = f2l_subsets_get(&c->sets, set);
    size_t state = 0;
    while (!(word[state / 64] >> state % 64 & 1)) state++;
    return state;
}

/* Table entry for (letter, point before it): the letter of the next level, or the label (with
 * labels `edges` BL.8). */
static uint32_t next_letter(const f2l_blocks_level *v, size_t x, const uint32_t *in)
{
    const f2l_cascade *c = v->cascade;
    const f2l_context *from = &v->level->context[in[0]];
    const bool reads = c->lambda[from->from] == v->l;
    const size_t point = reads && in[1] < c->cover_count[from->from] ? in[1] : 0;
    (void)x;
    if (!v->label_of) return v->level->next[from->next + point];
    const uint32_t set = reads ? c->cover[c->cover_at[from->from] + point] : from->from;
    const size_t edge = first_state(c, set) * c->fsa->letters.count + from->letter;
    return v->label_of[v->edges ? edge : c->fsa->next[edge]];
}

static f2l_status charge_blocks_table(f2l_blocks *b, const rule *r, f2l_error *err)
{
    size_t entries = r->inputs > 1 ? r->size[1] : 1;
    if (!f2l_mul_size(&entries, entries, r->size[0]) || entries > F2L_BLOCKS_ENTRIES - b->entries)
        return f2l_fail(err, F2L_UNKNOWN, "the tables have more than %zu entries",
                        F2L_BLOCKS_ENTRIES);
    b->entries += entries;
    f2l_status status = f2l_task_memory(b->task, "the tables of a wired network",
                                        b->entries * sizeof(uint32_t), err);
    if (status == F2L_OK)
        status = f2l_task_spend(b->task, "the tables of a wired network",
                                entries * sizeof(uint32_t), err);
    return status == F2L_OK ? f2l_task_poll(b->task, "the tables of a wired network", 0, 0, err)
                            : status;
}

/* A block while it is written: gates are in the order of their wires. */
typedef struct writer {
    f2l_blocks *b;
    const f2l_blocks_level *v;
    f2l_wired_gate *gate; /* the next one */
    uint32_t wire;        /* its wire */
} writer;

/* Writes a gate with a new table. */
static f2l_status put_blocks_gate(writer *w, const rule *r, const uint32_t *wire, f2l_error *err)
{
    f2l_wired_table *table = &w->b->net->table[w->b->tables];
    f2l_status status = charge_blocks_table(w->b, r, err);
    if (status == F2L_OK) status = f2l_wired_table_set(table, r->inputs, r->size, r->values, err);
    if (status != F2L_OK) return status;
    const size_t fast = r->inputs > 1 ? r->size[1] : 1;
    for (size_t e = 0; e < table->entries; e++) {
        const uint32_t in[] = {(uint32_t)(e / fast), (uint32_t)(e % fast)};
        table->value[e] = r->value(w->v, r->x, in);
    }
    w->wire++;
    return f2l_wired_gate_set(w->gate++, w->b->tables++, r->inputs, wire, err);
}

/* Writes a gate with the table that was added last. */
static f2l_status put_again(writer *w, const uint32_t *wire, f2l_error *err)
{
    const size_t table = w->b->tables - 1;
    w->wire++;
    return f2l_wired_gate_set(w->gate++, table, w->b->net->table[table].inputs, wire, err);
}

static f2l_status put_masks(writer *w, bool old, f2l_error *err)
{
    const size_t slots = 2 * w->v->block, values = w->v->act.count + 1;
    f2l_status status = F2L_OK;
    for (size_t j = 0; status == F2L_OK && j < slots; j++) {
        const rule r = {old ? before : earlier, 2, {slots, values}, values, j};
        const uint32_t wire[] = {COUNT, (uint32_t)(SLOTS + j)};
        status =
            old && j % w->v->block ? put_again(w, wire, err) : put_blocks_gate(w, &r, wire, err);
    }
    return status;
}

/* Writes the product of the block before, whose letters are on the wires from `old` on. */
static f2l_status put_product(writer *w, uint32_t old, f2l_error *err)
{
    const size_t slots = 2 * w->v->block, values = w->v->act.count + 1;
    const size_t g = w->v->element.count;
    const rule first = {multiply_first, 1, {values}, g, 0},
               more = {multiply_block_product, 2, {g, values}, g, 0};
    f2l_status status = put_blocks_gate(w, &first, &old, err);
    for (size_t j = 1; status == F2L_OK && j < slots; j++) {
        const uint32_t in[] = {w->wire - 1, old + (uint32_t)j};
        status = j > 1 ? put_again(w, in, err) : put_blocks_gate(w, &more, in, err);
    }
    return status;
}

static f2l_status put_ring_posts(writer *w, uint32_t *output, f2l_error *err)
{
    const f2l_blocks_level *v = w->v;
    const size_t slots = 2 * v->block, g = v->element.count;
    const uint32_t old = w->wire;
    f2l_status status = put_masks(w, true, err);
    if (status == F2L_OK) status = put_product(w, old, err);
    const uint32_t in[] = {w->wire - 1, COUNT}, now = w->wire;
    const rule portion = {portion_of, 2, {g, slots}, v->factor.count, 0};
    const rule rest = {rest_of, 2, {g, slots}, v->rest.count, 0};
    if (status == F2L_OK) status = put_masks(w, false, err);
    if (status == F2L_OK) status = put_blocks_gate(w, &portion, in, err);
    if (status == F2L_OK) status = put_blocks_gate(w, &rest, in, err);
    output[0] = LETTER;
    output[1] = COUNT;
    output[2] = w->wire - 2;
    output[3] = w->wire - 1;
    for (size_t j = 0; j < slots; j++) output[4 + j] = now + (uint32_t)j;
    return status;
}

static f2l_status put_ring(f2l_blocks *b, const f2l_blocks_level *v, f2l_wired_block *block,
                           f2l_error *err)
{
    const size_t slots = 2 * v->block, k = v->act.count;
    const size_t size[] = {v->level->contexts, slots};
    const rule act = {block_act_of, 1, {size[0]}, k, 0},
               pair = {pair_of, 2, {slots, k}, slots * k, 0};
    const uint32_t letter = LETTER, in[] = {COUNT, ACT};
    f2l_status status = f2l_wired_block_set_inputs(block, 2, size, err);
    if (status == F2L_OK)
        status = f2l_wired_block_set(block, 2, 1, slots, 3 * slots + 2, 4 + slots, err);
    if (status != F2L_OK) return status;
    writer w = {b, v, block->pre, ACT};
    status = put_blocks_gate(&w, &act, &letter, err);
    if (status == F2L_OK) status = put_blocks_gate(&w, &pair, in, err);
    if (status == F2L_OK)
        status = f2l_task_table(v->task, "the factors of the ring",
                                2 * slots * k * F2L_D1_WRITE_BYTES, err);
    if (status == F2L_OK) status = f2l_d1_ring_put(block, slots, k, PAIR, v->task, err);
    if (status != F2L_OK) return status;
    w = (writer){b, v, block->post, (uint32_t)f2l_wired_first_post(block)};
    return put_ring_posts(&w, block->output, err);
}

/* Writes what the portions do, and the codes. */
static f2l_status put_applying_head(f2l_wired_block *block, const f2l_blocks_level *v,
                                    f2l_error *err)
{
    const size_t values = v->factor.count, numbers = v->n * v->d;
    const uint32_t wire = PORTION;
    f2l_status status =
        f2l_task_table(v->task, "the head of a level",
                       (values * v->householders + v->code.count) * F2L_D1_WRITE_BYTES, err);
    if (status == F2L_OK)
        status = f2l_wired_head_set(&block->head[0], v->n, v->d, 1, &wire, &values, err);
    for (size_t f = 0; status == F2L_OK && f < values; f++) {
        const uint32_t *operation = f2l_rowset_get(&v->factor, f, NULL);
        size_t count = 0;
        while (count < v->householders && operation[count]) count++;
        f2l_transition *to = &block->head[0].head.letter[f];
        status = f2l_transition_set_factors(to, count, err);
        for (size_t i = 0; status == F2L_OK && i < count; i++)
            status = f2l_blocks_factor(&to->factor[i], v, operation[i], err);
    }
    if (status == F2L_OK)
        status = f2l_wired_readout_set(&block->readout[0], 0, 0, v->n, v->code.count, err);
    f2l_meter meter = {.task = v->task, .phase = "the head of a level"};
    for (size_t h = 0; status == F2L_OK && h < v->code.count; h++) {
        const uint32_t *row = f2l_rowset_get(&v->code, h, NULL);
        status = f2l_meter_spend(&meter, numbers + F2L_ENTRY_STEPS, (double)h,
                                 (double)v->code.count, err);
        for (size_t i = 0; status == F2L_OK && i < numbers; i++)
            status = f2l_qvec_push_si(&block->readout[0].code[h], (uint32_t)i,
                                      (long)row[i] - F2L_BLOCKS_OFFSET, 2, err);
    }
    return status;
}

static f2l_status put_applying(f2l_blocks *b, const f2l_blocks_level *v, f2l_wired_block *block,
                               bool last, f2l_error *err)
{
    const size_t slots = 2 * v->block, values = v->act.count + 1;
    const size_t outputs = last ? 1 : 2;
    size_t *size = f2l_calloc(EARLIER + slots, sizeof *size);
    if (!size) return f2l_fail_memory(err);
    size[LETTER] = v->level->contexts;
    size[COUNT] = slots;
    size[PORTION] = v->factor.count;
    size[REST] = v->rest.count;
    for (size_t j = 0; j < slots; j++) size[EARLIER + j] = values;
    f2l_status status = f2l_wired_block_set_inputs(block, EARLIER + slots, size, err);
    f2l_free(size);
    if (status == F2L_OK) status = f2l_wired_block_set(block, 0, 1, 1, slots + 2, outputs, err);
    if (status == F2L_OK) status = put_applying_head(block, v, err);
    if (status != F2L_OK) return status;
    writer w = {b, v, block->post, (uint32_t)f2l_wired_first_post(block)};
    const uint32_t meant[] = {w.wire - 1, REST};
    const rule meaning = {meaning_of, 2, {v->code.count, v->rest.count}, v->m, 0};
    const rule move = {move_block_point, 2, {v->m, values}, v->m, 0};
    const rule next = {next_letter, 2, {v->level->contexts, v->m}, v->next_symbols, 0};
    status = put_blocks_gate(&w, &meaning, meant, err);
    for (size_t j = 0; status == F2L_OK && j < slots; j++) {
        const uint32_t in[] = {w.wire - 1, (uint32_t)(EARLIER + j)};
        status = j ? put_again(&w, in, err) : put_blocks_gate(&w, &move, in, err);
    }
    const uint32_t in[] = {LETTER, w.wire - 1};
    if (status == F2L_OK) status = put_blocks_gate(&w, &next, in, err);
    block->output[0] = w.wire - 1;
    if (!last) block->output[1] = COUNT;
    return status;
}

size_t f2l_blocks_tables(size_t block)
{
    return 2 + 2 + 2 + 2 * block + 2 + 3;
}

f2l_status f2l_blocks_put_level(f2l_blocks *b, const f2l_blocks_level *v, size_t at, bool last,
                                f2l_error *err)
{
    f2l_status status = put_ring(b, v, &b->net->block[at], err);
    return status == F2L_OK ? put_applying(b, v, &b->net->block[at + 1], last, err) : status;
}
