#include "numeric/ball/ball.h"

#define SQUARINGS 50

static double bound_of(const arb_t x, void (*bound)(arf_t, const arb_t, slong), arf_rnd_t direction)
{
    arf_t b;
    arf_init(b);
    bound(b, x, 53);
    const double out = arf_get_d(b, direction);
    arf_clear(b);
    return out;
}

double f2l_ball_above(const arb_t x)
{
    if (!arb_is_finite(x)) return INFINITY;
    return bound_of(x, arb_get_abs_ubound_arf, ARF_RND_UP);
}

double f2l_ball_below(const arb_t x)
{
    if (!arb_is_finite(x)) return 0;
    return bound_of(x, arb_get_abs_lbound_arf, ARF_RND_DOWN);
}

void f2l_ball_widen(arb_t x, double radius)
{
    mag_t r;
    if (radius == 0) return;
    mag_init(r);
    if (isfinite(radius))
        mag_set_d(r, radius);
    else
        mag_inf(r);
    arb_add_error_mag(x, r);
    mag_clear(r);
}

void f2l_ball_set_q(arb_t out, const mpq_t value)
{
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_mpq(q, value);
    arb_set_fmpq(out, q, F2L_BALL_BITS);
    fmpq_clear(q);
}

/* Returns m with |x| = m 2^e and m odd. */
static uint64_t odd_part(double x, int *e)
{
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), e), 53);
    *e -= 53;
    for (; m % 2 == 0; m /= 2) ++*e;
    return m;
}

long f2l_ball_grid(double x)
{
    int e;
    if (x == 0 || !isfinite(x)) return F2L_BALL_GRID;
    (void)odd_part(x, &e);
    return e;
}

int f2l_ball_significant(double x)
{
    int e, bits = 0;
    if (x == 0 || !isfinite(x)) return 0;
    for (uint64_t m = odd_part(x, &e); m != 0; m /= 2) bits++;
    return bits;
}

/* Returns the exponent of the leading bit of x > 0. */
static int leading(double x)
{
    int e;
    (void)frexp(x, &e);
    return e - 1;
}

static int spacing_at(const f2l_format *format, int exponent)
{
    return (exponent > format->emin ? exponent : format->emin) - format->precision + 1;
}

long f2l_ball_spacing(const f2l_format *format, double low)
{
    return spacing_at(format, low > 0 ? leading(low) : format->emin);
}

double f2l_ball_rounding(const f2l_format *format, double low, double high, long grid, int bits)
{
    const f2l_rounding mode = format->rounding;
    const bool nearest = mode == F2L_ROUND_NEAREST_EVEN,
               shrinks = nearest || mode == F2L_ROUND_TOWARD_ZERO;
    if (high == 0) return 0;
    if (!(high <= format->largest)) return INFINITY;
    /* Where values are at most 2^k they are spaced as those below 2^k. */
    const int k = leading(high), top = high == ldexp(1, k) ? k - 1 : k;
    const int least = spacing_at(format, format->emin), spacing = spacing_at(format, top);
    const bool flushed = !format->subnormals && low < ldexp(1, format->emin) && grid < format->emin;
    const bool fits = bits <= format->precision && grid >= least;
    double out = ldexp(1, nearest ? spacing - 1 : spacing);
    if (shrinks && high < out) out = high;
    if (fits || grid >= spacing)
        out = 0;
    else if (bits <= format->precision) /* only what underflows is rounded */
        out = fmin(out, ldexp(1, least));
    return flushed ? fmax(out, ldexp(1, format->emin)) : out;
}

/* Bounds |A|: |A|^2 is the largest eigenvalue of G = A^T A, whose power of 2^k is at most the trace
 * of G^(2^k). */
double f2l_ball_operator_norm(arb_srcptr matrix, slong n, double above)
{
    arb_mat_t a, g, t;
    arb_t trace;
    arb_init(trace);
    arb_mat_init(a, n, n);
    arb_mat_init(g, n, n);
    arb_mat_init(t, n, n);
    for (slong i = 0; i < n * n; i++) arb_set(arb_mat_entry(a, i / n, i % n), matrix + i);
    arb_mat_transpose(t, a);
    arb_mat_mul(g, t, a, F2L_BALL_BITS);
    for (int k = 0; k < SQUARINGS; k++) {
        arb_mat_mul(t, g, g, F2L_BALL_BITS);
        arb_mat_swap(t, g);
    }
    arb_mat_trace(trace, g, F2L_BALL_BITS);
    double out = INFINITY;
    if (arb_is_zero(trace)) {
        out = 0;
    } else if (arb_is_finite(trace)) {
        arf_t high;
        arf_init(high);
        arb_get_abs_ubound_arf(high, trace, F2L_BALL_BITS);
        arb_set_arf(trace, high);
        arb_log(trace, trace, F2L_BALL_BITS);
        arb_mul_2exp_si(trace, trace, -(SQUARINGS + 1));
        arb_exp(trace, trace, F2L_BALL_BITS);
        out = f2l_ball_above(trace);
        arf_clear(high);
    }
    arb_mat_clear(a);
    arb_mat_clear(g);
    arb_mat_clear(t);
    arb_clear(trace);
    return out < above ? out : above;
}
