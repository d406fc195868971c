#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/base/task.h"
#include <criterion/criterion.h>
#include <stdlib.h>

/* Rows of two words, with the test's hash. */
typedef struct rows {
    uint64_t row[20000][2];
    size_t calls; /* number of calls of is_row */
    uint64_t (*hash)(const uint64_t *row);
} rows;

static uint64_t good(const uint64_t *row)
{
    return f2l_hash_bytes(F2L_HASH, row, 2 * sizeof *row);
}

static uint64_t constant(const uint64_t *row)
{
    (void)row;
    return UINT64_C(0xffffffffffffffff);
}

/* Returns a hash in the last slots of any table, so that probes wrap at its end. */
static uint64_t crowded(const uint64_t *row)
{
    return UINT64_C(0xfffffffffffffffe) + row[0] % 2;
}

static uint64_t hash_of(const void *rows_at, size_t i)
{
    const rows *r = rows_at;
    return r->hash(r->row[i]);
}

static bool is_row(const void *rows_at, size_t i, const void *key)
{
    rows *r = (rows *)rows_at;
    r->calls++;
    return memcmp(r->row[i], key, sizeof r->row[i]) == 0;
}

static size_t find(const f2l_index *index, const rows *r, const uint64_t *key)
{
    return f2l_index_find(index, r->hash(key), is_row, r, key);
}

/* Returns the row's number, and stores the row when it is new. */
static size_t put(f2l_index *index, rows *r, const uint64_t *key)
{
    const size_t before = index->count;
    cr_assert(f2l_index_grow(index, hash_of, r));
    const size_t i = f2l_index_find_or_add(index, r->hash(key), is_row, r, key);
    if (i == before) memcpy(r->row[i], key, sizeof r->row[i]);
    cr_assert_eq(index->count, before + (i == before));
    return i;
}

static rows *new_rows(uint64_t (*hash)(const uint64_t *row))
{
    rows *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->hash = hash;
    return r;
}

/* Puts `tries` random rows of numbers below `below`, beside a search through all rows. */
static void compare_with_a_linear_search(uint64_t (*hash)(const uint64_t *row), int tries,
                                         uint64_t below, size_t at_least)
{
    rows *r = new_rows(hash);
    f2l_index index = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, 20260606, below); /* the seed */
    for (int t = 0; t < tries; t++) {
        const uint64_t key[2] = {f2l_rng_below(&rng, (uint32_t)below),
                                 f2l_rng_below(&rng, (uint32_t)below)};
        const size_t count = index.count;
        size_t expected = 0;
        while (expected < count && memcmp(r->row[expected], key, sizeof key) != 0) expected++;
        cr_assert_eq(find(&index, r, key), expected < count ? expected : F2L_NO_INDEX);
        cr_assert_eq(put(&index, r, key), expected);
        cr_assert_eq(find(&index, r, key), expected);
    }
    cr_assert_gt(index.count, at_least);
    cr_assert_lt(index.count, (uint32_t)tries);
    for (size_t i = 0; i < index.count; i++) cr_assert_eq(find(&index, r, r->row[i]), i);
    f2l_index_clear(&index);
    free(r);
}

Test(index, an_empty_set_finds_nothing_and_is_cleared_twice)
{
    rows *r = new_rows(good);
    f2l_index index = {0};
    cr_assert_eq(find(&index, r, r->row[0]), F2L_NO_INDEX);
    cr_assert_eq(f2l_index_bytes(&index), 0);
    f2l_index_empty(&index, 5);
    cr_assert_eq(find(&index, r, r->row[0]), F2L_NO_INDEX);
    cr_assert_eq(put(&index, r, r->row[0]), 0);
    f2l_index_clear(&index);
    cr_assert_eq(index.count, 0);
    cr_assert_eq(find(&index, r, r->row[0]), F2L_NO_INDEX);
    f2l_index_clear(&index);
    free(r);
}

Test(index, agrees_with_a_linear_search)
{
    compare_with_a_linear_search(good, 10000, 80, 4000);
    compare_with_a_linear_search(good, 300, 8, 50);
}

Test(index, equal_hashes_are_told_apart)
{
    compare_with_a_linear_search(constant, 1500, 30, 600);
    compare_with_a_linear_search(crowded, 1500, 30, 600);
}

/* Rows that differ are hardly ever compared, because slots have bits of the hash. */
Test(index, few_rows_are_compared_in_vain)
{
    rows *r = new_rows(good);
    f2l_index index = {0};
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t key[2] = {i, 0};
        cr_assert_eq(put(&index, r, key), i);
    }
    cr_assert_lt(r->calls, 200);
    r->calls = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t key[2] = {i, 1};
        cr_assert_eq(find(&index, r, key), F2L_NO_INDEX);
    }
    cr_assert_lt(r->calls, 200);
    f2l_index_clear(&index);
    free(r);
}

/* Equal rows can be stored when the caller adds without a look-up: then the first one is found. */
Test(index, the_first_of_equal_rows_is_found)
{
    rows *r = new_rows(good);
    f2l_index index = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        r->row[i][0] = i % 100;
        cr_assert(f2l_index_grow(&index, hash_of, r));
        cr_assert_eq(f2l_index_add(&index, hash_of(r, i)), i);
    }
    for (size_t i = 0; i < 1000; i++) cr_assert_eq(find(&index, r, r->row[i]), i % 100);
    f2l_index_clear(&index);
    free(r);
}

Test(index, slots_are_at_most_half_full)
{
    const size_t rows_of[] = {0, 1, 2, 3, 4, 5, 32, 33, 64, 65, (size_t)1 << 31};
    const size_t slots[] = {2, 2, 4, 8, 8, 16, 64, 128, 128, 256, (size_t)1 << 32};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        cr_assert_eq(f2l_index_slots(rows_of[i]), slots[i], "%zu", rows_of[i]);
    cr_assert_eq(f2l_index_slots(SIZE_MAX), 0);
    rows *r = new_rows(good);
    f2l_index index = {0};
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t key[2] = {i, i};
        put(&index, r, key);
        const size_t expected = f2l_index_slots(i < 32 ? 32 : i + 1) * sizeof(uint32_t);
        cr_assert_eq(f2l_index_bytes(&index), expected);
    }
    f2l_index_clear(&index);
    cr_assert(f2l_index_reserve(&index, 5, hash_of, r));
    cr_assert_eq(f2l_index_bytes(&index), 16 * sizeof(uint32_t));
    cr_assert(f2l_index_reserve(&index, 3, hash_of, r));
    cr_assert_eq(f2l_index_bytes(&index), 16 * sizeof(uint32_t));
    cr_assert_not(f2l_index_reserve(&index, UINT32_MAX, hash_of, r));
    cr_assert_eq(f2l_index_bytes(&index), 16 * sizeof(uint32_t));
    f2l_index_clear(&index);
    free(r);
}

Test(index, emptied_it_takes_fewer_slots_and_other_rows)
{
    rows *r = new_rows(good);
    f2l_index index = {0};
    for (size_t rest = 1000; rest > 0; rest /= 3) {
        cr_assert(f2l_index_reserve(&index, rest, hash_of, r));
        f2l_index_empty(&index, rest);
        cr_assert_eq(index.count, 0);
        cr_assert_eq(f2l_index_bytes(&index), f2l_index_slots(rest) * sizeof(uint32_t));
        for (uint64_t i = 0; i < rest; i++) {
            const uint64_t key[2] = {i, rest};
            cr_assert_eq(find(&index, r, key), F2L_NO_INDEX);
            cr_assert_eq(put(&index, r, key), i);
        }
    }
    for (uint64_t i = 0; i < 500; i++) {
        const uint64_t key[2] = {i, 7};
        put(&index, r, key);
    }
    cr_assert_eq(index.count, 501);
    f2l_index_clear(&index);
    free(r);
}

/* Callers charge a set by its slots before they make it. */
Test(index, slots_are_charged_to_a_task_before_they_are_made)
{
    f2l_effort effort = {.limit = 300};
    const f2l_task task = {.memory = 512, .effort = &effort};
    f2l_error err;
    const size_t fits = f2l_index_slots(32) * sizeof(uint32_t);
    cr_assert_eq(fits, 256);
    cr_assert_eq(f2l_task_table(&task, "rows", fits, &err), F2L_OK);
    cr_assert_eq(effort.spent, 256);
    cr_assert_eq(f2l_task_table(&task, "rows", fits, &err), F2L_UNKNOWN);
    cr_assert(effort.refused);
    effort = (f2l_effort){0};
    const size_t many = f2l_index_slots(65) * sizeof(uint32_t);
    cr_assert_eq(f2l_task_memory(&task, "rows", many, &err), F2L_UNKNOWN);
    f2l_index index = {0};
    rows *r = new_rows(good);
    cr_assert(f2l_index_reserve(&index, 32, hash_of, r));
    cr_assert_eq(f2l_index_bytes(&index), fits);
    f2l_index_clear(&index);
    free(r);
}

#ifdef F2L_MEM_FAILURES
Test(index, a_failed_allocation_changes_nothing)
{
    rows *r = new_rows(good);
    f2l_index index = {0};
    size_t failures = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        const uint64_t key[2] = {i, 9};
        f2l_mem_fail_after(1, false);
        if (!f2l_index_grow(&index, hash_of, r)) {
            failures++;
            cr_assert_eq(index.count, i);
            for (size_t k = 0; k < i; k++) cr_assert_eq(find(&index, r, r->row[k]), k);
        }
        f2l_mem_fail_after(0, false);
        cr_assert_eq(put(&index, r, key), i);
    }
    cr_assert_eq(failures, 7); /* for 64, 128, .., 4096 slots */
    f2l_index_clear(&index);
    free(r);
}
#endif

/* In hashes of bytes each byte counts, and so do words that are zero. */
Test(hash, each_byte_counts)
{
    unsigned char bytes[24] = {0};
    for (size_t size = 0; size <= sizeof bytes; size++) {
        const uint64_t before = f2l_hash_bytes(F2L_HASH, bytes, size);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = 1;
            cr_assert_neq(f2l_hash_bytes(F2L_HASH, bytes, size), before);
            bytes[i] = 0;
        }
        if (size > 8) cr_assert_neq(before, f2l_hash_bytes(F2L_HASH, bytes, size - 8));
    }
    cr_assert_eq(f2l_hash_bytes(F2L_HASH, bytes, 0), F2L_HASH);
    bytes[0] = 5; /* bytes[1] .. bytes[7] after it are 0 */
    cr_assert_eq(f2l_hash_bytes(F2L_HASH, bytes, 1), f2l_hash(F2L_HASH, 5));
}

/* SplitMix64 with seed 0: the first two outputs of its reference implementation. */
Test(hash, spread_is_the_finaliser_of_splitmix64)
{
    cr_assert_eq(f2l_hash_spread(F2L_HASH_STRIDE), UINT64_C(0xe220a8397b1dcdaf));
    cr_assert_eq(f2l_hash_spread(2 * F2L_HASH_STRIDE), UINT64_C(0x6e789e6aa1b965f4));
}
