/* RL.17 and RL.15 of theory/pages/released.md: three layers of RWKV-7 with c = 1, and layers of
 * fixed-point RNNs, follow an automaton in which no letter acts as a cycle. The clocks of RL.17
 * turn by numbers that are found here in doubles; nothing is read from the automaton but what the
 * layers have. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define PI 3.14159265358979323846

#define STATES 4
#define LETTERS 3
#define TYPES 5 /* with "none", type 0 */
#define WORD 700
#define BUSY 1024 /* of a word: room */
#define LEVELS 8  /* of counters of RL.15: room */

/* next[letter][state]; `most` is the m of the proof. */
typedef struct automaton {
    int states, letters, most, next[LETTERS][STATES];
} automaton;

/* --- clocks (RL.16) --- */

typedef struct clock {
    int period, turns; /* a turn is by 2 pi turns/period */
    double letter[2][3][3], start[3];
    double complex left[3]; /* eigenvector of the product of both letters */
} clock;

/* diag(w) - k (a k)^T / |k|^2, its second a times s. */
static void set_letters(double m[2][3][3], double s)
{
    static const double k[2][3] = {{1, 5, 1}, {2, 1, -1}}, a[2][3] = {{1, 0, 0}, {0, 1, 1}};
    static const double w[2][3] = {{1, 0.8, 1}, {1, 1, 1}}, square[2] = {27, 6};
    for (int x = 0; x < 2; x++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                m[x][i][j] =
                    (i == j ? w[x][i] : 0) - k[x][i] * (x ? s : 1) * a[x][j] * k[x][j] / square[x];
}

/* Returns the eigenvalue of the product of the letters whose imaginary part is positive. */
static double complex turning(double p[3][3], double m[2][3][3])
{
    double minors = 0, det = 0, low = 0, high = 1;
    memset(p, 0, 9 * sizeof(double));
    for (int i = 0; i < 27; i++) p[i / 9][i % 3] += m[1][i / 9][i / 3 % 3] * m[0][i / 3 % 3][i % 3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        minors += p[i][i] * p[j][j] - p[i][j] * p[j][i];
        det += p[0][i] * (p[1][j] * p[2][l] - p[1][l] * p[2][j]);
    }
    const double trace = p[0][0] + p[1][1] + p[2][2];
    for (int i = 0; i < 100; i++) { /* the real eigenvalue is the only one */
        const double x = (low + high) / 2;
        *(((x - trace) * x + minors) * x - det < 0 ? &low : &high) = x;
    }
    const double half = (trace - low) / 2, square = det / low;
    cr_assert_gt(square, half * half);
    return half + I * sqrt(square - half * half);
}

static void cross(double complex *out, const double complex *x, const double complex *y)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = x[j] * y[l] - x[l] * y[j];
    }
}

static int divisor(int a, int b)
{
    return b ? divisor(b, a % b) : a;
}

/* Makes a clock whose period is a multiple of `of`, and a turn of which is exact. */
static void make_clock(clock *c, int of)
{
    double p[3][3], low = 0.5, high = 1;
    double complex row[2][3], column[2][3], right[3], sum = 0;
    c->turns = 0;
    set_letters(c->letter, low);
    const double least = carg(turning(p, c->letter)) / (2 * PI);
    set_letters(c->letter, high);
    const double most = carg(turning(p, c->letter)) / (2 * PI);
    for (c->period = of; c->turns == 0; c->period += of)
        for (int q = 1; q < most * c->period && c->turns == 0; q++)
            if (q > least * c->period && divisor(q, c->period) == 1) c->turns = q;
    c->period -= of;
    for (int i = 0; i < 100; i++) {
        const double s = (low + high) / 2, at = c->turns / (double)c->period;
        set_letters(c->letter, s);
        *(carg(turning(p, c->letter)) < 2 * PI * at ? &low : &high) = s;
    }
    const double complex z = turning(p, c->letter);
    cr_assert_gt(cabs(z), 1.001);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            row[i][j] = p[i][j] - (i == j ? z : 0);
            column[i][j] = p[j][i] - (i == j ? z : 0);
        }
    cross(right, row[0], row[1]);
    cross(c->left, column[0], column[1]);
    for (int i = 0; i < 3; i++) sum += c->left[i] * right[i];
    for (int i = 0; i < 3; i++) c->start[i] = creal(right[i] / sum);
}

static void turn(double *v, double m[3][3])
{
    double to[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++) to[i / 3] += m[i / 3][i % 3] * v[i % 3];
    memcpy(v, to, sizeof to);
}

/* Returns how often the clock was switched, modulo twice its period; odd: by its letter. */
static int read_clock(const clock *c, const double *state, bool odd)
{
    double v[3];
    double complex sum = 0;
    memcpy(v, state, sizeof v);
    if (odd) turn(v, ((clock *)c)->letter[1]);
    for (int i = 0; i < 3; i++) sum += c->left[i] * v[i];
    cr_assert_geq(cabs(sum), 0.5 - 1e-9); /* on its half-line, at least as far as at the start */
    const double place = carg(sum) * c->period / (2 * PI);
    cr_assert_lt(fabs(place - round(place)), 0.001);
    const int at = ((int)round(place) + c->period) % c->period;
    int turns = 0;
    while (turns * c->turns % c->period != at) turns++;
    if (odd) turns = (turns + c->period - 1) % c->period;
    return 2 * turns + odd;
}

/* --- moves (GD.4) --- */

/* Does letter `step` of the spelling of the map: a move from e_q to e'_{qf} for each q, then one
 * from e'_q to e_q. */
static void spell(double *v, const int *map, int states, int step)
{
    static const double k[4][2] = {
        {8 / 17.0, -15 / 17.0}, {3 / 5.0, -4 / 5.0}, {3 / 5.0, -4 / 5.0}, {1, 0}};
    static const double b[4] = {1, 1, 1525 / 1728.0, 1};
    const int q = step / 4 % states, back = step / 4 >= states, i = step % 4;
    double *from = v + (back ? states + q : q), *to = v + (back ? q : states + map[q]);
    const double sum = b[i] * k[i][0] * *from;
    *from -= k[i][0] * sum;
    *to -= k[i][1] * sum;
}

/* --- the network --- */

typedef struct network {
    const automaton *a;
    clock clock;
    int types, block;
    double head[1 << TYPES][3], moved[2 * STATES];
    int levels; /* of counters of RL.15, which has these in place of the clock */
    double counter[LEVELS][1 << TYPES][2];
    int type, run, last;   /* layer 1 */
    int busy[BUSY], count; /* the last two blocks of these are read, and that there are so many */
} network;

static void begin(network *n, const automaton *a)
{
    *n = (network){.a = a, .types = 1 + a->letters * a->most, .block = 8 * a->states, .last = -1};
    cr_assert_leq(n->types, TYPES);
    make_clock(&n->clock, n->block << (n->types - 2));
    for (int s = 0; s < 1 << n->types; s++)
        memcpy(n->head[s], n->clock.start, sizeof n->clock.start);
    n->moved[0] = 1;
}

static void count(network *n, int set, bool comes);

/* The layers below the last; returns whether the letter is busy. */
static bool read_letter(network *n, int letter)
{
    n->run = letter == n->last ? n->run + 1 : 1;
    n->last = letter;
    if (n->run > n->a->most) return false;
    const int type = 1 + letter * n->a->most + n->run - 1;
    for (int s = 0; s < 1 << n->types; s += 2) { /* sets without type 0 */
        if ((s >> type & 1) == (s >> n->type & 1)) continue;
        if (n->levels)
            count(n, s, s >> type & 1);
        else
            turn(n->head[s], n->clock.letter[s >> type & 1 ? 0 : 1]);
    }
    n->type = type;
    n->busy[n->count++] = letter;
    return true;
}

/* Returns the number of busy letters modulo the block, by the clocks. */
static int read_place(const network *n)
{
    const int sets = 1 << (n->types - 2), all = 2 * n->clock.period;
    int sum = 0;
    for (int s = 0; s < 1 << n->types; s += 2)
        sum = (sum + read_clock(&n->clock, n->head[s], s >> n->type & 1)) % all;
    cr_assert_eq(sum % sets, 0);
    return sum / sets % n->block;
}

static int follow(const automaton *a, int state, const int *letter, int count)
{
    for (int i = 0; i < count; i++) state = a->next[letter[i]][state];
    return state;
}

typedef void spelling(double *v, const int *map, int states, int step);

/* The last layer, after `place` busy letters modulo the block; returns the automaton's state. */
static int read_state(network *n, bool busy, int place, spelling *move)
{
    const int at = (place + n->block - 1) % n->block + 1, states = n->a->states;
    const bool whole = n->count >= at + n->block; /* a block was read before this one */
    int map[STATES], found = -1;
    for (int q = 0; whole && q < states; q++)
        map[q] = follow(n->a, q, n->busy + n->count - at - n->block, n->block);
    if (whole && busy) move(n->moved, map, states, at - 1);
    for (int q = 0; q < states; q++) {
        double v[2 * STATES] = {0}, apart = 0;
        v[q] = 1;
        if (n->levels) v[states + q] = 1; /* a copy stays where it was made */
        for (int i = 0; whole && i < at; i++) move(v, map, states, i);
        for (int i = 0; i < 2 * states; i++) apart = fmax(apart, fabs(v[i] - n->moved[i]));
        if (apart > 1e-9) continue;
        const int state = follow(n->a, whole ? map[q] : q, n->busy + n->count - at, at);
        cr_assert(found < 0 || found == state);
        found = state;
    }
    return found;
}

/* --- fixed points (RL.15) --- */

/* Lets h be the fixed point of h = D h_before + (I - D) u (u.h), by iterating from 0. */
static void settle(double *h, int rows, const double *d, const double *u)
{
    double to[2 * STATES] = {0};
    for (int round = 0; round < 400; round++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += u[i] * to[i];
        for (int i = 0; i < rows; i++) to[i] = d[i] * h[i] + (1 - d[i]) * u[i] * sum;
    }
    memcpy(h, to, (size_t)rows * sizeof *h);
}

/* Copies `sign` times the sum of the coordinates in the set to one that is not in it. */
static void copy(double *h, int rows, int to, unsigned set, int sign)
{
    double d[2 * STATES], u[2 * STATES] = {0};
    int k = 0;
    for (int i = 0; i < rows; i++) k += set >> i & 1;
    const double root = k ? sqrt(k * k + k) : 1;
    for (int i = 0; i < rows; i++) {
        d[i] = i != to;
        if (set >> i & 1) u[i] = 1 / root;
    }
    u[to] = sign * k / root;
    settle(h, rows, d, u);
}

/* One change of the set: a <- b or b <- -a in its counters, up to the first where b stays. */
static void count(network *n, int set, bool comes)
{
    for (int i = 0; i < n->levels; i++) {
        double *h = n->counter[i][set];
        copy(h, 2, comes ? 0 : 1, comes ? 2 : 1, comes ? 1 : -1);
        if (comes) return;
        comes = h[1] < 0;
    }
}

/* Returns how often the set was changed, modulo 2^(levels + 1). */
static int read_counters(const network *n, int set)
{
    int sum = 0;
    for (int i = 0; i < n->levels; i++) {
        const double *h = n->counter[i][set];
        const int at = h[1] > 0 ? h[0] > 0 : 3 - (h[0] > 0);
        cr_assert_float_eq(fabs(h[0]), 1, 1e-9);
        cr_assert_float_eq(fabs(h[1]), 1, 1e-9);
        sum += (i + 1 < n->levels ? at % 2 : at) << i;
    }
    return sum;
}

/* Returns the number of busy letters modulo the block, by the counters. */
static int read_counted(const network *n)
{
    const int sets = 1 << (n->types - 2), all = 2 << n->levels;
    int sum = 0;
    for (int s = 0; s < 1 << n->types; s += 2) sum = (sum + read_counters(n, s)) % all;
    cr_assert_eq(sum % sets, 0);
    return sum / sets % n->block;
}

/* Copies to e'_q what leads to q, for each q, then e'_q to e_q. */
static void spell_copies(double *v, const int *map, int states, int step)
{
    const int q = step % states;
    unsigned set = step < states ? 0 : 1U << (states + q);
    for (int p = 0; step < states && p < states; p++)
        if (map[p] == q) set |= 1U << p;
    if (step < 2 * states) copy(v, 2 * states, step < states ? states + q : q, set, 1);
}

static void begin_counting(network *n, const automaton *a)
{
    *n = (network){.a = a, .types = 1 + a->letters * a->most, .block = 2, .last = -1};
    while (n->block < 2 * a->states) n->block *= 2;
    while (2 << n->levels < n->block << (n->types - 2)) n->levels++;
    cr_assert_leq(n->levels, LEVELS);
    for (int i = 0; i < n->levels; i++)
        for (int s = 0; s < 1 << n->types; s++) {
            n->counter[i][s][0] = -1;
            n->counter[i][s][1] = 1;
        }
    n->moved[0] = n->moved[a->states] = 1;
}

static const automaton automata[] = {
    /* how often two letters alternated, modulo 2: a word of two letters acts as a cycle */
    {4, 2, 1, {{2, 3, 2, 3}, {0, 1, 1, 0}}},
    /* one letter does twice what it does not do once */
    {3, 2, 2, {{1, 2, 2}, {0, 0, 1}}},
    /* three idempotents: words exchange states */
    {4, 3, 1, {{0, 1, 2, 2}, {0, 1, 1, 3}, {3, 1, 2, 3}}}};

/* Follows words of three kinds; `counts`: the layers of RL.15, and not those of RL.17. */
static void follow_words(bool counts)
{
    static network n;
    uint64_t seed = 20261130;
    for (size_t i = 0; i < sizeof automata / sizeof *automata; i++)
        for (int kind = 0; kind < 3; kind++) {
            const automaton *a = &automata[i];
            int state = 0;
            (counts ? begin_counting : begin)(&n, a);
            for (int t = 0; t < WORD; t++) {
                seed = seed * 6364136223846793005U + 1442695040888963407U;
                const int letter = (kind == 0   ? (int)(seed >> 60)
                                    : kind == 1 ? t
                                                : t / 5 + (int)(seed >> 63)) %
                                   a->letters;
                state = a->next[letter][state];
                const bool busy = read_letter(&n, letter);
                const int place = counts ? read_counted(&n) : read_place(&n);
                cr_assert_eq(read_state(&n, busy, place, counts ? spell_copies : spell), state,
                             "%zu %d %d", i, kind, t);
            }
        }
}

Test(turning, three_layers_follow_an_automaton_without_cycles_of_letters)
{
    follow_words(false);
}

Test(turning, fixed_points_follow_an_automaton_without_cycles_of_letters)
{
    follow_words(true);
}

/* A random mixer with |I - Q| = 1, and gates that may be 0 or 1: no eigenvalue of a letter but 1
 * has modulus 1 or more, and it is semisimple, since its powers come to rest. */
Test(turning, powers_of_a_letter_of_fixed_points_come_to_rest)
{
    uint64_t seed = 7;
    int tried = 0;
    for (int round = 0; round < 200; round++) {
        double d[3], u[3], power[3][3], square = 0, left = 0;
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            const double x = (double)(seed >> 40) / (1 << 24);
            d[i] = x < 0.2 ? 0 : x > 0.8 ? 1 : x;
            u[i] = 2 * (double)(seed >> 11 & 0xfffff) / (1 << 20) - 1;
            square += u[i] * u[i];
        }
        for (int i = 0; i < 3; i++) {
            u[i] /= sqrt(square);
            left += (1 - d[i]) * u[i] * u[i];
        }
        if (left > 0.9) continue; /* the rate at which the iteration comes to rest */
        tried++;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) power[i][j] = i == j;
            settle(power[i], 3, d, u);
        }
        for (int k = 0; k < 30; k++) { /* columns of A^(2^k) */
            double to[3][3] = {{0}};
            for (int i = 0; i < 27; i++)
                to[i / 9][i % 3] += power[i / 9][i / 3 % 3] * power[i / 3 % 3][i % 3];
            memcpy(power, to, sizeof to);
        }
        for (int i = 0; i < 3; i++) {
            double after[3];
            memcpy(after, power[i], sizeof after);
            settle(after, 3, d, u);
            for (int j = 0; j < 3; j++) cr_assert_float_eq(after[j], power[i][j], 1e-6);
        }
    }
    cr_assert_gt(tried, 100);
}
