#include "f2l_pack_impl.h"
#include "f2l_pairs_impl.h"
#include <math.h>

static void set_layout(f2l_pack *pack)
{
    /* Exponent fields: 0 for zero and subnormals, one per binade, one for infinities and NaN. */
    const int binades = pack->emax - pack->emin + 1;
    int exponent_bits = 1;
    while ((1 << exponent_bits) < binades + 2) exponent_bits++;
    const int fraction_bits = pack->precision - 1;
    pack->width = (size_t)(1 + exponent_bits + fraction_bits + 7) / 8;
    pack->special = (uint64_t)(binades + 1) << fraction_bits;
    pack->sign = UINT64_C(1) << (exponent_bits + fraction_bits);
}

void f2l_pack_init(f2l_pack *pack, const f2l_format *format)
{
    *pack = (f2l_pack){.precision = format->precision, .emin = format->emin, .emax = format->emax};
    set_layout(pack);
}

void f2l_pack_init_double(f2l_pack *pack)
{
    *pack = (f2l_pack){.precision = 53, .emin = -1022, .emax = 1023};
    set_layout(pack);
}

static bool encode(const f2l_pack *pack, double number, uint64_t *code)
{
    if (number == 0) {
        *code = 0;
        return true;
    }
    if (isnan(number)) {
        *code = pack->special | 1;
        return true;
    }
    const uint64_t sign = number < 0 ? pack->sign : 0;
    if (isinf(number)) {
        *code = sign | pack->special;
        return true;
    }
    /* number = significand * 2^(exponent - precision + 1), leading bit at 2^exponent unless below emin. */
    int exponent;
    frexp(number, &exponent);
    exponent--;
    if (exponent > pack->emax) return false;
    const bool normal = exponent >= pack->emin;
    const double significand = ldexp(fabs(number), pack->precision - 1 - (normal ? exponent : pack->emin));
    if (significand != floor(significand)) return false;
    *code = (uint64_t)significand;
    /* The leading bit carries into the exponent field, which makes up for one of the +1. */
    if (normal) *code += (uint64_t)(exponent - pack->emin) << (pack->precision - 1);
    *code |= sign;
    return true;
}

static double decode(const f2l_pack *pack, uint64_t code)
{
    const uint64_t magnitude = code & (pack->sign - 1);
    const uint64_t leading = UINT64_C(1) << (pack->precision - 1);
    const uint64_t field = magnitude >> (pack->precision - 1);
    if (magnitude > pack->special) return NAN;
    double number = INFINITY;
    if (magnitude < pack->special) {
        const uint64_t significand = (magnitude & (leading - 1)) | (field > 0 ? leading : 0);
        const int exponent = pack->emin + (field > 0 ? (int)field - 1 : 0);
        number = ldexp((double)significand, exponent - pack->precision + 1);
    }
    return code & pack->sign ? -number : number;
}

bool f2l_pack_write(const f2l_pack *pack, unsigned char *out, const double *number, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t code;
        if (!encode(pack, number[i], &code)) return false;
        f2l_pairs_put(out + i * pack->width, pack->width, code);
    }
    return true;
}

void f2l_pack_read(const f2l_pack *pack, double *number, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        number[i] = decode(pack, f2l_pairs_take(bytes + i * pack->width, pack->width));
}
