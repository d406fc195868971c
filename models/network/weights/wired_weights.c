#include "models/network/weights/wired_weights.h"
#include "models/network/net/wired.h"
#include <stdio.h>

static void fill_numbers(f2l_safetensors *file, const f2l_tensor *t)
{
    const uint32_t *source = t->source;
    for (size_t i = 0; i < t->count; i++) f2l_safetensors_put_index(file, t, i, source[i]);
}

static void fill_sizes(f2l_safetensors *file, const f2l_tensor *t)
{
    const size_t *source = t->source;
    for (size_t i = 0; i < t->count; i++) f2l_safetensors_put_index(file, t, i, source[i]);
}

static f2l_tensor numbers(const uint32_t *source, size_t count)
{
    return (f2l_tensor){.fill = fill_numbers,
                        .source = source,
                        .count = count,
                        .integer = true,
                        .dims = 1,
                        .dim = {count}};
}

static f2l_tensor sizes(const size_t *source, size_t count)
{
    return (f2l_tensor){.fill = fill_sizes,
                        .source = source,
                        .count = count,
                        .integer = true,
                        .dims = 1,
                        .dim = {count}};
}

static size_t gate_inputs(const f2l_safetensors *file, const f2l_wired_gate *gate)
{
    const f2l_net *net = file->owner;
    return net->table[gate->table].inputs;
}

static void fill_gate_table(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_gate *gate = t->source;
    for (size_t g = 0; g < t->count; g++) f2l_safetensors_put_index(file, t, g, gate[g].table);
}

static void fill_gate_wire_at(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_gate *gate = t->source;
    size_t at = 0;
    for (size_t g = 0; g < t->count; g++) {
        at += gate_inputs(file, &gate[g]);
        f2l_safetensors_put_index(file, t, g + 1, at);
    }
}

static void fill_gate_wire(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_gate *gate = t->source;
    size_t at = 0;
    for (size_t g = 0; g < t->count; g++) {
        for (size_t i = 0; i < gate_inputs(file, &gate[g]); i++)
            f2l_safetensors_put_index(file, t, at++, gate[g].wire[i]);
    }
}

static void add_gates(f2l_safetensors *file, const f2l_wired_gate *gate, size_t gates, size_t block,
                      const char *name)
{
    f2l_tensor tensor = {.source = gate, .count = gates, .integer = true, .dims = 1};
    size_t wires = 0;
    for (size_t g = 0; g < gates; g++) wires += gate_inputs(file, &gate[g]);
    tensor.fill = fill_gate_table;
    tensor.dim[0] = gates;
    f2l_safetensors_add(file, tensor, "blocks.%zu.%s.table", block, name);
    tensor.fill = fill_gate_wire_at;
    tensor.dim[0] = gates + 1;
    f2l_safetensors_add(file, tensor, "blocks.%zu.%s.wire_at", block, name);
    tensor.fill = fill_gate_wire;
    tensor.dim[0] = wires;
    f2l_safetensors_add(file, tensor, "blocks.%zu.%s.wire", block, name);
}

static void fill_readout_head(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_readout *readout = t->source;
    for (size_t r = 0; r < t->count; r++) f2l_safetensors_put_index(file, t, r, readout[r].head);
}

static void fill_readout_row(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_readout *readout = t->source;
    for (size_t r = 0; r < t->count; r++) f2l_safetensors_put_index(file, t, r, readout[r].row);
}

static void fill_readout_rows(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_readout *readout = t->source;
    for (size_t r = 0; r < t->count; r++) f2l_safetensors_put_index(file, t, r, readout[r].rows);
}

static void fill_codes_at(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_readout *readout = t->source;
    size_t at = 0;
    for (size_t r = 0; r < t->count; r++) {
        at += readout[r].codes;
        f2l_safetensors_put_index(file, t, r + 1, at);
    }
}

/* Fills the dense tensor, the indices or the numbers. */
static void fill_codes(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_readout *readout = t->source;
    size_t row = 0;
    if (t->integer) f2l_safetensors_pad(file, t);
    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < readout[r].codes; c++, row++) {
            const f2l_qvec *code = &readout[r].code[c];
            for (size_t i = 0; i < code->count; i++) {
                size_t position = row * t->dim[1] + (file->sparse ? i : code->index[i]);
                if (t->integer)
                    f2l_safetensors_put_index(file, t, position, code->index[i]);
                else
                    f2l_safetensors_put(file, t, position,
                                        f2l_format_round_q(file->format, code->value[i]));
            }
        }
    }
}

/* Returns the numbers per code: all numbers of its rows, or in the sparse form the most non-zero
 * numbers. */
static size_t code_width(const f2l_safetensors *file, const f2l_wired_block *block,
                         const f2l_wired_readout *readout)
{
    size_t most = 0;
    if (!file->sparse) return readout->rows * block->head[readout->head].head.d;
    for (size_t c = 0; c < readout->codes; c++) {
        if (readout->code[c].count > most) most = readout->code[c].count;
    }
    return most;
}

static void add_codes(f2l_safetensors *file, const f2l_wired_block *block, size_t b)
{
    f2l_tensor tensor = {
        .fill = fill_codes, .source = block->readout, .count = block->readouts, .dims = 2};
    for (size_t r = 0; r < block->readouts; r++) {
        const size_t width = code_width(file, block, &block->readout[r]);
        tensor.dim[0] += block->readout[r].codes;
        if (width > tensor.dim[1]) tensor.dim[1] = width;
    }
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.codes%s", b,
                        file->sparse ? "_value" : "");
    if (!file->sparse) return;
    tensor.integer = true;
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.codes_index", b);
}

static void add_readouts(f2l_safetensors *file, const f2l_wired_block *block, size_t b)
{
    f2l_tensor tensor = {.source = block->readout,
                         .count = block->readouts,
                         .integer = true,
                         .dims = 1,
                         .dim = {block->readouts}};
    tensor.fill = fill_readout_head;
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.head", b);
    tensor.fill = fill_readout_row;
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.row", b);
    tensor.fill = fill_readout_rows;
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.rows", b);
    tensor.fill = fill_codes_at;
    tensor.dim[0] = block->readouts + 1;
    f2l_safetensors_add(file, tensor, "blocks.%zu.readouts.codes_at", b);
    add_codes(file, block, b);
}

static void fill_shape(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_head *head = t->source;
    f2l_safetensors_put_index(file, t, 0, head->n);
    f2l_safetensors_put_index(file, t, 1, head->d);
}

static f2l_tensor shape_of(const f2l_head *head)
{
    return (f2l_tensor){.fill = fill_shape, .source = head, .integer = true, .dims = 1, .dim = {2}};
}

static void add_block(f2l_safetensors *file, const f2l_wired_block *block, size_t b)
{
    char prefix[64];
    f2l_safetensors_add(file, sizes(block->input_size, block->inputs), "blocks.%zu.inputs", b);
    add_gates(file, block->pre, block->pres, b, "pre");
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_wired_head *head = &block->head[h];
        snprintf(prefix, sizeof prefix, "blocks.%zu.heads.%zu", b, h);
        f2l_safetensors_add(file, numbers(head->wire, head->slots), "%s.slot_wire", prefix);
        f2l_safetensors_add(file, sizes(head->slot_at, head->slots + 1), "%s.slot_at", prefix);
        if (file->sparse) f2l_safetensors_add(file, shape_of(&head->head), "%s.shape", prefix);
        f2l_safetensors_add_letters(file, &head->head, head->slot_at[head->slots], prefix);
    }
    add_readouts(file, block, b);
    add_gates(file, block->post, block->posts, b, "post");
    f2l_safetensors_add(file, numbers(block->output, block->outputs), "blocks.%zu.outputs", b);
}

static void fill_stages(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_wired_stage *stage = t->source;
    for (size_t l = 0; l < t->count; l++) f2l_safetensors_put_index(file, t, l, stage[l].block);
}

void f2l_wired_weights_add(f2l_safetensors *file)
{
    const f2l_net *net = file->owner;
    char prefix[64];
    if (net->stages == 0) return;
    for (size_t t = 0; t < net->tables; t++) {
        f2l_tensor table = numbers(net->table[t].value, net->table[t].entries);
        table.dims = net->table[t].inputs;
        table.shape = net->table[t].size;
        f2l_safetensors_add(file, table, "tables.%zu", t);
    }
    for (size_t b = 0; b < net->blocks; b++) add_block(file, &net->block[b], b);
    f2l_tensor stages = {
        .fill = fill_stages, .source = net->stage, .count = net->stages, .integer = true};
    stages.dims = 1;
    stages.dim[0] = net->stages;
    f2l_safetensors_add(file, stages, "stages");
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_stage *stage = &net->stage[l];
        const f2l_wired_block *block = &net->block[stage->block];
        for (size_t h = 0; h < block->heads; h++) {
            snprintf(prefix, sizeof prefix, "stages.%zu.heads.%zu", l, h);
            if (file->sparse)
                f2l_safetensors_add_initial_entries(file, &stage->initial[h], prefix);
            else
                f2l_safetensors_add_initial(file, &stage->initial[h], block->head[h].head.n,
                                            block->head[h].head.d, prefix);
        }
    }
}

static void hold_block(f2l_safetensors *file, const f2l_wired_block *block)
{
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_wired_head *head = &block->head[h];
        f2l_safetensors_hold_letters(file, &head->head, head->slot_at[head->slots]);
    }
    for (size_t r = 0; r < block->readouts; r++) {
        for (size_t c = 0; c < block->readout[r].codes; c++)
            f2l_safetensors_hold_vector(file, &block->readout[r].code[c]);
    }
}

void f2l_wired_weights_hold(f2l_safetensors *file)
{
    const f2l_net *net = file->owner;
    for (size_t b = 0; b < net->blocks; b++) hold_block(file, &net->block[b]);
    for (size_t l = 0; l < net->stages; l++)
        for (size_t h = 0; h < net->stage[l].heads; h++)
            f2l_safetensors_hold_vector(file, &net->stage[l].initial[h]);
}
