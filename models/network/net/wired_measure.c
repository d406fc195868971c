/* The number of wires of a block, and the counts of a network. */
#include "models/network/net/head.h"
#include "models/network/net/wired.h"

size_t f2l_wired_first_readout(const f2l_wired_block *block)
{
    return f2l_wired_slot_wires(block);
}

size_t f2l_wired_first_post(const f2l_wired_block *block)
{
    return f2l_wired_first_readout(block) + block->readouts;
}

size_t f2l_wired_wires(const f2l_wired_block *block)
{
    return f2l_wired_first_post(block) + block->posts;
}

size_t f2l_wired_wire_size(const f2l_net *net, const f2l_wired_block *block, size_t wire)
{
    if (wire < block->inputs) return block->input_size[wire];
    wire -= block->inputs;
    if (wire < block->pres) return net->table[block->pre[wire].table].values;
    wire -= block->pres;
    if (wire < block->readouts) return block->readout[wire].codes;
    return net->table[block->post[wire - block->readouts].table].values;
}

void f2l_wired_sizes(size_t *sizes, const f2l_net *net, const f2l_wired_block *block)
{
    size_t wires = f2l_wired_wires(block);
    for (size_t w = 0; w < wires; w++) sizes[w] = f2l_wired_wire_size(net, block, w);
}

size_t f2l_net_joint(const f2l_net *net)
{
    size_t count = net->layers;
    for (size_t l = 0; l < net->stages; l++) count += net->block[net->stage[l].block].readouts;
    return count;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t f2l_wired_head_factors(const f2l_wired_head *head)
{
    size_t sum = 0;
    for (size_t j = 0; j < head->slots; j++) {
        size_t most = 0;
        for (size_t x = head->slot_at[j]; x < head->slot_at[j + 1]; x++)
            most = max_size(most, head->head.letter[x].factors);
        sum += most;
    }
    return sum;
}

f2l_net_size f2l_wired_measure_block(const f2l_wired_block *block)
{
    f2l_net_size size = {.layers = block->heads > 0, .heads = block->heads};
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_wired_head *head = &block->head[h];
        size_t factors = f2l_wired_head_factors(head);
        size.householders = max_size(size.householders, factors);
        size.factors_per_token += factors;
        size.key_dim = max_size(size.key_dim, head->head.n);
        size.value_dim = max_size(size.value_dim, head->head.d);
        size.states += head->head.n * head->head.d;
    }
    size.gates = block->pres + block->posts;
    return size;
}

/* Returns the numbers of the dense tensors of the block's letters. */
static size_t block_parameters(const f2l_wired_block *block)
{
    size_t parameters = 0;
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_wired_head *head = &block->head[h];
        parameters += f2l_head_parameters(&head->head, head->slot_at[head->slots]);
    }
    return parameters;
}

/* Returns whether some factor of the head has a negative eigenvalue. */
static bool head_reflects(const f2l_head *head, size_t letters)
{
    bool reflects = false;
    mpq_t size;
    mpq_init(size);
    for (size_t x = 0; !reflects && x < letters; x++)
        for (size_t j = 0; !reflects && j < head->letter[x].factors; j++) {
            const f2l_factor *factor = &head->letter[x].factor[j];
            mpq_set(size, factor->beta);
            if (head->raw) {
                f2l_qvec_norm2(size, &factor->u);
                mpq_mul(size, size, factor->beta);
            }
            reflects = mpq_cmp_ui(size, 1, 1) > 0;
        }
    mpq_clear(size);
    return reflects;
}

bool f2l_net_reflects(const f2l_net *net)
{
    bool reflects = false;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; !reflects && h < net->layer[l].heads; h++)
            reflects = head_reflects(&net->layer[l].head[h], net->layer[l].letters);
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t h = 0; !reflects && h < net->block[b].heads; h++) {
            const f2l_wired_head *head = &net->block[b].head[h];
            reflects = head_reflects(&head->head, head->slot_at[head->slots]);
        }
    return reflects;
}

void f2l_wired_measure(f2l_net_size *out, const f2l_net *net)
{
    f2l_net_size size = {0};
    for (size_t l = 0; l < net->stages; l++) {
        /* consecutive stages that share a block are measured once */
        if (l == 0 || net->stage[l].block != net->stage[l - 1].block)
            size = f2l_wired_measure_block(&net->block[net->stage[l].block]);
        out->layers += size.layers;
        out->heads = max_size(out->heads, size.heads);
        out->householders = max_size(out->householders, size.householders);
        out->key_dim = max_size(out->key_dim, size.key_dim);
        out->value_dim = max_size(out->value_dim, size.value_dim);
        out->states += size.states;
        out->factors_per_token += size.factors_per_token;
        out->gates += size.gates;
    }
    for (size_t b = 0; b < net->blocks; b++) out->parameters += block_parameters(&net->block[b]);
    for (size_t t = 0; t < net->tables; t++) out->table_entries += net->table[t].entries;
}
