/* Numbers before activations, bits and units, and what a plan refuses. Whole models are run by
 * tests/clients/stock.py. */
#include "models/doors/blocks/impl.h"
#include "tests/support/models/net_samples.h"
#include <math.h>
#include <mpfr.h>

/* --- numbers before activations --- */

/* Sets out to silu(x) or 2 sigmoid(x), to 100 bits. */
static void activate(mpfr_t out, double x, bool silu)
{
    mpfr_set_d(out, -x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_d_div(out, silu ? x : 2, out, MPFR_RNDN);
}

/* Checks that x is a value whose activation rounds to y, also when it is off by a 20th of y's last
 * place. */
static void check_before(const f2l_format *format, double x, double y, bool silu)
{
    mpfr_t exact;
    mpfr_init2(exact, 100);
    cr_assert_eq(f2l_format_round_nearest(format, x), x);
    activate(exact, x, silu);
    const double last = ldexp(1, ilogb(y) - format->precision + 1);
    for (int i = -1; i <= 1; i++) {
        const double moved = mpfr_get_d(exact, MPFR_RNDN) + i * last / 40;
        cr_assert_eq(f2l_format_round_nearest(format, moved), y, "%s: %.9g gives %.9g, not %.9g",
                     format->name, x, moved, y);
    }
    mpfr_clear(exact);
}

static const char *const formats[] = {"bf16", "fp16"};

Test(blocks, before_silu)
{
    for (size_t f = 0; f < 2; f++) {
        const f2l_format *format = f2l_format_find(formats[f]);
        size_t found = 0;
        for (int e = -9; e <= 12; e++)
            for (int m = 16; m < 32; m++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    const double y = sign * ldexp(m, e - 4);
                    const double x = f2l_block_before_silu(format, y);
                    if (y < -0.278 || isnan(x)) {
                        cr_assert(isnan(x), "%.9g has %.9g", y, x);
                        continue;
                    }
                    check_before(format, x, y, true);
                    found++;
                }
        cr_assert_gt(found, 400, "%s: %zu", formats[f], found);
        for (double y = 16; y <= 32768; y *= 2) cr_assert_eq(f2l_block_before_silu(format, y), y);
        cr_assert_eq(f2l_block_before_silu(format, 0), 0);
    }
}

Test(blocks, before_beta)
{
    for (size_t f = 0; f < 2; f++) {
        const f2l_format *format = f2l_format_find(formats[f]);
        for (int i = 1; i < 32; i++) {
            const double y = i / 16.0, x = f2l_block_before_beta(format, y);
            if (!isnan(x)) check_before(format, x, y, false);
            cr_assert(i != 16 || x == 0);
        }
        check_before(format, f2l_block_before_beta(format, 2), 2, false);
        cr_assert_leq(f2l_block_before_beta(format, 0), -128);
        cr_assert(isnan(f2l_block_before_beta(format, 2.5)));
        cr_assert(isnan(f2l_block_before_beta(format, -1)));
    }
}

/* --- bits and units --- */

/* Fills the codes with random numbers, pairwise distinct in the first coordinate; or, for packed
 * heads, head 1 with one-hot rows and head 2 with a point in every half of its rows. */
static void random_codes(f2l_layer *layer, f2l_rng *rng, bool packed)
{
    for (size_t c = 0; c < layer->codes; c++)
        for (size_t h = 0; h < layer->heads; h++) {
            f2l_qvec *code = &layer->code[c * layer->heads + h];
            for (uint32_t i = 0; i < 6 && !packed; i++) {
                const long x = h == 0 && i == 0 ? (long)c - 3 : (long)f2l_rng_below(rng, 4) - 1;
                cr_assert_eq(f2l_qvec_push_si(code, i, x, 2, NULL), F2L_OK);
            }
            const uint32_t place[2][2] = {{(uint32_t)c % 5, 5 + (uint32_t)c / 5},
                                          {(uint32_t)c % 5, 5 + (uint32_t)c % 3}};
            for (size_t i = 0; i < 2 && packed; i++)
                cr_assert_eq(f2l_qvec_push_si(code, place[h][i], 3, 1, NULL), F2L_OK);
        }
}

/* Fills a layer with random symbols. Decoders: 0 state, 1 step, 2 part. */
static void random_layer(f2l_layer *layer, f2l_rng *rng, int decoder, bool packed)
{
    const size_t letters = 1 + (size_t)f2l_rng_below(rng, 5),
                 heads = 1 + (size_t)f2l_rng_below(rng, 2);
    const size_t codes = 2 + (size_t)f2l_rng_below(rng, packed ? 23 : 30),
                 symbols = 1 + (size_t)f2l_rng_below(rng, 6);
    cr_assert_eq(f2l_layer_set_heads(layer, letters, heads, NULL), F2L_OK);
    for (size_t h = 0; h < heads; h++) {
        layer->head[h].n = packed ? (h == 0 ? 2 : 10) : 3;
        layer->head[h].d = packed ? (h == 0 ? 5 : 1) : 2;
    }
    cr_assert_eq(f2l_layer_set_codes(layer, codes, symbols, decoder == 1, NULL), F2L_OK);
    random_codes(layer, rng, packed);
    if (decoder == 2) {
        const size_t values[2] = {5, 5};
        uint32_t reads[8];
        for (size_t x = 0; x < letters; x++) reads[x] = (uint32_t)f2l_rng_below(rng, 2);
        cr_assert_eq(f2l_layer_set_parts(layer, 2, values, reads, NULL), F2L_OK);
        for (size_t c = 0; c < codes; c++)
            for (size_t p = 0; p < 2; p++)
                layer->part[2 * c + p] = (uint32_t)(p == 0 ? c % 5 : c / 5 % 5);
    }
    const size_t table = decoder == 2   ? layer->symbol_at[letters]
                         : decoder == 1 ? letters * codes
                                        : codes;
    for (size_t i = 0; i < table; i++)
        layer->symbol[i] =
            f2l_rng_below(rng, 9) == 0 ? F2L_NO_SYMBOL : (uint32_t)f2l_rng_below(rng, symbols);
}

/* Returns whether bit number `bit` is on in the view, for the code. */
static bool bit_is_on(const f2l_block_layer *made, const f2l_layer *layer, size_t bit, size_t view,
                      size_t code)
{
    size_t h = 0;
    while (bit >= made->head[h].bit + made->head[h].columns) h++;
    return f2l_block_is_on(layer, &made->head[h], view, bit - made->head[h].bit, code);
}

static bool unit_is_on(const f2l_block_layer *made, const f2l_layer *layer, size_t unit,
                       size_t letter, size_t code)
{
    const f2l_block_unit *u = &made->unit[unit];
    if (made->group[letter] != u->group) return false;
    for (size_t i = 0; i < u->bits; i++) {
        const int32_t term = made->term[u->first + i];
        const size_t bit = (size_t)(term < 0 ? -term : term) - 1;
        if (bit_is_on(made, layer, bit, made->view[letter], code) != (term > 0)) return false;
    }
    return true;
}

/* Chooses heads and units; returns whether there are heads of this form. */
static bool choose(f2l_block_layer *made, const f2l_layer *layer, bool packed, bool digits)
{
    f2l_error err;
    bool chosen = true;
    cr_assert_eq(f2l_blocks_choose_letters(made, layer, packed, &err), F2L_OK, "%s", err.text);
    const f2l_status status =
        packed
            ? f2l_blocks_choose_packed(&chosen, made, layer, f2l_format_find("bf16"), digits, &err)
            : f2l_blocks_choose_single(made, layer, &err);
    cr_assert_eq(status, F2L_OK, "%s", err.text);
    for (size_t h = 0; h < made->heads; h++) {
        made->head[h].bit = made->bits;
        made->bits += made->head[h].columns;
    }
    if (!chosen) return false;
    cr_assert_eq(f2l_blocks_choose_units(made, layer, &err), F2L_OK, "%s", err.text);
    return true;
}

/* Checks that for every letter and code that has a symbol exactly one unit is on, and gives it. */
static void check_units(const f2l_block_layer *made, const f2l_layer *layer)
{
    for (size_t x = 0; x < layer->letters; x++)
        for (size_t c = 0; c < layer->codes; c++) {
            size_t on = 0;
            uint32_t symbol = F2L_NO_SYMBOL;
            for (size_t u = 0; u < made->units; u++)
                if (unit_is_on(made, layer, u, x, c)) on++, symbol = made->unit[u].symbol;
            if (f2l_layer_symbol(layer, x, c) == F2L_NO_SYMBOL) continue;
            cr_assert_eq(on, 1);
            cr_assert_eq(symbol, f2l_layer_symbol(layer, x, c));
        }
}

/* Checks that all sums that heads with many columns read are 0 or 1. */
static void check_packed_sums(const f2l_block_layer *made, const f2l_layer *layer)
{
    mpq_t sum;
    mpq_init(sum);
    for (size_t h = 0; h < made->heads; h++)
        for (size_t v = 0; v < made->views; v++)
            for (size_t j = 0; j < made->head[h].columns; j++)
                for (size_t c = 0; c < layer->codes; c++) {
                    f2l_block_sum(sum, layer, &made->head[h], v, j, c);
                    cr_assert(mpq_cmp_ui(sum, 0, 1) == 0 || mpq_cmp_ui(sum, 1, 1) == 0);
                }
    mpq_clear(sum);
}

Test(blocks, units_are_the_decoder)
{
    f2l_rng rng;
    size_t packed_layers = 0;
    f2l_rng_init(&rng, 5, 0);
    for (int round = 0; round < 600; round++) {
        const bool packed = round % 2 == 1;
        f2l_net net;
        f2l_net_init(&net);
        cr_assert_eq(f2l_net_set_layers(&net, 1, NULL), F2L_OK);
        f2l_layer *layer = &net.layer[0];
        random_layer(layer, &rng, round / 2 % 3, packed);
        for (int form = 0; form < 3; form++) {
            f2l_block_layer made = {0};
            if (choose(&made, layer, form > 0, form > 1)) {
                check_units(&made, layer);
                if (form > 0) check_packed_sums(&made, layer);
                packed_layers += form > 0 && made.heads > 0;
            }
            f2l_block_layer_clear(&made);
        }
        f2l_net_clear(&net);
    }
    cr_assert_gt(packed_layers, 300, "%zu", packed_layers);
}

/* --- plans --- */

static const f2l_block_class identity = {.factors = 1, .other = "another"},
                             signed_silu = {.silu_keys = true, .signed_keys = true},
                             positive_silu = {.silu_keys = true};

/* Plans for the network of the text; returns the status, and in *out the plan if it is F2L_OK. */
static f2l_status plan(f2l_blocks *out, f2l_net *net, const char *text,
                       const f2l_block_class *class, f2l_error *err)
{
    f2l_net_init(net);
    cr_assert_eq(f2l_net_read(net, text, strlen(text), err), F2L_OK, "%s", err->text);
    f2l_blocks_init(out);
    const f2l_status status = f2l_blocks_plan(out, net, class, f2l_format_find("bf16"), err);
    if (status == F2L_OK) return F2L_OK;
    f2l_blocks_clear(out);
    f2l_net_clear(net);
    return status;
}

Test(blocks, plan_of_parity)
{
    f2l_blocks b;
    f2l_net net;
    f2l_error err;
    cr_assert_eq(plan(&b, &net, SAMPLE_PARITY, &identity, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(b.layer[0].bits, 1);
    cr_assert_eq(b.layer[0].units, 2);
    cr_assert(b.layer[0].packed);
    cr_assert_eq(mpq_cmp_ui(b.layer[0].head[0].threshold, 1, 2), 0);
    cr_assert_eq(b.key_dim, 16);
    cr_assert_eq(b.prefix, 64);
    cr_assert_eq(b.writes, 3); /* the state, and minus the threshold, whose sign changes */
    cr_assert_eq(f2l_blocks_prefix(&b, 60), 2);
    cr_assert_eq(f2l_blocks_prefix(&b, 61), 3);
    cr_assert_eq(f2l_blocks_prefix(&b, 63), 5);
    f2l_blocks_clear(&b);
    f2l_net_clear(&net);
}

/* Every sum of a norm's squares gives back the constant and the ones (EB.4). */
Test(blocks, norms_give_the_stream_back)
{
    f2l_blocks b;
    f2l_net net;
    f2l_error err;
    cr_assert_eq(plan(&b, &net, SAMPLE_PARITY, &signed_silu, &err), F2L_OK);
    const double least = (double)b.constants * b.constant * b.constant;
    for (size_t ones = 0; ones <= 2 + b.layer[0].groups + b.layer[0].bits; ones++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double root = sqrt((least + (double)ones) / (double)b.width + 1e-6);
            const double factor = f2l_blocks_norm(&b) / root * (1 + sign * ldexp(1, -20));
            cr_assert_eq(f2l_format_round_nearest(b.format, factor), 1);
            cr_assert_eq(f2l_format_round_nearest(b.format, factor * b.constant), b.constant);
        }
    f2l_blocks_clear(&b);
    f2l_net_clear(&net);
}

/* Three points that every two letters exchange: keys whose signs contradict each other. */
#define TRIANGLE \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 3\nletter 1\nletter 2\nletter 3\nlabels 3\nsymbol 1\n" \
    "symbol 2\nsymbol 3\nstart 1\nlayers 1\n" \
    "layer 1 letters 3 heads 1 codes 3 symbols 3 decode state\n" \
    "head 1 key 3 value 1\ninitial 1.1:1\non 1 gate 1 factors 1\nfactor 2 u 1:1 2:-1\n" \
    "on 2 gate 1 factors 1\nfactor 2 u 1:1 3:-1\non 3 gate 1 factors 1\nfactor 2 u 2:1 3:-1\n" \
    "code 1 1 1.1:1\ncode 2 2 2.1:1\ncode 3 3 3.1:1\nend\n"

/* Parity with a key of 256 numbers. */
#define LONG_KEY \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 2\nletter 0\nletter 1\nlabels 2\nsymbol even\n" \
    "symbol odd\nstart 1\nlayers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n" \
    "head 1 key 256 value 1\ninitial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\n" \
    "factor 2 u 1:1\ncode 1 1 1.1:1\ncode 2 2 1.1:-1\nend\n"

Test(blocks, refusals)
{
    static const struct {
        const char *text, *why;
        const f2l_block_class *class;
    } cases[] = {{SAMPLE_FLIPFLOP, "a gate that is not 1", &signed_silu},
                 {SAMPLE_PARTS, "a letter has 3 factors, and these heads do 1", &identity},
                 {SAMPLE_FIELD, "keys over a number field", &signed_silu},
                 {LONG_KEY, "the key dimension is 256", &signed_silu},
                 {TRIANGLE, "no change of signs", &positive_silu}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_blocks b;
        f2l_net net;
        f2l_error err;
        cr_assert_eq(plan(&b, &net, cases[i].text, cases[i].class, &err), F2L_EDOMAIN, "%zu", i);
        cr_assert_not_null(strstr(err.text, cases[i].why), "%s", err.text);
    }
}

/* fp16 has 40000, but not twice that, which the kernels of the prefix meet. Of three numbers a head
 * keeps them as they are. */
Test(blocks, large_initial_states)
{
    char text[2000];
    f2l_net net;
    f2l_error err;
    for (int large = 0; large < 2; large++) {
        f2l_blocks b;
        const char *number = large ? "40000" : "20000";
        int size = snprintf(text, sizeof text,
                            "lrnn 2\nfsa " SAMPLE_SHA
                            "\nfield Q\nlabel states\nletters 1\nletter 1\nlabels 2\nsymbol even\n"
                            "symbol odd\nstart 1\nlayers 1\n"
                            "layer 1 letters 1 heads 1 codes 3 symbols 2 decode state\n"
                            "head 1 key 1 value 1\ninitial 1.1:%s\non 1 gate 1 factors 1\n"
                            "factor 2 u 1:1\ncode 1 1 1.1:%s\ncode 2 2 1.1:-%s\ncode 3 1\nend\n",
                            number, number, number);
        f2l_net_init(&net);
        f2l_blocks_init(&b);
        cr_assert_eq(f2l_net_read(&net, text, (size_t)size, &err), F2L_OK, "%s", err.text);
        const f2l_status status =
            f2l_blocks_plan(&b, &net, &identity, f2l_format_find("fp16"), &err);
        cr_assert_eq(status, large ? F2L_EDOMAIN : F2L_OK);
        if (large) cr_assert_not_null(strstr(err.text, "numbers of an initial state"));
        f2l_blocks_clear(&b);
        f2l_net_clear(&net);
    }
}

Test(blocks, matrices_hold_values_only)
{
    f2l_block_matrix m;
    for (size_t f = 0; f < 2; f++) {
        const f2l_format *format = f2l_format_find(formats[f]);
        cr_assert_eq(f2l_block_matrix_init(&m, format, 1, 4, NULL), F2L_OK);
        f2l_block_matrix_put(&m, 0, 0, 1);
        f2l_block_matrix_put(&m, 0, 1, -0.5);
        f2l_block_matrix_put(&m, 0, 2, ldexp(1, format->emin - format->precision + 1));
        cr_assert_not(m.rounded);
        cr_assert_eq(m.number[0], f == 0 ? 0x3f80 : 0x3c00);
        cr_assert_eq(m.number[1], f == 0 ? 0xbf00 : 0xb800);
        cr_assert_eq(m.number[2], 1);
        f2l_block_matrix_put(&m, 0, 3, 1 + ldexp(1, -13));
        cr_assert(m.rounded);
        f2l_block_matrix_clear(&m);
    }
}
