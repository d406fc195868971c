/* The parts of fast rounding that are not in inner loops (numeric/format/format.h): the ends of the
 * range, the other roundings, and operations whose error has to be known (theory/pages/formats.md,
 * F2a). */
#include "numeric/format/choices.h"
#include "numeric/format/format.h"

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the result of overflow above zero. */
static double beyond(const f2l_format *format)
{
    switch (format->overflow) {
    case F2L_OVERFLOW_INFINITY:
        return INFINITY;
    case F2L_OVERFLOW_SATURATE:
        return format->largest;
    case F2L_OVERFLOW_NAN:
        break;
    }
    return NAN;
}

/* Returns the magnitude with the sign of x; there is one NaN and one zero. */
static double with_sign(double magnitude, double x)
{
    if (isnan(magnitude)) return NAN;
    return magnitude == 0 ? 0 : copysign(magnitude, x);
}

/* Rounds |x| < 2^emin in a format with subnormals to a multiple of the least one, 2^(emin -
 * precision + 1). rint goes to the nearest even integer; ldexp is exact, unless |x| is so small
 * that all it gives rounds to 0. */
static double round_subnormal(const f2l_format *format, double x)
{
    const int step = format->emin - format->precision + 1;
    return with_sign(ldexp(rint(ldexp(fabs(x), -step)), step), x);
}

/* Rounds |x| < 2^emin in a format without subnormals: only what rounds up to 2^emin survives. */
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
    return with_sign(beyond(format), x);
}

/* Rounds 0 < m < 2^emin toward zero or away from it. ldexp loses bits only of what is far below 1,
 * and then n is 0. */
static double round_low(const f2l_format *format, double m, bool away)
{
    const int step = (format->subnormals ? format->emin : ilogb(m)) - format->precision + 1;
    double n = floor(ldexp(m, -step));
    if (away && ldexp(n, step) != m) n++;
    const double rounded = ldexp(n, step);
    return !format->subnormals && rounded < ldexp(1, format->emin) ? 0 : rounded;
}

/* Rounds a finite m > 0 toward zero or away from it. */
static double round_side(const f2l_format *format, double m, bool away)
{
    uint64_t bits = bits_of_double(m), dropped = (UINT64_C(1) << (53 - format->precision)) - 1;
    const int exponent = (int)(bits >> 52) - 1023;
    if (exponent < format->emin) return round_low(format, m, away);
    if (away) bits += dropped;
    const double rounded = of_bits(bits & ~dropped);
    if (rounded <= format->largest) return rounded;
    return away ? beyond(format) : format->largest;
}

/* Returns one of the two neighbours of a number with the sign of x, in a rounding that is not to
 * nearest. */
static double choose_neighbour(const f2l_format *format, double toward, double away, double x)
{
    switch (format->rounding) {
    case F2L_ROUND_NEAREST_EVEN:
    case F2L_ROUND_TOWARD_ZERO:
        break;
    case F2L_ROUND_UP:
        return with_sign(x > 0 ? away : toward, x);
    case F2L_ROUND_DOWN:
        return with_sign(x < 0 ? away : toward, x);
    case F2L_ROUND_STOCHASTIC:
        return with_sign(toward != away && f2l_choices_take(format->choices) ? away : toward, x);
    }
    return with_sign(toward, x);
}

/* Returns whether the format rounds to nearest even, as a stochastic format without choices
 * does. */
static bool to_nearest(const f2l_format *format)
{
    return format->rounding == F2L_ROUND_NEAREST_EVEN ||
           (format->rounding == F2L_ROUND_STOCHASTIC && !format->choices);
}

double f2l_format_round_directed(const f2l_format *format, double x)
{
    if (isnan(x)) return NAN;
    if (isinf(x)) return with_sign(beyond(format), x);
    if (x == 0) return 0;
    if (to_nearest(format)) return f2l_format_round_nearest(format, x);
    const double m = fabs(x);
    return choose_neighbour(format, round_side(format, m, false), round_side(format, m, true), x);
}

double f2l_format_to_odd(double y, double error)
{
    const uint64_t bits = bits_of_double(y);
    if (error == 0 || bits % 2) return y;
    return of_bits((error > 0) == (y > 0) ? bits + 1 : bits - 1);
}

static bool moderate(double x)
{
    return fabs(x) >= 0x1p-960 && fabs(x) <= 0x1p1020;
}

/* Sets *error to a number with the sign of z - y, 0 only if z = y, for the exact result z and the
 * double result y of finite operands. Returns false where it is not known because something may
 * overflow or underflow. */
static bool operation_error(f2l_operation operation, double a, double b, double y, double *error)
{
    *error = 0;
    switch (operation) {
    case F2L_ADD:
    case F2L_SUB:
        if (fabs(a) > 0x1p1020 || fabs(b) > 0x1p1020) return false;
        *error = f2l_two_sum(&y, a, operation == F2L_ADD ? b : -b);
        return true;
    case F2L_MUL:
        if (a == 0 || b == 0) return true;
        *error = fma(a, b, -y);
        return moderate(y);
    case F2L_DIV:
        if (a == 0) return true;
        *error = b > 0 ? fma(-y, b, a) : -fma(-y, b, a);
        return moderate(y) && moderate(a) && moderate(b);
    }
    return false;
}

/* Rounds z = y + error of 53 bits or more in a format of 53, not to nearest: y is a value, and so
 * is its neighbour. Returns false near the ends of the range. */
static bool round_beside(const f2l_format *format, double y, double error, double *rounded)
{
    if (format->precision != 53 || to_nearest(format)) return false;
    const double m = fabs(y);
    if (m <= ldexp(1, format->emin) || m >= ldexp(1, format->emax)) return false;
    const bool above = (error > 0) == (y > 0); /* |z| > |y| */
    const double other = of_bits(above ? bits_of_double(m) + 1 : bits_of_double(m) - 1);
    *rounded = choose_neighbour(format, above ? m : other, above ? other : m, y);
    return true;
}

/* Rounds z = y + error, where y is z rounded to nearest in double; returns false when the result is
 * not known here. */
static bool round_sum(const f2l_format *format, double y, double error, double *rounded)
{
    if (error != 0 && format->precision > 51) return round_beside(format, y, error, rounded);
    *rounded = f2l_format_round(format, f2l_format_to_odd(y, error));
    return true;
}

double f2l_format_op_exact(const f2l_format *format, f2l_operation operation, double a, double b)
{
    const double y = f2l_format_double_op(operation, a, b);
    double error, rounded;
    if (!isfinite(a) || !isfinite(b) || (operation == F2L_DIV && b == 0))
        return f2l_format_round(format, y);
    if (operation == F2L_MUL && f2l_format_narrow(format))
        return f2l_format_round(format, y); /* y is exact */
    if (operation_error(operation, a, b, y, &error) && round_sum(format, y, error, &rounded))
        return rounded;
    return f2l_format_op_mpfr(format, operation, a, b);
}

double f2l_format_fma_exact(const f2l_format *format, double a, double b, double c)
{
    /* Two factors of at most 26 bits, and nothing that overflows or underflows. */
    if (2 * format->precision <= 53 && format->emin >= -256 && format->emax <= 256) {
        double y;
        const double error = f2l_two_sum(&y, a * b, c);
        return f2l_format_round(format, isfinite(y) ? f2l_format_to_odd(y, error) : y);
    }
    if (f2l_format_binary64(format)) return f2l_format_round(format, fma(a, b, c));
    return f2l_format_fma_mpfr(format, a, b, c);
}
