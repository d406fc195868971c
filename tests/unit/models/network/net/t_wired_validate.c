#include "models/network/net/head_field.h"
#include "tests/support/models/wired_samples.h"
#include "tests/support/models/wired_text_support.h"

static void expect_refusal(f2l_net *net, const char *says)
{
    f2l_error err = {0};
    f2l_buf out;
    f2l_buf_init(&out);
    cr_expect(f2l_wired_validate(net, &err) == F2L_EDOMAIN && strstr(err.text, says) != NULL,
              "%s: %s", says, err.text);
    cr_expect(f2l_wired_write(&out, net, NULL) == F2L_EDOMAIN, "%s", says);
    f2l_buf_clear(&out);
}

/* Checks that a change of `place` is refused, undoes it, and checks that the network is valid
 * again. */
#define REFUSED(place, value, says) \
    do { \
        __typeof__(place) kept = (place); \
        (place) = (value); \
        expect_refusal(&net, says); \
        (place) = kept; \
        cr_expect(f2l_wired_validate(&net, NULL) == F2L_OK, "%s", says); \
    } while (0)

Test(wired_validate, refuses_tables_and_wiring)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    f2l_wired_block *block = &net.block[1];
    REFUSED(net.letters.count, 0, "no letters");
    REFUSED(net.start, 4, "empty word is not one of 4");
    REFUSED(net.stages, 0, "no stages");
    REFUSED(net.layers, 1, "layers beside its stages");
    f2l_buf out;
    f2l_buf_init(&out);
    cr_expect(f2l_net_validate(&net, NULL) == F2L_OK &&
              f2l_net_write(&out, &net, NULL) == F2L_EDOMAIN);
    f2l_buf_clear(&out);
    REFUSED(net.table[1].size[0], 0, "table 2: input 1 has no values");
    REFUSED(net.table[1].size[0], (size_t)UINT32_MAX, "table 2: input 1 has no values or too many");
    REFUSED(net.table[1].size[0], F2L_MAX_TABLE + 1, "table 2 has more than");
    REFUSED(net.table[2].entries, 5, "table 3 has 5 entries for 6 arguments");
    REFUSED(net.table[1].values, 0, "table 2 gives no values");
    REFUSED(net.table[1].values, (size_t)UINT32_MAX, "table 2 gives no values or too many");
    REFUSED(net.table[3].value[7], 4, "table 4, entry 8: value 5 is not one of 4");
    REFUSED(block->inputs, 0, "block 2 has no inputs");
    REFUSED(block->input_size[1], 0, "block 2: input 2 has no values");
    REFUSED(block->input_size[1], SIZE_MAX, "block 2: input 2 has no values or too many");
    REFUSED(block->pre[0].table, 5, "block 2, pre gate 1: table 6 is not one of 5");
    REFUSED(block->pre[0].wire[0], 2, "block 2, pre gate 1: it gives wire 3 and reads wire 3");
    REFUSED(block->pre[0].wire[0], 1,
            "block 2, pre gate 1: wire 2 has 4 values, and table 2 wants 3");
    REFUSED(block->post[0].table, 5, "block 2, post gate 1: table 6");
    REFUSED(block->post[1].wire[1], 7, "block 2, post gate 2: it gives wire 8 and reads wire 8");
    REFUSED(block->post[0].wire[1], 0,
            "block 2, post gate 1: wire 1 has 3 values, and table 3 "
            "wants 2");
    REFUSED(block->output[1], 8, "block 2, output 2: wire 9 is not one of 8");
    REFUSED(net.block[2].outputs, 0, "block 3 has no outputs");
    REFUSED(block->posts, (size_t)UINT32_MAX, "block 2 has too many wires");
    f2l_net_clear(&net);
}

/* Layers may have fields and forms (models/network/net/net.h), wired networks may have neither, in
 * memory or in files. */
Test(wired_validate, refuses_fields_and_forms)
{
    f2l_net net;
    f2l_field field;
    f2l_error err;
    wired_read(&net, SAMPLE_WIRED);
    f2l_head *head = &net.block[1].head[0].head;
    f2l_field_init(&field);
    cr_assert(f2l_field_read(&field, "-2 0 1 interval 1 2", 19, NULL) == F2L_OK);
    cr_assert(f2l_head_set_field(head, &field, NULL) == F2L_OK);
    expect_refusal(&net, "block 2, head 1: heads of wired networks have neither a field nor a "
                         "form");
    f2l_field_clear(&field);
    f2l_field_init(&field);
    cr_assert(f2l_head_set_field(head, &field, NULL) == F2L_OK && head->field == NULL);
    cr_assert(f2l_wired_validate(&net, NULL) == F2L_OK);
    cr_assert(f2l_qvec_push_si(&head->form, 0, 2, 1, NULL) == F2L_OK);
    expect_refusal(&net, "neither a field nor a form");
    f2l_field_clear(&field);
    f2l_net_clear(&net);
    char *text = sample_edited(SAMPLE_WIRED, "slot 1", "form 1.1:2\nslot 1");
    cr_assert(wired_read_status(text, strlen(text), &err) == F2L_EFORMAT);
    free(text);
}

Test(wired_validate, refuses_raw_heads_and_biases)
{
    f2l_net net;
    f2l_error err;
    wired_read(&net, SAMPLE_WIRED);
    f2l_head *head = &net.block[1].head[0].head;
    REFUSED(head->raw, true, "block 2, head 1: heads of wired networks are not raw");
    cr_assert(f2l_qvec_push_si(&head->letter[3].bias, 0, 1, 1, NULL) == F2L_OK);
    expect_refusal(&net, "block 2, head 1, slot 2, value 1: wired networks have no biases");
    f2l_net_clear(&net);
    char *text = sample_edited(SAMPLE_WIRED, "slot 1", "raw\nslot 1");
    cr_assert(wired_read_status(text, strlen(text), &err) == F2L_EFORMAT);
    free(text);
    text = sample_edited(SAMPLE_WIRED, " factors 0\n", " factors 0 bias 1.1:1\n");
    cr_assert(wired_read_status(text, strlen(text), &err) == F2L_EFORMAT);
    free(text);
}

Test(wired_validate, refuses_heads_and_readouts)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    f2l_wired_block *block = &net.block[1];
    f2l_wired_head *head = &block->head[0];
    f2l_factor *factor = &head->head.letter[4].factor[0];
    REFUSED(head->head.n, 0, "block 2, head 1: a state of 0 x 1 numbers");
    REFUSED(head->head.n, F2L_MAX_STATE + 1, "block 2, head 1: a state of");
    REFUSED(head->head.d, 0, "block 2, head 1: a state of 2 x 0");
    REFUSED(head->head.initial, net.stage[1].initial[0], "block 2, head 1 has an initial state");
    REFUSED(head->slots, 0, "block 2, head 1 has no slots");
    REFUSED(head->wire[1], 3, "block 2, head 1, slot 2: wire 4 is neither");
    REFUSED(head->wire[1], 0, "block 2, head 1, slot 2: 2 transitions for a wire of 3 values");
    mpq_set_si(factor->beta, 9, 4);
    expect_refusal(&net, "block 2, head 1, slot 2, value 2, factor 1: beta");
    mpq_set_si(factor->beta, 1, 1);
    mpq_set_si(head->head.letter[3].gate, -1, 1);
    expect_refusal(&net, "block 2, head 1, slot 2, value 1: the gate");
    mpq_set_si(head->head.letter[3].gate, 1, 1);
    REFUSED(factor->u.count, 0, "factor 1: the key is zero");
    REFUSED(factor->u.index[0], 2, "factor 1: the key is not a vector of the key dimension");
    REFUSED(factor->c.index[0], 1, "factor 1: the value is not");
    REFUSED(block->readout[0].head, 1, "block 2, readout 1 does not continue");
    REFUSED(block->readout[1].row, 0, "block 2, readout 2 does not continue");
    REFUSED(block->readout[1].rows, 0, "block 2, readout 2 does not continue");
    REFUSED(block->readout[1].rows, 2, "block 2, readout 2 does not continue");
    REFUSED(block->readout[0].rows, 2, "block 2, readout 2 does not continue");
    REFUSED(block->readouts, 2, "block 2: no readout reads row 1 of head 2");
    REFUSED(block->readout[1].codes, 0, "block 2, readout 2: 0 codes");
    REFUSED(block->readout[1].codes, F2L_MAX_TABLE + 1, "block 2, readout 2: 268435457 codes");
    REFUSED(block->readout[1].code[1].index[0], 1, "block 2, readout 2, code 2: it does not fit");
    REFUSED(block->readout[1].code[0], block->readout[1].code[1],
            "block 2, readout 2: codes 1 and 2 are equal");
    REFUSED(block->readout[0].codes, 1,
            "block 2, post gate 1: wire 4 has 1 values, and table 3 "
            "wants 2");
    f2l_net_clear(&net);
}

Test(wired_validate, refuses_stages)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    REFUSED(net.stage[1].block, 3, "stage 2: block 4 is not one of 3");
    REFUSED(net.stage[1].block, 0, "stage 2 has 2 initial states for 0 heads");
    REFUSED(net.stage[0].block, 2, "stage 1 takes 2 wires but is given 1");
    REFUSED(net.block[0].output[0], 1, "stage 2: input 1 has 3 values but is given 4");
    REFUSED(net.block[0].input_size[0], 4, "stage 1: input 1 has 4 values but is given 3");
    REFUSED(net.stage[2].initial[0].index[0], 2, "stage 3, head 1: the initial state does not fit");
    REFUSED(net.block[2].output[0], 0, "the last stage does not give one wire with the 4 labels");
    REFUSED(net.stages, 3, "the last stage does not give one wire");
    f2l_net_clear(&net);
}

/* Readouts beyond the last head's last row are refused, also in a block without heads. */
Test(wired_validate, refuses_readouts_without_heads)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    cr_assert(f2l_wired_block_set(&net.block[0], 0, 0, 1, 0, 2, NULL) == F2L_OK);
    cr_assert(f2l_wired_readout_set(&net.block[0].readout[0], 0, 0, 1, 1, NULL) == F2L_OK);
    expect_refusal(&net, "block 1, readout 1 does not continue");
    f2l_net_clear(&net);
}
