#include "models/network/schedule/float_net.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/orthonormal_support.h"
#include "tests/support/numeric/field_values.h"
#include "theory/certify/closure/closure.h"

/* Makes a network of one letter and one factor with this key in a form diag(p, q) over Q(sqrt 2),
 * and with this H_0. */
static void small_net(f2l_net *net, const char *p, const char *q, const char *key,
                      const char *initial)
{
    f2l_field k;
    f2l_matrix form, u, h;
    field_of_text(&k, "-2 0 1 interval 1 2");
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    sample_name(&net->letters, "a"), sample_name(&net->labels, "q");
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_heads(&net->layer[0], 1, 1, NULL), F2L_OK);
    f2l_head *head = &net->layer[0].head[0];
    head->n = 2, head->d = 1;
    cr_assert_eq(f2l_head_set_field(head, &k, NULL), F2L_OK);
    matrix_of_text(&form, 2, 2, "1 0 0 1", &k);
    cr_assert(number_read(f2l_matrix_at(&form, 0, 0), p, strlen(p), &k));
    cr_assert(number_read(f2l_matrix_at(&form, 1, 1), q, strlen(q), &k));
    cr_assert_eq(f2l_head_set_form(head, &form, NULL), F2L_OK);
    matrix_of_text(&u, 2, 1, key, &k);
    matrix_of_text(&h, 2, 1, initial, &k);
    push_matrix(&head->initial, &h, 2);
    cr_assert_eq(f2l_transition_set_factors(&head->letter[0], 1, NULL), F2L_OK);
    mpq_set_ui(head->letter[0].factor[0].beta, 1, 1);
    push_matrix(&head->letter[0].factor[0].u, &u, 2);
    cr_assert_eq(f2l_layer_set_codes(&net->layer[0], 1, 1, false, NULL), F2L_OK);
    push_matrix(&net->layer[0].code[0], &h, 2);
    net->layer[0].symbol[0] = 0;
    f2l_matrix_clear(&form), f2l_matrix_clear(&u), f2l_matrix_clear(&h);
    f2l_field_clear(&k);
}

/* Rounds the first coordinates of the key and of H_0 to a format. */
static void rounded(double out[2], const f2l_net *net, const char *format)
{
    f2l_float_net *made;
    f2l_error err = {0};
    cr_assert_eq(
        f2l_float_net_new(&made, net, f2l_format_find(format), f2l_schedule_find("every"), &err),
        F2L_OK, "%s", err.text);
    out[0] = made->layer[0].head[0].key[0];
    out[1] = made->start[0];
    f2l_float_net_free(made);
}

/* Unit keys (x, sqrt(1 - x^2)) where x is half-way between two numbers of bf16: 257/512 has the
 * even neighbour 1/2, 259/512 the even neighbour 65/128. The other coordinate is irrational. */
Test(net_orthonormal_rounding, ties_go_to_even)
{
    f2l_net net;
    double out[2];
    small_net(&net, "1", "196095/262144", "257/512 1", "257/512 0,1");
    rounded(out, &net, "bf16");
    cr_assert(out[0] == 0.5 && out[1] == 0.5, "%a %a", out[0], out[1]);
    rounded(out, &net, "fp16");
    cr_assert(out[0] == 257.0 / 512 && out[1] == 257.0 / 512);
    f2l_net_clear(&net);
    small_net(&net, "1", "195063/262144", "259/512 1", "259/512 0,1");
    rounded(out, &net, "bf16");
    cr_assert(out[0] == 65.0 / 128 && out[1] == 65.0 / 128, "%a %a", out[0], out[1]);
    f2l_net_clear(&net);
}

/* Writes a fraction p/q, within 2^-800 of sqrt 2 after 320 steps, to `plus` and -p/q to `minus`;
 * its side alternates with the steps. */
static void near_root(f2l_buf *plus, f2l_buf *minus, size_t steps)
{
    mpz_t p, q, t;
    mpz_init_set_ui(p, 1), mpz_init_set_ui(q, 1), mpz_init(t);
    for (size_t i = 0; i < steps; i++) {
        mpz_addmul_ui(t, q, 2), mpz_add(t, t, p);
        mpz_add(q, q, p);
        mpz_swap(p, t);
        mpz_set_ui(t, 0);
    }
    char *a = mpz_get_str(NULL, 10, p), *b = mpz_get_str(NULL, 10, q);
    f2l_buf_printf(plus, "%s/%s", a, b);
    f2l_buf_printf(minus, "-%s/%s", a, b);
    free(a), free(b);
    mpz_clears(p, q, t, (mpz_ptr)NULL);
}

/* 257/512 + sqrt 2 - p/q lies on one side of the middle by less than 2^-800, which the first
 * precisions cannot show: it must be rounded to this side. */
Test(net_orthonormal_rounding, next_to_a_tie)
{
    for (size_t steps = 320; steps < 322; steps++) {
        f2l_buf plus, minus, initial;
        f2l_net net;
        f2l_field k;
        f2l_number a, b;
        double out[2];
        f2l_buf_init(&plus), f2l_buf_init(&minus), f2l_buf_init(&initial);
        field_of_text(&k, "-2 0 1 interval 1 2");
        f2l_number_init(&a), f2l_number_init(&b);
        near_root(&plus, &minus, steps);
        cr_assert(number_read(&a, "257/512,1", 9, &k) && number_read(&b, plus.data, plus.size, &k));
        fmpq_poly_sub(&a, &a, &b);
        number_write(&initial, &a);
        f2l_buf_text(&initial, " 1");
        cr_assert(number_read(&b, "257/512", 7, &k));
        const bool above = number_compare(&a, &b, &k) > 0;
        small_net(&net, "1", "1", "1 0", initial.data);
        rounded(out, &net, "bf16");
        cr_assert_eq(out[1], above ? 129.0 / 256 : 0.5, "%zu steps: %a", steps, out[1]);
        cr_assert_eq(above, steps % 2 == 0); /* convergents alternate */
        f2l_net_clear(&net);
        f2l_number_clear(&a), f2l_number_clear(&b);
        f2l_field_clear(&k);
        f2l_buf_clear(&plus), f2l_buf_clear(&minus), f2l_buf_clear(&initial);
    }
}

/* Numbers far below and above 1 are rounded as well. */
Test(net_orthonormal_rounding, small_and_large_numbers)
{
    static const char *const initial[] = {
        "0,1/1606938044258990275541962092341162602522202993782792835301376 1",
        "0,1606938044258990275541962092341162602522202993782792835301376 1"};
    for (size_t i = 0; i < 2; i++) {
        f2l_net net, view;
        double out[2];
        small_net(&net, "1", "1", "1 0", initial[i]);
        rounded(out, &net, "fp64");
        cr_assert_eq(out[1], ldexp(sqrt(2), i == 0 ? -200 : 200));
        rounded(out, &net, "fp16");
        cr_assert(i == 0 ? out[1] == 0 : isinf(out[1]));
        view_of(&view, &net, 16);
        cr_assert_eq(view.layer[0].head[0].initial.count, 2);
        f2l_net_clear(&net), f2l_net_clear(&view);
    }
}

/* sqrt 2 and 2 sqrt 2 - p/q differ by less than 2^-800, and stay different codes. */
Test(net_orthonormal_rounding, codes_stay_different)
{
    f2l_net net, view;
    f2l_buf plus, minus;
    f2l_qvec code[2];
    small_net(&net, "1", "1", "1 0", "0,1 1");
    f2l_buf_init(&plus), f2l_buf_init(&minus);
    near_root(&plus, &minus, 320);
    f2l_field k;
    f2l_number a, b;
    field_of_text(&k, "-2 0 1 interval 1 2");
    f2l_number_init(&a), f2l_number_init(&b);
    cr_assert(number_read(&a, "0,2", 3, &k) && number_read(&b, plus.data, plus.size, &k));
    fmpq_poly_sub(&b, &a, &b);
    cr_assert(number_read(&a, "0,1", 3, &k));
    f2l_qvec_init(&code[0]), f2l_qvec_init(&code[1]);
    cr_assert_eq(f2l_layer_set_codes(&net.layer[0], 2, 1, false, NULL), F2L_OK);
    cr_assert_eq(f2l_push_number(&net.layer[0].code[0], 0, &a, 2, NULL), F2L_OK);
    cr_assert_eq(f2l_push_number(&net.layer[0].code[1], 0, &b, 2, NULL), F2L_OK);
    view_of(&view, &net, 0);
    cr_assert(f2l_qvec_compare(&view.layer[0].code[0], &view.layer[0].code[1]) != 0);
    cr_assert(mpz_sizeinbase(mpq_denref(view.layer[0].code[0].value[0]), 2) > 800);
    f2l_number_clear(&a), f2l_number_clear(&b);
    f2l_field_clear(&k);
    f2l_buf_clear(&plus), f2l_buf_clear(&minus);
    f2l_net_clear(&net), f2l_net_clear(&view);
}

typedef struct expected {
    const char *format;
    f2l_status verdict;
    size_t rows;
} expected;

static void expect_formats(const f2l_net *net, const f2l_fsa *fsa, const expected *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        f2l_closure closure;
        f2l_error err = {0};
        f2l_closure_init(&closure);
        cr_assert_eq(f2l_closure_float(&closure, net, fsa, f2l_format_find(e[i].format),
                                       f2l_schedule_find("every"), 100000, NULL, &err),
                     F2L_OK, "%s", err.text);
        cr_assert_eq(closure.verdict, e[i].verdict, "%s: %s", e[i].format,
                     f2l_status_name(closure.verdict));
        if (e[i].rows > 0)
            cr_assert_eq(closure.rows, e[i].rows, "%s: %zu", e[i].format, closure.rows);
        f2l_closure_clear(&closure);
    }
}

/* T5.4: the rotation by 72 degrees as the reflections in keys at 0 and 36 degrees, from (1, 0). The
 * numbers of joint states were found by another program before this one existed. */
Test(net_orthonormal_rounding, a_rounded_rotation_locks_or_fails)
{
    static const expected e[] = {
        {"bf16", F2L_REFUTED, 0}, {"fp16", F2L_OK, 6}, {"fp32", F2L_OK, 12}};
    field_sample *s = sample_rotations(5, 0, 1, false);
    f2l_fsa fsa;
    f2l_net net;
    f2l_matrix form;
    open_group(s, &fsa, &net);
    f2l_head *head = &net.layer[0].head[0];
    matrix_of_text(&form, 2, 2, "1 -1/4,1/4 -1/4,1/4 1", &s->field);
    cr_assert_eq(f2l_head_set_form(head, &form, NULL), F2L_OK);
    for (size_t f = 0; f < 2; f++) {
        f2l_qvec *u = &head->letter[0].factor[f].u;
        f2l_qvec_clear(u);
        sample_push(u, 0, 1, 1);
        if (f == 1) sample_push(u, 2, 1, 1);
    }
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &net, &fsa, 0, NULL, NULL), F2L_OK);
    cr_assert(closure.verdict == F2L_OK && closure.rows == 5);
    expect_formats(&net, &fsa, e, 3);
    f2l_closure_clear(&closure);
    f2l_matrix_clear(&form);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
    field_sample_clear(s);
}
