#include "numeric/base/sha256.h"
#include "numeric/base/sha256_blocks.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_repeated(char c, size_t n, const char *expected)
{
    char hex[65];
    char *text = malloc(n + 1);
    memset(text, c, n);
    f2l_sha256_hex(text, n, hex);
    cr_assert_str_eq(hex, expected, "%zu times '%c'", n, c);
    free(text);
}

/* The examples of FIPS 180-4. */
Test(sha256, standard_examples)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[65];
    f2l_sha256_hex("", 0, hex);
    cr_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    f2l_sha256_hex("abc", 3, hex);
    cr_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    f2l_sha256_hex(two_blocks, strlen(two_blocks), hex);
    cr_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_repeated('a', 1000000,
                    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The lengths around the ends of blocks, as the sha256sum of GNU coreutils gives them. */
Test(sha256, lengths_where_the_padding_changes)
{
    expect_repeated('a', 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect_repeated('a', 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    expect_repeated('a', 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    expect_repeated('a', 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    expect_repeated('a', 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
    expect_repeated('a', 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    expect_repeated('a', 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
}

Test(sha256, pieces_give_what_the_whole_gives)
{
    char text[300], whole[65], pieces[65];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 37);
    for (size_t n = 0; n <= sizeof text; n += 13) {
        f2l_sha256_hex(text, n, whole);
        for (size_t step = 1; step <= 130; step += 3) {
            f2l_sha256 s;
            f2l_sha256_init(&s);
            for (size_t at = 0; at < n; at += step)
                f2l_sha256_update(&s, text + at, n - at < step ? n - at : step);
            f2l_sha256_update(&s, text, 0);
            f2l_sha256_final(&s, pieces);
            cr_assert_str_eq(pieces, whole, "%zu bytes in steps of %zu", n, step);
        }
    }
}

/* The processor's instructions, where it has them, do what C does, wherever the bytes begin. */
Test(sha256, instructions_do_what_c_does)
{
    unsigned char bytes[64 * 9 + 64];
    uint32_t x = 12345;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)((x = x * 69069 + 1) >> 24);
    for (size_t at = 0; at < 64; at++) {
        uint32_t one[8], other[8];
        for (size_t i = 0; i < 8; i++) one[i] = other[i] = x = x * 69069 + 1;
        f2l_sha256_blocks(one, bytes + at, at % 10);
        f2l_sha256_blocks_plain(other, bytes + at, at % 10);
        cr_assert(memcmp(one, other, sizeof one) == 0, "%zu blocks from byte %zu", at % 10, at);
    }
}

Test(sha256, file)
{
    char hex[65];
    const f2l_hashed_file file = f2l_hash_file("a.txt", "abc", 3);
    f2l_sha256_hex("abc", 3, hex);
    cr_assert(strcmp(file.name, "a.txt") == 0 && file.bytes == 3);
    cr_assert_str_eq(file.sha256, hex);
}
