/* The closure by moving codes beside the closure that applies all factors: right networks, and
 * networks changed in one place. */
#include "models/network/net/head.h"
#include "numeric/base/mem.h"
#include "tests/support/certify/swaps_support.h"
#include "theory/certify/swaps/swaps.h"
#include <stdio.h>

#define SEED 20261126

static f2l_status closed(f2l_closure *out, const fixture *f)
{
    f2l_error err = {0};
    f2l_closure_init(out);
    cr_assert_eq(f2l_closure_exact(out, &f->net, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    return out->verdict;
}

static f2l_status moved(f2l_closure *out, const fixture *f)
{
    f2l_error err = {0};
    f2l_closure_init(out);
    cr_assert_eq(f2l_swaps_close(out, &f->net, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(out->swaps, out->verdict == F2L_OK);
    return out->verdict;
}

static bool same_numbers(const uint32_t *a, const uint32_t *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static void check_same(const f2l_closure *a, const f2l_closure *b)
{
    cr_assert_eq(a->verdict, b->verdict, "%s %s", a->reason, b->reason);
    cr_assert(a->rows == b->rows && a->layers == b->layers && a->letters == b->letters &&
              a->states == b->states);
    if (a->verdict == F2L_OK) {
        cr_assert(same_numbers(a->state, b->state, a->rows));
        cr_assert(same_numbers(a->joint, b->joint, a->rows));
        cr_assert(same_numbers(a->next, b->next, a->rows * a->letters));
    }
    if (a->verdict == F2L_REFUTED) {
        cr_assert_eq(a->word_length, b->word_length);
        cr_assert(same_numbers(a->word, b->word, a->word_length));
        cr_assert_str_eq(a->expected, b->expected);
        cr_assert_str_eq(a->got, b->got);
    }
}

/* Checks that both closures verify the network with the same table. */
static void check_agree(const fixture *f)
{
    f2l_closure a, b;
    cr_assert_eq(closed(&a, f), F2L_OK);
    cr_assert_eq(moved(&b, f), F2L_OK, "%s", b.reason);
    check_same(&a, &b);
    f2l_closure_clear(&a);
    f2l_closure_clear(&b);
}

Test(swaps, random_automata)
{
    for (size_t n = 2; n <= 200; n += n < 30 ? 1 : 17)
        for (size_t keys = 1; keys < 3; keys++) {
            fixture f;
            f2l_rng rng;
            f2l_rng_init(&rng, SEED, n);
            swaps_open(&f, n, 1 + n % 3, n % 2 ? F2L_LABEL_STATES : F2L_LABEL_ACCEPT,
                       all_keys[keys], &rng);
            check_agree(&f);
            t3_done(&f);
        }
}

/* Representations with fewer points than states: several orbits, and rows of several numbers. */
Test(swaps, families)
{
    static const struct {
        const char *kind;
        uint64_t n;
    } family[] = {{"cyclic", 60}, {"symmetric", 5}, {"dihedral", 12}, {"alternating", 5}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        for (size_t keys = 1; keys < 3; keys++) {
            fixture f;
            t3_open_family(&f, family[i].kind, family[i].n, true);
            cr_assert_lt(f.set.points, f.fsa.states.count);
            t3_build(&f, F2L_LABEL_STATES, all_keys[keys]);
            check_agree(&f);
            t3_done(&f);
        }
}

/* Gives every vector a second column with three times its numbers. */
static void widen(f2l_qvec *v)
{
    f2l_qvec wide;
    f2l_qvec_init(&wide);
    for (size_t i = 0; i < v->count; i++) {
        mpq_t three;
        mpq_init(three);
        mpq_set_ui(three, 3, 1);
        mpq_mul(three, three, v->value[i]);
        cr_assert_eq(f2l_qvec_push(&wide, 2 * v->index[i], v->value[i], NULL), F2L_OK);
        cr_assert_eq(f2l_qvec_push(&wide, 2 * v->index[i] + 1, three, NULL), F2L_OK);
        mpq_clear(three);
    }
    f2l_qvec_clear(v);
    *v = wide;
}

Test(swaps, columns)
{
    for (size_t n = 2; n < 30; n++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED + 5, n);
        swaps_open(&f, n, 2, F2L_LABEL_STATES, n % 2 ? F2L_T3_DOUBLED : F2L_T3_NAIVE, &rng);
        f2l_layer *layer = &f.net.layer[0];
        layer->head[0].d = 2;
        widen(&layer->head[0].initial);
        for (size_t c = 0; c < layer->codes; c++) widen(&layer->code[c]);
        check_agree(&f);
        t3_done(&f);
    }
}

/* Wherever codes can be moved the verdict is the closure's, with its word; else it is UNKNOWN. */
Test(swaps, changed_networks)
{
    size_t count[2][3] = {{0}}; /* by whether the form is kept, and by the verdict */
    for (uint64_t i = 0; i < 3000; i++) {
        fixture f;
        f2l_rng rng;
        f2l_closure a, b;
        f2l_rng_init(&rng, SEED + 1, i);
        swaps_open(&f, 2 + i % 12, 2, i % 3 ? F2L_LABEL_STATES : F2L_LABEL_ACCEPT,
                   i % 2 ? F2L_T3_DOUBLED : F2L_T3_NAIVE, &rng);
        const char *what = swaps_change(&f.net, &rng);
        if (!what) {
            t3_done(&f);
            continue;
        }
        const f2l_status exact = closed(&a, &f), form = moved(&b, &f);
        if (form != F2L_UNKNOWN) check_same(&a, &b);
        cr_assert(form != F2L_UNKNOWN || b.reason[0], "%s", what);
        count[form != F2L_UNKNOWN][exact == F2L_OK ? 0 : exact == F2L_REFUTED ? 1 : 2]++;
        f2l_closure_clear(&a);
        f2l_closure_clear(&b);
        t3_done(&f);
    }
    printf("form kept: %zu right, %zu refuted; other: %zu right, %zu refuted, %zu unknown\n",
           count[1][0], count[1][1], count[0][0], count[0][1], count[0][2]);
    cr_assert(count[1][0] > 50 && count[1][1] > 50 && count[0][1] > 50);
}

/* Two states that one letter exchanges, doubled: four rows. */
static void open_two(fixture *f)
{
    t3_open_text(f, "start p\np a q\nq a p\n");
    t3_build(f, F2L_LABEL_STATES, F2L_T3_DOUBLED);
    check_agree(f);
}

static void check_other(fixture *f, const char *reason)
{
    f2l_closure c;
    cr_assert_eq(moved(&c, f), F2L_UNKNOWN);
    cr_assert(strstr(c.reason, reason), "%s", c.reason);
    f2l_closure_clear(&c);
    t3_done(f);
}

static void push(f2l_qvec *v, uint32_t index, long value)
{
    cr_assert_eq(f2l_qvec_push_si(v, index, value, 1, NULL), F2L_OK);
}

Test(swaps, other_forms)
{
    fixture f;
    open_two(&f);
    mpq_set_ui(f.net.layer[0].head[0].letter[0].factor[0].beta, 1, 1);
    check_other(&f, "beta is not 2");
    open_two(&f);
    push(&f.net.layer[0].head[0].letter[0].factor[0].c, 0, 1);
    check_other(&f, "something is written");
    open_two(&f);
    mpq_set_ui(f.net.layer[0].head[0].letter[0].factor[0].u.value[1], 3, 1);
    check_other(&f, "numbers of different size");
    open_two(&f);
    mpq_set_ui(f.net.layer[0].head[0].letter[0].factor[0].u.value[1], 1, 1);
    check_other(&f, "different numbers of copies");
    open_two(&f);
    mpq_set_ui(f.net.layer[0].head[0].letter[0].gate, 1, 2);
    check_other(&f, "has a gate or a bias");
    open_two(&f);
    push(&f.net.layer[0].head[0].letter[0].bias, 0, 1);
    check_other(&f, "has a gate or a bias");
    open_two(&f);
    mpq_set_ui(f.net.layer[0].head[0].initial.value[0], 2, 1);
    check_other(&f, "differ in the initial state");
    open_two(&f);
    mpq_set_ui(f.net.layer[0].code[1].value[0], 2, 1);
    check_other(&f, "differ in code 2");
    t3_open_text(&f, "start p\np a q\nq a p\n");
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT); /* u = (1) */
    check_other(&f, "different numbers of copies");
}

/* The points (1 3) and (2 4) of one factor, and (1 2) and (3 4) of another. */
Test(swaps, points_that_overlap)
{
    fixture f;
    t3_open_text(&f, "start p\np a q\nq a p\np b p\nq b q\n");
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_DOUBLED);
    f2l_transition *b = &f.net.layer[0].head[0].letter[1];
    cr_assert_eq(f2l_transition_set_factors(b, 1, NULL), F2L_OK);
    mpq_set_ui(b->factor[0].beta, 2, 1);
    for (uint32_t i = 0; i < 4; i++) push(&b->factor[0].u, i, i < 2 ? 1 : -1);
    check_other(&f, "a point has other rows in another factor");
}

Test(swaps, raw_heads_and_boxes)
{
    fixture f;
    open_two(&f);
    f2l_head *head = &f.net.layer[0].head[0];
    head->raw = true; /* beta u^T u = 2 */
    mpq_set_ui(head->letter[0].factor[0].beta, 1, 2);
    check_other(&f, "the head is raw");
}

/* The bound is the same on every machine: 2^23 codes times factors. */
Test(swaps, large_networks_only)
{
    f2l_error err = {0};
    for (size_t n = 1000; n <= 3000; n += 2000) {
        fixture f;
        f2l_rng rng;
        f2l_closure c;
        f2l_rng_init(&rng, SEED + 2, 0);
        swaps_open(&f, n, 2, F2L_LABEL_STATES, F2L_T3_EXACT, &rng);
        f2l_closure_init(&c);
        cr_assert_eq(f2l_swaps_pays(&f.net), n > 2000);
        cr_assert_eq(f2l_swaps_exact(&c, &f.net, &f.fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert(c.verdict == F2L_OK && c.rows == f.fsa.states.count && c.swaps == (n > 2000));
        f2l_closure_clear(&c);
        t3_done(&f);
    }
}

/* Where the form is lost, a large network is closed by applying factors after all. */
Test(swaps, large_networks_of_other_forms)
{
    fixture f;
    f2l_rng rng;
    f2l_closure c;
    f2l_error err = {0};
    f2l_rng_init(&rng, SEED + 2, 0);
    swaps_open(&f, 2200, 2, F2L_LABEL_STATES, F2L_T3_EXACT, &rng);
    mpq_set_ui(f.net.layer[0].head[0].letter[1].factor[7].beta, 1, 1);
    f2l_closure_init(&c);
    cr_assert_eq(f2l_swaps_exact(&c, &f.net, &f.fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.verdict == F2L_REFUTED && !c.swaps);
    f2l_closure_clear(&c);
    t3_done(&f);
}

/* Every number of steps ends with a verdict, and too few with UNKNOWN. */
Test(swaps, effort)
{
    fixture f;
    f2l_rng rng;
    bool verified = false;
    f2l_rng_init(&rng, SEED + 3, 0);
    swaps_open(&f, 30, 2, F2L_LABEL_STATES, F2L_T3_DOUBLED, &rng);
    for (uint64_t steps = 1; !verified; steps = steps * 5 / 4 + 1) {
        f2l_effort effort = {.limit = steps};
        const f2l_task task = {.effort = &effort};
        f2l_closure c;
        f2l_closure_init(&c);
        cr_assert_eq(f2l_swaps_close(&c, &f.net, &f.fsa, 0, &task, NULL), F2L_OK);
        verified = c.verdict == F2L_OK;
        cr_assert(verified || (c.verdict == F2L_UNKNOWN && strstr(c.reason, "do not suffice")));
        f2l_closure_clear(&c);
        f2l_swaps_verdict v;
        effort = (f2l_effort){.limit = steps};
        cr_assert_eq(f2l_swaps_float(&v, &f.net, f2l_format_find("bf16"),
                                     f2l_schedule_find("every"), &task, NULL),
                     F2L_OK);
        cr_assert(v.verdict == F2L_OK || strstr(v.reason, "do not suffice"), "%s", v.reason);
        cr_assert_lt(steps, 100000000);
    }
    t3_done(&f);
}

Test(swaps, invalid_networks)
{
    fixture f;
    f2l_closure c;
    f2l_error err = {0};
    open_two(&f);
    f.net.layer[0].head[0].letter[0].factor[0].u.index[3] = 4; /* of rows 0 .. 3 */
    f2l_closure_init(&c);
    cr_assert_eq(f2l_swaps_close(&c, &f.net, &f.fsa, 0, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "the key is not a vector"), "%s", err.text);
    f.net.layer[0].head[0].letter[0].factor[0].u.index[3] = 3;
    f2l_net_clear(&f.net);
    cr_assert_eq(f2l_swaps_close(&c, &f.net, &f.fsa, 0, NULL, &err), F2L_EDOMAIN);
    t3_done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(swaps, memory_failures)
{
    fixture f;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED + 4, 0);
    swaps_open(&f, 12, 2, F2L_LABEL_STATES, F2L_T3_DOUBLED, &rng);
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_closure c;
        f2l_closure_init(&c);
        f2l_mem_fail_after(n, true);
        status = f2l_swaps_close(&c, &f.net, &f.fsa, 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (n > 10 && c.verdict == F2L_OK), "allocation %zu", n);
        f2l_closure_clear(&c);
    }
    status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_swaps_verdict v;
        f2l_mem_fail_after(n, true);
        status = f2l_swaps_float(&v, &f.net, f2l_format_find("bf16"), f2l_schedule_find("acc32"),
                                 NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (n > 10 && v.verdict == F2L_OK), "allocation %zu", n);
    }
    t3_done(&f);
}
#endif
