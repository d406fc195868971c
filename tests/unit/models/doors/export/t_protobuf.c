#include "models/doors/export/protobuf.h"
#include <criterion/criterion.h>
#include <string.h>

static void expect_bytes(f2l_buf *out, const char *bytes, size_t size)
{
    cr_assert_eq(f2l_buf_status(out, NULL), F2L_OK);
    cr_assert_eq(out->size, size);
    cr_assert_eq(memcmp(out->data, bytes, size), 0);
    f2l_buf_clear(out);
}

/* The examples of the format's own documentation: 150 as field 1, "testing" as field 2, and a
 * message with the first as field 3. */
Test(protobuf, examples_of_the_documentation)
{
    f2l_buf out, inner;
    f2l_buf_init(&out);
    f2l_buf_init(&inner);
    f2l_proto_integer(&out, 1, 150);
    expect_bytes(&out, "\x08\x96\x01", 3);
    f2l_proto_text(&out, 2, "testing");
    expect_bytes(&out, "\x12\x07testing", 9);
    f2l_proto_integer(&inner, 1, 150);
    f2l_proto_message(&out, 3, &inner);
    cr_assert_eq(inner.size, 0);
    expect_bytes(&out, "\x1a\x03\x08\x96\x01", 5);
}

Test(protobuf, ends_of_the_ranges)
{
    static const int64_t both[2] = {0, 127};
    f2l_buf out, empty;
    f2l_buf_init(&out);
    f2l_buf_init(&empty);
    f2l_proto_integer(&out, 1, -1);
    expect_bytes(&out, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    f2l_proto_integers(&out, 20, both, 2);
    expect_bytes(&out, "\xa0\x01\x00\xa0\x01\x7f", 6);
    f2l_proto_message(&out, 1, &empty);
    expect_bytes(&out, "\x0a\x00", 2);
    char long_text[301];
    memset(long_text, 'x', 300);
    long_text[300] = '\0';
    f2l_proto_text(&out, 1, long_text);
    cr_assert_eq(out.size, 1 + 2 + 300);
    cr_assert_eq(memcmp(out.data, "\x0a\xac\x02x", 4), 0);
    f2l_buf_clear(&out);
}

Test(protobuf, a_failure_is_handed_on)
{
    f2l_buf out, inner;
    f2l_buf_init(&out);
    f2l_buf_init(&inner);
    inner.failed = true;
    f2l_proto_message(&out, 1, &inner);
    cr_assert_eq(f2l_buf_status(&out, NULL), F2L_ENOMEM);
    f2l_buf_clear(&out);
}
