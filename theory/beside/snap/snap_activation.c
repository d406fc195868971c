/* SiLU, and its inverse. */
#include "theory/beside/snap/put.h"
#include <math.h>

/* Where SiLU is least; its value there is F2L_SNAP_SILU_LEAST. */
#define LEAST_AT (-1.2784645427610738)

double f2l_snap_silu(double z)
{
    return z / (1 + exp(-z));
}

/* SiLU falls up to LEAST_AT and grows from there; z - 0.279 <= silu(z) for z >= 0. */
double f2l_snap_silu_inverse(double y, double near)
{
    const bool falls = y < 0 && near < LEAST_AT;
    double low = falls ? -60 : LEAST_AT, high = falls ? LEAST_AT : fmax(y, 0) + 1;
    if (y <= F2L_SNAP_SILU_LEAST) return LEAST_AT;
    for (size_t i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if ((f2l_snap_silu(middle) > y) != falls)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}
