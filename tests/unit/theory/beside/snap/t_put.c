#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/train/data_support.h"
#include "tests/support/train/seq_support.h"
#include "theory/beside/snap/intertwiner.h"
#include "theory/beside/snap/put.h"

#define SEED 71
enum { K = 7, N = 4 };

static double draw(f2l_rng *rng)
{
    return ldexp((double)f2l_rng_u32(rng), -31) - 1;
}

static void draw_unit(double *u, f2l_rng *rng)
{
    double square = 0;
    for (size_t i = 0; i < K; i++) {
        u[i] = draw(rng);
        square += u[i] * u[i];
    }
    for (size_t i = 0; i < K; i++) u[i] /= sqrt(square);
}

/* Multiplies q by the reflection from the left. */
static void reflect(double *q, const double *u)
{
    for (size_t k = 0; k < K; k++) {
        double part = 0;
        for (size_t i = 0; i < K; i++) part += u[i] * q[i * K + k];
        for (size_t i = 0; i < K; i++) q[i * K + k] -= 2 * part * u[i];
    }
}

/* The factors of a product of r random reflections: r of them, with that product, in the slots with
 * the largest betas; the first acts on the learned key where that is in the range. */
Test(put, factors_of_products_of_reflections)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t trial = 0; trial < 60; trial++) {
        const size_t r = trial % (N + 1);
        double u[N * K], key[N * K], beta[N], q[K * K] = {0}, copy[K * K], found[N * K] = {0};
        bool acts[N];
        size_t count = 0;
        for (size_t i = 0; i < K; i++) q[i * K + i] = 1;
        for (size_t n = 0; n < r; n++) {
            draw_unit(u + n * K, &rng);
            reflect(q, u + n * K);
        }
        for (size_t n = 0; n < N; n++) {
            draw_unit(key + n * K, &rng);
            beta[n] = 1 + draw(&rng);
        }
        const size_t best = beta[0] > beta[1] ? 0 : 1;
        memcpy(copy, q, sizeof q);
        cr_assert_eq(f2l_snap_factors(found, acts, copy, key, beta, N, K, NULL), F2L_OK);
        memset(copy, 0, sizeof copy);
        for (size_t i = 0; i < K; i++) copy[i * K + i] = 1;
        for (size_t n = 0; n < N; n++) {
            if (!acts[n]) continue;
            count++;
            cr_assert(fabs(f2l_dense_dot(found + n * K, found + n * K, K) - 1) < 1e-12);
            cr_assert(f2l_dense_dot(found + n * K, key + n * K, K) > -1e-3, "the other sign");
            reflect(copy, found + n * K);
        }
        cr_assert_eq(count, r, "%zu, not %zu", count, r);
        cr_assert(r == 0 || r == 1 || acts[best] || beta[2] > beta[best] || beta[3] > beta[best]);
        for (size_t i = 0; i < K * K; i++)
            cr_assert(fabs(copy[i] - q[i]) < 1e-11, "%zu factors", r);
        for (size_t n = 0; n < r; n++) memcpy(key + n * K, u + n * K, K * sizeof *u);
        for (size_t n = 0; n < N; n++) beta[n] = n < r ? 2 : 0;
        cr_assert_eq(f2l_snap_factors(found, acts, copy, key, beta, N, K, NULL), F2L_OK);
        for (size_t i = 0; i < r * K; i++) /* keys that are exact are kept */
            cr_assert(fabs(found[i] - u[i]) < 1e-9, "factor %zu of %zu", i / K + 1, r);
    }
}

Test(put, more_reflections_than_there_is_room_for)
{
    double q[K * K] = {0}, key[K] = {1}, u[K], beta = 2;
    bool acts;
    f2l_error err = {0};
    for (size_t i = 0; i < K; i++) q[i * K + i] = i < 3 ? -1 : 1;
    cr_assert_eq(f2l_snap_factors(u, &acts, q, key, &beta, 1, K, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "3 factors") != NULL, "%s", err.text);
}

/* Rows get their values at every letter, and change in the span of the inputs alone: so no other
 * change is smaller. */
Test(put, rows_with_given_values)
{
    f2l_seq_config config = f2l_seq_config_default(5, 5);
    f2l_rng rng;
    f2l_snap_fit fit;
    f2l_error err = {0};
    config.width = 9;
    config.mlp = 0;
    f2l_rng_init(&rng, SEED, 2);
    seq_case s = seq_case_of(&config, SEED);
    cr_assert_eq(f2l_snap_fit_init(&fit, &s.model, s.parameter, &err), F2L_OK, "%s", err.text);
    double row[9], old[9], change[5], wish[5];
    for (size_t i = 0; i < 9; i++) row[i] = old[i] = draw(&rng);
    for (size_t a = 0; a < 5; a++) {
        wish[a] = draw(&rng);
        change[a] = wish[a] - f2l_snap_fit_value(&fit, row, a);
    }
    f2l_snap_fit_row(row, change, &fit);
    for (size_t a = 0; a < 5; a++)
        cr_assert(fabs(f2l_snap_fit_value(&fit, row, a) - wish[a]) < 1e-12);
    double orthogonal[9]; /* to all inputs, by Gram and Schmidt from a random vector */
    double basis[5][9];
    for (size_t a = 0; a < 6; a++) {
        double *x = a < 5 ? basis[a] : orthogonal;
        for (size_t i = 0; i < 9; i++) x[i] = a < 5 ? fit.x[a * 9 + i] : draw(&rng);
        for (size_t b = 0; b < a && b < 5; b++) {
            const double part = f2l_dense_dot(x, basis[b], 9);
            for (size_t i = 0; i < 9; i++) x[i] -= part * basis[b][i];
        }
        const double length = sqrt(f2l_dense_dot(x, x, 9));
        for (size_t i = 0; i < 9; i++) x[i] /= length;
    }
    for (size_t i = 0; i < 9; i++) row[i] -= old[i];
    cr_assert(fabs(f2l_dense_dot(row, orthogonal, 9)) < 1e-10);
    f2l_snap_fit_clear(&fit);
    seq_case_free(&s);
}

Test(put, letters_with_equal_embeddings_are_refused)
{
    f2l_seq_config config = f2l_seq_config_default(5, 5);
    f2l_snap_fit fit;
    f2l_error err = {0};
    seq_case s = seq_case_of(&config, SEED);
    double *embedding = s.parameter + s.model.tensor[s.model.embedding].offset;
    memcpy(embedding, embedding + config.width, config.width * sizeof *embedding);
    cr_assert_eq(f2l_snap_fit_init(&fit, &s.model, s.parameter, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "independent") != NULL, "%s", err.text);
    seq_case_free(&s);
}

/* The form of a letter is |A X - X rho|^2, computed directly. */
Test(put, form_is_the_square_of_the_difference)
{
    enum { D = 2, ROWS = 4 };
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 3);
    for (size_t trial = 0; trial < 20; trial++) {
        double a[ROWS * ROWS], square[ROWS * ROWS] = {0}, x[ROWS * D], form[64] = {0}, sum = 0;
        const double t = 3 * draw(&rng), rho[4] = {cos(t), -sin(t), sin(t), cos(t)};
        double work[ROWS * D];
        for (size_t i = 0; i < ROWS * ROWS; i++) a[i] = draw(&rng);
        for (size_t i = 0; i < ROWS * D; i++) x[i] = draw(&rng);
        for (size_t l = 0; l < ROWS; l++)
            for (size_t i = 0; i < ROWS * ROWS; i++)
                square[i] += a[l * ROWS + i / ROWS] * a[l * ROWS + i % ROWS];
        f2l_intertwiner_add(form, a, square, rho, ROWS, D);
        for (size_t i = 0; i < 64; i++) sum += form[i] * x[i / 8] * x[i % 8];
        const double direct = f2l_intertwiner_distance(NULL, work, a, x, rho, ROWS, D);
        cr_assert(fabs(sum - direct * direct) < 1e-12, "%g, not %g", sum, direct * direct);
    }
}

/* The polar factor of P S, with P of orthonormal columns and S positive, is P. */
Test(put, polar_factor)
{
    const double p[6] = {0.6, 0, 0.8, 0, 0, 1}, s[4] = {2, 0.5, 0.5, 1};
    double x[6] = {0}, found[6], even;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < 2; k++) x[i * 2 + j] += p[i * 2 + k] * s[k * 2 + j];
    cr_assert_eq(f2l_intertwiner_polar(found, &even, x, 3, 2, NULL), F2L_OK);
    for (size_t i = 0; i < 6; i++) cr_assert(fabs(found[i] - p[i]) < 1e-14);
    cr_assert(fabs(even - (1.5 - sqrt(0.5)) / (1.5 + sqrt(0.5))) < 1e-12, "%g", even);
}

/* The inverse of SiLU on both sides of its least value. */
Test(put, silu_inverse)
{
    for (double z = -8; z < 8; z += 0.01) {
        const double y = f2l_snap_silu(z), found = f2l_snap_silu_inverse(y, z);
        cr_assert(y >= F2L_SNAP_SILU_LEAST && fabs(f2l_snap_silu(found) - y) < 1e-13, "%g", z);
        cr_assert(fabs(found - z) < 1e-6 || z > 0, "%g, not %g", found, z);
    }
    cr_assert(fabs(f2l_snap_silu(f2l_snap_silu_inverse(-3, 0)) - F2L_SNAP_SILU_LEAST) < 1e-15);
}

/* The centre moves just so far that every key's value is one of SiLU's, and not where all are, for
 * the key or its negative; a key is turned to its negative only where that helps. */
Test(put, reachable_centre)
{
    f2l_rng rng;
    size_t moved = 0, turned = 0;
    f2l_rng_init(&rng, SEED, 4);
    for (size_t trial = 0; trial < 40; trial++) {
        double basis[K * 2] = {0}, learned[2 * 3], key[6 * K] = {0}, old[6 * K] = {0},
                         centre[K * 3];
        bool turns[6] = {false};
        f2l_snap_part part = {.basis = basis, .centre = learned};
        f2l_snap_irrep irrep = {.value = {.dimension = 2}};
        const f2l_snap snap = {
            .key_dim = K, .value_dim = 3, .parts = 1, .part = &part, .irreps = 1, .irrep = &irrep};
        bool inside = true;
        basis[0] = basis[3] = 1; /* the first two coordinates */
        for (size_t i = 0; i < 6; i++) learned[i] = 0.6 * draw(&rng);
        for (size_t f = 0; f < 5; f++) { /* the sixth key does not act */
            const double t = 3 * draw(&rng);
            key[f * K] = cos(t);
            key[f * K + 1] = sin(t);
            double least = INFINITY, most = -INFINITY;
            for (size_t v = 0; v < 3; v++) {
                const double value = cos(t) * learned[v] + sin(t) * learned[3 + v];
                least = fmin(least, value);
                most = fmax(most, value);
            }
            inside = inside && fmax(least, -most) > -0.2734;
            turns[f] = least < -0.2734 && -most > least;
            for (size_t i = 0; i < K; i++) old[f * K + i] = key[f * K + i];
            turned += turns[f];
        }
        f2l_snap_reachable_centre(centre, &snap, key, 0, 3, 2);
        double change = 0;
        for (size_t i = 0; i < 6; i++) change = fmax(change, fabs(centre[i] - learned[i]));
        cr_assert(inside == (change < 1e-12), "%g", change);
        moved += !inside;
        for (size_t i = 0; i < 6 * K; i++) cr_assert_eq(key[i], turns[i / K] ? -old[i] : old[i]);
        for (size_t f = 0; f < 5; f++)
            for (size_t v = 0; v < 3; v++)
                cr_assert(key[f * K] * centre[v] + key[f * K + 1] * centre[3 + v] >
                          F2L_SNAP_SILU_LEAST);
    }
    cr_assert(moved > 5 && moved < 40 && turned > 20, "%zu, %zu", moved, turned);
}

/* --- the read-out --- */

/* A model whose norm before the head changed sign and size reads other numbers, which a linear map
 * takes back: the refitted head answers as before. A model that did not change keeps its head. */
Test(put, read_out_is_refitted_where_it_must)
{
    f2l_fsa fsa;
    f2l_data data;
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    data_family(&fsa, "symmetric", 3, false);
    data_build(&data, &options, &fsa);
    f2l_seq_config config = f2l_seq_config_default(6, 6);
    config.width = 12;
    config.heads = 2;
    config.key_dim = config.value_dim = 4;
    config.mlp = 8;
    seq_case s = seq_case_of(&config, SEED);
    const size_t count = s.model.parameters, at = s.model.tensor[s.model.head].offset;
    double *before = f2l_calloc(count, sizeof *before);
    for (size_t i = 0; i < count; i++) before[i] = s.parameter[i] = (double)(float)s.parameter[i];
    f2l_snap_put put = {0};
    f2l_error err = {0};
    cr_assert_eq(f2l_snap_refit(&put, s.parameter, before, &s.model, &data, NULL, &err), F2L_OK,
                 "%s", err.text);
    cr_assert(put.same == 1 && !put.refitted);
    cr_assert(memcmp(before, s.parameter, count * sizeof *before) == 0);
    double *norm = s.parameter + s.model.tensor[s.model.norm].offset;
    for (size_t i = 0; i < config.width; i++) norm[i] *= i % 5 ? -2 : 0.5;
    cr_assert_eq(f2l_snap_refit(&put, s.parameter, before, &s.model, &data, NULL, &err), F2L_OK);
    cr_assert(put.refitted && put.same > 0.99, "%g", put.same);
    for (size_t l = 0; l < 6; l++)
        for (size_t i = 0; i < config.width; i++)
            cr_assert(fabs(s.parameter[at + l * config.width + i] * (i % 5 ? -2 : 0.5) -
                           before[at + l * config.width + i]) < 0.02,
                      "label %zu, number %zu", l, i);
    f2l_free(before);
    seq_case_free(&s);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
}
