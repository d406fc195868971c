/* Binary floating-point formats as data, and correctly rounded operations in them.
 *
 * A finite value is m * 2^e with |m| < 2^precision; emin and emax are the exponents of the leading
 * bit of the least normal and of the largest binade (IEEE 754 terms: 1.xxx * 2^emin .. 1.xxx *
 * 2^emax). The precision is from 2 to 53 (with one bit no significand is even, and a tie could not
 * be broken). Values are carried as double, which holds every value of a format with the exponent
 * range of binary64; a format with another precision than 53 must have emin > -1022. There is one
 * NaN and one zero, +0: formats have a signed zero, but no schedule can tell the two apart
 * (theory/pages/formats.md, F3), so -0 and +0 count as one state everywhere.
 *
 * An exact result that is infinite, because an operand is infinite or because of a division by
 * zero, does not depend on the rounding: the result is infinity where overflow gives infinity, NaN
 * where overflow gives NaN, and the largest value, with the sign, where overflow saturates, so that
 * a saturating format has no infinity (as OCP's saturating conversions). */
#ifndef F2L_FORMAT_H
#define F2L_FORMAT_H

#include "numeric/base/status.h"
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum f2l_rounding {
    F2L_ROUND_NEAREST_EVEN,
    F2L_ROUND_TOWARD_ZERO,
    F2L_ROUND_UP,        /* towards +infinity */
    F2L_ROUND_DOWN,      /* towards -infinity */
    F2L_ROUND_STOCHASTIC /* a bit of `choices` decides between rounding toward zero and rounding
                            away from zero; no bit is taken where the two agree, as for values of
                            the format */
} f2l_rounding;

/* The result of an operation that overflows: whose exact result, rounded to `precision` bits with
 * unbounded exponents, is larger than the largest finite value. Rounding toward zero (and up below
 * zero, down above zero) gives the largest value instead. */
typedef enum f2l_overflow {
    F2L_OVERFLOW_INFINITY,
    F2L_OVERFLOW_NAN,
    F2L_OVERFLOW_SATURATE
} f2l_overflow;

struct f2l_choices;

typedef struct f2l_format {
    const char *name; /* "bf16" */
    int precision;    /* bits of the significand, including the leading one */
    int emin, emax;
    double largest; /* the largest finite value: (2 - 2^(1 - precision)) 2^emax, or less where codes
                       of the top binade mean NaN */
    bool subnormals;
    f2l_overflow overflow;
    f2l_rounding rounding; /* the rounding of operations; weights and initial states are data, which
                              are always rounded to nearest even */
    struct f2l_choices *choices; /* F2L_ROUND_STOCHASTIC only: the choices of neighbours
                                    (numeric/format/choices.h); borrowed, one for each thread. NULL:
                                    operations round to nearest even */
} f2l_format;

/* bf16, fp16, fp32, fp64, tf32, e4m3 (OCP e4m3fn: largest 448, no infinity; overflow is NaN), e5m2;
 * NULL-name terminated. The first F2L_USUAL_FORMATS are the formats of the verdicts when the user
 * names no formats. */
extern const f2l_format f2l_formats[];
#define F2L_USUAL_FORMATS 4

/* Return the word that f2l_format_parse reads: "nearest", "zero", "up", "down", "stochastic";
 * "infinity", "nan", "saturate". */
const char *f2l_rounding_name(f2l_rounding rounding);
const char *f2l_overflow_name(f2l_overflow overflow);

/* Returns the entry of f2l_formats with this name, or NULL. */
const f2l_format *f2l_format_find(const char *name);

/* Parses a format: a name of f2l_formats, or p=P,emin=E,emax=E, and then options, separated by
 * commas: largest=X  overflow=infinity|nan|saturate  subnormals=yes|no
 * round=nearest|zero|up|down|stochastic "e4m3,overflow=saturate"; "p=5,emin=-6,emax=7,round=zero".
 * Settings may come in any order, each once. Ranges: P from 2 to 53, -1022 (P = 53) or -1021 <=
 * emin <= emax <= 1023; X, a decimal or hexadecimal (0x1.cp8) number, is exactly a value of P bits
 * with the exponent emax. Without a name, the defaults are the largest possible X,
 * overflow=infinity, subnormals=yes and round=nearest.
 *
 * `name`, an array of the caller, receives the canonical spelling, which reads back as the same
 * format, and out->name points to `name`. The canonical spelling is the name of the table's entry
 * with these p, emin, emax if there is one, and then the settings that differ from the entry (or
 * from the defaults), in the order of the line above. Two formats are equal if and only if their
 * canonical spellings are equal. out->choices is NULL. F2L_EFORMAT with the column. */
#define F2L_FORMAT_NAME 160
f2l_status f2l_format_parse(f2l_format *out, char name[F2L_FORMAT_NAME], const char *text,
                            f2l_error *err);

/* Returns true when a and b have the same precision, range, largest value and subnormals. */
bool f2l_format_same_values(const f2l_format *a, const f2l_format *b);
/* Returns true when every value of b is a value of a. */
bool f2l_format_contains(const f2l_format *a, const f2l_format *b);

typedef enum f2l_operation { F2L_ADD, F2L_SUB, F2L_MUL, F2L_DIV } f2l_operation;

/* Returns the exact result of the operation on two values of the format, rounded once into the
 * format, by MPFR: the reference for the tests of f2l_format_op. */
double f2l_format_op_mpfr(const f2l_format *format, f2l_operation operation, double a, double b);

/* Returns a * b + c rounded once, by MPFR; f2l_format_fma is faster and gives the same bits. */
double f2l_format_fma_mpfr(const f2l_format *format, double a, double b, double c);

/* Returns the real number y + error rounded to 53 bits "to odd", where y is the double nearest to y
 * + error: y where error is 0 or the last bit of y is 1, else the neighbour of y on the side of the
 * error (F2a). If error is not 0, y must not be 0. */
double f2l_format_to_odd(double y, double error);

/* Sets *sum to the double nearest to a + b and returns the error a + b - *sum, exactly, where
 * nothing overflows (Knuth's six additions, also called TwoSum: The Art of Computer Programming 2,
 * 4.2.2). */
static inline double f2l_two_sum(double *sum, double a, double b)
{
    const double s = a + b, t = s - a;
    *sum = s;
    return (a - (s - t)) + (b - t);
}

/* Returns the rational rounded into the format to nearest even, whatever the rounding of the
 * format: weights are data. */
double f2l_format_round_q(const f2l_format *format, const mpq_t x);

/* Returns x / sqrt(n2), n2 > 0, rounded once from the exact value to nearest even. The quotient is
 * computed exactly when n2 is the square of a rational. */
double f2l_format_round_over_sqrt(const f2l_format *format, const mpq_t x, const mpq_t n2);

/* Returns true when the rational is a value of the format. Fast, since nothing is rounded. */
bool f2l_format_holds(const f2l_format *format, const mpq_t x);

/* The slow cases of the functions below. round_edge rounds to nearest even a double that is not
 * between 2^emin and the largest value, or is larger once rounded; round_directed rounds a double
 * in another rounding; op_exact and fma_exact compute an operation, and a * b + c, where the error
 * has to be known. */
double f2l_format_round_edge(const f2l_format *format, double x);
double f2l_format_round_directed(const f2l_format *format, double x);
double f2l_format_op_exact(const f2l_format *format, f2l_operation operation, double a, double b);
double f2l_format_fma_exact(const f2l_format *format, double a, double b, double c);

/* Returns the double rounded into the format to nearest even. In a format without subnormals, a
 * value that stays below 2^emin when it is rounded to `precision` bits becomes 0. */
static inline double f2l_format_round_nearest(const f2l_format *format, double x)
{
    uint64_t bits, largest;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&largest, &format->largest, sizeof largest);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023, drop = 53 - format->precision;
    if (x == 0) return 0;
    if (exponent < format->emin || exponent > format->emax) return f2l_format_round_edge(format, x);
    if (drop == 0) return bits << 1 <= largest << 1 ? x : f2l_format_round_edge(format, x);
    /* Half a unit of the last kept bit, less one when that bit is even; a carry into the exponent
     * is what it should be. */
    bits += (UINT64_C(1) << (drop - 1)) - 1 + (bits >> drop & 1);
    bits &= ~UINT64_C(0) << drop;
    if (bits << 1 > largest << 1) return f2l_format_round_edge(format, x);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the double rounded into the format in the rounding of the format. */
static inline double f2l_format_round(const f2l_format *format, double x)
{
    return format->rounding == F2L_ROUND_NEAREST_EVEN ? f2l_format_round_nearest(format, x)
                                                      : f2l_format_round_directed(format, x);
}

/* Returns the result of one binary64 operation. */
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

/* Returns true for a narrow format: 2 precision + 2 <= 53, and no operation on values overflows or
 * underflows in double (theory/pages/formats.md, F2). */
static inline bool f2l_format_narrow(const f2l_format *format)
{
    return format->precision <= 25 && format->emin >= -256 && format->emax <= 256;
}

/* Returns true for IEEE binary64 to nearest even. */
static inline bool f2l_format_binary64(const f2l_format *format)
{
    return format->precision == 53 && format->emin == -1022 &&
           format->largest == 0x1.fffffffffffffp1023 && format->subnormals &&
           format->overflow == F2L_OVERFLOW_INFINITY && format->rounding == F2L_ROUND_NEAREST_EVEN;
}

/* Returns the same as f2l_format_op_mpfr, but fast. To nearest even, one double operation and one
 * rounding equal the single rounding in a narrow format, and binary64 needs no second rounding
 * (F2). In other roundings the error of the double operation is computed (F2a). All other cases use
 * MPFR. */
static inline double f2l_format_op(const f2l_format *format, f2l_operation operation, double a,
                                   double b)
{
    if (format->rounding == F2L_ROUND_NEAREST_EVEN &&
        (f2l_format_narrow(format) || f2l_format_binary64(format)))
        return f2l_format_round_nearest(format, f2l_format_double_op(operation, a, b));
    return f2l_format_op_exact(format, operation, a, b);
}

/* Returns the same as f2l_format_fma_mpfr, but fast. The product is exact in double, and its double
 * sum with c rounds as the exact sum does, unless the double sum is the midpoint of two values,
 * where rounding jumps (F2a). */
static inline double f2l_format_fma(const f2l_format *format, double a, double b, double c)
{
    if (format->rounding != F2L_ROUND_NEAREST_EVEN || !f2l_format_narrow(format))
        return f2l_format_fma_exact(format, a, b, c);
    double x = a * b + c;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023, drop = 53 - format->precision;
    bool middle = bits << (64 - drop) == UINT64_C(1) << 63;
    if (x != 0 && (exponent < format->emin || middle)) return f2l_format_fma_exact(format, a, b, c);
    return f2l_format_round_nearest(format, x);
}

#endif
