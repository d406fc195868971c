#include "tests/support/theory/spectrum_support.h"

size_t multiplicity(const f2l_spectrum *s, double x, double y)
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
