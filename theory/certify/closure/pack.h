/* Packs numbers of a format into the fewest whole bytes: sign, exponent, significand, in the layout
 * of IEEE 754 (e4m3 and e5m2 take 1 byte, bf16 and fp16 take 2, tf32 takes 3, fp32 takes 4, fp64
 * takes 8), derived from the format's data alone. The codes after the largest value are infinity,
 * where the format has it, and NaN, so e4m3 has the layout of OCP. */
#ifndef F2L_PACK_IMPL_H
#define F2L_PACK_IMPL_H

#include "numeric/format/format.h"
#include <stdint.h>

typedef struct f2l_pack {
    int precision, emin, emax;
    bool subnormals, infinity;
    size_t width;          /* bytes per number */
    uint64_t special, nan; /* code after the largest value, infinity if there is one; code of NaN */
    uint64_t sign;
    int drop;      /* bits of a double's significand that the format lacks */
    uint64_t bias; /* code = (double without its last bits) - bias, for normal numbers */
} f2l_pack;

void f2l_pack_init(f2l_pack *pack, const f2l_format *format);

/* Makes a packing that holds every double. */
void f2l_pack_init_double(f2l_pack *pack);

/* Writes n numbers to `out` (n * width bytes). -0 becomes +0 and all NaN become one, so that equal
 * numbers have equal bytes. Returns false when some number is not a value of the format. */
bool f2l_pack_write(const f2l_pack *pack, unsigned char *out, const double *number, size_t n);
void f2l_pack_read(const f2l_pack *pack, double *number, const unsigned char *bytes, size_t n);

#endif
