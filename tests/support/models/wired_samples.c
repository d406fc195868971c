#include "tests/support/models/wired_samples.h"

void wired_read(f2l_net *net, const char *text)
{
    f2l_error err = {0};
    f2l_net_init(net);
    f2l_status status = f2l_wired_read(net, text, strlen(text), &err);
    cr_assert(status == F2L_OK, "%zu:%zu: %s", err.line, err.column, err.text);
}

char *wired_text(const f2l_net *net)
{
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert(f2l_wired_write(&out, net, &err) == F2L_OK, "%s", err.text);
    return out.data;
}

void wired_count(wired_counter *c, size_t letter)
{
    size_t doing = letter; /* hold, inc, reset */
    for (size_t bit = 0; bit < 2; bit++) {
        size_t *digit = c->joint + 3 * bit;
        if (doing == 1) digit[0] = 1 - digit[0];
        if (doing == 2) digit[0] = 0;
        if (doing == 2) digit[1] = 1;
        if (doing > 0) digit[2] = doing == 1;
        if (doing == 1 && digit[0] == 1) doing = 0;
    }
    c->value = letter == 2 ? 0 : (c->value + letter) % 4;
}

uint32_t wired_look_up(const f2l_net *net, const f2l_wired_gate *gate, const uint32_t *wire)
{
    const f2l_wired_table *table = &net->table[gate->table];
    size_t entry = 0;
    for (size_t i = 0; i < table->inputs; i++) entry = entry * table->size[i] + wire[gate->wire[i]];
    return table->value[entry];
}

void wired_random_gate(f2l_net *net, f2l_wired_gate *gate, f2l_rng *rng, const size_t *sizes,
                       size_t wires, size_t table)
{
    size_t wanted = f2l_rng_below(rng, 4), inputs = 0, size[3], values = f2l_rng_below(rng, 3) + 1;
    uint32_t wire[3];
    for (size_t entries = 1; inputs < wanted && entries < 500; inputs++) {
        wire[inputs] = (uint32_t)f2l_rng_below(rng, wires);
        size[inputs] = sizes[wire[inputs]];
        entries *= size[inputs];
    }
    f2l_wired_table *to = &net->table[table];
    cr_assert(f2l_wired_table_set(to, inputs, size, values, NULL) == F2L_OK);
    for (size_t e = 0; e < to->entries; e++) to->value[e] = (uint32_t)f2l_rng_below(rng, values);
    cr_assert(f2l_wired_gate_set(gate, table, inputs, wire, NULL) == F2L_OK);
}

void wired_random_factor(f2l_factor *factor, f2l_rng *rng, const f2l_head *head,
                         const wired_shape *shape)
{
    uint32_t i = (uint32_t)f2l_rng_below(rng, head->n), j = (uint32_t)f2l_rng_below(rng, head->n);
    long scale = (long)f2l_rng_below(rng, 3) + 1;
    switch (f2l_rng_below(rng, 3)) {
    case 0: /* exchanges rows i and j, or changes the sign of row i */
        mpq_set_ui(factor->beta, 2, 1);
        sample_push(&factor->u, i < j ? i : j, scale, 1);
        if (i != j) sample_push(&factor->u, i < j ? j : i, -scale, 1);
        break;
    case 1:
        mpq_set_ui(factor->beta, 1, 1);
        sample_push(&factor->u, i, scale, 1);
        break;
    default:
        mpq_set_ui(factor->beta, 1, 1);
        sample_push(&factor->u, i, scale, 1);
        for (uint32_t k = 0; k < head->d; k++) {
            long sign = (long)f2l_rng_below(rng, 3) - 1;
            if (sign != 0)
                sample_push(&factor->c, k, sign * scale * (long)shape->numerator,
                            shape->denominator);
        }
    }
}

void wired_random_head(f2l_wired_head *head, f2l_rng *rng, size_t n, size_t d, const size_t *sizes,
                       size_t wires, const wired_shape *shape)
{
    size_t slots = f2l_rng_below(rng, shape->slots) + 1, size[16];
    uint32_t wire[16];
    cr_assert(slots <= 16);
    for (size_t j = 0; j < slots; j++) {
        wire[j] = (uint32_t)f2l_rng_below(rng, wires);
        size[j] = sizes[wire[j]];
    }
    cr_assert(f2l_wired_head_set(head, n, d, slots, wire, size, NULL) == F2L_OK);
    for (size_t x = 0; x < head->slot_at[slots]; x++) {
        f2l_transition *letter = &head->head.letter[x];
        if (f2l_rng_below(rng, 8) == 0) mpq_set_ui(letter->gate, 0, 1);
        size_t factors = f2l_rng_below(rng, shape->factors + 1);
        cr_assert(f2l_transition_set_factors(letter, factors, NULL) == F2L_OK);
        for (size_t i = 0; i < factors; i++)
            wired_random_factor(&letter->factor[i], rng, &head->head, shape);
    }
}

long wired_sign(size_t code, size_t place)
{
    for (; place > 0; place--) code /= 3;
    return (long)(code % 3) - 1;
}

void wired_random_readout(f2l_wired_readout *readout, f2l_rng *rng, size_t head, size_t row,
                          size_t rows, size_t d, const wired_shape *shape)
{
    size_t codes = 1, first;
    for (size_t i = 0; i < rows * d; i++) codes *= 3;
    cr_assert(f2l_wired_readout_set(readout, head, row, rows, codes, NULL) == F2L_OK);
    first = f2l_rng_below(rng, codes);
    for (size_t c = 0; c < codes; c++) {
        for (size_t i = 0; i < rows * d; i++) {
            long sign = wired_sign((c + first) % codes, i);
            if (sign != 0)
                sample_push(&readout->code[c], (uint32_t)i, sign * (long)shape->numerator,
                            shape->denominator);
        }
    }
}

void wired_random_gates(f2l_net *net, f2l_wired_gate *gate, size_t gates, f2l_rng *rng,
                        size_t *sizes, size_t wire, size_t *tables)
{
    for (size_t g = 0; g < gates; g++, (*tables)++) {
        wired_random_gate(net, &gate[g], rng, sizes, wire + g, *tables);
        sizes[wire + g] = net->table[*tables].values;
    }
}

void wired_random_block(f2l_net *net, f2l_rng *rng, size_t b, size_t *tables, const size_t *input,
                        size_t inputs, size_t outputs, const wired_shape *shape)
{
    f2l_wired_block *block = &net->block[b];
    size_t pres = f2l_rng_below(rng, shape->gates + 1),
           posts = f2l_rng_below(rng, shape->gates) + 1;
    size_t heads = f2l_rng_below(rng, shape->heads + 1), readouts = 0, n[4], d[4], sizes[128];
    cr_assert(heads <= 4);
    for (size_t h = 0; h < heads; h++) {
        n[h] = f2l_rng_below(rng, shape->n) + 1;
        d[h] = f2l_rng_below(rng, shape->d) + 1;
        readouts += (n[h] + 1) / 2;
    }
    cr_assert(inputs + pres + readouts + posts <= 128);
    cr_assert(f2l_wired_block_set_inputs(block, inputs, input, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(block, pres, heads, readouts, posts, outputs, NULL) == F2L_OK);
    memcpy(sizes, input, inputs * sizeof *sizes);
    wired_random_gates(net, block->pre, pres, rng, sizes, inputs, tables);
    for (size_t h = 0, r = 0; h < heads; h++) {
        wired_random_head(&block->head[h], rng, n[h], d[h], sizes, inputs + pres, shape);
        for (size_t row = 0; row < n[h]; row += 2, r++)
            wired_random_readout(&block->readout[r], rng, h, row, n[h] - row < 2 ? 1 : 2, d[h],
                                 shape);
    }
    for (size_t r = 0; r < readouts; r++) sizes[inputs + pres + r] = block->readout[r].codes;
    wired_random_gates(net, block->post, posts, rng, sizes, inputs + pres + readouts, tables);
    for (size_t o = 0; o < outputs; o++)
        block->output[o] = (uint32_t)f2l_rng_below(rng, inputs + pres + readouts + posts);
}

void wired_random_start(f2l_net *net, f2l_rng *rng)
{
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        for (size_t r = 0; r < block->readouts; r++) {
            const f2l_wired_readout *readout = &block->readout[r];
            const f2l_qvec *code = &readout->code[f2l_rng_below(rng, readout->codes)];
            size_t offset = readout->row * block->head[readout->head].head.d;
            for (size_t k = 0; k < code->count; k++)
                cr_assert(f2l_qvec_push(&net->stage[l].initial[readout->head],
                                        (uint32_t)(offset + code->index[k]), code->value[k],
                                        NULL) == F2L_OK);
        }
    }
}

void wired_random(f2l_net *net, f2l_rng *rng, const wired_shape *shape)
{
    static const char *const names[] = {"a", "B b", "eps", "#", "x1"};
    size_t letters = f2l_rng_below(rng, 4) + 1, blocks = f2l_rng_below(rng, shape->blocks) + 1,
           tables = 0;
    size_t input[8] = {letters}, inputs = 1, block_of[16], stages = 0;
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    net->label = (f2l_label)f2l_rng_below(rng, 3);
    for (size_t i = 0; i < letters; i++) sample_name(&net->letters, names[i]);
    cr_assert(f2l_wired_set_tables(net, 2 * (shape->gates + 1) * blocks, NULL) == F2L_OK);
    cr_assert(f2l_wired_set_blocks(net, blocks, NULL) == F2L_OK);
    for (size_t b = 0; b < blocks; b++) {
        size_t outputs = b + 1 == blocks ? 1 : f2l_rng_below(rng, shape->inputs) + 1;
        wired_random_block(net, rng, b, &tables, input, inputs, outputs, shape);
        const f2l_wired_block *block = &net->block[b];
        size_t sizes[128];
        f2l_wired_sizes(sizes, net, block);
        bool again = outputs == inputs && b + 1 < blocks;
        for (size_t o = 0; o < outputs; o++) {
            again = again && sizes[block->output[o]] == input[o];
            input[o] = sizes[block->output[o]];
        }
        inputs = outputs;
        for (size_t k = 0; k == 0 || (again && k < shape->stages); k++) block_of[stages++] = b;
        cr_assert(stages < 15);
    }
    for (size_t t = tables; t < net->tables; t++) /* tables that nothing uses */
        cr_assert(f2l_wired_table_set(&net->table[t], 0, NULL, 1, NULL) == F2L_OK);
    char label[24];
    for (size_t i = 0; i < input[0]; i++) {
        snprintf(label, sizeof label, "y%zu", i);
        sample_name(&net->labels, label);
    }
    net->start = f2l_rng_below(rng, input[0]);
    cr_assert(f2l_wired_set_stages(net, stages, block_of, NULL) == F2L_OK);
    wired_random_start(net, rng);
}

void wired_one_head(f2l_net *net, f2l_rng *rng, const sample_shape *shape)
{
    const size_t letters = 3, block_of[1] = {0}, size[5] = {3, 3, 3, 3, 3};
    const uint32_t wire[5] = {0};
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    for (size_t i = 0; i < letters; i++) {
        const char name[2] = {(char)('a' + (int)i), '\0'};
        sample_name(&net->letters, name);
        sample_name(&net->labels, name);
    }
    cr_assert(f2l_wired_set_tables(net, 0, NULL) == F2L_OK &&
              f2l_wired_set_blocks(net, 1, NULL) == F2L_OK);
    f2l_wired_block *block = &net->block[0];
    cr_assert(f2l_wired_block_set_inputs(block, 1, &letters, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(block, 0, 1, 1, 0, 1, NULL) == F2L_OK);
    size_t slots = f2l_rng_below(rng, 5) + 1;
    cr_assert(f2l_wired_head_set(&block->head[0], 1, 1, slots, wire, size, NULL) == F2L_OK);
    sample_head(&block->head[0].head, rng, 3 * slots, shape); /* also fills in the dimensions */
    f2l_qvec_clear(&block->head[0].head.initial);
    cr_assert(f2l_wired_readout_set(&block->readout[0], 0, 0, block->head[0].head.n, 1, NULL) ==
              F2L_OK);
    cr_assert(f2l_wired_set_stages(net, 1, block_of, NULL) == F2L_OK);
}
