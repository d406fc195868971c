/* How closures store their rows: numbers of a format packed into bytes, and the hashed set of rows. */
#include "f2l_mem.h"
#include "f2l_pack_impl.h"
#include "f2l_pairs_impl.h"
#include "f2l_rng.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(pack, bytes_are_those_of_ieee_formats)
{
    f2l_pack bf16, fp16, fp32, fp64, twice;
    f2l_pack_init(&bf16, f2l_format_find("bf16"));
    f2l_pack_init(&fp16, f2l_format_find("fp16"));
    f2l_pack_init(&fp32, f2l_format_find("fp32"));
    f2l_pack_init(&fp64, f2l_format_find("fp64"));
    f2l_pack_init_double(&twice);
    cr_assert_eq(bf16.width, 2);
    cr_assert_eq(fp16.width, 2);
    cr_assert_eq(fp32.width, 4);
    cr_assert_eq(fp64.width, 8);
    cr_assert_eq(twice.width, 8);
    static const uint64_t seed = 7;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 1);
    for (uint32_t i = 0; i < 200000; i++) {
        /* bf16 is the upper half of fp32: all of them first, then random fp32. */
        const bool upper = i < 65536;
        const uint32_t bits = upper ? i << 16 : f2l_rng_u32(&rng);
        float number;
        memcpy(&number, &bits, sizeof number);
        if (isnan(number) || bits == 0x80000000) continue;
        const double x = (double)number;
        double back;
        unsigned char out[8];
        cr_assert(f2l_pack_write(&fp32, out, &x, 1));
        cr_assert_eq(f2l_pairs_take(out, 4), bits);
        f2l_pack_read(&fp32, &back, out, 1);
        cr_assert_eq(back, x);
        cr_assert_eq(f2l_pack_write(&bf16, out, &x, 1), (bits & 0xFFFF) == 0);
        if (upper) {
            cr_assert_eq(f2l_pairs_take(out, 2), bits >> 16);
            f2l_pack_read(&bf16, &back, out, 1);
            cr_assert_eq(back, x);
        }
    }
    for (uint32_t i = 0; i < 100000; i++) {
        const uint64_t bits = i < 5000 ? i : f2l_rng_u64(&rng);
        double x, back;
        unsigned char out[8];
        memcpy(&x, &bits, sizeof x);
        if (isnan(x) || bits == 0x8000000000000000) continue;
        cr_assert(f2l_pack_write(&fp64, out, &x, 1));
        cr_assert_eq(f2l_pairs_take(out, 8), bits);
        f2l_pack_read(&fp64, &back, out, 1);
        cr_assert_eq(back, x);
    }
}

/* Every code of a format decodes to a value that encodes back, and values rise with the codes. */
static void check_all_codes(const f2l_format *format, uint32_t magnitudes)
{
    f2l_pack pack;
    f2l_pack_init(&pack, format);
    double last = -1;
    for (uint32_t code = 0; code < magnitudes; code++) {
        unsigned char in[8], out[8];
        double x, negative;
        f2l_pairs_put(in, pack.width, code);
        f2l_pack_read(&pack, &x, in, 1);
        cr_assert(x > last, "%s: code %u", format->name, code);
        if (format->subnormals)
            cr_assert_eq(f2l_format_round(format, x), x, "%s: code %u", format->name, code);
        cr_assert(f2l_pack_write(&pack, out, &x, 1));
        cr_assert_eq(f2l_pairs_take(out, pack.width), code);
        negative = -x;
        cr_assert(f2l_pack_write(&pack, out, &negative, 1));
        f2l_pack_read(&pack, &negative, out, 1);
        cr_assert_eq(negative, -x);
        last = x;
    }
}

Test(pack, every_code_goes_there_and_back)
{
    check_all_codes(f2l_format_find("bf16"), 0x7F80);
    check_all_codes(f2l_format_find("fp16"), 0x7C00);
    /* Invented ones: the layout comes from the data. */
    const f2l_format small = {"small", 4, -6, 8, true, false, F2L_ROUND_NEAREST_EVEN};
    const f2l_format odd = {"odd", 20, -3, 1, true, true, F2L_ROUND_NEAREST_EVEN};
    check_all_codes(&small, 16 * 8);
    check_all_codes(&odd, 6 << 19);
    f2l_pack pack;
    f2l_pack_init(&pack, &small);
    unsigned char out[8];
    const double outside[] = {512, 1.0625, 0x1p-10, -0x1.1p3};
    for (size_t i = 0; i < 4; i++) cr_assert_not(f2l_pack_write(&pack, out, &outside[i], 1));
}

Test(pack, special_values)
{
    f2l_pack pack;
    f2l_pack_init(&pack, f2l_format_find("fp16"));
    const double number[] = {INFINITY, -INFINITY, (double)NAN, -0.0};
    unsigned char out[8];
    double back[4];
    cr_assert(f2l_pack_write(&pack, out, number, 4));
    f2l_pack_read(&pack, back, out, 4);
    cr_assert_eq(back[0], (double)INFINITY);
    cr_assert_eq(back[1], -(double)INFINITY);
    cr_assert(isnan(back[2]));
    cr_assert_eq(back[3], 0);
    cr_assert_not(signbit(back[3]));
}

Test(pairs, rows_are_found_again_and_take_little)
{
    static const uint64_t seed = 11;
    enum { ROWS = 60000 };
    for (size_t width = 3; width <= 20; width += 17) {
        f2l_pairs pairs;
        f2l_rng rng;
        f2l_pairs_init(&pairs, width, 10, ROWS);
        f2l_rng_init(&rng, seed, width);
        for (int again = 0; again < 2; again++) {
            for (size_t i = 0; i < ROWS; i++) {
                unsigned char row[20] = {0};
                size_t index;
                /* Dense small numbers, as closures have them, in the first and last bytes. */
                f2l_pairs_put(row, 2, i % 300);
                f2l_pairs_put(row + width - 1, 1, i / 300);
                cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
                cr_assert_eq(index, i);
                cr_assert_eq(memcmp(f2l_pairs_get(&pairs, i), row, width), 0);
            }
        }
        cr_assert_eq(pairs.count, ROWS);
        unsigned char extra[20];
        size_t index;
        f2l_error err;
        memset(extra, 0xFF, sizeof extra);
        cr_assert_eq(f2l_pairs_add(&pairs, extra, &index, NULL, "test", &err), F2L_UNKNOWN);
        cr_assert_leq(f2l_pairs_bytes(&pairs), ROWS * (width + 12) + 70000);
        f2l_pairs_clear(&pairs);
    }
}

Test(pairs, paths_follow_the_parents)
{
    static const uint64_t seed = 12;
    enum { ROWS = 3000 };
    static uint32_t parent[ROWS];
    f2l_pairs pairs;
    f2l_rng rng;
    f2l_pairs_init(&pairs, 4, 4, ROWS);
    f2l_rng_init(&rng, seed, 0);
    size_t expanded = 0, index;
    unsigned char row[4] = {0};
    cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
    for (; pairs.count < ROWS; expanded++) {
        /* At least one child while the last row is being expanded, so that the tree goes on. */
        size_t children = (size_t)f2l_rng_below(&rng, 4);
        if (expanded + 1 == pairs.count && children == 0) children = 1;
        if (children > ROWS - pairs.count) children = ROWS - pairs.count;
        for (size_t i = 0; i < children; i++) {
            f2l_pairs_put(row, 4, pairs.count);
            parent[pairs.count] = (uint32_t)expanded;
            cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
        }
        f2l_pairs_set_children(&pairs, expanded, children);
    }
    for (size_t r = 0; r < expanded; r += 7) {
        uint32_t *path;
        size_t length;
        cr_assert_eq(f2l_pairs_path(&pairs, r, &path, &length, NULL), F2L_OK);
        cr_assert_eq(path[0], 0);
        cr_assert_eq(path[length - 1], r);
        for (size_t i = 1; i < length; i++) cr_assert_eq(path[i - 1], parent[path[i]]);
        f2l_free(path);
    }
    f2l_pairs_clear(&pairs);
}
