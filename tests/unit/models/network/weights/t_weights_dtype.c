/* Types that are asked for: numbers are rounded into them once, or refused. */
#include "numeric/format/format.h"
#include "tests/support/models/weights_support.h"

static const struct {
    f2l_weights_dtype dtype;
    const char *name, *lower, *format;
    mpfr_prec_t bits; /* of the significand */
} types[] = {{F2L_WEIGHTS_BF16, "BF16", "bf16", "bf16", 8},
             {F2L_WEIGHTS_F16, "F16", "f16", "fp16", 11},
             {F2L_WEIGHTS_F32, "F32", "f32", "fp32", 24},
             {F2L_WEIGHTS_F64, "F64", "f64", "fp64", 53}};
#define TYPES (sizeof types / sizeof *types)

/* Returns a / sqrt b, rounded once to nearest even; for normal numbers. */
static double rounded(unsigned long a, unsigned long b, mpfr_prec_t bits)
{
    mpfr_t x, y;
    mpfr_init2(y, bits);
    mpfr_init2(x, 400);
    mpfr_set_ui(x, b, MPFR_RNDN);
    mpfr_sqrt(x, x, MPFR_RNDN);
    mpfr_ui_div(y, a, x, MPFR_RNDN);
    const double out = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    return out;
}

Test(weights_dtype, the_names_are_in_order_and_end)
{
    cr_assert_str_eq(f2l_weights_dtype_name(F2L_WEIGHTS_AUTO), "auto");
    for (size_t t = 0; t < TYPES; t++)
        cr_assert_str_eq(f2l_weights_dtype_name(types[t].dtype), types[t].lower);
    cr_assert_null(f2l_weights_dtype_name(F2L_WEIGHTS_F64 + 1));
}

Test(weights_dtype, numbers_that_the_type_holds_are_exact)
{
    f2l_net net;
    sample_s3_layers(&net);
    for (size_t t = 0; t < TYPES; t++) {
        weights w = written_as(&net, types[t].dtype);
        cr_assert_str_eq(w.report.dtype, types[t].name);
        cr_assert_str_eq(metadata(&w, "format"), types[t].format);
        cr_assert_str_eq(metadata(&w, "rounding"), "exact");
        cr_assert(w.report.exact);
        expect_layout(&w);
        for (size_t l = 0; l < net.layers; l++) {
            for (size_t h = 0; h < net.layer[l].heads; h++) expect_head(&w, &net, l, h);
            expect_decoder(&w, &net, l);
        }
        weights_free(&w);
    }
    f2l_net_clear(&net);
}

Test(weights_dtype, other_numbers_are_rounded_once_and_the_file_says_so)
{
    f2l_net net;
    sample_read(&net, SAMPLE_PARITY);
    f2l_factor *factor = &net.layer[0].head[0].letter[1].factor[0];
    net.layer[0].head[0].n = 2;
    sample_push(&factor->u, 1, -1, 1); /* keys 1/sqrt 2 */
    for (size_t t = 0; t < TYPES; t++) {
        weights w = written_as(&net, types[t].dtype);
        const double key = number(&w, tensor_of(&w, 0, 0, "key"), 2);
        cr_assert_str_eq(w.report.dtype, types[t].name);
        cr_assert_str_eq(metadata(&w, "rounding"), types[t].lower);
        cr_assert(!w.report.exact);
        cr_assert_eq(fabs(key), rounded(1, 2, types[t].bits), "%s: %a", types[t].name, key);
        expect_layout(&w);
        weights_free(&w);
    }
    f2l_net_clear(&net);
}

/* A number that rounds to a finite one is written; half a unit above the largest is refused. */
Test(weights_dtype, numbers_that_are_too_large_are_refused)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf out;
    sample_read(&net, SAMPLE_PARITY);
    automaton_with(&fsa, &net.letters);
    f2l_buf_init(&out);
    mpq_ptr initial = net.layer[0].head[0].initial.value[0];
    mpq_t unit;
    mpq_init(unit);
    for (size_t t = 0; t < TYPES; t++) {
        const double largest = f2l_format_find(types[t].format)->largest;
        int exponent;
        (void)frexp(largest, &exponent);
        mpq_set_d(initial, largest);
        mpq_set_ui(unit, 1, 1);
        mpq_mul_2exp(unit, unit, (mp_bitcnt_t)(exponent - types[t].bits - 1)); /* half a unit */
        mpq_add(initial, initial, unit);
        char word[32];
        f2l_error err = {0};
        f2l_weights_report report = {.bytes = 7};
        snprintf(word, sizeof word, "too large for %s", types[t].name);
        cr_assert(f2l_weights_write(&out, &report, &net, &fsa, types[t].dtype, &err) ==
                      F2L_EDOMAIN &&
                  report.bytes == 0);
        cr_assert(strstr(err.text, word) != NULL, "%s", err.text);
        mpq_div_2exp(unit, unit, 1);
        mpq_sub(initial, initial, unit);
        weights w = written_as(&net, types[t].dtype);
        cr_assert(!w.report.exact && number(&w, tensor_of(&w, 0, 0, "initial"), 0) == largest);
        weights_free(&w);
    }
    mpq_clear(unit);
    f2l_buf_clear(&out);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}
