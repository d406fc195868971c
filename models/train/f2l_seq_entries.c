#include "f2l_mem.h"
#include "f2l_safetensors_number.h"
#include "f2l_seq_file_impl.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER ((uint64_t)100000000) /* as the format's own readers have it */

static size_t row_numbers(const f2l_seq_tensor *tensor)
{
    return tensor->count / tensor->dim[0];
}

static double number_at(const f2l_seq_numbers *numbers, size_t i)
{
    return numbers->bytes == 4 ? (double)numbers->from.single[i] : numbers->from.real[i];
}

static void put_bits(f2l_buf *out, uint64_t bits, size_t bytes)
{
    unsigned char little[8];
    for (size_t i = 0; i < bytes; i++) little[i] = (unsigned char)(bits >> (8 * i));
    f2l_buf_bytes(out, little, bytes);
}

static void put_number(f2l_buf *out, double x, bool wide)
{
    uint64_t bits;
    uint32_t narrow_bits;
    const float narrow = (float)x;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    put_bits(out, wide ? bits : narrow_bits, wide ? 8 : 4);
}

static void put_header(f2l_buf *out, const f2l_seq_entry *entry, size_t entries, const char *metadata,
                       bool wide)
{
    size_t at = 0;
    f2l_buf_printf(out, "{\"__metadata__\":%s", metadata);
    for (size_t e = 0; e < entries; e++) {
        const f2l_seq_tensor *tensor = entry[e].tensor;
        const size_t bytes = entry[e].rows * row_numbers(tensor) * (wide ? 8 : 4);
        f2l_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu", entry[e].name, wide ? "F64" : "F32",
                       entry[e].rows);
        for (size_t d = 1; d < tensor->dims; d++) f2l_buf_printf(out, ",%zu", tensor->dim[d]);
        f2l_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes);
        at += bytes;
    }
    f2l_buf_text(out, "}");
    while (!out->failed && out->size % 8 != 0) f2l_buf_text(out, " ");
}

static bool put_entry(f2l_buf *out, const f2l_seq_entry *entry, bool wide, const f2l_seq_numbers *numbers)
{
    const f2l_seq_tensor *tensor = entry->tensor;
    const size_t count = entry->rows * row_numbers(tensor);
    for (size_t i = 0; i < count; i++) {
        const double x = i < tensor->count ? entry->scale * number_at(numbers, tensor->offset + i) : 0;
        if (!isfinite(wide ? x : (double)(float)x)) return false;
        put_number(out, x, wide);
    }
    return true;
}

f2l_status f2l_seq_write_entries(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                                 const char *metadata, bool wide, const f2l_seq_numbers *numbers,
                                 f2l_error *err)
{
    f2l_buf header;
    f2l_buf_init(&header);
    put_header(&header, entry, entries, metadata, wide);
    put_bits(out, header.size, 8);
    f2l_buf_bytes(out, header.data, header.size);
    f2l_status status = f2l_buf_status(&header, err);
    f2l_buf_clear(&header);
    for (size_t e = 0; status == F2L_OK && e < entries; e++)
        if (!put_entry(out, &entry[e], wide, numbers))
            status =
                f2l_fail(err, F2L_EDOMAIN, "the tensor %s has a number that is not finite", entry[e].name);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

/* Tensor `header` of the file, whose data are data[size]: its type and where its numbers stand; NULL when it does not have
 * the shape of the entry or does not lie in the file. */
static const unsigned char *find_data(f2l_safetensors_type *type, const json_t *header,
                                      const f2l_seq_entry *entry, const unsigned char *data, size_t size)
{
    const f2l_seq_tensor *tensor = entry->tensor;
    const json_t *shape = json_object_get(header, "shape"),
                 *offsets = json_object_get(header, "data_offsets");
    *type = f2l_safetensors_type_of(json_string_value(json_object_get(header, "dtype")));
    if (*type > F2L_SAFETENSORS_F64 || json_array_size(shape) != tensor->dims ||
        json_array_size(offsets) != 2)
        return NULL;
    for (size_t d = 0; d < tensor->dims; d++) {
        const json_t *dim = json_array_get(shape, d);
        const size_t want = d == 0 ? entry->rows : tensor->dim[d];
        if (!json_is_integer(dim) || json_integer_value(dim) < 0 || (size_t)json_integer_value(dim) != want)
            return NULL;
    }
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (!json_is_integer(first) || !json_is_integer(last)) return NULL;
    const json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    const size_t bytes = entry->rows * row_numbers(tensor) * f2l_safetensors_bytes(*type);
    if (begin < 0 || end < begin || (uint64_t)end > size || (size_t)(end - begin) != bytes) return NULL;
    return data + begin;
}

/* Where the numbers of a tensor stand. */
typedef struct place {
    size_t begin, end;
} place;

static f2l_status read_entry(place *where, const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                             const json_t *header, const unsigned char *data, size_t size, f2l_error *err)
{
    f2l_safetensors_type type;
    if (header == NULL) return f2l_fail(err, F2L_EFORMAT, "the tensor %s is missing", entry->name);
    const unsigned char *at = find_data(&type, header, entry, data, size);
    if (at == NULL)
        return f2l_fail(err, F2L_EFORMAT, "the tensor %s has a type, a shape or a place that does not fit",
                        entry->name);
    where->begin = (size_t)(at - data);
    where->end = where->begin + entry->rows * row_numbers(entry->tensor) * f2l_safetensors_bytes(type);
    for (size_t i = 0; i < entry->tensor->count; i++) {
        const double x = f2l_safetensors_number(at + i * f2l_safetensors_bytes(type), type) / entry->scale;
        const size_t to = entry->tensor->offset + i;
        if (!isfinite(numbers->bytes == 4 ? (double)(float)x : x))
            return f2l_fail(err, F2L_EFORMAT, "the tensor %s has a number that is not finite", entry->name);
        if (numbers->bytes == 4)
            numbers->to.single[to] = (float)x;
        else
            numbers->to.real[to] = x;
    }
    return F2L_OK;
}

json_t *f2l_seq_open_header(size_t *data_at, const char *bytes, size_t size, f2l_error *err)
{
    const uint64_t length = size < 8 ? UINT64_MAX : f2l_safetensors_bits((const unsigned char *)bytes, 8);
    if (length > MAX_HEADER || length > size - 8) {
        (void)f2l_fail(err, F2L_EFORMAT, "this is no safetensors file: its header does not lie in it");
        return NULL;
    }
    json_error_t why;
    json_t *header = json_loadb(bytes + 8, (size_t)length, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(header)) {
        json_decref(header);
        (void)f2l_fail(err, F2L_EFORMAT, "this is no safetensors file: its header is no JSON object");
        return NULL;
    }
    if (data_at != NULL) *data_at = (size_t)length + 8;
    return header;
}

static f2l_status refuse_unknown(json_t *header, const f2l_seq_entry *entry, size_t entries, f2l_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(header, key, value)
    {
        size_t e = 0;
        while (e < entries && strcmp(key, entry[e].name) != 0) e++;
        if (e == entries && strcmp(key, "__metadata__") != 0)
            return f2l_fail(err, F2L_EFORMAT, "the model has no tensor %.200s", key);
    }
    return F2L_OK;
}

static int by_begin(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The format wants every byte of the data in exactly one tensor. */
static f2l_status check_places(place *where, size_t places, size_t size, f2l_error *err)
{
    size_t at = 0;
    qsort(where, places, sizeof *where, by_begin);
    for (size_t i = 0; i < places && where[i].begin == at; i++) at = where[i].end;
    return at == size ? F2L_OK
                      : f2l_fail(err, F2L_EFORMAT,
                                 "after byte %zu of the data its tensors overlap or leave a gap", at);
}

f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry, size_t entries,
                                const char *bytes, size_t size, f2l_error *err)
{
    size_t data_at;
    json_t *header = f2l_seq_open_header(&data_at, bytes, size, err);
    if (header == NULL) return F2L_EFORMAT;
    place *where = f2l_calloc(entries, sizeof *where);
    f2l_status status = where == NULL ? f2l_fail_memory(err) : refuse_unknown(header, entry, entries, err);
    for (size_t e = 0; status == F2L_OK && e < entries; e++)
        status = read_entry(&where[e], numbers, &entry[e], json_object_get(header, entry[e].name),
                            (const unsigned char *)bytes + data_at, size - data_at, err);
    if (status == F2L_OK) status = check_places(where, entries, size - data_at, err);
    f2l_free(where);
    json_decref(header);
    return status;
}
