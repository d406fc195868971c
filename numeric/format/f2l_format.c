#include "f2l_format.h"

const f2l_format f2l_formats[] = {{"bf16", 8, -126, 127, true, true, F2L_ROUND_NEAREST_EVEN},
                                  {"fp16", 11, -14, 15, true, true, F2L_ROUND_NEAREST_EVEN},
                                  {"fp32", 24, -126, 127, true, true, F2L_ROUND_NEAREST_EVEN},
                                  {"fp64", 53, -1022, 1023, true, true, F2L_ROUND_NEAREST_EVEN},
                                  {NULL, 0, 0, 0, false, false, F2L_ROUND_NEAREST_EVEN}};

const f2l_format *f2l_format_find(const char *name)
{
    for (const f2l_format *format = f2l_formats; format->name; format++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

/* |x| < 2^emin in a format with subnormals: a multiple of the least one, 2^(emin - precision + 1). Adding
 * 2^52 times that leaves no bits below it, so the addition does the rounding; 2^52 is even, so ties go where
 * they should. What rounds to zero is 0 - 0 = +0. */
static double round_subnormal(const f2l_format *format, double x)
{
    double shift = ldexp(1, format->emin - format->precision + 1 + 52);
    return x < 0 ? 0 - (shift - x - shift) : x + shift - shift;
}

/* |x| < 2^emin in a format without subnormals: only what rounds up to 2^emin survives. */
static double flush(const f2l_format *format, double x)
{
    double least = ldexp(1, format->emin), step = ldexp(1, format->emin - format->precision - 1);
    return least - fabs(x) <= step ? copysign(least, x) : 0;
}

double f2l_format_round_edge(const f2l_format *format, double x)
{
    if (isnan(x)) return NAN;
    if (fabs(x) < ldexp(1, format->emin))
        return format->subnormals ? round_subnormal(format, x) : flush(format, x);
    return format->infinities ? copysign(INFINITY, x) : NAN;
}
