/* Numbers of a format in as few whole bytes as hold them: sign, exponent, significand, as IEEE 754 lays them
 * out (bf16 and fp16 take 2 bytes, fp32 takes 4, fp64 takes 8), from the format's data alone. */
#ifndef F2L_PACK_IMPL_H
#define F2L_PACK_IMPL_H

#include "f2l_format.h"
#include <stdint.h>

typedef struct f2l_pack {
    int precision, emin, emax;
    size_t width;     /* bytes per number */
    uint64_t special; /* exponent field of infinities and NaN, in place */
    uint64_t sign;
} f2l_pack;

void f2l_pack_init(f2l_pack *pack, const f2l_format *format);

/* One that holds every double. */
void f2l_pack_init_double(f2l_pack *pack);

/* Writes n numbers to `out` (n * width bytes). -0 becomes +0 and all NaN become one, so that equal numbers
 * have equal bytes. False when some number is not a value of the format. */
bool f2l_pack_write(const f2l_pack *pack, unsigned char *out, const double *number, size_t n);
void f2l_pack_read(const f2l_pack *pack, double *number, const unsigned char *bytes, size_t n);

#endif
