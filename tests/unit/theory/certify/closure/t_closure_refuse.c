#include "models/network/exact/run_exact.h"
#include "numeric/base/rng.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/theory/closure_support.h"
#include "theory/certify/closure/closure.h"
#include <stdio.h>

/* Returns the length of a shortest word, up to `most`, after which the exact network's label is
 * wrong, by trying all words. */
static size_t shortest_failure(const f2l_net *net, const f2l_fsa *fsa, size_t most)
{
    const size_t letters = fsa->letters.count;
    f2l_exact *run;
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    size_t words = 1, length = 1;
    for (; length <= most; length++) {
        words *= letters;
        for (size_t w = 0; w < words; w++) {
            size_t joint[4], label = 0, state = fsa->start, rest = w;
            cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
            f2l_status status = F2L_OK;
            for (size_t i = 0; i < length && status == F2L_OK; i++, rest /= letters) {
                status = f2l_exact_step(run, joint, rest % letters, &label, NULL, NULL);
                state = fsa->next[state * letters + rest % letters];
            }
            const char *right = f2l_fsa_label(fsa, net->label, state);
            if (status != F2L_OK || strcmp(f2l_names_get(&net->labels, label), right) != 0)
                goto found;
        }
    }
found:
    f2l_exact_free(run);
    return length;
}

Test(closure_refuse, a_wrong_network_is_refuted_by_a_shortest_word)
{
    fixture f;
    open_wrong(&f);
    cr_assert_eq(shortest_failure(&f.net, &f.fsa, 6), 3);
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(exact ? close_exactly(&f, 0, NULL) : close_in(&f, "fp16", 0, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_REFUTED);
        cr_assert_eq(f.closure.word_length, 3);
        for (size_t i = 0; i < 3; i++)
            cr_assert_str_eq(f2l_names_get(&f.fsa.letters, f.closure.word[i]), "i");
        cr_assert_str_eq(f.closure.expected, "x");
        cr_assert_str_eq(f.closure.got, "y");
        cr_assert_null(f.closure.joint);
    }
    closure_done(&f);
}

Test(closure_refuse, a_state_without_a_code_refutes)
{
    fixture f;
    open_swaps(&f);
    /* The third code is replaced by one that is never reached. */
    mpq_set_si(f.net.layer[0].code[2].value[0], 5, 1);
    cr_assert_eq(shortest_failure(&f.net, &f.fsa, 6), 2);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_REFUTED);
    cr_assert_eq(f.closure.word_length, 2);
    cr_assert_eq(f.closure.word[0], 0);
    cr_assert_eq(f.closure.word[1], 1);
    cr_assert_str_eq(f.closure.got, "no code");
    cr_assert_str_eq(f.closure.expected, "3");
    closure_done(&f);
}

Test(closure_refuse, the_empty_word_can_refute)
{
    fixture f;
    open_parity(&f);
    f.net.start = 1;
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(exact ? close_exactly(&f, 0, NULL) : close_in(&f, "fp32", 0, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_REFUTED);
        cr_assert_eq(f.closure.word_length, 0);
        cr_assert_str_eq(f.closure.expected, "even");
        cr_assert_str_eq(f.closure.got, "odd");
    }
    closure_done(&f);
}

Test(closure_refuse, an_initial_state_without_a_code_is_unknown)
{
    fixture f;
    open_parity(&f);
    mpq_set_si(f.net.layer[0].head[0].initial.value[0], 3, 1);
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_neq(f.closure.reason[0], '\0');
    closure_done(&f);
}

Test(closure_refuse, other_letters_or_labels_are_refused)
{
    fixture f;
    open_parity(&f);
    f2l_fsa other;
    static const char *const text[] = {"start even\neven 0 odd\nodd 0 even\n", "start even\n"
                                                                               "even 0 odd\n"
                                                                               "odd 0 even\n"
                                                                               "even 2 odd\n"
                                                                               "odd 2 even\n"};
    for (size_t i = 0; i < 2; i++) {
        fsa_from_text(&other, text[i]);
        cr_assert_eq(f2l_closure_exact(&f.closure, &f.net, &other, 0, NULL, &f.err), F2L_EDOMAIN);
        cr_assert_neq(f.err.text[0], '\0');
        cr_assert_eq(f2l_closure_float(&f.closure, &f.net, &other, f2l_format_find("bf16"),
                                       f2l_schedule_find("every"), 0, NULL, &f.err),
                     F2L_EDOMAIN);
        f2l_fsa_clear(&other);
    }
    f.net.label = F2L_LABEL_OUTPUTS;
    cr_assert_eq(close_exactly(&f, 0, NULL), F2L_EDOMAIN);
    closure_done(&f);
}

Test(closure_refuse, limits_give_unknown_with_a_reason)
{
    fixture f;
    open_swaps(&f);
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(exact ? close_exactly(&f, 2, NULL) : close_in(&f, "fp32", 2, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
        cr_assert_eq(f.closure.rows, 2);
        cr_assert_str_eq(f.closure.reason, "limit of 2 joint states reached");
        cr_assert_null(f.closure.next);
        /* A limit equal to the number of rows is enough. */
        cr_assert_eq(exact ? close_exactly(&f, 3, NULL) : close_in(&f, "fp32", 35, NULL), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_OK);
    }
    const f2l_task small = {.memory = 100};
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(exact ? close_exactly(&f, 0, &small) : close_in(&f, "fp32", 0, &small),
                     F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.closure.reason, "memory"), "%s", f.closure.reason);
    }
    closure_done(&f);
}

/* Cancels at the n-th poll while rows are closed. */
typedef struct canceller {
    volatile sig_atomic_t flag;
    size_t polls, at;
} canceller;

static void cancel_later(void *context, const char *phase, double rows, double total)
{
    canceller *c = context;
    (void)rows;
    (void)total;
    if (strstr(phase, "closing") == NULL) return;
    if (++c->polls == c->at) c->flag = SIGINT;
}

Test(closure_refuse, it_can_be_cancelled)
{
    fixture f;
    open_swaps(&f);
    canceller c = {.flag = SIGINT};
    f2l_task task = {.cancel = &c.flag};
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(exact ? close_exactly(&f, 0, &task) : close_in(&f, "fp32", 0, &task), F2L_OK);
        cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.closure.reason, "interrupted"), "%s", f.closure.reason);
    }
    c = (canceller){.at = 1};
    task = (f2l_task){.cancel = &c.flag, .progress = cancel_later, .context = &c};
    cr_assert_eq(close_in(&f, "fp32", 0, &task), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    cr_assert_gt(f.closure.rows, 1);
    task = (f2l_task){.deadline = f2l_now() - 1};
    cr_assert_eq(close_exactly(&f, 0, &task), F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_UNKNOWN);
    /* A network without layers is refused when it is rounded; when the time is up, rounding does
     * not begin. */
    const size_t layers = f.net.layers;
    f.net.layers = 0;
    cr_assert_neq(close_in(&f, "fp32", 0, NULL), F2L_OK);
    cr_assert_eq(close_in(&f, "fp32", 0, &task), F2L_OK);
    cr_assert_not_null(strstr(f.closure.reason, "time limit"), "%s", f.closure.reason);
    f.net.layers = layers;
    closure_done(&f);
}

Test(closure_refuse, refuting_words_are_shortest_for_random_networks)
{
    static const uint64_t seed = 20240611;
    printf("seed %llu\n", (unsigned long long)seed);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    size_t refuted = 0;
    for (int trial = 0; trial < 60; trial++) {
        /* The accepting states of the three points are random, and so, independently, are the
         * decoder's symbols. */
        fixture f;
        fsa_from_text(&f.fsa, hand_swaps_text);
        f.fsa.has_accept = true;
        for (size_t q = 0; q < 3; q++) f.fsa.accept[q] = (uint8_t)f2l_rng_below(&rng, 2);
        hand_swaps(&f.net, &f.fsa);
        f.net.label = F2L_LABEL_ACCEPT;
        f2l_names_clear(&f.net.labels);
        size_t index;
        cr_assert_eq(f2l_names_add(&f.net.labels, "reject", 6, &index, NULL), F2L_OK);
        cr_assert_eq(f2l_names_add(&f.net.labels, "accept", 6, &index, NULL), F2L_OK);
        f.net.start = f.fsa.accept[f.fsa.start];
        f.net.layer[0].symbols = 2;
        bool same = true;
        for (size_t i = 0; i < 3; i++) {
            f.net.layer[0].symbol[i] = (uint32_t)f2l_rng_below(&rng, 2);
            same = same && f.net.layer[0].symbol[i] == f.fsa.accept[i];
        }
        f2l_closure_init(&f.closure);
        cr_assert_eq(close_exactly(&f, 0, NULL), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.closure.verdict, same ? F2L_OK : F2L_REFUTED);
        if (!same) cr_assert_eq(f.closure.word_length, shortest_failure(&f.net, &f.fsa, 4));
        refuted += !same;
        closure_done(&f);
    }
    cr_assert_gt(refuted, 30);
    cr_assert_lt(refuted, 60);
}
