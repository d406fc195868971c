#include "tests/support/theory/compile_support.h"
#include "theory/compile/compile.h"

Test(compile_cascade, what_merges_states_is_a_cascade)
{
    static const struct {
        const char *kind;
        uint64_t number;
        size_t layers, delays; /* delays: with gates */
    } family[] = {{"transformations", 3, 2, 1},
                  {"transformations", 5, 4, 3},
                  {"tomita", 3, 4, 0},
                  {"modarith-prec", 5, 3, 1}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        fixture f;
        open_family(&f, family[i].kind, family[i].number, false);
        check_cascade(&f);
        const f2l_t4_detail *t4 = f2l_t4_detail_of(&f.result);
        cr_assert_eq(f.result.net.layers, family[i].layers, "%s: %zu", family[i].kind,
                     f.result.net.layers);
        cr_assert(t4->contested);
        /* A cascade of more levels gets no tables. */
        if (t4->other_size.levels)
            cr_assert_leq(f2l_cascade_compare(&t4->size, &t4->other_size), 0);
        else
            cr_assert_not_null(strstr(t4->other_reason, "not built: at least "), "%s",
                               t4->other_reason);
        cr_assert_geq(t4->components.count, t4->size.levels);
        const size_t levels = t4->size.levels;
        f2l_net_size plain, gated;
        f2l_net_measure(&plain, &f.result.net);
        f.options.gated = true;
        check_cascade(&f);
        f2l_net_measure(&gated, &f.result.net);
        cr_assert_eq(f2l_t4_detail_of(&f.result)->size.levels, levels);
        cr_assert_leq(gated.factors_per_token, plain.factors_per_token);
        cr_assert_eq(f2l_t4_detail_of(&f.result)->report.delays, family[i].delays, "%s: %zu",
                     family[i].kind, f2l_t4_detail_of(&f.result)->report.delays);
        compile_done(&f);
    }
}

Test(compile_cascade, the_kind_of_cascade_asked_for)
{
    static const f2l_compile_cascade asked[] = {F2L_COMPILE_HOLONOMY, F2L_COMPILE_CAPPED,
                                                F2L_COMPILE_ZEIGER};
    static const f2l_cascade_kind kind[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED,
                                            F2L_CASCADE_ZEIGER};
    static const size_t levels[] = {5, 3, 4};
    for (size_t i = 0; i < 3; i++) {
        fixture f;
        open_family(&f, "tomita", 7, false);
        f.options.cascade = asked[i];
        check_cascade(&f);
        cr_assert_eq(f2l_t4_detail_of(&f.result)->cascade.kind, kind[i]);
        cr_assert_eq(f.result.net.layers, levels[i]);
        cr_assert_not(f2l_t4_detail_of(&f.result)->contested);
        compile_done(&f);
        /* Also where one layer is enough. */
        open_family(&f, "symmetric", 3, false);
        f.options.cascade = asked[i];
        check_cascade(&f);
        compile_done(&f);
    }
}

/* The cascade is built from the reachable quotient, but the proof is about the file. */
Test(compile_cascade, cascades_of_quotients)
{
    fixture f;
    open_text(&f, "points 5\n"
                  "track points 2\n"
                  "accept 2 4\n"
                  "permute a (1 5)(2 3 4)\n"
                  "permute b (2 3)\n");
    f.options.cascade = F2L_COMPILE_CAPPED;
    check_cascade(&f);
    cr_assert_eq(f.result.quotient->fsa.states.count, 3);
    cr_assert_eq(f.result.quotient->classes[0], UINT32_MAX);
    cr_assert_eq(f.result.minimised_states, 0);
    f.options.label = F2L_LABEL_ACCEPT;
    check_cascade(&f);
    cr_assert_eq(f.result.minimised_states, 3);
    compile_done(&f);
    open_text(&f, "start p\naccept q\np a q\nq a q\nr a q\np b r\nq b p\nr b r\n");
    f.options.label = F2L_LABEL_ACCEPT;
    f.options.cascade = F2L_COMPILE_CAPPED;
    check_cascade(&f);
    cr_assert_eq(f.result.minimised_states, 2);
    cr_assert_eq(f.result.net.layers, 1);
    compile_done(&f);
}

Test(compile_cascade, one_state_is_a_cascade_without_levels)
{
    fixture f;
    f2l_buf text;
    open_text(&f, "start p\np a p\np b p\n");
    f.options.cascade = F2L_COMPILE_HOLONOMY;
    check_theorem(&f, "T4");
    cr_assert_eq(f2l_t4_detail_of(&f.result)->cascade.levels, 0);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, &f.result, &f.fsa, f.result.net.fsa_sha256, &f.err),
                 F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\n"));
    for (size_t k = 0; k < 4; k++) cr_assert_eq(f.result.format[k].closure.verdict, F2L_OK);
    f2l_buf_clear(&text);
    compile_done(&f);
}

Test(compile_cascade, limits_of_cascades)
{
    fixture f;
    open_family(&f, "transformations", 4, false);
    /* Too few subsets are allowed: the rule form needs none. */
    f.options.max_sets = 5;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "Z");
    const char *reason = f2l_compile_detail(&f.result, &f2l_construction_zeiger);
    cr_assert_not_null(strstr(reason, "5"), "%s", reason);
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    cr_assert_eq(f.result.rule, &f2l_form_zeiger);
    for (size_t k = 0; k < 4; k++) cr_assert(f.result.format[k].by_rule);
    f.options.max_sets = 0;
    /* Too few pairs for the local closures, and too few joint states: the rule form needs
     * neither. */
    f.options.exact_rows = 7;
    f.options.float_rows = 5;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_str_eq(f.result.theorem, "Z");
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    const f2l_compile_entry *entry = f.result.entry;
    while (strcmp(entry->variant, "holonomy") != 0) entry++;
    cr_assert_eq(entry->outcome, F2L_COMPILE_BUILT);
    cr_assert_eq(entry->exact, F2L_UNKNOWN);
    cr_assert_not_null(strstr(entry->exact_reason, "limit of 7 pairs"), "%s", entry->exact_reason);
    cr_assert_not_null(strstr(entry->exact_reason, "limit of 7 joint states"), "%s",
                       entry->exact_reason);
    for (size_t k = 0; k < entry->formats; k++) cr_assert_eq(entry->format[k].verdict, F2L_UNKNOWN);
    compile_done(&f);
    /* 16 pairs, 11 joint states: where only the joint closure fits, it is the proof and its table
     * the certificate. */
    f2l_buf text;
    f2l_buf_init(&text);
    open_family(&f, "tomita", 7, false);
    f.options.cascade = F2L_COMPILE_CAPPED; /* two layers of slots would do (LL.2) */
    f.options.exact_rows = f.options.float_rows = 12;
    check_theorem(&f, "T4");
    cr_assert_eq(f2l_t4_detail_of(&f.result)->local.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.result.exact.rows, 11);
    cr_assert_eq(f2l_compile_certificate(&text, &f.result, &f.fsa, f.result.net.fsa_sha256, &f.err),
                 F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\n"));
    f2l_buf_clear(&text);
    for (size_t k = 0; k < 4; k++) {
        cr_assert_eq(f.result.format[k].closure.verdict, F2L_OK);
        cr_assert_eq(f.result.format[k].closure.rows, 11);
    }
    compile_done(&f);
}
