/* The header of a safetensors file, which one function checks for all readers: files of a header
 * and a number of data bytes. */
#include "models/network/weights/shards.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns a block of exactly the file's size (f2l_free), so that the sanitizer sees reading past
 * its end. */
static char *file_of(size_t *size, const char *header, size_t data)
{
    const size_t length = strlen(header);
    char *file = f2l_calloc(8 + length + data, 1);
    cr_assert(file != NULL);
    *size = 8 + length + data;
    for (size_t i = 0; i < 8; i++) file[i] = (char)(length >> (8 * i) & 0xff);
    memcpy(file + 8, header, length);
    for (size_t i = 0; i < data; i++) file[8 + length + i] = (char)i;
    return file;
}

#define TENSOR(type, shape, begin, end) \
    "{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" begin "," end "]}"

static const struct {
    const char *header;
    size_t data;
    const char *why; /* part of the message; NULL where the file is right */
} sample[] = {
    {"{}", 0, NULL},
    {"{} ", 0, NULL},
    {"{}", 1, "after byte 0 of the data"},
    {"{\"__metadata__\":{\"a\":\"b\"}}", 0, NULL},
    {"{\"__metadata__\":{\"a\":\"b\"}}", 4, "after byte 0 of the data"},
    {"{\"a\":" TENSOR("F32", "2", "0", "8") "}", 8, NULL},
    {"{\"a\":" TENSOR("F32", "2", "0", "8") "}", 9, "after byte 8 of the data"},
    {"{\"a\":" TENSOR("F32", "2", "0", "8") "}", 7, "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "2", "0", "7") "}", 7, "the tensor a: its data do not fill"},
    {"{\"a\":" TENSOR("F32", "2", "8", "0") "}", 8, "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "2", "-8", "0") "}", 8, "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "2", "0.0", "8") "}", 8, "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "2", "0", "8,8") "}", 8, "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "2", "0", "9223372036854775807") "}", 8,
     "the tensor a: its data do not lie"},
    {"{\"a\":" TENSOR("F32", "-2", "0", "8") "}", 8, "the tensor a: no shape"},
    {"{\"a\":" TENSOR("F32", "2.0", "0", "8") "}", 8, "the tensor a: no shape"},
    {"{\"a\":" TENSOR("F32", "4294967296,4294967296", "0", "8") "}", 8, "the tensor a: no shape"},
    {"{\"a\":" TENSOR("F64", "2305843009213693953", "0", "8") "}", 8,
     "the tensor a: its data do not fill"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "the tensor a: no shape"},
    {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "the tensor a: no type"},
    {"{\"a\":{\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "the tensor a: no type"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "the tensor a: its data do not lie"},
    {"{\"a\":[]}", 0, "the tensor a: no type"},
    {"{\"a\":" TENSOR("I9", "5", "0", "8") "}", 8, NULL}, /* an unknown type */
    {"{\"a\":" TENSOR("F64", "", "0", "8") "}", 8, NULL},
    {"{\"a\":" TENSOR("BF16", "1,1,2,1,2", "0", "8") "}", 8, NULL},
    {"{\"b\":" TENSOR("F16", "2", "4", "8") ",\"a\":" TENSOR("F32", "1", "0", "4") "}", 8, NULL},
    {"{\"b\":" TENSOR("F16", "2", "4", "8") ",\"a\":" TENSOR("F32", "0", "4", "4") ",\"c\":" TENSOR(
         "I32", "1", "0", "4") "}",
     8, NULL},
    {"{\"a\":" TENSOR("F32", "1", "0", "4") ",\"b\":" TENSOR("F32", "1", "0", "4") "}", 4,
     "after byte 4 of the data"},
    {"{\"a\":" TENSOR("F32", "1", "0", "4") ",\"b\":" TENSOR("F32", "1", "5", "9") "}", 9,
     "after byte 4 of the data"},
    {"{\"a\":" TENSOR("F32", "2", "0", "8") ",\"b\":" TENSOR("F32", "2", "4", "12") "}", 12,
     "after byte 8 of the data"},
    {"{\"a\":" TENSOR("F32", "1", "0", "4") ",\"a\":" TENSOR("F32", "1", "4", "8") "}", 8,
     "no JSON object"},
    {"[]", 0, "no JSON object"},
    {"{", 0, "no JSON object"},
    {"", 0, "no JSON object"},
};

Test(safetensors_open, what_the_format_demands)
{
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        size_t size;
        char *bytes = file_of(&size, sample[i].header, sample[i].data);
        f2l_safetensors_file file;
        f2l_error err = {0};
        const f2l_status status = f2l_safetensors_open(&file, bytes, size, &err);
        if (sample[i].why == NULL)
            cr_expect(status == F2L_OK && file.size == sample[i].data, "%s: %s", sample[i].header,
                      err.text);
        else
            cr_expect(status == F2L_EFORMAT && strstr(err.text, sample[i].why) != NULL, "%s: %s",
                      sample[i].header, err.text);
        cr_expect((status == F2L_OK) == (file.header != NULL));
        f2l_safetensors_close(&file);
        f2l_safetensors_close(&file);
        f2l_free(bytes);
    }
}

/* A file that is mapped has the same answers. */
Test(safetensors_open, a_file_on_disk)
{
    char path[] = "/tmp/f2l-header-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    f2l_shards shards;
    f2l_safetensors_file whole;
    f2l_error err = {0}, other = {0};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        size_t size;
        char *bytes = file_of(&size, sample[i].header, sample[i].data);
        cr_assert(f2l_write_file(path, bytes, size, NULL) == F2L_OK);
        const f2l_status status = f2l_shards_open_file(&shards, path, &err);
        cr_expect(status == f2l_safetensors_open(&whole, bytes, size, &other));
        cr_expect(status == F2L_OK ? shards.file[0].size == whole.size
                                   : shards.files == 0 && strcmp(err.text, other.text) == 0,
                  "%s: %s", sample[i].header, err.text);
        cr_expect(f2l_shards_has(&shards, "b") == (json_object_get(whole.header, "b") != NULL));
        f2l_shards_close(&shards);
        f2l_safetensors_close(&whole);
        f2l_free(bytes);
    }
    cr_assert(truncate(path, 5) == 0);
    cr_assert(f2l_shards_open_file(&shards, path, &err) == F2L_EFORMAT);
    cr_assert(unlink(path) == 0);
    cr_assert(f2l_shards_open_file(&shards, path, &err) == F2L_EIO && shards.file == NULL);
    cr_assert(f2l_shards_open_file(&shards, "/tmp", &err) == F2L_EIO);
}

Test(safetensors_open, lengths_that_do_not_lie_in_the_file)
{
    static const uint64_t lengths[] = {3,         4, 100000001, (uint64_t)1 << 63, UINT64_MAX - 7,
                                       UINT64_MAX};
    f2l_safetensors_file file;
    char bytes[10] = {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
    cr_assert(f2l_safetensors_open(&file, bytes, 10, NULL) == F2L_OK);
    f2l_safetensors_close(&file);
    for (size_t size = 0; size < 10; size++)
        cr_assert(f2l_safetensors_open(&file, bytes, size, NULL) == F2L_EFORMAT, "%zu", size);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        for (size_t i = 0; i < 8; i++) bytes[i] = (char)(lengths[k] >> (8 * i) & 0xff);
        cr_assert(f2l_safetensors_open(&file, bytes, 10, NULL) == F2L_EFORMAT, "%zu", k);
        cr_assert(file.header == NULL);
    }
}

Test(safetensors_open, finds_tensors)
{
    size_t size;
    char *bytes = file_of(&size,
                          "{\"a\":" TENSOR("BF16", "3,1", "0", "6") ",\"b\":" TENSOR(
                              "U8", "1,2,3,4", "6", "30") ",\"__metadata__\":{}}",
                          30);
    f2l_safetensors_file file;
    f2l_safetensors_tensor t;
    cr_assert(f2l_safetensors_open(&file, bytes, size, NULL) == F2L_OK);
    f2l_safetensors_find(&t, &file, "a");
    cr_assert(t.present && t.type == F2L_SAFETENSORS_BF16 && t.dims == 2 && t.dim[0] == 3 &&
              t.dim[1] == 1);
    cr_assert(t.count == 3 && t.begin == 0 && t.end == 6 && t.data == file.data && t.data[5] == 5);
    f2l_safetensors_find(&t, &file, "b");
    cr_assert(t.present && t.type == F2L_SAFETENSORS_TYPES && t.dims == 4 && t.dim[2] == 3 &&
              t.count == 24);
    cr_assert(t.begin == 6 && t.data[0] == 6);
    f2l_safetensors_find(&t, &file, "c");
    cr_assert(!t.present);
    f2l_safetensors_close(&file);
    f2l_free(bytes);
}

#ifdef F2L_MEM_FAILURES
Test(safetensors_open, survives_without_memory)
{
    size_t size;
    char *bytes = file_of(&size, "{\"a\":" TENSOR("F32", "1", "0", "4") "}", 4);
    f2l_safetensors_file file;
    f2l_mem_fail_after(1, false);
    cr_assert(f2l_safetensors_open(&file, bytes, size, NULL) == F2L_ENOMEM && file.header == NULL);
    f2l_mem_fail_after(0, false);
    cr_assert(f2l_safetensors_open(&file, bytes, size, NULL) == F2L_OK);
    f2l_safetensors_close(&file);
    f2l_free(bytes);
}
#endif
