#include "automata/fsa/perm.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/dense.h"
#include "tests/support/theory/t3_support.h"
#include "theory/construct/t3/t3.h"
#include <stdio.h>

typedef struct named {
    const char *kind;
    uint64_t n;
    bool generators;
    size_t points, householders, k_states, k_points, n_exact;
} named;

static const named families[] = {
    {"parity", 0, false, 2, 1, 2, 2, 1},       {"cyclic", 5, false, 5, 4, 5, 5, 6},
    {"cyclic", 6, false, 5, 3, 6, 5, 5},       {"cyclic", 12, true, 7, 5, 12, 7, 8},
    {"symmetric", 3, false, 3, 2, 6, 3, 4},    {"symmetric", 4, false, 4, 3, 24, 4, 4},
    {"symmetric", 5, false, 5, 4, 120, 5, 6},  {"symmetric", 6, true, 6, 3, 720, 6, 6},
    {"alternating", 5, false, 5, 4, 60, 5, 6}, {"alternating", 7, true, 7, 6, 2520, 7, 7},
    {"dihedral", 5, false, 5, 4, 10, 5, 6},    {"dihedral", 9, true, 9, 8, 18, 9, 8},
    {"quaternion", 0, false, 8, 6, 8, 8, 7},   {"cyclic", 11, true, 11, 10, 11, 11, 22},
};

/* Both counts of k (T3.11) are right, and the network agrees with the automaton in three ways. */
Test(t3, families)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const named *e = &families[i];
        for (size_t k = 0; k < 3; k++) {
            fixture f;
            size_t rows;
            t3_open_family(&f, e->kind, e->n, e->generators);
            t3_build(&f, F2L_LABEL_STATES, all_keys[k]);
            cr_expect_eq(f.report.points, e->points, "%s %d", e->kind, (int)e->n);
            cr_expect_eq(f.report.householders, e->householders, "%s %d: %zu", e->kind, (int)e->n,
                         f.report.householders);
            cr_expect_eq(f.report.k_states, e->k_states, "%s %d: %zu", e->kind, (int)e->n,
                         f.report.k_states);
            cr_expect_eq(f.report.k_points, e->k_points, "%s %d: %zu", e->kind, (int)e->n,
                         f.report.k_points);
            cr_expect(f.report.search_exhausted);
            if (k == 0)
                cr_expect_eq(f.net.layer[0].head[0].n, e->n_exact, "%s %d", e->kind, (int)e->n);
            check_exact(&f);
            if (f.fsa.states.count <= 120) t3_check_words(&f, 77 + i);
            if (k != 2) {
                cr_expect_eq(verdict_in(&f, "bf16", &rows), F2L_OK, "%s %d", e->kind, (int)e->n);
                cr_expect_eq(rows, f.fsa.states.count);
            }
            t3_done(&f);
        }
    }
}

/* Textbook keys are rounded: bf16 has more joint states than the automaton has states, or fails. */
Test(t3, naive_keys_are_not_exact)
{
    fixture f;
    size_t rows;
    t3_open_family(&f, "symmetric", 5, false);
    t3_build(&f, F2L_LABEL_STATES, F2L_T3_NAIVE);
    cr_assert(verdict_in(&f, "bf16", &rows) != F2L_OK || rows > 120);
    cr_assert_eq(f.net.layer[0].head[0].n, 5);
    cr_assert(strstr(f.report.keys, "one coordinate a point (dimension 5)") != NULL, "%s",
              f.report.keys);
    t3_done(&f);
}

/* T3.9: the factors of a random letter multiply to a matrix that sends every weight w_p to w_{p a},
 * and there are n - #cycles of them; for naive keys the product is the permutation matrix A itself,
 * and A - I has this rank. */
Test(t3, factors_multiply_to_the_permutation)
{
    f2l_rng rng;
    printf("seed 31\n");
    f2l_rng_init(&rng, 31, 0);
    for (int round = 0; round < 60; round++) {
        const size_t n = 2 + (size_t)f2l_rng_below(&rng, 11);
        uint32_t image[2 * 12];
        random_permutation(image, n, &rng);
        for (uint32_t p = 0; p < n; p++) image[n + p] = (p + 1) % (uint32_t)n; /* transitive */
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_printf(&text, "points %zu\ntrack points 1\npermute a ", n);
        f2l_perm_write(&text, image, n);
        f2l_buf_text(&text, "\npermute b ");
        f2l_perm_write(&text, image + n, n);
        f2l_buf_text(&text, "\n");
        fixture f;
        fsa_from_text(&f.fsa, text.data);
        f2l_buf_clear(&text);
        /* This uses the points themselves, whatever the search would find. */
        size_t orbit[2] = {0, n};
        uint32_t code[12] = {1};
        f.set = (f2l_gset){.letters = 2,
                           .points = n,
                           .image = image,
                           .orbits = 1,
                           .orbit = orbit,
                           .colours = 2,
                           .code = code,
                           .origin = "points"};
        for (size_t k = 0; k < 3; k++) {
            t3_build(&f, F2L_LABEL_STATES, all_keys[k]);
            const f2l_head *head = &f.net.layer[0].head[0];
            size_t roots;
            const f2l_key_kind kind = k == 2 ? F2L_KEYS_NAIVE
                                      : k == 0 && f2l_keys_dimension(F2L_KEYS_ROOTS, n, &roots)
                                          ? F2L_KEYS_ROOTS
                                          : F2L_KEYS_DOUBLED;
            dense a, w, out;
            dense_init(&a, head->n, head->n);
            dense_init(&w, head->n, n);
            dense_init(&out, head->n, n);
            for (size_t p = 0; p < n; p++) {
                long twice[24];
                f2l_keys_weight(twice, kind, n, p);
                for (size_t c = 0; c < head->n; c++) mpq_set_si(w.at[c * n + p], twice[c], 1);
            }
            for (size_t x = 0; x < 2; x++) {
                cr_assert_eq(head->letter[x].factors, n - f2l_perm_cycles(image + x * n, n));
                letter_matrix(&a, &head->letter[x]);
                dense_multiply(&out, &a, &w);
                for (size_t p = 0; p < n; p++) {
                    for (size_t c = 0; c < head->n; c++) {
                        cr_assert(mpq_equal(out.at[c * n + p], w.at[c * n + image[x * n + p]]),
                                  "round %d", round);
                    }
                }
            }
            dense_clear(&a);
            dense_clear(&w);
            dense_clear(&out);
            f2l_net_clear(&f.net);
        }
        f2l_fsa_clear(&f.fsa);
    }
}

/* For random tables the network agrees with the automaton, whatever representation is found. */
Test(t3, random_permutation_automata)
{
    f2l_rng rng;
    printf("seed 8\n");
    f2l_rng_init(&rng, 8, 0);
    for (int round = 0; round < 40; round++) {
        const size_t n = 2 + (size_t)f2l_rng_below(&rng, 5),
                     letters = 1 + (size_t)f2l_rng_below(&rng, 3);
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_printf(&text,
                       "points %zu\n"
                       "track %s\n",
                       n, round % 2 == 0 ? "elements" : "points 1");
        for (size_t a = 0; a < letters; a++) {
            uint32_t image[8];
            random_permutation(image, n, &rng);
            f2l_buf_printf(&text, "permute l%zu ", a);
            f2l_perm_write(&text, image, n);
            f2l_buf_text(&text, "\n");
        }
        fixture f;
        t3_open_text(&f, text.data);
        f2l_buf_clear(&text);
        for (size_t k = 0; k < 3; k++) {
            t3_build(&f, F2L_LABEL_STATES, all_keys[k]);
            check_exact(&f);
            if (f.fsa.states.count <= 24) t3_check_words(&f, (uint64_t)round);
            f2l_net_clear(&f.net);
        }
        t3_done(&f);
    }
}
