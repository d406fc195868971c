#include "tests/support/theory/d1_cases.h"
#include "tests/support/theory/d1_support.h"
#include "theory/construct/zeiger/zeiger.h"

static void expect_unknown(const f2l_net *net, const f2l_fsa *fsa, const char *reason)
{
    f2l_form_verdict v;
    f2l_error err = {0};
    cr_assert_eq(f2l_form_d1.verify(&v, net, fsa, NULL, NULL, NULL, &err), F2L_OK, "%s", err.text);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    cr_expect(strstr(v.reason, reason) != NULL, "%s", v.reason);
}

Test(d1_verdict, verdict_figures)
{
    fixture f;
    f2l_form_verdict v;
    d1_open_family(&f, "symmetric", 4, true, 1);
    cr_assert_eq(f2l_form_d1.verify(&v, &f.net, &f.fsa, NULL, NULL, NULL, NULL), F2L_OK);
    cr_expect_eq(v.verdict, F2L_OK);
    cr_expect_eq(v.clock_layers, 2);
    cr_expect_eq(v.block, f.report.block);
    cr_expect_eq(v.elements, f.report.elements);
    cr_expect_eq(v.pairs, f.report.pairs);
    d1_done(&f);
}

Test(d1_verdict, other_networks_are_unknown)
{
    fixture f, g;
    f2l_net zeiger;
    f2l_form_verdict v;
    f2l_net_init(&zeiger);
    d1_open_family(&f, "symmetric", 3, true, 1);
    cr_assert_eq(f2l_zeiger_build(&zeiger, &f.fsa, F2L_LABEL_STATES, NULL, NULL), F2L_OK);
    expect_unknown(&zeiger, &f.fsa, "three stages");
    /* The same letters and names, but another group. */
    d1_open_family(&g, "symmetric", 3, true, 1);
    const size_t k = g.fsa.letters.count;
    for (size_t q = 0; q < g.fsa.states.count; q++) {
        const uint32_t kept = g.fsa.next[q * k];
        g.fsa.next[q * k] = g.fsa.next[q * k + 1];
        g.fsa.next[q * k + 1] = kept;
    }
    expect_unknown(&f.net, &g.fsa, "has a wrong entry");
    d1_done(&g);
    d1_open_family(&g, "symmetric", 3, false, 1);
    cr_expect_eq(f2l_form_d1.verify(&v, &f.net, &g.fsa, NULL, NULL, NULL, NULL), F2L_EDOMAIN);
    d1_done(&g);
    f2l_net_clear(&zeiger);
    d1_done(&f);
}

/* A network as built with one fault is refused, for each condition of D1.8. */
Test(d1_verdict, every_condition_is_looked_at)
{
    fixture f;
    f2l_wired_block *clock, *ring, *apply;
    f2l_wired_table *table;
    d1_open_family(&f, "symmetric", 4, true, 1);
    f2l_net *net = &f.net;
    clock = &net->block[1];
    ring = &net->block[2];
    apply = &net->block[3];
    const size_t slots = 2 * f.report.block;

    mpq_neg(net->stage[0].initial[0].value[0], net->stage[0].initial[0].value[0]); /* (a) */
    expect_unknown(net, &f.fsa, "the clock says");
    mpq_neg(net->stage[0].initial[0].value[0], net->stage[0].initial[0].value[0]);

    table = &net->table[clock->post[0].table];
    const uint32_t count = table->value[0];
    table->value[0] = count == 0;
    expect_unknown(net, &f.fsa, "the clock says");
    table->value[0] = count;

    cr_assert_eq(f2l_qvec_push_si(&net->stage[2].initial[0], 0, 1, 1, NULL), F2L_OK); /* (b) */
    expect_unknown(net, &f.fsa, "not empty at first");
    f2l_qvec_clear(&net->stage[2].initial[0]);
    f2l_qvec_init(&net->stage[2].initial[0]);

    net->start++; /* (c) */
    expect_unknown(net, &f.fsa, "empty word");
    net->start--;

    table = &net->table[ring->post[slots + 1].table]; /* (d): T(3, 0), then T(2, 1) */
    table->value[2 * 3]++;
    expect_unknown(net, &f.fsa, "changes without a letter");
    table->value[2 * 3]--;
    const uint32_t product = table->value[3 + 1];
    table->value[3 + 1] = (product + 1) % 6;
    expect_unknown(net, &f.fsa, "is not element");
    table->value[3 + 1] = product;

    table = &net->table[ring->post[3 * slots].table]; /* (e): a half of F, then all of it */
    const uint32_t factor = table->value[0];
    table->value[0] = factor == 0;
    expect_unknown(net, &f.fsa, "halves of the ring");
    table->value[slots / 2] = table->value[0];
    expect_unknown(net, &f.fsa, "code");
    table->value[0] = table->value[slots / 2] = factor;

    table = &net->table[apply->post[0].table]; /* M of the start */
    table->value[0]++;
    expect_unknown(net, &f.fsa, "means another state");
    table->value[0]--;

    mpq_set_ui(ring->head[0].head.letter[0].factor[0].c.value[0], 2, 1); /* the ring writes 2 */
    expect_unknown(net, &f.fsa, "does not write its letter");
    mpq_set_ui(ring->head[0].head.letter[0].factor[0].c.value[0], 1, 1);

    mpq_set_ui(apply->head[0].head.letter[0].gate, 1, 2); /* the identity halves the state */
    expect_unknown(net, &f.fsa, "without a code");
    mpq_set_ui(apply->head[0].head.letter[0].gate, 1, 1);

    check_verified(&f, "as it was");
    d1_done(&f);
}

/* Exact keys are not exact in a format when they are not binary numbers. */
Test(d1_verdict, formats_are_looked_at)
{
    fixture f;
    f2l_form_verdict v;
    d1_open_family(&f, "symmetric", 3, true, 1);
    f2l_wired_block *apply = &f.net.block[3];
    mpq_t third;
    mpq_init(third);
    mpq_set_ui(third, 1, 3);
    /* The whole last layer divided by three. */
    for (size_t c = 0; c < apply->readout[0].codes; c++)
        for (size_t i = 0; i < apply->readout[0].code[c].count; i++)
            mpq_mul(apply->readout[0].code[c].value[i], apply->readout[0].code[c].value[i], third);
    for (size_t i = 0; i < f.net.stage[3].initial[0].count; i++)
        mpq_mul(f.net.stage[3].initial[0].value[i], f.net.stage[3].initial[0].value[i], third);
    mpq_clear(third);
    cr_assert_eq(f2l_form_d1.verify(&v, &f.net, &f.fsa, NULL, NULL, NULL, NULL), F2L_OK);
    cr_expect_eq(v.verdict, F2L_OK, "%s", v.reason);
    for (size_t j = 0; j < F2L_USUAL_FORMATS; j++) {
        cr_assert_eq(
            f2l_form_d1.verify(&v, &f.net, &f.fsa, &f2l_formats[j], d1_schedule(), NULL, NULL),
            F2L_OK);
        cr_expect_eq(v.verdict, F2L_UNKNOWN);
        cr_expect(strstr(v.reason, "is not exact") != NULL, "%s", v.reason);
    }
    d1_done(&f);
}

Test(d1_verdict, numbering_does_not_matter)
{
    for (uint64_t i = 0; i < 20; i++) {
        fixture f;
        f2l_rng rng;
        f2l_rng_init(&rng, SEED, 1000 + i);
        d1_open_family(&f, "symmetric", i % 2 ? 4 : 3, true, 1 + i / 2 % 2);
        d1_mutate_without_meaning(&f.net, &rng);
        cr_assert_eq(f2l_wired_validate(&f.net, NULL), F2L_OK);
        check_verified(&f, "renumbered");
        cr_expect_eq(d1_run(&f.net, &f.fsa, f2l_format_find("bf16"), 200, &rng), 0);
        d1_done(&f);
    }
}
