#include "models/learn/seq/mixer.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/train/data_support.h"
#include "tests/support/train/inspect_support.h"
#include "theory/beside/snap/snap.h"

#define SEED 61

/* Returns a number in (-1, 1). */
static double draw(f2l_rng *rng)
{
    return ldexp((double)f2l_rng_u32(rng), -31) - 1;
}

/* A network whose head is a permutation action of a family, seen in another orthonormal basis. */
typedef struct turned_case {
    f2l_fsa fsa;
    f2l_data data;
    seq_case s;
    f2l_inspect x;
    f2l_snap snap;
    double turn[64]; /* [points][points] the basis */
    size_t points;
} turned_case;

/* Sets turn to a random orthogonal matrix. */
static void draw_turn(double *turn, size_t n)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, n);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < n; k++) turn[i * n + k] = draw(&rng);
        for (size_t j = 0; j < i; j++) {
            double part = 0;
            for (size_t k = 0; k < n; k++) part += turn[i * n + k] * turn[j * n + k];
            for (size_t k = 0; k < n; k++) turn[i * n + k] -= part * turn[j * n + k];
        }
        for (size_t k = 0; k < n; k++) square += turn[i * n + k] * turn[i * n + k];
        for (size_t k = 0; k < n; k++) turn[i * n + k] /= sqrt(square);
    }
}

/* Turns all keys and the start of head 0 by the matrix. */
static void turn_head(turned_case *c)
{
    const f2l_seq_config *m = &c->s.model.config;
    const size_t n = c->points, letters = m->letters;
    double *keys = inspect_tensor(&c->s, "k_proj.weight"), old[8];
    for (size_t f = 0; f < m->householders; f++)
        for (size_t a = 0; a < letters; a++) {
            double *key = keys + f * m->heads * n * letters + a;
            for (size_t i = 0; i < n; i++) old[i] = key[i * letters];
            for (size_t i = 0; i < n; i++) {
                key[i * letters] = 0;
                for (size_t k = 0; k < n; k++) key[i * letters] += c->turn[i * n + k] * old[k];
            }
        }
    inspect_start(&c->s, 0, c->turn);
}

static void turned_init(turned_case *c, const char *family, size_t points, bool generators)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    c->points = points;
    data_family(&c->fsa, family, points, generators);
    data_build(&c->data, &options, &c->fsa);
    c->s = inspect_case(c->fsa.letters.count, 1, points - 1, points, points);
    for (size_t a = 0; a < c->fsa.letters.count; a++)
        inspect_set_permutation(&c->s, a, 0, c->fsa.perm + a * points);
    draw_turn(c->turn, points);
    turn_head(c);
    f2l_inspect_init(&c->x);
    f2l_snap_init(&c->snap);
}

static void turned_snap(turned_case *c)
{
    f2l_error err = {0};
    f2l_inspect_clear(&c->x);
    f2l_snap_clear(&c->snap);
    inspect_build(&c->x, &c->s, NULL);
    cr_assert_eq(f2l_snap_build(&c->snap, &c->x, &c->s.model, c->s.parameter, &c->data,
                                F2L_SNAP_WITHIN, NULL, &err),
                 F2L_OK, "%s", err.text);
}

static void turned_clear(turned_case *c)
{
    f2l_snap_clear(&c->snap);
    f2l_inspect_clear(&c->x);
    seq_case_free(&c->s);
    f2l_data_clear(&c->data);
    f2l_fsa_clear(&c->fsa);
}

/* The part is the orthogonal complement of what all permutations fix, which is known: the turned
 * sum of the points. */
static void check_basis(const turned_case *c, const f2l_snap_part *part)
{
    const size_t n = c->points, d = n - 1;
    for (size_t j = 0; j < d; j++) {
        double fixed = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) fixed += part->basis[i * d + j] * c->turn[i * n + k];
        cr_assert(fabs(fixed) < 1e-10, "%g", fixed);
        for (size_t l = 0; l < d; l++) {
            double product = 0;
            for (size_t i = 0; i < n; i++)
                product += part->basis[i * d + j] * part->basis[i * d + l];
            cr_assert(fabs(product - (j == l)) < 1e-12);
        }
    }
}

/* The intertwiner of a conjugate representation is recovered, and the exact network is right. */
Test(snap, a_conjugate_representation_is_found)
{
    for (size_t points = 3; points <= 5; points++)
        for (int generators = 0; generators < 2; generators++) {
            turned_case c;
            turned_init(&c, "symmetric", points, generators == 1);
            turned_snap(&c);
            const f2l_snap *s = &c.snap;
            cr_assert(s->verdict == F2L_SNAP_SNAPPED && s->faithful, "%s", s->reason);
            cr_assert_eq(s->parts, 1, "%zu", s->parts);
            cr_assert_eq(s->irrep[s->part[0].irrep].value.dimension, points - 1);
            cr_assert(s->part[0].defect < 1e-10 && s->part[0].next > 0.1, "%g %g",
                      s->part[0].defect, s->part[0].next);
            for (size_t a = 0; a < s->letters; a++)
                cr_assert(s->part[0].distance[a] < 1e-10, "%g", s->part[0].distance[a]);
            check_basis(&c, &s->part[0]);
            cr_assert(s->net.layer[0].heads == 1 && s->net.layer[0].head[0].n == points - 1);
            cr_assert_eq(s->closure.rows, c.fsa.states.count);
            turned_clear(&c);
        }
}

/* A network with the permutations of a text as the matrices of its head, turned. */
static void text_init(turned_case *c, const char *text, size_t points)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    c->points = points;
    fsa_from_text(&c->fsa, text);
    data_build(&c->data, &options, &c->fsa);
    c->s = inspect_case(c->fsa.letters.count, 1, points - 1, points, points);
    for (size_t a = 0; a < c->fsa.letters.count; a++)
        inspect_set_permutation(&c->s, a, 0, c->fsa.perm + a * points);
    draw_turn(c->turn, points);
    turn_head(c);
    f2l_inspect_init(&c->x);
    f2l_snap_init(&c->snap);
}

/* The regular action of a cyclic group has planes that turn: with such a representation a plane of
 * matrices commutes, and both of its eigenvectors belong to one part. */
Test(snap, planes_that_turn)
{
    turned_case c;
    text_init(&c, "fsa 1\npoints 5\ntrack elements\npermute a (1 2 3 4 5)\npermute b (1 4 2 5 3)\n",
              5);
    turned_snap(&c);
    const f2l_snap *s = &c.snap;
    cr_assert(s->verdict == F2L_SNAP_SNAPPED && s->parts == 2, "%zu %s", s->parts, s->reason);
    for (size_t p = 0; p < 2; p++) {
        const f2l_snap_irrep *irrep = &s->irrep[s->part[p].irrep];
        cr_assert(s->part[p].defect < 1e-9, "%g", s->part[p].defect);
        cr_assert(irrep->value.dimension == 2 && irrep->field_degree == 2);
    }
    cr_assert(s->part[0].irrep != s->part[1].irrep && s->closure.rows == 5);
    turned_clear(&c);
}

/* Where the states are points, the start is fixed by the elements that fix the first point, and the
 * exact one too: there are as many codes as points. */
Test(snap, points_of_a_group)
{
    turned_case c;
    double start[16] = {0};
    text_init(&c, "fsa 1\npoints 4\ntrack points 1\npermute a (1 2 3 4)\npermute b (1 2)\n", 4);
    for (size_t i = 0; i < 4; i++) start[i * 4] = c.turn[i * 4]; /* the first point, turned */
    inspect_start(&c.s, 0, start);
    turned_snap(&c);
    cr_assert_eq(c.snap.verdict, F2L_SNAP_SNAPPED, "%s", c.snap.reason);
    cr_assert(c.snap.parts == 1 && c.snap.report.codes == 4, "%zu", c.snap.report.codes);
    cr_assert_eq(c.snap.closure.rows, 4);
    turned_clear(&c);
}

/* Two letters with exchanged matrices are no representation: nothing is found. */
Test(snap, exchanged_letters_do_not_snap)
{
    turned_case c;
    turned_init(&c, "symmetric", 4, true);
    double *keys = inspect_tensor(&c.s, "k_proj.weight"),
           *betas = inspect_tensor(&c.s, "b_proj.weight");
    for (size_t i = 0; i < 3 * 4 * 2; i += 2) {
        const double old = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = old;
    }
    for (size_t i = 0; i < 3 * 2; i += 2) {
        const double old = betas[i];
        betas[i] = betas[i + 1];
        betas[i + 1] = old;
    }
    turned_snap(&c);
    cr_assert(c.snap.verdict == F2L_SNAP_IMPOSSIBLE && c.snap.parts == 0, "%s", c.snap.reason);
    cr_assert(strstr(c.snap.reason, "nearest is") != NULL, "%s", c.snap.reason);
    cr_assert_eq(c.snap.net.layers, 0);
    turned_clear(&c);
}

/* A reflection whose key is turned by an angle e within the part differs from the old one by 2
 * sqrt(2) |sin e|: the distance of that letter is the largest, at most that, and not much less,
 * because the other letters hold the basis. */
Test(snap, a_mutated_letter_has_its_distance)
{
    const double angle = 0.1;
    turned_case c;
    turned_init(&c, "symmetric", 4, false);
    size_t letter = 0;
    while (c.fsa.perm[letter * 4] != 1 || c.fsa.perm[letter * 4 + 2] != 2 ||
           c.fsa.perm[letter * 4 + 3] != 3)
        letter++;
    double key[4], plain[4] = {cos(angle) / sqrt(2), -cos(angle) / sqrt(2), 0, 0};
    plain[2] = sin(angle) / sqrt(2); /* e_3 - e_4 is orthogonal to e_1 - e_2 and to the sum */
    plain[3] = -sin(angle) / sqrt(2);
    for (size_t i = 0; i < 4; i++) {
        key[i] = 0;
        for (size_t k = 0; k < 4; k++) key[i] += c.turn[i * 4 + k] * plain[k];
    }
    inspect_set(&c.s, letter, 0, 0, key, 2);
    turned_snap(&c);
    const double expected = 2 * sqrt(2) * sin(angle);
    cr_assert_eq(c.snap.verdict, F2L_SNAP_SNAPPED, "%s", c.snap.reason);
    const f2l_snap_part *part = &c.snap.part[0];
    cr_assert_eq(part->worst, letter);
    cr_assert(part->distance[letter] < expected && part->distance[letter] > 0.85 * expected,
              "%g, not %g", part->distance[letter], expected);
    for (size_t a = 0; a < c.snap.letters; a++)
        cr_assert(a == letter || part->distance[a] < 0.2 * expected, "%g", part->distance[a]);
    turned_clear(&c);
}

/* A head that only has the sign determines a quotient, and has no room for more. */
Test(snap, a_quotient_does_not_snap)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    const double one = 1;
    turned_case c = {.points = 3};
    data_family(&c.fsa, "symmetric", 3, false);
    data_build(&c.data, &options, &c.fsa);
    c.s = inspect_case(6, 1, 1, 1, 1);
    for (size_t a = 0; a < 6; a++) {
        const uint32_t *p = c.fsa.perm + a * 3;
        const size_t fixed = (p[0] == 0) + (p[1] == 1) + (p[2] == 2);
        inspect_set(&c.s, a, 0, 0, &one, fixed == 1 ? 2 : 0);
    }
    inspect_start(&c.s, 0, &one);
    f2l_inspect_init(&c.x);
    f2l_snap_init(&c.snap);
    turned_snap(&c);
    cr_assert(c.snap.verdict == F2L_SNAP_IMPOSSIBLE && c.snap.parts == 1 && !c.snap.faithful);
    cr_assert(strstr(c.snap.reason, "only a quotient of the group") != NULL &&
                  strstr(c.snap.reason, "no other representation") != NULL,
              "%s", c.snap.reason);
    turned_clear(&c);
}

/* A start without a part of it: the representation is there, but no word moves anything. */
Test(snap, a_part_that_is_not_used_does_not_count)
{
    double start[16] = {0};
    turned_case c;
    turned_init(&c, "symmetric", 4, true);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) start[i * 4] += c.turn[i * 4 + k];
    inspect_start(&c.s, 0, start);
    turned_snap(&c);
    cr_assert(c.snap.verdict == F2L_SNAP_IMPOSSIBLE && c.snap.parts == 0, "%s", c.snap.reason);
    turned_clear(&c);
}

Test(snap, other_classes_are_a_verdict)
{
    turned_case c;
    f2l_snap s;
    turned_init(&c, "symmetric", 3, true);
    inspect_build(&c.x, &c.s, NULL);
    f2l_snap_init(&s);
    cr_assert_eq(f2l_snap_build(&s, &c.x, &c.s.model, c.s.parameter, NULL, 0.2, NULL, NULL),
                 F2L_OK);
    cr_assert(s.verdict == F2L_SNAP_IMPOSSIBLE && strstr(s.reason, "no run") != NULL);
    f2l_snap_clear(&s);
    c.x.used[1] = 0;
    cr_assert_eq(f2l_snap_build(&s, &c.x, &c.s.model, c.s.parameter, &c.data, 0.2, NULL, NULL),
                 F2L_OK);
    cr_assert(s.verdict == F2L_SNAP_IMPOSSIBLE && strstr(s.reason, "never came") != NULL, "%s",
              s.reason);
    f2l_snap_clear(&s);
    c.x.used[1] = 1;
    c.s.model.config.layers = 2;
    cr_assert_eq(f2l_snap_build(&s, &c.x, &c.s.model, c.s.parameter, &c.data, 0.2, NULL, NULL),
                 F2L_OK);
    cr_assert(s.verdict == F2L_SNAP_IMPOSSIBLE && strstr(s.reason, "one layer") != NULL);
    c.s.model.config.layers = 1;
    f2l_snap_clear(&s);
    turned_clear(&c);
}

/* Keys that are a little off, and betas below 2, are put back to the exact matrices, up to float
 * and to the logit. */
Test(snap, what_is_put_back_is_exact_up_to_float)
{
    const double logit[] = {4, 16};
    for (size_t i = 0; i < 2; i++) {
        turned_case c;
        f2l_rng rng;
        f2l_error err = {0};
        f2l_snap_put put;
        turned_init(&c, "symmetric", 4, false);
        f2l_rng_init(&rng, SEED, 9);
        double *keys = inspect_tensor(&c.s, "k_proj.weight");
        for (size_t k = 0; k < 3 * 4 * 24; k++) keys[k] += 0.01 * draw(&rng);
        turned_snap(&c);
        cr_assert_eq(c.snap.verdict, F2L_SNAP_SNAPPED, "%s", c.snap.reason);
        cr_assert(c.snap.part[0].distance[c.snap.part[0].worst] > 0.01);
        cr_assert_eq(f2l_snap_put_back(&put, c.s.parameter, &c.snap, &c.x, &c.s.model, &c.data,
                                       logit[i], NULL, &err),
                     F2L_OK, "%s", err.text);
        const double beta = 2 / (1 + exp(logit[i]));
        cr_assert(fabs(put.beta - beta) < 1e-5 * beta + 1e-12, "%g, not %g", put.beta, beta);
        cr_assert(put.largest < 5 * beta + 1e-6 && put.change > 0, "%g", put.largest);
        cr_assert(put.same == 1 && !put.refitted, "a head of 0 always answers the same");
        turned_snap(&c);
        cr_assert_eq(c.snap.verdict, F2L_SNAP_SNAPPED);
        cr_assert(c.snap.part[0].distance[c.snap.part[0].worst] < 5 * beta + 1e-6);
        turned_clear(&c);
    }
}

Test(snap, classes_that_nothing_is_put_back_into)
{
    turned_case c;
    f2l_error err = {0};
    f2l_snap_put put;
    turned_init(&c, "symmetric", 3, true);
    turned_snap(&c);
    c.s.model.config.normalise_keys = false;
    cr_assert_eq(
        f2l_snap_put_back(&put, c.s.parameter, &c.snap, &c.x, &c.s.model, &c.data, 16, NULL, &err),
        F2L_EDOMAIN);
    cr_assert(strstr(err.text, "any length") != NULL, "%s", err.text);
    c.s.model.config.normalise_keys = true;
    turned_clear(&c);
}

/* --- values --- */

/* Returns the z >= 0 with z sigmoid(z) = y. */
static double silu_inverse(double y)
{
    double z = y;
    for (size_t i = 0; i < 60; i++) {
        const double s = 1 / (1 + exp(-z));
        z -= (z * s - y) / (s + z * s * (1 - s));
    }
    return z;
}

/* Noise on keys and values is removed, up to float. */
static void check_values_put_back(turned_case *c)
{
    f2l_rng rng;
    f2l_error err = {0};
    f2l_snap_put put;
    double *keys = inspect_tensor(&c->s, "k_proj.weight"),
           *values = inspect_tensor(&c->s, "v_proj.weight");
    f2l_rng_init(&rng, SEED, 11);
    for (size_t i = 0; i < 2 * 3 * 6; i++) keys[i] += 0.01 * draw(&rng);
    for (size_t i = 0; i < 2 * 6; i++) values[i] += 0.01 * draw(&rng);
    turned_snap(c);
    cr_assert_eq(c->snap.verdict, F2L_SNAP_SNAPPED, "%s", c->snap.reason);
    cr_assert(c->snap.part[0].drift > 1e-3, "%g", c->snap.part[0].drift);
    cr_assert_eq(f2l_snap_put_back(&put, c->s.parameter, &c->snap, &c->x, &c->s.model, &c->data, 16,
                                   NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert(put.drift < 1e-5 && put.largest < 1e-5, "%g %g", put.drift, put.largest);
    turned_snap(c);
    cr_assert(c->snap.part[0].drift < 1e-5 && c->snap.part[0].defect < 1e-5);
}

/* A head whose states turn around a point c: every factor writes c^T k, so that S - c is only
 * multiplied. Keys have the sign for which that is not negative, since values pass SiLU. */
Test(snap, values_move_the_centre)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    const double centre[3] = {0.3, -0.7, 1.1}, start[3] = {1, 0.5, -2};
    turned_case c = {.points = 3};
    f2l_error err = {0};
    f2l_seq_config config;
    data_family(&c.fsa, "symmetric", 3, false);
    data_build(&c.data, &options, &c.fsa);
    seq_case plain = inspect_case(6, 1, 2, 3, 1);
    config = plain.model.config;
    config.additive = true;
    seq_case_free(&plain);
    cr_assert_eq(f2l_seq_init(&c.s.model, &config, &err), F2L_OK, "%s", err.text);
    c.s.parameter = f2l_calloc(c.s.model.parameters, sizeof *c.s.parameter);
    double *embedding = c.s.parameter + f2l_seq_find(&c.s.model, "embedding.weight")->offset,
           *norm = c.s.parameter + f2l_seq_find(&c.s.model, "layers.0.mixer_norm.weight")->offset;
    for (size_t a = 0; a < 6; a++) embedding[a * 6 + a] = norm[a] = 1;
    for (size_t a = 0; a < 6; a++) inspect_set_permutation(&c.s, a, 0, c.fsa.perm + a * 3);
    inspect_start(&c.s, 0, start);
    double *keys = inspect_tensor(&c.s, "k_proj.weight"),
           *values = inspect_tensor(&c.s, "v_proj.weight");
    for (size_t n = 0; n < 2; n++)
        for (size_t a = 0; a < 6; a++) {
            double wish = 0, square = 0;
            for (size_t i = 0; i < 3; i++) {
                wish += centre[i] * keys[(n * 3 + i) * 6 + a];
                square += keys[(n * 3 + i) * 6 + a] * keys[(n * 3 + i) * 6 + a];
            }
            for (size_t i = 0; i < 3; i++) keys[(n * 3 + i) * 6 + a] *= wish < 0 ? -1 : 1;
            values[n * 6 + a] = silu_inverse(fabs(wish) / sqrt(square)) / sqrt(6);
        }
    f2l_inspect_init(&c.x);
    f2l_snap_init(&c.snap);
    turned_snap(&c);
    cr_assert_eq(c.snap.verdict, F2L_SNAP_SNAPPED, "%s", c.snap.reason);
    const f2l_snap_part *part = &c.snap.part[0];
    cr_assert(c.snap.parts == 1 && part->drift < 1e-9 && part->defect < 1e-10, "%g %g", part->drift,
              part->defect);
    for (size_t j = 0; j < 2; j++) {
        double expected = 0, first = 0;
        for (size_t i = 0; i < 3; i++) {
            expected += part->basis[i * 2 + j] * centre[i];
            first += part->basis[i * 2 + j] * (start[i] - centre[i]);
        }
        cr_assert(fabs(part->centre[j] - expected) < 1e-9, "%g, not %g", part->centre[j], expected);
        cr_assert(fabs(fabs(part->start[j]) - fabs(first)) < 1e-9);
    }
    check_values_put_back(&c);
    turned_clear(&c);
}
