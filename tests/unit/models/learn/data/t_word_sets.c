/* Pairs at edit distance 1 against lists of all words, and the sets of words that are made of them.
 */
#include "models/learn/data/edit_pairs.h"
#include "models/learn/data/word_sets.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define LONGEST 4
#define DRAWS 20000

/* The letter a takes turns between p and q until b in p leads to r, where all is accepted; c
 * changes nothing. */
static const char text[] = "start p\naccept q r\np a q\nq a p\nr a r\np b r\nq b q\nr b q\n"
                           "p c p\nq c q\nr c r\n";

typedef struct word {
    uint32_t letter[LONGEST + 1];
    size_t size;
} word;

static word numbered_word(size_t number, size_t length)
{
    word w = {.size = length};
    for (size_t i = 0; i < length; i++, number /= 3) w.letter[i] = (uint32_t)(number % 3);
    return w;
}

static bool is_accepted(const f2l_fsa *fsa, const word *w)
{
    size_t state = fsa->start;
    for (size_t i = 0; i < w->size; i++)
        state = fsa->next[state * fsa->letters.count + w->letter[i]];
    return fsa->accept[state];
}

static bool same_letters(const uint32_t *a, const uint32_t *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Returns whether one edit makes y of x, by trying the place of the first difference. */
static bool is_one_edit(const word *x, const word *y)
{
    size_t at = 0;
    const size_t less = x->size < y->size ? x->size : y->size;
    while (at < less && x->letter[at] == y->letter[at]) at++;
    if (x->size == y->size)
        return at < less && same_letters(x->letter + at + 1, y->letter + at + 1, less - at - 1);
    if (x->size + 1 == y->size) return same_letters(x->letter + at, y->letter + at + 1, less - at);
    if (y->size + 1 == x->size) return same_letters(x->letter + at + 1, y->letter + at, less - at);
    return false;
}

static size_t power_of_three(size_t exponent)
{
    return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1);
}

/* Returns the number of pairs of an accepted word of `length` letters and a rejected one. */
static size_t count_pairs(const f2l_fsa *fsa, size_t length, f2l_pair_edits edits)
{
    size_t pairs = 0;
    for (size_t i = 0; i < power_of_three(length); i++)
        for (size_t m = length - edits.shorter; m <= length + edits.longer; m++)
            for (size_t k = 0; k < power_of_three(m); k++) {
                const word x = numbered_word(i, length), y = numbered_word(k, m);
                pairs += is_accepted(fsa, &x) && !is_accepted(fsa, &y) && is_one_edit(&x, &y);
            }
    return pairs;
}

Test(edit_pairs, counts_all_pairs)
{
    f2l_fsa fsa;
    f2l_edit_pairs p;
    fsa_from_text(&fsa, text);
    cr_assert(f2l_edit_pairs_init(&p, &fsa, LONGEST, NULL, NULL) == F2L_OK);
    for (unsigned which = 0; which < 4; which++) {
        const f2l_pair_edits edits = {.shorter = which & 1, .longer = which & 2};
        f2l_edit_pairs_allow(&p, edits, LONGEST);
        for (size_t length = 1; length <= LONGEST; length++) {
            const size_t count = count_pairs(&fsa, length, edits);
            cr_assert(count > 0 && f2l_edit_pairs_has(&p, length, count) &&
                          !f2l_edit_pairs_has(&p, length, count + 1),
                      "%zu letters, edits %u: %zu pairs", length, which, count);
        }
    }
    f2l_edit_pairs_clear(&p);
    f2l_fsa_clear(&fsa);
}

/* Every pair of a word of three letters comes equally often. */
Test(edit_pairs, pairs_are_equally_likely)
{
    f2l_fsa fsa;
    f2l_edit_pairs p;
    f2l_rng rng;
    static size_t seen[27][4][81];
    const f2l_pair_edits edits = {true, true};
    size_t different = 0;
    fsa_from_text(&fsa, text);
    f2l_rng_init(&rng, 1, 0);
    cr_assert(f2l_edit_pairs_init(&p, &fsa, 3, NULL, NULL) == F2L_OK);
    f2l_edit_pairs_allow(&p, edits, 3);
    const size_t pairs = count_pairs(&fsa, 3, edits);
    for (size_t i = 0; i < DRAWS; i++) {
        word x = {.size = 3}, y;
        size_t a = 0, b = 0;
        f2l_edit_pairs_draw(&p, x.letter, y.letter, &y.size, 3, &rng);
        cr_assert(is_accepted(&fsa, &x) && !is_accepted(&fsa, &y) && is_one_edit(&x, &y));
        for (size_t at = x.size; at-- > 0;) a = 3 * a + x.letter[at];
        for (size_t at = y.size; at-- > 0;) b = 3 * b + y.letter[at];
        different += seen[a][y.size - 2][b]++ == 0;
    }
    cr_assert_eq(different, pairs);
    const double expected = DRAWS / (double)pairs;
    for (const size_t *n = &seen[0][0][0]; n < &seen[0][0][0] + sizeof seen / sizeof(size_t); n++)
        cr_assert(*n == 0 || fabs((double)*n - expected) < 6 * sqrt(expected), "%zu of %g", *n,
                  expected);
    f2l_edit_pairs_clear(&p);
    f2l_fsa_clear(&fsa);
}

/* --- sets --- */

static void draw(f2l_word_list set[F2L_SETS], const f2l_fsa *fsa, size_t words, f2l_status wanted,
                 f2l_error *err)
{
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_init(&set[i]);
    const f2l_status status = f2l_word_sets_draw(set, fsa, words, 7, NULL, err);
    cr_assert(status == wanted, "%s", err->text);
}

static void clear(f2l_word_list set[F2L_SETS])
{
    for (size_t i = 0; i < F2L_SETS; i++) f2l_word_list_clear(&set[i]);
}

/* Returns whether the label of the word is the automaton's, and sets *accepted. */
static bool is_labelled(bool *accepted, const f2l_word_list *list, size_t i, const f2l_fsa *fsa)
{
    const size_t length = f2l_word_list_length(list, i);
    size_t state = fsa->start;
    uint32_t label;
    for (size_t at = 0; at < length; at++)
        state = fsa->next[state * fsa->letters.count + f2l_word_list_letter_at(list, i, at)];
    *accepted = fsa->accept[state];
    return f2l_word_list_label_at(&label, list, i, length - 1) &&
           strcmp(f2l_names_get(&list->labels, label), *accepted ? "accept" : "reject") == 0;
}

Test(word_sets, lengths_labels_and_apart)
{
    f2l_fsa fsa;
    f2l_word_list set[F2L_SETS];
    f2l_error err = {0};
    size_t common;
    fsa_from_text(&fsa, text);
    draw(set, &fsa, 80, F2L_OK, &err);
    for (size_t s = 0; s < F2L_SETS; s++) {
        const bool longer = s >= F2L_SET_LONG_RANDOM;
        size_t accepted = 0, by_length[51] = {0};
        cr_assert_eq(set[s].count, 80);
        cr_assert(set[s].last_only && set[s].shortest == (longer ? 31 : 20));
        cr_assert_eq(set[s].longest, longer ? 50 : 29);
        for (size_t i = 0; i < set[s].count; i++) {
            bool yes;
            cr_assert(is_labelled(&yes, &set[s], i, &fsa));
            accepted += yes;
            by_length[f2l_word_list_length(&set[s], i)] += yes;
        }
        cr_assert_eq(accepted, 40);
        for (size_t n = set[s].shortest; n <= set[s].longest; n++)
            cr_assert_eq(by_length[n], longer ? 2 : 4);
        for (size_t t = 0; t < F2L_SETS; t++) {
            cr_assert(f2l_word_list_common(&common, &set[s], &set[t], NULL) == F2L_OK);
            cr_assert(s == t || s > F2L_SET_SHORT_ADVERSARIAL || common == 0);
        }
    }
    clear(set);
    f2l_fsa_clear(&fsa);
}

/* A language with too few words of a length is refused by its name, and so is an odd number. */
Test(word_sets, refuses)
{
    f2l_fsa fsa;
    f2l_word_list set[F2L_SETS];
    f2l_error err = {0};
    fsa_from_text(&fsa, "start p\naccept p\np a q\nq a p\n");
    draw(set, &fsa, 40, F2L_EDOMAIN, &err);
    cr_assert_str_eq(err.text, "train: too few words of 20 letters are rejected; 2 are wanted");
    draw(set, &fsa, 50, F2L_EDOMAIN, &err);
    cr_assert_str_eq(err.text, "a set has a multiple of 40 words, not 50");
    f2l_fsa_clear(&fsa);
    /* exactly one word of each length is accepted */
    fsa_from_text(&fsa, "start p\naccept p\np a p\np b z\nz a z\nz b z\n");
    draw(set, &fsa, 40, F2L_EDOMAIN, &err);
    cr_assert(strstr(err.text, "dev: too few words of 20 letters are accepted") == err.text, "%s",
              err.text);
    f2l_fsa_clear(&fsa);
}
