#include "models/network/exact/run_exact.h"
#include "models/network/net/head_field.h"
#include "models/network/schedule/schedule.h"
#include "tests/support/models/net_support.h"

Test(net, reads_what_it_says)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    cr_assert(net.layers == 1 && net.start == 2 && net.label == F2L_LABEL_OUTPUTS);
    cr_assert_str_eq(net.fsa_sha256, SAMPLE_SHA);
    cr_assert_str_eq(f2l_names_get(&net.letters, 1), "go left");
    cr_assert(net.labels.count == 4 && f2l_names_find(&net.labels, "R0", 2) == 2);
    const f2l_layer *layer = &net.layer[0];
    cr_assert(layer->letters == 3 && layer->heads == 2 && layer->codes == 4 &&
              layer->symbols == 4 && !layer->by_letter);
    const f2l_head *head = &layer->head[1];
    cr_assert(head->n == 2 && head->d == 2 && head->initial.count == 4 &&
              head->initial.index[3] == 3);
    cr_assert(mpq_cmp_si(head->initial.value[3], -3, 2) == 0);
    const f2l_factor *factor = &head->letter[1].factor[0];
    cr_assert(head->letter[1].factors == 1 && mpq_cmp_ui(factor->beta, 2, 1) == 0 &&
              factor->c.count == 0);
    cr_assert(factor->u.count == 2 && factor->u.index[1] == 1 &&
              mpq_cmp_ui(factor->u.value[1], 4, 1) == 0);
    cr_assert(mpq_sgn(layer->head[0].letter[1].gate) == 0 &&
              layer->head[0].letter[1].factor[0].c.count == 1);
    cr_assert(layer->code[2 * 2].count == 0 && layer->code[1 * 2 + 1].count == 4);
    cr_assert(layer->symbol[3] == 3);
    f2l_net_clear(&net);
    f2l_net_clear(&net);
}

/* A raw head has the eigenvalue 1 - beta u^T u, any other 1 - beta. */
Test(net, reflects_where_an_eigenvalue_is_negative)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_factor *factor = &net.layer[0].head[1].letter[1].factor[0];
    cr_assert(f2l_net_reflects(&net));
    for (size_t h = 0; h < net.layer[0].heads; h++)
        for (size_t x = 0; x < net.layer[0].letters; x++)
            for (size_t j = 0; j < net.layer[0].head[h].letter[x].factors; j++)
                mpq_set_ui(net.layer[0].head[h].letter[x].factor[j].beta, 1, 1);
    cr_assert(!f2l_net_reflects(&net));
    net.layer[0].head[1].raw = true;
    cr_assert(f2l_net_reflects(&net)); /* |u|^2 is more than 1 */
    mpq_set_ui(factor->beta, 0, 1);
    f2l_net_clear(&net);
}

Test(net, classes_of_letters_and_labels_of_edges)
{
    f2l_net net;
    f2l_buf out;
    sample_read(&net, SAMPLE_EDGES);
    cr_assert(net.label == F2L_LABEL_EDGES && net.start == F2L_NO_INDEX && net.classes.count == 2);
    cr_assert(net.classes.of[0] == 0 && net.classes.of[1] == 0 && net.classes.of[2] == 1);
    f2l_buf_init(&out);
    net.start = 0; /* the empty word has no label */
    cr_expect_eq(f2l_net_write(&out, &net, NULL), F2L_EDOMAIN);
    net.start = F2L_NO_INDEX;
    net.label = F2L_LABEL_STATES;
    cr_expect_eq(f2l_net_write(&out, &net, NULL), F2L_EDOMAIN);
    net.label = F2L_LABEL_EDGES;
    net.classes.of[0] = 1; /* not in the order of first letters */
    cr_expect_eq(f2l_net_write(&out, &net, NULL), F2L_EDOMAIN);
    net.classes.of[0] = 0;
    net.classes.of[2] = 0; /* one class has no letter */
    cr_expect_eq(f2l_net_write(&out, &net, NULL), F2L_EDOMAIN);
    net.classes.of[2] = 1;
    cr_assert_eq(f2l_letter_classes_merge(&net.letters, &net.classes, NULL), F2L_OK);
    cr_assert(net.classes.of == NULL && net.letters.count == 2);
    cr_assert_str_eq(f2l_names_get(&net.letters, 1), "c");
    cr_expect_eq(f2l_net_write(&out, &net, NULL), F2L_OK);
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
}

Test(net, writes_what_it_read)
{
    const char *const samples[] = {SAMPLE_PARITY, SAMPLE_FLIPFLOP, SAMPLE_PARTS,
                                   SAMPLE_FIELD,  SAMPLE_RAW,      SAMPLE_EDGES};
    for (size_t i = 0; i < 6; i++) {
        f2l_net net;
        sample_read(&net, samples[i]);
        char *text = text_of(&net);
        cr_assert_str_eq(text, samples[i]);
        free(text);
        f2l_net_clear(&net);
    }
}

Test(net, random_networks_survive_writing_and_reading)
{
    const sample_shape shapes[] = {{3, 3, 10, 5, 3, 4, 6, false, 1000000000000000000ul},
                                   {1, 1, 2, 1, 1, 1, 1, true, 9}};
    f2l_rng rng;
    f2l_rng_init(&rng, 71, 0);
    for (size_t i = 0; i < 200; i++) {
        f2l_net net, again;
        sample_random(&net, &rng, &shapes[i % 2]);
        if (i % 3 == 0) sample_make_raw(&net, &rng, &shapes[i % 2]);
        char *text = text_of(&net);
        sample_read(&again, text);
        cr_assert(f2l_net_validate(&again, NULL) == F2L_OK, "seed 71, network %zu", i);
        char *second = text_of(&again);
        cr_assert_str_eq(second, text, "seed 71, network %zu", i);
        free(text);
        free(second);
        f2l_net_clear(&net);
        f2l_net_clear(&again);
    }
}

Test(net, random_part_decoders_survive)
{
    const sample_shape shape = {3, 2, 10, 4, 2, 2, 6, true, 9};
    f2l_rng rng;
    f2l_rng_init(&rng, 73, 0);
    for (size_t i = 0; i < 200; i++) {
        f2l_net net, again;
        sample_random(&net, &rng, &shape);
        for (size_t l = 0; l < net.layers; l++)
            if (!net.layer[l].by_letter) sample_parts(&net.layer[l], &rng);
        char *text = text_of(&net);
        sample_read(&again, text);
        char *second = text_of(&again);
        cr_assert_str_eq(second, text, "seed 73, network %zu", i);
        for (size_t l = 0; l < net.layers; l++) {
            const f2l_layer *a = &net.layer[l], *b = &again.layer[l];
            for (size_t k = 0; k < a->letters * a->codes; k++)
                cr_assert_eq(f2l_layer_symbol(a, k / a->codes, k % a->codes),
                             f2l_layer_symbol(b, k / a->codes, k % a->codes));
        }
        free(text);
        free(second);
        f2l_net_clear(&net);
        f2l_net_clear(&again);
    }
}

/* A part decoder gives the part that the letter asks for, exactly and in bf16, against the letters
 * themselves. */
Test(net, a_part_decoder_gives_what_the_letter_asks_for)
{
    f2l_net net;
    f2l_exact *exact;
    f2l_float_net *rounded;
    f2l_rng rng;
    double numbers[4];
    size_t joint, label, last = 0;
    f2l_rng_init(&rng, 74, 0);
    sample_read(&net, SAMPLE_PARTS);
    cr_assert(net.layer[0].parts == 2 && net.layer[0].part_values[1] == 3 &&
              net.layer[0].symbol_at[3] == 8);
    cr_assert(f2l_layer_symbol(&net.layer[0], 0, 1) == 1 &&
              f2l_layer_symbol(&net.layer[0], 2, 1) == 0);
    cr_assert(f2l_exact_new(&exact, &net, NULL) == F2L_OK &&
              f2l_exact_start(exact, &joint, NULL) == F2L_OK);
    cr_assert(f2l_float_net_new(&rounded, &net, f2l_format_find("bf16"), f2l_schedule_find("every"),
                                NULL) == F2L_OK);
    f2l_float_start(rounded, numbers);
    for (size_t t = 0; t < 1000; t++) {
        size_t letter = f2l_rng_below(&rng, 3);
        uint32_t got;
        cr_assert(f2l_exact_step(exact, &joint, letter, &label, NULL, NULL) == F2L_OK);
        cr_assert(f2l_float_step(rounded, numbers, letter, &got, NULL) == F2L_OK && got == label);
        cr_assert_eq(label, last, "seed 74, letter %zu", t);
        if (letter < 2) last = letter;
    }
    f2l_exact_free(exact);
    f2l_float_net_free(rounded);
    f2l_net_clear(&net);
}

Test(net, two_layers_with_a_step_decoder_survive)
{
    f2l_net net, again;
    sample_s3_layers(&net);
    char *text = text_of(&net);
    cr_assert(strstr(text, "\n"
                           "yield 1 2 2\n") != NULL &&
              strstr(text, "\ncode 2 * 1.1:-1\n") != NULL);
    sample_read(&again, text);
    cr_assert(again.layers == 2 && again.layer[1].letters == 12 && again.layer[1].by_letter);
    cr_assert(memcmp(again.layer[1].symbol, net.layer[1].symbol, 72 * sizeof(uint32_t)) == 0);
    f2l_net_size size;
    f2l_net_measure(&size, &again);
    cr_assert(size.layers == 2 && size.heads == 1 && size.householders == 1 && size.key_dim == 4);
    cr_assert(size.value_dim == 1 && size.states == 5 && size.codes == 6 &&
              size.factors_per_token == 2);
    free(text);
    f2l_net_clear(&net);
    f2l_net_clear(&again);
}

Test(net, measures_heads_together)
{
    f2l_net net;
    f2l_net_size size;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_net_measure(&size, &net);
    cr_assert(size.heads == 2 && size.householders == 1 && size.key_dim == 2 &&
              size.value_dim == 2);
    cr_assert(size.states == 5 && size.codes == 4 && size.factors_per_token == 2);
    cr_assert_eq(size.parameters, 3 * (1 + 1 + 1 + 1) + 3 * (1 + 2 + 2) + 5);
    f2l_net_clear(&net);
}

Test(net, reads_fields_and_forms)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FIELD);
    const f2l_head *head = &net.layer[0].head[0], *other = &net.layer[0].head[1];
    cr_assert(head->field && head->field->degree == 2 && !other->field);
    cr_assert(f2l_head_degree(head) == 2 && f2l_head_degree(other) == 1 &&
              !f2l_head_is_plain(other));
    static const uint32_t places[] = {0, 3, 5, 6};
    cr_assert_eq(head->form.count, 4);
    for (size_t i = 0; i < 4; i++) cr_assert_eq(head->form.index[i], places[i]);
    cr_assert(other->form.count == 4 && mpq_cmp_si(other->form.value[2], -1, 1) == 0);
    const f2l_factor *factor = &head->letter[0].factor[1];
    cr_assert(factor->u.count == 2 && factor->u.index[0] == 2 && factor->u.index[1] == 3);
    cr_assert(mpq_cmp_si(factor->u.value[1], -3, 1) == 0 && factor->c.count == 1 &&
              factor->c.index[0] == 1);
    cr_assert(net.layer[0].code[2].count == 2 && net.layer[0].code[2].index[0] == 2);
    f2l_net_size size;
    f2l_net_measure(&size, &net);
    cr_assert(size.key_dim == 2 && size.states == 6 && size.householders == 2);
    f2l_net_clear(&net);
}

/* A head whose form a builder set to the identity is written and read again without a form. */
Test(net, the_identity_is_no_form)
{
    f2l_net net, again;
    f2l_matrix one;
    sample_read(&net, SAMPLE_FIELD);
    f2l_head *head = &net.layer[0].head[0];
    cr_assert(f2l_matrix_init(&one, 2, 2, NULL) == F2L_OK);
    f2l_matrix_one(&one);
    cr_assert(f2l_head_set_form(head, &one, NULL) == F2L_OK && head->form.count == 0);
    sample_push(&head->form, 0, 1, 1), sample_push(&head->form, 6, 1, 1);
    cr_assert(f2l_net_validate(&net, NULL) == F2L_OK);
    char *text = text_of(&net);
    cr_assert(strstr(text, "interval 0 1\ninitial") != NULL);
    sample_read(&again, text);
    cr_assert(again.layer[0].head[0].form.count == 0);
    f2l_matrix_clear(&one);
    cr_assert(f2l_matrix_init(&one, 3, 3, NULL) == F2L_OK);
    cr_assert(f2l_head_set_form(head, &one, NULL) == F2L_EDOMAIN && head->form.count == 2);
    f2l_matrix_clear(&one);
    free(text);
    f2l_net_clear(&net);
    f2l_net_clear(&again);
}

Test(net, setting_parts_again_replaces_them)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_layer *layer = &net.layer[0];
    cr_assert(f2l_transition_set_factors(&layer->head[1].letter[1], 3, NULL) == F2L_OK);
    cr_assert(layer->head[1].letter[1].factor[2].u.count == 0 &&
              mpq_sgn(layer->head[1].letter[1].factor[0].beta) == 0);
    cr_assert(f2l_layer_set_codes(layer, 7, 4, true, NULL) == F2L_OK);
    cr_assert(layer->symbol[20] == F2L_NO_SYMBOL && layer->code[13].count == 0);
    cr_assert(f2l_layer_set_codes(layer, 5, 4, false, NULL) == F2L_OK);
    cr_assert(f2l_layer_set_parts(layer, 1, (size_t[]){9}, (uint32_t[]){0, 0, 0}, NULL) == F2L_OK);
    cr_assert(f2l_layer_set_parts(layer, 2, (size_t[]){3, 7}, (uint32_t[]){1, 0, 1}, NULL) ==
              F2L_OK);
    cr_assert(layer->parts == 2 && layer->symbol_at[1] == 7 && layer->symbol_at[3] == 17 &&
              layer->part[9] == 0);
    cr_assert(f2l_layer_symbol(layer, 2, 4) == F2L_NO_SYMBOL && layer->symbol[16] == F2L_NO_SYMBOL);
    cr_assert(f2l_layer_set_codes(layer, 5, 4, false, NULL) == F2L_OK && layer->parts == 0 &&
              layer->part == NULL);
    cr_assert(f2l_layer_set_heads(layer, 2, 1, NULL) == F2L_OK);
    cr_assert(layer->codes == 0 && layer->letters == 2 &&
              mpq_cmp_ui(layer->head[0].letter[1].gate, 1, 1) == 0);
    cr_assert(f2l_net_set_layers(&net, 2, NULL) == F2L_OK && net.layer[1].heads == 0);
    f2l_net_clear(&net);
}
