/* The matrices and networks of theory/pages/gdn2.md in exact arithmetic: GD.3 - GD.6. */
#include <criterion/criterion.h>
#include <gmp.h>

#define DIM 6 /* largest dimension: three points, each twice */

/* A letter I - k (b o k)^T with k = (p, q)/r in the plane of two coordinates. */
typedef struct erasure {
    long p, q, r;
    const char *b[2];
} erasure;

static const erasure moves[4] = {{8, -15, 17, {"1", "0"}},
                                 {3, -4, 5, {"1", "0"}},
                                 {3, -4, 5, {"1525/1728", "0"}},
                                 {1, 0, 1, {"1", "0"}}};

typedef struct vector {
    mpq_t at[DIM];
} vector;

static void init_vector(vector *v)
{
    for (size_t i = 0; i < DIM; i++) mpq_init(v->at[i]);
}

static void clear_vector(vector *v)
{
    for (size_t i = 0; i < DIM; i++) mpq_clear(v->at[i]);
}

static bool same_vectors(const vector *a, const vector *b)
{
    for (size_t i = 0; i < DIM; i++)
        if (!mpq_equal(a->at[i], b->at[i])) return false;
    return true;
}

static void set_unit_vector(vector *v, size_t i)
{
    for (size_t k = 0; k < DIM; k++) mpq_set_si(v->at[k], k == i, 1);
}

/* Sets k to the key of the letter, and checks that it has length 1 and that its gates are in
 * [0,1]. */
static void read_key(mpq_t k[2], mpq_t b[2], const erasure *e)
{
    cr_assert_eq(e->p * e->p + e->q * e->q, e->r * e->r);
    for (size_t i = 0; i < 2; i++) {
        mpq_init(k[i]);
        mpq_init(b[i]);
        mpq_set_si(k[i], i ? e->q : e->p, (unsigned long)e->r);
        mpq_canonicalize(k[i]);
        mpq_set_str(b[i], e->b[i], 10);
        mpq_canonicalize(b[i]);
        cr_assert(mpq_sgn(b[i]) >= 0 && mpq_cmp_si(b[i], 1, 1) <= 0);
    }
}

/* Applies the letter to v, in the plane of the coordinates x and y. */
static void erase(vector *v, const erasure *e, size_t x, size_t y)
{
    const size_t plane[2] = {x, y};
    mpq_t k[2], b[2], sum, term;
    read_key(k, b, e);
    mpq_inits(sum, term, NULL);
    for (size_t i = 0; i < 2; i++) {
        mpq_mul(term, b[i], k[i]);
        mpq_mul(term, term, v->at[plane[i]]);
        mpq_add(sum, sum, term);
    }
    for (size_t i = 0; i < 2; i++) {
        mpq_mul(term, sum, k[i]);
        mpq_sub(v->at[plane[i]], v->at[plane[i]], term);
    }
    for (size_t i = 0; i < 2; i++) mpq_clears(k[i], b[i], NULL);
    mpq_clears(sum, term, NULL);
}

/* Sets m to diag(w) - k (b o k)^T. */
static void set_matrix(mpq_t m[2][2], const erasure *e, const char *w)
{
    mpq_t k[2], b[2], decay;
    read_key(k, b, e);
    mpq_init(decay);
    mpq_set_str(decay, w, 10);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            mpq_mul(m[i][j], k[i], b[j]);
            mpq_mul(m[i][j], m[i][j], k[j]);
            mpq_neg(m[i][j], m[i][j]);
            if (i == j) mpq_add(m[i][j], m[i][j], decay);
        }
    for (size_t i = 0; i < 2; i++) mpq_clears(k[i], b[i], NULL);
    mpq_clear(decay);
}

/* Sets *det and *trace to the figures of a b. */
static void product_figures(mpq_t trace, mpq_t det, mpq_t a[2][2], mpq_t b[2][2])
{
    mpq_t term, other;
    mpq_inits(term, other, NULL);
    mpq_set_si(trace, 0, 1);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            mpq_mul(term, a[i][j], b[j][i]);
            mpq_add(trace, trace, term);
        }
    mpq_set_si(det, 1, 1);
    for (size_t i = 0; i < 2; i++) {
        mpq_t(*m)[2] = i ? b : a;
        mpq_mul(term, m[0][0], m[1][1]);
        mpq_mul(other, m[0][1], m[1][0]);
        mpq_sub(term, term, other);
        mpq_mul(det, det, term);
    }
    mpq_clears(term, other, NULL);
}

/* Returns the sign of t^2 - trace t + det. */
static int sign_of_polynomial(const char *t, const mpq_t trace, const mpq_t det)
{
    mpq_t at, value;
    mpq_inits(at, value, NULL);
    mpq_set_str(at, t, 10);
    mpq_canonicalize(at);
    mpq_sub(value, at, trace);
    mpq_mul(value, value, at);
    mpq_add(value, value, det);
    const int sign = mpq_sgn(value);
    mpq_clears(at, value, NULL);
    return sign;
}

/* GD.3: the product of two letters has an eigenvalue between two numbers beyond 1. */
Test(gdn2, words_are_not_contractive)
{
    static const struct {
        const char *gates[2], *decay, *trace, *det, *from, *to;
    } table[] = {{{"1", "0"}, "1", "944/625", "256/625", "11561/10000", "11562/10000"},
                 {{"7/8", "1/8"}, "1", NULL, NULL, "11109/10000", "11110/10000"},
                 {{"15/16", "1/16"}, "31/32", NULL, NULL, "1069/1000", "10692/10000"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *const *g = table[i].gates;
        const erasure one = {3, 4, 5, {g[0], g[1]}}, two = {4, 3, 5, {g[1], g[0]}};
        mpq_t a[2][2], b[2][2], trace, det, told;
        mpq_inits(trace, det, told, NULL);
        for (size_t k = 0; k < 4; k++) mpq_inits(a[k / 2][k % 2], b[k / 2][k % 2], NULL);
        set_matrix(a, &one, table[i].decay);
        set_matrix(b, &two, table[i].decay);
        product_figures(trace, det, a, b);
        if (table[i].trace) {
            mpq_set_str(told, table[i].trace, 10);
            cr_assert(mpq_equal(trace, told));
            mpq_set_str(told, table[i].det, 10);
            cr_assert(mpq_equal(det, told));
        }
        cr_assert_eq(sign_of_polynomial("1", trace, det), -1, "row %zu", i);
        cr_assert_eq(sign_of_polynomial(table[i].from, trace, det), -1, "row %zu", i);
        cr_assert_eq(sign_of_polynomial(table[i].to, trace, det), 1, "row %zu", i);
        for (size_t k = 0; k < 4; k++) mpq_clears(a[k / 2][k % 2], b[k / 2][k % 2], NULL);
        mpq_clears(trace, det, told, NULL);
    }
}

/* Applies letter i of the eight of GD.5, from 0: a move from x to y, or its mirror from y to x. */
static void turn(vector *v, size_t i)
{
    const erasure *e = &moves[i % 4];
    const erasure mirrored = {e->p, -e->q, e->r, {e->b[0], e->b[1]}};
    erase(v, i < 4 ? e : &mirrored, i < 4 ? 0 : 1, i < 4 ? 1 : 0);
}

/* GD.5: eight letters take (1, 0) to -(1, 0), and all states on the way differ. */
Test(gdn2, eight_letters_turn_a_line)
{
    vector v[17], end;
    for (size_t i = 0; i < 17; i++) init_vector(&v[i]);
    init_vector(&end);
    set_unit_vector(&v[0], 0);
    for (size_t i = 0; i < 16; i++) {
        for (size_t k = 0; k < DIM; k++) mpq_set(v[i + 1].at[k], v[i].at[k]);
        turn(&v[i + 1], i % 8);
        for (size_t j = 1; j <= i; j++) cr_assert(!same_vectors(&v[i + 1], &v[j]));
    }
    mpq_set_si(end.at[0], -1, 1);
    cr_assert(same_vectors(&v[8], &end));
    cr_assert(same_vectors(&v[16], &v[0]));
    for (size_t i = 0; i < 17; i++) clear_vector(&v[i]);
    clear_vector(&end);
}

/* --- the network of three layers (GD.5) --- */

#define DIGITS 3

typedef struct network {
    mpq_t digit[DIGITS]; /* layer 1: h <- h/4 + 3r/4 */
    bool dead;           /* layer 2 */
    vector state;        /* layer 3 */
} network;

/* Returns the digits of the last letter and of the one before, from the boxes of R8.2. */
static void read_register(size_t *last, size_t *before, const network *net)
{
    static const long low[] = {0, 3, 12, 15}; /* of the boxes, in sixteenths */
    *last = *before = 0;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t box = 0;
        while (box < 4 && (mpq_cmp_si(net->digit[i], low[box], 16) < 0 ||
                           mpq_cmp_si(net->digit[i], low[box] + 1, 16) > 0))
            box++;
        cr_assert_lt(box, 4);
        *last |= (box >> 1) << i;
        *before |= (box & 1) << i;
    }
}

static void read_letter(network *net, size_t letter)
{
    mpq_t part;
    size_t last, before;
    mpq_init(part);
    for (size_t i = 0; i < DIGITS; i++) {
        mpq_set_si(part, (letter >> i & 1) * 3, 4);
        mpq_canonicalize(part);
        mpq_div_2exp(net->digit[i], net->digit[i], 2);
        mpq_add(net->digit[i], net->digit[i], part);
    }
    mpq_clear(part);
    read_register(&last, &before, net);
    cr_assert_eq(last, letter);
    if (last != (before + 1) % 8) net->dead = true;
    if (!net->dead) turn(&net->state, last);
}

/* GD.5, 2: on words that follow the circle for some time, and then do not. */
Test(gdn2, three_layers_track_a_cycle)
{
    for (size_t length = 0; length < 40; length++)
        for (size_t wrong = 0; wrong < 8; wrong++) {
            network net = {.dead = false};
            vector right;
            init_vector(&net.state);
            init_vector(&right);
            set_unit_vector(&net.state, 0);
            set_unit_vector(&right, 0);
            for (size_t i = 0; i < DIGITS; i++) {
                mpq_init(net.digit[i]);
                mpq_set_si(net.digit[i], 15, 16); /* as after the last letter, twice */
            }
            for (size_t i = 0; i < length; i++) read_letter(&net, i % 8);
            for (size_t i = 0; i < length % 16; i++) turn(&right, i % 8);
            cr_assert(!net.dead && same_vectors(&net.state, &right), "length %zu", length);
            read_letter(&net, wrong);
            cr_assert_eq(net.dead, wrong != length % 8, "length %zu", length);
            read_letter(&net, length % 8);
            cr_assert(net.dead);
            for (size_t i = 0; i < DIGITS; i++) mpq_clear(net.digit[i]);
            clear_vector(&net.state);
            clear_vector(&right);
        }
}

/* Applies the four letters of the move from coordinate i to j to the vectors of three points, which
 * differ after every letter. */
static void move(vector v[3], size_t i, size_t j)
{
    for (size_t letter = 0; letter < 4; letter++) {
        for (size_t q = 0; q < 3; q++) erase(&v[q], &moves[letter], i, j);
        for (size_t q = 0; q < 3; q++) cr_assert(!same_vectors(&v[q], &v[(q + 1) % 3]));
    }
}

/* GD.6: the spelling of every permutation of three points. */
Test(gdn2, moves_spell_permutations)
{
    static const size_t image[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t a = 0; a < 6; a++) {
        vector v[3], end;
        init_vector(&end);
        for (size_t q = 0; q < 3; q++) {
            init_vector(&v[q]);
            set_unit_vector(&v[q], q);
        }
        for (size_t q = 0; q < 3; q++) move(v, q, 3 + image[a][q]);
        for (size_t q = 0; q < 3; q++) move(v, 3 + q, q);
        for (size_t q = 0; q < 3; q++) {
            set_unit_vector(&end, image[a][q]);
            cr_assert(same_vectors(&v[q], &end));
            clear_vector(&v[q]);
        }
        clear_vector(&end);
    }
}
