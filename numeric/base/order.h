/* Orders for qsort and bsearch. */
#ifndef F2L_ORDER_H
#define F2L_ORDER_H

#include <stdint.h>

/* Doubles from the least to the largest; none of them is a NaN. */
static inline int f2l_order_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int f2l_order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#endif
