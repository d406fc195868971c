#include "tests/support/theory/horizon_support.h"

static const char swaps[] = "points 3\ntrack elements\npermute a (1 2)\npermute b (2 3)\n";

typedef struct seen {
    f2l_observed of[F2L_WORDS_KINDS];
    f2l_observed_point *point[F2L_WORDS_KINDS];
    size_t points[F2L_WORDS_KINDS];
} seen;

static void observe(seen *out, const horizon_sample *s, const char *format, const char *schedule,
                    uint64_t letters, uint64_t seed)
{
    f2l_format f;
    char name[F2L_FORMAT_NAME];
    f2l_error err = {0};
    f2l_net model;
    f2l_net_init(&model);
    model = s->net;
    const f2l_observe_options options = {
        .letters = letters, .seed = seed, .kinds = {true, true, true}};
    cr_assert_eq(f2l_format_parse(&f, name, format, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_observe(out->of, out->point, out->points, &model, &s->fsa, &f,
                             f2l_schedule_find(schedule), &options, NULL, &err),
                 F2L_OK, "%s", err.text);
}

static void drop(seen *s)
{
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) f2l_free(s->point[k]);
}

/* Replays the same random word and finds the first failure and the largest error up to each
 * length. */
static void replay(const seen *got, const horizon_sample *s, const char *format, uint64_t letters,
                   uint64_t seed)
{
    f2l_float_net *net;
    f2l_rng r;
    double state[64], largest = 0;
    size_t q = s->fsa.start, count = s->fsa.letters.count, points = 0;
    uint64_t failed = 0;
    f2l_rng_init(&r, seed, 0);
    cr_assert_eq(
        f2l_float_net_new(&net, &s->net, f2l_format_find(format), f2l_schedule_find("every"), NULL),
        F2L_OK);
    const size_t size = f2l_float_size(net);
    cr_assert_leq(size, 64);
    f2l_float_start(net, state);
    for (uint64_t t = 1; t <= letters && !failed; t++) {
        uint32_t label;
        double squares = 0;
        const size_t x = f2l_rng_below(&r, count);
        cr_assert_eq(f2l_float_step(net, state, x, &label, NULL), F2L_OK);
        q = s->fsa.next[q * count + x];
        const char *right = f2l_fsa_label(&s->fsa, s->net.label, q);
        if (label == F2L_NO_SYMBOL || strcmp(f2l_names_get(&s->net.labels, label), right) != 0)
            failed = t;
        if (failed) break;
        const f2l_qvec *code = NULL;
        for (size_t c = 0; c < s->net.layer[0].codes; c++)
            if (s->net.layer[0].symbol[c] == label) code = &s->net.layer[0].code[c];
        for (size_t i = 0, at = 0; i < size; i++) {
            const bool has = at < code->count && code->index[at] == i;
            const double off = state[i] - (has ? mpq_get_d(code->value[at++]) : 0);
            squares += off * off;
        }
        if (sqrt(squares) > largest) largest = sqrt(squares);
        if ((t & (t - 1)) != 0) continue;
        cr_assert_lt(points, got->points[F2L_WORDS_RANDOM]);
        cr_assert_eq(got->point[F2L_WORDS_RANDOM][points].length, t);
        cr_assert_float_eq(got->point[F2L_WORDS_RANDOM][points].error, largest, 1e-12);
        points++;
    }
    cr_assert_eq(got->of[F2L_WORDS_RANDOM].failed, failed);
    cr_assert_eq(got->points[F2L_WORDS_RANDOM], points);
    f2l_float_net_free(net);
}

Test(observe, random_words)
{
    static const char *const formats[] = {"bf16", "fp16", "e5m2", "e4m3"};
    horizon_sample s;
    horizon_permutations(&s, swaps, true);
    for (size_t f = 0; f < 4; f++) {
        seen got;
        observe(&got, &s, formats[f], "every", 3000, 5 + f);
        replay(&got, &s, formats[f], 3000, 5 + f);
        cr_assert(got.of[F2L_WORDS_RANDOM].failed || got.of[F2L_WORDS_RANDOM].letters == 3000);
        drop(&got);
    }
    horizon_sample_clear(&s);
}

/* One letter of bf16's rotation fails first after 256 letters (its closure is breadth-first, so
 * that this is exact), and all three kinds of words are this word. */
Test(observe, one_letter)
{
    static const int turn[] = {1};
    horizon_sample s;
    seen got;
    horizon_rotations(&s, turn, 1);
    observe(&got, &s, "bf16", "every", 1000, 1);
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) {
        cr_assert_eq(got.of[k].failed, 256, "%zu", k);
        cr_assert_eq(got.of[k].letters, 256);
        cr_assert_neq(got.of[k].label, got.of[k].expected);
        cr_assert(!got.of[k].cyclic);
    }
    cr_assert_str_eq(got.of[F2L_WORDS_RANDOM].word, "random, seed 1");
    cr_assert_str_eq(got.of[F2L_WORDS_PERIODIC].word, "(r1) repeated");
    drop(&got);
    observe(&got, &s, "fp16", "every", 1000, 1);
    cr_assert(got.of[F2L_WORDS_PERIODIC].cyclic);
    cr_assert_lt(got.of[F2L_WORDS_PERIODIC].letters, 64);
    cr_assert_eq(got.points[F2L_WORDS_PERIODIC], 10);
    cr_assert_eq(got.of[F2L_WORDS_RANDOM].letters, 1000);
    drop(&got);
    horizon_sample_clear(&s);
}

/* In S5 with keys in bf16 and the state in fp32, the greedy search finds a failure where random
 * words do not. */
Test(observe, greedy)
{
    horizon_sample s;
    seen got;
    horizon_permutations(&s,
                         "points 5\n"
                         "track elements\n"
                         "permute a (1 2)\n"
                         "permute b (2 3)\n"
                         "permute c (3 4)\n"
                         "permute d (4 5)\n",
                         true);
    observe(&got, &s, "bf16", "recurrent", 8000, 7);
    cr_assert_eq(got.of[F2L_WORDS_RANDOM].failed, 0);
    cr_assert_eq(got.of[F2L_WORDS_GREEDY].failed, 1623);
    drop(&got);
    horizon_sample_clear(&s);
}

Test(observe, chunks)
{
    horizon_sample s;
    seen got;
    horizon_permutations(&s, swaps, true);
    observe(&got, &s, "bf16", "chunk64", 3000, 3);
    cr_assert_gt(got.of[F2L_WORDS_PERIODIC].failed, 0);
    cr_assert_eq(got.points[F2L_WORDS_RANDOM], 0);
    cr_assert_eq(got.of[F2L_WORDS_GREEDY].letters, 0);
    drop(&got);
    horizon_sample_clear(&s);
    horizon_permutations(&s, swaps, false);
    observe(&got, &s, "bf16", "chunk64", 3000, 3);
    cr_assert(got.of[F2L_WORDS_RANDOM].failed == 0 && got.of[F2L_WORDS_RANDOM].letters == 3000);
    cr_assert_eq(got.of[F2L_WORDS_PERIODIC].failed, 0);
    drop(&got);
    horizon_sample_clear(&s);
}

/* The seed determines the stochastic choices. */
Test(observe, stochastic)
{
    horizon_sample s;
    seen a, b, c;
    horizon_permutations(&s, swaps, true);
    observe(&a, &s, "bf16,round=stochastic", "every", 20000, 1);
    observe(&b, &s, "bf16,round=stochastic", "every", 20000, 1);
    observe(&c, &s, "bf16,round=stochastic", "every", 20000, 2);
    cr_assert_gt(a.of[F2L_WORDS_RANDOM].failed, 0);
    cr_assert_eq(a.of[F2L_WORDS_RANDOM].failed, b.of[F2L_WORDS_RANDOM].failed);
    cr_assert_neq(a.of[F2L_WORDS_RANDOM].failed, c.of[F2L_WORDS_RANDOM].failed);
    cr_assert(!a.of[F2L_WORDS_PERIODIC].cyclic);
    drop(&a);
    drop(&b);
    drop(&c);
    horizon_sample_clear(&s);
}

Test(observe, stops_and_refusals)
{
    horizon_sample s;
    f2l_observed of[F2L_WORDS_KINDS];
    f2l_error err = {0};
    f2l_net model;
    horizon_permutations(&s, swaps, true);
    f2l_net_init(&model);
    model = s.net;
    const f2l_observe_options options = {.letters = 1000, .kinds = {true, false, true}};
    const f2l_format *bf16 = f2l_format_find("bf16");
    const f2l_schedule *every = f2l_schedule_find("every");
    volatile sig_atomic_t cancel = 2;
    const f2l_task task = {.cancel = &cancel};
    cr_assert_eq(f2l_observe(of, NULL, NULL, &model, &s.fsa, bf16, every, &options, &task, &err),
                 F2L_OK);
    cr_assert(of[F2L_WORDS_RANDOM].letters == 0 && !of[F2L_WORDS_PERIODIC].cyclic);
    cr_assert_eq(f2l_observe(of, NULL, NULL, &model, &s.fsa, f2l_format_find("fp64"),
                             f2l_schedule_find("recurrent"), &options, NULL, &err),
                 F2L_EDOMAIN);
    model.start = 1;
    cr_assert_eq(f2l_observe(of, NULL, NULL, &model, &s.fsa, bf16, every, &options, NULL, &err),
                 F2L_EDOMAIN);
    horizon_sample_clear(&s);
}

#ifdef F2L_MEM_FAILURES
Test(observe, out_of_memory)
{
    horizon_sample s;
    f2l_observed of[F2L_WORDS_KINDS];
    f2l_observed_point *point[F2L_WORDS_KINDS];
    size_t points[F2L_WORDS_KINDS];
    f2l_net model;
    horizon_permutations(&s, swaps, true);
    f2l_net_init(&model);
    model = s.net;
    const f2l_observe_options options = {.letters = 50, .kinds = {true, true, true}};
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        cr_assert_lt(n, 3000);
        f2l_mem_fail_after(n, true);
        status = f2l_observe(of, point, points, &model, &s.fsa, f2l_format_find("bf16"),
                             f2l_schedule_find(n % 2 ? "every" : "chunk64"), &options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, f2l_status_name(status));
        for (size_t k = 0; k < F2L_WORDS_KINDS; k++) f2l_free(point[k]);
    }
    horizon_sample_clear(&s);
}
#endif
