#include "tests/support/theory/rep_support.h"
#include "theory/rep/householders/selection.h"
#include <criterion/criterion.h>

#define Q8 "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)"

/* Fewest factors with all elements, and with the generators, as letters, from R1.10 and by hand. */
static const struct {
    const char *name;
    size_t degree;
    const char *generators;
    size_t all, few, dimension; /* the least dimension for all elements */
} expected[] = {
    {"trivial", 3, "", 0, 0, 0},
    {"Z2", 2, "(1 2)", 1, 1, 1},
    {"Z3", 3, "(1 2 3)", 2, 2, 2},
    {"Z4", 4, "(1 2 3 4)", 2, 2, 2},
    {"Z6 on 5 points", 5, "(1 2 3)(4 5)", 2, 2, 2},
    {"Z6 as Z2 x Z3", 5, "(1 2 3);(4 5)", 2, 2, 2},
    {"Z2^3", 6, "(1 2);(3 4);(5 6)", 1, 1, 3},
    {"Z2 x Z4", 6, "(1 2 3 4);(5 6)", 2, 2, 3},
    {"Z6 x Z6", 10, "(1 2 3);(4 5);(6 7 8);(9 10)", 2, 2, 4},
    {"Z7", 7, "(1 2 3 4 5 6 7)", 2, 2, 2},
    {"S3", 3, "(1 2);(1 2 3)", 2, 2, 2},
    {"S3 by transpositions", 3, "(1 2);(2 3)", 2, 1, 2},
    {"D5", 5, "(1 2 3 4 5);(2 5)(3 4)", 2, 2, 2},
    {"D5 by reflections", 5, "(1 5)(2 4);(2 5)(3 4)", 2, 1, 2},
    {"A4", 4, "(1 2 3);(2 3 4)", 2, 2, 3},
    {"S4", 4, "(1 2);(1 2 3 4)", 2, 2, 3},
    {"S4 by transpositions", 4, "(1 2);(2 3);(3 4)", 2, 1, 3},
    {"A5", 5, "(1 2 3);(1 2 3 4 5)", 2, 2, 3},
    {"A5 by involutions", 5, "(1 2)(3 4);(1 3)(2 5);(1 4)(2 5)", 2, 2, 3},
    {"S5", 5, "(1 2);(1 2 3 4 5)", 4, 4, 4},
    {"S5 by transpositions", 5, "(1 2);(2 3);(3 4);(4 5)", 4, 1, 4},
    {"S5 on 6 points", 6, "(1 2)(3 4)(5 6);(2 3 4 6 5)", 4, 4, 4},
    {"A6", 6, "(1 2 3 4 5);(4 5 6)", 4, 4, 5},
    {"S6", 6, "(1 2);(1 2 3 4 5 6)", 4, 3, 5},
    {"S7 by transpositions", 7, "(1 2);(2 3);(3 4);(4 5);(5 6);(6 7)", 6, 1, 6},
    {"Q8", 8, Q8, 4, 4, 4},
    {"S3 x S3", 6, "(1 2);(1 2 3);(4 5);(4 5 6)", 2, 2, 4},
    {"PSL(2,7)", 7, "(1 2 3 4 5 6 7);(2 3)(4 7)", 6, 6, 6},
    {"Z7:Z3", 7, "(1 2 3 4 5 6 7);(2 3 5)(4 7 6)", 6, 6, 6},
};

static void check_evidence(const rep *r, const f2l_householders *h, const char *name)
{
    cr_assert_eq(h->hidden > 0, h->minimum > 0, "%s", name);
    for (size_t i = 0; i < h->irreps; i++)
        if (h->irrep[i].most < h->minimum)
            cr_assert_eq(f2l_householders_rank(h, i, h->hidden), 0, "%s", name);
    size_t dimension = 0;
    for (size_t i = 0; i < h->heads; i++) {
        dimension += h->irrep[h->head[i]].dimension;
        cr_assert_leq(h->irrep[h->head[i]].most, h->minimum, "%s", name);
    }
    cr_assert_eq(dimension, h->dimension);
    for (size_t c = 1; c < r->classes.classes; c++) {
        bool moves = false;
        for (size_t i = 0; i < h->heads && !moves; i++)
            moves = f2l_householders_rank(h, h->head[i], c) > 0;
        cr_assert(moves, "%s: class %zu is in all kernels", name, c);
    }
}

Test(householders, of_known_groups)
{
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        rep r;
        f2l_householders h;
        cr_assert_eq(rep_read(&r, expected[i].degree, expected[i].generators), F2L_OK);
        for (int all = 0; all < 2; all++) {
            cr_assert_eq(rep_householders(&h, &r, all), F2L_OK);
            cr_assert_eq(h.minimum, all ? expected[i].all : expected[i].few, "%s: %zu",
                         expected[i].name, h.minimum);
            cr_assert(h.least);
            if (all)
                cr_assert_eq(h.dimension, expected[i].dimension, "%s: %zu", expected[i].name,
                             h.dimension);
            check_evidence(&r, &h, expected[i].name);
            f2l_householders_clear(&h);
        }
        rep_clear(&r);
    }
}

/* The 4-cycles of S4 take 3 factors in the 3-dimensional part of the action on points, and 2 as
 * rotations of the cube. */
Test(householders, natural_action_of_S4)
{
    rep r;
    f2l_householders h;
    cr_assert_eq(rep_read(&r, 4, "(1 2);(1 2 3 4)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    const uint32_t swap = rep_class(&r, "(1 2)"), cycle = rep_class(&r, "(1 2 3 4)");
    for (size_t i = 0; i < h.irreps; i++) {
        if (h.irrep[i].dimension != 3) continue;
        const bool natural = rep_integer(&r, h.irrep[i].character, swap) == 1;
        cr_assert_eq(f2l_householders_rank(&h, i, cycle), natural ? 3 : 2);
        cr_assert_eq(f2l_householders_rank(&h, i, swap), natural ? 1 : 2);
        cr_assert_eq(h.irrep[i].most, natural ? 3 : 2);
    }
    cr_assert_eq(h.heads, 1);
    cr_assert_eq(rep_integer(&r, h.irrep[h.head[0]].character, swap), -1, "the cube");
    f2l_householders_clear(&h);
    rep_clear(&r);
}

/* Complex characters count twice, quaternionic ones as well. */
Test(householders, real_dimensions)
{
    rep r;
    f2l_householders h;
    cr_assert_eq(rep_read(&r, 8, Q8), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(h.irreps, 5);
    cr_assert_eq(h.irrep[4].dimension, 4);
    for (size_t c = 1; c < 5; c++)
        cr_assert_eq(f2l_householders_rank(&h, 4, c), 4, "only the identity fixes a vector");
    cr_assert_eq(h.socle.targets, 1, "the centre is in every normal subgroup");
    f2l_householders_clear(&h);
    rep_clear(&r);
    cr_assert_eq(rep_read(&r, 4, "(1 2 3);(2 3 4)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(h.irreps, 3);
    cr_assert_eq(h.irrep[1].dimension, 2);
    cr_assert_eq(f2l_householders_rank(&h, 1, rep_class(&r, "(1 2)(3 4)")), 0);
    cr_assert_eq(f2l_householders_rank(&h, 1, rep_class(&r, "(1 2 3)")), 2);
    f2l_householders_clear(&h);
    rep_clear(&r);
}

/* Closures of elements of prime order that are not minimal are not targets. */
Test(householders, minimal_normal_subgroups)
{
    static const struct {
        size_t degree;
        const char *generators;
        size_t targets, parts;
    } socle[] = {{1, "", 0, 0},
                 {4, "(1 2);(1 2 3 4)", 1, 1},
                 {4, "(1 2 3 4);(1 3)", 1, 1},
                 {6, "(1 2);(1 2 3);(4 5);(4 5 6)", 2, 2},
                 {9, "(1 2 3 4);(5 6 7);(8 9)", 4, 2}, /* one of order 3, three of order 2 */
                 {10, "(1 2);(1 2 3 4 5);(6 7);(8 9 10)", 3, 3}};
    for (size_t i = 0; i < sizeof socle / sizeof *socle; i++) {
        rep r;
        f2l_householders h;
        cr_assert_eq(rep_read(&r, socle[i].degree, socle[i].generators), F2L_OK);
        cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
        cr_assert_eq(h.socle.targets, socle[i].targets, "%s: %zu", socle[i].generators,
                     h.socle.targets);
        cr_assert_eq(h.socle.parts, socle[i].parts, "%s: %zu", socle[i].generators, h.socle.parts);
        f2l_householders_clear(&h);
        rep_clear(&r);
    }
}

/* 511 minimal normal subgroups and 9 heads: the matroid bound ends the search at once. */
Test(householders, of_a_large_elementary_abelian_group)
{
    rep r;
    f2l_householders h;
    cr_assert_eq(rep_read(&r, 18, "(1 2);(3 4);(5 6);(7 8);(9 10);(11 12);(13 14);(15 16);(17 18)"),
                 F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(h.minimum, 1);
    cr_assert_eq(h.socle.targets, 511);
    cr_assert_eq(h.socle.parts, 1);
    cr_assert_eq(h.dimension, 9);
    cr_assert(h.least);
    check_evidence(&r, &h, "Z2^9");
    f2l_householders_clear(&h);
    rep_clear(&r);
}

/* Returns whether a set of items covers all targets, for the brute force below. */
static bool covers(const f2l_selection_problem *p, unsigned set, uint8_t *lifts)
{
    for (size_t t = 0; t < p->targets; t++) {
        bool hit = false;
        for (size_t i = 0; i < p->items; i++) hit |= (set >> i & 1) && p->hits[i * p->targets + t];
        if (!hit) return false;
    }
    for (size_t l = 0; l < p->letters; l++) {
        lifts[l] = 0xff;
        for (size_t i = 0; i < p->items; i++)
            if (set >> i & 1) lifts[l] &= p->allowed[i * p->letters + l];
        if (!lifts[l]) return false;
    }
    return true;
}

/* On random covering problems, where each target is a separate part, the selection agrees with all
 * sets of items. */
Test(householders, selection_agrees_with_all_sets)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 77, 0); /* the seed */
    size_t impossible = 0, constrained = 0;
    for (int round = 0; round < 2000; round++) {
        size_t weight[9];
        uint8_t hits[9 * 6], allowed[9 * 3], lifts[3];
        uint32_t part[6];
        const size_t items = f2l_rng_below(&rng, 10), targets = f2l_rng_below(&rng, 7);
        const size_t letters = f2l_rng_below(&rng, 4);
        for (size_t i = 0; i < items; i++) weight[i] = 1 + f2l_rng_below(&rng, 6);
        for (size_t i = 0; i < items * targets; i++) hits[i] = f2l_rng_below(&rng, 3) == 0;
        for (size_t i = 0; i < items * letters; i++)
            allowed[i] = (uint8_t)(1 + f2l_rng_below(&rng, 7));
        for (uint32_t t = 0; t < targets; t++) part[t] = t;
        const f2l_selection_problem p = {items,  targets, targets, letters,
                                         weight, hits,    part,    allowed};
        size_t least = SIZE_MAX, fewest = SIZE_MAX;
        bool bare = false;
        for (unsigned set = 0; set < 1u << items; set++) {
            size_t sum = 0, count = 0;
            for (size_t i = 0; i < items; i++)
                if (set >> i & 1) {
                    sum += weight[i];
                    count++;
                }
            if (!covers(&p, set, lifts)) continue;
            if (sum < least || (sum == least && count < fewest)) {
                least = sum;
                fewest = count;
            }
            bare = true;
        }
        f2l_selection s;
        cr_assert_eq(f2l_selection_build(&s, &p, 100000, NULL, NULL), F2L_OK);
        cr_assert(s.exhausted);
        cr_assert_eq(s.found, bare, "round %d", round);
        impossible += !bare;
        if (s.found) {
            unsigned set = 0;
            for (size_t i = 0; i < s.count; i++) set |= 1u << s.item[i];
            cr_assert_eq(s.weight, least, "round %d: %zu, not %zu", round, s.weight, least);
            cr_assert_eq(s.count, fewest, "round %d", round);
            cr_assert(covers(&p, set, lifts));
            if (letters > 0) cr_assert_eq(memcmp(lifts, s.lifts, letters), 0);
            constrained += letters > 0;
        }
        f2l_selection_clear(&s);
    }
    cr_assert_gt(impossible, 100);
    cr_assert_gt(constrained, 100);
}

/* With too few nodes an answer is not called the least one. */
Test(householders, selection_says_when_it_stops)
{
    size_t weight[12];
    uint8_t hits[12 * 30];
    uint32_t part[30];
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < 12; i++) weight[i] = 10 + f2l_rng_below(&rng, 3);
    for (size_t i = 0; i < 12 * 30; i++) hits[i] = f2l_rng_below(&rng, 4) == 0 || i / 30 == i % 12;
    for (uint32_t t = 0; t < 30; t++) part[t] = t;
    const f2l_selection_problem p = {12, 30, 30, 0, weight, hits, part, NULL};
    f2l_selection s, full;
    cr_assert_eq(f2l_selection_build(&s, &p, 3, NULL, NULL), F2L_OK);
    cr_assert_not(s.exhausted);
    cr_assert(s.found, "the greedy one");
    cr_assert_eq(f2l_selection_build(&full, &p, 1000000, NULL, NULL), F2L_OK);
    cr_assert(full.exhausted);
    cr_assert_leq(full.weight, s.weight);
    f2l_selection_clear(&s);
    f2l_selection_clear(&full);
}

static const char s3_certificate[] =
    "householders 3\n"
    "fsa fdca89f3a3fecfbe5702b5d928503038e8e25aa5cad80f95e4f92eb22b12cb7c\n"
    "degree 3\n"
    "generators 2\n"
    "generator a1 (1 2)\n"
    "generator \"b 2\" (1 2 3)\n"
    "letters elements\n"
    "order 6\n"
    "exponent 6\n"
    "classes 3\n"
    "class 1 element () size 1 order 1 inverse 1 square 1\n"
    "class 2 element (1 2) size 3 order 2 inverse 2 square 1\n"
    "class 3 element (1 2 3) size 2 order 3 inverse 3 square 3\n"
    "prime P\n"
    "separate 2 3\n"
    "character 1 degree 1 indicator 1 conjugate 1 values 1 3 2\n"
    "character 2 degree 1 indicator 1 conjugate 2 values 1 -3 2\n"
    "character 3 degree 2 indicator 1 conjugate 3 values 1 0 -1\n"
    "irreps 3\n"
    "irrep 1 character 1 dimension 1 most 0\n"
    "irrep 2 character 2 dimension 1 most 1\n"
    "irrep 3 character 3 dimension 2 most 2\n"
    "minimum 2\n"
    "hidden 3\n"
    "faithful 3\n"
    "least 2\n"
    "end 3\n";

/* The whole text of S3; P means the prime, -n means P - n. */
Test(householders, certificate_of_S3)
{
    rep r;
    f2l_householders h;
    f2l_buf text, wanted;
    f2l_buf_init(&text);
    f2l_buf_init(&wanted);
    cr_assert_eq(rep_read(&r, 3, "(1 2);(1 2 3)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(rep_certificate(&text, &r, &h, true), F2L_OK);
    const uint64_t p = r.characters.prime;
    for (const char *c = s3_certificate; *c; c++) {
        if (*c == 'P')
            f2l_buf_size(&wanted, p);
        else if (*c == '-')
            f2l_buf_size(&wanted, p - (uint64_t)(*++c - '0'));
        else
            f2l_buf_bytes(&wanted, c, 1);
    }
    cr_assert_str_eq(text.data, wanted.data);
    /* With generators as letters the claim is another one: none of them is the identity. */
    cr_assert_eq(rep_certificate(&text, &r, &h, false), F2L_EDOMAIN);
    f2l_buf_clear(&text);
    f2l_buf_clear(&wanted);
    f2l_householders_clear(&h);
    rep_clear(&r);
}

Test(householders, stop_when_told_to)
{
    rep r;
    f2l_householders h;
    f2l_buf text;
    f2l_buf_init(&text);
    const volatile sig_atomic_t stop = SIGINT;
    const f2l_task cancelled = {.cancel = &stop}, small = {.memory = 100};
    cr_assert_eq(rep_read(&r, 7, "(1 2);(1 2 3 4 5 6 7)"), F2L_OK);
    cr_assert_eq(
        f2l_householders_build(&h, &r.classes, &r.characters, NULL, 0, 0, &cancelled, NULL),
        F2L_UNKNOWN);
    cr_assert_null(h.rank);
    cr_assert_eq(f2l_householders_build(&h, &r.classes, &r.characters, NULL, 0, 0, &small, NULL),
                 F2L_UNKNOWN);
    cr_assert_null(h.rank);
    f2l_buf_clear(&text);
    rep_clear(&r);
}

#ifdef F2L_MEM_FAILURES
Test(householders, out_of_memory)
{
    rep r;
    f2l_householders h;
    cr_assert_eq(rep_read(&r, 6, "(1 2);(1 2 3);(4 5);(4 5 6)"), F2L_OK);
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_householders_build(&h, &r.classes, &r.characters, NULL, 0, 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !h.rank && h.heads == 0));
        if (status != F2L_OK) f2l_householders_clear(&h);
    }
    cr_assert_gt(n, 15);
    status = F2L_ENOMEM;
    n = 0;
    while (status == F2L_ENOMEM) {
        f2l_buf text;
        f2l_buf_init(&text);
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = rep_certificate(&text, &r, &h, true);
        f2l_mem_fail_after(0, false);
        f2l_buf_clear(&text);
    }
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(n, 15);
    f2l_householders_clear(&h);
    rep_clear(&r);
}
#endif
