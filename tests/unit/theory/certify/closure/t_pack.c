/* Packing of formats beyond the four usual ones. */
#include "tests/support/numeric/format_support.h"
#include "theory/certify/closure/pack.h"
#include "theory/certify/closure/pairs.h"
#include <criterion/criterion.h>

/* Checks that codes rise with the values from 0, that each maps there and back with both signs,
 * that infinity (where it exists) and NaN come after them, and that numbers between two values, or
 * beyond all, are refused. */
static void check_codes(const f2l_format *f, uint64_t step)
{
    f2l_pack pack;
    f2l_pack_init(&pack, f);
    const uint64_t count = count_values(f);
    unsigned char out[8];
    for (uint64_t n = 0; n < count; n += step) {
        const double x = nth_value(f, n), negative = -x;
        if (!f->subnormals && n > 0 && n >> (f->precision - 1) == 0) continue;
        double back;
        cr_assert(f2l_pack_write(&pack, out, &x, 1), "%s: %a", f->name, x);
        cr_assert_eq(f2l_pairs_take(out, pack.width), n, "%s: %a", f->name, x);
        f2l_pack_read(&pack, &back, out, 1);
        cr_assert_eq(bits_of(back), bits_of(x), "%s: %a", f->name, x);
        cr_assert(f2l_pack_write(&pack, out, &negative, 1));
        f2l_pack_read(&pack, &back, out, 1);
        cr_assert_eq(bits_of(back), bits_of(0.0 + negative), "%s: %a", f->name, x);
        const double above = nextafter(x, INFINITY), below = nextafter(-x, -INFINITY);
        if (f->precision < 53 || n == count - 1) {
            cr_assert_not(f2l_pack_write(&pack, out, &above, 1), "%s: %a", f->name, above);
            cr_assert_not(f2l_pack_write(&pack, out, &below, 1), "%s: %a", f->name, below);
        }
    }
    const double special[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        double back;
        const bool writes = f2l_pack_write(&pack, out, &special[i], 1);
        cr_assert_eq(writes, i == 0 || f->overflow == F2L_OVERFLOW_INFINITY);
        if (!writes) continue;
        f2l_pack_read(&pack, &back, out, 1);
        cr_assert_eq(bits_of(back), bits_of(special[i]), "%s", f->name);
    }
}

Test(pack_formats, all_codes)
{
    for (const f2l_format *f = f2l_formats; f->name; f++)
        if (f->precision <= 11) check_codes(f, repetitions(200) < 200 ? 31 : 1);
    static const int small[] = {FLUSH, FINITE, TWO_BITS, FLUSH_FINITE, SATURATING, ONE_BINADE, CUT};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) check_codes(&strange[small[i]], 1);
}

Test(pack_formats, some_codes_of_wide_formats)
{
    for (size_t i = 0; i < STRANGE; i++) {
        const uint64_t count = count_values(&strange[i]);
        if (i == FIFTY_ONE || i == FIFTY_TWO)
            continue; /* the number above their largest is infinity */
        check_codes(&strange[i], count < 10000 ? 1 : (count - 1) / 9973);
    }
    check_codes(f2l_format_find("fp32"), 100003);
}

Test(pack_formats, whole_bytes)
{
    static const struct {
        const char *name;
        size_t width;
    } known[] = {{"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"fp64", 8},
                 {"tf32", 3}, {"e4m3", 1}, {"e5m2", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_pack pack;
        f2l_pack_init(&pack, f2l_format_find(known[i].name));
        cr_assert_eq(pack.width, known[i].width, "%s", known[i].name);
    }
    for (size_t i = 0; i < STRANGE; i++) {
        f2l_pack pack;
        f2l_pack_init(&pack, &strange[i]);
        cr_assert(pack.width >= 1 && pack.width <= 8);
    }
}

/* Codes of OCP's 8-bit formats are the standard's. */
Test(pack_formats, ocp_codes)
{
    static const struct {
        const char *name;
        double x;
        unsigned code;
    } known[] = {{"e4m3", 448, 0x7e},      {"e4m3", -448, 0xfe},   {"e4m3", NAN, 0x7f},
                 {"e4m3", 0x1p-9, 0x01},   {"e4m3", 0x1p-6, 0x08}, {"e4m3", 1, 0x38},
                 {"e5m2", 1, 0x3c},        {"e5m2", 57344, 0x7b},  {"e5m2", INFINITY, 0x7c},
                 {"e5m2", 0x1p-16, 0x01},  {"e5m2", -2, 0xc0},     {"e4m3", 0, 0},
                 {"e4m3", 0x1.cp-7, 0x07}, {"e5m2", -0.0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_pack pack;
        unsigned char out[8];
        f2l_pack_init(&pack, f2l_format_find(known[i].name));
        cr_assert(f2l_pack_write(&pack, out, &known[i].x, 1));
        cr_assert_eq(f2l_pairs_take(out, 1), known[i].code, "%s: %a", known[i].name, known[i].x);
    }
}
