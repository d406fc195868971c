/* lrnn-check AUTOMATON NETWORK CERTIFICATE: does the network give, after every letter of every word, the label of the
 * state that the automaton is in?
 *
 * This file is all there is to trust besides libc and GMP. It shares no code with the compiler that wrote the three
 * files, and it searches nothing: the certificate lists the pairs (state of the network, state of the automaton) that
 * words lead to, and every edge between them and every label is computed again here, in exact rational arithmetic
 * (check_edge). By induction on its length every word leads to a listed pair, and the label there is right
 * (theory/closure.md, C1 and C2).
 *
 * The layers of a cascade have too many joint states to list. There a level, one layer or several after each other,
 * reads (a, X, Y): the input letter and two sets of states of the automaton. Its state s is a code for each of its
 * layers. The certificate lists for each level the pairs (Z, s) that words lead to. Let cur(s) be part 1 of the code of
 * the level's first layer, and child(Z, c) the member c of the cover of Z where Z has this level, else Z. Words lead to
 * pairs (Z_v, s_v) with Z_1 all states, Z_{v+1} = child(Z_v, cur(s_v)) and the automaton's state in Z_{V+1}: (0) the
 * empty word does (check_start), and for every listed pair (X, s) and letter (a, X, Y) of its level, s' being the exact
 * next state, (1) the pair (Y, s') is listed; (2) the decoder of the last layer gives (a, X', Y') with X' = child(X,
 * cur(s)) and Y' = child(Y, cur(s')), (3) which exist, (4) with X'a inside Y'; (5) all states in the last Y' have the
 * label given (check_step). Without (2) a level could read as X another set than the one it read as Y a letter before,
 * and levels that fit each other be wrong (theory/t4.md, T4.10). The induction, on the length of the word and then on
 * the levels, uses of a level that s' and what it hands on are functions of s and the letter read, no more. Layers that
 * are stepped after each other, each by the symbol of the one below (pass), are such a level, whatever these symbols
 * are: so they need no meaning, and nothing is asked of them.
 *
 * The codes of a layer may have boxes, and then stand for all states in them (theory/decay.md). These are intervals for
 * every number of the state, and different codes have disjoint ones for some number (check_boxes), so that a state is in
 * one box at most. A step is right if it takes all of the one box into the other: letters act on every number alone, by
 * affine maps, so it is enough that they take the two corners there where all numbers are least and where all are
 * greatest (leads).
 *
 * A wired network may be the rule form of a quotient of the automaton, and then is right (theory/zeiger.md, Z.6). The
 * certificate gives the quotient. Checked are: that it is one, and keeps labels (check_classes); that there are the
 * gates of Z.3 in their order, each with its wires and with a table that is its function on all entries (next_gate); and
 * by exact arithmetic that slots do what Z.3 says to numbers that are all 0 or 1, equal ones in pairs, which are all
 * that Z.5 has there, and touch no other rows (acts). How tables are shared and factors written does not matter.
 *
 * Or it may be a D1 form of a quotient: a clock counts letters, a ring holds the last 2B of them, gates multiply those
 * of the block of B letters before this one, look up what the last head does next and which state its code then means, and
 * move that by the letters of this block. It is right if theory/d1.md, D1.8, applies. Checked are: the quotient
 * (check_classes); the form, where only the tables T, F, R, M and counts may hold anything (check_count, check_ring,
 * check_applying); (a) by a run of the clock (check_clock); (b) that the ring begins empty (check_d1), and (c) the first
 * label (read_network); (d) and (e) by finding all products and pairs that words lead to, from the empty one on, and what
 * each means, which must never be two things (check_products, check_portions). Heads are stepped from code to code in exact
 * arithmetic. Entries that these walks do not meet may be anything.
 *
 * A network whose numbers are rounded is a finite machine, and claim float lists the pairs (numbers of all layers, state of
 * the automaton) that words lead to, in a number format and an operation schedule, which says what is rounded when. Weights and
 * initial states are correctly rounded to nearest even from their exact values, every step is computed again as the schedule
 * has it, by integers (rounded, turn_head), and decoded by the nearest code, exactly (nearest_symbol). The induction is that of
 * claim exact. Schedules are defined in models/net/f2l_schedule.h, formats in theory/formats.md; -0 is 0 here (F3), and what is not
 * finite ends the check.
 *
 * Claim refuted says of such a machine that it is wrong: it lists the pairs along one word u w w w .., of which the one
 * after the last row is again an earlier one, where a w begins as well. So what follows repeats itself for ever, and the labels along the
 * rows, all computed again here, are those of all lengths (theory/obstruct.md, OB.5). Where a layer gives no symbol there is no label,
 * which is wrong, and the layers above stay as they are (check_refuted).
 *
 * Other claims may be followed by formats and schedules in which nothing rounds, so that they hold there too. What has to be looked
 * at is U2 to U6 of theory/unrounded.md, and for chunk64, where 64 letters are taken at once, U7 to U10: sets of vectors
 * that are closed under the letters, which bound all sums (check_unrounded).
 *
 * Whatever is wrong ends the program, in reject() or give_up(), so that the line after a check may rely on it. One line
 * on standard output is the verdict, the reason goes to standard error, and a wrong command line exits with 64 and no
 * verdict:
 *     s VERIFIED exact layers L heads H householders N key n value d rows R        exit status 0
 *     s VERIFIED cascade layers L heads H householders N key n value d pairs P     0; P in all levels together
 *     s VERIFIED zeiger layers L heads H householders N key n value d states N     0; N classes of the quotient
 *     s VERIFIED d1 layers .. value d block B elements G states N                  0; likewise
 *     s VERIFIED float layers .. value d rows R format p P emin E emax E round R schedule NAME [eps X raw X]       0
 *     s VERIFIED refuted length N period P wrong W layers .. value d rows R format .. [eps X raw X]                0; the network is
 *         wrong after N letters of the word, not before, and at W of P lengths as often as they come back
 *     the claims before the last two, with ` unrounded N` behind them: they hold in N formats and schedules, too   0
 *     s NOT VERIFIED        something in the files is wrong, or one cannot be read        1
 *     s UNKNOWN             memory or a limit of this program ran out                     2
 *
 * The files have single blanks, lines ended by LF and one spelling for every value. A NAME is quoted as in JSON when it
 * is empty, has blanks, control characters or one of # " ( ), or is a word of the first grammar; else it is bare. Names
 * are compared as they are spelled.
 *
 * AUTOMATON, deterministic and total because the form leaves no choice:
 *     fsa 1
 *     letters NAME ..
 *     states NAME ..
 *     start STATE
 *     accept STATE ..                           may be absent
 *     output STATE NAME                         one for every state in order, or none
 *     STATE LETTER STATE                        for every state, for every letter
 * or, by permutations that act from the right,
 *     fsa 1
 *     points N
 *     track elements|points START               states: the group's elements, breadth-first from the identity
 *     accept .. / output ..                     and named by their cycles; or the points, named by numbers
 *     permute LETTER (1 2 3)(4 5)               for every letter; () is the identity
 *
 * NETWORK (here indented); indices count from 1 and increase, zeros are left out, rationals are 0, -3, 5/2:
 *     lrnn 1
 *     fsa SHA256                                of AUTOMATON
 *     field Q
 *     label states|outputs|accept               what the labels are
 *     letters K                                 K times:
 *       letter NAME                               the automaton's, in its order
 *     labels M                                  M times:
 *       symbol NAME
 *     start I                                   the label of the empty word
 *     layers L                                  L times:
 *       layer l letters K heads H codes C symbols M decode state|step|part
 *         parts N ..                            decode part: part p of a code is in 1..N
 *         head h key n value d                  H times:
 *           raw                                     if keys stand as they are: below, 1 in the place of u^T G u
 *           field c_0 .. c_r interval A B           if V below may be a_0,a_1,.. for a_0 + a_1 alpha + ..
 *           form R.C:V ..                           G, with R <= C, if it is not the identity
 *           initial R.C:V ..                      S at the start, n x d
 *           on x gate G factors F [bias R.C:V ..] K times: S <- G S with 0 <= G <= 1, then F times a factor, S <- S + bias
 *             factor BETA u I:V .. [c J:V ..]     S <- S - (BETA / u^T G u) u (u^T G S - c^T); 0 <= BETA <= 2
 *         code i Y R.C:V .. ; R.C:V ..          C times: a state of the layer, head by head, and its symbol Y
 *         box i R.C:A,B .. ; R.C:A,B ..         C times, or not at all: all entries S of a state with code i have A <= S <= B
 *         yield x i Y                           decode step: the symbol when letter x led to code i
 *         yield x p Y ..                        decode part, K times: the symbol for each value of part p
 *     end
 * In a raw head 0 <= BETA u^T u <= 2. Raw heads and biases are only over Q and without a form, and not in wired networks.
 * With boxes all heads are, and every u has one entry; codes lie in their boxes, and intervals of an entry are either those
 * of equal numbers, and equal, or lie on two sides of the middle of the two numbers.
 * Y is "-" where there is no symbol, "*" on the code lines of decode step and V,..,V, the values of the parts, on those
 * of decode part. The symbols of a layer are the letters of the next one, those of the last layer are the labels.
 *
 * Here alpha is the only root between A and B of c_0 + .. + c_r x^r, r > 1, which is monic, with integers as coefficients
 * and no multiple roots (sturm). It should be irreducible, but that is not checked. Numbers are polynomials modulo this one:
 * equal ones are equal at alpha, and edges need no more. Different ones may be equal at alpha if it is reducible, so numbers
 * that have to be different or positive are enclosed in intervals of rationals: any two codes (separate), u^T G u and 0
 * (prepare), and so G is positive definite (read_form). There is no verdict where an interval of alpha that was halved 1,024
 * times is too wide for that.
 *
 * A wired network begins with `lrnn-wired 1`, has no line `field`, and after `start` instead of layers what follows. A
 * wire has a size N and values 1..N. Within a block wires are numbered: inputs, pre gates, readouts, post gates. The
 * input of stage 1 is the letter, those of others are the outputs of the stage before, that of the last is the label:
 *     tables T
 *       table t inputs N .. values V entries v ..         N: sizes, perhaps none; the last input runs fastest
 *     blocks B
 *       block b inputs N ..
 *         pre P                                           P times:
 *           gate t w ..                                     what table t gives for the wires w, which come before
 *         heads H
 *           head h key n value d slots J                    J times, and done in this order:
 *             slot j wire w                                   an input or a pre gate; for each of its values:
 *               on x gate G factors F                           as above
 *         readouts R                                      in order, they divide the rows of the heads:
 *           readout r head h rows A B codes C               which code the rows hold after the step
 *             code i R.C:V ..                                 rows count from 1
 *         post P                                          as pre
 *         outputs w ..
 *     stages L
 *       stage l block b
 *         initial R.C:V ..                                for each head
 *     end
 *
 * CERTIFICATE:
 *     lrnn-certificate 1
 *     fsa SHA256
 *     network SHA256
 *     claim exact|cascade|d1|zeiger|float|refuted
 *     FORMAT, then on the next line SCHEDULE                 float, refuted; below
 *     unrounded FORMAT SCHEDULE                              not these; for each one in which nothing rounds, and
 *     set layer l head h vectors N                             with chunk64, for each head: N times, in this order,
 *     vector column j I:V .. / image I:V .. / back I:V ..        U7: C_1, .. C_d, I, J
 *     bound layer l head h WHAT places S most V                U9: for each WHAT in its order
 *     size layers L heads H householders N key n value d     layers: stages with heads; then maxima over all of them
 *     letters K states Q rows R                              exact; one code for each layer or for each readout
 *     row i state q codes c_1 .. next r_1 .. r_K             R times, all different; the first is the start,
 *     end R                                                  the others are each named by an earlier one
 *     letters K states Q numbers N rows R                    float; N numbers in a state of all layers and heads
 *     row i state q numbers X_1 .. X_N next r_1 .. r_K       R times, likewise
 *     end R
 *     letters K states Q numbers N rows R                    refuted; the first line if u has letters
 *     prefix a ..                                              u
 *     word a ..                                              w
 *     row i state q numbers X_1 .. X_N                       R times; row i is after i - 1 letters
 *     back r                                                 row r is what comes after row R; it is not within u, and
 *     end R                                                  there are whole w's from row r to it
 *     letters K states Q sets F levels V                     cascade, where every layer is decode part
 *     set i level v members q .. [cover i ..]                F times; the first is all states; v in 1..V+1, and
 *     level v layers W contexts C pairs P                    no cover at V+1 or for one state; V times, W more layers:
 *       context x letter a from X to Y                         C times: what letter x of the first one stands for
 *       pair p set Z codes c_1 .. c_W [child J] next p ..      P times, different, the start or named by an earlier one;
 *     start p_1 .. p_V                                         next: one for each context from Z; J: the set that the
 *                                                              level hands on, with all pairs of a level or none; else
 *                                                              part 1 of c_1 names it in Z's cover, if Z has level v
 *     end F
 *     letters K states Q classes N                           zeiger; and with d1 on the same line
 *         clock C block B elements G                           C layers count to 2B, gates multiply G elements
 *     class c_1 .. c_Q                                       of each state; 0 where no word leads
 *     end N
 *     sha256 HEX                                             of all bytes before this line
 *
 * FORMAT:
 *     format precision P emin E emax E largest X subnormals yes|no overflow infinity|nan|saturate
 *         round nearest|zero|up|down                         on one line; stochastic, too, where nothing rounds
 * SCHEDULE:
 *     schedule every|fma|acc32|recurrent|cast|chunk64 [eps X raw X]
 * X is 0, an odd integer m, or MpE for m 2^e with m odd and e != 0. */
#include <errno.h>
#include <gmp.h>
#include <limits.h>
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

/* What a few bytes may stand for: states of a group, entries of a table or a matrix. */
#ifndef LRNN_CHECK_LIMITS
#define MAX_STATES ((size_t)4000000)
#define MAX_TABLE ((size_t)1 << 28)
#define MAX_MATRIX ((size_t)1 << 24)
#define MAX_DEGREE ((size_t)64)
#define MAX_FORM ((size_t)256)
#define MAX_COMBINATIONS ((size_t)1 << 20)
#endif
#define MAX_BITS ((size_t)1024)           /* of an interval: it is halved so often at most */
#define MAX_UNROUNDED ((size_t)64)        /* blocks, as each one takes memory */
#define FACTS ((size_t)1 << 12)           /* remembered at a time */
#define MAX_FILE ((size_t)UINT32_MAX - 1) /* every count that bytes of a file stand behind fits 32 bits */
#define MAX_CLAIM 640
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define NONE SIZE_MAX
#define UNSET UINT32_MAX

enum { VERIFIED = 0, NOT_VERIFIED = 1, UNKNOWN = 2, USAGE = 64 };

/* A file in memory, read up to `at`. There is a zero byte at `end`. */
typedef struct text {
    const char *path, *bytes, *at, *end;
    size_t line;
} text;

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "lrnn-check: %s\n", why);
    puts("s UNKNOWN");
    exit(UNKNOWN);
}

__attribute__((format(printf, 2, 3))) static _Noreturn void reject(const text *t, const char *format, ...)
{
    char reason[300];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    fprintf(stderr, "%s:%zu: %s (pass OUT/automaton.fsa, OUT/network.lrnn, OUT/certificate.cert)\n", t->path,
            t->line, reason);
    puts("s NOT VERIFIED");
    exit(NOT_VERIFIED);
}

/* Memory is kept until the program ends. Each chunk points to the one before it, which is how leak detectors
 * tell kept from lost. */
typedef struct chunk {
    struct chunk *older;
    max_align_t data[];
} chunk;

static chunk *newest;

/* count * size bytes, zero. */
static void *grab(size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(chunk)) / size) give_up("out of memory");
    chunk *c = calloc(1, sizeof(chunk) + count * size);
    if (!c) give_up("out of memory");
    c->older = newest;
    newest = c;
    return c->data;
}

/* The array with room for one element more. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return array;
    *capacity = count < 8 ? 16 : 2 * count;
    void *larger = grab(*capacity, size);
    if (array) memcpy(larger, array, count * size);
    return larger;
}

/* GMP would abort where memory is out. */
static void *gmp_reallocate(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    void *p = realloc(old, size);
    if (!p) give_up("out of memory");
    return p;
}

static void *gmp_allocate(size_t size)
{
    return gmp_reallocate(NULL, 0, size);
}

/* SHA-256, FIPS 180-4. */
static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t state[8], const unsigned char *bytes)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
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
        uint32_t t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) + choice + k[i] + w[i];
        uint32_t t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

/* "word HEX", as lines of the files name another file. */
static void sha256_line(char line[80], const char *word, const char *bytes, size_t size)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[128] = {0};
    const size_t whole = size / 64 * 64, rest = size - whole, padded = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) sha256_block(state, (const unsigned char *)bytes + i);
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++) last[padded - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += 64) sha256_block(state, last + i);
    line += sprintf(line, "%s ", word);
    for (int i = 0; i < 8; i++) line += sprintf(line, "%08lx", (unsigned long)state[i]);
}

typedef struct name {
    const char *bytes;
    size_t size;
} name;

/* Different byte strings, numbered as they came. A slot holds number + 1, or 0. */
typedef struct set {
    name *item;
    size_t count, capacity, *slot, slots;
} set;

static bool same_name(name a, name b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* The slot where the string is or belongs. */
static size_t *slot_of(const set *s, name x)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < x.size; i++) h = (h ^ (unsigned char)x.bytes[i]) * 1099511628211u;
    size_t i = (size_t)(h ^ h >> 32) & (s->slots - 1);
    while (s->slot[i] && !same_name(s->item[s->slot[i] - 1], x)) i = (i + 1) & (s->slots - 1);
    return &s->slot[i];
}

/* The number of the string, or NONE. */
static size_t find(const set *s, name x)
{
    return s->slots > 0 ? *slot_of(s, x) - 1 : NONE;
}

/* Adds the string, whose bytes must stay; false when it was there. */
static bool add(set *s, name x)
{
    if (find(s, x) != NONE) return false;
    s->item = grow(s->item, s->count, &s->capacity, sizeof *s->item);
    s->item[s->count++] = x;
    if (2 * s->count < s->slots) {
        *slot_of(s, x) = s->count;
        return true;
    }
    s->slots = s->slots > 0 ? 2 * s->slots : 64;
    s->slot = grab(s->slots, sizeof *s->slot);
    for (size_t i = 0; i < s->count; i++) *slot_of(s, s->item[i]) = i + 1;
    return true;
}

/* The number of the string, which is added unless it is there. */
static size_t intern(set *s, name x)
{
    add(s, x);
    return find(s, x);
}

static size_t left(const text *t)
{
    return (size_t)(t->end - t->at);
}

static bool comes(const text *t, const char *word)
{
    return left(t) >= strlen(word) && memcmp(t->at, word, strlen(word)) == 0;
}

static void expect(text *t, const char *word)
{
    if (!comes(t, word)) reject(t, "expected `%s`", word);
    t->at += strlen(word);
}

static void end_line(text *t)
{
    if (t->at == t->end || *t->at != '\n') reject(t, "expected the end of the line");
    t->at++;
    t->line++;
}

static void whole_line(text *t, const char *words)
{
    expect(t, words);
    end_line(t);
}

/* A decimal number in least..most, most <= MAX_FILE, after the bytes `before`. */
static size_t number(text *t, const char *before, size_t least, size_t most)
{
    expect(t, before);
    const char *from = t->at;
    size_t value = 0;
    while (*t->at >= '0' && *t->at <= '9' && value <= MAX_FILE) value = 10 * value + (size_t)(*t->at++ - '0');
    if (t->at == from || (*from == '0' && t->at > from + 1) || value < least || value > most)
        reject(t, "expected a number from %zu to %zu after `%s`", least, most, before);
    return value;
}

static size_t number_line(text *t, const char *before, size_t least, size_t most)
{
    const size_t value = number(t, before, least, most);
    end_line(t);
    return value;
}

/* How many things follow that take `bytes` bytes or more each, so that a count never exceeds the file. */
static size_t count_of(text *t, const char *word, size_t least, size_t bytes)
{
    const size_t value = number(t, word, least, MAX_FILE);
    if (value > left(t) / bytes) reject(t, "the file is too short for what stands after `%s`", word);
    return value;
}

/* " N" .., one or more after the word, in 1..most; what is stored is less by `base`. */
static uint32_t *read_numbers(text *t, const char *word, size_t base, size_t most, size_t *count)
{
    expect(t, word);
    const size_t span = strspn(t->at, " 0123456789");
    *count = 0;
    for (size_t i = 0; i < span; i++) *count += t->at[i] == ' ' && t->at[i + 1] >= '0' && t->at[i + 1] <= '9';
    if (*count == 0) reject(t, "expected a number");
    uint32_t *value = grab(*count, sizeof *value);
    for (size_t i = 0; i < *count; i++) value[i] = (uint32_t)(number(t, " ", 1, most) - base);
    return value;
}

/* Room for what follows on lines of its own, each of `bytes` bytes or more; sets *count. */
static void *grab_lines(text *t, const char *word, size_t least, size_t bytes, size_t *count, size_t size)
{
    *count = count_of(t, word, least, bytes);
    end_line(t);
    return grab(*count, size);
}

/* A rational in 0..most, or any where most is 0; it must be spelled as GMP writes it in lowest terms. */
static void rational(text *t, const char *before, mpq_t out, unsigned long most)
{
    expect(t, before);
    const size_t size = strspn(t->at, "-/0123456789");
    char small[64], *spelling = size < sizeof small ? small : grab(size + 1, 1);
    memcpy(spelling, t->at, size);
    spelling[size] = '\0';
    const bool valid = mpq_set_str(out, spelling, 10) == 0 && mpz_sgn(mpq_denref(out)) != 0;
    if (valid) mpq_canonicalize(out);
    char *canonical = mpq_get_str(NULL, 10, out);
    const bool same = valid && strcmp(canonical, spelling) == 0;
    free(canonical);
    if (!same) reject(t, "expected a rational in lowest terms");
    t->at += size;
    if (most > 0 && (mpq_sgn(out) < 0 || mpq_cmp_ui(out, most, 1) > 0))
        reject(t, "expected a number in 0..%lu after `%s`", most, before);
}

/* Words that begin lines of the automaton, so that names like them are quoted. */
static bool is_word(name x)
{
    static const char *const word[] = {"eps",    "fsa",    "letters", "states", "start",
                                       "accept", "output", "points",  "track",  "permute"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (same_name(x, (name){word[i], strlen(word[i])})) return true;
    return false;
}

/* A name as it is spelled, quotes included. */
static name read_name(text *t, const char *before)
{
    expect(t, before);
    const bool quoted = *t->at == '"';
    const char *from = t->at + quoted;
    bool special = false; /* something that only a quoted name may have */
    for (t->at = from; (unsigned char)*t->at >= ' ' && *t->at != 0x7f && *t->at != '"'; t->at++) {
        if (strchr(" #()", *t->at) || (quoted && *t->at == '\\')) special = true;
        if (special && !quoted) break;
        if (quoted && *t->at == '\\' && (!*++t->at || !strchr("\"\\ntrbf", *t->at)) && !comes(t, "u000") &&
            !comes(t, "u001") && !comes(t, "u007f"))
            reject(t, "expected one of the escapes that names need");
    }
    const name inner = {from, (size_t)(t->at - from)};
    if (quoted) expect(t, "\"");
    if (quoted != ((quoted && special) || inner.size == 0 || is_word(inner))) reject(t, "expected a name");
    return quoted ? (name){from - 1, inner.size + 2} : inner;
}

typedef enum label { LABEL_STATES, LABEL_OUTPUTS, LABEL_ACCEPT } label;

/* next[state * letters.count + letter] */
typedef struct automaton {
    set letters, states;
    size_t start;
    uint32_t *next;
    bool has_accept, has_output, *accept;
    name *output;
} automaton;

/* The label of a state, as a name is spelled: `accept` is a word. */
static name label_of(const automaton *a, label kind, size_t state)
{
    if (kind == LABEL_STATES) return a->states.item[state];
    if (kind == LABEL_OUTPUTS) return a->output[state];
    return a->accept[state] ? (name){"\"accept\"", 8} : (name){"reject", 6};
}

static void read_new_names(set *names, text *t)
{
    do {
        if (!add(names, read_name(t, " "))) reject(t, "a name stands twice");
    } while (*t->at == ' ');
    end_line(t);
}

static size_t read_known_name(const set *names, text *t, const char *before)
{
    const size_t index = find(names, read_name(t, before));
    if (index == NONE) reject(t, "an unknown name");
    return index;
}

static void expect_name(text *t, const char *before, name x)
{
    if (!same_name(read_name(t, before), x))
        reject(t, "expected `%.*s`", x.size < 99 ? (int)x.size : 99, x.bytes);
}

/* The accept and output lines. */
static void read_marks(automaton *a, text *t)
{
    a->accept = grab(a->states.count, sizeof *a->accept);
    a->output = grab(a->states.count, sizeof *a->output);
    a->has_accept = comes(t, "accept ") || comes(t, "accept\n");
    if (a->has_accept) expect(t, "accept");
    for (size_t least = 0, s; a->has_accept && *t->at == ' '; least = s + 1) {
        s = read_known_name(&a->states, t, " ");
        if (s < least) reject(t, "expected states in order");
        a->accept[s] = true;
    }
    if (a->has_accept) end_line(t);
    a->has_output = comes(t, "output ");
    for (size_t s = 0; a->has_output && s < a->states.count; s++) {
        expect_name(t, "output ", a->states.item[s]);
        a->output[s] = read_name(t, " ");
        end_line(t);
    }
}

static void read_edges(automaton *a, text *t)
{
    expect(t, "letters");
    read_new_names(&a->letters, t);
    expect(t, "states");
    read_new_names(&a->states, t);
    a->start = read_known_name(&a->states, t, "start ");
    end_line(t);
    read_marks(a, t);
    if (a->states.count * a->letters.count > left(t)) reject(t, "too few edges");
    a->next = grab(a->states.count * a->letters.count, sizeof *a->next);
    uint32_t *next = a->next;
    for (size_t s = 0; s < a->states.count; s++)
        for (size_t w = 0; w < a->letters.count; w++) {
            expect_name(t, "", a->states.item[s]);
            expect_name(t, " ", a->letters.item[w]);
            *next++ = (uint32_t)read_known_name(&a->states, t, " ");
            end_line(t);
        }
}

/* () or cycles such as (1 2 3)(4 5), each from its least point, in the order of these. Point p goes to image[p]. */
static uint32_t *read_cycles(text *t, size_t points)
{
    uint32_t *image = grab(points, sizeof *image);
    for (size_t p = 0; p < points; p++) image[p] = UNSET;
    const bool identity = comes(t, "()");
    if (identity) expect(t, "()");
    for (size_t least = 1; *t->at == '(' && !identity;) {
        const uint32_t first = (uint32_t)number(t, "(", least, points) - 1;
        uint32_t last = first;
        do {
            const uint32_t p = (uint32_t)number(t, " ", first + 2, points) - 1;
            if (p == last || image[p] != UNSET || image[last] != UNSET) reject(t, "a point stands twice");
            image[last] = p;
            last = p;
        } while (*t->at == ' ');
        image[last] = first;
        least = first + 2;
        expect(t, ")");
    }
    for (size_t p = 0; p < points; p++)
        if (image[p] == UNSET) image[p] = (uint32_t)p;
    return image;
}

/* The permutation as read_cycles reads it, quoted as a name. */
static name cycle_name(const uint32_t *image, size_t points, bool *done)
{
    char *bytes = grab(14 * points + 5, 1), *out = bytes;
    memset(done, 0, points);
    out += sprintf(out, "\"");
    for (size_t p = 0; p < points; p++) {
        if (done[p] || image[p] == p) continue;
        out += sprintf(out, "(%zu", p + 1);
        for (size_t q = image[p]; q != p; q = image[q]) {
            done[q] = true;
            out += sprintf(out, " %zu", q + 1);
        }
        out += sprintf(out, ")");
    }
    out += sprintf(out, out == bytes + 1 ? "()\"" : "\"");
    return (name){bytes, (size_t)(out - bytes)};
}

static void number_points(automaton *a, uint32_t *const *image, size_t points)
{
    const size_t letters = a->letters.count;
    a->next = grab(points * letters, sizeof *a->next);
    for (size_t p = 0; p < points; p++) {
        char *bytes = grab(24, 1);
        add(&a->states, (name){bytes, (size_t)sprintf(bytes, "%zu", p + 1)});
        for (size_t w = 0; w < letters; w++) a->next[p * letters + w] = image[w][p];
    }
}

/* Breadth-first from the identity; element g, then letter w, sends p to image[w][g[p]]. */
static void number_elements(automaton *a, uint32_t *const *image, size_t points)
{
    set elements = {0};
    size_t edges = 0, capacity = 0;
    uint32_t *spare = grab(points, sizeof *spare);
    for (size_t p = 0; p < points; p++) spare[p] = (uint32_t)p;
    add(&elements, (name){(const char *)spare, points * sizeof *spare});
    spare = grab(points, sizeof *spare);
    for (size_t g = 0; g < elements.count; g++)
        for (size_t w = 0; w < a->letters.count; w++) {
            const uint32_t *from = (const void *)elements.item[g].bytes;
            for (size_t p = 0; p < points; p++) spare[p] = image[w][from[p]];
            const name to = {(const char *)spare, points * sizeof *spare};
            if (add(&elements, to)) spare = grab(points, sizeof *spare);
            a->next = grow(a->next, edges, &capacity, sizeof *a->next);
            a->next[edges++] = (uint32_t)find(&elements, to);
            if (elements.count > MAX_STATES || elements.count * points > MAX_TABLE || edges > MAX_TABLE)
                give_up("the group has too many elements");
        }
    bool *done = grab(points, sizeof *done);
    for (size_t g = 0; g < elements.count; g++)
        add(&a->states, cycle_name((const void *)elements.item[g].bytes, points, done));
}

static void read_group(automaton *a, text *t)
{
    const size_t points = number(t, "points ", 1, MAX_FILE);
    if (points > MAX_STATES) give_up("too many points");
    end_line(t);
    expect(t, "track ");
    const bool elements = comes(t, "elements");
    if (elements) whole_line(t, "elements");
    if (!elements) a->start = number_line(t, "points ", 1, points) - 1;
    text marks = *t; /* they name states, which the permutations define */
    while (left(t) > 0 && !comes(t, "permute ")) {
        while (*t->at != '\n' && left(t) > 0) t->at++;
        end_line(t);
    }
    const char *first = t->at;
    uint32_t **image = NULL;
    size_t capacity = 0;
    do {
        if (!add(&a->letters, read_name(t, "permute "))) reject(t, "a letter stands twice");
        if (a->letters.count * points > MAX_TABLE) give_up("the permutations are too large");
        expect(t, " ");
        image = grow(image, a->letters.count - 1, &capacity, sizeof *image);
        image[a->letters.count - 1] = read_cycles(t, points);
        end_line(t);
    } while (left(t) > 0);
    (elements ? number_elements : number_points)(a, image, points);
    read_marks(a, &marks);
    if (marks.at != first) reject(&marks, "expected `permute`");
}

static void read_automaton(automaton *a, text *t)
{
    whole_line(t, "fsa 1");
    (comes(t, "points") ? read_group : read_edges)(a, t);
    if (left(t) > 0) reject(t, "expected the end of the file");
}

/* Q(alpha), or Q with r = 1. A number is r coefficients of 1, alpha, .. side by side. low and high: powers of the ends of an
 * interval that has alpha but not 0 inside, and was halved `bits` times. */
typedef struct field {
    size_t degree, bits;
    mpq_t *polynomial, *low, *high, *p, *q, product, ratio; /* [r + 1]; from p on scratch, [2r + 2] */
} field;

/* The coefficients that are not zero of numbers side by side; those of a matrix row by row. Indices increase. */
typedef struct vector {
    struct entry {
        size_t index;
        mpq_t value;
    } * entry;
    size_t count;
} vector;

/* The end of its entries, of which there may be no array. */
static const struct entry *behind(const vector *v)
{
    return v->count > 0 ? v->entry + v->count : v->entry;
}

/* S <- S - u (c^T - w^T S), with w = G u of the u in the file, and u = - BETA / u^T w times that one; - BETA times it in a
 * raw head. */
typedef struct factor {
    vector u, w, c;
    mpq_t beta;
} factor;

typedef struct transition {
    mpq_t gate;
    factor *factor;
    size_t factors;
    vector bias;
    name spelled;
} transition;

/* Its state stands at `at` in that of the block. A slot does on[value of the wire]. form: -G, or NULL. plain: of a layer,
 * over Q and without a form. */
typedef struct head {
    size_t n, d, at, entries, slots, householders;
    bool plain, raw;
    field *k;
    mpq_t *form, *column; /* column: scratch, zero, [n] */
    struct slot {
        size_t wire, values;
        transition *on;
        struct turn *in; /* the same in a number format */
    } * slot;
} head;

/* Table look-ups that give the wires from `first` on; value[entries], the last input fastest; line: of the first one. */
typedef struct circuit {
    struct gate {
        const struct lookup {
            uint32_t *size, *value;
            size_t inputs, values, entries;
        } * table;
        uint32_t *wire;
    } * gate;
    size_t gates, first, line;
} circuit;

/* A layer, or what stages of a wired network share. Wires: inputs, pre gates, readouts, post gates; their values, codes
 * and symbols count from 0. `joint` numbers say the codes of all readouts: one for each, or in a layer one for them all.
 * A layer reads its letter only, each of its heads has one slot and one readout, and instead of post gates there is a
 * decoder (symbol_after). reads, gives: numbers for the sizes of inputs and of outputs. */
typedef struct block {
    size_t inputs, heads, readouts, joint, outputs, wires, capacity, reads, gives, entries;
    uint32_t *size, *output; /* [wires], [outputs] */
    circuit pre, post;
    head *head;
    struct readout {
        size_t at, entries, codes;
        vector *code;
        set spelled;        /* the codes; not of a layer */
        vector *low, *high; /* the boxes, or NULL */
    } * readout;
    bool by_letter;                 /* decode step */
    size_t letters, symbols, parts; /* parts: decode part, else 0 */
    uint32_t *symbol, *values;      /* values[parts] */
    uint32_t *part, *read;          /* [codes][parts], [letters] the part that is read */
    size_t *symbol_at, *spelling;   /* [letters]; spelling: equal only where transitions are */
} block;

typedef struct stage {
    const block *block;
    vector *initial; /* [heads] */
} stage;

/* In an ordinary network stage l is layer l and block l. joint, numbers (in a state): of all stages; heads .. wires: maxima. */
typedef struct network {
    bool wired;
    label kind;
    set labels;
    size_t layers, tables, blocks, stages, joint, heads, householders, key, value, entries, numbers, wires;
    struct lookup *table;
    block *block;
    stage *stage;
} network;

static mpq_t *zeros(size_t count)
{
    mpq_t *a = grab(count, sizeof *a);
    for (size_t i = 0; i < count; i++) mpq_init(a[i]);
    return a;
}

static void clear(mpq_t *a, size_t count)
{
    for (size_t i = 0; i < count; i++) mpq_set_ui(a[i], 0, 1);
}

/* out -= a b */
static void subtract(field *k, mpq_t *out, const mpq_t a, mpq_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mpq_sgn(b[i]) == 0) continue;
        mpq_mul(k->product, a, b[i]);
        mpq_sub(out[i], out[i], k->product);
    }
}

/* Subtracts multiples of b, which has degree m, from a until this has no powers m .. n - 1. */
static void divide(field *k, mpq_t *a, size_t n, mpq_t *b, size_t m, size_t count)
{
    while (n-- > m) {
        if (mpq_sgn(a[n]) == 0) continue;
        mpq_div(k->ratio, a[n], b[m]);
        subtract(k, a + n - m, k->ratio, b, count);
    }
}

/* Makes p a number. */
static void reduce(field *k)
{
    divide(k, k->p, 2 * k->degree - 1, k->polynomial, k->degree, k->degree + 1);
}

static int sign_at(field *k, mpq_t *polynomial, const mpq_t x)
{
    mpq_set_ui(k->product, 0, 1);
    for (size_t i = k->degree + 1; i-- > 0;) {
        mpq_mul(k->product, k->product, x);
        mpq_add(k->product, k->product, polynomial[i]);
    }
    return mpq_sgn(k->product);
}

/* Sturm's chain from a and b on, which is Euclid's algorithm with signs: returns the last one, or NULL if it is no number.
 * What is done to a polynomial is done to the one that stands r + 1 places behind it. changes, if there: by how many signs
 * more change in the chain at low than at high. */
static mpq_t *sturm(field *k, mpq_t *a, mpq_t *b, int *changes)
{
    const size_t r = k->degree;
    size_t m = r + 1;
    while (m > 0 && mpq_sgn(b[m - 1]) == 0) m--;
    if (changes) *changes += (sign_at(k, a, k->low[1]) < 0) != (sign_at(k, b, k->low[1]) < 0);
    if (changes) *changes -= (sign_at(k, a, k->high[1]) < 0) != (sign_at(k, b, k->high[1]) < 0);
    if (m < 2) return m > 0 ? b : NULL;
    mpq_abs(k->ratio, b[m - 1]); /* lest coefficients become long */
    for (size_t i = 0; i < 2 * r + 2; i++) mpq_div(b[i], b[i], k->ratio);
    divide(k, a, r + 1, b, m - 1, 2 * r + 2);
    for (size_t i = 0; i < 2 * r + 2; i++) mpq_neg(a[i], a[i]);
    return sturm(k, b, a, changes);
}

/* Halves the interval 64 times. */
static void refine(field *k)
{
    const int below = sign_at(k, k->polynomial, k->low[1]);
    if ((k->bits += 64) > MAX_BITS) give_up("numbers are too close to each other or to 0");
    for (size_t i = 0; i < 64; i++) {
        mpq_add(k->product, k->low[1], k->high[1]);
        mpq_div_2exp(k->ratio, k->product, 1);
        mpq_set(sign_at(k, k->polynomial, k->ratio) == below ? k->low[1] : k->high[1], k->ratio);
    }
    for (size_t i = 2; i < k->degree; i++) {
        mpq_mul(k->low[i], k->low[i - 1], k->low[1]);
        mpq_mul(k->high[i], k->high[i - 1], k->high[1]);
    }
}

/* Adds to the interval from sum[0] to sum[1] one that holds the number; a power rises or falls from low to high. */
static void enclose(field *k, mpq_t *sum, mpq_t *a)
{
    for (size_t i = 0; i < k->degree; i++) {
        mpq_mul(k->product, a[i], k->low[i]);
        mpq_mul(k->ratio, a[i], k->high[i]);
        const bool rises = mpq_cmp(k->product, k->ratio) <= 0;
        mpq_add(sum[!rises], sum[!rises], k->product);
        mpq_add(sum[rises], sum[rises], k->ratio);
    }
}

/* "field c_0 .. c_r interval A B", or nothing for Q. */
static field *read_field(text *t)
{
    const bool given = comes(t, "field ");
    size_t spaces = given ? 0 : 3;
    if (given) expect(t, "field");
    size_t span = given ? strspn(t->at, " -0123456789") : 0; /* it ends at a number that is no integer */
    while (span-- > 0) spaces += t->at[span] == ' ';
    if (spaces < 3 + (size_t)given) reject(t, "expected a polynomial of degree 2 or more");
    const size_t r = spaces - 2;
    if (r > MAX_DEGREE) give_up("the degree of a field is too large");
    field *k = grab(1, sizeof *k);
    mpq_t *a = zeros(7 * r + 7), *b = a + r + 1, *c = b + r + 1;
    *k = (field){.degree = r, .polynomial = a, .low = b, .high = c, .p = c + r + 1, .q = c + 3 * r + 3};
    mpq_inits(k->product, k->ratio, NULL);
    mpq_set_ui(b[0], 1, 1);
    mpq_set_ui(c[0], 1, 1);
    if (!given) return k;
    for (size_t i = 0; i <= r; i++) {
        rational(t, " ", a[i], 0);
        mpq_set(k->p[i], a[i]);
        mpq_set_ui(k->product, i, 1);
        if (i > 0) mpq_mul(k->q[i - 1], k->product, a[i]);
    }
    if (mpq_sgn(a[0]) == 0 || mpq_cmp_ui(a[r], 1, 1) != 0) reject(t, "expected c_0 != 0 and c_r = 1");
    rational(t, " interval ", b[1], 0);
    rational(t, " ", c[1], 0);
    int roots = 0;
    if (sign_at(k, a, b[1]) == 0 || sign_at(k, a, c[1]) == 0 || !sturm(k, k->p, k->q, &roots) || roots != 1)
        reject(t, "expected one root in the interval, and no multiple ones");
    end_line(t);
    do refine(k);
    while (mpq_sgn(b[1]) * mpq_sgn(c[1]) < 0);
    return k;
}

/* " I:V" .. with I <= rows; with columns > 0, " R.C:V" ..; V is "a_0,a_1,..", of which the last one is not 0. */
static vector read_vector(text *t, size_t rows, size_t columns, size_t degree)
{
    size_t entries = 0, span = strspn(t->at, " ,.:-/0123456789");
    while (span-- > 0) entries += t->at[span] == ':' || t->at[span] == ',';
    vector v = {grab(entries, sizeof *v.entry), 0};
    for (size_t i = 0; i < entries; i++) mpq_init(v.entry[i].value);
    for (size_t least = 0; t->at[0] == ' ' && t->at[1] >= '0' && t->at[1] <= '9';) {
        size_t at = number(t, " ", 1, rows) - 1, power = 0;
        if (columns > 0) at = at * columns + number(t, ".", 1, columns) - 1;
        if (at < least) reject(t, "expected increasing indices");
        least = at + 1;
        struct entry *e;
        do {
            e = &v.entry[v.count];
            rational(t, power > 0 ? "," : ":", e->value, 0);
            e->index = at * degree + power;
            v.count += mpq_sgn(e->value) != 0;
        } while (++power < degree && *t->at == ',');
        if (mpq_sgn(e->value) == 0) reject(t, "expected no zero entries");
    }
    return v;
}

/* The numbers at a become those from index `at` on of the vector, which has room for them. */
static void append(vector *v, size_t at, mpq_t *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mpq_sgn(a[i]) == 0) continue;
        v->entry[v->count].index = at + i;
        mpq_init(v->entry[v->count].value);
        mpq_set(v->entry[v->count++].value, a[i]);
    }
}

/* p -= w^T S, of a column at s of a matrix S with d columns. */
static void subtract_product(field *k, const vector *w, mpq_t *s, size_t d)
{
    const size_t r = k->degree;
    for (size_t i = 0; i < w->count; i++) {
        const struct entry *e = &w->entry[i];
        subtract(k, k->p + e->index % r, e->value, s + e->index / r * d * r, r);
    }
    reduce(k);
}

/* S <- S - u (c^T - w^T S), column by column; S is n x d and stands at s. */
static void apply(const head *h, mpq_t *s, size_t d, const factor *f)
{
    const size_t r = h->k->degree;
    mpq_t *p = h->k->p;
    size_t next = 0;
    for (size_t j = 0; j < d; j++, s += r) {
        clear(p, 2 * r);
        for (; next < f->c.count && f->c.entry[next].index / r == j; next++)
            mpq_set(p[f->c.entry[next].index % r], f->c.entry[next].value);
        subtract_product(h->k, &f->w, s, d);
        for (size_t power = 0;;) {
            for (const struct entry *u = f->u.entry; u < f->u.entry + f->u.count; u++)
                /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no degree is 0 */
                if (u->index % r == power) subtract(h->k, s + u->index / r * d * r, u->value, p, r);
            if (++power == r) break;
            for (size_t i = r; i > 0; i--) mpq_swap(p[i], p[i - 1]); /* times alpha */
            reduce(h->k);
        }
    }
}

/* Makes what apply needs of BETA and the u in the file. */
static void prepare(factor *f, const text *t, const head *h, const mpq_t beta)
{
    field *k = h->k;
    const size_t r = k->degree;
    factor scaling = {.u = f->u, .c = {grab(r, sizeof(struct entry)), 0}};
    f->w = f->u;
    if (h->form) f->w = (vector){grab(h->n * r, sizeof(struct entry)), 0};
    for (size_t i = 0; h->form && i < h->n; i++) {
        clear(k->p, 2 * r);
        subtract_product(k, &f->u, h->form + i * h->n * r, 1);
        append(&f->w, i * r, k->p, r);
    }
    clear(k->p, 2 * r + 2);
    for (size_t i = 0; i < f->u.count; i++) mpq_set(h->column[f->u.entry[i].index], f->u.entry[i].value);
    subtract_product(k, &f->w, h->column, 1); /* p is -u^T G u */
    for (size_t i = 0; i < f->u.count; i++) clear(&h->column[f->u.entry[i].index], 1);
    for (;; refine(k)) {
        clear(k->q, 2 * r + 2);
        enclose(k, k->q, k->p);
        if (mpq_sgn(k->q[1]) < 0) break;
        if (mpq_sgn(k->q[0]) >= 0) reject(t, "u^T G u is not positive");
    }
    for (size_t i = 0; i <= r; i++) mpq_set(k->q[i], k->polynomial[i]);
    mpq_set_si(k->p[r + 1], -1, 1);
    mpq_t *last = sturm(k, k->q, k->p, NULL);
    if (!last) reject(t, "u^T G u has no inverse modulo the polynomial");
    mpq_div(k->ratio, beta, last[0]);
    for (size_t i = 0; i < r; i++) mpq_mul(last[i], last[r + 1 + i], k->ratio);
    append(&scaling.c, 0, last, r);
    apply(h, h->column, 1, &scaling); /* to -u BETA / u^T G u */
    f->u = (vector){grab(f->u.count * r, sizeof(struct entry)), 0};
    for (size_t i = 0; i < scaling.u.count; i++) {
        const size_t at = scaling.u.entry[i].index / r * r;
        append(&f->u, at, h->column + at, r);
        clear(h->column + at, r);
    }
}

/* "form R.C:V .."; it is positive definite when vectors that are 1 in one row each still have positive squares when they
 * are made orthogonal to those before. */
static void read_form(head *h, text *t)
{
    const size_t n = h->n, r = h->k->degree;
    if (n > MAX_FORM) give_up("a form is too large");
    expect(t, "form");
    const vector v = read_vector(t, n, n, r);
    factor *f = grab(n, sizeof *f);
    bool identity = v.count == n;
    h->form = zeros(n * n * r);
    for (size_t entry = 0; entry < v.count; entry++) {
        const struct entry *e = &v.entry[entry];
        const size_t power = e->index % r, i = e->index / r / n, j = e->index / r % n;
        if (i > j) reject(t, "expected nothing below the diagonal");
        mpq_neg(h->form[(i * n + j) * r + power], e->value);
        mpq_neg(h->form[(j * n + i) * r + power], e->value);
        identity = identity && power == 0 && mpq_cmp_ui(e->value, 1, 1) == 0;
    }
    if (identity) reject(t, "expected no form that is the identity");
    for (size_t i = 0; i < n; i++) {
        mpq_set_ui(h->column[i * r], 1, 1);
        for (size_t j = 0; j < i; j++) apply(h, h->column, 1, &f[j]);
        f[i].u.entry = grab(n * r, sizeof *f[i].u.entry);
        append(&f[i].u, 0, h->column, n * r);
        clear(h->column, n * r);
        prepare(&f[i], t, h, h->k->low[0]); /* 1 */
    }
    end_line(t);
}

/* The sum of the squares of the entries of a vector over Q. */
static void square_of(mpq_t out, const vector *v)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < v->count; i++) {
        mpq_mul(product, v->entry[i].value, v->entry[i].value);
        mpq_add(out, out, product);
    }
    mpq_clear(product);
}

/* The same in a raw head. */
static void prepare_raw(factor *f, const text *t, const head *h)
{
    mpq_t *bound = &h->k->ratio;
    square_of(*bound, &f->u);
    mpq_mul(*bound, *bound, f->beta);
    if (f->u.count == 0) reject(t, "u is 0");
    if (mpq_sgn(*bound) < 0 || mpq_cmp_ui(*bound, 2, 1) > 0) reject(t, "expected 0 <= BETA u^T u <= 2");
    f->w = f->u;
    f->u = (vector){grab(f->w.count, sizeof(struct entry)), mpq_sgn(f->beta) != 0 ? f->w.count : 0};
    for (size_t i = 0; i < f->u.count; i++) {
        f->u.entry[i].index = f->w.entry[i].index;
        mpq_init(f->u.entry[i].value);
        mpq_mul(f->u.entry[i].value, f->w.entry[i].value, f->beta);
        mpq_neg(f->u.entry[i].value, f->u.entry[i].value);
    }
}

static void read_factor(factor *f, text *t, const head *h)
{
    mpq_init(f->beta);
    rational(t, "factor ", f->beta, h->raw ? 0 : 2);
    expect(t, " u");
    f->u = read_vector(t, h->n, 0, h->k->degree);
    if (comes(t, " c")) {
        expect(t, " c");
        f->c = read_vector(t, h->d, 0, h->k->degree);
        if (f->c.count == 0) reject(t, "expected no c where it is zero");
    }
    if (h->raw)
        prepare_raw(f, t, h);
    else
        prepare(f, t, h, f->beta);
    end_line(t);
}

/* One for each value of the slot's wire. */
static void read_slot(struct slot *s, text *t, head *h, size_t values)
{
    size_t most = 0;
    if (values > left(t) / sizeof "on 1 gate 1 factors 0") reject(t, "the file is too short for its letters");
    s->on = grab(s->values = values, sizeof *s->on);
    for (size_t x = 0; x < values; x++) {
        transition *w = &s->on[x];
        number(t, "on ", x + 1, x + 1);
        const char *from = t->at;
        mpq_init(w->gate);
        rational(t, " gate ", w->gate, 1);
        w->factors = count_of(t, " factors ", 0, sizeof "factor 0 u 1:1");
        w->factor = grab(w->factors, sizeof *w->factor);
        if (h->plain && comes(t, " bias")) {
            expect(t, " bias");
            w->bias = read_vector(t, h->n, h->d, 1);
            if (w->bias.count == 0) reject(t, "expected no bias where it is zero");
        }
        end_line(t);
        for (size_t i = 0; i < w->factors; i++) read_factor(&w->factor[i], t, h);
        w->spelled = (name){from, (size_t)(t->at - from)};
        most = MAXIMUM(most, w->factors);
    }
    h->householders += most;
}

/* "head h key n value d"; then in a layer the line ends, and "raw", or a field and a form may follow. */
static head *read_dimensions(block *b, text *t, size_t i)
{
    head *h = &b->head[i];
    number(t, "head ", i + 1, i + 1);
    h->n = number(t, " key ", 1, MAX_FILE);
    h->d = number(t, " value ", 1, MAX_FILE);
    if (b->letters > 0) end_line(t);
    h->raw = b->letters > 0 && comes(t, "raw");
    if (h->raw) whole_line(t, "raw");
    h->k = read_field(t);
    h->at = b->entries;
    if (h->n * h->d > (MAX_MATRIX - h->at) / h->k->degree) give_up("a state is too large");
    h->entries = h->n * h->d * h->k->degree;
    b->entries += h->entries;
    h->column = zeros(h->n * h->k->degree);
    if (comes(t, "form")) read_form(h, t);
    h->plain = b->letters > 0 && h->k->degree == 1 && !h->form;
    if (h->raw && !h->plain) reject(t, "a raw head over a field, or with a form");
    return h;
}

static vector read_initial(text *t, const head *h)
{
    expect(t, "initial");
    const vector v = read_vector(t, h->n, h->d, h->k->degree);
    end_line(t);
    return v;
}

/* Counts what the block adds to the network as the next stage. */
static void add_stage(network *net, const block *b)
{
    net->layers += b->heads > 0;
    net->joint += b->joint;
    net->numbers += b->entries;
    net->heads = MAXIMUM(net->heads, b->heads);
    net->entries = MAXIMUM(net->entries, b->entries);
    net->wires = MAXIMUM(net->wires, MAXIMUM(b->wires, b->outputs));
    for (const head *h = b->head; h < b->head + b->heads; h++) {
        net->householders = MAXIMUM(net->householders, h->householders);
        net->key = MAXIMUM(net->key, h->n);
        net->value = MAXIMUM(net->value, h->d);
    }
}

static uint32_t read_symbol(text *t, size_t symbols)
{
    if (!comes(t, " -")) return (uint32_t)number(t, " ", 1, symbols) - 1;
    expect(t, " -");
    return UNSET;
}

static int by_least(const void *a, const void *b)
{
    return mpq_cmp(a, b);
}

/* Are the codes of a layer different as tuples of real matrices? Each becomes one number, a sum in which every place of the
 * matrices has a weight, and these are enclosed until no two intervals meet. Over Q it is enough that they are spelled
 * differently. */
static void separate(const block *y, size_t codes)
{
    size_t most = 1, apart = 1;
    for (size_t h = 0; h < y->heads; h++) most = MAXIMUM(most, y->head[h].k->degree);
    mpq_t *sum = zeros(most > 1 ? 2 * codes : 0), *weight = zeros(1);
    while (most > 1 && apart < codes) {
        clear(sum, 2 * codes);
        for (size_t i = 0; i < codes * y->heads; i++) {
            const head *h = &y->head[i % y->heads];
            const vector *v = &y->readout[i % y->heads].code[i / y->heads];
            clear(h->k->p, h->k->degree);
            for (size_t entry = 0; entry < v->count; entry++) {
                struct entry *e = &v->entry[entry];
                uint64_t w = (h->at + e->index / h->k->degree + 1) * 0x9e3779b97f4a7c15u;
                w = (w ^ w >> 32) * 0xd6e8feb86659fd93u;
                mpq_set_ui(*weight, (unsigned long)(w ^ w >> 32), 1);
                subtract(h->k, &h->k->p[e->index % h->k->degree], *weight, &e->value, 1);
            }
            enclose(h->k, sum + 2 * (i / y->heads), h->k->p);
        }
        qsort(sum, codes, 2 * sizeof *sum, by_least);
        for (apart = 1; apart < codes && mpq_cmp(sum[2 * apart - 1], sum[2 * apart]) < 0;) apart++;
        for (size_t h = 0; apart < codes && h < y->heads; h++)
            if (y->head[h].k->degree > 1) refine(y->head[h].k);
    }
}

/* Of a layer: one readout for each head. Different states have different spellings, as equal ones have the same. */
static void read_codes(block *y, text *t, size_t codes)
{
    set states = {0};
    const size_t symbols = y->parts > 0 ? 0 : y->by_letter ? y->letters * codes : codes;
    if (codes * MAXIMUM(y->heads, y->parts) > left(t)) reject(t, "the file is too short for its codes");
    if (symbols > MAX_TABLE) give_up("a decoder is too large");
    y->part = grab(codes * y->parts, sizeof *y->part);
    y->symbol = grab(symbols, sizeof *y->symbol);
    for (size_t i = 0; i < symbols; i++) y->symbol[i] = UNSET;
    for (size_t h = 0; h < y->heads; h++)
        y->readout[h] = (struct readout){
            y->head[h].at, y->head[h].entries, codes, grab(codes, sizeof(vector)), {0}, NULL, NULL};
    for (size_t i = 0; i < codes; i++) {
        number(t, "code ", i + 1, i + 1);
        for (size_t p = 0; p < y->parts; p++)
            y->part[i * y->parts + p] = (uint32_t)number(t, p > 0 ? "," : " ", 1, y->values[p]) - 1;
        if (y->by_letter) expect(t, " *");
        if (y->parts == 0 && !y->by_letter) y->symbol[i] = read_symbol(t, y->symbols);
        const char *from = t->at;
        for (size_t h = 0; h < y->heads; h++) {
            if (h > 0) expect(t, " ;");
            y->readout[h].code[i] = read_vector(t, y->head[h].n, y->head[h].d, y->head[h].k->degree);
        }
        if (!add(&states, (name){from, (size_t)(t->at - from)})) reject(t, "two codes are one state");
        end_line(t);
    }
    separate(y, codes);
}

typedef struct interval {
    mpq_srcptr number, low, high;
} interval;

static int by_interval(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    const int order = mpq_cmp(x->number, y->number);
    if (order != 0) return order;
    return mpq_cmp(x->low, y->low) != 0 ? mpq_cmp(x->low, y->low) : mpq_cmp(x->high, y->high);
}

/* The value at an index, all smaller ones having been asked for. */
static mpq_srcptr value_at(const vector *v, size_t *next, size_t index, mpq_srcptr zero)
{
    return *next < v->count && v->entry[*next].index == index ? v->entry[(*next)++].value : zero;
}

/* Are the intervals of one number of the state what they have to be? They are ordered by the codes' numbers. */
static void check_intervals(const text *t, const interval *v, size_t codes, mpq_t *sum)
{
    for (size_t i = 0; i < codes; i++) {
        if (mpq_cmp(v[i].low, v[i].number) > 0 || mpq_cmp(v[i].number, v[i].high) > 0)
            reject(t, "boxes: a code is outside its own");
        if (i == 0) continue;
        const interval *before = &v[i - 1];
        if (mpq_equal(before->number, v[i].number)) {
            if (!mpq_equal(before->low, v[i].low) || !mpq_equal(before->high, v[i].high))
                reject(t, "boxes: two intervals around one number");
            continue;
        }
        mpq_add(sum[0], before->number, v[i].number);
        mpq_add(sum[1], before->high, before->high);
        if (mpq_cmp(sum[1], sum[0]) >= 0) reject(t, "boxes: an interval reaches the middle");
        mpq_add(sum[1], v[i].low, v[i].low);
        if (mpq_cmp(sum[1], sum[0]) <= 0) reject(t, "boxes: an interval reaches the middle");
    }
}

/* Codes are different in some number of the state, and then their boxes have no number in common there. */
static void check_boxes(const struct readout *r, const text *t)
{
    interval *v = grab(r->codes, sizeof *v);
    size_t(*next)[3] = grab(r->codes, sizeof *next);
    mpq_t *scratch = zeros(3);
    for (size_t index = 0; index < r->entries; index++) {
        for (size_t i = 0; i < r->codes; i++)
            v[i] = (interval){value_at(&r->code[i], &next[i][0], index, scratch[2]),
                              value_at(&r->low[i], &next[i][1], index, scratch[2]),
                              value_at(&r->high[i], &next[i][2], index, scratch[2])};
        qsort(v, r->codes, sizeof *v, by_interval);
        check_intervals(t, v, r->codes, scratch);
    }
}

/* "box i R.C:A,B .. ; .." of every code */
static void read_boxes(block *y, text *t)
{
    for (const head *h = y->head; h < y->head + y->heads; h++) {
        struct readout *r = &y->readout[h - y->head];
        if (!h->plain) reject(t, "boxes of a head over a field or with a form");
        for (size_t x = 0; x < h->slot->values; x++)
            for (size_t i = 0; i < h->slot->on[x].factors; i++)
                if (h->slot->on[x].factor[i].w.count != 1) reject(t, "boxes, and a u of more than one entry");
        if (r->codes > left(t) / sizeof "1.1:0,0" / h->entries)
            reject(t, "the file is too short for its boxes");
        r->low = grab(r->codes, sizeof *r->low);
        r->high = grab(r->codes, sizeof *r->high);
    }
    mpq_t *end = zeros(2);
    for (size_t i = 0; i < y->readout->codes; i++) {
        number(t, "box ", i + 1, i + 1);
        for (const head *h = y->head; h < y->head + y->heads; h++) {
            vector *low = &y->readout[h - y->head].low[i], *high = &y->readout[h - y->head].high[i];
            if (h > y->head) expect(t, " ;");
            low->entry = grab(h->entries, sizeof *low->entry);
            high->entry = grab(h->entries, sizeof *high->entry);
            for (size_t index = 0; index < h->entries; index++) {
                number(t, " ", index / h->d + 1, index / h->d + 1);
                number(t, ".", index % h->d + 1, index % h->d + 1);
                rational(t, ":", end[0], 0);
                rational(t, ",", end[1], 0);
                append(low, index, &end[0], 1);
                append(high, index, &end[1], 1);
            }
        }
        end_line(t);
    }
    for (size_t h = 0; h < y->heads; h++) check_boxes(&y->readout[h], t);
}

/* decode step */
static void read_steps(block *y, text *t)
{
    const size_t codes = y->readout->codes;
    for (size_t least = 0; comes(t, "yield");) {
        const size_t letter = number(t, "yield ", 1, y->letters) - 1;
        const size_t pair = letter * codes + number(t, " ", 1, codes) - 1;
        if (pair < least) reject(t, "expected yield lines in order");
        y->symbol[pair] = (uint32_t)number_line(t, " ", 1, y->symbols) - 1;
        least = pair + 1;
    }
}

/* decode part */
static void read_parts(block *y, text *t)
{
    size_t symbols = 0, capacity = 0;
    y->read = grab(y->letters, sizeof *y->read);
    y->symbol_at = grab(y->letters, sizeof *y->symbol_at);
    for (size_t x = 0; x < y->letters; x++) {
        number(t, "yield ", x + 1, x + 1);
        y->read[x] = (uint32_t)number(t, " ", 1, y->parts) - 1;
        y->symbol_at[x] = symbols;
        for (size_t v = 0; v < y->values[y->read[x]]; v++) {
            y->symbol = grow(y->symbol, symbols, &capacity, sizeof *y->symbol);
            y->symbol[symbols++] = read_symbol(t, y->symbols);
        }
        end_line(t);
    }
}

/* What the decoder of a layer gives after the letter, or UNSET. */
static uint32_t symbol_after(const block *y, size_t letter, size_t code)
{
    if (y->parts > 0) return y->symbol[y->symbol_at[letter] + y->part[code * y->parts + y->read[letter]]];
    return y->symbol[y->by_letter ? letter * y->readout->codes + code : code];
}

static void read_layer(block *y, text *t, stage *s, size_t letters)
{
    set spellings = {0};
    y->letters = number(t, " letters ", letters, letters);
    y->heads = y->readouts = count_of(t, " heads ", 1, sizeof "head 1 key 1 value 1\ninitial");
    const size_t codes = count_of(t, " codes ", 1, sizeof "code 1 *");
    y->symbols = number(t, " symbols ", 1, MAX_FILE);
    y->by_letter = comes(t, " decode step");
    const bool by_part = comes(t, " decode part");
    whole_line(t, y->by_letter ? " decode step" : by_part ? " decode part" : " decode state");
    if (by_part) y->values = read_numbers(t, "parts", 0, MAX_FILE, &y->parts);
    if (by_part) end_line(t);
    *s = (stage){y, grab(y->heads, sizeof(vector))};
    y->head = grab(y->heads, sizeof *y->head);
    y->readout = grab(y->heads, sizeof *y->readout);
    for (size_t h = 0; h < y->heads; h++) {
        head *of = read_dimensions(y, t, h);
        s->initial[h] = read_initial(t, of);
        of->slot = grab(of->slots = 1, sizeof *of->slot);
        read_slot(of->slot, t, of, letters);
    }
    y->spelling = grab(letters, sizeof *y->spelling);
    for (size_t x = 0; x < letters; x++)
        y->spelling[x] = y->heads > 1 ? x : intern(&spellings, y->head->slot->on[x].spelled);
    y->joint = y->wires = 1;
    read_codes(y, t, codes);
    if (comes(t, "box")) read_boxes(y, t);
    if (y->by_letter) read_steps(y, t);
    if (by_part) read_parts(y, t);
}

static label read_label(text *t, const automaton *a)
{
    static const char *const word[] = {"label states", "label outputs", "label accept"};
    label kind = LABEL_STATES;
    while (kind < LABEL_ACCEPT && !comes(t, word[kind])) kind++;
    whole_line(t, word[kind]);
    if (kind == LABEL_OUTPUTS && !a->has_output) reject(t, "the automaton has no outputs");
    if (kind == LABEL_ACCEPT && !a->has_accept) reject(t, "the automaton does not say which states accept");
    return kind;
}

static void read_lookup(struct lookup *f, text *t)
{
    size_t entries = 1;
    expect(t, " inputs");
    if (!comes(t, " values")) f->size = read_numbers(t, "", 0, MAX_FILE, &f->inputs);
    for (size_t i = 0; i < f->inputs; i++) {
        entries *= f->size[i];
        if (entries > left(t)) reject(t, "the file is too short for the table");
    }
    f->values = number(t, " values ", 1, MAX_FILE);
    f->value = read_numbers(t, " entries", 1, f->values, &f->entries);
    if (f->entries != entries) reject(t, "expected %zu entries", entries);
    end_line(t);
}

static void add_wire(block *b, size_t size)
{
    b->size = grow(b->size, b->wires, &b->capacity, sizeof *b->size);
    b->size[b->wires++] = (uint32_t)size;
}

static void read_circuit(circuit *c, text *t, const char *word, block *b, const network *net)
{
    c->gate = grab_lines(t, word, 0, sizeof "gate 1", &c->gates, sizeof *c->gate);
    c->first = b->wires;
    c->line = t->line;
    for (struct gate *g = c->gate; g < c->gate + c->gates; g++) {
        g->table = &net->table[number(t, "gate ", 1, net->tables) - 1];
        g->wire = grab(g->table->inputs, sizeof *g->wire);
        for (size_t i = 0; i < g->table->inputs; i++) {
            g->wire[i] = (uint32_t)number(t, " ", 1, b->wires) - 1;
            if (b->size[g->wire[i]] != g->table->size[i]) reject(t, "the table reads wires of other sizes");
        }
        end_line(t);
        add_wire(b, g->table->values);
    }
}

/* They divide the rows of the heads, in order. */
static void read_readouts(block *b, text *t)
{
    static const char least[] = "readout 1 head 1 rows 1 1 codes 1";
    size_t h = 0, row = 0;
    b->readout = grab_lines(t, "readouts ", 0, sizeof least, &b->readouts, sizeof *b->readout);
    for (size_t i = 0; i < b->readouts; i++) {
        struct readout *r = &b->readout[i];
        if (h == b->heads) reject(t, "no rows are left for this readout");
        number(t, "readout ", i + 1, i + 1);
        number(t, " head ", h + 1, h + 1);
        number(t, " rows ", row + 1, row + 1);
        r->at = b->head[h].at + row * b->head[h].d;
        const size_t last = number(t, " ", row + 1, b->head[h].n);
        r->entries = (last - row) * b->head[h].d;
        r->code = grab_lines(t, " codes ", 1, sizeof "code 1", &r->codes, sizeof *r->code);
        for (size_t c = 0; c < r->codes; c++) {
            number(t, "code ", c + 1, c + 1);
            const char *from = t->at;
            r->code[c] = read_vector(t, last - row, b->head[h].d, 1);
            if (!add(&r->spelled, (name){from, (size_t)(t->at - from)})) reject(t, "two codes are equal");
            end_line(t);
        }
        add_wire(b, r->codes);
        row = last < b->head[h].n ? last : 0;
        h += row == 0;
    }
    if (h < b->heads) reject(t, "no readout for row %zu of head %zu", row + 1, h + 1);
}

/* A number for the sizes of wires. */
static size_t sizes_number(set *sizes, const uint32_t *size, size_t count)
{
    return intern(sizes, (name){(const char *)size, count * sizeof *size});
}

static void read_block(block *b, text *t, const network *net, set *sizes)
{
    uint32_t *size = read_numbers(t, " inputs", 0, MAX_FILE, &b->inputs);
    end_line(t);
    for (size_t i = 0; i < b->inputs; i++) add_wire(b, size[i]);
    b->reads = sizes_number(sizes, size, b->inputs);
    read_circuit(&b->pre, t, "pre ", b, net);
    b->head = grab_lines(t, "heads ", 0, sizeof "head 1 key 1 value 1 slots 1", &b->heads, sizeof *b->head);
    for (size_t i = 0; i < b->heads; i++) {
        head *h = read_dimensions(b, t, i);
        h->slot = grab_lines(t, " slots ", 1, sizeof "slot 1 wire 1\non 1 gate 1 factors 0", &h->slots,
                             sizeof *h->slot);
        for (size_t j = 0; j < h->slots; j++) {
            number(t, "slot ", j + 1, j + 1);
            h->slot[j].wire =
                number_line(t, " wire ", 1, b->wires) - 1; /* all so far: inputs and pre gates */
            read_slot(&h->slot[j], t, h, b->size[h->slot[j].wire]);
        }
    }
    read_readouts(b, t);
    b->joint = b->readouts;
    read_circuit(&b->post, t, "post ", b, net);
    b->output = read_numbers(t, "outputs", 1, b->wires, &b->outputs);
    end_line(t);
    size = grab(b->outputs, sizeof *size);
    for (size_t i = 0; i < b->outputs; i++) size[i] = b->size[b->output[i]];
    b->gives = sizes_number(sizes, size, b->outputs);
}

static void read_wired(network *net, text *t, size_t letters)
{
    const uint32_t ends[2] = {(uint32_t)letters, (uint32_t)net->labels.count};
    static const char least[] = "block 1 inputs 1\npre 0\nheads 0\nreadouts 0\npost 0\noutputs 1";
    set sizes = {0};
    net->table = grab_lines(t, "tables ", 0, sizeof "table 1 inputs values 1 entries 1", &net->tables,
                            sizeof *net->table);
    for (size_t i = 0; i < net->tables; i++) {
        number(t, "table ", i + 1, i + 1);
        read_lookup(&net->table[i], t);
    }
    net->block = grab_lines(t, "blocks ", 1, sizeof least, &net->blocks, sizeof *net->block);
    for (size_t i = 0; i < net->blocks; i++) {
        number(t, "block ", i + 1, i + 1);
        read_block(&net->block[i], t, net, &sizes);
    }
    net->stage = grab_lines(t, "stages ", 1, sizeof "stage 1 block 1", &net->stages, sizeof *net->stage);
    size_t given = sizes_number(&sizes, &ends[0], 1);
    for (size_t l = 0; l < net->stages; l++) {
        number(t, "stage ", l + 1, l + 1);
        const block *b = &net->block[number_line(t, " block ", 1, net->blocks) - 1];
        if (b->reads != given) reject(t, "stage %zu does not read what it is given", l + 1);
        net->stage[l] = (stage){b, grab(b->heads, sizeof(vector))};
        for (size_t h = 0; h < b->heads; h++) net->stage[l].initial[h] = read_initial(t, &b->head[h]);
        add_stage(net, b);
        given = b->gives;
    }
    if (given != sizes_number(&sizes, &ends[1], 1)) reject(t, "the last stage does not give one label");
}

static void read_layers(network *net, text *t, size_t letters)
{
    static const char least[] = "layer 1 letters 1 heads 1 codes 1 symbols 1 decode step";
    net->block = grab_lines(t, "layers ", 1, sizeof least, &net->stages, sizeof *net->block);
    net->stage = grab(net->stages, sizeof *net->stage);
    for (size_t l = 0; l < net->stages; l++) {
        number(t, "layer ", l + 1, l + 1);
        read_layer(&net->block[l], t, &net->stage[l], letters);
        add_stage(net, &net->block[l]);
        letters = net->block[l].symbols;
    }
    if (letters != net->labels.count) reject(t, "the symbols of the last layer are not the labels");
}

static void read_network(network *net, text *t, const automaton *a, const char *fsa_line)
{
    net->wired = comes(t, "lrnn-wired");
    whole_line(t, net->wired ? "lrnn-wired 1" : "lrnn 1");
    whole_line(t, fsa_line);
    if (!net->wired) whole_line(t, "field Q");
    net->kind = read_label(t, a);
    number_line(t, "letters ", a->letters.count, a->letters.count);
    for (size_t x = 0; x < a->letters.count; x++) {
        expect_name(t, "letter ", a->letters.item[x]);
        end_line(t);
    }
    const size_t labels = count_of(t, "labels ", 1, sizeof "symbol s");
    end_line(t);
    for (size_t i = 0; i < labels; i++) {
        if (!add(&net->labels, read_name(t, "symbol "))) reject(t, "a label stands twice");
        end_line(t);
    }
    const size_t start = number(t, "start ", 1, labels) - 1;
    if (!same_name(net->labels.item[start], label_of(a, net->kind, a->start)))
        reject(t, "not the label of the automaton's start state");
    end_line(t);
    (net->wired ? read_wired : read_layers)(net, t, a->letters.count);
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
}

/* m 2^e with m odd, or 0; not finite where e is NOT_FINITE. */
typedef struct real {
    int64_t m;
    int e;
} real;

enum { NOT_FINITE = INT_MAX };

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

typedef enum rounding { NEAREST, TOWARD_ZERO, UP, DOWN, STOCHASTIC } rounding;

static const char *const roundings[] = {"nearest", "zero", "up", "down", "stochastic"};

/* p bits, 2^emin <= |x| < 2^(emax + 1) or less; largest is finite. saturate: what is too large becomes that, else nothing
 * finite. */
typedef struct format {
    int p, emin, emax;
    rounding round;
    bool subnormals, saturate;
    real largest;
} format;

typedef enum order { EVERY, FMA, ACC32, RECURRENT, CAST, CHUNK64 } order;

/* data: what is stored; weights: the same, to nearest; work: what operations round into; state: what the state is in.
 * normalised: keys are computed from raw ones. */
typedef struct schedule {
    order order;
    format data, weights, work, state;
    bool normalised;
    real eps, raw;
    char words[200]; /* its line */
} schedule;

/* Numbers that are not 0, by increasing indices. */
typedef struct reals {
    struct place {
        size_t index;
        real value;
    } * at;
    size_t count;
} reals;

/* A transition in a format, with unit keys and values. cast: row[i] of A, and B by rows in `bias`. */
typedef struct turn {
    real gate;
    struct push {
        reals key, value;
        real beta;
    } * push;
    size_t pushes;
    reals *row, bias;
} turn;

/* Whether a number was changed by rounding since this was cleared. */
static bool lost;

static const format fp32 = {24, -126, 127, NEAREST, true, false, {0xffffff, 104}};
static const real one = {1, 0}, not_finite = {1, NOT_FINITE};

static int length(wide m)
{
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static wide size_of(real a)
{
    return (wide)(a.m < 0 ? -(uint64_t)a.m : (uint64_t)a.m);
}

static real minus(real a)
{
    return (real){-a.m, a.e};
}

static bool same_real(real a, real b)
{
    return a.m == b.m && a.e == b.e;
}

/* +-m 2^e, m < 2^63 */
static real real_of(bool negative, uint64_t m, int e)
{
    if (m == 0) return (real){0, 0};
    const int zeros_behind = __builtin_ctzll(m);
    m >>= zeros_behind;
    return (real){negative ? -(int64_t)m : (int64_t)m, e + zeros_behind};
}

/* What stands for a number that is too large. */
static real overflowed(const format *f, bool negative)
{
    const bool inwards = f->round == TOWARD_ZERO || f->round == (negative ? UP : DOWN);
    lost = true;
    if (!inwards && !f->saturate) return not_finite;
    return negative ? minus(f->largest) : f->largest;
}

/* +-(m + x) 2^e in the format, with x = 0, or 0 < x < 1 if more; then m has more than 55 bits. m < 2^127. To p bits as if
 * exponents had no end, but no finer than subnormals are; then a number is too large, or too small without subnormals. */
static real rounded(const format *f, bool negative, wide m, int e, bool more)
{
    const int bits = length(m);
    int last = e + bits - f->p; /* exponent of the last bit that is kept */
    if (m == 0) return (real){0, 0};
    if (f->subnormals && last < f->emin - f->p + 1) last = f->emin - f->p + 1;
    if (last > e) {
        const int drop = last - e;
        const wide kept = drop < 128 ? m >> drop : 0;
        const bool half = drop <= bits && (m >> (drop - 1) & 1) != 0;
        const bool rest = more || drop > bits || (m & (((wide)1 << (drop - 1)) - 1)) != 0;
        const bool away = f->round == NEAREST ? half && (rest || (kept & 1) != 0)
                                              : (half || rest) && f->round == (negative ? DOWN : UP);
        lost = lost || half || rest;
        m = kept + away;
        e = last;
    }
    const int lead = e + length(m) - 1, unit = f->emax - f->p + 1;
    const real r = real_of(negative, (uint64_t)m, e);
    if (!f->subnormals && m != 0 && lead < f->emin) {
        lost = true;
        return (real){0, 0};
    }
    if (lead > f->emax ||
        (lead == f->emax && size_of(r) << (r.e - unit) > size_of(f->largest) << (f->largest.e - unit)))
        return overflowed(f, negative);
    return r;
}

/* a b */
static real times(const format *f, real a, real b)
{
    if (a.e == NOT_FINITE || b.e == NOT_FINITE) return not_finite;
    return rounded(f, (a.m < 0) != (b.m < 0), size_of(a) * size_of(b), a.e + b.e, false);
}

/* a b + c, rounded once. Both terms begin at bit 125, and the smaller one moves down; bits are lost behind it only where
 * its leading bit is 18 places lower or more, as terms have at most 108 bits, so that the sum has more than 100. */
static real fused(const format *f, real a, real b, real c)
{
    if (a.e == NOT_FINITE || b.e == NOT_FINITE || c.e == NOT_FINITE) return not_finite;
    bool x_negative = (a.m < 0) != (b.m < 0), y_negative = c.m < 0;
    wide x = size_of(a) * size_of(b), y = size_of(c);
    int x_e = a.e + b.e, y_e = c.e;
    if (x == 0) return rounded(f, y_negative, y, y_e, false);
    if (y == 0) return rounded(f, x_negative, x, x_e, false);
    const int x_up = 126 - length(x), y_up = 126 - length(y);
    x <<= x_up;
    x_e -= x_up;
    y <<= y_up;
    y_e -= y_up;
    if (x_e < y_e || (x_e == y_e && x < y)) {
        const wide m = x;
        const int e = x_e;
        const bool negative = x_negative;
        x = y, x_e = y_e, x_negative = y_negative;
        y = m, y_e = e, y_negative = negative;
    }
    const int down = x_e - y_e;
    const bool more = down > 126 || (y & (((wide)1 << down) - 1)) != 0;
    y = down > 126 ? 0 : y >> down;
    return rounded(f, x_negative, x_negative == y_negative ? x + y : x - y - more, x_e, more);
}

static real plus(const format *f, real a, real b)
{
    return fused(f, a, one, b);
}

/* +-(z + x) 2^e, as above, z >= 0; of z the first 100 bits and whether more follow. */
static real rounded_integer(const format *f, bool negative, const mpz_t z, long e, bool more)
{
    const size_t bits = mpz_sizeinbase(z, 2), drop = bits > 100 ? bits - 100 : 0;
    uint64_t word[2] = {0, 0};
    mpz_t top;
    if (drop > INT_MAX / 4 || e > INT_MAX / 4 || e < -(INT_MAX / 4)) give_up("a number is too long");
    mpz_init(top);
    mpz_tdiv_q_2exp(top, z, drop);
    mpz_export(word, NULL, -1, sizeof *word, 0, 0, top);
    mpz_clear(top);
    if (mpz_sgn(z) == 0) return (real){0, 0};
    return rounded(f, negative, (wide)word[1] << 64 | word[0], (int)e + (int)drop,
                   more || mpz_scan1(z, 0) < drop);
}

/* x / sqrt(square), or x, from the root of 4^k x^2 / square, which has more than 64 bits. */
static real weight(const format *f, mpq_srcptr x, mpq_srcptr square)
{
    mpq_t z;
    mpz_t root, rest, remainder;
    mpq_init(z);
    mpz_inits(root, rest, remainder, NULL);
    mpq_mul(z, x, x);
    if (square) mpq_div(z, z, square);
    const long over = (long)mpz_sizeinbase(mpq_numref(z), 2) - (long)mpz_sizeinbase(mpq_denref(z), 2);
    const long k = over < 140 ? (140 - over) / 2 : -((over - 140) / 2);
    if (k > 0) mpz_mul_2exp(mpq_numref(z), mpq_numref(z), 2 * (mp_bitcnt_t)k);
    if (k < 0) mpz_mul_2exp(mpq_denref(z), mpq_denref(z), 2 * (mp_bitcnt_t)-k);
    mpz_tdiv_qr(root, rest, mpq_numref(z), mpq_denref(z));
    mpz_sqrtrem(root, remainder, root);
    const bool more = mpz_sgn(rest) != 0 || mpz_sgn(remainder) != 0;
    const real r = rounded_integer(f, mpq_sgn(x) < 0, root, -k, more);
    mpz_clears(root, rest, remainder, NULL);
    mpq_clear(z);
    return r;
}

static void set_real(mpq_t out, real a)
{
    mpz_set_si(mpq_numref(out), a.m);
    mpz_set_ui(mpq_denref(out), 1);
    if (a.e > 0) mpq_mul_2exp(out, out, (mp_bitcnt_t)a.e);
    if (a.e < 0) mpq_div_2exp(out, out, (mp_bitcnt_t)-a.e);
}

/* The entries of v divided by sqrt(square), those that do not become 0. */
static reals weights(const format *f, const vector *v, mpq_srcptr square)
{
    reals out = {grab(v->count, sizeof *out.at), 0};
    for (const struct entry *e = v->entry; e < behind(v); e++) {
        const real r = weight(f, e->value, square);
        if (r.m != 0) out.at[out.count++] = (struct place){e->index, r};
    }
    return out;
}

/* 0, m or MpE */
static real read_real(text *t, const char *before)
{
    expect(t, before);
    const bool negative = *t->at == '-';
    uint64_t m = 0;
    t->at += negative;
    const char *from = t->at;
    while (*t->at >= '0' && *t->at <= '9' && m >> 54 == 0) m = 10 * m + (uint64_t)(*t->at++ - '0');
    if (t->at == from || (*from == '0' && (t->at > from + 1 || negative)) || (m % 2 == 0 && m > 0) || m >> 53)
        reject(t, "expected a binary number");
    if (m == 0 || *t->at != 'p') return real_of(negative, m, 0);
    const bool below = comes(t, "p-");
    const int e = (int)number(t, below ? "p-" : "p", 1, 1 << 14);
    return real_of(negative, m, below ? -e : e);
}

static int read_exponent(text *t, const char *before)
{
    expect(t, before);
    const bool negative = *t->at == '-' && t->at[1] != '0';
    const int e = (int)number(t, negative ? "-" : "", 0, 1 << 14);
    return negative ? -e : e;
}

/* Which one of the words comes. */
static size_t read_word(text *t, const char *before, const char *const *word, size_t words)
{
    size_t i = 0;
    expect(t, before);
    while (i + 1 < words && !comes(t, word[i])) i++;
    expect(t, word[i]);
    return i;
}

static bool is_in(const format *f, real a)
{
    lost = false;
    return same_real(rounded(f, a.m < 0, size_of(a), a.e, false), a) && !lost;
}

/* The line FORMAT, but for its end. */
static format read_format(text *t)
{
    static const char *const answer[] = {"yes", "no"}, *const too_large[] = {"infinity", "nan", "saturate"};
    format f = {.p = (int)number(t, "format precision ", 2, 53)};
    f.emin = read_exponent(t, " emin ");
    f.emax = read_exponent(t, " emax ");
    f.largest = read_real(t, " largest ");
    f.subnormals = read_word(t, " subnormals ", answer, 2) == 0;
    f.saturate = read_word(t, " overflow ", too_large, 3) == 2;
    f.round = (rounding)read_word(t, " round ", roundings, 5);
    const int bits = length(size_of(f.largest));
    if (f.emin > f.emax || f.largest.m <= 0 || bits > f.p || f.largest.e + bits - 1 != f.emax)
        reject(t, "no such format");
    return f;
}

/* The line SCHEDULE, but for its end. The values of the three orders that work in fp32 must be values of that. */
static schedule read_schedule(text *t, format data)
{
    static const char *const word[] = {"every", "fma", "acc32", "recurrent", "cast", "chunk64"};
    const char *from = t->at;
    schedule s = {.data = data, .weights = data, .work = data, .state = data};
    s.order = (order)read_word(t, "schedule ", word, 6);
    const bool in_fp32 = s.order == ACC32 || s.order == RECURRENT || s.order == CHUNK64;
    s.weights.round = NEAREST;
    if (in_fp32) s.work = fp32;
    if (s.order == RECURRENT || s.order == CHUNK64) s.state = fp32;
    if (in_fp32 && (data.p > fp32.p || data.emax > fp32.emax || data.emin - data.p < fp32.emin - fp32.p))
        reject(t, "the schedule is not for this format");
    s.normalised = comes(t, " eps ");
    if (s.normalised) {
        s.eps = read_real(t, " eps ");
        s.raw = read_real(t, " raw ");
        if (s.eps.m < 0 || s.raw.m <= 0) reject(t, "no such key normalisation");
    }
    snprintf(s.words, sizeof s.words, "%.*s", (int)(t->at - from), from);
    return s;
}

/* 1 / sqrt(s + eps) in fp32, of the squares' sum s; eps as it is or as a number of fp32, which must come to the same. */
static real inverse_root(const schedule *s, real sum)
{
    mpq_t q;
    mpq_init(q);
    set_real(q, s->eps);
    const real exact = plus(&fp32, sum, s->eps), first = plus(&fp32, sum, weight(&fp32, q, NULL));
    if (!same_real(exact, first)) give_up("eps is no number of fp32, and it matters");
    if (exact.e == NOT_FINITE || exact.m == 0) return not_finite;
    set_real(q, exact);
    const real root = weight(&fp32, q, q);
    set_real(q, root);
    mpq_inv(q, q);
    const real inverse = weight(&fp32, q, NULL);
    mpq_clear(q);
    return inverse;
}

/* Keys as libraries compute them. They are exact if they come out so, whatever was rounded on the way. */
static reals normalised(const schedule *s, const vector *u, mpq_srcptr square)
{
    mpq_t scale, x;
    mpq_inits(scale, x, NULL);
    for (size_t i = 0; i < u->count; i++) {
        mpq_abs(x, u->entry[i].value);
        if (mpq_cmp(x, scale) > 0) mpq_set(scale, x);
    }
    set_real(x, s->raw);
    mpq_div(scale, x, scale);
    const bool before = lost;
    real sum = {0, 0};
    reals k = {grab(u->count, sizeof *k.at), 0};
    for (size_t i = 0; i < u->count; i++) {
        mpq_mul(x, u->entry[i].value, scale);
        const real r = weight(&s->weights, x, NULL);
        if (r.m != 0) k.at[k.count++] = (struct place){u->entry[i].index, r};
        sum = plus(&fp32, sum, times(&fp32, r, r));
    }
    const real inverse = inverse_root(s, sum);
    bool right = k.count == u->count;
    size_t kept = 0;
    for (size_t i = 0; i < k.count; i++) {
        real r = times(&fp32, k.at[i].value, inverse);
        if (s->order != RECURRENT) r = times(&s->weights, r, one);
        lost = false;
        right = right && same_real(r, weight(&fp32, u->entry[i].value, square)) && !lost;
        if (r.m != 0) k.at[kept++] = (struct place){k.at[i].index, r};
    }
    k.count = kept;
    lost = before || !right;
    mpq_clears(scale, x, NULL);
    return k;
}

/* A and B of the transition: its effect on the unit vectors, and on 0. */
static void make_matrices(turn *out, const schedule *s, const head *h, const transition *w, mpq_t *m)
{
    const size_t n = h->n, d = h->d, width = n + d; /* A and B stand side by side in m */
    clear(m, n * width);
    for (size_t i = 0; i < n; i++) mpq_set(m[i * width + i], w->gate);
    for (const factor *f = w->factor; f < w->factor + w->factors; f++) {
        factor wide_one = {.u = f->u, .w = f->w, .c = {grab(f->c.count, sizeof *f->c.entry), f->c.count}};
        for (size_t i = 0; i < f->c.count; i++) {
            wide_one.c.entry[i] = f->c.entry[i];
            wide_one.c.entry[i].index += n;
        }
        apply(h, m, width, &wide_one);
    }
    for (const struct entry *e = w->bias.entry; e < behind(&w->bias); e++) {
        mpq_t *b = &m[e->index / d * width + n + e->index % d];
        mpq_add(*b, *b, e->value);
    }
    size_t entries[2] = {0, 0};
    for (size_t i = 0; i < n * width; i++) entries[i % width >= n] += mpq_sgn(m[i]) != 0;
    struct place *at = grab(entries[0], sizeof *at);
    out->row = grab(n, sizeof *out->row);
    out->bias.at = grab(entries[1], sizeof *out->bias.at);
    for (size_t i = 0; i < n; at += out->row[i++].count) {
        out->row[i].at = at;
        for (size_t k = 0; k < width; k++) {
            const real r = weight(&s->weights, m[i * width + k], NULL);
            reals *to = k < n ? &out->row[i] : &out->bias;
            if (r.m != 0) to->at[to->count++] = (struct place){k < n ? k : i * d + k - n, r};
        }
    }
}

static void make_turn(turn *out, const schedule *s, const head *h, const transition *w)
{
    mpq_t square;
    mpq_init(square);
    out->gate = weight(&s->weights, w->gate, NULL);
    out->push = grab(out->pushes = w->factors, sizeof *out->push);
    for (size_t i = 0; i < w->factors; i++) {
        const factor *f = &w->factor[i];
        mpq_srcptr by = h->raw ? NULL : square;
        square_of(square, &f->w);
        out->push[i].key = s->normalised ? normalised(s, &f->w, by) : weights(&s->weights, &f->w, by);
        out->push[i].value = weights(&s->weights, &f->c, by);
        out->push[i].beta = weight(&s->weights, f->beta, NULL);
    }
    out->bias = weights(&s->weights, &w->bias, NULL);
    mpq_clear(square);
}

/* All transitions of a head over Q without a form; it returns whether they are exact. */
static bool make_turns(const schedule *s, const head *h)
{
    const size_t n = h->n, width = h->n + h->d;
    if (h->k->degree > 1 || h->form) give_up("a head over a field or with a form in a number format");
    if (s->normalised && (h->raw || s->order == CAST))
        give_up("no key normalisation in raw heads and in cast");
    if (s->order == CAST && (n > MAX_FORM || n * width > MAX_MATRIX)) give_up("a matrix is too large");
    mpq_t *m = zeros(s->order == CAST ? n * width : 0);
    lost = false;
    for (struct slot *j = h->slot; j < h->slot + h->slots; j++) {
        j->in = grab(j->values, sizeof *j->in);
        for (size_t v = 0; v < j->values; v++)
            if (s->order == CAST)
                make_matrices(&j->in[v], s, h, &j->on[v], m);
            else
                make_turn(&j->in[v], s, h, &j->on[v]);
    }
    for (size_t i = 0; s->order == CAST && i < n * width; i++) mpq_clear(m[i]);
    return !lost;
}

/* every, fma, acc32: one factor, column by column. */
static void push_in_order(const schedule *s, const struct push *p, real *S, size_t d)
{
    const format *f = &s->work;
    const struct place *first = p->key.at, *end = first + p->key.count, *v = p->value.at;
    for (size_t j = 0; j < d && first < end; j++, S++) {
        real r = {0, 0};
        for (const struct place *k = first; k < end; k++)
            r = s->order == FMA ? fused(f, k->value, S[k->index * d], r)
                                : plus(f, r, times(f, k->value, S[k->index * d]));
        if (v < p->value.at + p->value.count && v->index == j) r = plus(f, r, minus(v++->value));
        r = times(f, p->beta, r);
        for (const struct place *k = first; k < end; k++) {
            real *to = &S[k->index * d];
            *to = s->order == FMA ? fused(f, minus(k->value), r, *to)
                                  : plus(f, *to, minus(times(f, k->value, r)));
        }
    }
}

/* recurrent: one factor; p has room for the sum by halves. */
static void push_by_halves(const schedule *s, const struct push *p, real *S, size_t n, size_t d, real *sum)
{
    const format *f = &s->work;
    const struct place *end = p->key.at + p->key.count, *v = p->value.at;
    size_t half = 1;
    while (half < n) half *= 2;
    for (size_t j = 0; j < d; j++, S++) {
        for (size_t i = 0; i < half; i++) sum[i] = (real){0, 0};
        for (const struct place *k = p->key.at; k < end; k++)
            sum[k->index] = times(f, k->value, S[k->index * d]);
        for (size_t h = half / 2; h > 0; h /= 2)
            for (size_t i = 0; i < h; i++) sum[i] = plus(f, sum[i], sum[i + h]);
        real r = minus(sum[0]);
        if (v < p->value.at + p->value.count && v->index == j) r = plus(f, v++->value, r);
        r = times(f, p->beta, r);
        for (const struct place *k = p->key.at; k < end; k++)
            S[k->index * d] = fused(f, k->value, r, S[k->index * d]);
    }
}

/* The sum of terms[0 .. count - 1], each +-m 2^e with m < 2^106, rounded once. */
typedef struct term {
    signed_wide m;
    int e;
} term;

static real sum_of(const format *f, const term *x, size_t count)
{
    int low = INT_MAX, high = INT_MIN;
    for (size_t i = 0; i < count; i++) {
        const int top = x[i].e + length((wide)(x[i].m < 0 ? -x[i].m : x[i].m));
        if (x[i].m == 0) continue;
        low = x[i].e < low ? x[i].e : low;
        high = MAXIMUM(high, top);
    }
    if (low == INT_MAX) return (real){0, 0};
    if (high - low + length(count) < 126) {
        signed_wide sum = 0;
        for (size_t i = 0; i < count; i++)
            if (x[i].m != 0) sum += x[i].m * ((signed_wide)1 << (x[i].e - low));
        return rounded(f, sum < 0, (wide)(sum < 0 ? -sum : sum), low, false);
    }
    mpz_t sum, one_term;
    mpz_inits(sum, one_term, NULL);
    for (size_t i = 0; i < count; i++) {
        if (x[i].m == 0) continue;
        const wide m = (wide)(x[i].m < 0 ? -x[i].m : x[i].m);
        const uint64_t word[2] = {(uint64_t)m, (uint64_t)(m >> 64)};
        mpz_import(one_term, 2, -1, sizeof *word, 0, 0, word);
        mpz_mul_2exp(one_term, one_term, (mp_bitcnt_t)(x[i].e - low));
        (x[i].m < 0 ? mpz_sub : mpz_add)(sum, sum, one_term);
    }
    const bool negative = mpz_sgn(sum) < 0;
    mpz_abs(sum, sum);
    const real r = rounded_integer(f, negative, sum, low, false);
    mpz_clears(sum, one_term, NULL);
    return r;
}

/* cast: S <- A S + B, each entry a sum rounded once; terms, old: scratch. */
static void multiply(const schedule *s, const turn *w, real *S, const head *h, term *terms, real *old)
{
    const struct place *b = w->bias.at, *end = b + w->bias.count;
    memcpy(old, S, h->entries * sizeof *old);
    for (size_t at = 0; at < h->entries; at++) {
        const reals *row = &w->row[at / h->d];
        size_t count = 0;
        bool finite = true;
        for (size_t k = 0; k < row->count; k++) {
            const real a = row->at[k].value, x = old[row->at[k].index * h->d + at % h->d];
            finite = finite && a.e != NOT_FINITE && x.e != NOT_FINITE;
            if (finite) terms[count++] = (term){(signed_wide)a.m * x.m, a.e + x.e};
        }
        if (b < end && b->index == at) {
            finite = finite && b->value.e != NOT_FINITE;
            terms[count++] = (term){b->value.m, b->value.e};
            b++;
        }
        S[at] = finite ? sum_of(&s->data, terms, count) : not_finite;
    }
}

/* One letter, from the state S of the head on; the scratch arrays have 2 n + 1 and n d places. */
static void turn_head(const schedule *s, const head *h, const turn *w, real *S, term *terms, real *old)
{
    if (s->order == CAST) {
        multiply(s, w, S, h, terms, old);
        return;
    }
    for (size_t i = 0; !same_real(w->gate, one) && i < h->entries; i++) S[i] = times(&s->work, S[i], w->gate);
    for (const struct push *p = w->push; p < w->push + w->pushes; p++)
        if (s->order == RECURRENT)
            push_by_halves(s, p, S, h->n, h->d, old);
        else
            push_in_order(s, p, S, h->d);
    for (const struct place *b = w->bias.at; b < w->bias.at + w->bias.count; b++)
        S[b->index] = plus(&s->work, S[b->index], b->value);
    for (size_t i = 0; s->order == ACC32 && i < h->entries; i++) S[i] = times(&s->data, S[i], one);
}

/* Codes of a layer, times `scale`, as places and integers side by side; scale 0: they are not of this kind. */
typedef struct decoder {
    uint32_t scale;
    set grid;
} decoder;

typedef struct grid_place {
    uint32_t index;
    int32_t value;
} grid_place;

/* A set of states, increasing, and of sets that cover it. */
typedef struct subset {
    uint32_t *member, *cover;
    size_t level, members, covers;
} subset;

typedef struct context {
    uint32_t letter, from, to, following; /* following: the next context from the same set, or UNSET */
    bool inside;                          /* it was seen that the letter leads from `from` into `to` */
} context;

/* What the certificate says of the stages y[stages]. A pair is a set and the codes; `next` has for one pair after the
 * other one entry for each context from its set; line is that of pair 1. claim exact: of all stages, and the first part
 * of a pair is a state of the automaton, from which there is a context for every letter. */
typedef struct level {
    const stage *y;
    context *context;
    uint32_t *pair, *next, start;
    uint32_t *child;                         /* [pairs] as listed; or NULL */
    size_t stages, width, pairs, room, line; /* room: for next */
} level;

/* Transitions of a layer that were seen to lead from code to code. */
typedef struct fact {
    const block *layer;
    size_t spelling, from, to;
} fact;

/* The three files as data. first[set]: the first context from the set in the level being read or checked, or UNSET.
 * class[state]: from 1, or 0. d1: clock layers, blocks of `half` letters, elements. counted: what the verdict counts,
 * after `more`. state, wire and given are scratch. */
typedef struct problem {
    automaton a;
    network net;
    text lrnn;
    size_t counted, sets, levels, classes, clock, half, elements;
    char more[64], tail[300];
    subset *subset;
    level *level;
    uint32_t *first, *class;
    fact *known; /* [FACTS] by a hash of the fact */
    mpq_t *state;
    uint32_t *wire, *given; /* [wires] */
    schedule schedule;
    uint32_t *prefix, *word; /* claim refuted: letters; start of the level: the row that comes again */
    size_t prefix_letters, word_letters;
    char lead[96];               /* of the verdict, before the size */
    struct unrounded *unrounded; /* the last one first */
    size_t blocks_unrounded;
    set spelled; /* claim float: the numbers of rows as they are spelled and as they are */
    real *number;
    uint32_t *code;   /* [rows][layers]: nearest code, from 1 on; 0: not known, UNSET: not just one */
    decoder *decoder; /* [layers] */
    real *in, *old;   /* [entries], [2 entries] scratch; and more */
    term *terms;
    uint32_t *found, *touched; /* scratch: codes, of each readout or all of a layer; readouts */
} problem;

/* How many rows, sets or classes there are, each of `bytes` bytes or more. */
static size_t read_counts(const problem *x, text *t, const char *word, size_t bytes)
{
    number(t, "letters ", x->a.letters.count, x->a.letters.count);
    number(t, " states ", x->a.states.count, x->a.states.count);
    return count_of(t, word, 1, bytes);
}

/* "pair 1 set Z codes c .. [child J] next p .." or "row 1 state q codes c .. next r ..", and so on */
static void read_pairs(problem *x, text *t, level *b, const char *word, const char *first, size_t most)
{
    size_t nexts = 0;
    uint32_t *pair = b->pair = grab(b->pairs * b->width, sizeof *b->pair);
    b->line = t->line;
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, word, i + 1, i + 1);
        const size_t from = number(t, first, 1, most) - 1;
        *pair++ = (uint32_t)from;
        expect(t, " codes");
        for (const stage *s = b->y; s < b->y + b->stages; s++)
            for (size_t r = 0; r < s->block->joint; r++)
                *pair++ = (uint32_t)number(t, " ", 1, s->block->readout[r].codes) - 1;
        if (i == 0 && x->sets > 0 && comes(t, " child")) b->child = grab(b->pairs, sizeof *b->child);
        if (b->child) b->child[i] = (uint32_t)number(t, " child ", 1, x->sets) - 1;
        expect(t, " next");
        for (uint32_t c = x->first[from]; c != UNSET; c = b->context[c].following) {
            b->next = grow(b->next, nexts, &b->room, sizeof *b->next);
            b->next[nexts++] = (uint32_t)number(t, " ", 1, b->pairs) - 1;
        }
        end_line(t);
    }
    x->counted += b->pairs;
}

static void read_rows(problem *x, text *t)
{
    const size_t letters = x->a.letters.count,
                 least = sizeof "row 1 state 1 codes next" + 2 * x->net.joint + 2 * letters;
    level *b = x->level = grab(1, sizeof *b);
    *b = (level){.y = x->net.stage, .stages = x->net.stages, .width = 1 + x->net.joint};
    b->pairs = read_counts(x, t, " rows ", least);
    end_line(t);
    b->context = grab(letters, sizeof *b->context);
    for (size_t w = 0; w < letters; w++) b->context[w].following = w + 1 < letters ? (uint32_t)w + 1 : UNSET;
    b->room = b->pairs * letters;
    b->next = grab(b->room, sizeof *b->next);
    x->first = grab(x->a.states.count, sizeof *x->first);
    read_pairs(x, t, b, "row ", " state ", x->a.states.count);
    number_line(t, "end ", b->pairs, b->pairs);
}

/* " numbers X .." of a row; behind them. */
static uint32_t *read_row_numbers(problem *x, text *t, uint32_t *pair, size_t *capacity)
{
    expect(t, " numbers");
    for (size_t j = 0; j < x->net.numbers; j++) {
        const name spelled = {t->at, 1 + strcspn(t->at + (*t->at == ' '), " \n")};
        size_t known = find(&x->spelled, spelled);
        if (known == NONE) {
            known = x->spelled.count;
            x->number = grow(x->number, known, capacity, sizeof *x->number);
            x->number[known] = read_real(t, " ");
            if (!is_in(&x->schedule.state, x->number[known])) reject(t, "not a number of the format");
            add(&x->spelled, spelled);
        } else {
            t->at += spelled.size;
        }
        *pair++ = (uint32_t)known;
    }
    return pair;
}

/* "letters K states Q numbers N rows R", each row of `bytes` bytes or more besides its numbers, and room for rows. */
static level *read_float_head(problem *x, text *t, size_t bytes)
{
    const size_t joint = x->net.numbers;
    level *b = x->level = grab(1, sizeof *b);
    *b = (level){.y = x->net.stage, .stages = x->net.stages, .width = 1 + joint};
    number(t, "letters ", x->a.letters.count, x->a.letters.count);
    number(t, " states ", x->a.states.count, x->a.states.count);
    number(t, " numbers ", joint, joint);
    x->counted = b->pairs = count_of(t, " rows ", 1, bytes + 2 * joint);
    end_line(t);
    b->pair = grab(b->pairs * b->width, sizeof *b->pair);
    return b;
}

/* "row 1 state q numbers X .. next r .." */
static void read_float_rows(problem *x, text *t)
{
    const size_t letters = x->a.letters.count;
    size_t capacity = 0;
    level *b = read_float_head(x, t, sizeof "row 1 state 1 numbers next" + 2 * letters);
    b->line = t->line;
    b->context = grab(letters, sizeof *b->context);
    for (size_t w = 0; w < letters; w++) b->context[w].following = w + 1 < letters ? (uint32_t)w + 1 : UNSET;
    x->first = grab(x->a.states.count, sizeof *x->first);
    uint32_t *pair = b->pair, *next = b->next = grab(b->pairs * letters, sizeof *b->next);
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, "row ", i + 1, i + 1);
        *pair++ = (uint32_t)number(t, " state ", 1, x->a.states.count) - 1;
        pair = read_row_numbers(x, t, pair, &capacity);
        expect(t, " next");
        for (size_t w = 0; w < letters; w++) *next++ = (uint32_t)number(t, " ", 1, b->pairs) - 1;
        end_line(t);
    }
    number_line(t, "end ", b->pairs, b->pairs);
}

/* "row 1 state q numbers X .." along prefix word word .. */
static void read_refuted(problem *x, text *t)
{
    size_t capacity = 0;
    level *b = read_float_head(x, t, sizeof "row 1 state 1 numbers");
    if (comes(t, "prefix")) {
        x->prefix = read_numbers(t, "prefix", 1, x->a.letters.count, &x->prefix_letters);
        end_line(t);
    }
    x->word = read_numbers(t, "word", 1, x->a.letters.count, &x->word_letters);
    end_line(t);
    b->line = t->line;
    uint32_t *pair = b->pair;
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, "row ", i + 1, i + 1);
        *pair++ = (uint32_t)number(t, " state ", 1, x->a.states.count) - 1;
        pair = read_row_numbers(x, t, pair, &capacity);
        end_line(t);
    }
    const size_t back = number(t, "back ", 1, b->pairs);
    if (back <= x->prefix_letters || (b->pairs + 1 - back) % x->word_letters != 0)
        reject(t, "no word begins there as after the last row");
    end_line(t);
    b->start = (uint32_t)back - 1;
    number_line(t, "end ", b->pairs, b->pairs);
}

static void read_subset(subset *z, text *t, const problem *x)
{
    z->level = number(t, " level ", 1, x->levels + 1);
    z->member = read_numbers(t, " members", 1, x->a.states.count, &z->members);
    for (size_t i = 1; i < z->members; i++)
        if (z->member[i] <= z->member[i - 1]) reject(t, "expected increasing states");
    if (!comes(t, "\n")) {
        z->cover = read_numbers(t, " cover", 1, x->sets, &z->covers);
        if (z->members == 1 || z->level > x->levels) reject(t, "a set that has no cover");
    }
    end_line(t);
}

/* Lists the contexts of a level by their sets, or takes them from the list. */
static void list_contexts(problem *x, const level *b, bool in)
{
    for (size_t i = b->y->block->letters; i-- > 0;) {
        uint32_t *first = &x->first[b->context[i].from];
        b->context[i].following = *first;
        *first = in ? (uint32_t)i : UNSET;
    }
}

static void read_contexts(problem *x, text *t, const level *b)
{
    for (size_t i = 0; i < b->y->block->letters; i++) {
        context *c = &b->context[i];
        number(t, "context ", i + 1, i + 1);
        c->letter = (uint32_t)number(t, " letter ", 1, x->a.letters.count) - 1;
        c->from = (uint32_t)number(t, " from ", 1, x->sets) - 1;
        c->to = (uint32_t)number(t, " to ", 1, x->sets) - 1;
        if (b == x->level && (c->letter != i || c->from != 0 || c->to != 0))
            reject(t, "condition (0): not letter %zu from all states to all states", i + 1);
        end_line(t);
    }
}

/* Its layers are among the `layers` ones from y on. */
static void read_level(problem *x, text *t, level *b, const stage *y, size_t layers)
{
    b->y = y;
    b->stages = number(t, " layers ", 1, layers);
    b->width = 1 + b->stages;
    for (size_t l = 0; l < b->stages; l++)
        if (y[l].block->parts == 0) reject(t, "one of the layers is not decode part");
    number(t, " contexts ", y->block->letters, y->block->letters);
    b->pairs = count_of(t, " pairs ", 1, sizeof "pair 1 set 1 codes next" + 2 * b->stages);
    end_line(t);
    b->context = grab(y->block->letters, sizeof *b->context);
    read_contexts(x, t, b);
    list_contexts(x, b, true);
    read_pairs(x, t, b, "pair ", " set ", x->sets);
    list_contexts(x, b, false);
}

static void read_cascade(problem *x, text *t)
{
    x->sets = read_counts(x, t, " sets ", sizeof "set 1 level 1 members 1");
    x->levels = number_line(t, " levels ", 1, x->net.layers);
    x->subset = grab(x->sets, sizeof *x->subset);
    x->first = grab(x->sets, sizeof *x->first);
    for (size_t i = 0; i < x->sets; i++) {
        number(t, "set ", i + 1, i + 1);
        read_subset(&x->subset[i], t, x);
        if (i == 0 && x->subset[0].members < x->a.states.count)
            reject(t, "condition (0): set 1 is not all states");
        x->first[i] = UNSET;
    }
    x->level = grab(x->levels, sizeof *x->level);
    size_t layers = 0;
    for (size_t v = 0; v < x->levels; layers += x->level[v++].stages) {
        number(t, "level ", v + 1, v + 1);
        read_level(x, t, &x->level[v], x->net.stage + layers, x->net.stages - layers);
    }
    if (layers < x->net.stages) reject(t, "layer %zu belongs to no level", layers + 1);
    expect(t, "start");
    for (size_t v = 0; v < x->levels; v++)
        x->level[v].start = (uint32_t)number(t, " ", 1, x->level[v].pairs) - 1;
    end_line(t);
    number_line(t, "end ", x->sets, x->sets);
}

static void read_classes(problem *x, text *t)
{
    end_line(t);
    expect(t, "class");
    x->class = grab(x->a.states.count, sizeof *x->class);
    for (size_t q = 0; q < x->a.states.count; q++) x->class[q] = (uint32_t)number(t, " ", 0, x->classes);
    end_line(t);
    number_line(t, "end ", x->classes, x->classes);
}

static void read_zeiger(problem *x, text *t)
{
    x->classes = x->counted = read_counts(x, t, " classes ", 2);
    if (x->classes < 2 || x->classes > x->a.states.count) reject(t, "no such rule form");
    read_classes(x, t);
}

static void read_d1(problem *x, text *t)
{
    x->classes = x->counted = read_counts(x, t, " classes ", 2);
    x->clock = number(t, " clock ", 1, MAX_FILE);
    x->half = number(t, " block ", 1, MAX_FILE);
    x->elements = number(t, " elements ", 1, MAX_FILE);
    snprintf(x->more, sizeof x->more, "block %zu elements %zu ", x->half, x->elements);
    read_classes(x, t);
}

/* Entry `at` of the state and those behind it: those of v. */
static void put(problem *x, size_t at, size_t entries, const vector *v)
{
    clear(x->state + at, entries);
    for (size_t i = 0; i < v->count; i++) mpq_set(x->state[at + v->entry[i].index], v->entry[i].value);
}

static bool state_is(const problem *x, size_t at, size_t entries, const vector *v)
{
    size_t k = 0;
    for (size_t i = 0; i < entries; i++) {
        const bool zero = k == v->count || v->entry[k].index != i;
        if (zero ? mpq_sgn(x->state[at + i]) != 0 : !mpq_equal(x->state[at + i], v->entry[k++].value))
            return false;
    }
    return true;
}

/* The order of a number and the entry at an index, all smaller ones having been asked for. */
static int against(mpq_srcptr number, const vector *v, size_t *next, size_t index)
{
    if (*next == v->count || v->entry[*next].index != index) return mpq_sgn(number);
    return mpq_cmp(number, v->entry[(*next)++].value);
}

static bool is_between(const problem *x, size_t at, size_t entries, const vector *low, const vector *high)
{
    size_t l = 0, h = 0, i = 0;
    while (i < entries && against(x->state[at + i], low, &l, i) >= 0 &&
           against(x->state[at + i], high, &h, i) <= 0)
        i++;
    return i == entries;
}

static void move(problem *x, const head *h, const transition *w)
{
    for (size_t i = 0; mpq_cmp_ui(w->gate, 1, 1) != 0 && i < h->entries; i++)
        mpq_mul(x->state[h->at + i], x->state[h->at + i], w->gate);
    for (size_t i = 0; i < w->factors; i++) apply(h, x->state + h->at, h->d, &w->factor[i]);
    for (const struct entry *e = w->bias.entry; e < behind(&w->bias); e++)
        mpq_add(x->state[h->at + e->index], x->state[h->at + e->index], e->value);
}

/* Does the state have these codes, or lie in their boxes? Those of a layer are one. */
static bool codes_are(const problem *x, const block *b, const uint32_t *code)
{
    bool same = true;
    for (size_t i = 0; same && i < b->readouts; i++) {
        const struct readout *r = &b->readout[i];
        const uint32_t c = code[i % b->joint];
        same = r->low ? is_between(x, r->at, r->entries, &r->low[c], &r->high[c])
                      : state_is(x, r->at, r->entries, &r->code[c]);
    }
    return same;
}

/* The base of the induction: the level starts in the set or state. */
static void check_start(problem *x, const text *t, const level *b, size_t first)
{
    const uint32_t *pair = b->pair + b->start * b->width, *code = pair + 1;
    if (*pair != first) reject(t, "condition (0): level %zu starts elsewhere", (size_t)(b - x->level) + 1);
    for (const stage *s = b->y; s < b->y + b->stages; code += s++->block->joint) {
        for (const head *h = s->block->head; h < s->block->head + s->block->heads; h++)
            put(x, h->at, h->entries, &s->initial[h - s->block->head]);
        if (!codes_are(x, s->block, code))
            reject(t, "condition (0): layer %zu starts in another state", (size_t)(s - x->net.stage) + 1);
    }
}

/* What a step is made from: the code, or the one or the other corner of its box. */
static const vector *corner(const struct readout *r, uint32_t code, size_t number)
{
    return !r->low ? &r->code[code] : number == 0 ? &r->low[code] : &r->high[code];
}

/* Do the wires lead the block from these codes to those? */
static bool leads(problem *x, const block *b, const uint32_t *from, const uint32_t *to)
{
    const fact seen = b->spelling ? (fact){b, b->spelling[*x->wire], *from, *to} : (fact){0};
    fact *known = &x->known[(((size_t)(b - x->net.block) * 8191 + seen.spelling) * 1021 + seen.from) % FACTS];
    if (b->spelling && memcmp(known, &seen, sizeof seen) == 0) return true;
    for (size_t c = 0; c < (b->readouts > 0 && b->readout->low ? 2 : 1); c++) {
        for (size_t i = 0; i < b->readouts; i++)
            put(x, b->readout[i].at, b->readout[i].entries, corner(&b->readout[i], from[i % b->joint], c));
        for (const head *h = b->head; h < b->head + b->heads; h++)
            for (size_t j = 0; j < h->slots; j++) move(x, h, &h->slot[j].on[x->wire[h->slot[j].wire]]);
        if (!codes_are(x, b, to)) return false;
    }
    *known = seen;
    return true;
}

static void look_up(uint32_t *wire, const circuit *c)
{
    for (size_t g = 0; g < c->gates; g++) {
        const struct lookup *f = c->gate[g].table;
        size_t entry = 0;
        for (size_t i = 0; i < f->inputs; i++) entry = entry * f->size[i] + wire[c->gate[g].wire[i]];
        wire[c->first + g] = f->value[entry];
    }
}

/* What the letter has become after the stages, or UNSET, if they go from code to code. */
static size_t pass(problem *x, const text *t, const char *what, const level *y, size_t letter,
                   const uint32_t *from, const uint32_t *to)
{
    x->wire[0] = (uint32_t)letter;
    for (const stage *s = y->y; s < y->y + y->stages && x->wire[0] != UNSET; s++) {
        const block *b = s->block;
        look_up(x->wire, &b->pre);
        if (!leads(x, b, from, to))
            reject(t, "%s %zu: layer %zu goes to another state", what, letter + 1,
                   (size_t)(s - x->net.stage) + 1);
        if (b->letters > 0)
            x->wire[0] = symbol_after(b, x->wire[0], *to);
        else
            memcpy(x->wire + b->pre.first + b->pre.gates, to, b->readouts * sizeof *to);
        look_up(x->wire, &b->post);
        for (size_t i = 0; i < b->outputs; i++) x->given[i] = x->wire[b->output[i]];
        memcpy(x->wire, x->given, b->outputs * sizeof *x->wire);
        from += b->joint;
        to += b->joint;
    }
    return x->wire[0];
}

/* The step of claim exact: the letter leads the row to the one that the certificate names, with the right label. */
static void check_edge(problem *x, const text *t, const level *b, const uint32_t *row, size_t letter,
                       const uint32_t *next)
{
    if (x->a.next[*row * x->a.letters.count + letter] != *next)
        reject(t, "letter %zu: the automaton goes to another state", letter + 1);
    const size_t symbol = pass(x, t, "letter", b, letter, row + 1, next + 1);
    if (symbol == UNSET || !same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, *next)))
        reject(t, "letter %zu: the label is not that of the automaton's state", letter + 1);
}

/* All pairs and their steps; the pairs are what words may lead to by these and nothing else, each once. */
static void check_pairs(problem *x, text *t, const level *b,
                        void (*check_it)(problem *, const text *, const level *, const uint32_t *, size_t,
                                         const uint32_t *))
{
    set pairs = {0};
    bool *reached = grab(b->pairs, sizeof *reached);
    const uint32_t *next = b->next, *pair = b->pair;
    reached[b->start] = true;
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++, pair += b->width) {
        if (!add(&pairs, (name){(const char *)pair, b->width * sizeof *pair}))
            reject(t, "an earlier line is the same");
        if (!reached[i]) reject(t, "no earlier line leads to this one");
        for (uint32_t c = x->first[*pair]; c != UNSET; c = b->context[c].following) {
            check_it(x, t, b, pair, c, b->pair + *next * b->width);
            reached[*next++] = true;
        }
    }
}

static void check_rows(problem *x, text *t)
{
    check_start(x, t, x->level, x->a.start);
    check_pairs(x, t, x->level, check_edge);
}

static void make_decoder(decoder *out, const block *y)
{
    mpz_t scale, z;
    mpz_init_set_ui(scale, 1);
    mpz_init(z);
    size_t entries = 0;
    for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
        for (const vector *v = r->code; v < r->code + r->codes; entries += v++->count)
            for (const struct entry *e = v->entry; e < v->entry + v->count && mpz_sizeinbase(scale, 2) < 32;
                 e++)
                mpz_lcm(scale, scale, mpq_denref(e->value));
    bool small = mpz_sizeinbase(scale, 2) < 32;
    grid_place *at = grab(entries, sizeof *at);
    for (size_t c = 0; small && c < y->readout->codes; c++) {
        const grid_place *from = at;
        for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
            for (const struct entry *e = r->code[c].entry; e < r->code[c].entry + r->code[c].count;
                 e++, at++) {
                mpz_divexact(z, scale, mpq_denref(e->value));
                mpz_mul(z, z, mpq_numref(e->value));
                small = small && mpz_sizeinbase(z, 2) < 32;
                *at = (grid_place){(uint32_t)(r->at + e->index), small ? (int32_t)mpz_get_si(z) : 0};
            }
        add(&out->grid, (name){(const char *)from, (size_t)(at - from) * sizeof *at});
    }
    out->scale = small ? (uint32_t)mpz_get_ui(scale) : 0;
    mpz_clears(scale, z, NULL);
}

/* The code that is nearer to the state than half of 1 / scale, or NONE. Codes are that far apart, or more. Distances are
 * in units of 2^-30 / scale, rounded up. */
static size_t code_near(const decoder *y, const real *state, size_t entries, grid_place *near)
{
    size_t places = 0;
    wide distance = 0;
    for (size_t i = 0; i < entries; i++) {
        const wide m = size_of(state[i]) * y->scale;
        const int e = state[i].e, down = e < 0 ? -e : 0;
        if (m == 0) continue;
        if (e + length(m) > 30) return NONE;
        const wide z = down == 0 ? m << e : down < 120 ? (m + ((wide)1 << (down - 1))) >> down : 0;
        if (down < 120) {
            const wide exact = down > 0 ? z << down : m, rest = m > exact ? m - exact : exact - m;
            const wide units = down == 0 ? 0 : down <= 30 ? rest << (30 - down) : (rest >> (down - 30)) + 1;
            distance += units * units;
        } else {
            distance++;
        }
        if (z != 0) near[places++] = (grid_place){(uint32_t)i, state[i].m < 0 ? -(int32_t)z : (int32_t)z};
    }
    if (distance >= (wide)1 << 58) return NONE;
    return find(&y->grid, (name){(const char *)near, places * sizeof *near});
}

/* All codes c that are nearest to the state S, those with the least |c|^2 - 2 c S, in `found`. */
static size_t nearest_codes(problem *x, const block *y, const real *state, uint32_t *found)
{
    size_t count = 0;
    mpq_t least, sum, product;
    mpq_inits(least, sum, product, NULL);
    for (size_t i = 0; i < y->entries; i++) set_real(x->state[i], state[i]);
    for (size_t c = 0; c < y->readout->codes; c++) {
        mpq_set_ui(sum, 0, 1);
        for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
            for (const struct entry *e = r->code[c].entry; e < r->code[c].entry + r->code[c].count; e++) {
                mpq_sub(product, e->value, x->state[r->at + e->index]);
                mpq_sub(product, product, x->state[r->at + e->index]);
                mpq_mul(product, product, e->value);
                mpq_add(sum, sum, product);
            }
        const int compared = count > 0 ? mpq_cmp(sum, least) : -1;
        if (compared < 0) {
            mpq_swap(least, sum);
            count = 0;
        }
        if (compared <= 0) found[count++] = (uint32_t)c;
    }
    mpq_clears(least, sum, product, NULL);
    return count;
}

/* The same in integers, times scale^2 2^up, where they are small enough; 0: they are not. */
static size_t nearest_on_grid(problem *x, const block *y, const decoder *of, const real *state,
                              uint32_t *found)
{
    int low = 0, bits = 0;
    size_t count = 0;
    signed_wide least = 0;
    for (size_t i = 0; i < y->entries; i++) low = state[i].e < low ? state[i].e : low;
    for (size_t i = 0; i < y->entries; i++)
        bits = MAXIMUM(bits, state[i].m ? length(size_of(state[i])) + state[i].e - low : 0);
    const int room = length(y->entries);
    if (of->scale == 0 || bits + room > 62 || room - low > 60) return 0;
    for (size_t i = 0; i < y->entries; i++)
        x->terms[i].m =
            (signed_wide)state[i].m * ((signed_wide)1 << (state[i].m ? state[i].e - low : 0)) * of->scale;
    for (size_t c = 0; c < of->grid.count; c++) {
        const name *code = &of->grid.item[c];
        signed_wide sum = 0;
        for (const grid_place *p = (const void *)code->bytes; (const char *)p < code->bytes + code->size; p++)
            sum += ((signed_wide)p->value * ((signed_wide)1 << -low) - 2 * x->terms[p->index].m) * p->value;
        if (count == 0 || sum < least) count = 0;
        if (count > 0 && sum > least) continue;
        least = sum;
        found[count++] = (uint32_t)c;
    }
    return count;
}

/* The symbol that layer l, in the state x->in, gives after the letter, or UNSET; known: what is to be remembered of the state. */
static uint32_t nearest_symbol(problem *x, size_t l, size_t letter, uint32_t *known)
{
    const block *y = &x->net.block[l];
    if (*known == 0) {
        const size_t near =
            x->decoder[l].scale ? code_near(&x->decoder[l], x->in, y->entries, (void *)x->old) : NONE;
        *known = near == NONE ? UNSET : (uint32_t)near + 1;
    }
    if (*known != UNSET) return symbol_after(y, letter, *known - 1);
    size_t count = nearest_on_grid(x, y, &x->decoder[l], x->in, x->found);
    if (count == 0) count = nearest_codes(x, y, x->in, x->found);
    if (count == 1) *known = x->found[0] + 1;
    const uint32_t symbol = symbol_after(y, letter, x->found[0]);
    for (size_t i = 1; i < count; i++)
        if (symbol_after(y, letter, x->found[i]) != symbol) return UNSET;
    return symbol;
}

/* The letter leads from the row to `next`, and *right says whether with the right label. Returns the first layer that gives no
 * symbol, from 1 on, or 0. */
static size_t step_float(problem *x, const text *t, const level *b, const uint32_t *row, size_t letter,
                         const uint32_t *next, bool *right)
{
    const size_t after = (size_t)(next - b->pair) / b->width;
    size_t symbol = letter, at = 1, stuck = 0;
    if (x->a.next[*row * x->a.letters.count + letter] != *next)
        reject(t, "letter %zu: the automaton goes to another state", letter + 1);
    for (size_t l = 0; l < x->net.stages; at += x->net.block[l++].entries) {
        const block *y = &x->net.block[l];
        for (size_t i = 0; i < y->entries; i++) x->in[i] = x->number[row[at + i]];
        for (const head *h = y->head; stuck == 0 && h < y->head + y->heads; h++)
            turn_head(&x->schedule, h, &h->slot->in[symbol], x->in + h->at, x->terms, x->old);
        for (size_t i = 0; i < y->entries; i++) {
            if (x->in[i].e == NOT_FINITE) reject(t, "letter %zu: layer %zu: not finite", letter + 1, l + 1);
            if (!same_real(x->in[i], x->number[next[at + i]]))
                reject(t, "letter %zu: layer %zu goes to another state", letter + 1, l + 1);
        }
        if (stuck > 0) continue;
        symbol = nearest_symbol(x, l, symbol, &x->code[after * x->net.stages + l]);
        if (symbol == UNSET) stuck = l + 1;
    }
    *right = stuck == 0 && same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, *next));
    return stuck;
}

/* The step of claim float. */
static void check_float_edge(problem *x, const text *t, const level *b, const uint32_t *row, size_t letter,
                             const uint32_t *next)
{
    bool right;
    const size_t stuck = step_float(x, t, b, row, letter, next, &right);
    if (stuck > 0) reject(t, "letter %zu: layer %zu gives no symbol", letter + 1, stuck);
    if (!right) reject(t, "letter %zu: the label is not that of the automaton's state", letter + 1);
}

/* Row 1 is the start: initial states are data. */
static void check_float_start(problem *x, const text *t)
{
    const uint32_t *row = x->level->pair, *at = row + 1;
    bool right = *row == x->a.start;
    for (const stage *s = x->net.stage; s < x->net.stage + x->net.stages; s++)
        for (const head *h = s->block->head; h < s->block->head + s->block->heads; h++) {
            const reals v = weights(&x->schedule.weights, &s->initial[h - s->block->head], NULL);
            const struct place *p = v.at, *end = p + v.count;
            for (size_t i = 0; i < h->entries; i++) {
                const real r = p < end && p->index == i ? p++->value : (real){0, 0};
                right = right && same_real(r, x->number[*at++]);
            }
        }
    if (!right) reject(t, "the first row is not the start");
}

static void make_room(problem *x)
{
    x->in = grab(x->net.entries, sizeof *x->in);
    x->old = grab(2 * x->net.entries + 1, sizeof *x->old);
    x->terms = grab(x->net.entries + x->net.key + 1, sizeof *x->terms);
}

/* Room and tables for step_float, the start, and what the verdict says of format and schedule. */
static void begin_float(problem *x, const text *t)
{
    size_t most = 1;
    make_room(x);
    x->decoder = grab(x->net.stages, sizeof *x->decoder);
    x->code = grab(x->level->pairs * x->net.stages, sizeof *x->code);
    for (size_t l = 0; l < x->net.stages; l++) {
        const block *y = &x->net.block[l];
        for (const head *h = y->head; h < y->head + y->heads; h++) make_turns(&x->schedule, h);
        make_decoder(&x->decoder[l], y);
        most = MAXIMUM(most, y->readout->codes);
    }
    x->found = grab(most, sizeof *x->found);
    check_float_start(x, t);
    snprintf(x->tail, sizeof x->tail, " format p %d emin %d emax %d round %s %s", x->schedule.data.p,
             x->schedule.data.emin, x->schedule.data.emax, roundings[x->schedule.data.round],
             x->schedule.words);
}

static void check_float_rows(problem *x, text *t)
{
    begin_float(x, t);
    check_pairs(x, t, x->level, check_float_edge);
}

/* Row after row along the word, and from the last one back. */
static void check_refuted(problem *x, text *t)
{
    const level *b = x->level;
    const uint32_t *row = b->pair;
    size_t first = 0, wrong = 0;
    begin_float(x, t);
    t->line = b->line;
    for (size_t i = 0; i < b->pairs; i++, t->line++, row += b->width) {
        const size_t letter =
            i < x->prefix_letters ? x->prefix[i] : x->word[(i - x->prefix_letters) % x->word_letters];
        bool right;
        step_float(x, t, b, row, letter, i + 1 < b->pairs ? row + b->width : b->pair + b->start * b->width,
                   &right);
        if (!right && first == 0) first = i + 1;
        wrong += !right && i >= b->start;
    }
    if (first == 0) reject(t, "no label is wrong");
    snprintf(x->lead, sizeof x->lead, "length %zu period %zu wrong %zu ", first, b->pairs - b->start, wrong);
}

/* The set that the level hands on in this pair: as listed, or child(Z, c) of the pair's set Z, c being the coordinate in
 * the code of the level's first layer. Any function of the pair would do. */
static uint32_t child(const problem *x, const text *t, const level *b, const uint32_t *pair)
{
    const subset *z = &x->subset[pair[0]];
    if (b->child) return b->child[(size_t)(pair - b->pair) / b->width];
    const uint32_t coordinate = b->y->block->part[pair[1] * b->y->block->parts];
    if (z->level != (size_t)(b - x->level) + 1) return pair[0];
    if (coordinate >= z->covers)
        reject(t, "condition (3): set %zu has no member %zu in its cover", (size_t)pair[0] + 1,
               (size_t)coordinate + 1);
    return z->cover[coordinate];
}

static bool holds(const subset *z, uint32_t state)
{
    size_t low = 0, high = z->members;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (z->member[middle] == state) return true;
        if (z->member[middle] < state)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static void check_inside(const problem *x, const text *t, size_t from, size_t letter, size_t to)
{
    const subset *z = &x->subset[from];
    for (size_t i = 0; i < z->members; i++)
        if (!holds(&x->subset[to], x->a.next[z->member[i] * x->a.letters.count + letter]))
            reject(t, "condition (4): letter %zu leads from set %zu out of set %zu", letter + 1, from + 1,
                   to + 1);
}

/* (2) and (4) before the last level, whose letter is to be (letter, from, to). */
static void check_handed_on(const problem *x, const text *t, context *c, size_t letter, size_t from,
                            size_t to)
{
    static const char message[] =
        "condition (2): the decoder hands on set %zu as the %s one, which is set %zu";
    if (c->letter != letter)
        reject(t, "condition (2): the decoder hands on letter %zu", (size_t)c->letter + 1);
    if (c->from != from) reject(t, message, (size_t)c->from + 1, "old", from + 1);
    if (c->to != to) reject(t, message, (size_t)c->to + 1, "new", to + 1);
    if (!c->inside) check_inside(x, t, from, letter, to);
    c->inside = true;
}

/* (5) */
static void check_label(const problem *x, const text *t, size_t symbol, size_t last)
{
    const subset *z = &x->subset[last];
    if (z->level != x->levels + 1) reject(t, "condition (5): set %zu is not of the last level", last + 1);
    for (size_t i = 0; i < z->members; i++)
        if (!same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, z->member[i])))
            reject(t, "condition (5): the label is not that of state %zu", (size_t)z->member[i] + 1);
}

/* The step of claim cascade, by a context c from the pair's set. */
static void check_step(problem *x, const text *t, const level *b, const uint32_t *pair, size_t c,
                       const uint32_t *next)
{
    const context *read = &b->context[c];
    if (next[0] != read->to) reject(t, "condition (1): context %zu leads to another set", c + 1);
    const size_t symbol = pass(x, t, "condition (1): context", b, c, pair + 1, next + 1);
    if (symbol == UNSET) reject(t, "condition (2): context %zu gives no symbol", c + 1);
    const uint32_t from = child(x, t, b, pair), to = child(x, t, b, next);
    if (b + 1 < x->level + x->levels) {
        check_handed_on(x, t, &b[1].context[symbol], read->letter, from, to);
    } else {
        check_inside(x, t, from, read->letter, to);
        check_label(x, t, symbol, to);
    }
}

/* All levels, then (0), whose line is the next one. */
static void check_cascade(problem *x, text *t)
{
    size_t entered = 0;
    for (const level *b = x->level; b < x->level + x->levels; b++) {
        list_contexts(x, b, true);
        check_pairs(x, t, b, check_step);
        list_contexts(x, b, false);
    }
    for (const level *b = x->level; b < x->level + x->levels; b++) {
        check_start(x, t, b, entered);
        entered = child(x, t, b, b->pair + b->start * b->width);
    }
    if (x->subset[entered].level != x->levels + 1 || !holds(&x->subset[entered], (uint32_t)x->a.start))
        reject(t, "condition (0): the last set does not hold the start state");
}

/* The network is compared with a form of the quotient: `next` is the next gate of the circuit c of block b. A state x of
 * the quotient is the class of like[x]. t: a line of the network. table: of the gate before `next`; d1: T, F, R, M. */
typedef struct form {
    problem *x;
    text t;
    const block *b;
    const circuit *c;
    size_t next, n, k; /* n: states, k: letters */
    uint32_t *like;
    const struct lookup *table, *product, *portion, *rest, *meaning;
} form;

static void need(const form *f, bool right, const char *what, size_t which)
{
    if (!right)
        reject(&f->t, "block %zu, %s %zu: not as in the form claimed", (size_t)(f->b - f->x->net.block) + 1,
               what, which);
}

/* Where the letter leads from the state, or UNSET. */
static uint32_t to(const form *f, size_t state, size_t a)
{
    return f->x->class[f->x->a.next[f->like[state] * f->k + a]] - 1;
}

/* What a gate gives; p, q: states, a letter, a label or a value, as the rule wants. A first wire that lacks counts as 0. */
typedef enum rule { SAME, IMAGE, PICK, FIRST, FOUND, ACTION, OLD, LABEL, ANY, BOTH, ROW, MOVED, NAME } rule;

static size_t rule_value(const form *f, rule r, size_t p, size_t q, const uint32_t v[4])
{
    const bool here = (p < f->x->half) == (v[0] < f->x->half); /* row p, at count v[0] */
    if (r == SAME) return p;
    if (r == IMAGE) return v[0] || (v[2] && to(f, p, v[1]) == q); /* acc, a, X_p: does a lead p to q? */
    if (r == PICK) return v[0] || (v[2] && v[1] == p);            /* acc, a, bit: is a the letter p? */
    if (r == FIRST) return !v[0] && v[1] && !v[2];                /* f, Y, I: is it the first Y without I? */
    if (r == FOUND) return v[0] || (v[1] && !v[2]);
    if (r == ACTION) return v[0] ? f->k + 1 + v[3] : v[2] ? 1 + v[1] : 0; /* F, a, X, r */
    if (r == OLD) return v[0] && !(v[1] ? v[3] : v[2]);                   /* X, F, v, saved */
    if (r == BOTH) return v[0] * f->k + v[1];                             /* count, letter */
    if (r == ROW) return q == here && (!q || p <= v[0]) ? v[1] : 0; /* count, row p: its letter, or none */
    if (r == MOVED) return v[1] ? to(f, v[0], v[1] - 1) : v[0];     /* state, letter or none */
    if (r == NAME) return find(&f->x->net.labels, label_of(&f->x->a, f->x->net.kind, f->like[v[0]]));
    return v[1] ? p : v[0]; /* LABEL: acc, Y */
}

/* The wire of the next gate, which must read these wires, and have a table that follows the rule. UNSET: lacks. */
static uint32_t next_gate(form *f, rule r, size_t p, size_t q, size_t wires, const uint32_t *wire)
{
    const size_t lacks = wires > 0 && wire[0] == UNSET, given = f->c->first + f->next;
    f->t.line = f->c->line + f->next;
    need(f, f->next < f->c->gates, "gate of wire", given + 1);
    const struct gate *g = &f->c->gate[f->next++];
    const struct lookup *table = f->table = g->table;
    const size_t values = r == ACTION               ? f->k + 3
                          : r == LABEL || r == NAME ? f->x->net.labels.count
                          : r == BOTH               ? 2 * f->x->half * f->k
                          : r == ROW                ? f->k + 1
                          : r == MOVED              ? f->n
                          : r == ANY                ? table->values
                                                    : 2;
    bool right = table->inputs == wires - lacks && table->values == values;
    right = right && memcmp(g->wire, wire + lacks, table->inputs * sizeof *wire) == 0;
    for (size_t e = 0; right && r != ANY && e < table->entries; e++) {
        uint32_t v[4] = {0};
        for (size_t i = table->inputs, rest = e; i-- > 0; rest /= table->size[i])
            v[lacks + i] = (uint32_t)(rest % table->size[i]);
        right = table->value[e] == rule_value(f, r, p, q, v);
    }
    need(f, right, "gate of wire", given + 1);
    return (uint32_t)given;
}

/* The next circuit, after all gates of the one before. */
static void enter(form *f, size_t b, bool post)
{
    if (f->c) need(f, f->next == f->c->gates, "gate of wire", f->c->first + f->next + 1);
    f->b = &f->x->net.block[b];
    f->c = post ? &f->b->post : &f->b->pre;
    f->next = 0;
}

/* These wires, and `more` from `first` on. */
static void check_outputs(const form *f, size_t wires, const uint32_t *wire, size_t more, size_t first)
{
    bool right = f->b->outputs == wires + more && memcmp(f->b->output, wire, wires * sizeof *wire) == 0;
    for (size_t i = 0; right && i < more; i++) right = f->b->output[wires + i] == first + i;
    need(f, right, "outputs, of which there are", f->b->outputs);
}

/* Does v hold 1 at `at` and behind it, and nothing else? */
static bool is_pair(const vector *v, size_t at)
{
    return v->count == 2 && v->entry[0].index == at && v->entry[1].index == at + 1 &&
           mpq_cmp_ui(v->entry[0].value, 1, 1) == 0 && mpq_cmp_ui(v->entry[1].value, 1, 1) == 0;
}

/* Does the transition, which may change rows 2p, 2p + 1, 2q, 2q + 1 only, make of the copies p and q, each of which is
 * twice 0 or twice 1, what two letters of `does` say: 0, 1, the old p, the old q? */
static bool acts(problem *x, const head *h, const transition *w, size_t p, size_t q, const char *does)
{
    const size_t row[4] = {2 * p, 2 * p + 1, 2 * q, 2 * q + 1};
    bool right = mpq_cmp_ui(w->gate, 1, 1) == 0;
    for (const factor *f = w->factor; f < w->factor + w->factors; f++)
        for (size_t i = 0; i < f->w.count; i++)
            right = right && (f->w.entry[i].index / 2 == p || f->w.entry[i].index / 2 == q);
    for (unsigned long v = 0; right && v < 4; v++) {
        const unsigned long old[2] = {v / 2, v % 2};
        for (size_t i = 0; i < 4; i++) mpq_set_ui(x->state[row[i]], old[i / 2], 1);
        move(x, h, w);
        for (size_t i = 0; i < 4; i++) {
            const char c = does[i / 2];
            right = right && mpq_cmp_ui(x->state[row[i]], c >= 'p' ? old[c - 'p'] : c == '1', 1) == 0;
        }
    }
    return right;
}

/* Slots 1 .. n and 2n + 1 .. 3n read the wire F, the others those from g on. Copies: current states, then saved ones. */
static void check_head(const form *f, uint32_t F, uint32_t g)
{
    const size_t n = f->n, k = f->k;
    const head *h = f->b->head;
    need(f, h->n == 4 * n && h->d == 1 && h->slots == 3 * n, "head", 1);
    for (size_t j = 0; j < 3 * n; j++) {
        const size_t part = j / n, x = j % n;
        need(f, h->slot[j].wire == (part == 1 ? g + x : F), "slot", j + 1);
        for (size_t v = 0; v < (part == 1 ? k + 3 : 2); v++) {
            const char *by_g = v == 0 ? "pq" : v <= k ? "qp" : v == k + 1 ? "0q" : "1q";
            const char *does = part == 1 ? by_g : part == 0 ? (v ? "qp" : "p0") : v ? "pq" : "qp";
            const size_t saved = n + (part == 1 && v > 0 && v <= k ? to(f, x, v - 1) : x);
            need(f, acts(f->x, h, &h->slot[j].on[v], x, saved, does), "slot", j + 1);
        }
    }
    for (size_t i = 0; i < f->b->readouts; i++) {
        const struct readout *r = &f->b->readout[i];
        need(f, r->entries == 2 && r->codes == 2 && r->code[0].count == 0 && is_pair(&r->code[1], 0),
             "readout", i + 1);
    }
}

/* Wires: 0 is the letter, 1 + x the old bits, 1 + n + y the new ones. */
static void check_level(form *f)
{
    const uint32_t n = (uint32_t)f->n, k = (uint32_t)f->k, letter = 0, old = 1, new = 1 + n;
    uint32_t *wire = grab(n, sizeof *wire), F = UNSET, g = UNSET;
    enter(f, 1, false);
    for (uint32_t y = 0; y < n; y++) {
        wire[y] = UNSET;
        for (uint32_t x = 0; x < n; x++) {
            uint32_t a = 0;
            while (a < k && to(f, x, a) != y) a++;
            if (a < k) wire[y] = next_gate(f, IMAGE, x, y, 3, (uint32_t[]){wire[y], 0, old + x});
        }
        if (wire[y] == UNSET) wire[y] = next_gate(f, SAME, 0, 0, 0, wire);
    }
    const uint32_t r = (uint32_t)(f->c->first + f->next);
    for (uint32_t y = 0; y < n; y++) {
        const uint32_t in[] = {F, new + y, wire[y]};
        next_gate(f, FIRST, 0, 0, 3, in);
        F = next_gate(f, FOUND, 0, 0, 3, in);
    }
    for (uint32_t x = 0; x < n; x++)
        g = next_gate(f, ACTION, 0, 0, 4, (uint32_t[]){F, 0, old + x, r + 2 * x});
    check_head(f, F, g + 1 - n);
    const uint32_t current = g + 1, saved = current + n;
    enter(f, 1, true);
    for (uint32_t x = 0; x < n; x++) {
        wire[x] = UNSET;
        for (uint32_t a = 0; a < k; a++)
            wire[x] = next_gate(f, PICK, a, 0, 3, (uint32_t[]){wire[x], 0, current + to(f, x, a)});
    }
    check_outputs(f, 1, &letter, 2 * n, f->c->first + f->next);
    for (uint32_t x = 0; x < n; x++) next_gate(f, OLD, 0, 0, 4, (uint32_t[]){old + x, F, wire[x], saved + x});
    for (uint32_t y = 0; y < n; y++) next_gate(f, FIRST, 0, 0, 3, (uint32_t[]){UNSET, new + y, current + y});
}

/* Are the classes a quotient that keeps labels? */
static void check_classes(form *f, const text *t)
{
    const automaton *a = &f->x->a;
    const uint32_t *class = f->x->class;
    const label kind = f->x->net.kind;
    bool right = class[a->start] > 0;
    for (size_t c = 0; c < f->n; c++) f->like[c] = UNSET;
    for (size_t q = 0; q < a->states.count; q++) {
        if (class[q] == 0) continue;
        uint32_t *like = &f->like[class[q] - 1];
        if (*like == UNSET) *like = (uint32_t)q;
        right = right && same_name(label_of(a, kind, q), label_of(a, kind, *like));
        for (size_t w = 0; w < f->k; w++) {
            const uint32_t after = class[a->next[q * f->k + w]];
            right = right && after > 0 && after - 1 == to(f, class[q] - 1, w);
        }
        if (!right) reject(t, "state %zu is not like the others of its class, or leads to none", q + 1);
    }
    for (size_t c = 0; c < f->n; c++)
        if (f->like[c] == UNSET) reject(t, "class %zu has no state", c + 1);
}

static form form_of(problem *x, const text *t)
{
    form f = {.x = x, .t = x->lrnn, .b = x->net.block, .n = x->classes, .k = x->a.letters.count};
    f.like = grab(f.n, sizeof *f.like);
    check_classes(&f, t);
    return f;
}

static void check_zeiger(problem *x, text *t)
{
    const network *net = &x->net;
    const size_t n = x->classes;
    form f = form_of(x, t);
    const uint32_t letter = 0;
    uint32_t last = UNSET;
    need(&f, net->blocks == 3 && net->stages == n + 1, "stages, of which there are", net->stages);
    for (size_t l = 0, c = 0; l <= n; l++) {
        const size_t kind = (l > 0) + (l == n);
        f.b = net->stage[l].block;
        need(&f, f.b == &net->block[kind] && f.b->heads == kind % 2, "stage", l + 1);
        if (kind != 1) continue;
        c += c + 1 == x->class[x->a.start];
        need(&f, is_pair(net->stage[l].initial, 2 * c++), "initial state of stage", l + 1);
    }
    enter(&f, 0, false);
    check_outputs(&f, 1, &letter, 2 * n, 1);
    for (size_t i = 0; i < 2 * n; i++) next_gate(&f, SAME, 1, 0, 0, &last);
    enter(&f, 0, true);
    check_level(&f);
    enter(&f, 2, false);
    for (size_t y = 0; y < n; y++) {
        const size_t label_number = find(&net->labels, label_of(&x->a, net->kind, f.like[y]));
        last = next_gate(&f, LABEL, label_number, 0, 2, (uint32_t[]){last, (uint32_t)(1 + n + y)});
    }
    need(&f, f.b->outputs == 1 && f.b->output[0] == last, "output", 1);
    enter(&f, 2, true);
    enter(&f, 0, false);
}

/* So many heads and readouts, and the heads have one slot, which reads the wire. On to the post gates. */
static void check_heads(form *f, size_t heads, size_t readouts, uint32_t wire)
{
    bool right = f->b->heads == heads && f->b->readouts == readouts;
    for (size_t h = 0; right && h < heads; h++)
        right = f->b->head[h].slots == 1 && f->b->head[h].slot->wire == wire;
    need(f, right, "heads, of which there are", f->b->heads);
    enter(f, (size_t)(f->b - f->x->net.block), true);
}

/* Layer l of the clock. Wires: letter, a constant or the count of the layer below, codes, count. */
static void check_count(form *f, size_t l)
{
    const uint32_t reads[] = {1, 2, 3};
    const size_t heads = f->x->net.block[l].heads > 1 ? 2 : 1;
    enter(f, l, false);
    if (l == 0) next_gate(f, ANY, 0, 0, 0, reads);
    check_heads(f, heads, heads, 1);
    const uint32_t count = next_gate(f, ANY, 0, 0, heads + (l > 0), reads + (l == 0));
    check_outputs(f, 2, (uint32_t[]){0, count}, 0, 0);
}

/* Does the transition make the row the unit vector of the column, whatever it was, and change no other? */
static bool writes(const head *h, size_t value, size_t row, size_t column)
{
    const transition *w = &h->slot->on[value];
    const factor *f = w->factor;
    if (w->factors != 1 || f->u.count != 1 || f->c.count != 1 || mpq_cmp_ui(w->gate, 1, 1) != 0) return false;
    const struct entry *u = f->u.entry, *c = f->c.entry;
    mpq_mul(h->k->product, u->value, c->value);
    return mpq_cmp_si(h->k->product, -1, 1) == 0 && mpq_equal(f->w.entry->value, c->value) &&
           u->index == row && c->index == column;
}

static void check_ring_head(const form *f, size_t rows)
{
    const head *h = f->b->head;
    need(f, h->n == rows && h->d == f->k, "head", 1);
    for (size_t v = 0; v < rows * f->k; v++) need(f, writes(h, v, v / f->k, v % f->k), "value", v + 1);
    for (size_t j = 0; j < rows; j++) {
        const struct readout *r = &f->b->readout[j];
        bool right = r->codes == f->k + 1 && r->code->count == 0;
        for (size_t a = 0; right && a < f->k; a++) {
            const vector *v = &r->code[1 + a];
            right = v->count == 1 && v->entry->index == a && mpq_cmp_ui(v->entry->value, 1, 1) == 0;
        }
        need(f, right, "readout", j + 1);
    }
}

/* Wires: letter, count, both, rows, those of the block before, products, rows of this block, F, R. */
static void check_ring(form *f)
{
    const size_t rows = 2 * f->x->half;
    const uint32_t row = 3, before = (uint32_t)(row + rows);
    uint32_t last = UNSET, out[2];
    enter(f, f->x->clock, false);
    need(f, f->b->size[1] == rows, "wire", 2);
    next_gate(f, BOTH, 0, 0, 2, (uint32_t[]){1, 0});
    check_heads(f, 1, rows, 2);
    check_ring_head(f, rows);
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, false, 2, (uint32_t[]){1, row + j});
    need(f, f->c->gates > rows + 1, "gates, of which there are", f->c->gates);
    f->product = f->c->gate[rows + 1].table;
    for (uint32_t j = 0; j < rows; j++) { /* the first one lacks a wire, where it has element 0 */
        last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, before + j});
        const bool right = f->table->values == f->x->elements && f->table->entries <= f->product->entries;
        const size_t size = f->table->entries * sizeof *f->table->value;
        need(f, right && memcmp(f->table->value, f->product->value, size) == 0, "gate of wire", last + 1);
    }
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, true, 2, (uint32_t[]){1, row + j});
    out[0] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    f->portion = f->table;
    out[1] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    f->rest = f->table;
    check_outputs(f, 2, out, rows, last + 1);
}

/* Wires: F, R, rows of this block, code, states. */
static void check_applying(form *f)
{
    const uint32_t rows = (uint32_t)(2 * f->x->half);
    enter(f, f->x->clock + 1, false);
    check_heads(f, 1, 1, 0);
    uint32_t last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){2 + rows, 1});
    f->meaning = f->table;
    need(f, f->meaning->values == f->n, "gate of wire", last + 1);
    for (uint32_t j = 0; j < rows; j++) last = next_gate(f, MOVED, 0, 0, 2, (uint32_t[]){last, 2 + j});
    last = next_gate(f, NAME, 0, 0, 1, &last);
    check_outputs(f, 1, &last, 0, 0);
    enter(f, 0, false);
}

/* n numbers as read_vector reads them, in memory of malloc. Equal ones are spelled alike. */
static name spell(mpq_t *number, size_t n, size_t columns)
{
    char *spelled = gmp_allocate(1);
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        if (mpq_sgn(number[i]) == 0) continue;
        const size_t digits =
            mpz_sizeinbase(mpq_numref(number[i]), 10) + mpz_sizeinbase(mpq_denref(number[i]), 10);
        spelled = gmp_reallocate(spelled, size, size + digits + 48);
        size += (size_t)sprintf(spelled + size, " %zu", columns > 0 ? i / columns + 1 : i + 1);
        if (columns > 0) size += (size_t)sprintf(spelled + size, ".%zu", i % columns + 1);
        size += (size_t)gmp_sprintf(spelled + size, ":%Qd", number[i]);
    }
    return (name){spelled, size};
}

/* The code of head h of block l after one step from the state, or in it for value UNSET. */
static uint32_t code_after(form *f, size_t l, size_t h, const vector *state, uint32_t value)
{
    const problem *x = f->x;
    const head *of = &x->net.block[l].head[h];
    const struct readout *r = &x->net.block[l].readout[h];
    f->b = &x->net.block[l];
    put(f->x, r->at, r->entries, state);
    if (value != UNSET) move(f->x, of, &of->slot->on[value]);
    const name spelled = spell(x->state + r->at, r->entries, of->d);
    const size_t code = find(&r->spelled, spelled);
    free((char *)spelled.bytes);
    need(f, code != NONE, "no code for a state of head", h + 1);
    return (uint32_t)code;
}

/* (a): code[2 l + h]. The initial states are codes, as they come again. */
static void check_clock(form *f)
{
    const size_t period = 2 * f->x->half, layers = f->x->clock;
    uint32_t *wire = f->x->wire, *code = grab(2 * layers, sizeof *code);
    for (size_t t = 0; t <= period; t++)
        for (size_t l = 0; l < layers; l++) {
            const block *b = &f->x->net.block[l];
            look_up(wire, &b->pre);
            for (size_t h = 0; h < b->heads; h++) {
                const uint32_t first = code_after(f, l, h, &f->x->net.stage[l].initial[h], UNSET);
                const uint32_t now = t > 0 ? code[2 * l + h] : first;
                need(f, t < period || now == first, "initial state of head", h + 1);
                wire[2 + h] = code[2 * l + h] = code_after(f, l, h, &b->readout[h].code[now], wire[1]);
            }
            look_up(wire, &b->post);
            wire[1] = wire[2 + b->heads];
            need(f, l + 1 < layers || wire[1] == (t < period ? t : 0), "count", t + 1);
        }
}

/* (d): act[element][state] + 1, or 0, and which elements are in V_B or the first one. */
static bool *check_products(const form *f, uint32_t *act)
{
    const size_t n = f->n, k = f->k, elements = f->x->elements;
    const uint32_t *product = f->product->value;
    bool *in = grab(elements, sizeof *in), *done = grab(elements, sizeof *done);
    uint32_t *after = grab(k * n, sizeof *after);
    for (size_t i = 0; i < k * n; i++) after[i] = to(f, i % n, i / n) + 1;
    for (uint32_t q = 0; q < n; q++) act[q] = q + 1;
    for (size_t i = 0; i < elements; i++) need(f, product[i * (k + 1)] == i, "element", i + 1);
    in[0] = true;
    for (size_t j = 0; j < f->x->half; j++) {
        bool *next = grab(elements, sizeof *next), same = true;
        for (size_t i = 0; i < elements * k; i++) {
            if (!in[i / k]) continue;
            const size_t e = product[i / k * (k + 1) + 1 + i % k];
            next[e] = true;
            for (size_t q = 0; q < n && !done[i / k]; q++) {
                const uint32_t state = after[i % k * n + act[i / k * n + q] - 1];
                if (act[e * n + q] == 0) act[e * n + q] = state;
                same = same && act[e * n + q] == state;
            }
            need(f, same, "element", e + 1);
            done[i / k] = done[i / k] || i % k == k - 1;
        }
        in = next;
    }
    in[0] = true;
    return in;
}

/* (e): state[code] + 1, or 0, for the pairs, which are also in the queue. */
static void check_portions(form *f, const uint32_t *act, const bool *in)
{
    const problem *x = f->x;
    const struct readout *r = x->net.block[x->clock + 1].readout;
    const size_t half = x->half, last = x->clock + 1, values = f->portion->values, codes = r->codes;
    const uint32_t *portion = f->portion->value, *rest = f->rest->value;
    if (codes > MAX_TABLE / values) give_up("the last head has too many codes and values");
    uint32_t *next = grab(codes * values, sizeof *next); /* code + 1, or 0 */
    uint32_t *state = grab(codes, sizeof *state), *queue = grab(codes, sizeof *queue);
    queue[0] = code_after(f, last, 0, x->net.stage[last].initial, UNSET);
    state[queue[0]] = x->class[x->a.start];
    for (size_t i = 0, queued = 1; i < queued * x->elements; i++) {
        uint32_t code = queue[i / x->elements];
        const size_t e = i % x->elements;
        if (!in[e]) continue;
        const uint32_t q = act[e * f->n + state[code] - 1];
        for (size_t at = e * 2 * half; at < e * 2 * half + half; at++) {
            need(f, portion[at] == portion[at + half] && rest[at] == rest[at + half], "element", e + 1);
            uint32_t *known = &next[code * values + portion[at]];
            if (*known == 0) *known = code_after(f, last, 0, &r->code[code], portion[at]) + 1;
            code = *known - 1;
            need(f, f->meaning->value[code * f->rest->values + rest[at]] + 1 == q, "code", code + 1);
        }
        if (state[code] == 0) queue[queued++] = code;
        if (state[code] == 0) state[code] = q;
        need(f, state[code] == q, "code", code + 1);
    }
}

static void check_d1(problem *x, text *t)
{
    const network *net = &x->net;
    form f = form_of(x, t);
    need(&f, net->blocks == x->clock + 2 && net->stages == net->blocks, "stages, of which there are",
         net->stages);
    for (size_t l = 0; l < net->stages; l++) need(&f, net->stage[l].block == &net->block[l], "stage", l + 1);
    for (size_t l = 0; l < x->clock; l++) check_count(&f, l);
    check_ring(&f);
    check_applying(&f);
    check_clock(&f);
    f.b = &net->block[x->clock];
    need(&f, net->stage[x->clock].initial->count == 0, "initial state of head", 1);
    if (x->elements > MAX_TABLE / f.n) give_up("too many elements and states");
    uint32_t *act = grab(x->elements * f.n, sizeof *act);
    check_portions(&f, act, check_products(&f, act));
}

/* Multiples of 2^-places, at most `most` in absolute value; places is 0 where most is. */
typedef struct span {
    long places;
    mpq_t most;
} span;

enum what {
    KEY,
    BETA,
    VALUE,
    GRAM,
    SCALED,
    INVERSE,
    INVERSE_SUMS,
    BETA_KEY,
    BETA_VALUE,
    W,
    W_SUMS,
    U_SUMS,
    NEW,
    NEW_SUMS,
    STATE,
    STATE_SUMS,
    OUTPUT_SUMS,
    WHATS
};

/* Vectors and bounds of a head for chunk64; set: [d] columns, images, back images. */
typedef struct proof {
    set *set;
    vector *vector; /* in the order of the file, which is that of the sets */
    span bound[WHATS];
} proof;

/* A format and a schedule in which nothing rounds, and where the certificate says so. */
typedef struct unrounded {
    schedule schedule;
    text line;
    proof *proof; /* chunk64: of all heads */
    struct unrounded *next;
} unrounded;

static void read_set(proof *p, text *t, const head *h, size_t l, size_t number_of_head)
{
    number(t, "set layer ", l, l);
    number(t, " head ", number_of_head, number_of_head);
    const size_t vectors = count_of(t, " vectors ", h->d, sizeof "vector back"), kinds = h->d + 2;
    end_line(t);
    p->set = grab(kinds, sizeof *p->set);
    p->vector = grab(vectors, sizeof *p->vector);
    for (size_t i = 0, kind = 0; i < vectors; i++) {
        const bool column = comes(t, "vector column "), image = comes(t, "vector image");
        if (!column) expect(t, image ? "vector image" : "vector back");
        const size_t this = column ? number(t, "vector column ", 1, h->d) - 1 : h->d + !image;
        const char *from = t->at;
        p->vector[i] = read_vector(t, h->n, 0, 1);
        if (this < kind || !add(&p->set[this], (name){from, (size_t)(t->at - from)}))
            reject(t, "expected vectors in order, each once");
        if (!column && p->vector[i].count == 0) reject(t, "a vector that is 0");
        kind = this;
        end_line(t);
    }
}

static void read_bounds(proof *p, text *t, size_t l, size_t number_of_head)
{
    static const char *const what[] = {
        "key", "beta",   "value",  "gram", "scaled",   "inverse", "inverse-sums", "beta-key",   "beta-value",
        "w",   "w-sums", "u-sums", "new",  "new-sums", "state",   "state-sums",   "output-sums"};
    for (size_t i = 0; i < WHATS; i++) {
        number(t, "bound layer ", l, l);
        number(t, " head ", number_of_head, number_of_head);
        expect(t, " ");
        expect(t, what[i]);
        p->bound[i].places = read_exponent(t, " places ");
        mpq_init(p->bound[i].most);
        rational(t, " most ", p->bound[i].most, 0);
        end_line(t);
    }
}

static void read_unrounded(problem *x, text *t)
{
    unrounded *u = grab(1, sizeof *u);
    *u = (unrounded){.line = *t, .next = x->unrounded};
    x->unrounded = u;
    if (++x->blocks_unrounded > MAX_UNROUNDED) give_up("too many formats and schedules");
    expect(t, "unrounded ");
    const format data = read_format(t);
    expect(t, " ");
    u->schedule = read_schedule(t, data);
    end_line(t);
    if (u->schedule.order != CHUNK64) return;
    if (x->net.wired) give_up("chunk64 in a wired network");
    size_t heads = 0;
    for (size_t l = 0; l < x->net.stages; l++) heads += x->net.block[l].heads;
    proof *p = u->proof = grab(heads, sizeof *p);
    for (size_t l = 0; l < x->net.stages; l++)
        for (size_t h = 0; h < x->net.block[l].heads; h++, p++) {
            read_set(p, t, &x->net.block[l].head[h], l + 1, h + 1);
            read_bounds(p, t, l + 1, h + 1);
        }
}

static void need_exact(const unrounded *u, bool right, const char *what, size_t l, const head *h,
                       const block *b)
{
    if (!right)
        reject(&u->line, "layer or block %zu, head %zu: %s is rounded", l + 1, (size_t)(h - b->head) + 1,
               what);
}

/* The numbers of v, at `at` of the state x->in and behind it. */
static bool put_exact(problem *x, const format *f, size_t at, size_t entries, const vector *v)
{
    for (size_t i = 0; i < entries; i++) x->in[at + i] = (real){0, 0};
    lost = false;
    for (const struct entry *e = v->entry; e < behind(v); e++)
        x->in[at + e->index] = weight(f, e->value, NULL);
    return !lost;
}

/* Is each step from the head's state in x->in exact? It becomes the state after. */
static bool step_exact(problem *x, const schedule *s, const head *h, const turn *w)
{
    lost = false;
    turn_head(s, h, w, x->in + h->at, x->terms, x->old);
    return !lost;
}

/* U2: the letters from H_0 and all codes. */
static void check_layer(problem *x, const unrounded *u, size_t l)
{
    const schedule *s = &u->schedule;
    const block *y = &x->net.block[l];
    for (const head *h = y->head; h < y->head + y->heads; h++) {
        const struct readout *r = &y->readout[h - y->head];
        need_exact(u, make_turns(s, h), "a weight", l, h, y);
        for (size_t c = 0; c <= r->codes; c++) {
            const vector *v = c < r->codes ? &r->code[c] : &x->net.stage[l].initial[h - y->head];
            const format *f = c < r->codes ? &s->state : &s->weights;
            need_exact(u, put_exact(x, f, h->at, h->entries, v), "a state", l, h, y);
            for (size_t w = 0; s->order != CHUNK64 && w < y->letters; w++) {
                if (w > 0) put_exact(x, f, h->at, h->entries, v);
                need_exact(u, step_exact(x, s, h, &h->slot->in[w]), "a step", l, h, y);
            }
        }
    }
}

/* Which rows do keys or the gate touch? */
static void touch(bool *row, const head *h, const transition *w)
{
    memset(row, mpq_cmp_ui(w->gate, 1, 1) != 0, h->n);
    for (const factor *f = w->factor; f < w->factor + w->factors; f++)
        for (const struct entry *e = f->w.entry; e < f->w.entry + f->w.count; e++) row[e->index] = true;
}

/* U5: a value of the only slot, from all combinations of codes in the readouts that have a row it touches. */
static void check_combinations(problem *x, const unrounded *u, size_t l, const head *h, size_t value,
                               const bool *row)
{
    const block *b = &x->net.block[l];
    uint32_t *code = x->found, *touched = x->touched;
    size_t combinations = 1, count = 0, i;
    for (size_t r = 0; r < b->readouts; r++) {
        const struct readout *in = &b->readout[r];
        bool is = false;
        if (in->at < h->at || in->at >= h->at + h->entries) continue;
        for (size_t k = (in->at - h->at) / h->d; k < (in->at - h->at + in->entries) / h->d; k++)
            is = is || row[k];
        if (is) touched[count++] = (uint32_t)r;
        if (is && (combinations *= in->codes) > MAX_COMBINATIONS) give_up("too many combinations of codes");
    }
    do {
        for (size_t k = 0; k < h->entries; k++) x->in[h->at + k] = (real){0, 0};
        for (i = 0; i < count; i++) {
            const struct readout *in = &b->readout[touched[i]];
            put_exact(x, &u->schedule.state, in->at, in->entries, &in->code[code[i]]);
        }
        need_exact(u, step_exact(x, &u->schedule, h, &h->slot->in[value]), "a step", l, h, b);
        for (i = 0; i < count && ++code[i] == b->readout[touched[i]].codes; i++) code[i] = 0;
    } while (i < count);
}

static bool is_paired(const real *state, size_t n)
{
    bool right = true;
    for (size_t i = 0; i < n; i++)
        right =
            right && same_real(state[i], state[i / 2 * 2]) && (state[i].m == 0 || same_real(state[i], one));
    return right;
}

/* U6: a value of a slot, from all paired states that are 0 where it touches nothing, to paired states. */
static void check_paired(problem *x, const unrounded *u, size_t l, const head *h, const turn *w,
                         const bool *row)
{
    size_t touched[10], pairs = 0;
    for (size_t i = 0; i < h->n; i += 2) {
        if (!row[i] && !row[i + 1]) continue;
        if (pairs == 10) give_up("a slot touches too many pairs of rows");
        touched[pairs++] = i;
    }
    for (size_t state = 0; state < (size_t)1 << pairs; state++) {
        real *S = x->in + h->at;
        for (size_t i = 0; i < h->n; i++) S[i] = (real){0, 0};
        for (size_t i = 0; i < pairs; i++) S[touched[i]] = S[touched[i] + 1] = (real){state >> i & 1, 0};
        need_exact(u, step_exact(x, &u->schedule, h, w), "a step", l, h, &x->net.block[l]);
        if (!is_paired(S, h->n)) give_up("a head with several slots whose states are not pairs");
    }
}

static void check_block(problem *x, const unrounded *u, size_t l)
{
    const schedule *s = &u->schedule;
    const block *b = &x->net.block[l];
    for (const struct readout *r = b->readout; r < b->readout + b->readouts; r++)
        for (size_t c = 0; c < r->codes; c++)
            need_exact(u, put_exact(x, &s->state, r->at, r->entries, &r->code[c]), "a code", l, b->head, b);
    for (const head *h = b->head; h < b->head + b->heads; h++) {
        bool *row = grab(h->n, sizeof *row);
        need_exact(u, make_turns(s, h), "a weight", l, h, b);
        if (h->slots > 1 && (h->d > 1 || h->n % 2 > 0))
            give_up("a head with several slots that is not of pairs");
        for (const stage *at = x->net.stage; at < x->net.stage + x->net.stages; at++)
            for (size_t v = 0; at->block == b && v < h->slot->values; v++) {
                const vector *initial = &at->initial[h - b->head];
                need_exact(u, put_exact(x, &s->weights, h->at, h->entries, initial), "an initial state", l, h,
                           b);
                if (h->slots > 1 && !is_paired(x->in + h->at, h->n))
                    give_up("an initial state is not of pairs");
                if (h->slots == 1) need_exact(u, step_exact(x, s, h, &h->slot->in[v]), "a step", l, h, b);
            }
        for (const struct slot *j = h->slot; j < h->slot + h->slots; j++)
            for (size_t v = 0; v < j->values; v++) {
                touch(row, h, &j->on[v]);
                if (h->slots == 1)
                    check_combinations(x, u, l, h, v, row);
                else
                    check_paired(x, u, l, h, &j->in[v], row);
            }
    }
}

static bool larger(const mpq_t a, const mpq_t b)
{
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, a);
    const bool is = mpq_cmp(size, b) > 0;
    mpq_clear(size);
    return is;
}

static void include(span *b, mpq_t number)
{
    if (mpq_sgn(number) == 0) return;
    const long below = (long)mpz_scan1(mpq_denref(number), 0), above = (long)mpz_scan1(mpq_numref(number), 0);
    const bool first = mpq_sgn(b->most) == 0;
    if (mpz_sizeinbase(mpq_denref(number), 2) != (size_t)below + 1) give_up("a number that is not dyadic");
    b->places = first || below - above > b->places ? below - above : b->places;
    if (larger(number, b->most)) mpq_abs(b->most, number);
}

/* Does every multiple of 2^-places up to `most` fit the format? */
static bool fits(const format *f, const span *b)
{
    mpq_t bound;
    mpq_init(bound);
    set_real(bound, f->largest);
    bool right = mpq_cmp(b->most, bound) <= 0;
    const long least = f->subnormals ? f->emin - f->p + 1 : f->emin, top = f->p - b->places;
    mpq_set_ui(bound, 1, 1);
    if (top > 0) mpq_mul_2exp(bound, bound, (mp_bitcnt_t)top);
    if (top < 0) mpq_div_2exp(bound, bound, (mp_bitcnt_t)-top);
    right = right && mpq_cmp(b->most, bound) <= 0 && -b->places >= least;
    right = right || mpq_sgn(b->most) == 0;
    mpq_clear(bound);
    return right;
}

/* r = beta (v - k^T y), y += r k; q: scratch. */
static void push_exact(const struct push *p, mpq_t *y, mpq_t v, mpq_t r, mpq_t q)
{
    mpq_set(r, v);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(q, k->value);
        mpq_mul(q, q, y[k->index]);
        mpq_sub(r, r, q);
    }
    set_real(q, p->beta);
    mpq_mul(r, r, q);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(q, k->value);
        mpq_mul(q, q, r);
        mpq_add(y[k->index], y[k->index], q);
    }
}

static void get_place(mpq_t out, const reals *v, size_t index)
{
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < v->count; i++)
        if (v->at[i].index == index) set_real(out, v->at[i].value);
}

/* A head and what its sets must hold, while bounds are found. */
typedef struct chunking {
    const unrounded *u;
    const head *h;
    proof *p;
    span bound[WHATS];
    mpq_t *y, q[4]; /* y: [n] */
} chunking;

static void include_all(chunking *c, enum what b)
{
    for (size_t i = 0; i < c->h->n; i++) include(&c->bound[b], c->y[i]);
}

/* y is in the set, or is 0 where that is not listed. */
static void need_listed(const chunking *c, size_t kind)
{
    const name spelled = spell(c->y, c->h->n, 0);
    if ((spelled.size > 0 || kind < c->h->d) && find(&c->p->set[kind], spelled) == NONE)
        reject(&c->u->line, "chunk64: a set of vectors is not closed");
    free((char *)spelled.bytes);
}

/* The run from y on through factors first .. last - 1 of the letter, or back from last - 1 to first. */
static void run_through(chunking *c, size_t kind, const turn *w, size_t first, size_t last)
{
    const size_t d = c->h->d;
    if (kind != d) include_all(c, kind < d ? STATE : W);
    for (size_t i = first; i < last; i++) {
        const struct push *p = &w->push[kind > d ? first + last - 1 - i : i];
        mpq_set_ui(c->q[0], 0, 1);
        if (kind < d) get_place(c->q[0], &p->value, kind);
        push_exact(p, c->y, c->q[0], c->q[1], c->q[2]);
        if (kind <= d) include(&c->bound[kind < d ? NEW : INVERSE], c->q[1]);
        if (kind != d) include_all(c, kind < d ? STATE : W);
    }
    need_listed(c, kind);
}

static void set_vector(chunking *c, const vector *v)
{
    clear(c->y, c->h->n);
    for (size_t i = 0; i < v->count; i++) mpq_set(c->y[v->entry[i].index], v->entry[i].value);
}

static void set_key(chunking *c, const struct push *p, bool times_beta)
{
    clear(c->y, c->h->n);
    set_real(c->q[0], times_beta ? p->beta : one);
    for (const struct place *k = p->key.at; k < p->key.at + p->key.count; k++) {
        set_real(c->q[1], k->value);
        mpq_mul(c->y[k->index], c->q[0], c->q[1]);
    }
}

/* U7: all runs. */
static void check_runs(chunking *c, const block *y)
{
    const size_t d = c->h->d;
    const vector *v = c->p->vector;
    for (size_t kind = 0; kind < d + 2; kind++)
        for (size_t i = 0; i < c->p->set[kind].count; i++, v++)
            for (size_t a = 0; a < y->letters; a++) {
                set_vector(c, v);
                run_through(c, kind, &c->h->slot->in[a], 0, c->h->slot->in[a].pushes);
            }
    for (size_t a = 0; a < y->letters; a++) {
        const turn *w = &c->h->slot->in[a];
        for (size_t q = 0; q < w->pushes; q++) {
            for (size_t j = 0; j < d && q > 0; j++) {
                clear(c->y, c->h->n);
                run_through(c, j, w, q, w->pushes);
            }
            set_key(c, &w->push[q], false);
            run_through(c, d, w, q + 1, w->pushes);
            set_key(c, &w->push[q], true);
            run_through(c, d + 1, w, 0, q);
        }
    }
}

/* Columns of a state are in their sets, and 0. */
static void check_columns(chunking *c, const vector *state)
{
    for (size_t j = 0; j < c->h->d; j++) {
        clear(c->y, c->h->n);
        for (const struct entry *e = state->entry; e < behind(state); e++)
            if (e->index % c->h->d == j) mpq_set(c->y[e->index / c->h->d], e->value);
        need_listed(c, j);
    }
}

/* U9: of keys and writes. */
static void include_weights(chunking *c, const turn *w)
{
    for (const struct push *p = w->push; p < w->push + w->pushes; p++) {
        mpq_set_ui(c->q[2], 0, 1);
        set_real(c->q[0], p->beta);
        include(&c->bound[BETA], c->q[0]);
        for (size_t i = 0; i < p->key.count + p->value.count; i++) {
            const bool key = i < p->key.count;
            set_real(c->q[1], key ? p->key.at[i].value : p->value.at[i - p->key.count].value);
            include(&c->bound[key ? KEY : VALUE], c->q[1]);
            mpq_mul(c->q[3], c->q[1], c->q[0]);
            include(&c->bound[key ? BETA_KEY : BETA_VALUE], c->q[3]);
            mpq_mul(c->q[3], c->q[1], c->q[1]);
            if (key) mpq_add(c->q[2], c->q[2], c->q[3]);
        }
        if (mpq_cmp(c->q[2], c->bound[GRAM].most) > 0) mpq_set(c->bound[GRAM].most, c->q[2]);
    }
}

/* out = count a b */
static void set_product(span *out, unsigned long count, const span *a, const span *b)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(product, count, 1);
    mpq_mul(product, product, a->most);
    mpq_mul(out->most, product, b->most);
    out->places = a->places + b->places;
    mpq_clear(product);
}

static void add_span(span *out, const span *b)
{
    out->places = MAXIMUM(out->places, b->places);
    mpq_add(out->most, out->most, b->most);
}

/* U9: of the rest, by those that were found. */
static void set_sums(span *b, const head *h)
{
    b[GRAM].places = 2 * b[KEY].places;
    set_product(&b[SCALED], 1, &b[BETA], &b[GRAM]);
    set_product(&b[INVERSE_SUMS], 768, &b[SCALED], &b[INVERSE]);
    set_product(&b[INVERSE_SUMS], 1, &b[INVERSE_SUMS], &b[INVERSE]);
    set_product(&b[W_SUMS], 64, &b[INVERSE], &b[BETA_KEY]);
    set_product(&b[U_SUMS], 64, &b[INVERSE], &b[BETA_VALUE]);
    set_product(&b[NEW_SUMS], h->n, &b[W], &b[STATE]);
    add_span(&b[NEW_SUMS], &b[NEW]);
    set_product(&b[STATE_SUMS], 64, &b[KEY], &b[NEW]);
    add_span(&b[STATE_SUMS], &b[STATE]);
    set_product(&b[OUTPUT_SUMS], 64 * h->householders, &b[KEY], &b[NEW]);
    add_span(&b[OUTPUT_SUMS], &b[STATE]);
}

/* U10 for one head. */
static void check_chunks(problem *x, const unrounded *u, size_t l, const head *h, proof *p)
{
    static const bool in_fp32[WHATS] = {
        [GRAM] = true,   [SCALED] = true,   [INVERSE_SUMS] = true, [W_SUMS] = true,
        [U_SUMS] = true, [NEW_SUMS] = true, [STATE_SUMS] = true,   [OUTPUT_SUMS] = true};
    const block *y = &x->net.block[l];
    const size_t number_of_head = (size_t)(h - y->head);
    chunking c = {.u = u, .h = h, .p = p, .y = x->state};
    for (size_t i = 0; i < WHATS; i++) mpq_init(c.bound[i].most);
    for (size_t i = 0; i < 4; i++) mpq_init(c.q[i]);
    for (size_t a = 0; a < y->letters; a++) {
        const transition *w = &h->slot->on[a];
        if (mpq_cmp_ui(w->gate, 1, 1) != 0 || w->bias.count > 0)
            reject(&u->line, "chunk64 with a gate or a bias");
        include_weights(&c, &h->slot->in[a]);
    }
    check_columns(&c, &(vector){0});
    check_columns(&c, &x->net.stage[l].initial[number_of_head]);
    for (size_t i = 0; i < y->readout->codes; i++) check_columns(&c, &y->readout[number_of_head].code[i]);
    set_real(c.q[0], one);
    include(&c.bound[INVERSE], c.q[0]);
    check_runs(&c, y);
    set_sums(c.bound, h);
    for (size_t i = 0; i < WHATS; i++) {
        if (c.bound[i].places != p->bound[i].places || !mpq_equal(c.bound[i].most, p->bound[i].most))
            reject(&u->line, "layer %zu, head %zu: bound %zu is another one", l + 1, number_of_head + 1,
                   i + 1);
        if (!fits(in_fp32[i] ? &fp32 : &u->schedule.data, &c.bound[i]))
            reject(&u->line, "layer %zu, head %zu: bound %zu does not fit the format", l + 1,
                   number_of_head + 1, i + 1);
        mpq_clear(c.bound[i].most);
    }
    for (size_t i = 0; i < 4; i++) mpq_clear(c.q[i]);
}

/* In these formats and schedules nothing rounds (theory/unrounded.md); the exact claim has been checked. */
static void check_unrounded(problem *x)
{
    const size_t blocks = x->net.wired ? x->net.blocks : x->net.stages;
    size_t most = 0;
    for (size_t l = 0; l < blocks; l++) {
        const block *y = &x->net.block[l];
        if (y->readouts > 0 && y->readout->low)
            reject(&x->unrounded->line, "layer %zu has boxes: its states are not its codes", l + 1);
        most = MAXIMUM(most, y->readouts);
    }
    make_room(x);
    x->found = grab(most, sizeof *x->found);
    x->touched = grab(most, sizeof *x->touched);
    for (const unrounded *u = x->unrounded; u; u = u->next)
        for (size_t l = 0, heads = 0; l < blocks; heads += x->net.block[l++].heads) {
            (x->net.wired ? check_block : check_layer)(x, u, l);
            for (size_t h = 0; u->proof && h < x->net.block[l].heads; h++)
                check_chunks(x, u, l, &x->net.block[l].head[h], &u->proof[heads + h]);
        }
    snprintf(x->tail, sizeof x->tail, " unrounded %zu", x->blocks_unrounded);
}

/* The lines of claims float and refuted that say where they hold. */
static void read_float(problem *x, text *t)
{
    const format data = read_format(t);
    end_line(t);
    x->schedule = read_schedule(t, data);
    end_line(t);
    if (data.round == STOCHASTIC || x->schedule.order == CHUNK64)
        reject(t, "this claim is not for stochastic rounding and chunk64");
    for (const block *y = x->net.block; y < x->net.block + x->net.stages; y++)
        for (const head *h = y->head; h < y->head + y->heads; h++)
            if (!h->plain) give_up("claim float is not for heads over a field or with a form");
}

/* The whole check, of files in memory. It returns only when everything is right, with the claim. */
static void check(char claim[MAX_CLAIM], text *fsa, text *lrnn, text *cert)
{
    static const struct {
        const char *word, *counts;
        bool layers, wired; /* what it may be said of */
        void (*read)(problem *, text *), (*check)(problem *, text *);
    } claims[] = {{"claim float", "rows", true, false, read_float_rows, check_float_rows},
                  {"claim refuted", "rows", true, false, read_refuted, check_refuted},
                  {"claim exact", "rows", true, true, read_rows, check_rows},
                  {"claim cascade", "pairs", true, false, read_cascade, check_cascade},
                  {"claim d1", "states", false, true, read_d1, check_d1},
                  {"claim zeiger", "states", false, true, read_zeiger, check_zeiger}};
    static const size_t footer = sizeof "sha256 " + 64, kinds = sizeof claims / sizeof *claims;
    char fsa_line[80], net_line[80], cert_line[80];
    sha256_line(fsa_line, "fsa", fsa->bytes, left(fsa));
    sha256_line(net_line, "network", lrnn->bytes, left(lrnn));
    sha256_line(cert_line, "sha256", cert->bytes, left(cert) > footer ? left(cert) - footer : 0);
    whole_line(cert, "lrnn-certificate 1");
    whole_line(cert, fsa_line);
    whole_line(cert, net_line);
    size_t kind = 0;
    while (kind + 1 < kinds && !comes(cert, claims[kind].word)) kind++;
    whole_line(cert, claims[kind].word);
    problem x = {0};
    read_automaton(&x.a, fsa);
    read_network(&x.net, lrnn, &x.a, fsa_line);
    if (!(x.net.wired ? claims[kind].wired : claims[kind].layers))
        reject(cert, "no claim about such a network");
    x.lrnn = *lrnn;
    if (kind <= 1) read_float(&x, cert);
    while (kind > 1 && comes(cert, "unrounded ")) read_unrounded(&x, cert);
    char size[160];
    expect(cert, "size ");
    text sizes = *cert;
    while (cert->at < cert->end && *cert->at != '\n') cert->at++;
    end_line(cert);
    text lines = *cert;
    if (claims[kind].check == check_zeiger) claims[kind].read(&x, cert);
    /* Z.7 */
    const size_t householders = x.classes > 0 ? 4 * x.classes : x.net.householders;
    snprintf(size, sizeof size, "layers %zu heads %zu householders %zu key %zu value %zu", x.net.layers,
             x.net.heads, householders, x.net.key, x.net.value);
    whole_line(&sizes, size);
    if (claims[kind].check != check_zeiger) claims[kind].read(&x, cert);
    if (left(cert) != footer) reject(cert, "expected one line more");
    whole_line(cert, cert_line);
    x.state = zeros(x.net.entries);
    x.known = grab(FACTS, sizeof *x.known);
    x.wire = grab(x.net.wires, sizeof *x.wire);
    x.given = grab(x.net.wires, sizeof *x.given);
    lines.line++;
    claims[kind].check(&x, &lines);
    if (x.unrounded) check_unrounded(&x);
    snprintf(claim, MAX_CLAIM, "%s %s%s %s%s %zu%s", claims[kind].word + sizeof "claim", x.lead, size, x.more,
             claims[kind].counts, x.counted, x.tail);
}

static text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 0;
    char *bytes = NULL;
    while (file && !ferror(file) && !feof(file)) {
        bytes = grow(bytes, size, &capacity, 1);
        size += fread(bytes + size, 1, capacity - size, file);
        if (size > MAX_FILE) give_up("a file is too large");
    }
    if (!file || ferror(file)) reject(&(text){.path = path}, "%s", strerror(errno));
    fclose(file);
    bytes = grow(bytes, size, &capacity, 1); /* for the zero byte */
    bytes[size] = '\0';
    return (text){path, bytes, bytes, bytes + size, 1};
}

static const char usage[] =
    "usage: lrnn-check AUTOMATON NETWORK CERTIFICATE | --help | --version\n"
    "Checks automaton.fsa, network.lrnn and certificate.cert of an output folder of fsa2lrnn.\n"
    "Prints `s VERIFIED ...` (exit status 0), `s NOT VERIFIED` (1) or, at a limit, `s UNKNOWN` (2).\n";

/* What could not be written was not said. */
static int say(int status)
{
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (fclose(stdout) == 0 && !failed) return status;
    perror("lrnn-check: standard output");
    return UNKNOWN;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("lrnn-check %s (GMP %s)\n", LRNN_CHECK_VERSION, gmp_version);
        return say(0);
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (help || argc != 4 || argv[1][0] == '-') {
        fputs(usage, help ? stdout : stderr);
        return help ? say(0) : USAGE;
    }
    mp_set_memory_functions(gmp_allocate, gmp_reallocate, NULL);
    text fsa = read_file(argv[1]), lrnn = read_file(argv[2]), cert = read_file(argv[3]);
    char claim[MAX_CLAIM];
    check(claim, &fsa, &lrnn, &cert);
    printf("s VERIFIED %s\n", claim);
    return say(VERIFIED);
}
