#include "models/network/net/wired_flow.h"
#include "numeric/base/mem.h"
#include <string.h>

static void clear_circuits(f2l_circuit *circuit, size_t count)
{
    for (size_t b = 0; circuit != NULL && b < count; b++) {
        f2l_free(circuit[b].value);
        f2l_free(circuit[b].first);
        f2l_free(circuit[b].source);
        f2l_free(circuit[b].stride);
    }
    f2l_free(circuit);
}

void f2l_wired_flow_clear(f2l_wired_flow *flow)
{
    if (flow->net != NULL) {
        clear_circuits(flow->pre, flow->net->blocks);
        clear_circuits(flow->post, flow->net->blocks);
    }
    *flow = (f2l_wired_flow){0};
}

static bool set_circuit(f2l_circuit *circuit, const f2l_net *net, const f2l_wired_gate *gate,
                        size_t gates)
{
    size_t inputs = 0;
    for (size_t g = 0; g < gates; g++) inputs += net->table[gate[g].table].inputs;
    if (inputs > UINT32_MAX) return false;
    circuit->value = f2l_calloc(gates, sizeof *circuit->value);
    circuit->first = f2l_calloc(gates + 1, sizeof *circuit->first);
    circuit->source = f2l_calloc(inputs, sizeof *circuit->source);
    circuit->stride = f2l_calloc(inputs, sizeof *circuit->stride);
    if (circuit->value == NULL || circuit->first == NULL || circuit->source == NULL ||
        circuit->stride == NULL)
        return false;
    circuit->gates = gates;
    for (size_t g = 0, at = 0; g < gates; g++) {
        const f2l_wired_table *table = &net->table[gate[g].table];
        size_t stride = table->entries;
        for (size_t i = 0; i < table->inputs; i++, at++) {
            stride /= table->size[i];
            circuit->source[at] = gate[g].wire[i];
            circuit->stride[at] = (uint32_t)stride;
        }
        circuit->value[g] = table->value;
        circuit->first[g + 1] = (uint32_t)at;
    }
    return true;
}

/* Computes the gates; their wires are numbered from `to` on. */
static void run_circuit(const f2l_circuit *circuit, uint32_t *wire, size_t to)
{
    uint32_t at = 0;
    for (size_t g = 0; g < circuit->gates; g++) {
        uint32_t entry = 0;
        for (const uint32_t end = circuit->first[g + 1]; at < end; at++)
            entry += circuit->stride[at] * wire[circuit->source[at]];
        wire[to + g] = circuit->value[g][entry];
    }
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

f2l_status f2l_wired_flow_init(f2l_wired_flow *flow, const f2l_net *net, f2l_error *err)
{
    *flow = (f2l_wired_flow){.net = net, .outputs = 1};
    for (size_t b = 0; b < net->blocks; b++) {
        const f2l_wired_block *block = &net->block[b];
        flow->wires = larger_size(flow->wires, f2l_wired_wires(block));
        flow->outputs = larger_size(flow->outputs, block->outputs);
        for (size_t h = 0; h < block->heads; h++)
            flow->slots = larger_size(flow->slots, block->head[h].slots);
    }
    flow->room = flow->slots + flow->wires + flow->outputs;
    flow->pre = f2l_calloc(net->blocks, sizeof *flow->pre);
    flow->post = f2l_calloc(net->blocks, sizeof *flow->post);
    bool room = flow->pre != NULL && flow->post != NULL;
    for (size_t b = 0; room && b < net->blocks; b++) {
        const f2l_wired_block *block = &net->block[b];
        room = set_circuit(&flow->pre[b], net, block->pre, block->pres) &&
               set_circuit(&flow->post[b], net, block->post, block->posts);
    }
    if (room) return F2L_OK;
    f2l_wired_flow_clear(flow);
    return f2l_fail_memory(err);
}

f2l_token f2l_wired_token(const f2l_wired_flow *flow, size_t *room, size_t letter)
{
    uint32_t *const wire = (uint32_t *)(room + flow->slots);
    wire[flow->wires] = (uint32_t)letter;
    return (f2l_token){room, wire, wire + flow->wires};
}

void f2l_wired_flow_enter(const f2l_wired_flow *flow, f2l_token *token, size_t l)
{
    size_t b = flow->net->stage[l].block, inputs = flow->net->block[b].inputs;
    memcpy(token->wire, token->carry, inputs * sizeof *token->wire);
    run_circuit(&flow->pre[b], token->wire, inputs);
}

void f2l_wired_flow_letters(f2l_token *token, const f2l_wired_head *head)
{
    for (size_t j = 0; j < head->slots; j++)
        token->letter[j] = head->slot_at[j] + token->wire[head->wire[j]];
}

void f2l_wired_flow_leave(const f2l_wired_flow *flow, f2l_token *token, size_t l)
{
    size_t b = flow->net->stage[l].block;
    const f2l_wired_block *block = &flow->net->block[b];
    run_circuit(&flow->post[b], token->wire, f2l_wired_first_post(block));
    for (size_t o = 0; o < block->outputs; o++) token->carry[o] = token->wire[block->output[o]];
}

uint32_t f2l_wired_zero_code(const f2l_wired_readout *readout)
{
    for (size_t c = 0; c < readout->codes; c++) {
        if (readout->code[c].count == 0) return (uint32_t)c;
    }
    return F2L_NO_SYMBOL;
}
