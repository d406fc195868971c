#include "theory/rep/irrep/irrep_float.h"
#include "numeric/base/mem.h"
#include <math.h>

void f2l_irrep_float_clear(f2l_irrep_float *out)
{
    f2l_free(out->lower);
    f2l_free(out->letter);
    *out = (f2l_irrep_float){0};
}

/* Computes L from the exact factors of the form, L = lower sqrt(pivot). */
static f2l_status find_lower(double *out, const f2l_irrep *rep, f2l_error *err)
{
    const size_t d = rep->dimension;
    f2l_ldl ldl;
    const f2l_status status = f2l_ldl_build(&ldl, &rep->form, &rep->field, err);
    if (status != F2L_OK) return status;
    for (size_t j = 0; j < d; j++) {
        const double root = sqrt(f2l_field_double(&ldl.pivot[j], &rep->field));
        for (size_t i = j; i < d; i++)
            out[i * d + j] = root * f2l_field_double(f2l_matrix_at(&ldl.lower, i, j), &rep->field);
    }
    f2l_ldl_clear(&ldl);
    return F2L_OK;
}

/* Replaces a by L^T a L^-T. */
static void conjugate(double *a, double *copy, const double *lower, size_t d)
{
    for (size_t i = 0; i < d; i++) /* copy = L^T a */
        for (size_t j = 0; j < d; j++) {
            copy[i * d + j] = 0;
            for (size_t k = i; k < d; k++) copy[i * d + j] += lower[k * d + i] * a[k * d + j];
        }
    for (size_t i = 0; i < d; i++) /* the new a times L^T is copy */
        for (size_t j = 0; j < d; j++) {
            double x = copy[i * d + j];
            for (size_t k = 0; k < j; k++) x -= a[i * d + k] * lower[j * d + k];
            a[i * d + j] = x / lower[j * d + j];
        }
}

f2l_status f2l_irrep_float_build(f2l_irrep_float *out, const f2l_irrep *rep, f2l_error *err)
{
    const size_t d = rep->dimension;
    size_t numbers;
    *out = (f2l_irrep_float){.dimension = d, .letters = rep->letters};
    if (!f2l_mul_size(&numbers, rep->letters, d * d)) return f2l_fail_memory(err);
    double *copy = f2l_calloc(d * d, sizeof *copy);
    out->lower = f2l_calloc(d * d, sizeof *out->lower);
    out->letter = f2l_calloc(numbers, sizeof *out->letter);
    f2l_status status = copy && out->lower && out->letter ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = find_lower(out->lower, rep, err);
    for (size_t a = 0; status == F2L_OK && a < rep->letters; a++) {
        double *to = out->letter + a * d * d;
        for (size_t i = 0; i < d * d; i++)
            to[i] = f2l_field_double(&rep->letter[a].entry[i], &rep->field);
        conjugate(to, copy, out->lower, d);
    }
    f2l_free(copy);
    if (status != F2L_OK) f2l_irrep_float_clear(out);
    return status;
}

void f2l_irrep_float_exact_basis(double *x, const f2l_irrep_float *rep)
{
    const size_t d = rep->dimension;
    for (size_t i = d; i-- > 0;) {
        for (size_t k = i + 1; k < d; k++) x[i] -= rep->lower[k * d + i] * x[k];
        x[i] /= rep->lower[i * d + i];
    }
}
