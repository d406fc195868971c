/* Eigenvalues that are known, and how often one of them is found. */
#ifndef SPECTRUM_SUPPORT_H
#define SPECTRUM_SUPPORT_H

#include "theory/obstruct/spectrum/spectra.h"
#include <criterion/criterion.h>

#define SEED 20261121
#define MOST 8

/* The eigenvalue a + b alpha, with its conjugates a + b alpha +- i c when c != 0. */
typedef struct root {
    int a, b, c;
} root;

typedef struct known {
    f2l_matrix m;
    size_t n, roots;
    root root[MOST];
} known;

/* Multiplicity of x + iy in the spectrum: an enclosure must contain it, but for the double's own
 * error. */
static inline size_t multiplicity(const f2l_spectrum *s, double x, double y)
{
    size_t found = 0;
    const double e = 1e-14;
    for (size_t i = 0; i < s->distinct; i++) {
        const f2l_eigenvalue *v = &s->value[i];
        cr_assert(v->re_high - v->re_low < 1e-12 && v->im_high - v->im_low < 1e-12);
        if (v->re_low <= x + e && x - e <= v->re_high && v->im_low <= y + e && y - e <= v->im_high)
            found += v->multiplicity;
    }
    return found;
}

#endif
