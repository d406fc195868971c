#include "numeric/base/sha256.h"
#include "numeric/base/sha256_blocks.h"
#include "numeric/base/text.h"
#include <string.h>

void f2l_sha256_init(f2l_sha256 *s)
{
    *s = (f2l_sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                            0x1f83d9ab, 0x5be0cd19}};
}

void f2l_sha256_update(f2l_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    size_t held = s->bytes % 64;
    if (n == 0) return; /* `b` may be NULL then */
    s->bytes += n;
    if (held > 0) {
        size_t take = n < 64 - held ? n : 64 - held;
        memcpy(s->block + held, b, take);
        b += take;
        n -= take;
        if (held + take < 64) return;
        f2l_sha256_blocks(s->h, s->block, 1);
    }
    f2l_sha256_blocks(s->h, b, n / 64);
    b += n - n % 64;
    n %= 64;
    if (n > 0) memcpy(s->block, b, n);
}

void f2l_sha256_final(f2l_sha256 *s, char hex[65])
{
    static const char digit[] = "0123456789abcdef";
    unsigned char padding[72] = {0x80};
    uint64_t bits = s->bytes * 8;
    size_t zeros = (119 - s->bytes % 64) % 64; /* 0x80 and zeros up to 8 bytes before the end of a
                                                  block */
    for (size_t i = 0; i < 8; i++) padding[1 + zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
    f2l_sha256_update(s, padding, 1 + zeros + 8);
    for (size_t i = 0; i < 64; i++) hex[i] = digit[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}

void f2l_sha256_hex(const void *bytes, size_t n, char hex[65])
{
    f2l_sha256 s;
    f2l_sha256_init(&s);
    f2l_sha256_update(&s, bytes, n);
    f2l_sha256_final(&s, hex);
}

f2l_status f2l_sha256_file(char hex[65], const char *path, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    const f2l_status status = f2l_read_file(&bytes, path, 0, err);
    if (status == F2L_OK) f2l_sha256_hex(bytes.data, bytes.size, hex);
    f2l_buf_clear(&bytes);
    return status;
}

f2l_status f2l_sha256_in(char hex[65], const char *folder, const char *name, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_sha256_file(hex, path.data, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_hashed_file f2l_hash_file(const char *name, const void *bytes, size_t n)
{
    f2l_hashed_file file = {.name = name, .bytes = n};
    f2l_sha256_hex(bytes, n, file.sha256);
    return file;
}
