/* Binary floating-point formats as data, and one correctly rounded operation in them.
 *
 * A finite value is m * 2^e with |m| < 2^precision; emin and emax are the exponents of the leading bit of the
 * least normal and of the largest binade (IEEE 754 terms: 1.xxx * 2^emin .. 1.xxx * 2^emax). Values are
 * carried as double, which holds every value of a format with precision <= 53 and the exponent range of
 * binary64; a format with another precision than 53 must have emin > -1022. There is one zero, +0, and one
 * NaN. */
#ifndef F2L_FORMAT_H
#define F2L_FORMAT_H

#include "f2l_status.h"
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum f2l_rounding { F2L_ROUND_NEAREST_EVEN } f2l_rounding;

typedef struct f2l_format {
    const char *name; /* "bf16" */
    int precision;    /* bits of the significand, the leading one included */
    int emin, emax;
    bool subnormals;
    bool infinities; /* overflow gives infinity; else NaN */
    f2l_rounding rounding;
} f2l_format;

/* bf16, fp16, fp32, fp64; NULL-name terminated. */
extern const f2l_format f2l_formats[];

/* NULL when there is none of that name. */
const f2l_format *f2l_format_find(const char *name);

typedef enum f2l_operation { F2L_ADD, F2L_SUB, F2L_MUL, F2L_DIV } f2l_operation;

/* The exact result of the operation on two values of the format, rounded once into the format, by MPFR: the
 * reference that f2l_format_op is tested against. */
double f2l_format_op_mpfr(const f2l_format *format, f2l_operation operation, double a, double b);

/* Rounds an exact rational into the format. */
double f2l_format_round_q(const f2l_format *format, const mpq_t x);

/* x / sqrt(n2), correctly rounded from the exact value; n2 > 0. Exact when n2 is the square of a rational. */
double f2l_format_round_over_sqrt(const f2l_format *format, const mpq_t x, const mpq_t n2);

/* True when the rational is a value of the format. */
bool f2l_format_holds(const f2l_format *format, const mpq_t x);

/* f2l_format_round for what is not a normal number of the format before rounding. */
double f2l_format_round_edge(const f2l_format *format, double x);

/* Rounds a double into the format. In a format without subnormals, a value that stays below 2^emin when it is
 * rounded to `precision` bits becomes 0. */
static inline double f2l_format_round(const f2l_format *format, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023, drop = 53 - format->precision;
    if (x == 0) return 0;
    if (exponent < format->emin || exponent > format->emax) return f2l_format_round_edge(format, x);
    if (drop == 0) return x;
    /* Half a unit of the last kept bit, less one when that bit is even; a carry into the exponent is what it
     * should be. */
    bits += (UINT64_C(1) << (drop - 1)) - 1 + (bits >> drop & 1);
    bits &= ~UINT64_C(0) << drop;
    memcpy(&x, &bits, sizeof x);
    if ((int)(bits >> 52 & 0x7ff) - 1023 > format->emax) return f2l_format_round_edge(format, x);
    return x;
}

/* One binary64 operation. */
static inline double f2l_format_double_op(f2l_operation operation, double a, double b)
{
    switch (operation) {
    case F2L_ADD:
        return a + b;
    case F2L_SUB:
        return a - b;
    case F2L_MUL:
        return a * b;
    case F2L_DIV:
        return a / b;
    }
    return NAN;
}

/* The same as f2l_format_op_mpfr, fast. One double operation and one rounding equal the single rounding when
 * 2 precision + 2 <= 53 and the operation neither overflows nor underflows in double (theory/formats.md);
 * binary64 needs no second rounding; other formats take the MPFR path. */
static inline double f2l_format_op(const f2l_format *format, f2l_operation operation, double a, double b)
{
    bool narrow = 2 * format->precision + 2 <= 53 && format->emin >= -256 && format->emax <= 256;
    bool binary64 = format->precision == 53 && format->emin == -1022 && format->emax == 1023 &&
                    format->subnormals && format->infinities;
    if (!narrow && !binary64) return f2l_format_op_mpfr(format, operation, a, b);
    return f2l_format_round(format, f2l_format_double_op(operation, a, b));
}

#endif
