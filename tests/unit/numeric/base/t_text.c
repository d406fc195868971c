#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect(f2l_buf *b, const char *text)
{
    cr_assert_eq(f2l_buf_status(b, NULL), F2L_OK);
    cr_assert_eq(b->size, strlen(text));
    cr_assert_str_eq(b->data, text);
    f2l_buf_clear(b);
    cr_assert_null(b->data);
}

Test(text, appending)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_bytes(&b, NULL, 0);
    f2l_buf_text(&b, "");
    cr_assert_eq(b.size, 0);
    f2l_buf_text(&b, "ab");
    f2l_buf_bytes(&b, "cde", 2);
    f2l_buf_printf(&b, "%d-%s", -7, "x");
    f2l_buf_printf(&b, "%s", "");
    expect(&b, "abcd-7-x");
}

Test(text, bytes_may_be_zero)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_bytes(&b, "a\0b", 3);
    cr_assert_eq(b.size, 3);
    cr_assert_eq(memcmp(b.data, "a\0b", 4), 0);
    f2l_buf_clear(&b);
}

Test(text, printf_of_any_length)
{
    char want[700];
    for (int n = 0; n < 600; n++) {
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_buf_text(&b, "12345");
        f2l_buf_printf(&b, "%0*d", n, 7);
        snprintf(want, sizeof want, "12345%0*d", n, 7);
        expect(&b, want);
    }
}

Test(text, sizes_are_what_printf_gives)
{
    f2l_rng r;
    char want[32];
    f2l_rng_init(&r, 99, 0); /* the seed */
    for (int i = 0; i < 20000; i++) {
        size_t value = i < 200 ? (size_t)i : f2l_rng_u64(&r) >> f2l_rng_below(&r, 64);
        if (i == 200) value = SIZE_MAX;
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_buf_size(&b, value);
        snprintf(want, sizeof want, "%zu", value);
        expect(&b, want);
    }
}

Test(text, names_are_quoted_when_they_must_be)
{
    static const struct {
        const char *name, *written;
    } table[] = {{"q0", "q0"},
                 {"", "\"\""},
                 {"a b", "\"a b\""},
                 {"a\tb", "\"a\\tb\""},
                 {"a#", "\"a#\""},
                 {"say\"", "\"say\\\"\""},
                 {"(1", "\"(1\""},
                 {"1)", "\"1)\""},
                 {"eps", "\"eps\""},
                 {"fsa", "\"fsa\""},
                 {"letters", "\"letters\""},
                 {"states", "\"states\""},
                 {"start", "\"start\""},
                 {"accept", "\"accept\""},
                 {"output", "\"output\""},
                 {"points", "\"points\""},
                 {"track", "\"track\""},
                 {"permute", "\"permute\""},
                 {"epsilon", "epsilon"},
                 {"Eps", "Eps"},
                 {"a\\b", "a\\b"},
                 {"\\ ", "\"\\\\ \""},
                 {"\n\r\b\f", "\"\\n\\r\\b\\f\""},
                 {"\x01", "\"\\u0001\""},
                 {"\x7f", "\"\\u007f\""},
                 {"\xc3\xa9", "\xc3\xa9"},
                 {"\xc3\xa9 ", "\"\xc3\xa9 \""}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_buf_name(&b, table[i].name);
        expect(&b, table[i].written);
    }
}

/* Counts the well-formed strings among all strings of three bytes; their number follows from the
 * numbers of code points that take one, two and three bytes. */
Test(text, utf8_of_three_bytes)
{
    const size_t one = 0x80, two = 0x800 - 0x80, three = 0x10000 - 0x800 - 0x800; /* less the
                                                                                     surrogates */
    size_t valid = 0, bad;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        const char c[3] = {(char)(i >> 16), (char)(i >> 8), (char)i};
        valid += f2l_utf8_valid(c, 3, &bad);
    }
    cr_assert_eq(valid, one * one * one + 2 * one * two + three);
}

Test(text, utf8_of_every_code_point)
{
    for (uint32_t c = 1; c < 0x110000; c++) {
        f2l_buf b;
        size_t bad;
        f2l_buf_init(&b);
        f2l_buf_utf8(&b, c);
        bool surrogate = c >= 0xd800 && c < 0xe000;
        cr_assert_eq(f2l_utf8_valid(b.data, b.size, &bad), !surrogate, "U+%04X", c);
        if (!surrogate && b.size > 1)
            cr_assert_not(f2l_utf8_valid(b.data, b.size - 1, &bad), "U+%04X cut", c);
        f2l_buf_clear(&b);
    }
}

Test(text, utf8_of_four_bytes)
{
    static const unsigned char tail[] = {0x7f, 0x80, 0xbf, 0xc0};
    size_t valid = 0, bad;
    for (unsigned lead = 0xf0; lead <= 0xff; lead++)
        for (unsigned second = 0; second < 256; second++)
            for (int i = 0; i < 16; i++) {
                const char c[4] = {(char)lead, (char)second, (char)tail[i / 4], (char)tail[i % 4]};
                valid += f2l_utf8_valid(c, 4, &bad);
            }
    cr_assert_eq(valid, (0x110000 - 0x10000) / 0x1000 * 4);
}

Test(text, utf8_tells_the_first_bad_byte)
{
    for (size_t n = 0; n < 40; n++) {
        char text[64];
        size_t bad = 0;
        memset(text, 'a', sizeof text);
        text[n] = '\xff';
        cr_assert_not(f2l_utf8_valid(text, sizeof text, &bad));
        cr_assert_eq(bad, n);
        memcpy(text + n, "\xe2\x82\x41", 3);
        cr_assert_not(f2l_utf8_valid(text, sizeof text, &bad));
        cr_assert_eq(bad, n);
        cr_assert(f2l_utf8_valid(text, n, &bad));
    }
}

#ifdef F2L_MEM_FAILURES
Test(text, the_first_failure_is_remembered)
{
    f2l_buf b;
    f2l_error err;
    f2l_buf_init(&b);
    f2l_buf_text(&b, "kept");
    f2l_mem_fail_after(1, false);
    for (int i = 0; i < 100; i++) f2l_buf_text(&b, "more than fits");
    f2l_buf_printf(&b, "%0300d", 1);
    f2l_buf_size(&b, 5);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_buf_status(&b, &err), F2L_ENOMEM);
    cr_assert_eq(memcmp(b.data, "kept", 4), 0);
    size_t size = b.size;
    f2l_buf_text(&b, "x");
    cr_assert_eq(b.size, size);
    f2l_buf_clear(&b);
    cr_assert_eq(f2l_buf_status(&b, &err), F2L_OK);
}

Test(text, a_long_printf_may_fail)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_text(&b, "kept");
    f2l_mem_fail_after(1, false);
    f2l_buf_printf(&b, "%0300d", 1);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_buf_status(&b, NULL), F2L_ENOMEM);
    cr_assert_str_eq(b.data, "kept");
    f2l_buf_clear(&b);
}
#endif
