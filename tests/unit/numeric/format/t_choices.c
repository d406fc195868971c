#include "numeric/format/choices.h"
#include <criterion/criterion.h>

Test(choices, no_bit_is_one_run)
{
    static f2l_choices c;
    f2l_choices_restart(&c);
    cr_assert_not(f2l_choices_next(&c));
    cr_assert_not(c.overflow);
}

Test(choices, all_sequences_of_a_fixed_length)
{
    static f2l_choices c;
    unsigned seen = 0;
    f2l_choices_restart(&c);
    do {
        unsigned value = 0;
        for (int i = 0; i < 10; i++) value = 2 * value + f2l_choices_take(&c);
        cr_assert_eq(value, seen); /* in the order of numbers */
        seen++;
    } while (f2l_choices_next(&c));
    cr_assert_eq(seen, 1024);
}

/* Runs that take more bits after some choices than after others: a run ends at its second 1, or
 * after 6 bits. */
Test(choices, runs_of_different_lengths)
{
    static f2l_choices c;
    bool seen[1 << 7] = {false};
    unsigned runs = 0, expected = 0;
    for (unsigned word = 0; word < 64; word++) {
        /* Words of 6 bits with the same beginning, up to the second 1, are one run: only the words
         * with zeros after it are counted. */
        unsigned ones = 0, tail = 0;
        for (int i = 5; i >= 0; i--) {
            if (ones == 2) tail |= word >> i & 1;
            if (ones < 2) ones += word >> i & 1;
        }
        expected += tail == 0;
    }
    f2l_choices_restart(&c);
    do {
        unsigned key = 1, ones = 0;
        for (int i = 0; i < 6 && ones < 2; i++) {
            const bool bit = f2l_choices_take(&c);
            key = 2 * key + bit;
            ones += bit;
        }
        cr_assert_not(seen[key]);
        seen[key] = true;
        runs++;
    } while (f2l_choices_next(&c));
    cr_assert_eq(runs, expected);
}

Test(choices, too_many)
{
    static f2l_choices c;
    f2l_choices_restart(&c);
    for (size_t i = 0; i < F2L_MAX_CHOICES_TAKEN; i++) cr_assert_not(f2l_choices_take(&c));
    cr_assert_not(c.overflow);
    cr_assert_not(f2l_choices_take(&c));
    cr_assert(c.overflow);
    cr_assert_not(f2l_choices_next(&c));
    f2l_choices_restart(&c);
    cr_assert_not(c.overflow);
    f2l_choices_take(&c);
    cr_assert(f2l_choices_next(&c));
    cr_assert(f2l_choices_take(&c));
    cr_assert_not(f2l_choices_next(&c));
}
