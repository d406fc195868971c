#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/t3_support.h"
#include "theory/construct/t3/t3.h"
#include <stdio.h>

/* T3.8: more than 128 colours need two value columns, and bf16 stays exact. */
Test(t3_labels, many_colours_take_digits)
{
    fixture f;
    size_t rows;
    t3_open_family(&f, "dihedral", 131, true);
    cr_assert_eq(f.set.colours, 132); /* codes 1 .. 131 */
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].head[0].n, 262);
    cr_assert_eq(f.net.layer[0].head[0].d, 2);
    cr_assert_eq(verdict_in(&f, "bf16", &rows), F2L_OK);
    cr_assert_eq(rows, 262);
    check_exact(&f);
    t3_done(&f);
    t3_open_family(&f, "dihedral", 128, true);
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].head[0].d, 1);
    cr_assert_eq(verdict_in(&f, "bf16", &rows), F2L_OK);
    t3_done(&f);
}

Test(t3_labels, labels)
{
    const char *const text = "fsa 1\n"
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
                             "s a p\n";
    fixture f;
    t3_open_text(&f, text);
    t3_build(&f, F2L_LABEL_OUTPUTS, F2L_T3_EXACT);
    cr_assert_eq(f.net.labels.count, 3);
    cr_assert_str_eq(f2l_names_get(&f.net.labels, 0), "x");
    cr_assert_str_eq(f2l_names_get(&f.net.labels, f.net.start), "y");
    check_exact(&f);
    t3_check_words(&f, 1);
    f2l_net_clear(&f.net);
    t3_build(&f, F2L_LABEL_ACCEPT, F2L_T3_EXACT);
    cr_assert_eq(f.net.labels.count, 2);
    cr_assert_str_eq(f2l_names_get(&f.net.labels, f.net.start), "reject");
    check_exact(&f);
    t3_done(&f);
}

/* Unreachable points of a group form get no code and no label. */
Test(t3_labels, unreached_points)
{
    fixture f;
    t3_open_text(&f, "points 7\ntrack points 4\npermute a (1 2 3)(4 5)\npermute b (4 6)\n");
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].codes, 3);
    cr_assert_eq(f.net.labels.count, 3);
    cr_assert_eq(f.report.k_states, 2);
    check_exact(&f);
    t3_check_words(&f, 2);
    t3_done(&f);
}

Test(t3_labels, one_state)
{
    fixture f;
    t3_open_text(&f, "start p\np a p\np b p\n");
    for (size_t k = 0; k < 3; k++) {
        t3_build(&f, F2L_LABEL_STATES, all_keys[k]);
        cr_assert(f.net.layer[0].head[0].n == 1 && f.report.householders == 0 &&
                  f.report.k_states == 0);
        check_exact(&f);
        f2l_net_clear(&f.net);
    }
    t3_done(&f);
}

Test(t3_labels, reports_its_key_systems)
{
    fixture f;
    t3_open_text(&f, "points 9\n"
                     "track elements\n"
                     "permute a (1 2)\n"
                     "permute b (3 4)\n"
                     "permute c (5 6 7 8 9)\n");
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_str_eq(f.report.keys, "2 x (2 points: sign (dimension 1)); 5 points: D6 roots "
                                    "(dimension 6)");
    cr_assert_eq(f.net.layer[0].head[0].n, 8);
    t3_check_words(&f, 3);
    f2l_net_clear(&f.net);
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_DOUBLED);
    cr_assert_eq(f.net.layer[0].head[0].n, 18);
    t3_check_words(&f, 3);
    t3_done(&f);
}

Test(t3_labels, long_lists_of_key_systems_are_cut)
{
    f2l_buf text;
    f2l_buf_init(&text);
    const unsigned length[] = {2, 3, 5, 7, 11, 13, 17};
    f2l_buf_text(&text, "points 58\ntrack points 1\npermute a ");
    unsigned point = 1;
    for (size_t i = 0; i < 7; i++) {
        for (unsigned k = 0; k < length[i]; k++) {
            f2l_buf_printf(&text, "%s%u", k == 0 ? "(" : " ", point++);
        }
        f2l_buf_text(&text, ")");
    }
    f2l_buf_text(&text, "\n");
    fixture f;
    t3_open_text(&f, text.data);
    f2l_buf_clear(&text);
    /* All seven orbits, although one is enough. */
    f2l_gset_clear(&f.set);
    size_t orbit[8] = {0};
    uint32_t image[58], code[58] = {1};
    for (size_t i = 0; i < 7; i++) orbit[i + 1] = orbit[i] + length[i];
    memcpy(image, f.fsa.perm, sizeof image);
    f.set = (f2l_gset){.letters = 1,
                       .points = 58,
                       .image = image,
                       .orbits = 7,
                       .orbit = orbit,
                       .colours = 2,
                       .code = code};
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert(strstr(f.report.keys, "more orbits") != NULL && strlen(f.report.keys) < 160, "%s",
              f.report.keys);
    check_exact(&f);
    f2l_net_clear(&f.net);
    f2l_fsa_clear(&f.fsa);
}

Test(t3_labels, refuses)
{
    f2l_error err = {0};
    fixture f;
    t3_open_text(&f, "start p\np a q\nq a p\n");
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_OUTPUTS, F2L_T3_EXACT, &f.set,
                              NULL, &err),
                 F2L_EDOMAIN); /* no outputs */
    f2l_fsa other;
    fsa_from_text(&other, "start p\np a q\nq a p\np b q\nq b p\n");
    cr_assert_eq(
        f2l_t3_build(&f.net, &f.report, &other, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, NULL, &err),
        F2L_EDOMAIN); /* a representation of other letters */
    f2l_fsa_clear(&other);
    fsa_from_text(&other, "start p\np reset q\nq reset q\n");
    cr_assert_eq(
        f2l_t3_build(&f.net, &f.report, &other, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, NULL, &err),
        F2L_EDOMAIN);
    cr_assert(strstr(err.text, "'reset'") && strstr(err.text, "'p'") && strstr(err.text, "'q'"),
              "%s", err.text);
    cr_assert(f.net.layers == 0 && f.report.points == 0);
    f2l_fsa_clear(&other);
    t3_done(&f);
}

/* With 2,000 points the network is sparse: four non-zeros a factor, two a code. */
Test(t3_labels, large_and_sparse)
{
    const size_t n = 2000;
    f2l_rng rng;
    f2l_buf text;
    printf("seed 6\n");
    f2l_rng_init(&rng, 6, 0);
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "points %zu\ntrack points 1\n", n);
    uint32_t *image = calloc(n, sizeof *image);
    for (int a = 0; a < 4; a++) {
        random_permutation(image, n, &rng);
        f2l_buf_printf(&text, "permute l%d ", a);
        f2l_perm_write(&text, image, n);
        f2l_buf_text(&text, "\n");
    }
    free(image);
    fixture f;
    t3_open_text(&f, text.data);
    f2l_buf_clear(&text);
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    const f2l_layer *layer = &f.net.layer[0];
    for (size_t a = 0; a < 4; a++) {
        for (size_t i = 0; i < layer->head[0].letter[a].factors; i++) {
            cr_assert_eq(layer->head[0].letter[a].factor[i].u.count, 4);
        }
    }
    for (size_t c = 0; c < layer->codes; c++) cr_assert_eq(layer->code[c].count, 2);
    check_exact(&f);
    t3_done(&f);
}

Test(t3_labels, stops_when_told)
{
    fixture f;
    f2l_error err = {0};
    const f2l_task poor = {.memory = 100};
    t3_open_family(&f, "symmetric", 5, false);
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set,
                              &poor, &err),
                 F2L_UNKNOWN);
    cr_assert(f.net.layers == 0 && strstr(err.text, "memory") != NULL);
    t3_done(&f);
    const volatile sig_atomic_t cancel = 15;
    const f2l_task cancelled = {.cancel = &cancel};
    t3_open_family(&f, "cyclic", 300, false);
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set,
                              &cancelled, &err),
                 F2L_UNKNOWN);
    cr_assert(f.net.layers == 0 && strstr(err.text, "interrupted") != NULL);
    t3_done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(t3_labels, out_of_memory)
{
    fixture f;
    t3_open_text(&f, "points 5\ntrack elements\npermute a (1 2)\npermute b (3 4 5)\n");
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        n++;
        f2l_net_init(&f.net);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set,
                              NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && f.net.layers == 0));
        f2l_net_clear(&f.net);
    }
    cr_assert(status == F2L_OK && n > 30);
    t3_done(&f);
}
#endif
