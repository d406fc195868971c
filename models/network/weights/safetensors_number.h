/* Code shared by all readers and writers of safetensors files: the header and its tensors, checked
 * once, and the numbers. Little-endian. */
#ifndef F2L_SAFETENSORS_NUMBER_H
#define F2L_SAFETENSORS_NUMBER_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The supported types; floats come first. */
typedef enum f2l_safetensors_type {
    F2L_SAFETENSORS_BF16,
    F2L_SAFETENSORS_F16,
    F2L_SAFETENSORS_F32,
    F2L_SAFETENSORS_F64,
    F2L_SAFETENSORS_I32,
    F2L_SAFETENSORS_TYPES
} f2l_safetensors_type;

/* Returns the type of that name; F2L_SAFETENSORS_TYPES for another name, and for NULL. */
f2l_safetensors_type f2l_safetensors_type_of(const char *name);
/* Returns the bytes of a number. */
size_t f2l_safetensors_bytes(f2l_safetensors_type type);
/* Returns the number whose bytes begin at `at`, exactly. */
double f2l_safetensors_number(const unsigned char *at, f2l_safetensors_type type);
/* Stores x, a value of the type; of other numbers bits are cut off. */
void f2l_safetensors_store(unsigned char *to, double x, f2l_safetensors_type type);
/* Returns up to eight bytes as a whole number, least byte first. */
uint64_t f2l_safetensors_bits(const unsigned char *at, size_t bytes);

/* Most dimensions of a supported tensor. */
#define F2L_SAFETENSORS_DIMS 3

typedef struct f2l_safetensors_tensor {
    bool present;
    f2l_safetensors_type type; /* F2L_SAFETENSORS_TYPES for a type that is not supported */
    size_t dims, dim[F2L_SAFETENSORS_DIMS]; /* the first dimensions; `dims` may be greater */
    size_t count;                           /* number of numbers */
    size_t begin, end;                      /* its bytes among the data */
    const unsigned char *data;
} f2l_safetensors_tensor;

/* A file whose header has been checked; the bytes are borrowed. */
typedef struct f2l_safetensors_file {
    json_t *header; /* an object: "__metadata__", if present, and the tensors; owned */
    const unsigned char *data;
    size_t size; /* of the data */
} f2l_safetensors_file;

/* Opens a file. F2L_EFORMAT unless the header lies in the file, has at most 100,000,000 bytes (the
 * limit of the format's own readers) and is a JSON object without doubled names, each tensor has a
 * type, a shape and a place, fills its shape if its type is supported, and the tensors cover the
 * data without gap or overlap, which the format demands. On failure *out is cleared. */
f2l_status f2l_safetensors_open(f2l_safetensors_file *out, const char *bytes, size_t size,
                                f2l_error *err);
/* Sets *out to the tensor of that name; out->present is false when there is none. */
void f2l_safetensors_find(f2l_safetensors_tensor *out, const f2l_safetensors_file *file,
                          const char *name);
/* Appends the beginning of a file: the length of the header, and the header itself, to which it
 * appends blanks up to a multiple of 8 bytes. *out is failed where the header is. */
void f2l_safetensors_put_header(f2l_buf *out, f2l_buf *header);
/* Frees the header; it may be called again. */
void f2l_safetensors_close(f2l_safetensors_file *file);

#endif
