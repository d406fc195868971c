#include "numeric/base/sha256.h"
#include "numeric/base/text.h"
#include <string.h>

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_word(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void compress(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++) w[t] = load_word(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    memcpy(v, h, sizeof v); /* a .. h of the standard */
    for (int t = 0; t < 64; t++) {
        uint32_t s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constant[t] + w[t];
        uint32_t s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void f2l_sha256_init(f2l_sha256 *s)
{
    *s = (f2l_sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                            0x1f83d9ab, 0x5be0cd19}};
}

void f2l_sha256_update(f2l_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    size_t held = s->bytes % 64;
    s->bytes += n;
    if (held > 0) {
        size_t take = n < 64 - held ? n : 64 - held;
        if (take > 0) memcpy(s->block + held, b, take);
        b += take;
        n -= take;
        if (held + take < 64) return;
        compress(s->h, s->block);
    }
    for (; n >= 64; b += 64, n -= 64) compress(s->h, b);
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
