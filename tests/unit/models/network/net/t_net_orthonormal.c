/* Rounded views, compared with Cholesky's factorisation in 2,000 bits, at ties and next to them,
 * and as networks. */
#include "models/network/net/net_orthonormal.h"
#include "models/network/schedule/float_net.h"
#include "models/network/weights/weights.h"
#include "numeric/base/mem.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/orthonormal_support.h"
#include "tests/support/numeric/field_values.h"
#include <mpfr.h>

#define BITS 2000

static f2l_buf text_of(const f2l_net *net)
{
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert_eq(f2l_net_write(&out, net, &err), F2L_OK, "%s", err.text);
    return out;
}

Test(net_orthonormal, ordinary_networks_are_copied)
{
    const char *const samples[] = {SAMPLE_PARITY, SAMPLE_FLIPFLOP, SAMPLE_PARTS, SAMPLE_RAW};
    const sample_shape shape = {3, 3, 10, 5, 3, 4, 6, false, 1000000000000ul};
    f2l_rng rng;
    f2l_rng_init(&rng, 101, 0);
    for (size_t i = 0; i < 60; i++) {
        f2l_net net, view;
        if (i < 4)
            sample_read(&net, samples[i]);
        else
            sample_random(&net, &rng, &shape);
        if (i % 2 && i > 3) sample_make_raw(&net, &rng, &shape);
        cr_assert(f2l_net_is_plain(&net));
        view_of(&view, &net, 64);
        f2l_buf a = text_of(&net), b = text_of(&view);
        cr_assert_str_eq(a.data, b.data, "seed 101, network %zu", i);
        f2l_buf_clear(&a), f2l_buf_clear(&b);
        f2l_net_clear(&net), f2l_net_clear(&view);
    }
}

/* The factor L, lower triangular, [n][n]. */
typedef struct cholesky {
    size_t n;
    mpfr_t at[16];
} cholesky;

static void cholesky_init(cholesky *l, const f2l_head *head, const f2l_field *k)
{
    const size_t n = head->n;
    f2l_matrix form;
    mpfr_t t;
    l->n = n;
    mpfr_init2(t, BITS);
    cr_assert_eq(f2l_head_form(&form, head, NULL), F2L_OK);
    for (size_t i = 0; i < n * n; i++) mpfr_init2(l->at[i], BITS);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            mpfr_ptr to = l->at[i * n + j];
            number_round(to, f2l_matrix_at(&form, i, j), k);
            for (size_t c = 0; c < j; c++) {
                mpfr_mul(t, l->at[i * n + c], l->at[j * n + c], MPFR_RNDN);
                mpfr_sub(to, to, t, MPFR_RNDN);
            }
            if (i == j)
                mpfr_sqrt(to, to, MPFR_RNDN);
            else
                mpfr_div(to, to, l->at[j * n + j], MPFR_RNDN);
        }
        for (size_t i = 0; i < j; i++) mpfr_set_ui(l->at[i * n + j], 0, MPFR_RNDN);
    }
    mpfr_clear(t);
    f2l_matrix_clear(&form);
}

static void cholesky_clear(cholesky *l)
{
    for (size_t i = 0; i < l->n * l->n; i++) mpfr_clear(l->at[i]);
}

/* Sets out[n * d] to L^T S / sqrt(norm2). */
static void turned(mpfr_t *out, const cholesky *l, const f2l_qvec *S, size_t d, const f2l_field *k)
{
    f2l_number *number = f2l_numbers_new(l->n * d);
    mpfr_t t, x;
    mpfr_inits2(BITS, t, x, (mpfr_ptr)NULL);
    f2l_vector_numbers(number, l->n * d, S, k->degree);
    for (size_t i = 0; i < l->n; i++) {
        for (size_t j = 0; j < d; j++) {
            mpfr_set_ui(out[i * d + j], 0, MPFR_RNDN);
            for (size_t c = 0; c < l->n; c++) {
                number_round(x, &number[c * d + j], k);
                mpfr_mul(t, l->at[c * l->n + i], x, MPFR_RNDN);
                mpfr_add(out[i * d + j], out[i * d + j], t, MPFR_RNDN);
            }
        }
    }
    mpfr_clears(t, x, (mpfr_ptr)NULL);
    f2l_numbers_free(number, l->n * d);
}

/* Checks that y is x itself, or nearer than 2^-bits and rounds to every format as x does. */
static void expect_near(const mpfr_t x, const mpq_t y, size_t bits)
{
    static const f2l_format other = {.name = "53 bits",
                                     .precision = 53,
                                     .emin = -1022,
                                     .emax = 1023,
                                     .largest = 0x1.fffffffffffffp1023,
                                     .subnormals = true};
    mpfr_t error;
    mpq_t exact;
    mpq_init(exact);
    mpfr_init2(error, BITS);
    mpfr_sub_q(error, x, y, MPFR_RNDN);
    if (!mpfr_zero_p(error) && mpfr_get_exp(error) > -(mpfr_exp_t)BITS + 400) {
        cr_assert(mpfr_get_exp(error) <= -(mpfr_exp_t)bits, "%ld", (long)mpfr_get_exp(error));
        mpfr_get_q(exact, x);
        for (const f2l_format *f = f2l_formats; f->name; f++)
            cr_assert_eq(f2l_format_round_q(f, exact), f2l_format_round_q(f, y), "%s", f->name);
        cr_assert_eq(f2l_format_round_q(&other, exact), f2l_format_round_q(&other, y));
    } else { /* rational, with at most the digits of squares and quotients of the weights */
        cr_assert(mpz_sizeinbase(mpq_denref(y), 2) < 700);
    }
    mpfr_clear(error);
    mpq_clear(exact);
}

static void expect_vector(mpfr_t *x, size_t count, const f2l_qvec *v, size_t bits)
{
    mpq_t zero;
    mpq_init(zero);
    for (size_t i = 0, at = 0; i < count; i++) {
        const bool stored = at < v->count && v->index[at] == i;
        expect_near(x[i], stored ? v->value[at] : zero, bits);
        at += stored;
    }
    mpq_clear(zero);
}

static void expect_factor(mpfr_t *x, const cholesky *l, const f2l_head *head,
                          const f2l_factor *factor, const f2l_factor *view, const f2l_field *k,
                          size_t bits)
{
    f2l_number *c = f2l_numbers_new(head->d);
    mpfr_t norm, t;
    mpfr_inits2(BITS, norm, t, (mpfr_ptr)NULL);
    turned(x, l, &factor->u, 1, k);
    mpfr_set_ui(norm, 0, MPFR_RNDN);
    for (size_t i = 0; i < head->n; i++) {
        mpfr_sqr(t, x[i], MPFR_RNDN);
        mpfr_add(norm, norm, t, MPFR_RNDN);
    }
    mpfr_sqrt(norm, norm, MPFR_RNDN);
    for (size_t i = 0; i < head->n; i++) mpfr_div(x[i], x[i], norm, MPFR_RNDN);
    expect_vector(x, head->n, &view->u, bits);
    f2l_vector_numbers(c, head->d, &factor->c, k->degree);
    for (size_t j = 0; j < head->d; j++) {
        number_round(x[j], &c[j], k);
        mpfr_div(x[j], x[j], norm, MPFR_RNDN);
    }
    expect_vector(x, head->d, &view->c, bits);
    cr_assert(mpq_equal(factor->beta, view->beta));
    mpfr_clears(norm, t, (mpfr_ptr)NULL);
    f2l_numbers_free(c, head->d);
}

static void expect_view(const f2l_net *net, const f2l_net *view, const f2l_field *k, size_t bits)
{
    const f2l_head *head = &net->layer[0].head[0], *made = &view->layer[0].head[0];
    cholesky l;
    mpfr_t x[16];
    for (size_t i = 0; i < 16; i++) mpfr_init2(x[i], BITS);
    cholesky_init(&l, head, k);
    cr_assert(made->n == head->n && made->d == head->d && made->unit == !f2l_head_is_plain(head));
    turned(x, &l, &head->initial, head->d, k);
    expect_vector(x, head->n * head->d, &made->initial, bits);
    for (size_t c = 0; c < net->layer[0].codes; c++) {
        turned(x, &l, &net->layer[0].code[c], head->d, k);
        expect_vector(x, head->n * head->d, &view->layer[0].code[c], bits);
        cr_assert_eq(net->layer[0].symbol[c], view->layer[0].symbol[c]);
    }
    for (size_t a = 0; made->unit && a < net->layer[0].letters; a++) {
        cr_assert(mpq_equal(head->letter[a].gate, made->letter[a].gate));
        cr_assert_eq(head->letter[a].factors, made->letter[a].factors);
        for (size_t f = 0; f < head->letter[a].factors; f++)
            expect_factor(x, &l, head, &head->letter[a].factor[f], &made->letter[a].factor[f], k,
                          bits);
    }
    for (size_t i = 0; i < 16; i++) mpfr_clear(x[i]);
    cholesky_clear(&l);
}

Test(net_orthonormal, numbers_are_those_of_cholesky)
{
    static const size_t bits[] = {1, 60, 256, 700};
    f2l_field k[8];
    size_t fields;
    f2l_rng rng;
    f2l_rng_init(&rng, 102, 0);
    read_fields(k, &fields);
    for (size_t i = 0; i < 120; i++) {
        f2l_net net, view;
        random_net(&net, &rng, &k[i % fields], f2l_rng_below(&rng, 4) > 0);
        view_of(&view, &net, bits[i % 4]);
        expect_view(&net, &view, &k[i % fields], bits[i % 4]);
        f2l_net_clear(&net), f2l_net_clear(&view);
    }
    for (size_t i = 0; i < fields; i++) f2l_field_clear(&k[i]);
}

Test(net_orthonormal, groups)
{
    field_sample *const samples[] = {
        sample_rotations(5, 0, 5, true), sample_rotations(17, 0, 3, false),
        sample_rotations(6, 0, 2, true), sample_icosahedron(false, false),
        sample_icosahedron(false, true)};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        f2l_fsa fsa;
        f2l_net net, view;
        open_group(samples[i], &fsa, &net);
        view_of(&view, &net, 0);
        expect_view(&net, &view, &samples[i]->field, F2L_ORTHONORMAL_BITS);
        f2l_net_clear(&net), f2l_net_clear(&view);
        f2l_fsa_clear(&fsa);
        field_sample_clear(samples[i]);
    }
}

/* With the axes (1, phi, 1/phi) / 2, a half is next to irrational numbers, and no rational vector
 * has the right direction. */
Test(net_orthonormal, what_is_rational_stays_as_it_is)
{
    field_sample *s = sample_icosahedron(true, false);
    f2l_fsa fsa;
    f2l_net net, view;
    size_t halves = 0, irrational = 0;
    open_group(s, &fsa, &net);
    view_of(&view, &net, 0);
    for (size_t a = 0; a < 60; a++) {
        const f2l_transition *letter = &view.layer[0].head[0].letter[a];
        for (size_t f = 0; f < letter->factors; f++) {
            for (size_t i = 0; i < letter->factor[f].u.count; i++) {
                mpq_srcptr u = letter->factor[f].u.value[i];
                halves += mpz_cmp_ui(mpq_denref(u), 2) == 0;
                irrational += mpz_sizeinbase(mpq_denref(u), 2) > 200;
            }
        }
    }
    cr_assert(halves > 10 && irrational > 20, "%zu, %zu", halves, irrational);
    for (size_t c = 0; c < 60; c++) { /* the numbers of matrices: 0, 1/2, (1 +- sqrt 5)/4, 1 */
        const f2l_qvec *exact = &net.layer[0].code[c], *code = &view.layer[0].code[c];
        for (size_t i = 0, at = 0; i < code->count; i++, at++) {
            cr_assert_eq(exact->index[at] / 2, code->index[i]);
            const bool rational =
                at + 1 == exact->count || exact->index[at + 1] / 2 != code->index[i];
            if (rational)
                cr_assert(mpq_equal(exact->value[at], code->value[i]));
            else
                at++;
        }
    }
    f2l_net_clear(&net), f2l_net_clear(&view);
    f2l_fsa_clear(&fsa);
    field_sample_clear(s);
}

#ifdef F2L_MEM_FAILURES
static f2l_status all_of_it(const f2l_net *net, const f2l_fsa *fsa)
{
    f2l_net view;
    f2l_float_net *made;
    f2l_buf out;
    f2l_weights_report report;
    f2l_net_init(&view);
    f2l_buf_init(&out);
    f2l_status status = f2l_net_orthonormal(&view, net, 0, NULL);
    cr_assert(status == F2L_OK || view.layers == 0);
    if (status == F2L_OK) {
        status = f2l_float_net_new(&made, net, f2l_format_find("fp16"), f2l_schedule_find("every"),
                                   NULL);
        f2l_float_net_free(made);
    }
    if (status == F2L_OK)
        status = f2l_weights_write(&out, &report, net, fsa, F2L_WEIGHTS_AUTO, NULL);
    f2l_net_clear(&view);
    f2l_buf_clear(&out);
    return status;
}

Test(net_orthonormal, survives_every_failed_allocation)
{
    field_sample *s = sample_rotations(5, 0, 1, true);
    f2l_fsa fsa;
    f2l_net net;
    size_t failures = 0;
    open_group(s, &fsa, &net);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = all_of_it(&net, &fsa);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 200, "%zu", failures);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
    field_sample_clear(s);
}
#endif
