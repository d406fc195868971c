/* The numbers of a safetensors file: types, and what the bytes of one mean. Little-endian. */
#ifndef F2L_SAFETENSORS_NUMBER_H
#define F2L_SAFETENSORS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The types that are read here; floats come before the rest. */
typedef enum f2l_safetensors_type {
    F2L_SAFETENSORS_BF16,
    F2L_SAFETENSORS_F16,
    F2L_SAFETENSORS_F32,
    F2L_SAFETENSORS_F64,
    F2L_SAFETENSORS_I32,
    F2L_SAFETENSORS_TYPES
} f2l_safetensors_type;

/* F2L_SAFETENSORS_TYPES for another name, and for NULL. */
f2l_safetensors_type f2l_safetensors_type_of(const char *name);
/* Bytes of a number. */
size_t f2l_safetensors_bytes(f2l_safetensors_type type);
/* The number whose bytes begin here, exactly. */
double f2l_safetensors_number(const unsigned char *at, f2l_safetensors_type type);
/* Up to eight bytes as a whole number, the least first. */
uint64_t f2l_safetensors_bits(const unsigned char *at, size_t bytes);

#endif
