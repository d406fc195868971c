#include "automata/fsa/perm.h"
#include "automata/fsa/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <string.h>

#define UNMET UINT32_MAX

/* One bit per point, on the stack for the usual sizes. */
#define LOCAL_BITS 4096
typedef struct bits {
    uint64_t local[LOCAL_BITS / 64];
    uint64_t *word;
} bits;

static bool bits_open(bits *b, size_t n)
{
    b->word = b->local;
    if (n > LOCAL_BITS) {
        b->word = f2l_calloc(n / 64 + 1, sizeof *b->word);
        return b->word != NULL;
    }
    memset(b->local, 0, (n + 63) / 64 * sizeof *b->local);
    return true;
}

static void bits_close(bits *b)
{
    if (b->word != b->local) f2l_free(b->word);
}

static bool bits_test_and_set(uint64_t *word, size_t i)
{
    const uint64_t bit = UINT64_C(1) << (i & 63);
    const bool was = (word[i >> 6] & bit) != 0;
    word[i >> 6] |= bit;
    return was;
}

/* Checks for a permutation one window of values per pass, so that it needs no memory and cannot
 * fail. */
bool f2l_perm_is_permutation(const uint32_t *image, size_t n)
{
    enum { WINDOW = 1 << 18 };
    uint64_t seen[WINDOW / 64];
    for (size_t low = 0; low < n; low += WINDOW) {
        const size_t width = n - low < WINDOW ? n - low : WINDOW;
        memset(seen, 0, (width + 63) / 64 * sizeof *seen);
        for (size_t p = 0; p < n; p++) {
            if (image[p] >= n) return false;
            if (image[p] >= low && image[p] - low < width &&
                bits_test_and_set(seen, image[p] - low))
                return false;
        }
    }
    return true;
}

/* Counts the points that are the least of their cycle: needs no memory, but quadratic time on a
 * long cycle. */
static size_t count_least_points(const uint32_t *image, size_t n)
{
    size_t cycles = 0;
    for (size_t p = 0; p < n; p++) {
        size_t q = image[p];
        while (q > p) q = image[q];
        cycles += q == p;
    }
    return cycles;
}

size_t f2l_perm_cycles(const uint32_t *image, size_t n)
{
    bits met;
    if (!bits_open(&met, n)) return count_least_points(image, n);
    size_t cycles = 0;
    for (size_t p = 0; p < n; p++) {
        if (bits_test_and_set(met.word, p)) continue;
        cycles++;
        for (size_t q = image[p]; q != p; q = image[q]) bits_test_and_set(met.word, q);
    }
    bits_close(&met);
    return cycles;
}

size_t f2l_perm_displaced(const uint32_t *image, size_t n)
{
    size_t moved = 0;
    for (size_t p = 0; p < n; p++) moved += image[p] != p;
    return moved;
}

void f2l_perm_prime_powers(uint32_t *power, uint8_t *seen, const uint32_t *image, size_t n)
{
    for (size_t i = 0; i <= n; i++) power[i] = 1;
    memset(seen, 0, n);
    for (size_t first = 0; first < n; first++) {
        size_t length = 0;
        n_factor_t factors;
        for (size_t at = first; !seen[at]; at = image[at], length++) seen[at] = 1;
        if (length < 2) continue;
        n_factor_init(&factors);
        n_factor(&factors, length, 1);
        for (int i = 0; i < factors.num; i++) {
            const size_t p = factors.p[i], q = n_pow(p, (ulong)factors.exp[i]);
            if (q > power[p]) power[p] = (uint32_t)q;
        }
    }
}

void f2l_perm_write(f2l_buf *out, const uint32_t *image, size_t n)
{
    bits met;
    if (!bits_open(&met, n)) {
        out->failed = true;
        return;
    }
    bool identity = true;
    for (size_t p = 0; p < n; p++) {
        if (image[p] == p || bits_test_and_set(met.word, p)) continue;
        identity = false;
        f2l_buf_text(out, "(");
        f2l_buf_size(out, p + 1);
        for (size_t q = image[p]; q != p; q = image[q]) {
            bits_test_and_set(met.word, q);
            f2l_buf_text(out, " ");
            f2l_buf_size(out, q + 1);
        }
        f2l_buf_text(out, ")");
    }
    if (identity) f2l_buf_text(out, "()");
    bits_close(&met);
}

void f2l_perm_begin(uint32_t *image, size_t n)
{
    for (size_t p = 0; p < n; p++) image[p] = UNMET;
}

void f2l_perm_finish(uint32_t *image, size_t n)
{
    for (size_t p = 0; p < n; p++)
        if (image[p] == UNMET) image[p] = (uint32_t)p;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* Reads the decimal at text[*at]; sets *value to 0, which is no point, when it has a leading zero
 * or exceeds n. */
static bool read_perm_point(const char *text, size_t size, size_t *at, size_t n, size_t *value)
{
    const size_t begin = *at;
    size_t v = 0;
    bool large = false;
    while (*at < size && text[*at] >= '0' && text[*at] <= '9') {
        v = v * 10 + (size_t)(text[*at] - '0');
        if (v > n) large = true;
        if (large) v = 0;
        (*at)++;
    }
    if (*at == begin) return false;
    *value = large || text[begin] == '0' ? 0 : v;
    return true;
}

f2l_status f2l_perm_cycle(uint32_t *image, size_t n, const char *text, size_t size, size_t *used,
                          size_t line, size_t column, f2l_error *err)
{
    if (size == 0 || text[0] != '(')
        return f2l_fail_at(err, line, column,
                           "expected a cycle such as (1 2 3), or () for the identity");
    size_t first = UNMET, last = UNMET, at = 1;
    for (;;) {
        while (at < size && is_separator(text[at])) at++;
        if (at < size && text[at] == ')') break;
        const size_t begin = at;
        size_t point;
        if (!read_perm_point(text, size, &at, n, &point))
            return f2l_fail_at(err, line, column + at, "expected a point or ')' in a cycle");
        if (at < size && !is_separator(text[at]) && text[at] != ')')
            return f2l_fail_at(err, line, column + at, "expected a blank or ')' after a point");
        if (point == 0)
            return f2l_fail_at(err, line, column + begin,
                               "point out of range: expected one of 1..%zu", n);
        point--;
        /* Every earlier point of this cycle but the last already has its image. */
        if (image[point] != UNMET || point == last)
            return f2l_fail_at(err, line, column + begin, "point %zu is in the cycles twice",
                               point + 1);
        if (first == UNMET) first = point;
        if (last != UNMET) image[last] = (uint32_t)point;
        last = point;
    }
    if (last != UNMET) image[last] = (uint32_t)first;
    *used = at + 1;
    return F2L_OK;
}

f2l_status f2l_perm_read(uint32_t *image, size_t n, const char *text, size_t size, size_t line,
                         size_t column, f2l_error *err)
{
    f2l_perm_begin(image, n);
    f2l_status status = F2L_OK;
    size_t at = 0, used = 0;
    do {
        status = f2l_perm_cycle(image, n, text + at, size - at, &used, line, column + at, err);
        if (status != F2L_OK) break;
        at += used;
        while (at < size && (text[at] == ' ' || text[at] == '\t')) at++;
    } while (at < size);
    f2l_perm_finish(image, n);
    return status;
}
