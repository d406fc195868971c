#include "reports/phrases.h"
#include <criterion/criterion.h>

static void wraps(const char *text, size_t at, size_t indent, size_t width, const char *expected)
{
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_report_wrap(&out, text, at, indent, width);
    cr_assert_eq(f2l_buf_status(&out, NULL), F2L_OK);
    cr_assert_str_eq(out.data, expected);
    f2l_buf_clear(&out);
}

Test(phrases, lines_end_before_the_width)
{
    wraps("aa bb cc dd", 0, 2, 8, "aa bb cc\n  dd\n");
    wraps("aa bb cc dd", 1, 0, 8, "aa bb\ncc dd\n");
    wraps("aa  bb ", 0, 0, 5, "aa bb\n");
    wraps("longer-than-that b", 4, 1, 8, "longer-than-that\n b\n");
}
