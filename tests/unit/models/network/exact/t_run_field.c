/* Exact steps over real number fields and with forms: against dense matrices, against doubles, and
 * as groups. */
#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/numeric/field_values.h"
#include "theory/certify/cert/cert.h"
#include "theory/certify/closure/closure.h"
#include <math.h>

/* Sets the dense matrices A = 1 - s u (G u)^T and B = s u c^T with s = beta / u^T G u. */
static void dense_factor(f2l_matrix *A, f2l_matrix *B, const f2l_head *head,
                         const f2l_factor *factor, const f2l_field *k)
{
    const size_t n = head->n, d = head->d;
    f2l_matrix u, c, form, dual, norm, outer;
    f2l_number scale;
    cr_assert(f2l_matrix_init(&u, n, 1, NULL) == F2L_OK &&
              f2l_matrix_init(&c, 1, d, NULL) == F2L_OK);
    cr_assert(f2l_matrix_init(A, n, n, NULL) == F2L_OK &&
              f2l_head_form(&form, head, NULL) == F2L_OK);
    f2l_vector_numbers(u.entry, n, &factor->u, k->degree);
    f2l_vector_numbers(c.entry, d, &factor->c, k->degree);
    matrix_product(&dual, &form, &u, k);
    cr_assert_eq(f2l_matrix_init(&norm, 1, 1, NULL), F2L_OK);
    f2l_matrix_transposed_multiply(&norm, &u, &dual, k);
    cr_assert_eq(f2l_field_sign(norm.entry, k), 1);
    f2l_number_init(&scale);
    f2l_number_put(&scale, 0, factor->beta);
    f2l_field_invert(norm.entry, norm.entry, k);
    f2l_field_multiply(&scale, &scale, norm.entry, k);
    dual.rows = 1, dual.columns = n;
    matrix_product(&outer, &u, &dual, k);
    matrix_product(B, &u, &c, k);
    f2l_matrix_one(A);
    for (size_t i = 0; i < n * n; i++) f2l_field_submul(&A->entry[i], &scale, &outer.entry[i], k);
    for (size_t i = 0; i < n * d; i++) f2l_field_multiply(&B->entry[i], &scale, &B->entry[i], k);
    f2l_number_clear(&scale);
    f2l_matrix_clear(&u), f2l_matrix_clear(&c), f2l_matrix_clear(&form);
    f2l_matrix_clear(&dual), f2l_matrix_clear(&norm), f2l_matrix_clear(&outer);
}

static void dense_step(f2l_matrix *S, const f2l_head *head, size_t x, const f2l_field *k)
{
    const f2l_transition *letter = &head->letter[x];
    f2l_number gate;
    f2l_number_init(&gate);
    f2l_number_put(&gate, 0, letter->gate);
    for (size_t i = 0; i < head->n * head->d; i++)
        f2l_field_multiply(&S->entry[i], &S->entry[i], &gate, k);
    for (size_t f = 0; f < letter->factors; f++) {
        f2l_matrix A, B, next;
        dense_factor(&A, &B, head, &letter->factor[f], k);
        matrix_product(&next, &A, S, k);
        for (size_t i = 0; i < head->n * head->d; i++)
            fmpq_poly_add(&next.entry[i], &next.entry[i], &B.entry[i]);
        f2l_matrix_clear(&A), f2l_matrix_clear(&B), f2l_matrix_clear(S);
        *S = next;
    }
    f2l_number_clear(&gate);
}

/* Computes the same step in doubles, entry by entry from the definition. */
static void double_step(double *S, const f2l_head *head, size_t x, const f2l_field *k)
{
    const size_t n = head->n, d = head->d;
    f2l_matrix form;
    f2l_number *number = f2l_numbers_new(n + d);
    double u[4], w[4], c[3];
    cr_assert_eq(f2l_head_form(&form, head, NULL), F2L_OK);
    for (size_t i = 0; i < n * d; i++) S[i] *= mpq_get_d(head->letter[x].gate);
    for (size_t f = 0; f < head->letter[x].factors; f++) {
        const f2l_factor *factor = &head->letter[x].factor[f];
        f2l_vector_numbers(number, n, &factor->u, k->degree);
        f2l_vector_numbers(number + n, d, &factor->c, k->degree);
        double norm = 0;
        for (size_t i = 0; i < n; i++) u[i] = number_double(&number[i], k);
        for (size_t j = 0; j < d; j++) c[j] = number_double(&number[n + j], k);
        for (size_t i = 0; i < n; i++) {
            w[i] = 0;
            for (size_t l = 0; l < n; l++)
                w[i] += number_double(f2l_matrix_at(&form, i, l), k) * u[l];
            norm += u[i] * w[i];
        }
        for (size_t j = 0; j < d; j++) {
            double r = -c[j];
            for (size_t i = 0; i < n; i++) r += w[i] * S[i * d + j];
            for (size_t i = 0; i < n; i++)
                S[i * d + j] -= mpq_get_d(factor->beta) / norm * u[i] * r;
        }
    }
    f2l_matrix_clear(&form);
    f2l_numbers_free(number, n + d);
}

static void compare(const f2l_matrix *exact, const double *rounded, const f2l_field *k,
                    size_t number)
{
    for (size_t i = 0; i < exact->rows * exact->columns; i++) {
        const double x = number_double(&exact->entry[i], k);
        cr_assert(fabs(x - rounded[i]) <= 1e-6 * (1 + fabs(x)), "seed 91, network %zu: %g, %g",
                  number, x, rounded[i]);
    }
}

static void walk(const f2l_net *net, f2l_rng *rng, const f2l_field *k, size_t number)
{
    const f2l_head *head = &net->layer[0].head[0];
    f2l_exact *run;
    f2l_qvec state, out, expected;
    f2l_matrix S;
    double rounded[12];
    f2l_qvec_init(&out), f2l_qvec_init(&state), f2l_qvec_init(&expected);
    cr_assert_eq(f2l_matrix_init(&S, head->n, head->d, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    cr_assert_eq(f2l_qvec_copy(&state, &head->initial, NULL), F2L_OK);
    f2l_vector_numbers(S.entry, head->n * head->d, &state, k->degree);
    for (size_t i = 0; i < head->n * head->d; i++) rounded[i] = number_double(&S.entry[i], k);
    for (size_t t = 0; t < 5; t++) {
        const size_t x = f2l_rng_below(rng, 3);
        cr_assert_eq(f2l_exact_step_head(run, &out, 0, 0, x, &state, NULL), F2L_OK);
        cr_assert_eq(f2l_exact_step_head(run, &state, 0, 0, x, &state, NULL), F2L_OK);
        dense_step(&S, head, x, k);
        double_step(rounded, head, x, k);
        f2l_qvec_clear(&expected);
        push_matrix(&expected, &S, k->degree);
        cr_assert_eq(f2l_qvec_compare(&out, &expected), 0, "seed 91, network %zu, step %zu", number,
                     t);
        cr_assert_eq(f2l_qvec_compare(&state, &expected), 0, "in place");
        compare(&S, rounded, k, number);
    }
    f2l_qvec_clear(&out), f2l_qvec_clear(&state), f2l_qvec_clear(&expected);
    f2l_matrix_clear(&S);
    f2l_exact_free(run);
}

Test(run_field, steps_are_dense_matrix_products)
{
    f2l_field k[8];
    size_t fields;
    f2l_rng rng;
    f2l_rng_init(&rng, 91, 0);
    read_fields(k, &fields);
    for (size_t i = 0; i < 200; i++) {
        f2l_net net;
        random_net(&net, &rng, &k[i % fields], f2l_rng_below(&rng, 3) > 0);
        walk(&net, &rng, &k[i % fields], i);
        f2l_net_clear(&net);
    }
    for (size_t i = 0; i < fields; i++) f2l_field_clear(&k[i]);
}

/* Random networks are the same after writing and reading. */
Test(run_field, random_networks_survive_writing_and_reading)
{
    f2l_field k[8];
    size_t fields;
    f2l_rng rng;
    f2l_rng_init(&rng, 92, 0);
    read_fields(k, &fields);
    for (size_t i = 0; i < 100; i++) {
        f2l_net net, again;
        f2l_buf text, second;
        f2l_error err = {0};
        f2l_buf_init(&text), f2l_buf_init(&second);
        random_net(&net, &rng, &k[i % fields], f2l_rng_below(&rng, 3) > 0);
        cr_assert_eq(f2l_net_write(&text, &net, &err), F2L_OK, "%s", err.text);
        sample_read(&again, text.data);
        cr_assert_eq(f2l_net_write(&second, &again, &err), F2L_OK, "%s", err.text);
        cr_assert_str_eq(text.data, second.data, "seed 92, network %zu", i);
        const f2l_head *a = &net.layer[0].head[0], *b = &again.layer[0].head[0];
        cr_assert_eq(f2l_qvec_compare(&a->form, &b->form), 0);
        cr_assert_eq(f2l_qvec_compare(&a->initial, &b->initial), 0);
        cr_assert((a->field == NULL) == (b->field == NULL) &&
                  (a->field == NULL || f2l_field_equal(a->field, b->field)));
        f2l_buf_clear(&text), f2l_buf_clear(&second);
        f2l_net_clear(&net), f2l_net_clear(&again);
    }
    for (size_t i = 0; i < fields; i++) f2l_field_clear(&k[i]);
}

typedef struct group_run {
    field_sample *sample;
    f2l_fsa fsa;
    f2l_net net;
} group_run;

static void open_group(group_run *g, field_sample *sample)
{
    g->sample = sample;
    field_sample_fsa(&g->fsa, sample);
    field_sample_net(&g->net, sample, &g->fsa);
}

static void close_group(group_run *g)
{
    f2l_net_clear(&g->net);
    f2l_fsa_clear(&g->fsa);
    field_sample_clear(g->sample);
}

static void expect_closure(group_run *g, f2l_status verdict)
{
    f2l_closure closure;
    f2l_error err = {0};
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &g->net, &g->fsa, 0, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(closure.verdict, verdict, "%s %s", f2l_status_name(closure.verdict),
                 closure.reason);
    if (verdict == F2L_OK) {
        cr_assert_eq(closure.rows, g->sample->states);
        f2l_buf cert;
        f2l_buf_init(&cert);
        cr_assert_eq(f2l_cert_write(&cert, &g->net, &closure, SAMPLE_SHA, &err), F2L_OK, "%s",
                     err.text);
        cr_assert(strstr(cert.data, "claim exact\n") != NULL);
        f2l_buf_clear(&cert);
    }
    f2l_closure_clear(&closure);
}

/* Checks every step of every code against the products of the matrices. */
static void expect_edges(const group_run *g)
{
    f2l_exact *run;
    f2l_qvec out;
    f2l_qvec_init(&out);
    cr_assert_eq(f2l_exact_new(&run, &g->net, NULL), F2L_OK);
    for (size_t q = 0; q < g->sample->states; q++) {
        for (size_t a = 0; a < g->sample->letters; a++) {
            cr_assert_eq(f2l_exact_step_head(run, &out, 0, 0, a, &g->net.layer[0].code[q], NULL),
                         F2L_OK);
            cr_assert_eq(f2l_exact_find_code(run, 0, &out), g->sample->next[q][a]);
        }
    }
    f2l_qvec_clear(&out);
    f2l_exact_free(run);
}

static void check_group(field_sample *sample, size_t factors)
{
    group_run g;
    f2l_net_size size;
    open_group(&g, sample);
    f2l_net_measure(&size, &g.net);
    cr_assert_eq(size.householders, factors);
    expect_edges(&g);
    expect_closure(&g, F2L_OK);
    close_group(&g);
}

Test(run_field, rotations_are_two_reflections)
{
    for (size_t m = 3; m <= 24; m++) check_group(sample_rotations(m, 0, m, false), 2);
    check_group(sample_rotations(60, 0, 60, false), 2);
    check_group(sample_rotations(61, 7, 2, false), 2); /* degree 30 */
}

Test(run_field, dihedral_groups)
{
    for (size_t m = 3; m <= 12; m++) check_group(sample_rotations(m, 0, 1, true), 2);
}

Test(run_field, the_icosahedron_turns_by_two_reflections)
{
    check_group(sample_icosahedron(false, false), 2);
    check_group(sample_icosahedron(true, false), 2);
    check_group(sample_icosahedron(true, true), 2);
}

/* A number that is off by one coefficient is refused, in each place that has numbers. */
Test(run_field, a_wrong_weight_is_refused)
{
    group_run g;
    open_group(&g, sample_icosahedron(false, true));
    f2l_layer *layer = &g.net.layer[0];
    f2l_head *head = &layer->head[0];
    f2l_qvec *const places[] = {&head->letter[0].factor[0].u, &head->letter[2].factor[1].u,
                                &layer->code[17]};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t last = places[i]->count - 1;
        mpq_t seventh;
        mpq_init(seventh);
        mpq_set_si(seventh, 1, 7);
        mpq_add(places[i]->value[last], places[i]->value[last], seventh);
        expect_closure(&g, F2L_REFUTED);
        mpq_sub(places[i]->value[last], places[i]->value[last], seventh);
        mpq_clear(seventh);
    }
    expect_closure(&g, F2L_OK);
    layer->symbol[5] = 6;
    expect_closure(&g, F2L_REFUTED);
    layer->symbol[5] = 5;
    /* The other root of the polynomial gives the conjugate representation, which is as good. */
    f2l_field other;
    field_of_text(&other, "-5 0 1 interval -3 -2");
    f2l_field_copy(head->field, &other);
    f2l_field_clear(&other);
    expect_closure(&g, F2L_OK);
    close_group(&g);
}

#ifdef F2L_MEM_FAILURES
static f2l_status build_and_walk(const f2l_net *net)
{
    f2l_exact *run;
    size_t joint, label;
    f2l_status status = f2l_exact_new(&run, net, NULL);
    if (status != F2L_OK) return status;
    status = f2l_exact_start(run, &joint, NULL);
    for (size_t w = 0; w < 6 && status == F2L_OK; w++)
        status = f2l_exact_step(run, &joint, w % 3, &label, NULL, NULL);
    f2l_exact_free(run);
    return status;
}

Test(run_field, survives_every_failed_allocation)
{
    group_run g;
    size_t failures = 0;
    open_group(&g, sample_icosahedron(false, true));
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = build_and_walk(&g.net);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 60, "%zu", failures);
    close_group(&g);
}
#endif
