#include "f2l_safetensors_number.h"
#include <math.h>
#include <string.h>

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
