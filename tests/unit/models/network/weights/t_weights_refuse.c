#include "models/network/weights/weights.h"
#include "numeric/base/mem.h"
#include "tests/support/models/weights_support.h"
#include <jansson.h>

/* Makes a network of one letter whose dense keys would take 2 * 700 * 50,000 bytes. */
static void large_net(f2l_net *net)
{
    sample_read(net, SAMPLE_PARITY);
    f2l_head *head = &net->layer[0].head[0];
    head->n = 50000;
    cr_assert(f2l_transition_set_factors(&head->letter[1], 700, NULL) == F2L_OK);
    for (uint32_t i = 0; i < 700; i++) {
        f2l_factor *factor = &head->letter[1].factor[i];
        mpq_set_ui(factor->beta, 2, 1);
        for (uint32_t k = 0; k < 4 && (i % 2 == 0 || k < 1); k++)
            sample_push(&factor->u, 71 * i + k, k % 2 ? -1 : 1, 1);
        if (i == 5) sample_push(&factor->c, 0, 3, 4);
    }
    sample_push(&head->letter[0].bias, 17, 5, 4), sample_push(&head->letter[0].bias, 49999, -1, 1);
    sample_push(&head->letter[1].bias, 3, 1, 2);
}

Test(weights_refuse, large_networks_are_written_sparsely)
{
    f2l_net net;
    large_net(&net);
    weights w = written(&net);
    cr_assert(w.report.sparse && w.report.exact && strcmp(w.report.dtype, "BF16") == 0 &&
              w.bytes.size < 200000);
    expect_layout(&w);
    cr_assert(tensor_of(&w, 0, 0, "key") == NULL && tensor_of(&w, 0, 0, "value") == NULL);
    json_t *bias_index = tensor_of(&w, 0, 0, "bias_index"),
           *bias = tensor_of(&w, 0, 0, "bias_value");
    cr_assert(tensor_of(&w, 0, 0, "bias") == NULL && dim(bias_index, 0) == 2 &&
              dim(bias_index, 1) == 2);
    static const double at[] = {17, 49999, 3, -1}, of[] = {1.25, -1, 0.5, 0};
    for (size_t i = 0; i < 4; i++)
        cr_assert(number(&w, bias_index, i) == at[i] && number(&w, bias, i) == of[i]);
    json_t *index = tensor_of(&w, 0, 0, "key_index"), *key = tensor_of(&w, 0, 0, "key_value");
    json_t *value_index = tensor_of(&w, 0, 0, "value_index"),
           *value = tensor_of(&w, 0, 0, "value_value");
    cr_assert(dim(index, 0) == 2 && dim(index, 1) == 700 && dim(index, 2) == 4 &&
              dim(value, 2) == 1);
    cr_assert_str_eq(json_string_value(json_object_get(index, "dtype")), "I32");
    for (size_t i = 0; i < 700; i++) {
        for (size_t k = 0; k < 4; k++) {
            bool stored = i % 2 == 0 || k < 1;
            /* letter 1 has no factor */
            cr_assert(number(&w, index, i * 4 + k) == -1 && number(&w, key, i * 4 + k) == 0);
            cr_assert(number(&w, index, (700 + i) * 4 + k) == (stored ? (double)(71 * i + k) : -1));
            double expected = !stored ? 0 : i % 2 ? 1 : k % 2 ? -0.5 : 0.5;
            cr_assert(number(&w, key, (700 + i) * 4 + k) == expected);
        }
        cr_assert(number(&w, value_index, 700 + i) == (i == 5 ? 0 : -1));
        cr_assert(number(&w, value, 700 + i) == (i == 5 ? 0.75 : 0));
    }
    weights_free(&w);
    f2l_net_clear(&net);
}

Test(weights_refuse, refuses_what_does_not_belong_together)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf out;
    f2l_weights_report report;
    f2l_error err = {0};
    f2l_buf_init(&out);
    sample_read(&net, SAMPLE_PARITY);
    automaton_with(&fsa, &net.letters);
    sample_name(&fsa.letters, "2");
    cr_assert(f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, &err) == F2L_EDOMAIN &&
              strstr(err.text, "letters") != NULL);
    f2l_fsa_clear(&fsa);
    automaton_with(&fsa, &net.letters);
    mpq_mul_2exp(net.layer[0].head[0].initial.value[0], net.layer[0].head[0].initial.value[0],
                 1024);
    cr_assert(f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, &err) == F2L_EDOMAIN &&
              strstr(err.text, "too large") != NULL);
    mpq_set_ui(net.layer[0].head[0].letter[0].gate, 2, 1);
    cr_assert(f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, &err) == F2L_EDOMAIN &&
              strstr(err.text, "gate") != NULL);
    f2l_fsa_clear(&fsa);
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
}

/* The file names all letters and the class of each; its tensors have a row for each class. */
Test(weights_refuse, classes_of_letters_are_listed)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf out, merged;
    f2l_weights_report report;
    sample_read(&net, SAMPLE_EDGES);
    f2l_fsa_init(&fsa);
    f2l_buf_init(&out);
    f2l_buf_init(&merged);
    cr_assert_eq(f2l_names_copy(&fsa.letters, &net.letters, NULL), F2L_OK);
    cr_assert_eq(f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL), F2L_OK);
    const char *about = out.data + 8; /* behind the size of the header */
    cr_expect(strstr(about, "\"letter_classes\":\"[0,0,1]\",\"letters\":"), "%.300s", about);
    cr_expect(strstr(about, "\"schema\":\"2\""), "%.300s", about);
    cr_assert_eq(f2l_letter_classes_merge(&net.letters, &net.classes, NULL), F2L_OK);
    cr_expect_eq(f2l_weights_write(&merged, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL),
                 F2L_EDOMAIN);
    f2l_names_clear(&fsa.letters);
    cr_assert_eq(f2l_names_copy(&fsa.letters, &net.letters, NULL), F2L_OK);
    cr_assert_eq(f2l_weights_write(&merged, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL), F2L_OK);
    cr_expect(strstr(merged.data + 8, "\"schema\":\"1\"") &&
              !strstr(merged.data + 8, "letter_classes"));
    f2l_buf_clear(&out);
    f2l_buf_clear(&merged);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(weights_refuse, survives_every_failed_allocation)
{
    f2l_net net;
    f2l_fsa fsa;
    sample_s3_layers(&net);
    automaton_with(&fsa, &net.letters);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_buf out;
        f2l_weights_report report;
        f2l_buf_init(&out);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
        f2l_buf_clear(&out);
    }
    cr_assert(failures > 8);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}
#endif
