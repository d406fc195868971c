/* Binary numbers and formats (real.h). A plain build (-DLRNN_CHECK_PLAIN) computes with rationals
 * and rounds in round_rational, which is the definition; the other one with integers of 128 bits.
 */
#include "theory/check/real.h"
#include <string.h>

bool lost;
const format fp32 = {24, -126, 127, NEAREST, true, false, {0xffffff, 104}};
const real one = {1, 0}, not_finite = {1, NOT_FINITE};

__extension__ typedef unsigned __int128 wide;

static int length(wide m)
{
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static wide size_of(real a)
{
    return (wide)(a.m < 0 ? -(uint64_t)a.m : (uint64_t)a.m);
}

real minus(real a)
{
    return (real){-a.m, a.e};
}

bool same_real(real a, real b)
{
    return a.m == b.m && a.e == b.e;
}

/* +-m 2^e, m < 2^63 */
static real real_of(bool negative, uint64_t m, int e)
{
    if (m == 0) return (real){0, 0};
    const int zeros_behind = __builtin_ctzll(m);
    m >>= zeros_behind;
    return (real){negative ? -(int64_t)m : (int64_t)m, e + zeros_behind};
}

void set_real(mpq_t out, real a)
{
    mpz_set_si(mpq_numref(out), a.m);
    mpz_set_ui(mpq_denref(out), 1);
    if (a.e > 0) mpq_mul_2exp(out, out, (mp_bitcnt_t)a.e);
    if (a.e < 0) mpq_div_2exp(out, out, (mp_bitcnt_t)-a.e);
}

/* Returns the result for a number that is too large. */
static real overflowed(const format *f, bool negative)
{
    const bool inwards = f->round == TOWARD_ZERO || f->round == (negative ? UP : DOWN);
    lost = true;
    if (!inwards && !f->saturate) return not_finite;
    return negative ? minus(f->largest) : f->largest;
}

#ifdef LRNN_CHECK_PLAIN

/* Rounds x into the format: to p bits as if exponents had no end, but no finer than subnormals are;
 * then a number is too large, or too small without subnormals. */
static real round_rational(const format *f, mpq_srcptr x)
{
    mpq_t size, scale, half;
    mpz_t kept;
    const bool negative = mpq_sgn(x) < 0;
    if (mpq_sgn(x) == 0) return (real){0, 0};
    mpq_inits(size, scale, half, NULL);
    mpz_init(kept);
    mpq_abs(size, x);
    long lead = (long)mpz_sizeinbase(mpq_numref(size), 2) -
                (long)mpz_sizeinbase(mpq_denref(size), 2); /* or
                                                              one
                                                              less
                                                            */
    if (lead > INT_MAX / 4 || lead < -(INT_MAX / 4)) give_up("a number is too long");
    mpq_set_ui(scale, 1, 1);
    if (lead >= 0) mpq_mul_2exp(scale, scale, (mp_bitcnt_t)lead);
    if (lead < 0) mpq_div_2exp(scale, scale, (mp_bitcnt_t)-lead);
    if (mpq_cmp(size, scale) < 0) lead--; /* now 2^lead <= size < 2^(lead + 1) */
    long last = lead - f->p + 1;          /* exponent of the last bit that is kept */
    if (f->subnormals && last < f->emin - f->p + 1) last = f->emin - f->p + 1;
    if (last >= 0) mpq_div_2exp(size, size, (mp_bitcnt_t)last);
    if (last < 0) mpq_mul_2exp(size, size, (mp_bitcnt_t)-last);
    mpz_fdiv_q(kept, mpq_numref(size), mpq_denref(size));
    mpq_set_z(scale, kept);
    mpq_sub(size, size, scale); /* the dropped part, in units of the last bit */
    mpq_set_ui(half, 1, 2);
    const int beside = mpq_cmp(size, half), drops = mpq_sgn(size);
    const bool away = f->round == NEAREST ? beside > 0 || (beside == 0 && mpz_odd_p(kept))
                                          : drops > 0 && f->round == (negative ? DOWN : UP);
    lost = lost || drops > 0;
    if (away) mpz_add_ui(kept, kept, 1);
    real r = real_of(negative, mpz_get_ui(kept), (int)last);
    set_real(size, r);
    set_real(scale, f->largest);
    mpq_abs(size, size);
    if (r.m != 0) lead = r.e + length(size_of(r)) - 1;
    const bool too_large = mpq_cmp(size, scale) > 0;
    mpq_clears(size, scale, half, NULL);
    mpz_clear(kept);
    if (!f->subnormals && r.m != 0 && lead < f->emin) {
        lost = true;
        return (real){0, 0};
    }
    return too_large ? overflowed(f, negative) : r;
}

/* Returns +-(z + x) 2^e, with x = 0, or 0 < x < 1 if more; then z has more than 55 bits, so that
 * any such x rounds alike. */
static real rounded_integer(const format *f, bool negative, const mpz_t z, long e, bool more)
{
    mpq_t x, half;
    if (e > INT_MAX / 4 || e < -(INT_MAX / 4)) give_up("a number is too long");
    mpq_inits(x, half, NULL);
    mpq_set_z(x, z);
    mpq_set_ui(half, 1, 2);
    if (more) mpq_add(x, x, half);
    if (negative) mpq_neg(x, x);
    if (e > 0) mpq_mul_2exp(x, x, (mp_bitcnt_t)e);
    if (e < 0) mpq_div_2exp(x, x, (mp_bitcnt_t)-e);
    const real r = round_rational(f, x);
    mpq_clears(x, half, NULL);
    return r;
}

real sum_of(const format *f, const real *a, const real *b, size_t count)
{
    mpq_t sum, x, y;
    mpq_inits(sum, x, y, NULL);
    bool finite = true;
    for (size_t i = 0; finite && i < count; i++) {
        finite = a[i].e != NOT_FINITE && b[i].e != NOT_FINITE;
        if (!finite) break;
        set_real(x, a[i]);
        set_real(y, b[i]);
        mpq_mul(x, x, y);
        mpq_add(sum, sum, x);
        spend_on(sum);
    }
    const real r = finite ? round_rational(f, sum) : not_finite;
    mpq_clears(sum, x, y, NULL);
    return r;
}

real times(const format *f, real a, real b)
{
    return sum_of(f, &a, &b, 1);
}

real fused(const format *f, real a, real b, real c)
{
    return sum_of(f, (real[]){a, c}, (real[]){b, one}, 2);
}

#else

/* Rounds +-(m + x) 2^e into the format, with x = 0, or 0 < x < 1 if more; then m has more than 55
 * bits. m < 2^127. To p bits as if exponents had no end, but no finer than subnormals are; then a
 * number is too large, or too small without subnormals. */
static real rounded(const format *f, bool negative, wide m, int e, bool more)
{
    const int bits = length(m);
    int last = e + bits - f->p; /* exponent of the last bit that is kept */
    if (m == 0) return (real){0, 0};
    if (f->subnormals && last < f->emin - f->p + 1) last = f->emin - f->p + 1;
    if (last > e) {
        const int drop = last - e;
        const wide kept = drop < 128 ? m >> drop : 0;
        const bool half = drop <= bits && (m >> (drop - 1) & 1) != 0;
        const bool over = more || drop > bits || (m & (((wide)1 << (drop - 1)) - 1)) != 0;
        const bool away = f->round == NEAREST
                              ? half && (over || (kept & 1) != 0)
                              : (half || over) && f->round == (negative ? DOWN : UP);
        lost = lost || half || over;
        m = kept + away;
        e = last;
    }
    const int lead = e + length(m) - 1, unit = f->emax - f->p + 1;
    const real r = real_of(negative, (uint64_t)m, e);
    if (!f->subnormals && m != 0 && lead < f->emin) {
        lost = true;
        return (real){0, 0};
    }
    if (lead > f->emax || (lead == f->emax && size_of(r) << (r.e - unit) >
                                                  size_of(f->largest) << (f->largest.e - unit)))
        return overflowed(f, negative);
    return r;
}

/* Returns a b. */
real times(const format *f, real a, real b)
{
    if (a.e == NOT_FINITE || b.e == NOT_FINITE) return not_finite;
    return rounded(f, (a.m < 0) != (b.m < 0), size_of(a) * size_of(b), a.e + b.e, false);
}

/* Returns a b + c, rounded once. Both terms begin at bit 125, and the smaller one moves down; bits
 * are lost after it only where its leading bit is 18 places lower or more, as terms have at most
 * 108 bits, so that the sum has more than 100. */
real fused(const format *f, real a, real b, real c)
{
    if (a.e == NOT_FINITE || b.e == NOT_FINITE || c.e == NOT_FINITE) return not_finite;
    bool x_negative = (a.m < 0) != (b.m < 0), y_negative = c.m < 0;
    wide x = size_of(a) * size_of(b), y = size_of(c);
    int x_e = a.e + b.e, y_e = c.e;
    if (x == 0) return rounded(f, y_negative, y, y_e, false);
    if (y == 0) return rounded(f, x_negative, x, x_e, false);
    const int x_up = 126 - length(x), y_up = 126 - length(y);
    x <<= x_up;
    x_e -= x_up;
    y <<= y_up;
    y_e -= y_up;
    if (x_e < y_e || (x_e == y_e && x < y)) {
        const wide m = x;
        const int e = x_e;
        const bool negative = x_negative;
        x = y, x_e = y_e, x_negative = y_negative;
        y = m, y_e = e, y_negative = negative;
    }
    const int down = x_e - y_e;
    const bool more = down > 126 || (y & (((wide)1 << down) - 1)) != 0;
    y = down > 126 ? 0 : y >> down;
    return rounded(f, x_negative, x_negative == y_negative ? x + y : x - y - more, x_e, more);
}

/* Returns +-(z + x) 2^e, as above, z >= 0; of z it uses the first 100 bits and whether more
 * follow. */
static real rounded_integer(const format *f, bool negative, const mpz_t z, long e, bool more)
{
    const size_t bits = mpz_sizeinbase(z, 2), drop = bits > 100 ? bits - 100 : 0;
    uint64_t word[2] = {0, 0};
    mpz_t top;
    if (drop > INT_MAX / 4 || e > INT_MAX / 4 || e < -(INT_MAX / 4))
        give_up("a number is too long");
    mpz_init(top);
    mpz_tdiv_q_2exp(top, z, drop);
    mpz_export(word, NULL, -1, sizeof *word, 0, 0, top);
    mpz_clear(top);
    if (mpz_sgn(z) == 0) return (real){0, 0};
    return rounded(f, negative, (wide)word[1] << 64 | word[0], (int)e + (int)drop,
                   more || mpz_scan1(z, 0) < drop);
}

/* +-m 2^e with m < 2^106 */
typedef struct term {
    wide m;
    int e;
    bool negative;
} term;

static term product_term(real a, real b)
{
    return (term){size_of(a) * size_of(b), a.e + b.e, (a.m < 0) != (b.m < 0)};
}

real sum_of(const format *f, const real *a, const real *b, size_t count)
{
    mpz_t sum, one_term;
    int low = INT_MAX;
    for (size_t i = 0; i < count; i++) {
        if (a[i].e == NOT_FINITE || b[i].e == NOT_FINITE) return not_finite;
        if (a[i].m != 0 && b[i].m != 0 && a[i].e + b[i].e < low) low = a[i].e + b[i].e;
    }
    if (low == INT_MAX) return (real){0, 0};
    mpz_inits(sum, one_term, NULL);
    for (size_t i = 0; i < count; i++) {
        const term x = product_term(a[i], b[i]);
        if (x.m == 0) continue;
        spend(1 + (size_t)(x.e - low) / 1024);
        const uint64_t word[2] = {(uint64_t)x.m, (uint64_t)(x.m >> 64)};
        mpz_import(one_term, 2, -1, sizeof *word, 0, 0, word);
        mpz_mul_2exp(one_term, one_term, (mp_bitcnt_t)(x.e - low));
        (x.negative ? mpz_sub : mpz_add)(sum, sum, one_term);
    }
    const bool negative = mpz_sgn(sum) < 0;
    mpz_abs(sum, sum);
    const real r = rounded_integer(f, negative, sum, low, false);
    mpz_clears(sum, one_term, NULL);
    return r;
}

#endif

real plus(const format *f, real a, real b)
{
    return fused(f, a, one, b);
}

/* Returns x / sqrt(square), or x, from the root of 4^k x^2 / square, which has more than 64
 * bits. */
real weight(const format *f, mpq_srcptr x, mpq_srcptr square)
{
    mpq_t z;
    mpz_t root, dropped, remainder;
    spend(8);
    spend_on(x);
    if (mpq_sgn(x) == 0) return (real){0, 0};
    mpq_init(z);
    mpz_inits(root, dropped, remainder, NULL);
    mpq_mul(z, x, x);
    if (square) mpq_div(z, z, square);
    const long over =
        (long)mpz_sizeinbase(mpq_numref(z), 2) - (long)mpz_sizeinbase(mpq_denref(z), 2);
    const long k = over < 140 ? (140 - over) / 2 : -((over - 140) / 2);
    if (k > 0) mpz_mul_2exp(mpq_numref(z), mpq_numref(z), 2 * (mp_bitcnt_t)k);
    if (k < 0) mpz_mul_2exp(mpq_denref(z), mpq_denref(z), 2 * (mp_bitcnt_t)-k);
    mpz_tdiv_qr(root, dropped, mpq_numref(z), mpq_denref(z));
    mpz_sqrtrem(root, remainder, root);
    const bool more = mpz_sgn(dropped) != 0 || mpz_sgn(remainder) != 0;
    const real r = rounded_integer(f, mpq_sgn(x) < 0, root, -k, more);
    mpz_clears(root, dropped, remainder, NULL);
    mpq_clear(z);
    return r;
}

/* Reads 0, m or MpE. */
real read_real(text *t, const char *before)
{
    expect(t, before);
    const bool negative = *t->at == '-';
    uint64_t m = 0;
    t->at += negative;
    const char *from = t->at;
    while (*t->at >= '0' && *t->at <= '9' && m >> 54 == 0) m = 10 * m + (uint64_t)(*t->at++ - '0');
    if (t->at == from || (*from == '0' && (t->at > from + 1 || negative)) ||
        (m % 2 == 0 && m > 0) || m >> 53)
        reject(t, "expected a binary number");
    if (m == 0 || *t->at != 'p') return real_of(negative, m, 0);
    const bool below = comes(t, "p-");
    const int e = (int)number(t, below ? "p-" : "p", 1, 1 << 14);
    return real_of(negative, m, below ? -e : e);
}

int read_exponent(text *t, const char *before)
{
    expect(t, before);
    const bool negative = *t->at == '-' && t->at[1] != '0';
    const int e = (int)number(t, negative ? "-" : "", 0, 1 << 14);
    return negative ? -e : e;
}

size_t read_word(text *t, const char *before, const char *const *word, size_t words)
{
    size_t i = 0;
    expect(t, before);
    while (i + 1 < words && !comes(t, word[i])) i++;
    expect(t, word[i]);
    return i;
}

bool is_in(const format *f, real a)
{
    lost = false;
    return same_real(times(f, a, one), a) && !lost;
}

/* Reads the line FORMAT, except its end. */
format read_format(text *t)
{
    static const char *const answer[] = {"yes", "no"}, *const too_large[] = {"infinity", "nan",
                                                                             "saturate"};
    static const char *const round[] = {"nearest", "zero", "up", "down", "stochastic"};
    format f = {.p = (int)number(t, "format precision ", 2, 53)};
    f.emin = read_exponent(t, " emin ");
    f.emax = read_exponent(t, " emax ");
    f.largest = read_real(t, " largest ");
    f.subnormals = read_word(t, " subnormals ", answer, 2) == 0;
    f.saturate = read_word(t, " overflow ", too_large, 3) == 2;
    f.round = (rounding)read_word(t, " round ", round, 5);
    const int bits = length(size_of(f.largest));
    if (f.emin > f.emax || f.largest.m <= 0 || bits > f.p || f.largest.e + bits - 1 != f.emax)
        reject(t, "no such format");
    return f;
}
