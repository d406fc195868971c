#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

Test(mem, calloc_zeroes_and_checks_sizes)
{
    unsigned char *p = f2l_calloc(1000, 3);
    cr_assert_not_null(p);
    for (size_t i = 0; i < 3000; i++) cr_assert_eq(p[i], 0);
    f2l_free(p);
    cr_assert_null(f2l_calloc(SIZE_MAX / 2, 3));
    cr_assert_null(f2l_calloc((size_t)PTRDIFF_MAX + 1, 1));
}

Test(mem, nothing_is_something)
{
    void *a = f2l_calloc(0, 8), *b = f2l_realloc(NULL, 8, 0);
    cr_assert_not_null(a);
    cr_assert_not_null(b);
    cr_assert_neq(a, b);
    f2l_free(a);
    f2l_free(b);
    f2l_free(NULL);
}

Test(mem, realloc_keeps_what_was_there_even_when_it_fails)
{
    char *p = f2l_realloc(NULL, 5, 1);
    memcpy(p, "abcd", 5);
    cr_assert_null(f2l_realloc(p, SIZE_MAX, 2));
    cr_assert_str_eq(p, "abcd");
    p = f2l_realloc(p, 100000, 1);
    cr_assert_str_eq(p, "abcd");
    f2l_free(p);
}

Test(mem, strndup_copies_n_bytes)
{
    char *p = f2l_strndup("abc", 2), *q = f2l_strndup(NULL, 0);
    cr_assert_str_eq(p, "ab");
    cr_assert_str_eq(q, "");
    cr_assert_null(f2l_strndup("", SIZE_MAX));
    f2l_free(p);
    f2l_free(q);
}

Test(mem, grow_makes_room_for_one_more)
{
    uint32_t *v = NULL;
    size_t capacity = 0, grown = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        cr_assert(f2l_grow((void **)&v, &capacity, i, sizeof *v));
        cr_assert_gt(capacity, i);
        grown += capacity != before;
        v[i] = i * 3;
    }
    cr_assert_leq(grown, 14);
    for (uint32_t i = 0; i < 100000; i++) cr_assert_eq(v[i], i * 3);
    f2l_free(v);
}

Test(mem, grow_refuses_overflow_and_changes_nothing)
{
    char *v = NULL;
    size_t capacity = SIZE_MAX / 2 + 1;
    cr_assert_not(f2l_grow((void **)&v, &capacity, capacity, 1));
    cr_assert_null(v);
    cr_assert_eq(capacity, SIZE_MAX / 2 + 1);
    capacity = SIZE_MAX / 8;
    cr_assert_not(f2l_grow((void **)&v, &capacity, capacity, 16));
    cr_assert_eq(capacity, SIZE_MAX / 8);
}

Test(mem, size_arithmetic_detects_overflow)
{
    size_t out;
    cr_assert(f2l_mul_size(&out, SIZE_MAX / 3, 3));
    cr_assert_eq(out, SIZE_MAX / 3 * 3);
    cr_assert_not(f2l_mul_size(&out, SIZE_MAX / 3 + 1, 3));
    cr_assert(f2l_add_size(&out, SIZE_MAX - 1, 1));
    cr_assert_eq(out, SIZE_MAX);
    cr_assert_not(f2l_add_size(&out, SIZE_MAX, 1));
}

#ifdef F2L_MEM_FAILURES
static bool allocates(void)
{
    void *p = f2l_calloc(1, 1);
    f2l_free(p);
    return p != NULL;
}

Test(mem, the_nth_allocation_fails)
{
    f2l_mem_fail_after(3, false);
    cr_assert(allocates());
    cr_assert(allocates());
    cr_assert_not(allocates());
    cr_assert(allocates());
    f2l_mem_fail_after(2, true);
    cr_assert(allocates());
    cr_assert_not(allocates());
    cr_assert_not(allocates());
    cr_assert_null(f2l_strndup("x", 1));
    f2l_mem_fail_after(0, false);
    cr_assert(allocates());
}
#endif
