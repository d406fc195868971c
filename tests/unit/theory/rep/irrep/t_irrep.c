/* Explicit representations against the character table in floating point, and exact identities
 * between words. */
#include "tests/support/numeric/field_values.h"
#include "tests/support/theory/irrep_support.h"

/* Returns the letters' matrices in floating point, [letters][d][d]. */
static double *letters_in_floats(const f2l_irrep *r)
{
    const size_t d = r->dimension;
    double *a = calloc(r->letters * d * d + 1, sizeof *a);
    for (size_t l = 0; l < r->letters; l++)
        for (size_t i = 0; i < d * d; i++)
            a[l * d * d + i] = number_double(&r->letter[l].entry[i], &r->field);
    return a;
}

static double *form_in_floats(const f2l_irrep *r)
{
    const size_t d = r->dimension;
    double *g = calloc(d * d, sizeof *g);
    for (size_t i = 0; i < d * d; i++) g[i] = number_double(&r->form.entry[i], &r->field);
    return g;
}

static void multiply(double *out, const double *a, const double *b, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            out[i * d + j] = 0;
            for (size_t l = 0; l < d; l++) out[i * d + j] += a[i * d + l] * b[l * d + j];
        }
}

/* Returns the matrices of all elements, [order][d][d], by A(g w) = A(w) A(g) along a breadth-first
 * tree. */
static double *all_matrices(const irrep_sample *s, const f2l_irrep *r)
{
    const size_t d = r->dimension, order = s->group.order;
    double *letter = letters_in_floats(r), *a = calloc(order * d * d, sizeof *a);
    uint32_t *queue = calloc(order, sizeof *queue);
    bool *seen = calloc(order, sizeof *seen);
    size_t queued = 1;
    for (size_t i = 0; i < d; i++) a[i * d + i] = 1;
    seen[0] = true;
    for (size_t at = 0; at < queued; at++)
        for (size_t l = 0; l < r->letters; l++) {
            const uint32_t y = f2l_group_multiply(&s->group, queue[at], letter_of(&s->group, l));
            if (seen[y]) continue;
            seen[y] = true;
            queue[queued++] = y;
            multiply(a + y * d * d, letter + l * d * d, a + queue[at] * d * d, d);
        }
    cr_assert_eq(queued, order);
    free(letter), free(queue), free(seen);
    return a;
}

static double largest(const double *a, size_t n)
{
    double most = 1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

static void check_products(const irrep_sample *s, const double *a, size_t d, double tolerance,
                           f2l_rng *rng)
{
    double *product = calloc(d * d, sizeof *product);
    for (int round = 0; round < 50; round++) {
        const uint32_t g = (uint32_t)f2l_rng_below(rng, s->group.order),
                       h = (uint32_t)f2l_rng_below(rng, s->group.order),
                       gh = f2l_group_multiply(&s->group, g, h);
        multiply(product, a + h * d * d, a + g * d * d, d);
        for (size_t i = 0; i < d * d; i++)
            cr_assert_float_eq(product[i], a[gh * d * d + i], tolerance, "%s d %zu", s->name, d);
    }
    free(product);
}

/* Checks the traces of all elements, their sum of squares (1, 2 or 4 times the order), products of
 * random elements, and the form. */
static void check_in_floats(const irrep_sample *s, size_t i, f2l_rng *rng)
{
    const f2l_irrep *r = &s->irrep[i];
    const size_t d = r->dimension, order = s->group.order;
    double *a = all_matrices(s, r), *g = form_in_floats(r),
           *moved = calloc(2 * d * d, sizeof *moved);
    const double most = largest(a, order * d * d),
                 tolerance = 1e-10 * (double)(d * d) * most * most;
    double squares = 0;
    for (size_t x = 0; x < order; x++) {
        double trace = 0;
        for (size_t j = 0; j < d; j++) trace += a[x * d * d + j * d + j];
        cr_assert_float_eq(trace, psi_value(s, i, s->classes.class_of[x]), tolerance,
                           "%s irrep %zu", s->name, i);
        squares += trace * trace;
        if (x % 97 != 0) continue;
        multiply(moved, g, a + x * d * d, d);
        for (size_t row = 0; row < d; row++)
            for (size_t column = 0; column < d; column++) {
                double sum = 0;
                for (size_t l = 0; l < d; l++)
                    sum += a[x * d * d + l * d + row] * moved[l * d + column];
                cr_assert_float_eq(sum, g[row * d + column], tolerance * largest(g, d * d));
            }
    }
    const double ratio = r->indicator == 1 ? 1 : r->indicator == 0 ? 2 : 4;
    cr_assert_float_eq(squares / (double)order, ratio, 1e-6, "%s irrep %zu", s->name, i);
    check_products(s, a, d, tolerance, rng);
    free(a), free(g), free(moved);
}

/* Checks a random word w whose product has order n: A(w)^n = 1 exactly, A(w) preserves the form,
 * and A(w v) = A(v) A(w). */
static void check_word(const irrep_sample *s, const f2l_irrep *r, f2l_matrix a[3], f2l_rng *rng)
{
    size_t word[20], orders = 1, length = 3 + f2l_rng_below(rng, 6);
    uint32_t g = 0;
    bool preserves;
    for (size_t i = 0; i < length; i++) {
        word[i] = f2l_rng_below(rng, r->letters);
        g = f2l_group_multiply(&s->group, g, letter_of(&s->group, word[i]));
    }
    for (uint32_t power = g; power != 0; power = f2l_group_multiply(&s->group, power, g)) orders++;
    cr_assert_eq(f2l_irrep_word(&a[0], r, word, length, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_preserves(&preserves, &a[0], &r->form, &r->field, NULL), F2L_OK);
    cr_assert(preserves);
    f2l_matrix_one(&a[1]);
    for (size_t i = 0; i < orders; i++) {
        f2l_matrix_multiply(&a[2], &a[0], &a[1], &r->field);
        const f2l_matrix swap = a[1];
        a[1] = a[2], a[2] = swap;
    }
    cr_assert(f2l_matrix_is_one(&a[1]), "%s d %zu", s->name, r->dimension);
    cr_assert_eq(f2l_irrep_word(&a[1], r, word, 2, NULL), F2L_OK);
    f2l_matrix_multiply(&a[2], &r->letter[word[1]], &r->letter[word[0]], &r->field);
    cr_assert(f2l_matrix_equal(&a[1], &a[2]));
}

/* Checks random words; sets *differ when the first two letters' matrices do not commute. */
static void check_words(const irrep_sample *s, const f2l_irrep *r, f2l_rng *rng, bool *differ)
{
    f2l_matrix a[3];
    const size_t last = r->letters - 1;
    for (int i = 0; i < 3; i++)
        cr_assert_eq(f2l_matrix_init(&a[i], r->dimension, r->dimension, NULL), F2L_OK);
    for (int round = 0; round < 4; round++) check_word(s, r, a, rng);
    f2l_matrix_multiply(&a[0], &r->letter[0], &r->letter[last], &r->field);
    f2l_matrix_multiply(&a[1], &r->letter[last], &r->letter[0], &r->field);
    if (!f2l_matrix_equal(&a[0], &a[1])) *differ = true;
    for (int i = 0; i < 3; i++) f2l_matrix_clear(&a[i]);
}

static void check_sample(irrep_sample *s, f2l_rng *rng)
{
    double squares = 0;
    bool differ = false;
    build_irreps(s, F2L_OK);
    for (size_t i = 0; i < s->irreps; i++) {
        const f2l_irrep *r = &s->irrep[i];
        f2l_ldl ldl;
        cr_assert_eq(s->found[i], F2L_OK);
        cr_assert_eq(r->character, s->character[i]);
        cr_assert_eq(r->indicator, s->table.indicator[r->character]);
        cr_assert_eq(r->dimension, s->table.degree[r->character] * (r->indicator == 1 ? 1 : 2));
        cr_assert_eq(r->letters, s->group.generators);
        cr_assert_eq(r->orthonormal, f2l_matrix_is_one(&r->form));
        cr_assert_eq(f2l_ldl_build(&ldl, &r->form, &r->field, NULL), F2L_OK);
        f2l_ldl_clear(&ldl);
        check_in_floats(s, i, rng);
        check_words(s, r, rng, &differ);
        const double degree = (double)s->table.degree[r->character];
        squares += degree * degree * (r->indicator == 0 ? 2 : 1);
    }
    const uint32_t first = letter_of(&s->group, 0),
                   last = letter_of(&s->group, s->group.generators - 1);
    const bool commute =
        f2l_group_multiply(&s->group, first, last) == f2l_group_multiply(&s->group, last, first);
    cr_assert_eq(differ, !commute, "%s", s->name);
    cr_assert_eq((size_t)squares, s->group.order);
}

Test(irrep, named_groups)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 23, 0); /* the seed */
    for (size_t i = 0; i < NAMED_GROUPS; i++) {
        irrep_sample s;
        if (named_groups[i].order > largest_order()) continue;
        open_sample(&s, named_groups[i].name, named_groups[i].degree, named_groups[i].cycles);
        cr_assert_eq(s.group.order, named_groups[i].order, "%s", named_groups[i].name);
        cr_assert_eq(s.irreps, named_groups[i].irreps, "%s", named_groups[i].name);
        check_sample(&s, &rng);
        close_sample(&s);
    }
}

/* Up to dimension 35 the letters' relations hold exactly; small representations are checked in
 * floats too. */
Test(irrep, sevens)
{
    static const named_group groups[] = {{"S7", 7, "(1 2);(1 2 3 4 5 6 7)", 5040, 15},
                                         {"A7", 7, "(1 2 3);(3 4 5 6 7)", 2520, 8}};
    f2l_rng rng;
    f2l_rng_init(&rng, 27, 0); /* the seed */
    for (size_t i = 0; i < 2; i++) {
        irrep_sample s;
        bool differ = false;
        if (groups[i].order > largest_order()) continue;
        open_sample(&s, groups[i].name, groups[i].degree, groups[i].cycles);
        cr_assert_eq(s.group.order, groups[i].order);
        cr_assert_eq(s.irreps, groups[i].irreps);
        build_irreps(&s, F2L_OK);
        for (size_t j = 0; j < s.irreps; j++) {
            check_words(&s, &s.irrep[j], &rng, &differ);
            if (s.irrep[j].dimension <= 15) check_in_floats(&s, j, &rng);
        }
        cr_assert(differ);
        cr_assert_eq(s.irrep[s.irreps - 1].dimension, 35);
        close_sample(&s);
    }
}

/* Rotations and dihedral groups: the field of the irrep with a rotation by 2 pi j / m is Q(2 cos (2
 * pi / (m / gcd))). */
Test(irrep, polygons)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 29, 0); /* the seed */
    for (size_t m = 3; m <= 30; m++)
        for (int dihedral = 0; dihedral < 2; dihedral++) {
            irrep_sample s;
            open_polygon(&s, m, dihedral);
            check_sample(&s, &rng);
            size_t planes = 0, right = 0;
            for (size_t i = 0; i < s.irreps; i++) {
                const f2l_irrep *r = &s.irrep[i];
                if (r->dimension != 2) continue;
                planes++;
                size_t n = 1;
                const double trace = psi_value(&s, i, s.classes.class_of[letter_of(&s.group, 0)]);
                while (fabs(2 * cos((double)n * acos(fmax(-1, fmin(1, trace / 2)))) - 2) > 1e-9)
                    n++;
                right += r->field.degree == (n <= 4 || n == 6 ? 1 : n_euler_phi(n) / 2);
                if (m % 4 == 0 && n % 4 == 0) cr_assert(r->orthonormal, "m %zu n %zu", m, n);
            }
            cr_assert_eq(planes, (m - 1) / 2);
            cr_assert_eq(right, planes);
            close_sample(&s);
        }
}

/* Every element of A5 is a letter; repeated letters and the identity are kept. */
Test(irrep, all_elements_as_letters)
{
    irrep_sample five, all;
    f2l_rng rng;
    f2l_rng_init(&rng, 31, 0); /* the seed */
    open_sample(&five, "A5", 5, "(1 2 3);(1 2 3 4 5)");
    open_images(&all, "A5 by its elements", five.group.element, five.group.order, 5);
    check_sample(&all, &rng);
    cr_assert(f2l_matrix_is_one(&all.irrep[2].letter[0]));
    close_sample(&five);
    close_sample(&all);
}

/* For some representations of these groups no subgroup with a character to {1, -1} is enough: they
 * need Hecke operators (I.8). */
Test(irrep, planes)
{
    static const named_group groups[] = {
        {"3:8", 11, "(2 3)(4 5 6 8 7 9 10 11);(1 2 3)", 24, 8},
        {"Z3xQ8", 11, "(4 5 7 9)(6 11 10 8);(4 6 7 10)(5 8 9 11);(1 2 3)", 24, 10},
        {"5:8, indicator -1", 13, "(2 3 5 4)(6 7 8 10 9 11 12 13);(1 2 3 4 5)", 40, 7},
        {"5:8", 13, "(2 5)(3 4)(6 7 8 10 9 11 12 13);(1 2 3 4 5)", 40, 11},
    };
    f2l_rng rng;
    f2l_rng_init(&rng, 37, 0); /* the seed */
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        irrep_sample s;
        open_sample(&s, groups[i].name, groups[i].degree, groups[i].cycles);
        cr_assert_eq(s.group.order, groups[i].order);
        cr_assert_eq(s.irreps, groups[i].irreps, "%s", groups[i].name);
        check_sample(&s, &rng);
        close_sample(&s);
    }
}

/* (Z3 x D4) : 2 has a real character with rational values for which no rational matrices are found,
 * so that a square root is needed. */
Test(irrep, a_square_root_where_nothing_rational_is_found)
{
    irrep_sample s;
    f2l_rng rng;
    f2l_rng_init(&rng, 41, 0); /* the seed */
    open_sample(&s, "SmallGroup(48,15)", 14,
                "(7 11 8 12)(9 13 10 14);(1 5 4)(2 3 6);(1 2)(3 4)(5 6)(7 9)(8 10)(11 14)(12 13);"
                "(1 3)(2 4)(5 6)(7 11)(8 12)(9 10)");
    cr_assert_eq(s.group.order, 48);
    check_sample(&s, &rng);
    size_t found = 0;
    for (size_t i = 0; i < s.irreps; i++) {
        if (s.irrep[i].dimension != 4 || s.irrep[i].indicator != 1) continue;
        for (size_t c = 0; c < s.classes.classes; c++)
            cr_assert_float_eq(psi_value(&s, i, c), round(psi_value(&s, i, c)), 1e-9);
        found += s.irrep[i].field.degree == 2;
    }
    cr_assert_eq(found, 1);
    close_sample(&s);
}

/* Z7 : Z9, of Schur index 3, and the regular 131-gon, of field degree 65, are UNKNOWN; the others
 * are found. */
Test(irrep, what_is_not_found_is_unknown)
{
    irrep_sample s;
    f2l_error err = {0};
    open_sample(&s, "7:9", 16, "(2 3 5)(4 7 6)(8 9 11 10 12 14 13 15 16);(1 2 3 4 5 6 7)");
    build_irreps(&s, F2L_UNKNOWN);
    size_t unknown = 0;
    for (size_t i = 0; i < s.irreps; i++) {
        cr_assert(s.found[i] == F2L_OK || s.found[i] == F2L_UNKNOWN);
        if (s.found[i] == F2L_OK) continue;
        unknown++;
        cr_assert_eq(s.table.degree[s.character[i]], 3);
        cr_assert_null(s.irrep[i].letter);
        cr_assert_eq(s.irrep[i].dimension, 0);
    }
    cr_assert_eq(unknown, 2);
    close_sample(&s);
    open_polygon(&s, 131, false);
    cr_assert_eq(f2l_irreps_build(s.irrep, s.found, &s.character[1], 1, &s.group, &s.classes,
                                  &s.table, NULL, &err),
                 F2L_UNKNOWN);
    cr_assert(strstr(err.text, "65"), "%s", err.text);
    close_sample(&s);
}

#ifdef F2L_MEM_FAILURES
static void check_failures(irrep_sample *s)
{
    for (int forever = 0; forever < 2; forever++) {
        size_t n = 1;
        f2l_status status;
        do {
            f2l_mem_fail_after(n++, forever);
            status = f2l_irreps_build(s->irrep, s->found, s->character, s->irreps, &s->group,
                                      &s->classes, &s->table, NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s %zu", s->name, n);
            for (size_t i = 0; i < s->irreps; i++) {
                if (status == F2L_ENOMEM) cr_assert_null(s->irrep[i].letter);
                f2l_irrep_clear(&s->irrep[i]);
            }
        } while (status == F2L_ENOMEM);
        cr_assert_gt(n, 100);
    }
}

Test(irrep, memory_failures)
{
    irrep_sample s;
    open_sample(&s, "S4", 4, "(1 2);(1 2 3 4)");
    check_failures(&s);
    close_sample(&s);
    open_sample(&s, "Z3xQ8", 11, "(4 5 7 9)(6 11 10 8);(4 6 7 10)(5 8 9 11);(1 2 3)");
    check_failures(&s);
    close_sample(&s);
    open_polygon(&s, 5, true);
    check_failures(&s);
    close_sample(&s);
}
#endif

Test(irrep, a_stopped_task_stops_it)
{
    static volatile sig_atomic_t stop = 1;
    const f2l_task task = {.cancel = &stop};
    irrep_sample s;
    f2l_error err = {0};
    open_sample(&s, "S4", 4, "(1 2);(1 2 3 4)");
    cr_assert_eq(f2l_irreps_build(s.irrep, s.found, s.character, s.irreps, &s.group, &s.classes,
                                  &s.table, &task, &err),
                 F2L_UNKNOWN);
    for (size_t i = 0; i < s.irreps; i++) cr_assert_null(s.irrep[i].letter);
    close_sample(&s);
}
