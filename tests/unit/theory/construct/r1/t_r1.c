#include "tests/support/theory/r1_support.h"
#include "theory/rep/householders/householders_certificate.h"

typedef struct named {
    const char *kind;
    uint64_t n;
    bool generators;
    size_t householders, heads, dimension, codes; /* heads 0: not checked */
} named;

/* Groups of R1 (theory/pages/rep.md) with all elements as letters, or with generators. */
static const named families[] = {
    {"parity", 0, false, 1, 1, 1, 2},       {"cyclic", 2, false, 1, 1, 1, 2},
    {"cyclic", 3, false, 2, 1, 2, 3},       {"cyclic", 4, false, 2, 1, 2, 4},
    {"cyclic", 5, true, 2, 1, 2, 5},        {"cyclic", 12, false, 2, 1, 2, 12},
    {"cyclic", 30, true, 2, 1, 2, 30},      {"dihedral", 3, false, 2, 1, 2, 6},
    {"dihedral", 4, false, 2, 1, 2, 8},     {"dihedral", 7, true, 2, 1, 2, 14},
    {"symmetric", 1, false, 0, 1, 1, 1},    {"symmetric", 2, false, 1, 1, 1, 2},
    {"symmetric", 3, false, 2, 1, 2, 6},    {"symmetric", 4, false, 2, 1, 3, 24},
    {"symmetric", 5, true, 4, 1, 4, 120},   {"symmetric", 5, false, 4, 1, 4, 120},
    {"symmetric", 6, true, 3, 1, 5, 720},   {"alternating", 4, false, 2, 1, 3, 12},
    {"alternating", 5, false, 2, 1, 3, 60}, {"alternating", 6, true, 4, 1, 5, 360},
    {"quaternion", 0, false, 4, 1, 4, 8},
};

Test(r1, families)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const named *e = &families[i];
        r1_sample s;
        r1_open_family(&s, e->kind, e->n, e->generators);
        r1_build(&s, F2L_R1_GROUP, F2L_LABEL_STATES);
        cr_expect_eq(s.report.householders, e->householders, "%s %d: %zu", e->kind, (int)e->n,
                     s.report.householders);
        cr_expect_eq(s.report.heads, e->heads, "%s %d: %zu heads", e->kind, (int)e->n,
                     s.report.heads);
        cr_expect_eq(s.report.dimension, e->dimension, "%s %d", e->kind, (int)e->n);
        cr_expect_eq(s.report.codes, e->codes, "%s %d: %zu", e->kind, (int)e->n, s.report.codes);
        cr_expect(s.report.minimal && s.report.complete);
        r1_check(&s);
        r1_close(&s);
    }
}

typedef struct texts {
    const char *name, *text;
    f2l_r1_variant variant;
    size_t householders, lower, heads, dimension, codes;
} texts;

#define A5_INVOLUTIONS \
    "points 5\ntrack elements\npermute a (1 2)(3 4)\npermute b (1 3)(2 5)\npermute c (1 2)(4 5)\n"

#define S5_TRANSPOSITIONS \
    "points 5\ntrack elements\npermute a (1 2)\npermute b (2 3)\npermute c (3 4)\npermute d (4 5)\n"
#define S4_ON_POINTS "points 4\ntrack points 1\npermute a (1 2)\npermute b (1 2 3 4)\n"
#define SL23 "points 8\ntrack elements\npermute a (1 3 5 7)(2 4 6 8)\npermute b (1 3 8)(4 5 7)\n"

static const texts cases[] = {
    {"S3xS3",
     "points 6\n"
     "track elements\n"
     "permute a (1 2)\n"
     "permute b (1 2 3)\n"
     "permute c (4 5)\n"
     "permute d (4 5 6)\n",
     F2L_R1_GROUP, 2, 2, 2, 4, 36},
    {"transpositions", S5_TRANSPOSITIONS, F2L_R1_GROUP, 1, 1, 1, 4, 120},
    {"S4 on points, lifted", S4_ON_POINTS, F2L_R1_GROUP, 2, 2, 1, 3, 8},
    {"S4 on points, dyadic", S4_ON_POINTS, F2L_R1_DYADIC, 3, 3, 1, 4, 4},
    {"A5 by involutions", A5_INVOLUTIONS, F2L_R1_GROUP, 2, 2, 1, 3, 60},
    {"SL(2,3)", SL23, F2L_R1_GROUP, 4, 4, 1, 4, 24},
    {"SL(2,3), cover", SL23, F2L_R1_COVER, 2, 2, 2, 6, 96},
    {"A5 by involutions, cover", A5_INVOLUTIONS, F2L_R1_COVER, 1, 1, 1, 3, 120},
};

Test(r1, texts)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const texts *e = &cases[i];
        r1_sample s;
        r1_open_text(&s, e->name, e->text);
        r1_build(&s, e->variant, F2L_LABEL_STATES);
        cr_expect_eq(s.report.householders, e->householders, "%s: %zu", e->name,
                     s.report.householders);
        cr_expect_eq(s.report.lower, e->lower, "%s: %zu", e->name, s.report.lower);
        cr_expect_eq(s.report.heads, e->heads, "%s: %zu heads", e->name, s.report.heads);
        cr_expect_eq(s.report.dimension, e->dimension, "%s: %zu", e->name, s.report.dimension);
        cr_expect_eq(s.report.codes, e->codes, "%s: %zu codes", e->name, s.report.codes);
        r1_check(&s);
        r1_close(&s);
    }
}

/* R2: the group itself takes 4 factors, but two heads of dimension 2 through a cover take fewer. */
Test(r1, quaternions_through_a_cover)
{
    r1_sample s;
    r1_open_family(&s, "quaternion", 0, false);
    r1_build(&s, F2L_R1_COVER, F2L_LABEL_STATES);
    const f2l_r1_report *r = &s.report;
    cr_assert(r->householders == 2 && r->lower == 2 && r->minimal);
    cr_assert_eq(r->heads, 2);
    cr_assert(r->head[0].dimension == 2 && r->head[1].dimension == 2);
    cr_assert(r->order == 8 && r->acting == 8 * r->kernel && r->codes == r->acting);
    r1_check(&s);
    r1_close(&s);
}

static f2l_status verdict_in(const r1_sample *s, const char *format, size_t *rows)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_float(&c, &s->net, &s->fsa, f2l_format_find(format),
                                   f2l_schedule_find("every"), 20000, NULL, &err),
                 F2L_OK, "%s", err.text);
    const f2l_status verdict = c.verdict;
    *rows = c.rows;
    f2l_closure_clear(&c);
    return verdict;
}

/* Heads of signed permutations are rational, and nothing is rounded in bf16 and fp16. */
Test(r1, dyadic_families)
{
    static const named dyadic[] = {
        {"cyclic", 2, false, 1, 1, 1, 2},       {"cyclic", 3, false, 2, 1, 3, 3},
        {"cyclic", 5, true, 4, 1, 5, 5},        {"symmetric", 1, false, 0, 1, 1, 1},
        {"symmetric", 3, false, 2, 1, 3, 6},    {"symmetric", 4, false, 3, 1, 4, 24},
        {"symmetric", 5, true, 4, 0, 0, 120},   {"symmetric", 6, true, 3, 0, 0, 720},
        {"alternating", 5, false, 4, 0, 0, 60}, {"quaternion", 0, false, 4, 0, 0, 8},
        {"dihedral", 6, true, 2, 0, 0, 12},
    };
    for (size_t i = 0; i < sizeof dyadic / sizeof *dyadic; i++) {
        const named *e = &dyadic[i];
        r1_sample s;
        size_t rows;
        r1_open_family(&s, e->kind, e->n, e->generators);
        r1_build(&s, F2L_R1_DYADIC, F2L_LABEL_STATES);
        cr_expect_eq(s.report.householders, e->householders, "%s %d: %zu", e->kind, (int)e->n,
                     s.report.householders);
        cr_expect_eq(s.report.codes, e->codes, "%s %d: %zu", e->kind, (int)e->n, s.report.codes);
        if (e->heads > 0) {
            cr_expect_eq(s.report.heads, e->heads, "%s %d: %zu heads", e->kind, (int)e->n,
                         s.report.heads);
            cr_expect_eq(s.report.dimension, e->dimension, "%s %d: %zu", e->kind, (int)e->n,
                         s.report.dimension);
        }
        for (size_t h = 0; h < s.report.heads; h++)
            cr_expect(f2l_head_is_plain(&s.net.layer[0].head[h]));
        r1_check(&s);
        cr_expect_eq(verdict_in(&s, "bf16", &rows), F2L_OK, "%s %d", e->kind, (int)e->n);
        cr_expect_eq(rows, s.report.codes);
        cr_expect_eq(verdict_in(&s, "fp16", &rows), F2L_OK, "%s %d", e->kind, (int)e->n);
        r1_close(&s);
    }
}

Test(r1, labels_and_unreached_points)
{
    r1_sample s;
    r1_open_text(&s, "Z4",
                 "fsa 1\n"
                 "letters a\n"
                 "states p q r s\n"
                 "start q\n"
                 "accept p r\n"
                 "output p x\n"
                 "output q y\n"
                 "output r x\n"
                 "output s z\n"
                 "p a q\n"
                 "q a r\n"
                 "r a s\n"
                 "s a p\n");
    r1_build(&s, F2L_R1_GROUP, F2L_LABEL_OUTPUTS);
    cr_assert_eq(s.net.labels.count, 3);
    cr_assert_str_eq(f2l_names_get(&s.net.labels, s.net.start), "y");
    r1_check(&s);
    r1_build(&s, F2L_R1_DYADIC, F2L_LABEL_ACCEPT);
    cr_assert_str_eq(f2l_names_get(&s.net.labels, s.net.start), "reject");
    r1_check(&s);
    r1_close(&s);
    r1_open_text(&s, "unreached",
                 "points 7\n"
                 "track points 4\n"
                 "permute a (1 2 3)(4 5)\n"
                 "permute b (4 6)\n");
    cr_assert_eq(s.r1.tables.group.order, 6);
    r1_build(&s, F2L_R1_GROUP, F2L_LABEL_STATES);
    cr_assert(s.report.states == 3 && s.report.householders == 1 && s.report.codes == 3);
    r1_check(&s);
    r1_close(&s);
}

static f2l_status analyse_text(const char *text, size_t max_order, const f2l_task *task,
                               f2l_error *err)
{
    f2l_fsa fsa;
    f2l_r1 r1;
    fsa_from_text(&fsa, text);
    const f2l_status status = f2l_r1_analyse(&r1, &fsa, max_order, task, err);
    cr_assert(status == F2L_OK || (r1.tables.group.element == NULL && r1.reach.state == NULL));
    f2l_r1_clear(&r1);
    f2l_fsa_clear(&fsa);
    return status;
}

Test(r1, refusals)
{
    f2l_error err = {0};
    const volatile sig_atomic_t cancel = SIGINT;
    const f2l_task stopped = {.cancel = &cancel};
    cr_assert_eq(analyse_text("start p\np a q\nq a q\n", 0, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "a") != NULL);
    cr_assert_eq(analyse_text(S4_ON_POINTS, 23, NULL, &err), F2L_UNKNOWN);
    cr_assert_eq(analyse_text(S4_ON_POINTS, 24, NULL, &err), F2L_OK);
    cr_assert_eq(analyse_text(S4_ON_POINTS, 24, &stopped, &err), F2L_UNKNOWN);
    r1_sample s;
    r1_open_text(&s, "S4", S4_ON_POINTS);
    cr_assert_eq(
        f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_OUTPUTS, F2L_R1_GROUP, NULL, NULL, &err),
        F2L_EDOMAIN);
    for (int variant = F2L_R1_GROUP; variant <= F2L_R1_DYADIC; variant++) {
        const f2l_status status = f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES,
                                               (f2l_r1_variant)variant, NULL, &stopped, &err);
        cr_assert_eq(status, variant == F2L_R1_COVER ? F2L_EDOMAIN : F2L_UNKNOWN, "%d: %s", variant,
                     err.text);
        cr_assert_eq(s.net.layers, 0);
        cr_assert_eq(s.report.order, 24);
    }
    /* No cover of S4 does it with one factor, since its letters are not involutions. */
    cr_assert_eq(
        f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_COVER, NULL, NULL, &err),
        F2L_EDOMAIN);
    cr_assert(s.report.lower == 2 && strstr(err.text, "no cover needs fewer") != NULL, "%s",
              err.text);
    r1_close(&s);
    /* S5 has no central cover with a kernel up to 4; nothing is known when the search may not look
     * at all of them. */
    f2l_r1_options options = {0};
    r1_open_family(&s, "symmetric", 5, true);
    cr_assert_eq(f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_COVER, &options,
                              NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(s.report.complete && s.report.lower == 2 && s.report.extensions > 0);
    cr_assert(strstr(s.report.scope, "up to 4") != NULL &&
              strstr(s.report.scope, "all there are") != NULL);
    options.cover.extensions = 1;
    cr_assert_eq(f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_COVER, &options,
                              NULL, &err),
                 F2L_UNKNOWN);
    cr_assert(!s.report.complete && strstr(s.report.scope, "stopped at a limit") != NULL);
    r1_close(&s);
}

/* A network with the codes of two states exchanged is refuted. */
Test(r1, a_wrong_decoder_is_refuted)
{
    r1_sample s;
    f2l_closure c;
    r1_open_family(&s, "symmetric", 4, true);
    r1_build(&s, F2L_R1_GROUP, F2L_LABEL_STATES);
    f2l_layer *layer = &s.net.layer[0];
    const uint32_t held = layer->symbol[3];
    layer->symbol[3] = layer->symbol[7];
    layer->symbol[7] = held;
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_exact(&c, &s.net, &s.fsa, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_REFUTED);
    f2l_closure_clear(&c);
    r1_close(&s);
}

Test(r1, certificate)
{
    r1_sample s;
    f2l_buf text;
    f2l_error err = {0};
    f2l_buf_init(&text);
    r1_open_text(&s, "A5", A5_INVOLUTIONS);
    const f2l_r1_tables *t = &s.r1.tables;
    cr_assert_eq(f2l_householders_certificate(&text, s.r1.fsa, &t->group, &t->classes,
                                              &t->characters, &t->householders, false, NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(strncmp(text.data, "householders 3\nfsa ", 19), 0);
    cr_assert(strstr(text.data, "\ndegree 5\ngenerators 3\ngenerator a (1 2)(3 4)\n") != NULL);
    cr_assert(strstr(text.data, "\nletters generators\n") != NULL);
    cr_assert(strstr(text.data, "\nminimum 2\n") != NULL);
    f2l_buf_clear(&text);
    r1_close(&s);
}

/* Each allocation fails once: this gives a clean failure, or a result. */
Test(r1, memory)
{
#ifdef F2L_MEM_FAILURES
    static const struct {
        const char *text;
        f2l_r1_variant variant;
    } job[] = {{S4_ON_POINTS, F2L_R1_GROUP},
               {"points 8\n"
                "track elements\n"
                "permute a (1 2 5 6)(3 4 7 8)\n"
                "permute b (1 3 5 7)(2 8 6 4)\n",
                F2L_R1_COVER},
               {S4_ON_POINTS, F2L_R1_DYADIC}};
    for (size_t i = 0; i < sizeof job / sizeof *job; i++) {
        f2l_fsa fsa;
        fsa_from_text(&fsa, job[i].text);
        bool done = false;
        for (size_t n = 1; !done; n += 1 + n / 40) {
            f2l_r1 r1;
            f2l_net net;
            f2l_r1_report report;
            f2l_r1_init(&r1);
            f2l_net_init(&net);
            f2l_r1_report_init(&report);
            f2l_mem_fail_after(n, false);
            f2l_status status = f2l_r1_analyse(&r1, &fsa, 0, NULL, NULL);
            if (status == F2L_OK)
                status = f2l_r1_build(&net, &report, &r1, F2L_LABEL_STATES, job[i].variant, NULL,
                                      NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %d", n,
                      (int)status);
            cr_assert(status == F2L_OK || net.layers == 0);
            done = status == F2L_OK;
            f2l_net_clear(&net);
            f2l_r1_report_clear(&report);
            f2l_r1_clear(&r1);
        }
        f2l_fsa_clear(&fsa);
    }
#endif
}

/* Heads that the caller chooses, with starts near the wished ones, make a network that is right;
 * irreps that are not jointly faithful do not. */
Test(r1, heads_that_are_chosen)
{
    r1_sample s;
    r1_open_family(&s, "symmetric", 3, false);
    const f2l_householders *h = &s.r1.tables.householders;
    uint32_t irrep[3] = {0}, sign = 0;
    for (uint32_t i = 0; i < h->irreps; i++) {
        if (h->irrep[i].dimension == 2) irrep[0] = irrep[2] = i;
        if (h->irrep[i].dimension == 1 && h->irrep[i].most == 1) irrep[1] = sign = i;
    }
    const double wished[2] = {1, 0.4}, one = -1, *near[3] = {wished, &one, NULL};
    const f2l_r1_choice choice = {3, irrep, near}, only_sign = {1, &sign, NULL};
    f2l_r1_options options = {.choice = &choice};
    f2l_error err = {0};
    cr_assert(f2l_r1_faithful(&s.r1, irrep, 2) && !f2l_r1_faithful(&s.r1, &sign, 1));
    cr_assert_eq(f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_GROUP, &options,
                              NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert(s.report.heads == 3 && s.report.dimension == 5 && s.report.codes == 6);
    cr_assert(!s.report.complete, "the least dimension is 2");
    r1_verify(&s);
    r1_walk(&s, 3, 1000);
    double start[2], last;
    const f2l_head *head = s.net.layer[0].head;
    r1_doubles(start, 2, &head[0].initial, &head[0]);
    r1_doubles(&last, 1, &head[1].initial, &head[1]);
    cr_assert(start[0] == 32 && start[1] == 13 && last < 0, "%g %g %g", start[0], start[1], last);
    options.choice = &only_sign;
    cr_assert_eq(f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_GROUP, &options,
                              NULL, &err),
                 F2L_UNKNOWN);
    r1_close(&s);
}
