#include "numeric/base/mem.h"
#include "tests/support/models/wired_samples.h"
#include "tests/support/models/wired_text_support.h"

/* Shapes with blocks small enough to be printed, and with everything that a block may have. */
static const wired_shape shapes[] = {{2, 3, 2, 2, 1, 2, 1, 2, 1, 1, 1},
                                     {4, 3, 3, 4, 3, 5, 3, 4, 2, 7, 1000000007}};

Test(wired, reads_what_it_says)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    cr_assert(net.start == 0 && net.label == F2L_LABEL_STATES && net.tables == 5 &&
              net.blocks == 3);
    cr_assert_str_eq(net.fsa_sha256, SAMPLE_SHA);
    cr_assert_str_eq(f2l_names_get(&net.letters, 2), "re set");
    const f2l_wired_table *table = &net.table[2];
    cr_assert(table->inputs == 2 && table->size[0] == 3 && table->size[1] == 2 &&
              table->values == 3);
    cr_assert(table->entries == 6 && table->value[2] == 1 && table->value[3] == 0 &&
              table->value[5] == 2);
    cr_assert(net.table[0].inputs == 0 && net.table[0].entries == 1 && net.table[0].value[0] == 0);
    const f2l_wired_block *block = &net.block[1];
    cr_assert(block->inputs == 2 && block->input_size[1] == 4 && block->pres == 1 &&
              block->heads == 2);
    cr_assert(block->readouts == 3 && block->posts == 2 && block->outputs == 2);
    cr_assert(block->pre[0].table == 1 && block->pre[0].wire[0] == 0 &&
              block->post[1].wire[1] == 3);
    cr_assert(block->output[0] == 6 && block->output[1] == 7);
    const f2l_wired_head *head = &block->head[0];
    cr_assert(head->slots == 2 && head->wire[1] == 2 && head->slot_at[1] == 3 &&
              head->slot_at[2] == 5);
    cr_assert(head->head.n == 2 && head->head.d == 1 && head->head.letter[1].factors == 1);
    cr_assert(mpq_cmp_ui(head->head.letter[1].factor[0].beta, 2, 1) == 0);
    cr_assert(mpq_cmp_ui(head->head.letter[4].factor[0].c.value[0], 5, 2) == 0);
    cr_assert(mpq_sgn(block->head[1].head.letter[2].gate) == 0);
    const f2l_wired_readout *readout = &block->readout[1];
    cr_assert(readout->head == 0 && readout->row == 1 && readout->rows == 1 && readout->codes == 2);
    cr_assert(readout->code[0].count == 0 && readout->code[1].index[0] == 0);
    cr_assert(block->readout[2].code[1].index[0] == 1);
    cr_assert(net.stages == 4 && net.stage[1].block == 1 && net.stage[2].block == 1 &&
              net.stage[1].heads == 2);
    cr_assert(net.stage[2].initial[0].count == 1 && net.stage[2].initial[1].count == 0 &&
              !net.stage[3].heads);
    f2l_net_clear(&net);
    f2l_net_clear(&net);
}

Test(wired, counts_wires_and_measures)
{
    f2l_net net;
    f2l_net_size size;
    size_t sizes[8];
    const size_t expected[8] = {3, 4, 2, 2, 2, 2, 3, 4};
    wired_read(&net, SAMPLE_WIRED);
    cr_assert(f2l_wired_first_readout(&net.block[1]) == 3 &&
              f2l_wired_first_post(&net.block[1]) == 6);
    cr_assert(f2l_wired_wires(&net.block[1]) == 8 && f2l_wired_wires(&net.block[0]) == 2);
    f2l_wired_sizes(sizes, &net, &net.block[1]);
    for (size_t w = 0; w < 8; w++) cr_assert_eq(sizes[w], expected[w], "wire %zu", w);
    cr_assert_eq(f2l_net_joint(&net), 6);
    f2l_net_measure(&size, &net);
    cr_assert(size.layers == 2 && size.heads == 2 && size.householders == 2 && size.key_dim == 2);
    cr_assert(size.value_dim == 2 && size.states == 8 && size.factors_per_token == 6 &&
              size.gates == 8);
    cr_assert_eq(size.table_entries, 1 + 3 + 6 + 8 + 4);
    cr_assert_eq(size.parameters, 5 * (1 + 2 + 1) + 3 * (1 + 1 + 2 + 1) + 8);
    f2l_net_clear(&net);
}

Test(wired, writes_what_it_read)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    char *text = wired_text(&net);
    cr_assert_str_eq(text, SAMPLE_WIRED);
    free(text);
    f2l_net_clear(&net);
}

Test(wired, random_networks_survive_writing_and_reading)
{
    f2l_rng rng;
    size_t heads = 0, shared = 0;
    f2l_rng_init(&rng, 171, 0);
    for (size_t i = 0; i < 300; i++) {
        f2l_net net, again;
        f2l_error err = {0};
        wired_random(&net, &rng, &shapes[i % 2]);
        cr_assert(f2l_wired_validate(&net, &err) == F2L_OK, "seed 171, network %zu: %s", i,
                  err.text);
        char *text = wired_text(&net);
        wired_read(&again, text);
        cr_assert(f2l_wired_validate(&again, NULL) == F2L_OK, "seed 171, network %zu", i);
        char *second = wired_text(&again);
        cr_assert_str_eq(second, text, "seed 171, network %zu", i);
        f2l_net_size a, b;
        f2l_net_measure(&a, &net);
        f2l_net_measure(&b, &again);
        cr_assert(memcmp(&a, &b, sizeof a) == 0);
        heads += a.layers > 1;
        shared += net.stages > net.blocks;
        free(text);
        free(second);
        f2l_net_clear(&net);
        f2l_net_clear(&again);
    }
    cr_assert(heads > 50 && shared > 10, "%zu with layers, %zu with shared blocks", heads, shared);
}

Test(wired, writing_wants_the_automaton_named)
{
    f2l_net net;
    f2l_buf out;
    f2l_buf_init(&out);
    wired_read(&net, SAMPLE_WIRED);
    net.fsa_sha256[3] = 'A';
    cr_assert(f2l_wired_validate(&net, NULL) == F2L_OK);
    cr_assert(f2l_wired_write(&out, &net, NULL) == F2L_EDOMAIN);
    net.fsa_sha256[3] = '\0';
    cr_assert(f2l_wired_write(&out, &net, NULL) == F2L_EDOMAIN);
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
}

Test(wired, building_checks_sizes)
{
    f2l_net net;
    const size_t large[3] = {(size_t)1 << 14, (size_t)1 << 14, 2}, block_of[1] = {1};
    uint32_t wire[1] = {0};
    f2l_net_init(&net);
    cr_assert(f2l_wired_set_tables(&net, 1, NULL) == F2L_OK &&
              f2l_wired_set_blocks(&net, 1, NULL) == F2L_OK);
    cr_assert(f2l_wired_table_set(&net.table[0], 3, large, 2, NULL) == F2L_EDOMAIN &&
              !net.table[0].value);
    cr_assert(f2l_wired_set_stages(&net, 1, block_of, NULL) == F2L_EDOMAIN && !net.stages);
    const size_t values = SIZE_MAX;
    cr_assert(f2l_wired_block_set(&net.block[0], 0, 1, 0, 0, 1, NULL) == F2L_OK);
    cr_assert(f2l_wired_head_set(&net.block[0].head[0], 1, 1, 1, wire, &values, NULL) ==
              F2L_ENOMEM);
    cr_assert(net.block[0].head[0].slots == 0 && net.block[0].head[0].head.letter == NULL);
    cr_assert(f2l_wired_readout_set(&(f2l_wired_readout){0}, 0, 0, 1, SIZE_MAX, NULL) ==
              F2L_ENOMEM);
    f2l_net_clear(&net);
}

/* Old parts are freed: they do not leak, and none of their numbers is left. */
Test(wired, parts_can_be_set_again)
{
    f2l_net net;
    const size_t size[1] = {2}, block_of[2] = {0, 0};
    uint32_t wire[1] = {0};
    wired_read(&net, SAMPLE_WIRED);
    cr_assert(f2l_wired_table_set(&net.table[3], 1, size, 3, NULL) == F2L_OK &&
              net.table[3].entries == 2);
    cr_assert(f2l_wired_gate_set(&net.block[1].post[0], 3, 1, wire, NULL) == F2L_OK);
    cr_assert(f2l_wired_head_set(&net.block[1].head[0], 3, 1, 1, wire, size, NULL) == F2L_OK);
    cr_assert(net.block[1].head[0].slot_at[1] == 2 &&
              net.block[1].head[0].head.letter[1].factors == 0);
    cr_assert(mpq_cmp_ui(net.block[1].head[0].head.letter[1].gate, 1, 1) == 0);
    cr_assert(f2l_wired_readout_set(&net.block[1].readout[0], 0, 0, 1, 1, NULL) == F2L_OK);
    cr_assert(net.block[1].readout[0].code[0].count == 0);
    cr_assert(f2l_wired_set_stages(&net, 2, block_of, NULL) == F2L_OK && net.stages == 2 &&
              !net.stage[1].heads);
    cr_assert(f2l_wired_block_set_inputs(&net.block[1], 1, size, NULL) == F2L_OK &&
              net.block[1].inputs == 1);
    cr_assert(f2l_wired_block_set(&net.block[1], 0, 0, 0, 0, 1, NULL) == F2L_OK &&
              net.block[1].inputs == 1);
    cr_assert(f2l_wired_set_blocks(&net, 1, NULL) == F2L_OK && net.stages == 0 &&
              net.block[0].inputs == 0);
    cr_assert(f2l_wired_set_tables(&net, 0, NULL) == F2L_OK && net.tables == 0);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
static f2l_status build(f2l_net *net)
{
    const size_t size[2] = {2, 3}, block_of[2] = {0, 0};
    const uint32_t wire[2] = {0, 1};
    f2l_status status = f2l_wired_set_tables(net, 1, NULL);
    if (status == F2L_OK) status = f2l_wired_table_set(&net->table[0], 2, size, 2, NULL);
    if (status == F2L_OK) status = f2l_wired_set_blocks(net, 1, NULL);
    if (status == F2L_OK) status = f2l_wired_block_set_inputs(&net->block[0], 2, size, NULL);
    if (status == F2L_OK) status = f2l_wired_block_set(&net->block[0], 1, 1, 1, 1, 1, NULL);
    if (status == F2L_OK) status = f2l_wired_gate_set(&net->block[0].pre[0], 0, 2, wire, NULL);
    if (status == F2L_OK)
        status = f2l_wired_head_set(&net->block[0].head[0], 2, 1, 2, wire, size, NULL);
    if (status == F2L_OK)
        status = f2l_wired_readout_set(&net->block[0].readout[0], 0, 0, 2, 3, NULL);
    return status == F2L_OK ? f2l_wired_set_stages(net, 2, block_of, NULL) : status;
}

static f2l_status read_and_write(f2l_net *net)
{
    f2l_error err = {0};
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_status status = f2l_wired_read(net, SAMPLE_WIRED, strlen(SAMPLE_WIRED), &err);
    if (status == F2L_OK) status = f2l_wired_write(&out, net, &err);
    if (status == F2L_ENOMEM) cr_assert_str_eq(err.text, "out of memory");
    f2l_buf_clear(&out);
    return status;
}

static void fail_everywhere(f2l_status (*work)(f2l_net *), size_t least)
{
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_net net;
        f2l_net_init(&net);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = work(&net);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
        f2l_net_clear(&net);
    }
    cr_assert(failures >= least, "%zu", failures);
}

Test(wired, survives_every_failed_allocation)
{
    fail_everywhere(build, 15);
    fail_everywhere(read_and_write, 100);
}
#endif
