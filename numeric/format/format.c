#include "numeric/format/format.h"

#define IEEE F2L_OVERFLOW_INFINITY, F2L_ROUND_NEAREST_EVEN, NULL

const f2l_format f2l_formats[] = {
    {"bf16", 8, -126, 127, 0x1.fep127, true, IEEE},
    {"fp16", 11, -14, 15, 65504, true, IEEE},
    {"fp32", 24, -126, 127, 0x1.fffffep127, true, IEEE},
    {"fp64", 53, -1022, 1023, 0x1.fffffffffffffp1023, true, IEEE},
    {"tf32", 11, -126, 127, 0x1.ffcp127, true, IEEE},
    {"e4m3", 4, -6, 8, 448, true, F2L_OVERFLOW_NAN, F2L_ROUND_NEAREST_EVEN, NULL},
    {"e5m2", 3, -14, 15, 57344, true, IEEE},
    {NULL, 0, 0, 0, 0, false, IEEE}};

const f2l_format *f2l_format_find(const char *name)
{
    for (const f2l_format *format = f2l_formats; format->name; format++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

bool f2l_format_same_values(const f2l_format *a, const f2l_format *b)
{
    return a->precision == b->precision && a->emin == b->emin && a->emax == b->emax &&
           a->largest == b->largest && a->subnormals == b->subnormals;
}

/* Returns whether the numbers of at most `bits` bits in [2^e, 2^(e+1)) are values of the format,
 * apart from the limit of its largest value. */
static bool has_binade(const f2l_format *format, int e, int bits)
{
    if (e >= format->emin) return bits <= format->precision;
    return format->subnormals && e - bits >= format->emin - format->precision;
}

bool f2l_format_contains(const f2l_format *a, const f2l_format *b)
{
    if (b->largest > a->largest) return false;
    for (int e = b->emin; e <= b->emax; e++) {
        const bool power_only = b->largest == ldexp(1, e); /* in the top binade, where just one
                                                              value may be left */
        if (!has_binade(a, e, power_only ? 1 : b->precision)) return false;
    }
    for (int bits = 1; b->subnormals && bits < b->precision; bits++)
        if (!has_binade(a, b->emin - b->precision + bits, bits)) return false;
    return true;
}

/* Decides without rounding, because the analysis of theory/pages/unrounded.md asks it of every
 * number: x = +-m 2^last with m odd and of lead - last + 1 bits. */
bool f2l_format_holds(const f2l_format *format, const mpq_t x)
{
    if (mpq_sgn(x) == 0) return true;
    const mp_bitcnt_t down = mpz_scan1(mpq_denref(x), 0), up = mpz_scan1(mpq_numref(x), 0);
    if (mpz_sizeinbase(mpq_denref(x), 2) != down + 1) return false; /* no power of two */
    const long size = (long)mpz_sizeinbase(mpq_numref(x), 2);
    const long last = (long)up - (long)down, lead = size - 1 - (long)down;
    if (lead - last >= format->precision || lead > format->emax) return false;
    if (last < format->emin - format->precision + 1) return false;
    if (!format->subnormals && lead < format->emin) return false;
    if (lead < format->emax) return true;
    mpq_t largest, size_x;
    mpq_inits(largest, size_x, (mpq_ptr)NULL);
    mpq_set_d(largest, format->largest);
    mpq_abs(size_x, x);
    const bool below = mpq_cmp(size_x, largest) <= 0;
    mpq_clears(largest, size_x, (mpq_ptr)NULL);
    return below;
}
