#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_cases.h"
#include "tests/support/theory/d1_support.h"
#include "theory/certify/forms/form.h"

static void expect_refused(const f2l_fsa *fsa, const f2l_gset *set, size_t householders,
                           f2l_status status, const char *text)
{
    f2l_net net;
    f2l_d1_report report;
    f2l_error err = {0};
    f2l_net_init(&net);
    cr_expect_eq(f2l_d1_build(&net, &report, fsa, F2L_LABEL_STATES, set, householders, NULL, &err),
                 status);
    cr_expect(strstr(err.text, text) != NULL, "%s", err.text);
    cr_expect_eq(net.stages, 0);
    f2l_net_clear(&net);
}

Test(d1_refuse, refusals, .timeout = 600)
{
    fixture f, g;
    f2l_fsa merging;
    f2l_error err = {0};
    d1_open_family(&f, "symmetric", 3, true, 1);
    expect_refused(&f.fsa, &f.set, 0, F2L_EDOMAIN, "needs a factor");
    fsa_from_text(&merging, "fsa 1\n"
                            "letters a b\n"
                            "states x y\n"
                            "start x\n"
                            "x a y\n"
                            "y a y\n"
                            "x b y\n"
                            "y b x\n");
    expect_refused(&merging, &f.set, 1, F2L_EDOMAIN, "merges");
    d1_open_family(&g, "symmetric", 4, false, 1);
    expect_refused(&g.fsa, &f.set, 1, F2L_EDOMAIN, "same letters");
    /* The representation belongs to another automaton. */
    d1_done(&g);
    d1_open_family(&g, "dihedral", 5, true, 1);
    expect_refused(&g.fsa, &f.set, 1, F2L_EDOMAIN, "does not tell the states apart");
    cr_expect_eq(f2l_d1_build(&g.net, &g.report, &g.fsa, F2L_LABEL_OUTPUTS, &g.set, 1, NULL, &err),
                 F2L_EDOMAIN);
    d1_done(&g);
    d1_done(&f);
    f2l_fsa_clear(&merging);
}

/* Two random permutations of 40 points have too many products in long blocks to be
 * listed. */
Test(d1_refuse, too_large, .timeout = 600)
{
    f2l_fsa fsa;
    f2l_gset set;
    f2l_rng rng;
    uint32_t image[80];
    f2l_rng_init(&rng, SEED, 40);
    for (uint32_t i = 0; i < 80; i++) image[i] = i % 40;
    for (size_t a = 0; a < 2; a++)
        for (size_t i = 40; i > 1; i--) {
            const size_t j = a * 40 + f2l_rng_below(&rng, i);
            const uint32_t kept = image[a * 40 + i - 1];
            image[a * 40 + i - 1] = image[j];
            image[j] = kept;
        }
    d1_group(&fsa, image, 2, 40, 0);
    f2l_gset_init(&set);
    cr_assert_eq(f2l_gset_smallest(&set, &fsa, 0, NULL, NULL), F2L_OK);
    expect_refused(&fsa, &set, 1, F2L_UNKNOWN, "too many products");
    f2l_gset_clear(&set);
    f2l_fsa_clear(&fsa);
}

Test(d1_refuse, stops_when_told)
{
    fixture f;
    f2l_form_verdict v;
    f2l_error err = {0};
    static const volatile sig_atomic_t yes = 1;
    const f2l_task cancelled = {.cancel = &yes}, poor = {.memory = 2000};
    f2l_net net;
    f2l_d1_report report;
    d1_open_family(&f, "symmetric", 4, false, 1);
    f2l_net_init(&net);
    cr_expect_eq(f2l_d1_build(&net, &report, &f.fsa, F2L_LABEL_STATES, &f.set, 1, &cancelled, &err),
                 F2L_UNKNOWN);
    cr_expect_eq(f2l_d1_build(&net, &report, &f.fsa, F2L_LABEL_STATES, &f.set, 1, &poor, &err),
                 F2L_UNKNOWN);
    cr_expect(strstr(err.text, "memory limit") != NULL, "%s", err.text);
    cr_expect_eq(f2l_form_d1.verify(&v, &f.net, &f.fsa, NULL, NULL, &cancelled, &err), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    cr_expect_eq(f2l_form_d1.verify(&v, &f.net, &f.fsa, NULL, NULL, &poor, &err), F2L_OK);
    cr_expect_eq(v.verdict, F2L_UNKNOWN);
    f2l_net_clear(&net);
    d1_done(&f);
}

#ifdef F2L_MEM_FAILURES
static f2l_status everything(const f2l_fsa *fsa, const f2l_gset *set)
{
    f2l_net net;
    f2l_d1_report report;
    f2l_form_verdict v;
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_net_init(&net);
    f2l_status status = f2l_d1_build(&net, &report, fsa, F2L_LABEL_STATES, set, 1, NULL, NULL);
    if (status == F2L_OK) status = f2l_form_d1.verify(&v, &net, fsa, NULL, NULL, NULL, NULL);
    if (status == F2L_OK && v.verdict != F2L_OK) status = F2L_EFORMAT;
    if (status == F2L_OK) {
        strcpy(net.fsa_sha256, SHA);
        status = f2l_form_d1.certify(&out, &net, &v, fsa, fsa, NULL, SHA, NULL);
    }
    if (status == F2L_OK)
        status =
            f2l_form_d1.verify(&v, &net, fsa, f2l_format_find("bf16"), d1_schedule(), NULL, NULL);
    if (status == F2L_OK && v.verdict != F2L_OK) status = F2L_EFORMAT;
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
    return status;
}

Test(d1_refuse, survives_every_failed_allocation, .timeout = 600)
{
    fixture f;
    d1_open_family(&f, "symmetric", 3, true, 1);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        const f2l_status status = everything(&f.fsa, &f.set);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 200, "%zu", failures);
    d1_done(&f);
}
#endif
