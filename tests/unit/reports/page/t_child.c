#include "numeric/base/task.h"
#include "reports/page/child.h"
#include <criterion/criterion.h>
#include <string.h>

#define RUN(...) \
    f2l_child_run(&out, (const char *const[]){__VA_ARGS__, NULL}, &in, seconds, limit, &err)

static f2l_buf in, out;
static f2l_error err;
static double seconds = 20;
static size_t limit = (size_t)1 << 24;

/* More than the pipes hold, so that reading and writing must take turns. */
Test(child, a_long_text_comes_back)
{
    f2l_buf_init(&in);
    f2l_buf_init(&out);
    for (size_t i = 0; i < 400000; i++) f2l_buf_printf(&in, "%zu\n", i);
    cr_assert_eq(RUN("cat"), F2L_OK, "%s", err.text);
    cr_assert(out.size == in.size && memcmp(out.data, in.data, in.size) == 0);
    f2l_buf_clear(&out);
    limit = 1000;
    cr_assert_eq(RUN("cat"), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "the drawing of cat has more than 1000 bytes");
    f2l_buf_clear(&out);
    f2l_buf_clear(&in);
}

/* The child reads nothing of a long text: no signal ends this process. */
Test(child, failures)
{
    f2l_buf_init(&in);
    f2l_buf_init(&out);
    for (size_t i = 0; i < 400000; i++) f2l_buf_printf(&in, "%zu\n", i);
    cr_assert_eq(RUN("false"), F2L_UNKNOWN);
    cr_assert_str_eq(err.text, "false failed");
    cr_assert_eq(RUN("there-is-no-such-program"), F2L_UNKNOWN);
    cr_assert_str_eq(err.text, "there-is-no-such-program is not installed");
    seconds = .2;
    const double start = f2l_now();
    cr_assert_eq(RUN("sleep", "30"), F2L_UNKNOWN);
    cr_assert_str_eq(err.text, "sleep took more than 0.2 s");
    cr_assert_lt(f2l_now() - start, 10);
    f2l_buf_clear(&in);
    f2l_buf_clear(&out);
}
