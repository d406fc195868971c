#include "models/network/exact/exact.h"
#include "models/network/net/head_field.h"
#include "tests/support/models/net_support.h"

static void expect_invalid(const f2l_net *net, const char *words)
{
    f2l_error err = {0};
    f2l_buf out;
    f2l_buf_init(&out);
    cr_expect(f2l_net_validate(net, &err) == F2L_EDOMAIN && strstr(err.text, words) != NULL,
              "%s: %s", words, err.text);
    cr_expect(f2l_net_write(&out, net, &err) == F2L_EDOMAIN && out.size == 0);
    f2l_buf_clear(&out);
}

Test(net_validate, says_what_is_wrong)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_layer *layer = &net.layer[0];
    f2l_factor *factor = &layer->head[1].letter[1].factor[0];
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    mpq_set_si(factor->beta, 5, 2);
    expect_invalid(&net, "layer 1, head 2, letter 2, factor 1: beta");
    mpq_set_si(factor->beta, -1, 2);
    expect_invalid(&net, "beta");
    mpq_set_si(factor->beta, 2, 1);
    f2l_qvec u = factor->u;
    f2l_qvec_init(&factor->u);
    expect_invalid(&net, "the key is zero");
    sample_push(&factor->u, 2, 1, 1);
    expect_invalid(&net, "key dimension");
    f2l_qvec_clear(&factor->u);
    factor->u = u;
    sample_push(&factor->c, 2, 1, 1);
    expect_invalid(&net, "value dimension");
    f2l_qvec_clear(&factor->c);
    mpq_set_si(layer->head[0].letter[0].gate, 2, 1);
    expect_invalid(&net, "layer 1, head 1, letter 1: the gate");
    mpq_set_si(layer->head[0].letter[0].gate, 1, 1);
    layer->head[0].n = 0;
    expect_invalid(&net, "layer 1, head 1: a state of 0 x 1");
    layer->head[0].n = F2L_MAX_STATE + 1;
    expect_invalid(&net, "out of range");
    layer->head[0].n = 1;
    layer->symbol[3] = 4;
    expect_invalid(&net, "symbol 5 is not one of 4");
    layer->symbol[3] = F2L_NO_SYMBOL;
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    sample_push(&layer->code[4], 0, 1, 1);
    expect_invalid(&net, "codes 1 and 3 are equal");
    mpq_set_si(layer->code[4].value[0], 0, 1);
    expect_invalid(&net, "code 3");
    f2l_qvec_clear(&layer->code[4]);
    layer->symbols = 5;
    expect_invalid(&net, "5 symbols for 4 labels");
    layer->symbols = 4;
    layer->letters = 2;
    expect_invalid(&net, "reads 2 letters but is given 3");
    layer->letters = 3;
    net.start = 4;
    expect_invalid(&net, "empty word");
    net.start = 0;
    f2l_buf out;
    f2l_buf_init(&out);
    net.fsa_sha256[63] = 'G';
    cr_expect(f2l_net_validate(&net, NULL) == F2L_OK &&
              f2l_net_write(&out, &net, NULL) == F2L_EDOMAIN);
    net.fsa_sha256[63] = '\0';
    cr_expect(f2l_net_write(&out, &net, NULL) == F2L_EDOMAIN && out.size == 0);
    f2l_net_clear(&net);
    expect_invalid(&net, "no layers");
}

Test(net_validate, looks_at_raw_heads_and_biases)
{
    f2l_net net;
    sample_read(&net, SAMPLE_RAW);
    f2l_head *raw = &net.layer[0].head[0], *other = &net.layer[0].head[1];
    f2l_factor *factor = &raw->letter[1].factor[0];
    cr_assert(raw->raw && !other->raw && f2l_net_validate(&net, NULL) == F2L_OK);
    mpq_set_ui(factor->u.value[0], 201, 100);
    expect_invalid(&net, "layer 1, head 1, letter 2, factor 1: beta u^T u");
    mpq_set_si(factor->beta, -1, 8);
    expect_invalid(&net, "factor 1: beta is");
    mpq_set_ui(factor->beta, 32, 1);
    mpq_set_ui(factor->u.value[0], 1, 4);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    raw->raw = false;
    expect_invalid(&net, "factor 1: beta is");
    mpq_set_ui(factor->beta, 1, 2);
    mpq_set_ui(factor->u.value[0], 201, 100);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    mpq_set_ui(factor->u.value[0], 2, 1);
    raw->raw = true;
    sample_push(&other->letter[0].bias, 4, 1, 1);
    expect_invalid(&net, "layer 1, head 2, letter 1: the bias does not fit");
    f2l_qvec_clear(&other->letter[0].bias);
    sample_push(&other->letter[0].bias, 3, 1, 1);
    mpq_set_ui(other->letter[0].bias.value[0], 0, 1);
    expect_invalid(&net, "the bias does not fit");
    mpq_set_ui(other->letter[0].bias.value[0], 5, 1);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    sample_push(&other->form, 0, 2, 1), sample_push(&other->form, 3, 1, 1);
    expect_invalid(&net, "layer 1, head 2, letter 1: a head with a field or a form has no bias");
    f2l_qvec_clear(&other->letter[0].bias);
    f2l_qvec_clear(&other->letter[1].bias);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    other->raw = true;
    expect_invalid(&net, "layer 1, head 2: a raw head has neither");
    f2l_net_clear(&net);
}

static void set_form_entry(f2l_head *head, uint32_t place, long value)
{
    for (size_t i = 0; i < head->form.count; i++)
        if (head->form.index[i] == place) mpq_set_si(head->form.value[i], value, 1);
}

Test(net_validate, looks_at_fields_and_forms)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FIELD);
    f2l_head *head = &net.layer[0].head[0], *other = &net.layer[0].head[1];
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    set_form_entry(other, 1, 1);
    expect_invalid(&net, "layer 1, head 2: the form is not symmetric");
    set_form_entry(other, 2, 1);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    set_form_entry(other, 1, 2), set_form_entry(other, 2, 2);
    expect_invalid(&net, "positive definite");
    set_form_entry(other, 1, -1), set_form_entry(other, 2, -1);
    set_form_entry(head, 0, -2);
    expect_invalid(&net, "layer 1, head 1: the form is not symmetric and positive definite");
    set_form_entry(head, 0, 2);
    sample_push(&other->form, 4, 1, 1);
    expect_invalid(&net, "layer 1, head 2: the form is not a matrix");
    f2l_vector_cut(&other->form, 4);
    sample_push(&head->letter[0].factor[0].u, 4, 1, 1);
    expect_invalid(&net, "layer 1, head 1, letter 1, factor 1: the key is not a vector");
    f2l_vector_cut(&head->letter[0].factor[0].u, 2);
    sample_push(&head->initial, 4, 1, 1);
    expect_invalid(&net, "the initial state");
    f2l_vector_cut(&head->initial, 1);
    const size_t degree = head->field->degree;
    head->field->degree = 1;
    expect_invalid(&net, "a field of degree 1");
    head->field->degree = degree;
    head->n = F2L_MAX_FIELD_KEY + 1;
    expect_invalid(&net, "layer 1, head 1: a state of 257 x 1 numbers is out of range");
    head->n = 2;
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    other->unit = true;
    f2l_buf out;
    f2l_buf_init(&out);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK &&
              f2l_net_write(&out, &net, NULL) == F2L_EDOMAIN);
    other->unit = false;
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
}

Test(net_validate, looks_at_parts)
{
    f2l_net net;
    sample_read(&net, SAMPLE_PARTS);
    f2l_layer *layer = &net.layer[0];
    layer->part[3] = 3;
    expect_invalid(&net, "layer 1, code 2: part 2 has no value 4");
    layer->part[3] = 1;
    layer->part_values[0] = 0;
    expect_invalid(&net, "part 1 with 0 values");
    layer->part_values[0] = F2L_MAX_TABLE + 1;
    expect_invalid(&net, "out of range");
    layer->part_values[0] = 3;
    expect_invalid(&net, "layer 1, letter 3: its row of symbols is out of place");
    layer->part_values[0] = 2;
    layer->reads[0] = 2;
    expect_invalid(&net, "layer 1, letter 1: part 3 is not one of 2");
    layer->reads[0] = 0;
    expect_invalid(&net, "letter 1: its row");
    layer->reads[0] = 1;
    layer->symbol_at[1] = 2;
    expect_invalid(&net, "letter 1: its row");
    layer->symbol_at[1] = 3;
    layer->symbol_at[0] = 1;
    expect_invalid(&net, "letter 1: its row");
    layer->symbol_at[0] = 0;
    layer->symbol[4] = 2;
    expect_invalid(&net, "layer 1, letter 2: symbol 3 is not one of 2");
    layer->symbol[4] = F2L_NO_SYMBOL;
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    layer->by_letter = true;
    expect_invalid(&net, "a step decoder has no parts");
    layer->by_letter = false;
    f2l_qvec_clear(&layer->code[3]);
    cr_assert(f2l_qvec_copy(&layer->code[3], &layer->code[0], NULL) == F2L_OK);
    expect_invalid(&net, "codes 1 and 4 are equal");
    f2l_net_clear(&net);
}
