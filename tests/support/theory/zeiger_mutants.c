#include "tests/support/theory/zeiger_mutants.h"

size_t pick(f2l_rng *rng, size_t n)
{
    return (size_t)f2l_rng_below(rng, n);
}

void mutant_number(mpq_t x, f2l_rng *rng)
{
    static const long top[] = {0, 1, 1, 3, 2, -1};
    static const unsigned long bottom[] = {1, 1, 2, 2, 1, 1};
    const size_t i = pick(rng, 6);
    mpq_set_si(x, top[i], bottom[i]);
}

f2l_transition *mutant_transition(f2l_net *net, f2l_rng *rng, size_t *slot)
{
    f2l_wired_head *head = &net->block[1].head[0];
    *slot = pick(rng, head->slots);
    return &head->head.letter[head->slot_at[*slot] +
                              pick(rng, head->slot_at[*slot + 1] - head->slot_at[*slot])];
}

f2l_wired_gate *mutant_gate(f2l_net *net, f2l_rng *rng, size_t *before)
{
    f2l_wired_block *block = &net->block[pick(rng, 3)];
    const size_t g = pick(rng, block->pres + block->posts);
    *before = g < block->pres ? block->inputs + g : f2l_wired_first_post(block) + g - block->pres;
    return g < block->pres ? &block->pre[g] : &block->post[g - block->pres];
}

bool mutate_gate(f2l_net *net, f2l_rng *rng, size_t kind)
{
    size_t before;
    f2l_wired_gate *gate = mutant_gate(net, rng, &before);
    const size_t inputs = net->table[gate->table].inputs;
    if (kind == 0) {
        const size_t table = pick(rng, net->tables);
        if (net->table[table].inputs != inputs || table == gate->table) return false;
        gate->table = table;
        return true;
    }
    if (inputs == 0) return false;
    uint32_t *wire = &gate->wire[pick(rng, inputs)], old = *wire;
    *wire = (uint32_t)pick(rng, before);
    return *wire != old;
}

bool mutate_factor(f2l_net *net, f2l_rng *rng, size_t kind)
{
    size_t slot;
    f2l_transition *transition = mutant_transition(net, rng, &slot);
    if (transition->factors == 0) return false;
    f2l_factor *factor = &transition->factor[pick(rng, transition->factors)];
    f2l_qvec *v = kind == 2 && factor->c.count ? &factor->c : &factor->u;
    const size_t i = pick(rng, v->count);
    if (kind == 0) {
        mutant_number(factor->beta, rng);
    } else if (kind == 1) {
        v->index[i] += (uint32_t)pick(rng, 5) - 2;
    } else if (kind == 2) {
        mutant_number(v->value[i], rng);
        return mpq_sgn(v->value[i]) != 0;
    } else if (factor->c.count == 0) {
        return f2l_qvec_push_si(&factor->c, 0, 1, 1, NULL) == F2L_OK;
    } else {
        f2l_qvec_clear(&factor->c);
        f2l_qvec_init(&factor->c);
    }
    return true;
}

bool mutate_transition(f2l_net *net, f2l_rng *rng, size_t kind)
{
    size_t slot, other;
    f2l_transition *one = mutant_transition(net, rng, &slot),
                   *two = mutant_transition(net, rng, &other);
    if (kind == 0) {
        mpq_set_ui(one->gate, pick(rng, 2), 2);
        mpq_canonicalize(one->gate);
        return true;
    }
    if (kind == 1) {
        const f2l_transition kept = *one;
        *one = *two;
        *two = kept;
        return one != two;
    }
    return one->factors > 0 && f2l_transition_set_factors(one, 0, NULL) == F2L_OK;
}

bool mutate_vector(f2l_qvec *v, f2l_rng *rng)
{
    if (v->count == 0) return f2l_qvec_push_si(v, (uint32_t)pick(rng, 2), 1, 1, NULL) == F2L_OK;
    const size_t i = pick(rng, v->count);
    if (pick(rng, 2)) {
        mutant_number(v->value[i], rng);
        return mpq_sgn(v->value[i]) != 0;
    }
    v->index[i] += (uint32_t)pick(rng, 5) - 2;
    return true;
}

bool mutate_readout(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_block *block = &net->block[1];
    f2l_wired_readout *readout = &block->readout[pick(rng, block->readouts)];
    if (pick(rng, 2)) return mutate_vector(&readout->code[pick(rng, readout->codes)], rng);
    const f2l_qvec kept = readout->code[0];
    readout->code[0] = readout->code[1];
    readout->code[1] = kept;
    return true;
}

bool mutate_outputs(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_block *block = &net->block[pick(rng, 3)];
    uint32_t *output = &block->output[pick(rng, block->outputs)], old = *output;
    *output = (uint32_t)pick(rng, f2l_wired_wires(block));
    return *output != old;
}

bool mutate_table(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_table *table = &net->table[pick(rng, net->tables)];
    uint32_t *value = &table->value[pick(rng, table->entries)];
    if (table->values < 2) return false;
    *value = (uint32_t)((*value + 1 + pick(rng, table->values - 1)) % table->values);
    return true;
}

bool mutate(f2l_net *net, f2l_rng *rng, size_t kind)
{
    f2l_wired_head *head = &net->block[1].head[0];
    switch (kind) {
    case 0:
        return mutate_table(net, rng);
    case 1:
    case 2:
        return mutate_gate(net, rng, kind - 1);
    case 3:
    case 4:
    case 5:
    case 6:
        return mutate_factor(net, rng, kind - 3);
    case 7:
    case 8:
    case 9:
        return mutate_transition(net, rng, kind - 7);
    case 10:
        return mutate_readout(net, rng);
    case 11:
        return mutate_vector(&net->stage[1 + pick(rng, net->stages - 2)].initial[0], rng);
    case 12:
        if (pick(rng, 2)) return mutate_outputs(net, rng);
        head->wire[pick(rng, head->slots)] =
            (uint32_t)pick(rng, f2l_wired_first_readout(&net->block[1]));
        return true;
    default:
        net->start = pick(rng, net->labels.count);
        return true;
    }
}

bool mutate_without_meaning(f2l_net *net, f2l_rng *rng)
{
    const f2l_wired_head *head = &net->block[1].head[0];
    mpq_t t;
    mpq_init(t);
    for (size_t x = 0; x < head->slot_at[head->slots]; x++)
        for (size_t f = 0; f < head->head.letter[x].factors; f++) {
            f2l_factor *factor = &head->head.letter[x].factor[f];
            do mutant_number(t, rng);
            while (mpq_sgn(t) == 0);
            for (size_t i = 0; i < factor->u.count; i++)
                mpq_mul(factor->u.value[i], factor->u.value[i], t);
            for (size_t i = 0; i < factor->c.count; i++)
                mpq_mul(factor->c.value[i], factor->c.value[i], t);
        }
    mpq_clear(t);
    const size_t tables = net->tables, twin = pick(rng, tables);
    f2l_wired_table *table = f2l_realloc(net->table, tables + 1, sizeof *table);
    if (table == NULL) return false;
    net->table = table;
    table[tables] = (f2l_wired_table){0};
    net->tables++;
    if (f2l_wired_table_set(&table[tables], table[twin].inputs, table[twin].size,
                            table[twin].values, NULL) != F2L_OK)
        return false;
    for (size_t e = 0; e < table[twin].entries; e++) table[tables].value[e] = table[twin].value[e];
    const f2l_wired_table kept = table[0];
    table[0] = table[tables];
    table[tables] = kept;
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t g = 0; g < net->block[b].pres + net->block[b].posts; g++) {
            f2l_wired_block *block = &net->block[b];
            f2l_wired_gate *gate = g < block->pres ? &block->pre[g] : &block->post[g - block->pres];
            if (gate->table == 0)
                gate->table = tables;
            else if (gate->table == twin && pick(rng, 2))
                gate->table = 0;
        }
    return true;
}
