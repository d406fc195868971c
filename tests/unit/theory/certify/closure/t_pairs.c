/* Storage of the rows of closures: numbers of a format packed into bytes, and the hashed set of
 * rows. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/certify/closure/pack.h"
#include "theory/certify/closure/pairs.h"
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
        /* bf16 is the upper half of fp32: first all upper halves, then random fp32. */
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

/* Checks that every code of a format decodes to a value that encodes back, and that values rise
 * with the codes. */
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
    /* Invented formats: their layout follows from their data. */
    const f2l_format small = {.name = "small",
                              .precision = 4,
                              .emin = -6,
                              .emax = 8,
                              .largest = 480,
                              .subnormals = true,
                              .overflow = F2L_OVERFLOW_NAN};
    const f2l_format odd = {.name = "odd",
                            .precision = 20,
                            .emin = -3,
                            .emax = 1,
                            .largest = 4 - 0x1p-18,
                            .subnormals = true};
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
        f2l_pairs_init(&pairs, width, ROWS);
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
        f2l_pairs_clear(&pairs);
    }
}

/* At every number of rows growing takes no more than is promised; a closure, which adds at most 4
 * bytes for the automaton's state, takes at most 12 beyond the joint state. */
Test(pairs, a_row_takes_its_bytes_and_at_most_eight_more)
{
    static const struct {
        size_t width, rows;
    } size[] = {{3, 300000}, {8, 100000}, {37, 200000}, {300, 20000}, {3000, 1500}, {40000, 300}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const size_t width = size[i].width, chunk = 64 * (width + 1) + 2048;
        const size_t fixed = chunk > F2L_PAIRS_FIXED_BYTES ? chunk : F2L_PAIRS_FIXED_BYTES;
        unsigned char *row = f2l_calloc(width, 1);
        f2l_pairs pairs;
        size_t index;
        f2l_pairs_init(&pairs, width, SIZE_MAX);
        for (size_t n = 0; n < size[i].rows; n++) {
            f2l_pairs_put(row, 3, n);
            cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
            cr_assert_eq(f2l_pairs_set_children(&pairs, n, n % 5000 == 0 ? 5000 : 0, NULL), F2L_OK);
            const size_t bytes = f2l_pairs_bytes(&pairs);
            cr_assert_leq(bytes, pairs.count * (width + F2L_PAIRS_ROW_BYTES) + fixed,
                          "width %zu, %zu rows: %zu bytes", width, pairs.count, bytes);
        }
        cr_assert_eq(pairs.limit, F2L_PAIRS_LIMIT);
        f2l_pairs_clear(&pairs);
        f2l_free(row);
    }
}

/* At sizes at which tags and slots change, every row is found. */
Test(pairs, rows_are_found_at_every_size)
{
    enum { ROWS = 3000 };
    f2l_pairs pairs;
    size_t index;
    unsigned char row[4];
    f2l_pairs_init(&pairs, 4, ROWS);
    for (size_t n = 0; n < ROWS; n++) {
        f2l_pairs_put(row, 4, n * n);
        cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
        cr_assert_eq(index, n);
        for (size_t k = n % 7; k <= n; k += 7) {
            f2l_pairs_put(row, 4, k * k);
            const uint64_t hash = f2l_pairs_hash(row, 4);
            f2l_pairs_prefetch_slot(&pairs, hash);
            f2l_pairs_prefetch_row(&pairs, hash);
            cr_assert_eq(f2l_pairs_add_hashed(&pairs, row, hash, &index, NULL, "test", NULL),
                         F2L_OK);
            cr_assert_eq(index, k);
        }
        cr_assert_eq(pairs.count, n + 1);
    }
    f2l_pairs_clear(&pairs);
}

/* A refused row leaves everything unchanged. */
Test(pairs, a_budget_that_ends_changes_nothing)
{
    f2l_pairs pairs;
    unsigned char row[4];
    size_t index, n = 0;
    f2l_error err = {0};
    const f2l_task task = {.memory = 200000};
    f2l_pairs_init(&pairs, 4, 1000000);
    f2l_status status = F2L_OK;
    for (; status == F2L_OK; n++) {
        f2l_pairs_put(row, 4, n);
        status = f2l_pairs_add(&pairs, row, &index, &task, "test", &err);
    }
    cr_assert_eq(status, F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "memory"));
    cr_assert_eq(pairs.count, n - 1);
    cr_assert_leq(f2l_pairs_bytes(&pairs), 200000);
    for (size_t k = 0; k + 1 < n; k++) {
        f2l_pairs_put(row, 4, k);
        cr_assert_eq(f2l_pairs_add(&pairs, row, &index, &task, "test", &err), F2L_OK);
        cr_assert_eq(index, k);
    }
    cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", &err), F2L_OK);
    cr_assert_eq(index, n - 2);
    f2l_pairs_clear(&pairs);
}

/* Checks the paths to the rows of a random tree in which a row has fewer than `most` children. */
static void check_paths(size_t most)
{
    static const uint64_t seed = 12;
    enum { ROWS = 30000 };
    static uint32_t parent[ROWS];
    f2l_pairs pairs;
    f2l_rng rng;
    f2l_pairs_init(&pairs, 4, ROWS);
    f2l_rng_init(&rng, seed, 0);
    size_t expanded = 0, index;
    unsigned char row[4] = {0};
    cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
    for (; pairs.count < ROWS; expanded++) {
        /* At least one child while the last row is being expanded, so that the tree goes on. */
        size_t children = (size_t)f2l_rng_below(&rng, most);
        if (expanded + 1 == pairs.count && children == 0) children = 1;
        if (children > ROWS - pairs.count) children = ROWS - pairs.count;
        for (size_t i = 0; i < children; i++) {
            f2l_pairs_put(row, 4, pairs.count);
            parent[pairs.count] = (uint32_t)expanded;
            cr_assert_eq(f2l_pairs_add(&pairs, row, &index, NULL, "test", NULL), F2L_OK);
        }
        cr_assert_eq(f2l_pairs_set_children(&pairs, expanded, children, NULL), F2L_OK);
    }
    for (size_t r = 0; r < ROWS; r += 97) {
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

Test(pairs, paths_follow_the_parents)
{
    check_paths(4);
    check_paths(300);
    check_paths(2000);
}
