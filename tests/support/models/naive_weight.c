#include "tests/support/models/naive_weight.h"

double naive_weight(const mpq_t x, const f2l_qvec *u, const f2l_format *format)
{
    mpq_t norm2;
    mpfr_t a, b, r;
    mpq_init(norm2);
    f2l_qvec_norm2(norm2, u);
    mpfr_inits2(400, a, b, (mpfr_ptr)NULL);
    mpfr_init2(r, format->precision);
    mpfr_set_q(a, x, MPFR_RNDN);
    mpfr_set_q(b, norm2, MPFR_RNDN);
    mpfr_sqrt(b, b, MPFR_RNDN);
    mpfr_div(r, a, b, MPFR_RNDN);
    double out = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clears(a, b, r, (mpfr_ptr)NULL);
    mpq_clear(norm2);
    return fabs(out) <= format->largest ? out : out * INFINITY;
}
