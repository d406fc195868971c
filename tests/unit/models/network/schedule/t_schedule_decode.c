#include "models/network/schedule/float_net.h"
#include "models/network/schedule/schedule.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_support.h"
#include <math.h>

/* Makes a network of one layer whose letters 1 and 2 do nothing, so that f2l_float_step decodes the
 * state that it gets. */
static void decoding_net(f2l_net *net, size_t n, size_t codes, bool by_letter)
{
    char name[24];
    f2l_net_init(net);
    sample_name(&net->letters, "a");
    sample_name(&net->letters, "b");
    for (size_t i = 0; i < codes; i++) {
        snprintf(name, sizeof name, "y%zu", i);
        sample_name(&net->labels, name);
    }
    cr_assert(f2l_net_set_layers(net, 1, NULL) == F2L_OK);
    cr_assert(f2l_layer_set_heads(&net->layer[0], 2, 1, NULL) == F2L_OK);
    net->layer[0].head[0].n = n;
    net->layer[0].head[0].d = 1;
    cr_assert(f2l_layer_set_codes(&net->layer[0], codes, codes, by_letter, NULL) == F2L_OK);
    for (size_t i = 0; i < codes * (by_letter ? 2 : 1); i++)
        net->layer[0].symbol[i] = (uint32_t)(i % codes);
}

static uint32_t decoded(const f2l_float_net *net, const double *state, size_t letter)
{
    double joint[64];
    uint32_t label = 12345;
    memcpy(joint, state, f2l_float_size(net) * sizeof *joint);
    cr_assert(f2l_float_step(net, joint, letter, &label, NULL) == F2L_OK);
    return label;
}

/* Returns the symbol by the squared distances of all codes in rationals; *code becomes the nearest
 * code when there is only one. */
static uint32_t naive_decode(const f2l_layer *layer, const double *state, size_t letter,
                             size_t *code)
{
    mpq_t best, sum, x;
    mpq_inits(best, sum, x, (mpq_ptr)NULL);
    uint32_t symbol = F2L_NO_SYMBOL;
    for (size_t c = 0; c < layer->codes; c++) {
        size_t k = 0;
        const f2l_qvec *entries = &layer->code[c];
        mpq_set_ui(sum, 0, 1);
        for (size_t i = 0; i < layer->head[0].n; i++) {
            mpq_set_d(x, state[i]);
            if (k < entries->count && entries->index[k] == i) mpq_sub(x, x, entries->value[k++]);
            mpq_mul(x, x, x);
            mpq_add(sum, sum, x);
        }
        uint32_t here = layer->symbol[(layer->by_letter ? letter * layer->codes : 0) + c];
        int order = c == 0 ? -1 : mpq_cmp(sum, best);
        if (order < 0) {
            mpq_set(best, sum);
            symbol = here;
            *code = c;
        } else if (order == 0) {
            *code = F2L_NO_INDEX;
            if (symbol != here) symbol = F2L_NO_SYMBOL;
        }
    }
    mpq_clears(best, sum, x, (mpq_ptr)NULL);
    return symbol;
}

/* Returns the symbol by the exact squared cosines, with the signs of the products; *code becomes
 * the best code when there is only one. The state is not zero, and no code is. */
static uint32_t naive_direction(const f2l_layer *layer, const double *state, size_t letter,
                                size_t *code)
{
    mpq_t best, rank, x;
    mpq_inits(best, rank, x, (mpq_ptr)NULL);
    uint32_t symbol = F2L_NO_SYMBOL;
    for (size_t c = 0; c < layer->codes; c++) {
        const f2l_qvec *entries = &layer->code[c];
        mpq_set_ui(rank, 0, 1);
        for (size_t k = 0; k < entries->count; k++) {
            mpq_set_d(x, state[entries->index[k]]);
            mpq_mul(x, x, entries->value[k]);
            mpq_add(rank, rank, x);
        }
        const bool ahead = mpq_sgn(rank) > 0;
        mpq_mul(rank, rank, rank);
        f2l_qvec_norm2(x, entries);
        mpq_div(rank, rank, x);
        if (!ahead) mpq_neg(rank, rank);
        const uint32_t here = layer->symbol[(layer->by_letter ? letter * layer->codes : 0) + c];
        const int order = c == 0 ? 1 : mpq_cmp(rank, best);
        if (order > 0) {
            mpq_set(best, rank);
            symbol = here;
            *code = c;
        } else if (order == 0) {
            *code = F2L_NO_INDEX;
            if (symbol != here) symbol = F2L_NO_SYMBOL;
        }
    }
    mpq_clears(best, rank, x, (mpq_ptr)NULL);
    return symbol;
}

static double random_double(f2l_rng *rng)
{
    switch (f2l_rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return (double)f2l_rng_below(rng, 9) / 2 - 2; /* on or between grid points */
    case 2:
        return (double)f2l_rng_below(rng, 9) / 2 - 2 + 0x1p-40;
    case 3:
        return ldexp((double)f2l_rng_u32(rng) - 0x1p31, (int)f2l_rng_below(rng, 2000) - 1030);
    default:
        return (double)f2l_rng_u32(rng) / 0x1p30 - 2;
    }
}

/* For codes on coarse grids, on none, huge and tiny, the nearest code is found from states near
 * them, between them and far away. */
Test(schedule_decode, finds_the_nearest_code)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 94, 0);
    size_t none = 0;
    for (size_t n = 0; n < 300; n++) {
        f2l_net net;
        const size_t size = f2l_rng_below(&rng, 4) + 1, codes = f2l_rng_below(&rng, 6) + 2;
        decoding_net(&net, size, codes, n % 2 == 0);
        const unsigned long denominators[] = {1, 2, 3, 1ul << 30};
        const unsigned long denominator = denominators[n % 4];
        for (size_t c = 0; c < codes; c++) {
            for (uint32_t i = 0; i < size; i++)
                sample_push(&net.layer[0].code[c], i, (long)f2l_rng_below(&rng, 9) - 4,
                            f2l_rng_below(&rng, 2) ? denominator : 1);
            if (net.layer[0].code[c].count > 0 && f2l_rng_below(&rng, 16) == 0) {
                mpq_ptr entry = net.layer[0].code[c].value[0];
                if (f2l_rng_below(&rng, 2))
                    mpq_mul_2exp(entry, entry, 1500);
                else
                    mpq_div_2exp(entry, entry, 1500);
            }
            if (f2l_rng_below(&rng, 8) == 0) net.layer[0].symbol[c] = F2L_NO_SYMBOL;
            if (f2l_rng_below(&rng, 8) == 0) net.layer[0].symbol[c] = 0;
        }
        if (f2l_net_validate(&net, NULL) == F2L_OK) { /* codes may coincide */
            f2l_float_net *fast = rounded(&net, "fp64");
            for (size_t t = 0; t < 60; t++) {
                double state[4];
                for (size_t i = 0; i < size; i++) state[i] = random_double(&rng);
                size_t code = 0;
                uint32_t expected = naive_decode(&net.layer[0], state, t % 2, &code),
                         got = decoded(fast, state, t % 2);
                cr_assert(got == expected, "seed 94, network %zu, state %zu: %u, not %u", n, t, got,
                          expected);
                cr_assert(f2l_float_code(fast, 0, state) == code, "seed 94, network %zu, state %zu",
                          n, t);
                none += got == F2L_NO_SYMBOL;
            }
            f2l_float_net_free(fast);
        }
        f2l_net_clear(&net);
    }
    cr_assert(none > 100);
}

static f2l_float_net *by_directions(const f2l_net *net, const char *text, f2l_status expected)
{
    static f2l_schedule schedule;
    static char name[F2L_SCHEDULE_NAME];
    f2l_float_net *out = NULL;
    cr_assert(f2l_schedule_parse(&schedule, name, text, NULL) == F2L_OK);
    f2l_error err = {0};
    const f2l_status status =
        f2l_float_net_new(&out, net, f2l_format_find("fp64"), &schedule, &err);
    cr_assert(status == expected, "%s", err.text);
    return out;
}

/* Directions are found for codes of one length, on grids and on none, and refused where two codes
 * have one or a code has none. */
Test(schedule_decode, finds_the_direction)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 95, 0);
    size_t refused = 0, found = 0, none = 0;
    for (size_t n = 0; n < 400; n++) {
        f2l_net net;
        const size_t size = f2l_rng_below(&rng, 4) + 1, codes = f2l_rng_below(&rng, 5) + 2;
        const unsigned long denominators[] = {1, 2, 3, 1ul << 30};
        decoding_net(&net, size, codes, n % 2 == 0);
        for (size_t c = 0; c < codes; c++)
            for (uint32_t i = 0; i < size; i++)
                sample_push(&net.layer[0].code[c], i, (long)f2l_rng_below(&rng, 7) - 3,
                            denominators[n % 4]);
        if (f2l_net_validate(&net, NULL) == F2L_OK) {
            f2l_schedule schedule;
            char name[F2L_SCHEDULE_NAME];
            cr_assert(f2l_schedule_parse(&schedule, name, "every,decode=linear", NULL) == F2L_OK);
            const f2l_status status = f2l_schedule_check_decoder(&schedule, &net, NULL);
            f2l_float_net *fast = by_directions(&net, "every,decode=linear", status);
            refused += status == F2L_EDOMAIN;
            for (size_t t = 0; fast && t < 60; t++) {
                double state[4], size2 = 0;
                for (size_t i = 0; i < size; i++) state[i] = random_double(&rng);
                for (size_t i = 0; i < size; i++) size2 += state[i] != 0;
                if (size2 == 0) continue;
                if (t % 4 == 0) { /* a multiple of a code, or the code */
                    const f2l_qvec *v = &net.layer[0].code[f2l_rng_below(&rng, codes)];
                    for (size_t i = 0; i < size; i++) state[i] = 0;
                    for (size_t k = 0; k < v->count; k++)
                        state[v->index[k]] = mpq_get_d(v->value[k]) * (double)(1 + t % 3);
                }
                size_t code = 0;
                const uint32_t expected = naive_direction(&net.layer[0], state, t % 2, &code);
                cr_assert(decoded(fast, state, t % 2) == expected, "network %zu, state %zu", n, t);
                cr_assert(f2l_float_code(fast, 0, state) == code, "network %zu, state %zu", n, t);
                found++;
                none += code == F2L_NO_INDEX;
            }
            f2l_float_net_free(fast);
        }
        f2l_net_clear(&net);
    }
    cr_assert(refused > 20 && found > 4000 && none > 20, "%zu, %zu, %zu", refused, found, none);
}

/* A state too long for the nearest code is right by its direction; 0 and infinities have none. */
Test(schedule_decode, directions_of_two_codes)
{
    f2l_net net;
    decoding_net(&net, 2, 2, false); /* codes (1, 0), (3, 3) */
    sample_push(&net.layer[0].code[0], 0, 1, 1);
    sample_push(&net.layer[0].code[1], 0, 3, 1);
    sample_push(&net.layer[0].code[1], 1, 3, 1);
    f2l_float_net *nearest = rounded(&net, "fp64");
    f2l_float_net *linear = by_directions(&net, "every,decode=linear", F2L_OK);
    cr_assert(decoded(nearest, (double[]){9, 0}, 0) == 1);
    cr_assert(decoded(linear, (double[]){9, 0}, 0) == 0);
    cr_assert(decoded(nearest, (double[]){0.125, 0.125}, 0) == 0);
    cr_assert(decoded(linear, (double[]){0.125, 0.125}, 0) == 1);
    cr_assert(decoded(linear, (double[]){1e308, 1}, 0) == 0);
    cr_assert(decoded(linear, (double[]){5e-324, 5e-324}, 0) == 1);
    cr_assert(decoded(linear, (double[]){0, 0}, 0) == F2L_NO_SYMBOL);
    cr_assert(decoded(linear, (double[]){INFINITY, 0}, 0) == F2L_NO_SYMBOL);
    f2l_float_net_free(nearest);
    f2l_float_net_free(linear);
    f2l_net_clear(&net);
}

/* A norm for each head changes the order of sums over heads, also where all codes have one length.
 */
Test(schedule_decode, directions_of_several_heads_are_refused)
{
    f2l_net net;
    decoding_net(&net, 1, 2, false);
    cr_assert(f2l_layer_set_heads(&net.layer[0], 2, 2, NULL) == F2L_OK);
    for (size_t h = 0; h < 2; h++) net.layer[0].head[h].n = net.layer[0].head[h].d = 1;
    cr_assert(f2l_layer_set_codes(&net.layer[0], 2, 2, false, NULL) == F2L_OK);
    net.layer[0].symbol[1] = 1;
    for (size_t c = 0; c < 2; c++)
        for (size_t h = 0; h < 2; h++)
            sample_push(&net.layer[0].code[2 * c + h], 0, c == 0 ? 1 : -1, 1);
    f2l_float_net_free(rounded(&net, "fp64"));
    by_directions(&net, "every,decode=linear", F2L_EDOMAIN);
    f2l_net_clear(&net);
}

Test(schedule_decode, ties_close_calls_and_non_numbers)
{
    f2l_net net;
    decoding_net(&net, 2, 3, false); /* codes (1, 0), (0, 1), (-1/3, 0) */
    f2l_layer *layer = &net.layer[0];
    sample_push(&layer->code[0], 0, 1, 1);
    sample_push(&layer->code[1], 1, 1, 1);
    sample_push(&layer->code[2], 0, -1, 3);
    f2l_float_net *fast = rounded(&net, "fp64");
    const double third = 1.0 / 3; /* below 1/3, so nearer to (-1/3, 0) than to (1, 0) by 2^-54 */
    cr_assert(decoded(fast, (double[]){1, 0}, 0) == 0);
    cr_assert(decoded(fast, (double[]){0, 0.9}, 0) == 1);
    cr_assert(decoded(fast, (double[]){0.5, 0.5}, 0) == F2L_NO_SYMBOL);
    cr_assert(decoded(fast, (double[]){0.5, nextafter(0.5, 1)}, 0) == 1);
    cr_assert(decoded(fast, (double[]){nextafter(0.5, 1), 0.5}, 0) == 0);
    cr_assert(decoded(fast, (double[]){third, -9}, 0) == 2);
    cr_assert(decoded(fast, (double[]){nextafter(third, 1), -9}, 0) == 0);
    cr_assert(decoded(fast, (double[]){1e308, -1e308}, 0) == 0);
    cr_assert(decoded(fast, (double[]){NAN, 0}, 0) == F2L_NO_SYMBOL);
    cr_assert(decoded(fast, (double[]){0, INFINITY}, 0) == F2L_NO_SYMBOL);
    cr_assert(decoded(fast, (double[]){-INFINITY, 0}, 0) == F2L_NO_SYMBOL);
    f2l_float_net_free(fast);
    layer->symbol[1] = 0; /* a tie between codes with the same symbol */
    fast = rounded(&net, "fp64");
    cr_assert(decoded(fast, (double[]){0.5, 0.5}, 0) == 0);
    cr_assert(f2l_float_code(fast, 0, (double[]){0.5, 0.5}) == F2L_NO_INDEX);
    cr_assert(f2l_float_code(fast, 0, (double[]){0.5, 0.75}) == 1);
    cr_assert(f2l_float_code(fast, 0, (double[]){0.5, NAN}) == F2L_NO_INDEX);
    f2l_float_net_free(fast);
    layer->symbol[1] = F2L_NO_SYMBOL;
    fast = rounded(&net, "fp64");
    cr_assert(decoded(fast, (double[]){0, 1}, 0) == F2L_NO_SYMBOL &&
              decoded(fast, (double[]){1, 0}, 0) == 0);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

/* Subnormal entries lose bits as doubles: (1.9, 1.9) becomes (1, 1) and loses to (3, 0). */
Test(schedule_decode, does_not_trust_doubles_with_tiny_codes)
{
    f2l_net net;
    decoding_net(&net, 2, 2, false);
    sample_push(&net.layer[0].code[0], 0, 19, 10);
    sample_push(&net.layer[0].code[0], 1, 19, 10);
    sample_push(&net.layer[0].code[1], 0, 3, 1);
    for (size_t c = 0; c < 2; c++)
        for (size_t k = 0; k < net.layer[0].code[c].count; k++)
            mpq_div_2exp(net.layer[0].code[c].value[k], net.layer[0].code[c].value[k], 1074);
    f2l_float_net *fast = rounded(&net, "fp64");
    cr_assert(decoded(fast, (double[]){0x1p1000, 0x1p1000}, 0) == 0);
    cr_assert(decoded(fast, (double[]){0x1p1000, 0x1p998}, 0) == 1);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

/* Decodes states on the line through two random codes, at distances from their middle down to an
 * ulp, and compares with the naive decoder; the codes are on no grid. `offset` moves codes away
 * from 0, where stored codes are too far from the exact ones to be told apart by a distance.
 * Returns the number of networks whose codes a distance can tell apart. */
static size_t close_calls(uint64_t seed, const char *offset)
{
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    size_t used = 0;
    for (size_t n = 0; n < 60; n++) {
        f2l_net net;
        const size_t size = f2l_rng_below(&rng, 4) + 1, codes = f2l_rng_below(&rng, 40) + 2;
        mpq_t at, move;
        mpq_inits(at, move, (mpq_ptr)NULL);
        mpq_set_str(move, offset, 10);
        decoding_net(&net, size, codes, false);
        for (size_t c = 0; c < codes; c++) {
            for (uint32_t i = 0; i < size; i++) {
                mpq_set_ui(at, f2l_rng_below(&rng, 1000000000), 100000007);
                mpq_canonicalize(at);
                mpq_add(at, at, move);
                cr_assert(f2l_qvec_push(&net.layer[0].code[c], i, at, NULL) == F2L_OK);
            }
        }
        f2l_float_net *fast = rounded(&net, "fp64");
        const f2l_near *near = &fast->layer[0].decoder.near;
        used += near->reach > 0;
        for (size_t t = 0; t < 200; t++) {
            const f2l_qvec *a = &net.layer[0].code[f2l_rng_below(&rng, codes)];
            const f2l_qvec *b = &net.layer[0].code[f2l_rng_below(&rng, codes)];
            const double step =
                0.5 + ldexp((double)f2l_rng_below(&rng, 5) - 2, -(int)f2l_rng_below(&rng, 54));
            double state[4] = {0};
            size_t code = 0;
            for (size_t i = 0; i < size; i++) {
                const double x = mpq_get_d(a->value[i]);
                state[i] = x + step * (mpq_get_d(b->value[i]) - x);
            }
            const uint32_t expected = naive_decode(&net.layer[0], state, 0, &code);
            cr_assert(decoded(fast, state, 0) == expected, "seed %lu, network %zu",
                      (unsigned long)seed, n);
        }
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
        mpq_clears(at, move, (mpq_ptr)NULL);
    }
    return used;
}

Test(schedule_decode, codes_on_no_grid)
{
    cr_assert_eq(close_calls(96, "1/100000007"), 60);
    cr_assert(close_calls(97, "1000000000000000000/100000007") < 10);
}

/* Two heads are one vector: the distance is over both together. */
Test(schedule_decode, joins_the_heads)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_float_net *fast = rounded(&net, "fp64");
    const double between[] = {0.51, 0.1, 0, 0.1, 0}; /* a little nearer to left, and to +(3, 4) */
    cr_assert(decoded(fast, between, 0) == 0);
    cr_assert(decoded(fast, (double[]){0.49, -0.1, 0.5, -0.1, -0.5}, 0) == 3);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

/* One layer alone gives the number of its nearest code, which must be the only one even where
 * symbols agree. */
Test(schedule_decode, one_layer)
{
    static const long one[] = {1}, codes[] = {1, -1, 3};
    f2l_net net;
    f2l_float_net *rounded;
    f2l_fsa fsa;
    fsa_from_text(&fsa, hand_parity_text);
    hand_net(&net, &fsa, F2L_LABEL_ACCEPT, 1);
    hand_factor(hand_head(&net, 0, 2, 1, one), 1, 2, one, 0);
    hand_codes(&net, 0, 3, codes);
    net.layer[0].symbols = 2;
    net.layer[0].symbol[2] = 0;
    cr_assert_eq(f2l_float_net_new(&rounded, &net, f2l_format_find("bf16"),
                                   f2l_schedule_find("every"), NULL),
                 F2L_OK);
    static const struct {
        double state;
        size_t code;
    } row[] = {{1, 0},
               {-0.25, 1},
               {-7, 1},
               {1.5, 0},
               {2.5, 2},
               {100, 2},
               {0, F2L_NO_INDEX},
               {2, F2L_NO_INDEX},
               {NAN, F2L_NO_INDEX},
               {INFINITY, F2L_NO_INDEX}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        cr_assert_eq(f2l_float_code(rounded, 0, &row[i].state), row[i].code, "%g", row[i].state);
    double state = 0.75;
    f2l_float_step_layer(rounded, 0, 0, &state, NULL);
    cr_assert_eq(state, 0.75);
    f2l_float_step_layer(rounded, 0, 1, &state, NULL);
    cr_assert_eq(state, -0.75);
    f2l_float_net_free(rounded);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}
