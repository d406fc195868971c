/* beta as a schedule has it (models/network/schedule/schedule.h). */
#include "models/network/schedule/schedule.h"
#include <math.h>
#include <mpfr.h>

#define BITS 320

/* Returns x in the format, to nearest: x is no number half way between two of it, since logarithms
 * and exponentials of rational numbers that are not 1 and 0 are no rational numbers. */
static double round_real(const f2l_format *format, const mpfr_t x)
{
    mpq_t q;
    mpq_init(q);
    mpfr_get_q(q, x);
    const double y = f2l_format_round_q(format, q);
    mpq_clear(q);
    return y;
}

/* Returns b = f(ln(beta / (2 - beta))), 0 < beta < 2. */
static double logit_of(const f2l_format *format, const mpq_t beta)
{
    mpq_t odds;
    mpfr_t x;
    mpq_init(odds);
    mpfr_init2(x, BITS);
    mpq_set_ui(odds, 2, 1);
    mpq_sub(odds, odds, beta);
    mpq_div(odds, beta, odds);
    mpfr_set_q(x, odds, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    const double b = round_real(format, x);
    mpfr_clear(x);
    mpq_clear(odds);
    return b;
}

/* Returns g(2 / (1 + exp(-b))). */
static double twice_sigmoid(double b)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_set_d(x, -b, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_ui_div(x, 2, x, MPFR_RNDN);
    const double y = round_real(f2l_format_find("fp32"), x);
    mpfr_clear(x);
    return y;
}

f2l_status f2l_schedule_beta(double *out, const f2l_schedule *schedule, const f2l_format *format,
                             const mpq_t beta, f2l_error *err)
{
    const f2l_beta how = schedule->beta;
    const bool within = mpq_sgn(beta) >= 0 && mpq_cmp_ui(beta, 2, 1) <= 0;
    const bool end = mpq_sgn(beta) == 0 || mpq_cmp_ui(beta, 2, 1) == 0;
    if (how == F2L_BETA_FORMAT || how == F2L_BETA_FP32) {
        *out = f2l_format_round_q(how == F2L_BETA_FP32 ? f2l_format_find("fp32") : format, beta);
        return F2L_OK;
    }
    const double b = within && !end ? logit_of(format, beta) : 0;
    if (!within || !isfinite(b))
        return f2l_fail(err, F2L_EDOMAIN, "%s: a beta has no logit in %s", schedule->name,
                        format->name);
    const double x = end ? mpq_get_d(beta) : twice_sigmoid(b);
    *out = how == F2L_BETA_LOGIT ? x : f2l_format_round_nearest(format, x);
    return F2L_OK;
}
