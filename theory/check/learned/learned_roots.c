/* The claim `roots`: a network with clamped betas and exact keys has no margin for ever, since no
 * root of unity turns with the automaton's cycle (theory/pages/all-lengths.md, AL.15 - AL.17). Its
 * lines:
 *     period w_1 w_2 ..          numbers of letters, one or more: the word u
 *     order Q                    a power of a prime p, which divides the states of a cycle of u
 *     prime L                    odd, another one than p
 * Modulo L the matrix of u in a head, without the factors that shorten, is a product of
 * reflections. If in all heads the orders of its eigenvalues there, on the vectors that no factor
 * shortens, are no multiples of Q, no product of eigenvalues of A_u of modulus 1 is a root of unity
 * of order Q, and the network is wrong after z u^t for infinitely many t, or several states tie at
 * all limits of its logits. Everything but signs of betas, and of ternary keys, is arithmetic
 * modulo L. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PERIOD = 4096, MAX_PRIME = 1 << 20 };

typedef struct roots {
    proof *p;
    size_t period[MAX_PERIOD], of; /* u, and its letters */
    size_t order, base, cycle;     /* Q, p, and the states of a cycle */
    uint64_t prime;
    double *normed;               /* [letters][width] */
    uint64_t *map, *power, *work; /* [K][K] A' modulo L, a power of it */
    uint64_t *shown; /* [K][K] echelon rows, by the columns that lead them, that are 0 on what no
                      * factor shortens */
    bool *led;       /* [K] the column leads a row */
    size_t rank;
} roots;

/* What a factor does to a vector that no factor shortens. */
typedef enum deed { NOTHING, REFLECTS, IS_ORTHOGONAL } deed;

static uint64_t modular_power(const roots *x, uint64_t of, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 > 0) result = result * of % x->prime;
        of = of * of % x->prime;
    }
    return result;
}

/* Returns the residue of a float32 number. */
static uint64_t residue(const roots *x, double value)
{
    int exponent;
    const int64_t number = (int64_t)ldexp(frexp(fabs(value), &exponent), 24);
    const uint64_t two = exponent < 24 ? (x->prime + 1) / 2 : 2;
    const uint64_t scale = modular_power(x, two, (uint64_t)abs(exponent - 24));
    const uint64_t size = (uint64_t)number % x->prime * scale % x->prime;
    return value < 0 ? (x->prime - size) % x->prime : size;
}

/* Sets the key of a letter, but for its length, modulo L; returns false where it is not known to be
 * other than 0. */
static bool read_exact_key(uint64_t *y, const roots *x, size_t letter, size_t row)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, n = net->width;
    const double *e = net->embedding + letter * n, *w = net->k + row * K * n;
    bool other = false;
    spend(64 * K * n);
    for (size_t i = 0; i < K; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++) {
            const uint64_t in = residue(x, e[j]) * residue(x, net->mixer_norm[j]) % x->prime;
            y[i] = (y[i] + in * residue(x, w[i * n + j])) % x->prime;
        }
        other |= y[i] != 0;
    }
    return other && (K == 1 || !net->silu);
}

/* The same of a key of -1, 0 and 1 (AL.12). */
static bool read_ternary_key(uint64_t *y, const roots *x, size_t letter, size_t row)
{
    const learned *net = &x->p->net;
    const size_t K = net->key;
    const double *normed = x->normed + letter * net->width;
    double number[MAX_DIM], most = 0;
    const double off = project(number, net, net->k, row * K, K, normed, net->silu);
    for (size_t i = 0; i < K; i++) most = fmax(most, fabs(number[i]));
    for (size_t i = 0; i < K; i++) {
        const double twice = 2 * fabs(number[i]);
        if (!(fabs(twice - most) > 3.01 * off)) return false;
        y[i] = twice < most ? 0 : number[i] > 0 ? 1 : x->prime - 1;
    }
    return most - off > SHORTEST;
}

/* Reads what a factor does, and its key where it does something. Where beta may be 0, or 2, or
 * neither, the vectors that it does not shorten are looked at as if it was that end (AL.17). */
static deed read_factor(uint64_t *y, const roots *x, size_t letter, size_t row)
{
    const learned *net = &x->p->net;
    const double *normed = x->normed + letter * net->width;
    double in;
    if (all_zero(net, net->k, row * net->key, letter)) return NOTHING;
    const double in_off = net->slope * project(&in, net, net->b, row, 1, normed, false);
    const double z = net->slope * in, z_off = in_off * (1 + SLACK) + slack(net, 0) * fabs(z);
    const bool above = z - z_off > -2;
    const bool below = net->range < 2 || z + z_off < 2;
    if (below && !above) return NOTHING;
    if (!above) reject(x->p->t, "a beta may be at both ends of its range");
    const bool ternary = net->ternary && net->key > 1;
    const bool known =
        ternary ? read_ternary_key(y, x, letter, row) : read_exact_key(y, x, letter, row);
    if (below) return known ? IS_ORTHOGONAL : NOTHING;
    if (!known)
        reject(x->p->t,
               "a key of a reflection is not known to be rational, or is 0 modulo the prime");
    return REFLECTS;
}

/* Multiplies the map by I - 2 y y^T / |y|^2 from the left. */
static void reflect(roots *x, const uint64_t *y)
{
    const size_t K = x->p->net.key;
    uint64_t square = 0;
    for (size_t i = 0; i < K; i++) square = (square + y[i] * y[i]) % x->prime;
    if (square == 0) reject(x->p->t, "the prime divides the square of a key");
    const uint64_t scale = 2 * modular_power(x, square, x->prime - 2) % x->prime;
    spend(8 * K * K);
    for (size_t j = 0; j < K; j++) {
        uint64_t along = 0;
        for (size_t i = 0; i < K; i++) along = (along + y[i] * x->map[i * K + j]) % x->prime;
        along = along * scale % x->prime;
        for (size_t i = 0; i < K; i++)
            x->map[i * K + j] = (x->map[i * K + j] + (x->prime - y[i]) * along) % x->prime;
    }
}

/* Reduces the row by the echelon rows; returns the column that leads what is left, or K. */
static size_t reduce(const roots *x, uint64_t *row)
{
    const size_t K = x->p->net.key;
    size_t lead = K;
    spend(4 * K * K);
    for (size_t c = 0; c < K; c++) {
        if (row[c] != 0 && !x->led[c] && lead == K) lead = c;
        if (row[c] == 0 || !x->led[c]) continue;
        const uint64_t times = x->prime - row[c];
        for (size_t j = c; j < K; j++) row[j] = (row[j] + times * x->shown[c * K + j]) % x->prime;
    }
    return lead;
}

/* Adds the row to the echelon rows; returns false where it is a combination of them. */
static bool add_row(roots *x, const uint64_t *row)
{
    const size_t K = x->p->net.key;
    uint64_t left_over[MAX_DIM];
    memcpy(left_over, row, K * sizeof *row);
    const size_t lead = reduce(x, left_over);
    if (lead == K) return false;
    const uint64_t inverse = modular_power(x, left_over[lead], x->prime - 2);
    for (size_t j = 0; j < K; j++) x->shown[lead * K + j] = left_over[j] * inverse % x->prime;
    x->led[lead] = true;
    x->rank++;
    return true;
}

/* Sets to [rows][K] <- a b, another matrix. Sums of MAX_DIM products of residues have 46 bits. */
static void multiply_rows(const roots *x, uint64_t *to, const uint64_t *a, const uint64_t *b,
                          size_t rows)
{
    const size_t K = x->p->net.key;
    spend(rows * K * (K / 2 + 4));
    memset(to, 0, rows * K * sizeof *to);
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < K; j++) to[i * K + j] += a[i * K + l] * b[l * K + j];
    for (size_t i = 0; i < rows * K; i++) to[i] %= x->prime;
}

/* Sets the head's A', and the rows y^T P A'^j of the factors that shorten, P being the product
 * before them. */
static void read_head(roots *x, size_t h)
{
    const learned *net = &x->p->net;
    const size_t K = net->key, most = x->of * net->factors;
    uint64_t y[MAX_DIM], *row = grab(product_of(most, K), sizeof *row), next[MAX_DIM];
    size_t rows = 0;
    memset(x->map, 0, K * K * sizeof *x->map);
    memset(x->led, 0, K * sizeof *x->led);
    for (size_t i = 0; i < K; i++) x->map[i * K + i] = 1;
    x->rank = 0;
    for (size_t s = 0; s < most; s++) {
        const size_t letter = x->period[s / net->factors], f = s % net->factors;
        const deed what = read_factor(y, x, letter, f * net->heads + h);
        if (what == REFLECTS) reflect(x, y);
        if (what == IS_ORTHOGONAL) multiply_rows(x, row + K * rows++, y, x->map, 1);
    }
    for (size_t i = 0; i < rows; i++)
        while (add_row(x, row + i * K)) {
            multiply_rows(x, next, row + i * K, x->map, 1);
            memcpy(row + i * K, next, K * sizeof *next);
        }
}

/* Sets the exponent, which no multiple of Q divides: the least common multiple of the orders of
 * numbers of up to `degree` over the field of L numbers, without its factors p, times Q / p, times
 * a power of L that is not below the degree. */
static void set_exponent(mpz_t e, const roots *x, size_t degree)
{
    mpz_t one, base;
    mpz_inits(one, base, NULL);
    mpz_set_ui(e, 1);
    charge(degree * degree * degree);
    for (size_t i = 1; i <= degree; i++) {
        mpz_ui_pow_ui(one, x->prime, i);
        mpz_sub_ui(one, one, 1);
        mpz_lcm(e, e, one);
    }
    mpz_set_ui(base, x->base);
    mpz_remove(e, e, base);
    mpz_mul_ui(e, e, x->order / x->base);
    for (size_t size = 1; size < degree; size *= x->prime) mpz_mul_ui(e, e, x->prime);
    mpz_clears(one, base, NULL);
}

/* Returns whether the e-th power of the map is the identity on what the echelon rows leave. */
static bool comes_back(roots *x, const mpz_t e)
{
    const size_t K = x->p->net.key, size = K * K * sizeof *x->power;
    memset(x->power, 0, size);
    for (size_t i = 0; i < K; i++) x->power[i * K + i] = 1;
    for (size_t bit = mpz_sizeinbase(e, 2); bit-- > 0;) {
        multiply_rows(x, x->work, x->power, x->power, K);
        if (mpz_tstbit(e, bit))
            multiply_rows(x, x->power, x->work, x->map, K);
        else
            memcpy(x->power, x->work, size);
    }
    bool each = true;
    for (size_t i = 0; i < K; i++) {
        x->power[i * K + i] = (x->power[i * K + i] + x->prime - 1) % x->prime;
        each = each && reduce(x, x->power + i * K) == K;
    }
    return each;
}

static void read_roots(roots *x)
{
    proof *p = x->p;
    if (p->net.scope->unit > 0) reject(p->t, "there are no roots of unity but in the scope exact");
    expect(p->t, "period");
    do {
        if (x->of == MAX_PERIOD) reject(p->t, "a word of more than %d letters", MAX_PERIOD);
        x->period[x->of++] = number(p->t, " ", 1, p->a.kinds) - 1;
    } while (comes(p->t, " "));
    end_line(p->t);
    x->order = number_line(p->t, "order ", 2, p->a.states.count);
    x->prime = number_line(p->t, "prime ", 3, MAX_PRIME);
    end_proof(p->t);
    for (x->base = 2; x->order % x->base != 0;) x->base++;
    size_t power = x->base;
    while (power < x->order) power *= x->base;
    if (power != x->order) reject(p->t, "the order is no power of a prime");
    spend(x->order + x->prime);
    for (uint64_t i = 2; i < x->prime; i++)
        if (x->prime % i == 0) reject(p->t, "the prime is none");
    if (x->prime == x->base) reject(p->t, "the order is a power of the prime");
}

static size_t after_period(const roots *x, size_t state)
{
    spend(x->of + 1);
    for (size_t i = 0; i < x->of; i++) state = x->p->a.next[state * x->p->a.kinds + x->period[i]];
    return state;
}

/* Finds a state that words lead to, in a cycle of the period whose size the order divides. */
static void find_period_cycle(roots *x)
{
    const automaton *a = &x->p->a;
    const size_t states = a->states.count;
    size_t *met = grab(states, sizeof *met), count = 1;
    bool *is_met = grab(states, sizeof *is_met);
    met[0] = a->start;
    is_met[a->start] = true;
    for (size_t i = 0; i < count; i++) {
        size_t size = 1, state = after_period(x, met[i]);
        for (; size < states && state != met[i]; size++) state = after_period(x, state);
        if (state == met[i] && size % x->order == 0) {
            x->cycle = size;
            return;
        }
        for (size_t w = 0; w < a->kinds; w++) {
            const size_t next = a->next[met[i] * a->kinds + w];
            if (!is_met[next]) met[count++] = next;
            is_met[next] = true;
        }
    }
    reject(x->p->t, "the order divides no cycle of the period");
}

void judge_roots(proof *p)
{
    const learned *net = &p->net;
    const size_t K = net->key;
    roots *x = grab(1, sizeof *x);
    uint64_t **room[] = {&x->map, &x->power, &x->work, &x->shown};
    mpz_t e;
    mpz_init(e);
    x->p = p;
    read_roots(x);
    find_period_cycle(x);
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) *room[i] = grab(K * K, sizeof **room);
    x->led = grab(K, sizeof *x->led);
    x->normed = grab(product_of(net->letters, net->width), sizeof *x->normed);
    for (size_t w = 0; w < net->letters; w++) normed_letter(x->normed + w * net->width, net, w);
    for (size_t h = 0; h < net->heads; h++) {
        read_head(x, h);
        set_exponent(e, x, K - x->rank);
        if (!comes_back(x, e))
            reject(p->t, "modulo the prime head %zu may have a root of this order", h + 1);
    }
    mpz_clear(e);
    printf("s VERIFIED roots order %zu prime %zu", x->order, (size_t)x->prime);
    print_network(p);
    for (size_t i = 0; i < x->of; i++) printf("%s%zu", i > 0 ? "," : " period ", x->period[i] + 1);
    printf(" cycle %zu", x->cycle);
}
