#include "tests/support/models/dense.h"
#include "tests/support/theory/r1_support.h"
#include "theory/construct/r1/impl.h"

#define Z7_BY_Z9 \
    "points 16\ntrack elements\npermute a (1 2 3 4 5 6 7)\n" \
    "permute b (2 3 5)(4 7 6)(8 9 10 11 12 13 14 15 " \
    "16)\n"

/* Applies a signed permutation to x. */
static void signed_apply(long *out, const int32_t *image, const long *x, size_t points)
{
    for (size_t p = 0; p < points; p++) {
        const size_t to = (size_t)labs((long)image[p]) - 1;
        out[to] = image[p] < 0 ? -x[p] : x[p];
    }
}

/* Sets *out to x, placed by O.5; with `half` all of x is odd. */
static void place(dense *out, const long *x, size_t points, bool half)
{
    f2l_number *from = f2l_numbers_new(points), *to = f2l_numbers_new(out->rows);
    for (size_t p = 0; p < points; p++) fmpq_poly_set_si(&from[p], x[p]);
    f2l_r1_signed_vector(to, from, points, half);
    for (size_t i = 0; i < out->rows; i++) f2l_number_get(out->at[i], &to[i], 0);
    f2l_numbers_free(from, points);
    f2l_numbers_free(to, out->rows);
}

/* Does s <- s - beta (k^T s) k with the unit key k = u / |u|, which must be dyadic. */
static void apply_factor(dense *s, const f2l_factor *factor)
{
    mpq_t norm, sum, t;
    dense u;
    mpq_inits(norm, sum, t, NULL);
    dense_init(&u, s->rows, 1);
    dense_load(&u, &factor->u);
    f2l_qvec_norm2(norm, &factor->u);
    cr_assert(mpq_cmp_ui(norm, 1, 1) == 0 || mpq_cmp_ui(norm, 4, 1) == 0);
    cr_assert(mpq_cmp_ui(factor->beta, 2, 1) == 0 && factor->c.count == 0);
    for (size_t i = 0; i < s->rows; i++) {
        mpq_mul(t, u.at[i], s->at[i]);
        mpq_add(sum, sum, t);
    }
    mpq_div(sum, sum, norm);
    mpq_mul_2exp(sum, sum, 1);
    for (size_t i = 0; i < s->rows; i++) {
        mpq_mul(t, sum, u.at[i]);
        mpq_sub(s->at[i], s->at[i], t);
    }
    dense_clear(&u);
    mpq_clears(norm, sum, t, NULL);
}

static void random_signed(int32_t *image, size_t points, bool odd, f2l_rng *rng)
{
    bool negative = odd;
    for (size_t p = 0; p < points; p++) image[p] = (int32_t)p + 1;
    for (size_t i = points; i > 1; i--) {
        const size_t j = (size_t)f2l_rng_below(rng, i);
        const int32_t t = image[i - 1];
        image[i - 1] = image[j];
        image[j] = t;
    }
    for (size_t p = 0; p + 1 < points; p++) {
        if (f2l_rng_below(rng, 2) == 0) continue;
        image[p] = -image[p];
        negative = !negative;
    }
    if (negative) image[points - 1] = -image[points - 1];
}

/* O.5: there are as many reflections as the rank, with dyadic unit keys, and their product is the
 * signed permutation. */
Test(r1_heads, signed_factors)
{
    f2l_rng rng;
    printf("seed 41\n");
    f2l_rng_init(&rng, 41, 0);
    for (int round = 0; round < 300; round++) {
        const size_t points = 2 + (size_t)f2l_rng_below(&rng, 9);
        int32_t image[16];
        long x[16], moved[16];
        random_signed(image, points, false, &rng);
        const bool half = round % 2 == 0 && points % 2 == 0;
        for (size_t p = 0; p < points; p++)
            x[p] = (long)f2l_rng_below(&rng, 41) * (half ? 2 : 1) + half;
        signed_apply(moved, image, x, points);
        f2l_net net;
        f2l_net_init(&net);
        cr_assert_eq(f2l_net_set_layers(&net, 1, NULL), F2L_OK);
        cr_assert_eq(f2l_layer_set_heads(&net.layer[0], 1, 1, NULL), F2L_OK);
        f2l_transition *t = &net.layer[0].head[0].letter[0];
        cr_assert_eq(f2l_r1_signed_factors(t, image, points, NULL), F2L_OK);
        cr_assert_eq(t->factors, f2l_dyadic_factors(image, points));
        dense s, expected;
        dense_init(&s, f2l_r1_signed_dimension(points), 1);
        dense_init(&expected, s.rows, 1);
        place(&s, x, points, half);
        place(&expected, moved, points, half);
        for (size_t i = 0; i < s.rows; i++) cr_assert_eq(mpz_cmp_ui(mpq_denref(s.at[i]), 1), 0);
        for (size_t f = 0; f < t->factors; f++) apply_factor(&s, &t->factor[f]);
        for (size_t i = 0; i < s.rows; i++)
            cr_assert(mpq_equal(s.at[i], expected.at[i]), "round %d", round);
        dense_clear(&s);
        dense_clear(&expected);
        random_signed(image, points, true, &rng);
        cr_assert_eq(f2l_r1_signed_factors(t, image, points, NULL), F2L_EDOMAIN);
        f2l_net_clear(&net);
    }
}

/* When some heads are not available, others are chosen: jointly faithful, none of them superfluous,
 * and within k. */
Test(r1_heads, other_heads)
{
    r1_sample s;
    r1_open_family(&s, "symmetric", 4, false);
    const f2l_householders *h = &s.r1.tables.householders;
    size_t degree[5] = {1, 1, 1, 1, 1}, count;
    uint8_t unavailable[5] = {0};
    uint32_t chosen[6];
    cr_assert_eq(h->irreps, 5);
    cr_assert_eq(f2l_r1_choose(chosen, &count, h, 1, unavailable, degree, NULL), F2L_OK);
    cr_assert_eq(count, 0);
    cr_assert_eq(f2l_r1_choose(chosen, &count, h, 2, unavailable, degree, NULL), F2L_OK);
    cr_assert_eq(count, 1);
    cr_assert(h->irrep[chosen[0]].dimension == 3 && h->irrep[chosen[0]].most == 2);
    unavailable[chosen[0]] = 1;
    cr_assert_eq(f2l_r1_choose(chosen, &count, h, 2, unavailable, degree, NULL), F2L_OK);
    cr_assert_eq(count, 0);
    cr_assert_eq(f2l_r1_choose(chosen, &count, h, 3, unavailable, degree, NULL), F2L_OK);
    cr_assert_eq(count, 1);
    cr_assert(h->irrep[chosen[0]].dimension == 3 && h->irrep[chosen[0]].most == 3);
    r1_close(&s);
}

/* Without the faithful characters of Z_30, factors for 2, 3 and 5 in any grouping hit all minimal
 * normal subgroups. */
Test(r1_heads, other_heads_of_a_product)
{
    r1_sample s;
    r1_open_family(&s, "cyclic", 30, true);
    const f2l_r1_tables *t = &s.r1.tables;
    const f2l_householders *h = &t->householders;
    size_t degree[30], count;
    uint8_t unavailable[30] = {0};
    uint32_t chosen[31];
    cr_assert_eq(f2l_r1_field_degrees(degree, t, NULL), F2L_OK);
    const uint32_t generator = t->classes.class_of[t->letter[0]];
    for (size_t i = 0; i < h->irreps; i++) {
        size_t multiplicity[30], order = 0; /* multiplicities of roots of unity as the generator's
                                               eigenvalue */
        cr_assert_eq(f2l_characters_eigenvalues(multiplicity, &t->characters, &t->classes,
                                                h->irrep[i].character, generator, NULL),
                     F2L_OK);
        for (size_t j = 0; j < 30; j++)
            if (multiplicity[j] > 0)
                for (order = 1; order * j % 30 != 0;) order++;
        static const size_t expected[31] = {
            [1] = 1, [2] = 1, [3] = 1, [5] = 2, [6] = 1, [10] = 2, [15] = 4, [30] = 4};
        cr_assert_eq(degree[i], expected[order], "order %zu: degree %zu", order, degree[i]);
        unavailable[i] = order >= 15;
    }
    cr_assert_eq(f2l_r1_choose(chosen, &count, h, 2, unavailable, degree, NULL), F2L_OK);
    cr_assert(count == 2 || count == 3);
    for (size_t left = 0; left <= count; left++) /* only all together hit all */
        for (size_t k = 0, missed = 0; k < h->socle.targets; k++) {
            bool hit = false;
            for (size_t i = 0; i < count; i++)
                hit = hit ||
                      (i != left && f2l_householders_rank(h, chosen[i], h->socle.target[k]) > 0);
            missed += !hit;
            if (k + 1 == h->socle.targets) cr_assert(left == count ? missed == 0 : missed > 0);
        }
    r1_close(&s);
}

/* The faithful irreps have no matrices, or too large a field: the other heads have as few factors
 * but more dimensions. */
Test(r1_heads, heads_without_matrices)
{
    static const struct {
        const char *text;
        size_t householders, dimension; /* 0: not available */
    } job[] = {{Z7_BY_Z9, 6, 8}, {NULL, 2, 4}, {NULL, 0, 0}};
    static const uint64_t cyclic[] = {0, 265, 262};
    for (size_t i = 0; i < 3; i++) {
        r1_sample s;
        f2l_error err = {0};
        if (job[i].text != NULL)
            r1_open_text(&s, "Z7:Z9", job[i].text);
        else
            r1_open_family(&s, "cyclic", cyclic[i], true);
        if (job[i].householders == 0) {
            cr_assert_eq(f2l_r1_build(&s.net, &s.report, &s.r1, F2L_LABEL_STATES, F2L_R1_GROUP,
                                      NULL, NULL, &err),
                         F2L_UNKNOWN);
            cr_assert(strstr(err.text, "degree 65") != NULL, "%s", err.text);
            cr_assert(s.net.layers == 0 && s.report.lower == 2);
        } else {
            r1_build(&s, F2L_R1_GROUP, F2L_LABEL_STATES);
            cr_assert_eq(s.report.householders, job[i].householders, "%zu", s.report.householders);
            cr_assert_eq(s.report.dimension, job[i].dimension, "%zu", s.report.dimension);
            cr_assert(s.report.minimal && !s.report.complete && s.report.heads == 2);
            r1_check(&s);
        }
        r1_close(&s);
    }
}
