#include "tests/support/theory/horizon_support.h"
#include "tests/support/theory/r1_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/horizon/impl.h"
#include "theory/construct/dihedral/dihedral.h"

static f2l_horizon horizon_of(const f2l_net *net, const char *format, const char *schedule,
                              uint64_t cap)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_horizon out;
    f2l_schedule how;
    f2l_error err = {0};
    cr_assert_eq(f2l_schedule_parse(&how, name, schedule, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_horizon_find(&out, NULL, NULL, net, f2l_format_find(format), &how, cap, NULL, &err),
        F2L_OK, "%s", err.text);
    return out;
}

static f2l_closure close_in(const horizon_sample *s, const char *format, size_t rows)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_float(&c, &s->net, &s->fsa, f2l_format_find(format),
                                   f2l_schedule_find("every"), rows, NULL, &err),
                 F2L_OK, "%s", err.text);
    return c;
}

/* A network of one letter closes in a format (H7); only this form of the rotation has such a
 * letter. */
Test(horizon, one_rotation_closes)
{
    static const struct {
        const char *format;
        f2l_status verdict;
        size_t rows, word;
    } want[] = {{"bf16", F2L_REFUTED, 0, 256}, {"fp16", F2L_OK, 6, 0}, {"fp32", F2L_OK, 12, 0}};
    static const int turn[] = {1};
    horizon_sample s;
    horizon_rotations(&s, turn, 1);
    f2l_closure exact;
    f2l_closure_init(&exact);
    cr_assert_eq(f2l_closure_exact(&exact, &s.net, &s.fsa, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(exact.verdict, F2L_OK);
    cr_assert_eq(exact.rows, 5);
    f2l_closure_clear(&exact);
    for (size_t i = 0; i < 3; i++) {
        f2l_closure c = close_in(&s, want[i].format, 0);
        cr_assert_eq(c.verdict, want[i].verdict, "%s", want[i].format);
        if (want[i].rows) cr_assert_eq(c.rows, want[i].rows, "%s: %zu", want[i].format, c.rows);
        cr_assert_eq(c.word_length, want[i].word, "%s: %zu", want[i].format, c.word_length);
        f2l_closure_clear(&c);
        const f2l_horizon h = horizon_of(&s.net, want[i].format, "every", 0);
        cr_assert(h.known && !h.for_ever && !h.capped);
        if (want[i].word) cr_assert_lt(h.letters, want[i].word);
        cr_assert_gt(h.letters,
                     i == 0   ? 10
                     : i == 1 ? 100
                              : 900000,
                     "%s: %llu", want[i].format, (unsigned long long)h.letters);
    }
    horizon_sample_clear(&s);
}

/* bf16 fails; the other formats last longer than the certified horizon. */
Test(horizon, all_rotations)
{
    static const int turn[] = {1, 2, 3, 4, 0};
    static const struct {
        const char *format;
        uint64_t least, letters;
    } want[] = {{"bf16", 10, 20000}, {"fp16", 90, 20000}, {"fp32", 700000, 1100000}};
    horizon_sample s;
    horizon_rotations(&s, turn, 5);
    for (size_t i = 0; i < 3; i++) {
        f2l_horizon h;
        cr_assert(horizon_agrees(&s, want[i].format, "every", want[i].letters, 1, &h));
        cr_assert_geq(h.letters, want[i].least, "%s: %llu", want[i].format,
                      (unsigned long long)h.letters);
        cr_assert_leq(h.letters, want[i].letters);
        cr_assert_float_eq(h.margin, sin(acos(-1) / 5), 1e-9);
    }
    horizon_sample_clear(&s);
}

static const char swaps_of_5[] =
    "points 5\ntrack elements\npermute a (1 2)\npermute b (2 3)\npermute c (3 4)\n"
    "permute d (4 5)\n";

Test(horizon, nothing_rounds)
{
    static const char *const formats[] = {"bf16", "fp16", "fp32", "e4m3", "bf16,round=stochastic"};
    horizon_sample s;
    horizon_permutations(&s, swaps_of_5, false);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t k = 0; k < 5; k++) {
            f2l_horizon h;
            cr_assert(horizon_agrees(&s, formats[f], horizon_schedules[k], 500, 1, &h));
            cr_assert(h.for_ever, "%s %s: %llu", formats[f], horizon_schedules[k],
                      (unsigned long long)h.letters);
        }
    horizon_sample_clear(&s);
}

/* With keys rounded to bf16 and the state in fp32 the network fails, but not within the horizon. */
Test(horizon, naive_keys)
{
    horizon_sample s;
    f2l_horizon h;
    horizon_permutations(&s, swaps_of_5, true);
    cr_assert(horizon_agrees(&s, "bf16", "recurrent", 20000, 7, &h));
    cr_assert(!h.for_ever && h.letters > 500 && h.letters < 1623, "%llu",
              (unsigned long long)h.letters);
    cr_assert(horizon_agrees(&s, "fp32", "recurrent", 20000, 7, &h));
    cr_assert(!h.for_ever && h.letters > 300000, "%llu", (unsigned long long)h.letters);
    horizon_sample_clear(&s);
}

/* A state in 16 bits with a scale drifts by half a unit a letter: bounds last for a hundred letters
 * and more. What is decoded is bounded as it is read, so that a cast to bf16 before the decoder
 * costs one rounding and not one a letter. Where all gates are 1 their place is no matter. */
Test(horizon, stores_of_engines)
{
    static const struct {
        const char *schedule;
        uint64_t least;
    } want[] = {
        {"serving,state=int16,scale=amax", 100},
        {"serving,state=int16,scale=amax,read=unstored,gate=late,quotient=two", 100},
        {"serving,state=int8:stochastic,scale=amax,quotient=two,draw=floor:24,read=unstored", 1},
        {"recurrent,read=unstored", 500},
        {"recurrent,output=fp16", 500}};
    horizon_sample s;
    horizon_permutations(&s, swaps_of_5, true);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        f2l_horizon h;
        cr_assert(horizon_agrees(&s, "bf16", want[i].schedule, 3000, 7, &h));
        cr_assert(!h.for_ever && h.letters >= want[i].least, "%s: %llu", want[i].schedule,
                  (unsigned long long)h.letters);
    }
    const uint64_t stored = horizon_of(&s.net, "bf16", "recurrent", 0).letters;
    const uint64_t cast = horizon_of(&s.net, "bf16", "recurrent,output=e4m3", 0).letters;
    cr_assert(cast > 0 && cast < stored, "%llu, %llu", (unsigned long long)cast,
              (unsigned long long)stored);
    horizon_sample_clear(&s);
}

/* The margin is of distances: where codes differ in length, the nearest direction is another one.
 */
Test(horizon, directions)
{
    horizon_sample s;
    horizon_permutations(&s, swaps_of_5, true);
    const f2l_horizon nearest = horizon_of(&s.net, "bf16", "recurrent", 0);
    const f2l_horizon linear = horizon_of(&s.net, "bf16", "recurrent,decode=linear", 0);
    cr_assert(nearest.known && linear.known && nearest.letters == linear.letters);
    f2l_qvec *code = &s.net.layer[0].code[0];
    mpq_mul_2exp(code->value[0], code->value[0], 1);
    const f2l_horizon longer = horizon_of(&s.net, "bf16", "recurrent,decode=linear", 0);
    cr_assert(!longer.known && strstr(longer.reason, "`decode`"), "%s", longer.reason);
    horizon_sample_clear(&s);
}

/* Checks the bound against simulations, on random networks, in many formats and all schedules. */
static void check_random(uint64_t seed, horizon_kinds kinds, size_t networks)
{
    f2l_rng r;
    size_t judged = 0;
    f2l_rng_init(&r, seed, 0);
    for (size_t i = 0; i < networks; i++) {
        horizon_sample s;
        horizon_random(&s, &r, kinds);
        for (size_t f = 0; f < HORIZON_FORMATS; f++)
            for (size_t k = 0; k < HORIZON_SCHEDULES; k++) {
                f2l_horizon h;
                judged +=
                    horizon_agrees(&s, horizon_formats[f], horizon_schedules[k], 300, seed + i, &h);
            }
        horizon_sample_clear(&s);
    }
    cr_assert_gt(judged, networks * HORIZON_FORMATS * 3);
}

Test(horizon, random_reflections)
{
    check_random(1, (horizon_kinds){0}, 6);
}

Test(horizon, random_resets)
{
    check_random(2, (horizon_kinds){.resets = true}, 6);
}

Test(horizon, random_biases)
{
    check_random(3, (horizon_kinds){.resets = true, .bias = true}, 4);
}

Test(horizon, random_raw_keys)
{
    check_random(4, (horizon_kinds){.resets = true, .bias = true, .raw = true}, 4);
}

static void check_everywhere(const horizon_sample *s, uint64_t letters)
{
    for (size_t f = 0; f < HORIZON_FORMATS; f++)
        for (size_t k = 0; k < HORIZON_SCHEDULES; k++) {
            f2l_horizon h;
            (void)horizon_agrees(s, horizon_formats[f], horizon_schedules[k], letters, f + k, &h);
        }
}

Test(horizon, permutations_in_all_formats)
{
    static const char *const text[] = {"points 3\n"
                                       "track points 1\n"
                                       "permute a (1 2)\n"
                                       "permute b (2 3)\n",
                                       "points 4\n"
                                       "track elements\n"
                                       "permute a (1 2 3 4)\n"
                                       "permute b (1 2)\n"};
    for (size_t i = 0; i < 2; i++) {
        horizon_sample s;
        horizon_permutations(&s, text[i], true);
        check_everywhere(&s, 400);
        horizon_sample_clear(&s);
    }
}

/* T5: the lower layer is a sign, the upper one has the reflections of the pentagon. */
Test(horizon, two_layers)
{
    horizon_sample s = {.name = "T5"};
    f2l_dihedral_report report;
    f2l_error err = {0};
    fsa_from_text(&s.fsa, "points 5\n"
                          "track points 1\n"
                          "permute a (1 2 3 4 5)\n"
                          "permute b (1 3 5 2 4)\n");
    f2l_net_init(&s.net);
    cr_assert_eq(f2l_dihedral_build(&s.net, &report, &s.fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK,
                 "%s", err.text);
    memcpy(s.net.fsa_sha256, SAMPLE_SHA, sizeof s.net.fsa_sha256);
    check_everywhere(&s, 300);
    const f2l_horizon h = horizon_of(&s.net, "fp32", "every", 0);
    cr_assert(h.known && h.layer == 1 && h.letters > 100000, "%zu %llu", h.layer,
              (unsigned long long)h.letters);
    horizon_sample_clear(&s);
}

/* Z_5 x Z_5 has two heads with forms over a field. */
Test(horizon, two_heads)
{
    r1_sample r = {0};
    r1_open_text(&r, "Z5 x Z5",
                 "points 10\n"
                 "track elements\n"
                 "permute a (1 2 3 4 5)\n"
                 "permute b (6 7 8 9 10)\n");
    r1_build(&r, F2L_R1_GROUP, F2L_LABEL_STATES);
    cr_assert_eq(r.net.layer[0].heads, 2);
    memcpy(r.net.fsa_sha256, SAMPLE_SHA, sizeof r.net.fsa_sha256);
    horizon_sample s = {.name = "Z5 x Z5", .fsa = r.fsa, .net = r.net};
    check_everywhere(&s, 300);
    r1_close(&r);
}

/* Every letter forgets the state: errors stay, but do not grow. */
Test(horizon, errors_that_stay)
{
    horizon_sample s;
    f2l_horizon h;
    fsa_from_text(&s.fsa, "start p\np a p\np b q\nq a p\nq b q\n");
    hand_net(&s.net, &s.fsa, F2L_LABEL_STATES, 1);
    static const long one[] = {1};
    static const long codes[] = {1, 2};
    snprintf(s.name, sizeof s.name, "resets");
    f2l_head *head = hand_head(&s.net, 0, 2, 1, one);
    for (size_t x = 0; x < 2; x++) hand_factor(head, x, 1, one, (long)x + 1);
    hand_codes(&s.net, 0, 2, codes);
    /* 1/3 is in no format. */
    for (size_t x = 0; x < 2; x++) mpq_set_ui(head->letter[x].factor[0].c.value[0], x + 1, 3);
    mpq_set_ui(head->initial.value[0], 1, 3);
    for (size_t c = 0; c < 2; c++) mpq_set_ui(s.net.layer[0].code[c].value[0], c + 1, 3);
    for (size_t f = 0; f < 12; f++)
        for (size_t k = 0; k < 5; k++)
            if (horizon_agrees(&s, horizon_formats[f], horizon_schedules[k], 200, 1, &h))
                cr_assert(h.for_ever, "%s %s: %llu", horizon_formats[f], horizon_schedules[k],
                          (unsigned long long)h.letters);
    horizon_sample_clear(&s);
}

/* A letter that is not orthogonal: 3/4 of the state goes, 3/4 of the code comes back. The error is
 * at most four thirds of the error that one step adds, so the contraction is used. */
Test(horizon, contraction_is_seen)
{
    horizon_sample s;
    f2l_horizon h;
    fsa_from_text(&s.fsa, "start p\np a p\n");
    hand_net(&s.net, &s.fsa, F2L_LABEL_STATES, 1);
    static const long one[] = {1};
    static const long codes[] = {1, 3};
    f2l_head *head = hand_head(&s.net, 0, 1, 1, one);
    hand_factor(head, 0, 1, one, 1);
    mpq_set_ui(head->letter[0].factor[0].beta, 3, 4);
    cr_assert_eq(f2l_layer_set_codes(&s.net.layer[0], 2, 1, false, NULL), F2L_OK);
    for (size_t c = 0; c < 2; c++) hand_vector(&s.net.layer[0].code[c], codes + c, 1);
    s.net.layer[0].symbol[0] = 0;
    mpq_set_ui(head->letter[0].factor[0].c.value[0], 1, 3);
    mpq_set_ui(head->initial.value[0], 1, 3);
    mpq_set_ui(s.net.layer[0].code[0].value[0], 1, 3);
    mpq_set_ui(s.net.layer[0].code[1].value[0], 5, 6);
    snprintf(s.name, sizeof s.name, "contraction");
    static const char *const formats[] = {"bf16", "fp16", "fp32", "bf16,round=stochastic",
                                          "fp16,round=up"};
    for (size_t f = 0; f < 5; f++) {
        cr_assert(horizon_agrees(&s, formats[f], "every", 200, 1, &h));
        cr_assert(h.for_ever, "%s: %llu", formats[f], (unsigned long long)h.letters);
    }
    horizon_sample_clear(&s);
}

/* Returns the horizon of the only layer from its start, by leaps alone or by single letters alone;
 * *growing is set when some matrix has a norm above 1. */
static uint64_t run_only(const horizon_sample *s, const char *format, const char *schedule,
                         bool leaps, uint64_t cap, bool *growing)
{
    const f2l_format *f = f2l_format_find(format);
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule parsed;
    const f2l_schedule *how = &parsed;
    f2l_float_net *net;
    f2l_code_graph *graph;
    f2l_horizon_layer h;
    double start[16];
    cr_assert_eq(f2l_schedule_parse(&parsed, name, schedule, NULL), F2L_OK);
    cr_assert_eq(f2l_float_net_new(&net, &s->net, f, how, NULL), F2L_OK);
    cr_assert_leq(f2l_float_size(net), 16);
    f2l_float_start(net, start);
    cr_assert_eq(f2l_code_graphs_find(&graph, &s->net, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_horizon_layer_init(&h, net, 0, graph, f, how, NULL, NULL), F2L_OK);
    h.error[graph->start] = f2l_step_distance(&h.bounds, graph->start, start);
    for (size_t x = 0; x < s->net.layer[0].letters; x++)
        *growing = *growing || h.bounds.growth[x] > 1;
    if (leaps) cr_assert_eq(f2l_horizon_leap(&h, cap, NULL), F2L_OK);
    while (!leaps && h.letters < cap && f2l_horizon_letter(&h)) continue;
    const uint64_t letters = h.letters;
    f2l_horizon_layer_clear(&h);
    f2l_code_graphs_free(graph, 1);
    f2l_float_net_free(net);
    return letters;
}

/* Leaps bound the same errors, so they cannot give a longer horizon than single letters; and it is
 * hardly shorter. */
Test(horizon, leaps_against_letters)
{
    static const int turn[] = {1, 2, 3, 4, 0};
    static const char *const formats[] = {"bf16", "fp16", "e5m2", "tf32", "fp32"};
    static const char *const schedules[] = {"every",
                                            "fma",
                                            "acc32",
                                            "recurrent",
                                            "cast",
                                            "recurrent,read=unstored",
                                            "recurrent,output=e4m3",
                                            "serving,state=int16,scale=amax,read=unstored"};
    horizon_sample s[3];
    bool growing = false;
    horizon_rotations(&s[0], turn, 5);
    horizon_permutations(&s[1],
                         "points 3\n"
                         "track elements\n"
                         "permute a (1 2)\n"
                         "permute b (2 3)\n",
                         true);
    horizon_permutations(&s[2],
                         "points 4\n"
                         "track elements\n"
                         "permute a (1 2 3 4)\n"
                         "permute b (1 2)\n",
                         true);
    for (size_t i = 0; i < 3; i++) {
        for (size_t f = 0; f < 5; f++)
            for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
                const uint64_t cap = 100000;
                const uint64_t one =
                    run_only(&s[i], formats[f], schedules[k], false, cap, &growing);
                const uint64_t leap =
                    run_only(&s[i], formats[f], schedules[k], true, cap, &growing);
                cr_assert(leap <= one, "%s %s %s: %llu by leaps, %llu", s[i].name, formats[f],
                          schedules[k], (unsigned long long)leap, (unsigned long long)one);
                cr_assert(leap >= one - one / 4 - (one < 64 ? one / 2 : 16),
                          "%s %s %s: %llu by leaps, %llu", s[i].name, formats[f], schedules[k],
                          (unsigned long long)leap, (unsigned long long)one);
            }
        horizon_sample_clear(&s[i]);
    }
    cr_assert(growing);
}

Test(horizon, what_has_none)
{
    horizon_sample s;
    horizon_permutations(&s, "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n", true);
    f2l_horizon h = horizon_of(&s.net, "bf16", "chunk64", 0);
    cr_assert(!h.known && h.reason[0] != '\0');
    /* The exact network reaches a state without a code. */
    s.net.layer[0].codes = 2;
    h = horizon_of(&s.net, "bf16", "every", 0);
    cr_assert(!h.known && strstr(h.reason, "without a code"), "%s", h.reason);
    s.net.layer[0].codes = 3;
    volatile sig_atomic_t cancel = 2;
    const f2l_task task = {.cancel = &cancel};
    cr_assert_eq(f2l_horizon_find(&h, NULL, NULL, &s.net, f2l_format_find("fp32"),
                                  f2l_schedule_find("every"), 0, &task, NULL),
                 F2L_OK);
    cr_assert(!h.known && strstr(h.reason, "interrupted"), "%s", h.reason);
    horizon_sample_clear(&s);
}

/* Leaps give no longer horizon than single letters do. */
Test(horizon, caps)
{
    static const int turn[] = {1, 2, 3, 4, 0};
    horizon_sample s;
    horizon_rotations(&s, turn, 5);
    const uint64_t all = horizon_of(&s.net, "fp32", "every", 0).letters;
    for (uint64_t cap = 1; cap < 10 * all; cap *= 7) {
        const f2l_horizon h = horizon_of(&s.net, "fp32", "every", cap);
        cr_assert_eq(h.capped, cap <= h.letters);
        cr_assert(cap < all ? h.letters == cap : h.letters == all, "cap %llu: %llu",
                  (unsigned long long)cap, (unsigned long long)h.letters);
    }
    cr_assert(horizon_of(&s.net, "fp64", "every", 0).capped);
    horizon_sample_clear(&s);
}

#ifdef F2L_MEM_FAILURES
Test(horizon, out_of_memory)
{
    horizon_sample s;
    f2l_horizon h;
    f2l_horizon_point *points;
    size_t count;
    horizon_permutations(&s, "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n", true);
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        cr_assert_lt(n, 2000);
        f2l_mem_fail_after(n, true);
        status = f2l_horizon_find(&h, &points, &count, &s.net, f2l_format_find("bf16"),
                                  f2l_schedule_find(n % 2 ? "cast" : "fma"), 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, f2l_status_name(status));
        if (status == F2L_OK) f2l_free(points);
    }
    horizon_sample_clear(&s);
}
#endif
