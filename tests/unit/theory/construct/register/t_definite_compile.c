#include "automata/family/family.h"
#include "automata/fsa/definite.h"
#include "automata/gset/gset.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/definite_support.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/theory/t4_support.h"
#include "theory/compile/compile.h"
#include <stdio.h>

/* Makes the automaton of the words of at most k letters with random acceptance; its quotients are
 * all definite automata. Shorter words are states if the start is one. */
static void random_definite(f2l_fsa *fsa, f2l_rng *rng, size_t k, size_t letters, bool shorter)
{
    size_t words = 1, full = 0;
    for (size_t j = 0; j < k; j++) {
        full = words;
        words = words * letters + 1;
    }
    uint32_t *next = calloc(words * letters, sizeof *next);
    uint8_t *accept = calloc(words, 1);
    const size_t base = shorter ? 0 : full;
    for (size_t w = base; w < words; w++) {
        accept[w - base] = f2l_rng_below(rng, 3) == 0;
        for (size_t a = 0; a < letters; a++) {
            size_t to = w * letters + a + 1;
            /* Beyond k letters the oldest letter is dropped: longer words follow the full ones in
             * the same order. */
            if (to >= words) to = full + (to - words) % (words - full);
            next[(w - base) * letters + a] = (uint32_t)(to - base);
        }
    }
    make_trimmed(fsa, words - base, letters, next, accept);
    free(next);
    free(accept);
}

Test(definite_compile, random_automata)
{
    f2l_rng rng;
    size_t deepest = 0, empty = 0, registers = 0;
    f2l_rng_init(&rng, 11, 0);
    printf("seed 11\n");
    for (size_t run = 0; run < 60; run++) {
        const size_t k = 1 + f2l_rng_below(&rng, 4), letters = 1 + f2l_rng_below(&rng, 3);
        f2l_fsa fsa, quotient;
        uint32_t *classes;
        compiled c;
        random_definite(&fsa, &rng, k, letters, run % 2);
        f2l_fsa_init(&quotient);
        cr_assert_eq(f2l_fsa_minimise(&quotient, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL),
                     F2L_OK);
        const size_t full = find(&fsa), least = find(&quotient);
        cr_assert_leq(full, k);
        cr_assert_leq(least, full);
        cr_assert_eq(full, k_of_pairs(&fsa));
        cr_assert_eq(least, k_of_pairs(&quotient));
        compiled_init(&c, F2L_LABEL_ACCEPT);
        definite_compile(&c, &fsa);
        check_reason(&c.result, least, f2l_fsa_is_permutation(&quotient, NULL),
                     permutes_or_resets(&quotient));
        if (strcmp(c.result.theorem, "K") == 0) {
            check_certificate(&c, &fsa);
            registers++;
            empty += registers_of(&c.result)->empty;
            if (least > deepest) deepest = least;
        }
        runner r;
        runner_init(&r, &c.result.net, &fsa);
        for (int word = 0; word < 5; word++) t4_run_word(&r, &rng, 40);
        runner_clear(&r);
        f2l_compile_result_clear(&c.result);
        f2l_free(classes);
        f2l_fsa_clear(&quotient);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_eq(deepest, 4);
    cr_assert(empty > 5 && empty < registers);
}

/* One column is enough for one number until there are more than 129 of them. */
Test(definite_compile, many_classes_of_letters)
{
    for (size_t n = 128; n <= 131; n++) {
        uint32_t *next = calloc(n * n, sizeof *next);
        f2l_fsa fsa;
        compiled c;
        f2l_net_size size;
        for (size_t i = 0; i < n * n; i++) next[i] = (uint32_t)(i % n);
        make(&fsa, n, n, next, NULL);
        cr_assert_eq(find(&fsa), 1);
        compiled_init(&c, F2L_LABEL_STATES);
        definite_compile(&c, &fsa);
        /* A cascade of one level would need n numbers. */
        cr_assert_str_eq(c.result.theorem, "K");
        cr_assert_str_eq(c.result.one_layer, "k-definite, k = 1");
        f2l_net_measure(&size, &c.result.net);
        cr_assert_eq(size.states, n <= 129 ? 1 : 2);
        cr_assert_eq(size.householders, 1);
        free(next);
        f2l_compile_result_clear(&c.result);
        f2l_fsa_clear(&fsa);
    }
}

/* The chain s -> s1 -> .. -> end has one slot fewer than states, and all letters in one class. */
Test(definite_compile, chain)
{
    enum { N = 12 };
    uint32_t next[2 * N];
    f2l_fsa fsa;
    compiled c;
    for (uint32_t q = 0; q < N; q++) next[2 * q] = next[2 * q + 1] = q + 1 < N ? q + 1 : q;
    make(&fsa, N, 2, next, NULL);
    cr_assert_eq(find(&fsa), N - 1);
    compiled_init(&c, F2L_LABEL_STATES);
    definite_compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "K");
    cr_assert_eq(registers_of(&c.result)->letter_classes, 1);
    cr_assert(registers_of(&c.result)->empty);
    cr_assert_eq(c.result.exact.rows, N);
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
}

static f2l_status build(f2l_net *net, const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_definite d;
    f2l_register_report report;
    f2l_definite_init(&d);
    f2l_status status = f2l_definite_find(&d, fsa, 0, task, err);
    if (status == F2L_OK)
        status = f2l_register_build(net, &report, fsa, F2L_LABEL_STATES, &d, task, err);
    f2l_definite_clear(&d);
    return status;
}

Test(definite_compile, what_is_refused)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_definite d;
    f2l_error err = {0};
    compiled c;
    f2l_net_init(&net);
    f2l_definite_init(&d);
    /* Remembers whether there was an a: not definite. */
    fsa_from_text(&fsa, "start p\np a q\nq a q\np b p\nq b q\n");
    cr_assert_eq(find(&fsa), SIZE_MAX);
    cr_assert_eq(build(&net, &fsa, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "not definite"), "%s", err.text);
    cr_assert_eq(net.layers, 0);
    compiled_init(&c, F2L_LABEL_STATES);
    definite_compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "T4");
    f2l_fsa_clear(&fsa);
    /* Limits. */
    const uint64_t five = 5;
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "definite", &five, 1, false, NULL), F2L_OK);
    cr_assert_eq(f2l_definite_find(&d, &fsa, 100, NULL, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "100"), "%s", err.text);
    cr_assert(!d.definite && !d.letter_class);
    const f2l_task small = {.memory = 100};
    cr_assert_eq(f2l_definite_find(&d, &fsa, 0, &small, &err), F2L_UNKNOWN);
    const f2l_task medium = {.memory = 8000};
    cr_assert_eq(build(&net, &fsa, &medium, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "register"), "%s", err.text);
    f2l_fsa_clear(&fsa);
    /* The register has too many contents, so a cascade is built: in a chain of 24 states a letter
     * moves by one or two. */
    enum { N = 24 };
    uint32_t next[2 * N];
    for (uint32_t q = 0; q < N; q++) {
        next[2 * q] = q + 1 < N ? q + 1 : q;
        next[2 * q + 1] = q + 2 < N ? q + 2 : N - 1;
    }
    make(&fsa, N, 2, next, NULL);
    cr_assert_eq(find(&fsa), N - 1);
    cr_assert_eq(build(&net, &fsa, NULL, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "23 letters of 2 classes"), "%s", err.text);
    definite_compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "T4");
    cr_assert_str_eq(c.result.one_layer, "");
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(definite_compile, running_out_of_memory_leaves_nothing)
{
    f2l_fsa fsa;
    f2l_net net;
    size_t n = 1;
    fsa_from_text(&fsa, "start s\ns a p\ns b q\np a p\np b q\nq a r\nq b q\nr a p\nr b q\n");
    f2l_net_init(&net);
    for (;; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = build(&net, &fsa, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
        cr_assert_eq(net.layers, 0);
    }
    cr_assert_gt(n, 20);
    f2l_net_clear(&net);
    compiled c;
    compiled_init(&c, F2L_LABEL_STATES);
    c.options.format[1] = NULL;
    for (n = 1;; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_compile(&c.result, &fsa, &c.options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
        cr_assert_eq(c.result.net.layers, 0);
    }
    cr_assert_str_eq(c.result.theorem, "K");
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
}
#endif

enum { SLOTS = 3, ROWS = 2 * SLOTS, FLOORS = SLOTS + 1 };

/* Makes a letter that exchanges slots i and i + 1 along the register, from its far end on, and then
 * writes `pushed`. */
static void push_from(f2l_head *head, size_t letter, bool low_end, long pushed)
{
    f2l_transition *t = &head->letter[letter];
    cr_assert_eq(f2l_transition_set_factors(t, SLOTS + 1, NULL), F2L_OK);
    for (size_t j = 0; j + 1 < SLOTS; j++) {
        long u[ROWS] = {0};
        const size_t i = low_end ? SLOTS - 2 - j : j;
        u[2 * i] = u[2 * i + 1] = 1;
        u[2 * i + 2] = u[2 * i + 3] = -1;
        mpq_set_si(t->factor[j].beta, 2, 1);
        hand_vector(&t->factor[j].u, u, ROWS);
    }
    for (size_t copy = 0; copy < 2; copy++) {
        f2l_factor *write = &t->factor[SLOTS - 1 + copy];
        long u[ROWS] = {0};
        u[(low_end ? 0 : ROWS - 2) + copy] = 1;
        mpq_set_si(write->beta, 1, 1);
        hand_vector(&write->u, u, ROWS);
        hand_vector(&write->c, &pushed, 1);
    }
}

/* K.6: an elevator has a network of one layer, by hand as by search. */
Test(definite_compile, an_elevator_in_one_layer_by_hand)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure closure;
    compiled c;
    long codes[FLOORS * ROWS] = {0};
    for (size_t floor = 0; floor < FLOORS; floor++)
        for (size_t row = 0; row < 2 * floor; row++) codes[floor * ROWS + row] = 1;
    fsa_from_text(&fsa, "start 1\n"
                        "1 up 2\n"
                        "2 up 3\n"
                        "3 up 4\n"
                        "4 up 4\n"
                        "1 down 1\n"
                        "2 down 1\n"
                        "3 down 2\n"
                        "4 down 3\n");
    hand_net(&net, &fsa, F2L_LABEL_STATES, 1);
    f2l_head *head = hand_head(&net, 0, 2, ROWS, codes);
    push_from(head, 0, true, 1);
    push_from(head, 1, false, 0);
    hand_codes(&net, 0, FLOORS, codes);
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &net, &fsa, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(closure.verdict, F2L_OK, "%s, not %s", closure.got, closure.expected);
    cr_assert_eq(closure.rows, FLOORS);
    compiled_init(&c, F2L_LABEL_STATES);
    definite_compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "K.6");
    cr_assert_eq(c.result.net.layers, 1);
    cr_assert_eq(c.result.net.layer[0].head[0].n, ROWS);
    f2l_compile_result_clear(&c.result);
    f2l_closure_clear(&closure);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}
