/* Eigenvalues: matrices with known eigenvalues, by both methods; products of factors against the
 * dense matrix; whole networks; T1, T2 and periods. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/numeric/field_values.h"
#include "tests/support/theory/spectrum_support.h"
#include "theory/obstruct/spectrum/spectra.h"

static const char *const fields[] = {"0 1 interval -1 1", "-2 0 1 interval 1 2",
                                     "-5 0 1 interval -3 -2", "1 -3 0 1 interval 1 2"};

#define FIELDS (sizeof fields / sizeof *fields)

static void set_number(f2l_number *x, int a, int b)
{
    fmpq_poly_zero(x);
    fmpq_poly_set_coeff_si(x, 0, a);
    fmpq_poly_set_coeff_si(x, 1, b);
}

/* Replaces m by E m E^-1 with E = I + c e_i e_j^T. */
static void conjugate(f2l_matrix *m, size_t i, size_t j, int c)
{
    f2l_number t;
    f2l_number_init(&t);
    for (size_t k = 0; k < m->columns; k++) {
        fmpq_poly_scalar_mul_si(&t, f2l_matrix_at(m, j, k), c);
        fmpq_poly_add(f2l_matrix_at(m, i, k), f2l_matrix_at(m, i, k), &t);
    }
    for (size_t k = 0; k < m->rows; k++) {
        fmpq_poly_scalar_mul_si(&t, f2l_matrix_at(m, k, i), c);
        fmpq_poly_sub(f2l_matrix_at(m, k, j), f2l_matrix_at(m, k, j), &t);
    }
    f2l_number_clear(&t);
}

/* Makes a matrix of blocks for the roots, some with a 1 beside equal roots (Jordan blocks), in
 * another basis. */
static void make_known(known *w, const f2l_field *k, f2l_rng *rng)
{
    const bool over = k->degree > 1;
    *w = (known){0};
    const size_t size = 1 + f2l_rng_below(rng, MOST - 1);
    while (w->n < size) {
        root r = {(int)f2l_rng_below(rng, 5) - 2, over ? (int)f2l_rng_below(rng, 3) - 1 : 0, 0};
        if (w->n + 2 <= size && f2l_rng_below(rng, 3) == 0) r.c = 1 + (int)f2l_rng_below(rng, 2);
        w->root[w->roots++] = r;
        w->n += r.c ? 2 : 1;
    }
    cr_assert_eq(f2l_matrix_init(&w->m, w->n, w->n, NULL), F2L_OK);
    for (size_t i = 0, at = 0; i < w->roots; i++) {
        const root r = w->root[i];
        set_number(f2l_matrix_at(&w->m, at, at), r.a, r.b);
        if (r.c) {
            set_number(f2l_matrix_at(&w->m, at + 1, at + 1), r.a, r.b);
            set_number(f2l_matrix_at(&w->m, at, at + 1), -r.c, 0);
            set_number(f2l_matrix_at(&w->m, at + 1, at), r.c, 0);
        } else if (i > 0 && memcmp(&w->root[i - 1], &r, sizeof r) == 0) {
            set_number(f2l_matrix_at(&w->m, at - 1, at), 1, 0);
        }
        at += r.c ? 2 : 1;
    }
    for (size_t i = 0; w->n > 1 && i < 2 * w->n; i++) {
        const size_t a = f2l_rng_below(rng, w->n), b = f2l_rng_below(rng, w->n);
        if (a != b) conjugate(&w->m, a, b, (int)f2l_rng_below(rng, 5) - 2);
    }
}

static double real_part(root r, const f2l_field *k)
{
    f2l_number x;
    f2l_number_init(&x);
    set_number(&x, r.a, k->degree > 1 ? r.b : 0);
    const double value = number_double(&x, k);
    f2l_number_clear(&x);
    return value;
}

static void check_known(const known *w, const f2l_spectrum *s, const f2l_field *k)
{
    size_t distinct = 0, real = 0, negative = 0;
    for (size_t i = 0; i < w->roots; i++) {
        const root r = w->root[i];
        const double x = real_part(r, k);
        size_t times = 0;
        bool first = true;
        for (size_t j = 0; j < w->roots; j++) {
            const bool same = memcmp(&w->root[j], &r, sizeof r) == 0;
            times += same;
            first = first && !(same && j < i);
        }
        cr_assert_eq(multiplicity(s, x, r.c), times);
        cr_assert_eq(multiplicity(s, x, -r.c), times);
        if (!first) continue;
        distinct += r.c ? 2 : 1;
        real += r.c == 0;
        negative += r.c == 0 && x < 0;
    }
    cr_assert(s->n == w->n && s->distinct == distinct && s->real == real &&
              s->negative == negative);
    cr_assert_eq(s->kind, real < distinct ? F2L_SPECTRUM_COMPLEX
                          : negative      ? F2L_SPECTRUM_REAL
                                          : F2L_SPECTRUM_NONNEGATIVE);
}

Test(spectrum, known_eigenvalues)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    for (size_t f = 0; f < FIELDS; f++) {
        f2l_field k;
        field_of_text(&k, fields[f]);
        for (size_t i = 0; i < 150; i++) {
            known w;
            make_known(&w, &k, &rng);
            for (int general = 0; general < 2; general++) {
                f2l_spectrum s;
                f2l_error err = {0};
                f2l_spectrum_init(&s);
                cr_assert_eq(f2l_spectrum_of_matrix(&s, &w.m, &k, true, general, &err), F2L_OK,
                             "%s", err.text);
                check_known(&w, &s, &k);
                f2l_spectrum_clear(&s);
            }
            f2l_matrix_clear(&w.m);
        }
        f2l_field_clear(&k);
    }
}

/* Rational matrices have the same counts over Q, over Q by the general method, and over a field. */
Test(spectrum, random_rational_matrices)
{
    f2l_rng rng;
    f2l_field q, k;
    f2l_rng_init(&rng, SEED, 1);
    f2l_field_init(&q);
    field_of_text(&k, fields[1]);
    size_t kinds[3] = {0};
    for (size_t i = 0; i < 300; i++) {
        const size_t n = 1 + f2l_rng_below(&rng, 6);
        f2l_matrix m;
        f2l_spectrum s[3];
        cr_assert_eq(f2l_matrix_init(&m, n, n, NULL), F2L_OK);
        for (size_t j = 0; j < n * n; j++) {
            fmpq_poly_set_si(&m.entry[j], (slong)f2l_rng_below(&rng, 7) - 3);
            fmpq_poly_scalar_div_si(&m.entry[j], &m.entry[j], 1 + (slong)f2l_rng_below(&rng, 3));
        }
        for (int j = 0; j < 3; j++) {
            f2l_spectrum_init(&s[j]);
            cr_assert_eq(f2l_spectrum_of_matrix(&s[j], &m, j < 2 ? &q : &k, true, j == 1, NULL),
                         F2L_OK);
            cr_assert(s[j].kind == s[0].kind && s[j].distinct == s[0].distinct &&
                      s[j].real == s[0].real && s[j].negative == s[0].negative);
            for (size_t v = 0; v < s[0].distinct; v++)
                cr_assert_eq(multiplicity(&s[j], s[0].value[v].re_low, s[0].value[v].im_low),
                             s[0].value[v].multiplicity);
        }
        kinds[s[0].kind]++;
        for (int j = 0; j < 3; j++) f2l_spectrum_clear(&s[j]);
        f2l_matrix_clear(&m);
    }
    cr_assert(kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0);
    f2l_field_clear(&q);
    f2l_field_clear(&k);
}

#ifdef F2L_MEM_FAILURES
Test(spectrum, memory_failures)
{
    f2l_net model;
    f2l_fsa fsa;
    size_t n = 0;
    f2l_status status = F2L_ENOMEM;
    fsa_from_text(&fsa, hand_swaps_text);
    f2l_net_init(&model);
    hand_swaps(&model, &fsa);
    while (status == F2L_ENOMEM) {
        f2l_spectra s;
        f2l_period p;
        f2l_error err;
        f2l_spectra_init(&s);
        f2l_mem_fail_after(++n, false);
        status = f2l_spectra_find(&s, &model, 2, 0, NULL, &err);
        if (status == F2L_OK)
            status = f2l_spectra_period(&p, &s, (const size_t[]){0, 1}, 2, NULL, &err);
        f2l_mem_fail_after(0, false);
        f2l_spectra_clear(&s);
    }
    cr_assert(status == F2L_OK && n > 50);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}
#endif
