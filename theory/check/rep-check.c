/* rep-check [AUTOMATON] CERTIFICATE: is the number of Householder factors that the certificate
 * claims really the least possible?
 *
 * The claim: G is the group that the listed permutations generate, and its letters are those
 * permutations or all elements. Over all real orthogonal representations rho of G that are
 * faithful, the least possible maximum of rank(rho(w) - I) over the letters w, taken in every
 * irreducible part of rho by itself (a head), is H. By the theorem of Cartan and Dieudonne that
 * rank is the least number of reflections with the product rho(w).
 *
 * This file is all there is to trust besides libc. It shares no code with the program that wrote
 * the certificate; it lists the group itself, finds the classes, their powers and the products
 * of class sums that it needs, and compares. Why that proves the claim (theory/pages/rep.md,
 * R1.15), with r classes, N elements and a prime P = 1 mod the exponent:
 * - check_table: row s of `values` satisfies sum over x in C_i of f_s(x y) = w_s(C_i) f_s(y),
 *   f_s = w_s / |class|, for all y and all separating classes C_i. So the row is a common
 *   eigenvector of these class sums; no two rows have the same eigenvalues, so the r rows are a
 *   basis in which each common eigenspace is a line; all class sums commute and keep these
 *   lines. Since w_s = 1 at the identity, each row is a homomorphism of the centre of the group
 *   ring modulo P to the integers modulo P. There are r of them, and the central characters of
 *   G, reduced modulo a prime ideal over P, are r different ones. So the rows are these, all of
 *   them, and nothing is missing.
 * - check_characters: D^2 sum |C| f(C) f(C^-1) = N modulo P has one solution D <= sqrt(N) < P/2,
 *   the degree; indicators are -1, 0 or 1, fixed spaces have dimensions 0 .. D, so all are known
 *   from their residues.
 * - Real irreducible representations are chi, chi + conjugate, 2 chi (indicator 1, 0, -1), and
 *   rank(rho(w) - I) is the dimension minus the dimension of the fixed space of w.
 * - check_claim: all irreps in which no letter has rank H or more are trivial on the class
 *   `hidden`, so that no sum of them is faithful; the ones listed as faithful have no letter of
 *   rank above H and no class but the first is in all kernels.
 * - check_least: with a line `least D`, D is the sum of their dimensions, and a search that leaves
 *   out only what cannot be cheaper finds no such set with a smaller sum (R1.16).
 *
 * With AUTOMATON the claim is about that file (check_automaton): its SHA-256 is the one that the
 * certificate names, and the listed permutations are, letter by letter and under the same names,
 * what its letters do: to its points where it tracks elements, else to the states that words
 * lead to, numbered in the order of the file. Lines `accept` and `output` are not read, since
 * the claim does not depend on labels. Without AUTOMATON nothing binds the claim to a file.
 *
 * One line on standard output is the verdict; the reason for another one goes to standard error:
 *     s VERIFIED householders H [dimension D] letters generators|elements K order N classes C
 *       fsa HEX [unchecked]
 *                     exit status 0;
 *         K letters; HEX is in the certificate; without AUTOMATON it is `unchecked`
 *     s NOT VERIFIED  something in the files is wrong                                    1
 *     s UNKNOWN       memory or a limit of this program ran out, or a file cannot be     2
 *                     read
 * A wrong command line exits with 64 and no verdict.
 *
 * The work has a budget, so that a small file cannot make it long. With B bytes in the files it
 * is 2^30 + 2^14 B steps (a step is about one point of a permutation or one residue; see spend)
 * and 768 MiB + 16 B of memory; the files are read within 768 MiB. `--time-limit TIME` (seconds, or
 * 10m, 1.5h) replaces the steps,
 * `--memory SIZE` (bytes, or 500M, 2G) replaces the memory.
 *
 * AUTOMATON is the text that fsa2lrnn writes (OUT/automaton.fsa), see lrnn-check.
 *
 * CERTIFICATE: single blanks, lines ended by LF, numbers in decimal without leading zeros,
 * cycles each from its least point and in the order of these, () for the identity; indices count
 * from 1. Elements are numbered breadth-first from the identity by the products x g (first x,
 * then g), classes by their first elements.
 *     householders 2|3
 *     fsa SHA256                              of the automaton
 *     degree N
 *     generators K
 *     generator NAME CYCLES                   K times, different names, spelled as in AUTOMATON
 *     letters generators|elements
 *     order N
 *     exponent E
 *     classes R
 *     class c element CYCLES size S order O inverse I square Q
 *                                             R times; element: the first of the class
 *     prime P                                 1 mod E, P^2 > 4 N, P < 2^32
 *     separate c ..                           increasing
 *     character s degree D indicator F conjugate T values V ..
 *                                             R times, increasing by degree, then by values
 *     irreps M
 *     irrep i character s dimension D most B  M times, s increasing; not for s > T
 *     minimum H
 *     hidden c                                unless H = 0
 *     faithful i ..                           increasing
 *     least D                                 only in version 3
 *                                             (D > 0)
 *     end R */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif
#ifndef CHECK_SOURCES_SHA256
#define CHECK_SOURCES_SHA256 "unknown"
#endif

_Static_assert(SIZE_MAX >= UINT64_MAX, "products of two numbers of a file need 64 bits");
_Static_assert(LONG_MAX >= INT64_MAX, "as lrnn-check asks for");

/* The budget, and the amounts that each byte of the files adds to it. */
#ifndef REP_CHECK_LIMITS
#define BASE_STEPS ((uint64_t)1 << 30)
#define BASE_BYTES ((uint64_t)3 << 28)
#endif
#define STEPS_PER_BYTE ((uint64_t)1 << 14)
#define BYTES_PER_BYTE ((uint64_t)16)
#define STEPS_PER_LOOK ((uint64_t)1 << 20) /* at the clock */
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

__attribute__((format(printf, 2, 3))) static _Noreturn void reject(const text *t,
                                                                   const char *format, ...)
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

/* The remaining budget. */
static struct budget {
    uint64_t steps, bytes, since_look;
    bool any_steps, any_size; /* --time-limit and --memory: the files add nothing */
    double deadline;          /* if any_steps */
} budget;

static double now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec
                                                   : 0;
}

/* Starts the budget; memory or seconds 0: without a limit of the user's. */
static void start_budget(uint64_t memory, double seconds)
{
    budget = (struct budget){
        .steps = BASE_STEPS, .bytes = memory ? memory : BASE_BYTES, .any_size = memory > 0};
    budget.any_steps = seconds > 0;
    budget.deadline = now() + seconds;
}

static void add_to_budget(size_t file_bytes)
{
    if (!budget.any_steps) budget.steps += STEPS_PER_BYTE * file_bytes;
    if (!budget.any_size) budget.bytes += BYTES_PER_BYTE * file_bytes;
}

static void spend(uint64_t steps)
{
    if (!budget.any_steps) {
        if (steps > budget.steps)
            give_up("more steps than the budget for such small files; see --time-limit");
        budget.steps -= steps;
    } else if ((budget.since_look += steps) > STEPS_PER_LOOK) {
        budget.since_look = 0;
        if (now() > budget.deadline) give_up("the time is over");
    }
}

/* Memory, in a ring of blocks that begins and ends at `blocks`. */
typedef struct block {
    struct block *older, *newer;
    size_t size;
    max_align_t data[];
} block;

static block blocks = {.older = &blocks, .newer = &blocks};

/* Returns count * size zero bytes. */
static void *grab(size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(block)) / size) give_up("out of memory");
    const size_t bytes = sizeof(block) + count * size;
    if (bytes > budget.bytes)
        give_up("more memory than the budget for such small files; see "
                "--memory");
    block *b = calloc(1, bytes);
    if (!b) give_up("out of memory");
    budget.bytes -= bytes;
    b->size = bytes;
    b->older = blocks.older;
    b->newer = &blocks;
    b->older->newer = blocks.older = b;
    return b->data;
}

static void release(void *data)
{
    if (!data) return;
    block *b = (block *)((char *)data - offsetof(block, data));
    b->newer->older = b->older;
    b->older->newer = b->newer;
    budget.bytes += b->size;
    free(b);
}

/* Returns the array with room for more of its elements. */
static void *enlarged(void *old, size_t used, size_t room, size_t size)
{
    void *larger = grab(room, size);
    if (old) memcpy(larger, old, used * size);
    release(old);
    return larger;
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

/* Reads a number in least..most after the bytes `before`; most <= MAX_NUMBER. */
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

/* Reads a number, which has to be `value`. */
static void number_is(text *t, const char *before, size_t value, const char *what)
{
    if (number(t, before, 0, (size_t)MAX_NUMBER) != value)
        reject(t, "the %s is wrong: it is %zu", what, value);
}

/* Reads increasing numbers in 1..most up to the end of the line, as marks; mark[0] is for 1. */
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

/* SHA-256, FIPS 180-4. */
static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t state[8], const unsigned char *bytes)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
               (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 =
            v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) + choice + k[i] + w[i];
        uint32_t t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

static void sha256(char hex[65], const char *bytes, size_t size)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[128] = {0};
    const size_t whole = size / 64 * 64, rest = size - whole, padded = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) sha256_block(state, (const unsigned char *)bytes + i);
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += 64) sha256_block(state, last + i);
    for (int i = 0; i < 8; i++) sprintf(hex + 8 * i, "%08lx", (unsigned long)state[i]);
}

/* Names. */

/* A name as it is spelled, quotes included; every name has one spelling. */
typedef struct name {
    const char *bytes;
    size_t size, number;
} name;

static int compare_names(const void *left, const void *right)
{
    const name *a = left, *b = right;
    const int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static bool comes(const text *t, const char *word)
{
    return left(t) >= strlen(word) && memcmp(t->at, word, strlen(word)) == 0;
}

/* Returns whether x is a word that begins lines of the automaton; names like these are quoted. */
static bool is_word(name x)
{
    static const char *const word[] = {"eps",    "fsa",    "letters", "states", "start",
                                       "accept", "output", "points",  "track",  "permute"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (compare_names(&x, &(name){word[i], strlen(word[i]), 0}) == 0) return true;
    return false;
}

/* Reads an escape after a backslash: \" \\
 *  \t \r \b \f, or u00xx for the other bytes below a blank and for 7f. All but \\ need quotes. */
static bool read_escape(text *t)
{
    static const char digits[] = "0123456789abcdef";
    const char c = *t->at;
    if (c && strchr("\"\\ntrbf", c)) {
        t->at++;
        return c != '\\';
    }
    expect(t, "u00");
    const char *high = *t->at ? strchr(digits, t->at[0]) : NULL,
               *low = high && t->at[1] ? strchr(digits, t->at[1]) : NULL;
    const long value = low ? 16 * (high - digits) + (low - digits) : 0;
    if (!((value > 0 && value < ' ') || value == 0x7f) ||
        (value < ' ' && strchr("\b\t\n\f\r", (int)value)))
        reject(t, "expected one of the escapes that names need");
    t->at += 2;
    return true;
}

static name read_name(text *t, const char *before)
{
    expect(t, before);
    name x = {t->at, 0, 0};
    const bool quoted = *t->at == '"';
    bool special = false; /* something that only a quoted name may have */
    for (t->at += quoted; (unsigned char)*t->at >= ' ' && *t->at != 0x7f && *t->at != '"';) {
        const char c = *t->at;
        if (!quoted && strchr(" #()", c)) break;
        special = special || strchr(" #()", c);
        t->at++;
        if (quoted && c == '\\' && read_escape(t)) special = true;
    }
    const name inner = {x.bytes + quoted, (size_t)(t->at - x.bytes) - quoted, 0};
    if (quoted) expect(t, "\"");
    if (quoted != (special || inner.size == 0 || is_word(inner))) reject(t, "expected a name");
    x.size = (size_t)(t->at - x.bytes);
    return x;
}

/* Returns the same names in the order of compare_names, with their numbers; they must be
 * different. */
static name *sort_names(const text *t, const name *list, size_t count)
{
    name *sorted = grab(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) sorted[i] = list[i], sorted[i].number = i;
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++)
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0) reject(t, "a name is given twice");
    return sorted;
}

static size_t known_name(text *t, const char *before, const name *sorted, size_t count)
{
    const name x = read_name(t, before),
               *found = bsearch(&x, sorted, count, sizeof *sorted, compare_names);
    if (!found) reject(t, "an unknown name");
    return found->number;
}

static void name_is(text *t, const char *before, name x)
{
    const name y = read_name(t, before);
    if (compare_names(&x, &y) != 0) reject(t, "expected another name");
}

/* The group. */

typedef struct group {
    size_t version; /* of the certificate: 2 or 3 */
    size_t degree, generators, order;
    uint32_t *generator; /* [generators][degree] */
    uint32_t *element;   /* [order][degree], breadth-first */
    uint32_t *slot;      /* [slots] number of an element plus 1, or 0 */
    size_t slots;
    bool all_letters;
    char fsa[65];
    name *letter; /* [generators] */
} group;

static void read_cycles(text *t, uint32_t *image, size_t degree, bool *moved)
{
    spend(degree);
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
        if (moved[first - 1]) reject(t, "a point is given twice");
        moved[first - 1] = true;
        do {
            const size_t p = number(t, " ", first + 1, degree);
            if (moved[p - 1]) reject(t, "a point is given twice");
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

/* Returns the slot where the permutation is or belongs. 32 steps are the cost of reading a large
 * table. */
static uint32_t *slot_of(const group *g, const uint32_t *image)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    spend(2 * g->degree + 32);
    for (size_t p = 0; p < g->degree; p++) h = (h ^ image[p]) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    size_t i = (size_t)h & (g->slots - 1);
    while (g->slot[i] &&
           memcmp(element(g, g->slot[i] - 1), image, g->degree * sizeof *image) != 0) {
        spend(32 + g->degree / 16);
        i = (i + 1) & (g->slots - 1);
    }
    return &g->slot[i];
}

/* Returns the element that the permutation is; it must be in the group. */
static size_t find(const group *g, const uint32_t *image)
{
    return *slot_of(g, image) - 1;
}

/* Adds an element; `room` is the order that the certificate gives. */
static void add(const text *t, group *g, size_t room, const uint32_t *image)
{
    uint32_t *slot = slot_of(g, image);
    if (*slot) return;
    if (g->order == room) reject(t, "the order is wrong: it is more than %zu", room);
    memcpy(g->element + g->order * g->degree, image, g->degree * sizeof *image);
    *slot = (uint32_t)++g->order;
}

static void list_elements(const text *t, group *g, size_t room)
{
    uint32_t *image = grab(g->degree, sizeof *image);
    if (room > SIZE_MAX / g->degree) give_up("out of memory");
    g->element = grab(room * g->degree, sizeof *g->element);
    for (g->slots = 2; g->slots < 2 * room;) g->slots *= 2;
    g->slot = grab(g->slots, sizeof *g->slot);
    for (size_t p = 0; p < g->degree; p++) image[p] = (uint32_t)p;
    add(t, g, room, image);
    for (size_t x = 0; x < g->order; x++)
        for (size_t s = 0; s < g->generators; s++) {
            for (size_t p = 0; p < g->degree; p++)
                image[p] = g->generator[s * g->degree + element(g, x)[p]];
            add(t, g, room, image);
        }
    if (g->order < room) reject(t, "the order is wrong: it is %zu", g->order);
    release(image);
}

static void read_hash(text *t, char hex[65])
{
    expect(t, "fsa ");
    if (left(t) < 64 || strspn(t->at, "0123456789abcdef") != 64) reject(t, "expected a SHA-256");
    memcpy(hex, t->at, 64);
    hex[64] = '\0';
    t->at += 64;
    end_line(t);
}

static void read_generators(text *t, group *g)
{
    g->degree = number_line(t, "degree ", 1, (size_t)MAX_NUMBER);
    g->generators = number_line(t, "generators ", 1, (size_t)MAX_NUMBER);
    if (g->generators > left(t) / 15) reject(t, "the file is too short for its generators");
    g->generator = grab(g->generators * g->degree, sizeof *g->generator);
    g->letter = grab(g->generators, sizeof *g->letter);
    bool *moved = grab(g->degree, sizeof *moved);
    for (size_t s = 0; s < g->generators; s++) {
        g->letter[s] = read_name(t, "generator ");
        expect(t, " ");
        read_cycles(t, g->generator + s * g->degree, g->degree, moved);
        end_line(t);
    }
    release(moved);
    release(sort_names(t, g->letter, g->generators));
}

static void read_group(text *t, group *g)
{
    if (comes(t, "householders 1\n"))
        reject(t, "version 1 of this format, which names no automaton, is not read any more; it is "
                  "version 2 or 3");
    g->version = number_line(t, "householders ", 2, 3);
    read_hash(t, g->fsa);
    read_generators(t, g);
    expect(t, "letters ");
    g->all_letters = left(t) > 0 && *t->at == 'e';
    expect(t, g->all_letters ? "elements" : "generators");
    end_line(t);
    list_elements(t, g, number(t, "order ", 1, (size_t)MAX_NUMBER - 1));
    end_line(t);
}

/* The automaton. */

typedef struct automaton {
    size_t points, letters;
    name *letter;
    uint32_t *image; /* [letters][points], or states; states that no word leads to are left out */
} automaton;

/* Reads the names on a line, one or more. */
static name *read_names(text *t, const char *word, size_t *count)
{
    name *list = NULL;
    size_t room = 0;
    expect(t, word);
    *count = 0;
    do {
        if (*count == room) list = enlarged(list, *count, room = 2 * room + 8, sizeof *list);
        list[(*count)++] = read_name(t, " ");
    } while (*t->at == ' ');
    end_line(t);
    return list;
}

static void skip_labels(text *t)
{
    while (comes(t, "accept ") || comes(t, "accept\n") || comes(t, "output ")) {
        while (left(t) > 0 && *t->at != '\n') t->at++;
        end_line(t);
    }
}

/* Keeps the states that can be reached, in their order; next[state * letters + letter]. */
static void keep_reached(automaton *a, const uint32_t *next, size_t states, size_t start)
{
    uint32_t *number_of = grab(states, sizeof *number_of), *queue = grab(states, sizeof *queue);
    size_t count = 1;
    queue[0] = (uint32_t)start;
    number_of[start] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < a->letters; w++) {
            const uint32_t to = next[queue[i] * a->letters + w];
            if (number_of[to]) continue;
            number_of[to] = 1;
            queue[count++] = to;
        }
    a->points = count;
    a->image = grab(a->letters * count, sizeof *a->image);
    count = 0;
    for (size_t q = 0; q < states; q++)
        if (number_of[q]) number_of[q] = (uint32_t)count++;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < a->letters; w++)
            a->image[w * count + number_of[queue[i]]] = number_of[next[queue[i] * a->letters + w]];
    release(number_of);
    release(queue);
}

static void read_edges(text *t, automaton *a)
{
    size_t states;
    a->letter = read_names(t, "letters", &a->letters);
    name *state = read_names(t, "states", &states), *sorted = sort_names(t, state, states);
    const size_t start = known_name(t, "start ", sorted, states);
    end_line(t);
    if (comes(t, "fsa added "))
        reject(t, "letters that lead to an added state do not permute the states");
    skip_labels(t);
    if (states > left(t) / a->letters) reject(t, "too few edges");
    uint32_t *next = grab(states * a->letters, sizeof *next);
    for (size_t q = 0; q < states; q++)
        for (size_t w = 0; w < a->letters; w++) {
            name_is(t, "", state[q]);
            name_is(t, " ", a->letter[w]);
            next[q * a->letters + w] = (uint32_t)known_name(t, " ", sorted, states);
            end_line(t);
        }
    keep_reached(a, next, states, start);
    release(state);
    release(sorted);
    release(next);
}

/* Reads the letters and their permutations, one or more. */
static uint32_t *read_permutations(text *t, automaton *a, size_t points)
{
    size_t room = 8;
    a->letter = grab(room, sizeof *a->letter);
    uint32_t *image = grab(room * points, sizeof *image);
    bool *moved = grab(points, sizeof *moved);
    do {
        if (a->letters == room) {
            a->letter = enlarged(a->letter, room, 2 * room, sizeof *a->letter);
            image = enlarged(image, room * points, 2 * room * points, sizeof *image);
            room *= 2;
        }
        a->letter[a->letters] = read_name(t, "permute ");
        expect(t, " ");
        read_cycles(t, image + a->letters++ * points, points, moved);
        end_line(t);
    } while (left(t) > 0);
    release(moved);
    return image;
}

/* Makes the states: the points, or the elements of the group that the permutations generate. */
static void read_points(text *t, automaton *a)
{
    size_t start = 0;
    const size_t points = number_line(t, "points ", 1, (size_t)MAX_NUMBER);
    const bool elements = comes(t, "track elements");
    if (elements) {
        expect(t, "track elements");
    } else {
        start = number(t, "track points ", 1, points) - 1;
    }
    end_line(t);
    skip_labels(t);
    uint32_t *image = read_permutations(t, a, points);
    a->points = points;
    a->image = image;
    if (elements) return;
    uint32_t *next = grab(a->letters * points, sizeof *next);
    for (size_t w = 0; w < a->letters; w++)
        for (size_t p = 0; p < points; p++) next[p * a->letters + w] = image[w * points + p];
    keep_reached(a, next, points, start);
    release(next);
    release(image);
}

static void read_automaton(text *t, automaton *a)
{
    expect(t, "fsa 1");
    end_line(t);
    if (comes(t, "points "))
        read_points(t, a);
    else
        read_edges(t, a);
    if (left(t) > 0) reject(t, "expected the end of the file");
    release(sort_names(t, a->letter, a->letters));
}

/* Checks that the automaton's hash, its letters and their actions are the certificate's. */
static void check_automaton(text *t, const group *g)
{
    char hex[65];
    sha256(hex, t->at, left(t));
    if (strcmp(hex, g->fsa) != 0)
        reject(t, "the certificate is for another automaton (pass OUT/automaton.fsa, the text that "
                  "fsa2lrnn writes)");
    automaton a = {0};
    read_automaton(t, &a);
    if (a.letters != g->generators || a.points != g->degree)
        reject(t, "the certificate has other letters or another degree");
    for (size_t w = 0; w < a.letters; w++) {
        if (compare_names(&a.letter[w], &g->letter[w]) != 0)
            reject(t, "the certificate has other names of letters");
        if (memcmp(a.image + w * a.points, g->generator + w * a.points,
                   a.points * sizeof *a.image) != 0)
            reject(t, "the certificate has another permutation for letter %zu", w + 1);
    }
    release(a.letter);
    release(a.image);
}

/* Conjugacy classes and the powers of their first elements. */

typedef struct classes {
    size_t count, exponent;
    uint32_t *of;     /* [order] class of an element */
    uint32_t *member; /* [order] elements, class by class */
    size_t *from;     /* [count + 1] where a class begins in member; its first element is the
                         representative */
    size_t *order;    /* [count] of its elements */
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
    release(image);
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
            if (k->order[c] == room)
                power = enlarged(power, k->order[c], room = 2 * room + 8, sizeof *power);
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
    release(image);
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
    for (size_t s = 0; s < g->generators; s++)
        k->letter[k->of[find(g, g->generator + s * g->degree)]] = true;
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
    release(image);
    release(moved);
}

/* Residues. P < 2^32, so that products fit 64 bits. */

static uint64_t inverse(uint64_t a, uint64_t p)
{
    uint64_t result = 1; /* a^(p-2) */
    spend(256);
    for (uint64_t e = p - 2; e > 0; e /= 2, a = a * a % p)
        if (e % 2) result = result * a % p;
    return result;
}

static bool is_prime(uint64_t n)
{
    spend(1 << 18);
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
        if (s > 0 && (x->degree[s] < x->degree[s - 1] ||
                      (x->degree[s] == x->degree[s - 1] &&
                       (c == r || x->w[s * r + c] < x->w[(s - 1) * r + c]))))
            reject(t, "expected increasing characters");
    }
}

/* Checks for class j and representative y of class k: sum over x in C_j of f(x y) = w(C_j) f(y),
 * for every row. */
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
        spend(8 * (classes_met + 1) * r);
        for (size_t s = 0; s < r; s++) {
            uint64_t sum = 0;
            for (size_t m = 0; m < classes_met; m++)
                sum = (sum + count[met[m]] % x->p * x->f[s * r + met[m]]) % x->p;
            if (sum != x->w[s * r + j] * x->f[s * r + c] % x->p)
                reject(t, "character %zu does not respect the product of classes %zu and %zu",
                       s + 1, j + 1, c + 1);
        }
        for (size_t m = 0; m < classes_met; m++) count[met[m]] = 0;
    }
    release(image);
    release(met);
    release(count);
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
            spend(i + 1);
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
        spend(16 * r);
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

/* Returns the dimension of the space that an element of class c fixes in a representation with
 * character s. */
static size_t fixed(const text *t, const table *x, const classes *k, size_t s, size_t c)
{
    const uint64_t *f = x->f + s * x->rows;
    uint64_t sum = 0;
    spend(k->order[c] + 16);
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

/* The search for a cheaper set. Only classes of prime order matter: a kernel other than 1 has such
 * elements. */
typedef struct cheaper {
    const text *t;
    const classes *k;
    size_t irreps, classes;
    const size_t *dimension; /* [irreps] 0: no candidate */
    const bool *hits;        /* [irreps][classes] */
    size_t *price;           /* [classes] least dimension of a candidate that hits it; 0: ignored */
    size_t *covered;         /* [classes] number of chosen irreps that hit it */
    bool *barred;            /* [irreps] sets with it were searched */
} cheaper;

/* Returns a lower bound for the sum of dimensions that hits what is open (R1.16). The open elements
 * of order p in the centre are a subgroup but for 1, and so are those with a price above d. */
static size_t bound_below(const cheaper *s, size_t most)
{
    size_t bound = 0;
    spend(s->classes);
    for (size_t c = 0; c < s->classes; c++)
        if (s->price[c] > bound && s->covered[c] == 0) bound = s->price[c];
    for (size_t a = 0; a < s->classes; a++) {
        const size_t p = s->k->order[a];
        if (s->price[a] == 0 || s->covered[a] > 0 || size_of(s->k, a) != 1) continue;
        size_t sum = 0, first = a;
        for (size_t d = 0; d <= most; d++) {
            size_t elements = 1, power = 1;
            spend(s->classes);
            for (size_t c = 0; c < s->classes; c++)
                if (s->price[c] > d && s->covered[c] == 0 && s->k->order[c] == p &&
                    size_of(s->k, c) == 1) {
                    elements++;
                    if (c < first) first = c;
                }
            if (elements == 1 || first < a) break; /* the prime was met before */
            for (; power < elements; power *= p) sum++;
        }
        if (sum > bound) bound = sum;
    }
    return bound;
}

/* Rejects the certificate if irreps with a sum of dimensions up to `most` hit all that is open. */
static void search_cheaper(cheaper *s, size_t most)
{
    if (bound_below(s, most) > most) return;
    size_t open = s->classes, fewest = SIZE_MAX;
    for (size_t c = 0; c < s->classes; c++) {
        if (s->price[c] == 0 || s->covered[c] > 0) continue;
        size_t ways = 0;
        spend(s->irreps);
        for (size_t i = 0; i < s->irreps; i++)
            ways += s->hits[i * s->classes + c] && !s->barred[i] && s->dimension[i] <= most;
        if (ways < fewest) fewest = ways, open = c;
    }
    if (open == s->classes) reject(s->t, "a smaller sum of dimensions does");
    bool *tried = grab(s->irreps, sizeof *tried);
    for (size_t i = 0; i < s->irreps; i++) {
        const bool *hits = s->hits + i * s->classes;
        if (!hits[open] || s->barred[i] || s->dimension[i] > most) continue;
        for (size_t c = 0; c < s->classes; c++) s->covered[c] += hits[c];
        search_cheaper(s, most - s->dimension[i]);
        for (size_t c = 0; c < s->classes; c++) s->covered[c] -= hits[c];
        spend(2 * s->classes);
        s->barred[i] = tried[i] = true;
    }
    for (size_t i = 0; i < s->irreps; i++)
        if (tried[i]) s->barred[i] = false;
    release(tried);
}

static bool in_kernel(const text *t, const table *x, const classes *k, const irrep *y, size_t c)
{
    return fixed(t, x, k, y->character, c) == x->degree[y->character];
}

/* Checks that the chosen irreps have the sum of dimensions `sum`, and that no jointly faithful set
 * of irreps without letters of rank above `minimum` has a smaller one. */
static void check_least(const text *t, const table *x, const classes *k, const irrep *list,
                        size_t irreps, size_t minimum, const bool *chosen, size_t sum)
{
    const size_t r = x->rows;
    size_t total = 0;
    size_t *dimension = grab(irreps, sizeof *dimension);
    bool *hits = grab(irreps * r, sizeof *hits);
    cheaper s = {t, k, irreps, r, dimension, hits, NULL, NULL, NULL};
    s.price = grab(r, sizeof *s.price);
    s.covered = grab(r, sizeof *s.covered);
    s.barred = grab(irreps, sizeof *s.barred);
    for (size_t i = 0; i < irreps; i++) {
        const size_t d = list[i].times * x->degree[list[i].character];
        if (chosen[i]) total += d;
        if (list[i].most > minimum) continue;
        dimension[i] = d;
        for (size_t c = 1; c < r; c++) {
            if (!is_prime(k->order[c]) || in_kernel(t, x, k, &list[i], c)) continue;
            hits[i * r + c] = true;
            if (s.price[c] == 0 || d < s.price[c]) s.price[c] = d;
        }
    }
    if (total != sum) reject(t, "the sum of dimensions is wrong: it is %zu", total);
    if (sum > 0) search_cheaper(&s, sum - 1);
    release(dimension);
    release(hits);
    release(s.price);
    release(s.covered);
    release(s.barred);
}

/* *least becomes the least sum of dimensions; 0 where the certificate claims none. */
static size_t check_claim(text *t, const table *x, const classes *k, size_t version, size_t *least)
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
        if (chosen[i] && list[i].most > minimum)
            reject(t, "irrep %zu takes too many factors", i + 1);
    for (size_t c = 1; c < x->rows; c++) {
        bool hit = false;
        for (size_t i = 0; i < irreps && !hit; i++)
            hit = chosen[i] && !in_kernel(t, x, k, &list[i], c);
        if (!hit) reject(t, "class %zu is in all kernels", c + 1);
    }
    *least = 0;
    if (version == 3) {
        *least = number_line(t, "least ", 1, (size_t)MAX_NUMBER);
        check_least(t, x, k, list, irreps, minimum, chosen, *least);
    }
    number_is(t, "end ", x->rows, "number of classes");
    end_line(t);
    if (left(t) > 0) reject(t, "expected the end of the file");
    return minimum;
}

/* Of a file that was not read there is no verdict: UNKNOWN. */
static _Noreturn void leave_unread(const char *path)
{
    fprintf(stderr, "rep-check: a file cannot be read: %s: %s\n", path, strerror(errno));
    puts("s UNKNOWN");
    exit(UNKNOWN);
}

static text load(const char *path)
{
    text t = {.path = path, .line = 1};
    FILE *file = fopen(path, "rb");
    if (!file) leave_unread(path);
    size_t size = 0, room = 0;
    char *bytes = NULL;
    for (;;) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            if (room > MAX_FILE) give_up("a file is too large");
            bytes = enlarged(bytes, size, room, 1);
        }
        const size_t n = fread(bytes + size, 1, room - size - 1, file);
        if (n == 0) break;
        size += n;
    }
    if (ferror(file)) leave_unread(path);
    fclose(file);
    t.at = bytes;
    t.end = bytes + size;
    return t;
}

#define VERDICT 300

/* `automaton` may be NULL. */
static void check(text *t, text *automaton_text, char verdict[VERDICT])
{
    group g = {0};
    classes k = {0};
    table x = {0};
    read_group(t, &g);
    if (automaton_text) check_automaton(automaton_text, &g);
    read_classes(t, &g, &k);
    read_table(t, &x, &g, &k);
    check_table(t, &x, &g, &k);
    check_characters(t, &x, &g, &k);
    size_t least;
    const size_t minimum = check_claim(t, &x, &k, g.version, &least);
    char dimension[40] = "";
    if (least > 0) snprintf(dimension, sizeof dimension, " dimension %zu", least);
    snprintf(verdict, VERDICT,
             "s VERIFIED householders %zu%s letters %s %zu order %zu classes %zu "
             "fsa %s%s",
             minimum, dimension, g.all_letters ? "elements" : "generators",
             g.all_letters ? g.order : g.generators, g.order, k.count, g.fsa,
             automaton_text ? "" : " unchecked");
}

static const char usage_text[] =
    "usage: rep-check [--memory SIZE] [--time-limit TIME] [AUTOMATON] CERTIFICATE\n"
    "       rep-check --help | --version\n"
    "Checks a certificate of `fsa2lrnn group`: no fewer Householder factors are enough for its\n"
    "group; with AUTOMATON, as `fsa2lrnn fsa convert` writes it, for this automaton's. Prints\n"
    "`s VERIFIED ...` (exit status 0), `s NOT VERIFIED` (1) or, at a limit, `s UNKNOWN` (2).\n"
    "\n"
    "  --memory SIZE       at most SIZE bytes; K, M, G and T are 1024, 1024^2 and so on\n"
    "  --time-limit TIME   ends the run after TIME seconds, or with the unit m or h\n";

static _Noreturn void usage(void)
{
    fputs(usage_text, stderr);
    exit(USAGE);
}

/* Returns the quantity 0.1 .. 2^40, perhaps followed by one of the units, the i-th of which is
 * unit[i] times as much. */
static double quantity(const char *spelling, const char *units, const double *unit)
{
    char *end = NULL;
    double value = spelling && *spelling >= '0' && *spelling <= '9' ? strtod(spelling, &end) : 0;
    const char *found = end && *end ? strchr(units, *end) : NULL;
    if (found) value *= unit[found - units], end++;
    if (!end || *end || !(value >= 0.1 && value <= 1099511627776.0)) usage();
    return value;
}

int main(int count, char **argument)
{
    char verdict[VERDICT];
    double memory = 0, seconds = 0;
    if (count == 2 && strcmp(argument[1], "--version") == 0) {
        puts("rep-check " LRNN_CHECK_VERSION "\nsources sha256 " CHECK_SOURCES_SHA256);
        return VERIFIED;
    }
    if (count == 2 && strcmp(argument[1], "--help") == 0) {
        fputs(usage_text, stdout);
        return fflush(stdout) == 0 ? VERIFIED : UNKNOWN;
    }
    int i = 1;
    for (; i < count && argument[i][0] == '-'; i += 2) {
        if (strcmp(argument[i], "--memory") == 0)
            memory =
                quantity(argument[i + 1], "KMGT", (const double[]){0x1p10, 0x1p20, 0x1p30, 0x1p40});
        else if (strcmp(argument[i], "--time-limit") == 0)
            seconds = quantity(argument[i + 1], "smh", (const double[]){1, 60, 3600});
        else
            usage();
    }
    if (count - i != 1 && count - i != 2) usage();
    start_budget((uint64_t)memory, seconds);
    text automaton_text = {0}, t = load(argument[count - 1]);
    if (count - i == 2) automaton_text = load(argument[i]);
    add_to_budget(left(&t) + left(&automaton_text));
    check(&t, count - i == 2 ? &automaton_text : NULL, verdict);
    puts(verdict);
    return fflush(stdout) == 0 ? VERIFIED : UNKNOWN;
}
