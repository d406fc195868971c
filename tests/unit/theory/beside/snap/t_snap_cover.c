#include "models/learn/inspect/inspect_dense.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/train/data_support.h"
#include "tests/support/train/inspect_support.h"
#include "theory/beside/snap/put.h"

#define SEED 83
enum { MOST = 6 };

/* A network whose heads act on points as an automaton's letters do, up to signs on the complement
 * of the sum of the points, in random orthonormal bases. Head h acts on `points` points from h *
 * points on. */
typedef struct signs_case {
    f2l_fsa fsa;
    f2l_data data;
    seq_case s;
    f2l_inspect x;
    f2l_snap snap;
    f2l_rng rng;
    size_t points, heads, letters, factors;
    bool *minus; /* [heads][letters] */
} signs_case;

static double draw(f2l_rng *rng)
{
    return ldexp((double)f2l_rng_u32(rng), -31) - 1;
}

/* Sets turn to a random orthogonal matrix. */
static void draw_turn(double *turn, size_t n, f2l_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < n; k++) turn[i * n + k] = draw(rng);
        for (size_t j = 0; j < i; j++) {
            const double part = f2l_dense_dot(turn + i * n, turn + j * n, n);
            for (size_t k = 0; k < n; k++) turn[i * n + k] -= part * turn[j * n + k];
        }
        for (size_t k = 0; k < n; k++) square += turn[i * n + k] * turn[i * n + k];
        for (size_t k = 0; k < n; k++) turn[i * n + k] /= sqrt(square);
    }
}

/* Gives a letter the matrix turn q turn^T, by reflections. */
static void set_matrix(signs_case *c, size_t head, size_t letter, const double *q,
                       const double *turn)
{
    const size_t n = c->points, N = c->factors;
    double whole[MOST * MOST] = {0}, u[MOST * MOST] = {0}, key[MOST * MOST] = {0}, beta[MOST] = {0};
    bool acts[MOST];
    f2l_error err = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++)
                for (size_t m = 0; m < n; m++)
                    whole[i * n + k] += turn[i * n + l] * q[l * n + m] * turn[k * n + m];
    for (size_t f = 0; f < N; f++) key[f * n + f] = 1;
    cr_assert_eq(f2l_snap_factors(u, acts, whole, key, beta, N, n, &err), F2L_OK, "%s", err.text);
    for (size_t f = 0; f < N; f++)
        inspect_set(&c->s, letter, head, f, acts[f] ? u + f * n : key + f * n, acts[f] ? 2 : 0);
}

/* Sets q to `sign` times the permutation on the complement of the sum of the points. */
static void fill_matrix(double *q, const uint32_t *image, size_t first, size_t n, double sign)
{
    const double mean = (1 - sign) / (double)n;
    for (size_t i = 0; i < n * n; i++) q[i] = mean;
    for (size_t p = 0; p < n; p++) q[(image[first + p] - first) * n + p] += sign;
}

/* Prepares a case for an automaton that was read; signs are + until set. */
static void prepare(signs_case *c, size_t points, size_t heads, size_t factors)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    data_build(&c->data, &options, &c->fsa);
    c->points = points;
    c->heads = heads;
    c->factors = factors;
    c->letters = c->fsa.letters.count;
    c->minus = f2l_calloc(heads * c->letters, sizeof *c->minus);
    c->s = inspect_case(c->letters, heads, factors, points, points);
    f2l_inspect_init(&c->x);
    f2l_snap_init(&c->snap);
}

static void set_heads(signs_case *c)
{
    f2l_inspect_clear(&c->x);
    for (size_t h = 0; h < c->heads; h++) {
        double turn[MOST * MOST], q[MOST * MOST];
        draw_turn(turn, c->points, &c->rng);
        for (size_t a = 0; a < c->letters; a++) {
            fill_matrix(q, c->fsa.perm + a * c->fsa.points, h * c->points, c->points,
                        c->minus[h * c->letters + a] ? -1 : 1);
            set_matrix(c, h, a, q, turn);
        }
        inspect_start(&c->s, h, turn);
    }
    inspect_build(&c->x, &c->s, NULL);
}

static f2l_status snap(signs_case *c, double within, const f2l_task *task, f2l_error *err)
{
    return f2l_snap_build(&c->snap, &c->x, &c->s.model, c->s.parameter, &c->data, within, task,
                          err);
}

static void clear(signs_case *c)
{
    f2l_snap_clear(&c->snap);
    f2l_inspect_clear(&c->x);
    seq_case_free(&c->s);
    f2l_data_clear(&c->data);
    f2l_fsa_clear(&c->fsa);
    f2l_free(c->minus);
}

/* Returns the sign of a letter as a permutation of the points. */
static bool is_odd(const signs_case *c, size_t letter)
{
    const uint32_t *p = c->fsa.perm + letter * c->fsa.points;
    bool odd = false;
    for (size_t i = 0; i < c->fsa.points; i++)
        for (size_t k = i + 1; k < c->fsa.points; k++) odd = odd != (p[i] > p[k]);
    return odd;
}

/* Signs of the symmetric group: all letters, or two generators. Signs that are a character are
 * another representation, without a cover; all others are found, up to the character. */
static void check_signs(size_t points, bool generators, size_t trial)
{
    signs_case c = {0};
    f2l_error err = {0};
    f2l_rng_init(&c.rng, SEED + trial, points);
    data_family(&c.fsa, "symmetric", points, generators);
    prepare(&c, points, 1, points - 1);
    for (size_t a = 0; a < c.letters; a++)
        c.minus[a] = f2l_rng_below(&c.rng, trial % 2 ? 2 : 8) == 0;
    set_heads(&c);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    const f2l_snap *s = &c.snap;
    size_t same[2] = {0}; /* letters whose sign is + times each of the two characters */
    for (size_t a = 0; a < c.letters; a++)
        for (size_t k = 0; k < 2; k++) same[k] += c.minus[a] == (k == 1 && is_odd(&c, a));
    const bool character = same[0] == c.letters || same[1] == c.letters;
    cr_assert(s->verdict == F2L_SNAP_SNAPPED && s->faithful, "%zu, %d, trial %zu: %s", points,
              generators, trial, s->reason);
    cr_assert_eq(s->cover.signs, !character, "%zu, %d, trial %zu", points, generators, trial);
    cr_assert_eq(s->closure.rows, c.fsa.states.count * (character ? 1 : 2));
    cr_assert(s->parts >= 1 && s->part[0].defect < 1e-7, "%g", s->part[0].defect);
    cr_assert_eq(s->net.labels.count, c.fsa.states.count);
    if (!character) {
        size_t equal[2] = {0}, count = 0;
        cr_assert_eq(s->r1.tables.group.order, 2 * s->cover.order);
        cr_assert_eq(s->cover.order, c.fsa.states.count);
        for (size_t a = 0; a < c.letters; a++) {
            count += s->cover.minus[a];
            for (size_t k = 0; k < 2; k++)
                equal[k] += (s->cover.minus[a] != c.minus[a]) == (k == 1 && is_odd(&c, a));
        }
        cr_assert(equal[0] == c.letters || equal[1] == c.letters, "other signs");
        for (size_t k = 0; k < 2; k++) cr_assert(count <= c.letters - same[k]);
    }
    clear(&c);
}

Test(snap_cover, signs_of_letters_are_found)
{
    for (size_t points = 3; points <= 5; points++)
        for (size_t trial = 0; trial < (points == 5 ? 2 : 12); trial++) {
            check_signs(points, false, trial);
            check_signs(points, true, trial);
        }
}

/* One letter with minus its matrix, of as many that the mean is still near: the part does not count
 * without the sign. */
Test(snap_cover, one_letter_of_many)
{
    signs_case c = {0};
    f2l_error err = {0};
    f2l_rng_init(&c.rng, SEED, 1);
    data_family(&c.fsa, "symmetric", 5, false);
    prepare(&c, 5, 1, 4);
    c.minus[17] = true;
    set_heads(&c);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(sqrt(4.0 / 120) < F2L_SNAP_WITHIN && c.snap.verdict == F2L_SNAP_SNAPPED);
    cr_assert_eq(c.snap.cover.signs, 1, "%s", c.snap.reason);
    for (size_t a = 0; a < c.letters; a++) cr_assert_eq(c.snap.cover.minus[a], a == 17);
    clear(&c);
}

/* What is put back has the signs: a second snap finds the same cover, without a distance. */
Test(snap_cover, what_is_put_back_has_the_signs)
{
    signs_case c = {0};
    f2l_error err = {0};
    f2l_snap_put put;
    f2l_rng_init(&c.rng, SEED, 2);
    data_family(&c.fsa, "symmetric", 4, false);
    prepare(&c, 4, 1, 3);
    c.minus[5] = c.minus[9] = true;
    set_heads(&c);
    double *keys = inspect_tensor(&c.s, "k_proj.weight");
    for (size_t i = 0; i < 3 * 4 * 24; i++) keys[i] += 0.01 * draw(&c.rng);
    f2l_inspect_clear(&c.x);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.verdict == F2L_SNAP_SNAPPED && c.snap.cover.signs == 1, "%s", c.snap.reason);
    cr_assert(c.snap.part[0].distance[c.snap.part[0].worst] > 0.01);
    cr_assert_eq(
        f2l_snap_put_back(&put, c.s.parameter, &c.snap, &c.x, &c.s.model, &c.data, 16, NULL, &err),
        F2L_OK, "%s", err.text);
    cr_assert(put.largest < 1e-5, "%g", put.largest);
    f2l_snap_clear(&c.snap);
    f2l_inspect_clear(&c.x);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.cover.signs == 1 && c.snap.part[0].defect < 1e-5);
    for (size_t a = 0; a < c.letters; a++) cr_assert_eq(c.snap.cover.minus[a], a == 5 || a == 9);
    clear(&c);
}

/* Pairs of S3, each half in a head of its own with signs of its own: two signs. */
static void pair_init(signs_case *c)
{
    f2l_rng_init(&c->rng, SEED, 3);
    fsa_from_text(&c->fsa, "fsa 1\npoints 6\ntrack elements\npermute a (1 2 3)\npermute b (1 2)\n"
                           "permute c (4 5 6)\npermute d (4 5)\n");
    prepare(c, 3, 2, 2);
    c->minus[2] = true;     /* the first head's sign is changed by c */
    c->minus[4 + 0] = true; /* the second head's by a */
    set_heads(c);
}

Test(snap_cover, two_signs)
{
    signs_case c = {0};
    f2l_error err = {0};
    pair_init(&c);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    const f2l_snap *s = &c.snap;
    cr_assert(s->verdict == F2L_SNAP_SNAPPED && s->cover.signs == 2, "%s", s->reason);
    cr_assert(s->cover.order == 36 && s->r1.tables.group.order == 144);
    cr_assert_eq(s->closure.rows, 144);
    for (size_t i = 0; i < 2; i++)
        cr_assert(!s->cover.minus[4 * i + 1] && !s->cover.minus[4 * i + 3] &&
                  s->cover.minus[4 * i] != s->cover.minus[4 * i + 2]);
    clear(&c);
}

/* The cube's rotations have two factors each, and minus the identity three: a letter that is nearer
 * to minus its matrix than to it cannot be exactly that. */
Test(snap_cover, signs_that_as_few_factors_cannot_express)
{
    signs_case c = {0};
    f2l_error err = {0};
    double turn[16], q[16];
    f2l_rng_init(&c.rng, SEED, 4);
    data_family(&c.fsa, "symmetric", 4, false);
    prepare(&c, 4, 1, 2);
    draw_turn(turn, 4, &c.rng);
    for (size_t a = 0; a < 24; a++) {
        fill_matrix(q, c.fsa.perm + a * 4, 0, 4, is_odd(&c, a) ? -1 : 1);
        set_matrix(&c, 0, a, q, turn);
    }
    inspect_start(&c.s, 0, turn);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.verdict == F2L_SNAP_SNAPPED && c.snap.cover.signs == 0, "%s", c.snap.reason);
    memset(q, 0, sizeof q); /* the identity's letter turns the part by 180 degrees */
    const uint32_t exchange[4] = {1, 0, 3, 2};
    fill_matrix(q, exchange, 0, 4, 1);
    set_matrix(&c, 0, 0, q, turn);
    f2l_snap_clear(&c.snap);
    f2l_inspect_clear(&c.x);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, 0.24, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(c.snap.verdict, F2L_SNAP_IMPOSSIBLE);
    cr_assert(strstr(c.snap.reason, "the letter '()' takes 3 factors") != NULL, "%s",
              c.snap.reason);
    clear(&c);
}

/* Parts of the first half alone: a sign does not help, and without signs the reason says which
 * other representation came nearest. */
Test(snap_cover, signs_do_not_help_a_quotient)
{
    signs_case c = {0};
    f2l_error err = {0};
    double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pair_init(&c);
    for (size_t a = 0; a < 4; a++) set_matrix(&c, 1, a, still, still);
    f2l_inspect_clear(&c.x);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.verdict == F2L_SNAP_IMPOSSIBLE && c.snap.cover.signs == 0);
    cr_assert(strstr(c.snap.reason, "do not determine its element") != NULL, "%s", c.snap.reason);
    memset(c.minus, 0, 8 * sizeof *c.minus);
    set_heads(&c);
    for (size_t a = 0; a < 4; a++) set_matrix(&c, 1, a, still, still);
    f2l_snap_clear(&c.snap);
    f2l_inspect_clear(&c.x);
    inspect_build(&c.x, &c.s, NULL);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.verdict == F2L_SNAP_IMPOSSIBLE && c.snap.parts == 1 && !c.snap.faithful);
    cr_assert(strstr(c.snap.reason, "determine only a quotient") != NULL &&
                  strstr(c.snap.reason, "the nearest is chi") != NULL,
              "%s", c.snap.reason);
    clear(&c);
}

/* A group with signs that is too large is a limit, not a fault. */
Test(snap_cover, large_groups_are_a_limit)
{
    signs_case c = {0};
    f2l_error err = {0};
    f2l_rng_init(&c.rng, SEED, 5);
    data_family(&c.fsa, "symmetric", 6, true);
    prepare(&c, 6, 1, 5);
    c.minus[0] = true;
    set_heads(&c);
    cr_assert_eq(snap(&c, F2L_SNAP_WITHIN, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(c.snap.verdict == F2L_SNAP_UNKNOWN && strstr(c.snap.reason, "limit") != NULL, "%s",
              c.snap.reason);
    clear(&c);
}

/* --- the group --- */

/* The lifted group has pairs of elements and signs; a sign that is a character adds none. */
Test(snap_cover, lifted_groups)
{
    f2l_fsa fsa;
    f2l_r1 r1, lifted;
    f2l_error err = {0};
    data_family(&fsa, "symmetric", 4, true);
    cr_assert_eq(f2l_r1_analyse(&r1, &fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    for (size_t signs = 0; signs < 16; signs++) {
        const bool minus[4] = {signs & 1, signs >> 1 & 1, signs >> 2 & 1, signs >> 3 & 1};
        size_t order = 24;
        /* Both generators are odd, so that the only characters are 1 and that with both -1. */
        if (minus[0] != minus[1]) order *= 2;
        const bool other = minus[2] != minus[3];
        if (other && order == 24) order *= 2;
        /* Two signs that differ by a character are one. */
        cr_assert_eq(f2l_r1_lift(&lifted, &r1, minus, 2, 0, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(lifted.tables.group.order, order, "%zu", signs);
        cr_assert_eq(lifted.reach.states, r1.reach.states);
        f2l_r1_clear(&lifted);
    }
    const bool one[2] = {true, false};
    cr_assert_eq(f2l_r1_lift(&lifted, &r1, one, 1, 47, NULL, &err), F2L_UNKNOWN);
    f2l_r1_clear(&r1);
    f2l_fsa_clear(&fsa);
}

/* --- limits --- */

typedef struct countdown {
    volatile sig_atomic_t flag;
    size_t left;
} countdown;

static void count_down(void *context, const char *phase, double done, double total)
{
    countdown *c = context;
    (void)phase, (void)done, (void)total;
    if (c->left == 0 || --c->left == 0) c->flag = SIGINT;
}

/* Stopped at any poll: F2L_UNKNOWN with the reason, and nothing is left. */
Test(snap_cover, interruption)
{
    signs_case c = {0};
    pair_init(&c);
    size_t stopped = 0;
    for (size_t polls = 1;; polls += 1 + polls / 8) {
        countdown left = {.left = polls};
        const f2l_task task = {.cancel = &left.flag, .progress = count_down, .context = &left};
        f2l_error err = {0};
        const f2l_status status = snap(&c, F2L_SNAP_WITHIN, &task, &err);
        if (status == F2L_OK && left.flag == 0) break;
        stopped++;
        cr_assert(status == F2L_UNKNOWN ? strstr(err.text, "interrupted") != NULL
                                        : status == F2L_OK && left.left == 0,
                  "poll %zu: %s", polls, err.text);
        f2l_snap_clear(&c.snap);
    }
    cr_assert(stopped > 10 && c.snap.cover.signs == 2, "%zu", stopped);
    clear(&c);
}

#ifdef F2L_MEM_FAILURES
Test(snap_cover, out_of_memory)
{
    signs_case c = {0};
    size_t failed = 0;
    f2l_rng_init(&c.rng, SEED, 6);
    data_family(&c.fsa, "symmetric", 3, false);
    prepare(&c, 3, 1, 2);
    c.minus[3] = true;
    set_heads(&c);
    for (size_t n = 1;; n += 1 + n / 60) {
        f2l_mem_fail_after(n, true);
        const f2l_status status = snap(&c, F2L_SNAP_WITHIN, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        failed++;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %d", n, (int)status);
        f2l_snap_clear(&c.snap);
    }
    cr_assert(failed > 60 && c.snap.cover.signs == 1, "%zu", failed);
    clear(&c);
}
#endif
