/* Lower bounds for one layer: known automata, words measured in another way, the bounds against
 * networks that are built, and words that must not hold. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/compile/compile.h"
#include "theory/obstruct/least/least.h"
#include <criterion/criterion.h>
#include <string.h>

static void family(f2l_fsa *fsa, const char *kind, uint64_t a, size_t count)
{
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, &a, count, false, &err), F2L_OK, "%s", err.text);
}

static void bound(f2l_least *least, const f2l_fsa *fsa)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_least_build(least, fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK, "%s", err.text);
    for (int i = 0; i < F2L_LEAST_KINDS; i++)
        cr_assert(f2l_least_holds(fsa, F2L_LABEL_STATES, (f2l_least_kind)i, &least->word[i]));
}

Test(least, families)
{
    static const struct {
        const char *kind;
        uint64_t number;
        size_t count, heads, one, dimension;
    } table[] = {{"parity", 0, 0, 1, 1, 1},   {"flipflop", 0, 0, 1, 1, 1},
                 {"elevator", 9, 1, 8, 8, 8}, {"elevator", 5, 1, 4, 4, 4},
                 {"counter", 4, 1, 4, 4, 4},  {"definite", 3, 1, 3, 3, 3},
                 {"definite", 5, 1, 5, 5, 5}, {"cyclic", 5, 1, 2, 2, 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_least least;
        family(&fsa, table[i].kind, table[i].number, table[i].count);
        bound(&least, &fsa);
        cr_expect_eq(least.word[F2L_LEAST_HEADS].bound, table[i].heads, "%s", table[i].kind);
        cr_expect_eq(least.word[F2L_LEAST_ONE].bound, table[i].one, "%s", table[i].kind);
        cr_expect_eq(least.word[F2L_LEAST_DIMENSION].bound, table[i].dimension, "%s",
                     table[i].kind);
        f2l_least_clear(&least);
        f2l_fsa_clear(&fsa);
    }
}

/* Makes an automaton of random maps; `next` is all that the bounds read. */
static void random_maps(f2l_fsa *fsa, size_t states, size_t letters, f2l_rng *rng)
{
    f2l_error err = {0};
    size_t at;
    f2l_fsa_init(fsa);
    for (size_t i = 0; i < states; i++) {
        const char name[] = {(char)('A' + i)};
        cr_assert_eq(f2l_names_add(&fsa->states, name, 1, &at, &err), F2L_OK);
    }
    for (size_t i = 0; i < letters; i++) {
        const char name[] = {(char)('a' + i)};
        cr_assert_eq(f2l_names_add(&fsa->letters, name, 1, &at, &err), F2L_OK);
    }
    fsa->next = f2l_calloc(states * letters, sizeof *fsa->next);
    fsa->accept = f2l_calloc(states, 1);
    cr_assert(fsa->next && fsa->accept);
    for (size_t i = 0; i < states * letters; i++)
        fsa->next[i] = (uint32_t)f2l_rng_below(rng, states);
}

/* Returns whether a layer needs a state for q beside that of r: the letter leads to q, or some
 * letter leads them to two states. */
static bool is_shown(const f2l_fsa *fsa, size_t letter, size_t q, size_t r)
{
    const size_t k = fsa->letters.count;
    bool shown = false;
    for (size_t s = 0; s < fsa->states.count; s++) shown |= fsa->next[s * k + letter] == q;
    for (size_t a = 0; a < k; a++) shown |= fsa->next[q * k + a] != fsa->next[r * k + a];
    return shown;
}

/* Returns the index 1 or 0 of a letter that permutes its image: 1 if some state outside of it has
 * to be told from all states in it. in[q]: whether q is in the image. */
static size_t index_of_permutation(const f2l_fsa *fsa, size_t letter, const bool *in)
{
    for (size_t q = 0; q < fsa->states.count; q++) {
        bool shown = !in[q];
        for (size_t r = 0; r < fsa->states.count; r++)
            shown = shown && (!in[r] || is_shown(fsa, letter, q, r));
        if (shown) return 1;
    }
    return 0;
}

/* Returns the bound of the letter for one head, from the powers of its map: the index is the first
 * power with the same image as the next one. */
static size_t by_powers(const f2l_fsa *fsa, size_t letter)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t index = 0, most = 1, image[16], size = n;
    bool in[16];
    for (size_t q = 0; q < n; q++) image[q] = q;
    for (;; index++) {
        bool hit[16] = {false};
        size_t now = 0;
        for (size_t q = 0; q < n; q++) {
            image[q] = fsa->next[image[q] * k + letter];
            now += !hit[image[q]];
            hit[image[q]] = true;
        }
        if (now == size) break;
        memcpy(in, hit, sizeof in);
        size = now;
    }
    if (index == 1) index = index_of_permutation(fsa, letter, in);
    for (size_t q = 0; q < n; q++) {
        size_t at = fsa->next[q * k + letter], steps = 1;
        for (; at != q && steps <= n; steps++) at = fsa->next[at * k + letter];
        if (at == q && steps > most) most = steps;
    }
    return index + (most > 2 ? 2 : most - 1);
}

Test(least, letters_by_powers_of_their_maps)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 23, 0);
    for (size_t round = 0; round < 300; round++) {
        f2l_fsa fsa;
        f2l_least least;
        const size_t letters = 1 + f2l_rng_below(&rng, 3);
        random_maps(&fsa, 2 + f2l_rng_below(&rng, 11), letters, &rng);
        bound(&least, &fsa);
        size_t best = 0;
        for (size_t a = 0; a < letters; a++)
            if (by_powers(&fsa, a) > best) best = by_powers(&fsa, a);
        cr_assert_geq(least.word[F2L_LEAST_ONE].bound, best);
        if (least.word[F2L_LEAST_ONE].length == 1)
            cr_assert_eq(least.word[F2L_LEAST_ONE].bound, best);
        cr_assert_leq(least.word[F2L_LEAST_HEADS].bound, least.word[F2L_LEAST_ONE].bound);
        f2l_least_clear(&least);
        f2l_fsa_clear(&fsa);
    }
}

/* Both letters are idempotent, but the word ba has index 5: b and a take turns on a path. */
Test(least, a_word_says_more_than_its_letters)
{
    f2l_fsa fsa;
    f2l_least least;
    fsa_from_text(&fsa, "fsa 1\nletters a b\nstates 0 1 2 3 4 5 6 7 8\nstart 0\n"
                        "0 a 1\n1 a 1\n2 a 3\n3 a 3\n4 a 5\n5 a 5\n6 a 7\n7 a 7\n8 a 8\n"
                        "0 b 0\n1 b 2\n2 b 2\n3 b 4\n4 b 4\n5 b 6\n6 b 6\n7 b 8\n8 b 8\n");
    bound(&least, &fsa);
    cr_assert_eq(least.word[F2L_LEAST_HEADS].bound, 3);
    cr_assert_eq(least.word[F2L_LEAST_HEADS].length, 2);
    cr_assert_eq(least.word[F2L_LEAST_DIMENSION].bound, 5);
    f2l_least_clear(&least);
    f2l_fsa_clear(&fsa);
}

/* q0 and q2 have equal futures, and a leads to one of them, b to the other: the layer S <- -S with
 * one factor tracks the states, and a decoder that reads the letter. */
Test(least, states_that_the_letter_tells_apart)
{
    f2l_fsa fsa;
    f2l_least least;
    fsa_from_text(&fsa, "fsa 1\nletters a b\nstates q0 q1 q2\nstart q0\n"
                        "q0 a q1\nq0 b q1\nq1 a q0\nq1 b q2\nq2 a q1\nq2 b q1\n");
    bound(&least, &fsa);
    for (int i = 0; i < F2L_LEAST_KINDS; i++) cr_assert_eq(least.word[i].bound, 1);
    const f2l_least_word *w = &least.word[F2L_LEAST_DIMENSION];
    f2l_least_word hidden = *w;
    hidden.state = w->letter[0] == 0 ? 2 : 0;
    hidden.index = 1;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_DIMENSION, &hidden));
    f2l_least_clear(&least);
    f2l_fsa_clear(&fsa);
}

Test(least, networks_that_are_built_respect_the_bounds)
{
    static const struct {
        const char *kind;
        uint64_t number;
        size_t count, most;
    } table[] = {{"definite", 1, 1, 1},  {"definite", 2, 1, 1}, {"definite", 4, 1, 1},
                 {"symmetric", 3, 1, 9}, {"cyclic", 6, 1, 9},   {"parity", 0, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_fsa fsa;
        f2l_least least;
        f2l_compile_result result;
        f2l_error err = {0};
        const f2l_compile_options options = {.schedule = &f2l_schedules[0]};
        family(&fsa, table[i].kind, table[i].number, table[i].count);
        bound(&least, &fsa);
        f2l_compile_result_init(&result);
        cr_assert_eq(f2l_compile(&result, &fsa, &options, NULL, &err), F2L_OK, "%s", err.text);
        f2l_compile_entry entry;
        f2l_compile_record(&entry, &result);
        cr_assert_eq(entry.figures.layers, 1);
        cr_assert_geq(entry.figures.householders, least.word[F2L_LEAST_HEADS].bound);
        cr_assert_leq(entry.figures.householders,
                      least.word[F2L_LEAST_HEADS].bound + table[i].most);
        f2l_compile_result_clear(&result);
        f2l_least_clear(&least);
        f2l_fsa_clear(&fsa);
    }
}

Test(least, wrong_words_do_not_hold)
{
    f2l_fsa fsa;
    f2l_least least;
    family(&fsa, "elevator", 5, 1);
    bound(&least, &fsa);
    const f2l_least_word good = least.word[F2L_LEAST_ONE];
    f2l_least_word bad = good;
    bad.bound++;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    bad = good, bad.index++, bad.bound++;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    bad = good, bad.period = 2;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    bad = good, bad.on_cycle = good.state;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    bad = good, bad.state = fsa.states.count;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    bad = good, bad.length = 0;
    cr_assert_not(f2l_least_holds(&fsa, F2L_LABEL_STATES, F2L_LEAST_ONE, &bad));
    f2l_least_clear(&least);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(least, out_of_memory)
{
    f2l_fsa fsa;
    family(&fsa, "elevator", 4, 1);
    for (size_t n = 1;; n++) {
        f2l_least least;
        f2l_error err = {0};
        f2l_mem_fail_after(n, false);
        const f2l_status status = f2l_least_build(&least, &fsa, F2L_LABEL_STATES, NULL, &err);
        f2l_mem_fail_after(0, false);
        f2l_least_clear(&least);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
    }
    f2l_fsa_clear(&fsa);
}
#endif
