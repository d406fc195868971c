#include "tests/support/models/schedule_reference.h"

bool reference_same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !(a == 0 && signbit(a));
}

reference reference_of(const f2l_format *format, const f2l_schedule *schedule)
{
    reference r = {.format = format,
                   .fp32 = *f2l_format_find("fp32"),
                   .weights = *format,
                   .schedule = *schedule};
    r.weights.rounding = F2L_ROUND_NEAREST_EVEN;
    r.weights.choices = NULL;
    const f2l_schedule_store *store = &schedule->store;
    r.state = schedule->state == F2L_WIDTH_FP32 ? r.fp32 : *format;
    if (store->format) r.state = *f2l_store_format(store->format);
    if (store->scale && store->clamp != F2L_CLAMP_NONE) r.state.overflow = F2L_OVERFLOW_SATURATE;
    r.output = schedule->output ? *f2l_store_format(schedule->output) : *format;
    if (schedule->output_saturates) r.output.overflow = F2L_OVERFLOW_SATURATE;
    if (store->stochastic) r.state.rounding = F2L_ROUND_STOCHASTIC;
    r.residual = store->residual_format ? *f2l_store_format(store->residual_format) : r.fp32;
    if (schedule->operands) r.operands = *f2l_store_format(schedule->operands);
    return r;
}

bool reference_away(reference *r, const f2l_format *f, bool positive, int half, bool odd)
{
    switch (f->rounding) {
    case F2L_ROUND_NEAREST_EVEN:
        return half > 0 || (half == 0 && odd);
    case F2L_ROUND_TOWARD_ZERO:
        return false;
    case F2L_ROUND_UP:
        return positive;
    case F2L_ROUND_DOWN:
        return !positive;
    case F2L_ROUND_STOCHASTIC:
        return r->bit[r->bits++] != 0;
    }
    return false;
}

double reference_overflow(const f2l_format *f, bool positive)
{
    const bool stays = f->overflow == F2L_OVERFLOW_SATURATE ||
                       f->rounding == F2L_ROUND_TOWARD_ZERO ||
                       f->rounding == (positive ? F2L_ROUND_DOWN : F2L_ROUND_UP);
    const double x = stays ? f->largest : f->overflow == F2L_OVERFLOW_NAN ? NAN : INFINITY;
    return positive ? x : -x;
}

void reference_scale(mpq_t out, const mpq_t x, long scale)
{
    mpq_abs(out, x);
    if (scale >= 0)
        mpq_div_2exp(out, out, (mp_bitcnt_t)scale);
    else
        mpq_mul_2exp(out, out, (mp_bitcnt_t)-scale);
}

double reference_round(reference *r, const f2l_format *f, const mpq_t x)
{
    if (mpq_sgn(x) == 0) return 0;
    mpq_t m, one;
    mpz_t digits, rest;
    mpq_inits(m, one, (mpq_ptr)NULL);
    mpz_inits(digits, rest, (mpz_ptr)NULL);
    mpq_set_ui(one, 1, 1);
    long e = (long)mpz_sizeinbase(mpq_numref(x), 2) - (long)mpz_sizeinbase(mpq_denref(x), 2);
    reference_scale(m, x, e);
    if (mpq_cmp(m, one) < 0) e--;
    long scale = e - f->precision + 1;
    if (f->subnormals && e < f->emin) scale = f->emin - f->precision + 1;
    reference_scale(m, x, scale);
    mpz_fdiv_qr(digits, rest, mpq_numref(m), mpq_denref(m));
    /* Both neighbours of a larger number become the largest value. */
    mpq_set_d(one, mpq_sgn(x) > 0 ? f->largest : -f->largest);
    const bool saturated =
        f->overflow == F2L_OVERFLOW_SATURATE && mpq_cmp(x, one) * mpq_sgn(x) >= 0;
    if (mpz_sgn(rest) != 0 && !saturated) {
        mpz_mul_2exp(rest, rest, 1);
        if (reference_away(r, f, mpq_sgn(x) > 0, mpz_cmp(rest, mpq_denref(m)), mpz_odd_p(digits)))
            mpz_add_ui(digits, digits, 1);
    }
    double out = ldexp(mpz_get_d(digits), (int)scale);
    if (!f->subnormals && out < ldexp(1, f->emin)) out = 0;
    out = out > f->largest ? reference_overflow(f, mpq_sgn(x) > 0) : mpq_sgn(x) > 0 ? out : -out;
    mpz_clears(digits, rest, (mpz_ptr)NULL);
    mpq_clears(m, one, (mpq_ptr)NULL);
    return out == 0 ? 0 : out;
}

double reference_fma(reference *r, const f2l_format *f, double a, double b, double c)
{
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) return NAN;
    mpq_t x, y;
    mpq_inits(x, y, (mpq_ptr)NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_set_d(y, c);
    mpq_add(x, x, y);
    const double out = reference_round(r, f, x);
    mpq_clears(x, y, (mpq_ptr)NULL);
    return out;
}

double reference_weight(reference *r, const f2l_head *head, const mpq_t x, const f2l_qvec *u)
{
    mpq_t length;
    mpfr_t a;
    mpq_init(length);
    mpfr_init2(a, 400);
    f2l_qvec_norm2(length, u);
    if (mpz_perfect_square_p(mpq_numref(length)) && mpz_perfect_square_p(mpq_denref(length))) {
        mpz_sqrt(mpq_numref(length), mpq_numref(length));
        mpz_sqrt(mpq_denref(length), mpq_denref(length));
    } else {
        mpfr_set_q(a, length, MPFR_RNDN);
        mpfr_sqrt(a, a, MPFR_RNDN);
        mpfr_get_q(length, a);
    }
    if (head->raw) mpq_set_ui(length, 1, 1);
    mpq_div(length, x, length);
    const double out = reference_round(r, &r->weights, length);
    mpfr_clear(a);
    mpq_clear(length);
    return out;
}

/* Returns p[0] + .. + p[size - 1], size a power of two: neighbours first, or halves first. */
static double reference_tree(reference *r, const f2l_format *f, double *p, size_t size,
                             bool neighbours)
{
    for (size_t h = neighbours ? 1 : size / 2; h >= 1 && h < size; h = neighbours ? 2 * h : h / 2)
        for (size_t i = 0; i < size; i++)
            if (neighbours ? i % (2 * h) == 0 : i < h)
                p[i] = reference_fma(r, f, 1, p[i], p[i + h]);
    return p[0];
}

/* Returns the sum of a_i b_i, a_i != 0, in the order of lanes and blocks. */
static double reference_lanes(reference *r, const f2l_format *f, const f2l_schedule_order *order,
                              size_t n, const double *a, const double *b)
{
    size_t lanes = 1;
    const bool blocks = order->sum == F2L_SUM_BLOCKS;
    while (lanes < (blocks ? n / order->lanes + 1 : order->lanes)) lanes *= 2;
    double *lane = calloc(lanes, sizeof *lane);
    for (size_t l = 0; l < lanes; l++)
        for (size_t c = 0; c < order->chains; c++) {
            double chain = 0;
            bool begun = false;
            for (size_t i = 0; i < n; i++) {
                const size_t of = blocks ? i / order->lanes : i % order->lanes;
                const size_t place = blocks ? i % order->lanes : i / order->lanes;
                if (of != l || place % order->chains != c || a[i] == 0) continue;
                chain = order->fused_sum && begun
                            ? reference_fma(r, f, a[i], b[i], chain)
                            : reference_fma(r, f, 1, chain, reference_fma(r, f, a[i], b[i], 0));
                begun = true;
            }
            lane[l] = reference_fma(r, f, 1, lane[l], chain);
        }
    const double sum = reference_tree(r, f, lane, lanes, false);
    free(lane);
    return sum;
}

/* Returns the sum of a_i b_i in an order that is not from left to right. */
static double reference_planned(reference *r, const f2l_format *f, const f2l_schedule_order *order,
                                size_t n, const double *a, const double *b)
{
    if (order->sum >= F2L_SUM_LANES) return reference_lanes(r, f, order, n, a, b);
    size_t size = 1;
    while (size < n) size *= 2;
    double *p = calloc(size, sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = reference_fma(r, f, a[i], b[i], 0);
    const double sum = reference_tree(r, f, p, size, order->sum == F2L_SUM_BUTTERFLY);
    free(p);
    return sum;
}

/* Returns x, rounded into the format where the norm is. */
static double in_norm(reference *r, double x)
{
    return r->schedule.norm_in_format ? reference_fma(r, &r->weights, x, 1, 0) : x;
}

static void settle_norm(reference *r, mpfr_t t)
{
    mpfr_set_d(t, in_norm(r, mpfr_get_d(t, MPFR_RNDN)), MPFR_RNDN);
}

/* Returns the sum of the squares in its order. */
static double reference_squares(reference *r, const double *k, size_t n)
{
    f2l_schedule_order order = r->schedule.squares;
    double s = 0, *p = calloc(n, sizeof *p), *ones = calloc(n, sizeof *ones);
    for (size_t i = 0; i < n; i++) {
        p[i] = in_norm(r, reference_fma(r, &r->fp32, k[i], k[i], 0));
        ones[i] = 1;
    }
    if (order.sum == F2L_SUM_LEFT)
        for (size_t i = 0; i < n; i++) s = reference_fma(r, &r->fp32, 1, s, p[i]);
    else
        s = reference_planned(r, &r->fp32, &order, n, ones, p);
    free(p);
    free(ones);
    return in_norm(r, s);
}

void reference_normalise(reference *r, double *k, size_t n)
{
    const f2l_norm norm = r->schedule.norm;
    const double eps = (double)(float)r->schedule.eps, s = reference_squares(r, k, n);
    const bool once = norm == F2L_NORM_RSQRT || norm == F2L_NORM_MAX || norm == F2L_NORM_RMS;
    mpfr_t t, q;
    mpfr_inits2(24, t, q, (mpfr_ptr)NULL);
    mpfr_set_d(t, s, MPFR_RNDN);
    if (norm == F2L_NORM_RMS) mpfr_div_ui(t, t, n, MPFR_RNDN);
    settle_norm(r, t);
    const double square = in_norm(r, (double)(float)(eps * eps));
    if (norm == F2L_NORM_MAX && mpfr_cmp_d(t, square) < 0) mpfr_set_d(t, square, MPFR_RNDN);
    if (norm != F2L_NORM_MAX && norm != F2L_NORM_OUTSIDE) mpfr_add_d(t, t, eps, MPFR_RNDN);
    settle_norm(r, t);
    if (once)
        mpfr_rec_sqrt(t, t, MPFR_RNDN);
    else
        mpfr_sqrt(t, t, MPFR_RNDN);
    settle_norm(r, t);
    if (norm == F2L_NORM_OUTSIDE) mpfr_add_d(t, t, eps, MPFR_RNDN);
    if (norm == F2L_NORM_RECIPROCAL) mpfr_ui_div(t, 1, t, MPFR_RNDN);
    settle_norm(r, t);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(q, k[i], MPFR_RNDN);
        if (norm == F2L_NORM_QUOTIENT || norm == F2L_NORM_OUTSIDE)
            mpfr_div(q, q, t, MPFR_RNDN);
        else
            mpfr_mul(q, q, t, MPFR_RNDN);
        k[i] = in_norm(r, mpfr_get_d(q, MPFR_RNDN));
        if (norm == F2L_NORM_RMS) {
            mpfr_set_ui(q, n, MPFR_RNDN);
            mpfr_rec_sqrt(q, q, MPFR_RNDN);
            settle_norm(r, q);
            k[i] = in_norm(r, reference_fma(r, &r->fp32, k[i], mpfr_get_d(q, MPFR_RNDN), 0));
        }
        if (!r->schedule.wide_keys) k[i] = reference_fma(r, &r->weights, k[i], 1, 0);
    }
    mpfr_clears(t, q, (mpfr_ptr)NULL);
}

void reference_key(reference *r, double *k, const f2l_head *head, const f2l_factor *factor)
{
    const f2l_qvec *u = &factor->u;
    const bool normalised = r->schedule.eps >= 0 && !head->raw;
    mpq_t largest, x;
    mpq_inits(largest, x, (mpq_ptr)NULL);
    memset(k, 0, head->n * sizeof *k);
    for (size_t i = 0; i < u->count; i++) {
        mpq_abs(x, u->value[i]);
        if (mpq_cmp(x, largest) > 0) mpq_set(largest, x);
    }
    for (size_t i = 0; i < u->count; i++) {
        if (!normalised) {
            k[u->index[i]] = reference_weight(r, head, u->value[i], u);
            continue;
        }
        mpq_set_d(x, r->schedule.raw);
        mpq_mul(x, x, u->value[i]);
        mpq_div(x, x, largest);
        k[u->index[i]] = reference_round(r, &r->weights, x);
    }
    mpq_clears(largest, x, (mpq_ptr)NULL);
    if (normalised) reference_normalise(r, k, head->n);
}

/* Returns x as an operand of a product with the key. */
static double reference_operand(reference *r, double x)
{
    return r->schedule.operands ? reference_fma(r, &r->operands, x, 1, 0) : x;
}

/* Returns the sum of k_i S_i. */
static double reference_sum(reference *r, const f2l_format *f, size_t n, const double *k,
                            const double *S, size_t d)
{
    const f2l_schedule_order order = r->schedule.order;
    double sum = 0, *x = calloc(n, sizeof *x);
    bool begun = false;
    for (size_t i = 0; i < n; i++) x[i] = reference_operand(r, S[i * d]);
    if (order.sum != F2L_SUM_LEFT) sum = reference_planned(r, f, &order, n, k, x);
    for (size_t i = 0; i < n && order.sum == F2L_SUM_LEFT; i++) {
        if (k[i] == 0) continue;
        if (!begun || order.fused_sum)
            sum = reference_fma(r, f, k[i], x[i], begun ? sum : 0);
        else
            sum = reference_fma(r, f, 1, sum, reference_fma(r, f, k[i], x[i], 0));
        begun = true;
    }
    free(x);
    return sum;
}

double reference_column(reference *r, const f2l_format *f, size_t n, const double *k, double v,
                        double beta, double gate, double *S, size_t d)
{
    const f2l_schedule_order order = r->schedule.order;
    double *q = calloc(n, sizeof *q);
    for (size_t i = 0; i < n; i++)
        q[i] =
            gate != 1 && order.gate == F2L_GATE_FOLDED ? reference_fma(r, f, k[i], gate, 0) : k[i];
    double sum = reference_sum(r, f, n, q, S, d);
    if (gate != 1 && order.gate == F2L_GATE_LATE) sum = reference_fma(r, f, sum, gate, 0);
    for (size_t i = 0; gate != 1 && i < n; i++) S[i * d] = reference_fma(r, f, S[i * d], gate, 0);
    if (v != 0) sum = reference_fma(r, f, 1, sum, -v);
    sum = reference_operand(r, reference_fma(r, f, beta, sum, 0));
    for (size_t i = 0; i < n; i++) {
        if (k[i] == 0) continue;
        S[i * d] = order.fused_update
                       ? reference_fma(r, f, -k[i], sum, S[i * d])
                       : reference_fma(r, f, 1, S[i * d], -reference_fma(r, f, k[i], sum, 0));
    }
    free(q);
    return sum;
}

void reference_cast(reference *r, const f2l_head *head, const f2l_transition *letter, double *S)
{
    const size_t n = head->n, d = head->d, w = n + d; /* [A B], row by row */
    mpq_t *M = malloc(n * w * sizeof *M), *row = malloc(w * sizeof *row), scale, t;
    double *next = calloc(n * d, sizeof *next);
    mpq_inits(scale, t, (mpq_ptr)NULL);
    for (size_t i = 0; i < n * w; i++) mpq_init(M[i]);
    for (size_t i = 0; i < w; i++) mpq_init(row[i]);
    for (size_t i = 0; i < n; i++) mpq_set(M[i * w + i], letter->gate);
    for (size_t f = 0; f < letter->factors; f++) {
        const f2l_qvec *u = &letter->factor[f].u, *c = &letter->factor[f].c;
        f2l_qvec_norm2(scale, u);
        if (head->raw) mpq_set_ui(scale, 1, 1);
        mpq_div(scale, letter->factor[f].beta, scale);
        for (size_t j = 0; j < w; j++) mpq_set_ui(row[j], 0, 1);
        for (size_t k = 0; k < c->count; k++) mpq_neg(row[n + c->index[k]], c->value[k]);
        for (size_t j = 0; j < w; j++)
            for (size_t k = 0; k < u->count; k++) {
                mpq_mul(t, u->value[k], M[u->index[k] * w + j]);
                mpq_add(row[j], row[j], t);
            }
        for (size_t j = 0; j < w; j++)
            for (size_t k = 0; k < u->count; k++) {
                mpq_mul(t, scale, u->value[k]);
                mpq_mul(t, t, row[j]);
                mpq_sub(M[u->index[k] * w + j], M[u->index[k] * w + j], t);
            }
    }
    for (size_t k = 0; k < letter->bias.count; k++) {
        mpq_ptr entry = M[letter->bias.index[k] / d * w + n + letter->bias.index[k] % d];
        mpq_add(entry, entry, letter->bias.value[k]);
    }
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < n; i++) {
            mpq_set_d(scale, reference_round(r, &r->weights, M[i * w + n + j]));
            for (size_t k = 0; k < n; k++) {
                mpq_set_d(t, reference_round(r, &r->weights, M[i * w + k]));
                mpq_set_d(row[0], S[k * d + j]);
                mpq_mul(t, t, row[0]);
                mpq_add(scale, scale, t);
            }
            next[i * d + j] = reference_round(r, r->format, scale);
        }
    }
    memcpy(S, next, n * d * sizeof *S);
    for (size_t i = 0; i < n * w; i++) mpq_clear(M[i]);
    for (size_t i = 0; i < w; i++) mpq_clear(row[i]);
    mpq_clears(scale, t, (mpq_ptr)NULL);
    free(M);
    free(row);
    free(next);
}

/* The logit as twice an area tangent, and 2 sigmoid as 1 and a tangent. */
double reference_beta(reference *r, const mpq_t beta)
{
    const f2l_beta how = r->schedule.beta;
    const bool wide = how == F2L_BETA_FP32 || how == F2L_BETA_LOGIT;
    const bool end = mpq_sgn(beta) == 0 || mpq_cmp_ui(beta, 2, 1) == 0;
    if (how < F2L_BETA_LOGIT || end) return reference_round(r, wide ? &r->fp32 : &r->weights, beta);
    mpq_t q;
    mpfr_t x;
    mpq_init(q);
    mpfr_init2(x, 500);
    mpfr_set_q(x, beta, MPFR_RNDN);
    mpfr_sub_ui(x, x, 1, MPFR_RNDN);
    mpfr_atanh(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, 2, MPFR_RNDN);
    mpfr_get_q(q, x);
    mpfr_set_d(x, reference_round(r, &r->weights, q) / 2, MPFR_RNDN);
    mpfr_tanh(x, x, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_get_q(q, x);
    const double y = reference_round(r, &r->fp32, q);
    mpq_clear(q);
    mpfr_clear(x);
    return wide ? y : reference_fma(r, &r->weights, y, 1, 0);
}

void reference_letter(reference *r, const f2l_head *head, size_t x, double *S)
{
    const f2l_transition *letter = &head->letter[x];
    if (r->schedule.exact_matrices) {
        reference_cast(r, head, letter, S);
        return;
    }
    const f2l_format *f = r->schedule.work == F2L_WIDTH_FP32 ? &r->fp32 : r->format;
    const bool narrow = r->schedule.operands != NULL;
    double *k = calloc(head->n, sizeof *k);
    const double gate =
        reference_round(r, r->schedule.wide_gate ? &r->fp32 : &r->weights, letter->gate);
    const bool early = r->schedule.order.gate == F2L_GATE_EARLY || letter->factors == 0;
    for (size_t i = 0; early && gate != 1 && i < head->n * head->d; i++)
        S[i] = reference_fma(r, f, S[i], gate, 0);
    for (size_t i = 0; i < letter->factors; i++) {
        const f2l_factor *factor = &letter->factor[i];
        const double beta = reference_beta(r, factor->beta);
        if (i > 0 && r->schedule.order.store_factors) reference_store(r, head->n, head->d, S, NULL);
        reference_key(r, k, head, factor);
        for (size_t c = 0; narrow && c < head->n; c++)
            k[c] = reference_fma(r, &r->operands, k[c], 1, 0);
        for (size_t j = 0, at = 0; j < head->d; j++) {
            double v = 0;
            if (at < factor->c.count && factor->c.index[at] == j)
                v = reference_weight(r, head, factor->c.value[at++], &factor->u);
            reference_column(r, f, head->n, k, v, beta, early || i > 0 ? 1 : gate, S + j, head->d);
        }
    }
    for (size_t i = 0; i < letter->bias.count; i++)
        S[letter->bias.index[i]] =
            reference_fma(r, f, 1, S[letter->bias.index[i]],
                          reference_round(r, &r->weights, letter->bias.value[i]));
    free(k);
}
