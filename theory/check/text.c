/* Budget, errors, memory, SHA-256, names, numbers: the functions with which every other file of a
 * checker reads (reader.h). */
#include "theory/check/reader.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

budget rest = {SIZE_MAX, SIZE_MAX};
const char *self_name = "lrnn-check";
const char *self_files = "OUT/automaton.fsa, OUT/network.lrnn, OUT/certificate.cert";

void begin_budget(size_t file_bytes, size_t times, size_t growth)
{
    const size_t rate = 800 + file_bytes / growth;
    rest.steps = times * (40000000 + (rate < 16000 ? rate : 16000) * file_bytes);
    rest.bytes = times * (BASE_BYTES + 48 * file_bytes);
}

_Noreturn void give_up(const char *why)
{
    fprintf(stderr, "%s: %s\n", self_name, why);
    puts("s UNKNOWN");
    exit(UNKNOWN);
}

_Noreturn void reject(const text *t, const char *format, ...)
{
    char reason[300];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    fprintf(stderr, "%s:%zu: %s", t->path, t->line, reason);
    if (self_files) fprintf(stderr, " (pass %s)", self_files);
    fputc('\n', stderr);
    puts("s NOT VERIFIED");
    exit(NOT_VERIFIED);
}

void spend(size_t steps)
{
    if (steps > rest.steps)
        give_up("the budget of steps is spent; --budget N gives N times as many");
    rest.steps -= steps;
}

void spend_on(mpq_srcptr x)
{
    const size_t limbs = mpz_size(mpq_numref(x)) + mpz_size(mpq_denref(x));
    spend(limbs < 16 ? 1 : limbs < 64 ? limbs : 16 * limbs);
}

size_t product_of(size_t a, size_t b)
{
    if (b > 0 && a > rest.bytes / b)
        give_up("the budget of memory is spent; --memory SIZE gives another one");
    return a * b;
}

void take_bytes(size_t size)
{
    if (size > rest.bytes)
        give_up("the budget of memory is spent; --memory SIZE gives another one");
    rest.bytes -= size;
}

/* Each chunk points to the one before it, which is how leak detectors tell kept from lost. */
typedef struct chunk {
    struct chunk *older;
    size_t size;
    max_align_t data[];
} chunk;

static chunk *newest;

void *grab(size_t count, size_t size)
{
    take_bytes(sizeof(chunk) + product_of(count, size));
    chunk *c = calloc(1, sizeof(chunk) + count * size);
    if (!c) give_up("out of memory");
    c->older = newest;
    c->size = sizeof(chunk) + count * size;
    newest = c;
    return c->data;
}

const void *newest_memory(void)
{
    return newest;
}

void free_newer(const void *before)
{
    while (newest != before) {
        chunk *c = newest;
        newest = c->older;
        rest.bytes += c->size;
        free(c);
    }
}

void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return array;
    *capacity = count < 8 ? 16 : 2 * count;
    void *larger = grab(*capacity, size);
    if (array) memcpy(larger, array, count * size);
    return larger;
}

enum { OVERHEAD = 16 }; /* of malloc, for each block */

void *resize(void *old, size_t old_size, size_t size)
{
    if (old) rest.bytes += old_size + OVERHEAD;
    take_bytes(size + OVERHEAD);
    void *p = realloc(old, size);
    if (!p) give_up("out of memory"); /* GMP would abort */
    return p;
}

void release(void *p, size_t size)
{
    rest.bytes += size + OVERHEAD;
    free(p);
}

static void *allocate(size_t size)
{
    return resize(NULL, 0, size);
}

void count_gmp_memory(void)
{
    mp_set_memory_functions(allocate, resize, release);
}

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

void sha256_hex(char hex[65], const char *bytes, size_t size)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[128] = {0};
    const size_t whole = size / 64 * 64, over = size - whole, padded = over < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) sha256_block(state, (const unsigned char *)bytes + i);
    memcpy(last, bytes + whole, over);
    last[over] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += 64) sha256_block(state, last + i);
    for (int i = 0; i < 8; i++) sprintf(hex + 8 * i, "%08lx", (unsigned long)state[i]);
}

/* Returns the value of a lower-case hexadecimal digit, or 16. */
static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool same_name(name a, name b)
{
    if (a.size != b.size) return false;
    spend(a.size / 64);
    return memcmp(a.bytes, b.bytes, a.size) == 0;
}

static uint64_t hash_key[2];

void key_sets(const char *hex)
{
    for (int i = 0; i < 32; i++) hash_key[i / 16] = hash_key[i / 16] << 4 | (uint64_t)digit(hex[i]);
}

static uint64_t turn_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

/* Returns the bytes, 8 or fewer, as a number, the first one lowest. */
static inline uint64_t word_of(const char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++) word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return word;
}

/* A round of SipHash. */
static void mix(uint64_t v[4])
{
    v[0] += v[1], v[2] += v[3];
    v[1] = turn_left(v[1], 13) ^ v[0], v[3] = turn_left(v[3], 16) ^ v[2];
    v[0] = turn_left(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = turn_left(v[1], 17) ^ v[2], v[3] = turn_left(v[3], 21) ^ v[0];
    v[2] = turn_left(v[2], 32);
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

/* Returns SipHash-1-3 of the string, the same on every machine. */
static uint64_t hash_of(name x)
{
    const size_t whole = x.size / 8 * 8;
    uint64_t v[4] = {0x736f6d6570736575 ^ hash_key[0], 0x646f72616e646f6d ^ hash_key[1],
                     0x6c7967656e657261 ^ hash_key[0], 0x7465646279746573 ^ hash_key[1]};
    for (size_t i = 0; i < whole; i += 8) absorb(v, word_of(x.bytes + i, 8));
    absorb(v, word_of(x.bytes + whole, x.size - whole) | (uint64_t)x.size << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Returns the slot where the string is or belongs; each slot in the way costs a step. */
static size_t *slot_of(const set *s, name x)
{
    size_t i = (size_t)hash_of(x) & (s->slots - 1);
    for (; s->slot[i] && !same_name(s->item[s->slot[i] - 1], x); i = (i + 1) & (s->slots - 1))
        spend(1);
    return &s->slot[i];
}

size_t find(const set *s, name x)
{
    spend(1 + x.size / 64);
    return s->slots > 0 ? *slot_of(s, x) - 1 : NONE;
}

bool add(set *s, name x)
{
    spend(1 + x.size / 64);
    size_t *slot = s->slots > 0 ? slot_of(s, x) : NULL;
    if (slot && *slot > 0) return false;
    s->item = grow(s->item, s->count, &s->capacity, sizeof *s->item);
    s->item[s->count++] = x;
    if (2 * s->count < s->slots) {
        *slot = s->count;
        return true;
    }
    s->slots = s->slots > 0 ? 2 * s->slots : 64;
    s->slot = grab(s->slots, sizeof *s->slot);
    for (size_t i = 0; i < s->count; i++) *slot_of(s, s->item[i]) = i + 1;
    return true;
}

size_t intern(set *s, name x)
{
    add(s, x);
    return find(s, x);
}

size_t left(const text *t)
{
    return (size_t)(t->end - t->at);
}

bool comes(const text *t, const char *word)
{
    return left(t) >= strlen(word) && memcmp(t->at, word, strlen(word)) == 0;
}

void expect(text *t, const char *word)
{
    if (!comes(t, word)) reject(t, "expected `%s`", word);
    t->at += strlen(word);
}

void end_line(text *t)
{
    if (t->at == t->end || *t->at != '\n') reject(t, "expected the end of the line");
    t->at++;
    t->line++;
}

void whole_line(text *t, const char *words)
{
    expect(t, words);
    end_line(t);
}

size_t number(text *t, const char *before, size_t least, size_t most)
{
    expect(t, before);
    const char *from = t->at;
    size_t value = 0;
    while (*t->at >= '0' && *t->at <= '9' && value <= MAX_FILE)
        value = 10 * value + (size_t)(*t->at++ - '0');
    if (t->at == from || (*from == '0' && t->at > from + 1) || value < least || value > most)
        reject(t, "expected a number from %zu to %zu after `%s`", least, most, before);
    return value;
}

size_t number_line(text *t, const char *before, size_t least, size_t most)
{
    const size_t value = number(t, before, least, most);
    end_line(t);
    return value;
}

size_t count_of(text *t, const char *word, size_t least, size_t bytes)
{
    const size_t value = number(t, word, least, MAX_FILE);
    if (value > left(t) / bytes) reject(t, "the file is too short for what follows `%s`", word);
    return value;
}

uint32_t *read_numbers(text *t, const char *word, size_t base, size_t most, size_t *count)
{
    expect(t, word);
    const size_t span = strspn(t->at, " 0123456789");
    *count = 0;
    for (size_t i = 0; i < span; i++)
        *count += t->at[i] == ' ' && t->at[i + 1] >= '0' && t->at[i + 1] <= '9';
    if (*count == 0) reject(t, "expected a number");
    uint32_t *value = grab(*count, sizeof *value);
    for (size_t i = 0; i < *count; i++) value[i] = (uint32_t)(number(t, " ", 1, most) - base);
    return value;
}

void *grab_lines(text *t, const char *word, size_t least, size_t bytes, size_t *count, size_t size)
{
    *count = count_of(t, word, least, bytes);
    end_line(t);
    return grab(*count, size);
}

/* One spelling: what GMP writes. */
void rational(text *t, const char *before, mpq_t out, unsigned long most)
{
    expect(t, before);
    const size_t size = strspn(t->at, "-/0123456789");
    char small[64], *spelling = size < sizeof small ? small : grab(size + 1, 1);
    memcpy(spelling, t->at, size);
    spelling[size] = '\0';
    const bool valid = mpq_set_str(out, spelling, 10) == 0 && mpz_sgn(mpq_denref(out)) != 0;
    if (valid) mpq_canonicalize(out);
    spend_on(out);
    char *canonical = mpq_get_str(NULL, 10, out);
    const bool same = valid && strcmp(canonical, spelling) == 0;
    release(canonical, strlen(canonical) + 1);
    if (!same) reject(t, "expected a rational in lowest terms");
    t->at += size;
    if (most > 0 && (mpq_sgn(out) < 0 || mpq_cmp_ui(out, most, 1) > 0))
        reject(t, "expected a number in 0..%lu after `%s`", most, before);
}

/* Returns whether x is a word that begins lines of the automaton; names like these are quoted. */
static bool is_word(name x)
{
    static const char *const word[] = {"eps",    "fsa",    "letters", "states", "start",
                                       "accept", "output", "points",  "track",  "permute"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (same_name(x, (name){word[i], strlen(word[i])})) return true;
    return false;
}

/* Returns the number of bytes of the UTF-8 character (RFC 3629) that begins here and is not ASCII;
 * 0: there is none. */
static size_t utf8_length(const unsigned char *c)
{
    const size_t length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                          : (c[0] & 0xf0) == 0xe0       ? 3
                          : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool beyond =
        (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f); /* surrogates,
                                                                           U+110000
                                                                         */
    return overlong || beyond ? 0 : length;
}

/* Returns the length of the escape after a backslash, 0 where there is none. A character with an
 * escape of its own has no other one. */
static size_t escape_length(const char *c)
{
    if (*c && strchr("\"\\ntrbf", *c)) return 1;
    if (strncmp(c, "u00", 3) != 0 || digit(c[3]) > 15 || digit(c[4]) > 15) return 0;
    const int value = 16 * digit(c[3]) + digit(c[4]);
    const bool has_letter = value > 0 && value < ' ' && strchr("\n\t\r\b\f", value);
    return ((value > 0 && value < ' ') || value == 0x7f) && !has_letter ? 5 : 0;
}

name read_name(text *t, const char *before)
{
    expect(t, before);
    const bool quoted = *t->at == '"';
    const char *from = t->at + quoted;
    bool special = false; /* something that only a quoted name may have */
    for (t->at = from; (unsigned char)*t->at >= ' ' && *t->at != 0x7f && *t->at != '"';) {
        const bool escape = quoted && *t->at == '\\', blank = strchr(" #()", *t->at);
        if (blank && !quoted) break;
        special = special || blank || (escape && t->at[1] != '\\');
        const size_t size = (unsigned char)*t->at >= 0x80
                                ? utf8_length((const unsigned char *)t->at)
                            : escape ? escape_length(t->at + 1)
                                     : 1;
        if (size == 0) reject(t, "expected one of the escapes that names need, or UTF-8");
        t->at += size + escape;
    }
    const name inner = {from, (size_t)(t->at - from)};
    if (quoted) expect(t, "\"");
    if (quoted != (special || inner.size == 0 || is_word(inner)))
        reject(t, "expected a name in its one spelling");
    return quoted ? (name){from - 1, inner.size + 2} : inner;
}

void expect_name(text *t, const char *before, name x)
{
    if (!same_name(read_name(t, before), x))
        reject(t, "expected `%.*s`", x.size < 99 ? (int)x.size : 99, x.bytes);
}
