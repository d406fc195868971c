#include "tests/support/theory/rep_support.h"
#include "theory/rep/cover/impl.h"
#include <criterion/criterion.h>

#define Q8 "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)"
#define SL23 "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6);(2 5 8)(4 7 6)"
#define Z2_4 "(1 2);(3 4);(5 6);(7 8)"

static f2l_status build(f2l_cover *c, rep *r, const f2l_householders *h, bool all,
                        const f2l_cover_options *options)
{
    uint32_t *letter = rep_letters(r);
    f2l_status status = f2l_cover_build(c, &r->group, &r->classes, h, all ? NULL : letter,
                                        r->group.generators, options, NULL, &r->err);
    free(letter);
    return status;
}

/* Checks a cover by multiplying, independently of the search. */
static void check_cover(const f2l_cover *c, rep *r, const f2l_householders *h, bool all)
{
    uint32_t *letter = rep_letters(r);
    const size_t order = c->group.order;
    cr_assert_eq(order, c->kernel * r->group.order);
    cr_assert_eq(c->letters, all ? r->group.order : r->group.generators);
    for (size_t i = 0; i < c->letters; i++)
        cr_assert_eq(c->projection[c->lift[i]], all ? i : letter[i]);
    for (uint32_t x = 0; x < order; x++)
        for (uint32_t y = 0; y < order; y++)
            cr_assert_eq(c->projection[f2l_group_multiply(&c->group, x, y)],
                         f2l_group_multiply(&r->group, c->projection[x], c->projection[y]));
    for (uint32_t x = 0; x < order; x++) { /* the kernel is central */
        if (c->projection[x] != 0) continue;
        for (uint32_t y = 0; y < order; y++)
            cr_assert_eq(f2l_group_multiply(&c->group, x, y), f2l_group_multiply(&c->group, y, x));
    }
    const f2l_householders *k = &c->householders;
    cr_assert_eq(k->minimum, c->factors);
    cr_assert(c->factors < h->minimum && c->factors >= c->lower);
    for (size_t i = 0; i < k->heads; i++)
        for (size_t l = 0; l < c->letters; l++)
            cr_assert_leq(f2l_householders_rank(k, k->head[i], c->classes.class_of[c->lift[l]]),
                          c->factors);
    for (uint32_t x = 1; x < order; x++) { /* the heads tell all elements apart */
        bool moves = false;
        for (size_t i = 0; i < k->heads; i++)
            moves |= f2l_householders_rank(k, k->head[i], c->classes.class_of[x]) > 0;
        cr_assert(moves);
    }
    free(letter);
}

/* The expected results; factors 0: no cover is found. */
static const struct {
    const char *name;
    size_t degree;
    const char *generators;
    bool all;
    size_t lower, factors, kernel, heads, dimension;
} expected[] = {
    {"trivial", 1, "", true, 0, 0, 0, 0, 0},
    {"Z2", 2, "(1 2)", true, 1, 0, 0, 0, 0},
    {"S4", 4, "(1 2);(1 2 3 4)", true, 2, 0, 0, 0, 0},
    {"Q8", 8, Q8, true, 2, 2, 2, 2, 4},
    {"Q8 by i and j", 8, Q8, false, 2, 2, 2, 2, 4},
    {"A5 by involutions", 5, "(1 2)(3 4);(1 3)(2 5);(1 4)(2 5)", false, 1, 1, 2, 1, 3},
    {"A5", 5, "(1 2 3);(1 2 3 4 5)", true, 2, 0, 0, 0, 0},
    {"A4 by involutions would not generate it; V4", 4, "(1 2)(3 4);(1 3)(2 4)", false, 1, 0, 0, 0,
     0},
    {"SL(2,3)", 8, SL23, true, 2, 2, 4, 2, 6},
    {"S5", 5, "(1 2);(1 2 3 4 5)", true, 2, 0, 0, 0, 0},
    {"Z5:Z4", 5, "(1 2 3 4 5);(2 3 5 4)", true, 2, 0, 0, 0, 0},
};

Test(cover, of_known_groups)
{
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        rep r;
        f2l_householders h;
        f2l_cover c;
        cr_assert_eq(rep_read(&r, expected[i].degree, expected[i].generators), F2L_OK);
        cr_assert_eq(rep_householders(&h, &r, expected[i].all), F2L_OK);
        cr_assert_eq(build(&c, &r, &h, expected[i].all, NULL), F2L_OK, "%s: %s", expected[i].name,
                     r.err.text);
        cr_assert(c.complete, "%s", expected[i].name);
        cr_assert_eq(c.lower, expected[i].lower, "%s", expected[i].name);
        cr_assert_eq(c.found, expected[i].factors > 0, "%s", expected[i].name);
        if (c.found) {
            cr_assert_eq(c.factors, expected[i].factors, "%s: %zu", expected[i].name, c.factors);
            cr_assert_eq(c.kernel, expected[i].kernel, "%s: %zu", expected[i].name, c.kernel);
            cr_assert_eq(c.householders.heads, expected[i].heads);
            cr_assert_eq(c.householders.dimension, expected[i].dimension);
            check_cover(&c, &r, &h, expected[i].all);
        }
        f2l_cover_clear(&c);
        f2l_cover_clear(&c);
        f2l_householders_clear(&h);
        rep_clear(&r);
    }
}

/* R2.5 by hand: in D4 x Z4 the elements (r, 1) and (s, z) generate a group of order 16, here on 4 +
 * 4 points. */
Test(cover, of_Q8_by_hand)
{
    rep r, e;
    f2l_householders h, k;
    cr_assert_eq(rep_read(&e, 8, "(1 2 3 4);(1 3)(5 6 7 8)"), F2L_OK);
    cr_assert_eq(e.group.order, 16);
    cr_assert_eq(rep_householders(&k, &e, false), F2L_OK);
    cr_assert_eq(k.minimum, 2);
    cr_assert_eq(k.dimension, 4);
    cr_assert_eq(k.heads, 2);
    /* The quotient by (r^2, z^2): i and j act on its 8 cosets as they do on Q8. */
    const uint32_t i = rep_element(&e, "(1 2 3 4)"), j = rep_element(&e, "(1 3)(5 6 7 8)");
    const uint32_t z = rep_element(&e, "(1 3)(2 4)(5 7)(6 8)");
    uint32_t coset[16], first[8], image[16];
    size_t cosets = 0;
    for (uint32_t x = 0; x < 16; x++) coset[x] = UINT32_MAX;
    for (uint32_t x = 0; x < 16; x++) {
        if (coset[x] != UINT32_MAX) continue;
        coset[x] = coset[f2l_group_multiply(&e.group, x, z)] = (uint32_t)cosets;
        cr_assert_lt(cosets, 8);
        first[cosets++] = x;
    }
    for (size_t x = 0; x < 8; x++) {
        image[x] = coset[f2l_group_multiply(&e.group, first[x], i)];
        image[8 + x] = coset[f2l_group_multiply(&e.group, first[x], j)];
    }
    cr_assert_eq(rep_build(&r, image, 2, 8), F2L_OK);
    cr_assert_eq(r.group.order, 8);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(h.minimum, 4,
                 "only the quaternion group of the five groups of order 8 has no less");
    cr_assert_eq(r.characters.indicator[4], -1);
    f2l_householders_clear(&h);
    f2l_householders_clear(&k);
    rep_clear(&r);
    rep_clear(&e);
}

/* Orders of H^2(G, Z_q) from textbooks: Hom(H_2, Z_q) x Ext(G/G', Z_q); the list has classes up to
 * units. */
static const struct {
    const char *name;
    size_t degree;
    const char *generators;
    size_t by2, by3, by4; /* classes up to units of Z_q */
} h2[] = {
    {"trivial", 1, "", 1, 1, 1},
    {"Z2", 2, "(1 2)", 2, 1, 2},                            /* Ext(Z2, Z4) = Z2 */
    {"Z3", 3, "(1 2 3)", 1, 2, 1},                          /* Z3 up to signs */
    {"Z4", 4, "(1 2 3 4)", 2, 1, 3},                        /* Z4 up to signs */
    {"Z2^2", 4, "(1 2);(3 4)", 8, 1, 8},                    /* H_2 = Z2 */
    {"Z2^4", 8, Z2_4, 1024, 1, 1024},                       /* rank 4 + 6 */
    {"Z3^2", 6, "(1 2 3);(4 5 6)", 1, 14, 1},               /* 3^3 up to signs */
    {"Q8", 8, Q8, 4, 1, 4},                                 /* H_2 = 0 */
    {"S3", 3, "(1 2);(1 2 3)", 2, 1, 2},                    /* H_2 = 0 */
    {"D4", 4, "(1 2 3 4);(1 3)", 8, 1, 8},                  /* H_2 = Z2 */
    {"A4", 4, "(1 2 3);(2 3 4)", 2, 2, 2},                  /* H_2 = Z2 */
    {"S4", 4, "(1 2);(1 2 3 4)", 4, 1, 4},                  /* H_2 = Z2 */
    {"A5", 5, "(1 2 3);(1 2 3 4 5)", 2, 1, 2},              /* H_2 = Z2 */
    {"S5", 5, "(1 2);(1 2 3 4 5)", 4, 1, 4},                /* H_2 = Z2 */
    {"A6", 6, "(1 2 3 4 5);(4 5 6)", 2, 2, 2},              /* H_2 = Z6 */
    {"SL(2,3)", 8, SL23, 1, 2, 1},                          /* H_2 = 0, G/G' = Z3 */
    {"PSL(2,7)", 7, "(1 2 3 4 5 6 7);(2 3)(4 7)", 2, 1, 2}, /* H_2 = Z2 */
};

Test(cover, classes_of_extensions)
{
    for (size_t i = 0; i < sizeof h2 / sizeof *h2; i++) {
        rep r;
        f2l_presentation p;
        cr_assert_eq(rep_read(&r, h2[i].degree, h2[i].generators), F2L_OK);
        cr_assert_eq(f2l_presentation_build(&p, &r.group, 12, NULL, NULL), F2L_OK);
        for (size_t q = 2; q <= 4; q++) {
            f2l_cohomology c;
            cr_assert_eq(f2l_cohomology_build(&c, &p, q, 5000, NULL, NULL), F2L_OK);
            const size_t wanted = q == 2 ? h2[i].by2 : q == 3 ? h2[i].by3 : h2[i].by4;
            cr_assert(c.complete);
            cr_assert_eq(c.count, wanted, "H^2(%s, Z_%zu): %zu, not %zu", h2[i].name, q, c.count,
                         wanted);
            for (size_t k = 0; k < p.relators; k++)
                cr_assert_eq(c.values[k], 0, "the first is the product");
            f2l_cohomology_clear(&c);
        }
        f2l_presentation_clear(&p);
        rep_clear(&r);
    }
}

/* All relators are 1 in the group. */
Test(cover, relators_hold)
{
    rep r;
    f2l_presentation p;
    cr_assert_eq(rep_read(&r, 6, "(1 2);(1 2 3 4 5 6)"), F2L_OK);
    cr_assert_eq(f2l_presentation_build(&p, &r.group, 12, NULL, NULL), F2L_OK);
    cr_assert_gt(p.relators, 2);
    for (size_t s = 0; s < p.relators; s++) {
        uint32_t x = 0;
        for (size_t i = p.word_at[s]; i < p.word_at[s + 1]; i++) {
            const uint32_t g = p.generator[p.word[i] / 2];
            x = f2l_group_multiply(&r.group, x, p.word[i] % 2 ? f2l_group_inverse(&r.group, g) : g);
        }
        cr_assert_eq(x, 0);
    }
    f2l_presentation_clear(&p);
    rep_clear(&r);
}

Test(cover, says_when_it_stops)
{
    rep r;
    f2l_householders h;
    f2l_cover c;
    cr_assert_eq(rep_read(&r, 8, Q8), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    static const f2l_cover_options few = {.extensions = 1}, small = {.order = 20},
                                   tiny = {.order = 8};
    static const f2l_cover_options one = {.limit = 1}, nine = {.limit = 9}, eight = {.limit = 8};
    cr_assert_eq(build(&c, &r, &h, true, &few), F2L_OK);
    cr_assert(!c.complete && !c.found && c.extensions == 1);
    f2l_cover_clear(&c);
    cr_assert_eq(build(&c, &r, &h, true, &small), F2L_OK);
    cr_assert(!c.complete && c.found && c.kernel == 2);
    f2l_cover_clear(&c);
    cr_assert_eq(build(&c, &r, &h, true, &tiny), F2L_OK);
    cr_assert(!c.complete && !c.found && c.extensions == 0);
    f2l_cover_clear(&c);
    cr_assert_eq(build(&c, &r, &h, true, &eight), F2L_OK);
    cr_assert(c.complete && c.found && c.factors == 2 && c.householders.dimension == 4);
    f2l_cover_clear(&c);
    /* 4 classes by Z2, 1 by Z3, 4 by Z4, and by Z2 x Z2 the ordered pairs, which are different
     * unless they vanish. */
    cr_assert_eq(build(&c, &r, &h, true, NULL), F2L_OK);
    cr_assert_eq(c.extensions, 4 + 1 + 4 + 7);
    f2l_cover_clear(&c);
    cr_assert_eq(build(&c, &r, &h, true, &one), F2L_EDOMAIN);
    cr_assert_eq(build(&c, &r, &h, true, &nine), F2L_EDOMAIN);
    const volatile sig_atomic_t stop = SIGINT;
    const f2l_task cancelled = {.cancel = &stop};
    cr_assert_eq(f2l_cover_build(&c, &r.group, &r.classes, &h, NULL, 0, NULL, &cancelled, NULL),
                 F2L_UNKNOWN);
    cr_assert(!c.found && !c.lift);
    f2l_householders_clear(&h);
    rep_clear(&r);
}

#ifdef F2L_MEM_FAILURES
Test(cover, out_of_memory)
{
    rep r;
    f2l_householders h;
    static const f2l_cover_options small = {.limit = 2};
    cr_assert_eq(rep_read(&r, 8, Q8), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_cover c;
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_cover_build(&c, &r.group, &r.classes, &h, NULL, 0, &small, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK ||
                  (status == F2L_ENOMEM && !c.found && !c.lift && !c.group.element));
        f2l_cover_clear(&c);
    }
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(n, 100);
    f2l_householders_clear(&h);
    rep_clear(&r);
}
#endif
