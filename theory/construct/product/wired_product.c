/* The wired product: a first stage that gives each part its letter, the parts' stages side by side,
 * and a last stage that joins their labels. */
#include "theory/construct/product/wired_product.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/construct/product/impl.h"
#include "theory/construct/product/product.h"
#include <string.h>

/* Entries of a tuple of blocks where a part has not begun, and where it has ended. */
#define BEFORE UINT32_MAX
#define AFTER (UINT32_MAX - 1)

#define GATE_STEPS 80

/* Where the things of the parts are in a block. */
typedef struct place {
    size_t inputs, pres, heads, readouts, posts, outputs;
} place;

typedef struct builder {
    f2l_net *net;
    f2l_division *division;
    const f2l_fsa *fsa;
    const f2l_wired_factor *factor;
    size_t factors;
    f2l_meter meter;
    uint32_t *label_of; /* [states] */
    size_t *at;         /* [factors] stage of the middle, from 0, in which the part begins */
    size_t middle;      /* stages between the first and the last */
    f2l_rowset tuples;  /* [factors] the parts' blocks in a stage: the blocks of the middle */
    size_t *block_of;   /* [stages] */
    uint32_t **table;   /* [factors] the network's tables of the part's tables */
    uint32_t *tuple;    /* [factors] scratch */
    /* The tables so far; they move to the network at the end. */
    f2l_wired_table *made;
    size_t tables, capacity;
    f2l_index index;
} builder;

static void clear_wired_builder(builder *b)
{
    for (size_t i = 0; b->table && i < b->factors; i++) f2l_free(b->table[i]);
    for (size_t t = 0; t < b->tables; t++) {
        f2l_free(b->made[t].size);
        f2l_free(b->made[t].value);
    }
    f2l_free(b->table);
    f2l_free(b->made);
    f2l_index_clear(&b->index);
    f2l_rowset_clear(&b->tuples);
    f2l_free(b->label_of);
    f2l_free(b->at);
    f2l_free(b->block_of);
    f2l_free(b->tuple);
}

/* --- tables, each stored once --- */

static bool is_table(const void *tables, size_t t, const void *key)
{
    const f2l_wired_table *a = &((const f2l_wired_table *)tables)[t], *b = key;
    return a->inputs == b->inputs && a->values == b->values && a->entries == b->entries &&
           memcmp(a->size, b->size, a->inputs * sizeof *a->size) == 0 &&
           memcmp(a->value, b->value, a->entries * sizeof *a->value) == 0;
}

static uint64_t hash_wired_table(const f2l_wired_table *table)
{
    const uint64_t begin = f2l_hash(f2l_hash(F2L_HASH, table->entries), table->values);
    return f2l_hash_bytes(begin, table->value, table->entries * sizeof *table->value);
}

static uint64_t hash_of_built_table(const void *tables, size_t t)
{
    return hash_wired_table(&((const f2l_wired_table *)tables)[t]);
}

/* Sets *number to the number of the table, which is added unless it is there, and takes ownership
 * of it in every case. */
static f2l_status keep_wired_table(uint32_t *number, builder *b, f2l_wired_table *table,
                                   f2l_error *err)
{
    const uint64_t key = hash_wired_table(table);
    const size_t found = f2l_index_find(&b->index, key, is_table, b->made, table);
    f2l_status status = F2L_OK;
    if (found != F2L_NO_INDEX) {
        *number = (uint32_t)found;
    } else if (f2l_index_grow(&b->index, hash_of_built_table, b->made) &&
               f2l_grow((void **)&b->made, &b->capacity, b->tables, sizeof *b->made)) {
        *number = (uint32_t)f2l_index_add(&b->index, key);
        b->made[b->tables++] = *table;
        return F2L_OK;
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(table->size);
    f2l_free(table->value);
    return status;
}

static f2l_status copy_tables(builder *b, size_t i, f2l_error *err)
{
    const f2l_net *net = b->factor[i].net;
    f2l_status status = F2L_OK;
    b->table[i] = f2l_calloc(net->tables, sizeof *b->table[i]);
    if (!b->table[i]) return f2l_fail_memory(err);
    for (size_t t = 0; status == F2L_OK && t < net->tables; t++) {
        const f2l_wired_table *from = &net->table[t];
        f2l_wired_table table = {0};
        status = f2l_meter_spend(&b->meter, 100 + 6 * from->entries, (double)t, (double)net->tables,
                                 err);
        if (status == F2L_OK)
            status = f2l_wired_table_set(&table, from->inputs, from->size, from->values, err);
        if (status != F2L_OK) return status;
        memcpy(table.value, from->value, from->entries * sizeof *from->value);
        status = keep_wired_table(&b->table[i][t], b, &table, err);
    }
    return status;
}

/* --- stages and blocks --- */

/* Returns the number of stages up to the part's last one with heads. */
static size_t depth(const f2l_net *net)
{
    size_t stages = net->stages;
    while (stages > 0 && net->stage[stages - 1].heads == 0) stages--;
    return stages;
}

/* Lets the last layers of all parts be in one stage, and finds the tuples of blocks. */
static f2l_status align(builder *b, f2l_error *err)
{
    size_t deepest = 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < b->factors; i++)
        if (depth(b->factor[i].net) > deepest) deepest = depth(b->factor[i].net);
    for (size_t i = 0; i < b->factors; i++) {
        b->at[i] = deepest - depth(b->factor[i].net);
        if (b->at[i] + b->factor[i].net->stages > b->middle)
            b->middle = b->at[i] + b->factor[i].net->stages;
    }
    status = f2l_meter_spend(&b->meter, (b->middle + 2) * (20 + 8 * b->factors), 0, 0, err);
    if (status != F2L_OK) return status;
    b->block_of = f2l_calloc(b->middle + 2, sizeof *b->block_of);
    if (!b->block_of) return f2l_fail_memory(err);
    for (size_t l = 0; status == F2L_OK && l < b->middle; l++) {
        for (size_t i = 0; i < b->factors; i++) {
            const f2l_net *net = b->factor[i].net;
            b->tuple[i] = l < b->at[i]                  ? BEFORE
                          : l >= b->at[i] + net->stages ? AFTER
                                                        : (uint32_t)net->stage[l - b->at[i]].block;
        }
        status = f2l_rowset_add(&b->tuples, b->tuple, b->factors, &b->block_of[l + 1], err);
        b->block_of[l + 1]++; /* block 0 is the first stage's */
    }
    b->block_of[b->middle + 1] = b->tuples.count + 1;
    return status;
}

/* Returns the block of part i in a tuple; NULL: it is not at work. */
static const f2l_wired_block *block_in(const builder *b, const uint32_t *tuple, size_t i)
{
    return tuple[i] == BEFORE || tuple[i] == AFTER ? NULL : &b->factor[i].net->block[tuple[i]];
}

/* Returns the size of the one wire that a part passes on where it is not at work. */
static size_t idle_size(const builder *b, const uint32_t *tuple, size_t i)
{
    const f2l_net *net = b->factor[i].net;
    return tuple[i] == BEFORE ? net->letters.count : net->labels.count;
}

static void add_block_sizes(place *to, const f2l_wired_block *of)
{
    to->inputs += of ? of->inputs : 1;
    to->outputs += of ? of->outputs : 1;
    if (!of) return;
    to->pres += of->pres;
    to->heads += of->heads;
    to->readouts += of->readouts;
    to->posts += of->posts;
}

/* A part's block on its way into a block of the product. */
typedef struct mover {
    builder *b;
    f2l_wired_block *to;
    const f2l_wired_block *from;
    size_t part;
    place at;
} mover;

static uint32_t moved_wire(const mover *m, uint32_t wire)
{
    const size_t readout = f2l_wired_first_readout(m->from), post = f2l_wired_first_post(m->from);
    const size_t to = wire < m->from->inputs ? m->at.inputs + wire
                      : wire < readout       ? m->to->inputs + m->at.pres + wire - m->from->inputs
                      : wire < post
                          ? f2l_wired_first_readout(m->to) + m->at.readouts + wire - readout
                          : f2l_wired_first_post(m->to) + m->at.posts + wire - post;
    return (uint32_t)to;
}

static void move_wires(const mover *m, uint32_t *wire, size_t count)
{
    for (size_t i = 0; i < count; i++) wire[i] = moved_wire(m, wire[i]);
}

static f2l_status move_gates(const mover *m, f2l_wired_gate *to, const f2l_wired_gate *from,
                             size_t gates, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t g = 0; status == F2L_OK && g < gates; g++) {
        const uint32_t table = m->b->table[m->part][from[g].table];
        const size_t inputs = m->b->made[table].inputs;
        status = f2l_meter_spend(&m->b->meter, GATE_STEPS, (double)g, (double)gates, err);
        if (status == F2L_OK) status = f2l_wired_gate_set(&to[g], table, inputs, from[g].wire, err);
        if (status == F2L_OK) move_wires(m, to[g].wire, inputs);
    }
    return status;
}

static f2l_status move_head(const mover *m, f2l_wired_head *to, const f2l_wired_head *from,
                            f2l_error *err)
{
    size_t *size = f2l_calloc(from->slots, sizeof *size);
    if (!size) return f2l_fail_memory(err);
    for (size_t j = 0; j < from->slots; j++) size[j] = from->slot_at[j + 1] - from->slot_at[j];
    f2l_status status =
        f2l_meter_spend(&m->b->meter,
                        f2l_head_weigh(&from->head, from->slot_at[from->slots],
                                       F2L_TRANSITION_STEPS, F2L_FACTOR_STEPS, F2L_ENTRY_STEPS),
                        0, 0, err);
    if (status == F2L_OK)
        status =
            f2l_wired_head_set(to, from->head.n, from->head.d, from->slots, from->wire, size, err);
    f2l_free(size);
    for (size_t x = 0; status == F2L_OK && x < from->slot_at[from->slots]; x++)
        status = f2l_product_copy_transition(&to->head.letter[x], &from->head.letter[x], err);
    if (status == F2L_OK) move_wires(m, to->wire, to->slots);
    return status;
}

static f2l_status move_readout(const mover *m, f2l_wired_readout *to, const f2l_wired_readout *from,
                               f2l_error *err)
{
    f2l_status status =
        f2l_meter_spend(&m->b->meter, 160 + 2 * F2L_ENTRY_STEPS * from->codes, 0, 0, err);
    if (status == F2L_OK)
        status = f2l_wired_readout_set(to, m->at.heads + from->head, from->row, from->rows,
                                       from->codes, err);
    for (size_t c = 0; status == F2L_OK && c < from->codes; c++)
        status = f2l_qvec_copy(&to->code[c], &from->code[c], err);
    return status;
}

static f2l_status move_block(const mover *m, f2l_error *err)
{
    const f2l_wired_block *from = m->from;
    f2l_wired_block *to = m->to;
    f2l_status status = move_gates(m, to->pre + m->at.pres, from->pre, from->pres, err);
    for (size_t h = 0; status == F2L_OK && h < from->heads; h++)
        status = move_head(m, &to->head[m->at.heads + h], &from->head[h], err);
    for (size_t r = 0; status == F2L_OK && r < from->readouts; r++)
        status = move_readout(m, &to->readout[m->at.readouts + r], &from->readout[r], err);
    if (status == F2L_OK)
        status = move_gates(m, to->post + m->at.posts, from->post, from->posts, err);
    if (status != F2L_OK) return status;
    memcpy(to->output + m->at.outputs, from->output, from->outputs * sizeof *from->output);
    move_wires(m, to->output + m->at.outputs, from->outputs);
    return F2L_OK;
}

/* Sets the sizes of the inputs of a tuple's block. */
static f2l_status set_inputs(builder *b, f2l_wired_block *to, const uint32_t *tuple, size_t inputs,
                             f2l_error *err)
{
    size_t *size = f2l_calloc(inputs, sizeof *size), at = 0;
    if (!size) return f2l_fail_memory(err);
    for (size_t i = 0; i < b->factors; i++) {
        const f2l_wired_block *of = block_in(b, tuple, i);
        for (size_t w = 0; of && w < of->inputs; w++) size[at++] = of->input_size[w];
        if (!of) size[at++] = idle_size(b, tuple, i);
    }
    f2l_status status = f2l_wired_block_set_inputs(to, inputs, size, err);
    f2l_free(size);
    return status;
}

static f2l_status write_product_block(builder *b, size_t number, f2l_error *err)
{
    const uint32_t *tuple = f2l_rowset_get(&b->tuples, number - 1, NULL);
    place all = {0};
    mover m = {.b = b, .to = &b->net->block[number]};
    for (size_t i = 0; i < b->factors; i++) add_block_sizes(&all, block_in(b, tuple, i));
    f2l_status status =
        f2l_meter_spend(&b->meter, 30 * (all.inputs + all.outputs) + 200, 0, 0, err);
    if (status == F2L_OK) status = set_inputs(b, m.to, tuple, all.inputs, err);
    if (status == F2L_OK)
        status = f2l_wired_block_set(m.to, all.pres, all.heads, all.readouts, all.posts,
                                     all.outputs, err);
    for (size_t i = 0; status == F2L_OK && i < b->factors; i++) {
        f2l_share *share = &b->division->share[number * b->factors + i];
        m.from = block_in(b, tuple, i);
        m.part = i;
        *share = (f2l_share){.inputs = 1, .outputs = 1};
        if (m.from) {
            *share = (f2l_share){m.from->inputs, m.from->pres, m.from->heads, m.from->posts,
                                 m.from->outputs};
            status = move_block(&m, err);
        } else {
            m.to->output[m.at.outputs] = (uint32_t)m.at.inputs;
        }
        add_block_sizes(&m.at, m.from);
    }
    return status;
}

static f2l_status set_stages(builder *b, f2l_error *err)
{
    f2l_status status = f2l_wired_set_stages(b->net, b->middle + 2, b->block_of, err);
    for (size_t l = 0; status == F2L_OK && l < b->middle; l++) {
        f2l_qvec *to = b->net->stage[l + 1].initial;
        for (size_t i = 0; status == F2L_OK && i < b->factors; i++) {
            const f2l_net *net = b->factor[i].net;
            if (l < b->at[i] || l >= b->at[i] + net->stages) continue;
            const f2l_wired_stage *from = &net->stage[l - b->at[i]];
            status = f2l_meter_spend(&b->meter, 100 + 200 * from->heads, (double)l,
                                     (double)b->middle, err);
            for (size_t h = 0; status == F2L_OK && h < from->heads; h++)
                status = f2l_qvec_copy(to++, &from->initial[h], err);
        }
    }
    return status;
}

/* --- the ends --- */

/* Writes the first block: each part's letter. */
static f2l_status write_first(builder *b, f2l_error *err)
{
    const size_t letters = b->fsa->letters.count;
    f2l_wired_block *block = &b->net->block[0];
    f2l_status status = f2l_meter_spend(&b->meter, b->factors * (200 + 6 * letters), 0, 0, err);
    if (status == F2L_OK) status = f2l_wired_block_set_inputs(block, 1, &letters, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, b->factors, 0, 0, 0, b->factors, err);
    for (size_t i = 0; status == F2L_OK && i < b->factors; i++) {
        f2l_wired_table table = {0};
        uint32_t number = 0;
        const uint32_t letter = 0;
        status = f2l_wired_table_set(&table, 1, &letters, b->factor[i].net->letters.count, err);
        if (status != F2L_OK) return status;
        memcpy(table.value, b->factor[i].letter_of, letters * sizeof *table.value);
        status = keep_wired_table(&number, b, &table, err);
        if (status == F2L_OK) status = f2l_wired_gate_set(&block->pre[i], number, 1, &letter, err);
        block->output[i] = (uint32_t)(1 + i);
    }
    return status;
}

/* Fills the table of a step of the join: from the number of the classes so far and the class of the
 * next part to the number of all these classes, by first states, or in the last step to the label.
 * number[states] is updated; *count becomes the number of numbers. */
static f2l_status number_pairs(f2l_wired_table *table, uint32_t *number, size_t *count, builder *b,
                               size_t i, f2l_error *err)
{
    const size_t n = b->factor[i].net->labels.count, states = b->fsa->states.count;
    const bool last = i + 1 == b->factors;
    size_t next = 0;
    memset(table->value, 0xff, table->entries * sizeof *table->value);
    for (size_t q = 0; q < states; q++) {
        uint32_t *value = &table->value[number[q] * n + b->factor[i].class_of[q]];
        const bool met = *value != UINT32_MAX;
        if (!met) *value = last ? b->label_of[q] : (uint32_t)next++;
        if (last && *value != b->label_of[q])
            return f2l_fail(err, F2L_EDOMAIN, "the parts do not determine the label");
        number[q] = *value;
    }
    for (size_t e = 0; e < table->entries; e++)
        if (table->value[e] == UINT32_MAX) table->value[e] = 0;
    *count = next;
    table->values = last ? b->net->labels.count : next;
    return F2L_OK;
}

static f2l_status write_join(builder *b, f2l_wired_block *block, uint32_t *number, f2l_error *err)
{
    size_t count = b->factor[0].net->labels.count;
    f2l_status status = F2L_OK;
    for (size_t q = 0; q < b->fsa->states.count; q++) number[q] = b->factor[0].class_of[q];
    for (size_t i = 1; status == F2L_OK && i < b->factors; i++) {
        const size_t size[] = {count, b->factor[i].net->labels.count};
        const uint32_t wire[] = {i == 1 ? 0 : (uint32_t)(b->factors + i - 2), (uint32_t)i};
        f2l_wired_table table = {0};
        uint32_t made = 0;
        if (size[0] > F2L_PRODUCT_TABLE / size[1])
            return f2l_fail(err, F2L_UNKNOWN, "the table of labels has more than %zu entries",
                            F2L_PRODUCT_TABLE);
        status =
            f2l_meter_spend(&b->meter, 6 * size[0] * size[1] + 4 * b->fsa->states.count, 0, 0, err);
        if (status == F2L_OK) status = f2l_wired_table_set(&table, 2, size, 1, err);
        if (status != F2L_OK) return status;
        status = number_pairs(&table, number, &count, b, i, err);
        if (status != F2L_OK) {
            f2l_free(table.size);
            f2l_free(table.value);
            return status;
        }
        status = keep_wired_table(&made, b, &table, err);
        if (status == F2L_OK) status = f2l_wired_gate_set(&block->pre[i - 1], made, 2, wire, err);
    }
    block->output[0] = (uint32_t)(2 * b->factors - 2);
    return status;
}

/* Writes the last block: the label of the state with the parts' classes. */
static f2l_status write_last(builder *b, f2l_error *err)
{
    f2l_wired_block *block = &b->net->block[b->tuples.count + 1];
    size_t *size = f2l_calloc(b->factors, sizeof *size);
    uint32_t *number = f2l_calloc(b->fsa->states.count, sizeof *number);
    f2l_status status = size && number ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; size && i < b->factors; i++) size[i] = b->factor[i].net->labels.count;
    if (status == F2L_OK) status = f2l_wired_block_set_inputs(block, b->factors, size, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, b->factors - 1, 0, 0, 0, 1, err);
    if (status == F2L_OK) status = write_join(b, block, number, err);
    f2l_free(number);
    f2l_free(size);
    return status;
}

/* --- all --- */

static f2l_status make_product_room(builder *b, f2l_error *err)
{
    b->label_of = f2l_calloc(b->fsa->states.count, sizeof *b->label_of);
    b->at = f2l_calloc(b->factors, sizeof *b->at);
    b->table = f2l_calloc(b->factors, sizeof(uint32_t *));
    b->tuple = f2l_calloc(b->factors, sizeof *b->tuple);
    return b->label_of && b->at && b->table && b->tuple ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status describe_division(builder *b, f2l_error *err)
{
    const size_t states = b->fsa->states.count;
    f2l_status status = f2l_meter_spend(&b->meter, b->factors * (100 + 4 * states), 0, 0, err);
    if (status == F2L_OK)
        status = f2l_division_set(b->division, b->factors, b->tuples.count + 2, states, err);
    for (size_t i = 0; status == F2L_OK && i < b->factors; i++) {
        const f2l_wired_factor *f = &b->factor[i];
        f2l_division_part *part = &b->division->part[i];
        part->claim = f->claim;
        part->first = b->at[i] + 1;
        part->stages = f->net->stages;
        part->letters = f->net->letters.count;
        part->classes = f->net->labels.count;
        memcpy(part->class_of, f->class_of, states * sizeof *part->class_of);
    }
    return status;
}

static f2l_status build_wired_product(builder *b, f2l_error *err)
{
    f2l_net *net = b->net;
    f2l_status status = make_product_room(b, err);
    if (status == F2L_OK) status = f2l_names_copy(&net->letters, &b->fsa->letters, err);
    if (status == F2L_OK)
        status = f2l_product_name_labels(&net->labels, b->label_of, b->fsa, net->label, err);
    if (status == F2L_OK) net->start = b->label_of[b->fsa->start];
    if (status == F2L_OK) status = align(b, err);
    if (status == F2L_OK) status = describe_division(b, err);
    if (status == F2L_OK) status = f2l_wired_set_blocks(net, b->tuples.count + 2, err);
    for (size_t i = 0; status == F2L_OK && i < b->factors; i++) status = copy_tables(b, i, err);
    if (status == F2L_OK) status = write_first(b, err);
    for (size_t n = 1; status == F2L_OK && n <= b->tuples.count; n++)
        status = write_product_block(b, n, err);
    if (status == F2L_OK) status = write_last(b, err);
    if (status == F2L_OK) status = set_stages(b, err);
    if (status == F2L_OK) status = f2l_wired_set_tables(net, b->tables, err);
    if (status != F2L_OK) return status;
    memcpy(net->table, b->made, b->tables * sizeof *b->made);
    b->tables = 0; /* they belong to the network now */
    return F2L_OK;
}

f2l_status f2l_wired_product_build(f2l_net *out, f2l_division *division, const f2l_fsa *fsa,
                                   f2l_label label, const f2l_wired_factor *factor, size_t factors,
                                   const f2l_task *task, f2l_error *err)
{
    builder b = {.net = out,
                 .division = division,
                 .fsa = fsa,
                 .factor = factor,
                 .factors = factors,
                 .meter = {.task = task, .phase = "product"}};
    f2l_net_clear(out);
    f2l_division_clear(division);
    out->label = label;
    f2l_rowset_init(&b.tuples);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status == F2L_OK) status = build_wired_product(&b, err);
    clear_wired_builder(&b);
    if (status == F2L_OK) return F2L_OK;
    f2l_net_clear(out);
    f2l_division_clear(division);
    return status;
}
