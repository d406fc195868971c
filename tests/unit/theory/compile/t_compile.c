#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"
#include "theory/compile/compile.h"
#include <stdio.h>

static void check_verified(fixture *f)
{
    check_theorem(f, "T3");
}

/* Signed permutations take fewer factors than permutations for the quaternions (R1.13). */
Test(compile, families_are_verified_exactly_and_in_every_format)
{
    static const struct {
        const char *kind;
        uint64_t number;
        bool generators;
        const char *theorem;
        size_t states, householders;
    } family[] = {{"parity", 0, false, "T3", 2, 1},      {"cyclic", 4, false, "T3", 4, 3},
                  {"cyclic", 5, false, "T3", 5, 4},      {"symmetric", 3, false, "T3", 6, 2},
                  {"symmetric", 4, true, "T3", 24, 3},   {"symmetric", 4, false, "T3", 24, 3},
                  {"symmetric", 5, false, "T3", 120, 4}, {"dihedral", 4, false, "T3", 8, 3},
                  {"quaternion", 0, false, "R1", 8, 4}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        fixture f;
        f2l_compile_figures figures;
        open_family(&f, family[i].kind, family[i].number, family[i].generators);
        check_theorem(&f, family[i].theorem);
        const f2l_compile_result *r = &f.result;
        f2l_compile_measure(&figures, r);
        printf("%s %d: %s %s, n_h %zu, %zu state numbers\n", family[i].kind, (int)family[i].number,
               r->theorem, r->variant, figures.householders, figures.states);
        cr_assert_eq(r->exact.rows, family[i].states);
        cr_assert_eq(r->minimised_states, 0);
        cr_assert_eq(figures.householders, family[i].householders, "%zu", figures.householders);
        cr_assert_eq(figures.layers, 1);
        cr_assert_eq(r->formats, 4);
        for (size_t k = 0; k < 4; k++) {
            cr_assert_eq(r->format[k].format, &f2l_formats[k]);
            cr_assert_str_eq(r->format[k].schedule->name, "every");
            cr_assert_eq(r->format[k].closure.verdict, F2L_OK, "%s in %s", family[i].kind,
                         f2l_formats[k].name);
            /* Nothing is ever rounded, so a joint state belongs to one state of the automaton. */
            cr_assert_eq(r->format[k].closure.rows, family[i].states);
        }
        compile_done(&f);
    }
}

Test(compile, root_keys_win_over_doubled_ones)
{
    fixture f;
    f2l_net_size size;
    open_text(&f, "points 5\ntrack points 1\npermute a (1 2)\npermute b (1 2 3 4 5)\n");
    check_verified(&f);
    f2l_net_measure(&size, &f.result.net);
    cr_assert_eq(t3_of(&f.result)->points, 5);
    cr_assert_eq(size.key_dim, 6, "D_6 roots, not 10 doubled coordinates: %s",
                 t3_of(&f.result)->keys);
    compile_done(&f);
}

/* S_6 by standard x sign: a 6-cycle has rank 5 on points, but rank 3 on points with signs. */
Test(compile, signed_permutations_win_with_fewer_factors)
{
    fixture f;
    f2l_compile_figures figures;
    open_text(&f, "points 6\ntrack points 1\npermute a (1 2)\npermute b (1 2 3 4 5 6)\n");
    check_theorem(&f, "R1");
    f2l_compile_measure(&figures, &f.result);
    cr_assert_eq(figures.layers, 1);
    cr_assert_eq(figures.factors_per_token, 3, "%zu", figures.factors_per_token);
    cr_assert_eq(f.result.entry[0].figures.factors_per_token, 5);
    cr_assert_str_eq(f.result.one_layer, "permutation automaton");
    compile_done(&f);
}

Test(compile, naive_keys_on_request)
{
    fixture f;
    open_text(&f, "points 3\ntrack points 1\npermute a (1 2)\npermute b (2 3)\n");
    f.options.naive_keys = true;
    check_verified(&f);
    f2l_net_size size;
    f2l_net_measure(&size, &f.result.net);
    cr_assert_eq(size.key_dim, 3);
    /* The count is the one of naive_keys_on_three_points in t_closure.c. */
    cr_assert_eq(f.result.format[2].closure.verdict, F2L_OK);
    cr_assert_eq(f.result.format[2].closure.rows, 35);
    compile_done(&f);
}

Test(compile, formats_are_those_asked_for_in_their_order)
{
    fixture f;
    open_family(&f, "cyclic", 3, false);
    f.options.format[0] = f2l_format_find("fp32");
    f.options.format[1] = f2l_format_find("bf16");
    f.options.format[2] = NULL;
    f.options.schedule = NULL;
    check_verified(&f);
    cr_assert_eq(f.result.formats, 2);
    cr_assert_str_eq(f.result.format[0].format->name, "fp32");
    cr_assert_str_eq(f.result.format[1].format->name, "bf16");
    cr_assert_eq(f.result.format[1].closure.verdict, F2L_OK);
    cr_assert_eq(f.result.format[1].closure.rows, 3);
    f.options.format[0] = NULL;
    check_verified(&f);
    cr_assert_eq(f.result.formats, 0);
    compile_done(&f);
}

/* Twelve states that accept by parity alone: the network is built on two states, and the proof is
 * about twelve. */
Test(compile, labels_accept_are_minimised_first)
{
    fixture f;
    open_family(&f, "cyclic", 12, false);
    f.fsa.has_accept = true;
    for (size_t q = 0; q < 12; q++) {
        /* State k is the state after k letters 1. */
        size_t steps = 0;
        for (size_t at = f.fsa.start; at != q; steps++)
            at = f.fsa.next[at * f.fsa.letters.count + 1];
        f.fsa.accept[q] = steps % 2 == 0;
    }
    f.options.label = F2L_LABEL_ACCEPT;
    check_verified(&f);
    cr_assert_eq(f.result.minimised_states, 2);
    cr_assert_eq(f.result.exact.rows, 12);
    cr_assert_eq(f.result.exact.states, 12);
    f2l_net_size size;
    f2l_net_measure(&size, &f.result.net);
    cr_assert_eq(size.codes, 2);
    cr_assert_eq(size.key_dim, 1);
    for (size_t k = 0; k < 4; k++) cr_assert_eq(f.result.format[k].closure.rows, 12);
    compile_done(&f);
}

/* p and q differ only in a letter that merges them, and their outputs are equal, so that the
 * quotient is a permutation automaton. */
Test(compile, minimising_can_make_a_permutation_automaton)
{
    static const char text[] = "start p\noutput p x\noutput q x\noutput r y\n"
                               "p a r\nq a r\nr a q\np b p\nq b p\nr b r\n";
    fixture f;
    open_text(&f, text);
    check_theorem(&f, "OL");
    f.options.label = F2L_LABEL_OUTPUTS;
    check_verified(&f);
    cr_assert_eq(f.result.minimised_states, 2);
    cr_assert_eq(f.result.exact.rows, 3);
    compile_done(&f);
}

/* A quotient that merges nothing is not used, since it would lose the file's points. */
Test(compile, distinct_outputs_keep_the_group_form)
{
    fixture f;
    open_text(&f, "points 5\n"
                  "track points 2\n"
                  "output 1 o\n"
                  "output 2 p\n"
                  "output 3 q\n"
                  "output 4 r\n"
                  "output 5 s\n"
                  "permute a (1 2)\n"
                  "permute b (1 2 3 4 5)\n");
    f.options.label = F2L_LABEL_OUTPUTS;
    check_verified(&f);
    cr_assert_eq(f.result.minimised_states, 5);
    cr_assert_eq(t3_of(&f.result)->points, 5);
    cr_assert_not_null(strstr(t3_of(&f.result)->representation, "file"), "%s",
                       t3_of(&f.result)->representation);
    compile_done(&f);
}

static const char merging_text[] = "start low\n"
                                   "low up high\n"
                                   "high up high\n"
                                   "low down low\n"
                                   "high down low\n";

Test(compile, what_no_construction_serves_is_said)
{
    fixture f;
    open_text(&f, merging_text);
    f.options.naive_keys = true;
    cr_assert_eq(compile(&f, NULL), F2L_EDOMAIN);
    static const char *const part[] = {"up", "low", "high", "cascade", "T4", "no naive keys"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        cr_assert_not_null(strstr(f.err.text, part[i]), "%s in: %s", part[i], f.err.text);
    cr_assert_eq(f.result.net.layers, 0);
    f.options.naive_keys = false;
    f.options.label = F2L_LABEL_OUTPUTS;
    cr_assert_eq(compile(&f, NULL), F2L_EDOMAIN);
    cr_assert_not_null(strstr(f.err.text, "output"), "%s", f.err.text);
    f.options.label = F2L_LABEL_ACCEPT;
    cr_assert_eq(compile(&f, NULL), F2L_EDOMAIN);
    compile_done(&f);
}

Test(compile, limits_leave_a_network_with_unknown_verdicts)
{
    fixture f;
    open_family(&f, "symmetric", 4, true);
    f.options.naive_keys = true;
    f.options.exact_rows = 7;
    f.options.float_rows = 5;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.result.exact.verdict, F2L_UNKNOWN);
    cr_assert_eq(f.result.exact.rows, 7);
    cr_assert_eq(f.result.formats, 4);
    for (size_t k = 0; k < 4; k++) {
        cr_assert_eq(f.result.format[k].closure.verdict, F2L_UNKNOWN);
        cr_assert_eq(f.result.format[k].closure.rows, 5);
    }
    cr_assert_eq(f.result.net.layers, 1);
    /* These keys were not requested: by rule a VERIFIED network replaces one that is not. */
    f.options.naive_keys = false;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    cr_assert_eq(f.result.exact.verdict, F2L_OK);
    cr_assert_not_null(f.result.rule);
    compile_done(&f);
}

Test(compile, cancelling_gives_no_verdict)
{
    fixture f;
    volatile sig_atomic_t flag = SIGTERM;
    const f2l_task task = {.cancel = &flag};
    open_family(&f, "symmetric", 4, false);
    f2l_status status = compile(&f, &task);
    cr_assert(status == F2L_UNKNOWN || f.result.exact.verdict == F2L_UNKNOWN);
    compile_done(&f);
}

#ifdef F2L_MEM_FAILURES
static void starve(fixture *f, size_t step)
{
    size_t n = 1;
    for (;; n += step) {
        f2l_mem_fail_after(n, false);
        f2l_status status = compile(f, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s: %s", n, f2l_status_name(status),
                     f->err.text);
        cr_assert_eq(f->result.net.layers, 0);
        cr_assert_eq(f->result.formats, 0);
        cr_assert_null(f2l_t4_detail_of(&f->result));
    }
    cr_assert_gt(n, 50);
    cr_assert_eq(f->result.exact.verdict, F2L_OK);
}

Test(compile, running_out_of_memory_leaves_nothing)
{
    fixture f;
    open_text(&f, "start p\naccept p\np a q\nq a r\nr a p\np b p\nq b q\nr b r\n");
    f.options.label = F2L_LABEL_ACCEPT;
    f.options.format[1] = NULL;
    starve(&f, 1);
    compile_done(&f);
    open_text(&f, "start p\naccept q\np a q\nq a q\nr a q\np b r\nq b p\nr b p\n");
    f.options.label = F2L_LABEL_ACCEPT;
    f.options.format[1] = NULL;
    starve(&f, 1);
    compile_done(&f);
}
#endif
