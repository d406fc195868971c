/* Arithmetic under EB.1: what is certain, whatever the order of sums and the last bits (EB.20). */
#include "theory/certify/stock/impl.h"
#include <math.h>
#include <string.h>

/* Errors of fp32 before a rounding: of a norm, relative; of SiLU and sigmoid, in last places. */
#define NORM_ERROR (0x1p-20 + 0x1p-24)
#define LAST_PLACE 0.05
/* Sizes between which squares are normal numbers of fp32, and sums of 2^20 of them too. */
#define LEAST_SQUARED 0x1p-60
#define MOST_SQUARED 0x1p52
/* Relative error of expressions in binary64. */
#define DOUBLE_ERROR 1e-13
#define KEY_EPSILON 1e-6

static const char rounds[] = "a sum may round in fp32";
static const char unclear[] = "a number lies too near to the middle between two values";
static const char overflows[] = "a number is too large";

/* Returns the exponent of the lowest bit of x, which is not 0 and no subnormal number of binary64.
 */
static int lowest(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    return exponent + __builtin_ctzll(bits | UINT64_C(1) << 52);
}

void f2l_written_add(f2l_written_sum *sum, double term)
{
    if (term == 0) return;
    const int low = lowest(term);
    sum->low = sum->any && sum->low < low ? sum->low : low;
    sum->any = true;
    sum->value += term;
    sum->size += fabs(term);
}

bool f2l_written_fits(const f2l_written_sum *sum, int precision)
{
    return !sum->any ||
           (sum->low >= -126 && sum->size < 0x1p127 && sum->size <= ldexp(1, precision + sum->low));
}

/* Rounds a number that lies between two others. */
static const char *round_between(double *out, double low, double high, const f2l_format *format)
{
    const double a = f2l_format_round_nearest(format, low);
    const double b = f2l_format_round_nearest(format, high);
    *out = a + 0.0; /* -0 becomes 0 */
    if (!isfinite(a) || !isfinite(b)) return overflows;
    if (a != 0 && fabs(a) < 0x1p-126) return "a number is subnormal in fp32";
    return a == b ? NULL : unclear;
}

static double last_place(double x, const f2l_format *format)
{
    int exponent = format->emin;
    if (x != 0) (void)frexp(x, &exponent);
    if (exponent - 1 < format->emin) exponent = format->emin + 1;
    return ldexp(1, exponent - format->precision);
}

static double error_of(double y, const f2l_format *format)
{
    return LAST_PLACE * last_place(y, format) + fabs(y) * DOUBLE_ERROR;
}

/* Sets *low, *high around silu(x), as it is before it is rounded. */
static void silu_bounds(double *low, double *high, double x, const f2l_format *format)
{
    const double y = x <= -128 ? 0 : x / (1 + exp(-x)),
                 error = x == 0 || x <= -128 ? 0 : error_of(y, format);
    *low = y - error;
    *high = y + error;
}

const char *f2l_written_silu(double *out, double x, const f2l_format *format)
{
    double low, high;
    silu_bounds(&low, &high, x, format);
    return round_between(out, low, high, format);
}

const char *f2l_written_beta(double *out, double x, const f2l_format *format)
{
    const double y = x <= -128 ? 0 : 1 / (1 + exp(-x)), error = x <= -128 ? 0 : error_of(y, format);
    const char *fault = round_between(out, y - error, y + error, format);
    *out *= 2;
    return fault;
}

const char *f2l_written_gated(double *out, double gate, double up, const f2l_format *format)
{
    double low, high, silu, product;
    const char *fault = f2l_written_silu(&silu, gate, format);
    if (fault) return fault;
    silu_bounds(&low, &high, gate, format);
    low *= up;
    high *= up;
    if (low > high) product = low, low = high, high = product;
    /* The product of fp32 is rounded, too. */
    low -= fabs(low) * 0x1p-23 + 0x1p-149 * (low != 0);
    high += fabs(high) * 0x1p-23 + 0x1p-149 * (high != 0);
    fault = round_between(out, low, high, format);
    product = f2l_format_round_nearest(format, silu * up);
    if (!fault && *out != product) fault = unclear;
    return fault;
}

const char *f2l_written_square_fault(double x)
{
    return x == 0 || (fabs(x) >= LEAST_SQUARED && fabs(x) <= MOST_SQUARED)
               ? NULL
               : "a square may be no number of fp32";
}

const char *f2l_written_norm(double *y, const double *x, const double *weight, size_t n,
                             size_t size, double others, double epsilon, const f2l_format *format)
{
    double squares = others, inner, both;
    for (size_t i = 0; i < n; i++) {
        const char *fault = f2l_written_square_fault(x[i]);
        if (fault) return fault;
        squares += x[i] * x[i];
    }
    const double root = sqrt(squares / (double)size + epsilon);
    for (size_t i = 0; i < n; i++) {
        const double unit = x[i] == 0 ? 0 : x[i] / root, error = fabs(unit) * NORM_ERROR;
        const double scaled = unit * weight[i], wide = fabs(scaled) * NORM_ERROR;
        const char *fault = round_between(&inner, unit - error, unit + error, format);
        if (!fault) fault = round_between(&y[i], scaled - wide, scaled + wide, format);
        both = fault ? 0 : f2l_format_round_nearest(format, inner * weight[i]);
        if (!fault && both != y[i]) fault = unclear;
        if (fault) return fault;
    }
    return NULL;
}

const char *f2l_written_map(double *y, const f2l_written_matrix *m, const double *x,
                            const f2l_format *format)
{
    for (size_t r = 0; r < m->rows; r++) {
        f2l_written_sum sum = {0};
        for (size_t i = m->first[r]; i < m->first[r + 1]; i++)
            f2l_written_add(&sum, m->value[i] * x[m->column[i]]);
        if (!f2l_written_fits(&sum, 24)) return rounds;
        y[r] = f2l_format_round_nearest(format, sum.value) + 0.0;
        if (!isfinite(y[r])) return overflows;
    }
    return NULL;
}

/* --- keys: U3.1 --- */

/* Returns 1 over the root of the sum, as U3.1 computes it; 0 where there is none. */
static double inverse_root_in_fp32(double squares, double epsilon)
{
    const f2l_format *fp32 = f2l_format_find("fp32");
    const double s = f2l_format_round_nearest(fp32, squares + epsilon);
    const double root = f2l_format_round_nearest(fp32, sqrt(s));
    return root > 0 ? f2l_format_op(fp32, F2L_DIV, 1, root) : 0;
}

/* Looks whether coordinate x, with this inverse root, becomes the exact key. */
static void compare_key(double x, double key, double inverse, const f2l_format *format,
                        bool *narrow, bool *wide)
{
    const double k = f2l_format_op(f2l_format_find("fp32"), F2L_MUL, x, inverse);
    *wide = *wide && k == key;
    *narrow = *narrow && f2l_format_round_nearest(format, k) == key;
}

const char *f2l_written_unit(double *k, const double *x, size_t n, const f2l_format *format,
                             bool *narrow, bool *wide)
{
    f2l_written_sum squares = {0};
    for (size_t i = 0; i < n; i++) f2l_written_add(&squares, x[i] * x[i]);
    for (size_t i = 0; i < n; i++) k[i] = 0;
    if (!squares.any) return NULL;
    if (!f2l_written_fits(&squares, 24)) return rounds;
    const double length = sqrt(squares.value);
    if ((double)(float)length != length || length * length != squares.value)
        return "the length of a key or query is not rational";
    const double inverse[2] = {
        inverse_root_in_fp32(squares.value, KEY_EPSILON),
        inverse_root_in_fp32(squares.value,
                             f2l_format_round_nearest(f2l_format_find("fp32"), KEY_EPSILON))};
    for (size_t i = 0; i < n; i++) {
        k[i] = x[i] / length;
        if ((double)(float)k[i] != k[i] || k[i] * length != x[i])
            return "a key or query is no value of fp32";
        for (size_t e = 0; e < 2; e++) compare_key(x[i], k[i], inverse[e], format, narrow, wide);
    }
    return *narrow || *wide ? NULL : "a key or query is rounded when it is normalised";
}
