/* Known eigenvalues, and the multiplicity with which one of them is found. */
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

/* Returns the multiplicity of x + iy in the spectrum: an enclosure must contain it up to the
 * rounding of the doubles x and y. */
size_t multiplicity(const f2l_spectrum *s, double x, double y);

#endif
