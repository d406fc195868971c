#include "models/network/net/wired.h"
#include "models/network/net/head.h"
#include "numeric/base/mem.h"
#include <string.h>

static void clear_table(f2l_wired_table *table)
{
    f2l_free(table->size);
    f2l_free(table->value);
    *table = (f2l_wired_table){0};
}

static void clear_gates(f2l_wired_gate *gate, size_t gates)
{
    for (size_t g = 0; gate != NULL && g < gates; g++) f2l_free(gate[g].wire);
    f2l_free(gate);
}

static void clear_head(f2l_wired_head *head)
{
    f2l_head_clear(&head->head, head->slot_at == NULL ? 0 : head->slot_at[head->slots]);
    f2l_free(head->wire);
    f2l_free(head->slot_at);
    *head = (f2l_wired_head){0};
}

static void clear_vectors(f2l_qvec *vector, size_t count)
{
    for (size_t i = 0; i < count; i++) f2l_qvec_clear(&vector[i]);
    f2l_free(vector);
}

static void clear_readout(f2l_wired_readout *readout)
{
    clear_vectors(readout->code, readout->codes);
    *readout = (f2l_wired_readout){0};
}

/* Frees everything in the block except the inputs. */
static void clear_block_inside(f2l_wired_block *block)
{
    clear_gates(block->pre, block->pres);
    for (size_t h = 0; block->head != NULL && h < block->heads; h++) clear_head(&block->head[h]);
    f2l_free(block->head);
    for (size_t r = 0; block->readout != NULL && r < block->readouts; r++)
        clear_readout(&block->readout[r]);
    f2l_free(block->readout);
    clear_gates(block->post, block->posts);
    f2l_free(block->output);
    *block = (f2l_wired_block){.inputs = block->inputs, .input_size = block->input_size};
}

static void clear_tables(f2l_net *net)
{
    for (size_t t = 0; t < net->tables; t++) clear_table(&net->table[t]);
    f2l_free(net->table);
    net->table = NULL;
    net->tables = 0;
}

static void clear_stages(f2l_net *net)
{
    for (size_t l = 0; l < net->stages; l++)
        clear_vectors(net->stage[l].initial, net->stage[l].heads);
    f2l_free(net->stage);
    net->stage = NULL;
    net->stages = 0;
}

static void clear_blocks(f2l_net *net)
{
    for (size_t b = 0; b < net->blocks; b++) {
        clear_block_inside(&net->block[b]);
        f2l_free(net->block[b].input_size);
    }
    f2l_free(net->block);
    net->block = NULL;
    net->blocks = 0;
}

void f2l_wired_clear(f2l_net *net)
{
    clear_stages(net);
    clear_blocks(net);
    clear_tables(net);
}

f2l_status f2l_wired_set_tables(f2l_net *net, size_t tables, f2l_error *err)
{
    clear_tables(net);
    net->table = f2l_calloc(tables, sizeof *net->table);
    if (net->table == NULL) return f2l_fail_memory(err);
    net->tables = tables;
    return F2L_OK;
}

f2l_status f2l_wired_set_blocks(f2l_net *net, size_t blocks, f2l_error *err)
{
    clear_stages(net);
    clear_blocks(net);
    net->block = f2l_calloc(blocks, sizeof *net->block);
    if (net->block == NULL) return f2l_fail_memory(err);
    net->blocks = blocks;
    return F2L_OK;
}

f2l_status f2l_wired_stages_begin(f2l_net *net, size_t stages, f2l_error *err)
{
    clear_stages(net);
    net->stage = f2l_calloc(stages, sizeof *net->stage);
    if (net->stage == NULL) return f2l_fail_memory(err);
    net->stages = stages;
    return F2L_OK;
}

f2l_status f2l_wired_stage_set(f2l_net *net, size_t l, size_t block, f2l_error *err)
{
    f2l_wired_stage *stage = &net->stage[l];
    clear_vectors(stage->initial, stage->heads);
    *stage = (f2l_wired_stage){.block = block};
    stage->initial = f2l_calloc(net->block[block].heads, sizeof *stage->initial);
    if (stage->initial == NULL) return f2l_fail_memory(err);
    stage->heads = net->block[block].heads;
    for (size_t h = 0; h < stage->heads; h++) f2l_qvec_init(&stage->initial[h]);
    return F2L_OK;
}

f2l_status f2l_wired_set_stages(f2l_net *net, size_t stages, const size_t *block_of, f2l_error *err)
{
    f2l_status status = f2l_wired_stages_begin(net, stages, err);
    for (size_t l = 0; l < stages && status == F2L_OK; l++) {
        if (block_of[l] < net->blocks)
            status = f2l_wired_stage_set(net, l, block_of[l], err);
        else
            status = f2l_fail(err, F2L_EDOMAIN, "stage %zu: block %zu is not one of %zu", l + 1,
                              block_of[l] + 1, net->blocks);
    }
    if (status != F2L_OK) clear_stages(net);
    return status;
}

f2l_status f2l_wired_table_set(f2l_wired_table *table, size_t inputs, const size_t *size,
                               size_t values, f2l_error *err)
{
    clear_table(table);
    size_t entries = 1;
    for (size_t i = 0; i < inputs; i++) {
        if (size[i] > 0 && entries > F2L_MAX_TABLE / size[i])
            return f2l_fail(err, F2L_EDOMAIN, "a table of more than %zu entries is too large",
                            F2L_MAX_TABLE);
        entries *= size[i];
    }
    table->size = f2l_calloc(inputs, sizeof *table->size);
    table->value = f2l_calloc(entries, sizeof *table->value);
    if (table->size == NULL || table->value == NULL) {
        clear_table(table);
        return f2l_fail_memory(err);
    }
    if (inputs > 0) memcpy(table->size, size, inputs * sizeof *size);
    table->inputs = inputs;
    table->values = values;
    table->entries = entries;
    return F2L_OK;
}

f2l_status f2l_wired_block_set_inputs(f2l_wired_block *block, size_t inputs, const size_t *size,
                                      f2l_error *err)
{
    f2l_free(block->input_size);
    block->inputs = 0;
    block->input_size = f2l_calloc(inputs, sizeof *block->input_size);
    if (block->input_size == NULL) return f2l_fail_memory(err);
    if (inputs > 0) memcpy(block->input_size, size, inputs * sizeof *size);
    block->inputs = inputs;
    return F2L_OK;
}

f2l_status f2l_wired_block_set(f2l_wired_block *block, size_t pres, size_t heads, size_t readouts,
                               size_t posts, size_t outputs, f2l_error *err)
{
    clear_block_inside(block);
    block->pre = f2l_calloc(pres, sizeof *block->pre);
    block->head = f2l_calloc(heads, sizeof *block->head);
    block->readout = f2l_calloc(readouts, sizeof *block->readout);
    block->post = f2l_calloc(posts, sizeof *block->post);
    block->output = f2l_calloc(outputs, sizeof *block->output);
    if (block->pre == NULL || block->head == NULL || block->readout == NULL ||
        block->post == NULL || block->output == NULL) {
        clear_block_inside(block);
        return f2l_fail_memory(err);
    }
    block->pres = pres;
    block->heads = heads;
    block->readouts = readouts;
    block->posts = posts;
    block->outputs = outputs;
    return F2L_OK;
}

f2l_status f2l_wired_gate_set(f2l_wired_gate *gate, size_t table, size_t inputs,
                              const uint32_t *wire, f2l_error *err)
{
    f2l_free(gate->wire);
    *gate = (f2l_wired_gate){.table = table, .wire = f2l_calloc(inputs, sizeof *gate->wire)};
    if (gate->wire == NULL) return f2l_fail_memory(err);
    if (inputs > 0) memcpy(gate->wire, wire, inputs * sizeof *wire);
    return F2L_OK;
}

f2l_status f2l_wired_head_begin(f2l_wired_head *head, size_t n, size_t d, size_t slots,
                                f2l_error *err)
{
    clear_head(head);
    size_t ends;
    if (!f2l_add_size(&ends, slots, 1)) return f2l_fail_memory(err);
    head->wire = f2l_calloc(slots, sizeof *head->wire);
    head->slot_at = f2l_calloc(ends, sizeof *head->slot_at);
    if (head->wire == NULL || head->slot_at == NULL) {
        clear_head(head);
        return f2l_fail_memory(err);
    }
    head->head.n = n;
    head->head.d = d;
    return F2L_OK;
}

f2l_status f2l_wired_head_add(f2l_wired_head *head, size_t *capacity, uint32_t wire, size_t size,
                              f2l_error *err)
{
    size_t from = head->slot_at[head->slots], to;
    if (!f2l_add_size(&to, from, size)) return f2l_fail_memory(err);
    if (to > *capacity) {
        size_t room = to / 2 < *capacity ? 2 * *capacity : to;
        f2l_transition *letter = f2l_realloc(head->head.letter, room, sizeof *letter);
        if (letter == NULL) return f2l_fail_memory(err);
        head->head.letter = letter;
        *capacity = room;
    }
    for (size_t x = from; x < to; x++) f2l_transition_init(&head->head.letter[x]);
    head->wire[head->slots++] = wire;
    head->slot_at[head->slots] = to;
    return F2L_OK;
}

f2l_status f2l_wired_head_set(f2l_wired_head *head, size_t n, size_t d, size_t slots,
                              const uint32_t *wire, const size_t *size, f2l_error *err)
{
    size_t capacity = 0;
    f2l_status status = f2l_wired_head_begin(head, n, d, slots, err);
    for (size_t j = 0; j < slots && status == F2L_OK; j++)
        status = f2l_wired_head_add(head, &capacity, wire[j], size[j], err);
    if (status != F2L_OK) clear_head(head);
    return status;
}

f2l_status f2l_wired_readout_set(f2l_wired_readout *readout, size_t head, size_t row, size_t rows,
                                 size_t codes, f2l_error *err)
{
    clear_readout(readout);
    readout->code = f2l_calloc(codes, sizeof *readout->code);
    if (readout->code == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < codes; i++) f2l_qvec_init(&readout->code[i]);
    readout->head = head;
    readout->row = row;
    readout->rows = rows;
    readout->codes = codes;
    return F2L_OK;
}

uint64_t f2l_wired_weigh(const f2l_net *net)
{
    uint64_t steps = 100 * net->stages;
    for (size_t t = 0; t < net->tables; t++) steps += 4 + net->table[t].entries / 4;
    for (size_t b = 0; b < net->blocks; b++) {
        const f2l_wired_block *block = &net->block[b];
        steps += 4 * (block->inputs + block->pres + block->posts + block->outputs) +
                 100 * block->readouts;
        for (size_t r = 0; r < block->readouts; r++) steps += 100 * block->readout[r].codes;
        for (size_t h = 0; h < block->heads; h++) {
            const f2l_wired_head *head = &block->head[h];
            steps += f2l_head_weigh(&head->head, head->slot_at[head->slots], 24, 100, 40);
        }
    }
    return steps;
}

uint64_t f2l_wired_letter_steps(const f2l_net *net)
{
    uint64_t steps = 0;
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        steps += block->pres + block->posts + 2 * block->readouts;
        for (size_t h = 0; h < block->heads; h++) steps += 2 * block->head[h].slots;
    }
    return steps;
}
