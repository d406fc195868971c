#include "theory/certify/closure/pack.h"
#include "theory/certify/closure/pairs.h"
#include <math.h>
#include <string.h>

/* Sets where infinity and NaN lie: after the largest value. In IEEE formats the next exponent field
 * begins there; where the top binade is cut, they come directly after it. */
static void set_layout(f2l_pack *pack, double largest)
{
    uint64_t code;
    int bits = 1;
    pack->drop = 53 - pack->precision;
    pack->bias = (uint64_t)(pack->emin + 1022) << (pack->precision - 1);
    memcpy(&code, &largest, sizeof code);
    pack->special = (code >> pack->drop) - pack->bias + 1;
    pack->nan = pack->special + pack->infinity;
    while (pack->nan >> bits) bits++;
    pack->sign = UINT64_C(1) << bits;
    pack->width = (size_t)(1 + bits + 7) / 8;
}

void f2l_pack_init(f2l_pack *pack, const f2l_format *format)
{
    *pack = (f2l_pack){.precision = format->precision,
                       .emin = format->emin,
                       .emax = format->emax,
                       .subnormals = format->subnormals,
                       .infinity = format->overflow == F2L_OVERFLOW_INFINITY};
    set_layout(pack, format->largest);
}

void f2l_pack_init_double(f2l_pack *pack)
{
    f2l_pack_init(pack, f2l_format_find("fp64"));
}

/* Encodes everything that is not a normal number of the format. */
static bool encode_rest(const f2l_pack *pack, double number, uint64_t *code)
{
    const uint64_t sign = number < 0 ? pack->sign : 0;
    if (isnan(number)) {
        *code = pack->nan;
        return true;
    }
    if (isinf(number)) {
        *code = sign | pack->special;
        return pack->infinity;
    }
    if (fabs(number) >= ldexp(1, pack->emin) || !pack->subnormals) return false;
    const int least = pack->emin - pack->precision + 1;
    const double multiple = floor(ldexp(fabs(number), -least));
    if (ldexp(multiple, least) != fabs(number)) return false;
    *code = sign | (uint64_t)multiple;
    return true;
}

/* Encodes a normal number: the double without its last bits, moved so that 2^emin has exponent
 * field 1; field 0 is zero and subnormals. */
static bool encode(const f2l_pack *pack, double number, uint64_t *code)
{
    uint64_t bits;
    *code = 0;
    if (number == 0) return true;
    memcpy(&bits, &number, sizeof bits);
    const uint64_t magnitude = bits & ~(UINT64_C(1) << 63), kept = magnitude >> pack->drop;
    if ((int)(magnitude >> 52) - 1023 >= pack->emin && kept << pack->drop == magnitude &&
        kept - pack->bias < pack->special) {
        *code = (kept - pack->bias) | (number < 0 ? pack->sign : 0);
        return true;
    }
    return encode_rest(pack, number, code);
}

static double decode_packed(const f2l_pack *pack, uint64_t code)
{
    const uint64_t magnitude = code & (pack->sign - 1);
    double number = INFINITY;
    if (magnitude >= pack->nan) return NAN;
    if (magnitude >> (pack->precision - 1) == 0) {
        number = ldexp((double)magnitude, pack->emin - pack->precision + 1);
    } else if (magnitude < pack->special) {
        const uint64_t bits = (magnitude + pack->bias) << pack->drop;
        memcpy(&number, &bits, sizeof number);
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
        number[i] = decode_packed(pack, f2l_pairs_take(bytes + i * pack->width, pack->width));
}
