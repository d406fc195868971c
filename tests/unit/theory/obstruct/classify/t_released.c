/* The constructions and identities of theory/pages/released.md, in exact arithmetic where they are
 * exact: small integers and fractions of powers of two, which a double holds. */
#include "theory/obstruct/classify/classify.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define LETTERS 3 /* of the automaton below */
#define STATES 3

/* A letter that exchanges two states, one that resets, one that turns. */
static const int next[STATES][LETTERS] = {{1, 2, 1}, {0, 2, 2}, {2, 2, 0}};

/* Returns the i-th word's letter j, of words that differ. */
static int letter_of(unsigned word, int j)
{
    for (; j > 0; j--) word = word / LETTERS + word % 7 * 5;
    return (int)(word % LETTERS);
}

/* RL.2: the last k letters are known by digits to base 4, whatever was before them. */
Test(released, digits_know_the_last_letters)
{
    enum { LENGTH = 12, LAST = 3 };
    for (unsigned a = 0; a < 1u << LENGTH; a += 5)
        for (unsigned b = 0; b < 1u << LENGTH; b += 7) {
            double x = 0, y = 0;
            for (int i = LENGTH; i-- > 0;) {
                x = x / 4 + 0.75 * (a >> i & 1);
                y = y / 4 + 0.75 * (b >> i & 1);
            }
            const bool same = ((a ^ b) & ((1u << LAST) - 1)) == 0;
            cr_assert(same ? fabs(x - y) <= 1.0 / 64 : fabs(x - y) >= 2.0 / 64);
        }
}

/* RL.5: |x|^2 - |x - beta k k^* x|^2 = beta (2 - beta) |k^* x|^2, so that a factor which keeps the
 * length fixes x. k = (3, 4i)/5; numbers are 50 times too large. */
Test(released, factors_that_keep_a_length_fix)
{
    for (int re = -3; re <= 3; re++)
        for (int im = -3; im <= 3; im++)
            for (int quarter = 0; quarter < 8; quarter++) {
                const double beta = quarter / 4.0;
                /* x = (re, im + i); k^* x = (3 re + 4 - 4 i im)/5 */
                const double pr = (3 * re + 4), pi = -4 * im; /* times 5 */
                const double x0 = 25.0 * re - beta * 3 * pr, y0 = -beta * 3 * pi;
                const double x1 = 25.0 * im + beta * 4 * pi, y1 = 25.0 - beta * 4 * pr;
                const double before = 625.0 * (re * re + im * im + 1);
                const double after = x0 * x0 + y0 * y0 + x1 * x1 + y1 * y1;
                cr_assert_eq(before - after, beta * (2 - beta) * 25 * (pr * pr + pi * pi));
            }
}

/* RL.16: two letters of RWKV-7's form whose product turns and grows; all numbers are fractions with
 * the denominator 810, far from where rounding decides. */
Test(released, two_letters_turn_and_grow)
{
    static const double k[2][3] = {{1, 5, 1}, {2, 1, -1}}, a[2][3] = {{1, 0, 0}, {0, 1, 1}};
    static const double w[2][3] = {{1, 0.8, 1}, {1, 1, 1}};
    double m[2][3][3], p[3][3] = {{0}};
    for (int x = 0; x < 2; x++) {
        const double square = k[x][0] * k[x][0] + k[x][1] * k[x][1] + k[x][2] * k[x][2];
        for (int i = 0; i < 9; i++)
            m[x][i / 3][i % 3] = (i / 3 == i % 3 ? w[x][i / 3] : 0) -
                                 k[x][i / 3] * a[x][i % 3] * k[x][i % 3] / square;
    }
    for (int i = 0; i < 27; i++) p[i / 9][i % 3] += m[1][i / 9][i / 3 % 3] * m[0][i / 3 % 3][i % 3];
    double minors = 0, det = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        minors += p[i][i] * p[j][j] - p[i][j] * p[j][i];
        det += p[0][i] * (p[1][j] * p[2][l] - p[1][l] * p[2][j]);
    }
    const double trace = p[0][0] + p[1][1] + p[2][2], b = -trace, c = minors, d = -det;
    cr_assert_float_eq(trace, 407.0 / 162, 1e-13);
    cr_assert_float_eq(minors, 274.0 / 135, 1e-13);
    cr_assert_float_eq(det, 208.0 / 405, 1e-13);
    const double discriminant =
        b * b * c * c - 4 * c * c * c - 4 * b * b * b * d - 27 * d * d + 18 * b * c * d;
    cr_assert_lt(discriminant, -0.0019);
    cr_assert_gt(((det + b) * det + c) * det + d, 0.0015);
}

/* RL.7, RL.12's levels and RL.13: a one-hot vector is led by tables, swaps and projections. */
Test(released, tables_lead_one_hot_vectors)
{
    for (unsigned word = 0; word < 200; word++) {
        double h[STATES] = {1, 0, 0};
        int q = 0;
        for (int j = 0; j < 30; j++) {
            const int x = letter_of(word, j);
            double to[STATES] = {0, 0, 0};
            for (int p = 0; p < STATES; p++) to[next[p][x]] += h[p];
            memcpy(h, to, sizeof h);
            q = next[q][x];
            for (int p = 0; p < STATES; p++) cr_assert_eq(h[p], p == q);
        }
    }
}

/* RL.8: a unit for each state and letter keeps its margin, with forget gates of 0 and above. */
Test(released, a_nonlinear_layer_keeps_its_margin)
{
    enum { UNITS = STATES * LETTERS + 1 }; /* the last one: the start */
    const double e = 1.0 / (4 * UNITS), k = 4 * atanh(1 - e) + 1e-6;
    for (int gate = 0; gate < 2; gate++) {
        const double f = gate ? e / 2 : 0;
        for (unsigned word = 0; word < 100; word++) {
            double h[UNITS];
            int q = 0;
            for (int u = 0; u < UNITS; u++) h[u] = u == UNITS - 1 ? 1 : -1;
            for (int j = 0; j < 40; j++) {
                const int x = letter_of(word, j);
                double to[UNITS];
                for (int u = 0; u < UNITS; u++) {
                    double sum = -1.5 + (u < UNITS - 1 && u % LETTERS == x);
                    for (int r = 0; r < UNITS; r++) {
                        const int after = r == UNITS - 1 ? 0 : next[r / LETTERS][r % LETTERS];
                        sum += u < UNITS - 1 && after == u / LETTERS ? (1 + h[r]) / 2 : 0;
                    }
                    to[u] = f * h[u] + (1 - f) * tanh(k * sum);
                }
                for (int u = 0; u < UNITS; u++) {
                    const double n = (1 + to[u]) / 2;
                    cr_assert(u == q * LETTERS + x ? n >= 1 - e : n <= e, "%d %d %g", j, u, n);
                }
                memcpy(h, to, sizeof h);
                q = next[q][x];
            }
        }
    }
}

/* RL.10.1: with x = c eta, alpha <= 1/(1 + x^2) and beta <= s x^2/(1 + x^2), the polynomial at -1
 * is positive and at 1 not negative; times (1 + x^2)^2, in integers and quarters. */
Test(released, momentum_has_no_eigenvalue_of_minus_one)
{
    for (int x = 0; x <= 12; x++)
        for (int a = 0; a <= 4; a++)
            for (int b = 0; b <= 4; b++)
                for (int mu = 0; mu <= 4; mu++)
                    for (int eta = 0; eta <= 8; eta++) {
                        const double d = 1 + x * x, alpha = a / 4.0, beta = 2 * x * x * b / 4.0;
                        const double gain = alpha * beta * eta / 4; /* times d^2 */
                        cr_assert_gt((d + alpha) * d * (1 + mu / 4.0) - gain, 0);
                        cr_assert_geq((d - alpha) * d * (1 - mu / 4.0) + gain, 0);
                        cr_assert_leq(alpha * mu / 4, d);
                    }
}

/* RL.10.2: with alpha = 0, beta = mu = 1 and p = k the momentum is the state of DeltaNet. */
Test(released, momentum_contains_reflections)
{
    double m[2] = {5, -2}, s[2] = {-5, 2}, d[2] = {5, -2};
    for (unsigned j = 0; j < 40; j++) {
        const int axis = letter_of(77, (int)j) % 2, v = letter_of(31, (int)j),
                  eta = 1 + (j % 2 == 0);
        const double error = s[axis] - v;
        m[axis] += eta * error;
        for (int i = 0; i < 2; i++) s[i] = -m[i];
        d[axis] -= eta * (d[axis] + v);
        cr_assert(m[0] == d[0] && m[1] == d[1] && s[0] == -d[0]);
    }
}

/* RL.11: level l >= 1 of the Fenwick tree has a bucket exactly if digit l - 1 of the position is 1,
 * and a base with decay 1/4 makes its output at least 4^(-2^l). */
Test(released, buckets_know_the_length)
{
    for (unsigned t = 0; t < 64; t++) {
        unsigned at = t;
        bool bucket[8] = {false};
        for (int level = 1; at > 0; level++) {
            const unsigned size = 1u << (level - 1);
            if (!(at & size)) continue;
            bucket[level] = true;
            double h = 0;
            for (unsigned i = at - size; i <= t; i++) h = h / 4 + (i < at);
            if (level <= 3) cr_assert_geq(h, pow(4, -(double)(1u << level)));
            at -= size;
        }
        for (int level = 1; level < 8; level++) cr_assert_eq(bucket[level], t >> (level - 1) & 1);
    }
}

/* RL.12: with logits of 3 log T + log(4m + 2) a position whose inner product is 1 has a weight of
 * 1 - 1/(4m + 2) at least. A ring of 2m keys finds the last 2m letters: a slot with no letter yet
 * has at most 1 - 2/(4m + 2), even if all letters are the same, as the first position has value 0.
 */
Test(released, attention_reads_one_key)
{
    enum { LENGTH = 50, RING = 4 };
    const double c = 3 * log(LENGTH) + log(2 * RING + 2), there = 1 - 1.0 / (2 * RING + 2);
    const double not_there = 1 - 2.0 / (2 * RING + 2);
    for (int t = 1; t < LENGTH; t++) /* letters; all have the value 1 */
        for (int r = 0; r < RING; r++) {
            double alive = 0, ones = 0, sum = 1; /* the first position: logit 0, value 0 */
            for (int j = 1; j <= t; j++) {
                const bool met = j + RING <= t; /* e_{j mod 2m} was met again */
                const double weight = exp(!met && j % RING == r ? c : 0);
                alive = fmax(alive, !met && j % RING == r ? weight : 0);
                ones += weight;
                sum += weight;
            }
            if (alive > 0)
                cr_assert_geq(alive / sum, there);
            else
                cr_assert(t < RING && ones / sum <= not_there, "%d %g", t, ones / sum);
        }
}

/* RL.12: values at the ends of n blocks of m positions, and at the first, are no "1" if no key is
 * alive. */
Test(released, ends_of_blocks_are_few)
{
    for (int m = 2; m < 9; m++)
        for (int t = 2; t < 200; t++) cr_assert_leq(3 * (1 + (t - 1) / m), 2 * t, "%d %d", m, t);
}

/* RL.1, RL.2, RL.4, RL.14: what the open ranges decide of a definite automaton, and of one that is
 * not. */
Test(released, verdicts_of_open_ranges)
{
    static const struct {
        f2l_ladder_reach reach;
        f2l_ladder_verdict definite, holds;
    } want[] = {{F2L_REACH_DEFINITE, F2L_LADDER_CAN, F2L_LADDER_CANNOT},
                {F2L_REACH_POWERS, F2L_LADDER_CAN, F2L_LADDER_CANNOT},
                {F2L_REACH_HOLDS, F2L_LADDER_OPEN, F2L_LADDER_CANNOT},
                {F2L_REACH_FIXED, F2L_LADDER_OPEN, F2L_LADDER_CANNOT},
                {F2L_REACH_BESIDE, F2L_LADDER_CAN, F2L_LADDER_OPEN}};
    f2l_classify definite = {.definite = true, .definite_known = true}, holds = {0};
    holds.definite_known = holds.letters_hold = true;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        f2l_ladder_row row = {.verdict = F2L_LADDER_CAN};
        f2l_ladder_decide_reached(&row, want[i].reach, &definite);
        cr_assert_eq(row.reached, want[i].definite, "%zu", i);
        f2l_ladder_decide_reached(&row, want[i].reach, &holds);
        cr_assert_eq(row.reached, want[i].holds, "%zu", i);
    }
}
