#include "kernels/base/kernels_number.h"
#include <criterion/criterion.h>
#include <math.h>

static uint16_t narrow_as(double x, int type)
{
    uint16_t to = 0;
    f2l_kernels_store(&to, 0, &x, 1, type);
    return to;
}

static double widen(uint16_t bits, int type)
{
    double x;
    f2l_kernels_load(&x, &bits, 0, 1, type);
    return x;
}

/* Every number of 16 bits keeps its bits, half-way cases go to even, and everything between two
 * numbers to the nearer one. */
static void check_type(int type, uint16_t infinity)
{
    for (unsigned bits = 0; bits < infinity; bits++) {
        const double x = widen((uint16_t)bits, type), y = widen((uint16_t)(bits + 1), type);
        cr_assert_eq(narrow_as(x, type), bits);
        cr_assert_eq(narrow_as(-x, type), bits | 0x8000);
        if (bits + 1 == infinity) break;
        const double half = (x + y) / 2;
        cr_assert_eq(narrow_as(half, type), bits + (bits & 1), "%x", bits);
        cr_assert_eq(narrow_as(nextafter(half, 0), type), bits);
        cr_assert_eq(narrow_as(nextafter(half, (double)INFINITY), type), bits + 1);
    }
    cr_assert_eq(narrow_as((double)INFINITY, type), infinity);
    cr_assert_eq(narrow_as(1e300, type), infinity);
    cr_assert_eq(narrow_as(-1e300, type), infinity | 0x8000);
    cr_assert(isnan(widen(narrow_as((double)NAN, type), type)));
}

Test(kernels_number, sixteen_bits)
{
    check_type(FSA2LRNN_KERNELS_F16, 0x7c00);
    check_type(FSA2LRNN_KERNELS_BF16, 0x7f80);
    cr_assert_eq(narrow_as(1, FSA2LRNN_KERNELS_F16), 0x3c00);
    cr_assert_eq(narrow_as(1, FSA2LRNN_KERNELS_BF16), 0x3f80);
    cr_assert_eq(narrow_as(65519, FSA2LRNN_KERNELS_F16), 0x7bff);
    cr_assert_eq(narrow_as(65520, FSA2LRNN_KERNELS_F16), 0x7c00);
}
