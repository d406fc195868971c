/* The census of small automata: its numbers, and the list against all tables. */
#include "automata/census/census.h"
#include <criterion/criterion.h>
#include <string.h>

/* --- a second way: all tables, marked by their least renaming --- */

#define MOST_TABLES 65536 /* 4 states and 2 letters */

static size_t power(size_t base, size_t exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

static void decode(size_t *next, size_t code, size_t n, size_t k)
{
    for (size_t i = 0; i < n * k; i++, code /= n) next[i] = code % n;
}

/* Returns the number of the table with states renamed by `to`, the letters exchanged or not. */
static size_t renamed(const size_t *next, size_t n, size_t k, const size_t *to, bool exchanged)
{
    size_t code = 0;
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < k; a++)
            code += to[next[q * k + a]] * power(n, to[q] * k + (exchanged ? k - 1 - a : a));
    return code;
}

static bool all_reached(const size_t *next, size_t n, size_t k)
{
    bool reached[8] = {true};
    for (size_t round = 0; round < n; round++)
        for (size_t q = 0; q < n; q++)
            for (size_t a = 0; a < k && reached[q]; a++) reached[next[q * k + a]] = true;
    for (size_t q = 0; q < n; q++)
        if (!reached[q]) return false;
    return true;
}

/* Marks all renamings of the table that fix state 0: `to` is filled from position `at` on. */
static void mark(bool *seen, const size_t *next, size_t n, size_t k, size_t *to, size_t at)
{
    if (at == n) {
        seen[renamed(next, n, k, to, false)] = true;
        seen[renamed(next, n, k, to, true)] = true;
        return;
    }
    for (size_t name = 1; name < n; name++) {
        bool used = false;
        for (size_t q = 1; q < at; q++) used |= to[q] == name;
        if (used) continue;
        to[at] = name;
        mark(seen, next, n, k, to, at + 1);
    }
}

static uint64_t count_by_tables(size_t n, size_t k)
{
    static bool seen[MOST_TABLES];
    size_t next[16], to[8] = {0};
    uint64_t classes = 0;
    memset(seen, 0, sizeof seen);
    for (size_t code = 0; code < power(n, n * k); code++) {
        if (seen[code]) continue;
        decode(next, code, n, k);
        if (!all_reached(next, n, k)) continue;
        mark(seen, next, n, k, to, 1);
        classes++;
    }
    return classes;
}

Test(census, counts_classes_of_tables)
{
    for (size_t n = 1; n <= 4; n++)
        for (size_t k = 1; k <= 2; k++)
            cr_assert_eq(f2l_census_count(n, k), count_by_tables(n, k), "%zu states, %zu letters",
                         n, k);
}

Test(census, goes_on_from_a_name)
{
    f2l_error err;
    f2l_census census, again;
    cr_assert_eq(f2l_census_begin(&census, 3, 2, &err), F2L_OK);
    cr_assert_eq(f2l_census_begin(&again, 3, 2, &err), F2L_OK);
    size_t listed = 0;
    f2l_buf last;
    f2l_buf_init(&last);
    while (f2l_census_next(&census)) {
        f2l_buf name;
        f2l_buf_init(&name);
        f2l_census_name(&name, &census);
        cr_assert(f2l_census_find(&again, name.data, name.size), "%s", name.data);
        cr_assert_eq(memcmp(again.next, census.next, 6), 0);
        cr_assert(last.size == 0 || strcmp(last.data, name.data) != 0);
        f2l_buf_clear(&last);
        last = name;
        listed++;
    }
    cr_assert_eq(listed, f2l_census_count(3, 2));
    cr_assert_not(f2l_census_next(&again), "the last automaton is followed by another one");
    f2l_buf_clear(&last);
}

Test(census, refuses_names_that_are_not_in_the_list)
{
    static const char *const refused[] = {"",        "12 00",   "120 01",  "120 0111", "120-011",
                                          "123 011", "12a 011", "000 000", "210 000",  "120 000"};
    f2l_error err;
    f2l_census census, before;
    cr_assert_eq(f2l_census_begin(&census, 3, 2, &err), F2L_OK);
    before = census;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        cr_assert_not(f2l_census_find(&census, refused[i], strlen(refused[i])), "%s", refused[i]);
    cr_assert_eq(memcmp(&before, &census, sizeof census), 0);
}

Test(census, builds_the_automaton)
{
    f2l_error err;
    f2l_fsa fsa;
    f2l_census census;
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_census_begin(&census, 3, 2, &err), F2L_OK);
    cr_assert(f2l_census_next(&census));
    cr_assert_eq(f2l_census_automaton(&fsa, &census, &err), F2L_OK);
    cr_assert_eq(fsa.states.count, 3);
    cr_assert_eq(fsa.letters.count, 2);
    cr_assert_eq(fsa.start, 0);
    for (size_t i = 0; i < 6; i++) cr_assert_eq(fsa.next[i], census.next[i]);
    size_t dropped = 1;
    cr_assert_eq(f2l_fsa_trim(&fsa, &dropped, &err), F2L_OK);
    cr_assert_eq(dropped, 0);
    f2l_fsa_clear(&fsa);
}

Test(census, refuses_sizes)
{
    f2l_error err;
    f2l_census census;
    cr_assert_eq(f2l_census_begin(&census, 0, 2, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_census_begin(&census, 7, 2, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_census_begin(&census, 3, 5, &err), F2L_EDOMAIN);
}
