#include "numeric/base/visible.h"
#include <criterion/criterion.h>
#include <string.h>

static void shows(const char *text, const char *kept, const char *expected)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_visible(&b, text, strlen(text), kept);
    cr_assert_eq(f2l_buf_status(&b, NULL), F2L_OK);
    cr_assert_str_eq(b.data ? b.data : "", expected);
    f2l_buf_clear(&b);
}

Test(visible, hidden_characters_become_escapes)
{
    shows("", "", "");
    shows("a b\xc3\xa9\xe2\x88\x80\xf0\x9f\x98\x80", "", "a b\xc3\xa9\xe2\x88\x80\xf0\x9f\x98\x80");
    shows("\x1b[2Ja\tb\n", "", "\\u001b[2Ja\\u0009b\\u000a");
    shows("\x1b[2Ja\tb\n", "\t\n", "\\u001b[2Ja\tb\n");
    shows("a\x7f\xc2\x9b\xc2\xad", "", "a\\u007f\\u009b\\u00ad");
    shows("a\xe2\x80\xaetxt\xe2\x81\xa6\xef\xbb\xbf\xe2\x80\xa8", "",
          "a\\u202etxt\\u2066\\ufeff\\u2028");
    shows("\xf3\xa0\x80\x81x", "", "\\udb40\\udc01x");
}

Test(visible, bytes_that_are_not_utf8_become_escapes)
{
    shows("a\xff\x80\xc3", "", "a\\xff\\x80\\xc3");
    shows("\xed\xa0\x80\xc0\xaf", "", "\\xed\\xa0\\x80\\xc0\\xaf");
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_visible(&b, "a\0b", 3, "\n");
    cr_assert_str_eq(b.data, "a\\u0000b");
    f2l_buf_clear(&b);
}

static void names(const char *name, const char *expected)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_visible_name(&b, name);
    cr_assert_str_eq(b.data, expected);
    f2l_buf_clear(&b);
}

Test(visible, names_with_escapes_are_quoted)
{
    names("q0", "q0");
    names("accept", "accept");
    names("", "\"\"");
    names("a b", "\"a b\"");
    names("a\\b", "a\\b");
    names("a\nb", "\"a\\nb\"");
    names("a\x1b", "\"a\\u001b\"");
    names("a\xe2\x80\xae", "\"a\\u202e\"");
    names("a \xe2\x80\xae\"", "\"a \\u202e\\\"\"");
    names("a\xff", "\"a\\xff\"");
}
