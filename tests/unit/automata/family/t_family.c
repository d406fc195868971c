/* The named families: groups, machines, refusals, and the product. */
#include "automata/family/family.h"
#include "automata/fsa/perm.h"
#include "tests/support/automata/import_support.h"
#include <stdarg.h>
#include <stdio.h>

/* Builds a family; the test fails when this fails. */
static void build(f2l_fsa *out, const char *kind, bool generators, size_t numbers, ...)
{
    uint64_t number[3] = {0};
    va_list arguments;
    va_start(arguments, numbers);
    for (size_t i = 0; i < numbers; i++) number[i] = va_arg(arguments, unsigned);
    va_end(arguments);
    f2l_error err = {0};
    f2l_fsa_init(out);
    cr_assert_eq(f2l_family_build(out, kind, number, numbers, generators, &err), F2L_OK, "%s: %s",
                 kind, err.text);
}

/* Checks that writing and reading gives the same bytes and the same accepting states. */
static void check_canonical(const f2l_fsa *fsa)
{
    f2l_buf text, again;
    f2l_buf_init(&text);
    f2l_buf_init(&again);
    f2l_fsa read;
    f2l_fsa_init(&read);
    f2l_error err = {0};
    cr_assert_eq(f2l_fsa_write(&text, fsa, &err), F2L_OK);
    cr_assert_eq(read_any(&read, text.data, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_fsa_write(&again, &read, &err), F2L_OK);
    cr_assert_eq(text.size, again.size);
    cr_assert_str_eq(text.data, again.data);
    f2l_fsa_clear(&read);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
}

static size_t factorial(size_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* Checks an automaton whose letters are all elements: its table is the group's multiplication, so
 * that rows and columns are permutations, state i is what letter i reaches from the start, and
 * (associativity) composing letters composes columns. */
static void check_group(const f2l_fsa *fsa, size_t order)
{
    cr_assert_eq(fsa->states.count, order, "%zu states", fsa->states.count);
    cr_assert_eq(fsa->letters.count, order, "%zu letters", fsa->letters.count);
    cr_assert_eq(fsa->track, F2L_TRACK_ELEMENTS);
    cr_assert_eq(fsa->start, 0);
    for (size_t i = 0; i < order; i++) {
        cr_assert_eq(fsa->next[i], i);
        cr_assert_str_eq(f2l_names_get(&fsa->letters, i), f2l_names_get(&fsa->states, i));
        cr_assert(f2l_perm_is_permutation(fsa->next + i * order, order));
        cr_assert_eq(fsa->accept[i], i == 0);
        if (i > 0) {
            const uint32_t *a = fsa->perm + (i - 1) * fsa->points, *b = a + fsa->points;
            size_t p = 0;
            while (a[p] == b[p]) p++;
            cr_assert_lt(a[p], b[p], "letters %zu and %zu are out of order", i - 1, i);
        }
    }
    for (size_t x = 0; x < order; x += 1 + order / 20)
        for (size_t y = 0; y < order; y += 1 + order / 20)
            for (size_t z = 0; z < order; z += 1 + order / 20)
                cr_assert_eq(fsa->next[fsa->next[x * order + y] * order + z],
                             fsa->next[x * order + fsa->next[y * order + z]]);
}

static size_t letters_of_order(const f2l_fsa *fsa, size_t order)
{
    size_t found = 0, k = fsa->letters.count;
    for (size_t a = 0; a < k; a++) {
        size_t power = 1, state = fsa->next[a];
        for (; state != 0; power++) state = fsa->next[state * k + a];
        found += power == order;
    }
    return found;
}

Test(family_groups, all_elements)
{
    f2l_fsa fsa;
    for (unsigned n = 1; n <= 5; n++) {
        build(&fsa, "symmetric", false, 1, n);
        check_group(&fsa, factorial(n));
        check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
        build(&fsa, "alternating", false, 1, n);
        check_group(&fsa, n < 2 ? 1 : factorial(n) / 2);
        for (size_t a = 0; a < fsa.letters.count; a++)
            cr_assert_eq((fsa.points - f2l_perm_cycles(fsa.perm + a * fsa.points, fsa.points)) % 2,
                         0);
        f2l_fsa_clear(&fsa);
    }
    for (unsigned m = 1; m <= 8; m++) {
        build(&fsa, "dihedral", false, 1, m);
        check_group(&fsa, 2 * m);
        if (m > 2) cr_assert_eq(letters_of_order(&fsa, 2), m % 2 == 0 ? m + 1 : m);
        if (m == 2) cr_assert_eq(letters_of_order(&fsa, 2), 3);
        check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
    }
    /* Among the groups of order 8 only the quaternions have one element of order 2 and six of order
     * 4. */
    build(&fsa, "quaternion", false, 0);
    check_group(&fsa, 8);
    cr_assert_eq(letters_of_order(&fsa, 2), 1);
    cr_assert_eq(letters_of_order(&fsa, 4), 6);
    check_canonical(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(family_groups, letter_names)
{
    static const char *const s3[] = {"()", "(2 3)", "(1 2)", "(1 2 3)", "(1 3 2)", "(1 3)"};
    f2l_fsa fsa;
    build(&fsa, "symmetric", false, 1, 3u);
    for (size_t a = 0; a < 6; a++) cr_assert_str_eq(f2l_names_get(&fsa.letters, a), s3[a]);
    f2l_fsa_clear(&fsa);
}

Test(family_groups, generators)
{
    f2l_fsa fsa;
    for (unsigned n = 1; n <= 7; n++) {
        build(&fsa, "symmetric", true, 1, n);
        cr_assert_eq(fsa.states.count, factorial(n));
        cr_assert_leq(fsa.letters.count, 2);
        f2l_fsa_clear(&fsa);
        build(&fsa, "alternating", true, 1, n);
        cr_assert_eq(fsa.states.count, n < 2 ? 1 : factorial(n) / 2);
        cr_assert_leq(fsa.letters.count, 2);
        f2l_fsa_clear(&fsa);
        build(&fsa, "dihedral", true, 1, n);
        cr_assert_eq(fsa.states.count, 2 * n);
        check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
    }
    build(&fsa, "quaternion", true, 0);
    cr_assert_eq(fsa.states.count, 8);
    size_t one = run_word(&fsa, ""), minus = run_word(&fsa, "ii");
    cr_assert_eq(run_word(&fsa, "jj"), minus);
    cr_assert_eq(run_word(&fsa, "ijij"), minus);
    cr_assert_eq(run_word(&fsa, "iiii"), one);
    cr_assert_eq(run_word(&fsa, "iijji"), run_word(&fsa, "i"));
    cr_assert_neq(run_word(&fsa, "ij"), run_word(&fsa, "ji"));
    f2l_fsa_clear(&fsa);
}

Test(family_groups, cyclic)
{
    f2l_fsa fsa;
    for (unsigned m = 1; m <= 12; m++) {
        build(&fsa, "cyclic", false, 1, m);
        cr_assert_eq(fsa.letters.count, m);
        for (size_t s = 0; s < m; s++)
            for (size_t a = 0; a < m; a++) cr_assert_eq(fsa.next[s * m + a], (s + a) % m);
        cr_assert(fsa.has_accept && fsa.accept[0]);
        check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
        build(&fsa, "cyclic", true, 1, m);
        cr_assert_eq(fsa.letters.count, 1);
        for (size_t s = 0; s < m; s++) cr_assert_eq(fsa.next[s], (s + 1) % m);
        f2l_fsa_clear(&fsa);
    }
}

/* Letter i-j exchanges the points i and j, and the states are all arrangements. */
Test(family_groups, swaps)
{
    const uint64_t n = 5;
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "swaps", &n, 1, false, &err), F2L_OK, "%s", err.text);
    cr_assert(fsa.letters.count == 10 && fsa.states.count == 120 &&
              fsa.track == F2L_TRACK_ELEMENTS);
    for (size_t a = 0; a < 10; a++) {
        const char *name = f2l_names_get(&fsa.letters, a);
        const uint32_t i = (uint32_t)(name[0] - '1'), j = (uint32_t)(name[2] - '1');
        cr_assert(i < j && fsa.perm[a * 5 + i] == j && fsa.perm[a * 5 + j] == i, "%s", name);
        for (uint32_t p = 0; p < 5; p++)
            cr_assert(p == i || p == j || fsa.perm[a * 5 + p] == p, "%s", name);
    }
    f2l_fsa_clear(&fsa);
}

Test(family_machines, counters_and_bits)
{
    f2l_fsa fsa;
    build(&fsa, "counter", false, 1, 3u);
    cr_assert_eq(fsa.states.count, 4);
    for (long long word = 0; word < 1 << 12; word++) {
        long value = 0;
        size_t state = fsa.start;
        for (int i = 0; i < 12; i++) {
            bool down = word >> i & 1;
            value += down ? -1 : 1;
            value = value < 0 ? 0 : value > 3 ? 3 : value;
            state = fsa.next[state * 2 + down];
        }
        char name[8];
        snprintf(name, sizeof name, "%ld", value);
        cr_assert_str_eq(f2l_names_get(&fsa.states, state), name);
        cr_assert_eq(fsa.accept[state], value == 0);
    }
    check_canonical(&fsa);
    f2l_fsa_clear(&fsa);
    build(&fsa, "elevator", false, 1, 1u);
    cr_assert_eq(fsa.states.count, 1);
    f2l_fsa_clear(&fsa);
    build(&fsa, "flipflop", false, 0);
    for (size_t bit = 0; bit < 2; bit++) {
        cr_assert_eq(fsa.next[bit * 3], 1);
        cr_assert_eq(fsa.next[bit * 3 + 1], 0);
        cr_assert_eq(fsa.next[bit * 3 + 2], bit);
    }
    check_canonical(&fsa);
    f2l_fsa_clear(&fsa);
}

/* The letters keep the order, each moves one point, and every step to a neighbour is there: with
 * the identity these generate all C(2n - 1, n) maps that keep the order, which t_tied counts. */
Test(family_machines, order_preserving_keeps_the_order)
{
    for (unsigned n = 2; n <= 7; n++) {
        f2l_fsa fsa;
        size_t steps = 0;
        build(&fsa, "order-preserving", false, 1, n);
        const size_t k = fsa.letters.count;
        cr_assert_eq(k, 2 * (n - 1));
        for (size_t a = 0; a < k; a++)
            for (size_t p = 0; p < n; p++) {
                const uint32_t to = fsa.next[p * k + a];
                if (p > 0) cr_assert_leq(fsa.next[(p - 1) * k + a], to);
                if (to == p) continue;
                cr_assert(to == p + 1 || to + 1 == p);
                steps++;
            }
        cr_assert_eq(steps, k);
        check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
    }
}

/* The letters cycle, swap and merge generate all n^n maps: the monoid is counted by closure. */
Test(family_machines, transformations_generate_everything)
{
    for (unsigned n = 2; n <= 4; n++) {
        f2l_fsa fsa;
        build(&fsa, "transformations", false, 1, n);
        size_t total = 1, found = 1;
        for (unsigned i = 0; i < n; i++) total *= n;
        bool *seen = calloc(total, sizeof *seen);
        size_t *queue = calloc(total, sizeof *queue);
        size_t identity = 0;
        for (unsigned i = n; i-- > 0;) identity = identity * n + i;
        seen[identity] = true;
        queue[0] = identity;
        for (size_t done = 0; done < found; done++)
            for (size_t a = 0; a < 3; a++) {
                size_t map = queue[done], image = 0, weight = 1;
                for (unsigned i = 0; i < n; i++, map /= n, weight *= n)
                    image += weight * fsa.next[map % n * 3 + a];
                if (!seen[image]) queue[found++] = image;
                seen[image] = true;
            }
        cr_assert_eq(found, total, "n = %u: %zu of %zu", n, found, total);
        free(seen);
        free(queue);
        f2l_fsa_clear(&fsa);
    }
}

Test(family_machines, random_is_a_function_of_its_seed)
{
    f2l_fsa a, b, c;
    build(&a, "random", false, 3, 50u, 30u, 7u);
    build(&b, "random", false, 3, 50u, 30u, 7u);
    build(&c, "random", false, 3, 50u, 30u, 8u);
    cr_assert_arr_eq(a.next, b.next, 1500 * sizeof *a.next);
    cr_assert_arr_eq(a.accept, b.accept, 50);
    cr_assert(memcmp(a.next, c.next, 1500 * sizeof *a.next) != 0);
    cr_assert_str_eq(f2l_names_get(&a.letters, 29), "x30");
    bool hit[50] = {false};
    size_t reached = 0;
    for (size_t i = 0; i < 1500; i++) {
        cr_assert_lt(a.next[i], 50);
        reached += !hit[a.next[i]];
        hit[a.next[i]] = true;
    }
    cr_assert_eq(reached, 50);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
    f2l_fsa_clear(&c);
}

static void refuses(const char *kind, bool generators, size_t numbers, uint64_t first,
                    uint64_t second, const char *message)
{
    uint64_t number[3] = {first, second, 0};
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, kind, number, numbers, generators, &err), F2L_EDOMAIN, "%s",
                 kind);
    cr_assert_not_null(strstr(err.text, message), "%s: %s", kind, err.text);
    cr_assert_eq(fsa.states.count, 0);
    f2l_fsa_clear(&fsa);
}

Test(family, refuses)
{
    refuses("octonion", false, 0, 0, 0, "parity, cyclic, symmetric");
    refuses("symmetric", false, 0, 0, 0, "symmetric N [--generators]");
    refuses("parity", false, 1, 1, 0, "0 numbers, not 1");
    refuses("symmetric", false, 1, 0, 0, "1..6, not 0");
    refuses("symmetric", false, 1, 7, 0, "1..6, not 7");
    refuses("symmetric", true, 1, 10, 0, "1..9, not 10");
    refuses("alternating", false, 1, 8, 0, "1..7");
    refuses("dihedral", false, 1, 201, 0, "1..200");
    refuses("cyclic", false, 1, 2001, 0, "1..2000");
    refuses("cyclic", false, 1, UINT64_MAX, 0, "18446744073709551615");
    refuses("tomita", false, 1, 8, 0, "1..7");
    refuses("definite", false, 1, 21, 0, "1..20");
    refuses("modarith", false, 1, 1, 0, "2..500");
    refuses("modarith-prec", false, 1, 51, 0, "2..50");
    refuses("dyck", false, 2, 2, 30, "more than 1000000 stacks");
    refuses("dyck", false, 2, 2, 0, "argument 2 of dyck");
    refuses("tomita", true, 1, 1, 0, "no --generators form");
    refuses("product", false, 0, 0, 0, "product FILE FILE");
    refuses("direct", false, 0, 0, 0, "direct GROUP GROUP");
    refuses("random", false, 3, 1000000, 1000, "more than 10000000 transitions");
}

Test(family, table_is_complete)
{
    static const char *const required[] = {
        "parity", "cyclic",   "symmetric",     "alternating", "dihedral", "quaternion",
        "direct", "product",  "cascade",       "flipflop",    "counter",  "definite",
        "dyck",   "modarith", "modarith-prec", "tomita",      "random",   "transformations"};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        const f2l_family *f = f2l_families;
        while (f->name != NULL && strcmp(f->name, required[i]) != 0) f++;
        cr_assert_not_null(f->name, "%s", required[i]);
        cr_assert_gt(strlen(f->summary), 0);
    }
}

static void direct(f2l_fsa *out, bool generators, const char *a, const char *b, const char *c)
{
    const char *const name[] = {a, b, c};
    f2l_error err = {0};
    f2l_fsa_init(out);
    cr_assert_eq(f2l_family_direct(out, name, c ? 3 : 2, generators, &err), F2L_OK, "%s x %s: %s",
                 a, b, err.text);
}

Test(family_direct, all_elements)
{
    static const struct {
        const char *a, *b, *c;
        size_t order;
    } cases[] = {{"S3", "Z4", NULL, 24}, {"S3", "S3", NULL, 36},  {"Z2", "Z2", "Z2", 8},
                 {"A4", "D2", NULL, 48}, {"Q8", "D5", "Z1", 80},  {"Z6", "A2", NULL, 6},
                 {"S1", "D1", "A1", 2},  {"A5", "A3", "Z2", 360}, {"Z40", "Z50", NULL, 2000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_fsa fsa;
        direct(&fsa, false, cases[i].a, cases[i].b, cases[i].c);
        check_group(&fsa, cases[i].order);
        if (i < 3) check_canonical(&fsa);
        f2l_fsa_clear(&fsa);
    }
}

/* With generators it is the product of the two automata, whose letters have different names. */
Test(family_direct, agrees_with_the_product_of_automata)
{
    static const struct {
        const char *a, *b, *kind_a, *kind_b;
        unsigned number_a, number_b;
    } cases[] = {{"S4", "Z6", "symmetric", "cyclic", 4, 6},
                 {"Z5", "A5", "cyclic", "alternating", 5, 5},
                 {"D3", "A4", "dihedral", "alternating", 3, 4},
                 {"S3", "Q8", "symmetric", "quaternion", 3, 0},
                 {"D2", "S2", "dihedral", "symmetric", 2, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_fsa a, b, both, product;
        direct(&both, true, cases[i].a, cases[i].b, NULL);
        build(&a, cases[i].kind_a, true, 1, cases[i].number_a);
        build(&b, cases[i].kind_b, true, cases[i].number_b > 0, cases[i].number_b);
        f2l_fsa_init(&product);
        cr_assert_eq(f2l_family_product(&product, &a, &b, NULL), F2L_OK);
        cr_assert_eq(both.states.count, a.states.count * b.states.count);
        cr_assert(isomorphic(&both, &product), "%s x %s", cases[i].a, cases[i].b);
        f2l_fsa_clear(&product);
        f2l_fsa_clear(&both);
        f2l_fsa_clear(&a);
        f2l_fsa_clear(&b);
    }
}

Test(family_direct, generators_have_the_number_of_their_factor)
{
    static const char *const letter[] = {"a1", "b1", "a2", "b2", "r3", "s3"};
    f2l_fsa fsa;
    direct(&fsa, true, "S4", "S4", "D3");
    cr_assert_eq(fsa.states.count, 24 * 24 * 6);
    cr_assert_eq(fsa.letters.count, 6);
    for (size_t i = 0; i < 6; i++) cr_assert_str_eq(f2l_names_get(&fsa.letters, i), letter[i]);
    check_canonical(&fsa);
    f2l_fsa_clear(&fsa);
}

Test(family_direct, refuses)
{
    static const char *const wrong[] = {"",    "S",   "S0",     "S10", "s3", "Z1001",
                                        "Q16", "Z+2", "Z99999", "M11", "S3x"};
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const name[] = {"Z2", wrong[i]};
        cr_assert_eq(f2l_family_direct(&fsa, name, 2, true, &err), F2L_EDOMAIN, "%s", wrong[i]);
        cr_assert_not_null(strstr(err.text, "unknown group `"), "%s: %s", wrong[i], err.text);
    }
    const char *const name[] = {"S9", "Z3", "Z2", "Z2", "Z2", "Z2", "Z2", "Z2", "Z2"};
    cr_assert_eq(f2l_family_direct(&fsa, name, 1, true, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_family_direct(&fsa, name, 9, true, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "2 to 8 groups"));
    cr_assert_eq(f2l_family_direct(&fsa, name, 2, true, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "more than 1000000 elements"), "%s", err.text);
    cr_assert_eq(f2l_family_direct(&fsa, (const char *const[]){"S6", "Z3"}, 2, false, &err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "more than 2000 elements"), "%s", err.text);
    cr_assert_eq(fsa.states.count, 0);
}

Test(family_direct, memory_failures)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        f2l_fsa fsa;
        f2l_fsa_init(&fsa);
        f2l_mem_fail_after(n, true);
        const f2l_status status =
            f2l_family_direct(&fsa, (const char *const[]){"Z2", "S3"}, 2, false, NULL);
        f2l_mem_fail_after(0, false);
        f2l_fsa_clear(&fsa);
        if (status == F2L_OK) {
            cr_assert_gt(n, 10);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s", n, f2l_status_name(status));
    }
#else
    cr_skip_test("needs a flavour with allocation failures");
#endif
}

Test(family_product, runs_both_sides)
{
    f2l_fsa parity, tomita, product;
    build(&parity, "parity", false, 0);
    build(&tomita, "tomita", false, 1, 4u);
    f2l_fsa_init(&product);
    cr_assert_eq(f2l_family_product(&product, &parity, &tomita, NULL), F2L_OK);
    for (size_t word = 0; word < 1 << 10; word++) {
        char text[11] = "";
        for (size_t i = 0; i < 10; i++) text[i] = word >> i & 1 ? '1' : '0';
        size_t p = run_word(&parity, text), t = run_word(&tomita, text),
               both = run_word(&product, text);
        char name[64];
        snprintf(name, sizeof name, "(%s,%s)", f2l_names_get(&parity.states, p),
                 f2l_names_get(&tomita.states, t));
        cr_assert_str_eq(f2l_names_get(&product.states, both), name);
        cr_assert_eq(product.accept[both], parity.accept[p] && tomita.accept[t]);
    }
    check_canonical(&product);
    f2l_fsa_clear(&product);
    f2l_fsa_clear(&parity);
    f2l_fsa_clear(&tomita);
}

Test(family_product, joins_alphabets_and_keeps_outputs)
{
    f2l_fsa a, b, product;
    f2l_fsa_init(&a);
    f2l_fsa_init(&b);
    f2l_fsa_init(&product);
    const char *left = "start p\naccept p\noutput p 0\noutput q 1\np x q\nq x p\np y p\nq y q\n";
    const char *right = "start p\noutput p 0\noutput q 1\np z q\nq z q\np y q\nq y p\n";
    cr_assert_eq(read_any(&a, left, NULL, NULL), F2L_OK);
    cr_assert_eq(read_any(&b, right, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_family_product(&product, &a, &b, NULL), F2L_OK);
    cr_assert_eq(product.letters.count, 3);
    cr_assert_eq(product.states.count, 4);
    cr_assert(!product.has_accept);
    cr_assert_str_eq(f2l_fsa_label(&product, F2L_LABEL_OUTPUTS, run_word(&product, "xzx")),
                     "(0,1)");
    cr_assert_str_eq(f2l_names_get(&product.states, run_word(&product, "xy")), "(q,q)");
    f2l_fsa_clear(&product);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
    /* (a,b,c) would name two different pairs. */
    cr_assert_eq(read_any(&a, "start a\na x a,b\na,b x a\n", NULL, NULL), F2L_OK);
    cr_assert_eq(read_any(&b, "start b,c\nb,c x c\nc x b,c\n", NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_family_product(&product, &a, &b, NULL), F2L_OK);
    cr_assert_eq(product.states.count, 2);
    cr_assert_str_eq(f2l_names_get(&product.states, 1), "(a,b,c)'");
    f2l_fsa_clear(&product);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

/* A machine with the state names p,q and q, and one that reads pairs with it: its letter (p,q,x) is
 * the pair (p,q | x), its letter x is read where the first is in q, and z it only knows in q. */
#define FIRST "start p,q\np,q x q\nq x p,q\np,q y p,q\nq y q\n"
#define SECOND \
    "letters \"(p,q,x)\" x \"(q,z)\"\nstart 0\naccept 1\noutput 0 even\noutput 1 odd\n" \
    "0 \"(p,q,x)\" 1\n1 \"(p,q,x)\" 0\n0 x 0\n1 x 0\n0 \"(q,z)\" 1\n1 \"(q,z)\" 1\n"

Test(family_cascade, second_reads_the_state_before_the_letter)
{
    f2l_fsa a, b, both;
    f2l_fsa_init(&a);
    f2l_fsa_init(&b);
    f2l_fsa_init(&both);
    cr_assert_eq(read_any(&a, FIRST, NULL, NULL), F2L_OK);
    cr_assert_eq(read_any(&b, SECOND, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_family_cascade(&both, &a, &b, NULL), F2L_OK);
    cr_assert_eq(both.letters.count, 3); /* x y z */
    for (size_t word = 0; word < 2187; word++) {
        char text[8] = "";
        size_t p = 0, q = 0, rest = word;
        for (size_t i = 0; i < 7; i++, rest /= 3) {
            text[i] = "xyz"[rest % 3];
            if (text[i] == 'x') q = p == 0 ? !q : 0;
            if (text[i] == 'z' && p == 1) q = 1;
            if (text[i] == 'x') p = !p;
        }
        const size_t s = run_word(&both, text);
        char name[16];
        snprintf(name, sizeof name, "(%s,%zu)", p ? "q" : "p,q", q);
        cr_assert_str_eq(f2l_names_get(&both.states, s), name);
        cr_assert_eq(both.accept[s], q);
        cr_assert_str_eq(f2l_fsa_label(&both, F2L_LABEL_OUTPUTS, s), q ? "odd" : "even");
    }
    check_canonical(&both);
    f2l_fsa_clear(&both);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

Test(family_cascade, refuses_letters_that_name_no_pair)
{
    static const struct {
        const char *first, *second, *text;
    } bad[] = {{FIRST, "letters \"(r,x)\"\nstart 0\n0 \"(r,x)\" 0\n",
                "the letter `(r,x)` is a pair (state,letter), and the automaton before it has no "
                "such state"},
               {"start a\na x a,b\na,b x a\n", "letters \"(a,b,x)\"\nstart 0\n0 \"(a,b,x)\" 0\n",
                "the letter `(a,b,x)` can be read as several pairs (state,letter)"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_fsa a, b, both;
        f2l_error err;
        f2l_fsa_init(&a);
        f2l_fsa_init(&b);
        f2l_fsa_init(&both);
        cr_assert_eq(read_any(&a, bad[i].first, NULL, NULL), F2L_OK);
        cr_assert_eq(read_any(&b, bad[i].second, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_family_cascade(&both, &a, &b, &err), F2L_EDOMAIN);
        cr_assert_str_eq(err.text, bad[i].text);
        cr_assert_null(both.next);
        f2l_fsa_clear(&a);
        f2l_fsa_clear(&b);
    }
}

Test(family_mark_letters, renames_or_changes_nothing)
{
    f2l_fsa a, b;
    f2l_error err;
    f2l_fsa_init(&a);
    f2l_fsa_init(&b);
    cr_assert_eq(read_any(&a, "start p\np x p\np y p\n", NULL, NULL), F2L_OK);
    cr_assert_eq(read_any(&b, "start p\np x.2 p\n", NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_family_mark_letters(&a, ".2", &b.letters, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "the letter `x.2` would not be told from another one");
    cr_assert_str_eq(f2l_names_get(&a.letters, 0), "x");
    cr_assert_eq(f2l_family_mark_letters(&a, ".3", &b.letters, &err), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&a.letters, 1), "y.3");
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

#ifdef F2L_MEM_FAILURES
Test(family_cascade, memory_failures)
{
    f2l_fsa a, b, both;
    f2l_status status = F2L_ENOMEM;
    f2l_fsa_init(&a);
    f2l_fsa_init(&b);
    cr_assert_eq(read_any(&a, FIRST, NULL, NULL), F2L_OK);
    cr_assert_eq(read_any(&b, SECOND, NULL, NULL), F2L_OK);
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_fsa_init(&both);
        f2l_mem_fail_after(n, true);
        status = f2l_family_cascade(&both, &a, &b, NULL);
        if (status == F2L_OK) status = f2l_family_mark_letters(&both, ".2", &a.letters, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        f2l_fsa_clear(&both);
    }
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

Test(family, memory_failures)
{
    static const struct {
        const char *kind;
        uint64_t number[3];
        size_t numbers;
    } tried[] = {{"symmetric", {3}, 1},       {"quaternion", {0}, 0}, {"cyclic", {4}, 1},
                 {"dyck", {2, 2}, 2},         {"dyck", {6, 1}, 2},    {"modarith", {3}, 1},
                 {"modarith-prec", {2}, 1},   {"definite", {3}, 1},   {"random", {5, 3, 1}, 3},
                 {"transformations", {4}, 1}, {"tomita", {3}, 1},     {"elevator", {4}, 1}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        for (size_t n = 1;; n++) {
            f2l_fsa fsa;
            f2l_fsa_init(&fsa);
            f2l_mem_fail_after(n, true);
            f2l_status status = f2l_family_build(&fsa, tried[i].kind, tried[i].number,
                                                 tried[i].numbers, false, NULL);
            f2l_mem_fail_after(0, false);
            f2l_fsa_clear(&fsa);
            if (status == F2L_OK) {
                cr_assert_gt(n, 3);
                break;
            }
            cr_assert_eq(status, F2L_ENOMEM, "%s, allocation %zu", tried[i].kind, n);
        }
    }
}
#endif
