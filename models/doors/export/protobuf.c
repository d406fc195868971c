#include "models/doors/export/protobuf.h"
#include <string.h>

/* Kinds of fields. */
enum { WHOLE_NUMBER = 0, WITH_LENGTH = 2 };

/* Appends the number, seven bits in a byte, the lowest first; the highest bit of a byte says that
 * more follow. */
static void put_varint(f2l_buf *out, uint64_t value)
{
    unsigned char byte[10];
    size_t n = 0;
    do {
        byte[n] = (unsigned char)(value & 0x7f);
        value >>= 7;
        if (value) byte[n] |= 0x80;
        n++;
    } while (value);
    f2l_buf_bytes(out, byte, n);
}

static void put_tag(f2l_buf *out, unsigned field, unsigned kind)
{
    put_varint(out, (uint64_t)field << 3 | kind);
}

void f2l_proto_integer(f2l_buf *out, unsigned field, int64_t value)
{
    put_tag(out, field, WHOLE_NUMBER);
    put_varint(out, (uint64_t)value);
}

void f2l_proto_integers(f2l_buf *out, unsigned field, const int64_t *value, size_t count)
{
    for (size_t i = 0; i < count; i++) f2l_proto_integer(out, field, value[i]);
}

void f2l_proto_bytes(f2l_buf *out, unsigned field, const void *bytes, size_t size)
{
    put_tag(out, field, WITH_LENGTH);
    put_varint(out, size);
    f2l_buf_bytes(out, bytes, size);
}

void f2l_proto_text(f2l_buf *out, unsigned field, const char *text)
{
    f2l_proto_bytes(out, field, text, strlen(text));
}

void f2l_proto_message(f2l_buf *out, unsigned field, f2l_buf *message)
{
    if (message->failed)
        out->failed = true;
    else
        f2l_proto_bytes(out, field, message->data, message->size);
    f2l_buf_clear(message);
}
