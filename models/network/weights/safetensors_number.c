#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER ((uint64_t)100000000)

static const struct {
    const char *name;
    size_t bytes;
} type_of[F2L_SAFETENSORS_TYPES] = {{"BF16", 2}, {"F16", 2}, {"F32", 4}, {"F64", 8}, {"I32", 4}};

f2l_safetensors_type f2l_safetensors_type_of(const char *name)
{
    f2l_safetensors_type type = F2L_SAFETENSORS_BF16;
    if (name == NULL) return F2L_SAFETENSORS_TYPES;
    while (type < F2L_SAFETENSORS_TYPES && strcmp(name, type_of[type].name) != 0) type++;
    return type;
}

size_t f2l_safetensors_bytes(f2l_safetensors_type type)
{
    return type_of[type].bytes;
}

uint64_t f2l_safetensors_bits(const unsigned char *at, size_t bytes)
{
    uint64_t bits = 0;
    for (size_t i = bytes; i-- > 0;) bits = bits << 8 | at[i];
    return bits;
}

static double half(uint64_t bits)
{
    const double sign = bits >> 15 ? -1 : 1;
    const int exponent = (int)(bits >> 10 & 0x1f);
    const double fraction = (double)(bits & 0x3ff);
    if (exponent == 0) return sign * ldexp(fraction, -24);
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static double single(uint64_t bits)
{
    float x;
    const uint32_t low = (uint32_t)bits;
    memcpy(&x, &low, sizeof x);
    return x;
}

double f2l_safetensors_number(const unsigned char *at, f2l_safetensors_type type)
{
    const uint64_t bits = f2l_safetensors_bits(at, type_of[type].bytes);
    double x;
    switch (type) {
    case F2L_SAFETENSORS_BF16:
        return single(bits << 16);
    case F2L_SAFETENSORS_F16:
        return half(bits);
    case F2L_SAFETENSORS_F32:
        return single(bits);
    case F2L_SAFETENSORS_F64:
        memcpy(&x, &bits, sizeof x);
        return x;
    case F2L_SAFETENSORS_I32:
    case F2L_SAFETENSORS_TYPES:
        break;
    }
    return (double)(int32_t)(uint32_t)bits;
}

/* Returns the bits of a binary16 value, subnormals and infinities included. */
static uint64_t half_bits(double x)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
    uint64_t sign = x < 0 ? 0x8000 : 0;
    if (x == 0) return 0;
    if (isinf(x)) return sign | 0x7c00;
    if (exponent < -13) return sign | (uint64_t)ldexp(fabs(x), 24);
    return sign | (uint64_t)(exponent + 14) << 10 | ((uint64_t)ldexp(fraction, 11) & 0x3ff);
}

static uint64_t single_bits(double x)
{
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

void f2l_safetensors_store(unsigned char *to, double x, f2l_safetensors_type type)
{
    uint64_t bits;
    switch (type) {
    case F2L_SAFETENSORS_BF16:
        bits = single_bits(x) >> 16;
        break;
    case F2L_SAFETENSORS_F16:
        bits = half_bits(x);
        break;
    case F2L_SAFETENSORS_F32:
        bits = single_bits(x);
        break;
    case F2L_SAFETENSORS_I32:
        bits = (uint32_t)(int64_t)x;
        break;
    default:
        memcpy(&bits, &x, sizeof bits);
    }
    for (size_t i = 0; i < type_of[type].bytes; i++) to[i] = (unsigned char)(bits >> (8 * i));
}

/* Reads a JSON integer that fits size_t. */
static bool read_json_size(size_t *out, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *out = (size_t)json_integer_value(value);
    return true;
}

static bool read_tensor_shape(f2l_safetensors_tensor *t, const json_t *shape)
{
    bool fits = json_is_array(shape);
    t->dims = json_array_size(shape);
    t->count = 1;
    for (size_t i = 0; fits && i < t->dims; i++) {
        size_t dim;
        fits = read_json_size(&dim, json_array_get(shape, i)) &&
               f2l_mul_size(&t->count, t->count, dim);
        if (fits && i < F2L_SAFETENSORS_DIMS) t->dim[i] = dim;
    }
    return fits;
}

/* Reads the header of a tensor. Returns its fault, or NULL. */
static const char *read_tensor(f2l_safetensors_tensor *t, const f2l_safetensors_file *file,
                               const json_t *entry)
{
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t bytes;
    *t = (f2l_safetensors_tensor){.present = true, .type = f2l_safetensors_type_of(type)};
    if (type == NULL) return "no type";
    if (!read_tensor_shape(t, json_object_get(entry, "shape"))) return "no shape";
    if (json_array_size(offsets) != 2 || !read_json_size(&t->begin, json_array_get(offsets, 0)) ||
        !read_json_size(&t->end, json_array_get(offsets, 1)) || t->begin > t->end ||
        t->end > file->size)
        return "its data do not lie in the file";
    t->data = file->data ? file->data + t->begin : NULL;
    if (t->type == F2L_SAFETENSORS_TYPES) return NULL;
    return f2l_mul_size(&bytes, t->count, f2l_safetensors_bytes(t->type)) &&
                   bytes == t->end - t->begin
               ? NULL
               : "its data do not fill its shape";
}

/* Orders tensors by place; tensors without numbers come before a tensor that begins at the same
 * byte. */
static int compare_tensor_places(const void *a, const void *b)
{
    const f2l_safetensors_tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin > y->begin ? 1 : -1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Checks that every byte of the data is in exactly one tensor. */
static f2l_status check_cover(f2l_safetensors_tensor *tensor, size_t tensors, size_t size,
                              f2l_error *err)
{
    size_t at = 0, i = 0;
    qsort(tensor, tensors, sizeof *tensor, compare_tensor_places);
    for (; i < tensors && tensor[i].begin == at; i++) at = tensor[i].end;
    return i == tensors && at == size
               ? F2L_OK
               : f2l_fail(err, F2L_EFORMAT,
                          "after byte %zu of the data its tensors overlap or "
                          "leave a gap",
                          at);
}

static f2l_status check_tensors(const f2l_safetensors_file *file, f2l_error *err)
{
    const char *name;
    json_t *entry;
    size_t tensors = 0;
    f2l_status status = F2L_OK;
    f2l_safetensors_tensor *tensor = f2l_calloc(json_object_size(file->header), sizeof *tensor);
    if (tensor == NULL) return f2l_fail_memory(err);
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        const char *wrong = read_tensor(&tensor[tensors++], file, entry);
        if (wrong == NULL) continue;
        status = f2l_fail(err, F2L_EFORMAT, "the tensor %.200s: %s", name, wrong);
        break;
    }
    if (status == F2L_OK) status = check_cover(tensor, tensors, file->size, err);
    f2l_free(tensor);
    return status;
}

/* Returns whether the bytes begin as torch.save writes them: a ZIP archive, or a pickle of protocol
 * 2 to 5. */
static bool is_torch_pickle(const unsigned char *bytes)
{
    return memcmp(bytes, "PK\003\004", 4) == 0 ||
           (bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5);
}

static f2l_status refuse_torch_pickle(f2l_error *err)
{
    return f2l_fail(
        err, F2L_EFORMAT,
        "this is a file of torch.save, which is not read here: convert it by "
        "python3 -c \"import torch, safetensors.torch as s; m = torch.load('MODEL.pt', "
        "map_location='cpu', weights_only=True); s.save_file({k: v.contiguous().clone() "
        "for k, v in m.items()}, 'model.safetensors')\"");
}

/* Refuses bytes that do not begin with the length of a header, with what they are where that is
 * known. */
static f2l_status refuse_bytes(const unsigned char *bytes, size_t size, f2l_error *err)
{
    if (size >= 4 && is_torch_pickle(bytes)) return refuse_torch_pickle(err);
    if (size >= 4 && memcmp(bytes, "lrnn", 4) == 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "this is no safetensors file but a network, which run, round and obstruct "
                        "take");
    if (size >= 23 && memcmp(bytes, "version https://git-lfs", 23) == 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "this is no safetensors file but what Git LFS keeps in its place: `git lfs "
                        "pull` fetches the file");
    return f2l_fail(err, F2L_EFORMAT,
                    "this is no safetensors file: its header does not lie in it; weights are "
                    "expected, of another program or those in the folder that `fsa2lrnn train` "
                    "makes of an automaton");
}

f2l_status f2l_safetensors_open(f2l_safetensors_file *out, const char *bytes, size_t size,
                                f2l_error *err)
{
    const unsigned char *begin = (const unsigned char *)bytes;
    const uint64_t length = size < 8 ? UINT64_MAX : f2l_safetensors_bits(begin, 8);
    *out = (f2l_safetensors_file){0};
    if (length > MAX_HEADER || length > size - 8) return refuse_bytes(begin, size, err);
    out->data = begin + 8 + length;
    out->size = size - 8 - (size_t)length;
    out->header = json_loadb(bytes + 8, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
    const f2l_status status =
        json_is_object(out->header)
            ? check_tensors(out, err)
            : f2l_fail(err, F2L_EFORMAT,
                       "this is no safetensors file: its header is no JSON object");
    if (status != F2L_OK) f2l_safetensors_close(out);
    return status;
}

void f2l_safetensors_find(f2l_safetensors_tensor *out, const f2l_safetensors_file *file,
                          const char *name)
{
    const json_t *entry = json_object_get(file->header, name);
    *out = (f2l_safetensors_tensor){0};
    if (entry != NULL)
        (void)read_tensor(out, file, entry); /* there is no fault: the file has been opened */
}

void f2l_safetensors_put_header(f2l_buf *out, f2l_buf *header)
{
    unsigned char length[8];
    while (!header->failed && header->size % 8 != 0) f2l_buf_text(header, " ");
    for (size_t i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)header->size >> (8 * i));
    f2l_buf_bytes(out, length, sizeof length);
    f2l_buf_bytes(out, header->data, header->size);
    if (header->failed) out->failed = true;
}

void f2l_safetensors_close(f2l_safetensors_file *file)
{
    json_decref(file->header);
    *file = (f2l_safetensors_file){0};
}
