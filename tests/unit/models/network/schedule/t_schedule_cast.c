#include "models/network/schedule/float_net.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_reference.h"
#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* If nothing is rounded, cast agrees with every. */
Test(schedule_cast, of_exact_matrices_is_exact)
{
    const sample_shape shape = {1, 1, 3, 6, 2, 3, 1, true, 4};
    f2l_rng rng;
    f2l_rng_init(&rng, 490, 0);
    for (size_t n = 0; n < 20; n++) {
        f2l_net net;
        f2l_float_net *cast, *every;
        sample_random(&net, &rng, &shape);
        cr_assert_eq(f2l_float_net_new(&cast, &net, f2l_format_find("fp64"),
                                       f2l_schedule_find("cast"), NULL),
                     F2L_OK);
        cr_assert_eq(f2l_float_net_new(&every, &net, f2l_format_find("fp64"),
                                       f2l_schedule_find("every"), NULL),
                     F2L_OK);
        double a[12], b[12];
        f2l_float_start(cast, a);
        f2l_float_start(every, b);
        for (size_t t = 0; t < 3; t++) {
            const size_t x = f2l_rng_below(&rng, net.layer[0].letters);
            f2l_float_step_layer(cast, 0, x, a, NULL);
            f2l_float_step_layer(every, 0, x, b, NULL);
        }
        for (size_t i = 0; i < f2l_float_size(cast); i++)
            cr_assert_eq(a[i], b[i], "seed 490, network %zu", n);
        f2l_float_net_free(cast);
        f2l_float_net_free(every);
        f2l_net_clear(&net);
    }
}

/* Returns a random value of the format; the sizes vary widely. */
static double some_value(f2l_rng *rng, const f2l_format *format, unsigned spread)
{
    double x = (double)(f2l_rng_u64(rng) >> 11) * 0x1p-52 - 1;
    if (f2l_rng_below(rng, 2)) x = (double)f2l_rng_below(rng, 9) - 4;
    x = f2l_format_round_nearest(format,
                                 ldexp(x, (int)f2l_rng_below(rng, 2 * spread) - (int)spread));
    return isfinite(x) ? x : 1;
}

/* Returns the rounded sum of entry S + bias, which is one entry of the next state. */
static double rounded_sum(const f2l_format *format, const f2l_cast_number *entry, size_t count,
                          double bias, const double *state)
{
    reference r = reference_of(format, f2l_schedule_find("cast"));
    mpq_t sum, x, y;
    mpq_inits(sum, x, y, (mpq_ptr)NULL);
    mpq_set_d(sum, bias);
    for (size_t i = 0; i < count; i++) {
        mpq_set_d(x, entry[i].value);
        mpq_set_d(y, state[entry[i].at]);
        mpq_mul(x, x, y);
        mpq_add(sum, sum, x);
    }
    const double out = reference_round(&r, format, sum);
    mpq_clears(sum, x, y, (mpq_ptr)NULL);
    return out;
}

/* Rows of up to 8 entries: sums of many sizes, with ties and with remainders of large numbers that
 * cancel, are rounded once. */
Test(schedule_cast, rounds_a_sum_once)
{
    static const char *const names[] = {"bf16",
                                        "fp16",
                                        "fp32",
                                        "fp64",
                                        "tf32",
                                        "fp32,round=up",
                                        "fp32,round=zero",
                                        "p=51,emin=-1021,emax=1023,round=down",
                                        "p=2,emin=-200,emax=200",
                                        "p=40,emin=-900,emax=900"};
    static const unsigned spreads[] = {3, 20, 60, 120, 600};
    f2l_rng rng;
    f2l_rng_init(&rng, 491, 0);
    for (size_t c = 0; c < 8000; c++) {
        char name[F2L_FORMAT_NAME];
        f2l_format format;
        f2l_cast_number entry[8], bias = {0, 0};
        f2l_cast_row row = {0, 0, f2l_rng_below(&rng, 8) + 1};
        size_t row_first[] = {0, 1}, bias_first[] = {0, 1};
        double state[8];
        cr_assert_eq(f2l_format_parse(&format, name, names[c % COUNT(names)], NULL), F2L_OK);
        const unsigned spread = spreads[c / COUNT(names) % COUNT(spreads)];
        for (uint32_t i = 0; i < 8; i++) {
            const bool cancels = i > 0 && f2l_rng_below(&rng, 4) == 0;
            state[i] = cancels ? -state[0] : some_value(&rng, &format, spread);
            entry[i] =
                (f2l_cast_number){i, cancels ? entry[0].value : some_value(&rng, &format, 3)};
        }
        bias.value = some_value(&rng, &format, spread);
        const double expected = rounded_sum(&format, entry, row.end, bias.value, state);
        f2l_float_head head = {.n = 8, .d = 1, .cast = {row_first, &row, entry, bias_first, &bias}};
        f2l_float_layer layer = {.heads = 1, .head = &head};
        const f2l_float_net net = {.format = &format, .layers = 1, .layer = &layer};
        f2l_step_cast(&net, 0, 0, 0, state);
        cr_assert(reference_same(state[0], expected), "seed 491, case %zu, %s: %a, not %a", c, name,
                  state[0], expected);
    }
}

Test(schedule_cast, refuses_what_is_too_large)
{
    f2l_net net;
    f2l_float_net *fast;
    f2l_error err = {0};
    sample_read(&net, SAMPLE_PARITY);
    net.layer[0].head[0].n = F2L_MAX_CAST_KEY + 1;
    cr_assert_eq(
        f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), f2l_schedule_find("cast"), &err),
        F2L_EDOMAIN);
    cr_assert(fast == NULL && strstr(err.text, "4096") != NULL, "%s", err.text);
    net.layer[0].head[0].n = F2L_MAX_CAST_KEY;
    cr_assert_eq(
        f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), f2l_schedule_find("cast"), &err),
        F2L_OK);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}
