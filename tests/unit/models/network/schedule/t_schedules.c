#include "models/network/schedule/float_net.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/mem.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_reference.h"
#include "tests/support/models/wired_samples.h"
#include <math.h>

static f2l_choices choices;

/* Steps one head from a random state beside the reference, until a number is not finite. Returns
 * the number of letters compared. */
static size_t compare_head(const f2l_float_net *fast, reference *r, const f2l_head *head,
                           size_t letters, size_t l, size_t h, f2l_rng *rng, const char *what)
{
    const size_t numbers = head->n * head->d;
    double *a = calloc(numbers, sizeof *a), *b = calloc(numbers, sizeof *b);
    bool finite = true;
    size_t compared = 0;
    const f2l_format *state = f2l_schedule_state_format(fast->schedule, fast->format);
    for (size_t i = 0; i < numbers; i++)
        if (f2l_rng_below(rng, 3))
            a[i] = b[i] =
                f2l_format_round_nearest(state, ldexp((double)f2l_rng_below(rng, 2000) - 1000,
                                                      -(int)f2l_rng_below(rng, 12) - 4) /
                                                    3);
    for (size_t t = 0; t < 5 && finite; t++, compared++) {
        const size_t x = f2l_rng_below(rng, letters);
        r->bits = 0;
        for (size_t i = 0; i < F2L_MAX_CHOICES_TAKEN; i++)
            choices.bit[i] = (unsigned char)f2l_rng_below(rng, 2);
        choices.at = 0;
        choices.count = F2L_MAX_CHOICES_TAKEN;
        f2l_float_step_head(fast, l, h, x, a);
        f2l_float_store(fast, l, h, a, NULL);
        reference_letter(r, head, x, b);
        reference_store(r, head->n, head->d, b, NULL);
        for (size_t i = 0; i < numbers; i++) finite = finite && isfinite(b[i]);
        for (size_t i = 0; i < numbers; i++)
            cr_assert(reference_same(a[i], b[i]) || (!finite && !isfinite(b[i])),
                      "%s, letter %zu, number %zu: %a, not %a", what, t, i, a[i], b[i]);
        cr_assert(choices.at == r->bits || !finite, "%s: %zu choices, not %zu", what, choices.at,
                  r->bits);
    }
    free(a);
    free(b);
    return compared;
}

/* Compares random networks: keys, raw heads, biases, gates, columns, heads, layers. Returns the
 * number of letters compared. */
static size_t compare_row(const f2l_schedule *schedule, const char *format_text, uint64_t seed,
                          size_t networks)
{
    const sample_shape shape = {2, 2, 3, 8, 3, 3, 2, false, 12};
    char format_name[F2L_FORMAT_NAME], what[400];
    f2l_format format;
    f2l_rng rng;
    f2l_error err = {0};
    size_t compared = 0;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_format_parse(&format, format_name, format_text, &err), F2L_OK, "%s", err.text);
    if (format.rounding == F2L_ROUND_STOCHASTIC) format.choices = &choices;
    reference r = reference_of(&format, schedule);
    r.bit = choices.bit;
    for (size_t n = 0; n < networks; n++) {
        f2l_net net;
        f2l_float_net *fast;
        sample_random(&net, &rng, &shape);
        if (n % 3) sample_make_raw(&net, &rng, &shape);
        snprintf(what, sizeof what, "seed %llu, network %zu, %s in %s", (unsigned long long)seed, n,
                 schedule->name, format_name);
        cr_assert_eq(f2l_float_net_new(&fast, &net, &format, schedule, &err), F2L_OK, "%s: %s",
                     what, err.text);
        for (size_t l = 0; l < net.layers; l++)
            for (size_t h = 0; h < net.layer[l].heads; h++)
                compared += compare_head(fast, &r, &net.layer[l].head[h], net.layer[l].letters, l,
                                         h, &rng, what);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
    return compared;
}

static void compare(const char *schedule_text, const char *format_text, uint64_t seed,
                    size_t networks)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    f2l_error err = {0};
    cr_assert_eq(f2l_schedule_parse(&schedule, name, schedule_text, &err), F2L_OK, "%s", err.text);
    const size_t compared = compare_row(&schedule, format_text, seed, networks);
    cr_assert(compared > 6 * networks, "%s in %s: %zu", name, format_text, compared);
}

/* Formats within fp32; together they use every arithmetic except double. */
static const char *const narrow[] = {"bf16",
                                     "fp16",
                                     "fp32",
                                     "tf32",
                                     "e4m3",
                                     "e5m2",
                                     "e4m3,overflow=saturate",
                                     "bf16,round=zero",
                                     "fp16,round=up",
                                     "fp32,round=down",
                                     "fp32,round=stochastic",
                                     "bf16,round=stochastic",
                                     "p=7,emin=-20,emax=20,subnormals=no"};
/* Formats that fp32 does not contain. */
static const char *const wide[] = {"fp64", "p=30,emin=-300,emax=300",
                                   "p=26,emin=-30,emax=30,round=up",
                                   "p=51,emin=-1000,emax=1000,round=down"};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The cross product of the fields, most of whose rows have no name. */
Test(schedules, every_row_is_walked_as_its_fields_say)
{
    uint64_t seed = 20000;
    for (int bits = 0; bits < 32; bits++) {
        char name[64];
        f2l_schedule row = f2l_schedules[0];
        row.order = (f2l_schedule_order){.sum = bits & 1 ? F2L_SUM_HALVES : F2L_SUM_LEFT,
                                         .fused_sum = (bits & 2) != 0,
                                         .fused_update = (bits & 4) != 0};
        row.work = bits & 8 ? F2L_WIDTH_FP32 : F2L_WIDTH_FORMAT;
        row.state = bits & 16 ? F2L_WIDTH_FP32 : F2L_WIDTH_FORMAT;
        if (row.state == F2L_WIDTH_FP32 && row.work == F2L_WIDTH_FORMAT) continue;
        snprintf(name, sizeof name, "row %d", bits);
        row.name = name;
        size_t compared = 0;
        for (size_t i = 0; i < COUNT(narrow); i++) {
            /* The reference takes the sums of a vector in another order, and with them choices. */
            const bool chosen = strstr(narrow[i], "stochastic") && row.work == F2L_WIDTH_FORMAT;
            if (!(chosen && row.order.sum == F2L_SUM_HALVES))
                compared += compare_row(&row, narrow[i], seed++, 3);
        }
        for (size_t i = 0; i < COUNT(wide) && row.work == F2L_WIDTH_FORMAT; i++)
            compared += compare_row(&row, wide[i], seed++, 3);
        cr_assert(compared > 18 * COUNT(narrow), "%s: %zu", name, compared);
    }
}

Test(schedules, every_is_what_the_header_says)
{
    for (size_t i = 0; i < COUNT(narrow); i++) compare("every", narrow[i], 300 + i, 15);
    for (size_t i = 0; i < COUNT(wide); i++) compare("every", wide[i], 320 + i, 15);
    compare("every", "p=53,emin=-1022,emax=1023,round=up", 330, 15);
}

Test(schedules, fma_is_what_the_header_says)
{
    for (size_t i = 0; i < COUNT(narrow); i++) compare("fma", narrow[i], 340 + i, 15);
    for (size_t i = 0; i < COUNT(wide); i++) compare("fma", wide[i], 360 + i, 15);
}

Test(schedules, acc32_is_what_the_header_says)
{
    for (size_t i = 0; i < COUNT(narrow); i++) compare("acc32", narrow[i], 380 + i, 15);
}

Test(schedules, recurrent_is_what_the_header_says)
{
    for (size_t i = 0; i < COUNT(narrow); i++) compare("recurrent", narrow[i], 400 + i, 20);
}

Test(schedules, cast_is_what_the_header_says)
{
    for (size_t i = 0; i < COUNT(narrow); i++) compare("cast", narrow[i], 420 + i, 15);
    for (size_t i = 0; i < COUNT(wide); i++) compare("cast", wide[i], 440 + i, 15);
}

Test(schedules, normalised_keys_are_what_the_header_says)
{
    static const char *const text[] = {"every,eps=1e-6,raw=16",
                                       "fma,eps=0,raw=0.3",
                                       "acc32,eps=1e-6",
                                       "recurrent,eps=1e-6,raw=0.5",
                                       "every,norm=quotient,squares=halves,eps=1e-6",
                                       "recurrent,norm=rsqrt,eps=0.1,raw=3",
                                       "recurrent,norm=outside,squares=halves,eps=0.01,raw=5",
                                       "recurrent,norm=max,eps=3",
                                       "recurrent,beta=fp32,decay=fp32",
                                       "acc32,beta=fp32",
                                       "fma,norm=rms,eps=1e-6,raw=7"};
    for (size_t i = 0; i < COUNT(text); i++)
        for (size_t k = 0; k < 6; k++) compare(text[i], narrow[k], 460 + 10 * i + k, 8);
}

/* Sums near the largest value and near 2^emin, where the fast way of rounding ends. */
Test(schedules, formats_end_where_they_should)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 485, 0);
    for (size_t c = 0; c < COUNT(narrow); c++) {
        char name[F2L_FORMAT_NAME];
        f2l_net net;
        f2l_format format;
        f2l_float_net *fast;
        size_t ends = 0;
        cr_assert_eq(f2l_format_parse(&format, name, narrow[c], NULL), F2L_OK);
        if (format.rounding == F2L_ROUND_STOCHASTIC) continue;
        sample_read(&net, SAMPLE_PARITY);
        sample_push(&net.layer[0].head[0].letter[0].bias, 0, 1, 1);
        cr_assert_eq(f2l_float_net_new(&fast, &net, &format, f2l_schedule_find("every"), NULL),
                     F2L_OK);
        double *bias = &fast->layer[0].head[0].bias[0];
        for (size_t t = 0; t < 4000; t++) {
            const int exponent = t % 2 ? format.emax : format.emin;
            double state = f2l_format_round_nearest(
                &format, ldexp((double)(f2l_rng_u64(&rng) >> 11), exponent - 52));
            *bias = f2l_format_round_nearest(&format,
                                             ldexp((double)(f2l_rng_u64(&rng) >> 11),
                                                   exponent - 52 - (int)f2l_rng_below(&rng, 8)));
            if (f2l_rng_below(&rng, 2)) *bias = -*bias;
            if (!isfinite(state) || !isfinite(*bias)) continue;
            const double expected = f2l_format_op_mpfr(&format, F2L_ADD, state, *bias);
            f2l_float_step_layer(fast, 0, 0, &state, NULL);
            cr_assert(reference_same(state, expected), "seed 485, %s: %a, not %a", name, state,
                      expected);
            ends += !isfinite(expected) || fabs(expected) == format.largest ||
                    fabs(expected) < ldexp(1, format.emin);
        }
        cr_assert(ends > 100, "%s: %zu", name, ends);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
}

/* A wired head does its slots one after the other, and acc32 rounds after the last one, not after
 * each. */
Test(schedules, step_wired_heads_slot_by_slot)
{
    static const char *const names[] = {"fma", "acc32", "recurrent", "cast"};
    const sample_shape shape = {1, 1, 3, 5, 3, 3, 1, false, 12};
    const f2l_format *bf16 = f2l_format_find("bf16");
    size_t rounded = 0;
    f2l_rng rng;
    f2l_rng_init(&rng, 480, 0);
    for (size_t n = 0; n < 80; n++) {
        f2l_net net;
        f2l_float_net *run;
        wired_one_head(&net, &rng, &shape);
        const f2l_wired_head *head = &net.block[0].head[0];
        const f2l_schedule *schedule = f2l_schedule_find(names[n % 4]);
        reference r = reference_of(bf16, schedule);
        const size_t numbers = head->head.n * head->head.d;
        double a[16], b[16], c[16];
        uint32_t label;
        cr_assert_eq(f2l_float_net_new(&run, &net, bf16, schedule, NULL), F2L_OK);
        for (size_t i = 0; i < numbers; i++)
            a[i] = b[i] = f2l_format_round(bf16, (double)f2l_rng_below(&rng, 1000) / 77 - 6);
        for (size_t t = 0; t < 6; t++) {
            const size_t x = f2l_rng_below(&rng, 3);
            memcpy(c, a, sizeof c);
            for (size_t slot = 0; slot < head->slots; slot++) {
                f2l_float_step_slot(run, 0, 0, slot, x, c);
                reference_letter(&r, &head->head, head->slot_at[slot] + x, b);
                for (size_t i = 0; i < numbers; i++)
                    cr_assert(reference_same(c[i], b[i]), "seed 480, network %zu", n);
            }
            reference_store(&r, head->head.n, head->head.d, b, NULL);
            cr_assert_eq(f2l_float_step(run, a, x, &label, NULL), F2L_OK);
            for (size_t i = 0; i < numbers; i++) {
                cr_assert(reference_same(a[i], b[i]),
                          "seed 480, network %zu, letter %zu: %a, not %a", n, t, a[i], b[i]);
                rounded += c[i] != b[i];
            }
        }
        f2l_float_net_free(run);
        f2l_net_clear(&net);
    }
    cr_assert(rounded > 50, "%zu", rounded);
}

Test(schedules, chunk64_and_wide_formats_are_not_for_wired_networks)
{
    f2l_net net;
    f2l_float_net *run;
    f2l_error err = {0};
    wired_read(&net, SAMPLE_WIRED);
    cr_assert_eq(
        f2l_float_net_new(&run, &net, f2l_format_find("bf16"), f2l_schedule_find("chunk64"), &err),
        F2L_EDOMAIN);
    cr_assert(run == NULL && strstr(err.text, "chunk64") != NULL, "%s", err.text);
    cr_assert_eq(
        f2l_float_net_new(&run, &net, f2l_format_find("fp64"), f2l_schedule_find("acc32"), &err),
        F2L_EDOMAIN);
    f2l_net_clear(&net);
}

/* Makes a head of n coordinates whose letter 1 has one factor; the test fills in its u. */
static f2l_factor *one_head(f2l_net *net, size_t n)
{
    sample_read(net, SAMPLE_PARITY);
    net->layer[0].head[0].n = n;
    f2l_factor *factor = &net->layer[0].head[0].letter[1].factor[0];
    f2l_qvec_clear(&factor->u);
    f2l_qvec_init(&factor->u);
    return factor;
}

/* The order of the sum shows for p_i = 2^a_i of different sizes, in n = 3, 5, 6, 8 coordinates,
 * against sums that are written out. */
Test(schedules, recurrent_sums_by_halves)
{
    static const struct {
        size_t n;
        float p[8];
    } rows[] = {{3, {1, 0x1p-24f, 0x1p-24f}},
                {3, {0x1p-24f, 1, 0x1p-24f}},
                {5, {1, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f}},
                {6, {1, 0x1p-24f, 0x1p-24f, -1, 0x1p-24f, 0x1p-24f}},
                {6, {0x1p-24f, 1, 0x1p-25f, 0x1p-24f, 0x1.8p-24f, -1}},
                {8, {1, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f}},
                {8, {0x1p24f, 1, -0x1p24f, 1, 3, 1, -3, 0x1.8p-10f}}};
    size_t differs = 0;
    for (size_t c = 0; c < COUNT(rows); c++) {
        f2l_net net;
        f2l_float_net *fast;
        const size_t n = rows[c].n;
        f2l_factor *factor = one_head(&net, n);
        net.layer[0].head[0].raw = true;
        mpq_set_ui(factor->beta, 1, 8);
        for (uint32_t i = 0; i < n; i++) sample_push(&factor->u, i, 1, 1);
        cr_assert_eq(f2l_float_net_new(&fast, &net, f2l_format_find("fp32"),
                                       f2l_schedule_find("recurrent"), NULL),
                     F2L_OK);
        const float *p = rows[c].p;
        /* N = 4 and N = 8; missing coordinates are 0 */
        const float sum = n <= 4
                              ? (p[0] + p[2]) + (p[1] + p[3])
                              : ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        float left_to_right = 0;
        double state[8];
        for (size_t i = 0; i < n; i++) {
            left_to_right += p[i];
            state[i] = (double)p[i];
        }
        differs += sum != left_to_right;
        f2l_float_step_head(fast, 0, 0, 1, state);
        for (size_t i = 0; i < n; i++) {
            const double exact = (double)p[i] - (double)sum / 8; /* double holds all bits */
            cr_assert_eq(state[i], (double)(float)exact, "case %zu, number %zu: %a", c, i,
                         state[i]);
        }
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
    cr_assert(differs >= 4, "%zu", differs);
}

/* Computes the key (1/2, 1/2, -1/2, -1/2), normalised with eps = 1e-6. */
static void normalised_key(double key[4], const char *schedule_text, const char *format)
{
    f2l_net net;
    f2l_float_net *fast;
    f2l_schedule schedule;
    char name[F2L_SCHEDULE_NAME];
    f2l_error err = {0};
    f2l_factor *factor = one_head(&net, 4);
    for (uint32_t i = 0; i < 4; i++) sample_push(&factor->u, i, i < 2 ? 1 : -1, 2);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, schedule_text, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_float_net_new(&fast, &net, f2l_format_find(format), &schedule, &err), F2L_OK,
                 "%s", err.text);
    const f2l_float_head *head = &fast->layer[0].head[0];
    cr_assert_eq(head->key_first[1], 4);
    for (size_t i = 0; i < 4; i++) key[head->row[i]] = head->key[i];
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

Test(schedules, normalisation_with_an_epsilon_is_exact_for_large_raw_keys_only)
{
    /* s = 1024 + 1e-6 is 1024 in fp32; s = 1 + 1e-6 is not 1, and 1 / sqrt(s) is 1 - 4.8e-7 */
    static const struct {
        const char *schedule, *format;
        bool exact;
    } rows[] = {{"recurrent,eps=1e-6,raw=16", "fp32", true},
                {"recurrent,eps=1e-6,raw=0.5", "fp32", false},
                {"recurrent,eps=1e-6,raw=16", "bf16", true},
                {"recurrent,eps=1e-6,raw=0.5", "bf16", false},
                {"every,eps=1e-6,raw=16", "fp32", true},
                {"every,eps=1e-6,raw=0.5", "fp32", false},
                {"every,eps=1e-6,raw=16", "bf16", true},
                {"every,eps=1e-6,raw=0.5", "bf16", true},
                {"chunk64,eps=1e-6,raw=0.5", "fp16", true},
                {"chunk64,eps=1e-6,raw=0.5", "fp32", false},
                {"every,eps=0,raw=0.5", "fp32", true},
                /* Each form has its own least length, 2 raw. */
                {"recurrent,norm=quotient,eps=1e-6,raw=2", "fp32", true},
                {"recurrent,norm=quotient,eps=1e-6", "fp32", false},
                {"recurrent,norm=rsqrt,eps=1e-6,raw=4", "fp32", true},
                {"recurrent,norm=rsqrt,eps=1e-6,raw=2", "fp32", false},
                {"recurrent,norm=outside,eps=1e-6,raw=16", "fp32", true},
                {"recurrent,norm=outside,eps=1e-6,raw=8", "fp32", false},
                {"recurrent,norm=max,eps=1e-6,raw=0.5", "fp32", true},
                {"recurrent,norm=max,eps=2,raw=0.5", "fp32", false},
                {"recurrent,norm=rms,eps=1e-6,raw=8", "fp32", true},
                {"recurrent,norm=rms,eps=1e-6,raw=4", "fp32", false},
                {"recurrent,norm=rsqrt,squares=halves,eps=1e-6,raw=4", "fp32", true},
                {"chunk64,norm=rsqrt,eps=1e-6,raw=4", "fp16", true}};
    for (size_t c = 0; c < COUNT(rows); c++) {
        double key[4];
        normalised_key(key, rows[c].schedule, rows[c].format);
        for (size_t i = 0; i < 4; i++) {
            const double exact = i < 2 ? 0.5 : -0.5;
            cr_assert_eq(key[i] == exact, rows[c].exact, "%s in %s: %a", rows[c].schedule,
                         rows[c].format, key[i]);
            cr_assert(fabs(key[i] - exact) < (strstr(rows[c].schedule, "eps=2") ? 1 : 3e-7));
        }
    }
}

/* A gate 2/3, and S becomes S (1 - 4/3): both are rounded in bf16, and otherwise in fp32. */
Test(schedules, beta_and_gate_in_fp32_change_the_state)
{
    static const struct {
        const char *schedule;
        float beta, gate;
    } rows[] = {{"recurrent", 0x1.56p0F, 0x1.56p-1F},
                {"recurrent,beta=fp32", 0x1.555556p0F, 0x1.56p-1F},
                {"recurrent,decay=fp32", 0x1.56p0F, 0x1.555556p-1F}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        f2l_net net;
        f2l_float_net *fast;
        f2l_schedule schedule;
        char name[F2L_SCHEDULE_NAME];
        sample_read(&net, SAMPLE_PARITY);
        f2l_transition *letter = &net.layer[0].head[0].letter[1];
        mpq_set_ui(letter->factor[0].beta, 4, 3);
        mpq_set_ui(letter->gate, 2, 3);
        cr_assert_eq(f2l_schedule_parse(&schedule, name, rows[i].schedule, NULL), F2L_OK);
        cr_assert_eq(f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), &schedule, NULL),
                     F2L_OK);
        double state = 1;
        const float r = rows[i].beta * rows[i].gate;
        f2l_float_step_head(fast, 0, 0, 1, &state);
        cr_assert_eq(state, (double)fmaf(-1.0F, r, rows[i].gate), "%s: %a", name, state);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
}

Test(schedules, refuses_keys_that_cannot_be_normalised)
{
    static const char *const text[] = {"every,eps=1e-6,raw=1e-20", "every,eps=0,raw=60000"};
    for (size_t i = 0; i < COUNT(text); i++) {
        f2l_net net;
        f2l_float_net *fast;
        f2l_schedule schedule;
        char name[F2L_SCHEDULE_NAME];
        f2l_error err = {0};
        sample_read(&net, SAMPLE_PARITY);
        cr_assert_eq(f2l_schedule_parse(&schedule, name, text[i], NULL), F2L_OK);
        cr_assert_eq(f2l_float_net_new(&fast, &net, f2l_format_find("e4m3"), &schedule, &err),
                     F2L_EDOMAIN);
        cr_assert(fast == NULL && strstr(err.text, "normalise") != NULL, "%s", err.text);
        f2l_net_clear(&net);
    }
}

Test(schedules, chunk64_has_weights_and_no_step)
{
    f2l_net net;
    f2l_float_net *fast;
    f2l_error err = {0};
    double joint[5];
    uint32_t label;
    sample_s3_layers(&net);
    cr_assert_eq(
        f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), f2l_schedule_find("chunk64"), &err),
        F2L_OK, "%s", err.text);
    const f2l_float_head *head = &fast->layer[1].head[0];
    const size_t kinds = fast->layer[1].same.count;
    cr_assert(kinds < 12 && head->first[kinds] == kinds); /* one factor for each */
    for (size_t x = 0; x < 12; x++) {                     /* rows are stored as row numbers */
        const f2l_qvec *u = &net.layer[1].head[0].letter[x].factor[0].u;
        const size_t f = f2l_float_letter(&fast->layer[1], x);
        cr_assert_eq(head->key_first[f + 1] - head->key_first[f], u->count);
        for (size_t k = head->key_first[f], i = 0; k < head->key_first[f + 1]; k++, i++)
            cr_assert(head->row[k] == u->index[i] && head->key[k] == mpq_get_d(u->value[i]));
    }
    f2l_float_start(fast, joint);
    cr_assert_eq(f2l_float_step(fast, joint, 0, &label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_schedule_state_format(fast->schedule, fast->format), f2l_format_find("fp32"));
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
static f2l_status make_roughly(const f2l_net *net, const char *schedule)
{
    f2l_float_net *fast;
    f2l_status status =
        f2l_float_net_new(&fast, net, f2l_format_find("fp16"), f2l_schedule_find(schedule), NULL);
    cr_assert((status == F2L_OK) == (fast != NULL));
    f2l_float_net_free(fast);
    return status;
}

Test(schedules, survive_every_failed_allocation)
{
    f2l_net net;
    sample_read(&net, SAMPLE_RAW);
    for (size_t k = 0; f2l_schedules[k].name; k++) {
        size_t failures = 0;
        for (size_t n = 1; failures + 1 == n; n++) {
            f2l_mem_fail_after(n, n % 2 == 0);
            f2l_status status = make_roughly(&net, f2l_schedules[k].name);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s, allocation %zu",
                      f2l_schedules[k].name, n);
            if (status == F2L_ENOMEM) failures++;
        }
        cr_assert(failures > 30, "%s: %zu", f2l_schedules[k].name, failures);
    }
    f2l_net_clear(&net);
}
#endif
