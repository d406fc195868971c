/* The spelling of rationals (numeric/exact/qvec.h). */
#include "numeric/base/mem.h"
#include "numeric/exact/qvec.h"
#include <string.h>

#define MOST_DIGITS 4096

static void write_integer(f2l_buf *out, const mpz_t z)
{
    if (mpz_fits_slong_p(z)) {
        long value = mpz_get_si(z);
        if (value < 0) f2l_buf_bytes(out, "-", 1);
        f2l_buf_size(out, value < 0 ? 0 - (size_t)value : (size_t)value);
        return;
    }
    char *digits = f2l_calloc(mpz_sizeinbase(z, 10) + 2, 1);
    if (!digits) {
        out->failed = true;
        return;
    }
    f2l_buf_text(out, mpz_get_str(digits, 10, z));
    f2l_free(digits);
}

void f2l_buf_rational(f2l_buf *out, const mpq_t value)
{
    write_integer(out, mpq_numref(value));
    if (mpz_cmp_ui(mpq_denref(value), 1) == 0) return;
    f2l_buf_bytes(out, "/", 1);
    write_integer(out, mpq_denref(value));
}

/* Reads a run of digits without leading zeros into `out`; returns false for anything else. */
static bool read_digits(mpz_t out, const char *text, size_t size)
{
    if (size == 0 || size > MOST_DIGITS || (size > 1 && text[0] == '0')) return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    mpz_set_ui(out, 0);
    while (size > 0) { /* nine digits fit an unsigned long of any width */
        unsigned long value = 0, scale = 1;
        for (; size > 0 && scale < 1000000000; text++, size--, scale *= 10)
            value = value * 10 + (unsigned long)(*text - '0');
        mpz_mul_ui(out, out, scale);
        mpz_add_ui(out, out, value);
    }
    return true;
}

static bool is_lowest_terms(const mpq_t q)
{
    mpz_t divisor;
    mpz_init(divisor);
    mpz_gcd(divisor, mpq_numref(q), mpq_denref(q));
    bool lowest = mpz_cmp_ui(divisor, 1) == 0;
    mpz_clear(divisor);
    return lowest;
}

static bool read_plain_rational(mpq_t out, const char *text, size_t size)
{
    bool negative = size > 0 && text[0] == '-';
    if (negative) text++, size--;
    const char *slash = size > 0 ? memchr(text, '/', size) : NULL;
    size_t digits = slash ? (size_t)(slash - text) : size;
    if (!read_digits(mpq_numref(out), text, digits)) return false;
    if (negative && mpq_sgn(out) == 0) return false;
    if (negative) mpq_neg(out, out);
    if (!slash) return true;
    /* gcd(0, d) = d > 1, so a zero with a denominator is refused as well. */
    return read_digits(mpq_denref(out), slash + 1, size - digits - 1) &&
           mpz_cmp_ui(mpq_denref(out), 1) > 0 && is_lowest_terms(out);
}

bool f2l_rational_read(mpq_t out, const char *text, size_t size)
{
    mpq_set_ui(out, 0, 1);
    bool read = read_plain_rational(out, text, size);
    if (!read) mpq_set_ui(out, 0, 1);
    return read;
}
