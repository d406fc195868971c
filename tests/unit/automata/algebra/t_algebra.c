/* Operations on languages and the comparison, against their definitions on all short words. */
#include "automata/algebra/algebra.h"
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"

#define LONGEST 7

/* Makes a random automaton of two letters whose accepting states are random too. */
static void make_random(f2l_fsa *out, uint64_t states, uint64_t seed)
{
    f2l_error err = {0};
    const uint64_t number[3] = {states, 2, seed};
    f2l_fsa_init(out);
    cr_assert_eq(f2l_family_build(out, "random", number, 3, false, &err), F2L_OK, "%s", err.text);
    out->has_accept = true;
    for (size_t s = 0; s < out->states.count; s++)
        out->accept[s] = (seed * 2654435761u >> (s % 29 + 2)) & 1;
}

/* Returns the state after the word of `length` letters whose bits are the letters, first one in bit
 * 0; `letters` are the numbers of the letters 0 and 1. */
static size_t after(const f2l_fsa *fsa, unsigned word, int length, const size_t letters[2])
{
    size_t s = fsa->start;
    for (int i = 0; i < length; i++) s = fsa->next[s * 2 + letters[word >> i & 1]];
    return s;
}

static const size_t plain[2] = {0, 1}, swapped[2] = {1, 0};

static bool in(const f2l_fsa *fsa, unsigned word, int length)
{
    return fsa->accept[after(fsa, word, length, plain)];
}

static unsigned backwards(unsigned word, int length)
{
    unsigned out = 0;
    for (int i = 0; i < length; i++) out |= (word >> i & 1) << (length - 1 - i);
    return out;
}

Test(algebra, definitions_on_short_words)
{
    f2l_error err = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        f2l_fsa a, b, both, either, back, not ;
        make_random(&a, 1 + seed % 5, seed);
        make_random(&b, 1 + seed % 7, seed + 100);
        f2l_fsa_init(&both);
        f2l_fsa_init(&either);
        f2l_fsa_init(&back);
        make_random(&not, 1 + seed % 5, seed);
        cr_assert_eq(f2l_algebra_intersection(&both, &a, &b, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_algebra_union(&either, &a, &b, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_algebra_reverse(&back, &a, 0, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_algebra_complement(&not, &err), F2L_OK, "%s", err.text);
        for (int length = 0; length <= LONGEST; length++)
            for (unsigned w = 0; w < 1u << length; w++) {
                const bool x = in(&a, w, length), y = in(&b, w, length);
                cr_assert_eq(in(&both, w, length), x && y);
                cr_assert_eq(in(&either, w, length), x || y);
                cr_assert_eq(in(&not, w, length), !x);
                cr_assert_eq(in(&back, backwards(w, length), length), x);
            }
        f2l_fsa_clear(&a);
        f2l_fsa_clear(&b);
        f2l_fsa_clear(&both);
        f2l_fsa_clear(&either);
        f2l_fsa_clear(&back);
        f2l_fsa_clear(&not );
    }
}

/* Returns the length of the shortest word on which the automata differ, or -1 when none of up to
 * LONGEST letters does. */
static int shortest(const f2l_fsa *a, const f2l_fsa *b, const size_t letters[2])
{
    for (int length = 0; length <= LONGEST; length++)
        for (unsigned w = 0; w < 1u << length; w++)
            if (a->accept[after(a, w, length, plain)] != b->accept[after(b, w, length, letters)])
                return length;
    return -1;
}

/* A pair of automata of few states differs on a word of fewer letters than both have states, so
 * that words of LONGEST letters decide. The letters of the second may be in another order. */
Test(algebra, shortest_words)
{
    f2l_error err = {0};
    size_t equal = 0, different = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        f2l_fsa a, b;
        f2l_difference d;
        make_random(&a, 1 + seed % 4, seed % 17);
        make_random(&b, 1 + seed / 4 % 4, seed % 13);
        f2l_difference_init(&d);
        const size_t *letters = seed % 2 ? plain : swapped;
        if (seed % 2 == 0) {
            f2l_names_clear(&b.letters);
            size_t index;
            for (size_t i = 2; i-- > 0;) {
                const char *name = f2l_names_get(&a.letters, i);
                cr_assert_eq(f2l_names_add(&b.letters, name, strlen(name), &index, NULL), F2L_OK);
            }
        }
        cr_assert_eq(f2l_algebra_compare(&d, &a, &b, F2L_LABEL_ACCEPT, NULL, &err), F2L_OK);
        const int length = shortest(&a, &b, letters);
        cr_assert_eq(d.found, length >= 0);
        equal += !d.found;
        different += d.found;
        if (d.found) {
            unsigned w = 0;
            cr_assert_eq(d.letters, (size_t)length);
            for (int i = 0; i < length; i++) w |= d.word[i] << i;
            const bool x = a.accept[after(&a, w, length, plain)];
            cr_assert_neq(x, b.accept[after(&b, w, length, letters)]);
            cr_assert_str_eq(d.label[0], x ? "accept" : "reject");
            cr_assert_str_eq(d.label[1], x ? "reject" : "accept");
        }
        f2l_difference_clear(&d);
        f2l_fsa_clear(&a);
        f2l_fsa_clear(&b);
    }
    cr_assert(equal > 10 && different > 10, "%zu, %zu", equal, different);
}

static void compare_texts(f2l_difference *d, const char *first, const char *second, f2l_label label,
                          f2l_status expected, const char *message)
{
    f2l_fsa a, b;
    f2l_error err = {0};
    fsa_from_text(&a, first);
    fsa_from_text(&b, second);
    f2l_difference_init(d);
    cr_assert_eq(f2l_algebra_compare(d, &a, &b, label, NULL, &err), expected, "%s", err.text);
    if (message) cr_assert_not_null(strstr(err.text, message), "%s", err.text);
    d->label[0] = d->label[1] = NULL; /* they are borrowed from automata that end here */
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

Test(algebra, labels)
{
    f2l_difference d;
    compare_texts(&d, "start p\noutput p x\noutput q y\np a q\nq a p\n",
                  "start p\noutput p x\noutput q y\noutput r x\np a q\nq a r\nr a p\n",
                  F2L_LABEL_OUTPUTS, F2L_OK, NULL);
    cr_assert(d.found && d.letters == 3);
    f2l_difference_clear(&d);
    /* The outputs of the fourth transition differ. */
    compare_texts(&d, "start p\np a q x\nq a p y\n",
                  "start p\np a q x\nq a r y\nr a s x\ns a p x\n", F2L_LABEL_EDGES, F2L_OK, NULL);
    cr_assert(d.found && d.letters == 4);
    f2l_difference_clear(&d);
    compare_texts(&d, "start p\np a q\nq a p\n", "start p\np a p\n", F2L_LABEL_STATES, F2L_OK,
                  NULL);
    cr_assert(d.found && d.letters == 1);
    f2l_difference_clear(&d);
    compare_texts(&d, "start p\naccept\np a p\n", "start p\np a p\n", F2L_LABEL_ACCEPT, F2L_EDOMAIN,
                  "which states accept");
    f2l_difference_clear(&d);
}

Test(algebra, letters_that_differ_are_named)
{
    f2l_difference d;
    compare_texts(&d, "start p\naccept p\np a p\np c p\n",
                  "start p\naccept p\np a p\np \"b b\" p\np d p\n", F2L_LABEL_ACCEPT, F2L_EDOMAIN,
                  "only the first has `c`; only the second has `b b`, `d`");
    f2l_difference_clear(&d);
}

/* The empty language read backwards is empty. */
Test(algebra, empty_language_reversed)
{
    f2l_fsa a, back;
    f2l_error err = {0};
    fsa_from_text(&a, "start p\naccept\np a none\nnone a p\n");
    f2l_fsa_init(&back);
    cr_assert_eq(f2l_algebra_reverse(&back, &a, 0, NULL, &err), F2L_OK, "%s", err.text);
    for (size_t s = 0; s < back.states.count; s++) cr_assert_eq(back.accept[s], 0);
    cr_assert(back.has_accept);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&back);
}
