/* The schedule cast (models/network/schedule/schedule.h): exact matrices, exact sums, and one
 * rounding for an entry of the next state.
 *
 * An entry is a sum of products of two values of the format, and a bias. In formats for which F2
 * holds (theory/pages/formats.md) a product is a binary64 number, and the sum is kept as an
 * expansion (Shewchuk, Adaptive precision floating-point arithmetic, 1997): doubles of which none
 * overlaps another, the last one largest. In other formats a sum that is no double is computed as a
 * rational. A sum that is to be rounded is first rounded to odd, into 53 bits; in a format of at
 * most 51 bits the two roundings are one (theory/pages/formats.md, F10). */
#include "models/network/schedule/float_net.h"
#include <float.h>
#include <mpfr.h>

#define MAX_PARTS 32

/* One entry's terms: the entries of a row, times a column of the state, and a bias. */
typedef struct cast_terms {
    const f2l_cast_number *entry, *end;
    const double *S; /* the column, stride d */
    double bias;
} cast_terms;

/* Replaces part[0 .. *parts - 1] by the expansion of its sum and x; false when there is no room
 * or x is not finite. */
static inline bool grow_expansion(double *part, size_t *parts, double x)
{
    size_t kept = 0;
    if (*parts == MAX_PARTS) return false;
    for (size_t i = 0; i < *parts; i++) {
        const double error = f2l_two_sum(&x, x, part[i]);
        if (error != 0) part[kept++] = error;
    }
    if (x != 0) part[kept++] = x;
    *parts = kept;
    return isfinite(x);
}

/* Returns the sum rounded to odd. From the largest part down, the first error decides on which side
 * of the double the sum is: the remaining parts are less than the last bit of the part with that
 * error. */
static double odd_sum(const double *part, size_t parts)
{
    double sum = parts > 0 ? part[parts - 1] : 0;
    for (size_t i = parts > 0 ? parts - 1 : 0; i > 0; i--) {
        const double error = f2l_two_sum(&sum, sum, part[i - 1]);
        if (error != 0) return f2l_format_to_odd(sum, error);
    }
    return sum;
}

/* Computes *out, the sum rounded to odd, in formats where products are exact. */
static inline bool expansion_sum(double *out, const cast_terms *t)
{
    double part[MAX_PARTS];
    size_t parts = 0;
    bool good = true;
    for (const f2l_cast_number *e = t->entry; e < t->end && good; e++)
        good = grow_expansion(part, &parts, e->value * t->S[e->at]);
    if (good && t->bias != 0) good = grow_expansion(part, &parts, t->bias);
    if (good) *out = odd_sum(part, parts);
    return good;
}

/* Computes *out, the sum, in any format, if the sum and all intermediate results are doubles.
 * Products above 2^-900 have errors that doubles hold. */
static bool double_sum(double *out, const cast_terms *t)
{
    double sum = t->bias;
    bool good = true;
    for (const f2l_cast_number *e = t->entry; e < t->end && good; e++) {
        const double s = t->S[e->at], product = e->value * s;
        good = s == 0 || (fabs(product) > 0x1p-900 && fma(e->value, s, -product) == 0);
        if (good) good = f2l_two_sum(&sum, sum, product) == 0;
    }
    *out = sum;
    return good && isfinite(sum);
}

/* Returns x rounded to odd: into 53 bits, or into a multiple of the least double. A result that is
 * too large stays too large in every format of fewer bits. */
static double odd_rational(const mpq_t x)
{
    mpq_t t;
    mpfr_t r;
    mpq_init(t);
    mpfr_init2(r, 53);
    mpq_mul_2exp(t, x, 1074);
    mpz_t q, rest;
    mpz_inits(q, rest, (mpz_ptr)NULL);
    mpz_tdiv_qr(q, rest, mpq_numref(t), mpq_denref(t));
    double out;
    uint64_t bits;
    if (mpz_sizeinbase(q, 2) <= 53) {
        if (mpz_sgn(rest) != 0 && mpz_even_p(q)) {
            if (mpq_sgn(x) > 0)
                mpz_add_ui(q, q, 1);
            else
                mpz_sub_ui(q, q, 1);
        }
        out = ldexp(mpz_get_d(q), -1074);
    } else if (mpz_sizeinbase(q, 2) > 1074 + 1024) {
        out = mpq_sgn(x) > 0 ? DBL_MAX : -DBL_MAX;
    } else {
        const bool inexact = mpfr_set_q(r, x, MPFR_RNDZ) != 0;
        out = mpfr_get_d(r, MPFR_RNDZ);
        memcpy(&bits, &out, sizeof bits);
        bits |= inexact;
        memcpy(&out, &bits, sizeof out);
    }
    mpz_clears(q, rest, (mpz_ptr)NULL);
    mpfr_clear(r);
    mpq_clear(t);
    return out;
}

static double rational_sum(const f2l_format *format, const cast_terms *t)
{
    double plain = t->bias;
    for (const f2l_cast_number *e = t->entry; e < t->end; e++) plain += e->value * t->S[e->at];
    bool finite = isfinite(t->bias);
    for (const f2l_cast_number *e = t->entry; e < t->end; e++)
        finite = finite && isfinite(e->value) && isfinite(t->S[e->at]);
    if (!finite) return f2l_format_round(format, plain);
    mpq_t sum, a, b;
    mpq_inits(sum, a, b, (mpq_ptr)NULL);
    mpq_set_d(sum, t->bias);
    for (const f2l_cast_number *e = t->entry; e < t->end; e++) {
        mpq_set_d(a, e->value);
        mpq_set_d(b, t->S[e->at]);
        mpq_mul(a, a, b);
        mpq_add(sum, sum, a);
    }
    const double out = format->rounding == F2L_ROUND_NEAREST_EVEN
                           ? f2l_format_round_q(format, sum)
                           : f2l_format_round(format, odd_rational(sum));
    mpq_clears(sum, a, b, (mpq_ptr)NULL);
    return out;
}

static inline double cast_entry(const f2l_format *format, bool narrow, const cast_terms *t)
{
    double sum;
    if (narrow ? expansion_sum(&sum, t) : double_sum(&sum, t)) return f2l_format_round(format, sum);
    return rational_sum(format, t);
}

void f2l_step_cast(const f2l_float_net *net, size_t layer, size_t h, size_t letter, double *state)
{
    const f2l_float_head *head = &net->layer[layer].head[h];
    const f2l_float_cast *cast = &head->cast;
    letter = f2l_float_letter(&net->layer[layer], letter);
    const f2l_cast_row *row = cast->row + cast->row_first[letter];
    const size_t rows = cast->row_first[letter + 1] - cast->row_first[letter];
    size_t bias = cast->bias_first[letter];
    const size_t bias_end = cast->bias_first[letter + 1];
    const bool narrow = f2l_format_narrow(net->format);
    double next[F2L_MAX_CAST_KEY];
    for (size_t j = 0; j < head->d; j++) {
        for (size_t i = 0; i < rows; i++) {
            const bool biased = bias < bias_end && cast->bias[bias].at == row[i].at + j;
            const cast_terms terms = {cast->entry + row[i].first, cast->entry + row[i].end,
                                      state + j, biased ? cast->bias[bias++].value : 0};
            next[i] = cast_entry(net->format, narrow, &terms);
        }
        for (size_t i = 0; i < rows; i++) state[row[i].at + j] = next[i];
    }
}
