#include "tests/support/theory/irrep_support.h"

size_t largest_order(void)
{
    return getenv("F2L_TEST_SHORT") ? 60 : 100000;
}

void open_tables(irrep_sample *s)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_classes_build(&s->classes, &s->group, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_characters_build(&s->table, &s->group, &s->classes, NULL, &err), F2L_OK, "%s",
                 err.text);
    s->character = calloc(s->table.characters, sizeof *s->character);
    for (size_t i = 0; i < s->table.characters; i++)
        if (s->table.conjugate[i] >= i) s->character[s->irreps++] = i;
    s->irrep = calloc(s->irreps, sizeof *s->irrep);
    s->found = calloc(s->irreps, sizeof *s->found);
}

void build_irreps(irrep_sample *s, f2l_status expected)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_irreps_build(s->irrep, s->found, s->character, s->irreps, &s->group,
                                  &s->classes, &s->table, NULL, &err),
                 expected, "%s: %s", s->name, err.text);
}

void open_sample(irrep_sample *s, const char *name, size_t degree, const char *cycles)
{
    *s = (irrep_sample){.name = name};
    read_group(&s->group, degree, cycles);
    open_tables(s);
}

void open_images(irrep_sample *s, const char *name, const uint32_t *image, size_t generators,
                 size_t degree)
{
    *s = (irrep_sample){.name = name};
    cr_assert_eq(f2l_group_build(&s->group, image, generators, degree, 0, NULL, NULL), F2L_OK);
    open_tables(s);
}

void open_polygon(irrep_sample *s, size_t m, bool dihedral)
{
    uint32_t *image = calloc(2 * m, sizeof *image);
    for (size_t x = 0; x < m; x++) {
        image[x] = (uint32_t)((x + 1) % m);
        image[m + x] = (uint32_t)((m - x) % m);
    }
    open_images(s, dihedral ? "dihedral" : "cyclic", image, dihedral ? 2 : 1, m);
    free(image);
}

void close_sample(irrep_sample *s)
{
    for (size_t i = 0; i < s->irreps; i++) f2l_irrep_clear(&s->irrep[i]);
    free(s->irrep);
    free(s->found);
    free(s->character);
    f2l_characters_clear(&s->table);
    f2l_classes_clear(&s->classes);
    f2l_group_clear(&s->group);
}

double psi_value(const irrep_sample *s, size_t irrep, size_t class_number)
{
    const double turn = 6.283185307179586476925;
    const size_t e = s->classes.exponent, chi = s->character[irrep];
    size_t *multiplicity = calloc(e, sizeof *multiplicity);
    double sum = 0;
    cr_assert_eq(
        f2l_characters_eigenvalues(multiplicity, &s->table, &s->classes, chi, class_number, NULL),
        F2L_OK);
    for (size_t j = 0; j < e; j++)
        sum += (double)multiplicity[j] * cos(turn * (double)j / (double)e);
    free(multiplicity);
    return s->table.indicator[chi] == 1 ? sum : 2 * sum;
}

uint32_t letter_of(const f2l_group *g, size_t letter)
{
    return (uint32_t)f2l_group_find(g, g->generator + letter * g->degree);
}
