#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/beside/compare/gaps.h"
#include <criterion/criterion.h>
#include <math.h>

enum { CLUSTERS = 5, EACH = 12, STATES = CLUSTERS * EACH, NUMBERS = 20 };

/* Fills rows of clusters around points of 3 coordinates at least 1 apart; every number has noise of
 * at most `noise`. Rows of different clusters take turns. */
static void fill(float *row, double noise)
{
    static const double centre[CLUSTERS][3] = {
        {0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {0, 0, 2}, {2, 2, 2}};
    f2l_rng rng;
    f2l_rng_init(&rng, 3, 4);
    for (size_t i = 0; i < STATES; i++)
        for (size_t k = 0; k < NUMBERS; k++) {
            const double u = (double)f2l_rng_below(&rng, 1000001) / 500000 - 1;
            row[i * NUMBERS + k] = (float)((k < 3 ? centre[i % CLUSTERS][k] : 0) + noise * u);
        }
}

static void find(f2l_principal *p, f2l_gap *gap, size_t *gaps, const float *row)
{
    f2l_error err;
    const f2l_learned_view view = {.states = STATES, .numbers = NUMBERS, .row = row};
    cr_assert(f2l_principal_build(p, &view, NULL, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_gaps_find(gap, gaps, p, NULL, &err) == F2L_OK, "%s", err.text);
}

Test(gaps, clusters_are_found)
{
    float row[STATES * NUMBERS];
    uint32_t cluster[STATES];
    f2l_gap gap[F2L_GAPS];
    size_t gaps, at = 0;
    f2l_principal p;
    f2l_error err;
    fill(row, 0.02);
    find(&p, gap, &gaps, row);
    while (at < gaps && gap[at].clusters != CLUSTERS) at++;
    cr_assert(at < gaps, "no gap of five clusters");
    cr_assert(f2l_gap_clusters(cluster, &gap[at], &p, &err) == F2L_OK);
    for (size_t i = 0; i < STATES; i++) cr_assert_eq(cluster[i], i % CLUSTERS);
    for (size_t i = 0; i + 1 < gaps; i++) cr_assert(gap[i].clusters > gap[i + 1].clusters);
    f2l_principal_clear(&p);
}

/* Directions are orthonormal, scores are products with them, and singular values are the lengths of
 * the columns of scores. */
Test(gaps, principal_directions)
{
    float row[STATES * NUMBERS];
    f2l_gap gap[F2L_GAPS];
    size_t gaps;
    f2l_principal p;
    fill(row, 0.3);
    find(&p, gap, &gaps, row);
    for (size_t a = 0; a < p.directions; a++) {
        double square = 0;
        for (size_t b = 0; b < p.directions; b++) {
            double dot = 0;
            for (size_t k = 0; k < NUMBERS; k++)
                dot += p.direction[a * NUMBERS + k] * p.direction[b * NUMBERS + k];
            cr_assert(fabs(dot - (a == b)) < 1e-9);
        }
        for (size_t i = 0; i < STATES; i++) {
            double score[NUMBERS];
            f2l_principal_score(score, &p, row + i * NUMBERS, a + 1);
            cr_assert(fabs(score[a] - p.score[i * p.directions + a]) < 1e-9);
            square += score[a] * score[a];
        }
        cr_assert(fabs(sqrt(square) - p.singular[a]) < 1e-9 * p.singular[0]);
    }
    f2l_principal_clear(&p);
}

/* Noise without clusters has no gap of more than a few clusters, and equal states are one. */
Test(gaps, no_clusters)
{
    float row[STATES * NUMBERS] = {0};
    f2l_gap gap[F2L_GAPS];
    size_t gaps;
    f2l_principal p;
    find(&p, gap, &gaps, row);
    cr_assert(p.directions == 0 && gaps == 1 && gap[0].clusters == 1);
    f2l_principal_clear(&p);
    fill(row, 40);
    find(&p, gap, &gaps, row);
    for (size_t i = 0; i < gaps; i++) cr_assert(gap[i].clusters != CLUSTERS);
    f2l_principal_clear(&p);
}
