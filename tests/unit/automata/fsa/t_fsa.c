#include "automata/fsa/fsa.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/base/sha256.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/random_permutation.h"
#include <stdio.h>
#include <stdlib.h>

/* Writes, reads and writes again: bytes, numbering and labels stay the same. */
static void round_trip(const f2l_fsa *fsa)
{
    f2l_buf text, again;
    f2l_buf_init(&text);
    f2l_buf_init(&again);
    cr_assert(f2l_fsa_write(&text, fsa, NULL) == F2L_OK);
    f2l_fsa copy;
    fsa_from_text(&copy, text.data);
    cr_assert(f2l_fsa_write(&again, &copy, NULL) == F2L_OK);
    cr_assert(text.size == again.size && memcmp(text.data, again.data, text.size) == 0, "%s\n%s",
              text.data, again.data);
    const size_t n = fsa->states.count, k = fsa->letters.count;
    cr_assert(copy.states.count == n && copy.letters.count == k && copy.start == fsa->start);
    cr_assert(copy.track == fsa->track && copy.points == fsa->points &&
              copy.has_accept == fsa->has_accept);
    cr_assert(memcmp(copy.next, fsa->next, n * k * sizeof *fsa->next) == 0);
    cr_assert(memcmp(copy.accept, fsa->accept, n) == 0);
    cr_assert(copy.outputs.count == fsa->outputs.count);
    for (size_t s = 0; s < n; s++) {
        cr_assert_str_eq(f2l_names_get(&copy.states, s), f2l_names_get(&fsa->states, s));
        if (fsa->output) cr_assert(copy.output[s] == fsa->output[s]);
    }
    cr_assert((copy.edge_output == NULL) == (fsa->edge_output == NULL));
    if (fsa->edge_output)
        cr_assert(memcmp(copy.edge_output, fsa->edge_output, n * k * sizeof *fsa->edge_output) ==
                  0);
    char hex[65], other[65];
    cr_assert(f2l_fsa_sha256(fsa, hex, NULL) == F2L_OK);
    f2l_sha256_hex(text.data, text.size, other);
    cr_assert_str_eq(hex, other);
    f2l_fsa_clear(&copy);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
}

Test(fsa, writes_the_canonical_edge_form)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "start odd\n"
                        "output even \"E v\"\n"
                        "output odd O\n"
                        "accept even\n"
                        "even 1 odd\n"
                        "odd 1 even\n"
                        "odd 0 odd\n"
                        "even 0 even\n");
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, &fsa, NULL) == F2L_OK);
    cr_assert_str_eq(text.data, "fsa 1\n"
                                "letters 1 0\n"
                                "states odd even\n"
                                "start odd\n"
                                "accept even\n"
                                "output odd O\n"
                                "output even \"E v\"\n"
                                "odd 1 even\n"
                                "odd 0 odd\n"
                                "even 1 odd\n"
                                "even 0 even\n");
    f2l_buf_clear(&text);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
    f2l_fsa_clear(&fsa);
}

/* Edges in another order than the written one, and a state that is not reached. */
#define MEALY "start p\nq a q \"b c\"\np a q \"b c\"\nr a p z\nr b q y\np b p y\nq b p x\n"

Test(fsa, outputs_of_transitions)
{
    f2l_fsa fsa, copy;
    fsa_from_text(&fsa, MEALY);
    cr_assert(fsa.states.count == 2 && fsa.edge_outputs.count == 3);
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, fsa.start, 0), "b c");
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, fsa.start, 1), "y");
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_STATES, fsa.start, 0), "q");
    cr_assert(f2l_fsa_has_label(&fsa, F2L_LABEL_EDGES, NULL) == F2L_OK);
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_EDGES, NULL) == F2L_EDOMAIN);
    round_trip(&fsa);
    f2l_fsa_init(&copy);
    uint32_t *classes;
    cr_assert(f2l_fsa_minimise(&copy, &classes, &fsa, F2L_LABEL_STATES, NULL, NULL) == F2L_OK);
    cr_assert(copy.edge_output == NULL &&
              f2l_fsa_has_label(&copy, F2L_LABEL_EDGES, NULL) == F2L_EDOMAIN);
    f2l_free(classes);
    f2l_fsa_clear(&copy);
    f2l_fsa_clear(&fsa);
}

Test(fsa, trimming_keeps_outputs_of_transitions)
{
    f2l_fsa fsa;
    size_t dropped;
    fsa_from_text(&fsa, "start p\np a q u\nq a q v\np b r w\nq b q u\nr a r x\nr b r x\n");
    fsa.start = f2l_names_find(&fsa.states, "q", 1);
    cr_assert(f2l_fsa_trim(&fsa, &dropped, NULL) == F2L_OK && dropped == 2);
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, 0, 0), "v");
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, 0, 1), "u");
    cr_assert(fsa.edge_outputs.count == 2);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(fsa, letters_of_a_class_become_one)
{
    static const uint32_t right[] = {0, 1, 0}, wrong[] = {0, 0, 1};
    const char *const text = "start p\np a q u\np b p u\np c q u\nq a q v\nq b p v\nq c q v\n";
    f2l_fsa fsa;
    f2l_error err = {0};
    fsa_from_text(&fsa, text);
    cr_assert(f2l_fsa_merge_letters(&fsa, wrong, 2, &err) == F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "letters `a` and `b` are of one class and act in different ways on "
                               "state `p`");
    cr_assert(f2l_fsa_merge_letters(&fsa, right, 2, &err) == F2L_OK && fsa.letters.count == 2);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "b");
    cr_assert(fsa.next[2] == 1 && fsa.next[3] == 0 && fsa.edge_output[2] == 1 &&
              fsa.edge_output[3] == 1);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start p\np a p u\np b p v\n"); /* the outputs differ */
    cr_assert(f2l_fsa_merge_letters(&fsa, (const uint32_t[]){0, 0}, 1, &err) == F2L_EDOMAIN);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "points 3\n"
                        "track elements\n"
                        "permute a (1 2)\n"
                        "permute b (1 2 3)\n"
                        "permute c (1 2)\n");
    cr_assert(f2l_fsa_merge_letters(&fsa, right, 2, &err) == F2L_OK &&
              fsa.track == F2L_TRACK_STATES);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(fsa, writes_the_canonical_group_form)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "track elements\n"
                        "points 3\n"
                        "accept \"(2 3)\" \"()\"\n"
                        "permute \"a b\" (3 2)\n"
                        "permute e ()\n");
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, &fsa, NULL) == F2L_OK);
    cr_assert_str_eq(text.data, "fsa 1\n"
                                "points 3\n"
                                "track elements\n"
                                "accept \"()\" \"(2 3)\"\n"
                                "permute \"a b\" (2 3)\n"
                                "permute e ()\n");
    f2l_buf_clear(&text);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "track points 2\n"
                        "points 3\n"
                        "output 1 A\n"
                        "output 3 A\n"
                        "output 2 B\n"
                        "permute a (3 2)\n");
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, &fsa, NULL) == F2L_OK);
    cr_assert_str_eq(text.data, "fsa 1\n"
                                "points 3\n"
                                "track points 2\n"
                                "output 1 A\n"
                                "output 2 B\n"
                                "output 3 A\n"
                                "permute a (2 3)\n");
    f2l_buf_clear(&text);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
}

/* Names that need care: keywords, blanks, quotes, control characters, parentheses, UTF-8, the empty
 * name. */
static const char *const odd_names[] = {"eps",     "start",  "a b",      "",         "#",
                                        "\"",      "(1 2)",  "\n\t\x01", "\xc3\xa9", "fsa",
                                        "permute", "points", "\\",       "accept"};

static void add_random_names(f2l_names *names, size_t count, f2l_rng *rng)
{
    while (names->count < count) {
        char text[32];
        const size_t pick = (size_t)f2l_rng_below(rng, 2 * sizeof odd_names / sizeof *odd_names);
        if (pick < sizeof odd_names / sizeof *odd_names)
            snprintf(text, sizeof text, "%s", odd_names[pick]);
        else
            snprintf(text, sizeof text, "n%u", (unsigned)f2l_rng_below(rng, 1000));
        size_t index;
        cr_assert(f2l_names_add(names, text, strlen(text), &index, NULL) == F2L_OK);
    }
}

/* Every state is reachable, because state s > 0 is the target of an edge from an earlier one. */
static void random_fsa(f2l_fsa *fsa, f2l_rng *rng)
{
    f2l_fsa_init(fsa);
    const size_t n = 1 + (size_t)f2l_rng_below(rng, 9), k = 1 + (size_t)f2l_rng_below(rng, 4);
    add_random_names(&fsa->states, n, rng);
    add_random_names(&fsa->letters, k, rng);
    fsa->next = f2l_calloc(n * k, sizeof *fsa->next);
    fsa->accept = f2l_calloc(n, sizeof *fsa->accept);
    for (size_t i = 0; i < n * k; i++) fsa->next[i] = (uint32_t)f2l_rng_below(rng, n);
    for (size_t s = 0; s + 1 < n; s++)
        fsa->next[s * k + (size_t)f2l_rng_below(rng, k)] = (uint32_t)s + 1;
    fsa->has_accept = f2l_rng_below(rng, 2) != 0;
    for (size_t s = 0; s < n && fsa->has_accept; s++)
        fsa->accept[s] = (uint8_t)f2l_rng_below(rng, 2);
    if (f2l_rng_below(rng, 2) == 0) return;
    fsa->output = f2l_calloc(n, sizeof *fsa->output);
    for (size_t s = 0; s < n; s++) {
        char label[16];
        snprintf(label, sizeof label, "out %u", (unsigned)f2l_rng_below(rng, 3));
        size_t index;
        cr_assert(f2l_names_add(&fsa->outputs, label, strlen(label), &index, NULL) == F2L_OK);
        fsa->output[s] = (uint32_t)index;
    }
}

Test(fsa, random_round_trips)
{
    const uint64_t seed = 17;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_log_info("seed %llu", (unsigned long long)seed);
    for (int round = 0; round < 300; round++) {
        f2l_fsa fsa;
        random_fsa(&fsa, &rng);
        round_trip(&fsa);
        f2l_fsa_clear(&fsa);
    }
}

Test(fsa, labels)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "start p\naccept q\np a q\nq a p\n");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_STATES, 1), "q");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_ACCEPT, 1), "accept");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_ACCEPT, 0), "reject");
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_STATES, NULL) == F2L_OK);
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_ACCEPT, NULL) == F2L_OK);
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_OUTPUTS, NULL) == F2L_EDOMAIN);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start p\noutput p X\noutput q Y\np a q\nq a p\n");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, 1), "Y");
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_ACCEPT, NULL) == F2L_EDOMAIN);
    cr_assert(f2l_fsa_check_label(&fsa, F2L_LABEL_OUTPUTS, NULL) == F2L_OK);
    f2l_fsa_clear(&fsa);
    cr_assert_str_eq(f2l_label_name(F2L_LABEL_STATES), "states");
    cr_assert_str_eq(f2l_label_name(F2L_LABEL_OUTPUTS), "outputs");
    cr_assert_str_eq(f2l_label_name(F2L_LABEL_ACCEPT), "accept");
}

Test(fsa, trims_in_order)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "start d\n"
                        "accept b d\n"
                        "output a X\n"
                        "output b Y\n"
                        "output c X\n"
                        "output d Z\n"
                        "d x b\n"
                        "b x d\n"
                        "d y a\n"
                        "a x d\n"
                        "a y c\n"
                        "b y d\n"
                        "c x a\n"
                        "c y b\n");
    size_t dropped = 7;
    cr_assert(f2l_fsa_trim(&fsa, &dropped, NULL) == F2L_OK && dropped == 0 &&
              fsa.states.count == 4);
    /* Cut a off: d y now stays in d, so that a and c, with their label, are unreachable. */
    const size_t d = f2l_names_find(&fsa.states, "d", 1), y = f2l_names_find(&fsa.letters, "y", 1);
    fsa.next[d * 2 + y] = (uint32_t)d;
    cr_assert(f2l_fsa_trim(&fsa, &dropped, NULL) == F2L_OK && dropped == 2);
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, &fsa, NULL) == F2L_OK);
    cr_assert_str_eq(text.data,
                     "fsa 1\nletters x y\nstates d b\nstart d\naccept d b\noutput d Z\noutput b Y\n"
                     "d x b\nd y d\nb x d\nb y d\n");
    cr_assert(fsa.outputs.count == 2);
    f2l_buf_clear(&text);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(fsa, trim_keeps_the_points_of_a_group_form)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "points 5\ntrack points 1\npermute a (1 2)\n");
    size_t dropped;
    cr_assert(f2l_fsa_trim(&fsa, &dropped, NULL) == F2L_OK && dropped == 0 &&
              fsa.states.count == 5);
    f2l_fsa_clear(&fsa);
}

static void group_of(f2l_fsa *fsa, f2l_track track, size_t points, size_t letters, f2l_rng *rng)
{
    f2l_fsa_init(fsa);
    fsa->track = track;
    fsa->points = points;
    fsa->perm = f2l_calloc(letters * points, sizeof *fsa->perm);
    for (size_t a = 0; a < letters; a++) {
        char name[24];
        size_t index;
        const int size = snprintf(name, sizeof name, "g%zu", a);
        cr_assert(f2l_names_add(&fsa->letters, name, (size_t)size, &index, NULL) == F2L_OK);
        random_permutation(fsa->perm + a * points, points, rng);
    }
}

/* Compares the image of the point under a word, letter by letter, with the state that the automaton
 * reaches. */
static void compare_with_words(const f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t n = fsa->points, k = fsa->letters.count;
    uint32_t where[8], image[8];
    for (int word = 0; word < 50; word++) {
        size_t s = fsa->start;
        for (size_t p = 0; p < n; p++) where[p] = (uint32_t)p;
        for (int t = 0; t < 20; t++) {
            const size_t a = (size_t)f2l_rng_below(rng, k);
            s = fsa->next[s * k + a];
            for (size_t p = 0; p < n; p++) where[p] = fsa->perm[a * n + where[p]];
            const char *name = f2l_names_get(&fsa->states, s);
            cr_assert(f2l_perm_read(image, n, name, strlen(name), 1, 1, NULL) == F2L_OK);
            cr_assert(memcmp(image, where, n * sizeof *where) == 0);
        }
    }
}

/* Returns the order of the group of the letters, by multiplying everything by every letter until
 * nothing new appears. */
static size_t group_order(const f2l_fsa *fsa)
{
    const size_t n = fsa->points, most = 5040;
    uint32_t(*element)[8] = calloc(most, sizeof *element);
    size_t count = 1;
    for (size_t p = 0; p < n; p++) element[0][p] = (uint32_t)p;
    for (size_t g = 0; g < count; g++)
        for (size_t a = 0; a < fsa->letters.count; a++) {
            uint32_t product[8] = {0};
            for (size_t p = 0; p < n; p++) product[p] = fsa->perm[a * n + element[g][p]];
            size_t h = 0;
            while (h < count && memcmp(element[h], product, n * sizeof *product) != 0) h++;
            if (h == count) memcpy(element[count++], product, sizeof product);
        }
    free(element);
    return count;
}

Test(fsa, group_elements_against_brute_force)
{
    const uint64_t seed = 23;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int round = 0; round < 60; round++) {
        f2l_fsa fsa;
        group_of(&fsa, F2L_TRACK_ELEMENTS, 1 + (size_t)f2l_rng_below(&rng, 6),
                 1 + (size_t)f2l_rng_below(&rng, 3), &rng);
        f2l_error err = {0};
        cr_assert(f2l_fsa_from_permutations(&fsa, 0, 0, NULL, &err) == F2L_OK, "%s", err.text);
        cr_assert(fsa.states.count == group_order(&fsa), "seed %llu round %d",
                  (unsigned long long)seed, round);
        cr_assert_str_eq(f2l_names_get(&fsa.states, 0), "()");
        compare_with_words(&fsa, &rng);
        /* Numbering is breadth-first: the successors, read row by row, meet the states in order. */
        size_t met = 1;
        for (size_t i = 0; i < fsa.states.count * fsa.letters.count; i++) {
            cr_assert(fsa.next[i] <= met);
            met += fsa.next[i] == met;
        }
        if (round < 10) round_trip(&fsa);
        f2l_fsa_clear(&fsa);
    }
}

Test(fsa, symmetric_group_of_seven)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "points 7\ntrack elements\npermute a (1 2)\npermute b (1 2 3 4 5 6 7)\n");
    cr_assert(fsa.states.count == 5040);
    uint8_t *entered = calloc(5040 * 2, 1);
    for (size_t s = 0; s < 5040; s++)
        for (size_t a = 0; a < 2; a++) {
            cr_assert(!entered[fsa.next[s * 2 + a] * 2 + a]);
            entered[fsa.next[s * 2 + a] * 2 + a] = 1;
        }
    free(entered);
    f2l_fsa_clear(&fsa);
}

Test(fsa, group_points)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 29, 0);
    f2l_fsa fsa;
    group_of(&fsa, F2L_TRACK_POINTS, 12, 3, &rng);
    cr_assert(f2l_fsa_from_permutations(&fsa, 4, 0, NULL, NULL) == F2L_OK);
    cr_assert(fsa.states.count == 12 && fsa.start == 4);
    cr_assert_str_eq(f2l_names_get(&fsa.states, 11), "12");
    for (size_t p = 0; p < 12; p++)
        for (size_t a = 0; a < 3; a++) cr_assert(fsa.next[p * 3 + a] == fsa.perm[a * 12 + p]);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(fsa, refuses_impossible_groups)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 31, 0);
    f2l_error err = {0};
    f2l_fsa fsa;
    group_of(&fsa, F2L_TRACK_POINTS, 5, 2, &rng);
    cr_assert(f2l_fsa_from_permutations(&fsa, 5, 0, NULL, &err) == F2L_EDOMAIN);
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 4, NULL, &err) == F2L_UNKNOWN);
    fsa.perm[6] = fsa.perm[7];
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 0, NULL, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "`g1` does not permute"), "%s", err.text);
    cr_assert(fsa.next == NULL && fsa.states.count == 0);
    f2l_fsa_clear(&fsa);
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 0, NULL, &err) == F2L_EDOMAIN);
    f2l_fsa_clear(&fsa);
}

Test(fsa, group_search_stops)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 37, 0);
    f2l_fsa fsa;
    group_of(&fsa, F2L_TRACK_ELEMENTS, 9, 3, &rng);
    const f2l_task little = {.memory = 100000};
    const volatile sig_atomic_t cancel = 15;
    const f2l_task cancelled = {.cancel = &cancel};
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 1000, NULL, NULL) == F2L_UNKNOWN);
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 0, &little, NULL) == F2L_UNKNOWN);
    cr_assert(f2l_fsa_from_permutations(&fsa, 0, 0, &cancelled, NULL) == F2L_UNKNOWN);
    cr_assert(fsa.next == NULL && fsa.perm != NULL);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(fsa, every_allocation_may_fail)
{
    f2l_fsa fsa;
    fsa_from_text(&fsa, "start a\n"
                        "output a X\n"
                        "output b Y\n"
                        "output c Z\n"
                        "a x a\n"
                        "a y b\n"
                        "b x c\n"
                        "b y a\n"
                        "c x a\n"
                        "c y c\n");
    fsa.next[1] = 0; /* b and c become unreachable */
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; status == F2L_ENOMEM; n++) {
        size_t dropped;
        f2l_mem_fail_after(n, false);
        status = f2l_fsa_trim(&fsa, &dropped, NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert(status == F2L_OK && n > 3 && fsa.states.count == 1);
    char hex[65];
    f2l_mem_fail_after(1, true);
    cr_assert(f2l_fsa_sha256(&fsa, hex, NULL) == F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    f2l_fsa_clear(&fsa);
}
#endif

Test(fsa, letters_in_another_order)
{
    f2l_fsa fsa, other;
    f2l_error err = {0};
    fsa_from_text(&fsa, "start p\np a q u\np b p v\nq a q w\nq b p u\n");
    fsa_from_text(&other, "start x\nx b x\nx a x\n");
    cr_assert(f2l_fsa_order_letters(&fsa, &other.letters, &err) == F2L_OK);
    cr_assert(f2l_names_equal(&fsa.letters, &other.letters));
    cr_assert(fsa.next[0] == 0 && fsa.next[1] == 1 && fsa.next[2] == 0 && fsa.next[3] == 1);
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, 0, 0), "v");
    cr_assert_str_eq(f2l_fsa_edge_label(&fsa, F2L_LABEL_EDGES, 1, 1), "w");
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start p\np a p\np c p\n");
    cr_assert(f2l_fsa_order_letters(&fsa, &other.letters, &err) == F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "the automaton has no letter `b`");
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start p\np a p\np b p\np c p\n");
    cr_assert(f2l_fsa_order_letters(&fsa, &other.letters, &err) == F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "only the automaton has the letter `c`");
    f2l_fsa_clear(&fsa);
    /* A group form becomes an edge form without the points that no word reaches. */
    fsa_from_text(&fsa, "points 4\ntrack points 2\npermute a (1 2)\npermute b (1 2)(3 4)\n");
    cr_assert(f2l_fsa_order_letters(&fsa, &other.letters, &err) == F2L_OK);
    cr_assert(fsa.track == F2L_TRACK_STATES && fsa.states.count == 2 && fsa.start == 1);
    round_trip(&fsa);
    f2l_fsa_clear(&fsa);
    f2l_fsa_clear(&other);
}
