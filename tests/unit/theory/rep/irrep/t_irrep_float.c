#include "tests/support/theory/irrep_support.h"
#include "theory/rep/irrep/irrep_float.h"

static void multiply(double *out, const double *a, const double *b, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            out[i * d + j] = 0;
            for (size_t k = 0; k < d; k++) out[i * d + j] += a[i * d + k] * b[k * d + j];
        }
}

/* Checks orthogonality, traces, and that random words have the trace of their class: psi. */
static void check_float(const irrep_sample *s, size_t i, f2l_rng *rng)
{
    const f2l_irrep *rep = &s->irrep[i];
    const size_t d = rep->dimension;
    f2l_irrep_float f;
    double *word = f2l_calloc(2 * d * d, sizeof *word), *next = word + d * d;
    cr_assert_eq(f2l_irrep_float_build(&f, rep, NULL), F2L_OK);
    cr_assert(f.dimension == d && f.letters == s->group.generators);
    for (size_t a = 0; a < f.letters; a++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++) {
                double product = 0;
                for (size_t l = 0; l < d; l++)
                    product += f.letter[a * d * d + l * d + j] * f.letter[a * d * d + l * d + k];
                cr_assert(fabs(product - (j == k)) < 1e-12, "%s, irrep %zu: %g", s->name, i,
                          product);
            }
    uint32_t g = 0;
    for (size_t j = 0; j < d * d; j++) word[j] = j % (d + 1) == 0;
    for (size_t step = 0; step < 30 && f.letters > 0; step++) {
        const size_t a = f2l_rng_below(rng, f.letters);
        double trace = 0;
        multiply(next, f.letter + a * d * d, word, d);
        memcpy(word, next, d * d * sizeof *word);
        g = f2l_group_multiply(&s->group, g, letter_of(&s->group, a));
        for (size_t j = 0; j < d; j++) trace += word[j * d + j];
        cr_assert(fabs(trace - psi_value(s, i, s->classes.class_of[g])) < 1e-9, "%s, irrep %zu",
                  s->name, i);
    }
    f2l_free(word);
    f2l_irrep_float_clear(&f);
    f2l_irrep_float_clear(&f);
}

Test(irrep_float, letters_are_orthogonal_and_have_the_traces_of_the_characters)
{
    f2l_rng rng;
    size_t forms = 0, fields = 0;
    f2l_rng_init(&rng, 7, 7);
    for (size_t i = 0; i < NAMED_GROUPS; i++) {
        irrep_sample s;
        if (named_groups[i].order > 200 || named_groups[i].order > largest_order()) continue;
        open_sample(&s, named_groups[i].name, named_groups[i].degree, named_groups[i].cycles);
        build_irreps(&s, F2L_OK);
        for (size_t r = 0; r < s.irreps; r++) {
            check_float(&s, r, &rng);
            forms += !s.irrep[r].orthonormal;
            fields += s.irrep[r].field.degree > 1;
        }
        close_sample(&s);
    }
    cr_assert(forms > 5 && fields > 2, "%zu %zu", forms, fields);
}

/* Coordinates x in the exact basis of y in the orthonormal one have x^T form x = |y|^2. */
Test(irrep_float, coordinates_keep_the_form)
{
    irrep_sample s;
    open_sample(&s, "S4", 4, "(1 2);(1 2 3 4)");
    build_irreps(&s, F2L_OK);
    for (size_t i = 0; i < s.irreps; i++) {
        const f2l_irrep *rep = &s.irrep[i];
        const size_t d = rep->dimension;
        f2l_irrep_float f;
        double x[3] = {0.5, -1, 2}, square = 0, form = 0;
        cr_assert_eq(f2l_irrep_float_build(&f, rep, NULL), F2L_OK);
        for (size_t j = 0; j < d; j++) square += x[j] * x[j];
        f2l_irrep_float_exact_basis(x, &f);
        for (size_t j = 0; j < d * d; j++)
            form += x[j / d] * x[j % d] * f2l_field_double(&rep->form.entry[j], &rep->field);
        cr_assert(fabs(form - square) < 1e-12, "%g, not %g", form, square);
        f2l_irrep_float_clear(&f);
    }
    close_sample(&s);
}
