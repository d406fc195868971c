#include "models/network/schedule/impl.h"
#include "tests/support/models/chunk_support.h"
#include "tests/support/models/net_samples.h"

static void random_net(f2l_net *net, f2l_rng *rng, size_t factors, size_t d, bool dyadic)
{
    const sample_shape shape = {1, 1, 4, 5, d, factors, 3, dyadic, 9};
    do {
        sample_random(net, rng, &shape);
        if (net->layers == 1 && net->layer[0].heads == 1) break;
        f2l_net_clear(net);
    } while (true);
    for (size_t x = 0; x < net->layer[0].letters; x++)
        mpq_set_ui(net->layer[0].head[0].letter[x].gate, 1, 1);
}

Test(chunk, is_the_written_order_operation_by_operation)
{
    static const char *const names[] = {"bf16", "fp16", "fp32", "e4m3", "e5m2", "tf32"};
    static const size_t lengths[] = {1, 63, 64, 65, 200};
    f2l_rng rng;
    f2l_rng_init(&rng, 501, 0);
    for (size_t i = 0; i < 20; i++) {
        f2l_net net;
        random_net(&net, &rng, 1 + i % 3, 1 + i / 3 % 2, i % 4 == 3);
        compare(&net, f2l_format_find(names[i % 6]),
                i < 10 ? lengths[i % 5] : 30 + f2l_rng_below(&rng, 60), &rng);
        f2l_net_clear(&net);
    }
}

Test(chunk, follows_the_rounding_of_the_format)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 502, 0);
    static const f2l_rounding roundings[] = {F2L_ROUND_TOWARD_ZERO, F2L_ROUND_UP, F2L_ROUND_DOWN};
    for (size_t i = 0; i < 3; i++) {
        f2l_net net;
        f2l_format format = *f2l_format_find("bf16");
        format.rounding = roundings[i];
        random_net(&net, &rng, 2, 2, false);
        compare(&net, &format, 70, &rng);
        f2l_net_clear(&net);
    }
}

/* Products of 46 bits, which fp32 does not hold, are rounded once. */
Test(chunk, rounds_products_once)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 506, 0);
    for (size_t i = 0; i < 4; i++) {
        f2l_net net;
        f2l_format format;
        char name[F2L_FORMAT_NAME];
        cr_assert_eq(f2l_format_parse(&format, name, "p=23,emin=-126,emax=127", NULL), F2L_OK);
        random_net(&net, &rng, 2, 2, false);
        compare(&net, &format, 70, &rng);
        f2l_net_clear(&net);
    }
}

/* Native sums equal MPFR's, near middles of floats and near the ends of their range. */
Test(chunk, fused_sums_are_rounded_once)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 503, 0);
    for (size_t i = 0; i < 200000; i++) {
        float x[3];
        for (size_t j = 0; j < 3; j++) {
            int exponent = (int)f2l_rng_below(&rng, i % 3 == 0 ? 60 : 12) - (i % 3 == 0 ? 100 : 6);
            if (i % 7 == 0 && j == 2) exponent = -140;
            x[j] = ldexpf((float)(f2l_rng_below(&rng, 1u << (i % 24 + 1)) + 1), exponent) *
                   (f2l_rng_below(&rng, 2) ? 1 : -1);
        }
        if (i % 2 == 0) { /* the exact sum is near a middle */
            const float big = ldexpf(1 + (float)f2l_rng_below(&rng, 100), 20);
            x[0] = 1 + ldexpf(1, -(int)f2l_rng_below(&rng, 23)),
            x[1] = ldexpf(x[0] - 2, -(int)f2l_rng_below(&rng, 5));
            x[2] = big;
        }
        const double want = f2l_format_fma_mpfr(fp32(), (double)x[0], (double)x[1], (double)x[2]);
        const float got = f2l_chunk_fma(x[0], x[1], x[2]);
        cr_assert((double)got == want, "%a * %a + %a = %a, not %a", (double)x[0], (double)x[1],
                  (double)x[2], (double)got, want);
    }
}

/* The vector and the portable sums agree bit for bit. */
Test(chunk, sums_on_vectors_are_the_portable_ones)
{
    enum { SIZE = CHUNK * BLOCK };
    const f2l_chunk_sums *fast = f2l_chunk_sums_of(true), *portable = f2l_chunk_sums_of(false);
    f2l_rng rng;
    f2l_rng_init(&rng, 505, 0);
    for (size_t round = 0; round < 300; round++) {
        float left[SIZE], right[SIZE], out[2][SIZE];
        for (size_t i = 0; i < SIZE; i++) {
            left[i] = f2l_rng_below(&rng, 4)
                          ? ldexpf((float)f2l_rng_below(&rng, 1u << 24), -24) - 0.5f
                          : 0;
            right[i] =
                ldexpf((float)f2l_rng_below(&rng, 1u << 24), -(int)f2l_rng_below(&rng, 40)) - 2;
            out[0][i] = out[1][i] =
                ldexpf((float)f2l_rng_below(&rng, 1u << (round % 24 + 1)), -10) - 4;
        }
        const size_t count = f2l_rng_below(&rng, CHUNK + 1);
        for (size_t i = 0; i < 2; i++) {
            const f2l_chunk_sums *sums = i == 0 ? fast : portable;
            sums->multiply(out[i], left, right);
            sums->add(out[i], left[1], right + 5, count);
            sums->spread(out[i] + 100, left[2], right[3], count);
        }
        cr_assert_arr_eq(out[0], out[1], sizeof out[0], "round %zu", round);
    }
}
