/* A writer of messages in the wire format of Protocol Buffers: fields of whole numbers, bytes and
 * messages, by their numbers. As f2l_buf, it remembers a failure to the end. */
#ifndef F2L_PROTOBUF_H
#define F2L_PROTOBUF_H

#include "numeric/base/text.h"

/* Append a field: a whole number, the same for each number of a list, bytes, and a text. */
void f2l_proto_integer(f2l_buf *out, unsigned field, int64_t value);
void f2l_proto_integers(f2l_buf *out, unsigned field, const int64_t *value, size_t count);
void f2l_proto_bytes(f2l_buf *out, unsigned field, const void *bytes, size_t size);
void f2l_proto_text(f2l_buf *out, unsigned field, const char *text);
/* Appends the message as a field, and clears it. */
void f2l_proto_message(f2l_buf *out, unsigned field, f2l_buf *message);

#endif
