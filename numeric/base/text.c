#include "numeric/base/text.h"
#include "numeric/base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void f2l_buf_init(f2l_buf *b)
{
    *b = (f2l_buf){0};
}

void f2l_buf_clear(f2l_buf *b)
{
    f2l_free(b->data);
    *b = (f2l_buf){0};
}

/* Makes room for n more bytes and the final NUL. */
static bool reserve_text(f2l_buf *b, size_t n)
{
    size_t needed;
    if (b->failed) return false;
    if (n < b->capacity - b->size) return true; /* size < capacity, or both are 0 */
    if (!f2l_add_size(&needed, b->size, n) || !f2l_add_size(&needed, needed, 1)) {
        b->failed = true;
        return false;
    }
    size_t wanted = b->capacity < 64 ? 64 : b->capacity;
    if (wanted == b->capacity && !f2l_mul_size(&wanted, wanted, 2)) wanted = needed;
    if (wanted < needed) wanted = needed;
    char *grown = f2l_realloc(b->data, wanted, 1);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->data = grown;
    b->capacity = wanted;
    return true;
}

void f2l_buf_reserve(f2l_buf *b, size_t n)
{
    (void)reserve_text(b, n);
}

void f2l_buf_bytes(f2l_buf *b, const void *bytes, size_t n)
{
    if (n == 0 || !reserve_text(b, n)) return;
    memcpy(b->data + b->size, bytes, n);
    b->size += n;
    b->data[b->size] = '\0';
}

void f2l_buf_text(f2l_buf *b, const char *text)
{
    f2l_buf_bytes(b, text, strlen(text));
}

void f2l_buf_size(f2l_buf *b, size_t value)
{
    char digit[24]; /* 2^64 - 1 has 20 digits */
    char *first = digit + sizeof digit;
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    f2l_buf_bytes(b, first, (size_t)(digit + sizeof digit - first));
}

void f2l_buf_printf(f2l_buf *b, const char *format, ...)
{
    va_list args, again;
    if (!reserve_text(b, 0)) return;
    va_start(args, format);
    va_copy(again, args);
    size_t room = b->capacity - b->size;
    int n = vsnprintf(b->data + b->size, room, format, args);
    if (n < 0) {
        b->failed = true;
    } else if ((size_t)n < room) {
        b->size += (size_t)n;
    } else if (reserve_text(b, (size_t)n)) {
        vsnprintf(b->data + b->size, (size_t)n + 1, format, again);
        b->size += (size_t)n;
    }
    b->data[b->size] = '\0'; /* a failed attempt may have written past the end of the text */
    va_end(again);
    va_end(args);
}

bool f2l_name_is_plain(const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c <= ' ' || *c == 0x7f || *c == '#' || *c == '"' || *c == '(' || *c == ')')
            return false;
    return *name != '\0';
}

static bool is_bare_name(const char *name)
{
    static const char *const word[] = {"eps",    "fsa",    "letters", "states", "start",
                                       "accept", "output", "points",  "track",  "permute"};
    if (!f2l_name_is_plain(name)) return false;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(name, word[i]) == 0) return false;
    return true;
}

static void quote_character(f2l_buf *b, char c)
{
    static const char plain[] = "\"\\\n\t\r\b\f", escape[] = "\"\\ntrbf";
    const char *at = strchr(plain, c);
    if (at) {
        char pair[2] = {'\\', escape[at - plain]};
        f2l_buf_bytes(b, pair, 2);
    } else if ((unsigned char)c < ' ' || c == 0x7f) {
        f2l_buf_printf(b, "\\u%04x", (unsigned)(unsigned char)c);
    } else {
        f2l_buf_bytes(b, &c, 1);
    }
}

void f2l_buf_name(f2l_buf *b, const char *name)
{
    if (is_bare_name(name)) {
        f2l_buf_text(b, name);
        return;
    }
    f2l_buf_bytes(b, "\"", 1);
    for (; *name; name++) quote_character(b, *name);
    f2l_buf_bytes(b, "\"", 1);
}

f2l_status f2l_buf_status(const f2l_buf *b, f2l_error *err)
{
    return b->failed ? f2l_fail_memory(err) : F2L_OK;
}

/* Returns the length of the well-formed sequence (RFC 3629) at the start of the n > 0 bytes, or 0
 * when there is none. */
static size_t utf8_sequence_length(const unsigned char *c, size_t n)
{
    if (c[0] < 0x80) return 1;
    size_t length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                    : (c[0] & 0xf0) == 0xe0       ? 3
                    : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    /* The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF. */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
    if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0;
    return length;
}

void f2l_time_text(char text[24])
{
    struct tm parts;
    const time_t now = time(NULL);
    text[0] = '\0';
    if (gmtime_r(&now, &parts)) (void)strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

int f2l_text_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool f2l_text_is_any(const char *text, size_t size, const char *const *among)
{
    for (; *among; among++)
        if (strlen(*among) == size && memcmp(*among, text, size) == 0) return true;
    return false;
}

bool f2l_utf8_is_character(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count == 1;
}

bool f2l_utf8_valid(const char *bytes, size_t n, size_t *at)
{
    size_t i = 0;
    while (i < n) {
        uint64_t word;
        if (n - i >= sizeof word) {
            memcpy(&word, bytes + i, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                i += sizeof word;
                continue;
            }
        }
        size_t length = utf8_sequence_length((const unsigned char *)bytes + i, n - i);
        if (length == 0) {
            *at = i;
            return false;
        }
        i += length;
    }
    return true;
}

void f2l_buf_utf8(f2l_buf *b, uint32_t code_point)
{
    unsigned char c[4];
    size_t n = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; code_point >>= 6)
        c[i] = (unsigned char)(0x80 | (code_point & 0x3f));
    c[0] = (unsigned char)(lead[n] | code_point);
    f2l_buf_bytes(b, c, n);
}
