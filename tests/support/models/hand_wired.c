#include "tests/support/models/hand_wired.h"

void wired_table(f2l_net *net, size_t t, size_t inputs, const size_t *size, size_t values,
                 const uint32_t *entry)
{
    cr_assert(f2l_wired_table_set(&net->table[t], inputs, size, values, NULL) == F2L_OK);
    memcpy(net->table[t].value, entry, net->table[t].entries * sizeof *entry);
}

void wired_gate(const f2l_net *net, f2l_wired_gate *gate, size_t t, const uint32_t *wire)
{
    cr_assert(f2l_wired_gate_set(gate, t, net->table[t].inputs, wire, NULL) == F2L_OK);
}

void wired_factor(f2l_transition *transition, unsigned long beta, size_t n, const long *u, size_t d,
                  const long *c)
{
    cr_assert(f2l_transition_set_factors(transition, 1, NULL) == F2L_OK);
    f2l_factor *factor = transition->factor;
    mpq_set_ui(factor->beta, beta, 1);
    for (uint32_t i = 0; i < n; i++)
        if (u[i] != 0) sample_push(&factor->u, i, u[i], 2);
    for (uint32_t i = 0; i < d && c != NULL; i++)
        if (c[i] != 0) sample_push(&factor->c, i, c[i], 2);
}

void wired_counter_block(f2l_net *net, f2l_wired_block *block)
{
    static const size_t inputs[] = {3, 2, 8}, sizes[] = {3, 3};
    static const uint32_t first[] = {4}, second[] = {0, 4}, output[] = {0, 8, 9};
    static const long ones[] = {1, 1, 1, 1}, unit[] = {2, 0}, bit[] = {2, 1}, plus[] = {2},
                      minus[] = {-2};
    cr_assert(f2l_wired_block_set_inputs(block, 3, inputs, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(block, 2, 2, 3, 2, 3, NULL) == F2L_OK);
    wired_gate(net, &block->pre[0], 2, (const uint32_t[]){0, 1});
    wired_gate(net, &block->pre[1], 3, (const uint32_t[]){0, 3});
    wired_gate(net, &block->post[0], 4, (const uint32_t[]){3, 6});
    wired_gate(net, &block->post[1], 5, (const uint32_t[]){2, 5});
    memcpy(block->output, output, sizeof output);
    /* The first copy is +-(1/2, 1/2, 1/2, 1/2) times (1, 1/2); a reset forgets by its gate. */
    cr_assert(f2l_wired_head_set(&block->head[0], 4, 2, 1, first, sizes, NULL) == F2L_OK);
    wired_factor(&block->head[0].head.letter[1], 2, 4, ones, 0, NULL);
    wired_factor(&block->head[0].head.letter[2], 1, 4, ones, 2, bit);
    mpq_set_ui(block->head[0].head.letter[2].gate, 0, 1);
    /* The second is +-1; a reset writes -1 in slot 1, then 1 in slot 2. */
    cr_assert(f2l_wired_head_set(&block->head[1], 2, 1, 2, second, sizes, NULL) == F2L_OK);
    wired_factor(&block->head[1].head.letter[1], 1, 2, unit, 1, minus);
    wired_factor(&block->head[1].head.letter[4], 2, 2, unit, 0, NULL);
    wired_factor(&block->head[1].head.letter[5], 1, 2, unit, 1, plus);
    cr_assert(f2l_wired_readout_set(&block->readout[0], 0, 0, 4, 2, NULL) == F2L_OK);
    cr_assert(f2l_wired_readout_set(&block->readout[1], 1, 0, 1, 2, NULL) == F2L_OK);
    cr_assert(f2l_wired_readout_set(&block->readout[2], 1, 1, 1, 1, NULL) == F2L_OK);
    for (uint32_t c = 0; c < 2; c++) {
        for (uint32_t i = 0; i < 8; i++)
            sample_push(&block->readout[0].code[c], i, c ? -1 : 1, i % 2 ? 4 : 2);
        sample_push(&block->readout[1].code[c], 0, c ? -1 : 1, 1);
    }
    sample_push(&block->readout[2].code[0], 0, 3, 1);
}

void wired_counter_tables(f2l_net *net)
{
    static const size_t by_letter[] = {3, 2}, bits[] = {2, 2}, number[] = {8, 2};
    static const uint32_t yes[] = {1}, zero[] = {0}, flip[] = {0, 1, 0, 0, 0, 0},
                          act[] = {0, 1, 2, 2, 0, 1}, carry[] = {0, 0, 1, 0},
                          add[] = {0, 4, 0, 4, 1, 5, 1, 5, 2, 6, 2, 6, 3, 7, 3, 7};
    cr_assert(f2l_wired_set_tables(net, 6, NULL) == F2L_OK);
    wired_table(net, 0, 0, NULL, 2, yes);
    wired_table(net, 1, 0, NULL, 8, zero);
    wired_table(net, 2, 2, by_letter, 2, flip);
    wired_table(net, 3, 2, by_letter, 3, act);
    wired_table(net, 4, 2, bits, 2, carry);
    wired_table(net, 5, 2, number, 8, add);
}

void wired_counter(f2l_net *net)
{
    static const size_t letter[] = {3}, carried[] = {3, 2, 8}, stages[] = {0, 1, 1, 1, 2};
    char name[8];
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    sample_name(&net->letters, "inc");
    sample_name(&net->letters, "reset");
    sample_name(&net->letters, "hold");
    for (size_t q = 0; q < 8; q++) {
        snprintf(name, sizeof name, "%zu", q);
        sample_name(&net->labels, name);
    }
    net->start = 5;
    wired_counter_tables(net);
    cr_assert(f2l_wired_set_blocks(net, 3, NULL) == F2L_OK);
    f2l_wired_block *enter = &net->block[0], *leave = &net->block[2];
    cr_assert(f2l_wired_block_set_inputs(enter, 1, letter, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(enter, 2, 0, 0, 0, 3, NULL) == F2L_OK);
    wired_gate(net, &enter->pre[0], 0, NULL);
    wired_gate(net, &enter->pre[1], 1, NULL);
    for (uint32_t o = 0; o < 3; o++) enter->output[o] = o;
    wired_counter_block(net, &net->block[1]);
    cr_assert(f2l_wired_block_set_inputs(leave, 3, carried, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(leave, 0, 0, 0, 0, 1, NULL) == F2L_OK);
    leave->output[0] = 2;
    cr_assert(f2l_wired_set_stages(net, 5, stages, NULL) == F2L_OK);
    for (size_t l = 0; l < 3; l++) {
        long sign = net->start >> l & 1 ? -1 : 1;
        f2l_qvec *initial = net->stage[l + 1].initial;
        for (uint32_t i = 0; i < 8; i++) sample_push(&initial[0], i, sign, i % 2 ? 4 : 2);
        sample_push(&initial[1], 0, sign, 1);
        sample_push(&initial[1], 1, 3, 1);
    }
}

void hand_wired_random_gate(wired_builder *b, f2l_wired_gate *gate, size_t values)
{
    uint32_t wire[3];
    size_t inputs = f2l_rng_below(b->rng, 4), size[3];
    for (size_t i = 0; i < inputs; i++) {
        wire[i] = (uint32_t)f2l_rng_below(b->rng, b->wires);
        size[i] = b->size[wire[i]];
    }
    f2l_wired_table *table = &b->net->table[b->table];
    cr_assert(f2l_wired_table_set(table, inputs, size, values, NULL) == F2L_OK);
    for (size_t e = 0; e < table->entries; e++)
        table->value[e] = (uint32_t)f2l_rng_below(b->rng, values);
    wired_gate(b->net, gate, b->table++, wire);
    b->size[b->wires++] = values;
}

void hand_wired_random_head(wired_builder *b, f2l_wired_block *block, size_t h)
{
    uint32_t wire[3];
    size_t size[3], slots = f2l_rng_below(b->rng, 3) + 1;
    for (size_t j = 0; j < slots; j++) {
        wire[j] = (uint32_t)f2l_rng_below(b->rng, block->inputs + block->pres);
        size[j] = b->size[wire[j]];
    }
    f2l_wired_head *head = &block->head[h];
    cr_assert(f2l_wired_head_set(head, 1, 1, slots, wire, size, NULL) == F2L_OK);
    sample_head(&head->head, b->rng, head->slot_at[slots], b->shape);
    f2l_qvec_clear(&head->head.initial);
    f2l_qvec_init(&head->head.initial);
    head->head.n++;
    for (size_t i = 0; i < 2; i++) {
        f2l_wired_readout *readout = &block->readout[2 * h + i];
        size_t codes = f2l_rng_below(b->rng, 3) + 1, rows = i == 0 ? 1 : head->head.n - 1;
        cr_assert(f2l_wired_readout_set(readout, h, i, rows, codes, NULL) == F2L_OK);
        for (size_t c = 0; c < codes; c++) {
            f2l_qvec rest;
            f2l_qvec_init(&rest);
            sample_vector(&rest, b->rng, rows * head->head.d, 0, b->shape);
            sample_push(&readout->code[c], 0, (long)c - 1 + (c > 0), 1); /* distinct codes; not zero
                                                                          */
            for (size_t e = 0; e < rest.count; e++)
                if (rest.index[e] > 0)
                    cr_assert(f2l_qvec_push(&readout->code[c], rest.index[e], rest.value[e],
                                            NULL) == F2L_OK);
            f2l_qvec_clear(&rest);
        }
        b->size[b->wires++] = codes;
    }
}

void hand_wired_random_block(wired_builder *b, f2l_wired_block *block, size_t inputs,
                             const size_t *input, size_t outputs, const size_t *output)
{
    size_t pres = f2l_rng_below(b->rng, 5), heads = f2l_rng_below(b->rng, 3),
           more = f2l_rng_below(b->rng, 3);
    cr_assert(f2l_wired_block_set_inputs(block, inputs, input, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(block, pres, heads, 2 * heads, more + outputs, outputs, NULL) ==
              F2L_OK);
    memcpy(b->size, input, inputs * sizeof *input);
    b->wires = (uint32_t)inputs;
    for (size_t g = 0; g < pres; g++)
        hand_wired_random_gate(b, &block->pre[g], f2l_rng_below(b->rng, 4) + 1);
    for (size_t h = 0; h < heads; h++) hand_wired_random_head(b, block, h);
    for (size_t g = 0; g < more + outputs; g++) {
        if (g >= more) block->output[g - more] = b->wires;
        hand_wired_random_gate(b, &block->post[g],
                               g < more ? f2l_rng_below(b->rng, 4) + 1 : output[g - more]);
    }
}

void hand_wired_random(f2l_net *net, f2l_rng *rng, const sample_shape *shape)
{
    static const char *const names[] = {"a", "B b", "\xc3\xa9", "\"", "line\nfeed"};
    wired_builder b = {.net = net, .rng = rng, .shape = shape};
    size_t letters = f2l_rng_below(rng, 5) + 1, labels = f2l_rng_below(rng, 5) + 1, carried[3],
           stage[5];
    size_t wires = f2l_rng_below(rng, 3) + 1, stages = f2l_rng_below(rng, 5) + 1;
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    net->label = (f2l_label)f2l_rng_below(rng, 3);
    for (size_t i = 0; i < letters; i++) sample_name(&net->letters, names[i]);
    for (size_t i = 0; i < labels; i++) sample_name(&net->labels, names[4 - i]);
    for (size_t i = 0; i < wires; i++) carried[i] = f2l_rng_below(rng, 4) + 1;
    net->start = f2l_rng_below(rng, labels);
    cr_assert(f2l_wired_set_tables(net, 40, NULL) == F2L_OK);
    for (size_t t = 0; t < 40; t++) wired_table(net, t, 0, NULL, 1, (const uint32_t[]){0});
    cr_assert(f2l_wired_set_blocks(net, stages == 1 ? 1 : 4, NULL) == F2L_OK);
    if (stages == 1) hand_wired_random_block(&b, &net->block[0], 1, &letters, 1, &labels);
    if (stages > 1) {
        hand_wired_random_block(&b, &net->block[0], 1, &letters, wires, carried);
        hand_wired_random_block(&b, &net->block[1], wires, carried, wires, carried);
        hand_wired_random_block(&b, &net->block[2], wires, carried, wires, carried);
        hand_wired_random_block(&b, &net->block[3], wires, carried, 1, &labels);
    }
    for (size_t l = 0; l < stages; l++)
        stage[l] = l == 0 ? 0 : l + 1 == stages ? 3 : f2l_rng_below(rng, 2) + 1;
    cr_assert(f2l_wired_set_stages(net, stages, stage, NULL) == F2L_OK);
    for (size_t l = 0; l < stages; l++) {
        const f2l_wired_block *block = &net->block[stage[l]];
        for (size_t h = 0; h < block->heads; h++)
            sample_vector(&net->stage[l].initial[h], rng,
                          block->head[h].head.n * block->head[h].head.d, 0, shape);
    }
}
