#include "tests/support/numeric/format_support.h"

size_t repetitions(size_t n)
{
#if defined __SANITIZE_ADDRESS__
    return n / 8;
#elif defined __OPTIMIZE__
    n *= 2;
#endif
    return getenv("F2L_TEST_SHORT") ? n / 200 : n;
}

uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double nth_value(const f2l_format *f, uint64_t n)
{
    int field = f->precision - 1;
    uint64_t fraction = n & ((UINT64_C(1) << field) - 1), exponent = n >> field;
    if (exponent == 0) return f->subnormals ? ldexp((double)fraction, f->emin - field) : 0;
    return ldexp((double)(fraction | UINT64_C(1) << field), f->emin - field + (int)exponent - 1);
}

uint64_t count_values(const f2l_format *f)
{
    uint64_t beyond =
        (uint64_t)(2 * ldexp(1, f->precision - 1) - ldexp(f->largest, f->precision - 1 - f->emax)) -
        1;
    return ((uint64_t)(f->emax - f->emin + 2) << (f->precision - 1)) - beyond;
}

double random_value(const f2l_format *f, f2l_rng *r, double other)
{
    uint64_t kind = f2l_rng_u32(r) % 4;
    double x;
    if (kind == 0 || other == 0 || !isfinite(other)) {
        x = nth_value(f, f2l_rng_u64(r) % count_values(f));
    } else {
        int spread = kind == 1 ? 3 : f->precision + 3;
        int shift = (int)(f2l_rng_u32(r) % (unsigned)(2 * spread + 1)) - spread;
        double fraction = 1 + (double)(f2l_rng_u64(r) >> 12) * 0x1p-52;
        x = f2l_format_round_nearest(f, ldexp(fraction, (kind == 3 ? 0 : ilogb(other)) + shift));
    }
    return f2l_rng_u32(r) % 2 ? -x : x;
}

void corner_values(const f2l_format *f, double corner[CORNERS])
{
    uint64_t count = count_values(f), normal = UINT64_C(1) << (f->precision - 1);
    uint64_t one = (uint64_t)(int64_t)(1 - f->emin) << (f->precision - 1);
    const uint64_t centre[] = {2,   normal,       2 * normal,       one / 2,  one - normal,
                               one, one + normal, one + normal / 2, count - 3};
    const bool infinity = f->overflow == F2L_OVERFLOW_INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < sizeof centre / sizeof *centre; i++)
        for (int d = -2; d <= 2; d++) {
            double x = nth_value(f, (centre[i] + (uint64_t)(int64_t)d) % count);
            corner[n++] = x;
            corner[n++] = -x;
        }
    const double rest[] = {0,
                           -0.0,
                           infinity ? INFINITY : 0,
                           infinity ? -INFINITY : 0,
                           NAN,
                           nth_value(f, (one + 1) % count)};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) corner[n++] = rest[i];
}
