#include "numeric/base/mem.h"
#include "numeric/base/names.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t add(f2l_names *names, const char *text)
{
    size_t index = F2L_NO_INDEX;
    f2l_error err;
    cr_assert_eq(f2l_names_add(names, text, strlen(text), &index, &err), F2L_OK);
    return index;
}

Test(names, an_empty_set_finds_nothing)
{
    f2l_names names;
    f2l_names_init(&names);
    cr_assert_eq(f2l_names_find(&names, "a", 1), F2L_NO_INDEX);
    cr_assert_eq(f2l_names_find(&names, "", 0), F2L_NO_INDEX);
    f2l_names_clear(&names);
    f2l_names_clear(&names);
}

Test(names, indices_follow_first_appearance)
{
    f2l_names names;
    f2l_names_init(&names);
    cr_assert_eq(add(&names, "b"), 0);
    cr_assert_eq(add(&names, ""), 1);
    cr_assert_eq(add(&names, "a"), 2);
    cr_assert_eq(add(&names, "b"), 0);
    cr_assert_eq(add(&names, ""), 1);
    cr_assert_eq(names.count, 3);
    cr_assert_str_eq(f2l_names_get(&names, 0), "b");
    cr_assert_str_eq(f2l_names_get(&names, 1), "");
    cr_assert_str_eq(f2l_names_get(&names, 2), "a");
    cr_assert_eq(f2l_names_find(&names, "ab", 1), 2);
    cr_assert_eq(f2l_names_find(&names, "ab", 2), F2L_NO_INDEX);
    f2l_names_clear(&names);
    cr_assert_eq(names.count, 0);
    cr_assert_eq(add(&names, "c"), 0);
    f2l_names_clear(&names);
}

/* Writes a name of 0 to 20 bytes over two letters, so that prefixes are long and short names are
 * repeated; returns its length. */
static size_t random_name(f2l_rng *r, char *out)
{
    size_t size = f2l_rng_below(r, 21);
    for (size_t i = 0; i < size; i++) out[i] = "ab"[f2l_rng_below(r, 2)];
    out[size] = '\0';
    return size;
}

Test(names, agrees_with_a_linear_search)
{
    f2l_names names;
    f2l_rng r;
    char text[24];
    f2l_names_init(&names);
    f2l_rng_init(&r, 20260101, 0); /* the seed */
    for (int round = 0; round < 3000; round++) {
        size_t size = random_name(&r, text), expected = 0, before = names.count;
        while (expected < names.count && strcmp(f2l_names_get(&names, expected), text) != 0)
            expected++;
        bool known = expected < before;
        cr_assert_eq(f2l_names_find(&names, text, size), known ? expected : F2L_NO_INDEX);
        cr_assert_eq(add(&names, text), expected);
        cr_assert_eq(names.count, known ? before : before + 1);
    }
    cr_assert_gt(names.count, 1000);
    cr_assert_lt(names.count, 3000);
    f2l_names_clear(&names);
}

Test(names, a_hundred_thousand_names_are_found_again)
{
    f2l_names names, copy;
    f2l_error err;
    char text[24];
    f2l_names_init(&names);
    f2l_names_init(&copy);
    for (size_t i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "state-%zu", i);
        cr_assert_eq(add(&names, text), i);
    }
    cr_assert_eq(f2l_names_copy(&copy, &names, &err), F2L_OK);
    f2l_names_clear(&names);
    cr_assert_eq(add(&copy, "another"), 100000);
    for (size_t i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "state-%zu", i);
        cr_assert_eq(f2l_names_find(&copy, text, strlen(text)), i);
        cr_assert_str_eq(f2l_names_get(&copy, i), text);
    }
    f2l_names_clear(&copy);
}

Test(names, a_copy_of_nothing_is_empty_and_replaces)
{
    f2l_names empty, out;
    f2l_names_init(&empty);
    f2l_names_init(&out);
    add(&out, "old");
    cr_assert_eq(f2l_names_copy(&out, &empty, NULL), F2L_OK);
    cr_assert_eq(out.count, 0);
    cr_assert_eq(f2l_names_find(&out, "old", 3), F2L_NO_INDEX);
    f2l_names_clear(&out);
}

#ifdef F2L_MEM_FAILURES
Test(names, a_failed_add_changes_nothing)
{
    f2l_names names;
    f2l_names_init(&names);
    size_t failures = 0, index;
    for (size_t i = 0; i < 300; i++) {
        char text[300];
        memset(text, 'x', i);
        for (size_t n = 1;; n++) {
            f2l_error err = {0};
            f2l_mem_fail_after(n, n % 2 == 0);
            f2l_status status = f2l_names_add(&names, text, i, &index, &err);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) break;
            failures++;
            cr_assert_eq(status, F2L_ENOMEM);
            cr_assert_eq(err.status, F2L_ENOMEM);
            cr_assert_eq(names.count, i);
            cr_assert_eq(f2l_names_find(&names, text, i), F2L_NO_INDEX);
        }
        cr_assert_eq(index, i);
    }
    cr_assert_gt(failures, 10);
    for (size_t i = 0; i < 300; i++) cr_assert_eq(strlen(f2l_names_get(&names, i)), i);
    f2l_names_clear(&names);
}

Test(names, a_failed_copy_leaves_both_as_they_were)
{
    f2l_names names, out;
    f2l_names_init(&names);
    f2l_names_init(&out);
    add(&names, "a");
    add(&out, "z");
    for (size_t n = 1; n <= 3; n++) {
        f2l_mem_fail_after(n, false);
        cr_assert_eq(f2l_names_copy(&out, &names, NULL), F2L_ENOMEM);
        cr_assert_eq(f2l_names_find(&out, "z", 1), 0);
    }
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_names_copy(&out, &names, NULL), F2L_OK);
    cr_assert_eq(f2l_names_find(&out, "a", 1), 0);
    f2l_names_clear(&names);
    f2l_names_clear(&out);
}
#endif
