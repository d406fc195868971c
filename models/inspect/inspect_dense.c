#include "models/inspect/inspect_dense.h"
#include "numeric/exact/arb_headers.h"
#include <float.h>
#include <math.h>

#define SWEEPS 60
/* Bound on the cosine of an angle that counts as right: above the rounding errors in products of a
 * thousand terms. */
#define RIGHT (64 * DBL_EPSILON)

double f2l_dense_dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void rotate(double *x, double *y, double c, double s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double old = x[i];
        x[i] = c * old - s * y[i];
        y[i] = s * old + c * y[i];
    }
}

static void exchange(double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double old = x[i];
        x[i] = y[i];
        y[i] = old;
    }
}

/* Makes two rows orthogonal; returns false if they were orthogonal. */
static bool make_orthogonal(double *x, double *y, double *rx, double *ry, size_t columns,
                            size_t count)
{
    const double xx = f2l_dense_dot(x, x, columns), yy = f2l_dense_dot(y, y, columns),
                 xy = f2l_dense_dot(x, y, columns);
    if (fabs(xy) <= RIGHT * sqrt(xx) * sqrt(yy) || fabs(xy) < DBL_MIN) return false;
    /* The smaller angle that annuls (c x - s y) (s x + c y) = cs (xx - yy) + (c^2 - s^2) xy. */
    const double half = (yy - xx) / (2 * xy);
    const double t = (half >= 0 ? 1 : -1) / (fabs(half) + hypot(1, half));
    const double c = 1 / hypot(1, t);
    rotate(x, y, c, c * t, columns);
    if (rx != NULL) rotate(rx, ry, c, c * t, count);
    return true;
}

static void sort_rows(double *length, double *a, double *rotation, size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++)
        length[i] = sqrt(f2l_dense_dot(a + i * columns, a + i * columns, columns));
    for (size_t i = 0; i < count; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < count; k++)
            if (length[k] > length[best]) best = k;
        if (best == i) continue;
        exchange(length + i, length + best, 1);
        exchange(a + i * columns, a + best * columns, columns);
        if (rotation != NULL) exchange(rotation + i * count, rotation + best * count, count);
    }
}

bool f2l_dense_orthogonalise(double *length, double *a, double *rotation, size_t count,
                             size_t columns)
{
    bool moved = true;
    for (size_t i = 0; i < count * columns; i++)
        if (!isfinite(a[i])) return false;
    for (size_t i = 0; rotation != NULL && i < count * count; i++)
        rotation[i] = i / count == i % count ? 1 : 0;
    for (size_t sweep = 0; moved && sweep < SWEEPS; sweep++) {
        moved = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++) {
                double *ri = rotation != NULL ? rotation + i * count : NULL,
                       *rk = rotation != NULL ? rotation + k * count : NULL;
                if (make_orthogonal(a + i * columns, a + k * columns, ri, rk, columns, count))
                    moved = true;
            }
    }
    sort_rows(length, a, rotation, count, columns);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(length[i])) return false;
    return true;
}

/* --- eigenvalues --- */

enum { SMALL = F2L_DENSE_SMALL, BITS = 128 };

/* Finds the eigenvalues by the QR iteration of Arb, with more bits than a double has, since an
 * eigenvalue of multiplicity k is found to one k-th of the bits. */
static bool find(double *re, double *im, const double *a, size_t n)
{
    const slong size = (slong)n;
    acb_mat_t matrix;
    acb_ptr value = _acb_vec_init(size);
    acb_mat_init(matrix, size, size);
    for (slong i = 0; i < size; i++)
        for (slong k = 0; k < size; k++) acb_set_d(acb_mat_entry(matrix, i, k), a[i * size + k]);
    const bool found = acb_mat_approx_eig_qr(value, NULL, NULL, matrix, NULL, 0, BITS) != 0;
    for (slong i = 0; i < size; i++) {
        re[i] = arf_get_d(arb_midref(acb_realref(value + i)), ARF_RND_NEAR);
        im[i] = arf_get_d(arb_midref(acb_imagref(value + i)), ARF_RND_NEAR);
    }
    acb_mat_clear(matrix);
    _acb_vec_clear(value, size);
    return found;
}

/* Makes conjugate pairs exact. Eigenvalues of a real matrix come in pairs of conjugates, and the
 * computed ones nearly so: both get their mean. */
static void pair_conjugates(double *re, double *im, size_t n)
{
    bool paired[SMALL] = {false};
    for (size_t i = 0; i < n; i++) {
        size_t other = n;
        double least = INFINITY;
        if (im[i] <= 0) continue;
        for (size_t k = 0; k < n; k++) {
            const double away = hypot(re[k] - re[i], im[k] + im[i]);
            if (im[k] >= 0 || paired[k] || away >= least) continue;
            other = k;
            least = away;
        }
        if (other == n) continue;
        paired[i] = paired[other] = true;
        re[i] = re[other] = (re[i] + re[other]) / 2;
        im[i] = (im[i] - im[other]) / 2;
        im[other] = -im[i];
    }
    for (size_t i = 0; i < n; i++) /* one without a partner is real, and its imaginary part is an
                                    * error */
        if (!paired[i]) im[i] = 0;
}

static void sort_pairs(double *re, double *im, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i;
             k > 0 && (re[k] < re[k - 1] || (re[k] == re[k - 1] && im[k] < im[k - 1])); k--) {
            exchange(re + k, re + k - 1, 1);
            exchange(im + k, im + k - 1, 1);
        }
}

bool f2l_dense_eigenvalues(double *re, double *im, const double *a, size_t n)
{
    double size = 0;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) return false;
        size = fmax(size, fabs(a[i]));
    }
    if (n == 0) return true;
    if (!find(re, im, a, n)) return false;
    for (size_t i = 0; i < n; i++)
        if (fabs(im[i]) <= 1e-12 * size) im[i] = 0;
    pair_conjugates(re, im, n);
    sort_pairs(re, im, n);
    return true;
}
