#include "tests/support/models/weights_support.h"
#include <jansson.h>
#include <math.h>

static void expect_all(const f2l_net *net, const char *dtype, const char *format, bool exact)
{
    weights w = written(net);
    cr_assert_str_eq(w.report.dtype, dtype);
    cr_assert(w.report.exact == exact && !w.report.sparse);
    cr_assert_str_eq(metadata(&w, "format"), format);
    cr_assert_str_eq(metadata(&w, "rounding"), exact ? "exact" : "f64");
    cr_assert_str_eq(metadata(&w, "schema"), "1");
    cr_assert_str_eq(metadata(&w, "fsa_sha256"), net->fsa_sha256);
    cr_assert_str_eq(metadata(&w, "label"), f2l_label_name(net->label));
    cr_assert_str_eq(metadata(&w, "tool"), "fsa2lrnn");
    expect_layout(&w);
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++) expect_head(&w, net, l, h);
    for (size_t l = 0; l < net->layers; l++) expect_decoder(&w, net, l);
    weights_free(&w);
}

Test(weights, dyadic_networks_are_bf16)
{
    f2l_net net;
    sample_read(&net, SAMPLE_PARITY);
    expect_all(&net, "BF16", "bf16", true);
    f2l_net_clear(&net);
    sample_s3_layers(&net);
    expect_all(&net, "BF16", "bf16", true);
    f2l_net_clear(&net);
}

Test(weights, keys_that_are_no_binary_numbers_are_rounded_to_f64)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP); /* 3/5, 4/5 */
    expect_all(&net, "F64", "fp64", false);
    f2l_net_clear(&net);
    sample_read(&net, SAMPLE_PARITY);
    f2l_factor *factor = &net.layer[0].head[0].letter[1].factor[0];
    net.layer[0].head[0].n = 2;
    sample_push(&factor->u, 1, -1, 1); /* 1/sqrt 2 */
    expect_all(&net, "F64", "fp64", false);
    f2l_net_clear(&net);
}

Test(weights, takes_the_narrowest_type_that_is_exact)
{
    static const struct {
        long numerator;
        unsigned shift; /* numerator 2^-shift */
        const char *dtype, *format;
        bool exact;
    } cases[] = {{257, 0, "F16", "fp16", true},
                 {65504, 0, "F16", "fp16", true},
                 {1, 24, "BF16", "bf16", true},
                 {1023, 24, "F16", "fp16", true},
                 {-1025, 10, "F16", "fp16", true},
                 {1, 133, "BF16", "bf16", true},
                 {65537, 0, "F32", "fp32", true},
                 {2049, 0, "F32", "fp32", true},
                 {2049, 25, "F32", "fp32", true},
                 {-16777215, 30, "F32", "fp32", true},
                 {16777217, 0, "F64", "fp64", true},
                 {1, 150, "F64", "fp64", true},
                 {1, 149, "F32", "fp32", true},
                 {1099511627777, 40, "F64", "fp64", true},
                 {-9007199254740991, 9, "F64", "fp64", true},
                 {9007199254740993, 0, "F64", "fp64", false},
                 {1, 1074, "F64", "fp64", true},
                 {1, 1075, "F64", "fp64", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_net net;
        sample_read(&net, SAMPLE_PARITY);
        mpq_ptr initial = net.layer[0].head[0].initial.value[0];
        mpq_set_si(initial, cases[i].numerator, 1);
        mpq_div_2exp(initial, initial, cases[i].shift);
        weights w = written(&net);
        cr_expect(strcmp(w.report.dtype, cases[i].dtype) == 0 && w.report.exact == cases[i].exact,
                  "%ld 2^-%u: %s, exact %d", cases[i].numerator, cases[i].shift, w.report.dtype,
                  w.report.exact);
        cr_expect_str_eq(metadata(&w, "format"), cases[i].format);
        if (cases[i].exact)
            cr_expect(number(&w, tensor_of(&w, 0, 0, "initial"), 0) ==
                          ldexp((double)cases[i].numerator, -(int)cases[i].shift),
                      "%ld 2^-%u", cases[i].numerator, cases[i].shift);
        weights_free(&w);
        f2l_net_clear(&net);
    }
}

Test(weights, random_networks_are_written_whole)
{
    const sample_shape dyadic = {2, 3, 4, 6, 3, 3, 3, true, 6},
                       other = {2, 2, 4, 5, 3, 3, 3, false, 9};
    f2l_rng rng;
    f2l_rng_init(&rng, 95, 0);
    for (size_t n = 0; n < 60; n++) {
        f2l_net net;
        sample_random(&net, &rng, n % 2 ? &other : &dyadic);
        if (n % 3 == 0) sample_make_raw(&net, &rng, n % 2 ? &other : &dyadic);
        weights w = written(&net);
        cr_assert(n % 2 || (w.report.exact && strcmp(w.report.dtype, "BF16") == 0),
                  "seed 95, network %zu", n);
        expect_layout(&w);
        for (size_t l = 0; l < net.layers; l++)
            for (size_t h = 0; h < net.layer[l].heads; h++) expect_head(&w, &net, l, h);
        for (size_t l = 0; l < net.layers; l++) expect_decoder(&w, &net, l);
        weights_free(&w);
        f2l_net_clear(&net);
    }
}

Test(weights, raw_heads_are_named)
{
    f2l_net net;
    sample_read(&net, SAMPLE_RAW);
    expect_all(&net, "BF16", "bf16", true);
    weights w = written(&net);
    cr_assert_str_eq(metadata(&w, "raw"), "[\"layers.0.heads.0\"]");
    cr_assert(number(&w, tensor_of(&w, 0, 0, "key"), 1) == 2 &&
              number(&w, tensor_of(&w, 0, 0, "value"), 1) == 1);
    weights_free(&w);
    net.layer[0].head[0].raw = false;
    w = written(&net);
    cr_assert(json_object_get(json_object_get(w.header, "__metadata__"), "raw") == NULL);
    cr_assert(number(&w, tensor_of(&w, 0, 0, "key"), 1) == 1);
    weights_free(&w);
    f2l_net_clear(&net);
}

Test(weights, names_are_json_inside_json)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    weights w = written(&net);
    json_t *letters = json_loads(metadata(&w, "letters"), 0, NULL),
           *states = json_loads(metadata(&w, "states"), 0, NULL);
    cr_assert(json_array_size(letters) == 3 && json_array_size(states) == 2);
    cr_assert_str_eq(json_string_value(json_array_get(letters, 1)), "go left");
    cr_assert_str_eq(json_string_value(json_array_get(states, 0)), "q \"0\"\\");
    cr_assert_str_eq(json_string_value(json_array_get(states, 1)), "\xc3\xa9\n");
    json_decref(letters);
    json_decref(states);
    weights_free(&w);
    f2l_net_clear(&net);
}
