#include "models/network/weights/safetensors.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DENSE_BYTES ((size_t)64 << 20)

static const f2l_dtype dtypes[F2L_DTYPES] = {{"BF16", "bf16", "bf16", 2},
                                             {"F16", "f16", "fp16", 2},
                                             {"F32", "f32", "fp32", 4},
                                             {"F64", "f64", "fp64", 8}};

const char *f2l_weights_dtype_name(size_t dtype)
{
    if (dtype == F2L_WEIGHTS_AUTO) return "auto";
    return dtype <= F2L_DTYPES ? dtypes[dtype - 1].choice : NULL;
}

void f2l_safetensors_init(f2l_safetensors *file, const void *owner, f2l_weights_dtype asked)
{
    *file = (f2l_safetensors){.owner = owner, .asked = asked};
    for (size_t t = 0; t < F2L_DTYPES; t++) file->holds[t] = true;
}

/* Registers x. Most numbers are small dyadics, which are decided without MPFR. */
void f2l_safetensors_hold(f2l_safetensors *file, const mpq_t x)
{
    mpz_srcptr numerator = mpq_numref(x), denominator = mpq_denref(x);
    size_t shift = mpz_scan1(denominator, 0);
    bool dyadic = mpz_sizeinbase(denominator, 2) == shift + 1;
    bool is_double = dyadic && shift < 900 && mpz_sizeinbase(numerator, 2) <= 53;
    double value = is_double ? ldexp(mpz_get_d(numerator), -(int)shift) : 0;
    for (size_t t = 0; t < F2L_DTYPES; t++) {
        const f2l_format *format = f2l_format_find(dtypes[t].format);
        if (!file->holds[t] || (is_double && f2l_format_round(format, value) == value)) continue;
        file->holds[t] = dyadic && !is_double && f2l_format_holds(format, x);
    }
}

void f2l_safetensors_hold_vector(f2l_safetensors *file, const f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) f2l_safetensors_hold(file, v->value[i]);
}

static void choose_type(f2l_safetensors *file)
{
    size_t chosen = 0;
    if (file->asked != F2L_WEIGHTS_AUTO)
        chosen = (size_t)file->asked - 1;
    else
        while (chosen + 1 < F2L_DTYPES && !file->holds[chosen]) chosen++;
    file->exact = file->holds[chosen];
    file->dtype = &dtypes[chosen];
    file->format = f2l_format_find(file->dtype->format);
}

static size_t tensor_dim(const f2l_tensor *tensor, size_t i)
{
    return tensor->shape != NULL ? tensor->shape[i] : tensor->dim[i];
}

void f2l_safetensors_add(f2l_safetensors *file, f2l_tensor tensor, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(tensor.name, sizeof tensor.name, name, arguments);
    va_end(arguments);
    if (!f2l_grow((void **)&file->tensor, &file->capacity, file->tensors, sizeof tensor)) {
        file->no_memory = true;
        return;
    }
    tensor.element = tensor.integer ? sizeof(int32_t) : file->dtype->bytes;
    tensor.bytes = tensor.element;
    bool fits = true;
    for (size_t i = 0; i < tensor.dims; i++)
        fits = fits && f2l_mul_size(&tensor.bytes, tensor.bytes, tensor_dim(&tensor, i));
    if (!fits || !f2l_add_size(&file->data_bytes, file->data_bytes, tensor.bytes))
        file->oversized = true;
    file->tensor[file->tensors++] = tensor;
}

static void list_tensors(f2l_safetensors *file, bool sparse, void (*lay_out)(f2l_safetensors *file))
{
    file->sparse = sparse;
    file->oversized = false;
    file->tensors = file->data_bytes = 0;
    lay_out(file);
}

static int by_element_and_name(const void *a, const void *b)
{
    const f2l_tensor *x = a, *y = b;
    if (x->element != y->element) return x->element > y->element ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_tensor_names(const void *a, const void *b)
{
    return strcmp(((const f2l_tensor *)a)->name, ((const f2l_tensor *)b)->name);
}

/* Chooses the layout and gives every tensor its place. */
static f2l_status place_tensors(f2l_safetensors *file, void (*lay_out)(f2l_safetensors *file),
                                f2l_error *err)
{
    list_tensors(file, false, lay_out);
    if (file->oversized || file->data_bytes > MAX_DENSE_BYTES) list_tensors(file, true, lay_out);
    if (file->no_memory || file->oversized) return f2l_fail_memory(err);
    if (file->tensors > 1)
        qsort(file->tensor, file->tensors, sizeof *file->tensor, by_element_and_name);
    size_t at = 0;
    for (size_t i = 0; i < file->tensors; i++) {
        file->tensor[i].begin = at;
        at += file->tensor[i].bytes;
    }
    if (file->tensors > 1)
        qsort(file->tensor, file->tensors, sizeof *file->tensor, compare_tensor_names);
    file->data = f2l_calloc(file->data_bytes, 1);
    return file->data == NULL ? f2l_fail_memory(err) : F2L_OK;
}

void f2l_safetensors_put(f2l_safetensors *file, const f2l_tensor *tensor, size_t position, double x)
{
    if (!isfinite(x)) file->too_large = true;
    f2l_safetensors_store(file->data + tensor->begin + position * tensor->element, x,
                          f2l_safetensors_type_of(file->dtype->name));
}

void f2l_safetensors_put_index(f2l_safetensors *file, const f2l_tensor *tensor, size_t position,
                               size_t x)
{
    if (x > INT32_MAX) file->index_too_large = true;
    f2l_safetensors_store(file->data + tensor->begin + position * tensor->element,
                          (double)(uint32_t)x, F2L_SAFETENSORS_I32);
}

void f2l_safetensors_pad(f2l_safetensors *file, const f2l_tensor *tensor)
{
    memset(file->data + tensor->begin, 0xff, tensor->bytes);
}

/* Appends a JSON string of UTF-8 text. */
static void put_json_string(f2l_buf *out, const char *text)
{
    f2l_buf_text(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') f2l_buf_text(out, "\\");
        if (c < 0x20)
            f2l_buf_printf(out, "\\u%04x", c);
        else
            f2l_buf_bytes(out, text, 1);
    }
    f2l_buf_text(out, "\"");
}

/* Appends "key":"[\"a\",\"b\"]": a JSON array inside a JSON string. */
static void put_json_names(f2l_buf *out, const char *key, const f2l_names *names)
{
    f2l_buf array;
    f2l_buf_init(&array);
    f2l_buf_text(&array, "[");
    for (size_t i = 0; i < names->count; i++) {
        if (i > 0) f2l_buf_text(&array, ",");
        put_json_string(&array, f2l_names_get(names, i));
    }
    f2l_buf_text(&array, "]");
    f2l_buf_printf(out, ",\"%s\":", key);
    if (array.failed)
        out->failed = true;
    else
        put_json_string(out, array.data);
    f2l_buf_clear(&array);
}

/* Appends "letter_classes":"[0,0,1]", if there are classes. */
static void put_json_classes(f2l_buf *out, const f2l_letter_classes *classes, size_t letters)
{
    if (!classes->of) return;
    f2l_buf_text(out, ",\"letter_classes\":\"");
    for (size_t a = 0; a < letters; a++)
        f2l_buf_printf(out, "%c%" PRIu32, a == 0 ? '[' : ',', classes->of[a]);
    f2l_buf_text(out, "]\"");
}

static void write_metadata(f2l_buf *out, const f2l_safetensors *file,
                           const f2l_safetensors_about *about)
{
    f2l_buf_text(out, "{\"__metadata__\":{");
    if (about->basis != NULL) f2l_buf_printf(out, "\"basis\":\"%s\",", about->basis);
    f2l_buf_printf(out, "\"format\":\"%s\",\"fsa_sha256\":\"%s\"", file->dtype->format,
                   about->fsa_sha256);
    if (about->kind != NULL) f2l_buf_printf(out, ",\"kind\":\"%s\"", about->kind);
    f2l_buf_printf(out, ",\"label\":\"%s\"", f2l_label_name(about->label));
    put_json_names(out, "labels", about->labels);
    put_json_classes(out, about->classes, about->letters->count);
    put_json_names(out, "letters", &about->fsa->letters);
    if (about->raw != NULL && about->raw->count > 0) put_json_names(out, "raw", about->raw);
    f2l_buf_printf(out, ",\"rounding\":\"%s\",\"schema\":\"%c\"",
                   file->exact ? "exact" : file->dtype->choice, about->classes->of ? '2' : '1');
    if (about->start != F2L_NO_INDEX) f2l_buf_printf(out, ",\"start\":\"%zu\"", about->start);
    put_json_names(out, "states", &about->fsa->states);
    f2l_buf_text(out, ",\"tool\":\"fsa2lrnn\"}");
}

static void write_header(f2l_buf *out, const f2l_safetensors *file,
                         const f2l_safetensors_about *about)
{
    write_metadata(out, file, about);
    for (size_t i = 0; i < file->tensors; i++) {
        const f2l_tensor *t = &file->tensor[i];
        f2l_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name,
                       t->integer ? "I32" : file->dtype->name);
        for (size_t d = 0; d < t->dims; d++)
            f2l_buf_printf(out, d > 0 ? ",%zu" : "%zu", tensor_dim(t, d));
        f2l_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", t->begin, t->begin + t->bytes);
    }
    f2l_buf_text(out, "}");
}

static f2l_status write_safetensors(f2l_buf *out, f2l_safetensors *file,
                                    const f2l_safetensors_about *about, f2l_error *err)
{
    f2l_buf header;
    f2l_buf_init(&header);
    write_header(&header, file, about);
    f2l_safetensors_put_header(out, &header);
    for (size_t i = 0; i < file->tensors; i++) file->tensor[i].fill(file, &file->tensor[i]);
    f2l_buf_bytes(out, file->data, file->data_bytes);
    f2l_buf_clear(&header);
    if (file->no_memory) return f2l_fail_memory(err);
    if (file->too_large)
        return f2l_fail(err, F2L_EDOMAIN, "a weight is too large for %s", file->dtype->name);
    if (file->index_too_large)
        return f2l_fail(err, F2L_EDOMAIN, "a number of values or a wire is over 2^31 - 1");
    return f2l_buf_status(out, err);
}

f2l_status f2l_safetensors_write(f2l_buf *out, f2l_weights_report *report, f2l_safetensors *file,
                                 void (*lay_out)(f2l_safetensors *file),
                                 const f2l_safetensors_about *about, f2l_error *err)
{
    if (!f2l_names_equal(about->letters, &about->fsa->letters))
        return f2l_fail(err, F2L_EDOMAIN, "the network's letters are not the automaton's");
    choose_type(file);
    const size_t before = out->size;
    f2l_status status = place_tensors(file, lay_out, err);
    if (status == F2L_OK) status = write_safetensors(out, file, about, err);
    if (status == F2L_OK) {
        *report = (f2l_weights_report){
            .exact = file->exact, .sparse = file->sparse, .bytes = out->size - before};
        snprintf(report->dtype, sizeof report->dtype, "%s", file->dtype->name);
    }
    f2l_free(file->tensor);
    f2l_free(file->data);
    f2l_safetensors_init(file, file->owner, file->asked);
    return status;
}
