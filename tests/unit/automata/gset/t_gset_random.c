/* The representation search against brute force: colourings by their definition, minima over all
 * partitions. */
#include "automata/gset/impl.h"
#include "tests/support/automata/gset_support.h"

static uint32_t find(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/* Returns the number of states with the start's row for the blocks label[], by the definition of
 * the colouring. */
static uint32_t same_by_definition(const uint32_t *image, size_t n, size_t letters,
                                   const uint8_t *label, size_t blocks)
{
    uint32_t parent[64], same = 0;
    for (uint32_t i = 0; i < n * blocks; i++) parent[i] = i;
    for (size_t a = 0; a < letters; a++) {
        for (size_t q = 0; q < n; q++) {
            for (size_t p = 0; p < n; p++) {
                const size_t from = q * blocks + label[p];
                const size_t to = image[a * n + q] * blocks + label[image[a * n + p]];
                parent[find(parent, (uint32_t)from)] = find(parent, (uint32_t)to);
            }
        }
    }
    for (size_t q = 0; q < n; q++) {
        bool equal = true;
        for (uint32_t b = 0; b < blocks; b++) {
            equal = equal && find(parent, (uint32_t)(q * blocks + b)) == find(parent, b);
        }
        if (equal) same |= 1u << q;
    }
    return same;
}

/* The colouring agrees with its definition. Words that fix the start act as powers of one
 * permutation here, so that no second relation hides a missed one. */
Test(gset, colours_are_orbits_of_pairs)
{
    f2l_rng rng;
    printf("seed 12\n");
    f2l_rng_init(&rng, 12, 0);
    for (int round = 0; round < 200; round++) {
        const size_t n = 1 + (size_t)f2l_rng_below(&rng, 6), m = 1 + (size_t)f2l_rng_below(&rng, 9);
        const size_t letters = 1 + (size_t)f2l_rng_below(&rng, 3),
                     start = (size_t)f2l_rng_below(&rng, n);
        uint32_t sigma[9], states[3 * 6], points[3 * 9], parent[54], colour[54];
        random_permutation(sigma, m, &rng);
        for (size_t a = 0; a < letters; a++) {
            const size_t turn = a == 0 ? 1 : (size_t)f2l_rng_below(&rng, n),
                         power = (size_t)f2l_rng_below(&rng, 4);
            for (size_t q = 0; q < n; q++) states[a * n + q] = (uint32_t)((q + turn) % n);
            for (size_t p = 0; p < m; p++) {
                uint32_t x = (uint32_t)p;
                for (size_t i = 0; i < power; i++) x = sigma[x];
                points[a * m + p] = x;
            }
        }
        for (uint32_t i = 0; i < n * m; i++) parent[i] = i;
        for (size_t a = 0; a < letters; a++) {
            for (size_t i = 0; i < n * m; i++) {
                const uint32_t x = (uint32_t)(states[a * n + i / m] * m + points[a * m + i % m]);
                parent[find(parent, (uint32_t)i)] = find(parent, x);
            }
        }
        f2l_gset_letters all;
        f2l_gset_work work = {.left = UINT64_MAX};
        const f2l_gset_action on_states = {letters, n, states}, on_points = {letters, m, points};
        cr_assert_eq(f2l_gset_letters_init(&all, letters, NULL), F2L_OK);
        for (size_t a = 0; a < letters; a++) f2l_gset_letters_add(&all, a);
        cr_assert(f2l_gset_colours(colour, &on_states, start, &on_points, &all, false, &work));
        for (size_t i = 0; i < n * m; i++) {
            for (size_t j = 0; j < i; j++) {
                const bool together = find(parent, (uint32_t)i) == find(parent, (uint32_t)j);
                cr_assert_eq(colour[i] == colour[j], together, "round %d", round);
            }
            cr_assert(colour[i] < m &&
                      find(parent, (uint32_t)(start * m + colour[i])) == find(parent, (uint32_t)i));
        }
        f2l_gset_letters_clear(&all);
    }
}

/* Returns the fewest points of a family of block systems that is jointly faithful, by trying every
 * partition of n <= 8 states. */
static size_t fewest_points(const uint32_t *image, size_t n, size_t letters)
{
    size_t best[256]; /* best[s]: fewest points whose sets meet in s */
    for (size_t s = 0; s < 256; s++) best[s] = SIZE_MAX;
    best[(1u << n) - 1] = 0;
    uint8_t label[8] = {0};
    for (;;) {
        size_t blocks = 1;
        for (size_t q = 0; q < n; q++) blocks = label[q] + 1u > blocks ? label[q] + 1u : blocks;
        bool invariant = true;
        for (size_t a = 0; a < letters && invariant; a++) {
            for (size_t p = 0; p < n && invariant; p++) {
                for (size_t q = 0; q < p && invariant; q++) {
                    invariant = (label[p] == label[q]) ==
                                (label[image[a * n + p]] == label[image[a * n + q]]);
                }
            }
        }
        if (invariant) {
            const uint32_t same = same_by_definition(image, n, letters, label, blocks);
            for (size_t s = 0; s < 256; s++) {
                if (best[s] != SIZE_MAX && best[s] + blocks < best[s & same])
                    best[s & same] = best[s] + blocks;
            }
        }
        size_t i = n - 1; /* the next restricted growth string */
        for (; i > 0; i--) {
            size_t most = 0;
            for (size_t j = 0; j < i; j++) most = label[j] > most ? label[j] : most;
            if (label[i] <= most) break;
        }
        if (i == 0) return best[1];
        label[i]++;
        for (size_t j = i + 1; j < n; j++) label[j] = 0;
    }
}

/* Draws a letter on blocks of `width` states: wreath products with any or cyclic actions inside,
 * or, for kind 2, a direct product, which has smaller representations. */
static void random_letter(uint32_t *image, size_t n, size_t width, int kind, f2l_rng *rng)
{
    uint32_t outer[16], inner[16];
    random_permutation(outer, n / width, rng);
    random_permutation(inner, width, rng);
    for (size_t b = 0; b < n / width; b++) {
        if (kind == 0) random_permutation(inner, width, rng);
        const size_t turn = kind == 1 ? (size_t)f2l_rng_below(rng, width) : 0;
        for (size_t i = 0; i < width; i++) {
            const size_t to = kind == 1 ? (i + turn) % width : inner[i];
            image[b * width + i] = (uint32_t)(outer[b] * width + to);
        }
    }
}

static bool is_transitive(const uint32_t *image, size_t n, size_t letters)
{
    uint32_t parent[64];
    size_t orbits = n;
    for (uint32_t q = 0; q < n; q++) parent[q] = q;
    for (size_t e = 0; e < letters * n; e++) {
        const uint32_t x = find(parent, (uint32_t)(e % n)), y = find(parent, image[e]);
        orbits -= x != y;
        parent[x] = y;
    }
    return orbits == 1;
}

Test(gset, minimal_against_all_partitions)
{
    f2l_rng rng;
    size_t reduced = 0, done = 0;
    printf("seed 2024\n");
    f2l_rng_init(&rng, 2024, 0);
    for (int round = 0; round < 600; round++) {
        const size_t n = 4 + (size_t)f2l_rng_below(&rng, 5);
        const size_t letters = round % 2 == 0 ? 1 + (size_t)f2l_rng_below(&rng, 3) : 6;
        const size_t width = n % 2 == 0 ? 2 : (n % 3 == 0 ? 3 : 1);
        uint32_t image[6 * 8];
        for (size_t a = 0; a < letters; a++)
            random_letter(image + a * n, n, width, a < 5 ? round % 3 : 0, &rng);
        if (letters == 6) { /* letters that add nothing come before one that does */
            for (size_t q = 0; q < n; q++) {
                image[2 * n + q] = image[n + image[q]];
                image[3 * n + q] = image[image[n + q]];
                image[4 * n + q] = image[image[q]];
            }
        }
        if (!is_transitive(image, n, letters)) continue;
        f2l_fsa fsa;
        f2l_gset g;
        open_table(&fsa, image, n, letters);
        smallest(&g, &fsa, 0);
        check_carries(&g, &fsa);
        cr_assert_eq(g.points, fewest_points(image, n, letters), "round %d", round);
        cr_assert(g.exhausted);
        reduced += g.points < n;
        done++;
        f2l_gset_clear(&g);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(done > 200 && reduced > 30, "%zu tables, %zu reduced", done, reduced);
}

/* In larger wreath products only validity is checked. */
Test(gset, random_wreath_products)
{
    f2l_rng rng;
    size_t reduced = 0;
    printf("seed 99\n");
    f2l_rng_init(&rng, 99, 0);
    for (int round = 0; round < 200; round++) {
        const size_t width = 2 + (size_t)f2l_rng_below(&rng, 5),
                     n = width * (2 + (size_t)f2l_rng_below(&rng, 5));
        const size_t letters = 2 + (size_t)f2l_rng_below(&rng, 6);
        uint32_t image[8 * 36];
        for (size_t a = 0; a < letters; a++)
            random_letter(image + a * n, n, width, a < 5 ? round % 3 : 0, &rng);
        if (!is_transitive(image, n, letters)) continue;
        f2l_fsa fsa;
        f2l_gset g;
        open_table(&fsa, image, n, letters);
        fsa.start = (size_t)f2l_rng_below(&rng, n);
        smallest(&g, &fsa, 3000000);
        check_carries(&g, &fsa);
        reduced += g.points < n;
        f2l_gset_clear(&g);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(reduced > 20, "%zu reduced", reduced);
}

/* S_3 on itself, twice over, and a letter that swaps two states: the first letters make 3 blocks of
 * 2 states faithful, and the last one does not preserve these. */
Test(gset, a_late_letter_spoils_a_quotient)
{
    /* States as (block, side); the first letters are the regular action of S_3. */
    static const uint32_t rotate[6] = {2, 3, 4, 5, 0, 1}, flip[6] = {1, 0, 5, 4, 3, 2};
    uint32_t image[6 * 6];
    for (size_t q = 0; q < 6; q++) {
        image[q] = rotate[q];
        image[6 + q] = flip[q];
        image[12 + q] = flip[rotate[q]];
        image[18 + q] = rotate[flip[q]];
        image[24 + q] = rotate[rotate[q]];
        image[30 + q] = (uint32_t)(q < 2 ? 1 - q : q);
    }
    f2l_fsa fsa;
    f2l_gset g;
    open_table(&fsa, image, 6, 5);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 3);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    open_table(&fsa, image, 6, 6);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, fewest_points(image, 6, 6));
    cr_assert_eq(g.points, 6);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* Z_4 x Z_2 with a last letter that swaps 0 and 2. The pairs {q, q + 4} are not blocks of this
 * letter: closing continues to the evens and the odds. States are renamed so that this pair is
 * tried first. */
Test(gset, a_late_letter_spoils_a_block_system)
{
    static const uint32_t name[8] = {0, 4, 2, 3, 1, 5, 6, 7};
    uint32_t image[6 * 8];
    for (uint32_t q = 0; q < 8; q++) {
        const uint32_t to[6] = {(q + 2) % 8, q ^ 1,           (q + 2) % 8 ^ 1,
                                (q + 4) % 8, (q + 4) % 8 ^ 1, q == 0 ? 2 : q == 2 ? 0 : q};
        for (size_t a = 0; a < 6; a++) image[a * 8 + name[q]] = name[to[a]];
    }
    f2l_fsa fsa;
    f2l_gset g;
    open_table(&fsa, image, 8, 6);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, fewest_points(image, 8, 6));
    cr_assert(g.exhausted);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset_work, spends_what_is_left)
{
    f2l_gset_work work = {.left = 10};
    cr_assert(f2l_gset_work_spend(&work, 6));
    cr_assert(f2l_gset_work_spend(&work, 4));
    cr_assert(!work.stopped);
    cr_assert(!f2l_gset_work_spend(&work, 1));
    cr_assert(work.stopped && work.status == F2L_OK);
}
