/* lrnn-check AUTOMATON NETWORK CERTIFICATE: does the network give, after every letter of every word, the
 * label of the state that the automaton is in?
 *
 * This file is all there is to trust besides libc and GMP. It shares no code with the compiler that wrote the
 * three files, and it searches nothing: the certificate lists the pairs (state of the network, state of the
 * automaton) that words lead to, and every edge between them and every label is computed again here, in exact
 * rational arithmetic (check_edge). By induction on its length every word leads to a listed pair, and the
 * label there is right (theory/closure.md, C1 and C2).
 *
 * The layers of a cascade have too many joint states to list. There layer l reads (a, X, Y): the input letter
 * and two sets of states of the automaton. The certificate lists for each layer the pairs (Z, code) that words
 * lead to. Let cur be part 1 of a code and child(Z, c) the member c of the cover of Z where Z has the layer's
 * level, else Z. Words lead to pairs (Z_l, code_l) with Z_1 all states, Z_{l+1} = child(Z_l, cur_l) and the
 * automaton's state in Z_{L+1}: (0) the empty word does (check_chain), and for every listed pair (X, s) and letter
 * (a, X, Y) of its layer, s' being the exact next state, (1) the pair (Y, s') is listed; (2) the decoder gives
 * (a, X', Y') with X' = child(X, cur(s)) and Y' = child(Y, cur(s')), (3) which exist, (4) with X'a inside Y'; (5)
 * all states in the last Y' have the label given (check_step). Without (2) a layer could read as X another set
 * than the one it read as Y a letter before, and layers that fit each other be wrong (theory/t4.md, T4.10).
 *
 * Whatever is wrong ends the program, in reject() or give_up(), so that the line after a check may rely on it.
 * One line on standard output is the verdict, the reason goes to standard error, and a wrong command line exits
 * with 64 and no verdict:
 *     s VERIFIED exact layers L heads H householders N key n value d rows R        exit status 0
 *     s VERIFIED cascade layers L heads H householders N key n value d pairs P     0; P in all layers together
 *     s NOT VERIFIED        something in the files is wrong, or one cannot be read        1
 *     s UNKNOWN             memory or a limit of this program ran out                     2
 *
 * The files have single blanks, lines ended by LF and one spelling for every value. A NAME is quoted as in JSON
 * when it is empty, has blanks, control characters or one of # " ( ), or is a word of the first grammar; else
 * it is bare. Names are compared as they are spelled.
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
 *           initial R.C:V ..                      S at the start, n x d
 *           on x gate G factors F                 K times: S <- G S with 0 <= G <= 1, then F times
 *             factor BETA u I:V .. [c J:V ..]     S <- S - (BETA / u^T u) u (u^T S - c^T); 0 <= BETA <= 2
 *         code i Y R.C:V .. ; R.C:V ..          C times: a state of the layer, head by head, and its symbol Y
 *         yield x i Y                           decode step: the symbol when letter x led to code i
 *         yield x p Y ..                        decode part, K times: the symbol for each value of part p
 *     end
 * Y is "-" where there is no symbol, "*" on the code lines of decode step and V,..,V, the values of the parts, on
 * those of decode part. The symbols of a layer are the
 * letters of the next one, those of the last layer are the labels.
 *
 * CERTIFICATE:
 *     lrnn-certificate 1
 *     fsa SHA256
 *     network SHA256
 *     claim exact|cascade
 *     size layers L heads H householders N key n value d     maxima over layers, heads and letters
 *     letters K states Q rows R                              exact
 *     row i state q codes c_1 .. c_L next r_1 .. r_K         R times, all different; the first is the start,
 *     end R                                                  the others are each named by an earlier one
 *     letters K states Q sets F                              cascade, where every layer is decode part
 *     set i level l members q .. [cover i ..]                F times; the first is all states; l in 1..L+1, and
 *     layer l contexts C pairs P                             no cover at L+1 or for one state; L times:
 *       context x letter a from X to Y                         C times: what letter x of layer l stands for
 *       pair p set Z code s next p ..                          P times; next: one for each context from Z
 *     start p_1 .. p_L
 *     end F
 *     sha256 HEX                                             of all bytes before this line */
#include <errno.h>
#include <gmp.h>
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
#endif
#define FACTS ((size_t)1 << 12)           /* remembered at a time */
#define MAX_FILE ((size_t)UINT32_MAX - 1) /* every count that bytes of a file stand behind fits 32 bits */
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

/* Memory is kept until the program ends. Each block points to the one before it, which is how leak detectors
 * tell kept from lost. */
typedef struct block {
    struct block *older;
    max_align_t data[];
} block;

static block *newest;

/* count * size bytes, zero. */
static void *grab(size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(block)) / size) give_up("out of memory");
    block *b = calloc(1, sizeof(block) + count * size);
    if (!b) give_up("out of memory");
    b->older = newest;
    newest = b;
    return b->data;
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

/* A rational in 0..most, or any where most is 0; it must be spelled as GMP writes it in lowest terms. */
static void rational(text *t, const char *before, mpq_t out, unsigned long most)
{
    expect(t, before);
    const size_t size = strspn(t->at, "-/0123456789");
    char small[64], *spelling = size < sizeof small ? small : grab(size + 1, 1);
    memcpy(spelling, t->at, size);
    spelling[size] = '\0';
    mpq_init(out);
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

/* A sparse vector, or matrix with index = row * columns + column; indices increase. */
typedef struct vector {
    struct entry {
        size_t index;
        mpq_t value;
    } * entry;
    size_t count;
} vector;

/* S <- S - ratio u (u^T S - c^T), ratio = BETA / u^T u. */
typedef struct factor {
    mpq_t ratio;
    vector u, c;
} factor;

typedef struct transition {
    mpq_t gate;
    factor *factor;
    size_t factors, spelling; /* spelling: equal only where all of this is */
} transition;

typedef struct head {
    size_t n, d;
    vector initial;
    transition *on; /* [letters] */
} head;

/* Symbols count from 0; UNSET where there is none. */
typedef struct layer {
    size_t letters, heads, codes, symbols;
    head *head;
    vector *code;                    /* [codes][heads] */
    bool by_letter;                  /* decode step */
    uint32_t *symbol;                /* [codes], by_letter: [letters][codes]; decode part: see symbol_after */
    size_t parts;                    /* decode part, else 0 */
    uint32_t *values, *part, *reads; /* [parts], [codes][parts], [letters] the part that the decoder reads */
    size_t *symbol_at;               /* [letters] */
} layer;

typedef struct network {
    label kind;
    set labels;
    size_t layers;
    layer *layer;
    size_t heads, householders, key, value, entries; /* maxima; entries: n * d */
} network;

/* What the decoder gives after the letter, or UNSET. */
static uint32_t symbol_after(const layer *y, size_t letter, size_t code)
{
    if (y->parts > 0) return y->symbol[y->symbol_at[letter] + y->part[code * y->parts + y->reads[letter]]];
    return y->symbol[y->by_letter ? letter * y->codes + code : code];
}

/* " I:V" .. with I <= rows; with columns > 0, " R.C:V" .. */
static vector read_vector(text *t, size_t rows, size_t columns)
{
    vector v = {0};
    size_t entries = 0, span = strspn(t->at, " .:-/0123456789");
    while (span > 0) entries += t->at[--span] == ':';
    v.entry = grab(entries, sizeof *v.entry);
    for (; v.count < entries; v.count++) {
        struct entry *e = &v.entry[v.count];
        e->index = number(t, " ", 1, rows) - 1;
        if (columns > 0) e->index = e->index * columns + number(t, ".", 1, columns) - 1;
        if (v.count > 0 && e->index <= e[-1].index) reject(t, "expected increasing indices");
        rational(t, ":", e->value, 0);
        if (mpq_sgn(e->value) == 0) reject(t, "expected no zero entries");
    }
    return v;
}

static void read_factor(factor *f, text *t, const head *h)
{
    rational(t, "factor ", f->ratio, 2);
    expect(t, " u");
    f->u = read_vector(t, h->n, 0);
    if (f->u.count == 0) reject(t, "u is zero");
    if (comes(t, " c")) {
        expect(t, " c");
        f->c = read_vector(t, h->d, 0);
        if (f->c.count == 0) reject(t, "expected no c where it is zero");
    }
    end_line(t);
    mpq_t square, sum;
    mpq_inits(square, sum, NULL);
    for (size_t i = 0; i < f->u.count; i++) {
        mpq_mul(square, f->u.entry[i].value, f->u.entry[i].value);
        mpq_add(sum, sum, square);
    }
    mpq_div(f->ratio, f->ratio, sum);
    mpq_clears(square, sum, NULL);
}

static void read_head(head *h, text *t, network *net, size_t letters)
{
    h->n = number(t, " key ", 1, MAX_FILE);
    h->d = number(t, " value ", 1, MAX_FILE);
    if (h->n * h->d > MAX_MATRIX) give_up("a head is too large");
    end_line(t);
    expect(t, "initial");
    h->initial = read_vector(t, h->n, h->d);
    end_line(t);
    if (letters > left(t)) reject(t, "the file is too short for its letters");
    set spellings = {0};
    h->on = grab(letters, sizeof *h->on);
    for (size_t x = 0; x < letters; x++) {
        transition *w = &h->on[x];
        number(t, "on ", x + 1, x + 1);
        const char *from = t->at;
        rational(t, " gate ", w->gate, 1);
        w->factors = count_of(t, " factors ", 0, sizeof "factor 0 u 1:1");
        end_line(t);
        w->factor = grab(w->factors, sizeof *w->factor);
        for (size_t i = 0; i < w->factors; i++) read_factor(&w->factor[i], t, h);
        add(&spellings, (name){from, (size_t)(t->at - from)});
        w->spelling = find(&spellings, (name){from, (size_t)(t->at - from)});
        net->householders = MAXIMUM(net->householders, w->factors);
    }
    net->key = MAXIMUM(net->key, h->n);
    net->value = MAXIMUM(net->value, h->d);
    net->entries = MAXIMUM(net->entries, h->n * h->d);
}

/* What stands between the number of a code and its state. */
static void read_code_symbol(layer *y, text *t, size_t code)
{
    const char *none = y->by_letter ? " *" : " -";
    for (size_t p = 0; p < y->parts; p++)
        y->part[code * y->parts + p] = (uint32_t)number(t, p > 0 ? "," : " ", 1, y->values[p]) - 1;
    if (y->parts > 0) return;
    if (y->by_letter || comes(t, none))
        expect(t, none);
    else
        y->symbol[code] = (uint32_t)number(t, " ", 1, y->symbols) - 1;
}

/* Different states have different spellings, as equal ones have the same. */
static void read_codes(layer *y, text *t)
{
    set states = {0};
    const size_t symbols = y->parts > 0 ? 0 : y->by_letter ? y->letters * y->codes : y->codes;
    if (y->codes * MAXIMUM(y->heads, y->parts) > left(t)) reject(t, "the file is too short for its codes");
    if (symbols > MAX_TABLE) give_up("a decoder is too large");
    y->code = grab(y->codes * y->heads, sizeof *y->code);
    y->part = grab(y->codes * y->parts, sizeof *y->part);
    y->symbol = grab(symbols, sizeof *y->symbol);
    for (size_t i = 0; i < symbols; i++) y->symbol[i] = UNSET;
    for (size_t i = 0; i < y->codes; i++) {
        number(t, "code ", i + 1, i + 1);
        read_code_symbol(y, t, i);
        const char *from = t->at;
        for (size_t h = 0; h < y->heads; h++) {
            if (h > 0) expect(t, " ;");
            y->code[i * y->heads + h] = read_vector(t, y->head[h].n, y->head[h].d);
        }
        if (!add(&states, (name){from, (size_t)(t->at - from)})) reject(t, "two codes are one state");
        end_line(t);
    }
}

/* decode step */
static void read_steps(layer *y, text *t)
{
    for (size_t least = 0; comes(t, "yield");) {
        const size_t letter = number(t, "yield ", 1, y->letters) - 1;
        const size_t pair = letter * y->codes + number(t, " ", 1, y->codes) - 1;
        if (pair < least) reject(t, "expected yield lines in order");
        y->symbol[pair] = (uint32_t)number_line(t, " ", 1, y->symbols) - 1;
        least = pair + 1;
    }
}

static void read_part_values(layer *y, text *t)
{
    size_t capacity = 0;
    expect(t, "parts");
    do {
        y->values = grow(y->values, y->parts, &capacity, sizeof *y->values);
        y->values[y->parts++] = (uint32_t)number(t, " ", 1, MAX_FILE);
    } while (*t->at == ' ');
    end_line(t);
}

/* decode part */
static void read_part_symbols(layer *y, text *t)
{
    size_t symbols = 0, capacity = 0;
    y->reads = grab(y->letters, sizeof *y->reads);
    y->symbol_at = grab(y->letters, sizeof *y->symbol_at);
    for (size_t x = 0; x < y->letters; x++) {
        number(t, "yield ", x + 1, x + 1);
        y->reads[x] = (uint32_t)number(t, " ", 1, y->parts) - 1;
        y->symbol_at[x] = symbols;
        for (size_t v = 0; v < y->values[y->reads[x]]; v++) {
            y->symbol = grow(y->symbol, symbols, &capacity, sizeof *y->symbol);
            const bool none = comes(t, " -");
            if (none) expect(t, " -");
            y->symbol[symbols++] = none ? UNSET : (uint32_t)number(t, " ", 1, y->symbols) - 1;
        }
        end_line(t);
    }
}

static void read_layer(layer *y, text *t, network *net, size_t number_of_layer, size_t letters)
{
    number(t, "layer ", number_of_layer, number_of_layer);
    y->letters = number(t, " letters ", letters, letters);
    y->heads = count_of(t, " heads ", 1, sizeof "head 1 key 1 value 1\ninitial");
    y->codes = count_of(t, " codes ", 1, sizeof "code 1 *");
    y->symbols = number(t, " symbols ", 1, MAX_FILE);
    y->by_letter = comes(t, " decode step");
    const bool by_part = comes(t, " decode part");
    whole_line(t, y->by_letter ? " decode step" : by_part ? " decode part" : " decode state");
    if (by_part) read_part_values(y, t);
    y->head = grab(y->heads, sizeof *y->head);
    for (size_t h = 0; h < y->heads; h++) {
        number(t, "head ", h + 1, h + 1);
        read_head(&y->head[h], t, net, letters);
    }
    read_codes(y, t);
    if (y->by_letter) read_steps(y, t);
    if (by_part) read_part_symbols(y, t);
    net->heads = MAXIMUM(net->heads, y->heads);
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

static void read_network(network *net, text *t, const automaton *a, const char *fsa_line)
{
    whole_line(t, "lrnn 1");
    whole_line(t, fsa_line);
    whole_line(t, "field Q");
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
    net->layers = count_of(t, "layers ", 1, sizeof "layer 1 letters 1 heads 1 codes 1 symbols 1 decode step");
    end_line(t);
    net->layer = grab(net->layers, sizeof *net->layer);
    size_t letters = a->letters.count;
    for (size_t l = 0; l < net->layers; l++) {
        read_layer(&net->layer[l], t, net, l + 1, letters);
        letters = net->layer[l].symbols;
    }
    if (letters != labels) reject(t, "the symbols of the last layer are not the labels");
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
}

/* A set of states, increasing, and of sets that cover it. */
typedef struct stage {
    uint32_t *member, *cover;
    size_t level, members, covers;
} stage;

typedef struct context {
    uint32_t letter, from, to, following; /* following: the next context from the same set, or UNSET */
    bool inside;                          /* it was seen that the letter leads from `from` into `to` */
} context;

/* What the certificate says of a layer. `next` has for one pair after the other one entry for each context from its
 * set; line is that of pair 1. */
typedef struct table {
    context *context;
    struct pair {
        uint32_t set, code;
    } * pair;
    uint32_t *next, start;
    size_t pairs, line;
} table;

/* A transition of a head that was seen to lead from code to code. */
typedef struct fact {
    const head *head;
    size_t spelling, from, to;
} fact;

/* The three files as data. exact: row i of the certificate: pair[i * width] is the automaton's state, then come the
 * codes of the layers; next[i * letters + letter] is the next row. cascade: first[set] is the first context from the
 * set in the layer being read or checked, or UNSET. state (dense, n x d), r and product are scratch. */
typedef struct problem {
    automaton a;
    network net;
    size_t rows, width;
    uint32_t *pair, *next;
    size_t sets, pairs;
    stage *stage;
    table *table; /* [layers] */
    uint32_t *first;
    fact *known; /* [FACTS] by a hash of the fact */
    mpq_t *state, r, product;
} problem;

/* How many rows or sets there are, each of `bytes` bytes or more. */
static size_t read_counts(const problem *x, text *t, const char *word, size_t bytes)
{
    number(t, "letters ", x->a.letters.count, x->a.letters.count);
    number(t, " states ", x->a.states.count, x->a.states.count);
    const size_t count = count_of(t, word, 1, bytes);
    end_line(t);
    return count;
}

static void read_rows(problem *x, text *t)
{
    const size_t letters = x->a.letters.count, layers = x->net.layers;
    x->rows = read_counts(x, t, " rows ", sizeof "row 1 state 1 codes next" + 2 * layers + 2 * letters);
    x->width = 1 + layers;
    uint32_t *pair = x->pair = grab(x->rows * x->width, sizeof *pair);
    uint32_t *next = x->next = grab(x->rows * letters, sizeof *next);
    for (size_t i = 0; i < x->rows; i++) {
        number(t, "row ", i + 1, i + 1);
        *pair++ = (uint32_t)number(t, " state ", 1, x->a.states.count) - 1;
        expect(t, " codes");
        for (size_t l = 0; l < layers; l++) *pair++ = (uint32_t)number(t, " ", 1, x->net.layer[l].codes) - 1;
        expect(t, " next");
        for (size_t w = 0; w < letters; w++) *next++ = (uint32_t)number(t, " ", 1, x->rows) - 1;
        end_line(t);
    }
    number_line(t, "end ", x->rows, x->rows);
}

/* " I" .., one or more. */
static uint32_t *read_indices(text *t, size_t most, size_t *count)
{
    const size_t span = strspn(t->at, " 0123456789");
    size_t indices = 0;
    for (size_t i = 0; i < span; i++)
        indices += t->at[i] == ' ' && t->at[i + 1] >= '0' && t->at[i + 1] <= '9';
    if (indices == 0) reject(t, "expected a number");
    uint32_t *index = grab(indices, sizeof *index);
    for (*count = 0; *count < indices; ++*count) index[*count] = (uint32_t)number(t, " ", 1, most) - 1;
    return index;
}

static void read_stage(stage *z, text *t, const problem *x)
{
    z->level = number(t, " level ", 1, x->net.layers + 1);
    expect(t, " members");
    z->member = read_indices(t, x->a.states.count, &z->members);
    for (size_t i = 1; i < z->members; i++)
        if (z->member[i] <= z->member[i - 1]) reject(t, "expected increasing states");
    if (!comes(t, "\n")) {
        expect(t, " cover");
        if (z->members == 1 || z->level > x->net.layers) reject(t, "a set that has no cover");
        z->cover = read_indices(t, x->sets, &z->covers);
    }
    end_line(t);
}

/* Lists the contexts of a layer by their sets. */
static void list_contexts(problem *x, size_t l)
{
    for (size_t i = x->net.layer[l].letters; i-- > 0;) {
        context *c = &x->table[l].context[i];
        c->following = x->first[c->from];
        x->first[c->from] = (uint32_t)i;
    }
}

static void unlist_contexts(problem *x, size_t l)
{
    for (size_t i = 0; i < x->net.layer[l].letters; i++) x->first[x->table[l].context[i].from] = UNSET;
}

static void read_contexts(problem *x, text *t, size_t l)
{
    for (size_t i = 0; i < x->net.layer[l].letters; i++) {
        context *c = &x->table[l].context[i];
        number(t, "context ", i + 1, i + 1);
        c->letter = (uint32_t)number(t, " letter ", 1, x->a.letters.count) - 1;
        c->from = (uint32_t)number(t, " from ", 1, x->sets) - 1;
        c->to = (uint32_t)number(t, " to ", 1, x->sets) - 1;
        if (l == 0 && (c->letter != i || c->from != 0 || c->to != 0))
            reject(t, "condition (0): not letter %zu from all states to all states", i + 1);
        end_line(t);
    }
}

static void read_table(problem *x, text *t, size_t l)
{
    table *b = &x->table[l];
    const layer *y = &x->net.layer[l];
    size_t nexts = 0, capacity = 0;
    if (y->parts == 0) reject(t, "layer %zu of the network is not decode part", l + 1);
    number(t, "layer ", l + 1, l + 1);
    number(t, " contexts ", y->letters, y->letters);
    b->pairs = count_of(t, " pairs ", 1, sizeof "pair 1 set 1 code 1 next");
    end_line(t);
    b->context = grab(y->letters, sizeof *b->context);
    read_contexts(x, t, l);
    list_contexts(x, l);
    b->line = t->line;
    b->pair = grab(b->pairs, sizeof *b->pair);
    for (size_t i = 0; i < b->pairs; i++) {
        number(t, "pair ", i + 1, i + 1);
        b->pair[i].set = (uint32_t)number(t, " set ", 1, x->sets) - 1;
        b->pair[i].code = (uint32_t)number(t, " code ", 1, y->codes) - 1;
        expect(t, " next");
        for (uint32_t c = x->first[b->pair[i].set]; c != UNSET; c = b->context[c].following) {
            b->next = grow(b->next, nexts, &capacity, sizeof *b->next);
            b->next[nexts++] = (uint32_t)number(t, " ", 1, b->pairs) - 1;
        }
        end_line(t);
    }
    unlist_contexts(x, l);
    x->pairs += b->pairs;
}

static void read_cascade(problem *x, text *t)
{
    x->sets = read_counts(x, t, " sets ", sizeof "set 1 level 1 members 1");
    x->stage = grab(x->sets, sizeof *x->stage);
    x->first = grab(x->sets, sizeof *x->first);
    for (size_t i = 0; i < x->sets; i++) {
        number(t, "set ", i + 1, i + 1);
        read_stage(&x->stage[i], t, x);
        if (i == 0 && x->stage[0].members < x->a.states.count)
            reject(t, "condition (0): set 1 is not all states");
        x->first[i] = UNSET;
    }
    x->table = grab(x->net.layers, sizeof *x->table);
    for (size_t l = 0; l < x->net.layers; l++) read_table(x, t, l);
    expect(t, "start");
    for (size_t l = 0; l < x->net.layers; l++)
        x->table[l].start = (uint32_t)number(t, " ", 1, x->table[l].pairs) - 1;
    end_line(t);
    number_line(t, "end ", x->sets, x->sets);
}

static void load(problem *x, const head *h, const vector *from)
{
    for (size_t i = 0; i < h->n * h->d; i++) mpq_set_ui(x->state[i], 0, 1);
    for (size_t i = 0; i < from->count; i++) mpq_set(x->state[from->entry[i].index], from->entry[i].value);
}

static bool state_is(const problem *x, const head *h, const vector *v)
{
    size_t k = 0;
    for (size_t i = 0; i < h->n * h->d; i++) {
        const bool zero = k == v->count || v->entry[k].index != i;
        if (zero ? mpq_sgn(x->state[i]) != 0 : !mpq_equal(x->state[i], v->entry[k++].value)) return false;
    }
    return true;
}

/* S <- S - ratio u (u^T S - c^T), column by column. */
static void apply(problem *x, const head *h, const factor *f)
{
    for (size_t j = 0, k = 0; j < h->d; j++) {
        mpq_set_ui(x->r, 0, 1);
        for (const struct entry *u = f->u.entry; u < f->u.entry + f->u.count; u++) {
            mpq_mul(x->product, u->value, x->state[u->index * h->d + j]);
            if (mpq_sgn(x->product) != 0) mpq_add(x->r, x->r, x->product);
        }
        if (k < f->c.count && f->c.entry[k].index == j) mpq_sub(x->r, x->r, f->c.entry[k++].value);
        if (mpq_sgn(x->r) == 0) continue;
        mpq_mul(x->r, x->r, f->ratio);
        for (const struct entry *u = f->u.entry; u < f->u.entry + f->u.count; u++) {
            mpq_mul(x->product, u->value, x->r);
            mpq_sub(x->state[u->index * h->d + j], x->state[u->index * h->d + j], x->product);
        }
    }
}

/* Does the letter lead the layer from one code to the other? */
static bool leads(problem *x, const layer *y, size_t letter, size_t from, size_t to)
{
    for (size_t k = 0; k < y->heads; k++) {
        const head *h = &y->head[k];
        const transition *w = &h->on[letter];
        fact *known =
            &x->known[((((size_t)(y - x->net.layer) * 31 + k) * 8191 + w->spelling) * 1021 + from) % FACTS];
        if (known->head == h && known->spelling == w->spelling && known->from == from && known->to == to)
            continue;
        load(x, h, &y->code[from * y->heads + k]);
        for (size_t i = 0; i < h->n * h->d; i++) mpq_mul(x->state[i], x->state[i], w->gate);
        for (size_t i = 0; i < w->factors; i++) apply(x, h, &w->factor[i]);
        if (!state_is(x, h, &y->code[to * y->heads + k])) return false;
        *known = (fact){h, w->spelling, from, to};
    }
    return true;
}

static void check_initial(problem *x, const text *t, size_t l, size_t code)
{
    const layer *y = &x->net.layer[l];
    for (size_t k = 0; k < y->heads; k++) {
        load(x, &y->head[k], &y->head[k].initial);
        if (!state_is(x, &y->head[k], &y->code[code * y->heads + k]))
            reject(t, "layer %zu, head %zu: not the initial state", l + 1, k + 1);
    }
}

/* The base of the induction: the first row is what the empty word leads to. */
static void check_start(problem *x, const text *t)
{
    if (x->pair[0] != x->a.start) reject(t, "not the automaton's start state");
    for (size_t l = 0; l < x->net.layers; l++) check_initial(x, t, l, x->pair[1 + l]);
}

/* The step: the letter leads row i to the row that the certificate names, and the label there is right. */
static void check_edge(problem *x, const text *t, size_t i, size_t letter)
{
    const size_t letters = x->a.letters.count;
    const uint32_t *from = x->pair + i * x->width, *to = x->pair + x->next[i * letters + letter] * x->width;
    if (x->a.next[from[0] * letters + letter] != to[0])
        reject(t, "letter %zu: the automaton goes to another state", letter + 1);
    size_t symbol = letter;
    for (size_t l = 0; l < x->net.layers; l++) {
        const layer *y = &x->net.layer[l];
        if (!leads(x, y, symbol, from[1 + l], to[1 + l]))
            reject(t, "letter %zu: layer %zu goes to another state", letter + 1, l + 1);
        symbol = symbol_after(y, symbol, to[1 + l]);
        if (symbol == UNSET) reject(t, "letter %zu: layer %zu gives no symbol", letter + 1, l + 1);
    }
    if (!same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, to[0])))
        reject(t, "letter %zu: the label is not that of the automaton's state", letter + 1);
}

/* All rows; they are the reachable pairs and nothing else, each once. t->line is that of the first row. */
static void check_rows(problem *x, text *t)
{
    set pairs = {0};
    bool *reached = grab(x->rows, sizeof *reached);
    reached[0] = true;
    check_start(x, t);
    for (size_t i = 0; i < x->rows; i++, t->line++) {
        const name pair = {(const char *)(x->pair + i * x->width), x->width * sizeof *x->pair};
        if (!add(&pairs, pair)) reject(t, "an earlier row is the same");
        if (!reached[i]) reject(t, "no earlier row leads to this one");
        for (size_t w = 0; w < x->a.letters.count; w++) {
            check_edge(x, t, i, w);
            reached[x->next[i * x->a.letters.count + w]] = true;
        }
    }
}

/* child(Z, c) of the pair's set Z at this layer, c being the coordinate in its code. */
static uint32_t child(const problem *x, const text *t, size_t l, struct pair p)
{
    const layer *y = &x->net.layer[l];
    const stage *z = &x->stage[p.set];
    const uint32_t coordinate = y->part[p.code * y->parts];
    if (z->level != l + 1) return p.set;
    if (coordinate >= z->covers)
        reject(t, "condition (3): set %zu has no member %zu in its cover", (size_t)p.set + 1,
               (size_t)coordinate + 1);
    return z->cover[coordinate];
}

static bool holds(const stage *z, uint32_t state)
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
    const stage *z = &x->stage[from];
    for (size_t i = 0; i < z->members; i++)
        if (!holds(&x->stage[to], x->a.next[z->member[i] * x->a.letters.count + letter]))
            reject(t, "condition (4): letter %zu leads from set %zu out of set %zu", letter + 1, from + 1,
                   to + 1);
}

/* (0), the base of the induction. */
static void check_chain(problem *x, const text *t)
{
    uint32_t entered = 0;
    for (size_t l = 0; l < x->net.layers; l++) {
        const struct pair p = x->table[l].pair[x->table[l].start];
        if (p.set != entered) reject(t, "condition (0): layer %zu starts in another set", l + 1);
        check_initial(x, t, l, p.code);
        entered = child(x, t, l, p);
    }
    if (x->stage[entered].level != x->net.layers + 1 || !holds(&x->stage[entered], (uint32_t)x->a.start))
        reject(t, "condition (0): the last set does not hold the start state");
}

/* (2) and (4) before the last layer, whose letter is to be (letter, from, to). */
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
    const stage *z = &x->stage[last];
    if (z->level != x->net.layers + 1) reject(t, "condition (5): set %zu is not of the last level", last + 1);
    for (size_t i = 0; i < z->members; i++)
        if (!same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, z->member[i])))
            reject(t, "condition (5): the label is not that of state %zu", (size_t)z->member[i] + 1);
}

/* The step, for pair p and a context c from its set. */
static void check_step(problem *x, const text *t, size_t l, struct pair p, size_t c, struct pair next)
{
    const layer *y = &x->net.layer[l];
    const context *read = &x->table[l].context[c];
    if (next.set != read->to) reject(t, "condition (1): context %zu leads to another set", c + 1);
    if (!leads(x, y, c, p.code, next.code))
        reject(t, "condition (1): context %zu leads to another state of the layer", c + 1);
    const uint32_t from = child(x, t, l, p), to = child(x, t, l, next),
                   symbol = symbol_after(y, c, next.code);
    if (symbol == UNSET) reject(t, "condition (2): context %zu gives no symbol", c + 1);
    if (l + 1 < x->net.layers) {
        check_handed_on(x, t, &x->table[l + 1].context[symbol], read->letter, from, to);
    } else {
        check_inside(x, t, from, read->letter, to);
        check_label(x, t, symbol, to);
    }
}

/* All pairs of all layers, then the start, which is on the next line. */
static void check_cascade(problem *x, text *t)
{
    for (size_t l = 0; l < x->net.layers; l++) {
        const table *b = &x->table[l];
        const uint32_t *next = b->next;
        list_contexts(x, l);
        t->line = b->line;
        for (size_t i = 0; i < b->pairs; i++, t->line++)
            for (uint32_t c = x->first[b->pair[i].set]; c != UNSET; c = b->context[c].following)
                check_step(x, t, l, b->pair[i], c, b->pair[*next++]);
        unlist_contexts(x, l);
    }
    check_chain(x, t);
}

/* The whole check, of files in memory. It returns only when everything is right, with the claim. */
static void check(char claim[256], text *fsa, text *lrnn, text *cert)
{
    static const size_t footer = sizeof "sha256 " + 64;
    char fsa_line[80], net_line[80], cert_line[80];
    sha256_line(fsa_line, "fsa", fsa->bytes, left(fsa));
    sha256_line(net_line, "network", lrnn->bytes, left(lrnn));
    sha256_line(cert_line, "sha256", cert->bytes, left(cert) > footer ? left(cert) - footer : 0);
    whole_line(cert, "lrnn-certificate 1");
    whole_line(cert, fsa_line);
    whole_line(cert, net_line);
    const bool cascade = comes(cert, "claim cascade");
    whole_line(cert, cascade ? "claim cascade" : "claim exact");
    problem x = {0};
    read_automaton(&x.a, fsa);
    read_network(&x.net, lrnn, &x.a, fsa_line);
    char size[160];
    snprintf(size, sizeof size, "layers %zu heads %zu householders %zu key %zu value %zu", x.net.layers,
             x.net.heads, x.net.householders, x.net.key, x.net.value);
    expect(cert, "size ");
    whole_line(cert, size);
    text lines = *cert;
    (cascade ? read_cascade : read_rows)(&x, cert);
    if (left(cert) != footer) reject(cert, "expected one line more");
    whole_line(cert, cert_line);
    x.state = grab(x.net.entries, sizeof *x.state);
    for (size_t i = 0; i < x.net.entries; i++) mpq_init(x.state[i]);
    mpq_inits(x.r, x.product, NULL);
    x.known = grab(FACTS, sizeof *x.known);
    lines.line++;
    (cascade ? check_cascade : check_rows)(&x, &lines);
    mpq_clears(x.r, x.product, NULL);
    snprintf(claim, 256, "%s %s %s %zu", cascade ? "cascade" : "exact", size, cascade ? "pairs" : "rows",
             cascade ? x.pairs : x.rows);
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
    char claim[256];
    check(claim, &fsa, &lrnn, &cert);
    printf("s VERIFIED %s\n", claim);
    return say(VERIFIED);
}
