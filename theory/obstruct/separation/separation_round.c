/* From doubles to exact forms: fractions, factors L D L^T, and the form of a point of the path. */
#include "theory/obstruct/separation/impl.h"
#include <math.h>

bool f2l_simple_fraction(fmpq_t out, double x, double eps)
{
    double rest = x, p = 1, q = 0, older_p = 0, older_q = 1;
    for (int i = 0; i < 40; i++) {
        const double whole = floor(rest), next_p = whole * p + older_p,
                     next_q = whole * q + older_q;
        if (!(fabs(next_p) < 1e12) || !(next_q < 1e6)) return false;
        older_p = p;
        older_q = q;
        p = next_p;
        q = next_q;
        if (fabs(x - p / q) <= eps) {
            fmpq_set_si(out, (slong)p, (ulong)q);
            return true;
        }
        rest = 1 / (rest - whole);
    }
    return false;
}

/* Subtracts pivot times the square of column i from the rows and columns after it. */
static void eliminate(fmpq_mat_t m, slong i, const fmpq *pivot)
{
    fmpq_t product;
    fmpq_init(product);
    for (slong j = i + 1; j < fmpq_mat_nrows(m); j++)
        fmpq_div(fmpq_mat_entry(m, j, i), fmpq_mat_entry(m, j, i), pivot);
    for (slong j = i + 1; j < fmpq_mat_nrows(m); j++)
        for (slong k = i + 1; k <= j; k++) {
            fmpq_mul(product, fmpq_mat_entry(m, j, i), fmpq_mat_entry(m, k, i));
            fmpq_mul(product, product, pivot);
            fmpq_sub(fmpq_mat_entry(m, j, k), fmpq_mat_entry(m, j, k), product);
        }
    fmpq_clear(product);
}

static bool column_is_zero(const fmpq_mat_t m, slong i)
{
    for (slong j = i + 1; j < fmpq_mat_nrows(m); j++)
        if (!fmpq_is_zero(fmpq_mat_entry(m, j, i))) return false;
    return true;
}

bool f2l_factor_form(fmpq_mat_t lower, fmpq *pivot, const fmpq_mat_t m, bool definite,
                     f2l_watch *watch)
{
    const slong n = fmpq_mat_nrows(m);
    fmpq_mat_set(lower, m);
    for (slong i = 0; i < n; i++) {
        fmpq_set(&pivot[i], fmpq_mat_entry(lower, i, i));
        const int sign = fmpq_sgn(&pivot[i]);
        const uint64_t bits = fmpz_bits(fmpq_numref(&pivot[i])),
                       entries = (uint64_t)((n - i) * (n - i));
        if (!f2l_watch_goes_on(watch, entries * (16 + bits / 4))) return false;
        if (sign < 0 || (sign == 0 && (definite || !column_is_zero(lower, i)))) return false;
        if (sign > 0) eliminate(lower, i, &pivot[i]);
        for (slong j = 0; j < i; j++) fmpq_zero(fmpq_mat_entry(lower, j, i));
        fmpq_one(fmpq_mat_entry(lower, i, i));
    }
    return true;
}

/* Returns whether the block's matrix is positive definite on the free coordinates. */
static bool is_definite(const f2l_face *face, size_t block, const fmpq_mat_t value)
{
    const size_t n = face->frees[block], *at = face->free + block * face->m;
    fmpq *pivot = _fmpq_vec_init((slong)n);
    fmpq_mat_t part;
    fmpq_mat_init(part, (slong)n, (slong)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fmpq_set(fmpq_mat_entry(part, (slong)i, (slong)j),
                     fmpq_mat_entry(value, (slong)at[i], (slong)at[j]));
    const bool definite = f2l_factor_form(part, pivot, part, true, face->watch);
    fmpq_mat_clear(part);
    _fmpq_vec_clear(pivot, (slong)n);
    return definite;
}

static bool is_interior(const f2l_face *face, const fmpq_mat_t form)
{
    fmpq_mat_t value;
    fmpq_mat_init(value, (slong)face->m, (slong)face->m);
    bool inside = is_definite(face, 0, form);
    for (size_t w = 0; inside && w + 1 < face->blocks; w++) {
        f2l_face_slack(value, face, w, form);
        inside = is_definite(face, 1 + w, value);
    }
    fmpq_mat_clear(value);
    return inside;
}

bool f2l_round_form(fmpq_mat_t form, const f2l_face *face, const double *x)
{
    fmpq_t weight;
    fmpq_mat_t part;
    bool inside = false;
    fmpq_init(weight);
    fmpq_mat_init(part, (slong)face->m, (slong)face->m);
    for (int bits = 3; bits <= 33 && !inside; bits += 6) {
        fmpq_mat_zero(form);
        for (size_t k = 0; k < face->forms && f2l_face_goes_on(face); k++) {
            const double scaled = round(ldexp(x[k], bits));
            if (!(fabs(scaled) < 0x1p60)) break;
            fmpq_set_si(weight, (slong)scaled, 1);
            fmpq_div_2exp(weight, weight, (flint_bitcnt_t)bits);
            fmpq_mat_scalar_mul_fmpq(part, face->form[k], weight);
            fmpq_mat_add(form, form, part);
        }
        inside = f2l_face_goes_on(face) && is_interior(face, form);
    }
    fmpq_mat_clear(part);
    fmpq_clear(weight);
    return inside;
}
