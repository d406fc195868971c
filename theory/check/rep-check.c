/* rep-check CERTIFICATE: is the number of Householder factors that the certificate claims really the least possible?
 *
 * The claim: G is the group that the listed permutations generate, and its letters are those permutations or all
 * elements. Over all real orthogonal representations rho of G that are faithful, the least possible maximum of
 * rank(rho(w) - I) over the letters w, taken in every irreducible part of rho by itself (a head), is H. By the theorem
 * of Cartan and Dieudonne that rank is the least number of reflections with the product rho(w).
 *
 * This file is all there is to trust besides libc. It shares no code with the program that wrote the certificate; it
 * lists the group itself, finds the classes, their powers and the products of class sums that it needs, and compares.
 * Why that proves the claim (theory/rep.md, R1.15), with r classes, N elements and a prime P = 1 mod the exponent:
 * - check_table: row s of `values` satisfies sum over x in C_i of f_s(x y) = w_s(C_i) f_s(y), f_s = w_s / |class|, for all
 *   y and all separating classes C_i. So the row is a common eigenvector of these class sums; no two rows have the same
 *   eigenvalues, so the r rows are a basis in which each common eigenspace is a line; all class sums commute and keep
 *   these lines. Since w_s = 1 at the identity, each row is a homomorphism of the centre of the group ring modulo P to
 *   the integers modulo P. There are r of them, and the central characters of G, reduced modulo a prime ideal over
 *   P, are r different ones. So the rows are these, all of them, and nothing is missing.
 * - check_characters: D^2 sum |C| f(C) f(C^-1) = N modulo P has one solution D <= sqrt(N) < P/2, the degree; indicators
 *   are -1, 0 or 1, fixed spaces have dimensions 0 .. D, so all are known from their residues.
 * - Real irreducible representations are chi, chi + conjugate, 2 chi (indicator 1, 0, -1), and
 *   rank(rho(w) - I) is the dimension minus that of the fixed space of w.
 * - check_claim: all irreps in which no letter has rank H or more are trivial on the class `hidden`, so that no sum of
 *   them is faithful; the ones listed as faithful have no letter of rank above H and no class but the first is in all
 *   kernels.
 *
 * One line on standard output is the verdict; the reason for another one goes to standard error:
 *     s VERIFIED householders H order N classes C        exit status 0
 *     s NOT VERIFIED        something in the certificate is wrong, or it cannot be read        1
 *     s UNKNOWN             memory or a limit of this program ran out                          2
 * A wrong command line exits with 64 and no verdict.
 *
 * CERTIFICATE: single blanks, lines ended by LF, numbers in decimal without leading zeros, cycles each from its least
 * point and in the order of these, () for the identity; indices count from 1. Elements are numbered breadth-first from
 * the identity by the products x g (first x, then g), classes by their first elements.
 *     householders 1
 *     degree N
 *     generators K
 *     generator CYCLES                                             K times
 *     letters generators|elements
 *     order N
 *     exponent E
 *     classes R
 *     class c element CYCLES size S order O inverse I square Q     R times; element: the first of the class
 *     prime P                                                      1 mod E, P^2 > 4 N, P < 2^32
 *     separate c ..                                                increasing
 *     character s degree D indicator F conjugate T values V ..     R times, increasing by degree, then by values
 *     irreps M
 *     irrep i character s dimension D most B                       M times, s increasing; not for s > T
 *     minimum H
 *     hidden c                                                     unless H = 0
 *     faithful i ..                                                increasing
 *     end R */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif

/* What a few bytes may stand for. */
#ifndef REP_CHECK_LIMITS
#define MAX_ELEMENTS ((size_t)8000000)
#define MAX_CELLS ((size_t)1 << 28) /* elements times degree */
#define MAX_DEGREE ((size_t)1 << 20)
#endif
#define MAX_FILE ((size_t)1 << 31)
#define MAX_NUMBER ((uint64_t)UINT32_MAX)

enum { VERIFIED = 0, NOT_VERIFIED = 1, UNKNOWN = 2, USAGE = 64 };

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "rep-check: %s\n", why);
    puts("s UNKNOWN");
    exit(UNKNOWN);
}

/* The certificate, read up to `at`; there is a zero byte at `end`. */
typedef struct text {
    const char *path, *at, *end;
    size_t line;
} text;

__attribute__((format(printf, 2, 3))) static _Noreturn void reject(const text *t, const char *format, ...)
{
    char reason[300];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    fprintf(stderr, "%s:%zu: %s\n", t->path, t->line, reason);
    puts("s NOT VERIFIED");
    exit(NOT_VERIFIED);
}

/* count * size bytes, zero; kept until the program ends, each block pointing to the one before it. */
typedef struct block {
    struct block *older;
    max_align_t data[];
} block;

static block *newest;

static void *grab(size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(block)) / size) give_up("out of memory");
    block *b = calloc(1, sizeof(block) + count * size);
    if (!b) give_up("out of memory");
    b->older = newest;
    newest = b;
    return b->data;
}

/* Reading. */

static size_t left(const text *t)
{
    return (size_t)(t->end - t->at);
}

static void expect(text *t, const char *word)
{
    const size_t n = strlen(word);
    if (left(t) < n || memcmp(t->at, word, n) != 0) reject(t, "expected `%s`", word);
    t->at += n;
}

static void end_line(text *t)
{
    if (left(t) == 0 || *t->at != '\n') reject(t, "expected the end of the line");
    t->at++;
    t->line++;
}

/* A number in least..most after the bytes `before`; most <= MAX_NUMBER. */
static size_t number(text *t, const char *before, size_t least, size_t most)
{
    expect(t, before);
    const char *from = t->at;
    uint64_t value = 0;
    while (*t->at >= '0' && *t->at <= '9' && value <= MAX_NUMBER)
        value = 10 * value + (uint64_t)(*t->at++ - '0');
    if (t->at == from || (*from == '0' && t->at > from + 1) || value < least || value > most)
        reject(t, "expected a number from %zu to %zu after `%s`", least, most, before);
    return (size_t)value;
}

static size_t number_line(text *t, const char *before, size_t least, size_t most)
{
    const size_t value = number(t, before, least, most);
    end_line(t);
    return value;
}

/* A number that has to be this one. */
static void number_is(text *t, const char *before, size_t value, const char *what)
{
    if (number(t, before, 0, (size_t)MAX_NUMBER) != value)
        reject(t, "the %s is wrong: it is %zu", what, value);
}

/* Increasing numbers in 1..most up to the end of the line, as marks; mark[0] is for 1. */
static bool *marks(text *t, const char *before, size_t most)
{
    bool *mark = grab(most, sizeof *mark);
    expect(t, before);
    for (size_t last = 0; left(t) > 0 && *t->at == ' ';) {
        last = number(t, " ", last + 1, most);
        mark[last - 1] = true;
    }
    end_line(t);
    return mark;
}

/* The group. */

typedef struct group {
    size_t degree, generators, order;
    uint32_t *generator; /* [generators][degree] */
    uint32_t *element;   /* [order][degree], breadth-first */
    uint32_t *slot;      /* [slots] number of an element plus 1, or 0 */
    size_t slots, room;
    bool all_letters;
} group;

static void read_cycles(text *t, uint32_t *image, size_t degree, bool *moved)
{
    for (size_t p = 0; p < degree; p++) image[p] = (uint32_t)p;
    memset(moved, 0, degree * sizeof *moved);
    if (left(t) >= 2 && memcmp(t->at, "()", 2) == 0) {
        t->at += 2;
        return;
    }
    size_t least = 1;
    do {
        const size_t first = number(t, "(", least, degree);
        size_t last = first;
        if (moved[first - 1]) reject(t, "a point stands twice");
        moved[first - 1] = true;
        do {
            const size_t p = number(t, " ", first + 1, degree);
            if (moved[p - 1]) reject(t, "a point stands twice");
            moved[p - 1] = true;
            image[last - 1] = (uint32_t)p - 1;
            last = p;
        } while (*t->at == ' ');
        image[last - 1] = (uint32_t)first - 1;
        least = first + 1;
        expect(t, ")");
    } while (*t->at == '(');
}

static const uint32_t *element(const group *g, size_t x)
{
    return g->element + x * g->degree;
}

/* The slot where the permutation is or belongs. */
static uint32_t *slot_of(const group *g, const uint32_t *image)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t p = 0; p < g->degree; p++) h = (h ^ image[p]) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    size_t i = (size_t)h & (g->slots - 1);
    while (g->slot[i] && memcmp(element(g, g->slot[i] - 1), image, g->degree * sizeof *image) != 0)
        i = (i + 1) & (g->slots - 1);
    return &g->slot[i];
}

/* Which element the permutation is; all that are looked up are in the group. */
static size_t find(const group *g, const uint32_t *image)
{
    return *slot_of(g, image) - 1;
}

static void enlarge(group *g)
{
    const size_t room = g->room ? 2 * g->room : 64;
    uint32_t *element_now = grab(room * g->degree, sizeof *element_now);
    if (g->order > 0) memcpy(element_now, g->element, g->order * g->degree * sizeof *element_now);
    g->element = element_now;
    g->room = room;
    g->slots = 4 * room;
    g->slot = grab(g->slots, sizeof *g->slot);
    for (size_t x = 0; x < g->order; x++) *slot_of(g, element(g, x)) = (uint32_t)x + 1;
}

static void add(group *g, const uint32_t *image)
{
    if (g->slots > 0 && *slot_of(g, image)) return;
    if (g->order >= MAX_ELEMENTS || (g->order + 1) * g->degree > MAX_CELLS)
        give_up("the group has too many elements");
    if (g->order == g->room) enlarge(g);
    memcpy(g->element + g->order * g->degree, image, g->degree * sizeof *image);
    *slot_of(g, image) = (uint32_t)++g->order;
}

static void read_group(text *t, group *g)
{
    expect(t, "householders 1");
    end_line(t);
    g->degree = number_line(t, "degree ", 1, (size_t)MAX_NUMBER);
    if (g->degree > MAX_DEGREE) give_up("the degree is too large");
    g->generators = number_line(t, "generators ", 0, MAX_CELLS / g->degree);
    if (g->generators > left(t) / 13) reject(t, "the file is too short for its generators");
    g->generator = grab(g->generators * g->degree + 1, sizeof *g->generator);
    bool *moved = grab(g->degree, sizeof *moved);
    for (size_t s = 0; s < g->generators; s++) {
        expect(t, "generator ");
        read_cycles(t, g->generator + s * g->degree, g->degree, moved);
        end_line(t);
    }
    expect(t, "letters ");
    g->all_letters = left(t) > 0 && *t->at == 'e';
    expect(t, g->all_letters ? "elements" : "generators");
    end_line(t);
    uint32_t *image = grab(g->degree, sizeof *image);
    for (size_t p = 0; p < g->degree; p++) image[p] = (uint32_t)p;
    add(g, image);
    for (size_t x = 0; x < g->order; x++)
        for (size_t s = 0; s < g->generators; s++) {
            for (size_t p = 0; p < g->degree; p++) image[p] = g->generator[s * g->degree + element(g, x)[p]];
            add(g, image);
        }
    number_is(t, "order ", g->order, "order");
    end_line(t);
}

/* Conjugacy classes and the powers of their first elements. */

typedef struct classes {
    size_t count, exponent;
    uint32_t *of;     /* [order] class of an element */
    uint32_t *member; /* [order] elements, class by class */
    size_t *from;  /* [count + 1] where a class begins in member; its first element is the representative */
    size_t *order; /* [count] of its elements */
    uint32_t **power; /* [count][order] classes of the powers 0, 1, .. */
    bool *letter;     /* [count] */
} classes;

static size_t size_of(const classes *k, size_t c)
{
    return k->from[c + 1] - k->from[c];
}

static void find_classes(const group *g, classes *k)
{
    uint32_t *image = grab(g->degree, sizeof *image);
    k->of = grab(g->order, sizeof *k->of);
    k->member = grab(g->order, sizeof *k->member);
    k->from = grab(g->order + 1, sizeof *k->from);
    for (size_t x = 0, count = 0; x < g->order; x++) {
        if (k->of[x]) continue; /* numbers plus 1, for now */
        k->of[x] = (uint32_t)++k->count;
        k->member[count++] = (uint32_t)x;
        for (size_t i = k->from[k->count - 1]; i < count; i++)
            for (size_t s = 0; s < g->generators; s++) {
                const uint32_t *a = g->generator + s * g->degree, *y = element(g, k->member[i]);
                for (size_t p = 0; p < g->degree; p++) image[a[p]] = a[y[p]]; /* a^-1 y a */
                const size_t z = find(g, image);
                if (k->of[z]) continue;
                k->of[z] = (uint32_t)k->count;
                k->member[count++] = (uint32_t)z;
            }
        k->from[k->count] = count;
    }
    for (size_t x = 0; x < g->order; x++) k->of[x]--;
}

static void find_powers(const group *g, classes *k)
{
    uint32_t *image = grab(g->degree, sizeof *image);
    k->order = grab(k->count, sizeof *k->order);
    k->power = grab(k->count, sizeof *k->power);
    k->exponent = 1;
    for (size_t c = 0; c < k->count; c++) {
        const uint32_t *y = element(g, k->member[k->from[c]]);
        memcpy(image, element(g, 0), g->degree * sizeof *image);
        size_t room = 0;
        uint32_t *power = NULL;
        for (size_t x = 0; k->order[c] == 0 || x != 0; x = find(g, image)) {
            if (k->order[c] == room) {
                uint32_t *larger = grab(room = 2 * room + 8, sizeof *larger);
                if (power) memcpy(larger, power, k->order[c] * sizeof *larger);
                power = larger;
            }
            power[k->order[c]++] = k->of[x];
            for (size_t p = 0; p < g->degree; p++) image[p] = y[image[p]];
        }
        k->power[c] = power;
        size_t a = k->exponent, b = k->order[c];
        while (b) {
            const size_t r = a % b;
            a = b;
            b = r;
        }
        k->exponent *= k->order[c] / a; /* it divides the order of the group */
    }
}

static size_t power_class(const classes *k, size_t c, size_t i)
{
    return k->power[c][i % k->order[c]];
}

static void read_classes(text *t, const group *g, classes *k)
{
    find_classes(g, k);
    find_powers(g, k);
    k->letter = grab(k->count, sizeof *k->letter);
    for (size_t c = 0; c < k->count; c++) k->letter[c] = g->all_letters;
    for (size_t s = 0; s < g->generators; s++) k->letter[k->of[find(g, g->generator + s * g->degree)]] = true;
    number_is(t, "exponent ", k->exponent, "exponent");
    end_line(t);
    number_is(t, "classes ", k->count, "number of classes");
    end_line(t);
    uint32_t *image = grab(g->degree, sizeof *image);
    bool *moved = grab(g->degree, sizeof *moved);
    for (size_t c = 0; c < k->count; c++) {
        number_is(t, "class ", c + 1, "number");
        expect(t, " element ");
        read_cycles(t, image, g->degree, moved);
        if (memcmp(image, element(g, k->member[k->from[c]]), g->degree * sizeof *image) != 0)
            reject(t, "the class has another first element");
        number_is(t, " size ", size_of(k, c), "size");
        number_is(t, " order ", k->order[c], "order");
        number_is(t, " inverse ", power_class(k, c, k->order[c] - 1) + 1, "inverse");
        number_is(t, " square ", power_class(k, c, 2) + 1, "square");
        end_line(t);
    }
}

/* Residues. P < 2^32, so that products fit 64 bits. */

static uint64_t inverse(uint64_t a, uint64_t p)
{
    uint64_t result = 1; /* a^(p-2) */
    for (uint64_t e = p - 2; e > 0; e /= 2, a = a * a % p)
        if (e % 2) result = result * a % p;
    return result;
}

static bool is_prime(uint64_t n)
{
    for (uint64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

/* Characters. */

typedef struct table {
    size_t rows;
    uint64_t p;
    uint64_t *w;        /* [rows][classes] central characters */
    uint64_t *f;        /* [rows][classes] divided by the sizes of the classes */
    uint64_t *one_over; /* [exponent + 1 or more] inverses of the orders of elements */
    size_t *degree, *conjugate;
    int *indicator;
    bool *separating; /* [classes] */
} table;

static void read_table(text *t, table *x, const group *g, const classes *k)
{
    const size_t r = x->rows = k->count;
    x->p = number_line(t, "prime ", 3, (size_t)MAX_NUMBER);
    if (!is_prime(x->p) || (x->p - 1) % k->exponent != 0 || x->p * x->p <= 4 * (uint64_t)g->order)
        reject(t, "the modulus is not a prime as needed");
    x->separating = marks(t, "separate", r);
    if (left(t) < 2 * r * r) reject(t, "the file is too short for its characters");
    x->w = grab(r * r, sizeof *x->w);
    x->f = grab(r * r, sizeof *x->f);
    x->degree = grab(r, sizeof *x->degree);
    x->conjugate = grab(r, sizeof *x->conjugate);
    x->indicator = grab(r, sizeof *x->indicator);
    uint64_t *scale = grab(r, sizeof *scale);
    for (size_t c = 0; c < r; c++) scale[c] = inverse(size_of(k, c) % x->p, x->p);
    for (size_t s = 0; s < r; s++) {
        number_is(t, "character ", s + 1, "number");
        x->degree[s] = number(t, " degree ", 1, g->order);
        expect(t, " indicator ");
        const bool negative = left(t) > 0 && *t->at == '-';
        x->indicator[s] = negative ? -(int)number(t, "-", 1, 1) : (int)number(t, "", 0, 1);
        x->conjugate[s] = number(t, " conjugate ", 1, r) - 1;
        expect(t, " values");
        for (size_t c = 0; c < r; c++) {
            x->w[s * r + c] = number(t, " ", 0, (size_t)x->p - 1);
            x->f[s * r + c] = x->w[s * r + c] * scale[c] % x->p;
        }
        end_line(t);
        size_t c = 0;
        while (s > 0 && c < r && x->w[s * r + c] == x->w[(s - 1) * r + c]) c++;
        if (s > 0 &&
            (x->degree[s] < x->degree[s - 1] ||
             (x->degree[s] == x->degree[s - 1] && (c == r || x->w[s * r + c] < x->w[(s - 1) * r + c]))))
            reject(t, "expected increasing characters");
    }
}

/* For class j and representative y of class k: sum over x in C_j of f(x y) = w(C_j) f(y), for every row. */
static void check_products(text *t, const table *x, const group *g, const classes *k, size_t j)
{
    const size_t r = x->rows;
    uint32_t *image = grab(g->degree, sizeof *image), *met = grab(r, sizeof *met);
    uint64_t *count = grab(r, sizeof *count);
    for (size_t c = 0; c < r; c++) {
        const uint32_t *y = element(g, k->member[k->from[c]]);
        size_t classes_met = 0;
        for (size_t i = k->from[j]; i < k->from[j + 1]; i++) {
            const uint32_t *first = element(g, k->member[i]);
            for (size_t p = 0; p < g->degree; p++) image[p] = y[first[p]];
            const uint32_t to = k->of[find(g, image)];
            if (count[to]++ == 0) met[classes_met++] = to;
        }
        for (size_t s = 0; s < r; s++) {
            uint64_t sum = 0;
            for (size_t m = 0; m < classes_met; m++)
                sum = (sum + count[met[m]] % x->p * x->f[s * r + met[m]]) % x->p;
            if (sum != x->w[s * r + j] * x->f[s * r + c] % x->p)
                reject(t, "character %zu does not respect the product of classes %zu and %zu", s + 1, j + 1,
                       c + 1);
        }
        for (size_t m = 0; m < classes_met; m++) count[met[m]] = 0;
    }
}

static void check_table(text *t, const table *x, const group *g, const classes *k)
{
    const size_t r = x->rows;
    for (size_t s = 0; s < r; s++)
        if (x->w[s * r] != 1) reject(t, "character %zu is not 1 at the identity", s + 1);
    for (size_t j = 0; j < r; j++)
        if (x->separating[j]) check_products(t, x, g, k, j);
    uint32_t *separating = grab(r, sizeof *separating);
    size_t count = 0;
    for (size_t j = 0; j < r; j++)
        if (x->separating[j]) separating[count++] = (uint32_t)j;
    for (size_t s = 0; s < r; s++)
        for (size_t u = 0; u < s; u++) {
            size_t i = 0;
            while (i < count && x->w[s * r + separating[i]] == x->w[u * r + separating[i]]) i++;
            if (i == count) reject(t, "nothing separates characters %zu and %zu", u + 1, s + 1);
        }
}

static void check_characters(text *t, table *x, const group *g, const classes *k)
{
    const size_t r = x->rows;
    const uint64_t p = x->p, order = g->order % p;
    for (size_t s = 0; s < r; s++) {
        const uint64_t d = x->degree[s];
        if (d > g->order / d) reject(t, "the degree of character %zu is too large", s + 1);
        const uint64_t *w = x->w + s * r, *f = x->f + s * r;
        uint64_t norm = 0, real = 0;
        for (size_t c = 0; c < r; c++) {
            norm = (norm + w[c] * f[power_class(k, c, k->order[c] - 1)]) % p;
            real = (real + size_of(k, c) % p * f[power_class(k, c, 2)]) % p;
        }
        if (d * d % p * norm % p != order) reject(t, "the degree of character %zu is wrong", s + 1);
        const uint64_t indicator = (p + (uint64_t)x->indicator[s]) % p;
        if (d * real % p != indicator * order % p)
            reject(t, "the indicator of character %zu is wrong", s + 1);
        for (size_t c = 0; c < r; c++)
            if (x->f[x->conjugate[s] * r + c] != f[power_class(k, c, k->order[c] - 1)])
                reject(t, "the conjugate of character %zu is wrong", s + 1);
    }
    size_t longest = 1;
    for (size_t c = 0; c < r; c++)
        if (k->order[c] > longest) longest = k->order[c];
    x->one_over = grab(longest + 1, sizeof *x->one_over);
    for (size_t i = 1; i <= longest; i++) x->one_over[i] = inverse(i % p, p);
}

/* Dimension of the space that an element of class c fixes in a representation with character s. */
static size_t fixed(const text *t, const table *x, const classes *k, size_t s, size_t c)
{
    const uint64_t *f = x->f + s * x->rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < k->order[c]; i++) sum += f[k->power[c][i]];
    const uint64_t dimension = sum % x->p * x->one_over[k->order[c]] % x->p * x->degree[s] % x->p;
    if (dimension > x->degree[s]) reject(t, "a fixed space of character %zu is too large", s + 1);
    return (size_t)dimension;
}

/* Real irreducible representations, and the claim. */

typedef struct irrep {
    size_t character, times, most;
} irrep;

static size_t read_irreps(text *t, irrep *list, const table *x, const classes *k)
{
    size_t count = 0;
    for (size_t s = 0; s < x->rows; s++) count += x->conjugate[s] >= s;
    number_is(t, "irreps ", count, "number of irreps");
    end_line(t);
    count = 0;
    for (size_t s = 0; s < x->rows; s++) {
        if (x->conjugate[s] < s) continue;
        irrep *y = &list[count++];
        y->character = s;
        y->times = x->indicator[s] == 1 ? 1 : 2;
        for (size_t c = 0; c < x->rows; c++) {
            if (!k->letter[c]) continue;
            const size_t rank = y->times * (x->degree[s] - fixed(t, x, k, s, c));
            if (rank > y->most) y->most = rank;
        }
        number_is(t, "irrep ", count, "number");
        number_is(t, " character ", s + 1, "character");
        number_is(t, " dimension ", y->times * x->degree[s], "dimension");
        number_is(t, " most ", y->most, "largest rank of a letter");
        end_line(t);
    }
    return count;
}

static bool in_kernel(const text *t, const table *x, const classes *k, const irrep *y, size_t c)
{
    return fixed(t, x, k, y->character, c) == x->degree[y->character];
}

static size_t check_claim(text *t, const table *x, const classes *k)
{
    irrep *list = grab(x->rows, sizeof *list);
    const size_t irreps = read_irreps(t, list, x, k);
    const size_t minimum = number_line(t, "minimum ", 0, (size_t)MAX_NUMBER);
    if (minimum > 0) {
        const size_t hidden = number_line(t, "hidden ", 2, x->rows) - 1;
        for (size_t i = 0; i < irreps; i++)
            if (list[i].most < minimum && !in_kernel(t, x, k, &list[i], hidden))
                reject(t, "irrep %zu is not trivial on the hidden class", i + 1);
    }
    const bool *chosen = marks(t, "faithful", irreps);
    for (size_t i = 0; i < irreps; i++)
        if (chosen[i] && list[i].most > minimum) reject(t, "irrep %zu takes too many factors", i + 1);
    for (size_t c = 1; c < x->rows; c++) {
        bool hit = false;
        for (size_t i = 0; i < irreps && !hit; i++) hit = chosen[i] && !in_kernel(t, x, k, &list[i], c);
        if (!hit) reject(t, "class %zu is in all kernels", c + 1);
    }
    number_is(t, "end ", x->rows, "number of classes");
    end_line(t);
    if (left(t) > 0) reject(t, "expected the end of the file");
    return minimum;
}

static text load(const char *path)
{
    text t = {.path = path, .line = 1};
    FILE *file = fopen(path, "rb");
    if (!file) reject(&t, "cannot be read");
    size_t size = 0, room = 0;
    char *bytes = NULL;
    for (;;) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            if (room > MAX_FILE) give_up("the certificate is too large");
            char *larger = grab(room, 1);
            if (bytes) memcpy(larger, bytes, size);
            bytes = larger;
        }
        const size_t n = fread(bytes + size, 1, room - size - 1, file);
        if (n == 0) break;
        size += n;
    }
    const bool bad = ferror(file) != 0;
    fclose(file);
    if (bad) reject(&t, "cannot be read");
    t.at = bytes;
    t.end = bytes + size;
    return t;
}

static void check(text *t, char verdict[100])
{
    group g = {0};
    classes k = {0};
    table x = {0};
    read_group(t, &g);
    read_classes(t, &g, &k);
    read_table(t, &x, &g, &k);
    check_table(t, &x, &g, &k);
    check_characters(t, &x, &g, &k);
    const size_t minimum = check_claim(t, &x, &k);
    snprintf(verdict, 100, "s VERIFIED householders %zu order %zu classes %zu", minimum, g.order, k.count);
}

int main(int count, char **argument)
{
    char verdict[100];
    if (count == 2 && strcmp(argument[1], "--version") == 0) {
        puts("rep-check " LRNN_CHECK_VERSION);
        return VERIFIED;
    }
    if (count != 2 || argument[1][0] == '-') {
        fputs("usage: rep-check CERTIFICATE\n", stderr);
        return USAGE;
    }
    text t = load(argument[1]);
    check(&t, verdict);
    puts(verdict);
    return fflush(stdout) == 0 ? VERIFIED : UNKNOWN;
}
