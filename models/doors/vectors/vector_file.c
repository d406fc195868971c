/* The file: a safetensors file with wide numbers first, so that every tensor is aligned. */
#include "models/doors/vectors/vectors.h"
#include "numeric/base/mem.h"

static void put_keys(f2l_buf *out, const f2l_vector_case *c)
{
    const size_t kinds = c->keys[0] == c->keys[1] ? 1 : 3;
    f2l_buf_text(out, "\"keys\":\"");
    for (size_t i = 0; i < kinds; i++)
        f2l_buf_printf(out, "%s%s", i ? " " : "", f2l_vector_keys_name(c->keys[i]));
    f2l_buf_text(out, "\",");
}

static void put_metadata(f2l_buf *out, const f2l_op_vectors *v)
{
    const f2l_vector_case *c = v->about;
    const char *between = "";
    f2l_buf_text(out, "{\"__metadata__\":{\"claims\":\"");
    for (f2l_vector_claim i = 0; i < F2L_CLAIMS; i++) {
        if (!v->claim[i]) continue;
        f2l_buf_printf(out, "%s%s", between, f2l_vector_claim_name(i));
        between = ", ";
    }
    f2l_buf_printf(out, "\",\"chunks\":\"16 32 64\",\"factors\":\"%zu\",\"format\":\"%s\",",
                   c->factors, c->format);
    put_keys(out, c);
    f2l_buf_printf(out, "\"op\":\"%s\",\"scale\":\"%.17g\",\"schema\":\"1\",\"tool\":\"fsa2lrnn\"}",
                   v->op->name, c->scale);
}

static size_t bytes_of(const f2l_vector_tensor *t)
{
    return t->count * f2l_safetensors_bytes(t->type);
}

/* Calls `put` for the tensors of four bytes a number, then of two. */
static void each_tensor(f2l_buf *out, const f2l_op_vectors *v,
                        void (*put)(f2l_buf *out, const f2l_vector_tensor *t, size_t at))
{
    size_t at = 0;
    for (size_t bytes = 4; bytes > 1; bytes /= 2)
        for (const f2l_vector_tensor *t = v->tensor; t < v->tensor + F2L_VECTOR_TENSORS; t++) {
            if (!t->name || f2l_safetensors_bytes(t->type) != bytes) continue;
            put(out, t, at);
            at += bytes_of(t);
        }
}

static void put_entry(f2l_buf *out, const f2l_vector_tensor *t, size_t at)
{
    static const char *const type[] = {"BF16", "F16", "F32", "F64", "I32"};
    f2l_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, type[t->type]);
    for (size_t d = 0; d < t->dims; d++) f2l_buf_printf(out, d ? ",%zu" : "%zu", t->dim[d]);
    f2l_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes_of(t));
}

static void put_numbers(f2l_buf *out, const f2l_vector_tensor *t, size_t at)
{
    const size_t bytes = f2l_safetensors_bytes(t->type);
    unsigned char number[8];
    (void)at;
    f2l_buf_reserve(out, bytes_of(t));
    for (size_t i = 0; i < t->count; i++) {
        f2l_safetensors_store(number, t->value[i], t->type);
        f2l_buf_bytes(out, number, bytes);
    }
}

f2l_status f2l_op_vectors_write(f2l_buf *out, const f2l_op_vectors *v, f2l_error *err)
{
    f2l_buf header;
    f2l_buf_init(&header);
    put_metadata(&header, v);
    each_tensor(&header, v, put_entry);
    f2l_buf_text(&header, "}");
    f2l_safetensors_put_header(out, &header);
    f2l_buf_clear(&header);
    each_tensor(out, v, put_numbers);
    return f2l_buf_status(out, err);
}
