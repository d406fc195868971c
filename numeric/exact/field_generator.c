/* A generator of small height of a real abelian field, with its minimal polynomial and isolating
 * interval. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/impl.h"
#include <assert.h>
#include <flint/ulong_extras.h>

void f2l_cyclotomic_clear(f2l_cyclotomic *x)
{
    for (size_t j = 0; x->coefficient && j < x->n; j++) fmpz_clear(x->coefficient + j);
    f2l_free(x->coefficient);
    *x = (f2l_cyclotomic){0};
}

f2l_status f2l_cyclotomic_init(f2l_cyclotomic *x, size_t n, f2l_error *err)
{
    *x = (f2l_cyclotomic){
        .n = n, .coefficient = f2l_calloc(n, sizeof *x->coefficient), .denominator = 1};
    return x->coefficient ? F2L_OK : f2l_fail_memory(err); /* zeroed: an fmpz of 0 needs no more */
}

void f2l_cyclotomic_multiply(f2l_cyclotomic *out, const f2l_cyclotomic *a, const f2l_cyclotomic *b)
{
    const size_t n = out->n;
    assert(n > 0);
    fmpz_poly_t x, y;
    fmpz_poly_init(x), fmpz_poly_init(y);
    for (size_t j = n; j-- > 0;) {
        fmpz_poly_set_coeff_fmpz(x, (slong)j, a->coefficient + j);
        fmpz_poly_set_coeff_fmpz(y, (slong)j, b->coefficient + j);
    }
    fmpz_poly_mul(x, x, y);
    for (size_t j = 0; j < n; j++) fmpz_poly_get_coeff_fmpz(out->coefficient + j, x, (slong)j);
    for (slong j = (slong)n; j < x->length; j++)
        fmpz_add(out->coefficient + (size_t)j % n, out->coefficient + (size_t)j % n, x->coeffs + j);
    out->denominator = a->denominator * b->denominator;
    fmpz_poly_clear(x), fmpz_poly_clear(y);
}

/* Fills power[2 ..]; power[0] = 1 and power[1] = alpha are given. */
static f2l_status fill_generator_powers(f2l_cyclotomic *power, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 2; i < count && status == F2L_OK; i++) {
        status = f2l_cyclotomic_init(&power[i], power[1].n, err);
        if (status == F2L_OK) f2l_cyclotomic_multiply(&power[i], &power[i - 1], &power[1]);
    }
    return status;
}

/* Sets out to the mean of the conjugates of x. */
static void mean_of_conjugates(fmpq_t out, const f2l_cyclotomic *x)
{
    fmpz_t sum, term;
    fmpz_init(sum), fmpz_init(term);
    for (size_t j = 0; j < x->n; j++) {
        if (fmpz_is_zero(x->coefficient + j)) continue;
        fmpz_mul_si(term, x->coefficient + j, f2l_ramanujan_sum(x->n, j));
        fmpz_add(sum, sum, term);
    }
    fmpz_set_ui(term, n_euler_phi(x->n));
    fmpz_mul_ui(term, term, x->denominator);
    fmpq_set_fmpz_frac(out, sum, term);
    fmpz_clear(sum), fmpz_clear(term);
}

/* Computes the product of X - conjugate of alpha over the `degree` conjugates in the field, from
 * the sums of the conjugates of alpha^i. Returns false when a sum is no integer. */
static bool characteristic(fmpz_poly_t out, const f2l_cyclotomic *power, size_t degree)
{
    fmpq_t sum;
    bool integral = true;
    fmpq_init(sum);
    fmpz_poly_set_coeff_ui(out, 0, degree);
    for (size_t i = 1; i <= degree && integral; i++) {
        mean_of_conjugates(sum, &power[i]);
        fmpq_mul_si(sum, sum, (slong)degree);
        integral = fmpz_is_one(fmpq_denref(sum));
        fmpz_poly_set_coeff_fmpz(out, (slong)i, fmpq_numref(sum));
    }
    if (integral) fmpz_poly_power_sums_to_poly(out, out);
    fmpq_clear(sum);
    return integral;
}

/* Adds scale times the trace of zeta^j, the sum of zeta^(j u) over the units u that fix the field,
 * to alpha. */
static void add_trace(f2l_cyclotomic *alpha, const f2l_abelian *k, size_t j, slong scale)
{
    for (size_t i = 0; i < k->units; i++) {
        const size_t u = k->unit[i];
        fmpz *to = alpha->coefficient + u * j % k->n;
        if (!k->fixes[u]) continue;
        if (scale >= 0)
            fmpz_add_ui(to, to, (ulong)scale);
        else
            fmpz_sub_ui(to, to, 0 - (ulong)scale);
    }
}

typedef struct chooser {
    const f2l_abelian *k;
    size_t degree;
    f2l_cyclotomic best, trial;
    fmpz_poly_t modulus; /* of the best; 0: none yet */
} chooser;

/* Keeps the trial when it generates the field (its characteristic polynomial is squarefree) and its
 * polynomial has smaller coefficients than the best one's; empties it. */
static f2l_status judge_trial(chooser *c, f2l_error *err)
{
    f2l_cyclotomic *power = f2l_calloc(c->degree + 1, sizeof *power);
    if (!power) return f2l_fail_memory(err);
    fmpz_poly_t modulus;
    fmpz_poly_init(modulus);
    power[1] = c->trial;
    const f2l_status status = fill_generator_powers(power, c->degree + 1, err);
    bool better = status == F2L_OK && characteristic(modulus, power, c->degree) &&
                  fmpz_poly_is_squarefree(modulus) &&
                  (fmpz_poly_is_zero(c->modulus) || FLINT_ABS(fmpz_poly_max_bits(modulus)) <
                                                        FLINT_ABS(fmpz_poly_max_bits(c->modulus)));
    for (size_t i = 2; i <= c->degree; i++) f2l_cyclotomic_clear(&power[i]);
    f2l_free(power);
    if (better) {
        fmpz_poly_swap(c->modulus, modulus);
        f2l_cyclotomic best = c->trial;
        c->trial = c->best;
        c->best = best;
    }
    fmpz_poly_clear(modulus);
    for (size_t j = 0; j < c->k->n; j++) fmpz_zero(c->trial.coefficient + j);
    c->trial.denominator = 1;
    return status;
}

/* Tries Gauss's sum of chi(a) zeta_f^a over the units a, which is sqrt(f), chi = 1 on the units
 * that fix the quadratic field and -1 on the others; f is d or 4 d. */
static f2l_status try_square_root(chooser *c, f2l_error *err)
{
    for (size_t i = 0; i < c->k->units; i++) {
        const uint32_t u = c->k->unit[i];
        fmpz_set_si(c->trial.coefficient + u, c->k->fixes[u] ? 1 : -1);
    }
    c->trial.denominator = c->k->n % 4 == 0 ? 2 : 1;
    return judge_trial(c, err);
}

/* Tries the traces of zeta^j. Traces of zeta^j and zeta^(u j) are conjugate, so the divisors j of n
 * give all up to conjugacy. */
static f2l_status try_traces(chooser *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t j = 1; j < c->k->n && status == F2L_OK; j++) {
        if (c->k->n % j != 0) continue;
        add_trace(&c->trial, c->k, j, 1);
        status = judge_trial(c, err);
    }
    for (size_t j = 1; j < c->k->n && fmpz_poly_is_zero(c->modulus); j++) {
        for (size_t l = j + 1; l < c->k->n && status == F2L_OK; l++) {
            if (c->k->n % j != 0 || c->k->n % l != 0) continue;
            add_trace(&c->trial, c->k, j, 1);
            add_trace(&c->trial, c->k, l, 1);
            status = judge_trial(c, err);
        }
        if (status != F2L_OK) break;
    }
    return status;
}

/* Tries sums of traces: the traces of all powers of zeta span the field, and generators are what
 * lies outside finitely many subspaces. */
static f2l_status try_sums(chooser *c, f2l_error *err)
{
    f2l_rng rng;
    f2l_status status = F2L_OK;
    f2l_rng_init(&rng, c->k->n, 0);
    for (size_t trial = 0; trial < 100 && fmpz_poly_is_zero(c->modulus) && status == F2L_OK;
         trial++) {
        for (size_t j = 0; j < c->k->n; j++)
            add_trace(&c->trial, c->k, j, (slong)f2l_rng_below(&rng, 3) - 1);
        status = judge_trial(c, err);
    }
    return status;
}

static f2l_status choose_generator(chooser *c, f2l_error *err)
{
    f2l_status status;
    if (c->degree == 2) return try_square_root(c, err);
    if (c->k->fixing == 2) { /* 1 and -1 */
        add_trace(&c->trial, c->k, 1, 1);
        return judge_trial(c, err);
    }
    status = try_traces(c, err);
    if (status == F2L_OK && fmpz_poly_is_zero(c->modulus)) status = try_sums(c, err);
    return status;
}

static void enclose_cyclotomic(arb_t out, const f2l_cyclotomic *x, slong precision)
{
    arb_t cosine;
    fmpq_t angle;
    arb_init(cosine);
    fmpq_init(angle);
    arb_zero(out);
    for (size_t j = 0; j < x->n; j++) {
        if (fmpz_is_zero(x->coefficient + j)) continue;
        fmpq_set_ui(angle, 2 * j, x->n);
        arb_cos_pi_fmpq(cosine, angle, precision);
        arb_addmul_fmpz(out, cosine, x->coefficient + j, precision);
    }
    arb_div_ui(out, out, x->denominator, precision);
    arb_clear(cosine);
    fmpq_clear(angle);
}

/* Sets out = floor(2^bits x); x is irrational. */
static void floor_of(fmpz_t out, const f2l_cyclotomic *x, size_t bits)
{
    arb_t ball;
    arb_init(ball);
    slong precision = 64;
    do {
        precision *= 2;
        enclose_cyclotomic(ball, x, precision);
        arb_mul_2exp_si(ball, ball, (slong)bits);
        arb_floor(ball, ball, precision);
    } while (!arb_get_unique_fmpz(out, ball));
    arb_clear(ball);
}

static f2l_status isolate_generator(f2l_field *out, const fmpz_poly_t modulus,
                                    const f2l_cyclotomic *alpha, f2l_error *err)
{
    mpq_t low, high;
    fmpz_t floor;
    mpq_inits(low, high, (mpq_ptr)NULL);
    fmpz_init(floor);
    for (size_t bits = 0;; bits++) {
        floor_of(floor, alpha, bits);
        fmpz_get_mpz(mpq_numref(low), floor);
        mpz_set_ui(mpq_denref(low), 1);
        mpz_add_ui(mpq_numref(high), mpq_numref(low), 1);
        mpz_set_ui(mpq_denref(high), 1);
        mpq_div_2exp(low, low, bits);
        mpq_div_2exp(high, high, bits);
        if (f2l_bound_roots(modulus, low, high) == 1) break; /* all conjugates are real */
    }
    f2l_status status = f2l_field_build_modulus(out, modulus, low, high, err);
    mpq_clears(low, high, (mpq_ptr)NULL);
    fmpz_clear(floor);
    return status;
}

f2l_status f2l_choose_generator(f2l_field *out, f2l_cyclotomic *power, const f2l_abelian *k,
                                f2l_error *err)
{
    chooser c = {.k = k, .degree = k->units / k->fixing};
    fmpz_poly_init(c.modulus);
    f2l_status status = f2l_cyclotomic_init(&c.best, k->n, err);
    if (status == F2L_OK) status = f2l_cyclotomic_init(&c.trial, k->n, err);
    if (status == F2L_OK) status = choose_generator(&c, err);
    if (status == F2L_OK && fmpz_poly_is_zero(c.modulus))
        status = f2l_fail(err, F2L_UNKNOWN, "no generator was found for a field of degree %zu",
                          c.degree);
    if (status == F2L_OK) status = isolate_generator(out, c.modulus, &c.best, err);
    if (status == F2L_OK) status = f2l_cyclotomic_init(&power[0], k->n, err);
    if (status == F2L_OK) {
        fmpz_one(power[0].coefficient);
        power[1] = c.best;
        c.best = (f2l_cyclotomic){0};
        status = fill_generator_powers(power, 2 * c.degree - 1, err);
    }
    f2l_cyclotomic_clear(&c.best);
    f2l_cyclotomic_clear(&c.trial);
    fmpz_poly_clear(c.modulus);
    return status;
}
