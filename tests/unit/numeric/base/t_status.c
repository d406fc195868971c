#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <string.h>

Test(status, names_are_those_of_the_enumeration)
{
    static const char *const name[] = {"OK",      "REFUTED", "UNKNOWN", "EDOMAIN",
                                       "EFORMAT", "EIO",     "EEXIST",  "ENOMEM"};
    for (int i = F2L_OK; i <= F2L_ENOMEM; i++)
        cr_assert_str_eq(f2l_status_name((f2l_status)i), name[i]);
}

Test(status, fail_fills_the_error_and_returns_the_status)
{
    f2l_error err = {.line = 7, .column = 8};
    cr_assert_eq(f2l_fail(&err, F2L_EDOMAIN, "letter %s of %d", "a", 3), F2L_EDOMAIN);
    cr_assert_eq(err.status, F2L_EDOMAIN);
    cr_assert_eq(err.line, 0);
    cr_assert_eq(err.column, 0);
    cr_assert_str_eq(err.text, "letter a of 3");
    cr_assert_eq(f2l_fail_at(&err, 4, 5, "bad"), F2L_EFORMAT);
    cr_assert_eq(err.line, 4);
    cr_assert_eq(err.column, 5);
    cr_assert_eq(f2l_fail_memory(&err), F2L_ENOMEM);
    cr_assert_eq(err.line, 0);
}

Test(status, a_missing_error_is_allowed)
{
    cr_assert_eq(f2l_fail(NULL, F2L_EIO, "%d", 1), F2L_EIO);
    cr_assert_eq(f2l_fail_at(NULL, 1, 1, "x"), F2L_EFORMAT);
    cr_assert_eq(f2l_fail_memory(NULL), F2L_ENOMEM);
}

Test(status, long_text_is_cut_between_characters)
{
    static const char *const character[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t width = 1; width <= 4; width++) {
        for (size_t offset = 0; offset < width; offset++) {
            f2l_error err;
            f2l_buf text;
            size_t bad;
            f2l_buf_init(&text);
            for (size_t i = 0; i < offset; i++) f2l_buf_text(&text, "x");
            while (text.size < 600) f2l_buf_text(&text, character[width - 1]);
            f2l_fail(&err, F2L_EIO, "%s", text.data);
            size_t size = strlen(err.text);
            cr_assert_eq(size, offset + (511 - offset) / width * width);
            cr_assert(f2l_utf8_valid(err.text, size, &bad));
            cr_assert_eq(memcmp(err.text, text.data, size), 0);
            f2l_buf_clear(&text);
        }
    }
}

Test(status, an_error_may_quote_itself)
{
    f2l_error err;
    f2l_fail(&err, F2L_EIO, "inner");
    f2l_fail(&err, F2L_EIO, "outer: %s", err.text);
    cr_assert_str_eq(err.text, "outer: inner");
}

Test(status, text_is_one_printable_line_of_utf8)
{
    f2l_error err;
    f2l_fail(&err, F2L_EIO, "a\nb\x1b[31m\x7f \xff\xc3 \xed\xa0\x80 \xc3\xa9");
    cr_assert_str_eq(err.text, "a?b?[31m? ?? ??? \xc3\xa9");
}
