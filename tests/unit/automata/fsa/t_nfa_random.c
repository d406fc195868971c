#include "automata/algebra/algebra.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/nfa_support.h"
#include <stdio.h>
#include <stdlib.h>

static void random_nfa(f2l_nfa *nfa, size_t n, size_t k, size_t edges, f2l_rng *rng)
{
    f2l_nfa_init(nfa);
    char name[32];
    size_t index;
    for (size_t s = 0; s < n; s++)
        cr_assert(f2l_nfa_state(nfa, name, (size_t)snprintf(name, sizeof name, "%zu", s), &index,
                                NULL) == F2L_OK);
    for (size_t a = 0; a < k; a++)
        cr_assert(f2l_nfa_letter(nfa, name, (size_t)snprintf(name, sizeof name, "l%zu", a), &index,
                                 NULL) == F2L_OK);
    for (size_t e = 0; e < edges; e++) {
        const bool epsilon = f2l_rng_below(rng, 8) == 0;
        const size_t from = (size_t)f2l_rng_below(rng, n), to = (size_t)f2l_rng_below(rng, n);
        const size_t letter = epsilon ? F2L_EPSILON : (size_t)f2l_rng_below(rng, k);
        cr_assert(f2l_nfa_add_edge(nfa, from, letter, to, NULL) == F2L_OK);
        if (f2l_rng_below(rng, 10) == 0)
            cr_assert(f2l_nfa_add_edge(nfa, from, letter, to, NULL) == F2L_OK);
    }
    cr_assert(f2l_nfa_close_states(nfa, NULL) == F2L_OK);
    nfa->has_accept = true;
    for (size_t s = 0; s < n; s++) nfa->accept[s] = f2l_rng_below(rng, 3) == 0;
    const size_t starts = 1 + (size_t)f2l_rng_below(rng, 2);
    for (size_t i = 0; i < starts; i++) nfa->is_start[f2l_rng_below(rng, n)] = 1;
}

/* Adds the epsilon closure to a set of states, straight from the unsorted list of edges. */
static void close_naively(uint8_t *set, const f2l_nfa *nfa)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t e = 0; e < nfa->edges; e++) {
            const f2l_edge *edge = &nfa->edge[e];
            if (edge->letter != F2L_EPSILON || !set[edge->from] || set[edge->to]) continue;
            set[edge->to] = 1;
            changed = true;
        }
    }
}

static void step_naively(uint8_t *set, const f2l_nfa *nfa, size_t letter)
{
    uint8_t *after = calloc(nfa->states.count, 1);
    for (size_t e = 0; e < nfa->edges; e++)
        if (nfa->edge[e].letter == letter && set[nfa->edge[e].from]) after[nfa->edge[e].to] = 1;
    memcpy(set, after, nfa->states.count);
    free(after);
    close_naively(set, nfa);
}

static bool accepts_naively(const uint8_t *set, const f2l_nfa *nfa)
{
    for (size_t s = 0; s < nfa->states.count; s++)
        if (set[s] && nfa->accept[s]) return true;
    return false;
}

/* Follows random words in both automata; after every letter acceptance agrees, and the empty set
 * means the sink. */
static void compare_on_words(const f2l_fsa *fsa, const f2l_total_report *report, const f2l_nfa *nfa,
                             int words, int length, f2l_rng *rng)
{
    const size_t n = nfa->states.count;
    uint8_t *set = calloc(n, 1);
    for (int w = 0; w < words; w++) {
        memcpy(set, nfa->is_start, n);
        close_naively(set, nfa);
        size_t s = fsa->start;
        for (int t = 0; t <= length; t++) {
            cr_assert(fsa->accept[s] == accepts_naively(set, nfa));
            const bool in_sink = strcmp(f2l_names_get(&fsa->states, s), report->sink_name) == 0;
            cr_assert(in_sink == (memchr(set, 1, n) == NULL));
            const size_t a = (size_t)f2l_rng_below(rng, nfa->letters.count);
            step_naively(set, nfa, a);
            s = fsa->next[s * nfa->letters.count + a];
        }
    }
    free(set);
}

/* Compares the automaton with its source by one kind of labels; a word that is found must show it.
 * Returns whether there is one. */
static bool differs_from_source(const f2l_nfa *nfa, const f2l_fsa *fsa, f2l_label label)
{
    f2l_difference d;
    f2l_error err = {0};
    f2l_difference_init(&d);
    cr_assert_eq(f2l_algebra_compare_source(&d, nfa, fsa, label, NULL, &err), F2L_OK, "%s",
                 err.text);
    if (d.found && label == F2L_LABEL_ACCEPT) {
        uint8_t *set = calloc(nfa->states.count, 1);
        size_t state = fsa->start;
        memcpy(set, nfa->is_start, nfa->states.count);
        close_naively(set, nfa);
        for (size_t i = 0; i < d.letters; i++) {
            step_naively(set, nfa, d.word[i]);
            state = fsa->next[state * fsa->letters.count + d.word[i]];
        }
        cr_assert_neq(accepts_naively(set, nfa), fsa->accept[state]);
        cr_assert_str_eq(d.label[0], accepts_naively(set, nfa) ? "accept" : "reject");
        cr_assert_str_eq(d.label[1], fsa->accept[state] ? "accept" : "reject");
        free(set);
    }
    const bool found = d.found;
    f2l_difference_clear(&d);
    return found;
}

/* The automaton is its source's; with another accepting state, or another transition that a word
 * shows, it is not. */
static void compare_changed(const f2l_nfa *nfa, const f2l_fsa *fsa, f2l_rng *rng)
{
    f2l_fsa changed;
    f2l_error err = {0};
    f2l_difference d;
    f2l_fsa_init(&changed);
    f2l_difference_init(&d);
    cr_assert(!differs_from_source(nfa, fsa, F2L_LABEL_ACCEPT));
    cr_assert(!differs_from_source(nfa, fsa, F2L_LABEL_STATES));
    cr_assert_eq(f2l_fsa_copy(&changed, fsa, &err), F2L_OK);
    changed.accept[f2l_rng_below(rng, fsa->states.count)] ^= 1;
    cr_assert(differs_from_source(nfa, &changed, F2L_LABEL_ACCEPT));
    memcpy(changed.accept, fsa->accept, fsa->states.count);
    const size_t edge = (size_t)f2l_rng_below(rng, fsa->states.count * fsa->letters.count);
    changed.next[edge] = (uint32_t)f2l_rng_below(rng, fsa->states.count);
    cr_assert_eq(f2l_algebra_compare(&d, fsa, &changed, F2L_LABEL_ACCEPT, NULL, &err), F2L_OK);
    cr_assert_eq(differs_from_source(nfa, &changed, F2L_LABEL_ACCEPT), d.found);
    cr_assert_eq(differs_from_source(nfa, &changed, F2L_LABEL_STATES),
                 changed.next[edge] != fsa->next[edge]);
    f2l_difference_clear(&d);
    f2l_fsa_clear(&changed);
}

static void check_random(size_t n, size_t k, size_t edges, int words, int length, f2l_rng *rng)
{
    f2l_nfa nfa;
    random_nfa(&nfa, n, k, edges, rng);
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_total_report report;
    f2l_error err = {0};
    char source[65] = "";
    memset(source, 'a', 64);
    const f2l_total_options options = {.sink = true, .source = source};
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_OK, "%s", err.text);
    compare_on_words(&fsa, &report, &nfa, words, length, rng);
    if (n < 100) compare_changed(&nfa, &fsa, rng);
    size_t dropped;
    cr_assert(f2l_fsa_trim(&fsa, &dropped, NULL) == F2L_OK && dropped == 0);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
}

Test(nfa_random, against_direct_simulation)
{
    const uint64_t seed = 41;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_log_info("seed %llu", (unsigned long long)seed);
    for (int round = 0; round < 400; round++) {
        const size_t n = 1 + (size_t)f2l_rng_below(&rng, 14),
                     k = 1 + (size_t)f2l_rng_below(&rng, 3);
        check_random(n, k, (size_t)f2l_rng_below(&rng, 3 * n), 10, 12, &rng);
    }
}

/* An automaton so large that subsets are kept as lists instead of bit sets. */
Test(nfa_random, sparse_subsets_against_direct_simulation)
{
    const uint64_t seed = 43;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_log_info("seed %llu", (unsigned long long)seed);
    for (int round = 0; round < 3; round++) check_random(10000, 2, 9000, 5, 10, &rng);
    f2l_nfa nfa;
    blow_up(&nfa, 10);
    char name[32];
    size_t index;
    for (int i = 0; i < 10000; i++) /* unreachable states */
        cr_assert(f2l_nfa_state(&nfa, name, (size_t)snprintf(name, sizeof name, "x%d", i), &index,
                                NULL) == F2L_OK);
    cr_assert(f2l_nfa_close_states(&nfa, NULL) == F2L_OK);
    nfa.is_start[0] = 1;
    nfa.accept[10] = 1;
    nfa.has_accept = true;
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_total_report report;
    const f2l_total_options options = {0};
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, NULL) == F2L_OK);
    cr_assert(fsa.states.count == 1024 && report.dropped == 10000);
    compare_on_words(&fsa, &report, &nfa, 20, 40, &rng);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
}

/* Shuffled edges of a deterministic automaton give the table from which they came. */
Test(nfa_random, edges_in_any_order)
{
    const uint64_t seed = 47;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int round = 0; round < 100; round++) {
        const size_t n = 1 + (size_t)f2l_rng_below(&rng, 30),
                     k = 1 + (size_t)f2l_rng_below(&rng, 5);
        f2l_nfa nfa;
        random_nfa(&nfa, n, k, 0, &rng);
        memset(nfa.is_start, 0, n);
        nfa.is_start[0] = 1;
        uint32_t table[150];
        for (size_t i = 0; i < n * k; i++) {
            table[i] = (uint32_t)f2l_rng_below(&rng, n);
            if (i % k == 0) table[i] = (uint32_t)((i / k + 1) % n); /* all reachable */
        }
        for (size_t i = 0; i < 3 * n * k; i++) {
            const size_t at = i < n * k ? n * k - 1 - i : (size_t)f2l_rng_below(&rng, n * k);
            cr_assert(f2l_nfa_add_edge(&nfa, at / k, at % k, table[at], NULL) == F2L_OK);
        }
        f2l_fsa fsa;
        f2l_fsa_init(&fsa);
        f2l_total_report report;
        const f2l_total_options options = {0};
        f2l_error err = {0};
        cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_OK, "%s",
                  err.text);
        cr_assert(!report.determinised && fsa.states.count == n);
        cr_assert(memcmp(fsa.next, table, n * k * sizeof *table) == 0);
        f2l_fsa_clear(&fsa);
        f2l_nfa_clear(&nfa);
    }
}
