#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_support.h"
#include "theory/obstruct/classify/cycle_word.h"
#include <criterion/criterion.h>

/* Makes the automaton whose letters are given as lists of images. */
static void table_from(f2l_fsa *fsa, size_t states, size_t letters, const uint32_t *image)
{
    table_init(fsa, states, letters);
    for (size_t a = 0; a < letters; a++)
        for (size_t q = 0; q < states; q++) table_set(fsa, q, a, image[a * states + q]);
}

static f2l_cycle_words find(const f2l_fsa *fsa, bool want_odd, const f2l_cycle_limits *limits)
{
    f2l_cycle_words words;
    f2l_error err = {0};
    cr_assert_eq(f2l_cycle_words_find(&words, fsa, NULL, 0, want_odd, limits, NULL, &err), F2L_OK,
                 "%s", err.text);
    return words;
}

Test(cycle_word, swap)
{
    f2l_fsa fsa;
    table_from(&fsa, 3, 2, (const uint32_t[]){1, 1, 2, 2, 1, 0}); /* a merges 1, 2; b swaps 1, 3 */
    f2l_cycle_words words = find(&fsa, true, NULL);
    cr_assert(f2l_cycle_word_holds(&fsa, &words.any));
    cr_assert_eq(words.any.length, 1);
    cr_assert_eq(words.any.letter[0], 1);
    cr_assert_eq(words.any.period, 2);
    cr_assert_eq(words.any.state[0], 0);
    cr_assert_eq(words.any.state[1], 2);
    cr_assert(words.any.shortest);
    cr_assert_eq(words.odd.length, 0, "no cycle of three states: a subgroup of order 2 at most");
    cr_assert(words.complete);
    f2l_cycle_words_clear(&words);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

/* A word with a wrong claim is refused, one that holds is accepted. */
Test(cycle_word, wrong_words_do_not_hold)
{
    f2l_fsa fsa;
    table_from(&fsa, 4, 1, (const uint32_t[]){1, 2, 0, 3});
    uint32_t letter[] = {0, 0, 0}, cycle[] = {0, 1, 2}, turned[] = {1, 0, 2}, twice[] = {0, 1, 0};
    cr_assert(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 1, cycle, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 2, cycle, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 3, cycle, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 1, turned, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 1, twice, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 1, cycle, 2, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 0, cycle, 3, true}));
    cr_assert_not(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){letter, 3, cycle, 1, true}));
    f2l_fsa_clear(&fsa);
}

/* Odd means: no power of two. The first letter has a cycle of 2, the word of both letters a cycle
 * of 3. */
Test(cycle_word, odd_comes_later)
{
    f2l_fsa fsa;
    table_from(&fsa, 3, 2, (const uint32_t[]){1, 0, 2, 0, 2, 1});
    f2l_cycle_words words = find(&fsa, true, NULL);
    cr_assert_eq(words.any.length, 1);
    cr_assert_eq(words.odd.length, 2);
    cr_assert_eq(words.odd.period, 3);
    cr_assert(f2l_cycle_word_holds(&fsa, &words.odd));
    cr_assert_not(words.complete, "the search ends when both are found");
    f2l_cycle_words_clear(&words);
    words = find(&fsa, false, NULL);
    cr_assert_eq(words.any.length, 1);
    cr_assert_eq(words.odd.length, 0);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

Test(cycle_word, six_has_an_odd_factor)
{
    f2l_fsa fsa;
    table_from(&fsa, 6, 1, (const uint32_t[]){1, 2, 3, 4, 5, 0});
    f2l_cycle_words words = find(&fsa, true, NULL);
    cr_assert_eq(words.odd.period, 6);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

/* Letter 2 rotates only the first three states, so that many letters are needed to merge the others
 * first. */
Test(cycle_word, limits)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    enum { N = 12 };
    table_init(&fsa, N, 2);
    for (size_t q = 0; q < N; q++) {
        table_set(&fsa, q, 0, q + 1 < N ? q + 1 : q);
        table_set(&fsa, q, 1, q ? q - 1 : q);
    }
    f2l_cycle_words words = find(&fsa, true, NULL);
    cr_assert(words.complete && !words.any.length, "a counter is aperiodic");
    const size_t maps = words.maps;
    cr_assert_gt(maps, N);
    f2l_cycle_words_clear(&words);
    words = find(&fsa, true, &(f2l_cycle_limits){.maps = maps});
    cr_assert(words.complete);
    f2l_cycle_words_clear(&words);
    words = find(&fsa, true, &(f2l_cycle_limits){.maps = maps - 1});
    cr_assert(!words.complete && !words.any.length);
    f2l_cycle_words_clear(&words);
    words = find(&fsa, true, &(f2l_cycle_limits){.bytes = 1000});
    cr_assert(!words.complete && words.maps < 40);
    f2l_cycle_words_clear(&words);
    const f2l_task small = {.memory = 1000};
    cr_assert_eq(f2l_cycle_words_find(&words, &fsa, NULL, 0, true, NULL, &small, NULL), F2L_OK);
    cr_assert(!words.complete);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

/* The map for which there is no room is the last one that is tried. */
Test(cycle_word, limit_at_the_end)
{
    f2l_fsa fsa;
    table_from(&fsa, 3, 1, (const uint32_t[]){1, 2, 2});
    f2l_cycle_words words = find(&fsa, true, &(f2l_cycle_limits){.maps = 2});
    cr_assert(!words.complete && words.maps == 2);
    f2l_cycle_words_clear(&words);
    words = find(&fsa, true, &(f2l_cycle_limits){.maps = 3});
    cr_assert(words.complete && words.maps == 3);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

/* States take one, two or four bytes. */
Test(cycle_word, many_states)
{
    static const size_t sizes[] = {256, 257, 65536, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        f2l_fsa fsa;
        table_init(&fsa, sizes[i], 1);
        for (size_t q = 0; q < sizes[i]; q++) table_set(&fsa, q, 0, q + 1 < sizes[i] ? q + 1 : 0);
        f2l_cycle_words words = find(&fsa, false, NULL);
        cr_assert_eq(words.any.length, 1);
        cr_assert_eq(words.any.period, sizes[i]);
        cr_assert_eq(words.any.state[sizes[i] - 1], sizes[i] - 1);
        cr_assert(f2l_cycle_word_holds(&fsa, &(f2l_cycle_word){words.any.letter, 1, words.any.state,
                                                               sizes[i], true}) ||
                  sizes[i] > 1000);
        f2l_cycle_words_clear(&words);
        f2l_fsa_clear(&fsa);
    }
}

/* On a domain the words act as cycles inside it. */
Test(cycle_word, domain)
{
    f2l_fsa fsa;
    f2l_cycle_words words;
    table_from(&fsa, 5, 2, (const uint32_t[]){1, 0, 2, 3, 4, 1, 2, 3, 4, 0});
    const uint32_t domain[] = {2, 3, 4};
    cr_assert_eq(f2l_cycle_words_find(&words, &fsa, domain, 3, true, NULL, NULL, NULL), F2L_OK);
    cr_assert(words.any.length && words.odd.length);
    cr_assert_not(words.any.shortest);
    cr_assert(f2l_cycle_word_holds(&fsa, &words.any) && f2l_cycle_word_holds(&fsa, &words.odd));
    for (size_t i = 0; i < words.any.period; i++) cr_assert_geq(words.any.state[i], 2);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
    /* b merges the two states; the other maps are the empty word's, and a's out of the domain */
    table_from(&fsa, 3, 2, (const uint32_t[]){2, 1, 2, 1, 1, 2});
    cr_assert_eq(
        f2l_cycle_words_find(&words, &fsa, (const uint32_t[]){0, 1}, 2, true, NULL, NULL, NULL),
        F2L_OK);
    cr_assert(words.maps == 2 && !words.any.length && !words.complete);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

/* Words for pairs and triples agree with the search over maps, on random automata. A pair is
 * swapped if and only if some word has a cycle of even length; and no word for triples is shorter
 * than the shortest with an odd factor. */
Test(cycle_word, tuples)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    size_t pairs = 0, triples = 0;
    for (size_t round = 0; round < 300; round++) {
        f2l_fsa fsa;
        f2l_cycle_word pair, triple;
        table_random(&fsa, 2 + f2l_rng_below(&rng, 4), 2, &rng);
        f2l_cycle_words words = find(&fsa, true, NULL);
        cr_assert_eq(f2l_cycle_word_tuples(&pair, &fsa, 2, NULL, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_cycle_word_tuples(&triple, &fsa, 3, NULL, NULL, NULL), F2L_OK);
        if (pair.length) {
            pairs++;
            cr_assert(f2l_cycle_word_holds(&fsa, &pair) && pair.period == 2);
            cr_assert_leq(words.any.length, pair.length);
        }
        if (triple.length) {
            triples++;
            cr_assert(f2l_cycle_word_holds(&fsa, &triple) && triple.period == 3);
            cr_assert(words.odd.length && words.odd.length <= triple.length);
        }
        if (words.any.length && words.any.period == 2) cr_assert_eq(pair.length, words.any.length);
        if (words.odd.length && words.odd.period == 3)
            cr_assert_eq(triple.length, words.odd.length);
        f2l_cycle_word_clear(&pair);
        f2l_cycle_word_clear(&triple);
        f2l_cycle_words_clear(&words);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(pairs > 50 && triples > 10, "%zu, %zu", pairs, triples);
}

Test(cycle_word, tuple_refusals)
{
    f2l_fsa fsa;
    f2l_cycle_word word;
    table_from(&fsa, 2, 1, (const uint32_t[]){1, 0});
    cr_assert_eq(f2l_cycle_word_tuples(&word, &fsa, 4, NULL, NULL, NULL), F2L_EDOMAIN);
    cr_assert_eq(f2l_cycle_word_tuples(&word, &fsa, 1, NULL, NULL, NULL), F2L_EDOMAIN);
    const f2l_task small = {.memory = 10};
    cr_assert_eq(f2l_cycle_word_tuples(&word, &fsa, 2, NULL, &small, NULL), F2L_OK);
    cr_assert_eq(word.length, 0);
    f2l_fsa_clear(&fsa);
    table_init(&fsa, 3000, 1);
    cr_assert_eq(f2l_cycle_word_tuples(&word, &fsa, 2, NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(word.length, 0, "too many pairs");
    f2l_fsa_clear(&fsa);
}

Test(cycle_word, one_state)
{
    f2l_fsa fsa;
    table_init(&fsa, 1, 1);
    f2l_cycle_words words = find(&fsa, true, NULL);
    cr_assert(words.complete && !words.any.length && !words.odd.length);
    f2l_cycle_words_clear(&words);
    f2l_fsa_clear(&fsa);
}

Test(cycle_word, stopped)
{
    f2l_fsa fsa;
    f2l_cycle_words words;
    f2l_cycle_word word;
    f2l_error err = {0};
    const volatile sig_atomic_t stop = 2;
    const f2l_task cancelled = {.cancel = &stop};
    table_from(&fsa, 3, 2, (const uint32_t[]){1, 0, 2, 0, 2, 1});
    cr_assert_eq(f2l_cycle_words_find(&words, &fsa, NULL, 0, true, NULL, &cancelled, &err),
                 F2L_UNKNOWN);
    cr_assert_null(words.any.letter);
    cr_assert_eq(f2l_cycle_word_tuples(&word, &fsa, 3, NULL, &cancelled, &err), F2L_UNKNOWN);
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1, done = 0; done < 3; n++) {
        f2l_mem_fail_after(n, true);
        const f2l_status all = f2l_cycle_words_find(&words, &fsa, NULL, 0, true, NULL, NULL, NULL);
        f2l_mem_fail_after(n, true);
        const f2l_status three = f2l_cycle_word_tuples(&word, &fsa, 3, NULL, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(all == F2L_OK || (all == F2L_ENOMEM && !words.any.letter && !words.odd.letter),
                  "%zu", n);
        cr_assert(three == F2L_OK || (three == F2L_ENOMEM && !word.letter), "%zu", n);
        f2l_cycle_words_clear(&words);
        f2l_cycle_word_clear(&word);
        done += all == F2L_OK && three == F2L_OK;
        cr_assert_lt(n, 100);
        if (n == 5) cr_assert(all == F2L_ENOMEM && three == F2L_ENOMEM);
    }
#endif
    f2l_fsa_clear(&fsa);
}
